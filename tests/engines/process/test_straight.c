/*
 * Straight programs: the same function at the point, whatever the program was, without regions but those that are to
 * stay.
 */
#include "engines/aot/nested.h"
#include "engines/aot/interpret.h"
#include "engines/aot/lower.h"
#include "engines/engine.h"
#include "engines/process/straight.h"
#include "fuzz/generate/generate.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <string.h>

enum { CASES = 1500 };

static bool has_regions(const struct program *p)
{
	for (int i = 0; i < p->top.n_node; i++)
		if (p->top.node[i].n_region)
			return true;
	return false;
}

/* The ops with regions, at any depth: how many there are, in all and of those that keep[] lacks. */
static int count_regions(const struct region *region, const bool *keep, int *strange)
{
	int n = 0;

	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		n += node->n_region > 0;
		*strange += node->n_region && !keep[node->op];
		for (int r = 0; r < node->n_region; r++)
			n += count_regions(&node->region[r], keep, strange);
	}
	return n;
}

/* Whether an op of the program that is no constant makes, or takes, an integer or a bool. */
static bool has_discrete_ops(const struct program *p)
{
	for (int i = 0; i < p->top.n_node; i++) {
		const struct node *node = &p->top.node[i];

		if (node->op != OP_CONSTANT && !dtype_is_float(p->type[node->out].dtype))
			return true;
	}
	return false;
}

static bool has_spreads(const struct program *p)
{
	for (int i = 0; i < p->top.n_node; i++) {
		const struct node *node = &p->top.node[i];
		enum family f = op_table[node->op].family;

		for (int k = 0; k < node->n_arg &&
		     (f == FAMILY_BINARY || f == FAMILY_COMPARE || f == FAMILY_CLAMP || f == FAMILY_SELECT);
		     k++)
			if (!shape_equal(&p->type[node->arg[k]].shape, &p->type[node->out].shape))
				return true;
	}
	return false;
}

static void check_same(const struct program *p, const struct program *q, const struct tensor *point, uint64_t seed,
    const char *what, struct arena *a)
{
	struct tensor *x = NEW(a, struct tensor, p->top.n_result), *y = NEW(a, struct tensor, p->top.n_result);
	struct error e = {0};

	CHECK(program_nodes(q) > LIMIT_NODES || program_check(q, &e), "seed %llu, %s: %s: %s", (unsigned long long)seed,
	    what, e.place, e.text);
	interpret_program(p, point, a, x);
	interpret_program(q, point, a, y);
	CHECK(p->top.n_result == q->top.n_result && tensors_same(x, y, p->top.n_result), "seed %llu, %s",
	    (unsigned long long)seed, what);
}

/* What engines that know no op derivative see. */
static struct program known(const struct program *p, struct arena *a)
{
	struct program out = *p;
	struct error e = {0};

	if (program_has_derivative(p) && !aot_lower(p, 1, &aot_rules_right, a, &out, &e))
		out = *p;
	return out;
}

static void check_generated(struct arena *a)
{
	const struct profile profile = profile_default();
	int regions = 0, unrolled = 0;

	for (uint64_t k = 0; k < CASES; k++) {
		struct choice choice = choice_seeded(k);
		struct testcase c;
		struct program p, q, wide;
		struct error e = {0};

		arena_reset(a);
		c = generate(&choice, &profile, a);
		p = known(&c.program, a);
		if (program_has_derivative(&p) || request_slices(c.transform, c.n_transform) > 1)
			continue;
		wide = straight_broadcasts(&p, a);
		check_same(&p, &wide, c.point[0], k, "broadcasts", a);
		for (int constants = 0; constants < 2; constants++) {
			if (!straight_program(&p, c.point[0], constants, NULL, a, &q, &e))
				continue;
			unrolled++;
			CHECK(!has_regions(&q), "seed %llu", (unsigned long long)k);
			CHECK(
			    !constants || !has_discrete_ops(&q), "seed %llu: an op on integers", (unsigned long long)k);
			check_same(&p, &q, c.point[0], k, constants ? "constants" : "straight", a);
			q = straight_broadcasts(&q, a);
			CHECK(!has_spreads(&q), "seed %llu: an op that broadcasts", (unsigned long long)k);
			check_same(&p, &q, c.point[0], k, "straight, spread", a);
		}
		regions += has_regions(&p);
	}
	CHECK(regions > CASES / 4 && unrolled > CASES, "%d with regions, %d unrolled", regions, unrolled);
}

/*
 * Control flow that an engine knows stays, at the point the same function; what it does not know, or stands around
 * that, does not.
 */
static void check_kept(struct arena *a)
{
	static const bool sets[][OP_COUNT] = {{[OP_COND] = true}, {[OP_FOR] = true, [OP_SCAN] = true},
	    {[OP_COND] = true,
	        [OP_FOR] = true,
	        [OP_WHILE] = true,
	        [OP_SCAN] = true,
	        [OP_SCATTER_APPLY] = true,
	        [OP_CHECKPOINT] = true}};
	struct profile profile = profile_default();

	profile.weight_cond = profile.weight_for = profile.weight_while = profile.weight_scan = 20;
	for (size_t r = 0; r < sizeof sets / sizeof *sets; r++) {
		if (!row_wanted("kept: row %d", (int)r))
			continue;
		int kept = 0, strange = 0, unrolled = 0;

		for (uint64_t k = 0; k < CASES / 3; k++) {
			struct choice choice = choice_seeded(k);
			struct testcase c;
			struct program p, q;
			struct error e = {0};
			int ignored = 0;

			arena_reset(a);
			c = generate(&choice, &profile, a);
			p = known(&c.program, a);
			if (program_has_derivative(&p) || request_slices(c.transform, c.n_transform) > 1 ||
			    !straight_program(&p, c.point[0], false, sets[r], a, &q, &e))
				continue;
			check_same(&p, &q, c.point[0], k, "kept", a);
			kept += count_regions(&q.top, sets[r], &strange);
			unrolled += count_regions(&q.top, sets[r], &ignored) < count_regions(&p.top, sets[r], &ignored);
			CHECK(straight_program(&p, c.point[0], true, sets[r], a, &q, &e) && !has_regions(&q),
			    "seed %llu: constants", (unsigned long long)k);
		}
		CHECK(kept > 40 && !strange && unrolled > 10, "set %zu: %d kept, %d strange, %d programs unrolled", r,
		    kept, strange, unrolled);
	}
}

/* A branch that stays captures the index of a loop that does not: a constant of each iteration. */
static void check_captured_index(struct arena *a)
{
	static const char text[] = "inputs x: f64[]\n"
	                           "y = for (x) trip=3 {\n"
	                           "  params i: i64[], a: f64[]\n"
	                           "  p = gt a, x\n"
	                           "  b = cond (p) {\n"
	                           "    t = cast i dtype=f64\n"
	                           "    c = mul a, t\n"
	                           "    yield c\n"
	                           "  } else {\n"
	                           "    d = add a, x\n"
	                           "    yield d\n"
	                           "  }\n"
	                           "  yield b\n"
	                           "}\n"
	                           "return y\n"
	                           "point 3";
	static const bool keep[OP_COUNT] = {[OP_COND] = true};
	struct error e = {.text = ""};
	struct testcase c;
	struct program q;
	int strange = 0;
	bool made = case_text_read(text, a, &c, &e) && straight_program(&c.program, c.point[0], false, keep, a, &q, &e);

	CHECK(made, "%s: %s", e.place, e.text);
	if (!made)
		return;
	CHECK(count_regions(&q.top, keep, &strange) == 3 && !strange, "not three branches");
	check_same(&c.program, &q, c.point[0], 0, "captured index", a);
}

/* A loop in a loop that would be 2^16 nodes is refused. */
static void check_limit(struct arena *a)
{
	const struct type f64 = {DTYPE_F64, {0}}, i64 = {DTYPE_I64, {0}};
	const struct type params[] = {i64, f64};
	const struct attrs trip = {.trip = 256};
	struct builder b = {0};
	struct tensor point;
	struct program p, q;
	struct error e = {0};
	int x, y, z;

	build_begin(&b, a);
	x = build_input(&b, &f64);
	y = build_open(&b, params, 2) + 1;
	z = build_open(&b, params, 2) + 1;
	z = build_node(&b, OP_SIN, &z, 1, NULL, NULL);
	build_close(&b, &z, 1);
	y = build_region_node(&b, OP_FOR, &y, 1, &trip, NULL);
	build_close(&b, &y, 1);
	y = build_region_node(&b, OP_FOR, &x, 1, &trip, NULL);
	p = build_end(&b, &y, 1);
	point = tensor_new(a, &f64);
	CHECK(!straight_program(&p, &point, false, NULL, a, &q, &e) && strstr(e.text, "without loops"), "%s", e.text);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	CHECK_LAW(check_generated(&a));
	check_kept(&a);
	arena_reset(&a);
	CHECK_LAW(check_captured_index(&a));
	CHECK_LAW(check_limit(&a));
	arena_free(&a);
	return check_done();
}

/* Straight programs: the same function at the point, without regions, whatever the program was. */
#include "../../engines/aot_nested.h"
#include "../../engines/interpret.h"
#include "../../engines/lower.h"
#include "../../engines/rules.h"
#include "../../engines/straight.h"
#include "../../fuzz/generate.h"
#include "../check.h"

#include <string.h>

enum { CASES = 1500 };

static bool has_regions(const struct program *p)
{
	for (int i = 0; i < p->top.n_node; i++)
		if (p->top.node[i].n_region)
			return true;
	return false;
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

		for (int k = 0; k < node->n_arg && (f == FAMILY_BINARY || f == FAMILY_COMPARE || f == FAMILY_CLAMP || f == FAMILY_SELECT); k++)
			if (!shape_equal(&p->type[node->arg[k]].shape, &p->type[node->out].shape))
				return true;
	}
	return false;
}

static void check_same(const struct program *p, const struct program *q, const struct tensor *point, uint64_t seed, const char *what, struct arena *a)
{
	struct tensor *x = NEW(a, struct tensor, p->top.n_result), *y = NEW(a, struct tensor, p->top.n_result);
	struct error e = {0};

	CHECK(program_nodes(q) > LIMIT_NODES || program_check(q, &e), "seed %llu, %s: %s: %s", (unsigned long long)seed, what, e.place, e.text);
	interpret_program(p, point, a, x);
	interpret_program(q, point, a, y);
	CHECK(p->top.n_result == q->top.n_result && tensors_same(x, y, p->top.n_result), "seed %llu, %s", (unsigned long long)seed, what);
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
			if (!straight_program(&p, c.point[0], constants, a, &q, &e))
				continue;
			unrolled++;
			CHECK(!has_regions(&q), "seed %llu", (unsigned long long)k);
			CHECK(!constants || !has_discrete_ops(&q), "seed %llu: an op on integers", (unsigned long long)k);
			check_same(&p, &q, c.point[0], k, constants ? "constants" : "straight", a);
			q = straight_broadcasts(&q, a);
			CHECK(!has_spreads(&q), "seed %llu: an op that broadcasts", (unsigned long long)k);
			check_same(&p, &q, c.point[0], k, "straight, spread", a);
		}
		regions += has_regions(&p);
	}
	CHECK(regions > CASES / 4 && unrolled > CASES, "%d with regions, %d unrolled", regions, unrolled);
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
	CHECK(!straight_program(&p, &point, false, a, &q, &e) && strstr(e.text, "without loops"), "%s", e.text);
}

int main(void)
{
	struct arena a;

	arena_init(&a, (size_t)1 << 30);
	check_generated(&a);
	arena_reset(&a);
	check_limit(&a);
	arena_free(&a);
	return check_done();
}

/*
 * test_reuse.c: an evaluation that keeps the values which a move does not reach has the trace of a new one. One
 * evaluation runs through many programs, at the point and beside it; for each of them another one starts from nothing.
 */
#include "oracles/evaluate/reuse.h"

#include <math.h>
#include <stdio.h>

#include "fuzz/generate/generate.h"
#include "oracles/evaluate/internal.h"
#include "oracles/evaluate/scalar_ops.h"
#include "oracles/oracle_rules.h"
#include "tests/check.h"
#include "tests/engines/fixed_points.h"

enum { CASES = 400, MOVES = 5, STEP = -60 };

/* ---- one place ---- */

/* The trace x, y, z, op(a, b), after which the next row begins anew. */
static void test_rows(struct arena *a)
{
	static const struct {
		const char *name;
		double leaf[3];
		enum op op;
		int parent[2];
		double value;
		int changes;
	} rows[] = {
	    {"new", {1, 2, 4}, OP_ADD, {0, 1}, 3, 4},
	    {"the same", {1, 2, 4}, OP_ADD, {0, 1}, 3, 0},
	    {"another parent", {1, 2, 4}, OP_ADD, {0, 2}, 5, 1},
	    {"another op", {1, 2, 4}, OP_MUL, {0, 2}, 4, 1},
	    {"a parent moves", {3, 2, 4}, OP_MUL, {0, 2}, 12, 2},
	    {"another scalar moves", {3, 5, 4}, OP_MUL, {0, 2}, 12, 1},
	    {"parents change places", {3, 5, 4}, OP_SUB, {2, 0}, 1, 1},
	    {"parents change places again", {3, 5, 4}, OP_SUB, {0, 2}, -1, 1},
	    {"a zero changes its sign", {-0.0, 5, 4}, OP_DIV, {1, 0}, -INFINITY, 2},
	};
	struct evaluation ev;

	evaluation_open(&ev, &oracle_rules_right);
	ev.arena = a;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const int64_t before = ev.n_change;
		ev.n_scalar = ev.n_parent = 0;
		for (int j = 0; j < 3; j++)
			trace_leaf(&ev, DTYPE_F64, rows[i].leaf[j]);
		const int k = trace_scalar(&ev, rows[i].op, rows[i].op, DTYPE_F64, rows[i].parent, 2);
		CHECK(!mpfr_cmp_d(ev.value[k], rows[i].value) && ev.n_change - before == rows[i].changes,
		    "%s: %g after %d changes", rows[i].name, mpfr_get_d(ev.value[k], MPFR_RNDN),
		    (int)(ev.n_change - before));
	}
	evaluation_close(&ev);
}

/* ---- whole traces ---- */

/* Says what differs between two traces; NULL: nothing. */
static const char *difference(const struct evaluation *x, const struct evaluation *y)
{
	if (x->n_scalar != y->n_scalar || x->n_parent != y->n_parent)
		return "length";
	if (x->path != y->path || x->n_event != y->n_event || x->edge != y->edge || x->status != y->status)
		return "path";
	for (int k = 0; k < x->n_scalar; k++) {
		const bool nan = mpfr_nan_p(x->value[k]) && mpfr_nan_p(y->value[k]);
		if (x->scalar[k].exact != y->scalar[k].exact)
			return "exactness";
		if (!nan &&
		    (!mpfr_equal_p(x->value[k], y->value[k]) || mpfr_signbit(x->value[k]) != mpfr_signbit(y->value[k])))
			return "a value";
	}
	return NULL;
}

/* Directions of the float inputs. 0: none moves; 1 and 2: every second element moves; 3: all move. */
static struct tensor *direction_of(const struct testcase *c, int number, struct arena *a)
{
	const struct program *p = &c->program;
	struct tensor *out = NEW(a, struct tensor, p->top.n_param);

	for (int i = 0; i < p->top.n_param; i++) {
		const struct type *type = &p->type[p->top.param + i];
		out[i] = tensor_new(a, type);
		for (int e = 0; dtype_is_float(type->dtype) && e < shape_elements(&type->shape); e++)
			out[i].at[e].f = number == 3 || (number && (i + e) % 2 == number - 1) ? 1 + e : 0;
	}
	return out;
}

/* An evaluation that is heard keeps no values. */
static void hear_nothing(void *self, struct evaluation *ev, int k)
{
	(void)self;
	(void)ev;
	(void)k;
}

static void check_case(struct evaluation *kept, const struct testcase *c, struct arena *a, const char *name)
{
	static const int direction[MOVES] = {0, 1, 2, 3, 0};

	kept->of = c;
	for (int k = 0; k < MOVES; k++) {
		const struct tensor *by = direction_of(c, direction[k], a);
		const int sign = k % 2 ? 1 : -1;
		struct evaluation fresh;
		evaluation_open(&fresh, &oracle_rules_right);
		fresh.of = c;
		fresh.hooks.scalar = hear_nothing;
		if (k) /* moved evaluations replay the values that the point froze */
			evaluate(&fresh, &c->program, c->point[0], NULL, 0, 0, a);
		kept->freeze = fresh.freeze = k > 0;
		evaluate(kept, &c->program, c->point[0], by, sign, STEP, a);
		evaluate(&fresh, &c->program, c->point[0], by, sign, STEP, a);
		const char *what = difference(kept, &fresh);
		CHECK(!what, "%s, move %d: %s differs", name, k, what);
		evaluation_close(&fresh);
	}
}

static void test_programs(struct arena *a)
{
	const struct profile profile = profile_default();
	struct evaluation kept;

	evaluation_open(&kept, &oracle_rules_right);
	for (int i = 0; i < 2 * FIXED_POINTS; i++) {
		const int k = i % FIXED_POINTS;
		arena_reset(a);
		const struct testcase c = fixed_point_case(a, fixed_points[k].body, fixed_points[k].point, -1);
		check_case(&kept, &c, a, fixed_points[k].name);
	}
	for (uint64_t number = 0; number < CASES; number++) {
		struct choice choice = choice_seeded(seed_mix(5, number));
		char name[32];
		snprintf(name, sizeof name, "case %d", (int)number);
		arena_reset(a);
		const struct testcase c = generate(&choice, &profile, a);
		check_case(&kept, &c, a, name);
		if (number % 50 == 0)
			evaluation_trim(&kept, EVALUATION_KEPT_RARE);
	}
	evaluation_close(&kept);
}

int main(int argc, char **argv)
{
	struct arena arena;

	check_begin(argc, argv);
	mp_setup();
	arena_init(&arena, (size_t)256 << 20);
	CHECK_LAW(test_rows(&arena));
	CHECK_LAW(test_programs(&arena));
	arena_free(&arena);
	mpfr_free_cache();
	return check_done();
}

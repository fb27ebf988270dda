/* test_finite_difference.c: quotients against closed forms, and what is said where there is no derivative. */
#include "tests/check.h"

#include <math.h>
#include <string.h>

#include <mpfr.h>

#include "oracles/differences/cross_check.h"
#include "oracles/oracle_rules.h"
#include "oracles/evaluate/scalar_ops.h"

/* ---- programs of one vector x (f64[n]), result f64[n] ---- */

static const struct type *vector_of(int n)
{
	static const struct type t[4] = {
	    {DTYPE_F64, {1, {0}}}, {DTYPE_F64, {1, {1}}}, {DTYPE_F64, {1, {2}}}, {DTYPE_F64, {1, {3}}}};
	return &t[n];
}

static int one(struct builder *b, enum op op, int x)
{
	return build_node(b, op, &x, 1, NULL, NULL);
}

static int two(struct builder *b, enum op op, int x, int y)
{
	const int arg[] = {x, y};
	return build_node(b, op, arg, 2, NULL, NULL);
}

static int pick(struct builder *b, int p, int x, int y)
{
	const int arg[] = {p, x, y};
	return build_node(b, OP_SELECT, arg, 3, NULL, NULL);
}

static int number(struct builder *b, double x)
{
	return build_scalar(b, DTYPE_F64, x);
}

static int build_sin(struct builder *b, int x) { return one(b, OP_SIN, x); }
static int build_cube(struct builder *b, int x) { return two(b, OP_MUL, x, two(b, OP_MUL, x, x)); }
static int build_abs(struct builder *b, int x) { return one(b, OP_ABS, x); }
static int build_floor(struct builder *b, int x) { return one(b, OP_FLOOR, x); }
static int build_sqrt(struct builder *b, int x) { return one(b, OP_SQRT, x); }
static int build_log(struct builder *b, int x) { return one(b, OP_LOG, x); }

/* 5 x^3 - x^4 */
static int build_flat(struct builder *b, int x)
{
	int cube = build_cube(b, x);
	return two(b, OP_SUB, two(b, OP_MUL, number(b, 5), cube), two(b, OP_MUL, cube, x));
}

/* 3 x + 2^66 - 2^66: loses all of binary64, but no oracle. */
static int build_cancel(struct builder *b, int x)
{
	int big = number(b, 0x1p66);
	return two(b, OP_SUB, two(b, OP_ADD, two(b, OP_MUL, x, number(b, 3)), big), big);
}

/* where(x > 0, sqrt(x), 0) */
static int build_guarded_sqrt(struct builder *b, int x)
{
	return pick(b, two(b, OP_GT, x, number(b, 0)), one(b, OP_SQRT, x), number(b, 0));
}

/* where(x > 0, 5 x, 2 x): continuous, path derivative 2 at 0 */
static int build_bend(struct builder *b, int x)
{
	return pick(b, two(b, OP_GT, x, number(b, 0)), two(b, OP_MUL, x, number(b, 5)), two(b, OP_MUL, x, number(b, 2)));
}

/* where(x == 0, 7 x, 3 x): the path at 0 is taken nowhere else */
static int build_isolated(struct builder *b, int x)
{
	return pick(b, two(b, OP_EQ, x, number(b, 0)), two(b, OP_MUL, x, number(b, 7)), two(b, OP_MUL, x, number(b, 3)));
}

/* where(x == 0, 4, x) */
static int build_jump(struct builder *b, int x)
{
	return pick(b, two(b, OP_EQ, x, number(b, 0)), number(b, 4), x);
}

/* where(x > 1e-20, x, 2 x): the first step jumps over the threshold, later ones do not */
static int build_near_threshold(struct builder *b, int x)
{
	return pick(b, two(b, OP_GT, x, number(b, 1e-20)), x, two(b, OP_MUL, x, number(b, 2)));
}

/* x * stop_gradient(x) */
static int build_stopped(struct builder *b, int x)
{
	return two(b, OP_MUL, x, one(b, OP_STOP_GRADIENT, x));
}

/* A tie in a branch not taken: where(x >= 0, 3 x, max(x, 0)) at 0 is seen as a tie, but changes nothing. */
static int build_dead_tie(struct builder *b, int x)
{
	int dead = two(b, OP_MAX, x, number(b, 0));
	return pick(b, two(b, OP_GT, x, number(b, -1)), two(b, OP_MUL, x, number(b, 3)), dead);
}

/* atan(2^514 x (x + v)) */
static int steep(struct builder *b, int x, double v)
{
	return one(b, OP_ATAN, two(b, OP_MUL, number(b, 0x1p514), two(b, OP_MUL, x, two(b, OP_ADD, x, number(b, v)))));
}

/* The sum of three: pi/2 on either side of 0 at every step that is not far shorter, as of a function that is flat there. */
static int build_steep(struct builder *b, int x)
{
	return two(b, OP_ADD, steep(b, x, -3), two(b, OP_ADD, steep(b, x, 0), steep(b, x, .5)));
}

/* sqrt(x^2): a kink that is no event */
static int build_cusp(struct builder *b, int x)
{
	return one(b, OP_SQRT, two(b, OP_MUL, x, x));
}

/* Sum over the vector. */
static int build_sum(struct builder *b, int x)
{
	struct attrs axes = {.n_axes = 1};
	return build_node(b, OP_REDUCE_SUM, &x, 1, &axes, NULL);
}

static int build_bend_sum(struct builder *b, int x) { return build_sum(b, build_bend(b, x)); }

typedef int build_fn(struct builder *b, int x);

/* A case of one program and one point; the request is filled by the caller. */
static struct testcase make_case(build_fn *build, int n, const double *x, struct arena *a)
{
	struct builder b = {0};
	struct testcase c = {.n_point = 1, .n_transform = 1};
	build_begin(&b, a);
	int input = build_input(&b, vector_of(n)), out = build(&b, input);
	CHECK(out >= 0, "program was not built");
	c.program = build_end(&b, &out, 1);
	c.point = NEW(a, struct tensor *, 1);
	c.point[0] = NEW(a, struct tensor, 1);
	c.point[0][0] = tensor_new(a, vector_of(n));
	for (int k = 0; k < n; k++)
		c.point[0][0].at[k].f = x[k];
	c.transform = NEW(a, struct transform, 1);
	return c;
}

/* ---- one number: quotient against the derivative along the path ---- */

struct row {
	const char *name;
	build_fn *build;
	double x, value; /* the claimed derivative */
	enum fd_outcome outcome;
	enum reason reason;
	bool left, right;
	int rungs; /* 0: any */
};

static const struct row rows[] = {
    {"cube", build_cube, .5, .75, FD_AGREES, REASON_NONE, true, true, 2},
    {"cube, wrong by 2^-40", build_cube, .5, .75 + 0x1p-40, FD_DISAGREES, REASON_NONE, true, true, 0},
    {"cube at 0", build_cube, 0, 0, FD_AGREES, REASON_NONE, true, true, 0},
    {"flat at 0", build_flat, 0, 0, FD_AGREES, REASON_NONE, true, true, 0},
    {"slope at 0, claimed flat", build_sin, 0, 0, FD_DISAGREES, REASON_NONE, true, true, 0},
    {"tiny input", build_cube, 0x1p-1070, 0, FD_AGREES, REASON_NONE, true, true, 0},
    {"fast oscillation", build_sin, 0x1p40, NAN, FD_AGREES, REASON_NONE, true, true, 0},
    {"cancellation", build_cancel, 1, 3, FD_AGREES, REASON_NONE, true, true, 0},
    {"cancellation, claimed 0", build_cancel, 1, 0, FD_DISAGREES, REASON_NONE, true, true, 0},
    {"abs away from 0", build_abs, -2, -1, FD_AGREES, REASON_NONE, true, true, 2},
    {"abs at 0", build_abs, 0, 0, FD_ABSTAINS, REASON_ISOLATED_PATH, false, false, 0},
    {"floor inside", build_floor, .5, 0, FD_AGREES, REASON_NONE, true, true, 0},
    {"floor at an integer: the right side stays", build_floor, 3, 0, FD_AGREES, REASON_NONE, false, true, 0},
    {"guarded sqrt at 0: the left side stays", build_guarded_sqrt, 0, 0, FD_AGREES, REASON_NONE, true, false, 0},
    {"bend at 0", build_bend, 0, 2, FD_AGREES, REASON_NONE, true, false, 0},
    {"bend at 0, the other slope", build_bend, 0, 5, FD_DISAGREES, REASON_NONE, true, false, 0},
    {"isolated predicate", build_isolated, 0, 7, FD_ABSTAINS, REASON_ISOLATED_PATH, false, false, 0},
    {"jump", build_jump, 0, 0, FD_ABSTAINS, REASON_JUMP, false, false, 0},
    {"threshold inside the first step", build_near_threshold, 0, 2, FD_AGREES, REASON_NONE, true, true, 0},
    {"stop_gradient is frozen", build_stopped, 3, 3, FD_AGREES, REASON_NONE, true, true, 2},
    {"stop_gradient ignored", build_stopped, 3, 6, FD_DISAGREES, REASON_NONE, true, true, 0},
    {"tie in a branch not taken", build_dead_tie, 0, 3, FD_AGREES, REASON_NONE, false, false, 0},
    {"cusp: does not converge", build_cusp, 0, 1, FD_ABSTAINS, REASON_ILL_CONDITIONED, true, true, 0},
    {"slopes that no step shows", build_steep, 0, -0x1.4p515, FD_ABSTAINS, REASON_ILL_CONDITIONED, true, true, 0},
    {"infinite slope", build_sqrt, 0, 0, FD_ABSTAINS, REASON_NON_FINITE, false, true, 0},
    {"outside the domain", build_log, -1, -1, FD_ABSTAINS, REASON_NON_FINITE, true, true, 0},
};

static void test_quotients(struct fd *fd, struct arena *a)
{
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("quotients: %s", rows[k].name))
			continue;
		const struct row *r = &rows[k];
		struct testcase c = make_case(r->build, 1, &r->x, a);
		struct tensor direction = tensor_new(a, vector_of(1));
		const double weight[] = {1};
		direction.at[0].f = r->x != 0 ? fabs(r->x) : 1;
		double value = isnan(r->value) ? cos(r->x) : r->value, size = fabs(value * direction.at[0].f);
		struct fd_target t = {.count = 1, .known = true, .value = value * direction.at[0].f, .tolerance = size * 0x1p-50,
		    .magnitude = size};
		struct fd_run run = {.direction = &direction, .weight = weight, .n_target = 1, .target = &t};
		fd_begin(fd, &c, 0, a);
		CHECK(fd_components(fd) == 1, "%d", fd_components(fd));
		fd_measure(fd, &run, a);
		CHECK(t.outcome == r->outcome, "%s: outcome %d, quotient %a, error %a", r->name, (int)t.outcome, t.quotient, t.error);
		CHECK(t.reason == r->reason, "%s: reason %d", r->name, (int)t.reason);
		CHECK(!r->rungs || run.n_rung == r->rungs, "%s: %d rungs", r->name, run.n_rung);
		if (r->reason != REASON_NON_FINITE)
			CHECK(run.left == r->left && run.right == r->right, "%s: left %d right %d", r->name, run.left, run.right);
		if (t.outcome == FD_AGREES)
			CHECK(fabs(t.quotient - t.value) <= fmax(size, 1) * 0x1p-50, "%s: %a", r->name, t.quotient);
	}
}

/* A quotient that is not compared is good to more than binary64. */
static void test_unknown(struct fd *fd, struct arena *a)
{
	const double x = .3, weight[] = {1};
	struct testcase c = make_case(build_cube, 1, &x, a);
	struct tensor direction = tensor_new(a, vector_of(1));
	direction.at[0].f = 1;
	struct fd_target t = {.count = 1, .tolerance = 1e-16, .magnitude = .27};
	struct fd_run run = {.direction = &direction, .weight = weight, .step = -4, .n_target = 1, .target = &t};
	fd_begin(fd, &c, 0, a);
	fd_measure(fd, &run, a);
	double want = 3 * (x * x), want_low = 3 * fma(x, x, -(x * x)) + fma(3, x * x, -want);
	CHECK(t.outcome == FD_AGREES, "%d", (int)t.outcome);
	CHECK(fabs((t.quotient - want) + (t.quotient_low - want_low)) <= t.error, "%a %a", t.quotient, t.error);
}

/* ---- cross check: what becomes undecided ---- */

/* A truth whose single derivative tensor has these values, tight 2^-50 relative. */
static struct truth_point make_truth(int n_primal, int n, const double *value, struct arena *a)
{
	struct truth_point t = {.n_primal = 1, .n_derivative = 1, .n_assignment = 1, .edge = true};
	t.primal = NEW(a, struct truth_tensor, 1);
	t.primal[0] = (struct truth_tensor){*vector_of(n_primal), NEW(a, struct component, n_primal)};
	if (n_primal == 1)
		t.primal[0].type.shape.rank = 0;
	t.derivative = NEW(a, struct truth_tensor *, 1);
	t.derivative[0] = NEW(a, struct truth_tensor, 1);
	t.derivative[0][0] = (struct truth_tensor){*vector_of(n), NEW(a, struct component, n)};
	for (int k = 0; k < n; k++)
		t.derivative[0][0].at[k] = (struct component){.value = value[k], .tight = fabs(value[k]) * 0x1p-50,
		    .loose = fabs(value[k]) * 0x1p-48, .magnitude = fabs(value[k])};
	return t;
}

struct mixed {
	const char *name;
	build_fn *build;
	bool jvp, by_coordinate, scalar;
	double x[3], seed[3], value[3];
	enum fd_outcome outcome;
	enum reason reason[3];
	bool both_sides; /* must share the path */
};

static const struct mixed mixed[] = {
    {"vjp smooth", build_cube, false, false, false, {.5, -2, 3}, {1, 1, -2}, {.75, 12, -54}, FD_AGREES, {REASON_NONE}},
    {"vjp, one isolated", build_isolated, false, false, false, {1, 0, 2}, {1, 1, 1}, {3, 7, 3}, FD_ABSTAINS,
        {REASON_NONE, REASON_ISOLATED_PATH, REASON_NONE}},
    {"vjp, one jumps", build_jump, false, false, false, {1, 5, 0}, {1, 1, 1}, {1, 1, 0}, FD_ABSTAINS,
        {REASON_NONE, REASON_NONE, REASON_JUMP}},
    {"vjp, bends at zeros", build_bend, false, false, false, {0, 0, 0}, {1, -1, 1}, {2, -2, 2}, FD_AGREES, {REASON_NONE}},
    {"vjp, one wrong", build_cube, false, false, false, {.5, -2, 3}, {1, 1, 1}, {.75, 12.5, 27}, FD_DISAGREES,
        {REASON_NONE, REASON_ORACLE, REASON_NONE}},
    {"vjp, coordinates", build_cube, false, true, false, {.5, -2, 3}, {1, 1, 1}, {.75, 12, 27}, FD_AGREES, {REASON_NONE}},
    /* Beside 2e18 the first is not seen in a sum. */
    {"vjp, a small one wrong", build_cube, false, true, false, {1, 0x1p20, 1}, {1, 1, 1}, {3.000001, 0x1.8p41, 3}, FD_DISAGREES,
        {REASON_ORACLE, REASON_NONE, REASON_NONE}},
    {"vjp, sum", build_bend_sum, false, true, true, {0, 1, -1}, {1, 0, 0}, {2, 5, 2}, FD_AGREES, {REASON_NONE}},
    {"jvp smooth", build_cube, true, false, false, {.5, -2, 3}, {1, 0, -2}, {.75, 0, -54}, FD_AGREES, {REASON_NONE}},
    {"jvp, one wrong", build_cube, true, false, false, {.5, -2, 3}, {1, 0, -2}, {.75, 0, 54}, FD_DISAGREES,
        {REASON_NONE, REASON_NONE, REASON_ORACLE}},
    {"jvp, bends left on both sides", build_bend, true, false, false, {0, 0, 1}, {1, -1, 1}, {2, -2, 5}, FD_AGREES, {REASON_NONE}},
    {"jvp, the same, one wrong", build_bend, true, false, false, {0, 0, 1}, {1, -1, 1}, {2, -5, 5}, FD_DISAGREES,
        {REASON_NONE, REASON_ORACLE, REASON_NONE}},
    {"jvp, the step follows the smallest input", build_bend, true, false, false, {1e-80, -1e-80, -3}, {1, 1, 1}, {5, 2, 2}, FD_AGREES,
        {REASON_NONE}, .both_sides = true},
    {"jvp, isolated", build_isolated, true, false, false, {0, 1, 1}, {1, 1, 0}, {7, 3, 0}, FD_ABSTAINS,
        {REASON_ISOLATED_PATH, REASON_NONE, REASON_NONE}},
};

static void test_cross_check(struct fd *fd, struct arena *a)
{
	for (size_t k = 0; k < sizeof mixed / sizeof *mixed; k++) {
		if (!row_wanted("cross check: %s", mixed[k].name))
			continue;
		const struct mixed *m = &mixed[k];
		struct cross_check check = {.fd = fd, .seed = k};
		struct testcase c = make_case(m->build, 3, m->x, a);
		int wrt = 0, n_seed = m->scalar ? 1 : 3;
		c.transform[0] = (struct transform){.kind = m->jvp ? TRANSFORM_JVP : TRANSFORM_VJP, .n_wrt = 1, .wrt = &wrt, .n_seed = 1};
		struct tensor seed = tensor_new(a, m->scalar ? vector_of(1) : vector_of(3));
		for (int e = 0; e < n_seed; e++)
			seed.at[e].f = m->seed[e];
		c.transform[0].seed = &seed;
		struct truth_point t = make_truth(m->scalar ? 1 : 3, 3, m->value, a);
		(m->by_coordinate ? cross_check_coordinates : cross_check_direction)(&check, &c, 0, &t, a);
		CHECK(t.fd.outcome == m->outcome, "%s: %d, quotient %a", m->name, (int)t.fd.outcome, t.fd.quotient);
		for (int e = 0; e < 3; e++)
			CHECK(t.derivative[0][0].at[e].reason == m->reason[e], "%s: component %d has reason %d", m->name, e,
			    (int)t.derivative[0][0].at[e].reason);
		CHECK(check.fd_disagreements == (m->outcome == FD_DISAGREES), "%s: %d", m->name, (int)check.fd_disagreements);
		CHECK(!m->both_sides || (t.fd.left && t.fd.right), "%s: left %d right %d", m->name, t.fd.left, t.fd.right);
		CHECK(check.fd_runs > 0, "%s", m->name);
	}
	/* At a kink, conventions decide: no run. */
	struct cross_check check = {.fd = fd};
	struct testcase c = make_case(build_abs, 3, mixed[3].x, a);
	int wrt = 0;
	struct tensor seed = tensor_new(a, vector_of(3));
	c.transform[0] = (struct transform){.kind = TRANSFORM_VJP, .n_wrt = 1, .wrt = &wrt, .n_seed = 1, .seed = &seed};
	struct truth_point t = make_truth(3, 3, mixed[3].value, a);
	t.kink = true;
	cross_check_direction(&check, &c, 0, &t, a);
	if (all_wanted())
		CHECK(t.fd.outcome == FD_ABSTAINS && t.fd.reason == REASON_CONVENTION && check.fd_runs == 0, "%d", (int)t.fd.outcome);
}

int main(int argc, char **argv)
{
	struct arena a;
	check_begin(argc, argv);
	arena_init(&a, 1 << 26);
	mp_setup();
	struct fd *fd = fd_open(&oracle_rules_right);
	test_quotients(fd, &a);
	CHECK_LAW(test_unknown(fd, &a));
	test_cross_check(fd, &a);
	fd_close(fd);
	mpfr_free_cache();
	arena_free(&a);
	return check_done();
}

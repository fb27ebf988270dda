/* test_finite_difference.c: quotients against closed forms, and what is said where there is no derivative. */
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <string.h>

#include "oracles/differences/cross_check.h"
#include "oracles/oracle_rules.h"
#include "oracles/evaluate/elementary.h"
#include "oracles/evaluate/scalar_ops.h"

/* ---- programs of one vector x (f64[n]), result f64[n] ---- */

static const struct type *vector_of(int n)
{
	static const struct type t[4] = {
	    {DTYPE_F64, {1, {0}}}, {DTYPE_F64, {1, {1}}}, {DTYPE_F64, {1, {2}}}, {DTYPE_F64, {1, {3}}}};
	return &t[n];
}

static const char sine[] = "y = sin x", cube[] = "s = mul x, x; y = mul x, s", magnitude[] = "y = abs x";
static const char step[] = "y = floor x", root[] = "y = sqrt x", logarithm[] = "y = log x";

/* 5 x^3 - x^4 */
static const char flat[] = "s = mul x, x; c = mul x, s; p = mul 5, c; q = mul c, x; y = sub p, q";

/* 3 x + 2^66 - 2^66: loses all of binary64, but no oracle. */
static const char cancel[] = "p = mul x, 3; big = constant 0x1p66; q = add p, big; y = sub q, big";

/* where(x > 0, sqrt(x), 0) */
static const char guarded_root[] = "p = gt x, 0; r = sqrt x; y = select p, r, 0";

/* where(x > 0, 5 x, 2 x): continuous, path derivative 2 at 0 */
#define BEND(out) "p = gt x, 0; u = mul x, 5; v = mul x, 2; " out " = select p, u, v"
static const char bend[] = BEND("y"), bend_sum[] = BEND("s") "; y = reduce_sum s axes=[0]";

/* where(x == 0, 7 x, 3 x): the path at 0 is taken nowhere else */
static const char isolated[] = "p = eq x, 0; u = mul x, 7; v = mul x, 3; y = select p, u, v";

/* where(x == 0, 4, x) */
static const char jump[] = "p = eq x, 0; y = select p, 4, x";

/* where(x > 1e-20, x, 2 x): the first step jumps over the threshold, later ones do not */
static const char near_threshold[] = "p = gt x, 1e-20; v = mul x, 2; y = select p, x, v";

/* x * stop_gradient(x) */
static const char stopped[] = "s = stop_gradient x; y = mul x, s";

/* A tie in a branch not taken: where(x > -1, 3 x, max(x, 0)) at 0 is seen as a tie, but changes nothing. */
static const char dead_tie[] = "dead = max x, 0; p = gt x, -1; u = mul x, 3; y = select p, u, dead";

/*
 * The sum of three atan(2^514 x (x + v)): pi/2 on either side of 0 at every step that is not far shorter, as of a
 * function that is flat there.
 */
#define STEEP(out, v) \
	"s" out " = add x, " v "; m" out " = mul x, s" out "; n" out " = mul 0x1p514, m" out "; " out " = atan n" out \
	"\n"
static const char steep[] = STEEP("a", "-3") STEEP("b", "0") STEEP("c", "0.5") "d = add b, c; y = add a, d";

/* Ops that bend within 2^-300 of 0, hardly move, and look flat from there on, beside a line. */
static const char far_power[] =
    "m = mul 0x1p514, x; u = add m, 3; v = pow u, 0x1p-1000; w = mul 0x1p-512, x; y = sub v, w";
static const char far_atan[] =
    "m = mul 0x1p400, x; u = add m, 0x1p60; q = mul u, u; v = atan q; w = mul 0x1p190, x; y = add v, w";

/* sqrt(x^2): a kink that is no event */
static const char cusp[] = "s = mul x, x; y = sqrt s";

/* A case of one program and one point; the request is filled by the caller. */
static struct testcase make_case(const char *body, int n, const double *x, struct arena *a)
{
	const char *point = "";
	struct testcase c;

	for (int k = 0; k < n; k++)
		point = arena_printf(a, "%s%s%a", point, k ? ", " : "", x[k]);
	c = test_function(a, arena_printf(a, "x: f64[%d]", n), body, arena_printf(a, "[%s]", point), "");
	c.n_transform = 1;
	c.transform = NEW(a, struct transform, 1);
	return c;
}

/* ---- one number: quotient against the derivative along the path ---- */

struct row {
	const char *name;
	const char *body;
	double x, value; /* the claimed derivative */
	enum fd_outcome outcome;
	enum reason reason;
	bool left, right;
	int rungs; /* 0: any */
};

static const struct row rows[] = {
    {"cube", cube, .5, .75, FD_AGREES, REASON_NONE, true, true, 2},
    {"cube, wrong by 2^-40", cube, .5, .75 + 0x1p-40, FD_DISAGREES, REASON_NONE, true, true, 0},
    {"cube at 0", cube, 0, 0, FD_AGREES, REASON_NONE, true, true, 0},
    {"flat at 0", flat, 0, 0, FD_AGREES, REASON_NONE, true, true, 0},
    {"slope at 0, claimed flat", sine, 0, 0, FD_DISAGREES, REASON_NONE, true, true, 0},
    {"tiny input", cube, 0x1p-1070, 0, FD_AGREES, REASON_NONE, true, true, 0},
    {"fast oscillation", sine, 0x1p40, NAN, FD_AGREES, REASON_NONE, true, true, 0},
    {"cancellation", cancel, 1, 3, FD_AGREES, REASON_NONE, true, true, 0},
    {"cancellation, claimed 0", cancel, 1, 0, FD_DISAGREES, REASON_NONE, true, true, 0},
    {"abs away from 0", magnitude, -2, -1, FD_AGREES, REASON_NONE, true, true, 2},
    {"abs at 0", magnitude, 0, 0, FD_ABSTAINS, REASON_ISOLATED_PATH, false, false, 0},
    {"floor inside", step, .5, 0, FD_AGREES, REASON_NONE, true, true, 0},
    {"floor at an integer: the right side stays", step, 3, 0, FD_AGREES, REASON_NONE, false, true, 0},
    {"guarded sqrt at 0: the left side stays", guarded_root, 0, 0, FD_AGREES, REASON_NONE, true, false, 0},
    {"bend at 0", bend, 0, 2, FD_AGREES, REASON_NONE, true, false, 0},
    {"bend at 0, the other slope", bend, 0, 5, FD_DISAGREES, REASON_NONE, true, false, 0},
    {"isolated predicate", isolated, 0, 7, FD_ABSTAINS, REASON_ISOLATED_PATH, false, false, 0},
    {"jump", jump, 0, 0, FD_ABSTAINS, REASON_JUMP, false, false, 0},
    {"threshold inside the first step", near_threshold, 0, 2, FD_AGREES, REASON_NONE, true, true, 0},
    {"stop_gradient is frozen", stopped, 3, 3, FD_AGREES, REASON_NONE, true, true, 2},
    {"stop_gradient ignored", stopped, 3, 6, FD_DISAGREES, REASON_NONE, true, true, 0},
    {"tie in a branch not taken", dead_tie, 0, 3, FD_AGREES, REASON_NONE, false, false, 0},
    {"cusp: does not converge", cusp, 0, 1, FD_ABSTAINS, REASON_ILL_CONDITIONED, true, true, 0},
    {"slopes that no step shows", steep, 0, -0x1.4p515, FD_ABSTAINS, REASON_ILL_CONDITIONED, true, true, 0},
    {"a power far from its base", far_power, 0, 0x1p-486 / 3 - 0x1p-512, FD_ABSTAINS, REASON_ILL_CONDITIONED, false,
        true, 0},
    {"an atan far from its bend", far_atan, 0, 0x1p221 + 0x1p190, FD_ABSTAINS, REASON_ILL_CONDITIONED, true, true, 0},
    {"infinite slope", root, 0, 0, FD_ABSTAINS, REASON_NON_FINITE, false, true, 0},
    {"outside the domain", logarithm, -1, -1, FD_ABSTAINS, REASON_NON_FINITE, true, true, 0},
};

static void test_quotients(struct fd *fd, struct arena *a)
{
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("quotients: %s", rows[k].name))
			continue;
		const struct row *r = &rows[k];
		struct testcase c = make_case(r->body, 1, &r->x, a);
		struct tensor direction = tensor_new(a, vector_of(1));
		const double weight[] = {1};
		direction.at[0].f = r->x != 0 ? fabs(r->x) : 1;
		double value = isnan(r->value) ? cos(r->x) : r->value, size = fabs(value * direction.at[0].f);
		struct fd_target t = {.count = 1,
		    .known = true,
		    .value = value * direction.at[0].f,
		    .tolerance = size * 0x1p-50,
		    .magnitude = size};
		struct fd_run run = {.direction = &direction, .weight = weight, .n_target = 1, .target = &t};
		fd_begin(fd, &c, 0, a);
		CHECK(fd_components(fd) == 1, "%d", fd_components(fd));
		fd_measure(fd, &run, a);
		CHECK(t.outcome == r->outcome, "%s: outcome %d, quotient %a, error %a", r->name, (int)t.outcome,
		    t.quotient, t.error);
		CHECK(t.reason == r->reason, "%s: reason %d", r->name, (int)t.reason);
		CHECK(!r->rungs || run.n_rung == r->rungs, "%s: %d rungs", r->name, run.n_rung);
		if (r->reason != REASON_NON_FINITE)
			CHECK(run.left == r->left && run.right == r->right, "%s: left %d right %d", r->name, run.left,
			    run.right);
		if (t.outcome == FD_AGREES)
			CHECK(fabs(t.quotient - t.value) <= fmax(size, 1) * 0x1p-50, "%s: %a", r->name, t.quotient);
	}
}

/* A quotient that is not compared is good to more than binary64, or none. */
static void test_unknown(struct fd *fd, struct arena *a)
{
	const double x = .3, weight[] = {1};
	struct testcase c = make_case(cube, 1, &x, a);
	struct tensor direction = tensor_new(a, vector_of(1));
	direction.at[0].f = 1;
	struct fd_target t = {.count = 1, .tolerance = 1e-16, .magnitude = .27};
	struct fd_run run = {.direction = &direction, .weight = weight, .step = -4, .n_target = 1, .target = &t};
	fd_begin(fd, &c, 0, a);
	fd_measure(fd, &run, a);
	double want = 3 * (x * x), want_low = 3 * fma(x, x, -(x * x)) + fma(3, x * x, -want);
	CHECK(t.outcome == FD_AGREES, "%d", (int)t.outcome);
	CHECK(fabs((t.quotient - want) + (t.quotient_low - want_low)) <= t.error, "%a %a", t.quotient, t.error);

	/* Flat at every step, and steeper than any. */
	const double zero = 0;
	c = make_case(steep, 1, &zero, a);
	t = (struct fd_target){.count = 1, .tolerance = 1e-16, .magnitude = 1};
	fd_begin(fd, &c, 0, a);
	fd_measure(fd, &run, a);
	CHECK(t.outcome == FD_ABSTAINS && t.reason == REASON_ILL_CONDITIONED, "%d %d", (int)t.outcome, (int)t.reason);
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
		t.derivative[0][0].at[k] = (struct component){.value = value[k],
		    .tight = fabs(value[k]) * 0x1p-50,
		    .loose = fabs(value[k]) * 0x1p-48,
		    .magnitude = fabs(value[k])};
	return t;
}

struct mixed {
	const char *name;
	const char *body;
	bool jvp, by_coordinate, scalar;
	double x[3], seed[3], value[3];
	enum fd_outcome outcome;
	enum reason reason[3];
	bool both_sides; /* must share the path */
};

static const struct mixed mixed[] = {
    {"vjp smooth", cube, false, false, false, {.5, -2, 3}, {1, 1, -2}, {.75, 12, -54}, FD_AGREES, {REASON_NONE}},
    {"vjp, one isolated", isolated, false, false, false, {1, 0, 2}, {1, 1, 1}, {3, 7, 3}, FD_ABSTAINS,
        {REASON_NONE, REASON_ISOLATED_PATH, REASON_NONE}},
    {"vjp, one jumps", jump, false, false, false, {1, 5, 0}, {1, 1, 1}, {1, 1, 0}, FD_ABSTAINS,
        {REASON_NONE, REASON_NONE, REASON_JUMP}},
    {"vjp, bends at zeros", bend, false, false, false, {0, 0, 0}, {1, -1, 1}, {2, -2, 2}, FD_AGREES, {REASON_NONE}},
    {"vjp, one wrong", cube, false, false, false, {.5, -2, 3}, {1, 1, 1}, {.75, 12.5, 27}, FD_DISAGREES,
        {REASON_NONE, REASON_ORACLE, REASON_NONE}},
    {"vjp, coordinates", cube, false, true, false, {.5, -2, 3}, {1, 1, 1}, {.75, 12, 27}, FD_AGREES, {REASON_NONE}},
    /* Beside 2e18 the first is not seen in a sum. */
    {"vjp, a small one wrong", cube, false, true, false, {1, 0x1p20, 1}, {1, 1, 1}, {3.000001, 0x1.8p41, 3},
        FD_DISAGREES, {REASON_ORACLE, REASON_NONE, REASON_NONE}},
    {"vjp, sum", bend_sum, false, true, true, {0, 1, -1}, {1, 0, 0}, {2, 5, 2}, FD_AGREES, {REASON_NONE}},
    {"jvp smooth", cube, true, false, false, {.5, -2, 3}, {1, 0, -2}, {.75, 0, -54}, FD_AGREES, {REASON_NONE}},
    {"jvp, one wrong", cube, true, false, false, {.5, -2, 3}, {1, 0, -2}, {.75, 0, 54}, FD_DISAGREES,
        {REASON_NONE, REASON_NONE, REASON_ORACLE}},
    {"jvp, bends left on both sides", bend, true, false, false, {0, 0, 1}, {1, -1, 1}, {2, -2, 5}, FD_AGREES,
        {REASON_NONE}},
    {"jvp, the same, one wrong", bend, true, false, false, {0, 0, 1}, {1, -1, 1}, {2, -5, 5}, FD_DISAGREES,
        {REASON_NONE, REASON_ORACLE, REASON_NONE}},
    {"jvp, the step follows the smallest input", bend, true, false, false, {1e-80, -1e-80, -3}, {1, 1, 1}, {5, 2, 2},
        FD_AGREES, {REASON_NONE}, .both_sides = true},
    {"jvp, isolated", isolated, true, false, false, {0, 1, 1}, {1, 1, 0}, {7, 3, 0}, FD_ABSTAINS,
        {REASON_ISOLATED_PATH, REASON_NONE, REASON_NONE}},
};

static void test_cross_check(struct fd *fd, struct arena *a)
{
	for (size_t k = 0; k < sizeof mixed / sizeof *mixed; k++) {
		if (!row_wanted("cross check: %s", mixed[k].name))
			continue;
		const struct mixed *m = &mixed[k];
		struct cross_check check = {.fd = fd, .seed = k};
		struct testcase c = make_case(m->body, 3, m->x, a);
		int wrt = 0, n_seed = m->scalar ? 1 : 3;
		c.transform[0] = (struct transform){
		    .kind = m->jvp ? TRANSFORM_JVP : TRANSFORM_VJP, .n_wrt = 1, .wrt = &wrt, .n_seed = 1};
		struct tensor seed = tensor_new(a, m->scalar ? vector_of(1) : vector_of(3));
		for (int e = 0; e < n_seed; e++)
			seed.at[e].f = m->seed[e];
		c.transform[0].seed = &seed;
		struct truth_point t = make_truth(m->scalar ? 1 : 3, 3, m->value, a);
		(m->by_coordinate ? cross_check_coordinates : cross_check_direction)(&check, &c, 0, &t, a);
		CHECK(t.fd.outcome == m->outcome, "%s: %d, quotient %a", m->name, (int)t.fd.outcome, t.fd.quotient);
		for (int e = 0; e < 3; e++)
			CHECK(t.derivative[0][0].at[e].reason == m->reason[e], "%s: component %d has reason %d",
			    m->name, e, (int)t.derivative[0][0].at[e].reason);
		CHECK(check.fd_disagreements == (m->outcome == FD_DISAGREES), "%s: %d", m->name,
		    (int)check.fd_disagreements);
		CHECK(!m->both_sides || (t.fd.left && t.fd.right), "%s: left %d right %d", m->name, t.fd.left,
		    t.fd.right);
		CHECK(check.fd_runs > 0, "%s", m->name);
	}
	/* At a kink, conventions decide: no run. */
	struct cross_check check = {.fd = fd};
	struct testcase c = make_case(magnitude, 3, mixed[3].x, a);
	int wrt = 0;
	struct tensor seed = tensor_new(a, vector_of(3));
	c.transform[0] = (struct transform){.kind = TRANSFORM_VJP, .n_wrt = 1, .wrt = &wrt, .n_seed = 1, .seed = &seed};
	struct truth_point t = make_truth(3, 3, mixed[3].value, a);
	t.kink = true;
	cross_check_direction(&check, &c, 0, &t, a);
	if (all_wanted())
		CHECK(t.fd.outcome == FD_ABSTAINS && t.fd.reason == REASON_CONVENTION && check.fd_runs == 0, "%d",
		    (int)t.fd.outcome);
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
	elementary_free_cache();
	arena_free(&a);
	return check_done();
}

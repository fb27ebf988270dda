/*
 * What finite differences say of themselves: the error estimate is a bound where they have converged, and where there
 * is no derivative, or none that a neighbourhood shows, what each oracle says and which reason is left.
 */
#include "oracles/analytic/analytic.h"
#include "oracles/differences/cross_check.h"
#include "oracles/differences/finite_difference_mixed.h"
#include "oracles/oracle_rules.h"
#include "oracles/evaluate/scalar_ops.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <string.h>

/* ---- the estimate is a bound ---- */

static const char *const functions[] = {
    "y = sin x",
    "y = tanh x",
    "y = exp x",
    "y = log x",
    "y = sqrt x",
    "y = atan x",
    "y = erf x",
    "y = logistic x",
    "s = mul x, x; y = mul s, x",
    /*
     * what a number of 128 bits has of x beside 2^66, made large again: more than the largest scalar lets expect is
     * lost
     */
    "c = constant 0x1p66; s = add x, c; d = sub s, c; y = sin d",
    "c = constant 0x1p66; s = add x, c; d = sub s, c; y = log d",
    "c = constant 1; s = add x, c; d = sub s, c; y = sqrt d",
    "c = constant 1; s = add x, c; d = sub s, c; y = rsqrt d",
    /* steps that are long beside the period */
    "d = mul x, 0x1p40; y = sin d",
    "d = mul x, 0x1p70; y = tanh d",
    "d = mul x, 0x1p70; y = atan d",
    /* tiny and huge results */
    "c = constant 0x1p-200; d = sin x; y = mul d, c",
    "c = constant 0x1p300; d = sin x; y = mul d, c",
    /* powers that a step approaches slowly */
    "y = pow x, 1.5",
    "y = pow x, 2.25",
    "c = constant 1.25; s = square x; y = pow s, c",
    /* an iteration */
    "y = fixed_point (x) meaning=solution cap=60 {\n"
    "  params a: f64[]\n"
    "  e = atan a\n"
    "  g = mul e, 0.5\n"
    "  h = sin x\n"
    "  i = add g, h\n"
    "  t = constant 0x1p-40\n"
    "  k = sub i, a\n"
    "  l = abs k\n"
    "  m = le l, t\n"
    "  yield i, m\n"
    "}",
};

static const char *const points[] = {"0", "0.5", "-2", "3", "0x1p-30", "-0x1p-30", "0x1.3p-100", "1", "-0.75",
    "0x1.7p20", "0x1.921fb54442d18p+1", "0x1p-600"};

/* |quotient - value| <= error where it has converged, not knowing the value, whatever the step begins with. */
static void test_bound(struct analytic *analytic, struct fd *fd, struct arena *a)
{
	int converged = 0;
	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
		if (!row_wanted("bound: %s", functions[f]))
			continue;
		for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
			for (int longer = 0; longer <= 30; longer += 15) {
				arena_reset(a);
				struct testcase c = test_function(a, "x: f64[]", functions[f], points[k], "vjp");
				struct truth_point truth;
				analytic_truth(analytic, &c, 0, a, &truth);
				const struct component *g = truth.derivative[0][0].at;
				if (g->reason != REASON_NONE || truth.primal[0].at[0].reason != REASON_NONE ||
				    truth.kink)
					continue;
				double x = c.point[0][0].at[0].f;
				const double weight[] = {1};
				struct tensor direction = tensor_new(a, &c.point[0][0].type);
				direction.at[0].f = x != 0 ? ldexp(1, ilogb(x)) : 1;
				int scale = g->magnitude > 0 ? ilogb(g->magnitude) + ilogb(direction.at[0].f) : 0;
				struct fd_target t = {.count = 1,
				    .scale = scale,
				    .magnitude = ldexp(g->magnitude, ilogb(direction.at[0].f) - scale)};
				struct fd_run run = {.direction = &direction,
				    .step = longer - 1,
				    .weight = weight,
				    .n_target = 1,
				    .target = &t};
				fd_begin(fd, &c, 0, a);
				fd_measure(fd, &run, a);
				if (t.outcome != FD_AGREES)
					continue;
				converged++;
				double value = ldexp(g->value, ilogb(direction.at[0].f) - scale),
				       low = ldexp(g->low, ilogb(direction.at[0].f) - scale);
				double gap = fabs((t.quotient - value) + (t.quotient_low - low));
				CHECK(gap <= t.error + ldexp(t.magnitude, -90),
				    "%s at %s: apart by %g, estimate %g, %d bits, step 2^%d", functions[f], points[k],
				    gap, t.error, run.precision, run.log_step);
				CHECK(t.error <= fmax(ldexp(t.magnitude, -56), 0x1p-30), "%s at %s: estimate %g",
				    functions[f], points[k], t.error);
			}
		}
	}
	if (all_wanted())
		CHECK(converged > 400, "%d measurements", converged);
}

/*
 * The same of the second derivative, by mixed differences, which are told the value: of those that agree |excess| <=
 * error, of a value that is off by 2^-40 |excess - what it is off by| <= error, and none agrees.
 */
static void test_second_bound(struct analytic *analytic, struct fd_mixed *mixed, struct arena *a)
{
	int converged = 0, refuted = 0;
	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
		if (!row_wanted("second bound: %s", functions[f]))
			continue;
		for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
			for (int wrong = 0; wrong < 2; wrong++) {
				arena_reset(a);
				struct testcase c = test_function(a, "x: f64[]", functions[f], points[k], "vjp");
				double x = c.point[0][0].at[0].f, move = x != 0 ? ldexp(1, ilogb(x)) : 1;
				struct transform request[] = {c.transform[0],
				    {.kind = TRANSFORM_JVP, .n_wrt = 1, .wrt = c.transform[0].wrt, .n_seed = 1}};
				struct tensor along = tensor_new(a, &c.point[0][0].type);
				struct truth_point truth;
				along.at[0].f = 1;
				request[1].seed = &along;
				c.transform = request;
				c.n_transform = 2;
				analytic_truth(analytic, &c, 0, a, &truth);
				const struct component *g = truth.derivative[0][0].at;
				int scale = g->magnitude > 0 ? ilogb(g->magnitude) : 0;
				double value = ldexp(g->value, -scale), told = wrong ? value * (1 + 0x1p-40) : value,
				       off = told - value, size = ldexp(fmax(g->magnitude, fabs(g->value)), -scale);
				if (g->reason != REASON_NONE || truth.primal[0].at[0].reason != REASON_NONE ||
				    truth.kink || (wrong && (size == 0 || fabs(off) < ldexp(size, -45))))
					continue;
				const double weight[] = {1};
				/* steps are relative to x, and quotients not */
				const struct fd_direction both[] = {
				    {&along, ilogb(move) - 1}, {&along, ilogb(move) - 1}};
				struct fd_target t = {.count = 1,
				    .scale = scale,
				    .known = true,
				    .value = told,
				    .low = ldexp(g->low, -scale),
				    .magnitude = size};
				struct fd_run run = {.weight = weight, .n_target = 1, .target = &t};
				fd_mixed_measure(mixed, &c, 0, both, 2, &run, a);
				CHECK(t.outcome != (wrong ? FD_AGREES : FD_DISAGREES), "%s'' at %s: %a, quotient %a",
				    functions[f], points[k], t.value, t.quotient);
				if (t.outcome != (wrong ? FD_DISAGREES : FD_AGREES))
					continue;
				wrong ? refuted++ : converged++;
				CHECK(fabs(t.excess + off) <= t.error + ldexp(size, -90),
				    "%s'' at %s: apart by %g, estimate %g, %d bits", functions[f], points[k],
				    t.excess + off, t.error, run.precision);
				CHECK(size == 0 || t.excess == 0 || t.error <= ldexp(size, -44),
				    "%s'' at %s: estimate %g", functions[f], points[k], t.error);
			}
		}
	}
	if (all_wanted())
		CHECK(converged > 120 && refuted > 100, "%d measurements, %d of a wrong value", converged, refuted);
}

static bool any_path(const struct evaluation *ev, uint64_t path) { return (void)ev, (void)path, true; }

/*
 * 5 x^2 where x > 0, else 2 x^2, at 0: the left side shares the path, and mixed differences that do not compare paths
 * take the other.
 */
static void test_second_path(struct analytic *analytic, struct fd *fd, struct fd_mixed *mixed, struct arena *a)
{
	struct oracle_rules lost = oracle_rules_right;
	lost.same_path = any_path;
	struct fd_mixed *astray = fd_mixed_open(&lost);
	for (int faulty = 0; faulty < 2; faulty++) {
		arena_reset(a);
		struct testcase c = test_function(a, "x: f64[]",
		    "z = constant 0\n"
		    "two = constant 2\n"
		    "five = constant 5\n"
		    "s = square x\n"
		    "p = gt x, z\n"
		    "u = mul s, five\n"
		    "v = mul s, two\n"
		    "y = select p, u, v",
		    "0", "vjp");
		struct cross_check check = {.fd = fd, .mixed = faulty ? astray : mixed, .seed = 1};
		struct transform request[] = {
		    c.transform[0], {.kind = TRANSFORM_JVP, .n_wrt = 1, .wrt = c.transform[0].wrt, .n_seed = 1}};
		struct tensor along = tensor_new(a, &c.point[0][0].type);
		struct truth_point truth;
		along.at[0].f = 1;
		request[1].seed = &along;
		c.transform = request;
		c.n_transform = 2;
		analytic_truth(analytic, &c, 0, a, &truth);
		truth.fd = (struct fd_evidence){.outcome = FD_NOT_RUN, .component = -1};
		cross_check_coordinates(&check, &c, 0, &truth, a);
		CHECK(truth.derivative[0][0].at[0].value == 4, "%g", truth.derivative[0][0].at[0].value);
		CHECK(truth.fd.outcome == (faulty ? FD_DISAGREES : FD_AGREES) && (faulty || truth.fd.left),
		    "paths %s: %d", faulty ? "not compared" : "compared", (int)truth.fd.outcome);
	}
	fd_mixed_close(astray);
}

/* ---- where there is no derivative ---- */

struct row {
	const char *name, *body, *point;
	double value; /* of the analytic oracle, where it has no reason */
	enum reason analytic;
	enum fd_outcome fd;
	enum reason why;  /* the finite differences abstain */
	enum reason left; /* of the component in the end */
};

static const struct row rows[] = {
    /* vertical tangents: the partial is infinite */
    {"sqrt at 0", "y = sqrt x", "0", 0, REASON_NON_FINITE, FD_NOT_RUN, REASON_NONE, REASON_NON_FINITE},
    {"fourth root at 0", "y = pow x, 0.25", "0", 0, REASON_NON_FINITE, FD_NOT_RUN, REASON_NONE, REASON_NON_FINITE},
    {"asin at 1", "y = asin x", "1", 0, REASON_NON_FINITE, FD_NOT_RUN, REASON_NONE, REASON_NON_FINITE},
    {"acos at -1", "y = acos x", "-1", 0, REASON_NON_FINITE, FD_NOT_RUN, REASON_NONE, REASON_NON_FINITE},
    {"acosh at 1", "y = acosh x", "1", 0, REASON_NON_FINITE, FD_NOT_RUN, REASON_NONE, REASON_NON_FINITE},
    {"sqrt(x^2) at 0", "s = mul x, x; y = sqrt s", "0", 0, REASON_NON_FINITE, FD_NOT_RUN, REASON_NONE,
        REASON_NON_FINITE},
    {"cube root at 0, from both sides", "m = abs x; s = sign x; t = pow m, 0x1.5555555555555p-2; y = mul s, t", "0", 0,
        REASON_NON_FINITE, FD_ABSTAINS, REASON_CONVENTION, REASON_NON_FINITE},
    /* poles */
    {"log at 0", "y = log x", "0", 0, REASON_NON_FINITE, FD_NOT_RUN, REASON_NONE, REASON_NON_FINITE},
    {"atanh at 1", "y = atanh x", "1", 0, REASON_NON_FINITE, FD_NOT_RUN, REASON_NONE, REASON_NON_FINITE},
    /* kinks */
    {"norm at 0", "r = reshape x shape=[1]; y = norm r axes=[0]", "0", 0, REASON_NONE, FD_ABSTAINS, REASON_CONVENTION,
        REASON_NONE},
    {"abs at 0", "y = abs x", "0", 0, REASON_NONE, FD_ABSTAINS, REASON_CONVENTION, REASON_NONE},
    {"max(x, 0) at 0", "y = max x, 0", "0", 0.5, REASON_NONE, FD_ABSTAINS, REASON_CONVENTION, REASON_NONE},
    {"clamp at its bound", "y = clamp x, -1, 2", "2", 0.5, REASON_NONE, FD_ABSTAINS, REASON_CONVENTION, REASON_NONE},
    {"5x where x > 0, else 2x, at 0: the left side stays",
        "z = constant 0\n"
        "two = constant 2\n"
        "five = constant 5\n"
        "p = gt x, z\n"
        "u = mul x, five\n"
        "v = mul x, two\n"
        "y = select p, u, v",
        "0", 2, REASON_NONE, FD_AGREES, REASON_NONE, REASON_NONE},
    /* the edge of the domain, with a derivative from inside */
    {"x^1.5 at 0", "y = pow x, 1.5", "0", 0, REASON_NONE, FD_AGREES, REASON_NONE, REASON_NONE},
    {"x^2 by pow at 0", "y = pow x, 2", "0", 0, REASON_NONE, FD_AGREES, REASON_NONE, REASON_NONE},
    {"x^3 by pow at 0", "y = pow x, 3", "0", 0, REASON_NONE, FD_AGREES, REASON_NONE, REASON_NONE},
    /* removable singularities: the branch at 0 is taken nowhere else, but sin(x)/x has the derivative of 1 there */
    {"sin(x)/x at 0",
        "z = constant 0\n"
        "one = constant 1\n"
        "p = eq x, z\n"
        "s = sin x\n"
        "q = div s, x\n"
        "y = select p, one, q",
        "0", 0, REASON_NONE, FD_AGREES, REASON_NONE, REASON_NONE},
    {"tanh(x)/x at 0",
        "z = constant 0\n"
        "one = constant 1\n"
        "p = eq x, z\n"
        "s = tanh x\n"
        "q = div s, x\n"
        "y = select p, one, q",
        "0", 0, REASON_NONE, FD_AGREES, REASON_NONE, REASON_NONE},
    {"expm1(x)/x at 0",
        "z = constant 0\n"
        "one = constant 1\n"
        "p = eq x, z\n"
        "s = expm1 x\n"
        "q = div s, x\n"
        "y = select p, one, q",
        "0", 0, REASON_NONE, FD_ABSTAINS, REASON_ISOLATED_PATH, REASON_ISOLATED_PATH},
    {"log1p(x)/x at 0",
        "z = constant 0\n"
        "one = constant 1\n"
        "p = eq x, z\n"
        "s = log1p x\n"
        "q = div s, x\n"
        "y = select p, one, q",
        "0", 0, REASON_NONE, FD_ABSTAINS, REASON_ISOLATED_PATH, REASON_ISOLATED_PATH},
    {"x log x, 0 at 0: beside it the slope is infinite",
        "z = constant 0; p = eq x, z; l = log x; q = mul x, l; y = select p, z, q", "0", 0, REASON_NONE, FD_ABSTAINS,
        REASON_ISOLATED_PATH, REASON_ISOLATED_PATH},
    {"x^2 log x, 0 at 0",
        "z = constant 0\n"
        "p = eq x, z\n"
        "l = log x\n"
        "t = square x\n"
        "q = mul t, l\n"
        "y = select p, z, q",
        "0", 0, REASON_NONE, FD_AGREES, REASON_NONE, REASON_NONE},
    {"(1 - cos x)/x, 0 at 0: the slope beside it is 1/2",
        "z = constant 0\n"
        "p = eq x, z\n"
        "one = constant 1\n"
        "t = cos x\n"
        "u = sub one, t\n"
        "q = div u, x\n"
        "y = select p, z, q",
        "0", 0, REASON_NONE, FD_ABSTAINS, REASON_ISOLATED_PATH, REASON_ISOLATED_PATH},
    {"cos(x)/x at 0: a pole beside 1",
        "z = constant 0\n"
        "one = constant 1\n"
        "p = eq x, z\n"
        "s = cos x\n"
        "q = div s, x\n"
        "y = select p, one, q",
        "0", 0, REASON_NONE, FD_ABSTAINS, REASON_JUMP, REASON_JUMP},
    /* guards: one side takes the path */
    {"x log x where x > 0, at 0", "z = constant 0; p = gt x, z; l = log x; q = mul x, l; y = select p, q, z", "0", 0,
        REASON_NONE, FD_AGREES, REASON_NONE, REASON_NONE},
    {"sqrt where x > 0, at 0", "z = constant 0; p = gt x, z; q = sqrt x; y = select p, q, z", "0", 0, REASON_NONE,
        FD_AGREES, REASON_NONE, REASON_NONE},
    /* jumps */
    {"sign at 0", "y = sign x", "0", 0, REASON_NONE, FD_ABSTAINS, REASON_JUMP, REASON_JUMP},
    {"floor at 3: the right side stays", "y = floor x", "3", 0, REASON_NONE, FD_AGREES, REASON_NONE, REASON_NONE},
    {"1 where x >= 0, else 0, at 0: the right side stays",
        "z = constant 0; one = constant 1; p = ge x, z; y = select p, one, z", "0", 0, REASON_NONE, FD_AGREES,
        REASON_NONE, REASON_NONE},
    {"1 at 0, 0 elsewhere", "z = constant 0; one = constant 1; p = eq x, z; y = select p, one, z", "0", 0, REASON_NONE,
        FD_ABSTAINS, REASON_JUMP, REASON_JUMP},
    {"3x at 0, 7x elsewhere",
        "z = constant 0\n"
        "three = constant 3\n"
        "seven = constant 7\n"
        "p = eq x, z\n"
        "u = mul x, three\n"
        "v = mul x, seven\n"
        "y = select p, u, v",
        "0", 3, REASON_NONE, FD_ABSTAINS, REASON_ISOLATED_PATH, REASON_ISOLATED_PATH},
};

static void test_classes(struct analytic *analytic, struct fd *fd, struct arena *a)
{
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("classes: %s", rows[k].name))
			continue;
		const struct row *r = &rows[k];
		struct cross_check check = {.fd = fd, .seed = k};
		arena_reset(a);
		struct testcase c = test_function(a, "x: f64[]", r->body, r->point, "vjp");
		struct truth_point truth;
		analytic_truth(analytic, &c, 0, a, &truth);
		const struct component *g = truth.derivative[0][0].at;
		CHECK(g->reason == r->analytic, "%s: the analytic oracle says %s", r->name, reason_names[g->reason]);
		CHECK(g->reason != REASON_NONE || g->value == r->value, "%s: %g", r->name, g->value);
		truth.fd = (struct fd_evidence){.outcome = FD_NOT_RUN, .component = -1};
		cross_check_coordinates(&check, &c, 0, &truth, a);
		CHECK(truth.fd.outcome == r->fd, "%s: finite differences say %d, %s", r->name, (int)truth.fd.outcome,
		    reason_names[truth.fd.reason]);
		CHECK(
		    truth.fd.reason == r->why, "%s: finite differences say %s", r->name, reason_names[truth.fd.reason]);
		CHECK(g->reason == r->left, "%s: %s is left", r->name, reason_names[g->reason]);
	}
}

int main(int argc, char **argv)
{
	struct arena a;
	check_begin(argc, argv);
	arena_init(&a, 1 << 24);
	mp_setup();
	struct analytic *analytic = analytic_open(&oracle_rules_right);
	struct fd *fd = fd_open(&oracle_rules_right);
	struct fd_mixed *mixed = fd_mixed_open(&oracle_rules_right);
	test_bound(analytic, fd, &a);
	test_second_bound(analytic, mixed, &a);
	CHECK_LAW(test_second_path(analytic, fd, mixed, &a));
	test_classes(analytic, fd, &a);
	fd_close(fd);
	fd_mixed_close(mixed);
	analytic_close(analytic);
	arena_free(&a);
	return check_done();
}

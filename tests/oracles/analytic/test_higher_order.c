/*
 * Requests of several jvp and vjp levels: closed forms in every mix, the ball against other formulas in double,
 * kinks, what finite differences see, and laws against the engines.
 */
#include "engines/engine.h"
#include "fuzz/generate/generate.h"
#include "oracles/differences/cross_check.h"
#include "oracles/oracle_rules.h"
#include "oracles/evaluate/elementary.h"
#include "oracles/evaluate/scalar_ops.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "tests/oracles/stacks.h"

#include <math.h>
#include <string.h>

static struct truth_point truth_of(struct oracle *oracle, const struct testcase *c, struct arena *a)
{
	struct truth t;
	oracle_truth(oracle, c, a, &t);
	return t.point[0];
}

/* Whether a component is decided, near `want`, and its ball no wider than `width` units of 2^-53 of its size. */
static void check_component(const struct component *d, double want, double width, const char *what)
{
	CHECK(d->reason == REASON_NONE, "%s: %s", what, reason_names[d->reason]);
	CHECK(fabs(d->value - want) <= 4e-15 * fmax(fabs(want), d->magnitude), "%s: %.17g, not %.17g", what, d->value,
	    want);
	CHECK(d->tight <= width * 0x1p-53 * d->magnitude && d->tight <= d->loose, "%s: radius %g", what,
	    d->tight / d->magnitude);
}

/* ---- one scalar ---- */

static const struct closed_form {
	const char *body, *point;
	double want[2]; /* of order 2 and 3 */
} closed_forms[] = {
    {"y = mul x, x", "3", {2, 0}},
    {"y = square x", "0", {2, 0}},
    {"s = mul x, x; y = mul s, x", "3", {18, 6}},
    {"y = exp x", "1", {2.718281828459045, 2.718281828459045}},
    {"y = sin x", "1", {-0.8414709848078965, -0.5403023058681398}},
    {"y = cos x", "1", {-0.5403023058681398, 0.8414709848078965}},
    {"y = log x", "2", {-0.25, 0.25}},
    {"y = sqrt x", "4", {-0.03125, 0.01171875}},
    {"y = rsqrt x", "4", {0.0234375, -0.0146484375}},
    {"y = tanh x", "1", {-0.639700008449225, 0.6216266807712962}},
    {"y = atan x", "1", {-0.5, 0.5}},
    {"y = logistic x", "1", {-0.09085774767294842, -0.03532558051623565}},
    {"y = erf x", "1", {-0.83021499484118944, 0.83021499484118944}},
    {"y = pow x, 3", "2", {12, 6}},
    {"y = pow x, 3", "-2", {-12, 6}},
    {"y = pow x, 2", "3", {2, 0}},
    {"y = div 2, x", "2", {0.5, -0.75}},
    {"y = floor x", "2.5", {0, 0}},
    {"y = neg x", "2.5", {0, 0}},
    {"s = stop_gradient x; y = mul s, x", "2.5", {0, 0}},
    /* x^5 by a loop. */
    {"y = for (1) trip=5 {\n"
     "  params i, p\n"
     "  q = mul p, x\n"
     "  yield q\n"
     "}",
        "2", {160, 240}},
};

/* All mixes of jvp and vjp, innermost first. */
static void test_closed_forms(struct oracle *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof closed_forms / sizeof *closed_forms; i++)
		if (row_wanted("closed forms: %s at %s", closed_forms[i].body, closed_forms[i].point))
			for (int n = 2; n <= 3; n++)
				for (unsigned mix = 0; mix < 1u << n; mix++) {
					const struct closed_form *f = &closed_forms[i];
					const char *request = "",
					           *what = arena_printf(a, "%s order %d mix %x", f->body, n, mix);
					for (int k = 0; k < n; k++)
						request = arena_printf(a, "%s%s%s", request, k ? "; then " : "",
						    mix >> k & 1 ? "vjp x" : "jvp x");
					struct testcase c = test_function(a, "x: f64[]", f->body, f->point, request);
					struct truth_point t = truth_of(oracle, &c, a);
					CHECK(t.fd.outcome == FD_AGREES, "%s: finite differences say %d (%s)", what,
					    t.fd.outcome, reason_names[t.fd.reason]);
					check_component(&t.derivative[0][0].at[0], f->want[n - 2], 400, what);
				}
}

/* ---- vectors, matrices, two inputs ---- */

static void check_elements(const struct truth_point *t, int which, const double *want, const char *what)
{
	const struct truth_tensor *d = &t->derivative[0][which];
	CHECK(t->fd.outcome == FD_AGREES, "%s: finite differences say %d", what, t->fd.outcome);
	for (int e = 0; e < shape_elements(&d->type.shape); e++)
		check_component(&d->at[e], want[e], 400, what);
}

static void test_vectors(struct oracle *oracle, struct arena *a)
{
	/* x'Ax: the Hessian is A + A'; a row by each mix. */
	const char *quadratic = "m: f64[2,2] = constant [1, 2, 5, 3]\n"
	                        "p = matmul m, x\n"
	                        "y = matmul x, p";
	const char *unit = "jvp x; tangents [0, 1]", *contract = "vjp x; cotangents [0, 1]";
	struct testcase c = test_function(a, "x: f64[2]", quadratic, "[4,-1]", arena_printf(a, "vjp x; then %s", unit));
	struct truth_point t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){7, 6}, "x'Ax, forward over reverse");
	c = test_function(a, "x: f64[2]", quadratic, "[4,-1]", arena_printf(a, "vjp x; then %s", contract));
	t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){7, 6}, "x'Ax, reverse over reverse");
	c = test_function(a, "x: f64[2]", quadratic, "[4,-1]", arena_printf(a, "%s; then vjp x", unit));
	t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){7, 6}, "x'Ax, reverse over forward");
	c = test_function(a, "x: f64[2]", quadratic, "[4,-1]", arena_printf(a, "%s; then %s", unit, unit));
	t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){6}, "x'Ax, forward over forward");

	/* Two inputs, one a level: exp(x y). */
	const char *product = "p = mul x, z; y = exp p";
	c = test_function(a, "x: f64[], z: f64[]", product, "0.5,2", "vjp x; then jvp z");
	t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){2 * 2.718281828459045}, "d2 exp(xz)/dx dz");
	c = test_function(a, "x: f64[], z: f64[]", product, "0.5,2", "jvp z; then vjp");
	t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){2 * 2.718281828459045}, "d2 exp(xz)/dz dx");
	check_elements(&t, 1, (double[]){0.25 * 2.718281828459045}, "d2 exp(xz)/dz dz");

	/*
	 * norm: (I - xx'/n^2)/n; logsumexp: diag(s) - ss'; a product, whose diagonal is 0 and need not be exactly so.
	 */
	c = test_function(a, "x: f64[2]", "y = norm x axes=[0]", "[3,4]", arena_printf(a, "vjp x; then %s", unit));
	t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){-12.0 / 125, 9.0 / 125}, "norm");
	c = test_function(a, "x: f64[2]", "y = logsumexp x axes=[0]", "[0,0]", arena_printf(a, "vjp x; then %s", unit));
	t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){-0.25, 0.25}, "logsumexp");
	c = test_function(
	    a, "x: f64[2]", "y = reduce_prod x axes=[0]", "[3,7]", arena_printf(a, "vjp x; then %s", unit));
	t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){1, 0}, "reduce_prod");
	CHECK(t.derivative[0][0].at[1].tight == 0 && t.derivative[0][0].at[1].loose > 0, "y/x/x - y/x^2 is rounded");
	/* An integer input has zeros. */
	c = test_function(a, "x: f64[], k: i64[]", "y = exp x", "0,3", "vjp x; then vjp");
	t = truth_of(oracle, &c, a);
	check_elements(&t, 0, (double[]){1}, "exp");
	CHECK(t.derivative[0][1].type.dtype == DTYPE_I64 && t.derivative[0][1].at[0].value == 0,
	    "cotangent of an integer");
}

/* ---- kinks, poles, what is absent ---- */

static const struct {
	const char *what, *body, *point;
	enum reason reason;
} edges[] = {
    {"abs at 0", "s = abs x; y = exp s", "0", REASON_CONVENTION},
    {"a tie", "n = neg x; s = max x, n; y = mul s, x", "0", REASON_CONVENTION},
    {"abs beside 0", "s = abs x; y = exp s", "1", REASON_NONE},
    {"sqrt at 0", "y = sqrt x", "0", REASON_NON_FINITE},
    {"log of a negative", "y = log x", "-1", REASON_NON_FINITE},
    {"an overflow", "s = square x; y = square s", "0x1p+300", REASON_OVERFLOW},
    {"a kink that is not on the path", "s = abs 0; t = exp x; y = add s, t", "1", REASON_NONE},
    {"saturation, where 1 - y^2 has no digits", "y = tanh x", "30", REASON_ILL_CONDITIONED},
};

static void test_edges(struct oracle *oracle, struct arena *a)
{
	static const char *const requests[] = {
	    "jvp x; then jvp x", "vjp x; then jvp x", "jvp x; then vjp x", "vjp x; then vjp x"};
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
		if (row_wanted("edges: %s", edges[i].what))
			for (int r = 0; r < 4; r++) {
				struct testcase c = test_function(
				    a, "x: f64[]", edges[i].body, edges[i].point, requests[r]);
				struct truth_point t = truth_of(oracle, &c, a);
				CHECK(t.n_assignment == 1 && t.derivative[0][0].at[0].reason == edges[i].reason,
				    "%s, %d: %s", edges[i].what, r, reason_names[t.derivative[0][0].at[0].reason]);
			}
}

/* ---- the ball against other formulas ---- */

/* Second derivatives in double by formulas that an engine may come by. */
static double tanh_1(double x)
{
	double y = tanh(x);
	return -2 * y * (1 - y * y);
}
static double tanh_2(double x)
{
	double y = tanh(x), d = (1 - y) * (1 + y);
	return (1 - y) * d - d * (1 + y);
}
static double tanh_3(double x)
{
	double s = 1 / cosh(x);
	return -2 * s * (s * s * sinh(x));
}
static double tanh_4(double x)
{
	double e = exp(-2 * x), d = 1 + e;
	return 16 * e * e / (d * d * d) - 8 * e / (d * d);
}
static double logistic_1(double x)
{
	double y = 1 / (1 + exp(-x)), d = y * (1 - y);
	return d * (1 - y) - y * d;
}
static double logistic_2(double x)
{
	double e = exp(-x), y = 1 / (1 + e);
	return -e * y * y + 2 * e * e * y * y * y;
}
static double logistic_3(double x)
{
	double y = 1 / (1 + exp(-x));
	return y * (1 - y) * (1 - 2 * y);
}
static double asin_1(double x)
{
	double q = sqrt(1 - x * x);
	return x / (q * q * q);
}
static double asin_2(double x)
{
	double q = (1 - x) * (1 + x);
	return 0.5 / (q * sqrt(q)) * ((1 + x) - (1 - x));
}
static double sqrt_1(double x)
{
	double y = sqrt(x);
	return -0.5 / (y * y) * (0.5 / y);
}
static double sqrt_2(double x)
{
	double y = sqrt(x), d = y / (2 * x);
	return d / (2 * x) - y / (2 * x * x);
}
static double rsqrt_1(double x)
{
	double y = 1 / sqrt(x);
	return -1.5 * y * y * (-0.5 * y * y * y);
}
static double rsqrt_2(double x)
{
	double y = 1 / sqrt(x), d = -0.5 * y / x;
	return -0.5 * (d / x - y / (x * x));
}
static double power_1(double x) { return 1.5 * (0.5 * pow(x, -0.5)); }
static double power_2(double x)
{
	double y = pow(x, 1.5), d = 1.5 * y / x;
	return 1.5 * d / x - 1.5 * y / (x * x);
}
static double atan_1(double x)
{
	double d = 1 / (1 + x * x);
	return -2 * x * d * d;
}
static double atan_2(double x)
{
	double q = 1 + x * x;
	return -(x + x) / (q * q);
}
static double erf_1(double x) { return -2 * x * (1.1283791670955126 * exp(-x * x)); }
static double div_1(double x) { return -(-(1 / x) / x) / x + (1 / x) / (x * x); }
static double div_2(double x) { return 2 / (x * x * x); }
static double tan_1(double x)
{
	double y = tan(x);
	return 2 * y * (1 + y * y);
}
static double tan_2(double x)
{
	double c = 1 / cos(x);
	return 2 * c * c * c * sin(x);
}
static double acosh_1(double x)
{
	double q = x * x - 1;
	return -x / (q * sqrt(q));
}
static double atanh_1(double x)
{
	double q = 1 - x * x;
	return 2 * x / (q * q);
}
static double atanh_2(double x)
{
	double q = (1 - x) * (1 + x);
	return ((1 + x) - (1 - x)) / (q * q);
}
static double asinh_1(double x)
{
	double q = 1 + x * x;
	return -x / (q * sqrt(q));
}

static const struct {
	const char *body;
	double low, high;
	double (*formula[4])(double);
} formulas[] = {
    {"y = tanh x", -12, 12, {tanh_1, tanh_2, tanh_3, tanh_4}},
    {"y = tanh x", -1e-3, 1e-3, {tanh_1, tanh_2, tanh_3, tanh_4}},
    {"y = logistic x", -20, 20, {logistic_1, logistic_2, logistic_3}},
    {"y = asin x", -0.999, 0.999, {asin_1, asin_2}},
    {"y = asin x", -1e-4, 1e-4, {asin_1, asin_2}},
    {"y = sqrt x", 1e-3, 100, {sqrt_1, sqrt_2}},
    {"y = rsqrt x", 1e-3, 100, {rsqrt_1, rsqrt_2}},
    {"y = pow x, 1.5", 1e-3, 100, {power_1, power_2}},
    {"y = atan x", -30, 30, {atan_1, atan_2}},
    {"y = erf x", -5, 5, {erf_1}},
    {"y = div 1, x", 0.01, 100, {div_1, div_2}},
    {"y = tan x", -1.5, 1.5, {tan_1, tan_2}},
    {"y = acosh x", 1.001, 50, {acosh_1}},
    {"y = atanh x", -0.999, 0.999, {atanh_1, atanh_2}},
    {"y = asinh x", -50, 50, {asinh_1}},
};

static void test_formulas(struct oracle *oracle, struct arena *a)
{
	static const char *const requests[] = {
	    "vjp x; then jvp x", "jvp x; then jvp x", "vjp x; then vjp x", "jvp x; then vjp x"};
	struct choice choice = choice_seeded(4711);
	for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
		if (!row_wanted("formulas: %s", formulas[i].body))
			continue;
		struct testcase c = test_function(a, "x: f64[]", formulas[i].body, "1.25", requests[i % 4]);
		double worst = 0;
		int decided = 0;
		for (int n = 0; n < 400; n++) {
			struct arena_mark mark = arena_mark(a);
			double x = formulas[i].low +
			    (formulas[i].high - formulas[i].low) *
			        ((double)choice_between(&choice, 0, 1 << 30) / (1 << 30));
			c.point[0][0].at[0].f = x;
			struct truth_point t = truth_of(oracle, &c, a);
			const struct component *d = &t.derivative[0][0].at[0];
			decided += d->reason == REASON_NONE;
			for (int k = 0; k < 4 && formulas[i].formula[k] && d->reason == REASON_NONE; k++) {
				double error = fabs(formulas[i].formula[k](x) - d->value - d->low);
				worst = fmax(worst, error / d->loose);
				CHECK(error <= d->loose, "%s formula %d at %.17g: error %g, loose %g", formulas[i].body,
				    k, x, error, d->loose);
			}
			arena_rewind(a, mark);
		}
		CHECK(decided > 350, "%s: %d of 400 decided", formulas[i].body, decided);
		CHECK(worst > 1e-4, "%s: no formula came nearer to the border of the ball than %g", formulas[i].body,
		    worst);
	}
}

/* ---- finite differences are not idle ---- */

static void test_wrong_truth_is_seen(struct arena *a)
{
	static const char *const requests[] = {
	    "jvp x; then jvp x", "vjp x; then jvp x", "jvp x; then vjp x", "vjp x; then vjp x; then jvp x"};
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct cross_check check = {
	    .fd = fd_open(&oracle_rules_right), .mixed = fd_mixed_open(&oracle_rules_right), .seed = 3};
	struct oracle *oracle = oracle_open(&options);
	for (int r = 0; r < 4; r++)
		for (int wrong = 0; wrong < 2; wrong++) {
			struct testcase c = test_function(a, "x: f64[]", "s = sin x; y = exp s", "0.75", requests[r]);
			struct truth_point t = truth_of(oracle, &c, a);
			int64_t before = check.fd_disagreements;
			if (wrong)
				t.derivative[0][0].at[0].value *= 1 + 0x1p-30;
			cross_check_direction(&check, &c, 0, &t, a);
			CHECK((t.fd.outcome == FD_DISAGREES) == wrong && check.fd_disagreements - before == wrong,
			    "request %d, wrong %d: %d", r, wrong, t.fd.outcome);
			CHECK((t.derivative[0][0].at[0].reason == REASON_ORACLE) == wrong, "request %d: %s", r,
			    reason_names[t.derivative[0][0].at[0].reason]);
		}
	oracle_close(oracle);
	fd_close(check.fd);
	fd_mixed_close(check.mixed);
}

/* ---- laws ---- */

static int higher_order_kinds(struct choice *choice, enum transform_kind kind[3])
{
	int n = choice_percent(choice, 10) ? 3 : 2;
	for (int k = 0; k < n; k++)
		kind[k] = choice_percent(choice, 50) ? TRANSFORM_VJP : TRANSFORM_JVP;
	return n;
}

int main(int argc, char **argv)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1}, quick = {.seed = 1};
	struct arena a;
	struct oracle *oracle = oracle_open(&options);
	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	test_closed_forms(oracle, &a);
	CHECK_LAW(test_vectors(oracle, &a));
	test_edges(oracle, &a);
	CHECK_LAW(test_wrong_truth_is_seen(&a));
	oracle_close(oracle);
	oracle = oracle_open(&quick);
	test_formulas(oracle, &a);
	oracle_close(oracle);
	stack_laws(1500, 7777, higher_order_kinds, &a);
	arena_free(&a);
	elementary_free_cache();
	return check_done();
}

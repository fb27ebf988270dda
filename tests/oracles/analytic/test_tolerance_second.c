/*
 * The ball of second derivatives against engines that differentiate other formulas: a usual formula for the first
 * derivative, computed in a small dtype on pairs of a number and its tangent, each operation rounded once.  Forward
 * over reverse.
 */
#include "oracles/analytic/analytic.h"
#include "oracles/oracle_rules.h"
#include "graph/testcase.h"
#include "graph/random.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum dtype dtype;
static uint64_t state = 1;

static uint64_t random_bits(void) { return random_next(&state); }

static double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

/* ---- numbers with tangents ---- */

struct pair {
	double v, t;
	bool made; /* by the formula */
};

static bool flushes; /* results below the smallest normal number are 0 */

static double r(double x)
{
	double y = dtype_round(dtype, x);
	return flushes && fabs(y) < dtype_table[dtype].normal ? copysign(0, y) : y;
}
static double sum(double a, double b) { return r(a + b); }
static double product(double a, double b) { return r(a * b); }
static double ratio(double a, double b) { return r(a / b); }

static struct pair n(double x) { return (struct pair){r(x), 0}; }
static struct pair neg(struct pair a) { return (struct pair){-a.v, -a.t, a.made}; }
static struct pair add(struct pair a, struct pair b) { return (struct pair){sum(a.v, b.v), sum(a.t, b.t), true}; }
static struct pair sub(struct pair a, struct pair b) { return add(a, neg(b)); }

/* Of a constant no tangent is multiplied. */
static struct pair mul(struct pair a, struct pair b)
{
	return (struct pair){
	    product(a.v, b.v), sum(a.t == 0 ? 0 : product(a.t, b.v), b.t == 0 ? 0 : product(a.v, b.t)), true};
}

/* By the formulas g/b, -g y/b or -(g/b) y, and of a divisor that is an operand of the program also -g a/b^2. */
static struct pair over(struct pair a, struct pair b)
{
	double y = ratio(a.v, b.v), by_a = a.t == 0 ? 0 : ratio(a.t, b.v), by_b = 0;
	if (b.t != 0)
		switch (random_bits() % (b.made ? 2 : 3)) {
		case 0:
			by_b = -ratio(product(b.t, y), b.v);
			break;
		case 1:
			by_b = -product(ratio(b.t, b.v), y);
			break;
		default:
			by_b = -ratio(product(b.t, a.v), product(b.v, b.v));
			break;
		}
	return (struct pair){y, sum(by_a, by_b), true};
}

static struct pair with(struct pair a, double y, double partial)
{
	return (struct pair){r(y), a.t == 0 ? 0 : product(a.t, partial), true};
}
static struct pair root(struct pair a) { return with(a, sqrt(a.v), ratio(0.5, r(sqrt(a.v)))); }
static struct pair expo(struct pair a) { return with(a, exp(a.v), r(exp(a.v))); }
static struct pair loga(struct pair a) { return with(a, log(a.v), ratio(1, a.v)); }
static struct pair sine(struct pair a) { return with(a, sin(a.v), r(cos(a.v))); }
static struct pair cosi(struct pair a) { return with(a, cos(a.v), -r(sin(a.v))); }
static struct pair cosh_of(struct pair a) { return with(a, cosh(a.v), r(sinh(a.v))); }
static struct pair sinh_of(struct pair a) { return with(a, sinh(a.v), r(cosh(a.v))); }
static struct pair rsqr(struct pair a)
{
	double y = r(1 / sqrt(a.v));
	return with(a, y, random_bits() % 2 ? product(-0.5, ratio(y, a.v)) : product(-0.5, product(y, product(y, y))));
}
static struct pair tanh_of(struct pair a)
{
	double y = r(tanh(a.v));
	return with(a, y, random_bits() % 2 ? sum(1, -product(y, y)) : product(sum(1, -y), sum(1, y)));
}
static struct pair logi(struct pair a)
{
	double y = r(1 / (1 + exp(-a.v)));
	return with(a, y, product(y, sum(1, -y)));
}
static struct pair tan_of(struct pair a)
{
	double y = r(tan(a.v));
	return with(a, y, sum(1, product(y, y)));
}
static struct pair expm(struct pair a)
{
	return with(a, expm1(a.v), random_bits() % 2 ? r(exp(a.v)) : sum(r(expm1(a.v)), 1));
}
static struct pair power(struct pair a, double b)
{
	double y = r(pow(a.v, b));
	return with(a, y, random_bits() % 2 ? product(b, r(pow(a.v, r(b - 1)))) : ratio(product(b, y), a.v));
}

/* ---- formulas: the cotangent of a, g the result's; b: an exponent or divisor ---- */

typedef struct pair formula(struct pair a, struct pair g, struct pair b);
#define F(name, expression) \
	static struct pair name(struct pair a, struct pair g, struct pair b) \
	{ \
		return (void)a, (void)g, (void)b, (expression); \
	}

F(square_1, mul(g, mul(n(2), a)))
F(square_2, mul(n(2), mul(g, a)))
F(sqrt_1, over(g, mul(n(2), root(a))))
F(sqrt_2, mul(g, over(n(0.5), root(a))))
F(sqrt_3, mul(mul(g, n(0.5)), rsqr(a)))
F(sqrt_4, mul(g, mul(n(0.5), power(a, -0.5))))
F(sqrt_5, over(mul(n(0.5), g), root(a)))
F(rsqrt_1, mul(g, mul(n(-0.5), over(rsqr(a), a))))
F(rsqrt_2, mul(mul(n(-0.5), g), mul(rsqr(a), mul(rsqr(a), rsqr(a)))))
F(rsqrt_3, mul(g, mul(n(-0.5), power(a, -1.5))))
F(rsqrt_4, over(mul(n(-0.5), g), mul(a, root(a))))
F(exp_1, mul(g, expo(a)))
F(expm1_1, mul(g, add(expm(a), n(1))))
F(expm1_2, mul(g, expo(a)))
F(log_1, over(g, a))
F(log_2, mul(g, over(n(1), a)))
F(log1p_1, over(g, add(n(1), a)))
F(sin_1, mul(g, cosi(a)))
F(cos_1, mul(neg(g), sine(a)))
F(tan_1, mul(g, add(n(1), mul(tan_of(a), tan_of(a)))))
F(tan_2, over(g, mul(cosi(a), cosi(a))))
F(asin_1, over(g, root(sub(n(1), mul(a, a)))))
F(asin_2, mul(g, rsqr(sub(n(1), mul(a, a)))))
F(asin_3, over(g, root(mul(sub(n(1), a), add(n(1), a)))))
F(atan_1, over(g, add(n(1), mul(a, a))))
F(sinh_1, mul(g, cosh_of(a)))
F(cosh_1, mul(g, sinh_of(a)))
F(tanh_1, mul(g, sub(n(1), mul(tanh_of(a), tanh_of(a)))))
F(tanh_2, mul(g, mul(sub(n(1), tanh_of(a)), add(n(1), tanh_of(a)))))
F(tanh_3, sub(g, mul(g, mul(tanh_of(a), tanh_of(a)))))
F(tanh_4, over(g, mul(cosh_of(a), cosh_of(a))))
F(asinh_1, over(g, root(add(mul(a, a), n(1)))))
F(acosh_1, over(g, root(sub(mul(a, a), n(1)))))
F(acosh_2, over(g, mul(root(sub(a, n(1))), root(add(a, n(1))))))
F(atanh_1, over(g, sub(n(1), mul(a, a))))
F(atanh_2, over(g, mul(sub(n(1), a), add(n(1), a))))
F(logistic_1, mul(g, mul(logi(a), sub(n(1), logi(a)))))
F(logistic_2, mul(mul(g, logi(a)), sub(n(1), logi(a))))
F(logistic_3, mul(g, sub(logi(a), mul(logi(a), logi(a)))))
F(logistic_4, mul(g, mul(logi(a), logi(neg(a)))))
F(erf_1, mul(g, mul(n(1.1283791670955126), expo(neg(mul(a, a))))))
F(pow_1, mul(g, mul(b, power(a, r(b.v - 1)))))
F(pow_2, over(mul(mul(g, b), power(a, b.v)), a))
F(pow_3, mul(mul(g, power(a, b.v)), over(b, a)))
F(over_1, neg(over(over(mul(g, b), a), a)))
F(over_2, neg(mul(over(g, a), over(b, a))))
F(over_3, neg(over(mul(g, b), mul(a, a))))
F(over_4, neg(mul(g, over(b, mul(a, a)))))
F(over_5, mul(mul(neg(g), b), power(a, -2)))
F(atan2_1, over(mul(g, b), add(mul(a, a), mul(b, b))))
F(atan2_2, mul(g, over(b, add(mul(a, a), mul(b, b)))))
F(atan2_3, neg(mul(over(g, add(mul(a, a), mul(b, b))), b)))

/* The same, and of 2 atan(y/(h + |x|)) by the chain rule: by y, by x. */
static struct pair atan2_half(struct pair y, struct pair x, struct pair g, bool by_x)
{
	struct pair h = root(add(mul(x, x), mul(y, y))), below = add(h, x), t = over(y, below);
	struct pair by_y = over(over(mul(n(2), g), add(n(1), mul(t, t))), below), by_below = neg(mul(by_y, t));
	return by_x ? add(by_below, mul(over(by_below, h), x)) : add(by_y, mul(over(by_below, h), y));
}
static struct pair atan2_4(struct pair a, struct pair g, struct pair b)
{
	return b.v < 0 ? neg(atan2_half(a, neg(b), g, false)) : atan2_half(a, b, g, false);
}
static struct pair atan2_5(struct pair a, struct pair g, struct pair b)
{
	return atan2_half(b, a.v < 0 ? neg(a) : a, g, true);
}

/* ---- the same for reductions: the cotangents of x[m] ---- */

enum { MOST = 12 };

typedef void reduction(int m, const struct pair *x, struct pair g, struct pair *out);

/* In order, or halves. */
static struct pair total(int m, const struct pair *x)
{
	struct pair s = x[0];
	if (m > 2 && state % 2)
		return add(total(m / 2, x), total(m - m / 2, x + m / 2));
	for (int k = 1; k < m; k++)
		s = add(s, x[k]);
	return s;
}

static struct pair all(int m, const struct pair *x)
{
	struct pair y = n(1);
	for (int k = 0; k < m; k++)
		y = k ? mul(y, x[k]) : x[0];
	return y;
}

static struct pair norm_of(int m, const struct pair *x)
{
	struct pair square[MOST] = {0};
	for (int k = 0; k < m; k++)
		square[k] = mul(x[k], x[k]);
	return root(total(m, square));
}

/* e^(x - max x); the sum of them. */
static struct pair exponentials(int m, const struct pair *x, struct pair *e)
{
	double top = x[0].v;
	for (int k = 1; k < m; k++)
		top = fmax(top, x[k].v);
	for (int k = 0; k < m; k++)
		e[k] = expo(sub(x[k], n(top)));
	return total(m, e);
}

#define REDUCTION(name, before, expression) \
	static void name(int m, const struct pair *x, struct pair g, struct pair *out) \
	{ \
		struct pair e[MOST] = {0}; \
		(void)e; \
		before; \
		for (int k = 0; k < m; k++) \
			out[k] = (expression); \
	}
REDUCTION(norm_1, struct pair y = norm_of(m, x), mul(g, over(x[k], y)))
REDUCTION(norm_2, struct pair y = norm_of(m, x), mul(x[k], over(g, y)))
REDUCTION(norm_3, struct pair y = norm_of(m, x), over(mul(g, x[k]), y))
REDUCTION(softmax_1, struct pair s = exponentials(m, x, e), mul(g, over(e[k], s)))
REDUCTION(softmax_2, struct pair s = exponentials(m, x, e), mul(over(g, s), e[k]))
REDUCTION(softmax_3, struct pair s = loga(exponentials(m, x, e)); double top = x[0].v;
          for (int i = 0; i < m; i++) top = fmax(top, x[i].v), mul(g, expo(sub(x[k], add(n(top), s)))))
REDUCTION(prod_1, struct pair y = all(m, x), over(mul(g, y), x[k]))
REDUCTION(prod_2, struct pair y = all(m, x), mul(g, over(y, x[k])))
REDUCTION(prod_3, (void)m,
    mul(g,
        k == 0           ? all(m - 1, x + 1)
            : k == m - 1 ? all(k, x)
                         : mul(all(k, x), all(m - k - 1, x + k + 1))))

static const struct reduction_row {
	const char *op;
	reduction *f;
	bool leaves; /* the known limit of TOLERANCE.md, "Higher derivatives": in f16 its y' may leave the range where
	                g y'/x does not */
} reductions[] = {{"norm", norm_1}, {"norm", norm_2}, {"norm", norm_3}, {"logsumexp", softmax_1},
    {"logsumexp", softmax_2}, {"logsumexp", softmax_3}, {"reduce_prod", prod_1, true}, {"reduce_prod", prod_2, true},
    {"reduce_prod", prod_3}};

enum where {
	ANYWHERE,
	POSITIVE,
	BELOW_ONE,
	ABOVE_ONE,
	MODERATE,
	OR_ZERO
}; /* OR_ZERO: one of two operands is 0 at times */

static const struct row {
	const char *op;
	int other; /* 0: of one operand; 1: a op b; 2: b op a */
	enum where where;
	formula *f;
} rows[] = {
    {"square", 0, ANYWHERE, square_1},
    {"square", 0, ANYWHERE, square_2},
    {"sqrt", 0, POSITIVE, sqrt_1},
    {"sqrt", 0, POSITIVE, sqrt_2},
    {"sqrt", 0, POSITIVE, sqrt_3},
    {"sqrt", 0, POSITIVE, sqrt_4},
    {"sqrt", 0, POSITIVE, sqrt_5},
    {"rsqrt", 0, POSITIVE, rsqrt_1},
    {"rsqrt", 0, POSITIVE, rsqrt_2},
    {"rsqrt", 0, POSITIVE, rsqrt_3},
    {"rsqrt", 0, POSITIVE, rsqrt_4},
    {"exp", 0, ANYWHERE, exp_1},
    {"expm1", 0, ANYWHERE, expm1_1},
    {"expm1", 0, ANYWHERE, expm1_2},
    {"log", 0, POSITIVE, log_1},
    {"log", 0, POSITIVE, log_2},
    {"log1p", 0, POSITIVE, log1p_1},
    {"sin", 0, MODERATE, sin_1},
    {"cos", 0, MODERATE, cos_1},
    {"tan", 0, MODERATE, tan_1},
    {"tan", 0, MODERATE, tan_2},
    {"asin", 0, BELOW_ONE, asin_1},
    {"asin", 0, BELOW_ONE, asin_2},
    {"asin", 0, BELOW_ONE, asin_3},
    {"atan", 0, ANYWHERE, atan_1},
    {"sinh", 0, ANYWHERE, sinh_1},
    {"cosh", 0, ANYWHERE, cosh_1},
    {"tanh", 0, ANYWHERE, tanh_1},
    {"tanh", 0, ANYWHERE, tanh_2},
    {"tanh", 0, ANYWHERE, tanh_3},
    {"tanh", 0, ANYWHERE, tanh_4},
    {"asinh", 0, ANYWHERE, asinh_1},
    {"acosh", 0, ABOVE_ONE, acosh_1},
    {"acosh", 0, ABOVE_ONE, acosh_2},
    {"atanh", 0, BELOW_ONE, atanh_1},
    {"atanh", 0, BELOW_ONE, atanh_2},
    {"logistic", 0, ANYWHERE, logistic_1},
    {"logistic", 0, ANYWHERE, logistic_2},
    {"logistic", 0, ANYWHERE, logistic_3},
    {"logistic", 0, ANYWHERE, logistic_4},
    {"erf", 0, ANYWHERE, erf_1},
    {"pow", 1, POSITIVE, pow_1},
    {"pow", 1, POSITIVE, pow_2},
    {"pow", 1, POSITIVE, pow_3},
    {"div", 2, ANYWHERE, over_1},
    {"div", 2, ANYWHERE, over_2},
    {"div", 2, ANYWHERE, over_3},
    {"div", 2, ANYWHERE, over_4},
    {"div", 2, ANYWHERE, over_5},
    {"atan2", 1, OR_ZERO, atan2_1},
    {"atan2", 1, OR_ZERO, atan2_2},
    {"atan2", 2, OR_ZERO, atan2_3},
    {"atan2", 1, OR_ZERO, atan2_4},
    {"atan2", 2, OR_ZERO, atan2_5},
};

/* ---- points ---- */

static double random_value(bool wide)
{
	const struct dtype_info *info = &dtype_table[dtype];
	/* Half of the exponents: products of three such that leave the range on the way are not all foreseen. */
	double low = wide ? info->emin / 2 : -4, high = wide ? info->emax / 2 : 4;
	return copysign(fmax(info->tiny, r(exp2(low + (high - low) * uniform()))), uniform() - 0.5);
}

static double random_input(enum where where, bool wide)
{
	double x = random_value(wide);
	switch (where) {
	case POSITIVE:
		return fabs(x);
	case BELOW_ONE:
		return r(uniform() * 2 - 1);
	case ABOVE_ONE:
		return r(1 + fabs(x));
	case MODERATE:
		return r((uniform() * 2 - 1) * 8);
	default:
		return x;
	}
}

static void test_row(struct analytic *oracle, const struct row *row, int number, int trials, struct arena *arena)
{
	const char *type = dtype_table[dtype].name;
	int decided = 0, outside = 0;
	double worst = 0, of_tight = 0;
	for (int k = 0; k < trials; k++) {
		double x = random_input(row->where, k % 3 == 1), g = random_value(k % 3 == 2),
		       t = k % 2 ? 1 : random_value(k % 4 == 2);
		double b = random_value(row->other == 2 && k % 3 == 1);
		if (row->where == OR_ZERO && k % 5 == 0)
			*(k % 2 ? &x : &b) = 0;
		struct truth_point truth;
		arena_reset(arena);
		struct testcase c = test_case(arena,
		    arena_printf(arena,
		        "inputs x: %s[], b: %s[]\n"
		        "y = %s %s\n"
		        "return y\n"
		        "point %a, %a\n"
		        "request: vjp x; cotangents %a; then jvp x; tangents %a",
		        type, type, row->op,
		        row->other == 0       ? "x"
		            : row->other == 1 ? "x, b"
		                              : "b, x",
		        x, b, g, t));
		analytic_truth(oracle, &c, 0, arena, &truth);
		const struct component *want = truth.derivative[0][0].at;
		if (want->reason != REASON_NONE)
			continue;
		decided++;
		double got = row->f((struct pair){x, t}, (struct pair){g, 0}, (struct pair){b, 0}).t;
		double error = fabs((got - want->value) - want->low);
		if (want->escapes && !isfinite(got))
			continue;
		if (want->tight > 0)
			of_tight = fmax(of_tight, error / want->tight);
		if (error <= want->loose) {
			if (want->loose > 0)
				worst = fmax(worst, error / want->loose);
			continue;
		}
		if (outside++ == 0)
			fprintf(stderr,
			    "%s, row %d, in %s: %a, not %a: off by %g, loose %g, tight %g; x %a b %a g %a t %a\n",
			    row->op, number, type, got, want->value, error, want->loose, want->tight, x, b, g, t);
	}
	if (getenv("VERBOSE"))
		printf("%-10s %2d %-5s decided %6d outside %5d worst %.3f of loose, %.2f of tight\n", row->op, number,
		    type, decided, outside, worst, of_tight);
	CHECK(!outside, "%s, row %d, in %s: %d of %d outside", row->op, number, type, outside, decided);
	CHECK(dtype == DTYPE_F16 || decided > trials / 20, "%s, row %d, in %s: %d decided", row->op, number, type,
	    decided);
}

static void test_reduction(
    struct analytic *oracle, const struct reduction_row *row, int number, int trials, struct arena *arena)
{
	const char *type = dtype_table[dtype].name;
	int decided = 0, outside = 0, beyond = 0;
	double worst = 0, of_tight = 0;
	for (int t = 0; t < trials; t++) {
		struct pair x[MOST], out[MOST];
		struct truth_point truth;
		int m = 2 + (int)(random_bits() % (MOST - 1));
		double g = random_value(t % 3 == 2), size = t % 4 == 3 ? exp2((int)(t % 17) - 8) : 1;
		const char *at = "", *along = "";
		arena_reset(arena);
		for (int k = 0; k < m; k++) {
			x[k] = (struct pair){
			    r((1 + uniform()) * size * (random_bits() % 2 ? 1 : -1)), random_value(false), false};
			at = arena_printf(arena, "%s%s%a", at, k ? "," : "", x[k].v);
			along = arena_printf(arena, "%s%s%a", along, k ? "," : "", x[k].t);
		}
		const char *text = arena_printf(arena,
		    "inputs x: %s[%d]\n"
		    "y = %s x axes=[0]\n"
		    "return y\n"
		    "point [%s]\n"
		    "request: vjp; cotangents %a; then jvp; tangents [%s]",
		    type, m, row->op, at, g, along);
		struct testcase c = test_case(arena, text);
		analytic_truth(oracle, &c, 0, arena, &truth);
		row->f(m, x, (struct pair){g, 0, false}, out);
		for (int k = 0; k < m; k++) {
			const struct component *want = &truth.derivative[0][0].at[k];
			if (want->reason != REASON_NONE)
				continue;
			double error = fabs((out[k].t - want->value) - want->low);
			decided++;
			if (row->leaves && dtype == DTYPE_F16 && isinf(out[k].t)) {
				beyond++;
				continue;
			}
			worst = fmax(worst, error / want->loose);
			of_tight = fmax(of_tight, error / want->tight);
			if (!(error <= want->loose) && outside++ == 0)
				fprintf(stderr,
				    "%s, row %d, in %s, element %d: %a, not %a: off by %g, loose %g\n"
				    "%s\n",
				    row->op, number, type, k, out[k].t, want->value, error, want->loose, text);
		}
	}
	if (getenv("VERBOSE"))
		printf("%-10s %2d %-5s decided %6d outside %5d worst %.3f of loose, %.2f of tight\n", row->op, number,
		    type, decided, outside, worst, of_tight);
	CHECK(200 * beyond <= decided, "%s, row %d, in %s: %d of %d infinite", row->op, number, type, beyond, decided);
	CHECK(!outside, "%s, row %d, in %s: %d of %d outside", row->op, number, type, outside, decided);
	CHECK(dtype == DTYPE_F16 || decided > trials / 20, "%s, row %d, in %s: %d decided", row->op, number, type,
	    decided);
}

/*
 * The second derivative of a^b by b (b - 1) a^(b - 2), whose exponents are rounded one after the other, against the
 * derivative of an op derivative.  |log a| is large, and b - 1 and b - 2 are of other binades than b.
 */
static void test_power_inside(struct analytic *oracle, int trials, struct arena *arena)
{
	int decided = 0, outside = 0;

	for (int k = 0; k < trials; k++) {
		const double a = exp(-230 - 80 * uniform()), b = -exp2(-8 * uniform());
		const double once = b - 1, twice = once - 1, got = b * (once * pow(a, twice));
		struct truth_point truth;

		arena_reset(arena);
		struct testcase c = test_case(arena,
		    arena_printf(arena,
		        "inputs x: f64[]\n"
		        "one = constant 1\n"
		        "b = constant %a\n"
		        "d = derivative (x, one) primals=1 transform=jvp {\n"
		        "  params v: f64[]\n"
		        "  p = pow v, b\n"
		        "  yield p\n"
		        "}\n"
		        "return d\n"
		        "point %a\n"
		        "request: vjp",
		        b, a));
		analytic_truth(oracle, &c, 0, arena, &truth);
		const struct component *want = truth.derivative[0][0].at;
		if (want->reason != REASON_NONE || !isfinite(got))
			continue;
		decided++;
		outside += !(fabs((got - want->value) - want->low) <= want->loose);
	}
	CHECK(decided > trials / 2 && !outside, "%d of %d outside", outside, decided);
}

int main(int argc, char **argv)
{
	/* f64 last: what grows with an exponent, such as b log a, is small in the others */
	static const enum dtype dtypes[] = {DTYPE_F16, DTYPE_F32, DTYPE_F64};
	bool numbers = argc > 1 && !argv[1][strspn(argv[1], "0123456789")];
	int trials = numbers ? atoi(argv[1]) : 400;
	struct arena arena;
	arena_init(&arena, (size_t)1 << 28);
	static const bool every[DTYPE_COUNT] = {true, true, true, true, true, true, true};
	if (numbers && argc > 2)
		state = strtoull(argv[2], NULL, 10);
	if (!numbers)
		check_begin(argc, argv);
	for (int mode = 0; mode < 2; mode++) {
		struct analytic *oracle = analytic_open(&oracle_rules_right);
		flushes = mode == 1;
		if (flushes)
			analytic_use(oracle, &oracle_rules_right, every);
		for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
			dtype = dtypes[d];
			for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
				if (row_wanted("%s, row %d", rows[k].op, (int)k))
					test_row(oracle, &rows[k], (int)k, flushes ? trials / 2 : trials, &arena);
			for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++)
				if (row_wanted("%s, row %d", reductions[k].op, (int)k))
					test_reduction(
					    oracle, &reductions[k], (int)k, flushes ? trials / 2 : trials, &arena);
		}
		if (!flushes)
			CHECK_LAW(test_power_inside(oracle, trials, &arena));
		analytic_close(oracle);
	}
	arena_free(&arena);
	return check_done();
}

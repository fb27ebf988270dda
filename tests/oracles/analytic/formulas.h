/*
 * formulas.h: usual formulas for values and derivatives in a small dtype, each operation rounded once, as the table of
 * test_tolerance.c.  Its rows are those of oracles/TOLERANCE.md, section 5.
 */
#ifndef TESTS_ORACLES_ANALYTIC_FORMULAS_H
#define TESTS_ORACLES_ANALYTIC_FORMULAS_H

#include <math.h>
#include <stdbool.h>

#include "graph/random.h"
#include "graph/type.h"

enum { MOST = 24 };

/* ---- the arithmetic of an engine ---- */

static enum dtype dtype;
enum underflow { GRADUAL, FLUSHES, READS_ZERO, UNDERFLOWS }; /* results flushed to 0; and operands */
static enum underflow underflow;
static uint64_t state;

static uint64_t random_bits(void) { return random_next(&state); }

static double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static double flushed(double x) { return fabs(x) < dtype_table[dtype].normal ? copysign(0, x) : x; }

/* One operation. */
static double r(double x)
{
	double y = dtype_round(dtype, x);
	return underflow == GRADUAL ? y : flushed(y);
}

/*
 * A function of libm with a documented error of 1 ulp: the nearest value or a neighbour on the side of the exact one.
 */
static double lib(double x)
{
	double y = r(x);
	if (!isfinite(y) || x == y || random_bits() % 2)
		return y;
	const struct dtype_info *info = &dtype_table[dtype];
	int exponent = info->emin;
	if (y != 0)
		(void)frexp(y, &exponent);
	double ulp = fmax(ldexp(1, exponent - info->precision), info->tiny);
	return y < x ? r(y + ulp) : r(y - ulp);
}

static double mul(double a, double b) { return r(a * b); }
static double over(double a, double b) { return r(a / b); }
static double add(double a, double b) { return r(a + b); }

/* n terms in one of several orders. */
static double sum(const double *x, int n)
{
	double s = 0;
	switch (state % 3) {
	case 0:
		for (int k = 0; k < n; k++)
			s = add(s, x[k]);
		return s;
	case 1:
		for (int k = n - 1; k >= 0; k--)
			s = add(s, x[k]);
		return s;
	default:
		return n == 0 ? 0 : n == 1 ? x[0] : add(sum(x, n / 2), sum(x + n / 2, n - n / 2));
	}
}

/* ---- formulas: x[n] the inputs, g[] cotangents or tangents, out[] what they make ---- */

typedef void formula(int n, const double *x, const double *g, double *out);
#define FORMULA(name) static void name(int n, const double *x, const double *g, double *out)
#define ONE(name, expression) \
	FORMULA(name) \
	{ \
		double a = x[0], g0 = g[0]; \
		(void)n, (void)a, (void)g0; \
		out[0] = (expression); \
	}
#define TWO(name, by_a, by_b) \
	FORMULA(name) \
	{ \
		double a = x[0], b = x[1], g0 = g[0]; \
		(void)n, (void)a, (void)b; \
		out[0] = (by_a); \
		out[1] = (by_b); \
	}
/* A tangent of an op of two operands. */
#define TWO_TANGENT(name, expression) \
	FORMULA(name) \
	{ \
		double a = x[0], b = x[1], da = g[0], db = g[1]; \
		(void)n, (void)a, (void)b, (void)db; \
		out[0] = (expression); \
	}

ONE(square_twice, mul(mul(2, a), g0))
ONE(square_after, mul(mul(g0, a), 2))
ONE(sqrt_half, mul(g0, over(0.5, r(sqrt(a)))))
ONE(sqrt_double, over(g0, mul(2, r(sqrt(a)))))
ONE(sqrt_first, over(mul(g0, 0.5), r(sqrt(a))))
ONE(sqrt_power, mul(mul(g0, 0.5), lib(1 / sqrt(a))))
ONE(rsqrt_over, mul(g0, mul(-0.5, over(lib(1 / sqrt(a)), a))))
ONE(rsqrt_cube, mul(g0, mul(-0.5, mul(mul(lib(1 / sqrt(a)), lib(1 / sqrt(a))), lib(1 / sqrt(a))))))
ONE(rsqrt_power, mul(mul(-0.5, g0), lib(pow(a, -1.5))))
ONE(rsqrt_root, over(mul(-0.5, g0), mul(a, r(sqrt(a)))))
ONE(exp_value, mul(g0, lib(exp(a))))
ONE(expm1_late, add(mul(g0, lib(expm1(a))), g0))
ONE(expm1_plus, mul(g0, add(lib(expm1(a)), 1)))
ONE(log_over, over(g0, a))
ONE(log_reciprocal, mul(g0, over(1, a)))
ONE(log1p_over, over(g0, add(a, 1)))
ONE(sin_cos, mul(g0, lib(cos(a))))
ONE(cos_sin, mul(-g0, lib(sin(a))))
ONE(tan_square, mul(g0, add(1, mul(lib(tan(a)), lib(tan(a))))))
ONE(tan_cos, over(g0, mul(lib(cos(a)), lib(cos(a)))))
ONE(asin_square, over(g0, r(sqrt(add(1, -mul(a, a))))))
ONE(asin_rsqrt, mul(g0, lib(1 / sqrt(add(1, -mul(a, a))))))
ONE(asin_factors, over(g0, r(sqrt(mul(add(1, -a), add(1, a))))))
ONE(acos_square, over(-g0, r(sqrt(add(1, -mul(a, a))))))
ONE(atan_square, over(g0, add(1, mul(a, a))))
ONE(sinh_cosh, mul(g0, lib(cosh(a))))
ONE(cosh_sinh, mul(g0, lib(sinh(a))))
ONE(tanh_square, mul(g0, add(1, -mul(lib(tanh(a)), lib(tanh(a))))))
ONE(tanh_factors, mul(g0, mul(add(1, -lib(tanh(a))), add(1, lib(tanh(a))))))
ONE(tanh_minus, add(g0, -mul(g0, mul(lib(tanh(a)), lib(tanh(a))))))
FORMULA(tanh_twice)
{
	double y = lib(tanh(x[0]));
	(void)n, out[0] = add(g[0], -mul(mul(g[0], y), y));
}
ONE(tanh_cosh, over(g0, mul(lib(cosh(a)), lib(cosh(a)))))
ONE(asinh_square, over(g0, r(sqrt(add(mul(a, a), 1)))))
ONE(acosh_square, over(g0, r(sqrt(add(mul(a, a), -1)))))
ONE(acosh_factors, over(g0, mul(r(sqrt(add(a, -1))), r(sqrt(add(a, 1))))))
ONE(atanh_square, over(g0, add(1, -mul(a, a))))
ONE(logistic_y, mul(g0, mul(lib(1 / (1 + exp(-a))), add(1, -lib(1 / (1 + exp(-a)))))))
FORMULA(logistic_minus)
{
	double t, y = lib(1 / (1 + exp(-x[0])));
	(void)n, t = mul(g[0], y), out[0] = add(t, -mul(t, y));
}
ONE(logistic_exp, over(mul(g0, lib(exp(-fabs(a)))), mul(add(1, lib(exp(-fabs(a)))), add(1, lib(exp(-fabs(a)))))))
ONE(erf_exp, mul(g0, mul(r(1.1283791670955126), lib(exp(-mul(a, a))))))

ONE(logistic_square, mul(mul(g0, mul(over(1, add(1, lib(exp(-a)))), over(1, add(1, lib(exp(-a)))))), lib(exp(-a))))
ONE(logistic_value, over(1, add(1, lib(exp(-a)))))
ONE(rsqrt_value, over(1, r(sqrt(a))))

TWO(div_twice, over(g0, b), over(mul(-g0, over(a, b)), b))
TWO(div_partials, mul(g0, over(1, b)), mul(g0, -over(over(a, b), b)))
TWO(div_shared, over(g0, b), -mul(over(g0, b), over(a, b)))
TWO(div_square, over(g0, b), -over(mul(g0, a), mul(b, b)))
TWO(div_square_first, over(g0, b), mul(g0, -over(a, mul(b, b))))
TWO(div_reciprocal, mul(g0, over(1, b)), -mul(mul(mul(g0, a), over(1, b)), over(1, b)))
TWO(atan2_square, mul(g0, over(b, add(mul(a, a), mul(b, b)))), mul(g0, -over(a, add(mul(a, a), mul(b, b)))))
TWO(atan2_late, over(mul(g0, b), add(mul(a, a), mul(b, b))), -over(mul(g0, a), add(mul(a, a), mul(b, b))))
TWO(atan2_first, mul(over(g0, add(mul(a, a), mul(b, b))), b), mul(over(g0, add(mul(a, a), mul(b, b))), -a))

/*
 * 2 atan(a/(h + b)), as it is differentiated by the chain rule: near b = 0 two terms of the size of 1/h cancel. Left
 * of the origin the angle of (a, -b) is taken from pi, and `whole` says 2 atan((h - b)/a) instead, while the square
 * of that fits.
 */
static void half_angle(double a, double b, double g0, bool whole, double *out)
{
	bool left = whole && b < 0 && fabs(b) < 8 * fabs(a);
	double x = left ? b : fabs(b), h = r(sqrt(add(mul(a, a), mul(x, x))));
	double above = left ? add(h, -x) : a, below = left ? a : add(h, x), t = over(above, below);
	double by_t = over(mul(2, g0), add(1, mul(t, t))), by_above = over(by_t, below), by_below = -mul(by_above, t);
	double by_h = over(left ? by_above : by_below, h), sign = left || b >= 0 ? 1 : -1;
	out[0] = sign * add(left ? by_below : by_above, mul(by_h, a));
	out[1] = add(left ? -by_above : by_below, mul(by_h, x));
}
FORMULA(atan2_half) { (void)n, half_angle(x[0], x[1], g[0], false, out); }
FORMULA(atan2_halves) { (void)n, half_angle(x[0], x[1], g[0], true, out); }

TWO(pow_less_one, mul(g0, mul(b, lib(pow(a, add(b, -1))))), mul(g0, mul(lib(pow(a, b)), lib(log(a)))))
TWO(pow_left, mul(mul(g0, b), lib(pow(a, add(b, -1)))), mul(mul(g0, lib(pow(a, b))), lib(log(a))))
TWO(pow_over, over(mul(mul(g0, lib(pow(a, b))), b), a), mul(mul(g0, lib(log(a))), lib(pow(a, b))))

TWO_TANGENT(div_tangent, over(add(da, -mul(over(a, b), db)), b))
TWO_TANGENT(div_quotient_rule_still, over(add(mul(da, b), -mul(a, 0)), mul(b, b)))
TWO_TANGENT(div_quotient_rule, over(add(mul(da, b), -mul(a, db)), mul(b, b)))
TWO_TANGENT(atan2_tangent, over(add(mul(b, da), -mul(a, db)), add(mul(a, a), mul(b, b))))
TWO_TANGENT(pow_tangent, mul(lib(pow(a, b)), add(over(mul(b, da), a), mul(lib(log(a)), db))))
TWO_TANGENT(mul_tangent, add(mul(a, db), mul(b, da)))

/* ---- groups of n ---- */

static double norm_of(int n, const double *x)
{
	double square[MOST] = {0};
	for (int k = 0; k < n; k++)
		square[k] = mul(x[k], x[k]);
	return r(sqrt(sum(square, n)));
}

static double largest(int n, const double *x)
{
	double top = x[0];
	for (int k = 1; k < n; k++)
		top = fmax(top, x[k]);
	return top;
}

static double scaled_norm(int n, const double *x)
{
	double part[MOST] = {0}, top = 0;
	for (int k = 0; k < n; k++)
		top = fmax(top, fabs(x[k]));
	for (int k = 0; k < n; k++)
		part[k] = over(x[k], top);
	return mul(top, norm_of(n, part));
}

FORMULA(norm_value) { (void)g, out[0] = norm_of(n, x); }
FORMULA(norm_scaled) { (void)g, out[0] = scaled_norm(n, x); }

FORMULA(norm_ratio)
{
	double y = norm_of(n, x);
	for (int k = 0; k < n; k++)
		out[k] = mul(g[0], over(x[k], y));
}

FORMULA(norm_shared)
{
	double y = norm_of(n, x);
	for (int k = 0; k < n; k++)
		out[k] = mul(x[k], over(g[0], y));
}

FORMULA(norm_late)
{
	double y = norm_of(n, x);
	for (int k = 0; k < n; k++)
		out[k] = over(mul(g[0], x[k]), y);
}

FORMULA(norm_tangent)
{
	double part[MOST] = {0}, y = norm_of(n, x);
	for (int k = 0; k < n; k++)
		part[k] = mul(x[k], g[k]);
	out[0] = over(sum(part, n), y);
}

FORMULA(logsumexp_value)
{
	double part[MOST] = {0}, top = largest(n, x);
	(void)g;
	for (int k = 0; k < n; k++)
		part[k] = lib(exp(add(x[k], -top)));
	out[0] = add(top, lib(log(sum(part, n))));
}

FORMULA(logsumexp_naive)
{
	double part[MOST] = {0};
	(void)g;
	for (int k = 0; k < n; k++)
		part[k] = lib(exp(x[k]));
	out[0] = lib(log(sum(part, n)));
}

FORMULA(logsumexp_softmax)
{
	double part[MOST] = {0}, top = largest(n, x);
	for (int k = 0; k < n; k++)
		part[k] = lib(exp(add(x[k], -top)));
	double whole = sum(part, n);
	for (int k = 0; k < n; k++)
		out[k] = mul(g[0], over(part[k], whole));
}

FORMULA(logsumexp_shared)
{
	double part[MOST] = {0}, top = largest(n, x);
	for (int k = 0; k < n; k++)
		part[k] = lib(exp(add(x[k], -top)));
	double share = over(g[0], sum(part, n));
	for (int k = 0; k < n; k++)
		out[k] = mul(share, part[k]);
}

FORMULA(logsumexp_from_value)
{
	double y[1];
	logsumexp_value(n, x, g, y);
	for (int k = 0; k < n; k++)
		out[k] = mul(g[0], lib(exp(add(x[k], -y[0]))));
}

FORMULA(mean_late) { (void)g, out[0] = over(sum(x, n), n); }
FORMULA(mean_reciprocal) { (void)g, out[0] = mul(sum(x, n), over(1, n)); }

FORMULA(mean_early)
{
	double part[MOST] = {0};
	(void)g;
	for (int k = 0; k < n; k++)
		part[k] = over(x[k], n);
	out[0] = sum(part, n);
}

static double product(int n, const double *x)
{
	double y = 1;
	for (int k = 0; k < n; k++)
		y = mul(y, x[k]);
	return y;
}

FORMULA(prod_over)
{
	double y = mul(g[0], product(n, x));
	for (int k = 0; k < n; k++)
		out[k] = over(y, x[k]);
}

FORMULA(prod_ratio)
{
	double y = product(n, x);
	for (int k = 0; k < n; k++)
		out[k] = mul(y, over(g[0], x[k]));
}

FORMULA(prod_exclusive)
{
	for (int k = 0; k < n; k++)
		out[k] = mul(mul(g[0], product(k, x)), product(n - k - 1, x + k + 1));
}

FORMULA(prod_tangent)
{
	double part[MOST] = {0};
	for (int k = 0; k < n; k++)
		part[k] = over(g[k], x[k]);
	out[0] = mul(product(n, x), sum(part, n));
}

FORMULA(cumprod_adjoint)
{
	double part[MOST] = {0};
	for (int k = 0; k < n; k++)
		part[k] = mul(g[k], product(k + 1, x));
	for (int k = 0; k < n; k++)
		out[k] = over(sum(part + k, n - k), x[k]);
}

FORMULA(cumprod_tangent)
{
	double part[MOST] = {0};
	for (int k = 0; k < n; k++)
		part[k] = over(g[k], x[k]);
	for (int k = 0; k < n; k++)
		out[k] = mul(sum(part, k + 1), product(k + 1, x));
}

/* ---- rows ---- */

enum what { VALUE, ADJOINT, TANGENT, TANGENT_OF_FIRST }; /* the second operand does not move */
enum where { ANYWHERE, POSITIVE, BELOW_ONE, ABOVE_ONE, MODERATE, SATURATED, OR_ZERO };

struct row {
	const char *name, *op, *attrs;
	int operands; /* 0: one vector */
	bool vector_result;
	enum what what;
	enum where domain;
	formula *f;
};

#define AXIS " axes=[0]"
static const struct row rows[] = {
    {"2 a g", "square", "", 1, false, ADJOINT, ANYWHERE, square_twice},
    {"g a 2", "square", "", 1, false, ADJOINT, ANYWHERE, square_after},
    {"g (1/2 / y)", "sqrt", "", 1, false, ADJOINT, POSITIVE, sqrt_half},
    {"g / (2 y)", "sqrt", "", 1, false, ADJOINT, POSITIVE, sqrt_double},
    {"(g/2) / y", "sqrt", "", 1, false, ADJOINT, POSITIVE, sqrt_first},
    {"(g/2) a^-1/2", "sqrt", "", 1, false, ADJOINT, POSITIVE, sqrt_power},
    {"-1/2 y/a", "rsqrt", "", 1, false, ADJOINT, POSITIVE, rsqrt_over},
    {"-1/2 y^3", "rsqrt", "", 1, false, ADJOINT, POSITIVE, rsqrt_cube},
    {"-1/2 a^-3/2", "rsqrt", "", 1, false, ADJOINT, POSITIVE, rsqrt_power},
    {"-1/2 / (a sqrt a)", "rsqrt", "", 1, false, ADJOINT, POSITIVE, rsqrt_root},
    {"1 / sqrt a", "rsqrt", "", 1, false, VALUE, POSITIVE, rsqrt_value},
    {"y", "exp", "", 1, false, ADJOINT, ANYWHERE, exp_value},
    {"g y + g", "expm1", "", 1, false, ADJOINT, SATURATED, expm1_late},
    {"y + 1", "expm1", "", 1, false, ADJOINT, SATURATED, expm1_plus},
    {"g/a", "log", "", 1, false, ADJOINT, POSITIVE, log_over},
    {"g (1/a)", "log", "", 1, false, ADJOINT, POSITIVE, log_reciprocal},
    {"g/(1 + a)", "log1p", "", 1, false, ADJOINT, POSITIVE, log1p_over},
    {"g/(1 + a)", "log1p", "", 1, false, ADJOINT, BELOW_ONE, log1p_over},
    {"cos", "sin", "", 1, false, ADJOINT, MODERATE, sin_cos},
    {"-sin", "cos", "", 1, false, ADJOINT, MODERATE, cos_sin},
    {"1 + y^2", "tan", "", 1, false, ADJOINT, MODERATE, tan_square},
    {"1/cos^2", "tan", "", 1, false, ADJOINT, MODERATE, tan_cos},
    {"1/sqrt(1 - a^2)", "asin", "", 1, false, ADJOINT, BELOW_ONE, asin_square},
    {"rsqrt(1 - a^2)", "asin", "", 1, false, ADJOINT, BELOW_ONE, asin_rsqrt},
    {"1/sqrt((1 - a)(1 + a))", "asin", "", 1, false, ADJOINT, BELOW_ONE, asin_factors},
    {"-1/sqrt(1 - a^2)", "acos", "", 1, false, ADJOINT, BELOW_ONE, acos_square},
    {"1/(1 + a^2)", "atan", "", 1, false, ADJOINT, ANYWHERE, atan_square},
    {"cosh", "sinh", "", 1, false, ADJOINT, ANYWHERE, sinh_cosh},
    {"sinh", "cosh", "", 1, false, ADJOINT, ANYWHERE, cosh_sinh},
    {"1 - y^2", "tanh", "", 1, false, ADJOINT, SATURATED, tanh_square},
    {"(1 - y)(1 + y)", "tanh", "", 1, false, ADJOINT, SATURATED, tanh_factors},
    {"g - g y^2", "tanh", "", 1, false, ADJOINT, SATURATED, tanh_minus},
    {"g - (g y) y", "tanh", "", 1, false, ADJOINT, SATURATED, tanh_twice},
    {"1/cosh^2", "tanh", "", 1, false, ADJOINT, SATURATED, tanh_cosh},
    {"1/sqrt(a^2 + 1)", "asinh", "", 1, false, ADJOINT, ANYWHERE, asinh_square},
    {"1/sqrt(a^2 - 1)", "acosh", "", 1, false, ADJOINT, ABOVE_ONE, acosh_square},
    {"1/(sqrt(a - 1) sqrt(a + 1))", "acosh", "", 1, false, ADJOINT, ABOVE_ONE, acosh_factors},
    {"1/(1 - a^2)", "atanh", "", 1, false, ADJOINT, BELOW_ONE, atanh_square},
    {"y (1 - y)", "logistic", "", 1, false, ADJOINT, SATURATED, logistic_y},
    {"g y - (g y) y", "logistic", "", 1, false, ADJOINT, SATURATED, logistic_minus},
    {"e/(1 + e)^2", "logistic", "", 1, false, ADJOINT, SATURATED, logistic_exp},
    {"(1/(1 + e^-a))^2 e^-a", "logistic", "", 1, false, ADJOINT, SATURATED, logistic_square},
    {"1/(1 + e^-a)", "logistic", "", 1, false, VALUE, ANYWHERE, logistic_value},
    {"2/sqrt(pi) e^(-a^2)", "erf", "", 1, false, ADJOINT, ANYWHERE, erf_exp},
    {"g/b, -g y/b", "div", "", 2, false, ADJOINT, ANYWHERE, div_twice},
    {"1/b, -y/b", "div", "", 2, false, ADJOINT, ANYWHERE, div_partials},
    {"g/b, -(g/b) y", "div", "", 2, false, ADJOINT, ANYWHERE, div_shared},
    {"g/b, -g a/b^2", "div", "", 2, false, ADJOINT, ANYWHERE, div_square},
    {"g/b, -g (a/b^2)", "div", "", 2, false, ADJOINT, ANYWHERE, div_square_first},
    {"g (1/b), -g a (1/b)(1/b)", "div", "", 2, false, ADJOINT, ANYWHERE, div_reciprocal},
    {"(a' - y b')/b", "div", "", 2, false, TANGENT, ANYWHERE, div_tangent},
    {"(a' b - a b')/b^2", "div", "", 2, false, TANGENT, ANYWHERE, div_quotient_rule},
    {"(a' b - a 0)/b^2", "div", "", 2, false, TANGENT_OF_FIRST, ANYWHERE, div_quotient_rule_still},
    {"g (b/h^2)", "atan2", "", 2, false, ADJOINT, ANYWHERE, atan2_square},
    {"g b/h^2", "atan2", "", 2, false, ADJOINT, ANYWHERE, atan2_late},
    {"(g/h^2) b", "atan2", "", 2, false, ADJOINT, ANYWHERE, atan2_first},
    {"(b a' - a b')/h^2", "atan2", "", 2, false, TANGENT, ANYWHERE, atan2_tangent},
    {"2 atan(a/(h + b))", "atan2", "", 2, false, ADJOINT, OR_ZERO, atan2_half},
    {"2 atan(a/(h + b)), 2 atan((h - b)/a)", "atan2", "", 2, false, ADJOINT, OR_ZERO, atan2_halves},
    {"g (b a^(b - 1)), g (y log a)", "pow", "", 2, false, ADJOINT, POSITIVE, pow_less_one},
    {"(g b) a^(b - 1), (g y) log a", "pow", "", 2, false, ADJOINT, POSITIVE, pow_left},
    {"g y b/a, (g log a) y", "pow", "", 2, false, ADJOINT, POSITIVE, pow_over},
    {"y (b a'/a + log a b')", "pow", "", 2, false, TANGENT, POSITIVE, pow_tangent},
    {"a b' + b a'", "mul", "", 2, false, TANGENT, ANYWHERE, mul_tangent},
    {"sqrt of a sum of squares", "norm", AXIS, 0, false, VALUE, ANYWHERE, norm_value},
    {"m sqrt of the sum of (x/m)^2", "norm", AXIS, 0, false, VALUE, ANYWHERE, norm_scaled},
    {"g (x/y)", "norm", AXIS, 0, false, ADJOINT, ANYWHERE, norm_ratio},
    {"x (g/y)", "norm", AXIS, 0, false, ADJOINT, ANYWHERE, norm_shared},
    {"g x/y", "norm", AXIS, 0, false, ADJOINT, ANYWHERE, norm_late},
    {"sum of x x' over y", "norm", AXIS, 0, false, TANGENT, ANYWHERE, norm_tangent},
    {"m + log sum e^(x - m)", "logsumexp", AXIS, 0, false, VALUE, MODERATE, logsumexp_value},
    {"log sum e^x", "logsumexp", AXIS, 0, false, VALUE, MODERATE, logsumexp_naive},
    {"g (e/sum e)", "logsumexp", AXIS, 0, false, ADJOINT, MODERATE, logsumexp_softmax},
    {"(g/sum e) e", "logsumexp", AXIS, 0, false, ADJOINT, MODERATE, logsumexp_shared},
    {"g e^(x - y)", "logsumexp", AXIS, 0, false, ADJOINT, MODERATE, logsumexp_from_value},
    {"sum / n", "reduce_mean", AXIS, 0, false, VALUE, ANYWHERE, mean_late},
    {"sum (1/n)", "reduce_mean", AXIS, 0, false, VALUE, ANYWHERE, mean_reciprocal},
    {"sum of x/n", "reduce_mean", AXIS, 0, false, VALUE, ANYWHERE, mean_early},
    {"g y/x", "reduce_prod", AXIS, 0, false, ADJOINT, ANYWHERE, prod_over},
    {"y (g/x)", "reduce_prod", AXIS, 0, false, ADJOINT, ANYWHERE, prod_ratio},
    {"g before after", "reduce_prod", AXIS, 0, false, ADJOINT, ANYWHERE, prod_exclusive},
    {"y sum of x'/x", "reduce_prod", AXIS, 0, false, TANGENT, ANYWHERE, prod_tangent},
    {"reversed sum of g y, over x", "cumprod", " axis=0", 0, true, ADJOINT, ANYWHERE, cumprod_adjoint},
    {"y times running sum of x'/x", "cumprod", " axis=0", 0, true, TANGENT, ANYWHERE, cumprod_tangent},
};

#endif

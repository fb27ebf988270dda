/* scalar_ops.c: see scalar_ops.h. */
#include "scalar_ops.h"

#include <assert.h>

#include "elementary.h"

#define R MPFR_RNDN

void mp_setup(void)
{
	mpfr_set_emin(-16384);
	mpfr_set_emax(16384);
}

typedef int unary_fn(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd);
typedef int binary_fn(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd);
typedef int nary_fn(mpfr_ptr out, mpfr_srcptr const *x, int n);

static int value_logistic(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd)
{
	mpfr_neg(out, a, rnd);
	elementary_exp(out, out, rnd);
	mpfr_add_ui(out, out, 1, rnd);
	mpfr_ui_div(out, 1, out, rnd);
	return mpfr_regular_p(a); /* else 1/2, 0 or 1 */
}

/*
 * erf a = 2 a / sqrt(pi) e^(-a^2) sum over n of (2 a^2)^n / (1 3 5 ... (2n + 1)), with positive terms only (Abramowitz
 * and Stegun 7.1.6). Accurate to the precision of `out` for a up to a few units.
 */
static void erf_positive_series(mpfr_ptr out, mpfr_srcptr a)
{
	mpfr_prec_t bits = mpfr_get_prec(out) + 64;
	mpfr_t square, term, sum;
	mpfr_inits2(bits, square, term, sum, (mpfr_ptr)0);
	mpfr_sqr(square, a, R);
	mpfr_set_ui(term, 1, R);
	mpfr_set_ui(sum, 1, R);
	for (unsigned long n = 1; mpfr_get_exp(term) > mpfr_get_exp(sum) - bits; n++) {
		mpfr_mul(term, term, square, R);
		mpfr_mul_2ui(term, term, 1, R);
		mpfr_div_ui(term, term, 2 * n + 1, R);
		mpfr_add(sum, sum, term, R);
	}
	mpfr_mul(sum, sum, a, R);
	mpfr_mul_2ui(sum, sum, 1, R);
	mpfr_neg(square, square, R);
	elementary_exp(square, square, R);
	mpfr_mul(sum, sum, square, R);
	mpfr_const_pi(term, R);
	mpfr_rec_sqrt(term, term, R);
	mpfr_mul(out, sum, term, R);
	mpfr_clears(square, term, sum, (mpfr_ptr)0);
}

/*
 * A workaround for a bug of mpfr_erf (4.2.0 at least). It sums 1 - a^2/3 + ... and keeps the size of the cancellation
 * in a double. Within 2^-1022 of the square root of 3, such as the norm of (1, 1, 1), that overflows. An assertion of
 * MPFR then ends the process.
 */
static int value_erf(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd)
{
	if (mpfr_get_prec(out) > 900 && mpfr_regular_p(a) && mpfr_get_exp(a) == 1) {
		mpfr_t left;
		mpfr_init2(left, 64);
		mpfr_sqr(left, a, R);
		bool near = mpfr_cmp_ui(left, 3) == 0;
		mpfr_clear(left);
		if (near)
			return erf_positive_series(out, a), 1;
	}
	return elementary_erf(out, a, rnd);
}

static int value_floor(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd) { return (void)rnd, mpfr_floor(out, a), 0; }
static int value_ceil(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd) { return (void)rnd, mpfr_ceil(out, a), 0; }
static int value_trunc(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd) { return (void)rnd, mpfr_trunc(out, a), 0; }
static int value_round(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd) { return (void)rnd, mpfr_roundeven(out, a), 0; }

static int value_sign(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd)
{
	if (mpfr_nan_p(a))
		return mpfr_set(out, a, rnd);
	return mpfr_set_si(out, mpfr_sgn(a), rnd);
}

/* NaN if either operand is; mpfr_max ignores a NaN. */
static int value_max(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd)
{
	if (mpfr_nan_p(a) || mpfr_nan_p(b))
		return mpfr_set_nan(out), 0;
	return mpfr_set(out, mpfr_cmp(a, b) >= 0 ? a : b, rnd);
}

static int value_min(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd)
{
	if (mpfr_nan_p(a) || mpfr_nan_p(b))
		return mpfr_set_nan(out), 0;
	return mpfr_set(out, mpfr_cmp(a, b) <= 0 ? a : b, rnd);
}

/* The remainder with the sign of b. mpfr_fmod is exact, because no remainder has more bits than the operands. */
static int value_mod(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd)
{
	int inexact = mpfr_fmod(out, a, b, rnd);
	if (!mpfr_nan_p(out) && mpfr_sgn(out) && (mpfr_sgn(out) < 0) != (mpfr_sgn(b) < 0))
		inexact = mpfr_add(out, out, b, rnd);
	return inexact;
}

/* The floor of a quotient that may need more bits than there are. b goes into a less its remainder, without rest. */
static int far_floor_divide(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b)
{
	mpfr_t rest;
	mpfr_init2(rest, mpfr_get_prec(out));
	mpfr_fmod(rest, a, b, R);
	bool below = mpfr_sgn(rest) && (mpfr_sgn(rest) < 0) != (mpfr_sgn(b) < 0);
	mpfr_sub(rest, a, rest, R);
	mpfr_div(out, rest, b, R);
	mpfr_clear(rest);
	mpfr_round(out, out);
	mpfr_sub_ui(out, out, below, R);
	return mpfr_regular_p(out) && mpfr_get_exp(out) > mpfr_get_prec(out) - 4; /* else it is the integer itself */
}

/* A quotient that is rounded down passes no integer of that precision. A result 0 has the sign of b. */
static int value_floor_divide(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd)
{
	if (!mpfr_number_p(a) || !mpfr_regular_p(b)) {
		mpfr_div(out, a, b, rnd);
		return mpfr_floor(out, out), 0;
	}
	mpfr_div(out, a, b, MPFR_RNDD);
	if (mpfr_regular_p(out) && mpfr_get_exp(out) > mpfr_get_prec(out) - 5)
		return far_floor_divide(out, a, b);
	mpfr_floor(out, out);
	if (mpfr_zero_p(out))
		mpfr_set_zero(out, mpfr_signbit(b) ? -1 : 1);
	return 0;
}

static int value_sum(mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	int inexact = mpfr_set(out, x[0], R);
	for (int k = 1; k < n; k++)
		inexact |= mpfr_add(out, out, x[k], R);
	return inexact;
}

static int value_mean(mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	int inexact = value_sum(out, x, n);
	return inexact | mpfr_div_si(out, out, n, R);
}

static int value_largest(mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	mpfr_set(out, x[0], R);
	for (int k = 1; k < n && !mpfr_nan_p(out); k++)
		if (mpfr_nan_p(x[k]) || mpfr_greater_p(x[k], out))
			mpfr_set(out, x[k], R);
	return 0;
}

static int value_smallest(mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	mpfr_set(out, x[0], R);
	for (int k = 1; k < n && !mpfr_nan_p(out); k++)
		if (mpfr_nan_p(x[k]) || mpfr_less_p(x[k], out))
			mpfr_set(out, x[k], R);
	return 0;
}

static int value_norm(mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	int inexact = mpfr_sqr(out, x[0], R);
	for (int k = 1; k < n; k++)
		inexact |= mpfr_fma(out, x[k], x[k], out, R);
	return inexact | mpfr_sqrt(out, out, R);
}

static int value_logsumexp(mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	mpfr_t top, term;
	mpfr_init2(top, mpfr_get_prec(out));
	mpfr_init2(term, mpfr_get_prec(out));
	value_largest(top, x, n);
	if (mpfr_number_p(top)) {
		mpfr_set_zero(out, 1);
		for (int k = 0; k < n; k++) {
			mpfr_sub(term, x[k], top, R);
			elementary_exp(term, term, R);
			mpfr_add(out, out, term, R);
		}
		elementary_log(out, out, R);
		mpfr_add(out, out, top, R);
	} else {
		mpfr_set(out, top, R); /* an infinite or NaN largest element is the result */
	}
	mpfr_clear(top);
	mpfr_clear(term);
	return 1;
}

/* x = a0 b0 a1 b1 ... */
static int value_dot(mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	int inexact = mpfr_mul(out, x[0], x[1], R);
	for (int k = 2; k < n; k += 2)
		inexact |= mpfr_fma(out, x[k], x[k + 1], out, R);
	return inexact;
}

/* mpfr_neg and mpfr_abs are macros or functions, depending on the version. These wrappers have an address. */
static int value_neg(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd) { return mpfr_neg(out, a, rnd); }
static int value_abs(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd) { return mpfr_abs(out, a, rnd); }
static int value_copy(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd) { return mpfr_set(out, a, rnd); }

static unary_fn *const unary[OP_COUNT] = {
    [OP_NEG] = value_neg,
    [OP_ABS] = value_abs,
    [OP_SIGN] = value_sign,
    [OP_SQUARE] = mpfr_sqr,
    [OP_SQRT] = mpfr_sqrt,
    [OP_RSQRT] = mpfr_rec_sqrt,
    [OP_EXP] = elementary_exp,
    [OP_EXPM1] = elementary_expm1,
    [OP_LOG] = elementary_log,
    [OP_LOG1P] = elementary_log1p,
    [OP_SIN] = elementary_sin,
    [OP_COS] = elementary_cos,
    [OP_TAN] = elementary_tan,
    [OP_ASIN] = elementary_asin,
    [OP_ACOS] = elementary_acos,
    [OP_ATAN] = elementary_atan,
    [OP_SINH] = elementary_sinh,
    [OP_COSH] = elementary_cosh,
    [OP_TANH] = elementary_tanh,
    [OP_ASINH] = elementary_asinh,
    [OP_ACOSH] = elementary_acosh,
    [OP_ATANH] = elementary_atanh,
    [OP_LOGISTIC] = value_logistic,
    [OP_ERF] = value_erf,
    [OP_FLOOR] = value_floor,
    [OP_CEIL] = value_ceil,
    [OP_TRUNC] = value_trunc,
    [OP_ROUND] = value_round,
    [OP_CAST] = value_copy,
    [OP_STOP_GRADIENT] = value_copy,
    [OP_SELECT] = value_copy,
};

/* clang-format off */
static binary_fn *const binary[OP_COUNT] = {
    [OP_ADD] = mpfr_add, [OP_SUB] = mpfr_sub, [OP_MUL] = mpfr_mul, [OP_CUMPROD] = mpfr_mul, [OP_DIV] = mpfr_div,
    [OP_POW] = elementary_pow, [OP_ATAN2] = elementary_atan2, [OP_MOD] = value_mod,
    [OP_FLOOR_DIVIDE] = value_floor_divide,
    [OP_MAX] = value_max, [OP_MIN] = value_min,
};
/* clang-format on */

/* clang-format off */
static nary_fn *const nary[OP_COUNT] = {
    [OP_REDUCE_SUM] = value_sum, [OP_REDUCE_MEAN] = value_mean, [OP_REDUCE_MAX] = value_largest,
    [OP_REDUCE_MIN] = value_smallest, [OP_NORM] = value_norm, [OP_LOGSUMEXP] = value_logsumexp, [OP_MATMUL] = value_dot,
};
/* clang-format on */

bool scalar_value(enum op op, mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	if (unary[op])
		return !unary[op](out, x[0], R);
	if (binary[op])
		return !binary[op](out, x[0], x[1], R);
	assert(nary[op] && n > 0);
	return !nary[op](out, x, n);
}

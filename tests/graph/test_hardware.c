/*
 * dtype_round against MPFR and against the processor: + - * / sqrt and fma in f16, bf16, f32 and f64, over random bit
 * patterns.  The processor computes in f32 and f64 itself, and turns f32 into f16; no processor at hand knows bf16.
 *
 * Our engines compute in double and round the result to the dtype.  That is the rounding of the exact result, because a
 * double has more than twice the bits (Figueroa 1995).  An fma needs its sum rounded to odd first.
 */
#include "graph/random.h"
#include "graph/type.h"
#include "tests/check.h"
#include "tests/support/bits.h"

#include <fenv.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

enum op { ADD, SUBTRACT, MULTIPLY, DIVIDE, SQRT, FMA, OPS };
static const char *const op_names[OPS] = {"add", "subtract", "multiply", "divide", "sqrt", "fma"};

static const enum dtype dtypes[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes, CASES = 20000 };

/* What dtypes.def says, written once more: bits of a number, its precision, and the exponents of IEEE 754. */
static const struct format {
	int bits, precision, least; /* least: the smallest positive number is 2^least */
} formats[DTYPE_COUNT] = {[DTYPE_F16] = {16, 11, -24},
    [DTYPE_BF16] = {16, 8, -133},
    [DTYPE_F32] = {32, 24, -149},
    [DTYPE_F64] = {64, 53, -1074}};

/* ---- operands ---- */

/* Any bits; half of the time with an exponent near that of `near`, so that the last bits matter. */
static double draw(enum dtype d, uint64_t *state, double near)
{
	double x = number_of_bits(d, random_next(state));

	if (random_next(state) % 2 && isfinite(x) && isfinite(near) && x != 0 && near != 0)
		x = ldexp(x, ilogb(near) - ilogb(x) + (int)(random_next(state) % 32) - 16);
	return isfinite(x) ? dtype_round(d, x) : x;
}

/* ---- three answers ---- */

static double by_mpfr(enum dtype d, enum op op, const double x[3])
{
	const struct format *f = &formats[d];
	mpfr_t r, v[3];
	double out;
	int t = 0;

	for (int k = 0; k < 3; k++) {
		mpfr_init2(v[k], 53);
		mpfr_set_d(v[k], x[k], MPFR_RNDN);
	}
	mpfr_init2(r, f->precision);
	mpfr_set_emin(f->least + 1);
	mpfr_set_emax(f->bits == 16 && f->precision == 11 ? 16 : f->precision == 53 ? 1024 : 128);
	switch (op) {
	case ADD:
		t = mpfr_add(r, v[0], v[1], MPFR_RNDN);
		break;
	case SUBTRACT:
		t = mpfr_sub(r, v[0], v[1], MPFR_RNDN);
		break;
	case MULTIPLY:
		t = mpfr_mul(r, v[0], v[1], MPFR_RNDN);
		break;
	case DIVIDE:
		t = mpfr_div(r, v[0], v[1], MPFR_RNDN);
		break;
	case SQRT:
		t = mpfr_sqrt(r, v[0], MPFR_RNDN);
		break;
	case FMA:
		t = mpfr_fma(r, v[0], v[1], v[2], MPFR_RNDN);
		break;
	case OPS:
		abort();
	}
	t = mpfr_check_range(r, t, MPFR_RNDN);
	mpfr_subnormalize(r, t, MPFR_RNDN);
	out = mpfr_get_d(r, MPFR_RNDN);
	mpfr_set_emin(mpfr_get_emin_min());
	mpfr_set_emax(mpfr_get_emax_max());
	mpfr_clear(r);
	for (int k = 0; k < 3; k++)
		mpfr_clear(v[k]);
	return out;
}

/* In double by the processor. */
static double in_double(enum op op, const double x[3])
{
	const volatile double a = x[0], b = x[1], c = x[2];

	switch (op) {
	case ADD:
		return a + b;
	case SUBTRACT:
		return a - b;
	case MULTIPLY:
		return a * b;
	case DIVIDE:
		return a / b;
	case SQRT:
		return sqrt(a);
	case FMA:
		return fma(a, b, c);
	case OPS:
		break;
	}
	abort();
}

/* a b + c, cut off; the last bit is set if anything was lost.  a b is exact: it has at most 48 bits. */
static double fma_to_odd(const double x[3])
{
	const volatile double a = x[0] * x[1], b = x[2];
	double sum;
	bool inexact;

	feclearexcept(FE_INEXACT);
	fesetround(FE_TOWARDZERO);
	{
		const volatile double cut = a + b;

		sum = cut;
	}
	inexact = fetestexcept(FE_INEXACT);
	fesetround(FE_TONEAREST);
	if (!inexact) /* also for the sign of an exact 0, which depends on the direction */
		return x[0] * x[1] + x[2];
	return double_of_bits(bits_of(sum) | 1);
}

static double ours(enum dtype d, enum op op, const double x[3])
{
	return dtype_round(d, op == FMA && d != DTYPE_F64 ? fma_to_odd(x) : in_double(op, x));
}

static float in_float(enum op op, const double x[3])
{
	const volatile float a = (float)x[0], b = (float)x[1], c = (float)x[2];

	switch (op) {
	case ADD:
		return a + b;
	case SUBTRACT:
		return a - b;
	case MULTIPLY:
		return a * b;
	case DIVIDE:
		return a / b;
	case SQRT:
		return sqrtf(a);
	case FMA:
		return fmaf(a, b, c);
	case OPS:
		break;
	}
	abort();
}

#ifdef __x86_64__
__attribute__((target("f16c"))) static double to_half(float x)
{
	return (double)_cvtsh_ss(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT));
}

static bool has_half(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}
#else
static double to_half(float x) { return (double)x; }
static bool has_half(void) { return false; }
#endif

/* What the processor says; false: it does not know the dtype, or the op in it. */
static bool by_processor(enum dtype d, enum op op, const double x[3], double *out)
{
	if (d == DTYPE_BF16 || (d == DTYPE_F16 && (op == FMA || !has_half())))
		return false;
	*out = d == DTYPE_F64 ? in_double(op, x) : d == DTYPE_F32 ? (double)in_float(op, x) : to_half(in_float(op, x));
	return true;
}

/* ---- the law ---- */

static void law_rounds_once(enum dtype d, enum op op, long cases)
{
	uint64_t state = 0x9e3779b97f4a7c15u + (uint64_t)op * 64 + (uint64_t)d;
	long asked = 0;

	for (long k = 0; k < cases; k++) {
		double x[3], exact, hardware;

		x[0] = draw(d, &state, NAN);
		x[1] = draw(d, &state, x[0]);
		x[2] = draw(d, &state, x[0] * x[1]);
		exact = by_mpfr(d, op, x);
		CHECK(same_number(ours(d, op, x), exact), "%s in %s of %a, %a, %a: %a, by MPFR %a", op_names[op],
		    dtype_table[d].name, x[0], x[1], x[2], ours(d, op, x), exact);
		if (!by_processor(d, op, x, &hardware))
			continue;
		asked++;
		CHECK(same_number(hardware, exact), "%s in %s of %a, %a, %a: %a by the processor, by MPFR %a",
		    op_names[op], dtype_table[d].name, x[0], x[1], x[2], hardware, exact);
	}
	printf("%s in %s: %ld cases, %ld of them by the processor\n", op_names[op], dtype_table[d].name, cases, asked);
}

int main(int argc, char **argv)
{
	const char *text = getenv("HARDWARE_CASES");
	const long cases = text ? atol(text) : CASES;

	check_begin(argc, argv);
	for (int k = 0; k < DTYPES; k++)
		for (int op = 0; op < OPS; op++)
			if (row_wanted("%s in %s", op_names[op], dtype_table[dtypes[k]].name))
				law_rounds_once(dtypes[k], (enum op)op, cases);
	mpfr_free_cache();
	return check_done();
}

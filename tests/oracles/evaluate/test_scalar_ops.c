/* test_scalar_ops.c: values where a function of MPFR is not enough. */
#include "oracles/evaluate/scalar_ops.h"

#include "tests/check.h"

#include <math.h>

/* erf at the square root of 3, against MPFR's a step of 2^-900 beside it: erf(x + d) - erf(x) = 2 / sqrt(pi) e^(-3) d,
 * and what is of d^2. */
static void check_erf(int bits, int sign, int ulps)
{
	enum { STEP = -900 };
	mpfr_t x, beside, got, want, slope;
	mpfr_inits2(bits, x, beside, got, want, slope, (mpfr_ptr)0);
	mpfr_sqrt_ui(x, 3, MPFR_RNDN);
	for (; ulps > 0; ulps--)
		mpfr_nextabove(x);
	for (; ulps < 0; ulps++)
		mpfr_nextbelow(x);
	mpfr_set_ui_2exp(slope, 1, STEP, MPFR_RNDN);
	mpfr_add(beside, x, slope, MPFR_RNDN);
	mpfr_mul_si(x, x, sign, MPFR_RNDN);
	mpfr_mul_si(beside, beside, sign, MPFR_RNDN);
	mpfr_srcptr operand = x;
	CHECK(!scalar_value(OP_ERF, got, &operand, 1), "%d bits: said to be exact", bits);
	mpfr_erf(want, beside, MPFR_RNDN);
	mpfr_sub(got, want, got, MPFR_RNDN);

	mpfr_set_si(want, -3, MPFR_RNDN);
	mpfr_exp(want, want, MPFR_RNDN);
	mpfr_const_pi(slope, MPFR_RNDN);
	mpfr_rec_sqrt(slope, slope, MPFR_RNDN);
	mpfr_mul(want, want, slope, MPFR_RNDN);
	mpfr_mul_2si(want, want, STEP + 1, MPFR_RNDN);
	mpfr_mul_si(want, want, sign, MPFR_RNDN);
	mpfr_sub(got, got, want, MPFR_RNDN);
	int limit = 2 * STEP + 4 > 4 - bits ? 2 * STEP + 4 : 4 - bits;
	CHECK(mpfr_zero_p(got) || mpfr_get_exp(got) <= limit, "%d bits, %d ulps: off by 2^%ld", bits, ulps,
	    (long)mpfr_get_exp(got));
	mpfr_clears(x, beside, got, want, slope, (mpfr_ptr)0);
}

/* The floor of a/b for a next to q b, on that side. A 0 has the sign of b. */
static void check_floor_divide(int bits, double q, double b, int side)
{
	mpfr_t x, y, got;
	mpfr_inits2(bits, x, y, got, (mpfr_ptr)0);
	mpfr_set_d(y, b, MPFR_RNDN);
	mpfr_mul_d(x, y, q, MPFR_RNDN);
	if (side > 0)
		mpfr_nextabove(x);
	if (side < 0)
		mpfr_nextbelow(x);
	const double want = q - (side && (side < 0) != (b < 0));
	const bool negative = want == 0 ? b < 0 : want < 0,
	           exact = scalar_value(OP_FLOOR_DIVIDE, got, (mpfr_srcptr[]){x, y}, 2);
	CHECK(exact && !mpfr_cmp_d(got, want) && !mpfr_signbit(got) == !negative, "%d bits, %g and %d ulps of %g: %g",
	    bits, q, side, b, mpfr_get_d(got, MPFR_RNDN));
	mpfr_clears(x, y, got, (mpfr_ptr)0);
}

/* A quotient 2^e / b of more bits than there are is no exact integer, and may be out of range. */
static void check_far_quotient(int bits, int e, double b, bool infinite)
{
	mpfr_t x, y, got;
	mpfr_inits2(bits, x, y, got, (mpfr_ptr)0);
	mpfr_set_ui_2exp(x, 1, e, MPFR_RNDN);
	mpfr_set_d(y, b, MPFR_RNDN);
	const bool exact = scalar_value(OP_FLOOR_DIVIDE, got, (mpfr_srcptr[]){x, y}, 2);
	CHECK(infinite ? mpfr_inf_p(got) : !exact && mpfr_integer_p(got), "%d bits: 2^%d / %g is %g", bits, e, b,
	    mpfr_get_d(got, MPFR_RNDN));
	mpfr_clears(x, y, got, (mpfr_ptr)0);
}

static void check_quotients(int bits)
{
	static const double q[] = {0, 1, -1, 7, -1000, 1e9, 0x1p53}, b[] = {1, -1, 3, -0.1, 1e-300, -1e30};
	for (size_t i = 0; i < sizeof q / sizeof *q; i++)
		for (size_t j = 0; j < sizeof b / sizeof *b; j++)
			for (int side = -1; side <= 1; side++)
				check_floor_divide(bits, q[i], b[j], side);
	check_far_quotient(bits, bits + 10, 3, false);
	check_far_quotient(bits, 16000, 0x1p-1000, true);
}

int main(int argc, char **argv)
{
	static const int bits[] = {1000, 1100, 2048, 2560};
	check_begin(argc, argv);
	mp_setup();
	check_quotients(128);
	check_quotients(2560);
	for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
		for (int ulps = -2; ulps <= 2; ulps++)
			for (int sign = -1; sign <= 1; sign += 2)
				check_erf(bits[k], sign, ulps);
	return check_done();
}

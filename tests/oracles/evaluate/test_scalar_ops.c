/* test_scalar_ops.c: values where a function of MPFR is not enough. */
#include "oracles/evaluate/scalar_ops.h"

#include "tests/check.h"

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

int main(int argc, char **argv)
{
	static const int bits[] = {1000, 1100, 2048, 2560};
	check_begin(argc, argv);
	mp_setup();
	for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
		for (int ulps = -2; ulps <= 2; ulps++)
			for (int sign = -1; sign <= 1; sign += 2)
				check_erf(bits[k], sign, ulps);
	return check_done();
}

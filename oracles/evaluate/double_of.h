/*
 * double_of.h: the double nearest to an MPFR number, ties to even.
 *
 * It is what mpfr_get_d gives with MPFR_RNDN. The oracles ask for it many times a scalar, and mpfr_get_d takes several
 * times as long: it serves every rounding, precision and size of limb.
 */
#ifndef ORACLES_EVALUATE_DOUBLE_OF_H
#define ORACLES_EVALUATE_DOUBLE_OF_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether any of the n limbs at `limb` is not 0. */
static inline bool limbs_remain(const mp_limb_t *limb, long n)
{
	while (n > 0)
		if (limb[--n])
			return true;
	return false;
}

/* Whether x is 1 or -1. */
static inline bool is_unit(mpfr_srcptr x)
{
	const mp_limb_t *limb = (const mp_limb_t *)mpfr_custom_get_significand(x);
	const long below = (mpfr_get_prec(x) - 1) / GMP_NUMB_BITS;

	return mpfr_regular_p(x) && mpfr_get_exp(x) == 1 && limb[below] == (mp_limb_t)1 << (GMP_NUMB_BITS - 1) &&
	    !limbs_remain(limb, below);
}

static inline double double_of(mpfr_srcptr x)
{
	/* The leading limb holds 64 bits of the significand, the first of them a 1. The double keeps 53 of them. */
	enum { CUT = 11, HALF = 1 << (CUT - 1), BIAS = 1023 };
	uint64_t bits;
	double out;

	if (GMP_NUMB_BITS != 64 || !mpfr_regular_p(x) || mpfr_get_exp(x) < -1021 || mpfr_get_exp(x) > 1024)
		return mpfr_get_d(x, MPFR_RNDN);
	const mp_limb_t *limb = (const mp_limb_t *)mpfr_custom_get_significand(x);
	const long below = (mpfr_get_prec(x) - 1) / GMP_NUMB_BITS;
	const uint64_t top = limb[below], cut = top & (2 * HALF - 1);
	/* |x| = (top, rest) / 2^64 * 2^exp. The leading 1 adds 1 to the exponent field, and so does a carry. */
	bits = ((uint64_t)(mpfr_get_exp(x) + BIAS - 2) << 52) + (top >> CUT);
	bits += cut > HALF || (cut == HALF && ((top >> CUT & 1) || limbs_remain(limb, below)));
	bits |= (uint64_t)(mpfr_signbit(x) != 0) << 63;
	memcpy(&out, &bits, sizeof out);
	return out;
}

#endif

/* rounding.h: error bounds for one rounding to nearest, and for a sum in any order. TOLERANCE.md derives them. */
#ifndef ORACLES_BALL_ROUNDING_H
#define ORACLES_BALL_ROUNDING_H

#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <string.h>

#include "graph/type.h"

/* Half a unit in the last place of the binade of x >= 0; the smallest subnormal below the normal range. Rounding a
 * number of magnitude up to x is off by at most this. */
double rounding_of(const struct dtype_info *info, double x);
/* The same for a sum of two, which is exact in the subnormal range. */
double rounding_of_addition(const struct dtype_info *info, double x);

/*
 * The row of a dtype for engines that may flush subnormal operands and results to 0. An underflow is then off by up to
 * the smallest normal number, not by half of the smallest subnormal. All numbers are multiples of the smallest normal
 * or larger. TOLERANCE.md, "Flushing to zero".
 */
struct dtype_info rounding_flushing(const struct dtype_info *info);
static inline bool rounding_flushes(const struct dtype_info *info) { return info->tiny > info->normal; }
/*
 * n * info->tiny, for n >= 0, rounded alike. Processors multiply subnormal numbers slowly. Every partial asks for this,
 * and in f64 the smallest subnormal number is the unit of the last bit.
 */
static inline double rounding_tiny_times(const struct dtype_info *info, double n)
{
	const double one = 0x1p52; /* adding it leaves n, rounded to an integer, in the last bits */
	double sum = n + one, out;
	uint64_t bits, base;
	if (info->tiny != 0x1p-1074 || !(n < one))
		return n * info->tiny;
	memcpy(&bits, &sum, sizeof bits);
	memcpy(&base, &one, sizeof base);
	bits -= base;
	memcpy(&out, &bits, sizeof out);
	return out;
}
/* The radius of a number of this size that an engine may read as 0 by flushing. */
static inline double rounding_flushed(const struct dtype_info *info, double size, double radius)
{
	return rounding_flushes(info) && size - radius < info->normal ? fmax(size, radius) : radius;
}

/* The terms of a sum, without those that are exactly 0, because adding them rounds nothing. No terms yet: {0}. */
struct terms {
	int n;
	double positive, negative, top; /* sums of the magnitudes by sign, and the largest magnitude */
	double radius;                  /* sum of the radii */
	long quantum;                   /* for exact terms: all are multiples of 2^quantum */
};

/* The error if all partial sums of n terms except the whole are flushed. */
double terms_flushed(int n, const struct dtype_info *info);

/* More additions than any engine executes: a number of terms stays there. Twice it is an int. */
enum { TERMS_LIMIT = 1 << 29 };
/* Adds to a number of terms. `more` is at most TERMS_LIMIT. */
void terms_count(int *n, int more);

/* Adds a term: x is its exact value, magnitude is |x|. */
void terms_add(struct terms *t, mpfr_srcptr x, double magnitude, double radius);
/* The error of n - 1 additions in any order. `whole` is the magnitude of the sum. The caller counts a whole that is
 * flushed (rounding_flushed). */
double terms_rounding(const struct terms *t, const struct dtype_info *info, double whole);
/* The same if an engine may first scale all terms, and so the sum, by a common factor, which moves them to other
 * binades. Only the last addition is at the binade of the sum. */
double terms_rounding_scaled(const struct terms *t, const struct dtype_info *info, double whole);
/* Whether no order of accumulation rounds anything: all terms are exact, and every partial sum is a value of the dtype.
 */
bool terms_exact(const struct terms *t, const struct dtype_info *info);

/* Whether |x| is a power of two. */
bool is_power_of_two(mpfr_srcptr x);

#endif

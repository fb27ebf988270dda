/* rounding.h: what one rounding to nearest, and a sum in any order, may be off by.  TOLERANCE.md derives it. */
#ifndef ORACLES_BALL_ROUNDING_H
#define ORACLES_BALL_ROUNDING_H

#include <mpfr.h>

#include "graph/type.h"

/* Half a unit in the last place of the binade of x >= 0; no number of magnitude up to x is rounded by more.  The
 * smallest subnormal below the normal range. */
double rounding_of(const struct dtype_info *info, double x);
/* The same of a sum of two, which is exact in the subnormal range. */
double rounding_of_addition(const struct dtype_info *info, double x);

/*
 * The row of a dtype for engines that may flush subnormal operands and results to 0: what underflows is off by up to
 * the smallest normal number, not by half of the smallest subnormal, and numbers are multiples of the smallest normal
 * or larger.  TOLERANCE.md, "Flushing to zero".
 */
struct dtype_info rounding_flushing(const struct dtype_info *info);
static inline bool rounding_flushes(const struct dtype_info *info) { return info->tiny > info->normal; }
/* The radius of a number of this size that such an engine may read as 0. */
double rounding_flushed(const struct dtype_info *info, double size, double radius);

/* The terms of a sum, those that are exactly 0 left out: adding them rounds nothing.  None: {0}. */
struct terms {
	int n;
	double positive, negative, top; /* sums of the magnitudes by sign, and the largest magnitude */
	double radius;                  /* sum of the radii */
	long quantum;                   /* exact terms: all are multiples of 2^quantum */
};

/* What flushed partial sums of n terms, all but the whole, come to. */
double terms_flushed(int n, const struct dtype_info *info);

/* x: the exact value; magnitude |x|. */
void terms_add(struct terms *t, mpfr_srcptr x, double magnitude, double radius);
/* What n - 1 additions in any order lose; `whole` is the magnitude of the sum.  A whole that is flushed is the caller's
 * to count (rounding_flushed). */
double terms_rounding(const struct terms *t, const struct dtype_info *info, double whole);
/* The same where all terms, and the sum, may be scaled by a common factor first, whatever binades that moves them to:
 * but for the last addition. */
double terms_rounding_scaled(const struct terms *t, const struct dtype_info *info, double whole);
/* Whether no order of accumulation rounds anything: all terms are exact, and every partial sum is a value of the dtype.
 */
bool terms_exact(const struct terms *t, const struct dtype_info *info);

/* Whether |x| is a power of two. */
bool is_power_of_two(mpfr_srcptr x);

#endif

/* internal.h: what ball.c and sum.c share. */
#ifndef ORACLES_BALL_INTERNAL_H
#define ORACLES_BALL_INTERNAL_H

#include "ball.h"

/* Whether scalar k rounds by the binade; an engine's own formulas of a derivative inside the program round elsewhere:
 * relative errors. */
bool ball_by_binade(const struct evaluation *ev, int k);
/* What an op with an error of c unit roundoffs loses at the size x >= 0. */
double ball_one_rounding(const struct evaluation *ev, int k, double c, double x);
/* How many times worse than c unit roundoffs the function of scalar k is in the engine at hand; 1 for arithmetic, whose
 * c is 1. */
double ball_worse(const struct evaluation *ev, int k, double c);
/* What it may be off by besides, whatever its value: 0 for arithmetic, and where the engine at hand declares nothing.
 */
double ball_absolute(const struct evaluation *ev, int k, double c);
/* Whether scalar k is an exact power of two, by which a product is not rounded. */
bool ball_scales(const struct evaluation *ev, const struct note *note, int k);
/* But for what is scaled down from the normal range: of a result of this size and radius. */
double ball_scaled_rounding(const struct dtype_info *info, bool down, double size, double radius);

/* The radius of scalar k: a dot product; and reduce_sum, reduce_mean, norm or logsumexp.  Its note holds its magnitude.
 */
void ball_dot(const struct evaluation *ev, struct note *note, int k);
void ball_nary(const struct evaluation *ev, struct note *note, int k);

#endif

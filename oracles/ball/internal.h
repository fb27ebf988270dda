/* internal.h: what ball.c, decide.c, sum.c and quotient.c share. */
#ifndef ORACLES_BALL_INTERNAL_H
#define ORACLES_BALL_INTERNAL_H

#include "ball.h"

/* Whether scalar k rounds by the binade. An engine's own formulas for a derivative inside the program round in
 * other binades, so only relative errors bound them. */
bool ball_by_binade(const struct evaluation *ev, int k);
/* The error at size x >= 0 of an op that loses c unit roundoffs. */
double ball_one_rounding(const struct evaluation *ev, int k, double c, double x);
/* How many times worse than c unit roundoffs the engine under test computes the function of scalar k. 1 for
 * arithmetic, whose c is 1. */
double ball_worse(const struct evaluation *ev, int k, double c);
/* The absolute error that the engine under test declares for the function in addition. 0 for arithmetic, and if
 * nothing is declared. */
double ball_absolute(const struct evaluation *ev, int k, double c);
/* Whether scalar k is an exact power of two. A product with it is not rounded. */
bool ball_scales(const struct evaluation *ev, const struct note *note, int k);
/* The exception: the rounding of a result of this size and radius that was scaled down out of the normal range. */
double ball_scaled_rounding(const struct dtype_info *info, bool down, double size, double radius);

/* Compute the radius of scalar k, whose note holds its magnitude. They also note whether a tie or rounding makes its
 * partials uncertain (decide.c). k is a maximum or minimum, an element of a sort, or a step such as floor or sign. */
void ball_extremum(const struct evaluation *ev, struct note *note, int k);
void ball_sorted(const struct evaluation *ev, struct note *note, int k);
void ball_step(const struct evaluation *ev, struct note *note, int k);

/* Computes the radius of scalar k, a mod or floor_divide with a finite value. The note of k holds its magnitude. */
void ball_floored(const struct evaluation *ev, struct note *note, int k);

/* Compute the radius of scalar k: ball_dot for a dot product, the other for reduce_sum, reduce_mean, norm and
 * logsumexp. The note of k holds its magnitude. */
void ball_dot(const struct evaluation *ev, struct note *note, int k);
void ball_nary(const struct evaluation *ev, struct note *note, int k);

/* The largest product of which a formula that uses scalar k may consist. Examples: a y/b may be computed as an a/b^2,
 * y/a of a power as the power less one. Values of the program count too, because a later formula may use them. */
double ball_most(const struct evaluation *ev, const struct note *note, int k);
/* An engine may differentiate n/d, the derivative of a quotient by b, as (n' d - n d')/d^2. d is then b^2, or b^4, and
 * so on. The largest number on that way to scalar k, a quotient by b in the trace; 0 if no such n/d was differentiated.
 */
double ball_most_of_quotient(const struct evaluation *ev, const struct note *note, int k);

#endif

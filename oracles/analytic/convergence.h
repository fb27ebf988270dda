/*
 * convergence.h: derivatives of a solution, which some engines have from the implicit function theorem and others from
 * the iterations that they executed.  Both are right, but the second only in the limit.
 */
#ifndef ORACLES_ANALYTIC_CONVERGENCE_H
#define ORACLES_ANALYTIC_CONVERGENCE_H

#include "oracles/truth.h"

/* Whether a fixed point of meaning `solution` is in the region, at any depth. */
bool convergence_matters(const struct region *region);
/* Whether one is inside an op derivative, so that values depend on which derivative of it an engine takes. */
bool convergence_nested(const struct region *region);

/* Numbers of steps that are looked at beside the largest. */
enum { CONVERGENCE_STEPS = 4 };

/*
 * Widens the balls of the derivatives of `solution`, the truth of the request t at a point, so that they hold those of
 * `unrolled`, which was evaluated as an engine iterates.  stray: how far from its solution an engine may linearise; the
 * balls hold the first order of that already.  A ball that becomes too wide to say anything is undecided(convergence).
 */
void convergence_widen(
    struct truth_point *solution, const struct truth_point *unrolled, const struct transform *t, double stray);

#endif

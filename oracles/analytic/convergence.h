/*
 * convergence.h: derivatives of a solution. Some engines use the implicit function theorem, others differentiate the
 * iterations that they executed. Both are correct, but the second only in the limit.
 */
#ifndef ORACLES_ANALYTIC_CONVERGENCE_H
#define ORACLES_ANALYTIC_CONVERGENCE_H

#include "oracles/truth.h"

/* Whether a fixed point of meaning `solution` is in the region, at any depth. */
bool convergence_matters(const struct region *region);
/* Whether one is inside an op derivative. Values then depend on how an engine differentiates it. */
bool convergence_nested(const struct region *region);

/* How many numbers of steps are tried besides the largest. */
enum { CONVERGENCE_STEPS = 4 };

/*
 * Widens the balls of the derivatives of `solution` so that they contain those of `unrolled`. `solution` is the truth
 * of the request t at a point; `unrolled` was evaluated as an engine iterates. stray: how far from its solution an
 * engine may linearize; the balls already contain the first order of that. A ball that becomes too wide to be useful
 * makes the component undecided(convergence).
 */
void convergence_widen(
    struct truth_point *solution, const struct truth_point *unrolled, const struct transform *t, double stray);

#endif

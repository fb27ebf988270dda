/*
 * dead_branch.h: the programs in which everybody meets a NaN of weak zeros: y = f(x) where x > 0, else 0, at 0, with f
 * the square root, the logarithm or the reciprocal.  An engine may guard the root alone.
 */
#ifndef FUZZ_MINIMIZE_DEAD_BRANCH_H
#define FUZZ_MINIMIZE_DEAD_BRANCH_H

#include "fuzz/bench/question.h"

enum { DEAD_BRANCHES = 3 };

/* Makes the program of number `which` in that dtype.  The request has these levels, each by x with seed 1.  False: one
 * of them is a batch. */
bool dead_branch_case(
    const enum transform_kind *stack, int n_stack, enum dtype dtype, int which, struct arena *a, struct testcase *out);

/*
 * Finds a dead branch that shows the finding of `q`, with one vjp or jvp, or with the levels of c.  *out lives in `a`.
 * So engines that have this habit show it by the same program, whatever the case was.  *smallest: it is
 * select(false, f(x), x), of which the minimizer could take nothing away.  False: none shows it.
 */
bool dead_branch_of(
    const struct question *q, const struct testcase *c, struct arena *a, struct testcase *out, bool *smallest);

#endif

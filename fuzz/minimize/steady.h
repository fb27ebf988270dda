/* steady.h: does an engine answer alike when it is asked again? */
#ifndef FUZZ_MINIMIZE_STEADY_H
#define FUZZ_MINIMIZE_STEADY_H

#include "fuzz/bench/question.h"

/*
 * How many runs an engine needs before it counts as right about c, which shows a finding.  One if its answers to c
 * agree, otherwise many.  q: the bench and until.
 */
int steady_runs(const struct question *q, const struct testcase *c, struct arena *a);

/*
 * Whether x and y have the same derivatives, or the same results if they have none.  Numbers may differ as far as
 * another order of summation explains.
 */
bool same_answer(const struct answer *x, const struct answer *y);

#endif

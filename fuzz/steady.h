/* steady.h: does an engine answer alike when it is asked again? */
#ifndef FUZZ_STEADY_H
#define FUZZ_STEADY_H

#include "question.h"

/*
 * How often the engine has to be asked about a case before it counts as right: once, or many times where it answers c, which shows a finding, in different ways.  Asks until
 * q->until is over.
 */
int steady_runs(const struct question *q, const struct testcase *c, struct arena *a);

/*
 * Whether the derivatives of x, or its results where it has none, are those of y; of a request that is written out whole, the results.  Numbers are the same that another order of
 * summation may make of each other.
 */
bool same_answer(const struct answer *x, const struct answer *y);

#endif

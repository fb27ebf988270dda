/*
 * simplest.h: what is behind a minimal case.  A finding keeps its coarse signature while it is minimized, so one bug
 * leaves as many minimal cases as it has faces: other levels of the request, a number that is 0 here and of the wrong
 * sign there, an op whose derivative is written with the one to blame. The simplest case may show any finding of the
 * engine, and is the same, or nearly so, for most of them.
 */
#ifndef FUZZ_MINIMIZE_SIMPLEST_H
#define FUZZ_MINIMIZE_SIMPLEST_H

#include "fuzz/bench/question.h"

/*
 * From a minimal case that the engine of q->bench shows a finding of:
 * 1. as many inner levels of the request as possible, op derivative and fixed points are written out as a program
 * (aot.h), as long as the engine gives the same wrong numbers: then it is an op in there that is wrong, at a lower
 * order;
 * 2. the result is minimized under any finding, but with no op that was not there: a smaller case of another bug would,
 * as a rule, need another op.  But for the ops of the plainest loop in place of another loop, where one iteration of it
 * shows nothing: then the loop is to blame, whatever is in it. The result is valid and shows a finding; in `a`.  q: the
 * bench, until and refuse; candidates are judged by the analytic oracle.  Deterministic as minimize(), which gets
 * `budget`, but for q->until: what is simplest by then.
 */
struct testcase simplest_case(const struct question *q, const struct testcase *minimal, int budget, struct arena *a);

#endif

/* minimize.h: the smallest case that still shows the same coarse signature. */
#ifndef FUZZ_MINIMIZE_MINIMIZE_H
#define FUZZ_MINIMIZE_MINIMIZE_H

#include "fuzz/bench/question.h"

/* Whether a valid candidate still shows the finding.  May use and reset `scratch`. */
typedef bool interesting_fn(void *self, const struct testcase *candidate, struct arena *scratch);

struct minimize_statistics {
	int tried, accepted, rounds;
};

/*
 * Applies the passes of passes.def in order until none makes progress, `budget` candidates were tried, or `until`
 * (NULL: never) is over.  Deterministic but for `until`.  `from` must be interesting.  The result lives in `a`.
 */
struct testcase minimize(const struct testcase *from, interesting_fn *interesting, void *self, int budget,
    const struct limit *until, struct arena *a, struct minimize_statistics *stats);

/*
 * The same case, but candidates are asked together if question->ahead is set, which also `interesting` then asks by.  A
 * candidate that does not show the finding of *question, or that it refuses, must not be interesting.
 */
struct testcase minimize_together(const struct testcase *from, interesting_fn *interesting, void *self,
    const struct question *question, int budget, const struct limit *until, struct arena *a,
    struct minimize_statistics *stats);

#endif

/* expect.h: checks whether a case's expectation is met. */
#ifndef FUZZ_CLI_EXPECT_H
#define FUZZ_CLI_EXPECT_H

#include "fuzz/bench/bench.h"

/* Whether the expectation is about that engine: it names it, or every right one. */
bool expect_is_about(const struct expectation *x, const struct engine *engine);
/* Checks the engine's verdict and numbers.  strict: "inaccurate" does not count as "agree".  NULL: met; else what is
 * wrong, in the arena. */
const char *expect_engine(const struct testcase *c, const struct expectation *x, const struct answer *answers,
    const struct judgement *j, bool strict, struct arena *a);
/* Checks the truth's numbers, for an entry without an engine. */
const char *expect_truth(const struct testcase *c, const struct expectation *x, const struct truth *t, struct arena *a);

#endif

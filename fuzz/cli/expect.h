/* expect.h: whether a case's expectation is met. */
#ifndef FUZZ_CLI_EXPECT_H
#define FUZZ_CLI_EXPECT_H

#include "fuzz/bench/bench.h"

/* The engine's verdict and numbers.  strict: "inaccurate" is not "agree".  NULL: met; else what is wrong, in the arena.
 */
const char *expect_engine(const struct testcase *c, const struct expectation *x, const struct answer *answers,
    const struct judgement *j, bool strict, struct arena *a);
/* The truth's numbers, for an entry without engine. */
const char *expect_truth(const struct testcase *c, const struct expectation *x, const struct truth *t, struct arena *a);

#endif

/* declared.h: judges an answer by what the engine's hello declares: its rounding errors, finite numbers only, weak
 * zeros. */
#ifndef FUZZ_BENCH_DECLARED_H
#define FUZZ_BENCH_DECLARED_H

#include "bench.h"

/* Judges the answer.  A limitation that the engine's hello declares is no finding. A NaN
 * of weak zeros is marked as declared (struct judgement). */
void bench_verdict(struct bench *b, const struct engine *engine, const struct testcase *c, const struct truth *truth,
    const struct answer *answer, struct arena *a, struct judgement *out);

#endif

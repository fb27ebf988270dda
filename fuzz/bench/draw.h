/* draw.h: random cases that some engine of a bench knows. */
#ifndef FUZZ_BENCH_DRAW_H
#define FUZZ_BENCH_DRAW_H

#include "bench.h"
#include "fuzz/generate/generate.h"

/* Whether some engine of the bench will be asked about c (engine_refusal), or there is none. */
bool bench_knows(const struct bench *b, const struct testcase *c, struct arena *a);
/*
 * Draws cases until bench_knows one, up to DRAW_MOST; returns the last.  With a built-in engine that is the first.
 */
enum { DRAW_MOST = 32 };
struct testcase draw_known(
    const struct bench *b, struct choice *choice, const struct profile *profile, struct arena *a);

#endif

/* grow.h: the typical case of a finding, grown from the smallest one by the steps of growth.def. */
#ifndef FUZZ_GROW_GROW_H
#define FUZZ_GROW_GROW_H

#include "fuzz/bench/question.h"

struct growth {
	int tried, kept; /* candidates */
};

/* Told about each candidate that the engine answers rightly, and the case that it was made from, which fails. */
typedef void grow_pair_fn(void *context, const struct testcase *fails, const struct testcase *passes);

/*
 * Grows `from`, which shows a finding of verdict v in the first engine of q->bench, as long as the analytic oracle sees
 * that verdict.  Of q, the bench, runs, until and spent count.  At most `budget` candidates are judged.  The result is
 * judged in full; if it shows no finding then, it is a copy of `from`.  It lives in `a`.  Deterministic but for
 * q->until.  pair: NULL, or called with `context`.
 */
struct testcase grow(const struct testcase *from, enum verdict v, const struct question *q, int budget,
    grow_pair_fn *pair, void *context, struct arena *a, struct growth *out);

#endif

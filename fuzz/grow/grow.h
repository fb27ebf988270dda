/* grow.h: the typical case of a finding, grown from the smallest one by the steps of growth.def. */
#ifndef FUZZ_GROW_GROW_H
#define FUZZ_GROW_GROW_H

#include "fuzz/bench/question.h"

struct growth {
	int tried, kept; /* candidates */
};

/*
 * Grows `from`, which shows a finding of verdict v in the first engine of q->bench, as long as the analytic oracle sees
 * that verdict.  Of q, the bench, runs, until and spent count.  At most `budget` candidates are judged.  The result is
 * judged in full; if it shows no finding then, it is a copy of `from`.  It lives in `a`.  Deterministic but for
 * q->until.
 */
struct testcase grow(const struct testcase *from, enum verdict v, const struct question *q, int budget, struct arena *a,
    struct growth *out);

#endif

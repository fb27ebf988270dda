/* look.h: one engine, asked about many cases: as often as it takes to see what it shows, where it does not always answer alike. */
#ifndef FUZZ_LOOK_H
#define FUZZ_LOOK_H

#include "same_signature.h"

struct look {
	struct bench *bench; /* of that engine alone */
	int runs;            /* how often it is asked before it counts as right */
	const struct same_signature *limit; /* when that is over nothing is asked any more, and nothing is found; NULL: never */
};

/* After it was asked often about c, a case that shows a finding. */
struct look look_at(struct bench *one, const struct same_signature *limit, const struct testcase *c, struct arena *a);
/* Whether it gave different answers then. */
bool look_is_unsteady(const struct look *look);
/* Whether c shows a finding, by shows_finding; *j is of that run, or of the last. */
bool look_finds(const struct look *look, const struct testcase *c, struct arena *a, struct judgement *j);

/*
 * Whether the derivatives of x, or its results where it has none, are those of y; of a request that is written out whole, the results.  Numbers are the same that another order of
 * summation may make of each other.
 */
bool same_answer(const struct answer *x, const struct answer *y);

#endif

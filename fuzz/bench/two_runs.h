/* two_runs.h: compares what an engine answered when it was asked twice. */
#ifndef FUZZ_BENCH_TWO_RUNS_H
#define FUZZ_BENCH_TWO_RUNS_H

#include "bench.h"

/* The first difference between two runs of one engine. */
struct difference {
	bool any;
	int point, which, element; /* element -1: the runs do not differ in one element */
	bool in_primal;
	double first, second;
};

/* The answers first[n_point] and second[n_point] of one engine about one case. */
struct difference compare_runs(const struct answer *first, const struct answer *second, int n_point);
/*
 * Fills the judgement of an engine whose two runs differ: the first run as expected, the second as returned.  The
 * counts of decided numbers stay, because they describe the truth.
 */
void judge_nondeterministic(const struct difference *d, struct judgement *j);

#endif

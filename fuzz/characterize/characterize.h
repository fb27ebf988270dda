/* characterize.h: runs experiments around a case that shows a finding (experiments.def) and draws conclusions. */
#ifndef FUZZ_CHARACTERIZE_CHARACTERIZE_H
#define FUZZ_CHARACTERIZE_CHARACTERIZE_H

#include "reports/characterization.h"
#include "fuzz/bench/bench.h"

struct characterize_options {
	const char *experiments; /* comma-separated ids; NULL: all */
	double seconds;          /* budget: experiments that did not begin in time are skipped.  0: no limit */
	int held_out;            /* number of new variants that test the condition */
};

/*
 * Characterizes the failure of the only engine of bench b, opened from `spec` ([NAME=]SPEC), on case c.  The result
 * lies in the arena, and depends on nothing else except the time budget.  False with the reason in e: an unknown
 * experiment, or an engine that cannot be opened.
 */
bool characterize(struct bench *b, const char *spec, const struct testcase *c, const struct characterize_options *o,
    struct arena *a, struct characterization *out, struct error *e) MUST_CHECK;

/* Whether the comma-separated ids are experiments (NULL: all).  False with the reason. */
bool experiments_exist(const char *list, struct error *e) MUST_CHECK;
/* Id of experiment `index` in table order, for help; NULL past the end. */
const char *experiment_id(int index);

#endif

/* characterize.h: experiments around a case that shows a finding (experiments.def), and what follows from them. */
#ifndef FUZZ_CHARACTERIZE_CHARACTERIZE_H
#define FUZZ_CHARACTERIZE_CHARACTERIZE_H

#include "reports/characterization.h"
#include "fuzz/bench/bench.h"

struct characterize_options {
	const char *experiments; /* comma-separated ids; NULL: all */
	double seconds;          /* budget; what was not begun by then is skipped.  0: none */
	int held_out;            /* fresh variants that the condition is tried on */
};

/*
 * Characterizes what engine `spec`, alone on bench b, makes of c.  Deterministic but for the budget.  Everything in the
 * arena.  False with the reason in e: an id that is no experiment, or an engine that cannot be opened again.
 */
bool characterize(struct bench *b, const char *spec, const struct testcase *c, const struct characterize_options *o,
    struct arena *a, struct characterization *out, struct error *e) MUST_CHECK;

/* Names and titles of the experiments in table order, for help; NULL past the end. */
const char *experiment_id(int index);

#endif

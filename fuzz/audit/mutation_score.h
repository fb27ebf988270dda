/*
 * mutation_score.h: how many faults or mutants of an engine does a campaign find, and after how many cases?  One stream
 * of cases for all of them: the truth of a case is computed once, everything alive answers, and what is found is
 * retired.
 */
#ifndef FUZZ_AUDIT_MUTATION_SCORE_H
#define FUZZ_AUDIT_MUTATION_SCORE_H

#include "fuzz/bench/bench.h"
#include "fuzz/generate/generate.h"

struct score_options {
	const char *engine; /* name of a built-in engine */
	bool mutants;       /* its mutants, else its faults that take no argument */
	const char *only;   /* rows whose spec or meaning contains this; NULL: all */
	int64_t cases;
	uint64_t seed;
	struct profile profile; /* its share of jvp gives way where the engine cannot answer jvp, or not vjp */
	const char *found; /* directory for the first case that shows each row, as SPEC.json; NULL: they are not kept */
	bool ask_all;      /* also where an edited rule cannot matter: slower, the same result */
	bool progress;     /* on standard error */
};

/* One fault or mutant. */
struct scored {
	char *spec, *meaning; /* owned */
	int64_t found;        /* number of the first case that showed it, from 1; 0: survived */
	enum verdict verdict; /* there */
	int64_t inaccurate;   /* number of the first case before that in which it was merely inaccurate, and the engine
	                         without faults was not; 0: none */
};

struct score {
	int n;
	struct scored *row;     /* [n], in table order; owned */
	int64_t cases, skipped; /* judged; left out, for memory */
	int64_t right_wrong; /* number of the case in which the engine without faults was judged wrong, which ended it;
	                        0: none */
	int64_t failures;    /* answers that the machine prevented */
	struct error unwritten; /* why a case could not be kept, which ended it; "" */
	int survivors;
	int64_t median,
	    ninety; /* of `found` among those found: half, nine tenths are at most that; 0 where nothing was found */
};

/*
 * Case k is that of `fuzz --driver generate` with the same seed, profile and engine.  Ends early when nothing is alive,
 * and at a signal (stop_on_signals).  A machine failure leaves failures > 0, and survivors that mean nothing.  False
 * with the reason in e when an engine cannot be opened.
 */
bool mutation_score(const struct score_options *o, struct score *out, struct error *e) MUST_CHECK;
void score_free(struct score *s);

#endif

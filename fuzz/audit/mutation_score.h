/*
 * mutation_score.h: measures how many faults or mutants of an engine a campaign finds, and after how many cases.  All
 * of them share one stream of cases.  The truth of a case is computed once, and every mutant still alive answers.  A
 * mutant that is found is retired.
 */
#ifndef FUZZ_AUDIT_MUTATION_SCORE_H
#define FUZZ_AUDIT_MUTATION_SCORE_H

#include "fuzz/bench/bench.h"
#include "fuzz/generate/generate.h"

struct score_options {
	const char *engine; /* name of a built-in engine */
	bool mutants;       /* score its mutants, otherwise its faults without arguments */
	const char *only;   /* only rows whose spec or meaning contains this; NULL: all */
	int64_t cases;
	uint64_t seed;
	struct profile profile; /* its share of jvp becomes 0 or 100 if the engine answers only vjp or only jvp */
	const char *found;      /* directory for the first case that shows each row, as SPEC.json; NULL: not written */
	bool ask_all;           /* ask even where an edited rule cannot matter: slower, with the same result */
	bool progress;          /* on standard error */
};

/* One fault or mutant. */
struct scored {
	char *spec, *meaning; /* owned */
	int64_t found;        /* number of the first case that showed it, from 1; 0: it survived */
	enum verdict verdict; /* there */
	int64_t inaccurate;   /* number of the first earlier case in which it was only inaccurate, while the engine
	                         without faults agreed; 0: none */
};

struct score {
	int n;
	struct scored *row;     /* [n], in table order; owned */
	int64_t cases, skipped; /* cases judged; cases left out, for lack of memory */
	int64_t right_wrong; /* number of the case in which the engine without faults was judged wrong, which ended the
	                        score; 0: none */
	int64_t failures;    /* answers that the machine prevented */
	struct error unwritten; /* why a case could not be written, which ended the score; "" */
	int survivors;
	int64_t median,
	    ninety; /* half (nine tenths) of the rows that were found have `found` at most this; 0: none was found */
};

/*
 * Case k is that of `fuzz --driver generate` with the same seed, profile and engine.  Ends early when nothing is alive,
 * and after a signal (stop_on_signals).  After a machine failure, failures > 0, and survivors means nothing.  False,
 * with the reason in e: an engine cannot be opened.
 */
bool mutation_score(const struct score_options *o, struct score *out, struct error *e) MUST_CHECK;
void score_free(struct score *s);

#endif

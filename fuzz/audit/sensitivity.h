/*
 * sensitivity.h: measures how small an error of a derivative rule random cases find.  The rule of an op is off by the
 * factor 1 + e, for e from 1e-8 down to 1e-15, two per decade.  All ops and all e share one stream of cases.
 *
 * An error counts as found if 10,000 cases find it with a probability of 95 %.  This holds if a case shows it with a
 * probability of 1 - 0.05^(1/10000), about 3 in 10,000.  Cases are independent, so counting those that show it is
 * enough.  The count must be so large that a rarer error reaches it with a probability of at most 5 % (Poisson): 15 of
 * 30,000.
 */
#ifndef FUZZ_AUDIT_SENSITIVITY_H
#define FUZZ_AUDIT_SENSITIVITY_H

#include "fuzz/bench/bench.h"
#include "fuzz/generate/generate.h"

enum { SENSITIVITY_ERRORS = 15, SENSITIVITY_CASES = 10000 };

/* The errors, from the largest. */
extern const double sensitivity_error[SENSITIVITY_ERRORS];

struct sensitivity_options {
	const char *engine; /* name of a built-in engine that has the fault `scale` */
	const char *only; /* only ops whose name contains this; NULL: all whose rule contributes something of its own */
	int64_t cases;
	uint64_t seed;
	struct profile profile; /* its share of jvp becomes 0 or 100 if the engine answers only vjp or only jvp */
	bool progress;          /* on standard error */
};

struct sensitivity_row {
	enum op op;
	char operand; /* 'a', 'b', 'c': the error is in the contribution of this operand; '\0': in all contributions */
	/*
	 * Enough cases showed sensitivity_error[0 .. found - 1].  A case that shows an error also counts for all larger
	 * errors that were not shown by enough cases before.
	 */
	int found;
	int64_t cases_95; /* number of cases that find the smallest of these with a probability of 95 %, from the same
	                     count; 0: none */
	int shown_next;   /* cases that showed the next smaller error */
	int64_t occurs;   /* cases that contain the op */
};

struct sensitivity {
	int n;
	struct sensitivity_row row[3 * OP_COUNT]; /* [n], in the order of ops.def */
	int needed;                               /* number of cases that must show an error */
	int64_t cases, skipped;                   /* cases judged; cases left out, for lack of memory */
	int64_t right_wrong, failures;            /* as in struct score (mutation_score.h) */
};

/*
 * The cases are those of `fuzz --driver generate` with the same seed, profile and engine.  A case does not ask for
 * rules of ops that its program does not contain, although its derivative may contain them (and a second derivative
 * then uses them).  Ends early when enough cases have shown every error, and after a signal.  False, with the reason in
 * e: an engine cannot be opened.
 */
bool sensitivity_measure(const struct sensitivity_options *o, struct sensitivity *out, struct error *e) MUST_CHECK;
/* How many of `cases` cases must show an error. */
int sensitivity_needed(int64_t cases);

#endif

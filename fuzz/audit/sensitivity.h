/*
 * sensitivity.h: how small an error of a derivative rule do random cases find?  The rule of an op is off by the factor
 * 1 + e, for e from 1e-8 down to 1e-15, two a decade; one stream of cases for all ops and all e.
 *
 * What is asked of an e: that 10,000 cases find it with a probability of 95 %, which they do if a case shows it with a
 * probability of 1 - 0.05^(1/10000), about 3 in 10,000.  Cases are independent of each other, so that it is enough to
 * count those that show it: as many as would be seen with a probability of 5 % at most were they rarer than that
 * (Poisson), 15 of 30,000.
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
	const char *only;   /* ops whose name contains this; NULL: all whose rule contributes something of its own */
	int64_t cases;
	uint64_t seed;
	struct profile profile; /* its share of jvp gives way where the engine cannot answer jvp, or not vjp */
	bool progress;          /* on standard error */
};

struct sensitivity_row {
	enum op op;
	char operand; /* 'a', 'b', 'c': the error is in what this operand contributes; '\0': in all */
	/*
	 * sensitivity_error[0 .. found - 1] were shown by so many cases.  A case shows an error if it does, and shows
	 * all larger ones that were not shown by enough cases before.
	 */
	int found;
	int64_t cases_95; /* how many cases find the smallest of these with a probability of 95 %, from the same count;
	                     0: none */
	int shown_next;   /* cases that showed the next smaller one */
	int64_t occurs;   /* cases with the op in them */
};

struct sensitivity {
	int n;
	struct sensitivity_row row[3 * OP_COUNT]; /* [n], in the order of ops.def */
	int needed;                               /* cases that have to show an error */
	int64_t cases, skipped;                   /* judged; left out, for memory */
	int64_t right_wrong, failures;            /* as of a score (mutation_score.h) */
};

/*
 * The cases are those of `fuzz --driver generate` with the same seed, profile and engine.  In a case, rules of ops that
 * the program does not have are not asked for, though its derivative may have them, which derivatives of second order
 * then meet.  Ends early when every error was shown by enough cases, and at a signal.  False with the reason in e when
 * an engine cannot be opened.
 */
bool sensitivity_measure(const struct sensitivity_options *o, struct sensitivity *out, struct error *e) MUST_CHECK;
/* How many of that many cases have to show an error. */
int sensitivity_needed(int64_t cases);

#endif

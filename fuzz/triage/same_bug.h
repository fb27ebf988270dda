/* same_bug.h: whether two findings of one engine are one bug, as far as can be told from what is minimal of each. */
#ifndef FUZZ_TRIAGE_SAME_BUG_H
#define FUZZ_TRIAGE_SAME_BUG_H

#include "fine_signature.h"

/* What is known of a finding. */
struct symptom {
	const char *fine;       /* fine signature, or what stands for it */
	const char *program;    /* fine signature of the program alone, where another stands for it; NULL: none does */
	struct pattern pattern; /* of the fine signature */
	struct request_summary asked;
	enum verdict verdict;
	enum deviation deviation;
	double factor;  /* the worst number returned in units of the expected one; NaN where there is none */
	bool weak_zero; /* every NaN that 0 times infinity may have made, whatever the program */
	bool flaky;     /* it did not come again with a fresh engine: nothing is minimal */
	bool unsteady;  /* it comes now and then */
};

/*
 * Of one engine.  -1: y is one more of x; 1: x is one more of y; 0: two bugs.  One more of another has the same name;
 * or
 * - it shows what the other does in a program that has the other's ops and more, one of them without regions
 * (pattern_explains), where as much is asked or more; of what does not answer any ops (pattern_is_part);
 * - it is flaky, and the other, whose ops it has, comes now and then;
 * - it is about numbers and the other is not (a crash, a wrong shape), or it is a NaN that 0 times infinity may have
 * made and the other has no such excuse, of the very same ops, one of them without regions, and request: what dies here
 * is wrong there;
 * - it is off by the same factor, not 0, of the same ops and request, and they differ in what any op would do for;
 * - the other is the primal's, about any scatter or elementwise op and no one of them (what a compiler does to
 * programs), and it has one;
 * - both are NaN that leak out of the same loops or branches, whatever elementwise op makes them there;
 * - it is an op whose derivative is right and is not differentiated itself, as the other: how a rule keeps what it
 * needs is common to the rules of many ops.
 */
int same_bug(const struct symptom *x, const struct symptom *y);
/* Whether both are about numbers, of the same ops and request, and differ in what any op would do for: too little to
 * call them one, were not one met on the way to the other. */
bool symptom_resembles(const struct symptom *x, const struct symptom *y);
/* Whether y has the name of x, or x has what of y shows it, and explains whatever y does. */
bool symptom_covers(const struct symptom *x, const struct symptom *y);

#endif

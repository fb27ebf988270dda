/* same_bug.h: are two findings of one engine duplicates of one bug?  Decides by the simplest case of each. */
#ifndef FUZZ_TRIAGE_SAME_BUG_H
#define FUZZ_TRIAGE_SAME_BUG_H

#include "fuzz/bench/bench.h"
#include "fine_signature.h"

/* One way in which a finding shows, taken from its simplest case. */
struct symptom {
	const char *fine;       /* fine signature, or the text used in its place */
	const char *program;    /* the fine signature proper, if `fine` is another text; else NULL */
	struct pattern pattern; /* the names in the fine signature */
	struct request_summary asked;
	enum verdict verdict;
	enum deviation deviation;
	double factor;  /* worst number returned / expected number; NaN if the expected number is 0 */
	bool weak_zero; /* stands for all NaNs that 0 * infinity can explain, in any program */
	bool flaky;     /* a fresh engine did not show it again: nothing was minimized */
	bool unsteady;  /* the engine shows it in some runs only */
	bool raised;    /* the engine answered an error of its own; its process lived on */
	/* Of a case with one loop: trial_trip, and its most iterations.  If the pattern is bare (wiring.h): the inlets
	 * through which it shows (inlets.h), 0: not known. */
	int inlets, trip, most;
	struct spelled spelled; /* of the simplest case: the first spellings of its ops do not show it */
};

/*
 * Compares two findings of one engine. -1: y is a duplicate of x.  1: x is a duplicate of y.  0: two bugs.
 * If x names an op that y spells differently, they are two bugs.
 *
 * y is a duplicate of x if both have the same fine signature.  It also is if one of these holds (same_bug.c):
 * - Larger case: y has all ops of x, one of them without regions (pattern_explains), and x's request explains y's.  If
 * the engine does not answer (it crashes or hangs), having all names of x is enough (pattern_is_part).
 * - Flaky: a fresh engine does not show y again, x shows in some runs only, and y has all names of x.
 * - Plainer failure: both have the same ops, one of them without regions, and the same request. x is a crash or a wrong
 * shape and y is about numbers; or 0 * infinity can explain y and cannot explain x.  An error that the engine raises
 * itself explains no numbers: its check is right, or wrong, for a reason of its own.
 * - Same factor: both are wrong by the same factor, not 0, with the same ops and request.  They differ in roles only.
 * - Compiler: x is a wrong primal that names roles only, and y has ops of these roles.  A compiler's mistake in
 * programs shows in derivatives too.
 * - Leak of a region: both are NaNs that leak out of the same loops or branches.  The elementwise op that makes them
 * may differ.
 * - Constant rule: both are one elementwise op whose derivative is right, but is not differentiated further (it counts
 * as constant).  Rules of many ops keep their residuals in the same way, so one bug is likelier.
 */
int same_bug(const struct symptom *x, const struct symptom *y);
/*
 * Whether both name the same loops and branches, but are most likely two bugs.  Either they show through different
 * inlets, and not from the same number of iterations on.  Or one needs 3 iterations or more, and the other shows with
 * fewer.
 */
bool symptoms_apart(const struct symptom *x, const struct symptom *y);
/* Whether both are about numbers and have the same ops and request; roles may differ.  This is too little to call them
 * duplicates, unless the minimizer met one on its way to the other. */
bool symptom_resembles(const struct symptom *x, const struct symptom *y);
/* Whether symptom x makes y superfluous: both have the same fine signature, or x explains y as a larger case
 * (same_bug). */
bool symptom_covers(const struct symptom *x, const struct symptom *y);

#endif

/*
 * work.h: how much a truth may cost.
 *
 * Work is counted, never measured, so that verdicts are the same on every host.  Each scalar of a trace costs what its
 * op costs at its precision (work.def), and each moved element a little.  The unit is a nanosecond of the machine on
 * which the weights were measured.
 */
#ifndef ORACLES_EVALUATE_WORK_H
#define ORACLES_EVALUATE_WORK_H

#include <mpfr.h>

#include "graph/program.h"

enum {
	WORK_TRUTH = 250000000,       /* for the analytic oracle: one case, all its points and slices */
	WORK_DIFFERENCES = 150000000, /* for finite differences in a truth */
	WORK_CONFIRM = 300000000,     /* for finite differences of every coordinate, and the truth of slices again */
	WORK_SCALARS = 300000,        /* the longest trace of the analytic oracle; about 520 bytes a scalar */
	WORK_MOVED_SCALARS = 100000,  /* the longest trace for finite differences; about 380 bytes on all rungs */
	WORK_BYTES = 48 << 20         /* of the arena, for one truth */
};

/* What is left.  It is spent by evaluations that point to it. */
struct budget {
	int64_t left;
	int scalars;       /* the longest trace */
	size_t first_byte; /* arena bytes in use at the start */
	bool over;         /* something exceeded its limit */
};

/* Begins to count. */
void work_begin(struct budget *w, int64_t limit, int scalars, const struct arena *a);
/*
 * Takes `amount` for a trace of n scalars.  If that is too much, it sets `over` and leaves the innermost try of the
 * arena (arena_full).  w NULL: there is no limit.
 */
static inline void work_take(struct budget *w, int64_t amount, int n, const struct arena *a)
{
	if (!w)
		return;
	w->left -= amount;
	w->over = w->left < 0 || n > w->scalars || a->used > w->first_byte + WORK_BYTES;
	if (w->over)
		arena_full(a);
}
/* What a scalar with that op and n parents costs. */
int64_t work_of(enum op op, mpfr_prec_t precision, int n);

#endif

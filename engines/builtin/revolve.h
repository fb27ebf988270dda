/*
 * revolve.h: binomial checkpointing.
 *
 * It says in which order the states of `steps` steps are reached again, backwards, if at most `snapshots` of them may
 * be kept at a time.  It is only a schedule: it knows numbers of states, not states.  State k is the one before step k;
 * state 0 exists at the start.  Source: Griewank and Walther, "Algorithm 799: revolve", ACM TOMS 26(1), 2000.
 */
#ifndef ENGINES_BUILTIN_REVOLVE_H
#define ENGINES_BUILTIN_REVOLVE_H

#include <stdint.h>

enum { REVOLVE_SNAPSHOTS = 64 };

enum revolve_kind {
	REVOLVE_STORE,   /* copy the working state, number `from`, into `slot` */
	REVOLVE_ADVANCE, /* run steps from ... to - 1; the working state is then `to` */
	REVOLVE_REVERSE, /* reverse step `from` from the working state, which is lost */
	REVOLVE_RESTORE, /* copy `slot`, which holds state `from`, into the working state */
	REVOLVE_DONE
};

struct revolve_action {
	enum revolve_kind kind;
	int from, to, slot;
};

struct revolve {
	int snapshots;
	int left;                            /* steps that are still to be reversed */
	int at;                              /* the working state; -1: lost */
	int live, stored[REVOLVE_SNAPSHOTS]; /* states in the slots, ascending; slot 0 holds state 0 */
};

/* steps >= 0, 1 <= snapshots <= REVOLVE_SNAPSHOTS; the snapshot of state 0 counts. */
void revolve_init(struct revolve *r, int steps, int snapshots);
/* The next action.  The schedule assumes that the caller performs it. */
struct revolve_action revolve_next(struct revolve *r);
/*
 * The number of steps that the schedule advances in all, which is the least possible.  A step that is run as part of
 * its reversal does not count.
 */
int64_t revolve_cost(int steps, int snapshots);

#endif

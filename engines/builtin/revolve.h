/*
 * revolve.h: binomial checkpointing (Griewank and Walther, "Algorithm 799: revolve", ACM TOMS 26(1), 2000): in which
 * order the states of `steps` steps are reached again, backwards, when at most `snapshots` of them may be kept at a
 * time.  A pure schedule: it knows numbers of states, not states.  State k is the one before step k; state 0 is there
 * at the start.
 */
#ifndef ENGINES_BUILTIN_REVOLVE_H
#define ENGINES_BUILTIN_REVOLVE_H

#include <stdint.h>

enum { REVOLVE_SNAPSHOTS = 64 };

enum revolve_kind {
	REVOLVE_STORE,   /* copy the working state, `from`, into `slot` */
	REVOLVE_ADVANCE, /* run steps from ... to - 1: the working state is `to` then */
	REVOLVE_REVERSE, /* reverse step `from`, from the working state, which is spent */
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
	int at;                              /* the working state; -1: spent */
	int live, stored[REVOLVE_SNAPSHOTS]; /* states in the slots, ascending; slot 0 holds state 0 */
};

/* steps >= 0, 1 <= snapshots <= REVOLVE_SNAPSHOTS; the snapshot of state 0 counts. */
void revolve_init(struct revolve *r, int steps, int snapshots);
/* What to do next; the action is taken as done. */
struct revolve_action revolve_next(struct revolve *r);
/*
 * Steps that the schedule advances in all: the least any schedule can do.  The step that is run as a part of reversing
 * it does not count.
 */
int64_t revolve_cost(int steps, int snapshots);

#endif

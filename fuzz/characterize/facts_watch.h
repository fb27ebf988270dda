/* facts_watch.h: what is seen while the program of a case runs at its points. */
#ifndef FUZZ_CHARACTERIZE_FACTS_WATCH_H
#define FUZZ_CHARACTERIZE_FACTS_WATCH_H

#include "facts.h"

/* A run of the lowered program.  Flags cover all computations of a value. */
struct facts_watch {
	struct facts *f;
	const struct program *p;
	bool *singular; /* [n_value] its op was at the end of its domain, or gave no finite value */
	bool *untaken;  /* [n_value] a select, maximum or minimum did not take it as operand, at least once */
	bool *lost;     /* the same for maximum and minimum only */
	bool known;     /* values have the numbers of the case: nothing was lowered */
	int point;
	bool *run, *unentered, *chooses, *taken[FACTS_OPERANDS], *changes, *zero_factor[2];
	uint64_t *last;            /* [n_value] hash of the value when it was last computed at this point; 0: not yet */
	uint64_t path, first_path; /* the branches and trip counts so far at this point, and at the first */
	int *entered;              /* [n_value] first result of a loop: executions of its body since it last ended */
};

/* Observes a run, as interpret.h says; self: a struct facts_watch. */
void facts_watch_step(void *self, const struct region *region, const struct node *n, const struct tensor *value);
/* Observes a run with exchanged branches of a cond: it sees whether the branch that is not executed is singular. */
void facts_watch_exchanged(void *self, const struct region *region, const struct node *n, const struct tensor *value);

#endif

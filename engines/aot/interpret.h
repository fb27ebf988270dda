/* interpret.h: runs a program op by op: primal values, no derivative.  Derived programs are run by it. */
#ifndef ENGINES_AOT_INTERPRET_H
#define ENGINES_AOT_INTERPRET_H

#include "graph/program.h"

/*
 * Runs the valid program `p` on input[p->top.n_param]; result[p->top.n_result] are copies with memory from the arena.
 * Inputs are never written to.  Memory does not grow with trip counts.
 */
void interpret_program(const struct program *p, const struct tensor *input, struct arena *a, struct tensor *result);

/*
 * What is told while a program runs: a region begins (node NULL), or a node of it is done, whose operands and results
 * are value[], by number.  What value[] points to is gone after the call.
 */
struct interpret_observer {
	void *self;
	void (*step)(void *self, const struct region *region, const struct node *node, const struct tensor *value);
};

/* The same of a program without custom and fixed_point (lower.h), so that nodes are told as they are in `p`. */
void interpret_observed(const struct program *p, const struct tensor *input, const struct interpret_observer *o,
    struct arena *a, struct tensor *result);

#endif

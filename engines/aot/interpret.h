/* interpret.h: runs a program op by op.  It computes values, no derivatives; derivative programs are run by it too. */
#ifndef ENGINES_AOT_INTERPRET_H
#define ENGINES_AOT_INTERPRET_H

#include "graph/program.h"

/*
 * Runs the valid program `p` on input[p->top.n_param]. result[p->top.n_result] are copies, in the arena.  Inputs are
 * never written to.  Memory does not grow with trip counts.
 */
void interpret_program(const struct program *p, const struct tensor *input, struct arena *a, struct tensor *result);

/*
 * An observer of a running program.  It is called when a region begins (node NULL), and after each node of it. value[]
 * has the operands and results by number.  The memory behind value[] is gone after the call.
 */
struct interpret_observer {
	void *self;
	void (*step)(void *self, const struct region *region, const struct node *node, const struct tensor *value);
};

/*
 * The same with an observer.  The program must have no custom and no fixed_point (lower.h), so that the nodes are those
 * of `p`.
 */
void interpret_observed(const struct program *p, const struct tensor *input, const struct interpret_observer *o,
    struct arena *a, struct tensor *result);

#endif

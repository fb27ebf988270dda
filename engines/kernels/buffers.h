/* buffers.h: who else may hold the cells of a value: what an engine asks before it stores into a buffer in place. */
#ifndef ENGINES_KERNELS_BUFFERS_H
#define ENGINES_KERNELS_BUFFERS_H

#include "graph/program.h"

/* [p->n_value] the region that defines each value, as a parameter or as a result of one of its nodes; in the arena. */
const struct region **buffers_home(const struct program *p, struct arena *a);

/*
 * [p->n_value] the node that uses each value last, when that node belongs to the region that defines the value and uses
 * it once, as an operand: then nobody asks for the value by its name once the node runs.  NULL: there is no such node.
 * In the arena.
 */
const struct node **buffers_last(const struct program *p, struct arena *a);

/*
 * [p->n_value] whether no other value and nobody outside the program holds the cells of each value, in an engine where
 * ops give fresh cells, loops copy their carries in and out, slices of scan, elements of scatter_apply and operands of
 * custom are copies, while cond, checkpoint and custom hand on the cells of what their regions give.  Such a value may
 * be overwritten by the store that consumes it. In the arena.
 */
bool *buffers_exclusive(const struct program *p, struct arena *a);

#endif

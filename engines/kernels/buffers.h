/* buffers.h: which values share their cells.  An engine asks this before it stores into a buffer in place. */
#ifndef ENGINES_KERNELS_BUFFERS_H
#define ENGINES_KERNELS_BUFFERS_H

#include "graph/program.h"

/* [p->n_value] the region that defines each value, as a parameter or as a result of one of its nodes.  In the arena. */
const struct region **buffers_home(const struct program *p, struct arena *a);

/*
 * [p->n_value] the node that uses each value last.  It must belong to the region that defines the value, and use the
 * value once, as an operand.  Then nobody reads the value after that node.  NULL: there is no such node.  In the arena.
 */
const struct node **buffers_last(const struct program *p, struct arena *a);

/*
 * [p->n_value] whether each value has its cells to itself: no other value holds them, and nobody outside the program.
 * The store that consumes such a value may overwrite it.  In the arena.
 *
 * This assumes an engine in which ops give fresh cells, and loops copy their carries in and out.  Slices of scan,
 * elements of scatter_apply and operands of custom are copies too.  But cond, checkpoint and custom hand on the cells
 * of their regions' results.
 */
bool *buffers_exclusive(const struct program *p, struct arena *a);

#endif

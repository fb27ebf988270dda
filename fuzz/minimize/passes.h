/* passes.h: the passes of passes.def, for minimize.c and the files that hold them. */
#ifndef FUZZ_MINIMIZE_PASSES_H
#define FUZZ_MINIMIZE_PASSES_H

#include "fuzz/edit/edit.h"

/*
 * A pass lists candidates: it makes edit number k (0, 1, ...) of the case in e->c.  After a success the driver tries
 * the same k again, because another thing is at that place now.
 */
typedef enum edit_result minimize_pass_fn(struct edit *e, int k);

/* The k-th smaller size to try in place of an extent or a trip count, k < EDIT_SIZES; 0: there is none at this k. */
enum { EDIT_SIZES = 30 };
int edit_smaller(int from, int k);
/* pass_trip has so many candidates for a loop: none, the smaller sizes, and a fixed count in place of an operand. */
enum { TRIP_HOWS = EDIT_SIZES + 2, TRIP_ONE_LESS = EDIT_SIZES };

/* Which nodes are cut. */
typedef bool cut_node_fn(const void *context, const struct program *p, const struct node *n);
/*
 * As pass_cut, of all nodes of the top level that is_cut names; the program is run once for up to LIMIT_ARGS values.
 * False if one of them cannot be cut, or there is none.
 */
bool cut_nodes(struct edit *e, cut_node_fn *is_cut, const void *context);

#define PASS(function, elsewhere, meaning) minimize_pass_fn function;
#include "passes.def"
#undef PASS

#endif

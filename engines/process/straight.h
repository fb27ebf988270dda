/* straight.h: what a program executes at one point, as a program without regions, or with those that an engine knows.
 */
#ifndef ENGINES_PROCESS_STRAIGHT_H
#define ENGINES_PROCESS_STRAIGHT_H

#include "graph/program.h"

enum { STRAIGHT_NODES = 1 << 14 };

/*
 * The nodes that p executes at point[p->top.n_param], in order, as a program of the same inputs and results: loops
 * unrolled, branches taken, checkpoints, customs and fixed points as the function they are, stores as updates.  p has
 * no op derivative.  constants: what depends on no float input, and every integer and bool, is a constant with the
 * value that it has at the point.  keep[OP_COUNT]: ops with regions that stay as they are, where everything inside them
 * does (not with constants); NULL: none.  In the arena.  False with the reason where the program would have more than
 * STRAIGHT_NODES nodes.
 */
bool straight_program(const struct program *p, const struct tensor *point, bool constants, const bool *keep,
    struct arena *a, struct program *out, struct error *e) MUST_CHECK;

/*
 * The same program in which the operands of elementwise ops have the shape of their result, by ops broadcast_to.  The
 * program itself where they have; else in the arena, renumbered.
 */
struct program straight_broadcasts(const struct program *p, struct arena *a);

#endif

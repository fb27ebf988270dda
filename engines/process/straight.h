/*
 * straight.h: unrolls a program at one point, into a program without regions, or only with regions that an engine
 * knows.
 */
#ifndef ENGINES_PROCESS_STRAIGHT_H
#define ENGINES_PROCESS_STRAIGHT_H

#include "graph/program.h"

enum { STRAIGHT_NODES = 1 << 14 };

/*
 * Writes the nodes that p executes at point[p->top.n_param], in order, as a program with the same inputs and results.
 * Loops are unrolled and branches taken.  Checkpoints, customs and fixed points become the functions that they are, and
 * stores become updates. p must have no op derivative.
 *
 * If `constants`, every value that depends on no float input, and every integer and bool, becomes a constant with its
 * value at the point. keep[OP_COUNT] names ops with regions that stay as they are if everything inside them stays too
 * (not with constants); NULL: none.
 *
 * The program is in the arena.  False with the reason if it would have more than STRAIGHT_NODES nodes.
 */
bool straight_program(const struct program *p, const struct tensor *point, bool constants, const bool *keep,
    struct arena *a, struct program *out, struct error *e) MUST_CHECK;

/*
 * The same program with operands of elementwise ops in the shape of their result, by ops broadcast_to.  Returns p
 * itself if nothing has to change; else a renumbered program in the arena.
 */
struct program straight_broadcasts(const struct program *p, struct arena *a);

#endif

/*
 * step_length.h: whether the steps of finite differences are too long for some value that the program computes on the
 * way.
 *
 * Example: a sum of atan(2^514 c x) at x = 0. It moves by pi/2 times the signs of the c for every step down to 2^-514.
 * If the signs cancel, the differences of the results tend to 0 as if that were the derivative. The trace shows the
 * mistake: one of its values moves as far with a much shorter step.
 */
#ifndef ORACLES_DIFFERENCES_STEP_LENGTH_H
#define ORACLES_DIFFERENCES_STEP_LENGTH_H

#include "oracles/evaluate/evaluate.h"

/*
 * Whether some value of the trace, finite at the point, moves visibly (by 2^-40 of the larger end) and hardly less
 * with much shorter steps. The shorter steps are 2^shrink of these, shrink <= -50. "Hardly less" means more than 2^-8
 * of the first move. Or an operand moves as far as the nearest singular point of its op is, in the complex plane, or
 * by 1 if the op is like exp. Far out, such an op looks like another function: the norm of [2^-1016, h] is |h| for
 * every step, and its derivative at h = 0 is 0. Both ends must be on the path of the point; otherwise false. move[n] as
 * in evaluate_moved, at the precision of ev. Overwrites ev.
 */
bool steps_too_long(struct evaluation *ev, const struct program *p, const struct tensor *point, const struct move *move,
    int n, int shrink, struct arena *a);

/*
 * Whether the precision of ev loses the move of an input, all but 40 bits of it: a step that suits the smallest
 * input is nothing beside a huge one.
 */
bool move_is_lost(
    const struct evaluation *ev, const struct program *p, const struct tensor *point, const struct move *move);

#endif

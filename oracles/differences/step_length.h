/*
 * step_length.h: whether differences have steps too long for what the program computes on the way.
 *
 * A sum of atan(2^514 c x) at x = 0 moves by pi/2 times the signs of the c, whatever the step is down to 2^-514, and
 * where those cancel the differences of the results tend to 0 as if that were the derivative.  What tells is the trace:
 * one of its values moves as far with a much shorter step.
 */
#ifndef ORACLES_DIFFERENCES_STEP_LENGTH_H
#define ORACLES_DIFFERENCES_STEP_LENGTH_H

#include "oracles/evaluate/evaluate.h"

/*
 * Whether some value of the trace, finite at the point, moves by a visible part of itself (2^-40 of the larger end) and
 * with steps that are 2^shrink of these (shrink <= -50) not by less than 2^-8 of that.  Both ends must be on the path
 * of the point; else false.  move[n] as in evaluate_moved, at the precision of ev; overwrites ev.
 */
bool steps_too_long(struct evaluation *ev, const struct program *p, const struct tensor *point, const struct move *move,
    int n, int shrink, struct arena *a);

#endif

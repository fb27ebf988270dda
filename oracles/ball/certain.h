/* certain.h: values that are no numbers, and yet the same in every right engine: an infinite input and what is made of
 * it, the NaN of log -1. */
#ifndef ORACLES_BALL_CERTAIN_H
#define ORACLES_BALL_CERTAIN_H

#include "ball.h"

/*
 * Whether scalar k, whose value is no number, has that value in every right engine.  Of its parents all is known: each
 * has a radius, or is certain itself.
 */
bool certain_non_finite(const struct evaluation *ev, const struct note *note, int k);

#endif

/* certain.h: infinities and NaNs that are the same in every correct engine. Examples: an infinite input, results
 * computed from it, the NaN of log -1. */
#ifndef ORACLES_BALL_CERTAIN_H
#define ORACLES_BALL_CERTAIN_H

#include "ball.h"

/*
 * Whether every correct engine gives scalar k, which is infinite or NaN, this very value. Each of its parents must
 * have a radius or be certain itself.
 */
bool certain_non_finite(const struct evaluation *ev, const struct note *note, int k);

#endif

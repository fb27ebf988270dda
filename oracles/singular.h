/* singular.h: whether a partial derivative of something that was executed is infinite, or means nothing. */
#ifndef ORACLES_SINGULAR_H
#define ORACLES_SINGULAR_H

#include "evaluate.h"

/*
 * Whether one of the first n scalars of the trace is no finite number, or an op outside the open set on which it is differentiable (the
 * domain of ops.def): on the path or not, what is masked included.
 */
bool trace_singular(const struct evaluation *ev, int n);

#endif

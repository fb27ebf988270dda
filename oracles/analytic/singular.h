/* singular.h: whether a partial derivative of something that was executed is infinite, means nothing, or leaves the
 * range. */
#ifndef ORACLES_ANALYTIC_SINGULAR_H
#define ORACLES_ANALYTIC_SINGULAR_H

#include "oracles/ball/ball.h"
#include "oracles/evaluate/evaluate.h"

/*
 * log2 of the largest number that partials of that order may be made of in every dtype of the trace: a cast may take a
 * derivative from any to any other, and order + 1 of them are multiplied.
 */
mpfr_exp_t trace_range(const struct evaluation *ev, int order);

/*
 * Whether one of the scalars of the trace is no finite number, or an op outside the open set on which it is
 * differentiable (the domain of ops.def), or so near to its border that rounding may take it there or a partial of that
 * order may overflow in the dtype of least range that is there: on the path or not, what is masked included.
 */
bool trace_singular(const struct evaluation *ev, const struct note *note, int order);

/* Whether one of the scalars of the trace is infinite or no number. */
bool trace_nonfinite(const struct evaluation *ev);

#endif

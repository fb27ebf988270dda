/* singular.h: whether a partial derivative of an executed op is infinite, undefined, or out of range. */
#ifndef ORACLES_ANALYTIC_SINGULAR_H
#define ORACLES_ANALYTIC_SINGULAR_H

#include "oracles/ball/ball.h"
#include "oracles/evaluate/evaluate.h"

/*
 * log2 of the largest number that partials of that order may contain, in every dtype of the trace. A cast may take a
 * derivative from any dtype to any other, and order + 1 partials are multiplied.
 */
mpfr_exp_t trace_range(const struct evaluation *ev, int order);

/*
 * Whether scalar k is infinite, NaN, or singular; range: trace_range of the order.
 *
 * An op is singular outside the open set on which it is differentiable (the domain in ops.def). It is also singular
 * too near the border of that set. There rounding may cross the border, or a partial of that order may overflow in the
 * dtype of least range in the trace.
 */
bool scalar_singular(const struct evaluation *ev, const struct note *note, int k, mpfr_exp_t range);
/* Whether the value of scalar k is unknown, or reaches 2^range. */
bool scalar_strays(const struct evaluation *ev, const struct note *note, int k, mpfr_exp_t range);
/* Whether one of both holds for some scalar of the trace: on the path or not, masked ones included. */
bool trace_singular(const struct evaluation *ev, const struct note *note, int order);

/* Whether some scalar of the trace is infinite or NaN. */
bool trace_nonfinite(const struct evaluation *ev);

#endif

/*
 * custom_ways.h: both derivatives of a custom whose rule is not that of its function. An engine uses the rule, or
 * differentiates the function.
 */
#ifndef ORACLES_EVALUATE_CUSTOM_WAYS_H
#define ORACLES_EVALUATE_CUSTOM_WAYS_H

#include "internal.h"

/*
 * Makes the results of the custom choices (op select): parent 0 is the function's result. Parent 1 has the same value,
 * and its derivative is what the rule says. The function was executed, and the rule must be linear in its direction.
 * False if the trace would grow too long; then the results are not set.
 *
 * With x0 = stop_gradient(x), parent 1 is stop_gradient(y) plus a sum that is 0: the rule at x0 in the direction
 * x - x0, or for a vjp the tangent of that linear rule transposed.
 */
bool custom_ways(struct evaluation_run *r, const struct node *node);

#endif

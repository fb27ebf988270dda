/* trace_request.h: a request without batches as scalars of the trace, one derivation per level. */
#ifndef ORACLES_EVALUATE_TRACE_REQUEST_H
#define ORACLES_EVALUATE_TRACE_REQUEST_H

#include "evaluate.h"

/*
 * Appends to ev the derivatives that the request of c (checked, no batch) asks for. ev has evaluated c's program.
 *
 * Gives the elements of the outputs of the outermost level one after the other, in the evaluation's arena. Each is a
 * scalar. It is -1 if the output is exactly zero because no path reaches it, or if it is an integer. NULL if the trace
 * would outgrow `limit` scalars.
 */
int *trace_request(struct evaluation *ev, const struct testcase *c, int limit);

#endif

/* trace_request.h: a request without batches as scalars of the trace, one derivation a level. */
#ifndef ORACLES_EVALUATE_TRACE_REQUEST_H
#define ORACLES_EVALUATE_TRACE_REQUEST_H

#include "evaluate.h"

/*
 * Appends to ev, which has evaluated c's program, what the levels of c's request (checked, no batch) compute.  Gives
 * the elements of the outputs of the outermost level one after the other, in the evaluation's arena: scalars, or -1
 * where the output is exactly zero because nothing leads there (or because it is an integer).  NULL when the trace
 * would outgrow `limit` scalars.
 */
int *trace_request(struct evaluation *ev, const struct testcase *c, int limit);

#endif

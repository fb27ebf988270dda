/* inside.h: adjoints of ops derivative. An engine differentiates such an op by its own formulas, and adds more terms.
 */
#ifndef ORACLES_ANALYTIC_INSIDE_H
#define ORACLES_ANALYTIC_INSIDE_H

#include "internal.h"

/* Prepares self for a trace of the case, before the evaluation. */
void inside_begin(struct analytic *self, const struct testcase *c);
/* Scalar k was appended to the trace. */
void inside_note(struct analytic *self, int k);

/* Whether scalar k belongs to a derivative inside the program. */
bool flow_is_derivative(const struct analytic *self, int k);

/*
 * The term that joined adjoint `to` last came from adjoint `from`. If an engine may have several terms in its place,
 * counts these. They add up to size, and their magnitudes to at most `magnitude`.
 */
void inside_split(struct analytic *self, int to, int from, double size, double magnitude);

#endif

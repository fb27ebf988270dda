/*
 * trace_derive.h: the derivative of a stretch of the trace, as more scalars of the trace.
 *
 * Higher orders are derivatives of derivatives: the scalars appended here are ordinary ones (their parents are those of
 * the stretch, and captured scalars before it), so that a stretch which contains them can be differentiated again.  The
 * rules (trace_derive.def) are the analytic oracle's own, shared with no engine.
 */
#ifndef ORACLES_EVALUATE_TRACE_DERIVE_H
#define ORACLES_EVALUATE_TRACE_DERIVE_H

#include "evaluate.h"

/*
 * The function that scalars first ... n_scalar - 1 of an evaluation compute.  What comes before `first` is constant to
 * it; so is any leaf that is not an input.
 */
struct stretch {
	int first;
	int n_input;
	const int *input; /* [n_input] distinct scalars, none before `first`: see trace_parameter */
	int n_result;
	const int
	    *result; /* [n_result] scalars; may repeat, and may lie before `first` (then nothing depends on an input) */
	int limit;   /* the trace may grow to this many scalars */
};

/* A copy of scalar a: an input of a stretch that begins here is not the captured scalar of the same number. */
int trace_parameter(struct evaluation *ev, int a);

/* A result of a derivation as a value of the program: engines may be off by more than the formulas here. */
int trace_result(struct evaluation *ev, int a);

/*
 * Appends the tangents of the results in the direction tangent[n_input]; those and out[n_result] are scalars of the
 * dtype of what they belong to, or -1: absent, which is not the same as 0 (0 times an infinite partial is no number,
 * absent contributes nothing). False when the trace would outgrow the limit; what was appended until then stays.
 * Working memory from the evaluation's arena, given back.  Where a partial is not certain (a tie, an order that
 * rounding could change; hook `unsure`) the scalar is an uncertain one.
 */
bool trace_tangents(struct evaluation *ev, const struct stretch *s, const int *tangent, int *out);

/* The same for cotangents [n_result] of the results; out[n_input]: those of the inputs. */
bool trace_adjoints(struct evaluation *ev, const struct stretch *s, const int *cotangent, int *out);

#endif

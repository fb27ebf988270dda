/*
 * trace_derive.h: the derivative of a stretch of the trace, as more scalars of the trace.
 *
 * Higher orders are derivatives of derivatives. The scalars appended here are ordinary ones. Their parents are scalars
 * of the stretch, and captured scalars before it. So a stretch that contains them can be differentiated again. The
 * rules (trace_derive.def) belong to the oracles; no engine uses them.
 */
#ifndef ORACLES_EVALUATE_TRACE_DERIVE_H
#define ORACLES_EVALUATE_TRACE_DERIVE_H

#include "evaluate.h"

/*
 * The function that scalars first ... n_scalar - 1 of an evaluation compute. Scalars before `first` are constant to
 * it, and so is every leaf that is no input.
 */
struct stretch {
	int first;
	int n_input;
	const int *input; /* [n_input] distinct scalars, none before `first`; see trace_parameter */
	int n_result;
	/* [n_result] Scalars; they may repeat, and may lie before `first`, where nothing depends on an input. */
	const int *result;
	int limit;   /* the trace may grow to this many scalars */
	bool inside; /* of an op derivative, not of a level of the request */
};

/* Whether the partials of an op of the trace are the same at every point. */
bool trace_op_is_linear(enum op op);

/* A copy of scalar a. An input of a stretch that begins here must not be the captured scalar of the same number. */
int trace_parameter(struct evaluation *ev, int a);

/* Makes a result of a derivation a value of the program. Engines may be farther off than the formulas here. */
int trace_result(struct evaluation *ev, int a);

/*
 * Appends the tangents of the results in the direction tangent[n_input], and writes them to out[n_result].
 *
 * Tangents are scalars with the dtypes of the scalars they belong to, or -1: absent. Absent is not the same as 0: 0
 * times an infinite partial is NaN, an absent tangent contributes nothing. Where a partial is uncertain (a tie, an
 * order that rounding could change; hook `unsure`), the scalar is an uncertain one.
 *
 * False if the trace would outgrow the limit; the scalars appended until then stay. Working memory comes from the
 * evaluation's arena and is given back.
 */
bool trace_tangents(struct evaluation *ev, const struct stretch *s, const int *tangent, int *out);

/* The same for adjoints: cotangent[n_result] belongs to the results, out[n_input] to the inputs. */
bool trace_adjoints(struct evaluation *ev, const struct stretch *s, const int *cotangent, int *out);

#endif

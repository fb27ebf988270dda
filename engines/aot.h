/*
 * aot.h: derivative programs, source to source.  The result is a program of the same IR, valid and canonical: it can be shown, run,
 * saved as a case, and differentiated again.
 */
#ifndef ENGINES_AOT_H
#define ENGINES_AOT_H

#include "../graph/testcase.h"

/* Bounds of derived programs, beyond those of limits.h on written ones. */
enum {
	AOT_NODES = 16 * LIMIT_NODES,
	AOT_WORK = 64 * LIMIT_WORK
};

/*
 * The program of the jvp of p with respect to the inputs wrt[n_wrt] (ascending, distinct).
 * Inputs: those of p, then a tangent for each float input of wrt.  Results: those of p, then the tangent of each float result.
 * Everything lives in the arena.  False with a reason where the IR cannot hold it (LIMIT_ARGS, LIMIT_ELEMENTS, the bounds above).
 */
bool aot_jvp(const struct program *p, const int *wrt, int n_wrt, struct arena *a, struct program *out, struct error *e);

/*
 * The program of the vjp: inputs are those of p, then a cotangent for each float result; results are those of p, then the
 * cotangent of each float input of wrt.
 */
bool aot_vjp(const struct program *p, const int *wrt, int n_wrt, struct arena *a, struct program *out, struct error *e);

#endif

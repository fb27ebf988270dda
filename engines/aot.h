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
 * The result has right values and valid types; for one that is to be differentiated again see aot_levels.
 */
bool aot_jvp(const struct program *p, const int *wrt, int n_wrt, struct arena *a, struct program *out, struct error *e);

/*
 * The program of the vjp: inputs are those of p, then a cotangent for each float result; results are those of p, then the
 * cotangent of each float input of wrt.
 */
bool aot_vjp(const struct program *p, const int *wrt, int n_wrt, struct arena *a, struct program *out, struct error *e);

struct aot;
struct batcher;

/* Seams of the levels of a request.  Values are numbers in the program that grows (aot_parts.h). */
struct aot_seams {
	/* A derivative times a partial, both f64.  Right: aot_product, in which a derivative of 0 is strong. */
	int (*product)(struct aot *x, int derivative, int partial);
	/*
	 * What a region that runs for all slices reads for a batched float from outside, where `predicate` says (broadcast) which slices it counts for.  Right:
	 * the value, through which no derivative flows for the other slices.
	 */
	int (*guard)(struct aot *x, int predicate, int value);
	/* A gather whose operand or indices are batched.  Right: batch_gather by its own mode. */
	int (*gather)(struct batcher *b, const struct node *node);
};
extern const struct aot_seams aot_seams_right;

/*
 * The function of the last of the n levels t of a request (request.h) as a program: its inputs, and its outputs as results; seeds are constants.
 * `above`: how many of the levels to come differentiate; every level is written so that its own derivatives up to the order that is still
 * to come are right too.  A batch is vectorised by the rules of aot_batch.h; with seams NULL, it is a scan.  False as above.
 */
bool aot_levels(const struct program *p, const struct transform *t, int n, int above, const struct aot_seams *seams, struct arena *a,
    struct program *out, struct error *e);
/* The same of the batches among them alone: the primal of that level. */
bool aot_batches(const struct program *p, const struct transform *t, int n, const struct aot_seams *seams, struct arena *a,
    struct program *out, struct error *e);
/* The level of a batch, vectorised (seams NULL: by aot_map). */
bool aot_batch(const struct program *below, const struct transform *t, const struct aot_seams *seams, struct arena *a, struct program *out,
    struct error *e);
/* The level of a batch: a scan over the slices, which is right for any program; shared inputs are captured. */
bool aot_map(const struct program *below, const struct transform *t, struct arena *a, struct program *out, struct error *e);
/*
 * A whole request: inputs are those of the outermost level (a point of c); results the primal, then the derivative of an answer to it
 * (answer.h): n_primal + n_derivative of them.  Nothing is an input but the point.
 */
bool aot_request(const struct testcase *c, const struct aot_seams *seams, struct arena *a, struct program *out, struct error *e);

#endif

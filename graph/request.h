/*
 * request.h: a request is a stack of transforms.  Level 0 is the program; each transform turns the function of one
 * level into the function of the next:
 *
 * - jvp: same inputs.  One tangent per output below, in the direction of the (constant) tangents of the inputs in wrt.
 * - vjp: same inputs.  One cotangent per input in wrt, for the (constant) cotangents of the outputs below.
 * - batch: each input in wrt gains a leading axis of extent `size`; all slices share the other inputs.  Every output
 *   gains that axis: its slice b is the function below at slice b.
 *
 * So [vjp, jvp] is forward over reverse.  [batch, vjp] is the gradient of a batched function; a shared input gets the
 * sum over the slices.  [vjp, batch] is a batch of gradients.  Tangents and cotangents of integer and bool values are 0
 * on every level.
 */
#ifndef GRAPH_REQUEST_H
#define GRAPH_REQUEST_H

#include "program.h"

enum transform_kind { TRANSFORM_JVP, TRANSFORM_VJP, TRANSFORM_BATCH, TRANSFORM_COUNT };
extern const char *const transform_names[TRANSFORM_COUNT];

/*
 * One transform of a request.  `wrt` lists inputs (ascending, distinct): those that are differentiated, or batched.
 * jvp: seed[i] is the tangent of input wrt[i].  vjp: seed[i] is the cotangent of output i of the level below.  batch:
 * no seeds.  A seed has the type of its value on the level below.  Seeds of integer and bool values are all zero; so is
 * every tangent or cotangent that an engine returns for them.
 */
struct transform {
	enum transform_kind kind;
	int n_wrt;
	int *wrt;
	int n_seed;
	struct tensor *seed;
	int size; /* of a batch: at least 1; otherwise 0 */
};

/* Types of the function of one level. */
struct signature {
	int n_input;
	struct type input[LIMIT_ARGS];
	int n_output;
	struct type output[LIMIT_ARGS];
	/* Results of the program with the axes of all batches: an engine returns them as primal. */
	int n_primal;
	struct type primal[LIMIT_ARGS];
};

/* Level 0: the program itself. */
struct signature request_base(const struct program *p);
/*
 * Turns s into the signature of the next level.  t->wrt must be inputs, ascending and distinct.  False with an error
 * (without place) if a batch makes a value exceed LIMIT_RANK or LIMIT_ELEMENTS.
 */
bool request_apply(struct signature *s, const struct transform *t, struct error *e);
/* The seeds that transform t needs on top of level s: writes their types, returns their number. */
int request_seeds(const struct signature *s, const struct transform *t, struct type out[LIMIT_ARGS]);

/* The outermost of the n transforms that differentiates; NULL if none does. */
const struct transform *request_outermost(const struct transform *t, int n);
/* How many of the n transforms differentiate. */
int request_order(const struct transform *t, int n);
/* The product of the sizes of all batches: so many slices is the program evaluated on. */
int64_t request_slices(const struct transform *t, int n);

#endif

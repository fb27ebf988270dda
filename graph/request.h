/*
 * request.h: the function that a request makes of a program, level by level.
 *
 * Level 0 is the program.  A transform makes the function of the next level of the one below:
 * jvp    the same inputs; one tangent per output below, in the direction of the (constant) tangents of the inputs in
 * wrt. vjp    the same inputs; one cotangent per input in wrt, of the (constant) cotangents of the outputs below. batch
 * each input in wrt gains a leading axis of extent `size`, the others are shared by all slices; every output gains that
 *        axis: its slice b is the function below at slice b.
 * So [vjp, jvp] is forward over reverse, [batch, vjp] the gradient of a batched function (a shared input gathers the
 * sum over the slices), [vjp, batch] a batch of gradients.  A tangent or cotangent of an integer or bool value is 0 on
 * every level.
 */
#ifndef GRAPH_REQUEST_H
#define GRAPH_REQUEST_H

#include "program.h"

enum transform_kind { TRANSFORM_JVP, TRANSFORM_VJP, TRANSFORM_BATCH, TRANSFORM_COUNT };
extern const char *const transform_names[TRANSFORM_COUNT];

/*
 * One transform of a request.  `wrt` lists inputs (ascending, distinct): those that are differentiated, or batched.
 * jvp: seed[i] is the tangent of input wrt[i] (packed).  vjp: seed[i] is the cotangent of output i of the level below.
 * A seed has the type that its value has on the level below; for integer and bool values it is all zero, and so is
 * every tangent or cotangent an engine gives for one.  batch: no seeds.
 */
struct transform {
	enum transform_kind kind;
	int n_wrt;
	int *wrt;
	int n_seed;
	struct tensor *seed;
	int size; /* of a batch, at least 1; else 0 */
};

/* Types of the function of one level. */
struct signature {
	int n_input;
	struct type input[LIMIT_ARGS];
	int n_output;
	struct type output[LIMIT_ARGS];
	/* Results of the program with the axes of all batches: what an engine gives as primal. */
	int n_primal;
	struct type primal[LIMIT_ARGS];
};

/* Level 0: the program itself. */
struct signature request_base(const struct program *p);
/*
 * From one level to the next.  wrt[] must be inputs, ascending and distinct.  False with an error (no place) where a
 * batch makes a value exceed LIMIT_RANK or LIMIT_ELEMENTS.
 */
bool request_apply(struct signature *s, const struct transform *t, struct error *e);
/* What transform t needs of the level s below it: n_seed and their types. */
int request_seeds(const struct signature *s, const struct transform *t, struct type out[LIMIT_ARGS]);

/* The outermost of the n transforms that differentiates; NULL: none does. */
const struct transform *request_outermost(const struct transform *t, int n);
/* How many of the n transforms differentiate. */
int request_order(const struct transform *t, int n);
/* The product of the sizes of the batches among them: slices that the program is evaluated on. */
int64_t request_slices(const struct transform *t, int n);

#endif

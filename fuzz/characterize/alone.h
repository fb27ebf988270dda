/* alone.h: what is drawn of an op alone; for alone.c, alone_plan.c and alone_region.c. */
#ifndef FUZZ_CHARACTERIZE_ALONE_H
#define FUZZ_CHARACTERIZE_ALONE_H

#include "fuzz/generate/choice.h"
#include "lab.h"

enum { ALONE_OPERANDS = 4, ALONE_EXTENT = 4 };

/* The op, its operands and attributes. */
struct alone {
	struct lab *lab;
	struct choice *c;
	enum op op;
	enum dtype dtype; /* of floats */
	int extent;       /* of an axis, at most */
	int n;
	struct type type[ALONE_OPERANDS];
	int low[ALONE_OPERANDS], high[ALONE_OPERANDS]; /* of integers */
	struct attrs attrs;
	const struct shape *given; /* of the first operand; NULL: any */
};

/* Draws types and attributes; false: an op of this family is not drawn alone. */
bool alone_plan(struct alone *x);
/* Draws a program of an op with regions (alone_region.c): in *e, which has no request yet; wrt[n_wrt]: the inputs that
 * are to be differentiated, at most DRAWN_INPUTS.  False: something does not fit. */
bool alone_region(struct lab *l, enum op op, struct choice *c, struct edit *e, int *wrt, int *n_wrt);

#endif

/* alone.h: what is drawn of an op alone; for alone.c, alone_*.c. */
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

/* What makes an operand; NONE: it is an input. */
enum alone_maker {
	MAKER_NONE,
	MAKER_EQUAL, /* a constant of equal elements */
	MAKER_CONSTANT,
	MAKER_BROADCAST,
	MAKER_TRANSPOSE,
	MAKER_REVERSE,
	MAKER_SLICE,
	MAKER_RESHAPE,
	MAKER_COMPUTED,
	MAKERS
};

/* Whether programs of the op should have other ops too, which make operands or read them (alone_made.c). */
bool alone_needs_others(const struct lab *l, enum op op);
/* Draws what makes an operand of type *t, which becomes the type of the input that it is made of. */
enum alone_maker alone_plan_maker(struct choice *c, struct type *t);
/* Appends what makes the operand of type *t.  Returns the operand's value, or -1. */
int alone_make(struct edit *e, struct choice *c, enum alone_maker m, const struct type *t, int input);
/* Sometimes lets another op read the operand before the op. */
void alone_read_before(struct edit *e, struct choice *c, int operand);
/* Sometimes lets another op read the op's result, or the operand after the op. */
void alone_read_after(struct edit *e, struct choice *c, int value, int operand);
/* Draws a program of an op with regions (alone_region.c): in *e, which has no request yet; wrt[n_wrt]: the inputs that
 * are to be differentiated, at most DRAWN_INPUTS.  False: something does not fit. */
bool alone_region(struct lab *l, enum op op, struct choice *c, struct edit *e, int *wrt, int *n_wrt);

#endif

/* alone.h: what is drawn of an op alone; for alone.c and alone_plan.c. */
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

#endif

/* formula.h: nodes from a text such as "where(x > 0, sqrt(x), 0)": how experiments write what they put into a program. */
#ifndef FUZZ_FORMULA_H
#define FUZZ_FORMULA_H

#include "minimize_edit.h"

/* A name of the formula and the value it stands for. */
struct formula_name {
	const char *name;
	int value;
};

/*
 * Appends to region r the nodes of `text`; *out is the value of the whole.  Sums, products, quotients, unary minus, x^2, comparisons, parentheses,
 * literals (scalars of dtype d),
 * names, where(p, a, b), sum(x) over all axes, and any op of ops.def without attributes and regions by its name.  False: the text is none, a name is not
 * among names[n], or a type does not fit.
 */
bool formula_build(struct edit *e, struct region *r, const char *text, const struct formula_name *names, int n, enum dtype d, int *out);

#endif

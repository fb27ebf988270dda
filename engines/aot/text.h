/*
 * text.h: makes nodes from a text such as "where(x > 0, sqrt(x), 0)".  The rows of rules.def are texts, and experiments
 * write texts into programs.
 *
 * A text has sums, products, quotients, unary minus, x^2, comparisons, parentheses, numbers and names.  It may use any
 * op of ops.def without attributes and regions by its name. where(p, a, b) is select, and sum(x) is reduce_sum.  "h =
 * text; text" names a shared value.
 */
#ifndef ENGINES_AOT_TEXT_H
#define ENGINES_AOT_TEXT_H

#include "graph/program.h"

/* A name in a text and the value that it stands for. */
struct text_name {
	const char *name;
	int value;
};

/* The names in a text, and where its nodes go. */
struct text_scope {
	const struct text_name *name; /* [n_name] */
	int n_name;
	void *self;
	/*
	 * Appends a node, or a scalar literal, and returns its value; -1 if that is impossible. sum(x) arrives as
	 * OP_REDUCE_SUM, over all axes.
	 */
	int (*emit)(void *self, enum op op, const int *arg, int n_arg);
	int (*literal)(void *self, double number);
};

/*
 * Appends the nodes of a text in the order in which it is read.  Returns the value of the whole, or -1 when the text
 * cannot be read or a node is impossible.
 */
int aot_read_text(const struct text_scope *scope, const char *text);

#endif

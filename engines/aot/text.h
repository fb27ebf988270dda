/*
 * text.h: nodes from a text such as "where(x > 0, sqrt(x), 0)": the rows of rules.def, and what experiments write into
 * programs.
 *
 * A text has sums, products, quotients, unary minus, x^2, comparisons, parentheses, numbers, names, and any op of
 * ops.def without attributes and regions by its name.  where(p, a, b) is select, and sum(x) is reduce_sum.  "h = text;
 * text" names a shared value.
 */
#ifndef ENGINES_AOT_TEXT_H
#define ENGINES_AOT_TEXT_H

#include "graph/program.h"

/* A name in a text and the value that it stands for. */
struct text_name {
	const char *name;
	int value;
};

/* What a text refers to, and where its nodes go. */
struct text_scope {
	const struct text_name *name; /* [n_name] */
	int n_name;
	void *self;
	/* Appends a node, or a scalar literal, and returns its value; -1 where that is impossible.  sum(x) comes as
	 * OP_REDUCE_SUM, over all axes. */
	int (*emit)(void *self, enum op op, const int *arg, int n_arg);
	int (*literal)(void *self, double number);
};

/* Appends the nodes of a text in the order in which it is read.  The value of the whole; -1 when the text cannot be
 * read or a node is impossible. */
int aot_read_text(const struct text_scope *scope, const char *text);

#endif

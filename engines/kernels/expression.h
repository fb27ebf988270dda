/*
 * expression.h: partial derivatives as data.  Each is a short text, compiled once to postfix code and evaluated in
 * binary64.
 */
#ifndef ENGINES_KERNELS_EXPRESSION_H
#define ENGINES_KERNELS_EXPRESSION_H

#include "graph/errors.h"
#include "graph/type.h"

enum { EXPRESSION_CODE = 48, EXPRESSION_STACK = 16, EXPRESSION_TEXT = 160 };

/* One instruction.  `code` is private to expression.c. */
struct expression_step {
	int code;
	int target;    /* jumps: the step to go on with */
	double number; /* literals */
};

/*
 * A compiled expression.  The grammar has sums, products, quotients, unary minus and parentheses; numbers and pi; the
 * variables a, b, c (operands) and y (result); and the functions listed in expression.c. sel(p, u, v) evaluates u only
 * where p is not 0, and v only where p is 0: the other one is never computed.  Relations (gt ge lt le eq ne) give 1 or
 * 0. n == 0: no expression (text is "").
 */
struct expression {
	char text[EXPRESSION_TEXT]; /* as compiled: faults and mutants edit it and compile again */
	int n;
	struct expression_step step[EXPRESSION_CODE];
};

/* Compiles `text`.  "" and NULL make the expression absent.  False with the fault and its place in e. */
bool expression_compile(struct expression *out, const char *text, struct error *e) MUST_CHECK;
/* The same for a text in our sources, which always compiles. */
void expression_known(struct expression *out, const char *text);

/* Whether the variable a, b, c or y occurs in it. */
bool expression_reads(const struct expression *x, char variable);

/* The value.  Operands that the op does not have are ignored. */
double expression_eval(const struct expression *x, double a, double b, double c, double y);
/* The same with every step rounded in dtype d by the seed at work (rounding.h). */
double expression_eval_rounded(const struct expression *x, enum dtype d, double a, double b, double c, double y);

#endif

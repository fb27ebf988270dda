/* expression.h: a partial derivative as data: a short text, compiled once to postfix code, evaluated in binary64. */
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
 * Grammar: sums, products, quotients, unary minus, parentheses; numbers; pi; the variables a, b, c (operands) and y
 * (result); the functions listed in expression.c.  sel(p, u, v) evaluates u only where p is not 0 and v only where it
 * is: what is not taken is never computed.  Relations (gt ge lt le eq ne) give 1 or 0.  n == 0: no expression (text is
 * "").
 */
struct expression {
	char text[EXPRESSION_TEXT]; /* as compiled: faults and mutants edit it and compile again */
	int n;
	struct expression_step step[EXPRESSION_CODE];
};

/* Compiles `text`; "" and NULL make the expression absent.  False with what is wrong, and where, in e. */
bool expression_compile(struct expression *out, const char *text, struct error *e) MUST_CHECK;
/* The same of a text that stands in the sources, and compiles. */
void expression_known(struct expression *out, const char *text);

/* Whether a variable, one of a b c y, occurs in it. */
bool expression_reads(const struct expression *x, char variable);

/* The value; operands the op does not have are ignored. */
double expression_eval(const struct expression *x, double a, double b, double c, double y);
/* The same where every step is rounded in dtype d by the seed at work (rounding.h). */
double expression_eval_rounded(const struct expression *x, enum dtype d, double a, double b, double c, double y);

#endif

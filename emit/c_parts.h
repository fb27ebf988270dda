/*
 * c_parts.h: prints C; shared by c_*.c.
 *
 * Value v is the variable v<v>: a scalar, or a flat row-major array (of one element if the type has none).  Loop
 * variables are i, j, k, l, one per axis, and n if a statement needs one more.
 */
#ifndef EMIT_C_PARTS_H
#define EMIT_C_PARTS_H

#include "emit_parts.h"

struct c_source {
	const struct program *p;
	struct arena *arena;
	struct text *out;
	int depth;       /* tabs before a line */
	const int *uses; /* [p->n_value] */
	bool empty;      /* some value has no elements, so loops may leave the operands of its node unused */
};

/* The place of an element of a value: offset + sum of step[d] times loop variable d. */
struct element_place {
	int offset, step[LIMIT_RANK];
};

/* ---- text (c_text.c) ---- */

/* Prints an indented line. */
void c_line(struct c_source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The C type: "double", "int64_t" ... bf16 and f16 are computed in float. */
const char *c_type(enum dtype d);
/* A number as a C literal. */
const char *c_literal(enum dtype d, union cell x, struct arena *a);
/* A list as "{1.0, 2.0}". */
const char *c_list(const struct tensor *t, struct arena *a);
/* The declaration "double v3[6]" or "double v3". */
const char *c_declared(const struct c_source *s, int v);
/* The element as an expression.  `more` is added to the offset; NULL: nothing. */
const char *c_element(const struct c_source *s, int v, const struct element_place *at, const char *more);
/* The element that loops over `over` have reached, in a value that broadcasts to that shape. */
const char *c_broadcast_element(const struct c_source *s, int v, const struct shape *over);
/* The elements of the value in its own row-major order. */
struct element_place c_rows(const struct shape *s);
/*
 * An elementwise op on operands that are expressions. dtype: of the operands' elements (for select: of the selected
 * ones). result: dtype of the result.  NULL: C has no such op.
 */
const char *c_expression(
    const struct c_source *s, enum op op, enum dtype dtype, enum dtype result, const char *const operand[3]);
/* Drops the steps of axes of length 1: c_open opens no loop for these, so their variables do not exist. */
void c_only_long(struct element_place *at, const struct shape *over);
/* The name of the loop variable of axis d. */
extern const char *const c_variable[LIMIT_RANK];
/* Opens a loop for every axis of `over` that is longer than 1; a single statement or block follows, then c_close. */
void c_open(struct c_source *s, const struct shape *over);
void c_close(struct c_source *s, const struct shape *over);
/* Prints the statement in loops over `over`. */
void c_loops(struct c_source *s, const struct shape *over, const char *statement);
/* Copies all elements of `from` to `to`, in order. */
void c_copy(struct c_source *s, int to, int from);
/* Sets all elements of `to` to the expression. */
void c_fill(struct c_source *s, int to, const char *expression);

/* ---- judging (c_compare.c) ---- */

/* Prints what judges an output at a point: the variable y<output>, or d<output> for a derivative. */
void c_compare(
    struct c_source *s, const struct emission *x, int point, bool derivative, int output, const struct type *type);
/* The same of n outputs, in a brief source: it ends at the last point. */
void c_compare_briefly(struct c_source *s, const struct emission *x, int point, bool derivative, const int *output,
    const struct type *const *type, int n);
/* Prints what ends the judgement of a point. */
void c_conclude(struct c_source *s, const struct emission *x, int point);
/* Prints to x->out the functions of compare/ that the body calls. */
void c_compare_functions(const struct emission *x, const char *body);

/* ---- the derivative (c_levels.c) ---- */

/* Prints the function `derivative` by Enzyme, or by a file of the user's; nothing for a primal request.  Without a
 * truth `program` stands before it in any case. */
void c_derivative(struct c_source *s, const struct emission *x);
/* Prints, in main, the call at a point and what judges it. */
void c_derivative_call(struct c_source *s, const struct emission *x, int point);

/* ---- nodes ---- */

/* Print a node by its family.  The value is already declared. */
void c_move(struct c_source *s, const struct node *node);   /* c_moves.c */
void c_index(struct c_source *s, const struct node *node);  /* c_index.c */
void c_reduce(struct c_source *s, const struct node *node); /* c_reduce.c */
/*
 * The position that index q, an expression, means on an axis of extent n, times the axis' stride.  It is q's own
 * position if that may be outside and is then dropped.
 */
const char *c_position(struct c_source *s, enum index_mode mode, const char *q, int n, int stride);
/* Prints a region's nodes, which may have regions (c_regions.c). */
bool c_region(struct c_source *s, const struct region *region, struct error *e) MUST_CHECK;

#endif

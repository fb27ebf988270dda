/*
 * c_parts.h: the printing of C, shared by c_*.c.
 *
 * Value v is the variable v<v>: a scalar, or a flat row-major array (of one element where the type has none).  Loop
 * variables are i, j, k, l, an axis each, and n where a statement needs one more.
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
	bool empty;      /* some value has no elements, and what it is made of may have no use in loops */
};

/* An element of a value: offset + sum of step[d] times loop variable d. */
struct element_place {
	int offset, step[LIMIT_RANK];
};

/* ---- text (c_text.c) ---- */

/* A line of its own, indented. */
void c_line(struct c_source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "double", "int64_t" ... of C; bf16 and f16 are computed in float. */
const char *c_type(enum dtype d);
/* A number as C has it. */
const char *c_literal(enum dtype d, union cell x, struct arena *a);
/* "{1.0, 2.0}". */
const char *c_list(const struct tensor *t, struct arena *a);
/* "double v3[6]" or "double v3", to declare it. */
const char *c_declared(const struct c_source *s, int v);
/* The element as an expression; `more`: what is added to the offset, or NULL. */
const char *c_element(const struct c_source *s, int v, const struct element_place *at, const char *more);
/* The element that loops over `over` have reached, of a value that broadcasts to it. */
const char *c_broadcast_element(const struct c_source *s, int v, const struct shape *over);
/* Elements in row-major order of the value itself. */
struct element_place c_rows(const struct shape *s);
/*
 * An elementwise op on operands as expressions.  dtype: of the operands' elements (of select: of those it selects),
 * result: of what it gives.  NULL: C has no such op.
 */
const char *c_expression(
    const struct c_source *s, enum op op, enum dtype dtype, enum dtype result, const char *const operand[3]);
/* Loops over `over` are opened for axes that are longer than 1: without the steps of others, whose variables do not
 * exist. */
void c_only_long(struct element_place *at, const struct shape *over);
/* The name of the loop variable of axis d. */
extern const char *const c_variable[LIMIT_RANK];
/* Opens a loop for every axis of `over` that is longer than 1; a single statement or block follows, then c_close. */
void c_open(struct c_source *s, const struct shape *over);
void c_close(struct c_source *s, const struct shape *over);
/* The statement in loops over `over`. */
void c_loops(struct c_source *s, const struct shape *over, const char *statement);
/* All elements of `to` become those of `from`, in order. */
void c_copy(struct c_source *s, int to, int from);
/* All elements of `to` become the expression. */
void c_fill(struct c_source *s, int to, const char *expression);

/* ---- nodes ---- */

/* A node without regions: its value declared and set.  False where C has no counterpart. */
bool c_plain_node(struct c_source *s, const struct node *node);
/* By family; each declares nothing, the value is declared. */
void c_move(struct c_source *s, const struct node *node);   /* c_moves.c */
void c_index(struct c_source *s, const struct node *node);  /* c_index.c */
void c_reduce(struct c_source *s, const struct node *node); /* c_reduce.c */
/* What index q, an expression, means on an axis of extent n, times the axis' stride; itself where it may be outside and
 * is then dropped. */
const char *c_position(struct c_source *s, enum index_mode mode, const char *q, int n, int stride);
/* A region's nodes, which may have regions (c_regions.c). */
bool c_region(struct c_source *s, const struct region *region, struct error *e) MUST_CHECK;

#endif

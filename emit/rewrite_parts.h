/* rewrite_parts.h: rewriting programs; shared by rewrite.c and rewrite_index.c. */
#ifndef EMIT_REWRITE_PARTS_H
#define EMIT_REWRITE_PARTS_H

#include "array.h"

/* The results of a rule besides a value: the node stays unchanged, or it has no counterpart (the reason is in r->e). */
enum { REWRITE_NOT = -1, REWRITE_FAILED = -2 };

struct rewriting {
	const struct array_target *target;
	struct arena *arena;
	struct builder b;
	const struct tensor **constant; /* [constant_room] by value of the new program; NULL: not a constant */
	int constant_room;
	struct error *e;
};

/*
 * Appends an op on values of the new program, or ops of the target that mean the same.  REWRITE_FAILED after any
 * failure, also if an operand is one.
 */
int say(struct rewriting *r, enum op op, const int *arg, int n, const struct attrs *attrs);
int say1(struct rewriting *r, enum op op, int x, const struct attrs *attrs);
int say2(struct rewriting *r, enum op op, int x, int y);
int say3(struct rewriting *r, enum op op, int x, int y, int z);
/* Appends the node unchanged; the target must have a row for it. */
int say_plain(struct rewriting *r, const struct node *node);
/* say_constant: a constant. say_filled: a constant whose elements are all x. */
int say_constant(struct rewriting *r, const struct tensor *t);
int say_filled(struct rewriting *r, enum dtype d, struct shape shape, double x);
/* A vector of integers. */
int say_integers(struct rewriting *r, enum dtype d, const int *x, int n);
int say_reshape(struct rewriting *r, int x, struct shape shape);

const struct type *type_said(const struct rewriting *r, int v);
/* The elements, if the value is a constant; else NULL. */
const struct tensor *constant_said(const struct rewriting *r, int v);
/* Whether the target has a row for the node as it is. */
bool has_row(const struct rewriting *r, const struct node *node);

/*
 * A rule returns the value that replaces the node, or one of the results above. node->arg: values of the new program;
 * node->out means nothing.  A rule must not append the same node again.
 */
typedef int rewrite_fn(struct rewriting *r, const struct node *node);
rewrite_fn rewrite_gather, rewrite_scatter, rewrite_masked_scatter, rewrite_dynamic_slice, rewrite_dynamic_update_slice;

#endif

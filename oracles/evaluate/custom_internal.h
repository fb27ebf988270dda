/* custom_internal.h: what custom.c, custom_check.c and custom_ways.c share: lists of scalars, and directions of rules.
 */
#ifndef ORACLES_EVALUATE_CUSTOM_INTERNAL_H
#define ORACLES_EVALUATE_CUSTOM_INTERNAL_H

#include "internal.h"

/* The most scalars in the trace while a rule is compared or transposed. */
enum { CUSTOM_TRACE = 4 * LIMIT_WORK };

/* A list of scalars. */
struct list {
	int n, *at;
};

/* An empty list with room for n, in the arena. */
static inline struct list list_new(struct evaluation_run *r, int n) { return (struct list){0, NEW(r->arena, int, n)}; }

/* Adds the scalars of the floats among n values; -1 for an exact 0 that is none. */
void list_floats(const struct evaluation_run *r, struct list *to, const int *value, int n);

/* A leaf for a part of a random direction. It is a value of the dtype, and its last bit is 1: a product with it is
 * rounded, as it is with the directions of an engine. */
int custom_direction(struct evaluation *ev, enum dtype d);

/*
 * Whether the rule is right at the parameters of the node, for what the request takes of it. *excess grows to what its
 * errors have beyond the radii of the derivative. What it appends to the trace stays (custom.c takes it back).
 */
bool custom_rule_right(struct evaluation_run *r, const struct node *node, double *excess);

/*
 * Whether the rule is a linear function of its direction, whose derivative the trace has: it decides nothing, and its
 * derivative in one direction is its result in that direction. The second excludes a stop_gradient, for example.
 */
bool custom_rule_is_linear(struct evaluation_run *r, const struct node *node);

#endif

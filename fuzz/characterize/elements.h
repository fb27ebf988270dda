/* elements.h: the elements of operands, results and tangents of a node, for elements.c and pairs.c. */
#ifndef FUZZ_CHARACTERIZE_ELEMENTS_H
#define FUZZ_CHARACTERIZE_ELEMENTS_H

#include "facts.h"

/* Operands and result of an elementwise node: which element of a tensor belongs to element i of the result. */
struct element_view {
	const struct shape *to;   /* of the result; NULL: the tensor is read as it is */
	const union cell *result; /* [elements of the result]: only where this is finite; NULL: everywhere */
	const union cell *flows;  /* the same: only where this is not nearly 0 */
	int axis;                 /* along which descents count, if the tensor is read as it is */
};

/* Whether element i of the result is finite, and its cotangent is not nearly 0. */
bool element_flows(const struct element_view *v, int i);
/* For each element of that shape, the number of the group or of the line with which the node combines it; *n_group: how
 * many there are. */
const int *elements_groups(const struct node *n, const struct shape *s, int *n_group, struct arena *a);
/* How operands of an elementwise node compare, element by element. */
void elements_compare(
    struct operand_comparison *c, const struct node *n, const struct tensor *value, const struct element_view *v);
/* How the updates of a scatter compare with the elements that they meet. */
void elements_meet(struct node_elements *e, const struct node *n, const struct tensor *value);
/* The same of an op that replaces elements of its first operand. */
void elements_replace(struct meeting *m, const struct node *n, const struct tensor *value, struct arena *a);
/* Whether the cotangents of a sort descend somewhere along its axis, or have another order there than its elements. */
void elements_descend(
    struct tangent_order *o, const struct node *n, const struct tensor *x, const struct tensor *cotangent);
/* Whether the tangents of operand 0 are ordered as its elements. */
void elements_order(struct tangent_order *o, const struct node *n, const struct tensor *value,
    const struct tensor *tangent, struct arena *a);

#endif

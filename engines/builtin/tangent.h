/* tangent.h: applies a row of the tangent table to a node. */
#ifndef ENGINES_BUILTIN_TANGENT_H
#define ENGINES_BUILTIN_TANGENT_H

#include "rules.h"

/*
 * Writes the tangent of the node's result into `result`, which is zeroed and of the result's type. packed[i] belongs to
 * operand argnums[i].  The row's packing says how the row reads them.
 */
void tangent_apply(const struct tangent_rule *rule, const struct node *node, const struct tensor *const arg[],
    const struct tensor *out, int n_traced, const int *argnums, const struct tensor *const packed[],
    struct tensor *result, struct arena *a);

/* The structure of elementwise rows: partials times tangents. */
tangent_fn tangent_elementwise;

#endif

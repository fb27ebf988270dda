/* operand_name.h: what an operand of a node is, in words for people (operand_names.def). */
#ifndef FUZZ_EDIT_OPERAND_NAME_H
#define FUZZ_EDIT_OPERAND_NAME_H

#include "graph/loop.h"
#include "graph/arena.h"

/*
 * The name of operand k of a node that is checked: "lower bound", "initial carry", "per-iteration input".  Without
 * "the" and without the op.  In the arena or static.
 */
const char *operand_name(const struct node *n, int k, struct arena *a);
/* The name of several such operands together, in the plural: "bounds", "initial carries". */
const char *operand_group(const struct node *n, int k);
/* The name of a value from outside that a region of the node uses, alone and in the plural.  NULL: the op has none. */
const char *captured_name(enum op op);
const char *captured_group(enum op op);
/* The same of that value: it says which branch of a cond uses it, if only one does. */
const char *captured_words(const struct node *n, int value, bool several);

#endif

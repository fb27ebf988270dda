/* cells.h: the columns of a sweep, and the cases that are drawn for a cell. */
#ifndef FUZZ_CONFORM_CELLS_H
#define FUZZ_CONFORM_CELLS_H

#include "conform.h"
#include "fuzz/generate/generate.h"

/* How many levels of a stack differentiate. */
int stack_order(const enum transform_kind *stack, int n);
/*
 * The requests that the engine names; otherwise those of its kind, with one level each and, in a deep sweep, two.  Each
 * in every float dtype, and in every class of points that the sweep has.
 */
void conform_columns(struct conform *m, const struct conform_options *o, const struct engine *engine);

/* Tiny programs of the op, with ops that make its operands and use its result. */
struct profile cell_profile(enum op op, const struct conform_column *column, const struct engine_scope *scope);
/*
 * Case `number` of a cell: a program with the op, which the engine knows if one of the first does.  The first at the
 * edges of select is that of a dead branch.  False: none of the programs drawn has the op.
 */
bool draw_case(const struct bench *b, const struct conform_options *o, enum op op, const struct conform_column *column,
    int number, const struct profile *profile, struct arena *a, struct testcase *out);

#endif

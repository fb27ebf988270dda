/* deep.h: the cases that a deep sweep adds to those of the generator: an op alone at special operands, and an operand
 * used once more beside the op.  Both are listed, not drawn: the same number is always the same case. */
#ifndef FUZZ_CONFORM_DEEP_H
#define FUZZ_CONFORM_DEEP_H

#include "conform.h"
#include "fuzz/edit/edit.h"

/* Values of special.def: n numbers for each float operand; n 0: the op has no such operand. */
enum { SPECIAL_OPERANDS = 3, SPECIAL_VALUES = 8 };
struct special_values {
	int n;
	double at[SPECIAL_VALUES];
};
/* The row of an op: [SPECIAL_OPERANDS]; NULL: it has none. */
const struct special_values *special_row(enum op op);

/*
 * Case k (0, 1, ...) of a column: the op alone at special operands.  *form: which operands are variables, constants of
 * the program, or inputs without a derivative; one bug seldom shows in all forms, and two bugs may show in one cell.
 * EDIT_SKIP: there is no such case, but there are more.
 */
enum edit_result special_case(
    enum op op, const struct conform_column *column, int k, struct arena *a, struct testcase *out, int *form);

/*
 * The same program with an operand of the op, or a value that its regions capture, used once more beside it.  `form`,
 * of REUSE_FORMS: which of two operands, and what becomes of both, such as op(x) * x.  From draw to draw the operands
 * change.  False: there is no such operand, or the form does not apply.
 */
enum { REUSE_OPERANDS = 2, REUSE_RESULTS = 4, REUSE_FORMS = REUSE_OPERANDS * REUSE_RESULTS };
bool reuse_case(const struct testcase *c, enum op op, int draw, int form, struct arena *a, struct testcase *out);

#endif

/*
 * grid.c: an elementwise op to blame alone, on scalars.  Its operands take every combination of a few numbers, of
 * different signs and magnitudes, some equal, whole, odd or 0.  In a tensor one element hides what another needs.
 */
#include <string.h>

#include "lab_edit.h"
#include "rows.h"

enum { OPERANDS = 3, OPS = 2, FRESH = 4 };

static const double numbers[] = {0.5, -0.5, 2, -2, 1, -1, 3, -3, 1.5, -1.5, 0, 0.25, -0.25, 4, -4, 20, -20, 100, -100};
/* How many of them an op of so many operands takes. */
static const int taken[OPERANDS + 1] = {0, sizeof numbers / sizeof *numbers, 11, 6};

static bool is_elementwise(enum op op)
{
	const enum family f = op_table[op].family;

	return (f == FAMILY_UNARY || f == FAMILY_BINARY || f == FAMILY_CLAMP) && op_table[op].dtypes & MASK_FLOAT;
}

static void try_numbers(struct lab *l, enum op op, const int *which)
{
	const int n = op_table[op].n_arg;
	struct tensor in[OPERANDS];
	int arg[OPERANDS], wrt[OPERANDS];
	const char *text = "";
	struct edit e;

	for (int i = 0; i < n; i++) {
		in[i] = lab_scalar(l, lab_dtype(l), numbers[which[i]]);
		text = LAB_TEXT(l, "%s%s%s", text, i ? ", " : "", lab_number(l, numbers[which[i]]));
	}
	e = lab_fresh(l, in, n);
	for (int i = 0; i < n; i++) {
		arg[i] = e.c.program.top.param + i;
		wrt[i] = i;
	}
	e.c.program.top.result[0] = edit_append(&e, &e.c.program.top, op, arg, n, NULL);
	e.c.program.top.n_result = 1;
	if (e.c.program.top.result[0] < 0)
		return;
	lab_take_request(l, &e, wrt, n);
	lab_try(l, &e, (const char *const[]){op_table[op].name, text});
}

static void try_all(struct lab *l, enum op op)
{
	const int n = op_table[op].n_arg, each = taken[n];
	int which[OPERANDS] = {0}, all = 1;

	for (int i = 0; i < n; i++)
		all *= each;
	for (int k = 0; k < all; k++) {
		for (int i = 0, rest = k; i < n; i++, rest /= each)
			which[i] = rest % each;
		try_numbers(l, op, which);
	}
}

/* Lets the rows count for the condition.  Some are kept back to test it. */
static void count_rows(struct lab *l)
{
	for (int i = 0; i < l->table->n_row; i++) {
		explanation_fresh(l->explain, i % FRESH == FRESH - 1);
		lab_sample(l, l->out->cases[l->table->row[i].case_number]);
	}
	explanation_fresh(l->explain, false);
}

void experiment_grid(struct lab *l)
{
	enum op blamed[LAB_USES];
	const int n = lab_blamed_ops(l, blamed);
	int tried = 0;

	lab_columns(l, (const char *const[]){"op", "operands"}, 2);
	if (lab_kills(l) || lab_batched(l))
		return;
	l->apart = true;
	for (int i = 0; i < n && tried < OPS; i++)
		if (is_elementwise(blamed[i])) {
			try_all(l, blamed[i]);
			tried++;
		}
	l->apart = false;
	lab_settle(l);
	/* if all are alike, the numbers decide nothing, and many alike would weigh too much */
	if (rows_count(l->table, row_fails, NULL) && rows_count(l->table, row_passes, NULL))
		count_rows(l);
}

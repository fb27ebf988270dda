/*
 * directions.c: a request of two levels, on small programs whose second derivatives by any two inputs are not 0.  One
 * direction of each level is 1 and the others 0.  So the table says through which inputs each level is wrong, whatever
 * the operation.
 */
#include <string.h>

#include "lab_edit.h"
#include "rows.h"

enum { INPUTS = 3, LEVELS = 2, OPS = 2 };

static const enum op ops[OPS] = {OP_SIN, OP_SQUARE};

/* ---- the experiment ---- */

/* The op on the sum of all inputs.  Other points are other cases. */
static bool make_program(struct lab *l, enum op op, int point, struct edit *e)
{
	static const double at[INPUTS] = {0.5, 0.25, 0.625};
	struct tensor in[INPUTS];
	struct region *top;
	int value, wrt[INPUTS];

	for (int i = 0; i < INPUTS; i++) {
		in[i] = lab_scalar(l, lab_dtype(l), at[i] + point / 32.0);
		wrt[i] = i;
	}
	*e = lab_fresh(l, in, INPUTS);
	top = &e->c.program.top;
	value = top->param;
	for (int i = 1; i < INPUTS && value >= 0; i++)
		value = edit_append(e, top, OP_ADD, (int[]){value, top->param + i}, 2, NULL);
	value = value < 0 ? value : edit_append(e, top, op, &value, 1, NULL);
	if (value < 0)
		return false;
	top->result[0] = value;
	top->n_result = 1;
	lab_take_request(l, e, wrt, INPUTS);
	return true;
}

/* The seeds of a level: n scalars, which are 0 but for number k. */
static void set_seeds(struct edit *e, struct transform *t, enum dtype d, int n, int k)
{
	const struct type type = {.dtype = d, .shape = shape_scalar()};

	t->n_seed = n;
	t->seed = NEW(e->arena, struct tensor, n);
	for (int i = 0; i < n; i++) {
		t->seed[i] = tensor_new(e->arena, &type);
		edit_round(d, n == 1 || i == k, &t->seed[i].at[0]);
	}
}

/* Asks for the second derivative by input `inner` at the inner level and by input `outer` at the outer one. */
static void try_pair(struct lab *l, enum op op, int inner, int outer)
{
	struct edit e;
	struct transform *t;
	bool inner_vjp, outer_vjp;

	if (!make_program(l, op, INPUTS * inner + outer, &e))
		return;
	t = e.c.transform;
	inner_vjp = t[0].kind == TRANSFORM_VJP;
	outer_vjp = t[1].kind == TRANSFORM_VJP;
	set_seeds(&e, &t[0], lab_dtype(l), inner_vjp ? 1 : INPUTS, inner);
	/* the results of a inner vjp are the gradients: a cotangent of one of them selects its input */
	set_seeds(&e, &t[1], lab_dtype(l), !outer_vjp || inner_vjp ? INPUTS : 1, outer_vjp ? inner : outer);
	l->focus = outer_vjp ? outer : inner_vjp ? inner : -1;
	lab_try(l, &e, (const char *const[]){op_table[op].name, LAB_TEXT(l, "%d", inner), LAB_TEXT(l, "%d", outer)});
	l->focus = -1;
}

void experiment_directions(struct lab *l)
{
	lab_columns(l, (const char *const[]){"op", "inner input", "outer input"}, 3);
	if (l->base->n_transform != LEVELS || lab_batched(l) || lab_kills(l))
		return;
	l->apart = true;
	for (int i = 0; i < OPS; i++)
		for (int k = 0; k < INPUTS * INPUTS; k++)
			try_pair(l, ops[i], k / INPUTS, k % INPUTS);
	l->apart = false;
}

/* ---- what it says ---- */

/* Pairs of inputs that fail: by that of the inner level, of the outer one, or by how both compare. */
typedef bool pair_fn(int inner, int outer);

static bool any_pair(int inner, int outer) { return inner >= 0 && outer >= 0; }
static bool inner_later(int inner, int outer) { return outer >= 0 && inner > 0; }
static bool inner_first(int inner, int outer) { return outer >= 0 && inner == 0; }
static bool inner_not_last(int inner, int outer) { return outer >= 0 && inner < INPUTS - 1; }
static bool inner_last(int inner, int outer) { return outer >= 0 && inner == INPUTS - 1; }
static bool outer_later(int inner, int outer) { return inner >= 0 && outer > 0; }
static bool outer_first(int inner, int outer) { return inner >= 0 && outer == 0; }
static bool outer_not_last(int inner, int outer) { return inner >= 0 && outer < INPUTS - 1; }
static bool outer_last(int inner, int outer) { return inner >= 0 && outer == INPUTS - 1; }
static bool differ(int inner, int outer) { return inner != outer; }
static bool alike(int inner, int outer) { return inner == outer; }
static bool ascending(int inner, int outer) { return inner < outer; }
static bool descending(int inner, int outer) { return inner > outer; }
static bool some_later(int inner, int outer) { return inner > 0 || outer > 0; }
static bool both_later(int inner, int outer) { return inner > 0 && outer > 0; }

static const struct {
	pair_fn *holds;
	const char *text;
} patterns[] = {
    {any_pair, "whichever inputs both levels differentiate"},
    {inner_later, "where the inner level differentiates an input after the first"},
    {inner_first, "where the inner level differentiates the first input"},
    {inner_not_last, "where the inner level differentiates an input before the last"},
    {inner_last, "where the inner level differentiates the last input"},
    {outer_later, "where the outer level differentiates an input after the first"},
    {outer_first, "where the outer level differentiates the first input"},
    {outer_not_last, "where the outer level differentiates an input before the last"},
    {outer_last, "where the outer level differentiates the last input"},
    {differ, "where the two levels differentiate different inputs"},
    {alike, "where both levels differentiate the same input"},
    {ascending, "where the outer level differentiates a later input than the inner one"},
    {descending, "where the outer level differentiates an earlier input than the inner one"},
    {some_later, "where a level differentiates an input after the first"},
    {both_later, "where both levels differentiate an input after the first"},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

/* Whether just the pairs of the pattern fail, of the rows about that op; all of them are decided. */
static bool op_shows(const struct variant_table *t, const char *op, pair_fn *holds)
{
	int n = 0;

	for (int i = 0; i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];

		if (strcmp(r->cell[0], op) != 0)
			continue;
		if (!r->decided || r->fails != holds(r->cell[1][0] - '0', r->cell[2][0] - '0'))
			return false;
		n++;
	}
	return n == INPUTS * INPUTS;
}

/* The pattern that all ops show; -1: there is none. */
static int pattern_of(const struct variant_table *t)
{
	for (int p = 0; t && p < PATTERNS; p++) {
		int n = 0;

		for (int i = 0; i < OPS; i++)
			n += op_shows(t, op_table[ops[i]].name, patterns[p].holds);
		if (n == OPS)
			return p;
	}
	return -1;
}

bool lab_fails_for_any_op(const struct lab *l) { return pattern_of(lab_find(l, "directions")) >= 0; }

void lab_state_directions(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "directions");
	const int p = pattern_of(t);
	struct support s;

	if (p < 0)
		return;
	s = lab_support(l, t, row_fails, NULL);
	lab_say(l, "directions", STATEMENT_SHOWN, &s, 1, "The operation does not matter: %s and %s fail alike, %s.",
	    op_table[ops[0]].name, op_table[ops[1]].name, patterns[p].text);
}

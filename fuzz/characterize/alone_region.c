/*
 * alone_region.c: a small program of one op with regions: its inputs, what else reads them, and its results.  All
 * floats have one type, so that any value may stand in the place of any other one.  Two initial carries may be one
 * value, and a captured value may be used before the op and after it.
 */
#include "alone_region.h"

#include "alone.h"
#include "graph/walk.h"
#include "lab_edit.h"

enum { UNIT = 16 }; /* numbers are multiples of 1 / UNIT */

struct drawn_inputs {
	int n;
	struct tensor at[DRAWN_INPUTS];
};

static bool is_loop(enum op op) { return op == OP_FOR || op == OP_WHILE || op == OP_SCAN; }

/* The type with one more axis in front. */
static struct type rows_of(const struct type *row, int n)
{
	struct type t = {row->dtype, {row->shape.rank + 1, {n}}};

	for (int d = 0; d < row->shape.rank; d++)
		t.shape.extent[d + 1] = row->shape.extent[d];
	return t;
}

/* Adds an input; returns its place. */
static int add_input(struct drawn_region *x, struct lab *l, struct drawn_inputs *in, struct type type)
{
	struct tensor *t = &in->at[in->n];
	const bool negative = choice_percent(x->c, 30);

	*t = tensor_new(&l->scratch, &type);
	for (int i = 0; i < shape_elements(&type.shape); i++) {
		const double number = (double)choice_between(x->c, 4, 24) / UNIT;

		edit_round(type.dtype, negative && choice_percent(x->c, 60) ? -number : number, &t->at[i]);
	}
	return in->n++;
}

/* Draws types and inputs; the members of x that are inputs are places. */
static int plan_inputs(struct drawn_region *x, struct lab *l, struct drawn_inputs *in)
{
	const int n = choice_between(x->c, 1, 4);

	x->type = (struct type){lab_dtype(l), shape_scalar()};
	x->table = x->whole = -1;
	if (x->op != OP_FIXED_POINT && x->op != OP_SCATTER_APPLY && choice_percent(x->c, 30))
		x->type.shape = (struct shape){1, {choice_between(x->c, 2, 3)}};
	x->linear = choice_percent(x->c, 25);
	x->trip = choice_weighted(x->c, (const int[]){7, 18, 25, 28, 22}, 5);
	if (x->op == OP_SCAN && !x->trip)
		x->trip = 1;
	for (int k = 0; k < n; k++)
		add_input(x, l, in, x->type);
	if (is_loop(x->op) && choice_percent(x->c, 30))
		x->table = add_input(x, l, in, rows_of(&x->type, DRAWN_ROWS));
	for (int k = x->op == OP_SCAN ? choice_weighted(x->c, (const int[]){20, 55, 25}, 3) : 0; k > 0; k--)
		x->xs[x->n_xs++] = add_input(x, l, in, rows_of(&x->type, x->trip));
	if (x->op == OP_SCATTER_APPLY)
		x->whole = add_input(x, l, in, rows_of(&x->type, choice_between(x->c, 2, 4)));
	return n;
}

static void add_result(struct edit *e, int value)
{
	struct region *top = &e->c.program.top;

	if (value >= 0 && top->n_result < DRAWN_RESULTS)
		top->result[top->n_result++] = value;
}

/* An op outside of the regions that reads the value: its derivative depends on it, or not. */
static int read_beside(struct drawn_region *x, int value)
{
	struct region *top = &x->e->c.program.top;

	if (choice_percent(x->c, 50))
		return edit_append(x->e, top, choice_percent(x->c, 50) ? OP_SIN : OP_NEG, &value, 1, NULL);
	return edit_append(
	    x->e, top, OP_MUL, (const int[]){value, x->outside[choice_below(x->c, x->n_outside)]}, 2, NULL);
}

/* What is done before the op: a value that regions may read, or a result of its own. */
static void add_before(struct drawn_region *x)
{
	const int value = x->outside[choice_below(x->c, x->n_outside)];
	const bool joins = choice_percent(x->c, 50);
	const int made = read_beside(x, value);

	if (!joins)
		add_result(x->e, made);
	else if (made >= 0)
		x->outside[x->n_outside++] = made;
}

/* Results of the op, and what is done after it. */
static void add_results(struct drawn_region *x)
{
	struct region *top = &x->e->c.program.top;
	const int value = x->outside[choice_below(x->c, x->n_outside)];
	const int last = x->out[x->n_out - 1];
	int taken = 0;

	for (int k = 0; k < x->n_out; k++)
		if (choice_percent(x->c, 65) || (k == x->n_out - 1 && !taken)) {
			add_result(x->e, x->out[k]);
			taken++;
		}
	if (choice_percent(x->c, 15))
		add_result(x->e, read_beside(x, value));
	if (choice_percent(x->c, 8) && edit_type(x->e, last)->shape.rank == x->type.shape.rank)
		add_result(x->e, edit_append(x->e, top, OP_MUL, (const int[]){last, value}, 2, NULL));
	if (choice_percent(x->c, 6))
		add_result(x->e, value);
}

/* Whether the typical case has the op inside a loop. */
static bool is_in_loop(const struct lab *l, enum op op)
{
	for (struct walk w = walk_nodes(&l->typical->program.top); walk_next(&w);)
		if (w.node->op == op &&
		    walk_around_of(&w, OP_FOR) + walk_around_of(&w, OP_WHILE) + walk_around_of(&w, OP_SCAN))
			return true;
	return false;
}

/* Sometimes a branch or a checkpoint is inside a loop; often if the typical case has the op there. */
static void plan_nesting(struct drawn_region *x, const struct lab *l)
{
	x->nested = choice_percent(x->c, 60) ? OP_COND : OP_CHECKPOINT;
	if ((x->op == OP_COND || x->op == OP_CHECKPOINT) && is_in_loop(l, x->op) && choice_percent(x->c, 60)) {
		x->nested = x->op;
		x->op = choice_percent(x->c, 70) ? OP_FOR : OP_WHILE;
		x->nesting = 75;
	} else if (is_loop(x->op) && choice_percent(x->c, 12)) {
		x->nesting = 50;
	}
}

bool alone_region(struct lab *l, enum op op, struct choice *c, struct edit *e, int *wrt, int *n_wrt)
{
	struct drawn_region x = {.c = c, .e = e, .op = op};
	struct drawn_inputs in = {.n = 0};
	const bool all = choice_percent(c, 55);
	int first;

	arena_reset(&l->scratch);
	plan_nesting(&x, l);
	x.n_outside = plan_inputs(&x, l, &in);
	*e = lab_fresh(l, in.at, in.n);
	first = e->c.program.top.param;
	for (int k = 0; k < x.n_outside; k++)
		x.outside[k] = first + k;
	for (int k = 0; k < x.n_xs; k++)
		x.xs[k] += first;
	x.table += x.table >= 0 ? first : 0;
	x.whole += x.whole >= 0 ? first : 0;
	if (choice_percent(c, 25))
		add_before(&x);
	if (!drawn_region_append(&x) || !x.n_out)
		return false;
	add_results(&x);
	*n_wrt = 0;
	for (int k = 0; k < in.n; k++)
		if (all || choice_percent(c, 50))
			wrt[(*n_wrt)++] = k;
	if (!*n_wrt)
		wrt[(*n_wrt)++] = choice_below(c, in.n);
	return true;
}

/* vary.c: experiments that vary one thing of the typical case: the values of an input, integers, an extent, the rank.
 */
#include <math.h>
#include <stdlib.h>

#include "graph/walk.h"
#include "lab_edit.h"

/* ---- values ---- */

static const double values[] = {-1000, -64, -32, -16, -10, -8, -6, -5, -4, -3, -2.5, -2, -1.5, -1, -0.75, -0.5, -0.25,
    -0.1, -0.01, 0, 0.01, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 16, 32, 64, 1000};
enum { VALUES = sizeof values / sizeof *values, INPUTS = 4, TURNS = 3, HALVINGS = 7 };

/* 1: it fails, 0: it passes, -1: not known. */
static int try_value(struct lab *l, int input, double x)
{
	struct edit e = lab_edit_of(l, l->typical);
	const struct variant_row *row;

	for (int p = 0; p < e.c.n_point; p++)
		edit_fill(&e.c.point[p][input], x);
	l->strict = true; /* a number beside may lie beyond the threshold */
	row = lab_try_now(l, &e, (const char *const[]){LAB_TEXT(l, "%d", input), lab_number(l, x)});
	l->strict = false;
	return row && row->decided ? row->fails : -1;
}

/* Halves the interval between a number that fails and one that passes. */
static void approach(struct lab *l, int input, double low, double high, int of_low)
{
	for (int k = 0; k < HALVINGS; k++) {
		const double x = low + (high - low) / 2;
		const int outcome = try_value(l, input, x);

		if (outcome < 0)
			return;
		*(outcome == of_low ? &low : &high) = x;
	}
}

void experiment_values(struct lab *l)
{
	const struct edit sites = {.c = *l->typical};
	int inputs = 0;

	lab_columns(l, (const char *const[]){"input", "all elements"}, 2);
	for (int i = 0; i < l->typical->program.top.n_param && inputs < INPUTS && !lab_kills(l); i++) {
		int last = -1, last_outcome = -1, turns = 0;

		if (!lab_is_float_input(&sites, i))
			continue;
		inputs++;
		for (int k = 0; k < VALUES; k++) {
			const int outcome = try_value(l, i, values[k]);

			if (outcome < 0)
				continue;
			if (last >= 0 && outcome != last_outcome && turns++ < TURNS)
				approach(l, i, values[last], values[k], last_outcome);
			last = k;
			last_outcome = outcome;
		}
	}
}

/* ---- integers ---- */

static const int integers[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, -2, -3, -4};
enum {
	INTEGERS = sizeof integers / sizeof *integers,
	INTEGER_TENSORS = 4,
	SINGLE_ELEMENTS = 4,
	SINGLE_MOST = 4,
	ROOMY = 5 /* an extent in which most of the integers are indices of their own */
};

/* Tensor number k of integers or truth values in the program or at its point; NULL: there are no more. */
static struct tensor *integer_tensor(struct edit *e, int k)
{
	struct region *top = &e->c.program.top;

	for (int i = 0; i < top->n_param; i++)
		if (!dtype_is_float(edit_type(e, top->param + i)->dtype) && !k--)
			return &e->c.point[0][i];
	for (struct walk w = walk_nodes(top); walk_next(&w);)
		if (w.node->op == OP_CONSTANT && !dtype_is_float(w.node->attrs.value.type.dtype) && !k--)
			return &w.node->attrs.value;
	return NULL;
}

/* Sets all elements of that tensor, or one, to x.  False: there is no such tensor, or no such number. */
static bool try_integer(struct lab *l, int tensor, int element, int x)
{
	struct edit e = lab_edit_of(l, l->typical);
	struct tensor *t = integer_tensor(&e, tensor);
	const int n = t ? shape_elements(&t->type.shape) : 0;

	if (element >= n || (t && t->type.dtype == DTYPE_BOOL && (x < 0 || x > 1)))
		return false;
	for (int i = 0; i < n; i++)
		if (element < 0 || element == i)
			t->at[i].i = dtype_wrap(t->type.dtype, x);
	lab_try(l, &e,
	    (const char *const[]){LAB_TEXT(l, "%d", tensor),
	        element < 0 ? "all elements" : LAB_TEXT(l, "element %d", element), LAB_TEXT(l, "%d", x)});
	return true;
}

/* Samples the typical case with all elements of that tensor x, and with extent `from` made larger.  Then an index of -2
 * is neither that of the first element nor of the last. */
static void sample_roomy(struct lab *l, int tensor, int x, int from)
{
	struct edit e = lab_edit_of(l, l->typical);
	struct tensor *t = integer_tensor(&e, tensor);

	if (!t || t->type.dtype == DTYPE_BOOL)
		return;
	for (int i = 0; i < shape_elements(&t->type.shape); i++)
		t->at[i].i = dtype_wrap(t->type.dtype, x);
	edit_change_extent(&e, from, ROOMY);
	if (edit_finish(&e, true))
		lab_sample(l, &e.c);
}

static void try_roomy(struct lab *l)
{
	for (int from = 1; from < ROOMY; from++) {
		bool there = false;

		for (int v = 0; v < l->typical->program.n_value; v++)
			for (int d = 0; d < l->typical->program.type[v].shape.rank; d++)
				there |= l->typical->program.type[v].shape.extent[d] == from;
		for (int t = 0; t < INTEGER_TENSORS && there; t++)
			for (int k = 0; k < INTEGERS; k++)
				sample_roomy(l, t, integers[k], from);
	}
}

void experiment_integers(struct lab *l)
{
	lab_columns(l, (const char *const[]){"tensor", "set", "value"}, 3);
	for (int t = 0; t < INTEGER_TENSORS && !lab_kills(l); t++)
		for (int element = -1; element < SINGLE_ELEMENTS; element++)
			for (int k = 0; k < (element < 0 ? INTEGERS : SINGLE_MOST + 1); k++)
				(void)try_integer(l, t, element, integers[k]);
	if (!lab_kills(l))
		try_roomy(l);
}

/* ---- extents and ranks ---- */

static const int extents[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17};
enum { EXTENTS = sizeof extents / sizeof *extents, ADDED = 2 };

static void insert_int(int *list, int n, int at, int x)
{
	for (int i = n; i > at; i--)
		list[i] = list[i - 1];
	list[at] = x;
}

/* how: the axis is added in front (0) or behind (1). */
static void add_axis(struct edit *e, struct type *t, int how)
{
	struct shape *s = &t->shape;

	(void)e;
	if (dtype_is_int(t->dtype) || !s->rank || s->rank == LIMIT_RANK)
		return;
	insert_int(s->extent, s->rank, how ? s->rank : 0, ADDED);
	s->rank++;
}

/* Lets the attributes speak of the same axes as before; the new one is kept as it is. */
static void add_axis_to_node(struct edit *e, struct node *n, int how)
{
	const unsigned has = op_table[n->op].attrs;
	const int rank = n->n_arg ? edit_type(e, n->arg[0])->shape.rank : 0, old = rank ? rank - 1 : 0,
	          at = how ? old : 0;
	struct attrs *a = &n->attrs;

	if (old + 1 > LIMIT_RANK)
		return;
	a->axis += !how && (has & ATTR_AXIS);
	for (int i = 0; i < a->n_axes && !how; i++)
		a->axes[i]++;
	if (n->op == OP_TRANSPOSE && a->n_axes < LIMIT_RANK) {
		insert_int(a->axes, a->n_axes, how ? a->n_axes : 0, how ? a->n_axes : 0);
		a->n_axes++;
	}
	if ((has & ATTR_SHAPE) && a->shape.rank && a->shape.rank < LIMIT_RANK) {
		insert_int(a->shape.extent, a->shape.rank, how ? a->shape.rank : 0, ADDED);
		a->shape.rank++;
	}
	if (has & ATTR_START)
		insert_int(a->start, old, at, 0);
	if (has & ATTR_SIZE)
		insert_int(a->size, old, at, ADDED);
	if (has & ATTR_STRIDE)
		insert_int(a->stride, old, at, 1);
	if (has & ATTR_LOW)
		insert_int(a->low, old, at, 0);
	if (has & ATTR_HIGH)
		insert_int(a->high, old, at, 0);
}

bool lab_add_axis(struct edit *e, bool behind)
{
	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);)
		if (w.node->n_region)
			return false;
	edit_change_types(e, add_axis, add_axis_to_node, behind);
	for (int t = 0; t < e->c.n_transform; t++)
		e->c.transform[t].n_seed = 0;
	return true;
}

static void try_extents(struct lab *l, const struct testcase *c)
{
	for (int from = 1; from <= 9; from++) {
		bool there = false;

		for (int v = 0; v < c->program.n_value; v++)
			for (int d = 0; d < c->program.type[v].shape.rank; d++)
				there |= c->program.type[v].shape.extent[d] == from;
		for (int k = 0; k < EXTENTS && there; k++) {
			struct edit e = lab_edit_of(l, c);

			edit_change_extent(&e, from, extents[k]);
			lab_try(l, &e,
			    (const char *const[]){LAB_TEXT(l, "extent %d", from), LAB_TEXT(l, "%d", extents[k])});
		}
	}
}

void lab_try_sizes(struct lab *l, int from, int to)
{
	enum { TRIED = 12 };

	for (int d = 1; d <= 9; d++) {
		bool there = false;

		for (int v = 0; v < l->typical->program.n_value; v++)
			for (int i = 0; i < l->typical->program.type[v].shape.rank; i++)
				there |= l->typical->program.type[v].shape.extent[i] == d;
		for (int size = from; size <= to && size < from + TRIED && there; size++) {
			struct edit e = lab_edit_of(l, l->typical);

			edit_change_extent(&e, d, size);
			if (edit_finish(&e, true))
				lab_sample(l, &e.c);
		}
	}
}

void experiment_sizes(struct lab *l)
{
	lab_columns(l, (const char *const[]){"was", "is"}, 2);
	try_extents(l, l->typical);
	if (l->base != l->typical)
		try_extents(l, l->base);
	for (int behind = 0; behind < 2; behind++) {
		struct edit e = lab_edit_of(l, l->typical);

		if (lab_add_axis(&e, behind))
			lab_try(l, &e,
			    (const char *const[]){"rank", behind ? "one more axis behind" : "one more axis in front"});
	}
}

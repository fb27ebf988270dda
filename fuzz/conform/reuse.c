/* reuse.c: an operand of an op, used once more beside it.  A reverse sweep must add what both uses give; a rule that
 * overwrites an adjoint, or reads a value that the other use has changed, shows here and nowhere else. */
#include "deep.h"

/* The node of the top region that is the op, or contains it; -1: there is none. */
static int place_of(const struct region *top, enum op op)
{
	for (int k = 0; k < top->n_node; k++)
		if (top->node[k].op == op)
			return k;
	for (int k = 0; k < top->n_node; k++)
		for (int w = 0; w < top->node[k].n_region; w++)
			if (region_has_op(&top->node[k].region[w], op))
				return k;
	return -1;
}

/* Lists the floats that the node uses: its operands, then what its regions capture.  Constants have no derivative. */
static int used_by(const struct program *p, const struct node *node, int *out, struct arena *a)
{
	bool *had = NEW(a, bool, p->n_value + 1), *read = NEW(a, bool, p->n_value + 1);
	bool *inside = NEW(a, bool, p->n_value + 1);
	int n = 0;

	for (int w = 0; w < node->n_region; w++) {
		region_mark_reads(&node->region[w], read);
		region_mark_defined(&node->region[w], inside);
	}
	for (int k = 0; k < node->n_arg; k++)
		read[node->arg[k]] = true;
	for (int v = 0; v < p->n_value; v++) {
		if (!read[v] || inside[v] || had[v] || !dtype_is_float(p->type[v].dtype) || region_constant(&p->top, v))
			continue;
		had[v] = true;
		out[n++] = v;
	}
	return n;
}

/* The sum of all elements; a scalar itself. */
static int total(struct edit *e, int v)
{
	const struct type t = *edit_type(e, v);
	struct attrs attrs = {.n_axes = t.shape.rank};

	for (int d = 0; d < t.shape.rank; d++)
		attrs.axes[d] = d;
	return t.shape.rank ? edit_append(e, &e->c.program.top, OP_REDUCE_SUM, &v, 1, &attrs) : v;
}

/* y op x, elementwise where the shapes fit, otherwise of their sums. */
static int joined(struct edit *e, enum op op, int y, int x)
{
	struct shape shape;
	int arg[2] = {y, x};

	if (!shape_broadcast(&edit_type(e, y)->shape, &edit_type(e, x)->shape, &shape)) {
		arg[0] = total(e, y);
		arg[1] = total(e, x);
	}
	return arg[0] < 0 || arg[1] < 0 ? -1 : edit_append(e, &e->c.program.top, op, arg, 2, NULL);
}

/* The results of one of REUSE_RESULTS; 0: they do not fit. */
static int results_of(struct edit *e, int kind, int place, int y, int x, int result[2])
{
	struct region *top = &e->c.program.top;
	struct type t = *edit_type(e, x);

	switch (kind) {
	case 0: /* y * x: at order 2, the derivatives of both meet */
		result[0] = joined(e, OP_MUL, y, x);
		return result[0] >= 0;
	case 1: /* y + x */
		result[0] = joined(e, OP_ADD, y, x);
		return result[0] >= 0;
	case 2: /* y + x * x, with the product before the op: a reverse sweep comes to it last */
		result[0] = joined(e, OP_ADD, y, edit_insert_binary(e, top, place, OP_MUL, x, x, &t));
		return result[0] >= 0;
	default: /* both are results */
		result[0] = y;
		result[1] = x;
		return 2;
	}
}

/* The seed of input i in a jvp: the one it has, or 1. */
static struct tensor tangent_of(struct edit *e, const struct transform *t, int i)
{
	struct tensor unit;

	for (int k = 0; k < t->n_wrt; k++)
		if (t->wrt[k] == i)
			return t->seed[k];
	unit = tensor_new(e->arena, edit_type(e, e->c.program.top.param + i));
	edit_fill(&unit, 1);
	return unit;
}

/* Lets every level differentiate by all float inputs.  Otherwise the operand may be a constant to it. */
static void differentiate_all(struct edit *e)
{
	const struct region *top = &e->c.program.top;

	for (int l = 0; l < e->c.n_transform; l++) {
		struct transform *t = &e->c.transform[l], all = *t;

		if (t->kind == TRANSFORM_BATCH)
			continue;
		all.n_wrt = 0;
		all.wrt = NEW(e->arena, int, top->n_param);
		if (t->kind == TRANSFORM_JVP)
			all.seed = NEW(e->arena, struct tensor, top->n_param);
		for (int i = 0; i < top->n_param; i++) {
			if (!dtype_is_float(edit_type(e, top->param + i)->dtype))
				continue;
			if (t->kind == TRANSFORM_JVP)
				all.seed[all.n_wrt] = tangent_of(e, t, i);
			all.wrt[all.n_wrt++] = i;
		}
		if (t->kind == TRANSFORM_JVP)
			all.n_seed = all.n_wrt;
		*t = all;
	}
}

bool reuse_case(const struct testcase *c, enum op op, int draw, int form, struct arena *a, struct testcase *out)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	struct region *top = &e.c.program.top;
	const int place = place_of(top, op), which = form / REUSE_RESULTS;
	int *used = NEW(a, int, e.c.program.n_value + 1), result[2], n, x, y = -1;

	if (place < 0)
		return false;
	n = used_by(&e.c.program, &top->node[place], used, a);
	if (which >= n)
		return false;
	x = used[(draw * REUSE_OPERANDS + which) % n];
	for (int k = top->node[place].n_out - 1; k >= 0; k--)
		if (edit_type(&e, top->node[place].out + k)->dtype == edit_type(&e, x)->dtype)
			y = top->node[place].out + k;
	if (y < 0)
		return false;
	top->n_result = results_of(&e, form % REUSE_RESULTS, place, y, x, result);
	if (!top->n_result)
		return false;
	top->result = arena_copy(a, result, (size_t)top->n_result, sizeof *result);
	differentiate_all(&e);
	if (!edit_finish(&e, true) || !region_has_op(top, op))
		return false;
	*out = e.c;
	return true;
}

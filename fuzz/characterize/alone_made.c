/*
 * alone_made.c: what makes the operands of an op alone, and what else reads them or its result.  An engine that
 * rewrites programs, or keeps values in memory that others use, may fail only where an operand is no input.
 */
#include "alone.h"

#include "fuzz/edit/edit.h"
#include "graph/walk.h"

/* Whether the smallest case has a node of another op that makes a float.  Then the failure may need one. */
bool alone_needs_others(const struct lab *l, enum op op)
{
	const struct program *p = &l->base->program;

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (w.node->op != op && w.node->n_out && dtype_is_float(p->type[w.node->out].dtype))
			return true;
	return false;
}

/* A shape that broadcasts to s, with fewer elements if there are several. */
static struct shape narrower(struct choice *c, const struct shape *s)
{
	struct shape part = *s;
	int last = -1;

	if (choice_percent(c, 35))
		return shape_scalar();
	for (int d = 0; d < s->rank; d++) {
		if (s->extent[d] > 1)
			last = d;
		if (choice_percent(c, 40))
			part.extent[d] = 1;
	}
	if (last >= 0 && shape_equal(&part, s))
		part.extent[last] = 1;
	return part;
}

enum alone_maker alone_plan_maker(struct choice *c, struct type *t)
{
	static const int weight[MAKERS] = {
	    [MAKER_NONE] = 40,
	    [MAKER_EQUAL] = 12,
	    [MAKER_CONSTANT] = 8,
	    [MAKER_BROADCAST] = 14,
	    [MAKER_TRANSPOSE] = 6,
	    [MAKER_REVERSE] = 10,
	    [MAKER_SLICE] = 8,
	    [MAKER_RESHAPE] = 6,
	    [MAKER_COMPUTED] = 10,
	};
	const enum alone_maker m = (enum alone_maker)choice_weighted(c, weight, MAKERS);
	const int rank = t->shape.rank;

	switch (m) {
	case MAKER_BROADCAST:
		t->shape = narrower(c, &t->shape);
		break;
	case MAKER_TRANSPOSE:
		if (rank < 2)
			return MAKER_NONE;
		for (int d = 0; d < rank / 2; d++) {
			const int extent = t->shape.extent[d];

			t->shape.extent[d] = t->shape.extent[rank - 1 - d];
			t->shape.extent[rank - 1 - d] = extent;
		}
		break;
	case MAKER_REVERSE:
		return rank ? m : MAKER_NONE;
	case MAKER_SLICE:
		if (!rank)
			return MAKER_NONE;
		t->shape.extent[rank - 1] += 1;
		break;
	case MAKER_RESHAPE:
		t->shape = (struct shape){1, {shape_elements(&t->shape)}};
		break;
	default:
		break;
	}
	return m;
}

/* A constant: of equal elements, or not. */
static int constant(struct edit *e, struct choice *c, const struct type *t, bool alike)
{
	struct region *top = &e->c.program.top;
	struct tensor x = tensor_new(e->arena, t);
	const double first = choice_between(c, 1, 8) * 0.25;

	for (int i = 0, n = shape_elements(&t->shape); i < n; i++)
		x.at[i].f = alike ? first : first + i * 0.25;
	return edit_insert_constant(e, top, top->n_node, &x);
}

int alone_make(struct edit *e, struct choice *c, enum alone_maker m, const struct type *t, int input)
{
	struct region *top = &e->c.program.top;
	struct attrs a = {.shape = t->shape};
	const int rank = t->shape.rank;

	switch (m) {
	case MAKER_EQUAL:
	case MAKER_CONSTANT:
		return constant(e, c, t, m == MAKER_EQUAL);
	case MAKER_BROADCAST:
		return edit_append(e, top, OP_BROADCAST_TO, &input, 1, &a);
	case MAKER_RESHAPE:
		return edit_append(e, top, OP_RESHAPE, &input, 1, &a);
	case MAKER_TRANSPOSE:
		a.n_axes = rank;
		for (int d = 0; d < rank; d++)
			a.axes[d] = rank - 1 - d;
		return edit_append(e, top, OP_TRANSPOSE, &input, 1, &a);
	case MAKER_REVERSE:
		a.n_axes = 1;
		a.axes[0] = choice_below(c, rank);
		return edit_append(e, top, OP_REVERSE, &input, 1, &a);
	case MAKER_SLICE:
		for (int d = 0; d < rank; d++) {
			a.size[d] = t->shape.extent[d];
			a.stride[d] = 1;
		}
		a.start[rank - 1] = choice_below(c, 2);
		return edit_append(e, top, OP_SLICE, &input, 1, &a);
	case MAKER_COMPUTED:
		return edit_append(e, top, OP_NEG, &input, 1, NULL);
	default:
		return input;
	}
}

/* A value that an op makes of v: a sum, a view, or elementwise. */
static int append_reader(struct edit *e, struct choice *c, int v)
{
	struct region *top = &e->c.program.top;
	const struct shape s = edit_type(e, v)->shape;
	struct attrs a = {.n_axes = 1};

	if (!s.rank || choice_percent(c, 35))
		return edit_append(e, top, choice_percent(c, 50) ? OP_NEG : OP_SQUARE, &v, 1, NULL);
	a.axes[0] = choice_below(c, s.rank);
	return edit_append(e, top, choice_percent(c, 60) ? OP_REDUCE_SUM : OP_REVERSE, &v, 1, &a);
}

static void add_result(struct edit *e, int value)
{
	struct region *top = &e->c.program.top;

	if (value >= 0 && top->n_result < LIMIT_ARGS)
		top->result[top->n_result++] = value;
}

void alone_read_before(struct edit *e, struct choice *c, int operand)
{
	if (dtype_is_float(edit_type(e, operand)->dtype) && choice_percent(c, 15))
		add_result(e, append_reader(e, c, operand));
}

void alone_read_after(struct edit *e, struct choice *c, int value, int operand)
{
	const int made = choice_percent(c, 35) ? append_reader(e, c, value) : -1;

	if (made >= 0 && choice_percent(c, 70))
		e->c.program.top.result[0] = made;
	else
		add_result(e, made);
	if (dtype_is_float(edit_type(e, operand)->dtype) && choice_percent(c, 20))
		add_result(e, choice_percent(c, 25) ? operand : append_reader(e, c, operand));
}

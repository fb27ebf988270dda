/* c_index.c: gathers and scatters.  An index is brought into its axis where it is read. */
#include "c_parts.h"

const char *c_position(struct c_source *s, enum index_mode mode, const char *q, int n, int stride)
{
	const char *at = mode == MODE_CLIP ? arena_printf(s->arena, "clamped(%s, 0, %d)", q, n - 1)
	    : mode == MODE_WRAP            ? arena_printf(s->arena, "wrapped(%s, %d)", q, n)
	                                   : q;

	return stride == 1 ? at : arena_printf(s->arena, "%d * %s", stride, at);
}

static const char *inside(struct c_source *s, const char *q, int n)
{
	return arena_printf(s->arena, "%s >= 0 && %s < %d", q, q, n);
}

/* Prints out = x at the index, in loops over the result.  `index` and `x` are places there, without the axis. */
static void take(
    struct c_source *s, const struct node *node, const struct element_place *index, const struct element_place *x)
{
	const struct shape *over = &s->p->type[node->out].shape, *whole = &s->p->type[node->arg[0]].shape;
	const struct element_place at = c_rows(over);
	const char *q = c_element(s, node->arg[1], index, NULL), *out = c_element(s, node->out, &at, NULL), *from;
	int n = whole->extent[node->attrs.axis], step[LIMIT_RANK];

	if (!n) {
		c_fill(s, node->out, "0");
		return;
	}
	shape_strides(whole, step);
	from = c_element(s, node->arg[0], x, c_position(s, node->attrs.mode, q, n, step[node->attrs.axis]));
	if (node->attrs.mode == MODE_DROP)
		from = arena_printf(s->arena, "%s ? %s : 0", inside(s, q, n), from);
	c_loops(s, over, arena_printf(s->arena, "%s = %s", out, from));
}

static void gather(struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->out].shape, *whole = &s->p->type[node->arg[0]].shape,
	                   *list = &s->p->type[node->arg[1]].shape;
	int axis = node->attrs.axis, step[LIMIT_RANK], step_list[LIMIT_RANK];
	struct element_place index = {0}, x = {0};

	shape_strides(whole, step);
	shape_strides(list, step_list);
	for (int d = 0; d < list->rank; d++)
		index.step[axis + d] = step_list[d];
	for (int d = 0; d < whole->rank; d++)
		if (d != axis)
			x.step[d < axis ? d : d - 1 + list->rank] = step[d];
	c_only_long(&index, over);
	c_only_long(&x, over);
	take(s, node, &index, &x);
}

static void take_along_axis(struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->out].shape;
	struct element_place index = c_rows(over), x = {0};

	shape_strides(&s->p->type[node->arg[0]].shape, x.step);
	x.step[node->attrs.axis] = 0;
	c_only_long(&x, over);
	take(s, node, &index, &x);
}

static void scatter(struct c_source *s, const struct node *node)
{
	static const enum op combines[OP_COUNT] = {
	    [OP_SCATTER_ADD] = OP_ADD, [OP_SCATTER_MUL] = OP_MUL, [OP_SCATTER_MIN] = OP_MIN, [OP_SCATTER_MAX] = OP_MAX};
	const struct type *t = &s->p->type[node->out];
	struct shape over = s->p->type[node->arg[2]].shape;
	int axis = node->attrs.axis, n = t->shape.extent[axis], step[LIMIT_RANK];
	struct element_place index = {0}, to = {0}, from = {0};
	const char *q, *out, *statement;

	c_copy(s, node->out, node->arg[0]);
	shape_strides(&over, from.step);
	over.extent[axis] = s->p->type[node->arg[1]].shape.extent[0];
	if (!n || !shape_elements(&over))
		return;
	shape_strides(&t->shape, step);
	for (int d = 0; d < over.rank; d++)
		to.step[d] = d == axis ? 0 : step[d];
	index.step[axis] = 1;
	c_only_long(&index, &over);
	c_only_long(&to, &over);
	c_only_long(&from, &over);
	q = c_element(s, node->arg[1], &index, NULL);
	out = c_element(s, node->out, &to, c_position(s, node->attrs.mode, q, n, step[axis]));
	statement = c_element(s, node->arg[2], &from, NULL);
	if (combines[node->op])
		statement = c_expression(
		    s, combines[node->op], t->dtype, t->dtype, (const char *const[3]){out, statement});
	statement = arena_printf(s->arena, "%s = %s", out, statement);
	c_loops(s, &over,
	    node->attrs.mode == MODE_DROP ? arena_printf(s->arena, "if (%s) %s", inside(s, q, n), statement)
	                                  : statement);
}

static void masked_scatter(struct c_source *s, const struct node *node)
{
	const struct shape *whole = &s->p->type[node->out].shape;
	const struct shape flat = {whole->rank > 0, {shape_elements(whole)}};
	const struct element_place at = c_rows(&flat);
	int n = shape_elements(&s->p->type[node->arg[2]].shape);
	const char *source = s->p->type[node->arg[2]].shape.rank
	    ? arena_printf(s->arena, "v%d[n%d++]", node->arg[2], node->out)
	    : arena_printf(s->arena, "n%d++ ? 0 : v%d", node->out, node->arg[2]);

	if (!n || !shape_elements(whole)) {
		c_copy(s, node->out, node->arg[0]);
		return;
	}
	c_line(s, "int n%d = 0;", node->out);
	c_loops(s, &flat,
	    arena_printf(s->arena, "%s = %s && n%d < %d ? (%s) : %s", c_element(s, node->out, &at, NULL),
	        c_element(s, node->arg[1], &at, NULL), node->out, n, source, c_element(s, node->arg[0], &at, NULL)));
}

void c_index(struct c_source *s, const struct node *node)
{
	switch ((int)op_table[node->op].family) {
	case FAMILY_GATHER:
		gather(s, node);
		break;
	case FAMILY_TAKE_ALONG_AXIS:
		take_along_axis(s, node);
		break;
	case FAMILY_SCATTER:
		scatter(s, node);
		break;
	default:
		masked_scatter(s, node);
	}
}

/* c_moves.c: ops that move elements, as loops.  Each step copies one element to its new place. */
#include "c_parts.h"

/* Prints loops over `over`; `to` and `from` are places there. */
static void move(struct c_source *s, const struct shape *over, int to, const struct element_place *at, int from,
    const struct element_place *source)
{
	c_loops(
	    s, over, arena_printf(s->arena, "%s = %s", c_element(s, to, at, NULL), c_element(s, from, source, NULL)));
}

/* The places start + k*stride of a value. */
static struct element_place window(
    const struct shape *whole, const int start[], const int stride[], const struct shape *over)
{
	struct element_place at = {0};
	int step[LIMIT_RANK];

	shape_strides(whole, step);
	for (int d = 0; d < whole->rank; d++) {
		at.offset += step[d] * start[d];
		at.step[d] = step[d] * stride[d];
	}
	c_only_long(&at, over);
	return at;
}

static const int zeros[LIMIT_RANK], ones[LIMIT_RANK] = {1, 1, 1, 1};

static void broadcast_to(struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->out].shape;
	const struct element_place at = c_rows(over);

	c_loops(s, over,
	    arena_printf(
	        s->arena, "%s = %s", c_element(s, node->out, &at, NULL), c_broadcast_element(s, node->arg[0], over)));
}

/* Copies the flat value: the shapes differ, but not the elements. */
static void reshape(struct c_source *s, const struct node *node)
{
	int n = shape_elements(&s->p->type[node->out].shape);
	const struct shape flat = {1, {n}};
	const struct element_place at = {.step = {n > 1}};

	move(s, &flat, node->out, &at, node->arg[0], &at);
}

static void transpose(struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->out].shape;
	const struct element_place at = c_rows(over);
	struct element_place from = {0};
	int step[LIMIT_RANK];

	shape_strides(&s->p->type[node->arg[0]].shape, step);
	for (int d = 0; d < over->rank; d++)
		from.step[d] = step[node->attrs.axes[d]];
	c_only_long(&from, over);
	move(s, over, node->out, &at, node->arg[0], &from);
}

static void reverse(struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->out].shape;
	const struct element_place at = c_rows(over);
	int start[LIMIT_RANK] = {0}, stride[LIMIT_RANK] = {1, 1, 1, 1};
	struct element_place from;

	for (int i = 0; i < node->attrs.n_axes; i++) {
		int d = node->attrs.axes[i];

		start[d] = over->extent[d] - 1;
		stride[d] = -1;
	}
	from = window(over, start, stride, over);
	move(s, over, node->out, &at, node->arg[0], &from);
}

static void slice(struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->out].shape;
	const struct element_place at = c_rows(over),
	                           from = window(
	                               &s->p->type[node->arg[0]].shape, node->attrs.start, node->attrs.stride, over);

	move(s, over, node->out, &at, node->arg[0], &from);
}

/* Sets the part of the result at start + k*stride to `part`. */
static void put(struct c_source *s, int out, int part, const int start[], const int stride[])
{
	const struct shape *over = &s->p->type[part].shape;
	const struct element_place at = window(&s->p->type[out].shape, start, stride, over), from = c_rows(over);

	move(s, over, out, &at, part, &from);
}

/* Prints the sum of clamped starts times strides, as the variable at<v>. */
static const char *runtime_offset(struct c_source *s, int whole, const struct shape *part, int starts, int of)
{
	const struct shape *shape = &s->p->type[whole].shape;
	const char *sum = NULL;
	int step[LIMIT_RANK];

	shape_strides(shape, step);
	for (int d = 0; d < shape->rank; d++) {
		const char *start = arena_printf(
		    s->arena, "%d * clamped(v%d[%d], 0, %d)", step[d], starts, d, shape->extent[d] - part->extent[d]);

		sum = sum ? arena_printf(s->arena, "%s + %s", sum, start) : start;
	}
	if (!sum)
		return NULL;
	c_line(s, "const int64_t at%d = %s;", of, sum);
	return arena_printf(s->arena, "at%d", of);
}

static void dynamic_slice(struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->out].shape;
	const struct element_place at = c_rows(over), from = window(&s->p->type[node->arg[0]].shape, zeros, ones, over);
	const char *offset;

	if (!shape_elements(over))
		return;
	offset = runtime_offset(s, node->arg[0], over, node->arg[1], node->out);
	c_loops(s, over,
	    arena_printf(
	        s->arena, "%s = %s", c_element(s, node->out, &at, NULL), c_element(s, node->arg[0], &from, offset)));
}

static void dynamic_update_slice(struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->arg[1]].shape;
	const struct element_place at = window(&s->p->type[node->out].shape, zeros, ones, over), from = c_rows(over);
	const char *offset;

	c_copy(s, node->out, node->arg[0]);
	if (!shape_elements(over))
		return;
	offset = runtime_offset(s, node->out, over, node->arg[2], node->out);
	c_loops(s, over,
	    arena_printf(
	        s->arena, "%s = %s", c_element(s, node->out, &at, offset), c_element(s, node->arg[1], &from, NULL)));
}

static void concatenate(struct c_source *s, const struct node *node)
{
	int start[LIMIT_RANK] = {0}, axis = node->attrs.axis;

	for (int k = 0; k < node->n_arg; k++) {
		put(s, node->out, node->arg[k], start, ones);
		start[axis] += s->p->type[node->arg[k]].shape.extent[axis];
	}
}

static void iota(struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->out].shape;
	const struct element_place at = c_rows(over);
	const char *variable = over->extent[node->attrs.axis] > 1 ? c_variable[node->attrs.axis] : "0";

	c_loops(s, over,
	    arena_printf(s->arena, "%s = (%s)%s", c_element(s, node->out, &at, NULL),
	        c_type(s->p->type[node->out].dtype), variable));
}

void c_move(struct c_source *s, const struct node *node)
{
	switch ((int)op_table[node->op].family) {
	case FAMILY_BROADCAST_TO:
		broadcast_to(s, node);
		break;
	case FAMILY_RESHAPE:
	case FAMILY_SQUEEZE:
		reshape(s, node);
		break;
	case FAMILY_TRANSPOSE:
		transpose(s, node);
		break;
	case FAMILY_REVERSE:
		reverse(s, node);
		break;
	case FAMILY_SLICE:
		slice(s, node);
		break;
	case FAMILY_SLICE_SCATTER:
		c_copy(s, node->out, node->arg[0]);
		put(s, node->out, node->arg[1], node->attrs.start, node->attrs.stride);
		break;
	case FAMILY_DYNAMIC_SLICE:
		dynamic_slice(s, node);
		break;
	case FAMILY_DYNAMIC_UPDATE_SLICE:
		dynamic_update_slice(s, node);
		break;
	case FAMILY_PAD:
		c_fill(s, node->out, arena_printf(s->arena, "v%d", node->arg[1]));
		put(s, node->out, node->arg[0], node->attrs.low, ones);
		break;
	case FAMILY_CONCATENATE:
		concatenate(s, node);
		break;
	default:
		iota(s, node);
	}
}

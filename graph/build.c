/*
 * build.c: builds programs node by node.
 *
 * Values are numbered as they are defined.  If each op with regions is appended right after its regions, the program is
 * canonical as it is.  Otherwise build_end renumbers it; until then the numbers that the builder returned are valid.
 */
#include "program.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct builder_region {
	struct builder_region *up;
	struct region region;
	int node_room;
	struct region *closed; /* [n_closed] inside this one, waiting for their op */
	int n_closed, closed_room;
};

static int add_value(struct builder *b, const struct type *t)
{
	struct program *p = &b->program;

	GROW_RAW(b->arena, p->type, &b->type_room, p->n_value + 1);
	p->type[p->n_value] = *t;
	return p->n_value++;
}

void build_begin(struct builder *b, struct arena *a)
{
	*b = (struct builder){.arena = a, .stack = NEW(a, struct builder_region, 1)};
}

void build_reserve(struct builder *b, int n_node)
{
	GROW_RAW(b->arena, b->stack->region.node, &b->stack->node_room, n_node);
}

int build_input(struct builder *b, const struct type *t)
{
	struct region *top = &b->stack->region;

	assert(!b->stack->up && !top->n_node && !b->stack->n_closed && b->program.n_value == top->n_param);
	top->n_param++;
	return add_value(b, t);
}

/* A node behind the last one of the open region, which has it once it is appended. */
static struct node *new_node(struct builder *b, enum op op, const struct attrs *attrs)
{
	struct builder_region *open = b->stack;
	struct node *node;

	GROW_RAW(b->arena, open->region.node, &open->node_room, open->region.n_node + 1);
	node = &open->region.node[open->region.n_node];
	node->op = op;
	if (attrs)
		node->attrs = *attrs;
	else
		memset(&node->attrs, 0, sizeof node->attrs);
	node->n_region = 0;
	node->region = NULL;
	return node;
}

/* Appends it if its results can be inferred. */
static int append(struct builder *b, struct node *node, const int *arg, int n_arg, struct error *e)
{
	struct type out[LIMIT_ARGS];

	node->n_arg = n_arg;
	node->arg = arena_copy(b->arena, arg, n_arg > 0 ? (size_t)n_arg : 0, sizeof *arg);
	if (!node_infer(&b->program, node, out, &node->n_out, e))
		return -1;
	node->out = b->program.n_value;
	for (int i = 0; i < node->n_out; i++)
		add_value(b, &out[i]);
	b->stack->region.n_node++;
	return node->out;
}

int build_node(struct builder *b, enum op op, const int *arg, int n_arg, const struct attrs *attrs, struct error *e)
{
	struct node *node = new_node(b, op, attrs);
	struct arena_mark mark = arena_mark(b->arena);
	int out;

	if (op == OP_CONSTANT && node->attrs.value.at)
		node->attrs.value = tensor_copy(b->arena, &node->attrs.value);
	out = append(b, node, arg, n_arg, e);
	if (out < 0)
		arena_rewind(b->arena, mark);
	return out;
}

int build_constant(struct builder *b, const struct tensor *value)
{
	const struct attrs attrs = {.value = *value};

	return build_node(b, OP_CONSTANT, NULL, 0, &attrs, NULL);
}

int build_scalar(struct builder *b, enum dtype d, double x)
{
	union cell cell = {0};
	const struct tensor value = {{.dtype = d}, &cell};

	if (dtype_is_float(d))
		cell.f = dtype_round(d, x);
	else if (d == DTYPE_BOOL)
		cell.i = x != 0;
	else /* truncates and saturates, NaN is 0, as the op cast says */
		cell.i = isnan(x) ? 0 : x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (int64_t)x;
	if (d == DTYPE_I32)
		cell.i = cell.i > INT32_MAX ? INT32_MAX : cell.i < INT32_MIN ? INT32_MIN : cell.i;
	return build_constant(b, &value);
}

int build_open(struct builder *b, const struct type *params, int n_param)
{
	struct builder_region *open = NEW(b->arena, struct builder_region, 1);

	open->up = b->stack;
	open->region.n_param = n_param;
	open->region.param = b->program.n_value;
	for (int i = 0; i < n_param; i++)
		add_value(b, &params[i]);
	b->stack = open;
	return open->region.param;
}

void build_close(struct builder *b, const int *result, int n_result)
{
	struct builder_region *done = b->stack, *open = done->up;

	assert(open && !done->n_closed);
	done->region.n_result = n_result;
	done->region.result = arena_copy(b->arena, result, (size_t)n_result, sizeof *result);
	GROW_RAW(b->arena, open->closed, &open->closed_room, open->n_closed + 1);
	open->closed[open->n_closed++] = done->region;
	b->stack = open;
}

int build_region_node(
    struct builder *b, enum op op, const int *arg, int n_arg, const struct attrs *attrs, struct error *e)
{
	struct builder_region *open = b->stack;
	struct node *node = new_node(b, op, attrs);

	/* With fewer regions than the op has, node_infer refuses. */
	node->n_region = op_table[op].n_region;
	if (node->n_region > open->n_closed)
		node->n_region = open->n_closed;
	open->n_closed -= node->n_region;
	if (node->n_region)
		node->region = arena_copy(
		    b->arena, &open->closed[open->n_closed], (size_t)node->n_region, sizeof *node->region);
	return append(b, node, arg, n_arg, e);
}

const struct node *build_last(const struct builder *b)
{
	const struct region *open = &b->stack->region;

	return &open->node[open->n_node - 1];
}

/* Whether the values of `region` are numbered from *next on in the order of definition. */
static bool canonical(const struct region *region, int *next)
{
	if (region->n_param && region->param != *next)
		return false;
	*next += region->n_param;
	for (int k = 0; k < region->n_node; k++) {
		const struct node *node = &region->node[k];
		for (int i = 0; i < node->n_region; i++)
			if (!canonical(&node->region[i], next))
				return false;
		if (node->out != *next)
			return false;
		*next += node->n_out;
	}
	return true;
}

struct program build_end(struct builder *b, const int *result, int n_result)
{
	struct program p = b->program;
	int next = 0;

	assert(!b->stack->up && !b->stack->n_closed);
	p.top = b->stack->region;
	p.top.n_result = n_result;
	p.top.result = arena_copy(b->arena, result, (size_t)n_result, sizeof *result);
	return canonical(&p.top, &next) && next == p.n_value ? p : program_renumber(&p, b->arena);
}

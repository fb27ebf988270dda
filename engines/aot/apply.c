/*
 * apply.c: writes scatter_apply in other ops: a loop over the indices in order.  The loop takes a slice of its carry,
 * applies the region to each element, and puts the slice back.  So a duplicate index finds what the earlier one left.
 * The rules of loops and slices differentiate all of it.
 */
#include "graph/walk.h"
#include "lower.h"
#include "parts.h"

static bool elementwise(enum family f)
{
	return f == FAMILY_CONSTANT || f == FAMILY_UNARY || f == FAMILY_BINARY || f == FAMILY_COMPARE ||
	    f == FAMILY_CLAMP || f == FAMILY_SELECT || f == FAMILY_CAST;
}

/*
 * Whether the node casts floats.  If all elements share the cast value, the rule would sum their cotangents in the
 * target dtype of the cast.  That dtype may be the coarser one.
 */
static bool is_float_cast(const struct aot *x, const struct node *node)
{
	return node->op == OP_CAST && dtype_is_float(x->p->type[node->arg[0]].dtype) &&
	    dtype_is_float(node->attrs.dtype);
}

/* Whether the region works on an array as it does on each element: scalars throughout, and every op broadcasts. */
static bool is_vectorisable(const struct aot *x, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		if (!elementwise(op_table[node->op].family) || x->p->type[node->out].shape.rank ||
		    is_float_cast(x, node))
			return false;
	}
	return true;
}

/* Applies the region to each element of a vector. */
static int apply(struct aot *x, const struct region *region, int vector)
{
	const struct type type = *aot_type(x, vector);
	const struct attrs each = {.trip = type.shape.extent[0]};
	int result;

	if (is_vectorisable(x, region)) {
		x->map[region->param] = vector;
		aot_primal(x, region);
		return aot_broadcast(x, x->map[region->result[0]], &type.shape);
	}
	x->map[region->param] = build_open(&x->b, &(struct type){.dtype = type.dtype}, 1);
	aot_primal(x, region);
	result = x->map[region->result[0]];
	build_close(&x->b, &result, 1);
	return aot_emit_regions(x, OP_SCAN, &vector, 1, &each);
}

/* Applies the region to row `position` of the rows.  The position is a vector of one i64, and is clamped. */
static int apply_to_row(struct aot *x, const struct node *node, int rows, int position)
{
	const int others = aot_type(x, rows)->shape.extent[1];
	const struct attrs size = {.size = {1, others}}, along = {.axis = 0};
	const struct shape vector = aot_vector(1), flat = aot_vector(others), row = {2, {1, others}};
	int starts = aot_emit(x, OP_CONCATENATE, (int[]){position, aot_full(x, DTYPE_I64, 0, &vector)}, 2, &along);
	int slice = aot_reshape(x, aot_emit(x, OP_DYNAMIC_SLICE, (int[]){rows, starts}, 2, &size), &flat);

	return aot_op3(
	    x, OP_DYNAMIC_UPDATE_SLICE, rows, aot_reshape(x, apply(x, &node->region[0], slice), &row), starts);
}

/* The same, but nothing happens if the position is outside [0, extent). */
static int apply_inside(struct aot *x, const struct node *node, int rows, int position, int extent)
{
	const struct shape scalar = {.rank = 0};
	int at = aot_reshape(x, position, &scalar), zero = aot_scalar(x, DTYPE_I64, 0),
	    end = aot_scalar(x, DTYPE_I64, extent);
	int inside = aot_op2(x, OP_GE, at, zero), below = aot_op2(x, OP_LT, at, end), result;

	inside = aot_op2(x, OP_LOGICAL_AND, inside, below);
	build_open(&x->b, NULL, 0);
	result = apply_to_row(x, node, rows, position);
	build_close(&x->b, &result, 1);
	build_open(&x->b, NULL, 0);
	build_close(&x->b, &rows, 1);
	return aot_emit_regions(x, OP_COND, &inside, 1, NULL);
}

void aot_primal_apply(struct aot *x, const struct node *node)
{
	const struct type type = x->p->type[node->arg[0]];
	const int axis = node->attrs.axis, extent = type.shape.extent[axis],
	          n = x->p->type[node->arg[1]].shape.extent[0];
	const struct attrs each = {.trip = n}, one = {.size = {1}};
	const struct shape vector = aot_vector(1);
	struct type params[2] = {{.dtype = DTYPE_I64}, type};
	int rows, k, position;

	/* On an empty axis, every mode drops. */
	if (!n || !shape_elements(&type.shape)) {
		x->map[node->out] = x->map[node->arg[0]];
		return;
	}
	rows = aot_rows(x, x->map[node->arg[0]], axis);
	params[1] = *aot_type(x, rows);
	k = build_open(&x->b, params, 2);
	position = aot_reshape(x, k, &vector);
	position = aot_emit(x, OP_DYNAMIC_SLICE, (int[]){x->map[node->arg[1]], position}, 2, &one);
	position = aot_cast(x, position, DTYPE_I64);
	if (node->attrs.mode == MODE_WRAP) {
		int count = aot_scalar(x, DTYPE_I64, extent);

		position = aot_op2(x, OP_ADD, aot_op2(x, OP_REMAINDER, position, count), count);
		position = aot_op2(x, OP_REMAINDER, position, count);
	}
	if (node->attrs.mode == MODE_DROP)
		k = apply_inside(x, node, k + 1, position, extent);
	else
		k = apply_to_row(x, node, k + 1, position);
	build_close(&x->b, &k, 1);
	rows = aot_emit_regions(x, OP_FOR, &rows, 1, &each);
	x->map[node->out] = aot_unrows(x, rows, axis, &type.shape);
}

bool lower_applies(struct program *p, struct arena *a, struct error *e)
{
	const struct program from = *p;
	struct aot *x;
	int result[LIMIT_ARGS];

	if (!region_has_op(&p->top, OP_SCATTER_APPLY))
		return true;
	x = NEW(a, struct aot, 1);
	x->error = e;
	x->arena = a;
	x->p = &from;
	x->map = NEW(a, int, from.n_value);
	if (setjmp(x->fail))
		return false;
	build_begin(&x->b, a);
	for (int k = 0; k < from.top.n_param; k++)
		x->map[from.top.param + k] = build_input(&x->b, &from.type[from.top.param + k]);
	aot_primal(x, &from.top);
	for (int k = 0; k < from.top.n_result; k++)
		result[k] = x->map[from.top.result[k]];
	*p = build_end(&x->b, result, from.top.n_result);
	return true;
}

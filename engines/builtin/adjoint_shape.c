/*
 * adjoint_shape.c: adjoints of the ops that move elements by an affine map of indices.  The cotangent moves in the
 * opposite direction, and overwritten elements get 0.
 */
#include "adjoint.h"

#include <string.h>

void adjoint_select(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct shape *shape = &call->out->type.shape;
	const union cell *predicate = adjoint_expand(call->arg[0], shape, call->arena);
	int n = shape_elements(shape);

	for (int k = 1; k <= 2; k++) {
		union cell *full;

		if (!call->wanted[k])
			continue;
		full = NEW(call->arena, union cell, n);
		for (int i = 0; i < n; i++)
			if ((predicate[i].i != 0) == (k == 1))
				full[i] = call->cotangent->at[i];
		adjoint_deliver(call, k, shape, full, contribution);
	}
}

/* Gives a copy of the cotangent to the operand, which has as many elements. */
void adjoint_same(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct type *t = &call->arg[0]->type;
	int n = shape_elements(&t->shape);

	if (call->wanted[0])
		contribution[0] = (struct tensor){
		    *t, arena_copy(call->arena, call->cotangent->at, (size_t)n, sizeof(union cell))};
}

void adjoint_cast(const struct adjoint_call *call, struct tensor *contribution)
{
	adjoint_same(call, contribution);
	if (contribution[0].at)
		adjoint_round(&contribution[0]);
}

void adjoint_broadcast_to(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct shape *shape = &call->out->type.shape;
	size_t n = (size_t)shape_elements(shape);

	if (call->wanted[0])
		adjoint_deliver(
		    call, 0, shape, arena_copy(call->arena, call->cotangent->at, n, sizeof(union cell)), contribution);
}

void adjoint_transpose(const struct adjoint_call *call, struct tensor *contribution)
{
	struct cell_walk w = {.shape = call->out->type.shape};
	int strides[LIMIT_RANK];

	if (!call->wanted[0])
		return;
	shape_strides(&call->arg[0]->type.shape, strides);
	for (int d = 0; d < w.shape.rank; d++)
		w.step[d] = strides[call->node->attrs.axes[d]];
	cell_walk_put(adjoint_open(call, 0, contribution), w, call->cotangent->at);
}

void adjoint_reverse(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct attrs *attrs = &call->node->attrs;
	struct cell_walk w = {.shape = call->out->type.shape};

	if (!call->wanted[0])
		return;
	shape_strides(&w.shape, w.step);
	for (int k = 0; k < attrs->n_axes; k++) {
		int d = attrs->axes[k];

		w.offset += (w.shape.extent[d] - 1) * w.step[d];
		w.step[d] = -w.step[d];
	}
	cell_walk_put(adjoint_open(call, 0, contribution), w, call->cotangent->at);
}

void adjoint_slice(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct attrs *attrs = &call->node->attrs;

	if (call->wanted[0])
		cell_walk_put(adjoint_open(call, 0, contribution),
		    cell_walk_window(&call->arg[0]->type.shape, &call->out->type.shape, attrs->start, attrs->stride),
		    call->cotangent->at);
}

/* The op replaces a window of operand 0 by operand 1. */
static void give_replaced(const struct adjoint_call *call, struct cell_walk window, struct tensor *contribution)
{
	if (call->wanted[1])
		cell_walk_take(call->cotangent->at, window, adjoint_open(call, 1, contribution));
	if (call->wanted[0]) {
		if (call->spent)
			contribution[0] = *call->cotangent;
		else
			adjoint_same(call, contribution);
		cell_walk_zero(contribution[0].at, window);
	}
}

void adjoint_slice_scatter(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct attrs *attrs = &call->node->attrs;

	give_replaced(call,
	    cell_walk_window(&call->out->type.shape, &call->arg[1]->type.shape, attrs->start, attrs->stride),
	    contribution);
}

/* The window of a dynamic slice: each start is clamped so that the window lies inside. */
static struct cell_walk dynamic_window(const struct shape *whole, const struct shape *size, const struct tensor *starts)
{
	int start[LIMIT_RANK] = {0};

	for (int d = 0; d < whole->rank; d++) {
		int64_t last = whole->extent[d] - size->extent[d], at = starts->at[d].i;

		start[d] = (int)(at < 0 ? 0 : at > last ? last : at);
	}
	return cell_walk_window(whole, size, start, NULL);
}

void adjoint_dynamic_slice(const struct adjoint_call *call, struct tensor *contribution)
{
	if (call->wanted[0])
		cell_walk_put(adjoint_open(call, 0, contribution),
		    dynamic_window(&call->arg[0]->type.shape, &call->out->type.shape, call->arg[1]),
		    call->cotangent->at);
}

void adjoint_dynamic_update_slice(const struct adjoint_call *call, struct tensor *contribution)
{
	give_replaced(
	    call, dynamic_window(&call->out->type.shape, &call->arg[1]->type.shape, call->arg[2]), contribution);
}

void adjoint_pad(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct shape *shape = &call->out->type.shape;
	struct cell_walk inside = cell_walk_window(shape, &call->arg[0]->type.shape, call->node->attrs.low, NULL);
	int n = shape_elements(shape);

	if (call->wanted[0])
		cell_walk_take(call->cotangent->at, inside, adjoint_open(call, 0, contribution));
	if (call->wanted[1]) {
		union cell *margin = arena_copy(call->arena, call->cotangent->at, (size_t)n, sizeof(union cell));

		cell_walk_zero(margin, inside);
		adjoint_open(call, 1, contribution);
		adjoint_scatter(call->rules->sum, &contribution[1], NEW(call->arena, int, n), margin, n, call->arena);
	}
}

void adjoint_concatenate(const struct adjoint_call *call, struct tensor *contribution)
{
	int start[LIMIT_RANK] = {0}, axis = call->node->attrs.axis;

	for (int k = 0; k < call->node->n_arg; k++) {
		const struct shape *part = &call->arg[k]->type.shape;

		if (call->wanted[k])
			cell_walk_take(call->cotangent->at, cell_walk_window(&call->out->type.shape, part, start, NULL),
			    adjoint_open(call, k, contribution));
		start[axis] += part->extent[axis];
	}
}

/* shape.c: moves and slices in reverse.  The cotangent of a copy is added to where the copy came from. */
#include <string.h>

#include "parts.h"

PULL(broadcast_to)
{
	const struct shape s = aot_type(x, arg[0])->shape;

	(void)node, (void)out;
	if (wanted[0])
		contribution[0] = aot_sum_to(x, cotangent, &s);
}

PULL(reshape)
{
	const struct shape s = aot_type(x, arg[0])->shape;

	(void)node, (void)out;
	if (wanted[0])
		contribution[0] = aot_reshape(x, cotangent, &s);
}

PULL(transpose)
{
	int back[LIMIT_RANK] = {0}, rank = aot_type(x, arg[0])->shape.rank;

	(void)out;
	for (int d = 0; d < rank; d++)
		back[node->attrs.axes[d]] = d;
	if (wanted[0])
		contribution[0] = aot_transpose(x, cotangent, back);
}

PULL(reverse)
{
	(void)arg, (void)out;
	if (wanted[0])
		contribution[0] = aot_emit(x, OP_REVERSE, &cotangent, 1, &node->attrs);
}

PULL(slice)
{
	(void)out;
	if (wanted[0])
		contribution[0] = aot_emit(
		    x, OP_SLICE_SCATTER, (int[]){aot_zeros(x, aot_type(x, arg[0])), cotangent}, 2, &node->attrs);
}

PULL(slice_scatter)
{
	const struct type update = *aot_type(x, arg[1]);

	(void)out;
	if (wanted[0])
		contribution[0] = aot_emit(
		    x, OP_SLICE_SCATTER, (int[]){cotangent, aot_zeros(x, &update)}, 2, &node->attrs);
	if (wanted[1]) {
		struct attrs attrs = node->attrs;

		memcpy(attrs.size, update.shape.extent, sizeof attrs.size);
		contribution[1] = aot_emit(x, OP_SLICE, &cotangent, 1, &attrs);
	}
}

PULL(dynamic_slice)
{
	(void)node, (void)out;
	if (wanted[0])
		contribution[0] = aot_op3(
		    x, OP_DYNAMIC_UPDATE_SLICE, aot_zeros(x, aot_type(x, arg[0])), cotangent, arg[1]);
}

PULL(dynamic_update_slice)
{
	const struct type update = *aot_type(x, arg[1]);

	(void)node, (void)out;
	if (wanted[0])
		contribution[0] = aot_op3(x, OP_DYNAMIC_UPDATE_SLICE, cotangent, aot_zeros(x, &update), arg[2]);
	if (wanted[1]) {
		struct attrs attrs = {.axis = 0};

		memcpy(attrs.size, update.shape.extent, sizeof *attrs.size * (size_t)update.shape.rank);
		contribution[1] = aot_emit(x, OP_DYNAMIC_SLICE, (int[]){cotangent, arg[2]}, 2, &attrs);
	}
}

/* The operand's window inside the padding. */
static struct attrs pad_window(const struct node *node, const struct shape *inside)
{
	struct attrs attrs = {.axis = 0};

	for (int d = 0; d < inside->rank; d++) {
		attrs.start[d] = node->attrs.low[d];
		attrs.size[d] = inside->extent[d];
		attrs.stride[d] = 1;
	}
	return attrs;
}

PULL(pad)
{
	const struct type type = *aot_type(x, arg[0]);
	const struct attrs window = pad_window(node, &type.shape);

	(void)out;
	if (wanted[0])
		contribution[0] = aot_emit(x, OP_SLICE, &cotangent, 1, &window);
	if (wanted[1]) {
		const struct shape scalar = shape_scalar();
		int margin = aot_emit(x, OP_SLICE_SCATTER, (int[]){cotangent, aot_zeros(x, &type)}, 2, &window);

		contribution[1] = aot_sum_to(x, margin, &scalar);
	}
}

PULL(concatenate)
{
	int axis = node->attrs.axis, start = 0;

	(void)out;
	for (int k = 0; k < node->n_arg; k++) {
		int extent = aot_type(x, arg[k])->shape.extent[axis];

		if (wanted[k])
			contribution[k] = aot_slice(x, cotangent, axis, start, extent);
		start += extent;
	}
}

/* batch_ops.c: the batching rules of ops without regions.  The leading axis moves every other one up by one. */
#include <string.h>

#include "batch.h"

static const struct type *type_of(const struct batcher *b, int v) { return &b->x->p->type[v]; }

/* [size, axes of s]. */
static struct shape stacked(const struct batcher *b, const struct shape *s)
{
	struct shape out = *s;

	if (!shape_stack(&out, b->size))
		aot_too_large(b->x, "a batched value has no room");
	return out;
}

int batch_lead(struct batcher *b, int v)
{
	const struct shape s = stacked(b, &type_of(b, v)->shape);

	return b->batched[v] ? b->x->map[v] : aot_broadcast(b->x, b->x->map[v], &s);
}

int batch_align(struct batcher *b, int value, int rank)
{
	const struct shape s = aot_type(b->x, value)->shape;
	struct shape wide = {.rank = rank + 1, .extent = {b->size}};

	for (int d = 1; d <= rank; d++) {
		int from = d - (rank + 1 - s.rank);

		wide.extent[d] = from < 1 ? 1 : s.extent[from];
	}
	return aot_reshape(b->x, value, &wide);
}

/*
 * The value that holds v, ready to broadcast to values of that rank (without the batch).  A batched value gets axes of
 * 1 behind the leading one.
 */
static int batch_aligned(struct batcher *b, int v, int rank)
{
	return b->batched[v] ? batch_align(b, b->x->map[v], rank) : b->x->map[v];
}

/* Emits the node's op on these operands as its result. */
static bool give(struct batcher *b, const struct node *node, const int *arg, const struct attrs *attrs)
{
	/* A batched buffer may be read again, so a store becomes a plain update. */
	enum op op = node->op == OP_STORE ? OP_DYNAMIC_UPDATE_SLICE : node->op;

	b->x->map[node->out] = aot_emit(b->x, op, arg, node->n_arg, attrs);
	return true;
}

static bool batch_elementwise(struct batcher *b, const struct node *node)
{
	int arg[LIMIT_ARGS], rank = type_of(b, node->out)->shape.rank;

	for (int k = 0; k < node->n_arg; k++)
		arg[k] = batch_aligned(b, node->arg[k], rank);
	return give(b, node, arg, &node->attrs);
}

/* Gives every operand the leading axis. */
static void lead_all(struct batcher *b, const struct node *node, int *arg)
{
	for (int k = 0; k < node->n_arg; k++)
		arg[k] = batch_lead(b, node->arg[k]);
}

static bool batch_broadcast_to(struct batcher *b, const struct node *node)
{
	const struct attrs attrs = {.shape = stacked(b, &node->attrs.shape)};
	int arg = batch_aligned(b, node->arg[0], node->attrs.shape.rank);

	return give(b, node, &arg, &attrs);
}

static bool batch_reshape(struct batcher *b, const struct node *node)
{
	const struct attrs attrs = {.shape = stacked(b, &node->attrs.shape)};

	return give(b, node, &b->x->map[node->arg[0]], &attrs);
}

/* Ops of one operand whose axes are all in attrs.axes: reductions, reverse, squeeze. */
static bool batch_axes(struct batcher *b, const struct node *node)
{
	struct attrs attrs = node->attrs;

	for (int k = 0; k < attrs.n_axes; k++)
		attrs.axes[k]++;
	return give(b, node, &b->x->map[node->arg[0]], &attrs);
}

static bool batch_transpose(struct batcher *b, const struct node *node)
{
	struct attrs attrs = {.n_axes = node->attrs.n_axes + 1};

	for (int k = 0; k < node->attrs.n_axes; k++)
		attrs.axes[k + 1] = node->attrs.axes[k] + 1;
	return give(b, node, &b->x->map[node->arg[0]], &attrs);
}

/* Ops that work along attrs.axis and whose operands have the same axes otherwise. */
static bool batch_along_axis(struct batcher *b, const struct node *node)
{
	struct attrs attrs = node->attrs;
	int arg[LIMIT_ARGS];

	attrs.axis++;
	lead_all(b, node, arg);
	return give(b, node, arg, &attrs);
}

/* Puts `first` in front of list[n]. */
static void prepend(int *list, int n, int first)
{
	memmove(list + 1, list, (size_t)n * sizeof *list);
	list[0] = first;
}

/* Ops with a number per axis: slice, slice_scatter, pad.  The new axis gets its number first. */
static bool batch_windows(struct batcher *b, const struct node *node)
{
	struct attrs attrs = node->attrs;
	int arg[LIMIT_ARGS], n = type_of(b, node->arg[0])->shape.rank;

	if (node->op == OP_PAD && b->batched[node->arg[1]])
		return false;
	prepend(attrs.start, n, 0);
	prepend(attrs.size, n, b->size);
	prepend(attrs.stride, n, 1);
	prepend(attrs.low, n, 0);
	prepend(attrs.high, n, 0);
	lead_all(b, node, arg);
	if (node->op == OP_PAD)
		arg[1] = b->x->map[node->arg[1]];
	return give(b, node, arg, &attrs);
}

/* Batches an op whose starts all slices share. */
static bool batch_dynamic(struct batcher *b, const struct node *node)
{
	struct attrs attrs = node->attrs;
	int arg[LIMIT_ARGS], starts = node->n_arg - 1, first;

	if (b->batched[node->arg[starts]])
		return false;
	prepend(attrs.size, type_of(b, node->arg[0])->shape.rank, b->size);
	for (int k = 0; k < starts; k++)
		arg[k] = batch_lead(b, node->arg[k]);
	first = aot_full(b->x, type_of(b, node->arg[starts])->dtype, 0, &(struct shape){1, {1}});
	arg[starts] = aot_emit(
	    b->x, OP_CONCATENATE, (int[]){first, b->x->map[node->arg[starts]]}, 2, &(struct attrs){.axis = 0});
	return give(b, node, arg, &attrs);
}

static bool batch_scatter(struct batcher *b, const struct node *node)
{
	struct attrs attrs = node->attrs;

	if (b->batched[node->arg[1]])
		return false;
	attrs.axis++;
	return give(b, node, (int[]){batch_lead(b, node->arg[0]), b->x->map[node->arg[1]], batch_lead(b, node->arg[2])},
	    &attrs);
}

/* Moves axis `from` to `to`. */
static int move_axis(struct aot *x, int value, int from, int to)
{
	int axes[LIMIT_RANK], rank = aot_type(x, value)->shape.rank, n = 0;

	if (from == to)
		return value;
	for (int d = 0; d < rank; d++) {
		if (d == from)
			continue;
		if (n == to)
			axes[n++] = from;
		axes[n++] = d;
	}
	if (n == to)
		axes[n] = from;
	return aot_transpose(x, value, axes);
}

/*
 * Turns indices into n rows of each slice into indices into size * n rows.  The rows of slice k begin at k * n.  An
 * index that is dropped points past the end.
 */
static int flat_indices(struct batcher *b, int indices, int n, enum index_mode mode)
{
	struct aot *x = b->x;
	const struct type t = *aot_type(x, indices);
	const struct attrs slices = {.dtype = t.dtype, .shape = t.shape, .axis = 0};
	int zero = aot_scalar(x, t.dtype, 0), last = aot_scalar(x, t.dtype, n - 1), count = aot_scalar(x, t.dtype, n);
	int base = aot_op2(x, OP_MUL, aot_emit(x, OP_IOTA, NULL, 0, &slices), count), at = indices, inside;

	switch (mode) {
	case MODE_CLIP:
		at = aot_op3(x, OP_CLAMP, indices, zero, last);
		break;
	case MODE_WRAP:
		at = aot_op2(x, OP_REMAINDER, indices, count);
		at = aot_op3(x, OP_SELECT, aot_op2(x, OP_LT, at, zero), aot_op2(x, OP_ADD, at, count), at);
		break;
	default:
		inside = aot_op2(
		    x, OP_LOGICAL_AND, aot_op2(x, OP_GE, indices, zero), aot_op2(x, OP_LT, indices, count));
		return aot_op3(x, OP_SELECT, inside, aot_op2(x, OP_ADD, base, indices),
		    aot_scalar(x, t.dtype, (double)b->size * n));
	}
	return aot_op2(x, OP_ADD, base, at);
}

/*
 * The axes of the indices replace that of x, wherever they are.  The leading axis of the slices is brought to the
 * front.
 */
int batch_gather(struct batcher *b, const struct node *node, enum index_mode mode)
{
	struct aot *x = b->x;
	struct attrs attrs = {.axis = node->attrs.axis, .mode = mode};
	int arg[] = {x->map[node->arg[0]], x->map[node->arg[1]]}, axis = attrs.axis, out;
	int n = type_of(b, node->arg[0])->shape.extent[axis], n_index = type_of(b, node->arg[1])->shape.rank;
	struct shape rows;

	if (!b->batched[node->arg[1]]) {
		attrs.axis++;
		return aot_emit(x, OP_GATHER, arg, 2, &attrs);
	}
	if (!b->batched[node->arg[0]])
		return move_axis(x, aot_emit(x, OP_GATHER, arg, 2, &attrs), axis, 0);
	arg[0] = move_axis(x, arg[0], axis + 1, 1);
	rows = aot_type(x, arg[0])->shape;
	rows.extent[1] *= b->size;
	memmove(rows.extent, rows.extent + 1, (size_t)--rows.rank * sizeof *rows.extent);
	arg[0] = aot_reshape(x, arg[0], &rows);
	arg[1] = flat_indices(b, arg[1], n, mode);
	attrs.axis = 0;
	attrs.mode = mode == MODE_DROP ? MODE_DROP : MODE_CLIP;
	out = aot_emit(x, OP_GATHER, arg, 2, &attrs); /* [size, indices, before, after] */
	for (int d = 0; d < axis; d++)
		out = move_axis(x, out, 1 + n_index + d, 1 + d);
	return out;
}

/*
 * Batches an op with indices.  On an axis of no elements every index is dropped, in any mode.  The joined rows of all
 * slices would not do that.
 */
static bool batch_indexed(struct batcher *b, const struct node *node)
{
	if (!type_of(b, node->arg[0])->shape.extent[node->attrs.axis])
		return false;
	b->x->map[node->out] = b->rules->gather(b, node);
	return true;
}

static bool batch_matmul(struct batcher *b, const struct node *node)
{
	const struct shape out = stacked(b, &type_of(b, node->out)->shape);
	struct shape m[2];
	int arg[2], rank;

	for (int k = 0; k < 2; k++)
		m[k] = aot_matrix(&type_of(b, node->arg[k])->shape, k == 0);
	rank = m[0].rank > m[1].rank ? m[0].rank : m[1].rank;
	if (rank == LIMIT_RANK)
		return false;
	for (int k = 0; k < 2; k++) {
		if (b->batched[node->arg[k]]) {
			const struct shape one = stacked(b, &m[k]);

			arg[k] = batch_align(b, aot_reshape(b->x, b->x->map[node->arg[k]], &one), rank);
		} else {
			arg[k] = aot_reshape(b->x, b->x->map[node->arg[k]], &m[k]);
		}
	}
	b->x->map[node->out] = aot_reshape(b->x, aot_op2(b->x, OP_MATMUL, arg[0], arg[1]), &out);
	return true;
}

bool batch_op(struct batcher *b, const struct node *node)
{
	switch (op_table[node->op].family) {
	case FAMILY_UNARY:
	case FAMILY_BINARY:
	case FAMILY_COMPARE:
	case FAMILY_CLAMP:
	case FAMILY_SELECT:
	case FAMILY_CAST:
		return batch_elementwise(b, node);
	case FAMILY_BROADCAST_TO:
		return batch_broadcast_to(b, node);
	case FAMILY_RESHAPE:
		return batch_reshape(b, node);
	case FAMILY_TRANSPOSE:
		return batch_transpose(b, node);
	case FAMILY_REVERSE:
	case FAMILY_SQUEEZE:
	case FAMILY_REDUCE:
		return batch_axes(b, node);
	case FAMILY_SLICE:
	case FAMILY_SLICE_SCATTER:
	case FAMILY_PAD:
		return batch_windows(b, node);
	case FAMILY_DYNAMIC_SLICE:
	case FAMILY_DYNAMIC_UPDATE_SLICE:
		return batch_dynamic(b, node);
	case FAMILY_CONCATENATE:
	case FAMILY_TAKE_ALONG_AXIS:
	case FAMILY_CUMULATIVE:
	case FAMILY_SORT:
	case FAMILY_ARGSORT:
	case FAMILY_ARGMAX:
		return batch_along_axis(b, node);
	case FAMILY_GATHER:
		return batch_indexed(b, node);
	case FAMILY_SCATTER:
		return batch_scatter(b, node);
	case FAMILY_MATMUL:
		return batch_matmul(b, node);
	case FAMILY_CONSTANT:
	case FAMILY_IOTA:
	case FAMILY_MASKED_SCATTER:
	case FAMILY_SCATTER_APPLY:
	case FAMILY_COND:
	case FAMILY_CHECKPOINT:
	case FAMILY_FIXED_POINT:
	case FAMILY_FOR:
	case FAMILY_WHILE:
	case FAMILY_SCAN:
	case FAMILY_DERIVATIVE:
	case FAMILY_CUSTOM:
		break;
	}
	return false;
}

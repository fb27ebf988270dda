/*
 * rewrite_index.c: brings indices into their axis, so that no template needs a mode.  Constant indices are resolved
 * here.  For others, ops are appended that do it.
 */
#include "rewrite_parts.h"

/* The position on an axis of extent n, or -1 if the index is dropped. */
static int resolved(enum index_mode mode, int64_t index, int n)
{
	if (!n)
		return -1;
	if (index >= 0 && index < n)
		return (int)index;
	if (mode == MODE_DROP)
		return -1;
	return mode == MODE_CLIP ? index < 0 ? 0 : n - 1 : (int)((index % n + n) % n);
}

/* A number of the index' type, and of its shape if the target needs that. */
static int number(struct rewriting *r, int index, int x)
{
	const struct type *t = type_said(r, index);

	return say_filled(r, t->dtype, r->target->broadcast ? t->shape : shape_scalar(), x);
}

static int clamped(struct rewriting *r, int index, int low, int high)
{
	return say3(r, OP_CLAMP, index, number(r, index, low), number(r, index, high));
}

/* Whether each index is in [0, n): bool of its shape. */
static int inside(struct rewriting *r, int index, int n)
{
	return say2(
	    r, OP_LOGICAL_AND, say2(r, OP_GE, index, number(r, index, 0)), say2(r, OP_LT, index, number(r, index, n)));
}

/* The index brought into [0, n), by mode wrap. */
static int wrapped(struct rewriting *r, int index, int n)
{
	int extent = number(r, index, n), rest = say2(r, OP_REMAINDER, index, extent);

	return say2(r, OP_REMAINDER, say2(r, OP_ADD, rest, extent), extent);
}

/* select(mask, x, 0).  The mask has as many axes as x, and is broadcast if the target needs that. */
static int masked(struct rewriting *r, int mask, int x)
{
	const struct type t = *type_said(r, x);
	int zero = say_filled(r, t.dtype, r->target->broadcast ? t.shape : shape_scalar(), 0);

	if (r->target->broadcast && mask >= 0)
		mask = say1(r, OP_BROADCAST_TO, mask, &(struct attrs){.shape = t.shape});
	return say3(r, OP_SELECT, mask, x, zero);
}

/* ---- reads ---- */

/* Appends the node with an index that is inside.  No rule applies: the row means exactly this. */
static int read_inside(struct rewriting *r, const struct node *node, int index)
{
	int arg[] = {node->arg[0], index};
	struct node plain = {.op = node->op, .n_arg = 2, .arg = arg, .attrs = node->attrs};

	if (index < 0)
		return REWRITE_FAILED;
	plain.attrs.mode = MODE_CLIP;
	if (!has_row(r, &plain)) {
		error_set(r->e, NULL, "%s: no counterpart for op %s", r->target->name, op_table[node->op].name);
		return REWRITE_FAILED;
	}
	return say_plain(r, &plain);
}

/* The shape of an index' mask for the result of a gather. */
static struct shape mask_shape(const struct rewriting *r, const struct node *node)
{
	const struct shape *list = &type_said(r, node->arg[1])->shape, *whole = &type_said(r, node->arg[0])->shape;
	struct shape out = {.rank = whole->rank - 1 + list->rank};

	for (int d = 0; d < out.rank; d++)
		out.extent[d] = d < node->attrs.axis || d >= node->attrs.axis + list->rank
		    ? 1
		    : list->extent[d - node->attrs.axis];
	return out;
}

int rewrite_gather(struct rewriting *r, const struct node *node)
{
	const struct type *list = type_said(r, node->arg[1]);
	const struct tensor *constant = constant_said(r, node->arg[1]);
	int n = type_said(r, node->arg[0])->shape.extent[node->attrs.axis], count = shape_elements(&list->shape),
	    index = node->arg[1], mask = -1, out;
	struct type to[LIMIT_ARGS];
	int n_to;

	if (!n && node_infer(&r->b.program, node, to, &n_to, NULL))
		return say_filled(r, to[0].dtype, to[0].shape, 0);
	if (constant) {
		struct tensor at = tensor_copy(r->arena, constant),
		              kept = tensor_new(r->arena, &(struct type){DTYPE_BOOL, list->shape});
		bool all = true, same = true;

		for (int k = 0; k < count; k++) {
			int position = resolved(node->attrs.mode, constant->at[k].i, n);

			kept.at[k].i = position >= 0;
			all = all && position >= 0;
			at.at[k].i = position < 0 ? 0 : position;
			same = same && at.at[k].i == constant->at[k].i;
		}
		index = same ? index : say_constant(r, &at);
		mask = all ? -1 : say_constant(r, &kept);
	} else if (node->attrs.mode == MODE_WRAP) {
		index = wrapped(r, index, n);
	} else {
		mask = node->attrs.mode == MODE_DROP ? inside(r, index, n) : -1;
		index = clamped(r, index, 0, n - 1);
	}
	if (mask == REWRITE_FAILED)
		return REWRITE_FAILED;
	out = read_inside(r, node, index);
	if (out < 0 || mask < 0)
		return out < 0 ? REWRITE_FAILED : out;
	return masked(r, node->op == OP_GATHER ? say_reshape(r, mask, mask_shape(r, node)) : mask, out);
}

/* ---- writes ---- */

/* The slices along an axis at these positions. */
static int taken(struct rewriting *r, int x, int axis, const int *at, int n)
{
	struct attrs attrs = {.axis = axis, .mode = MODE_CLIP}, part = {0};
	const struct shape whole = type_said(r, x)->shape;
	bool leading = true;

	for (int k = 0; k < n; k++)
		leading = leading && at[k] == k;
	if (leading && n == whole.extent[axis])
		return x;
	if (!leading)
		return say(r, OP_GATHER, (const int[]){x, say_integers(r, DTYPE_I64, at, n)}, 2, &attrs);
	for (int d = 0; d < whole.rank; d++) {
		part.size[d] = d == axis ? n : whole.extent[d];
		part.stride[d] = 1;
	}
	return say1(r, OP_SLICE, x, &part);
}

/* Writes one slice after the other: takes it from x, changes it, and puts it back. */
static int one_by_one(struct rewriting *r, const struct node *node, int updates, const int *at, int n)
{
	static const enum op combines[OP_COUNT] = {
	    [OP_SCATTER_ADD] = OP_ADD, [OP_SCATTER_MUL] = OP_MUL, [OP_SCATTER_MIN] = OP_MIN, [OP_SCATTER_MAX] = OP_MAX};
	const struct shape whole = type_said(r, node->arg[0])->shape;
	int x = node->arg[0], axis = node->attrs.axis;

	for (int k = 0; k < n && x >= 0; k++) {
		struct attrs part = {0}, put = {0};
		int update;

		for (int d = 0; d < whole.rank; d++) {
			part.size[d] = d == axis ? 1 : whole.extent[d];
			part.stride[d] = put.stride[d] = 1;
		}
		part.start[axis] = k;
		update = say1(r, OP_SLICE, updates, &part);
		part.start[axis] = put.start[axis] = at[k];
		if (combines[node->op])
			update = say2(r, combines[node->op], say1(r, OP_SLICE, x, &part), update);
		x = say(r, OP_SLICE_SCATTER, (const int[]){x, update}, 2, &put);
	}
	return x;
}

/* Appends the node on leading slices: transposes both operands, and transposes the result back. */
static int leading(struct rewriting *r, const struct node *node, int index, int updates)
{
	int rank = type_said(r, node->arg[0])->shape.rank, axis = node->attrs.axis, n = 1;
	struct attrs turn = {.n_axes = rank, .axes = {axis}}, back = {.n_axes = rank};
	int arg[3];
	const struct node first = {.op = node->op, .n_arg = 3, .arg = arg, .attrs = {.mode = MODE_CLIP}};

	for (int d = 0; d < rank; d++)
		if (d != axis)
			turn.axes[n++] = d;
	for (int d = 0; d < rank; d++)
		back.axes[turn.axes[d]] = d;
	arg[0] = say1(r, OP_TRANSPOSE, node->arg[0], &turn);
	arg[1] = index;
	arg[2] = say1(r, OP_TRANSPOSE, updates, &turn);
	for (int k = 0; k < 3; k++)
		if (arg[k] < 0)
			return REWRITE_FAILED;
	return say1(r, OP_TRANSPOSE, say_plain(r, &first), &back);
}

/*
 * Appends the node by its row, with an index that is inside, on its axis or on leading slices.  REWRITE_NOT: there is
 * no row.
 */
static int written(struct rewriting *r, const struct node *node, int index, int updates)
{
	int arg[] = {node->arg[0], index, updates};
	struct node here = {.op = node->op, .n_arg = 3, .arg = arg, .attrs = node->attrs},
	            there = {.op = node->op, .n_arg = 3, .arg = arg};

	here.attrs.mode = there.attrs.mode = MODE_CLIP;
	if (index < 0 || updates < 0)
		return REWRITE_FAILED;
	if (has_row(r, &here))
		return say_plain(r, &here);
	return has_row(r, &there) ? leading(r, node, index, updates) : REWRITE_NOT;
}

static int scatter_constant(struct rewriting *r, const struct node *node, const struct tensor *constant)
{
	int n = type_said(r, node->arg[0])->shape.extent[node->attrs.axis], count = constant->type.shape.extent[0],
	    n_kept = 0, out, updates;
	int *from = NEW(r->arena, int, count + 1), *at = NEW(r->arena, int, count + 1);

	for (int k = 0; k < count; k++) {
		int position = resolved(node->attrs.mode, constant->at[k].i, n);
		bool last = position >= 0;

		for (int j = k + 1; j < count && last && node->op == OP_SCATTER_SET;
		     j++) /* engines do not define which of several duplicates wins */
			last = resolved(node->attrs.mode, constant->at[j].i, n) != position;
		if (last) {
			from[n_kept] = k;
			at[n_kept++] = position;
		}
	}
	if (!n_kept || !shape_elements(&type_said(r, node->arg[0])->shape))
		return say1(r, OP_COPY, node->arg[0], NULL);
	updates = taken(r, node->arg[2], node->attrs.axis, from, n_kept);
	out = written(r, node, say_integers(r, constant->type.dtype, at, n_kept), updates);
	return out == REWRITE_NOT ? one_by_one(r, node, updates, at, n_kept) : out;
}

/* Writes dropped slices to one more slice at the end. */
static int scatter_with_room(struct rewriting *r, const struct node *node, int updates)
{
	const struct type *t = type_said(r, node->arg[0]);
	int axis = node->attrs.axis, n = t->shape.extent[axis], mask = inside(r, node->arg[1], n), index, x;
	struct attrs part = {0};
	struct type one = *t;
	struct node roomy = *node;

	one.shape.extent[axis] = 1;
	for (int d = 0; d < t->shape.rank; d++) {
		part.size[d] = t->shape.extent[d];
		part.stride[d] = 1;
	}
	index = say3(r, OP_SELECT, mask, node->arg[1], number(r, node->arg[1], n));
	x = say(r, OP_CONCATENATE, (const int[]){node->arg[0], say_filled(r, one.dtype, one.shape, 0)}, 2,
	    &(struct attrs){.axis = axis});
	if (x < 0)
		return REWRITE_FAILED;
	roomy.arg = (int[]){x, index, updates};
	x = written(r, &roomy, index, updates);
	return x < 0 ? x : say1(r, OP_SLICE, x, &part);
}

int rewrite_scatter(struct rewriting *r, const struct node *node)
{
	const struct tensor *constant = constant_said(r, node->arg[1]);
	int axis = node->attrs.axis, n = type_said(r, node->arg[0])->shape.extent[axis],
	    count = type_said(r, node->arg[1])->shape.extent[0], updates, out;
	int *all = NEW(r->arena, int, count + 1);

	if (constant)
		return scatter_constant(r, node, constant);
	if (!n || !count)
		return say1(r, OP_COPY, node->arg[0], NULL);
	if (node->op == OP_SCATTER_SET) {
		error_set(r->e, NULL,
		    "%s: no counterpart for op scatter_set at indices that are no constants: it does not "
		    "define which of several duplicates wins",
		    r->target->name);
		return REWRITE_FAILED;
	}
	for (int k = 0; k < count; k++)
		all[k] = k;
	updates = taken(r, node->arg[2], axis, all, count);
	if (node->attrs.mode == MODE_DROP)
		out = scatter_with_room(r, node, updates);
	else
		out = written(r, node,
		    node->attrs.mode == MODE_WRAP ? wrapped(r, node->arg[1], n) : clamped(r, node->arg[1], 0, n - 1),
		    updates);
	if (out == REWRITE_NOT) {
		error_set(r->e, NULL, "%s: no counterpart for op %s at indices that are no constants", r->target->name,
		    op_table[node->op].name);
		return REWRITE_FAILED;
	}
	return out;
}

/* A scatter at the places where the mask is true. */
int rewrite_masked_scatter(struct rewriting *r, const struct node *node)
{
	const struct tensor *mask = constant_said(r, node->arg[1]);
	const struct shape whole = type_said(r, node->arg[0])->shape;
	const struct shape flat = {1, {shape_elements(&whole)}},
	                   source = {1, {shape_elements(&type_said(r, node->arg[2])->shape)}};
	int *at = NEW(r->arena, int, flat.extent[0] + 1), n = 0;

	if (!mask) {
		error_set(r->e, NULL, "%s: no counterpart for op masked_scatter by a mask that is no constant",
		    r->target->name);
		return REWRITE_FAILED;
	}
	for (int k = 0; k < flat.extent[0] && n < source.extent[0]; k++)
		if (mask->at[k].i)
			at[n++] = k;
	if (!n)
		return say1(r, OP_COPY, node->arg[0], NULL);
	return say_reshape(r,
	    say(r, OP_SCATTER_SET,
	        (const int[]){say_reshape(r, node->arg[0], flat), say_integers(r, DTYPE_I64, at, n),
	            say_reshape(r, node->arg[2], source)},
	        3, &(struct attrs){.mode = MODE_CLIP}),
	    whole);
}

/* ---- dynamic slices ---- */

/* Starts that are constants, clamped; false if they are not constants. */
static bool known_starts(const struct rewriting *r, const struct node *node, const int *size, struct attrs *out)
{
	const struct tensor *start = constant_said(r, node->arg[node->n_arg - 1]);
	const struct shape *whole = &type_said(r, node->arg[0])->shape;

	for (int d = 0; d < whole->rank && start; d++) {
		int64_t most = whole->extent[d] - size[d];

		out->start[d] = (int)(start->at[d].i < 0 ? 0 : start->at[d].i > most ? most : start->at[d].i);
		out->size[d] = node->op == OP_DYNAMIC_SLICE ? size[d] : 0;
		out->stride[d] = 1;
	}
	return start;
}

/* Appends the node with starts that are inside. */
static int dynamic(struct rewriting *r, const struct node *node, const int *size)
{
	const struct shape *whole = &type_said(r, node->arg[0])->shape;
	int arg[3], zeros[LIMIT_RANK] = {0}, most[LIMIT_RANK], last = node->n_arg - 1;
	struct node plain = *node;
	enum dtype d = type_said(r, node->arg[last])->dtype;

	if (!has_row(r, node))
		return REWRITE_NOT;
	if (r->target->clamps)
		return REWRITE_NOT;
	for (int k = 0; k < whole->rank; k++)
		most[k] = whole->extent[k] - size[k];
	for (int k = 0; k < node->n_arg; k++)
		arg[k] = node->arg[k];
	arg[last] = say3(r, OP_CLAMP, node->arg[last], say_integers(r, d, zeros, whole->rank),
	    say_integers(r, d, most, whole->rank));
	if (arg[last] < 0)
		return REWRITE_FAILED;
	plain.arg = arg;
	return say_plain(r, &plain);
}

int rewrite_dynamic_slice(struct rewriting *r, const struct node *node)
{
	struct attrs at = {0};

	if (!type_said(r, node->arg[0])->shape.rank)
		return say1(r, OP_COPY, node->arg[0], NULL);
	return known_starts(r, node, node->attrs.size, &at) ? say1(r, OP_SLICE, node->arg[0], &at)
	                                                    : dynamic(r, node, node->attrs.size);
}

int rewrite_dynamic_update_slice(struct rewriting *r, const struct node *node)
{
	const int *size = type_said(r, node->arg[1])->shape.extent;
	struct attrs at = {0};

	if (!type_said(r, node->arg[0])->shape.rank)
		return say1(r, OP_COPY, node->arg[1], NULL);
	return known_starts(r, node, size, &at)
	    ? say(r, OP_SLICE_SCATTER, (const int[]){node->arg[0], node->arg[1]}, 2, &at)
	    : dynamic(r, node, size);
}

/* index.c: indexing along an axis.  Reads scatter their cotangent, and writes gather it. */
#include "parts.h"

static int index_op(struct aot *x, enum op op, const int *arg, int n_arg, int axis, enum index_mode mode)
{
	const struct attrs attrs = {.axis = axis, .mode = mode};

	return aot_emit(x, op, arg, n_arg, &attrs);
}

/* Adds updates to x0 at the indices. */
static int scatter_add(struct aot *x, int x0, int indices, int updates, int axis, enum index_mode mode)
{
	return index_op(x, OP_SCATTER_ADD, (int[]){x0, indices, updates}, 3, axis, mode);
}

/* A vector of n literals: first, first + step, ...; i64. */
static int ramp(struct aot *x, int n, int first, int step)
{
	struct tensor t = tensor_new(x->arena, &(struct type){DTYPE_I64, aot_vector(n)});

	for (int i = 0; i < n; i++)
		t.at[i].i = first + i * step;
	return build_constant(&x->b, &t);
}

PULL(gather)
{
	const struct type type = *aot_type(x, arg[0]);
	int axis = node->attrs.axis, n = shape_elements(&aot_type(x, arg[1])->shape);
	struct shape s = type.shape, vector = aot_vector(n);

	(void)out;
	if (!wanted[0])
		return;
	s.extent[axis] = n;
	contribution[0] = scatter_add(x, aot_zeros(x, &type), aot_reshape(x, arg[1], &vector),
	    aot_reshape(x, cotangent, &s), axis, node->attrs.mode);
}

/*
 * Where each element of the result came from: flat i64 positions in the operand; -1: from nowhere.  Elements differ in
 * position along the axis.  The contribution of the other axes is a literal.
 */
static int flat_positions(struct aot *x, const struct node *node, int indices, const struct shape *from)
{
	const struct shape s = aot_type(x, indices)->shape;
	struct tensor base = tensor_new(x->arena, &(struct type){DTYPE_I64, s});
	int axis = node->attrs.axis, extent = from->extent[axis], stride[LIMIT_RANK], index[LIMIT_RANK] = {0}, at,
	    inside;
	int n = aot_scalar(x, DTYPE_I64, extent), zero = aot_scalar(x, DTYPE_I64, 0);

	shape_strides(from, stride);
	for (int i = 0, total = shape_elements(&s); i < total; i++, shape_next(&s, index))
		for (int d = 0; d < s.rank; d++)
			base.at[i].i += d == axis ? 0 : index[d] * stride[d];
	at = aot_cast(x, indices, DTYPE_I64);
	if (node->attrs.mode == MODE_CLIP)
		at = aot_op3(x, OP_CLAMP, at, zero, aot_scalar(x, DTYPE_I64, extent - 1));
	else if (node->attrs.mode == MODE_WRAP)
		at = aot_op2(x, OP_REMAINDER, aot_op2(x, OP_ADD, aot_op2(x, OP_REMAINDER, at, n), n), n);
	inside = aot_op2(x, OP_LOGICAL_AND, aot_op2(x, OP_GE, at, zero), aot_op2(x, OP_LT, at, n));
	/* An index outside may overflow here, but is not used then. */
	at = aot_op2(
	    x, OP_ADD, aot_op2(x, OP_MUL, at, aot_scalar(x, DTYPE_I64, stride[axis])), build_constant(&x->b, &base));
	return aot_op3(x, OP_SELECT, inside, at, aot_scalar(x, DTYPE_I64, -1));
}

PULL(take_along_axis)
{
	const struct type type = *aot_type(x, arg[0]);
	const struct shape all = aot_vector(shape_elements(&type.shape)),
	                   read = aot_vector(shape_elements(&aot_type(x, arg[1])->shape));
	int at, zeros;

	(void)out;
	if (!wanted[0])
		return;
	at = aot_reshape(x, flat_positions(x, node, arg[1], &type.shape), &read);
	zeros = aot_full(x, type.dtype, 0, &all);
	contribution[0] = aot_reshape(
	    x, scatter_add(x, zeros, at, aot_reshape(x, cotangent, &read), 0, MODE_DROP), &type.shape);
}

/* ---- scatters: slice k of the updates goes to slice indices[k] of x ---- */

struct scatter {
	int axis, n, n_update; /* entries of indices; slices of updates, of which only the first n are used */
	enum index_mode mode;
	int indices;
	struct shape shape; /* of x */
};

static struct scatter scatter_of(const struct aot *x, const struct node *node, const int *arg)
{
	return (struct scatter){.axis = node->attrs.axis,
	    .mode = node->attrs.mode,
	    .indices = arg[1],
	    .n = shape_elements(&aot_type(x, arg[1])->shape),
	    .n_update = aot_type(x, arg[2])->shape.extent[node->attrs.axis],
	    .shape = aot_type(x, arg[0])->shape};
}

/* For each used update slice, the slice of `value` (shape of x) at its place; 0 if the update is dropped. */
static int seen(struct aot *x, const struct scatter *s, int value)
{
	return index_op(x, OP_GATHER, (int[]){value, s->indices}, 2, s->axis, s->mode);
}

/* Pads the used slices to the shape of updates. */
static int padded(struct aot *x, const struct scatter *s, int used)
{
	return aot_pad(x, used, s->axis, 0, s->n_update - s->n, 0);
}

/* The last write to a slice gets its cotangent. x keeps the cotangents of slices that nobody overwrote. */
PULL(scatter_set)
{
	const struct scatter s = scatter_of(x, node, arg);
	enum dtype d = aot_type(x, out)->dtype;

	if (wanted[0])
		contribution[0] = index_op(x, OP_SCATTER_SET,
		    (int[]){cotangent, arg[1], aot_zeros(x, aot_type(x, arg[2]))}, 3, s.axis, s.mode);
	if (wanted[2]) {
		const struct shape extent = aot_vector(s.shape.extent[s.axis]);
		struct shape along = {.rank = s.shape.rank};
		int number = ramp(x, s.n, 0, 1), owner, mine;

		for (int k = 0; k < along.rank; k++)
			along.extent[k] = k == s.axis ? s.n : 1;
		owner = index_op(
		    x, OP_SCATTER_SET, (int[]){aot_full(x, DTYPE_I64, -1, &extent), arg[1], number}, 3, 0, s.mode);
		mine = aot_op2(x, OP_EQ, index_op(x, OP_GATHER, (int[]){owner, arg[1]}, 2, 0, s.mode), number);
		mine = aot_op3(x, OP_SELECT, aot_reshape(x, mine, &along), seen(x, &s, cotangent), aot_scalar(x, d, 0));
		contribution[2] = padded(x, &s, mine);
	}
}

PULL(scatter_add)
{
	const struct scatter s = scatter_of(x, node, arg);

	(void)out;
	if (wanted[0])
		contribution[0] = cotangent;
	if (wanted[2])
		contribution[2] = padded(x, &s, seen(x, &s, cotangent));
}

/*
 * One pass over the writes.  *run starts as rows[extent, others], and step k multiplies row indices[k] by factor row
 * k.  Returns what was there before each step, [n, others].  *run is the state in the end.
 */
static int running_products(struct aot *x, const struct scatter *s, int indices, int factors, int *run)
{
	const struct type rows = *aot_type(x, *run), index = {aot_type(x, indices)->dtype, shape_scalar()};
	const struct type row = {DTYPE_F64, aot_vector(rows.shape.extent[1])};
	const struct shape one = aot_vector(1), one_row = {2, {1, rows.shape.extent[1]}};
	const struct attrs attrs = {.trip = s->n, .carries = 1};
	int param = build_open(&x->b, (struct type[]){rows, index, row}, 3);
	int at = aot_reshape(x, param + 1, &one), factor = aot_reshape(x, param + 2, &one_row), out;

	build_close(&x->b,
	    (int[]){index_op(x, OP_SCATTER_MUL, (int[]){param, at, factor}, 3, 0, s->mode),
	        index_op(x, OP_GATHER, (int[]){param, param + 1}, 2, 0, s->mode)},
	    2);
	out = aot_emit_regions(x, OP_SCAN, (int[]){*run, indices, factors}, 3, &attrs);
	*run = out;
	return out + 1;
}

/*
 * For every factor, the product of the others that meet in its place, in f64.  *other_x has those for x (shape of x),
 * *other_update those for the used updates.  It multiplies those before by those after: division would be wrong at 0.
 */
static void other_factors(struct aot *x, const struct scatter *s, const int *arg, int *other_x, int *other_update)
{
	struct shape used = s->shape;
	int first = aot_rows(x, aot_wide(x, arg[0]), s->axis), before, after;
	int factors = aot_rows(x, aot_slice(x, aot_wide(x, arg[2]), s->axis, 0, s->n), s->axis);
	struct shape rows = aot_type(x, first)->shape;
	int last = aot_full(x, DTYPE_F64, 1, &rows);

	used.extent[s->axis] = s->n;
	before = running_products(x, s, s->indices, factors, &first);
	after = running_products(x, s, aot_reverse(x, s->indices, 0), aot_reverse(x, factors, 0), &last);
	*other_update = aot_unrows(x, aot_op2(x, OP_MUL, before, aot_reverse(x, after, 0)), s->axis, &used);
	*other_x = aot_unrows(x, last, s->axis, &s->shape);
}

PULL(scatter_mul)
{
	const struct scatter s = scatter_of(x, node, arg);
	enum dtype d = aot_type(x, out)->dtype;
	int wide = aot_wide(x, cotangent), other_x, other_update;

	other_factors(x, &s, arg, &other_x, &other_update);
	if (wanted[0])
		contribution[0] = aot_cast(x, aot_strong(x, wide, other_x), d);
	if (wanted[2])
		contribution[2] = padded(x, &s, aot_cast(x, aot_strong(x, seen(x, &s, wide), other_update), d));
}

PUSH(scatter_mul)
{
	const struct scatter s = scatter_of(x, node, arg);
	const struct type type = *aot_type(x, out);
	int other_x, other_update, sum;

	other_factors(x, &s, arg, &other_x, &other_update);
	if (tangent[0] >= 0)
		sum = aot_strong(x, aot_wide(x, tangent[0]), other_x);
	else
		sum = aot_full(x, DTYPE_F64, 0, &type.shape);
	if (tangent[2] >= 0) {
		int used = aot_slice(x, aot_wide(x, tangent[2]), s.axis, 0, s.n);

		sum = scatter_add(x, sum, s.indices, aot_strong(x, used, other_update), s.axis, s.mode);
	}
	return aot_cast(x, sum, type.dtype);
}

/* Whether a equals b.  Two NaNs count as equal, because an extremum that is NaN comes from a NaN operand. */
static int attains(struct aot *x, int a, int b)
{
	int neither = aot_op2(x, OP_LOGICAL_AND, aot_op2(x, OP_NE, a, a), aot_op2(x, OP_NE, b, b));

	return aot_op2(x, OP_LOGICAL_OR, aot_op2(x, OP_EQ, a, b), neither);
}

/*
 * The elements that attain the extremum: of x, and of the used updates (bool); and how many meet in each place (f64, at
 * least 1).
 */
struct winners {
	int x, update, count;
};

static struct winners find_winners(struct aot *x, const struct scatter *s, const int *arg, int out)
{
	int used = aot_slice(x, arg[2], s->axis, 0, s->n);
	struct winners w = {.x = attains(x, arg[0], out), .update = attains(x, used, seen(x, s, out))};

	w.count = scatter_add(x, aot_wide(x, w.x), s->indices, aot_wide(x, w.update), s->axis, s->mode);
	w.count = aot_op2(x, OP_MAX, w.count, aot_scalar(x, DTYPE_F64, 1));
	return w;
}

PULL(scatter_extremum)
{
	const struct scatter s = scatter_of(x, node, arg);
	const struct winners w = find_winners(x, &s, arg, out);
	enum dtype d = aot_type(x, out)->dtype;
	int share = aot_op2(x, OP_DIV, aot_wide(x, cotangent), w.count), zero = aot_scalar(x, DTYPE_F64, 0);

	if (wanted[0])
		contribution[0] = aot_cast(x, aot_op3(x, OP_SELECT, w.x, share, zero), d);
	if (wanted[2])
		contribution[2] = padded(
		    x, &s, aot_cast(x, aot_op3(x, OP_SELECT, w.update, seen(x, &s, share), zero), d));
}

PUSH(scatter_extremum)
{
	const struct scatter s = scatter_of(x, node, arg);
	const struct winners w = find_winners(x, &s, arg, out);
	const struct type type = *aot_type(x, out);
	int zero = aot_scalar(x, DTYPE_F64, 0), sum;

	if (tangent[0] >= 0)
		sum = aot_op3(x, OP_SELECT, w.x, aot_wide(x, tangent[0]), zero);
	else
		sum = aot_full(x, DTYPE_F64, 0, &type.shape);
	if (tangent[2] >= 0) {
		int used = aot_slice(x, aot_wide(x, tangent[2]), s.axis, 0, s.n);

		sum = scatter_add(x, sum, s.indices, aot_op3(x, OP_SELECT, w.update, used, zero), s.axis, s.mode);
	}
	return aot_cast(x, aot_op2(x, OP_DIV, sum, w.count), type.dtype);
}

PULL(masked_scatter)
{
	const struct type source = *aot_type(x, arg[2]);
	const struct shape s = aot_type(x, arg[0])->shape, flat = aot_vector(shape_elements(&s));
	const struct shape room = aot_vector(shape_elements(&source.shape));
	const struct attrs along = {.axis = 0};
	int mask = aot_reshape(x, arg[1], &flat), counted = aot_cast(x, mask, DTYPE_I64), at, used;

	(void)node, (void)out;
	/* The source element that each position takes, and whether it takes one. */
	at = aot_op2(x, OP_SUB, aot_emit(x, OP_CUMSUM, &counted, 1, &along), aot_scalar(x, DTYPE_I64, 1));
	used = aot_op2(x, OP_LOGICAL_AND, mask, aot_op2(x, OP_LT, at, aot_scalar(x, DTYPE_I64, room.extent[0])));
	if (wanted[0])
		contribution[0] = aot_op3(
		    x, OP_SELECT, aot_reshape(x, used, &s), aot_scalar(x, source.dtype, 0), cotangent);
	if (wanted[2]) {
		at = aot_op3(x, OP_SELECT, used, at, aot_scalar(x, DTYPE_I64, -1));
		at = scatter_add(
		    x, aot_full(x, source.dtype, 0, &room), at, aot_reshape(x, cotangent, &flat), 0, MODE_DROP);
		contribution[2] = aot_reshape(x, at, &source.shape);
	}
}

/* ---- sort: by the stable permutation that argsort gives ---- */

static int along(struct aot *x, const struct node *node, int from, int indices)
{
	const struct attrs attrs = {.axis = node->attrs.axis, .mode = MODE_CLIP};

	return aot_emit(x, OP_TAKE_ALONG_AXIS, (int[]){from, indices}, 2, &attrs);
}

PUSH(sort)
{
	(void)out;
	return along(x, node, tangent[0], aot_emit(x, OP_ARGSORT, arg, 1, &node->attrs));
}

/* argsort of a permutation gives its inverse. */
PULL(sort)
{
	int order, back;

	(void)out;
	if (!wanted[0])
		return;
	order = aot_emit(x, OP_ARGSORT, arg, 1, &node->attrs);
	back = aot_emit(x, OP_ARGSORT, &order, 1, &node->attrs);
	contribution[0] = along(x, node, cotangent, back);
}

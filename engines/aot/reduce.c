/*
 * reduce.c: reductions, running sums and products, matrix products, in both directions.  A rule that is more than a
 * move works in f64.
 */
#include <float.h>

#include "parts.h"

/* ---- reductions ---- */

/* The operand's shape with extents of 1 along the reduced axes. */
static struct shape kept_shape(const struct node *node, const struct shape *from)
{
	struct shape s = *from;

	for (int k = 0; k < node->attrs.n_axes; k++)
		s.extent[node->attrs.axes[k]] = 1;
	return s;
}

/* Reduces as the node does, but keeps the axes. */
static int reduced(struct aot *x, const struct node *node, enum op op, int value)
{
	struct attrs attrs = node->attrs;

	attrs.keepdims = true;
	return aot_emit(x, op, &value, 1, &attrs);
}

/* A value of the result's shape, with the reduced axes restored as extents of 1. */
static int kept(struct aot *x, const struct node *node, const int *arg, int value)
{
	const struct shape s = kept_shape(node, &aot_type(x, arg[0])->shape);

	return aot_reshape(x, value, &s);
}

/* Turns an f64 value with the result's elements, in any shape, into the type of the result. */
static int as_result(struct aot *x, int value, int out)
{
	const struct type type = *aot_type(x, out);

	return aot_reshape(x, aot_cast(x, value, type.dtype), &type.shape);
}

PULL(reduce_sum)
{
	const struct shape s = aot_type(x, arg[0])->shape;

	(void)out;
	if (wanted[0])
		contribution[0] = aot_broadcast(x, kept(x, node, arg, cotangent), &s);
}

PULL(reduce_mean)
{
	const struct type type = *aot_type(x, arg[0]);
	int n_out = shape_elements(&aot_type(x, out)->shape), n = n_out ? shape_elements(&type.shape) / n_out : 1,
	    share;

	if (!wanted[0])
		return;
	share = aot_op2(x, OP_DIV, aot_wide(x, kept(x, node, arg, cotangent)), aot_scalar(x, DTYPE_F64, n ? n : 1));
	contribution[0] = aot_broadcast(x, aot_cast(x, share, type.dtype), &type.shape);
}

/* The products of all elements before each place along axis 1. */
static int products_before(struct aot *x, int rows)
{
	const struct attrs along = {.axis = 1};
	int n = aot_type(x, rows)->shape.extent[1], shifted = aot_pad(x, aot_slice(x, rows, 1, 0, n - 1), 1, 1, 0, 1);

	return aot_emit(x, OP_CUMPROD, &shifted, 1, &along);
}

/*
 * For each element, the product of the others of its group, in f64.  It multiplies those before by those after, which
 * is right with zeros.
 */
static int other_factors(struct aot *x, const struct node *node, int value)
{
	const struct shape s = aot_type(x, value)->shape;
	struct shape moved = {.rank = s.rank}, rows = {2, {1, 1}};
	int axes[LIMIT_RANK], back[LIMIT_RANK] = {0}, n = 0, before, after;
	bool is_reduced[LIMIT_RANK] = {false};

	if (!shape_elements(&s))
		return value;
	for (int k = 0; k < node->attrs.n_axes; k++)
		is_reduced[node->attrs.axes[k]] = true;
	for (int pass = 0; pass < 2; pass++)
		for (int d = 0; d < s.rank; d++)
			if (is_reduced[d] == pass) {
				rows.extent[pass] *= s.extent[d];
				back[d] = n;
				axes[n++] = d;
			}
	for (int d = 0; d < s.rank; d++)
		moved.extent[d] = s.extent[axes[d]];
	if (s.rank > 1)
		value = aot_transpose(x, value, axes);
	value = aot_reshape(x, value, &rows);
	before = products_before(x, value);
	after = aot_reverse(x, products_before(x, aot_reverse(x, value, 1)), 1);
	value = aot_reshape(x, aot_op2(x, OP_MUL, before, after), &moved);
	return s.rank > 1 ? aot_transpose(x, value, back) : value;
}

PULL(reduce_prod)
{
	int others = other_factors(x, node, aot_wide(x, arg[0]));

	(void)out;
	if (wanted[0])
		contribution[0] = aot_cast(x,
		    aot_strong(x,
		        aot_broadcast(x, aot_wide(x, kept(x, node, arg, cotangent)), &aot_type(x, arg[0])->shape),
		        others),
		    aot_type(x, arg[0])->dtype);
}

PUSH(reduce_prod)
{
	int others = other_factors(x, node, aot_wide(x, arg[0]));

	return as_result(x, reduced(x, node, OP_REDUCE_SUM, aot_strong(x, aot_wide(x, tangent[0]), others)), out);
}

/* Whether each element attains the extremum, and how many of its group do (*count, f64, at least 1). */
static int find_winners(struct aot *x, const struct node *node, const int *arg, int out, int *count)
{
	int wins = aot_op2(x, OP_EQ, arg[0], kept(x, node, arg, out));

	*count = aot_op2(x, OP_MAX, reduced(x, node, OP_REDUCE_SUM, aot_wide(x, wins)), aot_scalar(x, DTYPE_F64, 1));
	return wins;
}

PULL(reduce_extremum)
{
	int count, wins = find_winners(x, node, arg, out, &count), share;

	if (!wanted[0])
		return;
	share = aot_op2(x, OP_DIV, aot_wide(x, kept(x, node, arg, cotangent)), count);
	contribution[0] = aot_cast(
	    x, aot_op3(x, OP_SELECT, wins, share, aot_scalar(x, DTYPE_F64, 0)), aot_type(x, arg[0])->dtype);
}

PUSH(reduce_extremum)
{
	int count, wins = find_winners(x, node, arg, out, &count);
	int sum = aot_op3(x, OP_SELECT, wins, aot_wide(x, tangent[0]), aot_scalar(x, DTYPE_F64, 0));

	return as_result(x, aot_op2(x, OP_DIV, reduced(x, node, OP_REDUCE_SUM, sum), count), out);
}

/* e^(x - m), with m the group's maximum, or 0 if that is infinite.  *total is their sum, or 1 if that is 0. */
static int softmax_terms(struct aot *x, const struct node *node, const int *arg, int *total)
{
	int wide = aot_wide(x, arg[0]), top = reduced(x, node, OP_REDUCE_MAX, wide), zero = aot_scalar(x, DTYPE_F64, 0);
	int finite = aot_op2(x, OP_LE, aot_op1(x, OP_ABS, top), aot_scalar(x, DTYPE_F64, DBL_MAX)), terms;

	/* The quotient does not depend on the shift. */
	top = aot_op1(x, OP_STOP_GRADIENT, aot_op3(x, OP_SELECT, finite, top, zero));
	terms = aot_op1(x, OP_EXP, aot_op2(x, OP_SUB, wide, top));
	*total = reduced(x, node, OP_REDUCE_SUM, terms);
	*total = aot_op3(x, OP_SELECT, aot_op2(x, OP_EQ, *total, zero), aot_scalar(x, DTYPE_F64, 1), *total);
	return terms;
}

/* x over the norm; 0 if all are 0.  It is scaled by the largest magnitude, so no square overflows or underflows. */
static int unit_vectors(struct aot *x, const struct node *node, const int *arg)
{
	int wide = aot_wide(x, arg[0]), top = reduced(x, node, OP_REDUCE_MAX, aot_op1(x, OP_ABS, wide));
	int one = aot_scalar(x, DTYPE_F64, 1), zero = aot_scalar(x, DTYPE_F64, 0), sum;

	/* The quotient does not depend on the scale. */
	top = aot_op1(x, OP_STOP_GRADIENT, aot_op3(x, OP_SELECT, aot_op2(x, OP_GT, top, zero), top, one));
	wide = aot_op2(x, OP_DIV, wide, top);
	sum = reduced(x, node, OP_REDUCE_SUM, aot_op1(x, OP_SQUARE, wide));
	sum = aot_op3(x, OP_SELECT, aot_op2(x, OP_EQ, sum, zero), one, sum);
	return aot_op2(x, OP_DIV, wide, aot_op1(x, OP_SQRT, sum));
}

/* The cotangent of every element: that of its group times a partial. */
static int spread(struct aot *x, const struct node *node, const int *arg, int cotangent, int partial)
{
	return aot_cast(
	    x, aot_strong(x, aot_wide(x, kept(x, node, arg, cotangent)), partial), aot_type(x, arg[0])->dtype);
}

PULL(logsumexp)
{
	int total, terms = softmax_terms(x, node, arg, &total);

	(void)out;
	if (wanted[0])
		contribution[0] = spread(x, node, arg, cotangent, aot_op2(x, OP_DIV, terms, total));
}

PUSH(logsumexp)
{
	int total, terms = softmax_terms(x, node, arg, &total);
	int sum = reduced(x, node, OP_REDUCE_SUM, aot_strong(x, aot_wide(x, tangent[0]), terms));

	return as_result(x, aot_op2(x, OP_DIV, sum, total), out);
}

PULL(norm)
{
	(void)out;
	if (wanted[0])
		contribution[0] = spread(x, node, arg, cotangent, unit_vectors(x, node, arg));
}

PUSH(norm)
{
	int terms = aot_strong(x, aot_wide(x, tangent[0]), unit_vectors(x, node, arg));

	return as_result(x, reduced(x, node, OP_REDUCE_SUM, terms), out);
}

/* ---- running sums and products ---- */

PULL(cumsum)
{
	int axis = node->attrs.axis, back = aot_reverse(x, cotangent, axis);

	(void)arg, (void)out;
	if (wanted[0])
		contribution[0] = aot_reverse(x, aot_emit(x, OP_CUMSUM, &back, 1, &node->attrs), axis);
}

/*
 * Emits a scan over rows u and v, [n, others], with two carried rows.  `step` emits the body: it replaces the carries
 * and gives the output.
 */
static int scan_rows(
    struct aot *x, int u, int v, double start0, double start1, int (*step)(struct aot *x, int *carry, int u, int v))
{
	const struct shape s = aot_type(x, u)->shape, row = aot_vector(s.extent[1]);
	const struct type t = {DTYPE_F64, row};
	const struct attrs attrs = {.trip = s.extent[0], .carries = 2};
	int first = aot_full(x, DTYPE_F64, start0, &row), second = aot_full(x, DTYPE_F64, start1, &row);
	int param = build_open(&x->b, (struct type[]){t, t, t, t}, 4), carry[2] = {param, param + 1};
	int output = step(x, carry, param + 2, param + 3);

	build_close(&x->b, (int[]){carry[0], carry[1], output}, 3);
	return aot_emit_regions(x, OP_SCAN, (int[]){first, second, u, v}, 4, &attrs) + 2;
}

/* From the last row on: s = c + (x after it) * (s after it).  Carries: s and x of the row after. */
static int step_pull(struct aot *x, int *carry, int value, int cotangent)
{
	carry[0] = aot_op2(x, OP_ADD, cotangent, aot_strong(x, carry[0], carry[1]));
	carry[1] = value;
	return carry[0];
}

/*
 * d y_i / d x_j = (x_0 ... x_{j-1}) (x_{j+1} ... x_i).  So the cotangent of x_j is the product before it times s_j =
 * c_j + x_{j+1} s_{j+1}. There is no division, so it is right with zeros.
 */
PULL(cumprod)
{
	const struct type type = *aot_type(x, arg[0]);
	const struct attrs along = {.axis = 0};
	int axis = node->attrs.axis, n = type.shape.extent[axis], rows, before, rest;

	(void)out;
	if (!wanted[0])
		return;
	if (!shape_elements(&type.shape)) {
		contribution[0] = cotangent;
		return;
	}
	rows = aot_rows(x, aot_wide(x, arg[0]), axis);
	rest = aot_rows(x, aot_wide(x, cotangent), axis);
	rest = aot_reverse(x, scan_rows(x, aot_reverse(x, rows, 0), aot_reverse(x, rest, 0), 0, 0, step_pull), 0);
	before = aot_pad(x, aot_slice(x, rows, 0, 0, n - 1), 0, 1, 0, 1);
	before = aot_emit(x, OP_CUMPROD, &before, 1, &along);
	contribution[0] = aot_cast(x, aot_unrows(x, aot_strong(x, rest, before), axis, &type.shape), type.dtype);
}

/* Carries: the product so far, and its tangent. */
static int step_push(struct aot *x, int *carry, int value, int tangent)
{
	carry[1] = aot_op2(x, OP_ADD, aot_strong(x, carry[1], value), x->rules->running_term(x, tangent, carry[0]));
	carry[0] = aot_op2(x, OP_MUL, carry[0], value);
	return carry[1];
}

PUSH(cumprod)
{
	const struct type type = *aot_type(x, out);
	int axis = node->attrs.axis, rows = aot_rows(x, aot_wide(x, arg[0]), axis);
	int running = scan_rows(x, rows, aot_rows(x, aot_wide(x, tangent[0]), axis), 1, 0, step_push);

	return aot_cast(x, aot_unrows(x, running, axis, &type.shape), type.dtype);
}

/* ---- matrix product ---- */

/* 1 where the value is not finite, f64. */
static int not_finite(struct aot *x, int value)
{
	int finite = aot_op2(x, OP_LE, aot_op1(x, OP_ABS, value), aot_scalar(x, DTYPE_F64, DBL_MAX));

	return aot_wide(x, aot_op1(x, OP_LOGICAL_NOT, finite));
}

/*
 * left @ right in f64, where zeros of the derivative are strong: they make no NaN from an infinite partial.  The
 * derivative is `left` if `first`, else `right`.  It takes three products.  One leaves out the infinite partials.  One
 * counts how often an infinite partial meets a derivative that is not 0.  The plain product is used only where that
 * count is not 0.
 */
static int strong_matmul(struct aot *x, int left, int right, bool first)
{
	int derivative = first ? left : right, partial = first ? right : left, zero = aot_scalar(x, DTYPE_F64, 0);
	int infinite = not_finite(x, partial), meets = aot_wide(x, aot_op2(x, OP_NE, derivative, zero)), clean, plain;
	int hit = aot_op2(x, OP_NE, infinite, zero);

	partial = aot_op3(x, OP_SELECT, hit, zero, partial);
	clean = first ? aot_op2(x, OP_MATMUL, left, partial) : aot_op2(x, OP_MATMUL, partial, right);
	meets = first ? aot_op2(x, OP_MATMUL, meets, infinite) : aot_op2(x, OP_MATMUL, infinite, meets);
	plain = aot_op2(x, OP_MATMUL, left, right);
	return aot_op3(x, OP_SELECT, aot_op2(x, OP_GT, meets, zero), plain, clean);
}

struct shape aot_matrix(const struct shape *s, bool left)
{
	if (s->rank > 1)
		return *s;
	return left ? (struct shape){2, {1, s->extent[0]}} : (struct shape){2, {s->extent[0], 1}};
}

static int swapped(struct aot *x, int matrix)
{
	int axes[LIMIT_RANK] = {0, 1, 2, 3}, rank = aot_type(x, matrix)->shape.rank;

	axes[rank - 2] = rank - 1;
	axes[rank - 1] = rank - 2;
	return aot_transpose(x, matrix, axes);
}

PULL(matmul)
{
	const struct type left = *aot_type(x, arg[0]), right = *aot_type(x, arg[1]);
	const struct shape l = aot_matrix(&left.shape, true), r = aot_matrix(&right.shape, false);
	struct shape full = aot_type(x, out)->shape, batch_l = l, batch_r = r;
	int c, term;

	/* The batch axes, then rows and columns; the axes of vectors are restored. */
	batch_l.rank -= 2;
	batch_r.rank -= 2;
	shape_broadcast(&batch_l, &batch_r, &full);
	full.extent[full.rank++] = l.extent[l.rank - 2];
	full.extent[full.rank++] = r.extent[r.rank - 1];
	(void)node;
	c = aot_reshape(x, aot_wide(x, cotangent), &full);
	if (wanted[0]) {
		term = strong_matmul(x, c, swapped(x, aot_reshape(x, aot_wide(x, arg[1]), &r)), true);
		contribution[0] = aot_reshape(x, aot_cast(x, aot_sum_to(x, term, &l), left.dtype), &left.shape);
	}
	if (wanted[1]) {
		term = strong_matmul(x, swapped(x, aot_reshape(x, aot_wide(x, arg[0]), &l)), c, false);
		contribution[1] = aot_reshape(x, aot_cast(x, aot_sum_to(x, term, &r), right.dtype), &right.shape);
	}
}

PUSH(matmul)
{
	int sum = -1;

	(void)node;
	for (int k = 0; k < 2; k++) {
		int other, term;

		if (tangent[k] < 0)
			continue;
		other = aot_wide(x, arg[1 - k]);
		term = aot_wide(x, tangent[k]);
		term = k == 0 ? strong_matmul(x, term, other, true) : strong_matmul(x, other, term, false);
		sum = sum < 0 ? term : aot_op2(x, OP_ADD, sum, term);
	}
	return aot_cast(x, sum, aot_type(x, out)->dtype);
}

/* reduce.c: reductions, running sums and products, matrix products. */
#include "parts.h"

#include <math.h>

int *reduce_map(const struct node *node, const struct shape *from, struct arena *a)
{
	int n = shape_elements(from), stride[LIMIT_RANK], index[LIMIT_RANK] = {0}, at = 0, kept = 1;
	int *map = NEW(a, int, n);

	for (int d = from->rank - 1; d >= 0; d--) {
		stride[d] = kept;
		for (int i = 0; i < node->attrs.n_axes; i++)
			if (node->attrs.axes[i] == d)
				stride[d] = 0;
		if (stride[d])
			kept *= from->extent[d];
	}
	for (int i = 0; i < n; i++) {
		map[i] = at;
		for (int d = from->rank - 1; d >= 0; d--) {
			at += stride[d];
			if (++index[d] < from->extent[d])
				break;
			at -= stride[d] * from->extent[d];
			index[d] = 0;
		}
	}
	return map;
}

/* ---- reductions ---- */

static double max_magnitude(double x, double y) { return real_max(x, fabs(y)); }

/* The fold of each reduction. logsumexp and norm fold their shift or scale, and make a second pass (below). */
static const struct fold {
	double (*step)(double, double);
	double start;
} f_fold[OP_COUNT] = {
    [OP_REDUCE_SUM] = {real_add, 0},
    [OP_REDUCE_MEAN] = {real_add, 0},
    [OP_REDUCE_PROD] = {real_mul, 1},
    [OP_REDUCE_MAX] = {real_max, -INFINITY},
    [OP_REDUCE_MIN] = {real_min, INFINITY},
    [OP_LOGSUMEXP] = {real_max, -INFINITY},
    [OP_NORM] = {max_magnitude, 0},
};

/* log sum e^x = m + log sum e^(x - m), with m the maximum: nothing overflows.  An infinite or NaN m is the result. */
static void finish_logsumexp(int n, const int *map, const struct tensor *x, int n_out, double *io, struct arena *a)
{
	double *sum = NEW(a, double, n_out);

	for (int i = 0; i < n; i++)
		sum[map[i]] += exp(x->at[i].f - io[map[i]]);
	for (int k = 0; k < n_out; k++)
		if (isfinite(io[k]))
			io[k] += log(sum[k]);
}

/*
 * |x| = s * sqrt(sum (x/s)^2), with s a power of two near the largest magnitude.  The scaling is exact; nothing
 * overflows, and no underflow matters.
 */
static void finish_norm(int n, const int *map, const struct tensor *x, int n_out, double *io, struct arena *a)
{
	double *sum = NEW(a, double, n_out);
	int *scale = NEW(a, int, n_out);

	for (int k = 0; k < n_out; k++)
		if (io[k] > 0 && isfinite(io[k]))
			frexp(io[k], &scale[k]);
	for (int i = 0; i < n; i++) {
		double r = ldexp(x->at[i].f, -scale[map[i]]);

		sum[map[i]] += r * r;
	}
	for (int k = 0; k < n_out; k++)
		if (isfinite(io[k]))
			io[k] = ldexp(sqrt(sum[k]), scale[k]);
}

static void reduce_float(
    const struct node *node, const struct tensor *x, struct tensor *out, const int *map, struct arena *a)
{
	const struct fold *fold = &f_fold[node->op];
	int n = shape_elements(&x->type.shape), n_out = shape_elements(&out->type.shape);
	double *sum = NEW(a, double, n_out);

	for (int k = 0; k < n_out; k++)
		sum[k] = fold->start;
	for (int i = 0; i < n; i++)
		sum[map[i]] = fold->step(sum[map[i]], x->at[i].f);
	if (node->op == OP_LOGSUMEXP)
		finish_logsumexp(n, map, x, n_out, sum, a);
	if (node->op == OP_NORM)
		finish_norm(n, map, x, n_out, sum, a);
	for (int k = 0; k < n_out; k++) {
		/* Every result has the same number of elements. 0/0 gives the NaN of an empty mean. */
		double value = node->op == OP_REDUCE_MEAN ? sum[k] / (n / n_out) : sum[k];

		out->at[k].f = dtype_round(out->type.dtype, value);
	}
}

/* Starting values for both widths.  An extremum of no elements is the far end of its dtype. */
static const struct i_fold {
	int64_t (*step)(int64_t, int64_t);
	int64_t start64, start32;
} i_fold[OP_COUNT] = {
    [OP_REDUCE_SUM] = {int_add, 0, 0},
    [OP_REDUCE_PROD] = {int_mul, 1, 1},
    [OP_REDUCE_MAX] = {int_max, INT64_MIN, INT32_MIN},
    [OP_REDUCE_MIN] = {int_min, INT64_MAX, INT32_MAX},
};

static void reduce_int(const struct node *node, const struct tensor *x, struct tensor *out, const int *map)
{
	const struct i_fold *fold = &i_fold[node->op];
	enum dtype d = out->type.dtype;
	int n = shape_elements(&x->type.shape), n_out = shape_elements(&out->type.shape);

	for (int k = 0; k < n_out; k++)
		out->at[k].i = d == DTYPE_I64 ? fold->start64 : fold->start32;
	for (int i = 0; i < n; i++)
		out->at[map[i]].i = dtype_wrap(d, fold->step(out->at[map[i]].i, x->at[i].i));
}

union cell kernel_fold_start(enum op op, enum dtype d)
{
	if (dtype_is_float(d))
		return (union cell){.f = f_fold[op].start};
	return (union cell){.i = d == DTYPE_I64 ? i_fold[op].start64 : i_fold[op].start32};
}

bool kernel_is_fold(enum op op) { return f_fold[op].step && op != OP_LOGSUMEXP && op != OP_NORM; }

union cell kernel_fold(enum op op, enum dtype d, union cell sum, const union cell *x, int n)
{
	if (dtype_is_float(d))
		for (int i = 0; i < n; i++)
			sum.f = f_fold[op].step(sum.f, x[i].f);
	else
		for (int i = 0; i < n; i++)
			sum.i = dtype_wrap(d, i_fold[op].step(sum.i, x[i].i));
	return sum;
}

union cell kernel_fold_end(enum op op, enum dtype d, union cell sum, int n)
{
	if (dtype_is_float(d))
		sum.f = dtype_round(d, op == OP_REDUCE_MEAN ? sum.f / n : sum.f);
	return sum;
}

void kernel_reduce(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	int *map = reduce_map(node, &arg[0]->type.shape, a);

	if (dtype_is_float(out->type.dtype))
		reduce_float(node, arg[0], out, map, a);
	else
		reduce_int(node, arg[0], out, map);
}

void kernel_cumulative(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct axis_view v = axis_view(&out->type.shape, node->attrs.axis);
	enum dtype d = out->type.dtype;
	bool sum = node->op == OP_CUMSUM;

	(void)a;
	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++) {
			double f = sum ? 0 : 1;
			int64_t g = sum ? 0 : 1;

			for (int k = 0; k < v.n; k++) {
				int at = (o * v.n + k) * v.inner + i;

				if (dtype_is_float(d)) {
					f = sum ? f + arg[0]->at[at].f : f * arg[0]->at[at].f;
					out->at[at].f = dtype_round(d, f);
				} else {
					g = dtype_wrap(
					    d, sum ? int_add(g, arg[0]->at[at].i) : int_mul(g, arg[0]->at[at].i));
					out->at[at].i = g;
				}
			}
		}
}

/* ---- matrix product ---- */

/* A vector is a row on the left, a column on the right. */
static void matrix_shape(const struct shape *s, bool left, struct shape *batch, int *rows, int *columns)
{
	*batch = (struct shape){.rank = s->rank > 2 ? s->rank - 2 : 0};
	for (int d = 0; d < batch->rank; d++)
		batch->extent[d] = s->extent[d];
	if (s->rank == 1) {
		*rows = left ? 1 : s->extent[0];
		*columns = left ? s->extent[0] : 1;
	} else {
		*rows = s->extent[s->rank - 2];
		*columns = s->extent[s->rank - 1];
	}
}

void matmul_accumulate(double *sum, const struct tensor *left, const struct tensor *right, int strong)
{
	struct shape left_batch, right_batch, batch;
	int m, k, k_again, n, n_batch;

	matrix_shape(&left->type.shape, true, &left_batch, &m, &k);
	matrix_shape(&right->type.shape, false, &right_batch, &k_again, &n);
	shape_broadcast(&left_batch, &right_batch, &batch);
	(void)k_again;
	n_batch = shape_elements(&batch);
	for (int b = 0; b < n_batch; b++) {
		const union cell *x = left->at + shape_broadcast_offset(&left_batch, &batch, b) * m * k;
		const union cell *y = right->at + shape_broadcast_offset(&right_batch, &batch, b) * k * n;

		for (int i = 0; i < m; i++)
			for (int j = 0; j < n; j++, sum++)
				for (int t = 0; t < k; t++) {
					double p = x[i * k + t].f, q = y[t * n + j].f;

					if ((strong == 0 && p == 0) || (strong == 1 && q == 0))
						continue;
					*sum += p * q;
				}
	}
}

void kernel_matmul(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	int n = shape_elements(&out->type.shape);
	double *sum = NEW(a, double, n);

	(void)node;
	matmul_accumulate(sum, arg[0], arg[1], -1);
	for (int i = 0; i < n; i++)
		out->at[i].f = dtype_round(out->type.dtype, sum[i]);
}

bool kernel_attains(double x, double extremum) { return x == extremum || (isnan(x) && isnan(extremum)); }

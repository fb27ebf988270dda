/*
 * rounding_kernels.c: kernels with seeded rounding.  Every step of an op is rounded in the dtype; sums and products are
 * combined in random order.
 */
#include "rounding.h"

#include <math.h>

#include "parts.h"

/* ---- elementwise ---- */

/*
 * Errors of functions in ulps, as glibc's manual states them for x86_64 (double).  An op that is not listed is exact.
 * The oracles' own constants are not used: they are what this tests.
 */
static const double function_ulps[OP_COUNT] = {
    [OP_EXP] = 1,
    [OP_EXPM1] = 1,
    [OP_LOG] = 1,
    [OP_LOG1P] = 1,
    [OP_SIN] = 1,
    [OP_COS] = 1,
    [OP_TAN] = 1,
    [OP_ASIN] = 1,
    [OP_ACOS] = 1,
    [OP_ATAN] = 1,
    [OP_SINH] = 2,
    [OP_COSH] = 2,
    [OP_TANH] = 2,
    [OP_ASINH] = 2,
    [OP_ACOSH] = 2,
    [OP_ATANH] = 2,
    [OP_ERF] = 1,
    [OP_POW] = 1,
    [OP_ATAN2] = 1,
};

/*
 * A value of f32 between 1/2 and 2 is a multiple of the unit roundoff. In an engine that keeps more digits it has those
 * of binary64, and is right to them. Formulas that subtract it from 1 depend on that (oracles/TOLERANCE.md, "One side,
 * and leaps").
 */
static double near_one(enum dtype d, double y)
{
	const double u = dtype_table[d].unit;

	return d == DTYPE_F32 && fabs(y) >= 0.5 && fabs(y) < 2 ? rint(y / u) * u : y;
}

/* 1/(1 + e^-x) or e^x/(1 + e^x), or in one step if a power would underflow. */
static double logistic(enum dtype d, double x)
{
	double e = exp(-fabs(x));

	if (e < dtype_table[d].normal)
		return rounding_function(d, kernel_scalar(OP_LOGISTIC, x, 0, 0), 2);
	e = rounding_function(d, e, 1);
	return rounding_div(d, x >= 0 ? 1 : e, rounding_add(d, 1, e));
}

/* Of the rounded quotient, or without rounding. */
static double floor_divide(enum dtype d, double x, double y)
{
	return rounding_formula(2) ? floor(rounding_div(d, x, y)) : kernel_scalar(OP_FLOOR_DIVIDE, x, y, 0);
}

/* The exact remainder, and + y where its sign differs; the remainder of that sum in any case; or x - y floor(x/y). */
static double mod(enum dtype d, double x, double y)
{
	double rest = fmod(x, y);
	int which = rounding_formula(3);

	if (which == 2)
		return rounding_add(d, x, -rounding_mul(d, y, floor_divide(d, x, y)));
	if (which == 1)
		return fmod(rounding_add(d, rest, y), y);
	return rest != 0 && (rest < 0) != (y < 0) ? rounding_add(d, rest, y) : rest;
}

static double element(enum op op, enum dtype d, double x, double y)
{
	rounding_restart(op, (double[]){x, y}, 2);
	switch ((int)op) {
	case OP_NEG:
	case OP_ABS:
	case OP_SIGN:
	case OP_COPY:
	case OP_STOP_GRADIENT:
	case OP_FLOOR:
	case OP_CEIL:
	case OP_TRUNC:
	case OP_ROUND:
	case OP_MAX:
	case OP_MIN:
		return kernel_scalar(op, x, y, 0);
	case OP_ADD:
		return rounding_add(d, x, y);
	case OP_SUB:
		return rounding_add(d, x, -y);
	case OP_MUL:
		return rounding_mul(d, x, y);
	case OP_SQUARE:
		return rounding_mul(d, x, x);
	case OP_DIV:
		return rounding_div(d, x, y);
	case OP_SQRT:
		return rounding_sqrt(d, x);
	case OP_RSQRT:
		return rounding_div(d, 1, rounding_sqrt(d, x));
	case OP_LOGISTIC:
		return near_one(d, logistic(d, x));
	case OP_TANH:
	case OP_EXPM1:
		return near_one(d, rounding_function(d, kernel_scalar(op, x, y, 0), function_ulps[op]));
	case OP_MOD:
		return mod(d, x, y);
	case OP_FLOOR_DIVIDE:
		return floor_divide(d, x, y);
	default:
		return rounding_function(d, kernel_scalar(op, x, y, 0), function_ulps[op]);
	}
}

static void elementwise(const struct node *node, const struct tensor *const arg[], struct tensor *out)
{
	int n = shape_elements(&out->type.shape);
	struct broadcast w;

	broadcast_begin(&w, &out->type.shape, arg, node->n_arg);
	for (int i = 0; i < n; i++, broadcast_next(&w))
		out->at[i].f = element(
		    node->op, out->type.dtype, arg[0]->at[w.at[0]].f, node->n_arg > 1 ? arg[1]->at[w.at[1]].f : 0);
}

/* A wider dtype holds the value unchanged.  Wide registers do too, if the engine drops a cast to a dtype and back. */
static void cast(const struct tensor *x, struct tensor *out)
{
	const struct dtype_info *from = &dtype_table[x->type.dtype], *to = &dtype_table[out->type.dtype];
	bool wider = to->precision >= from->precision && to->emax >= from->emax && to->emin <= from->emin;

	if (!dtype_is_float(x->type.dtype)) {
		for (int i = 0, n = shape_elements(&out->type.shape); i < n; i++)
			out->at[i].f = rounding_once(out->type.dtype, (double)x->at[i].i);
		return;
	}
	for (int i = 0, n = shape_elements(&out->type.shape); i < n; i++)
		out->at[i].f = wider ? x->at[i].f : rounding_late(out->type.dtype, x->at[i].f);
}

/* ---- reductions ---- */

/*
 * The terms of each result side by side.  Those of result k are term[begin[k]] to term[begin[k + 1]], the end excluded.
 */
struct sum_groups {
	int n, *begin;
	double *term;
};

/* Element i of n belongs to result map[i] of n_out; -1: to none. */
static struct sum_groups collect(const int *map, const union cell *x, int n, int n_out, struct arena *a)
{
	struct sum_groups g = {n_out, NEW(a, int, n_out + 2), NEW(a, double, n)};

	for (int i = 0; i < n; i++)
		if (map[i] >= 0)
			g.begin[map[i] + 2]++;
	for (int k = 2; k <= n_out + 1; k++)
		g.begin[k] += g.begin[k - 1];
	for (int i = 0; i < n; i++)
		if (map[i] >= 0)
			g.term[g.begin[map[i] + 1]++] = x[i].f;
	return g;
}

/* log sum e^x, with or without subtracting the maximum first. */
static double logsumexp(enum dtype d, double *x, int n)
{
	double top = -INFINITY;

	for (int i = 0; i < n; i++)
		top = real_max(top, x[i]);
	if (!isfinite(top))
		return top;
	if (rounding_formula(2))
		top = 0;
	for (int i = 0; i < n; i++)
		x[i] = rounding_function(d, exp(rounding_add(d, x[i], -top)), 1);
	return rounding_add(d, top, rounding_function(d, log(rounding_sum(d, x, n)), 1));
}

/* The root of the sum of squares, with or without dividing by a power of two first. */
static double norm(enum dtype d, double *x, int n)
{
	double top = 0;
	int scale = 0;

	for (int i = 0; i < n; i++)
		top = real_max(top, fabs(x[i]));
	if (top == 0 || !isfinite(top))
		return top;
	if (rounding_formula(2))
		frexp(top, &scale);
	for (int i = 0; i < n; i++)
		x[i] = rounding_mul(d, ldexp(x[i], -scale), ldexp(x[i], -scale));
	return rounding_once(d, ldexp(rounding_sqrt(d, rounding_sum(d, x, n)), scale));
}

static double mean(enum dtype d, double *x, int n)
{
	double sum = rounding_sum(d, x, n);

	return n && rounding_formula(2) ? rounding_mul(d, sum, rounding_div(d, 1, n)) : rounding_div(d, sum, n);
}

static double largest(enum dtype d, double *x, int n)
{
	double best = -INFINITY;

	(void)d;
	for (int i = 0; i < n; i++)
		best = real_max(best, x[i]);
	return best;
}

static double smallest(enum dtype d, double *x, int n)
{
	double best = INFINITY;

	(void)d;
	for (int i = 0; i < n; i++)
		best = real_min(best, x[i]);
	return best;
}

static void reduce(const struct node *node, const struct tensor *x, struct tensor *out, struct arena *a)
{
	double (*fold)(enum dtype, double *, int);
	int n = shape_elements(&x->type.shape), n_out = shape_elements(&out->type.shape);
	struct sum_groups g;

	switch ((int)node->op) {
	case OP_REDUCE_SUM:
		fold = rounding_sum;
		break;
	case OP_REDUCE_PROD:
		fold = rounding_product;
		break;
	case OP_REDUCE_MEAN:
		fold = mean;
		break;
	case OP_LOGSUMEXP:
		fold = logsumexp;
		break;
	case OP_NORM:
		fold = norm;
		break;
	case OP_REDUCE_MAX:
		fold = largest;
		break;
	default:
		fold = smallest;
		break;
	}
	g = collect(reduce_map(node, &x->type.shape, a), x->at, n, n_out, a);
	for (int k = 0; k < n_out; k++) {
		rounding_restart(node->op, g.term + g.begin[k], g.begin[k + 1] - g.begin[k]);
		out->at[k].f = fold(out->type.dtype, g.term + g.begin[k], g.begin[k + 1] - g.begin[k]);
	}
}

/* Each prefix by itself in random order, or each from the one before. */
static void cumulative(const struct node *node, const struct tensor *x, struct tensor *out, struct arena *a)
{
	struct axis_view v = axis_view(&out->type.shape, node->attrs.axis);
	enum dtype d = out->type.dtype;
	bool sum = node->op == OP_CUMSUM, chain;
	double *prefix = NEW(a, double, v.n);

	rounding_restart(node->op, NULL, 0);
	chain = rounding_formula(2);
	for (int line = 0; line < v.outer * v.inner; line++) {
		int first = line / v.inner * v.n * v.inner + line % v.inner;

		for (int k = 0; k < v.n; k++) {
			int from = chain && k ? k - 1 : 0;

			for (int i = from; i <= k; i++)
				prefix[i] = x->at[first + i * v.inner].f;
			if (chain && k)
				prefix[from] = out->at[first + from * v.inner].f;
			rounding_restart(node->op, prefix + from, k - from + 1);
			out->at[first + k * v.inner].f = (sum ? rounding_sum : rounding_product)(
			    d, prefix + from, k - from + 1);
		}
	}
}

/* ---- scatters ---- */

static double scattered(enum op op, enum dtype d, double *x, int n)
{
	switch ((int)op) {
	case OP_SCATTER_ADD:
		return rounding_sum(d, x, n);
	case OP_SCATTER_MUL:
		return rounding_product(d, x, n);
	case OP_SCATTER_MAX:
		return largest(d, x, n);
	default:
		return smallest(d, x, n);
	}
}

static void scatter(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct axis_view v = axis_view(&out->type.shape, node->attrs.axis);
	int n = shape_elements(&out->type.shape), n_update = shape_elements(&arg[2]->type.shape);
	int rows = arg[2]->type.shape.extent[node->attrs.axis], n_index = shape_elements(&arg[1]->type.shape);
	int *map = NEW(a, int, n + n_update);
	union cell *all = NEW(a, union cell, n + n_update);
	struct sum_groups g;

	for (int i = 0; i < n; i++) {
		map[i] = i;
		all[i] = arg[0]->at[i];
	}
	for (int u = 0; u < n_update; u++) {
		int o = u / (rows * v.inner), k = u / v.inner % rows, at = -1;

		if (k < n_index)
			at = kernel_index(node->attrs.mode, arg[1]->at[k].i, v.n);
		map[n + u] = at < 0 ? -1 : (o * v.n + at) * v.inner + u % v.inner;
		all[n + u] = arg[2]->at[u];
	}
	g = collect(map, all, n + n_update, n, a);
	for (int k = 0; k < n; k++) {
		rounding_restart(node->op, g.term + g.begin[k], g.begin[k + 1] - g.begin[k]);
		out->at[k].f = scattered(node->op, out->type.dtype, g.term + g.begin[k], g.begin[k + 1] - g.begin[k]);
	}
}

/* ---- matrix product ---- */

/* A vector is a row on the left, a column on the right. */
static struct shape matrix_of(const struct tensor *x, bool left)
{
	struct shape s = x->type.shape;

	if (s.rank == 1)
		s = (struct shape){2, {left ? 1 : s.extent[0], left ? s.extent[0] : 1}};
	return s;
}

void rounding_matmul(
    const struct tensor *left, const struct tensor *right, int strong, struct tensor *out, struct arena *a)
{
	struct shape x = matrix_of(left, true), y = matrix_of(right, false), batch;
	int rows = x.extent[x.rank - 2], inner = x.extent[x.rank - 1], columns = y.extent[y.rank - 1], at = 0;
	enum dtype d = out->type.dtype;
	double *term = NEW(a, double, inner);

	x.rank -= 2;
	y.rank -= 2;
	shape_broadcast(&x, &y, &batch);
	for (int b = 0, n = shape_elements(&batch); b < n; b++) {
		const union cell *p = left->at + shape_broadcast_offset(&x, &batch, b) * rows * inner;
		const union cell *q = right->at + shape_broadcast_offset(&y, &batch, b) * inner * columns;

		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++, at++) {
				int n_term = 0;

				for (int k = 0; k < inner; k++) {
					double u = p[i * inner + k].f, w = q[k * columns + j].f;

					if ((strong == 0 && u == 0) || (strong == 1 && w == 0))
						continue;
					rounding_restart(OP_MATMUL, (double[]){u, w}, 2);
					term[n_term++] = rounding_mul(d, u, w);
				}
				rounding_restart(OP_MATMUL, term, n_term);
				out->at[at].f = rounding_sum(d, term, n_term);
			}
	}
}

/* ---- dispatch ---- */

bool rounding_kernel(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	if (!dtype_is_float(out->type.dtype))
		return false;
	switch (op_table[node->op].family) {
	case FAMILY_UNARY:
	case FAMILY_BINARY:
		elementwise(node, arg, out);
		return true;
	case FAMILY_CAST:
		if (!dtype_is_float(arg[0]->type.dtype) && !rounding_probes())
			return false;
		cast(arg[0], out);
		return true;
	case FAMILY_REDUCE:
		reduce(node, arg[0], out, a);
		return true;
	case FAMILY_CUMULATIVE:
		cumulative(node, arg[0], out, a);
		return true;
	case FAMILY_MATMUL:
		rounding_matmul(arg[0], arg[1], -1, out, a);
		return true;
	case FAMILY_SCATTER:
		if (node->op == OP_SCATTER_SET)
			return false;
		scatter(node, arg, out, a);
		return true;
	default:
		return false;
	}
}

/* reduce.c: reductions, cumulative ops and matmul as n-ary scalars of the trace. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- one group of elements to one result ---- */

static int64_t integer_identity(enum op op, enum dtype d)
{
	switch ((int)op) {
	case OP_REDUCE_PROD:
		return 1;
	case OP_REDUCE_MAX:
		return d == DTYPE_I32 ? INT32_MIN : INT64_MIN;
	case OP_REDUCE_MIN:
		return d == DTYPE_I32 ? INT32_MAX : INT64_MAX;
	default:
		return 0;
	}
}

static int64_t integer_step(enum op op, enum dtype d, int64_t acc, int64_t x)
{
	switch ((int)op) {
	case OP_REDUCE_PROD:
	case OP_CUMPROD:
		return dtype_wrap(d, (int64_t)((uint64_t)acc * (uint64_t)x));
	case OP_REDUCE_MAX:
		return x > acc ? x : acc;
	case OP_REDUCE_MIN:
		return x < acc ? x : acc;
	default:
		return dtype_wrap(d, (int64_t)((uint64_t)acc + (uint64_t)x));
	}
}

/* The value of an empty group (ops.def). */
static double float_identity(enum op op)
{
	switch ((int)op) {
	case OP_REDUCE_PROD:
		return 1;
	case OP_REDUCE_MAX:
	case OP_LOGSUMEXP:
		return -INFINITY;
	case OP_REDUCE_MIN:
		return INFINITY;
	case OP_REDUCE_MEAN:
		return NAN;
	default:
		return 0;
	}
}

/* The product of one factor x. Its value is x, but an engine may compute its derivative as g y/x. */
static int product_of_one(struct evaluation *ev, enum op kind, enum dtype d, int x)
{
	int one = trace_leaf(ev, d, 1);
	return trace_scalar(ev, OP_CUMPROD, kind, d, (const int[2]){one, x}, 2);
}

static int product(struct evaluation *ev, enum dtype d, const int *x, int n)
{
	int acc = n > 1 ? x[0] : product_of_one(ev, OP_REDUCE_PROD, d, x[0]);
	for (int k = 1; k < n; k++)
		acc = trace_scalar(ev, OP_CUMPROD, OP_REDUCE_PROD, d, (const int[2]){acc, x[k]}, 2);
	return acc;
}

static int norm(struct evaluation *ev, enum dtype d, const int *x, int n)
{
	int k = trace_scalar(ev, OP_NORM, OP_NORM, d, x, n);
	bool zero = mpfr_zero_p(ev->value[k]) != 0;
	trace_event(ev, zero);
	trace_edge(ev, zero, k, -1);
	return k;
}

static int reduce_group(struct evaluation *ev, enum op op, enum dtype d, const int *x, int n)
{
	if (!n)
		return trace_leaf(ev, d, float_identity(op));
	switch ((int)op) {
	case OP_REDUCE_SUM:
		return trace_scalar(ev, op, op, d, x, n); /* also for one term, because 0 + -0 is +0 in some engines */
	case OP_REDUCE_PROD:
		return product(ev, d, x, n);
	case OP_REDUCE_MAX:
		return trace_extremum_of(ev, op, d, 1, x, n);
	case OP_REDUCE_MIN:
		return trace_extremum_of(ev, op, d, -1, x, n);
	case OP_NORM:
		return norm(ev, d, x, n);
	default:
		return trace_scalar(ev, op, op, d, x, n);
	}
}

/* ---- reductions ---- */

static void reduce_axes(struct evaluation_run *r, const struct node *node)
{
	const struct type *in = &r->p->type[node->arg[0]], *type = &r->p->type[node->out];
	int n = shape_elements(&type->shape), total = shape_elements(&in->shape);
	struct elements out = elements_new(r, n, false);
	const struct elements *x = &r->env[node->arg[0]];
	bool reduced[LIMIT_RANK] = {false}, is_float = dtype_is_float(in->dtype);
	int stride[LIMIT_RANK], outer = 1;
	for (int k = 0; k < node->attrs.n_axes; k++)
		reduced[node->attrs.axes[k]] = true;
	for (int d = in->shape.rank - 1; d >= 0; d--) { /* strides of the result, 0 along reduced axes */
		stride[d] = reduced[d] ? 0 : outer;
		outer *= reduced[d] ? 1 : in->shape.extent[d];
	}
	int *group = NEW(r->arena, int, total + 1), *count = NEW(r->arena, int, n + 1),
	    *start = NEW(r->arena, int, n + 1);
	int *target = NEW(r->arena, int, total + 1), index[LIMIT_RANK] = {0};
	for (int k = 0; k < total; k++) {
		for (int d = 0; d < in->shape.rank; d++)
			target[k] += index[d] * stride[d];
		count[target[k]]++;
		shape_next(&in->shape, index);
	}
	for (int k = 1; k < n; k++)
		start[k] = start[k - 1] + count[k - 1];
	if (!is_float) {
		for (int k = 0; k < n; k++)
			out.at[k].i = integer_identity(node->op, in->dtype);
		for (int k = 0; k < total; k++) {
			out.at[target[k]].i = integer_step(node->op, in->dtype, out.at[target[k]].i, x->at[k].i);
			if (element_shaky(x, k))
				element_set_shaky(r, &out, n, target[k]);
		}
	} else {
		int *next = arena_copy(r->arena, start, (size_t)n + 1, sizeof *start);
		for (int k = 0; k < total; k++)
			group[next[target[k]]++] = x->at[k].scalar;
		for (int k = 0; k < n; k++)
			out.at[k].scalar = reduce_group(r->ev, node->op, in->dtype, group + start[k], count[k]);
	}
	r->env[node->out] = out;
}

/* ---- cumulative ---- */

/*
 * A running sum is a sum of all elements so far, not a chain. An engine may group the elements in any order, and the
 * error bound of a sum allows for that.
 */
static void cumulate(struct evaluation_run *r, const struct node *node)
{
	const struct type *type = &r->p->type[node->out];
	const struct elements *x = &r->env[node->arg[0]];
	int total = shape_elements(&type->shape);
	struct axis_split v = evaluate_axis_view(&type->shape, node->attrs.axis);
	struct elements out = elements_new(r, total, false);
	int *line = NEW(r->arena, int, v.n + 1);
	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++)
			for (int k = 0; k < v.n; k++) {
				int at = (o * v.n + k) * v.inner + i, before = at - v.inner;
				if (!dtype_is_float(type->dtype)) {
					out.at[at].i = k
					    ? integer_step(node->op, type->dtype, out.at[before].i, x->at[at].i)
					    : x->at[at].i;
					if (element_shaky(x, at) || (k && element_shaky(&out, before)))
						element_set_shaky(r, &out, total, at);
					continue;
				}
				line[k] = x->at[at].scalar;
				if (!k && node->op == OP_CUMPROD)
					out.at[at].scalar = product_of_one(r->ev, OP_CUMPROD, type->dtype, line[k]);
				else if (node->op == OP_CUMSUM)
					out.at[at].scalar = trace_scalar(
					    r->ev, OP_REDUCE_SUM, OP_CUMSUM, type->dtype, line, k + 1);
				else
					out.at[at].scalar = trace_scalar(r->ev, OP_CUMPROD, OP_CUMPROD, type->dtype,
					    (const int[2]){out.at[before].scalar, line[k]}, 2);
			}
	r->env[node->out] = out;
}

/* ---- matmul ---- */

/* The shape of an operand as batch x rows x columns. A vector is a row on the left and a column on the right. */
struct matrix {
	struct shape batch;
	int rows, columns;
};

static struct matrix matrix_of(const struct shape *s, bool left)
{
	struct matrix m = {0};
	if (s->rank == 1) {
		m.rows = left ? 1 : s->extent[0];
		m.columns = left ? s->extent[0] : 1;
		return m;
	}
	m.batch.rank = s->rank - 2;
	for (int d = 0; d < m.batch.rank; d++)
		m.batch.extent[d] = s->extent[d];
	m.rows = s->extent[s->rank - 2];
	m.columns = s->extent[s->rank - 1];
	return m;
}

static void matmul(struct evaluation_run *r, const struct node *node)
{
	const struct type *type = &r->p->type[node->out];
	struct matrix a = matrix_of(&r->p->type[node->arg[0]].shape, true),
	              b = matrix_of(&r->p->type[node->arg[1]].shape, false);
	const union element *x = r->env[node->arg[0]].at, *y = r->env[node->arg[1]].at;
	struct shape batch;
	if (!shape_broadcast(&a.batch, &b.batch, &batch))
		abort(); /* validation refused it */
	int n_batch = shape_elements(&batch), n = a.columns;
	struct elements out = elements_new(r, shape_elements(&type->shape), false);
	int *pair = NEW(r->arena, int, 2 * n + 2);
	for (int s = 0, k = 0; s < n_batch; s++) {
		const union element *xs = x + shape_broadcast_offset(&a.batch, &batch, s) * a.rows * a.columns;
		const union element *ys = y + shape_broadcast_offset(&b.batch, &batch, s) * b.rows * b.columns;
		for (int i = 0; i < a.rows; i++)
			for (int j = 0; j < b.columns; j++, k++) {
				for (int l = 0; l < n; l++) {
					pair[2 * l] = xs[i * n + l].scalar;
					pair[2 * l + 1] = ys[l * b.columns + j].scalar;
				}
				out.at[k].scalar = n
				    ? trace_scalar(r->ev, OP_MATMUL, OP_MATMUL, type->dtype, pair, 2 * n)
				    : trace_leaf(r->ev, type->dtype, 0);
			}
	}
	r->env[node->out] = out;
}

void evaluate_reduce(struct evaluation_run *r, const struct node *node)
{
	switch ((int)op_table[node->op].family) {
	case FAMILY_REDUCE:
		reduce_axes(r, node);
		break;
	case FAMILY_CUMULATIVE:
		cumulate(r, node);
		break;
	default:
		matmul(r, node);
		break;
	}
}

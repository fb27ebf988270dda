/* kernels.c: the dispatch by family, broadcasting, and rows of loops. */
#include "parts.h"
#include "rounding.h"

#include <assert.h>
#include <string.h>

/* ---- broadcasting ---- */

void broadcast_begin(struct broadcast *w, const struct shape *out, const struct tensor *const arg[], int n_arg)
{
	int n = shape_elements(out);

	w->n_arg = n_arg;
	w->flat = true;
	memset(w->at, 0, sizeof w->at);
	for (int k = 0; k < n_arg; k++) {
		int n_k = shape_elements(&arg[k]->type.shape);

		/*
		 * It has as many elements as the result, so the shapes differ only in extents of 1, and the order is
		 * the same.
		 */
		w->step[k] = n_k != 1;
		if (n_k != 1 && n_k != n)
			w->flat = false;
	}
	if (w->flat)
		return;
	w->shape = *out;
	memset(w->index, 0, sizeof w->index);
	for (int k = 0; k < n_arg; k++)
		shape_broadcast_strides(&arg[k]->type.shape, out, w->stride[k]);
}

void broadcast_carry(struct broadcast *w)
{
	for (int d = w->shape.rank - 1; d >= 0; d--) {
		for (int k = 0; k < w->n_arg; k++)
			w->at[k] += w->stride[k][d];
		if (++w->index[d] < w->shape.extent[d])
			return;
		for (int k = 0; k < w->n_arg; k++)
			w->at[k] -= w->stride[k][d] * w->shape.extent[d];
		w->index[d] = 0;
	}
}

/* ---- families ---- */

static void kernel_constant(
    const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	int n = shape_elements(&out->type.shape);

	(void)arg, (void)a;
	if (n)
		memcpy(out->at, node->attrs.value.at, (size_t)n * sizeof *out->at);
}

static kernel_fn *const by_family[] = {
    [FAMILY_CONSTANT] = kernel_constant,
    [FAMILY_IOTA] = kernel_iota,
    [FAMILY_UNARY] = kernel_unary,
    [FAMILY_BINARY] = kernel_binary,
    [FAMILY_COMPARE] = kernel_compare,
    [FAMILY_CLAMP] = kernel_clamp,
    [FAMILY_SELECT] = kernel_select,
    [FAMILY_CAST] = kernel_cast,
    [FAMILY_BROADCAST_TO] = kernel_broadcast_to,
    [FAMILY_RESHAPE] = kernel_reshape,
    [FAMILY_TRANSPOSE] = kernel_transpose,
    [FAMILY_REVERSE] = kernel_reverse,
    [FAMILY_SQUEEZE] = kernel_reshape,
    [FAMILY_SLICE] = kernel_slice,
    [FAMILY_SLICE_SCATTER] = kernel_slice_scatter,
    [FAMILY_DYNAMIC_SLICE] = kernel_dynamic_slice,
    [FAMILY_DYNAMIC_UPDATE_SLICE] = kernel_dynamic_update_slice,
    [FAMILY_PAD] = kernel_pad,
    [FAMILY_CONCATENATE] = kernel_concatenate,
    [FAMILY_GATHER] = kernel_gather,
    [FAMILY_TAKE_ALONG_AXIS] = kernel_take_along_axis,
    [FAMILY_SCATTER] = kernel_scatter,
    [FAMILY_MASKED_SCATTER] = kernel_masked_scatter,
    [FAMILY_REDUCE] = kernel_reduce,
    [FAMILY_CUMULATIVE] = kernel_cumulative,
    [FAMILY_MATMUL] = kernel_matmul,
    [FAMILY_SORT] = kernel_sort,
    [FAMILY_ARGSORT] = kernel_argsort,
    [FAMILY_ARGMAX] = kernel_argmax,
    [FAMILY_COND] = NULL,
    [FAMILY_CHECKPOINT] = NULL,
    [FAMILY_SCATTER_APPLY] = NULL,
    [FAMILY_FIXED_POINT] = NULL,
    [FAMILY_FOR] = NULL,
    [FAMILY_WHILE] = NULL,
    [FAMILY_SCAN] = NULL,
};

bool kernel_has(enum op op)
{
	enum family family = op_table[op].family;

	return (size_t)family < sizeof by_family / sizeof *by_family && by_family[family];
}

/* A function of its own, so that an engine without a seed pays for one test only. */
static void run_rounded(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	const struct tensor *read[LIMIT_ARGS];

	if (!dtype_is_float(out->type.dtype) && rounding_reads_zeros()) { /* a comparison, an index, an integer */
		for (int k = 0; k < node->n_arg; k++)
			read[k] = rounding_read(arg[k], a);
		arg = read;
	}
	if (!rounding_kernel(node, arg, out, a))
		by_family[op_table[node->op].family](node, arg, out, a);
}

void kernel_run_into(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	kernel_fn *run = rounding_active ? run_rounded : by_family[op_table[node->op].family];

	assert(!node->n_region && node->n_out == 1);
	run(node, arg, out, a);
}

void kernel_run(const struct node *node, const struct tensor *const arg[], const struct type *types, struct tensor *out,
    struct arena *a)
{
	out[0] = kernel_is_elementwise(node->op) ? tensor_raw(a, &types[0]) : tensor_new(a, &types[0]);
	kernel_run_into(node, arg, out, a);
}

void kernel_step(const struct program *p, const struct node *node, struct tensor *value, struct arena *a)
{
	const struct tensor *arg[LIMIT_ARGS];

	for (int k = 0; k < node->n_arg; k++)
		arg[k] = &value[node->arg[k]];
	kernel_run(node, arg, &p->type[node->out], &value[node->out], a);
}

/* ---- loops ---- */

int kernel_trip(const struct node *node, const struct tensor *count)
{
	int64_t n;

	if (node->attrs.trip >= 0)
		return node->attrs.trip;
	n = count->at[0].i;
	return n < 0 ? 0 : n > node->attrs.cap ? node->attrs.cap : (int)n;
}

int *kernel_positions(
    const struct node *node, const struct type *x, const struct tensor *indices, int *n, struct arena *a)
{
	struct axis_view v = axis_view(&x->shape, node->attrs.axis);
	int n_index = shape_elements(&indices->type.shape), *at = NEW(a, int, n_index *v.outer *v.inner);

	*n = 0;
	for (int k = 0; k < n_index; k++) {
		int slice = kernel_index(node->attrs.mode, indices->at[k].i, v.n);

		for (int o = 0; slice >= 0 && o < v.outer; o++)
			for (int i = 0; i < v.inner; i++)
				at[(*n)++] = (o * v.n + slice) * v.inner + i;
	}
	return at;
}

struct tensor kernel_row(const struct tensor *xs, int t, struct arena *a)
{
	struct type row = {.dtype = xs->type.dtype, .shape = {.rank = xs->type.shape.rank - 1}};
	struct tensor out;
	int n;

	for (int d = 0; d < row.shape.rank; d++)
		row.shape.extent[d] = xs->type.shape.extent[d + 1];
	out = tensor_new(a, &row);
	n = shape_elements(&row.shape);
	memcpy(out.at, xs->at + (size_t)t * (size_t)n, (size_t)n * sizeof *out.at);
	return out;
}

void kernel_set_row(struct tensor *stacked, int t, const struct tensor *x)
{
	int n = shape_elements(&x->type.shape);

	memcpy(stacked->at + (size_t)t * (size_t)n, x->at, (size_t)n * sizeof *x->at);
}

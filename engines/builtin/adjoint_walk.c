/*
 * adjoint_walk.c: helpers that the structures of rules share: bringing contributions to an operand's shape, and walks
 * over windows of cells.
 */
#include "adjoint.h"
#include "engines/kernels/rounding.h"

void adjoint_scatter(double (*sum)(enum dtype d, double *term, int n), struct tensor *into, const int *target,
    const union cell *term, int n, struct arena *a)
{
	int n_into = shape_elements(&into->type.shape), *end = NEW(a, int, n_into + 1);
	double *sorted = NEW(a, double, n);

	/* A counting sort: end[k] is where the terms of k begin, and after their placement where they end. */
	for (int i = 0; i < n; i++)
		if (target[i] >= 0)
			end[target[i] + 1]++;
	for (int k = 0; k < n_into; k++)
		end[k + 1] += end[k];
	for (int i = 0; i < n; i++)
		if (target[i] >= 0)
			sorted[end[target[i]]++] = term[i].f;
	for (int k = 0; k < n_into; k++) {
		int begin = k ? end[k - 1] : 0;

		into->at[k].f = sum(into->type.dtype, sorted + begin, end[k] - begin);
	}
	adjoint_round(into);
}

void adjoint_unbroadcast(const struct tensor *full, struct tensor *operand)
{
	struct cell_walk w = {.shape = full->type.shape};

	shape_broadcast_strides(&operand->type.shape, &full->type.shape, w.step);
	cell_walk_add(operand->at, w, full->at);
	adjoint_round(operand);
}

void adjoint_deliver(
    const struct adjoint_call *call, int k, const struct shape *shape, union cell *full, struct tensor *contribution)
{
	const struct type *t = &call->arg[k]->type;
	const struct tensor wide = {.type = {t->dtype, *shape}, .at = full};

	if (shape_equal(&t->shape, shape)) {
		contribution[k] = wide;
		return;
	}
	contribution[k] = tensor_new(call->arena, t);
	call->rules->unbroadcast(&wide, &contribution[k]);
}

const union cell *adjoint_expand(const struct tensor *x, const struct shape *to, struct arena *a)
{
	struct cell_walk w = {.shape = *to};
	union cell *out;

	if (shape_equal(&x->type.shape, to))
		return x->at;
	shape_broadcast_strides(&x->type.shape, to, w.step);
	out = NEW(a, union cell, shape_elements(to));
	cell_walk_take(x->at, w, out);
	return out;
}

union cell *adjoint_open(const struct adjoint_call *call, int k, struct tensor *contribution)
{
	contribution[k] = tensor_new(call->arena, &call->arg[k]->type);
	return contribution[k].at;
}

void adjoint_round(struct tensor *x)
{
	int n = shape_elements(&x->type.shape);

	if (x->type.dtype == DTYPE_F64)
		return;
	for (int i = 0; i < n; i++)
		x->at[i].f = round_to(x->type.dtype, x->at[i].f);
}

struct cell_walk cell_walk_window(
    const struct shape *whole, const struct shape *size, const int *start, const int *stride)
{
	struct cell_walk w = {.shape = *size};
	int strides[LIMIT_RANK];

	shape_strides(whole, strides);
	for (int d = 0; d < size->rank; d++) {
		w.step[d] = strides[d] * (stride ? stride[d] : 1);
		w.offset += strides[d] * (start ? start[d] : 0);
	}
	return w;
}

void cell_walk_take(const union cell *from, struct cell_walk w, union cell *out)
{
	int n = shape_elements(&w.shape);

	for (int k = 0; k < n; k++, cell_walk_next(&w))
		out[k] = from[w.offset];
}

void cell_walk_put(union cell *into, struct cell_walk w, const union cell *x)
{
	int n = shape_elements(&w.shape);

	for (int k = 0; k < n; k++, cell_walk_next(&w))
		into[w.offset] = x[k];
}

void cell_walk_add(union cell *into, struct cell_walk w, const union cell *x)
{
	int n = shape_elements(&w.shape);

	for (int k = 0; k < n; k++, cell_walk_next(&w))
		into[w.offset].f += x[k].f;
}

void cell_walk_zero(union cell *into, struct cell_walk w)
{
	int n = shape_elements(&w.shape);

	for (int k = 0; k < n; k++, cell_walk_next(&w))
		into[w.offset] = (union cell){.i = 0};
}

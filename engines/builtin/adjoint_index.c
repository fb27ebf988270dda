/* adjoint_index.c: adjoints of indexing along an axis: reads scatter their cotangent, writes gather it. */
#include "adjoint.h"

#include "engines/kernels/parts.h"

void adjoint_gather(const struct adjoint_call *call, struct tensor *contribution)
{
	struct axis_view v = axis_view(&call->arg[0]->type.shape, call->node->attrs.axis);
	const union cell *index = call->arg[1]->at;
	int n_index = shape_elements(&call->arg[1]->type.shape), n = shape_elements(&call->out->type.shape);
	int *target, *next;

	if (!call->wanted[0])
		return;
	target = next = NEW(call->arena, int, n);
	for (int o = 0; o < v.outer; o++)
		for (int k = 0; k < n_index; k++) {
			int at = kernel_index(
			    call->node->attrs.mode, index[call->rules->index(k, n_index)].i, v.n);

			for (int i = 0; i < v.inner; i++)
				*next++ = at < 0 ? -1 : (o * v.n + at) * v.inner + i;
		}
	adjoint_open(call, 0, contribution);
	adjoint_scatter(call->rules->sum, &contribution[0], target, call->cotangent->at, n, call->arena);
}

void adjoint_take_along_axis(const struct adjoint_call *call, struct tensor *contribution)
{
	int axis = call->node->attrs.axis;
	struct axis_view v = axis_view(&call->arg[0]->type.shape, axis),
			 r = axis_view(&call->out->type.shape, axis);
	const union cell *index = call->arg[1]->at;
	int n = shape_elements(&call->out->type.shape), *target;

	if (!call->wanted[0])
		return;
	target = NEW(call->arena, int, n);
	for (int o = 0; o < r.outer; o++)
		for (int k = 0; k < r.n; k++)
			for (int i = 0; i < r.inner; i++) {
				int flat = (o * r.n + k) * r.inner + i;
				int at = kernel_index(call->node->attrs.mode, index[flat].i, v.n);

				target[flat] = at < 0 ? -1 : (o * v.n + at) * v.inner + i;
			}
	adjoint_open(call, 0, contribution);
	adjoint_scatter(call->rules->sum, &contribution[0], target, call->cotangent->at, n, call->arena);
}

/*
 * The writes of a scatter, resolved once: slice k of the updates lands on slice position[k] of x, -1 when it is
 * dropped. x and updates are both seen around the axis; they differ in the extent only.
 */
struct writes {
	struct axis_view x, update;
	int n, *position;
};

static struct writes resolve_writes(const struct adjoint_call *call)
{
	int axis = call->node->attrs.axis;
	struct writes w = {.x = axis_view(&call->arg[0]->type.shape, axis),
	    .update = axis_view(&call->arg[2]->type.shape, axis),
	    .n = shape_elements(&call->arg[1]->type.shape)};

	w.position = NEW(call->arena, int, w.n);
	for (int k = 0; k < w.n; k++)
		w.position[k] = kernel_index(call->node->attrs.mode, call->arg[1]->at[k].i, w.x.n);
	return w;
}

/* Flat index of the first element of slice `at`, in block `outer`. */
static int slice_start(const struct axis_view *v, int outer, int at)
{
	return (outer * v->n + at) * v->inner;
}

static union cell *copy_cotangent(const struct adjoint_call *call)
{
	return tensor_copy(call->arena, call->cotangent).at;
}

/* The last write to a slice owns its cotangent; x keeps what nobody overwrote. */
void adjoint_scatter_set(const struct adjoint_call *call, struct tensor *contribution)
{
	struct writes w = resolve_writes(call);
	int *owner = NEW(call->arena, int, w.x.n); /* 1 + the write that owns the slice; 0: x */
	union cell *x = call->wanted[0] ? copy_cotangent(call) : NULL;
	union cell *update = call->wanted[2] ? adjoint_open(call, 2, contribution) : NULL;

	if (x)
		contribution[0] = (struct tensor){call->arg[0]->type, x};
	for (int k = 0; k < w.n; k++)
		if (w.position[k] >= 0)
			owner[w.position[k]] = k + 1;
	for (int o = 0; o < w.x.outer; o++)
		for (int at = 0; at < w.x.n; at++)
			for (int i = 0; owner[at] && i < w.x.inner; i++) {
				int from = slice_start(&w.x, o, at) + i;

				if (update)
					update[slice_start(&w.update, o, owner[at] - 1) + i] =
					    call->cotangent->at[from];
				if (x)
					x[from].f = 0;
			}
}

void adjoint_scatter_add(const struct adjoint_call *call, struct tensor *contribution)
{
	struct writes w = resolve_writes(call);
	union cell *update;

	if (call->wanted[0])
		contribution[0] = (struct tensor){call->arg[0]->type, copy_cotangent(call)};
	if (!call->wanted[2])
		return;
	update = adjoint_open(call, 2, contribution);
	for (int o = 0; o < w.x.outer; o++)
		for (int k = 0; k < w.n; k++)
			for (int i = 0; w.position[k] >= 0 && i < w.x.inner; i++)
				update[slice_start(&w.update, o, k) + i] =
				    call->cotangent->at[slice_start(&w.x, o, w.position[k]) + i];
}

/*
 * Every factor's partial is the product of the others: those before it times those after it.  Division by the
 * factor would be wrong at 0.  One pass over the writes in order, one back.
 */
void adjoint_scatter_mul(const struct adjoint_call *call, struct tensor *contribution)
{
	struct writes w = resolve_writes(call);
	const union cell *x = call->arg[0]->at, *factor = call->arg[2]->at, *cotangent = call->cotangent->at;
	int n_x = shape_elements(&call->arg[0]->type.shape), n_update = shape_elements(&call->arg[2]->type.shape);
	double *run = NEW(call->arena, double, n_x), *before = NEW(call->arena, double, n_update);
	union cell *update = call->wanted[2] ? adjoint_open(call, 2, contribution) : NULL;

	for (int i = 0; i < n_x; i++)
		run[i] = x[i].f;
	for (int o = 0; o < w.x.outer; o++)
		for (int k = 0; k < w.n; k++)
			for (int i = 0; w.position[k] >= 0 && i < w.x.inner; i++) {
				int at = slice_start(&w.x, o, w.position[k]) + i,
				    f = slice_start(&w.update, o, k) + i;

				before[f] = run[at];
				run[at] *= factor[f].f;
			}
	for (int i = 0; i < n_x; i++)
		run[i] = 1;
	for (int o = 0; o < w.x.outer; o++)
		for (int k = w.n - 1; k >= 0; k--)
			for (int i = 0; w.position[k] >= 0 && i < w.x.inner; i++) {
				int at = slice_start(&w.x, o, w.position[k]) + i,
				    f = slice_start(&w.update, o, k) + i;

				if (update)
					update[f].f = call->rules->multiply(cotangent[at].f, before[f] * run[at]);
				run[at] *= factor[f].f;
			}
	if (update)
		adjoint_round(&contribution[2]);
	if (call->wanted[0]) {
		union cell *into = adjoint_open(call, 0, contribution);

		for (int i = 0; i < n_x; i++)
			into[i].f = call->rules->multiply(cotangent[i].f, run[i]);
		adjoint_round(&contribution[0]);
	}
}

/* All candidates for a place (x and the updates that land there) that equal the result share its cotangent evenly.
 */
static void give_scatter_extremum(const struct adjoint_call *call, struct tensor *contribution)
{
	struct writes w = resolve_writes(call);
	const union cell *x = call->arg[0]->at, *candidate = call->arg[2]->at, *out = call->out->at;
	int n_x = shape_elements(&call->arg[0]->type.shape), *winners = NEW(call->arena, int, n_x);
	union cell *update;

	for (int i = 0; i < n_x; i++)
		winners[i] = kernel_attains(x[i].f, out[i].f);
	for (int o = 0; o < w.x.outer; o++)
		for (int k = 0; k < w.n; k++)
			for (int i = 0; w.position[k] >= 0 && i < w.x.inner; i++) {
				int at = slice_start(&w.x, o, w.position[k]) + i;

				winners[at] +=
				    kernel_attains(candidate[slice_start(&w.update, o, k) + i].f, out[at].f);
			}
	if (call->wanted[0]) {
		union cell *into = adjoint_open(call, 0, contribution);

		for (int i = 0; i < n_x; i++)
			if (kernel_attains(x[i].f, out[i].f))
				into[i].f = call->cotangent->at[i].f / winners[i];
		adjoint_round(&contribution[0]);
	}
	if (!call->wanted[2])
		return;
	update = adjoint_open(call, 2, contribution);
	for (int o = 0; o < w.x.outer; o++)
		for (int k = 0; k < w.n; k++)
			for (int i = 0; w.position[k] >= 0 && i < w.x.inner; i++) {
				int at = slice_start(&w.x, o, w.position[k]) + i,
				    f = slice_start(&w.update, o, k) + i;

				if (kernel_attains(candidate[f].f, out[at].f))
					update[f].f = call->cotangent->at[at].f / winners[at];
			}
	adjoint_round(&contribution[2]);
}

void adjoint_scatter_min(const struct adjoint_call *call, struct tensor *contribution)
{
	give_scatter_extremum(call, contribution);
}

void adjoint_scatter_max(const struct adjoint_call *call, struct tensor *contribution)
{
	give_scatter_extremum(call, contribution);
}

void adjoint_masked_scatter(const struct adjoint_call *call, struct tensor *contribution)
{
	int n = shape_elements(&call->arg[0]->type.shape), n_source = shape_elements(&call->arg[2]->type.shape),
	    used = 0;
	const union cell *mask = call->arg[1]->at;
	union cell *x = call->wanted[0] ? copy_cotangent(call) : NULL;
	union cell *source = call->wanted[2] ? adjoint_open(call, 2, contribution) : NULL;

	if (x)
		contribution[0] = (struct tensor){call->arg[0]->type, x};
	for (int i = 0; i < n && used < n_source; i++) {
		if (!mask[i].i)
			continue;
		if (source)
			source[used] = call->cotangent->at[i];
		if (x)
			x[i].f = 0;
		used++;
	}
}

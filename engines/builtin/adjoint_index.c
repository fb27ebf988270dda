/* adjoint_index.c: adjoints of indexing along an axis.  Reads scatter their cotangent, and writes gather it. */
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
			int at = kernel_index(call->node->attrs.mode, index[call->rules->index(k, n_index)].i, v.n);

			for (int i = 0; i < v.inner; i++)
				*next++ = at < 0 ? -1 : (o * v.n + at) * v.inner + i;
		}
	adjoint_open(call, 0, contribution);
	adjoint_scatter(call->rules->sum, &contribution[0], target, call->cotangent->at, n, call->arena);
}

void adjoint_take_along_axis(const struct adjoint_call *call, struct tensor *contribution)
{
	int axis = call->node->attrs.axis;
	struct axis_view v = axis_view(&call->arg[0]->type.shape, axis), r = axis_view(&call->out->type.shape, axis);
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
 * One write of a scatter, from an element of updates to one of x.  Dropped writes are left out; the others are in the
 * order of the op.
 */
struct write {
	int x, update; /* flat positions */
};

struct writes {
	int n;
	struct write *at;
};

static struct writes resolve_writes(const struct adjoint_call *call)
{
	int axis = call->node->attrs.axis, n_index = shape_elements(&call->arg[1]->type.shape);
	struct axis_view x = axis_view(&call->arg[0]->type.shape, axis),
	                 update = axis_view(&call->arg[2]->type.shape, axis);
	struct writes w = {.at = NEW(call->arena, struct write, x.outer * n_index * x.inner)};

	for (int o = 0; o < x.outer; o++)
		for (int k = 0; k < n_index; k++) {
			int slice = kernel_index(call->node->attrs.mode, call->arg[1]->at[k].i, x.n);

			for (int i = 0; slice >= 0 && i < x.inner; i++, w.n++) {
				w.at[w.n].x = (o * x.n + slice) * x.inner + i;
				w.at[w.n].update = (o * update.n + k) * x.inner + i;
			}
		}
	return w;
}

static union cell *copy_cotangent(const struct adjoint_call *call)
{
	return tensor_copy(call->arena, call->cotangent).at;
}

/* The last write to an element gets its cotangent. x keeps the cotangents of elements that nobody overwrote. */
void adjoint_scatter_set(const struct adjoint_call *call, struct tensor *contribution)
{
	struct writes w = resolve_writes(call);
	bool *owned = NEW(call->arena, bool, shape_elements(&call->arg[0]->type.shape));
	union cell *x = call->wanted[0] ? copy_cotangent(call) : NULL;
	union cell *update = call->wanted[2] ? adjoint_open(call, 2, contribution) : NULL;

	if (x)
		contribution[0] = (struct tensor){call->arg[0]->type, x};
	for (int k = w.n - 1; k >= 0; k--) {
		struct write at = w.at[k];

		if (update && !owned[at.x])
			update[at.update] = call->cotangent->at[at.x];
		if (x)
			x[at.x].f = 0;
		owned[at.x] = true;
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
	for (int k = 0; k < w.n; k++)
		update[w.at[k].update] = call->cotangent->at[w.at[k].x];
}

/*
 * The partial of a factor is the product of the others: those before it times those after it.  Division by the factor
 * would be wrong at 0.  One pass goes over the writes in order, one back.
 */
void adjoint_scatter_mul(const struct adjoint_call *call, struct tensor *contribution)
{
	struct writes w = resolve_writes(call);
	const union cell *x = call->arg[0]->at, *factor = call->arg[2]->at, *cotangent = call->cotangent->at;
	int n_x = shape_elements(&call->arg[0]->type.shape);
	double *run = NEW(call->arena, double, n_x), *before = NEW(call->arena, double, w.n);
	union cell *update = call->wanted[2] ? adjoint_open(call, 2, contribution) : NULL;

	for (int i = 0; i < n_x; i++)
		run[i] = x[i].f;
	for (int k = 0; k < w.n; k++) {
		before[k] = run[w.at[k].x];
		run[w.at[k].x] *= factor[w.at[k].update].f;
	}
	for (int i = 0; i < n_x; i++)
		run[i] = 1;
	for (int k = w.n - 1; k >= 0; k--) {
		struct write at = w.at[k];

		if (update)
			update[at.update].f = call->rules->multiply(cotangent[at.x].f, before[k] * run[at.x]);
		run[at.x] *= factor[at.update].f;
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

/* All candidates for a place (x and its updates) that equal the result share its cotangent evenly. */
void adjoint_scatter_extremum(const struct adjoint_call *call, struct tensor *contribution)
{
	struct writes w = resolve_writes(call);
	const union cell *x = call->arg[0]->at, *candidate = call->arg[2]->at, *out = call->out->at;
	int n_x = shape_elements(&call->arg[0]->type.shape), *winners = NEW(call->arena, int, n_x);

	for (int i = 0; i < n_x; i++)
		winners[i] = kernel_attains(x[i].f, out[i].f);
	for (int k = 0; k < w.n; k++)
		winners[w.at[k].x] += kernel_attains(candidate[w.at[k].update].f, out[w.at[k].x].f);
	if (call->wanted[0]) {
		union cell *into = adjoint_open(call, 0, contribution);

		for (int i = 0; i < n_x; i++)
			if (kernel_attains(x[i].f, out[i].f))
				into[i].f = call->cotangent->at[i].f / winners[i];
		adjoint_round(&contribution[0]);
	}
	if (call->wanted[2]) {
		union cell *update = adjoint_open(call, 2, contribution);

		for (int k = 0; k < w.n; k++) {
			struct write at = w.at[k];

			if (kernel_attains(candidate[at.update].f, out[at.x].f))
				update[at.update].f = call->cotangent->at[at.x].f / winners[at.x];
		}
		adjoint_round(&contribution[2]);
	}
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

/* adjoint_reduce.c: adjoints of reductions, running sums and products, and the matrix product. */
#include "adjoint.h"
#include "engines/kernels/parts.h"

#include <math.h>

/*
 * A reduction as groups: element i of the operand belongs to element group[i] of the result.  Like the op, it goes over
 * the operand in row-major order.
 */
struct reduce_groups {
	int n, n_group, *group;
	const union cell *x, *out, *cotangent;
	union cell *into; /* [n], zeros */
};

/* False when the operand needs no cotangent. */
static bool open_groups(const struct adjoint_call *call, struct tensor *contribution, struct reduce_groups *g)
{
	const struct attrs *attrs = &call->node->attrs;
	struct cell_walk w = {.shape = call->arg[0]->type.shape};
	int stride = 1;

	if (!call->wanted[0])
		return false;
	for (int d = w.shape.rank - 1; d >= 0; d--) {
		bool reduced = false;

		for (int k = 0; k < attrs->n_axes; k++)
			reduced |= attrs->axes[k] == d;
		w.step[d] = reduced ? 0 : stride;
		stride *= reduced ? 1 : w.shape.extent[d];
	}
	*g = (struct reduce_groups){.n = shape_elements(&w.shape),
	    .n_group = shape_elements(&call->out->type.shape),
	    .x = call->arg[0]->at,
	    .out = call->out->at,
	    .cotangent = call->cotangent->at};
	g->group = NEW(call->arena, int, g->n);
	for (int i = 0; i < g->n; i++, cell_walk_next(&w))
		g->group[i] = w.offset;
	g->into = adjoint_open(call, 0, contribution);
	return true;
}

void adjoint_reduce_sum(const struct adjoint_call *call, struct tensor *contribution)
{
	struct reduce_groups g;

	if (!open_groups(call, contribution, &g))
		return;
	for (int i = 0; i < g.n; i++)
		g.into[i] = g.cotangent[g.group[i]];
}

void adjoint_reduce_mean(const struct adjoint_call *call, struct tensor *contribution)
{
	struct reduce_groups g;

	if (!open_groups(call, contribution, &g))
		return;
	for (int i = 0; i < g.n; i++)
		g.into[i].f = g.cotangent[g.group[i]].f / (g.n / g.n_group);
	adjoint_round(&contribution[0]);
}

/* The product of the others is (those before) times (those after).  That is right with zeros, and a division is not. */
void adjoint_reduce_prod(const struct adjoint_call *call, struct tensor *contribution)
{
	struct reduce_groups g;
	double *run, *before;

	if (!open_groups(call, contribution, &g))
		return;
	run = NEW(call->arena, double, g.n_group);
	before = NEW(call->arena, double, g.n);
	for (int k = 0; k < g.n_group; k++)
		run[k] = 1;
	for (int i = 0; i < g.n; i++) {
		before[i] = run[g.group[i]];
		run[g.group[i]] *= g.x[i].f;
	}
	for (int k = 0; k < g.n_group; k++)
		run[k] = 1;
	for (int i = g.n - 1; i >= 0; i--) {
		double *after = &run[g.group[i]];

		g.into[i].f = call->rules->multiply(g.cotangent[g.group[i]].f, before[i] * *after);
		*after *= g.x[i].f;
	}
	adjoint_round(&contribution[0]);
}

/* Elements that equal the extremum share the cotangent evenly. */
void adjoint_reduce_extremum(const struct adjoint_call *call, struct tensor *contribution)
{
	struct reduce_groups g;
	int *winners;

	if (!open_groups(call, contribution, &g))
		return;
	winners = NEW(call->arena, int, g.n_group);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < g.n; i++) {
			double extremum = g.out[g.group[i]].f;

			if (g.x[i].f != extremum && !(isnan(g.x[i].f) && isnan(extremum)))
				continue;
			if (pass == 0)
				winners[g.group[i]]++;
			else
				g.into[i].f = g.cotangent[g.group[i]].f / winners[g.group[i]];
		}
	adjoint_round(&contribution[0]);
}

/*
 * Computes the softmax from the operand, shifted by its maximum.  From the rounded result y, e^(x-y) would be off by
 * |y| ulps, and NaN if y is -inf.
 */
void adjoint_logsumexp(const struct adjoint_call *call, struct tensor *contribution)
{
	struct reduce_groups g;
	double *top, *sum;

	if (!open_groups(call, contribution, &g))
		return;
	top = NEW(call->arena, double, g.n_group);
	sum = NEW(call->arena, double, g.n_group);
	for (int k = 0; k < g.n_group; k++)
		top[k] = -INFINITY;
	for (int i = 0; i < g.n; i++)
		top[g.group[i]] = fmax(top[g.group[i]], g.x[i].f);
	for (int k = 0; k < g.n_group; k++)
		if (isinf(top[k]))
			top[k] = 0;
	for (int i = 0; i < g.n; i++) {
		g.into[i].f = exp(g.x[i].f - top[g.group[i]]);
		sum[g.group[i]] += g.into[i].f;
	}
	for (int i = 0; i < g.n; i++) {
		double total = sum[g.group[i]];

		g.into[i].f = total == 0 ? 0 : call->rules->multiply(g.cotangent[g.group[i]].f, g.into[i].f / total);
	}
	adjoint_round(&contribution[0]);
}

/* x over the norm; 0 if all are 0.  Both are scaled by the largest magnitude, so no square overflows or underflows. */
void adjoint_norm(const struct adjoint_call *call, struct tensor *contribution)
{
	struct reduce_groups g;
	double *top, *sum;

	if (!open_groups(call, contribution, &g))
		return;
	top = NEW(call->arena, double, g.n_group);
	sum = NEW(call->arena, double, g.n_group);
	for (int i = 0; i < g.n; i++)
		top[g.group[i]] = fmax(top[g.group[i]], fabs(g.x[i].f));
	for (int i = 0; i < g.n; i++) {
		double m = top[g.group[i]];

		g.into[i].f = m == 0 ? g.x[i].f : g.x[i].f / m;
		sum[g.group[i]] += g.into[i].f * g.into[i].f;
	}
	for (int i = 0; i < g.n; i++) {
		double total = sum[g.group[i]];

		g.into[i].f = total == 0 ? 0
		                         : call->rules->multiply(g.cotangent[g.group[i]].f, g.into[i].f / sqrt(total));
	}
	adjoint_round(&contribution[0]);
}

/* One line of a running op: elements first, first + step, ...; n of them. */
struct axis_line {
	int first, step, n;
};

/* Calls `pull` for every line along the axis. */
static void each_line(const struct adjoint_call *call, struct tensor *contribution,
    void (*pull)(const struct adjoint_call *call, struct axis_line line, union cell *into))
{
	const struct shape *shape = &call->out->type.shape;
	int axis = call->node->attrs.axis, strides[LIMIT_RANK];
	struct cell_walk w;
	struct shape lines = *shape;
	int n_line;
	union cell *into;

	if (!call->wanted[0])
		return;
	into = adjoint_open(call, 0, contribution);
	shape_strides(shape, strides);
	lines.extent[axis] = 1;
	n_line = shape_elements(&lines);
	w = cell_walk_window(shape, &lines, NULL, NULL);
	for (int k = 0; k < n_line; k++, cell_walk_next(&w))
		pull(call, (struct axis_line){w.offset, strides[axis], shape->extent[axis]}, into);
	adjoint_round(&contribution[0]);
}

static void pull_cumsum(const struct adjoint_call *call, struct axis_line line, union cell *into)
{
	int last = line.first + (line.n - 1) * line.step;
	double *x = NEW(call->arena, double, line.n);

	for (int k = 0; k < line.n; k++)
		x[k] = call->cotangent->at[last - k * line.step].f;
	call->rules->running_sum(call->out->type.dtype, x, line.n);
	for (int k = 0; k < line.n; k++)
		into[last - k * line.step].f = x[k];
}

/*
 * d y_i / d x_j = (x_0 ... x_{j-1}) (x_{j+1} ... x_i).  So the cotangent of x_j is the product before it times s_j =
 * c_j + x_{j+1} s_{j+1}. This takes linear time and no division, and is right with zeros.
 */
static void pull_cumprod(const struct adjoint_call *call, struct axis_line line, union cell *into)
{
	const union cell *x = call->arg[0]->at;
	double before = 1, rest = 0;

	for (int k = line.n - 1; k >= 0; k--) {
		int at = line.first + k * line.step;

		rest = call->cotangent->at[at].f +
		    (k + 1 < line.n ? call->rules->multiply(rest, x[at + line.step].f) : 0);
		into[at].f = rest;
	}
	for (int k = 0; k < line.n; k++) {
		int at = line.first + k * line.step;

		into[at].f = call->rules->multiply(into[at].f, before);
		before *= x[at].f;
	}
}

void adjoint_cumsum(const struct adjoint_call *call, struct tensor *contribution)
{
	each_line(call, contribution, pull_cumsum);
}

void adjoint_cumprod(const struct adjoint_call *call, struct tensor *contribution)
{
	each_line(call, contribution, pull_cumprod);
}

/* Each cotangent goes to the element that was sorted to its place. */
void adjoint_sort(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct tensor *x = call->arg[0];
	struct axis_view v = axis_view(&x->type.shape, call->node->attrs.axis);
	int *perm = NEW(call->arena, int, v.n), *spare = NEW(call->arena, int, v.n);
	union cell *into;

	if (!call->wanted[0])
		return;
	into = adjoint_open(call, 0, contribution);
	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++) {
			order_line(x, &v, o, i, perm, spare);
			for (int k = 0; k < v.n; k++)
				into[(o * v.n + perm[k]) * v.inner + i] = call->cotangent
				                                              ->at[(o * v.n + k) * v.inner + i];
		}
}

/* Batch extents of the result, then rows, columns. */
static struct shape batch_matrix(const struct shape *batch, int rows, int columns)
{
	struct shape s = *batch;

	s.extent[s.rank++] = rows;
	s.extent[s.rank++] = columns;
	return s;
}

/*
 * Makes the contribution to operand k from its cotangent over the broadcast batch.  `matrix` is the operand with its
 * vector axis restored.
 */
static void give_matrix(const struct adjoint_call *call, int k, const struct shape *matrix, const struct shape *full,
    union cell *at, struct tensor *contribution)
{
	enum dtype d = call->arg[k]->type.dtype;
	struct tensor wide = {{d, *full}, at}, part = {{d, *matrix}, at};

	adjoint_round(&wide);
	if (!shape_equal(matrix, full)) {
		part = tensor_new(call->arena, &part.type);
		call->rules->unbroadcast(&wide, &part);
	}
	contribution[k] = (struct tensor){call->arg[k]->type, part.at};
}

/* The sum of n products of cotangents with elements of the other matrix. */
static double dot(
    const struct adjoint_call *call, const union cell *cotangent, int stride, const union cell *x, int stride_x, int n)
{
	struct arena_mark mark = arena_mark(call->arena);
	double *term = NEW(call->arena, double, n), sum;

	for (int i = 0; i < n; i++)
		term[i] = call->rules->multiply(cotangent[i * stride].f, x[i * stride_x].f);
	sum = call->rules->sum(call->out->type.dtype, term, n);
	arena_rewind(call->arena, mark);
	return sum;
}

void adjoint_matmul(const struct adjoint_call *call, struct tensor *contribution)
{
	struct shape left = call->arg[0]->type.shape, right = call->arg[1]->type.shape, batch, all_left, all_right;
	const union cell *a, *b, *c = call->cotangent->at;
	union cell *da, *db;
	int rows, inner, columns, n_batch;

	if (left.rank == 1)
		left = (struct shape){2, {1, left.extent[0]}};
	if (right.rank == 1)
		right = (struct shape){2, {right.extent[0], 1}};
	rows = left.extent[left.rank - 2];
	inner = left.extent[left.rank - 1];
	columns = right.extent[right.rank - 1];

	struct shape left_batch = left, right_batch = right;
	left_batch.rank -= 2;
	right_batch.rank -= 2;
	shape_broadcast(&left_batch, &right_batch, &batch);
	n_batch = shape_elements(&batch);
	all_left = batch_matrix(&batch, rows, inner);
	all_right = batch_matrix(&batch, inner, columns);
	a = adjoint_expand(
	    &(struct tensor){{call->arg[0]->type.dtype, left}, call->arg[0]->at}, &all_left, call->arena);
	b = adjoint_expand(
	    &(struct tensor){{call->arg[1]->type.dtype, right}, call->arg[1]->at}, &all_right, call->arena);

	/* c[m,n] = sum over k of a[m,k] b[k,n].  The transposed products go line by line. */
	if (call->wanted[0]) {
		da = NEW(call->arena, union cell, shape_elements(&all_left));
		for (int t = 0; t < n_batch; t++)
			for (int m = 0; m < rows; m++)
				for (int k = 0; k < inner; k++)
					da[(t * rows + m) * inner + k].f = dot(call, c + (t * rows + m) * columns, 1,
					    b + (t * inner + k) * columns, 1, columns);
		give_matrix(call, 0, &left, &all_left, da, contribution);
	}
	if (call->wanted[1]) {
		db = NEW(call->arena, union cell, shape_elements(&all_right));
		for (int t = 0; t < n_batch; t++)
			for (int k = 0; k < inner; k++)
				for (int n = 0; n < columns; n++)
					db[(t * inner + k) * columns + n].f = dot(call, c + t * rows * columns + n,
					    columns, a + t * rows * inner + k, inner, rows);
		give_matrix(call, 1, &right, &all_right, db, contribution);
	}
}

/*
 * parallel.c: the engine `parallel`: `functional`, and `forward` for a jvp, with every sum of cotangents or tangents as
 * a binary tree.
 *
 * An engine on many threads forms these trees; here they are always the same.  Each node is rounded to the dtype.  The
 * trees are seams of the adjoint table and structures of the tangent table.  Primal values are not affected.  Nor are
 * sums inside a local derivative, such as the denominator of a softmax.
 */
#include "engines/kernels/parts.h"
#include "region_vjp.h"

/* ---- the trees ---- */

/* A binary counter: equal halves meet. */
static bool fold_equals(int older, int newer) { return older == newer; }

static double sum_tree(enum dtype d, double *term, int n)
{
	int half = n / 2;

	if (n < 2)
		return n ? term[0] : 0;
	return dtype_round(d, sum_tree(d, term, half) + sum_tree(d, term + half, n - half));
}

/* Sums both halves, then adds the total of the first to each sum of the second (Sklansky, 1960). */
static void running_tree(enum dtype d, double *x, int n)
{
	int half = n / 2;

	if (n < 2)
		return;
	running_tree(d, x, half);
	running_tree(d, x + half, n - half);
	for (int i = half; i < n; i++)
		x[i] = dtype_round(d, x[half - 1] + x[i]);
}

/* The elements of `full` that belong to one stretched element of the operand. */
struct axis_stretch {
	const struct tensor *full;
	int rank, extent[LIMIT_RANK], stride[LIMIT_RANK]; /* of the stretched axes */
};

static double stretch_tree(const struct axis_stretch *s, int base, int from, int to)
{
	int half = from + (to - from) / 2;

	if (to - from == 1) {
		for (int d = s->rank - 1; d >= 0; d--) {
			base += from % s->extent[d] * s->stride[d];
			from /= s->extent[d];
		}
		return s->full->at[base].f;
	}
	return dtype_round(s->full->type.dtype, stretch_tree(s, base, from, half) + stretch_tree(s, base, half, to));
}

static void unbroadcast_tree(const struct tensor *full, struct tensor *operand)
{
	struct axis_stretch s = {.full = full};
	struct cell_walk kept = {.shape = full->type.shape};
	int step[LIMIT_RANK], n = shape_elements(&operand->type.shape), terms = 1;

	shape_broadcast_strides(&operand->type.shape, &full->type.shape, step);
	shape_strides(&full->type.shape, kept.step);
	for (int d = 0; d < kept.shape.rank; d++) {
		if (step[d] || kept.shape.extent[d] == 1)
			continue;
		terms *= kept.shape.extent[d];
		s.extent[s.rank] = kept.shape.extent[d];
		s.stride[s.rank++] = kept.step[d];
		kept.shape.extent[d] = 1;
	}
	for (int i = 0; terms && i < n; i++, cell_walk_next(&kept))
		operand->at[i].f = stretch_tree(&s, kept.offset, 0, terms);
}

/* ---- tangents ---- */

/* The tangent of a sum and of a mean. */
static void tangent_reduce_tree(const struct tangent_call *call, struct tensor *result)
{
	const struct tensor *dx = call->tangent[0];
	int n = shape_elements(&dx->type.shape), n_out = shape_elements(&result->type.shape);

	adjoint_scatter(sum_tree, result, reduce_map(call->node, &dx->type.shape, call->arena), dx->at, n, call->arena);
	for (int k = 0; call->node->op == OP_REDUCE_MEAN && k < n_out; k++)
		result->at[k].f = dtype_round(result->type.dtype, result->at[k].f / (n / n_out));
}

static void tangent_cumsum_tree(const struct tangent_call *call, struct tensor *result)
{
	struct axis_view v = axis_view(&result->type.shape, call->node->attrs.axis);
	double *x = NEW(call->arena, double, v.n);

	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++) {
			const union cell *from = call->tangent[0]->at + o * v.n * v.inner + i;

			for (int k = 0; k < v.n; k++)
				x[k] = from[k * v.inner].f;
			running_tree(result->type.dtype, x, v.n);
			for (int k = 0; k < v.n; k++)
				result->at[(o * v.n + k) * v.inner + i].f = x[k];
		}
}

/* Adds an element's own tangent and those of the updates at its place. */
static void tangent_scatter_add_tree(const struct tangent_call *call, struct tensor *result)
{
	struct axis_view v = axis_view(&result->type.shape, call->node->attrs.axis);
	int n_x = shape_elements(&result->type.shape), n_update = shape_elements(&call->arg[2]->type.shape);
	int n_index = shape_elements(&call->arg[1]->type.shape),
	    rows = call->arg[2]->type.shape.extent[call->node->attrs.axis];
	int *target = NEW(call->arena, int, n_x + n_update);
	union cell *term = NEW(call->arena, union cell, n_x + n_update);

	for (int i = 0; i < n_x; i++) {
		target[i] = call->tangent[0] ? i : -1;
		term[i].f = call->tangent[0] ? call->tangent[0]->at[i].f : 0;
	}
	for (int u = 0; u < n_update; u++) {
		int o = u / (rows * v.inner), k = u / v.inner % rows, at = -1;

		if (call->tangent[2] && k < n_index)
			at = kernel_index(call->node->attrs.mode, call->arg[1]->at[k].i, v.n);
		target[n_x + u] = at < 0 ? -1 : (o * v.n + at) * v.inner + u % v.inner;
		term[n_x + u].f = call->tangent[2] ? call->tangent[2]->at[u].f : 0;
	}
	adjoint_scatter(sum_tree, result, target, term, n_x + n_update, call->arena);
}

/* Adds a product in which one factor, `strong`, is a tangent.  If that is zero, there is no term. */
static void add_product(
    const struct tangent_call *call, struct tensor left, struct tensor right, int strong, struct tensor *result)
{
	struct shape batch[2], full;
	const union cell *x, *y;
	int rows, inner, columns, n_batch, at = 0;
	double *term;

	if (left.type.shape.rank == 1)
		left.type.shape = (struct shape){2, {1, left.type.shape.extent[0]}};
	if (right.type.shape.rank == 1)
		right.type.shape = (struct shape){2, {right.type.shape.extent[0], 1}};
	batch[0] = left.type.shape;
	batch[1] = right.type.shape;
	inner = right.type.shape.extent[batch[1].rank - 2];
	rows = left.type.shape.extent[batch[0].rank -= 2];
	columns = right.type.shape.extent[(batch[1].rank -= 2) + 1];
	shape_broadcast(&batch[0], &batch[1], &full);
	n_batch = shape_elements(&full);
	full.rank += 2;
	full.extent[full.rank - 2] = rows;
	full.extent[full.rank - 1] = inner;
	x = adjoint_expand(&left, &full, call->arena);
	full.extent[full.rank - 2] = inner;
	full.extent[full.rank - 1] = columns;
	y = adjoint_expand(&right, &full, call->arena);
	term = NEW(call->arena, double, inner);
	for (int t = 0; t < n_batch; t++)
		for (int m = 0; m < rows; m++)
			for (int n = 0; n < columns; n++, at++) {
				for (int k = 0; k < inner; k++) {
					double p = x[(t * rows + m) * inner + k].f,
					       q = y[(t * inner + k) * columns + n].f;

					term[k] = (strong ? q : p) == 0 ? 0 : p * q;
				}
				result->at[at].f = dtype_round(
				    result->type.dtype, result->at[at].f + sum_tree(result->type.dtype, term, inner));
			}
}

static void tangent_matmul_tree(const struct tangent_call *call, struct tensor *result)
{
	if (call->tangent[0])
		add_product(call, *call->tangent[0], *call->arg[1], 0, result);
	if (call->tangent[1])
		add_product(call, *call->arg[0], *call->tangent[1], 1, result);
}

/* ---- the engine ---- */

static void parallel_set_up(struct engine *self)
{
	struct tangent_rule *row = self->tangent.row;

	row[OP_REDUCE_SUM].structure = row[OP_REDUCE_MEAN].structure = tangent_reduce_tree;
	row[OP_CUMSUM].structure = tangent_cumsum_tree;
	row[OP_SCATTER_ADD].structure = tangent_scatter_add_tree;
	row[OP_MATMUL].structure = tangent_matmul_tree;
	self->adjoint.fold = fold_equals;
	self->adjoint.sum = sum_tree;
	self->adjoint.running_sum = running_tree;
	self->adjoint.unbroadcast = unbroadcast_tree;
}

static bool is_jvp(const struct testcase *c) { return c->n_transform == 1 && c->transform[0].kind == TRANSFORM_JVP; }

static enum answer_status parallel_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	if (is_jvp(c))
		return forward_kind.prepare(self, c, a, state, text);
	return region_prepare(self, c, a, state, text);
}

static void parallel_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	if (is_jvp(c))
		forward_kind.answer(self, state, c, which, point, a, out);
	else
		region_answer(self, &policy_keep_all, state, c, point, a, out);
}

const struct engine_kind parallel_kind = {
    .name = "parallel",
    .summary = "every sum of tangents or cotangents a binary tree, rounded at each node",
    .modelled_on = "reductions on accelerators",
    .jvp = true,
    .vjp = true,
    .order = LIMIT_TRANSFORMS,
    .batch = true,
    .set_up = parallel_set_up,
    .prepare = parallel_prepare,
    .answer = parallel_answer,
};

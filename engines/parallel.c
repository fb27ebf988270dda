/*
 * parallel.c: `functional` with every sum of cotangents a binary tree, as an engine on many threads forms it, but always the
 * same tree; each node is rounded to the dtype.  The trees are seams of the adjoint table.  Sums that are part of a local
 * derivative (the denominator of a softmax) are not sums of cotangents and stay as they are.
 */
#include "region_vjp.h"

/* A binary counter: equal halves meet. */
static bool join_equals(int older, int newer)
{
	return older == newer;
}

static double sum_tree(enum dtype d, double *term, int n)
{
	int half = n / 2;

	if (n < 2)
		return n ? term[0] : 0;
	return dtype_round(d, sum_tree(d, term, half) + sum_tree(d, term + half, n - half));
}

/* Both halves at once, then the total of the first onto all of the second (Sklansky, 1960). */
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

/* The elements of `full` that one element of the operand was stretched to. */
struct stretch {
	const struct tensor *full;
	int rank, extent[LIMIT_RANK], stride[LIMIT_RANK]; /* of the stretched axes */
};

static double stretch_tree(const struct stretch *s, int base, int from, int to)
{
	int half = from + (to - from) / 2;

	if (to - from == 1) {
		for (int d = s->rank - 1; d >= 0; d--) {
			base += from % s->extent[d] * s->stride[d];
			from /= s->extent[d];
		}
		return s->full->at[base].f;
	}
	return dtype_round(
	    s->full->type.dtype, stretch_tree(s, base, from, half) + stretch_tree(s, base, half, to));
}

static void unbroadcast_tree(const struct tensor *full, struct tensor *operand)
{
	struct stretch s = {.full = full};
	struct walk kept = {.shape = full->type.shape};
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
	for (int i = 0; terms && i < n; i++, walk_next(&kept))
		operand->at[i].f = stretch_tree(&s, kept.offset, 0, terms);
}

static void parallel_set_up(struct engine *self)
{
	self->adjoint.join = join_equals;
	self->adjoint.sum = sum_tree;
	self->adjoint.running_sum = running_tree;
	self->adjoint.unbroadcast = unbroadcast_tree;
}

static enum answer_status parallel_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	return region_prepare(&self->adjoint, "parallel", c, a, state, text);
}

static void parallel_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	(void)which;
	region_answer(self, &policy_keep_all, state, c, point, a, out);
}

const struct engine_kind parallel_kind = {
    .name = "parallel",
    .summary = "as functional, every sum of cotangents a binary tree rounded at each node",
    .modelled_on = "reductions on accelerators",
    .vjp = true,
    .set_up = parallel_set_up,
    .prepare = parallel_prepare,
    .answer = parallel_answer,
};

/* programs.c: modes in which the function stays the same and something else changes: the time, the batch, the form of
 * the program, the dtype, or the engine. */
#include <math.h>
#include <string.h>

#include "graph/walk.h"
#include "engines/process/straight.h"
#include "internal.h"
#include "fuzz/edit/edit.h"

enum { AGAIN = 3 };

bool cross_again(struct cross_ask *q, const struct testcase *c)
{
	const struct answer *first = cross_ask(q, q->left, c);
	bool there = first;

	if (!first)
		q->broken = q->fell; /* no other mode would report this failure */
	for (int p = 0; first && p < c->n_point; p++)
		if (first[p].input_modified)
			q->broken = "input-modified";
	for (int k = 0; there && k < AGAIN; k++) {
		struct testcase again = *c; /* a new case, so that the engine is asked again */

		there = cross_add_answers(q, "again", first, cross_ask(q, q->right, &again), c->n_point);
	}
	return there;
}

bool cross_engine(struct cross_ask *q, const struct testcase *c)
{
	const struct answer *own = cross_ask(q, q->left, c);
	struct testcase again = *c;

	return own && cross_add_answers(q, "the same", own, cross_ask(q, q->right, &again), c->n_point);
}

/* ---- batches ---- */

enum { SLICES = 3 };

static struct tensor slice_of(struct cross_ask *q, const struct tensor *t, int slice)
{
	struct type row = type_row(&t->type);
	int n = shape_elements(&row.shape);

	return (struct tensor){row, arena_copy(q->arena, t->at + slice * n, (size_t)n, sizeof *t->at)};
}

/* The rows of an answer that belong to a slice: of the results, and of the derivatives, all of which have the axis. */
static struct answer answer_slice(struct cross_ask *q, const struct answer *a, int slice)
{
	struct answer out = *a;

	out.primal = NEW(q->arena, struct tensor, a->n_primal);
	out.derivative = NEW(q->arena, struct tensor, a->n_derivative);
	for (int k = 0; k < a->n_primal; k++)
		out.primal[k] = slice_of(q, &a->primal[k], slice);
	for (int k = 0; k < a->n_derivative; k++)
		out.derivative[k] = slice_of(q, &a->derivative[k], slice);
	return out;
}

/* c at slice `slice`, without its outermost transform, which is a batch. */
static struct testcase case_slice(struct cross_ask *q, const struct testcase *c, int slice)
{
	struct testcase out = cross_copy(q, c);
	const struct transform *batch = &c->transform[c->n_transform - 1];

	out.n_transform--;
	out.point = NEW(q->arena, struct tensor *, c->n_point);
	for (int p = 0; p < c->n_point; p++) {
		out.point[p] = arena_copy(q->arena, c->point[p], (size_t)c->program.top.n_param, sizeof *out.point[p]);
		for (int k = 0; k < batch->n_wrt; k++)
			out.point[p][batch->wrt[k]] = slice_of(q, &c->point[p][batch->wrt[k]], slice);
	}
	return out;
}

static bool compare_slices(struct cross_ask *q, const struct testcase *batched, const struct answer *answers, int n)
{
	for (int s = 0; s < n; s++) {
		struct testcase alone = case_slice(q, batched, s);
		const struct answer *other = cross_ask(q, q->right, &alone);
		struct answer *rows = NEW(q->arena, struct answer, batched->n_point);

		for (int p = 0; p < batched->n_point; p++)
			rows[p] = answer_slice(q, &answers[p], s);
		if (!cross_add_answers(q, "slice alone", rows, other, batched->n_point))
			return false;
	}
	return true;
}

/* An element of a slice: slice 0 has the base's number, the others lie apart from it. */
static double apart(enum dtype d, double x, int slice, int element)
{
	return slice && isfinite(x) ? dtype_round(d, x + slice * fmax(1, fabs(x)) * (0.15625 + 0.0625 * (element % 5)))
	                            : x;
}

/* The request as a batch over the float inputs. */
static bool batch_of(struct cross_ask *q, const struct testcase *c, struct testcase *out)
{
	struct transform batch = {.kind = TRANSFORM_BATCH, .size = SLICES, .wrt = NEW(q->arena, int, LIMIT_ARGS)};

	q->why = "no room for a batch";
	if (c->n_transform == LIMIT_TRANSFORMS)
		return false;
	*out = cross_copy(q, c);
	out->point = NEW(q->arena, struct tensor *, c->n_point);
	for (int p = 0; p < c->n_point; p++)
		out->point[p] = arena_copy(
		    q->arena, c->point[p], (size_t)c->program.top.n_param, sizeof *out->point[p]);
	for (int i = 0; i < c->program.top.n_param; i++) {
		if (!dtype_is_float(c->program.type[c->program.top.param + i].dtype))
			continue;
		batch.wrt[batch.n_wrt++] = i;
		for (int p = 0; p < c->n_point; p++) {
			const struct tensor *x = &c->point[p][i];
			struct type type = x->type;
			int n = shape_elements(&x->type.shape);

			if (!shape_stack(&type.shape, SLICES))
				return false;
			out->point[p][i] = tensor_new(q->arena, &type);
			for (int k = 0; k < SLICES * n; k++)
				out->point[p][i].at[k].f = apart(type.dtype, x->at[k % n].f, k / n, k % n);
		}
	}
	out->transform[out->n_transform++] = batch;
	return batch.n_wrt > 0;
}

bool cross_batch(struct cross_ask *q, const struct testcase *c)
{
	const struct answer *own = cross_ask(q, q->left, c), *other;
	struct testcase batched;

	if (!own)
		return false;
	if (c->n_transform && c->transform[c->n_transform - 1].kind == TRANSFORM_BATCH) {
		int size = c->transform[c->n_transform - 1].size;

		return compare_slices(q, c, own, size < SLICES ? size : SLICES);
	}
	if (!batch_of(q, c, &batched) || !(other = cross_ask(q, q->right, &batched)))
		return false;
	return compare_slices(q, &batched, other, SLICES);
}

/* ---- programs ---- */

static bool has_regions(const struct program *p)
{
	for (int i = 0; i < p->top.n_node; i++)
		if (p->top.node[i].n_region)
			return true;
	return false;
}

static bool may_be_unrolled(struct cross_ask *q, const struct testcase *c)
{
	q->why = !has_regions(&c->program)                     ? "no region"
	    : region_has_op(&c->program.top, OP_DERIVATIVE)    ? "a derivative inside"
	    : request_slices(c->transform, c->n_transform) > 1 ? "slices take paths of their own"
	                                                       : NULL;
	return !q->why;
}

bool cross_unrolled(struct cross_ask *q, const struct testcase *c)
{
	const struct answer *own;
	struct error e = {0};

	if (!may_be_unrolled(q, c) || !(own = cross_ask(q, q->left, c)))
		return false;
	for (int p = 0; p < c->n_point; p++) {
		struct testcase straight = *c;
		int before = q->n;

		straight.n_point = 1;
		straight.point = &c->point[p];
		straight.n_expect = 0;
		if (!straight_program(&c->program, c->point[p], false, NULL, q->arena, &straight.program, &e)) {
			q->why = arena_printf(q->arena, "%s", e.text);
			return false;
		}
		if (!cross_add_answers(q, "unrolled", &own[p], cross_ask(q, q->right, &straight), 1))
			return false;
		for (int i = before; i < q->n; i++)
			q->pair[i].point = p;
	}
	return true;
}

/* Numbers of f64 are rounded to f32 first, so that both requests have the same point. */
bool cross_dtype(struct cross_ask *q, const struct testcase *c)
{
	const struct testcase *narrow = edit_in_dtype(q->arena, c, DTYPE_F32), *wide;
	const struct answer *left, *right;
	struct engine_scope scope = engine_scope(q->left), other = engine_scope(q->right);

	q->why = "not in both f32 and f64";
	if (cross_coarsest(c) == DTYPE_COUNT || !narrow || !scope.dtype[DTYPE_F32] || !other.dtype[DTYPE_F64] ||
	    !(wide = edit_in_dtype(q->arena, narrow, DTYPE_F64)))
		return false;
	left = cross_ask(q, q->left, narrow);
	right = left ? cross_ask(q, q->right, wide) : NULL;
	return left && right && cross_add_answers(q, "f64", left, right, c->n_point);
}

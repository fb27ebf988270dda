/* program.c: passes that remove points, transforms, results and inputs. */
#include "engines/aot/aot.h"
#include "passes.h"

/* ---- points and request ---- */

enum edit_result pass_keep_point(struct edit *e, int k)
{
	if (k >= e->c.n_point || e->c.n_point == 1)
		return EDIT_END;
	e->c.point[0] = e->c.point[k];
	e->c.n_point = 1;
	return EDIT_TRY;
}

enum edit_result pass_drop_point(struct edit *e, int k)
{
	if (k >= e->c.n_point || e->c.n_point == 1)
		return EDIT_END;
	edit_remove_item(e->c.point, &e->c.n_point, sizeof(struct tensor *), k);
	return EDIT_TRY;
}

enum edit_result pass_drop_transform(struct edit *e, int k)
{
	if (k >= e->c.n_transform)
		return EDIT_END;
	edit_remove_item(e->c.transform, &e->c.n_transform, sizeof(struct transform), k);
	return EDIT_TRY;
}

/* The k-th pair of a batch and a number *which below its size. */
static struct transform *batch_entry(struct edit *e, int k, int *which)
{
	for (int t = 0; t < e->c.n_transform; t++) {
		if (k < e->c.transform[t].size) {
			*which = k;
			return &e->c.transform[t];
		}
		k -= e->c.transform[t].size;
	}
	return NULL;
}

enum edit_result pass_keep_slice(struct edit *e, int k)
{
	int which;
	struct transform *t = batch_entry(e, k, &which);

	if (!t)
		return EDIT_END;
	edit_keep_slice(e, (int)(t - e->c.transform), which);
	return EDIT_TRY;
}

/* Only the innermost batch: its points and seeds already have the form that the scan needs. */
enum edit_result pass_loop_batch(struct edit *e, int k)
{
	struct program loop;
	struct error error = {0};

	if (k || !e->c.n_transform || e->c.transform->kind != TRANSFORM_BATCH)
		return EDIT_END;
	if (!aot_map(&e->c.program, e->c.transform, e->arena, &loop, &error))
		return EDIT_SKIP;
	e->c.program = loop;
	edit_remove_item(e->c.transform, &e->c.n_transform, sizeof *e->c.transform, 0);
	return EDIT_TRY;
}

enum edit_result pass_batch_size(struct edit *e, int k)
{
	int which;
	struct transform *t = batch_entry(e, k, &which);

	if (!t)
		return EDIT_END;
	if (!which)
		return EDIT_SKIP;
	edit_keep_slices(e, (int)(t - e->c.transform), which);
	return EDIT_TRY;
}

/* Keeps only the results keep[n_keep].  Cotangents follow. */
static void keep_results(struct edit *e, const int *keep, int n_keep)
{
	struct region *top = &e->c.program.top;

	for (int i = 0; i < n_keep; i++)
		top->result[i] = top->result[keep[i]];
	top->n_result = n_keep;
	/* The innermost vjp has seeds for the results.  A vjp above it has seeds for the gradients of the one below. */
	for (int t = 0; t < e->c.n_transform; t++) {
		struct transform *tr = &e->c.transform[t];

		if (tr->kind != TRANSFORM_VJP)
			continue;
		for (int i = 0; i < n_keep; i++)
			tr->seed[i] = tr->seed[keep[i]];
		tr->n_seed = n_keep;
		break;
	}
}

enum edit_result pass_keep_result(struct edit *e, int k)
{
	int n = e->c.program.top.n_result;

	if (k >= n || n == 1)
		return EDIT_END;
	keep_results(e, &k, 1);
	return EDIT_TRY;
}

enum edit_result pass_drop_result(struct edit *e, int k)
{
	int n = e->c.program.top.n_result, keep[LIMIT_ARGS], n_keep = 0;

	if (k >= n || n == 1)
		return EDIT_END;
	for (int i = 0; i < n; i++)
		if (i != k)
			keep[n_keep++] = i;
	keep_results(e, keep, n_keep);
	return EDIT_TRY;
}

/* Transform number k / LIMIT_ARGS, entry number k % LIMIT_ARGS of its wrt. */
static struct transform *wrt_entry(struct edit *e, int k, int *which)
{
	*which = k % LIMIT_ARGS;
	return k / LIMIT_ARGS < e->c.n_transform ? &e->c.transform[k / LIMIT_ARGS] : NULL;
}

/* A jvp loses the tangent.  A vjp loses the gradient, so the next vjp above loses a cotangent. */
static void drop_wrt(struct edit *e, struct transform *t, int which)
{
	int n = t->n_wrt;
	bool vjp = t->kind == TRANSFORM_VJP;

	edit_remove_item(t->wrt, &t->n_wrt, sizeof *t->wrt, which);
	if (t->kind == TRANSFORM_JVP && t->n_seed == n)
		edit_remove_item(t->seed, &t->n_seed, sizeof *t->seed, which);
	while (vjp && ++t < e->c.transform + e->c.n_transform)
		if (t->kind == TRANSFORM_VJP) {
			if (which < t->n_seed)
				edit_remove_item(t->seed, &t->n_seed, sizeof *t->seed, which);
			return;
		}
}

enum edit_result pass_keep_wrt(struct edit *e, int k)
{
	int which;
	struct transform *t = wrt_entry(e, k, &which);

	if (!t)
		return EDIT_END;
	if (which >= t->n_wrt || t->n_wrt == 1)
		return EDIT_SKIP;
	for (int i = t->n_wrt - 1; i >= 0; i--)
		if (i != which)
			drop_wrt(e, t, i);
	return EDIT_TRY;
}

enum edit_result pass_drop_wrt(struct edit *e, int k)
{
	int which;
	struct transform *t = wrt_entry(e, k, &which);

	if (!t)
		return EDIT_END;
	if (which >= t->n_wrt || t->n_wrt == 1)
		return EDIT_SKIP;
	drop_wrt(e, t, which);
	return EDIT_TRY;
}

/* ---- cutting the program short ---- */

/* Replaces ops by their regions until the node that defines `value` is at the top level. */
static bool raise_to_top(struct edit *e, int value)
{
	for (int depth = 0; depth <= LIMIT_DEPTH; depth++) {
		struct site s, around = {0};
		bool top = false;

		for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);) {
			if (s.top)
				around = s; /* pre-order: the sites that follow are inside its regions */
			if (s.node->out == value && s.node->n_out) {
				top = s.top;
				break;
			}
		}
		if (top)
			return true;
		if (!around.node || !edit_hoist(e, &around, edit_branch_of(around.node, value)))
			return false;
	}
	return false;
}

enum edit_result pass_expose(struct edit *e, int k)
{
	struct region *top = &e->c.program.top;
	struct site s;
	int value;

	if (!edit_site(e, k, &s))
		return EDIT_END;
	value = s.node->out;
	if (s.node->op == OP_CONSTANT || !s.node->n_out || !dtype_is_float(edit_type(e, value)->dtype) ||
	    !raise_to_top(e, value))
		return EDIT_SKIP;
	top->result = NEW(e->arena, int, 1);
	top->result[0] = value;
	top->n_result = 1;
	for (int t = 0; t < e->c.n_transform; t++)
		if (e->c.transform[t].kind == TRANSFORM_VJP) {
			e->c.transform[t].n_seed = 0; /* its cotangents no longer fit; edit_finish makes new ones */
			break;
		}
	return EDIT_TRY;
}

/* ---- inputs ---- */

/*
 * Removes input `which` from the program, the points and the request.  False if a transform would have no input left.
 */
static bool remove_input(struct edit *e, int which)
{
	struct testcase *c = &e->c;
	int n = c->program.top.n_param;

	for (int t = 0; t < c->n_transform; t++) {
		struct transform *tr = &c->transform[t];

		for (int i = tr->n_wrt - 1; i >= 0; i--) {
			if (tr->wrt[i] == which) {
				if (tr->n_wrt == 1)
					return false;
				drop_wrt(e, tr, i);
			} else if (tr->wrt[i] > which) {
				tr->wrt[i]--;
			}
		}
	}
	for (int p = 0; p < c->n_point; p++) {
		int left = n;

		edit_remove_item(c->point[p], &left, sizeof *c->point[p], which);
	}
	edit_remove_param(e, &c->program.top, which);
	return true;
}

enum edit_result pass_merge_inputs(struct edit *e, int k)
{
	struct region *top = &e->c.program.top;
	int n = top->n_param, from, to;

	if (k >= n * n)
		return EDIT_END;
	from = n - 1 - k / n;
	to = k % n;
	if (from == to || !type_equal(edit_type(e, top->param + from), edit_type(e, top->param + to)))
		return EDIT_SKIP;
	edit_replace(e, top->param + from, top->param + to);
	return remove_input(e, from) ? EDIT_TRY : EDIT_SKIP;
}

enum edit_result pass_fix_input(struct edit *e, int k)
{
	struct region *top = &e->c.program.top;

	if (k >= top->n_param || e->c.n_point != 1)
		return EDIT_END;
	if (!type_equal(&e->c.point[0][k].type, edit_type(e, top->param + k)))
		return EDIT_SKIP; /* a batched input is not one constant */
	edit_replace(e, top->param + k, edit_insert_constant(e, top, 0, &e->c.point[0][k]));
	return remove_input(e, k) ? EDIT_TRY : EDIT_SKIP;
}

/* If the input is still used, the candidate is invalid, and edit_finish finds that. */
enum edit_result pass_drop_input(struct edit *e, int k)
{
	if (k >= e->c.program.top.n_param)
		return EDIT_END;
	return remove_input(e, e->c.program.top.n_param - 1 - k) ? EDIT_TRY : EDIT_SKIP;
}

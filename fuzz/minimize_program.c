/* minimize_program.c: passes that take away points, transforms, results, inputs and nodes. */
#include "minimize_edit.h"

#include <string.h>

#include "../engines/engine.h"

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

/* Results [0, n) become the results `keep`; cotangents follow. */
static void keep_results(struct edit *e, const int *keep, int n_keep)
{
	struct region *top = &e->c.program.top;

	for (int i = 0; i < n_keep; i++)
		top->result[i] = top->result[keep[i]];
	top->n_result = n_keep;
	for (int t = 0; t < e->c.n_transform; t++) {
		struct transform *tr = &e->c.transform[t];

		if (tr->kind != TRANSFORM_VJP)
			continue;
		for (int i = 0; i < n_keep; i++)
			tr->seed[i] = tr->seed[keep[i]];
		tr->n_seed = n_keep;
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

static void drop_wrt(struct transform *t, int which)
{
	int n = t->n_wrt;

	edit_remove_item(t->wrt, &t->n_wrt, sizeof *t->wrt, which);
	if (t->kind == TRANSFORM_JVP && t->n_seed == n)
		edit_remove_item(t->seed, &t->n_seed, sizeof *t->seed, which);
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
			drop_wrt(t, i);
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
	drop_wrt(t, which);
	return EDIT_TRY;
}

/* ---- cutting the program short ---- */

enum edit_result pass_expose(struct edit *e, int k)
{
	struct region *top = &e->c.program.top;
	struct site s;
	int value;

	if (!edit_site(e, k, &s))
		return EDIT_END;
	value = s.node->out;
	if (!s.top || s.node->op == OP_CONSTANT || !s.node->n_out || !dtype_is_float(edit_type(e, value)->dtype))
		return EDIT_SKIP;
	top->result = NEW(e->arena, int, 1);
	top->result[0] = value;
	top->n_result = 1;
	for (int t = 0; t < e->c.n_transform; t++) {
		struct transform *tr = &e->c.transform[t];

		if (tr->kind != TRANSFORM_VJP)
			continue;
		tr->seed = NEW(e->arena, struct tensor, 1);
		tr->seed[0] = tensor_new(e->arena, edit_type(e, value));
		edit_fill(&tr->seed[0], 1);
		tr->n_seed = 1;
	}
	return EDIT_TRY;
}

/* The values of a top-level node's results at the only point, from a run of the program that returns just them. */
static const struct answer *values_at_point(struct edit *e, const struct node *n)
{
	struct testcase c = e->c;
	struct answer *out = NEW(e->arena, struct answer, 1);
	struct error error = {0};

	c.program = program_copy(&c.program, e->arena);
	c.program.top.result = NEW(e->arena, int, n->n_out);
	c.program.top.n_result = n->n_out;
	for (int i = 0; i < n->n_out; i++)
		c.program.top.result[i] = n->out + i;
	c.program = program_drop_dead(&c.program, e->arena);
	c.n_transform = 0;
	c.n_expect = 0;
	if (!testcase_check(&c, &error))
		return NULL;
	engine_answer(e->primal, &c, e->arena, out);
	return out->status == ANSWER_OK && out->n_primal == n->n_out ? out : NULL;
}

enum edit_result pass_cut(struct edit *e, int k)
{
	const struct answer *at;
	struct site s;
	int out, n_out, index;

	if (!e->primal || e->c.n_point != 1 || !edit_site_last(e, k, &s))
		return EDIT_END;
	if (!s.top || s.node->op == OP_CONSTANT || !(at = values_at_point(e, s.node)))
		return EDIT_SKIP;
	out = s.node->out;
	n_out = s.node->n_out;
	index = s.index;
	edit_remove_node(s.region, index);
	for (int i = 0; i < n_out; i++)
		edit_replace(e, out + i, edit_insert_constant(e, s.region, index, &at->primal[i]));
	return EDIT_TRY;
}

/* ---- nodes and operands ---- */

/* Operands, then 0 1 2 ..., then inputs: what may stand for a node's result or for an operand. */
enum { STAND_OPERANDS = 4, STAND_FILLS = 3, STAND_INPUTS = 4, STAND = STAND_OPERANDS + STAND_FILLS + STAND_INPUTS };

/* The n-th input of that type, or -1. */
static int input_of_type(const struct edit *e, const struct type *t, int n)
{
	const struct region *top = &e->c.program.top;

	for (int i = 0; i < top->n_param; i++)
		if (type_equal(edit_type(e, top->param + i), t) && n-- == 0)
			return top->param + i;
	return -1;
}

enum edit_result pass_replace(struct edit *e, int k)
{
	static const double fills[STAND_FILLS] = {1, 0, 2};
	int how = k % STAND, by = -1, out, n_out, index;
	const struct type *t;
	struct site s;

	if (!edit_site_last(e, k / STAND, &s))
		return EDIT_END;
	if (s.node->op == OP_CONSTANT || !s.node->n_out)
		return EDIT_SKIP;
	out = s.node->out;
	n_out = s.node->n_out;
	index = s.index;
	t = edit_type(e, out);
	if (how >= STAND_OPERANDS && how < STAND_OPERANDS + STAND_FILLS) {
		edit_remove_node(s.region, index);
		for (int i = 0; i < n_out; i++)
			edit_replace(e, out + i, edit_insert_fill(e, s.region, index, edit_type(e, out + i), fills[how - STAND_OPERANDS]));
		return EDIT_TRY;
	}
	if (n_out != 1)
		return EDIT_SKIP;
	if (how < STAND_OPERANDS)
		by = how < s.node->n_arg && type_equal(edit_type(e, s.node->arg[how]), t) ? s.node->arg[how] : -1;
	else
		by = input_of_type(e, t, how - STAND_OPERANDS - STAND_FILLS);
	if (by < 0)
		return EDIT_SKIP;
	edit_replace(e, out, by);
	edit_remove_node(s.region, index);
	return EDIT_TRY;
}

enum { REWIRE_ARGS = 4, REWIRE_HOWS = 5 };

enum edit_result pass_rewire(struct edit *e, int k)
{
	int how = k % REWIRE_HOWS, arg = k / REWIRE_HOWS % REWIRE_ARGS, old, by = -1;
	struct node *n;
	struct site s;

	if (!edit_site_last(e, k / (REWIRE_HOWS * REWIRE_ARGS), &s))
		return EDIT_END;
	n = s.node;
	if (arg >= n->n_arg)
		return EDIT_SKIP;
	old = n->arg[arg];
	if (how == 0) {
		/* The list of nodes moves: the operand is set in the node's new place. */
		by = edit_insert_fill(e, s.region, s.index, edit_type(e, old), 1);
		s.region->node[s.index + 1].arg[arg] = by;
		return EDIT_TRY;
	}
	if (how == 1) { /* the operand of the operand's place, as in add(a, b) to add(a, a) */
		for (int i = 0; i < n->n_arg && by < 0; i++)
			if (n->arg[i] != old && type_equal(edit_type(e, n->arg[i]), edit_type(e, old)))
				by = n->arg[i];
	} else {
		by = input_of_type(e, edit_type(e, old), how - 2);
	}
	if (by < 0 || by == old)
		return EDIT_SKIP;
	n->arg[arg] = by;
	return EDIT_TRY;
}

enum edit_result pass_drop_operand(struct edit *e, int k)
{
	struct site s;

	if (!edit_site_last(e, k / LIMIT_ARGS, &s))
		return EDIT_END;
	if (op_table[s.node->op].family != FAMILY_CONCATENATE || k % LIMIT_ARGS >= s.node->n_arg || s.node->n_arg == 1)
		return EDIT_SKIP;
	edit_remove_item(s.node->arg, &s.node->n_arg, sizeof *s.node->arg, k % LIMIT_ARGS);
	e->lenient = true;
	return EDIT_TRY;
}

/* ---- inputs ---- */

/* Takes input `which` off the signature, the points and the request.  False when a transform would differentiate nothing. */
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
				drop_wrt(tr, i);
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
	edit_replace(e, top->param + k, edit_insert_constant(e, top, 0, &e->c.point[0][k]));
	return remove_input(e, k) ? EDIT_TRY : EDIT_SKIP;
}

/* An input that is still used makes the candidate invalid, which edit_finish finds. */
enum edit_result pass_drop_input(struct edit *e, int k)
{
	if (k >= e->c.program.top.n_param)
		return EDIT_END;
	return remove_input(e, e->c.program.top.n_param - 1 - k) ? EDIT_TRY : EDIT_SKIP;
}

/* facts_activity.c: which values are differentiated: forwards from the inputs asked for, backwards from the results. */
#include "facts.h"
#include "minimize_edit.h"

/* ---- activity ---- */

static bool is_float(const struct facts *f, int value)
{
	return dtype_is_float(f->c->program.type[value].dtype);
}

static bool any_varied(const struct facts *f, const int *value, int n)
{
	for (int i = 0; i < n; i++)
		if (f->varied[value[i]])
			return true;
	return false;
}

/* True when something new is varied. */
static bool vary(struct facts *f, int value, bool varied)
{
	if (!varied || f->varied[value] || !is_float(f, value))
		return false;
	return f->varied[value] = true;
}

static bool vary_region(struct facts *f, const struct region *r);

static bool vary_loop(struct facts *f, const struct node *n, const struct loop *l)
{
	bool any = false;

	for (int i = 0; i < l->n_carry; i++) {
		any |= vary(f, l->body->param + l->first_param + i, f->varied[n->arg[l->first_arg + i]]);
		any |= vary(f, l->body->param + l->first_param + i, f->varied[l->body->result[i]]);
		any |= vary(f, n->out + i, f->varied[l->body->result[i]] || f->varied[n->arg[l->first_arg + i]]);
	}
	for (int i = 0; i < l->n_xs; i++)
		any |= vary(f, l->body->param + l->n_carry + i, f->varied[n->arg[l->n_carry + i]]);
	for (int i = 0; i < l->n_ys; i++)
		any |= vary(f, n->out + l->n_carry + i, f->varied[l->body->result[l->n_carry + i]]);
	return any;
}

static bool vary_node(struct facts *f, const struct node *n)
{
	const struct loop l = edit_loop(n);
	bool any = false, operands = any_varied(f, n->arg, n->n_arg);

	if (l.is_loop) {
		any |= vary_loop(f, n, &l);
		return vary_region(f, l.body) || any;
	}
	for (int w = 0; w < n->n_region && !(n->op == OP_CUSTOM && w); w++) {
		const struct region *r = &n->region[w];

		for (int i = 0; i < r->n_param && i < n->n_arg; i++)
			any |= vary(f, r->param + i, f->varied[n->arg[i]]);
		any |= vary_region(f, r);
		operands |= any_varied(f, r->result, r->n_result);
		for (int i = 0; i < n->n_out && i < r->n_result && n->op != OP_DERIVATIVE; i++)
			any |= vary(f, n->out + i, f->varied[r->result[i]] || n->op == OP_SCATTER_APPLY ? operands : false);
	}
	if (n->n_region && n->op != OP_DERIVATIVE)
		return any;
	for (int i = 0; i < n->n_out; i++)
		any |= vary(f, n->out + i, operands && op_table[n->op].regularity != REGULARITY_STEP && op_table[n->op].regularity != REGULARITY_DISCRETE);
	return any;
}

static bool vary_region(struct facts *f, const struct region *r)
{
	bool any = false;

	for (int i = 0; i < r->n_node; i++)
		any |= vary_node(f, &r->node[i]);
	return any;
}

static void find_varied(struct facts *f)
{
	const struct region *top = &f->c->program.top;

	for (int t = 0; t < f->c->n_transform; t++)
		for (int i = 0; f->c->transform[t].kind != TRANSFORM_BATCH && i < f->c->transform[t].n_wrt; i++)
			vary(f, top->param + f->c->transform[t].wrt[i], true);
	while (vary_region(f, top))
		;
}

/* ---- what of it matters ---- */

/* With `at`, only along what was run and taken. */
struct needs {
	bool *useful;
	const struct program *p;
	const struct facts *at;
};

static bool need_region(const struct needs *x, const struct region *r);

static bool need(const struct needs *x, int value, bool needed)
{
	if (!needed || x->useful[value] || !dtype_is_float(x->p->type[value].dtype))
		return false;
	return x->useful[value] = true;
}

static bool need_node(const struct needs *x, const struct node *n)
{
	const bool *useful = x->useful;
	const struct loop l = edit_loop(n);
	bool any = false, out = false;

	if (x->at && x->at->run && n->n_out && !x->at->run[n->out])
		return false;
	for (int i = 0; i < n->n_out; i++)
		out |= useful[n->out + i];
	for (int i = 0; l.is_loop && i < l.n_carry; i++) {
		const int param = l.body->param + l.first_param + i;

		any |= need(x, l.body->result[i], useful[n->out + i] || useful[param]);
		any |= need(x, n->arg[l.first_arg + i], useful[param] || useful[n->out + i]);
	}
	for (int i = 0; i < l.n_ys; i++)
		any |= need(x, l.body->result[l.n_carry + i], useful[n->out + l.n_carry + i]);
	for (int i = 0; i < l.n_xs; i++)
		any |= need(x, n->arg[l.n_carry + i], useful[l.body->param + l.n_carry + i]);
	for (int w = 0; w < n->n_region && !l.is_loop && out; w++) {
		const struct region *r = &n->region[w];

		for (int i = 0; i < r->n_result; i++)
			any |= need(x, r->result[i], i >= n->n_out || useful[n->out + i] || n->op == OP_DERIVATIVE);
	}
	for (int w = 0; w < n->n_region; w++)
		any |= need_region(x, &n->region[w]);
	if (l.is_loop || op_table[n->op].regularity == REGULARITY_STEP || op_table[n->op].regularity == REGULARITY_DISCRETE)
		return any;
	for (int i = 0; i < n->n_arg; i++)
		any |= need(x, n->arg[i], out && !(n->op == OP_SELECT && i && x->at && x->at->run && !x->at->taken[i - 1][n->out]));
	return any;
}

static bool need_region(const struct needs *x, const struct region *r)
{
	bool any = false;

	for (int i = r->n_node - 1; i >= 0; i--)
		any |= need_node(x, &r->node[i]);
	return any;
}

/* set[] keeps what of `from` reaches a result on a path that is differentiated. */
static void keep_useful(struct facts *f, const bool *from, bool *set, const struct facts *at)
{
	const struct program *p = &f->c->program;
	const struct needs x = {NEW(f->arena, bool, p->n_value + 1), p, at};

	for (int i = 0; i < p->top.n_result; i++)
		need(&x, p->top.result[i], true);
	while (need_region(&x, &p->top))
		;
	for (int v = 0; v < p->n_value; v++)
		set[v] = from[v] && x.useful[v];
}

void facts_find_varied(struct facts *f)
{
	find_varied(f);
	keep_useful(f, f->varied, f->varied, NULL);
}

void facts_find_live(struct facts *f)
{
	keep_useful(f, f->varied, f->live, f);
}

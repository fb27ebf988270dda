/* facts_activity.c: finds the differentiated values, forwards from the inputs in wrt and backwards from the results. */
#include <string.h>

#include "facts.h"
#include "fuzz/edit/edit.h"

/* ---- execution ---- */

bool facts_ran(const struct facts *f, const struct region *r)
{
	if (!f->run)
		return true;
	for (int i = 0; i < f->n_ran; i++)
		if (f->ran[i] == r)
			return true;
	return false;
}

bool facts_passes(const struct facts *f, const struct node *n, int k)
{
	return k >= FACTS_OPERANDS || !n->n_out || !f->run || !f->run[n->out] || !f->chooses[n->out] ||
	    f->taken[k][n->out];
}

bool facts_unentered(const struct facts *f, const struct node *loop)
{
	return !f->run || !loop->n_out || f->unentered[loop->out];
}

/* ---- activity ---- */

/* `executed`: only along the path. */
struct activity {
	const struct facts *f;
	bool *set, executed;
};

static bool any_varied(const struct activity *x, const struct node *n)
{
	for (int i = 0; i < n->n_arg; i++)
		if (x->set[n->arg[i]] && (!x->executed || facts_passes(x->f, n, i)))
			return true;
	return false;
}

static bool any_result(const struct activity *x, const struct region *r)
{
	for (int i = 0; i < r->n_result; i++)
		if (x->set[r->result[i]])
			return true;
	return false;
}

/* Marks a value as varied; true if it was not. */
static bool vary(const struct activity *x, int value, bool varied)
{
	if (!varied || x->set[value] || !dtype_is_float(x->f->c->program.type[value].dtype))
		return false;
	return x->set[value] = true;
}

static bool vary_region(const struct activity *x, const struct region *r);

static bool vary_loop(const struct activity *x, const struct node *n, const struct node_loop *l)
{
	const bool *set = x->set;
	bool any = false;

	if (x->executed && !facts_ran(x->f, l->body)) {
		for (int i = 0; i < l->n_carry; i++)
			any |= vary(x, n->out + i, set[n->arg[l->first_arg + i]]);
		return any;
	}
	for (int i = 0; i < l->n_carry; i++) {
		any |= vary(x, l->first_param + i, set[n->arg[l->first_arg + i]]);
		any |= vary(x, l->first_param + i, set[l->body->result[i]]);
		any |= vary(x, n->out + i,
		    set[l->body->result[i]] ||
		        (set[n->arg[l->first_arg + i]] && (!x->executed || facts_unentered(x->f, n))));
	}
	for (int i = 0; i < l->n_xs; i++)
		any |= vary(x, l->body->param + l->n_carry + i, set[n->arg[l->n_carry + i]]);
	for (int i = 0; i < l->n_ys; i++)
		any |= vary(x, n->out + l->n_carry + i, set[l->body->result[l->n_carry + i]]);
	return any;
}

static bool vary_node(const struct activity *x, const struct node *n)
{
	const struct node_loop l = node_loop(n);
	const bool *set = x->set;
	bool any = false, operands = any_varied(x, n);

	if (l.is_loop) {
		any |= vary_loop(x, n, &l);
		return vary_region(x, l.body) || any;
	}
	for (int w = 0; w < n->n_region && !(n->op == OP_CUSTOM && w); w++) {
		const struct region *r = &n->region[w];

		if (x->executed && !facts_ran(x->f, r))
			continue;
		for (int i = 0; i < r->n_param && i < n->n_arg; i++)
			any |= vary(x, r->param + i, set[n->arg[i]]);
		any |= vary_region(x, r);
		operands |= any_result(x, r);
		for (int i = 0; i < n->n_out && i < r->n_result && n->op != OP_DERIVATIVE; i++)
			any |= vary(x, n->out + i, set[r->result[i]] || n->op == OP_SCATTER_APPLY ? operands : false);
	}
	if (n->n_region && n->op != OP_DERIVATIVE)
		return any;
	for (int i = 0; i < n->n_out; i++)
		any |= vary(x, n->out + i,
		    operands && op_table[n->op].regularity != REGULARITY_STEP &&
		        op_table[n->op].regularity != REGULARITY_DISCRETE);
	return any;
}

static bool vary_region(const struct activity *x, const struct region *r)
{
	bool any = false;

	for (int i = 0; i < r->n_node; i++)
		any |= vary_node(x, &r->node[i]);
	return any;
}

/* first, last: the levels of the request that count. */
static void find_varied(const struct facts *f, bool *set, bool executed, int first, int last)
{
	const struct activity x = {f, set, executed};
	const struct region *top = &f->c->program.top;

	for (int t = first; t <= last; t++)
		for (int i = 0; f->c->transform[t].kind != TRANSFORM_BATCH && i < f->c->transform[t].n_wrt; i++)
			vary(&x, top->param + f->c->transform[t].wrt[i], true);
	while (vary_region(&x, top))
		;
}

/* ---- usefulness ---- */

/* `at`: not NULL if only the path counts. */
struct usefulness {
	bool *useful;
	const struct program *p;
	const struct facts *at;
};

static bool need_region(const struct usefulness *x, const struct region *r);

static bool need(const struct usefulness *x, int value, bool needed)
{
	if (!needed || x->useful[value] || !dtype_is_float(x->p->type[value].dtype))
		return false;
	return x->useful[value] = true;
}

static bool need_node(const struct usefulness *x, const struct node *n)
{
	const bool *useful = x->useful;
	const struct node_loop l = node_loop(n);
	bool any = false, out = false;

	if (x->at && x->at->run && n->n_out && !x->at->run[n->out])
		return false;
	for (int i = 0; i < n->n_out; i++)
		out |= useful[n->out + i];
	if (l.is_loop && x->at && !facts_ran(x->at, l.body)) {
		for (int i = 0; i < l.n_carry; i++)
			any |= need(x, n->arg[l.first_arg + i], useful[n->out + i]);
		return any;
	}
	for (int i = 0; l.is_loop && i < l.n_carry; i++) {
		const int param = l.first_param + i;

		any |= need(x, l.body->result[i], useful[n->out + i] || useful[param]);
		any |= need(x, n->arg[l.first_arg + i],
		    useful[param] || (useful[n->out + i] && (!x->at || facts_unentered(x->at, n))));
	}
	for (int i = 0; i < l.n_ys; i++)
		any |= need(x, l.body->result[l.n_carry + i], useful[n->out + l.n_carry + i]);
	for (int i = 0; i < l.n_xs; i++)
		any |= need(x, n->arg[l.n_carry + i], useful[l.body->param + l.n_carry + i]);
	for (int w = 0; w < n->n_region && !l.is_loop && out; w++) {
		const struct region *r = &n->region[w];

		if (x->at && !facts_ran(x->at, r))
			continue;
		for (int i = 0; i < r->n_result; i++)
			any |= need(x, r->result[i], i >= n->n_out || useful[n->out + i] || n->op == OP_DERIVATIVE);
	}
	for (int w = 0; w < n->n_region; w++)
		if (!x->at || facts_ran(x->at, &n->region[w]))
			any |= need_region(x, &n->region[w]);
	if (l.is_loop || op_table[n->op].regularity == REGULARITY_STEP ||
	    op_table[n->op].regularity == REGULARITY_DISCRETE)
		return any;
	for (int i = 0; i < n->n_arg; i++)
		any |= need(x, n->arg[i], out && (!x->at || facts_passes(x->at, n, i)));
	return any;
}

static bool need_region(const struct usefulness *x, const struct region *r)
{
	bool any = false;

	for (int i = r->n_node - 1; i >= 0; i--)
		any |= need_node(x, &r->node[i]);
	return any;
}

/* Removes from set[] the values that no result depends on; with `at`, along the path. */
static void keep_useful(struct facts *f, bool *set, const struct facts *at)
{
	const struct program *p = &f->c->program;
	const struct usefulness x = {NEW(f->arena, bool, p->n_value + 1), p, at};

	for (int i = 0; i < p->top.n_result; i++)
		need(&x, p->top.result[i], true);
	while (need_region(&x, &p->top))
		;
	for (int v = 0; v < p->n_value; v++)
		set[v] = set[v] && x.useful[v];
}

void facts_find_varied(struct facts *f)
{
	const int last = f->c->n_transform - 1;
	int inner = 0;

	find_varied(f, f->varied, false, 0, last);
	memcpy(f->reached, f->varied, (size_t)f->c->program.n_value * sizeof *f->reached);
	keep_useful(f, f->varied, NULL);
	if (request_order(f->c->transform, f->c->n_transform) < 2)
		return;
	while (f->c->transform[inner].kind == TRANSFORM_BATCH)
		inner++;
	for (int above = 0; above < 2; above++) {
		f->by_level[above] = NEW(f->arena, bool, f->c->program.n_value + 1);
		find_varied(f, f->by_level[above], false, above ? inner + 1 : inner, above ? last : inner);
	}
}

void facts_find_live(struct facts *f)
{
	find_varied(f, f->live, true, 0, f->c->n_transform - 1);
	keep_useful(f, f->live, f);
}

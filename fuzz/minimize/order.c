/*
 * order.c: the order of equally simple programs, and the passes that lead to the first one.  So two cases of one bug
 * can end in the same program.
 */
#include "passes.h"

/* ---- the order ---- */

static bool commutes(enum op op)
{
	return op == OP_ADD || op == OP_MUL || op == OP_MAX || op == OP_MIN || op == OP_LOGICAL_AND ||
	    op == OP_LOGICAL_OR;
}

struct key {
	struct arena *arena;
	int *at, n, room;
};

static void key_add(struct key *k, int x)
{
	GROW(k->arena, k->at, &k->room, k->n + 1);
	k->at[k->n++] = x;
}

static void key_region(struct key *k, const struct region *r)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		bool sorted = commutes(n->op), descends = sorted && n->arg[0] < n->arg[1];

		/* Constants come last in the order, so they move to the place where they are used. */
		key_add(k, n->op == OP_CONSTANT ? OP_COUNT : (int)n->op);
		for (int j = 0; j < n->n_arg; j++)
			key_add(k, n->arg[sorted && !descends ? n->n_arg - 1 - j : j]);
		/* Prefers "carry op input", the usual way to write it. */
		key_add(k, descends);
		for (int w = 0; w < n->n_region; w++)
			key_region(k, &n->region[w]);
	}
	for (int i = 0; i < r->n_result; i++)
		key_add(k, r->result[i]);
}

const int *edit_order_key(const struct edit *e, struct arena *a, int *n)
{
	struct key k = {.arena = a};
	const struct program *p = &e->c.program;

	key_region(&k, &p->top);
	for (int i = 0; i < p->top.n_param; i++) {
		key_add(&k, (int)p->type[p->top.param + i].dtype);
		key_add(&k, p->type[p->top.param + i].shape.rank);
	}
	for (int t = 0; t < e->c.n_transform; t++)
		for (int i = 0; i < e->c.transform[t].n_wrt; i++)
			key_add(&k, e->c.transform[t].wrt[i]);
	*n = k.n;
	return k.at;
}

/* ---- the passes ---- */

enum edit_result pass_order_operands(struct edit *e, int k)
{
	struct site s;
	int first;

	if (!edit_site(e, k, &s))
		return EDIT_END;
	if (!commutes(s.node->op))
		return EDIT_SKIP;
	first = s.node->arg[0];
	s.node->arg[0] = s.node->arg[1];
	s.node->arg[1] = first;
	return EDIT_TRY;
}

/* Exchanges the arms of a select and inverts its predicate, which is a constant. */
enum edit_result pass_mirror_select(struct edit *e, int k)
{
	struct site s, p;
	int arm;

	if (!edit_site(e, k, &s))
		return EDIT_END;
	if (op_table[s.node->op].family != FAMILY_SELECT)
		return EDIT_SKIP;
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &p);) {
		if (p.node->out != s.node->arg[0] || p.node->op != OP_CONSTANT)
			continue;
		for (int c = 0; c < shape_elements(&p.node->attrs.value.type.shape); c++)
			p.node->attrs.value.at[c].i = !p.node->attrs.value.at[c].i;
		arm = s.node->arg[1];
		s.node->arg[1] = s.node->arg[2];
		s.node->arg[2] = arm;
		return EDIT_TRY;
	}
	return EDIT_SKIP;
}

/* how 0: exchanges a node with the next one; 1 and 2: moves it to the front of region 0 or 1 of the next one. */
enum edit_result pass_order_nodes(struct edit *e, int k)
{
	enum { HOWS = 3 };
	struct region *into;
	struct node moved, *next;
	struct site s;
	int how = k % HOWS;

	if (!edit_site(e, k / HOWS, &s))
		return EDIT_END;
	if (s.index + 1 == s.region->n_node)
		return EDIT_SKIP;
	moved = *s.node;
	next = &s.region->node[s.index + 1];
	if (!how) {
		*s.node = *next;
		*next = moved;
		return EDIT_TRY;
	}
	if (how > next->n_region)
		return EDIT_SKIP;
	into = &next->region[how - 1];
	edit_insert_node(e, into, 0, &moved);
	edit_remove_node(s.region, s.index);
	return EDIT_TRY;
}

static void exchange(int *list, int i)
{
	int first = list[i];

	list[i] = list[i + 1];
	list[i + 1] = first;
}

static void exchange_tensors(struct tensor *list, int i)
{
	struct tensor first = list[i];

	list[i] = list[i + 1];
	list[i + 1] = first;
}

/* Exchanges all uses of two values. */
static void exchange_values(struct edit *e, int x, int y)
{
	const struct type pair[2] = {*edit_type(e, x), *edit_type(e, y)};
	int aside = edit_new_values(e, pair, 1);

	edit_replace(e, x, aside);
	edit_replace(e, y, x);
	edit_replace(e, aside, y);
	e->c.program.type[x] = pair[1];
	e->c.program.type[y] = pair[0];
}

/* Renumbers wrt after inputs i and i + 1 were exchanged; wrt stays ascending. */
static void exchange_wrt(struct transform *t, int i)
{
	int first = -1, second = -1;

	for (int k = 0; k < t->n_wrt; k++) {
		first = t->wrt[k] == i ? k : first;
		second = t->wrt[k] == i + 1 ? k : second;
	}
	if (first >= 0 && second >= 0) {
		if (t->kind == TRANSFORM_JVP && second < t->n_seed)
			exchange_tensors(t->seed, first);
	} else if (first >= 0) {
		t->wrt[first] = i + 1;
	} else if (second >= 0) {
		t->wrt[second] = i;
	}
}

enum edit_result pass_order_inputs(struct edit *e, int k)
{
	struct testcase *c = &e->c;
	struct region *top = &c->program.top;

	if (k + 1 >= top->n_param)
		return EDIT_END;
	exchange_values(e, top->param + k, top->param + k + 1);
	for (int p = 0; p < c->n_point; p++)
		exchange_tensors(c->point[p], k);
	for (int t = 0; t < c->n_transform; t++)
		exchange_wrt(&c->transform[t], k);
	return EDIT_TRY;
}

enum edit_result pass_order_results(struct edit *e, int k)
{
	struct region *top = &e->c.program.top;

	if (k + 1 >= top->n_result)
		return EDIT_END;
	exchange(top->result, k);
	for (int t = 0; t < e->c.n_transform; t++) {
		struct transform *tr = &e->c.transform[t];

		if (tr->kind != TRANSFORM_VJP)
			continue;
		if (tr->n_seed > k + 1)
			exchange_tensors(tr->seed, k);
		break;
	}
	return EDIT_TRY;
}

enum edit_result pass_order_carries(struct edit *e, int k)
{
	int which = k % LIMIT_ARGS;
	struct site s;
	struct node_loop l;

	if (!edit_site(e, k / LIMIT_ARGS, &s))
		return EDIT_END;
	l = node_loop(s.node);
	if (which + 1 >= l.n_carry)
		return EDIT_SKIP;
	exchange(s.node->arg, l.first_arg + which);
	exchange(l.body->result, which);
	exchange_values(e, l.body->param + l.n_index + which, l.body->param + l.n_index + which + 1);
	if (op_table[s.node->op].family == FAMILY_WHILE)
		exchange_values(e, s.node->region[0].param + which, s.node->region[0].param + which + 1);
	exchange_values(e, s.node->out + which, s.node->out + which + 1);
	return EDIT_TRY;
}

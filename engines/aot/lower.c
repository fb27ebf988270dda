/* lower.c: see lower.h. */
#include "lower.h"
#include "graph/walk.h"

struct lowering {
	struct program *p; /* type[] has room for one index per fixed point */
	struct arena *arena;
	bool keep_solutions;
	int *alias; /* [n_value of the old program] the parameter that a value has become */
};

static bool goes(const struct lowering *l, const struct node *node)
{
	return node->op == OP_FIXED_POINT && !(l->keep_solutions && node->attrs.meaning == MEANING_SOLUTION);
}

/* The number of parameters that the new bodies of these regions need. */
static int new_params(const struct lowering *l, const struct region *region)
{
	int n = 0;

	for (struct walk w = walk_nodes(region); walk_next(&w);)
		n += goes(l, w.node) ? 1 + w.node->region[0].n_param : 0;
	return n;
}

/* Gives the body an index.  Parameters must be consecutive, so all of them are new. */
static void add_index(struct lowering *l, struct region *body)
{
	int first = l->p->n_value;

	l->p->type[first] = (struct type){.dtype = DTYPE_I64};
	for (int k = 0; k < body->n_param; k++) {
		l->p->type[first + 1 + k] = l->p->type[body->param + k];
		l->alias[body->param + k] = first + 1 + k;
	}
	body->param = first;
	l->p->n_value += ++body->n_param;
}

static int *use(const struct lowering *l, const int *value, int n)
{
	int *out = NEW(l->arena, int, n);

	for (int k = 0; k < n; k++)
		out[k] = l->alias[value[k]];
	return out;
}

static void lower_region(struct lowering *l, struct region *region)
{
	region->node = arena_copy(l->arena, region->node, (size_t)region->n_node, sizeof *region->node);
	for (int i = 0; i < region->n_node; i++) {
		struct node *node = &region->node[i];

		node->arg = use(l, node->arg, node->n_arg);
		node->region = arena_copy(l->arena, node->region, (size_t)node->n_region, sizeof *node->region);
		if (goes(l, node)) {
			node->op = OP_FOR;
			node->attrs = (struct attrs){.trip = node->attrs.cap, .until = true};
			add_index(l, &node->region[0]);
		}
		for (int k = 0; k < node->n_region; k++)
			lower_region(l, &node->region[k]);
	}
	region->result = use(l, region->result, region->n_result);
}

struct program lower_fixed_points(const struct program *p, bool keep_solutions, struct arena *a)
{
	struct program out = *p;
	struct lowering l = {.p = &out, .arena = a, .keep_solutions = keep_solutions};
	int more = new_params(&l, &p->top);

	if (!more)
		return out;
	out.type = NEW(a, struct type, p->n_value + more);
	l.alias = NEW(a, int, p->n_value);
	for (int v = 0; v < p->n_value; v++) {
		out.type[v] = p->type[v];
		l.alias[v] = v;
	}
	lower_region(&l, &out.top);
	program_number(&out, a);
	return out;
}

/* ---- stores ---- */

static int count_stores(const struct region *region, bool replace)
{
	int n = 0;

	for (struct walk w = walk_nodes(region); walk_next(&w);) {
		n += w.node->op == OP_STORE;
		if (w.node->op == OP_STORE && replace)
			w.node->op = OP_DYNAMIC_UPDATE_SLICE;
	}
	return n;
}

struct program lower_stores(const struct program *p, struct arena *a)
{
	struct program q = *p;

	if (!count_stores(&q.top, false))
		return q;
	q = program_copy(p, a);
	count_stores(&q.top, true);
	return q;
}

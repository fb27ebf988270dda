/* rewrite.c: one walk over a program in which nodes change, disappear, or are replaced by one of their regions. */
#include <string.h>

#include "graph/walk.h"
#include "parts.h"

struct nodes {
	int n, room;
	struct node *at;
};

static struct node *append(struct rewrite *x, struct nodes *to, const struct node *node)
{
	GROW(x->arena, to->at, &to->room, to->n + 1);
	to->at[to->n] = *node;
	return &to->at[to->n++];
}

static int resolved(const struct rewrite *x, int v)
{
	while (x->alias[v] != v)
		v = x->alias[v];
	return v;
}

static int *resolved_all(struct rewrite *x, const int *v, int n)
{
	int *to = NEW(x->arena, int, n);

	for (int k = 0; k < n; k++)
		to[k] = resolved(x, v[k]);
	return to;
}

static void rewrite_region(struct rewrite *x, const struct region *from, struct region *to);

static void rewrite_nodes(struct rewrite *x, const struct region *from, struct nodes *to)
{
	for (int i = 0; i < from->n_node; i++) {
		struct node node = from->node[i];
		int taken = 0;

		node.arg = resolved_all(x, node.arg, node.n_arg);
		switch (x->visit(x, &node, &taken)) {
		case REWRITE_GONE:
			x->count++;
			continue;
		case REWRITE_INLINE:
			x->count++;
			rewrite_nodes(x, &node.region[taken], to);
			for (int k = 0; k < node.n_out; k++)
				x->alias[node.out + k] = resolved(x, node.region[taken].result[k]);
			continue;
		case REWRITE_CHANGED:
			x->count++;
			break;
		case REWRITE_KEEP:
			break;
		}
		if (node.n_region) {
			const struct region *old = node.region;

			node.region = NEW(x->arena, struct region, node.n_region);
			for (int r = 0; r < node.n_region; r++)
				rewrite_region(x, &old[r], &node.region[r]);
		} else {
			x->def[node.out] = arena_copy(x->arena, &node, 1, sizeof node);
		}
		append(x, to, &node);
	}
}

static void rewrite_region(struct rewrite *x, const struct region *from, struct region *to)
{
	struct nodes nodes = {0};

	if (x->enter)
		x->enter(x);
	*to = *from;
	rewrite_nodes(x, from, &nodes);
	to->n_node = nodes.n;
	to->node = nodes.at;
	to->result = resolved_all(x, from->result, from->n_result);
	if (x->leave)
		x->leave(x);
}

struct program rewrite_program(struct rewrite *x, const struct program *p)
{
	struct program out = *p;

	x->p = p;
	x->alias = NEW(x->arena, int, p->n_value);
	x->def = NEW(x->arena, const struct node *, p->n_value);
	for (int v = 0; v < p->n_value; v++)
		x->alias[v] = v;
	rewrite_region(x, &p->top, &out.top);
	return program_renumber(&out, x->arena);
}

const struct node *rewrite_def(const struct rewrite *x, int v, enum op op)
{
	const struct node *node = x->def[v];

	return node && node->op == op ? node : NULL;
}

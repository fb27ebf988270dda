/* rewrite.c: one walk over a program in which nodes change, disappear, or are replaced by one of their regions. */
#include <string.h>

#include "graph/walk.h"
#include "parts.h"

/*
 * The nodes of a rewritten region.  As long as nothing has changed they are the first n nodes of the old region, and
 * nothing is copied.
 */
struct nodes {
	const struct region *old;
	bool changed;
	int n, room;
	struct node *at; /* if something has changed */
};

/* From here on the region differs from the old one. */
static void change(struct rewrite *x, struct nodes *to)
{
	if (to->changed)
		return;
	to->changed = true;
	GROW_RAW(x->arena, to->at, &to->room, to->old->n_node);
	if (to->n)
		memcpy(to->at, to->old->node, (size_t)to->n * sizeof *to->at);
}

static void append(struct rewrite *x, struct nodes *to, const struct node *node)
{
	if (to->changed) {
		GROW_RAW(x->arena, to->at, &to->room, to->n + 1);
		to->at[to->n] = *node;
	}
	to->n++;
}

static int resolved(const struct rewrite *x, int v)
{
	while (x->alias[v] != v)
		v = x->alias[v];
	return v;
}

/* The values that replace v[n]: v itself if none is replaced. */
static int *resolved_all(struct rewrite *x, int *v, int n)
{
	int k = 0, *to;

	while (k < n && x->alias[v[k]] == v[k])
		k++;
	if (k == n)
		return v;
	to = NEW_RAW(x->arena, int, n);
	for (k = 0; k < n; k++)
		to[k] = resolved(x, v[k]);
	return to;
}

static bool rewrite_region(struct rewrite *x, const struct region *from, struct region *to);

/* Rewrites the regions of a node.  Returns whether any has changed; then node->region is an array of its own. */
static bool rewrite_regions(struct rewrite *x, struct node *node)
{
	const struct region *old = node->region;
	struct region *new = NEW_RAW(x->arena, struct region, node->n_region);
	bool changed = false;

	for (int r = 0; r < node->n_region; r++)
		changed |= rewrite_region(x, &old[r], &new[r]);
	if (changed)
		node->region = new;
	return changed;
}

static void rewrite_nodes(struct rewrite *x, const struct region *from, struct nodes *to)
{
	for (int i = 0; i < from->n_node; i++) {
		const struct node *old = &from->node[i];
		struct node node = *old;
		int taken = 0;
		enum rewritten rewritten;

		node.arg = resolved_all(x, node.arg, node.n_arg);
		rewritten = x->visit(x, &node, &taken);
		x->count += rewritten != REWRITE_KEEP;
		if (rewritten != REWRITE_KEEP || node.arg != old->arg)
			change(x, to);
		if (rewritten == REWRITE_GONE)
			continue;
		if (rewritten == REWRITE_INLINE) {
			rewrite_nodes(x, &node.region[taken], to);
			for (int k = 0; k < node.n_out; k++)
				x->alias[node.out + k] = resolved(x, node.region[taken].result[k]);
			continue;
		}
		if (node.n_region) {
			if (rewrite_regions(x, &node))
				change(x, to);
		} else {
			bool same = rewritten == REWRITE_KEEP && node.arg == old->arg;

			x->def[node.out] = same ? old : arena_copy(x->arena, &node, 1, sizeof node);
		}
		append(x, to, &node);
	}
}

/* Returns whether the region has changed. */
static bool rewrite_region(struct rewrite *x, const struct region *from, struct region *to)
{
	struct nodes nodes = {.old = from};

	if (x->enter)
		x->enter(x);
	*to = *from;
	rewrite_nodes(x, from, &nodes);
	to->n_node = nodes.n;
	if (nodes.changed)
		to->node = nodes.at;
	to->result = resolved_all(x, from->result, from->n_result);
	if (x->leave)
		x->leave(x);
	return nodes.changed || to->result != from->result;
}

struct program rewrite_program(struct rewrite *x, const struct program *p)
{
	struct program out = *p;

	x->p = p;
	x->alias = NEW_RAW(x->arena, int, p->n_value);
	x->def = NEW(x->arena, const struct node *, p->n_value);
	for (int v = 0; v < p->n_value; v++)
		x->alias[v] = v;
	return rewrite_region(x, &p->top, &out.top) ? program_renumber(&out, x->arena) : out;
}

const struct node *rewrite_def(const struct rewrite *x, int v, enum op op)
{
	const struct node *node = x->def[v];

	return node && node->op == op ? node : NULL;
}

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

/* Returns where the node stays. */
static const struct node *append(struct rewrite *x, struct nodes *to, const struct node *node)
{
	if (!to->changed) {
		to->n++;
		return node;
	}
	GROW_RAW(x->arena, to->at, &to->room, to->n + 1);
	to->at[to->n] = *node;
	return &to->at[to->n++];
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

/* The regions of a node, rewritten.  If none has changed, they are its own. */
static struct region *rewrite_regions(struct rewrite *x, const struct node *node)
{
	struct region *new = NEW_RAW(x->arena, struct region, node->n_region);
	bool changed = false;

	for (int r = 0; r < node->n_region; r++)
		changed |= rewrite_region(x, &node->region[r], &new[r]);
	return changed ? new : node->region;
}

static void rewrite_nodes(struct rewrite *x, const struct region *from, struct nodes *to)
{
	for (int i = 0; i < from->n_node; i++) {
		const struct node *old = &from->node[i], *node = old;
		struct node copy;
		int taken = 0, *arg = resolved_all(x, old->arg, old->n_arg);
		enum rewritten rewritten;

		x->copy = &copy;
		x->copied = arg != old->arg;
		if (x->copied) {
			copy = *old;
			copy.arg = arg;
			node = &copy;
		}
		rewritten = x->visit(x, node, &taken);
		x->count += rewritten != REWRITE_KEEP;
		if (rewritten == REWRITE_CHANGED)
			node = &copy;
		if (rewritten != REWRITE_KEEP || node != old)
			change(x, to);
		if (rewritten == REWRITE_GONE)
			continue;
		if (rewritten == REWRITE_INLINE) {
			const struct region *region = &node->region[taken];

			rewrite_nodes(x, region, to);
			for (int k = 0; k < old->n_out; k++)
				x->alias[old->out + k] = resolved(x, region->result[k]);
			continue;
		}
		if (node->n_region) {
			struct region *region = rewrite_regions(x, node);

			if (region != node->region) {
				change(x, to);
				if (node != &copy)
					copy = *node;
				copy.region = region;
				node = &copy;
			}
			append(x, to, node);
		} else {
			x->def[node->out] = append(x, to, node);
		}
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
	rewrite_region(x, &p->top, &out.top);
	return out;
}

struct node *rewrite_edit(struct rewrite *x, const struct node *node)
{
	if (!x->copied)
		*x->copy = *node;
	x->copied = true;
	return x->copy;
}

const struct node *rewrite_def(const struct rewrite *x, int v, enum op op)
{
	const struct node *node = x->def[v];

	return node && node->op == op ? node : NULL;
}

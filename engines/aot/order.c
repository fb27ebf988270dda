/*
 * order.c: puts nodes into an order that follows from the program alone.  Rules emit inside argument lists, and each
 * compiler evaluates these in its own order.  But the wiring is always the same, so nodes are put in the order in which
 * the results need them.  Nodes that no result needs are dropped.
 */
#include "parts.h"

struct order {
	struct arena *arena;
	int *node_of; /* [n_value] the node of this region that defines it; -1: none */
};

/* The nodes of a region that each node needs, possibly listed more than once. */
struct needed_nodes {
	int n, room, *node;
};

static void need(struct order *o, struct needed_nodes *s, int value)
{
	if (o->node_of[value] < 0)
		return;
	GROW(o->arena, s->node, &s->room, s->n + 1);
	s->node[s->n++] = o->node_of[value];
}

static void need_region(struct order *o, struct needed_nodes *s, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		for (int k = 0; k < node->n_arg; k++)
			need(o, s, node->arg[k]);
		for (int r = 0; r < node->n_region; r++)
			need_region(o, s, &node->region[r]);
	}
	for (int k = 0; k < region->n_result; k++)
		need(o, s, region->result[k]);
}

/*
 * Depth first without recursion.  `open` holds the nodes whose needs are being placed. next[i] is the next need of node
 * i.  Appends to order[n] the nodes that `root` needs, and returns how many there are then.
 */
static int place(int root, const struct needed_nodes *needs, int *next, int *open, bool *placed, int *order, int n)
{
	int n_open = 0;

	if (!placed[root])
		open[n_open++] = root;
	while (n_open) {
		int node = open[n_open - 1];

		if (next[node] < needs[node].n) {
			int below = needs[node].node[next[node]++];

			if (!placed[below])
				open[n_open++] = below;
		} else {
			n_open--;
			if (!placed[node])
				order[n++] = node;
			placed[node] = true;
		}
	}
	return n;
}

static struct region order_region(struct order *o, const struct region *region);

/* The nodes of a region with their regions in order, and in needs[n_node] what each needs.  Returns the sum of needs.
 */
static int order_inside(struct order *o, const struct region *region, struct node *node, struct needed_nodes *needs)
{
	int n_total = 0;

	for (int i = 0; i < region->n_node; i++) {
		node[i] = region->node[i];
		if (node[i].n_region)
			node[i].region = NEW_RAW(o->arena, struct region, node[i].n_region);
		for (int r = 0; r < node[i].n_region; r++)
			node[i].region[r] = order_region(o, &region->node[i].region[r]);
	}
	for (int i = 0; i < region->n_node; i++)
		for (int k = 0; k < node[i].n_out; k++)
			o->node_of[node[i].out + k] = i;
	for (int i = 0; i < region->n_node; i++) {
		for (int k = 0; k < node[i].n_arg; k++)
			need(o, &needs[i], node[i].arg[k]);
		for (int r = 0; r < node[i].n_region; r++)
			need_region(o, &needs[i], &node[i].region[r]);
		n_total += needs[i].n;
	}
	return n_total;
}

static struct region order_region(struct order *o, const struct region *region)
{
	int n = region->n_node, *next = NEW(o->arena, int, n), *order = NEW_RAW(o->arena, int, n), *open;
	struct needed_nodes *needs = NEW(o->arena, struct needed_nodes, n);
	struct node *node = NEW_RAW(o->arena, struct node, n);
	bool *placed = NEW(o->arena, bool, n);
	struct region ordered = *region;

	open = NEW_RAW(o->arena, int, order_inside(o, region, node, needs) + 1);
	ordered.n_node = 0;
	for (int k = 0; k < region->n_result; k++) {
		int root = o->node_of[region->result[k]];

		if (root >= 0)
			ordered.n_node = place(root, needs, next, open, placed, order, ordered.n_node);
	}
	for (int i = 0; i < n; i++)
		for (int k = 0; k < node[i].n_out; k++)
			o->node_of[node[i].out + k] = -1;
	ordered.node = NEW_RAW(o->arena, struct node, ordered.n_node);
	for (int i = 0; i < ordered.n_node; i++)
		ordered.node[i] = node[order[i]];
	return ordered;
}

struct program aot_order(const struct program *p, struct arena *a)
{
	struct program ordered = *p;
	struct order o = {.arena = a, .node_of = NEW_RAW(a, int, p->n_value)};

	for (int v = 0; v < p->n_value; v++)
		o.node_of[v] = -1;
	ordered.top = order_region(&o, &p->top);
	return program_renumber(&ordered, a);
}

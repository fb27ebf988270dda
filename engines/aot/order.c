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
 * i.
 */
static int place(int root, const struct needed_nodes *needs, int *next, int *open, bool *placed,
    const struct node *from, struct node *to)
{
	int n_open = 0, n = 0;

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
				to[n++] = from[node];
			placed[node] = true;
		}
	}
	return n;
}

static void order_region(struct order *o, struct region *region)
{
	int n = region->n_node, n_total = 0, *next = NEW(o->arena, int, n), *open;
	struct needed_nodes *needs = NEW(o->arena, struct needed_nodes, n);
	struct node *to = NEW(o->arena, struct node, n);
	bool *placed = NEW(o->arena, bool, n);

	for (int i = 0; i < n; i++)
		for (int r = 0; r < region->node[i].n_region; r++)
			order_region(o, &region->node[i].region[r]);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < region->node[i].n_out; k++)
			o->node_of[region->node[i].out + k] = i;
	for (int i = 0; i < n; i++) {
		const struct node *node = &region->node[i];

		for (int k = 0; k < node->n_arg; k++)
			need(o, &needs[i], node->arg[k]);
		for (int r = 0; r < node->n_region; r++)
			need_region(o, &needs[i], &node->region[r]);
		n_total += needs[i].n;
	}
	open = NEW(o->arena, int, n_total + 1);
	region->n_node = 0;
	for (int k = 0; k < region->n_result; k++) {
		int root = o->node_of[region->result[k]];

		if (root >= 0)
			region->n_node += place(root, needs, next, open, placed, region->node, to + region->n_node);
	}
	for (int i = 0; i < n; i++)
		for (int k = 0; k < region->node[i].n_out; k++)
			o->node_of[region->node[i].out + k] = -1;
	region->node = to;
}

struct program aot_order(const struct program *p, struct arena *a)
{
	struct program ordered = program_copy(p, a);
	struct order o = {.arena = a, .node_of = NEW(a, int, p->n_value)};

	for (int v = 0; v < p->n_value; v++)
		o.node_of[v] = -1;
	order_region(&o, &ordered.top);
	return program_renumber(&ordered, a);
}

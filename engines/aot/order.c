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
	GROW_RAW(o->arena, s->node, &s->room, s->n + 1);
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

static void order_region(struct order *o, struct region *region);

/* Puts the regions of all nodes in order, and in needs[n_node] what each needs.  Returns the sum of needs. */
static int order_inside(struct order *o, const struct region *region, struct needed_nodes *needs)
{
	int n_total = 0;

	for (int i = 0; i < region->n_node; i++)
		for (int r = 0; r < region->node[i].n_region; r++)
			order_region(o, &region->node[i].region[r]);
	for (int i = 0; i < region->n_node; i++)
		for (int k = 0; k < region->node[i].n_out; k++)
			o->node_of[region->node[i].out + k] = i;
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		for (int k = 0; k < node->n_arg; k++)
			need(o, &needs[i], node->arg[k]);
		for (int r = 0; r < node->n_region; r++)
			need_region(o, &needs[i], &node->region[r]);
		n_total += needs[i].n;
	}
	return n_total;
}

static void order_region(struct order *o, struct region *region)
{
	int n = region->n_node, *next = NEW(o->arena, int, n), *order = NEW_RAW(o->arena, int, n), *open, n_kept = 0;
	struct needed_nodes *needs = NEW(o->arena, struct needed_nodes, n);
	bool *placed = NEW(o->arena, bool, n);
	struct node *kept;

	open = NEW_RAW(o->arena, int, order_inside(o, region, needs) + 1);
	for (int k = 0; k < region->n_result; k++) {
		int root = o->node_of[region->result[k]];

		if (root >= 0)
			n_kept = place(root, needs, next, open, placed, order, n_kept);
	}
	for (int i = 0; i < n; i++)
		for (int k = 0; k < region->node[i].n_out; k++)
			o->node_of[region->node[i].out + k] = -1;
	kept = NEW_RAW(o->arena, struct node, n_kept);
	for (int i = 0; i < n_kept; i++)
		kept[i] = region->node[order[i]];
	region->node = kept;
	region->n_node = n_kept;
}

void aot_order(struct program *p, struct arena *a)
{
	struct order o = {.arena = a, .node_of = NEW_RAW(a, int, p->n_value)};

	for (int v = 0; v < p->n_value; v++)
		o.node_of[v] = -1;
	order_region(&o, &p->top);
	program_number(p, a);
}

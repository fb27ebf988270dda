/*
 * inline.c: removes what a derivative program cannot use.  Fixed points become loops.  Checkpoint regions move into the
 * regions around them.  Stores become updates of a copy, because the derivative reads primal values again.
 */
#include "graph/walk.h"
#include "parts.h"
#include "lower.h"

/* The value that replaces v when checkpoints are gone. */
static int alias_of(const int *alias, int v)
{
	while (alias[v] != v)
		v = alias[v];
	return v;
}

static int count_nodes(const struct region *region)
{
	int n = 0;

	for (struct walk w = walk_nodes(region); walk_next(&w);) {
		if (w.node->op == OP_CHECKPOINT)
			continue;
		n++;
		walk_past(&w);
	}
	return n;
}

static void inline_region(const struct region *from, struct region *to, int *alias, struct arena *a);

/* Appends the nodes of `from` to those of `to`, in order. */
static void append_nodes(const struct region *from, struct region *to, int *alias, struct arena *a)
{
	for (int i = 0; i < from->n_node; i++) {
		const struct node *node = &from->node[i];

		if (node->op == OP_CHECKPOINT) {
			append_nodes(&node->region[0], to, alias, a);
			for (int k = 0; k < node->n_out; k++)
				alias[node->out + k] = node->region[0].result[k];
			continue;
		}
		struct node *copy = &to->node[to->n_node++];

		*copy = *node;
		if (copy->op == OP_STORE)
			copy->op = OP_DYNAMIC_UPDATE_SLICE;
		copy->arg = NEW_RAW(a, int, node->n_arg);
		for (int k = 0; k < node->n_arg; k++)
			copy->arg[k] = alias_of(alias, node->arg[k]);
		copy->region = NEW(a, struct region, node->n_region);
		for (int r = 0; r < node->n_region; r++)
			inline_region(&node->region[r], &copy->region[r], alias, a);
	}
}

static void inline_region(const struct region *from, struct region *to, int *alias, struct arena *a)
{
	*to = *from;
	to->n_node = 0;
	to->node = NEW_RAW(a, struct node, count_nodes(from));
	append_nodes(from, to, alias, a);
	to->result = NEW_RAW(a, int, from->n_result);
	for (int k = 0; k < from->n_result; k++)
		to->result[k] = alias_of(alias, from->result[k]);
}

struct program aot_inline(const struct program *p, struct arena *a)
{
	struct program loops = lower_fixed_points(p, false, a), out = loops;
	int *alias = NEW(a, int, loops.n_value);

	for (int v = 0; v < loops.n_value; v++)
		alias[v] = v;
	inline_region(&loops.top, &out.top, alias, a);
	program_number(&out, a);
	return out;
}

/* buffers.c: one walk over the regions. */
#include "buffers.h"
#include "graph/walk.h"

static void mark_home(const struct region *region, const struct region **home)
{
	const struct region *r;

	for (struct walk w = walk_nodes(region); (r = walk_region(&w));) {
		for (int k = 0; k < r->n_param; k++)
			home[r->param + k] = r;
		for (int i = 0; i < r->n_node; i++)
			for (int k = 0; k < r->node[i].n_out; k++)
				home[r->node[i].out + k] = r;
	}
}

const struct region **buffers_home(const struct program *p, struct arena *a)
{
	const struct region **home = NEW(a, const struct region *, p->n_value);

	mark_home(&p->top, home);
	return home;
}

/* ---- last uses ---- */

struct last {
	const struct node *at[LIMIT_DEPTH + 2]; /* by depth: the node that is being walked; NULL: the results */
	int *depth;                             /* [n_value] of the region that defines the value */
	const struct node **user;               /* [n_value] the latest user in the value's own region */
	bool *once;                             /* [n_value] it uses the value as one operand, not as a capture */
};

static void mark_uses(struct last *last, const int *value, int n, int depth)
{
	for (int k = 0; k < n; k++) {
		int v = value[k];
		const struct node *user = last->at[last->depth[v]];

		last->once[v] = depth == last->depth[v] && last->user[v] != user;
		last->user[v] = user;
	}
}

static void mark_last(struct last *last, const struct region *region, int depth)
{
	for (int k = 0; k < region->n_param; k++)
		last->depth[region->param + k] = depth;
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		last->at[depth] = node;
		mark_uses(last, node->arg, node->n_arg, depth);
		for (int k = 0; k < node->n_region; k++)
			mark_last(last, &node->region[k], depth + 1);
		for (int k = 0; k < node->n_out; k++)
			last->depth[node->out + k] = depth;
	}
	last->at[depth] = NULL;
	mark_uses(last, region->result, region->n_result, depth);
}

const struct node **buffers_last(const struct program *p, struct arena *a)
{
	struct last last = {.depth = NEW(a, int, p->n_value),
	    .user = NEW(a, const struct node *, p->n_value),
	    .once = NEW(a, bool, p->n_value)};

	mark_last(&last, &p->top, 0);
	for (int v = 0; v < p->n_value; v++)
		if (!last.once[v])
			last.user[v] = NULL;
	return last.user;
}

/* ---- values with cells of their own ---- */

static bool hands_on(enum family f) { return f == FAMILY_COND || f == FAMILY_CHECKPOINT || f == FAMILY_CUSTOM; }

static void mark_exclusive(const struct region *region, bool parameters, bool *exclusive)
{
	for (int k = 0; k < region->n_param; k++)
		exclusive[region->param + k] = parameters;
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];
		enum family f = op_table[node->op].family;

		for (int k = 0; k < node->n_out; k++)
			exclusive[node->out + k] = !hands_on(f);
		for (int k = 0; k < node->n_region; k++) {
			const struct region *inner = &node->region[k];

			/* The condition of a while sees the cells that its body sees next. */
			mark_exclusive(inner, f != FAMILY_WHILE || k == 1, exclusive);
			/* A result that is captured would be another name of the captured value. */
			for (int r = 0; hands_on(f) && r < inner->n_result; r++)
				exclusive[inner->result[r]] = false;
		}
	}
}

bool *buffers_exclusive(const struct program *p, struct arena *a)
{
	bool *exclusive = NEW(a, bool, p->n_value);

	mark_exclusive(&p->top, false, exclusive);
	return exclusive;
}

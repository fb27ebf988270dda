/* walk.c: see walk.h. */
#include "walk.h"

#include <assert.h>

struct walk walk_nodes(const struct region *region)
{
	return (struct walk){.index = -1, .number = -1, .region = region, .top = region};
}

struct walk walk_inside(const struct node *node)
{
	return (struct walk){.index = -1, .number = -1, .enter = node->n_region ? node : NULL};
}

static const struct region *region_around(const struct walk *w)
{
	if (!w->depth)
		return w->top;
	return &w->around[w->depth - 1].node->region[w->around[w->depth - 1].which];
}

bool walk_next(struct walk *w)
{
	w->index++;
	if (!w->enter && w->region && w->index < w->region->n_node) { /* the next one of the same region */
		w->node = &w->region->node[w->index];
		w->enter = w->node->n_region ? w->node : NULL;
		w->n_given = 0;
		w->number++;
		return true;
	}
	if (w->enter) {
		assert(w->depth < WALK_DEPTH);
		w->around[w->depth++] = (struct walk_around){w->enter, w->index - 1, 0};
		w->index = 0;
	}
	w->enter = NULL;
	w->n_given = 0;
	for (w->region = region_around(w); !w->region || w->index >= w->region->n_node; w->region = region_around(w)) {
		if (!w->depth)
			return false;
		struct walk_around *a = &w->around[w->depth - 1];
		w->index = 0;
		if (++a->which == a->node->n_region) {
			w->index = a->index + 1;
			w->depth--;
		}
	}
	w->node = &w->region->node[w->index];
	w->enter = w->node->n_region ? w->node : NULL;
	w->number++;
	return true;
}

void walk_past(struct walk *w) { w->enter = NULL; }

const struct region *walk_region(struct walk *w)
{
	if (!w->node && !w->n_given++)
		return w->top;
	while (!w->node || w->n_given == w->node->n_region)
		if (!walk_next(w))
			return NULL;
	return &w->node->region[w->n_given++];
}

int walk_around_of(const struct walk *w, enum op op)
{
	int n = 0;

	for (int d = 0; d < w->depth; d++)
		n += w->around[d].node->op == op;
	return n;
}

/* ---- what is asked of a region, at any depth ---- */

bool region_has_op(const struct region *region, enum op op)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->op == op)
			return true;
	return false;
}

void region_ops(const struct region *region, bool has[OP_COUNT])
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		has[w.node->op] = true;
}

int region_nesting(const struct region *region, enum op op)
{
	int most = 0;

	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->op == op && walk_around_of(&w, op) >= most)
			most = walk_around_of(&w, op) + 1;
	return most;
}

const struct tensor *region_constant(const struct region *region, int v)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->op == OP_CONSTANT && w.node->out == v)
			return &w.node->attrs.value;
	return NULL;
}

static bool is_among(const int *list, int n, int v)
{
	for (int i = 0; i < n; i++)
		if (list[i] == v)
			return true;
	return false;
}

bool region_reads(const struct region *region, int v)
{
	const struct region *r;

	for (struct walk w = walk_nodes(region); (r = walk_region(&w));) {
		for (int i = 0; i < r->n_node; i++)
			if (is_among(r->node[i].arg, r->node[i].n_arg, v))
				return true;
		if (is_among(r->result, r->n_result, v))
			return true;
	}
	return false;
}

int region_count_uses(const struct region *region, int v)
{
	int n = 0;

	for (int i = 0; i < region->n_node; i++)
		for (int k = 0; k < region->node[i].n_arg; k++)
			n += region->node[i].arg[k] == v;
	for (int k = 0; k < region->n_result; k++)
		n += region->result[k] == v;
	return n;
}

bool region_defines(const struct region *region, int v)
{
	const struct region *r;

	for (struct walk w = walk_nodes(region); (r = walk_region(&w));) {
		if (v >= r->param && v < r->param + r->n_param)
			return true;
		for (int i = 0; i < r->n_node; i++)
			if (v >= r->node[i].out && v < r->node[i].out + r->node[i].n_out)
				return true;
	}
	return false;
}

void region_mark_reads(const struct region *region, bool *reads)
{
	const struct region *r;

	for (struct walk w = walk_nodes(region); (r = walk_region(&w));) {
		for (int i = 0; i < r->n_node; i++)
			for (int k = 0; k < r->node[i].n_arg; k++)
				reads[r->node[i].arg[k]] = true;
		for (int k = 0; k < r->n_result; k++)
			reads[r->result[k]] = true;
	}
}

void region_mark_defined(const struct region *region, bool *defined)
{
	const struct region *r;

	for (struct walk w = walk_nodes(region); (r = walk_region(&w));) {
		for (int k = 0; k < r->n_param; k++)
			defined[r->param + k] = true;
		for (int i = 0; i < r->n_node; i++)
			for (int k = 0; k < r->node[i].n_out; k++)
				defined[r->node[i].out + k] = true;
	}
}

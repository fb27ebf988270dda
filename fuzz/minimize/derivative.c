/* derivative.c: passes over op derivative: fewer parameters and results of its region. */
#include "passes.h"

/* How many of the n values from v on are floats. */
static int floats_among(const struct edit *e, int v, int n)
{
	int count = 0;

	for (int k = 0; k < n; k++)
		count += dtype_is_float(edit_type(e, v + k)->dtype);
	return count;
}

static int float_results(const struct edit *e, const struct region *r, int n)
{
	int count = 0;

	for (int k = 0; k < n; k++)
		count += dtype_is_float(edit_type(e, r->result[k])->dtype);
	return count;
}

/* The op derivative at site k; NULL if another op is there.  *more: site k exists. */
static struct node *derivative_at(struct edit *e, int k, struct site *s, bool *more)
{
	*more = edit_site(e, k, s);
	return *more && s->node->op == OP_DERIVATIVE ? s->node : NULL;
}

/* Removes result `which` of the node.  Its uses get zeros. */
static struct node *drop_out(struct edit *e, struct site *s, int which)
{
	int out = s->node->out + which;

	edit_replace(e, out, edit_insert_fill(e, s->region, s->index, edit_type(e, out), 0));
	s->node = &s->region->node[s->index + 1];
	edit_remove_out(e, s->node, which);
	return s->node;
}

enum edit_result pass_drop_parameter(struct edit *e, int k)
{
	int which = k % LIMIT_ARGS, rank;
	struct site s;
	struct region *region;
	bool more, is_float;
	struct node *n = derivative_at(e, k / LIMIT_ARGS, &s, &more);

	if (!n || which >= n->attrs.primals || n->attrs.primals < 2)
		return more ? EDIT_SKIP : EDIT_END;
	region = &n->region[0];
	is_float = dtype_is_float(edit_type(e, region->param + which)->dtype);
	rank = floats_among(e, region->param, which);
	if (is_float && n->attrs.transform == DERIVATIVE_VJP && n->n_out < 2)
		return EDIT_SKIP;
	edit_replace(e, region->param + which, n->arg[which]);
	edit_remove_param(e, region, which);
	if (is_float && n->attrs.transform == DERIVATIVE_JVP)
		edit_remove_item(n->arg, &n->n_arg, sizeof *n->arg, n->attrs.primals + rank);
	edit_remove_item(n->arg, &n->n_arg, sizeof *n->arg, which);
	n->attrs.primals--;
	if (is_float && n->attrs.transform == DERIVATIVE_VJP)
		drop_out(e, &s, rank);
	return EDIT_TRY;
}

enum edit_result pass_drop_derived(struct edit *e, int k)
{
	int which = k % LIMIT_ARGS, rank;
	struct site s;
	bool more, is_float;
	struct node *n = derivative_at(e, k / LIMIT_ARGS, &s, &more);

	if (!n || which >= n->region[0].n_result || n->region[0].n_result < 2)
		return more ? EDIT_SKIP : EDIT_END;
	is_float = dtype_is_float(edit_type(e, n->region[0].result[which])->dtype);
	rank = float_results(e, &n->region[0], which);
	if (is_float && n->attrs.transform == DERIVATIVE_JVP && n->n_out < 2)
		return EDIT_SKIP;
	edit_remove_result(&n->region[0], which);
	if (is_float && n->attrs.transform == DERIVATIVE_VJP)
		edit_remove_item(n->arg, &n->n_arg, sizeof *n->arg, n->attrs.primals + rank);
	if (is_float && n->attrs.transform == DERIVATIVE_JVP)
		drop_out(e, &s, rank);
	return EDIT_TRY;
}

/*
 * custom.c: op custom. It means the function in its region 0. An engine may use its rule, region 1, so derivatives that
 * pass a wrong rule are undecided.
 */
#include "custom_internal.h"
#include "custom_ways.h"
#include "oracles/oracle_rules.h"

#include <math.h>

/* Whether the rule is right, or, if excess is NULL, whether it is linear. Leaves nothing in the trace, on the path, or
 * among the frozen values. */
static bool quietly(struct evaluation_run *r, const struct node *node, double *excess)
{
	struct evaluation *ev = r->ev;
	const struct evaluation before = *ev;
	struct arena_mark mark = arena_mark(r->arena);

	ev->quiet = true;
	const bool yes = excess ? custom_rule_right(r, node, excess) : custom_rule_is_linear(r, node);
	arena_rewind(r->arena, mark);
	ev->quiet = before.quiet;
	ev->at_ties = NULL;
	ev->n_scalar = before.n_scalar;
	ev->n_parent = before.n_parent;
	ev->path = before.path;
	ev->n_event = before.n_event;
	ev->edge = before.edge;
	ev->status = before.status;
	ev->n_frozen = before.n_frozen;
	ev->next_frozen = before.next_frozen;
	ev->part = before.part;
	return yes;
}

static bool is_listed(const struct evaluation *ev, const struct node *node)
{
	for (int k = 0; k < ev->n_broken && k < EVALUATE_BROKEN; k++)
		if (ev->broken[k] == node)
			return true;
	return false;
}

/* Whether the rule is known to be broken, here or in an execution before. Lists a new one. A rule that is not linear in
 * some execution may make something of directions that are 0, so nothing is out of its reach: the list overflows. */
static bool is_broken(struct evaluation_run *r, const struct node *node, double *excess)
{
	struct evaluation *ev = r->ev;
	const bool listed = is_listed(ev, node);

	if (ev->n_broken > EVALUATE_BROKEN)
		return true;
	if (!listed && quietly(r, node, excess))
		return false;
	*excess = 0;
	if ((!listed && ev->n_broken == EVALUATE_BROKEN) || !quietly(r, node, NULL))
		ev->n_broken = EVALUATE_BROKEN + 1;
	else if (!listed)
		ev->broken[ev->n_broken++] = node;
	return true;
}

void evaluate_custom(struct evaluation_run *r, const struct node *node)
{
	struct evaluation *ev = r->ev;
	const struct region *f = &node->region[0];
	/* Without hooks nobody asks for derivatives. */
	const bool asked = ev->hooks.scalar && !ev->quiet && !ev->freeze;
	const double outer = ev->excess;
	double excess = 0;
	const bool both = asked && is_broken(r, node, &excess) && ev->both;

	ev->excess = fmax(outer, excess);
	for (int k = 0; k < node->n_arg; k++)
		r->env[f->param + k] = r->env[node->arg[k]];
	evaluate_region(r, f);
	ev->excess = outer;
	if (both && ev->n_broken <= EVALUATE_BROKEN && custom_ways(r, node))
		return;
	ev->unlisted |= both;
	for (int k = 0; k < node->n_out; k++)
		r->env[node->out + k] = r->env[f->result[k]];
}

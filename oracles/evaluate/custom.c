/*
 * custom.c: op custom. It means the function in its region 0. An engine may use its rule, region 1, so derivatives that
 * pass a wrong rule are undecided.
 */
#include "custom_internal.h"
#include "custom_ways.h"
#include "oracles/oracle_rules.h"

#include <math.h>

/* Takes back what was evaluated since: in the trace, on the path, and among the frozen values. */
static void restore(struct evaluation *ev, const struct evaluation *before)
{
	ev->n_scalar = before->n_scalar;
	ev->n_parent = before->n_parent;
	ev->n_masked = before->n_masked;
	ev->path = before->path;
	ev->n_event = before->n_event;
	ev->edge = before->edge;
	ev->status = before->status;
	ev->n_frozen = before->n_frozen;
	ev->next_frozen = before->next_frozen;
	ev->part = before->part;
}

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
	restore(ev, &before);
	return yes;
}

/* Whether the function of the custom is one formula: a rule that compares something has pieces that it has not. */
static bool is_one_formula(const struct region *f)
{
	for (int i = 0; i < f->n_node; i++) {
		const struct op_info *op = &op_table[f->node[i].op];

		if (op->family != FAMILY_CONSTANT && op->regularity != REGULARITY_SMOOTH &&
		    op->regularity != REGULARITY_LINEAR && op->regularity != REGULARITY_MOVE)
			return false;
	}
	return true;
}

/* along[i]: node i of the rule depends on its directions, or may. */
static const bool *nodes_along(const struct evaluation_run *r, const struct node *custom)
{
	const struct region *rule = &custom->region[1];
	bool *value = NEW(r->arena, bool, r->p->n_value), *along = NEW(r->arena, bool, rule->n_node);

	for (int v = rule->param + custom->n_arg; v < rule->param + rule->n_param; v++)
		value[v] = true;
	for (int i = 0; i < rule->n_node; i++) {
		const struct node *n = &rule->node[i];

		along[i] = n->n_region > 0;
		for (int k = 0; k < n->n_arg; k++)
			along[i] = along[i] || value[n->arg[k]];
		for (int k = 0; k < n->n_out; k++)
			value[n->out + k] = along[i];
	}
	return along;
}

/* Whether the operands of element e of a comparison differ, as far as that is known without their broadcast. */
static bool differ(const struct evaluation_run *r, const struct node *n, int e)
{
	const int size = shape_elements(&r->p->type[n->out].shape);
	mpfr_srcptr side[2];

	for (int k = 0; k < 2; k++) {
		const struct type *type = &r->p->type[n->arg[k]];
		const int own = shape_elements(&type->shape);

		if (!dtype_is_float(type->dtype) || (own != size && own != 1))
			return false;
		side[k] = r->ev->value[r->env[n->arg[k]].at[own == 1 ? 0 : e].scalar];
	}
	return !mpfr_equal_p(side[0], side[1]);
}

/*
 * Whether rounding may change the result of a comparison in the rule, of operands that differ. An engine that executes
 * the rule may then take another formula than the one that was checked. Equal operands do not count: a rule has a
 * formula of its own there for good reasons, and the formula beside it is right too.
 */
static bool is_unsure(struct evaluation_run *r, const struct node *node)
{
	struct evaluation *ev = r->ev;
	const struct region *rule = &node->region[1];
	const struct evaluation before = *ev;
	const struct arena_mark memory = arena_mark(r->arena);
	const bool *along;
	bool unsure = false;

	if (!is_one_formula(&node->region[0]))
		return false;
	along = nodes_along(r, node);
	for (int k = 0; k < node->n_arg; k++)
		r->env[rule->param + k] = r->env[node->arg[k]];
	for (int i = 0; i < rule->n_node; i++) {
		const struct node *n = &rule->node[i];
		const struct shape *shape = &r->p->type[n->out].shape;

		if (along[i])
			continue;
		evaluate_node(r, n);
		for (int e = 0; op_table[n->op].family == FAMILY_COMPARE && e < shape_elements(shape); e++)
			unsure |= element_shaky(&r->env[n->out], e) && differ(r, n, e);
	}
	restore(ev, &before);
	arena_rewind(r->arena, memory);
	return unsure;
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
	if (!listed && quietly(r, node, excess) && !is_unsure(r, node))
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

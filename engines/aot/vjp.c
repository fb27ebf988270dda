/*
 * vjp.c: emits the primal, which saves what its reverse needs.  Then it pulls cotangents back node by node, last node
 * first.
 */
#include "parts.h"

void aot_primal_saving(struct aot *x, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];
		bool any = false;

		for (int k = 0; k < node->n_out; k++)
			any |= x->active[node->out + k];
		if (any && node->op == OP_CUSTOM)
			aot_save_custom(x, node);
		else if (any && node->n_region && op_table[node->op].family != FAMILY_COND)
			aot_save_loop(x, node);
		else
			aot_primal_node(x, node);
	}
}

void aot_give(struct aot *x, int v, int contribution)
{
	if (contribution < 0 || !x->active[v])
		return;
	x->dual[v] = x->dual[v] < 0 ? contribution : aot_op2(x, OP_ADD, x->dual[v], contribution);
}

void aot_clear(struct aot *x, const struct region *region)
{
	for (int k = 0; k < region->n_param; k++)
		x->dual[region->param + k] = -1;
	for (int i = 0; i < region->n_node; i++)
		for (int k = 0; k < region->node[i].n_out; k++)
			x->dual[region->node[i].out + k] = -1;
}

static void pull_plain(struct aot *x, const struct node *node)
{
	const struct aot_rule *rule = &x->rules->row[node->op];
	int arg[LIMIT_ARGS], contribution[LIMIT_ARGS];
	bool wanted[LIMIT_ARGS];

	for (int k = 0; k < node->n_arg; k++) {
		arg[k] = x->map[node->arg[k]];
		wanted[k] = x->active[node->arg[k]];
		contribution[k] = -1;
	}
	rule->pull(x, node, arg, x->map[node->out], x->dual[node->out], wanted, contribution);
	for (int k = 0; k < node->n_arg; k++)
		if (contribution[k] >= 0)
			aot_give(x, node->arg[k],
			    rule->unscaled >> k & 1 ? contribution[k] : aot_scaled(x, contribution[k], rule->scale));
}

void aot_pull_region(struct aot *x, const struct region *region)
{
	for (int i = region->n_node - 1; i >= 0; i--) {
		const struct node *node = &region->node[i];
		bool any = false;

		for (int k = 0; k < node->n_out; k++)
			any |= x->dual[node->out + k] >= 0;
		if (!any)
			continue;
		if (!node->n_region)
			pull_plain(x, node);
		else if (op_table[node->op].family == FAMILY_COND)
			aot_pull_cond(x, node);
		else if (node->op == OP_CUSTOM)
			aot_pull_custom(x, node);
		else
			aot_pull_loop(x, node);
	}
}

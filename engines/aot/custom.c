/*
 * custom.c: op custom.  Where its rule gives the requested derivative, the rule is used.  Otherwise its function is
 * differentiated.  The op itself stays in the primal, so whoever differentiates the derivative program finds the rule
 * again.
 */
#include "parts.h"

static bool is_float(const struct aot *x, int v) { return dtype_is_float(x->p->type[v].dtype); }

void aot_activate_custom(struct aot *x, const struct node *node)
{
	const struct region *f = &node->region[0];

	for (int k = 0; k < node->n_arg; k++)
		x->active[f->param + k] |= x->active[node->arg[k]];
	aot_activate(x, f);
	for (int k = 0; k < node->n_out; k++)
		x->active[node->out + k] |= x->active[f->result[k]];
}

static void bind_params(struct aot *x, const struct node *node, const struct region *region)
{
	for (int k = 0; k < node->n_arg; k++)
		x->map[region->param + k] = x->map[node->arg[k]];
}

static void show_results(struct aot *x, const struct node *node)
{
	for (int k = 0; k < node->n_out; k++)
		x->map[node->out + k] = x->map[node->region[0].result[k]];
}

/*
 * Emits the rule.  Its directions are the derivatives of the float values among n values; an absent derivative is 0 for
 * the rule.
 */
static void emit_rule(struct aot *x, const struct node *node, const int *value, int n)
{
	const struct region *rule = &node->region[1];
	int at = rule->param + node->n_arg;

	bind_params(x, node, rule);
	for (int k = 0; k < node->n_arg; k++)
		if (is_float(x, node->arg[k]))
			x->map[rule->param + k] = x->rules->rule_reads(x, x->map[rule->param + k]);
	for (int k = 0; k < n; k++)
		if (is_float(x, value[k]))
			x->map[at++] = x->active[value[k]] ? aot_dual(x, value[k])
			                                   : aot_zeros(x, &x->p->type[value[k]]);
	aot_primal(x, rule);
}

void aot_push_custom(struct aot *x, const struct node *node)
{
	const struct region *f = &node->region[0], *rule = &node->region[1];
	int at = 0;

	if (node->attrs.transform == DERIVATIVE_JVP) {
		bool any = false;

		aot_primal_node(x, node);
		for (int k = 0; k < node->n_out; k++) {
			x->dual[node->out + k] = -1;
			any |= x->active[node->out + k];
		}
		if (!any)
			return;
		emit_rule(x, node, node->arg, node->n_arg);
		for (int k = 0; k < node->n_out; k++) {
			int value = is_float(x, node->out + k) ? x->map[rule->result[at++]] : -1;

			if (x->active[node->out + k])
				x->dual[node->out + k] = value;
		}
		return;
	}
	bind_params(x, node, f);
	for (int k = 0; k < node->n_arg; k++)
		x->dual[f->param + k] = x->active[node->arg[k]] ? x->dual[node->arg[k]] : -1;
	aot_push_region(x, f);
	show_results(x, node);
	for (int k = 0; k < node->n_out; k++)
		x->dual[node->out + k] = x->active[f->result[k]] ? x->dual[f->result[k]] : -1;
}

void aot_save_custom(struct aot *x, const struct node *node)
{
	if (node->attrs.transform == DERIVATIVE_VJP) {
		aot_primal_node(x, node);
		return;
	}
	bind_params(x, node, &node->region[0]);
	aot_primal_saving(x, &node->region[0]);
	show_results(x, node);
}

void aot_pull_custom(struct aot *x, const struct node *node)
{
	const struct region *f = &node->region[0], *rule = &node->region[1];
	int at = 0;

	if (node->attrs.transform == DERIVATIVE_VJP) {
		int out[LIMIT_ARGS], contribution[LIMIT_ARGS];

		for (int k = 0; k < node->n_out; k++)
			out[k] = node->out + k;
		emit_rule(x, node, out, node->n_out);
		for (int k = 0; k < node->n_arg; k++)
			contribution[k] = is_float(x, node->arg[k]) ? x->map[rule->result[at++]] : -1;
		x->rules->slots(x, node, contribution);
		for (int k = 0; k < node->n_arg; k++)
			aot_give(x, node->arg[k], contribution[k]);
		return;
	}
	aot_clear(x, f);
	for (int k = 0; k < node->n_out; k++)
		aot_give(x, f->result[k], x->dual[node->out + k]);
	aot_pull_region(x, f);
	for (int k = 0; k < node->n_arg; k++)
		aot_give(x, node->arg[k], x->dual[f->param + k]);
}

/* forward.c: finds the active values, and emits the primal again. */
#include "parts.h"

/* ---- activity: flags only rise, until nothing changes ---- */

static void activate_region(struct aot *x, const struct region *region);

static bool rise(struct aot *x, int to, int from)
{
	if (!x->active[from] || x->active[to])
		return false;
	return x->active[to] = true;
}

static void activate_loop(struct aot *x, const struct node *node)
{
	const struct node_loop l = node_loop(node);
	bool changed = true;

	for (int k = 0; k < l.n_carry + l.n_xs; k++)
		rise(x, l.first_param + k, node->arg[l.first_arg + k]);
	while (changed) {
		changed = false;
		activate_region(x, l.body);
		for (int k = 0; k < l.n_carry; k++)
			changed |= rise(x, l.first_param + k, l.body->result[k]);
	}
	for (int k = 0; k < node->n_out; k++) {
		rise(x, node->out + k, l.body->result[k]);
		if (k < l.n_carry)
			rise(x, node->out + k, l.first_param + k);
	}
}

static void activate_node(struct aot *x, const struct node *node)
{
	if (op_table[node->op].family == FAMILY_COND) {
		for (int r = 0; r < 2; r++) {
			activate_region(x, &node->region[r]);
			for (int k = 0; k < node->n_out; k++)
				rise(x, node->out + k, node->region[r].result[k]);
		}
	} else if (node->op == OP_CUSTOM) {
		aot_activate_custom(x, node);
	} else if (node->n_region) {
		activate_loop(x, node);
	} else if (x->rules->row[node->op].pull && dtype_is_float(x->p->type[node->out].dtype)) {
		for (int k = 0; k < node->n_arg; k++)
			rise(x, node->out, node->arg[k]);
	}
}

static void activate_region(struct aot *x, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++)
		activate_node(x, &region->node[i]);
}

void aot_activate(struct aot *x, const struct region *region) { activate_region(x, region); }

/* ---- the primal ---- */

void aot_show(struct aot *x, int first, const int *value, int n)
{
	for (int k = 0; k < n; k++)
		x->map[first + k] = value[k];
}

void aot_primal_node(struct aot *x, const struct node *node)
{
	int arg[LIMIT_ARGS], out;

	if (node->op == OP_SCATTER_APPLY) {
		aot_primal_apply(x, node);
		return;
	}
	if (x->lowering && aot_derives(node)) {
		aot_derive_node(x, node);
		return;
	}
	for (int k = 0; k < node->n_arg; k++)
		arg[k] = x->map[node->arg[k]];
	for (int r = 0; r < node->n_region; r++) {
		const struct region *region = &node->region[r];
		int result[LIMIT_ARGS], param = build_open(&x->b, x->p->type + region->param, region->n_param);

		for (int k = 0; k < region->n_param; k++)
			x->map[region->param + k] = param + k;
		aot_primal(x, region);
		for (int k = 0; k < region->n_result; k++)
			result[k] = x->map[region->result[k]];
		build_close(&x->b, result, region->n_result);
	}
	out = node->n_region ? aot_emit_regions(x, node->op, arg, node->n_arg, &node->attrs)
	                     : aot_emit(x, node->op, arg, node->n_arg, &node->attrs);
	for (int k = 0; k < node->n_out; k++)
		x->map[node->out + k] = out + k;
}

void aot_primal(struct aot *x, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++)
		aot_primal_node(x, &region->node[i]);
}

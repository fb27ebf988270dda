/*
 * region_plan.c: decides once per program which values need a cotangent, and which of them a loop body uses from
 * outside.
 */
#include "graph/walk.h"
#include "region_vjp.h"

/* ---- activity ---- */

static void activate_region(
    const struct adjoint_rules *rules, const struct program *p, const struct region *region, bool *active);

static void activate_loop(
    const struct adjoint_rules *rules, const struct program *p, const struct node *node, bool *active)
{
	struct node_loop l = node_loop(node);
	bool changed = true;

	/*
	 * Flags are only ever set, over all rounds of all enclosing loops.  So the number of rounds is at most the
	 * number of carries.
	 */
	for (int k = 0; k < l.n_carry + l.n_xs; k++)
		active[l.first_param + k] |= active[node->arg[l.first_arg + k]];
	while (changed) {
		changed = false;
		activate_region(rules, p, l.body, active);
		for (int k = 0; k < l.n_carry; k++) {
			bool *carry = &active[l.first_param + k];

			if (!*carry &&
			    rules->carry_active(active[node->arg[l.first_arg + k]], active[l.body->result[k]]))
				changed = *carry = true;
		}
	}
	for (int k = 0; k < node->n_out; k++)
		active[node->out + k] = active[l.body->result[k]] || (k < l.n_carry && active[l.first_param + k]);
}

static void activate_region(
    const struct adjoint_rules *rules, const struct program *p, const struct region *region, bool *active)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];
		bool any = false;

		if (op_table[node->op].family == FAMILY_COND) {
			activate_region(rules, p, &node->region[0], active);
			activate_region(rules, p, &node->region[1], active);
			for (int k = 0; k < node->n_out; k++)
				active[node->out + k] = active[node->region[0].result[k]] ||
				    active[node->region[1].result[k]];
		} else if (op_table[node->op].family == FAMILY_CUSTOM) {
			for (int k = 0; k < node->n_arg; k++)
				any |= active[node->arg[k]];
			for (int k = 0; k < node->n_out; k++)
				active[node->out + k] = any && dtype_is_float(p->type[node->out + k].dtype);
		} else if (op_table[node->op].family == FAMILY_CHECKPOINT) {
			activate_region(rules, p, &node->region[0], active);
			for (int k = 0; k < node->n_out; k++)
				active[node->out + k] = active[node->region[0].result[k]];
		} else if (op_table[node->op].family == FAMILY_SCATTER_APPLY) {
			bool *element = &active[node->region[0].param];

			*element |= active[node->arg[0]];
			activate_region(rules, p, &node->region[0], active);
			/* A duplicate index applies the region to its earlier result. */
			if (!*element && active[node->region[0].result[0]]) {
				*element = true;
				activate_region(rules, p, &node->region[0], active);
			}
			active[node->out] = *element;
		} else if (node->n_region) {
			activate_loop(rules, p, node, active);
		} else {
			for (int k = 0; k < node->n_arg; k++)
				any |= active[node->arg[k]];
			active[node->out] = any && dtype_is_float(p->type[node->out].dtype) &&
			    adjoint_flows(rules, node->op);
		}
	}
}

/* ---- captures ---- */

/* Appends the wanted values that the region uses.  Each is wanted once. */
static void collect_used(const struct region *region, bool *wanted, struct captures *c)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		for (int k = 0; k < node->n_arg; k++)
			if (wanted[node->arg[k]]) {
				wanted[node->arg[k]] = false;
				c->value[c->n++] = node->arg[k];
			}
		for (int r = 0; r < node->n_region; r++)
			collect_used(&node->region[r], wanted, c);
	}
	for (int k = 0; k < region->n_result; k++)
		if (wanted[region->result[k]]) {
			wanted[region->result[k]] = false;
			c->value[c->n++] = region->result[k];
		}
}

static void plan_captures(const struct program *p, struct region_plan *plan, struct arena *a)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);) {
		if (!op_is_loop(w.node->op) || !w.node->n_out)
			continue;
		struct captures *c = &plan->capture[w.node->out];
		const struct region *body = node_loop(w.node).body;
		int *found = NEW(a, int, p->n_value);
		struct arena_mark mark = arena_mark(a);
		bool *wanted = NEW(a, bool, p->n_value);

		region_mark_defined(body, wanted);
		for (int v = 0; v < p->n_value; v++)
			wanted[v] = !wanted[v] && plan->active[v];
		*c = (struct captures){0, found};
		collect_used(body, wanted, c);
		arena_rewind(a, mark);
	}
}

enum answer_status region_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	const struct adjoint_rules *rules = &self->adjoint;
	const struct program *p = &c->program;
	struct region_plan *plan = NEW(a, struct region_plan, 1);

	*state = plan;
	*text = adjoint_refuse(rules, self->kind->name, c, a);
	if (*text)
		return ANSWER_UNSUPPORTED;
	plan->active = NEW(a, bool, p->n_value);
	plan->capture = NEW(a, struct captures, p->n_value);
	for (int k = 0; c->n_transform && k < c->transform[0].n_wrt; k++) {
		int v = p->top.param + c->transform[0].wrt[k];

		plan->active[v] = dtype_is_float(p->type[v].dtype);
	}
	activate_region(rules, p, &p->top, plan->active);
	plan_captures(p, plan, a);
	return ANSWER_OK;
}

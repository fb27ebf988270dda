/*
 * nested.c: replaces op derivative by the nodes of its derivative.
 *
 * A pass copies the program and differentiates the regions that hold no other derivative.  Nested derivatives need one
 * pass per depth.  A captured value is not active in the region, so it is a constant there.  But the new nodes refer to
 * it, so a transform around them finds it.
 */
#include "nested.h"
#include "graph/walk.h"

#include "lower.h"
#include "parts.h"

bool program_has_derivative(const struct program *p) { return region_nesting(&p->top, OP_DERIVATIVE) > 0; }

/* ---- one derivative ---- */

/* Copies the float values among the n values from v on to to[]. */
static int floats(const struct aot *x, const int *value, int n, int *to)
{
	int n_float = 0;

	for (int k = 0; k < n; k++)
		if (dtype_is_float(x->p->type[value[k]].dtype))
			to[n_float++] = value[k];
	return n_float;
}

/* Starts one derivative: it has its own activity flags, and its operands become parameters. */
static void begin_derivative(struct aot *x, const struct node *node)
{
	const struct region *region = &node->region[0];

	for (int v = 0; v < x->p->n_value; v++) {
		x->active[v] = false;
		x->dual[v] = -1;
	}
	x->rules->capture(x, node);
	for (int k = 0; k < region->n_param; k++) {
		x->map[region->param + k] = x->map[node->arg[k]];
		x->active[region->param + k] = dtype_is_float(x->p->type[region->param + k].dtype);
	}
	aot_activate(x, region);
}

bool aot_derives(const struct node *node)
{
	return node->op == OP_DERIVATIVE && !region_nesting(&node->region[0], OP_DERIVATIVE);
}

void aot_derive_node(struct aot *x, const struct node *node)
{
	const struct region *region = &node->region[0];
	const int *direction = node->arg + node->attrs.primals;
	int all[LIMIT_ARGS], param[LIMIT_ARGS], result[LIMIT_ARGS];
	int n_result = floats(x, region->result, region->n_result, result), n_param;

	for (int k = 0; k < region->n_param; k++)
		all[k] = region->param + k;
	n_param = floats(x, all, region->n_param, param);
	if (!aot_has_rules(region, x->error))
		longjmp(x->fail, 1);
	begin_derivative(x, node);
	if (node->attrs.transform == DERIVATIVE_JVP) {
		for (int k = 0; k < n_param; k++)
			x->dual[param[k]] = x->map[direction[k]];
		aot_push_region(x, region);
		for (int k = 0; k < n_result; k++)
			x->map[node->out + k] = aot_dual(x, result[k]);
		return;
	}
	aot_primal_saving(x, region);
	for (int k = 0; k < n_result; k++)
		aot_give(x, result[k], x->map[direction[k]]);
	aot_pull_region(x, region);
	for (int k = 0; k < n_param; k++)
		x->map[node->out + k] = aot_dual(x, param[k]);
}

/* ---- the program ---- */

/* Replaces the innermost derivatives; `above` and `below` as in struct aot. */
static bool lower_once(const struct program *p, int above, int below, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e)
{
	const struct region *top = &p->top;
	struct aot *x = aot_begin(p, a, e);
	int result[LIMIT_ARGS], n;

	if (setjmp(x->fail))
		return false;
	x->rules = rules;
	x->lowering = true;
	x->above = above;
	x->below = below;
	aot_primal(x, top);
	n = aot_add_primals(x, result, 0, top->result, top->n_result);
	return aot_end(x, result, n, out);
}

bool aot_lower(const struct program *p, int above, const struct aot_rules *rules, struct arena *a, struct program *out,
    struct error *e)
{
	int depth = region_nesting(&p->top, OP_DERIVATIVE);

	*out = aot_inline(p, a);
	if (!lower_applies(out, a, e))
		return false;
	for (int n = depth; n > 0; n--) {
		const struct program before = *out;

		if (!lower_once(&before, above + n - 1, depth - n, rules, a, out, e))
			return false;
	}
	return true;
}

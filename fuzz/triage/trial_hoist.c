/* trial_hoist.c: a program that is one op derivative, as a request for that derivative; fixed points as loops
 * (trials.h).
 */
#include "engines/aot/lower.h"
#include "graph/walk.h"
#include "trial_edits.h"
#include "trials.h"

/* The only node of the program beside constants, if it is a derivative; its index.  -1: it is not. */
static int lone_derivative(const struct region *top)
{
	int found = -1;

	for (int i = 0; i < top->n_node; i++) {
		if (top->node[i].op == OP_CONSTANT)
			continue;
		if (found >= 0 || top->node[i].op != OP_DERIVATIVE)
			return -1;
		found = i;
	}
	return found;
}

/* The number that the value has at the only point; NULL: it is computed. */
static const struct tensor *known_value(const struct edit *e, int value)
{
	const struct region *top = &e->c.program.top;

	if (value >= top->param && value < top->param + top->n_param)
		return &e->c.point[0][value - top->param];
	for (int i = 0; i < top->n_node; i++)
		if (top->node[i].op == OP_CONSTANT && top->node[i].out == value)
			return &top->node[i].attrs.value;
	return NULL;
}

/* Makes the parameters of the region inputs.  False: a value is not known, or there is no room. */
static bool hoist_params(struct edit *e, const struct node *node, struct transform *t)
{
	for (int k = 0; k < node->attrs.primals; k++) {
		const struct tensor *value = known_value(e, node->arg[k]);

		if (!value || e->c.program.top.n_param == LIMIT_ARGS)
			return false;
		if (dtype_is_float(value->type.dtype))
			t->wrt[t->n_wrt++] = e->c.program.top.n_param;
		edit_replace(e, node->region[0].param + k, edit_add_input(e, value, false));
	}
	return true;
}

bool trial_hoist(const struct testcase *c, struct arena *a, struct testcase *out)
{
	struct edit e = trial_begin(c, a);
	struct region *top = &e.c.program.top;
	struct transform *t = NEW(a, struct transform, 1);
	const int at = lone_derivative(top);
	struct node node, *all;
	int n = 0;

	if (at < 0 || c->n_transform || c->n_point != 1)
		return false;
	node = top->node[at];
	t->kind = node.attrs.transform == DERIVATIVE_VJP ? TRANSFORM_VJP : TRANSFORM_JVP;
	t->wrt = NEW(a, int, LIMIT_ARGS);
	if (!hoist_params(&e, &node, t))
		return false;
	node = top->node[at];
	all = NEW(a, struct node, top->n_node + node.region[0].n_node);
	for (int i = 0; i < top->n_node; i++)
		if (i != at)
			all[n++] = top->node[i];
	for (int i = 0; i < node.region[0].n_node; i++)
		all[n++] = node.region[0].node[i];
	top->node = all;
	top->n_node = n;
	top->result = node.region[0].result;
	top->n_result = node.region[0].n_result;
	e.c.transform = t;
	e.c.n_transform = 1;
	if (!edit_finish(&e, true))
		return false;
	*out = e.c;
	return true;
}

bool trial_lower(const struct testcase *c, struct arena *a, struct testcase *out)
{
	struct edit e = trial_begin(c, a);

	if (!region_has_op(&c->program.top, OP_FIXED_POINT))
		return false;
	e.c.program = lower_fixed_points(&e.c.program, false, a);
	if (!edit_finish(&e, false))
		return false;
	*out = e.c;
	return true;
}

bool trial_as_loop(const struct testcase *c, struct arena *a, struct testcase *out)
{
	struct edit e = trial_begin(c, a);
	struct error error = {0};

	if (!region_has_op(&c->program.top, OP_SCATTER_APPLY) || !lower_applies(&e.c.program, a, &error) ||
	    !edit_finish(&e, false))
		return false;
	*out = e.c;
	return true;
}

bool trial_own_inputs(const struct testcase *c, struct arena *a, struct testcase *out)
{
	struct edit e = trial_begin(c, a);

	if (!trial_make_own_inputs(&e) || !edit_finish(&e, false))
		return false;
	*out = e.c;
	return true;
}

bool trial_as_checkpoint(const struct testcase *c, struct arena *a, struct testcase *out)
{
	struct edit e = trial_begin(c, a);
	bool any = false;
	struct site s;

	for (int k = 0; edit_site_last(&e, k, &s); k++) {
		struct node *n = s.node;

		if (n->op != OP_CUSTOM)
			continue;
		for (int i = 0; i < n->n_arg; i++)
			edit_replace(&e, n->region[0].param + i, n->arg[i]);
		n->region[0].n_param = n->n_arg = 0;
		n->n_region = 1;
		n->op = OP_CHECKPOINT;
		n->attrs = (struct attrs){.n_axes = 0};
		any = true;
	}
	if (!any || !edit_finish(&e, false))
		return false;
	*out = e.c;
	return true;
}

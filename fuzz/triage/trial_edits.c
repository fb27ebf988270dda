/* trial_edits.c: see trial_edits.h. */
#include "trial_edits.h"

#include "inlets.h"

struct edit trial_begin(const struct testcase *c, struct arena *a)
{
	return (struct edit){.c = testcase_copy(c, a), .arena = a};
}

bool trial_is_float(const struct edit *e, int value) { return dtype_is_float(edit_type(e, value)->dtype); }

/* Inserts a copy of the value before node `index` of r; returns it. */
static int insert_copy(struct edit *e, struct region *r, int index, int value)
{
	const int out = inlet_stop(e, r, index, value);

	r->node[index].op = OP_COPY;
	return out;
}

/* Counts the uses of each value as an operand or a result. */
static void count_uses(const struct program *p, int *uses)
{
	const struct region *r;

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		for (int k = 0; k < w.node->n_arg; k++)
			uses[w.node->arg[k]]++;
	for (struct walk w = walk_nodes(&p->top); (r = walk_region(&w));)
		for (int k = 0; k < r->n_result; k++)
			uses[r->result[k]]++;
}

bool trial_make_copies(struct edit *e)
{
	const int n_value = e->c.program.n_value;
	int *uses = NEW(e->arena, int, n_value ? n_value : 1);
	bool any = false;
	struct site s;

	count_uses(&e->c.program, uses);
	/* From the last node on: a copy is inserted before its node, so the sites that remain keep their numbers. */
	for (int k = 0; edit_site_last(e, k, &s); k++) {
		const int n_arg = s.node->n_arg;

		for (int i = 0, at = s.index; i < n_arg && s.node->op != OP_COPY; i++) {
			int *arg = s.region->node[at].arg, value = arg[i];

			if (value >= n_value || uses[value] < 2 || !trial_is_float(e, value))
				continue;
			arg[i] = insert_copy(e, s.region, at++, value);
			any = true;
		}
	}
	return any;
}

bool trial_make_active(struct edit *e)
{
	struct region *top = &e->c.program.top;
	bool any = false;

	for (int i = top->n_node - 1; i >= 0; i--) {
		const struct node n = top->node[i];

		if (n.op != OP_CONSTANT || !trial_is_float(e, n.out) || top->n_param == LIMIT_ARGS)
			continue;
		edit_replace(e, n.out, edit_add_input(e, &n.attrs.value, true));
		edit_remove_node(top, i);
		any = true;
	}
	return any;
}

bool trial_make_known(struct edit *e)
{
	bool any = false;
	struct site s;

	for (int k = 0; edit_site_last(e, k, &s);) {
		const struct node n = *s.node;

		if (n.op != OP_CONSTANT || e->c.program.top.n_param == LIMIT_ARGS) {
			k++;
			continue;
		}
		edit_replace(e, n.out, edit_add_input(e, &n.attrs.value, false));
		edit_remove_node(s.region, s.index);
		any = true;
	}
	return any;
}

bool trial_make_uniform(struct edit *e)
{
	bool any = false;

	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);) {
		const struct tensor *v = &w.node->attrs.value;

		for (int i = 1; w.node->op == OP_CONSTANT && i < shape_elements(&v->type.shape); i++) {
			any = any || v->at[i].i != v->at[0].i;
			v->at[i] = v->at[0];
		}
	}
	return any;
}

static bool clear(int *list)
{
	bool any = false;

	for (int d = 0; d < LIMIT_RANK; d++) {
		any = any || list[d];
		list[d] = 0;
	}
	return any;
}

bool trial_make_first(struct edit *e)
{
	bool any = false;

	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);) {
		struct attrs *attrs = &w.node->attrs;

		if (w.node->op == OP_CONSTANT) {
			const struct tensor *v = &attrs->value;

			for (int i = 0; v->type.dtype == DTYPE_I64 && i < shape_elements(&v->type.shape); i++) {
				any = any || v->at[i].i;
				v->at[i].i = 0;
			}
			continue;
		}
		for (int d = 0; d < LIMIT_RANK; d++)
			attrs->high[d] += attrs->low[d];
		any = clear(attrs->start) || any;
		any = clear(attrs->low) || any;
	}
	return any;
}

bool trial_make_passive(struct edit *e, int k)
{
	const int n_value = e->c.program.n_value;
	struct site s;

	for (int site = 0; edit_site(e, site, &s); site++)
		for (int i = 0; i < s.node->n_region && s.node->op != OP_DERIVATIVE && s.node->op != OP_CUSTOM; i++)
			for (int v = 0; v < n_value; v++) {
				struct region *inside = &s.node->region[i];

				if (!trial_is_float(e, v) || !region_reads(inside, v) || region_defines(inside, v) ||
				    k-- > 0)
					continue;
				inlet_replace_inside(inside, v, inlet_stop(e, s.region, s.index, v));
				return true;
			}
	return false;
}

/* Gives *value an input of its own if it is a float input that is differentiated and was read before. */
static bool read_own_input(struct edit *e, int *value, bool *read)
{
	const int input = *value - e->c.program.top.param;

	if (input < 0 || input >= e->c.program.top.n_param || !trial_is_float(e, *value) ||
	    e->c.program.top.n_param == LIMIT_ARGS)
		return false;
	if (!read[input]) {
		read[input] = true;
		return false;
	}
	*value = edit_add_input(e, &e->c.point[0][input], true);
	return true;
}

static bool read_own_inputs(struct edit *e, int *value, int n, bool *read)
{
	bool any = false;

	for (int k = 0; k < n; k++)
		any = read_own_input(e, &value[k], read) || any;
	return any;
}

bool trial_make_own_inputs(struct edit *e)
{
	bool read[LIMIT_ARGS] = {false}, any = false;

	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);) {
		any = read_own_inputs(e, w.node->arg, w.node->n_arg, read) || any;
		for (int k = 0; k < w.node->n_region; k++)
			any = read_own_inputs(e, w.node->region[k].result, w.node->region[k].n_result, read) || any;
	}
	return read_own_inputs(e, e->c.program.top.result, e->c.program.top.n_result, read) || any;
}

/* Makes an edit at each loop.  The edit may insert nodes before and after the loop, so it begins with the last one. */
static bool at_loops(struct edit *e, bool (*make)(struct edit *e, const struct site *s))
{
	bool any = false;
	struct site s;

	for (int k = program_nodes(&e->c.program) - 1; k >= 0; k--)
		if (edit_site(e, k, &s) && node_loop(s.node).is_loop)
			any = make(e, &s) || any;
	return any;
}

bool trial_make_float_carries(struct edit *e) { return at_loops(e, edit_carry_floats); }

bool trial_make_counters(struct edit *e) { return at_loops(e, edit_count_by_carry); }

/* Lets a region yield copies of parameters, of captured values, and of what it yields twice. */
static bool yield_copies(struct edit *e, struct region *r)
{
	bool any = false;

	for (int k = 0; k < r->n_result; k++) {
		const int value = r->result[k];
		bool made = false, again = false;

		for (int i = 0; i < r->n_node; i++)
			made |= value >= r->node[i].out && value < r->node[i].out + r->node[i].n_out;
		for (int i = 0; i < k; i++)
			again |= r->result[i] == value;
		if (!trial_is_float(e, value) || (made && !again))
			continue;
		r->result[k] = insert_copy(e, r, r->n_node, value);
		any = true;
	}
	return any;
}

bool trial_make_yields(struct edit *e)
{
	bool any = false;
	struct site s;

	/* A region inside of another comes later in the list of sites, and is changed first. */
	for (int k = program_nodes(&e->c.program) - 1; k >= 0; k--)
		for (int i = 0; edit_site(e, k, &s) && i < s.node->n_region && s.node->op != OP_CUSTOM; i++)
			any = yield_copies(e, &s.node->region[i]) || any;
	return any;
}

bool trial_make_run_out(struct edit *e) { return at_loops(e, edit_run_out); }

/*
 * trial_plain.c: bodies of which only the dependencies are left (trials.h).  If an engine is wrong about a region
 * whatever it computes, its findings differ by the ops in the regions alone.
 */
#include <string.h>

#include "fuzz/minimize/passes.h"
#include "trial_edits.h"
#include "trials.h"

/* Iterations that bring a plain fixed point to its solution. */
enum { ENOUGH = 256 };

/* The factor of dependency k.  Their sum is below 1 for three, so that a fixed point converges. */
static double factor(int k) { return 0.5 / (1 + k); }

/* Marks what the value depends on in the region, itself included. */
static bool *needed_for(struct edit *e, const struct region *r, int value)
{
	bool *needed = NEW(e->arena, bool, e->c.program.n_value);

	needed[value] = true;
	for (int i = r->n_node - 1; i >= 0; i--) {
		const struct node *n = &r->node[i];
		bool any = false;

		for (int k = 0; k < n->n_out; k++)
			any = any || needed[n->out + k];
		for (int k = 0; any && k < n->n_arg; k++)
			needed[n->arg[k]] = true;
	}
	return needed;
}

/* Appends the sum of the floats from outside that the value depends on, each times a factor, in the type of the value.
 * The value itself: there are none.  -1: they have other types. */
static int append_sum(struct edit *e, struct region *r, int value, const bool *made)
{
	const struct type type = *edit_type(e, value), scalar = {.dtype = type.dtype};
	const bool *needed = needed_for(e, r, value);
	const int n_value = e->c.program.n_value;
	int sum = -1, n = 0;

	for (int v = 0; v < n_value; v++) {
		int term[2] = {v};

		if (!needed[v] || made[v] || !trial_is_float(e, v))
			continue;
		if (edit_type(e, v)->dtype != type.dtype ||
		    (edit_type(e, v)->shape.rank && !type_equal(edit_type(e, v), &type)))
			return -1;
		term[1] = edit_insert_fill(e, r, r->n_node, &scalar, factor(n++));
		term[0] = edit_append(e, r, OP_MUL, term, 2, NULL);
		sum = sum < 0 ? term[0] : edit_append(e, r, OP_ADD, (int[]){sum, term[0]}, 2, NULL);
	}
	if (sum < 0)
		return value;
	if (!type_equal(edit_type(e, sum), &type))
		sum = edit_append(e, r, OP_ADD, (int[]){sum, edit_insert_fill(e, r, r->n_node, &type, 0)}, 2, NULL);
	return sum;
}

static bool has_regions(const struct region *r)
{
	bool any = false;

	for (int i = 0; i < r->n_node; i++)
		any = any || r->node[i].n_region;
	return any;
}

/* False: a result cannot be made plain. */
static bool make_plain(struct edit *e, struct region *r, enum plain how)
{
	bool *made = NEW(e->arena, bool, e->c.program.n_value);

	for (int i = 0; i < r->n_node; i++)
		for (int k = 0; k < r->node[i].n_out; k++)
			made[r->node[i].out + k] = true;
	for (int k = 0; k < r->n_result; k++) {
		const int from = r->result[k];
		int to = trial_is_float(e, from) ? append_sum(e, r, from, made) : from;

		if (to >= 0 && to != from && how == PLAIN_SINE)
			to = edit_append(e, r, OP_SIN, &to, 1, NULL);
		if (to < 0)
			return false;
		r->result[k] = to;
	}
	return true;
}

/* ---- carries that nothing depends on ---- */

/* Whether a node or a result of the region, or of one inside it, is the value. */
static bool is_used(const struct region *r, int value)
{
	const struct region *in;

	for (struct walk w = walk_nodes(r); (in = walk_region(&w));) {
		for (int i = 0; i < in->n_node; i++)
			for (int k = 0; k < in->node[i].n_arg; k++)
				if (in->node[i].arg[k] == value)
					return true;
		for (int k = 0; k < in->n_result; k++)
			if (in->result[k] == value)
				return true;
	}
	return false;
}

/* Whether carry k of a plain loop is not used after it, and no other result of its body depends on it. */
static bool is_idle(struct edit *e, const struct node_loop *l, int k)
{
	if (l->n_carry < 2 || l->condition || has_regions(l->body) || is_used(&e->c.program.top, l->node->out + k))
		return false;
	for (int i = 0; i < l->body->n_result; i++)
		if (i != k && needed_for(e, l->body, l->body->result[i])[l->first_param + k])
			return false;
	return true;
}

/* They hide that two programs are one. */
static void drop_idle_carries(struct edit *e)
{
	struct site s;

	for (int at = 0; edit_site(e, at, &s); at++)
		for (int k = node_loop(s.node).n_carry - 1; k >= 0; k--) {
			const struct node_loop l = node_loop(s.node);

			if (is_idle(e, &l, k) && pass_drop_carry(e, at * LIMIT_ARGS + k) == EDIT_TRY)
				edit_site(e, at, &s);
		}
}

bool trial_plain(const struct testcase *c, enum plain how, struct arena *a, struct testcase *out)
{
	struct edit e = trial_begin(c, a);
	bool any = false;
	struct site s;

	/* From the last node on: what is appended to a region changes no number of the nodes before it. */
	for (int k = 0; edit_site_last(&e, k, &s); k++)
		for (int i = op_table[s.node->op].family == FAMILY_WHILE; i < s.node->n_region; i++) {
			if (s.node->op == OP_CUSTOM || s.node->op == OP_DERIVATIVE)
				return false;
			any = true;
		}
	if (!any)
		return false;
	for (int k = program_nodes(&e.c.program) - 1; k >= 0; k--) {
		if (!edit_site(&e, k, &s))
			return false;
		if (s.node->op == OP_FIXED_POINT && s.node->attrs.meaning == MEANING_SOLUTION)
			s.node->attrs.cap = ENOUGH;
		for (int i = op_table[s.node->op].family == FAMILY_WHILE; i < s.node->n_region; i++)
			if (!has_regions(&s.node->region[i]) && !make_plain(&e, &s.node->region[i], how))
				return false;
	}
	drop_idle_carries(&e);
	if (!edit_finish(&e, true))
		return false;
	*out = e.c;
	return true;
}

/* ---- whether two programs are one, but for attributes and types ---- */

static bool same_nodes(const struct region *x, const struct region *y)
{
	if (x->n_node != y->n_node || x->n_param != y->n_param || x->n_result != y->n_result ||
	    memcmp(x->result, y->result, sizeof *x->result * (size_t)x->n_result) != 0)
		return false;
	for (int i = 0; i < x->n_node; i++) {
		const struct node *m = &x->node[i], *n = &y->node[i];

		if (m->op != n->op || m->n_arg != n->n_arg || m->n_out != n->n_out || m->out != n->out ||
		    m->n_region != n->n_region || memcmp(m->arg, n->arg, sizeof *m->arg * (size_t)m->n_arg) != 0)
			return false;
		for (int k = 0; k < m->n_region; k++)
			if (!same_nodes(&m->region[k], &n->region[k]))
				return false;
	}
	return true;
}

bool trial_same_form(const struct testcase *x, const struct testcase *y)
{
	return same_nodes(&x->program.top, &y->program.top);
}

/* nodes.c: passes that take one node out of the program, or give it other operands. */
#include "passes.h"

#include <string.h>

#include "engines/engine.h"

/* ---- top-level nodes as data ---- */

/* The numbers of n values of the top level at the only point, from a run of the program that returns just them. */
static const struct answer *values_at_point(struct edit *e, const int *value, int n)
{
	struct testcase c = e->c;
	struct answer *out;
	struct error error = {0};

	if (!e->primal || c.n_point != 1)
		return NULL;
	c.program = program_copy(&c.program, e->arena);
	c.program.top.result = NEW(e->arena, int, n);
	c.program.top.n_result = n;
	memcpy(c.program.top.result, value, (size_t)n * sizeof *value);
	c.program = program_drop_dead(&c.program, e->arena);
	c.n_transform = 0;
	c.n_expect = 0;
	if (!testcase_check(&c, &error))
		return NULL;
	out = NEW(e->arena, struct answer, 1);
	engine_answer(e->primal, &c, e->arena, out);
	return out->status == ANSWER_OK && out->n_primal == n ? out : NULL;
}

/* Adds the results of a node to value[n], and returns their number then. */
static int add_results(const struct node *node, int *value, int n)
{
	for (int i = 0; i < node->n_out; i++)
		value[n++] = node->out + i;
	return n;
}

/* Replaces the node by constants with these values, one for each result. */
static void become_constants(struct edit *e, struct region *r, int index, const struct tensor *value)
{
	const int out = r->node[index].out, n_out = r->node[index].n_out;

	edit_remove_node(r, index);
	for (int i = 0; i < n_out; i++)
		edit_replace(e, out + i, edit_insert_constant(e, r, index, &value[i]));
}

enum edit_result pass_cut(struct edit *e, int k)
{
	int value[LIMIT_ARGS];
	const struct answer *at;
	struct site s;

	if (!edit_site_last(e, k, &s))
		return EDIT_END;
	if (!s.top || s.node->op == OP_CONSTANT || !(at = values_at_point(e, value, add_results(s.node, value, 0))))
		return EDIT_SKIP;
	become_constants(e, s.region, s.index, at->primal);
	return EDIT_TRY;
}

bool cut_nodes(struct edit *e, cut_node_fn *is_cut, const void *context)
{
	struct region *top = &e->c.program.top;
	bool any = false;

	/* The last nodes come first.  So no node is cut before its value is computed from it. */
	for (int end = top->n_node, i; end > 0; end = i) {
		int value[LIMIT_ARGS], node[LIMIT_ARGS], n_value = 0, n = 0, at = 0;
		const struct answer *answer;

		for (i = end; i > 0 && n_value + top->node[i - 1].n_out <= LIMIT_ARGS; i--) {
			const struct node *x = &top->node[i - 1];

			if (!is_cut(context, &e->c.program, x))
				continue;
			if (x->op == OP_CONSTANT)
				return false;
			node[n++] = i - 1;
			n_value = add_results(x, value, n_value);
		}
		if (!n)
			continue;
		if (!(answer = values_at_point(e, value, n_value)))
			return false;
		for (int k = 0; k < n; k++) {
			const int n_out = top->node[node[k]].n_out;

			become_constants(e, top, node[k], &answer->primal[at]);
			at += n_out;
		}
		any = true;
	}
	return any;
}

enum { PROMOTE_INPUTS = 4, PROMOTE_HOWS = 2 + PROMOTE_INPUTS };

/* how 0 and 1: the node's results become new inputs, differentiated or not.  In a region only predicates do, with the
 * value true. how 2 and more: an existing input takes the result's type and its place. */
enum edit_result pass_promote(struct edit *e, int k)
{
	struct region *top = &e->c.program.top;
	int how = k % PROMOTE_HOWS, input = how - 2, index, value[LIMIT_ARGS];
	const struct answer *at;
	struct site s;
	struct node n;

	if (!edit_site_last(e, k / PROMOTE_HOWS, &s))
		return EDIT_END;
	n = *s.node;
	index = s.index;
	if (n.op == OP_CONSTANT)
		return EDIT_SKIP;
	if (!s.top) {
		struct tensor ones;

		if (input >= 0 || n.n_out != 1 || edit_type(e, n.out)->dtype != DTYPE_BOOL ||
		    top->n_param == LIMIT_ARGS)
			return EDIT_SKIP;
		ones = tensor_new(e->arena, edit_type(e, n.out));
		edit_fill(&ones, 1);
		edit_replace(e, n.out, edit_add_input(e, &ones, how == 0));
	} else if (input >= 0) {
		if (n.n_out != 1 || input >= top->n_param)
			return EDIT_SKIP;
		e->c.program.type[top->param + input] = *edit_type(e, n.out);
		edit_replace(e, n.out, top->param + input);
	} else {
		if (top->n_param + n.n_out > LIMIT_ARGS || !(at = values_at_point(e, value, add_results(&n, value, 0))))
			return EDIT_SKIP;
		for (int i = 0; i < n.n_out; i++)
			edit_replace(e, n.out + i, edit_add_input(e, &at->primal[i], how == 0));
	}
	edit_remove_node(s.region, index);
	return EDIT_TRY;
}

static bool is_result(const struct region *r, int value)
{
	for (int i = 0; i < r->n_result; i++)
		if (r->result[i] == value)
			return true;
	return false;
}

/* Replaces a top-level node by its operand k % LIMIT_ARGS, of any type.  The other operands become results.  An operand
 * that the node reads twice is a result, too. */
enum edit_result pass_release(struct edit *e, int k)
{
	struct region *top = &e->c.program.top;
	int which = k % LIMIT_ARGS, n_result = top->n_result, *result;
	struct site s;

	if (!edit_site_last(e, k / LIMIT_ARGS, &s))
		return EDIT_END;
	if (!s.top || which >= s.node->n_arg || s.node->n_out != 1 || top->n_result + s.node->n_arg > LIMIT_ARGS)
		return EDIT_SKIP;
	edit_replace(e, s.node->out, s.node->arg[which]);
	result = NEW(e->arena, int, LIMIT_ARGS);
	for (int i = 0; i < n_result; i++)
		result[i] = top->result[i];
	top->result = result;
	for (int i = 0; i < s.node->n_arg; i++)
		if (i != which && (s.node->arg[i] == s.node->arg[which] || !is_result(top, s.node->arg[i])))
			top->result[top->n_result++] = s.node->arg[i];
	edit_remove_node(top, s.index);
	return EDIT_TRY;
}

/* Drops all dead code at once, then one node at a time: sometimes a part of the dead code matters. */
enum edit_result pass_drop_dead(struct edit *e, int k)
{
	struct site s;

	if (k == 0) {
		e->c.program = program_drop_dead(&e->c.program, e->arena);
		return EDIT_TRY;
	}
	if (!edit_site_last(e, k - 1, &s))
		return EDIT_END;
	for (int i = 0; i < s.node->n_out; i++)
		if (region_reads(&e->c.program.top, s.node->out + i))
			return EDIT_SKIP;
	edit_remove_node(s.region, s.index);
	return EDIT_TRY;
}

/* ---- other values in place of nodes and operands ---- */

/* Values that may replace a node's result: its operands, then fills 1, 0 and 2, then values in scope. */
enum { STAND_OPERANDS = 4, STAND_FILLS = 3, STAND_SCOPE = 8, STAND = STAND_OPERANDS + STAND_FILLS + STAND_SCOPE };

enum edit_result pass_replace(struct edit *e, int k)
{
	static const double fills[STAND_FILLS] = {1, 0, 2};
	int how = k % STAND, out, n_out, index, scope[STAND_SCOPE], n_scope, by;
	struct site s;

	if (!edit_site_last(e, k / STAND, &s))
		return EDIT_END;
	if (s.node->op == OP_CONSTANT || !s.node->n_out)
		return EDIT_SKIP;
	out = s.node->out;
	n_out = s.node->n_out;
	index = s.index;
	if (how >= STAND_OPERANDS && how < STAND_OPERANDS + STAND_FILLS) {
		edit_remove_node(s.region, index);
		for (int i = 0; i < n_out; i++)
			edit_replace(e, out + i,
			    edit_insert_fill(e, s.region, index, edit_type(e, out + i), fills[how - STAND_OPERANDS]));
		return EDIT_TRY;
	}
	if (n_out != 1)
		return EDIT_SKIP;
	if (how < STAND_OPERANDS) {
		if (how >= s.node->n_arg)
			return EDIT_SKIP;
		by = s.node->arg[how]; /* of any type; edit_finish rejects it where it does not fit */
	} else {
		n_scope = edit_scope(e, &s, NULL, scope, STAND_SCOPE);
		how -= STAND_OPERANDS + STAND_FILLS;
		if (how >= n_scope)
			return EDIT_SKIP;
		by = scope[how];
	}
	edit_replace(e, out, by);
	edit_remove_node(s.region, index);
	return EDIT_TRY;
}

enum { REWIRE_ARGS = 4, REWIRE_SCOPE = 6, REWIRE_HOWS = 2 + REWIRE_SCOPE };

enum edit_result pass_rewire(struct edit *e, int k)
{
	int how = k % REWIRE_HOWS, arg = k / REWIRE_HOWS % REWIRE_ARGS, scope[REWIRE_SCOPE], n_scope, old, by = -1;
	struct node *n;
	struct site s;

	if (!edit_site_last(e, k / (REWIRE_HOWS * REWIRE_ARGS), &s))
		return EDIT_END;
	n = s.node;
	if (arg >= n->n_arg)
		return EDIT_SKIP;
	old = n->arg[arg];
	if (how == 0) {
		/* The insertion moves the list of nodes, so the operand is set at the node's new place. */
		by = edit_insert_fill(e, s.region, s.index, edit_type(e, old), 1);
		s.region->node[s.index + 1].arg[arg] = by;
		return EDIT_TRY;
	}
	if (how == 1) { /* another operand of the node with the same type, as in add(a, b) to add(a, a) */
		for (int i = 0; i < n->n_arg && by < 0; i++)
			if (n->arg[i] != old && type_equal(edit_type(e, n->arg[i]), edit_type(e, old)))
				by = n->arg[i];
	} else {
		n_scope = edit_scope(e, &s, edit_type(e, old), scope, REWIRE_SCOPE);
		if (how - 2 < n_scope)
			by = scope[how - 2];
	}
	if (by < 0 || by == old)
		return EDIT_SKIP;
	n->arg[arg] = by;
	return EDIT_TRY;
}

/* Replaces result `which` of region `w` of node number k / HOWS by a parameter of the region, or else by an input. */
enum edit_result pass_rewire_result(struct edit *e, int k)
{
	enum { REGIONS = 2, RESULTS = 4, VALUES = 8, HOWS = REGIONS * RESULTS * VALUES };
	int w = k % REGIONS, which = k / REGIONS % RESULTS, how = k / (REGIONS * RESULTS) % VALUES;
	const struct region *top = &e->c.program.top;
	struct region *r;
	struct site s;
	int by;

	if (!edit_site(e, k / HOWS, &s))
		return EDIT_END;
	if (w >= s.node->n_region || which >= s.node->region[w].n_result)
		return EDIT_SKIP;
	r = &s.node->region[w];
	if (how < r->n_param)
		by = r->param + how;
	else if (how - r->n_param < top->n_param && s.node->op != OP_CUSTOM)
		by = top->param + how - r->n_param;
	else
		return EDIT_SKIP;
	if (by == r->result[which] || !type_equal(edit_type(e, by), edit_type(e, r->result[which])))
		return EDIT_SKIP;
	r->result[which] = by;
	return EDIT_TRY;
}

/* Replaces a node by op(i, j): one of two ops, and values i <= j < BINARY_SCOPE in scope. */
enum { BINARY_SCOPE = 5, BINARY_OPS = 2, BINARY_HOWS = BINARY_OPS * BINARY_SCOPE * BINARY_SCOPE };

enum edit_result pass_binary(struct edit *e, int k)
{
	static const enum op ops[BINARY_OPS] = {OP_MUL, OP_ADD};
	int how = k % BINARY_HOWS, i = how / BINARY_OPS / BINARY_SCOPE, j = how / BINARY_OPS % BINARY_SCOPE;
	int scope[BINARY_SCOPE], n_scope;
	struct node new = {.op = ops[how % BINARY_OPS], .n_arg = 2, .n_out = 1};
	struct site s;

	if (!edit_site_last(e, k / BINARY_HOWS, &s))
		return EDIT_END;
	if (i > j || s.node->op == OP_CONSTANT || s.node->n_out != 1 ||
	    !dtype_is_float(edit_type(e, s.node->out)->dtype))
		return EDIT_SKIP;
	n_scope = edit_scope(e, &s, edit_type(e, s.node->out), scope, BINARY_SCOPE);
	if (j >= n_scope)
		return EDIT_SKIP;
	new.out = s.node->out;
	new.arg = arena_copy(e->arena, (const int[]){scope[i], scope[j]}, 2, sizeof *new.arg);
	*s.node = new;
	return EDIT_TRY;
}

enum edit_result pass_drop_operand(struct edit *e, int k)
{
	struct site s;

	if (!edit_site_last(e, k / LIMIT_ARGS, &s))
		return EDIT_END;
	if (op_table[s.node->op].family != FAMILY_CONCATENATE || k % LIMIT_ARGS >= s.node->n_arg || s.node->n_arg == 1)
		return EDIT_SKIP;
	edit_remove_item(s.node->arg, &s.node->n_arg, sizeof *s.node->arg, k % LIMIT_ARGS);
	e->lenient = true;
	return EDIT_TRY;
}

/* Replaces a constant by an earlier one of its type. */
enum edit_result pass_merge_constants(struct edit *e, int k)
{
	enum { OTHERS = 8 };
	struct site s, other;
	int n = 0;

	if (!edit_site_last(e, k / OTHERS, &s))
		return EDIT_END;
	if (s.node->op != OP_CONSTANT)
		return EDIT_SKIP;
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &other) && other.node != s.node;) {
		if (other.node->op != OP_CONSTANT ||
		    !type_equal(edit_type(e, other.node->out), edit_type(e, s.node->out)) || n++ < k % OTHERS)
			continue;
		edit_replace(e, s.node->out, other.node->out);
		edit_remove_node(s.region, s.index);
		return EDIT_TRY;
	}
	return EDIT_SKIP;
}

/* loops.c: passes on regions: branches in place of conds, shorter, thinner and plainer loops. */
#include "fuzz/edit/fit.h"
#include "passes.h"

#include <string.h>

/*
 * Replaces node `index` of `r` by the nodes of `from`, with parameters replaced by param[].  The caller replaces uses
 * of the node's results by the results of `from`.
 */
static void splice(struct edit *e, struct region *r, int index, const struct region *from, const int *param)
{
	struct node *list = NEW(e->arena, struct node, r->n_node + from->n_node);
	int n = 0;

	for (int i = 0; i < index; i++)
		list[n++] = r->node[i];
	for (int i = 0; i < from->n_node; i++)
		list[n++] = from->node[i];
	for (int i = index + 1; i < r->n_node; i++)
		list[n++] = r->node[i];
	r->node = list;
	r->n_node = n;
	for (int i = 0; i < from->n_param; i++)
		edit_replace(e, from->param + i, param[i]);
}

/* Gives an input the type of its part that is still used.  False: the value is no input. */
static bool retype_input(struct edit *e, int value, const struct type *type)
{
	const struct region *top = &e->c.program.top;

	if (value < top->param || value >= top->param + top->n_param)
		return false;
	e->c.program.type[value] = *type;
	return true;
}

/*
 * Puts one iteration, at index 0, in place of a loop.  Stacked outputs become that iteration's row, broadcast.  Carries
 * are the initial ones, and slices of xs are all ones.  With `inputs`, both are the first input that fits instead, and
 * an input that was iterated over becomes a slice.
 */
static void splice_body(struct edit *e, struct site s, struct node_loop l, bool inputs)
{
	const struct node node = *s.node;
	const struct region body = *l.body;
	int param[LIMIT_ARGS + 1], at = s.index, after;

	for (int i = 0; i < body.n_param; i++) {
		int carry = i - l.n_index, input = inputs ? edit_input_of_type(e, edit_type(e, body.param + i), 0) : -1;

		if (carry >= 0 && input >= 0) {
			param[i] = input;
			continue;
		}
		if (inputs && carry >= l.n_carry &&
		    retype_input(e, node.arg[l.first_arg + carry], edit_type(e, body.param + i))) {
			param[i] = node.arg[l.first_arg + carry];
			continue;
		}
		if (carry >= 0 && carry < l.n_carry) {
			param[i] = node.arg[l.first_arg + carry];
			continue;
		}
		param[i] = edit_insert_fill(e, s.region, at++, edit_type(e, body.param + i), carry < 0 ? 0 : 1);
	}
	splice(e, s.region, at, &body, param);
	after = at + body.n_node;
	for (int i = 0; i < node.n_out; i++) {
		int by = i < body.n_result ? body.result[i] : node.arg[0];

		/* A result may be a parameter.  The region already has its replacement, but this copy of the list does
		 * not. */
		for (int j = 0; j < body.n_param; j++)
			if (by == body.param + j)
				by = param[j];
		if (i >= l.n_carry) {
			struct node b = {.op = OP_BROADCAST_TO, .n_arg = 1, .n_out = 1};

			b.attrs.shape = edit_type(e, node.out + i)->shape;
			b.arg = arena_copy(e->arena, &by, 1, sizeof by);
			b.out = edit_new_values(e, edit_type(e, node.out + i), 1);
			edit_insert_node(e, s.region, after++, &b);
			by = b.out;
		}
		edit_replace(e, node.out + i, by);
	}
}

bool edit_hoist(struct edit *e, const struct site *s, int which)
{
	struct node_loop l = node_loop(s->node);
	struct node node = *s->node;

	if (l.is_loop) {
		splice_body(e, *s, l, which);
		return true;
	}
	switch (op_table[node.op].family) {
	case FAMILY_COND:
		splice(e, s->region, s->index, &node.region[which], NULL);
		break;
	case FAMILY_SCATTER_APPLY:
		if (which && !retype_input(e, node.arg[0], edit_type(e, node.region[0].param)))
			return false;
		which = 0;
		splice(e, s->region, s->index, &node.region[0], node.arg);
		break;
	case FAMILY_CHECKPOINT:
	case FAMILY_CUSTOM:
		if (which)
			return false;
		splice(e, s->region, s->index, &node.region[0], node.arg);
		break;
	default:
		return false;
	}
	for (int i = 0; i < node.n_out; i++) {
		int by = node.region[which].result[i];

		/* A region may return a parameter, which has become an operand. */
		for (int k = 0; k < node.region[which].n_param; k++)
			if (node.region[which].result[i] == node.region[which].param + k)
				by = node.arg[k];
		edit_replace(e, node.out + i, by);
	}
	return true;
}

enum edit_result pass_hoist_region(struct edit *e, int k)
{
	struct site s;

	if (!edit_site(e, k / 2, &s))
		return EDIT_END;
	return edit_hoist(e, &s, k % 2) ? EDIT_TRY : EDIT_SKIP;
}

enum edit_result pass_skip_loop(struct edit *e, int k)
{
	struct site s;
	struct node_loop l;
	struct node node;

	if (!edit_site(e, k, &s))
		return EDIT_END;
	l = node_loop(s.node);
	if (!l.is_loop)
		return EDIT_SKIP;
	node = *s.node;
	edit_remove_node(s.region, s.index);
	for (int i = 0; i < node.n_out; i++)
		edit_replace(e, node.out + i,
		    i < l.n_carry ? node.arg[l.first_arg + i]
		                  : edit_insert_fill(e, s.region, s.index, edit_type(e, node.out + i), 0));
	return EDIT_TRY;
}

/* Gives the leading axis of an input or constant the extent n; other values follow by inference. */
static void set_leading(struct edit *e, int value, int n)
{
	struct type *t = &e->c.program.type[value];
	struct site s;

	if (t->shape.rank)
		t->shape.extent[0] = n;
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT && s.node->out == value)
			s.node->attrs.value = fit_tensor(e->arena, &s.node->attrs.value, t);
}

enum edit_result pass_trip(struct edit *e, int k)
{
	int how = k % TRIP_HOWS, old, trip;
	struct node *n;
	struct site s;
	struct node_loop l;

	if (!edit_site(e, k / TRIP_HOWS, &s))
		return EDIT_END;
	n = s.node;
	l = node_loop(n);
	if (!l.is_loop)
		return EDIT_SKIP;
	old = node_max_trip(n);
	trip = how == 0 ? 0 : how == TRIP_HOWS - 1 ? old : edit_smaller(old, how - 1);
	if (how && !trip)
		return EDIT_SKIP;
	if (l.counted) {
		edit_remove_item(n->arg, &n->n_arg, sizeof *n->arg, 0);
		n->attrs.trip = trip;
		n->attrs.cap = 0;
		return EDIT_TRY;
	}
	if (trip >= old)
		return EDIT_SKIP;
	if (op_table[n->op].family == FAMILY_WHILE || op_table[n->op].family == FAMILY_FIXED_POINT)
		n->attrs.cap = trip;
	else
		n->attrs.trip = trip;
	for (int i = 0; i < l.n_xs; i++)
		set_leading(e, n->arg[l.n_carry + i], trip);
	return EDIT_TRY;
}

enum edit_result pass_drop_until(struct edit *e, int k)
{
	struct site s;
	struct node_loop l;

	if (!edit_site(e, k, &s))
		return EDIT_END;
	l = node_loop(s.node);
	if (!l.until || s.node->op == OP_FIXED_POINT)
		return EDIT_SKIP;
	s.node->attrs.until = false;
	l.body->n_result--;
	return EDIT_TRY;
}

enum edit_result pass_drop_carry(struct edit *e, int k)
{
	int which = k % LIMIT_ARGS, init;
	struct site s;
	struct node_loop l;
	struct node *n;

	if (!edit_site(e, k / LIMIT_ARGS, &s))
		return EDIT_END;
	n = s.node;
	l = node_loop(n);
	if (which >= l.n_carry)
		return EDIT_SKIP;
	init = n->arg[l.first_arg + which];
	edit_replace(e, l.body->param + l.n_index + which, init);
	edit_remove_param(e, l.body, l.n_index + which);
	edit_remove_result(l.body, which);
	if (op_table[n->op].family == FAMILY_WHILE) {
		edit_replace(e, n->region[0].param + which, init);
		edit_remove_param(e, &n->region[0], which);
	}
	edit_replace(e, n->out + which, init);
	edit_remove_out(e, n, which);
	edit_remove_item(n->arg, &n->n_arg, sizeof *n->arg, l.first_arg + which);
	if (op_table[n->op].family == FAMILY_SCAN)
		n->attrs.carries--;
	return EDIT_TRY;
}

enum edit_result pass_drop_xs(struct edit *e, int k)
{
	int how = k % 2, which = k / 2 % LIMIT_ARGS, param, by = -1;
	struct site s;
	struct node_loop l;
	struct node *n;

	if (!edit_site(e, k / (2 * LIMIT_ARGS), &s))
		return EDIT_END;
	n = s.node;
	l = node_loop(n);
	if (which >= l.n_xs)
		return EDIT_SKIP;
	param = l.body->param + l.n_carry + which;
	if (how && (by = edit_input_of_type(e, edit_type(e, param), 0)) < 0)
		return EDIT_SKIP;
	edit_replace(e, param, how ? by : edit_insert_fill(e, l.body, 0, edit_type(e, param), 1));
	edit_remove_param(e, l.body, l.n_carry + which);
	edit_remove_item(n->arg, &n->n_arg, sizeof *n->arg, l.n_carry + which);
	return EDIT_TRY;
}

enum edit_result pass_drop_ys(struct edit *e, int k)
{
	int which = k % LIMIT_ARGS, out;
	struct site s;
	struct node_loop l;

	if (!edit_site(e, k / LIMIT_ARGS, &s))
		return EDIT_END;
	l = node_loop(s.node);
	if (which >= l.n_ys)
		return EDIT_SKIP;
	out = s.node->out + l.n_carry + which;
	edit_replace(e, out, edit_insert_fill(e, s.region, s.index, edit_type(e, out), 1));
	s.node = &s.region->node[s.index + 1];
	edit_remove_result(&s.node->region[0], l.n_carry + which);
	edit_remove_out(e, s.node, l.n_carry + which);
	return EDIT_TRY;
}

enum edit_result pass_drop_branch_result(struct edit *e, int k)
{
	int which = k % LIMIT_ARGS, out;
	enum family family;
	struct site s;

	if (!edit_site(e, k / LIMIT_ARGS, &s))
		return EDIT_END;
	family = op_table[s.node->op].family;
	if ((family != FAMILY_COND && family != FAMILY_CHECKPOINT) || which >= s.node->n_out || s.node->n_out < 2)
		return EDIT_SKIP;
	out = s.node->out + which;
	edit_replace(e, out, edit_insert_fill(e, s.region, s.index, edit_type(e, out), 1));
	s.node = &s.region->node[s.index + 1];
	for (int i = 0; i < s.node->n_region; i++)
		edit_remove_result(&s.node->region[i], which);
	edit_remove_out(e, s.node, which);
	return EDIT_TRY;
}

/* Turns a loop into a for: with the same trip count, with two iterations, or without the early exit. */
enum edit_result pass_plain_loop(struct edit *e, int k)
{
	enum { AS_IT_IS, TWO, NO_UNTIL, HOWS };
	struct type types[LIMIT_ARGS + 1] = {{.dtype = DTYPE_I64}};
	struct site s;
	struct node_loop l;
	struct region body;
	int first;

	if (!edit_site(e, k / HOWS, &s))
		return EDIT_END;
	l = node_loop(s.node);
	if (!l.is_loop || l.n_xs || l.n_ys || l.n_index)
		return EDIT_SKIP;
	for (int i = 0; i < l.n_carry; i++)
		types[1 + i] = *edit_type(e, l.body->param + i);
	first = edit_new_values(e, types, 1 + l.n_carry);
	for (int i = 0; i < l.n_carry; i++)
		edit_replace(e, l.body->param + i, first + 1 + i);
	body = *l.body;
	body.param = first;
	body.n_param = 1 + l.n_carry;
	s.node->attrs.trip = node_max_trip(s.node);
	if (k % HOWS == TWO && s.node->attrs.trip > 2)
		s.node->attrs.trip = 2;
	s.node->attrs.until = l.until && k % HOWS != NO_UNTIL;
	body.n_result -= l.until && k % HOWS == NO_UNTIL;
	s.node->attrs.cap = s.node->attrs.carries = 0;
	s.node->attrs.meaning = MEANING_STEPS;
	s.node->op = OP_FOR;
	s.node->n_region = 1;
	s.node->region = arena_copy(e->arena, &body, 1, sizeof body);
	return EDIT_TRY;
}

static int first_float(struct edit *e, const struct site *s)
{
	enum { SCOPE = 8 };
	int scope[SCOPE], n = edit_scope(e, s, NULL, scope, SCOPE);

	for (int i = 0; i < n; i++)
		if (dtype_is_float(edit_type(e, scope[i])->dtype))
			return scope[i];
	return -1;
}

/*
 * Replaces a loop by a for of two or three iterations: carry = carry op a value in scope.  The carry replaces every
 * result of the loop.  Its initial value is an operand of the loop, or a float in scope.
 */
enum edit_result pass_plainest_loop(struct edit *e, int k)
{
	static const enum op ops[] = {OP_MUL, OP_ADD};
	enum {
		OPS = 2,
		CAPTURED = 4,
		CARRIES = CAPTURED + 1,
		SCOPE = 4,
		TRIPS = 2,
		HOWS = OPS * CARRIES * SCOPE * TRIPS
	};
	int op = k % OPS, with = k / OPS % SCOPE, carry = k / (OPS * SCOPE) % CARRIES, scope[SCOPE], n_scope, first,
	    init;
	struct node plain = {.op = ops[op], .n_arg = 2, .n_out = 1}, *n;
	struct type types[2] = {{.dtype = DTYPE_I64}};
	struct region body = {.n_param = 2, .n_node = 1, .n_result = 1};
	struct site s;
	struct node_loop l;

	if (!edit_site(e, k / HOWS, &s))
		return EDIT_END;
	n = s.node;
	l = node_loop(n);
	if (!l.is_loop || (carry != CAPTURED && carry >= l.n_carry + l.n_xs))
		return EDIT_SKIP;
	init = carry == CAPTURED ? first_float(e, &s) : n->arg[l.first_arg + carry];
	if (init < 0)
		return EDIT_SKIP;
	types[1] = *edit_type(e, init);
	n_scope = edit_scope(e, &s, &types[1], scope, SCOPE - 1);
	if (with > n_scope || !dtype_is_float(types[1].dtype))
		return EDIT_SKIP;
	first = edit_new_values(e, types, 2);
	plain.out = edit_new_values(e, &types[1], 1);
	plain.arg = arena_copy(
	    e->arena, (const int[]){first + 1, with < n_scope ? scope[with] : first + 1}, 2, sizeof *plain.arg);
	body.param = first;
	body.node = arena_copy(e->arena, &plain, 1, sizeof plain);
	body.result = arena_copy(e->arena, &plain.out, 1, sizeof plain.out);
	for (int i = 1; i < n->n_out; i++)
		edit_replace(e, n->out + i, n->out);
	n->op = OP_FOR;
	n->attrs = (struct attrs){.trip = 2 + k % HOWS / (OPS * SCOPE * CARRIES)};
	n->arg = arena_copy(e->arena, &init, 1, sizeof init);
	n->n_arg = n->n_out = n->n_region = 1;
	n->region = arena_copy(e->arena, &body, 1, sizeof body);
	return EDIT_TRY;
}

/* ---- loops that never begin ---- */

static bool never_begins(const struct program *p, const struct node *n)
{
	const struct tensor *decides = NULL; /* the trip count, or the condition */

	if (node_loop(n).counted)
		decides = region_constant(&p->top, n->arg[0]);
	if (n->op == OP_WHILE)
		decides = region_constant(&p->top, n->region[0].result[0]);
	return op_is_loop(n->op) && (!node_max_trip(n) || (decides && decides->at[0].i <= 0));
}

bool edit_idles(const struct program *p)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (never_begins(p, w.node))
			return true;
	return false;
}

/*
 * contributions.c: the derivative that reaches one operand through one op alone.  The operand becomes an input of its
 * own with the value that it has at the point; inside a region an input of zeros is added to it.  So the table says
 * which operand is wrong, in words (fuzz/edit/operand_names.def).
 */
#include <string.h>

#include "graph/walk.h"
#include "fuzz/edit/operand_name.h"
#include "lab_edit.h"

/* The value at the point, as a right engine computes it; NULL if it has no answer. */
static const struct tensor *value_at_point(struct edit *e, int value)
{
	struct testcase c = e->c;
	struct answer *answer = NEW(e->arena, struct answer, c.n_point);

	c.program.top.result = arena_copy(e->arena, &value, 1, sizeof value);
	c.program.top.n_result = 1;
	c.n_transform = 0;
	c.n_point = 1;
	if (!e->primal)
		return NULL;
	engine_answer(e->primal, &c, e->arena, answer);
	return answer[0].status == ANSWER_OK && answer[0].n_primal == 1 ? answer[0].primal : NULL;
}

void lab_replace_inside(struct node *n, int from, int to)
{
	struct walk w;
	struct region whole = {.n_node = 1, .node = n};

	for (w = walk_nodes(&whole); walk_next(&w);) {
		for (int i = 0; w.node != n && i < w.node->n_arg; i++)
			if (w.node->arg[i] == from)
				w.node->arg[i] = to;
		for (int r = 0; r < w.node->n_region; r++)
			for (int i = 0; i < w.node->region[r].n_result; i++)
				if (w.node->region[r].result[i] == from)
					w.node->region[r].result[i] = to;
	}
}

/* Gives the use an input of its own.  Returns the number of the input, or -1. */
static int split_value(struct edit *e, const struct use *u)
{
	struct region *top = &e->c.program.top;
	const int input = u->value - top->param;
	const bool is_input = input >= 0 && input < top->n_param;
	const struct tensor *at;
	struct tensor zeros;
	struct site s;
	int own;

	edit_site(e, u->site, &s);
	if (top->n_param == LIMIT_ARGS || (!is_input && e->c.n_point > 1))
		return -1;
	if (is_input || s.top) {
		at = is_input ? &e->c.point[0][input] : value_at_point(e, u->value);
		if (!at)
			return -1;
		own = edit_add_input(e, at, false);
		for (int p = 0; is_input && p < e->c.n_point; p++)
			e->c.point[p][top->n_param - 1] = e->c.point[p][input];
		edit_site(e, u->site, &s);
		if (u->operand < 0)
			lab_replace_inside(s.node, is_input ? top->param + input : u->value, own);
		else
			s.node->arg[u->operand] = own;
		return top->n_param - 1;
	}
	if (u->operand < 0)
		return -1;
	zeros = tensor_new(e->arena, edit_type(e, u->value));
	own = edit_add_input(e, &zeros, false);
	edit_site(e, u->site, &s);
	own = edit_insert_binary(
	    e, s.region, s.index, OP_ADD, s.node->arg[u->operand], own, edit_type(e, s.node->arg[u->operand]));
	edit_site(e, u->site, &s); /* the new node is at its place now */
	s.region->node[s.index + 1].arg[u->operand] = own;
	return top->n_param - 1;
}

/* A solution that the edit moves is to be reached again. */
static void lengthen_solutions(struct edit *e)
{
	enum { ENOUGH = 64 };

	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);)
		if (w.node->op == OP_FIXED_POINT && w.node->attrs.meaning == MEANING_SOLUTION &&
		    w.node->attrs.cap < ENOUGH)
			w.node->attrs.cap = ENOUGH;
}

/* Moves the numbers of float inputs of one type by `turns` places, each to the next input of that type. */
static void rotate_inputs(struct edit *e, int turns)
{
	const int n = e->c.program.top.n_param;

	for (int p = 0; p < e->c.n_point; p++) {
		struct tensor *from = e->c.point[p], *to = NEW(e->arena, struct tensor, n);

		for (int i = 0; i < n; i++) {
			int next = i;

			for (int k = 0; k < turns && dtype_is_float(from[i].type.dtype); k++)
				do
					next = (next + 1) % n;
				while (!type_equal(&from[next].type, &from[i].type));
			to[next] = from[i];
		}
		e->c.point[p] = to;
	}
}

/* Whether the row shows nothing about the operand: what is due is 0, and so is the answer. */
static bool is_empty(const struct variant_row *r)
{
	bool empty = r->decided && !r->fails && r->of && r->expected == 0;

	for (int i = 0; i < r->n_element; i++)
		empty &= r->element_expected[i] == 0;
	return empty;
}

void lab_mix_tangents(struct edit *e, int turns)
{
	static const double tangents[] = {1, -0.75, 0.5, -1.25};
	enum { TANGENTS = sizeof tangents / sizeof *tangents };
	struct transform *t = &e->c.transform[0];

	if (e->c.n_transform != 1 || t->kind != TRANSFORM_JVP)
		return;
	t->n_seed = t->n_wrt;
	t->seed = NEW(e->arena, struct tensor, t->n_wrt);
	for (int k = 0; k < t->n_wrt; k++) {
		t->seed[k] = tensor_new(e->arena, edit_type(e, e->c.program.top.param + t->wrt[k]));
		for (int i = 0, n = shape_elements(&t->seed[k].type.shape); i < n; i++)
			edit_round(t->seed[k].type.dtype, tangents[(i + k + turns) % TANGENTS], &t->seed[k].at[i]);
	}
}

bool lab_use_alone(struct edit *e, const struct use *u)
{
	const int own = split_value(e, u);

	if (own >= 0)
		lab_wrt(e, &own, 1);
	return own >= 0;
}

/* Makes all tangents of a single jvp 0 but the last.  The inputs stay differentiated. */
static void leave_last_tangent(struct edit *e)
{
	struct transform *t = &e->c.transform[0];

	for (int k = 0; k + 1 < t->n_seed; k++)
		edit_fill(&t->seed[k], 0);
}

/*
 * Judges the derivative by the own input: alone, or besides those of the request, which then have tangents of 0. turns:
 * the numbers of the inputs are exchanged so often, which may select another operand of a maximum, clamp or select.
 */
static const struct variant_row *try_use(struct lab *l, const struct use *u, bool alone, int turns)
{
	struct edit e = lab_edit_of(l, l->typical);
	const struct transform *t = request_outermost(l->typical->transform, l->typical->n_transform);
	const bool forward = lab_kind(l) == TRANSFORM_JVP;
	const struct variant_row *row;
	int wrt[LIMIT_ARGS], n = 0, own;

	rotate_inputs(&e, turns);
	own = split_value(&e, u);
	if (own < 0)
		return NULL;
	for (int i = 0; !alone && t && i < t->n_wrt; i++)
		wrt[n++] = t->wrt[i];
	wrt[n++] = own;
	lengthen_solutions(&e);
	lab_wrt(&e, wrt, n);
	lab_mix_tangents(&e, turns);
	if (!alone && forward)
		leave_last_tangent(&e);
	l->focus = alone || forward ? -1 : n - 1;
	row = lab_try_now(l, &e,
	    (const char *const[]){u->name, alone ? "alone" : "with the others",
	        LAB_TEXT(l, turns ? "v%d, inputs exchanged" : "v%d", u->value)});
	l->focus = -1;
	return row;
}

static void try_ways(struct lab *l, const struct use *u, bool alone)
{
	enum { TURNS = 3 };
	const struct variant_row *row = try_use(l, u, alone, 0);
	const bool forward = lab_kind(l) == TRANSFORM_JVP;

	/* other numbers also show how much of the way in which it is wrong is an accident */
	if (alone && row && row->fails)
		try_use(l, u, alone, 1);
	for (int turns = 1; row && (is_empty(row) || (forward && !row->fails)) && turns < TURNS; turns++)
		row = try_use(l, u, alone, turns);
}

/* The place of the first use of the value from outside among all operands in regions of the node; -1: there is none. */
static int first_use(const struct node *n, int value)
{
	struct region whole = {.n_node = 1, .node = (struct node[]){*n}};
	int place = 0;

	for (struct walk w = walk_nodes(&whole); walk_next(&w);)
		for (int i = 0; w.depth && i < w.node->n_arg; i++, place++)
			if (w.node->arg[i] == value)
				return place;
	for (int r = 0; r < n->n_region; r++)
		if (!region_defines(&n->region[r], value) && region_reads(&n->region[r], value))
			return place;
	return -1;
}

/* The values from outside that regions of the node use, in the order of their first uses. */
static int list_captures(const struct edit *e, const struct node *n, int out[LAB_USES])
{
	int place[LAB_USES], found = 0, at;

	for (int v = 0; v < e->c.program.n_value && found < LAB_USES; v++) {
		bool inside = false;

		for (int r = 0; r < n->n_region; r++)
			inside |= region_defines(&n->region[r], v);
		at = inside || !dtype_is_float(edit_type(e, v)->dtype) ? -1 : first_use(n, v);
		if (at < 0)
			continue;
		int i = found++;
		for (; i > 0 && place[i - 1] > at; i--) {
			place[i] = place[i - 1];
			out[i] = out[i - 1];
		}
		place[i] = at;
		out[i] = v;
	}
	return found;
}

/* ", the operand of custom there": of a captured value that one op of a region reads, unless that is elementwise. */
static const char *inner_use(struct lab *l, const struct node *n, int value)
{
	struct region whole = {.n_node = 1, .node = (struct node[]){*n}};
	const struct node *reader = NULL;
	int operand = 0;

	for (struct walk w = walk_nodes(&whole); walk_next(&w);)
		for (int i = 0; w.depth && i < w.node->n_arg; i++)
			if (w.node->arg[i] == value) {
				if (reader)
					return "";
				reader = w.node;
				operand = i;
			}
	if (!reader || op_table[reader->op].family == FAMILY_UNARY || op_table[reader->op].family == FAMILY_BINARY)
		return "";
	return LAB_TEXT(l, ", the %s of %s there", operand_name(reader, operand, l->arena), op_table[reader->op].name);
}

int lab_uses_of(struct lab *l, const struct testcase *c, struct use out[LAB_USES])
{
	struct edit e = {.c = *c};
	struct site s;
	int n = 0;

	for (struct walk w = walk_nodes(&e.c.program.top); edit_next(&e, &w, &s);) {
		const char *op = op_table[s.node->op].name;
		int captured[LAB_USES], captures = 0;

		for (int i = 0; i < s.node->n_arg && n < LAB_USES; i++) {
			const char *name = LAB_TEXT(l, "%s of %s", operand_name(s.node, i, l->arena), op);

			if (dtype_is_float(edit_type(&e, s.node->arg[i])->dtype))
				out[n++] = (struct use){w.number, s.node->op, i, s.node->arg[i], s.top, name,
				    LAB_TEXT(l, "%s of %s", operand_group(s.node, i), op), name};
		}
		if (s.top && captured_name(s.node->op))
			captures = list_captures(&e, s.node, captured);
		for (int i = 0; i < captures && n < LAB_USES; i++) {
			const char *group = LAB_TEXT(l, "%s of %s", captured_words(s.node, captured[i], true), op),
			           *place = captures < 2 || s.node->op == OP_COND ? ""
			    : i                                                   ? "later "
			                                                          : "first ";

			out[n++] = (struct use){w.number, s.node->op, -1, captured[i], s.top,
			    LAB_TEXT(l, "%s%s of %s%s", place, captured_words(s.node, captured[i], false), op,
			        inner_use(l, s.node, captured[i])),
			    group, group};
		}
	}
	return n;
}

int lab_uses(struct lab *l, struct use out[LAB_USES]) { return lab_uses_of(l, l->typical, out); }

/* Whether a right engine finds a derivative through the use that is not 0. */
static bool use_counts(struct lab *l, const struct testcase *c, const struct use *u)
{
	struct edit e = {.arena = &l->scratch, .primal = l->primal, .c = testcase_copy(c, &l->scratch)};
	struct answer *answer = NEW(&l->scratch, struct answer, c->n_point);
	bool counts = false;
	const int own = split_value(&e, u);

	if (own < 0)
		return true;
	lab_wrt(&e, &own, 1);
	if (e.c.n_transform == 1) /* the engine has no jvp */
		e.c.transform[0].kind = TRANSFORM_VJP;
	if (!edit_finish(&e, false))
		return true;
	engine_answer(l->primal, &e.c, &l->scratch, answer);
	for (int p = 0; p < e.c.n_point; p++)
		for (int k = 0; k < answer[p].n_derivative; k++)
			for (int i = 0; i < shape_elements(&answer[p].derivative[k].type.shape); i++)
				counts |= answer[p].derivative[k].at[i].f != 0;
	return counts || answer[0].status != ANSWER_OK;
}

bool lab_role_counts(struct lab *l, const struct testcase *c)
{
	struct use uses[LAB_USES];
	bool found = false;
	const int n = l->n_blamed ? lab_uses_of(l, c, uses) : 0;

	if (request_order(c->transform, c->n_transform) < c->n_transform)
		return true; /* a batch would be removed */
	for (int i = 0; i < n; i++)
		for (int k = 0; k < l->n_blamed; k++) {
			if (!l->blamed[k].role || strcmp(uses[i].role, l->blamed[k].role) != 0)
				continue;
			found = true;
			if (use_counts(l, c, &uses[i]))
				return true;
		}
	return !found;
}

void experiment_contributions(struct lab *l)
{
	const struct transform *t = request_outermost(l->typical->transform, l->typical->n_transform);
	struct use uses[LAB_USES];
	int n;

	lab_columns(l, (const char *const[]){"operand", "differentiated", "value"}, 3);
	if (!t || request_order(l->typical->transform, l->typical->n_transform) < l->typical->n_transform)
		return; /* a batch would be removed */
	n = lab_uses(l, uses);
	for (int i = 0; i < n; i++) {
		try_ways(l, &uses[i], true);
		if (l->typical->n_transform == 1)
			try_ways(l, &uses[i], false);
	}
}

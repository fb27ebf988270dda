/*
 * single_steps.c: which iteration of a loop is wrong.  In one iteration alone the step computes; in all others it adds
 * a number to each carry.  Integers that the loop carries count up by one, so that they differ in each iteration.
 */
#include <string.h>

#include "graph/walk.h"
#include "lab_edit.h"

enum { ITERATIONS = 4, FEWEST = 3 };

/* A carry plus a number, at the end of the body. */
static int plus(struct edit *e, struct region *body, int carry, double number)
{
	const struct type type = *edit_type(e, carry);
	const int by = edit_insert_fill(e, body, body->n_node, &type, number);

	return edit_insert_binary(e, body, body->n_node, OP_ADD, carry, by, &type);
}

static int chosen_of(struct edit *e, struct region *body, int now, int value, int other)
{
	const int chosen = edit_new_values(e, edit_type(e, value), 1);

	edit_insert_node(e, body, body->n_node,
	    &(struct node){.op = OP_SELECT,
	        .arg = arena_copy(e->arena, (int[]){now, value, other}, 3, sizeof(int)),
	        .n_arg = 3,
	        .out = chosen,
	        .n_out = 1});
	return chosen;
}

/* Whether the iteration is number k, as a value at the end of the body; -1: there is no room.  It comes from the number
 * of the iteration, a row, or a counter.  *l becomes the loop. */
static int is_iteration(struct edit *e, const struct site *s, int k, struct node_loop *l, int *counter)
{
	const struct type index = {.dtype = DTYPE_I64}, boolean = {DTYPE_BOOL, shape_scalar()},
	                  flags = {DTYPE_BOOL, {1, {ITERATIONS}}};
	struct tensor rows = tensor_new(e->arena, &flags);
	int number, row;

	rows.at[k].i = 1;
	*l = node_loop(s->node);
	if (s->node->op == OP_SCAN ? !edit_add_rows(e, s, &rows, &row)
	                           : !l->n_index && !edit_add_counter(e, s, counter))
		return -1;
	if (!l->n_index)
		*l = node_loop(&s->region->node[s->index + 1]);
	if (l->node->op == OP_SCAN)
		return row;
	number = edit_insert_fill(e, l->body, l->body->n_node, &index, k);
	return edit_insert_binary(
	    e, l->body, l->body->n_node, OP_EQ, l->n_index ? l->body->param : *counter, number, &boolean);
}

/* Lets the loop at s compute in iteration k alone.  rows: it stacks numbers in all others. */
static bool step_once(struct edit *e, struct site *s, int number, int k, bool rows)
{
	struct node_loop l = node_loop(s->node);
	int counter = -1, now;

	if (l.until && !edit_run_out(e, s))
		return false;
	if (!edit_set_trip(e, s, ITERATIONS))
		return false;
	edit_site(e, number, s);
	now = is_iteration(e, s, k, &l, &counter);
	for (int i = 0; i < l.n_carry && now >= 0; i++) {
		const int carry = l.first_param + i;
		const enum dtype d = edit_type(e, carry)->dtype;

		if (dtype_is_float(d))
			l.body->result[i] = chosen_of(e, l.body, now, l.body->result[i], plus(e, l.body, carry, 0.25));
		else if (carry != counter && d != DTYPE_BOOL)
			l.body->result[i] = plus(e, l.body, carry, 1);
	}
	for (int i = l.n_carry; i < l.n_carry + l.n_ys && now >= 0 && rows; i++) {
		const struct type type = *edit_type(e, l.body->result[i]);

		if (dtype_is_float(type.dtype))
			l.body->result[i] = chosen_of(e, l.body, now, l.body->result[i],
			    edit_insert_fill(e, l.body, l.body->n_node, &type, 0.25));
	}
	return now >= 0;
}

static void try_use(struct lab *l, const struct use *u, bool rows)
{
	for (int k = 0; k < ITERATIONS; k++) {
		struct edit e = lab_edit_of(l, l->typical);
		struct site s;

		if (!lab_use_alone(&e, u) || !edit_site(&e, u->site, &s) || !step_once(&e, &s, u->site, k, rows) ||
		    !edit_finish(&e, true))
			continue;
		lab_mix_tangents(&e, 0);
		lab_try(l, &e, (const char *const[]){u->name, LAB_TEXT(l, "%d", k), rows ? "numbers" : LAB_AS_IT_IS});
	}
}

void experiment_single_steps(struct lab *l)
{
	const struct transform *t = request_outermost(l->typical->transform, l->typical->n_transform);
	struct use uses[LAB_USES];
	const int n = lab_uses(l, uses);

	lab_columns(l, (const char *const[]){"operand", "computes in iteration", "other rows"}, 3);
	if (!t || l->typical->n_transform > 1 || lab_kills(l))
		return;
	l->apart = true;
	for (int i = 0; i < n; i++)
		for (int rows = 0; rows < 1 + (uses[i].op == OP_SCAN); rows++)
			if (uses[i].top && op_is_loop(uses[i].op) && lab_blames(l, &uses[i]))
				try_use(l, &uses[i], rows);
	l->apart = false;
}

/* ---- what it says ---- */

/* Whether the row tells: a right derivative of 0 does not. */
static bool tells(const struct variant_row *r)
{
	bool zero = r->expected == 0;

	for (int i = 0; i < r->n_element; i++)
		zero &= r->element_expected[i] == 0;
	return r->decided && (r->fails || !zero);
}

/* Whether the rows of an operand, from `first` on, are enough, and just those at that place fail. */
static bool rows_show(struct lab *l, const struct variant_table *t, int first, enum place p, struct support *s)
{
	int seen[2] = {0};
	bool shows = true;

	*s = (struct support){.table = (int)(t - l->out->table), .row = NEW(l->arena, int, ITERATIONS)};
	for (int i = first; i < t->n_row && i < first + ITERATIONS; i++) {
		const struct variant_row *r = &t->row[i];

		if (strcmp(r->cell[0], t->row[first].cell[0]) != 0 || strcmp(r->cell[2], t->row[first].cell[2]) != 0 ||
		    !tells(r))
			continue;
		shows &= r->fails == lab_is_at(p, r->cell[1][0] - '0', ITERATIONS);
		seen[r->fails]++;
		s->row[s->n_row++] = i;
	}
	return shows && seen[0] && seen[1] && s->n_row >= FEWEST;
}

bool lab_step_is_at(struct lab *l, const char *operand, enum place p)
{
	const struct variant_table *t = lab_find(l, "single_steps");
	bool tried = false;

	for (int i = 0; t && i < t->n_row; i++) {
		struct support s;

		if (strcmp(t->row[i].cell[0], operand) != 0 || t->row[i].cell[1][0] != '0')
			continue;
		if (rows_show(l, t, i, p, &s))
			return true;
		tried |= s.n_row >= FEWEST;
	}
	return !tried;
}

void lab_state_single_steps(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "single_steps");

	for (int i = 0; i < l->out->n_statement; i++)
		if (!strcmp(l->out->statement[i].id, "positions"))
			return; /* it says as much */
	for (int i = 0; t && i < t->n_row; i++)
		for (int p = 0; p < PLACES && t->row[i].cell[1][0] == '0'; p++) {
			struct support s;

			if (!rows_show(l, t, i, (enum place)p, &s))
				continue;
			lab_say(l, "positions", STATEMENT_SHOWN, &s, 1,
			    "Where all other iterations only add a number, the derivative is wrong in %s alone.",
			    lab_place_text((enum place)p, true));
			return;
		}
}

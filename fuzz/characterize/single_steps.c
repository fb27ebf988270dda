/*
 * single_steps.c: which iteration of a loop is wrong.  In one iteration alone the step computes; in all others it adds
 * a number to each carry.  Integers that the loop carries count up by one, so that they differ in each iteration.
 */
#include <string.h>

#include "graph/walk.h"
#include "lab_edit.h"

enum {
	ITERATIONS = 4,
	FEWEST = 3,
	DRAWN = 16, /* programs */
	DRAWS = 4 * DRAWN,
	FIRST_DRAW = 1 << 21 /* numbers that nothing else uses */
};

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

/* Rows of the operand, of case c, in which its loop computes in one iteration alone. */
static void try_use(struct lab *l, const struct testcase *c, const struct use *u, const char *name, const char *of)
{
	for (int rows = 0; rows < 1 + (u->op == OP_SCAN); rows++)
		for (int k = 0; k < ITERATIONS; k++) {
			struct edit e = lab_edit_of(l, c);
			struct site s;

			if (!lab_use_alone(&e, u) || !edit_site(&e, u->site, &s) ||
			    !step_once(&e, &s, u->site, k, rows) || !edit_finish(&e, true))
				continue;
			lab_mix_tangents(&e, 0);
			lab_try(l, &e,
			    (const char *const[]){name, LAB_TEXT(l, "%d", k), rows ? "numbers" : LAB_AS_IT_IS, of});
		}
}

/* The same of drawn programs: by an accident of its numbers, some iterations of the typical case may be right. */
static void try_drawn(struct lab *l, const struct use *u)
{
	struct use uses[LAB_USES];
	int tried = 0;

	for (int k = 0; k < DRAWS && tried < DRAWN && !lab_over(l); k++) {
		struct testcase *c = NEW(l->arena, struct testcase, 1), drawn;
		int n;

		if (!lab_draw_alone(l, u->op, FIRST_DRAW + k, &drawn))
			continue;
		*c = testcase_copy(&drawn, l->arena);
		n = lab_uses_of(l, c, uses);
		for (int i = 0; i < n; i++)
			if (uses[i].top && uses[i].op == u->op && !strcmp(uses[i].role, u->role)) {
				try_use(l, c, &uses[i], u->name, LAB_TEXT(l, "drawn %d", k));
				tried++;
				break;
			}
	}
}

void experiment_single_steps(struct lab *l)
{
	const struct transform *t = request_outermost(l->typical->transform, l->typical->n_transform);
	struct use uses[LAB_USES];
	const int n = lab_uses(l, uses);

	lab_columns(l, (const char *const[]){"operand", "computes in iteration", "other rows", "case"}, 4);
	if (!t || l->typical->n_transform > 1 || lab_kills(l))
		return;
	l->apart = true;
	for (int i = 0; i < n; i++)
		if (uses[i].top && op_is_loop(uses[i].op) && lab_blames(l, &uses[i])) {
			try_use(l, l->typical, &uses[i], uses[i].name, "typical");
			try_drawn(l, &uses[i]);
		}
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

/* Whether a row of the same case and operand, with such rows, fails.  A case that is right says nothing. */
static bool case_fails(const struct variant_table *t, const struct variant_row *of)
{
	for (int i = 0; i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];

		if (row_fails(r, NULL) && !strcmp(r->cell[0], of->cell[0]) && !strcmp(r->cell[2], of->cell[2]) &&
		    !strcmp(r->cell[3], of->cell[3]))
			return true;
	}
	return false;
}

/* The rows of an operand that tell, with other rows that are numbers or not. */
struct steps {
	int n;                                   /* iterations of which a row tells */
	bool any[ITERATIONS], fails[ITERATIONS]; /* a row tells; one fails */
	struct support rows;
};

static struct steps steps_of(struct lab *l, const struct variant_table *t, const char *operand, const char *rows)
{
	struct steps s = {.rows = {(int)(t - l->out->table), 0, NEW(l->arena, int, t->n_row)}};

	for (int i = 0; i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];
		const int k = r->cell[1][0] - '0';

		if (strcmp(r->cell[0], operand) != 0 || strcmp(r->cell[2], rows) != 0 || !tells(r) || !case_fails(t, r))
			continue;
		s.n += !s.any[k];
		s.any[k] = true;
		s.fails[k] |= r->fails;
		s.rows.row[s.rows.n_row++] = i;
	}
	return s;
}

/* Whether the rows are enough, and just the iterations at that place fail. */
static bool steps_show(const struct steps *s, enum place p)
{
	int seen[2] = {0};
	bool shows = true;

	for (int k = 0; k < ITERATIONS; k++) {
		shows &= !s->any[k] || s->fails[k] == lab_is_at(p, k, ITERATIONS);
		seen[s->fails[k]] += s->any[k];
	}
	return shows && seen[0] && seen[1] && s->n >= FEWEST;
}

static const char *const other_rows[] = {LAB_AS_IT_IS, "numbers"};

bool lab_step_is_at(struct lab *l, const char *operand, enum place p)
{
	const struct variant_table *t = lab_find(l, "single_steps");
	bool tried = false;

	for (int k = 0; t && k < 2; k++) {
		const struct steps s = steps_of(l, t, operand, other_rows[k]);

		if (steps_show(&s, p))
			return true;
		tried |= s.n >= FEWEST;
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
		for (int k = 0; k < 2 && (!i || strcmp(t->row[i].cell[0], t->row[i - 1].cell[0]) != 0); k++) {
			const struct steps s = steps_of(l, t, t->row[i].cell[0], other_rows[k]);
			int p = 0;

			while (p < PLACES && !steps_show(&s, (enum place)p))
				p++;
			if (p == PLACES)
				continue;
			lab_say(l, "positions", STATEMENT_SHOWN, &s.rows, 1,
			    "Where all other iterations only add a number, the derivative is wrong in %s alone.",
			    lab_place_text((enum place)p, true));
			return;
		}
}

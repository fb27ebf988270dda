/*
 * iterations.c: in which iteration the derivative by a captured value is wrong.  The body adds an input to that value
 * in one iteration alone, and the case differentiates that input.
 */
#include <string.h>

#include "graph/walk.h"
#include "lab_edit.h"

enum { ITERATIONS = 4, FEWEST = 3 };

/* The input in iteration k, else zeros: two constants, a comparison and a select at the begin of the body. */
static int only_in_iteration(struct edit *e, struct region *body, int own, int k)
{
	const struct type index = *edit_type(e, body->param), boolean = {DTYPE_BOOL, shape_scalar()},
	                  type = *edit_type(e, own);
	const int number = edit_insert_fill(e, body, 0, &index, k), zeros = edit_insert_fill(e, body, 1, &type, 0),
	          now = edit_insert_binary(e, body, 2, OP_EQ, body->param, number, &boolean),
	          chosen = edit_new_values(e, &type, 1);

	edit_insert_node(e, body, 3,
	    &(struct node){.op = OP_SELECT,
	        .arg = arena_copy(e->arena, (int[]){now, own, zeros}, 3, sizeof(int)),
	        .n_arg = 3,
	        .out = chosen,
	        .n_out = 1});
	return chosen;
}

/* Lets the loop read, in iteration k, its captured value plus a new input of zeros, which is differentiated. */
static bool add_in_iteration(struct edit *e, const struct use *u, int k)
{
	struct region *top = &e->c.program.top, *body;
	const int input = u->value - top->param;
	const bool is_input = input >= 0 && input < top->n_param;
	const struct type type = *edit_type(e, u->value);
	const struct tensor zeros = tensor_new(e->arena, &type);
	int own, value, sum;
	struct site s;

	if (!edit_site(e, u->site, &s) || s.node->op != OP_FOR || !edit_set_trip(e, &s, ITERATIONS) ||
	    top->n_param == LIMIT_ARGS)
		return false;
	own = edit_add_input(e, &zeros, false);
	value = is_input ? top->param + input : u->value; /* inputs are numbered anew */
	edit_site(e, u->site, &s);
	body = &s.node->region[0];
	own = only_in_iteration(e, body, own, k);
	sum = edit_insert_binary(e, body, 4, OP_ADD, value, own, &type);
	lab_replace_inside(s.node, value, sum);
	body->node[4].arg[0] = value;
	lab_wrt(e, (const int[]){top->n_param - 1}, 1);
	return true;
}

void experiment_iterations(struct lab *l)
{
	const struct transform *t = request_outermost(l->typical->transform, l->typical->n_transform);
	struct use uses[LAB_USES];
	const int n = lab_uses(l, uses);

	lab_columns(l, (const char *const[]){"operand", "counts in iteration"}, 2);
	if (!t || l->typical->n_transform > 1 || lab_kills(l))
		return;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < ITERATIONS && uses[i].top && uses[i].operand < 0 && lab_blames(l, &uses[i]); k++) {
			struct edit e = lab_edit_of(l, l->typical);

			if (add_in_iteration(&e, &uses[i], k))
				lab_try(l, &e, (const char *const[]){uses[i].name, LAB_TEXT(l, "%d", k)});
		}
}

/* ---- what it says ---- */

/* Whether just the rows at that place are wrong, of the rows of the operand that tell; there are some of both kinds. */
static bool rows_show(struct lab *l, const struct variant_table *t, int first, enum place p, struct support *s)
{
	int seen[2] = {0};

	*s = (struct support){.table = (int)(t - l->out->table), .row = NEW(l->arena, int, ITERATIONS)};
	for (int i = first; i < t->n_row && i < first + ITERATIONS; i++) {
		const struct variant_row *r = &t->row[i];

		if (strcmp(r->cell[0], t->row[first].cell[0]) != 0 || !r->decided || (!r->fails && r->expected == 0))
			continue;
		if (r->fails != lab_is_at(p, r->cell[1][0] - '0', ITERATIONS))
			return false;
		seen[r->fails]++;
		s->row[s->n_row++] = i;
	}
	return seen[0] && seen[1] && s->n_row >= FEWEST;
}

void lab_state_iterations(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "iterations");

	for (int i = 0; t && i < t->n_row; i++)
		for (int p = 0; p < PLACES && (!i || strcmp(t->row[i].cell[0], t->row[i - 1].cell[0]) != 0); p++) {
			struct support s;

			if (!rows_show(l, t, i, (enum place)p, &s) ||
			    !lab_step_is_at(l, t->row[i].cell[0], (enum place)p))
				continue;
			lab_say(l, "positions", STATEMENT_SHOWN, &s, 1,
			    "Of what the %s gets, only the part of %s is wrong.", t->row[i].cell[0],
			    lab_place_text((enum place)p, true));
			return;
		}
}

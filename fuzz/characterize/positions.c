/*
 * positions.c: which elements of a wrong derivative are wrong, by their place along an axis: the first, the last, every
 * other one.  The axis gets several extents, since in a short one many places look alike.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab_edit.h"

enum { USES = 3, SHORT = 4, FEWEST_ROWS = 3 };
static const int extents[] = {5, 6, 7};
enum { EXTENTS = sizeof extents / sizeof *extents };

/* ---- the experiment ---- */

bool lab_lengthen(struct edit *e, const struct use *u, int from, int to)
{
	struct site s;
	struct node_loop l;

	if (!edit_site(e, u->site, &s))
		return false;
	l = node_loop(s.node);
	if (l.n_xs && u->operand >= l.first_arg + l.n_carry && !edit_set_trip(e, &s, to))
		return false;
	edit_change_extent(e, from, to);
	return edit_finish(e, false);
}

bool lab_blames(const struct lab *l, const struct use *u)
{
	for (int i = 0; i < l->n_blamed; i++)
		if (l->blamed[i].role && !strcmp(l->blamed[i].role, u->role))
			return true;
	return false;
}

/* By an odd number of places, so that no place stays, and none of every other one of an even number. */
static void turn(struct edit *e, struct tensor *x)
{
	const int n = shape_elements(&x->type.shape), by = n / 2 + (n / 2 % 2 == 0);
	const union cell *from;

	if (n < 2 || !dtype_is_float(x->type.dtype))
		return;
	from = arena_copy(e->arena, x->at, (size_t)n, sizeof *from);
	for (int k = 0; k < n; k++)
		x->at[k] = from[(k + by) % n];
}

void lab_turn_values(struct edit *e)
{
	for (int i = 0; i < e->c.program.top.n_param; i++)
		turn(e, &e->c.point[0][i]);
}

static void turn_seeds(struct edit *e)
{
	for (int i = 0; e->c.n_transform && i < e->c.transform[0].n_seed; i++)
		turn(e, &e->c.transform[0].seed[i]);
}

static void try_extents(struct lab *l, const struct use *u)
{
	const struct shape *s = &l->typical->program.type[u->value].shape;

	for (int d = 0; d < s->rank; d++) {
		bool before = false;

		for (int k = 0; k < d; k++)
			before |= s->extent[k] == s->extent[d];
		for (int k = 0; k < 2 * EXTENTS && !before && s->extent[d] > 1; k++) {
			struct edit e = lab_edit_of(l, l->typical);
			const int to = extents[k / 2];

			if (!lab_lengthen(&e, u, s->extent[d], to))
				continue;
			if (k % 2) {
				lab_turn_values(&e);
				turn_seeds(&e);
			}
			if (!lab_use_alone(&e, u))
				continue;
			lab_try(l, &e,
			    (const char *const[]){u->name, LAB_TEXT(l, "%d", s->extent[d]), LAB_TEXT(l, "%d", to),
			        k % 2 ? "turned" : "as they are"});
		}
	}
}

bool lab_goes_by_integers(const struct program *p, const struct use *u)
{
	for (int i = 0; i < p->top.n_node; i++)
		for (int k = 0; k < p->top.node[i].n_arg && p->top.node[i].op == u->op; k++)
			if ((!p->top.node[i].n_region || p->top.node[i].op == OP_SCATTER_APPLY) &&
			    !dtype_is_float(p->type[p->top.node[i].arg[k]].dtype))
				return true;
	return false;
}

void experiment_positions(struct lab *l)
{
	const struct transform *t = request_outermost(l->typical->transform, l->typical->n_transform);
	struct use uses[LAB_USES];
	const int n = lab_uses(l, uses);

	lab_columns(l, (const char *const[]){"operand", "extent was", "is", "values"}, 4);
	if (!t || l->typical->n_transform > 1 || l->typical->n_point > 1 || lab_kills(l))
		return;
	for (int i = 0, tried = 0; i < n && tried < USES; i++)
		if (uses[i].top && !lab_goes_by_integers(&l->typical->program, &uses[i]) && lab_blames(l, &uses[i])) {
			try_extents(l, &uses[i]);
			tried++;
		}
}

/* ---- what it says ---- */

static const char *const place_texts[PLACES][2] = {
    [PLACE_LAST] = {"the last element", "the last iteration"},
    [PLACE_FIRST] = {"the first element", "the first iteration"},
    [PLACE_NOT_FIRST] = {"elements after the first", "iterations after the first"},
    [PLACE_NOT_LAST] = {"elements before the last", "iterations before the last"},
    [PLACE_ODD] = {"elements 1, 3, 5 and so on", "iterations 1, 3, 5 and so on, counted from 0"},
    [PLACE_EVEN] = {"elements 0, 2, 4 and so on", "iterations 0, 2, 4 and so on, counted from 0"},
};

const char *lab_place_text(enum place p, bool iterations) { return place_texts[p][iterations]; }

bool lab_is_at(enum place p, int index, int extent)
{
	switch (p) {
	case PLACE_LAST:
		return index == extent - 1;
	case PLACE_FIRST:
		return index == 0;
	case PLACE_NOT_FIRST:
		return index > 0;
	case PLACE_NOT_LAST:
		return index < extent - 1;
	case PLACE_ODD:
		return index % 2 == 1;
	case PLACE_EVEN:
		return index % 2 == 0;
	case PLACES:
		break;
	}
	return false;
}

/* Whether just the elements at that place of the axis are wrong, of those that tell; there are some of both kinds. */
static bool wrong_at(const struct variant_row *r, const struct shape *s, int axis, enum place p)
{
	int stride[LIMIT_RANK], seen[2] = {0};

	shape_strides(s, stride);
	for (int i = 0; i < r->n_element; i++) {
		const double x = r->element_expected[i], y = r->element_returned[i];
		const bool wrong = isnan(y) || fabs(y - x) > fmax(r->radius, 1e-6 * fabs(x));

		if (isnan(x) || (x == 0 && y == 0))
			continue;
		if (wrong != lab_is_at(p, i / stride[axis] % s->extent[axis], s->extent[axis]))
			return false;
		seen[wrong]++;
	}
	return seen[0] && seen[1];
}

/* The shape of the derivative of a row: that of the only input that its case differentiates. */
static const struct shape *shape_of(const struct lab *l, const struct variant_row *r)
{
	const struct testcase *c = l->out->cases[r->case_number];

	return &c->program.type[c->program.top.param + c->transform[0].wrt[0]].shape;
}

/* Whether all rows of the operand that fail show that place; at least a few, with extents that tell. */
static bool rows_show(
    struct lab *l, const struct variant_table *t, const char *operand, int axis, enum place p, struct support *support)
{
	*support = (struct support){.table = (int)(t - l->out->table), .row = NEW(l->arena, int, t->n_row)};
	for (int i = 0; i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];
		const struct shape *s = shape_of(l, r);

		if (strcmp(r->cell[0], operand) != 0 || !row_fails(r, NULL) || axis >= s->rank ||
		    s->extent[axis] <= SHORT)
			continue;
		if (shape_elements(s) != r->n_element || !wrong_at(r, s, axis, p))
			return false;
		support->row[support->n_row++] = i;
	}
	return support->n_row >= FEWEST_ROWS;
}

void lab_state_positions(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "positions");

	if (l->finding.verdict != VERDICT_WRONG ||
	    request_outermost(l->base->transform, l->base->n_transform)->kind != TRANSFORM_VJP)
		return;
	for (int i = 0; t && i < t->n_row; i++) {
		const bool iterations = strstr(t->row[i].cell[0], "per-iteration input") != NULL;

		if (i && !strcmp(t->row[i].cell[0], t->row[i - 1].cell[0]))
			continue;
		for (int axis = 0; axis < LIMIT_RANK; axis++)
			for (int p = 0; p < PLACES; p++) {
				struct support s;
				const char *place = place_texts[p][iterations && !axis];

				if (!rows_show(l, t, t->row[i].cell[0], axis, (enum place)p, &s))
					continue;
				place = iterations && !axis ? place : LAB_TEXT(l, "%s along axis %d", place, axis);
				lab_say(l, "positions", STATEMENT_SHOWN, &s, 1, "Of the %s, only %s %s wrong.",
				    t->row[i].cell[0], place, p < PLACE_NOT_FIRST ? "is" : "are");
				return;
			}
	}
}

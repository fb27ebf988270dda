/*
 * single_seeds.c: a tangent in one element of an operand to blame.  So the table shows which elements of a tangent are
 * handed on wrongly, by their place along an axis.  Of a vjp, positions.c says so.
 */
#include <string.h>

#include "lab_edit.h"

enum { USES = 2, EXTENT = 5, FEWEST = 4 };

/* A seed of that type, which is 1 at place k of the axis, and elsewhere 0. */
static struct tensor single_seed(struct edit *e, const struct type *type, int axis, int k)
{
	struct tensor t = tensor_new(e->arena, type);
	int stride[LIMIT_RANK];

	shape_strides(&type->shape, stride);
	for (int i = 0, n = shape_elements(&type->shape); i < n; i++)
		if (i / stride[axis] % type->shape.extent[axis] == k)
			edit_round(type->dtype, 1, &t.at[i]);
	return t;
}

static void try_tangents(struct lab *l, const struct use *u)
{
	const struct shape s = l->typical->program.type[u->value].shape;

	for (int d = 0; d < s.rank; d++)
		for (int i = 0; i < 2 * EXTENT && s.extent[d] > 1; i++) {
			struct edit e = lab_edit_of(l, l->typical);
			const int k = i % EXTENT;
			const struct type *type;

			if (!lab_lengthen(&e, u, s.extent[d], EXTENT))
				continue;
			if (i >= EXTENT)
				lab_turn_values(&e);
			if (!lab_use_alone(&e, u))
				continue;
			type = edit_type(&e, e.c.program.top.param + e.c.transform[0].wrt[0]);
			if (type->shape.rank != s.rank || type->shape.extent[d] != EXTENT)
				continue;
			e.c.transform[0].n_seed = 1;
			e.c.transform[0].seed = NEW(e.arena, struct tensor, 1);
			e.c.transform[0].seed[0] = single_seed(&e, type, d, k);
			lab_try(l, &e,
			    (const char *const[]){u->name, LAB_TEXT(l, "%d", d), LAB_TEXT(l, "%d", k),
			        i < EXTENT ? "as they are" : "turned"});
		}
}

void experiment_single_seeds(struct lab *l)
{
	const struct testcase *c = l->typical;
	struct use uses[LAB_USES];
	const int n = lab_uses(l, uses);

	lab_columns(l, (const char *const[]){"seed of", "axis", "place", "values"}, 4);
	if (c->n_transform != 1 || c->transform[0].kind != TRANSFORM_JVP || c->n_point > 1 || lab_kills(l))
		return;
	l->apart = true;
	for (int i = 0, tried = 0; i < n && tried < USES; i++)
		if (uses[i].top && !lab_goes_by_integers(&c->program, &uses[i]) && lab_blames(l, &uses[i])) {
			try_tangents(l, &uses[i]);
			tried++;
		}
	l->apart = false;
}

/* ---- what it says ---- */

/* Whether both rows are of one operand and axis. */
static bool alike(const struct variant_row *r, const struct variant_row *q)
{
	return !strcmp(r->cell[0], q->cell[0]) && !strcmp(r->cell[1], q->cell[1]);
}

static bool is_due_zero(const struct variant_row *r)
{
	bool zero = r->expected == 0;

	for (int k = 0; k < r->n_element; k++)
		zero &= r->element_expected[k] == 0;
	return zero;
}

/*
 * Whether just the seeds at that place fail, of those from row `first` on that are of one operand and axis.  What moves
 * with the numbers has no place.  A derivative that is 0 and found to be 0 shows something only if another one that
 * should be 0 is not.
 */
static bool rows_show(struct lab *l, const struct variant_table *t, int first, enum place p, struct support *s)
{
	int seen[2] = {0}, end = first;
	bool not_zero = false;

	*s = (struct support){.table = (int)(t - l->out->table), .row = NEW(l->arena, int, 2 * EXTENT)};
	for (; end < t->n_row && end < first + 2 * EXTENT && alike(&t->row[end], &t->row[first]); end++)
		not_zero |= t->row[end].fails && is_due_zero(&t->row[end]);
	for (int i = first; i < end; i++) {
		const struct variant_row *r = &t->row[i];

		if (!r->decided || (!r->fails && !not_zero && is_due_zero(r)))
			continue;
		if (r->fails != lab_is_at(p, r->cell[2][0] - '0', EXTENT))
			return false;
		seen[r->fails]++;
		s->row[s->n_row++] = i;
	}
	return seen[0] && seen[1] && s->n_row >= FEWEST;
}

void lab_state_single_seeds(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "single_seeds");

	for (int i = 0; t && i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];
		struct support s;

		if (i && alike(r, &t->row[i - 1]))
			continue;
		for (int p = 0; p < PLACES; p++)
			if (rows_show(l, t, i, (enum place)p, &s)) {
				lab_say(l, "single-seeds", STATEMENT_SHOWN, &s, 1,
				    "With a tangent in one element of the %s alone, it fails only in %s along axis %s.",
				    r->cell[0], lab_place_text((enum place)p, false), r->cell[1]);
				return;
			}
	}
}

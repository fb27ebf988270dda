/*
 * carries.c: whether it matters how a loop hands values on: in which order, integers as integers, and the number of the
 * iteration as such.  The varied program computes the same.
 */
#include <string.h>

#include "fuzz/minimize/passes.h"
#include "lab_edit.h"
#include "rows.h"

enum { EXCHANGES = 6 }; /* of one program */

static void exchange_carries(struct lab *l, const struct testcase *c, const char *of)
{
	enum edit_result result = EDIT_SKIP;

	for (int k = 0, done = 0; result != EDIT_END && done < EXCHANGES; k++) {
		struct edit e = lab_edit_of(l, c);
		const int which = k % LIMIT_ARGS;
		struct site s;

		result = pass_order_carries(&e, k);
		if (result != EDIT_TRY || !edit_site(&e, k / LIMIT_ARGS, &s))
			continue;
		done++;
		lab_try(l, &e,
		    (const char *const[]){of, op_table[s.node->op].name,
		        which ? LAB_TEXT(l, "carries %d and %d", which + 1, which + 2) : "the first two carries"});
	}
}

/* The same loop with other carries, what the table calls that, and what it means if that one is right. */
static const struct {
	bool (*make)(struct edit *e, const struct site *s);
	const char *name, *matters, *with;
} others[] = {
    {edit_carry_floats, "integers, carried as floats", "A carry that is no float matters",
        "floats as its only carries"},
    {edit_count_by_carry, "the iteration number, now a carry", "The iteration number matters",
        "a carry that counts the iterations"},
};
enum { OTHERS = sizeof others / sizeof *others };

static void change_carries(struct lab *l, const struct testcase *c, const char *of)
{
	struct site s;

	for (int i = 0; i < OTHERS; i++)
		for (int k = 0;; k++) {
			struct edit e = lab_edit_of(l, c);

			if (!edit_site(&e, k, &s))
				break;
			const char *const op = op_table[s.node->op].name;

			if (others[i].make(&e, &s))
				lab_try(l, &e, (const char *const[]){of, op, others[i].name});
		}
}

static void try_carries(struct lab *l, const struct testcase *c, const char *of)
{
	exchange_carries(l, c, of);
	change_carries(l, c, of);
}

void experiment_carries(struct lab *l)
{
	lab_columns(l, (const char *const[]){"case", "loop", "changed"}, 3);
	try_carries(l, l->base, "smallest");
	if (l->typical == l->base)
		return;
	explanation_aside(l->explain, true, false);
	try_carries(l, l->typical, "typical");
}

/* Whether a row that passes has a number that is not 0, unless it is a number other than 0 that is wrong in the case.
 */
static bool shows_right(const struct variant_row *r, const void *self)
{
	const struct lab *l = self;
	bool any = r->expected != 0 || l->finding.expected == 0;

	for (int i = 0; i < r->n_element; i++)
		any |= r->element_expected[i] != 0;
	return row_passes(r, NULL) && r->of && any;
}

/* Whether both change the same of loops of one op. */
static bool same_change(const struct variant_row *x, const struct variant_row *y)
{
	return !strcmp(x->cell[1], y->cell[1]) && !strcmp(x->cell[2], y->cell[2]);
}

void lab_state_carries(struct lab *l, const struct variant_table *t)
{
	const struct support right = lab_support(l, t, shows_right, l);
	bool said[OTHERS + 1] = {false};

	for (int i = 0; i < right.n_row; i++) {
		const struct variant_row *r = &t->row[right.row[i]];
		const struct support one = {right.table, 1, &right.row[i]};
		bool fails = false;
		int which = 0;

		while (which < OTHERS && strcmp(r->cell[2], others[which].name) != 0)
			which++;
		for (int k = 0; k < t->n_row; k++)
			fails |= same_change(r, &t->row[k]) && row_fails(&t->row[k], NULL);
		if (fails || said[which])
			continue;
		said[which] = true;
		if (which == OTHERS)
			lab_say(l, "carries", STATEMENT_SHOWN, &one, 1,
			    "The order of carries matters: with %s of %s exchanged, the same program is right.",
			    r->cell[2], r->cell[1]);
		else
			lab_say(l, "carries", STATEMENT_SHOWN, &one, 1,
			    "%s: where %s has %s, the same program is right.", others[which].matters, r->cell[1],
			    others[which].with);
	}
}

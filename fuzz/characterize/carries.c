/* carries.c: whether the order of a loop's carries matters.  The program with two of them exchanged is the same. */
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

void experiment_carries(struct lab *l)
{
	lab_columns(l, (const char *const[]){"case", "loop", "exchanged"}, 3);
	exchange_carries(l, l->base, "smallest");
	if (l->typical == l->base)
		return;
	explanation_aside(l->explain, true, false);
	exchange_carries(l, l->typical, "typical");
}

/* Whether a row that passes has a number that is not 0. */
static bool shows_right(const struct variant_row *r, const void *self)
{
	bool any = r->expected != 0;

	(void)self;
	for (int i = 0; i < r->n_element; i++)
		any |= r->element_expected[i] != 0;
	return row_passes(r, NULL) && r->of && any;
}

/* Whether both are about the same carries of loops of one op. */
static bool same_exchange(const struct variant_row *x, const struct variant_row *y)
{
	return !strcmp(x->cell[1], y->cell[1]) && !strcmp(x->cell[2], y->cell[2]);
}

void lab_state_carries(struct lab *l, const struct variant_table *t)
{
	const struct support right = lab_support(l, t, shows_right, NULL);

	for (int i = 0; i < right.n_row; i++) {
		const struct variant_row *r = &t->row[right.row[i]];
		bool fails = false;

		for (int k = 0; k < t->n_row; k++)
			fails |= same_exchange(r, &t->row[k]) && row_fails(&t->row[k], NULL);
		if (fails)
			continue;
		lab_say(l, "carries", STATEMENT_SHOWN, &right, 1,
		    "The order of carries matters: with %s of %s exchanged, the same program is right.", r->cell[2],
		    r->cell[1]);
		return;
	}
}

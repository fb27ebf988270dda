/* statements.c: says what all tables show together, and what each shows, in the order in which people read it. */
#include <math.h>
#include <string.h>

#include "fit.h"
#include "rows.h"

/* Whether it returned another number than the truth; of two answers that differ neither is the truth. */
static bool row_is_off(const struct variant_row *r)
{
	return r->fails && row_has_numbers(r) && r->verdict != VERDICT_NONDETERMINISTIC;
}

static bool flips_sign(const struct variant_row *r, const void *self)
{
	(void)self;
	return row_is_off(r) && r->expected * r->returned < 0;
}

static bool wrong_primal(const struct variant_row *r, const void *self)
{
	(void)self;
	return r->decided && r->verdict == VERDICT_WRONG_PRIMAL && !r->engine;
}

static void state_forward(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "engines");
	const struct row_text primal = {1, "primal", false};
	struct support s[32];
	int wrong = 0, fails = 0, n = 0;

	for (int i = 0; i < l->out->n_table; i++) {
		wrong += rows_count(&l->out->table[i], wrong_primal, NULL);
		fails += rows_count(&l->out->table[i], row_fails, NULL);
	}
	if (l->finding.verdict == VERDICT_WRONG || l->finding.verdict == VERDICT_NAN_LEAK)
		s[n++] = lab_support(l, t, rows_with_text, &primal);
	for (int i = 0; i < l->out->n_table && n < 32; i++)
		s[n++] = lab_support(l, &l->out->table[i], wrong_primal, NULL);
	if (l->finding.verdict != VERDICT_WRONG && l->finding.verdict != VERDICT_NAN_LEAK) {
		if (wrong)
			lab_say(l, "forward", STATEMENT_SHOWN, s, n,
			    "The forward value is wrong in %d of the %d variants that fail.", wrong, fails);
	} else if (wrong) {
		lab_say(l, "forward", STATEMENT_SHOWN, s, n,
		    "The forward value is right here, and in all but %d of the %d variants that fail.", wrong, fails);
	} else {
		lab_say(l, "forward", STATEMENT_SHOWN, s, n,
		    "The forward value is right, here and in all %d variants that fail: only derivatives are wrong.",
		    fails);
	}
}

static void state_signs(struct lab *l)
{
	const struct variant_row *worst = NULL;
	struct support s[32], at = {0};
	int n = 0, flips = 0, *row = NEW(l->arena, int, 1);

	for (int i = 0; i < l->out->n_table; i++) {
		const struct variant_table *t = &l->out->table[i];

		for (int k = 0; k < t->n_row; k++) {
			const struct variant_row *r = &t->row[k];

			if (!row_is_off(r) || r->expected == 0 || r->engine)
				continue;
			if (!worst || fabs(r->returned / r->expected) > fabs(worst->returned / worst->expected)) {
				worst = r;
				row[0] = k;
				at = (struct support){i, 1, row};
			}
		}
		flips += rows_count(t, flips_sign, NULL);
		if (n < 32)
			s[n++] = lab_support(l, t, flips_sign, NULL);
	}
	if (flips)
		lab_say(l, "sign", STATEMENT_SHOWN, s, n, "The sign is wrong in %d variant%s.", flips,
		    flips > 1 ? "s" : "");
	if (worst && fabs(worst->returned / worst->expected) > 1.5)
		lab_say(l, "ratio", STATEMENT_SHOWN, &at, 1,
		    "The largest ratio of returned to expected is %.7g (returned %.7g, expected %.7g), in table %s.",
		    worst->returned / worst->expected, worst->returned, worst->expected, l->out->table[at.table].title);
}

/* A row of the engine under test that passes and has the same request as the base. */
static bool own_passes(const struct variant_row *r, const void *self)
{
	const struct lab *l = self;

	return row_passes(r, NULL) && !r->engine && lab_same_request(l, l->out->cases[r->case_number]);
}

/* Whether the condition separates the variants well: the shares of both kinds that it predicts, together. */
static bool separates(const struct condition *c)
{
	const double enough = 1.9;

	return (c->failing ? (double)c->failing_with / c->failing : 1) +
	    (c->passing ? (double)c->passing_without / c->passing : 1) >=
	    enough;
}

static bool has_statement(const struct lab *l, const char *id)
{
	for (int i = 0; i < l->out->n_statement; i++)
		if (!strcmp(l->out->statement[i].id, id))
			return true;
	return false;
}

/* Whether another statement, which stands in the cause, says what it depends on. */
static bool is_stated(const struct lab *l)
{
	static const char *const ids[] = {"counts", "directions", "small-loops", "carries"};

	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
		if (has_statement(l, ids[i]))
			return true;
	return false;
}

void lab_state(struct lab *l)
{
	const char *id;
	struct support s[32];
	int fails = 0, passes = 0;

	lab_state_counts(l);
	lab_state_positions(l);
	lab_state_iterations(l);
	lab_state_single_steps(l);
	lab_state_relatives(l);
	lab_state_directions(l);
	lab_state_single_seeds(l);
	lab_state_small_loops(l);
	lab_state_needed(l);
	state_forward(l);
	for (int i = 0; (id = lab_state_table(l, i)); i++) {
		if (!strcmp(id, "points")) {
			state_signs(l);
			lab_state_fits(l);
		}
	}
	for (int i = 0; i < l->out->n_table && i < 32; i++) {
		s[i] = lab_support(l, &l->out->table[i], row_fails, NULL);
		fails += s[i].n_row;
		passes += rows_count(&l->out->table[i], own_passes, l);
	}
	if (!l->out->condition && fails && !passes)
		lab_say(l, "condition", STATEMENT_SHOWN, s, l->out->n_table < 32 ? l->out->n_table : 32,
		    "Every variant with the same request as the finding fails.");
	else if (l->out->condition && !l->out->told && !(l->told && l->told->always) && !is_stated(l))
		lab_say(l, "condition", STATEMENT_OPEN, NULL, 0,
		    "What%s it depends on in this program is not determined.%s%s",
		    has_statement(l, "needed") ? " else" : "",
		    separates(l->out->condition) ? "  Over all variants, the best is: " : "",
		    separates(l->out->condition) ? l->out->condition->text : "");
	else if (!l->out->condition && l->out->n_table && !is_stated(l))
		lab_say(l, "condition", STATEMENT_OPEN, NULL, 0,
		    "No combination of up to three features separates failing variants from passing ones.");
}

/* sentences_request.c: the same of the tables about what is asked: inputs, points, seeds, order, batch, engine, run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab_edit.h"
#include "rows.h"
#include "sentences_request.h"

/* Another engine answered the request of the case itself. */
static bool of_other(const struct variant_row *r, const void *self)
{
	return r->decided && r->engine && r->fails == *(const bool *)self && !strcmp(r->cell[1], LAB_AS_IT_IS);
}

void lab_state_runs(struct lab *l, const struct variant_table *t)
{
	int fails = rows_count(t, row_fails, NULL), same = 0;
	struct support s = lab_support(l, t, rows_any, NULL);

	for (int i = 0; i < t->n_row; i++)
		same += t->row[i].verdict == t->row[0].verdict &&
		    bits_of(t->row[i].returned) == bits_of(t->row[0].returned);
	if (fails == t->n_row && same == t->n_row)
		lab_say(l, "runs", STATEMENT_RULED_OUT, &s, 1,
		    "Chance and earlier cases do not matter: all %d runs give the same result, the last of them in a "
		    "freshly started engine.",
		    t->n_row);
	else
		lab_say(l, "runs", STATEMENT_SHOWN, &s, 1,
		    "It fails in %d of %d runs; %d runs, counting the first, gave the result of the first.", fails,
		    t->n_row, same);
}

static bool of_inputs(const struct variant_row *r, const void *self)
{
	return r->decided && r->fails == *(const bool *)self && strchr(r->cell[0], ',') != NULL;
}

static bool of_one_input(const struct variant_row *r, const void *self)
{
	return r->decided && r->fails == *(const bool *)self && !strchr(r->cell[0], ',');
}

/* Whether each input of a list, such as "0, 2", has a row in which it alone is differentiated, that passes. */
static bool each_is_right(const struct variant_table *t, const struct support *right, const char *list)
{
	for (const char *at = list; *at;) {
		const size_t n = strcspn(at, ",");
		bool any = false;

		for (int i = 0; i < right->n_row; i++) {
			const char *alone = t->row[right->row[i]].cell[0];

			any = any || (strlen(alone) == n && !strncmp(alone, at, n));
		}
		if (!any)
			return false;
		at += n + strspn(at + n, ", ");
	}
	return true;
}

/* A derivative of order 2 or more that is wrong only between inputs. */
static void state_mixed(struct lab *l, const struct variant_table *t)
{
	const bool no = false, yes = true;
	struct support s[2] = {lab_support(l, t, of_inputs, &yes), lab_support(l, t, of_one_input, &no)},
	               one = lab_support(l, t, of_one_input, &yes);
	const char *list, *last;

	if (!s[0].n_row || one.n_row || request_order(l->base->transform, l->base->n_transform) < 2)
		return;
	list = t->row[s[0].row[0]].cell[0];
	last = strrchr(list, ',');
	if (each_is_right(t, &s[1], list))
		lab_say(l, "mixed", STATEMENT_SHOWN, s, 2,
		    "It is right where one of these inputs alone is differentiated, and wrong where inputs "
		    "%.*s and%s are together.",
		    (int)(last - list), list, last + 1);
}

/* A wrong value: whether it depends on which inputs are differentiated. */
static void state_value(struct lab *l, const struct variant_table *rows, int mode, const struct support s[2])
{
	static const char *const in_mode[] = {"In reverse mode", "In forward mode"};

	if (s[1].n_row)
		lab_say(l, "inputs", STATEMENT_SHOWN, s, 2,
		    "%s the value is wrong where inputs %s are differentiated, and right where inputs %s are.",
		    in_mode[mode], rows_list(l, rows, 0, true, 8), rows_list(l, rows, 0, false, 8));
	else
		lab_say(l, "inputs", STATEMENT_SHOWN, s, 1,
		    "%s the value is wrong, whichever inputs are differentiated (tried: %s).", in_mode[mode],
		    rows_list(l, rows, 0, true, 8));
}

/* Whether the finding is about an answer, and not about a number in it. */
static bool is_bad_answer(enum verdict v)
{
	return verdict_is_finding[v] && v != VERDICT_WRONG && v != VERDICT_NAN_LEAK;
}

/* The same of an answer that is bad as a whole. */
static void state_answer(struct lab *l, const struct variant_table *rows, int mode, const struct support s[2])
{
	lab_say(l, "inputs", STATEMENT_SHOWN, s, 2, "In %s mode it fails where inputs %s are differentiated%s.",
	    mode ? "forward" : "reverse", rows_list(l, rows, 0, true, 8),
	    rows_clause(l, ", and is right where inputs ", rows_list(l, rows, 0, false, 8)));
}

void lab_state_inputs(struct lab *l, const struct variant_table *t)
{
	static const char *const modes[] = {"vjp", "jvp"};
	static const char *const in_mode[] = {"In reverse mode the gradient", "In forward mode the derivative"};

	state_mixed(l, t);
	for (int m = 0; m < 2; m++) {
		const struct row_text fails = {1, modes[m], true}, passes = {1, modes[m], false};
		int n_fail = rows_count(t, rows_with_text, &fails), n_pass = rows_count(t, rows_with_text, &passes);
		struct support s[2] = {
		    lab_support(l, t, rows_with_text, &fails), lab_support(l, t, rows_with_text, &passes)};
		struct variant_table part = *t;

		if (!n_fail && !n_pass)
			continue;
		part.n_row = 0;
		part.row = NEW(l->arena, struct variant_row, t->n_row);
		for (int i = 0; i < t->n_row; i++)
			if (!strcmp(t->row[i].cell[1], modes[m]))
				part.row[part.n_row++] = t->row[i];
		/* If the case asks for this mode, the rows differ from it in inputs and seeds alone: the failure needs
		 * those. */
		const bool own = l->base->n_transform == 1 &&
		    !strcmp(transform_names[l->base->transform[0].kind], modes[m]);

		if (!n_fail && own)
			lab_say(l, "mode", STATEMENT_SHOWN, &s[1], 1,
			    "With other seeds, %s is right for every input alone.",
			    m ? "the derivative" : "the gradient");
		else if (!n_fail)
			lab_say(l, "mode", STATEMENT_RULED_OUT, &s[1], 1,
			    "%s of the same program is right for every input.", in_mode[m]);
		else if (l->finding.verdict == VERDICT_WRONG_PRIMAL)
			state_value(l, &part, m, s);
		else if (is_bad_answer(l->finding.verdict))
			state_answer(l, &part, m, s);
		else if (n_pass)
			lab_say(l, "inputs", STATEMENT_SHOWN, s, 2, "%s is wrong for inputs %s%s.", in_mode[m],
			    rows_list(l, &part, 0, true, 8),
			    rows_clause(l, ", and right for inputs ", rows_list(l, &part, 0, false, 8)));
		else
			lab_say(l, "inputs", STATEMENT_SHOWN, s, 1, "%s is wrong for every input (here: input%s %s).",
			    in_mode[m], n_fail > 1 ? "s" : "", rows_list(l, &part, 0, true, 8));
	}
}

void lab_state_points(struct lab *l, const struct variant_table *t)
{
	struct support fails = lab_support(l, t, row_fails, NULL), passes = lab_support(l, t, row_passes, NULL);
	const char *right = "", *list = "";
	double last = 0;
	bool grows = true;
	int n = 0, *row = NEW(l->arena, int, t->n_row);

	for (int i = 0; i < passes.n_row && i < 8; i++)
		right = LAB_TEXT(l, "%s%s%s", right, i ? ", " : "", t->row[passes.row[i]].cell[1]);
	if (fails.n_row && passes.n_row)
		lab_say(l, "points", STATEMENT_SHOWN, (const struct support[]){fails, passes}, 2,
		    "It fails at %d of %d points; it is right at %s%s.", fails.n_row, fails.n_row + passes.n_row, right,
		    passes.n_row > 8 ? " and others" : "");
	else if (fails.n_row)
		lab_say(l, "points", STATEMENT_SHOWN, &fails, 1, "It fails at all %d points tried.", fails.n_row);
	for (int i = 0; i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];
		double x = atof(r->cell[1]);

		if (strcmp(r->cell[0], "all") != 0 || x <= 0 || x > 0.5 || !r->fails || !row_has_numbers(r) ||
		    r->expected == 0)
			continue;
		if (n && !(fabs(r->returned / r->expected - 1) < fabs(last - 1)))
			grows = false;
		last = r->returned / r->expected;
		list = LAB_TEXT(l, "%s%s%.6g at %s", list, n ? ", " : "", last, r->cell[1]);
		row[n++] = i;
	}
	if (n > 2 && grows)
		lab_say(l, "near-zero", STATEMENT_SHOWN, &(struct support){(int)(t - l->out->table), n, row}, 1,
		    "The error grows towards 0: the ratio of returned to expected is %s.", list);
}

void lab_state_single_points(struct lab *l, const struct variant_table *t)
{
	struct support right = lab_support(l, t, row_passes, NULL);

	if (right.n_row > 1 && right.n_row == t->n_row)
		lab_say(l, "single-points", STATEMENT_SHOWN, &right, 1,
		    "It needs its %d points: each of them alone is right, in a freshly started engine.", right.n_row);
}

/* A direction about which nothing is known. */
static bool undecided_direction(const struct variant_row *r, const void *self)
{
	(void)self;
	return !r->decided && !strcmp(r->cell[1], "direction");
}

void lab_state_seeds(struct lab *l, const struct variant_table *t)
{
	const struct row_text fails = {1, "direction", true}, passes = {1, "direction", false};
	struct support s[2] = {lab_support(l, t, rows_with_text, &fails), lab_support(l, t, rows_with_text, &passes)};
	const int open = rows_count(t, undecided_direction, NULL);
	const char *which = open ? LAB_TEXT(l, " that were decided (%d %s not)", open, open > 1 ? "were" : "was") : "";

	if (s[0].n_row > 1 && !s[1].n_row)
		lab_say(l, "seeds", STATEMENT_RULED_OUT, s, 1,
		    "The seed does not matter: it fails for all %d directions drawn%s.", s[0].n_row, which);
	else if (s[0].n_row && s[1].n_row)
		lab_say(l, "seeds", STATEMENT_SHOWN, s, 2, "It fails for %d of %d directions drawn%s.", s[0].n_row,
		    s[0].n_row + s[1].n_row, which);
}

void lab_state_batches(struct lab *l, const struct variant_table *t)
{
	struct support s = lab_support(l, t, row_fails, NULL), p = lab_support(l, t, row_passes, NULL);
	bool each = false;

	if (lab_batched(l)) {
		if (s.n_row)
			lab_say(l, "batches", STATEMENT_SHOWN, &s, 1, "It fails without a batch of the request too.");
		else if (p.n_row && p.n_row == t->n_row)
			lab_say(l, "in-batch", STATEMENT_SHOWN, &p, 1,
			    "It fails only in a batch: each slice alone is right.");
		return;
	}
	for (int i = 0; i < s.n_row; i++)
		each = each || row_all_wrong(&t->row[s.row[i]]);
	if (s.n_row)
		lab_say(l, "batches", STATEMENT_SHOWN, &s, 1, "It fails in a batch too%s.",
		    each ? ": every slice gets its own wrong value" : "");
	else if (p.n_row)
		lab_say(l, "batches", STATEMENT_SHOWN, &p, 1, "It does not fail in a batch.");
}

/* The engines of these rows. */
static const char *engine_list(struct lab *l, const struct variant_table *t, const struct support *s)
{
	const char *list = "";

	for (int i = 0; i < s->n_row; i++)
		list = LAB_TEXT(l, "%s%s%s", list, *list ? ", " : "", t->row[s->row[i]].cell[0]);
	return list;
}

/* Only the request that fails tells which engines are right: an easier one may hide what is wrong. */
void lab_state_engines(struct lab *l, const struct variant_table *t)
{
	const bool no = false, yes = true;
	struct support right = lab_support(l, t, of_other, &no), wrong = lab_support(l, t, of_other, &yes);
	const char *list = engine_list(l, t, &right);

	if (right.n_row && !wrong.n_row)
		lab_say(l, "engines", STATEMENT_RULED_OUT, &right, 1,
		    "The program is not the cause: every other engine that answers is right (%s).", list);
	else if (wrong.n_row)
		lab_say(l, "engines", STATEMENT_SHOWN, &wrong, 1, "Other engines fail too: %s%s.",
		    engine_list(l, t, &wrong), rows_clause(l, "; right are ", list));
	if (!strncmp(engine_spec(l->bench->engine[0]), "compiled", 8) && strstr(list, "aot"))
		lab_say(l, "derivative-program", STATEMENT_RULED_OUT, &right, 1,
		    "The derivative program is not the cause: aot runs it op by op and is right.");
}

/* Selects the rows of the case itself, by whether they fail; a derivative of 0 that is right says nothing. */
static bool of_stack(const struct variant_row *r, const void *self)
{
	const bool fails = *(const bool *)self;

	return r->decided && r->fails == fails && !strcmp(r->cell[0], LAB_AS_IT_IS) && (fails || r->expected != 0);
}

/* "jvp, then vjp; vjp, then vjp": the requests of these rows that no row of `but` has. */
static const char *stack_list(
    struct lab *l, const struct variant_table *t, const struct support *s, const struct support *but)
{
	const char *list = "";

	for (int i = 0; i < s->n_row; i++) {
		const char *name = t->row[s->row[i]].cell[1];
		bool said = strstr(list, name) != NULL;

		for (int k = 0; but && k < but->n_row; k++)
			said |= !strcmp(t->row[but->row[k]].cell[1], name);
		if (!said)
			list = LAB_TEXT(l, "%s%s%s", list, *list ? "; " : "", name);
	}
	return list;
}

/* Of a case of order 2: with which modes it fails. */
static void state_stacks(struct lab *l, const struct variant_table *t)
{
	const bool no = false, yes = true;
	struct support s[2] = {lab_support(l, t, of_stack, &yes), lab_support(l, t, of_stack, &no)};
	const char *right = stack_list(l, t, &s[1], &s[0]);

	if (s[0].n_row && *right)
		lab_say(l, "stacks", STATEMENT_SHOWN, s, 2, "It fails as a %s, and is right as a %s.",
		    stack_list(l, t, &s[0], NULL), right);
}

void lab_state_orders(struct lab *l, const struct variant_table *t)
{
	struct support s = lab_support(l, t, row_fails, NULL), p = lab_support(l, t, row_passes, NULL);

	if (request_order(l->base->transform, l->base->n_transform) == 2) {
		state_stacks(l, t);
		return;
	}
	if (s.n_row && !t->row[s.row[0]].of)
		lab_say(l, "orders", STATEMENT_SHOWN, &s, 1, "The second derivative fails too: %s (%s).",
		    verdict_names[t->row[s.row[0]].verdict], t->row[s.row[0]].cell[1]);
	else if (s.n_row)
		lab_say(l, "orders", STATEMENT_SHOWN, &s, 1,
		    "The second derivative is wrong too: %.7g where %.7g is right (%s).", t->row[s.row[0]].returned,
		    t->row[s.row[0]].expected, t->row[s.row[0]].cell[1]);
	else if (p.n_row)
		lab_say(l, "orders", STATEMENT_SHOWN, &p, 1,
		    "The second derivative is right wherever the engine answers it: %s.", rows_list(l, t, 1, false, 4));
}

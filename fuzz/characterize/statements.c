/* statements.c: reads the tables of the experiments and says in sentences what they show. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "lab_edit.h"

/* ---- reading tables ---- */

static bool any_row(const struct variant_row *r, const void *self)
{
	(void)self;
	return r->decided;
}

static int count_rows(const struct variant_table *t, row_fn *keep, const void *self)
{
	int n = 0;

	for (int i = 0; t && i < t->n_row; i++)
		n += keep(&t->row[i], self);
	return n;
}

/* Selects the decided rows that fail (or pass) and have this text in a column. */
struct cell_is {
	int column;
	const char *text;
	bool fails;
};

static bool row_is(const struct variant_row *r, const void *self)
{
	const struct cell_is *c = self;

	return r->decided && r->fails == c->fails && !strcmp(r->cell[c->column], c->text);
}

/* The text, in brackets if it has a comma outside of parentheses and brackets: "[0, 2]" in a list is one item. */
static const char *list_item(struct lab *l, const char *text)
{
	int depth = 0;

	for (const char *c = text; *c; c++) {
		depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
		if (*c == ',' && !depth)
			return LAB_TEXT(l, "[%s]", text);
	}
	return text;
}

/*
 * Lists the different texts of a column: those with a row that fails, or those with a row that passes and none that
 * fails.  At most `most` of them, then "and N more"; "" if there are none.
 */
static const char *column_list(struct lab *l, const struct variant_table *t, int column, bool fail, int most)
{
	const char *list = "";
	int n = 0;

	for (int i = 0; i < t->n_row; i++) {
		const struct cell_is fails = {column, t->row[i].cell[column], true},
		                     passes = {column, t->row[i].cell[column], false};
		bool first = true;

		for (int k = 0; k < i; k++)
			first = first && strcmp(t->row[k].cell[column], fails.text) != 0;
		if (!first || !t->row[i].decided || (count_rows(t, row_is, &fails) > 0) != fail ||
		    (!fail && !count_rows(t, row_is, &passes)))
			continue;
		if (n++ < most)
			list = LAB_TEXT(l, "%s%s%s", list, *list ? ", " : "", list_item(l, fails.text));
	}
	return n > most ? LAB_TEXT(l, "%s and %d more", list, n - most) : list;
}

/* The words, then the list; "" if the list is empty. */
static const char *clause(struct lab *l, const char *words, const char *list)
{
	return *list ? LAB_TEXT(l, "%s%s", words, list) : "";
}

static bool has_numbers(const struct variant_row *r) { return r->of && isfinite(r->expected) && isfinite(r->returned); }

static bool flips_sign(const struct variant_row *r, const void *self)
{
	(void)self;
	return r->fails && has_numbers(r) && r->expected * r->returned < 0;
}

static bool wrong_primal(const struct variant_row *r, const void *self)
{
	(void)self;
	return r->decided && r->verdict == VERDICT_WRONG_PRIMAL && !r->engine;
}

static bool of_other(const struct variant_row *r, const void *self)
{
	return r->decided && r->engine && r->fails == *(const bool *)self;
}

/* ---- over all tables ---- */

/* Whether the row is about an op that replaces another, and the derivative is not 0. */
static bool is_sibling(const struct variant_row *r, const void *self)
{
	return r->decided && r->of && r->expected != 0 && !strcmp(r->cell[1], self) &&
	    strcmp(r->cell[1], r->cell[2]) != 0;
}

/* Says which siblings of an op to blame fail as it does, if all of them do. */
static void state_family(struct lab *l)
{
	enum { LISTED = 6 };
	const struct variant_table *t = lab_find(l, "ops");

	for (int i = 0; t && i < l->n_blamed; i++) {
		const char *op = op_table[l->blamed[i].op].name, *list;
		struct support s = lab_support(l, t, is_sibling, op);
		struct variant_table part = *t;
		int failing = 0;

		part.row = NEW(l->arena, struct variant_row, t->n_row);
		part.n_row = 0;
		for (int k = 0; k < s.n_row; k++) {
			failing += t->row[s.row[k]].fails;
			part.row[part.n_row++] = t->row[s.row[k]];
		}
		list = column_list(l, &part, 2, true, LISTED);
		if (!l->blamed[i].role || failing < s.n_row || !strchr(list, ','))
			continue;
		lab_say(l, "family", STATEMENT_SHOWN, &s, 1, "It fails alike with %s in place of %s.", list, op);
		return;
	}
}

static void state_forward(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "engines");
	const struct cell_is primal = {1, "primal", false};
	struct support s[32];
	int wrong = 0, fails = 0, n = 0;

	for (int i = 0; i < l->out->n_table; i++) {
		wrong += count_rows(&l->out->table[i], wrong_primal, NULL);
		fails += count_rows(&l->out->table[i], row_fails, NULL);
	}
	if (l->finding.verdict == VERDICT_WRONG || l->finding.verdict == VERDICT_NAN_LEAK)
		s[n++] = lab_support(l, t, row_is, &primal);
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

			if (!r->fails || !has_numbers(r) || r->expected == 0 || r->engine)
				continue;
			if (!worst || fabs(r->returned / r->expected) > fabs(worst->returned / worst->expected)) {
				worst = r;
				row[0] = k;
				at = (struct support){i, 1, row};
			}
		}
		flips += count_rows(t, flips_sign, NULL);
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

/* ---- table by table ---- */

static void state_runs(struct lab *l, const struct variant_table *t)
{
	int fails = count_rows(t, row_fails, NULL), same = 0;
	struct support s = lab_support(l, t, any_row, NULL);

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

static void state_inputs(struct lab *l, const struct variant_table *t)
{
	static const char *const modes[] = {"vjp", "jvp"};
	static const char *const in_mode[] = {"In reverse mode the gradient", "In forward mode the derivative"};

	for (int m = 0; m < 2; m++) {
		const struct cell_is fails = {1, modes[m], true}, passes = {1, modes[m], false};
		int n_fail = count_rows(t, row_is, &fails), n_pass = count_rows(t, row_is, &passes);
		struct support s[2] = {lab_support(l, t, row_is, &fails), lab_support(l, t, row_is, &passes)};
		struct variant_table part = *t;

		if (!n_fail && !n_pass)
			continue;
		part.n_row = 0;
		part.row = NEW(l->arena, struct variant_row, t->n_row);
		for (int i = 0; i < t->n_row; i++)
			if (!strcmp(t->row[i].cell[1], modes[m]))
				part.row[part.n_row++] = t->row[i];
		if (!n_fail)
			lab_say(l, "mode", STATEMENT_RULED_OUT, &s[1], 1,
			    "%s of the same program is right for every input.", in_mode[m]);
		else if (n_pass)
			lab_say(l, "inputs", STATEMENT_SHOWN, s, 2, "%s is wrong for inputs %s%s.", in_mode[m],
			    column_list(l, &part, 0, true, 8),
			    clause(l, ", and right for inputs ", column_list(l, &part, 0, false, 8)));
		else
			lab_say(l, "inputs", STATEMENT_SHOWN, s, 1, "%s is wrong for every input (here: input%s %s).",
			    in_mode[m], n_fail > 1 ? "s" : "", column_list(l, &part, 0, true, 8));
	}
}

/* Where it fails; and whether the relative error grows towards 0, over the sweep of small x > 0. */
static void state_points(struct lab *l, const struct variant_table *t)
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

		if (strcmp(r->cell[0], "all") != 0 || x <= 0 || x > 0.5 || !r->fails || !has_numbers(r) ||
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

static void state_seeds(struct lab *l, const struct variant_table *t)
{
	const struct cell_is fails = {1, "direction", true}, passes = {1, "direction", false};
	struct support s[2] = {lab_support(l, t, row_is, &fails), lab_support(l, t, row_is, &passes)};

	if (s[0].n_row > 1 && !s[1].n_row)
		lab_say(l, "seeds", STATEMENT_RULED_OUT, s, 1,
		    "The seed does not matter: it fails for all %d directions drawn.", s[0].n_row);
	else if (s[0].n_row && s[1].n_row)
		lab_say(l, "seeds", STATEMENT_SHOWN, s, 2, "It fails for %d of %d directions drawn.", s[0].n_row,
		    s[0].n_row + s[1].n_row);
}

static void state_trips(struct lab *l, const struct variant_table *t)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};

	if (s[0].n_row)
		lab_say(l, "trips", STATEMENT_SHOWN, s, 2, "It fails with %s iterations%s.",
		    column_list(l, t, 1, true, 8), clause(l, ", and is right with ", column_list(l, t, 1, false, 8)));
}

static void state_loops(struct lab *l, const struct variant_table *t)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};

	if (s[0].n_row && !s[1].n_row)
		lab_say(l, "loops", STATEMENT_RULED_OUT, s, 1,
		    "The kind of loop does not matter: the same iterations fail when written as %s.",
		    column_list(l, t, 0, true, 8));
	else if (s[0].n_row)
		lab_say(l, "loops", STATEMENT_SHOWN, s, 2, "The same iterations fail when written as %s%s.",
		    column_list(l, t, 0, true, 8), clause(l, ", and are right as ", column_list(l, t, 0, false, 8)));
}

static void state_bodies(struct lab *l, const struct variant_table *t)
{
	const char *const both = "c * x + y";
	const struct cell_is fails = {0, both, true}, passes = {0, both, false};
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};

	if (!s[0].n_row)
		return;
	lab_say(l, "bodies", STATEMENT_SHOWN, s, 2,
	    "With carry c and input x, the loop fails if its body computes %s%s.", column_list(l, t, 0, true, 20),
	    clause(l, "; it is right for ", column_list(l, t, 0, false, 20)));
	s[0] = lab_support(l, t, row_is, &fails);
	s[1] = lab_support(l, t, row_is, &passes);
	if (s[0].n_row && s[1].n_row && !strcmp(t->row[s[0].row[0]].cell[3], "x") &&
	    !strcmp(t->row[s[1].row[0]].cell[3], "y"))
		lab_say(l, "per-variable", STATEMENT_SHOWN, s, 2,
		    "With loop body %s, the derivative with respect to y is right, with respect to x it is wrong.",
		    both);
}

static void state_dtypes(struct lab *l, const struct variant_table *t)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};
	bool same = s[0].n_row > 0;

	for (int i = 0; i < t->n_row; i++)
		same = same && bits_of(t->row[i].returned) == bits_of(t->row[0].returned) && t->row[i].fails;
	if (s[0].n_row && !s[1].n_row && strchr(column_list(l, t, 0, true, 8), ',')) /* an engine may have one dtype */
		lab_say(l, "dtypes", STATEMENT_RULED_OUT, s, 1, "Precision and dtype do not matter: it fails in %s%s.",
		    column_list(l, t, 0, true, 8), same ? ", with the identical wrong value" : "");
	else if (s[0].n_row && s[1].n_row)
		lab_say(l, "dtypes", STATEMENT_SHOWN, s, 2, "It fails in %s%s.", column_list(l, t, 0, true, 8),
		    clause(l, ", and not in ", column_list(l, t, 0, false, 8)));
}

static bool elements_all_wrong(const struct variant_row *r)
{
	for (int i = 0; i < r->n_element; i++)
		if (r->element_expected[i] == r->element_returned[i])
			return false;
	return r->fails && r->n_element > 1;
}

static void state_shapes(struct lab *l, const struct variant_table *t)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};
	bool each = false, some = false;

	for (int i = 0; i < t->n_row; i++) {
		each = each || elements_all_wrong(&t->row[i]);
		some = some || (t->row[i].fails && t->row[i].n_element > 1 && !elements_all_wrong(&t->row[i]));
	}
	if (!s[0].n_row)
		return;
	lab_say(l, "shapes", STATEMENT_SHOWN, s, 1 + (s[1].n_row > 0), "It fails with shapes %s%s%s.",
	    column_list(l, t, 0, true, 8), clause(l, ", and not with ", column_list(l, t, 0, false, 8)),
	    each && !some ? "; every element of a tensor gets its own wrong value"
	        : some    ? "; some elements of a tensor are right"
	                  : "");
}

static void state_batches(struct lab *l, const struct variant_table *t)
{
	struct support s = lab_support(l, t, row_fails, NULL), p = lab_support(l, t, row_passes, NULL);
	bool each = false;

	for (int i = 0; i < s.n_row; i++)
		each = each || elements_all_wrong(&t->row[s.row[i]]);
	if (s.n_row)
		lab_say(l, "batches", STATEMENT_SHOWN, &s, 1, "It fails in a batch too%s.",
		    each ? ": every slice gets its own wrong value" : "");
	else if (p.n_row)
		lab_say(l, "batches", STATEMENT_SHOWN, &p, 1, "It does not fail in a batch.");
}

/* The engines of these rows, but for those of the primal if there are others. */
static const char *engine_list(struct lab *l, const struct variant_table *t, const struct support *s)
{
	const char *list = "";
	bool differentiates = false;

	for (int i = 0; i < s->n_row; i++)
		differentiates = differentiates || strcmp(t->row[s->row[i]].cell[1], "primal") != 0;
	for (int i = 0; i < s->n_row; i++) {
		const struct variant_row *r = &t->row[s->row[i]];

		if ((strcmp(r->cell[1], "primal") != 0 || !differentiates) && !strstr(list, r->cell[0]))
			list = LAB_TEXT(l, "%s%s%s", list, *list ? ", " : "", r->cell[0]);
	}
	return list;
}

static void state_engines(struct lab *l, const struct variant_table *t)
{
	const bool no = false, yes = true;
	struct support right = lab_support(l, t, of_other, &no), wrong = lab_support(l, t, of_other, &yes);
	const char *list = engine_list(l, t, &right);

	if (right.n_row && !wrong.n_row)
		lab_say(l, "engines", STATEMENT_RULED_OUT, &right, 1,
		    "The program is not the cause: every other engine that answers is right (%s).", list);
	else if (wrong.n_row)
		lab_say(l, "engines", STATEMENT_SHOWN, &wrong, 1, "Other engines fail too: %s%s.",
		    engine_list(l, t, &wrong), clause(l, "; right are ", list));
	if (!strncmp(engine_spec(l->bench->engine[0]), "compiled", 8) && right.n_row && strstr(list, "aot"))
		lab_say(l, "derivative-program", STATEMENT_RULED_OUT, &right, 1,
		    "The derivative program is not the cause: aot runs it op by op and is right.");
}

static void state_orders(struct lab *l, const struct variant_table *t)
{
	struct support s = lab_support(l, t, row_fails, NULL), p = lab_support(l, t, row_passes, NULL);

	if (s.n_row && !t->row[s.row[0]].of)
		lab_say(l, "orders", STATEMENT_SHOWN, &s, 1, "The second derivative fails too: %s (%s).",
		    verdict_names[t->row[s.row[0]].verdict], t->row[s.row[0]].cell[1]);
	else if (s.n_row)
		lab_say(l, "orders", STATEMENT_SHOWN, &s, 1,
		    "The second derivative is wrong too: %.7g where %.7g is right (%s).", t->row[s.row[0]].returned,
		    t->row[s.row[0]].expected, t->row[s.row[0]].cell[1]);
	else if (p.n_row)
		lab_say(l, "orders", STATEMENT_SHOWN, &p, 1,
		    "The second derivative is right wherever the engine answers it: %s.",
		    column_list(l, t, 1, false, 4));
}

/* Which texts of a column fail, and which do not; `what` names them in the plural. */
static void state_column(struct lab *l, const struct variant_table *t, const char *id, int column, const char *what)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};

	if (s[0].n_row)
		lab_say(l, id, STATEMENT_SHOWN, s, 2, "It fails with these %s: %s%s.", what,
		    column_list(l, t, column, true, 12),
		    clause(l, "; it is right with: ", column_list(l, t, column, false, 12)));
	else if (s[1].n_row)
		lab_say(l, id, STATEMENT_RULED_OUT, &s[1], 1, "It is right with all %s that were tried (%d variants).",
		    what, s[1].n_row);
}

static void state_branches(struct lab *l, const struct variant_table *t)
{
	state_column(l, t, "branches", 0, "guarded functions");
}

static void state_ops(struct lab *l, const struct variant_table *t)
{
	state_column(l, t, "ops", 2, "ops in place of the original ones");
}

static void state_indices(struct lab *l, const struct variant_table *t)
{
	state_column(l, t, "indices", 1, "indices");
	state_column(l, t, "index-modes", 2, "index modes");
}

/* Per op: for which operands it fails. */
static void state_operands(struct lab *l, const struct variant_table *t)
{
	bool none = true;

	for (int i = 0; i < t->n_row; i++) {
		struct variant_table part = *t;
		int *row, n = 0;
		bool fails = false;

		if (i && !strcmp(t->row[i - 1].cell[0], t->row[i].cell[0]))
			continue;
		row = NEW(l->arena, int, t->n_row);
		part.row = NEW(l->arena, struct variant_row, t->n_row);
		part.n_row = 0;
		for (int k = i; k < t->n_row && !strcmp(t->row[k].cell[0], t->row[i].cell[0]); k++) {
			part.row[part.n_row++] = t->row[k];
			row[n++] = k;
			fails = fails || t->row[k].fails;
		}
		if (!fails)
			continue;
		none = false;
		lab_say(l, "operands", STATEMENT_SHOWN, &(struct support){(int)(t - l->out->table), n, row}, 1,
		    "%s alone fails when these operands are differentiated: %s%s.", t->row[i].cell[0],
		    column_list(l, &part, 1, true, 8),
		    clause(l, "; it is right for ", column_list(l, &part, 1, false, 8)));
	}
	if (none) {
		struct support s = lab_support(l, t, row_passes, NULL);

		lab_say(l, "operands", lab_find(l, "extents") ? STATEMENT_SHOWN : STATEMENT_RULED_OUT, &s, 1,
		    "Single ops are right%s, whichever of their operands are differentiated (%d variants).",
		    lab_find(l, "extents") ? " on scalars" : "", s.n_row);
	}
}

/* Selects failing derivatives with respect to x, by whether the slice begins at index 0. */
struct slice_of {
	bool zero;
};

static bool row_of_slice(const struct variant_row *r, const void *self)
{
	const struct slice_of *s = self;

	return row_fails(r, NULL) && !strcmp(r->cell[4], "x") && !strcmp(r->cell[3], "sum along it") &&
	    !strncmp(r->cell[1], "[0:", 3) == s->zero;
}

static void state_slices(struct lab *l, const struct variant_table *t)
{
	const struct cell_is x_wrong = {4, "x", true}, y_right = {4, "y", false}, y_wrong = {4, "y", true},
	                     bare = {3, "nothing", true};
	struct support s[2] = {lab_support(l, t, row_is, &x_wrong), lab_support(l, t, row_is, &y_right)};

	if (s[0].n_row && s[1].n_row && !count_rows(t, row_is, &y_wrong))
		lab_say(l, "per-variable", STATEMENT_SHOWN, s, 2,
		    "Where y is written into a slice of x, the derivative with respect to y is right, with respect "
		    "to x it is wrong.");
	if (s[0].n_row && !count_rows(t, row_is, &bare))
		lab_say(l, "reduced", STATEMENT_SHOWN, s, 1,
		    "It fails only if the result is then summed along the axis of the slice.");
	for (int zero = 1; zero >= 0; zero--) {
		const struct slice_of slices = {zero > 0};
		struct support part = lab_support(l, t, row_of_slice, &slices);
		int none = 0, all = 0;

		for (int i = 0; i < part.n_row; i++) {
			const struct variant_row *r = &t->row[part.row[i]];

			none += r->returned == 0 && (!r->has_sum || r->sum_returned == 0);
			all += r->has_sum ? fabs(r->sum_returned) > fabs(r->sum_expected)
			                  : fabs(r->returned) > fabs(r->expected);
		}
		if (part.n_row && (none == part.n_row || all == part.n_row))
			lab_say(l, "slices", STATEMENT_SHOWN, &part, 1,
			    "Where the slice %s index 0 and the result is summed along its axis, the derivative "
			    "with respect to x is %s (%d variants).",
			    zero ? "contains" : "does not contain",
			    none == part.n_row ? "0 everywhere" : "too large: the slice is not left out", part.n_row);
	}
	state_column(l, t, "slices", 1, "slices");
}

static const struct {
	const char *id;
	void (*state)(struct lab *l, const struct variant_table *t);
} states[] = {
    {"inputs", state_inputs},
    {"points", state_points},
    {"trips", state_trips},
    {"bodies", state_bodies},
    {"branches", state_branches},
    {"operands", state_operands},
    {"slices", state_slices},
    {"indices", state_indices},
    {"ops", state_ops},
    {"shapes", state_shapes},
    {"orders", state_orders},
    {"batches", state_batches},
    {"loops", state_loops},
    {"dtypes", state_dtypes},
    {"seeds", state_seeds},
    {"runs", state_runs},
    {"engines", state_engines},
};

/* A row of the engine under test that passes and has the same request as the base. */
static bool own_passes(const struct variant_row *r, const void *self)
{
	const struct lab *l = self;

	return row_passes(r, NULL) && !r->engine && lab_same_request(l, l->out->cases[r->case_number]);
}

void lab_state(struct lab *l)
{
	const struct variant_table *t;
	struct support s[32];
	int fails = 0, passes = 0;

	lab_state_counts(l);
	lab_state_positions(l);
	lab_state_iterations(l);
	state_family(l);
	lab_state_needed(l);
	state_forward(l);
	for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
		t = lab_find(l, states[i].id);
		if (t)
			states[i].state(l, t);
		if (!strcmp(states[i].id, "points")) {
			state_signs(l);
			lab_state_fits(l);
		}
	}
	for (int i = 0; i < l->out->n_table && i < 32; i++) {
		s[i] = lab_support(l, &l->out->table[i], row_fails, NULL);
		fails += s[i].n_row;
		passes += count_rows(&l->out->table[i], own_passes, l);
	}
	if (!l->out->condition && fails && !passes)
		lab_say(l, "condition", STATEMENT_SHOWN, s, l->out->n_table < 32 ? l->out->n_table : 32,
		    "Every variant with the same request as the finding fails.");
	else if (l->out->condition && !l->out->told && !(l->told && l->told->always))
		lab_say(l, "condition", STATEMENT_OPEN, NULL, 0,
		    "What it depends on in this program is not determined.  Over all variants, the best is: %s",
		    l->out->condition->text);
	else if (!l->out->condition && l->out->n_table)
		lab_say(l, "condition", STATEMENT_OPEN, NULL, 0,
		    "No combination of up to three features separates failing variants from passing ones.");
}

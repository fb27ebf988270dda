/* sentences.c: what one table shows, in sentences; here are the tables about the program. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "rows.h"
#include "sentences_request.h"

static void state_trips(struct lab *l, const struct variant_table *t)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};

	if (s[0].n_row)
		lab_say(l, "trips", STATEMENT_SHOWN, s, 2, "It fails with %s iterations%s.",
		    rows_list(l, t, 1, true, 8), rows_clause(l, ", and is right with ", rows_list(l, t, 1, false, 8)));
}

static void state_loops(struct lab *l, const struct variant_table *t)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};

	if (s[0].n_row && !s[1].n_row)
		lab_say(l, "loops", STATEMENT_RULED_OUT, s, 1,
		    "The kind of loop does not matter: the same iterations fail when written as %s.",
		    rows_list(l, t, 0, true, 8));
	else if (s[0].n_row)
		lab_say(l, "loops", STATEMENT_SHOWN, s, 2, "The same iterations fail when written as %s%s.",
		    rows_list(l, t, 0, true, 8), rows_clause(l, ", and are right as ", rows_list(l, t, 0, false, 8)));
}

static void state_bodies(struct lab *l, const struct variant_table *t)
{
	const char *const both = "c * x + y";
	const struct row_text fails = {0, both, true}, passes = {0, both, false};
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};

	if (!s[0].n_row)
		return;
	lab_say(l, "bodies", STATEMENT_SHOWN, s, 2,
	    "With carry c and input x, the loop fails if its body computes %s%s.", rows_list(l, t, 0, true, 20),
	    rows_clause(l, "; it is right for ", rows_list(l, t, 0, false, 20)));
	s[0] = lab_support(l, t, rows_with_text, &fails);
	s[1] = lab_support(l, t, rows_with_text, &passes);
	if (s[0].n_row && s[1].n_row && !strcmp(t->row[s[0].row[0]].cell[3], "x") &&
	    !strcmp(t->row[s[1].row[0]].cell[3], "y"))
		lab_say(l, "per-variable", STATEMENT_SHOWN, s, 2,
		    "With loop body %s, the derivative with respect to y is right, with respect to x it is wrong.",
		    both);
}

bool lab_dtype_decides(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "dtypes");
	int fails = INT_MAX, passes = 0; /* the least precision that fails, and the highest that passes */

	for (int d = 0; d < DTYPE_COUNT; d++)
		for (int i = 0; t && i < t->n_row; i++) {
			const struct variant_row *r = &t->row[i];
			const int precision = dtype_table[d].precision;

			if (strcmp(r->cell[0], dtype_table[d].name) != 0)
				continue;
			if (row_fails(r, NULL) && precision < fails)
				fails = precision;
			if (row_passes(r, NULL) && precision > passes)
				passes = precision;
		}
	return passes >= fails;
}

static void state_dtypes(struct lab *l, const struct variant_table *t)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};
	bool same = s[0].n_row > 0;

	for (int i = 0; i < t->n_row; i++)
		same = same && t->row[i].of && t->row[i].fails &&
		    bits_of(t->row[i].returned) == bits_of(t->row[0].returned);
	if (s[0].n_row && !s[1].n_row && strchr(rows_list(l, t, 0, true, 8), ',')) /* an engine may have one dtype */
		lab_say(l, "dtypes", STATEMENT_RULED_OUT, s, 1, "Precision and dtype do not matter: it fails in %s%s.",
		    rows_list(l, t, 0, true, 8), same ? ", with the identical wrong value" : "");
	else if (s[0].n_row && s[1].n_row)
		lab_say(l, "dtypes", STATEMENT_SHOWN, s, 2, "It fails in %s%s.", rows_list(l, t, 0, true, 8),
		    rows_clause(l, ", and not in ", rows_list(l, t, 0, false, 8)));
}

static void state_shapes(struct lab *l, const struct variant_table *t)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};
	bool each = false, some = false;

	for (int i = 0; i < t->n_row; i++) {
		each = each || row_all_wrong(&t->row[i]);
		some = some || (t->row[i].fails && t->row[i].n_element > 1 && !row_all_wrong(&t->row[i]));
	}
	if (!s[0].n_row)
		return;
	lab_say(l, "shapes", STATEMENT_SHOWN, s, 1 + (s[1].n_row > 0), "It fails with shapes %s%s%s.",
	    rows_list(l, t, 0, true, 8), rows_clause(l, ", and not with ", rows_list(l, t, 0, false, 8)),
	    each && !some ? "; every element of a tensor gets its own wrong value"
	        : some    ? "; some elements of a tensor are right"
	                  : "");
}

/* Which texts of a column fail, and which do not; `what` names them in the plural. */
static void state_column(struct lab *l, const struct variant_table *t, const char *id, int column, const char *what)
{
	struct support s[2] = {lab_support(l, t, row_fails, NULL), lab_support(l, t, row_passes, NULL)};

	if (s[0].n_row)
		lab_say(l, id, STATEMENT_SHOWN, s, 2, "It fails with these %s: %s%s.", what,
		    rows_list(l, t, column, true, 12),
		    rows_clause(l, "; it is right with: ", rows_list(l, t, column, false, 12)));
	else if (s[1].n_row)
		lab_say(l, id, STATEMENT_RULED_OUT, &s[1], 1, "It is right with all %s that were tried (%d variant%s).",
		    what, s[1].n_row, &"s"[s[1].n_row == 1]);
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

/* Whether the program runs one op alone, without regions, on inputs and constants. */
static bool is_single(const struct testcase *c)
{
	int n = 0, regions = 0;

	for (int i = 0; i < c->program.top.n_node; i++) {
		n += c->program.top.node[i].op != OP_CONSTANT;
		regions += c->program.top.node[i].n_region;
	}
	return n == 1 && !regions;
}

/* Whether some program of one op is wrong, at other numbers than those of table `operands`. */
static bool single_fails(const struct lab *l)
{
	return is_single(l->base) || is_single(l->typical) || rows_count(lab_find(l, "alone"), row_fails, NULL) ||
	    rows_count(lab_find(l, "grid"), row_fails, NULL);
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
		    rows_list(l, &part, 1, true, 8),
		    rows_clause(l, "; it is right for ", rows_list(l, &part, 1, false, 8)));
	}
	if (none) {
		struct support s = lab_support(l, t, row_passes, NULL);
		const bool scalars = lab_find(l, "extents"), fails = single_fails(l);

		lab_say(l, "operands", scalars || fails ? STATEMENT_SHOWN : STATEMENT_RULED_OUT, &s, 1,
		    "Single ops are right%s%s, whichever of their operands are differentiated (%d variant%s).",
		    scalars ? " on scalars" : "", fails ? " at the numbers of table Ops alone" : "", s.n_row,
		    &"s"[s.n_row == 1]);
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
	const struct row_text x_wrong = {4, "x", true}, y_right = {4, "y", false}, y_wrong = {4, "y", true},
	                      bare = {3, "nothing", true};
	struct support s[2] = {
	    lab_support(l, t, rows_with_text, &x_wrong), lab_support(l, t, rows_with_text, &y_right)};

	if (s[0].n_row && s[1].n_row && !rows_count(t, rows_with_text, &y_wrong))
		lab_say(l, "per-variable", STATEMENT_SHOWN, s, 2,
		    "Where y is written into a slice of x, the derivative with respect to y is right, with respect "
		    "to x it is wrong.");
	if (s[0].n_row && !rows_count(t, rows_with_text, &bare))
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
			    "with respect to x is %s (%d variant%s).",
			    zero ? "contains" : "does not contain",
			    none == part.n_row ? "0 everywhere" : "too large: the slice is not left out", part.n_row,
			    &"s"[part.n_row == 1]);
	}
	state_column(l, t, "slices", 1, "slices");
}

static const struct {
	const char *id;
	void (*state)(struct lab *l, const struct variant_table *t);
} states[] = {
    {"inputs", lab_state_inputs},
    {"single_points", lab_state_single_points},
    {"points", lab_state_points},
    {"trips", state_trips},
    {"carries", lab_state_carries},
    {"bodies", state_bodies},
    {"branches", state_branches},
    {"operands", state_operands},
    {"slices", state_slices},
    {"indices", state_indices},
    {"ops", state_ops},
    {"shapes", state_shapes},
    {"orders", lab_state_orders},
    {"batches", lab_state_batches},
    {"loops", state_loops},
    {"dtypes", state_dtypes},
    {"seeds", lab_state_seeds},
    {"runs", lab_state_runs},
    {"engines", lab_state_engines},
};

const char *lab_state_table(struct lab *l, int i)
{
	const struct variant_table *t;

	if (i >= (int)(sizeof states / sizeof *states))
		return NULL;
	t = lab_find(l, states[i].id);
	if (t)
		states[i].state(l, t);
	return states[i].id;
}

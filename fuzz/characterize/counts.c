/*
 * counts.c: experiments with a number: how often a value is used, how many elements are tied, how many are 0.  The
 * typical case is varied so that one such number runs over a range, and nothing else changes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab_edit.h"

enum { COUNTS_MOST = 9 };

/* ---- uses ---- */

/* Makes `n` results of the program the input, in place of its own; their gradients add up. */
static bool use_often(struct edit *e, int n)
{
	struct region *top = &e->c.program.top;
	const struct transform *t = request_outermost(e->c.transform, e->c.n_transform);
	const int value = t && t->n_wrt ? top->param + t->wrt[0] : -1;

	if (value < 0 || !dtype_is_float(edit_type(e, value)->dtype))
		return false;
	top->n_node = 0;
	top->result = NEW(e->arena, int, n);
	for (int i = 0; i < n; i++)
		top->result[i] = value;
	top->n_result = n;
	for (int k = 0; k < e->c.n_transform; k++)
		if (e->c.transform[k].kind == TRANSFORM_VJP)
			e->c.transform[k].n_seed = 0;
	return true;
}

/* ---- elements ---- */

/* Lets the first float tensor among the inputs have COUNTS_MOST elements along its longest axis. */
static struct tensor *lengthen(struct edit *e)
{
	struct region *top = &e->c.program.top;

	for (int i = 0; i < top->n_param; i++) {
		const struct type *t = edit_type(e, top->param + i);
		int longest = 0;

		if (!dtype_is_float(t->dtype) || !t->shape.rank)
			continue;
		for (int d = 0; d < t->shape.rank; d++)
			longest = t->shape.extent[d] > longest ? t->shape.extent[d] : longest;
		if (longest < 2)
			return NULL;
		edit_change_extent(e, longest, COUNTS_MOST);
		return &e->c.point[0][i];
	}
	return NULL;
}

/* The first n elements become `special`; the others ascend from `from`. */
static bool set_elements(struct edit *e, int n, double special, double from)
{
	struct tensor *x = lengthen(e);
	struct tensor wide;
	const int input = x ? (int)(x - e->c.point[0]) : 0;

	if (!x)
		return false;
	wide = tensor_new(e->arena, edit_type(e, e->c.program.top.param + input));
	for (int i = 0, size = shape_elements(&wide.type.shape); i < size; i++)
		edit_round(wide.type.dtype, i < n ? special : from + 0.03125 * i, &wide.at[i]);
	*x = wide;
	for (int k = 0; k < e->c.n_transform; k++)
		e->c.transform[k].n_seed = 0;
	return true;
}

/* ---- the experiment ---- */

enum count { COUNT_USES, COUNT_HIGHEST, COUNT_LOWEST, COUNT_ZEROS, COUNTS };

static bool has_reduction(struct lab *l, enum op one, enum op other)
{
	for (struct walk w = walk_nodes(&l->typical->program.top); walk_next(&w);)
		if (w.node->op == one || w.node->op == other)
			return true;
	return false;
}

static bool make_count(struct edit *e, enum count what, int n)
{
	switch (what) {
	case COUNT_USES:
		return use_often(e, n);
	case COUNT_HIGHEST:
		return set_elements(e, n, 2, 0.5);
	case COUNT_LOWEST:
		return set_elements(e, n, 0.25, 0.5);
	case COUNT_ZEROS:
		return set_elements(e, n, 0, 0.75);
	case COUNTS:
		break;
	}
	return false;
}

void experiment_counts(struct lab *l)
{
	static const char *const names[COUNTS] = {
	    "uses of an input", "equal highest elements", "equal lowest elements", "zeros"};

	lab_columns(l, (const char *const[]){"count of", "count"}, 2);
	if (request_slices(l->typical->transform, l->typical->n_transform) > 1)
		return;
	for (int what = 0; what < COUNTS; what++) {
		if ((what == COUNT_HIGHEST && !has_reduction(l, OP_REDUCE_MAX, OP_MAX)) ||
		    (what == COUNT_LOWEST && !has_reduction(l, OP_REDUCE_MIN, OP_MIN)) ||
		    (what == COUNT_ZEROS && !has_reduction(l, OP_REDUCE_PROD, OP_CUMPROD)))
			continue;
		for (int n = what == COUNT_ZEROS ? 0 : 1; n <= COUNTS_MOST; n++) {
			struct edit e = lab_edit_of(l, l->typical);

			if (make_count(&e, (enum count)what, n))
				lab_try(l, &e, (const char *const[]){names[what], LAB_TEXT(l, "%d", n)});
		}
	}
}

/* ---- thresholds ---- */

static const char *const count_words[][2] = {{"uses of an input", "uses of a value"},
    {"equal highest elements", "elements that are the maximum"},
    {"equal lowest elements", "elements that are the minimum"}, {"zeros", "zeros"}};

/* What the ratio of returned to expected may be after n iterations, and what that looks like. */
static double ratio_one_missing(int n) { return (n - 1.0) / n; }
static double ratio_only_one(int n) { return 1.0 / n; }
static double ratio_each_again(int n) { return n; }
static double ratio_doubling(int n) { return ldexp(1, n - 1); }

static const struct {
	double (*ratio)(int n);
	const char *sentence;
} laws[] = {
    {ratio_one_missing,
        "After n iterations the derivative is (n - 1) / n of what it should be: one iteration is missing."},
    {ratio_only_one, "After n iterations the derivative is 1 / n of what it should be: one iteration alone counts."},
    {ratio_each_again,
        "After n iterations the derivative is n times what it should be: something counts in each iteration."},
    {ratio_doubling, "The derivative doubles with each iteration: something is added up and never cleared."},
};

static double ratio_of(const struct variant_row *r)
{
	return r->has_sum ? r->sum_returned / r->sum_expected : r->returned / r->expected;
}

static bool follows(const struct variant_row *r, size_t law)
{
	const double got = ratio_of(r);

	return fabs(got - laws[law].ratio(atoi(r->cell[1]))) < 1e-6 * fmax(1, fabs(got));
}

/* Whether loops with a step that adds alike in each iteration follow the law too, at other trip counts.  A ratio of one
 * loop may come from its step alone. */
static bool is_confirmed(const struct lab *l, size_t law)
{
	const struct variant_table *t = lab_find(l, "bodies");
	int n = 0;

	for (int i = 0; t && i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];

		if (!r->decided || !r->of || strcmp(r->cell[0], "c + x") != 0)
			continue;
		if (!follows(r, law))
			return false;
		n++;
	}
	return n > 1;
}

/* States the law that the ratios of all failing rows of a loop follow, if three or more do. */
static bool state_law(struct lab *l, const struct variant_table *t, const char *loop)
{
	for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
		struct support s = {(int)(t - l->out->table), 0, NEW(l->arena, int, t->n_row)};
		bool holds = true;

		for (int i = 0; i < t->n_row && holds; i++) {
			const struct variant_row *r = &t->row[i];

			if (strcmp(r->cell[0], loop) != 0 || !r->decided || !r->fails || !r->of || atoi(r->cell[1]) > 9)
				continue;
			holds = follows(r, k);
			s.row[s.n_row++] = i;
		}
		if (holds && s.n_row >= 3 && is_confirmed(l, k)) {
			lab_say(l, "counts", STATEMENT_SHOWN, &s, 1, "%s", laws[k].sentence);
			return true;
		}
	}
	return false;
}

void lab_state_counts(struct lab *l)
{
	const struct variant_table *counts_table = lab_find(l, "counts"), *trips = lab_find(l, "trips"),
	                           *sizes = lab_find(l, "extents");
	bool stated = false;

	for (size_t i = 0; counts_table && i < sizeof count_words / sizeof *count_words; i++)
		(void)lab_state_sizes(l, counts_table, count_words[i][0], count_words[i][1]);
	/* an axis that depends on another one shows nothing new */
	for (int i = 0; sizes && i < sizes->n_row && !stated; i++)
		stated = (!i || strcmp(sizes->row[i].cell[0], sizes->row[i - 1].cell[0]) != 0) &&
		    lab_state_sizes(l, sizes, sizes->row[i].cell[0], "elements along an axis");
	if (trips && trips->n_row) {
		(void)lab_state_sizes(l, trips, trips->row[0].cell[0], LAB_ITERATIONS);
		/* the seeds of the smallest case are units; the typical case comes last in the table */
		if (!state_law(l, trips, trips->row[0].cell[0]))
			(void)state_law(l, trips, trips->row[trips->n_row - 1].cell[0]);
	}
}

/* characterization.c: the JSON of a characterization. */
#include "characterization.h"

#include "graph/walk.h"

#include <math.h>

const char *const statement_kind_names[STATEMENT_KINDS] = {"shown", "ruled-out", "open"};

static void put_decimals(struct json_writer *w, const char *key, const double *x, int n)
{
	json_member_array(w, key, JSON_FLOW);
	for (int i = 0; i < n; i++)
		json_put_decimal(w, x[i]);
	json_end(w);
}

static void put_support(struct json_writer *w, const struct characterization *x, const struct support *s)
{
	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "experiment", x->table[s->table].id);
	json_member_array(w, "rows", JSON_FLOW);
	for (int i = 0; i < s->n_row; i++)
		json_put_integer(w, s->row[i]);
	json_end(w);
	json_end(w);
}

static void put_supports(
    struct json_writer *w, const char *key, const struct characterization *x, const struct support *s, int n)
{
	json_member_array(w, key, JSON_FLOW);
	for (int i = 0; i < n; i++)
		put_support(w, x, &s[i]);
	json_end(w);
}

static void put_numbers(struct json_writer *w, const struct variant_row *r)
{
	double ratio = r->expected != 0 ? r->returned / r->expected : NAN;

	json_member_string(w, "of", r->of);
	json_member_decimal(w, "expected", r->expected);
	json_member_decimal(w, "returned", r->returned);
	json_member_decimal(w, "radius", r->radius);
	if (isfinite(ratio))
		json_member_decimal(w, "ratio", ratio);
	if (r->n_element) {
		json_member_object(w, "elements", JSON_FLOW);
		put_decimals(w, "expected", r->element_expected, r->n_element);
		put_decimals(w, "returned", r->element_returned, r->n_element);
		json_end(w);
	}
	if (r->has_sum) {
		json_member_object(w, "sum", JSON_FLOW);
		json_member_decimal(w, "expected", r->sum_expected);
		json_member_decimal(w, "returned", r->sum_returned);
		json_end(w);
	}
}

/* ---- cases ---- */

/* Cases of more numbers than that share the room that there is for them. */
enum { FEW_NUMBERS = 64, ROOM_FOR_MANY = 20000 };

static int tensor_numbers(const struct tensor *t, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += shape_elements(&t[i].type.shape);
	return sum;
}

static int case_numbers(const struct testcase *c)
{
	int sum = 0;

	for (int k = 0; k < c->n_point; k++)
		sum += tensor_numbers(c->point[k], c->program.top.n_param);
	for (int k = 0; k < c->n_transform; k++)
		sum += tensor_numbers(c->transform[k].seed, c->transform[k].n_seed);
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);)
		if (w.node->op == OP_CONSTANT)
			sum += tensor_numbers(&w.node->attrs.value, 1);
	return sum;
}

/* [x->n_case] the place of each case in the list; -1: there is no room for it. */
static const int *places(const struct characterization *x, struct arena *a)
{
	int *place = NEW(a, int, x->n_case), n = 0, room = ROOM_FOR_MANY;

	for (int i = 0; i < x->n_case; i++) {
		const int numbers = case_numbers(x->cases[i]);
		const bool few = numbers <= FEW_NUMBERS, fits = few || numbers <= room;

		place[i] = fits ? n++ : -1;
		room -= fits && !few ? numbers : 0;
	}
	return place;
}

static void put_row(struct json_writer *w, const struct variant_table *t, const struct variant_row *r, const int *place)
{
	json_begin_object(w, JSON_FLOW);
	json_member_strings(w, "cells", r->cell, t->n_column, JSON_FLOW);
	if (r->engine)
		json_member_string(w, "engine", r->engine);
	json_member_string(w, "verdict", verdict_names[r->verdict]);
	if (r->verdict == VERDICT_UNDECIDED)
		json_member_string(w, "reason", reason_names[r->reason]);
	if (r->decided)
		json_member_bool(w, "fails", r->fails);
	if (r->of)
		put_numbers(w, r);
	if (*r->text)
		json_member_string(w, "text", r->text);
	if (place[r->case_number] >= 0)
		json_member_integer(w, "case", place[r->case_number]);
	json_end(w);
}

static void put_table(struct json_writer *w, const struct variant_table *t, const int *place)
{
	json_begin_object(w, JSON_BLOCK);
	json_member_string(w, "id", t->id);
	json_member_string(w, "title", t->title);
	json_member_string(w, "varies", t->varies);
	json_member_strings(w, "columns", t->column, t->n_column, JSON_FLOW);
	json_member_array(w, "rows", JSON_BLOCK);
	for (int i = 0; i < t->n_row; i++)
		put_row(w, t, &t->row[i], place);
	json_end(w);
	json_end(w);
}

static void put_statements(struct json_writer *w, const struct characterization *x)
{
	json_member_array(w, "statements", JSON_BLOCK);
	for (int i = 0; i < x->n_statement; i++) {
		const struct statement *s = &x->statement[i];

		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "id", s->id);
		json_member_string(w, "kind", statement_kind_names[s->kind]);
		json_member_string(w, "text", s->text);
		put_supports(w, "support", x, s->support, s->n_support);
		json_end(w);
	}
	json_end(w);
}

static void put_count(struct json_writer *w, const char *key, const char *which, int n, int of)
{
	json_member_object(w, key, JSON_FLOW);
	json_member_integer(w, which, n);
	json_member_integer(w, "of", of);
	json_end(w);
}

static void put_condition(
    struct json_writer *w, const char *key, const struct characterization *x, const struct condition *c)
{
	json_member_object(w, key, JSON_BLOCK);
	json_member_string(w, "text", c->text);
	json_member_string(w, "join", c->always ? "always" : c->any ? "any" : "all");
	json_member_array(w, "terms", JSON_BLOCK);
	for (int i = 0; i < c->n_term; i++) {
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "feature", c->term[i].feature);
		json_member_bool(w, "holds", c->term[i].holds);
		json_member_string(w, "sentence", c->term[i].sentence);
		json_end(w);
	}
	json_end(w);
	put_count(w, "failing", "with", c->failing_with, c->failing);
	put_count(w, "passing", "without", c->passing_without, c->passing);
	put_supports(w, "exceptions", x, c->exception, c->n_exception);
	json_member_strings(w, "alternatives", c->alternative, c->n_alternative, JSON_BLOCK);
	if (c->held_out) {
		json_member_object(w, "held_out", JSON_FLOW);
		json_member_integer(w, "variants", c->held_out);
		json_member_integer(w, "predicted", c->predicted);
		json_end(w);
	}
	json_end(w);
}

static void put_departure(struct json_writer *w, const struct characterization *x)
{
	const struct departure *d = x->departure;

	json_member_object(w, "first_departure", JSON_FLOW);
	json_member_integer(w, "line", d->line);
	json_member_string(w, "op", d->op);
	json_member_string(w, "text", d->text);
	json_member_string(w, "sentence", d->sentence);
	put_supports(w, "support", x, &d->support, d->support.n_row > 0);
	json_end(w);
}

void characterization_put(struct json_writer *w, const struct characterization *x)
{
	const int *place = places(x, w->text.arena);

	json_begin_object(w, JSON_BLOCK);
	if (x->cause)
		json_member_string(w, "cause", x->cause);
	json_member_integer(w, "runs", x->runs);
	json_member_bool(w, "finished", x->finished);
	json_member_strings(w, "skipped", x->skipped, x->n_skipped, JSON_FLOW);
	put_statements(w, x);
	if (x->told)
		put_condition(w, "told", x, x->told);
	if (x->condition)
		put_condition(w, "condition", x, x->condition);
	if (x->departure)
		put_departure(w, x);
	json_member_array(w, "experiments", JSON_BLOCK);
	for (int i = 0; i < x->n_table; i++)
		put_table(w, &x->table[i], place);
	json_end(w);
	json_member_array(w, "cases", JSON_BLOCK);
	for (int i = 0; i < x->n_case; i++)
		if (place[i] >= 0)
			testcase_put(w, x->cases[i]);
	json_end(w);
	json_end(w);
}

/* lab.c: makes variants, judges them and keeps them as rows. */
#include "lab.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "lab_numbers.h"
#include "nudge.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"

enum { ASKS_OF_BASE = 8, ASKS = 12 };

/* ---- variants ---- */

struct edit lab_edit_of(struct lab *l, const struct testcase *c)
{
	struct edit e = {.arena = &l->work, .primal = l->primal};

	arena_reset(&l->work);
	e.c = testcase_copy(c, &l->work);
	e.c.n_expect = 0;
	e.c.provenance = (struct provenance){0};
	return e;
}

struct edit lab_edit(struct lab *l) { return lab_edit_of(l, l->base); }

struct edit lab_fresh(struct lab *l, const struct tensor *input, int n)
{
	struct edit e = {.arena = &l->work, .primal = l->primal};
	struct type type[LIMIT_ARGS];

	arena_reset(&l->work);
	for (int i = 0; i < n; i++)
		type[i] = input[i].type;
	e.c.n_point = 1;
	e.c.point = NEW(&l->work, struct tensor *, 1);
	e.c.point[0] = tensors_copy(&l->work, input, n);
	e.c.program.top.param = edit_new_values(&e, type, n);
	e.c.program.top.n_param = n;
	e.c.program.top.result = NEW(&l->work, int, LIMIT_ARGS);
	return e;
}

void lab_request(struct edit *e, enum transform_kind kind, const int *wrt, int n_wrt)
{
	struct transform *t = NEW(e->arena, struct transform, 1);

	*t = (struct transform){
	    .kind = kind, .n_wrt = n_wrt, .wrt = arena_copy(e->arena, wrt, (size_t)n_wrt, sizeof *wrt)};
	e->c.transform = t;
	e->c.n_transform = 1;
}

const char *lab_number(struct lab *l, double x) { return LAB_TEXT(l, "%.6g", x); }

/* ---- rows ---- */

void lab_columns(struct lab *l, const char *const *column, int n)
{
	const char **copy = NEW(l->arena, const char *, n);

	for (int i = 0; i < n; i++)
		copy[i] = column[i];
	l->table->column = copy;
	l->table->n_column = n;
}

bool lab_time_over(const struct lab *l) { return stop_requested() || bench_clock() > l->deadline; }

bool lab_kills(const struct lab *l)
{
	return l->finding.verdict == VERDICT_CRASH || l->finding.verdict == VERDICT_OOM ||
	    l->finding.verdict == VERDICT_HANG;
}

bool lab_over(const struct lab *l)
{
	return l->late || l->hangs >= LAB_HANGS || l->table->n_row >= LAB_ROWS || bench_work(l->bench) > l->until;
}

/* Adds the case to out->cases, unless it is there.  Returns its position. */
static int keep_case(struct lab *l, const struct testcase *c)
{
	struct characterization *out = l->out;
	uint64_t hash = testcase_hash(c);
	struct testcase *copy;

	for (int i = 0; i < out->n_case; i++)
		if (l->case_hash[i] == hash && testcase_equal(out->cases[i], c))
			return i;
	GROW(l->arena, out->cases, &l->case_room, out->n_case + 1);
	GROW(l->arena, l->case_hash, &l->hash_room, out->n_case + 1);
	copy = NEW(l->arena, struct testcase, 1);
	*copy = testcase_copy(c, l->arena);
	out->cases[out->n_case] = copy;
	l->case_hash[out->n_case] = hash;
	return out->n_case++;
}

static struct variant_row *new_row(struct lab *l)
{
	struct variant_table *t = l->table;

	GROW(l->arena, t->row, &t->row_room, t->n_row + 1);
	return &t->row[t->n_row];
}

static bool is_there(const struct variant_table *t, int case_number, const char *engine)
{
	for (int i = 0; i < t->n_row; i++)
		if (t->row[i].case_number == case_number &&
		    (t->row[i].engine == engine || (engine && t->row[i].engine && !strcmp(engine, t->row[i].engine))))
			return true;
	return false;
}

bool lab_same_request(const struct lab *l, const struct testcase *c)
{
	bool same = c->n_transform == l->base->n_transform;

	for (int t = 0; same && t < c->n_transform; t++)
		same = c->transform[t].kind == l->base->transform[t].kind;
	return same;
}

void lab_try_chance(struct lab *l)
{
	l->asks = 1;
	for (int k = 0; k < ASKS_OF_BASE && l->asks == 1 && l->finding.verdict != VERDICT_HANG &&
	     l->finding.verdict != VERDICT_OOM && l->finding.verdict != VERDICT_CRASH;
	     k++) {
		arena_reset(&l->scratch);
		if (!case_shows(l->base,
		        &(struct question){.bench = l->bench, .declared = true, .judged = JUDGED_IN_FULL}, &l->scratch,
		        NULL))
			l->asks = ASKS;
	}
}

/* Whether it fails at a point beside, on the same path. */
static bool fails_beside(struct lab *l, const struct testcase *c, enum nudge how, struct arena *scratch)
{
	struct question again = {
	    .bench = l->bench, .declared = true, .judged = JUDGED_IN_FULL, .runs = l->asks, .ahead = l->ahead};
	struct testcase beside = testcase_copy(c, scratch);

	nudge(&beside, how, nudge_keeps_integers(l->blamed, l->n_blamed));
	return case_shows(&beside, &again, scratch, NULL) &&
	    facts_same_path(facts_of(c, scratch), facts_of(&beside, scratch));
}

bool lab_fails(struct lab *l, const struct testcase *c, bool fails, struct arena *scratch)
{
	struct question again = {.bench = l->bench, .declared = true, .judged = JUDGED_IN_FULL, .runs = l->asks - 1};

	return fails || (again.runs && case_shows(c, &again, scratch, NULL)) || fails_beside(l, c, NUDGE_FAR, scratch);
}

/* What a decided variant shows.  fails: by lab_fails. */
static enum variant_outcome outcome_of(
    struct lab *l, const struct testcase *c, const struct bench_result *r, bool fails)
{
	const enum verdict v = r->judgement[0].verdict;
	bool tie = v == VERDICT_CONVENTION;

	if (verdict_is_finding[v] || (fails && l->asks > 1))
		return OUTCOME_FAILS;
	if (!lab_role_counts(l, c))
		return OUTCOME_ZERO;
	if (fails_beside(l, c, l->strict ? NUDGE_SEEDS : NUDGE_NEAR, &l->scratch))
		return OUTCOME_FAILS;
	if (lab_shares_operands(l, c))
		return OUTCOME_ZERO;
	for (int k = 0; k < c->n_point; k++)
		tie |= r->truth.point[k].kink;
	return lab_is_silent(l, c, &r->truth) ? OUTCOME_ZERO : tie && !l->at_tie ? OUTCOME_TIE : OUTCOME_PASSES;
}

/* Adds a decided variant to those that the conditions rest on. */
static void add_variant(struct lab *l, const struct testcase *c, const struct bench_result *r, int number)
{
	const bool fails = lab_fails(l, c, verdict_is_finding[r->judgement[0].verdict], &l->scratch);

	const enum variant_outcome outcome = lab_in_place(l, c) ? outcome_of(l, c, r, fails) : OUTCOME_TIE;
	const struct known_cotangents *known = lab_cotangents(l, c);

	if (outcome == OUTCOME_FAILS && l->strict && l->n_shown < LAB_SHOWN) {
		struct testcase *copy = NEW(l->arena, struct testcase, 1);

		*copy = testcase_copy(c, l->arena);
		l->shown[l->n_shown++] = copy;
	}
	explanation_add(
	    l->explain, c, known, fails, !fails && lab_is_silent(l, c, &r->truth), outcome, number, &l->scratch);
}

bool lab_decides(const struct lab *l, enum verdict v)
{
	const enum verdict found = l->finding.verdict;

	if (v == VERDICT_UNDECIDED || v == VERDICT_UNSUPPORTED)
		return false;
	return !verdict_is_finding[v] || !verdict_is_finding[found] || v == found ||
	    (verdict_of_numbers(v) && verdict_of_numbers(found));
}

/* Judges c with engine `which` of b.  The row joins the table once it is complete. */
static const struct variant_row *judge_variant(
    struct lab *l, struct bench *b, int which, const struct testcase *c, const char *const *cell, bool again)
{
	struct variant_row *row = new_row(l);
	struct bench one = {.n_engine = 1, .engine = {b->engine[which]}, .oracle = b->oracle};
	const char *asked = engine_name(b->engine[which]),
	           *engine = strcmp(asked, engine_name(l->bench->engine[0])) ? LAB_TEXT(l, "%s", asked) : NULL;
	struct bench_result r;
	struct judgement *j = &r.judgement[0];
	struct report report;

	memset(row, 0, sizeof *row);
	row->case_number = keep_case(l, c);
	if (!again && is_there(l->table, row->case_number, engine))
		return NULL;
	lab_bench_judge(l, &one, c, &r);
	if (r.interrupted)
		return NULL;
	report = (struct report){.c = c, .truth = &r.truth, .answers = r.answer[0], .judgement = j};
	row->cell = NEW(l->arena, const char *, l->table->n_column);
	for (int i = 0; i < l->table->n_column; i++)
		row->cell[i] = LAB_TEXT(
		    l, "%s", cell[i]); /* a copy: cells may be names of engines, and the report outlives engines */
	row->engine = engine;
	row->verdict = j->verdict;
	row->reason = j->reason;
	row->decided = engine ? j->verdict != VERDICT_UNDECIDED && j->verdict != VERDICT_UNSUPPORTED
	                      : lab_decides(l, j->verdict);
	row->fails = row->decided && verdict_is_finding[j->verdict];
	row->text = arena_printf(l->arena, "%s", answers_text(r.answer[0], c->n_point));
	if (j->verdict == VERDICT_HANG)
		l->hangs++;
	if (!engine && row->decided && !again && !l->apart && lab_same_request(l, c))
		add_variant(l, c, &r, row->case_number);
	if (l->focus >= 0)
		lab_take_focus(l, &report, j, row);
	lab_take_numbers(l, &report, row);
	l->table->n_row++;
	l->out->runs++;
	return row;
}

struct variant {
	struct lab *lab;
	struct bench *bench;
	int which;
	const struct testcase *c;
	const char *const *cell;
	bool again;
	const struct variant_row *row; /* NULL if it did not fit into memory */
};

static void run_variant(void *context)
{
	struct variant *x = context;

	x->row = judge_variant(x->lab, x->bench, x->which, x->c, x->cell, x->again);
}

static const struct variant_row *try_case(
    struct lab *l, struct bench *b, int which, const struct testcase *c, const char *const *cell, bool again)
{
	struct variant x = {l, b, which, c, cell, again, NULL};
	struct arena *const arenas[] = {&l->work, &l->scratch};

	l->late = l->late || lab_time_over(l);
	if (lab_over(l))
		return NULL;
	arena_reset(&l->scratch);
	arenas_try(arenas, 2, run_variant, &x);
	return x.row;
}

void lab_try(struct lab *l, struct edit *e, const char *const *cell)
{
	if (edit_finish(e, true) && !lab_waits(l, &e->c, cell))
		lab_judge(l, &e->c, cell);
}

const struct variant_row *lab_try_now(struct lab *l, struct edit *e, const char *const *cell)
{
	lab_settle(l);
	if (!edit_finish(e, true))
		return NULL;
	return try_case(l, l->bench, 0, &e->c, cell, false);
}

const struct variant_row *lab_try_with(struct lab *l, struct bench *b, struct edit *e, const char *const *cell)
{
	lab_settle(l);
	return edit_finish(e, true) ? try_case(l, b, 0, &e->c, cell, false) : NULL;
}

const struct variant_row *lab_again(struct lab *l, struct bench *b, const char *const *cell)
{
	struct edit e;

	lab_settle(l);
	e = lab_edit(l);
	return try_case(l, b, 0, &e.c, cell, true);
}

struct sample {
	struct lab *lab;
	const struct testcase *c;
};

static void run_sample(void *context)
{
	const struct sample *x = context;
	struct lab *l = x->lab;
	struct bench_result r;
	enum verdict v;

	lab_bench_judge(l, l->bench, x->c, &r);
	v = r.judgement[0].verdict;
	l->out->runs++;
	l->hangs += v == VERDICT_HANG;
	if (lab_decides(l, v) && lab_same_request(l, x->c))
		add_variant(l, x->c, &r, -++l->samples);
}

void lab_sample(struct lab *l, const struct testcase *c)
{
	if (!lab_waits(l, c, NULL))
		lab_judge(l, c, NULL);
}

void lab_judge(struct lab *l, const struct testcase *c, const char *const *cell)
{
	if (cell) {
		try_case(l, l->bench, 0, c, cell, false);
		return;
	}
	l->late = l->late || lab_time_over(l);
	if (l->late || l->hangs >= LAB_HANGS || (l->bounded && lab_over(l)))
		return;
	arena_try(&l->scratch, run_sample, &(struct sample){l, c});
}

int lab_others(struct lab *l)
{
	struct oracle_options o = {.seed = 1, .fd_one_in = INT32_MAX};
	int n = 0;
	struct error e = {0};

	if (!l->others.oracle) {
		while (engine_names[n])
			n++;
		if (!bench_open(&l->others, engine_names, n, &o, &e))
			return 0;
	}
	return l->others.n_engine;
}

const struct variant_row *lab_try_other(struct lab *l, struct edit *e, int which, const char *const *cell)
{
	lab_settle(l);
	if (which >= lab_others(l) || !edit_finish(e, true))
		return NULL;
	return try_case(l, &l->others, which, &e->c, cell, false);
}

/* ---- statements ---- */

const struct variant_table *lab_find(const struct lab *l, const char *id)
{
	for (int i = 0; i < l->out->n_table; i++)
		if (!strcmp(l->out->table[i].id, id))
			return &l->out->table[i];
	return NULL;
}

bool row_fails(const struct variant_row *r, const void *self)
{
	(void)self;
	return r->decided && r->fails;
}

bool row_passes(const struct variant_row *r, const void *self)
{
	(void)self;
	return r->decided && !r->fails;
}

struct support lab_support(struct lab *l, const struct variant_table *t, row_fn *keep, const void *self)
{
	struct support s = {0};

	if (!t)
		return s;
	s.table = (int)(t - l->out->table);
	s.row = NEW(l->arena, int, t->n_row);
	for (int i = 0; i < t->n_row; i++)
		if (keep(&t->row[i], self))
			s.row[s.n_row++] = i;
	return s;
}

void lab_say(struct lab *l, const char *id, enum statement_kind kind, const struct support *support, int n,
    const char *format, ...)
{
	struct characterization *out = l->out;
	struct statement *s;
	char text[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	GROW(l->arena, out->statement, &l->statement_room, out->n_statement + 1);
	s = &out->statement[out->n_statement++];
	*s = (struct statement){.id = id, .kind = kind, .text = LAB_TEXT(l, "%s", text)};
	s->support = NEW(l->arena, struct support, n);
	for (int i = 0; i < n; i++)
		if (support[i].n_row)
			s->support[s->n_support++] = support[i];
}

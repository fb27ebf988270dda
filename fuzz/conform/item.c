/* item.c: judges an item of a sweep. */
#include "item.h"

#include <string.h>

#include "cells.h"
#include "deep.h"
#include "fuzz/bench/draw.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"
#include "graph/walk.h"
#include "leaks.h"

enum { REUSE_BODIES = 4 };

/* ---- a case ---- */

static bool keeps(enum verdict v) { return verdict_is_finding[v] || v == VERDICT_INACCURATE; }

/*
 * Counts a request that ended badly, although the judgement of its case does not show it, and a finding that fresh
 * processes do not show again.  The latter becomes undecided.
 */
static void note_flaky(struct bench *b, const struct testcase *c, struct bench_result *r, struct arena *scratch,
    struct arena *a, struct conform_cell *cell)
{
	struct judgement *j = &r->judgement[0];
	const char *text = r->incident[0].text, *signature;
	enum verdict gone = bench_verdict_of(r->incident[0].status);
	int at;

	if (!bench_unexplained(r, 1, 0, &at)) {
		if (!verdict_is_finding[j->verdict])
			return;
		signature = signature_coarse(engine_name(b->engine[0]), c, j, scratch);
		if (!finding_is_flaky(b, 0, c, r, signature, scratch))
			return;
		gone = j->verdict;
		text = answers_text(r->answer[0], c->n_point);
		j->verdict = VERDICT_UNDECIDED;
	}
	if (!cell->flaky++) {
		cell->gone = gone;
		cell->gone_text = arena_printf(a, "%s", text);
	}
}

/* An item that is being judged. */
struct filling {
	struct conform_judge *judge;
	const struct conform_item *item;
	struct arena *arena; /* of the result */
	struct conform_result *out;
	const char *name; /* of the item */
	int number;       /* of the case of a cell */
	int branch;       /* number of the dead branch that the case is, or DEAD_BRANCHES */
	struct profile profile;
	bool ended; /* the cell has no case of that number */
};

/* Whether x comes before a case of that form and verdict.  Form 0 has one place for all verdicts. */
static bool comes_before(const struct conform_shown *x, int form, enum verdict v)
{
	return x->form < form || (form && x->form == form && x->verdict < v);
}

/* Keeps a failing case if it is the first of its form and verdict; of form 0 if it is worse than those before. */
static struct conform_shown *keep(
    struct conform_cell *cell, const struct testcase *c, enum verdict v, int form, struct arena *a)
{
	struct conform_shown **at = &cell->found;

	while (*at && comes_before(*at, form, v))
		at = &(*at)->next;
	if (!*at || (*at)->form > form || (form && (*at)->verdict > v)) {
		struct conform_shown *new = NEW(a, struct conform_shown, 1);

		*new = (struct conform_shown){.form = form, .next = *at};
		*at = new;
	} else if (v <= (*at)->verdict) {
		return NULL;
	}
	(*at)->c = testcase_copy(c, a);
	(*at)->verdict = v;
	return *at;
}

/* Judges a case of the item.  form: as in struct conform_shown. */
static void judge_case(const struct filling *f, const struct testcase *c, int form)
{
	struct bench *b = f->judge->bench;
	struct arena *scratch = &f->judge->scratch, *a = f->arena;
	struct conform_cell *cell = &f->out->cell;
	struct conform_shown *kept = NULL;
	struct bench_result r;
	enum verdict v;
	const char *text;

	bench_judge(b, c, scratch, &r);
	if (r.interrupted)
		return;
	conform_note_leak(&f->out->leaks, c, f->branch, &r.judgement[0], f->name,
	    signature_coarse(engine_name(b->engine[0]), c, &r.judgement[0], a), a);
	if (!f->judge->o->strict)
		bench_forgive(b, &r);
	note_flaky(b, c, &r, scratch, a, cell);
	v = r.judgement[0].verdict;
	if (v == VERDICT_AGREE && !judgement_decides(&r.judgement[0]))
		v = VERDICT_UNDECIDED;
	text = judged_text(c, &r.truth, r.answer[0], &r.judgement[0], scratch);
	for (int k = 0; k < c->n_point; k++)
		if (r.answer[0][k].status == ANSWER_FAILURE && !f->out->failure)
			f->out->failure = arena_printf(a, "%s", r.answer[0][k].text);
	if (keeps(v))
		kept = keep(cell, c, v, form, a);
	if (v > cell->worst || !*cell->text) {
		bool first = v > cell->worst;

		cell->text = arena_printf(a, "%s", text);
		if (first && keeps(v)) {
			cell->shows = kept;
			cell->signature = signature_coarse(engine_name(b->engine[0]), c, &r.judgement[0], a);
			cell->numbers = "";
			if (judgement_has_numbers(&r.judgement[0]))
				cell->numbers = numbers_text(&r.judgement[0], a);
		}
		cell->worst = v > cell->worst ? v : cell->worst;
	}
	cell->cases[v]++;
}

/* ---- a cell ---- */

/* Cases of a class that is drawn.  The bodies of an op with regions differ much, so a second use needs more of them. */
static int cases_of(const struct conform_options *o, const struct conform_column *column, enum op op)
{
	int n = o->cases;

	for (int order = stack_order(column->stack, column->n_stack); order > 1 && n > 1; order--)
		n = n > 4 ? n / 4 : 1;
	return column->points == POINTS_REUSED && op_table[op].n_region ? n * REUSE_BODIES : n;
}

/* The dead branch that case `number` of a cell is, or DEAD_BRANCHES.  The root is the first of the n cases; the others
 * come after them. */
static int branch_of(const struct filling *f, int number, int n)
{
	if (f->item->op != OP_SELECT || f->judge->m->column[f->item->column].points != POINTS_EDGE)
		return DEAD_BRANCHES;
	return !number ? 0 : number >= n && number - n + 1 < DEAD_BRANCHES ? number - n + 1 : DEAD_BRANCHES;
}

/* Case f->number of a class that is drawn; of the reused ones, each case in all forms. */
static bool drawn_case(struct filling *f, struct testcase *c, int *form)
{
	struct conform_judge *j = f->judge;
	const enum op op = f->item->op;
	const struct conform_column *column = &j->m->column[f->item->column];
	const bool reused = column->points == POINTS_REUSED;
	const int number = reused ? f->number / REUSE_FORMS : f->number, which = f->number % REUSE_FORMS;
	const int n = cases_of(j->o, column, op);

	*form = reused ? which + 1 : 0;
	f->branch = branch_of(f, number, n);
	if (f->branch < DEAD_BRANCHES &&
	    dead_branch_case(column->stack, column->n_stack, column->dtype, f->branch, &j->scratch, c) &&
	    bench_knows(j->bench, c, &j->scratch))
		return true;
	f->ended = number >= n && f->branch == DEAD_BRANCHES;
	f->branch = DEAD_BRANCHES;
	if (number >= n || !draw_case(j->bench, j->o, op, column, number, &f->profile, &j->scratch, c))
		return false;
	return !reused || (reuse_case(c, op, number, which, &j->scratch, c) && bench_knows(j->bench, c, &j->scratch));
}

/* Case f->number of the op alone, if the engine knows it.  If the engine has spellings, each comes in the first ones
 * and then in some others. */
static bool listed_case(struct filling *f, struct testcase *c, int *form)
{
	struct conform_judge *j = f->judge;
	const enum op op = f->item->op;
	const int each = f->profile.variants ? 2 : 1, number = f->number / each;
	const uint64_t seed = seed_mix(seed_mix(j->o->seed, (uint64_t)op), (uint64_t)number);
	const enum edit_result made = special_case(op, &j->m->column[f->item->column], number, &j->scratch, c, form);

	f->ended = made == EDIT_END;
	if (made != EDIT_TRY)
		return false;
	if (f->number % each)
		c->variant = 1 + (int)(seed % LIMIT_VARIANT);
	*form = 1 + *form * each + f->number % each;
	return bench_knows(j->bench, c, &j->scratch);
}

static void judge_next(void *context)
{
	struct filling *f = context;
	struct testcase c;
	int form = 0;

	if (f->judge->m->column[f->item->column].points == POINTS_SPECIAL ? listed_case(f, &c, &form)
	                                                                  : drawn_case(f, &c, &form))
		judge_case(f, &c, form);
}

/* A case that does not fit into memory is left out. */
static void judge_cell(struct filling *f)
{
	struct conform_judge *j = f->judge;
	const struct engine_scope scope = engine_scope(j->bench->engine[0]);
	const struct hello *hello = engine_hello(j->bench->engine[0]);

	f->name = conform_cell_name(j->m, f->item->op, f->item->column, f->arena);
	f->profile = cell_profile(f->item->op, &j->m->column[f->item->column], &scope);
	f->profile.variants = hello && hello->variants;
	for (; !f->ended && !f->out->failure && !stop_requested(); f->number++) {
		arena_reset(&j->scratch);
		arena_try(&j->scratch, judge_next, f);
	}
}

/* ---- a case of the corpus ---- */

/* Whether the sweep is of everything, or of an op and a dtype that the case has. */
static bool chosen(const struct conform_options *o, const struct program *p)
{
	bool has[OP_COUNT] = {false}, op = false, dtype = false;

	region_ops(&p->top, has);
	for (int k = 0; k < OP_COUNT; k++)
		op |= o->op[k] && has[k];
	for (int v = 0; v < p->n_value; v++)
		dtype |= o->dtype[p->type[v].dtype];
	return op && dtype;
}

const char *conform_replayed_column(const struct testcase *c, struct arena *a)
{
	const char *out = c->n_transform ? "" : "primal", *dtype = "none";

	for (int k = 0; k < c->n_transform; k++)
		out = arena_printf(a, "%s%s%s", out, k ? "," : "", transform_names[c->transform[k].kind]);
	for (int v = c->program.n_value - 1; v >= 0; v--)
		if (dtype_is_float(c->program.type[v].dtype))
			dtype = dtype_table[c->program.type[v].dtype].name;
	return arena_printf(a, "%s-%s-corpus", out, dtype);
}

/* "corpus/" and the path below the folder; or the file's name, if it is given alone. */
static const char *replayed_name(const char *path, const char *folder, struct arena *a)
{
	const char *rest = path + strlen(folder);

	if (!*rest && strrchr(path, '/'))
		rest = strrchr(path, '/');
	return arena_printf(a, "corpus/%s", rest + strspn(rest, "/"));
}

static void judge_replayed(void *context)
{
	struct filling *f = context;
	struct conform_judge *j = f->judge;
	struct testcase c;
	struct error e = {0};

	if (!testcase_read_file(f->item->path, &j->scratch, &c, &e) || !chosen(j->o, &c.program) ||
	    !bench_knows(j->bench, &c, &j->scratch))
		return;
	f->name = f->out->name = replayed_name(f->item->path, j->o->corpus, f->arena);
	judge_case(f, &c, 0);
}

/* ---- an item ---- */

void conform_judge_item(
    struct conform_judge *judge, const struct conform_item *item, struct arena *a, struct conform_result *out)
{
	struct filling f = {.judge = judge, .item = item, .arena = a, .out = out, .branch = DEAD_BRANCHES};

	*out = (struct conform_result){.cell.text = ""};
	if (item->path) {
		arena_reset(&judge->scratch);
		arena_try(&judge->scratch, judge_replayed, &f);
	} else {
		judge_cell(&f);
	}
}

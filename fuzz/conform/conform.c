/* conform.c: the sweep. */
#include "cells.h"
#include "deep.h"
#include "leaks.h"
#include "graph/walk.h"

#include <stdio.h>
#include <string.h>

#include "fuzz/bench/progress.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"
#include "fuzz/bench/draw.h"

enum { LINE_SECONDS = 60, REUSE_BODIES = 4 };

/* ---- the sweep ---- */

static bool keeps(enum verdict v) { return verdict_is_finding[v] || v == VERDICT_INACCURATE; }

/*
 * Counts a request that ended badly, although the judgement of its case does not show it, and a finding that fresh
 * processes do not show again.  The latter becomes undecided.
 */
static void note_flaky(struct bench *b, const struct testcase *c, struct bench_result *r, struct arena *scratch,
    struct arena *a, struct conform *m, struct conform_cell *cell)
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
	m->flaky++;
}

/* What the sweep of an op, or of the corpus, needs. */
struct conform_sweep {
	struct bench *bench;
	const struct conform_options *o;
	struct arena *scratch, *arena;
	struct conform *m;
};

/* A cell that is being filled. */
struct op_sweep {
	struct conform_sweep all;
	enum op op;
	int column, number; /* column of the cell; number of its case */
	struct profile profile;
	bool ended; /* there is no case of that number */
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

/* Judges a case of the cell.  name: of the cell.  form: as in struct conform_shown. */
static void judge_case(
    const struct conform_sweep *s, struct conform_cell *cell, const char *name, const struct testcase *c, int form)
{
	struct bench *b = s->bench;
	struct conform *m = s->m;
	struct arena *scratch = s->scratch, *a = s->arena;
	struct conform_shown *kept = NULL;
	struct bench_result r;
	enum verdict v;
	const char *text = "";

	bench_judge(b, c, scratch, &r);
	if (r.interrupted)
		return;
	conform_note_leak(&m->leaks, c, &r.judgement[0], arena_printf(a, "%s", name),
	    signature_coarse(engine_name(b->engine[0]), c, &r.judgement[0], a), a);
	if (!s->o->strict)
		bench_forgive(b, &r);
	note_flaky(b, c, &r, scratch, a, m, cell);
	v = r.judgement[0].verdict;
	for (int k = 0; k < c->n_point; k++) {
		if (r.answer[0][k].text && *r.answer[0][k].text && !*text)
			text = r.answer[0][k].text;
		if (r.answer[0][k].status == ANSWER_FAILURE && !m->failed) {
			m->failed = true;
			snprintf(m->failure, sizeof m->failure, "%s", r.answer[0][k].text);
		}
	}
	m->asked++;
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
				cell->numbers = arena_printf(a, "expected %s, returned %s",
				    decimal_text(r.judgement[0].expected, scratch),
				    decimal_text(r.judgement[0].returned, scratch));
		}
		cell->worst = v > cell->worst ? v : cell->worst;
	}
	cell->cases[v]++;
	m->verdict[v]++;
}

/* Cases of a class that is drawn.  The bodies of an op with regions differ much, so a second use needs more of them. */
static int cases_of(const struct conform_options *o, const struct conform_column *column, enum op op)
{
	int n = o->cases;

	for (int order = stack_order(column->stack, column->n_stack); order > 1 && n > 1; order--)
		n = n > 4 ? n / 4 : 1;
	return column->points == POINTS_REUSED && op_table[op].n_region ? n * REUSE_BODIES : n;
}

/* Case s->number of a class that is drawn; of the reused ones, each case in all forms. */
static bool drawn_case(struct op_sweep *s, struct testcase *c, int *form)
{
	const struct conform_sweep *all = &s->all;
	const struct conform_column *column = &all->m->column[s->column];
	const bool reused = column->points == POINTS_REUSED;
	const int number = reused ? s->number / REUSE_FORMS : s->number, which = s->number % REUSE_FORMS;

	*form = reused ? which + 1 : 0;
	s->ended = number >= cases_of(all->o, column, s->op);
	if (s->ended || !draw_case(all->bench, all->o, s->op, column, number, &s->profile, all->scratch, c))
		return false;
	return !reused ||
	    (reuse_case(c, s->op, number, which, all->scratch, c) && bench_knows(all->bench, c, all->scratch));
}

/* Case s->number of the op alone, if the engine knows it.  If the engine has spellings, each comes in the first ones
 * and then in some others. */
static bool listed_case(struct op_sweep *s, struct testcase *c, int *form)
{
	const int each = s->profile.variants ? 2 : 1, number = s->number / each;
	const uint64_t seed = seed_mix(seed_mix(s->all.o->seed, (uint64_t)s->op), (uint64_t)number);
	const enum edit_result made = special_case(
	    s->op, &s->all.m->column[s->column], number, s->all.scratch, c, form);

	s->ended = made == EDIT_END;
	if (made != EDIT_TRY)
		return false;
	if (s->number % each)
		c->variant = 1 + (int)(seed % LIMIT_VARIANT);
	*form = 1 + *form * each + s->number % each;
	return bench_knows(s->all.bench, c, s->all.scratch);
}

static void sweep_case(void *context)
{
	struct op_sweep *s = context;
	struct conform *m = s->all.m;
	struct testcase c;
	int form = 0;

	if (m->column[s->column].points == POINTS_SPECIAL ? listed_case(s, &c, &form) : drawn_case(s, &c, &form))
		judge_case(&s->all, &m->cell[s->op][s->column], conform_cell_name(m, s->op, s->column, s->all.scratch),
		    &c, form);
}

/* A case that does not fit into memory is left out. */
static void sweep_op(const struct conform_sweep *all, enum op op)
{
	const struct engine_scope scope = engine_scope(all->bench->engine[0]);
	struct conform *m = all->m;

	m->cell[op] = NEW(all->arena, struct conform_cell, m->n_column);
	for (int k = 0; k < m->n_column; k++) {
		struct op_sweep s = {*all, op, k, 0, cell_profile(op, &m->column[k], &scope), false};
		const struct hello *hello = engine_hello(all->bench->engine[0]);

		s.profile.variants = hello && hello->variants;
		m->cell[op][k].text = "";
		for (; !s.ended && !m->failed && !stop_requested(); s.number++) {
			arena_reset(all->scratch);
			arena_try(all->scratch, sweep_case, &s);
		}
	}
}

/* ---- the corpus ---- */

struct replay {
	struct conform_sweep all;
	const char *path;
};

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

static void replay_case(void *context)
{
	const struct replay *r = context;
	const struct conform_sweep *s = &r->all;
	struct conform_replayed *x = &s->m->replayed[s->m->n_replayed];
	struct testcase c;
	struct error e = {0};

	if (!testcase_read_file(r->path, s->scratch, &c, &e) || !chosen(s->o, &c.program) ||
	    !bench_knows(s->bench, &c, s->scratch))
		return;
	*x = (struct conform_replayed){.cell.text = ""};
	x->name = replayed_name(r->path, s->o->corpus, s->arena);
	s->m->n_replayed++;
	judge_case(s, &x->cell, x->name, &c, 0);
}

/* Judges each case of the corpus that the engine knows. */
static void replay_corpus(const struct conform_sweep *s)
{
	struct conform *m = s->m;

	m->n_corpus = s->o->n_path;
	m->replayed = NEW(s->arena, struct conform_replayed, s->o->n_path + 1);
	for (int k = 0; k < s->o->n_path && !m->failed && !stop_requested(); k++) {
		struct replay r = {*s, s->o->path[k]};

		if (s->o->n_shard && k % s->o->n_shard != s->o->shard)
			continue;
		arena_reset(s->scratch);
		arena_try(s->scratch, replay_case, &r);
	}
}

void conform_sweep(struct bench *b, const struct conform_options *o, struct arena *a, struct conform *out)
{
	const struct engine_scope scope = engine_scope(b->engine[0]);
	struct arena scratch;
	const struct conform_sweep all = {b, o, &scratch, a, out};
	bool terminal = o->progress && progress_overwrites();
	double shown = bench_clock();

	memset(out, 0, sizeof *out);
	out->deep = o->deep;
	conform_columns(out, o, b->engine[0]);
	arena_init(&scratch, (size_t)1 << 30);
	for (int op = 0; op < OP_COUNT && !out->failed; op++) {
		/* discrete ops have no derivative */
		if (!scope.op[op] || !o->op[op] || (o->n_shard && op % o->n_shard != o->shard) || op == OP_CONSTANT ||
		    op_table[op].regularity == REGULARITY_DISCRETE)
			continue;
		sweep_op(&all, (enum op)op);
		if (terminal) {
			fprintf(stderr, "\r\033[K%s: %d cases", op_table[op].name, out->asked);
		} else if (o->progress && bench_clock() - shown >= LINE_SECONDS) {
			fprintf(stderr, "%s: %d cases\n", op_table[op].name, out->asked);
			shown = bench_clock();
		}
	}
	if (o->deep)
		replay_corpus(&all);
	conform_minimize_leak(&out->leaks, b, &scratch, a);
	if (terminal)
		fputs("\r\033[K", stderr);
	arena_free(&scratch);
}

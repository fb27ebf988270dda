/* mutation_score.c: one stream of cases for all faults or mutants of an engine. */
#include "mutation_score.h"
#include "graph/heap.h"
#include "graph/walk.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/file.h"
#include "fuzz/bench/fit_profile.h"
#include "fuzz/bench/progress.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"

enum { SCORE_SPEC = 160, SCORE_LINE_SECONDS = 60 };

/* An engine with one fault that is still alive, and the ops where it can show. */
struct alive {
	struct engine *engine; /* owned; NULL: retired */
	bool anywhere;         /* it may show with any op, not only those of its rows */
	bool row[OP_COUNT];
};

struct scoring {
	const struct score_options *o;
	struct score *out;
	struct bench bench;  /* holds the engine without faults */
	struct alive *alive; /* [out->n] */
	int n_alive;
	double start, shown;
	bool terminal;
	struct profile profile;
	struct arena arena; /* of a case */
	uint64_t number;    /* of the case */
};

/* ---- rows ---- */

static void add_row(struct score *s, const char *only, const char *spec, const char *meaning)
{
	if (only && !strstr(spec, only) && !strstr(meaning, only))
		return;
	s->row = heap_resize(s->row, (size_t)s->n + 1, sizeof *s->row);
	s->row[s->n++] = (struct scored){.spec = heap_text(spec), .meaning = heap_text(meaning)};
}

static void add_mutants(struct score *s, const struct score_options *o)
{
	char meaning[MUTANT_TEXT], spec[SCORE_SPEC];

	for (int i = 0; mutant_row(o->engine, i, meaning); i++) {
		snprintf(spec, sizeof spec, "%s+mutant:%d", o->engine, i);
		add_row(s, o->only, spec, meaning);
	}
}

static void add_faults(struct score *s, const struct score_options *o)
{
	const struct fault_info *f;
	size_t len = strlen(o->engine);

	for (int i = 0; (f = fault_row(i)); i++)
		if (!strncmp(f->spec, o->engine, len) && f->spec[len] == '+' && !strchr(f->spec, ':'))
			add_row(s, o->only, f->spec, f->meaning);
}

void score_free(struct score *s)
{
	for (int i = 0; i < s->n; i++) {
		free(s->row[i].spec);
		free(s->row[i].meaning);
	}
	free(s->row);
	memset(s, 0, sizeof *s);
}

/* ---- which may differ where ---- */

/*
 * Ops with regions whose derivative uses only the rules of the ops inside.  A program without an op then never reads
 * its edited rule.  Any other op with regions may derive other ops too.
 */
static bool region_shows_its_ops(enum op op)
{
	return op == OP_COND || op == OP_SCATTER_APPLY || op == OP_CHECKPOINT || op == OP_FOR || op == OP_WHILE ||
	    op == OP_SCAN;
}

/* Fills the ops of a program.  False: other ops may be derived as well.  In a derivative of a derivative, the rule of
 * one op contains other ops. */
static bool ops_of(const struct testcase *c, bool present[OP_COUNT])
{
	if (c->n_transform > 1)
		return false;
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);) {
		present[w.node->op] = true;
		if (w.node->n_region && !region_shows_its_ops(w.node->op))
			return false;
	}
	return true;
}

static bool may_differ(const struct alive *x, const bool present[OP_COUNT])
{
	for (int op = 0; op < OP_COUNT; op++)
		if (x->row[op] && present[op])
			return true;
	return x->anywhere;
}

/* ---- one case ---- */

static void retire(struct scoring *s, int k)
{
	engine_close(s->alive[k].engine);
	s->alive[k].engine = NULL;
	s->n_alive--;
}

static void keep_found(struct scoring *s, const struct testcase *c, const char *spec, struct arena *a)
{
	size_t len;
	char *text = testcase_write(c, a, &len);

	/* The first error is kept and reported at the end. */
	(void)!file_write_atomic(s->o->found, arena_printf(a, "%s.json", spec), text, len, &s->out->unwritten);
}

static void judge_case(struct scoring *s, const struct testcase *c, struct arena *a)
{
	bool present[OP_COUNT] = {false}, all;
	struct shared_truth truth = {.confirmed = false};
	/* An engine that runs out of memory must not affect others that are asked about the same case. */
	struct question q = {.bench = &s->bench, .truth = &truth, .full_is_no = true};
	struct judgement right, judgement;

	oracle_truth(s->bench.oracle, c, a, &truth.truth);
	s->out->cases++;
	if (case_shows(c, &q, a, &right)) {
		s->out->right_wrong = s->out->cases;
		return;
	}
	all = !ops_of(c, present) || s->o->ask_all;
	for (int k = 0; k < s->out->n; k++) {
		if (!s->alive[k].engine || !(all || may_differ(&s->alive[k], present)))
			continue;
		q.engine = s->alive[k].engine;
		if (!case_shows(c, &q, a, &judgement)) {
			if (judgement.verdict == VERDICT_INACCURATE && right.verdict == VERDICT_AGREE &&
			    !s->out->row[k].inaccurate)
				s->out->row[k].inaccurate = s->out->cases;
			continue;
		}
		s->out->row[k].found = s->out->cases;
		s->out->row[k].verdict = judgement.verdict;
		if (s->o->found)
			keep_found(s, c, s->out->row[k].spec, a);
		retire(s, k);
	}
}

static void show_progress(struct scoring *s)
{
	double now = bench_clock();

	if (!s->o->progress || now - s->shown < (s->terminal ? 1 : SCORE_LINE_SECONDS))
		return;
	s->shown = now;
	fprintf(stderr, "%s%s: %lld cases, %.0f/s, %d of %d alive, at most %.0f s left%s",
	    s->terminal ? "\r\033[K" : "", s->o->engine, (long long)s->out->cases,
	    (double)s->out->cases / (now - s->start), s->n_alive, s->out->n,
	    (double)(s->o->cases - s->out->cases) * (now - s->start) / (double)(s->out->cases + 1),
	    s->terminal ? "" : "\n");
	fflush(stderr);
}

static bool over(const struct scoring *s)
{
	return !s->n_alive || s->out->cases >= s->o->cases || s->out->right_wrong || s->out->unwritten.text[0] ||
	    s->bench.failures || stop_requested();
}

static void run_case(void *context)
{
	struct scoring *s = context;
	struct choice choice = choice_seeded(seed_mix(s->o->seed, s->number));
	struct testcase c;

	arena_reset(&s->arena);
	c = generate(&choice, &s->profile, &s->arena);
	judge_case(s, &c, &s->arena);
	show_progress(s);
}

static void run_cases(struct scoring *s)
{
	s->profile = s->o->profile;
	fit_profile(&s->bench, &s->profile);
	arena_init(&s->arena, CASE_ARENA);
	for (; !over(s); s->number++) /* a case without memory for its truth is skipped */
		s->out->skipped += !arena_try(&s->arena, run_case, s);
	if (s->terminal)
		fputs("\r\033[K", stderr);
	arena_free(&s->arena);
}

/* ---- the whole ---- */

static bool open_all(struct scoring *s, struct error *e)
{
	/* No share of finite differences: every finding of an engine is confirmed anyway. */
	struct oracle_options oracle = {.seed = s->o->seed, .fd_one_in = INT_MAX};

	s->alive = heap_new((size_t)s->out->n + 1, sizeof *s->alive);
	for (int k = 0; k < s->out->n; k++) {
		struct alive *x = &s->alive[k];

		x->engine = engine_open(s->out->row[k].spec, e);
		if (!x->engine)
			return false;
		x->anywhere = !engine_edited_rows(x->engine, x->row);
		s->n_alive++;
	}
	return bench_open(&s->bench, &s->o->engine, 1, &oracle, e);
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Percentile by nearest rank. */
static void count_found(struct score *s)
{
	int64_t *found = heap_new((size_t)s->n + 1, sizeof *found);
	int n = 0;

	for (int i = 0; i < s->n; i++)
		if (s->row[i].found)
			found[n++] = s->row[i].found;
	s->survivors = s->n - n;
	qsort(found, (size_t)n, sizeof *found, compare_numbers);
	s->median = n ? found[(n + 1) / 2 - 1] : 0;
	s->ninety = n ? found[(9 * n + 9) / 10 - 1] : 0;
	free(found);
}

bool mutation_score(const struct score_options *o, struct score *out, struct error *e)
{
	struct scoring s = {.o = o, .out = out};
	bool opened;

	memset(out, 0, sizeof *out);
	(o->mutants ? add_mutants : add_faults)(out, o);
	s.start = s.shown = bench_clock();
	s.terminal = o->progress && progress_overwrites();
	opened = (!o->found || file_make_directory(o->found, e)) && open_all(&s, e);
	if (opened)
		run_cases(&s);
	out->failures = s.bench.failures;
	for (int k = 0; s.alive && k < out->n; k++)
		engine_close(s.alive[k].engine);
	free(s.alive);
	if (opened)
		bench_close(&s.bench);
	count_found(out);
	if (!opened)
		score_free(out);
	return opened;
}

/* conform.c: the sweep: its items, dealt to processes, and what becomes of their results. */
#include "item.h"

#include <stdio.h>
#include <string.h>

#include "cells.h"
#include "fuzz/bench/pool.h"
#include "fuzz/bench/progress.h"
#include "leaks.h"

enum { LINE_SECONDS = 60 };

struct conform_sweep {
	const struct conform_options *o;
	struct arena *arena;
	struct conform *m;
	struct conform_judge judge;
	int n_item;
	struct conform_item *item; /* [n_item] */
	bool forks;                /* items are judged in other processes, with benches of their own */
	struct bench own;          /* the bench of such a process */
	bool opened;
	bool terminal;
	double shown; /* when progress was shown */
};

/* ---- items ---- */

/* Whether op is swept.  A discrete op has no derivative. */
static bool is_swept(const struct conform_sweep *s, const struct engine_scope *scope, int op)
{
	return scope->op[op] && s->o->op[op] && op != OP_CONSTANT && op_table[op].regularity != REGULARITY_DISCRETE;
}

static bool in_shard(const struct conform_options *o, int k) { return !o->n_shard || k % o->n_shard == o->shard; }

static void list_items(struct conform_sweep *s, const struct engine_scope *scope)
{
	s->item = NEW(s->arena, struct conform_item, OP_COUNT * s->m->n_column + s->o->n_path + 1);
	for (int op = 0; op < OP_COUNT; op++)
		for (int k = 0; k < s->m->n_column && is_swept(s, scope, op) && in_shard(s->o, op); k++)
			s->item[s->n_item++] = (struct conform_item){(enum op)op, k, NULL};
	for (int k = 0; s->o->deep && k < s->o->n_path; k++)
		if (in_shard(s->o, k))
			s->item[s->n_item++] = (struct conform_item){.path = s->o->path[k]};
}

/* ---- where items are judged ---- */

static bool open_judge(void *self)
{
	struct conform_sweep *s = self;

	if (s->forks) {
		s->opened = s->o->open(s->o->context, &s->own);
		s->judge.bench = &s->own;
	}
	arena_init(&s->judge.scratch, (size_t)1 << 30);
	return !s->forks || s->opened;
}

static void judge_item(void *self, int k, struct text *result)
{
	struct conform_sweep *s = self;
	struct conform_result x;

	conform_judge_item(&s->judge, &s->item[k], result->arena, &x);
	conform_result_put(result, &x);
}

static void close_judge(void *self, struct text *last)
{
	struct conform_sweep *s = self;

	(void)last;
	if (s->opened)
		bench_close(&s->own);
	arena_free(&s->judge.scratch);
}

/* ---- where results come together ---- */

static void add_counts(struct conform *m, const struct conform_cell *cell)
{
	for (int v = 0; v < VERDICT_COUNT; v++)
		m->verdict[v] += cell->cases[v];
	m->asked += conform_cell_cases(cell);
	m->flaky += cell->flaky;
}

static void add_leaks(struct conform_leaks *to, const struct conform_leaks *from)
{
	const struct conform_leaks before = *to;

	if (!before.cases || (from->cases && from->branch < before.branch))
		*to = *from;
	to->cases = before.cases + from->cases;
	if (before.cases)
		to->first = before.first;
}

static void put_cell(struct conform_sweep *s, const struct conform_item *item, const struct conform_cell *cell)
{
	struct conform *m = s->m;

	if (!m->cell[item->op]) {
		m->cell[item->op] = NEW(s->arena, struct conform_cell, m->n_column);
		for (int k = 0; k < m->n_column; k++)
			m->cell[item->op][k].text = "";
	}
	m->cell[item->op][item->column] = *cell;
}

/* Shows how far the sweep is, after the last column of an op. */
static void show_progress(struct conform_sweep *s, const struct conform_item *item)
{
	const char *op = op_table[item->op].name;

	if (item->path || item->column + 1 < s->m->n_column)
		return;
	if (s->terminal) {
		fprintf(stderr, "\r\033[K%s: %d cases", op, s->m->asked);
	} else if (s->o->progress && bench_clock() - s->shown >= LINE_SECONDS) {
		fprintf(stderr, "%s: %d cases\n", op, s->m->asked);
		s->shown = bench_clock();
	}
}

static void fail(struct conform *m, const char *text)
{
	m->failed = true;
	snprintf(m->failure, sizeof m->failure, "%s", text);
}

/* The name of an item for a message. */
static const char *item_name(const struct conform_sweep *s, const struct conform_item *item)
{
	return item->path ? item->path : conform_cell_name(s->m, item->op, item->column, s->arena);
}

static bool take_result(void *self, int k, const char *bytes, size_t len, const char *lost)
{
	struct conform_sweep *s = self;
	const struct conform_item *item = &s->item[k];
	struct conform *m = s->m;
	struct conform_result x;

	if (lost || !conform_result_read(bytes, len, s->arena, &x)) {
		fail(m,
		    arena_printf(
		        s->arena, "%s: %s", item_name(s, item), lost ? lost : "its result came back unreadable"));
		return false;
	}
	if (!item->path)
		put_cell(s, item, &x.cell);
	else if (x.name)
		m->replayed[m->n_replayed++] = (struct conform_replayed){x.name, x.cell};
	add_counts(m, &x.cell);
	add_leaks(&m->leaks, &x.leaks);
	if (x.failure)
		fail(m, x.failure);
	show_progress(s, item);
	return !m->failed;
}

/* ---- the sweep ---- */

bool conform_sweep(struct bench *b, const struct conform_options *o, struct arena *a, struct conform *out)
{
	const struct engine_scope scope = engine_scope(b->engine[0]);
	struct conform_sweep s = {.o = o, .arena = a, .m = out, .judge = {.bench = b, .o = o, .m = out}};
	struct pool_work work = {.jobs = o->jobs,
	    .self = &s,
	    .open = open_judge,
	    .item = judge_item,
	    .close = close_judge,
	    .take = take_result};
	struct arena scratch;
	bool good;

	memset(out, 0, sizeof *out);
	out->deep = o->deep;
	out->n_corpus = o->deep ? o->n_path : 0;
	out->replayed = NEW(a, struct conform_replayed, o->n_path + 1);
	conform_columns(out, o, b->engine[0]);
	list_items(&s, &scope);
	work.n = s.n_item;
	s.forks = pool_forks(&work);
	s.terminal = o->progress && progress_overwrites();
	s.shown = bench_clock();
	good = pool_run(&work);
	arena_init(&scratch, (size_t)1 << 30);
	conform_minimize_leak(&out->leaks, b, &scratch, a);
	arena_free(&scratch);
	if (s.terminal)
		fputs("\r\033[K", stderr);
	return good;
}

/*
 * window.c: the path of a case through a campaign.
 *
 * If no engine takes several cases in one request, each case is judged before the next one is drawn.  Otherwise cases
 * wait in a window until it is full, and are judged while the engines work on the next window.  Only the truth guides a
 * campaign, and it is there at once.  So the cases drawn, and their judgements, are the same for any window.
 */
#include "window.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/campaign/owner/members.h"
#include "graph/heap.h"
#include "fuzz/bench/look_again.h"
#include "fuzz/bench/stop.h"
#include "draws.h"
#include "fill.h"
#include "job.h"
#include "fuzz/campaign/owner/cross.h"
#include "fuzz/campaign/owner/show.h"
#include "fuzz/campaign/books/corpus_room.h"

/* A window of large cases is closed early, so that its last case has as much memory as any other. */
enum { WINDOW_BYTES = 64 << 20 };

/* ---- the truth and the verdict of a case ---- */

/* `sum` and the work that the oracles did since `before`. */
static struct oracle_statistics work_since(
    struct campaign *self, const struct oracle_statistics *before, struct oracle_statistics sum)
{
	const struct oracle_statistics now = oracle_statistics(self->bench.oracle);

	self->seconds.analytic += now.analytic_seconds - before->analytic_seconds;
	self->seconds.fd += now.fd_seconds - before->fd_seconds;
	sum.work += now.work - before->work;
	sum.truths += now.truths - before->truths;
	sum.fd_runs += now.fd_runs - before->fd_runs;
	sum.fd_escalations += now.fd_escalations - before->fd_escalations;
	sum.fd_disagreements += now.fd_disagreements - before->fd_disagreements;
	return sum;
}

/* Computes the truth and the features of c, and begins its record. */
static struct case_record begin_case(struct campaign *self, const struct testcase *c, struct arena *a,
    struct bench_result *r, uint8_t counters[FEATURE_BYTES])
{
	const struct oracle_statistics before = oracle_statistics(self->bench.oracle);
	struct case_record record = {.draw = self->draw, .parent = case_is_parent(c)};

	bench_truth(&self->bench, c, a, r);
	features_of(c, &r->truth, counters);
	record.component = twin_components_of(c, &r->truth, a, &record.teeth);
	record.oracle = work_since(self, &before, record.oracle);
	record.feature = campaign_features(self, counters, &record.n_feature, a);
	return record;
}

static bool any_supported(const struct campaign *self, const struct bench_result *r)
{
	for (int k = 0; k < self->bench.n_engine; k++)
		if (r->judgement[k].verdict != VERDICT_UNSUPPORTED)
			return true;
	return false;
}

/*
 * Judges the twins of c.  Whether it has some depends on its truth alone, whose cost is the work of the record so far.
 * So it does not matter which process judges, or which cases it judged before.
 */
static void judge_twins(struct campaign *self, const struct testcase *c, const struct bench_result *r, struct arena *a,
    struct case_record *record, struct judged_twins *out)
{
	const int64_t before = oracle_statistics(self->bench.oracle).work;
	const struct twin_components *own = &record->component;

	*out = (struct judged_twins){0};
	if (self->o->no_twins || r->interrupted || !any_supported(self, r))
		return;
	for (int k = 0; k < own->n; k++)
		record->twins.cases = record->twins.cases || !own->at[k].teeth;
	look_again(&self->bench, c, own, record->oracle.work, self->wide, a, &record->twins, out);
	record->twins.work = oracle_statistics(self->bench.oracle).work - before;
}

/* window: the cases that were asked in one request with case c, its case number k; NULL: it was asked alone. */
static void conclude_case(struct campaign *self, const struct testcase *c, struct bench_result *r, struct arena *a,
    struct case_record *record, const struct window *window, int k)
{
	const struct oracle_statistics before = oracle_statistics(self->bench.oracle);

	struct judged_twins twins;

	bench_conclude(&self->bench, c, a, r);
	judge_twins(self, c, r, a, record, &twins);
	record->oracle = work_since(self, &before, record->oracle);
	campaign_fill(self, c, r, a, record);
	campaign_fill_twins(self, &twins, a, record);
	r->interrupted = r->interrupted || twins.interrupted;
	if (!r->interrupted && !window)
		campaign_fill_incidents(self, c, r, 1, a, record);
	else if (!r->interrupted && k + 1 == window->n) /* only now it is known what each case shows alone */
		campaign_fill_incidents(self, window->c, window->r, window->n, a, record);
	/* An engine was not waited for.  If the time is over, the findings of other engines count; after a signal, a
	 * later run makes the draw again. */
	record->skipped = r->interrupted;
	self->cut = self->cut || (r->interrupted && stop_requested());
	job_give(self, record, c);
	if (!r->interrupted)
		campaign_cross(self, c, self->counts.cases, r, a);
}

/* ---- windows ---- */

void window_open(struct campaign *self)
{
	int room = self->o->max_findings || self->o->no_oracle
	    ? 1
	    : bench_cases(&self->bench); /* any finding may be the last, and no case may follow it */

	self->room = room;
	for (int k = 0; k < 2 && room > 1; k++) {
		struct window *w = &self->window[k];

		arena_init(&w->arena, CASE_ARENA);
		w->end = arena_mark(&w->arena);
		w->c = heap_new((size_t)room, sizeof *w->c);
		w->r = heap_new((size_t)room, sizeof *w->r);
		w->record = heap_new((size_t)room, sizeof *w->record);
	}
}

void window_close(struct campaign *self)
{
	for (int k = 0; k < 2 && self->room > 1; k++) {
		arena_free(&self->window[k].arena);
		free(self->window[k].c);
		free(self->window[k].r);
		free(self->window[k].record);
	}
}

struct asked_together {
	struct campaign *campaign;
	struct window *w;
	int k; /* index of the case that is judged */
};

static void send_all(void *context)
{
	const struct asked_together *x = context;

	bench_send(&x->campaign->bench, x->w->c, x->w->n, &x->w->arena, x->w->r);
}

/* If the requests for a window do not fit into its arena, it is not sent.  Its cases are then asked one by one. */
static void send(struct campaign *self, struct window *w)
{
	struct arena_mark mark = arena_mark(&w->arena);

	if (arena_try(&w->arena, send_all, &(struct asked_together){self, w, 0}))
		return;
	bench_receive(&self->bench, w->n, w->r);
	for (int k = 0; k < w->n; k++) {
		memset(w->r[k].answer, 0, sizeof w->r[k].answer);
		memset(w->r[k].ahead, 0, sizeof w->r[k].ahead);
	}
	arena_rewind(&w->arena, mark);
}

static void conclude(void *context)
{
	const struct asked_together *x = context;
	struct window *w = x->w;

	conclude_case(x->campaign, &w->c[x->k], &w->r[x->k], &w->arena, &w->record[x->k], w, x->k);
}

static void judge_one(struct campaign *self, struct window *w, int k)
{
	struct arena_mark mark = arena_mark(&w->arena);

	if (!arena_try(&w->arena, conclude, &(struct asked_together){self, w, k}))
		job_give(self, &(struct case_record){.draw = w->record[k].draw, .drawn = true, .skipped = true}, NULL);
	if (!bench_any_incident(&self->bench, &w->r[k])) /* else its texts stay until the window is recorded */
		arena_rewind(&w->arena, mark);
}

/* Sends the full window to the engines, judges the one that they have answered, and opens that one again. */
static void turn(struct campaign *self)
{
	struct window *full = &self->window[self->open], *asked = &self->window[!self->open];

	bench_receive(&self->bench, asked->n, asked->r);
	if (full->n)
		send(self, full);
	for (int k = 0; k < asked->n && !self->failure.any; k++)
		judge_one(self, asked, k);
	asked->n = 0;
	arena_reset(&asked->arena);
	asked->end = arena_mark(&asked->arena);
	self->open = !self->open;
}

void window_flush(struct campaign *self)
{
	for (int k = 0; k < 2 && self->room > 1; k++)
		turn(self);
}

/* ---- one case ---- */

/* Adds c to the open window.  a: the window's arena takes its on_full, so that a full arena skips this case. */
static int add(struct campaign *self, const struct testcase *c, const struct arena *a, uint8_t counters[FEATURE_BYTES])
{
	struct window *w = &self->window[self->open];
	struct testcase *own = &w->c[w->n];
	int fresh;

	arena_rewind(&w->arena, w->end); /* back to the end of the last case that fitted */
	w->arena.on_full = a->on_full;
	*own = testcase_copy(c, &w->arena);
	w->record[w->n] = begin_case(self, own, &w->arena, &w->r[w->n], counters);
	fresh = w->record[w->n++].n_feature;
	w->end = arena_mark(&w->arena);
	if (w->n == self->room || w->arena.used > WINDOW_BYTES)
		turn(self);
	return fresh;
}

/* Compares without judging; every verdict is undecided. */
static int compare_only(
    struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES])
{
	struct case_record record = {.draw = self->draw, .parent = case_is_parent(c)};
	struct bench_result r = {0};

	features_of(c, NULL, counters);
	record.feature = campaign_features(self, counters, &record.n_feature, a);
	for (int k = 0; k < self->bench.n_engine; k++)
		r.judgement[k].verdict = VERDICT_UNDECIDED;
	campaign_fill(self, c, &r, a, &record);
	job_give(self, &record, c);
	campaign_cross(self, c, self->counts.cases, &r, a);
	return record.n_feature;
}

int campaign_judge(struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES])
{
	struct case_record record;
	struct bench_result r;
	int fresh;

	self->drawn++;
	self->entered = true;
	if (self->room > 1) {
		fresh = add(self, c, a, counters);
	} else if (self->o->no_oracle) {
		fresh = compare_only(self, c, a, counters);
	} else {
		record = begin_case(self, c, a, &r, counters);
		conclude_case(self, c, &r, a, &record, NULL, 0);
		fresh = record.n_feature;
	}
	campaign_show_progress(self);
	return fresh;
}

void campaign_features_of(
    struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES])
{
	struct bench_result r;

	bench_truth(&self->bench, c, a, &r);
	features_of(c, &r.truth, counters);
}

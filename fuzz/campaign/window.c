/*
 * window.c: the path of a case through a campaign.
 *
 * If no engine takes several cases in one request, each case is judged before the next one is drawn.  Otherwise cases
 * wait in a window until it is full, and are judged while the engines work on the next window.  Only the truth guides a
 * campaign, and it is there at once.  So the cases drawn, and their judgements, are the same for any window.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "graph/heap.h"

/* A window of large cases is closed early, so that its last case has as much memory as any other. */
enum { WINDOW_BYTES = 64 << 20 };

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
		w->number = heap_new((size_t)room, sizeof *w->number);
	}
}

void window_close(struct campaign *self)
{
	for (int k = 0; k < 2 && self->room > 1; k++) {
		arena_free(&self->window[k].arena);
		free(self->window[k].c);
		free(self->window[k].r);
		free(self->window[k].number);
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
	struct campaign *self = x->campaign;
	struct window *w = x->w;
	const int k = x->k;

	bench_conclude(&self->bench, &w->c[k], &w->arena, &w->r[k]);
	campaign_count(self, &w->c[k], &w->r[k]);
	campaign_record(self, &w->c[k], w->number[k], &w->r[k], &w->arena);
	campaign_cross(self, &w->c[k], w->number[k], &w->r[k], &w->arena);
}

static void judge_one(struct campaign *self, struct window *w, int k)
{
	struct arena_mark mark = arena_mark(&w->arena);

	if (!arena_try(&w->arena, conclude, &(struct asked_together){self, w, k}))
		campaign_skip(self);
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
static void add(struct campaign *self, const struct testcase *c, const struct arena *a, uint8_t counters[FEATURE_BYTES])
{
	struct window *w = &self->window[self->open];
	struct testcase *own = &w->c[w->n];

	arena_rewind(&w->arena, w->end); /* back to the end of the last case that fitted */
	w->arena.on_full = a->on_full;
	*own = testcase_copy(c, &w->arena);
	bench_truth(&self->bench, own, &w->arena, &w->r[w->n]);
	features_of(own, &w->r[w->n].truth, counters);
	w->number[w->n++] = self->cases;
	w->end = arena_mark(&w->arena);
	if (w->n == self->room || w->arena.used > WINDOW_BYTES)
		turn(self);
}

/* Compares without judging; every verdict is undecided. */
static void compare_only(
    struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES])
{
	struct bench_result r = {0};

	features_of(c, NULL, counters);
	for (int k = 0; k < self->bench.n_engine; k++)
		r.judgement[k].verdict = VERDICT_UNDECIDED;
	campaign_count(self, c, &r);
	campaign_cross(self, c, self->cases, &r, a);
}

void campaign_judge(struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES])
{
	struct bench_result r;

	self->cases++;
	if (self->room > 1) {
		add(self, c, a, counters);
	} else if (self->o->no_oracle) {
		compare_only(self, c, a, counters);
	} else {
		bench_truth(&self->bench, c, a, &r);
		features_of(c, &r.truth, counters);
		bench_conclude(&self->bench, c, a, &r);
		campaign_count(self, c, &r);
		campaign_record(self, c, self->cases, &r, a);
		campaign_cross(self, c, self->cases, &r, a);
	}
	campaign_show_progress(self);
}

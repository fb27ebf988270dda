/* driver_plain.c: drivers without libFuzzer: independent fresh cases, and a small evolutionary loop of our own. */
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "case_mutator.h"
#include "fuzz/campaign/books/corpus_room.h"
#include "fuzz/bench/draw.h"
#include "fuzz/campaign/judging/draws.h"
#include "fuzz/campaign/judging/window.h"
#include "fuzz/campaign/owner/corpus.h"
#include "drivers.h"

struct driver {
	struct campaign *campaign;
	struct arena arena;
	uint64_t number; /* of the case */
	struct pool *pool;
	int pooled; /* cases of the campaign's corpus before this one are in the pool, or were judged */
};

static void drive(struct driver *d, arena_run_fn *one)
{
	arena_init(&d->arena, CASE_ARENA);
	arena_touch(&d->arena);
	while (!campaign_over(d->campaign) && campaign_next(d->campaign, &d->number))
		if (!arena_try(&d->arena, one, d))
			campaign_skip(d->campaign);
	arena_free(&d->arena);
}

static void generate_one(void *context)
{
	struct driver *d = context;
	const struct campaign_options *o = campaign_options(d->campaign);
	size_t len;
	const char *text = campaign_given(d->campaign, d->number, &len);
	struct choice choice = choice_seeded(seed_mix(o->seed, campaign_fresh(d->campaign, d->number)));
	double start = bench_clock();
	uint8_t counters[FEATURE_BYTES] = {0};
	struct error e = {0};
	struct testcase c;

	arena_reset(&d->arena);
	if (!text)
		c = draw_known(campaign_bench(d->campaign), &choice, &o->profile, &d->arena);
	else if (!testcase_read(text, len, &d->arena, &c, &e)) {
		campaign_skip(d->campaign);
		return;
	}
	campaign_add_generate(d->campaign, bench_clock() - start);
	campaign_judge(d->campaign, &c, &d->arena, counters);
}

/* Case k depends on the seed and k alone. */
void drive_generate(struct campaign *s) { drive(&(struct driver){.campaign = s}, generate_one); }

enum {
	FRESH_PERCENT = 35,
	CROSS_PERCENT = 15 /* the rest is mutated */
};

/* Kept cases as compact text.  When it is full, a new one replaces a random one. */
struct pool {
	struct corpus_room room;
	struct kept {
		char *text;
		size_t len;
	} at[CORPUS_CASES];
};

/* Where to put a case of `len` bytes.  NULL: it is too long. */
static struct kept *pool_place(struct pool *p, struct choice *choice, size_t len)
{
	struct kept *k;

	if (len > CORPUS_CASE_BYTES)
		return NULL;
	if (corpus_room_take(&p->room, len))
		return &p->at[p->room.n - 1];
	k = &p->at[choice_below(choice, p->room.n)];
	if (len > k->len && len - k->len > CORPUS_BYTES - p->room.bytes)
		return NULL;
	p->room.bytes += len - k->len;
	return k;
}

static void pool_add(struct driver *d, struct choice *choice, const char *text, size_t len)
{
	struct kept *k = pool_place(d->pool, choice, len);

	if (!k)
		return;
	campaign_hold(d->campaign, (int64_t)len - (int64_t)k->len);
	free(k->text);
	k->text = heap_new(len + 1, 1);
	memcpy(k->text, text, len + 1);
	k->len = len;
}

static bool pool_pick(const struct pool *p, struct choice *choice, struct arena *a, struct testcase *out)
{
	struct error e = {0};
	const struct kept *k;

	if (!p->room.n)
		return false;
	k = &p->at[choice_below(choice, p->room.n)];
	return testcase_read(k->text, k->len, a, out, &e);
}

static struct testcase next_case(const struct driver *d, struct choice *choice, struct arena *a)
{
	const struct pool *p = d->pool;
	const struct bench *bench = campaign_bench(d->campaign);
	const struct profile *profile = &campaign_options(d->campaign)->profile;
	int percent = choice_below(choice, 100);
	struct testcase left, right;

	if (percent < FRESH_PERCENT || !pool_pick(p, choice, a, &left))
		return draw_known(bench, choice, profile, a);
	if (percent < FRESH_PERCENT + CROSS_PERCENT && pool_pick(p, choice, a, &right))
		return change_known(bench, &left, &right, choice, profile, a);
	return change_known(bench, &left, NULL, choice, profile, a);
}

/* Adds the cases that earlier runs and other processes kept. */
static void fill_pool(struct driver *d)
{
	struct choice choice = choice_seeded(campaign_options(d->campaign)->seed);

	for (; d->pooled < campaign_corpus(d->campaign); d->pooled++) {
		size_t len;
		const char *text = campaign_corpus_text(d->campaign, d->pooled, &len);

		pool_add(d, &choice, text, len);
	}
}

static void evolve_one(void *context)
{
	struct driver *d = context;
	struct campaign *s = d->campaign;
	const struct campaign_options *o = campaign_options(s);
	struct choice choice = choice_seeded(seed_mix(o->seed, d->number));
	double start = bench_clock();
	uint8_t counters[FEATURE_BYTES] = {0};
	struct error e = {0};
	struct testcase c;
	const char *text;
	size_t len;

	arena_reset(&d->arena);
	fill_pool(d);
	text = campaign_given(s, d->number, &len);
	if (text) {
		pool_add(d, &choice, text, len);
		if (!testcase_read(text, len, &d->arena, &c, &e)) {
			campaign_skip(s);
			return;
		}
	} else {
		c = next_case(d, &choice, &d->arena);
	}
	campaign_add_generate(s, bench_clock() - start);
	if (campaign_judge(s, &c, &d->arena, counters) && case_is_parent(&c)) {
		text = testcase_write_compact(&c, &d->arena, &len);
		pool_add(d, &choice, text, len);
	}
}

void drive_plain(struct campaign *s)
{
	struct driver d = {.campaign = s, .pool = heap_new(1, sizeof *d.pool), .pooled = campaign_corpus_kept(s)};

	drive(&d, evolve_one);
	for (int i = 0; i < d.pool->room.n; i++)
		free(d.pool->at[i].text);
	free(d.pool);
}

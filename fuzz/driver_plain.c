/* driver_plain.c: drivers without libFuzzer: independent fresh cases, and a small evolutionary loop of our own. */
#include <stdlib.h>
#include <string.h>

#include "campaign.h"
#include "case_mutator.h"

/* Case k from the seed and k alone. */
void drive_generate(struct campaign *s)
{
	const struct campaign_options *o = campaign_options(s);
	struct arena a;
	jmp_buf full;
	volatile uint64_t number = 0;

	arena_init(&a, CASE_ARENA);
	if (setjmp(full))
		campaign_skip(s);
	a.on_full = &full;
	while (!campaign_over(s)) {
		struct choice choice = choice_seeded(seed_mix(o->seed, number++));
		double start = bench_clock();
		uint8_t counters[FEATURE_BYTES] = {0};
		struct testcase c;

		arena_reset(&a);
		c = generate(&choice, &o->profile, &a);
		campaign_add_generate(s, bench_clock() - start);
		campaign_judge(s, &c, &a, counters);
		campaign_new_features(s, counters, NULL);
	}
	arena_free(&a);
}

enum {
	POOL = 4096,            /* kept cases; a new one then replaces a random one */
	POOL_BYTES = 1 << 16,   /* longer cases are not kept */
	FRESH_PERCENT = 35, CROSS_PERCENT = 15 /* the rest is mutated */
};

/* Kept cases as compact text. */
struct pool {
	int n;
	struct kept {
		char *text;
		size_t len;
	} at[POOL];
};

static void pool_add(struct pool *p, struct choice *choice, const char *text, size_t len)
{
	struct kept *k;

	if (len > POOL_BYTES)
		return;
	k = p->n < POOL ? &p->at[p->n++] : &p->at[choice_below(choice, POOL)];
	free(k->text);
	k->text = malloc(len + 1);
	if (!k->text)
		abort();
	memcpy(k->text, text, len + 1);
	k->len = len;
}

static bool pool_pick(const struct pool *p, struct choice *choice, struct arena *a, struct testcase *out)
{
	struct error e = {0};
	const struct kept *k;

	if (!p->n)
		return false;
	k = &p->at[choice_below(choice, p->n)];
	return testcase_read(k->text, k->len, a, out, &e);
}

static struct testcase next_case(const struct pool *p, struct choice *choice, const struct profile *profile, struct arena *a)
{
	int percent = choice_below(choice, 100);
	struct testcase left, right;

	if (percent < FRESH_PERCENT || !pool_pick(p, choice, a, &left))
		return generate(choice, profile, a);
	if (percent < FRESH_PERCENT + CROSS_PERCENT && pool_pick(p, choice, a, &right))
		return cross_over(&left, &right, choice, profile, a);
	return mutate(&left, choice, profile, a);
}

void drive_plain(struct campaign *s)
{
	const struct campaign_options *o = campaign_options(s);
	struct pool *pool = calloc(1, sizeof *pool);
	struct arena a;
	jmp_buf full;
	volatile uint64_t number = 0;

	if (!pool)
		abort();
	arena_init(&a, CASE_ARENA);
	if (setjmp(full))
		campaign_skip(s);
	a.on_full = &full;
	while (!campaign_over(s)) {
		struct choice choice = choice_seeded(seed_mix(o->seed, number));
		double start = bench_clock();
		uint8_t counters[FEATURE_BYTES] = {0};
		struct error e = {0};
		struct testcase c;
		const char *text;
		size_t len;

		arena_reset(&a);
		if (number < (uint64_t)campaign_corpus(s)) {
			text = campaign_corpus_text(s, (int)number++, &len);
			pool_add(pool, &choice, text, len);
			if (!testcase_read(text, len, &a, &c, &e))
				continue;
		} else {
			number++;
			c = next_case(pool, &choice, &o->profile, &a);
		}
		campaign_add_generate(s, bench_clock() - start);
		campaign_judge(s, &c, &a, counters);
		if (campaign_new_features(s, counters, NULL) && case_is_parent(&c)) {
			text = testcase_write_compact(&c, &a, &len);
			pool_add(pool, &choice, text, len);
		}
	}
	for (int i = 0; i < pool->n; i++)
		free(pool->at[i].text);
	free(pool);
	arena_free(&a);
}

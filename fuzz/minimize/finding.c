/* finding.c: see finding.h. */
#include "finding.h"
#include "dead_branch.h"
#include "spellings.h"

#include <limits.h>

enum { SLIP_ARENA = 256 << 20 };

/* A candidate that shows the finding becomes the best case, so it may end the search. */
static bool holds(void *question, const struct testcase *c, struct arena *scratch)
{
	const struct question *q = question;

	if (!case_shows(c, q, scratch, NULL))
		return false;
	q->spent->ended = q->ends && q->ends(q->context, c, scratch);
	return true;
}

/* For an engine whose answers depend on earlier cases: a case that shows the finding must show it again in a fresh
 * process. */
static bool holds_when_fresh(void *question, const struct testcase *c, struct arena *scratch)
{
	const struct question *q = question;

	if (!case_shows(c, q, scratch, NULL))
		return false;
	engine_restart(q->bench->engine[0]);
	return holds(question, c, scratch);
}

/* Whether the finding rests on components that are decided. Then it must not become one of a choice that an engine may
 * make, such as a custom whose rule is wrong. */
static bool is_certain(const struct question *same, const struct testcase *from, struct arena *a)
{
	const struct arena_mark mark = arena_mark(a);
	struct question in_short = *same;
	struct judgement j;

	if (!verdict_answers(signature_verdict(same->signature)))
		return false;
	in_short.judged = JUDGED_IN_SHORT;
	const bool certain = case_shows(from, &in_short, a, &j) && !j.beyond;
	arena_rewind(a, mark);
	return certain;
}

bool minimize_finding(const struct question *same, const struct testcase *from, int budget, struct arena *a,
    struct testcase *small, struct bench_result *r, struct minimize_statistics *stats)
{
	const bool certain = is_certain(same, from, a);
	const struct question again = {.bench = same->bench,
	    .certain = certain,
	    .judged = JUDGED_IN_FULL,
	    .fresh = true,
	    .signature = same->signature,
	    .slips = same->slips,
	    .spent = same->spent,
	    .result = r};
	struct question in_short = *same, in_full = *same;
	const struct testcase *first = from;
	struct testcase plain;
	bool smallest;

	in_short.judged = JUDGED_IN_SHORT;
	in_full.judged = JUDGED_IN_FULL;
	in_short.certain = in_full.certain = certain;
	if (same->ends && same->ends(same->context, from, a)) {
		same->spent->ended = true;
		*small = *from;
		return true;
	}
	if (signature_weak_zero(same->signature) && dead_branch_of(&in_full, from, a, &plain, &smallest)) {
		if (smallest && case_shows(&plain, &again, a, NULL)) {
			*small = plain;
			*stats = (struct minimize_statistics){.tried = 1, .accepted = 1};
			return true;
		}
		from = &plain;
	}
	in_short.ahead = question_ahead(&in_short, 1);
	*small = minimize_together(from, holds, &in_short, &in_short, budget, same->until, a, stats);
	lookahead_close(in_short.ahead);
	in_short.ahead = NULL;
	if (!same->spent->ended)
		*small = fewest_spellings(&in_short, small, a);
	if (same->spent->ended || case_shows(small, &again, a, NULL))
		return true;
	if (stats->accepted || from != first)
		*small = minimize(first, holds_when_fresh, &in_full, budget, same->until, a, stats);
	return same->spent->ended || case_shows(small, &again, a, NULL);
}

bool finding_ends_soon(const struct question *same, const struct testcase *from, int budget, struct arena *a)
{
	struct question rough = *same, in_short = *same;
	struct minimize_statistics stats;
	struct testcase small;
	bool ended;

	if (engine_hello(same->bench->engine[0]))
		return false;
	rough.judged = in_short.judged = JUDGED_IN_SHORT;
	rough.rough = true;
	small = minimize(from, holds, &rough, budget, same->until, a, &stats);
	ended = same->spent->ended;
	same->spent->ended = false;
	return ended && case_shows(&small, &in_short, a, NULL);
}

int64_t slips_take(const struct slips *slips, const char *spec, const char *right_on, const struct limit *until,
    take_slip_fn *take, void *context)
{
	struct oracle_options oracle = {.seed = 1, .fd_one_in = INT_MAX};
	struct question q = {.judged = JUDGED_IN_FULL, .full_is_no = true};
	int64_t work = 0;
	struct arena a;
	struct error e = {0};

	arena_init(&a, SLIP_ARENA);
	for (int i = 0; i < slips->n && !limit_over(until, NULL); i++) {
		const struct slip *slip = &slips->at[i];
		struct testcase c;
		struct bench one;
		bool shows;

		arena_reset(&a);
		if (!testcase_read(slip->text, slip->len, &a, &c, &e) ||
		    !bench_open_again(&one, spec, right_on, &oracle, until ? until->deadline : 0, &e))
			continue;
		q.bench = &one;
		q.signature = slip->signature;
		shows = case_shows(&c, &q, &a, NULL);
		work += bench_work(&one);
		bench_close(&one);
		if (shows)
			take(context, slip->signature, &c);
	}
	arena_free(&a);
	return work;
}

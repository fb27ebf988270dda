/*
 * together.c: variants that wait until the engine is asked about several of them in one request.
 *
 * Most variants are known before the ones in front of them are judged.  So they are kept, with the way in which they
 * count, and judged in their order after the engine has answered about all.  Only an answer that is no finding counts:
 * otherwise the engine is asked about the case alone, as if nothing had been asked ahead.  The points beside a variant
 * that was answered are asked about as well, because a variant that passes is tried there.
 */
#include "lab.h"

#include <stdlib.h>

#include "graph/heap.h"
#include "fuzz/bench/declared.h"
#include "fuzz/bench/lookahead.h"
#include "nudge.h"

enum {
	REQUESTS = 3, /* of one round: the variants, and two points beside each */
	TOGETHER_ARENA = 256 << 20
};

struct waiting {
	struct testcase c;
	const char **cell; /* NULL: a sample */
	struct added_as adding;
	bool apart, strict, bounded;
	int focus;
};

struct together {
	struct lookahead *ahead;
	struct arena arena;
	int n, most;
	struct waiting *at; /* [most] */
};

void lab_open_together(struct lab *l)
{
	struct lookahead *ahead = l->asks > 1 || lab_kills(l) ? NULL
	                                                      : lookahead_open(l->bench, l->bench->engine[0], REQUESTS);

	if (!ahead)
		return;
	l->together = heap_new(1, sizeof *l->together);
	l->together->ahead = ahead;
	l->together->most = engine_cases(l->bench->engine[0]);
	l->together->at = heap_new((size_t)l->together->most, sizeof *l->together->at);
	arena_init(&l->together->arena, TOGETHER_ARENA);
}

void lab_close_together(struct lab *l)
{
	struct together *t = l->together;

	if (!t)
		return;
	lab_settle(l);
	l->together = NULL;
	lookahead_close(t->ahead);
	arena_free(&t->arena);
	free(t->at);
	free(t);
}

struct keeping {
	struct lab *lab;
	const struct testcase *c;
	const char *const *cell;
};

static void keep(void *context)
{
	const struct keeping *x = context;
	struct lab *l = x->lab;
	struct together *t = l->together;
	struct waiting w = {.c = testcase_copy(x->c, &t->arena),
	    .adding = explanation_adding(l->explain),
	    .apart = l->apart,
	    .strict = l->strict,
	    .bounded = l->bounded,
	    .focus = l->focus};

	if (x->cell)
		w.cell = NEW(&t->arena, const char *, l->table->n_column);
	for (int i = 0; x->cell && i < l->table->n_column; i++)
		w.cell[i] = arena_printf(&t->arena, "%s", x->cell[i]);
	t->at[t->n] = w;
}

bool lab_waits(struct lab *l, const struct testcase *c, const char *const *cell)
{
	struct together *t = l->together;

	if (!t)
		return false;
	if (!arena_try(&t->arena, keep, &(struct keeping){l, c, cell})) {
		lab_settle(l);
		return false;
	}
	if (++t->n == t->most)
		lab_settle(l);
	return true;
}

/* ---- asking ---- */

static void note(struct together *t, const struct testcase *c)
{
	if (!lookahead_has(t->ahead, c))
		lookahead_add(t->ahead, c);
}

struct beside {
	struct lab *lab;
	const struct testcase *c;
	enum nudge how;
};

static void note_beside(void *context)
{
	const struct beside *x = context;
	struct lab *l = x->lab;
	struct testcase c = testcase_copy(x->c, &l->scratch);

	nudge(&c, x->how, nudge_keeps_integers(l->blamed, l->n_blamed));
	note(l->together, &c);
}

/* Whether the engine computed the variant, which counts for the condition. */
static bool is_tried_beside(const struct lab *l, const struct waiting *w)
{
	const struct answer *given = lookahead_answers(l->together->ahead, &w->c);

	return given && given[0].status == ANSWER_OK && !w->apart && lab_same_request(l, &w->c);
}

static void ask(struct lab *l)
{
	struct together *t = l->together;

	for (int k = 0; k < t->n; k++)
		note(t, &t->at[k].c);
	lookahead_ask(t->ahead);
	for (int near = 0; near < 2; near++)
		for (int k = 0; k < t->n; k++) {
			const struct waiting *w = &t->at[k];
			const enum nudge how = !near ? NUDGE_FAR : w->strict ? NUDGE_SEEDS : NUDGE_NEAR;

			arena_reset(&l->scratch);
			if (is_tried_beside(l, w))
				arena_try(&l->scratch, note_beside, &(struct beside){l, &w->c, how});
		}
	lookahead_ask(t->ahead);
}

/* The answers to c that the engine under test gave ahead; NULL: there are none that count. */
static const struct answer *given_ahead(const struct lab *l, const struct testcase *c)
{
	const struct answer *given = l->ahead ? lookahead_answers(l->ahead, c) : NULL;

	for (int k = 0; given && k < c->n_point; k++)
		if (given[k].status == ANSWER_FAILURE || given[k].status == ANSWER_INTERRUPTED)
			return NULL;
	return given;
}

/* ---- judging ---- */

void lab_bench_judge(struct lab *l, struct bench *b, const struct testcase *c, struct bench_result *r)
{
	const struct answer *given = b->engine[0] == l->bench->engine[0] ? given_ahead(l, c) : NULL;
	struct judgement ahead;

	bench_truth(b, c, &l->scratch, r);
	if (given)
		bench_verdict(b, b->engine[0], c, &r->truth, given, &l->scratch, &ahead);
	if (given && !verdict_is_finding[ahead.verdict]) {
		bench_count(b, b->engine[0], c);
		r->answer[0] = arena_copy(&l->scratch, given, (size_t)c->n_point, sizeof *given);
	}
	bench_conclude(b, c, &l->scratch, r);
}

static void set_ways(struct lab *l, const struct waiting *w)
{
	explanation_add_so(l->explain, w->adding);
	l->apart = w->apart;
	l->strict = w->strict;
	l->bounded = w->bounded;
	l->focus = w->focus;
}

void lab_settle(struct lab *l)
{
	struct together *t = l->together;
	const struct waiting now = {.adding = explanation_adding(l->explain),
	    .apart = l->apart,
	    .strict = l->strict,
	    .bounded = l->bounded,
	    .focus = l->focus};

	if (!t || !t->n)
		return;
	if (t->n > 1 && !lab_time_over(l))
		ask(l);
	l->ahead = t->ahead;
	for (int k = 0; k < t->n; k++) {
		set_ways(l, &t->at[k]);
		arena_reset(&l->scratch);
		lab_judge(l, &t->at[k].c, t->at[k].cell);
	}
	l->ahead = NULL;
	set_ways(l, &now);
	lookahead_clear(t->ahead);
	arena_reset(&t->arena);
	t->n = 0;
}

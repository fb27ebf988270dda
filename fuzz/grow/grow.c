/* grow.c: tries the steps of growth.def in order, once each, and keeps those after which the case still fails. */
#include "grow.h"

#include "steps.h"

enum { ARENA_LIMIT = 256 << 20, NODES = 24 };

static const struct growth_step {
	grow_step_fn *make;
	int ways;
} steps[] = {
#define GROWTH(function, ways, meaning) {function, ways},
#include "growth.def"
#undef GROWTH
};

struct growing {
	const struct question *question;
	enum verdict verdict;
	grow_pair_fn *pair;
	void *context;
	struct arena keep[2], work, scratch;
	int which;
	struct testcase best;
	struct engine *primal;
};

static void keep_case(struct growing *g, const struct testcase *c)
{
	struct arena *to = &g->keep[!g->which];

	arena_reset(to);
	g->best = testcase_copy(c, to);
	g->which = !g->which;
}

struct attempt {
	struct growing *growing;
	const struct growth_step *step;
	int k;
	enum edit_result made;
	bool judged, kept;
};

static void attempt_one(void *context)
{
	struct attempt *x = context;
	struct growing *g = x->growing;
	struct judgement j;
	struct edit e;

	arena_reset(&g->work);
	arena_reset(&g->scratch);
	e = (struct edit){.c = testcase_copy(&g->best, &g->work), .arena = &g->work, .primal = g->primal};
	x->made = x->step->make(&e, x->k);
	if (x->made != EDIT_TRY || !edit_finish(&e, true) || program_nodes(&e.c.program) > NODES ||
	    testcase_equal(&e.c, &g->best))
		return;
	x->judged = true;
	if (!case_shows(&e.c, g->question, &g->scratch, &j) || j.verdict != g->verdict) {
		if (g->pair && j.verdict == VERDICT_AGREE)
			g->pair(g->context, &g->best, &e.c);
		return;
	}
	x->kept = true;
	keep_case(g, &e.c);
}

static void run_step(struct growing *g, const struct growth_step *step, int budget, struct growth *out)
{
	struct arena *const arenas[] = {&g->keep[0], &g->keep[1], &g->work, &g->scratch};

	for (int k = 0; out->tried < budget && !limit_over(g->question->until, NULL);) {
		struct attempt x = {.growing = g, .step = step, .k = k, .made = EDIT_SKIP};

		arenas_try(arenas, 4, attempt_one, &x);
		if (x.made == EDIT_END)
			return;
		out->tried += x.judged;
		out->kept += x.kept;
		k = x.kept ? (k / step->ways + 1) * step->ways : k + 1;
	}
}

struct testcase grow(const struct testcase *from, enum verdict v, const struct question *q, int budget,
    grow_pair_fn *pair, void *context, struct arena *a, struct growth *out)
{
	struct question analytic = {.bench = q->bench,
	                    .declared = q->declared,
	                    .runs = q->runs,
	                    .until = q->until,
	                    .spent = q->spent},
	                in_full = {
	                    .bench = q->bench, .declared = q->declared, .judged = JUDGED_IN_FULL, .runs = q->runs};
	struct growing g = {.question = &analytic, .verdict = v, .pair = pair, .context = context};
	struct judgement j;
	struct testcase grown;
	struct error error = {0};

	*out = (struct growth){0};
	arena_init(&g.keep[0], ARENA_LIMIT);
	arena_init(&g.keep[1], ARENA_LIMIT);
	arena_init(&g.work, ARENA_LIMIT);
	arena_init(&g.scratch, ARENA_LIMIT);
	g.primal = engine_open("tape", &error);
	keep_case(&g, from);
	g.best.n_expect = 0;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		run_step(&g, &steps[i], budget, out);
	grown = testcase_copy(&g.best, a);
	if (g.primal)
		engine_close(g.primal);
	arena_free(&g.keep[0]);
	arena_free(&g.keep[1]);
	arena_free(&g.work);
	arena_free(&g.scratch);
	if (out->kept && case_shows(&grown, &in_full, a, &j) && j.verdict == v)
		return grown;
	out->kept = 0;
	return testcase_copy(from, a);
}

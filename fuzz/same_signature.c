/* same_signature.c: see same_signature.h. */
#include "same_signature.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../engines/engine.h"

enum {
	SLIP_ARENA = 256 << 20,
	FRESH_RUNS = 16, /* of an engine that differs from run to run, each in a process of its own */
	/* A candidate that may hang is waited for this part of the time limit, */
	HANG_PART = 20,
	/* but this many times longer than any that answered. */
	HANG_FACTOR = 10
};

/* ---- slips ---- */

static void slip_set(struct slip *s, const struct testcase *c, int nodes, struct arena *scratch)
{
	char *text = testcase_write_compact(c, scratch, &s->len);

	free(s->text);
	s->text = malloc(s->len + 1);
	if (!s->text)
		abort();
	memcpy(s->text, text, s->len + 1);
	s->nodes = nodes;
}

static void note_slip(struct same_signature *self, const char *signature, const struct testcase *c, struct arena *scratch)
{
	int nodes = program_nodes(&c->program);
	struct slip *s;

	for (s = self->slip; s < self->slip + self->n_slip; s++)
		if (!strcmp(s->signature, signature)) {
			if (nodes < s->nodes)
				slip_set(s, c, nodes, scratch);
			return;
		}
	if (self->n_slip == SAME_SLIPS)
		return;
	self->n_slip++;
	*s = (struct slip){.signature = strdup(signature)};
	if (!s->signature)
		abort();
	slip_set(s, c, nodes, scratch);
}

void same_signature_close(struct same_signature *self)
{
	for (int i = 0; i < self->n_slip; i++) {
		free(self->slip[i].signature);
		free(self->slip[i].text);
	}
	self->n_slip = 0;
}

/* ---- in full ---- */

bool same_signature_over(const struct same_signature *self)
{
	return (self->stop && self->stop()) || self->hung > SAME_HANGS * 1e-3 * engine_timeout(self->bench->engine[0]) || (self->deadline > 0 && bench_clock() >= self->deadline);
}

static bool is_asked(const struct same_signature *self, const struct testcase *c)
{
	return !same_signature_over(self) && !(self->refuse && self->refuse(self->context, c));
}

/* Whether this finding is the one; another is noted. */
static bool is_same(struct same_signature *self, const struct testcase *c, const struct judgement *j, struct arena *scratch)
{
	const char *signature = signature_coarse(self->spec, c, j, scratch);

	if (!strcmp(signature, self->signature))
		return true;
	note_slip(self, signature, c, scratch);
	return false;
}

static bool judged_same(struct same_signature *self, const struct testcase *c, struct arena *scratch, struct bench_result *r)
{
	const double start = bench_clock();

	bench_judge(self->bench, c, scratch, r);
	if (r->judgement[0].verdict == VERDICT_HANG)
		self->hung += bench_clock() - start;
	return verdict_is_finding[r->judgement[0].verdict] && is_same(self, c, &r->judgement[0], scratch);
}

bool same_signature(void *self, const struct testcase *c, struct arena *scratch)
{
	struct bench_result r;

	return is_asked(self, c) && judged_same(self, c, scratch, &r);
}

/* The same of an engine that answers otherwise after some cases: a yes is asked for again in a fresh process. */
static bool same_when_fresh(void *context, const struct testcase *c, struct arena *scratch)
{
	struct same_signature *self = context;

	if (!same_signature(self, c, scratch))
		return false;
	engine_restart(self->bench->engine[0]);
	return same_signature(self, c, scratch);
}

/* ---- in short ---- */

static enum answer_status status_of(enum verdict v)
{
	return v == VERDICT_CRASH ? ANSWER_CRASH : v == VERDICT_HANG ? ANSWER_HANG : v == VERDICT_PROTOCOL ? ANSWER_PROTOCOL : ANSWER_OK;
}

static int short_timeout(const struct same_signature *self, int whole)
{
	double ms = fmax(whole / HANG_PART, 1e3 * HANG_FACTOR * self->slowest);

	return ms < whole ? (int)ms : whole;
}

/* What does not answer needs no truth to be judged by. */
static bool ends_so(struct same_signature *self, enum verdict verdict, const struct testcase *c, struct arena *scratch)
{
	struct engine *engine = self->bench->engine[0];
	struct answer *answer = NEW(scratch, struct answer, c->n_point);
	const int whole = engine_timeout(engine);
	const double start = bench_clock();
	double took;
	bool ends = false, hangs = false;

	engine_set_timeout(engine, short_timeout(self, whole));
	engine_answer(engine, c, scratch, answer);
	engine_set_timeout(engine, 0);
	took = bench_clock() - start;
	for (int k = 0; k < c->n_point; k++) {
		ends = ends || answer[k].status == status_of(verdict);
		hangs = hangs || answer[k].status == ANSWER_HANG;
	}
	if (hangs)
		self->hung += took;
	else
		self->slowest = fmax(self->slowest, took);
	return ends && bench_reference_agrees(self->bench, c, scratch) && is_same(self, c, &(struct judgement){.verdict = verdict}, scratch);
}

static bool any_judged(const struct truth_tensor *t, int n)
{
	for (int k = 0; k < n; k++)
		for (int i = 0; i < shape_elements(&t[k].type.shape); i++)
			if (t[k].at[i].reason == REASON_NONE || t[k].at[i].in_domain)
				return true;
	return false;
}

/* Whether some number could be called wrong, or a NaN a leak. */
static bool can_be_wrong(const struct truth *t)
{
	for (int p = 0; p < t->n_point; p++) {
		const struct truth_point *x = &t->point[p];

		if (x->hull || any_judged(x->primal, x->n_primal))
			return true;
		for (int k = 0; k < x->n_assignment && x->n_derivative; k++)
			if (any_judged(x->derivative[k], x->n_derivative))
				return true;
	}
	return false;
}

/* As if the truth were confirmed: no finite differences. */
static bool shows_by(struct bench *one, const struct testcase *c, const struct truth *t, struct arena *a, struct judgement *out)
{
	struct shared_truth truth = {.truth = *t, .confirmed = true};

	return bench_shows(one, one->engine[0], c, a, &truth, out);
}

bool shows_finding(struct bench *one, const struct testcase *c, struct arena *a, struct judgement *out)
{
	return shows_finding_once(one, c, 1, a, out);
}

bool shows_finding_once(struct bench *one, const struct testcase *c, int runs, struct arena *a, struct judgement *out)
{
	bool shows = false;
	struct truth t;

	oracle_truth(one->oracle, c, a, &t);
	for (int run = 0; run < runs && !shows; run++)
		shows = shows_by(one, c, &t, a, out);
	return shows;
}

bool same_again(struct same_signature *self, const struct testcase *c, struct arena *a)
{
	struct judgement j;
	struct truth t;

	oracle_truth(self->bench->oracle, c, a, &t);
	for (int run = 1;; run++) {
		bool starts = engine_restart(self->bench->engine[0]);

		if (shows_by(self->bench, c, &t, a, &j) && is_same(self, c, &j, a))
			return true;
		if (run == (starts ? FRESH_RUNS : BENCH_RUNS))
			return false;
	}
}

static bool same_in_short(void *context, const struct testcase *c, struct arena *scratch)
{
	struct same_signature *self = context;
	const enum verdict verdict = signature_verdict(self->signature);
	const double start = bench_clock();
	struct judgement j;
	struct truth t;
	bool shows;

	if (!is_asked(self, c))
		return false;
	if (status_of(verdict) != ANSWER_OK)
		return ends_so(self, verdict, c, scratch);
	oracle_truth(self->bench->oracle, c, scratch, &t);
	if ((verdict == VERDICT_WRONG || verdict == VERDICT_WRONG_PRIMAL || verdict == VERDICT_NAN_LEAK) && !can_be_wrong(&t))
		return false;
	shows = shows_by(self->bench, c, &t, scratch, &j);
	if (j.verdict == VERDICT_HANG)
		self->hung += bench_clock() - start;
	return shows && is_same(self, c, &j, scratch);
}

/* ---- the two together ---- */

bool comes_again(struct same_signature *self, const struct testcase *c, struct arena *a, struct bench_result *r)
{
	struct arena_mark mark = arena_mark(a);

	for (int run = 1;; run++) {
		bool starts = engine_restart(self->bench->engine[0]);

		if (judged_same(self, c, a, r))
			return true;
		if (run == (starts ? FRESH_RUNS : BENCH_RUNS))
			return false;
		arena_rewind(a, mark);
	}
}

bool minimize_same(struct same_signature *self, const struct testcase *from, int budget, struct arena *a, struct testcase *small,
    struct bench_result *r, struct minimize_statistics *stats)
{
	*small = minimize(from, same_in_short, self, budget, a, stats);
	if (comes_again(self, small, a, r))
		return true;
	if (stats->accepted)
		*small = minimize(from, same_when_fresh, self, budget, a, stats);
	return comes_again(self, small, a, r);
}

/* ---- slips as findings ---- */

struct retrial {
	struct same_signature own;
	struct testcase c;
	struct arena arena;
	bool shows;
};

static void run_retrial(void *context)
{
	struct retrial *x = context;
	struct bench_result r;

	x->shows = judged_same(&x->own, &x->c, &x->arena, &r);
}

void same_signature_slips(const struct same_signature *self, take_slip_fn *take, void *context)
{
	struct oracle_options oracle = {.seed = 1, .fd_one_in = INT_MAX};
	struct retrial x;
	struct error e = {0};

	arena_init(&x.arena, SLIP_ARENA);
	for (int i = 0; i < self->n_slip; i++) {
		const struct slip *slip = &self->slip[i];
		struct bench one;

		arena_reset(&x.arena);
		x.own = (struct same_signature){.bench = &one, .spec = self->spec, .signature = slip->signature, .stop = self->stop};
		x.shows = false;
		if (!testcase_read(slip->text, slip->len, &x.arena, &x.c, &e) || !bench_open_against(&one, &self->spec, 1, self->right_on, &oracle, &e))
			continue;
		arena_try(&x.arena, run_retrial, &x);
		bench_close(&one);
		same_signature_close(&x.own);
		if (x.shows)
			take(context, slip->signature, &x.c);
	}
	arena_free(&x.arena);
}

/* retriage.c: see retriage.h. */
#include "retriage.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/campaign/counting/draw_log.h"
#include "fuzz/bench/draw.h"
#include "fuzz/bench/fit_profile.h"
#include "fuzz/bench/stop.h"
#include "fuzz/triage/triage.h"
#include "graph/heap.h"
#include "reports/view.h"

enum { SIDE_ARENA = 512 << 20 };

bool retriage_needs_log(const struct campaign_options *o)
{
	return o->shards > 1 && !o->corpus && !o->max_findings && !strcmp(o->driver, "generate");
}

static bool same_text(const char *x, const char *y) { return x == y || (x && y && !strcmp(x, y)); }

bool retriage_are_shards(const struct source *x, const struct source *y)
{
	const struct campaign_options *o = &x->o, *p = &y->o;

	if (!retriage_needs_log(o) || !retriage_needs_log(p) || o->shards != p->shards || o->seed != p->seed ||
	    o->fd_one_in != p->fd_one_in || o->minimize_budget != p->minimize_budget || o->n_spec != p->n_spec ||
	    o->no_twins != p->no_twins || !same_text(o->right_on, p->right_on) ||
	    !profile_equal(&o->profile, &p->profile))
		return false;
	for (int k = 0; k < o->n_spec; k++)
		if (strcmp(o->spec[k], p->spec[k]) != 0 || strcmp(x->setup.version[k], y->setup.version[k]) != 0)
			return false;
	return true;
}

/* ---- may it be done ---- */

static bool may_open(const char *spec, const char *const *allowed, int n_allowed)
{
	bool may = setup_may_open(spec);

	for (int k = 0; k < n_allowed && !may; k++)
		may = !strcmp(allowed[k], spec);
	return may;
}

/* Why triage cannot run; NULL: it can, and *bench is open.  *profile receives the distributions that the shards drew
 * from, *wide the dtype of their wide twins. */
static const char *obstacle(const struct source *s, const char *const *allowed, int n_allowed, struct bench *bench,
    struct profile *profile, enum dtype *wide, struct arena *a)
{
	const struct oracle_options oracle = {.seed = s->o.seed, .fd_one_in = s->o.fd_one_in};
	const char *why = NULL;
	struct error e = {0};

	for (int k = 0; k <= s->o.n_spec; k++) {
		const char *spec = k < s->o.n_spec ? s->o.spec[k] : s->o.right_on;

		if (spec && !may_open(spec, allowed, n_allowed))
			return arena_printf(a, "an engine from outside is only asked if you give it: --engine %s",
			    view_shell_word(spec, a));
	}
	quota_set(&s->setup.quota);
	if (!bench_open_against(bench, s->o.spec, s->o.n_spec, s->o.right_on, &oracle, &e))
		return arena_printf(a, "%s", e.text);
	for (int k = 0; k < bench->n_engine && !why; k++)
		if (strcmp(engine_version(bench->engine[k], a), s->setup.version[k]) != 0)
			why = arena_printf(a, "%s is another version now", s->o.spec[k]);
	*profile = s->o.profile;
	fit_profile(bench, profile);
	*wide = twin_widest(bench);
	if (why)
		bench_close(bench);
	return why;
}

/* ---- the draws ---- */

struct retriage {
	struct source *const *s; /* [n] by shard */
	int n;
	struct draw_reader *log; /* [n] */
	struct bench bench;      /* the engines for which the shards drew */
	struct profile profile;
	enum dtype wide; /* of the wide twins */
	struct triage triage;
	struct failure failure;
	struct arena side, drawn; /* drawn: the case of the draw */
	struct logged_draw draw;
	uint64_t number; /* of its case, for the generator */
	bool broken;     /* a log does not fit its campaign */
};

static void file_draw(void *context)
{
	struct retriage *self = context;
	struct choice choice = choice_seeded(seed_mix((*self->s)->o.seed, self->number));
	const struct testcase drawn = draw_known(&self->bench, &choice, &self->profile, &self->drawn);

	for (int k = 0; k < self->draw.n && !self->broken; k++) {
		const struct logged_failure *f = &self->draw.failure[k];
		struct testcase c = drawn;
		struct evidence seen = {0};

		if (f->of_twin && !twin_make(&drawn, f->twin, self->wide, &self->drawn, &c))
			continue; /* as in a campaign (findings.c) */
		seen.report = testcase_write(&c, &self->drawn, &seen.len);
		self->broken = f->which >= (*self->s)->o.n_spec || f->point >= c.n_point;
		if (!self->broken && !f->incident)
			triage_record(&self->triage, f->which, f->signature, f->point, &c, &seen, self->triage.cases);
	}
}

/* Takes the next draw of shard k of the list. */
static void take_draw(struct retriage *self, int k, int64_t at)
{
	self->broken = !draw_reader_next(&self->log[k], &self->draw);
	if (self->broken)
		return;
	self->triage.cases += self->draw.counts;
	self->triage.truth_work += self->draw.work;
	self->number = (uint64_t)at * (uint64_t)self->s[k]->o.shards + (uint64_t)self->s[k]->o.shard;
	arena_reset(&self->drawn);
	if (self->draw.n)
		self->broken = !arena_try(&self->drawn, file_draw, self) || self->broken;
	triage_go_on(&self->triage);
}

static bool is_over(const struct retriage *self) { return self->broken || self->failure.any || self->triage.cut; }

/* Draw k of all shards comes before draw k + 1 of any. */
static void take_draws(struct retriage *self)
{
	int64_t most = 0;

	for (int k = 0; k < self->n; k++)
		most = self->s[k]->counts->draws > most ? self->s[k]->counts->draws : most;
	for (int64_t at = 0; at < most; at++)
		for (int k = 0; k < self->n && !is_over(self); k++)
			if (at < self->s[k]->counts->draws)
				take_draw(self, k, at);
}

/* ---- all of it ---- */

static const struct json *findings_as_json(const struct triage *t, struct arena *a)
{
	struct error e = {0};
	struct json_writer w = json_document(a, STATE_SCHEMA);
	size_t len;
	char *out;

	triage_put(t, &w);
	json_end(&w);
	out = json_finish(&w, &len);
	return json_read(out, len, a, &e);
}

static int by_shard(const void *x, const void *y)
{
	const struct source *left = *(struct source *const *)x, *right = *(struct source *const *)y;

	return left->o.shard - right->o.shard;
}

static bool open_logs(struct retriage *self)
{
	bool ok = true;

	for (int k = 0; k < self->n && ok; k++)
		ok = draw_reader_open(&self->log[k], self->s[k]->dir, self->s[k]->setup.id);
	return ok;
}

static const struct json *run(
    struct retriage *self, const char *reports, struct arena *a, const char **why, struct error *e)
{
	const struct campaign_options *o = &(*self->s)->o;
	const char **name = NEW(a, const char *, o->n_spec);
	const struct json *out = NULL;

	for (int k = 0; k < o->n_spec; k++)
		name[k] = engine_text_name(o->spec[k], a);
	self->triage = (struct triage){.n_spec = o->n_spec,
	    .spec = o->spec,
	    .name = name,
	    .right_on = o->right_on,
	    .seed = o->seed,
	    .minimize_budget = o->minimize_budget,
	    .dir = reports,
	    .side = &self->side,
	    .failure = &self->failure};
	arena_init(&self->triage.known, SIDE_ARENA);
	arena_init(&self->side, SIDE_ARENA);
	arena_init(&self->drawn, CASE_ARENA);
	take_draws(self);
	if (!is_over(self))
		triage_end(&self->triage);
	if (self->failure.any)
		error_set(e, NULL, "%s", self->failure.text);
	else if (self->broken)
		*why = "a log of its draws is damaged or too short";
	else if (!stop_requested())
		out = findings_as_json(&self->triage, a);
	triage_close(&self->triage);
	arena_free(&self->side);
	arena_free(&self->drawn);
	return out;
}

const struct json *retriage(struct source *const *s, int n, const char *const *allowed, int n_allowed,
    const char *reports, struct arena *a, const char **why, struct error *e)
{
	struct source **sorted = arena_copy(a, s, (size_t)n, sizeof *s);
	struct retriage self = {.s = sorted, .n = n, .log = NEW(a, struct draw_reader, n)};
	const struct json *out = NULL;

	qsort(sorted, (size_t)n, sizeof *sorted, by_shard);
	*why = NULL;
	for (int k = 1; k < n && !*why; k++)
		if (sorted[k]->o.shard == sorted[k - 1]->o.shard)
			*why = arena_printf(a, "shard %d was judged twice", sorted[k]->o.shard + 1);
	if (!*why && !open_logs(&self))
		*why = "a campaign has no log of its draws";
	if (!*why)
		*why = obstacle(*sorted, allowed, n_allowed, &self.bench, &self.profile, &self.wide, a);
	if (!*why) {
		out = run(&self, reports, a, why, e);
		bench_close(&self.bench);
	}
	for (int k = 0; k < n; k++)
		draw_reader_close(&self.log[k]);
	return out;
}

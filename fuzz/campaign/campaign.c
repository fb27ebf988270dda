/* campaign.c: opening and closing a campaign. */
#include "campaign.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/heap.h"
#include "engines/engine.h"
#include "reports/file.h"
#include "fuzz/campaign/owner/members.h"
#include "fuzz/bench/fit_profile.h"
#include "fuzz/campaign/merge/retriage.h"
#include "fuzz/campaign/judging/draws.h"
#include "fuzz/campaign/judging/window.h"
#include "fuzz/campaign/owner/corpus.h"
#include "fuzz/campaign/owner/cross.h"
#include "fuzz/campaign/owner/show.h"
#include "fuzz/campaign/owner/state.h"

enum { SETUP_ARENA = 256 << 20, SIDE_ARENA = 512 << 20, KNOWN_ARENA = 64 << 20 };

/* ---- opening ---- */

/* Makes the directories, takes them for this campaign, and removes what a campaign that was killed left over. */
static bool open_directories(struct campaign *self, struct error *e)
{
	const char *out = self->o->out;
	char leads[PATH_TEXT];

	snprintf(self->findings_dir, sizeof self->findings_dir, "%s/findings", out);
	snprintf(self->oracle_dir, sizeof self->oracle_dir, "%s/oracle", out);
	snprintf(self->corpus_dir, sizeof self->corpus_dir, "%s/corpus", out);
	snprintf(self->pending_dir, sizeof self->pending_dir, "%s/pending", out);
	snprintf(leads, sizeof leads, "%s/leads", out);
	self->lock = file_make_directory(out, e) ? file_lock(out, e) : -1;
	if (self->lock < 0)
		return false;
	file_sweep(out);
	file_sweep(self->findings_dir);
	file_sweep(self->oracle_dir);
	file_sweep(self->corpus_dir);
	file_sweep(self->pending_dir);
	file_sweep(leads);
	return file_make_directory(self->findings_dir, e) && file_make_directory(self->oracle_dir, e) &&
	    file_make_directory(self->pending_dir, e) && (!self->mutates || file_make_directory(self->corpus_dir, e));
}

/* Of a campaign that did not open. */
static void give_up(struct campaign *self)
{
	arena_free(&self->side);
	if (self->lock >= 0)
		close(self->lock);
	free(self);
}

/* Notes what the campaign says of an engine, also when that is closed. */
static void know_engine(struct campaign *self, int k)
{
	self->name[k] = heap_text(engine_name(self->bench.engine[k]));
	self->spec[k] = heap_text(engine_spec(self->bench.engine[k]));
	self->version[k] = heap_text(engine_version(self->bench.engine[k], &self->side));
}

static void open_triage(struct campaign *self)
{
	const struct campaign_options *o = self->o;

	self->triage = (struct triage){.n_spec = o->n_spec,
	    .spec = o->spec,
	    .name = (const char *const *)self->name,
	    .right_on = o->right_on,
	    .seed = o->seed,
	    .minimize_budget = o->minimize_budget,
	    .max_findings = o->max_findings,
	    .strict = o->strict,
	    .deadline = self->deadline,
	    .dir = self->findings_dir,
	    .pending = self->pending_dir,
	    .side = &self->side,
	    .failure = &self->failure};
	arena_init(&self->triage.known, KNOWN_ARENA);
}

/* Begins the campaign, or finds out where it was. */
static bool begin(struct campaign *self, struct error *e)
{
	const uint64_t corpus = corpus_read_given(self);
	struct arena a;
	bool ok;

	self->setup.version = (const char *const *)self->version;
	if (!self->o->resume) {
		setup_draw_id(&self->setup);
		self->setup.quota = quota_now();
		self->setup.corpus = corpus;
		if (retriage_needs_log(self->o))
			draw_log_begin(&self->log, self->setup.id);
		return setup_write(&self->setup, self->o, e);
	}
	arena_init(&a, SETUP_ARENA);
	ok = setup_read(self->o->out, &a, &(struct campaign_options){0}, &self->setup, e);
	self->setup.version = (const char *const *)self->version;
	arena_free(&a);
	if (ok && corpus != self->setup.corpus)
		ok = error_set(e, self->o->corpus, "the cases have changed since the campaign began");
	if (!ok || !campaign_load(self, e))
		return false;
	if (retriage_needs_log(self->o))
		draw_log_resume(&self->log, self->o->out, self->setup.id, self->counts.draws);
	corpus_go_on(self);
	return true;
}

/* Stops the engines and frees everything. */
static void close_campaign(struct campaign *self)
{
	window_close(self);
	campaign_cross_close(self);
	if (self->judges)
		bench_close(&self->bench);
	arena_free(&self->side);
	triage_close(&self->triage);
	corpus_free(self);
	draw_log_free(&self->log);
	for (int k = 0; k < self->n_engine; k++) {
		free(self->name[k]);
		free(self->spec[k]);
		free(self->version[k]);
	}
	free(self->right_on);
	free(self->right_on_version);
	free(self->engine_record);
	free(self->finding_record);
	close(self->lock);
	free(self);
}

struct campaign *campaign_open(const struct campaign_options *o, struct error *e)
{
	struct campaign *self = heap_new(1, sizeof *self);
	struct oracle_options oracle = {.seed = o->seed, .fd_one_in = o->fd_one_in, .whole = true};

	self->own = *o;
	self->o = &self->own;
	self->start = self->saved = bench_clock();
	arena_init(&self->side, SIDE_ARENA);
	self->side.kept = ARENA_KEPT_SMALL;
	arena_touch(&self->side);
	if (o->seconds > 0)
		self->deadline = self->start + o->seconds - (o->resume ? campaign_saved_seconds(self) : 0);
	self->own.shards += !o->shards;
	self->mutates = strcmp(o->driver, "generate") != 0;
	if (!open_directories(self, e) ||
	    !bench_open_until(
	        &self->bench, o->spec, o->n_spec, o->right_on, &oracle, campaign_start_deadline(self), e)) {
		give_up(self);
		return NULL;
	}
	self->judges = true;
	self->n_engine = self->bench.n_engine;
	for (int k = 0; k < self->n_engine; k++)
		know_engine(self, k);
	open_triage(self);
	if (!begin(self, e)) {
		close_campaign(self);
		return NULL;
	}
	if (o->right_on) {
		self->right_on = heap_text(engine_name(self->bench.reference));
		self->right_on_version = heap_text(engine_version(self->bench.reference, &self->side));
	}
	fit_profile(&self->bench, &self->own.profile);
	self->wide = twin_widest(&self->bench);
	if (o->cross && !campaign_cross_open(self, e)) {
		close_campaign(self);
		return NULL;
	}
	self->engine_record = heap_new((size_t)self->n_engine + 1, sizeof *self->engine_record);
	self->finding_record = heap_new(
	    2 * (size_t)self->n_engine * (1 + TWIN_COUNT) + 1, sizeof *self->finding_record);
	if (o->jobs > 1) {
		bench_close(&self->bench); /* other processes judge */
		self->bench = (struct bench){0};
		self->judges = false;
	} else {
		window_open(self);
	}
	campaign_open_progress(self);
	return self;
}

int campaign_close(struct campaign *self, struct campaign_end *end)
{
	int code;

	campaign_take_rest(self);
	arena_reset(&self->side);
	campaign_close_progress(self);
	if (!self->failure.any && !self->cut)
		campaign_save(self);
	code = campaign_conclude(self, end);
	close_campaign(self);
	return code;
}

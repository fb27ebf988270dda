/*
 * state.c: state.json, so that a campaign that was killed can go on.
 *
 * The file says what is known after a number of draws.  It is written every few seconds, and before a finding is
 * announced.  Draws after it are made again; if the driver draws independent cases, they are the same ones.
 */
#include "state.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "graph/heap.h"
#include "members.h"
#include "reports/file.h"
#include "fuzz/campaign/books/setup.h"
#include "corpus.h"
#include "show.h"

enum {
	SAVE_SECONDS = 2,
	START_SECONDS = 10 /* for engines of a campaign whose time is over */,
	STATE_BYTES = 16 << 20,
	MILLI = 1000
};

double campaign_elapsed(const struct campaign *self)
{
	return self->sources ? self->before : self->before + bench_clock() - self->start;
}

/* ---- writing ---- */

/* The text of the state after so many seconds, in the side arena. */
static char *campaign_state_text(struct campaign *self, double elapsed, size_t *len)
{
	struct json_writer w = json_document(&self->side, STATE_SCHEMA);

	json_member_string(&w, "id", self->setup.id);
	json_member_integer(&w, "elapsed_ms", llround(elapsed * MILLI));
	json_member_integer(&w, "minimize_ms", llround((self->minimize_seconds + self->triage.seconds) * MILLI));
	json_member_integer(&w, "given", self->given_done);
	json_member_object(&w, "counts", JSON_BLOCK);
	counts_put(&self->counts, self->n_engine, &w);
	json_end(&w);
	triage_put(&self->triage, &w);
	json_member_array(&w, "oracle_files", JSON_FLOW);
	for (int k = 0; k < self->n_oracle_file; k++)
		json_put_string(&w, self->oracle_file[k]);
	json_end(&w);
	json_end(&w);
	return json_finish(&w, len);
}

static void save(void *context)
{
	struct campaign *self = context;
	struct error e = {0};
	size_t len;
	char *text = campaign_state_text(self, campaign_elapsed(self), &len);

	if (!file_write_atomic(self->o->out, STATE_FILE, text, len, &e))
		fail(&self->failure, "%s", e.text);
}

void campaign_save(struct campaign *self)
{
	struct error e = {0};

	arena_reset(&self->side);
	if (!draw_log_save(&self->log, self->o->out, &e)) /* first: it must have all draws of the state */
		fail(&self->failure, "%s", e.text);
	else if (!arena_try(&self->side, save, self))
		fail(&self->failure, "the state of the campaign does not fit into memory");
	heap_rest();
	self->saved = bench_clock();
	if (self->failure.any)
		return;
	triage_remove_dropped(&self->triage);
	corpus_drop_pending(self);
}

void campaign_settle(struct campaign *self)
{
	bool news = false;

	for (int i = 0; i < self->triage.n_finding; i++)
		news = news || strcmp(self->triage.finding[i].announced, self->triage.finding[i].file) != 0;
	/* After a failure nothing is saved: a finding may not be written, and a later run makes its draw again. */
	if (!self->failure.any && (news || bench_clock() - self->saved >= SAVE_SECONDS))
		campaign_save(self);
	if (news && !self->failure.any)
		campaign_announce(self);
}

/* ---- reading ---- */

static bool read_oracle_files(struct campaign *self, const struct json *root, struct error *e)
{
	const struct json *list;

	if (!json_required(root, "oracle_files", JSON_ARRAY, &list, e))
		return false;
	for (const struct json *v = list->child; v; v = v->next) {
		if (!json_is(v, JSON_STRING, e))
			return false;
		if (self->n_oracle_file == ORACLE_FILES || v->len >= ORACLE_NAME)
			return json_error(v, e, "too many oracle files, or too long a name");
		memcpy(self->oracle_file[self->n_oracle_file++], v->text, (size_t)v->len + 1);
	}
	return true;
}

static bool read_root(struct campaign *self, const struct json *root, struct error *e)
{
	const struct json *id, *counts;
	int64_t elapsed_ms, minimize_ms, given;

	if (!json_schema(root, STATE_SCHEMA, e) || !json_required(root, "id", JSON_STRING, &id, e))
		return false;
	if (strcmp(id->text, self->setup.id) != 0)
		return json_error(id, e, "the state of another campaign");
	if (!json_count(root, "elapsed_ms", &elapsed_ms, e) || !json_count(root, "minimize_ms", &minimize_ms, e) ||
	    !json_count(root, "given", &given, e) || !json_required(root, "counts", JSON_OBJECT, &counts, e) ||
	    !counts_read(counts, self->n_engine, &self->counts, e) ||
	    !triage_read(&self->triage, self->n_engine, root, e) || !read_oracle_files(self, root, e))
		return false;
	self->before = (double)elapsed_ms / MILLI;
	self->minimize_seconds = (double)minimize_ms / MILLI;
	self->given_done = given < INT_MAX ? (int)given : INT_MAX;
	memcpy(self->seen, self->counts.seen, sizeof self->seen);
	self->next_draw = self->counts.draws;
	self->drawn = self->counts.cases;
	return true;
}

struct reading {
	struct campaign *campaign;
	const char *text;
	size_t len;
	struct error *e;
	bool ok;
};

static void read_text(void *context)
{
	struct reading *x = context;
	const struct json *root = json_read(x->text, x->len, &x->campaign->side, x->e);

	x->ok = root && read_root(x->campaign, root, x->e);
}

/* Reads such a text. */
static bool campaign_read_state(struct campaign *self, const char *text, size_t len, struct error *e)
{
	struct arena *const arenas[] = {&self->side, &self->triage.known};
	struct reading x = {self, text, len, e, false};

	if (!arenas_try(arenas, sizeof arenas / sizeof *arenas, read_text, &x))
		return error_set(e, NULL, "needs too much memory");
	return x.ok;
}

/* The text of the state; NULL without an error if there is none. */
static char *state_text(struct campaign *self, size_t *len, struct error *e)
{
	char path[PATH_TEXT];
	struct stat status;

	snprintf(path, sizeof path, "%s/%s", self->o->out, STATE_FILE);
	if (lstat(path, &status) && errno == ENOENT)
		return NULL; /* it was killed before it had judged anything */
	arena_reset(&self->side);
	return json_read_bytes(path, STATE_BYTES, &self->side, len, e);
}

bool campaign_load(struct campaign *self, struct error *e)
{
	size_t len;
	char *text = state_text(self, &len, e);

	if (!text)
		return !*e->text;
	if (campaign_read_state(self, text, len, e))
		return true;
	return json_error_in(arena_printf(&self->side, "%s/%s", self->o->out, STATE_FILE), e);
}

double campaign_start_deadline(const struct campaign *self)
{
	const double least = self->start + START_SECONDS;

	return self->o->resume && self->deadline > 0 && self->deadline < least ? least : self->deadline;
}

double campaign_saved_seconds(struct campaign *self)
{
	const struct json *root;
	struct error e = {0};
	int64_t ms = 0;
	size_t len;
	char *text = state_text(self, &len, &e);

	root = text ? json_read(text, len, &self->side, &e) : NULL;
	if (!root || !json_count(root, "elapsed_ms", &ms, &e))
		return 0; /* campaign_load says why */
	return (double)ms / MILLI;
}

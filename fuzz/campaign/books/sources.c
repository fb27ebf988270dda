/* sources.c: reads the books of campaigns, and keeps them in a merge. */
#include "sources.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/file.h"
#include "fuzz/campaign/counting/draw_log.h"

enum { BOOK_BYTES = 16 << 20, COPY_BYTES = 128 << 20 };

/* Of a campaign that still runs, the log has all draws of the state if it is read later. */
static const char *const books[] = {SETUP_FILE, DRAW_LOG, STATE_FILE, SUMMARY_FILE};
enum { BOOKS = sizeof books / sizeof *books };

static char *bytes_of(const char *path, size_t most, struct arena *a, size_t *len)
{
	struct error e = {0};
	struct stat status;

	return stat(path, &status) == 0 ? json_read_bytes(path, most, a, len, &e) : NULL;
}

char *source_bytes(const char *path, struct arena *a, size_t *len) { return bytes_of(path, BOOK_BYTES, a, len); }

/* ---- reading ---- */

/* NULL without an error: there is no such file. */
static const struct json *read_book(const char *dir, const char *name, struct arena *a, struct error *e)
{
	const char *path = arena_printf(a, "%s/%s", dir, name);
	const struct json *root;
	struct stat status;
	size_t len;
	char *text = source_bytes(path, a, &len);

	if (!text && lstat(path, &status) == 0)
		error_set(e, path, "no file that can be read, of at most %d MiB", BOOK_BYTES >> 20);
	if (!text)
		return NULL;
	root = json_read(text, len, a, e);
	if (root && root->kind == JSON_OBJECT)
		return root;
	error_set(e, path, "not an object");
	return NULL;
}

static bool read_state(struct source *s, struct error *e)
{
	const struct json *root = s->state, *id, *counts, *findings;

	if (!json_schema(root, STATE_SCHEMA, e) || !json_required(root, "id", JSON_STRING, &id, e) ||
	    !json_count(root, "elapsed_ms", &s->elapsed_ms, e) ||
	    !json_count(root, "minimize_ms", &s->minimize_ms, e) ||
	    !json_required(root, "counts", JSON_OBJECT, &counts, e) ||
	    !json_required(root, "findings", JSON_ARRAY, &findings, e))
		return false;
	if (strcmp(id->text, s->setup.id) != 0)
		return json_error(id, e, "the state of another campaign");
	s->n_finding = findings->n_child;
	return counts_read(counts, s->o.n_spec, s->counts, e);
}

static bool read_source(const char *dir, struct arena *a, struct source *s, struct error *e)
{
	struct error none = {0};
	const struct json *summary, *stopped, *against;

	*s = (struct source){.dir = dir, .counts = NEW(a, struct counts, 1), .stopped = ""};
	if (!setup_read(dir, a, &s->o, &s->setup, e))
		return false;
	s->state = read_book(dir, STATE_FILE, a, e);
	if (*e->text || (s->state && !read_state(s, e)))
		return *e->place ? false : error_set(e, dir, "its state cannot be read");
	summary = read_book(dir, SUMMARY_FILE, a, &none);
	stopped = summary ? json_find(summary, "stopped") : NULL;
	if (stopped && stopped->kind == JSON_STRING)
		s->stopped = stopped->text;
	s->cross = summary ? json_find(summary, "cross") : NULL;
	against = s->cross && s->cross->kind == JSON_OBJECT ? json_find(s->cross, "against") : NULL;
	s->against = against && against->kind == JSON_STRING ? against->text : "";
	return !s->cross || json_is(s->cross, JSON_OBJECT, e);
}

/* The same campaign may be given at two times; the later state holds all of the earlier one. */
static void take_source(struct sources *self, const struct source *s)
{
	int k = 0;

	while (k < self->n && strcmp(self->at[k].setup.id, s->setup.id) < 0)
		k++;
	if (k < self->n && !strcmp(self->at[k].setup.id, s->setup.id)) {
		if (s->counts->draws > self->at[k].counts->draws ||
		    (s->counts->draws == self->at[k].counts->draws && *s->stopped && !*self->at[k].stopped))
			self->at[k] = *s;
		return;
	}
	GROW(self->a, self->at, &self->room, self->n + 1);
	memmove(&self->at[k + 1], &self->at[k], (size_t)(self->n++ - k) * sizeof *self->at);
	self->at[k] = *s;
}

bool sources_are_in(const char *dir)
{
	char path[4096];
	struct stat status;

	return (size_t)snprintf(path, sizeof path, "%s/" MERGE_SOURCES, dir) < sizeof path &&
	    stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool add_one(struct sources *self, const char *dir, struct error *e)
{
	struct source s;

	if (!setup_exists(dir))
		return error_set(e, dir, "holds no campaign: it has no " SETUP_FILE);
	if (!read_source(dir, self->a, &s, e))
		return false;
	take_source(self, &s);
	return true;
}

bool sources_add(struct sources *self, const char *dir, struct error *e)
{
	const char *below = arena_printf(self->a, "%s/" MERGE_SOURCES, dir);
	struct dirent *entry;
	bool ok = true;
	DIR *list;

	if (!sources_are_in(dir))
		return add_one(self, dir, e);
	list = opendir(below);
	if (!list)
		return error_set(e, below, "cannot be read");
	while (ok && (entry = readdir(list)))
		if (*entry->d_name != '.')
			ok = add_one(self, arena_printf(self->a, "%s/%s", below, entry->d_name), e);
	closedir(list);
	return ok;
}

/* ---- keeping ---- */

static bool is_same_file(const char *x, const char *y)
{
	struct stat left, right;

	return stat(x, &left) == 0 && stat(y, &right) == 0 && left.st_dev == right.st_dev &&
	    left.st_ino == right.st_ino;
}

static bool copy_file(const char *from, const char *to, const char *name, struct arena *a, struct error *e)
{
	struct arena_mark mark = arena_mark(a);
	size_t len;
	const char *text = bytes_of(arena_printf(a, "%s/%s", from, name), COPY_BYTES, a, &len);
	bool ok = !text || file_write_atomic(to, name, text, len, e);

	arena_rewind(a, mark);
	return ok;
}

/* The report of a finding of the state; NULL if it has none. */
static const char *report_of(const struct json *finding)
{
	const struct json *file = finding->kind == JSON_OBJECT ? json_find(finding, "file") : NULL;

	return file && file->kind == JSON_STRING && !strchr(file->text, '/') ? file->text : NULL;
}

static bool keep_source(struct source *s, const char *to, struct arena *a, struct error *e)
{
	const char *reports = arena_printf(a, "%s/findings", to), *from = arena_printf(a, "%s/findings", s->dir);
	const struct json *findings = s->state ? json_find(s->state, "findings") : NULL;

	if (!file_make_directory(reports, e))
		return false;
	for (const struct json *f = findings ? findings->child : NULL; f; f = f->next)
		if (report_of(f) && !copy_file(from, reports, report_of(f), a, e))
			return false;
	for (int k = BOOKS - 1; k >= 0; k--) /* campaign.json, by which the rest is found, comes last */
		if (!copy_file(s->dir, to, books[k], a, e))
			return false;
	s->dir = to;
	return true;
}

bool sources_keep(struct sources *self, const char *out, struct error *e)
{
	for (int k = 0; k < self->n; k++) {
		struct source *s = &self->at[k];
		const char *to = arena_printf(self->a, "%s/" MERGE_SOURCES "/%s", out, s->setup.id);

		if (!is_same_file(s->dir, to) && !keep_source(s, to, self->a, e))
			return false;
	}
	return true;
}

int64_t source_number(const struct source *s, int64_t number)
{
	if (s->o.corpus || strcmp(s->o.driver, "generate") != 0 || number < 1 || number > INT64_MAX / s->o.shards - 1)
		return number;
	return (number - 1) * s->o.shards + s->o.shard + 1;
}

/* ---- the summary ---- */

bool sources_share_seed(const struct sources *self)
{
	for (int k = 1; k < self->n; k++)
		if (self->at[k].o.seed != self->at->o.seed)
			return false;
	return true;
}

/* How the findings of shards became one list: a line for all shards, and one for each reason why not. */
static const char *findings_text(const struct sources *self, struct arena *a)
{
	const char *text = "", *before = NULL;
	int again = 0;

	for (const struct source *s = self->at; s < self->at + self->n; s++) {
		again += s->again;
		if (s->by_name && s->by_name != before)
			text = arena_printf(a, "%scampaign %s: findings of shards are joined by name: %s\n", text,
			    s->setup.id, text_harmless(s->by_name, a));
		before = s->by_name;
	}
	if (!again)
		return text;
	return arena_printf(a, "%d shards: their findings are those of one campaign\n%s", again, text);
}

char *sources_text(const struct sources *self, struct arena *a)
{
	char *text = arena_printf(a, "%s\n", text_count(self->n, "campaign", a));

	for (const struct source *s = self->at; s < self->at + self->n; s++)
		if (!*s->stopped)
			text = arena_printf(
			    a, "%scampaign %s has not ended: fuzz --resume goes on with it\n", text, s->setup.id);
	return arena_printf(a, "%s%s", text, findings_text(self, a));
}

void sources_put(const struct sources *self, struct json_writer *w)
{
	json_member_array(w, "sources", JSON_BLOCK);
	for (const struct source *s = self->at; s < self->at + self->n; s++) {
		char seed[32];

		snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)s->o.seed);
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "id", s->setup.id);
		json_member_string(w, "seed", seed);
		json_member_string(w, "driver", s->o.driver);
		json_member_string(w, "profile", s->o.profile_name);
		if (s->o.shards > 1) {
			json_member_integer(w, "shard", s->o.shard + 1);
			json_member_integer(w, "shards", s->o.shards);
		}
		json_member_integer(w, "cases", s->counts->cases);
		json_member_integer(w, "decided", s->counts->all.decided);
		json_member_integer(w, "findings", s->n_finding);
		if (s->again || s->by_name)
			json_member_bool(w, "triaged_again", s->again);
		json_member_decimal(w, "seconds", (double)s->elapsed_ms / 1000);
		json_member_string(w, "stopped", s->stopped);
		json_end(w);
	}
	json_end(w);
}

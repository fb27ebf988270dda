/*
 * corpus.c: the cases that a campaign is given, and those that it keeps.
 *
 * Given cases are judged before any other.  A mutating driver keeps cases with new features in DIR/corpus, so that a
 * later run of the campaign, or another campaign, can start from them.
 */
#include "corpus.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/campaign/books/case_paths.h"
#include "graph/hash.h"
#include "graph/heap.h"
#include "members.h"
#include "reports/file.h"
#include "fuzz/campaign/books/setup.h"
#include "fuzz/campaign/books/sources.h"

/* ---- lists of texts ---- */

static void add(struct campaign *self, struct corpus_list *list, const char *text, size_t len)
{
	campaign_hold(self, (int64_t)len);
	list->at = heap_resize(list->at, (size_t)list->n + 1, sizeof *list->at);
	list->at[list->n] = (struct corpus_text){heap_new(len + 1, 1), len};
	memcpy(list->at[list->n++].text, text, len + 1);
}

static void free_list(struct corpus_list *list)
{
	for (int i = 0; i < list->n; i++)
		free(list->at[i].text);
	free(list->at);
}

void campaign_hold(struct campaign *self, int64_t bytes) { self->held += bytes; }

void corpus_free(struct campaign *self)
{
	free_list(&self->given);
	free_list(&self->kept);
	free(self->taken);
}

/* ---- reading ---- */

/* Whether the file belongs to a campaign's own books. */
static bool is_book(const char *path)
{
	char dir[PATH_TEXT];
	const char *slash = strrchr(path, '/');

	if (!slash || (size_t)(slash - path) >= sizeof dir ||
	    !(!strcmp(slash, "/" SETUP_FILE) || !strcmp(slash, "/" STATE_FILE) || !strcmp(slash, "/" SUMMARY_FILE)))
		return false;
	snprintf(dir, sizeof dir, "%.*s", (int)(slash - path), path);
	return setup_exists(dir) || sources_are_in(dir);
}

static bool is_finding(const char *path) { return strstr(path, "/findings/") || strstr(path, "/pending/"); }

/* Adds the case in that file.  A file that cannot be read is named. */
static void read_case(struct campaign *self, const char *path, struct corpus_list *to)
{
	struct error e = {0};
	struct testcase c;
	size_t len;
	char *text;

	arena_reset(&self->side);
	if (!testcase_read_file(path, &self->side, &c, &e)) {
		fprintf(stderr, "adjudge: left out of the corpus: %s%s%s\n", text_disarm(e.place, false),
		    *e.place ? ": " : "", text_disarm(e.text, false));
		return;
	}
	c.n_expect = 0;
	text = testcase_write_compact(&c, &self->side, &len);
	if (to != &self->kept || corpus_room_take(&self->kept_room, len))
		add(self, to, text, len);
}

/* Adds the cases below a directory: failures of an earlier campaign first. */
static void read_cases(struct campaign *self, const char *dir, struct corpus_list *to)
{
	struct paths files = paths_find((const char *const[]){dir}, 1);

	for (int findings = 1; findings >= 0; findings--)
		for (int i = 0; i < files.n; i++)
			if (is_finding(files.at[i]) == findings && !is_book(files.at[i]))
				read_case(self, files.at[i], to);
	paths_free(&files);
}

uint64_t corpus_read_given(struct campaign *self)
{
	uint64_t hash = HASH_BEGIN;

	if (self->o->corpus)
		read_cases(self, self->o->corpus, &self->given);
	for (int i = 0; i < self->given.n; i++)
		hash = hash_step(hash, hash_text(self->given.at[i].text));
	return hash;
}

/* ---- several processes ---- */

static int compare_hashes(const void *x, const void *y)
{
	const uint64_t left = *(const uint64_t *)x, right = *(const uint64_t *)y;

	return left < right ? -1 : left > right;
}

void corpus_refresh(struct campaign *self)
{
	struct paths files = paths_find((const char *const[]){self->corpus_dir}, 1);
	const size_t known = (size_t)self->n_taken, most = known + (size_t)files.n;

	self->taken = heap_resize(self->taken, most + 1, sizeof *self->taken);
	for (int i = 0; i < files.n; i++) {
		const uint64_t hash = hash_text(files.at[i]);

		if (bsearch(&hash, self->taken, known, sizeof hash, compare_hashes))
			continue;
		self->taken[self->n_taken++] = hash;
		read_case(self, files.at[i], &self->kept);
	}
	qsort(self->taken, (size_t)self->n_taken, sizeof *self->taken, compare_hashes);
	paths_free(&files);
	heap_rest();
}

/* ---- a campaign that goes on ---- */

static bool has_report(const struct campaign *self, const char *name)
{
	for (int i = 0; i < self->triage.n_finding; i++)
		if (!strcmp(self->triage.finding[i].file, name))
			return true;
	return false;
}

/* Whether a campaign names its files so: the user may have put others there. */
static bool is_own_name(const char *name)
{
	return strspn(name, "0123456789abcdef") == 16 && !strcmp(name + 16, ".json");
}

/* Has the case in that file judged first.  Until this is saved, it waits in `pending`.  False: it cannot be read or
 * kept. */
static bool judge_first(struct campaign *self, const char *path, const char *name)
{
	const int k = self->given.n;

	read_case(self, path, &self->given);
	return self->given.n > k &&
	    write_or_fail(&self->failure, self->pending_dir, name, self->given.at[k].text, self->given.at[k].len);
}

/*
 * Failing cases that the state does not know, because the campaign was killed while it minimized them or before it had
 * saved the state.  Independent cases will be drawn again, so their files go.  Others are judged first, and their
 * reports go, too: what such a case shows may belong to another finding now.
 */
static void take_unfiled(struct campaign *self, const char *dir)
{
	struct paths files = paths_find((const char *const[]){dir}, 1);
	struct error e = {0};

	for (int i = 0; i < files.n; i++) {
		const char *name = strrchr(files.at[i], '/') + 1;

		if (!is_own_name(name) || has_report(self, name))
			continue;
		if (self->mutates && !judge_first(self, files.at[i], name))
			continue;
		if (!self->mutates || dir != self->pending_dir)
			file_remove(dir, name, &e);
	}
	paths_free(&files);
}

void corpus_drop_pending(struct campaign *self)
{
	struct error e = {0};
	struct paths files;

	if (!self->has_pending || self->given_done < self->given.n)
		return;
	self->has_pending = false;
	files = paths_find((const char *const[]){self->pending_dir}, 1);
	for (int i = 0; i < files.n; i++)
		if (is_own_name(strrchr(files.at[i], '/') + 1))
			file_remove(self->pending_dir, strrchr(files.at[i], '/') + 1, &e);
	paths_free(&files);
}

void corpus_go_on(struct campaign *self)
{
	const int n_given = self->given.n;

	take_unfiled(self, self->pending_dir);
	take_unfiled(self, self->findings_dir);
	if (!self->mutates)
		return;
	self->has_pending = true;
	self->has_unfiled = self->given.n > n_given && self->given_done >= n_given;
	corpus_refresh(self);
	self->in_corpus = self->kept_room;
	self->given_at = self->given_done < n_given ? self->given_done : n_given;
	self->given_done = self->given_at;
}

/* ---- libFuzzer ---- */

char *campaign_seeds(const struct campaign *self, int *n)
{
	struct paths files = paths_find((const char *const[]){self->corpus_dir}, 1);
	const char flag[] = "-seed_inputs=";
	size_t room = sizeof flag;
	/* The flag is a list with commas.  A directory with a comma in its name is read by another name; libFuzzer
	 * reads the files later, so the descriptor stays open as long as the process. */
	const int fd = strchr(self->corpus_dir, ',') ? open(self->corpus_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	char own[PATH_TEXT], *text, *at;

	if (fd >= 0)
		snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
	else
		memcpy(own, self->corpus_dir, sizeof own);
	*n = 0;
	for (int i = 0; i < files.n; i++)
		room += strlen(own) + strlen(files.at[i]) + 1;
	text = heap_new(room, 1);
	at = text + snprintf(text, room, "%s", flag);
	for (int i = 0; i < files.n; i++) {
		const char *name = files.at[i] + strlen(self->corpus_dir);

		if (strchr(own, ',') || strchr(name, ','))
			continue; /* the flag cannot hold it */
		at += snprintf(at, room - (size_t)(at - text), "%s%s%s", (*n)++ ? "," : "", own, name);
	}
	paths_free(&files);
	if (*n)
		return text;
	free(text);
	return NULL;
}

/* ---- keeping ---- */

void corpus_keep(struct campaign *self, const char *text, size_t len)
{
	struct error e = {0};
	char name[ORACLE_NAME];

	if (!corpus_room_take(&self->in_corpus, len))
		return;
	snprintf(name, sizeof name, "%016llx.json", (unsigned long long)hash_text(text));
	if (!file_write_unsynced(self->corpus_dir, name, text, len, &e))
		fail(&self->failure, "%s", e.text);
}

/* merge.c: see merge.h. */
#include "merge.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/heap.h"
#include "graph/text.h"
#include "engines/engine.h"
#include "reports/file.h"
#include "fuzz/bench/exit_code.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/owner/members.h"
#include "retriage.h"
#include "shrink.h"
#include "fuzz/campaign/books/sources.h"
#include "fuzz/campaign/owner/cross.h"

enum { MERGE_ARENA = 1 << 30, SUMMARY_ARENA = 512 << 20, MILLI = 1000 };

/* Which findings of a source are in the merge. */
enum part { ALL, SOLID, FLAKY };

struct findings_of {
	const struct source *source;
	enum part part;
};

struct merge {
	struct campaign *campaign; /* what all of them are together */
	const struct merge_options *o;
	struct sources sources;
	int n_list, room;
	struct findings_of *list; /* [n_list]: where the findings come from */
	struct arena *a;
	struct text warnings;
};

/* ---- what the campaigns are together ---- */

static void warn(struct merge *m, const struct source *s, const char *what, const char *own, const char *first)
{
	text_put(&m->warnings, "campaign %s: %s is %s, not %s as in others\n", s->setup.id, what,
	    text_harmless(own, m->a), text_harmless(first, m->a));
}

/* The index of an engine in the merge, which it is added to if its name is new; -1 if there is no room. */
static int engine_index(struct merge *m, struct source *s, int k)
{
	struct campaign *c = m->campaign;
	const char **text = (const char **)(uintptr_t)c->own.spec, *name = engine_text_name(s->o.spec[k], m->a);
	size_t name_length;

	for (int i = 0; i < c->n_engine; i++) {
		if (strcmp(c->name[i], name) != 0)
			continue;
		if (strcmp(text[i], s->o.spec[k]) != 0)
			warn(m, s, "an engine", s->o.spec[k], text[i]);
		if (strcmp(c->version[i], s->setup.version[k]) != 0)
			warn(m, s, arena_printf(m->a, "the version of %s", text_harmless(name, m->a)),
			    s->setup.version[k], c->version[i]);
		return i;
	}
	if (c->n_engine == BENCH_ENGINES)
		return -1;
	text[c->n_engine] = s->o.spec[k];
	c->name[c->n_engine] = heap_text(name);
	c->spec[c->n_engine] = heap_text(engine_text_spec(s->o.spec[k], &name_length));
	c->version[c->n_engine] = heap_text(s->setup.version[k]);
	c->own.n_spec = ++c->n_engine;
	return c->n_engine - 1;
}

static const char *common(struct merge *m, const struct source *s, const char *what, const char *first, const char *own)
{
	if (!first || !strcmp(first, own))
		return own;
	if (strcmp(first, "several") != 0)
		warn(m, s, what, own, first);
	return "several";
}

/* Takes over options and counters of all sources. */
static bool join_counts(struct merge *m, struct error *e)
{
	struct campaign *c = m->campaign;

	c->own.spec = NEW(m->a, const char *, BENCH_ENGINES);
	c->own.seed = m->sources.n ? m->sources.at->o.seed : 0;
	for (struct source *s = m->sources.at; s < m->sources.at + m->sources.n; s++) {
		for (int k = 0; k < s->o.n_spec; k++) {
			s->engine[k] = engine_index(m, s, k);
			if (s->engine[k] < 0)
				return error_set(e, NULL, "more than %d engines", BENCH_ENGINES);
		}
		c->own.driver = common(m, s, "the driver", c->own.driver, s->o.driver);
		c->own.profile_name = common(m, s, "the profile", c->own.profile_name, s->o.profile_name);
		c->own.named = c->own.named || s->o.named;
		c->own.cross_strict = c->own.cross_strict || s->o.cross_strict;
		c->own.strict = c->own.strict || s->o.strict;
		c->triage.strict = c->own.strict;
		c->own.no_oracle = s->o.no_oracle && (c->own.no_oracle || s == m->sources.at);
		c->own.no_twins = s->o.no_twins && (c->own.no_twins || s == m->sources.at);
		c->own.fd_one_in = s->o.fd_one_in;
		c->own.min_decided = s->o.min_decided > c->own.min_decided ? s->o.min_decided : c->own.min_decided;
		counts_join(&c->counts, s->counts, s->engine, s->o.n_spec);
		if (!campaign_cross_join(c, s, e))
			return json_error_in(arena_printf(m->a, "%s/summary.json: cross", s->dir), e);
		if (s->cross)
			c->own.against = common(m, s, "the engine of --against", c->own.against, s->against);
		c->before += (double)s->elapsed_ms / MILLI;
		c->minimize_seconds += (double)s->minimize_ms / MILLI;
	}
	return true;
}

/* Appends the findings of a list, whose engines have other numbers there. */
static bool read_findings(struct merge *m, const struct findings_of *list, struct error *e)
{
	const struct source *s = list->source;
	struct triage *t = &m->campaign->triage;
	const char **name = NEW(m->a, const char *, s->o.n_spec + 1);
	struct finding *before = t->finding;
	const int n = t->n_finding;
	const struct allowance spent = t->allowance;
	struct deferred deferred = t->deferred;
	bool ok;

	for (int k = 0; k < s->o.n_spec; k++)
		name[k] = m->campaign->name[s->engine[k]];
	t->name = name;
	t->finding = NULL;
	t->n_finding = 0;
	t->deferred.n = 0;
	ok = triage_read(t, s->o.n_spec, s->state, e);
	if (ok && list->part != ALL)
		triage_keep_only(t, list->part == FLAKY);
	if (list->part == FLAKY)
		t->allowance = spent; /* the work of the triage that ran again counts */
	for (int k = 0; k < t->deferred.n; k++) {
		struct deferred_case *x = &t->deferred.at[k];

		x->which = s->engine[x->which];
		x->number = source_number(s, x->number);
	}
	deferred_join(&t->deferred, &deferred);
	for (int k = 0; k < t->n_finding; k++)
		t->finding[k].first_case = source_number(s, t->finding[k].first_case);
	if (n) {
		t->finding = heap_resize(t->finding, (size_t)(t->n_finding + n), sizeof *t->finding);
		memmove(t->finding + n, t->finding, (size_t)t->n_finding * sizeof *t->finding);
		memcpy(t->finding, before, (size_t)n * sizeof *t->finding);
		t->n_finding += n;
	}
	free(before);
	t->name = (const char *const *)m->campaign->name;
	return ok;
}

/* ---- the reports ---- */

/* A report of a finding in some source. */
struct report_of_source {
	const char *text, *signature;
	size_t len;
	int ops;
};

static bool read_report(const char *path, struct arena *a, struct report_of_source *out)
{
	struct error e = {0};
	const struct json *root, *signature;
	struct testcase c;

	out->text = source_bytes(path, a, &out->len);
	root = out->text ? json_read(out->text, out->len, a, &e) : NULL;
	signature = root && root->kind == JSON_OBJECT ? json_find(root, "signature") : NULL;
	if (!signature || signature->kind != JSON_STRING || !testcase_read(out->text, out->len, a, &c, &e))
		return false;
	out->signature = signature->text;
	out->ops = strata_of(&c).ops;
	return true;
}

/* The smaller case; ties by length, then by bytes. */
static bool is_better(const struct report_of_source *x, const struct report_of_source *y)
{
	if (x->ops != y->ops)
		return x->ops < y->ops;
	return x->len != y->len ? x->len < y->len : memcmp(x->text, y->text, x->len) < 0;
}

/* Writes the smallest of the reports of the finding. */
static bool write_report(struct merge *m, struct finding *f, struct error *e)
{
	struct arena_mark mark = arena_mark(m->a);
	struct report_of_source best = {0}, one;

	for (const struct findings_of *l = m->list; l < m->list + m->n_list; l++) {
		if (l->part != ALL && f->symptom->flaky != (l->part == FLAKY))
			continue;
		if (!read_report(arena_printf(m->a, "%s/findings/%s", l->source->dir, f->file), m->a, &one))
			continue;
		if (!best.text || is_better(&one, &best))
			best = one;
	}
	if (!best.text)
		return error_set(e, f->file, "no campaign has the report of this finding");
	f->ops = best.ops;
	free(f->signature);
	f->signature = heap_text(best.signature);
	if (!file_write_atomic(m->campaign->findings_dir, f->file, best.text, best.len, e))
		return false;
	arena_rewind(m->a, mark);
	return true;
}

static bool is_finding(const struct triage *t, const char *name)
{
	for (int k = 0; k < t->n_finding; k++)
		if (!strcmp(t->finding[k].file, name))
			return true;
	return false;
}

/* Writes the reports, and removes those of findings that are no more. */
static bool write_reports(struct merge *m, struct error *e)
{
	struct triage *t = &m->campaign->triage;
	struct error none = {0};
	struct dirent *entry;
	DIR *list;

	for (int k = 0; k < t->n_finding; k++)
		if (!write_report(m, &t->finding[k], e))
			return false;
	list = opendir(m->campaign->findings_dir);
	while (list && (entry = readdir(list)))
		if (strspn(entry->d_name, "0123456789abcdef") == 16 && !strcmp(entry->d_name + 16, ".json") &&
		    !is_finding(t, entry->d_name))
			file_remove(m->campaign->findings_dir, entry->d_name, &none);
	if (list)
		closedir(list);
	return true;
}

/* ---- files that are only collected ---- */

static int compare_names(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static const char **list_json(const char *dir, struct arena *a, int *n)
{
	const char **name = NULL;
	struct dirent *entry;
	DIR *list = opendir(dir);
	int room = 0;

	*n = 0;
	while (list && (entry = readdir(list))) {
		size_t len = strlen(entry->d_name);

		if (*entry->d_name == '.' || len < 6 || strcmp(entry->d_name + len - 5, ".json") != 0)
			continue;
		GROW(a, name, &room, *n + 1);
		name[(*n)++] = arena_printf(a, "%s", entry->d_name);
	}
	if (list)
		closedir(list);
	if (*n)
		qsort(name, (size_t)*n, sizeof *name, compare_names);
	return name;
}

/* Copies DIR/KIND/NAME.json to OUT/KIND.  Of two files of one name, the one that comes first by length and bytes
 * stays. */
static bool collect(struct merge *m, const char *dir, const char *kind, struct error *e)
{
	const char *from = arena_printf(m->a, "%s/%s", dir, kind),
	           *to = arena_printf(m->a, "%s/%s", m->campaign->o->out, kind);
	int n;
	const char **name = list_json(from, m->a, &n);

	if (n && !file_make_directory(to, e))
		return false;
	for (int k = 0; k < n; k++) {
		struct arena_mark mark = arena_mark(m->a);
		struct report_of_source new = {0}, old = {0};

		new.text = source_bytes(arena_printf(m->a, "%s/%s", from, name[k]), m->a, &new.len);
		old.text = source_bytes(arena_printf(m->a, "%s/%s", to, name[k]), m->a, &old.len);
		if (new.text && (!old.text || is_better(&new, &old)) &&
		    !file_write_atomic(to, name[k], new.text, new.len, e))
			return false;
		arena_rewind(m->a, mark);
	}
	return true;
}

static bool collect_all(struct merge *m, const char *const *dir, int n, struct error *e)
{
	struct campaign *c = m->campaign;
	const char **oracle;

	for (int k = 0; k < n; k++)
		if (!collect(m, dir[k], "corpus", e) || !collect(m, dir[k], "oracle", e) ||
		    !collect(m, dir[k], "leads", e))
			return false;
	if (!corpus_shrink(arena_printf(m->a, "%s/corpus", c->o->out), e))
		return false;
	oracle = list_json(c->oracle_dir, m->a, &n);
	for (int k = 0; k < n && c->n_oracle_file < ORACLE_FILES; k++)
		if (strlen(oracle[k]) < ORACLE_NAME)
			snprintf(c->oracle_file[c->n_oracle_file++], ORACLE_NAME, "%s", oracle[k]);
	return true;
}

/* ---- merging ---- */

static bool open_out(struct merge *m, struct error *e)
{
	struct campaign *c = m->campaign;
	const char *out = c->o->out;

	if (!sources_are_in(out) && campaign_is_in(out))
		return error_set(e, out, "is a campaign itself, not a merge of campaigns");
	snprintf(c->findings_dir, sizeof c->findings_dir, "%s/findings", out);
	snprintf(c->oracle_dir, sizeof c->oracle_dir, "%s/oracle", out);
	if (!file_make_directory(out, e) || (c->lock = file_lock(out, e)) < 0)
		return false;
	file_sweep(out);
	file_sweep(c->findings_dir);
	return file_make_directory(c->findings_dir, e) &&
	    file_make_directory(arena_printf(m->a, "%s/" MERGE_SOURCES, out), e);
}

/* ---- the findings of shards ---- */

static void add_list(struct merge *m, const struct source *s, enum part part)
{
	GROW(m->a, m->list, &m->room, m->n_list + 1);
	m->list[m->n_list++] = (struct findings_of){s, part};
}

/* The reports of a triage that runs again, until they are in the merge. */
static const char *again_dir(const struct merge *m, const char *id)
{
	return arena_printf(m->a, "%s/.triage-%s", m->o->out, id);
}

/*
 * Adds the findings of the shards s[n] of one campaign: those that come again as one campaign would have them, and
 * those that do not as each shard has them.  Or all as each shard has them.
 */
static bool add_shards(struct merge *m, struct source **s, int n, struct error *e)
{
	struct source *whole = arena_copy(m->a, *s, 1, sizeof *whole);
	const char *why = "--by-name was given", *reports;

	whole->o.shards = 1;
	whole->o.shard = 0;
	whole->dir = again_dir(m, whole->setup.id);
	whole->state = NULL;
	reports = arena_printf(m->a, "%s/findings", whole->dir);
	if (!m->o->by_name && !file_make_directory(reports, e))
		return false;
	if (!m->o->by_name)
		whole->state = retriage(s, n, m->o->engine, m->o->n_engine, reports, m->a, &why, e);
	if (stop_requested() || *e->text)
		return false;
	if (whole->state)
		add_list(m, whole, SOLID);
	for (int k = 0; k < n; k++) {
		s[k]->again = whole->state;
		s[k]->by_name = why;
		add_list(m, s[k], whole->state ? FLAKY : ALL);
	}
	return true;
}

/* Lists the findings of every source. */
static bool list_findings(struct merge *m, struct error *e)
{
	struct source *end = m->sources.at + m->sources.n;
	bool *listed = NEW(m->a, bool, m->sources.n), ok = true;

	for (struct source *s = m->sources.at; s < end && ok; s++) {
		struct source **shard = NEW(m->a, struct source *, m->sources.n);
		int n = 0;

		for (struct source *x = s; x < end; x++)
			if (x->state && !listed[x - m->sources.at] && (x == s || retriage_are_shards(s, x))) {
				listed[x - m->sources.at] = true;
				shard[n++] = x;
			}
		if (n == 1)
			add_list(m, s, ALL);
		else if (n)
			ok = add_shards(m, shard, n, e);
	}
	return ok;
}

static bool join_findings(struct merge *m, struct error *e)
{
	struct triage *t = &m->campaign->triage;
	bool several = false;

	for (const struct findings_of *l = m->list; l < m->list + m->n_list; l++) {
		const int before = t->n_finding;

		if (!read_findings(m, l, e))
			return json_error_in(l->source->dir, e);
		several = several || (before && t->n_finding > before);
	}
	if (several)
		triage_join(t);
	return true;
}

/* Removes the reports of every triage that ran again, also in a merge that was killed. */
static void remove_again(const struct merge *m)
{
	struct dirent *entry;
	DIR *list = opendir(m->o->out);

	while (list && (entry = readdir(list)))
		if (!strncmp(entry->d_name, ".triage-", strlen(".triage-")))
			file_remove_tree(arena_printf(m->a, "%s/%s", m->o->out, entry->d_name));
	if (list)
		closedir(list);
}

static int merge(struct merge *m, const char *const *dir, int n, struct campaign_end *end, struct error *e)
{
	struct campaign *c = m->campaign;

	for (int k = 0; k < n; k++)
		if (!sources_add(&m->sources, dir[k], e))
			return EXIT_BAD_CASE;
	if (sources_are_in(c->o->out) && !sources_add(&m->sources, c->o->out, e))
		return EXIT_BAD_CASE;
	if (!open_out(m, e))
		return EXIT_OURS;
	if (!join_counts(m, e))
		return EXIT_BAD_CASE;
	remove_again(m);
	if (!list_findings(m, e))
		return stop_requested() ? EXIT_SIGNAL + stop_signal() : EXIT_OURS;
	if (!join_findings(m, e))
		return EXIT_BAD_CASE;
	if (!sources_keep(&m->sources, c->o->out, e) || !write_reports(m, e) || !collect_all(m, dir, n, e))
		return EXIT_OURS;
	return campaign_conclude(c, end);
}

int merge_campaigns(const char *const *dir, int n, const struct merge_options *o, struct campaign_end *end,
    char **warnings, struct error *e)
{
	struct campaign *c = heap_new(1, sizeof *c);
	struct arena a;
	struct merge m = {.campaign = c, .o = o, .sources.a = &a, .a = &a, .warnings.arena = &a};
	int code;

	*end = (struct campaign_end){0};
	arena_init(&a, MERGE_ARENA);
	arena_init(&c->side, SUMMARY_ARENA);
	arena_init(&c->triage.known, SUMMARY_ARENA);
	text_put(&m.warnings, "%s", "");
	c->o = &c->own;
	c->own.out = o->out;
	c->lock = -1;
	c->stopped = "merged";
	c->sources = &m.sources;
	c->triage.side = &c->side;
	c->triage.failure = &c->failure;
	code = merge(&m, dir, n, end, e);
	if (c->lock >= 0)
		remove_again(&m);
	*warnings = heap_text(m.warnings.at);
	for (int k = 0; k < c->n_engine; k++) {
		free(c->name[k]);
		free(c->spec[k]);
		free(c->version[k]);
	}
	triage_close(&c->triage);
	campaign_cross_close(c);
	arena_free(&c->side);
	arena_free(&a);
	if (c->lock >= 0)
		close(c->lock);
	free(c);
	return code;
}

/* sources.h: the campaigns that are in a merge. */
#ifndef FUZZ_CAMPAIGN_BOOKS_SOURCES_H
#define FUZZ_CAMPAIGN_BOOKS_SOURCES_H

#include "graph/json.h"
#include "fuzz/campaign/counting/counts.h"
#include "setup.h"

#define MERGE_SOURCES ".sources" /* folder in a merge: the books of its campaigns */

/* A campaign, by its books.  Texts are in an arena. */
struct source {
	const char *dir; /* with its books, and its reports in dir/findings */
	struct campaign_options o;
	struct setup setup;
	struct counts *counts;
	const struct json *state; /* NULL: it was killed before it had judged anything */
	int64_t elapsed_ms, minimize_ms;
	const struct json *cross; /* member of its summary; NULL: there is none */
	const char *against;      /* in it; "": no engine */
	const char *stopped;      /* why, by its summary; "": it has not ended */
	int n_finding;
	int engine[BENCH_ENGINES]; /* index in the merge of each engine of o */
	bool again;                /* its findings are those of a triage of all shards (retriage.h) */
	const char *by_name;       /* why not, although other shards of its campaign are here; NULL otherwise */
};

struct sources {
	int n, room;
	struct source *at; /* [n] sorted by id */
	struct arena *a;
};

/* Adds the campaign in that directory, or all that are in a merge.  False with the reason if it holds none. */
bool sources_add(struct sources *self, const char *dir, struct error *e) MUST_CHECK;
/* Whether the directory is a merge. */
bool sources_are_in(const char *dir);
/* Copies books and reports of every source to OUT/.sources. */
bool sources_keep(struct sources *self, const char *out, struct error *e) MUST_CHECK;
/* The bytes of a file in the arena; NULL if there is none that can be read. */
char *source_bytes(const char *path, struct arena *a, size_t *len);
/* The number that one campaign with the cases of all shards would give to a case of this shard; from 1. */
int64_t source_number(const struct source *s, int64_t number);
bool sources_share_seed(const struct sources *self);
/* How many campaigns there are, and which of them have not ended; lines with newlines. */
char *sources_text(const struct sources *self, struct arena *a);
/* Writes what each source contributed, as member `sources` of the summary. */
void sources_put(const struct sources *self, struct json_writer *w);

#endif

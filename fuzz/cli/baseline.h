/* baseline.h: known findings.  They do not fail the gate until they are fixed or their date has passed. */
#ifndef FUZZ_CLI_BASELINE_H
#define FUZZ_CLI_BASELINE_H

#include "fuzz/campaign/books/case_paths.h"
#include "graph/errors.h"
#include "reports/ci/outcome.h"

#include <stddef.h>

struct arena;

enum { BASELINE_DATE = 16 };

struct known_finding {
	const char *signature;
	const char *link;    /* where the bug is discussed; "" for none */
	const char *reason;  /* why it is accepted; "": nobody has said so yet */
	const char *path;    /* the end of the case's path, or NULL: any case */
	const char *expires; /* YYYY-MM-DD, the last day on which it counts */
	int line;            /* of the file; 0: it is new */
	int matched;         /* findings of this run */
	int judged;          /* judgements of this run that would have shown the finding */
	bool gone;           /* it is fixed, and a new file does not have it */
};

struct baseline {
	int n, room;
	struct known_finding *known;
	int n_read; /* entries of the file; those after them are new */
};

/* Reads a file of schema adjudge.baseline/1 into the arena. */
bool baseline_read_file(const char *path, struct arena *a, struct baseline *out, struct error *e) MUST_CHECK;
/* The file that holds the entries, one a line, without those that are gone. */
char *baseline_text(const struct baseline *b, struct arena *a, size_t *len);

/* The entry of the file for a finding of a case, which is then counted as matched; NULL: the finding is new.  An
 * expired entry still matches. */
struct known_finding *baseline_match(struct baseline *b, const char *signature, const char *path);
/* Whether the file has an entry for the finding; nothing is counted. */
bool baseline_knows(const struct baseline *b, const char *signature, const char *path);
/* Notes that an engine (or "truth" or "oracle") gave a decided answer about the case of that path. */
void baseline_note_judged(struct baseline *b, const char *engine, const char *path);

/* What is known about a run when its end is reached. */
struct baseline_review {
	const char *file;          /* of the baseline, for messages */
	const struct paths *all;   /* cases of all shards, or NULL: cases are random, so no entry can be missed */
	const char *const *judged; /* [n_judged] paths of this shard */
	int n_judged;
	bool sharded; /* entries may be about cases of other shards */
	bool partial; /* `all` does not list every case */
	bool allow_fixed;
	char today[BASELINE_DATE]; /* YYYY-MM-DD */
};

/* Adds an outcome for each entry that is fixed, expired, without a reason, or about nothing. */
void baseline_check(struct baseline *b, const struct baseline_review *x, struct ci_report *r);
/* Appends an entry without a reason.  `all` (or NULL) says how much of the path names one case. */
void baseline_add(struct baseline *b, const char *signature, const char *path, const struct paths *all,
    const char *expires, struct arena *a);

#endif

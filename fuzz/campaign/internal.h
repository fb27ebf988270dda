/* internal.h: the state of a campaign, shared by the files of this room. */
#ifndef FUZZ_CAMPAIGN_INTERNAL_H
#define FUZZ_CAMPAIGN_INTERNAL_H

#include "campaign.h"
#include "fuzz/cross/cross.h"
#include "fuzz/bench/account.h"
#include "fuzz/bench/failure.h"
#include "fuzz/triage/triage.h"

enum {
	ORACLE_FILES = 32, /* oracle disagreements that are minimized and written; further ones are counted */
	ORACLE_NAME = 32,
	PATH_TEXT = 4096
};

/* Strata in the order of struct strata (generate.h). */
enum stratum {
	LOOP,
	COND,
	SCATTER_OR_SLICE,
	EDGE_POINT,
	LOW_PRECISION,
	JVP,
	VJP,
	STRICT_SUBSET,
	NESTED,
	SOLUTION,
	HIGHER_ORDER,
	BATCH,
	STRATUM_COUNT
};

enum outcome { OUTCOME_DECIDED, OUTCOME_UNDECIDED, OUTCOME_UNSUPPORTED };

struct tally {
	int64_t cases, decided, undecided;
};

struct corpus_text {
	char *text;
	size_t len;
};

/* Cases that go into one request.  The arena holds them, their truths and their answers. */
struct window {
	struct arena arena;
	struct arena_mark end; /* end of the last case */
	int n;
	struct testcase *c;     /* [room] */
	struct bench_result *r; /* [room] */
	int64_t *number;        /* [room]: from 1 */
};

struct campaign {
	const struct campaign_options *o; /* &own */
	struct campaign_options own;      /* copy of the options, with a profile that fits the engines */
	struct bench bench;
	int room;                /* cases in a window; 1: there are no windows */
	struct window window[2]; /* one is being filled while engines work on the other */
	int open;                /* index of the window that is being filled */
	struct arena side;       /* for minimizing and writing; the case itself lives in the driver's arena */
	char findings_dir[PATH_TEXT], oracle_dir[PATH_TEXT];
	int lock; /* of the output directory (file_lock) */

	int64_t cases, skipped, oracle_disagreements;
	struct tally all, stratum[STRATUM_COUNT], dtype[DTYPE_COUNT];
	int64_t undecided[REASON_COUNT];
	int64_t components_decided, components_undecided[REASON_COUNT];
	struct account account[BENCH_ENGINES];
	int64_t ops[LIMIT_NODES + 1];

	struct triage triage; /* the findings */
	int n_oracle_file;
	char oracle_file[ORACLE_FILES][ORACLE_NAME];

	int n_corpus;
	struct corpus_text *corpus;
	uint8_t seen[FEATURE_BYTES]; /* classes of each counter that some case reached */
	int features;

	struct campaign_cross *cross; /* NULL: not asked for */

	double start, shown, generate_seconds, minimize_seconds, cross_seconds;
	bool terminal;
	const char *stopped; /* why; NULL while it runs */
	struct failure failure;
};

/* ---- campaign.c ---- */

enum outcome campaign_outcome(const struct judgement *j, int n, enum reason *reason);
void campaign_count(struct campaign *self, const struct testcase *c, const struct bench_result *r);
void campaign_show_progress(struct campaign *self);

/* ---- findings.c ---- */

/* Records the findings and oracle disagreements in case `number`; working memory from a. */
void campaign_record(
    struct campaign *self, const struct testcase *c, int64_t number, const struct bench_result *r, struct arena *a);

/* ---- cross.c ---- */

bool campaign_cross_open(struct campaign *self, struct error *e) MUST_CHECK;
void campaign_cross_close(struct campaign *self);
/* Runs every mode for every engine for which case `number` leaves something undecided.  Does nothing if cross is off.
 * Working memory from a. */
void campaign_cross(
    struct campaign *self, const struct testcase *c, int64_t number, const struct bench_result *r, struct arena *a);
int campaign_leads(const struct campaign *self);
/* Whether any two answers were compared. */
bool campaign_compared(const struct campaign *self);
struct json_writer;
/* Writes member `cross` of the summary; appends its lines for people to `text`.  Both do nothing if cross is off. */
void campaign_put_cross(const struct campaign *self, struct json_writer *w, struct arena *a);
char *campaign_cross_text(const struct campaign *self, char *text, struct arena *a);

/* ---- window.c ---- */

void window_open(struct campaign *self);
void window_close(struct campaign *self);
/* Judges all cases that wait in windows. */
void window_flush(struct campaign *self);

#endif

/* campaign_internal.h: the state of a campaign, shared by the files of that name. */
#ifndef FUZZ_CAMPAIGN_INTERNAL_H
#define FUZZ_CAMPAIGN_INTERNAL_H

#include "campaign.h"
#include "cross.h"
#include "same_bug.h"

enum {
	ORACLE_FILES = 32, /* disagreements of the oracles that are minimized and written; the rest is counted */
	ORACLE_NAME = 32,
	FINDING_SYMPTOMS = 8,
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

/* A bug, as far as can be told (same_bug.h).  Texts are owned, but for names of symptoms and signatures of slips, which are in campaign.known. */
struct finding {
	const char *spec;
	char *signature; /* coarse, of the case in the report */
	/* [0] is that of the case in the report; the others were found to be of the same bug, which the names of those before them do not say. */
	int n_symptom;
	struct symptom symptom[FINDING_SYMPTOMS];
	int n_face;
	char **face; /* [n_face] coarse signatures that it was found under */
	int n_slip;
	const char *slip[FINDING_SYMPTOMS]; /* coarse signatures that it was met under, and no case of the campaign was */
	char file[ORACLE_NAME];
	int64_t count, first_case;
	int64_t minimized; /* how many of them were */
	int64_t likely; /* cases that were most likely of it: every so often one is minimized (triage_known.c) */
	int n_wiring; /* of a bare pattern (wiring.h): the minimal programs that it was found in */
	const struct program **wiring;
	int ops; /* of the minimal case */
};

struct corpus_text {
	char *text;
	size_t len;
};

/* Cases that are asked in one request.  Arena: holds them, their truths and their answers. */
struct window {
	struct arena arena;
	struct arena_mark end; /* of the last one */
	int n;
	struct testcase *c;      /* [room] */
	struct bench_result *r;  /* [room] */
	int64_t *number;         /* [room]: from 1 */
};

struct campaign {
	const struct campaign_options *o; /* &own */
	struct campaign_options own;      /* with the profile's share of jvp as the engines can use it */
	struct bench bench;
	int room;                /* cases of a window; 1: there is none */
	struct window window[2]; /* one is filled, the engines have the other */
	int open;                /* which is filled */
	struct arena side; /* minimization and writing: the case itself lives in the driver's arena */
	char findings_dir[PATH_TEXT], oracle_dir[PATH_TEXT];

	int64_t cases, skipped, oracle_disagreements;
	struct tally all, stratum[STRATUM_COUNT], dtype[DTYPE_COUNT];
	int64_t undecided[REASON_COUNT];
	int64_t components_decided, components_undecided[REASON_COUNT];
	int64_t verdict[BENCH_ENGINES][VERDICT_COUNT];
	int64_t ops[LIMIT_NODES + 1];

	int n_finding;
	struct finding *finding;
	struct arena known; /* their programs and names */
	struct remainder *remainder; /* [BENCH_ENGINES] (triage_known.c); owned */
	int n_oracle_file;
	char oracle_file[ORACLE_FILES][ORACLE_NAME];

	int n_corpus;
	struct corpus_text *corpus;
	uint8_t seen[FEATURE_BYTES]; /* classes of each counter that some case had */
	int features;

	struct campaign_cross *cross; /* NULL: not asked for */

	double start, shown, generate_seconds, minimize_seconds, cross_seconds;
	bool terminal;
	const char *stopped; /* why; NULL while it runs */
	bool failed;
	char failure[512];
};

/* ---- campaign.c ---- */

enum outcome campaign_outcome(const struct judgement *j, int n, enum reason *reason);
void campaign_count(struct campaign *self, const struct testcase *c, const struct bench_result *r);
void campaign_show_progress(struct campaign *self);

/* ---- campaign_findings.c ---- */

/* Findings and disagreements of the oracles in case `number`; working memory from a. */
void campaign_record(struct campaign *self, const struct testcase *c, int64_t number, const struct bench_result *r, struct arena *a);

/* ---- campaign_write.c ---- */

/* Something of ours failed, which ends the campaign; printf of the reason.  The first failure counts. */
void campaign_fail(struct campaign *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a file; where that is not possible the campaign has failed. */
void campaign_write_file(struct campaign *self, const char *dir, const char *name, const char *text, size_t len);

/* ---- triage.c ---- */

/*
 * Records that case `number` shows a finding of that coarse signature, of engine `which`: counted where it is known, else minimized and written.  seen: the judgement
 * that showed it, what is reported where a fresh process does not show it again.
 */
void triage_record(struct campaign *self, int which, const char *signature, const struct testcase *c, const struct bench_result *seen, int64_t number);
void triage_close(struct campaign *self);

/* ---- campaign_cross.c ---- */

bool campaign_cross_open(struct campaign *self, struct error *e);
void campaign_cross_close(struct campaign *self);
/* Every mode of every engine for which case `number` leaves something open; nothing where it was not asked for.  Working memory from a. */
void campaign_cross(struct campaign *self, const struct testcase *c, int64_t number, const struct bench_result *r, struct arena *a);
int campaign_leads(const struct campaign *self);
/* Whether any two answers were compared. */
bool campaign_compared(const struct campaign *self);
struct json_writer;
/* Member `cross` of the summary, and its lines for people after `text`: none where it was not asked for. */
void campaign_put_cross(const struct campaign *self, struct json_writer *w, struct arena *a);
char *campaign_cross_text(const struct campaign *self, char *text, struct arena *a);

/* ---- campaign_window.c ---- */

void window_open(struct campaign *self);
void window_close(struct campaign *self);
/* Judges what is not judged yet. */
void window_flush(struct campaign *self);

#endif

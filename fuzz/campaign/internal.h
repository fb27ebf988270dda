/* internal.h: the state of a campaign, shared by the files of this room. */
#ifndef FUZZ_CAMPAIGN_INTERNAL_H
#define FUZZ_CAMPAIGN_INTERNAL_H

#include "campaign.h"
#include "fuzz/cross/cross.h"
#include "corpus_room.h"
#include "counts.h"
#include "draw_log.h"
#include "setup.h"
#include "fuzz/bench/failure.h"
#include "fuzz/bench/question.h"
#include "fuzz/triage/triage.h"
#include "progress.h"

enum {
	JOB_NUMBER_BITS = 40, /* draws of a mutating driver: the number of the judging process is above these bits */
	ORACLE_FILES = 32,    /* oracle disagreements that are minimized and written; further ones are counted */
	ORACLE_NAME = 32,
	PATH_TEXT = 4096
};

struct corpus_text {
	char *text;
	size_t len;
};

/* Cases as compact text; owned. */
struct corpus_list {
	int n;
	struct corpus_text *at; /* [n] */
};

/* Cases that go into one request.  The arena holds them, their truths and their answers. */
struct window {
	struct arena arena;
	struct arena_mark end; /* end of the last case */
	int n;
	struct testcase *c;         /* [room] */
	struct bench_result *r;     /* [room] */
	struct case_record *record; /* [room]: what is known of each case so far */
};

struct source;

struct campaign {
	const struct campaign_options *o; /* &own */
	struct campaign_options own;      /* copy of the options, with a profile that fits the engines */
	struct bench bench;
	int n_engine;
	struct setup setup;
	char *name[BENCH_ENGINES]; /* what signatures and files call each engine; owned, as the next two */
	char *spec[BENCH_ENGINES]; /* without the name */
	char *version[BENCH_ENGINES];
	int room;                /* cases in a window; 1: there are no windows */
	struct window window[2]; /* one is being filled while engines work on the other */
	int open;                /* index of the window that is being filled */
	struct arena side;       /* for minimizing and writing; the case itself lives in the driver's arena */
	char findings_dir[PATH_TEXT], oracle_dir[PATH_TEXT], corpus_dir[PATH_TEXT], pending_dir[PATH_TEXT];
	int lock; /* of the output directory (file_lock) */

	struct counts counts; /* of all records so far */
	int64_t draw;         /* number of the current draw */
	int64_t next_draw;
	bool entered;                                 /* the current draw gave a case */
	int64_t drawn;                                /* cases that were drawn; those in windows are not counted yet */
	uint8_t seen[FEATURE_BYTES];                  /* as counts.seen, with the cases in windows */
	struct spent_seconds seconds;                 /* since the last record */
	double waited[BENCH_ENGINES];                 /* bench.waited at the last record */
	struct engine_trouble trouble[BENCH_ENGINES]; /* of the engines at the last record */
	struct engine_record *engine_record;          /* [n_engine]: of the record that is being filled */
	struct case_finding *finding_record;          /* [2 n_engine (1 + TWIN_COUNT)]: likewise */
	enum dtype wide;                              /* the widest dtype that all engines know (twin.h) */

	struct draw_log log; /* of a shard */

	struct triage triage; /* the findings */
	int n_oracle_file;
	char oracle_file[ORACLE_FILES][ORACLE_NAME];

	bool mutates;             /* the driver makes cases from other cases */
	struct corpus_list given; /* judged before any other case */
	int given_at;             /* a mutating driver has begun so many of them */
	int given_done;           /* of a mutating driver: so many of the first ones are counted */
	bool has_pending;         /* cases of pending_dir are among the given ones */
	struct corpus_list kept;  /* of earlier runs of this campaign, and of other processes */
	struct corpus_room kept_room;
	int n_taken;
	uint64_t *taken;              /* [n_taken]: files of corpus_dir that corpus_refresh has read; owned */
	struct corpus_room in_corpus; /* files in corpus_dir */
	int64_t held;                 /* bytes of cases that this process holds: lists above, and those of the driver */
	struct campaign_cross *cross; /* NULL: not asked for */

	struct progress_screen screen;
	double feature_time; /* on bench_clock, when a feature was seen to be new; 0: none was */
	double before;       /* seconds of earlier runs of this campaign */
	double start, saved, minimize_seconds;
	double deadline;                   /* on bench_clock: when the time of the campaign is over; 0: no limit */
	struct job *job;                   /* this process only judges (job.h); NULL: it owns the campaign */
	int64_t job_stream;                /* campaign_stream of such a process */
	int64_t judges_restarted;          /* processes that judge and died */
	int n_process;                     /* that judge for this one; 0: it judges itself */
	struct progress_process *process;  /* [n_process] */
	char *right_on, *right_on_version; /* name and version of the reference; NULL: there is none; owned */
	bool judges;                       /* this process has engines */
	bool cut;            /* a signal cut a draw short: it is not counted, and a later run makes it again */
	const char *stopped; /* why; NULL while it runs */
	const struct sources *sources; /* the campaigns of a merge (merge.c); NULL: it is no merge */
	struct failure failure;
};

/* ---- campaign.c ---- */

/* When a search for a smaller case must end. */
struct limit campaign_limit(const struct campaign *self);
/* Counts a record and files its findings.  c: the case; NULL if it has none. */
void campaign_take(struct campaign *self, const struct case_record *record, const struct testcase *c);
/* If all cases were judged: looks at the deferred ones, for a fixed sum of work more. */
void campaign_take_rest(struct campaign *self);
/* Stops the engines and frees everything. */
void close_campaign(struct campaign *self);

/* ---- summary.c ---- */

/* Writes DIR/summary.json, and fills *end.  Returns the exit code. */
int campaign_conclude(struct campaign *self, struct campaign_end *end);

/* ---- state.c ---- */

/* Seconds that the campaign has run, with its earlier runs. */
double campaign_elapsed(const struct campaign *self);
/* Writes the state, and removes files that it no longer needs. */
void campaign_save(struct campaign *self);
/* Saves if it is time, or if there are new findings, and then announces these. */
void campaign_settle(struct campaign *self);
/* Reads the state; nothing happens if there is none. */
bool campaign_load(struct campaign *self, struct error *e) MUST_CHECK;
/* The seconds that the state says; 0 if there is none, or if it cannot be read. */
double campaign_saved_seconds(struct campaign *self);
/* The text of the state after so many seconds, in the side arena; and the reader of such a text. */
char *campaign_state_text(struct campaign *self, double elapsed, size_t *len);
bool campaign_read_state(struct campaign *self, const char *text, size_t len, struct error *e) MUST_CHECK;

/* ---- job.c: a process that only judges ---- */

/* campaign_next, campaign_over and campaign_take of such a process. */
bool job_next(struct campaign *self, int64_t *draw);
bool job_over(const struct campaign *self);
void job_send(struct campaign *self, const struct case_record *record, const struct testcase *c);
/* Its number, from 0; 0 for the process that owns the campaign. */
int job_number(const struct campaign *self);

/* ---- corpus.c ---- */

/* Takes over the cases that other processes have kept since the last call. */
void corpus_refresh(struct campaign *self);

/* Reads the cases that the campaign is given.  Returns their hash. */
uint64_t corpus_read_given(struct campaign *self);
/* When the state is saved: removes the cases of pending_dir that are given and now counted. */
void corpus_drop_pending(struct campaign *self);
/* After campaign_load: finds failing cases that the state does not know, and the cases that were kept. */
void corpus_go_on(struct campaign *self);
/* Keeps a case with new features, as compact text. */
void corpus_keep(struct campaign *self, const char *text, size_t len);
void corpus_free(struct campaign *self);

/* ---- judging.c ---- */

/*
 * Fills a record of the judged case c, except for what the draw says: draw, features and the work so far.  Texts are in
 * `a`, lists belong to the campaign.
 */
void campaign_fill(
    struct campaign *self, const struct testcase *c, struct bench_result *r, struct arena *a, struct case_record *io);
/*
 * Adds to the record the requests about the n cases c that ended badly, although no judgement among r[n] shows it: the
 * cases of one request, or one case.
 */
void campaign_fill_incidents(struct campaign *self, const struct testcase *c, const struct bench_result *r, int n,
    struct arena *a, struct case_record *io);
/* Adds to the record, after campaign_fill, what the twins of its case show. */
struct judged_twins;
void campaign_fill_twins(
    struct campaign *self, const struct judged_twins *twins, struct arena *a, struct case_record *io);
/* Features of c that no case of this process had before; in `a`.  counters: those of c. */
struct feature *campaign_features(
    struct campaign *self, const uint8_t counters[FEATURE_BYTES], int *n, struct arena *a);

/* ---- show.c ---- */

void campaign_open_progress(struct campaign *self);
/* After a case, and while one is minimized: shows progress if it is time. */
void campaign_show_progress(struct campaign *self);
/* Announces the findings whose reports are new.  After triage has written them. */
void campaign_announce(struct campaign *self);
void campaign_close_progress(struct campaign *self);

/* ---- findings.c ---- */

/* Files the findings and the oracle disagreement of case `number`. */
void campaign_file(struct campaign *self, const struct case_record *record, const struct testcase *c, int64_t number);

/* ---- cross.c ---- */

bool campaign_cross_open(struct campaign *self, struct error *e) MUST_CHECK;
void campaign_cross_close(struct campaign *self);
/* Runs every mode for every engine for which case `number` leaves something undecided.  Does nothing if cross is off.
 * Working memory from a. */
void campaign_cross(
    struct campaign *self, const struct testcase *c, int64_t number, const struct bench_result *r, struct arena *a);
/* In a merge: adds the comparisons and leads of a campaign, by its summary. */
bool campaign_cross_join(struct campaign *self, const struct source *s, struct error *e) MUST_CHECK;
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

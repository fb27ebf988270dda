/* members.h: struct campaign: what the process that owns a campaign, or one that judges for it, knows. */
#ifndef FUZZ_CAMPAIGN_OWNER_MEMBERS_H
#define FUZZ_CAMPAIGN_OWNER_MEMBERS_H

#include "fuzz/cross/cross.h"
#include "fuzz/campaign/books/corpus_room.h"
#include "fuzz/campaign/counting/counts.h"
#include "fuzz/campaign/counting/draw_log.h"
#include "fuzz/campaign/books/options.h"
#include "fuzz/campaign/books/setup.h"
#include "fuzz/bench/failure.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"
#include "fuzz/triage/triage.h"

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
	bool has_unfiled; /* among them is one that no budget of cases keeps out: it was judged before the kill */
	struct corpus_list kept; /* of earlier runs of this campaign, and of other processes */
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

/* When a search for a smaller case must end. */
static inline struct limit campaign_limit(const struct campaign *self)
{
	return (struct limit){.stop = stop_requested, .deadline = self->deadline};
}

#endif

/* campaign.h: many cases in; distinct, minimized findings and a summary out.  A driver chooses the cases.  A campaign
 * judges and records them. */
#ifndef FUZZ_CAMPAIGN_CAMPAIGN_H
#define FUZZ_CAMPAIGN_CAMPAIGN_H

#include "fuzz/bench/bench.h"
#include "coverage.h"
#include "progress.h"
#include "fuzz/generate/generate.h"

struct campaign_options {
	const char *const *spec; /* [NAME=]SPEC of each (engines/engine.h) */
	int n_spec;
	bool named;          /* the user named these engines: each must decide something */
	int64_t min_decided; /* percent of the cases asked that each engine must decide for a clean end */
	const char
	    *right_on; /* spec of a reference engine: a finding counts only where it is right (bench.h); NULL: always */
	uint64_t seed;
	int64_t cases;     /* 0: no limit */
	double seconds;    /* 0: no limit; of all runs of the campaign together */
	bool resume;       /* go on with the campaign in `out`, whose options these are (setup.h) */
	int shard, shards; /* judge the cases of shard `shard`, from 0, of so many; 0 of 1: all cases */
	int jobs;          /* processes that judge; 0 and 1: this one alone */
	const char *out;   /* directory */
	const char *driver;
	const char *profile_name; /* for the summary: a path, or "default" */
	struct profile
	    profile; /* its share of jvp becomes 0 or 100 where the engines under test know only vjp or only jvp */
	const char *corpus; /* directory of cases to start from, or NULL */
	int fd_one_in;
	int max_findings; /* 0: no limit */
	int minimize_budget;
	enum progress_mode progress;
	bool cross;        /* compare answers without an oracle where the oracles leave something undecided (cross.h) */
	bool cross_strict; /* a lead counts as a finding */
	bool no_twins;     /* do not look again where a case is undecided (fuzz/bench/twin.h) */
	bool no_oracle;    /* compare the answers of every case and judge none */
	const char *against; /* spec of the engine to compare with, or NULL */
	/* Whether a baseline lists the finding with that name, whose report has that path; NULL: there is no baseline.
	 */
	bool (*known)(const void *baseline, const char *signature, const char *path);
	const void *baseline; /* of known */
};

struct campaign;

/* Whether the directory holds a campaign, or what is left of one: only `resume` may use it. */
bool campaign_is_in(const char *dir);
/*
 * Makes the output directories and opens the engines.  o must stay.  NULL with the reason in e, such as that another
 * campaign writes into the directory.  With `resume`, an error with a place is about a file that cannot be read.
 */
struct campaign *campaign_open(const struct campaign_options *o, struct error *e) MUST_CHECK;
const struct campaign_options *campaign_options(const struct campaign *self);

/* Begins the next draw, and gives its number, from 0.  False: this process draws no more. */
bool campaign_next(struct campaign *self, uint64_t *number);
/*
 * Judges the case of the draw and records it.  Working memory comes from `a`, which longjmps when it is full; the
 * driver then calls campaign_skip. counters receives the features of the case.  Returns how many of them no earlier
 * case had.  If an engine takes several cases in one request, c is judged later, with the same result.
 */
int campaign_judge(struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES]);
/* Ends a draw for which there was no memory. */
void campaign_skip(struct campaign *self);
/*
 * Whether the campaign must end: the budget is used up, a signal came (stop.h), or writing failed.  It first judges
 * cases that were asked together.
 */
bool campaign_over(struct campaign *self);
/* Adds time that the driver spent on making cases, for the summary. */
void campaign_add_generate(struct campaign *self, double seconds);

/*
 * The next of the cases that the campaign judges before all others, as compact text.  NULL: there is none left.
 * number: of the draw.
 */
const char *campaign_given(struct campaign *self, uint64_t number, size_t *len);
/* The number of a fresh case of draw `number` in a driver of independent cases: the seed and it give the case. */
uint64_t campaign_fresh(const struct campaign *self, uint64_t number);
/* Cases to start mutating from: those given, then those that earlier runs of the campaign kept. */
int campaign_corpus(const struct campaign *self);
const char *campaign_corpus_text(const struct campaign *self, int k, size_t *len);
/* Notes that the driver holds so many more bytes of cases; negative: that it has freed them. */
void campaign_hold(struct campaign *self, int64_t bytes);
/* Only the features of a case, without asking an engine. */
void campaign_features_of(
    struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES]);
/* A number for the seed of a mutating driver: another one for each process, and for each run that goes on. */
uint64_t campaign_stream(const struct campaign *self);
/* libFuzzer's flag with the files of the cases that were kept, and how many they are; NULL: there are none.  The caller
 * never frees it. */
char *campaign_seeds(const struct campaign *self, int *n);
/* Of these, the number of the first one that an earlier run kept.  Its features are counted already. */
int campaign_corpus_kept(const struct campaign *self);

/* The outcome of a campaign: texts that the caller frees. */
struct campaign_end {
	char *summary;     /* DIR/summary.json */
	char *text;        /* the same in a few lines for people */
	char failure[512]; /* the failure of adjudge or the machine behind the exit code; "" */
};

/* Writes DIR/summary.json, stops the engines and frees everything.  Returns the exit code. */
int campaign_close(struct campaign *self, struct campaign_end *end);

/* ---- drivers ---- */

/* Draws fresh, independent cases: case k depends on the seed and k alone.  (driver_plain.c) */
void drive_generate(struct campaign *s);
/*
 * An evolutionary loop: it keeps cases with new features, and draws fresh, mutated and crossed cases.  (driver_plain.c)
 */
void drive_plain(struct campaign *s);
/*
 * Runs libFuzzer inside this process.  It does not return: when the campaign is over it calls `finish`, whose result is
 * the exit code.  (libfuzzer.c; only if the executable is linked with libFuzzer)
 */
typedef int campaign_finish_fn(struct campaign *s, void *self);
void drive_libfuzzer(struct campaign *s, campaign_finish_fn *finish, void *self) __attribute__((noreturn));

#endif

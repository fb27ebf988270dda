/* campaign.h: many cases in; distinct, minimized findings and a summary out.  A driver chooses the cases.  A campaign
 * judges and records them. */
#ifndef FUZZ_CAMPAIGN_CAMPAIGN_H
#define FUZZ_CAMPAIGN_CAMPAIGN_H

#include "fuzz/bench/bench.h"
#include "coverage.h"
#include "fuzz/generate/generate.h"

struct campaign_options {
	const char *const *spec;
	int n_spec;
	bool named;          /* the user named these engines: each must decide something */
	int64_t min_decided; /* percent of the cases asked that each engine must decide for a clean end */
	const char
	    *right_on; /* spec of a reference engine: a finding counts only where it is right (bench.h); NULL: always */
	uint64_t seed;
	int64_t cases;   /* 0: no limit */
	double seconds;  /* 0: no limit */
	const char *out; /* directory */
	const char *driver;
	const char *profile_name; /* for the summary: a path, or "default" */
	struct profile
	    profile; /* its share of jvp becomes 0 or 100 where the engines under test know only vjp or only jvp */
	const char *corpus; /* directory of cases to start from, or NULL */
	int fd_one_in;
	int max_findings; /* 0: no limit */
	int minimize_budget;
	bool progress;
	bool cross;        /* compare answers without an oracle where the oracles leave something undecided (cross.h) */
	bool cross_strict; /* a lead counts as a finding */
	bool no_oracle;    /* compare the answers of every case and judge none */
	const char *against; /* spec of the engine to compare with, or NULL */
};

struct campaign;

/*
 * Makes the output directories and opens the engines.  o must stay.  NULL with the reason in e, such as that another
 * campaign writes into the directory.
 */
struct campaign *campaign_open(const struct campaign_options *o, struct error *e) MUST_CHECK;
const struct campaign_options *campaign_options(const struct campaign *self);

/*
 * Judges one case and records it.  Working memory comes from `a`, which longjmps when it is full; the driver then calls
 * campaign_skip. counters receives the features of the case.  If an engine takes several cases in one request, c is
 * judged later, with the same result.
 */
void campaign_judge(struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES]);
void campaign_skip(struct campaign *self);
/*
 * Whether the campaign must end: the budget is used up, a signal came (stop.h), or writing failed.  It first judges
 * cases that were asked together.
 */
bool campaign_over(struct campaign *self);
/* Adds time that the driver spent on making cases, for the summary. */
void campaign_add_generate(struct campaign *self, double seconds);
/* Returns the number of features in `counters` that no earlier case had.  *total (may be NULL): all so far. */
int campaign_new_features(struct campaign *self, const uint8_t counters[FEATURE_BYTES], int *total);

/* Number of cases of the corpus directory, and the compact text of one. */
int campaign_corpus(const struct campaign *self);
const char *campaign_corpus_text(const struct campaign *self, int k, size_t *len);

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

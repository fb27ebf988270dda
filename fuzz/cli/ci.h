/* ci.h: what `gate`, `fuzz` and `conform` share for CI: options, a baseline, and the list of outcomes as files. */
#ifndef FUZZ_CLI_CI_H
#define FUZZ_CLI_CI_H

#include "baseline.h"
#include "options.h"

struct ci_options {
	const char *baseline, *write_baseline, *update_baseline; /* at most one, after ci_begin */
	const char *junit, *sarif, *summary, *format, *shard;
	bool allow_fixed;
};

/* Rows of an option table; --shard and --format are rows of their own. */
#define CI_OPTION_ROWS(x) \
	{"baseline", OPTION_TEXT, &(x).baseline, "FILE", "findings that are known, with link, reason and expiry"}, \
	    {"write-baseline", OPTION_TEXT, &(x).write_baseline, "FILE", \
	        "write the findings as a new baseline; a file that exists is not replaced"}, \
	    {"update-baseline", OPTION_TEXT, &(x).update_baseline, "FILE", \
	        "use this baseline, then drop fixed entries from it and add new ones"}, \
	    {"allow-fixed", OPTION_FLAG, &(x).allow_fixed, NULL, "a known finding that is fixed does not fail"}, \
	    {"junit", OPTION_TEXT, &(x).junit, "FILE", "write the outcomes as JUnit XML"}, \
	    {"sarif", OPTION_TEXT, &(x).sarif, "FILE", "write the findings as SARIF 2.1.0"}, \
	{ \
		"summary", OPTION_TEXT, &(x).summary, "FILE", "write a job summary in Markdown" \
	}
#define CI_SHARD_ROW(x) \
	{ \
		"shard", OPTION_TEXT, &(x).shard, "I/N", "judge only part I of N, counted from 1" \
	}

/* The formats of --format that the list of outcomes has. */
#define CI_FORMATS "github, gitlab, tap, jsonl"

/* One run that a CI system watches. */
struct ci_run {
	const struct ci_options *o;
	int shard, n_shard; /* from 1; 1 of 1 without --shard */
	bool partial;       /* there are cases that the list of all paths does not have */
	struct arena *arena;
	struct baseline baseline;
	struct ci_report report;
	char today[BASELINE_DATE], expires[BASELINE_DATE]; /* of new entries */
};

/* Reads "I/N" with I from 1 to N. */
bool read_shard(const char *text, int *shard, int *n);
/* Whether a command has the format (NULL: not given), which may be one of its own, such as "text, json".  Complains if
 * not. */
bool ci_check_format(const char *command, const char *format, const char *own);
/* Checks the options and reads the baseline.  -1: go on; else the exit code, after a complaint. */
int ci_begin(struct ci_run *run, const char *command, const struct ci_options *o, struct arena *a);
/* Whether item k (from 0) belongs to this shard. */
bool ci_in_shard(const struct ci_run *run, int64_t k);
/* Whether --shard was given. */
bool ci_sharded(const struct ci_run *run);
/*
 * Adds an outcome.  A finding (CI_NEW) that the baseline lists becomes CI_KNOWN; any other one is remembered for a new
 * baseline.  `all`: as for baseline_add.
 */
void ci_run_add(struct ci_run *run, struct ci_outcome x, const struct paths *all);
/* Checks the entries of the baseline.  `all` and the paths of this shard are those of baseline_review. */
void ci_check_baseline(struct ci_run *run, const struct paths *all, const char *const *judged, int n_judged);
/* Adds that too little was decided about that engine; the message is that of too_few_text, or says why. */
void ci_add_too_few(struct ci_run *run, const char *engine, const char *message);
/* Prints a line for each known finding and each entry that fails, for commands whose text says nothing about them. */
void ci_print_baseline(const struct ci_run *run);
/*
 * Writes the files that the options name, with that exit code.  With --format it also prints the list; *printed says
 * so.  Returns the exit code, or EXIT_OURS after a complaint about a file that cannot be written.
 */
int ci_end(struct ci_run *run, int code, bool *printed);

#endif

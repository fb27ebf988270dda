/* options.h: what a campaign is asked to do. */
#ifndef FUZZ_CAMPAIGN_BOOKS_OPTIONS_H
#define FUZZ_CAMPAIGN_BOOKS_OPTIONS_H

#include "fuzz/campaign/progress/progress.h"
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
	bool strict;       /* leaks that an engine declares are findings like any other */
	bool no_twins;     /* do not look again where a case is undecided (fuzz/bench/twin.h) */
	bool no_oracle;    /* compare the answers of every case and judge none */
	const char *against; /* spec of the engine to compare with, or NULL */
	/* Whether a baseline lists the finding with that name, whose report has that path; NULL: there is no baseline.
	 */
	bool (*known)(const void *baseline, const char *signature, const char *path);
	const void *baseline; /* of known */
};

#endif

/* run_show.h: the state of `adjudge run`, and what it shows of it. */
#ifndef FUZZ_CLI_RUN_SHOW_H
#define FUZZ_CLI_RUN_SHOW_H

#include "commands.h"
#include "fuzz/bench/account.h"

enum { RUN_GONE_TEXT = 256 };

/* The options of `adjudge run`, and what it has seen so far. */
struct command_run {
	struct texts specs; /* [NAME=]SPEC of the engines given on the command line */
	const char *signature;
	bool json;
	bool cross, cross_strict, no_oracle, twins;
	bool strict;         /* declared leaks are findings */
	const char *against; /* [NAME=]SPEC of the reference, or NULL */
	struct json_writer w;
	struct arena arena;      /* a case */
	struct arena text_arena; /* the JSON output */
	struct texts tested;     /* those given, or the right engines; account[k] is of tested.at[k] */
	struct account account[OPTIONS_TEXTS];
	char gone[BENCH_ENGINES]
	         [RUN_GONE_TEXT]; /* how each engine of the case ended a request badly that did not come again */
	int findings, decided, cases, leads, flaky;
	bool signature_seen;
	bool foreign; /* a report's engine is not built in and was not given */
	int trouble;  /* exit code of an earlier problem, or 0 */
};

/*
 * Shows the judgements of all engines.  Returns an exit code if the machine failed, else 0.  own: the engine of a
 * report, or -1; a finding of it counts however seldom it comes.
 */
int run_show_judgements(struct command_run *r, const struct texts *specs, const struct testcase *c, struct bench *b,
    int own, const struct bench_result *result);
/*
 * Judges the twins of the case and shows those that decide what it leaves open.  Returns an exit code if the machine
 * failed, else 0.
 */
int run_show_twins(struct command_run *r, const struct testcase *c, struct bench *b, const struct bench_result *result);
/* What came of asking each engine, over all cases. */
void run_put_accounts(struct command_run *r, int n);

#endif

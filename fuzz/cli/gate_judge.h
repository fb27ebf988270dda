/* gate_judge.h: judges one case file for the gate, without knowing a baseline.  The result is plain data, so another
 * process can make it. */
#ifndef FUZZ_CLI_GATE_JUDGE_H
#define FUZZ_CLI_GATE_JUDGE_H

#include "fuzz/bench/account.h"
#include "options.h"
#include "reports/ci/outcome.h"

enum { GATE_ENGINES = 256 };

/* Engines and oracles of one process. */
struct gate_judge {
	const struct texts *specs; /* [NAME=]SPEC of the engines that are judged on every case */
	bool strict;               /* an inaccurate right engine fails, and a declared leak */
	bool twins;                /* look again where a case is undecided (look_again.h) */
	struct bench pool;         /* holds the oracles; the engines are below */
	int n_engine;
	struct engine *engine[GATE_ENGINES]; /* the first specs->n are of these specs; then those that cases name */
};

/* What came of asking the engine of specs->at[spec]. */
struct gate_fact {
	int spec;
	struct account_fact fact;
};

/* The result for one file.  Each finding has the state CI_NEW, because nothing is known about a baseline here. */
struct gate_case {
	int code;    /* EXIT_NO_FINDING, or why it could not be judged */
	bool judged; /* the file is a case, and no signal stopped it */
	int decided; /* judgements */
	int n_fact;
	struct gate_fact *fact;
	int n, room;
	struct ci_outcome *at;
};

/* Opens the oracles and the engines of the specs.  False after a complaint; then too, call gate_judge_close. */
bool gate_judge_open(struct gate_judge *g, const struct texts *specs, bool strict, bool twins);
void gate_judge_close(struct gate_judge *g);
/* Judges the case of that path.  Everything lives in the arena.  It also complains about what cannot be read. */
void gate_judge_case(struct gate_judge *g, const char *path, struct arena *a, struct gate_case *out);

#endif

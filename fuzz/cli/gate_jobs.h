/* gate_jobs.h: judges case files in one process or in several, with the same results in the same order. */
#ifndef FUZZ_CLI_GATE_JOBS_H
#define FUZZ_CLI_GATE_JOBS_H

#include "gate_judge.h"

struct gate_jobs {
	const struct texts *specs; /* engines that are judged on every case */
	bool strict, twins;
	const char *const *path; /* [n] */
	int n;
	int jobs;                       /* processes, 1: this one alone */
	struct engine_trouble *trouble; /* [specs->n] out: what happened to the processes of each engine */
	const char **version; /* [specs->n] "" at first; out, in `arena`: what an engine from outside calls itself */
	struct arena *arena;
};

/* Receives the result for path[k]; it lives until the function returns. */
typedef void gate_case_fn(void *self, int k, const struct gate_case *x);

/* Judges every file and calls `each` in the order of the paths.  -1, or an exit code after a complaint that the engines
 * cannot be opened. */
int gate_judge_all(const struct gate_jobs *o, gate_case_fn *each, void *self);

#endif

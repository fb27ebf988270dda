/* explain.h: a report with experiments, for one case and one engine. */
#ifndef FUZZ_CLI_EXPLAIN_H
#define FUZZ_CLI_EXPLAIN_H

#include "fuzz/characterize/characterize.h"
#include "graph/json.h"

struct explain_options {
	const char *spec; /* [NAME=]SPEC of the engine */
	bool script;      /* with a program for the engine alone, if the engine writes one */
	struct characterize_options characterize;
};

/*
 * Asks the engine about the case, makes experiments, and writes the report to *text, in the arena.  before: the report
 * that it replaces, or NULL (reports/report.h).  Returns EXIT_NO_FINDING, or an exit code after a complaint:
 * EXIT_NOTHING if the engine shows no finding.  After a stop signal there is a text with the experiments so far, or
 * NULL.
 */
int explain_case(const struct explain_options *o, const struct testcase *c, const struct json *before, struct arena *a,
    const char **text, size_t *len);

#endif

/*
 * several_cases.h: an engine that takes several cases in one request, for tests of searches that ask cases together.
 *
 * A test's executable is that engine when it is started as `engine`.  Environment variables say what it does:
 * ADJUDGE_TEST_ENGINE is the built-in engine that answers, ADJUDGE_TEST_CASES the number of cases it wants,
 * ADJUDGE_TEST_WAY how it misbehaves ("right": not at all), and ADJUDGE_TEST_LOG where it writes the number of cases of
 * each request.
 */
#ifndef TESTS_SUPPORT_SEVERAL_CASES_H
#define TESTS_SUPPORT_SEVERAL_CASES_H

#include <stdbool.h>

#include "graph/arena.h"

/* The requests in the log. */
struct several_log {
	int requests, cases;
};

/* Becomes the engine, or a worker, if the arguments say so.  *code: what main then returns. */
bool several_serves(int argc, char **argv, int *code);
/* Makes a log for one process, which several_end removes.  False: it cannot. */
bool several_begin(void) MUST_CHECK;
void several_end(void);
/* The spec of the engine of this executable; what it does from the next start on. */
const char *several_spec(const char *engine, const char *cases, const char *way, struct arena *a);
/* Empties the log. */
void several_forget(void);
struct several_log several_read(void);

#endif

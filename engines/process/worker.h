/*
 * worker.h: an engine in a process of its own.  If it crashes, hangs or eats memory, that is its answer and not our
 * end.
 */
#ifndef ENGINES_PROCESS_WORKER_H
#define ENGINES_PROCESS_WORKER_H

#include "graph/answer.h"
#include "engines/engine.h"
#include "engines/interrupt.h"
#include "hello.h"

enum {
	WORKER_TIMEOUT_MS = 5000,  /* time limit of one request of a built-in engine */
	WORKER_FOREIGN_MS = 30000, /* of an engine from outside, unless its hello asks for another limit */
	WORKER_START_MS = 20000,   /* from spawn to the first line; a loaded machine is slow to exec */
	/*
	 * Starts in a row that may fail; then the engine is not tried again.  An engine that never started before is
	 * tried again only where its process was killed, because nothing else passes by itself.
	 */
	WORKER_START_FAILURES = 5
};

/*
 * Makes a supervisor of the built-in engine `spec`.  The process starts with the first case.  It is this executable, or
 * the one that the environment variable ADJUDGE_WORKER names, as `worker --engine SPEC`.
 */
void *worker_open(const char *spec);
/* Makes a supervisor of the shell command `command`, which speaks the protocol of wire.h. */
void *worker_open_command(const char *command);
/* Makes a supervisor of the shared object at `path` (adjudge_engine.h), which a worker process loads. */
void *worker_open_library(const char *path);
/* The engine's hello.  Starts the engine if it does not run.  Valid until worker_close.  NULL with the reason in e. */
const struct hello *worker_hello(void *worker, struct error *e) MUST_CHECK;
/*
 * Answers every point of n cases by one request: out[k][c[k].n_point], in the arena.  A worker that died or was killed
 * is started anew for the next request.  Only a full arena `a` can make this fail; every other failure is an
 * answer_status.
 */
void worker_answer(void *worker, const struct testcase *c, int n, struct arena *a, struct answer *const *out);
/*
 * The two halves of worker_answer, for a caller that works meanwhile.  Only one request may be open, with no other call
 * in between; c and out must stay. worker_receive returns true when the engine answered.  Otherwise out says what
 * happened, the same for every case.
 */
void worker_send(void *worker, const struct testcase *c, int n, struct arena *a);
bool worker_receive(void *worker, const struct testcase *c, int n, struct arena *a, struct answer *const *out);
/*
 * Asks for the source text of n cases: source[n], in the arena.  The adapter must have been started to emit.  False
 * with the reason; the process is then gone.
 */
bool worker_emit(void *worker, const struct testcase *c, int n, bool brief, struct arena *a, const char **source,
    struct error *e) MUST_CHECK;
/* Kills the process and everything that it started.  NULL is fine. */
void worker_close(void *worker);

/* Ends the process: the next request is answered by a fresh one.  False of NULL. */
bool worker_restart(void *worker);
/* The time limit of one request; 0 for NULL. worker_set_timeout sets another one; 0: the usual one. */
int worker_timeout(const void *worker);
void worker_set_timeout(void *worker, int timeout_ms);
/*
 * Ends every wait for the process from now on: for its start, its hello and its answers.  Once the interrupt has come,
 * no process is started and nothing is asked; every answer is ANSWER_INTERRUPTED.
 */
void worker_interrupt(void *worker, struct interrupt until);
/* Limits the resident bytes of the process and its descendants while we wait for it.  Limits of an engine from outside
 * come from quota.h. */
void worker_set_memory(void *worker, int64_t bytes);
/* Processes started so far. */
int worker_starts(const void *worker);
/* The incident of the last request; there is none for NULL. */
struct incident worker_incident(const void *worker);
/* What engine_trouble says; all 0 for NULL. */
struct engine_trouble worker_trouble(const void *worker);

/*
 * The environment variable that tells a process that it is a worker.  Its value is the number of the supervisor's
 * process.
 */
#define WORKER_PARENT_VARIABLE "ADJUDGE_WORKER_PARENT"

#endif

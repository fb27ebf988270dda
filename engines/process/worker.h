/* worker.h: an engine in a process of its own, so that its crash, hang or appetite is an answer and not our end. */
#ifndef ENGINES_PROCESS_WORKER_H
#define ENGINES_PROCESS_WORKER_H

#include "graph/answer.h"
#include "hello.h"

enum {
	WORKER_TIMEOUT_MS = 5000,         /* one request of a built-in engine */
	WORKER_FOREIGN_MS = 30000,        /* of another's, unless its hello asks for more or less */
	WORKER_START_MS = 20000,          /* from spawn to the first line; a loaded machine is slow to exec */
	WORKER_FOREIGN_START_MS = 120000, /* some import half a gigabyte first */
	WORKER_START_FAILURES = 3         /* in a row, of one that started before: it is not tried again */
};

/*
 * A supervisor of the built-in engine `spec`.  The process starts with the first case: this executable (or the one that
 * the environment variable ADJUDGE_WORKER names) as `worker --engine SPEC`.
 */
void *worker_open(const char *spec);
/* A supervisor of what the shell command `command` runs, which speaks the protocol of wire.h. */
void *worker_open_command(const char *command);
/* A supervisor of the shared object at `path` (adjudge_engine.h), which is loaded by a worker process. */
void *worker_open_library(const char *path);
/* What the engine says of itself; starts it if it does not run.  NULL with the reason in e.  Valid until worker_close.
 */
const struct hello *worker_hello(void *worker, struct error *e) MUST_CHECK;
/*
 * Answers every point of n cases by one request: out[k][c[k].n_point], in the arena.  A worker that died or was killed
 * is started anew for the next request.  Nothing but an `a` that is full can fail: everything else is an answer_status.
 */
void worker_answer(void *worker, const struct testcase *c, int n, struct arena *a, struct answer *const *out);
/*
 * The two halves of it, for who has something else to do while the engine works: one request at a time, and nothing
 * else in between.  c and out must stay.  worker_receive is true when the engine answered; else out says what became of
 * it, the same for every case.
 */
void worker_send(void *worker, const struct testcase *c, int n, struct arena *a);
bool worker_receive(void *worker, const struct testcase *c, int n, struct arena *a, struct answer *const *out);
/*
 * The source text of n cases, of an adapter that was started to emit: source[n], in the arena.  False with the reason;
 * the process is then gone.
 */
bool worker_emit(
    void *worker, const struct testcase *c, int n, struct arena *a, const char **source, struct error *e) MUST_CHECK;
/* Kills the process and all that it started.  NULL is fine. */
void worker_close(void *worker);

/* Ends the process: the next request is answered by a fresh one.  False of NULL. */
bool worker_restart(void *worker);
/* The time limit of one request, 0 of NULL; and another, 0: as usual. */
int worker_timeout(const void *worker);
void worker_set_timeout(void *worker, int timeout_ms);
/* The most bytes that the process and its descendants may hold resident while it is waited for. */
void worker_set_memory(void *worker, int64_t bytes);
/* Processes started so far. */
int worker_starts(const void *worker);

/* Of the supervisor's process, in the environment of the worker: says that it is one, and whose. */
#define WORKER_PARENT_VARIABLE "ADJUDGE_WORKER_PARENT"

#endif

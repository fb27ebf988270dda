/*
 * worker.c: the supervisor's side of an engine in another process.
 *
 * The worker is tied to us: `worker --exec` runs a foreign command, and first asks for a signal when we end.  Each
 * engine has one process, which is exec'ed and kept.  A round trip then costs microseconds.  A fork for each case would
 * cost 0.1 to 8 ms and hand our signal handlers and memory to the engine.
 */
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/heap.h"
#include "process.h"
#include "wire.h"

/* HELLO_ARENA: memory for reading hellos, of HELLO_BYTES each. */
enum { HELLO_ARENA = 64 << 20 };

/* Resident bytes.  Frameworks reserve much more memory than they use, so address space is no measure. */
static const int64_t foreign_memory = (int64_t)6 << 30;

struct worker {
	char *spec;         /* the spec of a built-in engine, or the command or path of another one */
	const char *option; /* the option of `worker` that stands before it */
	bool foreign;
	int timeout_ms;             /* 0: as the hello says */
	long id;                    /* requests sent */
	int crashes, hangs, broken; /* requests that ended so */
	int failures;               /* to start, in a row */
	struct error why;           /* the last of these failures */
	struct error trouble;       /* why the last request was not sent; no text: it was */
	struct process process;
	bool greeted; /* a process has sent a hello; all later ones must send the same */
	struct hello hello;
	struct arena said; /* holds the hello's strings */
};

/* ---- starting ---- */

/* Sets the error: what is wrong, and the last lines of the process's standard error. */
static bool start_failed(const struct worker *w, const char *what, const char *how, struct arena *a, struct error *e)
{
	const char *complaint = process_complaint(&w->process, a);

	return error_set(e, NULL, "%s%s%s%s", what, how, *complaint ? ": " : "", complaint);
}

static bool spawn(struct worker *w, struct error *e)
{
	const char *executable = getenv("ADJUDGE_WORKER");
	char adjudge[] = "adjudge", verb[] = "worker", option[16], parent[32];
	char *const argv[] = {adjudge, verb, option, w->spec, NULL};
	char **environment;
	bool ok;

	/*
	 * The variable lets the worker notice that its parent is already gone.  An executable that does not know
	 * `worker`, and opens engines instead, cannot start workers of workers without end.
	 */
	snprintf(parent, sizeof(parent), "%ld", (long)getpid());
	snprintf(option, sizeof(option), "%s", w->option);
	environment = process_environment(WORKER_PARENT_VARIABLE, parent);
	if (!environment)
		return error_set(e, NULL, "no memory for a worker");
	ok = process_start(
	    &w->process, executable && *executable ? executable : "/proc/self/exe", argv, environment, w->foreign, e);
	free(environment);
	return ok;
}

/*
 * Keeps the first hello; a later one must be the same.  Everything that the engine was asked so far followed from the
 * first.
 */
static bool take_hello(struct worker *w, size_t line, struct arena *a, struct error *e)
{
	struct hello hello;
	size_t len;

	if (!hello_read(w->process.buffer, line, w->greeted ? a : &w->said, &hello, e))
		return false;
	if (!w->foreign && strcmp(hello.name, w->spec) != 0)
		return error_set(e, NULL, "the worker runs another engine");
	if (w->greeted && strcmp(hello_write(&hello, a, &len), hello_write(&w->hello, a, &len)) != 0)
		return error_set(e, NULL, "the engine's hello differs from its first one");
	if (!w->greeted)
		w->hello = hello;
	w->greeted = true;
	return true;
}

/* Spawns a process and reads its hello.  False with the reason. */
static bool worker_start(struct worker *w, struct arena *a, struct error *e)
{
	enum exchange how;
	size_t len;
	int status;

	if (getenv(WORKER_PARENT_VARIABLE))
		return error_set(e, NULL, "a worker does not start workers");
	if (!spawn(w, e))
		return false;
	how = process_exchange(&w->process, "", 0, w->foreign ? WORKER_FOREIGN_START_MS : WORKER_START_MS);
	if (how == EXCHANGE_LINE && process_line(&w->process, &len) && take_hello(w, len, a, e))
		return true;
	if (process_reap(&w->process, how == EXCHANGE_END ? PROCESS_DYING_MS : 0, &status))
		return start_failed(w, "the engine ended as it started: ", process_death(status, a), a, e);
	if (how == EXCHANGE_LINE)
		return start_failed(
		    w, "the engine did not start: it sent no hello", "", a, e); /* after the reason, if there is one */
	return start_failed(w, "the engine did not start: ", exchange_text[how], a, e);
}

/*
 * A worker that died since its last answer is started anew: its death is not the fault of the next case.  An engine
 * that started before gets some tries, so a single bad start does not end a campaign.
 */
static bool worker_ready(struct worker *w, struct arena *a, struct error *e)
{
	int status;

	if (w->process.pid && !process_quiet(&w->process))
		process_reap(&w->process, 0, &status);
	if (w->process.pid)
		return true;
	while (w->failures < WORKER_START_FAILURES) {
		w->why = (struct error){.text = ""};
		if (worker_start(w, a, &w->why)) {
			w->failures = 0;
			return true;
		}
		w->failures++;
		if (!w->greeted)
			return error_set(e, w->why.place, "%s", w->why.text);
	}
	return error_set(e, NULL, "the worker did not start %d times in a row: %s", w->failures, w->why.text);
}

/* ---- the interface ---- */

static void *open_any(const char *spec, const char *option, bool foreign)
{
	struct worker *w = heap_new(1, sizeof(*w));

	w->spec = heap_text(spec);
	process_new(&w->process);
	arena_init(&w->said, HELLO_ARENA);
	w->option = option;
	w->foreign = foreign;
	w->process.memory = foreign ? foreign_memory : 0;
	w->process.kept = foreign;
	return w;
}

void *worker_open(const char *spec) { return open_any(spec, "--engine", false); }

void *worker_open_command(const char *command) { return open_any(command, "--exec", true); }

void *worker_open_library(const char *path) { return open_any(path, "--library", true); }

void worker_close(void *worker)
{
	struct worker *w = worker;

	if (!w)
		return;
	process_free(&w->process);
	arena_free(&w->said);
	free(w->spec);
	free(w);
}

const struct hello *worker_hello(void *worker, struct error *e)
{
	struct worker *w = worker;
	struct arena a;
	bool ok;

	arena_init(&a, HELLO_ARENA);
	ok = worker_ready(w, &a, e);
	arena_free(&a);
	return ok ? &w->hello : NULL;
}

bool worker_restart(void *worker)
{
	struct worker *w = worker;
	int status;

	if (w)
		process_reap(&w->process, 0, &status);
	return w != NULL;
}

void worker_set_timeout(void *worker, int timeout_ms)
{
	struct worker *w = worker;

	if (w)
		w->timeout_ms = timeout_ms;
}

void worker_set_memory(void *worker, int64_t bytes)
{
	struct worker *w = worker;

	w->process.memory = bytes;
}

int worker_starts(const void *worker)
{
	const struct worker *w = worker;

	return w->process.starts;
}

struct engine_trouble worker_trouble(const void *worker)
{
	const struct worker *w = worker;

	return w ? (struct engine_trouble){w->process.starts, w->crashes, w->hangs, w->broken}
	         : (struct engine_trouble){0};
}

int worker_timeout(const void *worker)
{
	const struct worker *w = worker;

	if (!w)
		return 0;
	if (w->timeout_ms)
		return w->timeout_ms;
	if (w->hello.timeout_ms)
		return w->hello.timeout_ms;
	return w->foreign ? WORKER_FOREIGN_MS : WORKER_TIMEOUT_MS;
}

static void answer_all(struct worker *w, const struct testcase *c, int n, struct answer *const *out,
    enum answer_status status, const char *text)
{
	w->crashes += status == ANSWER_CRASH;
	w->hangs += status == ANSWER_HANG;
	w->broken += status == ANSWER_PROTOCOL;
	for (int k = 0; k < n; k++)
		for (int i = 0; i < c[k].n_point; i++)
			out[k][i] = (struct answer){.status = status, .text = text};
}

/* Gives "SIGSEGV: last lines of its standard error". */
static char *with_complaint(const struct worker *w, const char *what, struct arena *a)
{
	const char *complaint = process_complaint(&w->process, a);

	return arena_printf(a, "%s%s%s", what, *complaint ? ": " : "", complaint);
}

void worker_send(void *worker, const struct testcase *c, int n, struct arena *a)
{
	struct worker *w = worker;
	size_t len;
	char *text;

	w->trouble = (struct error){.text = ""};
	if (!worker_ready(w, a, &w->trouble))
		return;
	text = wire_write_request(++w->id, c, n, w->hello.reals, a, &len);
	text[len] = '\n'; /* in place of the NUL */
	process_send(&w->process, text, len + 1, worker_timeout(w));
}

/* Ends a process that did not answer, and gives that answer to every case. */
static void bury(
    struct worker *w, enum exchange how, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	int status;

	if (how == EXCHANGE_LATE) {
		/* a child left behind may hold the socket open: the process died all the same */
		if (process_reap(&w->process, 0, &status))
			answer_all(w, c, n, out, ANSWER_CRASH, with_complaint(w, process_death(status, a), a));
		else
			answer_all(w, c, n, out, ANSWER_HANG,
			    with_complaint(w, arena_printf(a, "no answer within %d ms", worker_timeout(w)), a));
		return;
	}
	if (process_reap(&w->process, how == EXCHANGE_END ? PROCESS_DYING_MS : 0, &status)) {
		answer_all(w, c, n, out, ANSWER_CRASH, with_complaint(w, process_death(status, a), a));
		return;
	}
	answer_all(w, c, n, out,
	    how == EXCHANGE_FAILED       ? ANSWER_FAILURE
	        : how == EXCHANGE_MEMORY ? ANSWER_CRASH
	                                 : ANSWER_PROTOCOL,
	    with_complaint(w, exchange_text[how], a));
}

bool worker_receive(void *worker, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	struct worker *w = worker;
	struct error e = {.text = ""};
	enum exchange how;
	size_t len;
	int status;

	if (*w->trouble.text) {
		answer_all(w, c, n, out, ANSWER_FAILURE, arena_printf(a, "%s", w->trouble.text));
		return false;
	}
	how = process_receive(&w->process, worker_timeout(w));
	if (how != EXCHANGE_LINE) {
		bury(w, how, c, n, a, out);
		return false;
	}
	if (process_line(&w->process, &len) && wire_read_answers(w->process.buffer, len, w->id, c, out, n, a, &e))
		return true;
	error_set(&e, NULL, "more than one line"); /* the first error stays */
	process_reap(&w->process, 0, &status);
	answer_all(w, c, n, out, ANSWER_PROTOCOL,
	    with_complaint(w, arena_printf(a, "%s%s%s", e.place, *e.place ? ": " : "", e.text), a));
	return false;
}

void worker_answer(void *worker, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	worker_send(worker, c, n, a);
	worker_receive(worker, c, n, a, out);
}

bool worker_emit(void *worker, const struct testcase *c, int n, struct arena *a, const char **source, struct error *e)
{
	struct worker *w = worker;
	enum exchange how;
	size_t len;
	char *text;
	int status;

	if (!worker_ready(w, a, e))
		return false;
	text = wire_write_emission(++w->id, c, n, w->hello.reals, a, &len);
	text[len] = '\n'; /* in place of the NUL */
	how = process_exchange(&w->process, text, len + 1, worker_timeout(w));
	if (how == EXCHANGE_LINE && process_line(&w->process, &len) &&
	    wire_read_sources(w->process.buffer, len, w->id, n, a, source, e))
		return true;
	if (process_reap(&w->process, how == EXCHANGE_END ? PROCESS_DYING_MS : 0, &status))
		return error_set(e, NULL, "%s", with_complaint(w, process_death(status, a), a));
	return error_set(e, NULL, "%s", how == EXCHANGE_LINE ? "more than one line" : exchange_text[how]);
}

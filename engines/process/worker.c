/*
 * worker.c: the supervisor's side of an engine in another process.
 *
 * The worker is tied to us: `worker --exec` runs a foreign command, and first asks for a signal when we end.  Each
 * engine has one process, which is exec'ed and kept.  A round trip then costs microseconds.  A fork for each case would
 * cost 0.1 to 8 ms and hand our signal handlers and memory to the engine.
 */
#include "worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cage.h"
#include "graph/heap.h"
#include "quota.h"
#include "process.h"
#include "wire.h"

/* HELLO_ARENA: memory for reading hellos, of HELLO_BYTES each.  START_PAUSE_MS: before the second start; each further
 * pause is twice as long. */
enum { HELLO_ARENA = 64 << 20, START_PAUSE_MS = 50, STEP_MS = 10 };

struct worker {
	char *spec;         /* the spec of a built-in engine, or the command or path of another one */
	const char *option; /* the option of `worker` that stands before it */
	bool foreign;
	int timeout_ms;                   /* 0: as the hello says */
	long id;                          /* requests sent */
	int crashes, hangs, broken, ooms; /* requests that ended so */
	int killed;               /* crashes by a signal that came from outside, or that the engine sent to itself */
	struct incident incident; /* of the last request */
	int failures;             /* to start, in a row */
	struct error why;         /* the last of these failures */
	struct error trouble;     /* why the last request was not sent; no text: it was */
	struct process process;
	struct quota quota;
	struct cage cage; /* around an engine from outside */
	bool greeted;     /* a process has sent a hello; all later ones must send the same */
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
	char **environment, cage[CAGE_TEXT];
	bool ok;

	/*
	 * The variable lets the worker notice that its parent is already gone.  An executable that does not know
	 * `worker`, and opens engines instead, cannot start workers of workers without end.
	 */
	snprintf(parent, sizeof(parent), "%ld", (long)getpid());
	snprintf(option, sizeof(option), "%s", w->option);
	cage_text(&w->cage, cage);
	w->process.cage_killed = cage_killed(&w->cage);
	environment = process_environment(
	    (const struct process_variable[]){{WORKER_PARENT_VARIABLE, parent}, {CAGE_VARIABLE, cage}}, 2);
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

/* Milliseconds that the hello may take. */
static int hello_limit(const struct worker *w) { return w->foreign ? (int)w->quota.start_ms : WORKER_START_MS; }

/* Waits for the hello.  A person who waits with us learns after a while what we are waiting for. */
static enum exchange await_hello(struct worker *w)
{
	const int whole = hello_limit(w), first = whole < QUOTA_NOTICE_MS ? whole : QUOTA_NOTICE_MS;
	enum exchange how = process_exchange(&w->process, "", 0, first);
	char spec[256];

	if (how != EXCHANGE_LATE || whole == first)
		return how;
	snprintf(spec, sizeof spec, "%s", w->spec);
	fprintf(stderr, "adjudge: no hello after %d s, waiting up to %d s (--start-limit): %s\n", first / 1000,
	    whole / 1000, text_disarm(spec, false));
	process_send(&w->process, "", 0, 0);
	return process_receive(&w->process, whole - first);
}

/* Whether a signal ended it that a person, a script or the system sends.  The engine may also have sent it to itself.
 */
static bool is_sent(int status)
{
	static const int sent[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};

	for (size_t k = 0; k < sizeof sent / sizeof *sent; k++)
		if (WIFSIGNALED(status) && WTERMSIG(status) == sent[k])
			return true;
	return false;
}

/* Quotes the first line that has arrived.  Only the next exchange may read the buffer again. */
static void quote_line(struct worker *w, char shown[JSON_SHOWN])
{
	char *newline = memchr(w->process.buffer, '\n', w->process.used);

	*newline = '\0';
	json_quote(w->process.buffer, shown);
}

/* Sets the error: the first line, with what is wrong about it. */
static bool no_hello(struct worker *w, const struct error *bad, struct error *e)
{
	char shown[JSON_SHOWN];

	quote_line(w, shown);
	if (!*bad->place && *bad->text) /* the engine itself says why it does not start */
		return error_set(e, NULL, "%s", bad->text);
	return error_set(e, NULL, "%s%s%s%s; the first line of the engine was %s",
	    *bad->place ? "its hello cannot be read: " : "", bad->place, *bad->place ? ": " : "",
	    *bad->text ? bad->text : "the engine did not start: more than a hello came", shown);
}

/* Spawns a process and reads its hello.  False with the reason.  *killed: somebody may have killed the process, or the
 * machine could not start it, so that another start may succeed. */
static bool worker_start(struct worker *w, struct arena *a, bool *killed, struct error *e)
{
	struct error bad = {.text = ""};
	enum exchange how;
	size_t len;
	int status;

	*killed = false;
	if (getenv(WORKER_PARENT_VARIABLE))
		return error_set(e, NULL, "a worker does not start workers");
	if (!spawn(w, e)) {
		*killed = true;
		return false;
	}
	how = await_hello(w);
	if (how == EXCHANGE_LINE && process_line(&w->process, &len) && take_hello(w, len, a, &bad))
		return true;
	if (process_reap(&w->process, how == EXCHANGE_END ? PROCESS_DYING_MS : 0, &status)) {
		*killed = is_sent(status);
		if (*bad.text) /* it may have said why it ends */
			return error_set(e, bad.place, "%s", bad.text);
		return start_failed(w, "the engine ended as it started: ", process_death(status, a), a, e);
	}
	if (how == EXCHANGE_LINE)
		return no_hello(w, &bad, e);
	if (how == EXCHANGE_LATE)
		return start_failed(w,
		    arena_printf(a, "the engine did not start: no hello within %.4g s", 1e-3 * hello_limit(w)),
		    w->foreign ? " (--start-limit)" : "", a, e);
	return start_failed(w, "the engine did not start: ", exchange_text[how], a, e);
}

/* Waits before the next start.  False if the interrupt comes first. */
static bool pause_before_start(const struct worker *w)
{
	const struct timespec step = {0, STEP_MS * 1000000};

	for (int ms = 0; w->failures && ms < START_PAUSE_MS << (w->failures - 1); ms += STEP_MS) {
		if (process_interrupted(&w->process))
			return false;
		nanosleep(&step, NULL);
	}
	return true;
}

/*
 * A worker that died since its last answer is started anew: its death is not the fault of the next case.  Some starts
 * may fail, so a process that is killed as it starts does not end a campaign.
 */
static bool worker_ready(struct worker *w, struct arena *a, struct error *e)
{
	bool killed;
	int status;

	if (process_interrupted(&w->process))
		return error_set(e, NULL, "%s", exchange_text[EXCHANGE_STOPPED]);
	if (w->process.pid && !process_quiet(&w->process))
		process_reap(&w->process, 0, &status);
	if (w->process.pid)
		return true;
	while (w->failures < WORKER_START_FAILURES && pause_before_start(w)) {
		w->why = (struct error){.text = ""};
		if (worker_start(w, a, &killed, &w->why)) {
			w->failures = 0;
			return true;
		}
		if (process_interrupted(&w->process)) /* that is not the engine's fault */
			return error_set(e, w->why.place, "%s", w->why.text);
		w->failures++;
		if (!w->greeted && !killed)
			return error_set(e, w->why.place, "%s", w->why.text);
	}
	if (process_interrupted(&w->process))
		return error_set(e, NULL, "%s", exchange_text[EXCHANGE_STOPPED]);
	return error_set(e, NULL, "the engine did not start %d times in a row: %s", w->failures, w->why.text);
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
	w->process.kept = foreign;
	w->quota = quota_now();
	if (foreign) {
		w->process.memory = w->quota.memory;
		w->process.crowd = w->quota.processes;
		w->process.cage = &w->cage;
		cage_make(&w->cage, w->quota.memory, w->quota.processes);
	}
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
	cage_remove(&w->cage);
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

void worker_interrupt(void *worker, struct interrupt until)
{
	struct worker *w = worker;

	if (w)
		w->process.until = until;
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

struct incident worker_incident(const void *worker)
{
	const struct worker *w = worker;

	return w ? w->incident : (struct incident){.status = ANSWER_OK};
}

struct engine_trouble worker_trouble(const void *worker)
{
	const struct worker *w = worker;

	if (!w)
		return (struct engine_trouble){0};
	/* A process that ended counts at once, so the sum does not depend on whether another request follows. */
	return (struct engine_trouble){
	    w->process.starts - (w->process.pid != 0), w->crashes, w->hangs, w->broken, w->ooms, w->killed};
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
	w->ooms += status == ANSWER_OOM;
	w->broken += status == ANSWER_PROTOCOL;
	if (status != ANSWER_FAILURE && status != ANSWER_INTERRUPTED) {
		w->incident.status = status;
		w->incident.text = text;
	}
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
	w->incident = (struct incident){.status = ANSWER_OK, .n_case = n};
	if (!worker_ready(w, a, &w->trouble))
		return;
	text = wire_write_request(++w->id, c, n, w->hello.reals, a, &len);
	w->incident.request = text;
	w->incident.len = len;
	text[len] = '\n'; /* in place of the NUL */
	process_send(&w->process, text, len + 1, worker_timeout(w));
}

static const char *memory_text(const struct worker *w, struct arena *a)
{
	return arena_printf(
	    a, "%s: more than %.4g MiB", exchange_text[EXCHANGE_MEMORY], (double)w->process.memory / (1 << 20));
}

/* The answer of an engine that died by itself, with that wait status. */
static void answer_death(
    struct worker *w, int status, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	const bool sent = is_sent(status);
	const char *text = process_death(status, a);

	if (cage_killed(&w->cage) > w->process.cage_killed) {
		answer_all(w, c, n, out, ANSWER_OOM, with_complaint(w, memory_text(w, a), a));
		return;
	}
	w->killed += sent;
	w->incident.killed = sent;
	if (sent)
		text = arena_printf(a, "%s, killed from outside or by itself, unknown", text);
	answer_all(w, c, n, out, ANSWER_CRASH, with_complaint(w, text, a));
}

/* Ends a process that did not answer, and gives that answer to every case. */
static void bury(
    struct worker *w, enum exchange how, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	int status;

	if (how == EXCHANGE_LATE) {
		/* a child left behind may hold the socket open: the process died all the same */
		if (process_reap(&w->process, 0, &status))
			answer_death(w, status, c, n, a, out);
		else
			answer_all(w, c, n, out, ANSWER_HANG,
			    with_complaint(w, arena_printf(a, "no answer within %d ms", worker_timeout(w)), a));
		return;
	}
	if (process_reap(&w->process, how == EXCHANGE_END ? PROCESS_DYING_MS : 0, &status)) {
		answer_death(w, status, c, n, a, out);
		return;
	}
	if (how == EXCHANGE_MEMORY) {
		answer_all(w, c, n, out, ANSWER_OOM, with_complaint(w, memory_text(w, a), a));
		return;
	}
	answer_all(w, c, n, out,
	    how == EXCHANGE_FAILED        ? ANSWER_FAILURE
	        : how == EXCHANGE_STOPPED ? ANSWER_INTERRUPTED
	        : how == EXCHANGE_CROWD   ? ANSWER_CRASH
	                                  : ANSWER_PROTOCOL,
	    with_complaint(w, exchange_text[how], a));
}

bool worker_receive(void *worker, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	struct worker *w = worker;
	struct error e = {.text = ""};
	char shown[JSON_SHOWN];
	enum exchange how;
	size_t len;
	int status;

	if (*w->trouble.text) {
		answer_all(w, c, n, out, process_interrupted(&w->process) ? ANSWER_INTERRUPTED : ANSWER_FAILURE,
		    arena_printf(a, "%s", w->trouble.text));
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
	quote_line(w, shown);
	process_reap(&w->process, 0, &status);
	answer_all(w, c, n, out, ANSWER_PROTOCOL,
	    with_complaint(
	        w, arena_printf(a, "%s%s%s; the engine wrote %s", e.place, *e.place ? ": " : "", e.text, shown), a));
	return false;
}

void worker_answer(void *worker, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	worker_send(worker, c, n, a);
	worker_receive(worker, c, n, a, out);
}

bool worker_emit(
    void *worker, const struct testcase *c, int n, bool brief, struct arena *a, const char **source, struct error *e)
{
	struct worker *w = worker;
	enum exchange how;
	size_t len;
	char *text;
	int status;

	if (!worker_ready(w, a, e))
		return false;
	text = wire_write_emission(++w->id, c, n, brief, w->hello.reals, a, &len);
	text[len] = '\n'; /* in place of the NUL */
	how = process_exchange(&w->process, text, len + 1, worker_timeout(w));
	if (how == EXCHANGE_LINE && process_line(&w->process, &len) &&
	    wire_read_sources(w->process.buffer, len, w->id, n, a, source, e))
		return true;
	if (process_reap(&w->process, how == EXCHANGE_END ? PROCESS_DYING_MS : 0, &status))
		return error_set(e, NULL, "%s", with_complaint(w, process_death(status, a), a));
	return error_set(e, NULL, "%s", how == EXCHANGE_LINE ? "more than one line" : exchange_text[how]);
}

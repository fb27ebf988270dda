/*
 * worker.c: the supervisor's side of an engine in another process.
 *
 * The worker is tied to us: `worker --exec` runs a foreign command, and first asks for a signal when we end.  Each
 * engine has one process, which is exec'ed and kept.  A round trip then costs microseconds.  A fork for each case would
 * cost 0.1 to 8 ms and hand our signal handlers and memory to the engine.
 */
#include "worker.h"

#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "wire.h"
#include "worker_start.h"

/* Memory for reading hellos, of HELLO_BYTES each. */
enum { HELLO_ARENA = 64 << 20 };

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
	return arena_printf(a, "%s: more than %.4g MiB%s", exchange_text[EXCHANGE_MEMORY],
	    (double)w->process.memory / (1 << 20), w->foreign ? " (--memory-limit)" : "");
}

/* What happened instead of an answer. */
static const char *exchange_says(const struct worker *w, enum exchange how, struct arena *a)
{
	if (how != EXCHANGE_CROWD || !w->foreign)
		return exchange_text[how];
	return arena_printf(
	    a, "%s: more than %lld (--process-limit)", exchange_text[how], (long long)w->quota.processes);
}

/* The answer of an engine that died by itself, with that wait status. */
static void answer_death(
    struct worker *w, int status, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	const bool sent = worker_signal_is_sent(status);
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
	    with_complaint(w, exchange_says(w, how, a), a));
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
	worker_quote_line(w, shown);
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

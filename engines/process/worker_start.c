/* worker_start.c: starts the process of a worker, reads its hello, and starts it anew if it died. */
#include "worker_start.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* START_PAUSE_MS: before the second start; each further pause is twice as long. */
enum { START_PAUSE_MS = 50, STEP_MS = 10 };

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

bool worker_signal_is_sent(int status)
{
	static const int sent[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};

	for (size_t k = 0; k < sizeof sent / sizeof *sent; k++)
		if (WIFSIGNALED(status) && WTERMSIG(status) == sent[k])
			return true;
	return false;
}

void worker_quote_line(struct worker *w, char shown[JSON_SHOWN])
{
	char *newline = memchr(w->process.buffer, '\n', w->process.used);

	*newline = '\0';
	json_quote(w->process.buffer, shown);
}

#define UNREADABLE "its hello cannot be read: "

/* Sets the error: the first line, with what is wrong about it. */
static bool no_hello(struct worker *w, const struct error *bad, struct error *e)
{
	char shown[JSON_SHOWN];

	worker_quote_line(w, shown);
	if (!*bad->place && *bad->text) /* the engine itself says why it does not start */
		return error_set(e, NULL, "%s", bad->text);
	return error_set(e, NULL, "%s%s%s%s; the first line of the engine was %s", *bad->place ? UNREADABLE : "",
	    bad->place, *bad->place ? ": " : "",
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
		*killed = worker_signal_is_sent(status);
		if (*bad.text) /* it may have said why it ends */
			return error_set(e, NULL, "%s%s%s%s", *bad.place ? UNREADABLE : "", bad.place,
			    *bad.place ? ": " : "", bad.text);
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

bool worker_ready(struct worker *w, struct arena *a, struct error *e)
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

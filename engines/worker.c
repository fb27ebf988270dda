/*
 * worker.c: the supervisor's side of an isolated engine.
 *
 * One process per engine, exec'ed and kept: a round trip costs microseconds, a fork for each case would cost 0.1 to 8 ms and hand our
 * signal handlers and memory to the engine.  A socket pair is its standard input and output: unlike a pipe it can be written with
 * MSG_NOSIGNAL, so the death of a worker raises no SIGPIPE here and the caller's signal state is never touched.
 */
#include "worker.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { READ_CHUNK = 1 << 16, DYING_MS = 1000 };

struct worker {
	char *spec;
	int timeout_ms;
	pid_t pid; /* 0: not running */
	int fd;    /* our end of the socket pair; -1: not running */
	long id;   /* cases sent to this process */
	int starts, failures;
	char *buffer; /* [room]: the line being read */
	size_t used, room;
};

/* How an exchange ended. */
enum exchange { EXCHANGE_LINE, EXCHANGE_END, EXCHANGE_LATE, EXCHANGE_LONG, EXCHANGE_EARLY, EXCHANGE_FAILED };

static const char *const exchange_text[] = {
	[EXCHANGE_LINE] = "",
	[EXCHANGE_END] = "closed its output",
	[EXCHANGE_LATE] = "no answer in time",
	[EXCHANGE_LONG] = "the answer is too long",
	[EXCHANGE_EARLY] = "answered before it had read the case",
	[EXCHANGE_FAILED] = "cannot exchange data with the worker",
};

static int64_t milliseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void sleep_microseconds(long us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, NULL);
}

/* ---- the life of a process ---- */

/* What killed a process, for people; the same on every host, unlike strsignal. */
static char *death_text(int status, struct arena *a)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGBUS, "SIGBUS"},
		{SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}, {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
		{SIGXFSZ, "SIGXFSZ"}, {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGINT, "SIGINT"}, {SIGHUP, "SIGHUP"},
	};

	if (WIFEXITED(status))
		return arena_printf(a, "exit code %d", WEXITSTATUS(status));
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (WTERMSIG(status) == names[k].number)
			return arena_printf(a, "%s", names[k].name);
	return arena_printf(a, "signal %d", WTERMSIG(status));
}

/*
 * Ends the process with its group and reaps it.  patience_ms: how long it may take to die by itself.  True with the
 * wait status when it did; false when it had to be killed.
 */
static bool worker_reap(struct worker *w, int patience_ms, int *status)
{
	int64_t deadline = milliseconds_now() + patience_ms;
	bool by_itself = false;
	siginfo_t info;
	long pause_us = 50;

	*status = 0;
	if (!w->pid)
		return false;
	/* WNOWAIT: as a zombie it holds its number, so that the group can still be killed without hitting another's */
	for (;;) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
			break;
		if (info.si_pid == w->pid) {
			by_itself = true;
			break;
		}
		if (milliseconds_now() >= deadline)
			break;
		sleep_microseconds(pause_us);
		pause_us = pause_us < 5000 ? 2 * pause_us : 5000;
	}
	kill(-w->pid, SIGKILL);
	kill(w->pid, SIGKILL);
	while (waitpid(w->pid, status, 0) < 0)
		if (errno != EINTR) {
			by_itself = false; /* somebody else reaped it: how it died is lost */
			break;
		}
	close(w->fd);
	w->fd = -1;
	w->pid = 0;
	return by_itself;
}

/*
 * The environment plus WORKER_PARENT_VARIABLE.  It lets the worker notice that its parent is already gone, and an executable that
 * does not know `worker` and opens engines instead cannot start workers of workers without end.
 */
static char **worker_environment(void)
{
	char text[64];
	size_t n = 0, len;
	char **list, *own;

	snprintf(text, sizeof(text), "%s=%ld", WORKER_PARENT_VARIABLE, (long)getpid());
	len = strlen(text) + 1;
	while (environ[n])
		n++;
	list = malloc((n + 2) * sizeof(*list) + len);
	if (!list)
		return NULL;
	own = (char *)(list + n + 2);
	memcpy(own, text, len);
	memcpy(list, environ, n * sizeof(*list));
	list[n] = own;
	list[n + 1] = NULL;
	return list;
}

/* Spawns with `fd` as standard input and output; an error number. */
static int spawn_on(struct worker *w, int fd)
{
	const char *executable = getenv("ADJUDGE_WORKER");
	char name[] = "adjudge", verb[] = "worker", flag[] = "--engine";
	char *const argv[] = {name, verb, flag, w->spec, NULL};
	char **environment = worker_environment();
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int code;

	if (!environment)
		return ENOMEM;
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	sigfillset(&all);
	code = posix_spawn_file_actions_adddup2(&actions, fd, 0);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, fd, 1);
	if (!code)
		code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!code)
		code = posix_spawn(&w->pid, executable && *executable ? executable : "/proc/self/exe", &actions, &attributes,
		    argv, environment);
	if (code)
		w->pid = 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(environment);
	return code;
}

/* ---- exchanging lines ---- */

static bool make_room(struct worker *w)
{
	size_t room = w->room ? 2 * w->room : READ_CHUNK;
	char *buffer;

	if (w->used < w->room)
		return true;
	buffer = realloc(w->buffer, room);
	if (!buffer)
		return false;
	w->buffer = buffer;
	w->room = room;
	return true;
}

/* Reads what there is.  True when the exchange is over, with *how. */
static bool receive_some(struct worker *w, enum exchange *how)
{
	ssize_t n;

	*how = EXCHANGE_FAILED;
	if (!make_room(w))
		return true;
	n = recv(w->fd, w->buffer + w->used, w->room - w->used, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return false;
	if (n <= 0) {
		/* a reset is a death with unread data in the socket */
		*how = n == 0 || errno == ECONNRESET ? EXCHANGE_END : EXCHANGE_FAILED;
		return true;
	}
	if (memchr(w->buffer + w->used, '\n', (size_t)n))
		*how = EXCHANGE_LINE;
	w->used += (size_t)n;
	if (*how != EXCHANGE_LINE && w->used > WORKER_REPLY_BYTES)
		*how = EXCHANGE_LONG;
	return *how != EXCHANGE_FAILED;
}

/*
 * Sends text[len] and reads until a newline has come: buffer[used] then holds it.  Both directions at once, so that a worker which
 * answers before it has read everything cannot block us, nor we it.
 */
static enum exchange worker_exchange(struct worker *w, const char *text, size_t len, int timeout_ms)
{
	int64_t deadline = milliseconds_now() + timeout_ms;
	enum exchange how = EXCHANGE_FAILED;
	size_t sent = 0;

	w->used = 0;
	for (;;) {
		struct pollfd p = {w->fd, (short)(POLLIN | (sent < len ? POLLOUT : 0)), 0};
		int64_t left = deadline - milliseconds_now();
		int n = left > 0 ? poll(&p, 1, (int)left) : 0;

		if (n < 0 && errno != EINTR)
			return EXCHANGE_FAILED;
		if (n == 0 && left <= 0)
			return EXCHANGE_LATE;
		if (n <= 0)
			continue;
		if (sent < len && p.revents & POLLOUT) {
			ssize_t put = send(w->fd, text + sent, len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

			if (put > 0)
				sent += (size_t)put;
			else if (put < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
				sent = len; /* it is gone: reading will say how far it came */
		}
		if (p.revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL) && receive_some(w, &how))
			return how == EXCHANGE_LINE && sent < len ? EXCHANGE_EARLY : how;
	}
}

/* The line without its newline, when nothing follows it. */
static bool whole_line(const struct worker *w, size_t *len)
{
	const char *newline = memchr(w->buffer, '\n', w->used);

	*len = newline ? (size_t)(newline - w->buffer) : 0;
	return newline && *len + 1 == w->used;
}

/* ---- starting ---- */

/* Spawns a process and reads its hello.  False with the reason. */
static bool worker_start(struct worker *w, struct arena *a, struct error *e)
{
	enum exchange how;
	int pair[2], code, status;
	size_t len;
	bool ok;

	if (getenv(WORKER_PARENT_VARIABLE))
		return error_set(e, NULL, "a worker does not start workers");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return error_set(e, NULL, "cannot start a worker: %s", strerror(errno));
	code = spawn_on(w, pair[1]);
	close(pair[1]);
	if (code) {
		close(pair[0]);
		return error_set(e, NULL, "cannot start a worker: %s", strerror(code));
	}
	w->fd = pair[0];
	w->id = 0;
	w->starts++;
	how = worker_exchange(w, "", 0, WORKER_START_MS);
	ok = how == EXCHANGE_LINE && whole_line(w, &len) && wire_read_hello(w->buffer, len, w->spec, a, e);
	if (ok)
		return true;
	if (worker_reap(w, how == EXCHANGE_END ? DYING_MS : 0, &status))
		return error_set(e, NULL, "the worker ended as it started: %s", death_text(status, a));
	return error_set(e, NULL, "the worker did not start: %s", how == EXCHANGE_LINE ? "it said no hello" : exchange_text[how]);
}

/* A worker that died since its last answer is started anew: that death is not the fault of the case to come. */
static bool worker_ready(struct worker *w, struct arena *a, struct error *e)
{
	struct pollfd p = {w->fd, POLLIN, 0};
	int status;

	if (w->pid && poll(&p, 1, 0) != 0)
		worker_reap(w, 0, &status);
	if (w->pid)
		return true;
	if (w->failures >= WORKER_START_FAILURES)
		return error_set(e, NULL, "the worker did not start %d times in a row", w->failures);
	if (worker_start(w, a, e)) {
		w->failures = 0;
		return true;
	}
	w->failures++;
	return false;
}

/* ---- the interface ---- */

void *worker_open(const char *spec, struct error *e)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (w)
		w->spec = strdup(spec);
	if (!w || !w->spec) {
		free(w);
		error_set(e, NULL, "no memory for a worker");
		return NULL;
	}
	w->fd = -1;
	w->timeout_ms = WORKER_TIMEOUT_MS;
	return w;
}

void worker_close(void *worker)
{
	struct worker *w = worker;
	int status;

	if (!w)
		return;
	worker_reap(w, 0, &status);
	free(w->buffer);
	free(w->spec);
	free(w);
}

void worker_set_timeout(void *worker, int timeout_ms)
{
	struct worker *w = worker;

	w->timeout_ms = timeout_ms;
}

int worker_starts(const void *worker)
{
	const struct worker *w = worker;

	return w->starts;
}

static void answer_all(struct answer *out, int n, enum answer_status status, const char *text)
{
	for (int k = 0; k < n; k++)
		out[k] = (struct answer){.status = status, .text = text};
}

void worker_answer(void *worker, const struct testcase *c, struct arena *a, struct answer *out)
{
	struct worker *w = worker;
	struct error e = {.text = ""};
	enum exchange how;
	size_t len;
	char *text = testcase_write_compact(c, a, &len);
	int status;

	if (!worker_ready(w, a, &e)) {
		answer_all(out, c->n_point, ANSWER_FAILURE, arena_printf(a, "%s", e.text));
		return;
	}
	/* the canonical text ends the line by itself or not: the wire has exactly one newline */
	while (len && text[len - 1] == '\n')
		len--;
	text[len] = '\n';
	w->id++;
	how = worker_exchange(w, text, len + 1, w->timeout_ms);
	if (how == EXCHANGE_LINE) {
		if (whole_line(w, &len) && wire_read_answers(w->buffer, len, w->id, out, c->n_point, a, &e))
			return;
		error_set(&e, NULL, "more than one line");
		worker_reap(w, 0, &status);
		answer_all(out, c->n_point, ANSWER_PROTOCOL,
		    arena_printf(a, "%s%s%s", e.place, *e.place ? ": " : "", e.text));
		return;
	}
	if (how == EXCHANGE_LATE) {
		/* a child that it left behind may hold the socket open: it died all the same */
		if (worker_reap(w, 0, &status))
			answer_all(out, c->n_point, ANSWER_CRASH, death_text(status, a));
		else
			answer_all(out, c->n_point, ANSWER_HANG,
			    arena_printf(a, "no answer within %d ms", w->timeout_ms));
		return;
	}
	if (worker_reap(w, how == EXCHANGE_END ? DYING_MS : 0, &status)) {
		answer_all(out, c->n_point, ANSWER_CRASH, death_text(status, a));
		return;
	}
	answer_all(out, c->n_point, how == EXCHANGE_FAILED ? ANSWER_FAILURE : ANSWER_PROTOCOL, exchange_text[how]);
}

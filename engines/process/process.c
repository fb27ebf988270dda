/* process.c: see process.h. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/*
 * WATCH_MS: how often we check whether a process lives and how much memory it holds.  KEEPER_MS: the time that a keeper
 * gets to end its descendants.
 */
enum { READ_CHUNK = 1 << 16, WATCH_MS = 100, KEEPER_MS = 2000 };
/*
 * The nearer a process is to its limit of memory, the sooner we look again: it may touch so many bytes in a
 * millisecond.  WEIGH_MS: the shortest pause.
 */
enum { TOUCHED_PER_MS = 8 << 20, WEIGH_MS = 5 };

const char *const exchange_text[EXCHANGE_COUNT] = {
    [EXCHANGE_SENT] = "",
    [EXCHANGE_LINE] = "",
    [EXCHANGE_END] = "closed its output",
    [EXCHANGE_LATE] = "no answer in time",
    [EXCHANGE_LONG] = "the answer is too long",
    [EXCHANGE_EARLY] = "answered before it had read the case",
    [EXCHANGE_MEMORY] = "held more memory than it may",
    [EXCHANGE_CROWD] = "started more processes than it may",
    [EXCHANGE_STOPPED] = "adjudge was stopped before the answer came",
    [EXCHANGE_FAILED] = "cannot exchange data with the worker",
};

static int64_t milliseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool process_interrupted(const struct process *p)
{
	return (p->until.stop && p->until.stop()) ||
	    (p->until.deadline > 0 && (double)milliseconds_now() >= 1e3 * p->until.deadline);
}

static void sleep_microseconds(long us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, NULL);
}

/* ---- the life of a process ---- */

void process_new(struct process *p) { *p = (struct process){.fd = -1, .errors = -1}; }

void process_free(struct process *p)
{
	int status;

	process_reap(p, 0, &status);
	free(p->buffer);
	process_new(p);
}

char **process_environment(const struct process_variable *own, int n_own)
{
	size_t n = 0, len = 0;
	char **list, *text;

	while (environ[n])
		n++;
	for (int k = 0; k < n_own; k++)
		len += strlen(own[k].name) + strlen(own[k].value) + 2;
	list = malloc((n + (size_t)n_own + 1) * sizeof(*list) + len);
	if (!list)
		return NULL;
	text = (char *)(list + n + (size_t)n_own + 1);
	memcpy(list, environ, n * sizeof(*list));
	for (int k = 0; k < n_own; k++) {
		list[n++] = text;
		text += snprintf(text, len, "%s=%s", own[k].name, own[k].value) + 1;
	}
	list[n] = NULL;
	return list;
}

/*
 * Spawns with `fd` as standard input and output, and `errors` (-1: /dev/null) as standard error.  Returns an error
 * number.
 */
static int spawn_on(
    struct process *p, int fd, int errors, const char *path, char *const argv[], char *const environment[])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int code;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	sigfillset(&all);
	code = posix_spawn_file_actions_adddup2(&actions, fd, 0);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, fd, 1);
	if (!code && errors >= 0)
		code = posix_spawn_file_actions_adddup2(&actions, errors, 2);
	else if (!code)
		code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!code)
		code = posix_spawnp(&p->pid, path, &actions, &attributes, argv, environment);
	if (code)
		p->pid = 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

static void close_pair(int pair[2])
{
	for (int k = 0; k < 2; k++)
		if (pair[k] >= 0)
			close(pair[k]);
}

bool process_start(
    struct process *p, const char *path, char *const argv[], char *const environment[], bool hear, struct error *e)
{
	int pair[2] = {-1, -1}, errors[2] = {-1, -1}, code = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
	    (hear && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, errors)))
		code = errno;
	if (!code)
		code = spawn_on(p, pair[1], errors[1], path, argv, environment);
	if (code) {
		close_pair(pair);
		close_pair(errors);
		return error_set(e, NULL, "cannot start %s: %s", path, strerror(code));
	}
	close(pair[1]);
	if (hear)
		close(errors[1]);
	p->fd = pair[0];
	p->errors = errors[0];
	p->said = 0;
	p->used = 0;
	p->weigh_at = 0;
	p->starts++;
	return true;
}

static void hear_errors(struct process *p);

/*
 * Waits at most patience_ms for its death.  True when it is dead.  It stays a zombie, which keeps its number taken: so
 * a later kill cannot hit another process.
 */
static bool await_death(struct process *p, int patience_ms)
{
	int64_t deadline = milliseconds_now() + patience_ms;
	long pause_us = 50;
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
			return false;
		if (info.si_pid == p->pid)
			return true;
		if (milliseconds_now() >= deadline)
			return false;
		hear_errors(p); /* a process that floods standard error must not block while it dies */
		sleep_microseconds(pause_us);
		pause_us = pause_us < 5000 ? 2 * pause_us : 5000;
	}
}

bool process_reap(struct process *p, int patience_ms, int *status)
{
	bool by_itself;

	*status = 0;
	if (!p->pid)
		return false;
	by_itself = await_death(p, patience_ms);
	if (p->kept && !by_itself) {
		kill(p->pid, SIGTERM);
		await_death(p, KEEPER_MS);
	}
	kill(-p->pid, SIGKILL);
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, status, 0) < 0)
		if (errno != EINTR) {
			by_itself = false; /* somebody else reaped it: the cause of its death is lost */
			break;
		}
	hear_errors(p);
	close(p->fd);
	if (p->errors >= 0)
		close(p->errors);
	p->fd = p->errors = -1;
	p->pid = 0;
	return by_itself;
}

bool process_quiet(const struct process *p)
{
	struct pollfd poll_fd = {p->fd, POLLIN, 0};

	return p->pid && poll(&poll_fd, 1, 0) == 0;
}

char *process_death(int status, struct arena *a)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
	    {SIGSEGV, "SIGSEGV"},
	    {SIGABRT, "SIGABRT"},
	    {SIGFPE, "SIGFPE"},
	    {SIGILL, "SIGILL"},
	    {SIGBUS, "SIGBUS"},
	    {SIGTRAP, "SIGTRAP"},
	    {SIGSYS, "SIGSYS"},
	    {SIGKILL, "SIGKILL"},
	    {SIGTERM, "SIGTERM"},
	    {SIGXCPU, "SIGXCPU"},
	    {SIGXFSZ, "SIGXFSZ"},
	    {SIGPIPE, "SIGPIPE"},
	    {SIGALRM, "SIGALRM"},
	    {SIGINT, "SIGINT"},
	    {SIGHUP, "SIGHUP"},
	    {SIGQUIT, "SIGQUIT"},
	};

	if (WIFEXITED(status))
		return arena_printf(a, "exit code %d", WEXITSTATUS(status));
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (WTERMSIG(status) == names[k].number)
			return arena_printf(a, "%s", names[k].name);
	return arena_printf(a, "signal %d", WTERMSIG(status));
}

/* ---- standard error ---- */

/* Reads what is there, but at most a few chunks at a time. */
static void hear_errors(struct process *p)
{
	char chunk[4096];

	for (int k = 0; k < 16 && p->errors >= 0; k++) {
		ssize_t n = recv(p->errors, chunk, sizeof(chunk), MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			close(p->errors);
			p->errors = -1;
			return;
		}
		for (ssize_t i = 0; i < n; i++)
			p->last[p->said++ % PROCESS_ERRORS] = chunk[i];
	}
}

/* ---- exchanging lines ---- */

static bool make_room(struct process *p)
{
	size_t room = p->room ? 2 * p->room : READ_CHUNK;
	char *buffer;

	if (p->used < p->room)
		return true;
	buffer = realloc(p->buffer, room);
	if (!buffer)
		return false;
	p->buffer = buffer;
	p->room = room;
	return true;
}

/* Reads what is there.  True when the exchange is over, with *how. */
static bool receive_some(struct process *p, enum exchange *how)
{
	ssize_t n;

	*how = EXCHANGE_FAILED;
	if (!make_room(p))
		return true;
	n = recv(p->fd, p->buffer + p->used, p->room - p->used, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return false;
	if (n <= 0) {
		/* a reset is a death with unread data in the socket */
		*how = n == 0 || errno == ECONNRESET ? EXCHANGE_END : EXCHANGE_FAILED;
		return true;
	}
	if (memchr(p->buffer + p->used, '\n', (size_t)n))
		*how = EXCHANGE_LINE;
	p->used += (size_t)n;
	if (*how != EXCHANGE_LINE && p->used > PROCESS_LINE_BYTES)
		*how = EXCHANGE_LONG;
	return *how != EXCHANGE_FAILED;
}

/* Sends what can be sent of text[len] from *sent on. */
static void send_some(struct process *p, const char *text, size_t len, size_t *sent)
{
	ssize_t put = send(p->fd, text + *sent, len - *sent, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (put > 0)
		*sent += (size_t)put;
	else if (put < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
		*sent = len; /* it is gone: reading will show what it still wrote */
}

/*
 * Computes how long it has had no processor in this exchange.  Threads that wait at the same time count as one.  Of the
 * time in which they all wanted a processor, the share in which they got none counts.  A thread that ends takes its
 * times along, so the largest value found is kept.
 */
static void look_at_starving(struct process *p, int64_t now)
{
	struct starving *s = &p->starving;
	struct processor_time time = descendants_time(p->pid);
	double ran, waited, passed = (double)(now - s->since);

	if (!s->since) {
		*s = (struct starving){.since = now, .first = time, .last = time};
		return;
	}
	s->pending = time.wanting && time.ran == s->last.ran && time.waited == s->last.waited
	    ? s->pending + now - p->watched
	    : 0;
	s->last = time;
	ran = (double)(time.ran - s->first.ran) / 1e6;
	waited = (double)(time.waited - s->first.waited) / 1e6 + (double)s->pending;
	if (ran >= 0 && waited > 0)
		s->most = (int64_t)fmax((double)s->most, fmin(waited, passed * waited / (waited + ran)));
}

/* Whether it holds more than it may.  Pages that processes share count once, but that costs more to find out. */
static bool weigh(struct process *p, int64_t now, enum exchange *how)
{
	struct descendants_weight held;
	int64_t pause = WATCH_MS;

	if ((!p->memory && !p->crowd) || now < p->weigh_at)
		return false;
	held = descendants_weigh(p->pid);
	if (p->memory && held.memory < p->memory) {
		pause = (p->memory - held.memory) / TOUCHED_PER_MS;
		pause = pause < WEIGH_MS ? WEIGH_MS : pause < WATCH_MS ? pause : WATCH_MS;
	}
	p->weigh_at = now + pause;
	*how = EXCHANGE_MEMORY;
	if (p->cage && cage_killed(p->cage) > p->cage_killed) /* perhaps a child alone, for which the engine waits */
		return true;
	if (p->memory && held.memory >= p->memory && descendants_memory(p->pid) >= p->memory)
		return true;
	*how = EXCHANGE_CROWD;
	return p->crowd && held.processes > p->crowd;
}

/*
 * Checks the process now and then.  True when the exchange is over, with *how.  A dead process does not answer any
 * more, even if another process holds its output open.
 */
static bool watch(struct process *p, enum exchange *how)
{
	int64_t now = milliseconds_now();

	if (weigh(p, now, how))
		return true;
	if (now - p->watched < WATCH_MS)
		return false;
	look_at_starving(p, now);
	p->watched = now;
	if (!await_death(p, 0))
		return false;
	while (!receive_some(p, how)) /* what it wrote before */
		if (poll(&(struct pollfd){p->fd, POLLIN, 0}, 1, 0) == 0) {
			*how = EXCHANGE_END;
			break;
		}
	return true;
}

/* How long to wait for data, if nothing comes: until the next look at the process, or the end of the exchange. */
static int pause_of(const struct process *p, int64_t left, int64_t now)
{
	int64_t pause = p->memory && p->weigh_at < now + WATCH_MS ? p->weigh_at - now : WATCH_MS;

	pause = pause < 1 ? 1 : pause;
	return (int)(pause < left ? pause : left);
}

/* Sends and reads until a line has come, or, with send_alone, until all is sent. */
static enum exchange talk(struct process *p, const char *text, size_t len, bool send_alone, int timeout_ms)
{
	int64_t begun = milliseconds_now(), most = (int64_t)PROCESS_STARVED * timeout_ms;
	enum exchange how = EXCHANGE_FAILED;
	size_t sent = 0;

	p->starving = (struct starving){0};
	while (!send_alone || sent < len) {
		int64_t deadline = begun + timeout_ms + (p->starving.most < most ? p->starving.most : most);
		struct pollfd fds[2] = {
		    {p->fd, (short)(POLLIN | (sent < len ? POLLOUT : 0)), 0}, {p->errors, POLLIN, 0}};
		int64_t now = milliseconds_now(), left = deadline - now;
		int n = left > 0 ? poll(fds, 2, pause_of(p, left, now)) : 0;

		if (n < 0 && errno != EINTR)
			return EXCHANGE_FAILED;
		if (n == 0 && left <= 0)
			return EXCHANGE_LATE;
		if (n > 0 && fds[1].revents)
			hear_errors(p);
		if (n > 0 && sent < len && fds[0].revents & POLLOUT)
			send_some(p, text, len, &sent);
		if ((n > 0 && fds[0].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL) && receive_some(p, &how)) ||
		    watch(p, &how))
			return how == EXCHANGE_LINE && sent < len ? EXCHANGE_EARLY : how;
		if (process_interrupted(p))
			return EXCHANGE_STOPPED;
	}
	return EXCHANGE_SENT;
}

void process_send(struct process *p, const char *text, size_t len, int timeout_ms)
{
	p->used = 0;
	p->sent = talk(p, text, len, true, timeout_ms);
}

enum exchange process_receive(struct process *p, int timeout_ms)
{
	return p->sent == EXCHANGE_SENT ? talk(p, "", 0, false, timeout_ms) : p->sent;
}

enum exchange process_exchange(struct process *p, const char *text, size_t len, int timeout_ms)
{
	p->used = 0;
	return talk(p, text, len, false, timeout_ms);
}

bool process_line(const struct process *p, size_t *len)
{
	const char *newline = memchr(p->buffer, '\n', p->used);

	*len = newline ? (size_t)(newline - p->buffer) : 0;
	return newline && *len + 1 == p->used;
}

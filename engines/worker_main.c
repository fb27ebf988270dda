/*
 * worker_main.c: the worker's side.  It reads one request per line and writes one answer per line, until end of file.
 *
 * The worker limits itself, because posix_spawn sets no resource limits.  So a worker that somebody starts by hand has
 * the same limits.
 */
#include "instance.h"
#include "engines/process/cage.h"
#include "engines/process/keeper.h"
#include "engines/process/library.h"
#include "engines/process/wire.h"
#include "engines/process/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* WORKER_CASES: the most cases in one request. */
enum { READ_CHUNK = 1 << 16, EXIT_OURS = 4, WORKER_CASES = 64 };

/*
 * The memory limits of one case and of the process.  An engine that eats memory meets malloc's NULL or the end of the
 * arena, and does not take the machine down.  Threads reserve address space, so the second limit is generous.
 */
static const size_t worker_arena_bytes = (size_t)1 << 30;
static const rlim_t worker_address_space = (rlim_t)4 << 30;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WORKER_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define WORKER_SHADOW 1
#endif
#endif
#ifndef WORKER_SHADOW
#define WORKER_SHADOW 0 /* 1: a sanitizer maps terabytes of shadow, so the address space cannot be limited */
#endif

struct worker_side {
	struct engine *engine; /* one of these two answers the requests */
	struct library *library;
	struct arena arena;
	int in, out;
	size_t len; /* of the request that is being answered, and its id */
	long id;
	int n_case, n_point[WORKER_CASES]; /* of the request that is being answered; 0 while one is read */
	bool written;                      /* the answer has been written */
	char *buffer;                      /* [room]: input not consumed yet */
	size_t used, room;
};

static void limit_resource(int resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) != 0)
		return;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < value)
		value = limit.rlim_max;
	limit.rlim_cur = limit.rlim_max = value;
	setrlimit(resource, &limit);
}

/*
 * Ties the process to its parent by a signal.  The kernel sends it when the parent's THREAD that started us ends.  So
 * an engine is opened on a thread that outlives it.  If the parent died before this call, getppid shows it.
 */
static bool follow_parent(int signal)
{
	const char *parent = getenv(WORKER_PARENT_VARIABLE);

	if (!parent)
		return true;
	prctl(PR_SET_PDEATHSIG, signal);
	return strtol(parent, NULL, 10) == (long)getppid();
}

/* The keeper stays outside: the kernel would otherwise count it, and might kill it. */
static void enter_cage(void)
{
	cage_enter(getenv(CAGE_VARIABLE));
	unsetenv(CAGE_VARIABLE);
}

/*
 * Moves the protocol away from descriptors 0 and 1, which then lead to /dev/null.  So the engine's own input and output
 * cannot disturb the protocol.  All other inherited descriptors are closed.
 */
static bool take_descriptors(struct worker_side *w)
{
	int null;

	closefrom(3);
	w->in = fcntl(0, F_DUPFD_CLOEXEC, 3);
	w->out = fcntl(1, F_DUPFD_CLOEXEC, 3);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (w->in < 0 || w->out < 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
		return false;
	close(null);
	return true;
}

static bool write_line(int fd, char *text, size_t len)
{
	text[len++] = '\n'; /* replaces the NUL */
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

/*
 * Reads until buffer holds a line: *len bytes before its newline.  A last line without a newline counts.  Returns false
 * at the end of file, or when the line is longer than any request.  The worker cannot go on then.
 */
static bool read_line(struct worker_side *w, size_t *len)
{
	size_t seen = 0;

	for (;;) {
		char *newline = w->used > seen ? memchr(w->buffer + seen, '\n', w->used - seen) : NULL;
		ssize_t n;

		if (newline) {
			*len = (size_t)(newline - w->buffer);
			return true;
		}
		seen = w->used;
		if (seen > JSON_BYTES)
			return false;
		if (w->room - w->used < READ_CHUNK) {
			size_t room = w->room ? 2 * w->room : 2 * (size_t)READ_CHUNK;
			char *buffer = realloc(w->buffer, room);

			if (!buffer)
				return false;
			w->buffer = buffer;
			w->room = room;
		}
		n = read(w->in, w->buffer + w->used, w->room - w->used - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0 && !w->used)
			return false;
		if (n == 0)
			w->buffer[w->used++] = '\n';
		w->used += (size_t)n;
	}
}

static void drop_line(struct worker_side *w, size_t len)
{
	w->used -= len + 1;
	memmove(w->buffer, w->buffer + len + 1, w->used);
}

/*
 * Answers that the case is too large for the engine, as an engine in the supervisor's process would.  Nobody is at
 * fault.
 */
static bool answer_full(struct worker_side *w)
{
	static const char why[] = "the case needs more memory than a worker has";
	struct testcase *c = NEW(&w->arena, struct testcase, w->n_case);
	struct answer **answers = NEW(&w->arena, struct answer *, w->n_case);
	size_t len;
	char *text;

	for (int k = 0; k < w->n_case; k++) {
		c[k].n_point = w->n_point[k];
		answers[k] = NEW(&w->arena, struct answer, w->n_point[k]);
		for (int i = 0; i < w->n_point[k]; i++)
			answers[k][i] = (struct answer){.status = ANSWER_UNSUPPORTED, .text = why};
	}
	if (w->n_case)
		text = wire_write_answers(w->id, c, answers, w->n_case, &w->arena, &len);
	else
		text = wire_write_error(w->id, why, &w->arena, &len);
	return write_line(w->out, text, len);
}

/* Answers the request in buffer[w->len]. */
static void answer(void *context)
{
	struct worker_side *w = context;
	struct error e = {.text = ""};
	struct testcase *c;
	struct answer **answers;
	size_t out_len;
	char *text;
	int n;

	if (!wire_read_request(w->buffer, w->len, &w->arena, &w->id, &c, &n, &e) || n > WORKER_CASES) {
		if (n > WORKER_CASES)
			error_set(&e, NULL, "%d cases; the limit is %d", n, WORKER_CASES);
		text = wire_write_error(w->id, arena_printf(&w->arena, "%s%s%s", e.place, *e.place ? ": " : "", e.text),
		    &w->arena, &out_len);
		w->written = write_line(w->out, text, out_len);
		return;
	}
	for (int k = 0; k < n; k++)
		w->n_point[k] = c[k].n_point;
	w->n_case = n;
	answers = NEW(&w->arena, struct answer *, n);
	for (int k = 0; k < n; k++) {
		answers[k] = NEW(&w->arena, struct answer, c[k].n_point);
		if (w->engine)
			engine_answer(w->engine, &c[k], &w->arena, answers[k]);
		else
			library_answer(w->library, &c[k], &w->arena, answers[k]);
	}
	text = wire_write_answers(w->id, c, answers, n, &w->arena, &out_len);
	w->written = write_line(w->out, text, out_len);
}

/* False when the answer cannot be written. */
static bool answer_line(struct worker_side *w, size_t len)
{
	w->len = len;
	w->id = 0;
	w->n_case = 0;
	if (arena_try(&w->arena, answer, w))
		return w->written;
	arena_reset(&w->arena);
	return answer_full(w);
}

/* Writes the hello, or that there is no engine, and answers until end of file. */
static int worker_loop(struct worker_side *w, const struct hello *hello, const struct error *e)
{
	bool opened = w->engine || w->library;
	const char *why = arena_printf(&w->arena, "%s%s%s", e->place, *e->place ? ": " : "", e->text);
	size_t len;
	char *text = opened ? hello_write(hello, &w->arena, &len) : wire_write_error(0, why, &w->arena, &len);

	if (!write_line(w->out, text, len) || !opened)
		return EXIT_OURS;
	while (read_line(w, &len)) {
		arena_reset(&w->arena);
		if (!answer_line(w, len))
			return EXIT_OURS;
		drop_line(w, len);
	}
	return w->used ? EXIT_OURS : 0;
}

int engine_worker(const char *spec)
{
	struct worker_side w = {.in = -1, .out = -1};
	struct hello hello = hello_open_to_all(spec);
	struct error e = {.text = ""};
	int code = EXIT_OURS;

	if (!follow_parent(SIGKILL))
		return EXIT_OURS;
	limit_resource(RLIMIT_CORE, 0);
	if (!WORKER_SHADOW)
		limit_resource(RLIMIT_AS, worker_address_space);
	arena_init(&w.arena, worker_arena_bytes);
	if (take_descriptors(&w)) {
		w.engine = engine_open_here(spec, &e);
		if (w.engine && !engine_crosses_wire(w.engine, &e)) {
			engine_close(w.engine);
			w.engine = NULL;
		}
		code = worker_loop(&w, &hello, &e);
		engine_close(w.engine);
	}
	arena_free(&w.arena);
	free(w.buffer);
	return code;
}

int engine_worker_library(const char *path)
{
	struct worker_side w = {.in = -1, .out = -1};
	struct error e = {.text = ""};
	struct hello hello;
	int code = EXIT_OURS;

	if (!follow_parent(SIGTERM))
		return EXIT_OURS;
	limit_resource(RLIMIT_CORE, 0);
	if (!keeper_split())
		return EXIT_OURS;
	enter_cage();
	arena_init(&w.arena, worker_arena_bytes);
	if (take_descriptors(&w)) {
		w.library = library_open(path, &w.arena, &hello, &e);
		code = worker_loop(&w, &hello, &e);
		library_close(w.library);
	}
	arena_free(&w.arena);
	free(w.buffer);
	return code;
}

/* ADJUDGE names this program, for adapters that have it write sources (adjudge emit --serve). */
static void name_ourselves(void)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	exe[n > 0 ? n : 0] = '\0';
	if (n > 0)
		setenv("ADJUDGE", exe, 1);
}

int engine_worker_exec(const char *command)
{
	if (!follow_parent(SIGTERM))
		return EXIT_OURS;
	limit_resource(RLIMIT_CORE, 0);
	if (!keeper_split())
		return EXIT_OURS;
	enter_cage();
	unsetenv(WORKER_PARENT_VARIABLE); /* the engine may run adjudge itself */
	name_ourselves();
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	fprintf(stderr, "cannot run /bin/sh\n");
	return EXIT_OURS;
}

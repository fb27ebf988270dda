/*
 * gate_jobs.c: see gate_jobs.h.  Several processes take the next file from a counter that they share.  Each sends its
 * results through a pipe of its own, and the first process puts them into order.
 */
#include "gate_jobs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/judging/jobs.h"
#include "gate_wire.h"
#include "graph/heap.h"

/* What a judging process sends: a head, then what it complained about, then the bytes of the result. */
enum { RECORD_REFUSED = -1, RECORD_END = -2, READ_BYTES = 1 << 16 };
struct record_head {
	int file; /* its number, or one of the two above */
	size_t complaint, result;
};

struct gate_process {
	pid_t pid;
	int from; /* its pipe; -1: closed */
	char *bytes;
	size_t len, room;
};

struct gate_pool {
	const struct gate_jobs *o;
	gate_case_fn *each;
	void *self;
	struct arena arena;
	atomic_int *next; /* shared: the next file */
	int n_process;
	struct gate_process process[JOBS_MOST];
	char **record; /* [o->n] owned: results that wait for those before them */
	int emitted;
	bool refused; /* a judging process could not open the engines */
};

/* ---- in one process ---- */

static void add_troubles(struct engine_trouble *to, const struct gate_judge *g)
{
	for (int i = 0; i < g->specs->n; i++)
		to[i] = account_trouble(g->engine[i], to[i]);
}

static int judge_alone(const struct gate_jobs *o, gate_case_fn *each, void *self)
{
	struct arena a;
	struct gate_judge g;
	bool good = gate_judge_open(&g, o->specs, o->strict, o->twins);

	arena_init(&a, COMMAND_ARENA);
	for (int k = 0; good && k < o->n && !stop_requested(); k++) {
		struct gate_case x;

		arena_reset(&a);
		gate_judge_case(&g, o->path[k], &a, &x);
		each(self, k, &x);
	}
	if (good)
		add_troubles(o->trouble, &g);
	gate_judge_close(&g);
	arena_free(&a);
	return good ? -1 : stop_requested() ? complain_about_stop("gate") : EXIT_OURS;
}

/* ---- a judging process ---- */

static bool write_all(int to, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(to, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

/* Sends one record, with what was written to standard error since the last one. */
static void send_record(int to, int file, FILE *complaints, const struct text *result)
{
	struct text t = {.arena = result->arena};
	struct record_head head = {file, 0, result->len};
	char *said = "";

	if (complaints) {
		const off_t end = lseek(STDERR_FILENO, 0, SEEK_CUR);

		head.complaint = end > 0 ? (size_t)end : 0;
		said = NEW(result->arena, char, head.complaint + 1);
		if (pread(STDERR_FILENO, said, head.complaint, 0) != (ssize_t)head.complaint)
			head.complaint = 0;
		if (ftruncate(STDERR_FILENO, 0) || lseek(STDERR_FILENO, 0, SEEK_SET))
			head.complaint = 0;
	}
	text_put_bytes(&t, (const char *)&head, sizeof head);
	text_put_bytes(&t, said, head.complaint);
	text_put_bytes(&t, result->at, result->len);
	if (!write_all(to, t.at, t.len))
		_exit(EXIT_OURS); /* the first process is gone */
}

static _Noreturn void work(struct gate_pool *p, int to, pid_t parent)
{
	struct arena *a = &p->arena;
	FILE *complaints = tmpfile();
	struct text result = {.arena = a};
	struct gate_judge g;
	bool good;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_OURS);
	if (complaints)
		dup2(fileno(complaints), STDERR_FILENO);
	good = gate_judge_open(&g, p->o->specs, p->o->strict, p->o->twins);
	for (int k; good && !stop_requested() && (k = atomic_fetch_add(p->next, 1)) < p->o->n;) {
		struct gate_case x;

		arena_reset(a);
		result = (struct text){.arena = a};
		gate_judge_case(&g, p->o->path[k], a, &x);
		gate_wire_put(&result, &x);
		send_record(to, k, complaints, &result);
	}
	result = (struct text){.arena = a};
	if (good) {
		struct engine_trouble *trouble = NEW(a, struct engine_trouble, p->o->specs->n + 1);

		add_troubles(trouble, &g);
		text_put_bytes(&result, (const char *)trouble, (size_t)p->o->specs->n * sizeof *trouble);
	}
	text_put_bytes(&result, "", 0);
	gate_judge_close(&g);
	send_record(to, good ? RECORD_END : RECORD_REFUSED, complaints, &result);
	_exit(EXIT_NO_FINDING);
}

static bool start_process(struct gate_pool *p)
{
	struct gate_process *w = &p->process[p->n_process];
	const pid_t parent = getpid();
	int ends[2];

	if (pipe(ends))
		return false;
	w->pid = fork();
	if (!w->pid) {
		close(ends[0]);
		for (int i = 0; i < p->n_process; i++)
			close(p->process[i].from);
		work(p, ends[1], parent);
	}
	close(ends[1]);
	w->from = ends[0];
	if (w->pid < 0) {
		close(ends[0]);
		return false;
	}
	p->n_process++;
	return true;
}

/* ---- the first process ---- */

/* A file without a result. */
static void emit_lost(struct gate_pool *p, int k, const char *why)
{
	struct ci_outcome lost = {.state = CI_ERROR, .path = p->o->path[k], .message = why};

	complain("%s: %s", p->o->path[k], why);
	p->each(p->self, k, &(struct gate_case){.code = EXIT_OURS, .n = 1, .at = &lost});
}

static void emit_record(struct gate_pool *p, const char *record)
{
	struct gate_case x;
	struct record_head head;

	memcpy(&head, record, sizeof head);
	fwrite(record + sizeof head, 1, head.complaint, stderr);
	arena_reset(&p->arena);
	if (gate_wire_read(record + sizeof head + head.complaint, head.result, &p->arena, &x))
		p->each(p->self, head.file, &x);
	else
		emit_lost(p, head.file, "its result came back unreadable");
}

static void take_record(struct gate_pool *p, const char *record, size_t len)
{
	struct record_head head;

	memcpy(&head, record, sizeof head);
	if (head.file >= 0) {
		p->record[head.file] = heap_new(len, 1);
		memcpy(p->record[head.file], record, len);
	} else if (head.file == RECORD_END) {
		const char *at = record + sizeof head + head.complaint;

		for (int i = 0; i < p->o->specs->n; i++) {
			struct engine_trouble t;

			memcpy(&t, at + (size_t)i * sizeof t, sizeof t);
			p->o->trouble[i] = account_trouble_sum(p->o->trouble[i], t);
		}
	} else if (!p->refused) {
		p->refused = true;
		fwrite(record + sizeof head, 1, head.complaint, stderr);
	}
	while (p->emitted < p->o->n && p->record[p->emitted] && !p->refused) {
		emit_record(p, p->record[p->emitted]);
		free(p->record[p->emitted]);
		p->record[p->emitted++] = NULL;
	}
}

/* Reads what has come from a judging process; false: the pipe is at its end. */
static bool read_process(struct gate_pool *p, struct gate_process *w)
{
	struct record_head head;
	size_t used = 0;
	ssize_t n;

	if (w->room - w->len < READ_BYTES)
		w->bytes = heap_resize(w->bytes, w->room = 2 * w->room + READ_BYTES, 1);
	n = read(w->from, w->bytes + w->len, READ_BYTES);
	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	w->len += (size_t)n;
	while (w->len - used >= sizeof head) {
		size_t len;

		memcpy(&head, w->bytes + used, sizeof head);
		len = sizeof head + head.complaint + head.result;
		if (w->len - used < len)
			break;
		take_record(p, w->bytes + used, len);
		used += len;
	}
	w->len -= used;
	memmove(w->bytes, w->bytes + used, w->len);
	return true;
}

static void collect(struct gate_pool *p)
{
	struct pollfd at[JOBS_MOST];
	int open = p->n_process;
	bool told = false; /* the processes know of a request to stop */

	while (open && !p->refused) {
		if (stop_requested() && !told) {
			for (int i = 0; i < p->n_process; i++)
				kill(p->process[i].pid, stop_signal());
			told = true;
		}
		for (int i = 0; i < p->n_process; i++)
			at[i] = (struct pollfd){.fd = p->process[i].from, .events = POLLIN};
		/* The time limit is for a signal that comes between the test above and poll. */
		if (poll(at, (nfds_t)p->n_process, 500) < 0)
			continue;
		for (int i = 0; i < p->n_process; i++)
			if (p->process[i].from >= 0 && at[i].revents && !read_process(p, &p->process[i])) {
				close(p->process[i].from);
				p->process[i].from = -1;
				open--;
			}
	}
}

static void stop_processes(struct gate_pool *p)
{
	for (int i = 0; i < p->n_process; i++) {
		struct gate_process *w = &p->process[i];

		if (w->from >= 0) {
			close(w->from);
			kill(w->pid, SIGKILL);
		}
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
		free(w->bytes);
	}
}

static int judge_together(struct gate_pool *p)
{
	p->next = mmap(NULL, sizeof *p->next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->next == MAP_FAILED)
		return judge_alone(p->o, p->each, p->self);
	atomic_init(p->next, 0);
	fflush(NULL);
	arena_init(&p->arena, COMMAND_ARENA);
	p->record = heap_new((size_t)p->o->n, sizeof *p->record);
	while (p->n_process < p->o->jobs && start_process(p))
		;
	collect(p);
	stop_processes(p);
	for (; p->emitted < p->o->n && !p->refused; p->emitted++)
		if (p->record[p->emitted])
			emit_record(p, p->record[p->emitted]);
		else if (!stop_requested())
			emit_lost(p, p->emitted,
			    p->n_process ? "the process that judged this file died" : "no process could be started");
	for (int i = 0; i < p->o->n; i++)
		free(p->record[i]);
	free(p->record);
	munmap(p->next, sizeof *p->next);
	arena_free(&p->arena);
	return !p->refused ? -1 : stop_requested() ? complain_about_stop("gate") : EXIT_OURS;
}

int gate_judge_all(const struct gate_jobs *o, gate_case_fn *each, void *self)
{
	struct gate_pool *p;
	int code;

	if (o->jobs < 2 || o->n < 2)
		return judge_alone(o, each, self);
	p = heap_new(1, sizeof *p);
	p->o = o;
	p->each = each;
	p->self = self;
	code = judge_together(p);
	free(p);
	return code;
}

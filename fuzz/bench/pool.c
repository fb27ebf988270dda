/* pool.c: see pool.h. */
#define _GNU_SOURCE
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
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

#include "bench.h"
#include "exit_code.h"
#include "graph/heap.h"
#include "stop.h"

enum {
	ITEM_ARENA = 1 << 30,
	READ_BYTES = 1 << 16,
	DEATHS = 5, /* so many processes may die at one item, or before their first one */
	POLL_MS = 200
};
static const double ending_seconds = 1.2; /* after a request to stop */

/* What a process sends: a head, then what it wrote to standard error, then the bytes of the result. */
enum { RECORD_REFUSED = -1, RECORD_END = -2 };
struct record_head {
	int item; /* its number, or one of the two above */
	size_t complaint, result;
};

/* A process that does items. */
struct seat {
	pid_t pid;
	int from; /* its pipe; -1: closed */
	bool ended;
	int deaths; /* without an item, since its last record */
	char *bytes;
	size_t len, room;
};

/* An item, as this process sees it. */
struct dealt_item {
	char *record; /* owned: it waits for the results before it */
	int deaths;
	const char *lost;
};

struct dealing {
	const struct pool_work *work;
	struct arena arena;
	_Atomic int *claim; /* [work->n] shared: 0, or the number of the seat plus 1 */
	int n_seat;
	struct seat *seat;       /* [n_seat] */
	struct dealt_item *item; /* [work->n] */
	int taken;               /* items */
	bool refused;            /* a process could not open */
	bool enough;             /* no more items are wanted */
};

/* ---- in this process alone ---- */

/* An empty text in the arena, which is reset. */
static struct text empty_text(struct arena *a)
{
	struct text t = {.arena = a};

	arena_reset(a);
	text_put_bytes(&t, "", 0);
	return t;
}

static bool do_alone(const struct pool_work *w)
{
	struct arena a;
	struct text text;
	bool good = w->open(w->self), more = good;

	arena_init(&a, ITEM_ARENA);
	for (int k = 0; more && k < w->n && !stop_requested(); k++) {
		text = empty_text(&a);
		w->item(w->self, k, &text);
		more = w->take(w->self, k, text.at, text.len, NULL);
	}
	text = empty_text(&a);
	w->close(w->self, &text);
	if (good && w->take_last)
		w->take_last(w->self, text.at, text.len);
	arena_free(&a);
	return good;
}

/* ---- a process that does items ---- */

static void write_all(int to, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(to, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(EXIT_OURS); /* the first process is gone */
		bytes += n;
		len -= (size_t)n;
	}
}

/* From now on standard error is a file without a name, if that is possible. */
static bool divert_errors(void)
{
	FILE *file = tmpfile();
	const bool good = file && dup2(fileno(file), STDERR_FILENO) >= 0;

	if (file)
		fclose(file);
	return good;
}

/* What was written to standard error since the last call. */
static char *diverted(struct arena *a, size_t *len)
{
	const off_t end = lseek(STDERR_FILENO, 0, SEEK_CUR);
	char *said = NEW(a, char, (end > 0 ? (size_t)end : 0) + 1);

	*len = end > 0 ? (size_t)end : 0;
	if (pread(STDERR_FILENO, said, *len, 0) != (ssize_t)*len || ftruncate(STDERR_FILENO, 0) ||
	    lseek(STDERR_FILENO, 0, SEEK_SET))
		*len = 0;
	return said;
}

static void send_record(int to, int item, bool diverts, const struct text *result)
{
	struct record_head head = {item, 0, result->len};
	const char *said = diverts ? diverted(result->arena, &head.complaint) : "";

	write_all(to, (const char *)&head, sizeof head);
	write_all(to, said, head.complaint);
	write_all(to, result->at, result->len);
}

/* The next item that is free, or n. */
static int claim_item(struct dealing *p, int from, int seat)
{
	int k = from;

	for (; k < p->work->n; k++) {
		int free = 0;

		if (atomic_compare_exchange_strong(&p->claim[k], &free, seat + 1))
			break;
	}
	return k;
}

static _Noreturn void do_items(struct dealing *p, int seat, int to, pid_t parent)
{
	const struct pool_work *w = p->work;
	struct text text;
	bool good, diverts;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_OURS);
	diverts = divert_errors();
	arena_init(&p->arena, ITEM_ARENA);
	good = w->open(w->self);
	for (int k = -1; good && !stop_requested() && (k = claim_item(p, k + 1, seat)) < w->n;) {
		text = empty_text(&p->arena);
		w->item(w->self, k, &text);
		send_record(to, k, diverts, &text);
	}
	text = empty_text(&p->arena);
	w->close(w->self, &text);
	send_record(to, good ? RECORD_END : RECORD_REFUSED, diverts, &text);
	_exit(EXIT_NO_FINDING);
}

/* ---- this process ---- */

/* Starts the process of that number.  No program that it starts inherits the pipe, so its death closes the pipe. */
static bool start(struct dealing *p, int seat)
{
	struct seat *s = &p->seat[seat];
	const pid_t parent = getpid();
	int ends[2];

	s->from = -1;
	if (pipe2(ends, O_CLOEXEC))
		return false;
	fflush(NULL);
	s->pid = fork();
	if (!s->pid) {
		close(ends[0]);
		for (int i = 0; i < p->n_seat; i++)
			if (p->seat[i].from >= 0)
				close(p->seat[i].from);
		do_items(p, seat, ends[1], parent);
	}
	close(ends[1]);
	if (s->pid < 0)
		close(ends[0]);
	else
		s->from = ends[0];
	s->ended = false;
	s->len = 0;
	return s->from >= 0;
}

static void take_item(struct dealing *p, int k)
{
	struct dealt_item *x = &p->item[k];
	const struct pool_work *w = p->work;
	struct record_head head;
	bool more;

	if (x->record) {
		memcpy(&head, x->record, sizeof head);
		fwrite(x->record + sizeof head, 1, head.complaint, stderr);
		more = w->take(w->self, k, x->record + sizeof head + head.complaint, head.result, NULL);
	} else {
		more = w->take(w->self, k, NULL, 0, x->lost);
	}
	/* After the last item nothing is left to be cut short: the processes say their last words. */
	p->enough = !more && k + 1 < w->n;
	free(x->record);
	x->record = NULL;
}

static void take_in_order(struct dealing *p)
{
	while (
	    p->taken < p->work->n && !p->refused && !p->enough && (p->item[p->taken].record || p->item[p->taken].lost))
		take_item(p, p->taken++);
}

static void take_record(struct dealing *p, struct seat *s, const struct record_head *head, const char *record)
{
	const char *complaint = record + sizeof *head;
	const size_t len = sizeof *head + head->complaint + head->result;

	s->deaths = 0;
	s->ended = head->item < 0;
	if (!s->ended) {
		p->item[head->item].record = heap_new(len, 1);
		memcpy(p->item[head->item].record, record, len);
		take_in_order(p);
	} else if (head->item == RECORD_END) {
		if (p->work->take_last)
			p->work->take_last(p->work->self, complaint + head->complaint, head->result);
	} else if (!p->refused) {
		p->refused = true;
		fwrite(complaint, 1, head->complaint, stderr);
	}
}

/* Reads what has come from a process; false: the pipe is at its end. */
static bool read_seat(struct dealing *p, struct seat *s)
{
	struct record_head head;
	size_t used = 0;
	ssize_t n;

	if (s->room - s->len < READ_BYTES)
		s->bytes = heap_resize(s->bytes, s->room = 2 * s->room + READ_BYTES, 1);
	n = read(s->from, s->bytes + s->len, READ_BYTES);
	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	s->len += (size_t)n;
	while (s->len - used >= sizeof head) {
		memcpy(&head, s->bytes + used, sizeof head);
		if (s->len - used < sizeof head + head.complaint + head.result)
			break;
		take_record(p, s, &head, s->bytes + used);
		used += sizeof head + head.complaint + head.result;
	}
	s->len -= used;
	memmove(s->bytes, s->bytes + used, s->len);
	return true;
}

static void reap(struct seat *s)
{
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(s->from);
	s->from = -1;
}

/* Frees the item that the dead process had claimed, or gives it up.  Only deaths without one count for the seat. */
static void free_claim(struct dealing *p, int seat)
{
	p->seat[seat].deaths++;
	for (int k = p->taken; k < p->work->n; k++)
		if (atomic_load(&p->claim[k]) == seat + 1 && !p->item[k].record && !p->item[k].lost) {
			p->seat[seat].deaths = 0;
			if (++p->item[k].deaths == DEATHS)
				p->item[k].lost = "the process that judged it died";
			else
				atomic_store(&p->claim[k], 0);
		}
	take_in_order(p);
}

static bool any_free(const struct dealing *p)
{
	for (int k = p->taken; k < p->work->n; k++)
		if (!atomic_load(&p->claim[k]))
			return true;
	return false;
}

/* The process has closed its pipe.  If it died, another one takes its place.  False: the seat stays empty. */
static bool replace(struct dealing *p, int seat)
{
	struct seat *s = &p->seat[seat];

	reap(s);
	if (s->ended || stop_requested())
		return false;
	free_claim(p, seat);
	return s->deaths < DEATHS && any_free(p) && !p->enough && start(p, seat);
}

static void signal_all(const struct dealing *p, int number)
{
	for (int i = 0; i < p->n_seat; i++)
		if (p->seat[i].from >= 0)
			kill(p->seat[i].pid, number);
}

/* Tells the processes of a request to stop, and kills them a while later. */
static void pass_on_stop(const struct dealing *p, double *told)
{
	if (!stop_requested())
		return;
	if (*told == 0) {
		signal_all(p, stop_signal());
		*told = bench_clock();
	} else if (bench_clock() - *told > ending_seconds) {
		signal_all(p, SIGKILL);
	}
}

static void collect(struct dealing *p)
{
	struct pollfd *at = heap_new((size_t)p->n_seat, sizeof *at);
	int open = 0;
	double told = 0;

	for (int i = 0; i < p->n_seat; i++)
		open += p->seat[i].from >= 0;
	while (open && !p->refused && !p->enough) {
		pass_on_stop(p, &told);
		for (int i = 0; i < p->n_seat; i++)
			at[i] = (struct pollfd){.fd = p->seat[i].from, .events = POLLIN};
		/* The time limit is for a signal that comes between the test above and poll. */
		if (poll(at, (nfds_t)p->n_seat, POLL_MS) < 0)
			continue;
		for (int i = 0; i < p->n_seat; i++)
			if (p->seat[i].from >= 0 && at[i].revents && !read_seat(p, &p->seat[i]))
				open -= !replace(p, i);
	}
	free(at);
}

/* Ends what still runs, takes what has come, and names what is lost. */
static void end(struct dealing *p)
{
	signal_all(p, SIGKILL);
	for (int i = 0; i < p->n_seat; i++) {
		if (p->seat[i].from >= 0)
			reap(&p->seat[i]);
		free(p->seat[i].bytes);
	}
	for (int k = p->taken; k < p->work->n; k++) {
		struct dealt_item *x = &p->item[k];

		if (!x->lost && !stop_requested())
			x->lost = p->item[k].deaths ? "the process that judged it died" : "no process could be started";
		if (!p->refused && !p->enough && (x->record || x->lost))
			take_item(p, k);
		free(x->record);
	}
}

bool pool_forks(const struct pool_work *work) { return work->jobs > 1 && work->n > 1; }

bool pool_run(const struct pool_work *work)
{
	const size_t bytes = (size_t)work->n * sizeof(_Atomic int);
	struct dealing p = {.work = work, .n_seat = work->jobs < work->n ? work->jobs : work->n};
	void *shared;

	if (!pool_forks(work))
		return do_alone(work);
	shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		out_of_memory();
	p.claim = shared;
	p.seat = heap_new((size_t)p.n_seat, sizeof *p.seat);
	p.item = heap_new((size_t)work->n, sizeof *p.item);
	for (int i = 0; i < p.n_seat; i++)
		p.seat[i].from = -1;
	for (int i = 0; i < p.n_seat && start(&p, i);)
		i++;
	collect(&p);
	end(&p);
	free(p.seat);
	free(p.item);
	munmap(shared, bytes);
	return !p.refused;
}

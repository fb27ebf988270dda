/* jobs.c: see jobs.h.  The side of the process that owns the campaign. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job.h"
#include "graph/heap.h"
#include "draws.h"
#include "fuzz/campaign/owner/show.h"
#include "fuzz/campaign/owner/take.h"

enum {
	DEATHS = 3, /* a process that dies so often at one draw is a failure of ours */
	KILLS = 12, /* the same, if SIGKILL ended it: that comes from outside */
	ENDING_MS = 1500,
	RECORD_ARENA = 256 << 20,
	TURN = 64 /* records that are counted before something else is looked after */
};

/* A judging process, as the campaign sees it. */
struct job_seat {
	pid_t pid;                   /* 0: none */
	bool dead;                   /* its ring has not been emptied yet */
	int64_t redo;                /* the draw after the last one that it has sent */
	int64_t sent;                /* draws */
	int deaths, kills;           /* since then */
	struct ring_message message; /* the next one */
};

struct jobs {
	struct campaign *campaign;
	campaign_driver_fn *drive;
	struct jobs_memory *shared;
	size_t bytes;
	int n;
	struct job_seat *seat; /* [n] */
	struct arena arena;    /* of the record that is counted */
	int turn;              /* the process whose record is counted next, if the order does not matter */
};

int jobs_processors(void)
{
	cpu_set_t set;
	const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
	                                                          : (int)sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > JOBS_MOST ? JOBS_MOST : n;
}

static void wait_a_moment(long milliseconds)
{
	const struct timespec pause = {0, milliseconds * 1000000};

	nanosleep(&pause, NULL);
}

/* ---- starting and ending ---- */

static void start(struct jobs *jobs, int k)
{
	struct job_seat *seat = &jobs->seat[k];
	const struct job_start how = {.number = k, .owner = getpid(), .redo = seat->redo, .sent = seat->sent};
	pid_t pid;

	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (!pid)
		job_run(jobs->campaign, jobs->shared, &how, jobs->drive);
	if (pid < 0)
		fail(&jobs->campaign->failure, "cannot start a process that judges: %s", strerror(errno));
	seat->pid = pid < 0 ? 0 : pid;
}

/* A process has died: what it had sent is counted first. */
static void note_deaths(struct jobs *jobs)
{
	for (int k = 0; k < jobs->n; k++) {
		struct job_seat *seat = &jobs->seat[k];
		int status;

		if (!seat->pid || waitpid(seat->pid, &status, WNOHANG) <= 0)
			continue;
		seat->pid = 0;
		seat->dead = true;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			seat->kills++;
		else
			seat->deaths++;
		if (seat->deaths >= DEATHS || seat->kills >= KILLS)
			fail(&jobs->campaign->failure,
			    "a process that judges ended %d times at draw %" PRId64 ", the last time with %s %d",
			    seat->deaths + seat->kills, seat->redo, WIFSIGNALED(status) ? "signal" : "exit code",
			    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
}

/* Starts a process again when all that it had sent is counted. */
static void start_again(struct jobs *jobs, int k)
{
	struct job_seat *seat = &jobs->seat[k];

	ring_forget(&jobs->shared->ring[k], &seat->message);
	seat->dead = false;
	jobs->campaign->judges_restarted++;
	start(jobs, k);
}

/* Tells the progress who judges, and what of the corpus each holds. */
static void note_processes(struct jobs *jobs)
{
	for (int k = 0; k < jobs->n; k++)
		jobs->campaign->process[k] = (struct progress_process){
		    .pid = jobs->seat[k].pid, .corpus_bytes = atomic_load(&jobs->shared->held[k])};
}

static bool any_left(struct jobs *jobs)
{
	bool any = false;

	for (int k = 0; k < jobs->n; k++) {
		struct job_seat *seat = &jobs->seat[k];

		if (seat->pid && waitpid(seat->pid, NULL, WNOHANG) != 0)
			seat->pid = 0;
		any = any || seat->pid;
	}
	return any;
}

static void end(struct jobs *jobs)
{
	atomic_store(&jobs->shared->stop, true);
	for (int k = 0; k < jobs->n; k++)
		if (jobs->seat[k].pid)
			kill(jobs->seat[k].pid, SIGTERM);
	for (int ms = 0; any_left(jobs) && ms < ENDING_MS; ms += 10)
		wait_a_moment(10);
	for (int k = 0; k < jobs->n; k++) {
		if (jobs->seat[k].pid) {
			kill(jobs->seat[k].pid, SIGKILL);
			waitpid(jobs->seat[k].pid, NULL, 0);
		}
		free(jobs->seat[k].message.at);
	}
	arena_free(&jobs->arena);
	free(jobs->campaign->process);
	jobs->campaign->process = NULL;
	jobs->campaign->n_process = 0;
	free(jobs->seat);
	munmap(jobs->shared, jobs->bytes);
}

/* ---- counting ---- */

static struct case_record record_of(const struct ring_message *m)
{
	struct case_record record;

	memcpy(&record, m->at + 1, sizeof record);
	return record;
}

static int64_t draw_of(const struct ring_message *m) { return record_of(m).draw; }

/* Whether process k has sent a record that counts.  A failure is taken at once. */
static bool has_record(struct jobs *jobs, int k)
{
	struct ring_message *m = &jobs->seat[k].message;

	if (!ring_read(&jobs->shared->ring[k], m))
		return false;
	if (*m->at == MESSAGE_RECORD) /* at the end, a draw is skipped because it was cut short */
		return !atomic_load(&jobs->shared->stop) || !record_of(m).skipped;
	fail(&jobs->campaign->failure, "%s", m->at + 1);
	ring_done(m);
	return false;
}

struct counting {
	struct jobs *jobs;
	const struct ring_message *m;
};

static void count(void *context)
{
	const struct counting *x = context;
	struct jobs *jobs = x->jobs;
	struct case_record record = record_unpack(x->m->at + 1, x->m->len - 1, &jobs->arena);
	struct testcase c, *own = NULL;
	struct error e = {0};

	if (record.text && (record.n_finding || record.disagreement)) {
		if (testcase_read(record.text, record.len, &jobs->arena, &c, &e))
			own = &c;
		else
			fail(&jobs->campaign->failure, "a case came back unreadable: %s", e.text);
	}
	campaign_take(jobs->campaign, &record, own);
}

/*
 * Notes up to where the given cases of a mutating driver are counted.  Process k has every n-th of them, the first one
 * where campaign_given finds it.
 */
static void note_given(struct jobs *jobs)
{
	struct campaign *self = jobs->campaign;
	int64_t least = self->given.n;

	if (!self->mutates || self->given_done == self->given.n)
		return;
	for (int k = 0; k < jobs->n; k++) {
		const int behind = (k - self->given_at % jobs->n + jobs->n) % jobs->n;
		const int64_t next = self->given_at + behind + jobs->seat[k].sent * jobs->n;

		least = next < least ? next : least;
	}
	self->given_done = (int)least;
}

/* The first draw that is not wanted, if every draw from now on gives a case. */
static int64_t draw_limit(const struct campaign *self)
{
	return self->o->cases ? self->counts.draws + (self->o->cases - self->counts.cases) : INT64_MAX;
}

static void take(struct jobs *jobs, int k)
{
	struct campaign *self = jobs->campaign;
	struct job_seat *seat = &jobs->seat[k];

	seat->deaths = seat->kills = 0;
	seat->sent++;
	seat->redo = self->mutates ? seat->redo + 1 : draw_of(&seat->message) + 1;
	arena_reset(&jobs->arena);
	if (!arena_try(&jobs->arena, count, &(struct counting){jobs, &seat->message}))
		campaign_take(
		    self, &(struct case_record){.draw = self->counts.draws, .drawn = true, .skipped = true}, NULL);
	ring_done(&seat->message);
	note_given(jobs);
	self->drawn = self->counts.cases;
	atomic_store(&jobs->shared->counted, (uint64_t)self->counts.draws / BLOCK);
	atomic_store(&jobs->shared->limit, draw_limit(self));
}

/* Counts the next record.  False: it has not come yet. */
static bool take_next(struct jobs *jobs)
{
	const struct campaign *self = jobs->campaign;

	for (int i = 0; i < jobs->n; i++) {
		const int k = (jobs->turn + i) % jobs->n;

		if (has_record(jobs, k)) {
			if (self->mutates || draw_of(&jobs->seat[k].message) == self->counts.draws) {
				jobs->turn = (k + 1) % jobs->n;
				take(jobs, k);
				return true;
			}
		} else if (jobs->seat[k].dead && !atomic_load(&jobs->shared->stop)) {
			start_again(jobs, k);
		}
	}
	return false;
}

/*
 * Counts what was judged while this process minimized, though the time is over.  With slow engines that may be most of
 * the cases.  No engine is asked any more: failing cases are deferred, or kept as they are.
 */
static void count_rest(struct jobs *jobs)
{
	atomic_store(&jobs->shared->stop, true);
	while (campaign_is_out_of_time(jobs->campaign) && take_next(jobs))
		;
}

/* ---- the campaign ---- */

static bool open_shared(struct jobs *jobs)
{
	jobs->bytes = sizeof *jobs->shared + (size_t)jobs->n * sizeof *jobs->shared->ring;
	jobs->shared = mmap(
	    NULL, jobs->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return jobs->shared != MAP_FAILED;
}

void drive_jobs(struct campaign *self, campaign_driver_fn *drive)
{
	struct jobs jobs = {.campaign = self, .drive = drive, .n = self->o->jobs};
	const uint64_t first = (uint64_t)self->counts.draws / BLOCK;

	if (!open_shared(&jobs)) {
		fail(&self->failure, "no shared memory for %d processes: %s", jobs.n, strerror(errno));
		campaign_over(self);
		return;
	}
	atomic_store(&jobs.shared->next, first);
	atomic_store(&jobs.shared->counted, first);
	atomic_store(&jobs.shared->limit, draw_limit(self));
	jobs.seat = heap_new((size_t)jobs.n, sizeof *jobs.seat);
	self->process = heap_new((size_t)jobs.n, sizeof *self->process);
	self->n_process = jobs.n;
	arena_init(&jobs.arena, RECORD_ARENA);
	jobs.arena.kept = ARENA_KEPT_SMALL;
	arena_touch(&jobs.arena);
	for (int k = 0; k < jobs.n; k++) {
		jobs.seat[k].redo = self->counts.draws;
		start(&jobs, k);
	}
	while (!campaign_over(self)) {
		int n = 0;

		while (n < TURN && !campaign_over(self) && take_next(&jobs))
			n++;
		note_deaths(&jobs);
		note_processes(&jobs);
		campaign_show_progress(self);
		if (!n)
			wait_a_moment(5);
	}
	count_rest(&jobs);
	end(&jobs);
}

/* job.c: a judging process: which draws it makes, and how it sends what came of them. */
#include "job.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "draws.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/owner/corpus.h"
#include "fuzz/campaign/owner/state.h"
#include "fuzz/campaign/owner/take.h"
#include "window.h"

enum { MESSAGE_ARENA = 256 << 20 };

/* ---- claims ---- */

/* The process that has claimed the block, or -1. */
static int job_claimant(struct jobs_memory *shared, uint64_t block)
{
	const uint64_t x = atomic_load(&shared->claim[block % CLAIMS]);

	return x && (x - 1) / JOBS_MOST == block ? (int)((x - 1) % JOBS_MOST) : -1;
}

static bool claim(struct job *job, uint64_t block)
{
	_Atomic uint64_t *slot = &job->shared->claim[block % CLAIMS];
	uint64_t old = atomic_load(slot);

	if (old && (old - 1) / JOBS_MOST >= block)
		return false;
	return atomic_compare_exchange_strong(slot, &old, block * JOBS_MOST + (uint64_t)job->number + 1);
}

static void take_block(struct job *job, uint64_t block)
{
	job->at = (int64_t)block * BLOCK;
	job->end = job->at + BLOCK;
	if (job->at < job->redo)
		job->at = job->redo;
}

/* Takes a block that the process of this number claimed before it died. */
static bool take_own(struct job *job)
{
	while (job->looked < job->look_end) {
		const uint64_t block = job->looked++;

		if (job_claimant(job->shared, block) == job->number && (int64_t)(block + 1) * BLOCK > job->redo) {
			take_block(job, block);
			return true;
		}
	}
	return false;
}

static bool take_new(struct job *job)
{
	struct jobs_memory *shared = job->shared;

	for (uint64_t block = atomic_load(&shared->next); block < atomic_load(&shared->counted) + CLAIMS; block++) {
		if ((int64_t)block * BLOCK >= atomic_load(&shared->limit))
			return false;
		if (!claim(job, block))
			continue;
		atomic_store(&shared->next, block + 1);
		take_block(job, block);
		return true;
	}
	return false;
}

static void wait_a_moment(void)
{
	const struct timespec pause = {0, 5000000};

	nanosleep(&pause, NULL);
}

/* The next draw of independent cases.  False: there is none left. */
static bool next_draw(struct campaign *self, struct job *job)
{
	while (job->at == job->end && !take_own(job) && !take_new(job)) {
		window_flush(self); /* the others may wait for these */
		if (atomic_load(&job->shared->stop) || stop_requested())
			return false;
		wait_a_moment();
	}
	return true;
}

bool job_next(struct campaign *self, int64_t *draw)
{
	struct job *job = self->job;

	if (self->mutates) {
		if (bench_clock() - job->refreshed >= REFRESH_SECONDS) {
			corpus_refresh(self);
			job->refreshed = bench_clock();
		}
	} else if (!next_draw(self, job)) {
		return false;
	}
	*draw = job->at++;
	return true;
}

bool job_over(const struct campaign *self)
{
	return self->failure.any || stop_requested() || atomic_load(&self->job->shared->stop);
}

int job_number(const struct campaign *self) { return self->job ? self->job->number : 0; }

/* ---- messages ---- */

struct sending {
	struct campaign *self;
	const struct case_record *record;
	const struct testcase *c;
};

/* Sends the record.  With it goes the case, if its owner needs it. */
static void send_record(void *context)
{
	const struct sending *x = context;
	struct job *job = x->self->job;
	struct case_record record = *x->record;
	struct text text = {.arena = &job->arena};
	const char kind = MESSAGE_RECORD;

	if (x->c &&
	    (record.n_finding || record.disagreement || record.twin_disagreements ||
	        (x->self->mutates && record.n_feature)))
		record.text = testcase_write_compact(x->c, &job->arena, &record.len);
	text_put_bytes(&text, &kind, 1);
	record_pack(&record, &text);
	ring_write(&job->shared->ring[job->number], text.at, text.len, &job->shared->stop);
}

static void send_failure(struct campaign *self)
{
	struct job *job = self->job;
	struct text text = {.arena = &job->arena};

	arena_reset(&job->arena);
	text_put(&text, "%c%s", MESSAGE_FAILURE, self->failure.text);
	ring_write(&job->shared->ring[job->number], text.at, text.len + 1, &job->shared->stop);
}

static void send_or_skip(struct campaign *self, const struct case_record *record, const struct testcase *c)
{
	struct job *job = self->job;
	const struct case_record skipped = {.draw = record->draw, .drawn = record->drawn, .skipped = true};

	atomic_store(&job->shared->held[job->number], self->held);
	arena_reset(&job->arena);
	if (arena_try(&job->arena, send_record, &(struct sending){self, record, c}))
		return;
	arena_reset(&job->arena);
	arena_try(&job->arena, send_record, &(struct sending){self, &skipped, NULL});
}

void job_give(struct campaign *self, const struct case_record *record, const struct testcase *c)
{
	if (!self->job)
		campaign_take(self, record, c);
	else if (!self->cut)
		send_or_skip(self, record, c);
}

/* ---- the process ---- */

static void open_engines(struct campaign *self)
{
	const struct oracle_options oracle = {.seed = self->o->seed, .fd_one_in = self->o->fd_one_in, .whole = true};
	struct error e = {0};

	if (!bench_open_until(&self->bench, self->o->spec, self->o->n_spec, self->o->right_on, &oracle,
	        campaign_start_deadline(self), &e))
		fail(&self->failure, "%s", e.text);
	else
		window_open(self);
}

void job_end(struct campaign *self)
{
	if (self->failure.any)
		send_failure(self);
}

/* Where a mutating driver begins: draws of its own, behind the given cases that are judged. */
static void begin_mutating(struct campaign *self, struct job *job, int64_t sent)
{
	size_t len;

	job->at = ((int64_t)job->number << JOB_NUMBER_BITS) + job->redo;
	self->job_stream = job->at;
	for (int64_t k = 0; k < sent && campaign_given(self, 0, &len); k++)
		;
}

void job_run(struct campaign *self, struct jobs_memory *shared, const struct job_start *how, campaign_driver_fn *drive)
{
	struct job job = {.shared = shared, .number = how->number, .redo = how->redo, .refreshed = bench_clock()};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != how->owner) /* it died before it could be watched */
		_exit(EXIT_SUCCESS);
	arena_init(&job.arena, MESSAGE_ARENA);
	job.arena.kept = ARENA_KEPT_SMALL;
	arena_touch(&job.arena);
	job.looked = atomic_load(&shared->counted);
	job.look_end = job.looked + CLAIMS;
	self->job = &job;
	if (self->mutates)
		begin_mutating(self, &job, how->sent);
	self->screen.mode = PROGRESS_NONE;
	open_engines(self);
	if (!self->failure.any)
		drive(self);
	job_end(self);
	window_close(self);
	bench_close(&self->bench);
	_exit(EXIT_SUCCESS);
}

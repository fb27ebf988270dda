/* draws.c: see draws.h. */
#include "draws.h"

#include <limits.h>

#include "fuzz/bench/stop.h"
#include "fuzz/campaign/owner/state.h"
#include "job.h"
#include "window.h"

const struct campaign_options *campaign_options(const struct campaign *self) { return self->o; }

const struct bench *campaign_bench(const struct campaign *self) { return &self->bench; }

/* ---- the corpus ---- */

const char *campaign_given(struct campaign *self, uint64_t number, size_t *len)
{
	int k = number < INT_MAX ? (int)number : INT_MAX;

	if (self->mutates) {
		while (
		    self->job && self->given_at < self->given.n && self->given_at % self->o->jobs != job_number(self))
			self->given_at++;
		k = self->given_at;
		self->given_at += k < self->given.n;
	}
	if (k >= self->given.n)
		return NULL;
	*len = self->given.at[k].len;
	return self->given.at[k].text;
}

uint64_t campaign_fresh(const struct campaign *self, uint64_t number)
{
	return (number - (uint64_t)self->given.n) * (uint64_t)self->o->shards + (uint64_t)self->o->shard;
}

int campaign_corpus(const struct campaign *self) { return self->given.n + self->kept.n; }
int campaign_corpus_kept(const struct campaign *self) { return self->given.n; }

const char *campaign_corpus_text(const struct campaign *self, int k, size_t *len)
{
	const struct corpus_text *x = k < self->given.n ? &self->given.at[k] : &self->kept.at[k - self->given.n];

	*len = x->len;
	return x->text;
}

uint64_t campaign_stream(const struct campaign *self)
{
	return self->job ? (uint64_t)self->job_stream : (uint64_t)self->counts.draws;
}

void campaign_add_generate(struct campaign *self, double seconds) { self->seconds.generate += seconds; }

/* ---- draws ---- */

bool campaign_next(struct campaign *self, uint64_t *number)
{
	if (!self->job)
		self->draw = self->next_draw++;
	else if (!job_next(self, &self->draw))
		return false;
	self->entered = false;
	*number = (uint64_t)self->draw;
	return true;
}

void campaign_skip(struct campaign *self)
{
	window_flush(self); /* the cases before this one come first */
	job_give(self, &(struct case_record){.draw = self->draw, .drawn = self->entered, .skipped = true}, NULL);
}

/* ---- the end ---- */

static const char all_cases[] = "cases", out_of_time[] = "time";

void campaign_take_rest(struct campaign *self)
{
	if (self->stopped != all_cases || self->cut || self->failure.any)
		return;
	triage_end(&self->triage);
	self->cut = self->triage.cut;
	if (!self->cut)
		campaign_settle(self);
}

static const char *why_over(const struct campaign *self)
{
	const struct campaign_options *o = self->o;

	if (self->job)
		return job_over(self) ? "end of the process" : NULL;
	if (self->failure.any)
		return "failure";
	if (triage_full(&self->triage))
		return "max-findings";
	if (o->cases && self->drawn >= o->cases && !(self->has_unfiled && self->given_done < self->given.n))
		return all_cases;
	if (self->deadline > 0 && bench_clock() >= self->deadline)
		return out_of_time;
	return stop_signal_name();
}

bool campaign_over(struct campaign *self)
{
	self->stopped = why_over(self);
	if (self->stopped && !self->failure.any) {
		window_flush(self);
		self->stopped = why_over(self);
	}
	return self->stopped != NULL;
}

bool campaign_is_out_of_time(struct campaign *self)
{
	return campaign_over(self) && self->stopped == out_of_time && !self->cut && !self->failure.any;
}

/* campaign.c: the life of a campaign: opening, counting, progress, and when it is over. */
#include "campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/heap.h"
#include "engines/engine.h"
#include "reports/file.h"
#include "internal.h"
#include "fuzz/bench/fit_profile.h"
#include "fuzz/bench/progress.h"
#include "case_paths.h"
#include "fuzz/bench/stop.h"

enum { SIDE_ARENA = 512 << 20, KNOWN_ARENA = 64 << 20, PROGRESS_LINE_SECONDS = 60 };

/* ---- opening ---- */

static void read_corpus(struct campaign *self)
{
	struct paths files = paths_find((const char *const[]){self->o->corpus}, 1);

	for (int i = 0; i < files.n; i++) {
		struct error e = {0};
		struct testcase c;
		size_t len;
		char *text;

		arena_reset(&self->side);
		if (!testcase_read_file(files.at[i], &self->side, &c, &e))
			continue; /* a corpus is only a hint: files that cannot be read are left out; `gate` names them
			           */
		c.n_expect = 0;
		text = testcase_write_compact(&c, &self->side, &len);
		self->corpus = heap_resize(self->corpus, (size_t)self->n_corpus + 1, sizeof *self->corpus);
		self->corpus[self->n_corpus] = (struct corpus_text){heap_new(len + 1, 1), len};
		memcpy(self->corpus[self->n_corpus++].text, text, len + 1);
	}
	paths_free(&files);
}

/* Makes the directories, takes them for this campaign, and removes what a campaign that was killed left over. */
static bool open_directories(struct campaign *self, struct error *e)
{
	const char *out = self->o->out;
	char leads[PATH_TEXT];

	snprintf(self->findings_dir, sizeof self->findings_dir, "%s/findings", out);
	snprintf(self->oracle_dir, sizeof self->oracle_dir, "%s/oracle", out);
	snprintf(leads, sizeof leads, "%s/leads", out);
	self->lock = file_make_directory(out, e) ? file_lock(out, e) : -1;
	if (self->lock < 0)
		return false;
	file_sweep(out);
	file_sweep(self->findings_dir);
	file_sweep(self->oracle_dir);
	file_sweep(leads);
	return file_make_directory(self->findings_dir, e) && file_make_directory(self->oracle_dir, e);
}

/* Of a campaign that did not open. */
static void give_up(struct campaign *self)
{
	if (self->lock >= 0)
		close(self->lock);
	free(self);
}

struct campaign *campaign_open(const struct campaign_options *o, struct error *e)
{
	struct campaign *self = heap_new(1, sizeof *self);
	struct oracle_options oracle = {.seed = o->seed, .fd_one_in = o->fd_one_in};

	self->own = *o;
	self->o = &self->own;
	if (!open_directories(self, e) ||
	    !bench_open_against(&self->bench, o->spec, o->n_spec, o->right_on, &oracle, e)) {
		give_up(self);
		return NULL;
	}
	fit_profile(&self->bench, &self->own.profile);
	if (o->cross && !campaign_cross_open(self, e)) {
		campaign_cross_close(self);
		bench_close(&self->bench);
		give_up(self);
		return NULL;
	}
	arena_init(&self->side, SIDE_ARENA);
	self->start = self->shown = bench_clock();
	self->triage = (struct triage){.spec = o->spec,
	    .right_on = o->right_on,
	    .seed = o->seed,
	    .minimize_budget = o->minimize_budget,
	    .max_findings = o->max_findings,
	    .deadline = o->seconds > 0 ? self->start + o->seconds : 0,
	    .dir = self->findings_dir,
	    .side = &self->side,
	    .failure = &self->failure};
	arena_init(&self->triage.known, KNOWN_ARENA);
	window_open(self);
	self->terminal = o->progress && progress_overwrites();
	if (o->corpus)
		read_corpus(self);
	return self;
}

const struct campaign_options *campaign_options(const struct campaign *self) { return self->o; }
int campaign_corpus(const struct campaign *self) { return self->n_corpus; }

const char *campaign_corpus_text(const struct campaign *self, int k, size_t *len)
{
	*len = self->corpus[k].len;
	return self->corpus[k].text;
}

void campaign_add_generate(struct campaign *self, double seconds) { self->generate_seconds += seconds; }

/* ---- features ---- */

/* The classes into which libFuzzer divides a counter: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128+. */
static unsigned counter_class(uint8_t x)
{
	static const uint8_t above[] = {1, 2, 3, 7, 15, 31, 127, 255};
	unsigned k = 0;

	while (x > above[k])
		k++;
	return 1u << k;
}

int campaign_new_features(struct campaign *self, const uint8_t counters[FEATURE_BYTES], int *total)
{
	int fresh = 0;

	for (int i = 0; i < FEATURE_BYTES; i++) {
		unsigned class = counters[i] ? counter_class(counters[i]) : 0;

		if (class & ~(unsigned)self->seen[i]) {
			self->seen[i] = (uint8_t)(self->seen[i] | class);
			fresh++;
		}
	}
	self->features += fresh;
	if (total)
		*total = self->features;
	return fresh;
}

/* ---- counting ---- */

enum outcome campaign_outcome(const struct judgement *j, int n, enum reason *reason)
{
	enum outcome outcome = OUTCOME_UNSUPPORTED;

	*reason = REASON_NONE;
	for (int k = 0; k < n; k++) {
		if (j[k].verdict == VERDICT_UNSUPPORTED)
			continue;
		if (j[k].verdict != VERDICT_UNDECIDED)
			return OUTCOME_DECIDED;
		if (outcome == OUTCOME_UNSUPPORTED)
			*reason = j[k].reason;
		outcome = OUTCOME_UNDECIDED;
	}
	return outcome;
}

static void count_tally(struct tally *t, bool is_in, enum outcome outcome)
{
	if (!is_in)
		return;
	t->cases++;
	t->decided += outcome == OUTCOME_DECIDED;
	t->undecided += outcome == OUTCOME_UNDECIDED;
}

void campaign_count(struct campaign *self, const struct testcase *c, const struct bench_result *r)
{
	const struct strata s = strata_of(c);
	const bool in[STRATUM_COUNT] = {[LOOP] = s.loop,
	    [COND] = s.cond,
	    [SCATTER_OR_SLICE] = s.scatter_or_slice,
	    [EDGE_POINT] = s.edge_point,
	    [LOW_PRECISION] = s.low_precision,
	    [JVP] = s.jvp,
	    [VJP] = s.vjp,
	    [STRICT_SUBSET] = s.strict_subset,
	    [NESTED] = s.nested,
	    [SOLUTION] = s.solution,
	    [HIGHER_ORDER] = s.higher_order,
	    [BATCH] = s.batch};
	const struct region *top = &c->program.top;
	enum reason reason;
	enum outcome outcome = campaign_outcome(r->judgement, self->bench.n_engine, &reason);
	bool has[DTYPE_COUNT] = {false};

	count_tally(&self->all, true, outcome);
	if (outcome == OUTCOME_UNDECIDED)
		self->undecided[reason]++;
	for (int k = 0; k < STRATUM_COUNT; k++)
		count_tally(&self->stratum[k], in[k], outcome);
	for (int k = 0; k < top->n_result; k++)
		has[c->program.type[top->result[k]].dtype] = true;
	for (int k = 0; k < DTYPE_COUNT; k++)
		count_tally(&self->dtype[k], has[k], outcome);
	self->ops[s.ops < LIMIT_NODES ? s.ops : LIMIT_NODES]++;
	for (int k = 0; k < self->bench.n_engine; k++) {
		const struct judgement *j = &r->judgement[k];

		account_add(&self->account[k], self->bench.engine[k], c, r->answer[k], j, &self->side);
		if (j->verdict == VERDICT_UNSUPPORTED)
			continue;
		self->components_decided += j->decided;
		for (int q = 0; q < REASON_COUNT; q++)
			self->components_undecided[q] += j->undecided[q];
	}
}

/* ---- progress ---- */

void campaign_show_progress(struct campaign *self)
{
	double now = bench_clock(), elapsed = now - self->start;
	char left[48] = "";

	if (!self->o->progress || now - self->shown < (self->terminal ? 1 : PROGRESS_LINE_SECONDS))
		return;
	self->shown = now;
	if (self->o->seconds > 0)
		snprintf(
		    left, sizeof left, ", %.0f s left", self->o->seconds > elapsed ? self->o->seconds - elapsed : 0);
	else if (self->o->cases > 0)
		snprintf(left, sizeof left, ", %.0f s left",
		    (double)(self->o->cases - self->cases) * elapsed / (double)self->cases);
	fprintf(stderr, "%s%lld cases, %.0f/s, %.1f %% decided, %d findings, %d features%s%s",
	    self->terminal ? "\r\033[K" : "", (long long)self->cases, (double)self->cases / elapsed,
	    self->all.cases ? 100.0 * (double)self->all.decided / (double)self->all.cases : 0.0, self->triage.n_finding,
	    self->features, left, self->terminal ? "" : "\n");
	fflush(stderr);
}

void campaign_skip(struct campaign *self) { self->skipped++; }

static const char *why_over(const struct campaign *self)
{
	const struct campaign_options *o = self->o;

	if (self->failure.any)
		return "failure";
	if (o->max_findings && self->triage.n_finding >= o->max_findings)
		return "max-findings";
	if (o->cases && self->cases >= o->cases)
		return "cases";
	if (o->seconds > 0 && bench_clock() - self->start >= o->seconds)
		return "time";
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

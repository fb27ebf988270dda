/* campaign.c: judging, counting, and what is done with a finding. */
#include "campaign.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../engines/engine.h"
#include "../graph/json.h"
#include "../reports/file.h"
#include "campaign_internal.h"
#include "minimize.h"
#include "paths.h"

enum { SIDE_ARENA = 512 << 20, PROGRESS_LINE_SECONDS = 60 };

/* Written by a signal handler: there is no context to hand one. */
static volatile sig_atomic_t stop_requested;

static void request_stop(int signal)
{
	(void)signal;
	stop_requested = 1;
}

void campaign_stop_on_signals(void)
{
	struct sigaction action = {0};

	action.sa_handler = request_stop;
	action.sa_flags = (int)SA_RESETHAND; /* a second signal ends the process at once */
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

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
			continue; /* a corpus is a hint: what cannot be read is left out, and gate names it */
		c.n_expect = 0;
		text = testcase_write_compact(&c, &self->side, &len);
		self->corpus = realloc(self->corpus, (size_t)(self->n_corpus + 1) * sizeof *self->corpus);
		self->corpus[self->n_corpus] = (struct corpus_text){malloc(len + 1), len};
		memcpy(self->corpus[self->n_corpus++].text, text, len + 1);
	}
	paths_free(&files);
}

/* Programs that no engine under test could answer are not drawn. */
static void fit_programs(const struct bench *b, struct profile *profile)
{
	int *const weight[DTYPE_COUNT] = {
		[DTYPE_F64] = &profile->f64, [DTYPE_F32] = &profile->f32, [DTYPE_BF16] = &profile->bf16, [DTYPE_F16] = &profile->f16};
	bool dtype[DTYPE_COUNT] = {false}, op[OP_COUNT] = {false};
	int *const rank[] = {&profile->rank0, &profile->rank1, &profile->rank2, &profile->rank3, &profile->rank4};
	int floats = 0, most = 0;

	for (int k = 0; k < b->n_engine; k++) {
		struct engine_scope scope = engine_scope(b->engine[k]);

		for (int d = 0; d < DTYPE_COUNT; d++)
			dtype[d] = dtype[d] || scope.dtype[d];
		for (int i = 0; i < OP_COUNT; i++)
			op[i] = op[i] || scope.op[i];
		most = scope.rank > most ? scope.rank : most;
	}
	for (int r = most + 1; b->n_engine && r <= LIMIT_RANK; r++)
		*rank[r] = 0;
	for (int i = 0; i < OP_COUNT; i++)
		profile->without[i] = b->n_engine && !op[i];
	for (int d = 0; d < DTYPE_COUNT && b->n_engine; d++) {
		if (weight[d] && !dtype[d])
			*weight[d] = 0;
		floats += weight[d] && dtype[d];
	}
	if (b->n_engine && floats < DTYPE_F16 - DTYPE_F64 + 1)
		profile->weight_cast = 0; /* an excursion may go to any dtype */
}

void campaign_fit_profile(const struct bench *b, struct profile *profile)
{
	bool jvp = false, vjp = false, batch = false;
	int order = 1;

	for (int k = 0; k < b->n_engine; k++) {
		const struct engine_kind *kind = engine_kind(b->engine[k]);

		jvp = jvp || kind->jvp;
		vjp = vjp || kind->vjp;
		batch = batch || kind->batch;
		order = kind->order > order ? kind->order : order;
	}
	fit_programs(b, profile);
	if (jvp != vjp)
		profile->jvp = jvp ? 100 : 0;
	if (!batch)
		profile->batch = 0;
	if (order < 3)
		profile->order_third = 0;
	if (order < 2)
		profile->order_second = 0;
}

struct campaign *campaign_open(const struct campaign_options *o, struct error *e)
{
	struct campaign *self = calloc(1, sizeof *self);
	struct oracle_options oracle = {.seed = o->seed, .fd_one_in = o->fd_one_in};

	if (!self) {
		error_set(e, NULL, "out of memory");
		return NULL;
	}
	self->own = *o;
	self->o = &self->own;
	snprintf(self->findings_dir, sizeof self->findings_dir, "%s/findings", o->out);
	snprintf(self->oracle_dir, sizeof self->oracle_dir, "%s/oracle", o->out);
	if (!file_make_directory(self->findings_dir, e) || !file_make_directory(self->oracle_dir, e) ||
	    !bench_open(&self->bench, o->spec, o->n_spec, &oracle, e)) {
		free(self);
		return NULL;
	}
	campaign_fit_profile(&self->bench, &self->own.profile);
	arena_init(&self->side, SIDE_ARENA);
	self->start = self->shown = bench_clock();
	self->terminal = o->progress && isatty(STDERR_FILENO) && !(getenv("TERM") && !strcmp(getenv("TERM"), "dumb"));
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

void campaign_add_generate(struct campaign *self, double seconds)
{
	self->generate_seconds += seconds;
}

/* ---- features ---- */

/* The classes that libFuzzer makes of a counter: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128+. */
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

/* ---- findings ---- */

/* Judges c into *r; true when it shows the finding. */
static bool shows_signature(const struct same_signature *s, const struct testcase *c, struct arena *a, struct bench_result *r)
{
	bench_judge(s->bench, c, a, r);
	return verdict_is_finding[r->judgement[0].verdict] && !strcmp(signature_coarse(s->spec, c, &r->judgement[0], a), s->signature);
}

bool same_signature(void *self, const struct testcase *c, struct arena *scratch)
{
	struct same_signature *s = self;
	struct bench_result r;
	bool same;

	if (s->hangs >= SAME_HANGS)
		return false;
	same = shows_signature(s, c, scratch, &r);
	s->hangs += r.judgement[0].verdict == VERDICT_HANG;
	return same;
}

bool comes_again(const struct same_signature *s, const struct testcase *c, struct arena *a, struct bench_result *r)
{
	struct arena_mark mark = arena_mark(a);

	for (int run = 1;; run++) {
		if (shows_signature(s, c, a, r))
			return true;
		if (run == BENCH_RUNS)
			return false;
		arena_rewind(a, mark);
	}
}

void campaign_write_file(struct campaign *self, const char *dir, const char *name, const char *text, size_t len)
{
	struct error e = {0};

	if (!self->failed && !file_write_atomic(dir, name, text, len, &e)) {
		self->failed = true;
		snprintf(self->failure, sizeof self->failure, "%s", e.text);
	}
}

static bool still_disagrees(void *self, const struct testcase *c, struct arena *scratch)
{
	struct bench_result r;

	bench_judge(self, c, scratch, &r);
	return r.oracle_disagreement;
}

/* A disagreement of the oracles is a bug of ours: kept apart, minimized without any engine. */
static void record_oracle(struct campaign *self, const struct testcase *c)
{
	struct oracle_options oracle = {.seed = self->o->seed, .fd_one_in = 1};
	struct minimize_statistics stats;
	struct error e = {0};
	struct bench none;
	jmp_buf full;
	double start = bench_clock();

	self->oracle_disagreements++;
	if (self->n_oracle_file == ORACLE_FILES || !bench_open(&none, NULL, 0, &oracle, &e))
		return;
	arena_reset(&self->side);
	self->side.on_full = &full;
	if (!setjmp(full)) {
		struct testcase small = *c;
		char name[ORACLE_NAME], *text;
		size_t len;

		if (still_disagrees(&none, c, &self->side)) {
			arena_reset(&self->side);
			small = minimize(c, still_disagrees, &none, self->o->minimize_budget, &self->side, &stats);
		}
		small.n_expect = 0;
		small.provenance.title = "the two oracles disagree";
		text = testcase_write(&small, &self->side, &len);
		snprintf(name, sizeof name, "%016llx.json", (unsigned long long)testcase_hash(&small));
		campaign_write_file(self, self->oracle_dir, name, text, len);
		for (int i = 0; i < self->n_oracle_file; i++)
			if (!strcmp(self->oracle_file[i], name))
				goto known;
		memcpy(self->oracle_file[self->n_oracle_file++], name, sizeof name);
	}
known:
	self->side.on_full = NULL;
	bench_close(&none);
	self->minimize_seconds += bench_clock() - start;
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

static void count_case(struct campaign *self, const struct testcase *c, const struct bench_result *r)
{
	const struct strata s = strata_of(c);
	const bool in[STRATUM_COUNT] = {[LOOP] = s.loop, [COND] = s.cond, [SCATTER_OR_SLICE] = s.scatter_or_slice, [EDGE_POINT] = s.edge_point,
	    [LOW_PRECISION] = s.low_precision, [JVP] = s.jvp, [VJP] = s.vjp, [STRICT_SUBSET] = s.strict_subset, [NESTED] = s.nested,
	    [SOLUTION] = s.solution, [HIGHER_ORDER] = s.higher_order, [BATCH] = s.batch};
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

		self->verdict[k][j->verdict]++;
		if (j->verdict == VERDICT_UNSUPPORTED)
			continue;
		self->components_decided += j->decided;
		for (int q = 0; q < REASON_COUNT; q++)
			self->components_undecided[q] += j->undecided[q];
	}
}

/* ---- progress ---- */

static void show_progress(struct campaign *self)
{
	double now = bench_clock(), elapsed = now - self->start;
	char left[48] = "";

	if (!self->o->progress || now - self->shown < (self->terminal ? 1 : PROGRESS_LINE_SECONDS))
		return;
	self->shown = now;
	if (self->o->seconds > 0)
		snprintf(left, sizeof left, ", %.0f s left", self->o->seconds > elapsed ? self->o->seconds - elapsed : 0);
	else if (self->o->cases > 0)
		snprintf(left, sizeof left, ", %.0f s left", (double)(self->o->cases - self->cases) * elapsed / (double)self->cases);
	fprintf(stderr, "%s%lld cases, %.0f/s, %.1f %% decided, %d findings, %d features%s%s", self->terminal ? "\r\033[K" : "",
	    (long long)self->cases, (double)self->cases / elapsed,
	    self->all.cases ? 100.0 * (double)self->all.decided / (double)self->all.cases : 0.0, self->n_finding, self->features, left,
	    self->terminal ? "" : "\n");
	fflush(stderr);
}

/* ---- one case ---- */

void campaign_judge(struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES])
{
	struct bench_result r;

	self->cases++;
	bench_judge(&self->bench, c, a, &r);
	count_case(self, c, &r);
	if (counters)
		features_of(c, &r.truth, counters);
	for (int k = 0; k < self->bench.n_engine; k++) {
		const struct judgement *j = &r.judgement[k];

		for (int p = 0; p < c->n_point; p++)
			if (r.answer[k][p].status == ANSWER_FAILURE && !self->failed) {
				self->failed = true;
				snprintf(self->failure, sizeof self->failure, "%s: %s", self->o->spec[k], r.answer[k][p].text);
			}
		if (verdict_is_finding[j->verdict])
			triage_record(self, self->o->spec[k], signature_coarse(self->o->spec[k], c, j, a), c, self->cases);
	}
	if (r.oracle_disagreement)
		record_oracle(self, c);
	show_progress(self);
}

void campaign_skip(struct campaign *self)
{
	self->skipped++;
}

bool campaign_stop_requested(void) { return stop_requested; }

bool campaign_over(struct campaign *self)
{
	const struct campaign_options *o = self->o;

	if (self->failed)
		self->stopped = "failure";
	else if (stop_requested)
		self->stopped = "signal";
	else if (o->max_findings && self->n_finding >= o->max_findings)
		self->stopped = "max-findings";
	else if (o->cases && self->cases >= o->cases)
		self->stopped = "cases";
	else if (o->seconds > 0 && bench_clock() - self->start >= o->seconds)
		self->stopped = "time";
	return self->stopped != NULL;
}

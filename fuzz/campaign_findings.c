/* campaign_findings.c: what is done with a finding: minimized and written once, counted ever after. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/file.h"
#include "../reports/report.h"
#include "campaign_internal.h"
#include "minimize.h"
#include "same_signature.h"

enum { REOPEN_TRIES = 3 };

static uint64_t text_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3;
	return h;
}

static void write_file(struct campaign *self, const char *dir, const char *name, const char *text, size_t len)
{
	struct error e = {0};

	if (!self->failed && !file_write_atomic(dir, name, text, len, &e)) {
		self->failed = true;
		snprintf(self->failure, sizeof self->failure, "%s", e.text);
	}
}

/* Seconds that a finding may be minimized when the campaign's time is over. */
static const double last_finding_seconds = 5;

/* seen: of engine `which`, when it was found: what is reported where a fresh process does not show it; NULL of a slip. */
static void minimize_finding(struct campaign *self, struct finding *f, const struct testcase *found, const struct bench_result *seen, int which,
    struct same_signature *same)
{
	struct bench *one = same->bench;
	struct minimize_statistics stats = {0};
	struct testcase c = *found;
	struct bench_result r;
	struct report report;
	size_t len;
	char *text;

	c.n_expect = 0;
	f->flaky = !same_again(same, &c, &self->side);
	arena_reset(&self->side);
	if (f->flaky)
		bench_judge(one, &c, &self->side, &r);
	else
		f->flaky = !minimize_same(same, found, self->o->minimize_budget, &self->side, &c, &r, &stats);
	report = (struct report){.signature = f->signature, .engine = f->spec, .c = &c, .truth = &r.truth, .answers = r.answer[0],
	    .judgement = &r.judgement[0], .found = found, .seed = self->o->seed, .case_number = (long)f->first_case,
	    .minimize_tried = stats.tried, .minimize_accepted = stats.accepted};
	if (f->flaky && seen) {
		c = *found;
		c.n_expect = 0;
		report.truth = &seen->truth;
		report.answers = seen->answer[which];
		report.judgement = &seen->judgement[which];
	}
	text = report_write(&report, &self->side, &len);
	f->ops = strata_of(&c).ops;
	write_file(self, self->findings_dir, f->file, text, len);
}

static struct finding *find_finding(struct campaign *self, const char *signature)
{
	for (int i = 0; i < self->n_finding; i++)
		if (!strcmp(self->finding[i].signature, signature))
			return &self->finding[i];
	return NULL;
}

/* Minimized where memory allows; the bare case, else, is still a reproducer. */
static void write_finding(struct campaign *self, struct finding *f, const struct testcase *c, const struct bench_result *seen, int which,
    struct same_signature *same)
{
	jmp_buf full;
	size_t len;
	char *text;

	arena_reset(&self->side);
	self->side.on_full = &full;
	if (!setjmp(full)) {
		minimize_finding(self, f, c, seen, which, same);
		self->side.on_full = NULL;
		return;
	}
	self->side.on_full = NULL;
	arena_reset(&self->side);
	text = testcase_write(c, &self->side, &len);
	write_file(self, self->findings_dir, f->file, text, len);
}

struct slip_taker {
	struct campaign *campaign;
	const char *spec;
	int64_t number;
};

static void take_slip(void *context, const char *signature, const struct testcase *c);

/* A fresh engine.  It was opened before, so that one bad start is not the end. */
static bool open_again(struct bench *b, const char *spec, const struct oracle_options *o, struct error *e)
{
	for (int k = 0; k < REOPEN_TRIES; k++) {
		*e = (struct error){.text = ""};
		if (bench_open(b, &spec, 1, o, e))
			return true;
	}
	return false;
}

/* A new finding, minimized; those that it slips to are findings, too.  number: of the case it comes from. */
static void add_finding(struct campaign *self, const char *spec, const char *signature, const struct testcase *c, const struct bench_result *seen,
    int which, int64_t number)
{
	struct oracle_options oracle = {.seed = self->o->seed, .fd_one_in = INT_MAX};
	const double now = bench_clock(), end = self->start + self->o->seconds;
	struct same_signature same = {.spec = spec, .stop = campaign_stop_requested,
	    .deadline = self->o->seconds > 0 ? fmax(end, now + last_finding_seconds) : 0};
	struct slip_taker taker = {self, spec, number};
	struct finding *f;
	struct error e = {0};
	struct bench one;

	self->finding = realloc(self->finding, (size_t)(self->n_finding + 1) * sizeof *self->finding);
	f = &self->finding[self->n_finding++];
	*f = (struct finding){.spec = spec, .signature = strdup(signature), .first_case = number, .ops = strata_of(c).ops};
	snprintf(f->file, sizeof f->file, "%016llx.json", (unsigned long long)text_hash(signature));
	if (!open_again(&one, spec, &oracle, &e)) {
		self->failed = true;
		snprintf(self->failure, sizeof self->failure, "%s", e.text);
		return;
	}
	same.bench = &one;
	same.signature = f->signature;
	write_finding(self, f, c, seen, which, &same);
	bench_close(&one);
	same_signature_slips(&same, take_slip, &taker);
	same_signature_close(&same);
}

static void take_slip(void *context, const char *signature, const struct testcase *c)
{
	const struct slip_taker *t = context;
	struct campaign *self = t->campaign;
	const bool late = self->o->seconds > 0 && bench_clock() - self->start >= self->o->seconds;

	if (!find_finding(self, signature) && !late && !campaign_stop_requested() && !(self->o->max_findings && self->n_finding >= self->o->max_findings))
		add_finding(self, t->spec, signature, c, NULL, 0, t->number);
}

static void record_finding(struct campaign *self, const char *signature, const struct testcase *c, const struct bench_result *seen, int which, int64_t number)
{
	const double start = bench_clock();

	if (!find_finding(self, signature)) {
		add_finding(self, self->o->spec[which], signature, c, seen, which, number);
		self->minimize_seconds += bench_clock() - start;
	}
	find_finding(self, signature)->count++;
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
		write_file(self, self->oracle_dir, name, text, len);
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

void campaign_record(struct campaign *self, const struct testcase *c, int64_t number, const struct bench_result *r, struct arena *a)
{
	for (int k = 0; k < self->bench.n_engine; k++) {
		const struct judgement *j = &r->judgement[k];

		for (int p = 0; p < c->n_point; p++)
			if (r->answer[k][p].status == ANSWER_FAILURE && !self->failed) {
				self->failed = true;
				snprintf(self->failure, sizeof self->failure, "%s: %s", self->o->spec[k], r->answer[k][p].text);
			}
		if (verdict_is_finding[j->verdict])
			record_finding(self, signature_coarse(self->o->spec[k], c, j, a), c, r, k, number);
	}
	if (r->oracle_disagreement)
		record_oracle(self, c);
}

/* findings.c: records what a case shows.  Findings go to triage; disagreements of the oracles are kept here. */
#include "findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/bench/question.h"

struct disagreement {
	struct campaign *campaign;
	struct bench *none;
	const struct testcase *c;
};

static void minimize_disagreement(void *context)
{
	const struct disagreement *d = context;
	struct campaign *self = d->campaign;
	const struct limit until = campaign_limit(self);
	struct question disagree = {.bench = d->none, .judged = JUDGED_IN_FULL, .disagreement = true};
	struct minimize_statistics stats;
	struct testcase small = *d->c;
	char name[ORACLE_NAME], *text;
	size_t len;

	if (case_shows(d->c, &disagree, &self->side, NULL)) {
		arena_reset(&self->side);
		small = minimize(
		    d->c, question_holds, &disagree, self->o->minimize_budget, &until, &self->side, &stats);
	}
	small.n_expect = 0;
	small.provenance.title = "the two oracles disagree";
	text = testcase_write(&small, &self->side, &len);
	snprintf(name, sizeof name, "%016llx.json", (unsigned long long)testcase_hash(&small));
	write_or_fail(&self->failure, self->oracle_dir, name, text, len);
	for (int i = 0; i < self->n_oracle_file; i++)
		if (!strcmp(self->oracle_file[i], name))
			return;
	memcpy(self->oracle_file[self->n_oracle_file++], name, sizeof name);
}

/* A disagreement of the oracles is a bug in adjudge.  It is kept apart, and minimized without any engine. */
static void record_oracle(struct campaign *self, const struct testcase *c)
{
	struct oracle_options oracle = {.seed = self->o->seed, .fd_one_in = 1};
	struct error e = {0};
	struct bench none;
	double start = bench_clock();

	if (self->n_oracle_file == ORACLE_FILES || !bench_open(&none, NULL, 0, &oracle, &e))
		return;
	arena_reset(&self->side);
	arena_try(&self->side, minimize_disagreement, &(struct disagreement){self, &none, c});
	bench_close(&none);
	self->minimize_seconds += bench_clock() - start;
}

struct filing {
	struct campaign *campaign;
	const struct case_record *record;
	const struct testcase *c;
	int64_t number;
	struct arena *twins;
};

/* The case that the finding is about.  False: it cannot be made. */
static bool case_of(const struct filing *x, bool of_twin, enum twin kind, struct testcase *out)
{
	*out = *x->c;
	return !of_twin || twin_make(x->c, kind, x->campaign->wide, x->twins, out);
}

static void file_all(void *context)
{
	const struct filing *x = context;
	struct triage *triage = &x->campaign->triage;
	struct testcase c;

	for (int k = 0; k < x->record->n_finding; k++) {
		const struct case_finding *f = &x->record->finding[k];

		if (!case_of(x, f->of_twin, f->twin, &c))
			continue;
		if (f->incident)
			triage_record_incident(triage, f->which, f->signature, &c, &f->evidence, x->number);
		else
			triage_record(triage, f->which, f->signature, f->point, &c, &f->evidence, x->number);
	}
	if (x->record->disagreement)
		record_oracle(x->campaign, x->c);
	for (int k = 0; k < TWIN_COUNT; k++)
		if (x->record->twin_disagreements >> k & 1 && case_of(x, true, (enum twin)k, &c))
			record_oracle(x->campaign, &c);
}

void campaign_file(struct campaign *self, const struct case_record *record, const struct testcase *c, int64_t number)
{
	struct arena twins;

	arena_init(&twins, CASE_ARENA);
	file_all(&(struct filing){self, record, c, number, &twins});
	arena_free(&twins);
}

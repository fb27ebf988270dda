/* take.c: what the owner of a campaign does with a record. */
#include "take.h"

#include "corpus.h"
#include "findings.h"
#include "members.h"
#include "state.h"

void campaign_take(struct campaign *self, const struct case_record *record, const struct testcase *c)
{
	const char *text = record->text;
	const int64_t work = self->counts.work;
	size_t len = record->len;
	int fresh;

	if (self->cut)
		return;
	fresh = counts_add(&self->counts, record);
	draw_log_add(&self->log, record->drawn, self->counts.work - work, record);
	if (self->judges && self->mutates && self->given_done < self->given_at)
		self->given_done++; /* they are judged first, and in order */
	if (fresh)
		self->feature_time = bench_clock();
	self->triage.cases = self->counts.cases;
	self->triage.truth_work = self->counts.work;
	if (c && (record->n_finding || record->disagreement || record->twin_disagreements))
		campaign_file(self, record, c, self->counts.cases);
	triage_go_on(&self->triage);
	if (fresh && record->parent && self->mutates) {
		arena_reset(&self->side);
		if (!text)
			text = testcase_write_compact(c, &self->side, &len);
		corpus_keep(self, text, len);
	}
	if (self->triage.cut)
		self->cut = true;
	else
		campaign_settle(self);
}

/* corpus_room.c: see corpus_room.h. */
#include "corpus_room.h"

#include "fuzz/campaign/counting/counts.h"

bool corpus_room_take(struct corpus_room *self, size_t len)
{
	if (len > CORPUS_CASE_BYTES || self->n >= CORPUS_CASES || len > CORPUS_BYTES - self->bytes)
		return false;
	self->n++;
	self->bytes += len;
	return true;
}

/* About twice the size of a fresh case, in nodes and in the work that program_work counts. */
enum { PARENT_NODES = 48, PARENT_WORK = 4096 };

bool case_is_parent(const struct testcase *c)
{
	return program_nodes(&c->program) <= PARENT_NODES &&
	    program_work(&c->program) * c->n_point * request_slices(c->transform, c->n_transform) <= PARENT_WORK;
}

/* Whether the class of counter k is new to libFuzzer. */
static bool is_new(const struct fuzzer_corpus *self, const uint8_t counters[FEATURE_BYTES], int k)
{
	return counters[k] && counter_class(counters[k]) & ~self->seen[k];
}

void fuzzer_corpus_note(struct fuzzer_corpus *self, uint8_t counters[FEATURE_BYTES], size_t len)
{
	bool any = false, kept;

	for (int k = 0; k < FEATURE_BYTES && !any; k++)
		any = is_new(self, counters, k);
	if (!any)
		return;
	kept = corpus_room_take(&self->room, len);
	for (int k = 0; k < FEATURE_BYTES; k++) {
		if (!is_new(self, counters, k))
			continue;
		if (kept)
			self->seen[k] = (uint8_t)(self->seen[k] | counter_class(counters[k]));
		else
			counters[k] = 0;
	}
}

/* record.c: a record as bytes: the struct, then its lists, then its texts. */
#include "record.h"

#include <string.h>

void record_pack(const struct case_record *record, struct text *to)
{
	text_put_bytes(to, (const char *)record, sizeof *record);
	text_put_bytes(to, (const char *)record->engine, (size_t)record->n_engine * sizeof *record->engine);
	text_put_bytes(to, (const char *)record->feature, (size_t)record->n_feature * sizeof *record->feature);
	text_put_bytes(to, (const char *)record->finding, (size_t)record->n_finding * sizeof *record->finding);
	for (int k = 0; k < record->n_finding; k++) {
		const struct case_finding *f = &record->finding[k];

		text_put_bytes(to, f->signature, strlen(f->signature) + 1);
		text_put_bytes(to, f->evidence.report, f->evidence.len);
	}
	if (record->text)
		text_put_bytes(to, record->text, record->len + 1);
}

/* Takes the next n bytes. */
static const char *take(const char **at, size_t n)
{
	const char *bytes = *at;

	*at += n;
	return bytes;
}

/* A list in the arena, because the bytes may not be aligned. */
static void *take_list(const char **at, int n, size_t size, struct arena *a)
{
	void *list = arena_alloc(a, (size_t)n + 1, size);

	memcpy(list, take(at, (size_t)n * size), (size_t)n * size);
	return list;
}

struct case_record record_unpack(const char *bytes, size_t len, struct arena *a)
{
	const char *at = bytes;
	struct case_record record;

	memcpy(&record, take(&at, sizeof record), sizeof record);
	record.engine = take_list(&at, record.n_engine, sizeof *record.engine, a);
	record.feature = take_list(&at, record.n_feature, sizeof *record.feature, a);
	record.finding = take_list(&at, record.n_finding, sizeof *record.finding, a);
	for (int k = 0; k < record.n_finding; k++) {
		struct case_finding *f = &record.finding[k];

		f->signature = take(&at, strlen(at) + 1);
		f->evidence.report = take(&at, f->evidence.len);
	}
	if (record.text)
		record.text = take(&at, record.len + 1);
	return at == bytes + len ? record : (struct case_record){.skipped = true};
}

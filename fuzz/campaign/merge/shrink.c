/* shrink.c: see shrink.h. */
#include "shrink.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/bench/bench.h"
#include "graph/json.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/books/case_paths.h"
#include "fuzz/campaign/books/corpus_room.h"
#include "graph/heap.h"
#include "reports/file.h"

enum { SHRINK_ARENA = 512 << 20 };

struct kept_case {
	const char *name;
	char *text;
	size_t len;
};

struct shrinking {
	struct bench bench;
	struct arena arena;
	struct fuzzer_corpus corpus;
	const struct kept_case *now;
};

static int by_size(const void *x, const void *y)
{
	const struct kept_case *left = x, *right = y;

	if (left->len != right->len)
		return left->len < right->len ? -1 : 1;
	return memcmp(left->text, right->text, left->len);
}

/* Counts the features of a case, if it can be read. */
static void note(void *context)
{
	struct shrinking *s = context;
	uint8_t counters[FEATURE_BYTES] = {0};
	struct bench_result r;
	struct error e = {0};
	struct testcase c;

	if (!testcase_read(s->now->text, s->now->len, &s->arena, &c, &e))
		return;
	bench_truth(&s->bench, &c, &s->arena, &r);
	features_of(&c, &r.truth, counters);
	fuzzer_corpus_note(&s->corpus, counters, s->now->len);
}

static bool shrink(struct shrinking *s, const char *dir, const struct kept_case *at, int n, struct error *e)
{
	for (int k = 0; k < n && !stop_requested(); k++) {
		const int before = s->corpus.room.n;

		s->now = &at[k];
		arena_reset(&s->arena);
		arena_try(&s->arena, note, s);
		if (s->corpus.room.n == before && !file_remove(dir, at[k].name, e))
			return false;
	}
	return true;
}

bool corpus_shrink(const char *dir, struct error *e)
{
	const struct oracle_options oracle = {.seed = 1, .fd_one_in = INT_MAX};
	struct paths files = paths_find((const char *const[]){dir}, 1);
	struct kept_case *at = heap_new((size_t)files.n + 1, sizeof *at);
	struct shrinking *s = heap_new(1, sizeof *s);
	struct error unread = {0};
	bool done = bench_open(&s->bench, NULL, 0, &oracle, e);
	int n = 0;

	arena_init(&s->arena, SHRINK_ARENA);
	for (int k = 0; k < files.n; k++) {
		size_t len;
		const char *text;

		arena_reset(&s->arena);
		text = json_read_bytes(files.at[k], LIMIT_CASE_BYTES, &s->arena, &len, &unread);
		if (text) {
			at[n] = (struct kept_case){strrchr(files.at[k], '/') + 1, heap_new(len + 1, 1), len};
			memcpy(at[n++].text, text, len);
		}
	}
	qsort(at, (size_t)n, sizeof *at, by_size);
	if (done) {
		done = shrink(s, dir, at, n, e);
		bench_close(&s->bench);
	}
	for (int k = 0; k < n; k++)
		free(at[k].text);
	arena_free(&s->arena);
	free(at);
	free(s);
	paths_free(&files);
	return done;
}

/*
 * What a campaign keeps of its cases, and what a process holds of them, has a limit in cases and in bytes.  libFuzzer
 * keeps no further case then, but still sees the features that it knows.
 */
#include "fuzz/campaign/books/corpus_room.h"

#include <string.h>

#include "tests/check.h"

/* Takes room for cases of `len` bytes until there is none.  Returns how many. */
static int fill(struct corpus_room *room, size_t len)
{
	int n = 0;

	while (n <= 2 * CORPUS_CASES && corpus_room_take(room, len))
		n++;
	return n;
}

static void test_room(void)
{
	static const struct {
		size_t len;
		int cases;
	} rows[] = {{1, CORPUS_CASES}, {2400, CORPUS_CASES}, {CORPUS_BYTES / CORPUS_CASES, CORPUS_CASES},
	    {CORPUS_BYTES / CORPUS_CASES + 1, CORPUS_BYTES / (CORPUS_BYTES / CORPUS_CASES + 1)},
	    {CORPUS_CASE_BYTES, CORPUS_BYTES / CORPUS_CASE_BYTES}, {CORPUS_CASE_BYTES + 1, 0}, {SIZE_MAX, 0}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct corpus_room room = {0};
		const int n = fill(&room, rows[i].len);

		CHECK(n == rows[i].cases, "%d cases of %zu bytes instead of %d", n, rows[i].len, rows[i].cases);
		CHECK(room.n == n && room.bytes == (size_t)n * rows[i].len, "%d cases, %zu bytes", room.n, room.bytes);
	}
}

/* Runs a case in which counter k has a value. */
static void run_case(struct fuzzer_corpus *corpus, uint8_t counters[FEATURE_BYTES], int k, uint8_t value, size_t len)
{
	memset(counters, 0, FEATURE_BYTES);
	counters[k] = value;
	fuzzer_corpus_note(corpus, counters, len);
}

static void test_kept(void)
{
	struct fuzzer_corpus corpus = {0};
	uint8_t counters[FEATURE_BYTES];

	run_case(&corpus, counters, 5, 1, 100);
	CHECK(counters[5] == 1 && corpus.room.n == 1 && corpus.room.bytes == 100, "a new counter: %d", corpus.room.n);
	run_case(&corpus, counters, 5, 1, 70);
	CHECK(counters[5] == 1 && corpus.room.n == 1, "a counter that was seen: %d", corpus.room.n);
	run_case(&corpus, counters, 5, 4, 10);
	CHECK(counters[5] == 4 && corpus.room.n == 2, "another class of it: %d", corpus.room.n);
	run_case(&corpus, counters, 5, 7, 10);
	CHECK(counters[5] == 7 && corpus.room.n == 2, "the same class: %d", corpus.room.n);
	run_case(&corpus, counters, FEATURE_BYTES - 1, 255, 10);
	CHECK(counters[FEATURE_BYTES - 1] == 255 && corpus.room.n == 3, "the last counter: %d", corpus.room.n);
}

static void test_full(void)
{
	struct fuzzer_corpus corpus = {0};
	uint8_t counters[FEATURE_BYTES] = {0};

	run_case(&corpus, counters, 7, 1, 100);
	while (corpus_room_take(&corpus.room, 1))
		;
	run_case(&corpus, counters, 8, 1, 100);
	CHECK(!counters[8], "libFuzzer keeps a case for which there is no room");
	run_case(&corpus, counters, 7, 1, 100);
	CHECK(counters[7] == 1, "libFuzzer no longer sees a feature that it knows");
	memset(counters, 0, sizeof counters);
	counters[7] = counters[8] = 1;
	fuzzer_corpus_note(&corpus, counters, 100);
	CHECK(counters[7] == 1 && !counters[8], "%d and %d of a case with a known and a new feature", counters[7],
	    counters[8]);
	CHECK(corpus.room.n == CORPUS_CASES, "%d cases", corpus.room.n);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	CHECK_LAW(test_room());
	CHECK_LAW(test_kept());
	CHECK_LAW(test_full());
	return check_done();
}

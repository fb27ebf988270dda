/*
 * corpus_room.h: how much of its corpus a campaign keeps, and how much of it a process may hold.
 *
 * Without a limit, the memory of a process grows for as long as the campaign finds features.
 */
#ifndef FUZZ_CAMPAIGN_BOOKS_CORPUS_ROOM_H
#define FUZZ_CAMPAIGN_BOOKS_CORPUS_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "fuzz/campaign/counting/coverage.h"

enum {
	CORPUS_CASES = 4096,        /* in DIR/corpus, and in each list of a process */
	CORPUS_BYTES = 32 << 20,    /* of these cases, as compact text */
	CORPUS_CASE_BYTES = 1 << 16 /* longer cases are not kept */
};

/* A list of cases as compact text.  Initialise to zero. */
struct corpus_room {
	int n;
	size_t bytes;
};

/* Takes room for one more case of `len` bytes.  False: there is none, and nothing changes. */
bool corpus_room_take(struct corpus_room *self, size_t len);

/*
 * Whether a case may be a parent.  Guidance by features favours large cases, which cost more than they show.  Without
 * this bound, a campaign drifts to cases of hundreds of ops and a twentieth of the speed.
 */
bool case_is_parent(const struct testcase *c);

/* What libFuzzer holds.  Initialise to zero. */
struct fuzzer_corpus {
	struct corpus_room room;
	uint8_t seen[FEATURE_BYTES]; /* classes of each counter that it has seen */
};

/*
 * Called after a case has run and before libFuzzer reads its counters.  libFuzzer keeps a case if a counter is in a
 * class that it has not seen.  If there is no room for such a case, its new counters become 0.  Then libFuzzer does not
 * keep it, and the campaign still counts its features.
 */
void fuzzer_corpus_note(struct fuzzer_corpus *self, uint8_t counters[FEATURE_BYTES], size_t len);

#endif

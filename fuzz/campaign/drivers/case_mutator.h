/*
 * case_mutator.h: mutates and crosses cases as JSON text.  The campaign and the stand-alone libFuzzer target share it.
 */
#ifndef FUZZ_CAMPAIGN_DRIVERS_CASE_MUTATOR_H
#define FUZZ_CAMPAIGN_DRIVERS_CASE_MUTATOR_H

#include "fuzz/bench/draw.h"

struct case_mutator {
	uint64_t seed; /* mixed into libFuzzer's own */
	struct profile profile;
	const struct bench *bench; /* its engines know what is made; NULL: all that is valid */
	struct arena arena;
	/* Cases that may be used in place of a fresh one, as a start; n_pool 0: none. */
	int n_pool;
	const char *(*pool_text)(void *pool, int k, size_t *len);
	void *pool;
};

void case_mutator_open(struct case_mutator *m, uint64_t seed, const struct profile *profile, const struct bench *bench);
/*
 * Mutates `left`, or crosses it with `right` (NULL: there is none), until the bench knows the result (draw.h).  After a
 * few attempts it draws a fresh case.
 */
struct testcase change_known(const struct bench *bench, const struct testcase *left, const struct testcase *right,
    struct choice *choice, const struct profile *profile, struct arena *a);
/*
 * Mutates data in place; returns the new size, at most max_size.  Any bytes give a valid case, if max_size allows one.
 */
size_t case_mutate(struct case_mutator *m, uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t case_cross_over(struct case_mutator *m, const uint8_t *left, size_t left_size, const uint8_t *right,
    size_t right_size, uint8_t *out, size_t max_size, unsigned seed);

#endif

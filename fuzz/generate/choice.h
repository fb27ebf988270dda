/* choice.h: the only source of decisions for generator and mutator: a pseudo-random stream, or given bytes. */
#ifndef FUZZ_GENERATE_CHOICE_H
#define FUZZ_GENERATE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decisions are drawn from bytes while there are any.  When a source of bytes alone runs out, it answers 0, the
 * simplest choice, for ever.  A seeded source is xoshiro256** seeded by splitmix64 (Blackman and Vigna 2018): the same
 * on every host.
 */
struct choice {
	const uint8_t *bytes;
	size_t len, at;
	bool seeded;
	uint64_t state[4];
};

struct choice choice_seeded(uint64_t seed);
struct choice choice_bytes(const uint8_t *bytes, size_t len);

uint64_t choice_bits(struct choice *c);
/* Uniform in [0, n); 0 when n <= 1. */
int choice_below(struct choice *c, int n);
/* Uniform in [low, high]. */
int choice_between(struct choice *c, int low, int high);
/* True with probability percent/100; false when a bytes source has run out. */
bool choice_percent(struct choice *c, int percent);
/* An index in [0, n) with probability proportional to weight[i] >= 0; 0 when all are 0. */
int choice_weighted(struct choice *c, const int *weight, int n);

/* Mixes two parts of a seed, for instance for the seed of a case: splitmix64 of a ^ rotated b. */
uint64_t seed_mix(uint64_t a, uint64_t b);

#endif

/* random.h: splitmix64 (Steele, Lea and Flood 2014), for seeds and hashes. */
#ifndef GRAPH_RANDOM_H
#define GRAPH_RANDOM_H

#include <stdint.h>

/* The state grows by this in each step: 2^64 divided by the golden ratio. */
#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The finalizer: every bit of z affects every bit of the result. */
static inline uint64_t random_mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The next number of a sequence.  Any start value of the state is good. */
static inline uint64_t random_next(uint64_t *state) { return random_mix(*state += RANDOM_STEP); }

#endif

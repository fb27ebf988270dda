/* hash.h: FNV-1a with 64 bits, for names and sets.  It is not safe against deliberate collisions. */
#ifndef GRAPH_HASH_H
#define GRAPH_HASH_H

#include <stdint.h>

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* Adds a byte, or a whole word, to the hash h. */
static inline uint64_t hash_step(uint64_t h, uint64_t x) { return (h ^ x) * UINT64_C(0x100000001b3); }

static inline uint64_t hash_text(const char *text)
{
	uint64_t h = HASH_BEGIN;

	while (*text)
		h = hash_step(h, (unsigned char)*text++);
	return h;
}

#endif

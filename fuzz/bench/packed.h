/* packed.h: values as bytes, from one process of adjudge to another of the same executable.  Numbers are copied as they
 * are in memory; a text is its length and its bytes. */
#ifndef FUZZ_BENCH_PACKED_H
#define FUZZ_BENCH_PACKED_H

#include <stdbool.h>

#include "graph/testcase.h"
#include "graph/text.h"

void pack_bytes(struct text *t, const void *from, size_t size);
/* NULL becomes "". */
void pack_text(struct text *t, const char *text);
void pack_case(struct text *t, const struct testcase *c);

/* Bytes that are read.  Set the first three and good; good becomes false where they are too few or are no case. */
struct packed {
	const char *at, *end;
	struct arena *arena; /* of texts and cases */
	bool good;
};

/* Zeroes what cannot be read. */
void unpack_bytes(struct packed *r, void *to, size_t size);
/* "" if it cannot be read. */
const char *unpack_text(struct packed *r);
void unpack_case(struct packed *r, struct testcase *out);

#endif

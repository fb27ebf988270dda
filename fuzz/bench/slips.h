/* slips.h: other findings that a search for one finding meets: the smallest case for each coarse signature. */
#ifndef FUZZ_BENCH_SLIPS_H
#define FUZZ_BENCH_SLIPS_H

#include "graph/testcase.h"

enum { SLIPS = 16 };

struct slip {
	char *signature, *text; /* text: the case as compact JSON; both owned */
	size_t len;
	int nodes;
};

/* All zero: there are none. */
struct slips {
	int n;
	struct slip at[SLIPS];
};

/* Keeps c if it is the smallest case of its signature.  A new signature is dropped if there is no room. */
void slips_note(struct slips *self, const char *signature, const struct testcase *c, struct arena *scratch);
void slips_free(struct slips *self);

#endif

/* slips.h: findings that a search comes upon though it is after another one: the smallest case for each coarse signature. */
#ifndef FUZZ_SLIPS_H
#define FUZZ_SLIPS_H

#include "../graph/testcase.h"

enum { SLIPS = 16 };

struct slip {
	char *signature, *text; /* of the case, compact JSON; both owned */
	size_t len;
	int nodes;
};

/* Zero-initialized there are none. */
struct slips {
	int n;
	struct slip at[SLIPS];
};

/* Keeps c where it is the first of its signature, as long as there is room, or the smallest. */
void slips_note(struct slips *self, const char *signature, const struct testcase *c, struct arena *scratch);
void slips_free(struct slips *self);

#endif

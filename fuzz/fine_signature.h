/*
 * fine_signature.h: what a simplest case is about, in the names of its ops; and which findings are one bug.
 *
 * "tape|vjp|for{mul}": engine spec; jvp, vjp or primal, "order N" from 2 on; the ops, constants left out, each once, in the order of their names, those of
 * regions in braces.  Names, numbers, extents and the way operands are wired do not count.  An op that any other would do for is
 * "elementwise" or "singular" (simplest.h); ops that one rule serves in most engines have one name (a table in fine_signature.c).
 */
#ifndef FUZZ_FINE_SIGNATURE_H
#define FUZZ_FINE_SIGNATURE_H

#include "simplest.h"

enum { PATTERN_SIZE = OP_COUNT + 2 };

/* The set of names in a fine signature: of ops, and of the two roles behind them. */
struct pattern {
	bool has[PATTERN_SIZE];
};

/* role: of simplest_roles, or NULL where every op stands for itself.  In the arena. */
char *fine_signature(const char *spec, const struct testcase *c, const enum role *role, struct arena *a);
struct pattern pattern_of(const struct testcase *c, const enum role *role);

/* Whether the case has every op of the pattern, and for each role some op that can have it. */
bool pattern_is_in(const struct pattern *p, const struct testcase *c);
/*
 * Whether what has the larger pattern has the smaller one's bug: it has all its names (for a role, an op that can have it), one of them that of an op
 * without regions, which is what is to blame.  {for, div} explains {for, add, div}; {for} alone explains nothing: what matters there is what the loop lacks.
 */
bool pattern_explains(const struct pattern *smaller, const struct pattern *larger);
/* Whether no op of it has regions. */
bool pattern_is_leaf(const struct pattern *p);
int pattern_size(const struct pattern *p);

#endif

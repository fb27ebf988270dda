/*
 * wiring.h: what regions give as results, whatever is computed in them.  A finding that names nothing but ops with
 * regions (fine_signature.h) is about that: a loop that gives a value of outside, one that gives a value at two places.
 * A case is more of it where that is in it, and need not be because it has a loop.
 */
#ifndef FUZZ_TRIAGE_WIRING_H
#define FUZZ_TRIAGE_WIRING_H

#include "fine_signature.h"

/* Whether a pattern has ops, and all of them regions. */
bool pattern_is_bare(const struct pattern *p);

/*
 * Whether every node with regions of `small` has one in p that does the same and maybe more: of the same op, all loops
 * being one, with results of its own for those of `small`, where one that is made in the region stands for one that is
 * made there, one of outside for one of outside, one value at several places for any such, and anything for a constant.
 */
bool wiring_is_in(const struct program *small, const struct program *p);
/* Whether node n of p, or one inside it, does so for some node of `small`. */
bool wiring_hangs_on(const struct program *small, const struct program *p, const struct node *n);

#endif

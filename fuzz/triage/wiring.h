/*
 * wiring.h: which values the regions of a program return, whatever they compute.  Some findings name only ops with
 * regions (fine_signature.h).  Their bug is in the wiring: for instance, a loop returns a value from outside, or
 * returns one value twice.  A case belongs to such a finding if it contains its wiring.  Having a loop is not enough.
 */
#ifndef FUZZ_TRIAGE_WIRING_H
#define FUZZ_TRIAGE_WIRING_H

#include "fine_signature.h"

/* Whether the pattern names ops only, at least one, and all of them have regions. */
bool pattern_is_bare(const struct pattern *p);

/*
 * Whether p contains the wiring of `small`: every node of `small` with regions fits a node of p.  A node fits another
 * one if both have the same op, or both are loops, and their results fit, each to another one:
 * - a value made in the region fits a value made in the region;
 * - a value from outside fits a value from outside;
 * - a value returned twice fits any value returned at the same places;
 * - a constant fits anything.
 */
bool wiring_is_in(const struct program *small, const struct program *p);
/* Whether node n of p, or one inside it, fits a node of `small` in this way. */
bool wiring_hangs_on(const struct program *small, const struct program *p, const struct node *n);

#endif

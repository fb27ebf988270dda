/* nudge.h: a point and seeds beside those of a case.  A variant that passes, and fails there, is right by accident. */
#ifndef ADJUDGE_NUDGE_H
#define ADJUDGE_NUDGE_H

#include "explain.h"

/* How far finite floats move, each by another step. */
enum nudge {
	NUDGE_FAR,   /* so far that little is right by accident */
	NUDGE_NEAR,  /* a little; integers stay integers: that may be what matters */
	NUDGE_SEEDS, /* as near, but the point stays: a number beside may lie beyond a threshold */
};

/*
 * Whether integers in the point stay integers with NUDGE_NEAR, by the n ops to blame.  They do not if one of these is
 * smooth and combines elements, as reduce_prod does: equal elements may make it right by accident, and whether they are
 * integers seldom matters.
 */
bool nudge_keeps_integers(const struct blamed *blamed, int n);

/* Moves the floats of *c in place, rounded to their dtypes.  Seeds always move. */
void nudge(struct testcase *c, enum nudge how, bool keep_integers);

#endif

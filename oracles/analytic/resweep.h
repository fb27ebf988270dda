/*
 * resweep.h: the part of a sweep that depends on what ties choose.
 *
 * At a point with ties, the sweep runs for each assignment of conventions and for each corner of the hull. Only the
 * flows below a tie change, or beyond it for a tangent. The others stay, and so does the work that they count.
 */
#ifndef ORACLES_ANALYTIC_RESWEEP_H
#define ORACLES_ANALYTIC_RESWEEP_H

#include "internal.h"

struct resweep {
	uint8_t *inside; /* [n_scalar] whether the flow may change */
	int n, *at;      /* [n] scalars that a sweep visits: these, and those that add to them; ascending */
	int64_t work;    /* of the edges that it leaves out (work.h) */
};

/* What the sweeps of t leave to be done after the first one, whose flows are there. In the arena. */
struct resweep *resweep_plan(struct analytic *self, const struct transform *t, struct arena *a);

#endif

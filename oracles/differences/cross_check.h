/* cross_check.h: the analytic oracle against finite differences at one point. */
#ifndef ORACLES_DIFFERENCES_CROSS_CHECK_H
#define ORACLES_DIFFERENCES_CROSS_CHECK_H

#include "finite_difference_mixed.h"

struct cross_check {
	struct fd *fd;
	struct fd_mixed *mixed;                            /* for order 2 and above */
	uint64_t seed;                                     /* of the random directions */
	int64_t fd_runs, fd_escalations, fd_disagreements; /* counted up */
};

/*
 * Compares the derivatives of `io`, the truth at point `which` of c (checked; a request of one or more jvp and vjp),
 * with finite differences along one direction, random (vjp) or the tangent (jvp), then along parts of it when something
 * is off.  Fills io->fd; a component whose path neither side takes, or on which the oracles disagree, becomes
 * undecided.  At a kink, where conventions differ, it abstains.
 */
void cross_check_direction(
    struct cross_check *self, const struct testcase *c, int which, struct truth_point *io, struct arena *a);

/* The same, coordinate by coordinate from the start; a jvp has the direction of its tangent only. */
void cross_check_coordinates(
    struct cross_check *self, const struct testcase *c, int which, struct truth_point *io, struct arena *a);

#endif

/*
 * alternatives.h: what an undecided derivative may be where an engine may choose. Rounding may change a select, a
 * branch of a cond, a maximum or minimum, the sign of an abs, or the place in a sort. And a custom whose rule is not
 * trusted is differentiated by that rule, or by its function.
 *
 * The program is evaluated once more. Both ways of such a choice belong to the trace, and the value is that of one,
 * with a radius that reaches the other. So later values and partials hold for either way, and for engines that decide
 * anew backwards. Then one sweep for each combination of the choices gives the alternatives. An engine that shares a
 * maximum, where numbers come out equal, answers between them.
 */
#ifndef ORACLES_ANALYTIC_ALTERNATIVES_H
#define ORACLES_ANALYTIC_ALTERNATIVES_H

#include "internal.h"

/*
 * Adds the alternatives to components of *io that are undecided(unstable-path) or undecided(custom-rule), or
 * ill-conditioned because of such a choice. *io is the truth at c->point[which], and `spent` the counted nanoseconds
 * that it cost. There are none if an index or a trip count depends on a choice, if the choices are too many, or if one
 * leaves a component undecided.
 */
void alternatives_add(
    struct analytic *self, const struct testcase *c, int which, int64_t spent, struct arena *a, struct truth_point *io);

/* Makes scalar k unknown, whose note was just made, if it chooses by what leaves the range: a NaN may be nobody's
 * maximum. */
void alternatives_note(struct note *note, int k);

/* Makes scalar k, which was just appended for a choice among its parents, known: it may be any of them. */
void alternatives_join(const struct evaluation *ev, struct note *note, int k);

#endif

/* nan_reach.h: at order 2 and above, which derivatives a NaN may reach that no path carries. */
#ifndef ORACLES_ANALYTIC_NAN_REACH_H
#define ORACLES_ANALYTIC_NAN_REACH_H

#include "internal.h"

/*
 * By scalar of the trace of the program. TOLERANCE.md, "NaN at order 2 and above", derives it.
 *
 * forwards[k]: the tangent of scalar k may be a NaN. backwards[k]: a derivative by scalar k may be one, if some level
 * of the request is a vjp. Both NULL: no NaN begins anywhere.
 */
struct nan_reach {
	const uint8_t *forwards, *backwards;
};

/*
 * Call it after evaluate and before the trace grows. order: of the request. conventions: any assignment. zeros: of an
 * engine that gives a tangent 0 to everything else, constants included, and whose zeros multiply like any number.
 * Memory comes from the arena of the evaluation.
 */
struct nan_reach nan_reach_of(
    struct analytic *self, const struct conventions *conventions, const struct testcase *c, int order, bool zeros);

/* Whether a NaN may reach element e of derivative number i of the request. */
bool nan_reaches(const struct analytic *self, const struct testcase *c, const struct nan_reach *reach, int i, int e);

#endif

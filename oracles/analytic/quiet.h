/*
 * quiet.h: the balls of scalars for which no hook was called. The check of a custom rule compares them
 * (oracles/evaluate/custom.c).
 */
#ifndef ORACLES_ANALYTIC_QUIET_H
#define ORACLES_ANALYTIC_QUIET_H

#include "oracles/evaluate/evaluate.h"

/*
 * The hook `fits`: for each i, whether the radius of given[i] and its distance from exact[i] add up to at most the
 * loose radius that the derivative has there. False where one of them is unknown, where a formula of the rule may leave
 * the range, and at a tie. self: struct analytic.
 */
bool quiet_fits(void *self, const struct rule_check *check);

#endif

/*
 * quiet.h: the balls of scalars for which no hook was called. The check of a custom rule compares them
 * (oracles/evaluate/custom_check.c).
 */
#ifndef ORACLES_ANALYTIC_QUIET_H
#define ORACLES_ANALYTIC_QUIET_H

#include "oracles/evaluate/evaluate.h"

/*
 * The hook `excess`. At order 1 it compares the rule with the loose radius of a sweep over the function, and allows
 * MOST_EXCESS times this. At a tie, and where the request or an op derivative asks for more, it compares the balls of
 * both. Then the excess is 0 or infinity. self: struct analytic.
 */
double quiet_excess(void *self, const struct rule_check *check);

#endif

/*
 * custom_reach.h: which derivatives pass a custom whose rule is not trusted. An engine may use the rule, so these are
 * unknown. Values never are: no engine computes a value by a derivative rule.
 */
#ifndef ORACLES_ANALYTIC_CUSTOM_REACH_H
#define ORACLES_ANALYTIC_CUSTOM_REACH_H

#include "graph/testcase.h"
#include "oracles/truth.h"

/*
 * Makes each derivative in *io undecided(custom-rule) that passes one of broken[n], nodes of c's program. With several
 * transforms these are all derivatives, if any passes. In the others a NaN is no leak. The rules must be linear in
 * their directions. The program must have no op derivative, because its values pass rules. The arena is for working
 * memory.
 */
void custom_reach(
    const struct testcase *c, const struct node *const *broken, int n, struct arena *a, struct truth_point *io);

#endif

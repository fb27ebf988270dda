/* coverage.h: what a case exercised, as counters that steer a campaign. */
#ifndef FUZZ_CAMPAIGN_COVERAGE_H
#define FUZZ_CAMPAIGN_COVERAGE_H

#include "graph/testcase.h"
#include "oracles/truth.h"

enum { FEATURE_BYTES = 4096 };

/*
 * Sets (increments, saturating) the counters of what `c` contains: op pairs, loop x select x scatter context,
 * active-subset shape, dtype x family; and, when truth is not NULL, path events (edge, kink, undecided reasons).
 * counters[FEATURE_BYTES].
 */
void features_of(const struct testcase *c, const struct truth *truth, uint8_t counters[FEATURE_BYTES]);

#endif

/* coverage.h: the features of a case, as counters that guide a campaign. */
#ifndef FUZZ_CAMPAIGN_COUNTING_COVERAGE_H
#define FUZZ_CAMPAIGN_COUNTING_COVERAGE_H

#include "graph/testcase.h"
#include "oracles/truth.h"

enum { FEATURE_BYTES = 4096 };

/*
 * Increments counters[FEATURE_BYTES] (saturating) for what `c` contains.  These are pairs of ops, nestings of loop,
 * select and scatter, the shape of the differentiated subset, and dtype by family.  If truth is not NULL, they include
 * events on the path (edge, kink, reasons why it is undecided).
 */
void features_of(const struct testcase *c, const struct truth *truth, uint8_t counters[FEATURE_BYTES]);

#endif

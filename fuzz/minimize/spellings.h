/* spellings.h: a case of a finding with as few spellings of the engine as the finding needs. */
#ifndef FUZZ_MINIMIZE_SPELLINGS_H
#define FUZZ_MINIMIZE_SPELLINGS_H

#include "fuzz/bench/question.h"

/*
 * Gives the first spelling back to each op of c, and to its request, that the finding does not need in another one.
 * The variant becomes the smallest that draws what is left.  One question for each such spelling; none without a
 * variant.
 */
struct testcase fewest_spellings(const struct question *q, const struct testcase *c, struct arena *a);

#endif

/* fit_profile.h: fits a profile of the generator to the engines of a bench. */
#ifndef FUZZ_BENCH_FIT_PROFILE_H
#define FUZZ_BENCH_FIT_PROFILE_H

#include "bench.h"
#include "fuzz/generate/generate.h"

/* Removes requests, ops, dtypes and ranks from the profile that no engine of the bench can answer.  Such cases would be
 * wasted. */
void fit_profile(const struct bench *b, struct profile *profile);

#endif

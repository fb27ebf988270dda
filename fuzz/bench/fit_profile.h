/* fit_profile.h: a profile of the generator for the engines of a bench. */
#ifndef FUZZ_BENCH_FIT_PROFILE_H
#define FUZZ_BENCH_FIT_PROFILE_H

#include "bench.h"
#include "fuzz/generate/generate.h"

/* A request that no engine of the bench can answer is a wasted case: leaves it out of the profile. */
void fit_profile(const struct bench *b, struct profile *profile);

#endif

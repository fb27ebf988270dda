/* fit_profile.h: fits a profile of the generator to the engines of a bench. */
#ifndef FUZZ_BENCH_FIT_PROFILE_H
#define FUZZ_BENCH_FIT_PROFILE_H

#include "bench.h"
#include "fuzz/generate/generate.h"

/*
 * Removes requests, ops, dtypes and ranks from the profile that no engine of the bench can answer.  Such cases would be
 * wasted.  If all engines are from outside and answer vjps alone, the default profile becomes one of gradients: more
 * programs only move elements and sum them.  A compiler keeps such a gradient as the view of one number that it is.
 */
void fit_profile(const struct bench *b, struct profile *profile);

#endif

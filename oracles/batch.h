/* batch.h: the truth of a request with batches, from the truths of its slices. */
#ifndef ORACLES_BATCH_H
#define ORACLES_BATCH_H

#include "truth.h"

/* The truth at point 0 of a case without batches: all of *out. */
typedef void slice_truth_fn(void *self, const struct testcase *slice, struct arena *a, struct truth_point *out);

/*
 * Truth at c->point[which] (checked; at least one batch).  A batch commutes with every transform above it: the
 * derivatives of the batched function are those of its slices, with slices of the points and seeds that have the axis
 * and the others shared.  Outputs that have the axis are stacked; the cotangent of an input that has not is the sum
 * over the slices, whose radius grows by that of the sum. Conventions of the slices are combined while they are few,
 * and leave components undecided(convention) beyond; evidence is that of the worst slice.  Undecided(order) where there
 * are too many slices.
 */
void batch_truth(
    const struct testcase *c, int which, slice_truth_fn *truth, void *self, struct arena *a, struct truth_point *out);

#endif

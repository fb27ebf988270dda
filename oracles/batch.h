/* batch.h: the truth of a request with batches, from the truths of its slices. */
#ifndef ORACLES_BATCH_H
#define ORACLES_BATCH_H

#include "truth.h"

/* The types of a truth whose components are all undecided for that reason. */
void batch_unknown(const struct testcase *c, enum reason reason, struct arena *a, struct truth_point *out);

/* The number of slices of a request; 0 if it has no batch. */
int batch_slices(const struct testcase *c);

/* Computes the truth at point 0 of a case without batches; fills all of *out. */
typedef void slice_truth_fn(void *self, const struct testcase *slice, struct arena *a, struct truth_point *out);

/*
 * The truth at c->point[which]; c is checked and has at least one batch.
 *
 * A batch commutes with every transform above it. So the derivatives of the batched function are those of its slices.
 * Points and seeds that have the axis are sliced; the others are shared. Outputs that have the axis are stacked. The
 * cotangent of an input without the axis is the sum over the slices, and its radius grows by the radius of that sum.
 *
 * Conventions of the slices are combined while there are few. Beyond that, the components are undecided(convention).
 * The evidence is that of the worst slice. All is undecided(order) if there are too many slices.
 */
void batch_truth(
    const struct testcase *c, int which, slice_truth_fn *truth, void *self, struct arena *a, struct truth_point *out);

#endif

/* fit.h: converts points and seeds of a case to the types that an edited program and request need. */
#ifndef FUZZ_EDIT_FIT_H
#define FUZZ_EDIT_FIT_H

#include "graph/testcase.h"

/* Converts `from` to type `to`.  Axes are matched from the right.  Elements keep their index where it still exists.
 * New elements repeat the edge; they are 1 if there is nothing to repeat. */
struct tensor fit_tensor(struct arena *a, const struct tensor *from, const struct type *to);

/* Makes a seed that the case lacks; its elements are 0 if t is no float type. */
typedef struct tensor fit_seed_fn(void *context, const struct type *t);
/*
 * Fits the seeds level by level, then the points to the outermost level.  Seeds keep their place.  A seed of another
 * type is converted, a superfluous one is dropped, and a missing one is made.  Integer seeds become 0.  False: a
 * transform does not apply (wrt, limits).
 */
bool fit_case(struct testcase *c, fit_seed_fn *make, void *context, struct arena *a);

#endif

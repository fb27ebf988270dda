/* fit.h: points and seeds of a case brought to the types that an edited program and request want. */
#ifndef FUZZ_EDIT_FIT_H
#define FUZZ_EDIT_FIT_H

#include "graph/testcase.h"

/* `from` as the type `to`: elements kept where their index still exists, axes matched from the right, repeated from the
 * edge elsewhere; 1 when there is none. */
struct tensor fit_tensor(struct arena *a, const struct tensor *from, const struct type *to);

/* A seed where the case has none; its elements are 0 where t is no float type. */
typedef struct tensor fit_seed_fn(void *context, const struct type *t);
/*
 * Level by level: seeds keep their place, those of another type are fitted, superfluous ones dropped, lacking ones
 * made; then the points are fitted to the outermost level.  Integer seeds become 0.  False when a transform does not
 * apply (wrt, limits).
 */
bool fit_case(struct testcase *c, fit_seed_fn *make, void *context, struct arena *a);

#endif

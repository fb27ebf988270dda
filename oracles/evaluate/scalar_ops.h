/* scalar_ops.h: the MPFR twin of every op that yields a float scalar.  No derivative here. */
#ifndef ORACLES_EVALUATE_SCALAR_OPS_H
#define ORACLES_EVALUATE_SCALAR_OPS_H

#include <mpfr.h>

#include "graph/program.h"

/*
 * Narrows MPFR's exponent range for this thread to +-16384: enough for every dtype and its squares, and it bounds the
 * time of an elementary function (sin of 2^16384 takes 0.4 ms, of 2^50000000 half a minute).  Idempotent.  Exits with
 * code 4 only if the library was built without what adjudge needs.
 */
void mp_setup(void);

/*
 * out = op(x[0], ..., x[n-1]) to nearest at out's precision; n as struct scalar says.  Returns true when no rounding
 * happened on the way (so out is the exact real result).  out is no operand.
 */
bool scalar_value(enum op op, mpfr_ptr out, mpfr_srcptr const *x, int n);

#endif

/* scalar_ops.h: the value in MPFR of every op with a float result. It knows no derivative. */
#ifndef ORACLES_EVALUATE_SCALAR_OPS_H
#define ORACLES_EVALUATE_SCALAR_OPS_H

#include <mpfr.h>

#include "graph/program.h"

/*
 * Narrows MPFR's exponent range for this thread to +-16384. That is enough for every dtype and its squares. It also
 * bounds the time of an elementary function: sin of 2^16384 takes 0.4 ms, sin of 2^50000000 half a minute. Idempotent.
 * Exits with code 4 only if MPFR was built without a feature that adjudge needs.
 */
void mp_setup(void);

/*
 * out = op(x[0], ..., x[n-1]), rounded to nearest at out's precision; struct scalar says what n is. Returns true if no
 * rounding happened on the way, so out is the exact real result. out must not be an operand.
 */
bool scalar_value(enum op op, mpfr_ptr out, mpfr_srcptr const *x, int n);

#endif

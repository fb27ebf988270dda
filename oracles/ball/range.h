/* range.h: what a usual formula gives if one of its intermediate values leaves the range of the dtype (TOLERANCE.md,
 * "Out of range"). */
#ifndef ORACLES_BALL_RANGE_H
#define ORACLES_BALL_RANGE_H

#include "ball.h"

/* Notes that a formula of the value leaves the range: it is off by `beyond` more, or what `escapes` says. */
void range_leave(struct note *n, double beyond, uint8_t escapes);
/* The same for a value of a smooth op of one operand: a is the operand, y the value. */
void range_leave_unary(struct note *n, enum op op, double a, double y);
/* The same for a product of n->factors factors. */
void range_leave_product(struct note *n, const struct dtype_info *info);

/* Allows for errors of the partial of at most this towards 0, and away from it. */
void partial_widen(struct partial *out, double down, double up);
/* Notes that a formula of the partial leaves the range: it is off by at most this more, or not finite. */
void range_stray(struct partial *out, double down, double up, bool escapes);
/* The same if the number may be 0. */
void range_vanish(struct partial *out, double down, double up, bool escapes);

/* Sets far and escapes of scalar k from its parents. compute fills the note of k as if its parents were exactly within
 * their radii. */
typedef void range_note_fn(const struct evaluation *ev, struct note *note, int k);
void range_finish(const struct evaluation *ev, struct note *note, int k, range_note_fn *compute);

/* Widens the partial of scalar k by parent j for what the parents and the scalar may be. */
typedef bool range_partial_fn(
    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out);
void range_finish_partial(const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared,
    range_partial_fn *compute, struct partial *out);

/*
 * The divisor of the formula that scalar k, y/b in a formula of trace_derive.def, may also be.  For y = rsqrt(b), that
 * is b sqrt(b) of 1/(b sqrt(b)).  For a derivative of a/b it is b^2 of (a' b - a b')/b^2, and b^4 for the next one.
 * Else it is b.
 */
double range_divisor(const struct evaluation *ev, const struct note *note, int k);

/* How far off up to four products in a row are if they underflow, the largest factor of an underflow being `most`.
 * size: of the result and its error. */
double range_underflow(const struct dtype_info *info, double most, double size);

#endif

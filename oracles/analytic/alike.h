/*
 * alike.h: which scalars of the trace are the same computation of the same leaves, even if it is written several
 * times. Example: two elements of tanh of a broadcast value.
 *
 * Their exact values are the same, and so are their derivatives. A correct engine may round them differently, for
 * example in a vectorised loop and its remainder. So a maximum of them may be any of them, and its derivative is the
 * same.
 */
#ifndef ORACLES_ANALYTIC_ALIKE_H
#define ORACLES_ANALYTIC_ALIKE_H

#include "oracles/ball/ball.h"

/* A table of the classes of one trace. */
struct alike;

struct alike *alike_open(void);
void alike_close(struct alike *self);

/* Forgets all classes. Call it before a new trace. */
void alike_reset(struct alike *self);
/* Frees what a large trace left over. */
void alike_trim(struct alike *self);

/* Scalar k was just appended and has no class yet. The trace may have been taken back before that. */
void alike_appended(struct alike *self, int k);
/*
 * Sets note[].alike of the first n scalars: the number of the first scalar like it. Ops that choose compare classes,
 * and an adjoint sweep asks for all of them (merged.c). Other traces need none.
 */
void alike_classes(struct alike *self, const struct evaluation *ev, struct note *note, int n);

#endif

/*
 * alike.h: which scalars of the trace are the same computation of the same leaves, however often it is written down:
 * two elements of tanh of a broadcast value.
 *
 * Their exact values are the same, and so are their derivatives; what a right engine makes of them need not be (a
 * vectorised loop and its remainder may round differently).  So a maximum of them may be any of them, and its
 * derivative is the same.
 */
#ifndef ORACLES_ANALYTIC_ALIKE_H
#define ORACLES_ANALYTIC_ALIKE_H

#include "oracles/ball/ball.h"

/* A table of the classes of one trace. */
struct alike;

struct alike *alike_open(void);
void alike_close(struct alike *self);

/* Forgets all; before a new trace. */
void alike_reset(struct alike *self);

/*
 * The class of scalar k, of which all but the class is known in note[k]: the number of the first scalar like it.  The
 * trace may have been taken back since, and grown again.
 */
int alike_class(struct alike *self, const struct evaluation *ev, const struct note *note, int k);

#endif

/*
 * kept_partials.h: partials of a trace, to give them again.
 *
 * The bodies in the chain of a solution are copies of one another (trace_repeat), at the same values. So are their
 * partials.
 */
#ifndef ORACLES_ANALYTIC_KEPT_PARTIALS_H
#define ORACLES_ANALYTIC_KEPT_PARTIALS_H

#include "oracles/ball/ball.h"

/* A table with places for some edges. A partial may take the place of another one. */
struct kept_partials;

/* The values have this precision. */
struct kept_partials *kept_partials_open(mpfr_prec_t precision);
void kept_partials_close(struct kept_partials *self);
/* Forgets all partials. Call it before a new trace. */
void kept_partials_forget(struct kept_partials *self);
/* Keeps the partial of this edge: the place of the parent in evaluation.parent. */
void keep_partial(struct kept_partials *self, int edge, const struct partial *p, bool connected);
/* Whether it is kept. If so, sets *p, whose value stays in the table, and *connected. */
bool kept_partial(const struct kept_partials *self, int edge, struct partial *p, bool *connected);

#endif

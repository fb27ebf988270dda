/* contribution.h: what one edge of a sweep adds to the flow of a scalar, with its radii. */
#ifndef ORACLES_ANALYTIC_CONTRIBUTION_H
#define ORACLES_ANALYTIC_CONTRIBUTION_H

#include "internal.h"

/*
 * An edge of a product of many factors. An engine may group the product as it likes. It may also compute a factor's
 * share as g y/x, or the tangent as y sum(x'/x). So the edge is rounded at the size of all path contributions, not of
 * their sum, which may cancel.
 */
struct chain {
	int roundings;  /* roundings of these formulas that this sweep, link by link, does not have */
	double most;    /* the largest product of partials of the edge, in any grouping */
	double reach;   /* the largest product of these with the flow */
	double divisor; /* the least magnitude of a whole product that an engine may divide by; 0: there is none */
};

/* Makes all flows of the trace absent, with room for their values. */
void flows_clear(struct analytic *self);

/* Adds a seed, which is exact. If the seed is infinite or NaN, every flow that it reaches is unknown. */
void flow_add_seed(struct analytic *self, int k, double seed);

/* Adds the term in self->term with these radii to flow k. magnitude: the magnitude of the paths it came over. */
void flow_add_term(struct analytic *self, int k, double tight, double loose, double magnitude);

/*
 * Does flow[to] += p * flow[from], where p is the partial over the edge. at: the scalar whose partial p is. chain: for
 * an edge of a product of many factors, else NULL.
 *
 * If p is NULL, no path uses the edge. Only an unknown flow[from] passes it, because an engine that masks by
 * multiplication passes a NaN on.
 */
void flow_add_product(
    struct analytic *self, int at, int to, int from, const struct partial *p, const struct chain *chain);

/* Finishes flow k after all its terms have arrived. Their sum, in any order, has one rounding less than terms. */
void flow_finish(struct analytic *self, int k);

/* Adds an error of at most this to all that flow f may be. */
void flow_widen(struct flow *f, double more);

/* Marks that flow f may be an infinity or a NaN: the formula of op leaves the range. */
void flow_escape(struct flow *f, enum op op);
/* Marks that nobody knows what flow f may be. */
void flow_lose(struct flow *f, enum op op);
/* Makes flow f undecided for that reason. */
void flow_poison(struct flow *f, enum reason reason);

#endif

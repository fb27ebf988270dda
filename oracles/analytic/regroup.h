/*
 * regroup.h: radii for an engine that declares to regroup sums and products across ops (TOLERANCE.md, "Regrouping").
 *
 * (3 x) y may be computed as 3 (x y) there, and (x + 1) + c as x + (1 + c). Each scalar is therefore also seen as a sum
 * of leaves, and as a product of leaves. A leaf is a scalar of another kind. Nothing is distributed, and nothing is
 * moved across a cast, a division or a function.
 */
#ifndef ORACLES_ANALYTIC_REGROUP_H
#define ORACLES_ANALYTIC_REGROUP_H

#include "internal.h"

/* Switches regrouping on or off for the next traces. */
void regroup_switch(struct analytic *self, bool on);
/* Makes room for n scalars. */
void regroup_room(struct analytic *self, int n);
/* Widens the note of scalar k, which ball_scalar has filled. */
void regroup_scalar(struct analytic *self, int k);
/* Scalar k is a copy of scalar `from`. */
void regroup_copy(struct analytic *self, int k, int from);

/* Forgets all flows. */
void regroup_clear(struct analytic *self);
/* Flow k gets a seed of that size. */
void regroup_seed(struct analytic *self, int k, double seed);
/*
 * Flow `to` gets a term from flow `from` over the partial p of scalar `at`. Returns the largest product of some of the
 * factors on the way to it, at least 1. *products: how many products of these may underflow.
 */
double regroup_product(struct analytic *self, int at, int to, int from, const struct partial *p, double *products);
/* The sum of the magnitudes of the terms of f, before it is finished.  Where products are regrouped, the terms that a
 * tangent adds up are others, and only the magnitudes of the paths bound them. */
double regroup_terms(const struct analytic *self, const struct flow *f);
/* Widens the finished tangent of scalar k, the root of a product.  In an engine, each of its paths may pass up to one
 * addition and two multiplications for each factor. */
void regroup_tangent(struct analytic *self, int k);
/* Whether the flow at the other end of an edge of scalar k with the partial p is one sum with the flow at this end. */
bool regroup_joins(const struct analytic *self, int k, int parent, const struct partial *p);

#endif

/* analytic_internal.h: the state that the analytic oracle's hooks and sweeps share. */
#ifndef ORACLES_ANALYTIC_INTERNAL_H
#define ORACLES_ANALYTIC_INTERNAL_H

#include "analytic.h"
#include "ball.h"
#include "conventions.h"

/* The tangent or adjoint of one scalar while contributions arrive. */
struct flow {
	double tight, loose; /* radii */
	double magnitude;    /* sum of the magnitudes of the path contributions */
	double sum;          /* sum of |terms| so far */
	int fan;             /* number of terms */
	double reach;        /* sum of what the terms may have been on the way, by usual formulas */
	/* Of a chain of products, whose flows an engine may add up before or after it multiplies them: */
	int joined;          /* adjoint: terms that came together from it on */
	double most;         /* adjoint: the largest magnitude of a product of the factors from it on */
	double group;        /* adjoint: the same with the terms; tangent: sum of |x'/x| */
	uint8_t reason;      /* enum reason */
	bool present;        /* a path leads here; its contributions may happen to be 0 */
};

struct analytic {
	struct evaluation ev;
	struct note *note;
	struct flow *flow;
	mpfr_t *value; /* of the flows */
	int room, value_ready;
	mpfr_t partial, term;
	double stray; /* the farthest that an engine's iterate is from a solution */
	struct shared shared; /* of the scalar whose partials are being taken */
	const struct testcase *c;
	const uint8_t *input_active; /* [float input elements], set per case */
	int n_input_scalar;
};

/* Room for notes and flows of n scalars; those that are there stay. */
void analytic_room(struct analytic *self, int n);

/*
 * Fills self->flow and self->value for every scalar of the trace, at kinks by the assignment in `conventions`, from the seeds of t: the cotangents
 * of the results, backwards, or the tangents of t->wrt, forwards.
 */
void analytic_sweep_adjoint(struct analytic *self, const struct conventions *conventions, const struct transform *t);
void analytic_sweep_tangent(struct analytic *self, const struct conventions *conventions, const struct transform *t);

#endif

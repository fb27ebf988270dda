/* internal.h: the state that the analytic oracle's hooks and sweeps share. */
#ifndef ORACLES_ANALYTIC_INTERNAL_H
#define ORACLES_ANALYTIC_INTERNAL_H

#include "alike.h"
#include "analytic.h"
#include "oracles/ball/ball.h"
#include "conventions.h"
#include "oracles/ball/rounding.h"

/* The tangent or adjoint of one scalar while contributions arrive. */
struct flow {
	double tight, loose; /* radii */
	double magnitude;    /* sum of the magnitudes of the path contributions */
	struct terms terms;  /* so far */
	double reach;        /* sum of what the terms may have been on the way, by usual formulas */
	/* Of a chain of products, whose flows an engine may add up before or after it multiplies them: */
	int joined;      /* adjoint: terms that came together from it on */
	double most;     /* adjoint: the largest magnitude of a product of the factors from it on */
	double group;    /* adjoint: the same with the terms; tangent: sum of |x'/x| */
	uint8_t reason;  /* enum reason */
	double flushed;  /* what it is off by if it and all flows on the way to it are flushed to 0 once each */
	double share;    /* the largest part of loose - tight that one use of one formula brought */
	enum op culprit; /* whose formula; OP_CONSTANT for none */
	bool mixed;   /* adjoint: an engine may share it out otherwise among scalars that are alike, where nothing of it
	                 cancels */
	bool present; /* a path leads here; its contributions may happen to be 0 */
	bool singular; /* a published convention on the path gives a NaN (struct partial) */
	bool weak;     /* struct component, weak_zero */
};

struct analytic {
	struct evaluation ev;
	bool flushes[DTYPE_COUNT]; /* as analytic_use was told */
	/* Flushing or not: what values are rounded by; contributions to flows, and sums of them. */
	struct dtype_info dtype[DTYPE_COUNT], contributions[DTYPE_COUNT], sums[DTYPE_COUNT];
	struct note *note;
	struct flow *flow;
	mpfr_t *value; /* of the flows */
	int room, value_ready;
	mpfr_t partial, term;
	struct alike *alike;
	bool slices;      /* the cases are slices of a batch */
	bool multiplies;  /* the program has a scatter_mul */
	double underflow; /* after a sweep of such a program: the part of a flow that the product with what scatter_mul
	                     leaves as it was may lose */
	bool singular;    /* something of the trace is: weak zeros matter */
	bool by_paths;    /* of the trace at hand: engines may share out a flow, or add up, where the trace does not */
	double stray;     /* the farthest that an engine's iterate is from a solution */
	struct shared shared; /* of the scalar whose partials are being taken */
	const struct testcase *c;
	const uint8_t *input_active; /* [float input elements], set per case */
	int n_input_scalar;
};

/* Room for notes and flows of n scalars; those that are there stay. */
void analytic_room(struct analytic *self, int n);

/*
 * Fills self->flow and self->value for every scalar of the trace, at kinks by the assignment in `conventions`, from the
 * seeds of t: the cotangents of the results, backwards, or the tangents of t->wrt, forwards.
 */
void analytic_sweep_adjoint(struct analytic *self, const struct conventions *conventions, const struct transform *t);
void analytic_sweep_tangent(struct analytic *self, const struct conventions *conventions, const struct transform *t);

/* After a sweep, of that kind: which flows a weak zero may make a NaN of (weak_zero.c). */
void analytic_weak_zeros(struct analytic *self, const struct conventions *conventions, enum transform_kind kind);

/* The partial of scalar k by parent j under the assignment, in memory of self; false when no path leads through the
 * edge. */
bool analytic_partial(struct analytic *self, const struct conventions *conventions, int k, int j, struct partial *p);
/* Derivative number i, element e of the last sweep. */
struct component analytic_component(struct analytic *self, const struct transform *t, int i, int e);

/*
 * What mixtures of conventions may answer, at a point that has a tie: the n derivatives of t have these types.  In the
 * arena; conventions is working memory.
 */
struct hull *analytic_hull(struct analytic *self, struct conventions *conventions, const struct transform *t,
    const struct type *types, int n, struct arena *a);

#endif

/*
 * ball.h: what a sane engine may be off by: a radius for every scalar of the trace and for every partial derivative.
 *
 * Running error analysis (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., ch. 3).  TOLERANCE.md
 * derives it.
 */
#ifndef ORACLES_BALL_BALL_H
#define ORACLES_BALL_BALL_H

#include "oracles/evaluate/evaluate.h"
#include "oracles/truth.h"

/* A ball keeps clear of a singularity: its radius is at most this part of the distance. */
#define BALL_CLEAR 0.5

/* What an engine may be off by in a derived scalar, beside the radius of the formulas of trace_derive.def. */
#define BALL_FLOW_SLACK 8

/* What is known of one scalar besides its exact value. */
struct note {
	double magnitude; /* |exact value| */
	double radius;    /* a right engine's value is this close; 0: it is exact */
	uint8_t reason;   /* enum reason: nothing is known of the value */
	uint8_t unsure;   /* enum reason: the value is known, its partial derivatives are not */
	bool certain; /* the value is no number, and every right engine has it (certain.h); the reason is given all the
	                 same */
	bool active;  /* depends on an input in wrt */
	bool tie;     /* partials follow a convention */
	bool shared;  /* the choice of an extremum or sort among scalars that are alike: its partials may be shared out
	                 among them in any way */
	int alike;    /* class of the computation (alike.h) */
	bool danger;  /* an intermediate of a usual formula leaves the dtype's range */
	enum op danger_op; /* whose formula; OP_CONSTANT where there is no danger */
	/*
	 * Of a product, a formula or a tangent or adjoint: the largest and smallest magnitude (at least, at most 1) of
	 * a partial product in any grouping.  least: of op cumprod alone.
	 */
	double most, least;
	int factors; /* of a product: how many it has */
	double path; /* of a derived scalar: sum of the magnitudes of the path contributions, not of what is left of
	                them */
	double
	    flushed; /* the same: what it is off by if it and all flows on the way to it are flushed to 0 once each */
};

/*
 * What the partials of one n-ary scalar share, so that a scalar of n parents costs n and not n*n.  k: the scalar it was
 * made for, -1 for none; to be reset whenever the trace changes.
 */
struct shared {
	int k;
	int winners, first, last; /* parents whose value is that of the scalar: number, first, last */
	double widest, top;       /* largest radius and magnitude of the parents */
	double spread;            /* root of the sum of squares of the parents' radii */
};

/* Makes *shared that of scalar k if it is not. */
void ball_share(const struct evaluation *ev, const struct note *note, int k, struct shared *shared);

/* The partial derivative of a scalar by one of its parents. */
struct partial {
	mpfr_ptr value;                 /* exact to the evaluation's precision; memory of the caller */
	double magnitude, tight, loose; /* |value| and its radii */
	/*
	 * Of a partial that is a formula: the largest magnitude (1 at least) of a product of some of the factors of a
	 * usual one.  A flow is multiplied by some factors and then by the others, so this times the flow must be in
	 * range, and this multiplies what underflows.  0: no formula.
	 */
	double most;
	enum reason reason;
	bool singular; /* at the tip of a norm and its kin: 0 by convention, and no number where nobody cares */
	bool cancels;  /* 0, and a usual formula finds it as a difference: `loose` is what that may leave */
};

/* The radius of scalar k of the trace; note[] holds what is known of its parents.  note[k].active is set by the caller.
 */
void ball_scalar(const struct evaluation *ev, struct note *note, int k);

/*
 * The same of a derived scalar (trace_derive.h) with finite value and known parents.  False for an op that is no
 * product, quotient or sum, nor a cast: its radius is that of any scalar.
 */
bool ball_flow(const struct evaluation *ev, struct note *note, int k);

/*
 * How far log|a| is off when a is off by ra, and b log|a| when b is off by rb; a, b are magnitudes, ra < a unless it is
 * 0.
 */
double ball_pow_base(double a, double ra);
double ball_pow_exponent(double a, double b, double ra, double rb);

/*
 * What a logsumexp, scalar k, loses of powers that are flushed to 0, with or without its maximum taken out: 0 where
 * nothing is.  widest: the largest radius of its parents.
 */
double ball_powers_flushed(const struct evaluation *ev, int k, double widest);

/* Whether any right engine orders scalars a and b (b < 0: a and bound) as the exact values are ordered. */
bool ball_separated(const struct evaluation *ev, const struct note *note, int a, int b, double bound);

/*
 * The partial of scalar k by its parent number j, where k is smooth at the point (no tie, not unsure).  False when no
 * path leads through this edge (floor, the loser of a maximum): then nothing arrives, not even a NaN.  A partial that
 * merely is 0 there is a partial.
 */
bool ball_partial(
    const struct evaluation *ev, const struct note *note, int k, int j, struct shared *shared, struct partial *out);

/*
 * A component is decided only if its radius is at most 1/64 of what the paths contribute: else an engine that returns 0
 * would agree.  Where they contribute nothing but zeros such an engine is right, and the radius must be what underflow
 * leaves, no more.
 */
bool ball_decided(double tight, double magnitude, enum dtype d);

/* Whether the exact real x is a value of dtype d. */
bool ball_representable(mpfr_srcptr x, enum dtype d);

#endif

/*
 * ball.h: how far off a correct engine may be: a radius for every scalar of the trace and for every partial
 * derivative.
 *
 * This is running error analysis (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., ch. 3).
 * TOLERANCE.md derives it.
 */
#ifndef ORACLES_BALL_BALL_H
#define ORACLES_BALL_BALL_H

#include "oracles/evaluate/evaluate.h"
#include "oracles/truth.h"

/* A ball must keep clear of a singularity: its radius is at most this part of the distance. */
#define BALL_CLEAR 0.5

/* Slack for engines with other formulas: the radius of a derived scalar counts the formulas of trace_derive.def and
 * this. */
#define BALL_FLOW_SLACK 8

/* What a value, or a partial, may be in an engine whose formula leaves the range. */
enum { ESCAPE_NAN = 1, ESCAPE_INFINITY = 2 };

/* What is known about one scalar besides its exact value. */
struct note {
	double magnitude; /* |exact value| */
	double radius;    /* a correct engine's value is this close; 0: it is exact */
	uint8_t reason;   /* enum reason: why the value is unknown */
	uint8_t unsure;   /* enum reason: the value is known, but why its partial derivatives are not */
	bool certain; /* infinite or NaN, and the same in every correct engine (certain.h); a reason is given as well */
	bool active;  /* depends on an input in wrt */
	bool tie;     /* partials follow a convention */
	/* An extremum or sort whose candidates are alike: an engine may share its partials among them in any way. */
	bool shared;
	int alike;   /* class of the computation (alike.h) */
	bool kinked; /* it depends on a tie: scalars of its class may have other derivatives */
	/* Others are of its class, so an engine may compute it once for all of them (merged.c). The first of a class
	 * has their number, each other 1. */
	int merged;
	int original; /* the scalar of which it is a copy (trace_repeat); 0: of none */
	/* An intermediate of a usual formula leaves the dtype's range, here or in a value on the way; the op of that
	 * formula, OP_CONSTANT if there is none. */
	bool danger;
	enum op danger_op;
	bool leaves;     /* it does so here */
	uint8_t escapes; /* what the value may then be in place of a number: ESCAPE_NAN, ESCAPE_INFINITY */
	double far;      /* how far off it is at most if it is a number: at least the radius; INFINITY: nobody knows */
	bool widened;    /* far and radius have changed places for a moment (ball_widen) */
	/*
	 * For a product, a formula, a tangent or an adjoint: the largest magnitude (at least 1) and the smallest (at
	 * most 1) of a partial product in any grouping. Only op cumprod sets least.
	 */
	double most, least;
	int factors; /* the number of factors of a product */
	double path; /* for a derived scalar: the sum of the magnitudes of the path contributions, before they cancel */
	double excess; /* of the rule of the custom to which it belongs (struct evaluate_hooks) */
	/* For a derived scalar: its error if it and all flows on the way to it are flushed to 0 once each. */
	double flushed;
};

/*
 * Facts that all partials of one n-ary scalar share, so that a scalar of n parents costs n and not n*n. k: the scalar
 * they belong to, -1 for none. Reset k whenever the trace changes.
 */
struct shared {
	int k;
	int winners, first, last; /* the parents whose value is that of the scalar: their number, the first, the last */
	double widest, top;       /* largest radius and magnitude of the parents */
	double spread;            /* root of the sum of squares of the parents' radii */
};

/* Fills *shared for scalar k if it belongs to another scalar. */
void ball_share(const struct evaluation *ev, const struct note *note, int k, struct shared *shared);

/* The partial derivative of a scalar by one of its parents. */
struct partial {
	mpfr_ptr value;                 /* exact to the evaluation's precision; memory belongs to the caller */
	double magnitude, tight, loose; /* |value| and its radii */
	/*
	 * If narrow: the largest error towards 0 and away from it, except for one of at least leap. leap 0: there is no
	 * such exception.
	 */
	double down, up, leap;
	bool narrow;
	bool vanishes; /* a usual formula gives 0 */
	/*
	 * For a formula: the largest magnitude (at least 1) of a product of some factors of a usual formula. A flow is
	 * multiplied by some factors and then by the others. So this times the flow must be in range, and an underflow
	 * is multiplied by this. 0: no formula.
	 */
	double most;
	enum reason reason;
	/* A usual formula leaves the range. loose allows for the numbers that it may give, INFINITY: nobody knows. */
	bool strays;
	bool escapes;  /* it may give an infinity or a NaN as well */
	bool singular; /* at the tip of a norm and its like: 0 by convention, NaN in some engines */
	/* It is 0, but a usual formula computes it as a difference, which may leave a remainder of `loose`. */
	bool cancels;
};

/* Whether two notes say the same, apart from the class and the original. */
bool note_equal(const struct note *a, const struct note *b);

/* Computes the radius of scalar k of the trace. note[] holds what is known about its parents. The caller sets
 * note[k].active. */
void ball_scalar(const struct evaluation *ev, struct note *note, int k);

/*
 * The same for a derived scalar (trace_derive.h) with a finite value and known parents. False if the op is no product,
 * quotient, sum or cast; then ball_scalar computes the radius.
 */
bool ball_flow(const struct evaluation *ev, struct note *note, int k);

/*
 * How far off log|a| is if a is off by ra, and b log|a| if b is off by rb. a and b are magnitudes; ra < a unless it is
 * 0.
 */
double ball_pow_base(double a, double ra);
double ball_pow_exponent(double a, double b, double ra, double rb);

/*
 * The error of logsumexp, scalar k, with or without its maximum subtracted, if powers are flushed to 0, or are off by
 * what the engine declares of exp absolutely; else 0. widest: the largest radius of its parents.
 */
double ball_powers_lost(const struct evaluation *ev, int k, double widest);

/* Whether every correct engine orders scalars a and b as their exact values are ordered. b < 0: a and bound. */
bool ball_separated(const struct evaluation *ev, const struct note *note, int a, int b, double bound);

/*
 * Computes the partial of scalar k by its parent number j. k must be smooth at the point: no tie, not unsure. False if
 * no path uses this edge (floor, the loser of a maximum): then nothing passes it, not even a NaN. A partial that
 * happens to be 0 is still a partial.
 */
bool ball_partial(
    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out);

/*
 * Whether a component of any order is decided. Its radius must be at most 1/64 of the magnitudes of the path
 * contributions; otherwise an engine that returns 0 would agree. If all contributions are 0, such an engine is correct.
 * The radius must then be at most what underflow leaves.
 */
bool ball_decided(double tight, double magnitude, enum dtype d);

/* Whether the exact real x is a value of dtype d. */
bool ball_representable(mpfr_srcptr x, enum dtype d);

#endif

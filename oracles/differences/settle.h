/* settle.h: whether the quotients of a target, rung after rung, tend to the known value. */
#ifndef ORACLES_DIFFERENCES_SETTLE_H
#define ORACLES_DIFFERENCES_SETTLE_H

#include "finite_difference.h"

#include <limits.h>

enum { ZERO_EXPONENT = INT_MIN / 2 /* of an exact zero */ };

enum side { RIGHT, LEFT, SIDES };

/* A number of about 106 bits: high + low. */
struct pair {
	double high, low;
};

/* The state of one target over the rungs so far. */
struct fd_progress {
	/* On this rung: quotient minus known value, in units of 2^scale. */
	struct pair excess[SIDES];
	bool finite[SIDES];
	int moved[SIDES], moved_before[SIDES]; /* exponent of the change of the functional */
	double size;                           /* sum |weight * component| at the point */
	bool base_finite;

	int step_last;  /* log2 of the previous rung's step */
	int sides_last; /* the sides that shared the path on the previous rung, as bits; -1: there was none */
	struct pair excess_last;
	double side_last[SIDES]; /* |excess| of each side on the previous rung; INFINITY before there is one */
	/* How far the excess moved between the last two rungs; INFINITY until two rungs have the same sides. */
	double change;
	/*
	 * The quotient itself. Its changes are lost in `excess` if the known value is 2^106 times larger. drift: how
	 * far it moved since the previous rung. drifting: it moved farther than on the rung before.
	 */
	double quotient[SIDES], quotient_last, drift;
	bool drifting;
	double goal;
	double noise_trace; /* the noise on this rung that the largest scalar of the trace explains */
	bool jump;
};

/* What explains noise on a rung, as exponents: no such number reaches 2^exponent. */
struct fd_sizes {
	int top;      /* the scalars of the trace at the point; ZERO_EXPONENT: all are 0 */
	int residual; /* the residuals of solutions; INT_MIN: there is none */
	int weight;   /* the weights of the run */
};

/* Sets *p to the state before the first rung. */
void fd_progress_start(struct fd_progress *p);

/* Decides a target, if the rung that *p was measured on allows it. Its outcome stays FD_NOT_RUN if not. */
void fd_settle(struct fd_target *t, struct fd_progress *p, const struct fd_sizes *sizes, const struct fd_run *run);

#endif

/*
 * spread.h: the errors that usual formulas may make in a flow. These may be less than the ball of its loose radius. A
 * formula may lose to one side alone. It may also give a number nearly right or far off, and nothing in between
 * (TOLERANCE.md, "One side, and leaps").
 */
#ifndef ORACLES_ANALYTIC_SPREAD_H
#define ORACLES_ANALYTIC_SPREAD_H

#include <stdbool.h>

/* Errors are between -down and up. If one formula leaps, they may also have at least the magnitude `leap`; if several
 * do, they may be anything in the ball. */
struct spread {
	double down, up, leap;
	int leaps;
	/* If one leaps: the scalar whose partial does, and whether a larger partial makes this number smaller. */
	int source;
	bool against;
	double gross; /* the leap before other errors reduce it: that of the partial, times what multiplies it */
	bool twice;   /* the partial that leaps came over two paths */
};

/* A factor and its errors. down: towards 0; up: away from 0. */
struct spread_factor {
	double size;
	bool negative;
	struct spread errors;
};

/* The larger of down and up. */
double spread_width(const struct spread *s);
/* Adds the errors of another term. */
void spread_add(struct spread *to, const struct spread *term);
/* Adds an error of at most near to the small errors, and of at most far to those of a leap. */
void spread_widen(struct spread *to, double near, double far);
/* The whole ball. */
struct spread spread_ball(double loose);
/* Whether it is less than the ball. */
bool spread_is_narrow(const struct spread *s, double loose);
/* The errors of a number, down and up by its sign instead of towards 0 and away from it; and back. */
struct spread spread_signed(const struct spread *s, bool negative);
/* The errors of an exact product. */
struct spread spread_product(const struct spread_factor *p, const struct spread_factor *g);

#endif

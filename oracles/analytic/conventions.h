/*
 * conventions.h: what engines answer at kinks (ties of max, min, clamp, extrema; abs at 0).  A convention is one choice
 * per op KIND present at a tie; the analytic sweep is repeated once per assignment of choices.
 */
#ifndef ORACLES_ANALYTIC_CONVENTIONS_H
#define ORACLES_ANALYTIC_CONVENTIONS_H

#include "oracles/ball/ball.h"

enum { CONVENTION_KINDS = 8, CONVENTION_ASSIGNMENTS = 64 };

/*
 * For abs: first is +1, last is -1, even is 0.  For norm and pow: even is 0.  For sort: first keeps the order of the
 * tied elements, last reverses it, directional orders them by their tangents.  strict: nothing passes the tie.
 * CONVENTIONS.md says who publishes what.
 */
enum convention { CONVENTION_EVEN, CONVENTION_FIRST, CONVENTION_LAST, CONVENTION_DIRECTIONAL, CONVENTION_STRICT };

/* No parent of a tied scalar: nothing passes it. */
enum { CORNER_STRICT = -1 };

/*
 * Every tie by itself gives all to one of its parents: the corners of the set of what any mixture of conventions may
 * answer.  A derivative is affine in the shares of each tie, so whatever the mixture, it lies in the convex hull of the
 * corners.
 */
struct corners {
	int n_tie, n_corner;
	int *tie;      /* [n_tie] scalars */
	int *n_option; /* [n_tie] */
	int **option;  /* [n_tie][n_option] parents; for abs 0 is +1 and 1 is -1; CORNER_STRICT */
	int *chosen;   /* [n_scalar] of the corner at hand, for tied scalars */
};

struct conventions {
	int n_kind;
	enum op kind[CONVENTION_KINDS];
	enum convention choice[CONVENTION_KINDS];
	int most; /* choices of a kind, beside the directional one, that are looked at: those it has, or less by a
	             planted fault */
	bool directional; /* of a jvp: a tie may follow the tangents */
	int n_assignment; /* the product of the kinds' choices; more than CONVENTION_ASSIGNMENTS when there are too many
	                   */
	const struct corners *corner; /* not NULL: of this corner, whatever `choice` says */
};

/* Whether what is possible at a tie of this op has no corners: the unit ball of norm, the half line of pow. */
bool convention_is_open(enum op op);
/* Whether scalar k is a tie on the active part of the trace. */
bool convention_tied(const struct note *note, int k);
/* The kinds of ties on the active part of the trace. */
void conventions_collect(
    struct conventions *self, const struct evaluation *ev, const struct note *note, bool directional);
/* Sets choice[] to assignment `number`. */
void conventions_assign(struct conventions *self, int number);
/*
 * The partial of tied scalar k by its parent j under the assignment is result / *ties; the result is 0, 1 or -1.
 * shared: of k.
 */
int convention_weight(
    const struct conventions *self, const struct evaluation *ev, const struct shared *shared, int k, int j, int *ties);
/* Whether scalar k follows the direction of the tangent. */
bool convention_is_directional(const struct conventions *self, const struct evaluation *ev, int k);

/* The corners, in the arena; NULL where they are more than CONVENTION_ASSIGNMENTS or a tie has none. */
struct corners *corners_collect(const struct evaluation *ev, const struct note *note, struct arena *a);
/* Sets chosen[] to corner `number`. */
void corners_choose(struct corners *self, int number);

#endif

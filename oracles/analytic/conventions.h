/*
 * conventions.h: the answers of engines at kinks (ties of max, min, clamp, extrema; abs at 0). A convention is one
 * choice per KIND of op that is at a tie. The analytic sweep runs once per assignment of choices.
 */
#ifndef ORACLES_ANALYTIC_CONVENTIONS_H
#define ORACLES_ANALYTIC_CONVENTIONS_H

#include "oracles/ball/ball.h"

enum { CONVENTION_KINDS = 8, CONVENTION_ASSIGNMENTS = 64, CORNER_TIES = 6 };

/*
 * For abs, first is +1, last is -1, even is 0. For norm and pow, even is 0. For sort, first keeps the order of the
 * tied elements, last reverses it, directional orders them by their tangents. strict: nothing passes the tie.
 * CONVENTIONS.md lists which system uses which choice.
 */
enum convention { CONVENTION_EVEN, CONVENTION_FIRST, CONVENTION_LAST, CONVENTION_DIRECTIONAL, CONVENTION_STRICT };

/* An option that is no parent of the tied scalar: nothing passes the tie. */
enum { CORNER_STRICT = -1 };

/*
 * Choices in which every tie, on its own, gives everything to one of its parents. A derivative is affine in the shares
 * of each tie. So every mixture of conventions lies in the convex hull of these corners.
 */
struct corners {
	int n_tie, n_corner;
	int *tie;      /* [n_tie] scalars */
	int *n_option; /* [n_tie] */
	int **option;  /* [n_tie][n_option] parents; for abs 0 is +1 and 1 is -1; CORNER_STRICT */
	int *chosen;   /* [n_scalar] for the current corner: the choice of each tied scalar */
	bool *member;  /* [n_scalar] whether it is one of tie[], or chooses like one */
	int n_alike;
	int (*alike)[2]; /* [n_alike] scalars that choose like another one: that one, of tie[], is the second */
};

struct conventions {
	int n_kind;
	enum op kind[CONVENTION_KINDS];
	enum convention choice[CONVENTION_KINDS];
	/* How many choices of each kind are tried, besides the directional one; all, or fewer by a planted fault. */
	int most;
	bool directional; /* for a jvp: a tie may follow the tangents */
	/* The product of the kinds' choices; more than CONVENTION_ASSIGNMENTS if there are too many. */
	int n_assignment;
	const struct corners *corner; /* not NULL: this corner counts, and `choice` does not */
};

/* Whether the set of answers at a tie of this op has no corners: the unit ball of norm, the half line of pow. */
bool convention_is_open(enum op op);
/* Whether scalar k is a tie on the active part of the trace. */
bool convention_tied(const struct note *note, int k);
/* Whether rounding could change what scalar k of the active part chooses. */
bool convention_unsure(const struct evaluation *ev, const struct note *note, int k);
/* Whether the partials of scalar k follow a choice of `self`. */
static inline bool convention_chooses(const struct conventions *self, const struct note *note, int k)
{
	return self->corner ? self->corner->member[k] : convention_tied(note, k);
}
/* The kinds of ties on the active part of the trace. */
void conventions_collect(
    struct conventions *self, const struct evaluation *ev, const struct note *note, bool directional);
/* Sets choice[] to assignment `number`. */
void conventions_assign(struct conventions *self, int number);
/*
 * The partial of tied scalar k by its parent j under the assignment is result / *ties. The result is 0, 1 or -1.
 * shared: of k.
 */
int convention_weight(
    const struct conventions *self, const struct evaluation *ev, const struct shared *shared, int k, int j, int *ties);
/* Whether scalar k follows the direction of the tangent. */
bool convention_is_directional(const struct conventions *self, const struct evaluation *ev, int k);

/*
 * All corners, in the arena. NULL if there are more than CONVENTION_ASSIGNMENTS, or if a tie has none. unsure: of the
 * choices that rounding could change as well.
 */
struct corners *corners_collect(const struct evaluation *ev, const struct note *note, bool unsure, struct arena *a);
/* Sets chosen[] to corner `number`. */
void corners_choose(struct corners *self, int number);

#endif

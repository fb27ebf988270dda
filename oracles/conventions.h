/*
 * conventions.h: what engines answer at kinks (ties of max, min, clamp, extrema; abs at 0).  A convention is one choice per op KIND
 * present at a tie; the analytic sweep is repeated once per assignment of choices.
 */
#ifndef ORACLES_CONVENTIONS_H
#define ORACLES_CONVENTIONS_H

#include "ball.h"

enum { CONVENTION_KINDS = 8, CONVENTION_ASSIGNMENTS = 64 };

/*
 * For abs: first is +1, last is -1, even is 0.  For sort: first keeps the order of the tied elements, last reverses it, directional orders them
 * by their tangents.
 */
enum convention { CONVENTION_EVEN, CONVENTION_FIRST, CONVENTION_LAST, CONVENTION_DIRECTIONAL };

struct conventions {
	int n_kind;
	enum op kind[CONVENTION_KINDS];
	enum convention choice[CONVENTION_KINDS];
	int n_choice;     /* conventions per kind: 4 with the directional one (jvp), else 3 */
	int n_assignment; /* n_choice ^ n_kind; more than CONVENTION_ASSIGNMENTS when there are too many kinds */
};

/* The kinds of ties on the active part of the trace. */
void conventions_collect(struct conventions *self, const struct evaluation *ev, const struct note *note, bool directional);
/* Sets choice[] to assignment `number`. */
void conventions_assign(struct conventions *self, int number);
/*
 * The partial of tied scalar k by its parent j under the assignment is result / *ties; the result is 0, 1 or -1.  shared: of k.
 */
int convention_weight(const struct conventions *self, const struct evaluation *ev, const struct shared *shared, int k, int j, int *ties);
/* Whether scalar k follows the direction of the tangent. */
bool convention_is_directional(const struct conventions *self, const struct evaluation *ev, int k);

#endif

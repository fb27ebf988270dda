/*
 * inlets.h: through which operands of a loop a bug shows.  An inlet is a group of them.  If the case is right
 * once an inlet is constant to differentiation, the bug shows through that inlet.  Two bugs of loops often have the
 * same names (fine_signature.h), but seldom the same inlets, or the same number of iterations from which on they show.
 */
#ifndef FUZZ_TRIAGE_INLETS_H
#define FUZZ_TRIAGE_INLETS_H

#include "fine_signature.h"
#include "fuzz/bench/question.h"
#include "fuzz/edit/edit.h"

enum inlet {
	INLET_CARRY,   /* what the carries of a loop start with */
	INLET_ROWS,    /* what a scan reads row by row */
	INLET_CAPTURE, /* what the body captures */
	INLETS
};
extern const char *const inlet_names[INLETS];

/* Makes value v a constant to differentiation for what comes after node `index` of r: inserts a stop_gradient before
 * it.  Returns the new value. */
int inlet_stop(struct edit *e, struct region *r, int index, int v);
/* Replaces the uses of a value in a region, at any depth. */
void inlet_replace_inside(struct region *r, int from, int to);

/*
 * What hides a bug of loops and leaves other bugs: fewer iterations than `trip`, if it is not 0; otherwise constant
 * inlets.
 */
struct quiet {
	unsigned inlets; /* bit 1 << inlet */
	int trip;
};
/* Makes the case quiet, at all its loops.  False: that is not possible, or changes nothing. */
bool quiet_make(struct edit *e, const struct quiet *q);
/* Whether a case may not be quiet.  A loop may run `trip` times; or an inlet is no constant and no stop_gradient, and
 * something is differentiated with respect to it. */
bool quiet_broken(const struct testcase *c, const struct quiet *q);

/*
 * The inlets through each of which the bug of c shows, if c has one loop (inlets_loop).  0: not known.  First each
 * inlet of c is made constant.  Then carries and captures that c does not use are added, with the others constant.  q
 * asks whether a case shows any finding; about 8 requests.
 */
unsigned inlets_find(const struct question *q, const struct testcase *c, struct arena *a);
/* The only op of the program with regions, if it is a loop; otherwise NULL. */
const struct node *inlets_loop(const struct program *p);
/* "carry+capture"; in the arena. */
const char *inlets_text(unsigned inlets, struct arena *a);

#endif

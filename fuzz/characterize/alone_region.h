/* alone_region.h: what is drawn of an op with regions alone; for alone_region.c and alone_bodies.c. */
#ifndef FUZZ_CHARACTERIZE_ALONE_REGION_H
#define FUZZ_CHARACTERIZE_ALONE_REGION_H

#include "fuzz/edit/edit.h"
#include "fuzz/generate/choice.h"

enum { DRAWN_INPUTS = 8, DRAWN_OUTSIDE = 8, DRAWN_RESULTS = 12, DRAWN_ROWS = 4 /* of a table */ };

struct drawn_region {
	struct choice *c;
	struct edit *e;
	enum op op;
	struct type type;                      /* of all floats, except rows and a table of them */
	int trip;                              /* that a loop is to run */
	int n_outside, outside[DRAWN_OUTSIDE]; /* floats of that type that regions may read */
	int table;                             /* an input of DRAWN_ROWS such floats; -1: none */
	int n_xs, xs[2];                       /* inputs of `trip` such floats: per-iteration inputs */
	int whole;                             /* an input that is a vector, for scatter_apply; -1: none */
	bool linear;                           /* regions do linear ops alone */
	enum op nested;                        /* a cond or a checkpoint, which may be inside of the op */
	int nesting;                           /* how often a carry is computed by it, in percent */
	int n_out, out[DRAWN_RESULTS];         /* floats among the results of the op */
};

/* Whether that op has regions that are drawn. */
bool drawn_region_is_known(enum op op);
/* Appends the op, with regions, to the top region; sets out.  False: something does not fit. */
bool drawn_region_append(struct drawn_region *x);

#endif

/* show.h: shows the results of cross-checks of a case, for people and as JSON. */
#ifndef FUZZ_CROSS_SHOW_H
#define FUZZ_CROSS_SHOW_H

#include "cross.h"

struct cross_count {
	int leads, decided; /* modes with a lead; modes that compared two answers and could decide */
};

/*
 * Runs every mode for each engine[n] on c.  Prints a table to standard output, or writes member `cross` of the object
 * that w is in.  against: see cross_open.  Adds to the counts.  False: no memory for the probes.
 */
struct json_writer;
bool cross_show(struct engine *const *engine, int n, struct engine *against, const struct testcase *c,
    struct json_writer *w, struct arena *a, struct cross_count *io);

#endif

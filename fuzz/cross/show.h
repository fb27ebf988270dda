/* show.h: what the modes of cross.h say of a case, for people and as JSON. */
#ifndef FUZZ_CROSS_SHOW_H
#define FUZZ_CROSS_SHOW_H

#include "cross.h"

struct cross_count {
	int leads, decided; /* modes that lead; those in which two answers were compared and something can be said */
};

/*
 * Every mode of each engine[n] on c: a table on standard output, or member `cross` of the object that w is in. against:
 * as of cross_open.  Counts are added up.  False: there is no memory for the probes.
 */
struct json_writer;
bool cross_show(struct engine *const *engine, int n, struct engine *against, const struct testcase *c,
    struct json_writer *w, struct arena *a, struct cross_count *io);

#endif

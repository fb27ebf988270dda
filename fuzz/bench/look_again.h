/* look_again.h: judges the twins of a case (twin.h), for campaigns, and for `run` and `gate` with --twins. */
#ifndef FUZZ_BENCH_LOOK_AGAIN_H
#define FUZZ_BENCH_LOOK_AGAIN_H

#include "twin.h"

/* Twins that gave teeth to a component, and what engines answered; lives in the arena. */
struct judged_twins {
	int n;
	struct judged_twin {
		enum twin kind;
		struct testcase c;
		struct bench_result *r;
	} at[TWIN_COUNT];
	bool interrupted; /* an answer was not waited for */
};

/*
 * Makes the twins of c that may help its components, computes their truths, and judges those that give teeth to one.
 * own: the components of c; work: the counted nanoseconds of its truth, for twin_affordable, or -1 to judge all twins;
 * wide: the dtype of TWIN_WIDE.  *tally (zero) receives what is counted of this case, except
 * for its work.  A twin that does not fit into the arena is left out.
 */
void look_again(struct bench *b, const struct testcase *c, const struct twin_components *own, int64_t work,
    enum dtype wide, struct arena *a, struct twin_tally *tally, struct judged_twins *out);

#endif

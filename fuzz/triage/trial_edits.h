/*
 * trial_edits.h: the edits behind the trials (trials.h).
 *
 * Each changes the program of *e in place, in the arena of e, and returns whether there was anything to change.  The
 * result need not be valid: edit_finish says so.
 */
#ifndef ADJUDGE_TRIAL_EDITS_H
#define ADJUDGE_TRIAL_EDITS_H

#include "fuzz/edit/edit.h"

/* An edit of a copy of c; both live in `a`. */
struct edit trial_begin(const struct testcase *c, struct arena *a);
/* Whether the value is a float of any shape. */
bool trial_is_float(const struct edit *e, int value);

bool trial_make_copies(struct edit *e);        /* of TRIAL_COPIES */
bool trial_make_active(struct edit *e);        /* of TRIAL_ACTIVE */
bool trial_make_first(struct edit *e);         /* of TRIAL_OFFSETS */
bool trial_make_own_inputs(struct edit *e);    /* of TRIAL_INPUTS */
bool trial_make_whole(struct edit *e);         /* of TRIAL_WHOLE; false also if an axis is too long to repeat */
bool trial_make_float_carries(struct edit *e); /* of TRIAL_FLOATS */
bool trial_make_counters(struct edit *e);      /* of TRIAL_COUNTER */
bool trial_make_run_out(struct edit *e);       /* of TRIAL_RUN_OUT */
bool trial_make_yields(struct edit *e);        /* of TRIAL_YIELDS */
bool trial_make_known(struct edit *e);         /* of TRIAL_KNOWN */
bool trial_make_uniform(struct edit *e);       /* of TRIAL_UNIFORM */

/* Of TRIAL_CAPTURE: makes captured float k a constant to differentiation, for the one region that captures it.  False:
 * there are fewer of them. */
bool trial_make_passive(struct edit *e, int k);

#endif

/*
 * nested.h: replaces op derivative.  Every engine runs and differentiates the resulting program, not that of the case.
 */
#ifndef ENGINES_AOT_NESTED_H
#define ENGINES_AOT_NESTED_H

#include "table.h"

/* Whether op derivative occurs at any depth. */
bool program_has_derivative(const struct program *p);

/*
 * Writes the same function without op derivative.  Innermost first, each one is replaced by the nodes of the jvp or vjp
 * of its region.  Checkpoints are gone too.  `above`: the order to which the result will be differentiated.  In the
 * arena.  False with a reason if a rule is missing, or the program exceeds the limits of aot.h.
 */
bool aot_lower(const struct program *p, int above, const struct aot_rules *rules, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;

#endif

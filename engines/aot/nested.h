/* nested.h: programs without op derivative: what every engine runs and differentiates in place of the program of a
 * case. */
#ifndef ENGINES_AOT_NESTED_H
#define ENGINES_AOT_NESTED_H

#include "table.h"

/* Whether op derivative occurs at any depth. */
bool program_has_derivative(const struct program *p);

/*
 * The same function without op derivative: innermost first, each is replaced by the nodes of the jvp or vjp of its
 * region; checkpoints are gone too.  `above`: of what order the result is to be differentiated.  In the arena.  False
 * with a reason where a rule is missing or the program exceeds the bounds of aot.h.
 */
bool aot_lower(const struct program *p, int above, const struct aot_rules *rules, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;

#endif

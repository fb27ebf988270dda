/* aot_nested.h: programs without op derivative: what every engine runs and differentiates in place of the program of a case. */
#ifndef ENGINES_AOT_NESTED_H
#define ENGINES_AOT_NESTED_H

#include "../graph/program.h"

struct aot;

/* Seams of the derivative of a region; an engine owns a copy. */
struct nesting {
	/* Before the derivative of node's region is emitted: what becomes of the values it captures.  Right: nothing, they are constants. */
	void (*capture)(struct aot *x, const struct node *node);
};
extern const struct nesting nesting_right;

/* Whether op derivative occurs at any depth. */
bool program_has_derivative(const struct program *p);

/*
 * The same function without op derivative: innermost first, each is replaced by the nodes of the jvp or vjp of its region; checkpoints are
 * gone too.  `above`: of what order the result is to be differentiated.  In the arena.  False with a reason where a rule is missing or the program exceeds the bounds of aot.h.
 */
bool aot_lower(
    const struct program *p, const struct nesting *nesting, int above, struct arena *a, struct program *out, struct error *e);

#endif

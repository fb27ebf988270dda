/*
 * forward.h: the streaming jvp, for the engines that run it: `forward`, and `implicit`, which adds rules for solutions.
 */
#ifndef ENGINES_BUILTIN_FORWARD_H
#define ENGINES_BUILTIN_FORWARD_H

#include "rules.h"

/* The state of one answer: values and tangents by value number.  A tangent without cells is absent. */
struct forward {
	const struct program *program;
	const struct tangent_rules *rules;
	struct arena *arena;
	bool tracing;
	const bool *exclusive; /* from buffers.h: stores may write into these values */
	struct tensor *primal, *tangent;
};

/* Executes the nodes of a region.  Its parameters already have values and tangents. */
void forward_run(struct forward *self, const struct region *region);

/* Executes a fixed point of meaning `solution` (implicit.c). */
void implicit_push(struct forward *self, const struct node *node);

#endif

/* forward.h: the streaming jvp, for the engines that run it: `forward`, and `implicit`, which adds what it knows of
 * solutions. */
#ifndef ENGINES_BUILTIN_FORWARD_H
#define ENGINES_BUILTIN_FORWARD_H

#include "rules.h"

/* State of one answer: values and tangents by value number; a tangent without cells is absent. */
struct forward {
	const struct program *program;
	const struct tangent_rules *rules;
	struct arena *arena;
	bool tracing;
	const bool *exclusive; /* of buffers.h: stores write into these values */
	struct tensor *primal, *tangent;
};

/* Executes the nodes of a region; its parameters have their values and tangents. */
void forward_run(struct forward *self, const struct region *region);

/* Executes a fixed point of meaning `solution` (implicit.c). */
void implicit_push(struct forward *self, const struct node *node);

#endif

/* array_parts.h: the source of a program for an array library, while it is written; shared by array*.c. */
#ifndef EMIT_ARRAY_PARTS_H
#define EMIT_ARRAY_PARTS_H

#include "array.h"

/*
 * An output of a level, by its number among all outputs of the level.  Outputs that are no floats have no derivative,
 * and are left out.
 */
struct array_output {
	int index;
	struct type type;
};

struct array_source {
	const struct emission *x;
	const struct array_target *target;
	const struct array_calls *calls;
	struct program p; /* in ops and control flow that the target has */
	/* In a brief source: the outermost level as an expression of the inputs; NULL: it is a function. */
	const char *outermost;
	struct arena *arena;
	struct text *out;
};

/* The code of element k of a tuple, where `of` is the code of the tuple; in the arena. */
const char *array_element(const struct array_target *target, const char *of, int k, struct arena *a);
/*
 * Writes the functions of the wanted levels, innermost first: all, or the batches alone.  *name is the outermost, and
 * its outputs are left in output[*n].  prefix: what their names begin with.
 * Returns false and sets e if the target has no such level, or if there is nothing to differentiate.
 */
bool array_put_levels(struct array_source *s, const char *prefix, bool batches_alone, const char **name,
    struct array_output *output, int *n, struct error *e);

#endif

/*
 * emit.h: a case as the source of a program that runs against an engine alone, for engines that no adapter puts behind
 * the protocol here.
 *
 * A target is a row of targets.def.  Those of array libraries are a file of templates each (jax.def ...), printed by
 * array.c of a program that rewrite.c has brought to what the templates know; C is written by c_*.c, where loops stay
 * loops.
 */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "graph/testcase.h"
#include "oracles/truth.h"
#include "graph/text.h"

/* What is written: the case, and what is right at its points. */
struct emission {
	const struct testcase *c;
	const struct truth *truth;
	struct arena *arena;
	struct text *out;
};

/* False where the target has no counterpart for what the case has: the error names it, and what is in out->at means
 * nothing. */
typedef bool emit_fn(const struct emission *x, struct error *e);

struct emit_target {
	const char *name, *meaning;
	emit_fn *write;
};
/* Ends with a row of NULLs. */
extern const struct emit_target emit_targets[];
/* The row of that name, or NULL. */
const struct emit_target *emit_target_find(const char *name);

/*
 * The comment over a source, each line begun with `prefix`: what it is, the case's title, the program and the request,
 * and what is expected of every point.  The first two lines hold nothing of the case, for in Python a comment there may
 * name the file's encoding.
 */
void emit_comment(const struct emission *x, const char *prefix, const char *target);

#endif

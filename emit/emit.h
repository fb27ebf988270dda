/*
 * emit.h: a case as the source of a program that runs against an engine alone.  It serves engines without an adapter.
 *
 * A target is a row of targets.def.  The target of an array library is a file of templates (jax.def ...). rewrite.c
 * turns the program into what the templates know, and array.c prints it. c_*.c write C, in which loops stay loops.
 */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "graph/testcase.h"
#include "oracles/truth.h"
#include "graph/text.h"
#include "engines/process/hello.h"

/* The input of a target: the case, and the truth at its points. */
struct emission {
	const struct testcase *c;
	/* NULL: from templates, the source calls `judge`, as that of an adapter does (engines/PROTOCOL.md); in C it has
	 * the functions alone. */
	const struct truth *truth;
	bool tight; /* judge by the tight radius: the finding is an inaccuracy */
	bool brief; /* short, for an issue: only what is asked for, compared with literals (brief.h) */
	/* A NaN is right where zeros that multiply like any number make it (truth.h): the engine declares that, and the
	 * finding is another one. */
	bool weak_zero;
	struct arena *arena;
	struct text *out;
};

/*
 * Writes the source.  False if the target has no counterpart for something in the case; the error names it, and the
 * text in `out` is useless.
 */
typedef bool emit_fn(const struct emission *x, struct error *e);

struct emit_target {
	const char *name, *meaning;
	emit_fn *write;
};
/*
 * Writes the source of an adapter: text[n], one for each point or one for all.  Where the text calls `judge`, functions
 * that judge come before it.  suffix: of files in its language, as the hello says it.
 */
void emit_adapted(const struct emission *x, const char *suffix, const char *const *text, int n);

/*
 * What an engine behind the target's sources can be asked, as a hello without version: an adapter runs them.  False if
 * they cannot be written without a truth.
 */
bool emit_hello(const struct emit_target *target, struct arena *a, struct hello *out) MUST_CHECK;

/* Ends with a row of NULLs. */
extern const struct emit_target emit_targets[];
/* The row of that name, or NULL. */
const struct emit_target *emit_target_find(const char *name);

/*
 * Writes the comment above a source, each line after `prefix`.  It says what the source is, and has the case's title,
 * the program, the request and the expected results at every point.  The first two lines contain nothing from the case,
 * because in Python a comment there may name the file's encoding.
 */
void emit_comment(const struct emission *x, const char *prefix, const char *target);

#endif

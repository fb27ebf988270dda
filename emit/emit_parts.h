/* emit_parts.h: shared by the targets of this folder. */
#ifndef EMIT_EMIT_PARTS_H
#define EMIT_EMIT_PARTS_H

#include "emit.h"

#define TARGET(id, name, meaning) emit_fn emit_##id;
#include "targets.def"
#undef TARGET

/* A finite number as the shortest decimal that gives the same binary64, with a point: exact in every language. */
const char *emit_decimal(double x, struct arena *a);

/*
 * The accepted values of an element, for people: "1.5 +- 2.3e-16", several if conventions differ at a tie, or
 * "undecided (REASON)". choice[n]: the element by each assignment of conventions.
 */
const char *emit_expected(const struct component *const *choice, int n, struct arena *a);

/* The accepted values of element i of an output: of the primal, or (derivative) of the outermost level. */
const char *emit_expected_element(const struct truth_point *at, bool derivative, int output, int i, struct arena *a);

/* Writes the program without op derivative, customs, fixed points, checkpoints and stores, by means of other ops. */
bool emit_plain(const struct testcase *c, struct arena *a, struct program *out, struct error *e) MUST_CHECK;

#endif

/* emit_parts.h: what the targets of this folder share. */
#ifndef EMIT_EMIT_PARTS_H
#define EMIT_EMIT_PARTS_H

#include "emit.h"

#define TARGET(id, name, meaning) emit_fn emit_##id;
#include "targets.def"
#undef TARGET

/* A finite number as the shortest decimal that gives back the same binary64, with a point: exact in every language. */
const char *emit_decimal(double x, struct arena *a);

/*
 * What an element may be, for people: "1.5 +- 2.3e-16", several where conventions differ at a tie, or "undecided
 * (REASON)".  choice[n]: the element by each assignment of conventions.
 */
const char *emit_expected(const struct component *const *choice, int n, struct arena *a);

/* What is expected of element i of an output: of the primal, or (derivative) of the outermost level. */
const char *emit_expected_element(const struct truth_point *at, bool derivative, int output, int i, struct arena *a);

/* The program without op derivative, customs, fixed points, checkpoints and stores: what they are in the other ops. */
bool emit_plain(const struct testcase *c, struct arena *a, struct program *out, struct error *e) MUST_CHECK;

#endif

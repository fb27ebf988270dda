/* generate.h: random valid cases, and mutation and cross-over of cases. */
#ifndef FUZZ_GENERATE_GENERATE_H
#define FUZZ_GENERATE_GENERATE_H

#include "graph/testcase.h"
#include "choice.h"

/*
 * Distributions of the generator, a row each in profile.def; read from JSON, frozen ones live in benchmarks/.
 * Percentages unless the meaning says otherwise.
 */
struct profile {
#define PROFILE(member, value, meaning) int member;
#include "profile.def"
#undef PROFILE
	bool without[OP_COUNT]; /* ops that are not drawn: no member of a profile file, but what the engines under test
	                           do not know */
};

struct profile profile_default(void);
/* Reads {"schema":"adjudge.profile/1", "member": integer...}; members that are absent keep their default. */
bool profile_read_file(const char *path, struct profile *out, struct error *e) MUST_CHECK;

/*
 * A valid case (testcase_check holds) for any choices: total, type-directed.  With a bytes source that is empty: the
 * simplest case. Knows no fault and no engine.
 */
struct testcase generate(struct choice *c, const struct profile *profile, struct arena *a);

/* The same with the request stack[n], innermost first; levels that would exceed a limit are left out. */
struct testcase generate_stack(
    struct choice *c, const struct profile *profile, const enum transform_kind *stack, int n, struct arena *a);

/* A valid case near `from`: structure, points or request changed; falls back to fresh generation rather than fail. */
struct testcase mutate(const struct testcase *from, struct choice *c, const struct profile *profile, struct arena *a);
/* A valid case with parts of both. */
struct testcase cross_over(const struct testcase *left, const struct testcase *right, struct choice *c,
    const struct profile *profile, struct arena *a);

/* Strata that the frozen profile promises shares of; computed from the case alone. */
struct strata {
	/* jvp, vjp, strict_subset: of the outermost transform that differentiates */
	bool loop, cond, scatter_or_slice, edge_point, low_precision, jvp, vjp, strict_subset, nested, solution;
	bool higher_order, batch;
	int ops;                 /* nodes, constants not counted */
	int points, edge_points; /* points, and those of them that are on an edge; edge_point: at least one is */
};
struct strata strata_of(const struct testcase *c);

#endif

/* generate.h: random valid cases, and mutation and cross-over of cases. */
#ifndef FUZZ_GENERATE_GENERATE_H
#define FUZZ_GENERATE_GENERATE_H

#include "graph/testcase.h"
#include "choice.h"

/*
 * Distributions of the generator: a row of profile.def each.  They are read from JSON; frozen ones are in benchmarks/.
 * Each is a percentage unless its meaning says otherwise.
 */
struct profile {
#define PROFILE(member, value, meaning) int member;
#include "profile.def"
#undef PROFILE
	bool without[OP_COUNT]; /* ops that are not drawn, because the engines under test do not know them; not part of
	                           a profile file */
	bool variants; /* an engine under test lists spellings, so cases draw a variant; not part of a profile file */
};

struct profile profile_default(void);
/* Whether all members are equal. */
bool profile_equal(const struct profile *x, const struct profile *y);
/* Writes a profile as one JSON object, which profile_read reads. */
struct json_writer;
void profile_put(struct json_writer *w, const struct profile *profile);
/* Reads a profile from JSON that was read already. */
struct json;
bool profile_read(const struct json *root, struct profile *out, struct error *e) MUST_CHECK;
/* Reads {"schema":"adjudge.profile/1", "member": integer...}; members that are absent keep their default. */
bool profile_read_file(const char *path, struct profile *out, struct error *e) MUST_CHECK;

/*
 * Draws a valid case (testcase_check holds) for any choices, directed by types.  An empty source of bytes gives the
 * simplest case.  Knows no fault and no engine.
 */
struct testcase generate(struct choice *c, const struct profile *profile, struct arena *a);

/* The same with request stack[n], innermost first.  Levels that would exceed a limit are left out. */
struct testcase generate_stack(
    struct choice *c, const struct profile *profile, const enum transform_kind *stack, int n, struct arena *a);

/* Makes a valid case near `from`: structure, points or request changed.  If that fails, it draws a fresh case. */
struct testcase mutate(const struct testcase *from, struct choice *c, const struct profile *profile, struct arena *a);
/* Makes a valid case with parts of both. */
struct testcase cross_over(const struct testcase *left, const struct testcase *right, struct choice *c,
    const struct profile *profile, struct arena *a);

/* Strata of which the frozen profile promises shares; computed from the case alone. */
struct strata {
	/* jvp, vjp, strict_subset: of the outermost transform that differentiates */
	bool loop, cond, scatter_or_slice, edge_point, low_precision, jvp, vjp, strict_subset, nested, solution;
	bool higher_order, batch;
	int ops;                 /* nodes, without constants */
	int points, edge_points; /* points; points on an edge.  edge_point: there is at least one */
};
struct strata strata_of(const struct testcase *c);

#endif

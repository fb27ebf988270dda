/*
 * fine_signature.h: the fine signature of a simplest case: engine, request, verdict and the ops that matter.
 *
 * Example: "tape|vjp|for{mul}".  The parts are, in order:
 * - the name of the engine;
 * - the request: "jvp", "vjp" or "primal"; "order N" if N levels differentiate and N is at least 2; ",batch" for a
 * batch;
 * - the verdict and a colon, unless the verdict is about numbers;
 * - the names of the ops, sorted, each once; ops inside a region stand in braces.  Constants are left out;
 * - a bar and the spellings that are not the engine's first, if only these show it (fine_spelled).
 *
 * Numbers, extents and the order of operands do not count.  An op gets the name of its role (roles.h) if other ops
 * would do in its place: "elementwise", "nonlinear", "write" or "index".  An op of ROLE_TYPE is in the pattern, but not
 * in the text.  Ops that most engines treat by one rule share one name (the table `shared_names` in fine_signature.c).
 */
#ifndef FUZZ_TRIAGE_FINE_SIGNATURE_H
#define FUZZ_TRIAGE_FINE_SIGNATURE_H

#include "roles.h"

enum { PATTERN_SIZE = OP_COUNT + 4 };

/* The names in a fine signature, as a set: ops, and after them the four roles. */
struct pattern {
	bool has[PATTERN_SIZE];
};

/* A request, reduced to the properties that tell findings apart. */
struct request_summary {
	int order;        /* levels that differentiate, including those of op derivative */
	const char *kind; /* "primal", "jvp", "vjp": the outermost level that differentiates */
	bool batch;
};
struct request_summary asked_of(const struct testcase *c);
/*
 * Whether a bug that shows under request x may also be the reason for a failure under y.  It may if x and y are the
 * same request; with a batch, jvp and vjp count as the same.  It also may if y has order 2 or more and x a lower order.
 */
bool asked_explains(const struct request_summary *x, const struct request_summary *y);
/* Whether request y contains request x: the primal is in every request, order 1 is in every higher order, and a request
 * without a batch is in the same one with a batch. */
bool asked_is_in(const struct request_summary *x, const struct request_summary *y);

/* role: from find_roles; NULL: every op stands for itself.  The text lies in the arena. */
char *fine_signature(
    const char *engine, const struct testcase *c, enum verdict v, const enum role *role, struct arena *a);
/* The signature with the spellings of the case behind it (engine_spellings); NULL: as it is. */
char *fine_spelled(const char *fine, const char *spellings, struct arena *a);
struct pattern pattern_of(const struct testcase *c, const enum role *role);

/* Whether the case has every op of the pattern, and for each role some op that can have it. */
bool pattern_is_in(const struct pattern *p, const struct testcase *c);
/*
 * Whether the bug of the smaller pattern may be behind the larger one.  The larger one must have all names of the
 * smaller one; an op that can have a role counts as that role.  One name must be a role or an op without regions,
 * because that op is to blame.  The pattern {for, div} explains {for, add, div}.  A pattern {for} alone explains
 * nothing: there the loop fails because it lacks something.
 */
bool pattern_explains(const struct pattern *smaller, const struct pattern *larger);
/* Whether the larger pattern has all names of the smaller one; an op that can have a role counts as that role. */
bool pattern_is_part(const struct pattern *smaller, const struct pattern *larger);
/* Whether both name the same ops; roles may differ.  If neither names an op, the roles must be the same. */
bool pattern_same_ops(const struct pattern *x, const struct pattern *y);
/* Whether both name the same ops, elementwise ones aside, and at least one of them has regions. */
bool pattern_same_regions(const struct pattern *x, const struct pattern *y);
/* Whether it names roles only, and at least one. */
bool pattern_is_roles(const struct pattern *p);
/* Whether its only name is an elementwise op. */
bool pattern_is_elementwise_op(const struct pattern *p);
/* Whether none of its ops has regions. */
bool pattern_is_leaf(const struct pattern *p);
/*
 * Whether a program loses the pattern with nodes like n: n has a name of p, and has regions if an op of p has regions.
 */
bool pattern_hangs_on(const struct pattern *p, const struct node *n);
int pattern_size(const struct pattern *p);

#endif

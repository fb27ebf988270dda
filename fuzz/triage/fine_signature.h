/*
 * fine_signature.h: what a simplest case is about, in the names of its ops.
 *
 * "tape|vjp|for{mul}": engine spec; jvp, vjp or primal, "order N" from 2 on; the verdict and a colon, unless it is
 * about numbers; the ops, constants left out, each once, in the order of their names, those of regions in braces.
 * Names, numbers, extents and the way operands are wired do not count.  An op that any other would do for is
 * "elementwise", "nonlinear" or "write", one that is about the index of a loop "index" (roles.h); one in a region that
 * is there for its type is left out, but is in the set; ops that one rule serves in most engines have one name (a table
 * in fine_signature.c).
 */
#ifndef FUZZ_TRIAGE_FINE_SIGNATURE_H
#define FUZZ_TRIAGE_FINE_SIGNATURE_H

#include "roles.h"

enum { PATTERN_SIZE = OP_COUNT + 4 };

/* The set of names in a fine signature: of ops, and of the four roles behind them. */
struct pattern {
	bool has[PATTERN_SIZE];
};

/* What is asked of a program, as far as two findings can be of one bug or not. */
struct request_summary {
	int order;        /* levels that differentiate, those of op derivative too */
	const char *kind; /* "primal", "jvp", "vjp": the outermost of them */
	bool batch;
};
struct request_summary asked_of(const struct testcase *c);
/* Whether a bug that shows where x is asked may be behind what shows where y is: the same, of a batch either
 * derivative, or a lower order where that is of order 2 and more. */
bool asked_explains(const struct request_summary *x, const struct request_summary *y);
/* Whether what is asked in x is asked in y as well: the primal in everything, order 1 in order 2, the same without a
 * batch in the same with one. */
bool asked_is_in(const struct request_summary *x, const struct request_summary *y);

/* role: of find_roles, or NULL where every op stands for itself.  In the arena. */
char *fine_signature(
    const char *spec, const struct testcase *c, enum verdict v, const enum role *role, struct arena *a);
struct pattern pattern_of(const struct testcase *c, const enum role *role);

/* Whether the case has every op of the pattern, and for each role some op that can have it. */
bool pattern_is_in(const struct pattern *p, const struct testcase *c);
/*
 * Whether what has the larger pattern has the smaller one's bug: it has all its names (for a role, an op that can have
 * it), one of them that of an op without regions, which is what is to blame.  {for, div} explains {for, add, div};
 * {for} alone explains nothing: what matters there is what the loop lacks.
 */
bool pattern_explains(const struct pattern *smaller, const struct pattern *larger);
/* Whether all names of `smaller` are in the larger one: for a role, an op that can have it. */
bool pattern_is_part(const struct pattern *smaller, const struct pattern *larger);
/* Whether both name the same ops, whatever the roles of others; where they name none, the same roles. */
bool pattern_same_ops(const struct pattern *x, const struct pattern *y);
/* Whether both name the same ops, one with regions among them, but for elementwise ones. */
bool pattern_same_regions(const struct pattern *x, const struct pattern *y);
/* Whether it names no op of its own, but for that there are some. */
bool pattern_is_roles(const struct pattern *p);
/* Whether it is one elementwise op, no more. */
bool pattern_is_elementwise_op(const struct pattern *p);
/* Whether no op of it has regions. */
bool pattern_is_leaf(const struct pattern *p);
/* Whether a program loses the pattern with nodes such as n: those with regions, where it has some, else all. */
bool pattern_hangs_on(const struct pattern *p, const struct node *n);
int pattern_size(const struct pattern *p);

#endif

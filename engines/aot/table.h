/* table.h: the rules of derivative programs as a table that each engine owns a copy of, as of its other tables
 * (rules.h). */
#ifndef ENGINES_AOT_TABLE_H
#define ENGINES_AOT_TABLE_H

#include "graph/program.h"

struct aot;
struct batcher;

/* The tangent of the float result, of its type.  arg[], out: primal values; tangent[k] < 0: absent; one at least is
 * there. */
typedef int aot_push_fn(struct aot *x, const struct node *node, const int *arg, int out, const int *tangent);
/* contribution[k] for wanted operands, of the operand's type; -1 on entry, and where there is none. */
typedef void aot_pull_fn(struct aot *x, const struct node *node, const int *arg, int out, int cotangent,
    const bool *wanted, int *contribution);

enum { AOT_TEXT = 320 };

struct aot_rule {
	aot_push_fn *push;
	aot_pull_fn *pull;      /* NULL: locally constant */
	const char *partial[3]; /* texts: see rules.def; shorter than AOT_TEXT */
	double scale;           /* multiplied onto the op's contribution; 1 */
	unsigned unscaled;      /* bit k: not onto that of operand k; 0 */
};

struct aot_rules {
	struct aot_rule row[OP_COUNT];
	/* A derivative times a partial, both f64.  Right: aot_product, in which a derivative of 0 is strong. */
	int (*product)(struct aot *x, int derivative, int partial);
	/* jvp of a running product: the term of the new factor's tangent and the product before it.  Right:
	 * aot_product. */
	int (*running_term)(struct aot *x, int tangent, int product);
	/* How many iterations of a loop are pulled back, an i64, of the `count` that ran.  Right: count. */
	int (*reversed)(struct aot *x, int count);
	/* Before the derivative of the region of an op derivative is emitted: what becomes of what it captures.  Right:
	 * nothing, constants. */
	void (*capture)(struct aot *x, const struct node *node);
	/* What the rule of a custom reads for an operand whose value that is.  Right: the value. */
	int (*rule_reads)(struct aot *x, int value);
	/*
	 * What the vjp rule of a custom gave: contribution[k] to operand k, -1 where it is no float, before any is
	 * added.  Right: nothing, all are added.
	 */
	void (*slots)(struct aot *x, const struct node *node, int *contribution);
	/*
	 * Batches.  What a region that runs for all slices reads for a batched float from outside, where `predicate`
	 * says (broadcast) which slices it counts for.  Right: the value, through which no derivative flows for the
	 * other slices.  NULL: batches are not vectorised but scans.
	 */
	int (*guard)(struct aot *x, int predicate, int value);
	/* A gather whose operand or indices are batched.  Right: batch_gather by its own mode. */
	int (*gather)(struct batcher *b, const struct node *node);
	char edited[AOT_TEXT]; /* for a text that an edit replaces */
};
extern const struct aot_rules aot_rules_right;

#endif

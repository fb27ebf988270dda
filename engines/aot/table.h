/*
 * table.h: the rules of derivative programs.  Each engine owns a copy of this table, as of its other tables (rules.h).
 */
#ifndef ENGINES_AOT_TABLE_H
#define ENGINES_AOT_TABLE_H

#include "graph/program.h"

struct aot;
struct batcher;

/*
 * Emits the tangent of the float result, of the result's type. arg[], out: primal values. tangent[k] < 0: absent; at
 * least one is present.
 */
typedef int aot_push_fn(struct aot *x, const struct node *node, const int *arg, int out, const int *tangent);
/*
 * Emits contribution[k] for each wanted operand, of the operand's type.  It is -1 on entry, and stays -1 if there is
 * none.
 */
typedef void aot_pull_fn(struct aot *x, const struct node *node, const int *arg, int out, int cotangent,
    const bool *wanted, int *contribution);

enum { AOT_TEXT = 320 };

struct aot_rule {
	aot_push_fn *push;
	aot_pull_fn *pull;      /* NULL: locally constant */
	const char *partial[3]; /* texts: see rules.def; shorter than AOT_TEXT */
	double scale;           /* factor of the op's contributions; 1 */
	unsigned unscaled;      /* bit k: operand k's contribution is not scaled; 0 */
};

struct aot_rules {
	struct aot_rule row[OP_COUNT];
	/* A derivative times a partial, both f64.  Correct: aot_product, where a derivative of 0 is a strong zero. */
	int (*product)(struct aot *x, int derivative, int partial);
	/*
	 * In the jvp of a running product: the tangent of the new factor times the product before it.  Correct:
	 * aot_product.
	 */
	int (*running_term)(struct aot *x, int tangent, int product);
	/* How many iterations of a loop are pulled back, an i64, when `count` ran.  Correct: count. */
	int (*reversed)(struct aot *x, int count);
	/*
	 * Called before the derivative of the region of an op derivative is emitted.  It may change what the captured
	 * values are.  Correct: nothing, they are constants.
	 */
	void (*capture)(struct aot *x, const struct node *node);
	/* The value that the rule of a custom reads for an operand.  Correct: the operand's value. */
	int (*rule_reads)(struct aot *x, int value);
	/*
	 * Called with the contributions that the vjp rule of a custom gave, before any is added: contribution[k] to
	 * operand k, -1 if it is no float.  Correct: nothing, all are added.
	 */
	void (*slots)(struct aot *x, const struct node *node, int *contribution);
	/*
	 * In batches: what a region that runs for all slices reads for a captured batched float.  `predicate`
	 * (broadcast) says which slices count.  Correct: the value, but no derivative flows through it for the other
	 * slices.  NULL: batches are scans, not vectorised.
	 */
	int (*guard)(struct aot *x, int predicate, int value);
	/* Emits a gather whose operand or indices are batched.  Correct: batch_gather with the node's own mode. */
	int (*gather)(struct batcher *b, const struct node *node);
	char edited[AOT_TEXT]; /* holds a text that an edit replaces */
};
extern const struct aot_rules aot_rules_right;

#endif

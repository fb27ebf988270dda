/* explain_internal.h: the variants with their features and measures; for variants.c, which keeps them, explain.c and
 * depends.c. */
#ifndef FUZZ_CHARACTERIZE_EXPLAIN_INTERNAL_H
#define FUZZ_CHARACTERIZE_EXPLAIN_INTERNAL_H

#include "explain.h"
#include "facts.h"

enum {
	FEATURES = 2048, /* those of features_explain.def, then those named after ops, in order of appearance */
	VARIANTS = 8192,
	WORDS = VARIANTS / 64,
	ROLES = 512,
	MEASURED = 640,     /* measures of ops of the case */
	TOLD_MORE_NODES = 5 /* than the case: a larger program has more reasons to pass */
};

/* Variants for which something holds. */
struct variant_set {
	uint64_t at[WORDS];
};

/* A measure of the ops of the case, in every variant. */
struct measured {
	enum measure_id id;
	enum op op;
	int operand;
	char *name; /* of the operand; owned, NULL for a measure of the node */
	float *x;   /* [VARIANTS] NaN: the variant has no such node.  Owned */
};

struct explanation {
	int n_feature, n_variant;
	char *name[FEATURES], *sentence[FEATURES]; /* owned */
	int number[VARIANTS];
	struct variant_set fails, fails_plainly; /* for the first condition; for what is told */
	struct variant_set aside, mute;          /* they count only for what is told; only for the other condition */
	struct variant_set certain;              /* each condition must hold for them */
	struct variant_set thin, fresh;          /* fresh: what is told is tested on them, not found */
	struct variant_set alone;                /* programs of an op alone, whose operands are inputs of their own */
	struct variant_set has[FEATURES];
	bool own_op[OP_COUNT]; /* in a case that the condition is to be about */
	int n_measured;
	struct measured measured[MEASURED];
	int nodes; /* of the largest of these cases */
	int n_role;
	char *role[ROLES]; /* owned */
	struct variant_set in_role[ROLES];
	struct added_as adding; /* so are those that are added now */
};

static inline bool variant_in(const struct variant_set *s, int v) { return s->at[v / 64] >> v % 64 & 1; }
static inline void variant_put(struct variant_set *s, int v) { s->at[v / 64] |= (uint64_t)1 << v % 64; }

#endif

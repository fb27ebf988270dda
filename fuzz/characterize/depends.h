/* depends.h: the search for the condition that people are told; for told.c and depends.c. */
#ifndef FUZZ_CHARACTERIZE_DEPENDS_H
#define FUZZ_CHARACTERIZE_DEPENDS_H

#include "explain_internal.h"

enum {
	TOLD_LITERALS = 2048,
	/* The weight of a variant of the typical case, and of a drawn one.  A variant of the smallest case weighs 1: it
	 * is often right by accident, because its numbers are 0 and 1. */
	FIRM = 4,
	/* That of a program of an op alone, which is hardly ever right by accident. */
	ALONE = 12,
	TOLD_BEST = 64 /* conditions that are kept, for a third term and as alternatives */
};

struct told_literal {
	int feature;                 /* -1: a measure */
	const struct measured *than; /* NULL: a feature */
	double threshold;
	bool holds; /* the feature holds; the measure is above the threshold */
	double cost;
};

struct told_condition {
	int n, literal[EXPLANATION_TERMS];
	bool any;
	double error, cost; /* cost: with that of its terms */
};

struct telling {
	const struct explanation *x;
	const struct blamed *blamed;
	int n_blamed;
	struct arena *arena;
	int words, n_variant, n_failing;
	bool widened; /* variants count in which the blamed op runs, though it passes no derivative on */
	struct variant_set among, fails;
	struct variant_set found_on; /* of them, those on which the condition is found */
	int firm, alone;             /* 1; or FIRM, ALONE */
	double weight[2];            /* of a variant that passes; that fails */
	int n_literal;
	struct told_literal *literal; /* [TOLD_LITERALS] */
	struct variant_set *set;      /* [TOLD_LITERALS] */
	int n_best;
	struct told_condition best[TOLD_BEST + 1];
};

/* At most this share of the variants, failing and passing ones alike in weight, may be predicted wrongly. */
#define TOLD_ENOUGH 0.08

/* Whether the op is to blame, or none is known to be. */
bool telling_blames(const struct telling *t, enum op op);
/* Lists the literals that may be told. */
void telling_list(struct telling *t);
/* The best condition of at most EXPLANATION_TERMS terms: each further term must save enough. */
struct told_condition telling_search(struct telling *t);

#endif

/*
 * explain.h: features of a program at a point (features_explain.def), and the simplest condition over them that
 * separates variants that fail from those that pass.
 */
#ifndef FUZZ_CHARACTERIZE_EXPLAIN_H
#define FUZZ_CHARACTERIZE_EXPLAIN_H

#include "graph/testcase.h"

struct explanation;

/* A set of variants with their features.  The caller owns it until explanation_close. */
struct explanation *explanation_open(void);
void explanation_close(struct explanation *x);

/*
 * What the condition is to be about: the smallest case, the typical one.  A term then names only ops of these.  It
 * holds there, or among variants without other ops it holds for some and not for others.  Call it before variants are
 * added.
 */
void explanation_about(struct explanation *x, const struct testcase *c, struct arena *scratch);

/* Whether the variants that are added from now on are made of the typical case.  They count for what is told alone. */
void explanation_of_typical(struct explanation *x, bool typical);

/* Adds a variant.  c must be checked; number is the caller's name for it, added only once.  scratch: for the
 * computation. */
void explanation_add(struct explanation *x, const struct testcase *c, bool fails, int number, struct arena *scratch);

enum { EXPLANATION_TERMS = 3 };

/* A literal: a feature or its negation. */
struct literal {
	const char *name, *sentence; /* in the arena of explanation_find */
	int feature;
	bool holds;
};

struct explained {
	int n_term;      /* 0: `always`, or no condition is better than a constant guess */
	bool determined; /* it predicts enough of the variants to be told */
	bool always;     /* every variant fails */
	bool any;        /* one of the terms is enough; else all are needed */
	struct literal term[EXPLANATION_TERMS];
	int failing, failing_with, passing, passing_without;
	int n_alternative;
	const char **alternative;
	int n_exception, *exception; /* numbers of variants that it does not predict */
};

/*
 * Finds the simplest condition: it has more terms only if they save enough exceptions.  In the arena.  told: it keeps
 * to explanation_about, and prefers terms that are not named after ops.  Otherwise it is the one that separates best
 * the variants of the smallest case.
 */
void explanation_find(const struct explanation *x, bool told, struct arena *a, struct explained *out);
/* Whether the condition holds for c. */
bool explanation_predicts(
    const struct explanation *x, const struct explained *condition, const struct testcase *c, struct arena *scratch);
/* "It fails where A, and where B, except where C.", "It fails in every variant that was tried."  In the arena. */
const char *explanation_text(const struct explained *condition, struct arena *a);

#endif

/*
 * explain.h: features of a program at a point (features_explain.def), and the simplest condition over them that
 * separates variants that fail from those that pass.
 */
#ifndef FUZZ_CHARACTERIZE_EXPLAIN_H
#define FUZZ_CHARACTERIZE_EXPLAIN_H

#include "graph/testcase.h"

struct explanation;

/* Variants and their features; owned by the caller until explanation_close. */
struct explanation *explanation_open(void);
void explanation_close(struct explanation *x);

/* Counts a variant: c is checked; number: what the caller calls it.  Memory of the computation from the arena. */
void explanation_add(struct explanation *x, const struct testcase *c, bool fails, int number, struct arena *scratch);

enum { EXPLANATION_TERMS = 3 };

/* A literal: a feature or its negation. */
struct literal {
	const char *name, *sentence; /* in the arena of explanation_find */
	int feature;
	bool holds;
};

struct explained {
	int n_term;  /* 0: nothing separates better than chance, or: */
	bool always; /* every variant fails */
	bool any;    /* one of the terms is enough; else all are needed */
	struct literal term[EXPLANATION_TERMS];
	int failing, failing_with, passing, passing_without;
	int n_alternative;
	const char **alternative;
	int n_exception, *exception; /* numbers of variants that it does not predict */
};

/* The simplest condition: more terms only where they save enough exceptions.  In the arena. */
void explanation_find(const struct explanation *x, struct arena *a, struct explained *out);
/* Whether the condition holds of c. */
bool explanation_predicts(
    const struct explanation *x, const struct explained *condition, const struct testcase *c, struct arena *scratch);
/* "It fails where A and B.", "It fails wherever it was tried." in the arena. */
const char *explanation_text(const struct explained *condition, struct arena *a);

#endif

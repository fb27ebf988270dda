/*
 * explain.h: features of a program at a point (features_explain.def), and the simplest condition over them that
 * separates variants that fail from those that pass.
 */
#ifndef FUZZ_CHARACTERIZE_EXPLAIN_H
#define FUZZ_CHARACTERIZE_EXPLAIN_H

#include "graph/testcase.h"
#include "measures.h"

struct explanation;

/* A set of variants with their features.  The caller owns it until explanation_close. */
struct explanation *explanation_open(void);
void explanation_close(struct explanation *x);

/* What is told is to be about the ops of this case: the smallest, the typical one.  Call it before variants are added.
 */
void explanation_about(struct explanation *x, const struct testcase *c);

/* The variants that are added from now on count for what is told alone.  thin: of many with the same measures, a few
 * count. */
void explanation_aside(struct explanation *x, bool aside, bool thin);
/* The variants that are added from now on are programs of an op alone: nothing else makes them right or wrong. */
void explanation_alone(struct explanation *x, bool alone);
/* The variants that are added from now on test what is told: it is not found on them. */
void explanation_fresh(struct explanation *x, bool fresh);
/* The variants that are added from now on fail, and a report shows them: no condition may say that they are right. */
void explanation_certain(struct explanation *x, bool certain);
/* How variants that are added now count, by the last calls of these; and sets it. */
struct added_as {
	bool aside, thin, fresh, certain, alone;
};
struct added_as explanation_adding(const struct explanation *x);
void explanation_add_so(struct explanation *x, struct added_as adding);

/* What a variant shows.  One that passes shows little if all its derivatives are 0, or if it is at a tie, where the
 * engine may choose. */
enum variant_outcome { OUTCOME_PASSES, OUTCOME_FAILS, OUTCOME_ZERO, OUTCOME_TIE };

/*
 * Adds a variant.  fails: for explanation_find; silent: it passes, but no answer to it would tell, so it counts for
 * explanation_tell alone; o: for explanation_tell.  c must be checked; known: cotangents in it,
 * or NULL.  number is the caller's name for it, added only once.  scratch: for the computation.
 */
struct known_cotangents;
void explanation_add(struct explanation *x, const struct testcase *c, const struct known_cotangents *known, bool fails,
    bool silent, enum variant_outcome o, int number, struct arena *scratch);
/* Measures a variant again, whose cotangents were not known when it was added. */
void explanation_measure(struct explanation *x, const struct testcase *c, const struct known_cotangents *known,
    int number, struct arena *scratch);

enum {
	EXPLANATION_TERMS = 3,
	EXPLANATION_APART = 3 /* fewer variants that pass, among many that fail, tell nothing apart */
};

/* A literal: a feature or its negation. */
struct literal {
	const char *name, *sentence; /* in the arena of explanation_find */
	int feature;
	bool holds;
};

/* A term of a rival: a feature, or a measure above a threshold or not. */
struct rival_term {
	int feature; /* -1: a measure */
	enum measure_id measure;
	enum op op;
	int operand;
	double threshold;
	bool holds;
};

/* A condition that predicts the variants so far nearly as well as what is told. */
struct rival {
	int n;
	bool any;
	struct rival_term term[EXPLANATION_TERMS];
};

enum { RIVALS = 24 };

struct explained {
	int n_term;           /* 0: `always`, or no condition is better than a constant guess */
	bool determined;      /* of what is told: it predicts enough of the variants, also of the fresh ones */
	int gap_from, gap_to; /* of what is told: counts that no variant has, between which a threshold lies; 0: none */
	bool always;          /* every variant fails, or so many that no condition predicts better */
	bool any;             /* one of the terms is enough; else all are needed */
	struct literal term[EXPLANATION_TERMS];
	int failing, failing_with, passing, passing_without;
	int n_alternative;
	const char **alternative;
	int n_exception, *exception; /* numbers of variants that it does not predict */
	int n_rival;
	struct rival chosen, rival[RIVALS]; /* of what is told */
};

/*
 * Finds the simplest condition that separates the variants that are not aside: it has more terms only if they save
 * enough exceptions.  In the arena.
 */
void explanation_find(const struct explanation *x, struct arena *a, struct explained *out);

/* Whether nearly all variants that fail have the feature; true if there are no variants (NULL). */
bool explanation_needs(const struct explanation *x, int feature);

/* An operand or captured value whose derivative is wrong.  role: as in struct facts; NULL: some one of the op. */
struct blamed {
	enum op op;
	const char *role;
	bool value; /* its value is wrong, before any derivative */
};

/*
 * The condition for people: among the variants in which a blamed operand passes a derivative on, or among all if none
 * is blamed, what separates those that fail (depends.c)?  It compares measures with thresholds too.  out->always: no
 * condition is needed.  In the arena.
 */
void explanation_tell(
    const struct explanation *x, const struct blamed *blamed, int n, struct arena *a, struct explained *out);

struct facts;
/* Whether a rival holds in a case; one of no terms always holds. */
bool rival_holds(const struct explanation *x, const struct rival *r, const struct facts *f);
/* Whether a case with these facts counts for what is told about the operands to blame. */
bool explanation_counts(const struct explanation *x, const struct blamed *blamed, int n, const struct facts *f);

/* Whether the condition holds for c. */
bool explanation_predicts(
    const struct explanation *x, const struct explained *condition, const struct testcase *c, struct arena *scratch);
/* "It fails where A, and where B, except where C.", "It fails in every variant with the same request."  In the
 * arena. */
const char *explanation_text(const struct explained *condition, struct arena *a);

#endif

/* internal.h: what the parts of the judgement share. */
#ifndef ORACLES_VERDICT_INTERNAL_H
#define ORACLES_VERDICT_INTERNAL_H

#include "verdict.h"

/* The current place, and the result so far. */
struct judge {
	struct judgement *out;
	bool any;     /* out->verdict is set */
	double worst; /* error / radius of the component that `out` shows */
	int point, which, element;
	bool in_primal;
	int alternative;  /* alternative_followed */
	bool counts;      /* the compared values are those that the request asks for */
	int certain;      /* how many of these components of this point are decided, exact zeros of integers included */
	bool any_certain; /* some are, at some point */
};

/* Notes an observation at the current place. A later row of verdicts.def wins; within a row, the larger ratio wins.
 * Gives whether this observation is now the one shown. */
bool judge_observe(
    struct judge *j, enum verdict v, enum deviation d, double ratio, double expected, double returned, double radius);

/* got - (value + low), to the rounding of a double. */
double judge_error(const struct component *c, double got);
enum deviation judge_deviation(double expected, double got);
/* Whether a usual formula may give this number, infinity or NaN for a decided component. */
bool judge_accepts(const struct component *c, double got);
/* Whether 0 in the place of a number would be no finding. A number outside its loose radius is one all the same. */
bool component_is_blind(const struct component *c, enum dtype d);
/* Counts a float of dtype d as decided, or as undecided for a reason. Returns whether it is decided. */
bool judge_count(struct judge *j, const struct component *c, enum dtype d);
/* error / radius. A radius of 0 must be met exactly; -0 counts as +0. */
double judge_ratio(double error, double radius);

/*
 * Whether a NaN for this component is a leak. The truth must be a number, or undecided for a reason that does not let
 * a correct engine leave the domain or the range.
 */
bool judge_nan_leaks(const struct component *c);

/* Compares a float of dtype d with one ball. False if it is outside the loose radius. */
bool judge_float(struct judge *j, const struct component *c, enum dtype d, double got, enum verdict outside);
/* Handles a NaN. True if `got` is one and needs no further comparison. */
bool judge_nan(struct judge *j, const struct component *c, enum dtype d, double got);

/* The choice that an answer follows in every component with alternatives; -1: none. */
int alternative_followed(const struct truth_point *t, const struct answer *answer);
/*
 * Judges an undecided component with alternatives: by the one that the answer follows, between them, or outside. False
 * if it has none, or if they are only counted: then nothing but `beyond` was noted.
 */
bool judge_alternatives(struct judge *j, const struct component *c, enum dtype d, double got);
/* Judges one component of a derivative, at a point without conventions. */
void judge_component(struct judge *j, const struct component *c, enum dtype d, double got);

/* ---- kinks.c ---- */

/* Whether the truth of a point has several assignments of conventions, or a hull. */
static inline bool truth_has_conventions(const struct truth_point *t) { return t->n_assignment > 1 || t->hull; }
/*
 * The truth of a component under the least certain assignment: first one that leaves it undecided and excuses a NaN,
 * then any other that leaves it undecided. If none does, one that decides it.
 */
const struct component *kink_weakest(const struct truth_point *t, int k, int e);
/* Whether component (k, e), whose flattened number is `at`, depends on a convention. */
bool kink_leads(const struct truth_point *t, int k, int e, int at);
/* Whether a tie leads the component, and the interval of its conventions and their mixtures has 0. */
bool kink_allows_zero(const struct truth_point *t, int k, int e, int at);
/* Judges one component alone, as if all others followed a convention: a NaN, or a number outside of all mixtures. */
void judge_kink_component(struct judge *j, const struct truth_point *t, int k, int e, int at, double got);
/* Judges the derivatives of a point whose truth has several assignments of conventions, or a hull. The whole answer
 * must follow ONE assignment (kinks.c). */
void judge_conventions(struct judge *j, const struct truth_point *t, const struct answer *answer);

#endif

/* internal.h: what the parts of the judgement share. */
#ifndef ORACLES_VERDICT_INTERNAL_H
#define ORACLES_VERDICT_INTERNAL_H

#include "verdict.h"

/* The place being looked at and what is known so far. */
struct judge {
	struct judgement *out;
	bool any;     /* out->verdict is set */
	double worst; /* error over radius of what out shows */
	int point, which, element;
	bool in_primal;
	bool counts; /* what is compared is what the request asks for */
	int certain; /* such components of this point that were compared, exact zeros of integers included */
};

/* An observation at the current place: a later row of verdicts.def wins, within a row the larger ratio; whether it is
 * what shows now. */
bool judge_observe(
    struct judge *j, enum verdict v, enum deviation d, double ratio, double expected, double returned, double radius);

/* got - (value + low), to double rounding. */
double judge_error(const struct component *c, double got);
enum deviation judge_deviation(double expected, double got);
/* error / radius; radius 0 must be met exactly, which -0 for +0 does. */
double judge_ratio(double error, double radius);

/*
 * Whether a NaN for this component is a leak: its truth is a number, or is undecided for a reason that does not let a
 * right engine leave the domain or the range.
 */
bool judge_nan_leaks(const struct component *c);

/* A float of dtype d against one ball; true when it is not outside the loose one. */
bool judge_float(struct judge *j, const struct component *c, enum dtype d, double got, enum verdict outside);
/* Handles a NaN; true when `got` is one and need not be looked at further. */
bool judge_nan(struct judge *j, const struct component *c, enum dtype d, double got);

/* The derivatives of a point whose truth has several assignments of conventions, or a hull: the whole answer must
 * follow ONE (kinks.c). */
void judge_conventions(struct judge *j, const struct truth_point *t, const struct answer *answer);

#endif

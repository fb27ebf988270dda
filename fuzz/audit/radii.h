/*
 * radii.h: programs for which the worst error of every usual formula is known without an oracle (RADII.md).
 *
 * A row of radii.def draws a point and builds a program with one scalar result y.  It states the usual formulas of y
 * and of each dy/dx_i in inexact numbers.
 */
#ifndef FUZZ_AUDIT_RADII_H
#define FUZZ_AUDIT_RADII_H

#include "closed_form.h"
#include "graph/answer.h"
#include "oracles/truth.h"
#include "inexact.h"

struct radius {
	struct form f;                       /* draws and builds */
	double u;                            /* of its dtype */
	int number;                          /* of the program among those of its row: a row may take its ops in turn */
	int n;                               /* float elements of the inputs */
	struct inexact value;                /* y by the formula that may be off most */
	struct inexact worst[FORM_ELEMENTS]; /* by element: dy/dx_i by the formula that may be off most */
};

typedef void radius_fn(struct radius *r);
#define RADIUS(function, name, meaning) radius_fn radius_##function;
#include "radii.def"
#undef RADIUS

/* A loose radius is at most so many times the error of the worst usual formula (RADII.md). */
enum { RADIUS_TIMES = 4 };

/* Ends the program. */
void radius_result(struct radius *r, int value);
/* States a usual formula of y. */
void radius_value(struct radius *r, struct inexact y);
/* States a usual formula of dy/dx_i. */
void radius_usual(struct radius *r, int i, struct inexact p);

/* ---- worst answers (radii_worst.c) ---- */

struct audit;
/* The truth of a point as an answer, in the arena. */
struct answer radii_right_answer(const struct truth_point *p, struct arena *a);
/* Judges answers of correct engines at the worst points that are known: none is a finding. */
void radii_worst_answers(struct audit *self, struct arena *a);

#endif

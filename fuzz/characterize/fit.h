/* fit.h: finds closed forms of the numbers that an engine returned. */
#ifndef FUZZ_CHARACTERIZE_FIT_H
#define FUZZ_CHARACTERIZE_FIT_H

#include "lab.h"

enum { FIT_DEGREE = 12, FIT_DENOMINATOR = 400 };

/*
 * Finds the polynomial through y[n] at x = 0, 1, ..., n - 1 and writes its coefficients to c[n].  They must be
 * integers, and the highest two must be 0: then two points more than needed confirm it.  Returns the degree, -1 for the
 * zero polynomial, or -2 if there is none.
 */
int fit_polynomial(const double *y, int n, double *c);
/* Finds p/q = x to 12 digits with q at most FIT_DENOMINATOR and |p| at most a million, p != 0; false if there is none.
 */
bool fit_ratio(double x, int *p, int *q);
/* "1 + x^2 + x^4", in the arena. */
const char *fit_text(const double *c, int degree, struct arena *a);

/* Adds statements about closed forms that fit the returned numbers, from all tables. */
void lab_state_fits(struct lab *l);

#endif

/* fit.h: closed forms of what an engine returned. */
#ifndef FUZZ_CHARACTERIZE_FIT_H
#define FUZZ_CHARACTERIZE_FIT_H

#include "lab.h"

enum { FIT_DEGREE = 12, FIT_DENOMINATOR = 400 };

/*
 * The polynomial through y[n] at x = 0, 1, ..., n - 1, if its coefficients c[n] are integers and the highest two are 0,
 * so that more points were asked than it takes. Returns its degree, -1 for the zero polynomial, or -2: there is none.
 */
int fit_polynomial(const double *y, int n, double *c);
/* p/q nearest to x with q at most FIT_DENOMINATOR; false where x is no such number to 12 digits, or an integer of more
 * than 6 digits. */
bool fit_ratio(double x, int *p, int *q);
/* "1 + x^2 + x^4", in the arena. */
const char *fit_text(const double *c, int degree, struct arena *a);

/* Says which closed forms fit what was returned: from all tables. */
void lab_state_fits(struct lab *l);

#endif

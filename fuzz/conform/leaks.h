/*
 * leaks.h: the NaNs of weak zeros that a sweep meets.  An engine has one such habit, whatever the op: so they are one
 * entry beside the matrix, with one case.
 */
#ifndef FUZZ_CONFORM_LEAKS_H
#define FUZZ_CONFORM_LEAKS_H

#include "conform.h"

/*
 * The program that everybody meets: y = sqrt(x) where x > 0, else 0, at 0.  The sweep asks it first on the edges of
 * select.  False: the request has a batch.
 */
bool conform_dead_branch(const struct conform_column *column, struct arena *a, struct testcase *out);

/* Counts the judgement of c if it is such a NaN, and keeps the first case.  cell and signature live as long as the
 * arena. */
void conform_note_leak(struct conform_leaks *leaks, const struct testcase *c, const struct judgement *j,
    const char *cell, const char *signature, struct arena *a);
/* Minimizes that case.  Resets scratch; the case lives in `a`. */
void conform_minimize_leak(struct conform_leaks *leaks, struct bench *b, struct arena *scratch, struct arena *a);

#endif

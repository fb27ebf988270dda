/*
 * leaks.h: the NaNs of weak zeros that a sweep meets.  An engine has one such habit, whatever the op: so they are one
 * entry beside the matrix, with one case: a dead branch if the engine shows that.
 */
#ifndef FUZZ_CONFORM_LEAKS_H
#define FUZZ_CONFORM_LEAKS_H

#include "conform.h"

/*
 * The programs that everybody meets: y = f(x) where x > 0, else 0, at 0, with f the square root, the logarithm or the
 * reciprocal.  The sweep asks them on the edges of select, the root first.  An engine may guard the root alone.
 */
enum { DEAD_BRANCHES = 3 };
/* The program of number `which`.  False: the request has a batch. */
bool conform_dead_branch(const struct conform_column *column, int which, struct arena *a, struct testcase *out);

/* Counts the judgement of c if it is such a NaN.  Keeps the case of the first dead branch; without one, the first case.
 * branch: its number, or DEAD_BRANCHES for any other case.  cell and signature live as long as the arena. */
void conform_note_leak(struct conform_leaks *leaks, const struct testcase *c, int branch, const struct judgement *j,
    const char *cell, const char *signature, struct arena *a);
/* Minimizes that case.  Resets scratch; the case lives in `a`. */
void conform_minimize_leak(struct conform_leaks *leaks, struct bench *b, struct arena *scratch, struct arena *a);

#endif

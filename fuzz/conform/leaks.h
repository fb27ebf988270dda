/*
 * leaks.h: the NaNs of weak zeros that a sweep meets.  An engine has one such habit, whatever the op: so they are one
 * entry beside the matrix, with one case: a dead branch if the engine shows that.
 */
#ifndef FUZZ_CONFORM_LEAKS_H
#define FUZZ_CONFORM_LEAKS_H

#include "conform.h"
#include "fuzz/minimize/dead_branch.h"

/* The sweep asks the dead branches on the edges of select, the root first.
 * Counts the judgement of c if it is such a NaN.  Keeps the case of the first dead branch; without one, the first case.
 * branch: its number, or DEAD_BRANCHES for any other case.  cell and signature live as long as the arena. */
void conform_note_leak(struct conform_leaks *leaks, const struct testcase *c, int branch, const struct judgement *j,
    const char *cell, const char *signature, struct arena *a);
/* Minimizes that case.  Resets scratch; the case lives in `a`. */
void conform_minimize_leak(struct conform_leaks *leaks, struct bench *b, struct arena *scratch, struct arena *a);

#endif

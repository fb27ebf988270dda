/* steps.h: the steps of growth.def, for grow.c and the files that hold them. */
#ifndef FUZZ_GROW_STEPS_H
#define FUZZ_GROW_STEPS_H

#include "fuzz/edit/edit.h"

typedef enum edit_result grow_step_fn(struct edit *e, int k);

#define GROWTH(function, ways, meaning) grow_step_fn function;
#include "growth.def"
#undef GROWTH

/* Fills a tensor with numbers that differ from each other, from 0 and from 1.  *number counts the numbers used so far.
 * way: 0 positive, 1 of both signs, 2 inside (0, 1).  Integers ascend, descend, or ascend from 1. */
void generic_fill(struct tensor *t, int way, int *number);
/* How many numbers the points, seeds and constants of a case hold: no generic number of a new input repeats one. */
int generic_used(const struct edit *e);

#endif

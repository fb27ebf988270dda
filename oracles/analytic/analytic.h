/* analytic.h: the exact derivative of the executed path, by one sweep over the scalar trace, each value with a ball. */
#ifndef ORACLES_ANALYTIC_ANALYTIC_H
#define ORACLES_ANALYTIC_ANALYTIC_H

#include "oracles/truth.h"

struct analytic;
struct oracle_rules;

/* NULL never: a machine out of memory ends the process with exit code 4.  The rules (oracle_rules.h) must stay. */
struct analytic *analytic_open(const struct oracle_rules *rules);
void analytic_close(struct analytic *self);
/*
 * Goes by other rules, which must stay, and for engines that flush subnormal numbers of the dtypes flushes[DTYPE_COUNT]
 * to 0 (NULL: of none); before the first truth.
 */
void analytic_use(struct analytic *self, const struct oracle_rules *rules, const bool *flushes);
/* Until it is set to NULL: [OP_COUNT], see oracle_accuracy. */
void analytic_accuracy(struct analytic *self, const struct op_accuracy *of);

/*
 * Whether the cases to come are slices of a batch, whose contributions an engine may add up anywhere on the way: then
 * no addition or product of a derivative counts as exact because it would be so in one slice.
 */
void analytic_slices(struct analytic *self, bool slices);

/*
 * Truth at c->point[which]: primal and derivative components in every convention assignment.  Fills all of *out but fd.
 * Results in the arena.  The request has no batches (batch.h); derivatives whose trace would grow too large are
 * undecided(order).
 */
void analytic_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out);

#endif

/* analytic.h: the exact derivative of the executed path, by one sweep over the scalar trace. Each value has a ball. */
#ifndef ORACLES_ANALYTIC_ANALYTIC_H
#define ORACLES_ANALYTIC_ANALYTIC_H

#include "oracles/truth.h"

struct analytic;
struct budget;
struct oracle_rules;

/* Opens an oracle with these rules (oracle_rules.h), which must outlive it. Never NULL: without memory, the process
 * ends with exit code 4. */
struct analytic *analytic_open(const struct oracle_rules *rules);
void analytic_close(struct analytic *self);
/* Writes to all of the memory that it keeps between cases, as evaluation_touch. */
void analytic_touch(struct analytic *self);
/* As evaluation_trim. */
void analytic_trim(struct analytic *self);
/*
 * Switches to other rules, which must outlive the oracle, and says which engines to allow for: flushes[DTYPE_COUNT]
 * holds the dtypes whose subnormal numbers may be flushed to 0 (NULL: none). Call it before the first truth.
 */
void analytic_use(struct analytic *self, const struct oracle_rules *rules, const bool *flushes);
/* Limits what the next truths may cost (work.h), NULL: not at all.  Beyond it, analytic_truth leaves the innermost try
 * of the arena. */
void analytic_limit(struct analytic *self, struct budget *work);
/* Sets the declared accuracy of functions, [OP_COUNT] as for oracle_accuracy. It holds until it is set to NULL. */
void analytic_accuracy(struct analytic *self, const struct op_accuracy *of);
/* Says whether to allow for an engine that regroups sums and products across ops, as oracle_regroups. */
void analytic_regroups(struct analytic *self, bool regroups);

/*
 * Says that the next cases are slices of a batch of so many; 0: they are not. An engine may add up the contributions of
 * all slices anywhere on the way. So an addition or product of a derivative that is exact in one slice does not count
 * as exact. A number on the way may be as many times larger.
 */
void analytic_slices(struct analytic *self, int slices);

/* Says which alternatives to look for, and whether an answer outside of them is a finding. */
void analytic_alternatives(struct analytic *self, enum alternatives_use use);

/*
 * Computes the truth at c->point[which]: primal and derivative components for every assignment of conventions. Fills
 * all of *out but fd, in the arena. The request has no batches (batch.h). Derivatives are undecided(order) if their
 * trace would grow too large.
 */
void analytic_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out);

#endif

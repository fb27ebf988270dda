/*
 * batch.h: vectorises a batch.  Every value that depends on a batched input gets a leading axis, op by op.  An op
 * without a rule runs slice by slice, in a scan of its own.
 */
#ifndef ENGINES_AOT_BATCH_H
#define ENGINES_AOT_BATCH_H

#include "parts.h"

/* The program that is being written. x->p is the level below, and x->map holds its values, batched or not. */
struct batcher {
	struct aot *x;
	const struct aot_rules *rules;
	int size;
	bool *batched; /* [p->n_value] has the leading axis */
	bool *sliced;  /* [p->n_value] by the first result of a node with regions: it must be run slice by slice */
	bool changed;  /* a flag was set */
};

/* Sets the flags of all values from those of the inputs (flags.c). */
void batch_flags(struct batcher *b);
/* Whether every value of a touched node, at any depth, has room for its axis. */
bool batch_fits(const struct batcher *b, const struct node *node);
/* Whether the node, or a region of it, sees a batched value. */
bool batch_touches(const struct batcher *b, const struct node *node);
/* Lists the batched values from outside that the n regions use, ascending.  More than LIMIT_ARGS leave by `fail`. */
int batch_captured(const struct batcher *b, const struct region *region, int n, int list[LIMIT_ARGS]);

/* The value that holds v with the leading axis, whether it depends on the slice or not. */
int batch_lead(struct batcher *b, int v);
/* The same for a value of the new program that has the leading axis. */
int batch_align(struct batcher *b, int value, int rank);

/* Writes a gather that a batch touches, as a gather of that mode. */
int batch_gather(struct batcher *b, const struct node *node, enum index_mode mode);
/* Writes a node without regions that a batch touches.  False: the op has no rule (batch_ops.c). */
bool batch_op(struct batcher *b, const struct node *node);

#endif

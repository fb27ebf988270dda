/*
 * batch.h: a batch as a transformation of the program: every value that depends on a batched input gets a leading axis,
 * op by op.  What has no rule runs slice by slice in a scan of its own.
 */
#ifndef ENGINES_AOT_BATCH_H
#define ENGINES_AOT_BATCH_H

#include "parts.h"

/* A program on its way; x->p is the level below, and x->map holds its values, batched or not. */
struct batcher {
	struct aot *x;
	const struct aot_rules *rules;
	int size;
	bool *batched; /* [p->n_value] has the leading axis */
	bool *sliced;  /* [p->n_value] by the first result of a node with regions: slices would part ways in it */
	bool changed;  /* a flag rose */
};

/* Sets the flags of all values from those of the inputs (flags.c). */
void batch_flags(struct batcher *b);
/* Whether every value of a touched node, at any depth, has room for its axis. */
bool batch_fits(const struct batcher *b, const struct node *node);
/* Whether the node, or a region of it, sees a batched value. */
bool batch_touches(const struct batcher *b, const struct node *node);
/* The values from outside that the n regions use and that are batched, ascending; at most LIMIT_ARGS, else it leaves by
 * `fail`. */
int batch_captured(const struct batcher *b, const struct region *region, int n, int list[LIMIT_ARGS]);

/* The value that holds v, with the leading axis whether it depends on the slice or not. */
int batch_lead(struct batcher *b, int v);
/* The same, or as it is; with axes of 1 after the leading one, so that it broadcasts to values of that rank (without
 * the batch). */
int batch_aligned(struct batcher *b, int v, int rank);
/* The same of a value of the new program that has the leading axis. */
int batch_align(struct batcher *b, int value, int rank);

/* A touched gather as one of that mode. */
int batch_gather(struct batcher *b, const struct node *node, enum index_mode mode);
/* A touched node without regions; false: no rule (batch_ops.c). */
bool batch_op(struct batcher *b, const struct node *node);

#endif

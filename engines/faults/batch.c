/* batch.c: historic bugs of vectorised batches: seams of `aot`. */
#include "engines/aot/batch.h"
#include "faults.h"

int fault_weak_product(struct aot *x, int derivative, int partial) { return aot_op2(x, OP_MUL, derivative, partial); }

static int unguarded(struct aot *x, int predicate, int value)
{
	(void)x, (void)predicate;
	return value;
}

/*
 * A cond becomes a select of its results only.  So zero cotangents enter the region that was not chosen, which ran with
 * the real inputs.
 */
const struct edits plant_cond_select_unguarded = {.edit = {
                                                      EDIT(aot.guard, unguarded),
                                                      EDIT(aot.product, fault_weak_product),
                                                  }};

/*
 * The gather is read as clipped, but transposed as if no index were outside.  So a gather whose indices are all dropped
 * keeps a derivative.
 */
static int gather_mode_lost(struct batcher *b, const struct node *node)
{
	struct aot *x = b->x;
	int value = batch_gather(b, node, node->attrs.mode), dropping;

	if (node->attrs.mode != MODE_CLIP || !dtype_is_float(aot_type(x, value)->dtype))
		return value;
	dropping = batch_gather(b, node, MODE_DROP);
	dropping = aot_op2(x, OP_SUB, dropping, aot_op1(x, OP_STOP_GRADIENT, dropping));
	return aot_op2(x, OP_ADD, aot_op1(x, OP_STOP_GRADIENT, value), dropping);
}

const struct edits plant_gather_mode_lost = {.edit = {EDIT(aot.gather, gather_mode_lost)}};

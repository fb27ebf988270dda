/* compiled.c: faults of compilers: layouts, rewrites and memory. */
#include "faults.h"

/*
 * The result gets the operand's layout, with its strides of 0.  Loops do not iterate over that axis, and its coordinate
 * is 0.  So whether index 0 is in the slice decides for all indices.
 */
static void layout_of_expanded(const struct layout_call *call, bool varies[LIMIT_RANK])
{
	for (int d = 0; d < call->p->type[call->node->out].shape.rank; d++)
		varies[d] = call->zeros[0] || call->operand[0][d] != 0;
}

const struct edits plant_scatter_inherits_strides = {
    .edit = {
        EDIT(compiled.row[OP_SLICE_SCATTER].layout, layout_of_expanded),
    }};

bool fault_overwrites_any(const struct shape *s, const struct view *operand)
{
	(void)s, (void)operand;
	return true;
}

const struct edits plant_reinplace_overlapping = {.edit = {EDIT(compiled.overwrites, fault_overwrites_any)}};

const struct edits plant_equal_accumulated_once = {.edit = {EDIT(compiled.row[OP_ADD].idempotent, true)}};

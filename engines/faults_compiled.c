/* faults_compiled.c: faults of compilers: layouts, rewrites and memory. */
#include "faults.h"

/*
 * The layout of the operand, its strides of 0 included.  Loops do not iterate over such an axis, and what asks for the coordinate along it is
 * told 0: whether index 0 lies in the slice is then taken for all.
 */
static void layout_of_expanded(const struct layout_call *call, bool varies[LIMIT_RANK])
{
	for (int d = 0; d < call->p->type[call->node->out].shape.rank; d++)
		varies[d] = call->zeros[0] || call->operand[0][d] != 0;
}

bool plant_scatter_inherits_strides(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->compiled.row[OP_SLICE_SCATTER].layout = layout_of_expanded;
	return true;
}

bool fault_overwrites_any(const struct shape *s, const struct view *operand)
{
	(void)s, (void)operand;
	return true;
}

bool plant_reinplace_overlapping(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->compiled.overwrites = fault_overwrites_any;
	return true;
}

bool plant_equal_accumulated_once(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->compiled.row[OP_ADD].idempotent = true;
	return true;
}

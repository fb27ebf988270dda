/* elements.c: the elements of values. */
#include "internal.h"

/* Work of moving an element. */
enum { ELEMENT_WORK = 10 };

struct elements elements_new(struct evaluation_run *r, int n, bool shaky)
{
	work_take(r->ev->work, ELEMENT_WORK * (1 + (int64_t)n), r->ev->n_scalar, r->arena);
	return (struct elements){
	    .at = NEW(r->arena, union element, n), .shaky = shaky ? NEW(r->arena, uint8_t, n) : NULL};
}

void element_set_shaky(struct evaluation_run *r, struct elements *to, int n, int k)
{
	if (!to->shaky)
		to->shaky = NEW(r->arena, uint8_t, n);
	to->shaky[k] = 1;
}

void element_copy(struct evaluation_run *r, struct elements *to, int n_to, int k, const struct elements *from, int j)
{
	to->at[k] = from->at[j];
	if (element_shaky(from, j))
		element_set_shaky(r, to, n_to, k);
}

void element_zero(struct evaluation_run *r, struct elements *to, enum dtype d, int k)
{
	if (dtype_is_float(d))
		to->at[k].scalar = trace_leaf(r->ev, d, 0);
	else
		to->at[k].i = 0;
}

struct axis_split evaluate_axis_view(const struct shape *s, int axis)
{
	struct axis_split v = {1, s->extent[axis], 1};
	for (int d = 0; d < axis; d++)
		v.outer *= s->extent[d];
	for (int d = axis + 1; d < s->rank; d++)
		v.inner *= s->extent[d];
	return v;
}

/* windows.c: measures about slices and margins: where a window lies in a tensor. */
#include <math.h>

#include "facts.h"
#include "graph/walk.h"

/* The slice that computes a value; NULL: none does. */
static const struct node *slice_behind(const struct program *p, int value)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (w.node->op == OP_SLICE && w.node->out == value)
			return w.node;
	return NULL;
}

/* The lowest index that a slice reads along an axis, over the axes the largest such one. */
static int first_of_slice(const struct node *n, int rank)
{
	int most = 0;

	for (int d = 0; d < rank; d++) {
		const int start = n->attrs.start[d], end = start + (n->attrs.size[d] - 1) * n->attrs.stride[d],
		          lowest = start < end ? start : end;

		most = lowest > most ? lowest : most;
	}
	return most;
}

/* Whether a slice leaves out elements between others, or goes backwards. */
static bool has_stride(const struct node *n, int rank)
{
	bool strided = false;

	for (int d = 0; d < rank; d++)
		strided |= n->attrs.size[d] > 1 && n->attrs.stride[d] != 1;
	return strided;
}

void measures_of_windows(struct facts *f, const struct node *n)
{
	const enum family family = op_table[n->op].family;
	const struct attrs *a = &n->attrs;
	const struct type *type = f->c->program.type;
	const struct shape *x = &type[n->arg[0]].shape;
	const struct node *read = slice_behind(&f->c->program, n->arg[0]);
	int backwards = 0, padded = 0, padded_low = 0;
	bool left_out_later = false;

	measures_put(f, MEASURE_SLICE_STARTS_LATER, n, -1, read ? first_of_slice(read, x->rank) : 0);
	measures_put(f, MEASURE_SLICE_STRIDED_BEFORE, n, -1, read && has_stride(read, x->rank));
	if (f->elements[n->out].start) {
		measures_put(f, MEASURE_START, n, -1, f->elements[n->out].start - 1);
		measures_put(f, MEASURE_START_FROM_END, n, -1, f->elements[n->out].from_end);
		measures_put(f, MEASURE_WINDOW_WHOLE, n, -1, f->elements[n->out].window_whole);
		measures_put(f, MEASURE_START_BEYOND, n, -1, f->elements[n->out].start_beyond);
		measures_put(f, MEASURE_START_NEGATIVE, n, -1, f->elements[n->out].start_negative);
	}

	if (family != FAMILY_SLICE && family != FAMILY_SLICE_SCATTER && family != FAMILY_PAD)
		return;
	for (int d = 0; d < x->rank; d++) {
		const int size = family == FAMILY_SLICE ? a->size[d] : type[n->arg[1]].shape.extent[d],
		          end = a->start[d] + (size - 1) * a->stride[d];

		if (family == FAMILY_PAD) {
			padded += a->low[d] > 0 || a->high[d] > 0;
			padded_low += a->low[d] > 0;
			measures_put(f, MEASURE_PAD_LOW, n, -1, a->low[d]);
			measures_put(f, MEASURE_PAD_HIGH, n, -1, a->high[d]);
			measures_put(f, MEASURE_PAD_UNEVEN, n, -1, a->low[d] != a->high[d]);
			measures_put(f, MEASURE_PAD_LOW_MORE, n, -1, a->low[d] > a->high[d]);
			measures_put(f, MEASURE_PAD_HIGH_MORE, n, -1, a->low[d] < a->high[d]);
			measures_put(f, MEASURE_PAD_LOW_LATER, n, -1, d ? a->low[d] : 0);
			measures_put(f, MEASURE_PAD_HIGH_LATER, n, -1, d ? a->high[d] : 0);
			continue;
		}
		backwards += a->stride[d] < 0 && size > 1;
		left_out_later |= d && size < x->extent[d];
		measures_put(f, MEASURE_STRIDE, n, -1, size > 1 ? fabs((double)a->stride[d]) : 0);
		measures_put(f, MEASURE_STRIDE_FIRST, n, -1, size > 1 && !d ? fabs((double)a->stride[d]) : 0);
		measures_put(f, MEASURE_STRIDE_LATER, n, -1, size > 1 && d ? fabs((double)a->stride[d]) : 0);
		measures_put(f, MEASURE_START, n, -1, a->start[d] < end ? a->start[d] : end);
		measures_put(f, MEASURE_LEFT_OUT, n, -1, x->extent[d] - 1 - (a->start[d] > end ? a->start[d] : end));
	}
	if (family == FAMILY_PAD) {
		measures_put(f, MEASURE_PAD_AXES, n, -1, padded);
		measures_put(f, MEASURE_PAD_LOW_AXES, n, -1, padded_low);
		return;
	}
	measures_put(f, MEASURE_BACKWARDS, n, -1, backwards);
	measures_put(f, MEASURE_LEFT_OUT_LATER, n, -1, left_out_later);
}

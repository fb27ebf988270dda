/* slices.c: see edit.h: batches of a request, cut down. */
#include "edit.h"

/* Elements `from` to `from + count` of x along an axis; with `drop`, without the axis. */
static struct tensor cut_axis(struct edit *e, const struct tensor *x, int axis, int from, int count, bool drop)
{
	struct type type = x->type;
	int extent = type.shape.extent[axis], inner = 1, outer = 1;
	struct tensor out;

	for (int d = 0; d < axis; d++)
		outer *= type.shape.extent[d];
	for (int d = axis + 1; d < type.shape.rank; d++)
		inner *= type.shape.extent[d];
	type.shape.extent[axis] = count;
	for (int d = axis; drop && d + 1 < type.shape.rank; d++)
		type.shape.extent[d] = type.shape.extent[d + 1];
	type.shape.rank -= drop;
	out = tensor_new(e->arena, &type);
	for (int o = 0; o < outer; o++)
		for (int i = 0; i < count * inner; i++)
			out.at[o * count * inner + i] = x->at[(o * extent + from) * inner + i];
	return out;
}

/* Cuts points down to some slices of a batch. */
static void cut_points(struct edit *e, const struct transform *batch, int from, int count, bool drop)
{
	const struct testcase *c = &e->c;

	for (int i = 0; i < batch->n_wrt; i++) {
		int axis = 0;

		for (const struct transform *t = batch + 1; t < c->transform + c->n_transform; t++)
			for (int k = 0; t->kind == TRANSFORM_BATCH && k < t->n_wrt; k++)
				axis += t->wrt[k] == batch->wrt[i];
		for (int p = 0; p < c->n_point; p++)
			c->point[p][batch->wrt[i]] = cut_axis(e, &c->point[p][batch->wrt[i]], axis, from, count, drop);
	}
}

void edit_keep_slice(struct edit *e, int batch, int which)
{
	cut_points(e, &e->c.transform[batch], which, 1, true);
	edit_remove_item(e->c.transform, &e->c.n_transform, sizeof *e->c.transform, batch);
}

void edit_keep_slices(struct edit *e, int batch, int n)
{
	cut_points(e, &e->c.transform[batch], 0, n, false);
	e->c.transform[batch].size = n;
}

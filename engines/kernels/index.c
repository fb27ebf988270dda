/* index.c: kernels that move elements: shapes, slices, gathers, scatters. */
#include "parts.h"

#include <string.h>

/*
 * One side of a strided copy: element `index` of the index space is at[offset + sum of index[d] * stride[d]].
 */
struct strided {
	union cell *at;
	int offset, stride[LIMIT_RANK];
};

static struct strided whole(const struct tensor *t)
{
	struct strided s = {.at = t->at};

	shape_strides(&t->type.shape, s.stride);
	return s;
}

/* Moves the window: position k of axis d becomes start + k * step. */
static void window(struct strided *s, int d, int start, int step)
{
	s->offset += start * s->stride[d];
	s->stride[d] *= step;
}

static void copy_strided(const struct shape *space, struct strided to, struct strided from)
{
	int index[LIMIT_RANK] = {0}, n = shape_elements(space);

	for (int i = 0; i < n; i++) {
		to.at[to.offset] = from.at[from.offset];
		for (int d = space->rank - 1; d >= 0; d--) {
			to.offset += to.stride[d];
			from.offset += from.stride[d];
			if (++index[d] < space->extent[d])
				break;
			to.offset -= to.stride[d] * space->extent[d];
			from.offset -= from.stride[d] * space->extent[d];
			index[d] = 0;
		}
	}
}

static void copy_all(struct tensor *to, const struct tensor *from)
{
	memcpy(to->at, from->at, (size_t)shape_elements(&from->type.shape) * sizeof *to->at);
}

/* ---- shape ---- */

void kernel_broadcast_to(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct strided from = {.at = arg[0]->at};

	(void)node, (void)a;
	shape_broadcast_strides(&arg[0]->type.shape, &out->type.shape, from.stride);
	copy_strided(&out->type.shape, whole(out), from);
}

/* Also squeeze: row-major order is the same. */
void kernel_reshape(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	(void)node, (void)a;
	copy_all(out, arg[0]);
}

void kernel_transpose(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct strided from = {.at = arg[0]->at};
	int stride[LIMIT_RANK];

	(void)a;
	shape_strides(&arg[0]->type.shape, stride);
	for (int d = 0; d < out->type.shape.rank; d++)
		from.stride[d] = stride[node->attrs.axes[d]];
	copy_strided(&out->type.shape, whole(out), from);
}

void kernel_reverse(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct strided from = whole(arg[0]);

	(void)a;
	for (int i = 0; i < node->attrs.n_axes; i++) {
		int d = node->attrs.axes[i];

		window(&from, d, out->type.shape.extent[d] - 1, -1);
	}
	copy_strided(&out->type.shape, whole(out), from);
}

/* ---- slices ---- */

void kernel_slice(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct strided from = whole(arg[0]);

	(void)a;
	for (int d = 0; d < out->type.shape.rank; d++)
		window(&from, d, node->attrs.start[d], node->attrs.stride[d]);
	copy_strided(&out->type.shape, whole(out), from);
}

void kernel_slice_scatter(
    const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct strided to = whole(out);

	(void)a;
	copy_all(out, arg[0]);
	for (int d = 0; d < out->type.shape.rank; d++)
		window(&to, d, node->attrs.start[d], node->attrs.stride[d]);
	copy_strided(&arg[1]->type.shape, to, whole(arg[1]));
}

/* Places a window of `size` at the clamped `starts` in a tensor of shape `in`. */
static void dynamic_window(
    struct strided *s, const struct shape *in, const struct shape *size, const struct tensor *starts)
{
	for (int d = 0; d < in->rank; d++) {
		int64_t start = starts->at[d].i, last = in->extent[d] - size->extent[d];

		window(s, d, (int)(start < 0 ? 0 : start > last ? last : start), 1);
	}
}

void kernel_dynamic_slice(
    const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct strided from = whole(arg[0]);

	(void)node, (void)a;
	dynamic_window(&from, &arg[0]->type.shape, &out->type.shape, arg[1]);
	copy_strided(&out->type.shape, whole(out), from);
}

void kernel_dynamic_update_slice(
    const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	(void)node, (void)a;
	copy_all(out, arg[0]);
	kernel_store(out, arg[1], arg[2]);
}

void kernel_store(struct tensor *buffer, const struct tensor *update, const struct tensor *starts)
{
	struct strided to = whole(buffer);

	dynamic_window(&to, &buffer->type.shape, &update->type.shape, starts);
	copy_strided(&update->type.shape, to, whole(update));
}

void kernel_pad(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	int n = shape_elements(&out->type.shape);
	struct strided to = whole(out);

	(void)a;
	for (int i = 0; i < n; i++)
		out->at[i] = arg[1]->at[0];
	for (int d = 0; d < out->type.shape.rank; d++)
		window(&to, d, node->attrs.low[d], 1);
	copy_strided(&arg[0]->type.shape, to, whole(arg[0]));
}

void kernel_concatenate(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	int axis = node->attrs.axis, start = 0;

	(void)a;
	for (int k = 0; k < node->n_arg; k++) {
		struct strided to = whole(out);

		window(&to, axis, start, 1);
		copy_strided(&arg[k]->type.shape, to, whole(arg[k]));
		start += arg[k]->type.shape.extent[axis];
	}
}

/* ---- indexing along one axis ---- */

struct axis_view axis_view(const struct shape *s, int axis)
{
	struct axis_view v = {.outer = 1, .n = s->extent[axis], .inner = 1};

	for (int d = 0; d < axis; d++)
		v.outer *= s->extent[d];
	for (int d = axis + 1; d < s->rank; d++)
		v.inner *= s->extent[d];
	return v;
}

int kernel_index(enum index_mode mode, int64_t index, int n)
{
	if (n == 0)
		return -1;
	if (index >= 0 && index < n)
		return (int)index;
	switch (mode) {
	case MODE_CLIP:
		return index < 0 ? 0 : n - 1;
	case MODE_WRAP:
		return (int)((index % n + n) % n);
	case MODE_DROP:
	case MODE_COUNT:
		break;
	}
	return -1;
}

void kernel_gather(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct axis_view v = axis_view(&arg[0]->type.shape, node->attrs.axis);
	int n_index = shape_elements(&arg[1]->type.shape);
	union cell *to = out->at;

	(void)a;
	for (int o = 0; o < v.outer; o++)
		for (int k = 0; k < n_index; k++, to += v.inner) {
			int at = kernel_index(node->attrs.mode, arg[1]->at[k].i, v.n);

			if (at >= 0)
				memcpy(to, arg[0]->at + (o * v.n + at) * v.inner, (size_t)v.inner * sizeof *to);
		}
}

void kernel_take_along_axis(
    const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct axis_view v = axis_view(&arg[0]->type.shape, node->attrs.axis);
	int n_index = arg[1]->type.shape.extent[node->attrs.axis], flat = 0;

	(void)a;
	for (int o = 0; o < v.outer; o++)
		for (int k = 0; k < n_index; k++)
			for (int i = 0; i < v.inner; i++, flat++) {
				int at = kernel_index(node->attrs.mode, arg[1]->at[flat].i, v.n);

				if (at >= 0)
					out->at[flat] = arg[0]->at[(o * v.n + at) * v.inner + i];
			}
}

/* Combines the element that is there and the update, for one scatter op. */
typedef double f_scatter_fn(double, double);
typedef int64_t i_scatter_fn(int64_t, int64_t);

/* NULL: scatter_set, which copies cells of any dtype. */
static f_scatter_fn *const f_scatter[OP_COUNT] = {
    [OP_SCATTER_ADD] = real_add,
    [OP_SCATTER_MUL] = real_mul,
    [OP_SCATTER_MIN] = real_min,
    [OP_SCATTER_MAX] = real_max,
};
/* clang-format off */
static i_scatter_fn *const i_scatter[OP_COUNT] = {
	[OP_SCATTER_ADD] = int_add, [OP_SCATTER_MUL] = int_mul, [OP_SCATTER_MIN] = int_min, [OP_SCATTER_MAX] = int_max,
};
/* clang-format on */

union cell kernel_scatter_element(enum op op, enum dtype d, union cell there, union cell update)
{
	if (dtype_is_float(d))
		return f_scatter[op] ? (union cell){.f = f_scatter[op](there.f, update.f)} : update;
	return i_scatter[op] ? (union cell){.i = dtype_wrap(d, i_scatter[op](there.i, update.i))} : update;
}

void kernel_scatter(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct axis_view v = axis_view(&arg[0]->type.shape, node->attrs.axis);
	enum dtype dtype = out->type.dtype;
	f_scatter_fn *f = dtype_is_float(dtype) ? f_scatter[node->op] : NULL;
	i_scatter_fn *g = dtype_is_float(dtype) ? NULL : i_scatter[node->op];
	int n_index = shape_elements(&arg[1]->type.shape), n = shape_elements(&out->type.shape);
	int n_update = arg[2]->type.shape.extent[node->attrs.axis];

	(void)a;
	copy_all(out, arg[0]);
	for (int o = 0; o < v.outer; o++)
		for (int k = 0; k < n_index; k++) {
			int at = kernel_index(node->attrs.mode, arg[1]->at[k].i, v.n);
			const union cell *from = arg[2]->at + (o * n_update + k) * v.inner;
			union cell *to;

			if (at < 0)
				continue;
			to = out->at + (o * v.n + at) * v.inner;
			for (int i = 0; i < v.inner; i++)
				if (f)
					to[i].f = f(to[i].f, from[i].f);
				else if (g)
					to[i].i = dtype_wrap(dtype, g(to[i].i, from[i].i));
				else
					to[i] = from[i];
		}
	/* Duplicates are accumulated in binary64 and rounded once at the end. */
	for (int i = 0; f && i < n; i++)
		out->at[i].f = dtype_round(dtype, out->at[i].f);
}

void kernel_masked_scatter(
    const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	int n = shape_elements(&out->type.shape), n_source = shape_elements(&arg[2]->type.shape);

	(void)node, (void)a;
	for (int i = 0, k = 0; i < n; i++)
		out->at[i] = arg[1]->at[i].i && k < n_source ? arg[2]->at[k++] : arg[0]->at[i];
}

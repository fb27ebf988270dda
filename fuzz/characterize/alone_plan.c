/* alone_plan.c: types and attributes of an op alone, with all the freedom that its family has. */
#include "alone.h"

#include <string.h>

/* Of an operand, at most; matrices may have one more axis. */
enum { RANK = 3, RANK_LONG = 2 };

static int extent_of(struct alone *x) { return choice_percent(x->c, 15) ? 1 : choice_between(x->c, 2, x->extent); }

static struct shape any_shape(struct alone *x, int rank_least)
{
	struct shape s = {.rank = choice_between(x->c, rank_least, x->extent > ALONE_EXTENT ? RANK_LONG : RANK)};

	if (x->given && x->given->rank >= rank_least)
		return *x->given;
	for (int d = 0; d < s.rank; d++)
		s.extent[d] = extent_of(x);
	return s;
}

/* A shape that broadcasts to s: often s itself. */
static struct shape part_of(struct alone *x, const struct shape *s)
{
	struct shape part = *s;
	const int lost = choice_percent(x->c, 25) ? choice_between(x->c, 0, s->rank) : 0;

	if (choice_percent(x->c, 40))
		return part;
	if (choice_percent(x->c, 25))
		return shape_scalar();
	part.rank -= lost;
	for (int d = 0; d < part.rank; d++)
		part.extent[d] = choice_percent(x->c, 25) ? 1 : s->extent[d + lost];
	return part;
}

static void add(struct alone *x, enum dtype d, struct shape s, int low, int high)
{
	x->type[x->n] = (struct type){d, s};
	x->low[x->n] = low;
	x->high[x->n++] = high;
}

static void add_float(struct alone *x, struct shape s) { add(x, x->dtype, s, 0, 0); }

static struct shape vector_of(int n) { return (struct shape){.rank = 1, .extent = {n}}; }

static void take_axes(struct alone *x, int rank)
{
	const int share = choice_between(x->c, 30, 90);

	for (int d = 0; d < rank; d++)
		if (choice_percent(x->c, share))
			x->attrs.axes[x->attrs.n_axes++] = d;
	if (!x->attrs.n_axes && rank)
		x->attrs.axes[x->attrs.n_axes++] = choice_below(x->c, rank);
}

static void shuffle_axes(struct alone *x, int rank)
{
	x->attrs.n_axes = rank;
	for (int d = 0; d < rank; d++) {
		const int k = choice_below(x->c, d + 1);

		x->attrs.axes[d] = x->attrs.axes[k];
		x->attrs.axes[k] = d;
	}
}

/* Starts, sizes and strides of a window of s. */
static struct shape take_window(struct alone *x, const struct shape *s)
{
	struct shape window = *s;

	for (int d = 0; d < s->rank; d++) {
		const int all = s->extent[d], size = choice_between(x->c, 1, all),
		          stride = size > 1 ? choice_between(x->c, 1, (all - 1) / (size - 1))
		                            : choice_between(x->c, 1, 2),
		          start = choice_between(x->c, 0, all - 1 - (size - 1) * stride);
		const bool backwards = choice_percent(x->c, 25);

		window.extent[d] = x->attrs.size[d] = size;
		x->attrs.start[d] = backwards ? start + (size - 1) * stride : start;
		x->attrs.stride[d] = backwards ? -stride : stride;
	}
	return window;
}

static void plan_indexed(struct alone *x, enum family f)
{
	struct shape s = any_shape(x, 1), index;
	const int axis = x->attrs.axis = choice_below(x->c, s.rank), all = s.extent[axis],
	          n = choice_between(x->c, 1, x->extent + 1);
	const bool far = choice_percent(x->c, 60);

	x->attrs.mode = (enum index_mode)choice_below(x->c, MODE_COUNT);
	add_float(x, s);
	if (f == FAMILY_TAKE_ALONG_AXIS) {
		index = s;
		index.extent[axis] = n;
	} else if (f == FAMILY_GATHER) {
		index = any_shape(x, 0);
		index.rank = index.rank > 2 ? 1 : index.rank;
	} else {
		index = vector_of(n);
	}
	add(x, DTYPE_I64, index, far ? -2 * all - 1 : 0, far ? 3 * all : all - 1);
	s.extent[axis] = n + choice_percent(x->c, 20);
	if (f == FAMILY_SCATTER)
		add_float(x, s);
}

static void plan_dynamic(struct alone *x, enum family f)
{
	const struct shape s = any_shape(x, 1), window = take_window(x, &s);

	add_float(x, s);
	memset(x->attrs.start, 0, sizeof x->attrs.start);
	memset(x->attrs.stride, 0, sizeof x->attrs.stride);
	if (f == FAMILY_DYNAMIC_UPDATE_SLICE) {
		add_float(x, window);
		memset(x->attrs.size, 0, sizeof x->attrs.size);
	}
	add(x, DTYPE_I64, vector_of(s.rank), -x->extent - 1, 2 * x->extent);
}

static void plan_matrices(struct alone *x)
{
	const int inner = extent_of(x);
	struct shape batch = {.rank = choice_below(x->c, 3), .extent = {extent_of(x), extent_of(x)}};

	for (int k = 0; k < 2; k++) {
		struct shape s = part_of(x, &batch);

		if (choice_percent(x->c, 30))
			s.rank = 0;
		if (s.rank || choice_percent(x->c, 75)) {
			s.extent[s.rank + !k] = inner;
			s.extent[s.rank + k] = extent_of(x);
			s.rank += 2;
		} else {
			s = vector_of(inner);
		}
		add_float(x, s);
	}
}

static void plan_reshape(struct alone *x)
{
	struct shape s = any_shape(x, 0), to = {.rank = 0};

	add_float(x, s);
	for (int d = 0; d < s.rank; d++) {
		if (to.rank < LIMIT_RANK && choice_percent(x->c, 20))
			to.extent[to.rank++] = 1;
		if (to.rank && (to.rank == LIMIT_RANK || choice_percent(x->c, 30)))
			to.extent[to.rank - 1] *= s.extent[d];
		else
			to.extent[to.rank++] = s.extent[d];
	}
	x->attrs.shape = to;
}

static void plan_pad(struct alone *x)
{
	const struct shape s = any_shape(x, 1);

	for (int d = 0; d < s.rank; d++) {
		x->attrs.low[d] = choice_percent(x->c, 50) ? choice_between(x->c, 1, 2) : 0;
		x->attrs.high[d] = choice_percent(x->c, 50) ? choice_between(x->c, 1, 2) : 0;
	}
	add_float(x, s);
	add_float(x, shape_scalar());
}

static void plan_joined(struct alone *x)
{
	struct shape s = any_shape(x, 1);
	const int n = choice_between(x->c, 1, ALONE_OPERANDS);

	x->attrs.axis = choice_below(x->c, s.rank);
	for (int k = 0; k < n; k++) {
		s.extent[x->attrs.axis] = extent_of(x);
		add_float(x, s);
	}
}

static void plan_elementwise(struct alone *x, enum family f)
{
	const struct shape s = any_shape(x, 0);

	for (int k = 0; k < op_table[x->op].n_arg; k++)
		if (f == FAMILY_SELECT && !k)
			add(x, DTYPE_BOOL, part_of(x, &s), 0, 1);
		else
			add_float(x, part_of(x, &s));
}

bool alone_plan(struct alone *x)
{
	const enum family f = op_table[x->op].family;
	struct shape s;

	switch (f) {
	case FAMILY_UNARY:
	case FAMILY_BINARY:
	case FAMILY_CLAMP:
	case FAMILY_SELECT:
		plan_elementwise(x, f);
		return true;
	case FAMILY_BROADCAST_TO:
		x->attrs.shape = any_shape(x, 0);
		add_float(x, part_of(x, &x->attrs.shape));
		return true;
	case FAMILY_RESHAPE:
		plan_reshape(x);
		return true;
	case FAMILY_SQUEEZE:
		s = any_shape(x, 1);
		take_axes(x, s.rank);
		for (int i = 0; i < x->attrs.n_axes; i++)
			s.extent[x->attrs.axes[i]] = 1;
		add_float(x, s);
		return true;
	case FAMILY_CAST:
		add_float(x, any_shape(x, 0));
		x->attrs.dtype = (enum dtype)choice_below(x->c, DTYPE_COUNT);
		return dtype_is_float(x->attrs.dtype);
	case FAMILY_TRANSPOSE:
	case FAMILY_REVERSE:
	case FAMILY_REDUCE:
		s = any_shape(x, f == FAMILY_REDUCE ? 0 : 1);
		add_float(x, s);
		x->attrs.keepdims = f == FAMILY_REDUCE && choice_percent(x->c, 40);
		if (f == FAMILY_TRANSPOSE)
			shuffle_axes(x, s.rank);
		else
			take_axes(x, s.rank);
		return true;
	case FAMILY_CUMULATIVE:
	case FAMILY_SORT:
		s = any_shape(x, 1);
		add_float(x, s);
		x->attrs.axis = choice_below(x->c, s.rank);
		return true;
	case FAMILY_SLICE:
	case FAMILY_SLICE_SCATTER:
		s = any_shape(x, 1);
		add_float(x, s);
		s = take_window(x, &s);
		if (f == FAMILY_SLICE_SCATTER) {
			add_float(x, s);
			memset(x->attrs.size, 0, sizeof x->attrs.size);
		}
		return true;
	case FAMILY_DYNAMIC_SLICE:
	case FAMILY_DYNAMIC_UPDATE_SLICE:
		plan_dynamic(x, f);
		return true;
	case FAMILY_PAD:
		plan_pad(x);
		return true;
	case FAMILY_CONCATENATE:
		plan_joined(x);
		return true;
	case FAMILY_GATHER:
	case FAMILY_TAKE_ALONG_AXIS:
	case FAMILY_SCATTER:
		plan_indexed(x, f);
		return true;
	case FAMILY_MASKED_SCATTER:
		s = any_shape(x, 1);
		add_float(x, s);
		add(x, DTYPE_BOOL, s, 0, 1);
		add_float(x, vector_of(choice_between(x->c, 1, 3 * x->extent)));
		return true;
	case FAMILY_MATMUL:
		plan_matrices(x);
		return true;
	default:
		return false;
	}
}

/* tensor.c: ops on shapes, slices, indexing, reductions and products. */
#include "generator.h"

static struct attrs all_axes(const struct shape *s)
{
	struct attrs attrs = {.n_axes = s->rank};

	for (int d = 0; d < s->rank; d++)
		attrs.axes[d] = d;
	return attrs;
}

/* A random subset of the axes, in random order; all of them when `all`. */
static struct attrs some_axes(struct gen *g, const struct shape *s, bool all)
{
	struct attrs attrs = all_axes(s);

	for (int d = s->rank - 1; d > 0; d--) {
		int k = choice_below(g->c, d + 1), swap = attrs.axes[d];

		attrs.axes[d] = attrs.axes[k];
		attrs.axes[k] = swap;
	}
	if (!all && s->rank > 1)
		attrs.n_axes = choice_between(g->c, 1, s->rank);
	for (int d = attrs.n_axes; d < s->rank; d++)
		attrs.axes[d] = 0;
	return attrs;
}

/* A vector of two or three scalars, all of which may differ. */
static int join_scalars(struct gen *g)
{
	struct attrs to_vector = {.shape = {.rank = 1, .extent = {1}}}, along = {0};
	int part[3], n = choice_between(g->c, 2, 3);
	struct type scalar;

	part[0] = gen_pick_float(g);
	if (part[0] < 0)
		return -1;
	scalar = (struct type){.dtype = gen_type(g, part[0])->dtype, .shape = shape_scalar()};
	for (int i = 0; i < n; i++) {
		part[i] = gen_as(g, i ? gen_pick_float(g) : part[0], &scalar);
		part[i] = gen_node(g, OP_RESHAPE, &part[i], 1, &to_vector);
	}
	return gen_node(g, OP_CONCATENATE, part, n, &along);
}

int gen_large_size(struct gen *g)
{
	static const int weights[] = {10, 5, 3, 2};
	int binade = 8 + choice_weighted(g->c, weights, 4), n;

	if (choice_percent(g->c, 50))
		n = (2 << binade) + choice_between(g->c, -1, 1);
	else
		n = (1 << binade) + 1 + choice_below(g->c, 1 << binade);
	return n < GEN_LARGE ? n : GEN_LARGE;
}

/* Whether a large program has a large tensor, or as many of something, in a place where others have a few elements. */
static bool is_long(struct gen *g) { return g->large && g->p->large_lines && choice_percent(g->c, g->p->large_lines); }

/* A size of large programs, if `lines` lines of so many elements fit; else 0. */
static int long_line(struct gen *g, int lines)
{
	int n = is_long(g) && lines > 0 ? gen_large_size(g) : 0;

	return gen_fits(g, lines * n) ? n : 0;
}

bool gen_lines_fit(const struct gen *g, int v, int axis)
{
	return (int64_t)gen_elements(g, v) * gen_type(g, v)->shape.extent[axis] / 2 < GEN_WORK;
}

int gen_pick_axes(struct gen *g)
{
	int v = gen_pick(g, choice_percent(g->c, 8) ? gen_fits_axes : gen_fits_float_axes, NULL);
	struct attrs attrs = {.shape = {.rank = 1}};

	if (v >= 0 && (gen_elements(g, v) <= GEN_ELEMENTS || is_long(g)))
		return v;
	if (choice_percent(g->c, 60))
		return join_scalars(g);
	v = gen_pick_float(g);
	if (v < 0 || gen_type(g, v)->shape.rank)
		return -1;
	attrs.shape.extent[0] = choice_between(g->c, 2, 4);
	return gen_node(g, OP_BROADCAST_TO, &v, 1, &attrs);
}

/* ---- shapes ---- */

static int emit_broadcast_to(struct gen *g, int v)
{
	struct attrs attrs = {.shape = gen_type(g, v)->shape};
	struct shape *s = &attrs.shape;

	for (int d = 0; d < s->rank; d++)
		if (s->extent[d] == 1 && choice_percent(g->c, 50))
			s->extent[d] = choice_between(g->c, 2, 3);
	if (s->rank < LIMIT_RANK && choice_percent(g->c, 70)) {
		for (int d = s->rank; d > 0; d--)
			s->extent[d] = s->extent[d - 1];
		s->extent[0] = choice_between(g->c, 2, 3);
		s->rank++;
	}
	return gen_fits(g, shape_elements(s)) ? gen_node(g, OP_BROADCAST_TO, &v, 1, &attrs) : -1;
}

/* Flat, flat with an axis of 1 somewhere, or split in two. */
static int emit_reshape(struct gen *g, int v)
{
	int n = gen_elements(g, v), k = choice_between(g->c, 2, 3);
	struct attrs attrs = {.shape = {.rank = 1, .extent = {n}}};

	if (choice_percent(g->c, 30))
		attrs.shape = choice_percent(g->c, 50) ? (struct shape){.rank = 2, .extent = {1, n}}
		                                       : (struct shape){.rank = 2, .extent = {n, 1}};
	else if (n > k && n % k == 0)
		attrs.shape = (struct shape){.rank = 2, .extent = {k, n / k}};
	return gen_node(g, OP_RESHAPE, &v, 1, &attrs);
}

static int emit_squeeze(struct gen *g, int v)
{
	struct attrs attrs = {0}, reshaped = {.shape = {.rank = 2, .extent = {1, gen_elements(g, v)}}};
	const struct shape *s = &gen_type(g, v)->shape;

	for (int d = 0; d < s->rank; d++)
		if (s->extent[d] == 1 && (!attrs.n_axes || choice_percent(g->c, 50)))
			attrs.axes[attrs.n_axes++] = d;
	if (!attrs.n_axes) {
		v = gen_node(g, OP_RESHAPE, &v, 1, &reshaped);
		attrs.n_axes = 1;
	}
	return gen_node(g, OP_SQUEEZE, &v, 1, &attrs);
}

int gen_emit_shape(struct gen *g)
{
	int v = choice_percent(g->c, 75) ? gen_pick_axes(g) : gen_pick_float(g);
	struct attrs attrs;

	if (v < 0 || !gen_fits(g, gen_elements(g, v)))
		return -1;
	switch (choice_below(g->c, 5)) {
	case 0:
		return emit_broadcast_to(g, v);
	case 1:
		return emit_reshape(g, v);
	case 2:
		attrs = some_axes(g, &gen_type(g, v)->shape, true);
		return gen_node(g, OP_TRANSPOSE, &v, 1, &attrs);
	case 3:
		attrs = some_axes(g, &gen_type(g, v)->shape, false);
		return gen_node(g, OP_REVERSE, &v, 1, &attrs);
	default:
		return emit_squeeze(g, v);
	}
}

/* ---- slices ---- */

/* start, size, stride inside each axis; *size as a shape. */
struct attrs gen_window(struct gen *g, const struct shape *s, struct shape *size)
{
	struct attrs attrs = {0};

	*size = *s;
	for (int d = 0; d < s->rank; d++) {
		static const int strides[] = {1, 1, 1, 2, -1, -2, 3};
		int n = s->extent[d], step = choice_percent(g->c, 55) ? 1 : strides[choice_below(g->c, 7)], most, first;

		attrs.stride[d] = step;
		if (!n || choice_percent(g->c, 2)) {
			size->extent[d] = 0;
			continue;
		}
		first = choice_below(g->c, n);
		if (choice_percent(g->c, 40))
			first = step > 0 ? 0 : n - 1;
		most = step > 0 ? (n - 1 - first) / step + 1 : first / -step + 1;
		attrs.start[d] = first;
		size->extent[d] = choice_between(g->c, 1, most);
	}
	return attrs;
}

int gen_starts(struct gen *g, int rank)
{
	const struct shape s = {.rank = 1, .extent = {rank}};

	return gen_indices(g, &s, 3);
}

static int emit_dynamic_slice(struct gen *g, int x, const struct shape *size)
{
	struct attrs attrs = {0};

	for (int d = 0; d < size->rank; d++)
		attrs.size[d] = size->extent[d];
	return gen_node(g, OP_DYNAMIC_SLICE, (const int[]){x, gen_starts(g, size->rank)}, 2, &attrs);
}

int gen_emit_slice(struct gen *g)
{
	int x = gen_pick_axes(g), update;
	struct shape size;
	struct attrs attrs;
	struct type t;

	if (x < 0 || !gen_fits(g, gen_elements(g, x)))
		return -1;
	t = *gen_type(g, x);
	attrs = gen_window(g, &t.shape, &size);
	switch (choice_below(g->c, 4)) {
	case 0:
		for (int d = 0; d < size.rank; d++)
			attrs.size[d] = size.extent[d];
		return gen_node(g, OP_SLICE, &x, 1, &attrs);
	case 1:
		t.shape = size;
		update = gen_value_of(g, &t);
		return gen_node(g, OP_SLICE_SCATTER, (const int[]){x, update}, 2, &attrs);
	case 2:
		return emit_dynamic_slice(g, x, &size);
	default:
		t.shape = size;
		update = gen_value_of(g, &t);
		return gen_node(
		    g, OP_DYNAMIC_UPDATE_SLICE, (const int[]){x, update, gen_starts(g, size.rank)}, 3, NULL);
	}
}

static int emit_pad(struct gen *g, int x)
{
	struct type scalar = {.dtype = gen_type(g, x)->dtype, .shape = shape_scalar()};
	struct shape s = gen_type(g, x)->shape;
	struct attrs attrs = {0};
	int fill;

	for (int d = 0; d < s.rank; d++) {
		attrs.low[d] = choice_below(g->c, 3);
		attrs.high[d] = choice_below(g->c, 2);
		s.extent[d] += attrs.low[d] + attrs.high[d];
	}
	if (!gen_fits(g, shape_elements(&s)))
		return -1;
	fill = choice_percent(g->c, 50) ? gen_value_of(g, &scalar) : gen_literal(g, &scalar);
	return gen_node(g, OP_PAD, (const int[]){x, fill}, 2, &attrs);
}

int gen_emit_join(struct gen *g)
{
	int x = gen_pick_axes(g), part[3], n;
	struct attrs attrs = {0};
	struct type t;

	if (x < 0 || !gen_fits(g, 3 * gen_elements(g, x)))
		return -1;
	if (choice_percent(g->c, 40))
		return emit_pad(g, x);
	t = *gen_type(g, x);
	n = choice_between(g->c, 1, 3);
	attrs.axis = choice_below(g->c, t.shape.rank);
	for (int i = 1; i < n; i++) {
		struct type other = t;

		if (choice_percent(g->c, 40))
			other.shape.extent[attrs.axis] = choice_between(g->c, 1, t.shape.extent[attrs.axis]);
		part[i] = gen_value_of(g, &other);
	}
	part[0] = x;
	if (n > 1 && choice_percent(g->c, 40)) {
		part[0] = part[1];
		part[1] = x;
	}
	return gen_node(g, OP_CONCATENATE, part, n, &attrs);
}

/* ---- indexing ---- */

int gen_indices(struct gen *g, const struct shape *s, int extent)
{
	struct type t = {.dtype = choice_percent(g->c, 25) ? DTYPE_I32 : DTYPE_I64, .shape = *s};
	const struct type counter = {.dtype = DTYPE_I64, .shape = shape_scalar()};
	int v;

	if (choice_percent(g->c, 50)) {
		v = gen_pick(g, gen_fits_type, &t);
		if (v >= 0)
			return v;
		t.dtype = DTYPE_I64;
		v = gen_pick(g, gen_fits_type, &counter);
		if (v >= 0)
			return gen_as(g, v, &t);
	}
	if (choice_percent(g->c, g->p->index_wild))
		return gen_integers(g, t.dtype, s, -2, extent + 1);
	return gen_integers(g, t.dtype, s, 0, extent > 1 ? extent - 1 : 0);
}

enum index_mode gen_pick_mode(struct gen *g) { return (enum index_mode)choice_below(g->c, MODE_COUNT); }

int gen_emit_gather(struct gen *g)
{
	int x = gen_pick_axes(g), extent, many;
	struct attrs attrs = {.mode = gen_pick_mode(g)};
	struct shape s, indices = {0};

	if (x < 0)
		return -1;
	s = gen_type(g, x)->shape;
	attrs.axis = choice_below(g->c, s.rank);
	extent = s.extent[attrs.axis];
	many = long_line(g, extent ? gen_elements(g, x) / extent : 0);
	if (choice_percent(g->c, 40)) {
		s.extent[attrs.axis] = many ? many : choice_between(g->c, 1, 4);
		return gen_fits(g, shape_elements(&s))
		    ? gen_node(g, OP_TAKE_ALONG_AXIS, (const int[]){x, gen_indices(g, &s, extent)}, 2, &attrs)
		    : -1;
	}
	indices.rank = choice_below(g->c, s.rank > 2 ? 2 : 3);
	for (int d = 0; d < indices.rank; d++)
		indices.extent[d] = choice_between(g->c, 1, 3);
	if (many)
		indices = (struct shape){.rank = 1, .extent = {many}};
	else if (!gen_fits(g, gen_elements(g, x) * shape_elements(&indices)))
		return -1;
	return gen_node(g, OP_GATHER, (const int[]){x, gen_indices(g, &indices, extent)}, 2, &attrs);
}

static int emit_masked_scatter(struct gen *g, int x)
{
	struct type mask = {.dtype = DTYPE_BOOL, .shape = gen_type(g, x)->shape}, source = *gen_type(g, x);
	int m = gen_is_float(g, x) && choice_percent(g->c, 60) ? gen_compare(g, x) : gen_value_of(g, &mask), y;

	if (m < 0 || !shape_equal(&gen_type(g, m)->shape, &mask.shape))
		m = gen_literal(g, &mask);
	if (!is_long(g) && choice_percent(g->c, 60))
		source.shape = (struct shape){.rank = 1, .extent = {choice_between(g->c, 1, 4)}};
	y = gen_value_of(g, &source);
	return gen_node(g, OP_MASKED_SCATTER, (const int[]){x, m, y}, 3, NULL);
}

int gen_emit_scatter(struct gen *g)
{
	static const enum op ops[] = {
	    OP_SCATTER_ADD, OP_SCATTER_SET, OP_SCATTER_MUL, OP_SCATTER_MIN, OP_SCATTER_MAX, OP_MASKED_SCATTER};
	static const int weights[] = {4, 4, 3, 1, 1, 2};

	return gen_scatter(g, ops[choice_weighted(g->c, weights, 6)]);
}

int gen_scatter(struct gen *g, enum op op)
{
	struct attrs attrs = {.mode = gen_pick_mode(g)};
	int x = gen_pick_axes(g), indices, updates, extent, many;
	struct shape vector = {.rank = 1};
	struct type t;

	if (x < 0 || !gen_fits(g, 2 * gen_elements(g, x)))
		return -1;
	if (op == OP_MASKED_SCATTER)
		return emit_masked_scatter(g, x);
	t = *gen_type(g, x);
	if (t.dtype == DTYPE_BOOL)
		op = OP_SCATTER_SET;
	attrs.axis = choice_below(g->c, t.shape.rank);
	extent = t.shape.extent[attrs.axis];
	many = long_line(g, extent ? gen_elements(g, x) / extent : 0);
	vector.extent[0] = many ? many : choice_percent(g->c, 3) ? 0 : choice_between(g->c, 1, 4);
	indices = gen_indices(g, &vector, extent);
	t.shape.extent[attrs.axis] = vector.extent[0] + choice_percent(g->c, 15);
	if (indices < 0 || !gen_fits(g, shape_elements(&t.shape)))
		return -1;
	updates = gen_value_of(g, &t);
	if (op == OP_SCATTER_MUL && updates >= 0 && gen_is_float(g, updates) &&
	    range_magnitude(g->info[updates].range) > 4)
		op = OP_SCATTER_ADD;
	return gen_node(g, op, (const int[]){x, indices, updates}, 3, &attrs);
}

/* ---- reductions and products ---- */

int gen_emit_reduce(struct gen *g)
{
	static const enum op ops[] = {
	    OP_REDUCE_SUM, OP_REDUCE_PROD, OP_REDUCE_MAX, OP_REDUCE_MIN, OP_REDUCE_MEAN, OP_LOGSUMEXP, OP_NORM};
	static const int weights[] = {6, 3, 2, 2, 4, 2, 2};
	enum op op = ops[choice_weighted(g->c, weights, 7)];
	int x = gen_pick_axes(g);
	struct attrs attrs;

	if (x < 0 || !gen_fits(g, gen_elements(g, x)) || gen_type(g, x)->dtype == DTYPE_BOOL)
		return -1;
	if (!gen_is_float(g, x) && !(op_table[op].dtypes & MASK_INT))
		op = OP_REDUCE_SUM;
	attrs = some_axes(g, &gen_type(g, x)->shape, choice_percent(g->c, 40));
	attrs.keepdims = choice_percent(g->c, 25);
	if (choice_percent(g->c, 2)) {
		attrs.n_axes = 0;
		for (int d = 0; d < LIMIT_RANK; d++)
			attrs.axes[d] = 0;
	}
	if (op == OP_REDUCE_PROD && range_magnitude(g->info[x].range) > 8)
		op = OP_REDUCE_MEAN;
	if ((op == OP_REDUCE_MAX || op == OP_REDUCE_MIN) && gen_is_close(g, x) && gen_steady(g))
		op = OP_LOGSUMEXP;
	if (op == OP_REDUCE_MEAN && !gen_is_float(g, x))
		op = OP_REDUCE_MAX;
	return gen_node(g, op, &x, 1, &attrs);
}

int gen_sum(struct gen *g, int value)
{
	struct attrs attrs = some_axes(g, &gen_type(g, value)->shape, false);

	return gen_node(g, OP_REDUCE_SUM, &value, 1, &attrs);
}

int gen_emit_cumulative(struct gen *g)
{
	int x = gen_pick_axes(g);
	struct attrs attrs = {0};

	if (x < 0 || !gen_fits(g, gen_elements(g, x)) || gen_type(g, x)->dtype == DTYPE_BOOL)
		return -1;
	attrs.axis = choice_below(g->c, gen_type(g, x)->shape.rank);
	if (!gen_lines_fit(g, x, attrs.axis))
		return -1;
	return gen_node(g, choice_percent(g->c, 50) && range_magnitude(g->info[x].range) <= 8 ? OP_CUMPROD : OP_CUMSUM,
	    &x, 1, &attrs);
}

int gen_emit_matmul(struct gen *g)
{
	int a = gen_pick_axes(g), b, k, n;
	struct type t;

	if (a < 0 || !gen_is_float(g, a))
		return -1;
	t = *gen_type(g, a);
	k = t.shape.extent[t.shape.rank - 1];
	n = choice_between(g->c, 1, is_long(g) ? 48 : 3);
	while (n > 3 && !gen_fits(g, gen_elements(g, a) * n))
		n /= 2;
	if (!gen_fits(g, gen_elements(g, a) * n) || !gen_fits(g, k * n))
		return -1;
	t.shape = choice_percent(g->c, 40) ? (struct shape){.rank = 1, .extent = {k}}
	                                   : (struct shape){.rank = 2, .extent = {k, n}};
	b = gen_value_of(g, &t);
	/* A vector may stand on the left of a matrix, too. */
	if (b >= 0 && gen_type(g, a)->shape.rank == 1 && gen_type(g, b)->shape.rank == 1 && choice_percent(g->c, 50))
		return gen_node(g, OP_MATMUL, (const int[]){b, a}, 2, NULL);
	return gen_node(g, OP_MATMUL, (const int[]){a, b}, 2, NULL);
}

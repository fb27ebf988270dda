/* closed_forms_index.c: elements moved, taken, added up and written: the derivatives are incidence matrices. */
#include "closed_form.h"

/* n drawn indices in [low, high]. */
static int *drawn_indices(struct form *f, int n, int low, int high)
{
	int *i = NEW(f->arena, int, n);

	for (int k = 0; k < n; k++)
		i[k] = form_between(f, low, high);
	return i;
}

/* Where an index leads on an axis of n elements, -1: nowhere. */
static int place(enum index_mode mode, int i, int n)
{
	if (i >= 0 && i < n)
		return i;
	return mode == MODE_DROP ? -1 : mode == MODE_CLIP ? (i < 0 ? 0 : n - 1) : ((i % n) + n) % n;
}

static real one(struct form *f) { return r_num(f, 1); }

/* ---- reads ---- */

void form_gather(struct form *f)
{
	int n = form_between(f, 1, 6), m = form_between(f, 1, 8), *i = drawn_indices(f, m, -3, n + 2);
	enum index_mode mode = (enum index_mode)form_between(f, 0, MODE_COUNT - 1);
	int x = in_vector(f, n, -2, 2), indices = in_integers(f, m, i);

	form_result(f, gather(f, x, indices, mode));
	for (int k = 0; k < m; k++)
		if (place(mode, i[k], n) >= 0)
			first(f, k, place(mode, i[k], n), one(f));
	form_flat(f);
}

/* x at the positions that argsort gives is x in order. */
void form_take_by_argsort(struct form *f)
{
	int n = form_between(f, 1, 6);
	const double *point = form_apart(f, n, -2, 2);
	int x = in_values(f, n, point), order = op_axis(f, OP_ARGSORT, x, 0);

	form_result(f, op_n(f, OP_TAKE_ALONG_AXIS, (const int[]){x, order}, 2, &(struct attrs){.axis = 0}));
	for (int i = 0; i < n; i++) {
		int rank = 0;

		for (int j = 0; j < n; j++)
			rank += point[j] < point[i];
		first(f, rank, i, one(f));
	}
	form_flat(f);
}

/* Every second or third element, forwards or backwards. */
void form_strided_slice(struct form *f)
{
	int n = form_between(f, 1, 7), stride = form_between(f, 1, 3), count = (n - 1) / stride + 1, start = 0;

	if (form_coin(f)) {
		start = n - 1;
		stride = -stride;
	}
	form_result(f, op1(f, OP_SQUARE, slice(f, in_vector(f, n, 0.25, 2), start, count, stride)));
	for (int k = 0; k < count; k++) {
		first(f, k, start + k * stride, r_times(f, 2, f->x[start + k * stride]));
		second(f, k, start + k * stride, start + k * stride, r_num(f, 2));
	}
}

/* A moving sum: y_k = sum over j of w_j x_{k+j}, by dynamic slices in a loop. */
void form_convolution(struct form *f)
{
	int n = form_between(f, 2, 5), m = form_between(f, 1, n), y = n - m + 1, x = in_vector(f, n, -2, 2),
	    w = in_vector(f, m, -2, 2);
	int buffer = lit_values(f, y, NEW(f->arena, double, y)), p = open_for(f, &buffer, 1),
	    at = reshape(f, p, 1, 1, 0);
	int window = op_n(f, OP_DYNAMIC_SLICE, (const int[]){x, at}, 2, &(struct attrs){.size = {m}});
	int filled = op3(f, OP_DYNAMIC_UPDATE_SLICE, p + 1, reshape(f, op2(f, OP_MATMUL, window, w), 1, 1, 0), at);

	close_with(f, &filled, 1);
	form_result(f, for_trip(f, &buffer, 1, y));
	for (int k = 0; k < y; k++)
		for (int j = 0; j < m; j++) {
			first(f, k, k + j, f->x[n + j]);
			first(f, k, n + j, f->x[k + j]);
			second(f, k, k + j, n + j, one(f));
		}
}

/* ---- writes ---- */

/* x scattered by a permutation, as an update and as what is written over. */
void form_scatter_permutation(struct form *f)
{
	int n = form_between(f, 1, 6), written = form_between(f, 0, n), *p = form_permutation(f, n);
	int x = in_vector(f, n, -2, 2), u = in_vector(f, n, -2, 2), indices = in_integers(f, written, p);

	form_result(f, scatter(f, OP_SCATTER_SET, x, indices, u, MODE_CLIP));
	for (int k = 0; k < n; k++)
		if (k < written)
			first(f, p[k], n + k, one(f));
		else
			first(f, p[k], p[k], one(f));
	form_flat(f);
}

/* Duplicates: the last write wins, the others have no derivative. */
void form_scatter_last(struct form *f)
{
	int n = form_between(f, 1, 4), m = form_between(f, 1, 6), *i = drawn_indices(f, m, 0, n - 1);
	int x = in_vector(f, n, -2, 2), u = in_vector(f, m, -2, 2), indices = in_integers(f, m, i);

	form_result(f, scatter(f, OP_SCATTER_SET, x, indices, u, MODE_DROP));
	for (int at = 0; at < n; at++) {
		int last = -1;

		for (int k = 0; k < m; k++)
			last = i[k] == at ? k : last;
		first(f, at, last < 0 ? at : n + last, one(f));
	}
	form_flat(f);
}

/* A histogram of squares: duplicates add up. */
void form_histogram(struct form *f)
{
	int n = form_between(f, 1, 4), m = form_between(f, 1, 7), *i = drawn_indices(f, m, -1, n);
	enum index_mode mode = (enum index_mode)form_between(f, 0, MODE_COUNT - 1);
	int x = in_vector(f, n, -2, 2), u = in_vector(f, m, 0.25, 2), indices = in_integers(f, m, i);

	form_result(f, scatter(f, OP_SCATTER_ADD, x, indices, op1(f, OP_SQUARE, u), mode));
	for (int k = 0; k < n; k++)
		first(f, k, k, one(f));
	for (int k = 0; k < m; k++) {
		int at = place(mode, i[k], n);

		if (at < 0)
			continue;
		first(f, at, n + k, r_times(f, 2, f->x[n + k]));
		second(f, at, n + k, n + k, r_num(f, 2));
	}
	form_flat(f);
}

/* Duplicates multiply: products without one factor. */
void form_scatter_product(struct form *f)
{
	int n = form_between(f, 1, 3), m = form_between(f, 1, 5), *i = drawn_indices(f, m, 0, n - 1);
	int x = in_vector(f, n, 0.5, 2), u = in_vector(f, m, 0.5, 2), indices = in_integers(f, m, i);

	form_result(f, scatter(f, OP_SCATTER_MUL, x, indices, u, MODE_CLIP));
	for (int at = 0; at < n; at++) {
		real product = f->x[at];

		for (int k = 0; k < m; k++)
			product = i[k] == at ? r_mul(f, product, f->x[n + k]) : product;
		first(f, at, at, r_div(f, product, f->x[at]));
		for (int k = 0; k < m; k++)
			if (i[k] == at)
				first(f, at, n + k, r_div(f, product, f->x[n + k]));
	}
}

/* The largest of what is written at a place, away from ties. */
void form_scatter_maximum(struct form *f)
{
	int n = form_between(f, 1, 3), m = form_between(f, 1, 5), *i = drawn_indices(f, m, 0, n - 1);
	const double *point = form_apart(f, n + m, -2, 2);
	bool largest = form_coin(f);
	int x = in_values(f, n, point), u = in_values(f, m, point + n), indices = in_integers(f, m, i);

	form_result(f, scatter(f, largest ? OP_SCATTER_MAX : OP_SCATTER_MIN, x, indices, u, MODE_CLIP));
	for (int at = 0; at < n; at++) {
		int winner = at;

		for (int k = 0; k < m; k++)
			if (i[k] == at && (point[n + k] > point[winner]) == largest)
				winner = n + k;
		first(f, at, winner, one(f));
	}
	form_flat(f);
}

/* Each index squares its element once more: x^(2^count). */
void form_scatter_apply(struct form *f)
{
	int n = form_between(f, 1, 4), m = form_between(f, 0, 5), *i = drawn_indices(f, m, 0, n - 1);
	int x = in_vector(f, n, 0.75, 1.25), indices = in_integers(f, m, i), p = open_scalars(f, 1),
	    q = op2(f, OP_MUL, p, p);

	close_with(f, &q, 1);
	form_result(
	    f, region_op(f, OP_SCATTER_APPLY, (const int[]){x, indices}, 2, &(struct attrs){.mode = MODE_CLIP}));
	for (int at = 0; at < n; at++) {
		int power = 1;

		for (int k = 0; k < m; k++)
			power *= i[k] == at ? 2 : 1;
		first(f, at, at, r_times(f, power, r_pow(f, f->x[at], power - 1)));
		second(f, at, at, at, r_times(f, (double)power * (power - 1), r_pow(f, f->x[at], power - 2)));
	}
}

void form_masked_scatter(struct form *f)
{
	int n = form_between(f, 1, 6), m = form_between(f, 1, 4), *mask = drawn_indices(f, n, 0, 1), taken = 0;
	int x = in_vector(f, n, -2, 2), source = in_vector(f, m, -2, 2);

	form_result(f, op3(f, OP_MASKED_SCATTER, x, lit_mask(f, n, mask), source));
	for (int k = 0; k < n; k++) {
		bool written = mask[k] && taken < m;

		first(f, k, written ? n + taken : k, one(f));
		taken += written;
	}
	form_flat(f);
}

void form_slice_scatter(struct form *f)
{
	int m = form_between(f, 1, 3), stride = form_between(f, 1, 2), start = form_between(f, 0, 1),
	    n = start + (m - 1) * stride + 1 + form_between(f, 0, 1);
	int x = in_vector(f, n, -2, 2), u = in_vector(f, m, -2, 2);

	form_result(f,
	    op_n(f, OP_SLICE_SCATTER, (const int[]){x, u}, 2, &(struct attrs){.start = {start}, .stride = {stride}}));
	for (int k = 0; k < n; k++) {
		bool written = k >= start && (k - start) % stride == 0 && (k - start) / stride < m;

		first(f, k, written ? n + (k - start) / stride : k, one(f));
	}
	form_flat(f);
}

/* A buffer filled with powers, one a step; `op` stores or copies. */
static void fill_with_powers(struct form *f, enum op op)
{
	int n = form_between(f, 1, 6), x = in_scalar(f, 0.25, 1.5),
	    carry[] = {lit_values(f, n, NEW(f->arena, double, n)), lit(f, 1)};
	int start = op1(f, OP_COPY, carry[0]);

	carry[0] = start;
	int p = open_for(f, carry, 2), power = op2(f, OP_MUL, p + 2, x);
	close_with(f, (const int[]){op3(f, op, p + 1, reshape(f, power, 1, 1, 0), reshape(f, p, 1, 1, 0)), power}, 2);
	form_result(f, for_trip(f, carry, 2, n));
	for (int k = 0; k < n; k++) {
		first(f, k, 0, r_times(f, k + 1, r_pow(f, f->x[0], k)));
		second(f, k, 0, 0, r_times(f, (k + 1) * k, r_pow(f, f->x[0], k - 1)));
	}
}

void form_update_slice_fill(struct form *f) { fill_with_powers(f, OP_DYNAMIC_UPDATE_SLICE); }
void form_stored_powers(struct form *f) { fill_with_powers(f, OP_STORE); }

/* A slot that is written over: what was there before counts only until then. */
void form_stored_over(struct form *f)
{
	int x = in_scalar(f, 0.25, 2), zero = lit_integers(f, 1, (const int[]){0}),
	    buffer = op1(f, OP_COPY, lit_values(f, 1, (const double[]){0}));
	int square = op2(f, OP_MUL, x, x), filled = op3(f, OP_STORE, buffer, reshape(f, square, 1, 1, 0), zero),
	    seen = element(f, filled, 0);
	int over = op3(f, OP_STORE, filled, reshape(f, op2(f, OP_MUL, seen, x), 1, 1, 0), zero);

	form_result(f, op2(f, OP_ADD, seen, element(f, over, 0))); /* x^2 + x^3 */
	derivatives(f, r_add(f, r_times(f, 2, f->x[0]), r_times(f, 3, r_pow(f, f->x[0], 2))),
	    r_plus(f, r_times(f, 6, f->x[0]), 2));
}

/* ---- shapes ---- */

/* A matrix turned, read row by row, reversed: x_ij goes to one place. */
void form_transpose(struct form *f)
{
	int n = form_between(f, 1, 3), m = form_between(f, 1, 3), x = in_matrix(f, n, m, -2, 2);
	int turned = op_n(f, OP_TRANSPOSE, &x, 1, &(struct attrs){.n_axes = 2, .axes = {1, 0}}),
	    flat = reshape(f, turned, 1, n * m, 0);

	form_result(f, op_n(f, OP_REVERSE, &flat, 1, &(struct attrs){.n_axes = 1, .axes = {0}}));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			first(f, n * m - 1 - (j * n + i), i * m + j, one(f));
	form_flat(f);
}

/* A vector between copies of a scalar, and once more behind. */
void form_pad_and_concatenate(struct form *f)
{
	int n = form_between(f, 1, 3), low = form_between(f, 0, 2), high = form_between(f, 0, 2),
	    x = in_vector(f, n, -2, 2), edge = in_scalar(f, -2, 2);
	int padded = op_n(f, OP_PAD, (const int[]){x, edge}, 2, &(struct attrs){.low = {low}, .high = {high}}),
	    wide = low + n + high;

	form_result(f, op_n(f, OP_CONCATENATE, (const int[]){padded, x}, 2, &(struct attrs){.axis = 0}));
	for (int k = 0; k < wide; k++)
		first(f, k, k < low || k >= low + n ? n : k - low, one(f));
	for (int k = 0; k < n; k++)
		first(f, wide + k, k, one(f));
	form_flat(f);
}

/* A scalar and a row broadcast to a matrix, and added up: as often as it was copied. */
void form_broadcast(struct form *f)
{
	int n = form_between(f, 1, 4), m = form_between(f, 1, 3), row = in_vector(f, m, -2, 2), x = in_scalar(f, -2, 2);
	int wide = op_n(f, OP_BROADCAST_TO, &row, 1, &(struct attrs){.shape = form_type(f->dtype, 2, n, m).shape});

	form_result(f, reduce(f, OP_REDUCE_SUM, op2(f, OP_MUL, wide, x)));
	real sum = r_num(f, 0);
	for (int j = 0; j < m; j++) {
		first(f, 0, j, r_times(f, n, f->x[m]));
		second(f, 0, j, m, r_num(f, n));
		sum = r_add(f, sum, f->x[j]);
	}
	first(f, 0, m, r_times(f, n, sum));
}

/* ---- order ---- */

/* Sorted, and weighted by place: the weight of the place that x_i has. */
void form_order_statistics(struct form *f)
{
	int n = form_between(f, 1, 6);
	const double *point = form_apart(f, n, -2, 2);
	double *weight = NEW(f->arena, double, n);

	for (int k = 0; k < n; k++)
		weight[k] = form_draw(f, -2, 2);
	int x = in_values(f, n, point), sorted = op_axis(f, OP_SORT, x, 0);
	form_result(f, op2(f, OP_MATMUL, sorted, lit_values(f, n, weight)));
	for (int i = 0; i < n; i++) {
		int rank = 0;

		for (int j = 0; j < n; j++)
			rank += point[j] < point[i];
		first(f, 0, i, r_num(f, weight[rank]));
	}
	form_flat(f);
}

/* The element at argmax, squared, times the smallest, and three times the largest. */
void form_extremes(struct form *f)
{
	int n = form_between(f, 2, 6), top = 0, bottom = 0;
	const double *point = form_apart(f, n, 0.25, 2);
	int x = in_values(f, n, point), best = gather(f, x, op_axis(f, OP_ARGMAX, x, 0), MODE_CLIP);
	int product = op2(f, OP_MUL, op1(f, OP_SQUARE, best), reduce(f, OP_REDUCE_MIN, x));

	form_result(f, op2(f, OP_ADD, product, op2(f, OP_MUL, lit(f, 3), reduce(f, OP_REDUCE_MAX, x))));
	for (int i = 1; i < n; i++) {
		top = point[i] > point[top] ? i : top;
		bottom = point[i] < point[bottom] ? i : bottom;
	}
	real high = f->x[top], low = f->x[bottom];
	first(f, 0, top, r_plus(f, r_times(f, 2, r_mul(f, high, low)), 3));
	first(f, 0, bottom, r_mul(f, high, high));
	second(f, 0, top, top, r_times(f, 2, low));
	second(f, 0, top, bottom, r_times(f, 2, high));
}

/*
 * infer.c: the one shape rule of each family without regions, and the dispatch to all of them.
 *
 * Nothing of the node is trusted: attributes come from files.  The types of operands are valid (program_check and the
 * builder see to that).
 */
#include "infer_rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const arg_place[] = {"args[0]", "args[1]", "args[2]", "args[3]", "args[4]", "args[5]", "args[6]",
	"args[7]", "args[8]", "args[9]", "args[10]", "args[11]", "args[12]", "args[13]", "args[14]", "args[15]"};

_Static_assert(sizeof arg_place / sizeof arg_place[0] == LIMIT_ARGS, "a place an operand");

bool rule_refuse(const struct rule *r, const char *where, const char *format, ...)
{
	char text[sizeof r->e->text];
	va_list list;

	if (!r->e)
		return false;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	return error_set(r->e, where, "%s: %s", r->info->name, text);
}

/* ---- parts of rules ---- */

static bool give(const struct rule *r, enum dtype d, const struct shape *s)
{
	/* Through a copy: s may be part of *r->out. */
	struct type t = {d, *s};

	r->out[0] = t;
	*r->n_out = 1;
	return true;
}

static bool want_dtype_of(const struct rule *r, int i, int like)
{
	if (r->arg[i]->dtype == r->arg[like]->dtype)
		return true;
	return rule_refuse(r, arg_place[i], "operand %d has type %s, expected dtype %s as of operand %d (%s)", i,
	    TYPE_OF(r->arg[i]), dtype_table[r->arg[like]->dtype].name, like, TYPE_OF(r->arg[like]));
}

static bool want_shape_of(const struct rule *r, int i, int like)
{
	if (shape_equal(&r->arg[i]->shape, &r->arg[like]->shape))
		return true;
	return rule_refuse(r, arg_place[i], "operand %d has type %s, expected the shape of operand %d (%s)", i,
	    TYPE_OF(r->arg[i]), like, TYPE_OF(r->arg[like]));
}

static bool want_int(const struct rule *r, int i)
{
	if (dtype_is_int(r->arg[i]->dtype))
		return true;
	return rule_refuse(r, arg_place[i], "operand %d has type %s, expected i64 or i32", i, TYPE_OF(r->arg[i]));
}

static bool want_bool(const struct rule *r, int i)
{
	if (r->arg[i]->dtype == DTYPE_BOOL)
		return true;
	return rule_refuse(r, arg_place[i], "operand %d has type %s, expected bool", i, TYPE_OF(r->arg[i]));
}

static bool want_rank(const struct rule *r, int i, int rank)
{
	if (r->arg[i]->shape.rank == rank)
		return true;
	return rule_refuse(r, arg_place[i], "operand %d has type %s, expected rank %d", i, TYPE_OF(r->arg[i]), rank);
}

/* An integer vector with one entry an axis of operand 0. */
static bool want_starts(const struct rule *r, int i)
{
	int rank = r->arg[0]->shape.rank;

	if (!want_int(r, i))
		return false;
	if (r->arg[i]->shape.rank == 1 && r->arg[i]->shape.extent[0] == rank)
		return true;
	return rule_refuse(r, arg_place[i], "operand %d has type %s, expected a vector of %d, the rank of operand 0 (%s)", i,
	    TYPE_OF(r->arg[i]), rank, TYPE_OF(r->arg[0]));
}

static bool want_axis(const struct rule *r)
{
	if (r->node->attrs.axis >= 0 && r->node->attrs.axis < r->arg[0]->shape.rank)
		return true;
	return rule_refuse(r, "axis", "axis %d, expected 0 <= axis < rank of operand 0 (%s)", r->node->attrs.axis,
	    TYPE_OF(r->arg[0]));
}

/* Distinct axes of operand 0; *set gets a bit each. */
static bool want_axes(const struct rule *r, unsigned *set)
{
	const struct attrs *at = &r->node->attrs;

	*set = 0;
	if (at->n_axes < 0 || at->n_axes > r->arg[0]->shape.rank)
		return rule_refuse(r, "axes", "%d axes, expected at most the rank of operand 0 (%s)", at->n_axes,
		    TYPE_OF(r->arg[0]));
	for (int k = 0; k < at->n_axes; k++) {
		int axis = at->axes[k];
		if (axis < 0 || axis >= r->arg[0]->shape.rank)
			return rule_refuse(r, "axes", "axis %d, expected 0 <= axis < rank of operand 0 (%s)", axis,
			    TYPE_OF(r->arg[0]));
		if (*set & 1U << axis)
			return rule_refuse(r, "axes", "axis %d is listed twice", axis);
		*set |= 1U << axis;
	}
	return true;
}

static bool want_mode(const struct rule *r)
{
	if ((unsigned)r->node->attrs.mode < MODE_COUNT)
		return true;
	return rule_refuse(r, "mode", "unknown mode %d", (int)r->node->attrs.mode);
}

/* Broadcasts operands first .. n_arg-1 and operand 0 into *s. */
static bool broadcast_all(const struct rule *r, struct shape *s)
{
	*s = r->arg[0]->shape;
	for (int i = 1; i < r->node->n_arg; i++)
		if (!shape_broadcast(s, &r->arg[i]->shape, s))
			return rule_refuse(r, arg_place[i], "operand %d has type %s, which does not broadcast with %s", i,
			    TYPE_OF(r->arg[i]), TYPE_OF(r->arg[i - 1]));
	return true;
}

/* ---- elementwise families ---- */

static bool rule_constant(const struct rule *r)
{
	const struct type *t = &r->node->attrs.value.type;

	if ((unsigned)t->dtype >= DTYPE_COUNT || !r->node->attrs.value.at || !shape_fits(&t->shape))
		return rule_refuse(r, "value", "no valid literal, its type is %s", TYPE_OF(t));
	return give(r, t->dtype, &t->shape);
}

static bool rule_unary(const struct rule *r)
{
	return give(r, r->arg[0]->dtype, &r->arg[0]->shape);
}

static bool rule_binary(const struct rule *r)
{
	struct shape s;

	return want_dtype_of(r, 1, 0) && broadcast_all(r, &s) && give(r, r->arg[0]->dtype, &s);
}

static bool rule_compare(const struct rule *r)
{
	struct shape s;

	return want_dtype_of(r, 1, 0) && broadcast_all(r, &s) && give(r, DTYPE_BOOL, &s);
}

static bool rule_clamp(const struct rule *r)
{
	struct shape s;

	return want_dtype_of(r, 1, 0) && want_dtype_of(r, 2, 0) && broadcast_all(r, &s) && give(r, r->arg[0]->dtype, &s);
}

static bool rule_select(const struct rule *r)
{
	struct shape s;

	return want_bool(r, 0) && want_dtype_of(r, 2, 1) && broadcast_all(r, &s) && give(r, r->arg[1]->dtype, &s);
}

static bool rule_cast(const struct rule *r)
{
	if ((unsigned)r->node->attrs.dtype >= DTYPE_COUNT)
		return rule_refuse(r, "dtype", "unknown dtype %d", (int)r->node->attrs.dtype);
	return give(r, r->node->attrs.dtype, &r->arg[0]->shape);
}

/* ---- shape families ---- */

static bool want_shape_attr(const struct rule *r)
{
	if (shape_fits(&r->node->attrs.shape))
		return true;
	return rule_refuse(r, "shape", "no valid shape: rank up to %d, up to %d elements", LIMIT_RANK, LIMIT_ELEMENTS);
}

static bool rule_broadcast_to(const struct rule *r)
{
	struct shape s;
	struct type target = {r->arg[0]->dtype, r->node->attrs.shape};

	if (!want_shape_attr(r))
		return false;
	if (!shape_broadcast(&r->arg[0]->shape, &target.shape, &s) || !shape_equal(&s, &target.shape))
		return rule_refuse(r, "shape", "operand of type %s does not broadcast to %s", TYPE_OF(r->arg[0]),
		    TYPE_OF(&target));
	return give(r, target.dtype, &s);
}

static bool rule_reshape(const struct rule *r)
{
	struct type target = {r->arg[0]->dtype, r->node->attrs.shape};

	if (!want_shape_attr(r))
		return false;
	if (shape_elements(&r->arg[0]->shape) != shape_elements(&target.shape))
		return rule_refuse(r, "shape", "operand of type %s has not as many elements as %s", TYPE_OF(r->arg[0]),
		    TYPE_OF(&target));
	return give(r, target.dtype, &target.shape);
}

static bool rule_transpose(const struct rule *r)
{
	struct shape s = r->arg[0]->shape;
	unsigned set;

	if (!want_axes(r, &set))
		return false;
	if (r->node->attrs.n_axes != s.rank)
		return rule_refuse(r, "axes", "%d axes, expected a permutation of all axes of %s", r->node->attrs.n_axes,
		    TYPE_OF(r->arg[0]));
	for (int d = 0; d < s.rank; d++)
		s.extent[d] = r->arg[0]->shape.extent[r->node->attrs.axes[d]];
	return give(r, r->arg[0]->dtype, &s);
}

static bool rule_reverse(const struct rule *r)
{
	unsigned set;

	return want_axes(r, &set) && rule_unary(r);
}

static bool rule_squeeze(const struct rule *r)
{
	const struct shape *from = &r->arg[0]->shape;
	struct shape s = {0};
	unsigned set;

	if (!want_axes(r, &set))
		return false;
	for (int d = 0; d < from->rank; d++) {
		if (!(set & 1U << d))
			s.extent[s.rank++] = from->extent[d];
		else if (from->extent[d] != 1)
			return rule_refuse(r, "axes", "axis %d of %s has not extent 1", d, TYPE_OF(r->arg[0]));
	}
	return give(r, r->arg[0]->dtype, &s);
}

/* ---- slices, padding, concatenation ---- */

/* Positions start + k*stride, k < size[d], of every axis lie inside operand 0. */
static bool want_positions(const struct rule *r, const int size[])
{
	const struct attrs *at = &r->node->attrs;

	for (int d = 0; d < r->arg[0]->shape.rank; d++) {
		int64_t extent = r->arg[0]->shape.extent[d];
		int64_t first = at->start[d], last = first + ((int64_t)size[d] - 1) * at->stride[d];
		if (size[d] < 0)
			return rule_refuse(r, "size", "size %d on axis %d, expected >= 0", size[d], d);
		if (!at->stride[d])
			return rule_refuse(r, "stride", "stride 0 on axis %d", d);
		if (size[d] && (first < 0 || first >= extent || last < 0 || last >= extent))
			return rule_refuse(r, "start", "positions %lld to %lld on axis %d, expected inside operand 0 (%s)",
			    (long long)first, (long long)last, d, TYPE_OF(r->arg[0]));
	}
	return true;
}

static bool rule_slice(const struct rule *r)
{
	struct shape s = r->arg[0]->shape;

	if (!want_positions(r, r->node->attrs.size))
		return false;
	for (int d = 0; d < s.rank; d++)
		s.extent[d] = r->node->attrs.size[d];
	return give(r, r->arg[0]->dtype, &s);
}

static bool rule_slice_scatter(const struct rule *r)
{
	return want_dtype_of(r, 1, 0) && want_rank(r, 1, r->arg[0]->shape.rank) &&
	    want_positions(r, r->arg[1]->shape.extent) && rule_unary(r);
}

static bool rule_dynamic_slice(const struct rule *r)
{
	const int *size = r->node->attrs.size;
	struct shape s = r->arg[0]->shape;

	if (!want_starts(r, 1))
		return false;
	for (int d = 0; d < s.rank; d++) {
		if (size[d] < 0 || size[d] > s.extent[d])
			return rule_refuse(r, "size", "size %d on axis %d, expected 0 to the extent in %s", size[d], d,
			    TYPE_OF(r->arg[0]));
	}
	for (int d = 0; d < s.rank; d++)
		s.extent[d] = size[d];
	return give(r, r->arg[0]->dtype, &s);
}

static bool rule_dynamic_update_slice(const struct rule *r)
{
	const struct type *x = r->arg[0], *update = r->arg[1];

	if (!want_dtype_of(r, 1, 0) || !want_rank(r, 1, x->shape.rank) || !want_starts(r, 2))
		return false;
	for (int d = 0; d < x->shape.rank; d++)
		if (update->shape.extent[d] > x->shape.extent[d])
			return rule_refuse(r, arg_place[1], "update of type %s does not fit into %s on axis %d", TYPE_OF(update),
			    TYPE_OF(x), d);
	return rule_unary(r);
}

static bool rule_pad(const struct rule *r)
{
	const struct attrs *at = &r->node->attrs;
	struct shape s = r->arg[0]->shape;

	if (!want_dtype_of(r, 1, 0) || !want_rank(r, 1, 0))
		return false;
	for (int d = 0; d < s.rank; d++) {
		int64_t n = (int64_t)s.extent[d] + at->low[d] + at->high[d];
		if (at->low[d] < 0 || at->high[d] < 0 || n > LIMIT_ELEMENTS)
			return rule_refuse(r, at->low[d] < 0 ? "low" : "high",
			    "padding %d and %d on axis %d of %s, expected >= 0 and up to %d in all", at->low[d], at->high[d], d,
			    TYPE_OF(r->arg[0]), LIMIT_ELEMENTS);
		s.extent[d] = (int)n;
	}
	return give(r, r->arg[0]->dtype, &s);
}

static bool rule_concatenate(const struct rule *r)
{
	int axis = r->node->attrs.axis;
	struct shape s = r->arg[0]->shape;

	if (!want_axis(r))
		return false;
	for (int i = 1; i < r->node->n_arg; i++) {
		const struct shape *t = &r->arg[i]->shape;
		if (!want_dtype_of(r, i, 0) || !want_rank(r, i, s.rank))
			return false;
		for (int d = 0; d < s.rank; d++)
			if (d != axis && t->extent[d] != s.extent[d])
				return rule_refuse(r, arg_place[i], "operand %d has type %s, expected that of operand 0 (%s) but for axis %d",
				    i, TYPE_OF(r->arg[i]), TYPE_OF(r->arg[0]), axis);
		/* At most LIMIT_ARGS extents of at most LIMIT_ELEMENTS: no overflow. */
		s.extent[axis] += t->extent[axis];
	}
	return give(r, r->arg[0]->dtype, &s);
}

/* ---- indexing ---- */

static bool rule_gather(const struct rule *r)
{
	int axis = r->node->attrs.axis;
	const struct shape *x = &r->arg[0]->shape, *indices = &r->arg[1]->shape;
	struct shape s = {0};

	if (!want_axis(r) || !want_mode(r) || !want_int(r, 1))
		return false;
	if (x->rank - 1 + indices->rank > LIMIT_RANK)
		return rule_refuse(r, arg_place[1], "result would have rank %d (x %s, indices %s), expected at most %d",
		    x->rank - 1 + indices->rank, TYPE_OF(r->arg[0]), TYPE_OF(r->arg[1]), LIMIT_RANK);
	for (int d = 0; d < axis; d++)
		s.extent[s.rank++] = x->extent[d];
	for (int d = 0; d < indices->rank; d++)
		s.extent[s.rank++] = indices->extent[d];
	for (int d = axis + 1; d < x->rank; d++)
		s.extent[s.rank++] = x->extent[d];
	return give(r, r->arg[0]->dtype, &s);
}

static bool rule_take_along_axis(const struct rule *r)
{
	const struct shape *x = &r->arg[0]->shape, *indices = &r->arg[1]->shape;

	if (!want_axis(r) || !want_mode(r) || !want_int(r, 1) || !want_rank(r, 1, x->rank))
		return false;
	for (int d = 0; d < x->rank; d++)
		if (d != r->node->attrs.axis && indices->extent[d] != x->extent[d])
			return rule_refuse(r, arg_place[1], "indices of type %s, expected the extents of %s but on axis %d",
			    TYPE_OF(r->arg[1]), TYPE_OF(r->arg[0]), r->node->attrs.axis);
	return give(r, r->arg[0]->dtype, indices);
}

static bool rule_scatter(const struct rule *r)
{
	int axis = r->node->attrs.axis;
	const struct shape *x = &r->arg[0]->shape, *updates = &r->arg[2]->shape;

	if (!want_axis(r) || !want_mode(r) || !want_int(r, 1) || !want_rank(r, 1, 1) || !want_dtype_of(r, 2, 0) ||
	    !want_rank(r, 2, x->rank))
		return false;
	for (int d = 0; d < x->rank; d++) {
		if (d == axis ? updates->extent[d] < r->arg[1]->shape.extent[0] : updates->extent[d] != x->extent[d])
			return rule_refuse(r, arg_place[2],
			    "updates of type %s, expected the extents of %s, and at least %d on axis %d", TYPE_OF(r->arg[2]),
			    TYPE_OF(r->arg[0]), r->arg[1]->shape.extent[0], axis);
	}
	return rule_unary(r);
}

static bool rule_masked_scatter(const struct rule *r)
{
	return want_bool(r, 1) && want_shape_of(r, 1, 0) && want_dtype_of(r, 2, 0) && rule_unary(r);
}

/* ---- reductions and products ---- */

static bool rule_reduce(const struct rule *r)
{
	const struct shape *from = &r->arg[0]->shape;
	struct shape s = {0};
	unsigned set;

	if (!want_axes(r, &set))
		return false;
	for (int d = 0; d < from->rank; d++) {
		if (!(set & 1U << d))
			s.extent[s.rank++] = from->extent[d];
		else if (r->node->attrs.keepdims)
			s.extent[s.rank++] = 1;
	}
	return give(r, r->arg[0]->dtype, &s);
}

static bool rule_cumulative(const struct rule *r)
{
	return want_axis(r) && rule_unary(r);
}

/* (..., m, k) x (..., k, n) -> (..., m, n); a vector lacks m or n. */
static bool rule_matmul(const struct rule *r)
{
	struct shape a = r->arg[0]->shape, b = r->arg[1]->shape, s;
	int m, n, k;

	if (!want_dtype_of(r, 1, 0))
		return false;
	for (int i = 0; i < 2; i++)
		if (!r->arg[i]->shape.rank)
			return rule_refuse(r, arg_place[i], "operand %d has type %s, expected rank >= 1", i, TYPE_OF(r->arg[i]));
	k = a.extent[a.rank - 1];
	m = a.rank > 1 ? a.extent[a.rank - 2] : 0;
	n = b.rank > 1 ? b.extent[b.rank - 1] : 0;
	if (k != b.extent[b.rank > 1 ? b.rank - 2 : 0])
		return rule_refuse(r, arg_place[1], "inner extents of %s and %s differ", TYPE_OF(r->arg[0]), TYPE_OF(r->arg[1]));
	a.rank = a.rank > 2 ? a.rank - 2 : 0;
	b.rank = b.rank > 2 ? b.rank - 2 : 0;
	if (!shape_broadcast(&a, &b, &s))
		return rule_refuse(r, arg_place[1], "leading axes of %s and %s do not broadcast", TYPE_OF(r->arg[0]),
		    TYPE_OF(r->arg[1]));
	if (r->arg[0]->shape.rank > 1)
		s.extent[s.rank++] = m;
	if (r->arg[1]->shape.rank > 1)
		s.extent[s.rank++] = n;
	return give(r, r->arg[0]->dtype, &s);
}

/* ---- dispatch ---- */

typedef bool rule_fn(const struct rule *r);

static rule_fn *const rules[] = {
	[FAMILY_CONSTANT] = rule_constant,
	[FAMILY_UNARY] = rule_unary,
	[FAMILY_BINARY] = rule_binary,
	[FAMILY_COMPARE] = rule_compare,
	[FAMILY_CLAMP] = rule_clamp,
	[FAMILY_SELECT] = rule_select,
	[FAMILY_CAST] = rule_cast,
	[FAMILY_BROADCAST_TO] = rule_broadcast_to,
	[FAMILY_RESHAPE] = rule_reshape,
	[FAMILY_TRANSPOSE] = rule_transpose,
	[FAMILY_REVERSE] = rule_reverse,
	[FAMILY_SQUEEZE] = rule_squeeze,
	[FAMILY_SLICE] = rule_slice,
	[FAMILY_SLICE_SCATTER] = rule_slice_scatter,
	[FAMILY_DYNAMIC_SLICE] = rule_dynamic_slice,
	[FAMILY_DYNAMIC_UPDATE_SLICE] = rule_dynamic_update_slice,
	[FAMILY_PAD] = rule_pad,
	[FAMILY_CONCATENATE] = rule_concatenate,
	[FAMILY_GATHER] = rule_gather,
	[FAMILY_TAKE_ALONG_AXIS] = rule_take_along_axis,
	[FAMILY_SCATTER] = rule_scatter,
	[FAMILY_MASKED_SCATTER] = rule_masked_scatter,
	[FAMILY_REDUCE] = rule_reduce,
	[FAMILY_CUMULATIVE] = rule_cumulative,
	[FAMILY_MATMUL] = rule_matmul,
	[FAMILY_COND] = rule_cond,
	[FAMILY_FOR] = rule_for,
	[FAMILY_WHILE] = rule_while,
	[FAMILY_SCAN] = rule_scan,
};

_Static_assert(sizeof rules / sizeof rules[0] == FAMILY_SCAN + 1, "a rule a family");

static const unsigned class_mask[] = {
	[DTYPE_CLASS_FLOAT] = MASK_FLOAT, [DTYPE_CLASS_INT] = MASK_INT, [DTYPE_CLASS_BOOL] = MASK_BOOL};

/* Fills r from the node: arity, operands that exist, dtypes. */
static bool rule_open(struct rule *r, const struct program *p, const struct node *node, struct type out[], int *n_out,
    struct error *e)
{
	*n_out = 0;
	if ((unsigned)node->op >= OP_COUNT)
		return error_set(e, "op", "there is no op %d", (int)node->op);
	*r = (struct rule){.p = p, .node = node, .info = &op_table[node->op], .out = out, .n_out = n_out, .e = e};

	int want = r->info->n_arg;
	if (want < 0 ? node->n_arg < 1 || node->n_arg > LIMIT_ARGS : node->n_arg != want) {
		if (want < 0)
			return rule_refuse(r, "args", "%d operands, expected 1 to %d", node->n_arg, LIMIT_ARGS);
		return rule_refuse(r, "args", "%d operands, expected %d", node->n_arg, want);
	}
	for (int i = 0; i < node->n_arg; i++) {
		if (node->arg[i] < 0 || node->arg[i] >= p->n_value)
			return rule_refuse(r, arg_place[i], "there is no value v%d", node->arg[i]);
		r->arg[i] = &p->type[node->arg[i]];
	}
	int first = r->info->family == FAMILY_SELECT ? 1 : 0;
	if (node->n_arg > first && !(r->info->dtypes & class_mask[dtype_table[r->arg[first]->dtype].class]))
		return rule_refuse(r, arg_place[first], "operand %d has type %s, a dtype that the op does not take", first,
		    TYPE_OF(r->arg[first]));
	if (node->n_region != r->info->n_region)
		return rule_refuse(r, "regions", "%d regions, expected %d", node->n_region, r->info->n_region);
	return true;
}

bool node_infer(const struct program *p, const struct node *node, struct type out[LIMIT_ARGS], int *n_out, struct error *e)
{
	struct rule r;

	if (!rule_open(&r, p, node, out, n_out, e) || !rules[r.info->family](&r))
		return false;
	for (int i = 0; i < *n_out; i++)
		if (!shape_fits(&out[i].shape))
			return rule_refuse(&r, "", "result %d would have type %s, expected at most %d elements (an extent 0 counting as 1)",
			    i, TYPE_OF(&out[i]), LIMIT_ELEMENTS);
	return true;
}

bool node_region_params(const struct program *p, const struct node *node, int which, struct type out[LIMIT_ARGS], int *n,
    struct error *e)
{
	struct rule r;

	return rule_open(&r, p, node, out, n, e) && rule_region_params(&r, which);
}

/* values.c: passes on types, attributes and ops of one family. */
#include "fuzz/edit/fit.h"
#include "passes.h"

/* ---- all types at once ---- */

static void no_shape(struct edit *e, struct type *t, int how)
{
	(void)e, (void)how;
	t->shape = shape_scalar();
}

static void no_axes(struct edit *e, struct node *n, int how)
{
	struct attrs *a = &n->attrs;

	(void)e, (void)how;
	a->shape = shape_scalar();
	a->n_axes = 0;
}

static void reverse_elements(struct tensor *t)
{
	for (int i = 0, j = shape_elements(&t->type.shape) - 1; i < j; i++, j--) {
		const union cell x = t->at[i];

		t->at[i] = t->at[j];
		t->at[j] = x;
	}
}

/*
 * A literal that shrinks keeps its first elements.  Candidate 1 reverses all literals first, so it keeps the last ones.
 */
enum edit_result pass_scalar_shapes(struct edit *e, int k)
{
	struct site s;

	if (k > 1)
		return EDIT_END;
	for (struct walk w = walk_nodes(&e->c.program.top); k && edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT)
			reverse_elements(&s.node->attrs.value);
	for (int p = 0; k && p < e->c.n_point; p++)
		for (int i = 0; i < e->c.program.top.n_param; i++)
			reverse_elements(&e->c.point[p][i]);
	edit_change_types(e, no_shape, no_axes, 0);
	e->lenient = true;
	return EDIT_TRY;
}

enum { WIDE_ALL, WIDE_FLOATS, WIDE_INTS, FLOATS_F32, WIDE_HOWS };

static enum dtype plain_dtype(enum dtype d, int how)
{
	if (dtype_is_float(d) && how != WIDE_INTS)
		return how == FLOATS_F32 ? DTYPE_F32 : DTYPE_F64;
	if (dtype_is_int(d) && (how == WIDE_ALL || how == WIDE_INTS))
		return DTYPE_I64;
	return d;
}

static void plain_type(struct edit *e, struct type *t, int how)
{
	(void)e;
	t->dtype = plain_dtype(t->dtype, how);
}

static void plain_cast(struct edit *e, struct node *n, int how)
{
	(void)e;
	if (op_table[n->op].attrs & ATTR_DTYPE)
		n->attrs.dtype = plain_dtype(n->attrs.dtype, how);
}

enum edit_result pass_wide_dtypes(struct edit *e, int k)
{
	if (k >= WIDE_HOWS)
		return EDIT_END;
	edit_change_types(e, plain_type, plain_cast, k);
	return EDIT_TRY;
}

/* ---- extents and axes ---- */

enum { EXTENT_HOWS = 4 };

/* The n-th distinct extent above 1 among all values, in order of first appearance. */
static int distinct_extent(const struct program *p, int n)
{
	int seen[64], n_seen = 0;

	for (int v = 0; v < p->n_value; v++) {
		for (int d = 0; d < p->type[v].shape.rank; d++) {
			int x = p->type[v].shape.extent[d], i = 0;

			while (i < n_seen && seen[i] != x)
				i++;
			if (x < 2 || i < n_seen || n_seen == 64)
				continue;
			if (n_seen == n)
				return x;
			seen[n_seen++] = x;
		}
	}
	return 0;
}

enum edit_result pass_extent(struct edit *e, int k)
{
	int from = distinct_extent(&e->c.program, k / EXTENT_HOWS), how = k % EXTENT_HOWS;
	int to = how == 0 ? 1 : how == 1 ? 2 : how == 2 ? from / 2 : from - 1;

	if (!from)
		return EDIT_END;
	if (to >= from || to < 1 || from >= LIMIT_ELEMENTS / 4)
		return EDIT_SKIP;
	edit_change_extent(e, from, to);
	return EDIT_TRY;
}

/* how: the axis counted from the left, or LIMIT_RANK + the axis counted from the right. */
static int axis_of(const struct shape *s, int how) { return how < LIMIT_RANK ? how : s->rank - 1 - (how - LIMIT_RANK); }

static void drop_extent(struct shape *s, int how)
{
	int axis = axis_of(s, how);

	if (axis < 0 || axis >= s->rank)
		return;
	for (int d = axis; d + 1 < s->rank; d++)
		s->extent[d] = s->extent[d + 1];
	s->extent[--s->rank] = 0;
}

static void drop_type_axis(struct edit *e, struct type *t, int how)
{
	(void)e;
	drop_extent(&t->shape, how);
}

static void drop_int(int list[LIMIT_RANK], int axis)
{
	for (int d = axis; d + 1 < LIMIT_RANK; d++)
		list[d] = list[d + 1];
	list[LIMIT_RANK - 1] = 0;
}

static void drop_node_axis(struct edit *e, struct node *n, int how)
{
	struct attrs *a = &n->attrs;
	/* Types are still the old ones: the operand's rank turns a count from the right into an axis. */
	const struct shape *s = n->n_arg ? &edit_type(e, n->arg[0])->shape : NULL;
	int axis = s ? axis_of(s, how) : -1, n_axes = 0;

	drop_extent(&a->shape, how);
	if (axis < 0 || axis >= s->rank)
		return;
	if ((op_table[n->op].attrs & ATTR_AXIS) && a->axis > axis)
		a->axis--;
	for (int i = 0; i < a->n_axes; i++)
		if (a->axes[i] != axis)
			a->axes[n_axes++] = a->axes[i] - (a->axes[i] > axis);
	a->n_axes = n_axes;
	drop_int(a->start, axis);
	drop_int(a->size, axis);
	drop_int(a->stride, axis);
	drop_int(a->low, axis);
	drop_int(a->high, axis);
}

enum edit_result pass_drop_axis(struct edit *e, int k)
{
	if (k >= 2 * LIMIT_RANK)
		return EDIT_END;
	edit_change_types(e, drop_type_axis, drop_node_axis, k);
	e->lenient = true;
	return EDIT_TRY;
}

/* The type of input k, then of the constants; *constant: the node, or NULL. */
static struct type *literal_type(struct edit *e, int k, struct node **constant)
{
	const struct region *top = &e->c.program.top;
	struct site s;

	*constant = NULL;
	if (k < top->n_param)
		return &e->c.program.type[top->param + k];
	k -= top->n_param;
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT && k-- == 0) {
			*constant = s.node;
			return &e->c.program.type[s.node->out];
		}
	return NULL;
}

enum { SHAPE_HOWS = 3 * LIMIT_RANK + 2 };

/* Candidates: smaller along one axis; without the first axis; a scalar. */
static bool shrink(struct shape *s, int how)
{
	int axis = how / 3, x;

	if (how >= SHAPE_HOWS - 2) {
		if (!s->rank)
			return false;
		if (how == SHAPE_HOWS - 1)
			*s = shape_scalar();
		else
			drop_extent(s, 0);
		return true;
	}
	if (axis >= s->rank)
		return false;
	x = how % 3 == 0 ? 1 : how % 3 == 1 ? s->extent[axis] / 2 : s->extent[axis] - 1;
	if (x < 1 || x >= s->extent[axis])
		return false;
	s->extent[axis] = x;
	return true;
}

enum edit_result pass_input_shape(struct edit *e, int k)
{
	struct node *constant;
	struct type *t = literal_type(e, k / SHAPE_HOWS, &constant);

	if (!t)
		return EDIT_END;
	if (!shrink(&t->shape, k % SHAPE_HOWS))
		return EDIT_SKIP;
	if (constant)
		constant->attrs.value = fit_tensor(e->arena, &constant->attrs.value, t);
	return EDIT_TRY;
}

/* ---- plain ops and attributes ---- */

/* The plainest ops per family, plainest first; the measure of minimize.c counts the same way (edit_op_weight). */
static const struct {
	enum family family;
	enum op op;
} plain_ops[] = {
    {FAMILY_BINARY, OP_ADD},
    {FAMILY_BINARY, OP_MUL},
    {FAMILY_BINARY, OP_LOGICAL_AND},
    {FAMILY_UNARY, OP_NEG},
    {FAMILY_UNARY, OP_SQUARE},
    {FAMILY_UNARY, OP_SIN},
    {FAMILY_UNARY, OP_LOGICAL_NOT},
    {FAMILY_COMPARE, OP_LT},
    {FAMILY_COMPARE, OP_GT},
    {FAMILY_REDUCE, OP_REDUCE_SUM},
    {FAMILY_CUMULATIVE, OP_CUMSUM},
    {FAMILY_DYNAMIC_UPDATE_SLICE, OP_DYNAMIC_UPDATE_SLICE},
    {FAMILY_SCATTER, OP_SCATTER_SET},
    {FAMILY_SCATTER, OP_SCATTER_ADD},
};
enum { PLAIN_OPS = sizeof plain_ops / sizeof *plain_ops };

int edit_op_weight(enum op op)
{
	for (int i = 0; i < PLAIN_OPS; i++)
		if (plain_ops[i].op == op)
			return i;
	return PLAIN_OPS + (int)op;
}

enum edit_result pass_plain_op(struct edit *e, int k)
{
	int row = k % PLAIN_OPS;
	struct site s;

	if (!edit_site(e, k / PLAIN_OPS, &s))
		return EDIT_END;
	if (op_table[s.node->op].family != plain_ops[row].family || edit_op_weight(s.node->op) <= row)
		return EDIT_SKIP;
	s.node->op = plain_ops[row].op;
	return EDIT_TRY;
}

enum edit_result pass_family_op(struct edit *e, int k)
{
	enum op to = (enum op)(k % OP_COUNT);
	struct site s;

	if (!edit_site(e, k / OP_COUNT, &s))
		return EDIT_END;
	if (op_table[to].family != op_table[s.node->op].family || op_table[to].attrs != op_table[s.node->op].attrs ||
	    op_table[to].n_region || to >= s.node->op)
		return EDIT_SKIP;
	s.node->op = to;
	return EDIT_TRY;
}

enum edit_result pass_plain_attrs(struct edit *e, int k)
{
	enum { KEEPDIMS, AXIS, MODE_FIRST, STRIDES, STARTS, LOWS, HIGHS, FEWER_AXES, HOWS };
	struct attrs before, *a;
	struct site s;
	bool changed = false;

	if (!edit_site(e, k / HOWS, &s))
		return EDIT_END;
	a = &s.node->attrs;
	before = *a;
	switch (k % HOWS) {
	case KEEPDIMS:
		a->keepdims = false;
		break;
	case AXIS:
		a->axis = 0;
		break;
	case MODE_FIRST:
		a->mode = (enum index_mode)0;
		break;
	case STRIDES:
		for (int d = 0; d < LIMIT_RANK; d++)
			if (a->stride[d])
				a->stride[d] = 1;
		break;
	case STARTS:
		for (int d = 0; d < LIMIT_RANK; d++)
			a->start[d] = 0;
		break;
	case LOWS:
		for (int d = 0; d < LIMIT_RANK; d++)
			a->low[d] = 0;
		break;
	case HIGHS:
		for (int d = 0; d < LIMIT_RANK; d++)
			a->high[d] = 0;
		break;
	case FEWER_AXES:
		if (a->n_axes)
			a->n_axes--;
		break;
	}
	for (int d = 0; d < LIMIT_RANK; d++)
		changed = changed || before.stride[d] != a->stride[d] || before.start[d] != a->start[d] ||
		    before.low[d] != a->low[d] || before.high[d] != a->high[d];
	changed = changed || before.keepdims != a->keepdims || before.axis != a->axis || before.mode != a->mode ||
	    before.n_axes != a->n_axes;
	return changed ? EDIT_TRY : EDIT_SKIP;
}

/* sizes.c: passes that make tensors smaller: fewer axes, smaller extents. */
#include "fuzz/edit/fit.h"
#include "passes.h"

/* ---- sizes ---- */

/*
 * Bugs of blocks, tiles and vectors often begin one above a power of 2, and not each larger size shows them.  So a
 * large size first becomes 17, 33, 65 and so on.  The steps after that find any other limit by bisection.
 */
enum { LARGE_SIZE = 17, FIRST_POWER = 4, POWERS = 12, FIRST_STEP = 2, STEPS = 14 };

int edit_smaller(int from, int k)
{
	int to = k + 1;

	if (k >= 2 && k < 2 + POWERS)
		to = from <= LARGE_SIZE ? 0 : (1 << (FIRST_POWER + k - 2)) + 1;
	if (k >= 2 + POWERS)
		to = from / 2;
	if (k >= 3 + POWERS)
		to = from <= LARGE_SIZE ? 0 : from - (from >> (FIRST_STEP + k - 3 - POWERS));
	if (k == EDIT_SIZES - 1)
		to = from - 1;
	return to < from && k < EDIT_SIZES ? to : 0;
}
_Static_assert(EDIT_SIZES == 4 + POWERS + STEPS, "1, 2, the powers, a half, the steps, one less");

/* ---- scalars ---- */

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

/* Of constants and points. */
static void reverse_literals(struct edit *e)
{
	struct site s;

	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT)
			reverse_elements(&s.node->attrs.value);
	for (int p = 0; p < e->c.n_point; p++)
		for (int i = 0; i < e->c.program.top.n_param; i++)
			reverse_elements(&e->c.point[p][i]);
}

/*
 * A literal that shrinks keeps its first elements.  Candidate 1 reverses all literals first, so it keeps the last ones.
 */
enum edit_result pass_scalar_shapes(struct edit *e, int k)
{
	if (k > 1)
		return EDIT_END;
	if (k)
		reverse_literals(e);
	edit_change_types(e, no_shape, no_axes, 0);
	e->lenient = true;
	return EDIT_TRY;
}

/* ---- extents and axes ---- */

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

/* Makes bool literals true.  False: there is none. */
static bool set_bools(struct edit *e)
{
	const struct region *top = &e->c.program.top;
	struct site s;
	bool any = false;

	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT && s.node->attrs.value.type.dtype == DTYPE_BOOL) {
			edit_fill(&s.node->attrs.value, 1);
			any = true;
		}
	for (int p = 0; p < e->c.n_point; p++)
		for (int i = 0; i < top->n_param; i++)
			if (e->c.point[p][i].type.dtype == DTYPE_BOOL) {
				edit_fill(&e->c.point[p][i], 1);
				any = true;
			}
	return any;
}

/*
 * The candidates for an extent: the smaller sizes, with the first elements of literals.  Then, if it is large, the same
 * sizes with masks that are true: a mask that lets half of the elements through needs twice as many.  At last, 1 and 2
 * with the last elements of literals.
 */
enum { FIRST, MASKS, LAST, EXTENT_KINDS };

enum edit_result pass_extent(struct edit *e, int k)
{
	const int kind = k / EDIT_SIZES % EXTENT_KINDS, how = k % EDIT_SIZES,
	          from = distinct_extent(&e->c.program, k / (EXTENT_KINDS * EDIT_SIZES)), to = edit_smaller(from, how);

	if (!from)
		return EDIT_END;
	if (!to || from >= LIMIT_ELEMENTS / 4 || (kind == LAST && how > 1) ||
	    (kind == MASKS && (from <= LARGE_SIZE || !set_bools(e))))
		return EDIT_SKIP;
	if (kind == LAST)
		reverse_literals(e);
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

/* Takes an axis of the first operand out of all attributes but the shape. */
static void drop_attrs_axis(struct edit *e, struct node *n, int how)
{
	struct attrs *a = &n->attrs;
	/* Types are still the old ones: the operand's rank turns a count from the right into an axis. */
	const struct shape *s = n->n_arg ? &edit_type(e, n->arg[0])->shape : NULL;
	int axis = s ? axis_of(s, how) : -1, n_axes = 0;

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

static void drop_node_axis(struct edit *e, struct node *n, int how)
{
	drop_extent(&n->attrs.shape, how);
	drop_attrs_axis(e, n, how);
}

enum edit_result pass_drop_axis(struct edit *e, int k)
{
	if (k >= 2 * LIMIT_RANK)
		return EDIT_END;
	edit_change_types(e, drop_type_axis, drop_node_axis, k);
	e->lenient = true;
	return EDIT_TRY;
}

/* Makes axes `axis` and the next one a single axis. */
static void merge_extents(struct shape *s, int axis)
{
	if (axis + 1 >= s->rank)
		return;
	s->extent[axis] *= s->extent[axis + 1];
	drop_extent(s, axis + 1);
}

static void merge_type_axes(struct edit *e, struct type *t, int axis)
{
	(void)e;
	merge_extents(&t->shape, axis);
}

static void merge_node_axes(struct edit *e, struct node *n, int axis)
{
	merge_extents(&n->attrs.shape, axis);
	drop_attrs_axis(e, n, axis + 1);
}

enum edit_result pass_merge_axes(struct edit *e, int k)
{
	if (k + 1 >= LIMIT_RANK)
		return EDIT_END;
	edit_change_types(e, merge_type_axes, merge_node_axes, k);
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

enum { SHAPE_HOWS = EDIT_SIZES * LIMIT_RANK + 2 };

/* Candidates: smaller along one axis; without the first axis; a scalar. */
static bool shrink(struct shape *s, int how)
{
	int axis = how / EDIT_SIZES, x;

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
	x = edit_smaller(s->extent[axis], how % EDIT_SIZES);
	if (!x)
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

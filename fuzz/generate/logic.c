/* logic.c: comparisons, the selects that use them, integer arithmetic, and bool. */
#include "generator.h"

#include <math.h> /* INFINITY */

static const enum op compare_ops[] = {OP_GT, OP_LT, OP_GE, OP_LE, OP_NE, OP_EQ};
static const int compare_weights[] = {6, 5, 3, 3, 1, 1};

static bool fits_scalar_number(const struct gen *g, int value, const void *unused)
{
	(void)unused;
	return !gen_type(g, value)->shape.rank && gen_type(g, value)->dtype != DTYPE_BOOL;
}

static bool fits_exact_float(const struct gen *g, int value, const void *unused)
{
	(void)unused;
	return gen_is_float(g, value) && !g->info[value].noisy;
}

/* The number with which a value is compared: often 0, otherwise a constant inside its range. */
static double threshold(struct gen *g, int value)
{
	struct range r = g->info[value].range;
	double x = 0;

	if (!gen_is_float(g, value))
		return choice_between(g->c, 0, 3);
	if (!choice_percent(g->c, 35))
		x = gen_real(g, gen_type(g, value)->dtype);
	return r.lo > x && !choice_percent(g->c, 20) ? x + 1 : x;
}

int gen_compare(struct gen *g, int value)
{
	enum op op = compare_ops[choice_weighted(g->c, compare_weights, 6)];
	struct type t;
	int other = -1;

	if (value < 0 || !gen_fits(g, gen_elements(g, value)))
		return -1;
	t = *gen_type(g, value);
	if (t.dtype == DTYPE_BOOL)
		op = choice_percent(g->c, 50) ? OP_NE : OP_EQ;
	if (choice_percent(g->c, 30)) {
		other = gen_pick(g, gen_fits_broadcast, &t);
		if (other == value)
			other = -1;
	}
	if (other < 0) {
		double x = threshold(g, value);

		other = gen_scalar(g, t.dtype, x);
		if (g->p->constant_left && choice_percent(g->c, g->p->constant_left))
			return gen_binary(g, op, other, value);
	}
	return gen_binary(g, op, value, other);
}

int gen_predicate_scalar(struct gen *g)
{
	const struct type flag = {.dtype = DTYPE_BOOL, .shape = shape_scalar()};
	struct type scalar = {.dtype = g->dtype, .shape = shape_scalar()};
	int v = choice_percent(g->c, 30) ? gen_pick(g, gen_fits_type, &flag) : -1;

	if (v >= 0)
		return v;
	for (int i = 0; i < 3; i++) {
		v = gen_pick(g, fits_scalar_number, NULL);
		if (v >= 0 && !g->info[v].noisy)
			break;
	}
	if (v < 0)
		v = gen_as(g, gen_pick_float(g), &scalar);
	v = gen_compare(g, v);
	return v < 0 ? -1 : gen_as(g, v, &flag);
}

static int select_of(struct gen *g, int p, int a, int b)
{
	struct shape s;

	if (p < 0 || a < 0 || b < 0 || !shape_broadcast(&gen_type(g, p)->shape, &gen_type(g, a)->shape, &s) ||
	    !shape_broadcast(&s, &gen_type(g, b)->shape, &s) || !gen_fits(g, shape_elements(&s)))
		return -1;
	return gen_node(g, OP_SELECT, (const int[]){p, a, b}, 3, NULL);
}

/* Ops whose domain a comparison can guard: op(x) is used where `compare`(x, bound) holds; with abs, `compare`(|x|,
 * bound). */
static const struct guarded_row {
	enum op op, compare;
	double bound;
	bool abs;
} guarded_rows[] = {
    {OP_SQRT, OP_GT, 0, false},
    {OP_LOG, OP_GT, 0, false},
    {OP_RSQRT, OP_GT, 0, false},
    {OP_DIV, OP_NE, 0, false},
    {OP_DIV, OP_GT, 0, false},
    {OP_POW, OP_GT, 0, false},
    {OP_LOG1P, OP_GT, -1, false},
    {OP_ACOSH, OP_GT, 1, false},
    {OP_ASIN, OP_LT, 1, true},
    {OP_ATANH, OP_LT, 1, true},
    {OP_ACOS, OP_LT, 1, true},
    {OP_SQRT, OP_GE, 0, false},
    {OP_NORM, OP_NE, 0, false},
};

enum { GUARDED_ROWS = sizeof(guarded_rows) / sizeof(guarded_rows[0]) };

/* f(x), even outside its domain.  It stays out of the pool, because it may be NaN. */
static int unguarded(struct gen *g, enum op op, int x)
{
	static const double exponents[] = {0.5, 1.5, -1, -0.5};
	enum dtype d = gen_type(g, x)->dtype;
	struct attrs none = {0};
	int y;

	if (op == OP_DIV)
		y = gen_binary(g, OP_DIV, gen_scalar(g, d, gen_real(g, d)), x);
	else if (op == OP_POW)
		y = gen_binary(g, OP_POW, x, gen_scalar(g, d, exponents[choice_below(g->c, 4)]));
	else
		y = gen_node(g, op, &x, 1, &none);
	gen_hide(g, y);
	return y;
}

static enum op negated(enum op compare)
{
	return compare == OP_GT ? OP_LE : compare == OP_LT ? OP_GE : compare == OP_GE ? OP_LT : OP_EQ;
}

static int other_branch(struct gen *g, int x)
{
	struct type t = *gen_type(g, x);
	int v = -1;

	if (choice_percent(g->c, 50))
		return gen_scalar(g, t.dtype, choice_percent(g->c, 40) ? 0 : gen_real(g, t.dtype));
	if (choice_percent(g->c, 40))
		v = gen_unary(g, choice_percent(g->c, 50) ? OP_NEG : OP_SQUARE, x);
	return v >= 0 ? v : gen_pick(g, gen_fits_broadcast, &t);
}

/* select(x > c, f(x), other): the branch not taken may be singular at the point. */
static int guarded_select(struct gen *g, int x)
{
	const struct guarded_row *row = &guarded_rows[choice_below(g->c, GUARDED_ROWS)];
	double bound = row->bound;
	struct range inside, r;
	int p, y, other, z;

	if (!gen_fits(g, gen_elements(g, x)))
		return -1;
	/* Sometimes the bound is well inside the domain. */
	if (row->compare == OP_GT && choice_percent(g->c, 25))
		bound += choice_between(g->c, 1, 8) / 8.0;
	p = row->abs ? gen_unary(g, OP_ABS, x) : x;
	other = other_branch(g, x);
	y = unguarded(g, row->op, x);
	if (p < 0 || y < 0 || other < 0)
		return -1;
	if (choice_percent(g->c, 25))
		z = select_of(g, gen_with_scalar(g, negated(row->compare), p, bound), other, y);
	else
		z = select_of(g, gen_with_scalar(g, row->compare, p, bound), y, other);
	if (z < 0)
		return -1;
	/* The range of f where the select uses it, not where f is singular. */
	r = g->info[x].range;
	inside = row->abs
	    ? range_make(-0.95, 0.95)
	    : range_make(r.lo > bound + 0.0625 ? r.lo : bound + 0.0625, r.hi > bound + 1 ? r.hi : bound + 1);
	r = range_of(row->op == OP_DIV || row->op == OP_POW ? OP_RSQRT : row->op, &inside, 1, 1);
	g->info[z].range = range_make(r.lo < g->info[other].range.lo ? r.lo : g->info[other].range.lo,
	    r.hi > g->info[other].range.hi ? r.hi : g->info[other].range.hi);
	return z;
}

int gen_emit_select(struct gen *g)
{
	int x = choice_percent(g->c, 65) ? gen_pick(g, fits_exact_float, NULL) : -1, p, a, b;
	struct type t;

	if (x < 0)
		x = gen_pick_float(g);
	if (x < 0)
		return -1;
	if (choice_percent(g->c, g->p->guard_select))
		return guarded_select(g, x);
	p = choice_percent(g->c, 30) ? gen_pick(g, gen_fits_bool, NULL) : -1;
	if (p < 0 || gen_broadcast_elements(g, p, x) < 0)
		p = gen_compare(g, x);
	a = choice_percent(g->c, 50) ? gen_unary_on(g, x) : choice_percent(g->c, 50) ? x : gen_pick_float(g);
	if (a < 0)
		return -1;
	t = *gen_type(g, a);
	b = gen_pick(g, gen_fits_broadcast, &t);
	if (b < 0 || b == a)
		b = gen_scalar(g, t.dtype, gen_real(g, t.dtype));
	return choice_percent(g->c, 50) ? select_of(g, p, b, a) : select_of(g, p, a, b);
}

/* p in the shape of x, or -1. */
static int mask_of(struct gen *g, int p, int x)
{
	struct attrs to = {.shape = gen_type(g, x)->shape};

	if (p < 0 || gen_broadcast_elements(g, p, x) != gen_elements(g, x))
		return -1;
	if (shape_equal(&gen_type(g, p)->shape, &to.shape))
		return p;
	return gen_type(g, p)->shape.rank <= to.shape.rank ? gen_node(g, OP_BROADCAST_TO, &p, 1, &to) : -1;
}

/* Lines whose elements are all masked get a constant: select(max(p) > 0, y, c). */
static int without_empty(struct gen *g, int p, int y, const struct attrs *along)
{
	const struct attrs number = {.dtype = DTYPE_I64};
	int some = y < 0 ? -1 : gen_node(g, OP_CAST, &p, 1, &number);

	if (some >= 0)
		some = gen_node(g, OP_REDUCE_MAX, &some, 1, along);
	some = gen_with_scalar(g, OP_GT, some, 0);
	return some < 0
	    ? -1
	    : select_of(g, some, y, gen_scalar(g, gen_type(g, y)->dtype, gen_real(g, gen_type(g, y)->dtype)));
}

/* p or true at one position of each line along the axis, so that no line is masked as a whole. */
static int leave_one(struct gen *g, int p, int axis)
{
	struct type t = {.dtype = DTYPE_BOOL, .shape = gen_type(g, p)->shape};
	struct tensor one;

	for (int d = 0; d < t.shape.rank; d++)
		if (d != axis)
			t.shape.extent[d] = 1;
	one = tensor_new(g->a, &t);
	one.at[choice_below(g->c, t.shape.extent[axis])].i = 1;
	return gen_binary(g, OP_LOGICAL_OR, p, gen_constant(g, &one, range_make(0, 1)));
}

/*
 * An attention mask: select(p, x, -inf) or x + select(p, 0, -inf), and a reduction of that.  Elements at -inf have
 * weight 0, and derivative 0.  All elements may be masked.
 */
int gen_emit_masked(struct gen *g)
{
	int x = gen_pick(g, gen_fits_float_axes, NULL), p, masked, top, y, nothing, axis = -1;
	struct attrs along = {.n_axes = 1, .keepdims = true};
	enum dtype d;

	if (x < 0 || !gen_fits(g, gen_elements(g, x)))
		return -1;
	p = choice_percent(g->c, 40) ? gen_pick(g, gen_fits_bool, NULL) : -1;
	p = mask_of(g, p < 0 ? gen_compare(g, x) : p, x);
	if (p >= 0 && gen_steady(g)) {
		axis = choice_below(g->c, gen_type(g, x)->shape.rank);
		p = leave_one(g, p, axis);
	}
	if (p < 0)
		return -1;
	d = gen_type(g, x)->dtype;
	nothing = gen_scalar(g, d, -INFINITY);
	if (choice_percent(g->c, 50)) {
		masked = select_of(g, p, x, nothing);
	} else {
		masked = select_of(g, p, gen_scalar(g, d, 0), nothing);
		gen_hide(g, masked);
		masked = gen_binary(g, OP_ADD, x, masked);
	}
	if (masked < 0)
		return -1;
	gen_hide(g, masked);
	g->info[masked].range = g->info[x].range;
	along.axes[0] = axis >= 0 ? axis : choice_below(g->c, gen_type(g, x)->shape.rank);
	switch (choice_below(g->c, 5)) {
	case 0:
		return gen_node(g, OP_LOGSUMEXP, &masked, 1, &along);
	case 1:
		y = gen_node(g, OP_LOGSUMEXP, &masked, 1, &along);
		gen_hide(g, y);
		return without_empty(g, p, y, &along);
	case 2:
		return gen_node(g, OP_REDUCE_MAX, &masked, 1, &along);
	case 3:
		return gen_with_scalar(g, OP_MAX, masked, gen_real(g, d));
	default:
		top = gen_node(g, OP_REDUCE_MAX, &masked, 1, &along);
		y = gen_binary(g, OP_SUB, masked, top);
		gen_hide(g, y);
		y = gen_unary(g, OP_EXP, y);
		return gen_binary(g, OP_DIV, y, y < 0 ? -1 : gen_node(g, OP_REDUCE_SUM, &y, 1, &along));
	}
}

/* ---- integers ---- */

static const struct integer_row {
	enum op op;
	int n_arg, weight;
} integer_rows[] = {
    {OP_ADD, 2, 4},
    {OP_SUB, 2, 2},
    {OP_MUL, 2, 3},
    {OP_DIV, 2, 2},
    {OP_REMAINDER, 2, 2},
    {OP_MAX, 2, 1},
    {OP_MIN, 2, 1},
    {OP_BITWISE_AND, 2, 3},
    {OP_BITWISE_OR, 2, 2},
    {OP_BITWISE_XOR, 2, 2},
    {OP_SHIFT_LEFT, 2, 1},
    {OP_SHIFT_RIGHT, 2, 1},
    {OP_NEG, 1, 1},
    {OP_ABS, 1, 1},
    {OP_SIGN, 1, 1},
    {OP_BITWISE_INVERT, 1, 1},
    {OP_CLAMP, 3, 1},
    {OP_MOD, 2, 2},
    {OP_FLOOR_DIVIDE, 2, 2},
};

enum { INTEGER_ROWS = sizeof(integer_rows) / sizeof(integer_rows[0]) };

/* An integer made from something else: a rounded float, a counted bool, or a literal. */
static int make_integer(struct gen *g)
{
	struct type t = {.dtype = choice_percent(g->c, 40) ? DTYPE_I32 : DTYPE_I64, .shape = g->base};
	struct attrs to = {.dtype = t.dtype};
	int from = choice_percent(g->c, 45) ? gen_pick(g, gen_fits_bool, NULL)
	    : choice_percent(g->c, 40)      ? gen_pick(g, fits_exact_float, NULL)
	                                    : -1;

	if (from >= 0 && range_magnitude(g->info[from].range) <= 64)
		return gen_node(g, OP_CAST, &from, 1, &to);
	return gen_literal(g, &t);
}

int gen_emit_integer(struct gen *g) { return gen_integer(g, OP_CONSTANT); }

int gen_integer(struct gen *g, enum op op)
{
	int weight[INTEGER_ROWS], a = choice_percent(g->c, 80) ? gen_pick(g, gen_fits_int, NULL) : -1, b = -1, hi = -1,
	                          y;
	const struct integer_row *row;
	bool swapped = false;
	struct type t;

	if (a < 0)
		a = make_integer(g);
	if (a < 0 || !gen_fits(g, gen_elements(g, a)))
		return -1;
	t = *gen_type(g, a);
	for (int i = 0; i < INTEGER_ROWS; i++)
		weight[i] = op == OP_CONSTANT ? gen_weight(g, integer_rows[i].op, integer_rows[i].weight)
		                              : integer_rows[i].op == op;
	row = &integer_rows[choice_weighted(g->c, weight, INTEGER_ROWS)];
	if (row->n_arg > 1) {
		bool shift = row->op == OP_SHIFT_LEFT || row->op == OP_SHIFT_RIGHT;

		if (choice_percent(g->c, shift ? 45 : 75))
			b = gen_pick(g, gen_fits_broadcast, &t);
		if (b < 0) {
			if (gen_special(g))
				b = gen_scalar(g, t.dtype, gen_neutral(g));
			else
				b = gen_scalar(g, t.dtype, choice_between(g->c, choice_percent(g->c, 10) ? -2 : 1, 4));
			swapped = g->p->constant_left && choice_percent(g->c, g->p->constant_left);
		}
		if (row->n_arg > 2)
			hi = gen_scalar(g, t.dtype, choice_between(g->c, 4, 6));
		if (b < 0 || !gen_fits(g, gen_broadcast_elements(g, a, b)))
			return -1;
	}
	y = gen_node(g, row->op, swapped ? (const int[]){b, a, hi} : (const int[]){a, b, hi}, row->n_arg, NULL);
	if (y >= 0 && range_magnitude(g->info[y].range) > 64)
		y = gen_with_scalar(g, choice_percent(g->c, 50) ? OP_REMAINDER : OP_BITWISE_AND, y, 7);
	if (y >= 0 && choice_percent(g->c, 55)) {
		struct attrs to = {.dtype = g->dtype};

		y = gen_node(g, OP_CAST, &y, 1, &to);
	}
	return y;
}

int gen_emit_logical(struct gen *g)
{
	static const enum op ops[] = {OP_LOGICAL_AND, OP_LOGICAL_OR, OP_LOGICAL_XOR, OP_LOGICAL_NOT};
	enum op op = ops[choice_below(g->c, 4)];
	int p = choice_percent(g->c, 60) ? gen_pick(g, gen_fits_bool, NULL) : -1, q, a;
	bool special;
	struct type t;

	if (p < 0)
		p = gen_compare(g, gen_pick_float(g));
	if (p < 0)
		return -1;
	if (op == OP_LOGICAL_NOT) {
		p = gen_unary(g, op, p);
	} else {
		t = *gen_type(g, p);
		special = gen_special(g);
		q = special ? gen_scalar(g, DTYPE_BOOL, choice_below(g->c, 2)) : gen_pick(g, gen_fits_broadcast, &t);
		if (g->p->operand_twice && choice_percent(g->c, g->p->operand_twice))
			q = p;
		else if (q < 0 || q == p)
			q = gen_compare(g, gen_pick_float(g));
		p = special && choice_percent(g->c, 50) ? gen_binary(g, op, q, p) : gen_binary(g, op, p, q);
	}
	if (p < 0 || choice_percent(g->c, 30))
		return p;
	a = gen_pick_float(g);
	if (a < 0)
		return -1;
	t = *gen_type(g, a);
	return select_of(g, p, a,
	    choice_percent(g->c, 50) ? gen_pick(g, gen_fits_broadcast, &t)
	                             : gen_scalar(g, t.dtype, gen_real(g, t.dtype)));
}

/* numbers.c: steps that change numbers, and the inputs that are differentiated. */
#include "steps.h"

#include <math.h>

/* ---- generic numbers ---- */

enum { NUMBERS = 12 };

static const double generic[][NUMBERS] = {
    {0.75, 1.25, 0.625, 1.5, 0.875, 1.375, 0.5, 1.75, 0.6875, 1.125, 0.8125, 1.625},
    {0.75, -1.25, 1.5, -0.625, -1.75, 0.875, -0.5, 1.375, 1.125, -0.6875, -1.625, 0.8125},
    {0.25, 0.625, 0.375, 0.75, 0.125, 0.5, 0.875, 0.3125, 0.6875, 0.4375, 0.5625, 0.1875},
};

/* The numbers repeat after NUMBERS; then they are a little larger. */
static double generic_number(int way, int number)
{
	return generic[way][number % NUMBERS] + 0.015625 * (number / NUMBERS);
}

static int64_t generic_integer(int way, int i, int n) { return way == 0 ? i : way == 1 ? n - 1 - i : i + 1; }

void generic_fill(struct tensor *t, int way, int *number)
{
	const int n = shape_elements(&t->type.shape);

	for (int i = 0; i < n; i++)
		if (dtype_is_float(t->type.dtype))
			edit_round(t->type.dtype, generic_number(way, (*number)++), &t->at[i]);
		else if (dtype_is_int(t->type.dtype) && t->type.shape.rank)
			t->at[i].i = generic_integer(way, i, n);
		else if (t->type.dtype == DTYPE_BOOL && t->type.shape.rank)
			t->at[i].i = (i + way) % 2 == 0;
}

/* Literal number k: the points, then the constants, then the seeds.  NULL past the last. */
static struct tensor *literal(struct edit *e, int k)
{
	struct testcase *c = &e->c;
	struct site s;

	for (int p = 0; p < c->n_point; k -= c->program.top.n_param, p++)
		if (k < c->program.top.n_param)
			return &c->point[p][k];
	for (struct walk w = walk_nodes(&c->program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT && k-- == 0)
			return &s.node->attrs.value;
	for (int t = 0; t < c->n_transform; k -= c->transform[t].n_seed, t++)
		if (k < c->transform[t].n_seed)
			return &c->transform[t].seed[k];
	return NULL;
}

int generic_used(const struct edit *e)
{
	struct edit sites = *e;
	const struct tensor *t;
	int n = 0;

	for (int k = 0; (t = literal(&sites, k)); k++)
		n += dtype_is_float(t->type.dtype) ? shape_elements(&t->type.shape) : 0;
	return n;
}

static double number_of(const struct tensor *t, int i)
{
	return dtype_is_float(t->type.dtype) ? t->at[i].f : (double)t->at[i].i;
}

/* Whether element i of the literal differs from every other number of its kind, and a float from 0, 1 and -1. */
static bool is_generic(struct edit *e, const struct tensor *t, int i)
{
	const double x = number_of(t, i);
	const struct tensor *other;

	if (dtype_is_float(t->type.dtype) && (x == 0 || fabs(x) == 1 || !isfinite(x)))
		return false;
	for (int k = 0; (other = literal(e, k)); k++)
		for (int n = 0; n < shape_elements(&other->type.shape); n++)
			if (!(other->at == t->at && n == i) && other->type.dtype == t->type.dtype &&
			    (other->at == t->at || dtype_is_float(t->type.dtype)) && number_of(other, n) == x)
				return false;
	return true;
}

static bool all_generic(struct edit *e, const struct tensor *t)
{
	if (!dtype_is_float(t->type.dtype) && (!t->type.shape.rank || t->type.dtype == DTYPE_BOOL))
		return true;
	for (int i = 0; i < shape_elements(&t->type.shape); i++)
		if (!is_generic(e, t, i))
			return false;
	return true;
}

/* ---- steps ---- */

enum edit_result grow_wrt(struct edit *e, int k)
{
	const struct region *top = &e->c.program.top;
	int wrt[LIMIT_ARGS], n = 0;

	if (k)
		return EDIT_END;
	for (int i = 0; i < top->n_param; i++)
		if (dtype_is_float(edit_type(e, top->param + i)->dtype))
			wrt[n++] = i;
	for (int t = 0; t < e->c.n_transform; t++) {
		struct transform *tr = &e->c.transform[t];

		if (tr->kind == TRANSFORM_BATCH || tr->n_wrt == n)
			continue;
		tr->wrt = arena_copy(e->arena, wrt, (size_t)n, sizeof *wrt);
		tr->n_wrt = n;
		if (tr->kind == TRANSFORM_JVP)
			tr->n_seed = 0;
	}
	return EDIT_TRY;
}

enum edit_result grow_numbers(struct edit *e, int k)
{
	struct tensor *t;
	int number = 0;

	if (k >= 3)
		return EDIT_END;
	for (int i = 0; (t = literal(e, i)); i++)
		if (dtype_is_float(t->type.dtype))
			generic_fill(t, k, &number);
	return EDIT_TRY;
}

/* The input or constant that a value is, at that point; NULL: it is computed. */
static struct tensor *source_of(struct edit *e, int value, int point)
{
	const struct region *top = &e->c.program.top;
	struct site s;

	if (value >= top->param && value < top->param + top->n_param)
		return &e->c.point[point][value - top->param];
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT && s.node->out == value)
			return &s.node->attrs.value;
	return NULL;
}

/* Whether no element of `low` is above one of `high`: above the one at its place, if they have one shape. */
static bool in_order(const struct tensor *low, const struct tensor *high)
{
	const bool alike = shape_equal(&low->type.shape, &high->type.shape);

	for (int i = 0; i < shape_elements(&low->type.shape); i++)
		for (int k = 0; k < shape_elements(&high->type.shape); k++)
			if ((!alike || i == k) && low->at[i].f > high->at[k].f)
				return false;
	return true;
}

static void exchange_crossed(struct tensor *low, struct tensor *high)
{
	for (int i = 0; i < shape_elements(&low->type.shape); i++)
		if (low->at[i].f > high->at[i].f) {
			const union cell x = low->at[i];

			low->at[i] = high->at[i];
			high->at[i] = x;
		}
}

static void move(struct tensor *t, double by)
{
	for (int i = 0; i < shape_elements(&t->type.shape); i++)
		edit_round(t->type.dtype, t->at[i].f + by, &t->at[i]);
}

/* Puts the first element between its bounds, if it has a tensor of its own. */
static void put_between(struct tensor *x, const struct tensor *low, const struct tensor *high)
{
	if (x && x != low && x != high && shape_equal(&x->type.shape, &low->type.shape) &&
	    shape_elements(&x->type.shape))
		edit_round(x->type.dtype, (5 * low->at[0].f + 3 * high->at[0].f) / 8,
		    &x->at[0]); /* their mean is often there */
}

enum edit_result grow_bounds(struct edit *e, int k)
{
	enum { BETWEEN, EXCHANGED, LOW_DOWN, HIGH_UP, WAYS };
	const double apart = 2; /* as far as generic numbers are */
	const int way = k % WAYS;
	bool crossed = false;
	struct site s, at = {0};
	int number = k / WAYS;

	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CLAMP && number-- == 0)
			at = s;
	if (!at.node)
		return EDIT_END;
	for (int p = 0; p < e->c.n_point; p++) {
		struct tensor *low = source_of(e, at.node->arg[1], p), *high = source_of(e, at.node->arg[2], p);

		if (!low || !high || low == high || !dtype_is_float(low->type.dtype) ||
		    (way < LOW_DOWN && !shape_equal(&low->type.shape, &high->type.shape)))
			return EDIT_SKIP;
		if (in_order(low, high))
			continue;
		crossed = true;
		if (way == LOW_DOWN)
			move(low, -apart);
		else if (way == HIGH_UP)
			move(high, apart);
		else
			exchange_crossed(low, high);
		if (way == BETWEEN)
			put_between(source_of(e, at.node->arg[0], p), low, high);
	}
	return crossed ? EDIT_TRY : EDIT_SKIP;
}

enum edit_result grow_literal(struct edit *e, int k)
{
	struct tensor *t = literal(e, k / 3);
	int number = generic_used(e);

	if (!t)
		return EDIT_END;
	if (all_generic(e, t))
		return EDIT_SKIP;
	generic_fill(t, k % 3, &number);
	return EDIT_TRY;
}

enum edit_result grow_element(struct edit *e, int k)
{
	enum { ELEMENTS = 32 };
	struct tensor *t = literal(e, k / 2 / ELEMENTS);
	const int i = k / 2 % ELEMENTS;

	if (!t)
		return EDIT_END;
	if (i >= shape_elements(&t->type.shape) || !dtype_is_float(t->type.dtype) || is_generic(e, t, i))
		return EDIT_SKIP;
	edit_round(t->type.dtype, generic_number(k % 2, generic_used(e) + i), &t->at[i]);
	return EDIT_TRY;
}

/*
 * bare.c: bare programs: an op or a few, each on its own inputs and straight to a result, at points from its whole
 * domain.  Nothing else rounds, and nothing else contributes to the same number.  So errors of an op show in the last
 * bits, at far points, and at the end of its domain.  In a larger program, the rounding around the op hides them.
 */
#include "generator.h"

/* Ops of bare programs.  A larger weight: ops whose second derivative has several cases, and ops on several lines of
 * elements. */
static const struct bare_row {
	enum op op;
	int weight;
} bare_rows[] = {
    {OP_NEG, 1},
    {OP_ABS, 2},
    {OP_SIGN, 1},
    {OP_SQUARE, 4},
    {OP_SQRT, 3},
    {OP_RSQRT, 3},
    {OP_EXP, 3},
    {OP_EXPM1, 3},
    {OP_LOG, 3},
    {OP_LOG1P, 3},
    {OP_SIN, 3},
    {OP_COS, 3},
    {OP_TAN, 3},
    {OP_ASIN, 3},
    {OP_ACOS, 3},
    {OP_ATAN, 4},
    {OP_SINH, 3},
    {OP_COSH, 3},
    {OP_TANH, 4},
    {OP_ASINH, 4},
    {OP_ACOSH, 3},
    {OP_ATANH, 3},
    {OP_LOGISTIC, 3},
    {OP_ERF, 3},
    {OP_FLOOR, 1},
    {OP_CEIL, 1},
    {OP_TRUNC, 1},
    {OP_ROUND, 1},
    {OP_ADD, 2},
    {OP_SUB, 2},
    {OP_MUL, 3},
    {OP_DIV, 5},
    {OP_POW, 10},
    {OP_ATAN2, 6},
    {OP_MAX, 2},
    {OP_MIN, 2},
    {OP_CLAMP, 3},
    {OP_REDUCE_SUM, 1},
    {OP_REDUCE_PROD, 5},
    {OP_REDUCE_MAX, 2},
    {OP_REDUCE_MIN, 2},
    {OP_REDUCE_MEAN, 2},
    {OP_LOGSUMEXP, 4},
    {OP_NORM, 4},
    {OP_CUMSUM, 2},
    {OP_CUMPROD, 8},
    {OP_SORT, 1},
    {OP_MATMUL, 4},
    {OP_GATHER, 5},
    {OP_TAKE_ALONG_AXIS, 3},
    {OP_SCATTER_SET, 2},
    {OP_SCATTER_ADD, 2},
    {OP_SCATTER_MUL, 3},
    {OP_SCATTER_MIN, 1},
    {OP_SCATTER_MAX, 1},
    {OP_MOD, 5},
    {OP_FLOOR_DIVIDE, 1},
};

/* Kinds of ops whose operands have no restricted domain.  They pick from the inputs themselves. */
static const struct bare_emitter {
	gen_emit_fn *emit;
	int weight;
} bare_emitters[] = {
    {gen_emit_slice, 2},
    {gen_emit_join, 1},
    {gen_emit_select, 2},
    {gen_emit_masked, 2},
    {gen_emit_integer, 12},
    {gen_emit_logical, 6},
    {gen_emit_order, 2},
    {gen_emit_cast, 2},
};

/* Kinds of ops that move elements, for programs that only do that. */
static const struct bare_emitter moving_emitters[] = {
    {gen_emit_shape, 2},
    {gen_emit_slice, 4},
    {gen_emit_join, 2},
    {gen_emit_gather, 2},
    {gen_emit_scatter, 2},
    {gen_emit_copy, 1},
};

/* Ops that may follow an op: a second derivative should also meet a function of a function. */
/* clang-format off */
static const struct bare_emitter follow_emitters[] = {
	{gen_emit_unary, 3}, {gen_emit_binary, 2}, {gen_emit_reduce, 2}, {gen_emit_cumulative, 4},
};
/* clang-format on */

enum {
	BARE_ROWS = sizeof(bare_rows) / sizeof(bare_rows[0]),
	BARE_EMITTERS = sizeof(bare_emitters) / sizeof(bare_emitters[0]),
	FOLLOW_EMITTERS = sizeof(follow_emitters) / sizeof(follow_emitters[0]),
	MOVING_EMITTERS = sizeof(moving_emitters) / sizeof(moving_emitters[0]),
	MOST_EMITTERS = 8,
	BARE_OPS = 3 /* at most; each has at most three inputs */
};
_Static_assert(FOLLOW_EMITTERS <= MOST_EMITTERS && MOVING_EMITTERS <= MOST_EMITTERS, "pick_emitter has no room");

/* ---- programs ---- */

/* An op of a bare program and its inputs.  All inputs of a program come before its first op. */
struct bare_op {
	enum op op;
	gen_emit_fn *emit; /* picks operands from the inputs; NULL: op with attrs, applied to all inputs */
	int arg[3], n_arg;
	struct attrs attrs;
};

/*
 * Makes an input of that type for the next operand; integers are in [0, most].  Sometimes it takes an existing input.
 */
static void add_operand(struct gen *g, struct bare_op *b, const struct type *t, int most)
{
	struct gen_stand stand = {.op = b->op, .operand = b->n_arg};
	int v = g->n_input && choice_percent(g->c, g->p->operand_twice) ? gen_pick(g, gen_fits_type, t) : -1;

	if (v < 0) {
		g->stand[g->n_input] = stand;
		v = gen_input(g, t, dtype_is_float(t->dtype) ? gen_bare_range(&stand) : range_make(0, most));
	}
	b->arg[b->n_arg++] = v;
}

static struct type any_type(struct gen *g, bool axes)
{
	struct type t = {.dtype = g->dtype, .shape = choice_percent(g->c, 75) ? g->base : gen_shape(g)};

	if (axes && (!t.shape.rank || !shape_elements(&t.shape)))
		t.shape = (struct shape){.rank = 1, .extent = {choice_between(g->c, 2, 4)}};
	return t;
}

static void plan_elementwise(struct gen *g, struct bare_op *b)
{
	int n = op_table[b->op].n_arg;

	for (int k = 0; k < n; k++) {
		struct type t = {.dtype = g->dtype, .shape = g->base};

		if (n > 1 && choice_percent(g->c, 30))
			t.shape = shape_scalar();
		add_operand(g, b, &t, 0);
	}
}

static void plan_lines(struct gen *g, struct bare_op *b)
{
	struct type t = any_type(g, true);
	int whole = choice_below(g->c, t.shape.rank + 1);

	add_operand(g, b, &t, 0);
	if (op_table[b->op].family != FAMILY_REDUCE) {
		b->attrs.axis = choice_below(g->c, t.shape.rank);
		return;
	}
	for (int d = 0; d < t.shape.rank; d++)
		if (d != whole || t.shape.rank == 1)
			b->attrs.axes[b->attrs.n_axes++] = d;
	b->attrs.keepdims = choice_percent(g->c, 25);
}

static void plan_matmul(struct gen *g, struct bare_op *b)
{
	struct type left = any_type(g, true), right = left;

	right.shape = (struct shape){.rank = 1, .extent = {left.shape.extent[left.shape.rank - 1]}};
	if (choice_percent(g->c, 50))
		right.shape = (struct shape){.rank = 2, .extent = {right.shape.extent[0], choice_between(g->c, 1, 3)}};
	add_operand(g, b, &left, 0);
	add_operand(g, b, &right, 0);
}

/* Indices are an input too, sometimes one past the end. */
static void plan_indexed(struct gen *g, struct bare_op *b)
{
	struct type t = any_type(g, true), index = {.dtype = choice_percent(g->c, 25) ? DTYPE_I32 : DTYPE_I64};
	int axis = choice_below(g->c, t.shape.rank), extent = t.shape.extent[axis], n = choice_between(g->c, 1, 3);

	b->attrs.axis = axis;
	b->attrs.mode = (enum index_mode)choice_below(g->c, MODE_COUNT);
	add_operand(g, b, &t, 0);
	if (b->op == OP_TAKE_ALONG_AXIS) {
		index.shape = t.shape;
		index.shape.extent[axis] = n;
	} else if (b->op != OP_GATHER || choice_percent(g->c, 50)) {
		index.shape = (struct shape){.rank = 1, .extent = {n}};
	}
	add_operand(g, b, &index, extent);
	if (op_table[b->op].family != FAMILY_SCATTER)
		return;
	t.shape.extent[axis] = n;
	add_operand(g, b, &t, 0);
}

/* A float, and none, one or two inputs that may be its index, mask or operand. */
static void plan_emitter(struct gen *g, struct bare_op *b)
{
	struct type t = any_type(g, choice_percent(g->c, 80)), other = {.dtype = DTYPE_I64, .shape = shape_scalar()};
	int n = choice_below(g->c, 3);

	if (choice_percent(g->c, b->emit == gen_emit_integer ? 0 : b->emit == gen_emit_logical ? 80 : 35))
		other.dtype = DTYPE_BOOL;
	else if (choice_percent(g->c, 25))
		other.dtype = DTYPE_I32;
	b->arg[b->n_arg++] = gen_input(g, &t, range_make(-4, 4));
	for (int i = 0; i < n; i++) {
		if (choice_percent(g->c, 35))
			other.shape = t.shape;
		else if (choice_percent(g->c, 50))
			other.shape = (struct shape){.rank = 1, .extent = {choice_between(g->c, 1, 3)}};
		b->arg[b->n_arg++] = gen_input(
		    g, &other, other.dtype == DTYPE_BOOL ? range_make(0, 1) : range_make(0, 3));
	}
}

static struct bare_op plan(struct gen *g)
{
	struct bare_op b = {.emit = NULL};
	int weight[BARE_ROWS + BARE_EMITTERS], which;

	for (int i = 0; i < BARE_ROWS; i++)
		weight[i] = gen_weight(g, bare_rows[i].op, bare_rows[i].weight);
	for (int i = 0; i < BARE_EMITTERS; i++)
		weight[BARE_ROWS + i] = bare_emitters[i].weight;
	which = choice_weighted(g->c, weight, BARE_ROWS + BARE_EMITTERS);
	if (which >= BARE_ROWS) {
		b.emit = bare_emitters[which - BARE_ROWS].emit;
		plan_emitter(g, &b);
		return b;
	}
	b.op = bare_rows[which].op;
	switch (op_table[b.op].family) {
	case FAMILY_REDUCE:
	case FAMILY_CUMULATIVE:
	case FAMILY_SORT:
		plan_lines(g, &b);
		break;
	case FAMILY_MATMUL:
		plan_matmul(g, &b);
		break;
	case FAMILY_GATHER:
	case FAMILY_TAKE_ALONG_AXIS:
	case FAMILY_SCATTER:
		plan_indexed(g, &b);
		break;
	default:
		plan_elementwise(g, &b);
	}
	return b;
}

/* Calls an emitter that can pick only from these values. */
static int emit_on(struct gen *g, gen_emit_fn *emit, const int *value, int n)
{
	g->n_pool = 0;
	for (int i = n - 1; i >= 0; i--)
		gen_push(g, value[i]);
	return emit(g);
}

static int stand(struct gen *g, const struct bare_op *b)
{
	int v;

	if (!b->emit)
		return gen_node(g, b->op, b->arg, b->n_arg, &b->attrs);
	v = emit_on(g, b->emit, b->arg, b->n_arg);
	/* The value of an integer shows in the derivative of a float that it multiplies. */
	if (v >= 0 && b->emit == gen_emit_integer && gen_type(g, v)->dtype == g->dtype)
		v = gen_binary(g, OP_MUL, v, b->arg[0]);
	return v;
}

static gen_emit_fn *pick_emitter(struct gen *g, const struct bare_emitter *from, int n)
{
	int weight[MOST_EMITTERS];

	for (int i = 0; i < n; i++)
		weight[i] = from[i].weight;
	return from[choice_weighted(g->c, weight, n)].emit;
}

static int follow(struct gen *g, int value)
{
	int v;

	/* Points come from the whole domain, so a guessed range must not keep an op from following. */
	g->info[value].range = range_make(-2, 2);
	v = emit_on(g, pick_emitter(g, follow_emitters, FOLLOW_EMITTERS), &value, 1);
	return v >= 0 ? v : value;
}

int gen_bare(struct gen *g, int result[LIMIT_ARGS])
{
	struct bare_op op[BARE_OPS];
	int ops = choice_between(g->c, 1, BARE_OPS), n = 0;

	g->base = gen_shape(g);
	for (int i = 0; i < ops; i++)
		op[i] = plan(g);
	for (int i = 0; i < ops; i++) {
		int v = stand(g, &op[i]);

		if (v >= 0 && gen_is_float(g, v) && choice_percent(g->c, g->p->bare_followed) &&
		    !(g->dtype == DTYPE_BF16 && gen_steady(g)))
			v = follow(g, v);
		if (v >= 0)
			result[n++] = v;
	}
	if (!n)
		result[n++] = op[0].arg[0];
	return n;
}

/* ---- programs that move elements ---- */

static gen_emit_fn *moving_emitter(struct gen *g) { return pick_emitter(g, moving_emitters, MOVING_EMITTERS); }

int gen_moved(struct gen *g, int result[LIMIT_ARGS])
{
	struct bare_op op[BARE_OPS];
	int ops = choice_between(g->c, 1, BARE_OPS), n = 0;

	g->base = gen_shape(g);
	for (int i = 0; i < ops; i++) {
		op[i] = (struct bare_op){.emit = moving_emitter(g)};
		plan_emitter(g, &op[i]);
	}
	for (int i = 0; i < ops; i++) {
		int v = stand(g, &op[i]),
		    more = v >= 0 && choice_percent(g->c, 25)
		    ? emit_on(g, moving_emitter(g), (const int[]){v, op[i].arg[0]}, 2)
		    : -1;

		v = more >= 0 ? more : v;
		if (v >= 0 && gen_is_float(g, v) && gen_type(g, v)->shape.rank && choice_percent(g->c, 70))
			v = gen_sum(g, v);
		if (v >= 0)
			result[n++] = v;
	}
	if (!n)
		result[n++] = op[0].arg[0];
	return n;
}

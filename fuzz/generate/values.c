/* values.c: the pool of values in scope, how values are made to fit, and constants. */
#include "generator.h"

#include <string.h>

/* Of a generated program. */
enum { MEDIAN_NODES = 16 };

void gen_begin(struct gen *g, struct choice *c, const struct profile *p, struct arena *a)
{
	memset(g, 0, sizeof(*g));
	g->c = c;
	g->p = p;
	g->a = a;
	g->multiplier = 1;
	build_begin(&g->b, a);
	build_reserve(&g->b, MEDIAN_NODES);
}

void gen_push(struct gen *g, int value)
{
	GROW(g->a, g->pool, &g->pool_room, g->n_pool + 1);
	g->pool[g->n_pool++] = value;
}

/* Records info about a value without putting it into the pool. */
static void know(struct gen *g, int value, struct range r, uint32_t deps, bool noisy)
{
	GROW(g->a, g->info, &g->info_room, value + 1);
	g->info[value] = (struct gen_info){
	    .range = r, .deps = deps, .noisy = noisy, .depth = g->depth, .successor = -1};
}

int gen_latest(const struct gen *g, int value)
{
	while (value >= 0 && g->info[value].successor >= 0)
		value = g->info[value].successor;
	return value;
}

/* Removes a buffer from the pool after a store into it.  It belongs to the innermost region, so no mark of an outer one
 * moves. */
static void consume(struct gen *g, int buffer, int result)
{
	int n = 0;

	if (g->info[buffer].depth != g->depth || g->info[buffer].successor >= 0)
		return;
	g->info[buffer].successor = result;
	for (int i = 0; i < g->n_pool; i++)
		if (g->pool[i] != buffer)
			g->pool[n++] = g->pool[i];
	g->n_pool = n;
}

struct program gen_end(struct gen *g, const int *result, int n)
{
	struct program p = build_end(&g->b, result, n);

	program_settle_stores(&p, g->a);
	return p;
}

void gen_track(struct gen *g, int value, struct range r, uint32_t deps, bool noisy)
{
	know(g, value, r, deps, noisy);
	gen_push(g, value);
}

void gen_hide(struct gen *g, int value)
{
	if (value >= 0 && g->n_pool && g->pool[g->n_pool - 1] == value)
		g->n_pool--;
}

int gen_input(struct gen *g, const struct type *t, struct range r)
{
	int v = build_input(&g->b, t);

	gen_track(g, v, range_make(r.lo, r.hi), UINT32_C(1) << g->n_input, false);
	if (dtype_is_float(t->dtype)) {
		const uint16_t bit = (uint16_t)(1 << g->n_input);

		gen_flow_set(g, v, (struct gen_trait){.covered = bit, .whole = bit});
	}
	g->input_range[g->n_input++] = r;
	return v;
}

bool gen_fits(const struct gen *g, int elements)
{
	return elements >= 0 && elements <= (g->large ? GEN_LARGE : GEN_ELEMENTS) &&
	    elements <= (g->p->elements > 0 ? g->p->elements : 1) && g->nodes < GEN_NODES &&
	    g->work + (int64_t)3 * g->multiplier * elements < GEN_WORK;
}

int gen_budget(const struct gen *g) { return g->p->work < GEN_BUDGET ? g->p->work : GEN_BUDGET; }

bool gen_open(const struct gen *g) { return g->ops < g->ops_end && g->work < gen_budget(g) && g->nodes < GEN_NODES; }

double gen_limit(enum dtype d) { return d == DTYPE_F16 ? 64 : d == DTYPE_BF16 ? 128 : 4096; }

double range_magnitude(struct range r) { return -r.lo > r.hi ? -r.lo : r.hi; }

/* Ops whose results depend on whole lines of an operand. */
static bool has_lines(enum op op)
{
	enum family f = op_table[op].family;

	return f == FAMILY_MATMUL || f == FAMILY_CUMULATIVE || f == FAMILY_SORT;
}

/* Number of elements that enter one result of a reduction-like op. */
static double fan_of(const struct gen *g, enum op op, const int *arg, int n_arg, int out)
{
	const struct shape *s = n_arg ? &gen_type(g, arg[0])->shape : NULL;
	int in = n_arg ? gen_elements(g, arg[0]) : 0, elements = gen_elements(g, out);

	if (has_lines(op))
		return s->rank ? s->extent[s->rank - 1] : 1;
	if (op_table[op].family == FAMILY_SCATTER)
		return gen_elements(g, arg[1]);
	return elements > 0 && in > elements ? (double)in / elements : 1;
}

static bool rounds(enum op op)
{
	switch (op_table[op].regularity) {
	case REGULARITY_SMOOTH:
		return true;
	case REGULARITY_LINEAR:
		return op != OP_NEG && op != OP_CAST;
	case REGULARITY_KINK:
	case REGULARITY_STEP:
	case REGULARITY_DISCRETE:
	case REGULARITY_MOVE:
	case REGULARITY_REGION:
		return false;
	}
	return false;
}

/* Ops that may block derivatives.  Their operands still count as unused, so that they find another way to a result. */
static bool may_block(enum op op)
{
	enum regularity r = op_table[op].regularity;

	return r == REGULARITY_STEP || r == REGULARITY_DISCRETE || (r == REGULARITY_KINK && op != OP_ABS);
}

int gen_node(struct gen *g, enum op op, const int *arg, int n_arg, const struct attrs *attrs)
{
	struct range r[LIMIT_ARGS];
	uint32_t deps = 0;
	int64_t cost = 0;
	bool noisy = false;
	int v;

	if (g->p->without[op] || g->nodes >= GEN_NODES + GEN_CLOSING || g->work >= 2 * GEN_WORK || n_arg > LIMIT_ARGS)
		return -1;
	for (int i = 0; i < n_arg; i++)
		if (arg[i] < 0)
			return -1;
	v = build_node(&g->b, op, arg, n_arg, attrs, NULL);
	if (v < 0)
		return -1;
	for (int i = 0; i < n_arg; i++) {
		r[i] = g->info[arg[i]].range;
		deps |= g->info[arg[i]].deps;
		noisy |= g->info[arg[i]].noisy;
		g->info[arg[i]].uses += !may_block(op);
		cost += gen_elements(g, arg[i]);
	}
	g->nodes++;
	g->ops += op != OP_CONSTANT;
	if (has_lines(op))
		cost += (int64_t)(gen_elements(g, v) * fan_of(g, op, arg, n_arg, v));
	g->work += g->multiplier * (1 + cost + gen_elements(g, v));
	know(g, v, range_of(op, r, n_arg, fan_of(g, op, arg, n_arg, v)), deps,
	    noisy || (gen_is_float(g, v) && rounds(op)));
	gen_flow_of_last(g);
	if (op == OP_STORE)
		consume(g, arg[0], v);
	/* A value that depends on no input, or is empty, shows little, so it is rarely offered again. */
	if ((deps && gen_elements(g, v)) || choice_percent(g->c, 25) || op == OP_STORE)
		gen_push(g, v);
	return v;
}

int gen_unary(struct gen *g, enum op op, int a) { return gen_node(g, op, &a, 1, NULL); }

int gen_with_scalar(struct gen *g, enum op op, int a, double x)
{
	return a < 0 ? -1 : gen_binary(g, op, a, gen_scalar(g, gen_type(g, a)->dtype, x));
}

int gen_clamp(struct gen *g, int a, double lo, double hi)
{
	enum dtype d;
	int low, high;

	if (a < 0)
		return -1;
	d = gen_type(g, a)->dtype;
	low = gen_scalar(g, d, lo);
	high = gen_scalar(g, d, hi);
	return gen_node(g, OP_CLAMP, (const int[]){a, low, high}, 3, NULL);
}

int gen_broadcast_elements(const struct gen *g, int a, int b)
{
	struct shape out;

	return shape_broadcast(&gen_type(g, a)->shape, &gen_type(g, b)->shape, &out) ? shape_elements(&out) : -1;
}

int gen_binary(struct gen *g, enum op op, int a, int b)
{
	if (a < 0 || b < 0 || !gen_fits(g, gen_broadcast_elements(g, a, b)))
		return -1;
	return gen_node(g, op, (const int[]){a, b}, 2, NULL);
}

/* ---- constants ---- */

double gen_real(struct gen *g, enum dtype d)
{
	static const double usual[] = {0.5, 2, 1.5, -1, 0.25, 3, -0.5, 1, -2, 0.75};
	int kind = choice_below(g->c, d == DTYPE_F64 || d == DTYPE_F32 ? 3 : 2);
	double x;

	if (kind == 0)
		return usual[choice_below(g->c, (int)(sizeof(usual) / sizeof(*usual)))];
	if (kind == 1) {
		x = choice_between(g->c, 1, 24) / 8.0;
	} else {
		x = dtype_round(d, 0.25 + 1.75 * ((double)(choice_bits(g->c) >> 11) * 0x1p-53));
	}
	return choice_percent(g->c, 35) ? -x : x;
}

/* A constant counts towards the budget, but enters the pool only if it is worth sharing. */
int gen_constant(struct gen *g, const struct tensor *t, struct range r)
{
	int v;

	if (g->nodes >= GEN_NODES + GEN_CLOSING)
		return -1;
	v = build_constant(&g->b, t);
	if (v < 0)
		return -1;
	g->nodes++;
	g->work += g->multiplier * (1 + shape_elements(&t->type.shape));
	know(g, v, r, 0, false);
	if (t->type.shape.rank && choice_percent(g->c, 30))
		gen_push(g, v);
	return v;
}

int gen_scalar(struct gen *g, enum dtype d, double x)
{
	union cell cell = {0};
	struct tensor t = {.type = {.dtype = d, .shape = shape_scalar()}, .at = &cell};

	if (dtype_is_float(d))
		cell.f = dtype_round(d, x);
	else
		cell.i = dtype_wrap(d, (int64_t)x);
	return gen_constant(g, &t, range_make(x, x));
}

bool gen_special(struct gen *g) { return g->p->constant_special && choice_percent(g->c, g->p->constant_special); }

double gen_neutral(struct gen *g)
{
	static const double neutral[] = {0, 1, -1, -0.0};

	return neutral[choice_below(g->c, 4)];
}

int gen_literal(struct gen *g, const struct type *t)
{
	struct tensor x;
	int n = shape_elements(&t->shape), same = choice_percent(g->c, 25);
	double lo = 0, hi = 0;

	x = tensor_new(g->a, t);
	for (int i = 0; i < n; i++) {
		double y;

		if (dtype_is_float(t->dtype))
			y = x.at[i].f = same && i ? x.at[0].f : gen_real(g, t->dtype);
		else if (dtype_is_int(t->dtype))
			y = (double)(x.at[i].i = choice_between(g->c, 0, 4));
		else
			y = (double)(x.at[i].i = choice_percent(g->c, 50));
		lo = !i || y < lo ? y : lo;
		hi = !i || y > hi ? y : hi;
	}
	return gen_constant(g, &x, range_make(lo, hi));
}

int gen_integers(struct gen *g, enum dtype d, const struct shape *s, int low, int high)
{
	struct tensor x;
	struct type t = {.dtype = d, .shape = *s};
	int n = shape_elements(s);

	x = tensor_new(g->a, &t);
	for (int i = 0; i < n; i++)
		x.at[i].i = choice_between(g->c, low, high);
	return gen_constant(g, &x, range_make(low, high));
}

/* ---- conversions ---- */

/* One element of `value`: a reduction, or the first element. */
static int to_scalar(struct gen *g, int value)
{
	struct type t = *gen_type(g, value);
	struct attrs all = {.n_axes = t.shape.rank}, first = {0};

	for (int d = 0; d < t.shape.rank; d++) {
		all.axes[d] = d;
		first.size[d] = first.stride[d] = 1;
	}
	if (dtype_is_float(t.dtype) && choice_percent(g->c, 75)) {
		static const enum op reductions[] = {OP_REDUCE_SUM, OP_REDUCE_MEAN, OP_REDUCE_MAX, OP_REDUCE_SUM};
		enum op op = reductions[choice_below(g->c, 4)];

		if (op == OP_REDUCE_MAX && gen_is_close(g, value) && gen_steady(g))
			op = OP_REDUCE_SUM;
		return gen_node(g, op, &value, 1, &all);
	}
	value = gen_node(g, OP_SLICE, &value, 1, &first);
	return gen_node(g, OP_SQUEEZE, &value, 1, &all);
}

int gen_as(struct gen *g, int value, const struct type *t)
{
	const struct attrs to_dtype = {.dtype = t->dtype}, to_shape = {.shape = t->shape};
	struct shape out;

	if (value < 0)
		return -1;
	if (gen_type(g, value)->dtype != t->dtype)
		value = gen_node(g, OP_CAST, &value, 1, &to_dtype);
	if (value < 0 || shape_equal(&gen_type(g, value)->shape, &t->shape))
		return value;
	if (shape_broadcast(&gen_type(g, value)->shape, &t->shape, &out) && shape_equal(&out, &t->shape))
		return gen_node(g, OP_BROADCAST_TO, &value, 1, &to_shape);
	if (gen_elements(g, value) == shape_elements(&t->shape))
		return gen_node(g, OP_RESHAPE, &value, 1, &to_shape);
	if (!gen_elements(g, value))
		return gen_literal(g, t);
	value = to_scalar(g, value);
	return value < 0 || !t->shape.rank ? value : gen_node(g, OP_BROADCAST_TO, &value, 1, &to_shape);
}

int gen_value_of(struct gen *g, const struct type *t)
{
	int v = gen_pick(g, gen_fits_type, t);

	if (v < 0 || g->info[v].uses > 2) {
		int w = dtype_is_float(t->dtype) && choice_percent(g->c, 60)
		    ? gen_as(g, gen_pick(g, gen_fits_float, NULL), t)
		    : -1;

		v = w >= 0 ? w : v;
	}
	return v >= 0 ? v : gen_literal(g, t);
}

/* ---- shapes and dtypes ---- */

struct shape gen_shape(struct gen *g)
{
	const int ranks[] = {g->p->rank0, g->p->rank1, g->p->rank2, g->p->rank3, g->p->rank4};
	static const int extents[] = {2, 3, 1, 4, 2, 3, 5, 3};
	struct shape s = {.rank = choice_weighted(g->c, ranks, LIMIT_RANK + 1)};
	int n = 1;

	for (int d = 0; d < s.rank; d++) {
		int extent = extents[choice_below(g->c, 8)];

		if (extent > g->p->extent_max)
			extent = g->p->extent_max > 1 ? g->p->extent_max : 1;
		if (choice_percent(g->c, g->p->extent_empty))
			extent = 0;
		if (n * extent * 2 > g->p->elements)
			extent = 1;
		s.extent[d] = extent;
		n *= extent;
	}
	return s;
}

enum dtype gen_float_dtype(struct gen *g)
{
	/* In the order of dtypes.def, whose first four are the floats. */
	const int weights[] = {g->p->f64, g->p->f32, g->p->bf16, g->p->f16};

	return (enum dtype)choice_weighted(g->c, weights, 4);
}

bool gen_may_have(const struct gen *g, enum dtype d)
{
	const int weights[] = {g->p->f64, g->p->f32, g->p->bf16, g->p->f16};

	return !dtype_is_float(d) || weights[d];
}

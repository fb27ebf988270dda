/* ops.c: elementwise float ops: which op suits an operand, and guards that make an operand suit. */
#include "generator.h"

#include <math.h> /* frexp, ldexp */

/* low: weight in bf16 and f16, where few roundings are affordable.  most: largest magnitude at which the op is
 * well-behaved. */
static const struct unary_row {
	enum op op;
	int weight, low;
	double most;
} unary_rows[] = {
    {OP_NEG, 3, 8, 1e6},
    {OP_ABS, 4, 8, 1e6},
    {OP_SIGN, 1, 2, 1e6},
    {OP_SQUARE, 6, 6, 24},
    {OP_SQRT, 5, 3, 1e4},
    {OP_RSQRT, 3, 1, 1e4},
    {OP_EXP, 5, 2, 4},
    {OP_EXPM1, 2, 1, 4},
    {OP_LOG, 5, 2, 1e4},
    {OP_LOG1P, 3, 1, 1e4},
    {OP_SIN, 6, 2, 32},
    {OP_COS, 5, 2, 32},
    {OP_TAN, 1, 1, 1.25},
    {OP_ASIN, 2, 1, 1},
    {OP_ACOS, 2, 1, 1},
    {OP_ATAN, 3, 1, 16},
    {OP_SINH, 2, 1, 4},
    {OP_COSH, 2, 1, 4},
    {OP_TANH, 6, 2, 6},
    {OP_ASINH, 2, 1, 1e4},
    {OP_ACOSH, 2, 1, 1e4},
    {OP_ATANH, 2, 1, 1},
    {OP_LOGISTIC, 4, 2, 8},
    {OP_ERF, 2, 1, 3},
    {OP_FLOOR, 1, 1, 64},
    {OP_CEIL, 1, 1, 64},
    {OP_TRUNC, 1, 1, 64},
    {OP_ROUND, 1, 1, 64},
    {OP_STOP_GRADIENT, 2, 2, 1e6},
};

enum { UNARY_ROWS = sizeof(unary_rows) / sizeof(unary_rows[0]) };

static const struct binary_row {
	enum op op;
	int weight, low;
} binary_rows[] = {
    {OP_MUL, 12, 10},
    {OP_ADD, 8, 9},
    {OP_SUB, 6, 6},
    {OP_DIV, 5, 2},
    {OP_POW, 2, 1},
    {OP_ATAN2, 4, 2},
    {OP_MAX, 2, 3},
    {OP_MIN, 2, 3},
};

enum { BINARY_ROWS = sizeof(binary_rows) / sizeof(binary_rows[0]) };

static bool is_low(enum dtype d) { return d == DTYPE_BF16 || d == DTYPE_F16; }

static bool in_domain(struct range r, enum domain domain)
{
	switch (domain) {
	case DOMAIN_ALL:
	case DOMAIN_NOT_ALL_ZERO:
		return true;
	case DOMAIN_POSITIVE:
		return r.lo >= 0x1p-9;
	case DOMAIN_ABOVE_MINUS_ONE:
		return r.lo >= -0.9;
	case DOMAIN_INSIDE_ONE:
		return range_magnitude(r) <= 0.95;
	case DOMAIN_ABOVE_ONE:
		return r.lo >= 1.1;
	case DOMAIN_SECOND_NONZERO:
	case DOMAIN_NOT_BOTH_ZERO:
		return r.lo >= 0x1p-6 || r.hi <= -0x1p-6;
	case DOMAIN_POW:
		return r.lo >= 0x1p-6;
	}
	return false;
}

int gen_tame(struct gen *g, int value)
{
	double magnitude;
	enum dtype d;
	int exponent;

	if (value < 0)
		return -1;
	magnitude = range_magnitude(g->info[value].range);
	d = gen_type(g, value)->dtype;
	if (magnitude <= gen_limit(d) / 4 || !choice_percent(g->c, g->p->tame))
		return value;
	if (magnitude > 0x1p14)
		return gen_unary(g, OP_ASINH, value);
	frexp(magnitude / 4, &exponent);
	return gen_with_scalar(g, OP_MUL, value, ldexp(1, -exponent));
}

/* A value that is positive and bounded away from 0. */
static int guard_positive(struct gen *g, int v)
{
	double margin = choice_between(g->c, 1, 8) / 8.0;
	double magnitude = range_magnitude(g->info[v].range);

	switch (choice_below(g->c, 9)) {
	case 0:
		return gen_with_scalar(g, OP_MAX, v, margin);
	case 1:
		return gen_clamp(g, v, margin, 4);
	case 2:
	case 3:
		if (magnitude < 24)
			return gen_with_scalar(g, OP_ADD, gen_unary(g, OP_SQUARE, v), margin);
		break;
	case 4:
		return gen_unary(g, magnitude <= 4 ? OP_EXP : OP_LOGISTIC, v);
	case 5:
		if (magnitude <= 6)
			return gen_unary(g, OP_LOGISTIC, v);
		break;
	}
	return gen_with_scalar(g, OP_ADD, gen_unary(g, OP_ABS, v), margin);
}

static int guard_inside_one(struct gen *g, int v)
{
	enum op op = choice_percent(g->c, 40) ? OP_SIN : OP_TANH;

	if (choice_percent(g->c, 25))
		return gen_clamp(g, v, -0.875, 0.875);
	return gen_with_scalar(g, OP_MUL, gen_unary(g, op, v), 0.75);
}

int gen_guard(struct gen *g, int value, enum domain domain)
{
	if (value < 0 || !gen_fits(g, gen_elements(g, value)))
		return -1;
	switch (domain) {
	case DOMAIN_ALL:
	case DOMAIN_NOT_ALL_ZERO:
		return value;
	case DOMAIN_INSIDE_ONE:
		return guard_inside_one(g, value);
	case DOMAIN_ABOVE_MINUS_ONE:
		return choice_percent(g->c, 50) ? guard_inside_one(g, value) : gen_unary(g, OP_ABS, value);
	case DOMAIN_ABOVE_ONE:
		return gen_with_scalar(g, OP_ADD, guard_positive(g, value), 1.25);
	case DOMAIN_POSITIVE:
	case DOMAIN_SECOND_NONZERO:
	case DOMAIN_NOT_BOTH_ZERO:
	case DOMAIN_POW:
		return guard_positive(g, value);
	}
	return value;
}

int gen_unary_on(struct gen *g, int value)
{
	int weight[UNARY_ROWS];
	bool low, exact;

	if (value < 0 || !gen_fits(g, gen_elements(g, value)))
		return -1;
	low = is_low(gen_type(g, value)->dtype);
	/* In bf16, one function rounds away most of what can be decided. */
	exact = gen_type(g, value)->dtype == DTYPE_BF16 && gen_steady(g);
	for (int i = 0; i < UNARY_ROWS; i++) {
		weight[i] = low ? unary_rows[i].low : unary_rows[i].weight;
		if (exact && op_table[unary_rows[i].op].regularity == REGULARITY_SMOOTH &&
		    unary_rows[i].op != OP_SQUARE && unary_rows[i].op != OP_SQRT)
			weight[i] = 0;
	}
	for (int attempt = 0; attempt < 4; attempt++) {
		const struct unary_row *row = &unary_rows[choice_weighted(g->c, weight, UNARY_ROWS)];
		enum domain domain = op_table[row->op].domain;
		struct range r = g->info[value].range;

		if (range_magnitude(r) > row->most && domain == DOMAIN_ALL) {
			int exponent;

			if (!g->p->scale_in || !choice_percent(g->c, g->p->scale_in) || !(range_magnitude(r) < 0x1p14))
				continue;
			frexp(range_magnitude(r) / row->most, &exponent);
			return gen_unary(g, row->op, gen_with_scalar(g, OP_MUL, value, ldexp(1, -exponent)));
		}
		if (in_domain(r, domain) || choice_percent(g->c, g->p->unguarded))
			return gen_unary(g, row->op, value);
		if (choice_percent(g->c, g->p->guard))
			return gen_unary(g, row->op, gen_guard(g, value, domain));
	}
	return exact ? gen_unary(g, OP_ABS, value)
	             : gen_unary(g, range_magnitude(g->info[value].range) <= 8 ? OP_TANH : OP_ASINH, value);
}

int gen_emit_unary(struct gen *g) { return gen_unary_on(g, gen_tame(g, gen_pick_float(g))); }

/* The exponent of a pow: mostly a constant. */
static int pick_exponent(struct gen *g, const struct type *t)
{
	static const double usual[] = {2, 3, 0.5, -1, 1.5, -2, 2.5, -0.5};
	int b = choice_percent(g->c, 25) ? gen_pick(g, gen_fits_broadcast, t) : -1;

	if (b >= 0 && range_magnitude(g->info[b].range) <= 3)
		return b;
	return gen_scalar(g, t->dtype, usual[choice_below(g->c, 8)]);
}

/* An input that can be exactly 0 at an edge point. */
static bool fits_base(const struct gen *g, int value, const void *unused)
{
	(void)unused;
	return value < g->n_input && gen_is_float(g, value);
}

/* Exponents at which the rules of pow take other branches, and bases that may be 0. */
static int special_pow(struct gen *g, int a)
{
	static const double special[] = {0, 1, 2, 0.5, -1};
	int input = choice_percent(g->c, 60) ? gen_pick(g, fits_base, NULL) : -1, b = -1;
	bool integral = false, positive = true;
	struct type t;

	if (input >= 0 && gen_fits(g, gen_elements(g, input)))
		a = input;
	t = *gen_type(g, a);
	if (choice_percent(g->c, 30))
		b = gen_pick(g, gen_fits_broadcast, &t);
	if (b < 0 || range_magnitude(g->info[b].range) > 4 || g->info[b].range.lo < 0) {
		double x = special[choice_below(g->c, 5)];

		b = gen_scalar(g, t.dtype, x);
		integral = x != 0.5;
		positive = x >= 0;
	}
	if (!positive && !in_domain(g->info[a].range, DOMAIN_POW))
		a = gen_guard(g, a, DOMAIN_POW);
	else if (!integral && g->info[a].range.lo < 0)
		a = choice_percent(g->c, 50) ? gen_unary(g, OP_ABS, a) : gen_with_scalar(g, OP_MAX, a, 0);
	return gen_binary(g, OP_POW, a, b);
}

static int second_operand(struct gen *g, enum op op, const struct type *t)
{
	int b = -1;

	if (op == OP_POW)
		return pick_exponent(g, t);
	if (!choice_percent(g->c, g->p->operand_constant))
		b = gen_pick(g, gen_fits_broadcast, t);
	if (b < 0) {
		double x = gen_real(g, t->dtype);

		if (op == OP_MAX || op == OP_MIN ||
		    (g->p->constant_arithmetic && choice_percent(g->c, g->p->constant_arithmetic)))
			b = gen_scalar(g, t->dtype, gen_special(g) ? gen_neutral(g) : x);
	}
	return b;
}

int gen_binary_on(struct gen *g, int a)
{
	int weight[BINARY_ROWS], b;
	struct type t;
	enum op op;
	bool low;

	if (a < 0 || !gen_fits(g, gen_elements(g, a)))
		return -1;
	t = *gen_type(g, a);
	low = is_low(t.dtype);
	for (int i = 0; i < BINARY_ROWS; i++)
		weight[i] = low ? binary_rows[i].low : binary_rows[i].weight;
	op = binary_rows[choice_weighted(g->c, weight, BINARY_ROWS)].op;
	if (op == OP_POW && g->p->pow_special && choice_percent(g->c, g->p->pow_special))
		return special_pow(g, a);
	b = second_operand(g, op, &t);
	if (b < 0)
		return -1;
	/* x - x and x / x tell nothing. */
	if (a == b && !(g->p->operand_twice && choice_percent(g->c, g->p->operand_twice)) &&
	    (op == OP_SUB || op == OP_DIV || op == OP_MAX || op == OP_MIN))
		op = OP_MUL;
	if (op == OP_MUL &&
	    range_magnitude(g->info[a].range) * range_magnitude(g->info[b].range) > gen_limit(t.dtype)) {
		bool same = a == b;

		a = gen_tame(g, a);
		b = same ? a : gen_tame(g, b);
	}
	if (op == OP_DIV || op == OP_ATAN2 || op == OP_POW) {
		int *guarded = op == OP_POW ? &a : &b;
		bool fine = in_domain(g->info[*guarded].range, op_table[op].domain) ||
		    (op == OP_ATAN2 && in_domain(g->info[a].range, DOMAIN_NOT_BOTH_ZERO));

		if (!fine && !choice_percent(g->c, g->p->unguarded))
			*guarded = gen_guard(g, *guarded, op_table[op].domain);
		if (*guarded < 0)
			return -1;
		if (op == OP_POW) {
			struct range r[2] = {g->info[a].range, g->info[b].range};

			if (range_magnitude(range_of(OP_POW, r, 2, 1)) > gen_limit(t.dtype))
				op = OP_MUL;
		}
	}
	/* Except for add and mul, the order of operands makes a different program. */
	if (op != OP_POW && op != OP_DIV && op != OP_ATAN2 && choice_percent(g->c, 30)) {
		int swap = a;

		a = b;
		b = swap;
	}
	return gen_binary(g, op, a, b);
}

int gen_emit_binary(struct gen *g) { return gen_binary_on(g, gen_tame(g, gen_pick_float(g))); }

/* A value of the program as a bound of x; `constant` if none fits. */
static int active_bound(struct gen *g, int x, int constant)
{
	struct type t = *gen_type(g, x);
	int bound = gen_pick(g, gen_fits_broadcast, &t);

	return bound >= 0 && bound != x && gen_elements(g, bound) <= gen_elements(g, x) ? bound : constant;
}

int gen_emit_clamp(struct gen *g)
{
	int x = gen_pick_float(g), lo, hi;
	double low, high;
	enum dtype d;

	if (x < 0 || !gen_fits(g, gen_elements(g, x)))
		return -1;
	d = gen_type(g, x)->dtype;
	low = choice_between(g->c, -12, 6) / 8.0;
	high = low + choice_between(g->c, 2, 16) / 8.0;
	lo = gen_scalar(g, d, low);
	hi = gen_scalar(g, d, high);
	if (g->p->clamp_active && choice_percent(g->c, g->p->clamp_active)) {
		int which = choice_below(g->c, 3);

		/* The bounds may cross; the upper one then wins. */
		if (which != 1)
			lo = active_bound(g, x, lo);
		if (which != 0)
			hi = active_bound(g, x, hi);
	} else if (choice_percent(g->c, 15)) {
		struct type t = *gen_type(g, x);
		int bound = gen_pick(g, gen_fits_broadcast, &t);

		if (bound >= 0 && gen_elements(g, bound) <= gen_elements(g, x))
			hi = bound;
	}
	return gen_node(g, OP_CLAMP, (const int[]){x, lo, hi}, 3, NULL);
}

/* An op that is well-behaved at a large magnitude.  Its rules may take other branches there, and its derivative is
 * small but not 0. */
int gen_emit_large(struct gen *g)
{
	static const enum op ops[] = {
	    OP_ATAN, OP_ASINH, OP_ATAN, OP_LOG, OP_TANH, OP_LOGISTIC, OP_RSQRT, OP_ATAN2, OP_ACOSH, OP_ERF, OP_LOG1P};
	enum op op = ops[choice_below(g->c, (int)(sizeof ops / sizeof *ops))];
	enum domain domain = op_table[op].domain;
	int x = gen_tame(g, gen_pick_float(g)), other, large;
	double factor = ldexp(1, choice_between(g->c, 27, 40));
	struct type t;

	if (x < 0 || !gen_fits(g, gen_elements(g, x)) || is_low(gen_type(g, x)->dtype))
		return -1;
	if (domain == DOMAIN_ALL)
		factor = choice_percent(g->c, 40) ? -factor : factor;
	else if (!in_domain(g->info[x].range, domain))
		x = gen_guard(g, x, domain);
	large = gen_with_scalar(g, OP_MUL, x, factor);
	if (large < 0)
		return -1;
	gen_hide(g, large);
	if (op != OP_ATAN2)
		return gen_unary(g, op, large);
	t = *gen_type(g, x);
	other = gen_pick(g, gen_fits_broadcast, &t);
	if (other < 0)
		return -1;
	return choice_percent(g->c, 50) ? gen_binary(g, OP_ATAN2, large, other) : gen_binary(g, OP_ATAN2, other, large);
}

/* Points where a partial leaves the range of f64, or where its domain ends.  Rules take other branches there, and some
 * lose digits that others keep. */
static const struct edge_row {
	enum op op;
	double centre, width; /* the operand is centre + width * u */
	enum {
		EDGE_BOUNDED,
		EDGE_SCALED,
		EDGE_INSIDE
	} u; /* EDGE_BOUNDED: tanh(x); EDGE_SCALED: x; EDGE_INSIDE: -|x| of an input, so that few bits stay exact */
} edge_rows[] = {
    {OP_TANH, 354, 12, EDGE_BOUNDED},
    {OP_ERF, 15, 10, EDGE_BOUNDED},
    {OP_ASINH, 0, 0x1p518, EDGE_SCALED},
    {OP_ATAN, 0, 0x1p514, EDGE_SCALED},
    {OP_ASIN, 1, 0x1p-27, EDGE_INSIDE},
    {OP_ACOS, 1, 0x1p-27, EDGE_INSIDE},
    {OP_ATANH, 1, 0x1p-27, EDGE_INSIDE},
};

int gen_emit_edge(struct gen *g)
{
	const struct edge_row *row = &edge_rows[choice_below(g->c, (int)(sizeof edge_rows / sizeof *edge_rows))];
	int x = row->u == EDGE_INSIDE ? gen_pick(g, fits_base, NULL) : gen_tame(g, gen_pick_float(g));

	if (x < 0 || !gen_fits(g, gen_elements(g, x)) || gen_type(g, x)->dtype != DTYPE_F64)
		return -1;
	if (row->u != EDGE_SCALED)
		x = gen_unary(g, row->u == EDGE_INSIDE ? OP_ABS : OP_TANH, x);
	x = gen_with_scalar(g, OP_MUL, x, row->u == EDGE_INSIDE ? -row->width : row->width);
	gen_hide(g, x);
	if (row->centre != 0) {
		x = gen_with_scalar(g, OP_ADD, x, row->centre);
		gen_hide(g, x);
	}
	if (choice_percent(g->c, 50)) {
		x = x < 0 ? -1 : gen_unary(g, OP_NEG, x);
		gen_hide(g, x);
	}
	return x < 0 ? -1 : gen_unary(g, row->op, x);
}

int gen_weight(const struct gen *g, enum op op, int weight)
{
	return (op == OP_MOD || op == OP_FLOOR_DIVIDE) && !g->p->weight_mod ? 0 : weight;
}

int gen_emit_mod(struct gen *g)
{
	int a = gen_tame(g, gen_pick_float(g)), b, swap;
	enum op op = choice_percent(g->c, 70) ? OP_MOD : OP_FLOOR_DIVIDE;
	struct type t;

	if (a < 0 || !gen_fits(g, gen_elements(g, a)))
		return -1;
	t = *gen_type(g, a);
	b = second_operand(g, op, &t);
	if (a == b && gen_steady(g))
		b = gen_scalar(g, t.dtype, gen_real(g, t.dtype));
	if (b >= 0 && choice_percent(g->c, 30)) {
		swap = a;
		a = b;
		b = swap;
	}
	if (b >= 0 && !in_domain(g->info[b].range, op_table[op].domain) && !choice_percent(g->c, g->p->unguarded)) {
		b = gen_guard(g, b, op_table[op].domain);
		if (choice_percent(g->c, 35))
			b = b < 0 ? -1 : gen_unary(g, OP_NEG, b);
	}
	return b < 0 ? -1 : gen_binary(g, op, a, b);
}

/* Casts to another dtype, applies an op or two, and casts back, so that both dtypes meet in one chain. */
int gen_emit_cast(struct gen *g)
{
	int x = gen_tame(g, gen_pick_float(g)), y;
	struct attrs there = {0}, back = {0};

	if (x < 0 || !gen_fits(g, gen_elements(g, x)))
		return -1;
	back.dtype = gen_type(g, x)->dtype;
	there.dtype = gen_float_dtype(g);
	if (choice_percent(g->c, g->p->mix_dtype))
		there.dtype = choice_percent(g->c, 40) ? DTYPE_BF16 : DTYPE_F16;
	if (is_low(there.dtype) && range_magnitude(g->info[x].range) > gen_limit(there.dtype))
		there.dtype = DTYPE_F32;
	if (!gen_may_have(g, there.dtype))
		return -1;
	y = gen_node(g, OP_CAST, &x, 1, &there);
	if (y < 0)
		return -1;
	if (choice_percent(g->c, 70)) {
		int z = choice_percent(g->c, 50) ? gen_unary_on(g, y) : gen_binary_on(g, y);

		y = z >= 0 ? z : y;
	}
	return choice_percent(g->c, 85) ? gen_node(g, OP_CAST, &y, 1, &back) : y;
}

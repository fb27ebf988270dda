/* elementwise.c: scalar functions, casts, and the kernels that apply one to every element. */
#include "parts.h"

#include <assert.h>
#include <math.h>

/* ---- float scalars, in binary64 ---- */

static double f_neg(double x) { return -x; }
static double f_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x == x ? 0 : x; }
static double f_square(double x) { return x * x; }
static double f_rsqrt(double x) { return 1 / sqrt(x); }
static double f_same(double x) { return x; }

/* Neither form overflows, and neither cancels. */
static double f_logistic(double x)
{
	double e;

	if (x >= 0)
		return 1 / (1 + exp(-x));
	e = exp(x);
	return e / (1 + e);
}

static double f_sub(double x, double y) { return x - y; }
static double f_div(double x, double y) { return x / y; }

/* fmod is exact, so at most the sum rounds. */
static double f_mod(double x, double y)
{
	double rest = fmod(x, y);

	return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

/* x / y may round up to an integer that the quotient does not reach. Its numerator less the remainder has no such
 * quotient. */
static double f_floor_divide(double x, double y)
{
	double rest = fmod(x, y);

	if (y == 0 || isnan(rest))
		return floor(x / y);
	return nearbyint((x - rest) / y) - (rest != 0 && (rest < 0) != (y < 0));
}

typedef double f_unary_fn(double);
typedef double f_binary_fn(double, double);

/* clang-format off */
static f_unary_fn *const f_unary[OP_COUNT] = {
	[OP_NEG] = f_neg, [OP_ABS] = fabs, [OP_SIGN] = f_sign, [OP_SQUARE] = f_square, [OP_SQRT] = sqrt,
	[OP_RSQRT] = f_rsqrt, [OP_EXP] = exp, [OP_EXPM1] = expm1, [OP_LOG] = log, [OP_LOG1P] = log1p, [OP_SIN] = sin,
	[OP_COS] = cos, [OP_TAN] = tan, [OP_ASIN] = asin, [OP_ACOS] = acos, [OP_ATAN] = atan, [OP_SINH] = sinh,
	[OP_COSH] = cosh, [OP_TANH] = tanh, [OP_ASINH] = asinh, [OP_ACOSH] = acosh, [OP_ATANH] = atanh,
	[OP_LOGISTIC] = f_logistic, [OP_ERF] = erf, [OP_FLOOR] = floor, [OP_CEIL] = ceil, [OP_TRUNC] = trunc,
	[OP_ROUND] = nearbyint, [OP_COPY] = f_same, [OP_STOP_GRADIENT] = f_same, [OP_CAST] = f_same,
};
/* clang-format on */

static f_binary_fn *const f_binary[OP_COUNT] = {
    [OP_ADD] = real_add,
    [OP_SUB] = f_sub,
    [OP_MUL] = real_mul,
    [OP_DIV] = f_div,
    [OP_MOD] = f_mod,
    [OP_FLOOR_DIVIDE] = f_floor_divide,
    [OP_POW] = pow,
    [OP_ATAN2] = atan2,
    [OP_MAX] = real_max,
    [OP_MIN] = real_min,
};

double kernel_scalar(enum op op, double a, double b, double c)
{
	if (f_unary[op])
		return f_unary[op](a);
	if (f_binary[op])
		return f_binary[op](a, b);
	assert(op == OP_CLAMP);
	return real_min(real_max(a, b), c);
}

/* ---- integer scalars: int64, then wrapped to the width; sums and products wrap as unsigned ---- */

typedef int64_t i_binary_fn(int64_t, int64_t, int bits);

/* clang-format off */
static int64_t i_add(int64_t x, int64_t y, int bits) { (void)bits; return int_add(x, y); }
static int64_t i_sub(int64_t x, int64_t y, int bits) { (void)bits; return int_sub(x, y); }
static int64_t i_mul(int64_t x, int64_t y, int bits) { (void)bits; return int_mul(x, y); }
static int64_t i_max(int64_t x, int64_t y, int bits) { (void)bits; return int_max(x, y); }
static int64_t i_min(int64_t x, int64_t y, int bits) { (void)bits; return int_min(x, y); }
static int64_t i_and(int64_t x, int64_t y, int bits) { (void)bits; return int_from((uint64_t)x & (uint64_t)y); }
static int64_t i_or(int64_t x, int64_t y, int bits) { (void)bits; return int_from((uint64_t)x | (uint64_t)y); }
static int64_t i_xor(int64_t x, int64_t y, int bits) { (void)bits; return int_from((uint64_t)x ^ (uint64_t)y); }
/* clang-format on */

static int64_t i_div(int64_t x, int64_t y, int bits)
{
	(void)bits;
	if (y == 0)
		return -1;
	return y == -1 ? int_sub(0, x) : x / y;
}

static int64_t i_remainder(int64_t x, int64_t y, int bits)
{
	(void)bits;
	if (y == 0)
		return x;
	return y == -1 ? 0 : x % y;
}

static int64_t i_mod(int64_t x, int64_t y, int bits)
{
	int64_t rest = i_remainder(x, y, bits);

	return rest && (rest < 0) != (y < 0) ? int_add(rest, y) : rest;
}

static int64_t i_floor_divide(int64_t x, int64_t y, int bits)
{
	return int_sub(i_div(x, y, bits), y && i_remainder(x, y, bits) && (x < 0) != (y < 0));
}

static int64_t i_shift_left(int64_t x, int64_t y, int bits)
{
	return y < 0 || y >= bits ? 0 : int_from((uint64_t)x << y);
}

static int64_t i_shift_right(int64_t x, int64_t y, int bits)
{
	if (y < 0 || y >= bits)
		return x < 0 ? -1 : 0;
	return x < 0 ? ~(~x >> y) : x >> y;
}

/* clang-format off */
static i_binary_fn *const i_binary[OP_COUNT] = {
	[OP_ADD] = i_add, [OP_SUB] = i_sub, [OP_MUL] = i_mul, [OP_DIV] = i_div, [OP_REMAINDER] = i_remainder,
	[OP_MOD] = i_mod, [OP_FLOOR_DIVIDE] = i_floor_divide,
	[OP_MAX] = i_max, [OP_MIN] = i_min, [OP_BITWISE_AND] = i_and, [OP_BITWISE_OR] = i_or, [OP_BITWISE_XOR] = i_xor,
	[OP_SHIFT_LEFT] = i_shift_left, [OP_SHIFT_RIGHT] = i_shift_right,
	/* bool: cells hold 0 or 1 */
	[OP_LOGICAL_AND] = i_and, [OP_LOGICAL_OR] = i_or, [OP_LOGICAL_XOR] = i_xor,
};
/* clang-format on */

typedef int64_t i_unary_fn(int64_t);

static int64_t i_neg(int64_t x) { return int_sub(0, x); }
static int64_t i_abs(int64_t x) { return x < 0 ? i_neg(x) : x; }
static int64_t i_sign(int64_t x) { return (x > 0) - (x < 0); }
static int64_t i_same(int64_t x) { return x; }
static int64_t i_not(int64_t x) { return !x; }
static int64_t i_invert(int64_t x) { return -1 - x; }

static i_unary_fn *const i_unary[OP_COUNT] = {
    [OP_NEG] = i_neg,
    [OP_ABS] = i_abs,
    [OP_SIGN] = i_sign,
    [OP_COPY] = i_same,
    [OP_STOP_GRADIENT] = i_same,
    [OP_LOGICAL_NOT] = i_not,
    [OP_BITWISE_INVERT] = i_invert,
};

/* ---- one element ---- */

/* Which outcomes make a comparison true.  Unordered: a NaN is involved. */
enum order { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const int compare_truth[OP_COUNT] = {
    [OP_EQ] = EQUAL,
    [OP_NE] = LESS | GREATER | UNORDERED,
    [OP_LT] = LESS,
    [OP_LE] = LESS | EQUAL,
    [OP_GT] = GREATER,
    [OP_GE] = GREATER | EQUAL,
};

static int64_t compare(int truth, bool is_float, union cell x, union cell y)
{
	enum order order;

	if (is_float)
		order = x.f < y.f ? LESS : x.f > y.f ? GREATER : x.f == y.f ? EQUAL : UNORDERED;
	else
		order = x.i < y.i ? LESS : x.i > y.i ? GREATER : EQUAL;
	return (truth & (int)order) != 0;
}

static union cell clamp(bool is_float, union cell x, union cell low, union cell high)
{
	if (is_float)
		return (union cell){.f = real_min(real_max(x.f, low.f), high.f)};
	return (union cell){.i = int_min(int_max(x.i, low.i), high.i)};
}

/* Truncates and saturates; NaN is 0. */
static int64_t integer_of(enum dtype d, double x)
{
	int bits = dtype_table[d].bits;
	double bound = ldexp(1, bits - 1); /* the maximum plus 1, exact */

	if (x != x)
		return 0;
	if (x >= bound)
		return bits == 64 ? INT64_MAX : INT32_MAX;
	if (x <= -bound)
		return bits == 64 ? INT64_MIN : INT32_MIN;
	return (int64_t)x;
}

/*
 * Rounds an integer to d ONCE. The conversion to binary64 must not round before dtype_round does.  So lost bits leave a
 * sticky bit (round to odd): at least 42 bits stay, and 24 + 2 would be enough.
 */
static double float_of(enum dtype d, int64_t i)
{
	uint64_t magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
	double x;

	if (d == DTYPE_F64 || magnitude < UINT64_C(1) << 53)
		return dtype_round(d, (double)i);
	x = ldexp((double)(magnitude >> 12 << 1 | ((magnitude & 0xfff) != 0)), 11);
	return dtype_round(d, i < 0 ? -x : x);
}

static union cell cast(enum dtype from, enum dtype to, union cell x)
{
	if (dtype_is_float(from)) {
		if (dtype_is_float(to))
			return (union cell){.f = dtype_round(to, x.f)};
		return (union cell){.i = to == DTYPE_BOOL ? x.f != 0 : integer_of(to, x.f)};
	}
	if (dtype_is_float(to))
		return (union cell){.f = float_of(to, x.i)};
	return (union cell){.i = dtype_wrap(to, x.i)};
}

bool kernel_is_elementwise(enum op op)
{
	switch (op_table[op].family) {
	case FAMILY_UNARY:
	case FAMILY_BINARY:
	case FAMILY_COMPARE:
	case FAMILY_CLAMP:
	case FAMILY_SELECT:
	case FAMILY_CAST:
		return true;
	default:
		return false;
	}
}

void kernel_elements(enum op op, enum dtype from, enum dtype to, const union cell *const x[3], union cell *out, int n)
{
	bool is_float = dtype_is_float(from);
	int bits = dtype_table[to].bits;

	assert(kernel_is_elementwise(op));
	switch (op_table[op].family) {
	case FAMILY_UNARY:
		if (is_float)
			for (int i = 0; i < n; i++)
				out[i].f = dtype_round(to, f_unary[op](x[0][i].f));
		else
			for (int i = 0; i < n; i++)
				out[i].i = dtype_wrap(to, i_unary[op](x[0][i].i));
		break;
	case FAMILY_BINARY:
		if (is_float)
			for (int i = 0; i < n; i++)
				out[i].f = dtype_round(to, f_binary[op](x[0][i].f, x[1][i].f));
		else
			for (int i = 0; i < n; i++)
				out[i].i = dtype_wrap(to, i_binary[op](x[0][i].i, x[1][i].i, bits));
		break;
	case FAMILY_COMPARE:
		for (int i = 0; i < n; i++)
			out[i].i = compare(compare_truth[op], is_float, x[0][i], x[1][i]);
		break;
	case FAMILY_CLAMP:
		for (int i = 0; i < n; i++)
			out[i] = clamp(is_float, x[0][i], x[1][i], x[2][i]);
		break;
	case FAMILY_SELECT:
		for (int i = 0; i < n; i++)
			out[i] = x[0][i].i ? x[1][i] : x[2][i];
		break;
	case FAMILY_CAST:
		for (int i = 0; i < n; i++)
			out[i] = cast(from, to, x[0][i]);
		break;
	default:
		break;
	}
}

/* ---- families ---- */

void kernel_unary(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	enum dtype d = out->type.dtype;
	const union cell *x = arg[0]->at;
	int n = shape_elements(&out->type.shape);

	(void)a;
	if (dtype_is_float(d)) {
		f_unary_fn *f = f_unary[node->op];

		for (int i = 0; i < n; i++)
			out->at[i].f = dtype_round(d, f(x[i].f));
	} else {
		i_unary_fn *f = i_unary[node->op];

		for (int i = 0; i < n; i++)
			out->at[i].i = dtype_wrap(d, f(x[i].i));
	}
}

void kernel_binary(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	enum dtype d = out->type.dtype;
	const union cell *x = arg[0]->at, *y = arg[1]->at;
	int n = shape_elements(&out->type.shape), bits = dtype_table[d].bits;
	struct broadcast w;

	(void)a;
	broadcast_begin(&w, &out->type.shape, arg, 2);
	if (dtype_is_float(d)) {
		f_binary_fn *f = f_binary[node->op];

		for (int i = 0; i < n; i++, broadcast_next(&w))
			out->at[i].f = dtype_round(d, f(x[w.at[0]].f, y[w.at[1]].f));
	} else {
		i_binary_fn *f = i_binary[node->op];

		for (int i = 0; i < n; i++, broadcast_next(&w))
			out->at[i].i = dtype_wrap(d, f(x[w.at[0]].i, y[w.at[1]].i, bits));
	}
}

void kernel_compare(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	bool is_float = dtype_is_float(arg[0]->type.dtype);
	int n = shape_elements(&out->type.shape), truth = compare_truth[node->op];
	struct broadcast w;

	(void)a;
	broadcast_begin(&w, &out->type.shape, arg, 2);
	for (int i = 0; i < n; i++, broadcast_next(&w))
		out->at[i].i = compare(truth, is_float, arg[0]->at[w.at[0]], arg[1]->at[w.at[1]]);
}

void kernel_clamp(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	bool is_float = dtype_is_float(out->type.dtype);
	int n = shape_elements(&out->type.shape);
	struct broadcast w;

	(void)node, (void)a;
	broadcast_begin(&w, &out->type.shape, arg, 3);
	for (int i = 0; i < n; i++, broadcast_next(&w))
		out->at[i] = clamp(is_float, arg[0]->at[w.at[0]], arg[1]->at[w.at[1]], arg[2]->at[w.at[2]]);
}

void kernel_select(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	int n = shape_elements(&out->type.shape);
	struct broadcast w;

	(void)node, (void)a;
	broadcast_begin(&w, &out->type.shape, arg, 3);
	for (int i = 0; i < n; i++, broadcast_next(&w))
		out->at[i] = arg[0]->at[w.at[0]].i ? arg[1]->at[w.at[1]] : arg[2]->at[w.at[2]];
}

void kernel_cast(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	enum dtype from = arg[0]->type.dtype, to = out->type.dtype;
	int n = shape_elements(&out->type.shape);

	(void)node, (void)a;
	for (int i = 0; i < n; i++)
		out->at[i] = cast(from, to, arg[0]->at[i]);
}

/*
 * closed_forms_inside.c: op derivative with every op inside it, and wrong rules of op custom.
 *
 * Both oracles share the derivative that op derivative takes, so neither sees a slip in it.  These families do: the
 * result is linear in the direction of the derivative inside, so its derivative by that is the derivative inside.
 */
#include "closed_form.h"

static enum derivative_kind drawn_kind(struct form *f) { return form_coin(f) ? DERIVATIVE_JVP : DERIVATIVE_VJP; }
static int weighted(struct form *f, int x, int eighths) { return op2(f, OP_MUL, x, lit(f, eighths / 8.0)); }

static int add_up(struct form *f, const int *term, int n)
{
	int sum = term[0];

	for (int k = 1; k < n; k++)
		sum = op2(f, OP_ADD, sum, term[k]);
	return sum;
}

/* ---- functions of one number ---- */

/* Their derivatives at x, as mathematics writes them. */
static real one_over(struct form *f, real a) { return r_pow(f, a, -1); }
static real over_root(struct form *f, real a) { return one_over(f, r_sqrt(f, a)); }
static real square(struct form *f, real a) { return r_mul(f, a, a); }
static real minus_square(struct form *f, real a) { return r_plus(f, r_neg(f, square(f, a)), 1); }
static real plus_square(struct form *f, real a) { return r_plus(f, square(f, a), 1); }

static real of_neg(struct form *f, real x) { return (void)x, r_num(f, -1); }
static real of_square(struct form *f, real x) { return r_times(f, 2, x); }
static real of_sqrt(struct form *f, real x) { return r_times(f, 0.5, over_root(f, x)); }
static real of_rsqrt(struct form *f, real x) { return r_times(f, -0.5, r_div(f, over_root(f, x), x)); }
static real of_exp(struct form *f, real x) { return r_fn(f, mpfr_exp, x); }
static real of_log(struct form *f, real x) { return one_over(f, x); }
static real of_log1p(struct form *f, real x) { return one_over(f, r_plus(f, x, 1)); }
static real of_sin(struct form *f, real x) { return r_fn(f, mpfr_cos, x); }
static real of_cos(struct form *f, real x) { return r_neg(f, r_fn(f, mpfr_sin, x)); }
static real of_tan(struct form *f, real x) { return square(f, r_fn(f, mpfr_sec, x)); }
static real of_asin(struct form *f, real x) { return over_root(f, minus_square(f, x)); }
static real of_acos(struct form *f, real x) { return r_neg(f, of_asin(f, x)); }
static real of_atan(struct form *f, real x) { return one_over(f, plus_square(f, x)); }
static real of_sinh(struct form *f, real x) { return r_fn(f, mpfr_cosh, x); }
static real of_cosh(struct form *f, real x) { return r_fn(f, mpfr_sinh, x); }
static real of_tanh(struct form *f, real x) { return square(f, r_fn(f, mpfr_sech, x)); }
static real of_asinh(struct form *f, real x) { return over_root(f, plus_square(f, x)); }
static real of_atanh(struct form *f, real x) { return one_over(f, minus_square(f, x)); }
static real of_logistic(struct form *f, real x)
{
	return r_times(f, 0.25, square(f, r_fn(f, mpfr_sech, r_times(f, 0.5, x))));
}
static real of_erf(struct form *f, real x)
{
	return r_times(f, 2, r_div(f, r_fn(f, mpfr_exp, r_neg(f, square(f, x))), r_sqrt(f, r_pi(f))));
}

/* acosh(x + 3/2) */
enum { SHIFT_EIGHTHS = 12 };
static real of_acosh(struct form *f, real x)
{
	return over_root(f, r_plus(f, square(f, r_plus(f, x, SHIFT_EIGHTHS / 8.0)), -1));
}

static const struct {
	enum op op;
	real (*derivative)(struct form *f, real x);
} functions[] = {{OP_NEG, of_neg}, {OP_SQUARE, of_square}, {OP_SQRT, of_sqrt}, {OP_RSQRT, of_rsqrt}, {OP_EXP, of_exp},
    {OP_EXPM1, of_exp}, {OP_LOG, of_log}, {OP_LOG1P, of_log1p}, {OP_SIN, of_sin}, {OP_COS, of_cos}, {OP_TAN, of_tan},
    {OP_ASIN, of_asin}, {OP_ACOS, of_acos}, {OP_ATAN, of_atan}, {OP_SINH, of_sinh}, {OP_COSH, of_cosh},
    {OP_TANH, of_tanh}, {OP_ASINH, of_asinh}, {OP_ACOSH, of_acosh}, {OP_ATANH, of_atanh}, {OP_LOGISTIC, of_logistic},
    {OP_ERF, of_erf}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* w times the derivative of the sum of all functions, each with a weight of its own. */
void form_derivative_of_functions(struct form *f)
{
	const enum derivative_kind kind = drawn_kind(f);
	int x = in_scalar(f, 0.25, 0.75), w = in_scalar(f, 0.5, 2), at = op1(f, OP_STOP_GRADIENT, x),
	    p = open_scalars(f, 1), term[FUNCTIONS];
	real sum = r_num(f, 0);

	for (int k = 0; k < FUNCTIONS; k++) {
		const bool shifted = functions[k].op == OP_ACOSH;

		term[k] = shifted ? op2(f, OP_ADD, p, lit(f, SHIFT_EIGHTHS / 8.0)) : p;
		term[k] = weighted(f, op1(f, functions[k].op, term[k]), k + 1);
		sum = r_add(f, sum, r_times(f, (k + 1) / 8.0, functions[k].derivative(f, f->x[0])));
	}
	close_with(f, (const int[]){add_up(f, term, FUNCTIONS)}, 1);
	form_result(
	    f, region_op(f, OP_DERIVATIVE, (const int[]){at, w}, 2, &(struct attrs){.primals = 1, .transform = kind}));
	first(f, 0, 1, sum);
}

/* ---- ops of several numbers ---- */

enum { OPERATIONS = 16 };

/* In the region: each op of u and v once; vector ops of (u, v). u < v. */
static int build_operations(struct form *f, int u, int v)
{
	const int both = stack(f, (const int[]){u, v}, 2);
	const int term[OPERATIONS] = {op2(f, OP_ADD, u, v), op2(f, OP_SUB, u, v), op2(f, OP_MUL, u, v),
	    op2(f, OP_DIV, u, v), op2(f, OP_POW, u, v), op2(f, OP_ATAN2, u, v), reduce(f, OP_NORM, both),
	    reduce(f, OP_LOGSUMEXP, both), reduce(f, OP_REDUCE_PROD, both),
	    reduce(f, OP_REDUCE_SUM, op_axis(f, OP_CUMPROD, both, 0)), reduce(f, OP_REDUCE_MEAN, both),
	    op2(f, OP_MAX, u, v), reduce(f, OP_REDUCE_MIN, both), op2(f, OP_MATMUL, both, both),
	    op1(f, OP_ABS, op1(f, OP_NEG, v)), op2(f, OP_MOD, op1(f, OP_NEG, u), v)};
	int own[OPERATIONS];

	for (int k = 0; k < OPERATIONS; k++)
		own[k] = weighted(f, term[k], k + 1);
	return add_up(f, own, OPERATIONS);
}

/* The derivatives of the same by u (0) and v (1). */
static real of_operations(struct form *f, real u, real v, int by)
{
	const real one = r_num(f, 1), none = r_num(f, 0), squares = r_add(f, square(f, u), square(f, v)),
	           norm = r_sqrt(f, squares), eu = r_fn(f, mpfr_exp, u), ev = r_fn(f, mpfr_exp, v),
	           all = r_add(f, eu, ev), log_u = r_fn(f, mpfr_log, u), power = r_fn(f, mpfr_exp, r_mul(f, v, log_u));
	const real partial[OPERATIONS][2] = {{one, one}, {one, r_neg(f, one)}, {v, u},
	    {one_over(f, v), r_neg(f, r_div(f, u, square(f, v)))},
	    {r_div(f, r_mul(f, v, power), u), r_mul(f, power, log_u)},
	    {r_div(f, v, squares), r_neg(f, r_div(f, u, squares))}, {r_div(f, u, norm), r_div(f, v, norm)},
	    {r_div(f, eu, all), r_div(f, ev, all)}, {v, u}, {r_plus(f, v, 1), u}, {r_num(f, 0.5), r_num(f, 0.5)},
	    {none, one}, {one, none}, {r_times(f, 2, u), r_times(f, 2, v)}, {none, one},
	    {r_neg(f, one), one}}; /* v - u, as u < v */
	real sum = none;

	for (int k = 0; k < OPERATIONS; k++)
		sum = r_add(f, sum, r_times(f, (k + 1) / 8.0, partial[k][by]));
	return sum;
}

/* Their tangent in a direction, or both cotangents. */
void form_derivative_of_operations(struct form *f)
{
	const bool forward = drawn_kind(f) == DERIVATIVE_JVP;
	const int u = in_scalar(f, 0.5, 1), v = in_scalar(f, 1.25, 2), w = in_scalar(f, 0.5, 2),
	          more = forward ? in_scalar(f, 0.5, 2) : w;
	const int at[2] = {op1(f, OP_STOP_GRADIENT, u), op1(f, OP_STOP_GRADIENT, v)}, p = open_scalars(f, 2);
	int y;

	close_with(f, (const int[]){build_operations(f, p, p + 1)}, 1);
	y = region_op(f, OP_DERIVATIVE, (const int[]){at[0], at[1], w, more}, forward ? 4 : 3,
	    &(struct attrs){.primals = 2, .transform = forward ? DERIVATIVE_JVP : DERIVATIVE_VJP});
	form_result(f, forward ? y : stack(f, (const int[]){y, y + 1}, 2));
	for (int by = 0; by < 2; by++)
		first(f, forward ? 0 : by, forward ? 2 + by : 2, of_operations(f, f->x[0], f->x[1], by));
}

/* d/du sin(x u) at u = x, with x captured: x cos(x^2). */
void form_derivative_at_captured(struct form *f)
{
	const enum derivative_kind kind = drawn_kind(f);
	int x = in_scalar(f, 0.25, 1), one = lit(f, 1), p = open_scalars(f, 1);

	close_with(f, (const int[]){op1(f, OP_SIN, op2(f, OP_MUL, x, p))}, 1);
	form_result(
	    f, region_op(f, OP_DERIVATIVE, (const int[]){x, one}, 2, &(struct attrs){.primals = 1, .transform = kind}));
	real q = square(f, f->x[0]);
	first(f, 0, 0, r_sub(f, r_fn(f, mpfr_cos, q), r_times(f, 2, r_mul(f, q, r_fn(f, mpfr_sin, q)))));
}

/* ---- wrong rules ---- */

/* x^3 with the rule times x^2 t, where t may be replaced, and x be a constant to the next derivative. */
static void custom_cube(struct form *f, double times, int rule(struct form *f, int x, int t, int right))
{
	const enum derivative_kind kind = drawn_kind(f);
	int x = in_scalar(f, 0.5, 2), p = open_scalars(f, 1), right;

	close_with(f, (const int[]){op2(f, OP_MUL, p, op1(f, OP_SQUARE, p))}, 1);
	p = open_scalars(f, 2);
	right = op2(f, OP_MUL, p + 1, op2(f, OP_MUL, lit(f, times), op2(f, OP_MUL, p, p)));
	close_with(f, (const int[]){rule(f, p, p + 1, right)}, 1);
	form_result(f, region_op(f, OP_CUSTOM, &x, 1, &(struct attrs){.transform = kind}));
	form_undecided(f, "custom-rule");
}

static int as_it_is(struct form *f, int x, int t, int right) { return (void)f, (void)x, (void)t, right; }

/* times x^2 |t| */
static int sized(struct form *f, int x, int t, double times)
{
	int size = op1(f, OP_SQRT, op1(f, OP_SQUARE, t));

	return op2(f, OP_MUL, size, op2(f, OP_MUL, lit(f, times), op1(f, OP_SQUARE, x)));
}

/* One of these two is right in the direction that the oracle tries first. */
static int of_size(struct form *f, int x, int t, int right) { return (void)right, sized(f, x, t, 3); }
static int of_minus_size(struct form *f, int x, int t, int right) { return (void)right, sized(f, x, t, -3); }

static int not_at_zero(struct form *f, int x, int t, int right)
{
	(void)x;
	return op3(f, OP_SELECT, op2(f, OP_EQ, t, lit(f, 0)), lit(f, 1), right);
}

static int of_stopped(struct form *f, int x, int t, int right)
{
	int stopped = op1(f, OP_STOP_GRADIENT, x);

	(void)right;
	return op2(f, OP_MUL, t, op2(f, OP_MUL, lit(f, 3), op1(f, OP_SQUARE, stopped)));
}

static int by_coarser(struct form *f, int x, int t, int right)
{
	(void)x, (void)t;
	return cast(f, cast(f, right, DTYPE_F16), f->dtype);
}

static int by_cancelling(struct form *f, int x, int t, int right)
{
	(void)x, (void)t;
	return op2(f, OP_SUB, op2(f, OP_ADD, right, lit(f, 1024)), lit(f, 1024));
}

void form_custom_at_tie(struct form *f)
{
	const enum derivative_kind kind = drawn_kind(f);
	int x = in_scalar(f, 0.5, 2), p;

	x = op2(f, OP_MUL, x, lit(f, 0));
	p = open_scalars(f, 1);
	close_with(f, (const int[]){op1(f, OP_ABS, p)}, 1);
	p = open_scalars(f, 2);
	close_with(f, (const int[]){op2(f, OP_MUL, lit(f, 2), p + 1)}, 1);
	form_result(f, region_op(f, OP_CUSTOM, &x, 1, &(struct attrs){.transform = kind}));
	form_undecided(f, "custom-rule");
}

void form_custom_wrong(struct form *f) { custom_cube(f, 4, as_it_is); }
void form_custom_size(struct form *f) { custom_cube(f, 3, of_size); }
void form_custom_minus_size(struct form *f) { custom_cube(f, 3, of_minus_size); }
void form_custom_at_zero(struct form *f) { custom_cube(f, 3, not_at_zero); }
void form_custom_stopped(struct form *f) { custom_cube(f, 3, of_stopped); }
void form_custom_coarser(struct form *f) { custom_cube(f, 3, by_coarser); }
void form_custom_cancels(struct form *f) { custom_cube(f, 3, by_cancelling); }

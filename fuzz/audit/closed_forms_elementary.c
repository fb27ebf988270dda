/* closed_forms_elementary.c: elementary functions, their identities and inverses, as calculus has them. */
#include "closed_form.h"

static real r_exp(struct form *f, real a) { return r_fn(f, mpfr_exp, a); }
static real r_sin(struct form *f, real a) { return r_fn(f, mpfr_sin, a); }
static real r_cos(struct form *f, real a) { return r_fn(f, mpfr_cos, a); }
static real one_minus_square(struct form *f, real a) { return r_sub(f, r_num(f, 1), r_mul(f, a, a)); }
static real one_plus_square(struct form *f, real a) { return r_plus(f, r_mul(f, a, a), 1); }

/* ---- exponentials and logarithms ---- */

/* e^(a x), its derivatives a, a^2, a^3 times itself. */
void form_exponential(struct form *f)
{
	double a = form_draw(f, -1.5, 1.5);
	int x = in_scalar(f, -1.5, 1.5);

	form_result(f, op1(f, OP_EXP, op2(f, OP_MUL, lit(f, a), x)));
	real y = r_exp(f, r_times(f, a, f->x[0]));
	derivatives(f, r_times(f, a, y), r_times(f, a * a, y));
	third(f, r_times(f, a * a, r_times(f, a, y)));
}

void form_expm1(struct form *f)
{
	int x = in_scalar(f, -1.5, 1.5);

	form_result(f, op1(f, OP_EXPM1, x));
	real y = r_exp(f, f->x[0]);
	derivatives(f, y, y);
	third(f, y);
}

/* log x and log(1 + x). */
void form_logarithm(struct form *f)
{
	int x = in_scalar(f, 0.25, 4), y = op1(f, OP_LOG, x);

	form_result(f, stack(f, (const int[]){y, op1(f, OP_LOG1P, x)}, 2));
	for (int k = 0; k < 2; k++) {
		real u = r_plus(f, f->x[0], k);

		first(f, k, 0, r_pow(f, u, -1));
		second(f, k, 0, 0, r_neg(f, r_pow(f, u, -2)));
	}
}

/* ---- trigonometric ---- */

void form_sinusoid(struct form *f)
{
	double a = form_draw(f, 0.5, 2);
	bool sine = form_coin(f);
	int x = in_scalar(f, -1.25, 1.25);

	form_result(f, op1(f, sine ? OP_SIN : OP_COS, op2(f, OP_MUL, x, lit(f, a))));
	real u = r_times(f, a, f->x[0]), s = r_sin(f, u), c = r_cos(f, u);
	derivatives(f, r_times(f, a, sine ? c : r_neg(f, s)), r_times(f, -a * a, sine ? s : c));
	third(f, r_times(f, a * a, r_times(f, a, sine ? r_neg(f, c) : s)));
}

/* sec^2, 2 sec^2 tan, 2 sec^4 + 4 sec^2 tan^2.  (tan' is made of tan: two wrong signs are right at order 2.) */
void form_tangent(struct form *f)
{
	int x = in_scalar(f, -1.25, 1.25);

	form_result(f, op1(f, OP_TAN, x));
	real square = r_pow(f, r_cos(f, f->x[0]), -2), t = r_div(f, r_sin(f, f->x[0]), r_cos(f, f->x[0]));
	derivatives(f, square, r_times(f, 2, r_mul(f, square, t)));
	third(f, r_mul(f, square, r_add(f, r_times(f, 2, square), r_times(f, 4, r_mul(f, t, t)))));
}

/* asin and acos: the one is pi/2 less the other. */
void form_arc(struct form *f)
{
	int x = in_scalar(f, -0.875, 0.875), sine = op1(f, OP_ASIN, x);

	form_result(f, stack(f, (const int[]){sine, op1(f, OP_ACOS, x)}, 2));
	real rest = one_minus_square(f, f->x[0]), root = r_sqrt(f, rest);
	for (int k = 0; k < 2; k++) {
		double sign = k ? -1 : 1;

		first(f, k, 0, r_times(f, sign, r_pow(f, root, -1)));
		second(f, k, 0, 0, r_times(f, sign, r_div(f, f->x[0], r_mul(f, rest, root))));
	}
}

void form_arctangent(struct form *f)
{
	int x = in_scalar(f, -3, 3);

	form_result(f, op1(f, OP_ATAN, x));
	real rest = one_plus_square(f, f->x[0]);
	derivatives(f, r_pow(f, rest, -1), r_div(f, r_times(f, -2, f->x[0]), r_mul(f, rest, rest)));
}

/* The angle of (x, y). */
void form_atan2(struct form *f)
{
	int y = in_scalar(f, 0.25, 3), x = in_scalar(f, -3, 3);

	form_result(f, op2(f, OP_ATAN2, y, x));
	real a = f->x[0], b = f->x[1], square = r_add(f, r_mul(f, a, a), r_mul(f, b, b)),
	     fourth = r_mul(f, square, square);
	first(f, 0, 0, r_div(f, b, square));
	first(f, 0, 1, r_neg(f, r_div(f, a, square)));
	real mixed = r_div(f, r_times(f, 2, r_mul(f, a, b)), fourth);
	second(f, 0, 0, 0, r_neg(f, mixed));
	second(f, 0, 1, 1, mixed);
	second(f, 0, 0, 1, r_div(f, r_sub(f, r_mul(f, a, a), r_mul(f, b, b)), fourth));
}

/* sin atan2(y, x) = y/r: x^2/r^3 and -x y/r^3. */
void form_polar(struct form *f)
{
	int y = in_scalar(f, 0.25, 3), x = in_scalar(f, 0.25, 3);

	form_result(f, op1(f, OP_SIN, op2(f, OP_ATAN2, y, x)));
	real a = f->x[0], b = f->x[1], square = r_add(f, r_mul(f, a, a), r_mul(f, b, b)),
	     cube = r_mul(f, square, r_sqrt(f, square));
	first(f, 0, 0, r_div(f, r_mul(f, b, b), cube));
	first(f, 0, 1, r_neg(f, r_div(f, r_mul(f, a, b), cube)));
}

/* ---- hyperbolic ---- */

void form_hyperbolic(struct form *f)
{
	int x = in_scalar(f, -2, 2), sine = op1(f, OP_SINH, x);

	form_result(f, stack(f, (const int[]){sine, op1(f, OP_COSH, x)}, 2));
	real up = r_exp(f, f->x[0]), down = r_exp(f, r_neg(f, f->x[0]));
	real s = r_times(f, 0.5, r_sub(f, up, down)), c = r_times(f, 0.5, r_add(f, up, down));
	first(f, 0, 0, c);
	first(f, 1, 0, s);
	second(f, 0, 0, 0, s);
	second(f, 1, 0, 0, c);
}

/* 4/(e^x + e^-x)^2 */
void form_tanh(struct form *f)
{
	int x = in_scalar(f, -2, 2);

	form_result(f, op1(f, OP_TANH, x));
	real up = r_exp(f, f->x[0]), down = r_exp(f, r_neg(f, f->x[0])), sum = r_add(f, up, down);
	real slope = r_times(f, 4, r_pow(f, sum, -2)), y = r_div(f, r_sub(f, up, down), sum);
	derivatives(f, slope, r_times(f, -2, r_mul(f, slope, y)));
	third(f, r_mul(f, slope, r_sub(f, r_times(f, 4, r_mul(f, y, y)), r_times(f, 2, slope))));
}

/* asinh, acosh and atanh, each of its own input. */
void form_inverse_hyperbolic(struct form *f)
{
	int a = in_scalar(f, -2, 2), b = in_scalar(f, 1.25, 4), c = in_scalar(f, -0.75, 0.75), u = op1(f, OP_ASINH, a),
	    v = op1(f, OP_ACOSH, b);

	form_result(f, stack(f, (const int[]){u, v, op1(f, OP_ATANH, c)}, 3));
	const real rest[] = {
	    one_plus_square(f, f->x[0]), r_neg(f, one_minus_square(f, f->x[1])), one_minus_square(f, f->x[2])};
	for (int k = 0; k < 2; k++) {
		first(f, k, k, r_pow(f, r_sqrt(f, rest[k]), -1));
		second(f, k, k, k, r_neg(f, r_div(f, f->x[k], r_mul(f, rest[k], r_sqrt(f, rest[k])))));
	}
	first(f, 2, 2, r_pow(f, rest[2], -1));
	second(f, 2, 2, 2, r_div(f, r_times(f, 2, f->x[2]), r_mul(f, rest[2], rest[2])));
}

/* e^-x/(1 + e^-x)^2; the second derivative is -sech^2(x/2) tanh(x/2)/4. */
void form_logistic(struct form *f)
{
	int x = in_scalar(f, -3, 3);

	form_result(f, op1(f, OP_LOGISTIC, x));
	real half = r_times(f, 0.5, f->x[0]), square = r_pow(f, r_fn(f, mpfr_cosh, half), -2);
	derivatives(f, r_times(f, 0.25, square), r_times(f, -0.25, r_mul(f, square, r_fn(f, mpfr_tanh, half))));
}

/* ---- powers ---- */

/* sqrt x and its reciprocal. */
void form_root(struct form *f)
{
	int x = in_scalar(f, 0.25, 4), y = op1(f, OP_SQRT, x);

	form_result(f, stack(f, (const int[]){y, op1(f, OP_RSQRT, x)}, 2));
	real w = r_sqrt(f, f->x[0]);
	first(f, 0, 0, r_times(f, 0.5, r_pow(f, w, -1)));
	first(f, 1, 0, r_times(f, -0.5, r_pow(f, w, -3)));
	second(f, 0, 0, 0, r_times(f, -0.25, r_pow(f, w, -3)));
	second(f, 1, 0, 0, r_times(f, 0.75, r_pow(f, w, -5)));
}

/* x^y by both. */
void form_pow(struct form *f)
{
	int x = in_scalar(f, 0.25, 3), y = in_scalar(f, -2, 2);

	form_result(f, op2(f, OP_POW, x, y));
	real a = f->x[0], b = f->x[1], log = r_fn(f, mpfr_log, a), power = r_exp(f, r_mul(f, b, log));
	first(f, 0, 0, r_mul(f, b, r_div(f, power, a)));
	first(f, 0, 1, r_mul(f, log, power));
	second(f, 0, 0, 0, r_div(f, r_mul(f, power, r_mul(f, b, r_plus(f, b, -1))), r_mul(f, a, a)));
	second(f, 0, 1, 1, r_mul(f, power, r_mul(f, log, log)));
	second(f, 0, 0, 1, r_mul(f, r_div(f, power, a), r_plus(f, r_mul(f, b, log), 1)));
}

/* A negative base with an integral exponent. */
void form_pow_negative_base(struct form *f)
{
	int n = form_between(f, 2, 5), x = in_scalar(f, -2, -0.25);

	form_result(f, op2(f, OP_POW, x, lit(f, n)));
	derivatives(f, r_times(f, n, r_pow(f, f->x[0], n - 1)), r_times(f, n * (n - 1), r_pow(f, f->x[0], n - 2)));
}

/* x^x */
void form_self_power(struct form *f)
{
	int x = in_scalar(f, 0.5, 2);

	form_result(f, op2(f, OP_POW, x, x));
	real a = f->x[0], log = r_plus(f, r_fn(f, mpfr_log, a), 1), y = r_exp(f, r_mul(f, a, r_fn(f, mpfr_log, a)));
	derivatives(f, r_mul(f, y, log), r_mul(f, y, r_add(f, r_mul(f, log, log), r_pow(f, a, -1))));
}

/* (a x + b)/(c x + d) */
void form_moebius(struct form *f)
{
	double a = form_draw(f, -2, 2), b = form_draw(f, -2, 2), c = form_draw(f, 0.25, 2), d = form_draw(f, 0.5, 2);
	int x = in_scalar(f, 0.25, 3), top = op2(f, OP_ADD, op2(f, OP_MUL, lit(f, a), x), lit(f, b));

	form_result(f, op2(f, OP_DIV, top, op2(f, OP_ADD, op2(f, OP_MUL, lit(f, c), x), lit(f, d))));
	real bottom = r_plus(f, r_times(f, c, f->x[0]), d), determinant = r_num(f, a * d - b * c);
	derivatives(f, r_div(f, determinant, r_pow(f, bottom, 2)),
	    r_div(f, r_times(f, -2 * c, determinant), r_pow(f, bottom, 3)));
}

/* x^2 taken through another dtype and back: casts are the identity of real arithmetic. */
void form_cast_square(struct form *f)
{
	int x = in_scalar(f, 0.25, 3),
	    other = cast(f, op2(f, OP_MUL, x, x), f->dtype == DTYPE_F64 ? DTYPE_F32 : DTYPE_F64);

	form_result(f, op2(f, OP_MUL, x, cast(f, other, f->dtype)));
	derivatives(f, r_times(f, 3, r_pow(f, f->x[0], 2)), r_times(f, 6, f->x[0]));
}

/* ---- Gaussian and error function ---- */

/* e^(-x^2/2): Hermite's polynomials. */
void form_gaussian(struct form *f)
{
	int x = in_scalar(f, -2, 2);

	form_result(f, op1(f, OP_EXP, op2(f, OP_MUL, lit(f, -0.5), op2(f, OP_MUL, x, x))));
	real a = f->x[0], square = r_mul(f, a, a), g = r_exp(f, r_times(f, -0.5, square));
	derivatives(f, r_neg(f, r_mul(f, a, g)), r_mul(f, r_plus(f, square, -1), g));
	third(f, r_mul(f, r_mul(f, a, r_sub(f, r_num(f, 3), square)), g));
}

void form_error_function(struct form *f)
{
	int x = in_scalar(f, -2, 2);

	form_result(f, op1(f, OP_ERF, x));
	real slope = r_times(f, 2, r_div(f, r_exp(f, r_neg(f, r_mul(f, f->x[0], f->x[0]))), r_sqrt(f, r_pi(f))));
	derivatives(f, slope, r_times(f, -2, r_mul(f, f->x[0], slope)));
}

/* x erf x: erf x + x erf' x. */
void form_error_function_moment(struct form *f)
{
	int x = in_scalar(f, -2, 2);

	form_result(f, op2(f, OP_MUL, x, op1(f, OP_ERF, x)));
	real a = f->x[0], square = r_mul(f, a, a),
	     slope = r_times(f, 2, r_div(f, r_exp(f, r_neg(f, square)), r_sqrt(f, r_pi(f))));
	derivatives(f, r_add(f, r_fn(f, mpfr_erf, a), r_mul(f, a, slope)),
	    r_times(f, 2, r_mul(f, slope, r_sub(f, r_num(f, 1), square))));
}

/* ---- identities ---- */

/* sin^2 + cos^2, or cosh^2 - sinh^2: constant. */
void form_pythagorean(struct form *f)
{
	bool circular = form_coin(f);
	int x = in_scalar(f, 0.25, 1.25), s = op1(f, circular ? OP_SIN : OP_SINH, x),
	    c = op1(f, circular ? OP_COS : OP_COSH, x);

	form_result(f, op2(f, circular ? OP_ADD : OP_SUB, op1(f, OP_SQUARE, c), op1(f, OP_SQUARE, s)));
	derivatives(f, r_num(f, 0), r_num(f, 0));
}

/* 2 sin cos = sin 2x */
void form_double_angle(struct form *f)
{
	int x = in_scalar(f, -1.25, 1.25);

	form_result(f, op2(f, OP_MUL, lit(f, 2), op2(f, OP_MUL, op1(f, OP_SIN, x), op1(f, OP_COS, x))));
	real twice = r_times(f, 2, f->x[0]);
	derivatives(f, r_times(f, 2, r_cos(f, twice)), r_times(f, -4, r_sin(f, twice)));
}

/* (1 + tanh(x/2))/2 is the logistic function. */
void form_logistic_by_tanh(struct form *f)
{
	int x = in_scalar(f, -3, 3), half = lit(f, 0.5);

	form_result(f, op2(f, OP_MUL, half, op2(f, OP_ADD, lit(f, 1), op1(f, OP_TANH, op2(f, OP_MUL, half, x)))));
	real down = r_exp(f, r_neg(f, f->x[0])), sum = r_plus(f, down, 1);
	derivatives(
	    f, r_div(f, down, r_pow(f, sum, 2)), r_div(f, r_mul(f, down, r_plus(f, down, -1)), r_pow(f, sum, 3)));
}

/* tanh of its exponentials. */
void form_tanh_by_exponentials(struct form *f)
{
	int x = in_scalar(f, 0.25, 2), up = op1(f, OP_EXP, x), down = op1(f, OP_EXP, op1(f, OP_NEG, x));

	form_result(f, op2(f, OP_DIV, op2(f, OP_SUB, up, down), op2(f, OP_ADD, up, down)));
	real square = r_pow(f, r_fn(f, mpfr_cosh, f->x[0]), -2);
	derivatives(f, square, r_times(f, -2, r_mul(f, square, r_fn(f, mpfr_tanh, f->x[0]))));
}

/* A function of its inverse is the identity: four pairs, each of its own input. */
struct inverse_pair {
	enum op inner, outer;
	double low, high;
};

static void of_inverses(struct form *f, const struct inverse_pair pair[4])
{
	int x[4], y[4];

	for (int k = 0; k < 4; k++)
		x[k] = in_scalar(f, pair[k].low, pair[k].high);
	for (int k = 0; k < 4; k++)
		y[k] = op1(f, pair[k].outer, op1(f, pair[k].inner, x[k]));
	form_result(f, stack(f, y, 4));
	for (int k = 0; k < 4; k++)
		first(f, k, k, r_num(f, 1));
	form_flat(f);
}

void form_inverse_exponentials(struct form *f)
{
	of_inverses(f,
	    (const struct inverse_pair[]){{OP_LOG, OP_EXP, 1.25, 3}, {OP_EXP, OP_LOG, 0.25, 1.5},
	        {OP_LOG1P, OP_EXPM1, 0.25, 2}, {OP_EXPM1, OP_LOG1P, 0.25, 1.5}});
}

void form_inverse_circular(struct form *f)
{
	of_inverses(f,
	    (const struct inverse_pair[]){{OP_ATAN, OP_TAN, 0.25, 2}, {OP_TAN, OP_ATAN, 0.25, 1.25},
	        {OP_ASIN, OP_SIN, 0.25, 0.75}, {OP_SIN, OP_ASIN, 0.25, 1}});
}

void form_inverse_cosines(struct form *f)
{
	of_inverses(f,
	    (const struct inverse_pair[]){{OP_ACOS, OP_COS, -0.75, 0.75}, {OP_COS, OP_ACOS, 0.5, 2.5},
	        {OP_ACOSH, OP_COSH, 1.25, 3}, {OP_COSH, OP_ACOSH, 0.5, 2}});
}

void form_inverse_sines_and_tangents(struct form *f)
{
	of_inverses(f,
	    (const struct inverse_pair[]){{OP_ASINH, OP_SINH, 0.25, 2}, {OP_SINH, OP_ASINH, 0.25, 2},
	        {OP_ATANH, OP_TANH, 0.25, 0.75}, {OP_TANH, OP_ATANH, 0.25, 1.25}});
}

/* log(x y) - log x - log y: constant in both. */
void form_log_of_product(struct form *f)
{
	int x = in_scalar(f, 0.5, 3), y = in_scalar(f, 0.5, 3),
	    sum = op2(f, OP_ADD, op1(f, OP_LOG, x), op1(f, OP_LOG, y));

	form_result(f, op2(f, OP_SUB, op1(f, OP_LOG, op2(f, OP_MUL, x, y)), sum));
	form_flat(f);
}

/* closed_forms_solutions.c: iterations to a solution, as steps and as solutions (the implicit function theorem). */
#include "closed_form.h"

/* Ends the region of a fixed_point with the next carry x of `from`: when they are well within the dtype's precision of
 * each other. */
static int solution(struct form *f, int start, int from, int x)
{
	int close = op2(
	    f, OP_LE, op1(f, OP_ABS, op2(f, OP_SUB, x, from)), lit(f, f->dtype == DTYPE_F64 ? 0x1p-40 : 0x1p-14));

	close_with(f, (const int[]){x, close}, 2);
	return region_op(f, OP_FIXED_POINT, &start, 1, &(struct attrs){.cap = 200, .meaning = MEANING_SOLUTION});
}

/* s -> (s + x/s)/2, n steps: by w = sqrt x and q = (s - w)/(s + w) it is w (1 + q^N)/(1 - q^N), N = 2^n. */
void form_heron_steps(struct form *f)
{
	int n = form_between(f, 1, 4), x = in_scalar(f, 0.5, 4), start = lit(f, 2.5), half = lit(f, 0.5),
	    p = open_for(f, &start, 1);
	int q = op2(f, OP_MUL, half, op2(f, OP_ADD, p + 1, op2(f, OP_DIV, x, p + 1)));

	close_with(f, &q, 1);
	form_result(f, for_trip(f, &start, 1, n));
	real w = r_sqrt(f, f->x[0]), s = r_num(f, 2.5), sum = r_add(f, s, w), ratio = r_div(f, r_sub(f, s, w), sum);
	real power = r_pow(f, ratio, 1 << n),
	     moved = r_div(f, r_times(f, -5, r_pow(f, ratio, (1 << n) - 1)), r_mul(f, sum, sum));
	real rest = r_sub(f, r_num(f, 1), power);
	moved = r_times(f, 1 << n, moved); /* d q^N / d w */
	real by_w = r_add(
	    f, r_div(f, r_plus(f, power, 1), rest), r_div(f, r_times(f, 2, r_mul(f, w, moved)), r_mul(f, rest, rest)));
	first(f, 0, 0, r_div(f, by_w, r_times(f, 2, w)));
}

void form_heron_solution(struct form *f)
{
	int x = in_scalar(f, 0.5, 4), start = lit(f, 2.5), half = lit(f, 0.5), p = open_like(f, &start, 1);
	int q = op2(f, OP_MUL, half, op2(f, OP_ADD, p, op2(f, OP_DIV, x, p)));

	form_result(f, solution(f, start, p, q));
	first(f, 0, 0, r_times(f, 0.5, r_pow(f, r_sqrt(f, f->x[0]), -1)));
}

/* Newton's iteration for a reciprocal without a division. */
void form_reciprocal_solution(struct form *f)
{
	int x = in_scalar(f, 0.75, 1.25), start = lit(f, 1), two = lit(f, 2), p = open_like(f, &start, 1);
	int q = op2(f, OP_MUL, p, op2(f, OP_SUB, two, op2(f, OP_MUL, x, p)));

	form_result(f, solution(f, start, p, q));
	first(f, 0, 0, r_neg(f, r_pow(f, f->x[0], -2)));
}

void form_cube_root_solution(struct form *f)
{
	int x = in_scalar(f, 0.5, 3), start = lit(f, 1.25), third_ = lit(f, 3), two = lit(f, 2),
	    p = open_like(f, &start, 1);
	int top = op2(f, OP_ADD, op2(f, OP_MUL, two, p), op2(f, OP_DIV, x, op1(f, OP_SQUARE, p))),
	    q = op2(f, OP_DIV, top, third_);

	form_result(f, solution(f, start, p, q));
	first(f, 0, 0, r_div(f, r_num(f, 1), r_times(f, 3, r_pow(f, r_fn(f, mpfr_cbrt, f->x[0]), 2))));
}

static real cosine_excess(struct form *f, real x, const real *p)
{
	return r_sub(f, x, r_mul(f, p[0], r_fn(f, mpfr_cos, x)));
}

/* x = p cos x */
void form_cosine_solution(struct form *f)
{
	(void)in_scalar(f, 0.25, 0.75);
	int start = lit(f, 0.5), p = open_like(f, &start, 1), q = op2(f, OP_MUL, 0, op1(f, OP_COS, p));

	form_result(f, solution(f, start, p, q));
	real x = r_root(f, cosine_excess, f->x, 0, 1);
	real bottom = r_plus(f, r_mul(f, f->x[0], r_fn(f, mpfr_sin, x)), 1);
	first(f, 0, 0, r_div(f, r_fn(f, mpfr_cos, x), bottom));
}

static real kepler_excess(struct form *f, real x, const real *p)
{
	return r_sub(f, r_sub(f, x, r_mul(f, p[1], r_fn(f, mpfr_sin, x))), p[0]);
}

/* Kepler's equation E = M + e sin E. */
void form_kepler(struct form *f)
{
	int mean = in_scalar(f, 0.25, 2.5), eccentricity = in_scalar(f, 0.0625, 0.5), p = open_like(f, &mean, 1);
	int q = op2(f, OP_ADD, mean, op2(f, OP_MUL, eccentricity, op1(f, OP_SIN, p)));

	form_result(f, solution(f, mean, p, q));
	real x = r_root(f, kepler_excess, f->x, 0, 4);
	real bottom = r_sub(f, r_num(f, 1), r_mul(f, f->x[1], r_fn(f, mpfr_cos, x)));
	first(f, 0, 0, r_pow(f, bottom, -1));
	first(f, 0, 1, r_div(f, r_fn(f, mpfr_sin, x), bottom));
}

/* x = a x + b */
void form_linear_solution(struct form *f)
{
	int a = in_scalar(f, -0.5, 0.5), b = in_scalar(f, 0.5, 2), start = lit(f, 0), p = open_like(f, &start, 1);
	int q = op2(f, OP_ADD, op2(f, OP_MUL, a, p), b);

	form_result(f, solution(f, start, p, q));
	real rest = r_sub(f, r_num(f, 1), f->x[0]);
	first(f, 0, 0, r_div(f, f->x[1], r_mul(f, rest, rest)));
	first(f, 0, 1, r_pow(f, rest, -1));
}

static real lambert_excess(struct form *f, real x, const real *p)
{
	return r_sub(f, r_mul(f, x, r_fn(f, mpfr_exp, x)), p[0]);
}

/* x = p e^-x: Lambert's function W, W' = W/(p (1 + W)). */
void form_lambert_solution(struct form *f)
{
	int p = in_scalar(f, 0.25, 1), start = lit(f, 0.5), c = open_like(f, &start, 1);
	int q = op2(f, OP_MUL, p, op1(f, OP_EXP, op1(f, OP_NEG, c)));

	form_result(f, solution(f, start, c, q));
	real w = r_root(f, lambert_excess, f->x, 0, 1);
	first(f, 0, 0, r_div(f, w, r_mul(f, f->x[0], r_plus(f, w, 1))));
}

/* The same iteration of meaning `steps` that is not over after its few steps: x -> a x + b, so a^n start + b (1 -
 * a^n)/(1 - a). */
void form_linear_steps(struct form *f)
{
	int n = form_between(f, 1, 6), a = in_scalar(f, 0.25, 0.75), b = in_scalar(f, 0.5, 2),
	    start = in_scalar(f, -1, 0), p = open_like(f, &start, 1);
	int q = op2(f, OP_ADD, op2(f, OP_MUL, a, p), b), never = op2(f, OP_LT, q, start);

	close_with(f, (const int[]){q, never}, 2);
	form_result(f, region_op(f, OP_FIXED_POINT, &start, 1, &(struct attrs){.cap = n, .meaning = MEANING_STEPS}));
	real x = f->x[0], power = r_pow(f, x, n), by_a = r_times(f, n, r_mul(f, f->x[2], r_pow(f, x, n - 1))),
	     by_b = r_num(f, 0);
	for (int k = 0; k < n; k++) {
		by_b = r_add(f, by_b, r_pow(f, x, k));
		by_a = k ? r_add(f, by_a, r_times(f, k, r_mul(f, f->x[1], r_pow(f, x, k - 1)))) : by_a;
	}
	first(f, 0, 0, by_a);
	first(f, 0, 1, by_b);
	first(f, 0, 2, power);
}

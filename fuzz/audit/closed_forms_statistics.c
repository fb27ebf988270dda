/* closed_forms_statistics.c: reductions of a vector: means, norms, softmax and their losses. */
#include "closed_form.h"

static real r_exp(struct form *f, real a) { return r_fn(f, mpfr_exp, a); }
static double delta(int i, int j) { return i == j; }

/* The sum of term(x_i) over the first n elements. */
static real sum_of(struct form *f, int n, real (*term)(struct form *f, real x))
{
	real sum = r_num(f, 0);

	for (int i = 0; i < n; i++)
		sum = r_add(f, sum, term(f, f->x[i]));
	return sum;
}

static real itself(struct form *f, real x) { return (void)f, x; }
static real square(struct form *f, real x) { return r_mul(f, x, x); }

/* e^x_i / sum e^x */
static const real *softmax_of(struct form *f, int n)
{
	real *s = NEW(f->arena, real, n), sum = sum_of(f, n, r_exp);

	for (int i = 0; i < n; i++)
		s[i] = r_div(f, r_exp(f, f->x[i]), sum);
	return s;
}

/* ---- softmax and logsumexp ---- */

/* With the maximum taken off, a constant to differentiation; the Jacobian is diag(s) - s s'. */
void form_softmax(struct form *f)
{
	int n = form_between(f, 2, 5), x = in_values(f, n, form_apart(f, n, -2, 2));
	int shifted = op2(f, OP_SUB, x, op1(f, OP_STOP_GRADIENT, reduce(f, OP_REDUCE_MAX, x))),
	    e = op1(f, OP_EXP, shifted);

	form_result(f, op2(f, OP_DIV, e, reduce(f, OP_REDUCE_SUM, e)));
	const real *s = softmax_of(f, n);
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			first(f, k, i, r_mul(f, s[k], r_sub(f, r_num(f, delta(i, k)), s[i])));
}

static void of_logsumexp(struct form *f, int n)
{
	const real *s = softmax_of(f, n);

	for (int i = 0; i < n; i++) {
		first(f, 0, i, s[i]);
		for (int j = 0; j <= i; j++)
			second(f, 0, i, j, r_mul(f, s[i], r_sub(f, r_num(f, delta(i, j)), s[j])));
	}
}

void form_logsumexp(struct form *f)
{
	int n = form_between(f, 1, 5), x = in_vector(f, n, -2, 2);

	form_result(f, reduce(f, OP_LOGSUMEXP, x));
	of_logsumexp(f, n);
}

void form_logsumexp_by_parts(struct form *f)
{
	int n = form_between(f, 2, 5), x = in_vector(f, n, 0.25, 2);

	form_result(f, op1(f, OP_LOG, reduce(f, OP_REDUCE_SUM, op1(f, OP_EXP, x))));
	of_logsumexp(f, n);
}

/* -log of the softmax at a label: s - e_label. */
void form_cross_entropy(struct form *f)
{
	int n = form_between(f, 2, 5), label = form_between(f, 0, n - 1), x = in_vector(f, n, -2, 2),
	    index = in_integer(f, label);
	int picked = gather(f, x, index, MODE_CLIP);

	form_result(f, op2(f, OP_SUB, reduce(f, OP_LOGSUMEXP, x), picked));
	const real *s = softmax_of(f, n);
	for (int i = 0; i < n; i++) {
		first(f, 0, i, r_plus(f, s[i], -delta(i, label)));
		for (int j = 0; j <= i; j++)
			second(f, 0, i, j, r_mul(f, s[i], r_sub(f, r_num(f, delta(i, j)), s[j])));
	}
}

/* The same of a logit and a target in [0, 1]: log(1 + e^x) - t x. */
void form_binary_cross_entropy(struct form *f)
{
	double target = form_draw(f, 0, 1);
	int x = in_scalar(f, -2, 2);

	form_result(f, op2(f, OP_SUB, op1(f, OP_LOG1P, op1(f, OP_EXP, x)), op2(f, OP_MUL, lit(f, target), x)));
	real s = r_pow(f, r_plus(f, r_exp(f, r_neg(f, f->x[0])), 1), -1);
	derivatives(f, r_plus(f, s, -target), r_mul(f, s, r_sub(f, r_num(f, 1), s)));
}

/* ---- norms ---- */

/* x/|x|, (I - x x'/|x|^2)/|x| */
static void of_norm(struct form *f, int n)
{
	real y = r_sqrt(f, sum_of(f, n, square));

	for (int i = 0; i < n; i++) {
		real u = r_div(f, f->x[i], y);

		first(f, 0, i, u);
		for (int j = 0; j <= i; j++)
			second(f, 0, i, j,
			    r_div(f, r_sub(f, r_num(f, delta(i, j)), r_mul(f, u, r_div(f, f->x[j], y))), y));
	}
}

void form_norm(struct form *f)
{
	int n = form_between(f, 1, 5), x = in_values(f, n, form_apart(f, n, 0.25, 3));

	form_result(f, reduce(f, OP_NORM, x));
	of_norm(f, n);
}

void form_norm_by_parts(struct form *f)
{
	int n = form_between(f, 2, 5), x = in_values(f, n, form_apart(f, n, 0.25, 3));

	form_result(f, op1(f, OP_SQRT, reduce(f, OP_REDUCE_SUM, op1(f, OP_SQUARE, x))));
	of_norm(f, n);
}

/* The unit vector x/|x|. */
void form_normalize(struct form *f)
{
	int n = form_between(f, 2, 4), x = in_values(f, n, form_apart(f, n, 0.5, 3));

	form_result(f, op2(f, OP_DIV, x, reduce(f, OP_NORM, x)));
	real y = r_sqrt(f, sum_of(f, n, square)), cube = r_pow(f, y, 3);
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			first(f, k, i,
			    r_sub(f, r_times(f, delta(i, k), r_pow(f, y, -1)),
			        r_div(f, r_mul(f, f->x[i], f->x[k]), cube)));
}

/* (sum x^p)^(1/p), p = 3: (x_i/y)^2. */
void form_p_norm(struct form *f)
{
	int n = form_between(f, 1, 4), x = in_vector(f, n, 0.5, 2), cubes = op2(f, OP_POW, x, lit(f, 3)),
	    third_ = op2(f, OP_DIV, lit(f, 1), lit(f, 3));

	form_result(f, op2(f, OP_POW, reduce(f, OP_REDUCE_SUM, cubes), third_));
	real sum = r_num(f, 0);
	for (int i = 0; i < n; i++)
		sum = r_add(f, sum, r_pow(f, f->x[i], 3));
	for (int i = 0; i < n; i++)
		first(f, 0, i, r_pow(f, r_div(f, f->x[i], r_fn(f, mpfr_cbrt, sum)), 2));
}

/* ---- means ---- */

void form_mean(struct form *f)
{
	int n = form_between(f, 1, 7), x = in_vector(f, n, -2, 2);

	form_result(f, reduce(f, OP_REDUCE_MEAN, x));
	for (int i = 0; i < n; i++)
		first(f, 0, i, r_pow(f, r_num(f, n), -1));
	form_flat(f);
}

/* 2 (x_i - m)/n, 2 (delta - 1/n)/n */
void form_variance(struct form *f)
{
	int n = form_between(f, 2, 5), x = in_values(f, n, form_apart(f, n, -2, 2)),
	    centred = op2(f, OP_SUB, x, reduce(f, OP_REDUCE_MEAN, x));

	form_result(f, reduce(f, OP_REDUCE_MEAN, op1(f, OP_SQUARE, centred)));
	real mean = r_div(f, sum_of(f, n, itself), r_num(f, n));
	for (int i = 0; i < n; i++) {
		first(f, 0, i, r_div(f, r_times(f, 2, r_sub(f, f->x[i], mean)), r_num(f, n)));
		for (int j = 0; j <= i; j++)
			second(f, 0, i, j,
			    r_div(f, r_times(f, 2, r_sub(f, r_num(f, delta(i, j)), r_pow(f, r_num(f, n), -1))),
			        r_num(f, n)));
	}
}

/* z = (x - m)/s: (delta - 1/n - z_i z_k/n)/s. */
void form_standardize(struct form *f)
{
	int n = form_between(f, 3, 5), x = in_values(f, n, form_apart(f, n, -2, 2)),
	    centred = op2(f, OP_SUB, x, reduce(f, OP_REDUCE_MEAN, x));

	form_result(f, op2(f, OP_DIV, centred, op1(f, OP_SQRT, reduce(f, OP_REDUCE_MEAN, op1(f, OP_SQUARE, centred)))));
	real count = r_num(f, n), mean = r_div(f, sum_of(f, n, itself), count),
	     squares = r_div(f, sum_of(f, n, square), count);
	real deviation = r_sqrt(f, r_sub(f, squares, r_mul(f, mean, mean)));
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++) {
			real z = r_div(f, r_sub(f, f->x[k], mean), deviation),
			     w = r_div(f, r_sub(f, f->x[i], mean), deviation);
			real rest = r_div(f, r_plus(f, r_mul(f, z, w), 1), count);

			first(f, k, i, r_div(f, r_sub(f, r_num(f, delta(i, k)), rest), deviation));
		}
}

/* e^(mean of log x): y/(n x_i). */
void form_geometric_mean(struct form *f)
{
	int n = form_between(f, 1, 5), x = in_vector(f, n, 0.5, 3);

	form_result(f, op1(f, OP_EXP, reduce(f, OP_REDUCE_MEAN, op1(f, OP_LOG, x))));
	real product = r_num(f, 1), y = r_num(f, 0);
	for (int i = 0; i < n; i++)
		product = r_mul(f, product, f->x[i]);
	y = r_exp(f, r_div(f, r_fn(f, mpfr_log, product), r_num(f, n)));
	for (int i = 0; i < n; i++) {
		first(f, 0, i, r_div(f, y, r_times(f, n, f->x[i])));
		for (int j = 0; j <= i; j++)
			second(f, 0, i, j,
			    r_div(
			        f, r_times(f, 1 - n * delta(i, j), y), r_times(f, n * n, r_mul(f, f->x[i], f->x[j]))));
	}
}

/* 1/mean(1/x): y^2/(n x_i^2). */
void form_harmonic_mean(struct form *f)
{
	int n = form_between(f, 1, 5), x = in_vector(f, n, 0.5, 3), one = lit(f, 1);

	form_result(f, op2(f, OP_DIV, one, reduce(f, OP_REDUCE_MEAN, op2(f, OP_DIV, one, x))));
	real sum = r_num(f, 0);
	for (int i = 0; i < n; i++)
		sum = r_add(f, sum, r_pow(f, f->x[i], -1));
	for (int i = 0; i < n; i++)
		first(f, 0, i, r_times(f, n, r_pow(f, r_mul(f, sum, f->x[i]), -2)));
}

/* ---- sums and products ---- */

/* The product of all: of those without one, and without two. */
void form_product(struct form *f)
{
	int n = form_between(f, 1, 5);
	double *point = form_apart(f, n, 0.5, 2.5);

	if (form_coin(f))
		point[form_between(f, 0, n - 1)] = 0;
	form_result(f, reduce(f, OP_REDUCE_PROD, in_values(f, n, point)));
	for (int i = 0; i < n; i++)
		for (int j = 0; j <= i; j++) {
			real rest = r_num(f, 1);

			for (int k = 0; k < n; k++)
				rest = k == i || k == j ? rest : r_mul(f, rest, f->x[k]);
			if (i == j)
				first(f, 0, i, rest);
			else
				second(f, 0, i, j, rest);
		}
	form_flat(f);
}

void form_cumulative_sum(struct form *f)
{
	int n = form_between(f, 1, 6), x = in_vector(f, n, -2, 2);

	form_result(f, op_axis(f, OP_CUMSUM, x, 0));
	for (int k = 0; k < n; k++)
		for (int i = 0; i <= k; i++)
			first(f, k, i, r_num(f, 1));
	form_flat(f);
}

void form_cumulative_product(struct form *f)
{
	int n = form_between(f, 2, 4), x = in_vector(f, n, 0.5, 2);

	form_result(f, op_axis(f, OP_CUMPROD, x, 0));
	real y = r_num(f, 1);
	for (int k = 0; k < n; k++) {
		y = r_mul(f, y, f->x[k]);
		for (int i = 0; i <= k; i++) {
			first(f, k, i, r_div(f, y, f->x[i]));
			for (int j = 0; j < i; j++)
				second(f, k, i, j, r_div(f, y, r_mul(f, f->x[i], f->x[j])));
		}
	}
	form_flat(f);
}

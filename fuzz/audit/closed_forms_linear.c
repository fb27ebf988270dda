/* closed_forms_linear.c: linear algebra: products, forms, determinants, inverses. */
#include "closed_form.h"

/* x'Ax with a constant A: (A + A')x, and A + A'. */
void form_quadratic_form(struct form *f)
{
	int n = form_between(f, 1, 4);
	double *a = NEW(f->arena, double, n *n);

	for (int k = 0; k < n * n; k++)
		a[k] = form_draw(f, -2, 2);
	int x = in_vector(f, n, -2, 2), product = op2(f, OP_MATMUL, lit_matrix(f, n, n, a), x);
	form_result(f, op2(f, OP_MATMUL, x, product));
	for (int i = 0; i < n; i++) {
		real sum = r_num(f, 0);

		for (int j = 0; j < n; j++) {
			double both = a[i * n + j] + a[j * n + i];

			sum = r_add(f, sum, r_times(f, both, f->x[j]));
			second(f, 0, i, j, r_num(f, both));
		}
		first(f, 0, i, sum);
	}
}

/* x'My with all three inputs: outer products. */
void form_bilinear_form(struct form *f)
{
	int n = form_between(f, 1, 3), m = form_between(f, 1, 3), x = in_vector(f, n, -2, 2),
	    y = in_vector(f, m, -2, 2), a = in_matrix(f, n, m, -2, 2);
	const real *u = f->x, *v = f->x + n, *w = f->x + n + m;

	form_result(f, op2(f, OP_MATMUL, op2(f, OP_MATMUL, x, a), y));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			first(f, 0, n + m + i * m + j, r_mul(f, u[i], v[j]));
	for (int i = 0; i < n; i++) {
		real sum = r_num(f, 0);

		for (int j = 0; j < m; j++)
			sum = r_add(f, sum, r_mul(f, w[i * m + j], v[j]));
		first(f, 0, i, sum);
	}
	for (int j = 0; j < m; j++) {
		real sum = r_num(f, 0);

		for (int i = 0; i < n; i++)
			sum = r_add(f, sum, r_mul(f, w[i * m + j], u[i]));
		first(f, 0, n + j, sum);
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			second(f, 0, i, n + j, w[i * m + j]);
			second(f, 0, i, n + m + i * m + j, v[j]);
			second(f, 0, n + j, n + m + i * m + j, u[i]);
		}
}

/* C = A B: by a_ij the row j of B, by b_ij the column i of A. */
void form_matrix_product(struct form *f)
{
	int n = form_between(f, 1, 2), m = form_between(f, 1, 3), q = form_between(f, 1, 2),
	    a = in_matrix(f, n, m, -2, 2), b = in_matrix(f, m, q, -2, 2);

	form_result(f, op2(f, OP_MATMUL, a, b));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < q; j++)
			for (int k = 0; k < m; k++) {
				first(f, i * q + j, i * m + k, f->x[n * m + k * q + j]);
				first(f, i * q + j, n * m + k * q + j, f->x[i * m + k]);
				second(f, i * q + j, i * m + k, n * m + k * q + j, r_num(f, 1));
			}
}

/* A chain of matrices and a vector, associated from the left: A^n v with A symmetric [[a, b], [b, a]] has the
 * eigenvalues a + b and a - b. */
void form_matrix_chain(struct form *f)
{
	int n = form_between(f, 1, 5), a = in_scalar(f, 0.5, 1.25), b = in_scalar(f, 0.125, 0.375),
	    unit = lit_values(f, 2, (const double[]){1, 0});
	int m = reshape(f, stack(f, (const int[]){a, b, b, a}, 4), 2, 2, 2), y = m;

	for (int k = 1; k < n; k++)
		y = op2(f, OP_MATMUL, y, m);
	form_result(f, op2(f, OP_MATMUL, y, unit));
	/* ((a + b)^n + (a - b)^n)/2, ((a + b)^n - (a - b)^n)/2 */
	real plus = r_times(f, n, r_pow(f, r_add(f, f->x[0], f->x[1]), n - 1)),
	     minus = r_times(f, n, r_pow(f, r_sub(f, f->x[0], f->x[1]), n - 1));
	real even = r_times(f, 0.5, r_add(f, plus, minus)), odd = r_times(f, 0.5, r_sub(f, plus, minus));
	first(f, 0, 0, even);
	first(f, 0, 1, odd);
	first(f, 1, 0, odd);
	first(f, 1, 1, even);
}

/* det(L U) = the product of the diagonals, though it is computed from the product matrix: [[l, 0], [a, m]] [[u, b], [0,
 * v]]. */
void form_triangular_determinant(struct form *f)
{
	int l = in_vector(f, 3, 0.5, 2), u = in_vector(f, 3, 0.5, 2), zero = lit(f, 0); /* l: l a m; u: u b v */
	int left = reshape(
	    f, stack(f, (const int[]){element(f, l, 0), zero, element(f, l, 1), element(f, l, 2)}, 4), 2, 2, 2);
	int right = reshape(
	    f, stack(f, (const int[]){element(f, u, 0), element(f, u, 1), zero, element(f, u, 2)}, 4), 2, 2, 2);
	int p = reshape(f, op2(f, OP_MATMUL, left, right), 1, 4, 0);

	form_result(f,
	    op2(f, OP_SUB, op2(f, OP_MUL, element(f, p, 0), element(f, p, 3)),
	        op2(f, OP_MUL, element(f, p, 1), element(f, p, 2))));
	static const int diagonal[] = {0, 2, 3, 5};
	for (int i = 0; i < 4; i++)
		for (int j = 0; j <= i; j++) {
			real rest = r_num(f, 1);

			for (int k = 0; k < 4; k++)
				rest = k == i || k == j ? rest : r_mul(f, rest, f->x[diagonal[k]]);
			if (i == j)
				first(f, 0, diagonal[i], rest);
			else
				second(f, 0, diagonal[i], diagonal[j], rest);
		}
}

/* The product of x_j - x_i: y times the sum of 1/(x_i - x_j). */
void form_vandermonde(struct form *f)
{
	int n = form_between(f, 2, 4), x = in_values(f, n, form_apart(f, n, -2, 2)), y = lit(f, 1);

	for (int j = 0; j < n; j++)
		for (int i = 0; i < j; i++)
			y = op2(f, OP_MUL, y, op2(f, OP_SUB, element(f, x, j), element(f, x, i)));
	form_result(f, y);
	real product = r_num(f, 1);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < j; i++)
			product = r_mul(f, product, r_sub(f, f->x[j], f->x[i]));
	for (int i = 0; i < n; i++) {
		real sum = r_num(f, 0);

		for (int j = 0; j < n; j++)
			sum = i == j ? sum : r_add(f, sum, r_pow(f, r_sub(f, f->x[i], f->x[j]), -1));
		first(f, 0, i, r_mul(f, product, sum));
	}
}

/* The inverse of [[a, b], [c, d]] by its adjugate: d(A^-1)_ij / dA_kl = -(A^-1)_ik (A^-1)_lj. */
void form_inverse_matrix(struct form *f)
{
	int a = in_scalar(f, 1.5, 3), b = in_scalar(f, 0.25, 1), c = in_scalar(f, 0.25, 1), d = in_scalar(f, 1.5, 3);
	int determinant = op2(f, OP_SUB, op2(f, OP_MUL, a, d), op2(f, OP_MUL, b, c));

	form_result(
	    f, op2(f, OP_DIV, stack(f, (const int[]){d, op1(f, OP_NEG, b), op1(f, OP_NEG, c), a}, 4), determinant));
	const real *x = f->x;
	real det = r_sub(f, r_mul(f, x[0], x[3]), r_mul(f, x[1], x[2]));
	const real inverse[] = {
	    r_div(f, x[3], det), r_neg(f, r_div(f, x[1], det)), r_neg(f, r_div(f, x[2], det)), r_div(f, x[0], det)};
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			for (int k = 0; k < 2; k++)
				for (int l = 0; l < 2; l++)
					first(f, 2 * i + j, 2 * k + l,
					    r_neg(f, r_mul(f, inverse[2 * i + k], inverse[2 * l + j])));
}

/* tr(A A'), the square of Frobenius' norm: 2 A. */
void form_frobenius(struct form *f)
{
	int n = form_between(f, 1, 3), m = form_between(f, 1, 3), a = in_matrix(f, n, m, -2, 2);
	int product = op2(f, OP_MATMUL, a, op_n(f, OP_TRANSPOSE, &a, 1, &(struct attrs){.n_axes = 2, .axes = {1, 0}})),
	    trace = lit(f, 0);
	int flat = reshape(f, product, 1, n * n, 0);

	for (int k = 0; k < n; k++)
		trace = op2(f, OP_ADD, trace, element(f, flat, k * n + k));
	form_result(f, trace);
	for (int i = 0; i < n * m; i++) {
		first(f, 0, i, r_times(f, 2, f->x[i]));
		second(f, 0, i, i, r_num(f, 2));
	}
}

/* Outer product x y'. */
void form_outer_product(struct form *f)
{
	int n = form_between(f, 1, 3), m = form_between(f, 1, 3), x = in_vector(f, n, -2, 2),
	    y = in_vector(f, m, -2, 2);

	form_result(f, op2(f, OP_MUL, reshape(f, x, 2, n, 1), reshape(f, y, 2, 1, m)));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			first(f, i * m + j, i, f->x[n + j]);
			first(f, i * m + j, n + j, f->x[i]);
			second(f, i * m + j, i, n + j, r_num(f, 1));
		}
}

/* cos of the angle between two vectors: (v_i/|v| - c u_i/|u|)/|u|. */
void form_cosine_similarity(struct form *f)
{
	int n = form_between(f, 2, 4), u = in_vector(f, n, 0.25, 2), v = in_vector(f, n, 0.25, 2);

	form_result(
	    f, op2(f, OP_DIV, op2(f, OP_MATMUL, u, v), op2(f, OP_MUL, reduce(f, OP_NORM, u), reduce(f, OP_NORM, v))));
	real dot = r_num(f, 0), square[2] = {dot, dot};
	for (int i = 0; i < n; i++) {
		dot = r_add(f, dot, r_mul(f, f->x[i], f->x[n + i]));
		for (int k = 0; k < 2; k++)
			square[k] = r_add(f, square[k], r_mul(f, f->x[k * n + i], f->x[k * n + i]));
	}
	real size = r_sqrt(f, r_mul(f, square[0], square[1]));
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < n; i++) {
			real other = r_div(f, f->x[(1 - k) * n + i], size),
			     own = r_div(f, r_mul(f, dot, f->x[k * n + i]), r_mul(f, size, square[k]));

			first(f, 0, k * n + i, r_sub(f, other, own));
		}
}

/* Linear least squares of one unknown: the sum of (a_i x - b_i)^2. */
void form_least_squares(struct form *f)
{
	int n = form_between(f, 1, 4), a = in_vector(f, n, -2, 2), b = in_vector(f, n, -2, 2), x = in_scalar(f, -2, 2);

	form_result(f, reduce(f, OP_REDUCE_SUM, op1(f, OP_SQUARE, op2(f, OP_SUB, op2(f, OP_MUL, a, x), b))));
	real at = f->x[2 * n], by_x = r_num(f, 0);
	for (int i = 0; i < n; i++) {
		real twice = r_times(f, 2, r_sub(f, r_mul(f, f->x[i], at), f->x[n + i]));

		first(f, 0, i, r_mul(f, twice, at));
		first(f, 0, n + i, r_neg(f, twice));
		by_x = r_add(f, by_x, r_mul(f, twice, f->x[i]));
		second(f, 0, i, i, r_times(f, 2, r_mul(f, at, at)));
		second(f, 0, i, n + i, r_times(f, -2, at));
		second(f, 0, n + i, n + i, r_num(f, 2));
		second(f, 0, n + i, 2 * n, r_times(f, -2, f->x[i]));
		second(f, 0, i, 2 * n, r_add(f, twice, r_times(f, 2, r_mul(f, f->x[i], at))));
	}
	real squares = r_num(f, 0);
	for (int i = 0; i < n; i++)
		squares = r_add(f, squares, r_times(f, 2, r_mul(f, f->x[i], f->x[i])));
	first(f, 0, 2 * n, by_x);
	second(f, 0, 2 * n, 2 * n, squares);
}

/* A stack of products, broadcast over the leading axis: y_bi = sum_j A_ij x_bj. */
void form_batched_product(struct form *f)
{
	int n = 2, m = form_between(f, 1, 3), size = form_between(f, 1, 2), a = in_matrix(f, n, m, -2, 2),
	    x = in_matrix(f, size, m, -2, 2);
	int column = op_n(f, OP_RESHAPE, &x, 1, &(struct attrs){.shape = {.rank = 3, .extent = {size, m, 1}}});

	form_result(f, op2(f, OP_MATMUL, a, column));
	for (int k = 0; k < size; k++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < m; j++) {
				first(f, k * n + i, i * m + j, f->x[n * m + k * m + j]);
				first(f, k * n + i, n * m + k * m + j, f->x[i * m + j]);
				second(f, k * n + i, i * m + j, n * m + k * m + j, r_num(f, 1));
			}
}

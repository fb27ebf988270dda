/* closed_forms_loops.c: recurrences in loops, whose n-th term has a formula. */
#include "closed_form.h"

/* n x^(n-1) and n (n-1) x^(n-2). */
static void of_power(struct form *f, int n)
{
	real x = f->x[0];

	derivatives(f, r_times(f, n, r_pow(f, x, n - 1)), r_times(f, (double)n * (n - 1), r_pow(f, x, n - 2)));
	third(f, r_times(f, (double)n * (n - 1) * (n - 2), r_pow(f, x, n - 3)));
}

void form_power_for(struct form *f)
{
	int n = form_between(f, 0, 9), x = in_scalar(f, 0.25, 1.5), one = lit(f, 1), p = open_for(f, &one, 1);
	int q = op2(f, OP_MUL, p + 1, x);

	close_with(f, &q, 1);
	form_result(f, for_trip(f, &one, 1, n));
	of_power(f, n);
}

void form_power_while(struct form *f)
{
	int n = form_between(f, 1, 9), x = in_scalar(f, -1.5, -0.25), carry[] = {lit_integer(f, 0), lit(f, 1)};
	int bound = lit_integer(f, n), step = lit_integer(f, 1);
	int p = open_like(f, carry, 2), more = op2(f, OP_LT, p, bound);

	close_with(f, &more, 1);
	p = open_like(f, carry, 2);
	close_with(f, (const int[]){op2(f, OP_ADD, p, step), op2(f, OP_MUL, x, p + 1)}, 2);
	form_result(f, region_op(f, OP_WHILE, carry, 2, &(struct attrs){.cap = n + form_between(f, 0, 3)}) + 1);
	of_power(f, n);
}

/* The trip count is an input; a cap below it counts. */
void form_power_dynamic(struct form *f)
{
	int trip = form_between(f, -1, 9), cap = form_between(f, 1, 7), n = trip < 0 ? 0 : trip < cap ? trip : cap;
	int x = in_scalar(f, 0.25, 1.5), count = in_integer(f, trip), one = lit(f, 1), p = open_for(f, &one, 1);
	int q = op2(f, OP_MUL, p + 1, x);

	close_with(f, &q, 1);
	form_result(f, region_op(f, OP_FOR, (const int[]){count, one}, 2, &(struct attrs){.trip = -1, .cap = cap}));
	of_power(f, n);
}

/* All powers up to x^n as the outputs of a scan. */
void form_power_scan(struct form *f)
{
	int n = form_between(f, 1, 8), x = in_scalar(f, 0.25, 1.5), one = lit(f, 1), p = open_like(f, &one, 1);
	int q = op2(f, OP_MUL, p, x);

	close_with(f, (const int[]){q, q}, 2);
	form_result(f, region_op(f, OP_SCAN, &one, 1, &(struct attrs){.trip = n, .carries = 1}) + 1);
	for (int k = 0; k < n; k++) {
		first(f, k, 0, r_times(f, k + 1, r_pow(f, f->x[0], k)));
		second(f, k, 0, 0, r_times(f, (double)(k + 1) * k, r_pow(f, f->x[0], k - 1)));
	}
}

/* Squared n times. */
void form_power_squaring(struct form *f)
{
	int n = form_between(f, 0, 4), x = in_scalar(f, 0.75, 1.25), p = open_for(f, &x, 1),
	    q = op1(f, OP_SQUARE, p + 1);

	close_with(f, &q, 1);
	form_result(f, for_trip(f, &x, 1, n));
	of_power(f, 1 << n);
}

/* Doubled until it exceeds 1: the number of steps is of the path, the derivative 2^n. */
void form_early_exit(struct form *f)
{
	int n = form_between(f, 1, 5), x = in_scalar(f, 1.125 / (1 << n), 1.75 / (1 << n)), one = lit(f, 1),
	    two = lit(f, 2);
	int p = open_for(f, &x, 1), q = op2(f, OP_MUL, p + 1, two);

	close_with(f, (const int[]){q, op2(f, OP_GT, q, one)}, 2);
	form_result(f, region_op(f, OP_FOR, &x, 1, &(struct attrs){.trip = n + 3, .cap = n + 3, .until = true}));
	/* The draw is a multiple of 1/64: it may be smaller than asked for. */
	double value = f->point[0].at[0].f;
	int steps = 0;
	do
		value *= 2;
	while (++steps < n + 3 && value <= 1);
	derivatives(f, r_num(f, 1 << steps), r_num(f, 0));
}

void form_geometric_sum(struct form *f)
{
	int n = form_between(f, 1, 9), x = in_scalar(f, -1.25, 1.25), carry[] = {lit(f, 0), lit(f, 1)},
	    p = open_for(f, carry, 2);

	close_with(f, (const int[]){op2(f, OP_ADD, p + 1, p + 2), op2(f, OP_MUL, p + 2, x)}, 2);
	form_result(f, for_trip(f, carry, 2, n));
	real d = r_num(f, 0), d2 = d;
	for (int k = 1; k < n; k++) {
		d = r_add(f, d, r_times(f, k, r_pow(f, f->x[0], k - 1)));
		d2 = k > 1 ? r_add(f, d2, r_times(f, (double)k * (k - 1), r_pow(f, f->x[0], k - 2))) : d2;
	}
	derivatives(f, d, d2);
}

/* The sum of 1/(x + k). */
void form_harmonic_sum(struct form *f)
{
	int n = form_between(f, 1, 9), x = in_scalar(f, 0.5, 3), zero = lit(f, 0), one = lit(f, 1),
	    p = open_for(f, &zero, 1);
	int term = op2(f, OP_DIV, one, op2(f, OP_ADD, x, cast(f, p, f->dtype))), q = op2(f, OP_ADD, p + 1, term);

	close_with(f, &q, 1);
	form_result(f, for_trip(f, &zero, 1, n));
	real d = r_num(f, 0), d2 = d;
	for (int k = 0; k < n; k++) {
		d = r_sub(f, d, r_pow(f, r_plus(f, f->x[0], k), -2));
		d2 = r_add(f, d2, r_times(f, 2, r_pow(f, r_plus(f, f->x[0], k), -3)));
	}
	derivatives(f, d, d2);
}

/* A polynomial by Horner's rule over its coefficients: by c_k it is x^(n-1-k). */
void form_horner(struct form *f)
{
	int n = form_between(f, 1, 6), c = in_vector(f, n, -2, 2), x = in_scalar(f, 0.25, 1.5), zero = lit(f, 0),
	    p = open_scalars(f, 2);
	int q = op2(f, OP_ADD, op2(f, OP_MUL, p, x), p + 1);

	close_with(f, &q, 1);
	form_result(f, region_op(f, OP_SCAN, (const int[]){zero, c}, 2, &(struct attrs){.trip = n, .carries = 1}));
	real d = r_num(f, 0), d2 = d, point = f->x[n];
	for (int k = 0; k < n; k++) {
		int m = n - 1 - k;

		first(f, 0, k, r_pow(f, point, m));
		if (m)
			second(f, 0, k, n, r_times(f, m, r_pow(f, point, m - 1)));
		d = m > 0 ? r_add(f, d, r_mul(f, f->x[k], r_times(f, m, r_pow(f, point, m - 1)))) : d;
		d2 = m > 1 ? r_add(f, d2, r_mul(f, f->x[k], r_times(f, m * (m - 1), r_pow(f, point, m - 2)))) : d2;
	}
	first(f, 0, n, d);
	second(f, 0, n, n, d2);
}

/* (a, b) -> (b, a + b): Fibonacci's numbers. */
void form_fibonacci(struct form *f)
{
	int n = form_between(f, 1, 12), a = in_scalar(f, -2, 2), b = in_scalar(f, -2, 2), carry[] = {a, b},
	    p = open_for(f, carry, 2);
	int low = 0, high = 1; /* F_0, F_1 */

	close_with(f, (const int[]){p + 2, op2(f, OP_ADD, p + 1, p + 2)}, 2);
	form_result(f, for_trip(f, carry, 2, n) + 1);
	for (int k = 0; k < n; k++) {
		int next = low + high;

		low = high;
		high = next;
	}
	first(f, 0, 0, r_num(f, low));
	first(f, 0, 1, r_num(f, high));
	form_flat(f);
}

/* The n-th power of [[x, 1], [0, x]] by matrix products: its corner is n x^(n-1). */
void form_matrix_power(struct form *f)
{
	int n = form_between(f, 1, 6), x = in_scalar(f, 0.25, 1.5), zero = lit(f, 0), one = lit(f, 1);
	int m = reshape(f, stack(f, (const int[]){x, one, zero, x}, 4), 2, 2, 2),
	    unit = lit_matrix(f, 2, 2, (const double[]){1, 0, 0, 1});
	int p = open_for(f, &unit, 1), q = op2(f, OP_MATMUL, p + 1, m);

	close_with(f, &q, 1);
	form_result(f, element(f, reshape(f, for_trip(f, &unit, 1, n), 1, 4, 0), 1));
	derivatives(f, r_times(f, n * (n - 1), r_pow(f, f->x[0], n - 2)),
	    r_times(f, n * (n - 1) * (n - 2), r_pow(f, f->x[0], n - 3)));
}

/* P (1 + r)^n, step by step. */
void form_compound_interest(struct form *f)
{
	int n = form_between(f, 1, 10), capital = in_scalar(f, 1, 4), rate = in_scalar(f, 0.0625, 0.25),
	    p = open_for(f, &capital, 1);
	int q = op2(f, OP_ADD, p + 1, op2(f, OP_MUL, p + 1, rate));

	close_with(f, &q, 1);
	form_result(f, for_trip(f, &capital, 1, n));
	real growth = r_plus(f, f->x[1], 1);
	first(f, 0, 0, r_pow(f, growth, n));
	first(f, 0, 1, r_times(f, n, r_mul(f, f->x[0], r_pow(f, growth, n - 1))));
	second(f, 0, 0, 1, r_times(f, n, r_pow(f, growth, n - 1)));
	second(f, 0, 1, 1, r_times(f, n * (n - 1), r_mul(f, f->x[0], r_pow(f, growth, n - 2))));
}

/* x (x + 1) ... (x + n - 1) */
void form_rising_factorial(struct form *f)
{
	int n = form_between(f, 1, 7), x = in_scalar(f, 0.25, 2), one = lit(f, 1), p = open_for(f, &one, 1);
	int q = op2(f, OP_MUL, p + 1, op2(f, OP_ADD, x, cast(f, p, f->dtype)));

	close_with(f, &q, 1);
	form_result(f, for_trip(f, &one, 1, n));
	real y = r_num(f, 1), s = r_num(f, 0), pairs = s; /* sums of 1/(x + i), and of 1/((x + i)(x + j)) with i < j */
	for (int k = 0; k < n; k++) {
		real factor = r_plus(f, f->x[0], k);

		y = r_mul(f, y, factor);
		pairs = r_add(f, pairs, r_div(f, s, factor));
		s = r_add(f, s, r_pow(f, factor, -1));
	}
	derivatives(f, r_mul(f, y, s), r_times(f, 2, r_mul(f, y, pairs)));
}

/* The product of (x + k + 1)/(x + k) is (x + n)/x. */
void form_telescoping_product(struct form *f)
{
	int n = form_between(f, 1, 8), x = in_scalar(f, 0.5, 3), one = lit(f, 1), p = open_for(f, &one, 1);
	int low = op2(f, OP_ADD, x, cast(f, p, f->dtype)),
	    q = op2(f, OP_MUL, p + 1, op2(f, OP_DIV, op2(f, OP_ADD, low, one), low));

	close_with(f, &q, 1);
	form_result(f, for_trip(f, &one, 1, n));
	derivatives(f, r_times(f, -n, r_pow(f, f->x[0], -2)), r_times(f, 2 * n, r_pow(f, f->x[0], -3)));
}

/* 1 + 1/(1 + ... 1/x) = (F_{n+1} x + F_n)/(F_n x + F_{n-1}), a Moebius map of determinant (-1)^n. */
void form_continued_fraction(struct form *f)
{
	int n = form_between(f, 1, 9), x = in_scalar(f, 0.5, 3), one = lit(f, 1), p = open_for(f, &x, 1);
	int q = op2(f, OP_ADD, one, op2(f, OP_DIV, one, p + 1)), low = 0, high = 1;

	close_with(f, &q, 1);
	form_result(f, for_trip(f, &x, 1, n));
	for (int k = 1; k < n; k++) {
		int next = low + high;

		low = high;
		high = next;
	}
	real bottom = r_plus(f, r_times(f, high, f->x[0]), low);
	double sign = n % 2 ? -1 : 1;
	derivatives(f, r_times(f, sign, r_pow(f, bottom, -2)), r_times(f, -2 * sign * high, r_pow(f, bottom, -3)));
}

/* The logistic map at r = 4: sin^2(2^n asin sqrt x). */
void form_logistic_map(struct form *f)
{
	int n = form_between(f, 1, 5), x = in_scalar(f, 0.125, 0.375), four = lit(f, 4), one = lit(f, 1),
	    p = open_for(f, &x, 1);
	int q = op2(f, OP_MUL, op2(f, OP_MUL, four, p + 1), op2(f, OP_SUB, one, p + 1));

	close_with(f, &q, 1);
	form_result(f, for_trip(f, &x, 1, n));
	real angle = r_fn(f, mpfr_asin, r_sqrt(f, f->x[0])), twice = r_times(f, 2, angle),
	     many = r_times(f, 1 << n, twice);
	first(f, 0, 0, r_times(f, 1 << n, r_div(f, r_fn(f, mpfr_sin, many), r_fn(f, mpfr_sin, twice))));
}

/* T_{n+1} = 2 x T_n - T_{n-1}: cos(n acos x). */
void form_chebyshev(struct form *f)
{
	int n = form_between(f, 1, 8), x = in_scalar(f, 0.0625, 0.75), one = lit(f, 1), two = lit(f, 2),
	    carry[] = {one, x}, p = open_for(f, carry, 2);
	int q = op2(f, OP_SUB, op2(f, OP_MUL, op2(f, OP_MUL, two, x), p + 2), p + 1);

	close_with(f, (const int[]){p + 2, q}, 2);
	form_result(f, for_trip(f, carry, 2, n)); /* T_n is the first carry */
	real angle = r_fn(f, mpfr_acos, f->x[0]), sine = r_fn(f, mpfr_sin, angle), many = r_times(f, n, angle);
	real d = r_times(f, n, r_div(f, r_fn(f, mpfr_sin, many), sine)),
	     rest = r_sub(f, r_num(f, 1), r_pow(f, f->x[0], 2));
	/* (1 - x^2) y'' = x y' - n^2 y */
	derivatives(f, d, r_div(f, r_sub(f, r_mul(f, f->x[0], d), r_times(f, n * n, r_fn(f, mpfr_cos, many))), rest));
}

/* The sum of x^(i + j) over a rectangle. */
void form_nested_sum(struct form *f)
{
	int n = form_between(f, 1, 4), m = form_between(f, 1, 4), x = in_scalar(f, 0.25, 1.25),
	    carry[] = {lit(f, 0), lit(f, 1)};
	int p = open_for(f, carry, 2), inner[] = {p + 1, p + 2}, r = open_for(f, inner, 2);

	close_with(f, (const int[]){op2(f, OP_ADD, r + 1, r + 2), op2(f, OP_MUL, r + 2, x)}, 2);
	int sum = for_trip(f, inner, 2, m);
	close_with(f, (const int[]){sum, op2(f, OP_MUL, p + 2, x)}, 2);
	form_result(f, for_trip(f, carry, 2, n));
	real d = r_num(f, 0), d2 = d;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			int k = i + j;

			d = k > 0 ? r_add(f, d, r_times(f, k, r_pow(f, f->x[0], k - 1))) : d;
			d2 = k > 1 ? r_add(f, d2, r_times(f, k * (k - 1), r_pow(f, f->x[0], k - 2))) : d2;
		}
	derivatives(f, d, d2);
}

/* Rotated n times by an angle: (cos n a, sin n a). */
void form_rotation_power(struct form *f)
{
	int n = form_between(f, 1, 7), a = in_scalar(f, 0.125, 1.5), c = op1(f, OP_COS, a), s = op1(f, OP_SIN, a);
	int carry[] = {lit(f, 1), lit(f, 0)}, p = open_for(f, carry, 2);
	int u = op2(f, OP_SUB, op2(f, OP_MUL, c, p + 1), op2(f, OP_MUL, s, p + 2));
	int v = op2(f, OP_ADD, op2(f, OP_MUL, s, p + 1), op2(f, OP_MUL, c, p + 2));

	close_with(f, (const int[]){u, v}, 2);
	int end = for_trip(f, carry, 2, n);
	form_result(f, stack(f, (const int[]){end, end + 1}, 2));
	real many = r_times(f, n, f->x[0]), cosine = r_fn(f, mpfr_cos, many), sine = r_fn(f, mpfr_sin, many);
	first(f, 0, 0, r_times(f, -n, sine));
	first(f, 1, 0, r_times(f, n, cosine));
	second(f, 0, 0, 0, r_times(f, -n * n, cosine));
	second(f, 1, 0, 0, r_times(f, -n * n, sine));
}

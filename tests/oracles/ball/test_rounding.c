/*
 * Roundings in numbers: no order of accumulation of a sum may leave the ball, the worst orders come near its rim, and
 * what is called exact is exact in every order.
 */
#include "oracles/ball/rounding.h"
#include "graph/random.h"
#include "tests/check.h"

#include <math.h>

enum { SUMS = 3000, MOST = 9, ORDERS = 200 };

static uint64_t state = 0x2545f4914f6cdd1du;

static uint64_t draw(void) { return random_next(&state); }

static void shuffle(double *x, int n)
{
	for (int k = n - 1; k > 0; k--) {
		int j = (int)(draw() % (uint64_t)(k + 1));
		double swap = x[k];
		x[k] = x[j];
		x[j] = swap;
	}
}

/* The sum in some order: one after the other, or (tree) any two of what is left. */
static double accumulate(enum dtype d, const double *x, int n, bool tree, bool flushes)
{
	double left[MOST];
	for (int k = 0; k < n; k++)
		left[k] = x[k];
	for (; n > 1; n--) {
		int at = tree ? (int)(draw() % (uint64_t)(n - 1)) : 0;
		left[at] = dtype_round(d, left[at] + left[at + 1]);
		if (flushes && fabs(left[at]) < dtype_table[d].normal)
			left[at] = 0;
		for (int k = at + 1; k < n - 1; k++)
			left[k] = left[k + 1];
	}
	return left[0];
}

/* A few terms of the dtype, alike in size or not, of both signs or not, of few bits or of all. */
static int draw_terms(enum dtype d, double *x, int scale)
{
	int n = 2 + (int)(draw() % (MOST - 1)), spread = (int)(draw() % 12), bits = draw() % 3 ? 53 : 3;
	bool both = draw() % 2;
	for (int k = 0; k < n; k++) {
		double m = 1 + ldexp((double)(draw() >> (64 - bits)), -bits);
		int exponent = spread ? (int)(draw() % (uint64_t)spread) : 0;
		x[k] = dtype_round(d, ldexp(both && draw() % 2 ? -m : m, exponent + scale));
	}
	return n;
}

/*
 * The largest share of the bound that some order uses up.  flushes: terms are a few times the smallest normal number,
 * and sums below it 0, the whole included.
 */
static double look(enum dtype d, bool flushes)
{
	const struct dtype_info row = flushes ? rounding_flushing(&dtype_table[d]) : dtype_table[d], *info = &row;
	double x[MOST], exact = 0, worst = 0;
	struct terms terms = {0};
	int n = draw_terms(d, x, flushes ? ilogb(info->normal) : 0);
	mpfr_t term;
	mpfr_init2(term, 53);
	for (int k = 0; k < n; k++) {
		mpfr_set_d(term, x[k], MPFR_RNDN);
		terms_add(&terms, term, fabs(x[k]), 0);
		exact += x[k]; /* of 11 bits, spread over 12: exact in double */
	}
	mpfr_clear(term);
	double bound = terms_exact(&terms, info) ? 0 : terms_rounding(&terms, info, fabs(exact));
	bound = rounding_flushed(info, fabs(exact), bound);
	for (int order = 0; order < ORDERS; order++) {
		shuffle(x, n);
		worst = fmax(worst, fabs(accumulate(d, x, n, order % 2, flushes) - exact));
	}
	CHECK(worst <= bound, "%s: %d terms, sum %g: an order is off by %g, beyond %g", info->name, n, exact, worst,
	    bound);
	return bound > 0 ? worst / bound : 0;
}

/* A multiple of the smallest subnormal number, without multiplying by it, is the product bit for bit. */
static void check_tiny_times(void)
{
	static const double rows[] = {0, 0x1p-1074, 0x1p-60, 0.25, 0.5, 0x1.0000000000001p-1, 1, 1.5, 2.5, 3.49, 0x1p51,
	    0x1.0000000000001p51, 0x1.fffffffffffffp51, 0x1p52, 0x1.8p52, 0x1p53, 0x1p1000, 0x1p1023, INFINITY};
	struct dtype_info none = dtype_table[DTYPE_F64];

	none.tiny = 0;
	for (int d = 0; d < DTYPE_COUNT; d++)
		for (int k = 0; dtype_is_float((enum dtype)d) && k < (int)(sizeof rows / sizeof *rows) + 1000; k++) {
			const int rest = k - (int)(sizeof rows / sizeof *rows);
			const double n = rest < 0 ? rows[k] : ldexp((double)(draw() >> 11), rest % 64 - 60);
			const struct dtype_info flushing = rounding_flushing(&dtype_table[d]);
			CHECK(rounding_tiny_times(&dtype_table[d], n) == n * dtype_table[d].tiny, "%s: %a",
			    dtype_table[d].name, n);
			CHECK(rounding_tiny_times(&flushing, n) == n * flushing.tiny, "%s flushing: %a",
			    dtype_table[d].name, n);
			CHECK(isinf(n) || rounding_tiny_times(&none, n) == 0, "without underflow: %a", n);
		}
}

int main(int argc, char **argv)
{
	double nearest = 0, flushed = 0;
	check_begin(argc, argv);
	for (int i = 0; i < SUMS; i++)
		nearest = fmax(nearest, look(i % 2 ? DTYPE_BF16 : DTYPE_F16, false));
	for (int i = 0; i < SUMS; i++)
		flushed = fmax(flushed, look(DTYPE_F16, true));
	CHECK(flushed > 0.9, "flushing, no order uses up more than %g of its bound", flushed);
	CHECK(nearest > 0.9, "no order uses up more than %g of its bound", nearest);
	for (int k = 0; k < 20000; k++) {
		double x = ldexp(1 + ldexp((double)(draw() >> 11), -53), (int)(draw() % 40) - 20),
		       got = dtype_round(DTYPE_F16, x);
		if (isfinite(got))
			CHECK(fabs(got - x) <= rounding_of(&dtype_table[DTYPE_F16], x), "%a rounds to %a", x, got);
	}
	CHECK_LAW(check_tiny_times());
	return check_done();
}

/*
 * The ball against engines that use other formulas: every row computes a value or a derivative in a small dtype by a
 * usual formula, each operation rounded once, functions of libm off by as much as their manual says, over random
 * points of all sizes. What is decided must lie within `loose`. The rows are the table of oracles/TOLERANCE.md,
 * section 5.
 */
#include "oracles/analytic/analytic.h"
#include "oracles/oracle_rules.h"
#include "oracles/verdict/verdict.h"
#include "graph/testcase.h"
#include "tests/check.h"
#include "tests/oracles/analytic/formulas.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- points ---- */

/* Of any size between the smallest subnormal and the largest finite value, near 1 half of the time. */
static double random_value(void)
{
	const struct dtype_info *info = &dtype_table[dtype];
	double low = random_bits() % 2 ? -4 : info->emin, high = low == -4 ? 4 : info->emax;
	double x = r(exp2(low + (high - low) * uniform()));
	return random_bits() % 2 ? x : -x;
}

static double random_input(enum where domain)
{
	double x = random_value(), one = 1 - dtype_table[dtype].unit;
	switch (domain) {
	case POSITIVE:
		return fabs(x);
	case BELOW_ONE:
		return r(
		    random_bits() % 2 ? uniform() * 2 - 1 : copysign(fmax(0, one - fabs(random_value()) * 0x1p-6), x));
	case ABOVE_ONE:
		return r(1 + fabs(x));
	case MODERATE:
		return r((uniform() * 2 - 1) * exp2(4 * uniform()));
	case SATURATED: /* tanh and its like are near 1 */
		return random_bits() % 2 ? r(copysign(2 + 30 * uniform(), x)) : x;
	case OR_ZERO:
		return random_bits() % 4 ? x : 0;
	default:
		return x;
	}
}

static char *list(struct arena *a, const double *x, int n, bool brackets)
{
	char *text = arena_printf(a, "%s", brackets ? "[" : "");
	for (int k = 0; k < n; k++)
		text = arena_printf(a, "%s%s%a", text, k ? "," : "", x[k]);
	return arena_printf(a, "%s%s", text, brackets ? "]" : "");
}

static bool read_row(
    const struct row *row, struct arena *a, int n, const double *x, const double *g, struct testcase *c)
{
	const char *type = dtype_table[dtype].name;
	bool vector = !row->operands, first = row->what == TANGENT_OF_FIRST, tangent = first || row->what == TANGENT;
	const char *inputs = vector ? arena_printf(a, "x: %s[%d]", type, n)
	    : row->operands == 1    ? arena_printf(a, "x: %s[]", type)
	                            : arena_printf(a, "x: %s[], z: %s[]", type, type);
	int seeds = !first && (tangent || row->vector_result) ? n : 1;
	*c = test_case(a,
	    arena_printf(a,
	        "inputs %s\n"
	        "y = %s %s%s\n"
	        "return y\n"
	        "point %s\n"
	        "request: %s%s; %s %s",
	        inputs, row->op, row->operands == 2 ? "x, z" : "x", row->attrs, list(a, x, n, vector),
	        tangent ? "jvp" : "vjp", first ? " with respect to x" : "", tangent ? "tangents" : "cotangents",
	        list(a, g, seeds, vector && (tangent || row->vector_result))));
	return c->n_point;
}

struct tally {
	int decided, agree, outside;
	double worst;
};

/* The answer against the truth; the row is named at its first failure in a dtype. */
static void compare(const struct row *row, const struct truth_tensor *want, int n, const double *got, int n_x,
    const double *x, const double *g, struct tally *tally)
{
	for (int k = 0; k < n; k++) {
		const struct component *c = &want->at[k];
		if (c->reason != REASON_NONE)
			continue;
		double error = fabs((got[k] - c->value) - c->low);
		tally->decided++;
		CHECK(isfinite(c->loose), "%s: decided with an infinite radius", row->name);
		if (c->escapes && !isfinite(got[k])) /* out of range */
			continue;
		if (error <= component_radius(c, got[k])) {
			if (c->loose > 0)
				tally->worst = fmax(tally->worst, error / c->loose);
			continue;
		}
		if (tally->outside++ > 0)
			continue;
		fprintf(stderr, "%s of %s in %s, component %d of %d: %a, not %a: off by %g, radius %g; g[0] %a; x",
		    row->name, row->op, dtype_table[dtype].name, k, n_x, got[k], c->value, error,
		    component_radius(c, got[k]), g[0]);
		for (int i = 0; i < n_x; i++)
			fprintf(stderr, " %a", x[i]);
		fprintf(stderr, "\n");
	}
}

/* One point. False if the row makes no case. */
static bool test_point(
    struct analytic *oracle, const struct row *row, int n, double *x, double *g, struct arena *a, struct tally *tally)
{
	double out[MOST];
	struct testcase c = {0};
	struct truth_point truth;
	arena_reset(a);
	if (!read_row(row, a, n, x, g, &c))
		return false;
	analytic_truth(oracle, &c, 0, a, &truth);
	for (int k = 0; underflow == READS_ZERO && k < MOST; k++) {
		x[k] = k < n ? flushed(x[k]) : x[k];
		g[k] = flushed(g[k]);
	}
	row->f(n, x, g, out);
	const struct truth_tensor *want = row->what == VALUE ? truth.primal : truth.derivative[0];
	bool scalars = row->what == ADJOINT && row->operands == 2;
	int m = shape_elements(&want->type.shape);
	for (int k = 0; k < (scalars ? 2 : 1); k++)
		compare(row, &want[k], m, out + k, n, x, g, tally);
	return true;
}

/* Points that were outside once. */
static const struct known {
	const char *row;
	enum dtype dtype;
	enum underflow underflow;
	double x[2], g;
} known[] = {
    {"2 atan(a/(h + b))", DTYPE_F32, READS_ZERO, {-0x1.1a4fbp-56, -0x1.4b0ac4p-65}, -0x1.47dfccp-3},
};

static void test_known(struct analytic *oracle, struct analytic *told, const struct known *k, struct arena *a)
{
	struct tally tally = {0};
	double x[MOST] = {k->x[0], k->x[1]}, g[MOST];
	for (int i = 0; i < MOST; i++)
		g[i] = k->g;
	dtype = k->dtype;
	underflow = k->underflow;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, k->row))
			test_point(underflow == GRADUAL ? oracle : told, &rows[i], rows[i].operands, x, g, a, &tally);
	CHECK(tally.decided && !tally.outside, "%s in %s: a known point is outside", k->row, dtype_table[dtype].name);
}

static void test_row(struct analytic *oracle, const struct row *row, int trials, struct arena *a)
{
	struct tally tally = {0};
	for (int t = 0; t < trials; t++) {
		double x[MOST], g[MOST];
		int n = row->operands ? row->operands : 1 + (int)(random_bits() % MOST);
		enum underflow engine = underflow;
		underflow = GRADUAL; /* what an engine is given may be subnormal */
		/* of a vector, all elements have one size in half of the trials */
		for (int k = 0; k < n; k++) {
			x[k] = random_input(row->domain);
			if (!row->operands && t % 2 && row->domain == ANYWHERE)
				x[k] = r(copysign(1 + uniform(), x[k]) * (t % 4 == 1 ? 1 : exp2((int)(t % 13) - 6)));
			if (!row->operands && t % 8 == 2 && row->domain == ANYWHERE) /* squares that round alike */
				x[k] = r(copysign(exp2(dtype_table[dtype].emin / 2.0 - 1 + t % 101 / 50.0), x[k]));
		}
		for (int k = 0; k < MOST; k++)
			g[k] = t % 3 ? random_value() : k ? r(random_value() * 0x1p-8) : 1;
		for (int k = 0; k < MOST; k++) /* 0 is absent, and not what the formula multiplies */
			g[k] = g[k] == 0 ? 1 : g[k];
		underflow = engine;
		if (!test_point(oracle, row, n, x, g, a, &tally))
			return;
	}
	if (getenv("VERBOSE"))
		printf("%-12s %-30s %-5s %d decided %6d outside %5d worst %.3f\n", row->op, row->name,
		    dtype_table[dtype].name, underflow, tally.decided, tally.outside, tally.worst);
	CHECK(!tally.outside, "%s of %s in %s, underflow %d: %d of %d outside", row->name, row->op,
	    dtype_table[dtype].name, underflow, tally.outside, tally.decided);
	/* 4 roundings of bf16 are 1/64 of what was rounded, and the value is not decided. */
	CHECK(dtype == DTYPE_BF16 || tally.decided > trials / 20, "%s of %s in %s: %d decided", row->name, row->op,
	    dtype_table[dtype].name, tally.decided);
}

int main(int argc, char **argv)
{
	static const enum dtype dtypes[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64};
	bool numbers = argc > 1 && !argv[1][strspn(argv[1], "0123456789")];
	int trials = numbers ? atoi(argv[1]) : 400;
	struct arena a;
	arena_init(&a, (size_t)1 << 28);
	static const bool every[DTYPE_COUNT] = {true, true, true, true, true, true, true};
	struct analytic *oracle = analytic_open(&oracle_rules_right), *told = analytic_open(&oracle_rules_right);
	analytic_use(told, &oracle_rules_right, every);
	state = numbers && argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	if (!numbers)
		check_begin(argc, argv);
	for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
		for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
			if (!row_wanted("%s", rows[k].name))
				continue;
			dtype = dtypes[d];
			for (underflow = GRADUAL; underflow < UNDERFLOWS; underflow++)
				test_row(underflow == GRADUAL ? oracle : told, &rows[k],
				    underflow == GRADUAL ? trials : trials / 4, &a);
		}
	for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		test_known(oracle, told, &known[k], &a);
	analytic_close(oracle);
	analytic_close(told);
	arena_free(&a);
	return check_done();
}

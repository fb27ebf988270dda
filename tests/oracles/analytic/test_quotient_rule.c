/*
 * The ball of second derivatives of a quotient against engines that differentiate (a' b - a b')/b^2 once more.  Their
 * divisors are b^2 and b^4, and an adjoint of b^2 may leave the range where the derivative does not.
 */
#include "oracles/analytic/analytic.h"
#include "oracles/oracle_rules.h"
#include "graph/random.h"
#include "graph/testcase.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum dtype dtype;
static uint64_t state = 1;

static double uniform(void) { return (double)(random_next(&state) >> 11) * 0x1p-53; }

static double r(double x) { return dtype_round(dtype, x); }

/* A number whose exponent is one of the dtype, or a moderate one. */
static double drawn(bool wide)
{
	const struct dtype_info *info = &dtype_table[dtype];
	const double low = wide ? info->emin / 3 : -4, high = wide ? info->emax / 3 : 4;
	return copysign(r(exp2(low + (high - low) * uniform())), uniform() - 0.5);
}

/* z = c n/b with n = a or a^2, and its tangent along (da, db). */
struct quotient {
	bool squared;
	double a, b, c, da, db, n, dn, over, above; /* b^2, n' b - n b' */
};

/* The tangent of n along da. */
static double along(const struct quotient *q, double da) { return q->squared ? r(2 * r(q->a * da)) : da; }

static struct quotient draw(void)
{
	const bool wide = uniform() < 0.7;
	struct quotient q = {.squared = uniform() < 0.5,
	    .a = drawn(wide && uniform() < 0.5),
	    .b = drawn(wide),
	    .c = drawn(wide && uniform() < 0.5),
	    .da = uniform() < 0.3 ? 0 : drawn(false),
	    .db = uniform() < 0.3 ? 0 : drawn(false)};
	q.n = q.squared ? r(q.a * q.a) : q.a;
	q.dn = along(&q, q.da);
	q.over = r(q.b * q.b);
	q.above = r(r(q.dn * q.b) - r(q.n * q.db));
	return q;
}

/* The adjoints of a and b of g c (n' b - n b')/b^2. */
static void backwards(const struct quotient *q, double g, int grouping, double out[2])
{
	const double by_c = r(g * q->c), by_above = r(by_c / q->over), by_n = -r(by_above * q->db);
	double by_over = 0;

	switch (grouping) {
	case 0:
		by_over = -r(r(by_c * q->above) / r(q->over * q->over));
		break;
	case 1:
		by_over = -r(r(by_c * r(q->above / q->over)) / q->over);
		break;
	default:
		by_over = -r(by_above * r(q->above / q->over));
		break;
	}
	out[0] = q->squared ? r(along(q, by_n) + r(2 * r(r(by_above * q->b) * q->da))) : by_n;
	out[1] = r(r(by_above * q->dn) + r(2 * r(by_over * q->b)));
}

/* The second tangent along (a2, b2), by the quotient rule again. */
static double forwards(const struct quotient *q, double a2, double b2)
{
	const double twice = q->squared ? r(2 * r(q->da * a2)) : 0, over = r(2 * r(q->b * b2)),
	             above = r(r(r(twice * q->b) + r(q->dn * b2)) - r(along(q, a2) * q->db));
	return r(q->c * r(r(r(above * q->over) - r(q->above * over)) / r(q->over * q->over)));
}

struct seen {
	int decided, outside;
};

static void compare(const struct component *want, double got, const char *text, struct seen *seen)
{
	if (want->reason != REASON_NONE || (isnan(got) && want->value == 0 && want->loose == 0))
		return; /* 0 times an infinity, where no path leads: weak zeros are judged elsewhere */
	seen->decided++;
	if ((want->escapes && !isfinite(got)) || fabs((got - want->value) - want->low) <= want->loose)
		return;
	if (seen->outside++ == 0)
		fprintf(stderr, "%a, not %a, loose %g\n%s\n", got, want->value, want->loose, text);
}

/* The second request of the case, whose first one is a jvp or an op derivative. */
static const char *case_text(struct arena *arena, const struct quotient *q, bool inside, const char *second)
{
	const char *type = dtype_table[dtype].name,
	           *quotient = q->squared ? "n = mul a, a; y = div n, b\n" : "y = div a, b\n",
	           *of = inside
	    ? arena_printf(arena,
	          "da: %s[] = constant %a\n"
	          "db: %s[] = constant %a\n"
	          "y = derivative (a, b, da, db) primals=2 transform=jvp {\n"
	          "  params u: %s[], v: %s[]\n"
	          "  %s"
	          "  yield w\n"
	          "}\n",
	          type, q->da, type, q->db, type, type, q->squared ? "n = mul u, u; w = div n, v\n" : "w = div u, v\n")
	    : quotient;

	return arena_printf(arena,
	    "inputs a: %s[], b: %s[], c: %s[]\n"
	    "%s"
	    "z = mul y, c\n"
	    "return z\n"
	    "point %a, %a, %a\n"
	    "request: %s%s",
	    type, type, type, of, q->a, q->b, q->c,
	    inside ? "" : arena_printf(arena, "jvp a, b; tangents %a, %a; then ", q->da, q->db), second);
}

static void test_points(struct analytic *oracle, int trials, struct arena *arena, bool inside, bool forward)
{
	const char *type = dtype_table[dtype].name, *way = forward ? "forwards" : "backwards";
	struct seen seen = {0};

	for (int k = 0; k < trials; k++) {
		const struct quotient q = draw();
		const double g = drawn(k % 2), b2 = drawn(false), a2 = drawn(false);
		struct truth_point truth;
		double got[2];

		arena_reset(arena);
		const char *text = case_text(arena, &q, inside,
		    forward ? arena_printf(arena, "jvp a, b; tangents %a, %a", a2, b2)
		            : arena_printf(arena, "vjp a, b; cotangents %a", g));
		const struct testcase c = test_case(arena, text);
		analytic_truth(oracle, &c, 0, arena, &truth);
		if (forward) {
			compare(truth.derivative[0][0].at, forwards(&q, a2, b2), text, &seen);
			continue;
		}
		backwards(&q, g, k % 3, got);
		for (int i = 0; i < 2; i++)
			compare(truth.derivative[0][i].at, got[i], text, &seen);
	}
	/* Inside the program, a' or b' may multiply the numerator first: a known limit of TOLERANCE.md, "Out of range".
	 */
	CHECK(inside ? 300 * seen.outside <= seen.decided : !seen.outside, "%s%s, %s: %d of %d outside", type,
	    inside ? ", inside" : "", way, seen.outside, seen.decided);
	CHECK(seen.decided > trials / 8, "%s%s, %s: %d decided", type, inside ? ", inside" : "", way, seen.decided);
}

int main(int argc, char **argv)
{
	static const enum dtype dtypes[] = {DTYPE_F16, DTYPE_F32, DTYPE_F64};
	const bool numbers = argc > 1 && !argv[1][strspn(argv[1], "0123456789")];
	const int trials = numbers ? atoi(argv[1]) : 4000;
	struct arena arena;

	arena_init(&arena, (size_t)1 << 28);
	if (numbers && argc > 2)
		state = strtoull(argv[2], NULL, 10);
	if (!numbers)
		check_begin(argc, argv);
	struct analytic *oracle = analytic_open(&oracle_rules_right);
	for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
		dtype = dtypes[d];
		for (int way = 0; way < 4; way++)
			CHECK_LAW(test_points(oracle, trials, &arena, way >= 2, way % 2));
	}
	analytic_close(oracle);
	arena_free(&arena);
	return check_done();
}

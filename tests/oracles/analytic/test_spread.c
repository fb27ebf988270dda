/* test_spread.c: sums and products of numbers whose errors have one side or leap, against errors drawn from them. */
#include "oracles/analytic/spread.h"
#include "graph/random.h"
#include "tests/check.h"

#include <math.h>

enum { DRAWS = 20000 };

static uint64_t state = 1;

static double uniform(void) { return (double)(random_next(&state) >> 11) * 0x1p-53; }

/* A number and the errors that it may have: its magnitude, what it may be off by, and whether it may leap. */
static struct spread_factor random_factor(bool leaps, int source)
{
	struct spread_factor f = {.size = exp2(8 * uniform() - 4), .negative = uniform() < 0.5};

	f.errors = (struct spread){.down = f.size * uniform() * 0.5, .up = uniform() * 0.5};
	if (leaps) {
		f.errors.leaps = 1;
		f.errors.source = source;
		f.errors.leap = (f.errors.down + f.errors.up) * (1 + 4 * uniform());
	}
	return f;
}

/* An error away from 0 that the spread allows, beyond a leap in half of the draws. */
static double random_error(const struct spread *s)
{
	if (s->leaps && uniform() < 0.5)
		return s->leap * (1 + uniform()) * (uniform() < 0.5 ? -1 : 1);
	return uniform() < 0.3 ? -s->down : uniform() < 0.3 ? s->up : -s->down + (s->down + s->up) * uniform();
}

static double value(const struct spread_factor *f) { return f->negative ? -f->size : f->size; }

/* Whether the spread allows the error, but for roundings of the test. */
static bool allows(const struct spread *s, double error, double size)
{
	const double blur = 1e-12 * size;

	return (error >= -s->down - blur && error <= s->up + blur) || s->leaps > 1 ||
	    (s->leaps == 1 && fabs(error) >= s->leap - blur);
}

static double signed_error(const struct spread_factor *f, double away) { return f->negative ? -away : away; }

static void check_product(bool first, bool second)
{
	int outside = 0, narrow = 0;

	for (int k = 0; k < DRAWS; k++) {
		const struct spread_factor p = random_factor(first, 1), g = random_factor(second, 2);
		const struct spread s = spread_product(&p, &g);
		const double ep = signed_error(&p, random_error(&p.errors)),
		             eg = signed_error(&g, random_error(&g.errors)), exact = value(&p) * value(&g),
		             error = (value(&p) + ep) * (value(&g) + eg) - exact;

		outside += !allows(&s, error, fabs(exact) + fabs(error));
		narrow += s.leaps < 2;
	}
	CHECK(!outside, "product, leaps %d %d: %d outside", first, second, outside);
	CHECK(narrow == (first && second ? 0 : DRAWS), "product, leaps %d %d: %d narrow", first, second, narrow);
}

/* A term p e, where all terms of one source have one error e. */
static void check_sum(bool same_source)
{
	int outside = 0, leapt = 0;

	for (int k = 0; k < DRAWS; k++) {
		struct spread_factor f[2] = {random_factor(true, 1), random_factor(true, same_source ? 1 : 2)};
		const struct spread rounding = {.down = 0.125 * uniform(), .up = 0.25};
		struct spread s = {0};
		double error = random_error(&rounding), size = 0;

		for (int i = 0; i < 2; i++) {
			const struct spread term = spread_signed(&f[i].errors, f[i].negative);
			const bool leaps = uniform() < 0.5;

			/* a leap of the source away from 0 is one of this term against it, if `against` */
			f[i].errors.leaps = leaps;
			error += leaps ? f[i].errors.leap * (1 + uniform()) * (f[i].negative ? -1 : 1)
			               : signed_error(&f[i], -f[i].errors.down * uniform());
			size += f[i].size + f[i].errors.leap;
			spread_add(&s, &term);
		}
		spread_add(&s, &rounding);
		outside += !allows(&s, error, size);
		leapt += s.leaps == 1;
	}
	CHECK(!outside, "sum of terms of %s: %d outside", same_source ? "one source" : "two sources", outside);
	CHECK(same_source ? leapt > DRAWS / 4 : leapt == 0, "sum: %d leap together", leapt);
}

static void check_narrow(void)
{
	const struct spread ball = spread_ball(2), side = {.down = 2, .up = 1},
	                    leap = {.down = 1, .up = 1, .leap = 1.5, .leaps = 1},
	                    none = {.down = 1, .up = 1, .leap = 0.5, .leaps = 1};

	CHECK(!spread_is_narrow(&ball, 2) && spread_is_narrow(&side, 2) && spread_is_narrow(&leap, 2), "narrow");
	CHECK(!spread_is_narrow(&none, 2), "a leap below the small errors");
}

/* A loop that adds a value to itself doubles the number of its leaps. */
static void check_doubled(void)
{
	struct spread s = spread_ball(1);

	for (int k = 0; k < 64; k++) {
		const struct spread term = s;

		spread_add(&s, &term);
	}
	CHECK(s.leaps == 2, "%d leaps", s.leaps);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	for (int k = 0; k < 4; k++)
		check_product(k & 1, k & 2);
	check_sum(true);
	check_sum(false);
	check_narrow();
	check_doubled();
	return check_done();
}

/* test_rounding.c: seeded rounding is off by half a unit at most, uses that room, and is asked for by the spec alone.
 */
#include "engines/kernels/rounding.h"

#include <mpfr.h>

#include "fuzz/generate/choice.h"
#include "tests/engines/samples.h"
#include "tests/support/case_text.h"

enum { SEEDS = 60, DRAWS = 200 };

static const enum dtype floats[] = {DTYPE_F64, DTYPE_F32, DTYPE_F16, DTYPE_BF16};

/* A value of d: few bits or all of them, magnitudes near 1 or far apart. */
static double draw(struct choice *c, enum dtype d)
{
	double x = 1 + (double)(choice_bits(c) >> 11) * 0x1p-53;

	if (choice_percent(c, 30))
		x = 1 + (double)choice_below(c, 8) / 8;
	x = ldexp(x, choice_between(c, -12, 12));
	return dtype_round(d, choice_percent(c, 50) ? -x : x);
}

struct seen {
	int64_t inexact, farther; /* results that are rounded; of them, not to nearest */
	double worst;             /* error in half units in the last place */
};

/* One result against the exact one. */
static void check_result(
    enum dtype d, const char *op, double a, double b, mpfr_srcptr exact, double got, double limit, struct seen *seen)
{
	const struct dtype_info *info = &dtype_table[d];
	double magnitude = fabs(mpfr_get_d(exact, MPFR_RNDZ)), nearest = dtype_round(d, mpfr_get_d(exact, MPFR_RNDN)),
	       error;
	double half = magnitude > 0 ? ldexp(info->unit, ilogb(magnitude)) : 0;
	mpfr_t gap;

	if (magnitude > info->max / 4 || magnitude < 4 * info->normal)
		return;
	mpfr_init2(gap, 300);
	mpfr_sub_d(gap, exact, got, MPFR_RNDN);
	error = fabs(mpfr_get_d(gap, MPFR_RNDN));
	CHECK(error <= half && error <= limit, "%s of %s %a, %a: %a, off by %g half units", op, info->name, a, b, got,
	    error / half);
	if (mpfr_cmp_d(exact, nearest) == 0) {
		CHECK(got == nearest, "%s of %s %a, %a is exact: %a", op, info->name, a, b, got);
	} else {
		seen->inexact++;
		seen->farther += got != nearest;
		seen->worst = fmax(seen->worst, error / half);
	}
	mpfr_clear(gap);
}

static void check_operations(enum dtype d, uint64_t seed, struct seen *seen)
{
	struct choice source = choice_seeded(seed), *c = &source;
	const struct rounding how = {.seeded = true, .seed = seed};
	mpfr_t exact, x;

	mpfr_init2(exact, 300);
	mpfr_init2(x, 300);
	rounding_begin(&how);
	for (int i = 0; i < DRAWS; i++) {
		double a = draw(c, d), b = draw(c, d);

		mpfr_set_d(x, a, MPFR_RNDN);
		mpfr_add_d(exact, x, b, MPFR_RNDN);
		check_result(d, "sum", a, b, exact, rounding_add(d, a, b), fmin(fabs(a), fabs(b)), seen);
		mpfr_mul_d(exact, x, b, MPFR_RNDN);
		check_result(d, "product", a, b, exact, rounding_mul(d, a, b), INFINITY, seen);
		mpfr_div_d(exact, x, b, MPFR_RNDN);
		check_result(d, "quotient", a, b, exact, rounding_div(d, a, b), INFINITY, seen);
		mpfr_abs(x, x, MPFR_RNDN);
		mpfr_sqrt(exact, x, MPFR_RNDN);
		check_result(d, "root", a, 0, exact, rounding_sqrt(d, fabs(a)), INFINITY, seen);
	}
	rounding_end();
	mpfr_clear(exact);
	mpfr_clear(x);
}

/* A function is off by no more than it says; in binary64 the library's own error is an ulp of that. */
static void check_function(enum dtype d, uint64_t seed)
{
	const struct rounding how = {.seeded = true, .seed = seed};
	double u = dtype_table[d].unit;

	rounding_begin(&how);
	for (int i = 1; i < DRAWS; i++)
		for (int ulps = 1; ulps <= 2; ulps++) {
			double x = 0.03 * i, y = rounding_function(d, x, ulps);

			CHECK(fabs(y - x) <= 2 * (d == DTYPE_F64 ? ulps - 1 : ulps) * u * x, "%s %g, %d ulps: %g",
			    dtype_table[d].name, x, ulps, y);
		}
	rounding_end();
}

/* Results below the smallest normal number are 0 under every seed, or under some now and then; others never. */
static void check_flushing(enum dtype d)
{
	const struct dtype_info *info = &dtype_table[d];
	int kept = 0, zeros = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct rounding how = {.seeded = true, .seed = seed, .flushes = true};

		rounding_begin(&how);
		for (int i = 1; i <= DRAWS; i++) {
			double half = 0.5 + (i % 16) * 0.03125, below = rounding_mul(d, half, 0.75 * info->normal);

			zeros += below == 0;
			kept += below != 0;
			CHECK(below == 0 || fabs(below) < info->normal, "%s: %a", info->name, below);
			CHECK(rounding_mul(d, 2, info->normal) == 2 * info->normal &&
			        rounding_add(d, info->normal, info->normal) == 2 * info->normal,
			    "%s: what is normal is flushed", info->name);
		}
		rounding_end();
	}
	CHECK(zeros > kept && kept > 0, "%s: %d of %d are 0", info->name, zeros, zeros + kept);
}

/* An engine with wide registers has integers where the dtype has nothing else: (-3)^(b - 1) is a number. */
static void check_integers(void)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct rounding how = {.seeded = true, .seed = seed};

		rounding_begin(&how);
		for (int i = 0; i < DRAWS; i++) {
			double b = rounding_add(DTYPE_F32, 0x1p24 + 2 * i, -1);

			CHECK(b == floor(b), "%a", b);
		}
		rounding_end();
	}
}

/* ---- engines ---- */

static int build_mixed(struct builder *b, const int *in, int *result)
{
	int y = op1(b, OP_TANH, op2(b, OP_MUL, in[0], in[0]));
	const struct attrs all = {.n_axes = 1, .axes = {0}};

	y = op2(b, OP_DIV, y, op1(b, OP_EXP, in[0]));
	result[0] = build_node(b, OP_REDUCE_SUM, &y, 1, &all, NULL);
	return 1;
}

static double answer_of(const char *spec, struct arena *a)
{
	const struct sample s = {.name = "mixed",
	    .build = build_mixed,
	    .n_in = 1,
	    .type = {{DTYPE_F64, {1, {4}}}},
	    .at = {{0.3, 0.7, 1.1, 1.9}}};
	struct testcase c = sample_case(a, &s, s.at, true);
	struct engine *engine = sample_engine(spec);
	struct answer out = {.status = ANSWER_FAILURE};

	engine_answer(engine, &c, a, &out);
	CHECK(out.status == ANSWER_OK, "%s: %s", spec, out.text);
	CHECK(!rounding_active, "%s: rounding goes on", spec);
	CHECK(engine_is_right(engine), "%s", spec);
	engine_close(engine);
	return out.status == ANSWER_OK ? out.derivative[0].at[1].f : 0;
}

static void check_engines(struct arena *a)
{
	double plain = answer_of("tape", a), first = 0;
	int other = 0;

	for (int seed = 0; seed < 20; seed++) {
		char spec[40];
		double y;

		snprintf(spec, sizeof spec, "tape:rounding=%d", seed);
		y = answer_of(spec, a);
		CHECK(y == answer_of(spec, a), "%s: twice", spec);
		CHECK(near(y, plain, 1e-14), "%s: %a, to nearest %a", spec, y, plain);
		first = seed ? first : y;
		other += y != first;
	}
	CHECK(other > 5, "%d of 19 seeds round otherwise than seed 0", other);
	CHECK(answer_of("tape", a) == plain, "an engine without a seed rounds to nearest again");
}

/* Near 1, values of f32 are multiples of its unit roundoff: the slope of a saturated op is about right, or far off. */
static void check_saturated(struct arena *a)
{
	static const char *const ops[] = {"tanh", "logistic", "expm1"}, *const points[] = {"12", "24", "-24"};

	for (int k = 0; k < 3; k++) {
		const struct testcase c = test_case(a,
		    arena_printf(
		        a, "inputs x: f32[]\ny = %s x\nreturn y\npoint %s\nrequest: vjp x", ops[k], points[k]));

		for (int seed = 0; seed < 2 * SEEDS; seed++) {
			struct engine *engine = sample_engine(arena_printf(a, "tape:rounding=%d", seed));
			struct answer out = {.status = ANSWER_FAILURE};

			engine_answer(engine, &c, a, &out);
			const double got = out.status == ANSWER_OK ? fabs(out.derivative[0].at[0].f) : NAN;
			CHECK(got < 0x1p-30 || got >= 0x1p-25, "%s, seed %d: %a", ops[k], seed, got);
			engine_close(engine);
		}
	}
}

static void check_specs(void)
{
	static const char *const bad[] = {"tape:rounding=", "tape:rounding=x", "tape:rounding=1e3", "tape:rounding=-1",
	    "tape:rounding", "tape:rounding=9999999999999999999999", "tape:flushing=", "tape:flushing=x"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (!row_wanted("specs: %s", bad[i]))
			continue;
		struct error e = {.text = ""};
		struct engine *engine = engine_open(bad[i], &e);

		CHECK(!engine && strstr(e.text, "does not take"), "%s: %s", bad[i], e.text);
		engine_close(engine);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 24);
	for (size_t k = 0; k < sizeof floats / sizeof *floats; k++) {
		struct seen seen = {0};

		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			check_operations(floats[k], seed, &seen);
			check_function(floats[k], seed);
		}
		CHECK(floats[k] == DTYPE_F64 || 2 * seen.farther > seen.inexact, "%s: %d of %d not to nearest",
		    dtype_table[floats[k]].name, (int)seen.farther, (int)seen.inexact);
		check_flushing(floats[k]);
		CHECK(seen.worst > 0.9, "%s: worst %g half units", dtype_table[floats[k]].name, seen.worst);
	}
	CHECK_LAW(check_integers());
	CHECK_LAW(check_engines(&a));
	CHECK_LAW(check_saturated(&a));
	check_specs();
	arena_free(&a);
	return check_done();
}

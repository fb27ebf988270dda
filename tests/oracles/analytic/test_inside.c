/*
 * test_inside.c: adjoints to which an op derivative adds many small terms. Engines add more of them than the trace has,
 * and each addition rounds at the size of the sum. The programs return the input too, so that the sum is near 1.
 */
#include "engines/engine.h"
#include "oracles/truth.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <limits.h>
#include <math.h>

enum { POINTS = 8, MOST_TRIPS = 64 };

/* An op in the loop of a derivative, and how many terms of the sum the trace has for one iteration, at most. */
static const struct row {
	const char *name, *op;
	double first, step; /* points */
	int terms;
} rows[] = {
    {"exp", "w = exp v", -2, 0.3, 3},
    {"sin", "w = sin v", 0.1, 0.37, 3},
    {"tanh", "w = tanh v", -0.9, 0.21, 8},
    {"a square", "w = mul v, v", 0.3, 0.17, 4},
    {"a reciprocal", "w = div one, v", 1.1, 0.43, 4},
    {"an angle", "w = atan2 v, one", 0.2, 0.31, 12},
    {"two ops", "u = exp v\nw = logistic u", -1.5, 0.29, 10},
};

/* x, and the derivative by x of the product of 1 + w/128 over all iterations. deep: the derivative of that. */
static const char *text_of(struct arena *a, const struct row *row, int trips, bool deep, double x)
{
	const char *inner = arena_printf(a,
	    "one = constant 1\n"
	    "d = derivative (x, one) primals=1 transform=jvp {\n"
	    "  params v: f64[]\n"
	    "  p = for (one) trip=%d {\n"
	    "    params i: i64[], c: f64[]\n"
	    "    %s\n"
	    "    k = constant 0.0078125\n"
	    "    s = mul k, w\n"
	    "    t = add s, one\n"
	    "    q = mul t, c\n"
	    "    yield q\n"
	    "  }\n"
	    "  yield p\n"
	    "}\n",
	    trips, row->op);
	const char *outer = arena_printf(a,
	    "unit = constant 1\n"
	    "e = derivative (y, unit) primals=1 transform=jvp {\n"
	    "  params x: f64[]\n"
	    "%s"
	    "  yield d\n"
	    "}\n",
	    inner);

	return deep
	    ? arena_printf(a, "inputs y: f64[]\n%sreturn y, e\npoint %.17g\nrequest: vjp with respect to y", outer, x)
	    : arena_printf(a, "inputs x: f64[]\n%sreturn x, d\npoint %.17g\nrequest: vjp with respect to x", inner, x);
}

static void test_case_of(struct oracle *oracle, struct engine **engines, int n, const struct row *row, int trips,
    bool deep, double at, struct arena *a)
{
	struct testcase c = test_case(a, text_of(a, row, trips, deep, at));
	struct answer answer;
	struct judgement got;
	struct truth truth;

	if (!c.n_point)
		return;
	oracle_truth(oracle, &c, a, &truth);
	const struct component *x = &truth.point[0].derivative[0][0].at[0];
	/* Three roundings for each term that an engine may have. In long loops the product rounds more. */
	double most = (1 + 3 * 5.0 * row->terms * trips * (deep ? 5 : 1)) * 0x1p-53 * x->magnitude;
	CHECK(!x->reason && (x->loose <= most || trips > 8), "%s, %d trips, at %g: radius %.3g, at most %.3g",
	    row->name, trips, at, x->loose, most);
	for (int k = 0; k < n; k++) {
		engine_answer(engines[k], &c, a, &answer);
		judge(&c, &truth, &answer, &got);
		CHECK(got.verdict == VERDICT_AGREE || got.verdict == VERDICT_UNSUPPORTED,
		    "%s, %d trips%s, at %g: %s by %s", row->name, trips, deep ? ", deep" : "", at,
		    verdict_names[got.verdict], engine_spec(engines[k]));
	}
}

int main(int argc, char **argv)
{
	static const char *const specs[] = {
	    "tape", "functional", "checkpointed", "parallel", "aot", "compiled", "implicit"};
	enum { ENGINES = sizeof specs / sizeof *specs };
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	struct oracle *oracle = oracle_open(&options);
	struct engine *engines[ENGINES];
	struct error e = {"", ""};
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 512 << 20);
	for (int k = 0; k < ENGINES; k++)
		engines[k] = engine_open(specs[k], &e);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("%s", rows[k].name))
			continue;
		for (int trips = 2; trips <= MOST_TRIPS; trips *= 2)
			for (int p = 0; p < POINTS; p++) {
				arena_reset(&a);
				test_case_of(oracle, engines, ENGINES, &rows[k], trips, false,
				    rows[k].first + p * rows[k].step, &a);
				if (trips < 8)
					test_case_of(oracle, engines, ENGINES, &rows[k], trips, true,
					    rows[k].first + p * rows[k].step, &a);
			}
	}
	for (int k = 0; k < ENGINES; k++)
		engine_close(engines[k]);
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}

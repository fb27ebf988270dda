/*
 * Second derivatives of products: the truth comes from the products of the other factors. Answers of engines that
 * divide the product by a factor are allowed, and no others.
 */
#include "fuzz/generate/choice.h"
#include "oracles/evaluate/elementary.h"
#include "oracles/oracle_rules.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>

static struct component component_of(struct oracle *oracle, const struct testcase *c, int element, struct arena *a)
{
	struct truth t;
	oracle_truth(oracle, c, a, &t);
	return t.point[0].derivative[0][0].at[element];
}

static enum verdict verdict_of(const struct component *c, double answer)
{
	double error = fabs((answer - c->value) - c->low);
	return error <= c->tight ? VERDICT_AGREE : error <= c->loose ? VERDICT_INACCURATE : VERDICT_WRONG;
}

/* ---- answers that a wide radius once let through ---- */

static const char *const products[] = {
    "y = reduce_prod x axes=[0]",
    "p = cumprod x axis=0; y = slice p start=[1] size=[1]",
    "one = constant [1]; i: i64[2] = constant [0, 0]; y = scatter_mul one, i, x axis=0 mode=clip",
};

static const enum op cause[] = {OP_REDUCE_PROD, OP_CUMPROD, OP_SCATTER_MUL};

/* Component 0 of the vjp with cotangents [1, 1] of the gradient: it is 1 at every point. */
static const struct {
	const char *type, *point;
	enum verdict zero, negative, large; /* of the answers 0, -1 and 30001 */
	double tight;                       /* no more than this */
} answers[] = {
    {"f64", "[-2.03125, 4]", VERDICT_WRONG, VERDICT_WRONG, VERDICT_WRONG, 1e-14},
    {"f64", "[-2.03125, 1e12]", VERDICT_WRONG, VERDICT_WRONG, VERDICT_WRONG, 1e-14},
    {"f64", "[-2.03125, 1e14]", VERDICT_INACCURATE, VERDICT_WRONG, VERDICT_WRONG, 1e-14},
    {"f64", "[-2.03125, 1e20]", VERDICT_INACCURATE, VERDICT_INACCURATE, VERDICT_INACCURATE, 1e-14},
    {"f64", "[-2.03125, 1e40]", VERDICT_INACCURATE, VERDICT_INACCURATE, VERDICT_INACCURATE, 1e-14},
    {"f32", "[0.5, 1e4]", VERDICT_WRONG, VERDICT_WRONG, VERDICT_WRONG, 1e-6},
    {"f32", "[0.5, 1e6]", VERDICT_INACCURATE, VERDICT_INACCURATE, VERDICT_WRONG, 1e-6},
};

static void test_answers(struct oracle *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		for (size_t k = 0; k < sizeof products / sizeof *products; k++) {
			if (k && answers[i].type[1] == '3') /* a constant of scatter_mul is of f64 */
				continue;
			if (!row_wanted("%s, x = %s: %s", answers[i].type, answers[i].point, products[k]))
				continue;
			struct testcase c = test_function(a, arena_printf(a, "x: %s[2]", answers[i].type), products[k],
			    answers[i].point, "vjp x; then vjp x");
			struct component d = component_of(oracle, &c, 0, a);
			CHECK(d.reason == REASON_NONE && d.value == 1 && d.low == 0 && d.tight <= answers[i].tight,
			    "%s, %g + %g, tight %g", reason_names[d.reason], d.value, d.low, d.tight);
			CHECK(verdict_of(&d, 0) == answers[i].zero, "0 is %s", verdict_names[verdict_of(&d, 0)]);
			CHECK(verdict_of(&d, -1) == answers[i].negative, "-1 is %s", verdict_names[verdict_of(&d, -1)]);
			CHECK(verdict_of(&d, 30001) == answers[i].large, "30001 is %s",
			    verdict_names[verdict_of(&d, 30001)]);
			CHECK(verdict_of(&d, 1) == VERDICT_AGREE, "1 is %s", verdict_names[verdict_of(&d, 1)]);
			CHECK(d.culprit == cause[k], "the cause is %s", op_table[d.culprit].name);
		}
}

/* ---- engines that divide ---- */

enum { MOST = 5 };

/* The reverse of the reverse of y = x0 x1 ... in double, where the gradient is y/x: two forms of its partial by x. */
static double divided(const double *x, int n, const double *seed, int j, int form)
{
	double y = x[0], to_y = 0;
	for (int i = 1; i < n; i++)
		y *= x[i];
	for (int i = 0; i < n; i++)
		to_y += seed[i] / x[i];
	double quotient = y / x[j], own = form ? -(seed[j] * quotient) / x[j] : -seed[j] * y / (x[j] * x[j]);
	return own + to_y * quotient;
}

/* The same by the products of the others. */
static double by_others(const double *x, int n, const double *seed, int j)
{
	double sum = 0;
	for (int i = 0; i < n; i++) {
		double others = seed[i];
		for (int k = 0; k < n; k++)
			others *= k == i || k == j ? 1 : x[k];
		sum += i == j ? 0 : others;
	}
	return sum;
}

static void test_engines_that_divide(struct oracle *oracle, struct arena *a)
{
	struct choice choice = choice_seeded(20);
	int decided = 0, off = 0;
	for (int round = 0; round < 1000; round++) {
		struct arena_mark mark = arena_mark(a);
		int n = (int)choice_between(&choice, 2, MOST);
		const char *point = "";
		double x[MOST], seed[MOST];
		for (int i = 0; i < n; i++) {
			int exponent = (int)choice_between(&choice, -40, 40);
			x[i] = ldexp((double)choice_between(&choice, 1 << 20, 1 << 30), exponent - 30);
			x[i] = choice_percent(&choice, 50) ? x[i] : -x[i];
			seed[i] = (double)choice_between(&choice, 1, 7) / 2;
			point = arena_printf(a, "%s%s%.17g", point, i ? ", " : "[", x[i]);
		}
		struct testcase c = test_function(a, arena_printf(a, "x: f64[%d]", n), products[0],
		    arena_printf(a, "%s]", point), "vjp x; then vjp x");
		for (int i = 0; i < n; i++)
			c.transform[1].seed[0].at[i].f = seed[i];
		struct truth t;
		oracle_truth(oracle, &c, a, &t);
		for (int j = 0; j < n; j++) {
			const struct component *d = &t.point[0].derivative[0][0].at[j];
			CHECK(d->reason == REASON_NONE, "%s, %d: %s", point, j, reason_names[d->reason]);
			decided += d->reason == REASON_NONE;
			for (int form = 0; form < 2; form++) {
				double answer = divided(x, n, seed, j, form);
				off += verdict_of(d, answer) == VERDICT_INACCURATE;
				CHECK(verdict_of(d, answer) != VERDICT_WRONG, "%s] %d: %.17g for %.17g, loose %g",
				    point, j, answer, d->value, d->loose);
			}
			double answer = by_others(x, n, seed, j);
			CHECK(verdict_of(d, answer) == VERDICT_AGREE, "%s] %d: %.17g for %.17g, tight %g", point, j,
			    answer, d->value, d->tight);
		}
		arena_rewind(a, mark);
	}
	CHECK(decided > 3000 && off > 500, "%d decided, %d answers of y/x are inaccurate", decided, off);
}

/* ---- a derivative inside the program ---- */

static void test_inside(struct oracle *oracle, struct arena *a)
{
	static const char body[] = "c = constant 1\n"
	                           "g = derivative (x, c) primals=1 transform=vjp {\n"
	                           "  params t\n"
	                           "  p = reduce_prod t axes=[0]\n"
	                           "  yield p\n"
	                           "}\n"
	                           "y = reduce_sum g axes=[0]";
	struct testcase c = test_function(a, "x: f64[2]", body, "[-2.03125, 1e20]", "vjp x");
	struct component d = component_of(oracle, &c, 0, a);
	CHECK(d.reason == REASON_NONE && d.value == 1 && d.low == 0, "%s, %g + %g", reason_names[d.reason], d.value,
	    d.low);
	CHECK(verdict_of(&d, 0) == VERDICT_INACCURATE, "0 is %s, tight %g", verdict_names[verdict_of(&d, 0)], d.tight);
}

/* ---- what 128 bits do not tell ---- */

/* The derivative of p by x0 for p = d logsumexp(x)/d x0 is p(1 - p). It is the element of a Hessian whose row adds up
 * to 0. */
static void test_small_beside_large(struct oracle *oracle, struct arena *a)
{
	struct testcase c = test_function(
	    a, "x: f64[2]", "y = logsumexp x axes=[0]", "[100, 0]", "vjp x; then jvp x; tangents [1, 0]");
	struct component d = component_of(oracle, &c, 0, a);
	CHECK(d.reason == REASON_NONE && fabs(d.value / exp(-100) - 1) < 1e-14, "%s, %g", reason_names[d.reason],
	    d.value);
	CHECK(verdict_of(&d, 0) == VERDICT_AGREE, "1 - p is 0 in double: tight %g", d.tight);
	c = test_function(
	    a, "x: f64[2]", "y = logsumexp x axes=[0]", "[0.3, 0.7]", "vjp x; then jvp x; tangents [1, 1]");
	d = component_of(oracle, &c, 0, a);
	CHECK(d.reason == REASON_NONE && d.value == 0 && d.low == 0, "%s, %g", reason_names[d.reason], d.value);
	c = test_function(a, "x: f64[2]", "y = norm x axes=[0]", "[1e30, 1]", "vjp x; then jvp x; tangents [1, 0]");
	d = component_of(oracle, &c, 0, a);
	CHECK(d.reason == REASON_NONE && fabs(d.value / 1e-90 - 1) < 1e-14, "%s, %g", reason_names[d.reason], d.value);
}

int main(int argc, char **argv)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1}, quick = {.seed = 1};
	struct arena a;
	struct oracle *oracle = oracle_open(&options);
	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	test_answers(oracle, &a);
	CHECK_LAW(test_inside(oracle, &a));
	CHECK_LAW(test_small_beside_large(oracle, &a));
	oracle_close(oracle);
	oracle = oracle_open(&quick);
	CHECK_LAW(test_engines_that_divide(oracle, &a));
	oracle_close(oracle);
	arena_free(&a);
	elementary_free_cache();
	return check_done();
}

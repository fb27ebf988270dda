/*
 * test_custom_reach.c: which derivatives are unknown because of a custom whose rule is not the derivative of its
 * function. Values never are, unless a derivative inside the program uses the rule.
 */
#include "oracles/truth.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <limits.h>

/* A custom whose rule is not the derivative of its function. */
#define CUSTOM(y, x, p, q) \
#y " = custom (" #x ") transform=vjp {\n  params " #p "; f" #p " = sin " #p "; yield f" #p \
	   "\n} do {\n  params " #q ", c" #q "; r" #q " = mul c" #q ", " #q "; yield r" #q "\n}\n"

/* The first carry passes a custom in each iteration, and the second takes it over. */
#define LOOP \
	"inputs x: f64[], w: f64[], v: f64[]\n" \
	"a, b = for (x, w) trip=2 {\n  params i, s, t\n" CUSTOM( \
	    y, s, p, q) "  g = mul t, y\n  yield s, g\n}\nu = mul v, 2\nreturn a, b, u\npoint 0.5, 2, 3\nrequest: "

/* A program, its request, and one letter for each value and derivative: k for known, u for unknown. */
static const struct row {
	const char *name, *text, *values, *derivatives;
} rows[] = {
    {"the operand of the custom", "inputs x: f64[]\n" CUSTOM(y, x, p, q) "return y\npoint 0.5\nrequest: vjp x", "k",
        "u"},
    {"another operand beside it",
        "inputs x: f64[], w: f64[]\n" CUSTOM(y, x, p, q) "z = mul y, w\nreturn z\npoint 0.5, 2\nrequest: vjp x, w", "k",
        "uk"},
    {"results with and without it",
        "inputs x: f64[], w: f64[]\n" CUSTOM(y, x, p, q) "z = mul x, w\nreturn y, z\npoint 0.5, 2\nrequest: jvp x, w",
        "kk", "uk"},
    {"a custom whose result no result needs",
        "inputs x: f64[]\n" CUSTOM(y, x, p, q) "z = mul x, x\nreturn z\npoint 0.5\nrequest: vjp x", "k", "k"},
    {"only an integer depends on it",
        "inputs x: f64[]\n" CUSTOM(
            y, x, p, q) "i = cast y dtype=i64\nv = cast i dtype=f64\nz = mul x, v\nreturn z\npoint 0.5\nrequest: vjp x",
        "k", "k"},
    {"an operand that is not differentiated",
        "inputs x: f64[], w: f64[]\n" CUSTOM(
            y, x, p, q) "z = mul y, w\nreturn z\npoint 0.5, 2\nrequest: vjp with respect to w",
        "k", "k"},
    {"in the body of a loop, where another carry takes it over", LOOP "vjp x, w, v", "kkk", "ukk"},
    {"the same forwards", LOOP "jvp x, w, v", "kkk", "kuk"},
    {"a rule that is not linear may make something of nothing",
        "inputs x: f64[], w: f64[]\n"
        "y = custom (x) transform=jvp {\n  params p; f = sin p; yield f\n} do {\n  params q, t; r = copy q; "
        "yield r\n}\n"
        "z = mul w, w\nreturn y, z\npoint 0.5, 2\nrequest: jvp x, w",
        "kk", "uu"},
    {"a rule that is linear in the first iteration alone",
        "inputs x: f64[], w: f64[]\n"
        "a = for (x) trip=2 {\n  params i, s\n"
        "  y = custom (s) transform=jvp {\n    params p; f = sin p; yield f\n  } do {\n    params q, t\n"
        "    o = sub q, 1; m = max o, 0; r = add t, m; yield r\n  }\n  g = add y, 2; yield g\n}\n"
        "z = mul w, w\nreturn a, z\npoint 0.5, 2\nrequest: jvp x, w",
        "kk", "uu"},
    {"two levels: all, if a path passes",
        "inputs x: f64[], w: f64[]\n" CUSTOM(
            y, x, p, q) "z = mul y, w\nreturn z\npoint 0.5, 2\nrequest: vjp x, w\n    then jvp x, w",
        "k", "uu"},
    {"two levels beside it",
        "inputs x: f64[], w: f64[]\n" CUSTOM(
            y, x, p, q) "z = mul w, w\nreturn z\npoint 0.5, 2\nrequest: vjp x, w\n    then jvp x, w",
        "k", "kk"},
    {"a derivative inside the program",
        "inputs x: f64[]\n"
        "d = derivative (x, 1) primals=1 transform=jvp {\n  params s\n" CUSTOM(
            y, s, p, q) "  yield y\n}\nreturn d\npoint 0.5\nrequest: vjp x",
        "u", "u"},
};

static void check_letters(const char *name, const char *what, const struct truth_tensor *t, int n, const char *want)
{
	for (int k = 0; k < n && want[k]; k++)
		CHECK((t[k].at[0].reason == REASON_CUSTOM_RULE) == (want[k] == 'u') &&
		        (want[k] == 'u' || t[k].at[0].reason == REASON_NONE),
		    "%s: %s %d has reason %d", name, what, k, t[k].at[0].reason);
}

int main(int argc, char **argv)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct oracle *oracle = oracle_open(&options);
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct truth t;

		arena_reset(&a);
		struct testcase c = test_case(&a, rows[k].text);
		if (!c.n_point)
			continue;
		oracle_truth(oracle, &c, &a, &t);
		const struct truth_point *p = &t.point[0];
		CHECK(p->fd.outcome != FD_DISAGREES, "%s: the oracles disagree", rows[k].name);
		check_letters(rows[k].name, "value", p->primal, p->n_primal, rows[k].values);
		check_letters(rows[k].name, "derivative", p->derivative[0], p->n_derivative, rows[k].derivatives);
		for (int i = 0; i < p->n_derivative; i++)
			CHECK(!p->derivative[0][i].at[0].in_domain, "%s: a NaN in derivative %d is a leak",
			    rows[k].name, i);
	}
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}

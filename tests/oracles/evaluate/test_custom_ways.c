/*
 * test_custom_ways.c: customs whose rule is not the derivative of their function. An engine that uses the rule is
 * right, and so is one that differentiates the function. Any other number is wrong if it is far from both.
 */
#include "engines/engine.h"
#include "oracles/truth.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <limits.h>
#include <math.h>

/*
 * z of x at x = 3, through a custom y of p. Its rule in direction t is a jvp or a vjp. The derivative by the function,
 * and by the rule; NAN: it must be unknown.
 */
static const struct row {
	const char *name, *inputs, *function, *rule, *after;
	double by_function, by_rule;
} rows[] = {
    {"another slope", "x: f64[]", "f = mul p, p", "r = mul t, 7", "z = add y, 0", 6, 7},
    {"a slope that is computed", "x: f64[]", "f = mul p, p", "s = exp q; r = mul s, t", "z = mul y, 2", 12,
        40.171073846375336},
    {"straight through", "x: f64[]", "f = floor p", "r = mul t, 1", "z = mul y, x", 3, 6},
    {"no derivative at all", "x: f64[]", "f = sin p", "r = mul t, 0", "z = add y, x", 1 - 0.9899924966004454, 1},
    {"the rule of a copy", "x: f64[]", "f = copy p", "r = neg t", "z = mul y, y", 6, -6},
    {"used twice", "x: f64[]", "f = mul p, 2", "k = mul t, q; l = mul t, 4; r = add k, l", "z = mul y, y", 24, 84},
    {"in f32", "x: f32[]", "f = mul p, p", "r = neg t", "z = copy y", 6, -1},
    {"a direction that is stopped", "x: f64[]", "f = mul p, p", "s = stop_gradient t; r = mul s, 7", "z = copy y", NAN,
        NAN},
    {"a direction that is squared", "x: f64[]", "f = mul p, p", "r = mul t, t", "z = copy y", NAN, NAN},
    {"a choice by the direction", "x: f64[]", "f = mul p, p", "r = abs t", "z = copy y", NAN, NAN},
};

static struct testcase make(struct arena *a, const struct row *r, bool jvp_rule, bool jvp)
{
	return test_case(a,
	    arena_printf(a,
	        "inputs %s\n"
	        "y = custom (x) transform=%s {\n  params p; %s; yield f\n} do {\n  params q, t; %s; yield r\n}\n"
	        "%s\nreturn z\npoint 3\nrequest: %s with respect to x; %s 1",
	        r->inputs, jvp_rule ? "jvp" : "vjp", r->function, r->rule, r->after, jvp ? "jvp" : "vjp",
	        jvp ? "tangents" : "cotangents"));
}

static enum verdict verdict_of(const struct testcase *c, const struct truth *t, double got, struct arena *a)
{
	struct tensor primal = tensor_new(a, &t->point[0].primal[0].type),
	              derivative = tensor_new(a, &t->point[0].derivative[0][0].type);
	struct answer answer = {
	    .n_primal = 1, .primal = &primal, .n_derivative = 1, .derivative = &derivative, .text = ""};
	struct judgement j;

	primal.at[0].f = dtype_round(primal.type.dtype, t->point[0].primal[0].at[0].value);
	derivative.at[0].f = dtype_round(derivative.type.dtype, got);
	judge(c, t, &answer, &j);
	return j.verdict;
}

static void test_row(struct oracle *oracle, const struct row *r, bool jvp_rule, bool jvp, struct arena *a)
{
	const char *rule = jvp_rule ? "jvp" : "vjp", *request = jvp ? "jvp" : "vjp";
	struct testcase c = make(a, r, jvp_rule, jvp);
	const double f = r->by_function, g = r->by_rule, far = fmax(f, g) + 3 * fabs(f - g) + 1;
	struct truth t;

	if (!c.n_point)
		return;
	oracle_truth(oracle, &c, a, &t);
	const struct component *x = &t.point[0].derivative[0][0].at[0];
	CHECK(t.point[0].primal[0].at[0].reason == REASON_NONE, "%s, rule %s, %s: the value is undecided", r->name,
	    rule, request);
	if (isnan(f)) {
		CHECK(x->reason == REASON_CUSTOM_RULE && !component_alternatives(x), "%s, rule %s, %s: it is known",
		    r->name, rule, request);
		return;
	}
	const enum verdict by_function = verdict_of(&c, &t, f, a), by_rule = verdict_of(&c, &t, g, a),
	                   between = verdict_of(&c, &t, f / 4 + g * 3 / 4, a), beyond = verdict_of(&c, &t, far, a);
	CHECK(by_function == VERDICT_AGREE, "%s, rule %s, %s: the function's is %s", r->name, rule, request,
	    verdict_names[by_function]);
	CHECK(by_rule == VERDICT_AGREE, "%s, rule %s, %s: the rule's is %s", r->name, rule, request,
	    verdict_names[by_rule]);
	CHECK(between == VERDICT_UNDECIDED, "%s, rule %s, %s: a number between is %s", r->name, rule, request,
	    verdict_names[between]);
	CHECK(beyond == VERDICT_WRONG, "%s, rule %s, %s: a number beyond is %s", r->name, rule, request,
	    verdict_names[beyond]);
}

/* Two results that are one value, two operands, and an execution in each iteration of a loop. */
static const struct engines_row {
	const char *name;
	int alternatives; /* two for each execution */
	const char *text;
} programs[] = {
    {"one value twice", 2,
        "inputs x: f64[2]\n"
        "y, z = custom (x) transform=vjp {\n  params p; s = sin p; yield s, s\n} do {\n"
        "  params q, c, d; r = sub c, d; yield r\n}\n"
        "a = mul y, z\nreturn a, y\npoint [0.5, 2]\nrequest: vjp with respect to x; cotangents [1.5, 2], [0.25, 3]"},
    {"two operands", 2,
        "inputs x: f64[], w: f64[]\n"
        "y = custom (x, w) transform=jvp {\n  params p, q; s = mul p, q; yield s\n} do {\n"
        "  params g, h, t, u; k = mul t, h; l = mul u, g; r = sub k, l; yield r\n}\n"
        "z = mul y, x\nreturn z\npoint 0.75, -2\nrequest: jvp with respect to x, w; tangents 1.5, 0.5"},
    {"in a loop", 8,
        "inputs x: f64[]\n"
        "y = for (x) trip=3 {\n  params i, v\n"
        "  n = custom (v) transform=vjp {\n    params p; s = sin p; yield s\n  } do {\n"
        "    params q, c; r = mul c, q; yield r\n  }\n"
        "  yield n\n}\n"
        "return y\npoint 0.75\nrequest: vjp with respect to x; cotangents 1.5"},
};

/* Every engine is right: most use the rule, some the function. */
static void test_engines(struct oracle *oracle, const struct engines_row *row, struct arena *a)
{
	static const char *const specs[] = {"forward", "tape", "functional", "parallel", "aot", "compiled"};
	struct testcase c = test_case(a, row->text);
	struct truth t;
	int decided = 0;

	if (!c.n_point)
		return;
	oracle_truth(oracle, &c, a, &t);
	const struct alternatives *x = component_alternatives(&t.point[0].derivative[0][0].at[0]);
	CHECK(x && x->n == row->alternatives, "%s: %d alternatives", row->name, x ? x->n : 0);
	for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
		struct error e = {"", ""};
		struct engine *engine = engine_open(specs[k], &e);
		struct answer answer;
		struct judgement j;

		engine_answer(engine, &c, a, &answer);
		judge(&c, &t, &answer, &j);
		CHECK(j.verdict == VERDICT_AGREE || j.verdict == VERDICT_UNSUPPORTED, "%s, %s: %s", row->name, specs[k],
		    verdict_names[j.verdict]);
		decided += j.verdict == VERDICT_AGREE;
		engine_close(engine);
	}
	CHECK(decided > 2, "%s: %d engines are decided", row->name, decided);
}

int main(int argc, char **argv)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	struct oracle *oracle = oracle_open(&options);
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (int which = 0; which < 4; which++) {
			arena_reset(&a);
			test_row(oracle, &rows[k], which & 1, which & 2, &a);
		}
	for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
		arena_reset(&a);
		test_engines(oracle, &programs[k], &a);
	}
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}

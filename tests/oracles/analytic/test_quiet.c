/*
 * test_quiet.c: rules of op custom that are right in real numbers, and lose digits. An engine that uses such a rule is
 * right. So it must not be called wrong: either the radii cover what the rule loses, or nothing is decided.
 */
#include "engines/engine.h"
#include "oracles/truth.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <limits.h>
#include <math.h>

enum { POINTS = 60 };

/* A function y of x, and its partial p at s. */
static const struct function {
	const char *name, *y, *p;
	bool tie; /* an answer may follow a convention */
} functions[] = {
    {"square", "y = mul x, x", "p = add s, s", false},
    {"sin", "y = sin x", "p = cos s", false},
    {"exp", "y = exp x", "p = exp s", false},
    {"tanh", "y = tanh x", "v = tanh s; vv = mul v, v; p = sub one, vv", false},
    {"three times", "w = add x, x; y = add w, x", "two = add one, one; p = add two, one", false},
    {"log", "y = log x", "p = div one, s", false},
    {"sin beside a tie", "w = mul x, zero; t0 = abs w; u0 = sin x; y = add u0, t0", "p = cos s", true},
};

/* A rule r of the partial p, the direction t and a number k. */
static const struct form {
	const char *name, *r;
	bool plain; /* it has no more roundings than the derivative: it must be trusted */
} forms[] = {
    {"as it is", "r = mul p, t", true},
    {"the direction first", "r = mul t, p", true},
    {"negated twice", "n = neg p; nt = mul n, t; r = neg nt", true},
    {"a number is added and subtracted", "q = add p, k; d = sub q, k; r = mul d, t", false},
    {"multiplied and divided", "q = mul p, k; d = mul q, t; r = div d, k", false},
    {"a difference of two", "l = sub k, one; a = mul p, k; b = mul p, l; at = mul a, t; bt = mul b, t; r = sub at, bt",
        false},
};

static const double numbers[] = {0.0625, 1, 3, 5, 11, 64, 1000, 0x1p30};

/* A point, or the tangent there: every bit of its mantissa matters. */
static double drawn(int i, double factor, const char *dtype)
{
	const double x = 0.3 + fmod(i * factor, 1.7);
	return dtype[1] == '3' ? (double)(float)x : x;
}

static struct testcase rule_case(
    struct arena *a, const struct function *f, const struct form *form, double k, const char *dtype, int i)
{
	return test_case(a,
	    arena_printf(a,
	        "inputs u: %s[]\n"
	        "z = custom (u) transform=jvp {\n  params x: %s[]; zero: %s[] = constant 0; %s; yield y\n} do {\n"
	        "  params s: %s[], t: %s[]; one: %s[] = constant 1; k: %s[] = constant %a; %s; %s; yield r\n}\n"
	        "return z\npoint %a\nrequest: jvp with respect to u; tangents %a",
	        dtype, dtype, dtype, f->y, dtype, dtype, dtype, dtype, k, f->p, form->r,
	        drawn(i, 0.618033988749895, dtype), drawn(i, 0.414213562373095, dtype)));
}

/* How many of the points are decided. */
static int judge_rule(struct oracle *oracle, struct engine *engine, const struct function *f, const struct form *form,
    double k, const char *dtype, struct arena *a)
{
	int decided = 0;

	for (int i = 0; i < POINTS; i++) {
		struct judgement got;
		struct answer answer;
		struct truth truth;

		arena_reset(a);
		struct testcase c = rule_case(a, f, form, k, dtype, i);
		if (!c.n_point)
			return 0;
		oracle_truth(oracle, &c, a, &truth);
		engine_answer(engine, &c, a, &answer);
		judge(&c, &truth, &answer, &got);
		const struct component *x = &truth.point[0].derivative[0][0].at[0];
		decided += !x->reason;
		CHECK(x->reason || got.verdict == VERDICT_AGREE || got.verdict == VERDICT_INACCURATE ||
		        (f->tie && got.verdict == VERDICT_CONVENTION),
		    "%s, %s, %g, %s, point %d: %s", f->name, form->name, k, dtype, i, verdict_names[got.verdict]);
	}
	return decided;
}

int main(int argc, char **argv)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	struct oracle *oracle = oracle_open(&options);
	struct error e = {"", ""};
	struct engine *forward = engine_open("forward", &e);
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
		for (size_t m = 0; m < sizeof forms / sizeof *forms; m++)
			for (size_t k = 0; k < sizeof numbers / sizeof *numbers && (!k || !forms[m].plain); k++)
				for (int d = 0; d < 2; d++) {
					const char *dtype = d ? "f32" : "f64";
					const int decided = judge_rule(
					    oracle, forward, &functions[f], &forms[m], numbers[k], dtype, &a);

					CHECK(decided == POINTS || !forms[m].plain, "%s, %s, %s: %d of %d are decided",
					    functions[f].name, forms[m].name, dtype, decided, POINTS);
				}
	engine_close(forward);
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}

/*
 * NaN that zeros may have made where 0 times infinity is NaN: what is one and what is not, and that engines which have that one fault and no other return no other NaN.
 */
#include "../../graph/walk.h"
#include "../../fuzz/bench.h"
#include "../../fuzz/generate.h"
#include "../check.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define N(out, op, ...) "{\"out\":[\"" out "\"],\"op\":\"" op "\",\"args\":[" __VA_ARGS__ "]}"
#define A(out, op, args, attributes) "{\"out\":[\"" out "\"],\"op\":\"" op "\",\"args\":[" args "]," attributes "}"
#define C(out, type, value) "{\"out\":[\"" out ": " type "\"],\"op\":\"constant\",\"value\":" value "}"
#define VJP(wrt, seed) "{\"transform\":\"vjp\",\"wrt\":[" wrt "],\"cotangents\":[" seed "]}"
#define JVP(wrt, seed) "{\"transform\":\"jvp\",\"wrt\":[" wrt "],\"tangents\":[" seed "]}"
#define X "\"x: f64[]\""
#define XZ X ",\"z: f64[]\""
#define V "\"x: f64[2]\""
/* y = select(x > 0, f(x), 1) */
#define MASKED(f) C("o", "f64[]", "0") "," C("e", "f64[]", "1") "," N("p", "gt", "\"x\",\"o\"") "," f "," N("y", "select", "\"p\",\"b\",\"e\"")
#define SQRT N("b", "sqrt", "\"x\"")

enum { COMPONENTS = 2, RANDOM = 1200 };

static const struct row {
	const char *name, *inputs, *body, *results, *point, *request;
	bool weak[COMPONENTS]; /* of each component of the derivative */
} rows[] = {
    {"a dead root at 0", X, MASKED(SQRT), "\"y\"", "0", VJP("0", "1"), {true}},
    {"a dead root of a negative number", X, MASKED(SQRT), "\"y\"", "-1", VJP("0", "1"), {true}},
    {"forwards", X, MASKED(SQRT), "\"y\"", "-1", JVP("0", "1"), {true}},
    {"a root at 1", X, MASKED(SQRT), "\"y\"", "1", VJP("0", "1"), {false}},
    {"below a dead quotient", X, MASKED(N("s", "sin", "\"x\"") "," N("b", "div", "\"e\",\"s\"")), "\"y\"", "0", VJP("0", "1"), {true}},
    {"beside it", XZ, MASKED(SQRT) "," N("w", "mul", "\"z\",\"z\""), "\"y\",\"w\"", "-1,0", VJP("0,1", "1,1"), {true, false}},
    /* forwards any result may be the one */
    {"beside it, forwards", XZ, MASKED(SQRT) "," N("w", "sin", "\"z\""), "\"y\",\"w\"", "-1,0", JVP("0,1", "1,1"), {true, true}},
    {"a seed of 0", V, N("y", "rsqrt", "\"x\""), "\"y\"", "[0,1]", VJP("0", "[0,1]"), {true, false}},
    {"what nobody reads", V, C("e", "f64[]", "1") "," N("i", "div", "\"e\",\"x\"") "," A("y", "slice", "\"i\"", "\"start\":[0],\"size\":[1]"), "\"y\"", "[1,0]",
        VJP("0", "[1]"), {false, true}},
    {"an asin of what rounds to 1, not read", V, C("one", "f64[]", "1") "," N("a", "add", "\"one\",\"x\"") "," N("s", "asin", "\"a\"") "," A("y", "slice", "\"s\"", "\"start\":[1],\"size\":[1],\"stride\":[1]"), "\"y\"",
        "[\"-0x1p-58\",-0.5]", VJP("0", "[1]"), {true, false}},
    {"the loser of a maximum", XZ, N("r", "sqrt", "\"x\"") "," N("y", "max", "\"r\",\"z\""), "\"y\"", "0,1", VJP("0,1", "1"), {true, false}},
    {"a square as a power at 0", X, C("two", "f64[]", "2") "," N("y", "pow", "\"x\",\"two\""), "\"y\"", "0", VJP("0", "1"), {false}},
    {"a product with a 0", V, A("y", "reduce_prod", "\"x\"", "\"axes\":[0]"), "\"y\"", "[0,3]", VJP("0", "1"), {false, false}},
    {"a norm with a 0", V, A("y", "norm", "\"x\"", "\"axes\":[0]"), "\"y\"", "[0,3]", VJP("0", "1"), {false, false}},
    {"a cotangent of f16 out of range", "\"x: f16[]\"", N("b", "sqrt", "\"x\"") "," N("y", "sin", "\"b\""), "\"y\"", "4", VJP("0", "1"), {false}},
};

static void test_row(struct oracle *oracle, const struct row *row, struct arena *a)
{
	struct testcase c = {0};
	struct error e = {0};
	struct truth truth;
	char *text = arena_printf(a, "{\"schema\":\"adjudge.case/1\",\"inputs\":[%s],\"body\":[%s],\"results\":[%s],\"points\":[[%s]],\"request\":[%s]}",
	    row->inputs, row->body, row->results, row->point, row->request);
	bool good = testcase_read(text, strlen(text), a, &c, &e);
	int at = 0;
	CHECK(good, "%s: %s: %s\n%s", row->name, e.place, e.text, text);
	if (!good)
		return;
	oracle_truth(oracle, &c, a, &truth);
	const struct truth_point *t = &truth.point[0];
	for (int k = 0; k < t->n_derivative; k++)
		for (int i = 0; i < shape_elements(&t->derivative[0][k].type.shape); i++, at++)
			CHECK(at >= COMPONENTS || t->derivative[0][k].at[i].weak_zero == row->weak[at], "%s: component %d", row->name, at);
}

/* All NaN: one that zeros may have made is not what is told of while there is another. */
static void test_mixed(struct oracle *oracle, struct arena *a)
{
	for (int k = 0; k < 2; k++) {
		const struct row *row = &rows[k ? 5 : 0];
		char *text = arena_printf(a, "{\"schema\":\"adjudge.case/1\",\"inputs\":[%s],\"body\":[%s],\"results\":[%s],\"points\":[[%s]],\"request\":[%s]}",
		    row->inputs, row->body, row->results, row->point, row->request);
		struct testcase c;
		struct error e = {0};
		struct truth truth;
		struct answer answer = {.status = ANSWER_OK};
		struct judgement got;
		if (!testcase_read(text, strlen(text), a, &c, &e))
			continue; /* test_row told */
		oracle_truth(oracle, &c, a, &truth);
		const struct truth_point *t = &truth.point[0];
		answer.n_primal = t->n_primal;
		answer.n_derivative = t->n_derivative;
		answer.primal = NEW(a, struct tensor, t->n_primal);
		answer.derivative = NEW(a, struct tensor, t->n_derivative);
		for (int i = 0; i < t->n_primal; i++) {
			answer.primal[i] = tensor_new(a, &t->primal[i].type);
			answer.primal[i].at[0].f = t->primal[i].at[0].value;
		}
		for (int i = 0; i < t->n_derivative; i++) {
			answer.derivative[i] = tensor_new(a, &t->derivative[0][i].type);
			answer.derivative[i].at[0].f = NAN;
		}
		judge(&c, &truth, &answer, &got);
		CHECK(got.verdict == VERDICT_NAN_LEAK && got.weak_zero == !k && got.which == k, "%s: %s, %d", row->name, verdict_names[got.verdict], got.weak_zero);
		CHECK(!strcmp(signature_coarse("x", &c, &got, a), k ? "x|vjp|nan-leak|nan" : "x|*|nan-leak|weak-zero"), "%s", signature_coarse("x", &c, &got, a));
	}
}

/* An engine with that fault alone. */
static void test_engine(const char *spec, struct arena *a)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	const struct profile profile = profile_default();
	struct error e = {0};
	struct bench b;
	int leaks = 0;
	bool open = bench_open(&b, &spec, 1, &options, &e);
	CHECK(open, "%s: %s", spec, e.text);
	for (uint64_t number = 0; open && number < RANDOM; number++) {
		struct choice choice = choice_seeded(seed_mix(3, number));
		struct bench_result r;
		arena_reset(a);
		struct testcase c = generate(&choice, &profile, a);
		/* a derivative inside is differentiated twice: what becomes of an engine's own masks is its own matter */
		if (request_order(c.transform, c.n_transform) != 1 || region_has_op(&c.program.top, OP_DERIVATIVE))
			continue;
		bench_judge(&b, &c, a, &r);
		if (r.judgement[0].verdict != VERDICT_NAN_LEAK)
			continue;
		leaks++;
		CHECK(r.judgement[0].weak_zero, "%s: nothing excuses case %llu", spec, (unsigned long long)number);
	}
	CHECK(!open || leaks > 2, "%s: %d leaks", spec, leaks);
	if (open)
		bench_close(&b);
}

int main(void)
{
	static const char *const engines[] = {"tape+weak-zero", "functional+weak-zero", "forward+fdiff-weak-zero"};
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct oracle *oracle = oracle_open(&options);
	struct arena a;
	arena_init(&a, 1 << 28);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		arena_reset(&a);
		test_row(oracle, &rows[k], &a);
	}
	test_mixed(oracle, &a);
	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++)
		test_engine(engines[k], &a);
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}

/*
 * NaN that zeros may have made where 0 times infinity is NaN: what is one and what is not, and that engines which
 * have that one fault and no other return no other NaN.
 */
#include "graph/walk.h"
#include "fuzz/bench/bench.h"
#include "fuzz/generate/generate.h"
#include "tests/check.h"
#include "tests/support/frozen.h"
#include "tests/support/case_text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { COMPONENTS = 2, RANDOM = 1200 };

static const struct row {
	const char *name, *inputs, *body, *results, *point, *request;
	bool weak[COMPONENTS]; /* of each component of the derivative */
} rows[] = {
    {"a dead root at 0", "x: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = sqrt x\n"
        "y = select p, b, e",
        "y", "0", "request: vjp", {true}},
    {"a dead root of a negative number", "x: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = sqrt x\n"
        "y = select p, b, e",
        "y", "-1", "request: vjp", {true}},
    {"forwards", "x: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = sqrt x\n"
        "y = select p, b, e",
        "y", "-1", "request: jvp", {true}},
    {"a root at 1", "x: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = sqrt x\n"
        "y = select p, b, e",
        "y", "1", "request: vjp", {false}},
    {"below a dead quotient", "x: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "s = sin x\n"
        "b = div e, s\n"
        "y = select p, b, e",
        "y", "0", "request: vjp", {true}},
    {"beside it", "x: f64[], z: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = sqrt x\n"
        "y = select p, b, e\n"
        "w = mul z, z",
        "y, w", "-1,0", "request: vjp", {true, false}},
    /* forwards any result may be the one */
    {"beside it, forwards", "x: f64[], z: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = sqrt x\n"
        "y = select p, b, e\n"
        "w = sin z",
        "y, w", "-1,0", "request: jvp", {true, true}},
    {"a seed of 0", "x: f64[2]", "y = rsqrt x", "y", "[0,1]", "request: vjp; cotangents [0, 1]", {true, false}},
    {"a logarithm of what rounding may make 0, times a seed of 0", "x: f64[], z: f64[]",
        "k = mul x, 0.1; f = floor k; w = mul f, z; y = log w", "y", "10,2", "request: vjp; cotangents 0",
        {true, true}},
    {"what nobody reads", "x: f64[2]", "i = div 1, x; y = slice i start=[0] size=[1]", "y", "[1,0]", "request: vjp",
        {false, true}},
    {"an asin of what rounds to 1, not read", "x: f64[2]",
        "a = add 1, x\n"
        "s = asin a\n"
        "y = slice s start=[1] size=[1] stride=[1]",
        "y", "[-0x1p-58, -0.5]", "request: vjp", {true, false}},
    {"the loser of a maximum", "x: f64[], z: f64[]", "r = sqrt x; y = max r, z", "y", "0,1", "request: vjp",
        {true, false}},
    /* there is no partial by the exponent of a negative base, so it is not infinite either */
    {"a power of a negative number, an exponent of tangent 0", "x: f64[], n: f64[]", "y = pow x, n", "y", "-2,3",
        "request: jvp; tangents 1, 0", {false}},
    {"the same, an exponent that is rounded", "x: f64[], n: f64[]", "m = ceil n; y = pow x, m", "y", "-2,3",
        "request: jvp", {false}},
    {"the same, not read", "x: f64[], n: f64[]",
        "o = constant 0\n"
        "p = gt x, o\n"
        "b = pow x, n\n"
        "y = select p, b, x",
        "y", "-2,3", "request: jvp; tangents 1, 0", {true}},
    {"the same, not read, backwards", "x: f64[], n: f64[]",
        "o = constant 0\n"
        "p = gt x, o\n"
        "b = pow x, n\n"
        "y = select p, b, x",
        "y", "-2,3", "request: vjp", {false, true}},
    {"a power of a negative number beside a root of 0", "x: f64[], z: f64[]", "y = pow x, 3; w = sqrt z", "y, w",
        "-2,0", "request: jvp; tangents 1, 0", {true, true}},
    {"a square as a power at 0", "x: f64[]", "y = pow x, 2", "y", "0", "request: vjp", {false}},
    {"a product with a 0", "x: f64[2]", "y = reduce_prod x axes=[0]", "y", "[0,3]", "request: vjp", {false, false}},
    {"a norm with a 0", "x: f64[2]", "y = norm x axes=[0]", "y", "[0,3]", "request: vjp", {false, false}},
    {"a cotangent of f16 out of range", "x: f16[]", "b = sqrt x; y = sin b", "y", "4", "request: vjp", {false}},
};

static struct testcase read_row(const struct row *row, struct arena *a)
{
	return test_case(a,
	    arena_printf(a, "inputs %s\n%s\nreturn %s\npoint %s\n%s", row->inputs, row->body, row->results, row->point,
	        row->request));
}

static void test_row(struct oracle *oracle, const struct row *row, struct arena *a)
{
	struct testcase c = read_row(row, a);
	struct truth truth;
	int at = 0;
	if (!c.n_point)
		return;
	oracle_truth(oracle, &c, a, &truth);
	const struct truth_point *t = &truth.point[0];
	for (int k = 0; k < t->n_derivative; k++)
		for (int i = 0; i < shape_elements(&t->derivative[0][k].type.shape); i++, at++)
			CHECK(at >= COMPONENTS || t->derivative[0][k].at[i].weak_zero == row->weak[at],
			    "%s: component %d", row->name, at);
}

/* All NaN: one that zeros may have made is not what is told of while there is another. */
static void test_mixed(struct oracle *oracle, struct arena *a)
{
	for (int k = 0; k < 2; k++) {
		const struct row *row = &rows[k ? 5 : 0];
		struct testcase c = read_row(row, a);
		struct truth truth;
		struct answer answer = {.status = ANSWER_OK};
		struct judgement got;
		if (!c.n_point)
			continue;
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
		CHECK(got.verdict == VERDICT_NAN_LEAK && got.weak_zero == !k && got.which == k, "%s: %s, %d", row->name,
		    verdict_names[got.verdict], got.weak_zero);
		CHECK(!strcmp(signature_coarse("x", &c, &got, a), k ? "x|vjp|nan-leak|nan" : "x|*|nan-leak|weak-zero"),
		    "%s", signature_coarse("x", &c, &got, a));
	}
}

/* At order 2, a NaN out of a masked singular op may reach some components (nan_reach.h). */
static const struct masked {
	const char *name, *inputs, *body, *results, *point, *request;
	bool reached[COMPONENTS];
} masked[] = {
    {"its own operand, not the one beside it", "x: f64[], z: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = sqrt x\n"
        "y = select p, b, e\n"
        "w = mul z, z",
        "y, w", "-1,2", "request: vjp; then vjp", {true, false}},
    {"what is added to it", "x: f64[], z: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = log x\n"
        "y = select p, b, e\n"
        "q = mul z, z\n"
        "w = add q, y",
        "w", "-1,2", "request: vjp; then vjp", {true, false}},
    {"what is multiplied by it", "x: f64[], z: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = log x\n"
        "y = select p, b, e\n"
        "w = mul z, y",
        "w", "-1,2", "request: vjp; then vjp", {true, true}},
    {"what is multiplied by a sum with it", "x: f64[], z: f64[]",
        "o = constant 0\n"
        "p = gt x, o\n"
        "b = rsqrt x\n"
        "y = select p, b, z\n"
        "w = mul y, y",
        "w", "0,2", "request: vjp; then jvp", {true, true}},
    {"forwards, what depends on it", "x: f64[], z: f64[]",
        "o = constant 0\n"
        "e = constant 1\n"
        "p = gt x, o\n"
        "b = sqrt x\n"
        "y = select p, b, e\n"
        "w = mul z, z",
        "y, w", "-1,2", "request: jvp; then jvp", {true, false}},
    {"a large number is no infinity", "x: f64[], z: f64[]", "b = mul x, 1e150; y = mul b, z", "y", "2,3",
        "request: vjp; then vjp", {false, false}},
    {"a path that leaves the range, times a seed of 0", "x: f32[], z: f32[]",
        "k = constant 0x1p15\n"
        "c = cast k dtype=f32\n"
        "b = for (x) trip=9 {\n  params i, s; t = mul s, c; yield t\n}\n"
        "y = sin b\n"
        "w = mul z, z",
        "y, w", "0x1p-140,2", "request: vjp; cotangents 0, 1; then jvp; tangents 1, 1", {true, false}},
    {"a path inside the range, times a seed of 0", "x: f32[], z: f32[]",
        "k = constant 0x1p15\n"
        "c = cast k dtype=f32\n"
        "b = for (x) trip=4 {\n  params i, s; t = mul s, c; yield t\n}\n"
        "y = sin b\n"
        "w = mul z, z",
        "y, w", "0x1p-60,2", "request: vjp; cotangents 0, 1; then jvp; tangents 1, 1", {false, false}},
    {"a partial that is large, times a seed of 0", "x: f32[], z: f32[]", "a = mod x, z; y = sin a", "y", "2,0x1p-126",
        "request: vjp; cotangents 0; then jvp; tangents 1, 1", {true, true}},
    {"a partial that rounding may change, times a seed of 0", "x: f32[], z: f32[]",
        "k = constant -0x1.73e498p-127\n"
        "c = cast k dtype=f32\n"
        "a = mod x, c\n"
        "b = add a, z\n"
        "y = sin b",
        "y", "2,0.5", "request: vjp; cotangents 0; then jvp; tangents 1, 1", {true, true}},
    {"a choice that rounding may change, times a seed of 0", "x: f64[], z: f64[]",
        "a = mul x, 3\n"
        "c = add x, x\n"
        "b = add c, x\n"
        "m = max a, b\n"
        "y = sin m\n"
        "w = mul z, z",
        "y, w", "0.1,2", "request: vjp; cotangents 0, 1; then jvp; tangents 1, 1", {false, false}},
    {"a branch that the rule of a custom does not take", "x: f64[], z: f64[]",
        "y = custom (x) transform=jvp {\n  params p; f = sin p; yield f\n} do {\n  params q, t; c = cos q\n"
        "  a = mul c, t; d = div t, q; k = constant false; s = select k, d, a; yield s\n}\n"
        "w = mul z, z",
        "y, w", "0,2", "request: vjp", {true, true}},
    {"the same in its own mode", "x: f64[], z: f64[]",
        "y = custom (x) transform=jvp {\n  params p; f = sin p; yield f\n} do {\n  params q, t; c = cos q\n"
        "  a = mul c, t; d = div t, q; k = constant false; s = select k, d, a; yield s\n}\n"
        "w = mul z, z",
        "y, w", "0,2", "request: jvp", {false, false}},
    {"the same in the domain", "x: f64[], z: f64[]",
        "y = custom (x) transform=jvp {\n  params p; f = sin p; yield f\n} do {\n  params q, t; c = cos q\n"
        "  a = mul c, t; d = div t, q; k = constant false; s = select k, d, a; yield s\n}\n"
        "w = mul z, z",
        "y, w", "1,2", "request: vjp; then vjp", {false, false}},
    {"a power of 0", "x: f64[], z: f64[]", "b = pow x, 3; w = mul z, z; y = add b, w", "y", "0,2",
        "request: vjp; then vjp", {true, false}},
};

static void test_masked(struct oracle *oracle, const struct masked *row, struct arena *a)
{
	struct testcase c = test_case(a,
	    arena_printf(a, "inputs %s\n%s\nreturn %s\npoint %s\n%s", row->inputs, row->body, row->results, row->point,
	        row->request));
	struct truth truth;
	int at = 0;
	if (!c.n_point)
		return;
	oracle_truth(oracle, &c, a, &truth);
	const struct truth_point *t = &truth.point[0];
	for (int k = 0; k < t->n_derivative; k++)
		for (int i = 0; i < shape_elements(&t->derivative[0][k].type.shape); i++, at++) {
			const struct component *x = &t->derivative[0][k].at[i];
			CHECK(!x->reason, "%s: component %d is undecided: %s", row->name, at, reason_names[x->reason]);
			CHECK(at >= COMPONENTS || x->in_domain == !row->reached[at], "%s: component %d", row->name, at);
		}
}

/* At order 2 and above, a level that is a jvp may give a tangent 0 to anything, and multiply an infinity by it. */
static const struct second {
	const char *inputs, *body, *point;
	bool forwards, backwards; /* with a jvp among the levels; in vjp; vjp */
} seconds[] = {
    {"x: f64[], z: f64[]", "s = asin x; y = mul s, z", "1,0.5", true, false},
    {"x: f64[], z: f64[]", "s = sqrt x; y = mul s, z", "0,0.5", true, false},
    {"x: f64[], z: f64[]", "s = pow x, 1.5; y = mul s, z", "0,0.5", true, false},
    {"x: f64[], z: f64[]", "s = abs x; y = mul s, z", "0,0.5", true, false}, /* a kink has an infinite second */
    {"x: f64[], z: f64[]", "s = max x, 2; y = mul s, z", "2,0.5", true, false},
    {"x: f64[], z: f64[]", "s = max x, 2; y = mul s, z", "3,0.5", false, false},
    {"x: f64[], z: f64[]", "s = sin x; y = mul s, z", "1,0.5", false, false},
    {"x: f64[], z: f64[]", "s = asin x; y = mul s, z", "0.5,0.5", false, false},
    {"x: f64[], z: f64[]", "s = pow x, 2; y = mul s, z", "0,0.5", false, false},
    {"x: f64[], z: f64[]", "s = pow x, 3; y = mul s, z", "-2,0.5", false, false},
    {"x: f64[], z: f64[]", "s = sqrt x; y = mul z, z", "0,0.5", false, false}, /* not read */
    /* the second derivative, 0x1.8p1249, is out of range; 0x1.8p249 is not */
    {"x: f64[], z: f64[]", "s = rsqrt x; y = mul s, z", "0x1p-500,0.5", true, false},
    {"x: f64[], z: f64[]", "s = rsqrt x; y = mul s, z", "0x1p-100,0.5", false, false},
};

static void test_second(struct oracle *oracle, const struct second *row, struct arena *a)
{
	static const char *const requests[] = {"jvp z; tangents 1; then jvp z; tangents 1",
	    "vjp z; then jvp z; tangents 1", "jvp z; tangents 1; then vjp z", "vjp z; then vjp z"};
	for (int k = 0; k < 4; k++) {
		struct testcase c = test_function(a, row->inputs, row->body, row->point, requests[k]);
		const bool weak = k < 3 ? row->forwards : row->backwards;
		struct truth truth;
		if (!c.n_point)
			continue;
		oracle_truth(oracle, &c, a, &truth);
		const struct component *x = &truth.point[0].derivative[0][0].at[0];
		CHECK(!x->reason && x->in_domain, "%s: %s: %s", row->body, requests[k], reason_names[x->reason]);
		CHECK(x->weak_zero == weak, "%s at %s: %s", row->body, row->point, requests[k]);
	}
}

/*
 * An engine with that fault alone, at order 2 and above. Its NaNs are where a NaN may be. Masks in its own rules of
 * atan and asinh are its own matter.
 */
static void test_engine_twice(const char *spec, struct arena *a)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	struct profile profile = profile_frozen();
	struct error e = {0};
	struct bench b;
	int asked = 0, excused = 0;
	bool open = bench_open(&b, &spec, 1, &options, &e);
	CHECK(open, "%s: %s", spec, e.text);
	profile.order_second = 50;
	profile.order_third = 20;
	profile.weight_derivative = 30;
	profile.unguarded = 20;
	profile.without[OP_ATAN] = profile.without[OP_ASINH] = true;
	for (uint64_t number = 0; open && number < RANDOM; number++) {
		struct choice choice = choice_seeded(seed_mix(4, number));
		struct bench_result r;
		arena_reset(a);
		struct testcase c = generate(&choice, &profile, a);
		if (request_order(c.transform, c.n_transform) < 2 && !region_has_op(&c.program.top, OP_DERIVATIVE))
			continue;
		bench_judge(&b, &c, a, &r);
		asked++;
		excused += r.judgement[0].undecided[REASON_NON_FINITE] > 0;
		CHECK(r.judgement[0].verdict != VERDICT_NAN_LEAK, "%s: nothing excuses case %llu", spec,
		    (unsigned long long)number);
	}
	CHECK(!open || (asked > RANDOM / 2 && excused > 10), "%s: %d of %d cases undecided", spec, excused, asked);
	if (open)
		bench_close(&b);
}

/* An engine with that fault alone. */
static void test_engine(const char *spec, struct arena *a)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	const struct profile profile = profile_frozen();
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
		/*
		 * a derivative inside is differentiated twice: what becomes of an engine's own masks is its own
		 * matter
		 */
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

int main(int argc, char **argv)
{
	static const char *const engines[] = {"tape+weak-zero", "functional+weak-zero", "forward+fdiff-weak-zero"};
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct oracle *oracle = oracle_open(&options);
	struct arena a;
	check_begin(argc, argv);
	arena_init(&a, 1 << 28);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("%s", rows[k].name))
			continue;
		arena_reset(&a);
		test_row(oracle, &rows[k], &a);
	}
	CHECK_LAW(test_mixed(oracle, &a));
	for (size_t k = 0; k < sizeof masked / sizeof *masked; k++) {
		if (!row_wanted("%s", masked[k].name))
			continue;
		arena_reset(&a);
		test_masked(oracle, &masked[k], &a);
	}
	for (size_t k = 0; k < sizeof seconds / sizeof *seconds; k++) {
		if (!row_wanted("order 2: %s at %s", seconds[k].body, seconds[k].point))
			continue;
		arena_reset(&a);
		test_second(oracle, &seconds[k], &a);
	}
	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
		if (row_wanted("engines: %s", engines[k]))
			test_engine(engines[k], &a);
		if (row_wanted("engines, order 2: %s", engines[k]))
			test_engine_twice(engines[k], &a);
	}
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}

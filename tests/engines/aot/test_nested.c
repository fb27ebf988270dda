/*
 * test_nested.c: op derivative in the engines. The value of a derivative is the answer to the request it stands for,
 * and a request around it the answer to the stack of both; known values where regions capture, nest and loop.
 */
#include "engines/aot/aot.h"
#include "engines/aot/nested.h"
#include "fuzz/generate/generate.h"
#include "tests/nested.h"
#include "tests/engines/samples.h"

/* ---- known values: all are at a = 0.5, b = -1.25 ---- */

static const struct {
	const char *name, *text;
	double value, by[2];
} known[] = {
    /* a * D(v -> a + v, at 1): perturbation confusion gives 2. */
    {"confusion",
        "one = constant 1\n"
        "d = derivative (one, one) primals=1 transform=jvp { params v; w = add a, v; yield w }\n"
        "y = mul a, d\n"
        "return y",
        .5, {1, 0}},
    /* vjp of v -> (v*v*b, sin(v)) at a with cotangents (a, b): 2*a*b*a + cos(a)*b */
    {"captured",
        "y = derivative (a, a, b) primals=1 transform=vjp {\n"
        "  params v\n"
        "  square = mul v, v\n"
        "  p = mul square, b\n"
        "  s = sin v\n"
        "  yield p, s\n"
        "}\n"
        "return y",
        -1.721978202362966, {-1.9007180767447462, 1.3775825618903728}},
    /* D D D v^5 at a, each within the one before, times b: 60 a^2 b */
    {"third",
        "one = constant 1\n"
        "d = derivative (a, one) primals=1 transform=jvp {\n"
        "  params u\n"
        "  dd = derivative (u, one) primals=1 transform=vjp {\n"
        "    params v\n"
        "    ddd = derivative (v, one) primals=1 transform=jvp { params w; p = pow w, 5; yield p }\n"
        "    yield ddd\n"
        "  }\n"
        "  yield dd\n"
        "}\n"
        "y = mul d, b\n"
        "return y",
        -18.75, {-75, 15}},
    /* In a loop of three turns c = c + D(v -> v*v*c*a)(b) = c + 2*b*c*a, from 1: (1 + 2*a*b)^3 */
    {"in loop",
        "one = constant 1\n"
        "y = for (one) trip=3 {\n"
        "  params i, c\n"
        "  slope = derivative (b, one) primals=1 transform=vjp {\n"
        "    params v\n"
        "    p = mul c, a\n"
        "    q = mul v, v\n"
        "    r = mul q, p\n"
        "    yield r\n"
        "  }\n"
        "  next = add c, slope\n"
        "  yield next\n"
        "}\n"
        "return y",
        -0.015625, {-0.46875, 0.1875}},
    /* D of a loop v -> v*a four times, in the direction b, inside a checkpoint: a^4 b */
    {"of loop",
        "y = checkpoint {\n"
        "  tangent = derivative (a, b) primals=1 transform=jvp {\n"
        "    params v\n"
        "    last = for (v) trip=4 { params i, c; p = mul c, a; yield p }\n"
        "    yield last\n"
        "  }\n"
        "  yield tangent\n"
        "}\n"
        "return y",
        -0.078125, {-0.625, 0.0625}},
    /*
     * An integer parameter has no derivative; a result that is captured has none either; stop_gradient stops: a + 0 +
     * 0
     */
    {"absent",
        "three: i64[] = constant 3\n"
        "one = constant 1\n"
        "d, e, f = derivative (three, b, one) primals=2 transform=jvp {\n"
        "  params n, v\n"
        "  p = mul v, a\n"
        "  s = stop_gradient v\n"
        "  yield p, n, b, s\n"
        "}\n"
        "g = add e, f\n"
        "y = add d, g\n"
        "return y",
        .5, {1, 0}},
};

static bool close_to(double x, double y) { return fabs(x - y) <= 1e-14 * fabs(y); }

static void check_known(struct engine *engine, bool vjp, struct arena *a)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (!row_wanted("known: %s", known[i].name))
			continue;
		const struct sample s = {
		    .name = known[i].name, .text = known[i].text, .n_in = 2, .type = {F64, F64}, .at = {{.5}, {-1.25}}};
		struct testcase c = sample_case(a, &s, s.at, vjp);
		struct answer out = {.status = ANSWER_FAILURE};
		struct error e = {.text = ""};

		CHECK(program_check(&c.program, &e), "%s: %s: %s", s.name, e.place, e.text);
		engine_answer(engine, &c, a, &out);
		CHECK(out.status == ANSWER_OK, "%s, %s: %s", engine_spec(engine), s.name, out.text);
		if (out.status != ANSWER_OK)
			continue;
		CHECK(close_to(out.primal[0].at->f, known[i].value), "%s, %s: value %.17g", engine_spec(engine), s.name,
		    out.primal[0].at->f);
		for (int k = 0; vjp && k < 2; k++)
			CHECK(close_to(out.derivative[k].at->f, known[i].by[k]), "%s, %s by %d: %.17g",
			    engine_spec(engine), s.name, k, out.derivative[k].at->f);
	}
}

/* ---- generated programs as regions ---- */

enum { GENERATED = 1500 };

static bool same_number(double x, double y)
{
	return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-12 * fabs(y);
}

/* The derivative inside is what `aot` answers to the request itself. */
static void check_generated(struct engine *aot, struct arena *a)
{
	int compared = 0;

	for (int i = 0; i < GENERATED; i++) {
		struct profile profile = profile_default();
		struct choice choice = choice_seeded(seed_mix(11, (uint64_t)i));
		struct testcase c, nested;
		struct program lowered;
		struct error e = {.text = ""};
		struct answer one[LIMIT_POINTS], other[LIMIT_POINTS];

		profile.weight_derivative = 8;
		c = generate(&choice, &profile, a);
		nested = c;
		nested.n_transform = 0;
		if (c.n_transform != 1 || c.transform[0].kind == TRANSFORM_BATCH ||
		    !nest_program(&c, a, &nested.program) || !program_check(&nested.program, NULL)) {
			arena_reset(a);
			continue;
		}
		if (aot_lower(&nested.program, 0, &aot_rules_right, a, &lowered, &e)) {
			CHECK(!program_has_derivative(&lowered), "case %d: not lowered", i);
			CHECK(program_check(&lowered, &e) || strstr(e.text, "work of") || strstr(e.text, "more than"),
			    "case %d: %s: %s", i, e.place, e.text);
		}
		engine_answer(aot, &c, a, one);
		engine_answer(aot, &nested, a, other);
		for (int p = 0; p < c.n_point && one[p].status == ANSWER_OK && other[p].status == ANSWER_OK; p++)
			for (int k = 0, n = 0; k < one[p].n_derivative; k++) {
				const struct tensor *want = &one[p].derivative[k], *got;

				if (!dtype_is_float(want->type.dtype))
					continue;
				got = &other[p].primal[n++];
				for (int j = 0; j < shape_elements(&want->type.shape); j++)
					CHECK(same_number(got->at[j].f, want->at[j].f),
					    "case %d, %d[%d]: %.17g, asked for %.17g", i, k, j, got->at[j].f,
					    want->at[j].f);
				compared++;
			}
		arena_reset(a);
	}
	CHECK(compared > GENERATED / 2, "only %d compared", compared);
}

int main(int argc, char **argv)
{
	static const char *const engines[] = {"tape", "functional", "checkpointed", "parallel", "aot"};
	struct arena a;
	struct engine *engine = sample_engine("forward");

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);

	check_known(engine, false, &a);
	engine_close(engine);
	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
		engine = sample_engine(engines[k]);
		check_known(engine, true, &a);
		engine_close(engine);
	}
	engine = sample_engine("aot");
	CHECK_LAW(check_generated(engine, &a));
	engine_close(engine);
	arena_free(&a);
	return check_done();
}

/*
 * test_nested.c: op derivative in the engines.  The value of a derivative is the answer to the request it stands for, and a request around it
 * the answer to the stack of both; known values where regions capture, nest and loop.
 */
#include "engines/aot/aot.h"
#include "engines/aot/nested.h"
#include "fuzz/generate/generate.h"
#include "tests/nested.h"
#include "tests/engines/samples.h"

/* ---- known values: x and y are the inputs; all are at x = 0.5, y = -1.25 ---- */

static int derivative(struct builder *b, enum derivative_kind kind, int primals, const int *arg, int n_arg)
{
	const struct attrs attrs = {.primals = primals, .transform = kind};

	return build_region_node(b, OP_DERIVATIVE, arg, n_arg, &attrs, NULL);
}

/* x * D(v -> x + v, at 1): perturbation confusion gives 2. */
static int build_confusion(struct builder *b, const int *in, int *result)
{
	int one = build_scalar(b, DTYPE_F64, 1), v = build_open(b, &(struct type){DTYPE_F64, {0}}, 1);

	build_close(b, (int[]){op2(b, OP_ADD, in[0], v)}, 1);
	result[0] = op2(b, OP_MUL, in[0], derivative(b, DERIVATIVE_JVP, 1, (int[]){one, one}, 2));
	return 1;
}

/* vjp of v -> (v*v*y, sin(v)) at x with cotangents (x, y): 2*x*y*x + cos(x)*y */
static int build_captured(struct builder *b, const int *in, int *result)
{
	int v = build_open(b, &(struct type){DTYPE_F64, {0}}, 1);
	int square = op2(b, OP_MUL, op2(b, OP_MUL, v, v), in[1]);

	build_close(b, (int[]){square, op1(b, OP_SIN, v)}, 2);
	result[0] = derivative(b, DERIVATIVE_VJP, 1, (int[]){in[0], in[0], in[1]}, 3);
	return 1;
}

/* D D D v^5 at x, each within the one before, times y: 60 x^2 y */
static int build_third(struct builder *b, const int *in, int *result)
{
	int one = build_scalar(b, DTYPE_F64, 1), v[3];

	for (int k = 0; k < 3; k++)
		v[k] = build_open(b, &(struct type){DTYPE_F64, {0}}, 1);
	int inner = op2(b, OP_POW, v[2], build_scalar(b, DTYPE_F64, 5));
	for (int k = 2; k >= 0; k--) {
		build_close(b, &inner, 1);
		inner = derivative(b, k == 1 ? DERIVATIVE_VJP : DERIVATIVE_JVP, 1, (int[]){k ? v[k - 1] : in[0], one}, 2);
	}
	result[0] = op2(b, OP_MUL, inner, in[1]);
	return 1;
}

/* In a loop of three turns c = c + D(v -> v*v*c*x)(y) = c + 2*y*c*x, from 1: (1 + 2*x*y)^3 */
static int build_in_loop(struct builder *b, const int *in, int *result)
{
	const struct attrs three = {.trip = 3};
	int one = build_scalar(b, DTYPE_F64, 1), c = build_open(b, (struct type[]){{DTYPE_I64, {0}}, {DTYPE_F64, {0}}}, 2) + 1;
	int v = build_open(b, &(struct type){DTYPE_F64, {0}}, 1);

	build_close(b, (int[]){op2(b, OP_MUL, op2(b, OP_MUL, v, v), op2(b, OP_MUL, c, in[0]))}, 1);
	int slope = derivative(b, DERIVATIVE_VJP, 1, (int[]){in[1], one}, 2);
	build_close(b, (int[]){op2(b, OP_ADD, c, slope)}, 1);
	result[0] = build_region_node(b, OP_FOR, &one, 1, &three, NULL);
	return 1;
}

/* D of a loop v -> v*x four times, in the direction y, inside a checkpoint: x^4 y */
static int build_of_loop(struct builder *b, const int *in, int *result)
{
	const struct attrs four = {.trip = 4};

	build_open(b, NULL, 0);
	int v = build_open(b, &(struct type){DTYPE_F64, {0}}, 1);
	int c = build_open(b, (struct type[]){{DTYPE_I64, {0}}, {DTYPE_F64, {0}}}, 2) + 1;
	build_close(b, (int[]){op2(b, OP_MUL, c, in[0])}, 1);
	build_close(b, (int[]){build_region_node(b, OP_FOR, &v, 1, &four, NULL)}, 1);
	int tangent = derivative(b, DERIVATIVE_JVP, 1, (int[]){in[0], in[1]}, 2);
	build_close(b, &tangent, 1);
	result[0] = build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL);
	return 1;
}

/* An integer parameter has no derivative; a result that is captured has none either; stop_gradient stops: x + 0 + 0 */
static int build_absent(struct builder *b, const int *in, int *result)
{
	int three = build_scalar(b, DTYPE_I64, 3), one = build_scalar(b, DTYPE_F64, 1);
	int n = build_open(b, (struct type[]){{DTYPE_I64, {0}}, {DTYPE_F64, {0}}}, 2), v = n + 1;

	build_close(b, (int[]){op2(b, OP_MUL, v, in[0]), n, in[1], op1(b, OP_STOP_GRADIENT, v)}, 4);
	int d = derivative(b, DERIVATIVE_JVP, 2, (int[]){three, in[1], one}, 3);
	result[0] = op2(b, OP_ADD, d, op2(b, OP_ADD, d + 1, d + 2));
	return 1;
}

static const struct {
	const char *name;
	int (*build)(struct builder *, const int *, int *);
	double value, by[2];
} known[] = {
    {"confusion", build_confusion, .5, {1, 0}},
    {"captured", build_captured, -1.721978202362966, {-1.9007180767447462, 1.3775825618903728}},
    {"third", build_third, -18.75, {-75, 15}},
    {"in loop", build_in_loop, -0.015625, {-0.46875, 0.1875}},
    {"of loop", build_of_loop, -0.078125, {-0.625, 0.0625}},
    {"absent", build_absent, .5, {1, 0}},
};

static bool close_to(double x, double y)
{
	return fabs(x - y) <= 1e-14 * fabs(y);
}

static void check_known(struct engine *engine, bool vjp, struct arena *a)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (!row_wanted("known: %s", known[i].name))
			continue;
		const struct sample s = {
		    .name = known[i].name, .build = known[i].build, .n_in = 2, .type = {F64, F64}, .at = {{.5}, {-1.25}}};
		struct testcase c = sample_case(a, &s, s.at, vjp);
		struct answer out = {.status = ANSWER_FAILURE};
		struct error e = {.text = ""};

		CHECK(program_check(&c.program, &e), "%s: %s: %s", s.name, e.place, e.text);
		engine_answer(engine, &c, a, &out);
		CHECK(out.status == ANSWER_OK, "%s, %s: %s", engine_spec(engine), s.name, out.text);
		if (out.status != ANSWER_OK)
			continue;
		CHECK(close_to(out.primal[0].at->f, known[i].value), "%s, %s: value %.17g", engine_spec(engine), s.name, out.primal[0].at->f);
		for (int k = 0; vjp && k < 2; k++)
			CHECK(close_to(out.derivative[k].at->f, known[i].by[k]), "%s, %s by %d: %.17g", engine_spec(engine), s.name, k,
			    out.derivative[k].at->f);
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
		if (c.n_transform != 1 || c.transform[0].kind == TRANSFORM_BATCH || !nest_program(&c, a, &nested.program) || !program_check(&nested.program, NULL)) {
			arena_reset(a);
			continue;
		}
		if (aot_lower(&nested.program, 0, &aot_rules_right, a, &lowered, &e)) {
			CHECK(!program_has_derivative(&lowered), "case %d: not lowered", i);
			CHECK(program_check(&lowered, &e) || strstr(e.text, "work of") || strstr(e.text, "more than"), "case %d: %s: %s", i,
			    e.place, e.text);
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
					CHECK(same_number(got->at[j].f, want->at[j].f), "case %d, %d[%d]: %.17g, asked for %.17g", i, k, j,
					    got->at[j].f, want->at[j].f);
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

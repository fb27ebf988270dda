/* samples.h: small differentiable programs with known gradients, for the tests of the reverse engines. */
#ifndef TESTS_ENGINES_SAMPLES_H
#define TESTS_ENGINES_SAMPLES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engine.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

enum { SAMPLE_INPUTS = 3, SAMPLE_ELEMENTS = 8 };

struct sample {
	const char *name;
	const char *text; /* of the program of inputs a, b and c, with `return`; NULL: see build */
	int n_in;
	struct type type[SAMPLE_INPUTS];
	double at[SAMPLE_INPUTS][SAMPLE_ELEMENTS];
	bool smooth; /* finite differences apply */
	int n_want;
	double want[16]; /* gradient for seeds 1, 2, 3 ... over all result elements; flattened over the inputs */
	/* Builds on inputs in[], writes the results, returns their number. */
	int (*build)(struct builder *b, const int *in, int *result);
};

/* A real equals another up to a relative error, NaN and infinities as they are. */
static inline bool near(double got, double want, double tolerance)
{
	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(got) : got == want;
	return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

static inline int op1(struct builder *b, enum op op, int x) { return build_node(b, op, &x, 1, NULL, NULL); }

static inline int op2(struct builder *b, enum op op, int x, int y)
{
	return build_node(b, op, (int[]){x, y}, 2, NULL, NULL);
}

static inline int op3(struct builder *b, enum op op, int x, int y, int z)
{
	return build_node(b, op, (int[]){x, y, z}, 3, NULL, NULL);
}

static inline int reduce(struct builder *b, enum op op, int x)
{
	const struct attrs attrs = {.n_axes = 1, .axes = {0}};

	return build_node(b, op, &x, 1, &attrs, NULL);
}

static inline int integers(struct builder *b, int n, const int *at)
{
	union cell cell[8];

	for (int i = 0; i < n; i++)
		cell[i].i = at[i];
	return build_constant(b, &(struct tensor){{DTYPE_I64, {1, {n}}}, cell});
}

/* clang-format off */
#define F64 {DTYPE_F64, {0, {0}}}
#define F64V(n) {DTYPE_F64, {1, {n}}}
#define F64M(m, n) {DTYPE_F64, {2, {m, n}}}
#define I64 {DTYPE_I64, {0, {0}}}
/* clang-format on */
static const struct type sample_f64 = F64, sample_i64 = I64;

/* A body of the power loops: the next accumulator from (acc, x). */
typedef int step_fn(struct builder *b, int acc, int x);

static inline int step_mul(struct builder *b, int acc, int x) { return op2(b, OP_MUL, acc, x); }
static inline int step_div(struct builder *b, int acc, int x) { return op2(b, OP_DIV, acc, x); }
static inline int step_sin(struct builder *b, int acc, int x) { return op1(b, OP_SIN, op2(b, OP_MUL, acc, x)); }
static inline int step_grow(struct builder *b, int acc, int x) { return op2(b, OP_ADD, acc, op2(b, OP_MUL, acc, x)); }
static inline int step_sum(struct builder *b, int acc, int x) { return op2(b, OP_ADD, acc, x); }
static inline int step_shift(struct builder *b, int acc, int x)
{
	return op2(b, OP_MUL, acc, op2(b, OP_SUB, x, build_scalar(b, DTYPE_F64, 2)));
}

/* acc = 1; repeat n: acc = step(acc, x), with x captured. */
static inline int build_power_for(struct builder *b, int x, int n, step_fn *step)
{
	const struct attrs attrs = {.trip = n};
	int one = build_scalar(b, DTYPE_F64, 1);
	int i = build_open(b, (struct type[]){sample_i64, sample_f64}, 2);

	build_close(b, (int[]){step(b, i + 1, x)}, 1);
	return build_region_node(b, OP_FOR, &one, 1, &attrs, NULL);
}

/* The same as (acc, i, x) = (1, 0, x); while i < n: (step(acc, x), i + 1, x). */
static inline int build_power_while(struct builder *b, int x, int n, step_fn *step)
{
	const struct type types[3] = {sample_f64, sample_i64, sample_f64};
	const struct attrs attrs = {.cap = 100};
	int init[3] = {build_scalar(b, DTYPE_F64, 1), build_scalar(b, DTYPE_I64, 0), x}, c;

	c = build_open(b, types, 3);
	build_close(b, (int[]){op2(b, OP_LT, c + 1, build_scalar(b, DTYPE_I64, n))}, 1);
	c = build_open(b, types, 3);
	int next = step(b, c, c + 2), count = op2(b, OP_ADD, c + 1, build_scalar(b, DTYPE_I64, 1));
	build_close(b, (int[]){next, count, c + 2}, 3);
	return build_region_node(b, OP_WHILE, init, 3, &attrs, NULL);
}

/* clang-format off */
static const struct sample samples[] = {
    {"power",
	"y = for (1) trip=3 { params i, p; q = mul p, a; yield q }\n"
	"return y",
	1, {F64}, {{.5}}, true, 1, {.75}},
    {"power-while",
	"one = constant 1\n"
	"zero: i64[] = constant 0\n"
	"y, n, x = while (one, zero, a) cap=100 {\n"
	"  params p, i, x0\n"
	"  three: i64[] = constant 3\n"
	"  more = lt i, three\n"
	"  yield more\n"
	"} do {\n"
	"  params q, j, x1\n"
	"  r = mul q, x1\n"
	"  step: i64[] = constant 1\n"
	"  k = add j, step\n"
	"  yield r, k, x1\n"
	"}\n"
	"return y",
	1, {F64}, {{.5}}, true, 1, {.75}},
    {"squaring",
	"y = for (a) trip=3 { params i, p; q = mul p, p; yield q }\n"
	"return y",
	1, {F64}, {{1.5}}, true, 1, {8 * 17.0859375}},
    /* s = a s + b_t; final s and all s: L = s3 + (2 s1 + 3 s2 + 4 s3) */
    {"scan",
	"last, all = scan (0, b) trip=3 carries=1 {\n"
	"  params s, x\n"
	"  p = mul a, s\n"
	"  next = add p, x\n"
	"  yield next, next\n"
	"}\n"
	"return last, all",
	2, {F64, F64V(3)}, {{.5}, {1, 2, 3}}, true, 4, {5 * 3 + 3 * 1, 2 + 1.5 + 1.25, 3 + 2.5, 5}},
    /* As scan, but ends after the iteration in which s passes 2: s = 1, 2.5, L = s2 + 2 s1^2 + 3 s2^2 */
    {"scan-until",
	"last, squares = scan (0, b) trip=4 carries=1 until {\n"
	"  params s, x\n"
	"  p = mul a, s\n"
	"  next = add p, x\n"
	"  square = square next\n"
	"  stop = gt next, 2\n"
	"  yield next, square, stop\n"
	"}\n"
	"return last, squares",
	2, {F64, F64V(4)}, {{.5}, {1, 2, 3, 4}}, true, 5, {16, 4 + 8, 16, 0, 0}},
    /* h = tanh(A h + b), three times */
    {"tanh",
	"y = for (c) trip=3 {\n"
	"  params i, h\n"
	"  p = matmul a, h\n"
	"  q = add p, b\n"
	"  next = tanh q\n"
	"  yield next\n"
	"}\n"
	"return y",
	3, {F64M(2, 2), F64V(2), F64V(2)}, {{.3, -.7, .2, .9}, {.1, -.2}, {.5, .4}}, true, 0, {0}},
    /* for i < 3: { for j < i + 1: acc = sin(acc) a + j; acc = acc + a } with a dynamic inner count */
    {"nested",
	"y = for (b) trip=3 {\n"
	"  params i, acc\n"
	"  one: i64[] = constant 1\n"
	"  count = add i, one\n"
	"  inner = for (count, acc) cap=5 {\n"
	"    params j, v\n"
	"    weight = cast j dtype=f64\n"
	"    s = sin v\n"
	"    p = mul s, a\n"
	"    next = add p, weight\n"
	"    yield next\n"
	"  }\n"
	"  sum = add inner, a\n"
	"  yield sum\n"
	"}\n"
	"return y",
	2, {F64, F64}, {{.8}, {.3}}, true, 0, {0}},
    /* Twice: a scan over captured xs, whose outputs enter the outer carry; an outer value is a body result as it is */
    {"scan-inside",
	"half = constant 0.5\n"
	"y, z = for (a, half) trip=2 {\n"
	"  params i, u, v\n"
	"  last, all = scan (v, b) trip=3 carries=1 {\n"
	"    params s, x\n"
	"    square = mul x, x\n"
	"    r = sin s\n"
	"    p = mul r, u\n"
	"    next = add p, square\n"
	"    product = mul next, x\n"
	"    yield next, product\n"
	"  }\n"
	"  total = reduce_sum all axes=[0]\n"
	"  sum = add last, total\n"
	"  yield sum, a\n"
	"}\n"
	"return y, z",
	2, {F64, F64V(3)}, {{.7}, {.4, -.6, .9}}, true, 0, {0}},
    /* while v < 100: v = v a + cos(a); a enters by capture and by the initial value */
    {"while",
	"y = while (a) cap=50 {\n"
	"  params u\n"
	"  small = lt u, 100\n"
	"  yield small\n"
	"} do {\n"
	"  params v\n"
	"  s = cos a\n"
	"  p = mul v, a\n"
	"  next = add p, s\n"
	"  yield next\n"
	"}\n"
	"return y",
	1, {F64}, {{1.7}}, true, 0, {0}},
    /* A loop whose body branches on the parity of i, with a captured value that is also used outside */
    {"cond",
	"shared = mul a, b\n"
	"last = for (a) trip=4 {\n"
	"  params i, v\n"
	"  bit: i64[] = constant 1\n"
	"  odd = bitwise_and i, bit\n"
	"  one: i64[] = constant 1\n"
	"  p = eq odd, one\n"
	"  next = cond p {\n"
	"    product = mul v, shared\n"
	"    yield product\n"
	"  } else {\n"
	"    sum = add v, b\n"
	"    yield sum\n"
	"  }\n"
	"  yield next\n"
	"}\n"
	"y = add last, shared\n"
	"return y",
	2, {F64, F64}, {{.7}, {1.3}}, true, 0, {0}},
    /* Two carries swap places, the third collects the first: a, b -> b, a and 2 a b a; an input is returned as it is */
    {"swap",
	"two = constant 2\n"
	"x, y, z = for (a, b, two) trip=3 { params i, u, v, w; p = mul u, w; yield v, u, p }\n"
	"return x, y, z, a",
	2, {F64, F64}, {{3}, {5}}, true, 2, {2 + 12 * 15 + 4, 1 + 6 * 9}},
#define COUNT /* the trip count is an input, and in wrt */ \
	"y = for (b, a) cap=3 { params i, v; w = mul v, v; yield w }\n" \
	"return y"
    {"count", COUNT, 2, {F64, I64}, {{1.5}, {2}}, false, 2, {13.5, 0}},
    {"count-capped", COUNT, 2, {F64, I64}, {{1.5}, {9}}, false, 2, {8 * 17.0859375, 0}},
    {"count-none", COUNT, 2, {F64, I64}, {{1.5}, {-4}}, false, 2, {1, 0}},
#undef COUNT
    /* A buffer stored into at an index in a loop, then read back: x[i] = x[i] * x[i+1], indices wrap */
    {"store",
	"y = for (a) trip=5 {\n"
	"  params i, x\n"
	"  at = reshape i shape=[1]\n"
	"  one: i64[] = constant 1\n"
	"  after = add at, one\n"
	"  here = gather x, at axis=0 mode=wrap\n"
	"  next = gather x, after axis=0 mode=wrap\n"
	"  product = mul here, next\n"
	"  stored = scatter_set x, at, product axis=0 mode=wrap\n"
	"  yield stored\n"
	"}\n"
	"return y",
	1, {F64V(3)}, {{1.1, .9, 1.3}}, true, 0, {0}},
    /* seeds 1..5 dropped, 6..10 clipped, 11..15 wrapped (7 -> 1, -1 -> 2) */
    {"gather",
	"at: i64[5] = constant [1, 1, 0, 7, -1]\n"
	"x = gather a, at axis=0 mode=drop\n"
	"y = gather a, at axis=0 mode=clip\n"
	"z = gather a, at axis=0 mode=wrap\n"
	"return x, y, z",
	1, {F64V(3)}, {{1, 2, 3}}, true, 3, {3 + (8 + 10) + 13, (1 + 2) + (6 + 7) + (11 + 12 + 14), 9 + 15}},
    {"scatter-set",
	"at: i64[3] = constant [1, 1, 5]\n"
	"y = scatter_set a, at, b axis=0 mode=drop\n"
	"return y",
	2, {F64V(3), F64V(4)}, {{1, 2, 3}, {4, 5, 6, 7}}, true, 7, {1, 0, 3, 0, 2, 0, 0}},
    {"prod-zero",
	"x = reduce_prod a axes=[0]\n"
	"y = reduce_prod b axes=[0]\n"
	"return x, y",
	2, {F64V(3), F64V(3)}, {{2, 0, 3}, {0, 4, 0}}, true, 6, {0, 6, 0, 0, 0, 0}},
    /* Checkpoints in a loop and in each other, around a loop too; the inner one also gives back what it captures */
    {"checkpoint",
	"shared = mul a, b\n"
	"last = for (a) trip=3 {\n"
	"  params i, v\n"
	"  both, w = checkpoint {\n"
	"    power = for (v) trip=2 { params j, p; q = mul p, shared; yield q }\n"
	"    r, s = checkpoint {\n"
	"      m = mul v, shared\n"
	"      t = sin m\n"
	"      yield t, v\n"
	"    }\n"
	"    sum = add power, r\n"
	"    yield sum, s\n"
	"  }\n"
	"  n = mul w, b\n"
	"  next = add both, n\n"
	"  yield next\n"
	"}\n"
	"y = add last, shared\n"
	"return y",
	2, {F64, F64}, {{.7}, {1.3}}, true, 0, {0}},
    /*
     * a[1] = f(f(a[1])), a[2] = f(a[2]), a[5] is dropped, f(e) = e e b with b captured; the whole inside a
     * checkpoint: L = a0 + 2 a1^4 b^3 + 3 a2^2 b
     */
    {"apply",
	"at: i64[4] = constant [1, 2, 1, 5]\n"
	"y = checkpoint {\n"
	"  x = scatter_apply (a, at) axis=0 mode=drop { params e; f = mul e, e; g = mul f, b; yield g }\n"
	"  yield x\n"
	"}\n"
	"return y",
	2, {F64V(3), F64}, {{1.5, .5, 3}, {2}}, true, 4, {1, 8, 36, 1.5 + 27}},
    /* where(a > 0, sqrt(a), 0) */
    {"where",
	"zero = constant 0\n"
	"root = sqrt a\n"
	"p = gt a, zero\n"
	"y = select p, root, zero\n"
	"return y",
	1, {F64V(4)}, {{-1, 0, 1, 4}}, false, 4, {0, 0, 1.5, 1}},
    /* Nothing depends on b but through stop_gradient; a is used four times, once as a repeated result */
    {"fan",
	"p = mul a, b\n"
	"s = stop_gradient p\n"
	"q = mul a, a\n"
	"y = add q, s\n"
	"return y, y",
	2, {F64, F64}, {{3}, {4}}, false, 2, {3 * 6, 0}},
};
/* clang-format on */
enum { N_SAMPLE = sizeof samples / sizeof samples[0] };

static inline const struct sample *sample_find(const char *name)
{
	for (int n = 0; n < N_SAMPLE; n++)
		if (!strcmp(samples[n].name, name))
			return &samples[n];
	fprintf(stderr, "no sample %s\n", name);
	exit(1);
}

/* The program of a text, whose inputs are the sample's. */
static inline struct program sample_program(struct arena *a, const struct sample *s)
{
	const char *inputs = "", *point = "";
	char type[TYPE_TEXT];

	for (int k = 0; k < s->n_in; k++) {
		int n = shape_elements(&s->type[k].shape);

		inputs = arena_printf(a, "%s%s%c: %s", inputs, k ? ", " : "", 'a' + k, type_print(&s->type[k], type));
		point = arena_printf(a, "%s%s%s0", point, k ? ", " : "", s->type[k].shape.rank ? "[" : "");
		while (--n > 0)
			point = arena_printf(a, "%s, 0", point);
		point = arena_printf(a, "%s%s", point, s->type[k].shape.rank ? "]" : "");
	}
	return test_case(a, arena_printf(a, "inputs %s\n%s\npoint %s", inputs, s->text, point)).program;
}

/* What the sample builds. */
static inline struct program sample_built(struct arena *a, const struct sample *s)
{
	struct error e = {.text = ""};
	struct builder b;
	int in[SAMPLE_INPUTS], result[LIMIT_ARGS], n_result;
	struct program p;

	build_begin(&b, a);
	for (int k = 0; k < s->n_in; k++)
		in[k] = build_input(&b, &s->type[k]);
	n_result = s->build(&b, in, result);
	p = build_end(&b, result, n_result);
	CHECK(program_check(&p, &e), "%s: %s: %s", s->name, e.place, e.text);
	return p;
}

/* A case of a sample: seeds 1, 2, 3 ... over all result elements; no transform when vjp is false. */
static inline struct testcase sample_case(
    struct arena *a, const struct sample *s, const double at[][SAMPLE_ELEMENTS], bool vjp)
{
	struct testcase c = {.program = s->text ? sample_program(a, s) : sample_built(a, s),
	    .n_point = 1,
	    .point = NEW(a, struct tensor *, 1),
	    .n_transform = vjp,
	    .transform = NEW(a, struct transform, 1)};
	int n_result = c.program.top.n_result;
	double seed = 0;
	struct transform *t = &c.transform[0];

	c.point[0] = NEW(a, struct tensor, s->n_in);
	*t = (struct transform){.kind = TRANSFORM_VJP,
	    .n_wrt = s->n_in,
	    .wrt = NEW(a, int, s->n_in),
	    .n_seed = n_result,
	    .seed = NEW(a, struct tensor, n_result)};
	for (int k = 0; k < s->n_in; k++) {
		c.point[0][k] = tensor_new(a, &s->type[k]);
		t->wrt[k] = k;
		for (int i = 0; i < shape_elements(&s->type[k].shape); i++)
			if (dtype_is_float(s->type[k].dtype))
				c.point[0][k].at[i].f = at[k][i];
			else
				c.point[0][k].at[i].i = (int64_t)at[k][i];
	}
	for (int k = 0; k < n_result; k++) {
		const struct type *type = &c.program.type[c.program.top.result[k]];

		t->seed[k] = tensor_new(a, type);
		for (int i = 0; i < shape_elements(&type->shape); i++)
			t->seed[k].at[i].f = ++seed;
	}
	return c;
}

/* The primal's weighted sum, with the weights the seeds have. */
static inline double sample_value(
    struct engine *engine, struct arena *a, const struct sample *s, const double at[][SAMPLE_ELEMENTS])
{
	struct testcase c = sample_case(a, s, at, false);
	struct answer out = {.status = ANSWER_FAILURE};
	double sum = 0, weight = 0;

	engine_answer(engine, &c, a, &out);
	CHECK(out.status == ANSWER_OK && out.n_derivative == 0, "%s: %s", s->name, out.text);
	for (int k = 0; k < out.n_primal; k++)
		for (int i = 0; i < shape_elements(&out.primal[k].type.shape); i++)
			sum += ++weight * out.primal[k].at[i].f;
	return sum;
}

/* One engine on every sample: closed forms, and finite differences where they apply. */
static inline void check_samples(struct engine *engine, struct arena *a)
{
	for (int n = 0; n < N_SAMPLE; n++) {
		if (!row_wanted("samples: %s", samples[n].name))
			continue;
		const struct sample *s = &samples[n];
		struct testcase c = sample_case(a, s, s->at, true);
		struct answer out = {.status = ANSWER_FAILURE};
		int flat = 0;

		engine_answer(engine, &c, a, &out);
		CHECK(out.status == ANSWER_OK, "%s: %s", s->name, out.text);
		CHECK(out.n_derivative == s->n_in, "%s: %d derivatives", s->name, out.n_derivative);
		for (int k = 0; k < out.n_derivative; k++) {
			CHECK(
			    type_equal(&out.derivative[k].type, &s->type[k]), "%s: type of derivative %d", s->name, k);
			for (int i = 0; i < shape_elements(&s->type[k].shape); i++, flat++) {
				double got = dtype_is_float(s->type[k].dtype) ? out.derivative[k].at[i].f
				                                              : (double)out.derivative[k].at[i].i;

				if (s->n_want)
					CHECK(near(got, s->want[flat], 1e-14), "%s[%d][%d]: %.17g, want %.17g", s->name,
					    k, i, got, s->want[flat]);
				if (s->smooth) {
					double at[SAMPLE_INPUTS][SAMPLE_ELEMENTS], h = 1e-5, up;

					memcpy(at, s->at, sizeof at);
					at[k][i] += h;
					up = sample_value(engine, a, s, at);
					at[k][i] -= 2 * h;
					double slope = (up - sample_value(engine, a, s, at)) / (2 * h);
					CHECK(near(got, slope, 1e-6), "%s[%d][%d]: %.17g, slope %.17g", s->name, k, i,
					    got, slope);
				}
			}
		}
		CHECK(!s->n_want || flat == s->n_want, "%s: %d components", s->name, flat);
	}
}

/* An engine by its spec; the test ends when there is none. */
static inline struct engine *sample_engine(const char *spec)
{
	struct error e = {.text = ""};
	struct engine *engine = engine_open(spec, &e);

	if (!engine) {
		fprintf(stderr, "%s: %s\n", spec, e.text);
		exit(1);
	}
	return engine;
}

#endif

/* samples.h: small differentiable programs with known gradients, for the tests of the reverse engines. */
#ifndef TESTS_ENGINES_SAMPLES_H
#define TESTS_ENGINES_SAMPLES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engine.h"
#include "tests/check.h"

enum { SAMPLE_INPUTS = 3, SAMPLE_ELEMENTS = 8 };

struct sample {
	const char *name;
	/* Builds on inputs in[], writes the results, returns their number. */
	int (*build)(struct builder *b, const int *in, int *result);
	int n_in;
	struct type type[SAMPLE_INPUTS];
	double at[SAMPLE_INPUTS][SAMPLE_ELEMENTS];
	bool smooth; /* finite differences apply */
	int n_want;
	double want[16]; /* gradient for seeds 1, 2, 3 ... over all result elements; flattened over the inputs */
};

/* A real equals another up to a relative error, NaN and infinities as they are. */
static inline bool near(double got, double want, double tolerance)
{
	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(got) : got == want;
	return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

static inline int op1(struct builder *b, enum op op, int x)
{
	return build_node(b, op, &x, 1, NULL, NULL);
}

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

#define F64                                                                                                        \
	{                                                                                                          \
		DTYPE_F64,                                                                                         \
		{                                                                                                  \
			0,                                                                                         \
			{                                                                                          \
				0                                                                                  \
			}                                                                                          \
		}                                                                                                  \
	}
#define F64V(n)                                                                                                    \
	{                                                                                                          \
		DTYPE_F64,                                                                                         \
		{                                                                                                  \
			1,                                                                                         \
			{                                                                                          \
				n                                                                                  \
			}                                                                                          \
		}                                                                                                  \
	}
#define F64M(m, n)                                                                                                 \
	{                                                                                                          \
		DTYPE_F64,                                                                                         \
		{                                                                                                  \
			2,                                                                                         \
			{                                                                                          \
				m, n                                                                               \
			}                                                                                          \
		}                                                                                                  \
	}
#define I64                                                                                                        \
	{                                                                                                          \
		DTYPE_I64,                                                                                         \
		{                                                                                                  \
			0,                                                                                         \
			{                                                                                          \
				0                                                                                  \
			}                                                                                          \
		}                                                                                                  \
	}
static const struct type sample_f64 = F64, sample_i64 = I64;

/* A body of the power loops: the next accumulator from (acc, x). */
typedef int step_fn(struct builder *b, int acc, int x);

static inline int step_mul(struct builder *b, int acc, int x)
{
	return op2(b, OP_MUL, acc, x);
}
static inline int step_div(struct builder *b, int acc, int x)
{
	return op2(b, OP_DIV, acc, x);
}
static inline int step_sin(struct builder *b, int acc, int x)
{
	return op1(b, OP_SIN, op2(b, OP_MUL, acc, x));
}
static inline int step_grow(struct builder *b, int acc, int x)
{
	return op2(b, OP_ADD, acc, op2(b, OP_MUL, acc, x));
}
static inline int step_sum(struct builder *b, int acc, int x)
{
	return op2(b, OP_ADD, acc, x);
}
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

static inline int sample_power(struct builder *b, const int *in, int *result)
{
	result[0] = build_power_for(b, in[0], 3, step_mul);
	return 1;
}

static inline int sample_power_while(struct builder *b, const int *in, int *result)
{
	result[0] = build_power_while(b, in[0], 3, step_mul);
	return 1;
}

static inline int sample_squaring(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = 3};
	int i = build_open(b, (struct type[]){sample_i64, sample_f64}, 2);

	build_close(b, (int[]){op2(b, OP_MUL, i + 1, i + 1)}, 1);
	result[0] = build_region_node(b, OP_FOR, in, 1, &attrs, NULL);
	return 1;
}

/* s = a s + x_t; final s and all s */
static inline int sample_scan(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = 3, .carries = 1};
	int zero = build_scalar(b, DTYPE_F64, 0);
	int s = build_open(b, (struct type[]){sample_f64, sample_f64}, 2);
	int next = op2(b, OP_ADD, op2(b, OP_MUL, in[0], s), s + 1);

	build_close(b, (int[]){next, next}, 2);
	result[0] = build_region_node(b, OP_SCAN, (int[]){zero, in[1]}, 2, &attrs, NULL);
	result[1] = result[0] + 1;
	return 2;
}

/* As scan, but ends after the iteration in which s passes 2 */
static inline int sample_scan_until(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = 4, .carries = 1, .until = true};
	int zero = build_scalar(b, DTYPE_F64, 0);
	int s = build_open(b, (struct type[]){sample_f64, sample_f64}, 2);
	int next = op2(b, OP_ADD, op2(b, OP_MUL, in[0], s), s + 1), square = op1(b, OP_SQUARE, next);

	build_close(b, (int[]){next, square, op2(b, OP_GT, next, build_scalar(b, DTYPE_F64, 2))}, 3);
	result[0] = build_region_node(b, OP_SCAN, (int[]){zero, in[1]}, 2, &attrs, NULL);
	result[1] = result[0] + 1;
	return 2;
}

/* h = tanh(W h + b), three times */
static inline int sample_tanh(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = 3};
	int i = build_open(b, (struct type[]){sample_i64, F64V(2)}, 2);
	int next = op1(b, OP_TANH, op2(b, OP_ADD, op2(b, OP_MATMUL, in[0], i + 1), in[1]));

	build_close(b, &next, 1);
	result[0] = build_region_node(b, OP_FOR, &in[2], 1, &attrs, NULL);
	return 1;
}

/* for i < 3: { for j < i + 1: acc = sin(acc) x + j; acc = acc + x } with a dynamic inner count */
static inline int sample_nested(struct builder *b, const int *in, int *result)
{
	const struct attrs outer = {.trip = 3}, inner = {.trip = -1, .cap = 5}, to_float = {.dtype = DTYPE_F64};
	int i = build_open(b, (struct type[]){sample_i64, sample_f64}, 2);
	int count = op2(b, OP_ADD, i, build_scalar(b, DTYPE_I64, 1));
	int j = build_open(b, (struct type[]){sample_i64, sample_f64}, 2);
	int weight = build_node(b, OP_CAST, &j, 1, &to_float, NULL);
	int next = op2(b, OP_ADD, op2(b, OP_MUL, op1(b, OP_SIN, j + 1), in[0]), weight);

	build_close(b, &next, 1);
	int acc = build_region_node(b, OP_FOR, (int[]){count, i + 1}, 2, &inner, NULL);
	build_close(b, (int[]){op2(b, OP_ADD, acc, in[0])}, 1);
	result[0] = build_region_node(b, OP_FOR, &in[1], 1, &outer, NULL);
	return 1;
}

/* Twice: a scan over captured xs, whose outputs enter the outer carry; an outer value is a body result as it is */
static inline int sample_scan_inside(struct builder *b, const int *in, int *result)
{
	const struct attrs outer = {.trip = 2}, inner = {.trip = 3, .carries = 1};
	int init[2] = {in[0], build_scalar(b, DTYPE_F64, .5)};
	int i = build_open(b, (struct type[]){sample_i64, sample_f64, sample_f64}, 3);
	int s = build_open(b, (struct type[]){sample_f64, sample_f64}, 2);
	int next = op2(b, OP_ADD, op2(b, OP_MUL, op1(b, OP_SIN, s), i + 1), op2(b, OP_MUL, s + 1, s + 1));

	build_close(b, (int[]){next, op2(b, OP_MUL, next, s + 1)}, 2);
	int last = build_region_node(b, OP_SCAN, (int[]){i + 2, in[1]}, 2, &inner, NULL);
	build_close(b, (int[]){op2(b, OP_ADD, last, reduce(b, OP_REDUCE_SUM, last + 1)), in[0]}, 2);
	result[0] = build_region_node(b, OP_FOR, init, 2, &outer, NULL);
	result[1] = result[0] + 1;
	return 2;
}

/* while v < 100: v = v x + cos(x); x enters by capture and by the initial value */
static inline int sample_while(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.cap = 50};
	int v = build_open(b, &sample_f64, 1);

	build_close(b, (int[]){op2(b, OP_LT, v, build_scalar(b, DTYPE_F64, 100))}, 1);
	v = build_open(b, &sample_f64, 1);
	build_close(b, (int[]){op2(b, OP_ADD, op2(b, OP_MUL, v, in[0]), op1(b, OP_COS, in[0]))}, 1);
	result[0] = build_region_node(b, OP_WHILE, in, 1, &attrs, NULL);
	return 1;
}

/* A loop whose body branches on the parity of i, with a captured value that is also used outside */
static inline int sample_cond(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = 4};
	int shared = op2(b, OP_MUL, in[0], in[1]);
	int i = build_open(b, (struct type[]){sample_i64, sample_f64}, 2);
	int odd = op2(b, OP_BITWISE_AND, i, build_scalar(b, DTYPE_I64, 1));
	int p = op2(b, OP_EQ, odd, build_scalar(b, DTYPE_I64, 1));

	build_open(b, NULL, 0);
	build_close(b, (int[]){op2(b, OP_MUL, i + 1, shared)}, 1);
	build_open(b, NULL, 0);
	build_close(b, (int[]){op2(b, OP_ADD, i + 1, in[1])}, 1);
	int next = build_region_node(b, OP_COND, &p, 1, NULL, NULL);
	build_close(b, &next, 1);
	int last = build_region_node(b, OP_FOR, in, 1, &attrs, NULL);
	result[0] = op2(b, OP_ADD, last, shared);
	return 1;
}

/* Two carries swap places, the third collects the first: a, b -> b, a and 2 a b a */
static inline int sample_swap(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = 3};
	int init[3] = {in[0], in[1], build_scalar(b, DTYPE_F64, 2)};
	int i = build_open(b, (struct type[]){sample_i64, sample_f64, sample_f64, sample_f64}, 4);

	build_close(b, (int[]){i + 2, i + 1, op2(b, OP_MUL, i + 1, i + 3)}, 3);
	result[0] = build_region_node(b, OP_FOR, init, 3, &attrs, NULL);
	result[1] = result[0] + 1;
	result[2] = result[0] + 2;
	result[3] = in[0]; /* an input returned as it is */
	return 4;
}

/* The trip count is an input, and in wrt */
static inline int sample_count(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = -1, .cap = 3};
	int i = build_open(b, (struct type[]){sample_i64, sample_f64}, 2);

	build_close(b, (int[]){op2(b, OP_MUL, i + 1, i + 1)}, 1);
	result[0] = build_region_node(b, OP_FOR, (int[]){in[1], in[0]}, 2, &attrs, NULL);
	return 1;
}

/* A buffer stored into at an index in a loop, then read back: x[i] = x[i] * x[i+1], indices wrap */
static inline int sample_store(struct builder *b, const int *in, int *result)
{
	const struct attrs loop = {.trip = 5}, wrap = {.mode = MODE_WRAP}, one = {.shape = {1, {1}}};
	int i = build_open(b, (struct type[]){sample_i64, F64V(3)}, 2);
	int at = build_node(b, OP_RESHAPE, &i, 1, &one, NULL);
	int after = op2(b, OP_ADD, at, build_scalar(b, DTYPE_I64, 1));
	int here = build_node(b, OP_GATHER, (int[]){i + 1, at}, 2, &wrap, NULL);
	int next = build_node(b, OP_GATHER, (int[]){i + 1, after}, 2, &wrap, NULL);
	int product = op2(b, OP_MUL, here, next);
	int stored = build_node(b, OP_SCATTER_SET, (int[]){i + 1, at, product}, 3, &wrap, NULL);

	build_close(b, &stored, 1);
	result[0] = build_region_node(b, OP_FOR, in, 1, &loop, NULL);
	return 1;
}

static inline int sample_gather(struct builder *b, const int *in, int *result)
{
	const struct attrs drop = {.mode = MODE_DROP}, clip = {.mode = MODE_CLIP}, wrap = {.mode = MODE_WRAP};
	int index = integers(b, 5, (int[]){1, 1, 0, 7, -1});

	result[0] = build_node(b, OP_GATHER, (int[]){in[0], index}, 2, &drop, NULL);
	result[1] = build_node(b, OP_GATHER, (int[]){in[0], index}, 2, &clip, NULL);
	result[2] = build_node(b, OP_GATHER, (int[]){in[0], index}, 2, &wrap, NULL);
	return 3;
}

static inline int sample_scatter(struct builder *b, const int *in, int *result)
{
	const struct attrs drop = {.mode = MODE_DROP};
	int index = integers(b, 3, (int[]){1, 1, 5});

	result[0] = build_node(b, OP_SCATTER_SET, (int[]){in[0], index, in[1]}, 3, &drop, NULL);
	return 1;
}

static inline int sample_prod(struct builder *b, const int *in, int *result)
{
	result[0] = reduce(b, OP_REDUCE_PROD, in[0]);
	result[1] = reduce(b, OP_REDUCE_PROD, in[1]);
	return 2;
}

/* where(x > 0, sqrt(x), 0) */
static inline int sample_where(struct builder *b, const int *in, int *result)
{
	int zero = build_scalar(b, DTYPE_F64, 0);

	result[0] = op3(b, OP_SELECT, op2(b, OP_GT, in[0], zero), op1(b, OP_SQRT, in[0]), zero);
	return 1;
}

/* Checkpoints in a loop and in each other, around a loop too; the inner one also gives back what it captures */
static inline int sample_checkpoint(struct builder *b, const int *in, int *result)
{
	const struct attrs outer = {.trip = 3}, inner = {.trip = 2};
	int shared = op2(b, OP_MUL, in[0], in[1]);
	int v = build_open(b, (struct type[]){sample_i64, sample_f64}, 2) + 1;

	build_open(b, NULL, 0);
	int w = build_open(b, (struct type[]){sample_i64, sample_f64}, 2) + 1;
	build_close(b, (int[]){op2(b, OP_MUL, w, shared)}, 1);
	int power = build_region_node(b, OP_FOR, &v, 1, &inner, NULL);
	build_open(b, NULL, 0);
	build_close(b, (int[]){op1(b, OP_SIN, op2(b, OP_MUL, v, shared)), v}, 2);
	int pair = build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL);
	build_close(b, (int[]){op2(b, OP_ADD, power, pair), pair + 1}, 2);
	int both = build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL);
	build_close(b, (int[]){op2(b, OP_ADD, both, op2(b, OP_MUL, both + 1, in[1]))}, 1);
	result[0] = op2(b, OP_ADD, build_region_node(b, OP_FOR, in, 1, &outer, NULL), shared);
	return 1;
}

/* x[1] = f(f(x[1])), x[2] = f(x[2]), x[5] is dropped, f(e) = e * e * y with y captured; the whole inside a checkpoint */
static inline int sample_apply(struct builder *b, const int *in, int *result)
{
	const struct attrs drop = {.mode = MODE_DROP};
	int index = integers(b, 4, (int[]){1, 2, 1, 5});

	build_open(b, NULL, 0);
	int e = build_open(b, &(struct type){DTYPE_F64, {0}}, 1);
	build_close(b, (int[]){op2(b, OP_MUL, op2(b, OP_MUL, e, e), in[1])}, 1);
	int y = build_region_node(b, OP_SCATTER_APPLY, (int[]){in[0], index}, 2, &drop, NULL);
	build_close(b, &y, 1);
	result[0] = build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL);
	return 1;
}

/* Nothing depends on the second input but through stop_gradient; x is used four times, once as a repeated result */
static inline int sample_fan(struct builder *b, const int *in, int *result)
{
	int y =
	    op2(b, OP_ADD, op2(b, OP_MUL, in[0], in[0]), op1(b, OP_STOP_GRADIENT, op2(b, OP_MUL, in[0], in[1])));

	result[0] = y;
	result[1] = y;
	return 2;
}

/* clang-format off */
static const struct sample samples[] = {
    {"power", sample_power, 1, {F64}, {{.5}}, true, 1, {.75}},
    {"power-while", sample_power_while, 1, {F64}, {{.5}}, true, 1, {.75}},
    {"squaring", sample_squaring, 1, {F64}, {{1.5}}, true, 1, {8 * 17.0859375}},
    /* L = s3 + (2 s1 + 3 s2 + 4 s3) */
    {"scan", sample_scan, 2, {F64, F64V(3)}, {{.5}, {1, 2, 3}}, true, 4, {5 * 3 + 3 * 1, 2 + 1.5 + 1.25, 3 + 2.5, 5}},
    /* s = 1, 2.5, then it ends: L = s2 + 2 s1^2 + 3 s2^2 */
    {"scan-until", sample_scan_until, 2, {F64, F64V(4)}, {{.5}, {1, 2, 3, 4}}, true, 5, {16, 4 + 8, 16, 0, 0}},
    {"tanh", sample_tanh, 3, {F64M(2, 2), F64V(2), F64V(2)}, {{.3, -.7, .2, .9}, {.1, -.2}, {.5, .4}}, true, 0, {0}},
    {"nested", sample_nested, 2, {F64, F64}, {{.8}, {.3}}, true, 0, {0}},
    {"scan-inside", sample_scan_inside, 2, {F64, F64V(3)}, {{.7}, {.4, -.6, .9}}, true, 0, {0}},
    {"while", sample_while, 1, {F64}, {{1.7}}, true, 0, {0}},
    {"cond", sample_cond, 2, {F64, F64}, {{.7}, {1.3}}, true, 0, {0}},
    {"swap", sample_swap, 2, {F64, F64}, {{3}, {5}}, true, 2, {2 + 12 * 15 + 4, 1 + 6 * 9}},
    {"count", sample_count, 2, {F64, I64}, {{1.5}, {2}}, false, 2, {13.5, 0}},
    {"count-capped", sample_count, 2, {F64, I64}, {{1.5}, {9}}, false, 2, {8 * 17.0859375, 0}},
    {"count-none", sample_count, 2, {F64, I64}, {{1.5}, {-4}}, false, 2, {1, 0}},
    {"store", sample_store, 1, {F64V(3)}, {{1.1, .9, 1.3}}, true, 0, {0}},
    /* seeds 1..5 dropped, 6..10 clipped, 11..15 wrapped (7 -> 1, -1 -> 2) */
    {"gather", sample_gather, 1, {F64V(3)}, {{1, 2, 3}}, true, 3, {3 + (8 + 10) + 13, (1 + 2) + (6 + 7) + (11 + 12 + 14), 9 + 15}},
    {"scatter-set", sample_scatter, 2, {F64V(3), F64V(4)}, {{1, 2, 3}, {4, 5, 6, 7}}, true, 7, {1, 0, 3, 0, 2, 0, 0}},
    {"prod-zero", sample_prod, 2, {F64V(3), F64V(3)}, {{2, 0, 3}, {0, 4, 0}}, true, 6, {0, 6, 0, 0, 0, 0}},
    {"checkpoint", sample_checkpoint, 2, {F64, F64}, {{.7}, {1.3}}, true, 0, {0}},
    /* L = x0 + 2 x1^4 y^3 + 3 x2^2 y */
    {"apply", sample_apply, 2, {F64V(3), F64}, {{1.5, .5, 3}, {2}}, true, 4, {1, 8, 36, 1.5 + 27}},
    {"where", sample_where, 1, {F64V(4)}, {{-1, 0, 1, 4}}, false, 4, {0, 0, 1.5, 1}},
    {"fan", sample_fan, 2, {F64, F64}, {{3}, {4}}, false, 2, {3 * 6, 0}},
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

/* A case of a built program: seeds 1, 2, 3 ... over all result elements; no transform when vjp is false. */
static inline struct testcase sample_case(
    struct arena *a, const struct sample *s, const double at[][SAMPLE_ELEMENTS], bool vjp)
{
	struct builder b;
	struct testcase c = {.n_point = 1,
	    .point = NEW(a, struct tensor *, 1),
	    .n_transform = vjp,
	    .transform = NEW(a, struct transform, 1)};
	int in[SAMPLE_INPUTS], result[LIMIT_ARGS], n_result;
	double seed = 0;
	struct transform *t = &c.transform[0];
	struct error e = {.text = ""};

	build_begin(&b, a);
	for (int k = 0; k < s->n_in; k++)
		in[k] = build_input(&b, &s->type[k]);
	n_result = s->build(&b, in, result);
	c.program = build_end(&b, result, n_result);
	CHECK(program_check(&c.program, &e), "%s: %s: %s", s->name, e.place, e.text);

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
			CHECK(type_equal(&out.derivative[k].type, &s->type[k]), "%s: type of derivative %d",
			    s->name, k);
			for (int i = 0; i < shape_elements(&s->type[k].shape); i++, flat++) {
				double got = dtype_is_float(s->type[k].dtype) ? out.derivative[k].at[i].f
									      : (double)out.derivative[k].at[i].i;

				if (s->n_want)
					CHECK(near(got, s->want[flat], 1e-14), "%s[%d][%d]: %.17g, want %.17g",
					    s->name, k, i, got, s->want[flat]);
				if (s->smooth) {
					double at[SAMPLE_INPUTS][SAMPLE_ELEMENTS], h = 1e-5, up;

					memcpy(at, s->at, sizeof at);
					at[k][i] += h;
					up = sample_value(engine, a, s, at);
					at[k][i] -= 2 * h;
					double slope = (up - sample_value(engine, a, s, at)) / (2 * h);
					CHECK(near(got, slope, 1e-6), "%s[%d][%d]: %.17g, slope %.17g", s->name, k,
					    i, got, slope);
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

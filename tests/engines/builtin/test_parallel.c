/* test_parallel.c: sums of cotangents and tangents are trees that are rounded at each node: where a running sum would give another value. */
#include "engines/builtin/adjoint.h"
#include "engines/instance.h"
#include "tests/engines/samples.h"

/* Terms 256, 1, 1, 1 in bf16, whose neighbours of 256 from there on are 2 apart: the tree has 256 + 2, a sum in binary64 260. */
enum { N = 4, TREE = 258, EXACT = 260 };
static const double terms[N] = {256, 1, 1, 1};

#define BF16V(n) {DTYPE_BF16, {1, {n}}}
static const struct type one = {DTYPE_BF16, {0, {0}}}, many = BF16V(N), row_of_one = BF16V(1);

static int build_broadcast(struct builder *b, const int *in, int *result)
{
	result[0] = build_node(b, OP_BROADCAST_TO, in, 1, &(struct attrs){.shape = many.shape}, NULL);
	return 1;
}

/* The cotangents meet along the outer axis of the result. */
static int build_rows(struct builder *b, const int *in, int *result)
{
	const struct attrs tall = {.shape = {2, {N, 1}}};

	result[0] = build_node(b, OP_RESHAPE, (int[]){build_node(b, OP_BROADCAST_TO, in, 1, &tall, NULL)}, 1,
	    &(struct attrs){.shape = many.shape}, NULL);
	return 1;
}

static int build_gather(struct builder *b, const int *in, int *result)
{
	result[0] = build_node(b, OP_GATHER, (int[]){in[0], integers(b, N, (int[]){0, 0, 0, 0})}, 2, &(struct attrs){0}, NULL);
	return 1;
}

static int build_take(struct builder *b, const int *in, int *result)
{
	result[0] =
	    build_node(b, OP_TAKE_ALONG_AXIS, (int[]){in[0], integers(b, N, (int[]){0, 0, 0, 0})}, 2, &(struct attrs){0}, NULL);
	return 1;
}

/* All of the result is margin. */
static int build_pad(struct builder *b, const int *in, int *result)
{
	const struct type none = {DTYPE_BF16, {1, {0}}};
	union cell unused = {.f = 0};
	int nothing = build_constant(b, &(struct tensor){none, &unused});

	result[0] = build_node(b, OP_PAD, (int[]){nothing, in[0]}, 2, &(struct attrs){.high = {N}}, NULL);
	return 1;
}

/* ones[4, 1] times x[1]: the cotangent of x is a dot product. */
static int build_matmul(struct builder *b, const int *in, int *result)
{
	union cell cell[N] = {{.f = 1}, {.f = 1}, {.f = 1}, {.f = 1}};
	int ones = build_constant(b, &(struct tensor){{DTYPE_BF16, {2, {N, 1}}}, cell});

	result[0] = op2(b, OP_MATMUL, ones, in[0]);
	return 1;
}

/* The cotangents of the running sum, last first, meet in the first element. */
static int build_cumsum(struct builder *b, const int *in, int *result)
{
	int all = build_node(b, OP_BROADCAST_TO, in, 1, &(struct attrs){.shape = many.shape}, NULL);
	union cell cell[N] = {{.f = 1}, {.f = 0}, {.f = 0}, {.f = 0}};
	int first = op2(b, OP_MUL, all, build_constant(b, &(struct tensor){many, cell}));
	int running = build_node(b, OP_CUMSUM, &first, 1, &(struct attrs){.axis = 0}, NULL);

	result[0] = build_node(b, OP_REVERSE, &running, 1, &(struct attrs){.n_axes = 1, .axes = {0}}, NULL);
	return 1;
}

/* x used once a result: the last result is pulled back first. */
static int build_fan(struct builder *b, const int *in, int *result)
{
	for (int k = 0; k < N; k++)
		result[k] = op1(b, OP_NEG, op1(b, OP_NEG, in[0]));
	return N;
}

/* x captured by a loop whose iterations each use it once, with a cotangent by the row. */
static int build_captured(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = N, .carries = 0};
	union cell cell[N] = {{.f = 0}, {.f = 0}, {.f = 0}, {.f = 0}};
	int xs = build_constant(b, &(struct tensor){many, cell}), param = build_open(b, &one, 1);

	build_close(b, (int[]){op2(b, OP_ADD, param, in[0])}, 1);
	result[0] = build_region_node(b, OP_SCAN, &xs, 1, &attrs, NULL);
	return 1;
}

static const struct {
	const char *name;
	int (*build)(struct builder *b, const int *in, int *result);
	const struct type *type;
	bool backwards;    /* the terms meet last first */
	double functional; /* what one sum, rounded at the end or at each term, gives */
} sums[] = {
    {"broadcast", build_broadcast, &one, false, EXACT},
    {"outer axis", build_rows, &row_of_one, false, EXACT},
    {"gather", build_gather, &row_of_one, false, EXACT},
    {"take_along_axis", build_take, &row_of_one, false, EXACT},
    {"pad", build_pad, &one, false, EXACT},
    {"matmul", build_matmul, &row_of_one, false, EXACT},
    {"cumsum", build_cumsum, &one, false, EXACT},
    {"fan-out", build_fan, &one, true, 256},
    {"captured", build_captured, &one, true, 256},
};

static double gradient(struct engine *engine, int n, struct arena *a)
{
	const struct sample s = {.name = sums[n].name, .build = sums[n].build, .n_in = 1, .type = {*sums[n].type}, .at = {{1}}};
	struct testcase c = sample_case(a, &s, s.at, true);
	struct answer out = {.status = ANSWER_FAILURE};
	struct transform *t = &c.transform[0];
	int flat = 0;

	for (int k = 0; k < t->n_seed; k++)
		for (int i = 0; i < shape_elements(&t->seed[k].type.shape); i++, flat++)
			t->seed[k].at[i].f = terms[sums[n].backwards ? N - 1 - flat : flat];
	CHECK(flat == N, "%s: %d seeds", s.name, flat);
	engine_answer(engine, &c, a, &out);
	CHECK(out.status == ANSWER_OK, "%s: %s", s.name, out.text);
	return out.derivative[0].at->f;
}

static void check_sums(struct engine *parallel, struct arena *a)
{
	struct engine *functional = sample_engine("functional");

	for (int n = 0; n < (int)(sizeof sums / sizeof *sums); n++) {
		if (!row_wanted("sums: %s", sums[n].name))
			continue;
		double tree = gradient(parallel, n, a), running = gradient(functional, n, a);

		CHECK(tree == TREE, "%s: %g", sums[n].name, tree);
		CHECK(running == sums[n].functional, "%s, functional: %g", sums[n].name, running);
	}
	engine_close(functional);
}

/* ---- tangents ---- */

static int build_reduce_sum(struct builder *b, const int *in, int *result)
{
	result[0] = reduce(b, OP_REDUCE_SUM, in[0]);
	return 1;
}

static int build_reduce_mean(struct builder *b, const int *in, int *result)
{
	result[0] = reduce(b, OP_REDUCE_MEAN, in[0]);
	return 1;
}

static int build_last_cumsum(struct builder *b, const int *in, int *result)
{
	int running = build_node(b, OP_CUMSUM, in, 1, &(struct attrs){.axis = 0}, NULL);

	result[0] = build_node(b, OP_SLICE, &running, 1, &(struct attrs){.start = {N - 1}, .size = {1}, .stride = {1}}, NULL);
	return 1;
}

/* The first element of x and then the others, which are added to it. */
static int build_scatter_add(struct builder *b, const int *in, int *result)
{
	int first = build_node(b, OP_SLICE, in, 1, &(struct attrs){.size = {1}, .stride = {1}}, NULL);
	int others = build_node(b, OP_SLICE, in, 1, &(struct attrs){.start = {1}, .size = {N - 1}, .stride = {1}}, NULL);

	result[0] = build_node(
	    b, OP_SCATTER_ADD, (int[]){first, integers(b, N - 1, (int[]){0, 0, 0}), others}, 3, &(struct attrs){0}, NULL);
	return 1;
}

static int build_dot(struct builder *b, const int *in, int *result)
{
	union cell cell[N] = {{.f = 1}, {.f = 1}, {.f = 1}, {.f = 1}};

	result[0] = op2(b, OP_MATMUL, in[0], build_constant(b, &(struct tensor){many, cell}));
	return 1;
}

static int build_dot_right(struct builder *b, const int *in, int *result)
{
	union cell cell[N] = {{.f = 1}, {.f = 1}, {.f = 1}, {.f = 1}};

	result[0] = op2(b, OP_MATMUL, build_constant(b, &(struct tensor){many, cell}), in[0]);
	return 1;
}

static const struct {
	const char *name;
	int (*build)(struct builder *b, const int *in, int *result);
	double tree, forward;
} pushes[] = {
    {"reduce_sum", build_reduce_sum, TREE, EXACT},
    {"reduce_mean", build_reduce_mean, 64.5, 65},
    {"cumsum", build_last_cumsum, TREE, EXACT},
    {"scatter_add", build_scatter_add, TREE, EXACT},
    {"dot, left", build_dot, TREE, EXACT},
    {"dot, right", build_dot_right, TREE, EXACT},
};

static double push(struct engine *engine, int n, struct arena *a)
{
	const struct sample s = {.name = pushes[n].name, .build = pushes[n].build, .n_in = 1, .type = {BF16V(N)}, .at = {{1, 1, 1, 1}}};
	struct testcase c = sample_case(a, &s, s.at, true);
	struct answer out = {.status = ANSWER_FAILURE};
	struct transform *t = &c.transform[0];

	t->kind = TRANSFORM_JVP;
	t->n_seed = 1;
	t->seed[0] = tensor_new(a, &many);
	for (int i = 0; i < N; i++)
		t->seed[0].at[i].f = terms[i];
	engine_answer(engine, &c, a, &out);
	CHECK(out.status == ANSWER_OK, "%s: %s", s.name, out.text);
	return out.derivative[0].at->f;
}

static void check_tangents(struct engine *parallel, struct arena *a)
{
	struct engine *forward = sample_engine("forward");

	for (int n = 0; n < (int)(sizeof pushes / sizeof *pushes); n++) {
		if (!row_wanted("tangents: %s", pushes[n].name))
			continue;
		double tree = push(parallel, n, a), running = push(forward, n, a);

		CHECK(tree == pushes[n].tree, "%s: %g", pushes[n].name, tree);
		CHECK(running == pushes[n].forward, "%s, forward: %g", pushes[n].name, running);
	}
	engine_close(forward);
}

/* The seams by themselves, for lengths that are no powers of two: in binary64 the values are exact. */
static void check_seams(const struct adjoint_rules *rules)
{
	for (int n = 0; n <= 37; n++) {
		double x[37], y[37], sum = 0;

		for (int i = 0; i < n; i++)
			x[i] = y[i] = i * i - 7;
		rules->running_sum(DTYPE_F64, y, n);
		for (int i = 0; i < n; i++) {
			sum += x[i];
			CHECK(y[i] == sum, "%d of %d: %g", i, n, y[i]);
		}
		CHECK(rules->sum(DTYPE_F64, x, n) == sum, "%d", n);
	}
}

/* A sum of n terms holds as many buffers as n has binary digits, and one more while a term joins. */
static void check_buffers(const struct adjoint_rules *rules, struct arena *a)
{
	const struct type t = {DTYPE_F64, {1, {1000}}};
	union cell *ones = NEW(a, union cell, 1000);
	struct adjoint_sum sum = {NULL, NULL};
	size_t before = a->used;

	for (int i = 0; i < 1000; i++)
		ones[i].f = 1;
	for (int i = 0; i < 1023; i++)
		adjoint_sum_copy(rules, &t, &sum, ones, a);
	CHECK(a->used - before <= 11 * 1000 * (sizeof(union cell) + 1), "%zu bytes", a->used - before);
	CHECK(adjoint_sum_total(rules, &t, &sum)[999].f == 1023, "%g", sum.newest->at[999].f);
}

int main(int argc, char **argv)
{
	struct arena a;
	struct engine *parallel = sample_engine("parallel");

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	check_samples(parallel, &a);
	check_sums(parallel, &a);
	check_tangents(parallel, &a);
	CHECK_LAW(check_seams(&parallel->adjoint));
	CHECK_LAW(check_buffers(&parallel->adjoint, &a));
	engine_close(parallel);
	arena_free(&a);
	return check_done();
}

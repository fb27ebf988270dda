/*
 * test_parallel.c: sums of cotangents and tangents are trees that are rounded at each node: where a running sum would
 * give another value.
 */
#include "engines/builtin/adjoint.h"
#include "engines/instance.h"
#include "tests/engines/samples.h"

/*
 * Terms 256, 1, 1, 1 in bf16, whose neighbours of 256 from there on are 2 apart: the tree has 256 + 2, a sum in
 * binary64 260.
 */
enum { N = 4, TREE = 258, EXACT = 260 };
static const double terms[N] = {256, 1, 1, 1};

#define BF16V(n) \
	{ \
		DTYPE_BF16, \
		{ \
			1, { n } \
		} \
	}
static const struct type one = {DTYPE_BF16, {0, {0}}}, many = BF16V(N), row_of_one = BF16V(1);

static const struct {
	const char *name, *text;
	const struct type *type;
	bool backwards;    /* the terms meet last first */
	double functional; /* what one sum, rounded at the end or at each term, gives */
} sums[] = {
    {"broadcast", "y = broadcast_to a shape=[4]; return y", &one, false, EXACT},
    /* The cotangents meet along the outer axis of the result. */
    {"outer axis", "tall = broadcast_to a shape=[4, 1]; y = reshape tall shape=[4]; return y", &row_of_one, false,
        EXACT},
    {"gather", "at: i64[4] = constant [0, 0, 0, 0]; y = gather a, at axis=0 mode=clip; return y", &row_of_one, false,
        EXACT},
    {"take_along_axis", "at: i64[4] = constant [0, 0, 0, 0]; y = take_along_axis a, at axis=0 mode=clip; return y",
        &row_of_one, false, EXACT},
    /* All of the result is margin. */
    {"pad", "nothing: bf16[0] = constant []; y = pad nothing, a low=[0] high=[4]; return y", &one, false, EXACT},
    /* ones[4, 1] times a[1]: the cotangent of a is a dot product. */
    {"matmul", "ones: bf16[4,1] = constant [1, 1, 1, 1]; y = matmul ones, a; return y", &row_of_one, false, EXACT},
    /* The cotangents of the running sum, last first, meet in the first element. */
    {"cumsum",
        "all = broadcast_to a shape=[4]\n"
        "mask: bf16[4] = constant [1, 0, 0, 0]\n"
        "first = mul all, mask\n"
        "running = cumsum first axis=0\n"
        "y = reverse running axes=[0]\n"
        "return y",
        &one, false, EXACT},
    /* a is used once a result: the last result is pulled back first. */
    {"fan-out",
        "m = neg a; p = neg m\n"
        "n = neg a; q = neg n\n"
        "o = neg a; r = neg o\n"
        "t = neg a; s = neg t\n"
        "return p, q, r, s",
        &one, true, 256},
    /* a is captured by a loop whose iterations each use it once, with a cotangent by the row. */
    {"captured",
        "xs: bf16[4] = constant [0, 0, 0, 0]\n"
        "y = scan (xs) trip=4 carries=0 { params x; s = add x, a; yield s }\n"
        "return y",
        &one, true, 256},
};

static double gradient(struct engine *engine, int n, struct arena *a)
{
	const struct sample s = {
	    .name = sums[n].name, .text = sums[n].text, .n_in = 1, .type = {*sums[n].type}, .at = {{1}}};
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

static const struct {
	const char *name, *text;
	double tree, forward;
} pushes[] = {
    {"reduce_sum", "y = reduce_sum a axes=[0]; return y", TREE, EXACT},
    {"reduce_mean", "y = reduce_mean a axes=[0]; return y", 64.5, 65},
    {"cumsum", "running = cumsum a axis=0; y = slice running start=[3] size=[1]; return y", TREE, EXACT},
    /* The first element of a and then the others, which are added to it. */
    {"scatter_add",
        "first = slice a start=[0] size=[1]\n"
        "others = slice a start=[1] size=[3]\n"
        "at: i64[3] = constant [0, 0, 0]\n"
        "y = scatter_add first, at, others axis=0 mode=clip\n"
        "return y",
        TREE, EXACT},
    {"dot, left", "ones: bf16[4] = constant [1, 1, 1, 1]; y = matmul a, ones; return y", TREE, EXACT},
    {"dot, right", "ones: bf16[4] = constant [1, 1, 1, 1]; y = matmul ones, a; return y", TREE, EXACT},
};

static double push(struct engine *engine, int n, struct arena *a)
{
	const struct sample s = {
	    .name = pushes[n].name, .text = pushes[n].text, .n_in = 1, .type = {BF16V(N)}, .at = {{1, 1, 1, 1}}};
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

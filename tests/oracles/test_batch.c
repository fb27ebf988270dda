/*
 * Requests with batches: values by hand, the balls of sums over slices, conventions of slices, laws against the
 * engines.
 */
#include "engines/engine.h"
#include "fuzz/generate/generate.h"
#include "oracles/evaluate/elementary.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "stacks.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *what, *body, *point, *request;
	int n; /* derivatives, or 0: the primal */
	int size[2];
	double want[2][6];
} rows[] = {
    {"a batch alone", "y = mul x, w", "[1,2,3],10", "batch x; 3 slices", 0, {3}, {{10, 20, 30}}},
    {"two batches, the outer one in front", "y = mul x, w", "[1,2],[10,20,30]",
        "batch x; 2 slices\n"
        "then batch w; 3 slices",
        0, {6}, {{10, 20, 20, 40, 30, 60}}},
    {"gradient of a batch: the shared input gathers", "y = mul x, w", "[1,2,3],10",
        "batch x; 3 slices\n"
        "then vjp; cotangents [1, 2, 4]",
        2, {3, 1}, {{10, 20, 40}, {1 + 4 + 12}}},
    {"a batch of gradients: every slice its own", "y = mul x, w", "[1,2,3],10", "vjp; then batch x; 3 slices", 2,
        {3, 3}, {{10, 10, 10}, {1, 2, 3}}},
    {"an inner seed is shared, an outer one sliced", "y = mul x, w", "[1,2],10",
        "vjp x; cotangents 0.5\n"
        "then batch x; 2 slices\n"
        "then jvp; tangents [7, 8], 3",
        1, {2}, {{1.5, 1.5}}},
    {"a jvp of a batch", "y = mul x, w", "[1,2],10",
        "batch x; 2 slices\n"
        "then jvp; tangents [7, 8], 3",
        1, {2}, {{73, 86}}},
    {"gradients of two batches", "y = mul x, w", "[1,2],[10,20,30]",
        "batch x; 2 slices\n"
        "then batch w; 3 slices\n"
        "then vjp; cotangents [1, 2, 1, 0, 0, 1]",
        2, {2, 3}, {{30, 50}, {5, 1, 2}}},
    {"reverse over reverse of a batch", "s = mul x, x; y = mul s, w", "[1,2],10",
        "batch x; 2 slices\n"
        "then vjp\n"
        "then vjp; cotangents [3, 5], 7",
        2, {2, 1}, {{2 * 10 * 3 + 2 * 1 * 7, 2 * 10 * 5 + 2 * 2 * 7}, {2 * 1 * 3 + 2 * 2 * 5}}},
    {"reverse over a batch of gradients", "s = mul x, x; y = mul s, w", "[1,2],10",
        "vjp\n"
        "then batch x; 2 slices\n"
        "then vjp w; cotangents [3, 5], [7, 11]",
        1, {1}, {{2 * 1 * 3 + 2 * 2 * 5}}},
    {"forward over the gradient of a batch", "s = mul x, x; y = mul s, w", "[1,2],10",
        "batch x; 2 slices\n"
        "then vjp w\n"
        "then jvp x; tangents [3, 5]",
        1, {1}, {{2 * 1 * 3 + 2 * 2 * 5}}},
};

static void test_values(struct oracle *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("values: %s", rows[i].what))
			continue;
		struct testcase c = test_function(
		    a, "x: f64[], w: f64[]", rows[i].body, rows[i].point, rows[i].request);
		struct truth truth;
		oracle_truth(oracle, &c, a, &truth);
		const struct truth_point *t = &truth.point[0];
		CHECK(t->n_derivative == rows[i].n && t->n_assignment == 1, "%s: %d derivatives", rows[i].what,
		    t->n_derivative);
		CHECK(!rows[i].n || t->fd.outcome == FD_AGREES, "%s: finite differences say %d", rows[i].what,
		    t->fd.outcome);
		for (int k = 0; k < (rows[i].n ? rows[i].n : 1); k++) {
			const struct truth_tensor *d = rows[i].n ? &t->derivative[0][k] : &t->primal[k];
			CHECK(shape_elements(&d->type.shape) == rows[i].size[k], "%s, %d: %d elements", rows[i].what, k,
			    shape_elements(&d->type.shape));
			for (int e = 0; e < rows[i].size[k]; e++) {
				CHECK(d->at[e].reason == REASON_NONE && d->at[e].value == rows[i].want[k][e],
				    "%s, %d[%d]: %g (%s), not %g", rows[i].what, k, e, d->at[e].value,
				    reason_names[d->at[e].reason], rows[i].want[k][e]);
				CHECK(d->at[e].tight <= 64 * 0x1p-53 * d->at[e].magnitude, "%s, %d[%d]: radius %g",
				    rows[i].what, k, e, d->at[e].tight);
			}
		}
	}
}

/* What cancels between slices has been rounded at its size, and is the sum of what was exact. */
static void test_cancellation(struct oracle *oracle, struct arena *a)
{
	struct testcase c = test_function(a, "x: f64[], w: f64[]", "s = sin x; y = mul s, w", "[1,1,1],2",
	    "batch x; 3 slices\n"
	    "then vjp w; cotangents [3, -1, -2]");
	struct truth truth;
	oracle_truth(oracle, &c, a, &truth);
	const struct component *d = &truth.point[0].derivative[0][0].at[0];
	CHECK(d->reason == REASON_NONE && fabs(d->value + d->low) < 1e-25, "%g + %g", d->value, d->low);
	CHECK(fabs(d->magnitude - 6 * sin(1)) < 1e-14, "magnitude %g", d->magnitude);
	CHECK(d->tight >= 2 * 0x1p-53 * d->magnitude && d->loose > d->tight, "radii %g %g", d->tight, d->loose);
}

/* |x| at 0 in n slices of n + 1. */
static struct truth_point kinks(struct oracle *oracle, int n, struct testcase *c, struct arena *a)
{
	const char *zeros = "", *ones = "1";
	for (int k = 0; k < n; k++) {
		zeros = arena_printf(a, "%s0,", zeros);
		ones = arena_printf(a, "%s,1", ones);
	}
	struct truth truth;
	*c = test_function(a, "x: f64[], w: f64[]", "s = abs x; y = add s, w", arena_printf(a, "[%s-5],10", zeros),
	    arena_printf(a,
	        "batch x; %d slices\n"
	        "then vjp; cotangents [%s]",
	        n + 1, ones));
	oracle_truth(oracle, c, a, &truth);
	return truth.point[0];
}

static void test_kinks(struct oracle *oracle, struct arena *a)
{
	struct testcase c;
	struct truth_point t = kinks(oracle, 2, &c, a);
	bool seen[3][3] = {{false}};
	CHECK(t.kink && t.n_assignment == 9, "%d assignments", t.n_assignment);
	for (int k = 0; k < t.n_assignment; k++) {
		const struct component *d = t.derivative[k][0].at;
		seen[(int)d[0].value + 1][(int)d[1].value + 1] = true;
		CHECK(d[2].value == -1 && t.derivative[k][1].at[0].value == 3, "beside the kink");
	}
	for (int k = 0; k < 9; k++)
		CHECK(seen[k / 3][k % 3], "assignment %d", k);
	/* 3^5 are too many: the slices with a kink are undecided, the others are not. */
	t = kinks(oracle, 5, &c, a);
	CHECK(t.n_assignment == 1, "%d assignments", t.n_assignment);
	for (int e = 0; e < 5; e++)
		CHECK(t.derivative[0][0].at[e].reason == REASON_CONVENTION, "slice %d: %s", e,
		    reason_names[t.derivative[0][0].at[e].reason]);
	CHECK(t.derivative[0][0].at[5].reason == REASON_NONE && t.derivative[0][0].at[5].value == -1, "the last slice");
	CHECK(
	    t.derivative[0][1].at[0].reason == REASON_NONE && t.derivative[0][1].at[0].value == 6, "the shared input");
}

/* More slices of a long loop than are worth their time. */
static void test_too_many(struct oracle *oracle, struct arena *a)
{
	struct testcase c = test_function(a, "x: f64[], w: f64[]",
	    "y = for (x) trip=40000 {\n"
	    "  params i, p\n"
	    "  q = sin p\n"
	    "  yield q\n"
	    "}",
	    "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],1",
	    "batch x; 16 slices\n"
	    "then jvp w");
	struct truth truth;
	oracle_truth(oracle, &c, a, &truth);
	CHECK(truth.point[0].primal[0].at[15].reason == REASON_ORDER &&
	        truth.point[0].derivative[0][0].at[15].reason == REASON_ORDER,
	    "%s", reason_names[truth.point[0].primal[0].at[15].reason]);
}

/* A softmax that leaves the range may be 0, but not negative, in each slice. Where slices add up, nothing is known. */
static void test_sides(struct oracle *oracle, struct arena *a)
{
	struct testcase c = test_function(a, "x: f64[2], w: f64[]",
	    "s = logsumexp x axes=[0]\n"
	    "y = mul s, w",
	    "[-800,-800,-900,-900],3",
	    "batch x; 2 slices\n"
	    "then vjp");
	struct truth truth;
	oracle_truth(oracle, &c, a, &truth);
	for (int e = 0; e < 4; e++) {
		const struct component *x = &truth.point[0].derivative[0][0].at[e];
		CHECK(!x->reason && x->narrow && x->loose > 2 * x->value, "element %d: loose %g", e, x->loose);
		CHECK(component_radius(x, -x->value) < 2 * x->value && component_radius(x, 0) >= x->value, "element %d",
		    e);
	}
	CHECK(!truth.point[0].derivative[0][1].at[0].narrow, "a sum over slices");
}

/* An engine's answer to a case with one number changed is no agreement. */
static void test_judged(struct oracle *oracle, struct arena *a)
{
	struct error e = {0};
	struct engine *engine = engine_open("tape", &e);
	struct testcase c = test_function(a, "x: f64[], w: f64[]", "s = mul x, x; y = mul s, w", "[1,2],10",
	    "batch x; 2 slices\n"
	    "then vjp\n"
	    "then vjp; cotangents [3, 5], 7");
	struct truth truth;
	struct answer answer;
	struct judgement j;
	oracle_truth(oracle, &c, a, &truth);
	engine_answer(engine, &c, a, &answer);
	judge(&c, &truth, &answer, &j);
	CHECK(j.verdict == VERDICT_AGREE && j.decided == 3, "%s, %d decided", verdict_names[j.verdict], j.decided);
	answer.derivative[1].at[0].f += 1e-12;
	judge(&c, &truth, &answer, &j);
	CHECK(j.verdict == VERDICT_WRONG && j.which == 1, "%s", verdict_names[j.verdict]);
	oracle_confirm(oracle, &c, a, &truth);
	CHECK(truth.point[0].fd.outcome == FD_AGREES, "confirmed: %d", truth.point[0].fd.outcome);
	engine_close(engine);
}

static int batch_kinds(struct choice *choice, enum transform_kind kind[3])
{
	int n = choice_between(choice, 1, 3);
	for (int k = 0; k < n; k++)
		kind[k] = choice_percent(choice, 50) ? TRANSFORM_VJP : TRANSFORM_JVP;
	kind[choice_between(choice, 0, n - 1)] = TRANSFORM_BATCH;
	return n;
}

int main(int argc, char **argv)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct arena a;
	struct oracle *oracle = oracle_open(&options);
	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	test_values(oracle, &a);
	CHECK_LAW(test_cancellation(oracle, &a));
	CHECK_LAW(test_kinks(oracle, &a));
	CHECK_LAW(test_too_many(oracle, &a));
	CHECK_LAW(test_sides(oracle, &a));
	CHECK_LAW(test_judged(oracle, &a));
	oracle_close(oracle);
	stack_laws(1200, 4242, batch_kinds, &a);
	arena_free(&a);
	elementary_free_cache();
	return check_done();
}

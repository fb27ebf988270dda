/*
 * The budget of a truth (oracles/evaluate/work.h): cases that cost too much are undecided(budget), and nothing of them
 * is left for the next case.  No time is measured here; benchmarks/truth_cost.c does that.
 */
#include <math.h>
#include <string.h>

#include "graph/text.h"
#include "oracles/evaluate/work.h"
#include "oracles/truth.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* Each input is f64[n], with values 1.5 * 2^k. */
static const struct {
	const char *what, *body, *request;
	int n;
	bool over;
} rows[] = {
    {"seven tanh of few elements", "a = tanh x; b = tanh a; c = tanh b; d = tanh c; e = tanh d; f = tanh e; y = tanh f",
        "vjp", 16, false},
    {"seven tanh of many elements",
        "a = tanh x; b = tanh a; c = tanh b; d = tanh c; e = tanh d; f = tanh e; y = tanh f", "vjp", 65536, true},
    {"the primal of many erf", "y = erf x", "", 65536, true},
    {"an addition of many elements", "y = add x, x", "vjp", 4096, false},
    {"a negation of many elements", "y = neg x", "jvp", 40000, false},
    {"a loop of many trips", "y = for (x) trip=20000 {\n params i, a\n b = sin a\n yield b\n}", "vjp", 4, true},
    {"second order", "a = sin x; b = exp a; c = mul b, x; y = tanh c", "vjp; then jvp", 8192, true},
    {"erf of some elements", "a = erf x; y = erf a", "vjp", 2500, false},
    {"slices of a batch", "a = erf x; b = erf a; y = erf b", "vjp; then batch x; 64 slices", 64 * 80, true},
};
enum { ROWS = sizeof rows / sizeof *rows, DEAR_TO_DIFFERENCE = 7 };

static struct testcase row_case(int k, struct arena *a)
{
	const int n = rows[k].n;
	const bool batched = strstr(rows[k].request, "batch") != NULL;
	char *point = NEW(a, char, (size_t)n * 16 + 16), *at = point;
	struct testcase c;

	at += sprintf(at, "[");
	for (int i = 0; i < n; i++)
		at += sprintf(at, "%s%.10g", i ? "," : "", ldexp(1.5, i % 40 - 30));
	sprintf(at, "]");
	c = test_function(a, arena_printf(a, "x: f64[%d]", batched ? n / 64 : n), rows[k].body, point, rows[k].request);
	return c;
}

/* How many components of the truth are undecided(budget), and how many there are. */
static int count_over(const struct truth *t, int *all)
{
	int over = 0;

	*all = 0;
	for (int p = 0; p < t->n_point; p++) {
		const struct truth_point *x = &t->point[p];

		for (int k = 0; k < x->n_primal + x->n_derivative; k++) {
			const struct truth_tensor *y = k < x->n_primal ? &x->primal[k]
			                                               : &x->derivative[0][k - x->n_primal];

			for (int e = 0; e < shape_elements(&y->type.shape); e++) {
				over += y->at[e].reason == REASON_BUDGET;
				++*all;
			}
		}
	}
	return over;
}

static void test_rows(struct oracle *oracle, struct arena *a)
{
	for (int k = 0; k < ROWS; k++) {
		struct truth truth;
		struct testcase c;
		int all, over;

		arena_reset(a);
		c = row_case(k, a);
		if (!c.n_point)
			continue;
		oracle_truth(oracle, &c, a, &truth);
		over = count_over(&truth, &all);
		CHECK(all > 0 && over == (rows[k].over ? all : 0), "%s: %d of %d over", rows[k].what, over, all);
		oracle_confirm(oracle, &c, a, &truth);
		CHECK(count_over(&truth, &all) == over, "%s: confirming changed it", rows[k].what);
	}
}

/* After a case that cost too much, a small one has the truth that a fresh oracle gives. */
static void test_nothing_left(struct oracle *oracle, struct arena *a)
{
	struct truth dear, after, fresh;
	struct testcase large, small;
	struct oracle *other = oracle_open(&(struct oracle_options){.seed = 1, .fd_one_in = 1});

	arena_reset(a);
	large = row_case(1, a);
	small = row_case(0, a);
	oracle_truth(oracle, &large, a, &dear);
	oracle_truth(oracle, &small, a, &after);
	oracle_truth(other, &small, a, &fresh);
	CHECK(after.point->fd.outcome == fresh.point->fd.outcome && fresh.point->fd.outcome == FD_AGREES,
	    "evidence %d, fresh %d", after.point->fd.outcome, fresh.point->fd.outcome);
	for (int e = 0; e < 16; e++) {
		const struct component *x = &after.point->derivative[0]->at[e], *y = &fresh.point->derivative[0]->at[e];

		CHECK(x->reason == y->reason && x->value == y->value && x->low == y->low && x->tight == y->tight &&
		        x->loose == y->loose,
		    "element %d: %a, fresh %a", e, x->value, y->value);
	}
	oracle_close(other);
}

/* Two points of a batch cost too much, one does not: confirming one by one does not bring the first one back. */
static void test_two_points(struct oracle *oracle, struct arena *a)
{
	enum { SLICES = 64, EACH = 32 };
	struct text point = {.arena = a};
	struct truth truth;
	struct testcase c;
	int all, over;

	arena_reset(a);
	for (int i = 0; i < SLICES * EACH; i++)
		text_put(&point, "%s%.10g", i ? "," : "", ldexp(1.5, i % 40 - 30));
	for (int n = 1; n <= 2; n++) {
		c = test_case(a,
		    arena_printf(a,
		        "inputs x: f64[%d]\na = erf x; b = erf a; y = erf b\nreturn y\npoint [%s]\n%s%s%s"
		        "request: vjp; then batch x; %d slices",
		        EACH, point.at, n > 1 ? "point [" : "", n > 1 ? point.at : "", n > 1 ? "]\n" : "", SLICES));
		oracle_truth(oracle, &c, a, &truth);
		over = count_over(&truth, &all);
		CHECK(all > 0 && over == (n > 1 ? all : 0), "%d points: %d of %d over", n, over, all);
		oracle_confirm(oracle, &c, a, &truth);
		CHECK(count_over(&truth, &all) == over, "%d points: confirming changed it", n);
	}
}

/* Finite differences alone exceed their part: the truth stays, and the evidence says so. */
static void test_differences(struct oracle *oracle, struct arena *a)
{
	struct truth truth;
	struct testcase c;
	int all;

	arena_reset(a);
	c = row_case(DEAR_TO_DIFFERENCE, a);
	if (!c.n_point)
		return;
	oracle_truth(oracle, &c, a, &truth);
	CHECK(count_over(&truth, &all) == 0, "the truth itself costs too much");
	CHECK(truth.point->fd.outcome == FD_ABSTAINS && truth.point->fd.reason == REASON_BUDGET,
	    "evidence %d, reason %s", truth.point->fd.outcome, reason_names[truth.point->fd.reason]);
}

static void test_weights(void)
{
	/* Functions cost more at more bits, and much more than arithmetic. */
	for (int op = 0; op < OP_COUNT; op++)
		CHECK(work_of((enum op)op, 128, 1) <= work_of((enum op)op, 2560, 1), "%s", op_table[op].name);
	CHECK(work_of(OP_TANH, 128, 1) > 10 * work_of(OP_MUL, 128, 2), "tanh");
	CHECK(work_of(OP_REDUCE_SUM, 128, 1000) > 100 * work_of(OP_ADD, 128, 2), "a sum of many");
}

int main(void)
{
	struct oracle *oracle = oracle_open(&(struct oracle_options){.seed = 1, .fd_one_in = 1});
	struct arena a;

	arena_init(&a, (size_t)512 << 20);
	CHECK_LAW(test_rows(oracle, &a));
	CHECK_LAW(test_nothing_left(oracle, &a));
	CHECK_LAW(test_two_points(oracle, &a));
	CHECK_LAW(test_differences(oracle, &a));
	CHECK_LAW(test_weights());
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}

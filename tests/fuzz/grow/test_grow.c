/* The typical case: what is degenerate in the smallest case goes if the case still fails, and stays if it does not. */
#include "fuzz/grow/grow.h"
#include "fuzz/grow/steps.h"

#include <string.h>

#include "graph/walk.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

static const struct row {
	const char *name, *engine, *smallest;
	const char *has[4];   /* lines of the typical program, or parts of them */
	const char *lacks[2]; /* what is not left */
} rows[] = {
    {"one input as both operands", "tape+scale:mul:1.5",
        "inputs x: f64[]\ny = mul x, x\nreturn y\npoint 0.5\nrequest: vjp x\n", {"f64[3]", "mul v"},
        {"mul v0 v0", "mul v0, v0"}},
    {"a loop that runs once and hands on", "functional+tf-while-passthrough",
        "inputs x: f64[]\ny = for (x) trip=1 { params i, c; yield c }\nreturn y\npoint 0.5\nrequest: vjp x\n",
        {"trip=3", "yield v2"}, {"trip=1"}},
    {"a body that must compute", "functional+residual-fifo",
        "inputs x: f64[]\ny = for (x) trip=2 { params i, c; p = mul c, x; yield p }\nreturn y\n"
        "point 0.5\nrequest: vjp x\n",
        {"trip=2", "mul v3, v0", "inputs v0: f64[], v1: f64[]"}, {"trip=1"}},
    {"a carry that nobody reads", "functional+residual-fifo",
        "inputs x: f64[]\ny, z = for (x, x) trip=2 { params i, c, d; p = mul c, x; yield p, p }\nreturn z\n"
        "point 0.5\nrequest: vjp x\n",
        {"= add v5, ", "trip=2"}, {NULL}},
    {"two equal indices are needed", "tape+torch-gather-dup",
        "inputs x: f64[1]\nat: i64[2] = constant [0, 0]\ny = gather x, at axis=0 mode=clip\nreturn y\n"
        "point [0.5]\nrequest: vjp x\n",
        {"inputs v0: f64[3]", "constant [0, 0]"}, {NULL}},
    {"a tie is needed", "tape+scale:max:1.5", "inputs x: f64[]\ny = max x, x\nreturn y\npoint 0.5\nrequest: vjp x\n",
        {"f64[3]", "inputs v0: f64[3], v1: f64[3]"}, {NULL}},
    {"a start keeps its one number", "tape+scale:dynamic_update_slice:1.5",
        "inputs x: f64[1]\ns: i64[1] = constant [0]\ny = dynamic_update_slice x, x, s\nreturn y\npoint [0.5]\n"
        "request: vjp x\n",
        {"inputs v0: f64[3], v1: f64[4]", "i64[1]"}, {"f64[1]"}},
};

static void check_row(const struct row *row, struct arena *a)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	const struct testcase smallest = test_case(a, row->smallest);
	struct question q = {.judged = JUDGED_IN_FULL};
	struct testcase typical, again;
	struct growth first, second;
	struct judgement j;
	struct error e = {0};
	struct bench b;
	char *text;

	if (!bench_open(&b, &row->engine, 1, &options, &e)) {
		CHECK(false, "%s: %s", row->engine, e.text);
		return;
	}
	q.bench = &b;
	CHECK(case_shows(&smallest, &q, a, &j), "the smallest case fails");
	typical = grow(&smallest, j.verdict, &q, 400, NULL, NULL, a, &first);
	again = grow(&smallest, j.verdict, &q, 400, NULL, NULL, a, &second);
	text = program_print(&typical.program, a);
	CHECK(first.kept > 0 && first.tried <= 400, "%d of %d", first.kept, first.tried);
	CHECK(testcase_equal(&typical, &again) && first.tried == second.tried, "twice the same");
	CHECK(case_shows(&typical, &q, a, &j), "the typical case fails:\n%s", text);
	for (int i = 0; i < 4 && row->has[i]; i++)
		CHECK(strstr(text, row->has[i]), "no '%s' in\n%s", row->has[i], text);
	for (int i = 0; i < 2 && row->lacks[i]; i++)
		CHECK(!strstr(text, row->lacks[i]), "'%s' in\n%s", row->lacks[i], text);
	bench_close(&b);
}

/* No budget, no growth; and what the engine answers rightly does not grow. */
static void check_none(struct arena *a)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	const struct testcase smallest = test_case(a, rows[0].smallest);
	const char *const engines[] = {rows[0].engine, "tape"};

	for (int k = 0; k < 2; k++) {
		struct question q = {.judged = JUDGED_IN_FULL};
		struct testcase typical;
		struct growth g;
		struct error e = {0};
		struct bench b;

		CHECK(bench_open(&b, &engines[k], 1, &options, &e), "%s", e.text);
		q.bench = &b;
		typical = grow(&smallest, VERDICT_WRONG, &q, k ? 400 : 0, NULL, NULL, a, &g);
		CHECK(!g.kept && testcase_equal(&typical, &smallest), "%s: %d kept", engines[k], g.kept);
		bench_close(&b);
	}
}

/* A loop whose last iteration alone counts gets iterations that all count. */
static void check_carry(struct arena *a)
{
	struct edit e = {.arena = a,
	    .c = test_case(a,
	        "inputs x: f64[]\ny = for (x) trip=1 { params i, c; yield x }\nreturn y\npoint 0.5\nrequest: vjp x\n")};
	char *text;

	CHECK(grow_carry(&e, 0) == EDIT_TRY && edit_finish(&e, true), "the step applies");
	text = program_print(&e.c.program, a);
	CHECK(strstr(text, "trip=3") && strstr(text, "add v2, v0"), "%s", text);
	CHECK(grow_carry(&e, 0) == EDIT_SKIP, "a loop of three iterations stays");
}

/* The bounds of a clamp do not cross in the typical case, whatever numbers it was given. */
static void test_bounds(struct arena *a)
{
	static const struct {
		const char *engine, *text;
		bool broadcast; /* the bounds */
	} cases[] = {
	    {"tape+scale:clamp:1.5", "inputs x: f64[]\ny = clamp x, x, x\nreturn y\npoint 0.5\nrequest: vjp x\n"},
	    {"tape+scale:clamp:1.5",
	        "inputs x: f64[2], l: f64[2], h: f64[2]\ny = clamp x, l, h\nreturn y\n"
	        "point [1, 2], [3, -3], [1, 4]\nrequest: vjp\n"},
	    {"functional+customjvp-unbroadcast", /* it fails only if an operand is broadcast */
	        "inputs x: f64[2], l: f64[2], h: f64[]\ny = clamp x, l, h\nreturn y\npoint [1, 2], [3, 3], 1\n"
	        "request: vjp\n",
	        true},
	};
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct testcase smallest = test_case(a, cases[i].text);
		struct question q = {.judged = JUDGED_IN_FULL};
		struct testcase typical;
		struct growth g;
		struct judgement j;
		struct error e = {0};
		struct bench b;
		int crossed = 0, between = 0;

		CHECK(bench_open(&b, &cases[i].engine, 1, &options, &e), "%s", e.text);
		q.bench = &b;
		CHECK(case_shows(&smallest, &q, a, &j), "case %zu fails", i);
		typical = grow(&smallest, j.verdict, &q, 400, NULL, NULL, a, &g);
		for (struct walk w = walk_nodes(&typical.program.top); walk_next(&w);) {
			const struct tensor *low, *high, *x;

			if (w.node->op != OP_CLAMP)
				continue;
			low = &typical.point[0][w.node->arg[1] - typical.program.top.param];
			high = &typical.point[0][w.node->arg[2] - typical.program.top.param];
			x = &typical.point[0][w.node->arg[0] - typical.program.top.param];
			between = x->at[0].f > low->at[0].f && x->at[0].f < high->at[0].f;
			for (int k = 0; k < shape_elements(&low->type.shape); k++)
				crossed += low->at[k].f > high->at[k % shape_elements(&high->type.shape)].f;
		}
		CHECK(g.kept && !crossed && (between || cases[i].broadcast),
		    "case %zu: %d bounds are crossed, %d between", i, crossed, between);
		bench_close(&b);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 512 << 20);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (row_wanted("%s", rows[i].name))
			check_row(&rows[i], &a);
	CHECK_LAW(check_none(&a));
	CHECK_LAW(check_carry(&a));
	CHECK_LAW(test_bounds(&a));
	arena_free(&a);
	return check_done();
}

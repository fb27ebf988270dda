/* Ops alone: what is drawn of them, and how that refutes what smaller programs would tell. */
#include "fuzz/characterize/characterize.h"
#include "fuzz/characterize/lab.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "graph/walk.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

enum { DRAWS = 400 };

/* A lab around a case, with the engine alone. */
static bool open_lab(struct lab *l, struct bench *b, const char *engine, const struct testcase *c, struct arena *a)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = INT_MAX};
	struct error e = {0};

	*l = (struct lab){.bench = b, .base = c, .typical = c, .arena = a};
	if (!bench_open(b, &engine, 1, &o, &e) || !(l->primal = engine_open("tape", &e))) {
		CHECK(false, "%s", e.text);
		return false;
	}
	arena_init(&l->work, 64 << 20);
	arena_init(&l->scratch, 64 << 20);
	return true;
}

static void close_lab(struct lab *l)
{
	bench_close(l->bench);
	engine_close(l->primal);
	arena_free(&l->work);
	arena_free(&l->scratch);
}

/* The largest such measure of the draws. */
static double most_of(struct lab *l, enum op op, enum measure_id id, int operand)
{
	double most = -INFINITY;

	for (int k = 0; k < DRAWS; k++) {
		struct testcase c;
		const struct facts *f;

		if (!lab_draw_alone(l, op, k, &c))
			continue;
		f = facts_of(&c, &l->scratch);
		for (int i = 0; i < f->n_measure; i++)
			if (f->measure[i].id == id && f->measure[i].op == op && f->measure[i].operand == operand)
				most = fmax(most, f->measure[i].x);
	}
	return most;
}

/* What the programs of the generator seldom or never have. */
static void test_freedom(struct arena *a)
{
	static const struct {
		const char *name;
		enum op op;
		enum measure_id id;
		int operand;
		double least;
	} freedoms[] = {
	    {"pairs of matrices", OP_MATMUL, MEASURE_MATRIX_BATCH, -1, 2},
	    {"a batch of right matrices", OP_MATMUL, MEASURE_RANK, 1, 3},
	    {"a vector on the right", OP_MATMUL, MEASURE_RIGHT_VECTOR, -1, 1},
	    {"a first operand that is stretched", OP_ADD, MEASURE_STRETCHED, 0, 1},
	    {"a first operand that lacks axes", OP_SUB, MEASURE_LACKS_AXES, 0, 1},
	    {"several axes", OP_REDUCE_SUM, MEASURE_LONG_AXES, -1, 2},
	    {"an axis before others", OP_CUMSUM, MEASURE_AXIS_OUTSIDE, -1, 1},
	    {"a zero before other elements", OP_CUMPROD, MEASURE_ZERO_BEFORE, -1, 1},
	    {"a window that goes backwards", OP_SLICE, MEASURE_BACKWARDS, -1, 1},
	    {"a stride", OP_SLICE_SCATTER, MEASURE_STRIDE, -1, 2},
	    {"a start beyond the last", OP_DYNAMIC_SLICE, MEASURE_START_BEYOND, -1, 1},
	    {"a start that is negative", OP_DYNAMIC_UPDATE_SLICE, MEASURE_START_NEGATIVE, -1, 1},
	    {"fewer indices than elements", OP_TAKE_ALONG_AXIS, MEASURE_INDICES_UNDER, -1, 1},
	    {"indices far outside", OP_GATHER, MEASURE_INDEX_ROUND_TWICE, -1, 1},
	    {"two indices of one element", OP_SCATTER_MAX, MEASURE_INDICES_MEET, -1, 1},
	    {"margins that differ", OP_PAD, MEASURE_PAD_UNEVEN, -1, 1},
	    {"many operands", OP_CONCATENATE, MEASURE_OPERANDS, -1, 3},
	    {"a permutation of three", OP_TRANSPOSE, MEASURE_CYCLE, -1, 1},
	    {"a mask that is short of elements", OP_MASKED_SCATTER, MEASURE_MASK_LEFT, -1, 1},
	    {"a loop of four iterations", OP_FOR, MEASURE_TRIPS, -1, 4},
	    {"two initial carries of one value", OP_FOR, MEASURE_SAME_INITIALS, -1, 1},
	    {"a captured value that is an operand", OP_FOR, MEASURE_CAPTURE_OPERAND, -1, 1},
	    {"a captured value that is used after the loop", OP_WHILE, MEASURE_CAPTURE_LATER, -1, 1},
	    {"several carries of a while", OP_WHILE, MEASURE_CARRIES, -1, 3},
	    {"a while whose condition and body read one value", OP_WHILE, MEASURE_CONDITION_CAPTURES, -1, 1},
	    {"a scan of two per-iteration inputs", OP_SCAN, MEASURE_ROWS, -1, 2},
	    {"a scan that stacks rows", OP_SCAN, MEASURE_STACKED, -1, 2},
	    {"a scan that stacks a row unchanged", OP_SCAN, MEASURE_STACKS_ROW, -1, 1},
	    {"a scan that carries a row on", OP_SCAN, MEASURE_NEXT_IS_ROW, -1, 1},
	    {"branches that hand on one value", OP_COND, MEASURE_BRANCHES_HAND_ON, -1, 1},
	    {"a branch that hands on", OP_COND, MEASURE_HANDS_ON, -1, 1},
	    {"a branch that alone captures", OP_COND, MEASURE_BRANCH_ALONE, -1, 1},
	    {"branches that share", OP_COND, MEASURE_BRANCHES_SHARE, -1, 1},
	    {"a value that is captured and used before", OP_CHECKPOINT, MEASURE_CAPTURE_EARLIER, -1, 1},
	    {"a value that a region reads twice", OP_CHECKPOINT, MEASURE_CAPTURE_READS, -1, 2},
	    {"a later result of a custom", OP_CUSTOM, MEASURE_LATER_RESULT, -1, 1},
	    {"a step that reads a value from outside", OP_FIXED_POINT, MEASURE_STEP_READS, -1, 1},
	    {"a region that reads a value from outside", OP_SCATTER_APPLY, MEASURE_CAPTURES, -1, 1},
	    {"numbers inside the domain", OP_ASIN, MEASURE_BELOW_ONE, 0, 1},
	};
	const struct testcase c = test_function(a, "x: f64[2], z: f64[]", "y = add x, z", "[1, 2], 3", "vjp");
	struct bench b;
	struct lab l;

	if (!open_lab(&l, &b, "tape", &c, a))
		return;
	for (size_t i = 0; i < sizeof freedoms / sizeof *freedoms; i++) {
		if (!row_wanted("%s", freedoms[i].name))
			continue;
		CHECK(most_of(&l, freedoms[i].op, freedoms[i].id, freedoms[i].operand) >= freedoms[i].least, "%s",
		    freedoms[i].name);
	}
	close_lab(&l);
}

/* Other ops make and read the operand where the smallest case has another op, and only there. */
static void test_others(struct arena *a)
{
	static const enum measure_id ids[] = {MEASURE_EXPANDED, MEASURE_IS_VIEW, MEASURE_COMPUTED, MEASURE_LATER_USED};
	static const char *const bodies[] = {"y = reverse x axes=[0]", "w = sin x\ny = reverse w axes=[1]"};

	for (int others = 0; others < 2; others++) {
		const struct testcase c = test_function(a, "x: f64[2,2]", bodies[others], "[1, 2, 3, 4]", "vjp");
		struct bench b;
		struct lab l;

		if (!open_lab(&l, &b, "tape", &c, a))
			return;
		for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
			CHECK((most_of(&l, OP_REVERSE, ids[i], 0) >= 1) == others, "measure %d of \"%s\"", (int)ids[i],
			    bodies[others]);
		close_lab(&l);
	}
}

/* Every draw is a valid case with the request of the base.  A chain is drawn only if the typical case has one. */
static void test_draws(struct arena *a)
{
	static const struct {
		const char *body;
		bool several;
	} bodies[] = {{"y = reverse x axes=[0]", false}, {"w = reverse x axes=[0]\ny = reverse w axes=[1]", true}};

	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		const struct testcase c = test_function(a, "x: f64[2,2]", bodies[i].body, "[1, 2, 3, 4]", "vjp");
		int valid = 0, several = 0, n = 0;
		struct bench b;
		struct lab l;

		if (!open_lab(&l, &b, "tape", &c, a))
			return;
		for (int k = 0; k < DRAWS; k++) {
			struct testcase drawn;

			if (!lab_draw_alone(&l, OP_REVERSE, k, &drawn))
				continue;
			n++;
			valid += testcase_check(&drawn, NULL) && lab_same_request(&l, &drawn);
			several += program_nodes(&drawn.program) > 1;
		}
		CHECK(n > DRAWS / 2 && valid == n, "%d of %d", valid, n);
		CHECK((several > 0) == bodies[i].several, "%d with several nodes", several);
		close_lab(&l);
	}
}

/* Draws of ops with regions are valid cases, decided, and a right engine agrees; each way to differentiate occurs. */
static void test_regions(struct arena *a)
{
	static const enum op ops[] = {
	    OP_FOR, OP_WHILE, OP_SCAN, OP_COND, OP_CHECKPOINT, OP_CUSTOM, OP_FIXED_POINT, OP_SCATTER_APPLY};
	static const char *const engines[] = {"functional", "forward"};

	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
		const struct testcase c = test_function(a, "x: f64[]", "y = sin x", "1", k ? "jvp" : "vjp");
		struct bench b;
		struct lab l;

		if (!open_lab(&l, &b, engines[k], &c, a))
			return;
		for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
			int drawn = 0, agree = 0, some = 0;

			for (int n = 0; n < DRAWS / 4; n++) {
				struct testcase t;
				struct bench_result r;

				if (!lab_draw_alone(&l, ops[i], n, &t))
					continue;
				drawn++;
				some += t.transform[0].n_wrt < t.program.top.n_param;
				bench_judge(&b, &t, &l.scratch, &r);
				agree += r.judgement[0].verdict == VERDICT_AGREE;
			}
			CHECK(drawn > DRAWS / 5 && agree > drawn * 9 / 10 && some && some < drawn, "%s: %d, %d, %d",
			    op_table[ops[i]].name, drawn, agree, some);
		}
		close_lab(&l);
	}
}

/* An op that the typical case has in a loop is drawn there too. */
static void test_nested(struct arena *a)
{
	static const struct {
		const char *body;
		bool inside;
	} rows[] = {
	    {"q = gt x, 0\ny = cond q { yield x } else { s = sin x; yield s }", false},
	    {"y = for (x) trip=2 { params i, c; q = gt c, 0; "
	     "w = cond q { yield c } else { s = sin c; yield s }; yield w }",
	        true},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct testcase c = test_function(a, "x: f64[]", rows[i].body, "1", "vjp");
		int inside = 0;
		struct bench b;
		struct lab l;

		if (!open_lab(&l, &b, "tape", &c, a))
			return;
		for (int k = 0; k < DRAWS / 4; k++) {
			struct testcase drawn;

			if (lab_draw_alone(&l, OP_COND, k, &drawn))
				inside += region_has_op(&drawn.program.top, OP_FOR);
		}
		CHECK((inside > 0) == rows[i].inside, "%d inside a loop", inside);
		close_lab(&l);
	}
}

/* An operand that is right in the typical case is wrong in other programs; a clause that others refute goes. */
static void test_refuted(const struct oracle_options *o, struct arena *a)
{
	static const struct {
		const char *engine, *smallest, *experiments, *says, *says_not;
	} of_rows[] = {
	    {"functional+customjvp-unbroadcast", "corpus/zoo/customjvp-unbroadcast-functional.json",
	        "contributions,alone",
	        "In other programs the gradient with respect to the first operand of mul is wrong too.", "it is right"},
	    {"functional+customjvp-unbroadcast", "corpus/zoo/customjvp-unbroadcast-functional.json", "contributions",
	        "With respect to the first operand of mul it is right.", "In other programs"},
	    {"aot+torch-cumprod-jvp2", "corpus/zoo/torch-cumprod-jvp2-aot.json", "contributions,alone",
	        "It fails where an element that cumprod combines with later ones is 0.", "whose product is taken"},
	    {"forward+packed-atan2", "corpus/documents/mlx-atan2-jvp-traced-constant.json", "contributions,alone",
	        "where the operands of atan2 have one shape.", "rank"},
	    {"tape+torch-gather-dup", "corpus/zoo/torch-gather-dup.json", "contributions,alone",
	        "It fails where an index occurs twice.", "mostly"},
	};

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		const struct characterize_options only = {.experiments = of_rows[i].experiments};
		struct characterization x;
		struct error e = {0};
		struct testcase c;
		struct bench b;

		if (!row_wanted("%s", of_rows[i].says))
			continue;
		CHECK(testcase_read_file(of_rows[i].smallest, a, &c, &e), "%s", e.text);
		CHECK(bench_open(&b, &of_rows[i].engine, 1, o, &e), "%s", e.text);
		CHECK(characterize(&b, of_rows[i].engine, &c, &only, a, &x, &e), "%s", e.text);
		CHECK(x.cause && strstr(x.cause, of_rows[i].says) && !strstr(x.cause, of_rows[i].says_not), "%s",
		    x.cause ? x.cause : "nothing");
		bench_close(&b);
	}
}

int main(int argc, char **argv)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 512 << 20);
	test_freedom(&a);
	test_others(&a);
	test_draws(&a);
	test_regions(&a);
	test_nested(&a);
	test_refuted(&options, &a);
	arena_free(&a);
	return check_done();
}

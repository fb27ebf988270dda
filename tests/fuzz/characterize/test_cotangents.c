/* What is due by an operand, element by element; variants that may be right by accident. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "fuzz/characterize/lab.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

static bool open_lab(struct lab *l, const struct testcase *c, struct arena *a)
{
	struct error e = {0};

	*l = (struct lab){.base = c, .typical = c, .arena = a};
	l->primal = engine_open("aot", &e);
	l->forward = engine_open("aot", &e);
	CHECK(l->primal && l->forward, "%s", e.text);
	arena_init(&l->scratch, 64 << 20);
	return l->primal && l->forward;
}

static void close_lab(struct lab *l)
{
	engine_close(l->primal);
	engine_close(l->forward);
	arena_free(&l->scratch);
}

/* A lab that runs experiments of its own. */
struct running {
	struct lab lab;
	struct bench bench;
	struct characterization out;
	struct variant_table table;
};

static bool open_running(
    struct running *x, const char *spec, const char *table, const struct testcase *c, struct arena *a)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = INT_MAX};
	struct error e = {0};
	struct lab *l = &x->lab;

	*x = (struct running){.table = {.id = table}};
	if (!open_lab(l, c, a))
		return false;
	CHECK(bench_open(&x->bench, &spec, 1, &o, &e), "%s", e.text);
	arena_init(&l->work, 64 << 20);
	l->bench = &x->bench;
	l->out = &x->out;
	l->table = &x->table;
	l->until = INT64_MAX;
	l->deadline = INFINITY;
	l->focus = -1;
	l->asks = 1;
	l->apart = true;
	return true;
}

static void close_running(struct running *x)
{
	arena_free(&x->lab.work);
	close_lab(&x->lab);
	bench_close(&x->bench);
}

/* Where nothing is due, an operand that gets 0 shows nothing. */
static void test_due(struct arena *a)
{
	static const struct {
		const char *body, *role;
		enum op op;
		bool drops, known, flows[2];
	} rows[] = {
	    {"y = pow x, z", "exponent of pow", OP_POW, true, true, {false, true}},
	    {"y = pow x, z", "base of pow", OP_POW, true, true, {true, true}},
	    {"y = pow x, z", "exponent of pow", OP_POW, false, false, {false, false}},
	    {"y = max x, z", "first operand of max", OP_MAX, true, true, {false, false}},
	    {"y = max x, z", "second operand of max", OP_MAX, true, true, {true, true}},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct testcase c = test_function(
		    a, "x: f64[2], z: f64[2]", rows[i].body, "[1, 2], [3, 4]", "vjp");
		const struct known_cotangents *known;
		struct lab l;

		if (!row_wanted("%s: %s, %d", rows[i].body, rows[i].role, rows[i].drops) || !open_lab(&l, &c, a))
			continue;
		l.n_blamed = 1;
		l.blamed[0] = (struct blamed){rows[i].op, rows[i].role, false};
		l.drops = rows[i].drops;
		known = lab_cotangents(&l, &c);
		CHECK(known && known->n == 1 && (known->of[0].due != NULL) == rows[i].known, "known");
		for (int k = 0; known && known->of[0].due && k < 2; k++)
			CHECK((fabs(known->of[0].due->at[k].f) > 1e-6) == rows[i].flows[k], "%g",
			    known->of[0].due->at[k].f);
		close_lab(&l);
	}
}

/* Operands that depend on one input may be right by accident, if several are to blame. */
static void test_shared(struct arena *a)
{
	static const struct {
		const char *body;
		int n_blamed;
		bool shares;
	} rows[] = {
	    {"y = concatenate x, x axis=0", 2, true},
	    {"w = reverse x axes=[0]\ny = concatenate x, w axis=0", 2, true},
	    {"y = concatenate x, z axis=0", 2, false},
	    {"y = concatenate x, x axis=0", 1, false},
	    {"w = mul x, x\ny = concatenate w, z axis=0", 2, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct testcase c = test_function(
		    a, "x: f64[2], z: f64[2]", rows[i].body, "[1, 2], [3, 4]", "vjp");
		struct lab l;

		if (!row_wanted("%s, %d", rows[i].body, rows[i].n_blamed) || !open_lab(&l, &c, a))
			continue;
		l.n_blamed = rows[i].n_blamed;
		l.blamed[0] = (struct blamed){OP_CONCATENATE, "first operand of concatenate", false};
		l.blamed[1] = (struct blamed){OP_CONCATENATE, "second operand of concatenate", false};
		CHECK(lab_shares_operands(&l, &c) == rows[i].shares, "shares");
		close_lab(&l);
	}
}

/* Variants that were added before it was known which op is to blame get their cotangents. */
static void test_measured_again(struct arena *a)
{
	enum { VARIANTS_ADDED = 24 };
	static const struct blamed blamed = {OP_SIN, "operand of sin", false};
	const struct testcase *cases[VARIANTS_ADDED];
	struct characterization out = {.n_case = VARIANTS_ADDED - 2, .cases = cases + 2};
	struct explained told;
	struct lab l;

	for (int i = 0; i < VARIANTS_ADDED; i++) {
		struct testcase *c = NEW(a, struct testcase, 1);

		*c = test_function(a, "x: f64[]", "y = sin x", arena_printf(a, "%g", 0.5 + i % 3),
		    arena_printf(a, "vjp; cotangents %d", i % 2 || !i ? -1 - i : 1 + i));
		cases[i] = c;
	}
	if (!open_lab(&l, cases[1], a))
		return;
	l.typical = cases[0];
	l.out = &out;
	l.samples = 2;
	l.explain = explanation_open();
	explanation_about(l.explain, l.base);
	explanation_aside(l.explain, true, false);
	for (int i = 0; i < VARIANTS_ADDED; i++) {
		explanation_certain(l.explain, i < 2);
		explanation_add(l.explain, cases[i], NULL, false, false, i % 2 || !i ? OUTCOME_FAILS : OUTCOME_PASSES,
		    i - 2, &l.scratch);
	}
	for (int again = 0; again < 2; again++) {
		l.n_blamed = again;
		l.blamed[0] = blamed;
		if (again)
			lab_measure_again(&l);
		explanation_tell(l.explain, &blamed, 1, a, &told);
		CHECK(told.determined == again &&
		        (!again ||
		            !strcmp(explanation_text(&told, a),
		                "It fails where an element of the cotangent of sin is negative.")),
		    "%d: %s", again, explanation_text(&told, a));
	}
	explanation_close(l.explain);
	close_lab(&l);
}

/* What is turned to tell places from numbers: the elements of inputs, and those of cotangents.  By 3 places, of 5
 * to 7: no number stays, and of every other one some get to odd places. */
static void test_turned(struct arena *a)
{
	const struct testcase c = test_function(
	    a, "x: f64[3]", "y = sin x", "[1, 2, 3]", "vjp; cotangents [0.5, 0.25, 0.125]");
	struct running x;
	int turned = 0;

	if (!open_running(&x, "tape", "positions", &c, a))
		return;
	x.lab.n_blamed = 1;
	x.lab.blamed[0] = (struct blamed){OP_SIN, "operand of sin", false};
	experiment_positions(&x.lab);
	for (int i = 0; i + 1 < x.table.n_row; i += 2) {
		const struct testcase *is = x.out.cases[x.table.row[i].case_number],
		                      *was = x.out.cases[x.table.row[i + 1].case_number];
		const int n = shape_elements(&is->point[0][0].type.shape);

		for (int k = 0; k < n; k++)
			turned += is->point[0][0].at[(k + 3) % n].f == was->point[0][0].at[k].f &&
			    is->transform[0].seed[0].at[(k + 3) % n].f == was->transform[0].seed[0].at[k].f;
	}
	CHECK(x.table.n_row == 6 && turned == 5 + 6 + 7, "%d rows, %d elements", x.table.n_row, turned);
	close_running(&x);
}

/* At a tie a derivative is right if it is so by any convention, though that by another operand is wrong. */
static void test_conventions(struct arena *a)
{
	const struct testcase c = test_function(a, "x: f64[2], z: f64[2]", "y = max x, z", "[1, 5], [1, 3]", "vjp");
	struct running x;
	int rows[2] = {0};

	if (!open_running(&x, "tape+scale:max.a:-1", "contributions", &c, a))
		return;
	x.lab.explain = explanation_open();
	experiment_contributions(&x.lab);
	for (int k = 0; k < x.table.n_row; k++) {
		const struct variant_row *r = &x.table.row[k];
		const bool second = !strcmp(r->cell[0], "second operand of max");

		if (strcmp(r->cell[1], "with the others") != 0)
			continue;
		CHECK(r->fails == !second, "row %d: %g, %g", k, r->expected, r->returned);
		rows[second]++;
	}
	CHECK(rows[0] && rows[1], "%d, %d", rows[0], rows[1]);
	explanation_close(x.lab.explain);
	close_running(&x);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	test_due(&a);
	test_shared(&a);
	CHECK_LAW(test_measured_again(&a));
	CHECK_LAW(test_turned(&a));
	CHECK_LAW(test_conventions(&a));
	arena_free(&a);
	return check_done();
}

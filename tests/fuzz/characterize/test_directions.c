/* Requests of several levels: through which inputs small programs fail; which engines the experiments rely on. */
#include <limits.h>
#include <string.h>

#include "fuzz/characterize/directions.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* Of two levels: each form with its ops, and the row of all directions at once. */
enum { PAIRS = 9, ROWS = 2 * (1 + 1) + 2 * (PAIRS + 1) + 2 * (3 * PAIRS + 1) + 2 * (PAIRS + 1) + 3 * (4 + 1) };

/* How many times what is right an engine returns, by the inputs of both levels and the result. */
typedef double returns_fn(const struct direction_form *f, int op, int inner, int outer, int result);

static double right(const struct direction_form *f, int op, int inner, int outer, int result)
{
	return f && op >= 0 && inner >= 0 && outer >= 0 && result >= 0 ? 1 : 0;
}

#define RETURNS(name, expression) \
	static double name(const struct direction_form *f, int op, int i, int o, int r) \
	{ \
		(void)f, (void)op, (void)i, (void)o, (void)r; \
		return expression; \
	}
RETURNS(inner_later, i > 0 ? 0 : 1)
RETURNS(outer_later, o > 0 ? 0.25 : 1)
RETURNS(inner_first, i ? 1 : 0)
RETURNS(inner_last, i == f->inputs - 1 ? 0 : 1)
RETURNS(not_last, o == f->inputs - 1 ? 1 : 0)
RETURNS(differ, i != o ? 0 : 1)
RETURNS(alike, i == o ? 0 : 1)
RETURNS(earlier, o < i ? 0 : 1)
RETURNS(never_right, 0.125 * (1 + i + o))
RETURNS(never_there, 0)
RETURNS(either_later, i > 0 || o > 0 ? 0 : 1)
RETURNS(both_later, i > 0 && o > 0 ? 0 : 1)
RETURNS(one_op_alone, op ? 1 : 0)
RETURNS(no_pattern, i == 0 && o != 1 ? 0 : 1)
RETURNS(result_later, r > 0 ? 0 : 1)
RETURNS(result_and_outer, r > 0 && o > 0 ? 0 : 1)
RETURNS(chain, f->chain ? 0 : 1)
RETURNS(sum, f->inputs > 1 && !f->binary ? 0 : 1)
RETURNS(seed_of_one, 1 / direction_seed[1])
RETURNS(second_operand, f->binary &&o ? 0 : 1)
RETURNS(other_direction, direction_weight[i] * direction_seed[0] / (direction_weight[o] * direction_seed[1]))
RETURNS(other_input, direction_weight[o] / direction_weight[i])

struct pattern_row {
	returns_fn *returns;
	enum transform_kind kind[2];
	bool together;    /* all directions at once fail, though each is right */
	const char *says; /* NULL: nothing */
};

static struct variant_row row_of(
    struct arena *a, const struct direction_form *f, enum op op, const char *list, const char *result, double returned)
{
	const char **cell = NEW(a, const char *, DIRECTION_COLUMNS);

	cell[DIRECTION_FORM] = f->name;
	cell[DIRECTION_OP] = op_table[op].name;
	cell[DIRECTION_LIST] = list;
	cell[DIRECTION_RESULT] = result;
	return (struct variant_row){
	    .cell = cell, .of = "it", .expected = 2, .returned = 2 * returned, .decided = true, .fails = returned != 1};
}

static void add_rows(struct arena *a, struct variant_table *t, const struct lab *l, const struct pattern_row *p)
{
	for (int k = 0; k < DIRECTION_FORMS; k++) {
		const struct direction_form *f = &direction_forms[k];
		enum op op[DIRECTION_OPS];
		const int n = direction_ops(l, f, op);

		for (int at = 0; at < n; at++) {
			bool right_by_each = !p->together;

			for (int i = 0; i < f->inputs; i++)
				for (int o = 0; o < f->inputs; o++)
					for (int r = 0; r < f->results; r++) {
						const double x = p->returns(f, at, i, o, r);

						right_by_each &= x == 1;
						t->row[t->n_row++] = row_of(a, f, op[at],
						    arena_printf(a, "%d, %d", i, o), arena_printf(a, "%d", r), x);
					}
			t->row[t->n_row++] = row_of(a, f, op[at], DIRECTION_ALL, DIRECTION_ALL, right_by_each);
		}
	}
}

static void test_patterns(struct arena *a)
{
	static const struct pattern_row rows[] = {
	    {right, {0}, false, NULL},
	    {inner_later, {0}, false,
	        "exp fail alike, where the inner level differentiates an input after the first; it returns 0 there."},
	    {outer_later, {0}, false, "alike, where the outer level differentiates an input after the first."},
	    {inner_first, {0}, false, "where the inner level differentiates the first input; it returns 0"},
	    {inner_last, {0}, false, "where the inner level differentiates the last input; it returns 0"},
	    {not_last, {0}, false, "where the outer level differentiates an input before the last; it returns 0"},
	    {differ, {0}, false, "where the inner level differentiates another input than the outer one; it"},
	    {alike, {0}, false, "where the inner level differentiates the same input as the outer one; it"},
	    {earlier, {0}, false, "where the inner level differentiates a later input than the outer one; it"},
	    {never_right, {0}, false, "alike, whichever inputs the levels differentiate."},
	    {never_there, {0}, false, "alike, whichever inputs the levels differentiate; it returns 0 there."},
	    {either_later, {0}, false,
	        "the inner level differentiates an input after the first, or where the outer level "
	        "differentiates an input after the first"},
	    {both_later, {0}, false,
	        "the inner level differentiates an input after the first, and where the outer level "
	        "differentiates an input after the first"},
	    {one_op_alone, {0}, false, NULL},
	    {no_pattern, {0}, false, NULL},
	    {result_later, {0}, false,
	        "With one result, sin and exp are right. With several, the operation does not matter: "
	        "sin and exp fail alike, where a result after the first is differentiated; it"},
	    {result_and_outer, {0}, false,
	        "differentiates an input after the first, and where a result after the first is"},
	    {chain, {0}, false,
	        "Alone, sin and exp are right. An operation on another one fails, whichever it is: sin of sin"},
	    {sum, {0}, false,
	        "Alone, sin and exp are right. On a sum of inputs, the operation does not matter: sin and exp "
	        "fail alike, whichever inputs the levels differentiate; it returns 0 there."},
	    {seed_of_one, {0}, false,
	        "alike, whichever inputs the levels differentiate; the seed of the outer level is "
	        "taken to be 1."},
	    {second_operand, {0}, false,
	        "Of two operands, the operation does not matter: div, atan2 and pow fail alike, where "
	        "the outer level differentiates the second operand; it returns 0 there."},
	    {right, {0}, true, "where several inputs are differentiated at once, and are right by each alone."},
	    {other_direction, {TRANSFORM_JVP, TRANSFORM_JVP}, false,
	        "; the outer level takes the direction of the inner one."},
	    {other_direction, {TRANSFORM_JVP, TRANSFORM_VJP}, 1, "whichever inputs the levels differentiate."},
	    {other_input, {TRANSFORM_VJP, TRANSFORM_JVP}, false,
	        "the outer one; the inner level takes the direction of the outer"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct transform stack[] = {{.kind = rows[i].kind[0]}, {.kind = rows[i].kind[1]}};
		const struct testcase base = {.n_transform = 2, .transform = stack};
		struct variant_table t = {
		    .id = "directions", .n_column = DIRECTION_COLUMNS, .row = NEW(a, struct variant_row, 400)};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {.out = &out, .arena = a, .base = &base};
		const bool says = rows[i].says != NULL;

		add_rows(a, &t, &l, &rows[i]);
		lab_state_directions(&l);
		CHECK(out.n_statement == says && lab_fails_for_any_op(&l) == says &&
		        (!says || strstr(out.statement[0].text, rows[i].says)),
		    "row %zu: %s", i, out.n_statement ? out.statement[0].text : "nothing");
		t.n_row -= 2; /* of an op on another one */
		CHECK(lab_fails_for_any_op(&l) == (says && rows[i].returns != chain), "row %zu, incomplete", i);
		t.row[4].decided = false; /* of an op on a sum */
		CHECK(!lab_fails_for_any_op(&l), "row %zu, undecided", i);
	}
}

/* Every pair is asked of right engines, for each stack of two levels, and is right. */
static void test_asked(struct arena *a)
{
	static const char *const engines[] = {"aot", "tape"};
	static const enum transform_kind kinds[][2] = {{TRANSFORM_VJP, TRANSFORM_VJP}, {TRANSFORM_VJP, TRANSFORM_JVP},
	    {TRANSFORM_JVP, TRANSFORM_VJP}, {TRANSFORM_JVP, TRANSFORM_JVP}};
	const struct oracle_options o = {.seed = 1, .fd_one_in = INT_MAX};

	for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
		struct transform stack[] = {{.kind = kinds[i / 2][0]}, {.kind = kinds[i / 2][1]}};
		const struct testcase base = {.n_transform = 2, .transform = stack};
		struct variant_table t = {.id = "directions"};
		struct characterization out = {.n_table = 0};
		struct bench b;
		struct error e = {0};
		struct lab l = {.bench = &b,
		    .base = &base,
		    .typical = &base,
		    .arena = a,
		    .out = &out,
		    .table = &t,
		    .until = INT64_MAX,
		    .deadline = 1e300,
		    .focus = -1,
		    .asks = 1};

		if (i % 2 && stack[0].kind == TRANSFORM_JVP && stack[1].kind == TRANSFORM_JVP)
			continue; /* tape has no jvp of a jvp */
		if (!row_wanted("%s: %s, then %s", engines[i % 2], transform_names[stack[0].kind],
		        transform_names[stack[1].kind]))
			continue;
		CHECK(bench_open(&b, &engines[i % 2], 1, &o, &e) && lab_open_right(&l, &e), "%s", e.text);
		arena_init(&l.work, 64 << 20);
		arena_init(&l.scratch, 64 << 20);
		experiment_directions(&l);
		CHECK(t.n_row == ROWS, "%d rows", t.n_row);
		for (int k = 0; k < t.n_row; k++)
			CHECK(t.row[k].decided && !t.row[k].fails &&
			        (t.row[k].expected != 0 || !strcmp(t.row[k].cell[DIRECTION_OP], "div")),
			    "row %d: %g", k, t.row[k].expected);
		arena_free(&l.work);
		arena_free(&l.scratch);
		engine_close(l.primal);
		engine_close(l.forward);
		bench_close(&b);
	}
}

/* Ops that are not in the smallest case come first: that they fail too says that no op is to blame. */
static void test_ops(struct arena *a)
{
	static const struct {
		const char *body;
		bool binary;
		enum op first[2];
	} rows[] = {{"y = sin x", false, {OP_EXP, OP_COS}}, {"y = mul x, x", false, {OP_SIN, OP_EXP}},
	    {"y = div x, x", true, {OP_ATAN2, OP_POW}}, {"y = sin x", true, {OP_DIV, OP_ATAN2}}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct testcase c = test_function(a, "x: f64[]", rows[i].body, "0.5", "vjp");
		const struct lab l = {.base = &c};
		const struct direction_form f = {.binary = rows[i].binary};
		enum op op[DIRECTION_OPS];

		CHECK(direction_ops(&l, &f, op) >= 2 && op[0] == rows[i].first[0] && op[1] == rows[i].first[1],
		    "%s: %s, %s", rows[i].body, op_table[op[0]].name, op_table[op[1]].name);
	}
}

/* A product in the smallest case may be to blame itself where an operation reads another one. */
static void test_products(struct arena *a)
{
	static const struct {
		const char *body;
		returns_fn *returns;
		bool says;
	} rows[] = {{"y = sin x", chain, true}, {"y = mul x, x", chain, false}, {"y = mul x, x", inner_later, true},
	    {"y = mul x, x", second_operand, true}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct pattern_row row = {.returns = rows[i].returns};
		const struct testcase base = test_function(a, "x: f64[]", rows[i].body, "0.5", "vjp; then vjp");
		struct variant_table t = {
		    .id = "directions", .n_column = DIRECTION_COLUMNS, .row = NEW(a, struct variant_row, 400)};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {.out = &out, .arena = a, .base = &base};

		add_rows(a, &t, &l, &row);
		CHECK(lab_fails_for_any_op(&l) == rows[i].says, "row %zu", i);
	}
}

/* Where no op is to blame, the condition speaks of none. */
static void test_condition(struct arena *a)
{
	static const struct {
		const char *body, *sentence;
		bool told;
	} rows[] = {{"y = mul x, x", "two operands of mul are the same value", false},
	    {"y = mul x, x", "the program has several results", true},
	    {"y = sin x", "two operands of mul are the same value", true}, {"y = add x, x", "more is added", true}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct testcase base = test_function(a, "x: f64[]", rows[i].body, "0.5", "vjp; then vjp");
		struct statement said = {.id = "directions", .text = ""};
		struct condition c = {.n_term = 1, .term = {{"", rows[i].sentence, true}}, .text = "It fails."};
		struct characterization out = {.statement = &said, .n_statement = 1, .told = &c};
		struct lab l = {.out = &out, .arena = a, .base = &base, .told = &c};

		CHECK((*lab_about_condition(&l) != '\0') == rows[i].told, "%s: %s", rows[i].body, rows[i].sentence);
		said.id = "counts";
		CHECK(*lab_about_condition(&l), "%s: %s", rows[i].body, rows[i].sentence);
	}
}

static void test_right(void)
{
	static const char *const rows[][3] = {{"tape", "aot", "aot"}, {"functional+residual-fifo", "aot", "aot"},
	    {"compiled", "tape", "forward"}, {"forward", "tape", "aot"}};
	const struct oracle_options o = {.seed = 1, .fd_one_in = INT_MAX};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct bench b;
		struct error e = {0};
		struct lab l = {.bench = &b};

		CHECK(bench_open(&b, &rows[i][0], 1, &o, &e) && lab_open_right(&l, &e), "%s", e.text);
		CHECK(!strcmp(engine_name(l.primal), rows[i][1]) && !strcmp(engine_name(l.forward), rows[i][2]),
		    "%s: %s, %s", rows[i][0], engine_name(l.primal), engine_name(l.forward));
		engine_close(l.primal);
		engine_close(l.forward);
		bench_close(&b);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	CHECK_LAW(test_patterns(&a));
	test_asked(&a);
	CHECK_LAW(test_ops(&a));
	CHECK_LAW(test_products(&a));
	CHECK_LAW(test_condition(&a));
	CHECK_LAW(test_right());
	arena_free(&a);
	return check_done();
}

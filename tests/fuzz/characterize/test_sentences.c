/* What reports say about tables whose rows are written by hand. */
#include "fuzz/characterize/characterize.h"
#include "fuzz/characterize/lab.h"

#include <string.h>

#include "tests/check.h"
#include "tests/support/case_text.h"

/* A condition is not told twice, and nothing is called needed that the smallest case or other variants do without. */
static void test_told_once(struct arena *a)
{
	const struct testcase one = test_function(a, "x: f64[2]", "y = reduce_max x axes=[0]", "[1, 1]", "vjp"),
	                      two = test_function(a, "x: f64[], z: f64[]", "y = mul x, z", "1, 2", "vjp");
	struct statement counts = {"counts", "It is right with fewer than 2 elements that are the maximum."};
	struct condition tie = {.n_term = 1,
	    .text = "It fails where a maximum, minimum or clamp is at a tie.",
	    .term = {{"tie", "a maximum, minimum or clamp is at a tie", true}}};
	struct characterization out = {.n_statement = 1, .statement = &counts, .told = &tie};
	struct lab l = {.out = &out, .base = &one, .typical = &one, .told = &tie, .arena = a};

	CHECK(!*lab_about_condition(&l), "%s", lab_about_condition(&l));
	out.n_statement = 0;
	CHECK(strstr(lab_about_condition(&l), "is at a tie"), "%s", lab_about_condition(&l));

	/* at last, variants fail that lack what is needed */
	for (int k = 0; k < 3; k++) {
		struct characterization said = {0};
		struct lab needs = {
		    .out = &said, .base = k ? &two : &one, .typical = &two, .arena = a, .explain = explanation_open()};

		arena_init(&needs.scratch, 16 << 20);
		explanation_aside(needs.explain, true, false);
		for (int v = 0; k == 2 && v < 3; v++)
			explanation_add(needs.explain, &one, NULL, true, false, OUTCOME_FAILS, v, &needs.scratch);
		needs.needed[FEATURE_ALL_OPERANDS] = 1;
		lab_state_needed(&needs);
		CHECK(said.n_statement == (k == 1), "%d statements", said.n_statement);
		explanation_close(needs.explain);
		arena_free(&needs.scratch);
	}
}

/* What the cause says already is not called open. */
static void test_open(struct arena *a)
{
	static const struct {
		const char *stated, *says; /* NULL: none */
	} of_rows[] = {
	    {"counts", NULL},
	    {"carries", NULL},
	    {"needed", "What else it depends on in this program is not determined."},
	    {"forward", "What it depends on in this program is not determined."},
	};
	const struct testcase c = test_function(a, "x: f64[2]", "y = reduce_max x axes=[0]", "[1, 1]", "vjp");

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		struct condition separating = {.n_term = 1, .failing = 8, .passing = 8, .text = "It fails where x."};
		struct characterization out = {.condition = &separating};
		struct lab l = {
		    .out = &out, .base = &c, .typical = &c, .arena = a, .finding = {.verdict = VERDICT_WRONG}};
		const char *says = NULL;

		if (!row_wanted("open: %s", of_rows[i].stated))
			continue;
		arena_init(&l.work, 16 << 20);
		arena_init(&l.scratch, 16 << 20);
		lab_say(&l, of_rows[i].stated, STATEMENT_SHOWN, NULL, 0, "It is so.");
		lab_state(&l);
		arena_free(&l.work);
		arena_free(&l.scratch);
		for (int k = 0; k < out.n_statement; k++)
			if (!strcmp(out.statement[k].id, "condition"))
				says = out.statement[k].text;
		CHECK(of_rows[i].says ? says && strstr(says, of_rows[i].says) : !says, "%s: %s", of_rows[i].stated,
		    says ? says : "nothing");
	}
}

/* A row of table `inputs`, `batches` or `carries`. */
struct told_row {
	const char *cell[3];
	bool decided, fails;
};

/* What tables say whose rows are written by hand: the id of a statement, and a part of its text. */
static void test_statements(struct arena *a)
{
	enum { ROWS = 6 };
	static const struct {
		const char *name, *table, *request, *id, *says; /* says NULL: there is no such statement */
		struct told_row row[ROWS];
		enum verdict verdict; /* of the finding, where it matters */
	} of_rows[] = {
	    {"inputs of a wrong derivative", "inputs", "vjp", "inputs",
	        "In forward mode the derivative is wrong for every input (here: input 0).",
	        {{{"0", "jvp"}, true, true}}, VERDICT_WRONG},
	    {"inputs of a wrong value", "inputs", "vjp", "inputs",
	        "In forward mode the value is wrong, whichever inputs are differentiated (tried: 0, [0, 1]).",
	        {{{"0", "jvp"}, true, true}, {{"0, 1", "jvp"}, true, true}}, VERDICT_WRONG_PRIMAL},
	    {"inputs on which a wrong value depends", "inputs", "vjp", "inputs",
	        "In reverse mode the value is wrong where inputs 1 are differentiated, and right where inputs 0 are.",
	        {{{"0", "vjp"}, true, false}, {{"1", "vjp"}, true, true}}, VERDICT_WRONG_PRIMAL},
	    {"inputs of an answer of the wrong shape", "inputs", "vjp", "inputs",
	        "In reverse mode it fails where inputs 1 are differentiated, and is right where inputs 0.",
	        {{{"0", "vjp"}, true, false}, {{"1", "vjp"}, true, true}}, VERDICT_BAD_SHAPE},
	    {"a mixed derivative", "inputs", "vjp; then jvp", "mixed", "inputs 0 and 1 are together",
	        {{{"0", "vjp"}, true, false}, {{"1", "vjp"}, true, false}, {{"0, 1", "vjp"}, true, true}}},
	    {"a derivative by one input", "inputs", "vjp; then jvp", "mixed", NULL,
	        {{{"0", "vjp"}, true, true}, {{"1", "vjp"}, true, false}, {{"0, 1", "vjp"}, true, true}}},
	    {"one input is undecided", "inputs", "vjp; then jvp", "mixed", NULL,
	        {{{"0", "vjp"}, true, false}, {{"0", "jvp"}, true, false}, {{"1", "vjp"}, false, false},
	            {{"0, 1", "vjp"}, true, true}}},
	    {"a first derivative", "inputs", "vjp", "mixed", NULL,
	        {{{"0", "vjp"}, true, false}, {{"1", "vjp"}, true, false}, {{"0, 1", "vjp"}, true, true}}},
	    {"carries that are right exchanged", "carries", "vjp", "carries",
	        "with the first two carries of for exchanged",
	        {{{"smallest", "for", "the first two carries"}, true, false}}},
	    {"carries that are wrong in either order", "carries", "vjp", "carries", NULL,
	        {{{"smallest", "for", "the first two carries"}, true, true}}},
	    {"carries that are wrong in the typical case", "carries", "vjp", "carries", NULL,
	        {{{"smallest", "for", "the first two carries"}, true, false},
	            {{"typical", "for", "the first two carries"}, true, true}}},
	    {"integers that are right as floats", "carries", "vjp", "carries",
	        "where for has floats as its only carries, the same program is right",
	        {{{"smallest", "for", "integers, carried as floats"}, true, false}}},
	    {"a counter that is right", "carries", "vjp", "carries",
	        "where for has a carry that counts the iterations, the same program is right",
	        {{{"smallest", "for", "the iteration number, now a carry"}, true, false}}},
	    {"a counter that is wrong in the typical case", "carries", "vjp", "carries", NULL,
	        {{{"smallest", "for", "the iteration number, now a carry"}, true, false},
	            {{"typical", "for", "the iteration number, now a carry"}, true, true}}},
	    {"one of the modes of order 2", "orders", "jvp; then vjp", "stacks",
	        "It fails as a jvp, then vjp, and is right as a vjp, then vjp.",
	        {{{"as it is", "jvp, then vjp", "2"}, true, true}, {{"as it is", "vjp, then vjp", "2"}, true, false}}},
	    {"all modes of order 2", "orders", "jvp; then vjp", "stacks", NULL,
	        {{{"as it is", "jvp, then vjp", "2"}, true, true}, {{"as it is", "vjp, then vjp", "2"}, true, true},
	            {{"as it is", "vjp, then vjp", "1"}, true, false}}},
	    {"order 1", "orders", "vjp", "stacks", NULL,
	        {{{"as it is", "jvp, then vjp", "2"}, true, true}, {{"as it is", "vjp, then vjp", "2"}, true, false}}},
	    {"a single op that is wrong at other numbers", "operands", "vjp", "operands",
	        "Single ops are right at the numbers of table Ops alone, whichever",
	        {{{"div", "a", "vjp"}, true, false}}},
	    {"points that are right alone", "single_points", "vjp", "single-points",
	        "It needs its 2 points: each of them alone is right",
	        {{{"0", "started anew"}, true, false}, {{"1", "started anew"}, true, false}}},
	    {"a point that is wrong alone", "single_points", "vjp", "single-points", NULL,
	        {{{"0", "started anew"}, true, false}, {{"1", "started anew"}, true, true}}},
	    {"a point that is undecided alone", "single_points", "vjp", "single-points", NULL,
	        {{{"0", "started anew"}, true, false}, {{"1", "started anew"}, false, false}}},
	    {"directions", "seeds", "vjp", "seeds", "it fails for all 2 directions drawn.",
	        {{{"1", "direction"}, true, true}, {{"2", "direction"}, true, true}}},
	    {"directions that are undecided", "seeds", "vjp", "seeds",
	        "it fails for all 2 directions drawn that were decided (1 was not).",
	        {{{"1", "direction"}, true, true}, {{"2", "direction"}, true, true},
	            {{"3", "direction"}, false, false}}},
	    {"slices that are right", "batches", "vjp; then batch x; 2 slices", "in-batch", "each slice alone is right",
	        {{{"slice 0", ""}, true, false}, {{"slice 1", ""}, true, false}}},
	    {"a slice that is undecided", "batches", "vjp; then batch x; 2 slices", "in-batch", NULL,
	        {{{"slice 0", ""}, true, false}, {{"slice 1", ""}, false, false}}},
	    {"a slice that is wrong", "batches", "vjp; then batch x; 2 slices", "batches", "fails without a batch",
	        {{{"slice 0", ""}, true, false}, {{"slice 1", ""}, true, true}}},
	};

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		const bool batched = strstr(of_rows[i].request, "batch") != NULL;
		const struct testcase c = test_function(
		    a, "x: f64[]", "y = sin x", batched ? "[1, 2]" : "1", of_rows[i].request);
		struct variant_row row[ROWS] = {{0}};
		struct variant_table t = {.id = of_rows[i].table, .n_column = 3, .row = row};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {
		    .out = &out, .base = &c, .typical = &c, .arena = a, .finding = {.verdict = of_rows[i].verdict}};
		const char *says = NULL;

		if (!row_wanted("%s", of_rows[i].name))
			continue;
		for (; t.n_row < ROWS && of_rows[i].row[t.n_row].cell[0]; t.n_row++)
			row[t.n_row] = (struct variant_row){
			    .cell = (const char **)(uintptr_t)of_rows[i].row[t.n_row].cell,
			    .decided = of_rows[i].row[t.n_row].decided,
			    .of = "result 0",
			    .expected = 1,
			    .fails = of_rows[i].row[t.n_row].fails};
		for (int k = 0; lab_state_table(&l, k); k++)
			;
		for (int k = 0; k < out.n_statement; k++)
			if (!strcmp(out.statement[k].id, of_rows[i].id))
				says = out.statement[k].text;
		CHECK(of_rows[i].says ? says && strstr(says, of_rows[i].says) : !says, "%s: %s", of_rows[i].name,
		    says ? says : "nothing");
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	test_told_once(&a);
	test_open(&a);
	test_statements(&a);
	arena_free(&a);
	return check_done();
}

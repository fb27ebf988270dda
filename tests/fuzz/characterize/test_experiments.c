/* Experiments that make programs of their own: small loops, relatives of an op to blame, scalars.  Single seeds. */
#include "fuzz/characterize/characterize.h"
#include "fuzz/characterize/lab.h"

#include <limits.h>
#include <string.h>

#include "tests/check.h"
#include "tests/support/case_text.h"

/* What is said of small loops, by those that fail: the text is in one of their cells. */
static void test_small_loops(struct arena *a)
{
	enum { ROWS = 96, COLUMNS = 4, NAMES = 2 };
	static const char *const loops[] = {"for", "scan"},
	                         *const ends[] = {"fixed trip count", "until, early", "until, in the last iteration",
	                             "until, never true"},
	                         *const operands[] = {"captured value", "first initial carry"},
	                         *const results[] = {"first final carry", "second final carry", "stacked row 0",
	                             "stacked row 1", "stacked row 2", "stacked row 3"};
	static const struct {
		const char *name, *fails[NAMES], *says; /* a row fails if one of its cells has one of these texts */
	} of_rows[] = {
	    {"a stacked output", {"stacked"}, "A small loop fails only through its stacked output."},
	    {"the first row", {"row 0"}, "A small loop fails only through the first row of its stacked output."},
	    {"the last row", {"row 3"}, "A small loop fails only through the last row of its stacked output."},
	    {"final carries", {"final"}, "A small loop fails only through its final carries."},
	    {"a captured value", {"captured"}, "A small loop fails only with respect to the value that it captures."},
	    {"one kind", {"scan"}, "A small loop fails only as scan."},
	    {"an early end", {"early"}, "A small loop fails only where it ends before its limit."},
	    {"until", {"early", "last iteration"}, "A small loop fails only where until becomes true."},
	    {"rows without a name", {"row 1", "row 2"}, NULL},
	    {"all", {""}, NULL},
	};
	const struct testcase c = test_function(a, "x: f64[]", "y = sin x", "1", "vjp");

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		struct variant_row row[ROWS] = {{0}};
		struct variant_table t = {.id = "small_loops", .n_column = COLUMNS, .row = row, .n_row = ROWS};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {.out = &out, .base = &c, .typical = &c, .arena = a};
		const char *cell[ROWS][COLUMNS];

		if (!row_wanted("%s", of_rows[i].name))
			continue;
		for (int k = 0; k < ROWS; k++) {
			row[k] = (struct variant_row){
			    .cell = cell[k], .decided = true, .of = "result 0", .expected = 1};
			cell[k][0] = loops[k % 2];
			cell[k][1] = ends[k / 2 % 4];
			cell[k][2] = operands[k / 8 % 2];
			cell[k][3] = results[k / 16];
			for (int w = 0; w < COLUMNS; w++)
				for (int n = 0; n < NAMES && of_rows[i].fails[n]; n++)
					row[k].fails |= strstr(cell[k][w], of_rows[i].fails[n]) != NULL;
		}
		lab_state_small_loops(&l);
		CHECK(of_rows[i].says ? out.n_statement && !strcmp(out.statement[0].text, of_rows[i].says)
		                      : !out.n_statement,
		    "%s: %s", of_rows[i].name, out.n_statement ? out.statement[0].text : "nothing");
	}
}

/* A ratio that grows with the trip count is explained only if steps that add alike have it too. */
static void test_laws(struct arena *a)
{
	enum { TRIPS = 4, ROWS = 2 * TRIPS };
	static const struct {
		const char *name, *body;
		double body_ratio; /* of what is returned to n, in loops with that body of n iterations */
		bool says;
	} of_rows[] = {
	    {"confirmed", "c + x", 1, true},
	    {"another ratio", "c + x", 0.5, false},
	    {"another body", "c * x", 1, false},
	};
	const struct testcase c = test_function(a, "x: f64[]", "y = sin x", "1", "vjp");

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		struct variant_row row[ROWS];
		struct variant_table t[] = {{.id = "trips", .n_column = 2, .row = row, .n_row = TRIPS},
		    {.id = "bodies", .n_column = 2, .row = row + TRIPS, .n_row = TRIPS}};
		struct characterization out = {.n_table = 2, .table = t};
		struct lab l = {.out = &out, .base = &c, .typical = &c, .arena = a};
		const char *cell[ROWS][2];

		if (!row_wanted("%s", of_rows[i].name))
			continue;
		for (int k = 0; k < ROWS; k++) {
			const int n = 2 + k % TRIPS;

			cell[k][0] = k < TRIPS ? "0 (for)" : of_rows[i].body;
			cell[k][1] = arena_printf(a, "%d", n);
			row[k] = (struct variant_row){.cell = cell[k],
			    .decided = true,
			    .fails = true,
			    .of = "cotangent of input 0",
			    .expected = 1,
			    .returned = k < TRIPS ? n : n * of_rows[i].body_ratio};
		}
		lab_state_counts(&l);
		CHECK((out.n_statement > 0) == of_rows[i].says, "%s: %s", of_rows[i].name,
		    out.n_statement ? out.statement[0].text : "nothing");
	}
}

/* Another op of the family is tried with the numbers as they are, and with the other sign. */
static void test_relatives_numbers(const struct oracle_options *o, struct arena *a)
{
	static const char *const engine = "tape+scale:reduce_max:1.5";
	const struct characterize_options only = {.experiments = "relatives"};
	const struct testcase c = test_function(a, "x: f64[3]", "y = reduce_max x axes=[0]", "[1, -2, 3]", "vjp");
	struct characterization x;
	struct error e = {0};
	struct bench b;
	int rows_of_min = 0, at_negated = 0;

	CHECK(bench_open(&b, &engine, 1, o, &e), "%s", e.text);
	CHECK(characterize(&b, engine, &c, &only, a, &x, &e), "%s", e.text);
	for (int i = 0; i < x.table->n_row; i++) {
		const struct variant_row *r = &x.table->row[i];

		rows_of_min += !strcmp(r->cell[1], "reduce_min");
		at_negated += !strcmp(r->cell[1], "reduce_min") &&
		    x.cases[r->case_number]->point[0][0].at[0].f == -c.point[0][0].at[0].f;
	}
	CHECK(rows_of_min && at_negated, "%d rows, %d negated", rows_of_min, at_negated);
	bench_close(&b);
}

/* An elementwise op to blame is judged on scalars of both signs, equal ones and zeros too; other ops are not. */
static void test_grid(const struct oracle_options *o, struct arena *a)
{
	static const struct {
		const char *engine, *inputs, *body, *point, *operands; /* those of a row; NULL: there is no table */
		bool fails;
	} of_rows[] = {
	    {"tape+scale:max.a:1.5", "x: f64[2], z: f64[2]", "y = max x, z", "[1, 2], [3, 1]", "2, -2", true},
	    {"tape+scale:max.a:1.5", "x: f64[2], z: f64[2]", "y = max x, z", "[1, 2], [3, 1]", "-2, 2", false},
	    {"tape+scale:clamp.b:0", "x: f64[]", "y = clamp 1, x, 3", "2", "0.5, 2, 0.5", false},
	    {"tape+scale:sin:2", "x: f64[]", "y = sin x", "2", "-100", true},
	    {"tape+scale:reduce_max:1.5", "x: f64[3]", "y = reduce_max x axes=[0]", "[1, -2, 3]", NULL, false},
	};

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		const struct characterize_options only = {.experiments = "grid"};
		const struct testcase c = test_function(a, of_rows[i].inputs, of_rows[i].body, of_rows[i].point, "vjp");
		const struct variant_row *found = NULL;
		struct characterization x;
		struct error e = {0};
		struct bench b;

		CHECK(bench_open(&b, &of_rows[i].engine, 1, o, &e), "%s", e.text);
		CHECK(characterize(&b, of_rows[i].engine, &c, &only, a, &x, &e), "%s", e.text);
		for (int k = 0; x.n_table && of_rows[i].operands && k < x.table->n_row; k++)
			if (!strcmp(x.table->row[k].cell[1], of_rows[i].operands))
				found = &x.table->row[k];
		CHECK(of_rows[i].operands ? found && found->fails == of_rows[i].fails : !x.n_table, "%s: %s",
		    of_rows[i].engine, of_rows[i].operands ? of_rows[i].operands : "a table");
		bench_close(&b);
	}
}

/* Tangents in one element: which are handed on wrongly, and how many rows there are. */
static void test_single_seeds(const struct oracle_options *o, struct arena *a)
{
	enum { PLACES_TRIED = 5, ROWS = 2 * PLACES_TRIED };
	static const struct {
		const char *fails, *says; /* the places that fail */
		const char *turned;       /* with the numbers turned, if others than that */
		const char *zero;         /* the places where 0 is right */
	} of_rows[] = {
	    {"0", "it fails only in the first element along axis 1."},
	    {"4", "it fails only in the last element along axis 1."},
	    {"13", "it fails only in elements 1, 3, 5 and so on along axis 1."},
	    {"23", NULL},
	    {"01234", NULL},
	    {"0", NULL, "4"},
	    {"0", NULL, "2", "024"},
	    {"13", "it fails only in elements 1, 3, 5 and so on along axis 1.", "13", "4"},
	};
	static const char *const engine = "forward+scale:cumsum:1.5", *const place[] = {"0", "1", "2", "3", "4"};
	const struct characterize_options only = {.experiments = "contributions,single_seeds"};
	const struct testcase c = test_function(a, "x: f64[3]", "y = cumsum x axis=0", "[1, -2, 3]", "jvp");
	struct characterization x;
	struct error e = {0};
	struct bench b;

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		struct variant_row row[ROWS];
		struct variant_table t = {.id = "single_seeds", .n_column = 3, .row = row, .n_row = ROWS};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {.out = &out, .base = &c, .typical = &c, .arena = a};
		const char *cell[ROWS][3];

		for (int k = 0; k < ROWS; k++) {
			const bool turned = k >= PLACES_TRIED && of_rows[i].turned;

			cell[k][0] = "operand of cumsum";
			cell[k][1] = "1";
			cell[k][2] = place[k % PLACES_TRIED];
			row[k] = (struct variant_row){.cell = cell[k],
			    .decided = true,
			    .fails = strchr(turned ? of_rows[i].turned : of_rows[i].fails, *cell[k][2]) != NULL,
			    .of = "result 0",
			    .expected = !of_rows[i].zero || !strchr(of_rows[i].zero, *cell[k][2])};
		}
		lab_state_single_seeds(&l);
		CHECK(of_rows[i].says ? out.n_statement && strstr(out.statement[0].text, of_rows[i].says)
		                      : !out.n_statement,
		    "%s: %s", of_rows[i].fails, out.n_statement ? out.statement[0].text : "nothing");
	}
	CHECK(bench_open(&b, &engine, 1, o, &e), "%s", e.text);
	CHECK(characterize(&b, engine, &c, &only, a, &x, &e), "%s", e.text);
	CHECK(x.n_table == 2 && x.table[1].n_row == ROWS && x.table[1].row[0].fails, "%d tables", x.n_table);
	bench_close(&b);
}

/* Cotangents of other shapes differ from element to element: equal ones hide which element goes where. */
static void test_cotangents_of_attributes(const struct oracle_options *o, struct arena *a)
{
	static const char *const engine = "tape+scale:cumsum:1.5";
	const struct characterize_options only = {.experiments = "attributes"};
	const struct testcase c = test_function(a, "x: f64[3]", "y = cumsum x axis=0", "[1, -2, 3]", "vjp");
	struct characterization x;
	struct error e = {0};
	struct bench b;

	CHECK(bench_open(&b, &engine, 1, o, &e), "%s", e.text);
	CHECK(characterize(&b, engine, &c, &only, a, &x, &e), "%s", e.text);
	CHECK(x.n_table == 1 && x.table->n_row, "%d tables", x.n_table);
	for (int i = 0; x.n_table && i < x.table->n_row; i++) {
		const struct tensor *seed = &x.cases[x.table->row[i].case_number]->transform[0].seed[0];

		for (int k = 1; k < shape_elements(&seed->type.shape); k++)
			CHECK(seed->at[k].f != seed->at[k - 1].f, "row %d: element %d", i, k);
	}
	bench_close(&b);
}

int main(int argc, char **argv)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 512 << 20);
	test_small_loops(&a);
	test_laws(&a);
	test_relatives_numbers(&options, &a);
	test_grid(&options, &a);
	test_single_seeds(&options, &a);
	test_cotangents_of_attributes(&options, &a);
	arena_free(&a);
	return check_done();
}

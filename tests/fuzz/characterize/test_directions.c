/* Requests of two levels: through which inputs small programs fail; which engines the experiments rely on. */
#include <limits.h>
#include <string.h>

#include "fuzz/characterize/lab.h"
#include "tests/check.h"

enum { PAIRS = 9 };

/* A table of two ops, whose pairs of inputs fail as said. */
static void test_patterns(struct arena *a)
{
	static const struct {
		const char *fails[2]; /* by inner and outer input: x fails */
		const char *says;     /* NULL: nothing */
	} rows[] = {
	    {{"...xxxxxx", "...xxxxxx"}, "where the inner level differentiates an input after the first."},
	    {{".xx.xx.xx", ".xx.xx.xx"}, "where the outer level differentiates an input after the first."},
	    {{"xxx......", "xxx......"}, "where the inner level differentiates the first input."},
	    {{".xxx.xxx.", ".xxx.xxx."}, "where the two levels differentiate different inputs."},
	    {{"x...x...x", "x...x...x"}, "where both levels differentiate the same input."},
	    {{"xxxxxxxxx", "xxxxxxxxx"}, "whichever inputs both levels differentiate."},
	    {{".xx.xx.xx", "........."}, NULL},
	    {{".........", "........."}, NULL},
	    {{"x.x......", "x.x......"}, NULL},
	    {{".xx.xx.x?", ".xx.xx.xx"}, NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct variant_row row[2 * PAIRS];
		struct variant_table t = {.id = "directions", .n_column = 3, .row = row, .n_row = 2 * PAIRS};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {.out = &out, .arena = a};

		for (int k = 0; k < 2 * PAIRS; k++) {
			const char fails = rows[i].fails[k / PAIRS][k % PAIRS];
			const char **cell = NEW(a, const char *, 3);

			cell[0] = k < PAIRS ? "sin" : "square";
			cell[1] = arena_printf(a, "%d", k % PAIRS / 3);
			cell[2] = arena_printf(a, "%d", k % 3);
			row[k] = (struct variant_row){.cell = cell, .decided = fails != '?', .fails = fails == 'x'};
		}
		lab_state_directions(&l);
		CHECK(out.n_statement == (rows[i].says != NULL) && lab_fails_for_any_op(&l) == (rows[i].says != NULL) &&
		        (!rows[i].says || strstr(out.statement[0].text, rows[i].says)),
		    "row %zu: %s", i, out.n_statement ? out.statement[0].text : "nothing");
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
		CHECK(t.n_row == 2 * PAIRS, "%d rows", t.n_row);
		for (int k = 0; k < t.n_row; k++)
			CHECK(t.row[k].decided && !t.row[k].fails && t.row[k].expected != 0, "row %d: %g", k,
			    t.row[k].expected);
		arena_free(&l.work);
		arena_free(&l.scratch);
		engine_close(l.primal);
		engine_close(l.forward);
		bench_close(&b);
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
	CHECK_LAW(test_right());
	arena_free(&a);
	return check_done();
}

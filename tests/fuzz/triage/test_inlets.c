/* Through which inlets a bug of loops shows, and what makes a case quiet about it. */
#include "fuzz/triage/inlets.h"

#include <string.h>

#include "tests/check.h"
#include "tests/support/case_text.h"

enum { ARENA = 256 << 20 };

#define SCAN \
	"inputs x: f64[1]\ny = scan (x) trip=1 carries=0 {\n  params r\n  yield r\n}\nreturn y\npoint [0.5]\n" \
	"request: vjp\n"
#define MIXED \
	"inputs x: f64[], n: i64[]\ni, y = for (n, x) trip=1 {\n  params k, j, a\n  yield j, a\n}\nreturn y\n" \
	"point 0.5, 0\nrequest: vjp\n"
#define LOOP \
	"inputs x: f64[]\ny = for (x) trip=2 {\n  params i, a\n  b = mul a, x\n  yield b\n}\nreturn y\npoint 0.5\n" \
	"request: vjp\n"
#define PLAIN "inputs x: f64[]\ny = sin x\nreturn y\npoint 0.5\nrequest: vjp\n"

static const struct row {
	const char *name, *spec, *text, *inlets;
	struct quiet quiet; /* about another bug */
	bool broken;        /* the case may not be quiet */
	bool made;          /* it can be made so */
	bool fails;         /* and still fails */
} rows[] = {
    {"rows alone", "functional+jax-scan-xs-zero", SCAN, "rows", {.inlets = 1u << INLET_CARRY}, false, false, true},
    {"rows made constant", "functional+jax-scan-xs-zero", SCAN, "rows", {.inlets = 1u << INLET_ROWS}, true, true,
        false},
    {"a carry alone", "functional+mxnet-foreach-null", MIXED, "carry", {.inlets = 1u << INLET_CAPTURE}, false, false,
        true},
    {"a carry made constant", "functional+mxnet-foreach-null", MIXED, "carry", {.inlets = 1u << INLET_CARRY}, true,
        true, false},
    {"a capture", "functional+residual-fifo", LOOP, "capture", {.inlets = 1u << INLET_CARRY}, true, true, true},
    {"fewer iterations", "functional+residual-fifo", LOOP, "capture", {.trip = 2}, true, true, false},
    {"few iterations already", "functional+residual-fifo", LOOP, "capture", {.trip = 3}, false, false, true},
    {"no regions", "tape+scale:sin:1.5", PLAIN, "", {.inlets = (1u << INLETS) - 1}, false, false, true},
};

static void check_row(const struct row *row)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = 1 << 20};
	struct bench bench;
	struct error e = {0};
	struct arena a;

	arena_init(&a, ARENA);
	const struct testcase c = test_case(&a, row->text);
	const struct question any = {.bench = &bench};
	struct edit edit = {.c = testcase_copy(&c, &a), .arena = &a};
	const struct quiet quiet = row->quiet;

	CHECK(bench_open(&bench, &row->spec, 1, &o, &e), "%s", e.text);
	const char *inlets = inlets_text(inlets_find(&any, &c, &a), &a);

	CHECK(!strcmp(inlets, row->inlets), "%s: %s", row->name, inlets);
	CHECK(quiet_broken(&c, &quiet) == row->broken, "%s: quiet before", row->name);
	CHECK(quiet_make(&edit, &quiet) == row->made, "%s: made quiet", row->name);
	CHECK(edit_finish(&edit, false) && !quiet_broken(&edit.c, &quiet), "%s: not quiet", row->name);
	CHECK(case_shows(&edit.c, &any, &a, NULL) == row->fails, "%s: fails when quiet", row->name);
	bench_close(&bench);
	arena_free(&a);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s", rows[k].name))
			check_row(&rows[k]);
	return check_done();
}

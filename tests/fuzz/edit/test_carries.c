/* Loops with other carries compute the same; loops that run out have no early exit. */
#include "fuzz/edit/edit.h"

#include <string.h>

#include "engines/engine.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#define END    "return y\npoint 0.5, 2\nrequest: vjp x\n"
#define INPUTS "inputs x: f64[], k: i64[]\n"
#define INTEGERS \
	INPUTS "m, y = for (k, x) trip=3 {\n  params i, n, c\n  one: i64[] = constant 1\n  next = add n, one\n" \
	       "  f = cast n dtype=f64\n  p = mul c, f\n  yield next, p\n}\n" END
#define UNCHANGED_INTEGER \
	INPUTS \
	"m, y = for (k, x) trip=3 {\n  params i, n, c\n  f = cast n dtype=f64\n  p = mul c, f\n" \
	"  yield n, p\n}\n" END
#define WHILE_INTEGERS \
	INPUTS \
	"m, y = while (k, x) cap=9 {\n  params n, c\n  five: i64[] = constant 5\n  on = lt n, five\n  yield on\n" \
	"} do {\n  params n2, c2\n  one: i64[] = constant 1\n  next = add n2, one\n  p = mul c2, c2\n" \
	"  yield next, p\n}\n" END
#define INDEX \
	INPUTS \
	"y = for (x) trip=3 {\n  params i, c\n  f = cast i dtype=f64\n  p = add c, f\n  q = mul p, c\n" \
	"  yield q\n}\n" END
#define PLAIN INPUTS "y = for (x) trip=3 {\n  params i, c\n  p = mul c, c\n  yield p\n}\n" END
#define UNTIL \
	INPUTS "y = for (x) trip=3 until {\n  params i, c\n  p = mul c, c\n  one = constant 1\n  end = lt p, one\n" \
	       "  yield p, end\n}\n" END
#define COUNTED INPUTS "y = for (k, x) cap=3 {\n  params i, c\n  p = mul c, c\n  yield p\n}\n" END

#define SCAN \
	"inputs x: f64[], r: f64[2]\ny, s = scan (x, r) trip=2 carries=1 {\n  params c, d\n  p = mul c, d\n" \
	"  yield p, c\n}\nreturn y\npoint 0.5, [2, 3]\nrequest: vjp x\n"

static bool add_counter(struct edit *e, const struct site *s)
{
	int counter;

	return edit_add_counter(e, s, &counter);
}

static bool add_rows(struct edit *e, const struct site *s)
{
	const struct type flags = {DTYPE_BOOL, {1, {2}}};
	const struct tensor rows = tensor_new(e->arena, &flags);
	int row;

	return edit_add_rows(e, s, &rows, &row);
}

static const struct row {
	const char *name, *text;
	bool (*make)(struct edit *e, const struct site *s);
	bool made, same; /* it computes the same */
} rows[] = {
    {"integers as floats", INTEGERS, edit_carry_floats, true, true},
    {"an integer that is handed on", UNCHANGED_INTEGER, edit_carry_floats, true, true},
    {"integers of a while", WHILE_INTEGERS, edit_carry_floats, true, true},
    {"floats alone", PLAIN, edit_carry_floats, false, true},
    {"a counter", INDEX, edit_count_by_carry, true, true},
    {"an index that nobody reads", PLAIN, edit_count_by_carry, false, true},
    {"a while has no index", WHILE_INTEGERS, edit_count_by_carry, false, true},
    {"a further counter of a for", INDEX, add_counter, true, true},
    {"a counter of a while", WHILE_INTEGERS, add_counter, true, true},
    {"a counter of a scan", SCAN, add_counter, true, true},
    {"rows of a scan", SCAN, add_rows, true, true},
    {"rows of a for", PLAIN, add_rows, false, true},
    {"an early exit", UNTIL, edit_run_out, true, false},
    {"a count below the cap", COUNTED, edit_run_out, true, false},
    {"a fixed count", PLAIN, edit_run_out, false, true},
};

static double number(const struct testcase *c, struct arena *a)
{
	struct answer answer[1];
	struct error e = {0};
	struct engine *engine = engine_open("functional", &e);

	CHECK(engine, "%s", e.text);
	engine_answer(engine, c, a, answer);
	engine_close(engine);
	CHECK(answer->status == ANSWER_OK, "%s", answer->text);
	return tensor_number(&answer->derivative[0], 0);
}

static void check_row(const struct row *row, struct arena *a)
{
	struct edit e = {.c = test_case(a, row->text), .arena = a};
	const double before = number(&e.c, a);
	const struct node *loop = NULL;
	struct site s;
	bool made = false;

	e.c = testcase_copy(&e.c, a);
	for (int k = 0; edit_site(&e, k, &s) && !made; k++)
		made = node_loop(s.node).is_loop && row->make(&e, &s);
	CHECK(made == row->made, "%s", row->name);
	CHECK(edit_finish(&e, false), "%s: no valid case", row->name);
	CHECK((number(&e.c, a) == before) == row->same, "%s", row->name);
	for (struct walk w = walk_nodes(&e.c.program.top); walk_next(&w);)
		loop = node_loop(w.node).is_loop ? w.node : loop;
	for (int k = 0; row->make == edit_carry_floats && k < loop->n_out; k++)
		CHECK(dtype_is_float(e.c.program.type[loop->out + k].dtype), "%s: result %d", row->name, k);
	if (row->make == edit_count_by_carry)
		CHECK(!node_loop(loop).n_index || !region_reads(node_loop(loop).body, node_loop(loop).body->param),
		    "%s", row->name);
	if (row->make == edit_run_out)
		CHECK(!node_loop(loop).until && !node_loop(loop).counted, "%s", row->name);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (row_wanted("%s", rows[i].name))
			check_row(&rows[i], &a);
	arena_free(&a);
	return check_done();
}

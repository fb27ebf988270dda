/* Wiring: which loops and branches have the results of which, whatever is computed in them. */
#include "fuzz/triage/wiring.h"

#include <string.h>

#include "tests/check.h"
#include "tests/support/case_text.h"

/* Programs of two inputs x, y, by name. */
static const struct {
	const char *name, *body;
} programs[] = {
    {"captured",
        "o0 = for (x) trip=2 {\n"
        "  params i, a\n"
        "  yield x\n"
        "}"},
    {"carried",
        "o0 = for (x) trip=2 {\n"
        "  params i, a\n"
        "  yield a\n"
        "}"},
    {"computed",
        "o0 = for (x) trip=2 {\n"
        "  params i, a\n"
        "  s = sin a\n"
        "  yield s\n"
        "}"},
    {"constant",
        "o0 = for (x) trip=2 {\n"
        "  params i, a\n"
        "  k = constant 1\n"
        "  yield k\n"
        "}"},
    {"twice",
        "o0, o1 = for (x, y) trip=2 {\n"
        "  params i, a, b\n"
        "  yield b, b\n"
        "}"},
    {"captured twice",
        "o0, o1 = for (x, y) trip=2 {\n"
        "  params i, a, b\n"
        "  yield x, x\n"
        "}"},
    {"swapped",
        "o0, o1 = for (x, y) trip=2 {\n"
        "  params i, a, b\n"
        "  yield b, a\n"
        "}"},
    {"computed twice",
        "o0, o1 = for (x, y) trip=2 {\n"
        "  params i, a, b\n"
        "  s = sin a\n"
        "  yield s, s\n"
        "}"},
    {"computed and captured",
        "o0, o1 = for (x, y) trip=2 {\n"
        "  params i, a, b\n"
        "  s = sin a\n"
        "  yield s, y\n"
        "}"},
    {"while captured",
        "o0 = while (x) cap=3 {\n"
        "  params c\n"
        "  t = lt c, y\n"
        "  yield t\n"
        "} do {\n"
        "  params d\n"
        "  yield x\n"
        "}"},
    {"while computed",
        "o0 = while (x) cap=3 {\n"
        "  params c\n"
        "  t = lt c, y\n"
        "  yield t\n"
        "} do {\n"
        "  params d\n"
        "  s = sin d\n"
        "  yield s\n"
        "}"},
    {"captured within",
        "o0 = for (x) trip=2 {\n"
        "  params i, a\n"
        "  n = for (a) trip=2 {\n"
        "    params j, b\n"
        "    yield x\n"
        "  }\n"
        "  yield n\n"
        "}"},
    {"branches",
        "p = lt x, y\n"
        "o0, o1 = cond (p) {\n"
        "  yield x, x\n"
        "} else {\n"
        "  yield x, x\n"
        "}"},
    {"branches computed",
        "p = lt x, y\n"
        "o0, o1 = cond (p) {\n"
        "  s = sin x\n"
        "  yield s, s\n"
        "} else {\n"
        "  yield y, y\n"
        "}"},
    {"branches of two",
        "p = lt x, y\n"
        "o0, o1 = cond (p) {\n"
        "  yield x, x\n"
        "} else {\n"
        "  yield x, y\n"
        "}"},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Of those, which have it in them; each has itself. */
static const struct {
	const char *small, *in;
} rows[] = {
    {"captured", "captured twice, computed and captured, while captured, captured within"},
    {"carried",
        "computed, constant, twice, swapped, computed twice, computed and captured, while computed, captured within"},
    {"constant",
        "captured, captured twice, carried, computed, twice, swapped, computed twice, c"
        "omputed and captured, while captured, while computed, captured within"},
    {"twice", "computed twice, captured twice"},
    {"captured twice", "twice, computed twice"},
    {"swapped", "twice, computed twice"},
    {"computed and captured", ""},
    {"while captured", "captured, captured twice, computed and captured, captured within"},
    {"captured within", ""},
    {"branches", "branches computed"},
    {"branches of two", "branches, branches computed"},
};

static struct testcase read_program(int k, struct arena *a)
{
	return test_case(a,
	    arena_printf(a,
	        "inputs x: f64[], y: f64[]\n"
	        "%s\n"
	        "return o0\n"
	        "point 0.5, 0.5\n"
	        "request: vjp x",
	        programs[k].body));
}

static int find(const char *name, size_t len)
{
	for (int k = 0; k < PROGRAMS; k++)
		if (strlen(programs[k].name) == len && !memcmp(programs[k].name, name, len))
			return k;
	CHECK(false, "no program %s", name);
	return 0;
}

static void check_row(size_t row, struct arena *a)
{
	const int own = find(rows[row].small, strlen(rows[row].small));
	struct testcase small = read_program(own, a);
	bool expected[PROGRAMS] = {false};

	expected[own] = true;
	for (const char *in = rows[row].in; *in; in += strcspn(in, ","), in += strspn(in, ", "))
		expected[find(in, strcspn(in, ","))] = true;
	for (int k = 0; k < PROGRAMS; k++) {
		struct testcase c = read_program(k, a);
		const struct region *top = &c.program.top;

		CHECK(wiring_is_in(&small.program, &c.program) == expected[k], "%s in %s", rows[row].small,
		    programs[k].name);
		CHECK(wiring_hangs_on(&small.program, &c.program, &top->node[top->n_node - 1]) == expected[k],
		    "%s hangs on %s", rows[row].small, programs[k].name);
	}
}

static void test_bare(void)
{
	static const struct {
		int name[2];
		bool bare;
	} sets[] = {{{-1, -1}, false}, {{OP_FOR, -1}, true}, {{OP_FOR, OP_COND}, true}, {{OP_FOR, OP_MUL}, false},
	    {{OP_MUL, -1}, false}, {{OP_FOR, OP_COUNT}, false}};

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		if (!row_wanted("bare: row %d", (int)i))
			continue;
		struct pattern p = {{false}};

		for (int k = 0; k < 2; k++)
			if (sets[i].name[k] >= 0)
				p.has[sets[i].name[k]] = true;
		CHECK(pattern_is_bare(&p) == sets[i].bare, "set %zu", i);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 26);
	test_bare();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (row_wanted("%s, %s", rows[i].small, rows[i].in))
			check_row(i, &a);
	arena_free(&a);
	return check_done();
}

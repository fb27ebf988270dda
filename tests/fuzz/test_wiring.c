/* Wiring: which loops and branches have the results of which, whatever is computed in them. */
#include "../../fuzz/wiring.h"

#include <string.h>

#include "../check.h"

/* Programs of two inputs x, y, by name. */
#define LOOP(args, params, body, results) "{\"out\":[\"o0\"" args "],\"regions\":[{\"params\":[\"i\"" params "],\"body\":[" body "],\"results\":[" results "]}]}"
#define ONE "],\"op\":\"for\",\"trip\":2,\"args\":[\"x\""
#define TWO ",\"o1\"],\"op\":\"for\",\"trip\":2,\"args\":[\"x\",\"y\""
#define SIN(out, in) "{\"out\":[\"" out "\"],\"op\":\"sin\",\"args\":[\"" in "\"]}"
#define CAP "\"cap\":3,\"args\":[\"x\"],\"regions\":[{\"params\":[\"c\"],\"body\":[{\"out\":[\"t\"],\"op\":\"lt\",\"args\":[\"c\",\"y\"]}],\"results\":[\"t\"]},"
static const struct {
	const char *name, *body;
} programs[] = {
    {"captured", LOOP(ONE, ",\"a\"", "", "\"x\"")},
    {"carried", LOOP(ONE, ",\"a\"", "", "\"a\"")},
    {"computed", LOOP(ONE, ",\"a\"", SIN("s", "a"), "\"s\"")},
    {"constant", LOOP(ONE, ",\"a\"", "{\"out\":[\"k: f64[]\"],\"op\":\"constant\",\"value\":1}", "\"k\"")},
    {"twice", LOOP(TWO, ",\"a\",\"b\"", "", "\"b\",\"b\"")},
    {"captured twice", LOOP(TWO, ",\"a\",\"b\"", "", "\"x\",\"x\"")},
    {"swapped", LOOP(TWO, ",\"a\",\"b\"", "", "\"b\",\"a\"")},
    {"computed twice", LOOP(TWO, ",\"a\",\"b\"", SIN("s", "a"), "\"s\",\"s\"")},
    {"computed and captured", LOOP(TWO, ",\"a\",\"b\"", SIN("s", "a"), "\"s\",\"y\"")},
    {"while captured", "{\"out\":[\"o0\"],\"op\":\"while\"," CAP "{\"params\":[\"d\"],\"body\":[],\"results\":[\"x\"]}]}"},
    {"while computed", "{\"out\":[\"o0\"],\"op\":\"while\"," CAP "{\"params\":[\"d\"],\"body\":[" SIN("s", "d") "],\"results\":[\"s\"]}]}"},
    {"captured within", LOOP(ONE, ",\"a\"", "{\"out\":[\"n\"],\"op\":\"for\",\"trip\":2,\"args\":[\"a\"],\"regions\":[{\"params\":[\"j\",\"b\"],\"body\":[],\"results\":[\"x\"]}]}", "\"n\"")},
    {"branches", "{\"out\":[\"p\"],\"op\":\"lt\",\"args\":[\"x\",\"y\"]},{\"out\":[\"o0\",\"o1\"],\"op\":\"cond\",\"args\":[\"p\"],\"regions\":[{\"params\":[],\"body\":[],\"results\":[\"x\",\"x\"]},"
                 "{\"params\":[],\"body\":[],\"results\":[\"x\",\"x\"]}]}"},
    {"branches computed", "{\"out\":[\"p\"],\"op\":\"lt\",\"args\":[\"x\",\"y\"]},{\"out\":[\"o0\",\"o1\"],\"op\":\"cond\",\"args\":[\"p\"],\"regions\":[{\"params\":[],\"body\":[" SIN("s", "x") "],"
                          "\"results\":[\"s\",\"s\"]},{\"params\":[],\"body\":[],\"results\":[\"y\",\"y\"]}]}"},
    {"branches of two", "{\"out\":[\"p\"],\"op\":\"lt\",\"args\":[\"x\",\"y\"]},{\"out\":[\"o0\",\"o1\"],\"op\":\"cond\",\"args\":[\"p\"],\"regions\":[{\"params\":[],\"body\":[],\"results\":[\"x\",\"x\"]},"
                        "{\"params\":[],\"body\":[],\"results\":[\"x\",\"y\"]}]}"},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Of those, which have it in them; each has itself. */
static const struct {
	const char *small, *in;
} rows[] = {
    {"captured", "captured twice, computed and captured, while captured, captured within"},
    {"carried", "computed, constant, twice, swapped, computed twice, computed and captured, while computed, captured within"},
    {"constant", "captured, captured twice, carried, computed, twice, swapped, computed twice, computed and captured, while captured, while computed, captured within"},
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
	const char *text = arena_printf(a, "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: f64[]\",\"y: f64[]\"],\"body\":[%s],\"results\":[\"o0\"],\"points\":[[0.5,0.5]],"
	    "\"request\":[{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[1]}]}", programs[k].body);
	struct testcase c = {0};
	struct error e = {0};

	CHECK(testcase_read(text, strlen(text), a, &c, &e), "%s: %s %s: %s", programs[k].name, e.place, e.text, text);
	return c;
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

		CHECK(wiring_is_in(&small.program, &c.program) == expected[k], "%s in %s", rows[row].small, programs[k].name);
		CHECK(wiring_hangs_on(&small.program, &c.program, &top->node[top->n_node - 1]) == expected[k], "%s hangs on %s", rows[row].small, programs[k].name);
	}
}

static void test_bare(void)
{
	static const struct {
		int name[2];
		bool bare;
	} sets[] = {{{-1, -1}, false}, {{OP_FOR, -1}, true}, {{OP_FOR, OP_COND}, true}, {{OP_FOR, OP_MUL}, false}, {{OP_MUL, -1}, false}, {{OP_FOR, OP_COUNT}, false}};

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		struct pattern p = {{false}};

		for (int k = 0; k < 2; k++)
			if (sets[i].name[k] >= 0)
				p.has[sets[i].name[k]] = true;
		CHECK(pattern_is_bare(&p) == sets[i].bare, "set %zu", i);
	}
}

int main(void)
{
	struct arena a;

	arena_init(&a, (size_t)1 << 26);
	test_bare();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_row(i, &a);
	arena_free(&a);
	return check_done();
}

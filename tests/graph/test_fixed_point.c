/* Fixed points as programs: what is refused, what is written and read again, what makes two of them differ. */
#include "tests/engines/fixed_points.h"

/* What a body may not be. */
static void check_refusals(struct arena *a)
{
	static const struct {
		const char *body, *says;
	} rows[] = {
	    {FIXED_POINT("y", "x0", "0", "solution", "params x\n" REST("b", "x", TIGHT) "yield b, done\n"), "cap 0"},
	    {"o = le a, 0\n" FIXED_POINT("y", "x0", "9", "solution", "params x; yield x, o\n"), "from outside"},
	    {"z = constant 0\n" FIXED_POINT("y", "x0", "9", "steps", "params x; yield x, z\n"), "bool[]"},
	    {FIXED_POINT("y", "x0", "9", "solved", "params x\n" REST("b", "x", TIGHT) "yield b, done\n"),
	        "steps, solution"},
	    {"i = iota dtype=i64 shape=[1] axis=0\n"
	     "j = reshape i shape=[]\n" FIXED_POINT(
	         "y, k", "x0, j", "9", "solution", "params x, m\n" REST("b", "x", TIGHT) "yield b, m, done\n"),
	        "floats only"},
	    {"y = fixed_point (x0) cap=9 { params x\n" REST("b", "x", TIGHT) "yield b, done }", "meaning"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("refusals: %s", rows[i].says))
			continue;
		struct testcase c;
		struct error e = {.text = ""};
		arena_reset(a);
		char *text = arena_printf(a,
		    "inputs a: f64[], b: f64[], x0: f64[]\n"
		    "%s\n"
		    "return y\n"
		    "point 1, 1, 1",
		    rows[i].body);
		CHECK(
		    !case_text_read(text, a, &c, &e) && strstr(e.text, rows[i].says), "row %d: \"%s\"", (int)i, e.text);
	}
}

/* Written and read again; printed; `meaning` and `cap` tell programs apart. */
static void check_round_trip(struct arena *a)
{
	struct testcase c = fixed_point_case(a, LINEAR("9", "solution", TIGHT), "0.5,1,0", -1), back;
	struct testcase steps = fixed_point_case(a, LINEAR("9", "steps", TIGHT), "0.5,1,0", -1);
	struct testcase longer = fixed_point_case(a, LINEAR("10", "solution", TIGHT), "0.5,1,0", -1);
	struct error e = {.text = ""};
	size_t len;
	char *text = testcase_write(&c, a, &len);

	CHECK(testcase_read(text, len, a, &back, &e) && testcase_equal(&c, &back), "%s: %s", e.place, e.text);
	CHECK(strstr(program_print(&c.program, a), "fixed_point (v2) cap=9 meaning=solution {"), "%s",
	    program_print(&c.program, a));
	CHECK(!program_equal(&c.program, &steps.program) && program_hash(&c.program) != program_hash(&steps.program),
	    "the meaning");
	CHECK(!program_equal(&c.program, &longer.program) && program_hash(&c.program) != program_hash(&longer.program),
	    "the cap");
	CHECK(program_work(&longer.program) > program_work(&c.program) && node_max_trip(&c.program.top.node[0]) == 9,
	    "the work");
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)16 << 20);
	check_refusals(&a);
	CHECK_LAW(check_round_trip(&a));
	arena_free(&a);
	return check_done();
}

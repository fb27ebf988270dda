/* Which rules of custom ops decide something by their direction. */
#include "oracles/evaluate/custom_choices.h"

#include <string.h>

#include "graph/testcase.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* The rule of a custom of x, in the direction g (a number, as x), gives the last value of its body. */
static const struct {
	const char *body, *result;
	enum rule_choice choice;
} rows[] = {
    {"a: f64[] = mul x, g", "a", RULE_LINEAR},
    /* What is decided by x is decided alike in all directions. */
    {"p: bool[] = lt x, z; a: f64[] = select p, g, h", "a", RULE_LINEAR},
    {"a: f64[] = abs x; b: f64[] = mul a, g", "b", RULE_LINEAR},
    {"a: f64[] = stop_gradient g", "a", RULE_LINEAR},
    /* An exact 0 may stay one, */
    {"p: bool[] = eq g, z; a: f64[] = select p, z, g", "a", RULE_GUARDS},
    {"p: bool[] = ne zs, g; a: f64[] = select p, g, z", "a", RULE_GUARDS},
    {"p: bool[] = cast g dtype=bool; a: f64[] = select p, g, z", "a", RULE_GUARDS},
    /* and what is made of that decision decides no more. */
    {"p: bool[] = eq g, z\n"
     "q: bool[] = logical_not p\n"
     "a: f64[] = cond (q) {\n"
     "  yield g\n"
     "} else {\n"
     "  yield z\n"
     "}",
        "a", RULE_GUARDS},
    {"p: bool[] = eq g, x; a: f64[] = select p, z, g", "a", RULE_CHOOSES},
    {"p: bool[] = eq g, h; a: f64[] = select p, z, g", "a", RULE_CHOOSES},
    {"p: bool[] = gt g, z; a: f64[] = select p, g, z", "a", RULE_CHOOSES},
    {"a: f64[] = abs g", "a", RULE_CHOOSES},
    {"a: f64[] = max g, x", "a", RULE_CHOOSES},
    {"a: f64[] = floor g", "a", RULE_CHOOSES},
    {"i: i64[] = cast g dtype=i64; a: f64[] = cast i dtype=f64", "a", RULE_CHOOSES},
    /* Through a loop: what is carried beside the direction is none, */
    {"a: f64[], b: f64[] = for (g, x) trip=3 {\n"
     "  params i: i64[], c: f64[], d: f64[]\n"
     "  e: f64[] = abs d\n"
     "  f: f64[] = mul c, e\n"
     "  yield f, e\n"
     "}",
        "a", RULE_LINEAR},
    /* until it takes it over, in the second iteration. */
    {"a: f64[], b: f64[] = for (g, x) trip=3 {\n"
     "  params i: i64[], c: f64[], d: f64[]\n"
     "  e: f64[] = abs d\n"
     "  yield e, c\n"
     "}",
        "a", RULE_CHOOSES},
    {"a: f64[] = while (g) cap=3 {\n"
     "  params c: f64[]\n"
     "  p: bool[] = lt c, x\n"
     "  yield p\n"
     "} do {\n"
     "  params d: f64[]\n"
     "  e: f64[] = add d, d\n"
     "  yield e\n"
     "}",
        "a", RULE_CHOOSES},
};

/* A case whose program is one custom, a vjp, around the row's rule; h is half of g. */
static const char frame[] = "inputs v: f64[]\n"
                            "w = custom (v) transform=vjp {\n"
                            "  params u\n"
                            "  yield u\n"
                            "} do {\n"
                            "  params x, g\n"
                            "  z = constant 0\n"
                            "  zs = reshape z shape=[]\n"
                            "  h = mul g, 0.5\n"
                            "%s\n"
                            "  yield %s\n"
                            "}\n"
                            "return w\n"
                            "point 1\n"
                            "request: vjp\n";

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)64 << 20);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("%s, %s", rows[i].body, rows[i].result))
			continue;
		struct testcase c = test_case(&a, arena_printf(&a, frame, rows[i].body, rows[i].result));

		if (c.n_point)
			CHECK(custom_choices(&c.program, &c.program.top.node[0], &a) == rows[i].choice, "row %zu: %d",
			    i, custom_choices(&c.program, &c.program.top.node[0], &a));
	}
	arena_free(&a);
	return check_done();
}

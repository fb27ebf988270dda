/* Op custom as a program: what is refused, what is written and read again, what makes two of them differ. */
#include "graph/case_format.h"
#include "graph/testcase.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <stdio.h>
#include <string.h>

/* sin(x) with its rule: cos(x) d. */
#define F                          "params p; s = sin p; yield s"
#define RULE                       "params q, d; c = cos q; t = mul c, d; yield t"
#define CUSTOM(attribute, f, rule) "y = custom (x) " attribute " { " f " } do { " rule " }"

static char *text_of(struct arena *a, const char *body)
{
	return arena_printf(a, "inputs x: f64[2]\n%s\nreturn y\npoint [1, 2]", body);
}

static void check_refusals(struct arena *a)
{
	static const struct {
		const char *body, *says;
	} rows[] = {
	    {"y = custom (x) transform=jvp { " F " }", "custom has 2 regions, not 1"},
	    {CUSTOM("", F, RULE), "transform"},
	    {CUSTOM("transform=batch", F, RULE), "jvp, vjp"},
	    {CUSTOM("transform=jvp", F, "params q, d, e; c = cos q; t = mul c, d; yield t"), "3 parameters"},
	    {CUSTOM("transform=vjp", F, F), "1 parameters"},
	    {CUSTOM("transform=jvp", F, "params q, d; c = cos q; t = mul c, x; yield t"), "capture nothing"},
	    {CUSTOM("transform=jvp", "params p; yield x", RULE), "capture nothing"},
	    {CUSTOM("transform=jvp", "params p; yield p", "params q, d; yield"), "0 results, expected 1"},
	    {CUSTOM("transform=jvp", F, "params q, d; m = reduce_sum d axes=[0]; yield m"), "f64[2]"},
	    {CUSTOM("transform=vjp", "params p; m = reduce_sum p axes=[0]; yield m", "params q, d; yield d"),
	        "type f64[], expected f64[2]"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("refusals: %s", rows[i].says))
			continue;
		struct testcase c;
		struct error e = {.text = ""};
		arena_reset(a);
		char *text = text_of(a, rows[i].body);
		CHECK(
		    !case_text_read(text, a, &c, &e) && strstr(e.text, rows[i].says), "row %d: \"%s\"", (int)i, e.text);
	}
}

/* A capture inside a region of a region is one too; a region of a custom may capture from the custom's own. */
static void check_captures(struct arena *a)
{
#define NESTED(v) "params p; s = checkpoint { u = sin " v "; yield u }; yield s"
	struct testcase c;
	struct error e = {.text = ""};
	char *text = text_of(a, CUSTOM("transform=jvp", NESTED("p"), RULE));

	CHECK(case_text_read(text, a, &c, &e) || strstr(e.text, "operands"), "%s: %s", e.place, e.text);
	text = text_of(a, CUSTOM("transform=jvp", NESTED("x"), RULE));
	CHECK(!case_text_read(text, a, &c, &e), "captured from outside");
}

static void check_round_trip(struct arena *a)
{
	struct testcase jvp, vjp, back;
	struct error e = {.text = ""};
	size_t len;
	char *text = text_of(a, CUSTOM("transform=jvp", F, RULE)),
	     *other = text_of(a, CUSTOM("transform=vjp", F, RULE));

	CHECK(case_text_read(text, a, &jvp, &e), "%s: %s", e.place, e.text);
	CHECK(case_text_read(other, a, &vjp, &e), "%s: %s", e.place, e.text);
	text = testcase_write(&jvp, a, &len);
	CHECK(testcase_read(text, len, a, &back, &e) && testcase_equal(&jvp, &back), "%s: %s", e.place, e.text);
	CHECK(
	    strstr(program_print(&jvp.program, a), "custom (v0) transform=jvp"), "%s", program_print(&jvp.program, a));
	CHECK(!program_equal(&jvp.program, &vjp.program) && program_hash(&jvp.program) != program_hash(&vjp.program),
	    "the transform");
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)16 << 20);
	check_refusals(&a);
	CHECK_LAW(check_captures(&a));
	CHECK_LAW(check_round_trip(&a));
	arena_free(&a);
	return check_done();
}

/* Op custom as a program: what is refused, what is written and read again, what makes two of them differ. */
#include "../../graph/case_format.h"
#include "../../graph/testcase.h"
#include "../check.h"

#include <stdio.h>
#include <string.h>

/* sin(x) with its rule: cos(x) d. */
#define F "{\"params\":[\"p\"],\"body\":[{\"out\":[\"s\"],\"op\":\"sin\",\"args\":[\"p\"]}],\"results\":[\"s\"]}"
#define RULE_(more, used) \
	"{\"params\":[\"q\",\"d\"" more "],\"body\":[{\"out\":[\"c\"],\"op\":\"cos\",\"args\":[\"q\"]}," \
	"{\"out\":[\"t\"],\"op\":\"mul\",\"args\":[\"c\",\"" used "\"]}],\"results\":[\"t\"]}"
#define RULE RULE_("", "d")
#define CUSTOM_(attr, regions) "{\"out\":[\"y\"],\"op\":\"custom\",\"args\":[\"x\"]" attr ",\"regions\":[" regions "]}"
#define CUSTOM(kind, regions) CUSTOM_(",\"transform\":\"" kind "\"", regions)

static char *text_of(struct arena *a, const char *body)
{
	return arena_printf(a,
	    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: f64[2]\"],\"body\":[%s],\"results\":[\"y\"],\"points\":[[[1,2]]],\"request\":[]}",
	    body);
}

static void check_refusals(struct arena *a)
{
	static const struct {
		const char *body, *says;
	} rows[] = {
	    {CUSTOM("jvp", F), "custom has 2 regions, not 1"},
	    {CUSTOM_("", F "," RULE), "transform"},
	    {CUSTOM("batch", F "," RULE), "jvp, vjp"},
	    {CUSTOM("jvp", F "," RULE_(",\"e\"", "d")), "3 parameters"},
	    {CUSTOM("vjp", F "," F), "1 parameters"},
	    {CUSTOM("jvp", F "," RULE_("", "x")), "capture nothing"},
	    {CUSTOM("jvp", "{\"params\":[\"p\"],\"body\":[],\"results\":[\"x\"]}," RULE), "capture nothing"},
	    {CUSTOM("jvp", "{\"params\":[\"p\"],\"body\":[],\"results\":[\"p\"]},{\"params\":[\"q\",\"d\"],\"body\":[],\"results\":[]}"),
		"0 results, expected 1"},
	    {CUSTOM("jvp", F ",{\"params\":[\"q\",\"d\"],\"body\":[{\"out\":[\"m\"],\"op\":\"reduce_sum\",\"args\":[\"d\"],\"axes\":[0]}],\"results\":[\"m\"]}"),
		"f64[2]"},
	    {CUSTOM("vjp",
		 "{\"params\":[\"p\"],\"body\":[{\"out\":[\"m\"],\"op\":\"reduce_sum\",\"args\":[\"p\"],\"axes\":[0]}],\"results\":[\"m\"]},"
		 "{\"params\":[\"q\",\"d\"],\"body\":[],\"results\":[\"d\"]}"),
		"type f64[], expected f64[2]"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct testcase c;
		struct error e = {.text = ""};
		arena_reset(a);
		char *text = text_of(a, rows[i].body);
		CHECK(!testcase_read(text, strlen(text), a, &c, &e) && strstr(e.text, rows[i].says), "row %d: \"%s\"", (int)i, e.text);
	}
}

/* A capture inside a region of a region is one too; a region of a custom may capture from the custom's own. */
static void check_captures(struct arena *a)
{
#define NESTED(v) \
	"{\"params\":[\"p\"],\"body\":[{\"out\":[\"s\"],\"op\":\"checkpoint\",\"args\":[],\"regions\":[" \
	"{\"params\":[],\"body\":[{\"out\":[\"u\"],\"op\":\"sin\",\"args\":[\"" v "\"]}],\"results\":[\"u\"]}]}],\"results\":[\"s\"]}"
	struct testcase c;
	struct error e = {.text = ""};
	char *text = text_of(a, CUSTOM("jvp", NESTED("p") "," RULE));

	CHECK(testcase_read(text, strlen(text), a, &c, &e) || strstr(e.text, "operands"), "%s: %s", e.place, e.text);
	text = text_of(a, CUSTOM("jvp", NESTED("x") "," RULE));
	CHECK(!testcase_read(text, strlen(text), a, &c, &e), "captured from outside");
}

static void check_round_trip(struct arena *a)
{
	struct testcase jvp, vjp, back;
	struct error e = {.text = ""};
	size_t len;
	char *text = text_of(a, CUSTOM("jvp", F "," RULE)), *other = text_of(a, CUSTOM("vjp", F "," RULE));

	CHECK(testcase_read(text, strlen(text), a, &jvp, &e), "%s: %s", e.place, e.text);
	CHECK(testcase_read(other, strlen(other), a, &vjp, &e), "%s: %s", e.place, e.text);
	text = testcase_write(&jvp, a, &len);
	CHECK(testcase_read(text, len, a, &back, &e) && testcase_equal(&jvp, &back), "%s: %s", e.place, e.text);
	CHECK(strstr(program_print(&jvp.program, a), "custom (v0) transform=jvp"), "%s", program_print(&jvp.program, a));
	CHECK(!program_equal(&jvp.program, &vjp.program) && program_hash(&jvp.program) != program_hash(&vjp.program), "the transform");
}

int main(void)
{
	struct arena a;

	arena_init(&a, (size_t)16 << 20);
	check_refusals(&a);
	check_captures(&a);
	check_round_trip(&a);
	arena_free(&a);
	return check_done();
}

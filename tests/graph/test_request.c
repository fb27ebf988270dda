/* Types of the functions that stacked transforms make, and which stacks are refused. */
#include "graph/answer.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <string.h>

static const char head[] =
    "{'schema':'adjudge.case/1','inputs':['x: f64[2]','n: i64[]'],"
    "'body':[{'out':['s'],'op':'reduce_sum','args':['x'],'axes':[0],'keepdims':false}],'results':['s','n'],";

/* Points of the program without batches, and with x or both in a batch of 3. */
#define PLAIN     "[[1,2],4]"
#define BATCH_X   "[[1,2,3,4,5,6],4]"
#define BATCH_ALL "[[1,2,3,4,5,6],[7,8,9]]"

#define VJP(wrt, cotangents) "{'transform':'vjp','wrt':" wrt ",'cotangents':" cotangents "}"
#define JVP(wrt, tangents)   "{'transform':'jvp','wrt':" wrt ",'tangents':" tangents "}"
#define BATCH(wrt, size)     "{'transform':'batch','wrt':" wrt ",'size':" size "}"

static const struct {
	const char *point, *request;
	const char *primal, *derivative; /* types, in order */
	const char *place, *refused;     /* or why not */
} rows[] = {
    {PLAIN, "", "f64[] i64[]", "", 0, 0},
    {PLAIN, VJP("[0,1]", "[1,0]"), "f64[] i64[]", "f64[2] i64[]", 0, 0},
    {PLAIN, JVP("[0]", "[[1,0]]"), "f64[] i64[]", "f64[] i64[]", 0, 0},
    {PLAIN, VJP("[0]", "[1,0]") "," JVP("[0]", "[[1,0]]"), "f64[] i64[]", "f64[2]", 0, 0},
    {PLAIN, JVP("[0]", "[[1,0]]") "," VJP("[0]", "[1,0]"), "f64[] i64[]", "f64[2]", 0, 0},
    {PLAIN, VJP("[0]", "[1,0]") "," VJP("[0,1]", "[[1,0]]"), "f64[] i64[]", "f64[2] i64[]", 0, 0},
    {BATCH_X, BATCH("[0]", "3"), "f64[3] i64[3]", "", 0, 0},
    {BATCH_X, BATCH("[0]", "3") "," VJP("[0]", "[[1,1,1],[0,0,0]]"), "f64[3] i64[3]", "f64[3,2]", 0, 0},
    {BATCH_X, VJP("[0,1]", "[1,0]") "," BATCH("[0]", "3"), "f64[3] i64[3]", "f64[3,2] i64[3]", 0, 0},
    {BATCH_ALL, BATCH("[0,1]", "3") "," VJP("[0,1]", "[[1,1,1],[0,0,0]]"), "f64[3] i64[3]", "f64[3,2] i64[3]", 0, 0},
    {BATCH_X, JVP("[0]", "[[1,0]]") "," BATCH("[0]", "3") "," VJP("[0]", "[[1,1,1],[0,0,0]]"), "f64[3] i64[3]",
        "f64[3,2]", 0, 0},
    {PLAIN, BATCH("[0]", "3"), 0, 0, "points[0][0]", "2 elements, but f64[3,2] has 6"},
    {PLAIN, BATCH("[0]", "0"), 0, 0, "request[0].size", "[1, 64]"},
    {PLAIN, BATCH("[0]", "65"), 0, 0, "request[0].size", "[1, 64]"},
    {PLAIN, BATCH("[0]", "'3'"), 0, 0, "request[0].size", "needs"},
    {PLAIN, BATCH("[]", "3"), 0, 0, "request[0].wrt", "0 inputs"},
    {PLAIN, BATCH("[0]", "2") "," BATCH("[0]", "2") "," BATCH("[0]", "2") "," BATCH("[0]", "2"), 0, 0, "request[3]",
        "exceeds rank"},
    {PLAIN, VJP("[0]", "[1,0]") "," VJP("[0]", "[1,0]"), 0, 0, "request[1].cotangents", "2 tensors"},
    {PLAIN, VJP("[0]", "[1,1]"), 0, 0, "request[0].cotangents[1]", "is 0"},
};

static const char *types(const struct type *t, int n, struct arena *a)
{
	char text[TYPE_TEXT];
	const char *all = "";

	for (int k = 0; k < n; k++)
		all = arena_printf(a, "%s%s%s", all, k ? " " : "", type_print(&t[k], text));
	return all;
}

int main(int argc, char **argv)
{
	struct arena arena, *a = &arena;

	check_begin(argc, argv);
	arena_init(a, (size_t)1 << 24);

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("%s, %s", rows[k].point, rows[k].request))
			continue;
		const char *text = arena_printf(
		    a, "%s'points':[%s],'request':[%s]}", head, rows[k].point, rows[k].request);
		struct testcase c;
		struct error e = {0};
		struct type type[LIMIT_ARGS];
		bool ok = testcase_read(json_text(a, text), strlen(text), a, &c, &e);

		if (!rows[k].primal) {
			CHECK(!ok && !strcmp(e.place, rows[k].place) && strstr(e.text, rows[k].refused), "%s: %s: %s",
			    rows[k].request, e.place, e.text);
			continue;
		}
		CHECK(ok, "%s: %s: %s", rows[k].request, e.place, e.text);
		if (!ok)
			continue;
		const char *got = types(type, answer_primal_types(&c, type), a);
		CHECK(!strcmp(got, rows[k].primal), "%s: primal %s", rows[k].request, got);
		got = types(type, answer_derivative_types(&c, type), a);
		CHECK(!strcmp(got, rows[k].derivative), "%s: derivative %s", rows[k].request, got);
	}
	arena_free(a);
	return check_done();
}

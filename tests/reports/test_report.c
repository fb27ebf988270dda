/*
 * Reports of every verdict (report_samples.h).
 * `test_reports_report write DIR` writes them as files, for the schema test.
 */
#include "graph/json.h"
#include "reports/file.h"
#include "reports/render.h"
#include "tests/check.h"
#include "tests/support/report_samples.h"

#include <stdlib.h>
#include <string.h>

/* What the sentence of each must say. */
static const struct {
	enum sample_kind kind;
	const char *name, *summary;
} rows[] = {
    {SAMPLE_WRONG, "wrong",
        "tape+x gives -2.5 for element [2] of the cotangent of input 0 where 2.5 is right: off by 5 where 1e-06 "
        "is allowed "
        "(vjp wrt [0], point 0)."},
    {SAMPLE_TIE, "tie", "where 2.5 is right, by other conventions at the tie 10.5: off by 5"},
    {SAMPLE_LAST, "last",
        "tape+x gives 99.5000001 for element [99] of the cotangent of input 0 where 99.5 is right: off by 1e-07 "
        "where 1e-06 is allowed (vjp wrt [0], point 0)."},
    {SAMPLE_PRIMAL, "primal",
        "tape+x gives 0 for element [1] of the result 0 where 6 is right: off by 6 where 1e-06 is allowed "
        "(vjp wrt [0], point 0)."},
    {SAMPLE_INTEGER, "integer",
        "tape+x gives 9007199254740992 for element [1] of the result 0 where 9007199254740993 is right: off by "
        "1 (vjp wrt [0], point 0)."},
    {SAMPLE_PRIMAL_REQUEST, "primal-request", "(primal, point 0)."},
    {SAMPLE_JVP, "jvp", "(jvp wrt [0], sin as sine, request as traced, point 0)."},
    {SAMPLE_NAN, "nan",
        "tape+x gives nan for element [0] of the cotangent of input 0 where 0.5 is right, though every "
        "operation on the "
        "path is inside its domain (vjp wrt [0], point 0)."},
    {SAMPLE_INACCURATE, "inaccurate",
        "off by 8 ulp; the best known formulas are off by at most 2.25 ulp; tanh: 1/cosh(a)^2"},
    {SAMPLE_CONVENTION, "convention", "one of the accepted conventions at a kink"},
    {SAMPLE_AGREE, "agree", "agrees with the truth in all 6 decided components"},
    {SAMPLE_SHAPE, "shape",
        "tape+x gives f64[2] for the cotangent of input 0, which is f64[3] (vjp wrt [0], point 0)."},
    {SAMPLE_COUNT_OF_RESULTS, "count", "tape+x gives 0 derivatives where 1 are due"},
    {SAMPLE_DTYPE, "dtype", "tape+x gives f32[3] for the cotangent of input 0, which is f64[3]"},
    {SAMPLE_MODIFIED, "modified", "tape+x wrote into its inputs"},
    {SAMPLE_CRASH, "crash", "the process of tape+x died: SIGSEGV (vjp wrt [0], point 0)."},
    {SAMPLE_RAISED, "raised", "tape+x answered an error: SIGSEGV (vjp wrt [0], point 0)."},
    {SAMPLE_HANG, "hang", "tape+x did not end: no answer within 5000 ms"},
    {SAMPLE_PROTOCOL, "protocol", "the answer of tape+x could not be understood: \"x\" \\ \n"},
    {SAMPLE_UNSUPPORTED, "unsupported", "tape+x does not answer this case: no sort"},
    {SAMPLE_UNDECIDED, "undecided", "nothing could be decided about tape+x: jump"},
    {SAMPLE_NONDETERMINISTIC, "nondeterministic",
        "tape+x gave 1 for element [0] of the cotangent of input 0 and, asked again, 2"},
    {SAMPLE_FOUND, "found", "-2.5"},
    {SAMPLE_CHARACTERIZED, "characterized", "-2.5"},
};

static const char *text_of(const struct json *root, const char *key)
{
	const struct json *v = root ? json_find(root, key) : NULL;

	return v && v->kind == JSON_STRING ? v->text : "";
}

static const struct json *child_at(const struct json *v, int index)
{
	const struct json *x = v ? v->child : NULL;

	while (x && index--)
		x = x->next;
	return x;
}

static void check_common(
    const char *name, const struct sample *s, const char *text, size_t len, const struct json *root, struct arena *a)
{
	struct error e = {.text = ""};
	struct testcase back;

	CHECK(!strcmp(text_of(root, "schema"), "adjudge.report/1"), "%s", name);
	CHECK(!strcmp(text_of(root, "verdict"), verdict_names[s->judgement.verdict]), "%s: %s", name,
	    text_of(root, "verdict"));
	CHECK(text[len - 1] == '\n' && text[len] == '\0' && strlen(text) == len, "%s: its end", name);
	CHECK(testcase_read(text, len, a, &back, &e), "%s: a report is no case: %s: %s", name, e.place, e.text);
	CHECK(e.text[0] || testcase_equal(&back, &s->c), "%s: another case came back", name);
	for (const char *p = text; *p; p++)
		CHECK((*p >= ' ' && *p <= '~') || *p == '\n', "%s: byte %d", name, *p);
}

static void test_rows(struct arena *a)
{
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		if (!row_wanted("%s", rows[k].name))
			continue;
		struct sample *s = sample_of(rows[k].kind, a), *again = sample_of(rows[k].kind, a);
		struct error e = {.text = ""};
		size_t len, len_again;
		char *text = report_write(&s->report, a, &len), *other = report_write(&again->report, a, &len_again);
		const struct json *root = json_read(text, len, a, &e);

		CHECK(root != NULL, "%s: %s: %s", rows[k].name, e.place, e.text);
		check_common(rows[k].name, s, text, len, root, a);
		CHECK(strstr(text_of(root, "summary"), rows[k].summary), "%s: '%s'", rows[k].name,
		    text_of(root, "summary"));
		CHECK(len == len_again && !memcmp(text, other, len), "%s: two reports differ", rows[k].name);
	}
}

/* The numbers of one report, member by member. */
static void test_members(struct arena *a)
{
	struct sample *s = sample_of(SAMPLE_FOUND, a);
	struct error e = {.text = ""};
	size_t len;
	char *text = report_write(&s->report, a, &len);
	const struct json *root = json_read(text, len, a, &e), *points, *elements, *found;

	CHECK(!strcmp(text_of(json_find(root, "expected"), "value"), "0x1.4p+1"), "expected %s", text);
	CHECK(!strcmp(text_of(json_find(root, "returned"), "value"), "-0x1.4p+1"), "returned");
	CHECK(!strcmp(text_of(root, "request"), "vjp wrt [0]"), "request");
	points = json_find(root, "points");
	CHECK(points && points->n_child == 2, "points");
	elements = json_find(child_at(json_find(child_at(points, 0), "derivative"), 0), "elements");
	CHECK(elements && elements->n_child == 3, "elements");
	CHECK(!strcmp(text_of(child_at(elements, 2), "verdict"), "wrong"), "element 2");
	CHECK(!strcmp(text_of(child_at(elements, 1), "verdict"), "agree"), "element 1");
	/* point 1 follows the second convention: it is shown against that one */
	elements = json_find(child_at(json_find(child_at(points, 1), "derivative"), 0), "elements");
	CHECK(!strcmp(text_of(child_at(elements, 0), "verdict"), "agree"), "the other point");
	found = json_find(root, "found");
	CHECK(!strcmp(text_of(found, "seed"), "0xfedcba9876543210"), "seed");
	CHECK(json_find(found, "minimize") && json_find(root, "versions"), "found, versions");
	CHECK(json_find(root, "program")->n_child >= 2, "program");
}

/* Of 100 elements 64 are listed: the one of the verdict, the one that is wrong, then the first ones. */
static void test_bound(struct arena *a)
{
	static const int first[] = {WIDE - 1, 80, 0, 1};
	struct sample *s = sample_of(SAMPLE_LAST, a);
	struct error e = {.text = ""};
	size_t len;
	char *text;
	const struct json *root, *tensor, *elements;
	int64_t number = 0;

	s->answer[0].derivative[0].at[80].f = 1e6;
	text = report_write(&s->report, a, &len);
	root = json_read(text, len, a, &e);
	tensor = child_at(json_find(child_at(json_find(root, "points"), 0), "derivative"), 0);
	elements = json_find(tensor, "elements");
	CHECK(elements->n_child == 64, "%d elements", elements->n_child);
	for (int i = 0; i < 4; i++)
		CHECK(json_int64(json_find(child_at(elements, i), "element"), &number, &e) && number == first[i],
		    "number %d is element %lld", i, (long long)number);
	CHECK(json_int64(json_find(tensor, "elements_left_out"), &number, &e) && number == WIDE - 64, "%lld left out",
	    (long long)number);
	CHECK(strstr(text_of(root, "summary"), "; 1 of 100 elements is wrong (vjp"), "%s", text_of(root, "summary"));
}

/* Of two variants of 15,000 numbers, there is room for one; a small one always fits. */
static void test_room(struct arena *a)
{
	enum { LARGE = 5000 };
	struct sample *s = sample_of(SAMPLE_CHARACTERIZED, a), *large = sample_new(LARGE, 1, TRANSFORM_VJP, a);
	struct characterization x = *s->report.characterization;
	const struct testcase *cases[] = {&large->c, &large->c, &s->c};
	struct variant_table table = x.table[0];
	struct variant_row row[3];
	const struct json *root, *found, *list;
	struct error e = {.text = ""};
	int64_t number;
	size_t len;
	char *text;

	for (int i = 0; i < 3; i++) {
		row[i] = table.row[0];
		row[i].case_number = i;
	}
	table.n_row = 3;
	table.row = row;
	x.table = &table;
	x.cases = cases;
	x.n_case = 3;
	x.n_statement = 0;
	x.condition = x.told = NULL;
	s->report.characterization = &x;
	text = report_write(&s->report, a, &len);
	root = json_read(text, len, a, &e);
	found = json_find(root, "characterization");
	list = json_find(child_at(json_find(found, "experiments"), 0), "rows");
	CHECK(json_find(found, "cases")->n_child == 2, "%d cases", json_find(found, "cases")->n_child);
	CHECK(!json_find(child_at(list, 1), "case"), "the second large case is there");
	CHECK(json_int64(json_find(child_at(list, 0), "case"), &number, &e) && number == 0, "the first");
	CHECK(json_int64(json_find(child_at(list, 2), "case"), &number, &e) && number == 1, "the small one");
}

/* Every format says the finding and what was found around it; nothing of it gives orders to a terminal. */
static void test_renderings(struct arena *a)
{
	struct sample *s = sample_of(SAMPLE_CHARACTERIZED, a);
	struct error e = {.text = ""};
	size_t len;
	char *source = report_write(&s->report, a, &len);
	const struct json *root = json_read(source, len, a, &e);

	for (const struct rendering *r = renderings; r->name; r++) {
		struct text out = {.arena = a};

		r->render(&out, root, source);
		if (!strcmp(r->name, "dot"))
			continue; /* the program alone */
		CHECK(strstr(out.at, "-2.5") && !strchr(out.at, '\x1b'), "%s: %s", r->name, out.at);
		if (!strcmp(r->name, "issue")) {
			CHECK(strstr(out.at, "\nimport torch\n") && strstr(out.at, "\n- Not a matter of the dtype."),
			    "no script, or nothing ruled out: %s", out.at);
			continue; /* no experiments */
		}
		CHECK(strstr(out.at, "The forward value is right."), "%s: %s", r->name, out.at);
		CHECK(strstr(out.at, "nan-leak") && strstr(out.at, "0.001"), "%s: the rows: %s", r->name, out.at);
	}
	CHECK(rendering_find("text") && !rendering_find("txt"), "names");
}

/* What the formats for people say beside the one expected number and the one that was returned. */
static void test_beside(struct arena *a)
{
	static const struct {
		enum sample_kind kind;
		const char *format, *says;
	} of_rows[] = {
	    {SAMPLE_TIE, "issue", "expected 2.5, or by another published convention at the tie 10.5, actual"},
	    {SAMPLE_TIE, "text", "tie 10.5: off by 5"},
	    {SAMPLE_TIE, "markdown", "| or by other conventions at the tie | 10.5 |"},
	    {SAMPLE_TIE, "html", "Other conventions at the tie give <span class=\"num\">10.5<"},
	    {SAMPLE_NONDETERMINISTIC, "issue", ", asked again **2**."},
	};

	for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
		struct sample *s = sample_of(of_rows[k].kind, a);
		struct error e = {.text = ""};
		struct text out = {.arena = a};
		size_t len;
		char *source = report_write(&s->report, a, &len);

		rendering_find(of_rows[k].format)->render(&out, json_read(source, len, a, &e), source);
		CHECK(strstr(out.at, of_rows[k].says), "%s: %s", of_rows[k].format, out.at);
	}
}

static int write_all(const char *dir, struct arena *a)
{
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct sample *s = sample_of(rows[k].kind, a);
		struct error e = {.text = ""};
		size_t len;
		char *text = report_write(&s->report, a, &len);

		if (!file_write_atomic(dir, arena_printf(a, "%s.json", rows[k].name), text, len, &e)) {
			fprintf(stderr, "%s\n", e.text);
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct arena a;
	int code;

	arena_init(&a, (size_t)1 << 28);
	if (argc == 3 && !strcmp(argv[1], "write")) {
		code = write_all(argv[2], &a);
		arena_free(&a);
		return code;
	}
	check_begin(argc, argv);
	test_rows(&a);
	CHECK_LAW(test_members(&a));
	CHECK_LAW(test_bound(&a));
	CHECK_LAW(test_room(&a));
	CHECK_LAW(test_renderings(&a));
	CHECK_LAW(test_beside(&a));
	arena_free(&a);
	return check_done();
}

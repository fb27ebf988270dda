/* Renderings: nothing that a report or a path holds reaches a reader as more than text; drawings keep their boxes
 * apart; indexes group and order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/testcase.h"
#include "reports/escape.h"
#include "reports/file.h"
#include "reports/graph_layout.h"
#include "reports/graph_route.h"
#include "reports/index.h"
#include "reports/view.h"
#include "tests/check.h"

/* ---- a report whose texts are all the same hostile one ---- */

static const char small_case[] = "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: f64[]\"],\"body\":[{\"out\":[\"y: "
                                 "f64[]\"],\"op\":\"sin\",\"args\":[\"x\"]}],"
                                 "\"outputs\":[\"y\"],\"points\":[[\"0x1p+0\"]],\"transforms\":[]}";

static const char *quoted(const char *text, struct arena *a)
{
	struct json_writer w = json_writer_new(a, false);
	size_t len;

	json_put_string(&w, text);
	return json_finish(&w, &len);
}

static const char *report_of(const char *text, struct arena *a)
{
	const char *q = quoted(text, a);

	return arena_printf(a,
	    "{\"schema\":\"adjudge.report/1\",\"signature\":%s,\"engine\":%s,\"spellings\":%s,\"engine_version\":%s,"
	    "\"verdict\":%s,\"deviation\":\"none\",\"summary\":%s,\"request\":%s,"
	    "\"where\":{\"point\":0,\"of\":%s},\"expected\":{\"type\":%s},\"returned\":{\"type\":%s},"
	    "\"points\":[{\"text\":%s,\"derivative\":[{\"of\":%s,\"type\":%s,\"elements\":[{\"element\":0,"
	    "\"reason\":%s}]}]}],\"program\":[%s],"
	    "\"typical\":{\"summary\":%s,\"request\":%s,"
	    "\"where\":{\"point\":0,\"of\":%s},"
	    "\"program\":[%s],\"points\":[{\"text\":%s}]},"
	    "\"characterization\":{\"cause\":%s,\"statements\":[{\"kind\":\"shown\",\"text\":%s},"
	    "{\"kind\":\"ruled-out\",\"text\":%s}],"
	    "\"condition\":{\"text\":%s,"
	    "\"failing\":{\"with\":1,\"of\":1},"
	    "\"passing\":{\"without\":1,\"of\":1}},\"first_departure\":{\"line\":0,\"sentence\":%s},"
	    "\"experiments\":[{\"title\":%s,\"varies\":%s,\"columns\":[%s],"
	    "\"rows\":[{\"cells\":[%s],\"engine\":%s,\"verdict\":%s,\"fails\":true}]}]},"
	    "\"versions\":{\"adjudge\":%s},\"script\":{\"language\":%s,\"text\":%s},\"case\":%s}",
	    q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q,
	    small_case);
}

static const char *rendered(const char *format, const char *text, struct arena *a)
{
	const char *source = report_of(text, a);
	struct index_group group = {.fine = text,
	    .engine = text,
	    .engine_version = text,
	    .request = text,
	    .verdict = text,
	    .deviation = text,
	    .summary = text,
	    .count = 1,
	    .first_case = 1,
	    .n_report = 1,
	    .n_also = 1,
	    .report = &text,
	    .also = &text};
	struct index index = {.n_group = 1, .n_report = 1, .n_unreadable = 1, .group = &group, .unreadable = &text};
	struct text out = {.arena = a};
	struct error e = {0};
	const struct json *root;

	if (!strcmp(format, "comment")) {
		text_put_escaped(&out, ESCAPE_COMMENT, text);
	} else if (!strcmp(format, "index html")) {
		index_html(&out, &index, NULL);
	} else if (!strcmp(format, "index markdown")) {
		index_markdown(&out, &index);
	} else {
		root = json_read(source, strlen(source), a, &e);
		CHECK(root, "%s: %s in %s", e.place, e.text, source);
		if (!root)
			exit(check_done());
		rendering_find(format)->render(&out, root, source);
	}
	return out.at;
}

/* Without fenced blocks and code spans, where nothing has a meaning but what ends them. */
static const char *without_code(const char *text, struct arena *a)
{
	char *out = NEW(a, char, strlen(text) + 1), *to = out;
	bool fenced = false, span = false;

	for (bool start = true; *text; start = *text++ == '\n') {
		if (start && !strncmp(text, "```", 3)) {
			fenced = !fenced;
			text += strcspn(text, "\n");
		}
		span = *text != '\n' && (*text == '`' ? !span : span);
		if (!fenced && !span)
			*to++ = *text;
	}
	return out;
}

/* A line of it, blanks in front apart, begins with `start`. */
static bool line_begins(const char *text, const char *start)
{
	while (*text) {
		text += strspn(text, " \t\n");
		if (!strncmp(text, start, strlen(start)))
			return true;
		text += strcspn(text, "\n");
	}
	return false;
}

/*
 * formats: letters of those it is tried in: h HTML, m Markdown, p its prose, s an issue, q its prose, d DOT, i and j
 * the indexes as HTML and Markdown, c a comment in source.  `bad` must not be in what is rendered, or begin no line of
 * it; as it stands the text has it, so that without the escape the row fails.
 */
static const struct row {
	const char *formats, *text, *bad;
	bool at_line_start;
} rows[] = {
    {"hpqij", "<script>alert(1)</script>", "<script", false},
    {"hpqij", "</title></pre><img src=x onerror=alert(1)>", "<img", false},
    {"hi", "x\" onload=\"alert(1)", "\" onload", false},
    {"hi", "x' onload='alert(1)", "' onload", false},
    {"hi", "&lt;b&gt;", "&lt;b", false},
    {"pqj", "@everyone", "@everyone", false},
    {"pqj", "see #123", "#123", false},
    {"pqj", "a | b | c", "a | b", false},
    {"pqj", "[click](https://example.org)", "[click](", false},
    {"pqj", "![picture](https://example.org/x.png)", "![picture]", false},
    {"pqj", "https://example.org", "https://", false},
    {"pqj", "see www.example.org", " www.e", false},
    {"pqj", "**bold** _it_ `code` ~no~ $x$", "**bold**", false},
    {"j", "`code`", "`code`", false},
    {"m", "```\n# not a heading", "\n# not", false},
    {"d", "x\"]; n9 [label=\"y", "x\"]", false},
    {"d", "x\\", "x\\\"", false},
    {"c", "ends */ int x; /* begins", "*/", false},
    {"c", "ends */ int x; /* begins", "/*", false},
    {"c", "*/*/*", "*/", false},
    {"c", "*/*/*", "/*", false},
    {"c", "/*/*/", "*/", false},
    {"c", "a line\nimport os", "\n", false},
    {"c", "a line\rimport os", "\r", false},
    {"hmsdijc", "\x1b[31mred\x1b]0;title\x07", "\x1b", false},
    {"hmsdijc",
        "\xc2\x9b"
        "31mred",
        "\xc2\x9b", false},
    {"hmsdijc",
        "\xe2\x80\xae"
        "reversed",
        "\xe2\x80\xae", false},
    {"hmsdij", "x\n::error file=a::b", "::error", true},
    {"hmsij", "::error file=a::b", "::error", true},
    {"hmsdij", "x ##[error]b", "##[", false},
};

static void test_injection(struct arena *a)
{
	static const struct {
		char letter;
		const char *name;
	} formats[] = {{'h', "html"}, {'s', "issue"}, {'m', "markdown"}, {'p', "markdown"}, {'q', "issue"},
	    {'d', "dot"}, {'i', "index html"}, {'j', "index markdown"}, {'c', "comment"}};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("injection: %s, %s", rows[k].formats, rows[k].text))
			for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
				const struct row *r = &rows[k];
				const char *text, *raw = arena_printf(a, "\"%s\"\n%s", r->text, r->text);

				if (!strchr(r->formats, formats[f].letter))
					continue;
				text = rendered(formats[f].name, r->text, a);
				if (formats[f].letter == 'p' || formats[f].letter == 'q')
					text = without_code(text, a);
				CHECK(r->at_line_start ? !line_begins(text, r->bad) : !strstr(text, r->bad),
				    "%s: row %d: %s\n%.2000s", formats[f].name, (int)k, r->text, text);
				CHECK(r->at_line_start ? line_begins(raw, r->bad) : strstr(raw, r->bad) != NULL,
				    "row %d cannot fail", (int)k);
			}
}

/* A fence is longer than any inside. */
static void test_fence(struct arena *a)
{
	static const char *const format[] = {"markdown", "issue"};

	for (int k = 0; k < 2; k++) {
		const char *text = rendered(format[k], "````", a);

		CHECK(line_begins(text, "`````"), "the fence is as short as what it fences: %s", text);
	}
}

/* ---- drawings ---- */

static bool inside(const struct box *in, const struct box *out)
{
	return in->x >= out->x && in->y >= out->y && in->x + in->w <= out->x + out->w &&
	    in->y + in->h <= out->y + out->h;
}

static bool apart(const struct box *x, const struct box *y)
{
	return x->x + x->w <= y->x || y->x + y->w <= x->x || x->y + x->h <= y->y || y->y + y->h <= x->y;
}

/* Boxes of one parent do not overlap, each is inside its parent, and what uses a value is below what makes it. */
static void check_drawing(const char *path, const struct drawing *d)
{
	for (int k = 0; k < d->n_box; k++) {
		const struct box *b = &d->box[k];

		CHECK(b->x >= 0 && b->y >= 0 && b->x + b->w <= d->w && b->y + b->h <= d->h, "%s: box %d is outside",
		    path, k);
		CHECK(
		    b->parent < 0 || inside(b, &d->box[b->parent]), "%s: box %d is not inside %d", path, k, b->parent);
		for (int i = 0; i < k; i++)
			CHECK(d->box[i].parent != b->parent || apart(b, &d->box[i]), "%s: boxes %d and %d overlap",
			    path, i, k);
	}
	for (int k = 0; k < d->n_curve; k++)
		CHECK(d->curve[k].captured || d->curve[k].y0 < d->curve[k].y1, "%s: curve %d leads up", path, k);
}

/* A curve around boxes has room beside all that may be in its way.  Returns how many there are. */
static int check_sides(const char *path, const struct drawing *d)
{
	int n = 0;

	for (int k = 0; k < d->n_curve; k++) {
		const struct curve *c = &d->curve[k];

		if (!c->around)
			continue;
		n++;
		CHECK(c->y0 <= c->top && c->top < c->bottom && c->bottom < c->y1, "%s: curve %d leads up", path, k);
		for (int i = 0; i < d->n_box; i++) {
			const struct box *b = &d->box[i];

			CHECK(!graph_in_the_way(d, c, i) || c->side <= b->x - 5 || c->side >= b->x + b->w + 5 ||
			        c->bottom <= b->y || c->top >= b->y + b->h,
			    "%s: curve %d crosses box %d", path, k, i);
		}
	}
	return n;
}

/* A value that is used by its neighbour and again further down. */
static void test_routes(struct arena *a)
{
	static const struct {
		const char *results;
		int around;
	} uses[] = {{"\"y\"", 0}, {"\"x\",\"y\"", 1}, {"\"y\",\"x\"", 1}};

	for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
		const char *text = arena_printf(a,
		    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: f64[]\"],"
		    "\"body\":[{\"out\":[\"y\"],\"op\":\"sin\",\"args\":[\"x\"]}],"
		    "\"results\":[%s],\"points\":[[1]],\"request\":[]}",
		    uses[k].results);
		struct error e = {0};
		struct testcase c;
		struct drawing d;

		CHECK(testcase_read(text, strlen(text), a, &c, &e), "%s: %s", e.place, e.text);
		d = graph_layout(&c.program, a);
		CHECK(
		    check_sides(uses[k].results, &d) == uses[k].around, "%s: not %d", uses[k].results, uses[k].around);
	}
}

static void test_drawings(struct arena *a)
{
	static const char *const cases[] = {"corpus/documents/nx-while-acc-mul-x-n3.json",
	    "corpus/documents/xla-where-sqrt-mixed.json", "corpus/regressions/solution-that-outgrows-the-trace.json",
	    "corpus/regressions/accumulator-shared-by-slices.json"};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		if (!row_wanted("drawings: %s", cases[k]))
			continue;
		struct error e = {0};
		struct testcase c;
		struct drawing d;

		CHECK(testcase_read_file(cases[k], a, &c, &e), "%s: %s", e.place, e.text);
		if (*e.text)
			continue;
		d = graph_layout(&c.program, a);
		CHECK(d.n_box > 3, "%s: %d boxes", cases[k], d.n_box);
		check_drawing(cases[k], &d);
		check_sides(cases[k], &d);
	}
}

/* ---- indexes ---- */

static char base[] = "/tmp/adjudge-test-index-XXXXXX";

static void write_report_as(
    const char *name, const char *fine, const char *verdict, const char *deviation, struct arena *a)
{
	struct error e = {0};
	const char *text = arena_printf(a,
	    "{\"schema\":\"adjudge.report/1\",\"signature\":\"e|vjp|%s|%s\",\"fine\":\"%s\","
	    "\"engine\":\"e\",\"engine_version\":\"name 2.5\",\"verdict\":\"%s\","
	    "\"deviation\":\"finite\",\"summary\":\"s\",\"request\":\"vjp wrt [0]\",\"program\":[\"v1: f64[] = "
	    "sin v0\"]}",
	    verdict, deviation, fine, verdict);

	CHECK(file_write_atomic(base, name, text, strlen(text), &e), "%s", e.text);
}

static void write_report(const char *name, const char *fine, const char *verdict, struct arena *a)
{
	write_report_as(name, fine, verdict, "finite", a);
}

static struct index sample_index(struct arena *a)
{
	static const char summary[] = "{\"findings\":[{\"file\":\"d.json\",\"count\":1,\"first_case\":3,"
	                              "\"faces\":[\"e|vjp|nan-leak|finite\",\"e|jvp|nan-leak|finite\"],"
	                              "\"also\":[\"e|vjp|take\"]}],"
	                              "\"declared\":[{\"file\":\"f.json\",\"count\":8,\"first_case\":5}]}";
	struct error e = {0};
	struct index x;

	write_report("a.json", "e|vjp|for{mul}", "wrong", a);
	write_report("b.json", "e|vjp|for{mul}", "wrong", a);
	write_report("c.json", "e|vjp|for{add+mul}", "wrong", a);
	write_report("d.json", "e|vjp|gather", "nan-leak", a);
	write_report_as("f.json", "e|*|nan-leak|declared", "nan-leak", "declared", a);
	CHECK(file_write_atomic(base, "e.json", "no report", 9, &e), "%s", e.text);
	CHECK(file_write_atomic(base, "summary.json", summary, strlen(summary), &e), "%s", e.text);
	CHECK(index_read(base, a, &x, &e), "%s: %s", e.place, e.text);
	return x;
}

static void test_index(struct arena *a)
{
	struct index x = sample_index(a), none;
	struct error e = {0};

	CHECK(x.n_report == 5 && x.n_unreadable == 1 && x.n_group == 4, "%d reports, %d unreadable, %d groups",
	    x.n_report, x.n_unreadable, x.n_group);
	if (x.n_group != 4)
		return;
	CHECK(!strcmp(x.group[0].fine, "e|vjp|for{mul}") && x.group[0].count == 2 && x.group[0].n_report == 2,
	    "the most frequent is first: %s", x.group[0].fine);
	CHECK(!strcmp(x.group[1].fine, "e|vjp|gather"), "the least like it is second: %s", x.group[1].fine);
	CHECK(x.group[1].first_case == 3 && x.group[1].n_signature == 2, "the campaign's: case %lld, %d signatures",
	    (long long)x.group[1].first_case, x.group[1].n_signature);
	CHECK(x.group[1].n_also == 1 && !strcmp(x.group[1].also[0], "e|vjp|take") && !x.group[0].n_also,
	    "what is the same bug, of this group: %d", x.group[1].n_also);
	CHECK(!strcmp(index_title(&x, a), "3 findings, and 1 declared"), "%s", index_title(&x, a));
	CHECK(x.group[3].declared, "what is declared comes last");
	for (int k = 0; k < x.n_group; k++)
		CHECK(x.group[k].declared == (x.group[k].count == 8) &&
		        (!x.group[k].declared || x.group[k].first_case == 5),
		    "what is declared has its own count: %s, %lld", x.group[k].fine, (long long)x.group[k].count);
	struct text page = {.arena = a};
	index_markdown(&page, &x);
	CHECK(strstr(page.at, "| e (name 2.5) |"), "the engine's version: %s", page.at);
	CHECK(!index_read("/nowhere/at/all", a, &none, &e) && *e.text, "a directory that is not there");
}

/* A ratio close to 1 says how close. */
static void check_ratios(struct arena *a)
{
	static const struct {
		const char *row, *text;
	} rows[] = {{"{\"ratio\":\"0.9999999999999976\"}", "1-2.4e-15"}, {"{\"ratio\":\"1.000001\"}", "1+1e-06"},
	    {"{\"ratio\":\"1\"}", "1"}, {"{\"ratio\":\"-0.5\"}", "-0.5"}, {"{}", ""}};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct error e = {0};
		const struct json *row = json_read(rows[k].row, strlen(rows[k].row), a, &e);

		CHECK(row && !strcmp(view_ratio(row, a), rows[k].text), "%s: %s", rows[k].row,
		    row ? view_ratio(row, a) : e.text);
	}
}

/* What stands in column "expected" of a row. */
static void check_first(struct arena *a)
{
	static const struct {
		const char *row, *text;
	} of_rows[] = {{"{\"verdict\":\"wrong\",\"expected\":\"0.5\"}", "0.5"},
	    {"{\"verdict\":\"nondeterministic\",\"expected\":\"0.5\"}", "first 0.5"},
	    {"{\"verdict\":\"nondeterministic\",\"expected\":\"0.5\",\"elements\":{\"expected\":[1,2]}}",
	        "first [1, 2]"},
	    {"{\"verdict\":\"nondeterministic\"}", ""}};

	for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
		struct error e = {0};
		const struct json *row = json_read(of_rows[k].row, strlen(of_rows[k].row), a, &e);

		CHECK(row && !strcmp(view_value(row, "expected", a), of_rows[k].text), "%s: %s", of_rows[k].row,
		    row ? view_value(row, "expected", a) : e.text);
	}
}

/* How well a condition separates; with no variants that pass there is nothing to separate. */
static void check_counts(struct arena *a)
{
	static const struct {
		const char *condition, *text;
	} of_rows[] = {
	    {"{\"failing\":{\"with\":9,\"of\":10},\"passing\":{\"without\":4,\"of\":5}}",
	        "The condition holds for 9 of 10 variants that fail and for 1 of 5 that pass."},
	    {"{\"failing\":{\"with\":110,\"of\":110},\"passing\":{\"without\":0,\"of\":0}}",
	        "110 variants count for this."},
	};

	for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
		struct error e = {0};
		const struct json *c = json_read(of_rows[k].condition, strlen(of_rows[k].condition), a, &e);

		CHECK(c && !strcmp(view_counts(c, a), of_rows[k].text), "%s: %s", of_rows[k].condition,
		    c ? view_counts(c, a) : e.text);
	}
}

/* Every format for people shows what is asked: the points, of many of them the judged one too, and the seeds. */
static void check_asked(struct arena *a)
{
	static const char *const formats[] = {"text", "markdown", "html", "issue"};
	static const struct {
		const char *results, *points;
		int judged;
		const char *request, *says[3], *only; /* NULL: in all formats */
	} of_rows[] = {
	    {"\"y\"", "[\"0x1p-1\"]", 0, "{\"transform\":\"jvp\",\"wrt\":[0],\"tangents\":[\"0x1.6p+0\"]}",
	        {"request: jvp with respect to v0; tangents 1.375"}},
	    {"\"y\",\"x\"", "[\"0x1p-1\"]", 0,
	        "{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[\"0x1.6p+0\",\"0x1p+1\"]}",
	        {"request: vjp with respect to v0; cotangents 1.375, 2"}},
	    {"\"y\"", "[\"0x1p-1\"]", 0,
	        "{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[\"0x1p+0\"]},"
	        "{\"transform\":\"jvp\",\"wrt\":[0],\"tangents\":[\"0x1.6p+0\"]}",
	        {"cotangents 1; then jvp with respect to v0; tangents 1.375"}},
	    {"\"y\"", "[\"0x1p-1\"]", 0, "", {"request: the primal alone"}},
	    {"\"y\"", "[\"0x1p-1\"],[\"0x1p+1\"]", 1, "", {"point 0: v0 = 0.5", "point 1: v0 = 2"}},
	    {"\"y\"", "[1.0],[2.0],[3.0],[4.0],[5.0],[6.0],[7.0],[8.0],[9.0],[9.5]", 9, "",
	        {"point 6: v0 = 7", "point 9: v0 = 9.5", "and 2 other points"}},
	    {"\"y\"", "[\"0x1p-1\"],[\"0x1p+1\"]", 1, "", {"point 1, result 0: expected 2, actual"}, "issue"},
	};

	for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
		for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
			const char *source = arena_printf(a,
			    "{\"schema\":\"adjudge.report/1\",\"request\":\"vjp wrt [0]\",\"where\":{\"point\":%d,"
			    "\"of\":\"result 0\"},\"expected\":{\"decimal\":2},\"points\":[{},{}],"
			    "\"case\":{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: f64[]\"],\"body\":["
			    "{\"out\":[\"y: f64[]\"],\"op\":\"sin\",\"args\":[\"x\"]}],"
			    "\"results\":[%s],\"points\":[%s],\"request\":[%s]}}",
			    of_rows[k].judged, of_rows[k].results, of_rows[k].points, of_rows[k].request);
			struct text out = {.arena = a};
			struct error e = {0};
			const struct json *root = json_read(source, strlen(source), a, &e);
			struct testcase c;

			if (!row_wanted("asked: %s, %d", formats[f], (int)k) ||
			    (of_rows[k].only && strcmp(of_rows[k].only, formats[f]) != 0))
				continue;
			CHECK(
			    root && testcase_read_value(json_find(root, "case"), a, &c, &e), "%s: %s", e.place, e.text);
			if (!root || *e.text)
				continue;
			rendering_find(formats[f])->render(&out, root, source);
			for (int i = 0; i < 3 && of_rows[k].says[i]; i++) {
				const char *says = of_rows[k].says[i];

				if (!strcmp(formats[f], "markdown") && !strncmp(says, "request", 7))
					says++; /* there it begins a sentence */
				CHECK(strstr(out.at, says), "%s lacks \"%s\": %s", formats[f], says, out.at);
			}
		}
}

/* Every format for people shows the condition that is told, not the one that separates best. */
static void check_told(struct arena *a)
{
	static const char *const formats[] = {"text", "markdown", "html"};
	static const char source[] = "{\"schema\":\"adjudge.report/1\",\"characterization\":{\"condition\":{\"text\":"
	                             "\"It separates.\"},\"told\":{\"text\":\"It is told.\"}}}";

	for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
		if (!row_wanted("told: %s", formats[k]))
			continue;
		struct text out = {.arena = a};
		struct error e = {0};
		const struct json *root = json_read(source, strlen(source), a, &e);

		CHECK(root, "%s", e.text);
		if (!root)
			continue;
		rendering_find(formats[k])->render(&out, root, source);
		CHECK(strstr(out.at, "It is told.") && !strstr(out.at, "It separates."), "%s: %s", formats[k], out.at);
	}
}

int main(int argc, char **argv)
{
	char command[128];
	struct index x;
	struct arena a;
	size_t len;

	if (!mkdtemp(base))
		return 1;
	arena_init(&a, (size_t)1 << 29);
	if (argc == 2 && !strcmp(argv[1], "index")) {
		x = sample_index(&a);
		fputs(index_json(&x, &a, &len), stdout);
	} else {
		check_begin(argc, argv);
		test_injection(&a);
		check_asked(&a);
		check_counts(&a);
		check_first(&a);
		check_told(&a);
		check_ratios(&a);
		CHECK_LAW(test_fence(&a));
		test_drawings(&a);
		test_routes(&a);
		CHECK_LAW(test_index(&a));
	}
	arena_free(&a);
	snprintf(command, sizeof command, "rm -rf '%s'", base);
	if (system(command))
		return 1;
	return argc == 2 && !strcmp(argv[1], "index") ? 0 : check_done(); /* the index is all that is printed */
}

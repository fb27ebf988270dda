/*
 * Reports of every verdict, from truths and answers made up here: no engine and no oracle runs.
 * `test_reports_report write DIR` writes them as files, for the schema test.
 */
#include "graph/json.h"
#include "reports/characterization.h"
#include "reports/file.h"
#include "reports/render.h"
#include "reports/report.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 100 };

/* One finding with all it points to. */
struct sample {
	struct report report;
	struct testcase c;
	struct truth truth;
	struct answer answer[2];
	struct judgement judgement;
};

/* y = sin(x) * x over f64[extent], two points, vjp or jvp wrt [0], or the primal alone. */
static struct testcase sample_case(int extent, int n_transform, enum transform_kind kind, struct arena *a)
{
	struct type vector = {DTYPE_F64, {1, {extent}}};
	struct testcase c = {0};
	struct builder b = {0};
	int x, y;

	build_begin(&b, a);
	x = build_input(&b, &vector);
	y = build_node(&b, OP_SIN, &x, 1, NULL, NULL);
	y = build_node(&b, OP_MUL, (const int[]){y, x}, 2, NULL, NULL);
	c.program = build_end(&b, &y, 1);
	c.n_point = 2;
	c.point = NEW(a, struct tensor *, 2);
	for (int k = 0; k < 2; k++) {
		c.point[k] = NEW(a, struct tensor, 1);
		c.point[k][0] = tensor_new(a, &vector);
		for (int i = 0; i < extent; i++)
			c.point[k][0].at[i].f = 0.25 * i + k;
	}
	c.n_transform = n_transform;
	c.transform = NEW(a, struct transform, 1);
	c.transform[0].kind = kind;
	c.transform[0].n_wrt = 1;
	c.transform[0].wrt = NEW(a, int, 1);
	c.transform[0].n_seed = 1;
	c.transform[0].seed = NEW(a, struct tensor, 1);
	c.transform[0].seed[0] = tensor_new(a, &vector);
	c.transform[0].seed[0].at[0].f = 1;
	return c;
}

static struct truth_tensor sample_truth(const struct type *t, double value, struct arena *a)
{
	struct truth_tensor out = {*t, NEW(a, struct component, shape_elements(&t->shape))};

	for (int i = 0; i < shape_elements(&t->shape); i++)
		out.at[i] = (struct component){
		    .value = value + i, .low = 1e-20, .tight = 1e-12, .loose = 1e-6, .magnitude = 2, .in_domain = true};
	return out;
}

static struct tensor sample_answer(const struct truth_tensor *truth, struct arena *a)
{
	struct tensor t = tensor_new(a, &truth->type);

	for (int i = 0; i < shape_elements(&truth->type.shape); i++)
		t.at[i].f = truth->at[i].value;
	return t;
}

/* A right answer to an undisputed truth; rows then spoil it.  Two assignments of conventions at point 1. */
static struct sample *sample_new(int extent, int n_transform, enum transform_kind kind, struct arena *a)
{
	struct sample *s = NEW(a, struct sample, 1);
	struct type type = {DTYPE_F64, {1, {extent}}};

	s->c = sample_case(extent, n_transform, kind, a);
	s->truth.n_point = 2;
	s->truth.point = NEW(a, struct truth_point, 2);
	for (int k = 0; k < 2; k++) {
		struct truth_point *p = &s->truth.point[k];

		p->n_primal = 1;
		p->primal = NEW(a, struct truth_tensor, 1);
		p->primal[0] = sample_truth(&type, 5, a);
		p->n_derivative = n_transform ? 1 : 0;
		p->n_assignment = 1 + k;
		p->derivative = NEW(a, struct truth_tensor *, 2);
		for (int v = 0; v < 2; v++) {
			p->derivative[v] = NEW(a, struct truth_tensor, 1);
			p->derivative[v][0] = sample_truth(&type, 0.5 + 8 * v, a);
		}
		p->kink = k;
		p->fd = (struct fd_evidence){FD_AGREES, REASON_NONE, 128, -60, true, k == 0, 0.5, 0.5, 1e-18, -1};
		s->answer[k].text = "";
		s->answer[k].n_primal = 1;
		s->answer[k].primal = NEW(a, struct tensor, 1);
		s->answer[k].primal[0] = sample_answer(&p->primal[0], a);
		s->answer[k].n_derivative = p->n_derivative;
		s->answer[k].derivative = NEW(a, struct tensor, 1);
		s->answer[k].derivative[0] = sample_answer(&p->derivative[k][0], a);
	}
	s->judgement.verdict = VERDICT_AGREE;
	s->judgement.decided = 2 * extent;
	s->report = (struct report){.signature = "tape+x|vjp|wrong|finite",
	    .engine = "tape+x",
	    .engine_version = "adjudge 9.8",
	    .c = &s->c,
	    .truth = &s->truth,
	    .answers = s->answer,
	    .judgement = &s->judgement};
	return s;
}

/* Point 0, tensor 0, `element` holds `returned`. */
static void spoil(struct sample *s, enum verdict v, int element, double returned, bool in_primal)
{
	const struct component *c = in_primal ? &s->truth.point[0].primal[0].at[element]
	                                      : &s->truth.point[0].derivative[0][0].at[element];

	(in_primal ? s->answer[0].primal : s->answer[0].derivative)[0].at[element].f = returned;
	s->judgement.verdict = v;
	s->judgement.element = element;
	s->judgement.in_primal = in_primal;
	s->judgement.expected = c->value;
	s->judgement.returned = returned;
	s->judgement.radius = c->loose;
	s->judgement.deviation = isnan(returned) ? DEVIATION_NAN : DEVIATION_FINITE;
}

static void spoil_status(struct sample *s, enum verdict v, enum answer_status status, const char *text)
{
	for (int k = 0; k < 2; k++)
		s->answer[k] = (struct answer){.status = status, .text = text};
	s->judgement.verdict = v;
	s->judgement.decided = 0;
}

/* One row: what is spoiled and what the sentence must say. */
enum sample_kind {
	SAMPLE_WRONG,
	SAMPLE_LAST,
	SAMPLE_PRIMAL,
	SAMPLE_INTEGER,
	SAMPLE_PRIMAL_REQUEST,
	SAMPLE_JVP,
	SAMPLE_NAN,
	SAMPLE_INACCURATE,
	SAMPLE_CONVENTION,
	SAMPLE_AGREE,
	SAMPLE_SHAPE,
	SAMPLE_COUNT_OF_RESULTS,
	SAMPLE_DTYPE,
	SAMPLE_MODIFIED,
	SAMPLE_CRASH,
	SAMPLE_RAISED,
	SAMPLE_HANG,
	SAMPLE_PROTOCOL,
	SAMPLE_UNSUPPORTED,
	SAMPLE_UNDECIDED,
	SAMPLE_NONDETERMINISTIC,
	SAMPLE_FOUND,
	SAMPLE_CHARACTERIZED
};

static const struct {
	enum sample_kind kind;
	const char *name, *summary;
} rows[] = {
    {SAMPLE_WRONG, "wrong",
        "tape+x gives -2.5 for element [2] of the cotangent of input 0 where 2.5 is right: off by 5 where 1e-06 "
        "is allowed "
        "(vjp wrt [0], point 0)."},
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

/* A table of every kind of row, a statement of every kind, and every other member. */
static const struct characterization *sample_characterization(struct sample *s, struct arena *a)
{
	static const char *const columns[] = {"x", "n"};
	static const char *cells[] = {"0.001", "3"}, *skipped[] = {"orders"}, *alternatives[] = {"a loop runs"};
	static double pair[2][2] = {{1, 2}, {NAN, INFINITY}};
	static int first[] = {0, 1};
	static struct variant_row row[] = {
	    {.cell = cells,
	        .verdict = VERDICT_WRONG,
	        .decided = true,
	        .fails = true,
	        .of = "cotangent of input 0",
	        .expected = 3e-6,
	        .returned = 1,
	        .radius = 1e-20,
	        .text = ""},
	    {.cell = cells,
	        .engine = "tape",
	        .verdict = VERDICT_NAN_LEAK,
	        .decided = true,
	        .of = "cotangent of input 0",
	        .expected = 1,
	        .returned = NAN,
	        .n_element = 2,
	        .element_expected = pair[0],
	        .element_returned = pair[1],
	        .has_sum = true,
	        .sum_expected = 3,
	        .sum_returned = NAN,
	        .text = ""},
	    {.cell = cells, .verdict = VERDICT_UNDECIDED, .reason = REASON_JUMP, .text = ""},
	    {.cell = cells,
	        .verdict = VERDICT_CRASH,
	        .decided = true,
	        .fails = true,
	        .text = "SIGSEGV \"\x1b[31m\" <b>"},
	};
	static struct variant_table table = {.id = "points",
	    .title = "Points",
	    .varies = "the point",
	    .n_column = 2,
	    .column = columns,
	    .n_row = 4,
	    .row = row};
	static struct support support = {0, 2, first};
	static struct statement statement[] = {
	    {"forward", "The forward value is right.", STATEMENT_SHOWN, 1, &support},
	    {"dtype", "Not a matter of the dtype.", STATEMENT_RULED_OUT, 0, NULL},
	    {"others", "No other engine was there.", STATEMENT_OPEN, 0, NULL},
	};
	static struct condition condition = {.n_term = 1,
	    .term = {{"step-depends", "a step depends on x", true}},
	    .text = "it depends",
	    .failing = 4,
	    .failing_with = 3,
	    .passing = 2,
	    .passing_without = 2,
	    .n_exception = 1,
	    .exception = &support,
	    .n_alternative = 1,
	    .alternative = alternatives,
	    .held_out = 10,
	    .predicted = 9};
	static struct departure departure = {
	    1, "mul", "v2 = mul(v1, v0)", "The result of mul is the first that is wrong.", {0, 2, first}};
	struct characterization *x = NEW(a, struct characterization, 1);
	const struct testcase **cases = NEW(a, const struct testcase *, 1);

	cases[0] = &s->c;
	*x = (struct characterization){.typical = {&s->c, &s->truth, s->answer, &s->judgement, 9, 3},
	    .cause = "The gradient with respect to x is dropped: it is 0.",
	    .runs = 4,
	    .finished = false,
	    .n_skipped = 1,
	    .skipped = skipped,
	    .n_table = 1,
	    .table = &table,
	    .n_statement = 3,
	    .statement = statement,
	    .condition = &condition,
	    .told = &condition,
	    .departure = &departure,
	    .n_case = 1,
	    .cases = cases};
	return x;
}

static struct sample *sample_of(enum sample_kind kind, struct arena *a)
{
	bool primal = kind == SAMPLE_PRIMAL_REQUEST;
	struct sample *s = sample_new(
	    kind == SAMPLE_LAST ? WIDE : 3, !primal, kind == SAMPLE_JVP ? TRANSFORM_JVP : TRANSFORM_VJP, a);
	struct type two = {DTYPE_F64, {1, {2}}}, narrow = {DTYPE_F32, {1, {3}}};

	switch (kind) {
	case SAMPLE_CHARACTERIZED:
		s->report.characterization = sample_characterization(s, a);
		s->report.script = "judge = print\nimport torch\n";
		s->report.script_suffix = "py";
		spoil(s, VERDICT_WRONG, 2, -2.5, false);
		break;
	case SAMPLE_WRONG:
		spoil(s, VERDICT_WRONG, 2, -2.5, false);
		s->judgement.deviation = DEVIATION_SIGN;
		break;
	case SAMPLE_LAST:
		spoil(s, VERDICT_WRONG, WIDE - 1, 99.5 + 1e-7, false);
		break;
	case SAMPLE_PRIMAL:
	case SAMPLE_PRIMAL_REQUEST:
		spoil(s, VERDICT_WRONG_PRIMAL, 1, 0, true);
		break;
	case SAMPLE_INTEGER:
		spoil(s, VERDICT_WRONG_PRIMAL, 1, 0x1p53, true);
		s->truth.point[0].primal[0].type.dtype = s->answer[0].primal[0].type.dtype = DTYPE_I64;
		for (int i = 0; i < 3; i++) {
			s->truth.point[0].primal[0].at[i] = (struct component){
			    .value = 0x1p53, .low = i == 1, .in_domain = true};
			s->answer[0].primal[0].at[i].i = (int64_t)1 << 53;
		}
		break;
	case SAMPLE_JVP:
		spoil(s, VERDICT_WRONG, 0, INFINITY, false);
		s->report.spellings = "sin as sine, request as traced";
		break;
	case SAMPLE_NAN:
		spoil(s, VERDICT_NAN_LEAK, 0, NAN, false);
		break;
	case SAMPLE_INACCURATE:
		spoil(s, VERDICT_INACCURATE, 0, 0.5 + 1e-9, false);
		s->judgement.accuracy = (struct accuracy){8, 2.25, false, OP_TANH};
		break;
	case SAMPLE_CONVENTION:
		s->judgement.verdict = VERDICT_CONVENTION;
		s->judgement.point = 1;
		s->judgement.assignment = 1;
		s->truth.point[1].derivative[0][0].at[1].reason = REASON_CONVENTION;
		break;
	case SAMPLE_AGREE:
		break;
	case SAMPLE_SHAPE:
		s->answer[0].derivative[0] = tensor_new(a, &two);
		s->judgement.verdict = VERDICT_BAD_SHAPE;
		s->judgement.deviation = DEVIATION_SHAPE;
		break;
	case SAMPLE_COUNT_OF_RESULTS:
		s->answer[0].n_derivative = 0;
		s->judgement.verdict = VERDICT_BAD_SHAPE;
		break;
	case SAMPLE_DTYPE:
		s->answer[0].derivative[0] = tensor_new(a, &narrow);
		s->judgement.verdict = VERDICT_BAD_DTYPE;
		break;
	case SAMPLE_MODIFIED:
		s->answer[0].input_modified = true;
		s->judgement.verdict = VERDICT_INPUT_MODIFIED;
		break;
	case SAMPLE_CRASH:
		spoil_status(s, VERDICT_CRASH, ANSWER_CRASH, "SIGSEGV");
		break;
	case SAMPLE_RAISED:
		spoil_status(s, VERDICT_CRASH, ANSWER_CRASH, "SIGSEGV");
		s->answer[0].raised = true;
		break;
	case SAMPLE_HANG:
		spoil_status(s, VERDICT_HANG, ANSWER_HANG, "no answer within 5000 ms");
		break;
	case SAMPLE_PROTOCOL:
		spoil_status(s, VERDICT_PROTOCOL, ANSWER_PROTOCOL, "\"x\" \\ \n");
		break;
	case SAMPLE_UNSUPPORTED:
		spoil_status(s, VERDICT_UNSUPPORTED, ANSWER_UNSUPPORTED, "no sort");
		break;
	case SAMPLE_UNDECIDED:
		s->judgement.verdict = VERDICT_UNDECIDED;
		s->judgement.reason = REASON_JUMP;
		s->judgement.undecided[REASON_JUMP] = 6;
		s->judgement.decided = 0;
		s->truth.point[0].fd = (struct fd_evidence){
		    .outcome = FD_ABSTAINS, .reason = REASON_ISOLATED_PATH, .precision = 256};
		s->truth.point[0].derivative[0][0].at[0].reason = REASON_JUMP;
		break;
	case SAMPLE_NONDETERMINISTIC:
		spoil(s, VERDICT_NONDETERMINISTIC, 0, 1, false);
		s->judgement.expected = 1;
		s->judgement.returned = 2;
		s->truth.point[0].fd = (struct fd_evidence){.outcome = FD_NOT_RUN};
		break;
	case SAMPLE_FOUND:
		spoil(s, VERDICT_WRONG, 2, -2.5, false);
		s->report.found = &s->c;
		s->report.seed = UINT64_C(0xfedcba9876543210);
		s->report.case_number = 17;
		s->report.minimize_tried = 300;
		s->report.minimize_accepted = 12;
		break;
	}
	return s;
}

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
	arena_free(&a);
	return check_done();
}

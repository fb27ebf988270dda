/*
 * test_case_json.c: the case format.  Cases go out and come back the same, errors name their place.
 * With --emit it writes every sample to standard output instead, one a line, for the schema test.
 */
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/answer.h"
#include "graph/json.h"

/* In the text ' stands for ". */
static bool read_text(const char *text, struct arena *a, struct testcase *c, struct error *e)
{
	*e = (struct error){0};
	text = json_text(a, text);
	return testcase_read(text, strlen(text), a, c, e);
}

/* read(write(c)) is c, with the same text, in both forms. */
static void check_round_trip(const char *name, const struct testcase *c, struct arena *a)
{
	char *(*const writers[])(const struct testcase *, struct arena *, size_t *) = {
	    testcase_write, testcase_write_compact};

	for (int k = 0; k < 2; k++) {
		struct error e = {0};
		struct testcase back;
		size_t len, again_len;
		char *text = writers[k](c, a, &len);
		CHECK(strlen(text) == len, "%s: length %zu", name, len);
		CHECK(k ? !strchr(text, '\n') : text[len - 1] == '\n', "%s: line ends", name);
		bool ok = testcase_read(text, len, a, &back, &e);
		CHECK(ok, "%s: %s: %s in\n%s", name, e.place, e.text, text);
		if (!ok)
			continue;
		CHECK(testcase_equal(c, &back), "%s: differs after\n%s", name, text);
		CHECK(testcase_hash(c) == testcase_hash(&back), "%s: hash", name);
		char *again = writers[k](&back, a, &again_len);
		CHECK(again_len == len && !memcmp(text, again, len), "%s: texts differ:\n%s\n%s", name, text, again);
	}
}

static void test_samples(struct arena *a)
{
	for (int k = 0; k < N_SAMPLE; k++) {
		if (!row_wanted("samples: %s", samples[k].name))
			continue;
		struct testcase c, copy;
		struct error e;
		size_t n, m;
		bool ok = read_text(samples[k].text, a, &c, &e);
		CHECK(ok, "%s: %s: %s", samples[k].name, e.place, e.text);
		if (!ok)
			continue;
		check_round_trip(samples[k].name, &c, a);
		copy = testcase_copy(&c, a);
		CHECK(testcase_equal(&c, &copy) && testcase_check(&copy, &e), "%s: copy", samples[k].name);
		const char *one = testcase_write(&c, a, &n), *two = testcase_write(&copy, a, &m);
		CHECK(n == m && !memcmp(one, two, n), "%s: the copy is written differently", samples[k].name);
		CHECK(strlen(testcase_print(&c, a)) > 20, "%s: print", samples[k].name);
		/* Different cases differ, down to one bit of one element. */
		if (c.program.top.n_param) {
			copy.point[c.n_point - 1][0].at[0].i ^= 1;
			bool nan = dtype_is_float(copy.point[0][0].type.dtype) &&
			    isnan(c.point[c.n_point - 1][0].at[0].f);
			CHECK(nan || (!testcase_equal(&c, &copy) && testcase_hash(&c) != testcase_hash(&copy)),
			    "%s: another point", samples[k].name);
		}
		if (c.n_transform) {
			copy = testcase_copy(&c, a);
			struct transform *last = &copy.transform[c.n_transform - 1];
			if (last->n_seed)
				last->seed[last->n_seed - 1].at[0].i ^= 1;
			else
				last->size ^= 1;
			CHECK(!testcase_equal(&c, &copy) && testcase_hash(&c) != testcase_hash(&copy),
			    "%s: another seed", samples[k].name);
		}
		struct testcase other;
		if (read_text(samples[(k + 1) % N_SAMPLE].text, a, &other, &e))
			CHECK(!testcase_equal(&c, &other) && testcase_hash(&c) != testcase_hash(&other),
			    "%s: equal to the next", samples[k].name);
		/* The case inside a report. */
		char *report = arena_printf(
		    a, "{'schema':'adjudge.report/1','found':[1,{}],'case':%s}", samples[k].text);
		CHECK(read_text(report, a, &other, &e) && testcase_equal(&c, &other), "%s: in a report: %s: %s",
		    samples[k].name, e.place, e.text);
		arena_reset(a);
	}
}

/* Every op that a sample leaves out, through the builder: one node each on simple operands. */
static void test_built(struct arena *a)
{
	for (int op = 0; op < OP_COUNT; op++) {
		const struct op_info *info = &op_table[op];
		if (info->n_region || info->attrs || info->n_arg < 1)
			continue;
		for (int d = 0; d < DTYPE_COUNT; d++) {
			struct builder b = {0};
			const struct type t = {.dtype = (enum dtype)d, .shape = {1, {2}}};
			int arg[3];
			build_begin(&b, a);
			for (int i = 0; i < info->n_arg; i++)
				arg[i] = build_input(&b, &t);
			int out = build_node(&b, (enum op)op, arg, info->n_arg, NULL, NULL);
			if (out < 0)
				continue;
			struct testcase c = {.program = build_end(&b, &out, 1), .n_point = 1};
			c.point = NEW(a, struct tensor *, 1);
			c.point[0] = NEW(a, struct tensor, info->n_arg);
			for (int i = 0; i < info->n_arg; i++)
				c.point[0][i] = tensor_new(a, &t);
			check_round_trip(info->name, &c, a);
		}
		arena_reset(a);
	}
}

#define X           "'inputs':['x: f64[]'],"
#define END         "'results':['x'],'points':[[1]],'request':[]"
#define BODY(nodes) CASE(X "'body':[" nodes "]," END)

static const struct {
	const char *place, *part; /* of the message */
	const char *text;
} refusals[] = {
    {"body[1].op", "did you mean \"sin\"",
        BODY("{'out':['y'],'op':'neg','args':['x']},{'out':['z'],'op':'sinn','args':['x']}")},
    {"body[0].args[1]", "no value \"y\"", BODY("{'out':['y'],'op':'add','args':['x','y']}")},
    {"body[0].args[0]", "no value \"z\"",
        BODY("{'out':['y'],'op':'neg','args':['z']},{'out':['z'],'op':'neg','args':['y']}")},
    {"body[0].args", "takes 2 operands, not 1", BODY("{'out':['y'],'op':'add','args':['x']}")},
    {"body[0]", "takes 1 operands, not 0", BODY("{'out':['y'],'op':'neg'}")},
    {"body[0].out", "gives 1 results here, not 2", BODY("{'out':['y','z'],'op':'neg','args':['x']}")},
    {"body[0].out[0]", "stated as f32[]", BODY("{'out':['y: f32[]'],'op':'neg','args':['x']}")},
    {"body[0].out[0]", "\"x\" is taken", BODY("{'out':['x'],'op':'neg','args':['x']}")},
    {"body[0].out[0]", "no \"NAME: TYPE\"", BODY("{'out':['1y'],'op':'neg','args':['x']}")},
    {"body[0].out[0]", "no type", BODY("{'out':['y:f64[]'],'op':'neg','args':['x']}")},
    {"body[0].out[0]", "no type", BODY("{'out':['y: f64[9223372036854775808]'],'op':'neg','args':['x']}")},
    {"body[0].out[0]", "needs a type", BODY("{'out':['y'],'op':'constant','value':1}")},
    {"body[0]", "lacks the key \"op\"", BODY("{'out':['y'],'args':['x']}")},
    {"body[0]", "lacks the key \"out\"", BODY("{'op':'neg','args':['x']}")},
    {"body[0]", "neg has no attribute \"axis\"", BODY("{'out':['y'],'op':'neg','args':['x'],'axis':0}")},
    {"body[0]", "did you mean \"args\"", BODY("{'out':['y'],'op':'neg','arg':['x']}")},
    {"body[0]", "unknown key \"Op\"", BODY("{'out':['y'],'op':'neg','Op':'neg','args':['x']}")},
    {"body[0]", "lacks its attribute \"axes\"", BODY("{'out':['y'],'op':'reduce_sum','args':['x']}")},
    {"body[0]", "lacks its attribute \"cap\"", BODY("{'out':['y'],'op':'for','args':['x'],'regions':[]}")},
    {"body[0].regions", "for has 1 regions, not 0",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':1,'regions':[]}")},
    {"body[0].axes[0]", "is not in [0", BODY("{'out':['y'],'op':'reduce_sum','args':['x'],'axes':[-1]}")},
    {"body[0].axes[0]", "needs an integer", BODY("{'out':['y'],'op':'reduce_sum','args':['x'],'axes':[1.0]}")},
    {"body[0].axes", "1 axes", BODY("{'out':['y'],'op':'reduce_sum','args':['x'],'axes':[0]}")},
    {"body[0].start", "rank 0", BODY("{'out':['y'],'op':'slice','args':['x'],'start':[0],'size':[]}")},
    {"body[0].dtype", "none of f64, f32", BODY("{'out':['y'],'op':'cast','args':['x'],'dtype':'float'}")},
    {"body[0].keepdims", "needs a boolean",
        BODY("{'out':['y'],'op':'reduce_sum','args':['x'],'axes':[],'keepdims':0}")},
    {"body[0].regions[0].params[1]", "stated as f32[]",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':1,'regions':["
             "{'params':['i','a: f32[]'],'results':['a']}]}")},
    {"body[0].regions[0].params", "1 parameters",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':1,'regions':["
             "{'params':['i'],'results':['x']}]}")},
    {"body[0].regions[0].body[0].args[0]", "no value \"q\"",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':1,'regions':["
             "{'params':['i','a'],'body':[{'out':['b'],'op':'neg','args':['q']}],'results':['b']}]}")},
    {"body[0].regions[0].results[0]", "has type i64[]",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':1,'regions':["
             "{'params':['i','a'],'results':['i']}]}")},
    {"body[1].args[0]", "belongs to a region that has ended",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':1,'regions':["
             "{'params':['i','a'],'results':['a']}]},{'out':['z'],'op':'neg','args':['a']}")},
#define V                          "'inputs':['x: f64[2]','s: i64[1]'],"
#define STORE(out, buffer, update) "{'out':['" out "'],'op':'store','args':['" buffer "','" update "','s']}"
#define COPY(out, x)               "{'out':['" out "'],'op':'copy','args':['" x "']}"
#define STORES(body, result)       CASE(V "'body':[" body "],'results':['" result "'],'points':[[[1,2],[0]]]," PRIMAL)
    {"body[2].args[0]", "was stored into", STORES(COPY("u", "x") "," STORE("y", "x", "u") "," COPY("z", "x"), "z")},
    {"body[2].args[0]", "was stored into",
        STORES(COPY("u", "x") "," STORE("y", "x", "u") "," STORE("z", "x", "u"), "z")},
    {"results[0]", "was stored into", STORES(COPY("u", "x") "," STORE("y", "x", "u"), "x")},
    {"body[0].args[1]", "also the buffer", STORES(STORE("y", "x", "x"), "y")},
    {"body[1].regions[0].body[0].args[0]", "further out",
        STORES(COPY("u", "x") ",{'out':['y'],'op':'checkpoint','args':[],'regions':["
                              "{'body':[" STORE("z", "x", "u") "],'results':['z']}]}",
            "y")},
    {"body[2].regions[0].results[0]", "was stored into",
        STORES(COPY("u", "x") "," STORE(
                   "y", "x", "u") ",{'out':['z'],'op':'checkpoint','args':[],'regions':[{'body':[],'results':['x']}]}",
            "z")},
    {"body[1].regions[0].results[0]", "was stored into",
        STORES(COPY("u", "x") ",{'out':['y'],'op':'for','args':['x'],'trip':1,"
                              "'regions':[{'params':['i','a'],'body':[" STORE("z", "a", "u") "],'results':['a']}]}",
            "y")},
    {"inputs[0]", "needs a type", CASE("'inputs':['x'],'body':[]," END)},
    {"results[0]", "no value", CASE(X "'body':[],'results':['y'],'points':[[1]]," PRIMAL)},
    {"points", "0 points", CASE(X "'body':[],'results':['x'],'points':[]," PRIMAL)},
    {"points[0]", "2 tensors", CASE(X "'body':[],'results':['x'],'points':[[1,2]]," PRIMAL)},
    {"points[1][0]", "is too large for f64; an infinity is written \"inf\"",
        CASE(X "'body':[],'results':['x'],'points':[[1],[1e999]]," PRIMAL)},
    {"points[0][0]", "no real", CASE(X "'body':[],'results':['x'],'points':[['NaN']]," PRIMAL)},
    {"points[0][0]", "not null", CASE(X "'body':[],'results':['x'],'points':[[null]]," PRIMAL)},
    {"points[0][0]", "no value of f16; the nearest is \"0x1p+11\"",
        CASE("'inputs':['x: f16[]'],'body':[],'results':['x'],'points':[['0x1.002p+11']]," PRIMAL)},
    {"points[0][0]", "is too large for f16",
        CASE("'inputs':['x: f16[]'],'body':[],'results':['x'],'points':[[65520]]," PRIMAL)},
    {"points[0][0][1]", "no value of i32",
        CASE("'inputs':['x: i32[2]'],'body':[],'results':['x'],'points':[[[1,2147483648]]]," PRIMAL)},
    {"points[0][0]", "must be written as a string",
        CASE("'inputs':['x: i64[]'],'body':[],'results':['x'],'points':[[9007199254740993]]," PRIMAL)},
    {"points[0][0]", "of 64 bits",
        CASE("'inputs':['x: i64[]'],'body':[],'results':['x'],'points':[['9223372036854775808']]," PRIMAL)},
    {"points[0][0]", "needs a boolean",
        CASE("'inputs':['x: bool[]'],'body':[],'results':['x'],'points':[[1]]," PRIMAL)},
    {"points[0][0]", "3 elements, but f64[2] has 2",
        CASE("'inputs':['x: f64[2]'],'body':[],'results':['x'],'points':[[[1,2,3]]]," PRIMAL)},
    {"points[0][0]", "needs an array", CASE("'inputs':['x: f64[2]'],'body':[],'results':['x'],'points':[[1]]," PRIMAL)},
#define REQUEST(transforms) CASE(X "'body':[],'results':['x'],'points':[[1]],'request':[" transforms "]")
    {"request[0].transform", "unknown transform", REQUEST("{'transform':'grad','wrt':[0],'cotangents':[1]}")},
    {"request[0]", "lacks the key \"size\"", REQUEST("{'transform':'batch','wrt':[0]}")},
    {"request[0]", "unknown key \"tangents\"", REQUEST("{'transform':'vjp','wrt':[0],'tangents':[1]}")},
    {"request[0].wrt[0]", "not in [0, 0]", REQUEST("{'transform':'vjp','wrt':[1],'cotangents':[1]}")},
    {"request[0].wrt", "0 inputs", REQUEST("{'transform':'vjp','wrt':[],'cotangents':[1]}")},
    {"request[0].cotangents", "0 tensors", REQUEST("{'transform':'vjp','wrt':[0],'cotangents':[]}")},
    {"request[0].cotangents[0]", "an infinity is written \"-inf\"",
        REQUEST("{'transform':'vjp','wrt':[0],'cotangents':[-1e309]}")},
    {"body[0].value", "is too large for f32", BODY("{'out':['y: f32[]'],'op':'constant','value':1e39}")},
    {"request[1].tangents[0]", "no real",
        REQUEST("{'transform':'vjp','wrt':[0],'cotangents':[1]},"
                "{'transform':'jvp','wrt':[0],'tangents':['x']}")},
    {"request[0].wrt[1]", "ascending",
        CASE("'inputs':['x: f64[]','y: f64[]'],'body':[],'results':['x'],'points':[[1,1]],"
             "'request':[{'transform':'jvp','wrt':[1,0],'tangents':[1,1]}]")},
    {"request[0].tangents[0]", "is 0",
        CASE("'inputs':['x: i64[]'],'body':[],'results':['x'],'points':[[1]],"
             "'request':[{'transform':'jvp','wrt':[0],'tangents':[1]}]")},
#define EXPECT(entries) CASE(X "'body':[]," END ",'expect':[" entries "]")
    {"expect[0]", "states neither", EXPECT("{'engine':'tape'}")},
    {"expect[0].returned[1]", "no decimal literal", EXPECT("{'returned':['1','0x1p0']}")},
    {"expect[0].returned[0]", "needs a string", EXPECT("{'returned':[1]}")},
    {"expect[0]", "did you mean \"verdict\"", EXPECT("{'verdic':'wrong'}")},
#define VARIANT(value) CASE(X "'body':[]," END ",'variant':" value)
    {"variant", "not in [0, 65535]", VARIANT("65536")},
    {"variant", "not in [0, 65535]", VARIANT("-1")},
    {"variant", "needs an integer", VARIANT("1.5")},
    {"variant", "needs an integer", VARIANT("1e3")},
    {"variant", "in [0, 65535]", VARIANT("18446744073709551617")},
    {"variant", "needs a number", VARIANT("'1'")},
    {"variant", "needs a number", VARIANT("[0]")},
    {"", "unknown key \"extra\"", CASE(X "'body':[]," END ",'extra':1")},
    {"schema", "is not \"adjudge.case/1\"", "{'schema':'adjudge.case/2'}"},
    {"", "lacks the key \"schema\"", "{}"},
    {"", "needs an object", "[]"},
    {"", "lacks the key \"case\"", "{'schema':'adjudge.report/1'}"},
    {"case", "lacks the key \"inputs\"", "{'schema':'adjudge.report/1','case':{'schema':'adjudge.case/1'}}"},
    {"line 2, column 3", "too early", "{\n  "},
    {"line 1, column 4", "no JSON number", "[-01]"},
};

static void test_refusals(struct arena *a)
{
	for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
		if (!row_wanted("refusals: %s, %s", refusals[k].place, refusals[k].part))
			continue;
		struct testcase c;
		struct error e;
		bool ok = read_text(refusals[k].text, a, &c, &e);
		CHECK(!ok && !strcmp(e.place, refusals[k].place) && strstr(e.text, refusals[k].part),
		    "wanted %s: %s\n"
		    "  got %s: %s\n"
		    "  of %s",
		    refusals[k].place, refusals[k].part, e.place, e.text, refusals[k].text);
		arena_reset(a);
	}
}

/* Numbers that no dtype holds exactly become the nearest value of theirs wherever a case has them, and are written
 * exactly. */
static void test_nearest(struct arena *a)
{
	static const char *const text = CASE(
	    "'inputs':['x: f64[]','y: f16[2]'],'body':[{'out':['c: f32[]'],'op':'constant','value':0.1}],"
	    "'results':['x'],'points':[[0.1,[0.1,65504.1]]],'request':["
	    "{'transform':'jvp','wrt':[0,1],'tangents':[0.1,[-0.1,1]]},"
	    "{'transform':'vjp','wrt':[0],'cotangents':[-0.3]}]");
	static const char *const written[] = {
	    "\"value\":\"0x1.99999ap-4\"",
	    "\"points\":[[\"0x1.999999999999ap-4\",[\"0x1.998p-4\",\"0x1.ffcp+15\"]]]",
	    "\"tangents\":[\"0x1.999999999999ap-4\",[\"-0x1.998p-4\",\"0x1p+0\"]]",
	    "\"cotangents\":[\"-0x1.3333333333333p-2\"]",
	};
	struct testcase c;
	struct error e;
	size_t len;

	bool ok = read_text(text, a, &c, &e);
	CHECK(ok, "%s: %s", e.place, e.text);
	if (!ok)
		return;
	check_round_trip("nearest", &c, a);
	const char *out = testcase_write_compact(&c, a, &len);
	for (int k = 0; k < 4; k++)
		CHECK(strstr(out, written[k]), "no %s in %s", written[k], out);
}

/* A variant of 0 is not written, and no case without one changes its hash; a variant tells cases apart. */
static void test_variant(struct arena *a)
{
	struct testcase none, zero, one;
	struct error e;
	size_t len;

	if (!read_text(CASE(X "'body':[]," END), a, &none, &e) || !read_text(VARIANT("0"), a, &zero, &e) ||
	    !read_text(VARIANT("1"), a, &one, &e)) {
		CHECK(false, "%s: %s", e.place, e.text);
		return;
	}
	CHECK(testcase_equal(&none, &zero) && testcase_hash(&none) == testcase_hash(&zero), "0 is as absent");
	CHECK(testcase_hash(&none) == UINT64_C(0xf79ef1c2da66dfa5), "the hash changed: 0x%016llx",
	    (unsigned long long)testcase_hash(&none));
	CHECK(!strstr(testcase_write_compact(&zero, a, &len), "variant"), "0 is written");
	CHECK(!testcase_equal(&none, &one) && testcase_hash(&none) != testcase_hash(&one), "1 is as absent");
	CHECK(testcase_copy(&one, a).variant == 1, "copy");
	CHECK(
	    strstr(testcase_print(&one, a), "\nvariant 1\n") && !strstr(testcase_print(&none, a), "variant"), "print");
}

/* The numbers are those of adapter.py and adapter.mjs; small variants reach every combination of few spellings. */
static void test_spelling(void)
{
	static const struct {
		int variant;
		const char *name;
		int n, want;
	} rows[] = {{0, "clamp", 2, 0}, {0, "", 16, 0}, {1, "clamp", 2, 0}, {1, "request", 3, 1},
	    {1, "slice_scatter", 5, 1}, {1, "pow", 16, 3}, {2, "clamp", 2, 1}, {2, "request", 3, 1},
	    {2, "slice_scatter", 5, 2}, {2, "pow", 16, 5}, {3, "clamp", 2, 0}, {3, "request", 3, 0},
	    {3, "slice_scatter", 5, 1}, {3, "pow", 16, 6}, {65535, "clamp", 2, 0}, {65535, "request", 3, 1},
	    {65535, "slice_scatter", 5, 1}, {65535, "pow", 16, 4}};
	bool seen[2][3][4] = {0};
	int n = 0;

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const int got = testcase_spelling(rows[k].variant, rows[k].name, rows[k].n);

		CHECK(got == rows[k].want, "variant %d of %d %s: %d, not %d", rows[k].variant, rows[k].n, rows[k].name,
		    got, rows[k].want);
	}
	for (int v = 1; v <= 256; v++)
		seen[testcase_spelling(v, "clamp", 2)][testcase_spelling(v, "select", 3)]
		    [testcase_spelling(v, "pow", 4)] = 1;
	for (int k = 0; k < 24; k++)
		n += seen[k / 12][k / 4 % 3][k % 4];
	CHECK(n == 24, "%d of 24 combinations", n);
}

static void test_print(struct arena *a)
{
	struct testcase c;
	struct error e;

	CHECK(read_text(CASE("'title':'\\u001b[2J\\u009b\\u00e9'," X "'body':[]," END), a, &c, &e), "%s", e.text);
	const char *text = testcase_print(&c, a);
	CHECK(strstr(text, "title: ?[2J??\xC3\xA9\n") && strstr(text, "point 0: v0 = 1\n"), "%s", text);
}

static void test_derivative_types(struct arena *a)
{
	static const int want[N_SAMPLE] = {0, 0, 1, 1, 0, 1, 2, 0, 2, 5, 1, 0, 0};

	for (int k = 0; k < N_SAMPLE; k++) {
		if (!row_wanted("derivative types: %s", samples[k].name))
			continue;
		struct testcase c;
		struct error e;
		struct type type[LIMIT_ARGS];
		if (!read_text(samples[k].text, a, &c, &e))
			continue;
		int n = answer_derivative_types(&c, type);
		CHECK(n == want[k], "%s: %d derivatives", samples[k].name, n);
		for (int i = 0; i < n; i++) {
			const struct region *top = &c.program.top;
			if (c.n_transform > 1)
				continue; /* test_request.c */
			int v = c.transform[0].kind == TRANSFORM_VJP ? top->param + c.transform[0].wrt[i]
			                                             : top->result[i];
			CHECK(type_equal(&type[i], &c.program.type[v]), "%s: type %d", samples[k].name, i);
		}
	}
}

/* The most data that a case may hold, each number as long as can be, still fits into a file. */
static void test_largest(struct arena *a)
{
	enum { POINTS = LIMIT_DATA / LIMIT_ELEMENTS };
	const struct type t = {.dtype = DTYPE_F64, .shape = {1, {LIMIT_ELEMENTS}}};
	struct builder b = {0};
	struct tensor x[POINTS], *point[POINTS];
	struct testcase back;
	struct error e = {0};
	size_t len;

	build_begin(&b, a);
	int in = build_input(&b, &t);
	struct testcase c = {.program = build_end(&b, &in, 1), .n_point = POINTS, .point = point};
	for (int k = 0; k < POINTS; k++) {
		x[k] = tensor_new(a, &t);
		point[k] = &x[k];
		for (int i = 0; i < LIMIT_ELEMENTS; i++)
			x[k].at[i].f = -0x1.fedcba9876543p-1021;
	}
	char *text = testcase_write(&c, a, &len);
	CHECK(len > 7 << 20 && testcase_read(text, len, a, &back, &e) && testcase_equal(&c, &back), "%zu bytes: %s: %s",
	    len, e.place, e.text);
	c.n_point = POINTS + 1;
	struct tensor *more[POINTS + 1] = {x, x, x, x, x};
	c.point = more;
	CHECK(!testcase_check(&c, &e) && !strcmp(e.place, "points"), "%s: %s", e.place, e.text);
	arena_reset(a);
}

static void test_files(struct arena *a)
{
	char path[] = "/tmp/adjudge-case-XXXXXX";
	struct testcase c;
	struct error e = {0};
	int fd = mkstemp(path);
	const char *text = json_text(a, samples[2].text);
	size_t n = strlen(text);

	CHECK(fd >= 0 && write(fd, text, n) == (ssize_t)n, "temporary file %s", path);
	CHECK(testcase_read_file(path, a, &c, &e), "%s: %s", e.place, e.text);
	CHECK(pwrite(fd, "]", 1, 0) == 1, "write");
	CHECK(!testcase_read_file(path, a, &c, &e) && strstr(e.place, path) && strstr(e.place, "line 1"),
	    "place %s: %s", e.place, e.text);
	e = (struct error){0};
	CHECK(!ftruncate(fd, LIMIT_CASE_BYTES + 1), "truncate");
	CHECK(!testcase_read_file(path, a, &c, &e) && strstr(e.text, "larger than"), "%s: %s", e.place, e.text);
	close(fd);
	unlink(path);
	static const char *const bad[] = {"/nonexistent/case.json", "/dev/zero", "/tmp", ""};
	for (int k = 0; k < 4; k++) {
		e = (struct error){0};
		CHECK(!testcase_read_file(bad[k], a, &c, &e) && e.text[0], "%s: %s", bad[k], e.text);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)256 << 20);
	if (argc > 1 && !strcmp(argv[1], "--emit")) {
		for (int k = 0; k < N_SAMPLE; k++) {
			struct testcase c;
			struct error e;
			size_t len;
			printf("%s\n", json_text(&a, samples[k].text));
			if (read_text(samples[k].text, &a, &c, &e))
				printf("%s\n", testcase_write_compact(&c, &a, &len));
		}
		arena_free(&a);
		return 0;
	}
	test_samples(&a);
	CHECK_LAW(test_built(&a));
	test_refusals(&a);
	test_nearest(&a);
	test_derivative_types(&a);
	CHECK_LAW(test_variant(&a));
	CHECK_LAW(test_spelling());
	CHECK_LAW(test_print(&a));
	CHECK_LAW(test_largest(&a));
	CHECK_LAW(test_files(&a));
	arena_free(&a);
	return check_done();
}

/*
 * test_hostile.c: input made to break a reader is refused, with a reason and in little memory; what hangs meets the
 * time limit of the test.
 */
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "cases.h"

#include <string.h>
#include <sys/resource.h>

#include "graph/json.h"
#include "graph/testcase.h"

/* Shadow memory and red zones are not ours to bound: gcc says so by a macro, clang by a feature. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

static void check_bytes(const char *what, const char *text, size_t len, struct arena *a)
{
	struct testcase c;
	struct error e = {0};
	bool ok = testcase_read(text, len, a, &c, &e);

	CHECK(!ok && e.text[0], "%s: accepted, or refused without a reason", what);
	for (const char *s = e.text; *s; s++)
		CHECK((unsigned char)*s >= 0x20 && (unsigned char)*s < 0x7F, "%s: byte %d in the message", what,
		    (unsigned char)*s);
	for (const char *s = e.place; *s; s++)
		CHECK((unsigned char)*s >= 0x20 && (unsigned char)*s < 0x7F, "%s: byte %d in the place", what,
		    (unsigned char)*s);
	arena_reset(a);
}

/* The same of text in which ' stands for ". */
static void check_refused(const char *what, const char *text, size_t len, struct arena *a)
{
	check_bytes(what, json_bytes(a, text, len), len, a);
}

/* `count` times `piece` between two texts. */
static void check_repeated(
    const char *what, const char *before, const char *piece, size_t count, const char *after, struct arena *a)
{
	size_t n = strlen(piece), head = strlen(before), tail = strlen(after), len = head + n * count + tail;
	char *text = NEW(a, char, len + 1);

	memcpy(text, before, head);
	for (size_t k = 0; k < count; k++)
		memcpy(text + head + k * n, piece, n);
	memcpy(text + head + n * count, after, tail);
	check_refused(what, text, len, a);
}

#define X              "'inputs':['x: f64[]'],"
#define END            "'results':['x'],'points':[[1]],'request':[]"
#define BODY(nodes)    CASE(X "'body':[" nodes "]," END)
#define POINT(element) CASE(X "'body':[],'results':['x'],'points':[[" element "]],'request':[]")

/* Valid but for what is in the title. */
#define TITLE(text) CASE("'title':'" text "'," X "'body':[]," END)

static const struct sample hostile[] = {
    {"empty", ""},
    {"space",
        " \n"
        "\t"},
    {"word", "nul"},
    {"text after", POINT("1") "x"},
    {"two values", POINT("1") POINT("1")},
    {"byte order mark", "\xEF\xBB\xBF" POINT("1")},
    {"comment", "/* */" POINT("1")},
    {"trailing comma", POINT("1,")},
    {"unquoted key", "{schema:1}"},
    {"leading zero", POINT("01")},
    {"point only", POINT("1.")},
    {"no integer part", POINT(".5")},
    {"plus", POINT("+1")},
    {"hex", POINT("0x10")},
    {"empty exponent", POINT("1e")},
    {"huge exponent", POINT("1e999999999999")},
    {"too large", POINT("1e309")},
    {"long number", POINT("1.00000000000000000000000000000000000000000000000000000000000000000000")},
    {"bare nan", POINT("nan")},
    {"bare NaN", POINT("NaN")},
    {"bare inf", POINT("Infinity")},
    {"NaN", POINT("'NaN'")},
    {"negative nan", POINT("'-nan'")},
    {"nan payload", POINT("'nan(0x1)'")},
    {"infinity", POINT("'Infinity'")},
    {"decimal string", POINT("'0.5'")},
    {"too fine", POINT("'0x1.00000000000001p0'")},
    {"too large", POINT("'0x1p1024'")},
    {"object", POINT("{}")},
    {"nested", POINT("[[1]]")},
    {"null", POINT("null")},
    {"bool", POINT("true")},
    {"escaped NUL", TITLE("a\\u0000b")},
    {"escaped NUL in a name", BODY("{'out':['y\\u0000'],'op':'neg','args':['x']}")},
    {"lone surrogate", TITLE("\\ud800")},
    {"reversed surrogates", TITLE("\\udc00\\ud800")},
    {"bad escape", TITLE("\\x")},
    {"short escape", TITLE("\\u12")},
    {"control character", TITLE("\n")},
    {"overlong UTF-8", TITLE("\xC0\x80")},
    {"cut UTF-8", TITLE("\xE2\x82")},
    {"UTF-8 surrogate", TITLE("\xED\xA0\x80")},
    {"UTF-8 above the last", TITLE("\xF4\x90\x80\x80")},
    {"latin 1", TITLE("\xE9")},
    {"stray byte", "\xFF"},
    {"duplicate key", CASE(X X "'body':[]," END)},
    {"duplicate by escape", CASE(X "'body':[],'\\u0062ody':[]," END)},
    {"duplicate deep", POINT("{'a':{'b':1,'b':1}}")},
    {"key in other case", CASE(X "'Body':[]," END)},
    {"terminal escape in a key", CASE(X "'body':[]," END ",'\\u001b[31mred':1")},
    {"control in an op", BODY("{'out':['y'],'op':'\\u0007\\u009b','args':['x']}")},
    {"extent 2^63", CASE("'inputs':['x: f64[9223372036854775808]'],'body':[]," END)},
    {"extent negative", CASE("'inputs':['x: f64[-1]'],'body':[]," END)},
    {"product of extents", CASE("'inputs':['x: f64[65536,65536,65536,65536]'],'body':[]," END)},
    {"extents around 0",
        CASE("'inputs':['x: f64[65536,65536,0]'],'body':[],'results':['x'],'points':[[[]]],'request':[]")},
    {"rank 5", CASE("'inputs':['x: f64[1,1,1,1,1]'],'body':[]," END)},
    {"broadcast to much", BODY("{'out':['y'],'op':'broadcast_to','args':['x'],'shape':[65536,65536]}")},
    {"shape 2^63", BODY("{'out':['y'],'op':'broadcast_to','args':['x'],'shape':[9223372036854775808]}")},
    {"literal too large", BODY("{'out':['y: f64[65536,65536]'],'op':'constant','value':[]}")},
    {"own result", BODY("{'out':['y'],'op':'neg','args':['y']}")},
    {"cycle", BODY("{'out':['y'],'op':'neg','args':['z']},{'out':['z'],'op':'neg','args':['y']}")},
    {"own result in a region",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':1,'regions':[{'params':['i','a'],'results':['y']}]}")},
    {"million iterations",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':1000000,'regions':[{'params':['i','a'],'results':['a']}]}")},
    {"million by nesting",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':65536,'regions':[{'params':['i','a'],'body':["
             "{'out':['z'],'op':'for','args':['a'],'trip':65536,'regions':[{'params':['j','b'],"
             "'results':['b']}]}],'results':['z']}]}")},
    {"trip negative",
        BODY("{'out':['y'],'op':'for','args':['x'],'trip':-1,'regions':[{'params':['i','a'],'results':['a']}]}")},
    {"start beyond int",
        CASE("'inputs':['x: f64[1]'],'body':[{'out':['y'],'op':'slice','args':['x'],"
             "'start':[4294967296],'size':[1]}]," END)},
    {"long name", CASE("'inputs':['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: f64[]'],'body':[]," END)},
    {"name with a space", CASE("'inputs':['a b: f64[]'],'body':[]," END)},
    {"inputs of another kind", CASE("'inputs':{},'body':[]," END)},
    {"body of another kind", CASE(X "'body':{}," END)},
    {"node of another kind", BODY("[]")},
    {"op of another kind", BODY("{'out':['y'],'op':['neg'],'args':['x']}")},
    {"args of another kind", BODY("{'out':['y'],'op':'neg','args':'x'}")},
    {"arg of another kind", BODY("{'out':['y'],'op':'neg','args':[0]}")},
    {"schema of another kind", "{'schema':1}"},
    {"report without case", "{'schema':'adjudge.report/1','case':[]}"},
    {"report in a report", "{'schema':'adjudge.report/1','case':{'schema':'adjudge.report/1','case':{}}}"},
};

/*
 * Every prefix of a valid case, and every case with one byte removed or replaced, is read or refused; prefixes always
 * refused.
 */
static void test_cut(struct arena *a)
{
	for (int s = 0; s < N_SAMPLE; s++) {
		if (!row_wanted("cut: %s", samples[s].name))
			continue;
		const char *text = json_text(a, samples[s].text);
		size_t len = strlen(text);
		char *copy = arena_printf(a, "%s", text);
		struct arena_mark mark = arena_mark(a);
		for (size_t n = 0; n < len; n++) {
			struct testcase c;
			struct error e = {0};
			/* In memory of its own size, for sanitizers. */
			char *prefix = arena_copy(a, text, n, 1);
			bool ok = testcase_read(prefix, n, a, &c, &e);
			CHECK(!ok && e.text[0], "%s: prefix of %zu bytes", samples[s].name, n);
			static const char bytes[] = "\0\"\\[]{},:-0e.x\x80\xFF";
			char byte = bytes[n % (sizeof bytes - 1)];
			char old = copy[n];
			copy[n] = byte;
			e = (struct error){0};
			ok = testcase_read(copy, len, a, &c, &e);
			CHECK(ok || e.text[0], "%s: byte %zu replaced: no reason", samples[s].name, n);
			copy[n] = old;
			arena_rewind(a, mark);
		}
		arena_reset(a);
	}
}

static void test_floods(struct arena *a)
{
	const size_t all = LIMIT_CASE_BYTES;

	check_repeated("depth bomb", "", "[", 100000, "", a);
	check_repeated("depth bomb of objects", "", "{'a':", 100000, "", a);
	check_repeated("closed depth bomb", CASE(X "'body':"), "[", 65, "]", a);
	check_repeated("1 MiB of 0,", "[", "0,", 1 << 19, "0]", a);
	check_repeated("8 MiB of 0,", "[", "0,", all / 2 - 2, "0]", a);
	check_repeated("as many values as are allowed", "[", "0,", JSON_VALUES - 2, "0]", a);
	check_repeated("many strings", "[", "'a',", JSON_VALUES - 2, "0]", a);
	check_repeated("many objects", "[", "{'a':0},", JSON_VALUES / 2 - 2, "0]", a);
	check_repeated("one long string", "['", "a", all - 10, "']", a);
	check_repeated("one long number", "[", "1", all - 10, "]", a);
	check_repeated("escapes", "['", "\\n", all / 2 - 10, "']", a);
	check_repeated("too large", "[", " ", all, "]", a);
	check_repeated("white space", "", " ", all - 10, "", a);
	check_repeated("new lines", "", "\n", all - 10, "x", a);
	check_repeated("long op", "{'schema':'adjudge.case/1'," X "'body':[{'op':'", "a", 1 << 20, "'}]}", a);
	check_repeated("long key", "{'", "a", 1 << 20, "':1}", a);
	check_repeated("many inputs", "{'schema':'adjudge.case/1','inputs':[", "'x: f64[]',", 100000,
	    "'y: f64[]'],'body':[]," END "}", a);
	check_repeated("many nodes", "{'schema':'adjudge.case/1'," X "'body':[", "{'out':[],'op':'neg'},", 20000,
	    "1]," END "}", a);

	/* One object of many members, each key as long as possible and nearly the same. */
	char *text = NEW(a, char, all), *to = text;
	*to++ = '[';
	while ((size_t)(to - text) + 200 * JSON_MEMBERS < all) {
		*to++ = '{';
		for (int k = 0; k < JSON_MEMBERS; k++)
			to += sprintf(to, "%s'%0100d':0", k ? "," : "", k);
		*to++ = '}';
		*to++ = ',';
	}
	*to++ = '0';
	*to++ = ']';
	check_refused("long keys alike", text, (size_t)(to - text), a);
}

int main(int argc, char **argv)
{
	struct arena a;
	struct rusage usage;

	check_begin(argc, argv);
	arena_init(&a, (size_t)128 << 20);
	for (size_t k = 0; k < sizeof hostile / sizeof hostile[0]; k++)
		if (row_wanted("hostile: %s", hostile[k].name))
			check_refused(hostile[k].name, hostile[k].text, strlen(hostile[k].text), &a);
	static const char nul[] = TITLE("a\0b"), after[] = TITLE("") "\0";
	CHECK_LAW(check_bytes("single quotes", "{'schema':1}", strlen("{'schema':1}"), &a));
	CHECK_LAW(check_refused("NUL byte", nul, sizeof nul - 1, &a));
	CHECK_LAW(check_refused("NUL byte after the end", after, sizeof after - 1, &a));
	test_cut(&a);
	CHECK_LAW(test_floods(&a));
	arena_free(&a);
	getrusage(RUSAGE_SELF, &usage);
	printf("peak memory %ld KiB\n", usage.ru_maxrss);
#ifndef SANITIZED
	CHECK(usage.ru_maxrss < 256 << 10, "%ld KiB", usage.ru_maxrss);
#endif
	return check_done();
}

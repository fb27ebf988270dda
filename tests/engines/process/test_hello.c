/* Hellos: what is read, what is refused with its place, and that what is written is read again. */
#include "engines/process/hello.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <string.h>

/* In the line ' stands for ". */
static bool read_line(const char *line, struct arena *a, struct hello *h, struct error *e)
{
	return hello_read(json_text(a, line), strlen(line), a, h, e);
}

#define LONG    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SIXTEEN "a','b','c','d','e','f','g','h','i','j','k','l','m','n','o','p"

static void check_refused(struct arena *a)
{
	static const struct {
		const char *line, *text; /* part of the message */
	} rows[] = {
	    {"", "ends too early"},
	    {"[]", "object"},
	    {"{}", "adjudge.engine"},
	    {"{'adjudge.engine':2,'name':'x'}", "protocol 2; this adjudge speaks 1"},
	    {"{'adjudge.engine':1}", "line 1: lacks the key \"name\""},
	    {"[1]", "line 1: needs an object"},
	    {"{'adjudge.engine':1,'name':3}", "name"},
	    {"{'error':'no GPU'}", "no GPU"},
	    {"{'adjudge.engine':1,'name':'x','dtypes':['f8']}", "f8"},
	    {"{'adjudge.engine':1,'name':'x','dtypes':'f64'}", "array"},
	    {"{'adjudge.engine':1,'name':'x','requests':[['vjp','hvp']]}", "hvp"},
	    {"{'adjudge.engine':1,'name':'x','requests':[['vjp','vjp','vjp','vjp','vjp']]}", "the limit is 4"},
	    {"{'adjudge.engine':1,'name':'x','requests':['vjp']}", "array"},
	    {"{'adjudge.engine':1,'name':'x','reals':'octal'}", "octal"},
	    {"{'adjudge.engine':1,'name':'x','one_dtype':'i64'}", "no float"},
	    {"{'adjudge.engine':1,'name':'x','flushes':['i64']}", "no float"},
	    {"{'adjudge.engine':1,'name':'x','flushes':true}", "array"},
	    {"{'adjudge.engine':1,'name':'x','timeout_ms':0}", "timeout_ms"},
	    {"{'adjudge.engine':1,'name':'x','cases_per_request':0}", "cases_per_request"},
	    {"{'adjudge.engine':1,'name':'x','rank':9}", "rank"},
	    {"{'adjudge.engine':1,'name':'x','nodes':0}", "nodes"},
	    {"{'adjudge.engine':1,'name':'x','accuracy':-1}", "accuracy"},
	    {"{'adjudge.engine':1,'name':'x','accuracy':{'erf':'bad'}}", "accuracy.erf"},
	    {"{'adjudge.engine':1,'name':'x','accuracy':{'erf':{'absolute':-1}}}", "accuracy.erf.absolute"},
	    {"{'adjudge.engine':1,'name':'x','accuracy':{'erf':{'absolut':1}}}", "accuracy.erf"},
	    {"{'adjudge.engine':1,'name':'x','emits':'../x'}", "suffix"},
	    {"{'adjudge.engine':1,'name':'x','unroll':1}", "unroll"},
	    {"{'adjudge.engine':1,'name':'x','spellings':2}", "spellings"},
	    {"{'adjudge.engine':1,'name':'x','spellings':['clamp']}", "object"},
	    {"{'adjudge.engine':1,'name':'x','spellings':{'clamp':2}}", "spellings.clamp"},
	    {"{'adjudge.engine':1,'name':'x','spellings':{'clamp':[]}}", "spellings.clamp: 0 spellings"},
	    {"{'adjudge.engine':1,'name':'x','spellings':{'no_op':[]}}", "spellings.no_op: 0 spellings"},
	    {"{'adjudge.engine':1,'name':'x','spellings':{'clamp':['a',1]}}", "spellings.clamp[1]"},
	    {"{'adjudge.engine':1,'name':'x','spellings':{'clamp':['a','b','a']}}",
	        "spellings.clamp[2]: \"a\" is listed twice"},
	    {"{'adjudge.engine':1,'name':'x','spellings':{'clamp':['a','']}}", "spellings.clamp[1]: a name of 0 bytes"},
	    {"{'adjudge.engine':1,'name':'x','spellings':{'clamp':['" LONG "b']}}", "a name of 81 bytes"},
	    {"{'adjudge.engine':1,'name':'x','spellings':{'request':['" SIXTEEN "','q']}}",
	        "spellings.request: 17 spellings, 1 to 16"},
	    {"{'adjudge.engine':1,'name':'x','spellings':{'clamp':['a'],'clamp':['b']}}", ""},
	    {"{'adjudge.engine':1,'name':'x'} more", ""},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("refused: %s, %s", rows[k].line, rows[k].text))
			continue;
		struct error e = {.text = ""};
		struct hello h;
		char all[2048];

		CHECK(!read_line(rows[k].line, a, &h, &e), "%s", rows[k].line);
		snprintf(all, sizeof all, "%s: %s", e.place, e.text);
		CHECK(*e.text && strstr(all, rows[k].text), "%s: '%s'", rows[k].line, all);
	}
}

static void check_minimal(struct arena *a)
{
	static const char line[] = "{'adjudge.engine':1,'name':'x','colour':'blue'}";
	const struct transform any[] = {{.kind = TRANSFORM_BATCH}, {.kind = TRANSFORM_VJP}};
	struct error e = {.text = ""};
	struct hello h;

	CHECK(read_line(line, a, &h, &e), "%s", e.text);
	CHECK(h.op[OP_SCAN] && h.dtype[DTYPE_BF16] && h.rank == LIMIT_RANK && !h.unroll && h.one_dtype < 0 &&
	        h.nodes == INT32_MAX && h.cases_per_request == 1,
	    "not open to all");
	CHECK(hello_takes(&h, any, 2) && hello_takes(&h, any, 0), "requests");
}

/* Units in the last place of the value, and of 1; of all functions or by name. */
static void check_accuracy(struct arena *a)
{
	static const struct {
		const char *member;
		struct op_accuracy erf, sin; /* below 0: nothing declared */
	} rows[] = {
	    {"", {-1, -1}, {-1, -1}},
	    {",'accuracy':4", {4, 0}, {4, 0}},
	    {",'accuracy':{'erf':9}", {9, 0}, {0, 0}},
	    {",'accuracy':{'erf':9,'default':3,'no_such_op':1}", {9, 0}, {3, 0}},
	    {",'accuracy':{'erf':{'absolute':2}}", {0, 2}, {0, 0}},
	    {",'accuracy':{'erf':{'relative':7,'absolute':2},'default':{'absolute':1}}", {7, 2}, {0, 1}},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("accuracy: %s", rows[k].member))
			continue;
		char *line = arena_printf(a, "{'adjudge.engine':1,'name':'x'%s}", rows[k].member);
		struct error e = {.text = ""};
		struct hello h;

		CHECK(read_line(line, a, &h, &e), "%s: %s", line, e.text);
		const struct op_accuracy *erf = h.accuracy ? &h.accuracy[OP_ERF] : &rows[0].erf,
		                         *sin = h.accuracy ? &h.accuracy[OP_SIN] : &rows[0].sin;

		CHECK(erf->relative == rows[k].erf.relative && erf->absolute == rows[k].erf.absolute, "%s: %g %g", line,
		    erf->relative, erf->absolute);
		CHECK(sin->relative == rows[k].sin.relative && sin->absolute == rows[k].sin.absolute, "%s: %g %g", line,
		    sin->relative, sin->absolute);
	}
}

/* Names that adjudge does not know are allowed, and noted. */
static void check_unknown(struct arena *a)
{
	static const struct {
		const char *members, *unknown;
	} rows[] = {
	    {"", ""},
	    {",'ops':['exp','expp']", "op \"expp\" (did you mean \"exp\"?)"},
	    {",'spellings':{'clamb':['a','b']}", "op \"clamb\" (did you mean \"clamp\"?)"},
	    {",'accuracy':{'sinn':3,'default':2}", "op \"sinn\" (did you mean \"sin\"?)"},
	    {",'dtypez':[],'zzzzzzzz':1", "member \"dtypez\" (did you mean \"dtypes\"?), member \"zzzzzzzz\""},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("unknown: %s", rows[k].members))
			continue;
		char *line = arena_printf(a, "{'adjudge.engine':1,'name':'x'%s}", rows[k].members);
		struct error e = {0};
		struct hello h;

		CHECK(read_line(line, a, &h, &e) && !strcmp(h.unknown, rows[k].unknown), "%s: %s '%s'", line, e.text,
		    h.unknown);
	}
}

/* An engine has variants if something has two spellings.  A variant of 0 draws the first. */
static void check_spellings(struct arena *a)
{
	static const struct {
		const char *members;
		bool variants;
		const char *clamp[3], *request[3]; /* of variants 0, 1 and 2; NULL: the first */
	} rows[] = {
	    {"", false, {NULL, NULL, NULL}, {NULL, NULL, NULL}},
	    {",'spellings':{}", false, {NULL, NULL, NULL}, {NULL, NULL, NULL}},
	    {",'spellings':{'clamp':['a'],'clamb':['a','b']}", false, {NULL, NULL, NULL}, {NULL, NULL, NULL}},
	    {",'spellings':{'clamp':['a','b']}", true, {NULL, NULL, "b"}, {NULL, NULL, NULL}},
	    {",'spellings':{'request':['a','b'],'clamp':['" LONG "','c']}", true, {NULL, NULL, "c"},
	        {NULL, NULL, NULL}},
	    {",'spellings':{'request':['" SIXTEEN "']}", true, {NULL, NULL, NULL}, {NULL, NULL, "c"}},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("spellings: %s", rows[k].members))
			continue;
		char *line = arena_printf(a, "{'adjudge.engine':1,'name':'x'%s}", rows[k].members);
		struct error e = {.text = ""};
		struct hello h, again;
		size_t len;

		CHECK(read_line(line, a, &h, &e), "%s: %s", line, e.text);
		CHECK(h.variants == rows[k].variants, "%s: variants", line);
		for (int v = 0; v < 3; v++) {
			const char *clamp = hello_spelling(&h, OP_CLAMP, v),
			           *request = hello_spelling(&h, SPELLED_REQUEST, v);

			CHECK(!strcmp(clamp ? clamp : "-", rows[k].clamp[v] ? rows[k].clamp[v] : "-"),
			    "%s: clamp %d: %s", line, v, clamp ? clamp : "-");
			CHECK(!strcmp(request ? request : "-", rows[k].request[v] ? rows[k].request[v] : "-"),
			    "%s: request %d: %s", line, v, request ? request : "-");
		}
		const char *text = hello_write(&h, a, &len);
		CHECK(hello_read(text, len, a, &again, &e) && !strcmp(hello_write(&again, a, &len), text) &&
		        again.variants == h.variants,
		    "%s: written as %s: %s", line, text, e.text);
	}
}

/* Control flow that an engine knows which has the rest unrolled: what it names. */
static void check_unroll(struct arena *a)
{
	static const struct {
		const char *members;
		bool sin, cond, scan;
	} rows[] = {
	    {"", true, true, true},
	    {",'unroll':true", true, false, false},
	    {",'unroll':true,'ops':['sin']", true, false, false},
	    {",'unroll':true,'ops':['cond']", false, true, false},
	    {",'ops':['scan']", false, false, true},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("unroll: %s", rows[k].members))
			continue;
		char *line = arena_printf(a, "{'adjudge.engine':1,'name':'x'%s}", rows[k].members);
		struct error e = {.text = ""};
		struct hello h;

		CHECK(read_line(line, a, &h, &e), "%s: %s", line, e.text);
		CHECK(h.op[OP_SIN] == rows[k].sin && h.op[OP_COND] == rows[k].cond && h.op[OP_SCAN] == rows[k].scan,
		    "%s", line);
	}
}

static void check_round_trip(struct arena *a)
{
	static const char line[] =
	    "{'adjudge.engine':1,'name':'x','version':'2','requests':[['jvp'],['vjp','batch']],"
	    "'dtypes':['f64','i32'],"
	    "'ops':['sin','no_such_op'],'rank':2,'nodes':40,'unroll':true,'constants':true,'broadcast':true,"
	    "'weak_zero':true,'finite_math':true,'reassociates':true,'nondeterministic':true,'flushes':['f32','bf16'],"
	    "'one_dtype':'f32','reals':'bits','timeout_ms':1234,'cases_per_request':12345,'emits':'py'}";
	const struct transform jvp = {.kind = TRANSFORM_JVP}, vjp = {.kind = TRANSFORM_VJP},
	                       both[] = {{.kind = TRANSFORM_VJP}, {.kind = TRANSFORM_BATCH}};
	struct error e = {.text = ""};
	struct hello h, again;
	size_t len;
	char *text;

	CHECK(read_line(line, a, &h, &e), "%s: %s", e.place, e.text);
	CHECK(hello_takes(&h, NULL, 0) && hello_takes(&h, &jvp, 1) && !hello_takes(&h, &vjp, 1) &&
	        hello_takes(&h, both, 2),
	    "requests");
	CHECK(h.op[OP_SIN] && h.op[OP_CONSTANT] && !h.op[OP_COS] && h.dtype[DTYPE_I32] && !h.dtype[DTYPE_F32],
	    "ops and dtypes");
	text = hello_write(&h, a, &len);
	CHECK(hello_read(text, len, a, &again, &e), "%s: %s", text, e.text);
	CHECK(again.n_request == h.n_request && again.reals == h.reals && again.timeout_ms == 1234 &&
	        again.cases_per_request == HELLO_CASES && again.one_dtype == DTYPE_F32 && again.rank == 2 &&
	        again.nodes == 40 && again.unroll && again.constants && again.broadcast && again.weak_zero &&
	        again.finite_math && again.reassociates && again.nondeterministic && again.flushes[DTYPE_F32] &&
	        again.flushes[DTYPE_BF16] && !again.flushes[DTYPE_F16] && !strcmp(again.emits, "py"),
	    "%s", text);
	CHECK(!memcmp(again.op, h.op, sizeof h.op) && !memcmp(again.dtype, h.dtype, sizeof h.dtype) &&
	        !strcmp(again.version, "2"),
	    "%s", text);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 1 << 24);
	check_refused(&a);
	CHECK_LAW(check_minimal(&a));
	CHECK_LAW(check_round_trip(&a));
	check_accuracy(&a);
	check_unknown(&a);
	check_unroll(&a);
	check_spellings(&a);
	arena_free(&a);
	return check_done();
}

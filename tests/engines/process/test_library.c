/* Engines that are shared objects: HOSTILE_ENGINE and NO_ENGINE are arguments.  This executable is their worker too. */
#include "engines/aot/table.h"
#include "engines/engine.h"
#include "engines/process/external.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <stdlib.h>
#include <string.h>

static const char doubles[] = "inputs x: f64[]\n"
                              "y = add x, x\n"
                              "return y\n"
                              "point 1.5\n"
                              "point -3";

/* What is said where the engine cannot be opened. */
static void check_opening(const char *hostile, const char *no_engine)
{
	static const struct {
		const char *behaviour, *text;
	} rows[] = {
	    {"nothing", "returns no engine"},
	    {"another-version", "version 7 of the interface; this adjudge speaks 1"},
	    {"no-functions", "lacks prepare, answer or release"},
	    {"no-hello", "not a JSON object"},
	    {"no-object", "not a JSON object"},
	    {"bad-hello", "name: needs a string"},
	    {"empty-hello", "name"},
	    {"dies-at-once", "SIGKILL"},
	};
	char path[4096], bare[4096];
	struct error e = {.text = ""};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("opening: %s, %s", rows[k].behaviour, rows[k].text))
			continue;
		struct engine *engine;

		setenv("ADJUDGE_TEST_BEHAVIOUR", rows[k].behaviour, 1);
		e = (struct error){.text = ""};
		snprintf(path, sizeof path, "so:%s", hostile);
		engine = engine_open(path, &e);
		CHECK(!engine && strstr(e.text, rows[k].text), "%s: '%s'", rows[k].behaviour, e.text);
		engine_close(engine);
	}
	snprintf(path, sizeof path, "so:%s", no_engine);
	e = (struct error){.text = ""};
	if (all_wanted())
		CHECK(!engine_open(path, &e) && strstr(e.text, "exports no adjudge_engine_1"), "'%s'", e.text);
	e = (struct error){.text = ""};
	if (all_wanted())
		CHECK(!engine_open("so:/nonexistent/engine.so", &e) && strstr(e.text, "cannot open shared object"),
		    "'%s'", e.text);
	e = (struct error){.text = ""};
	snprintf(bare, sizeof bare, "%s", strrchr(hostile, '/') + 1);
	snprintf(path, sizeof path, "so:%.4000s", bare);
	if (all_wanted())
		CHECK(!engine_open(path, &e) && strstr(e.text, "so:./"), "'%s'", e.text);
}

static void check_answers(const char *hostile, struct arena *a)
{
	static const struct {
		const char *behaviour;
		enum answer_status status;
		const char *text;
	} rows[] = {
	    {"", ANSWER_OK, ""},
	    {"prints", ANSWER_OK, ""},
	    {"reads", ANSWER_OK, ""},
	    {"refuses", ANSWER_UNSUPPORTED, "no?such program"},
	    {"fails", ANSWER_CRASH, "xxx"},
	    {"forgets", ANSWER_CRASH, "left element 0 of primal 0 unwritten"},
	    {"overruns", ANSWER_CRASH, "wrote beyond the 1 elements of primal 0"},
	    {"dies", ANSWER_CRASH, "SIGABRT: Assertion failed"},
	    {"asserts", ANSWER_CRASH, "|hostile: /usr/include/op.h:116: Assertion `a.rows() == b.rows()' failed."},
	    {"hangs", ANSWER_HANG, "500 ms"},
	};
	char spec[4096];
	struct error e = {.text = ""};
	struct testcase c;

	CHECK(case_text_read(doubles, a, &c, &e), "%s: %s", e.place, e.text);
	snprintf(spec, sizeof spec, "so:%s", hostile);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("answers: %s, %s", rows[k].behaviour, rows[k].text))
			continue;
		struct answer out[2] = {{.text = ""}, {.text = ""}};
		struct engine *x;

		setenv("ADJUDGE_TEST_BEHAVIOUR", rows[k].behaviour, 1);
		x = engine_open(spec, &e);
		CHECK(x && engine_scope(x).op[OP_ADD] && !engine_scope(x).op[OP_MUL] &&
		        !strcmp(engine_kind(x)->name, "hostile"),
		    "%s", e.text);
		if (!x)
			return;
		if (rows[k].status == ANSWER_HANG)
			engine_set_timeout(x, 500);
		engine_answer(x, &c, a, out);
		for (int p = 0; p < 2; p++)
			CHECK(out[p].status == rows[k].status && strstr(out[p].text, rows[k].text), "%s: %d '%s'",
			    rows[k].behaviour, (int)out[p].status, out[p].text);
		if (out[1].status == ANSWER_OK)
			CHECK(out[0].primal[0].at[0].f == 3 && out[1].primal[0].at[0].f == -6, "%a, %a",
			    out[0].primal[0].at[0].f, out[1].primal[0].at[0].f);
		engine_close(x);
	}
	unsetenv("ADJUDGE_TEST_BEHAVIOUR");
}

/* A loop that is unrolled to more nodes than a case may have is unsupported; the engine lives on. */
static void check_unrolled(const char *hostile, struct arena *a)
{
	char spec[4096];
	struct error e = {.text = ""};
	struct answer out = {.text = ""};
	struct testcase c = test_case(a,
	    "inputs x: f64[]\n"
	    "y = for (x) trip=1025 {\n"
	    "  params i, acc\n"
	    "  next = add acc, acc\n"
	    "  yield next\n"
	    "}\n"
	    "return y\n"
	    "point 1");
	struct engine *x;

	setenv("ADJUDGE_TEST_BEHAVIOUR", "unrolls", 1);
	snprintf(spec, sizeof spec, "so:%s", hostile);
	x = engine_open(spec, &e);
	CHECK(x, "%s", e.text);
	if (!x)
		return;
	engine_answer(x, &c, a, &out);
	CHECK(out.status == ANSWER_UNSUPPORTED && strstr(out.text, "more than 1024 nodes"), "%d '%s'", (int)out.status,
	    out.text);
	engine_close(x);
	unsetenv("ADJUDGE_TEST_BEHAVIOUR");
}

int main(int argc, char **argv)
{
	struct arena a;

	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker_library(argv[3]);
	if (argc < 3)
		return 1;
	check_begin(argc - 2, argv + 2);
	arena_init(&a, (size_t)1 << 28);
	check_opening(argv[1], argv[2]);
	check_answers(argv[1], &a);
	CHECK_LAW(check_unrolled(argv[1], &a));
	arena_free(&a);
	return check_done();
}

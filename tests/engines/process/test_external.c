/*
 * Engines behind the protocol. This executable is such an engine when it is started with `engine HELLO BEHAVIOUR`: it
 * says the hello and answers by tape, so that what lowering does to a case, and is undone in the answers, must leave
 * the answers as they are.
 */
#include "engines/instance.h"
#include "engines/process/external.h"
#include "engines/process/wire.h"
#include "fuzz/generate/generate.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CASES = 250 };

static const char *executable;

/* ---- the engine ---- */

/* A line of JSON in which ' stands for ". */
static void say(const char *line, struct arena *a)
{
	puts(json_text(a, line));
	fflush(stdout);
}

static int serve(const char *hello, const char *behaviour)
{
	struct engine *tape;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	struct arena a;

	if (!strcmp(behaviour, "dies"))
		fprintf(stderr, "first line\nno such device\n");
	if (!strcmp(behaviour, "dies"))
		return 3;
	arena_init(&a, (size_t)1 << 29);
	tape = engine_open_here("tape", NULL);
	printf("%s\n", hello);
	fflush(stdout);
	while ((len = getline(&line, &room, stdin)) > 0) {
		struct error e = {.text = ""};
		struct testcase *c;
		struct answer **answers;
		long id;
		int n;
		size_t out;

		arena_reset(&a);
		if (!wire_read_request(line, (size_t)len - 1, &a, &id, &c, &n, &e)) {
			printf("%s\n", wire_write_error(id, arena_printf(&a, "%s: %s", e.place, e.text), &a, &out));
			fflush(stdout);
			continue;
		}
		if (!strcmp(behaviour, "counts")) {
			say(arena_printf(
			        &a, "{'id':%ld,'error':'%d cases, %d points of the first'}", id, n, c->n_point),
			    &a);
			continue;
		}
		if (!strcmp(behaviour, "variant")) {
			say(arena_printf(&a, "{'id':%ld,'error':'variant %d'}", id, c->variant), &a);
			continue;
		}
		if (!strcmp(behaviour, "error")) {
			say(arena_printf(
			        &a, "{'id':%ld,'answers':[[{'status':'error','text':'RuntimeError: oh'}]]}", id),
			    &a);
			continue;
		}
		if (!strcmp(behaviour, "floods"))
			for (int k = 0; k < 100000; k++)
				fprintf(stderr, "warning number %d\n", k);
		answers = NEW(&a, struct answer *, n);
		for (int k = 0; k < n; k++) {
			answers[k] = NEW(&a, struct answer, c[k].n_point);
			engine_answer(tape, &c[k], &a, answers[k]);
		}
		printf("%s\n", wire_write_answers(id, c, answers, n, &a, &out));
		fflush(stdout);
	}
	return 0;
}

/* ---- the tests ---- */

/* In the hello ' stands for ". */
static struct engine *open_engine(const char *hello, const char *behaviour, struct error *e)
{
	char command[4096];
	struct arena a;

	arena_init(&a, 1 << 16);
	snprintf(
	    command, sizeof command, "proc:exec '%s' engine '%s' '%s'", executable, json_text(&a, hello), behaviour);
	arena_free(&a);
	return engine_open(command, e);
}

static bool answers_alike(const struct answer *x, const struct answer *y, int n)
{
	for (int k = 0; k < n; k++)
		if (x[k].status != y[k].status || x[k].n_primal != y[k].n_primal ||
		    x[k].n_derivative != y[k].n_derivative || !tensors_same(x[k].primal, y[k].primal, x[k].n_primal) ||
		    !tensors_same(x[k].derivative, y[k].derivative, x[k].n_derivative))
			return false;
	return true;
}

/* Generated cases by tape here, and by tape there under the hello. */
static void check_lowering(struct arena *a)
{
	static const struct {
		const char *members;
		/* of the cases that it answered: bit for bit; accumulated in another order, the others */
		int same_percent;
	} rows[] = {
	    {"", 100},
	    {",'broadcast':true", 80},
	    {",'unroll':true", 80},
	    {",'unroll':true,'constants':true", 80},
	    {",'ops':['add','mul','sin','neg','sub','exp','for','reduce_sum','broadcast_to','constant']", 100},
	};
	struct engine *tape = engine_open_here("tape", NULL);
	struct profile profile = profile_default();

	profile.order_second = profile.order_third = profile.batch = 0;
	profile.jvp = 0;
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		if (!row_wanted("lowering: %s", rows[r].members))
			continue;
		char hello[512];
		struct error e = {.text = ""};
		struct engine *x;
		int answered = 0, same = 0;

		snprintf(
		    hello, sizeof hello, "{'adjudge.engine':1,'name':'there','requests':[['vjp']]%s}", rows[r].members);
		x = open_engine(hello, "", &e);
		CHECK(x, "%s: %s", hello, e.text);
		if (!x)
			continue;
		for (uint64_t k = 0; k < CASES; k++) {
			struct choice choice = choice_seeded(k);
			struct answer *here, *there;
			struct testcase c;

			arena_reset(a);
			c = generate(&choice, &profile, a);
			here = NEW(a, struct answer, c.n_point);
			there = NEW(a, struct answer, c.n_point);
			engine_answer(tape, &c, a, here);
			engine_answer(x, &c, a, there);
			/* tape's reader has a limit that other engines need not have */
			if (there->status == ANSWER_UNSUPPORTED ||
			    (there->status == ANSWER_FAILURE && strstr(there->text, "1024 nodes")))
				continue;
			answered++;
			CHECK(
			    there->status == ANSWER_OK, "%s, seed %llu: %s", hello, (unsigned long long)k, there->text);
			same += answers_alike(here, there, c.n_point);
		}
		CHECK(answered > (strstr(rows[r].members, "ops") ? 2 : CASES * 9 / 10) &&
		        100 * same >= rows[r].same_percent * answered,
		    "%s: %d answered, %d alike", hello, answered, same);
		engine_close(x);
	}
	engine_close(tape);
}

/* How reals are written to an engine that asks for it: the case format itself takes none but the first. */
static void check_reals(struct arena *a)
{
	static const struct {
		enum json_reals reals;
		const char *text;
	} rows[] = {{JSON_REALS_HEX, "'points':[['0x1.999999999999ap-4']]"},
	    {JSON_REALS_DECIMAL, "'points':[[0.10000000000000001]]"},
	    {JSON_REALS_BITS, "'points':[['3fb999999999999a']]"}};
	static const char text[] = "title: secret\n"
	                           "inputs x: f64[]\n"
	                           "return x\n"
	                           "point 0x1.999999999999ap-4\n"
	                           "expected of the truth: agree";
	struct error e = {.text = ""};
	struct testcase c;

	CHECK(case_text_read(text, a, &c, &e), "%s: %s", e.place, e.text);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("reals: %s", rows[k].text))
			continue;
		size_t len;
		const char *line = wire_write_request(7, &c, 1, rows[k].reals, a, &len);

		CHECK(strstr(line, json_text(a, rows[k].text)) && !strncmp(line, json_text(a, "{'id':7,'cases':["), 17),
		    "%s", line);
		CHECK(!strstr(line, "secret") && !strstr(line, "expect") && !strchr(line, '\n'), "%s", line);
	}
}

/* x*x in f32, handed over in f64: rounded on the way back. */
static void check_one_dtype(struct arena *a)
{
	static const char text[] = "inputs x: f32[]\n"
	                           "y = div x, x\n"
	                           "z = exp x\n"
	                           "return y, z\n"
	                           "point 1\n"
	                           "request: vjp; cotangents 0, 1";
	struct error e = {.text = ""};
	struct engine *x = open_engine("{'adjudge.engine':1,'name':'wide','one_dtype':'f64','dtypes':['f64']}", "", &e);
	struct answer out = {.text = ""};
	struct testcase c;

	CHECK(x && case_text_read(text, a, &c, &e), "%s: %s", e.place, e.text);
	if (!x)
		return;
	engine_answer(x, &c, a, &out);
	CHECK(out.status == ANSWER_OK && out.n_primal == 2 && out.n_derivative == 1, "%s", out.text);
	if (out.status == ANSWER_OK)
		CHECK(out.derivative[0].type.dtype == DTYPE_F32 && out.derivative[0].at[0].f == (double)(float)exp(1),
		    "%a", out.derivative[0].at[0].f);
	engine_close(x);
}

/* max(x, 0) as a cond, at 1, 2, -1, 3: points that execute the same share a case; where the cond stays, they all do. */
static void check_points(struct arena *a)
{
	static const char text[] = "inputs x: f64[]\n"
	                           "zero = constant 0\n"
	                           "p = gt x, zero\n"
	                           "y = cond (p) {\n"
	                           "  yield x\n"
	                           "} else {\n"
	                           "  yield zero\n"
	                           "}\n"
	                           "return y\n"
	                           "point 1\n"
	                           "point 2\n"
	                           "point -1\n"
	                           "point 3\n"
	                           "request: vjp; cotangents 5";
	static const double want[] = {5, 5, 0, 5};
	static const struct {
		const char *members, *counted; /* "": answers */
	} rows[] = {
	    {"'constants':true", ""},
	    {"'constants':true", "3 cases, 2 points of the first"},
	    {"'ops':['gt']", ""},
	    {"'ops':['gt']", "3 cases, 2 points of the first"},
	    {"'ops':['gt','cond']", ""},
	    {"'ops':['gt','cond']", "1 cases, 4 points of the first"},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("points: %s, %s", rows[k].members, rows[k].counted))
			continue;
		struct error e = {.text = ""};
		char *hello = arena_printf(a, "{'adjudge.engine':1,'name':'x','unroll':true,%s}", rows[k].members);
		struct engine *x = open_engine(hello, *rows[k].counted ? "counts" : "", &e);
		struct answer out[4];
		struct testcase c;

		CHECK(x && case_text_read(text, a, &c, &e), "%s: %s", e.place, e.text);
		if (!x)
			continue;
		engine_answer(x, &c, a, out);
		for (int i = 0; i < 4; i++)
			CHECK(*rows[k].counted ? !strcmp(out[i].text, rows[k].counted)
			                       : out[i].status == ANSWER_OK && out[i].n_derivative == 1 &&
			            out[i].derivative->at[0].f == want[i],
			    "%s, point %d: %s", hello, i, out[i].text);
		engine_close(x);
	}
}

/* A loop of two iterations, whose body has two nodes: how many nodes an engine must take, as the program arrives. */
static void check_nodes(struct arena *a)
{
	static const char text[] = "inputs x: f64[]\n"
	                           "y = for (x) trip=2 {\n"
	                           "  params i: i64[], z: f64[]\n"
	                           "  s = sin z\n"
	                           "  t = exp s\n"
	                           "  yield t\n"
	                           "}\n"
	                           "return y\n"
	                           "point 0.5\n"
	                           "request: vjp; cotangents 1";
	static const struct {
		const char *members, *refusal; /* "": it answers */
	} rows[] = {
	    {"", ""},
	    {",'nodes':3", ""},
	    {",'nodes':2", "x: more than 2 nodes"},
	    {",'unroll':true,'nodes':4", ""},
	    {",'unroll':true,'nodes':3", "x: more than 3 nodes"},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("nodes: %s", rows[k].members))
			continue;
		struct error e = {.text = ""};
		struct engine *x = open_engine(
		    arena_printf(a, "{'adjudge.engine':1,'name':'x'%s}", rows[k].members), "", &e);
		const char *why;
		struct testcase c;

		CHECK(x && case_text_read(text, a, &c, &e), "%s: %s", e.place, e.text);
		if (!x)
			continue;
		why = engine_refusal(x, &c, a);
		CHECK(!strcmp(why ? why : "", rows[k].refusal), "%s: %s", rows[k].members, why ? why : "answers");
		engine_close(x);
	}
}

/* Only an engine that lists spellings gets the variant of a case, however the case is changed for it. */
static void check_variant(struct arena *a)
{
	static const struct {
		const char *members, *got;
	} rows[] = {
	    {"", "variant 0"},
	    {",'spellings':{'sin':['a']}", "variant 0"},
	    {",'spellings':{'sin':['a','b']}", "variant 7"},
	    {",'spellings':{'request':['a','b']},'constants':true,'broadcast':true,'one_dtype':'f32'", "variant 7"},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("variant: %s", rows[k].members))
			continue;
		struct error e = {.text = ""};
		char *hello = arena_printf(a, "{'adjudge.engine':1,'name':'x','unroll':true%s}", rows[k].members);
		struct engine *x = open_engine(hello, "variant", &e);
		struct testcase c = test_function(a, "x: f64[]", "y: f64[] = sin x", "0.5", "vjp");
		struct answer out[1];

		CHECK(x, "%s: %s", e.place, e.text);
		if (!x)
			continue;
		c.variant = 7;
		engine_answer(x, &c, a, out);
		CHECK(!strcmp(out[0].text, rows[k].got), "%s: %s", hello, out[0].text);
		engine_close(x);
	}
}

/* The ops that an engine gets: those that stand for what it does not know, or the case's own if it is not asked. */
static void check_asked_ops(struct arena *a)
{
	static const char text[] = "inputs x: f64[3], u: f64[2], s: i64[1]\n"
	                           "b: f64[3] = copy x\n"
	                           "y: f64[3] = store b, u, s\n"
	                           "return y\n"
	                           "point [1, 2, 3], [4, 5], [0]\n"
	                           "request: vjp x; cotangents [1, 1, 1]";
	static const struct {
		const char *members;
		bool store, update;
	} rows[] = {
	    {"", true, false},
	    {",'ops':['copy','dynamic_update_slice']", false, true},
	    {",'ops':['dynamic_update_slice']", true, false},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("asked ops: %s", rows[k].members))
			continue;
		struct error e = {.text = ""};
		struct engine *x = open_engine(
		    arena_printf(a, "{'adjudge.engine':1,'name':'x'%s}", rows[k].members), "", &e);
		struct testcase c = test_case(a, text);
		bool has[OP_COUNT] = {false};

		CHECK(x, "%s: %s", e.place, e.text);
		if (!x)
			continue;
		engine_asked_ops(x, &c, a, has);
		CHECK(has[OP_STORE] == rows[k].store && has[OP_DYNAMIC_UPDATE_SLICE] == rows[k].update, "%s: %d %d",
		    rows[k].members, has[OP_STORE], has[OP_DYNAMIC_UPDATE_SLICE]);
		engine_close(x);
	}
}

static void check_behaviour(struct arena *a)
{
	static const struct {
		const char *behaviour;
		enum answer_status status;
		const char *text;
	} rows[] = {{"error", ANSWER_CRASH, "RuntimeError: oh"}, {"floods", ANSWER_OK, ""}};
	static const char text[] = "inputs x: f64[]\n"
	                           "return x\n"
	                           "point 1";
	struct error e = {.text = ""};
	struct testcase c;

	CHECK(case_text_read(text, a, &c, &e), "%s", e.text);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("behaviour: %s, %s", rows[k].behaviour, rows[k].text))
			continue;
		struct engine *x = open_engine("{'adjudge.engine':1,'name':'x'}", rows[k].behaviour, &e);
		struct answer out = {.text = ""};

		CHECK(x, "%s", e.text);
		if (!x)
			continue;
		engine_answer(x, &c, a, &out);
		CHECK(out.status == rows[k].status && strstr(out.text, rows[k].text), "%s: %d, '%s'", rows[k].behaviour,
		    (int)out.status, out.text);
		engine_close(x);
	}
	e.text[0] = '\0';
	if (all_wanted())
		CHECK(!open_engine("", "dies", &e) && strstr(e.text, "exit code 3: first line|no such device"), "'%s'",
		    e.text);
	e.text[0] = '\0';
	if (all_wanted())
		CHECK(!open_engine("hello?", "", &e) && strstr(e.text, "JSON"), "'%s'", e.text);
	e.text[0] = '\0';
	if (all_wanted())
		CHECK(!engine_open("proc:/nonexistent/engine", &e) && strstr(e.text, "not found"), "'%s'", e.text);
}

int main(int argc, char **argv)
{
	char path[4096];
	ssize_t len;
	struct arena a;

	if (argc == 4 && !strcmp(argv[1], "engine"))
		return serve(argv[2], argv[3]);
	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker_exec(argv[3]);
	check_begin(argc, argv);
	len = readlink("/proc/self/exe", path, sizeof path - 1);
	path[len > 0 ? len : 0] = '\0';
	executable = path;
	arena_init(&a, (size_t)1 << 30);
	check_lowering(&a);
	check_nodes(&a);
	check_variant(&a);
	check_asked_ops(&a);
	check_reals(&a);
	CHECK_LAW(check_one_dtype(&a));
	check_points(&a);
	check_behaviour(&a);
	arena_free(&a);
	return check_done();
}

/*
 * The bench: scripted engines show when an engine is asked again and what becomes of two answers; real ones that the
 * pieces fit. Run as `worker --engine SPEC` it is the worker of the isolated ones.
 */
#include "engines/instance.h"
#include "fuzz/bench/account.h"
#include "fuzz/bench/bench.h"
#include "fuzz/bench/case_work.h"
#include "fuzz/bench/question.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <stdlib.h>
#include <string.h>

/* What a scripted engine does when it is asked. */
enum act { ACT_RIGHT, ACT_WRONG, ACT_OTHER, ACT_CRASH, ACT_HANG, ACT_PROTOCOL, ACT_FAILURE, ACT_UNSUPPORTED, ACT_LESS };

struct scripted {
	struct engine engine; /* first: what the bench sees */
	enum act act[2];
	int asked;
};

static enum answer_status scripted_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	(void)self, (void)c, (void)a, (void)state, (void)text;
	return ANSWER_OK;
}

/* Of x * x at x with cotangent 1. */
static void scripted_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	static const struct {
		enum answer_status status;
		double factor;
		int n_derivative;
	} acts[] = {
	    [ACT_RIGHT] = {ANSWER_OK, 2, 1},
	    [ACT_WRONG] = {ANSWER_OK, 3, 1},
	    [ACT_OTHER] = {ANSWER_OK, 4, 1},
	    [ACT_CRASH] = {ANSWER_CRASH, 0, 0},
	    [ACT_HANG] = {ANSWER_HANG, 0, 0},
	    [ACT_PROTOCOL] = {ANSWER_PROTOCOL, 0, 0},
	    [ACT_FAILURE] = {ANSWER_FAILURE, 0, 0},
	    [ACT_UNSUPPORTED] = {ANSWER_UNSUPPORTED, 0, 0},
	    [ACT_LESS] = {ANSWER_OK, 2, 0},
	};
	struct scripted *s = (struct scripted *)self;
	int turn = s->asked < 1 ? 0 : 1;
	double x = point[0].at[0].f;

	(void)state, (void)which;
	if (which == c->n_point - 1)
		s->asked++;
	out->status = acts[s->act[turn]].status;
	out->text = "scripted";
	if (out->status != ANSWER_OK)
		return;
	out->n_primal = 1;
	out->primal = NEW(a, struct tensor, 1);
	out->primal[0] = tensor_new(a, &c->program.type[c->program.top.result[0]]);
	out->primal[0].at[0].f = x * x;
	out->n_derivative = acts[s->act[turn]].n_derivative;
	out->derivative = NEW(a, struct tensor, 1);
	out->derivative[0] = tensor_new(a, &point[0].type);
	out->derivative[0].at[0].f = acts[s->act[turn]].factor * x;
}

/* clang-format off */
static const struct engine_kind scripted_kind = {
	.name = "scripted", .summary = "", .modelled_on = "", .jvp = true, .vjp = true, .prepare = scripted_prepare,
	.answer = scripted_answer,
};
/* clang-format on */

static struct engine *scripted_open(enum act first, enum act second)
{
	struct scripted *s = calloc(1, sizeof(*s));

	s->engine.place = &place_here;
	s->engine.kind = &scripted_kind;
	s->engine.spec = strdup("scripted");
	s->act[0] = first;
	s->act[1] = second;
	return &s->engine;
}

/* x * x, or sin(x) * x, over f64[]; two points; vjp wrt [0] with cotangent 1. */
static struct testcase square_case(bool sine, struct arena *a)
{
	struct type scalar = {DTYPE_F64, {0}};
	struct testcase c = {0};
	struct builder b = {0};
	int x, y;

	build_begin(&b, a);
	x = y = build_input(&b, &scalar);
	if (sine)
		y = build_node(&b, OP_SIN, &x, 1, NULL, NULL);
	y = build_node(&b, OP_MUL, (const int[]){x, y}, 2, NULL, NULL);
	c.program = build_end(&b, &y, 1);
	c.n_point = 2;
	c.point = NEW(a, struct tensor *, 2);
	for (int k = 0; k < 2; k++) {
		c.point[k] = NEW(a, struct tensor, 1);
		c.point[k][0] = tensor_new(a, &scalar);
		c.point[k][0].at[0].f = 1.5 + k;
	}
	c.n_transform = 1;
	c.transform = NEW(a, struct transform, 1);
	c.transform[0].kind = TRANSFORM_VJP;
	c.transform[0].n_wrt = 1;
	c.transform[0].wrt = NEW(a, int, 1);
	c.transform[0].n_seed = 1;
	c.transform[0].seed = NEW(a, struct tensor, 1);
	c.transform[0].seed[0] = tensor_new(a, &scalar);
	c.transform[0].seed[0].at[0].f = 1;
	return c;
}

static void test_scripts(struct arena *a)
{
	static const struct {
		enum act first, second;
		enum verdict verdict;
		int asked;
	} rows[] = {
	    {ACT_RIGHT, ACT_WRONG, VERDICT_AGREE, 1},
	    {ACT_UNSUPPORTED, ACT_WRONG, VERDICT_UNSUPPORTED, 1},
	    {ACT_FAILURE, ACT_WRONG, VERDICT_UNDECIDED, 1},
	    {ACT_WRONG, ACT_WRONG, VERDICT_WRONG, 2},
	    {ACT_WRONG, ACT_OTHER, VERDICT_NONDETERMINISTIC, 2},
	    {ACT_WRONG, ACT_RIGHT, VERDICT_NONDETERMINISTIC, 2},
	    {ACT_WRONG, ACT_LESS, VERDICT_NONDETERMINISTIC, 2},
	    {ACT_LESS, ACT_LESS, VERDICT_BAD_SHAPE, 2},
	    {ACT_WRONG, ACT_CRASH, VERDICT_CRASH, 2},
	    {ACT_CRASH, ACT_RIGHT, VERDICT_CRASH, 2},
	    {ACT_CRASH, ACT_CRASH, VERDICT_CRASH, 2},
	    {ACT_HANG, ACT_HANG, VERDICT_HANG, 2},
	    {ACT_HANG, ACT_RIGHT, VERDICT_AGREE, 2},
	    {ACT_WRONG, ACT_HANG, VERDICT_WRONG, 2},
	    {ACT_WRONG, ACT_FAILURE, VERDICT_WRONG, 2},
	    {ACT_PROTOCOL, ACT_PROTOCOL, VERDICT_PROTOCOL, 2},
	    {ACT_PROTOCOL, ACT_RIGHT, VERDICT_PROTOCOL, 2},
	    {ACT_WRONG, ACT_PROTOCOL, VERDICT_PROTOCOL, 2},
	    {ACT_PROTOCOL, ACT_CRASH, VERDICT_CRASH, 2},
	};
	/* finite differences run on no case by themselves: what has them was confirmed */
	struct oracle_options options = {.seed = 1, .fd_one_in = 1 << 30};
	struct testcase c = square_case(false, a);

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		if (!row_wanted("scripts: %d, %s", (int)k, verdict_names[rows[k].verdict]))
			continue;
		struct error e = {.text = ""};
		struct bench b;
		struct bench_result r;
		struct scripted *s;

		CHECK(bench_open(&b, NULL, 0, &options, &e), "%s", e.text);
		b.engine[b.n_engine++] = scripted_open(ACT_RIGHT, ACT_RIGHT);
		b.engine[b.n_engine++] = scripted_open(rows[k].first, rows[k].second);
		s = (struct scripted *)b.engine[1];
		bench_judge(&b, &c, a, &r);
		CHECK(
		    r.judgement[1].verdict == rows[k].verdict, "row %zu: %s", k, verdict_names[r.judgement[1].verdict]);
		if (rows[k].second != ACT_HANG && rows[k].second != ACT_FAILURE)
			CHECK(r.unsteady[1] == (rows[k].asked == 2 && rows[k].first != rows[k].second),
			    "row %zu: unsteady %d", k, (int)r.unsteady[1]);
		CHECK(s->asked == rows[k].asked, "row %zu: asked %d times", k, s->asked);
		CHECK(r.judgement[0].verdict == VERDICT_AGREE, "row %zu: the other: %s", k,
		    verdict_names[r.judgement[0].verdict]);
		CHECK(((struct scripted *)b.engine[0])->asked == 1, "row %zu: the other was asked again", k);
		CHECK(!r.oracle_disagreement && r.truth.n_point == 2, "row %zu: truth", k);
		if (rows[k].verdict == VERDICT_WRONG)
			CHECK(r.truth.point[0].fd.outcome == FD_AGREES, "row %zu: not confirmed: %d", k,
			    (int)r.truth.point[0].fd.outcome);
		if (rows[k].first == ACT_WRONG && rows[k].second == ACT_OTHER)
			CHECK(r.judgement[1].expected == 4.5 && r.judgement[1].returned == 6.0, "row %zu: %g, %g", k,
			    r.judgement[1].expected, r.judgement[1].returned);
		bench_close(&b);
	}
}

/* A finding counts where the reference is right, which is asked once, and only then. */
static void test_reference(struct arena *a)
{
	static const struct {
		enum act act, reference;
		enum verdict verdict, shows; /* by bench_judge and by case_shows */
		int asked;                   /* the reference, by both */
	} rows[] = {
	    {ACT_WRONG, ACT_RIGHT, VERDICT_WRONG, VERDICT_WRONG, 2},
	    {ACT_CRASH, ACT_RIGHT, VERDICT_CRASH, VERDICT_CRASH, 2},
	    {ACT_WRONG, ACT_WRONG, VERDICT_UNDECIDED, VERDICT_UNDECIDED, 2},
	    {ACT_WRONG, ACT_OTHER, VERDICT_UNDECIDED, VERDICT_UNDECIDED, 2},
	    {ACT_WRONG, ACT_CRASH, VERDICT_UNDECIDED, VERDICT_UNDECIDED, 2},
	    {ACT_CRASH, ACT_UNSUPPORTED, VERDICT_UNDECIDED, VERDICT_UNDECIDED, 2},
	    {ACT_RIGHT, ACT_WRONG, VERDICT_AGREE, VERDICT_AGREE, 0},
	    {ACT_UNSUPPORTED, ACT_WRONG, VERDICT_UNSUPPORTED, VERDICT_UNSUPPORTED, 0},
	};
	struct oracle_options options = {.seed = 1, .fd_one_in = 1 << 30};
	struct testcase c = square_case(false, a);

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		if (!row_wanted("reference: %d, %s", (int)k, verdict_names[rows[k].verdict]))
			continue;
		struct shared_truth t = {.confirmed = true};
		struct error e = {.text = ""};
		struct judgement shown;
		struct bench_result r;
		struct bench b;

		CHECK(bench_open(&b, NULL, 0, &options, &e), "%s", e.text);
		b.engine[b.n_engine++] = scripted_open(ACT_RIGHT, ACT_RIGHT);
		b.engine[b.n_engine++] = scripted_open(rows[k].act, rows[k].act);
		b.reference = scripted_open(rows[k].reference, rows[k].reference);
		bench_judge(&b, &c, a, &r);
		CHECK(r.judgement[0].verdict == VERDICT_AGREE, "row %zu: the other: %s", k,
		    verdict_names[r.judgement[0].verdict]);
		CHECK(
		    r.judgement[1].verdict == rows[k].verdict, "row %zu: %s", k, verdict_names[r.judgement[1].verdict]);
		CHECK((r.judgement[1].reason == REASON_REFERENCE) == (rows[k].verdict == VERDICT_UNDECIDED),
		    "row %zu: reason %d", k, (int)r.judgement[1].reason);
		oracle_truth(b.oracle, &c, a, &t.truth);
		CHECK(case_shows(&c, &(struct question){.bench = &b, .engine = b.engine[1], .truth = &t}, a, &shown) ==
		        verdict_is_finding[rows[k].shows],
		    "row %zu: %s", k, verdict_names[shown.verdict]);
		CHECK(shown.verdict == rows[k].shows, "row %zu: %s", k, verdict_names[shown.verdict]);
		CHECK(((struct scripted *)b.reference)->asked == rows[k].asked, "row %zu: asked %d times", k,
		    ((struct scripted *)b.reference)->asked);
		bench_close(&b);
	}
}

static void test_open(void)
{
	static const char *const specs[] = {"tape", "no-such-engine"};
	static const char *many[BENCH_ENGINES + 1];
	struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct error e = {.text = ""}, f = {.text = ""};
	struct bench b;

	CHECK(!bench_open(&b, specs, 2, &options, &e) && strstr(e.text, "no-such-engine"), "'%s'", e.text);
	for (int k = 0; k <= BENCH_ENGINES; k++)
		many[k] = "tape";
	CHECK(!bench_open(&b, many, BENCH_ENGINES + 1, &options, &f) && strstr(f.text, "64"), "'%s'", f.text);
	bench_close(&b); /* after a failure: nothing is left to close */
	e.text[0] = '\0';
	CHECK(!bench_open_against(&b, specs, 1, "no-such-engine", &options, &e) && strstr(e.text, "no-such-engine"),
	    "'%s'", e.text);
}

static void test_real(struct arena *a)
{
	static const char *const specs[] = {
	    "tape", "functional", "forward", "tape+scale:mul:1.5", "functional+scale:sin:1.5"};
	static const enum verdict verdicts[] = {
	    VERDICT_AGREE, VERDICT_AGREE, VERDICT_UNSUPPORTED, VERDICT_WRONG, VERDICT_WRONG};
	struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct testcase c = square_case(true, a);
	struct error e = {.text = ""};
	struct bench b;
	struct bench_result r;

	CHECK(bench_open(&b, specs, 5, &options, &e), "%s", e.text);
	if (e.text[0])
		return;
	bench_judge(&b, &c, a, &r);
	for (int k = 0; k < 5; k++)
		CHECK(r.judgement[k].verdict == verdicts[k], "%s: %s (%s)", specs[k],
		    verdict_names[r.judgement[k].verdict], r.answer[k][0].text);
	CHECK(bench_waited(&b) >= 0, "%g s", bench_waited(&b));
	bench_close(&b);
}

/*
 * Engines with equal rules share a derivative program, so a fault of one must not reach another, whoever is asked
 * first. Mutant 55 turns the sign of the partial of sin.
 */
static void test_shared(struct arena *a)
{
	static const struct {
		const char *spec[2];
		enum verdict verdict[2];
	} rows[] = {
	    {{"aot", "compiled"}, {VERDICT_AGREE, VERDICT_AGREE}},
	    {{"aot+mutant:55", "compiled"}, {VERDICT_WRONG, VERDICT_AGREE}},
	    {{"compiled", "aot+mutant:55"}, {VERDICT_AGREE, VERDICT_WRONG}},
	    {{"aot+mutant:55", "aot+mutant:55"}, {VERDICT_WRONG, VERDICT_WRONG}},
	};
	struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct testcase c = square_case(true, a);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error e = {.text = ""};
		struct bench b;
		struct bench_result r;

		CHECK(bench_open(&b, rows[i].spec, 2, &options, &e), "%s", e.text);
		if (e.text[0])
			return;
		bench_judge(&b, &c, a, &r);
		for (int k = 0; k < 2; k++)
			CHECK(r.judgement[k].verdict == rows[i].verdict[k], "%s beside %s: %s", rows[i].spec[k],
			    rows[i].spec[1 - k], verdict_names[r.judgement[k].verdict]);
		bench_close(&b);
	}
}

/* An engine that dies for real does so in its worker: the others are judged as ever, and it is there for the next case.
 */
static void test_isolated(struct arena *a)
{
	static const char *const specs[] = {"forward+packed-atan2-oob", "forward"};
	struct type scalar = {DTYPE_F64, {0}};
	struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct testcase harmless = square_case(true, a), c = square_case(false, a);
	struct error e = {.text = ""};
	struct bench b;
	struct bench_result r;
	struct builder build = {0};
	int x, y;

	build_begin(&build, a);
	x = build_input(&build, &scalar);
	y = build_scalar(&build, DTYPE_F64, 2);
	y = build_node(&build, OP_ATAN2, (const int[]){x, y}, 2, NULL, NULL);
	c.program = build_end(&build, &y, 1);
	c.transform[0].kind = harmless.transform[0].kind = TRANSFORM_JVP;
	CHECK(bench_open(&b, specs, 2, &options, &e), "%s", e.text);
	if (e.text[0])
		return;
	for (int round = 0; round < 2; round++) {
		bench_judge(&b, &c, a, &r);
		CHECK(r.judgement[0].verdict == VERDICT_CRASH, "%s (%s)", verdict_names[r.judgement[0].verdict],
		    r.answer[0][0].text);
		CHECK(r.judgement[1].verdict == VERDICT_AGREE, "%s", verdict_names[r.judgement[1].verdict]);
		bench_judge(&b, &harmless, a, &r);
		CHECK(r.judgement[0].verdict == VERDICT_AGREE, "%s (%s)", verdict_names[r.judgement[0].verdict],
		    r.answer[0][0].text);
	}
	bench_close(&b);
}

/* A candidate that kills the engine costs one process, and that is counted as work. */
static void test_one_death(struct arena *a)
{
	static const char *const spec = "tape+crash";
	struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct testcase c = square_case(true, a);
	struct shared_truth t = {.confirmed = true};
	struct judgement j;
	struct error e = {.text = ""};
	struct bench b;
	int64_t before;

	c.transform[0].kind = TRANSFORM_VJP;
	CHECK(bench_open(&b, &spec, 1, &options, &e), "%s", e.text);
	if (e.text[0])
		return;
	oracle_truth(b.oracle, &c, a, &t.truth);
	before = bench_work(&b);
	bench_judge_one(&b, b.engine[0], &c, a, &t, &j);
	CHECK(j.verdict == VERDICT_CRASH && engine_trouble(b.engine[0]).crashes == 1, "%s, %d crashes",
	    verdict_names[j.verdict], engine_trouble(b.engine[0]).crashes);
	CHECK(bench_work(&b) - before == request_work(&c, spec) + WORK_PROCESS, "%lld counted",
	    (long long)(bench_work(&b) - before));
	struct limit limit = {0};
	const struct question q = {.bench = &b, .judged = JUDGED_IN_FULL, .spent = &limit, .until = &limit};
	CHECK(case_shows(&c, &q, a, NULL) && limit.deaths == 1 && limit.restarted > 0, "%d deaths in %g s",
	    limit.deaths, limit.restarted);
	limit.restarted = 1e9;
	CHECK(!case_shows(&c, &q, a, NULL), "still asked after so many processes");
	bench_close(&b);
}

/* ---- questions ---- */

static bool at_once(void) { return true; }

static bool refuse_all(void *context, const struct testcase *c)
{
	(void)context, (void)c;
	return true;
}

/* What is asked, how often the engine hears of it, and what the answer is. */
static void test_questions(struct arena *a)
{
	static const char wrong[] = "scripted|vjp|wrong|finite", crash[] = "scripted|vjp|crash|none";
	static const struct limit over = {.stop = at_once};
	struct slips slips = {0};
	struct limit limit = {0};
	const struct {
		enum act first, second;
		struct question q;
		bool shows;
		int asked;
		enum verdict verdict;
		int slips;
	} rows[] = {
	    {ACT_RIGHT, ACT_WRONG, {0}, false, 1, VERDICT_AGREE, 0},
	    {ACT_WRONG, ACT_WRONG, {0}, true, 2, VERDICT_WRONG, 0},
	    {ACT_WRONG, ACT_WRONG, {.judged = JUDGED_IN_FULL}, true, 2, VERDICT_WRONG, 0},
	    {ACT_RIGHT, ACT_WRONG, {.runs = 1}, false, 1, VERDICT_AGREE, 0},
	    {ACT_RIGHT, ACT_WRONG, {.runs = 9}, true, 3, VERDICT_WRONG, 0},
	    {ACT_RIGHT, ACT_WRONG, {.runs = 9, .judged = JUDGED_IN_FULL}, true, 3, VERDICT_WRONG, 0},
	    {ACT_RIGHT, ACT_RIGHT, {.runs = 9}, false, 9, VERDICT_AGREE, 0},
	    {ACT_RIGHT, ACT_RIGHT, {.runs = 9, .judged = JUDGED_IN_FULL}, false, 9, VERDICT_AGREE, 0},
	    {ACT_RIGHT, ACT_RIGHT, {.fresh = true}, false, BENCH_RUNS, VERDICT_AGREE,
	        0}, /* there is no process to start anew */
	    {ACT_RIGHT, ACT_RIGHT, {.fresh = true, .runs = 3}, false, 3, VERDICT_AGREE, 0},
	    {ACT_WRONG, ACT_WRONG, {.signature = wrong, .slips = &slips}, true, 2, VERDICT_WRONG, 0},
	    {ACT_WRONG, ACT_WRONG, {.signature = crash, .slips = &slips}, false, 2, VERDICT_WRONG, 1},
	    {ACT_WRONG, ACT_WRONG, {.signature = crash}, false, 2, VERDICT_WRONG, 0},
	    {ACT_WRONG, ACT_WRONG, {.judged = JUDGED_IN_SHORT, .signature = wrong, .spent = &limit}, true, 2,
	        VERDICT_WRONG, 0},
	    /* A rough question compares one answer with that of a right engine, and makes no verdict. */
	    {ACT_WRONG, ACT_WRONG, {.judged = JUDGED_IN_SHORT, .signature = wrong, .spent = &limit, .rough = true},
	        true, 1, VERDICT_UNDECIDED, 0},
	    {ACT_RIGHT, ACT_RIGHT, {.judged = JUDGED_IN_SHORT, .signature = wrong, .spent = &limit, .rough = true},
	        false, 1, VERDICT_UNDECIDED, 0},
	    /* One answer says that it does not crash, and one that it does. */
	    {ACT_WRONG, ACT_WRONG, {.judged = JUDGED_IN_SHORT, .signature = crash, .spent = &limit}, false, 1,
	        VERDICT_UNDECIDED, 0},
	    {ACT_CRASH, ACT_CRASH, {.judged = JUDGED_IN_SHORT, .signature = crash, .spent = &limit}, true, 1,
	        VERDICT_CRASH, 0},
	    {ACT_WRONG, ACT_WRONG, {.until = &limit}, true, 2, VERDICT_WRONG, 0},
	    {ACT_HANG, ACT_HANG, {.spent = &limit}, true, 2, VERDICT_HANG, 0},
	    {ACT_WRONG, ACT_WRONG, {.until = &limit}, false, 0, VERDICT_UNDECIDED,
	        0}, /* the hang took all the time that there was */
	    {ACT_WRONG, ACT_WRONG, {.until = &over}, false, 0, VERDICT_UNDECIDED, 0},
	    {ACT_WRONG, ACT_WRONG, {.refuse = refuse_all}, false, 0, VERDICT_UNDECIDED, 0},
	    {ACT_WRONG, ACT_WRONG, {.judged = JUDGED_IN_FULL, .disagreement = true}, false, 2, VERDICT_WRONG, 0},
	};
	struct oracle_options options = {.seed = 1, .fd_one_in = 1 << 30};
	struct testcase c = square_case(false, a);
	struct error e = {.text = ""};
	struct arena small;
	struct bench b;

	CHECK(bench_open(&b, NULL, 0, &options, &e), "%s", e.text);
	b.n_engine = 1;
	arena_init(&small, 1);
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		if (!row_wanted("questions: row %d", (int)k))
			continue;
		struct question q = rows[k].q;
		struct judgement j;

		b.engine[0] = scripted_open(rows[k].first, rows[k].second);
		q.bench = &b;
		CHECK(case_shows(&c, &q, a, &j) == rows[k].shows, "row %zu: %s", k, verdict_names[j.verdict]);
		CHECK(j.verdict == rows[k].verdict, "row %zu: %s", k, verdict_names[j.verdict]);
		CHECK(((struct scripted *)b.engine[0])->asked == rows[k].asked, "row %zu: asked %d times", k,
		    ((struct scripted *)b.engine[0])->asked);
		CHECK(slips.n == rows[k].slips, "row %zu: %d slips", k, slips.n);
		q.full_is_no = true;
		CHECK(!case_shows(&c, &q, &small, &j), "row %zu: shows something without memory", k);
		slips_free(&slips);
		engine_close(b.engine[0]);
	}
	if (all_wanted())
		CHECK(limit.hung > 0 && limit.restarted == 0, "%g s for the hang, %g s for processes", limit.hung,
		    limit.restarted);
	b.n_engine = 0;
	b.engine[0] = NULL;
	if (all_wanted()) /* of the oracles alone, as for a case on which they disagreed */
		CHECK(!case_shows(
		          &c, &(struct question){.bench = &b, .judged = JUDGED_IN_FULL, .disagreement = true}, a, NULL),
		    "a disagreement of oracles that agree");
	bench_close(&b);
	arena_free(&small);
}

/* What counts as an engine of ours that is broken, and what as too little. */
static void test_account(struct arena *a)
{
	static const struct {
		const char *spec, *text;
		enum answer_status status;
		int not_asked, broken;
	} rows[] = {
	    {"tape", "tape: no rule for mul", ANSWER_UNSUPPORTED, 0, 1},
	    {"tape", "reduce: 3 axes, expected at most the rank", ANSWER_UNSUPPORTED, 0, 1},
	    {"tape", "scan: 26 results, expected at most 16", ANSWER_TOO_LARGE, 0, 0},
	    {"tape+scale:mul:2", "tape: no rule for mul", ANSWER_UNSUPPORTED, 0, 0},
	    {"forward", "forward: no vjp", ANSWER_UNSUPPORTED, 1, 0},
	};
	struct testcase c = test_function(a, "x: f64[]", "y = mul x, x", "3", "vjp x");
	const struct judgement unsupported = {.verdict = VERDICT_UNSUPPORTED}, agree = {.verdict = VERDICT_AGREE};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct answer answer = {.status = rows[k].status, .text = rows[k].text};
		struct account x = {0};
		struct error e = {0};
		struct engine *engine = engine_open(rows[k].spec, &e);

		account_add(&x, engine, &c, &answer, &unsupported, a);
		CHECK(x.broken == rows[k].broken && x.not_asked == rows[k].not_asked &&
		        account_asked(&x) == !rows[k].not_asked,
		    "%s: %s", rows[k].spec, rows[k].text);
		CHECK(account_too_few(&x, 0, false) == !rows[k].not_asked && account_too_few(&x, 0, true),
		    "%s decided nothing: %s", rows[k].spec, rows[k].text);
		account_add(&x, engine, &c, &answer, &agree, a);
		CHECK(rows[k].not_asked || (!account_too_few(&x, 50, true) && account_too_few(&x, 51, true)),
		    "%s decided half", rows[k].spec);
		engine_close(engine);
	}
}

/* An engine that knows few ops: its reasons are counted one by one, and the sum of the rest is never the main one. */
static void test_causes(struct arena *a)
{
	struct account x = {0};

	for (int k = 0; k < 100; k++) {
		struct account_fact fact = {.asked = true, .verdict = VERDICT_UNSUPPORTED};

		snprintf(fact.cause, sizeof fact.cause, "no op %d", k);
		for (int n = 0; n < (k == 40 ? 3 : 2); n++)
			account_count(&x, &fact);
	}
	CHECK(x.n_cause == ACCOUNT_CAUSES && x.cause[ACCOUNT_CAUSES - 1].n == 2 * (100 - ACCOUNT_CAUSES + 1),
	    "%d reasons", x.n_cause);
	CHECK(strstr(account_text(&x, "mine", a), "mostly because: no op 40 (3 times)"), "%s",
	    account_text(&x, "mine", a));
}

int main(int argc, char **argv)
{
	struct arena a;

	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker(argv[3]);
	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 28);
	test_scripts(&a);
	test_reference(&a);
	CHECK_LAW(test_open());
	CHECK_LAW(test_real(&a));
	CHECK_LAW(test_shared(&a));
	CHECK_LAW(test_isolated(&a));
	CHECK_LAW(test_one_death(&a));
	test_questions(&a);
	CHECK_LAW(test_account(&a));
	CHECK_LAW(test_causes(&a));
	arena_free(&a);
	return check_done();
}

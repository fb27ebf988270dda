/* gate_judge.c: see gate_judge.h. */
#include "gate_judge.h"

#include <string.h>

#include "commands.h"
#include "expect.h"
#include "fuzz/bench/look_again.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"

/* A case that is being judged. */
struct work {
	const struct gate_judge *gate;
	const char *path;
	struct testcase c;
	struct bench bench; /* the engines of this case */
	struct bench_result result;
	struct arena *arena;
	struct gate_case *out;
};

/* ---- engines ---- */

/* The engine of [NAME=]SPEC, opened once; NULL after a complaint. */
static struct engine *find_engine(struct gate_judge *g, const char *text)
{
	struct error e = {0};
	struct engine *engine;

	for (int i = 0; i < g->n_engine; i++)
		if (engine_text_is_called(text, engine_name(g->engine[i])))
			return g->engine[i];
	if (g->n_engine == GATE_ENGINES) {
		complain("more than %d engines", GATE_ENGINES);
		return NULL;
	}
	engine = engine_open_until(text, stop_interrupt(0), &e);
	if (!engine) {
		if (!stop_requested())
			complain("%s", e.text);
		return NULL;
	}
	return g->engine[g->n_engine++] = engine;
}

bool gate_judge_open(struct gate_judge *g, const struct texts *specs, bool strict, bool twins)
{
	const struct oracle_options oracle = {.seed = 1, .fd_one_in = 1};
	struct error e = {0};

	*g = (struct gate_judge){.specs = specs, .strict = strict, .twins = twins};
	for (int i = 0; i < specs->n; i++)
		if (!find_engine(g, specs->at[i]))
			return false;
	if (bench_open(&g->pool, NULL, 0, &oracle, &e))
		return true;
	complain("%s", e.text);
	return false;
}

void gate_judge_close(struct gate_judge *g)
{
	for (int i = 0; i < g->n_engine; i++)
		engine_close(g->engine[i]);
	if (g->pool.oracle)
		bench_close(&g->pool);
}

/* ---- outcomes ---- */

static void add(struct work *w, enum ci_state state, const char *engine, const char *signature, const char *verdict,
    const char *message)
{
	struct gate_case *out = w->out;

	GROW(w->arena, out->at, &out->room, out->n + 1);
	out->at[out->n++] = (struct ci_outcome){.state = state,
	    .path = w->path,
	    .engine = engine,
	    .signature = signature,
	    .verdict = verdict,
	    .message = message};
}

static const char *finding_message(const struct work *w, const struct answer *answers, const struct judgement *j)
{
	const char *text;

	if (!judgement_has_numbers(j)) {
		text = judged_text(&w->c, &w->result.truth, answers, j, w->arena);
		return *text ? arena_printf(w->arena, "%s %s", verdict_names[j->verdict], text)
		             : verdict_names[j->verdict];
	}
	return arena_printf(w->arena, "%s: %s, radius %.3g at point %d, %s %d, element %d", verdict_names[j->verdict],
	    numbers_text(j, w->arena), j->radius, j->point, j->in_primal ? "result" : "derivative", j->which,
	    j->element);
}

static bool is_expected_of(const struct testcase *c, const char *name)
{
	for (int i = 0; i < c->n_expect; i++)
		if (c->expect[i].engine && !strcmp(c->expect[i].engine, name))
			return true;
	return false;
}

/* Adds the expectations about the engine that are not met. */
static void check_expectations_of(
    struct work *w, const struct engine *engine, const struct answer *answers, const struct judgement *j)
{
	const char *name = engine_name(engine);

	for (int i = 0; i < w->c.n_expect; i++) {
		const struct expectation *x = &w->c.expect[i];
		const char *wrong;

		if (!expect_is_about(x, engine))
			continue;
		wrong = expect_engine(&w->c, x, answers, j, w->gate->strict, w->arena);
		if (wrong)
			add(w, CI_NEW, name, arena_printf(w->arena, "%s|%s|unmet", name, request_text(&w->c, w->arena)),
			    verdict_names[j->verdict], wrong);
	}
}

/* The one outcome of an engine about which there is nothing to say. */
static void add_quiet(struct work *w, const char *name, const struct answer *answers, const struct judgement *j)
{
	const enum ci_state state = j->verdict == VERDICT_UNSUPPORTED ? CI_UNSUPPORTED
	    : judgement_decides(j)                                    ? CI_PASSED
	                                                              : CI_UNDECIDED;
	const char *message = state == CI_UNDECIDED ? reason_names[j->reason]
	    : state == CI_UNSUPPORTED               ? answers_text(answers, w->c.n_point)
	    : verdict_is_finding[j->verdict]        ? "wrong, as the case expects of this engine"
	                                            : "";

	add(w, state, name, "", verdict_names[j->verdict], message);
}

/* Adds what did not come again: the finding of engine k, or a request that it ended badly.  True for the finding. */
static bool add_flaky(struct work *w, int k)
{
	const char *name = engine_name(w->bench.engine[k]);
	const struct judgement *j = &w->result.judgement[k];
	const struct incident *x = &w->result.incident[k];
	const char *signature = signature_coarse(name, &w->c, j, w->arena), *verdict;
	int at;

	if (bench_unexplained(&w->result, 1, k, &at)) {
		verdict = verdict_names[bench_verdict_of(x->status)];
		add(w, CI_FLAKY, name, arena_printf(w->arena, "%s|*|%s|none", name, verdict), verdict,
		    arena_printf(w->arena, "did not come again: %s", x->text));
	}
	if (!verdict_is_finding[j->verdict] || !finding_is_flaky(&w->bench, k, &w->c, &w->result, signature, w->arena))
		return false;
	add(w, CI_FLAKY, name, signature, verdict_names[j->verdict],
	    arena_printf(w->arena, "did not come again: %s", finding_message(w, w->result.answer[k], j)));
	return true;
}

static void check_engine(struct work *w, int k, const struct account_fact *fact)
{
	const struct engine *engine = w->bench.engine[k];
	const struct answer *answers = w->result.answer[k];
	const struct judgement *j = &w->result.judgement[k];
	const char *name = engine_name(engine), *signature = signature_coarse(name, &w->c, j, w->arena);
	const bool right = engine_is_right(engine);
	const int before = w->out->n;

	w->out->decided += judgement_decides(j);
	if (add_flaky(w, k))
		return;
	/* The result of an engine with a fault is judged by the expectation about that engine, if there is one. */
	if ((verdict_is_finding[j->verdict] && (right || !is_expected_of(&w->c, name))) ||
	    (w->gate->strict && right && j->verdict == VERDICT_INACCURATE))
		add(w, CI_NEW, name, signature, verdict_names[j->verdict], finding_message(w, answers, j));
	check_expectations_of(w, engine, answers, j);
	if (machine_failed(name, answers, w->c.n_point)) {
		w->out->code = EXIT_OURS;
		add(w, CI_ERROR, name, "", verdict_names[j->verdict], "the machine failed");
	}
	if (fact->broken) {
		w->out->code = EXIT_OURS;
		add(w, CI_ERROR, name, "", verdict_names[j->verdict],
		    arena_printf(w->arena, "broken, a defect of adjudge: %s", fact->cause));
	}
	if (w->out->n == before)
		add_quiet(w, name, answers, j);
}

static void check_truth(struct work *w)
{
	const char *request = request_text(&w->c, w->arena);

	for (int i = 0; i < w->c.n_expect; i++) {
		const struct expectation *x = &w->c.expect[i];
		const char *wrong = x->engine ? NULL : expect_truth(&w->c, x, &w->result.truth, w->arena);

		if (wrong)
			add(w, CI_NEW, "", arena_printf(w->arena, "truth|%s|unmet", request), "", wrong);
	}
	if (w->result.oracle_disagreement)
		add(w, CI_NEW, "", arena_printf(w->arena, "oracle|%s|disagree", request), "",
		    "the two oracles disagree");
}

/* Adds the findings of the twins of the case, except for engines that the case expects to fail. */
static void check_twins(struct work *w)
{
	struct twin_tally tally = {0};
	struct teeth teeth;
	const struct twin_components own = twin_components_of(&w->c, &w->result.truth, w->arena, &teeth);
	struct judged_twins twins;

	look_again(&w->bench, &w->c, &own, -1, twin_widest(&w->bench), w->arena, &tally, &twins);
	for (int t = 0; t < twins.n; t++) {
		struct work twin = *w;

		twin.c = twins.at[t].c;
		twin.result = *twins.at[t].r;
		if (!w->gate->strict)
			bench_forgive(&twin.bench, &twin.result);
		for (int k = 0; k < w->bench.n_engine; k++) {
			const char *name = engine_name(w->bench.engine[k]);
			const struct judgement *j = &twin.result.judgement[k];

			if (!engine_is_right(w->bench.engine[k]) && is_expected_of(&w->c, name))
				continue;
			if (!add_flaky(&twin, k) && verdict_is_finding[j->verdict])
				add(w, CI_NEW, name, signature_coarse(name, &twin.c, j, w->arena),
				    verdict_names[j->verdict],
				    arena_printf(w->arena, "its %s twin is %s", twin_names[twins.at[t].kind],
				        finding_message(&twin, twin.result.answer[k], j)));
			if (machine_failed(name, twin.result.answer[k], twin.c.n_point)) {
				w->out->code = EXIT_OURS;
				add(w, CI_ERROR, name, "", verdict_names[j->verdict], "the machine failed");
			}
		}
	}
}

/* ---- a case ---- */

/* The engines to ask about a case: those of the command line, then those in its expectations. */
static bool collect_engines(struct gate_judge *g, struct work *w)
{
	struct texts specs = *g->specs;

	for (int i = 0; i < w->c.n_expect; i++) {
		const char *engine = w->c.expect[i].engine;

		if (!engine || !strcmp(engine, "*") || naming_index(g->specs, engine) >= 0)
			continue;
		if (!file_may_name(engine)) {
			add(w, CI_NOT_CHECKED, engine, "", "",
			    arena_printf(w->arena, "a file never starts an engine; give it with %s",
			        engine_option_text(engine, NULL, w->arena)));
		} else if (!texts_add(&specs, engine)) {
			complain("more than %d engines for one case", OPTIONS_TEXTS);
			return false;
		}
	}
	w->bench = g->pool;
	w->bench.n_engine = 0;
	for (int i = 0; i < specs.n && w->bench.n_engine < BENCH_ENGINES; i++) {
		w->bench.engine[w->bench.n_engine] = find_engine(g, specs.at[i]);
		if (!w->bench.engine[w->bench.n_engine++])
			return false;
	}
	return true;
}

static void fail(struct work *w, int code, const char *message)
{
	w->out->code = code;
	add(w, CI_ERROR, "", "", "", message);
}

/* The error with its place inside the file; the outcome names the file itself. */
static const char *error_inside(const char *path, const struct error *e, struct arena *a)
{
	const size_t n = strlen(path);
	const char *inside = strncmp(e->place, path, n) ? "" : e->place + n;

	inside += strspn(inside, ": ");
	return arena_printf(a, "%s%s%s", inside, *inside ? ": " : "", e->text);
}

void gate_judge_case(struct gate_judge *g, const char *path, struct arena *a, struct gate_case *out)
{
	struct work w = {.gate = g, .path = path, .arena = a, .out = out};
	struct error e = {0};

	*out = (struct gate_case){.code = EXIT_NO_FINDING, .fact = NEW(a, struct gate_fact, BENCH_ENGINES)};
	if (!testcase_read_file(path, a, &w.c, &e) || !check_expectations(path, &w.c, &e)) {
		fail(&w, complain_about_case(&e), error_inside(path, &e, a));
		return;
	}
	if (!collect_engines(g, &w)) {
		if (!stop_requested())
			fail(&w, EXIT_OURS, "an engine cannot be opened");
		return;
	}
	w.bench.strict = g->strict;
	bench_judge(&w.bench, &w.c, a, &w.result);
	if (w.result.interrupted)
		return;
	if (!g->strict)
		bench_forgive(&w.bench, &w.result);
	out->judged = true;
	for (int k = 0; k < w.bench.n_engine; k++) {
		const struct judgement *j = &w.result.judgement[k];
		const struct account_fact fact = account_fact_of(w.bench.engine[k], &w.c, w.result.answer[k], j, a);

		if (k < g->specs->n)
			out->fact[out->n_fact++] = (struct gate_fact){k, fact};
		check_engine(&w, k, &fact);
	}
	check_truth(&w);
	if (g->twins)
		check_twins(&w);
}

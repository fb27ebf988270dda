/* gate.c: adjudge gate: judges all cases below paths against their expectations and a baseline of known findings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "baseline.h"
#include "commands.h"
#include "expect.h"
#include "fuzz/bench/account.h"
#include "fuzz/campaign/case_paths.h"

enum { ENGINES = 256 };

struct gate {
	struct texts specs;       /* judged on every case */
	bool strict, json, named; /* named: specs are from the command line */
	int64_t min_decided;      /* percent of the cases that an engine is asked */
	struct baseline baseline;
	char today[16];

	struct bench pool; /* holds the oracles; the engines are below */
	int n_engine;
	struct engine *engine[ENGINES]; /* every spec met so far */
	struct account *account;        /* [ENGINES] in keep */

	struct arena arena; /* a case */
	struct arena keep;  /* the baseline and the JSON output */
	struct json_writer w;
	int cases, decided, failures, known, trouble;
	int n_unchecked;        /* expectations about engines that are neither built in nor given */
	const char **unchecked; /* [n_unchecked] these engines, in keep, for the JSON output */
	int unchecked_room;
};

static void note_trouble(struct gate *g, int code)
{
	if (code > g->trouble)
		g->trouble = code;
}

/* The engine with that spec, opened once; NULL after a complaint. */
static struct engine *find_engine(struct gate *g, const char *spec)
{
	struct error e = {0};
	struct engine *engine;

	for (int i = 0; i < g->n_engine; i++)
		if (!strcmp(engine_spec(g->engine[i]), spec))
			return g->engine[i];
	if (g->n_engine == ENGINES) {
		complain("more than %d engine specs", ENGINES);
		return NULL;
	}
	engine = engine_open(spec, &e);
	if (!engine) {
		complain("%s", e.text);
		return NULL;
	}
	return g->engine[g->n_engine++] = engine;
}

static struct account *account_of(struct gate *g, const struct engine *engine)
{
	int k = 0;

	while (g->engine[k] != engine)
		k++;
	return &g->account[k];
}

/* One line and one JSON object for something that is wrong. */
static void report_failure(struct gate *g, const char *path, const char *signature, const char *message)
{
	g->failures++;
	if (!g->json) {
		fputs(text_disarm(arena_printf(&g->keep, "FAIL %s: %s: %s", path, signature, message), false), stdout);
		putchar('\n');
		return;
	}
	json_begin_object(&g->w, JSON_FLOW);
	json_member_string(&g->w, "case", path);
	json_member_string(&g->w, "signature", signature);
	json_member_string(&g->w, "message", message);
	json_end(&g->w);
}

/* Reports a finding or an unmet expectation, unless the baseline lists it. */
static void raise_finding(struct gate *g, const char *path, const char *signature, const char *message)
{
	struct known_finding *k = baseline_match(&g->baseline, signature, path);

	if (!k) {
		report_failure(g, path, signature, message);
		return;
	}
	g->known++;
	if (!g->json)
		printf("known %s: %s (%s)\n", text_harmless(path, &g->keep), text_harmless(signature, &g->keep),
		    text_harmless(k->link, &g->keep));
}

static const char *finding_message(
    const struct testcase *c, const struct answer *answers, const struct judgement *j, struct arena *a)
{
	if (!judgement_has_numbers(j))
		return arena_printf(a, "%s %s", verdict_names[j->verdict], answers_text(answers, c->n_point));
	return arena_printf(a, "%s: expected %s, returned %s, radius %.3g at point %d, %s %d, element %d",
	    verdict_names[j->verdict], decimal_text(j->expected, a), decimal_text(j->returned, a), j->radius, j->point,
	    j->in_primal ? "result" : "derivative", j->which, j->element);
}

static bool is_expected_of(const struct testcase *c, const char *spec)
{
	for (int i = 0; i < c->n_expect; i++)
		if (c->expect[i].engine && !strcmp(c->expect[i].engine, spec))
			return true;
	return false;
}

static void check_judgement(struct gate *g, const char *path, const struct testcase *c, struct engine *engine,
    const struct answer *answers, const struct judgement *j)
{
	const char *spec = engine_spec(engine), *signature = signature_coarse(spec, c, j, &g->arena);
	const char *unmet = arena_printf(&g->arena, "%s|%s|unmet", spec, request_text(c, &g->arena));
	bool right = engine_is_right(engine), own = is_expected_of(c, spec);

	if (j->verdict != VERDICT_UNDECIDED && j->verdict != VERDICT_UNSUPPORTED)
		g->decided++;
	/* The result of a spec with a fault is judged by the expectation about that spec, if there is one. */
	if (verdict_is_finding[j->verdict] && (right || !own))
		raise_finding(g, path, signature, finding_message(c, answers, j, &g->arena));
	if (g->strict && right && j->verdict == VERDICT_INACCURATE)
		raise_finding(g, path, signature, finding_message(c, answers, j, &g->arena));
	for (int i = 0; i < c->n_expect; i++) {
		const struct expectation *x = &c->expect[i];
		bool every = x->engine && !strcmp(x->engine, "*");
		const char *wrong;

		if (!x->engine || (every ? !right : strcmp(x->engine, spec) != 0))
			continue;
		wrong = expect_engine(c, x, answers, j, g->strict, &g->arena);
		if (wrong)
			raise_finding(g, path, unmet, wrong);
	}
}

/* An expectation that is not checked is no success, so it is printed and counted. */
static void note_unchecked(struct gate *g, const char *path, const char *spec)
{
	if (g->n_unchecked == g->unchecked_room) {
		const char **to = NEW(
		    &g->keep, const char *, g->unchecked_room = g->unchecked_room ? 2 * g->unchecked_room : 16);

		memcpy(to, g->unchecked, (size_t)g->n_unchecked * sizeof *to);
		g->unchecked = to;
	}
	g->unchecked[g->n_unchecked++] = arena_printf(&g->keep, "%s: %s", path, spec);
	if (!g->json)
		printf("not checked %s (a file never starts an engine; give it with --engine)\n",
		    text_disarm(arena_printf(&g->keep, "%s: %s", path, spec), false));
}

/* The engines to ask about a case: those of the command line, then those in its expectations. */
static bool collect_engines(struct gate *g, const char *path, const struct testcase *c, struct bench *b)
{
	struct texts specs = g->specs;

	for (int i = 0; i < c->n_expect; i++) {
		const char *spec = c->expect[i].engine;

		if (!spec || !strcmp(spec, "*"))
			continue;
		if (!file_may_name(spec) && !texts_have(&g->specs, spec)) {
			note_unchecked(g, path, spec);
		} else if (!texts_add(&specs, spec)) {
			complain("more than %d engine specs for one case", OPTIONS_TEXTS);
			return false;
		}
	}
	*b = g->pool;
	b->n_engine = 0;
	for (int i = 0; i < specs.n && b->n_engine < BENCH_ENGINES; i++) {
		b->engine[b->n_engine] = find_engine(g, specs.at[i]);
		if (!b->engine[b->n_engine++])
			return false;
	}
	return true;
}

static void gate_case(struct gate *g, const char *path)
{
	struct bench_result r;
	struct error e = {0};
	struct testcase c;
	struct bench b;

	arena_reset(&g->arena);
	if (!testcase_read_file(path, &g->arena, &c, &e)) {
		note_trouble(g, complain_about_case(&e));
		return;
	}
	if (!check_expectations(path, &c)) {
		note_trouble(g, EXIT_BAD_CASE);
		return;
	}
	if (!collect_engines(g, path, &c, &b)) {
		note_trouble(g, EXIT_OURS);
		return;
	}
	bench_judge(&b, &c, &g->arena, &r);
	g->cases++;
	for (int k = 0; k < b.n_engine; k++) {
		if (machine_failed(engine_spec(b.engine[k]), r.answer[k], c.n_point))
			note_trouble(g, EXIT_OURS);
		account_add(account_of(g, b.engine[k]), b.engine[k], &c, r.answer[k], &r.judgement[k], &g->arena);
		check_judgement(g, path, &c, b.engine[k], r.answer[k], &r.judgement[k]);
	}
	for (int i = 0; i < c.n_expect; i++) {
		const char *wrong = c.expect[i].engine ? NULL : expect_truth(&c, &c.expect[i], &r.truth, &g->arena);

		if (wrong)
			raise_finding(
			    g, path, arena_printf(&g->arena, "truth|%s|unmet", request_text(&c, &g->arena)), wrong);
	}
	if (r.oracle_disagreement)
		raise_finding(g, path, arena_printf(&g->arena, "oracle|%s|disagree", request_text(&c, &g->arena)),
		    "the two oracles disagree");
}

static bool any_case(const struct paths *files, const struct known_finding *k)
{
	for (int i = 0; i < files->n; i++)
		if (known_is_of(k, files->at[i]))
			return true;
	return false;
}

static void check_baseline(struct gate *g, const struct paths *files, const char *name)
{
	for (int i = 0; i < g->baseline.n; i++) {
		const struct known_finding *k = &g->baseline.known[i];

		if (!any_case(files, k))
			report_failure(g, name, k->signature,
			    arena_printf(&g->keep, "known finding of a case that is not here: %s", k->path));
		else if (!k->matched)
			report_failure(g, name, k->signature, "known finding no longer fails: remove the entry");
		else if (known_expired(k, g->today))
			report_failure(g, name, k->signature,
			    arena_printf(&g->keep, "known finding expired on %s (%s)", k->expires, k->link));
	}
}

static int gate_exit(const struct gate *g)
{
	for (int k = 0; k < g->n_engine; k++)
		if (g->account[k].broken)
			return EXIT_OURS;
	if (g->trouble)
		return g->trouble;
	if (g->failures)
		return EXIT_FINDING;
	for (int k = 0; k < g->specs.n; k++)
		if (account_too_few(&g->account[k], g->min_decided, g->named))
			return EXIT_NOTHING;
	return g->decided ? EXIT_NO_FINDING : EXIT_NOTHING;
}

static void finish_output(struct gate *g, int code)
{
	size_t len;

	/* The engines under test come first; the others are named by expectations alone. */
	for (int k = 0; k < g->specs.n && !g->json; k++)
		fputs(account_text(&g->account[k], g->engine[k], &g->keep), stdout);
	if (!g->json) {
		if (g->n_unchecked)
			printf("%d expectations were not checked\n", g->n_unchecked);
		printf("%d cases, %d judgements decided, %d known, %d failures\n", g->cases, g->decided, g->known,
		    g->failures);
		return;
	}
	json_end(&g->w);
	json_member_strings(&g->w, "not_checked", g->unchecked, g->n_unchecked, JSON_BLOCK);
	json_member_array(&g->w, "engines", JSON_BLOCK);
	for (int k = 0; k < g->specs.n; k++) {
		json_begin_object(&g->w, JSON_FLOW);
		json_member_string(&g->w, "engine", engine_spec(g->engine[k]));
		account_put(&g->account[k], g->engine[k], &g->w);
		json_end(&g->w);
	}
	json_end(&g->w);
	json_member_integer(&g->w, "cases", g->cases);
	json_member_integer(&g->w, "decided", g->decided);
	json_member_integer(&g->w, "known", g->known);
	json_member_integer(&g->w, "exit_code", code);
	json_end(&g->w);
	fputs(json_finish(&g->w, &len), stdout);
}

static int gate_paths(struct gate *g, const struct paths *files, const char *baseline)
{
	int code;

	if (g->json) {
		g->w = json_document(&g->keep, "adjudge.gate/1");
		json_member_array(&g->w, "failures", JSON_BLOCK);
	}
	for (int i = 0; i < files->n; i++)
		gate_case(g, files->at[i]);
	if (baseline)
		check_baseline(g, files, baseline);
	code = gate_exit(g);
	finish_output(g, code);
	return code;
}

static void set_today(struct gate *g)
{
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(g->today, sizeof g->today, "%Y-%m-%d", &utc);
}

int command_gate(int argc, char **argv)
{
	struct gate g = {0};
	const char *baseline = NULL;
	const struct option_row rows[] = {
	    {"engine", OPTION_TEXTS, &g.specs, "SPEC",
	        "judge this engine; may be repeated (default: every right built-in one)"},
	    {"baseline", OPTION_TEXT, &baseline, "FILE", "findings that are known, with link, reason and expiry"},
	    {"strict", OPTION_FLAG, &g.strict, NULL, "an inaccurate right engine fails"},
	    {"min-decided", OPTION_PERCENT, &g.min_decided, "PERCENT", MIN_DECIDED_HELP},
	    {"json", OPTION_FLAG, &g.json, NULL, "print JSON"},
	};
	const struct options o = {"gate", "PATH... [OPTION]...",
	    "Judges every case file (*.json) below the paths; links to directories are not followed.  Fails on\n"
	    "a finding of an engine, an expectation that is not met, a known finding that no longer fails, and\n"
	    "a known finding past its date.\n"
	    "Example: adjudge gate corpus\n"
	    "Exit status: 0 passed, 1 failed, 3 a case or the baseline cannot be read, 4 the machine failed, 5 "
	    "nothing was\n"
	    "decided about an engine, or less than --min-decided.\n",
	    rows, sizeof rows / sizeof *rows, 1, -1};
	const struct oracle_options oracle = {.seed = 1, .fd_one_in = 1};
	struct paths files;
	struct error e = {0};
	char **path;
	int n, code = options_parse(&o, argc, argv, &path, &n);

	if (code >= 0)
		return code;
	g.named = g.specs.n;
	if (!g.specs.n)
		texts_add_right_engines(&g.specs);
	arena_init(&g.arena, COMMAND_ARENA);
	arena_init(&g.keep, COMMAND_ARENA);
	g.account = NEW(&g.keep, struct account, ENGINES);
	set_today(&g);
	files = paths_find((const char *const *)path, n);
	for (int i = 0; i < g.specs.n; i++) {
		code = !check_spec("gate", g.specs.at[i]) ? EXIT_USAGE
		    : !find_engine(&g, g.specs.at[i])     ? EXIT_OURS
		                                          : -1;
		if (code >= 0)
			goto out;
	}
	if (files.error) {
		complain("%s", files.error);
		code = EXIT_BAD_CASE;
	} else if (baseline && !baseline_read_file(baseline, &g.keep, &g.baseline, &e)) {
		code = complain_about_case(&e);
	} else if (!bench_open(&g.pool, NULL, 0, &oracle, &e)) {
		complain("%s", e.text);
		code = EXIT_OURS;
	} else {
		code = gate_paths(&g, &files, baseline);
		bench_close(&g.pool);
	}
out:
	for (int i = 0; i < g.n_engine; i++)
		engine_close(g.engine[i]);
	paths_free(&files);
	arena_free(&g.arena);
	arena_free(&g.keep);
	return code;
}

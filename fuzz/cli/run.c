/* run.c: adjudge run: judges cases and shows the expected and returned numbers. */
#include <stdio.h>
#include <string.h>

#include "expect.h"
#include "run_show.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"
#include "fuzz/cross/show.h"

/* Keeps the first request of each engine that ended badly, although no judgement shows it. */
static void note_incidents(struct command_run *r, const struct bench *b, const struct bench_result *result)
{
	int at;

	for (int k = 0; k < b->n_engine; k++) {
		const struct incident *x = &result->incident[k];

		if (!*r->gone[k] && bench_unexplained(result, 1, k, &at))
			snprintf(
			    r->gone[k], RUN_GONE_TEXT, "%s: %s", verdict_names[bench_verdict_of(x->status)], x->text);
	}
}

/* The engines to ask about a case: those given.  If none is, the right ones and those that the file names. */
static bool collect_specs(struct command_run *r, const struct testcase *c, const char *own, struct texts *specs)
{
	bool fit = true;

	*specs = r->tested;
	for (int i = 0; i < c->n_expect; i++) {
		const char *engine = c->expect[i].engine;

		if (!engine || !strcmp(engine, "*") || naming_index(&r->specs, engine) >= 0)
			continue;
		if (!file_may_name(engine))
			complain("expect[%d]: '%s' is not checked: a file never starts an engine; give it with %s", i,
			    engine, engine_option_text(engine, NULL, &r->arena));
		else if (!r->specs.n)
			fit = texts_add(specs, engine) && fit;
	}
	if (own && !r->specs.n)
		fit = texts_add(specs, own) && fit;
	return fit;
}

/* Whether the engine shows a finding; with --signature, the one that was asked for. */
static bool shows_wanted(const struct command_run *r, const char *engine, const struct testcase *c,
    const struct judgement *j, struct arena *a)
{
	return verdict_is_finding[j->verdict] &&
	    (!r->signature || !strcmp(signature_coarse(engine, c, j, a), r->signature));
}

/* A report's own engine (own >= 0) is asked until it shows something, or often enough. */
static void judge_report(struct command_run *r, struct bench *b, const struct testcase *c, int own, struct arena *a,
    struct bench_result *result)
{
	struct arena_mark mark = arena_mark(a);

	memset(r->gone, 0, sizeof r->gone);
	for (int run = 1;; run++) {
		const struct judgement *j;

		bench_judge(b, c, a, result);
		note_incidents(r, b, result);
		if (own < 0 || run == BENCH_RUNS || result->interrupted)
			return;
		j = &result->judgement[own];
		if (shows_wanted(r, engine_name(b->engine[own]), c, j, a) || j->verdict == VERDICT_UNDECIDED ||
		    j->verdict == VERDICT_UNSUPPORTED)
			return;
		arena_rewind(a, mark);
	}
}

/* Cross-checks every engine of b in every mode. */
static bool cross_engines(struct command_run *r, struct bench *b, const struct testcase *c)
{
	struct error e = {0};
	struct engine *against = r->against ? engine_open_until(r->against, stop_interrupt(0), &e) : NULL;
	struct cross_count count = {0};
	bool ok = (against || !r->against) &&
	    cross_show(b->engine, b->n_engine, against, c, r->json ? &r->w : NULL, &r->arena, &count);

	if (!ok)
		complain("%s", *e.text ? e.text : "out of memory");
	r->leads += count.leads;
	r->decided += r->no_oracle ? count.decided : 0;
	engine_close(against);
	return ok;
}

/* Says which expectations are not met.  Only the gate fails on them. */
static void say_unmet(struct command_run *r, const char *path, const struct testcase *c, const struct bench *b,
    const struct bench_result *x)
{
	for (int i = 0; i < c->n_expect; i++) {
		const struct expectation *want = &c->expect[i];
		const char *wrong = want->engine ? NULL : expect_truth(c, want, &x->truth, &r->arena);

		if (wrong)
			complain("%s: expect[%d] is not met: %s", path, i, wrong);
		for (int k = 0; k < b->n_engine; k++) {
			wrong = expect_is_about(want, b->engine[k])
			    ? expect_engine(c, want, x->answer[k], &x->judgement[k], r->strict, &r->arena)
			    : NULL;
			if (wrong)
				complain(
				    "%s: expect[%d] is not met: %s: %s", path, i, engine_name(b->engine[k]), wrong);
		}
	}
}

/* Returns 0, or an exit code when the case could not be judged. */
static int run_case(struct command_run *r, const char *path)
{
	struct oracle_options o = {.seed = 1, .fd_one_in = 1};
	struct bench_result result;
	struct error e = {0};
	struct testcase c;
	struct texts specs;
	struct bench b;
	struct reported own;
	int code;

	if (!read_case(path, &r->arena, &c, &own, &e) || !check_expectations(path, &c, &e))
		return complain_about_case(&e);
	if (own.name && !r->specs.n && (code = check_own_engine("run", path, &own, &r->arena)) >= 0) {
		r->foreign |= code == EXIT_NOTHING;
		return code == EXIT_NOTHING ? 0 : code;
	}
	code = 0;
	if (!collect_specs(r, &c, own.name, &specs)) {
		complain("%s: more than %d engines for one case", path, OPTIONS_TEXTS);
		return EXIT_BAD_CASE;
	}
	if (!bench_open(&b, specs.at, specs.n, &o, &e)) {
		complain("%s", e.text);
		return stop_signal() ? 0 : EXIT_OURS;
	}
	memset(&result, 0, sizeof result);
	b.strict = r->strict;
	if (!r->no_oracle)
		judge_report(r, &b, &c, naming_index(&specs, own.name), &r->arena, &result);
	if (!r->strict && !r->signature)
		bench_forgive(&b, &result);
	if (result.interrupted) {
		bench_close(&b);
		return 0;
	}
	r->cases++;
	if (r->json) {
		json_begin_object(&r->w, JSON_BLOCK);
		json_member_string(&r->w, "file", path);
		json_member_bool(&r->w, "oracle_disagreement", result.oracle_disagreement);
		json_member_array(&r->w, "engines", JSON_BLOCK);
	} else {
		char *title = arena_printf(&r->arena, "%s%s%s", path, c.provenance.title ? ": " : "",
		    c.provenance.title ? c.provenance.title : "");

		printf("%s\n", text_disarm(title, false));
		if (!r->no_oracle)
			printf("%-32s %-8s %-16s %-16s %-22s %-22s %s\n", "engine", "request", "verdict", "reason",
			    "expected", "returned", "radius");
	}
	if (!r->no_oracle)
		code = run_show_judgements(r, &specs, &c, &b, naming_index(&specs, own.name), &result);
	if (!r->no_oracle)
		say_unmet(r, path, &c, &b, &result);
	if (r->json)
		json_end(&r->w);
	else if (result.oracle_disagreement)
		printf("the two oracles disagree: an oracle finding, not an engine's\n");
	if (r->twins && !r->no_oracle && run_show_twins(r, &c, &b, &result))
		code = EXIT_OURS;
	if (r->cross && !cross_engines(r, &b, &c))
		code = EXIT_OURS;
	if (r->json)
		json_end(&r->w);
	bench_close(&b);
	return code;
}

/* Whether something was decided, and about every engine under test; complains about those that decided nothing. */
static bool judged_enough(struct command_run *r)
{
	bool enough = r->decided && !r->foreign;

	for (int k = 0; k < r->tested.n && r->cases && !r->no_oracle; k++)
		if (account_too_few(&r->account[k], 0, r->specs.n)) {
			complain("run: nothing was decided about %s%s", engine_text_name(r->tested.at[k], &r->arena),
			    r->account[k].undecided[REASON_BLIND] ? ": 0 instead would be no finding either" : "");
			enough = false;
		}
	return enough;
}

static int run_exit(struct command_run *r)
{
	struct exit_facts x = {.trouble = r->trouble,
	    .finding = !r->signature && (r->findings || (r->cross_strict && r->leads)),
	    .signal = stop_signal(),
	    .flaky = !r->signature && r->flaky};

	if (stop_requested())
		complain_about_stop("run");
	else
		x.too_little = !judged_enough(r);
	return r->signature && r->signature_seen ? EXIT_FINDING : exit_code_of(&x);
}

static int run_cases(struct command_run *r, char **path, int n)
{
	size_t len;
	int code;

	r->tested = r->specs;
	if (!r->tested.n)
		texts_add_right_engines(&r->tested);
	r->cross = r->cross || r->no_oracle || r->cross_strict || r->against;
	arena_init(&r->arena, COMMAND_ARENA);
	arena_init(&r->text_arena, COMMAND_ARENA);
	if (r->json) {
		r->w = json_document(&r->text_arena, "adjudge.run/1");
		json_member_array(&r->w, "cases", JSON_BLOCK);
	}
	stop_on_signals();
	for (int i = 0; i < n && !stop_requested(); i++) {
		arena_reset(&r->arena);
		code = run_case(r, path[i]);
		if (code > r->trouble)
			r->trouble = code;
	}
	if (r->json)
		json_end(&r->w);
	run_put_accounts(r, n);
	if (r->json) {
		json_end(&r->w);
		fputs(json_finish(&r->w, &len), stdout);
	}
	code = run_exit(r);
	arena_free(&r->arena);
	arena_free(&r->text_arena);
	return code;
}

int command_run(int argc, char **argv)
{
	struct command_run r = {0};
	struct engine_limits limits = engine_limits_preset();
	const char *engines = NULL;
	const struct option_row rows[] = {
	    {"engine", OPTION_TEXTS, &r.specs, ENGINE_ARGUMENT,
	        "judge this engine; may be repeated (default: all built-in ones, and those that the case names)"},
	    {"engines", OPTION_TEXT, &engines, "FILE", ENGINES_HELP},
	    {"json", OPTION_FLAG, &r.json, NULL, "print JSON"},
	    {"twins", OPTION_FLAG, &r.twins, NULL,
	        "where a case is undecided, also judge it at other points, and in the widest dtype"},
	    {"cross", OPTION_FLAG, &r.cross, NULL,
	        "also compare answers without an oracle: forward with reverse, batch with slice, f32 with f64 ..."},
	    {"against", OPTION_ONCE, &r.against, ENGINE_ARGUMENT,
	        "with --cross: also compare with the answers of this engine"},
	    {"cross-strict", OPTION_FLAG, &r.cross_strict, NULL, "with --cross: a lead counts as a finding"},
	    {"no-oracle", OPTION_FLAG, &r.no_oracle, NULL, "only --cross, no verdicts"},
	    {"strict", OPTION_FLAG, &r.strict, NULL, STRICT_HELP FINITE_HELP},
	    {"signature", OPTION_TEXT, &r.signature, "SIG",
	        "end with exit status 1 exactly if this coarse signature shows"},
	    ENGINE_LIMIT_ROWS(limits),
	};
	const struct options o = {"run", "CASE... [OPTION]...",
	    "Judges each case and prints a verdict for every engine.  A report is a case too; - is standard\n"
	    "input.  The engine of a report is asked up to 64 times, because its answers may differ from run to\n"
	    "run.\n"
	    "Example: adjudge run corpus/documents/nx-while-acc-mul-x-n3.json --engine functional+residual-fifo\n"
	    "Exit status: 0 no finding, 1 a finding, 3 a case cannot be read, 4 our own or the machine's failure,\n"
	    "5 nothing was decided about an engine, 6 only a crash or the like that did not come again.  Of several\n"
	    "cases the largest of 3 and 4 counts before a finding; with --signature, 1 before all.  A lead of\n"
	    "--cross is no finding, unless --cross-strict.  128 + N stopped by signal N.\n",
	    rows, sizeof rows / sizeof *rows, 1, -1};
	char **path;
	const char **const other[] = {&r.against};
	struct naming names;
	struct arena text;
	int n, code = options_parse(&o, argc, argv, &path, &n);

	if (code >= 0)
		return code;
	if (r.signature && !signature_is_coarse(r.signature)) {
		complain(
		    "run: --signature is engine|request|verdict|deviation, as member signature of a report, not '%s'",
		    r.signature);
		return EXIT_USAGE;
	}
	engine_limits_use(&limits);
	arena_init(&text, COMMAND_ARENA);
	code = naming_apply("run", engines, true, &names, &text, &r.specs, other, 1);
	if (code < 0)
		code = run_cases(&r, path, n);
	arena_free(&text);
	return code;
}

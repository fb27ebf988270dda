/* gate.c: adjudge gate: judges all cases below paths against their expectations and a baseline of known findings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ci.h"
#include "commands.h"
#include "fuzz/bench/account.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/books/case_paths.h"
#include "gate_defects.h"
#include "gate_jobs.h"

struct gate {
	struct texts specs;              /* [NAME=]SPEC of the engines that are judged on every case */
	bool strict, twins, json, named; /* named: specs are from the command line */
	int64_t min_decided;             /* percent of the cases that an engine is asked */
	int64_t jobs;
	struct ci_options options;

	struct ci_run run;
	struct paths files;
	const char **path; /* [n_path] files of this shard */
	int n_path;
	struct account *account; /* [specs.n] */
	struct arena keep;
	int cases, decided, trouble;
	const char *const *root; /* [n_root] the paths of the command line */
	int n_root;
	struct defects_here defects;
	int shown; /* outcomes that were printed as text */
};

/* ---- collecting ---- */

/* Prints the outcomes that have come since the last call. */
static void show_new(struct gate *g)
{
	const struct ci_report *r = &g->run.report;

	if (strcmp(g->options.format, "text"))
		return;
	for (; g->shown < r->n; g->shown++)
		fputs(ci_line(&r->at[g->shown], &g->keep), stdout);
}

/* Receives the result for one file (gate_case_fn). */
static void take_case(void *self, int k, const struct gate_case *x)
{
	struct gate *g = self;
	struct baseline *b = &g->run.baseline;

	g->trouble = x->code > g->trouble ? x->code : g->trouble;
	g->cases += x->judged;
	g->decided += x->decided;
	for (int i = 0; i < x->n_fact; i++)
		account_count(&g->account[x->fact[i].spec], &x->fact[i].fact);
	for (int i = 0; i < x->n; i++) {
		if (x->at[i].state == CI_PASSED || x->at[i].state == CI_NEW)
			baseline_note_judged(b, x->at[i].engine, g->path[k]);
		if (x->at[i].state == CI_FLAKY && naming_index(&g->specs, x->at[i].engine) >= 0)
			g->account[naming_index(&g->specs, x->at[i].engine)].flaky++;
		ci_run_add(&g->run, x->at[i], &g->files);
	}
	if (x->judged) {
		baseline_note_judged(b, "truth", g->path[k]);
		baseline_note_judged(b, "oracle", g->path[k]);
	}
	show_new(g);
}

static void choose_paths(struct gate *g)
{
	g->path = NEW(&g->keep, const char *, g->files.n + 1);
	for (int i = 0; i < g->files.n; i++)
		if (ci_in_shard(&g->run, i))
			g->path[g->n_path++] = g->files.at[i];
}

/* ---- the end ---- */

static int gate_exit(const struct gate *g)
{
	struct exit_facts x = {.trouble = g->trouble,
	    .finding = ci_failures(&g->run.report),
	    .signal = stop_signal(),
	    .too_little = !g->decided,
	    .flaky = g->run.report.count[CI_FLAKY]};

	for (int k = 0; k < g->specs.n; k++)
		x.too_little = x.too_little || account_too_few(&g->account[k], g->min_decided, g->named);
	/* A shard may hold no case that an engine can answer. */
	x.too_little = x.too_little && !ci_sharded(&g->run);
	return exit_code_of(&x);
}

/* Readers of JUnit or SARIF must see it too. */
static void add_too_few(struct gate *g)
{
	int n = 0;

	for (int k = 0; k < g->specs.n; k++)
		if (account_too_few(&g->account[k], g->min_decided, g->named)) {
			ci_add_too_few(&g->run, engine_text_name(g->specs.at[k], &g->keep),
			    too_few_text(account_decided(&g->account[k]), account_asked(&g->account[k]), g->min_decided,
			        &g->keep));
			n++;
		}
	if (!n)
		ci_add_too_few(&g->run, "all engines", "nothing was decided");
}

/* Entries of the baseline have a signature, and expectations of cases an engine. */
static void add_not_checked(struct gate *g)
{
	struct ci_report *r = &g->run.report;
	int known = 0, all = r->count[CI_NOT_CHECKED];

	for (int i = 0; i < r->n; i++)
		known += r->at[i].state == CI_NOT_CHECKED && *r->at[i].signature;
	if (all > known)
		ci_add_total(
		    r, arena_printf(&g->keep, "not checked: %s", text_count(all - known, "expectation", &g->keep)));
	if (known)
		ci_add_total(
		    r, arena_printf(&g->keep, "not checked: %s", text_count(known, "known finding", &g->keep)));
}

/* The engines under test; the others are named by expectations alone. */
static void add_totals(struct gate *g)
{
	struct ci_report *r = &g->run.report;

	for (int k = 0; k < g->defects.n; k++)
		ci_add_total(r, gate_defect_line(&g->defects.at[k], &g->keep));
	for (int k = 0; k < g->specs.n; k++)
		ci_add_total(r,
		    account_text(
		        &g->account[k], ci_engine_text(r, engine_text_name(g->specs.at[k], &g->keep)), &g->keep));
	add_not_checked(g);
	ci_add_total(r,
	    arena_printf(&g->keep, "%s, %s decided, %d known, %s", text_count(g->cases, "case", &g->keep),
	        text_count(g->decided, "judgement", &g->keep), r->count[CI_KNOWN],
	        text_count(ci_failures(r), "failure", &g->keep)));
}

static void print_text(struct gate *g)
{
	show_new(g);
	for (int i = 0; i < g->run.report.n_total; i++)
		puts(g->run.report.total[i]);
}

static void print_json(const struct gate *g, int code)
{
	struct json_writer w = json_document(g->run.arena, "adjudge.gate/1");
	const struct ci_report *r = &g->run.report;
	size_t len;

	json_member_array(&w, "failures", JSON_BLOCK);
	for (int i = 0; i < r->n; i++) {
		if (ci_state_levels[r->at[i].state] != CI_LEVEL_FAIL)
			continue;
		json_begin_object(&w, JSON_FLOW);
		json_member_string(&w, "case", r->at[i].path);
		json_member_string(&w, "state", ci_state_names[r->at[i].state]);
		json_member_string(&w, "signature", r->at[i].signature);
		json_member_string(&w, "message", r->at[i].message);
		json_end(&w);
	}
	json_end(&w);
	json_member_array(&w, "not_checked", JSON_BLOCK);
	for (int i = 0; i < r->n; i++)
		if (r->at[i].state == CI_NOT_CHECKED)
			json_put_string(&w,
			    arena_printf(r->arena, "%s: %s", r->at[i].path,
			        *r->at[i].engine ? r->at[i].engine : r->at[i].signature));
	json_end(&w);
	json_member_array(&w, "flaky", JSON_BLOCK);
	for (int i = 0; i < r->n; i++)
		if (r->at[i].state == CI_FLAKY)
			json_put_string(&w, arena_printf(r->arena, "%s: %s", r->at[i].path, r->at[i].signature));
	json_end(&w);
	json_member_array(&w, "engines", JSON_BLOCK);
	for (int k = 0; k < g->specs.n; k++) {
		json_begin_object(&w, JSON_FLOW);
		json_member_string(&w, "engine", engine_text_name(g->specs.at[k], g->run.arena));
		account_put(&g->account[k], &w);
		json_end(&w);
	}
	json_end(&w);
	if (g->defects.n) {
		json_member_array(&w, "defects", JSON_BLOCK);
		for (int k = 0; k < g->defects.n; k++)
			gate_defect_put(&g->defects.at[k], &w);
		json_end(&w);
	}
	json_member_integer(&w, "cases", g->cases);
	json_member_integer(&w, "decided", g->decided);
	json_member_integer(&w, "known", r->count[CI_KNOWN]);
	json_member_integer(&w, "exit_code", code);
	json_end(&w);
	fputs(json_finish(&w, &len), stdout);
}

/* ---- the command ---- */

static int judge_paths(struct gate *g)
{
	struct gate_jobs jobs = {.specs = &g->specs, .strict = g->strict, .twins = g->twins, .path = NULL};
	int code;
	bool printed;

	if (!g->files.n)
		complain("gate: there is no *.json file below the paths");
	choose_paths(g);
	jobs.path = g->path;
	jobs.n = g->n_path;
	jobs.jobs = (int)g->jobs;
	jobs.trouble = NEW(&g->keep, struct engine_trouble, g->specs.n + 1);
	jobs.version = NEW(&g->keep, const char *, g->specs.n + 1);
	for (int k = 0; k < g->specs.n; k++)
		jobs.version[k] = "";
	jobs.arena = &g->keep;
	code = gate_judge_all(&jobs, take_case, g);
	if (code >= 0)
		return code;
	for (int k = 0; k < g->specs.n; k++) {
		g->account[k].trouble = jobs.trouble[k];
		ci_add_engine(&g->run.report, engine_text_name(g->specs.at[k], &g->keep), jobs.version[k]);
	}
	if (stop_requested())
		complain_about_stop("gate");
	else
		ci_check_baseline(&g->run, &g->files, g->path, g->n_path);
	if (!stop_requested() && g->named)
		g->defects = gate_defects(g->root, g->n_root, &g->specs, &g->run.report, &g->keep);
	code = gate_exit(g);
	if (code == EXIT_NOTHING)
		add_too_few(g);
	add_totals(g);
	if (!strcmp(g->options.format, "text"))
		print_text(g);
	else if (!strcmp(g->options.format, "json"))
		print_json(g, code);
	return ci_end(&g->run, code, &printed);
}

/* -1, or an exit code after a complaint. */
static int check_options(struct gate *g)
{
	if (!g->options.format)
		g->options.format = g->json ? "json" : "text";
	if (!ci_check_format("gate", g->options.format, "text, json"))
		return EXIT_USAGE;
	g->jobs = choose_jobs("gate", g->jobs);
	return g->jobs > 0 ? -1 : EXIT_USAGE;
}

int command_gate(int argc, char **argv)
{
	struct gate g = {.jobs = 1};
	const char *engines = NULL;
	struct naming names;
	struct engine_limits limits = engine_limits_preset();
	const struct option_row rows[] = {
	    {"engine", OPTION_TEXTS, &g.specs, ENGINE_ARGUMENT,
	        "judge this engine; may be repeated (default: every right built-in one)"},
	    {"engines", OPTION_TEXT, &engines, "FILE", ENGINES_HELP},
	    CI_OPTION_ROWS(g.options),
	    CI_SHARD_ROW(g.options),
	    {"strict", OPTION_FLAG, &g.strict, NULL, "an inaccurate right engine fails; " STRICT_HELP FINITE_HELP},
	    {"twins", OPTION_FLAG, &g.twins, NULL,
	        "where a case is undecided, also judge it at other points, and in the widest dtype"},
	    {"min-decided", OPTION_PERCENT, &g.min_decided, "PERCENT", MIN_DECIDED_HELP},
	    JOBS_ROW(g.jobs),
	    {"format", OPTION_TEXT, &g.options.format, "F", "print text (default), json, " CI_FORMATS},
	    {"json", OPTION_FLAG, &g.json, NULL, "the same as --format json"},
	    ENGINE_LIMIT_ROWS(limits),
	};
	const struct options o = {"gate", "PATH... [OPTION]...",
	    "Judges every case file (*.json) below the paths; links to directories are not followed.  Fails on\n"
	    "a finding of an engine and on an expectation that is not met, unless the baseline lists it.\n"
	    "Fails on an entry of the baseline that no longer fails, has no reason, or is past its date.\n"
	    "Where a folder has defects.jsonl, as corpus/real, it says which of these defects an engine still has.\n"
	    "The output is the same for any number of processes.\n"
	    "Example: adjudge gate corpus\n"
	    "Exit status: 0 passed, 1 failed, 3 a case or the baseline cannot be read, 4 the machine failed, 5 "
	    "nothing was\n"
	    "decided about an engine, or less than --min-decided (not with --shard), 6 only failures that did not\n"
	    "come again, 128 + N stopped by signal N.\n",
	    rows, sizeof rows / sizeof *rows, 1, -1};
	char **path;
	int n, code = options_parse(&o, argc, argv, &path, &n);

	if (code >= 0)
		return code;
	engine_limits_use(&limits);
	code = check_options(&g);
	if (code >= 0)
		return code;
	arena_init(&g.keep, COMMAND_ARENA);
	code = naming_apply("gate", engines, true, &names, &g.keep, &g.specs, NULL, 0);
	if (code >= 0)
		goto out;
	g.named = g.specs.n;
	if (!g.specs.n)
		texts_add_right_engines(&g.specs);
	g.account = NEW(&g.keep, struct account, g.specs.n + 1);
	stop_on_signals();
	g.root = (const char *const *)path;
	g.n_root = n;
	g.files = paths_find((const char *const *)path, n);
	code = ci_begin(&g.run, "gate", &g.options, &g.keep);
	if (code < 0 && g.files.error) {
		complain("%s", g.files.error);
		code = EXIT_BAD_CASE;
	}
	if (code < 0)
		code = judge_paths(&g);
	paths_free(&g.files);
out:
	arena_free(&g.keep);
	return code;
}

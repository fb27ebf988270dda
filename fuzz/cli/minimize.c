/* minimize.c: adjudge minimize: the smallest case with the same coarse signature. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "reports/file.h"
#include "reports/report.h"
#include "commands.h"
#include "fuzz/minimize/finding.h"
#include "fuzz/minimize/simplest.h"
#include "fuzz/bench/stop.h"

enum { DEFAULT_BUDGET = 20000 };

struct how {
	int64_t budget;
	double seconds; /* 0: no limit */
	bool as_report, simplest;
	const char *out, *slips; /* out NULL: standard output; slips NULL: not kept */
	const char *right_on;    /* NULL: no engine must be right about the case */
};

/* Writes each slip as a case. */
static int write_slips(const struct slips *slips, const char *dir)
{
	struct error e = {0};
	char name[32];

	if (!file_make_directory(dir, &e)) {
		complain("%s", e.text);
		return EXIT_OURS;
	}
	for (int i = 0; i < slips->n; i++) {
		snprintf(name, sizeof name, "slip-%d.json", i + 1);
		if (!file_write_atomic(dir, name, slips->at[i].text, slips->at[i].len, &e)) {
			complain("%s", e.text);
			return EXIT_OURS;
		}
	}
	return EXIT_NO_FINDING;
}

/* Replaces *c by the simplest case behind it, with judgement *r, and returns its signature.  If that case does not show
 * a finding again, nothing changes. */
static const char *simplify(const struct question *same, const char *engine, int budget, struct testcase *c,
    struct bench_result *r, struct arena *a)
{
	struct testcase simple = simplest_case(same, c, budget, a);
	struct bench_result own;

	if (!case_shows(&simple,
	        &(struct question){
	            .bench = same->bench, .declared = same->declared, .judged = JUDGED_IN_FULL, .result = &own},
	        a, NULL))
		return same->signature;
	*c = simple;
	*r = own;
	return signature_coarse(engine, c, &r->judgement[0], a);
}

static int minimize_case(
    struct bench *b, const char *engine, const struct testcase *c, const struct how *how, struct arena *a)
{
	struct minimize_statistics stats = {0};
	struct limit limit = {.stop = stop_requested};
	struct slips slips = {0};
	struct question same = {.bench = b, .slips = &slips, .until = &limit, .spent = &limit};
	const int budget = how->budget > INT_MAX / 4 ? INT_MAX / 4 : (int)how->budget;
	struct judgement j;
	struct bench_result r;
	struct report report;
	struct testcase small;
	size_t len;
	char *text;
	int code = EXIT_NO_FINDING, written;
	bool shows;

	if (!case_shows(c, &(struct question){.bench = b, .declared = true}, a, &j)) {
		bench_judge(b, c, a, &r);
		j = r.judgement[0];
		if (machine_failed(engine, r.answer[0], c->n_point))
			return EXIT_OURS;
	}
	if (b->interrupted)
		return complain_about_stop("minimize");
	if (j.verdict == VERDICT_UNDECIDED && j.reason == REASON_REFERENCE) {
		complain("%s is not right about it either", engine_name(b->reference));
		return EXIT_NOTHING;
	}
	if (!verdict_is_finding[j.verdict]) {
		complain("%s shows no finding here: %s", engine, verdict_names[j.verdict]);
		return EXIT_NOTHING;
	}
	same.signature = signature_coarse(engine, c, &j, a);
	same.declared = j.declared;
	limit.deadline = how->seconds > 0 ? bench_clock() + how->seconds : 0;
	shows = minimize_finding(&same, c, budget, a, &small, &r, &stats);
	fprintf(stderr, "%s: %d of %d candidates accepted in %d rounds%s\n", text_harmless(same.signature, a),
	    stats.accepted, stats.tried, stats.rounds, stats.accepted ? "" : ": the case stays as it is");
	for (int i = 0; i < slips.n; i++)
		fprintf(stderr, "slipped to %s\n",
		    text_harmless(how->slips
		            ? arena_printf(a, "%s: %s/slip-%d.json", slips.at[i].signature, how->slips, i + 1)
		            : slips.at[i].signature,
		        a));
	if (how->slips)
		code = write_slips(&slips, how->slips);
	slips_free(&slips);
	if (machine_failed(engine, r.answer[0], small.n_point))
		return EXIT_OURS;
	if (b->interrupted)
		return complain_about_stop("minimize");
	if (!shows) {
		complain("%s does not show %s again", engine, same.signature);
		return EXIT_NOTHING;
	}
	if (how->simplest && r.judgement[0].verdict != VERDICT_HANG) /* each candidate that hangs costs a time limit */
		same.signature = simplify(&same, engine, budget, &small, &r, a);
	report = (struct report){.signature = same.signature,
	    .engine = engine,
	    .engine_spec = engine_spec(b->engine[0]),
	    .engine_version = engine_version(b->engine[0], a),
	    .spellings = engine_spellings(b->engine[0], &small, a),
	    .c = &small,
	    .truth = &r.truth,
	    .answers = r.answer[0],
	    .judgement = &r.judgement[0],
	    .minimize_tried = stats.tried,
	    .minimize_accepted = stats.accepted};
	text = how->as_report ? report_write(&report, a, &len) : testcase_write(&small, a, &len);
	written = write_output(how->out, text, len);
	return code ? code : written;
}

int command_minimize(int argc, char **argv)
{
	const char *spec = NULL, *engines = NULL;
	struct reported own = {0};
	struct naming names;
	struct texts none = {0};
	struct how how = {.budget = DEFAULT_BUDGET};
	struct engine_limits limits = engine_limits_preset();
	const struct option_row rows[] = {
	    {"engine", OPTION_ONCE, &spec, ENGINE_ARGUMENT,
	        "the engine with the finding (default: the one of a report)"},
	    {"engines", OPTION_TEXT, &engines, "FILE", ENGINES_HELP_ONE},
	    {"right-on", OPTION_ONCE, &how.right_on, ENGINE_ARGUMENT,
	        "keep only failures where this engine, such as a newer version, is right"},
	    {"out", OPTION_TEXT, &how.out, "FILE", "write here (default: standard output)"},
	    {"budget", OPTION_NUMBER, &how.budget, "N", "judge at most N candidates (default 20000)"},
	    {"time", OPTION_DURATION, &how.seconds, "T",
	        "stop after this time, as in 90s or 10m, with the smallest case so far"},
	    {"slips", OPTION_TEXT, &how.slips, "DIR", "write a case for each other finding that candidates show"},
	    {"simplest", OPTION_FLAG, &how.simplest, NULL,
	        "then make the case simpler under any finding of the engine, as fuzz does"},
	    {"report", OPTION_FLAG, &how.as_report, NULL, "write a report instead of a bare case"},
	    ENGINE_LIMIT_ROWS(limits),
	};
	const struct options o = {"minimize", "CASE [--engine SPEC] [OPTION]...",
	    "Finds the smallest case that shows the same coarse signature: engine, request, verdict, kind of\n"
	    "deviation.\n"
	    "Example: adjudge minimize case.json --engine functional+residual-fifo --report --out report.json\n"
	    "Exit status: 0 done, 3 the case cannot be read, 4 adjudge or the machine failed, 5 the engine\n"
	    "shows no finding, 128 + N stopped by signal N; the smallest case so far is written.\n",
	    rows, sizeof rows / sizeof *rows, 1, 1};
	const char **const other[] = {&spec, &how.right_on};
	struct oracle_options oracle = {.seed = 1, .fd_one_in = INT_MAX};
	struct error e = {0};
	struct testcase c;
	struct arena a;
	struct bench b;
	char **path;
	int n, code = options_parse(&o, argc, argv, &path, &n);

	if (code >= 0)
		return code;
	engine_limits_use(&limits);
	arena_init(&a, COMMAND_ARENA);
	code = naming_apply("minimize", engines, false, &names, &a, &none, other, 2);
	if (code >= 0)
		goto out;
	if (!read_case(path[0], &a, &c, &own, &e)) {
		code = complain_about_case(&e);
		goto out;
	}
	code = choose_engine("minimize", path[0], &own, &names, &spec, &a);
	if (code < 0)
		code = check_output(how.out);
	if (code >= 0)
		goto out;
	stop_on_signals();
	if (!bench_open_against(&b, &spec, 1, how.right_on, &oracle, &e)) {
		complain("%s", e.text);
		code = stop_signal() ? complain_about_stop("minimize") : EXIT_OURS;
		goto out;
	}
	code = stop_exit_code(minimize_case(&b, engine_name(b.engine[0]), &c, &how, &a));
	bench_close(&b);
out:
	arena_free(&a);
	return code;
}

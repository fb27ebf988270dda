/* fuzz.c: adjudge fuzz: runs the driver of a campaign, and shows how it ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_options.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/drivers/drivers.h"
#include "fuzz/campaign/judging/draws.h"
#include "fuzz/campaign/judging/jobs.h"

enum { DEFAULT_FD_ONE_IN = 10, MINIMIZE_BUDGET = 10000 };

/* Ends a campaign (campaign_finish_fn).  self: a struct campaign_ending. */
static int finish(struct campaign *s, void *self)
{
	struct campaign_ending *x = self;
	struct campaign_end end;
	bool printed = false;
	int code = campaign_close(s, &end);

	if (*end.failure)
		complain("%s", end.failure);
	if (end.summary && end.text) {
		x->of.summary = end.summary;
		x->of.text = end.text;
		x->of.code = code;
		code = ci_end(&x->run, ci_take_campaign(&x->run, &x->of), &printed);
		if (!printed)
			fputs(x->json ? end.summary : end.text, stdout);
		if (!printed && !x->json)
			ci_print_baseline(&x->run);
	}
	free(end.summary);
	free(end.text);
	return code;
}

#ifdef ADJUDGE_HAVE_LIBFUZZER
static int end_job(struct campaign *s, void *self)
{
	(void)self;
	job_end(s);
	return 0;
}

/* libFuzzer in a process that only judges. */
static void libfuzzer_job(struct campaign *s) { drive_libfuzzer(s, end_job, NULL); }
#endif

static int run_driver(enum driver d, struct campaign *s, struct campaign_ending *end)
{
	campaign_driver_fn *const job[] = {
#ifdef ADJUDGE_HAVE_LIBFUZZER
	    [DRIVER_LIBFUZZER] = libfuzzer_job,
#endif
	    [DRIVER_PLAIN] = drive_plain,
	    [DRIVER_GENERATE] = drive_generate};

	if (campaign_options(s)->jobs > 1) {
		drive_jobs(s, job[d]);
		return finish(s, end);
	}
	switch (d) {
	case DRIVER_LIBFUZZER:
#ifdef ADJUDGE_HAVE_LIBFUZZER
		drive_libfuzzer(s, finish, end);
#endif
		break;
	case DRIVER_PLAIN:
		drive_plain(s);
		break;
	case DRIVER_GENERATE:
		drive_generate(s);
		break;
	case DRIVER_COUNT:
		break;
	}
	return finish(s, end);
}

/* campaign_options.known */
static bool is_known(const void *baseline, const char *signature, const char *path)
{
	return baseline_knows(baseline, signature, path);
}

static int run_campaign(struct fuzz_request *r, enum driver driver)
{
	struct error e = {0};
	struct campaign *s;
	int code = ci_begin(&r->end.run, "fuzz", &r->ci, &r->texts);

	if (code >= 0)
		return code;
	r->end.json = r->end.json || (r->ci.format && !strcmp(r->ci.format, "json"));
	r->end.of = (struct ci_campaign){.out = r->c.out,
	    .min_decided = r->c.min_decided,
	    .named = r->c.named,
	    .no_oracle = r->c.no_oracle,
	    .cross_strict = r->c.cross_strict};
	r->c.known = is_known;
	r->c.baseline = &r->end.run.baseline;
	stop_on_signals();
	s = campaign_open(&r->c, &e);
	if (s) {
		warn_of_hellos(campaign_bench(s));
		return run_driver(driver, s, &r->end);
	}
	if (*e.place)
		return complain_about_case(&e);
	complain("%s", e.text);
	return stop_signal() ? complain_about_stop("fuzz") : EXIT_OURS;
}

int command_fuzz(int argc, char **argv)
{
	struct fuzz_request r = {.c = {.seed = 1, .minimize_budget = MINIMIZE_BUDGET, .profile_name = "default"},
	    .fd_one_in = DEFAULT_FD_ONE_IN,
	    .jobs = 1,
	    .limits = engine_limits_preset()};
	const struct option_row rows[] = {
	    {"engine", OPTION_TEXTS, &r.specs, ENGINE_ARGUMENT,
	        "engine under test; may be repeated (default: every built-in one)"},
	    {"engines", OPTION_TEXT, &r.engines, "FILE", ENGINES_HELP},
	    {"right-on", OPTION_ONCE, &r.c.right_on, ENGINE_ARGUMENT,
	        "report only failures where this engine, such as a newer version, is right"},
	    {"seed", OPTION_SEED, &r.c.seed, "N",
	        "same seed, same cases, on any host; fresh: draw one (default 1: the same cases every night)"},
	    {"cases", OPTION_NUMBER, &r.c.cases, "N", "stop after N cases"},
	    {"time", OPTION_DURATION, &r.c.seconds, "T", "stop after this time, as in 90s, 10m, 8h"},
	    {"out", OPTION_TEXT, &r.c.out, "DIR",
	        "write findings/, oracle/ and summary.json here; one campaign a directory"},
	    {"resume", OPTION_TEXT, &r.resume, "DIR",
	        "go on with this campaign and its options; give engines from outside again"},
	    JOBS_ROW(r.jobs),
	    {"shard", OPTION_TEXT, &r.ci.shard, "I/N",
	        "with --driver generate: judge only every Nth case, from the Ith (merge joins shards)"},
	    {"profile", OPTION_TEXT, &r.profile, "FILE", "distributions of the generator"},
	    {"driver", OPTION_TEXT, &r.driver, "D",
	        "libfuzzer (default if built in), plain (our own loop) or generate (fresh cases only)"},
	    {"fd-one-in", OPTION_NUMBER, &r.fd_one_in, "N",
	        "finite differences for one case in N, and for every finding (default 10)"},
	    {"no-twins", OPTION_FLAG, &r.c.no_twins, NULL,
	        "do not judge twins: the case at other points, or in a wider dtype, where it is undecided"},
	    {"cross", OPTION_FLAG, &r.c.cross, NULL,
	        "where something is undecided, compare answers without an oracle; write leads/"},
	    {"against", OPTION_ONCE, &r.c.against, ENGINE_ARGUMENT,
	        "with --cross: also compare with the answers of this engine"},
	    {"cross-strict", OPTION_FLAG, &r.c.cross_strict, NULL, "with --cross: a lead counts as a finding"},
	    {"no-oracle", OPTION_FLAG, &r.c.no_oracle, NULL, "only --cross, on every case; no verdicts"},
	    {"strict", OPTION_FLAG, &r.c.strict, NULL, STRICT_HELP},
	    {"keep-going", OPTION_FLAG, &r.keep_going, NULL,
	        "do not stop at findings (the default, unless --max-findings is given)"},
	    {"max-findings", OPTION_NUMBER, &r.max_findings, "N", "stop after N distinct findings"},
	    {"corpus", OPTION_TEXT, &r.c.corpus, "DIR",
	        "judge the cases in this directory first, failures of a campaign before all"},
	    {"min-decided", OPTION_PERCENT, &r.c.min_decided, "PERCENT", MIN_DECIDED_HELP},
	    {"quiet", OPTION_FLAG, &r.quiet, NULL, "no progress on standard error"},
	    {"progress", OPTION_TEXT, &r.progress, "HOW",
	        "auto (default: a screen on a terminal, else a line a minute), lines or json"},
	    CI_OPTION_ROWS(r.ci),
	    {"format", OPTION_TEXT, &r.ci.format, "F", "print text (default), " CI_FORMATS},
	    {"json", OPTION_FLAG, &r.end.json, NULL, "print the summary as JSON"},
	    ENGINE_LIMIT_ROWS(r.limits),
	};
	bool given[sizeof rows / sizeof *rows] = {false};
	const struct options o = {"fuzz", "(--out DIR (--cases N | --time T) | --resume DIR) [OPTION]...",
	    "Judges random cases.  Each distinct finding is minimized and written once, as a report that\n"
	    "`adjudge run` reproduces.\n"
	    "Example: adjudge fuzz --engine functional+residual-fifo --seed 7 --cases 10000 --out campaign\n"
	    "summary.json is the same for the same seed and options, but for cases_per_second and timing.\n"
	    "With --jobs this holds for --driver generate; with others, the cases depend on timing.\n"
	    "A campaign that was killed goes on with --resume.  --cases and --time count all its runs.\n"
	    "Leads of --cross are no findings, unless --cross-strict.  Findings of the baseline do not count.\n"
	    "A campaign with --cross has one process and cannot go on: its comparisons are not in its state.\n"
	    "Exit status: 0 no finding, 1 a finding, 3 a profile, corpus or baseline cannot be read,\n"
	    "4 our own or the machine's failure, 5 nothing was decided about an engine, or less than\n"
	    "--min-decided, 6 only findings that did not come again,\n"
	    "128 + N stopped by signal N before the end (130 SIGINT, 143 SIGTERM, 129 SIGHUP).\n",
	    rows, sizeof rows / sizeof *rows, 0, 0, given};
	enum driver driver;
	char **operand;
	int n, code = options_parse(&o, argc, argv, &operand, &n);

	if (code >= 0)
		return code;
	engine_limits_use(&r.limits);
	arena_init(&r.texts, COMMAND_ARENA);
	code = fuzz_settle(&r, &o, &driver);
	if (code < 0)
		code = run_campaign(&r, driver);
	arena_free(&r.texts);
	return code;
}

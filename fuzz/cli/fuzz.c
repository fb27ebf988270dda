/* fuzz.c: adjudge fuzz: reads the options of a campaign and runs its driver. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/campaign/campaign.h"
#include "commands.h"
#include "fuzz/campaign/case_paths.h"
#include "fuzz/bench/stop.h"

enum { DEFAULT_FD_ONE_IN = 10, MINIMIZE_BUDGET = 10000 };

enum driver { DRIVER_LIBFUZZER, DRIVER_PLAIN, DRIVER_GENERATE, DRIVER_COUNT };
static const char *const driver_names[DRIVER_COUNT] = {"libfuzzer", "plain", "generate"};

static bool have_libfuzzer(void)
{
#ifdef ADJUDGE_HAVE_LIBFUZZER
	return true;
#else
	return false;
#endif
}

/* The driver with that name (NULL: the default); DRIVER_COUNT after a complaint. */
static enum driver pick_driver(const char *name)
{
	if (!name)
		return have_libfuzzer() ? DRIVER_LIBFUZZER : DRIVER_PLAIN;
	for (int d = 0; d < DRIVER_COUNT; d++) {
		if (strcmp(driver_names[d], name))
			continue;
		if (d != DRIVER_LIBFUZZER || have_libfuzzer())
			return (enum driver)d;
		complain("fuzz: this build has no libFuzzer (it was not found when configuring)");
		return DRIVER_COUNT;
	}
	complain("fuzz: --driver is libfuzzer, plain or generate, not '%s'", name);
	return DRIVER_COUNT;
}

/* Ends a campaign.  self: a bool, whether to print the summary as JSON. */
static int finish(struct campaign *s, void *self)
{
	struct campaign_end end;
	int code = campaign_close(s, &end);

	if (*end.failure)
		complain("%s", end.failure);
	if (end.summary && end.text)
		fputs(*(bool *)self ? end.summary : end.text, stdout);
	free(end.summary);
	free(end.text);
	return code;
}

static int run_driver(enum driver d, struct campaign *s, bool *json)
{
	switch (d) {
	case DRIVER_LIBFUZZER:
#ifdef ADJUDGE_HAVE_LIBFUZZER
		drive_libfuzzer(s, finish, json);
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
	return finish(s, json);
}

/* A corpus is only a hint: a file in it that cannot be read is left out.  A corpus that does not exist is probably a
 * typing mistake. */
static bool check_corpus(const char *dir)
{
	struct paths files = paths_find((const char *const[]){dir}, 1);
	bool ok = !files.error && files.n;

	if (!ok)
		complain(
		    "fuzz: --corpus: %s%s", files.error ? files.error : dir, files.error ? "" : ": has no *.json file");
	paths_free(&files);
	return ok;
}

int command_fuzz(int argc, char **argv)
{
	struct campaign_options c = {
	    .seed = 1, .minimize_budget = MINIMIZE_BUDGET, .progress = true, .profile_name = "default"};
	int64_t fd_one_in = DEFAULT_FD_ONE_IN, max_findings = 0;
	const char *profile = NULL, *driver_name = NULL;
	struct texts specs = {0};
	bool json = false, keep_going = false, quiet = false;
	const struct option_row rows[] = {
	    {"engine", OPTION_TEXTS, &specs, "SPEC",
	        "engine under test; may be repeated (default: every built-in one)"},
	    {"right-on", OPTION_TEXT, &c.right_on, "SPEC",
	        "report only failures where this engine, such as a newer version, is right"},
	    {"seed", OPTION_SEED, &c.seed, "N", "same seed, same cases, on any host (default 1)"},
	    {"cases", OPTION_NUMBER, &c.cases, "N", "stop after N cases"},
	    {"time", OPTION_DURATION, &c.seconds, "T", "stop after this time, as in 90s, 10m, 8h"},
	    {"out", OPTION_TEXT, &c.out, "DIR", "write findings/, oracle/ and summary.json here"},
	    {"profile", OPTION_TEXT, &profile, "FILE", "distributions of the generator"},
	    {"driver", OPTION_TEXT, &driver_name, "D",
	        "libfuzzer (default if built in), plain (our own loop) or generate (fresh cases only)"},
	    {"fd-one-in", OPTION_NUMBER, &fd_one_in, "N",
	        "finite differences for one case in N, and for every finding (default 10)"},
	    {"cross", OPTION_FLAG, &c.cross, NULL,
	        "where something is undecided, compare answers without an oracle; write leads/"},
	    {"against", OPTION_TEXT, &c.against, "SPEC", "with --cross: also compare with the answers of this engine"},
	    {"cross-strict", OPTION_FLAG, &c.cross_strict, NULL, "with --cross: a lead counts as a finding"},
	    {"no-oracle", OPTION_FLAG, &c.no_oracle, NULL, "only --cross, on every case; no verdicts"},
	    {"keep-going", OPTION_FLAG, &keep_going, NULL,
	        "do not stop at findings (the default, unless --max-findings is given)"},
	    {"max-findings", OPTION_NUMBER, &max_findings, "N", "stop after N distinct findings"},
	    {"corpus", OPTION_TEXT, &c.corpus, "DIR", "start from the cases in this directory"},
	    {"min-decided", OPTION_PERCENT, &c.min_decided, "PERCENT", MIN_DECIDED_HELP},
	    {"quiet", OPTION_FLAG, &quiet, NULL, "no progress on standard error"},
	    {"json", OPTION_FLAG, &json, NULL, "print the summary as JSON"},
	};
	const struct options o = {"fuzz", "--out DIR (--cases N | --time T) [OPTION]...",
	    "Judges random cases.  Each distinct finding is minimized and written once, as a report that\n"
	    "`adjudge run` reproduces.\n"
	    "Example: adjudge fuzz --engine functional+residual-fifo --seed 7 --cases 10000 --out campaign\n"
	    "summary.json is the same for the same seed and options, but for cases_per_second and timing.\n"
	    "Leads of --cross are no findings, unless --cross-strict.\n"
	    "Exit status: 0 no finding, 1 a finding, 3 a profile or corpus cannot be read, 4 our own or the "
	    "machine's failure, 5 nothing was\n"
	    "decided about an engine, or less than --min-decided, 6 only findings that did not come again,\n"
	    "128 + N stopped by signal N before the end (130 SIGINT, 143 SIGTERM, 129 SIGHUP).\n",
	    rows, sizeof rows / sizeof *rows, 0, 0};
	struct error e = {0};
	struct campaign *s;
	enum driver driver;
	char **operand;
	int n, code = options_parse(&o, argc, argv, &operand, &n);

	if (code >= 0)
		return code;
	driver = pick_driver(driver_name);
	if (driver == DRIVER_COUNT)
		return EXIT_USAGE;
	if (!c.out || (!c.cases && !(c.seconds > 0))) {
		complain("fuzz: %s", c.out ? "one of --cases and --time is needed" : "--out is missing");
		fputs("Try 'adjudge fuzz --help'.\n", stderr);
		return EXIT_USAGE;
	}
	c.profile = profile_default();
	if (profile) {
		if (!profile_read_file(profile, &c.profile, &e))
			return complain_about_case(&e);
		c.profile_name = profile;
	}
	c.named = specs.n;
	if (!specs.n)
		texts_add_right_engines(&specs);
	c.spec = specs.at;
	c.n_spec = specs.n;
	c.driver = driver_names[driver];
	c.fd_one_in = fd_one_in < 1 ? INT_MAX : fd_one_in > INT_MAX ? INT_MAX : (int)fd_one_in;
	c.max_findings = keep_going || max_findings > INT_MAX ? 0 : (int)max_findings;
	c.progress = !quiet;
	for (int i = 0; i < specs.n; i++)
		if (!check_spec("fuzz", specs.at[i]))
			return EXIT_USAGE;
	c.cross = c.cross || c.no_oracle || c.cross_strict || c.against;
	if (!check_spec("fuzz: --right-on", c.right_on) || !check_spec("fuzz: --against", c.against))
		return EXIT_USAGE;
	if (c.corpus && !check_corpus(c.corpus))
		return EXIT_BAD_CASE;
	s = campaign_open(&c, &e);
	if (!s) {
		complain("%s", e.text);
		return EXIT_OURS;
	}
	stop_on_signals();
	return run_driver(driver, s, &json);
}

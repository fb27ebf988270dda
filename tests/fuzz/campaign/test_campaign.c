/* Campaigns: the same twice, findings that reproduce, budgets, tallies that add up. */
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/drivers/drivers.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/cli/options.h"
#include "fuzz/campaign/books/case_paths.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"
#include "graph/json.h"
#include "tests/check.h"

static char base[] = "/tmp/adjudge-test-campaign-XXXXXX";

static const char *directory(struct arena *a, const char *name) { return arena_printf(a, "%s/%s", base, name); }

/* Runs a campaign; the summary without its timing. */
static char *run(struct campaign_options *o, const char *driver, void drive(struct campaign *s), int *code)
{
	struct error e = {0};
	struct campaign *s;
	struct campaign_end end;
	char *timing;

	o->driver = driver;
	s = campaign_open(o, &e);
	CHECK(s, "%s: %s", driver, e.text);
	if (!s)
		exit(check_done());
	drive(s);
	*code = campaign_close(s, &end);
	CHECK(!*end.failure, "%s: %s", driver, end.failure);
	free(end.text);
	timing = strstr(end.summary, "\"cases_per_second\"");
	CHECK(timing, "%s: no timing in %s", driver, end.summary);
	if (timing)
		*timing = '\0';
	return end.summary;
}

static char *read_file(const char *path, struct arena *a)
{
	struct error e = {0};
	size_t len;
	char *text = json_read_bytes(path, LIMIT_CASE_BYTES, a, &len, &e);

	CHECK(text, "%s: %s", path, e.text);
	return text ? text : "";
}

static const struct json *parse(const char *text, struct arena *a)
{
	struct error e = {0};
	const struct json *root = json_read(text, strlen(text), a, &e);

	CHECK(root, "%s: %s", e.place, e.text);
	return root;
}

static int64_t integer(const struct json *object, const char *key)
{
	const struct json *v = json_find(object, key);

	return v && v->kind == JSON_NUMBER ? strtoll(v->text, NULL, 10) : -1;
}

/* A report is a case that shows the report's own signature, and it is small. */
static void check_report(const char *path, struct arena *a)
{
	struct oracle_options oracle = {.seed = 5, .fd_one_in = 1};
	const struct json *root = parse(read_file(path, a), a), *signature, *engine;
	struct limit limit = {0};
	struct question same = {.judged = JUDGED_IN_FULL, .until = &limit, .spent = &limit};
	struct error e = {0};
	struct testcase c;
	struct bench b;

	if (!root || !testcase_read_file(path, a, &c, &e)) {
		CHECK(false, "%s is no case: %s %s", path, e.place, e.text);
		return;
	}
	signature = json_find(root, "signature");
	engine = json_find(root, "engine");
	CHECK(signature && engine && bench_open(&b, &engine->text, 1, &oracle, &e), "%s: %s", path, e.text);
	if (!signature || !engine || *e.text)
		return;
	same.bench = &b;
	same.signature = signature->text;
	CHECK(case_shows(&c, &same, a, NULL), "%s does not show %s", path, same.signature);
	limit.hung = 1e9;
	CHECK(!case_shows(&c, &same, a, NULL), "%s is still minimized after so many hangs", path);
	CHECK(strata_of(&c).ops <= 6, "%s: %d ops", path, strata_of(&c).ops);
	bench_close(&b);
}

static void check_reports(const char *dir, struct arena *a)
{
	struct paths files = paths_find((const char *const[]){directory(a, arena_printf(a, "%s/findings", dir))}, 1);

	CHECK(files.n > 0, "%s: no report", dir);
	for (int i = 0; i < files.n; i++)
		check_report(files.at[i], a);
	paths_free(&files);
}

/* The teeth of all dtypes add up, and no case has teeth that is not decided. */
static void check_teeth(const struct json *summary, const char *name)
{
	static const char *const keys[] = {"components", "with_teeth", "zeros", "unbounded"};
	const struct json *all = json_find(summary, "teeth"), *dtypes = all ? json_find(all, "by_dtype") : NULL;

	CHECK(dtypes, "%s: no teeth", name);
	for (size_t k = 0; dtypes && k < sizeof keys / sizeof *keys; k++) {
		int64_t sum = 0;

		for (const struct json *d = dtypes->child; d; d = d->next)
			sum += integer(d, keys[k]);
		CHECK(sum == integer(all, keys[k]), "%s: %s do not add up", name, keys[k]);
	}
	CHECK(integer(all, "unbounded") == 0, "%s: a decided component has an infinite radius", name);
	CHECK(integer(all, "with_teeth") > 0 && integer(all, "with_teeth") < integer(all, "components"),
	    "%s: %lld components with teeth", name, (long long)integer(all, "with_teeth"));
	CHECK(integer(summary, "with_teeth") > 0 && integer(summary, "with_teeth") <= integer(summary, "decided"),
	    "%s: %lld cases with teeth", name, (long long)integer(summary, "with_teeth"));
}

/* Teeth are those of the truth: neither the number of engines nor their answers change them. */
static void check_same_teeth(const struct json *summary, struct campaign_options o, struct arena *a)
{
	const char *spec = "functional";
	const struct json *root, *left = json_find(summary, "teeth"), *right;
	int code;

	o.spec = &spec;
	o.n_spec = 1;
	o.out = directory(a, "right-alone");
	free(run(&o, "generate", drive_generate, &code));
	CHECK(code == EXIT_NO_FINDING, "exit code %d", code);
	root = parse(read_file(directory(a, "right-alone/summary.json"), a), a);
	right = root ? json_find(root, "teeth") : NULL;
	CHECK(left && right && integer(left, "components") == integer(right, "components") &&
	        integer(left, "with_teeth") == integer(right, "with_teeth") &&
	        integer(summary, "with_teeth") == integer(root, "with_teeth"),
	    "teeth depend on the engines");
}

static void check_twice(const char *name, void drive(struct campaign *s), struct arena *a)
{
	const char *specs[] = {"tape+scale:mul:1.5", "functional"};
	struct campaign_options o = {.spec = specs,
	    .n_spec = 2,
	    .seed = 42,
	    .cases = 120,
	    .profile_name = "default",
	    .profile = profile_default(),
	    .fd_one_in = 10,
	    .minimize_budget = 5000};
	const struct json *root;
	char *first, *second;
	int code;

	o.out = directory(a, arena_printf(a, "%s-1", name));
	first = run(&o, name, drive, &code);
	CHECK(code == EXIT_FINDING, "%s: exit code %d", name, code);
	o.out = directory(a, arena_printf(a, "%s-2", name));
	second = run(&o, name, drive, &code);
	CHECK(!strcmp(first, second), "%s: two runs differ:\n%s\n%s", name, first, second);
	o.seed = 43;
	o.out = directory(a, arena_printf(a, "%s-3", name));
	free(second);
	second = run(&o, name, drive, &code);
	CHECK(strcmp(first, second) != 0, "%s: another seed, the same summary", name);
	free(first);
	free(second);
	check_reports(arena_printf(a, "%s-1", name), a);
	root = parse(read_file(directory(a, arena_printf(a, "%s-1/summary.json", name)), a), a);
	if (!root)
		return;
	CHECK(integer(root, "cases") == 120, "%s: cases", name);
	CHECK(integer(root, "cases") ==
	        integer(root, "decided") + integer(root, "undecided_cases") + integer(root, "unsupported"),
	    "%s: the counts do not add up", name);
	check_teeth(root, name);
	if (drive == drive_generate) {
		o.seed = 42;
		check_same_teeth(root, o, a);
	}
}

/* What differs from run to run is reported by a run that showed what the signature says, not by the next that came. */
static void check_chance(struct arena *a)
{
	const char *spec = "tape+enzyme-threads-race";
	struct campaign_options o = {.spec = &spec,
	    .n_spec = 1,
	    .seed = 5,
	    .cases = 60,
	    .profile_name = "default",
	    .profile = profile_default(),
	    .fd_one_in = 100,
	    .minimize_budget = 300,
	    .out = directory(a, "chance")};
	const struct json *summary, *findings;
	int code, shown = 0;

	free(run(&o, "generate", drive_generate, &code));
	CHECK(code == EXIT_FINDING, "exit code %d", code);
	summary = parse(read_file(directory(a, "chance/summary.json"), a), a);
	findings = summary ? json_find(summary, "findings") : NULL;
	for (const struct json *f = findings ? findings->child : NULL; f; f = f->next) {
		const struct json *root = parse(
		    read_file(directory(a, arena_printf(a, "chance/%s", json_find(f, "file")->text)), a), a);
		const char *signature = json_find(f, "signature")->text,
		           *verdict = root ? json_find(root, "verdict")->text : "";

		if (json_find(f, "flaky"))
			continue; /* did not come again */
		shown++;
		CHECK(
		    strstr(signature, arena_printf(a, "|%s|", verdict)), "%s: the report says %s", signature, verdict);
	}
	CHECK(shown > 0, "nothing shown");
}

static void check_budgets(struct arena *a)
{
	const char *right = "tape", *faulty = "tape+scale:mul:1.5";
	struct campaign_options o = {.spec = &right,
	    .n_spec = 1,
	    .seed = 7,
	    .cases = 40,
	    .profile_name = "default",
	    .profile = profile_default(),
	    .fd_one_in = 10,
	    .minimize_budget = 500};
	int code;

	o.out = directory(a, "right");
	free(run(&o, "generate", drive_generate, &code));
	CHECK(code == EXIT_NO_FINDING, "a right engine: exit code %d", code);
	o.out = directory(a, "first");
	o.spec = &faulty;
	o.cases = 0;
	o.max_findings = 1;
	free(run(&o, "plain", drive_plain, &code));
	CHECK(code == EXIT_FINDING, "max_findings: exit code %d", code);
	o.out = directory(a, "time");
	o.spec = &right;
	o.seconds = 2;
	o.max_findings = 0;
	free(run(&o, "plain", drive_plain, &code));
	CHECK(code == EXIT_NO_FINDING, "time: exit code %d", code);
	stop_on_signals();
	raise(SIGTERM);
	o.out = directory(a, "signal");
	o.seconds = 3600;
	free(run(&o, "plain", drive_plain, &code));
	CHECK(code == EXIT_SIGNAL + SIGTERM, "a signal before the first case: exit code %d", code);
}

/* Only requests that some engine under test can answer are drawn. */
static void check_requests(struct arena *a)
{
	static const struct {
		const char *spec[2];
		int n;
		bool jvp, vjp;
	} rows[] = {{{"forward"}, 1, true, false}, {{"tape"}, 1, false, true}, {{"forward", "tape"}, 2, true, true}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("requests: %s and %d more", rows[i].spec[0], rows[i].n - 1))
			continue;
		struct campaign_options o = {.spec = rows[i].spec,
		    .n_spec = rows[i].n,
		    .seed = 3,
		    .cases = 60,
		    .profile_name = "default",
		    .profile = profile_default(),
		    .fd_one_in = 10,
		    .minimize_budget = 500};
		const char *strata;
		char *text;
		int code;

		o.out = directory(a, arena_printf(a, "requests-%d", (int)i));
		text = run(&o, "plain", drive_plain, &code);
		strata = strstr(text, "\"strata\"");
		CHECK(strata != NULL, "no strata in %s", text);
		for (int vjp = 0; strata && vjp < 2; vjp++) {
			const char *at = strstr(strata, vjp ? "\"vjp\"" : "\"jvp\""),
			           *n = at ? strstr(at, "\"cases\":") : NULL;

			CHECK(
			    n && (strtol(n + strlen("\"cases\":"), NULL, 10) > 0) == (vjp ? rows[i].vjp : rows[i].jvp),
			    "%s: %s drawn or not", rows[i].spec[0], vjp ? "vjp" : "jvp");
		}
		free(text);
	}
}

int main(int argc, char **argv)
{
	char command[128];
	struct arena a;

	check_begin(argc, argv);
	if (!mkdtemp(base))
		return 1;
	arena_init(&a, (size_t)1 << 30);
	CHECK_LAW(check_twice("generate", drive_generate, &a));
	CHECK_LAW(check_twice("plain", drive_plain, &a));
	check_requests(&a);
	CHECK_LAW(check_chance(&a));
	CHECK_LAW(check_budgets(&a));
	arena_free(&a);
	snprintf(command, sizeof command, "rm -rf '%s'", base);
	if (system(command))
		return 1;
	return check_done();
}

/*
 * Campaigns whose engine takes several cases in one request: the same summary and the same reports as one case at a
 * time, whatever becomes of a request. This executable is that engine when it is started as `engine`;
 * ADJUDGE_TEST_CASES says how many cases it wants, ADJUDGE_TEST_WAY how it misbehaves.
 */
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/drivers/drivers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/engine.h"
#include "engines/process/wire.h"
#include "fuzz/campaign/books/case_paths.h"
#include "graph/json.h"
#include "tests/check.h"

static char base[] = "/tmp/adjudge-test-window-XXXXXX";

/* ---- the engine ---- */

/* One case in 40. */
static bool is_unlucky(const struct testcase *c) { return testcase_hash(c) % 40 == 0; }

static int serve(void)
{
	const char *cases = getenv("ADJUDGE_TEST_CASES"), *way = getenv("ADJUDGE_TEST_WAY");
	struct engine *engine = engine_open("tape+scale:cosh:1.5", NULL);
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	struct arena a;

	arena_init(&a, (size_t)1 << 29);
	printf("{\"adjudge.engine\":1,\"name\":\"x\",\"requests\":[[\"vjp\"]],\"timeout_ms\":3000,"
	       "\"cases_per_request\":%s}\n",
	    cases);
	fflush(stdout);
	while ((len = getline(&line, &room, stdin)) > 0) {
		struct error e = {.text = ""};
		struct testcase *c;
		struct answer **answers;
		bool unlucky = false;
		size_t out;
		long id;
		int n;

		arena_reset(&a);
		if (!wire_read_request(line, (size_t)len - 1, &a, &id, &c, &n, &e))
			return 2;
		if (n > atoi(cases))
			return 3;
		for (int k = 0; k < n; k++)
			unlucky = unlucky || is_unlucky(&c[k]);
		if (!strcmp(way, "dies") && unlucky)
			abort();
		if (!strcmp(way, "garbage") && n > 1 && unlucky)
			id = -1;
		if (!strcmp(way, "error") && n > 1 && unlucky) {
			printf("{\"id\":%ld,\"error\":\"cannot read\"}\n", id);
			fflush(stdout);
			continue;
		}
		answers = NEW(&a, struct answer *, n);
		for (int k = 0; k < n; k++) {
			answers[k] = NEW(&a, struct answer, c[k].n_point);
			engine_answer(engine, &c[k], &a, answers[k]);
		}
		/* right alone, and wrong in company */
		if (!strcmp(way, "company") && n > 1 && unlucky)
			for (int k = 0; k < n; k++)
				if (is_unlucky(&c[k]) && answers[k]->n_primal &&
				    dtype_is_float(answers[k]->primal->type.dtype) &&
				    shape_elements(&answers[k]->primal->type.shape))
					answers[k]->primal->at[0].f = -77;
		printf("%s\n", wire_write_answers(id, c, answers, n, &a, &out));
		fflush(stdout);
	}
	return 0;
}

/* ---- the tests ---- */

static char *all_text(const char *dir, struct arena *a)
{
	struct paths files = paths_find((const char *const[]){dir}, 1);
	char *text = "";

	for (int i = 0; i < files.n; i++) {
		struct error e = {0};
		size_t len;
		const char *one = json_read_bytes(files.at[i], LIMIT_CASE_BYTES, a, &len, &e),
		           *name = strrchr(files.at[i], '/');

		CHECK(one, "%s: %s", files.at[i], e.text);
		text = arena_printf(a, "%s%s\n%s", text, name, one ? one : "");
	}
	paths_free(&files);
	return text;
}

/* Takes out how often the process of an engine failed: a request of several cases fails once for all of them. */
static void drop_failures(char *summary)
{
	char *from = strstr(summary, "\"restarts\""), *to = strstr(summary, "\"verdicts\"");

	if (!from)
		from = strstr(summary, "\"broken_answers\"");
	if (from && to && from < to)
		memmove(from, to, strlen(to) + 1);
}

/* What a campaign leaves: the summary without its timing and failed requests, and every report. */
static char *run(const char *spec, const char *name, void drive(struct campaign *s), const char *cases, const char *way,
    struct arena *a)
{
	struct campaign_options o = {.spec = &spec,
	    .n_spec = 1,
	    .seed = 7,
	    .cases = 100,
	    .profile_name = "default",
	    .profile = profile_default(),
	    .fd_one_in = 10,
	    .minimize_budget = 60,
	    .driver = name,
	    .out = arena_printf(a, "%s/%s-%s-%s", base, name, cases, way)};
	struct error e = {0};
	struct campaign_end end;
	struct campaign *s;
	char *timing, *text;

	setenv("ADJUDGE_TEST_CASES", cases, 1);
	setenv("ADJUDGE_TEST_WAY", way, 1);
	s = campaign_open(&o, &e);
	CHECK(s, "%s", e.text);
	if (!s)
		exit(check_done());
	drive(s);
	campaign_close(s, &end);
	CHECK(!*end.failure, "%s, %s at once, %s: %s", name, cases, way, end.failure);
	timing = strstr(end.summary, "\"cases_per_second\"");
	if (timing)
		*timing = '\0';
	drop_failures(end.summary);
	text = arena_printf(a, "%s%s", end.summary, all_text(arena_printf(a, "%s/findings", o.out), a));
	free(end.text);
	free(end.summary);
	return text;
}

static void check_same(const char *spec, struct arena *a)
{
	static const struct {
		const char *name;
		void (*drive)(struct campaign *s);
		const char *way;
	} rows[] = {{"generate", drive_generate, "right"}, {"plain", drive_plain, "right"},
	    {"generate", drive_generate, "dies"}, {"generate", drive_generate, "error"}};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("same: %s", rows[k].name))
			continue;
		const char *alone, *together;

		arena_reset(a);
		alone = run(spec, rows[k].name, rows[k].drive, "1", rows[k].way, a);
		together = run(spec, rows[k].name, rows[k].drive, "16", rows[k].way, a);
		CHECK(strstr(alone, "|vjp|wrong|") && !strcmp(rows[k].way, "dies") == !!strstr(alone, "|vjp|crash|"),
		    "%s, %s: %s", rows[k].name, rows[k].way, alone);
		CHECK(!strcmp(alone, together), "%s, %s:\n%s\n%s", rows[k].name, rows[k].way, alone, together);
	}
}

/*
 * What an engine says of a case in company alone is a finding, of an engine whose answers differ, and said not to come
 * again.  The same holds for a request of several cases that it breaks off; its report keeps that request.
 */
static void check_company(const char *spec, struct arena *a)
{
	const char *text, *line;

	arena_reset(a);
	text = run(spec, "generate", drive_generate, "16", "company", a);
	CHECK(strstr(text, "|nondeterministic|") && strstr(text, "\"flaky\": true"), "%s", text);
	arena_reset(a);
	text = run(spec, "generate", drive_generate, "16", "garbage", a);
	line = strstr(text, "\"cases\": 16,\n    \"line\": \"{");
	CHECK(strstr(text, "|*|protocol|none|flaky") && strstr(text, "none of which shows it alone"), "%s", text);
	CHECK(line && strstr(line, "\\\"cases\\\":["), "no request is kept: %s", text);
	CHECK(!strstr(run(spec, "generate", drive_generate, "1", "garbage", a), "protocol"), "alone it is right");
}

int main(int argc, char **argv)
{
	char path[4096], spec[4200], command[sizeof base + 16];
	ssize_t len;
	struct arena a;

	if (argc == 2 && !strcmp(argv[1], "engine"))
		return serve();
	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker_exec(argv[3]);
	check_begin(argc, argv);
	len = readlink("/proc/self/exe", path, sizeof path - 1);
	path[len > 0 ? len : 0] = '\0';
	snprintf(spec, sizeof spec, "proc:exec '%s' engine", path);
	if (!mkdtemp(base))
		return 1;
	arena_init(&a, (size_t)1 << 30);
	check_same(spec, &a);
	CHECK_LAW(check_company(spec, &a));
	arena_free(&a);
	snprintf(command, sizeof command, "rm -rf '%s'", base);
	if (system(command))
		return 1;
	return check_done();
}

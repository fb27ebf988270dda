/*
 * The search with an engine that takes several cases in one request: it ends in the same case after the same candidates
 * as one case at a time, with a fraction of the requests.  This executable is that engine when it is started as
 * `engine`; ADJUDGE_TEST_CASES says how many cases it wants, ADJUDGE_TEST_WAY how it misbehaves, and ADJUDGE_TEST_LOG
 * where it writes the number of cases of each request.
 */
#include "fuzz/minimize/finding.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/process/wire.h"
#include "graph/walk.h"
#include "fuzz/minimize/simplest.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* ---- the engine ---- */

/* One candidate in 12. */
static bool is_unlucky(const struct testcase *c) { return testcase_hash(c) % 12 == 0; }

/* Whether the program has the op that the engine raises an error about. */
static bool raises(const struct testcase *c) { return region_has_op(&c->program.top, OP_TANH); }

static int serve(void)
{
	const char *cases = getenv("ADJUDGE_TEST_CASES"), *way = getenv("ADJUDGE_TEST_WAY");
	FILE *log = fopen(getenv("ADJUDGE_TEST_LOG"), "a");
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
		size_t out;
		long id;
		int n;

		arena_reset(&a);
		if (!wire_read_request(line, (size_t)len - 1, &a, &id, &c, &n, &e) || n > atoi(cases))
			return 2;
		fprintf(log, "%d\n", n);
		fflush(log);
		answers = NEW(&a, struct answer *, n);
		for (int k = 0; k < n; k++) {
			if (!strcmp(way, "dies") && n > 1 && is_unlucky(&c[k]))
				abort();
			answers[k] = NEW(&a, struct answer, c[k].n_point);
			engine_answer(engine, &c[k], &a, answers[k]);
			for (int p = 0; p < c[k].n_point && raises(&c[k]); p++)
				answers[k][p] = (struct answer){.status = ANSWER_CRASH, .text = "no tanh"};
			if (!strcmp(way, "company") && n > 1 && is_unlucky(&c[k]))
				answers[k][0] = (struct answer){.status = ANSWER_CRASH, .text = "company"};
		}
		printf("%s\n", wire_write_answers(id, c, answers, n, &a, &out));
		fflush(stdout);
	}
	return 0;
}

/* ---- the tests ---- */

static char log_path[] = "/tmp/adjudge-test-ahead-XXXXXX";

/* cosh and tanh among ops that are right, in a loop, of vectors */
static const char beside[] = "v = broadcast_to x shape=[3]\n"
                             "a = for (v) trip=3 {\n"
                             "  params i, c\n"
                             "  s = sin c\n"
                             "  h = cosh s\n"
                             "  p = mul h, x\n"
                             "  q = tanh p\n"
                             "  r = sub q, c\n"
                             "  yield r\n"
                             "}\n"
                             "w = concatenate a, v axis=0\n"
                             "y = reduce_sum w axes=[0]";

static const char wrong[] = "v = broadcast_to x shape=[3]\n"
                            "s = sin v\n"
                            "h = cosh s\n"
                            "p = mul h, x\n"
                            "r = sub p, v\n"
                            "w = concatenate r, v axis=0\n"
                            "t = exp w\n"
                            "y = reduce_sum t axes=[0]";

struct search {
	char *small, *simplest;
	int tried, accepted, requests, cases;
	int64_t work;
};

static void read_log(struct search *io)
{
	FILE *f = fopen(log_path, "r");
	int n;

	while (f && fscanf(f, "%d", &n) == 1) {
		io->requests++;
		io->cases += n;
	}
	if (f)
		fclose(f);
}

static struct search search(const char *spec, const char *body, const char *cases, const char *way, struct arena *a)
{
	struct oracle_options oracle = {.seed = 1, .fd_one_in = 1 << 20};
	struct testcase from = test_function(a, "x: f64[]", body, "0x1.5p-1", "vjp"), small, simple;
	struct minimize_statistics stats;
	struct limit limit = {0};
	struct slips slips = {0};
	struct question same = {.slips = &slips, .until = &limit, .spent = &limit};
	struct search out = {0};
	struct bench_result r;
	struct error e = {0};
	struct bench b;

	setenv("ADJUDGE_TEST_CASES", cases, 1);
	setenv("ADJUDGE_TEST_WAY", way, 1);
	if (!bench_open(&b, &spec, 1, &oracle, &e)) {
		CHECK(false, "%s", e.text);
		return out;
	}
	bench_judge(&b, &from, a, &r);
	CHECK(verdict_is_finding[r.judgement[0].verdict], "no finding to start from");
	same.bench = &b;
	same.signature = signature_coarse("x", &from, &r.judgement[0], a);
	same.signature = arena_printf(a, "%s%s", spec, strchr(same.signature, '|'));
	if (truncate(log_path, 0))
		CHECK(false, "%s", log_path);
	CHECK(minimize_finding(&same, &from, 10000, a, &small, &r, &stats), "what is left does not show %s",
	    same.signature);
	read_log(&out);
	out.tried = stats.tried;
	out.accepted = stats.accepted;
	out.work = bench_work(&b);
	out.small = arena_printf(a, "%s%s", program_print(&small.program, a), slips.n ? slips.at[0].signature : "");
	simple = verdict_answers(r.judgement[0].verdict) ? simplest_case(&same, &small, 10000, a) : small;
	out.simplest = arena_printf(a, "%s", program_print(&simple.program, a));
	slips_free(&slips);
	bench_close(&b);
	return out;
}

static void check_same(const char *spec, const char *name, const char *body, const char *way, struct arena *a)
{
	const struct search alone = search(spec, body, "1", way, a), together = search(spec, body, "8", way, a);

	printf("%-8s %-8s %4d tried, %3d accepted; requests alone %4d, together %4d with %4d cases\n", name, way,
	    alone.tried, alone.accepted, alone.requests, together.requests, together.cases);
	CHECK(!strcmp(alone.small, together.small), "%s, %s: alone\n%s, together\n%s", name, way, alone.small,
	    together.small);
	CHECK(!strcmp(alone.simplest, together.simplest), "%s, %s: alone\n%s, together\n%s", name, way, alone.simplest,
	    together.simplest);
	CHECK(alone.tried == together.tried && alone.accepted == together.accepted, "%s, %s: %d tried, together %d",
	    name, way, alone.tried, together.tried);
	CHECK(alone.work == together.work, "%s, %s: work %lld, together %lld", name, way, (long long)alone.work,
	    (long long)together.work);
	CHECK(strcmp(way, "right") || 2 * together.requests < alone.requests, "%s: %d requests alone, %d together",
	    name, alone.requests, together.requests);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *body, *way;
	} rows[] = {{"wrong", wrong, "right"}, {"wrong", wrong, "dies"}, {"wrong", wrong, "company"},
	    {"error", beside, "right"}, {"error", beside, "dies"}};
	char path[4096], spec[4200];
	ssize_t len;
	struct arena a;
	int file;

	if (argc == 2 && !strcmp(argv[1], "engine"))
		return serve();
	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker_exec(argv[3]);
	check_begin(argc, argv);
	len = readlink("/proc/self/exe", path, sizeof path - 1);
	path[len > 0 ? len : 0] = '\0';
	snprintf(spec, sizeof spec, "proc:exec '%s' engine", path);
	file = mkstemp(log_path);
	if (file < 0)
		return 1;
	close(file);
	setenv("ADJUDGE_TEST_LOG", log_path, 1);
	arena_init(&a, (size_t)1 << 30);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s, %s", rows[k].name, rows[k].way)) {
			arena_reset(&a);
			check_same(spec, rows[k].name, rows[k].body, rows[k].way, &a);
		}
	arena_free(&a);
	unlink(log_path);
	return check_done();
}

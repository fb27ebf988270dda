/* several_cases.c: see several_cases.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/engine.h"
#include "engines/process/wire.h"
#include "graph/walk.h"
#include "several_cases.h"
#include "tests/check.h"

/* ---- the engine ---- */

/* One candidate in 12. */
static bool is_unlucky(const struct testcase *c) { return testcase_hash(c) % 12 == 0; }

/* Whether the program has the op that the engine raises an error about. */
static bool raises(const struct testcase *c) { return region_has_op(&c->program.top, OP_TANH); }

static int serve(void)
{
	const char *cases = getenv("ADJUDGE_TEST_CASES"), *way = getenv("ADJUDGE_TEST_WAY");
	FILE *log = fopen(getenv("ADJUDGE_TEST_LOG"), "a");
	struct engine *engine = engine_open(getenv("ADJUDGE_TEST_ENGINE"), NULL);
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	struct arena a;

	arena_init(&a, (size_t)1 << 29);
	printf("{\"adjudge.engine\":1,\"name\":\"x\",\"requests\":[[\"vjp\"],[\"vjp\",\"vjp\"]],\"timeout_ms\":3000,"
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

bool several_serves(int argc, char **argv, int *code)
{
	if (argc == 2 && !strcmp(argv[1], "engine"))
		*code = serve();
	else if (argc == 4 && !strcmp(argv[1], "worker"))
		*code = engine_worker_exec(argv[3]);
	else
		return false;
	return true;
}

/* ---- the test that starts it ---- */

static char log_path[] = "/tmp/adjudge-test-several-XXXXXX";

bool several_begin(void)
{
	const int file = mkstemp(log_path);

	if (file < 0)
		return false;
	close(file);
	setenv("ADJUDGE_TEST_LOG", log_path, 1);
	return true;
}

void several_end(void) { unlink(log_path); }

const char *several_spec(const char *engine, const char *cases, const char *way, struct arena *a)
{
	char path[4096];
	const ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);

	path[len > 0 ? len : 0] = '\0';
	setenv("ADJUDGE_TEST_ENGINE", engine, 1);
	setenv("ADJUDGE_TEST_CASES", cases, 1);
	setenv("ADJUDGE_TEST_WAY", way, 1);
	return arena_printf(a, "proc:exec '%s' engine", path);
}

void several_forget(void) { CHECK(!truncate(log_path, 0), "%s", log_path); }

struct several_log several_read(void)
{
	struct several_log out = {0, 0};
	FILE *f = fopen(log_path, "r");
	int n;

	while (f && fscanf(f, "%d", &n) == 1) {
		out.requests++;
		out.cases += n;
	}
	if (f)
		fclose(f);
	return out;
}

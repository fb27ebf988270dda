/*
 * The worker from both sides. This executable is its own worker: started as `worker --engine test-...` it misbehaves
 * as the spec says (misbehave.c), with any other engine it is the real thing.
 */
#include "engines/instance.h"
#include "engines/process/wire.h"
#include "engines/process/worker.h"
#include "tests/check.h"
#include "misbehave.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_MS = 300, BIG = 60000 };

/* The same over a vector whose text is more than a socket holds. */
static struct testcase big_case(struct arena *a)
{
	struct type vector = {DTYPE_F64, {1, {BIG}}};
	struct testcase c = {0};
	struct builder b = {0};
	int x, y;

	build_begin(&b, a);
	x = build_input(&b, &vector);
	y = build_node(&b, OP_SIN, &x, 1, NULL, NULL);
	c.program = build_end(&b, &y, 1);
	c.n_point = 1;
	c.point = NEW(a, struct tensor *, 1);
	c.point[0] = NEW(a, struct tensor, 1);
	c.point[0][0] = tensor_new(a, &vector);
	for (int i = 0; i < BIG; i++)
		c.point[0][0].at[i].f = 0.1 * i + 1e-9;
	return c;
}

static void check_right_answer(const struct answer *out)
{
	static const double reals[5] = {NAN, -INFINITY, -0.0, 0x1p-1074, 3.0};

	CHECK(out->n_primal == 4 && out->n_derivative == 0 && out->input_modified, "%d %d", out->n_primal,
	    out->n_derivative);
	if (out->n_primal != 4)
		return;
	for (int i = 0; i < 5; i++)
		CHECK(bits_of(out->primal[0].at[i].f) == bits_of(reals[i]) ||
		        (isnan(reals[i]) && isnan(out->primal[0].at[i].f)),
		    "element %d: %a", i, out->primal[0].at[i].f);
	CHECK(out->primal[1].at[0].i == INT64_MIN && out->primal[1].at[1].i == 3, "integers");
	CHECK(out->primal[2].at[0].i == 1 && out->primal[3].type.shape.rank == 2, "bool, empty");
}

static void test_rows(struct arena *a)
{
	static const struct {
		const char *spec;
		enum answer_status status;
		const char *text; /* part of it */
		int starts;       /* processes after two cases */
	} rows[] = {
	    {"test-right", ANSWER_OK, "", 1},
	    {"test-nested", ANSWER_OK, "", 1},
	    {"test-after", ANSWER_OK, "", 2},
	    {"test-unsupported", ANSWER_UNSUPPORTED, "no \"op\"", 1},
	    {"test-error", ANSWER_FAILURE, "cannot read it", 1},
	    {"test-segv", ANSWER_CRASH, "SIGSEGV", 2},
	    {"test-abort", ANSWER_CRASH, "SIGABRT", 2},
	    {"test-kill", ANSWER_CRASH, "SIGKILL", 2},
	    {"test-exit", ANSWER_CRASH, "exit code 7", 2},
	    {"test-exit-0", ANSWER_CRASH, "exit code 0", 2},
	    {"test-orphan", ANSWER_CRASH, "exit code 3", 2},
	    {"test-eats", ANSWER_OOM, "more memory", 2},
	    {"test-hang", ANSWER_HANG, "300 ms", 2},
	    {"test-drip", ANSWER_HANG, "300 ms", 2},
	    {"test-close", ANSWER_PROTOCOL, "closed its output", 2},
	    {"test-garbage", ANSWER_PROTOCOL, "; the engine wrote \"", 2},
	    {"test-empty", ANSWER_PROTOCOL, "", 2},
	    {"test-id", ANSWER_PROTOCOL, "request", 2},
	    {"test-two", ANSWER_PROTOCOL, "more than one line", 2},
	    {"test-count", ANSWER_PROTOCOL, "0 answers for 1 points", 2},
	    {"test-key", ANSWER_PROTOCOL, "more", 2},
	    {"test-short", ANSWER_PROTOCOL, "1 elements", 2},
	    {"test-range", ANSWER_PROTOCOL, "i32", 2},
	    {"test-long", ANSWER_PROTOCOL, "too long", 2},
	    {"test-mute", ANSWER_FAILURE, "exit code 5", 2},
	    {"test-refuses", ANSWER_FAILURE, "no such engine", 2},
	    {"test-stranger", ANSWER_FAILURE, "another engine", 2},
	    {"test-usage", ANSWER_FAILURE, "", 2},
	};
	struct testcase c = small_case(a);

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		if (!row_wanted("%s", rows[k].spec))
			continue;
		void *w = worker_open(rows[k].spec);
		bool once = rows[k].starts == 1 &&
		    rows[k].status != ANSWER_OK; /* these know the id of the first case only */

		if (!strcmp(rows[k].spec, "test-hang") || !strcmp(rows[k].spec, "test-drip") ||
		    !strcmp(rows[k].spec, "test-orphan"))
			worker_set_timeout(w, SHORT_MS);
		if (!strcmp(rows[k].spec, "test-eats")) {
			worker_set_memory(w, 64 << 20);
			worker_set_timeout(w, 60000); /* it has to come to eat, on any machine */
		}
		for (int round = 0; round < 2; round++) {
			struct answer out = {.text = ""};

			if ((once || !strcmp(rows[k].spec, "test-nested")) && round)
				break;
			worker_answer(w, &c, 1, a, &(struct answer *){&out});
			CHECK(out.status == rows[k].status, "%s, round %d: status %d, '%s'", rows[k].spec, round,
			    (int)out.status, out.text);
			CHECK(strstr(out.text, rows[k].text), "%s, round %d: '%s'", rows[k].spec, round, out.text);
			if (rows[k].status == ANSWER_OK && out.status == ANSWER_OK)
				check_right_answer(&out);
			if (!strcmp(rows[k].spec, "test-after"))
				usleep(20000);
		}
		CHECK(worker_starts(w) == rows[k].starts, "%s: %d starts", rows[k].spec, worker_starts(w));
		worker_close(w);
	}
}

/* Its memory is looked at over requests that are each too short for that. */
static void test_gobbles(struct arena *a)
{
	struct testcase c = small_case(a);
	struct answer out = {.text = ""};
	void *w = worker_open("test-gobbles");

	worker_set_memory(w, 200 << 20);
	worker_set_timeout(w, 60000);
	for (int k = 0; k < 50 && out.status == ANSWER_OK; k++)
		worker_answer(w, &c, 1, a, &(struct answer *){&out});
	CHECK(out.status == ANSWER_OOM && strstr(out.text, "more memory"), "status %d '%s'", (int)out.status, out.text);
	worker_close(w);
}

/* Every second case kills it; the others are answered. */
static void test_restart(struct arena *a)
{
	struct testcase c = small_case(a);
	void *w = worker_open("test-second");

	for (int k = 0; k < 20; k++) {
		struct answer out = {.text = ""};

		worker_answer(w, &c, 1, a, &(struct answer *){&out});
		CHECK(out.status == (k % 2 ? ANSWER_CRASH : ANSWER_OK), "case %d: status %d '%s'", k, (int)out.status,
		    out.text);
		CHECK(k % 2 == 0 || !strcmp(out.text, "SIGFPE"), "case %d: '%s'", k, out.text);
	}
	CHECK(worker_starts(w) == 10, "%d starts", worker_starts(w));
	worker_close(w);
}

/* After some failed starts it is not tried again, and every point gets the answer. */
static void test_down(struct arena *a)
{
	struct testcase c = small_case(a);
	struct answer out[3];
	void *w = worker_open("test-mute");

	c.n_point = 3;
	c.point = NEW(a, struct tensor *, 3);
	for (int k = 0; k < 3; k++)
		c.point[k] = small_case(a).point[0];
	for (int k = 0; k < 6; k++) {
		memset(out, 0, sizeof(out));
		worker_answer(w, &c, 1, a, &(struct answer *){out});
		for (int i = 0; i < 3; i++)
			CHECK(out[i].status == ANSWER_FAILURE && *out[i].text, "case %d point %d", k, i);
	}
	CHECK(worker_starts(w) == WORKER_START_FAILURES, "%d starts", worker_starts(w));
	worker_close(w);

	setenv("ADJUDGE_WORKER", "/nonexistent/adjudge", 1);
	w = worker_open("forward");
	worker_answer(w, &c, 1, a, &(struct answer *){out});
	CHECK(out[0].status == ANSWER_FAILURE && strstr(out[0].text, "No such file"), "'%s'", out[0].text);
	worker_close(w);
	unsetenv("ADJUDGE_WORKER");
	worker_close(NULL);
}

/* What a worker leaves behind dies with it: nobody holds the inherited end of the pipe any more. */
static void test_group(struct arena *a)
{
	struct testcase c = small_case(a);
	struct answer out = {.text = ""};
	int held[2];
	struct pollfd p = {.events = POLLIN};
	void *w = worker_open("test-orphan");

	if (pipe(held) != 0)
		return;
	worker_set_timeout(w, SHORT_MS);
	worker_answer(w, &c, 1, a, &(struct answer *){&out});
	close(held[1]);
	p.fd = held[0];
	CHECK(poll(&p, 1, 2000) == 1 && p.revents & POLLHUP, "an orphan is alive");
	close(held[0]);
	worker_close(w);
}

/* Requests and answers larger than a socket, at the same time; SIGPIPE, which would end this test, is never raised. */
static void test_big(struct arena *a)
{
	static const struct {
		const char *spec;
		enum answer_status status;
	} rows[] = {{"test-early", ANSWER_PROTOCOL}, {"test-segv", ANSWER_CRASH}, {"test-close", ANSWER_PROTOCOL},
	    {"test-deaf", ANSWER_CRASH}, {"forward", ANSWER_OK}};
	struct testcase c = big_case(a);

	signal(SIGPIPE, SIG_DFL);
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		if (!row_wanted("big: %s", rows[k].spec))
			continue;
		struct answer out = {.text = ""};
		void *w = worker_open(rows[k].spec);

		worker_answer(w, &c, 1, a, &(struct answer *){&out});
		CHECK(out.status == rows[k].status, "%s: status %d '%s'", rows[k].spec, (int)out.status, out.text);
		if (out.status == ANSWER_OK)
			CHECK(out.n_primal == 1 &&
			        fabs(out.primal[0].at[BIG - 1].f - sin(c.point[0][0].at[BIG - 1].f)) < 1e-15,
			    "the last element");
		worker_close(w);
	}
}

/* A real engine answers through the wire what it answers here, bit for bit. */
static void test_real(struct arena *a)
{
	static const char *const specs[] = {"forward", "tape", "functional"};
	struct testcase c = small_case(a);

	for (size_t k = 0; k < sizeof(specs) / sizeof(specs[0]); k++) {
		if (!row_wanted("real: %s", specs[k]))
			continue;
		struct error e = {.text = ""};
		struct answer here = {.text = ""}, there = {.text = ""};
		struct engine *engine = engine_open_here(specs[k], &e);
		void *w = worker_open(specs[k]);

		CHECK(engine != NULL, "%s: %s", specs[k], e.text);
		if (!engine)
			continue;
		engine_answer(engine, &c, a, &here);
		worker_answer(w, &c, 1, a, &(struct answer *){&there});
		CHECK(here.status == there.status, "%s: %d here, %d there (%s)", specs[k], (int)here.status,
		    (int)there.status, there.text);
		CHECK(
		    here.n_primal == there.n_primal && here.n_derivative == there.n_derivative, "%s: counts", specs[k]);
		for (int i = 0; i < here.n_primal && i < there.n_primal; i++)
			CHECK(tensor_same(&here.primal[i], &there.primal[i]), "%s: primal %d", specs[k], i);
		worker_close(w);
		engine_close(engine);
	}
}

/* The only child of `pid`, or 0. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	long child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%ld", &child) != 1)
		child = 0;
	fclose(f);
	return (pid_t)child;
}

static bool is_running(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(f);
	return state != 'Z' && state != 'X';
}

/* A supervisor that is killed takes its worker along. */
static void test_parent_dies(struct arena *a)
{
	int ready[2];
	char byte;
	pid_t pid, child;
	bool running = true;

	if (pipe(ready) != 0)
		return;
	pid = fork();
	if (pid == 0) {
		struct testcase c = small_case(a);
		struct answer out;

		worker_answer(worker_open("forward"), &c, 1, a, &(struct answer *){&out});
		byte = out.status == ANSWER_OK;
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		say_nothing_for_ever();
	}
	CHECK(read(ready[0], &byte, 1) == 1 && byte == 1, "no answer");
	child = child_of(pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	if (!child)
		return; /* a kernel without the children file */
	for (int k = 0; k < 200 && running; k++) {
		running = is_running(child);
		usleep(5000);
	}
	CHECK(!running, "the worker outlives its parent");
}

/* For people: what a round trip costs.  Asserts nothing. */
static void show_cost(struct arena *a)
{
	struct testcase c = small_case(a);
	void *w = worker_open("forward");
	struct timespec start, end;
	enum { CASES = 2000 };

	for (int k = 0; k <= CASES; k++) {
		struct arena_mark mark = arena_mark(a);
		struct answer out;

		worker_answer(w, &c, 1, a, &(struct answer *){&out});
		arena_rewind(a, mark);
		if (k == 0)
			clock_gettime(CLOCK_MONOTONIC, &start);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.1f us a case\n",
	    (1e6 * (double)(end.tv_sec - start.tv_sec) + 1e-3 * (double)(end.tv_nsec - start.tv_nsec)) / CASES);
	worker_close(w);
}

/* The protocol cannot carry numbers with one bit more than their dtype, so such an engine is refused at once. */
static void test_rounding(void)
{
	static const char *const specs[] = {
	    "tape:rounding=1+clad-tape-imbalance", "tape:flushing=1+clad-tape-imbalance"};

	for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
		struct error e = {.text = ""};
		struct engine *engine = engine_open(specs[k], &e);

		CHECK(!engine && strstr(e.text, "one bit more"), "%s: %s", specs[k], e.text);
		if (engine)
			engine_close(engine);
	}
	struct error e = {.text = ""};
	struct engine *engine = engine_open("tape:rounding=1", &e);

	CHECK(engine && !engine_crosses_wire(engine, &e), "tape:rounding=1 speaks the protocol");
	if (engine)
		engine_close(engine);
}

int main(int argc, char **argv)
{
	struct arena a;

	if (argc == 4 && !strcmp(argv[1], "worker"))
		return strncmp(argv[3], "test-", 5) ? engine_worker(argv[3]) : misbehave(argv[3]);
	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	test_rows(&a);
	CHECK_LAW(test_gobbles(&a));
	CHECK_LAW(test_restart(&a));
	CHECK_LAW(test_down(&a));
	CHECK_LAW(test_group(&a));
	test_big(&a);
	test_real(&a);
	CHECK_LAW(test_rounding());
	CHECK_LAW(test_parent_dies(&a));
	show_cost(&a);
	arena_free(&a);
	return check_done();
}

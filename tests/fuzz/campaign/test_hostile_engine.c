/*
 * Engines that misbehave, under whole campaigns.  This executable is such an engine when it is started with `engine
 * BEHAVIOUR FILE`: it answers by tape, rightly, but at one request in ONE_IN it does what the behaviour says.  A
 * campaign has to end, to report nothing but the misbehaviour, and to leave no process behind.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/instance.h"
#include "engines/process/wire.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/drivers/drivers.h"
#include "fuzz/cli/options.h"
#include "graph/json.h"
#include "tests/check.h"

enum { CASES = 14, ONE_IN = 4, SPEC = 8192, HANG_MS = 100, MEMORY_KIB = 200 << 10 };

#if defined(__SANITIZE_ADDRESS__)
#define WITH_SHADOW 1 /* a sanitizer's memory is no measure */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define WITH_SHADOW 1
#endif
#endif
#ifndef WITH_SHADOW
#define WITH_SHADOW 0
#endif

/* ---- the engine ---- */

struct engine_side {
	struct arena arena;
	long id;
	char *right; /* the line that answers */
	bool sour;
};

static void say(const char *text)
{
	fputs(text, stdout);
	fflush(stdout);
}

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

/* clang-format off */
static void die(struct engine_side *e) { (void)e; raise(SIGKILL); }
static void leave(struct engine_side *e) { (void)e; fputs("no more\n", stderr); _exit(3); }
static void hang(struct engine_side *e) { (void)e; wait_for_ever(); }
/* clang-format on */

static void hang_stubbornly(struct engine_side *e)
{
	(void)e;
	for (int k = 1; k < 32; k++)
		signal(k, SIG_IGN);
	wait_for_ever();
}

static void flood(struct engine_side *e)
{
	static char much[1 << 20];

	(void)e;
	memset(much, '{', sizeof much);
	for (;;)
		if (fwrite(much, 1, sizeof much, stdout) < sizeof much)
			_exit(1);
}

static void flood_errors(struct engine_side *e)
{
	for (int k = 0; k < 4000; k++)
		fprintf(stderr, "warning number %d of a great many\n", k);
	say(e->right);
}

static void break_off(struct engine_side *e)
{
	printf("%.20s", e->right);
	fflush(stdout);
	_exit(0);
}
static void stop_halfway(struct engine_side *e)
{
	printf("%.20s", e->right);
	fflush(stdout);
	wait_for_ever();
}
static void lie_about_id(struct engine_side *e)
{
	printf("{\"id\":%ld%s", e->id + 1, strchr(e->right, ','));
	fflush(stdout);
}
static void answer_twice(struct engine_side *e)
{
	say(e->right);
	say(e->right);
}

/* The same answer once more, when the next request may be under way. */
static void answer_late(struct engine_side *e)
{
	say(e->right);
	usleep(2000);
	say(e->right);
}

/* clang-format off */
static void close_output(struct engine_side *e) { (void)e; fclose(stdout); close(0); wait_for_ever(); }
static void say_garbage(struct engine_side *e) { (void)e; say("\001\377 not json\n"); }
static void say_nothing(struct engine_side *e) { (void)e; say("\n"); }
static void say_wrong_count(struct engine_side *e) { printf("{\"id\":%ld,\"answers\":[]}\n", e->id); fflush(stdout); }
/* clang-format on */

static void say_no_number(struct engine_side *e)
{
	printf("{\"id\":%ld,\"answers\":[[{\"status\":\"ok\",\"primal\":[{\"type\":\"f64[]\",\"data\":[\"0x1zp\"]}"
	       "],\"derivative\":[]}]]}\n",
	    e->id);
	fflush(stdout);
}

static void say_deep(struct engine_side *e)
{
	printf("{\"id\":%ld,\"answers\":", e->id);
	for (int k = 0; k < 100000; k++)
		putchar('[');
	say("\n");
}

/* What it starts holds its output open, in a session of its own. */
static void fork_and_die(struct engine_side *e)
{
	(void)e;
	if (fork() == 0) {
		setsid();
		wait_for_ever();
	}
	raise(SIGKILL);
}

static void fork_and_answer(struct engine_side *e)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			hang_stubbornly(e);
		_exit(0);
	}
	say(e->right);
}

/* The process that would have ended it. */
static void kill_keeper(struct engine_side *e)
{
	(void)e;
	kill(getppid(), SIGKILL);
	wait_for_ever();
}

/* From then on all its answers are wrong: the sign of every number. */
static void turn_sour(struct engine_side *e)
{
	say(e->right);
	e->sour = true;
}

/* always: at every request, not at some.  A death by SIGKILL at some is solid only if it comes again every time. */
static const struct behaviour {
	const char *name;
	void (*act)(struct engine_side *e);
	bool always;
	const char *verdict; /* that findings may have; "": there are none */
	int code;            /* of the campaign; -1: by chance */
	const char *failure; /* part of why it failed */
} behaviours[] = {
    {"right", NULL, false, "", EXIT_NO_FINDING, ""},
    {"dies", die, false, "crash", EXIT_FLAKY, ""},
    {"leaves", leave, false, "crash", EXIT_FINDING, ""},
    {"hangs", hang, false, "hang", -1, ""},
    {"hangs-stubbornly", hang_stubbornly, false, "hang", -1, ""},
    {"floods", flood, false, "protocol", EXIT_FINDING, ""},
    {"floods-errors", flood_errors, false, "", EXIT_NO_FINDING, ""},
    {"breaks-off", break_off, false, "crash", EXIT_FINDING, ""},
    {"stops-halfway", stop_halfway, false, "hang", -1, ""},
    {"lies-about-id", lie_about_id, false, "protocol", EXIT_FINDING, ""},
    {"answers-twice", answer_twice, false, "protocol", -1, ""},
    {"answers-late", answer_late, true, "protocol", -1, ""},
    {"closes-output", close_output, false, "protocol", EXIT_FINDING, ""},
    {"garbage", say_garbage, false, "protocol", EXIT_FINDING, ""},
    {"empty-line", say_nothing, false, "protocol", EXIT_FINDING, ""},
    {"wrong-count", say_wrong_count, false, "protocol", EXIT_FINDING, ""},
    {"no-number", say_no_number, false, "protocol", EXIT_FINDING, ""},
    {"deep", say_deep, false, "protocol", EXIT_FINDING, ""},
    {"forks-and-dies", fork_and_die, false, "crash", EXIT_FLAKY, ""},
    {"forks-and-answers", fork_and_answer, false, "", EXIT_NO_FINDING, ""},
    {"kills-its-keeper", kill_keeper, false, "crash", EXIT_FLAKY, ""},
    {"turns-sour", turn_sour, true, "wrong", EXIT_FLAKY, ""},
    /* these die as `dies` does, and then: */
    {"another-hello", die, false, "crash", EXIT_OURS, "differs from its first one"},
    {"no-second-start", die, false, "crash", EXIT_OURS, "exit code 5"},
    {"bad-second-start", die, false, "crash", EXIT_FLAKY, ""},
    {"huge-second-hello", die, false, "crash", EXIT_OURS, "the limit is"},
};
enum { BEHAVIOURS = sizeof behaviours / sizeof *behaviours };

/* How many processes of this engine were started before: a byte each in the file. */
static long starts_before(const char *path)
{
	struct stat s = {0};
	FILE *f = fopen(path, "a");

	if (!f)
		return 0;
	fstat(fileno(f), &s);
	fputc('.', f);
	fclose(f);
	return (long)s.st_size;
}

static void say_hello(const struct behaviour *b, long starts)
{
	const char *name = b->name;

	if (starts && !strcmp(name, "no-second-start"))
		_exit(5);
	if (starts == 1 && !strcmp(name, "bad-second-start"))
		_exit(5);
	printf("{\"adjudge.engine\":1,\"name\":\"%s\",\"requests\":[[\"vjp\"]]", name);
	if (b->act == hang || b->act == hang_stubbornly || b->act == stop_halfway)
		printf(",\"timeout_ms\":%d", HANG_MS);
	if (starts && !strcmp(name, "another-hello"))
		printf(",\"version\":\"%ld\"", starts);
	if (starts && !strcmp(name, "huge-second-hello")) {
		printf(",\"more\":[");
		for (int k = 0; k < 1000000; k++)
			printf("0,");
		printf("0]");
	}
	say("}\n");
}

static void negate(struct tensor *t, int n)
{
	for (int k = 0; k < n; k++)
		for (int i = 0; dtype_is_float(t[k].type.dtype) && i < shape_elements(&t[k].type.shape); i++)
			t[k].at[i].f = -t[k].at[i].f;
}

static bool answer_line(struct engine_side *self, struct engine *tape, const char *line, size_t len)
{
	struct error e = {.text = ""};
	struct testcase *c;
	struct answer **answers;
	size_t out;
	int n;

	arena_reset(&self->arena);
	if (!wire_read_request(line, len, &self->arena, &self->id, &c, &n, &e))
		return false;
	answers = NEW(&self->arena, struct answer *, n);
	for (int k = 0; k < n; k++) {
		answers[k] = NEW(&self->arena, struct answer, c[k].n_point);
		engine_answer(tape, &c[k], &self->arena, answers[k]);
		for (int i = 0; self->sour && i < c[k].n_point; i++)
			negate(answers[k][i].derivative, answers[k][i].n_derivative);
	}
	self->right = wire_write_answers(self->id, c, answers, n, &self->arena, &out);
	self->right[out] = '\n'; /* in place of the NUL: another follows, as the arena is zeroed */
	return true;
}

static int serve(const struct behaviour *b, const char *path)
{
	struct engine_side self = {.sour = false};
	struct engine *tape = engine_open_here("tape", NULL);
	long starts = starts_before(path);
	struct choice choice = choice_seeded((uint64_t)starts);
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	arena_init(&self.arena, (size_t)1 << 29);
	say_hello(b, starts);
	while ((len = getline(&line, &room, stdin)) > 0) {
		if (!answer_line(&self, tape, line, (size_t)len - 1))
			return 7;
		if (b->act && (b->always || choice_below(&choice, ONE_IN) == 0))
			b->act(&self);
		else
			say(self.right);
	}
	return 0;
}

/* ---- the tests ---- */

static char base[] = "/tmp/adjudge-test-hostile-XXXXXX";
static const char *executable;

/* Every finding of the summary is one of that engine and has the verdict; how many there are. */
static int check_findings(const struct behaviour *b, const char *spec, const char *summary, struct arena *a)
{
	struct error e = {.text = ""};
	const struct json *root = json_read(summary, strlen(summary), a, &e),
	                  *list = root ? json_find(root, "findings") : NULL;
	const char *want = arena_printf(a, "|%s|", b->verdict); /* of the primal too, which minimizing slips to */

	CHECK(list, "%s: %s", b->name, e.text);
	for (const struct json *v = list ? list->child : NULL; v; v = v->next) {
		const struct json *signature = json_find(v, "signature");

		CHECK(*b->verdict && signature && !strncmp(signature->text, spec, strlen(spec)) &&
		        strstr(signature->text, want),
		    "%s: %s", b->name, signature ? signature->text : "");
	}
	return list ? list->n_child : 0;
}

static void check_behaviour(const struct behaviour *b, struct arena *a)
{
	char spec[SPEC], beside[SPEC];
	const char *specs[] = {spec, beside};
	struct campaign_options o = {.spec = specs,
	    .n_spec = 2,
	    .seed = 7,
	    .cases = CASES,
	    .profile_name = "default",
	    .profile = profile_default(),
	    .fd_one_in = 1000,
	    .minimize_budget = 4,
	    .driver = "generate",
	    .out = arena_printf(a, "%s/%s", base, b->name)};
	struct pollfd gone = {.events = POLLIN};
	struct campaign_end end;
	struct error e = {.text = ""};
	struct campaign *s;
	int held[2], code, findings;

	snprintf(spec, sizeof spec, "proc:exec '%s' engine %s '%s/%s.starts'", executable, b->name, base, b->name);
	snprintf(beside, sizeof beside, "proc:'%s' engine right '%s/right.starts'", executable, base);
	if (pipe(held) != 0)
		exit(1);
	s = campaign_open(&o, &e);
	CHECK(s, "%s: %s", b->name, e.text);
	if (!s)
		return;
	drive_generate(s);
	code = campaign_close(s, &end);
	CHECK(b->code < 0 ? code == EXIT_FINDING || code == EXIT_FLAKY || code == EXIT_NO_FINDING : code == b->code,
	    "%s: exit code %d: %s%s", b->name, code, end.text, end.failure);
	CHECK(*b->failure ? strstr(end.failure, b->failure) != NULL : !*end.failure, "%s: '%s'", b->name, end.failure);
	findings = check_findings(b, spec, end.summary, a);
	CHECK(b->code != EXIT_FINDING || findings, "%s: no finding", b->name);
	free(end.summary);
	free(end.text);

	/* whoever is left holds the pipe */
	close(held[1]);
	gone.fd = held[0];
	CHECK(poll(&gone, 1, 5000) == 1 && gone.revents & POLLHUP, "%s: a process is left", b->name);
	close(held[0]);
}

int main(int argc, char **argv)
{
	char path[4096];
	struct rusage usage;
	struct arena a;
	ssize_t len;

	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker_exec(argv[3]);
	for (int k = 0; argc == 4 && !strcmp(argv[1], "engine") && k < BEHAVIOURS; k++)
		if (!strcmp(behaviours[k].name, argv[2]))
			return serve(&behaviours[k], argv[3]);
	check_begin(argc, argv);
	len = readlink("/proc/self/exe", path, sizeof path - 1);
	path[len > 0 ? len : 0] = '\0';
	executable = path;
	if (!mkdtemp(base))
		return 1;
	arena_init(&a, (size_t)1 << 30);
	for (int k = 0; k < BEHAVIOURS; k++)
		if (row_wanted("%s", behaviours[k].name))
			check_behaviour(&behaviours[k], &a);
	getrusage(RUSAGE_SELF, &usage);
	snprintf(path, sizeof path, "rm -rf '%s'", base);
	CHECK(system(path) == 0, "%s stays", base);
	CHECK(usage.ru_maxrss < MEMORY_KIB || WITH_SHADOW, "%ld KiB", usage.ru_maxrss);
	arena_free(&a);
	return check_done();
}

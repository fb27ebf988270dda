/*
 * hostile.c: an engine that misbehaves as its mode says.  Built as a program it is `hostile MODE`, a proc: engine;
 * built with HOSTILE_OBJECT it is a shared object, whose mode is in the environment variable ADJUDGE_TEST_BEHAVIOUR.
 *
 * It answers one case only, x * x with vjp at 1.5 (square.json), and rightly wherever the mode leaves it a chance.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB = 1 << 20, FORKS = 600, SHORT_MS = 400, LONG_MS = 60000 };

static const char *mode = "";

static int is(const char *name) { return !strcmp(mode, name); }

/* Modes that must come to eat, to fork, and to write 20,000 lines, on any machine. */
static int slow(void)
{
	return is("eat") || is("eat-child") || is("eat-some") || is("breed") || is("errors") || is("errors-die");
}

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

/* A child that does not end by itself, in a session of its own. */
static void leave_child(int deaf)
{
	if (fork())
		return;
	setsid();
	for (int k = 1; deaf && k < 32; k++)
		signal(k, SIG_IGN);
	if (deaf && fork())
		_exit(0);
	wait_for_ever();
}

static void eat(size_t mib)
{
	for (size_t k = 0; k < mib; k++) {
		volatile char *p = malloc(MIB);

		for (int i = 0; p && i < MIB; i += 4096)
			p[i] = 1;
	}
}

static int recurse(volatile char *above)
{
	volatile char frame[4096];

	frame[0] = above ? above[0] : 1;
	return frame[0] ? recurse(frame) + frame[0] : 0;
}

static void breed(void)
{
	for (int k = 0; k < FORKS; k++)
		if (fork() == 0)
			wait_for_ever();
}

static void leave_handler(void) { wait_for_ever(); }

static void die_by(int number)
{
	signal(number, SIG_DFL);
	raise(number);
	wait_for_ever();
}

/* What any engine may do before it answers.  Returns if the mode is none of these. */
static void misbehave(void)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"segv", SIGSEGV}, {"abort", SIGABRT}, {"fpe", SIGFPE}, {"ill", SIGILL}, {"bus", SIGBUS},
	    {"trap", SIGTRAP}, {"sys", SIGSYS}, {"kill", SIGKILL}, {"term", SIGTERM}, {"int", SIGINT}, {"hup", SIGHUP},
	    {"quit", SIGQUIT}, {"pipe", SIGPIPE}, {"alrm", SIGALRM}, {"usr1", SIGUSR1}, {"xcpu", SIGXCPU}};

	for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
		if (is(signals[k].name))
			die_by(signals[k].number);
	if (is("exit-0"))
		exit(0);
	if (is("exit-1"))
		exit(1);
	if (is("exit-77"))
		_exit(77);
	if (is("exit-handler")) {
		atexit(leave_handler);
		exit(0);
	}
	if (is("stack"))
		recurse(NULL);
	if (is("null"))
		*(volatile int *)(size_t)getppid() = 1;
	if (is("sleep"))
		wait_for_ever();
	if (is("loop"))
		for (volatile unsigned k = 0;; k++)
			;
	if (is("stop"))
		raise(SIGSTOP);
	if (is("deaf")) {
		for (int k = 1; k < 32; k++)
			signal(k, SIG_IGN);
		wait_for_ever();
	}
	if (is("deaf-blocked")) {
		sigset_t all;

		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		wait_for_ever();
	}
	if (is("fork-sleep")) {
		leave_child(0);
		wait_for_ever();
	}
	if (is("fork-die")) {
		leave_child(1);
		die_by(SIGSEGV);
	}
	if (is("fork-answer"))
		leave_child(1);
	if (is("daemon")) {
		if (fork())
			_exit(0);
		setsid();
		wait_for_ever();
	}
	if (is("eat"))
		eat(10240);
	if (is("eat-child")) {
		if (fork() == 0) {
			eat(10240);
			wait_for_ever();
		}
		wait_for_ever();
	}
	if (is("eat-some"))
		eat(20);
	if (is("breed")) {
		breed();
		wait_for_ever();
	}
	if (is("kill-parent")) {
		kill(getppid(), SIGKILL);
		wait_for_ever();
	}
	if (is("stop-parent")) {
		kill(getppid(), SIGTERM);
		wait_for_ever();
	}
	if (is("errors"))
		for (int k = 0; k < 20000; k++)
			fprintf(stderr, "::error::\033[31m warning number %d of a great many\n", k);
	if (is("errors-die")) {
		fprintf(stderr, "\n::add-mask::secret\n::error file=x::\033]0;title\007 oh\n");
		die_by(SIGABRT);
	}
	if (is("print"))
		printf("::error::a line of the engine's own\n"), fflush(stdout);
	if (is("locale"))
		setlocale(LC_ALL, "de_DE.UTF-8");
	if (is("cwd") && chdir("/") == 0)
		umask(0777);
	if (is("rlimits"))
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){4, 4});
	if (is("dumpable"))
		prctl(PR_SET_PDEATHSIG, 0);
	if (is("signals"))
		for (int k = 1; k < 32; k++)
			signal(k, SIG_IGN);
	if (is("descriptors"))
		for (int k = 2; k < 64; k++)
			close(k);
	if (is("round-up"))
		fesetround(FE_UPWARD);
#ifdef __SSE__
	if (is("flush"))
		__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
}

#ifdef HOSTILE_OBJECT
/* ---- the shared object ---- */

#include "engines/adjudge_engine.h"

/* Writes where it must not. */
static void write_f(uintptr_t at) { ((union adjudge_number *)at)->f = 77; }

static enum adjudge_status prepare(const struct adjudge_case *c, void **state, char text[ADJUDGE_TEXT])
{
	(void)c, (void)text;
	if (is("wild-state"))
		*state = (void *)1;
	return ADJUDGE_OK;
}

static enum adjudge_status answer(
    void *state, const struct adjudge_case *c, int32_t point, struct adjudge_answer *out, char text[ADJUDGE_TEXT])
{
	double x = c->point[point][0][0].f;
	static jmp_buf nowhere;

	(void)state;
	misbehave();
	if (is("longjmp"))
		longjmp(nowhere, 1);
	if (is("error")) {
		snprintf(text, ADJUDGE_TEXT, "\n::error::\033[1m oh");
		return ADJUDGE_ERROR;
	}
	if (is("status"))
		return (enum adjudge_status)99;
	out->primal[0][0].f = is("wrong-primal") ? 0 : x * x;
	if (!is("unwritten"))
		out->derivative[0][0].f = is("nan") ? (double)__builtin_nanf("") : is("wrong") ? -2 * x : 2 * x;
	if (is("overrun"))
		out->derivative[0][1].f = 0;
	if (is("write-input"))
		write_f((uintptr_t)c->point[point][0]);
	if (is("write-seed"))
		write_f((uintptr_t)c->level[0].seed[0]);
	if (is("write-case"))
		write_f((uintptr_t)c->node);
	return ADJUDGE_OK;
}

static void release(void *state)
{
	if (is("release"))
		die_by(SIGSEGV);
	(void)state;
}

const struct adjudge_engine *adjudge_engine_1(void)
{
	static const char *const ops[] = {"mul", NULL};
	static const struct adjudge_engine
	    engine = {ADJUDGE_ENGINE_VERSION, "{\"name\": \"hostile\", \"requests\": [[\"vjp\"]], \"timeout_ms\": 400}",
	        ops, prepare, answer, release},
	    patient = {ADJUDGE_ENGINE_VERSION,
	        "{\"name\": \"hostile\", \"requests\": [[\"vjp\"]], \"timeout_ms\": 60000}", ops, prepare, answer,
	        release};

	mode = getenv("ADJUDGE_TEST_BEHAVIOUR");
	mode = mode ? mode : "";
	return is("no-engine") ? NULL : slow() ? &patient : &engine;
}
#else
/* ---- the program ---- */

static void say(const char *text)
{
	fputs(text, stdout);
	fflush(stdout);
}

static void noise(long mib, int newline)
{
	static char much[MIB];

	memset(much, 'x', sizeof much);
	for (long k = 0; k < mib; k++)
		if (fwrite(much, 1, sizeof much, stdout) < sizeof much)
			_exit(1);
	say(newline ? "\n" : "");
}

#define OK(primal, derivative) \
	"\"answers\":[[{\"status\":\"ok\",\"primal\":[" primal "],\"derivative\":[" derivative "]}]]}\n"
#define F64(data) "{\"type\":\"f64[]\",\"data\":" data "}"

/* Modes that differ in the text of the answer, behind {"id":ID, */
static const struct {
	const char *name, *text;
} texts[] = {
    {"nan-text", OK(F64("[\"nonsense\"]"), F64("[\"0x1.8p+1\"]"))},
    {"nan-bare", OK(F64("[NaN]"), F64("[3]"))},
    {"nan", OK(F64("[2.25]"), F64("[\"nan\"]"))},
    {"huge", OK(F64("[1e999]"), F64("[3]"))},
    {"huge-wrong", OK(F64("[2.25]"), F64("[1e308]"))},
    {"long-number", OK(F64("[2.25]"), F64("[3.0000000000000000000000000000000000000000000000000000000000001]"))},
    {"wrong", OK(F64("[2.25]"), F64("[-3]"))},
    {"wrong-primal", OK(F64("[0]"), F64("[3]"))},
    {"shape", OK(F64("[2.25]"), "{\"type\":\"f64[1]\",\"data\":[3]}")},
    {"short-data", OK(F64("[2.25]"), "{\"type\":\"f64[3]\",\"data\":[3]}")},
    {"dtype", OK(F64("[2.25]"), "{\"type\":\"f32[]\",\"data\":[3]}")},
    {"no-type", OK(F64("[2.25]"), "{\"type\":\"f99[]\",\"data\":[3]}")},
    {"extents", OK(F64("[2.25]"), "{\"type\":\"f64[2147483647,2147483647,9]\",\"data\":[3]}")},
    {"none", OK(F64("[2.25]"), "")},
    {"too-many", OK(F64("[2.25]") "," F64("[2.25]"), F64("[3]"))},
    {"modified",
        "\"answers\":[[{\"status\":\"ok\",\"primal\":[" F64("[2.25]") "],\"derivative\":[" F64(
            "[3]") "],"
                   "\"input_modified\":true}]]}\n"},
    {"two-cases", "\"answers\":[[],[]]}\n"},
    {"status", "\"answers\":[[{\"status\":\"perfect\"}]]}\n"},
    {"error", "\"answers\":[[{\"status\":\"error\",\"text\":\"\\n::error::\\u001b[1m oh\"}]]}\n"},
    {"keys", "\"answers\":[[{\"status\":\"unsupported\",\"text\":\"\",\"text\":\"\",\"more\":1}]]}\n"},
    {"twice-id", "\"id\":1,\"answers\":[]}\n"},
    {"cut", "\"answers\":[[{\"status\":\"ok\"\n"},
};
static const char right[] = OK(F64("[2.25]"), F64("[3]"));

static void answer_line(long id)
{
	const char *text = right;

	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
		if (is(texts[k].name))
			text = texts[k].text;
	if (is("noise"))
		noise(1024, 0);
	if (is("garbage"))
		say("\001\377\033[2J::error::not json\n");
	if (is("deep"))
		for (int k = 0; k < 200000; k++)
			putchar('[');
	if (is("half")) {
		printf("{\"id\":%ld,%.9s", id, text);
		say("");
		wait_for_ever();
	}
	if (is("half-exit")) {
		printf("{\"id\":%ld,%.9s", id, text);
		exit(0);
	}
	if (is("close-output")) {
		close(0);
		close(1);
		wait_for_ever();
	}
	printf("{\"id\":%ld,%s", is("other-id") ? id + 1 : is("negative-id") ? -id : id, text);
	if (is("twice"))
		printf("{\"id\":%ld,%s", id, text);
	say("");
}

int main(int argc, char **argv)
{
	char *line = NULL, *at;
	size_t room = 0;

	mode = argc > 1 ? argv[1] : "";
	if (is("hello-exit"))
		return 3;
	if (is("hello-segv"))
		die_by(SIGSEGV);
	if (is("hello-sleep"))
		wait_for_ever();
	if (is("hello-noise"))
		noise(1024, 0);
	if (is("hello-garbage"))
		say("::error::hello\n");
	if (is("hello-error"))
		say("{\"error\":\"\\n::error::\\u001b no\"}\n");
	printf("{\"adjudge.engine\":1,\"name\":\"hostile\",\"requests\":[[\"vjp\"]],\"timeout_ms\":%d}\n",
	    slow() ? LONG_MS : SHORT_MS);
	say("");
	if (is("late-exit"))
		return 0;
	if (is("unread"))
		wait_for_ever();
	while (getline(&line, &room, stdin) > 0) {
		at = strstr(line, "\"id\":");
		misbehave();
		answer_line(at ? strtol(at + 5, NULL, 10) : 0);
	}
	return 0;
}
#endif

/* misbehave.c: a worker that does what no engine may do, as its spec says. */
#include "misbehave.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/process/hello.h"
#include "engines/process/worker.h"
#include "tests/support/case_text.h"

struct testcase small_case(struct arena *a)
{
	struct type scalar = {DTYPE_F64, {0}};
	struct testcase c = {0};
	struct builder b = {0};
	int x, sum;

	build_begin(&b, a);
	x = build_input(&b, &scalar);
	sum = build_node(&b, OP_ADD, (const int[]){x, x}, 2, NULL, NULL);
	c.program = build_end(&b, &sum, 1);
	c.n_point = 1;
	c.point = NEW(a, struct tensor *, 1);
	c.point[0] = NEW(a, struct tensor, 1);
	c.point[0][0] = tensor_new(a, &scalar);
	c.point[0][0].at[0].f = 1.5;
	return c;
}

static void say(const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(1, text, len);

		if (n <= 0)
			_exit(9);
		text += n;
		len -= (size_t)n;
	}
}

static void say_line(const char *text)
{
	say(text, strlen(text));
	say("\n", 1);
}

void say_nothing_for_ever(void)
{
	for (;;)
		pause();
}

/*
 * Reads one request and forgets all but its id; exits at end of file. Nothing follows a request before it is
 * answered.
 */
static long hear_request(void)
{
	static const char start[] = "{\"id\":";
	static char chunk[1 << 16];
	char head[32] = "";
	size_t seen = 0;
	ssize_t n;

	do {
		n = read(0, chunk, sizeof(chunk));
		if (n <= 0)
			_exit(0);
		for (ssize_t k = 0; k < n && seen < sizeof(head) - 1; k++)
			head[seen++] = chunk[k];
	} while (chunk[n - 1] != '\n');
	return strncmp(head, start, strlen(start)) ? -1 : strtol(head + strlen(start), NULL, 10);
}

static const char right_answer[] =
    "'answers':[[{'status':'ok','primal':["
    "{'type':'f64[5]','data':['nan','-inf','-0x0p+0','0x0.0000000000001p-1022','0x1.8p+1']},"
    "{'type':'i64[2]','data':['-9223372036854775808',3]},{'type':'bool[]','data':[true]},"
    "{'type':'f32[0,2]','data':[]}],'derivative':[],'input_modified':true}]]";

/* ANSWERS: the member `answers`, or `error`, and what follows; ' stands for ". */
static void say_answer(long id, const char *answers)
{
	struct arena a;

	arena_init(&a, 1 << 20);
	say_line(json_text(&a, arena_printf(&a, "{'id':%ld,%s}", id, answers)));
	arena_free(&a);
}

static void say_right(long id, int count)
{
	(void)count;
	say_answer(id, right_answer);
}

static void say_hello(const char *spec)
{
	struct hello hello = hello_open_to_all(spec);
	struct arena a;
	size_t len;

	arena_init(&a, 1 << 20);
	say_line(hello_write(&hello, &a, &len));
	arena_free(&a);
}

/* ---- instead of a hello ---- */

static int exit_at_once(void) { return 5; }

static int refuse(void)
{
	say_answer(0, "'error':'no such engine'");
	return 4;
}

static int greet_as_another(void)
{
	say_hello("another");
	say_nothing_for_ever();
	return 0;
}

static int say_usage(void)
{
	say_line("usage: something else");
	return 2;
}

/* ---- after the hello ---- */

/* More than a socket holds, before a byte is read: neither side may wait for the other for ever. */
static void flood_early(void)
{
	static char flood[1 << 22];

	usleep(30000);
	memset(flood, 'x', sizeof(flood));
	flood[sizeof(flood) - 1] = '\n';
	say(flood, sizeof(flood));
}

/* Dies with most of a big case unread: the supervisor writes into a closed socket. */
static void die_reading(void)
{
	char byte;

	_exit(read(0, &byte, 1) == 1 ? 6 : 9);
}

/* ---- to each request; the count begins with 1 ---- */

static void call_abort(long id, int count)
{
	(void)id, (void)count;
	abort();
}

static void hang(long id, int count)
{
	(void)id, (void)count;
	say_nothing_for_ever();
}

static void drip(long id, int count)
{
	(void)id, (void)count;
	for (;;) {
		say("{", 1);
		usleep(10000);
	}
}

/* Memory that is in use; a compiler must not know that nobody reads it. */
static void eat(size_t size)
{
	static char *volatile eaten;

	eaten = malloc(size);
	memset(eaten, 1, size);
}

/* What it starts eats, not itself. */
static void start_eater(long id, int count)
{
	if (fork() == 0)
		for (int k = 0; k < 64; k++) {
			eat(1 << 22);
			usleep(20000);
		}
	hang(id, count);
}

/* Some more at each request, and quickly answered. */
static void gobble(long id, int count)
{
	eat(20 << 20);
	usleep(30000);
	say_right(id, count);
}

static void leave_orphan(long id, int count)
{
	if (fork() == 0)
		hang(id, count);
	_exit(3);
}

static void close_pipes(long id, int count)
{
	close(0);
	close(1);
	hang(id, count);
}

static void say_garbage(long id, int count)
{
	(void)id, (void)count;
	say_line("\001\002 not json");
}

static void say_empty(long id, int count)
{
	(void)id, (void)count;
	say_line("");
}

static void say_next_id(long id, int count) { say_right(id + 1, count); }

static void say_two_lines(long id, int count)
{
	(void)id, (void)count;
	say("{}\n{}\n", 6);
}

static void say_without_end(long id, int count)
{
	static char flood[1 << 20];

	(void)id, (void)count;
	memset(flood, 'x', sizeof(flood));
	for (;;)
		say(flood, sizeof(flood));
}

/* A worker that opens workers must be refused. */
static void open_worker(long id, int count)
{
	struct arena a;
	struct testcase c;
	struct answer out;
	void *w = worker_open("test-right");

	arena_init(&a, 1 << 24);
	c = small_case(&a);
	worker_answer(w, &c, 1, &a, &(struct answer *){&out});
	if (out.status == ANSWER_FAILURE && strstr(out.text, "worker") && worker_starts(w) == 0)
		say_right(id, count);
	else
		say_line("nested worker was started");
}

static void die_second_time(long id, int count)
{
	if (count == 2)
		raise(SIGFPE);
	say_right(id, count);
}

/* Between two cases: not the next one's fault. */
static void die_afterwards(long id, int count)
{
	say_right(id, count);
	_exit(0);
}

#define PRIMAL(type, data) \
	"'answers':[[{'status':'ok','primal':[{'type':'" type "','data':[" data \
	"]}],'derivative':[],'input_modified':false}]]"

static const struct behaviour {
	const char *spec;
	int (*instead)(void); /* of greeting: gives the exit code */
	void (*start)(void);  /* once it has greeted */
	void (*request)(long id, int count);
	const char *answer; /* to each request */
	int signal;         /* dies of it at a request */
	bool exits;         /* or with this code */
	int code;
} behaviours[] = {
    {"test-mute", .instead = exit_at_once},
    {"test-refuses", .instead = refuse},
    {"test-stranger", .instead = greet_as_another},
    {"test-usage", .instead = say_usage},
    {"test-early", .start = flood_early},
    {"test-deaf", .start = die_reading},
    {"test-segv", .signal = SIGSEGV},
    {"test-abort", .request = call_abort},
    {"test-kill", .signal = SIGKILL},
    {"test-exit", .exits = true, .code = 7},
    {"test-exit-0", .exits = true, .code = 0},
    {"test-hang", .request = hang},
    {"test-drip", .request = drip},
    {"test-eats", .request = start_eater},
    {"test-gobbles", .request = gobble},
    {"test-orphan", .request = leave_orphan},
    {"test-close", .request = close_pipes},
    {"test-garbage", .request = say_garbage},
    {"test-empty", .request = say_empty},
    {"test-id", .request = say_next_id},
    {"test-two", .request = say_two_lines},
    {"test-count", .answer = "'answers':[[]]"},
    {"test-key", .answer = "'answers':[[{'status':'unsupported','text':'','more':1}]]"},
    {"test-short", .answer = PRIMAL("f64[3]", "'0x1p+0'")},
    {"test-range", .answer = PRIMAL("i32[]", "2147483648")},
    {"test-long", .request = say_without_end},
    {"test-error", .answer = "'error':'cannot read it'"},
    {"test-unsupported", .answer = "'answers':[[{'status':'unsupported','text':'no \\'op\\''}]]"},
    {"test-nested", .request = open_worker},
    {"test-second", .request = die_second_time},
    {"test-right", .request = say_right},
    {"test-after", .request = die_afterwards},
};

/* Without a row of its own a worker greets, hears every request and answers none. */
static const struct behaviour *behaviour_of(const char *spec)
{
	static const struct behaviour silent;

	for (size_t k = 0; k < sizeof behaviours / sizeof *behaviours; k++)
		if (!strcmp(behaviours[k].spec, spec))
			return &behaviours[k];
	return &silent;
}

int misbehave(const char *spec)
{
	const struct behaviour *b = behaviour_of(spec);

	if (b->instead)
		return b->instead();
	/* a sanitizer catches these and exits */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGFPE, SIG_DFL);
	say_hello(spec);
	if (b->start)
		b->start();
	for (int count = 1;; count++) {
		long id = hear_request();

		if (b->signal)
			raise(b->signal);
		if (b->exits)
			_exit(b->code);
		if (b->request)
			b->request(id, count);
		if (b->answer)
			say_answer(id, b->answer);
	}
}

/*
 * Trials with an engine that takes several cases in one request: they come to the same as one case at a time, with a
 * fraction of the requests, and count as the same work.
 */
#include <string.h>

#include "fuzz/triage/inlets.h"
#include "fuzz/triage/late.h"
#include "fuzz/triage/roles.h"
#include "fuzz/triage/trials.h"
#include "graph/walk.h"
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "tests/support/several_cases.h"
#include "tests/support/triage_book.h"

#define LOOP \
	"inputs x: f64[]\ny = for (x) trip=3 {\n  params i, acc\n  next = mul acc, x\n  yield next\n}\n" \
	"return y\npoint 0.5\nrequest: vjp\n"
#define SUMS \
	"inputs x: f64[3]\ns = sin x\nh = cosh s\nw = concatenate h, x axis=0\ny = reduce_sum w axes=[0]\n" \
	"return y\npoint [0.5, 0.75, 1.5]\nrequest: vjp\n"
#define WRITE \
	"inputs x: f64[2]\nat: i64[2] = constant [0, 1]\nc: f64[2] = constant [2, 3]\n" \
	"y = scatter_add c, at, x axis=0 mode=clip\nreturn y\npoint [0.5, 0.75]\nrequest: vjp\n"
#define MEAN "inputs x: f64[2]\ny = reduce_mean x axes=[0]\nreturn y\npoint [0.5, 0.75]\nrequest: vjp\n"
#define SINE "inputs x: f64[]\ny = sin x\nreturn y\npoint 0.5\nrequest: vjp\n"
#define SUM  "inputs x: f64[2]\ny = reduce_sum x axes=[0]\nreturn y\npoint [0.5, 0.75]\nrequest: vjp\n"

enum { MOST_ROLES = 16 };

/* What trials say about a case. */
struct said {
	enum role role[MOST_ROLES];
	unsigned inlets;
	int trip;
	struct trials trials;
	int64_t work;
	struct several_log log;
};

static struct said ask(const char *engine, const char *text, const char *cases, const char *way)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = 1 << 20};
	struct said out = {.inlets = 0};
	struct error e = {0};
	struct testcase c;
	struct arena a;
	const char *spec;
	struct bench b;

	arena_init(&a, BOOK_ARENA);
	spec = several_spec(engine, cases, way, &a);
	c = test_case(&a, text);
	several_forget();
	if (!bench_open(&b, &spec, 1, &o, &e)) {
		CHECK(false, "%s", e.text);
		return out;
	}
	CHECK(program_nodes(&c.program) <= MOST_ROLES, "too many nodes");
	find_roles(&(struct question){.bench = &b}, &c, VERDICT_WRONG, &a, out.role);
	out.inlets = inlets_find(&(struct question){.bench = &b}, &c, &a);
	out.trip = trial_trip(&(struct question){.bench = &b}, &c, &a);
	trials_make(&(struct question){.bench = &b}, &c, &a, &out.trials);
	out.work = bench_work(&b);
	out.log = several_read();
	bench_close(&b);
	arena_free(&a);
	return out;
}

static bool says_same(const struct trials *x, const struct trials *y)
{
	return !memcmp(x->effect, y->effect, sizeof x->effect) && x->trip == y->trip && x->extent == y->extent &&
	    x->wrong == y->wrong && x->right == y->right && x->coarse == y->coarse;
}

static void check_same(const char *name, const char *engine, const char *text, const char *way)
{
	const struct said alone = ask(engine, text, "1", way), together = ask(engine, text, "8", way);

	printf("%-8s %-8s requests alone %4d, together %4d with %4d cases\n", name, way, alone.log.requests,
	    together.log.requests, together.log.cases);
	CHECK(!memcmp(alone.role, together.role, sizeof alone.role), "%s, %s: roles", name, way);
	CHECK(alone.inlets == together.inlets && alone.trip == together.trip,
	    "%s, %s: inlets %x, together %x; trip %d, "
	    "together %d",
	    name, way, alone.inlets, together.inlets, alone.trip, together.trip);
	CHECK(says_same(&alone.trials, &together.trials), "%s, %s: trials", name, way);
	CHECK(alone.work == together.work, "%s, %s: work %lld, together %lld", name, way, (long long)alone.work,
	    (long long)together.work);
	CHECK(strcmp(way, "right") || 2 * together.log.requests < alone.log.requests,
	    "%s: %d requests alone, %d together", name, alone.log.requests, together.log.requests);
}

/* Findings of one engine at the end of a campaign, and the requests that their comparison took. */
static struct several_log compare(const char *engine, const char *second, const char *cases, int n)
{
	struct several_log out;
	struct arena a;
	struct book b;

	arena_init(&a, BOOK_ARENA);
	book_open(&b, several_spec(engine, cases, "right", &a));
	book_show_text(&b, SUM, 1);
	book_show_text(&b, second, 2);
	CHECK(b.triage.n_finding == 2, "%d findings", b.triage.n_finding);
	several_forget();
	triage_end(&b.triage);
	CHECK(b.triage.n_finding == n, "%s: %d findings at the end", engine, b.triage.n_finding);
	book_close(&b);
	out = several_read();
	arena_free(&a);
	return out;
}

static void check_late(const char *engine, const char *second, int n)
{
	const struct several_log alone = compare(engine, second, "1", n), together = compare(engine, second, "8", n);

	printf("%s: requests alone %d, together %d with %d cases\n", engine, alone.requests, together.requests,
	    together.cases);
	CHECK(2 * together.requests < alone.requests, "%s: %d requests alone, %d together", engine, alone.requests,
	    together.requests);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *engine, *text;
	} rows[] = {{"loop", "functional+residual-fifo", LOOP}, {"sums", "tape+scale:cosh:1.5", SUMS},
	    {"write", "tape+scale:scatter_add:1.5+scale:scatter_mul:1.5", WRITE}};
	static const char *const ways[] = {"right", "dies", "company"};
	int code;

	if (several_serves(argc, argv, &code))
		return code;
	check_begin(argc, argv);
	if (!several_begin() || !book_begin())
		return 1;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
			if (row_wanted("%s, %s", rows[k].name, ways[w]))
				check_same(rows[k].name, rows[k].engine, rows[k].text, ways[w]);
	if (row_wanted("two ops of a family"))
		check_late("tape+scale:reduce_sum:1.5+scale:reduce_mean:1.5", MEAN, 1);
	if (row_wanted("an op of a family and another op"))
		check_late("tape+scale:reduce_sum:1.5+scale:sin:1.5", SINE, 2);
	several_end();
	return book_end() ? check_done() : 1;
}

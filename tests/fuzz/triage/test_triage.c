/* What a campaign makes of what fails: one finding a fault, every case counted once, nothing lost. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/engine.h"
#include "fuzz/bench/bench.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/drivers/drivers.h"
#include "graph/json.h"
#include "tests/check.h"
#include "tests/support/frozen.h"

static char base[] = "/tmp/adjudge-test-triage-XXXXXX";

enum { NAMES = 4 };
static const struct row {
	const char *spec;
	int cases;
	int most_looks; /* cases that are minimized */
	const char *name[NAMES];
	const char *right_on;
} rows[] = {
    /* One fault, whatever is in the loop that shows it. */
    {"functional+residual-fifo", 30, 12, {"vjp|for{nonlinear}"}},
    {"tape+scale:mul:1.5", 30, 20, {"vjp|mul"}},
    /* Two faults of one engine; most cases that show the second one have the first one's op in them. */
    {"tape+scale:mul:1.5+scale:sin:1.5", 30, 20, {"vjp|mul", "vjp|sin"}},
    /*
     * A NaN that 0 times infinity may have made is one finding whatever the program, and hides no wrong number of the
     * same op.
     */
    {"tape+weak-zero+scale:log:1.5", 300, 20, {"*|nan-leak|weak-zero", "vjp|log"}},
    /* Nor does it become a leak of an op that the case had not. */
    {"tape+lse-neginf+prod-div-zero", 1200, 30, {"*|nan-leak|weak-zero", "vjp|reduce_prod"}},
    /* A derivative is written with ops that the program has not. */
    {"forward+packed-select", 200, 40, {"jvp|select"}},
    {"checkpointed+ckptjl-online-revolve", 100, 20, {"vjp|crash:for{}"}},
    /* Also where the outermost level is a jvp, which has no gradient to add up. */
    {"tape+input-modified", 100, 20, {"vjp|input-modified:"}},
    /*
     * A loop that gives one value twice, and one that saves the wrong thing: what is in the first one's loop is not
     * made of the second's.
     */
    {"functional+last-place", 60, 8, {"vjp|for{}"}},
    {"functional+last-place+residual-fifo", 60, 20, {"vjp|for{}", "vjp|for{nonlinear}"}},
    /* Two bugs of loops that have the same names, and show through different inlets. */
    {"functional+jax-scan-xs-zero+last-place", 60, 20, {"vjp|for{}", "vjp|for{}|rows"}},
    /*
     * Two faults against an engine that has one of the two: the other one alone, in cases that are not wrong there;
     * and what dies where it is right.
     */
    {"tape+scale:mul:1.5+scale:sin:1.5", 60, 20, {"vjp|sin"}, "tape+scale:mul:1.5"},
    {"functional+residual-fifo+jax-scan-xs-zero", 60, 12, {"vjp|for{nonlinear}"}, "functional+jax-scan-xs-zero"},
    {"tape+crash", 6, 3, {"vjp|crash:"}, "functional"},
    {"tape+crash", 6, 0, {NULL}, "forward"},
    /* What dies of loops dies of any. */
    {"checkpointed+ckptjl-online-revolve", 60, 6, {"vjp|crash:for{}"}},
    /* What dies of everything is one finding in every request, and is not minimized again. */
    {"tape+crash", 6, 3, {"vjp|crash:"}},
    {"tape", 10, 0, {NULL}},
    /* One bug with two faces: a shape that is wrong where the op is last, numbers elsewhere. */
    {"tape+customjvp-unbroadcast", 100, 25, {"vjp|bad-shape:elementwise"}},
    /* Two of many ops, that are constants to the second derivative. */
    {"tape+saved-const-higher", 280, 20, {"order 2|sqrt"}},
};

static int64_t integer(const struct json *object, const char *key)
{
	const struct json *v = json_find(object, key);

	return v && v->kind == JSON_NUMBER ? strtoll(v->text, NULL, 10) : 0;
}

/* Cases of the engine that were judged to be findings, and their twins. */
static int64_t shown(const struct json *summary)
{
	const struct json *verdicts = json_find(json_find(summary, "engines")->child, "verdicts");
	const struct json *kinds = json_find(json_find(summary, "twins"), "kinds");
	int64_t n = 0;

	for (const struct json *kind = kinds->child; kind; kind = kind->next)
		n += integer(kind, "findings");

	for (int v = 0; v < VERDICT_COUNT; v++)
		n += verdict_is_finding[v] ? integer(verdicts, verdict_names[v]) : 0;
	return n;
}

static void check_row(const struct row *row, struct arena *a)
{
	const char *right_on = row->right_on ? row->right_on : "";
	struct campaign_options o = {.spec = &row->spec,
	    .n_spec = 1,
	    .right_on = row->right_on,
	    .seed = 1,
	    .cases = row->cases,
	    .profile_name = "frozen-2",
	    .profile = profile_frozen(),
	    .fd_one_in = 100,
	    .minimize_budget = 3000,
	    .driver = "generate",
	    .out = arena_printf(a, "%s/%s-%s", base, row->spec, right_on)};
	const struct json *summary, *findings;
	int64_t counted = 0, looks = 0;
	struct campaign_end end;
	struct error e = {0};
	struct campaign *s;
	int n = 0, found = 0;

	s = campaign_open(&o, &e);
	CHECK(s, "%s: %s", row->spec, e.text);
	if (!s)
		return;
	drive_generate(s);
	campaign_close(s, &end);
	CHECK(!*end.failure, "%s: %s", row->spec, end.failure);
	summary = json_read(end.summary, strlen(end.summary), a, &e);
	findings = summary ? json_find(summary, "findings") : NULL;
	CHECK(findings, "%s: %s %s", row->spec, e.place, e.text);
	for (const struct json *f = findings ? findings->child : NULL; f; f = f->next) {
		const char *name = strchr(json_find(f, "fine")->text, '|') + 1;
		const char *file = arena_printf(a, "%s/%s", o.out, json_find(f, "file")->text);
		bool expected = false;

		n++;
		for (int k = 0; k < NAMES && row->name[k]; k++)
			expected = expected || !strcmp(name, row->name[k]);
		CHECK(expected, "%s: %s", row->spec, name);
		found += expected;
		CHECK(!access(file, R_OK), "%s is not there", file);
		counted += integer(f, "count");
		looks += integer(f, "minimized");
		CHECK(integer(f, "first_case") >= 1 && integer(f, "first_case") <= row->cases, "%s: first in case %lld",
		    name, (long long)integer(f, "first_case"));
	}
	for (int k = 0; k < NAMES && row->name[k]; k++)
		found--;
	CHECK(!found, "%s: %d findings", row->spec, n);
	CHECK(summary && counted == shown(summary), "%s: %lld counted, %lld shown", row->spec, (long long)counted,
	    (long long)shown(summary));
	CHECK(looks <= row->most_looks, "%s: %lld minimized", row->spec, (long long)looks);
	free(end.text);
	free(end.summary);
}

int main(int argc, char **argv)
{
	char command[128];
	struct arena a;

	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker(argv[3]);
	check_begin(argc, argv);
	if (!mkdtemp(base))
		return 1;
	arena_init(&a, (size_t)1 << 30);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];

		arena_reset(&a);
		if (row_wanted("%d cases of %s%s%s", row->cases, row->spec, row->right_on ? " beside " : "",
		        row->right_on ? row->right_on : ""))
			check_row(row, &a);
	}
	arena_free(&a);
	snprintf(command, sizeof command, "rm -rf '%s'", base);
	if (system(command))
		return 1;
	return check_done();
}

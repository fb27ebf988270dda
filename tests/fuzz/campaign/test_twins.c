/* test_twins.c: campaigns find through a twin what only shows where a case is undecided, and report the twin's case. */
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/drivers/drivers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/bench/exit_code.h"
#include "fuzz/bench/twin.h"
#include "fuzz/campaign/books/case_paths.h"
#include "graph/json.h"
#include "reports/file.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

enum { ARENA = 256 << 20 };

static char base[] = "/tmp/adjudge-test-twins-XXXXXX";

/* A case that is undecided, so that the fault of the engine is not seen in it; and the kind of twin that shows it. */
static const struct row {
	const char *name, *engine, *inputs, *body, *point;
	enum twin kind;
} rows[] = {
    {"jump", "tape+scale:mul:1.5", "x: f64[]", "p = eq x, 0; s = mul x, x; y = select p, 4, s", "0", TWIN_MOVED},
    {"isolated-path", "tape+scale:mul:1.5", "x: f64[]", "p = eq x, 1; s = mul x, x; y = select p, x, s", "1",
        TWIN_MOVED},
    {"overflow", "tape+scale:mul:1.5", "x: f16[]", "e = exp x; y = mul e, x", "12", TWIN_ORDINARY},
    {"ill-conditioned", "tape+scale:mul:1.5", "x: f16[], n: i64[]",
        "c = cast n dtype=f16; a = add x, c; b = sub a, c; e = mul b, b; y = sin e", "0.75, 30000", TWIN_WIDE},
};

static const struct json *summary_of(struct campaign_options *o, struct arena *a, int *code)
{
	struct error e = {0};
	struct campaign_end end;
	struct campaign *s = campaign_open(o, &e);
	const struct json *root;

	CHECK(s, "%s", e.text);
	if (!s)
		exit(check_done());
	drive_generate(s);
	*code = campaign_close(s, &end);
	CHECK(!*end.failure, "%s", end.failure);
	root = json_read(end.summary, strlen(end.summary), a, &e);
	CHECK(root, "%s: %s", e.place, e.text);
	free(end.text);
	free(end.summary);
	return root;
}

/* The integer at a path of keys, such as "twins.kinds"; -1: there is none. */
static int64_t integer_at(const struct json *at, const char *const *key, int n)
{
	for (int k = 0; k < n && at; k++)
		at = json_find(at, key[k]);
	return at && at->kind == JSON_NUMBER ? strtoll(at->text, NULL, 10) : -1;
}

static int64_t of_kind(const struct json *root, enum twin kind, const char *key)
{
	return integer_at(root, (const char *const[]){"twins", "kinds", twin_names[kind], key}, 4);
}

/* The report is about a case that is decided and shows the fault by itself. */
static void check_report(const struct row *row, const char *dir, struct arena *a)
{
	struct paths files = paths_find((const char *const[]){arena_printf(a, "%s/findings", dir)}, 1);
	struct oracle_options oracle = {.seed = 1, .fd_one_in = 1};
	struct bench_result r;
	struct error e = {0};
	struct testcase c;
	struct bench b;

	CHECK(files.n == 1, "%s: %d reports", row->name, files.n);
	if (files.n == 1 && testcase_read_file(files.at[0], a, &c, &e) &&
	    bench_open(&b, &row->engine, 1, &oracle, &e)) {
		bench_judge(&b, &c, a, &r);
		CHECK(r.judgement[0].verdict == VERDICT_WRONG, "%s: %s", row->name,
		    verdict_names[r.judgement[0].verdict]);
		bench_close(&b);
	}
	CHECK(!*e.text, "%s: %s", row->name, e.text);
	paths_free(&files);
}

static void check_row(const struct row *row, struct arena *a)
{
	const struct testcase c = test_function(a, row->inputs, row->body, row->point, "vjp x");
	const char *dir = arena_printf(a, "%s/%s", base, row->name);
	struct campaign_options o = {.spec = &row->engine,
	    .n_spec = 1,
	    .seed = 1,
	    .cases = 1,
	    .driver = "generate",
	    .profile_name = "default",
	    .profile = profile_default(),
	    .corpus = dir,
	    .fd_one_in = 10,
	    .minimize_budget = 500};
	struct error e = {0};
	const struct json *root;
	size_t len;
	char *text = testcase_write(&c, a, &len);
	int code;

	CHECK(file_make_directory(dir, &e) && file_write_atomic(dir, "case.json", text, len, &e), "%s", e.text);
	o.out = arena_printf(a, "%s/%s-with", base, row->name);
	root = summary_of(&o, a, &code);
	CHECK(code == EXIT_FINDING, "%s: exit code %d", row->name, code);
	CHECK(integer_at(root, (const char *const[]){"undecided", row->name}, 2) == 1, "%s: decided", row->name);
	for (int k = 0; k < TWIN_COUNT; k++)
		CHECK(of_kind(root, (enum twin)k, "findings") == (k == (int)row->kind), "%s: %s", row->name,
		    twin_names[k]);
	CHECK(
	    integer_at(root, (const char *const[]){"strata", "vjp", row->kind == TWIN_WIDE ? "wide" : "twin"}, 3) == 1,
	    "%s: not in its stratum", row->name);
	check_report(row, o.out, a);
	o.no_twins = true;
	o.out = arena_printf(a, "%s/%s-without", base, row->name);
	root = summary_of(&o, a, &code);
	CHECK(code == EXIT_NOTHING && root && !json_find(root, "twins"), "%s: exit code %d", row->name, code);
}

/* The counts of a campaign of random cases fit together, and right engines have no finding. */
static void check_counts(struct arena *a)
{
	static const char *const specs[] = {"tape", "functional"};
	struct campaign_options o = {.spec = specs,
	    .n_spec = 2,
	    .seed = 18,
	    .cases = 300,
	    .driver = "generate",
	    .profile_name = "default",
	    .profile = profile_default(),
	    .out = arena_printf(a, "%s/counts", base),
	    .fd_one_in = 10};
	int code;
	const struct json *root = summary_of(&o, a, &code), *twins = root ? json_find(root, "twins") : NULL;
	enum { FEW = 10 };
	int64_t made = 0, wanted;

	CHECK(code == EXIT_NO_FINDING && twins, "exit code %d", code);
	if (!twins)
		return;
	wanted = integer_at(twins, (const char *const[]){"cases"}, 1);
	for (int k = 0; k < TWIN_COUNT; k++) {
		const enum twin kind = (enum twin)k;

		made += of_kind(root, kind, "made");
		CHECK(of_kind(root, kind, "judged") <= of_kind(root, kind, "made"), "%s", twin_names[k]);
		CHECK(of_kind(root, kind, "judged") > 0 || of_kind(root, kind, "made") < FEW, "%s", twin_names[k]);
		CHECK(!of_kind(root, kind, "findings"), "%s: a right engine", twin_names[k]);
		CHECK(of_kind(root, kind, "made") <= wanted, "%s", twin_names[k]);
	}
	CHECK(made > 0 && integer_at(twins, (const char *const[]){"left_out"}, 1) < wanted, "%lld", (long long)made);
	CHECK(integer_at(twins, (const char *const[]){"gained"}, 1) > 0, "no case gained teeth");
	for (const struct json *d = json_find(twins, "components")->child; d; d = d->next)
		CHECK(integer_at(d, (const char *const[]){"with_teeth"}, 1) +
		            integer_at(d, (const char *const[]){"twin"}, 1) +
		            integer_at(d, (const char *const[]){"wide"}, 1) <=
		        integer_at(d, (const char *const[]){"components"}, 1),
		    "%s", d->key);
}

int main(int argc, char **argv)
{
	char command[128];
	struct arena a;

	check_begin(argc, argv);
	if (!mkdtemp(base))
		return 1;
	arena_init(&a, ARENA);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s", rows[k].name))
			check_row(&rows[k], &a);
	CHECK_LAW(check_counts(&a));
	arena_free(&a);
	snprintf(command, sizeof command, "rm -rf '%s'", base);
	if (system(command))
		return 1;
	return check_done();
}

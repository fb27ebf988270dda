/*
 * Experiments with an engine that takes several cases in one request: the report has the same bytes as with one case at
 * a time, and the engine gets fewer requests.
 */
#include "fuzz/characterize/characterize.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "fuzz/characterize/lab.h"
#include "reports/report.h"
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "tests/support/several_cases.h"

#define LOOP \
	"inputs x: f64[]\ny = for (x) trip=3 {\n  params i, acc\n  next = mul acc, x\n  yield next\n}\n" \
	"return y\npoint 0.5\nrequest: vjp\n"
#define LARGEST "inputs x: f64[2], z: f64[2]\ny = max x, z\nreturn y\npoint [1, 2], [3, 1]\nrequest: vjp\n"

#define TWO_LEVELS \
	"inputs x: f64[], z: f64[]\ny = mul x, z\nw = sin y\nreturn w\npoint 0.5, 0.25\n" \
	"request: vjp; then vjp\n"

enum { REPORT_ARENA = 1 << 30 };

/* The report on the case, in *a, and the requests that it took. */
static struct several_log report_of(
    const char *engine, const char *text, const char *cases, const char *way, struct arena *a, const char **report)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = INT_MAX};
	const struct characterize_options only = {
	    .experiments =
	        "contributions,counts,points,bodies,values,grid,sizes,alone,drawn,engines,directions,runs,neighbours"};
	const struct testcase c = test_case(a, text);
	const char *spec = several_spec(engine, cases, way, a);
	struct characterization x;
	struct bench_result r;
	struct error e = {0};
	struct bench b;
	size_t len;

	several_forget();
	*report = "";
	if (!bench_open(&b, &spec, 1, &o, &e)) {
		CHECK(false, "%s", e.text);
		return (struct several_log){0, 0};
	}
	bench_judge(&b, &c, a, &r);
	CHECK(characterize(&b, spec, &c, &only, a, &x, &e), "%s", e.text);
	*report = report_write(&(struct report){.signature = "",
	                           .engine = "x",
	                           .c = &c,
	                           .truth = &r.truth,
	                           .answers = r.answer[0],
	                           .judgement = &r.judgement[0],
	                           .characterization = &x},
	    a, &len);
	bench_close(&b);
	return several_read();
}

static void check_same(const char *name, const char *engine, const char *text, const char *way)
{
	const char *one, *several;
	struct several_log alone, together;
	struct arena a;
	size_t k = 0;

	arena_init(&a, REPORT_ARENA);
	alone = report_of(engine, text, "1", way, &a, &one);
	together = report_of(engine, text, "16", way, &a, &several);
	printf("%-8s %-8s requests alone %4d, together %4d with %4d cases\n", name, way, alone.requests,
	    together.requests, together.cases);
	while (one[k] && one[k] == several[k])
		k++;
	CHECK(strlen(one) > 1000 && one[k] == several[k], "%s, %s: '%.60s', together '%.60s'", name, way,
	    one + (k < 30 ? 0 : k - 30), several + (k < 30 ? 0 : k - 30));
	CHECK(strcmp(way, "right") || 5 * together.requests < 4 * alone.requests, "%s: %d requests alone, %d together",
	    name, alone.requests, together.requests);
	arena_free(&a);
}

/* A right engine is asked about each variant, and about two points beside it, and about nothing twice: the points are
 * those that its way of counting needs, whatever the way when it is judged. */
static void check_asked(bool strict)
{
	enum { VARIANTS_TRIED = 8, EACH = 3 };
	const struct oracle_options o = {.seed = 1, .fd_one_in = INT_MAX};
	const char *spec;
	struct characterization out = {.n_table = 0};
	struct variant_table t = {.id = "values"};
	struct several_log asked;
	struct testcase c;
	struct error e = {0};
	struct bench b;
	struct arena a;
	struct lab l = {.bench = &b,
	    .base = &c,
	    .typical = &c,
	    .out = &out,
	    .table = &t,
	    .until = INT64_MAX,
	    .focus = -1,
	    .asks = 1,
	    .deadline = INFINITY,
	    .arena = &a};

	arena_init(&a, REPORT_ARENA);
	arena_init(&l.work, REPORT_ARENA);
	arena_init(&l.scratch, REPORT_ARENA);
	c = test_case(&a, LARGEST);
	spec = several_spec("tape", "16", "right", &a);
	CHECK(bench_open(&b, &spec, 1, &o, &e) && lab_open_right(&l, &e), "%s", e.text);
	l.explain = explanation_open();
	explanation_about(l.explain, &c);
	lab_open_together(&l);
	several_forget();
	l.strict = strict;
	for (int k = 0; k < VARIANTS_TRIED; k++) {
		struct testcase variant = testcase_copy(&c, &a);

		variant.point[0][0].at[0].f = 5 + k;
		lab_sample(&l, &variant);
	}
	l.strict = !strict;
	lab_settle(&l);
	asked = several_read();
	CHECK(asked.cases == EACH * VARIANTS_TRIED && l.strict == !strict, "%s: %d cases in %d requests",
	    strict ? "strict" : "not strict", asked.cases, asked.requests);
	lab_close_together(&l);
	explanation_close(l.explain);
	engine_close(l.primal);
	engine_close(l.forward);
	bench_close(&b);
	arena_free(&l.work);
	arena_free(&l.scratch);
	arena_free(&a);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *engine, *text, *way;
	} rows[] = {{"loop", "functional+residual-fifo", LOOP, "right"},
	    {"loop", "functional+residual-fifo", LOOP, "dies"}, {"levels", "tape+scale:sin:1.5", TWO_LEVELS, "right"},
	    {"largest", "tape+scale:max.a:1.5", LARGEST, "company"}};
	int code;

	if (several_serves(argc, argv, &code))
		return code;
	check_begin(argc, argv);
	if (!several_begin())
		return 1;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s, %s", rows[k].name, rows[k].way))
			check_same(rows[k].name, rows[k].engine, rows[k].text, rows[k].way);
	for (int strict = 0; strict < 2; strict++)
		if (row_wanted("asked, %d", strict))
			check_asked(strict);
	several_end();
	return check_done();
}

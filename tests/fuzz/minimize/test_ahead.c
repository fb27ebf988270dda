/*
 * The search with an engine that takes several cases in one request: it ends in the same case after the same candidates
 * as one case at a time, with a fraction of the requests.
 */
#include "fuzz/minimize/finding.h"

#include <string.h>

#include "fuzz/minimize/simplest.h"
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "tests/support/several_cases.h"

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
	int tried, accepted;
	struct several_log log;
	int64_t work;
};

static struct search search(const char *body, const char *cases, const char *way, struct arena *a)
{
	struct oracle_options oracle = {.seed = 1, .fd_one_in = 1 << 20};
	struct testcase from = test_function(a, "x: f64[]", body, "0x1.5p-1", "vjp"), small, simple;
	struct minimize_statistics stats;
	struct limit limit = {0};
	struct slips slips = {0};
	struct question same = {.slips = &slips, .until = &limit, .spent = &limit};
	const char *spec = several_spec("tape+scale:cosh:1.5", cases, way, a);
	struct search out = {0};
	struct bench_result r;
	struct error e = {0};
	struct bench b;

	if (!bench_open(&b, &spec, 1, &oracle, &e)) {
		CHECK(false, "%s", e.text);
		return out;
	}
	bench_judge(&b, &from, a, &r);
	CHECK(verdict_is_finding[r.judgement[0].verdict], "no finding to start from");
	same.bench = &b;
	same.signature = signature_coarse("x", &from, &r.judgement[0], a);
	same.signature = arena_printf(a, "%s%s", spec, strchr(same.signature, '|'));
	several_forget();
	CHECK(minimize_finding(&same, &from, 10000, a, &small, &r, &stats), "what is left does not show %s",
	    same.signature);
	out.log = several_read();
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

static void check_same(const char *name, const char *body, const char *way, struct arena *a)
{
	const struct search alone = search(body, "1", way, a), together = search(body, "8", way, a);

	printf("%-8s %-8s %4d tried, %3d accepted; requests alone %4d, together %4d with %4d cases\n", name, way,
	    alone.tried, alone.accepted, alone.log.requests, together.log.requests, together.log.cases);
	CHECK(!strcmp(alone.small, together.small), "%s, %s: alone\n%s, together\n%s", name, way, alone.small,
	    together.small);
	CHECK(!strcmp(alone.simplest, together.simplest), "%s, %s: alone\n%s, together\n%s", name, way, alone.simplest,
	    together.simplest);
	CHECK(alone.tried == together.tried && alone.accepted == together.accepted, "%s, %s: %d tried, together %d",
	    name, way, alone.tried, together.tried);
	CHECK(alone.work == together.work, "%s, %s: work %lld, together %lld", name, way, (long long)alone.work,
	    (long long)together.work);
	CHECK(strcmp(way, "right") || 2 * together.log.requests < alone.log.requests,
	    "%s: %d requests alone, %d together", name, alone.log.requests, together.log.requests);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *body, *way;
	} rows[] = {{"wrong", wrong, "right"}, {"wrong", wrong, "dies"}, {"wrong", wrong, "company"},
	    {"error", beside, "right"}, {"error", beside, "dies"}};
	struct arena a;
	int code;

	if (several_serves(argc, argv, &code))
		return code;
	check_begin(argc, argv);
	if (!several_begin())
		return 1;
	arena_init(&a, (size_t)1 << 30);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s, %s", rows[k].name, rows[k].way)) {
			arena_reset(&a);
			check_same(rows[k].name, rows[k].body, rows[k].way, &a);
		}
	arena_free(&a);
	several_end();
	return check_done();
}

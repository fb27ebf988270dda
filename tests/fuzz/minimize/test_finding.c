/* Minimal cases of engines with a fault: small, fixed points, one program for one bug, and what ends a search. */
#include "fuzz/minimize/finding.h"

#include <limits.h>
#include <string.h>

#include "fuzz/generate/generate.h"
#include "graph/walk.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* ---- engines with a fault: towers around the guilty op that hide it or change the kind of deviation ---- */

/* for (i < 4): a = -prod(concat(x, a)) */
#define NEG_TOWER(out) \
	out " = for (x) trip=4 {\n" \
	    "  params i, a\n" \
	    "  x1 = reshape x shape=[1]\n" \
	    "  a1 = reshape a shape=[1]\n" \
	    "  both = concatenate x1, a1 axis=0\n" \
	    "  product = reduce_prod both axes=[0]\n" \
	    "  next = neg product\n" \
	    "  yield next\n" \
	    "}\n"
static const char neg_tower[] = NEG_TOWER("y");

/* sum(-(v @ m) * v), v the input twice */
static const char matmul_tower[] = "v = broadcast_to x shape=[2]\n"
                                   "m: f64[2,2] = constant [1, 1.125, 1.25, 1.375]\n"
                                   "p = matmul v, m\n"
                                   "q = mul p, v\n"
                                   "r = neg q\n"
                                   "y = reduce_sum r axes=[0]";

/* Two carries that change places, one of them through a cumulative product. */
static const char swapped_carries[] = "v = broadcast_to x shape=[3]\n"
                                      "a, b = for (v, v) trip=2 { params i, c, d; e = cumprod c axis=0; yield d, e }\n"
                                      "y = reduce_sum a axes=[0]";

/* checkpoint { for (i < 3): a = -checkpoint { sin(a) * x } } */
static const char checkpointed_tower[] = "y = checkpoint {\n"
                                         "  last = for (x) trip=3 {\n"
                                         "    params i, a\n"
                                         "    p = checkpoint { s = sin a; q = mul s, x; yield q }\n"
                                         "    next = neg p\n"
                                         "    yield next\n"
                                         "  }\n"
                                         "  yield last\n"
                                         "}";

/* sum of [x, x, x, x] with e = sin(-e * e) * x applied to elements 2, 0, 2 */
static const char applied[] = "v = broadcast_to x shape=[4]\n"
                              "at: i64[3] = constant [2, 0, 2]\n"
                              "w = scatter_apply (v, at) axis=0 mode=wrap {\n"
                              "  params e\n"
                              "  square = mul e, e\n"
                              "  n = neg square\n"
                              "  s = sin n\n"
                              "  p = mul s, x\n"
                              "  yield p\n"
                              "}\n"
                              "y = reduce_sum w axes=[0]";

/* w = v * v is read, then stored into, and stored into again; the sum of all three */
static const char stored[] = "v = broadcast_to x shape=[3]\n"
                             "w = mul v, v\n"
                             "square = square w\n"
                             "number = constant [2]\n"
                             "at: i64[1] = constant [1]\n"
                             "first = store w, number, at\n"
                             "s = sin first\n"
                             "again = constant [2]\n"
                             "begin: i64[1] = constant [0]\n"
                             "second = store first, again, begin\n"
                             "p = add square, s\n"
                             "q = add p, second\n"
                             "y = reduce_sum q axes=[0]";

static const struct guilty {
	const char *spec;
	enum transform_kind kind;
	const char *body; /* y of x */
	double at;
	int ops;
} guilty[] = {
    {"functional+residual-fifo", TRANSFORM_VJP, neg_tower, 1.75, 2},
    {"functional+scale:neg:1.5", TRANSFORM_VJP, neg_tower, 1.75, 1},
    {"forward+scale:matmul:1.5", TRANSFORM_JVP, matmul_tower, -0.375, 1},
    {"tape+scale:sin:1.5", TRANSFORM_VJP, checkpointed_tower, 0.625, 1},
    {"tape+scale:neg:1.5", TRANSFORM_VJP, applied, 0.25, 1},
    {"forward+jax-scatter-apply", TRANSFORM_JVP, applied, 0.625, 2},
    {"tape+inductor-view-version", TRANSFORM_VJP, stored, 0.625, 3},
    {"tape+warp-dead-write", TRANSFORM_VJP, stored, 0.625, 1},
    {"tape+scale:matmul:-1", TRANSFORM_VJP, matmul_tower, -0.375, 1},
    {"functional+scale:cumprod:1.1", TRANSFORM_VJP, swapped_carries, 0.625, 1},
    {"forward+scale:cumprod:1.1", TRANSFORM_JVP, swapped_carries, 0.625, 1},
};

static struct testcase guilty_case(const struct guilty *g, struct arena *a)
{
	return test_function(a, "x: f64[]", g->body, arena_printf(a, "%a", g->at), transform_names[g->kind]);
}

/* What a search for a finding uses up and comes upon. */
struct search {
	struct limit limit;
	struct slips slips;
};

static struct question search_of(struct search *s, struct bench *b, const char *signature)
{
	return (struct question){
	    .bench = b, .signature = signature, .slips = &s->slips, .until = &s->limit, .spent = &s->limit};
}

static void check_guilty(const struct guilty *g, struct arena *a)
{
	struct oracle_options oracle = {.seed = 1, .fd_one_in = 1 << 20};
	struct testcase from = guilty_case(g, a), left, again;
	struct minimize_statistics stats;
	struct search search = {0};
	struct question same;
	struct error e = {0};
	struct bench_result r;
	struct arena scratch;
	struct bench b;
	int ops;

	CHECK(testcase_check(&from, &e), "%s: %s %s", g->spec, e.place, e.text);
	if (!bench_open(&b, &g->spec, 1, &oracle, &e)) {
		CHECK(false, "%s: %s", g->spec, e.text);
		return;
	}
	arena_init(&scratch, (size_t)1 << 28);
	bench_judge(&b, &from, a, &r);
	CHECK(verdict_is_finding[r.judgement[0].verdict], "%s: no finding to start from", g->spec);
	same = search_of(&search, &b, signature_coarse(g->spec, &from, &r.judgement[0], a));
	CHECK(minimize_finding(&same, &from, 10000, a, &left, &r, &stats), "%s: what is left does not show %s", g->spec,
	    same.signature);
	ops = strata_of(&left).ops;
	CHECK(ops <= g->ops,
	    "%s: %d ops left, %d wanted:\n"
	    "%s",
	    g->spec, ops, g->ops, program_print(&left.program, a));
	CHECK(testcase_check(&left, &e), "%s: what is left is not valid: %s", g->spec, e.text);
	same.judged = JUDGED_IN_FULL;
	CHECK(case_shows(&left, &same, &scratch, NULL), "%s: what is left is not interesting", g->spec);
	printf("%-32s %5d tried %4d accepted %d rounds, %d ops\n", g->spec, stats.tried, stats.accepted, stats.rounds,
	    ops);
	CHECK(minimize_finding(&same, &left, 10000, a, &again, &r, &stats), "%s: shows nothing when minimized again",
	    g->spec);
	CHECK(testcase_equal(&left, &again) && !stats.accepted, "%s: not a fixed point", g->spec);
	slips_free(&search.slips);
	bench_close(&b);
	arena_free(&scratch);
}

/* ---- one bug, one program ---- */

/* for (i < 3): a = a * sin(x) + x */
static const char sine_tower[] = "y = for (x) trip=3 { params i, a; s = sin x; p = mul a, s; q = add p, x; yield q }";

/* -sin(x) added to what neg_tower makes */
static const char neg_beside[] = NEG_TOWER("tower") "s = sin x; n = neg s; y = add n, tower";

/* A custom whose function, (u * v) * u, and rule are those of a product of three. */
static const char product_rule[] = "y = custom (x, x) transform=vjp {\n"
                                   "  params u, v\n"
                                   "  p = mul u, v\n"
                                   "  q = mul p, u\n"
                                   "  yield q\n"
                                   "} do {\n"
                                   "  params a, b, d\n"
                                   "  ab = mul a, b\n"
                                   "  aa = mul a, a\n"
                                   "  twice = add ab, ab\n"
                                   "  by_u = mul twice, d\n"
                                   "  by_v = mul aa, d\n"
                                   "  yield by_u, by_v\n"
                                   "}";

static const char square_rule[] = "p = custom (x, x) transform=vjp { params u, v; q = mul u, v; yield q } do {\n"
                                  "  params a, b, d\n"
                                  "  by_u = mul b, d\n"
                                  "  by_v = mul a, d\n"
                                  "  yield by_u, by_v\n"
                                  "}\n"
                                  "y = neg p";

static const struct {
	struct guilty from[2];
} twins[] = {
    {{{"functional+residual-fifo", TRANSFORM_VJP, neg_tower, 1.75, 2},
        {"functional+residual-fifo", TRANSFORM_VJP, sine_tower, 0.625, 2}}},
    {{{"tape+scale:neg:1.5", TRANSFORM_VJP, applied, 0.25, 1},
        {"tape+scale:neg:1.5", TRANSFORM_VJP, neg_beside, 0.375, 1}}},
    {{{"aot+alias-args-dedup", TRANSFORM_VJP, product_rule, 0.375, 2},
        {"aot+alias-args-dedup", TRANSFORM_VJP, square_rule, 0.625, 2}}},
};

/* Opens the bench and the finding of g, from which *same starts. */
static bool open_guilty(const struct guilty *g, struct arena *a, struct bench *b, struct testcase *from,
    struct search *search, struct question *same)
{
	struct oracle_options oracle = {.seed = 1, .fd_one_in = 1 << 20};
	struct judgement j = {0};
	struct error e = {0};

	*from = guilty_case(g, a);
	CHECK(testcase_check(from, &e), "%s: %s %s", g->spec, e.place, e.text);
	if (!bench_open(b, &g->spec, 1, &oracle, &e)) {
		CHECK(false, "%s: %s", g->spec, e.text);
		return false;
	}
	CHECK(case_shows(from, &(struct question){.bench = b}, a, &j), "%s: no finding to start from", g->spec);
	*same = search_of(search, b, signature_coarse(g->spec, from, &j, a));
	return true;
}

static void check_twins(const struct guilty from[2], struct arena *a)
{
	struct testcase small_case[2];
	const char *text[2];

	for (int i = 0; i < 2; i++) {
		struct minimize_statistics stats;
		struct search search = {0};
		struct question same;
		struct testcase start;
		struct bench_result r;
		struct bench b;

		if (!open_guilty(&from[i], a, &b, &start, &search, &same))
			return;
		CHECK(minimize_finding(&same, &start, 10000, a, &small_case[i], &r, &stats), "%s: %s is gone",
		    from[i].spec, same.signature);
		CHECK(strata_of(&small_case[i]).ops <= from[i].ops, "%s: %d ops left, %d wanted", from[i].spec,
		    strata_of(&small_case[i]).ops, from[i].ops);
		slips_free(&search.slips);
		bench_close(&b);
	}
	/* Numbers may differ, as the kind of deviation does. */
	for (int i = 0; i < 2; i++)
		text[i] = program_print(&small_case[i].program, a);
	CHECK(!strcmp(text[0], text[1]), "%s: one bug, two programs:\n%s%s", from->spec, text[0], text[1]);
}

/* ---- what ends a search, and what it comes upon ---- */

static bool refuse_all(void *context, const struct testcase *c)
{
	(void)c;
	++*(int *)context;
	return true;
}

static bool stop_at_once(void) { return true; }

static void check_end(
    const struct guilty *g, const char *name, struct limit end, refuse_case_fn *refuse, void *context, struct arena *a)
{
	struct minimize_statistics stats;
	struct search search = {0};
	struct question same;
	struct testcase from, left;
	struct bench_result r;
	struct bench b;

	if (!open_guilty(g, a, &b, &from, &search, &same))
		return;
	search.limit = end;
	same.refuse = refuse;
	same.context = context;
	CHECK(minimize_finding(&same, &from, 10000, a, &left, &r, &stats), "%s: what was not minimized does not show",
	    name);
	CHECK(!stats.accepted && testcase_equal(&from, &left), "%s: %d candidates accepted", name, stats.accepted);
	CHECK(verdict_is_finding[r.judgement[0].verdict], "%s: no judgement", name);
	slips_free(&search.slips);
	bench_close(&b);
}

struct taken {
	const struct guilty *guilty;
	const char *own;
	int n;
};

static void take(void *context, const char *signature, const struct testcase *c)
{
	struct taken *t = context;
	struct error e = {0};

	t->n++;
	CHECK(strcmp(signature, t->own) && !strncmp(signature, t->guilty->spec, strlen(t->guilty->spec)),
	    "%s: slipped to %s", t->own, signature);
	CHECK(testcase_check(c, &e), "%s: a slip is no case: %s", t->own, e.text);
}

static void check_slips(const struct guilty *g, struct arena *a)
{
	struct minimize_statistics stats;
	struct search search = {0};
	struct question same;
	struct testcase from, left;
	struct bench_result r;
	struct taken taken = {g, NULL, 0};
	struct bench b;

	if (!open_guilty(g, a, &b, &from, &search, &same))
		return;
	taken.own = same.signature;
	CHECK(minimize_finding(&same, &from, 10000, a, &left, &r, &stats), "%s: what is left does not show %s", g->spec,
	    same.signature);
	slips_take(&search.slips, g->spec, NULL, NULL, take, &taken);
	CHECK(taken.n > 0 && taken.n <= search.slips.n, "%s: %d slips taken of %d", g->spec, taken.n, search.slips.n);
	slips_free(&search.slips);
	bench_close(&b);
}

/* Whatever dead branch a campaign meets first, the smallest case has the one that everybody knows. */
static void check_weak_zero(struct arena *a)
{
	struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	const char *spec = "tape+weak-zero";
	struct minimize_statistics stats;
	struct bench_result r;
	struct bench b;
	struct error e = {0};
	struct limit spent = {0};
	struct testcase small, from;

	arena_reset(a);
	from = test_function(a, "x: f64[], k: f64[2]",
	    "t = constant 1.5\n"
	    "p = lt x, t\n"
	    "r = asin x\n"
	    "s = mul r, x\n"
	    "y = select p, s, x",
	    "2, [1, 2]", "vjp x, k");
	CHECK(bench_open(&b, &spec, 1, &options, &e), "%s: %s", spec, e.text);
	const struct question same = {.bench = &b, .signature = "tape+weak-zero|*|nan-leak|weak-zero", .spent = &spent};
	CHECK(from.n_point && minimize_finding(&same, &from, 10000, a, &small, &r, &stats) &&
	        small.program.top.n_node == 3 && region_has_op(&small.program.top, OP_SQRT),
	    "the smallest case is not that of the root:\n%s", testcase_print(&small, a));
	bench_close(&b);
}

int main(int argc, char **argv)
{
	struct arena a;
	int refused = 0;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	for (size_t i = 0; i < sizeof guilty / sizeof *guilty; i++)
		if (row_wanted("guilty: %s", guilty[i].spec))
			check_guilty(&guilty[i], &a);
	for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
		if (row_wanted("twins: %d", (int)i))
			check_twins(twins[i].from, &a);
	CHECK_LAW(check_end(&guilty[0], "deadline", (struct limit){.deadline = 1e-9}, NULL, NULL, &a));
	CHECK_LAW(check_end(&guilty[0], "stop", (struct limit){.stop = stop_at_once}, NULL, NULL, &a));
	CHECK_LAW(check_end(&guilty[0], "refuse", (struct limit){0}, refuse_all, &refused, &a));
	if (all_wanted())
		CHECK(refused > 0, "nothing was refused");
	CHECK_LAW(check_slips(&guilty[0], &a));
	CHECK_LAW(check_weak_zero(&a));
	arena_free(&a);
	return check_done();
}

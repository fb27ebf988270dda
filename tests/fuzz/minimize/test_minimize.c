/*
 * The minimizer under artificial predicates: what must be left, and that it is valid, stable, deterministic and
 * within budget.
 */
#include "fuzz/minimize/minimize.h"

#include <string.h>

#include "fuzz/edit/edit.h"
#include "fuzz/minimize/finding.h"
#include "fuzz/minimize/passes.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* ---- a case with a bit of everything ---- */

static const char example_text[] =
    "inputs x: f64[], v: f64[4], n: i64[], s: f32[], y: f64[]\n"
    "wide = cast s dtype=f64\n"
    "start = add x, wide\n"
    "loop, total = for (n, start, y) cap=9 {\n"
    "  params i, a, c\n"
    "  sine = sin a\n"
    "  next = mul sine, x\n"
    "  triple = mul a, 3\n"
    "  sum = add c, triple\n"
    "  yield next, sum\n"
    "}\n"
    "w = while (loop) cap=7 {\n"
    "  params a0\n"
    "  less = lt a0, 5\n"
    "  yield less\n"
    "} do {\n"
    "  params a1\n"
    "  e = exp a1\n"
    "  grown = add a1, e\n"
    "  yield grown\n"
    "}\n"
    "last, stacked = scan (w, v) trip=4 carries=1 {\n"
    "  params c0, slice\n"
    "  c1 = mul c0, slice\n"
    "  t = tanh c1\n"
    "  yield c1, t\n"
    "}\n"
    "at: i64[2] = constant [2, 2]\n"
    "update = constant [0.3, 0.425]\n"
    "scattered = scatter_add v, at, update axis=0 mode=wrap\n"
    "product = mul scattered, stacked\n"
    "reduced = reduce_sum product axes=[0]\n"
    "p = gt reduced, total\n"
    "chosen = select p, last, reduced\n"
    "f = exp y\n"
    "q = lt x, w\n"
    "branch = cond q { g = cos f; yield g } else { h = sqrt f; yield h }\n"
    "narrow = mul s, s\n"
    "return chosen, branch, scattered, narrow\n"
    "point x = 0.7, v = [-1.3, -1.175, -1.05, -0.925], n = 5, s = 1.625, y = 0.3\n"
    "point x = 0.8099999999999999, v = [-1.19, -1.065, -0.94, -0.815], n = 5, s = 1.735, y = 0.41\n"
    "request: vjp x, v, y; cotangents 0.77, 0.77, [0.77, 0.895, 1.02, 1.145], 0.77\n";

/* ---- predicates: an op, perhaps below a loop with a least number of iterations ---- */

struct wanted {
	const char *name;
	enum op op, below;         /* below == op: anywhere */
	int trip;                  /* of the enclosing loop, at least */
	int n_wrt;                 /* differentiated inputs, at least */
	int ops, elements, points; /* what must be left, at most: nodes but constants, the largest value, points */
};

static bool region_has(const struct region *r, const struct wanted *w, bool inside)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];

		if (n->op == w->op && inside)
			return true;
		for (int k = 0; k < n->n_region; k++)
			if (region_has(&n->region[k], w, inside || (n->op == w->below && node_max_trip(n) >= w->trip)))
				return true;
	}
	return false;
}

struct request_summary {
	const struct wanted *wanted;
	int times;
};

static bool has_wanted(void *self, const struct testcase *c, struct arena *scratch)
{
	struct request_summary *q = self;
	struct error e = {0};

	q->times++;
	arena_reset(scratch);
	CHECK(testcase_check(c, &e), "%s: candidate is not valid: %s %s", q->wanted->name, e.place, e.text);
	return c->n_transform == 1 && c->transform[0].n_wrt >= q->wanted->n_wrt &&
	    region_has(&c->program.top, q->wanted, q->wanted->below == q->wanted->op);
}

static int ops_of(const struct region *r)
{
	int n = 0;

	for (int i = 0; i < r->n_node; i++) {
		n += r->node[i].op != OP_CONSTANT;
		for (int k = 0; k < r->node[i].n_region; k++)
			n += ops_of(&r->node[i].region[k]);
	}
	return n;
}

static int largest(const struct testcase *c)
{
	int most = 0;

	for (int v = 0; v < c->program.n_value; v++)
		if (shape_elements(&c->program.type[v].shape) > most)
			most = shape_elements(&c->program.type[v].shape);
	return most;
}

static const struct wanted table[] = {
    {"mul in a for of 2", OP_MUL, OP_FOR, 2, 1, 2, 1, 1},
    {"mul in a scan of 3", OP_MUL, OP_SCAN, 3, 1, 2, 3, 1},
    {"add in a while", OP_ADD, OP_WHILE, 1, 1, 2, 1, 1},
    {"select", OP_SELECT, OP_SELECT, 0, 1, 1, 1, 1},
    {"scatter_add", OP_SCATTER_ADD, OP_SCATTER_ADD, 0, 1, 1, 1, 1},
    {"cond", OP_COND, OP_COND, 0, 1, 1, 1, 1},
    {"cast with two inputs", OP_CAST, OP_CAST, 0, 2, 1, 1, 1},
    {"anything", OP_FOR, OP_FOR, 0, 3, 1, 1, 1},
};

static void check_row(const struct wanted *w, const struct testcase *from, struct arena *a)
{
	struct minimize_statistics stats, again;
	struct request_summary q = {w, 0};
	struct testcase small_case = minimize(from, has_wanted, &q, 20000, NULL, a, &stats), second;
	int ops = ops_of(&small_case.program.top);
	struct arena scratch;

	arena_init(&scratch, 1 << 20);
	CHECK(q.times == stats.tried, "%s: asked %d times, says %d", w->name, q.times, stats.tried);
	CHECK(has_wanted(&(struct request_summary){w, 0}, &small_case, &scratch), "%s: what is left is not interesting",
	    w->name);
	CHECK(ops <= ops_of(&from->program.top), "%s: %d ops are more than before", w->name, ops);
	CHECK(ops <= w->ops,
	    "%s: %d ops left, %d wanted:\n"
	    "%s",
	    w->name, ops, w->ops, program_print(&small_case.program, a));
	CHECK(!edit_idles(&small_case.program), "%s: a loop that never begins is left", w->name);
	CHECK(largest(&small_case) <= w->elements, "%s: a value of %d elements is left", w->name, largest(&small_case));
	CHECK(small_case.n_point <= w->points, "%s: %d points left", w->name, small_case.n_point);
	second = minimize(&small_case, has_wanted, &q, 20000, NULL, a, &again);
	CHECK(testcase_equal(&small_case, &second) && !again.accepted, "%s: not a fixed point", w->name);
	second = minimize(from, has_wanted, &q, 20000, NULL, a, &again);
	CHECK(testcase_equal(&small_case, &second) && again.tried == stats.tried, "%s: two runs differ", w->name);
	second = minimize(from, has_wanted, &q, 7, NULL, a, &again);
	CHECK(again.tried <= 7, "%s: %d candidates on a budget of 7", w->name, again.tried);
	arena_free(&scratch);
	printf("%-24s %5d tried %4d accepted %d rounds, %d ops\n", w->name, stats.tried, stats.accepted, stats.rounds,
	    ops);
}

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
	ops = ops_of(&left.program.top);
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
		CHECK(ops_of(&small_case[i].program.top) <= from[i].ops, "%s: %d ops left, %d wanted", from[i].spec,
		    ops_of(&small_case[i].program.top), from[i].ops);
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

/* A predicate that nothing smaller meets leaves the case as it was. */
static bool never(void *self, const struct testcase *c, struct arena *scratch)
{
	(void)self, (void)c, (void)scratch;
	return false;
}

/* ---- loops that never begin ---- */

static void test_idles(struct arena *a)
{
	static const struct {
		const char *file;
		bool idles;
	} cases[] = {
	    {"corpus/real/pytorch-while-loop-of-no-steps.json", true},
	    {"corpus/real/pytorch-scan-of-no-step.json", true},
	    {"corpus/real/pytorch-while-loop-from-a-constant.json", false},
	    {"corpus/zoo/clad-unentered-loop-0.json", false} /* an input says how often */,
	    {"corpus/documents/nx-while-acc-mul-x-n3.json", false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (!row_wanted("idles: %s", cases[i].file))
			continue;
		struct testcase c;
		struct error e = {0};

		CHECK(testcase_read_file(cases[i].file, a, &c, &e), "%s: %s %s", cases[i].file, e.place, e.text);
		CHECK(edit_idles(&c.program) == cases[i].idles, "%s: %d", cases[i].file, !cases[i].idles);
	}
}

/* ---- an engine that dies ---- */

static bool dies(void *limit, const struct testcase *c, struct arena *scratch)
{
	(void)c, (void)scratch;
	((struct limit *)limit)->deaths++;
	return false;
}

static void check_deaths(const struct testcase *from, int tried, struct arena *a)
{
	enum { VAIN_DEATHS = 64 };
	struct minimize_statistics stats;
	struct limit limit = {0};

	minimize(from, dies, &limit, 1000, &limit, a, &stats);
	CHECK(tried > VAIN_DEATHS && stats.tried == VAIN_DEATHS, "%ld candidates instead of %d", (long)stats.tried,
	    tried);
}

/* ---- nodes as data ---- */

/* From value x: ten sines, the last of them y. */
#define SINES(x, y) \
	y "0 = sin " x "; " y "1 = sin " y "0; " y "2 = sin " y "1; " y "3 = sin " y "2; " y "4 = sin " y "3; " y \
	  "5 = sin " y "4; " y "6 = sin " y "5; " y "7 = sin " y "6; " y "8 = sin " y "7; " y " = sin " y "8; "

static bool is_sine(const void *context, const struct program *p, const struct node *n)
{
	(void)context, (void)p;
	return n->op == OP_SIN;
}

static bool is_constant(const void *context, const struct program *p, const struct node *n)
{
	(void)context, (void)p;
	return n->op == OP_CONSTANT;
}

/* As many nodes as need two runs of the program; one by one gives the same case. */
static void check_cut(struct arena *a)
{
	const struct testcase c = test_function(a, "x: f64[]",
	    "v = sin x; c = cos v; " SINES("v", "w") SINES("w", "u") "p = mul v, u; q = add p, c; y = add q, 3", "0.5",
	    "");
	struct error error = {0};
	struct edit all = {.c = testcase_copy(&c, a), .arena = a, .primal = engine_open("tape", &error)}, each = all;
	struct site s;

	each.c = testcase_copy(&c, a);
	CHECK(cut_nodes(&all, is_sine, NULL) && edit_finish(&all, true), "not cut");
	for (int k = 0; edit_site_last(&each, k, &s);)
		if (s.node->op != OP_SIN || pass_cut(&each, k) != EDIT_TRY)
			k++;
	CHECK(edit_finish(&each, true) && testcase_equal(&all.c, &each.c), "another case than one by one");
	CHECK(!cut_nodes(&all, is_sine, NULL), "cut, though there is none");
	CHECK(!cut_nodes(&all, is_constant, NULL), "a constant was cut");
	engine_close(all.primal);
}

int main(int argc, char **argv)
{
	struct minimize_statistics stats;
	struct testcase from, same;
	struct error e = {0};
	struct arena a;
	int refused = 0;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	from = test_case(&a, example_text);
	CHECK(testcase_check(&from, &e), "the example: %s %s", e.place, e.text);
	same = minimize(&from, never, NULL, 1000, NULL, &a, &stats);
	test_idles(&a);
	CHECK(testcase_equal(&from, &same) && !stats.accepted, "a case changed though nothing was accepted");
	if (row_wanted("deaths"))
		check_deaths(&from, (int)stats.tried, &a);
	if (row_wanted("cut"))
		check_cut(&a);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (row_wanted("table: %s", table[i].name))
			check_row(&table[i], &from, &a);
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
	arena_free(&a);
	return check_done();
}

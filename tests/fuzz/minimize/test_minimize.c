/*
 * The minimizer under artificial predicates: what must be left, and that it is valid, stable, deterministic and
 * within budget.
 */
#include "fuzz/minimize/minimize.h"

#include <string.h>

#include "fuzz/edit/edit.h"
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
	enum { VAIN_DEATHS = 32 };
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

/* A cond loses a result that nobody reads, or that becomes a constant. */
static void check_branch_results(struct arena *a)
{
	const struct testcase c = test_function(a, "x: f64[]",
	    "p = gt x, 0\nu, v = cond (p) {\n  s = sin x\n  yield s, x\n} else {\n  yield x, x\n}\ny = neg u", "0.5",
	    "");
	int made = 0;

	for (int k = 0; k < 3 * LIMIT_ARGS; k++) {
		struct edit e = {.c = testcase_copy(&c, a), .arena = a};

		if (pass_drop_branch_result(&e, k) != EDIT_TRY)
			continue;
		made++;
		CHECK(edit_finish(&e, true) && testcase_check(&e.c, &(struct error){0}), "edit %d is not valid", k);
		CHECK(
		    k % LIMIT_ARGS == 0 || strstr(testcase_print(&e.c, a), "sin"), "edit %d took the other result", k);
	}
	CHECK(made == 2, "%d edits", made);
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

/* The region of a custom may return any of its parameters. */
static void check_hoist(struct arena *a)
{
	const struct testcase c = test_function(a, "x: f64[], z: f64[]",
	    "y = custom (x, z) transform=vjp {\n"
	    "  params u, v\n"
	    "  s = sin u\n"
	    "  yield v\n"
	    "} do {\n"
	    "  params a, b, d\n"
	    "  n = mul d, 0\n"
	    "  yield n, d\n"
	    "}",
	    "0.5, 0.25", "");
	struct edit e = {.c = testcase_copy(&c, a), .arena = a};

	CHECK(pass_hoist_region(&e, 0) == EDIT_TRY && edit_finish(&e, true), "the second parameter is not the operand");
	CHECK(e.c.program.top.result[0] == e.c.program.top.param + 1, "result v%d", e.c.program.top.result[0]);
}

static bool draws_second(void *name, const struct testcase *c, struct arena *scratch)
{
	(void)scratch;
	return testcase_spelling(c->variant, name, 2) == 1;
}

static bool always(void *context, const struct testcase *c, struct arena *scratch)
{
	(void)context;
	(void)c;
	(void)scratch;
	return true;
}

/* What needs no spelling ends in variant 0, and what needs one in the smallest that draws it. */
static void check_variant(struct arena *a)
{
	static const struct {
		const char *name;
		interesting_fn *interesting;
		int variant, end;
	} rows[] = {
	    {"sin", always, 250, 0},
	    {"clamp", draws_second, 250, 2},
	    {"clamp", draws_second, 2, 2},
	    {"gather", draws_second, 65535, 1},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct testcase c = test_function(a, "x: f64[]", "y = sin x", "0.5", "vjp"), end;
		struct minimize_statistics stats;

		c.variant = rows[k].variant;
		while (!rows[k].interesting((void *)(uintptr_t)rows[k].name, &c, a))
			c.variant--;
		end = minimize(&c, rows[k].interesting, (void *)(uintptr_t)rows[k].name, 1000, NULL, a, &stats);
		CHECK(end.variant == rows[k].end, "%s from %d: variant %d", rows[k].name, c.variant, end.variant);
	}
}

/* A slice, or a cotangent whose elements differ: what a bug in the order of two elements needs. */
static bool tells_elements_apart(void *context, const struct testcase *c, struct arena *scratch)
{
	const struct region *top = &c->program.top;
	const struct tensor *seed;

	(void)context, (void)scratch;
	if (!c->n_transform || shape_elements(&c->program.type[top->param].shape) < 2)
		return false;
	seed = c->transform->seed;
	return region_has_op(top, OP_SLICE) ||
	    (shape_elements(&seed->type.shape) > 1 && bits_of(seed->at[0].f) != bits_of(seed->at[1].f));
}

/* The op that makes the result smaller goes, though the cotangent gets new elements. */
static void check_cotangents(struct arena *a)
{
	const struct testcase c = test_function(
	    a, "x: f64[2]", "y = slice x start=[1] size=[1] stride=[1]", "[0.5, 0.5]", "vjp");
	struct minimize_statistics stats;
	const struct testcase end = minimize(&c, tells_elements_apart, NULL, 1000, NULL, a, &stats);

	CHECK(program_nodes(&end.program) == 0, "%d nodes are left", program_nodes(&end.program));
}

int main(int argc, char **argv)
{
	struct minimize_statistics stats;
	struct testcase from, same;
	struct error e = {0};
	struct arena a;

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
	CHECK_LAW(check_hoist(&a));
	CHECK_LAW(check_variant(&a));
	CHECK_LAW(check_cotangents(&a));
	if (row_wanted("branch results"))
		check_branch_results(&a);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (row_wanted("table: %s", table[i].name))
			check_row(&table[i], &from, &a);
	arena_free(&a);
	return check_done();
}

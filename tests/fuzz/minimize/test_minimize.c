/* The minimizer under artificial predicates: what must be left, and that it is valid, stable, deterministic and within budget. */
#include "fuzz/minimize/minimize.h"

#include <string.h>

#include "fuzz/campaign/campaign.h"
#include "fuzz/edit/edit.h"
#include "fuzz/minimize/finding.h"
#include "tests/check.h"

/* ---- a case with a bit of everything ---- */

static const struct type real = {.dtype = DTYPE_F64}, count = {.dtype = DTYPE_I64}, small = {.dtype = DTYPE_F32};
static const struct type vector = {DTYPE_F64, {1, {4}}};

static int op1(struct builder *b, enum op op, int x)
{
	return build_node(b, op, &x, 1, NULL, NULL);
}

static int op2(struct builder *b, enum op op, int x, int y)
{
	return build_node(b, op, (int[]){x, y}, 2, NULL, NULL);
}

/* for (i < n): a = sin(a) * x; c = c + a * 3 */
static int counted_loop(struct builder *b, int n, int a, int c, int x)
{
	int i = build_open(b, (const struct type[]){count, real, real}, 3), k = i + 1, s;

	s = op2(b, OP_MUL, op1(b, OP_SIN, k), x);
	build_close(b, (const int[]){s, op2(b, OP_ADD, k + 1, op2(b, OP_MUL, k, build_scalar(b, DTYPE_F64, 3)))}, 2);
	return build_region_node(b, OP_FOR, (const int[]){n, a, c}, 3, &(struct attrs){.trip = -1, .cap = 9}, NULL);
}

/* while (a < 5): a = a + exp(a) */
static int open_loop(struct builder *b, int a)
{
	int k = build_open(b, &real, 1);

	build_close(b, (const int[]){op2(b, OP_LT, k, build_scalar(b, DTYPE_F64, 5))}, 1);
	k = build_open(b, &real, 1);
	build_close(b, (const int[]){op2(b, OP_ADD, k, op1(b, OP_EXP, k))}, 1);
	return build_region_node(b, OP_WHILE, (const int[]){a}, 1, &(struct attrs){.cap = 7}, NULL);
}

/* scan over v: c = c * slice, output tanh(c) */
static int stacked_loop(struct builder *b, int c, int v)
{
	int k = build_open(b, (const struct type[]){real, real}, 2), next = op2(b, OP_MUL, k, k + 1);

	build_close(b, (const int[]){next, op1(b, OP_TANH, next)}, 2);
	return build_region_node(b, OP_SCAN, (const int[]){c, v}, 2, &(struct attrs){.trip = 4, .carries = 1}, NULL);
}

static int branches(struct builder *b, int p, int x)
{
	int y;

	build_open(b, NULL, 0);
	y = op1(b, OP_COS, x);
	build_close(b, &y, 1);
	build_open(b, NULL, 0);
	y = op1(b, OP_SQRT, x);
	build_close(b, &y, 1);
	return build_region_node(b, OP_COND, &p, 1, NULL, NULL);
}

static struct tensor filled(struct arena *a, const struct type *t, double x)
{
	struct tensor out = tensor_new(a, t);

	for (int i = 0, n = shape_elements(&t->shape); i < n; i++)
		if (dtype_is_float(t->dtype))
			out.at[i].f = dtype_round(t->dtype, x + 0.125 * i);
		else
			out.at[i].i = (int64_t)x;
	return out;
}

static struct testcase example(struct arena *a)
{
	const struct type input[] = {real, vector, count, small, real};
	const double at[] = {0.7, -1.3, 5, 1.625, 0.3};
	struct type pair = {DTYPE_I64, {1, {2}}}, wide = {DTYPE_F64, {1, {2}}};
	struct builder b = {0};
	struct testcase c = {.n_point = 2, .n_transform = 1};
	int in[5], x, loop, w, scan, scatter, sum, index, result[4];
	struct tensor indices = filled(a, &pair, 2), updates = filled(a, &wide, 0.3);

	build_begin(&b, a);
	for (int i = 0; i < 5; i++)
		in[i] = build_input(&b, &input[i]);
	x = op2(&b, OP_ADD, in[0], build_node(&b, OP_CAST, &in[3], 1, &(struct attrs){.dtype = DTYPE_F64}, NULL));
	loop = counted_loop(&b, in[2], x, in[4], in[0]);
	w = open_loop(&b, loop);
	scan = stacked_loop(&b, w, in[1]);
	index = build_constant(&b, &indices);
	scatter = build_node(&b, OP_SCATTER_ADD, (int[]){in[1], index, build_constant(&b, &updates)}, 3, &(struct attrs){.mode = MODE_WRAP},
	    NULL);
	sum = build_node(&b, OP_REDUCE_SUM, (int[]){op2(&b, OP_MUL, scatter, scan + 1)}, 1, &(struct attrs){.n_axes = 1}, NULL);
	result[0] = build_node(&b, OP_SELECT, (int[]){op2(&b, OP_GT, sum, loop + 1), scan, sum}, 3, NULL, NULL);
	result[1] = branches(&b, op2(&b, OP_LT, in[0], w), op1(&b, OP_EXP, in[4]));
	result[2] = scatter;
	result[3] = build_node(&b, OP_MUL, (int[]){in[3], in[3]}, 2, NULL, NULL);
	c.program = build_end(&b, result, 4);
	c.point = NEW(a, struct tensor *, 2);
	for (int p = 0; p < 2; p++) {
		c.point[p] = NEW(a, struct tensor, 5);
		for (int i = 0; i < 5; i++)
			c.point[p][i] = filled(a, &input[i], at[i] + (i == 2 ? 0 : 0.11 * p));
	}
	c.transform = NEW(a, struct transform, 1);
	c.transform[0] = (struct transform){.kind = TRANSFORM_VJP, .n_wrt = 3, .n_seed = 4};
	c.transform[0].wrt = arena_copy(a, (const int[]){0, 1, 4}, 3, sizeof(int));
	c.transform[0].seed = NEW(a, struct tensor, 4);
	for (int i = 0; i < 4; i++)
		c.transform[0].seed[i] = filled(a, &c.program.type[c.program.top.result[i]], 0.77);
	return c;
}

/* ---- predicates: an op, perhaps below a loop with a least number of iterations ---- */

struct wanted {
	const char *name;
	enum op op, below; /* below == op: anywhere */
	int trip;          /* of the enclosing loop, at least */
	int n_wrt;         /* differentiated inputs, at least */
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
	struct testcase small_case = minimize(from, has_wanted, &q, 20000, a, &stats), second;
	int ops = ops_of(&small_case.program.top);
	struct arena scratch;

	arena_init(&scratch, 1 << 20);
	CHECK(q.times == stats.tried, "%s: asked %d times, says %d", w->name, q.times, stats.tried);
	CHECK(has_wanted(&(struct request_summary){w, 0}, &small_case, &scratch), "%s: what is left is not interesting", w->name);
	CHECK(ops <= ops_of(&from->program.top), "%s: %d ops are more than before", w->name, ops);
	CHECK(ops <= w->ops, "%s: %d ops left, %d wanted:\n%s", w->name, ops, w->ops, program_print(&small_case.program, a));
	CHECK(!edit_idles(&small_case.program), "%s: a loop that never begins is left", w->name);
	CHECK(largest(&small_case) <= w->elements, "%s: a value of %d elements is left", w->name, largest(&small_case));
	CHECK(small_case.n_point <= w->points, "%s: %d points left", w->name, small_case.n_point);
	second = minimize(&small_case, has_wanted, &q, 20000, a, &again);
	CHECK(testcase_equal(&small_case, &second) && !again.accepted, "%s: not a fixed point", w->name);
	second = minimize(from, has_wanted, &q, 20000, a, &again);
	CHECK(testcase_equal(&small_case, &second) && again.tried == stats.tried, "%s: two runs differ", w->name);
	second = minimize(from, has_wanted, &q, 7, a, &again);
	CHECK(again.tried <= 7, "%s: %d candidates on a budget of 7", w->name, again.tried);
	arena_free(&scratch);
	printf("%-24s %5d tried %4d accepted %d rounds, %d ops\n", w->name, stats.tried, stats.accepted, stats.rounds, ops);
}

/* ---- engines with a fault: towers around the guilty op that hide it or change the kind of deviation ---- */

/* for (i < 4): a = -prod(concat(x, a)) */
static int neg_tower(struct builder *b, int x)
{
	const struct attrs one = {.shape = {1, {1}}};
	int a = build_open(b, (const struct type[]){count, real}, 2) + 1, join[2], y;

	join[0] = build_node(b, OP_RESHAPE, &x, 1, &one, NULL);
	join[1] = build_node(b, OP_RESHAPE, &a, 1, &one, NULL);
	y = build_node(b, OP_CONCATENATE, join, 2, NULL, NULL);
	y = op1(b, OP_NEG, build_node(b, OP_REDUCE_PROD, &y, 1, &(struct attrs){.n_axes = 1}, NULL));
	build_close(b, &y, 1);
	return build_region_node(b, OP_FOR, &x, 1, &(struct attrs){.trip = 4}, NULL);
}

/* sum(-(v @ m) * v), v the input twice */
static int matmul_tower(struct builder *b, int x)
{
	const struct type square = {DTYPE_F64, {2, {2, 2}}};
	struct tensor m = filled(b->arena, &square, 1);
	int v = build_node(b, OP_BROADCAST_TO, &x, 1, &(struct attrs){.shape = {1, {2}}}, NULL), y;

	y = op2(b, OP_MATMUL, v, build_constant(b, &m));
	y = op1(b, OP_NEG, op2(b, OP_MUL, y, v));
	return build_node(b, OP_REDUCE_SUM, &y, 1, &(struct attrs){.n_axes = 1}, NULL);
}

/* Two carries that change places, one of them through a cumulative product. */
static int swapped_carries(struct builder *b, int x)
{
	const struct type wide = {DTYPE_F64, {1, {3}}};
	int v = build_node(b, OP_BROADCAST_TO, &x, 1, &(struct attrs){.shape = wide.shape}, NULL);
	int a = build_open(b, (const struct type[]){count, wide, wide}, 3) + 1, y;

	build_close(b, (const int[]){a + 1, build_node(b, OP_CUMPROD, &a, 1, NULL, NULL)}, 2);
	y = build_region_node(b, OP_FOR, (const int[]){v, v}, 2, &(struct attrs){.trip = 2}, NULL);
	return build_node(b, OP_REDUCE_SUM, &y, 1, &(struct attrs){.n_axes = 1}, NULL);
}

/* checkpoint { for (i < 3): a = -checkpoint { sin(a) * x } } */
static int checkpointed_tower(struct builder *b, int x)
{
	int a, y;

	build_open(b, NULL, 0);
	a = build_open(b, (const struct type[]){count, real}, 2) + 1;
	build_open(b, NULL, 0);
	y = op2(b, OP_MUL, op1(b, OP_SIN, a), x);
	build_close(b, &y, 1);
	y = op1(b, OP_NEG, build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL));
	build_close(b, &y, 1);
	y = build_region_node(b, OP_FOR, &x, 1, &(struct attrs){.trip = 3}, NULL);
	build_close(b, &y, 1);
	return build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL);
}

/* sum of [x, x, x, x] with e = sin(-e * e) * x applied to elements 2, 0, 2 */
static int applied(struct builder *b, int x)
{
	const struct type indices = {DTYPE_I64, {1, {3}}};
	struct tensor at = filled(b->arena, &indices, 2);
	int v = build_node(b, OP_BROADCAST_TO, &x, 1, &(struct attrs){.shape = {1, {4}}}, NULL), index, e, y;

	at.at[1].i = 0;
	index = build_constant(b, &at);
	e = build_open(b, &real, 1);
	y = op2(b, OP_MUL, op1(b, OP_SIN, op1(b, OP_NEG, op2(b, OP_MUL, e, e))), x);
	build_close(b, &y, 1);
	y = build_region_node(b, OP_SCATTER_APPLY, (int[]){v, index}, 2, &(struct attrs){.mode = MODE_WRAP}, NULL);
	return build_node(b, OP_REDUCE_SUM, &y, 1, &(struct attrs){.n_axes = 1}, NULL);
}

/* w = v * v is read, then stored into, and stored into again; the sum of all three */
static int stored(struct builder *b, int x)
{
	const struct type one = {DTYPE_F64, {1, {1}}}, index = {DTYPE_I64, {1, {1}}};
	struct tensor number = filled(b->arena, &one, 2), at = filled(b->arena, &index, 1);
	int v = build_node(b, OP_BROADCAST_TO, &x, 1, &(struct attrs){.shape = {1, {3}}}, NULL), square, first, second, y;

	y = op2(b, OP_MUL, v, v);
	square = op1(b, OP_SQUARE, y);
	first = build_node(b, OP_STORE, (int[]){y, build_constant(b, &number), build_constant(b, &at)}, 3, NULL, NULL);
	y = op1(b, OP_SIN, first);
	at.at[0].i = 0;
	second = build_node(b, OP_STORE, (int[]){first, build_constant(b, &number), build_constant(b, &at)}, 3, NULL, NULL);
	y = op2(b, OP_ADD, op2(b, OP_ADD, square, y), second);
	return build_node(b, OP_REDUCE_SUM, &y, 1, &(struct attrs){.n_axes = 1}, NULL);
}

static const struct guilty {
	const char *spec;
	enum transform_kind kind;
	int (*make)(struct builder *b, int x);
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
	struct testcase c = {.n_point = 1, .n_transform = 1};
	struct builder b = {0};
	int x, y;

	build_begin(&b, a);
	x = build_input(&b, &real);
	y = g->make(&b, x);
	c.program = build_end(&b, &y, 1);
	c.point = NEW(a, struct tensor *, 1);
	c.point[0] = NEW(a, struct tensor, 1);
	c.point[0][0] = filled(a, &real, g->at);
	c.transform = NEW(a, struct transform, 1);
	c.transform[0] = (struct transform){.kind = g->kind, .n_wrt = 1, .n_seed = 1, .wrt = NEW(a, int, 1)};
	c.transform[0].seed = NEW(a, struct tensor, 1);
	c.transform[0].seed[0] = filled(a, &real, 1);
	return c;
}

/* What a search for a finding uses up and comes upon. */
struct search {
	struct limit limit;
	struct slips slips;
};

static struct question search_of(struct search *s, struct bench *b, const char *signature)
{
	return (struct question){.bench = b, .signature = signature, .slips = &s->slips, .until = &s->limit, .spent = &s->limit};
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
	CHECK(minimize_finding(&same, &from, 10000, a, &left, &r, &stats), "%s: what is left does not show %s", g->spec, same.signature);
	ops = ops_of(&left.program.top);
	CHECK(ops <= g->ops, "%s: %d ops left, %d wanted:\n%s", g->spec, ops, g->ops, program_print(&left.program, a));
	CHECK(testcase_check(&left, &e), "%s: what is left is not valid: %s", g->spec, e.text);
	same.judged = JUDGED_IN_FULL;
	CHECK(case_shows(&left, &same, &scratch, NULL), "%s: what is left is not interesting", g->spec);
	printf("%-32s %5d tried %4d accepted %d rounds, %d ops\n", g->spec, stats.tried, stats.accepted, stats.rounds, ops);
	minimize_finding(&same, &left, 10000, a, &again, &r, &stats);
	CHECK(testcase_equal(&left, &again) && !stats.accepted, "%s: not a fixed point", g->spec);
	slips_free(&search.slips);
	bench_close(&b);
	arena_free(&scratch);
}

/* ---- one bug, one program ---- */

/* for (i < 3): a = a * sin(x) + x */
static int sine_tower(struct builder *b, int x)
{
	int a = build_open(b, (const struct type[]){count, real}, 2) + 1, y;

	y = op2(b, OP_ADD, op2(b, OP_MUL, a, op1(b, OP_SIN, x)), x);
	build_close(b, &y, 1);
	return build_region_node(b, OP_FOR, &x, 1, &(struct attrs){.trip = 3}, NULL);
}

/* -x added to what neg_tower makes */
static int neg_beside(struct builder *b, int x)
{
	return op2(b, OP_ADD, op1(b, OP_NEG, op1(b, OP_SIN, x)), neg_tower(b, x));
}

/* A custom whose function, (u * v) * u, and rule are those of a product of three. */
static int product_rule(struct builder *b, int x)
{
	int k = build_open(b, (const struct type[]){real, real}, 2), y = op2(b, OP_MUL, op2(b, OP_MUL, k, k + 1), k), uv, uu;

	build_close(b, &y, 1);
	k = build_open(b, (const struct type[]){real, real, real}, 3);
	uv = op2(b, OP_MUL, k, k + 1);
	uu = op2(b, OP_MUL, k, k);
	build_close(b, (const int[]){op2(b, OP_MUL, op2(b, OP_ADD, uv, uv), k + 2), op2(b, OP_MUL, uu, k + 2)}, 2);
	return build_region_node(b, OP_CUSTOM, (const int[]){x, x}, 2, &(struct attrs){.transform = DERIVATIVE_VJP}, NULL);
}

static int square_rule(struct builder *b, int x)
{
	int k = build_open(b, (const struct type[]){real, real}, 2), y = op2(b, OP_MUL, k, k + 1);

	build_close(b, &y, 1);
	k = build_open(b, (const struct type[]){real, real, real}, 3);
	build_close(b, (const int[]){op2(b, OP_MUL, k + 1, k + 2), op2(b, OP_MUL, k, k + 2)}, 2);
	return op1(b, OP_NEG, build_region_node(b, OP_CUSTOM, (const int[]){x, x}, 2, &(struct attrs){.transform = DERIVATIVE_VJP}, NULL));
}

static const struct {
	struct guilty from[2];
} twins[] = {
    {{{"functional+residual-fifo", TRANSFORM_VJP, neg_tower, 1.75, 2}, {"functional+residual-fifo", TRANSFORM_VJP, sine_tower, 0.625, 2}}},
    {{{"tape+scale:neg:1.5", TRANSFORM_VJP, applied, 0.25, 1}, {"tape+scale:neg:1.5", TRANSFORM_VJP, neg_beside, 0.375, 1}}},
    {{{"aot+alias-args-dedup", TRANSFORM_VJP, product_rule, 0.375, 2}, {"aot+alias-args-dedup", TRANSFORM_VJP, square_rule, 0.625, 2}}},
};

/* Opens the bench and the finding of g, from which *same starts. */
static bool open_guilty(const struct guilty *g, struct arena *a, struct bench *b, struct testcase *from, struct search *search, struct question *same)
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
		CHECK(minimize_finding(&same, &start, 10000, a, &small_case[i], &r, &stats), "%s: %s is gone", from[i].spec, same.signature);
		CHECK(ops_of(&small_case[i].program.top) <= from[i].ops, "%s: %d ops left, %d wanted", from[i].spec, ops_of(&small_case[i].program.top), from[i].ops);
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

static bool stop_at_once(void)
{
	return true;
}

static void check_end(const struct guilty *g, const char *name, struct limit end, refuse_case_fn *refuse, void *context, struct arena *a)
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
	CHECK(minimize_finding(&same, &from, 10000, a, &left, &r, &stats), "%s: what was not minimized does not show", name);
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
	CHECK(strcmp(signature, t->own) && !strncmp(signature, t->guilty->spec, strlen(t->guilty->spec)), "%s: slipped to %s", t->own, signature);
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
	minimize_finding(&same, &from, 10000, a, &left, &r, &stats);
	slips_take(&search.slips, g->spec, NULL, take, &taken);
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
	    {"corpus/real/pytorch-while-loop-of-no-steps.json", true}, {"corpus/real/pytorch-scan-of-no-step.json", true}, {"corpus/real/pytorch-while-loop-from-a-constant.json", false},
	    {"corpus/zoo/clad-unentered-loop-0.json", false} /* an input says how often */, {"corpus/documents/nx-while-acc-mul-x-n3.json", false},
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

int main(int argc, char **argv)
{
	struct minimize_statistics stats;
	struct testcase from, same;
	struct error e = {0};
	struct arena a;
	int refused = 0;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	from = example(&a);
	CHECK(testcase_check(&from, &e), "the example: %s %s", e.place, e.text);
	same = minimize(&from, never, NULL, 1000, &a, &stats);
	test_idles(&a);
	CHECK(testcase_equal(&from, &same) && !stats.accepted, "a case changed though nothing was accepted");
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

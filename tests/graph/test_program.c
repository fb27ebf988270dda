/* Building, editing, hashing and printing of programs with nested regions. */
#include "graph/program.h"
#include "graph/walk.h"
#include "tests/check.h"
#include "tests/graph/example_program.h"

#include <string.h>

static const char example_text[] = "inputs v0: f64[], v1: f64[3]\n"
                                   "v12: f64[] = for (v0) trip=4 {\n"
                                   "  params v2: i64[], v3: f64[]\n"
                                   "  v10: f64[], v11: f64[3] = scan (v3, v1) trip=3 carries=1 until {\n"
                                   "    params v4: f64[], v5: f64[]\n"
                                   "    v6: f64[] = mul v4, v5\n"
                                   "    v7: bool[] = lt v6, v3\n"
                                   "    v9: f64[] = cond (v7) {\n"
                                   "      v8: f64[] = exp v6\n"
                                   "      yield v8\n"
                                   "    } else {\n"
                                   "      yield v0\n"
                                   "    }\n"
                                   "    yield v9, v6, v7\n"
                                   "  }\n"
                                   "  yield v10\n"
                                   "}\n"
                                   "v18: f64[] = while (v12) cap=10 {\n"
                                   "  params v13: f64[]\n"
                                   "  v14: bool[] = lt v13, v0\n"
                                   "  yield v14\n"
                                   "} do {\n"
                                   "  params v15: f64[]\n"
                                   "  v16: f64[] = constant 0.1\n"
                                   "  v17: f64[] = add v15, v16\n"
                                   "  yield v17\n"
                                   "}\n"
                                   "return v12, v18\n";

static void expect_valid(const struct program *p, const char *what)
{
	struct error e = {0};

	CHECK(program_check(p, &e), "%s: %s: %s", what, e.place, e.text);
}

static void test_round_trip(struct arena *a)
{
	struct program p = example(a, false), late = example(a, true), again = example(a, false);
	struct program copy = program_copy(&p, a), lean = program_drop_dead(&p, a),
	               lean_late = program_drop_dead(&late, a);
	struct program same = program_renumber(&p, a);

	expect_valid(&p, "example");
	expect_valid(&late, "late example");
	expect_valid(&lean, "lean example");
	CHECK(program_equal(&p, &again) && program_hash(&p) == program_hash(&again), "built twice");
	CHECK(program_equal(&p, &copy) && program_hash(&p) == program_hash(&copy), "copied");
	CHECK(program_equal(&p, &same), "canonical already");
	CHECK(!program_equal(&p, &late) && program_hash(&p) != program_hash(&late), "one more node");
	CHECK(!program_equal(&p, &lean) && program_hash(&p) != program_hash(&lean), "dead nodes dropped");
	CHECK(program_equal(&lean, &lean_late), "the late constant is dead, too");
	CHECK(program_has_dead(&p, a) && !program_has_dead(&lean, a), "dead nodes are noticed");
	CHECK(program_nodes(&p) == 12 && program_nodes(&lean) == 10, "%d nodes, then %d", program_nodes(&p),
	    program_nodes(&lean));
	CHECK(!strcmp(program_print(&lean, a), example_text), "prints\n%s", program_print(&lean, a));

	/* A copy is deep. */
	copy.top.node[1].region[0].node[0].op = OP_TAN;
	copy.top.node[2].region[1].node[0].attrs.value.at[0].f = 7;
	CHECK(program_equal(&p, &again), "the original stays");
	CHECK(!program_equal(&p, &copy), "an op inside a region differs");
}

/* Turns the numbers round: the last value becomes the first. */
static void permute(struct region *region, int n)
{
	if (region->n_param)
		region->param = n - region->n_param - region->param;
	for (int k = 0; k < region->n_node; k++) {
		struct node *node = &region->node[k];
		for (int i = 0; i < node->n_arg; i++)
			node->arg[i] = n - 1 - node->arg[i];
		for (int i = 0; i < node->n_region; i++)
			permute(&node->region[i], n);
		node->out = n - node->n_out - node->out;
	}
	for (int i = 0; i < region->n_result; i++)
		region->result[i] = n - 1 - region->result[i];
}

static void test_renumber(struct arena *a)
{
	struct builder b = {0};
	int x, y;

	build_begin(&b, a);
	x = build_input(&b, &real);
	y = op1(&b, OP_SIN, x);
	build_open(&b, &count, 1);
	build_close(&b, NULL, 0);
	/* A for without carries has no result: refused, and its region is gone. */
	struct error e = {0};
	CHECK(build_region_node(&b, OP_FOR, NULL, 0, &(struct attrs){.trip = 1}, &e) == -1 && e.text[0], "no operands");
	y = op1(&b, OP_EXP, y);
	CHECK(y == 3, "a gap is left, v%d", y);
	struct program p = build_end(&b, (const int[]){y}, 1);
	CHECK(p.n_value == 3 && p.top.result[0] == 2, "build_end closes the gap");
	expect_valid(&p, "gap");

	struct program q = program_copy(&p, a);
	permute(&q.top, q.n_value);
	for (int v = 0; v < q.n_value; v++)
		q.type[v] = p.type[q.n_value - 1 - v];
	expect_valid(&q, "numbers in another order are valid");
	struct program r = program_copy(&q, a);
	q = program_renumber(&q, a);
	CHECK(program_equal(&p, &q), "renumbered");
	program_number(&r, a);
	CHECK(program_equal(&p, &r), "renumbered in place");
}

/* ---- limits and counts ---- */

/* Loops in loops, `depth` regions deep. */
static struct program nest(struct arena *a, int depth, int trip)
{
	struct builder b = {0};
	int v;

	build_begin(&b, a);
	v = build_input(&b, &real);
	for (int i = 0; i < depth; i++)
		v = build_open(&b, (const struct type[]){count, real}, 2) + 1;
	v = op1(&b, OP_NEG, v);
	for (int i = 0; i < depth; i++) {
		build_close(&b, &v, 1);
		/* The loop's operand: the carry of the region around it, or the input. */
		v = i + 1 < depth ? (depth - 2 - i) * 2 + 2 : 0;
		v = build_region_node(&b, OP_FOR, &v, 1, &(struct attrs){.trip = trip}, NULL);
	}
	return build_end(&b, &v, 1);
}

static void test_limits(struct arena *a)
{
	struct program p = nest(a, LIMIT_DEPTH, 1);
	struct error e = {0};

	expect_valid(&p, "as deep as allowed");
	p = nest(a, LIMIT_DEPTH + 1, 1);
	CHECK(!program_check(&p, &e) && strstr(e.text, "nested"), "too deep: %s", e.text);

	/*
	 * One region of two parameters around neg: 1 + 2 + (1 + 2), ten times, and the loop itself and its
	 * surroundings.
	 */
	p = nest(a, 1, 10);
	CHECK(program_work(&p) == 1 + 1 + (1 + 1 + 1) + 10 * 6, "work %lld", (long long)program_work(&p));
	p = nest(a, LIMIT_DEPTH, LIMIT_TRIP);
	CHECK(program_work(&p) == INT64_MAX, "saturates at %lld", (long long)program_work(&p));
	/* A loop around nothing costs time all the same. */
	p = nest(a, 2, LIMIT_TRIP);
	p.top.node[0].region[0].node[0].region[0].n_node = 0;
	p.top.node[0].region[0].node[0].region[0].result[0] = p.top.node[0].region[0].node[0].region[0].param + 1;
	p = program_renumber(&p, a);
	e = (struct error){0};
	CHECK(!program_check(&p, &e) && strstr(e.text, "work"), "an empty loop: %s", e.text);
	CHECK(node_max_trip(&p.top.node[0]) == LIMIT_TRIP, "trip");
}

/* ---- walking ---- */

/* -x or, in the other branch, a loop of sines; then exp. */
static struct program branches(struct arena *a)
{
	struct builder b = {0};
	int x, yes, v;

	build_begin(&b, a);
	x = build_input(&b, &real);
	yes = build_scalar(&b, DTYPE_BOOL, 1);
	build_open(&b, NULL, 0);
	v = op1(&b, OP_NEG, x);
	build_close(&b, &v, 1);
	build_open(&b, NULL, 0);
	v = op1(&b, OP_SIN, build_open(&b, (const struct type[]){count, real}, 2) + 1);
	build_close(&b, &v, 1);
	v = build_region_node(&b, OP_FOR, &x, 1, &(struct attrs){.trip = 2}, NULL);
	build_close(&b, &v, 1);
	v = op1(&b, OP_EXP, build_region_node(&b, OP_COND, &yes, 1, NULL, NULL));
	return build_end(&b, &v, 1);
}

static void test_walk(struct arena *a)
{
	static const struct {
		enum op op;
		int depth, index;
	} want[] = {
	    {OP_CONSTANT, 0, 0}, {OP_COND, 0, 1}, {OP_NEG, 1, 0}, {OP_FOR, 1, 0}, {OP_SIN, 2, 0}, {OP_EXP, 0, 2}};
	struct program p = branches(a), deep = nest(a, LIMIT_DEPTH, 1);
	const struct node *sine = p.top.node[1].region[1].node[0].region[0].node;
	int n = 0, regions = 0, inside = 0, beside = 0;

	for (struct walk w = walk_nodes(&p.top); walk_next(&w); n++)
		CHECK(w.number == n && w.node->op == want[n].op && w.depth == want[n].depth &&
		        w.index == want[n].index && w.node == &w.region->node[w.index] &&
		        walk_around_of(&w, OP_COND) == (w.depth > 0),
		    "node %d is %s", n, op_table[w.node->op].name);
	for (struct walk w = walk_nodes(&p.top); walk_region(&w);)
		regions++;
	for (struct walk w = walk_inside(&p.top.node[1]); walk_next(&w);)
		inside++;
	for (struct walk w = walk_nodes(&p.top); walk_next(&w); walk_past(&w))
		beside++;
	CHECK(n == LENGTH(want) && regions == 4 && inside == 3 && beside == 3,
	    "%d nodes, %d regions, %d inside, %d beside", n, regions, inside, beside);
	CHECK(
	    region_nesting(&p.top, OP_FOR) == 1 && region_nesting(&deep.top, OP_FOR) == LIMIT_DEPTH, "loops in loops");
	CHECK(region_reads(&p.top, sine->out) && !region_reads(&p.top.node[1].region[0], sine->out),
	    "read as a result of its region");
	CHECK(
	    region_defines(&p.top.node[1].region[1], sine->out) && !region_defines(&p.top.node[1].region[0], sine->out),
	    "defined in its branch");
}

static void test_many_nodes(struct arena *a)
{
	struct builder b = {0};
	struct error e = {0};
	int v;

	build_begin(&b, a);
	v = build_input(&b, &real);
	for (int i = 0; i < LIMIT_NODES; i++)
		v = op1(&b, OP_NEG, v);
	struct program p = build_end(&b, &v, 1);
	expect_valid(&p, "as many nodes as allowed");
	struct program lean = program_drop_dead(&p, a);
	CHECK(program_equal(&p, &lean), "a chain has no dead node");
	CHECK(p.n_value == LIMIT_NODES + 1 && v == LIMIT_NODES, "%d values", p.n_value);

	build_begin(&b, a);
	v = build_input(&b, &real);
	for (int i = 0; i < LIMIT_NODES + 1; i++)
		v = op1(&b, OP_NEG, v);
	p = build_end(&b, &v, 1);
	CHECK(!program_check(&p, &e) && !strcmp(e.place, "body[1024]"), "too many: %s: %s", e.place, e.text);
}

/* ---- the builder ---- */

static void test_builder(struct arena *a)
{
	struct builder b = {0};
	struct error e = {0};
	int x, y;

	build_begin(&b, a);
	x = build_input(&b, &real);
	y = build_input(&b, &flag);
	CHECK(build_node(&b, OP_ADD, (const int[]){x, y}, 2, NULL, &e) == -1, "f64 + bool");
	CHECK(strstr(e.text, "add: operand 1 has type bool[], expected dtype f64"), "%s", e.text);
	CHECK(build_node(&b, OP_NEG, (const int[]){7}, 1, NULL, NULL) == -1, "no value v7");
	CHECK(b.program.n_value == 2, "nothing was added");
	e = (struct error){0};
	CHECK(build_region_node(&b, OP_COND, &y, 1, NULL, &e) == -1 && strstr(e.text, "0 regions, expected 2"), "%s",
	    e.text);

	int tenth = build_scalar(&b, DTYPE_F16, 0.1), large = build_scalar(&b, DTYPE_I32, 1e12);
	int more = build_scalar(&b, DTYPE_I64, -0x1p70), truth = build_scalar(&b, DTYPE_BOOL, 3);
	struct program p = build_end(&b, (const int[]){tenth, large, more, truth}, 4);
	expect_valid(&p, "scalars");
	CHECK(p.top.node[0].attrs.value.at[0].f == 0x1.998p-4, "f16 0.1 is %a", p.top.node[0].attrs.value.at[0].f);
	CHECK(!strcmp(program_print(&p, a),
	          "inputs v0: f64[], v1: bool[]\nv2: f16[] = constant 0.1\nv3: i32[] = constant 2147483647\n"
	          "v4: i64[] = constant -9223372036854775808\nv5: bool[] = constant true\nreturn v2, v3, v4, v5\n"),
	    "prints\n%s", program_print(&p, a));
}

/* A for with a counted trip, and the two extremes of scan: no carries, no outputs. */
static void test_loops(struct arena *a)
{
	struct builder b = {0};
	struct error e = {0};
	struct type out[LIMIT_ARGS];
	int n, x, v, many[LIMIT_ARGS], row, k, loop_value, only_outputs, only_carries;

	build_begin(&b, a);
	x = build_input(&b, &real);
	v = build_input(&b, &vector);
	n = build_input(&b, &count);
	k = build_open(&b, (const struct type[]){count, real}, 2);
	build_close(&b, (const int[]){k + 1}, 1);
	loop_value = build_region_node(&b, OP_FOR, (const int[]){n, x}, 2, &(struct attrs){.trip = -1, .cap = 9}, &e);
	row = build_open(&b, &real, 1);
	build_close(&b, (const int[]){row, v}, 2);
	only_outputs = build_region_node(&b, OP_SCAN, &v, 1, &(struct attrs){.trip = 3}, &e);
	row = build_open(&b, &vector, 1);
	build_close(&b, &row, 1);
	only_carries = build_region_node(&b, OP_SCAN, &v, 1, &(struct attrs){.trip = 7, .carries = 1}, &e);
	CHECK(!e.text[0], "%s", e.text);
	struct program p = build_end(&b, (const int[]){loop_value, only_outputs, only_outputs + 1, only_carries}, 4);
	expect_valid(&p, "loops");
	CHECK(node_max_trip(&p.top.node[0]) == 9, "the cap");
	const struct type square = {DTYPE_F64, {2, {3, 3}}};
	CHECK(type_equal(&p.type[p.top.result[2]], &square), "a captured vector is stacked three times");

	/* The index makes a 17th parameter. */
	for (int i = 0; i < LIMIT_ARGS; i++)
		many[i] = p.top.param;
	struct node node = {.op = OP_FOR, .n_arg = LIMIT_ARGS, .arg = many, .attrs = {.trip = 1}, .n_region = 1};
	CHECK(!node_region_params(&p, &node, 0, out, &n, &e) && strstr(e.text, "17 parameters"), "%s", e.text);
}

/* Attributes that an op does not name change nothing; those that it names do. */
static void test_attrs(struct arena *a)
{
	struct program p = example(a, false), q = example(a, false);

	loop(&q)->attrs.cap = 5; /* trip is fixed */
	loop(&q)->attrs.axis = 3;
	CHECK(program_equal(&p, &q) && program_hash(&p) == program_hash(&q), "unused attributes");
	expect_valid(&q, "unused attributes");
	repeat(&q)->attrs.cap = 5;
	CHECK(!program_equal(&p, &q) && program_hash(&p) != program_hash(&q), "cap of a while");
	/* The same on every host and build: a change here makes old hashes worthless. */
	CHECK(program_hash(&p) == UINT64_C(0xece3d02dfcaab0ee), "hash %llx", (unsigned long long)program_hash(&p));
}

static int stored(struct builder *b, int buffer, int update, int starts)
{
	return build_node(b, OP_STORE, (int[]){buffer, update, starts}, 3, NULL, NULL);
}

/* Seven stores: of those whose buffer is used elsewhere, captured or not the region's own, an update is left. */
static void test_settle(struct arena *a)
{
	static const enum op want[] = {
	    OP_STORE, OP_DYNAMIC_UPDATE_SLICE, OP_STORE, OP_DYNAMIC_UPDATE_SLICE, OP_DYNAMIC_UPDATE_SLICE};
	const struct type index = {DTYPE_I64, {1, {1}}};
	struct builder b = {0};
	struct error e = {0};
	int x, y, s, out[6], inner[3], first;
	const struct node *node;

	build_begin(&b, a);
	x = build_input(&b, &vector);
	y = build_input(&b, &vector);
	s = build_input(&b, &index);
	out[0] = stored(&b, x, y, s);
	out[1] = stored(&b, out[0], y, s); /* read again below */
	out[2] = stored(&b, out[1], out[0], s);
	out[3] = stored(&b, out[2], out[2], s); /* by itself */
	out[4] = stored(&b, y, out[3], s);      /* captured below */
	first = build_open(&b, &vector, 1);
	inner[0] = stored(&b, first, y, s);
	inner[1] = stored(&b, out[3], y, s); /* not its region's own */
	build_close(&b, inner, 2);
	out[5] = build_region_node(&b, OP_SCAN, out, 1, &(struct attrs){.trip = 2, .carries = 1}, NULL);
	struct program p = build_end(&b, out + 3, 3);
	CHECK(!program_check(&p, NULL), "buffers are used again");
	struct program settled = program_copy(&p, a);
	program_settle_stores(&settled, a);
	CHECK(program_check(&settled, &e), "%s: %s", e.place, e.text);
	for (int k = 0; k < LENGTH(want); k++)
		CHECK(settled.top.node[k].op == want[k], "store %d is %s", k, op_table[settled.top.node[k].op].name);
	node = settled.top.node[5].region[0].node;
	CHECK(node[0].op == OP_STORE && node[1].op == OP_DYNAMIC_UPDATE_SLICE, "in the scan: %s, %s",
	    op_table[node[0].op].name, op_table[node[1].op].name);
	p = program_copy(&settled, a);
	program_settle_stores(&settled, a);
	CHECK(program_equal(&p, &settled), "settled again");
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	CHECK_LAW(test_round_trip(&a));
	CHECK_LAW(test_renumber(&a));
	CHECK_LAW(test_limits(&a));
	CHECK_LAW(test_walk(&a));
	CHECK_LAW(test_many_nodes(&a));
	CHECK_LAW(test_builder(&a));
	CHECK_LAW(test_loops(&a));
	CHECK_LAW(test_attrs(&a));
	CHECK_LAW(test_settle(&a));
	arena_free(&a);
	return check_done();
}

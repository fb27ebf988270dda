/*
 * test_store.c: buffers that are stored into.  A store has the value of dynamic_update_slice: whatever else holds the buffer, every
 * engine gives the same bits for both.  Where nobody does, tape's memory does not grow by a buffer an iteration.
 */
#include "fuzz/generate/generate.h"
#include "graph/testcase.h"
#include "tests/engines/samples.h"

enum { CASES = 4000, TABLE = 500 };

static const char *const specs[] = {"forward", "tape", "functional", "checkpointed", "parallel", "aot"};
enum { SPECS = sizeof specs / sizeof specs[0] };

/* ---- programs in which a buffer has another name, too ---- */

static int write_at(struct builder *b, int buffer, double value, int position)
{
	int update = build_node(b, OP_RESHAPE, &(int){build_scalar(b, DTYPE_F64, value)}, 1, &(struct attrs){.shape = {1, {1}}}, NULL);

	return build_node(b, OP_STORE, (int[]){buffer, update, integers(b, 1, &position)}, 3, NULL, NULL);
}

/* The input is stored into, and read through a copy that was taken before. */
static int of_input(struct builder *b, int x, int *result)
{
	int before = op2(b, OP_MUL, x, x);

	result[0] = before;
	result[1] = write_at(b, x, 5, 1);
	return 2;
}

/* Nobody but the caller reads what is overwritten. */
static int of_input_alone(struct builder *b, int x, int *result)
{
	result[0] = write_at(b, x, 5, 1);
	return 1;
}

/* Two carries begin as one value; one is stored into, and they change places. */
static int of_twins(struct builder *b, int x, int *result)
{
	int v = op2(b, OP_MUL, x, x);
	int p = build_open(b, (struct type[]){{DTYPE_I64, {0}}, {DTYPE_F64, {1, {3}}}, {DTYPE_F64, {1, {3}}}}, 3) + 1;
	int other = op2(b, OP_MUL, p + 1, p + 1);

	build_close(b, (int[]){op2(b, OP_ADD, p + 1, other), write_at(b, p, 2, 0)}, 2);
	v = build_region_node(b, OP_FOR, (int[]){v, v}, 2, &(struct attrs){.trip = 3}, NULL);
	result[0] = v;
	result[1] = v + 1;
	return 2;
}

/* A loop takes one value over three times, one a value that nobody else uses, and one that it captures as well. */
static int of_taken_over(struct builder *b, int x, int *result)
{
	const struct type vector = {DTYPE_F64, {1, {3}}};
	const struct type params[] = {{DTYPE_I64, {0}}, vector, vector, vector, vector, vector};
	int v = op2(b, OP_MUL, x, x), alone = op2(b, OP_ADD, x, x), captured = op2(b, OP_SUB, x, v);
	int p = build_open(b, params, 6) + 1;
	int sum = op2(b, OP_ADD, op2(b, OP_MUL, p + 1, p + 3), captured);

	build_close(b, (int[]){write_at(b, p, 2, 0), op2(b, OP_ADD, p + 1, sum), op2(b, OP_ADD, p + 2, p + 2), write_at(b, p + 3, 4, 1),
			   write_at(b, p + 4, 3, 2)}, 5);
	v = build_region_node(b, OP_FOR, (int[]){v, v, v, alone, captured}, 5, &(struct attrs){.trip = 3}, NULL);
	for (int k = 0; k < 5; k++)
		result[k] = v + k;
	return 5;
}

/* The condition of a while stores into its parameter; the body sees what it was. */
static int of_condition(struct builder *b, int x, int *result)
{
	int v = op2(b, OP_MUL, x, x);
	int p = build_open(b, &(struct type){DTYPE_F64, {1, {3}}}, 1);
	int written = write_at(b, p, 90, 0);
	int sum = build_node(b, OP_REDUCE_SUM, &written, 1, &(struct attrs){.n_axes = 1}, NULL);

	build_close(b, (int[]){op2(b, OP_LT, sum, build_scalar(b, DTYPE_F64, 140))}, 1);
	p = build_open(b, &(struct type){DTYPE_F64, {1, {3}}}, 1);
	build_close(b, (int[]){op2(b, OP_ADD, p, p)}, 1);
	result[0] = build_region_node(b, OP_WHILE, &v, 1, &(struct attrs){.cap = 9}, NULL);
	return 1;
}

/* A cond and a checkpoint hand on what they have captured: stored into, while the first name stays in use; and the other way round. */
static int of_captured(struct builder *b, int x, int *result)
{
	int v = op2(b, OP_MUL, x, x), w = op2(b, OP_ADD, x, x), p = build_scalar(b, DTYPE_BOOL, 1), passed, kept;

	build_open(b, NULL, 0);
	build_close(b, &v, 1);
	build_open(b, NULL, 0);
	build_close(b, &x, 1);
	passed = build_region_node(b, OP_COND, &p, 1, NULL, NULL);
	build_open(b, NULL, 0);
	build_close(b, (int[]){w, w}, 2);
	kept = build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL);
	result[0] = write_at(b, passed, 7, 2);
	result[1] = op2(b, OP_MUL, v, v);
	result[2] = write_at(b, w, 9, 0);
	result[3] = write_at(b, kept, 8, 1);
	result[4] = kept + 1;
	return 5;
}

/* A loop that may not run gives its initial buffer, which is stored into afterwards and read by its old name; outputs of a scan, too. */
static int of_loops(struct builder *b, int x, int *result)
{
	int v = op2(b, OP_MUL, x, x), p, rows;

	p = build_open(b, (struct type[]){{DTYPE_I64, {0}}, {DTYPE_F64, {1, {3}}}}, 2) + 1;
	build_close(b, &p, 1);
	result[0] = write_at(b, build_region_node(b, OP_FOR, &v, 1, &(struct attrs){.trip = 0}, NULL), 4, 0);
	result[1] = op2(b, OP_MUL, v, v);
	p = build_open(b, &(struct type){DTYPE_F64, {1, {3}}}, 1);
	p = write_at(b, p, 3, 1);
	build_close(b, (int[]){p, p}, 2);
	rows = build_region_node(b, OP_SCAN, (int[]){op2(b, OP_ADD, x, x)}, 1, &(struct attrs){.trip = 2, .carries = 1}, NULL);
	result[2] = write_at(b, rows, 6, 2);
	result[3] = rows + 1;
	return 4;
}

/* Saved, then stored into, twice; inside a checkpoint as well, which runs again. */
static int of_saved(struct builder *b, int x, int *result)
{
	int v = op2(b, OP_ADD, x, x), w, inner;

	result[0] = op2(b, OP_MUL, v, v);
	w = write_at(b, v, 3, 0);
	result[1] = op1(b, OP_SQUARE, w);
	result[2] = write_at(b, w, 4, 1);
	build_open(b, NULL, 0);
	inner = op2(b, OP_MUL, x, result[2]);
	w = op2(b, OP_MUL, inner, inner);
	build_close(b, (int[]){op2(b, OP_ADD, w, write_at(b, inner, 2, 2))}, 1);
	result[3] = build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL);
	result[2] = op1(b, OP_SIN, result[2]);
	return 4;
}

/* What is saved is the result of an op, or what a checkpoint will be run again with. */
static int of_results(struct builder *b, int x, int *result)
{
	int v = build_node(b, OP_REDUCE_MAX, &x, 1, &(struct attrs){.n_axes = 1, .keepdims = true}, NULL), w = op2(b, OP_ADD, x, x), power;

	build_open(b, NULL, 0);
	power = op1(b, OP_SIN, op2(b, OP_ADD, w, x));
	build_close(b, &power, 1);
	result[0] = build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL);
	result[3] = op1(b, OP_NEG, v);
	result[1] = write_at(b, v, 3, 1);
	result[2] = write_at(b, w, 4, 2);
	return 4;
}

static const struct {
	const char *name;
	int (*build)(struct builder *b, int x, int *result);
} aliased[] = {{"input", of_input}, {"input alone", of_input_alone}, {"results", of_results}, {"twins", of_twins}, {"taken over", of_taken_over}, {"condition", of_condition}, {"captured", of_captured}, {"loops", of_loops},
    {"saved", of_saved}};

/* ---- the same bits as without stores ---- */

static int replace(struct region *region)
{
	int n = 0;

	for (int i = 0; i < region->n_node; i++) {
		struct node *node = &region->node[i];

		if (node->op == OP_STORE) {
			node->op = OP_DYNAMIC_UPDATE_SLICE;
			n++;
		}
		for (int k = 0; k < node->n_region; k++)
			n += replace(&node->region[k]);
	}
	return n;
}

static void compare(struct engine *engine, const char *spec, const struct testcase *c, const char *name, struct arena *a)
{
	struct testcase plain = testcase_copy(c, a);
	struct answer *x = NEW(a, struct answer, c->n_point), *y = NEW(a, struct answer, c->n_point);

	replace(&plain.program.top);
	engine_answer(engine, c, a, x);
	engine_answer(engine, &plain, a, y);
	for (int i = 0; i < c->n_point; i++) {
		bool same = x[i].status == y[i].status;

		CHECK(x[i].status == ANSWER_OK || x[i].status == ANSWER_UNSUPPORTED, "%s, %s: %s", name, spec, x[i].text);
		if (x[i].status != ANSWER_OK)
			continue;
		for (int k = 0; same && k < x[i].n_primal; k++)
			same = tensor_same(&x[i].primal[k], &y[i].primal[k]);
		for (int k = 0; same && k < x[i].n_derivative; k++)
			same = tensor_same(&x[i].derivative[k], &y[i].derivative[k]);
		CHECK(!x[i].input_modified, "%s, %s: input modified", name, spec);
		CHECK(same, "%s, %s: not what it is without stores", name, spec);
	}
}

static struct testcase vector_case(struct arena *a, int (*build)(struct builder *b, int x, int *result), bool jvp)
{
	struct builder b = {0};
	struct error e = {0};
	struct testcase c = {.n_transform = 1, .n_point = 1};
	int result[LIMIT_ARGS], n;
	const struct type vector = {DTYPE_F64, {1, {3}}};
	struct tensor x = tensor_new(a, &vector);

	build_begin(&b, a);
	n = build(&b, build_input(&b, &vector), result);
	c.program = build_end(&b, result, n);
	CHECK(program_check(&c.program, &e), "%s: %s", e.place, e.text);
	for (int i = 0; i < 3; i++)
		x.at[i].f = 1.25 - .5 * i;
	c.point = arena_copy(a, &(struct tensor *){arena_copy(a, &x, 1, sizeof x)}, 1, sizeof(struct tensor *));
	c.transform = NEW(a, struct transform, 1);
	c.transform[0] = (struct transform){.kind = jvp ? TRANSFORM_JVP : TRANSFORM_VJP, .n_wrt = 1, .wrt = NEW(a, int, 1), .n_seed = jvp ? 1 : n,
	    .seed = NEW(a, struct tensor, n)};
	for (int k = 0; k < c.transform[0].n_seed; k++) {
		struct tensor *s = &c.transform[0].seed[k];

		*s = tensor_new(a, jvp ? &vector : &c.program.type[c.program.top.result[k]]);
		for (int i = 0; i < shape_elements(&s->type.shape); i++)
			s->at[i].f = 1 + i - .25 * k;
	}
	return c;
}

static void check_aliased(struct engine *const *engines, struct arena *a)
{
	for (size_t n = 0; n < sizeof aliased / sizeof aliased[0]; n++)
		for (int jvp = 0; jvp < 2; jvp++) {
			struct testcase c = vector_case(a, aliased[n].build, jvp);

			for (int k = 0; k < SPECS; k++)
				compare(engines[k], specs[k], &c, aliased[n].name, a);
			arena_reset(a);
		}
}

static void check_generated(struct engine *const *engines, struct arena *a)
{
	struct profile p = profile_default();
	int with = 0;

	p.weight_store = 40;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		struct choice choice = choice_seeded(seed_mix(71, seed));
		struct testcase c = generate(&choice, &p, a), copy = testcase_copy(&c, a);

		with += replace(&copy.program.top) > 0;
		for (int k = 0; k < SPECS; k++)
			compare(engines[k], specs[k], &c, arena_printf(a, "seed %d", (int)seed), a);
		arena_reset(a);
	}
	CHECK(with > CASES / 2, "%d of %d cases have a store", with, CASES);
}

/* ---- memory ---- */

/*
 * Bytes that tape takes for the vjp of a loop which stores into a table of TABLE elements; `saves`: and takes the sine of it before;
 * `nested`: in a loop of one iteration in the loop.
 */
static size_t bytes(struct engine *engine, int trip, bool saves, bool nested, struct arena *a)
{
	const struct type scalar = {.dtype = DTYPE_F64}, index = {.dtype = DTYPE_I64}, table = {DTYPE_F64, {1, {TABLE}}};
	const struct attrs one = {.shape = {1, {1}}}, all = {.n_axes = 1}, wide = {.shape = table.shape};
	struct builder b = {0};
	struct testcase c = {.n_transform = 1, .n_point = 1};
	struct answer out;
	size_t before;
	int x, start, i, p, next, update, result;

	build_begin(&b, a);
	x = build_input(&b, &scalar);
	start = build_node(&b, OP_BROADCAST_TO, &x, 1, &wide, NULL);
	i = build_open(&b, (struct type[]){index, table, scalar}, 3);
	p = i + 1;
	next = saves ? build_node(&b, OP_REDUCE_SUM, &(int){op1(&b, OP_SIN, p)}, 1, &all, NULL) : p + 1;
	update = build_node(&b, OP_RESHAPE, &(int){op2(&b, OP_MUL, p + 1, x)}, 1, &one, NULL);
	i = build_node(&b, OP_RESHAPE, &i, 1, &one, NULL);
	if (nested) {
		int inner = build_open(&b, (struct type[]){index, table}, 2) + 1;

		result = build_node(&b, OP_STORE, (int[]){inner, update, i}, 3, NULL, NULL);
		build_close(&b, &result, 1);
		result = build_region_node(&b, OP_FOR, &p, 1, &(struct attrs){.trip = 1}, NULL);
	} else {
		result = build_node(&b, OP_STORE, (int[]){p, update, i}, 3, NULL, NULL);
	}
	build_close(&b, (int[]){result, op1(&b, OP_TANH, next)}, 2);
	result = build_region_node(&b, OP_FOR, (int[]){start, x}, 2, &(struct attrs){.trip = trip}, NULL);
	c.program = build_end(&b, (int[]){result, result + 1}, 2);
	CHECK(program_check(&c.program, NULL), "the loop");
	c.point = NEW(a, struct tensor *, 1);
	c.point[0] = NEW(a, struct tensor, 1);
	c.point[0][0] = tensor_new(a, &scalar);
	c.point[0][0].at[0].f = .5;
	c.transform = NEW(a, struct transform, 1);
	c.transform[0] = (struct transform){.kind = TRANSFORM_VJP, .n_wrt = 1, .wrt = NEW(a, int, 1), .n_seed = 2, .seed = NEW(a, struct tensor, 2)};
	c.transform[0].seed[0] = tensor_new(a, &table);
	c.transform[0].seed[1] = tensor_new(a, &scalar);
	c.transform[0].seed[0].at[0].f = c.transform[0].seed[1].at[0].f = 1;
	before = a->used;
	engine_answer(engine, &c, a, &out);
	CHECK(out.status == ANSWER_OK, "%s", out.text);
	before = a->used - before;
	arena_reset(a);
	return before;
}

static void check_memory(struct engine *tape, struct arena *a)
{
	const size_t table = TABLE * sizeof(union cell);
	size_t grows = (bytes(tape, 200, false, false, a) - bytes(tape, 100, false, false, a)) / 100,
	       inner = (bytes(tape, 200, false, true, a) - bytes(tape, 100, false, true, a)) / 100,
	       saving = (bytes(tape, 200, true, false, a) - bytes(tape, 100, true, false, a)) / 100;

	printf("tape: %zu bytes an iteration that stores into %zu bytes, %zu in a loop inside, %zu where the sine of the table is taken before\n",
	    grows, table, inner, saving);
	CHECK(inner < table / 2, "%zu bytes an iteration with a loop inside", inner);
	CHECK(grows < table / 2, "%zu bytes an iteration", grows);
	CHECK(saving > 3 * table, "%zu bytes an iteration that saves the table", saving);
}

int main(int argc, char **argv)
{
	struct arena a;
	struct engine *engines[SPECS];

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	for (int k = 0; k < SPECS; k++)
		engines[k] = sample_engine(specs[k]);
	CHECK_LAW(check_aliased(engines, &a));
	CHECK_LAW(check_generated(engines, &a));
	CHECK_LAW(check_memory(engines[1], &a));
	for (int k = 0; k < SPECS; k++)
		engine_close(engines[k]);
	arena_free(&a);
	return check_done();
}

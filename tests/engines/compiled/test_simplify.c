/* test_simplify.c: simplification, rule by rule: what may go goes, and nothing else, and no bit changes. */
#include "engines/aot/interpret.h"
#include "engines/compiled/parts.h"
#include "tests/engines/samples.h"

static const struct type vector = F64V(4);

static struct compiled_rules rules;

/* Simplified, the program is valid and has the same bits. */
static void check_bits(const struct program *p, const struct tensor *input, const char *what, struct arena *a)
{
	struct tensor before[LIMIT_ARGS], after[LIMIT_ARGS];
	struct error e = {.text = ""};
	struct program q;

	interpret_program(p, input, a, before);
	compiled_simplify(&rules, p, a, &q);
	q = program_renumber(&q, a);
	CHECK(program_check(&q, &e), "%s: %s: %s", what, e.place, e.text);
	interpret_program(&q, input, a, after);
	for (int k = 0; k < p->top.n_result; k++)
		CHECK(tensor_same(&before[k], &after[k]), "%s: another result", what);
}

/* op(x, k) or op(k, x) is simplified away exactly if `safe`. */
static const struct {
	enum op op;
	int side; /* of the constant */
	double k;
	bool safe;
} identities[] = {
    {OP_ADD, 1, -0.0, true},
    {OP_ADD, 0, -0.0, true},
    {OP_ADD, 1, 0.0, false},
    {OP_SUB, 1, 0.0, true},
    {OP_SUB, 1, -0.0, false},
    {OP_SUB, 0, 0.0, false},
    {OP_MUL, 1, 1, true},
    {OP_MUL, 0, 1, true},
    {OP_MUL, 1, 0.0, false},
    {OP_MUL, 1, -1, false},
    {OP_DIV, 1, 1, true},
    {OP_DIV, 0, 1, false},
    {OP_POW, 1, 0, false},
    {OP_MAX, 1, 0, false},
};

static struct program with_constant(enum op op, int side, double k, struct arena *a)
{
	struct builder b;
	int x, y;

	build_begin(&b, a);
	x = build_input(&b, &vector);
	y = build_scalar(&b, DTYPE_F64, k);
	y = side ? op2(&b, op, x, y) : op2(&b, op, y, x);
	return build_end(&b, &y, 1);
}

static int nodes_after(pass_fn *pass, const struct program *p, struct arena *a)
{
	struct program q, r;

	pass(&rules, p, a, &q);
	compiled_dce(&rules, &q, a, &r);
	return program_nodes(&r);
}

static void check_identities(struct arena *a)
{
	union cell at[4] = {{.f = -0.0}, {.f = 0.0}, {.f = INFINITY}, {.f = 3}};
	const struct tensor input = {vector, at};

	for (size_t i = 0; i < sizeof identities / sizeof *identities; i++) {
		if (!row_wanted("identities: %d %s", (int)i, op_table[identities[i].op].name))
			continue;
		struct program p = with_constant(identities[i].op, identities[i].side, identities[i].k, a);
		int n = nodes_after(compiled_simplify, &p, a);

		CHECK((n == 0) == identities[i].safe, "%s with %g on side %d: %d nodes",
		    op_table[identities[i].op].name, identities[i].k, identities[i].side, n);
		check_bits(&p, &input, op_table[identities[i].op].name, a);
	}
}

typedef int build_fn(struct builder *b, int x);

static int twice_negated(struct builder *b, int x) { return op1(b, OP_NEG, op1(b, OP_NEG, x)); }
static int copied(struct builder *b, int x) { return op1(b, OP_COPY, op1(b, OP_STOP_GRADIENT, x)); }

static int reversed(struct builder *b, int x)
{
	const struct attrs attrs = {.n_axes = 1};

	x = build_node(b, OP_REVERSE, &x, 1, &attrs, NULL);
	return build_node(b, OP_REVERSE, &x, 1, &attrs, NULL);
}

static int reshaped(struct builder *b, int x)
{
	const struct attrs there = {.shape = {2, {2, 2}}}, back = {.shape = {1, {4}}},
	                   swap = {.n_axes = 2, .axes = {1, 0}};

	x = build_node(b, OP_RESHAPE, &x, 1, &there, NULL);
	x = build_node(b, OP_TRANSPOSE, &x, 1, &swap, NULL);
	x = build_node(b, OP_TRANSPOSE, &x, 1, &swap, NULL);
	return build_node(b, OP_RESHAPE, &x, 1, &back, NULL);
}

static int selected(struct builder *b, int x)
{
	int yes = build_scalar(b, DTYPE_BOOL, 1), other = op1(b, OP_EXP, x);

	return op3(b, OP_SELECT, op2(b, OP_LT, x, other), x, op3(b, OP_SELECT, yes, x, other));
}

static int sliced(struct builder *b, int x)
{
	const struct attrs whole = {.size = {4}, .stride = {1}}, none = {.size = {0}, .stride = {1}}, low = {.axis = 0};
	int empty = build_node(b, OP_SLICE, &x, 1, &none, NULL);

	x = build_node(b, OP_CONCATENATE, (int[]){empty, x}, 2, &low, NULL);
	x = build_node(b, OP_SLICE_SCATTER, (int[]){x, empty}, 2, &whole, NULL);
	x = build_node(b, OP_PAD, (int[]){x, build_scalar(b, DTYPE_F64, 7)}, 2, &low, NULL);
	return build_node(b, OP_SLICE, &x, 1, &whole, NULL);
}

static int decided(struct builder *b, int x)
{
	int yes = build_scalar(b, DTYPE_BOOL, 1), other;

	build_open(b, NULL, 0);
	build_close(b, &x, 1);
	build_open(b, NULL, 0);
	other = op1(b, OP_EXP, x);
	build_close(b, &other, 1);
	return build_region_node(b, OP_COND, &yes, 1, NULL, NULL);
}

static int never_run(struct builder *b, int x)
{
	const struct type types[2] = {sample_i64, vector};
	const struct attrs attrs = {.trip = 0};
	int next = build_open(b, types, 2) + 1;

	next = op1(b, OP_EXP, next);
	build_close(b, &next, 1);
	return build_region_node(b, OP_FOR, &x, 1, &attrs, NULL);
}

/* All of them give back their operand. */
static void check_moves(struct arena *a)
{
	static const struct {
		const char *name;
		build_fn *build;
	} moves[] = {
	    {"neg neg", twice_negated},
	    {"copy", copied},
	    {"reverse twice", reversed},
	    {"reshape and transpose", reshaped},
	    {"select", selected},
	    {"trivial slices", sliced},
	    {"cond", decided},
	    {"for", never_run},
	};
	union cell at[4] = {{.f = -0.0}, {.f = NAN}, {.f = INFINITY}, {.f = 3}};
	const struct tensor input = {vector, at};

	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
		if (!row_wanted("moves: %s", moves[i].name))
			continue;
		struct program p, q;
		struct builder b;
		int y, round = 0;

		build_begin(&b, a);
		y = moves[i].build(&b, build_input(&b, &vector));
		p = build_end(&b, &y, 1);
		check_bits(&p, &input, moves[i].name, a);
		for (q = p; program_nodes(&q) && round < 4; round++) {
			compiled_simplify(&rules, &q, a, &q);
			compiled_dce(&rules, &q, a, &q);
		}
		CHECK(program_nodes(&q) == 0, "%s: %d nodes stay", moves[i].name, program_nodes(&q));
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 26);
	compiled_rules_init(&rules);
	check_identities(&a);
	check_moves(&a);
	arena_free(&a);
	return check_done();
}

/*
 * test_fault_scope.c: the faults of the documents show where the documents say, and nowhere else. The faulty engine's
 * answers are compared with the right one's bit by bit, so no oracle and no tolerance has a say in it.
 */
#include "engines/engine.h"
#include "fuzz/generate/generate.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 20000 };

/* ---- where a fault may show ---- */

static bool any_node(const struct region *region, bool (*is)(const struct node *))
{
	for (int k = 0; k < region->n_node; k++) {
		const struct node *node = &region->node[k];
		if (is(node))
			return true;
		for (int r = 0; r < node->n_region; r++)
			if (any_node(&node->region[r], is))
				return true;
	}
	return false;
}

static bool loops_twice(const struct node *node) { return op_is_loop(node->op) && node_max_trip(node) >= 2; }

static bool is_select(const struct node *node) { return node->op == OP_SELECT; }
static bool is_atan2(const struct node *node) { return node->op == OP_ATAN2; }
static bool is_masked_scatter(const struct node *node) { return node->op == OP_MASKED_SCATTER; }

static bool is_bitwise(const struct node *node)
{
	return (op_table[node->op].family == FAMILY_BINARY && op_table[node->op].dtypes == MASK_INT &&
	    node->op != OP_REMAINDER);
}

static bool is_derivative(const struct node *node) { return node->op == OP_DERIVATIVE; }

static bool is_anything(const struct node *node)
{
	(void)node;
	return true;
}

static const struct row {
	const char *right, *faulty;
	enum transform_kind request;            /* every level that shows it is one of these */
	bool (*mechanism)(const struct node *); /* the program has such an op */
	bool nan_only;                          /* what differs is NaN */
	bool rare;                              /* too rare to ask for every dtype */
} rows[] = {
    {"functional", "functional+residual-fifo", TRANSFORM_VJP, loops_twice, false, false},
    {"forward", "forward+packed-select", TRANSFORM_JVP, is_select, false, false},
    {"forward", "forward+packed-atan2", TRANSFORM_JVP, is_atan2, false, true},
    {"forward", "forward+packed-masked-scatter", TRANSFORM_JVP, is_masked_scatter, false, true},
    {"forward", "forward+packed-bitwise", TRANSFORM_JVP, is_bitwise, false, true},
    {"tape", "tape+weak-zero", TRANSFORM_VJP, is_anything, true, false},
    {"functional", "functional+weak-zero", TRANSFORM_VJP, is_anything, true, false},
};

/* ---- comparison ---- */

struct difference {
	bool primal, derivative, all_nan;
};

static void compare(const struct tensor *x, const struct tensor *y, bool *differs, bool *all_nan)
{
	for (int i = 0; i < shape_elements(&x->type.shape); i++) {
		bool is_float = dtype_is_float(x->type.dtype);
		bool same = is_float ? x->at[i].f == y->at[i].f || (isnan(x->at[i].f) && isnan(y->at[i].f))
		                     : x->at[i].i == y->at[i].i;
		*differs |= !same;
		*all_nan &= same || (is_float && isnan(y->at[i].f));
	}
}

static struct difference difference(const struct testcase *c, const struct answer *right, const struct answer *faulty)
{
	struct difference d = {.all_nan = true};
	for (int p = 0; p < c->n_point; p++) {
		if (right[p].status != ANSWER_OK)
			continue;
		CHECK(faulty[p].status == ANSWER_OK, "%s", faulty[p].text);
		bool nan = true;
		for (int k = 0; k < right[p].n_primal; k++)
			compare(&right[p].primal[k], &faulty[p].primal[k], &d.primal, &nan);
		if (faulty[p].n_derivative != right[p].n_derivative) {
			d.derivative = true;
			d.all_nan = false;
			continue;
		}
		for (int k = 0; k < right[p].n_derivative; k++)
			compare(&right[p].derivative[k], &faulty[p].derivative[k], &d.derivative, &d.all_nan);
	}
	return d;
}

/* The dtype of most floats: that of the first float input. */
static enum dtype float_of(const struct program *p)
{
	for (int k = 0; k < p->top.n_param; k++)
		if (dtype_is_float(p->type[p->top.param + k].dtype))
			return p->type[p->top.param + k].dtype;
	return DTYPE_F64;
}

static struct engine *open_engine(const char *spec)
{
	struct error e = {.text = ""};
	struct engine *engine = engine_open(spec, &e);
	CHECK(engine, "%s: %s", spec, e.text);
	if (!engine)
		exit(1);
	return engine;
}

static void check_row(const struct row *r, struct arena *a)
{
	static const enum dtype floats[] = {DTYPE_F64, DTYPE_F32, DTYPE_BF16, DTYPE_F16};
	struct engine *right = open_engine(r->right), *faulty = open_engine(r->faulty);
	struct profile profile = profile_default();
	int shown = 0, by_dtype[DTYPE_COUNT] = {0};

	profile.weight_derivative = 0; /* for the same reason as levels below: its programs have selects of their own */
	for (uint64_t seed = 0; seed < CASES; seed++) {
		arena_reset(a);
		struct choice choice = choice_seeded(seed_mix(31, seed));
		struct testcase c = generate(&choice, &profile, a);
		/*
		 * The programs that stand for levels below the outermost one and for ops derivative have selects and
		 * loops of their own.
		 */
		if (c.n_transform != 1 || c.transform[0].kind == TRANSFORM_BATCH ||
		    any_node(&c.program.top, is_derivative))
			continue;
		struct answer *x = NEW(a, struct answer, c.n_point), *y = NEW(a, struct answer, c.n_point);

		engine_answer(right, &c, a, x);
		engine_answer(faulty, &c, a, y);
		struct difference d = difference(&c, x, y);
		CHECK(!d.primal, "%s, case %d: the primal differs", r->faulty, (int)seed);
		if (!d.derivative)
			continue;
		shown++;
		by_dtype[float_of(&c.program)]++;
		bool asked = false;
		for (int k = 0; k < c.n_transform; k++)
			asked |= c.transform[k].kind == r->request;
		CHECK(asked, "%s, case %d: shows without a %s", r->faulty, (int)seed, transform_names[r->request]);
		CHECK(any_node(&c.program.top, r->mechanism), "%s, case %d: shows without its mechanism", r->faulty,
		    (int)seed);
		CHECK(!r->nan_only || d.all_nan, "%s, case %d: shows other than by NaN", r->faulty, (int)seed);
	}
	printf("%-34s %4d of %d cases: f64 %d, f32 %d, bf16 %d, f16 %d\n", r->faulty, shown, CASES, by_dtype[DTYPE_F64],
	    by_dtype[DTYPE_F32], by_dtype[DTYPE_BF16], by_dtype[DTYPE_F16]);
	CHECK(shown > 0, "%s never shows", r->faulty);
	for (int k = 0; k < 4 && !r->rare; k++)
		CHECK(by_dtype[floats[k]] > 0, "%s never shows in %s", r->faulty, dtype_table[floats[k]].name);
	engine_close(right);
	engine_close(faulty);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 28);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s", rows[k].faulty))
			check_row(&rows[k], &a);
	arena_free(&a);
	return check_done();
}

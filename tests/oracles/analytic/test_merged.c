/*
 * test_merged.c: an engine that does equal computations once, and only then differentiates, is right. The engine
 * answers a program; the truth is that of the program with some operations written again where they are used.
 */
#include "engines/engine.h"
#include "fuzz/edit/edit.h"
#include "fuzz/generate/generate.h"
#include "oracles/truth.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "tests/support/frozen.h"

#include <limits.h>
#include <math.h>

enum { RANDOM = 1500, COPIES = 8 };

/* What an engine returns that merges, where the program has the computation twice. */
static const struct row {
	const char *name, *inputs, *body, *point;
	double merged, apart; /* derivatives of x */
} rows[] = {
    {"a cast to fewer digits", "x: f32[]",
        "a: f16[] = cast x dtype=f16\n"
        "b: f16[] = cast x dtype=f16\n"
        "k: f16[] = constant 0x1.6fp-11\n"
        "m = mul a, k\n"
        "s = add b, m",
        "0.5", 0x1.004p+0, 0x1.002dep+0},
    {"a product", "x: f64[], k: f64[], w: f64[]",
        "a = mul x, k\n"
        "b = mul x, k\n"
        "m = mul a, w\n"
        "s = add b, m",
        "0.5, 0x1.f5a0bca4bd5e6p+0, 0x1.b7a4d9cc1e1dfp-4", (1 + 0x1.b7a4d9cc1e1dfp-4) * 0x1.f5a0bca4bd5e6p+0,
        0x1.f5a0bca4bd5e6p+0 + 0x1.b7a4d9cc1e1dfp-4 * 0x1.f5a0bca4bd5e6p+0},
};

/* x + m (a + b + c + d), whose cotangents of m are each half a unit of that of x. */
#define FOUR_SMALL_TERMS \
	"p = mul m, a\n" \
	"q = mul m, b\n" \
	"r = mul m, c\n" \
	"o = mul m, d\n" \
	"t = add x, p\n" \
	"u = add t, q\n" \
	"v = add u, r\n" \
	"s = add v, o"
#define HALF_UNITS "0.5, 0x1p-53, 0x1p-53, 0x1p-53, 0x1p-53"

/* What an engine returns that keeps one adjoint for an operand and for an op that returns it. */
static const struct row operands[] = {
    {"a maximum", "x: f64[], a: f64[], b: f64[]",
        "c = constant -5\n"
        "m = max x, c\n"
        "p = mul m, a\n"
        "q = mul m, b\n"
        "t = add x, p\n"
        "s = add t, q",
        "0.5, 0x1.59dde54a26db0p-5, 0x1.70f04e440f9b0p-5", 0x1.1656719c71b3cp+0, 0x1.1656719c71b3bp+0},
    {"a maximum of one value", "x: f64[], a: f64[], b: f64[], c: f64[], d: f64[]", "m = max x, x\n" FOUR_SMALL_TERMS,
        HALF_UNITS, 0x1.0000000000002p+0, 1},
    {"a minimum of a value and its copy", "x: f64[], a: f64[], b: f64[], c: f64[], d: f64[]",
        "e = copy x\n"
        "m = min e, x\n" FOUR_SMALL_TERMS,
        HALF_UNITS, 0x1.0000000000002p+0, 1},
    {"a maximum of three that are one", "x: f64[], a: f64[], b: f64[], c: f64[], d: f64[]",
        "e = broadcast_to x shape=[3]\n"
        "m = reduce_max e axes=[0]\n" FOUR_SMALL_TERMS,
        HALF_UNITS, 0x1.0000000000002p+0, 1},
    {"an absolute value", "x: f64[], a: f64[], b: f64[]",
        "m = abs x\n"
        "p = mul m, a\n"
        "q = mul m, b\n"
        "t = add x, p\n"
        "s = add t, q",
        "0.5, 0x1.59dde54a26db0p-5, 0x1.70f04e440f9b0p-5", 0x1.1656719c71b3cp+0, 0x1.1656719c71b3bp+0},
    {"a running sum of one", "x: f64[2]",
        "a = slice x start=[0] size=[1]\n"
        "b = cumsum a axis=0\n"
        "c = add b, x\n"
        "one: f64[2] = constant [1, 1]\n"
        "d = div one, c\n"
        "s = sub x, d",
        "[3, 3]", 0x1.1555555555554p+0, 0x1.1555555555555p+0},
    {"a product by 1", "x: f64[], a: f64[], b: f64[]",
        "m = mul x, 1\n"
        "p = mul m, a\n"
        "q = mul m, b\n"
        "t = add x, p\n"
        "s = add t, q",
        "0.5, 0x1.59dde54a26db0p-5, 0x1.70f04e440f9b0p-5", 0x1.1656719c71b3cp+0, 0x1.1656719c71b3bp+0},
    {"two negations", "x: f64[], a: f64[], b: f64[]",
        "n = neg x\n"
        "m = neg n\n"
        "p = mul m, a\n"
        "q = mul m, b\n"
        "t = add x, p\n"
        "s = add t, q",
        "0.5, 0x1.59dde54a26db0p-5, 0x1.70f04e440f9b0p-5", 0x1.1656719c71b3cp+0, 0x1.1656719c71b3bp+0},
    {"a sum with 0", "x: f64[], a: f64[], b: f64[]",
        "m = add x, 0\n"
        "p = mul m, a\n"
        "q = mul m, b\n"
        "t = add x, p\n"
        "s = add t, q",
        "0.5, 0x1.59dde54a26db0p-5, 0x1.70f04e440f9b0p-5", 0x1.1656719c71b3cp+0, 0x1.1656719c71b3bp+0},
    {"a sum with a constant", "x: f64[], a: f64[], b: f64[]",
        "m = add 0.25, x\n"
        "p = mul m, a\n"
        "q = mul m, b\n"
        "t = add x, p\n"
        "s = add t, q",
        "0.5, 0x1.59dde54a26db0p-5, 0x1.70f04e440f9b0p-5", 0x1.1656719c71b3cp+0, 0x1.1656719c71b3bp+0},
    {"a difference with what is not differentiated", "x: f64[], a: f64[], b: f64[]",
        "m = sub x, a\n"
        "p = mul m, a\n"
        "q = mul m, b\n"
        "t = add x, p\n"
        "s = add t, q",
        "0.5, 0x1.59dde54a26db0p-5, 0x1.70f04e440f9b0p-5", 0x1.1656719c71b3cp+0, 0x1.1656719c71b3bp+0},
};

static void test_row(struct oracle *oracle, const struct row *row, struct arena *a)
{
	struct testcase c = test_case(a,
	    arena_printf(a, "inputs %s\n%s\nreturn s\npoint %s\nrequest: vjp with respect to x", row->inputs, row->body,
	        row->point));
	struct truth truth;
	if (!c.n_point)
		return;
	oracle_truth(oracle, &c, a, &truth);
	const struct component *x = &truth.point[0].derivative[0][0].at[0];
	CHECK(!x->reason && x->loose > 0 && x->loose < 0x1p-9, "%s: radius %.3g", row->name, x->loose);
	CHECK(fabs(row->merged - x->value - x->low) <= x->loose, "%s: %.17g, not %.17g", row->name, row->merged,
	    x->value);
	CHECK(
	    fabs(row->apart - x->value - x->low) <= x->loose, "%s: %.17g, not %.17g", row->name, row->apart, x->value);
}

/* The node that computes value v, if it may be written again. */
static const struct node *maker(const struct edit *e, int v)
{
	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);)
		if (w.node->out == v && w.node->n_out == 1)
			return w.node->n_region || w.node->op == OP_CONSTANT ? NULL : w.node;
	return NULL;
}

/* Writes the computation of an operand of a random node again, just before that node. */
static bool write_again(struct edit *e, struct choice *choice)
{
	int n = program_nodes(&e->c.program);
	struct site s;
	if (!n || !edit_site(e, choice_below(choice, n), &s) || !s.node->n_arg)
		return false;
	int j = choice_below(choice, s.node->n_arg);
	const struct node *made = maker(e, s.node->arg[j]);
	if (!made)
		return false;
	struct node again = *made;
	again.arg = arena_copy(e->arena, made->arg, (size_t)made->n_arg, sizeof *made->arg);
	struct type type = *edit_type(e, made->out);
	again.out = edit_new_values(e, &type, 1);
	s.node->arg[j] = again.out;
	edit_insert_node(e, s.region, s.index, &again);
	return true;
}

static int judge_merged(struct oracle *oracle, struct engine *engine, uint64_t number, struct arena *a)
{
	struct profile profile = profile_frozen();
	struct choice choice = choice_seeded(seed_mix(13, number));
	const enum transform_kind vjp = TRANSFORM_VJP;
	struct testcase c = generate_stack(&choice, &profile, &vjp, 1, a);
	struct edit e = {.c = testcase_copy(&c, a), .arena = a};
	int written = 0;
	for (int k = 0; k < COPIES; k++)
		written += write_again(&e, &choice);
	if (!written || !edit_finish(&e, false))
		return 0;
	struct truth truth;
	struct judgement got;
	struct answer *answer = NEW(a, struct answer, c.n_point);
	oracle_truth(oracle, &e.c, a, &truth);
	engine_answer(engine, &c, a, answer);
	judge(&e.c, &truth, answer, &got);
	CHECK(!verdict_is_finding[got.verdict], "case %llu of %s: %s", (unsigned long long)number, engine_spec(engine),
	    verdict_names[got.verdict]);
	return got.verdict == VERDICT_AGREE;
}

static void test_random(struct oracle *oracle, const char *spec, struct arena *a)
{
	struct error e = {"", ""};
	struct engine *engine = engine_open(spec, &e);
	int agree = 0;
	CHECK(engine, "%s: %s", spec, e.text);
	for (int number = 0; engine && number < RANDOM; number++) {
		arena_reset(a);
		agree += judge_merged(oracle, engine, (uint64_t)number, a);
	}
	CHECK(2 * agree > RANDOM, "%s: only %d of %d cases agree", spec, agree, RANDOM);
	engine_close(engine);
}

int main(int argc, char **argv)
{
	static const char *const engines[] = {"tape", "functional"};
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	struct oracle *oracle = oracle_open(&options);
	struct arena a;
	check_begin(argc, argv);
	arena_init(&a, 512 << 20);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("%s", rows[k].name))
			continue;
		arena_reset(&a);
		test_row(oracle, &rows[k], &a);
	}
	for (size_t k = 0; k < sizeof operands / sizeof *operands; k++) {
		if (!row_wanted("%s", operands[k].name))
			continue;
		arena_reset(&a);
		test_row(oracle, &operands[k], &a);
	}
	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++)
		if (row_wanted("random: %s", engines[k]))
			test_random(oracle, engines[k], &a);
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}

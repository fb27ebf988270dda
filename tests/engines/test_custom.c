/*
 * test_custom.c: op custom.  A rule is used by the derivative programs of the mode that it is for, and by no others; where it is wrong that shows, and
 * the oracle says nothing.  A right rule, wherever it is used, gives the derivative of the function.
 */
#include "../../engines/aot.h"
#include "../../engines/aot_nested.h"
#include "../../engines/engine.h"
#include "../../engines/lower.h"
#include "../../fuzz/generate.h"
#include "../../oracles/analytic.h"
#include "samples.h"

#include <math.h>

enum { GENERATED = 1500 };

static const struct type scalar = {DTYPE_F64, {0}};

/* x*x*y with a rule that says (a dx or dy) times `factor`, right for 1: jvp factor*(2xy dx + x^2 dy). */
static struct program square_times(enum derivative_kind kind, double factor, struct arena *a)
{
	const struct attrs attrs = {.transform = kind};
	struct builder b = {0};
	int x, y, p, q;

	build_begin(&b, a);
	x = build_input(&b, &scalar);
	y = build_input(&b, &scalar);
	p = build_open(&b, (struct type[]){scalar, scalar}, 2);
	build_close(&b, (int[]){op2(&b, OP_MUL, op1(&b, OP_SQUARE, p), p + 1)}, 1);
	q = build_open(&b, (struct type[]){scalar, scalar, scalar, scalar}, kind == DERIVATIVE_JVP ? 4 : 3);

	int by_x = op2(&b, OP_MUL, op2(&b, OP_MUL, q, q + 1), build_scalar(&b, DTYPE_F64, 2 * factor));
	int by_y = op2(&b, OP_MUL, op1(&b, OP_SQUARE, q), build_scalar(&b, DTYPE_F64, factor));

	by_x = op2(&b, OP_MUL, by_x, q + 2);
	by_y = op2(&b, OP_MUL, by_y, kind == DERIVATIVE_JVP ? q + 3 : q + 2);
	if (kind == DERIVATIVE_JVP)
		build_close(&b, (int[]){op2(&b, OP_ADD, by_x, by_y)}, 1);
	else
		build_close(&b, (int[]){by_x, by_y}, 2);
	p = build_region_node(&b, OP_CUSTOM, (int[]){x, y}, 2, &attrs, NULL);
	CHECK(p >= 0, "not built");
	return build_end(&b, (int[]){p}, 1);
}

static struct tensor number(struct arena *a, double x)
{
	struct tensor t = tensor_new(a, &scalar);

	t.at[0].f = x;
	return t;
}

/* At x = 3, y = 5 along (1, 1), or with cotangent 1. */
static struct testcase ask(const struct program *p, enum transform_kind kind, struct arena *a)
{
	struct testcase c = {.program = *p, .n_transform = 1, .n_point = 1};
	struct transform *t = NEW(a, struct transform, 1);

	t->kind = kind;
	t->n_wrt = 2;
	t->wrt = NEW(a, int, 2);
	t->wrt[1] = 1;
	t->n_seed = kind == TRANSFORM_JVP ? 2 : 1;
	t->seed = NEW(a, struct tensor, 2);
	t->seed[0] = t->seed[1] = number(a, 1);
	c.transform = t;
	c.point = NEW(a, struct tensor *, 1);
	c.point[0] = NEW(a, struct tensor, 2);
	c.point[0][0] = number(a, 3);
	c.point[0][1] = number(a, 5);
	return c;
}

/* An engine's first derivative: 30 by x, 39 along (1, 1), times 7 where it went by the wrong rule. */
static void expect(const char *spec, enum derivative_kind rule, enum transform_kind kind, bool used, struct arena *a)
{
	const struct program p = square_times(rule, 7, a);
	struct testcase c = ask(&p, kind, a);
	struct engine *engine = engine_open(spec, NULL);
	struct answer answer;
	double want = (kind == TRANSFORM_JVP ? 39 : 30) * (used ? 7 : 1);

	CHECK(program_check(&p, NULL), "refused");
	engine_answer(engine, &c, a, &answer);
	CHECK(answer.status == ANSWER_OK && answer.primal[0].at[0].f == 45 && answer.derivative[0].at[0].f == want,
	    "%s, %s of a %s rule: %g, not %g: %s", spec, kind == TRANSFORM_JVP ? "jvp" : "vjp", derivative_names[rule],
	    answer.n_derivative ? answer.derivative[0].at[0].f : NAN, want, answer.text);
	engine_close(engine);
}

static void test_used(struct arena *a)
{
	static const char *const both[] = {"aot", "compiled"}, *const own[] = {"tape", "functional", "checkpointed", "parallel", "implicit"};

	for (int k = 0; k < 2; k++)
		for (int rule = 0; rule < DERIVATIVE_COUNT; rule++) {
			expect(both[k], (enum derivative_kind)rule, TRANSFORM_JVP, rule == DERIVATIVE_JVP, a);
			expect(both[k], (enum derivative_kind)rule, TRANSFORM_VJP, rule == DERIVATIVE_VJP, a);
		}
	/* Which differentiate the function, whatever the rule. */
	for (size_t k = 0; k < sizeof own / sizeof *own; k++)
		for (int rule = 0; rule < DERIVATIVE_COUNT; rule++)
			expect(own[k], (enum derivative_kind)rule, TRANSFORM_VJP, false, a);
	expect("forward", DERIVATIVE_JVP, TRANSFORM_JVP, false, a);
}

/* With the right rule there is a truth, with the wrong one there is none. */
static void test_oracle(struct arena *a)
{
	struct analytic *oracle = analytic_open();

	for (int rule = 0; rule < DERIVATIVE_COUNT; rule++)
		for (int kind = 0; kind < 2; kind++)
			for (int wrong = 0; wrong < 3; wrong++) {
				static const double factor[] = {1, 7, 1 + 0x1p-40};
				const struct program p = square_times((enum derivative_kind)rule, factor[wrong], a);
				struct testcase c = ask(&p, kind ? TRANSFORM_VJP : TRANSFORM_JVP, a);
				struct truth_point truth;
				const struct component *got;

				analytic_truth(oracle, &c, 0, a, &truth);
				got = &truth.derivative[0][0].at[0];
				if (wrong)
					CHECK(got->reason == REASON_CUSTOM_RULE, "reason %d", (int)got->reason);
				else
					CHECK(!got->reason && got->value == (kind ? 30 : 39), "reason %d, %g", (int)got->reason, got->value);
			}
	analytic_close(oracle);
}

static bool has_custom(const struct region *r)
{
	for (int i = 0; i < r->n_node; i++) {
		if (r->node[i].op == OP_CUSTOM)
			return true;
		for (int k = 0; k < r->node[i].n_region; k++)
			if (has_custom(&r->node[i].region[k]))
				return true;
	}
	return false;
}

/* Generated rules are right by the oracle's own check, and a program without its customs is the same function: bit by bit for the primal. */
static void test_generated(struct arena *a)
{
	struct analytic *oracle = analytic_open();
	struct engine *engine = engine_open("aot", NULL);
	int customs = 0, doubted = 0;

	for (int k = 0; k < GENERATED; k++) {
		struct choice choice = choice_seeded(seed_mix(91, (uint64_t)k));
		struct profile profile = profile_default();
		struct testcase c, plain;
		struct truth_point truth;
		struct answer got[LIMIT_POINTS], want[LIMIT_POINTS];

		arena_reset(a);
		profile.weight_custom = 12;
		profile.bare = profile.stack_bare = 0; /* no customs there */
		c = generate(&choice, &profile, a);
		CHECK(program_check(&c.program, NULL), "case %d: not valid", k);
		if (!has_custom(&c.program.top))
			continue;
		customs++;
		plain = c;
		plain.program = lower_customs(&c.program, a);
		CHECK(program_check(&plain.program, NULL) && !has_custom(&plain.program.top), "case %d: not lowered", k);
		analytic_truth(oracle, &c, 0, a, &truth);
		if (truth.n_derivative && shape_elements(&truth.derivative[0][0].type.shape))
			doubted += truth.derivative[0][0].at[0].reason == REASON_CUSTOM_RULE;
		engine_answer(engine, &c, a, got);
		engine_answer(engine, &plain, a, want);
		for (int i = 0; got[0].status == ANSWER_OK && want[0].status == ANSWER_OK && i < got[0].n_primal; i++)
			CHECK(tensor_same(&got[0].primal[i], &want[0].primal[i]), "case %d, result %d", k, i);
	}
	printf("%d programs with customs, %d with a rule that is doubted\n", customs, doubted);
	CHECK(customs > GENERATED / 3 && doubted < customs / 10, "%d customs, %d doubted", customs, doubted);
	engine_close(engine);
	analytic_close(oracle);
}

int main(void)
{
	struct arena a;

	arena_init(&a, (size_t)1 << 30);
	test_used(&a);
	test_oracle(&a);
	test_generated(&a);
	arena_free(&a);
	return check_done();
}

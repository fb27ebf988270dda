/*
 * test_custom.c: op custom.  A rule is used in the mode that it is for, and in no other, by every engine at its own
 * level and by derivative programs: a rule that is another function shows which of them went by it, and the oracle says
 * nothing.  A right rule, wherever it is used, gives the derivative of the function.
 */
#include "graph/walk.h"
#include "engines/aot/aot.h"
#include "engines/aot/nested.h"
#include "engines/engine.h"
#include "engines/aot/lower.h"
#include "fuzz/generate/generate.h"
#include "oracles/analytic/analytic.h"
#include "oracles/oracle_rules.h"
#include "tests/engines/samples.h"

#include <math.h>

enum { GENERATED = 1500 };

static const struct type scalar = {DTYPE_F64, {0}};

/* custom(x, y) = x*x*y with a rule that says (a dx or dy) times `factor`, right for 1: jvp factor*(2xy dx + x^2 dy). */
static int square_node(struct builder *b, enum derivative_kind kind, double factor, int x, int y)
{
	const struct attrs attrs = {.transform = kind};
	int p = build_open(b, (struct type[]){scalar, scalar}, 2), q;

	build_close(b, (int[]){op2(b, OP_MUL, op1(b, OP_SQUARE, p), p + 1)}, 1);
	q = build_open(b, (struct type[]){scalar, scalar, scalar, scalar}, kind == DERIVATIVE_JVP ? 4 : 3);

	int by_x = op2(b, OP_MUL, op2(b, OP_MUL, q, q + 1), build_scalar(b, DTYPE_F64, 2 * factor));
	int by_y = op2(b, OP_MUL, op1(b, OP_SQUARE, q), build_scalar(b, DTYPE_F64, factor));

	by_x = op2(b, OP_MUL, by_x, q + 2);
	by_y = op2(b, OP_MUL, by_y, kind == DERIVATIVE_JVP ? q + 3 : q + 2);
	if (kind == DERIVATIVE_JVP)
		build_close(b, (int[]){op2(b, OP_ADD, by_x, by_y)}, 1);
	else
		build_close(b, (int[]){by_x, by_y}, 2);
	p = build_region_node(b, OP_CUSTOM, (int[]){x, y}, 2, &attrs, NULL);
	CHECK(p >= 0, "not built");
	return p;
}

/* Where a custom f may stand. */
enum place { DIRECT, TAKEN, CHECKPOINTED, IN_FOR, IN_WHILE, IN_SCAN, APPLIED, SOLVED, INSIDE, PLACES };
static const char *const place_names[] = {
    "direct", "cond", "checkpoint", "for", "while", "scan", "scatter_apply", "solution", "custom"};

/* f(x, y), or f(f(x, y), y) by a loop; by scatter_apply f(x, 5). */
static int place_custom(struct builder *b, enum place place, enum derivative_kind kind, double factor, int x, int y)
{
	const struct type vector = {DTYPE_F64, {1, {1}}}, index = {DTYPE_I64, {0}};
	struct attrs attrs = {0};
	int p, q, zero;

	switch (place) {
	case TAKEN:
		q = op2(b, OP_GT, x, y);
		build_open(b, NULL, 0);
		build_close(b, (int[]){op2(b, OP_MUL, x, y)}, 1);
		build_open(b, NULL, 0);
		build_close(b, (int[]){square_node(b, kind, factor, x, y)}, 1);
		return build_region_node(b, OP_COND, &q, 1, NULL, NULL);
	case CHECKPOINTED:
		build_open(b, NULL, 0);
		build_close(b, (int[]){square_node(b, kind, factor, x, y)}, 1);
		return build_region_node(b, OP_CHECKPOINT, NULL, 0, NULL, NULL);
	case IN_FOR:
		attrs.trip = 2;
		p = build_open(b, (struct type[]){index, scalar}, 2);
		build_close(b, (int[]){square_node(b, kind, factor, p + 1, y)}, 1);
		return build_region_node(b, OP_FOR, &x, 1, &attrs, NULL);
	case IN_WHILE:
		attrs.cap = 5;
		p = build_open(b, &scalar, 1);
		build_close(b, (int[]){op2(b, OP_LT, p, build_scalar(b, DTYPE_F64, 1000))}, 1);
		p = build_open(b, &scalar, 1);
		build_close(b, (int[]){square_node(b, kind, factor, p, y)}, 1);
		return build_region_node(b, OP_WHILE, &x, 1, &attrs, NULL);
	case IN_SCAN:
		attrs.trip = 2;
		attrs.carries = 1;
		p = build_open(b, &scalar, 1);
		build_close(b, (int[]){square_node(b, kind, factor, p, y)}, 1);
		return build_region_node(b, OP_SCAN, &x, 1, &attrs, NULL);
	case APPLIED:
		attrs.shape = vector.shape;
		q = build_node(b, OP_RESHAPE, &x, 1, &attrs, NULL);
		zero = integers(b, 1, (int[]){0});
		p = build_open(b, &scalar, 1);
		build_close(b, (int[]){square_node(b, kind, factor, p, build_scalar(b, DTYPE_F64, 5))}, 1);
		q = build_region_node(b, OP_SCATTER_APPLY, (int[]){q, zero}, 2, &attrs, NULL);
		return reduce(b, OP_REDUCE_SUM, q);
	case SOLVED: /* z = f(x, y), found in two steps */
		attrs.cap = 5;
		attrs.meaning = MEANING_SOLUTION;
		p = build_open(b, &scalar, 1);
		q = square_node(b, kind, factor, x, y);
		build_close(b, (int[]){q, op2(b, OP_EQ, q, p)}, 2);
		return build_region_node(b, OP_FIXED_POINT, (int[]){build_scalar(b, DTYPE_F64, 0)}, 1, &attrs, NULL);
	case INSIDE: /* f is what another function is made of, which has the right rule of the other kind: so f's own
	                counts where that does not */
		p = build_open(b, (struct type[]){scalar, scalar}, 2);
		build_close(b, (int[]){square_node(b, kind, factor, p, p + 1)}, 1);
		attrs.transform = kind == DERIVATIVE_JVP ? DERIVATIVE_VJP : DERIVATIVE_JVP;
		p = build_open(b, (struct type[]){scalar, scalar, scalar, scalar}, kind == DERIVATIVE_JVP ? 3 : 4);
		q = op2(b, OP_MUL, op2(b, OP_MUL, p, p + 1), build_scalar(b, DTYPE_F64, 2));
		q = op2(b, OP_MUL, q, p + 2);
		if (kind == DERIVATIVE_JVP)
			build_close(b, (int[]){q, op2(b, OP_MUL, op1(b, OP_SQUARE, p), p + 2)}, 2);
		else
			build_close(b, (int[]){op2(b, OP_ADD, q, op2(b, OP_MUL, op1(b, OP_SQUARE, p), p + 3))}, 1);
		return build_region_node(b, OP_CUSTOM, (int[]){x, y}, 2, &attrs, NULL);
	default:
		return square_node(b, kind, factor, x, y);
	}
}

static struct program square_times(enum place place, enum derivative_kind kind, double factor, struct arena *a)
{
	struct builder b = {0};
	int x, y, out;

	build_begin(&b, a);
	x = build_input(&b, &scalar);
	y = build_input(&b, &scalar);
	out = place_custom(&b, place, kind, factor, x, y);
	CHECK(out >= 0, "%s: not built", place_names[place]);
	return build_end(&b, &out, 1);
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

static const char *const engines[] = {
    "tape", "functional", "checkpointed", "parallel", "implicit", "forward", "aot", "compiled"};
enum { ENGINES = sizeof engines / sizeof *engines };

/* By x, or along (1, 1): of x^2 y at (3, 5), of its square times y, of x^2 5; `used`: where every derivative of f is 7
 * times too large. */
static double wanted(enum place place, bool jvp, bool used)
{
	double factor = used ? 7 : 1, first = factor * (jvp ? 39 : 30);

	if (place == IN_FOR || place == IN_WHILE || place == IN_SCAN)
		return factor * (jvp ? 2 * 45 * 5 * first + 45 * 45 : 2 * 45 * 5 * first);
	return place == APPLIED ? factor * 30 : first;
}

static void expect(
    const char *spec, enum place place, enum derivative_kind rule, enum transform_kind kind, struct arena *a)
{
	const struct program p = square_times(place, rule, 7, a);
	struct testcase c = ask(&p, kind, a);
	struct engine *engine = engine_open(spec, NULL);
	struct answer answer;
	struct error e = {.text = ""};
	bool jvp = kind == TRANSFORM_JVP;
	double want = wanted(place, jvp, jvp == (rule == DERIVATIVE_JVP));

	CHECK(program_check(&p, &e), "%s: %s: %s", place_names[place], e.place, e.text);
	if (!engine_refuses(engine_kind(engine), c.transform, 1, a)) {
		engine_answer(engine, &c, a, &answer);
		CHECK(answer.status == ANSWER_OK && answer.derivative[0].at[0].f == want,
		    "%s, %s, %s of a %s rule: %.17g, not %.17g: %s", spec, place_names[place], jvp ? "jvp" : "vjp",
		    derivative_names[rule], answer.n_derivative ? answer.derivative[0].at[0].f : NAN, want,
		    answer.text);
	}
	engine_close(engine);
}

/* Every engine, at its own level: the rule where it is of the mode, the function where it is not. */
static void test_used(struct arena *a)
{
	for (int k = 0; k < ENGINES; k++)
		for (int place = 0; place < PLACES; place++)
			for (int rule = 0; rule < DERIVATIVE_COUNT; rule++) {
				arena_reset(a);
				expect(engines[k], (enum place)place, (enum derivative_kind)rule, TRANSFORM_JVP, a);
				expect(engines[k], (enum place)place, (enum derivative_kind)rule, TRANSFORM_VJP, a);
			}
}

/* Below an engine's own level the rule is used where it is of that level's mode, whoever asks: of f' along (1, 1) or of
 * the gradient by x. */
static void test_levels(struct arena *a)
{
	for (int k = 0; k < ENGINES; k++)
		for (int rule = 0; rule < DERIVATIVE_COUNT; rule++)
			for (int below = 0; below < 2; below++)
				for (int above = 0; above < 2; above++) {
					/* x^2 y: along (1, 1) 2xy + x^2, by x 2xy; of those along (1, 1), or by x. */
					static const double right[2][2] = {
					    {2 * 5 + 2 * 3 + 2 * 3, 2 * 5 + 2 * 3}, {2 * 5 + 2 * 3, 2 * 5}};
					const enum transform_kind kind[2] = {below ? TRANSFORM_VJP : TRANSFORM_JVP,
					    above ? TRANSFORM_VJP : TRANSFORM_JVP};
					bool used = below == (rule == DERIVATIVE_VJP);
					struct engine *engine = engine_open(engines[k], NULL);
					struct testcase c, upper;
					struct transform t[2];
					struct answer answer;
					double want;

					arena_reset(a);
					const struct program p = square_times(DIRECT, (enum derivative_kind)rule, 7, a);

					c = ask(&p, kind[0], a);
					upper = ask(&p, kind[1], a);
					t[0] = c.transform[0];
					t[1] = upper.transform[0];
					if (below) /* its gradient by x alone */
						t[0].n_wrt = 1;
					c.transform = t;
					c.n_transform = 2;
					want = right[below][above] * (used ? 7 : 1);
					CHECK(testcase_check(&c, NULL), "levels %d, %d", below, above);
					if (!engine_refuses(engine_kind(engine), t, 2, a)) {
						engine_answer(engine, &c, a, &answer);
						CHECK(
						    answer.status == ANSWER_OK && answer.derivative[0].at[0].f == want,
						    "%s, %s of %s, %s rule: %g, not %g: %s", engines[k],
						    transform_names[kind[1]], transform_names[kind[0]],
						    derivative_names[rule],
						    answer.n_derivative ? answer.derivative[0].at[0].f : NAN, want,
						    answer.text);
					}
					engine_close(engine);
				}
}

/*
 * (a, b) of (x, n, y), n an integer: every slot of the rule has a weight of its own, so that none can be taken for
 * another.  vjp: by_x = x (a + 10 b), by_y = y (100 a + 1000 b); jvp: a = x (x' + 10 y'), b = y (100 x' + 1000 y').
 */
static struct program slots(enum derivative_kind kind, int result, struct arena *a)
{
	const struct type integer = {DTYPE_I64, {0}};
	const struct attrs attrs = {.transform = kind};
	struct builder b = {0};
	int in[3], p, d, given[2];

	build_begin(&b, a);
	in[0] = build_input(&b, &scalar);
	in[1] = build_input(&b, &integer);
	in[2] = build_input(&b, &scalar);
	p = build_open(&b, (struct type[]){scalar, integer, scalar}, 3);
	build_close(&b, (int[]){op2(&b, OP_MUL, p, p + 2), op2(&b, OP_ADD, p, p + 2)}, 2);
	p = build_open(&b, (struct type[]){scalar, integer, scalar, scalar, scalar}, 5);
	d = p + 3;
	for (int k = 0; k < 2; k++) {
		int first = op2(&b, OP_MUL, d, build_scalar(&b, DTYPE_F64, k ? 100 : 1));
		int second = op2(&b, OP_MUL, d + 1, build_scalar(&b, DTYPE_F64, k ? 1000 : 10));

		given[k] = op2(&b, OP_MUL, k ? p + 2 : p, op2(&b, OP_ADD, first, second));
	}
	build_close(&b, given, 2);
	p = build_region_node(&b, OP_CUSTOM, in, 3, &attrs, NULL);
	CHECK(p >= 0, "not built");
	return build_end(&b, (int[]){p, p + 1}, result == 2 ? 2 : 1);
}

/* The derivatives at x = 3, y = 5 along, or with, `seed`; wrt[n_wrt].  False: not answered. */
static bool slots_answer(const char *spec, enum derivative_kind kind, int results, int n_wrt, const int *wrt,
    const double *seed, struct arena *a, struct answer *out)
{
	const struct program p = slots(kind, results, a);
	struct transform t = {.kind = kind == DERIVATIVE_JVP ? TRANSFORM_JVP : TRANSFORM_VJP,
	    .n_wrt = n_wrt,
	    .wrt = arena_copy(a, wrt, (size_t)n_wrt, sizeof *wrt),
	    .n_seed = kind == DERIVATIVE_JVP ? n_wrt : results};
	struct tensor point[3] = {number(a, 3), tensor_new(a, &(struct type){DTYPE_I64, {0}}), number(a, 5)},
	              *points[1] = {point};
	const struct testcase c = {.program = p, .n_point = 1, .point = points, .n_transform = 1, .transform = &t};
	struct engine *engine = engine_open(spec, NULL);
	bool answered = !engine_refuses(engine_kind(engine), &t, 1, a);

	t.seed = NEW(a, struct tensor, t.n_seed);
	for (int k = 0; k < t.n_seed; k++)
		t.seed[k] = number(a, seed[k]);
	CHECK(testcase_check(&c, NULL), "not valid");
	if (answered)
		engine_answer(engine, &c, a, out);
	CHECK(!answered || out->status == ANSWER_OK, "%s: %s", spec, out->text);
	engine_close(engine);
	return answered;
}

static void test_slots(struct arena *a)
{
	static const int both[] = {0, 2}, last[] = {2};
	static const struct {
		enum derivative_kind kind;
		int results, n_wrt;
		const int *wrt;
		double seed[2], want[2];
	} row[] = {
	    {DERIVATIVE_VJP, 2, 2, both, {2, 3}, {3 * 32, 5 * 3200}},
	    {DERIVATIVE_VJP, 1, 2, both, {2, 0}, {3 * 2, 5 * 200}}, /* a cotangent that is absent */
	    {DERIVATIVE_VJP, 2, 1, last, {2, 3}, {5 * 3200, 0}},    /* an operand that nobody asks about */
	    {DERIVATIVE_JVP, 2, 2, both, {2, 3}, {3 * 32, 5 * 3200}},
	    {DERIVATIVE_JVP, 2, 1, last, {3, 0}, {3 * 30, 5 * 3000}}, /* a tangent that is absent */
	};

	for (int k = 0; k < ENGINES; k++)
		for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
			if (!row_wanted("slots: row %d", (int)i))
				continue;
			struct answer answer;

			arena_reset(a);
			if (!slots_answer(engines[k], row[i].kind, row[i].results, row[i].n_wrt, row[i].wrt,
			        row[i].seed, a, &answer))
				continue;
			for (int d = 0; d < answer.n_derivative; d++)
				CHECK(answer.derivative[d].at[0].f == row[i].want[d], "%s, row %zu, %d: %g, not %g",
				    engines[k], i, d, answer.derivative[d].at[0].f, row[i].want[d]);
		}
}

/* With the right rule there is a truth, with the wrong one there is none. */
static void test_oracle(struct arena *a)
{
	struct analytic *oracle = analytic_open(&oracle_rules_right);

	for (int rule = 0; rule < DERIVATIVE_COUNT; rule++)
		for (int kind = 0; kind < 2; kind++)
			for (int wrong = 0; wrong < 3; wrong++) {
				static const double factor[] = {1, 7, 1 + 0x1p-40};
				const struct program p = square_times(
				    DIRECT, (enum derivative_kind)rule, factor[wrong], a);
				struct testcase c = ask(&p, kind ? TRANSFORM_VJP : TRANSFORM_JVP, a);
				struct truth_point truth;
				const struct component *got;

				analytic_truth(oracle, &c, 0, a, &truth);
				got = &truth.derivative[0][0].at[0];
				if (wrong)
					CHECK(got->reason == REASON_CUSTOM_RULE, "reason %d", (int)got->reason);
				else
					CHECK(!got->reason && got->value == (kind ? 30 : 39), "reason %d, %g",
					    (int)got->reason, got->value);
			}
	analytic_close(oracle);
}

/* Generated rules are right by the oracle's own check, and a program without its customs is the same function: bit by
 * bit for the primal. */
static void test_generated(struct arena *a)
{
	struct analytic *oracle = analytic_open(&oracle_rules_right);
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
		if (!region_has_op(&c.program.top, OP_CUSTOM))
			continue;
		customs++;
		plain = c;
		plain.program = lower_customs(&c.program, DERIVATIVE_COUNT, a);
		CHECK(program_check(&plain.program, NULL) && !region_has_op(&plain.program.top, OP_CUSTOM),
		    "case %d: not lowered", k);
		if (request_order(c.transform, c.n_transform) == c.n_transform) { /* without batches (analytic.h) */
			analytic_truth(oracle, &c, 0, a, &truth);
			if (truth.n_derivative && shape_elements(&truth.derivative[0][0].type.shape))
				doubted += truth.derivative[0][0].at[0].reason == REASON_CUSTOM_RULE;
		}
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

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	CHECK_LAW(test_used(&a));
	CHECK_LAW(test_levels(&a));
	test_slots(&a);
	CHECK_LAW(test_oracle(&a));
	CHECK_LAW(test_generated(&a));
	arena_free(&a);
	return check_done();
}

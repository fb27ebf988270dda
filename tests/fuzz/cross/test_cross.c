/*
 * Checks without an oracle: a planted fault is seen by the mode that can see it, and right engines that differ (at a
 * kink, by rounding that something magnifies, by a formula or a range) are no lead.
 */
#include "engines/instance.h"
#include "fuzz/generate/choice.h"
#include "fuzz/cross/internal.h"
#include "fuzz/edit/edit.h"
#include "fuzz/generate/generate.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one case ---- */

static struct cross_result check(
    const char *engine, const char *against, enum cross_mode mode, const struct testcase *c, struct arena *a)
{
	struct engine *left = engine_open(engine, NULL), *right = against ? engine_open(against, NULL) : NULL;
	struct cross *cross = cross_open(left, right);
	struct cross_result r;

	cross_check(cross, mode, c, a, &r);
	cross_close(cross);
	engine_close(left);
	engine_close(right);
	return r;
}

/* y = x * y, three times from 1. */
static const char power[] = "inputs x: f64[]\n"
                            "r = for (1) trip=3 {\n"
                            "  params i, y\n"
                            "  v = mul y, x\n"
                            "  yield v\n"
                            "}\n"
                            "return r\n"
                            "point 0.5\n"
                            "request: vjp";

/* The same tie in the two engines' words: x and z are equal. */

static const char pow_second[] = "inputs x: f64[], z: f64[]\n"
                                 "v = pow x, z\n"
                                 "return v\n"
                                 "point 23, 0\n"
                                 "request: vjp x; then vjp z";

/* sum over a vector whose terms cancel, in the order of the engine: what is left is rounding. */

static const struct row {
	const char *name, *engine, *against;
	enum cross_mode mode;
	const char *text;
	enum cross_verdict verdict;
	const char *kind;
} rows[] = {
    /* a fault is seen by what can see it */
    {"a loop against itself unrolled", "functional+residual-fifo", NULL, CROSS_MODE_unrolled, power, CROSS_DIFFERS,
        "finite"},
    {"a loop against another engine", "functional+residual-fifo", "aot", CROSS_MODE_engine, power, CROSS_DIFFERS,
        "finite"},
    {"reverse against another's forward", "functional+residual-fifo", "forward", CROSS_MODE_transpose, power,
        CROSS_DIFFERS, "finite"},
    {"there is no forward mode of its own", "functional+residual-fifo", NULL, CROSS_MODE_transpose, power,
        CROSS_UNSUPPORTED, NULL},
    {"wrong in both parts alike", "functional+residual-fifo", NULL, CROSS_MODE_linear, power, CROSS_SAME, NULL},
    {"wrong in every slice", "functional+residual-fifo", NULL, CROSS_MODE_batch, power, CROSS_SAME, NULL},
    {"wrong in every dtype", "functional+residual-fifo", NULL, CROSS_MODE_dtype, power, CROSS_SAME, NULL},
    {"wrong each time", "functional+residual-fifo", NULL, CROSS_MODE_again, power, CROSS_SAME, NULL},
    {"the right one", "functional", "forward", CROSS_MODE_transpose, power, CROSS_SAME, NULL},
    {"a Hessian that is not symmetric", "aot+jax-pow-2nd", NULL, CROSS_MODE_symmetry, pow_second, CROSS_DIFFERS,
        "finite"},
    {"stacks that differ", "aot+jax-pow-2nd", NULL, CROSS_MODE_order, pow_second, CROSS_DIFFERS, "finite"},
    {"a right Hessian", "aot", NULL, CROSS_MODE_symmetry, pow_second, CROSS_SAME, NULL},
    {"right stacks", "aot", NULL, CROSS_MODE_order, pow_second, CROSS_SAME, NULL},
    {"a NaN at a zero of a product", "tape+prod-div-zero", "aot", CROSS_MODE_engine,
        "inputs x: f64[3]\n"
        "r = reduce_prod x axes=[0]\n"
        "return r\n"
        "point [2, 0, 3]\n"
        "request: vjp",
        CROSS_DIFFERS, "nan"},
    {"an answer of another shape", "tape+wrong-shape", NULL, CROSS_MODE_again,
        "inputs x: f64[]\n"
        "r = sin x\n"
        "return r\n"
        "point 1\n"
        "request: vjp",
        CROSS_DIFFERS, "shape"},
    {"in f16 by its f64", "functional+residual-fifo", "aot", CROSS_MODE_engine,
        "inputs x: f16[]\n"
        "one: f16[] = constant 1\n"
        "r = for (one) trip=3 {\n"
        "  params i, y\n"
        "  v = mul y, x\n"
        "  yield v\n"
        "}\n"
        "return r\n"
        "point 0.5\n"
        "request: vjp",
        CROSS_DIFFERS, "finite"},
    {"a rule off by a tenth of a percent", "aot+scale:cosh:1.001", "tape", CROSS_MODE_engine,
        "inputs x: f64[]\n"
        "r = cosh x\n"
        "return r\n"
        "point 1\n"
        "request: vjp",
        CROSS_DIFFERS, "finite"},
    /* formulas that lose digits, as some engines' do: those of what is small lose them by numbers of about 1 */
    {"a rule off in its lower digits", "aot+scale:cosh:1.000000001", "tape", CROSS_MODE_engine,
        "inputs x: f64[]\n"
        "r = cosh x\n"
        "return r\n"
        "point 1\n"
        "request: vjp",
        CROSS_SAME, NULL},
    {"off by rounding errors of 1", "aot+scale:cosh:1.001", "tape", CROSS_MODE_engine,
        "inputs x: f64[]\n"
        "r = cosh x\n"
        "return r\n"
        "point 0x1p-30\n"
        "request: vjp",
        CROSS_ROUNDING, NULL},
    /* kinks: the fault is another convention, which nobody may blame */
    {"the first of a tie takes all", "tape+max-first-tie", "aot", CROSS_MODE_engine,
        "inputs x: f64[], z: f64[]\n"
        "v = max x, z\n"
        "return v\n"
        "point 2, 2\n"
        "request: vjp",
        CROSS_ROUNDING, NULL},
    {"a tie of one value with itself", "tape+max-first-tie", "aot", CROSS_MODE_engine,
        "inputs x: f64[], z: f64[]\n"
        "y = copy x\n"
        "v = max x, y\n"
        "return v\n"
        "point 2, 2\n"
        "request: vjp",
        CROSS_SAME, NULL},
    {"a tie at 0 that a difference makes", "tape+max-first-tie", "aot", CROSS_MODE_engine,
        "inputs x: f64[], z: f64[]\n"
        "d = sub x, x\n"
        "e = mul d, z\n"
        "v = max e, x\n"
        "return v\n"
        "point 0, 3\n"
        "request: vjp",
        CROSS_ROUNDING, NULL},
    {"a directional derivative of a tie", "parallel", NULL, CROSS_MODE_transpose,
        "inputs x: f64[], z: f64[]\n"
        "v = min x, z\n"
        "return v\n"
        "point 2, 2\n"
        "request: vjp",
        CROSS_SAME, NULL},
    {"beside the tie there is none", "tape+max-first-tie", "aot", CROSS_MODE_engine,
        "inputs x: f64[], z: f64[]\n"
        "v = max x, z\n"
        "return v\n"
        "point 2, 2.5\n"
        "request: vjp",
        CROSS_SAME, NULL},
    /* rounding, magnified */
    {"what a sum leaves", "aot:rounding=3", "aot", CROSS_MODE_engine,
        "inputs x: f64[4]\n"
        "s = reduce_sum x axes=[0]\n"
        "r = sin s\n"
        "return r\n"
        "point [1e16, 1, -1e16, 1]\n"
        "request: vjp",
        CROSS_ROUNDING, NULL},
    {"a branch on it", "aot:rounding=3", "aot", CROSS_MODE_engine,
        "inputs x: f64[4]\n"
        "s = reduce_sum x axes=[0]\n"
        "p = lt s, 1.5\n"
        "r = cond (p) {\n"
        "  u = sin s\n"
        "  yield u\n"
        "} else {\n"
        "  w = cos s\n"
        "  yield w\n"
        "}\n"
        "return r\n"
        "point [1e16, 1, -1e16, 1]\n"
        "request: vjp",
        CROSS_ROUNDING, NULL},
    {"a maximum of it", "aot:rounding=3", "aot", CROSS_MODE_engine,
        "inputs x: f64[4]\n"
        "s = reduce_sum x axes=[0]\n"
        "r = max s, 0.5\n"
        "return r\n"
        "point [1e16, 1, -1e16, 1]\n"
        "request: vjp",
        CROSS_ROUNDING, NULL},
    {"a predicate on a rounding error", "tape:rounding=13", NULL, CROSS_MODE_dtype,
        "a = constant 1.5\n"
        "b = sqrt a\n"
        "c = mul b, b\n"
        "r = lt a, c\n"
        "return r\n"
        "point",
        CROSS_ROUNDING, NULL},
    /* the end of a range */
    {"an overflow of f32 alone", "aot", NULL, CROSS_MODE_dtype,
        "inputs x: f32[]\n"
        "s = square x\n"
        "q = square s\n"
        "r = sqrt q\n"
        "return r\n"
        "point 1099511627776\n"
        "request: vjp",
        CROSS_EDGE, NULL},
    {"the end of a domain behind a kink", "aot", NULL, CROSS_MODE_transpose,
        "inputs x: f64[]\n"
        "a = abs x\n"
        "r = pow a, 0.5\n"
        "return r\n"
        "point 0\n"
        "request: jvp",
        CROSS_EDGE, NULL},
    {"a slope that the kink hides", "aot", NULL, CROSS_MODE_transpose,
        "inputs x: f64[]\n"
        "a = abs x\n"
        "b = add a, 0x1p-240\n"
        "r = sqrt b\n"
        "return r\n"
        "point 0\n"
        "request: jvp",
        CROSS_SAME, NULL},
    {"a formula that cancels beside the end of a domain", "parallel:flushing=18", NULL, CROSS_MODE_dtype,
        "inputs x: f64[]\n"
        "r = acosh x\n"
        "return r\n"
        "point 0x1.000002p+0\n"
        "request: jvp",
        CROSS_EDGE, NULL},
    {"the tip of a norm", "tape+norm-at-zero", "aot", CROSS_MODE_engine,
        "inputs x: f64[2]\n"
        "n = norm x axes=[0]\n"
        "r = max n, 1\n"
        "return r\n"
        "point [0, 0]\n"
        "request: vjp",
        CROSS_EDGE, NULL},
};

static void check_rows(struct arena *a)
{
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("%s", rows[k].name))
			continue;
		const struct row *row = &rows[k];
		struct testcase c;
		struct cross_result r;

		arena_reset(a);
		c = test_case(a, row->text);
		if (!c.program.top.n_result)
			continue;
		r = check(row->engine, row->against, row->mode, &c, a);
		CHECK(r.verdict == row->verdict, "%s: %s, expected %s (%g and %g, scatter %g; %s)", row->name,
		    cross_verdict_names[r.verdict], cross_verdict_names[row->verdict], r.left, r.right, r.scatter,
		    r.text);
		CHECK(!row->kind || (r.kind && !strcmp(r.kind, row->kind)), "%s: kind %s, expected %s", row->name,
		    r.kind ? r.kind : "none", row->kind);
	}
}

/*
 * Cases of the zoo: the mode that sees the fault without another engine, and that the right engine shows nothing in
 * any.
 */
static void check_zoo(struct arena *a)
{
	static const struct {
		const char *file, *engine;
		enum cross_mode mode;
	} zoo[] = {
	    {"mxnet-pad-ones", "tape+mxnet-pad-ones", CROSS_MODE_linear},
	    {"inductor-indexput-expand", "compiled+inductor-indexput-expand", CROSS_MODE_batch},
	    {"jaxopt-implicit-2nd-2", "implicit+jaxopt-implicit-2nd", CROSS_MODE_unrolled},
	    {"diffractor-swap-order-3", "aot+diffractor-swap", CROSS_MODE_order},
	    {"input-modified", "tape+input-modified", CROSS_MODE_again},
	    {"mxnet-pad-ones", "tape", CROSS_MODES},
	    {"inductor-indexput-expand", "compiled", CROSS_MODES},
	    {"jaxopt-implicit-2nd-2", "implicit", CROSS_MODES},
	    {"diffractor-swap-order-3", "aot", CROSS_MODES},
	};

	for (size_t k = 0; k < sizeof zoo / sizeof *zoo; k++)
		if (row_wanted("zoo: %s, %s", zoo[k].file, zoo[k].engine))
			for (int m = 0; m < CROSS_MODES; m++) {
				struct testcase c;
				struct cross_result r;
				struct error e = {0};

				arena_reset(a);
				CHECK(testcase_read_file(arena_printf(a, "corpus/zoo/%s.json", zoo[k].file), a, &c, &e),
				    "%s: %s", zoo[k].file, e.text);
				r = check(zoo[k].engine, NULL, (enum cross_mode)m, &c, a);
				if (m == (int)zoo[k].mode || zoo[k].mode == CROSS_MODES)
					CHECK((r.verdict == CROSS_DIFFERS) == (zoo[k].mode != CROSS_MODES),
					    "%s, %s: %s", zoo[k].engine, cross_mode_names[m],
					    cross_verdict_names[r.verdict]);
			}
}

/* ---- formulas ---- */

/*
 * 1/cosh^2 and 1 - y^2 of a saturated tanh, and all the usual formulas that lose more than the usual: the same engine
 * by many seeds.
 */
static void check_formulas(struct arena *a)
{
	static const char *const ops[] = {"tanh", "logistic", "erf", "expm1", "log1p", "asinh", "atan"};
	static const double at[] = {20, 8, 3, -9, 0.001};

	for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
		for (size_t i = 0; i < sizeof at / sizeof *at; i++)
			for (int f32 = 0; f32 < 2; f32++)
				for (int seed = 1; seed <= 6; seed++) {
					const char *engine, *x;
					char text[REAL_TEXT];
					struct testcase c;

					arena_reset(a);
					x = arena_printf(a, "%s",
					    real_print(
					        dtype_round(DTYPE_F32, !strcmp(ops[k], "log1p") ? fabs(at[i]) : at[i]),
					        text));
					c = test_case(a,
					    arena_printf(a,
					        "inputs x: %s[]\n"
					        "r = %s x\n"
					        "return r\n"
					        "point %s\n"
					        "request: vjp",
					        f32 ? "f32" : "f64", ops[k], x));
					engine = arena_printf(a, "parallel:rounding=%d", seed);
					for (int m = 0; m < CROSS_MODES; m++) {
						struct cross_result r = check(
						    engine, "tape", (enum cross_mode)m, &c, a);

						CHECK(r.verdict != CROSS_DIFFERS,
						    "%s at %s, %s: %s, %g and %g, scatter %g", ops[k], x, engine,
						    cross_mode_names[m], r.left, r.right, r.scatter);
					}
				}
}

/* ---- random cases: right engines, however badly they round ---- */

static void check_random(struct arena *a)
{
	static const char *const engines[] = {"parallel", "compiled", "aot:rounding=1", "parallel:rounding=2",
	    "implicit:rounding=3", "parallel:flushing=4", "compiled:rounding=5"};
	enum { ENGINES = sizeof engines / sizeof *engines, CASES = 300 };
	struct engine *against = engine_open("tape", NULL);
	const struct profile profile = profile_default();
	int compared = 0;

	for (int e = 0; e < ENGINES; e++) {
		struct engine *engine = engine_open(engines[e], NULL);
		struct cross *cross = cross_open(engine, against);

		for (int k = e; k < CASES; k += ENGINES) {
			struct choice choice = choice_seeded((uint64_t)k + 1);
			struct testcase c;

			arena_reset(a);
			c = generate(&choice, &profile, a);
			for (int m = 0; m < CROSS_MODES; m++) {
				struct arena_mark mark = arena_mark(a);
				struct cross_result r;

				cross_check(cross, (enum cross_mode)m, &c, a, &r);
				CHECK(r.verdict != CROSS_DIFFERS, "%s, case %d, %s: %g and %g", engines[e], k,
				    cross_mode_names[m], r.left, r.right);
				compared += r.compared;
				arena_rewind(a, mark);
			}
		}
		cross_close(cross);
		engine_close(engine);
	}
	engine_close(against);
	CHECK(compared > 10000, "%d numbers compared", compared);
}

/* ---- pieces ---- */

static void check_pieces(struct arena *a)
{
	struct testcase c = test_case(a,
	    "inputs x: f64[], z: f64[]\n"
	    "v = max x, z\n"
	    "return v\n"
	    "point 2, 2\n"
	    "request: vjp");
	const struct testcase *blurred[] = {cross_blurred(a, &c, 0), cross_blurred(a, &c, CROSS_DRAWS / 2)},
	                      *narrow = edit_in_dtype(a, &c, DTYPE_F32), *beside;
	struct engine *aot = engine_open("aot", NULL);
	struct answer answer[2], once[1];

	for (int k = 0; k < 2; k++) {
		CHECK(blurred[k] && program_nodes(&blurred[k]->program) == 9,
		    "a maximum, and four nodes for each of its operands");
		engine_answer(aot, blurred[k], a, &answer[k]);
		CHECK(answer[k].status == ANSWER_OK &&
		        (answer[k].derivative[0].at[0].f == 0) != (answer[k].derivative[1].at[0].f == 0),
		    "blurred, a tie has one winner");
	}
	CHECK((answer[0].derivative[0].at[0].f == 0) != (answer[1].derivative[0].at[0].f == 0),
	    "and the other one in the other draw");
	CHECK(narrow && narrow->program.type[narrow->program.top.result[0]].dtype == DTYPE_F32 &&
	        narrow->point[0][0].type.dtype == DTYPE_F32,
	    "recast");
	c.point[0][1].at[0].f = 0;
	beside = cross_beside(a, &c, 3);
	CHECK(beside->point[0][0].at[0].f != 2 && fabs(beside->point[0][0].at[0].f - 2) <= 4 * 4.5e-16,
	    "beside 2: %.17g", beside->point[0][0].at[0].f);
	CHECK(beside->point[0][1].at[0].f == 0 && c.point[0][0].at[0].f == 2, "a 0 stays, and so does the base");
	engine_close(aot);

	/* A probe: 1/3 scatters, 1/2 does not; without seed there is none. */
	struct engine *probe = engine_open("aot:rounding=1", NULL), *plain = engine_open("aot", NULL);

	CHECK(!engine_magnify_rounding(plain, 8), "an engine that rounds to nearest");
	CHECK(engine_magnify_rounding(probe, 8), "an engine with a seed");
	c = test_case(a,
	    "inputs x: f64[], z: f64[]\n"
	    "v = div x, z\n"
	    "return v\n"
	    "point 1, 3");
	engine_answer(probe, &c, a, once);
	CHECK(once[0].primal[0].at[0].f != 1.0 / 3 && fabs(once[0].primal[0].at[0].f * 3 - 1) < 8 * 2.3e-16,
	    "1/3 by a probe: %.17g", once[0].primal[0].at[0].f);
	CHECK(engine_rounding_seen(probe).steps == 1 && !engine_rounding_seen(probe).edge, "one step");
	c.point[0][1].at[0].f = 2;
	engine_answer(probe, &c, a, once);
	CHECK(once[0].primal[0].at[0].f == 0.5 && engine_rounding_seen(probe).steps == 0, "1/2 is exact");
	c.point[0][1].at[0].f = 0;
	engine_answer(probe, &c, a, once);
	CHECK(engine_rounding_seen(probe).edge, "1/0 is an edge");
	engine_close(probe);
	engine_close(plain);
}

struct checking {
	struct cross *cross;
	struct arena arena;
	struct cross_result r;
};

static void check_power(void *context)
{
	struct checking *x = context;
	struct testcase c = test_case(&x->arena, power);

	cross_check(x->cross, CROSS_MODE_engine, &c, &x->arena, &x->r);
}

/* False where the check left by the arena's own way out. */
static bool checked_within(size_t limit, struct cross *cross, enum cross_verdict *out)
{
	struct checking x = {.cross = cross};
	bool there;

	arena_init(&x.arena, limit);
	there = arena_try(&x.arena, check_power, &x);
	if (there)
		*out = x.r.verdict;
	arena_free(&x.arena);
	return there;
}

/* Wherever memory ends, no rounding of a probe goes on. */
static void check_memory(void)
{
	struct engine *engine = engine_open("functional+residual-fifo", NULL), *against = engine_open("aot", NULL);
	struct cross *cross = cross_open(engine, against);
	int large = 0, right = 0;

	for (size_t limit = 1 << 14; limit < 1 << 20; limit += 1 << 12) {
		enum cross_verdict v = CROSS_UNSUPPORTED;

		CHECK(checked_within(limit, cross, &v), "%zu bytes: out of it", limit);
		large += v == CROSS_UNSUPPORTED;
		right += v == CROSS_DIFFERS;
		CHECK(v == CROSS_DIFFERS || v == CROSS_UNSUPPORTED, "%zu bytes: %s", limit, cross_verdict_names[v]);
		CHECK(!rounding_active, "%zu bytes", limit);
	}
	CHECK(large && right, "%d times too large, %d times not", large, right);
	cross_close(cross);
	engine_close(engine);
	engine_close(against);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 1 << 30);
	CHECK_LAW(check_pieces(&a));
	CHECK_LAW(check_memory());
	check_rows(&a);
	check_zoo(&a);
	CHECK_LAW(check_formulas(&a));
	CHECK_LAW(check_random(&a));
	arena_free(&a);
	return check_done();
}

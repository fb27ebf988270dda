/* Analytic oracle: closed forms, exactness, ties, unknown choices; laws against the engines and finite differences. */
#include "engines/engine.h"
#include "fuzz/generate/choice.h"
#include "fuzz/generate/generate.h"
#include "oracles/analytic/analytic.h"
#include "oracles/ball/ball.h"
#include "oracles/oracle_rules.h"
#include "oracles/truth.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <string.h>

/* Element AT of the sorted join of r = x, c = 2, d = 4 - x and l = e^log(x), as named. */
#define SORTED(parts, at) \
	"four = constant 4\n" \
	"c = constant [2]\n" \
	"e = sub four, x\n" \
	"g = log x\n" \
	"h = exp g\n" \
	"r = reshape x shape=[1]\n" \
	"d = reshape e shape=[1]\n" \
	"l = reshape h shape=[1]\n" \
	"j = concatenate " parts " axis=0\n" \
	"s = sort j axis=0\n" \
	"p = slice s start=[" at "] size=[1]\n" \
	"y = reshape p shape=[]\n"

/* Closed forms at a point, in both directions of the sweep; want is good to 1e-15 relative. */
struct closed_form {
	const char *body, *point;
	double want;
};
static const struct closed_form closed_forms[] = {
    {"y = mul x, x", "3", 6},
    {"y = sub x, x", "3", 0},
    {"y = exp x", "1", 2.718281828459045},
    {"y = expm1 x", "0", 1},
    {"y = log x", "4", .25},
    {"y = log1p x", "3", .25},
    {"y = sqrt x", "4", .25},
    {"y = rsqrt x", "4", -.0625},
    {"y = square x", "-3", -6},
    {"y = sin x", "0", 1},
    {"y = cos x", "0", 0},
    {"y = tan x", "0", 1},
    {"y = asin x", "0.5", 1.1547005383792515},
    {"y = acos x", "0.5", -1.1547005383792515},
    {"y = atan x", "1", .5},
    {"y = sinh x", "0", 1},
    {"y = cosh x", "0", 0},
    {"y = tanh x", "1", .41997434161402614},
    {"y = asinh x", "0", 1},
    {"y = acosh x", "2", .57735026918962576},
    {"y = atanh x", "0.5", 1.3333333333333333},
    {"y = logistic x", "0", .25},
    {"y = erf x", "0", 1.1283791670955126},
    {"y = abs x", "-2", -1},
    {"y = neg x", "2", -1},
    {"y = floor x", "2.5", 0},
    {"y = stop_gradient x", "2.5", 0},
    {"y = div x, 2", "3", .5},
    {"y = div 2, x", "4", -.125},
    {"y = pow x, 3", "2", 12},
    {"y = pow x, 3", "-2", 12},
    {"y = pow 2, x", "3", 5.5451774444795625},
    {"y = pow x, 2", "0", 0},
    {"y = atan2 x, 2", "1", .4},
    {"y = atan2 2, x", "1", -.4},
    {"y = max x, 2", "3", 1},
    {"y = min x, 2", "3", 0},
    {"y = max x, x", "3", 1},
    {"y = copy x", "3", 1},
    {SORTED("r, c", "0"), "3", 0},
    {SORTED("r, c", "1"), "3", 1},
    {SORTED("d, r, c", "0"), "3", -1},
    {SORTED("r, r", "0"), "3", 1},
};

static const struct truth_point *truth_at(struct analytic *oracle, const struct testcase *c, struct arena *a)
{
	struct truth_point *t = NEW(a, struct truth_point, 1);
	analytic_truth(oracle, c, 0, a, t);
	return t;
}

static void test_closed_forms(struct analytic *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof closed_forms / sizeof *closed_forms; i++) {
		if (!row_wanted("closed forms: %s at %s", closed_forms[i].body, closed_forms[i].point))
			continue;
		const struct closed_form *row = &closed_forms[i];
		for (int mode = 0; mode < 2; mode++) {
			arena_reset(a);
			struct testcase c = test_function(a, "x: f64[]", row->body, row->point, mode ? "jvp" : "vjp");
			const struct component *d = truth_at(oracle, &c, a)->derivative[0][0].at;
			CHECK(d->reason == REASON_NONE, "%s at %s: %s", row->body, row->point, reason_names[d->reason]);
			CHECK(fabs(d->value - row->want) <= 1e-15 * fabs(row->want), "%s at %s: %.17g, not %.17g",
			    row->body, row->point, d->value, row->want);
			CHECK(d->tight <= d->loose && d->tight <= 1e-14 * (d->magnitude + 1e-300), "%s: radius %g",
			    row->body, d->tight);
		}
	}
}

/* What is undecided, and why. */
struct undecided_row {
	const char *inputs, *body, *point;
	enum reason reason;
	const char *request; /* NULL: vjp */
};
static const struct undecided_row undecided_rows[] = {
    {"x: f64[]", "y = sqrt x", "0", REASON_NON_FINITE},
    {"x: f64[]", "y = log x", "-1", REASON_NON_FINITE},
    {"x: f64[]", "e = exp x; y = exp e", "10", REASON_OVERFLOW},
    {"x: f16[]", "y = square x", "300", REASON_OVERFLOW},
    /* a radius of 23 % of the number is enough at order 1, but not at order 2; one of more than half of it is not */
    {"x: bf16[]", "s = sin x; e = exp s; t = square e; y = exp t", "0.75", REASON_NONE},
    {"x: bf16[]", "s = sin x; e = exp s; t = square e; y = exp t", "0.75", REASON_ILL_CONDITIONED, "vjp x; then vjp x"},
    {"x: bf16[]",
        "o: bf16[] = constant 1; s = derivative (x, o) primals=1 transform=jvp { params u; v = square u; yield v }; "
        "e = exp s; t = square e; y = exp t",
        "0.25", REASON_ILL_CONDITIONED},
    {"x: bf16[]", "s = add x, x; e = exp s; t = square e; y = exp t", "0.25", REASON_NONE},
    {"x: bf16[]", "s = sin x; d = sub x, s; y = square d", "0.75", REASON_ILL_CONDITIONED},
    /* sin(x) - x at 2^-20 cancels all but the radius */
    {"x: f32[]", "s = sin x; d = sub s, x; y = log d", "0x1p-20", REASON_NON_FINITE},
    /* exp(log(x)) against x: equal, but not to a right engine */
    {"x: f64[]", "l = log x; e = exp l; p = lt e, x; y = select p, x, 0", "3", REASON_UNSTABLE_PATH},
    {"x: f64[]", SORTED("l, r", "0"), "3", REASON_UNSTABLE_PATH},
    {"x: f64[]", SORTED("l, c, r", "2"), "3", REASON_UNSTABLE_PATH},
    {"x: f64[]", SORTED("l, c, r", "0"), "3", REASON_NONE},
    {"x: f64[]",
        SORTED("l, r", "0") "i = argmax j axis=0\n"
                            "k = sign i\n"
                            "z = gather s, k axis=0 mode=clip",
        "3", REASON_UNSTABLE_PATH},
};

static void test_undecided(struct analytic *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof undecided_rows / sizeof *undecided_rows; i++) {
		if (!row_wanted("undecided: %s, %s", undecided_rows[i].inputs, undecided_rows[i].body))
			continue;
		const struct undecided_row *row = &undecided_rows[i];
		arena_reset(a);
		struct testcase c = test_function(
		    a, row->inputs, row->body, row->point, row->request ? row->request : "vjp");
		const struct component *d = truth_at(oracle, &c, a)->derivative[0][0].at;
		CHECK(d->reason == row->reason, "%s at %s: %s, not %s", row->body, row->point, reason_names[d->reason],
		    reason_names[row->reason]);
	}
}

/* Ties of exact values give one assignment per convention; ties of one value with itself and of constants give none. */
static void test_ties(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *body, *request;
		int assignments;
		double values[4];
	} rows[] = {
	    {"y = max x, 2", "vjp", 3, {.5, 1, 0}},
	    {"y = max x, 2", "jvp", 4, {.5, 1, 0, 1}},
	    {"y = min x, 2", "jvp", 4, {.5, 1, 0, 0}},
	    {"d = sub x, 2; y = abs d", "vjp", 3, {0, 1, -1}},
	    {"d = sub x, 2; y = abs d", "jvp", 4, {0, 1, -1, 1}},
	    {"y = max x, x", "vjp", 1, {1}},
	    {SORTED("c, r", "1"), "vjp", 3, {.5, 1, 0}},
	    {SORTED("c, r", "0"), "jvp", 4, {.5, 0, 1, 0}},
	    {SORTED("r, c, d", "0"), "jvp", 4, {0, 1, -1, -1}},
	    {SORTED("r, c, d", "1"), "jvp", 4, {0, 0, 0, 0}},
	    {SORTED("r, c, d", "2"), "jvp", 4, {0, -1, 1, 1}},
	    {SORTED("r, r", "1"), "vjp", 1, {1}},
	    {"c = constant 2; m = max c, c; y = mul m, x", "vjp", 1, {2}},
	    {"y = clamp x, 2, 5", "vjp", 4, {.5, 1, 0, 0}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("ties: %s, %s", rows[i].body, rows[i].request))
			continue;
		arena_reset(a);
		struct testcase c = test_function(a, "x: f64[]", rows[i].body, "2", rows[i].request);
		const struct truth_point *t = truth_at(oracle, &c, a);
		CHECK(t->n_assignment == rows[i].assignments, "%s: %d assignments", rows[i].body, t->n_assignment);
		for (int k = 0; k < t->n_assignment && k < 4; k++)
			CHECK(t->derivative[k][0].at[0].value == rows[i].values[k],
			    "%s: assignment %d gives %g, not %g", rows[i].body, k, t->derivative[k][0].at[0].value,
			    rows[i].values[k]);
	}
}

/*
 * Whose formula loses most of what a usual one loses, and that every op of which one loses has a better one to tell
 * of.
 */
static void test_culprits(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *inputs, *body, *point;
		enum op culprit;
		bool range;
	} rows[] = {
	    {"x: f64[]", "y = tanh x", "3", OP_TANH, false},
	    {"x: f64[]", "y = logistic x", "8", OP_LOGISTIC, false},
	    {"x: f64[]", "y = expm1 x", "-9", OP_EXPM1, false},
	    {"x: f64[]", "y = asin x", "0.9990234375", OP_ASIN, false},
	    {"x: f64[]", "y = acos x", "0.9990234375", OP_ACOS, false},
	    {"x: f64[]", "y = acosh x", "1.0009765625", OP_ACOSH, false},
	    {"x: f64[]", "y = atanh x", "0.9990234375", OP_ATANH, false},
	    {"x: f64[]", "y = rsqrt x", "3", OP_RSQRT, false},
	    {"x: f64[]", "y = div 3, x", "7", OP_DIV, false},
	    /* what an op further on multiplies, above and below the one to blame */
	    {"x: f64[]", "t = tanh x; y = exp t", "3", OP_TANH, false},
	    {"x: f64[]", "t = exp x; y = tanh t", "1", OP_TANH, false},
	    /*
	     * the larger loss of two, wherever it stands: 1 - y^2 at 6 beside y(1 - y) at 0.5 and the other way round
	     */
	    {"x: f64[]", "t = tanh x; l = logistic t; y = mul l, l", "6", OP_TANH, false},
	    {"x: f64[]",
	        "c = constant 0x1p-20\n"
	        "e = constant -9\n"
	        "s = mul x, c\n"
	        "t = tanh s\n"
	        "m = sub x, e\n"
	        "l = logistic m\n"
	        "y = add t, l",
	        "0.5", OP_LOGISTIC, false},
	    {"x: f32[]", "y = asinh x", "0x1p80", OP_ASINH, true},
	    {"x: f32[]", "y = atan x", "0x1p80", OP_ATAN, true},
	    {"x: f32[]", "t = asinh x; y = tanh t", "0x1p80", OP_ASINH, true},
	    {"x: f64[]", "y = mul x, x", "3", OP_CONSTANT, false},
	    {"x: f64[]", "y = exp x", "3", OP_CONSTANT, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("culprits: %s, %s", rows[i].inputs, rows[i].body))
			continue;
		for (int mode = 0; mode < 2; mode++) {
			arena_reset(a);
			struct testcase c = test_function(
			    a, rows[i].inputs, rows[i].body, rows[i].point, mode ? "jvp" : "vjp");
			const struct component *d = truth_at(oracle, &c, a)->derivative[0][0].at;
			bool lost = rows[i].culprit != OP_CONSTANT,
			     blamed = d->loose > d->tight * (1 + 1e-12) && formula_of(d->culprit);
			CHECK(blamed == lost && (!lost || d->culprit == rows[i].culprit), "%s at %s: %s, %g of %g",
			    rows[i].body, rows[i].point, op_table[d->culprit].name, d->share, d->loose - d->tight);
			CHECK(!lost || d->share > 0.3 * (d->loose - d->tight) || rows[i].range, "%s: %g of %g",
			    rows[i].body, d->share, d->loose - d->tight);
			CHECK((d->share == INFINITY) == rows[i].range, "%s: %g", rows[i].body, d->share);
		}
	}
	for (enum op op = 0; op < OP_COUNT; op++) {
		if (op_table[op].family != FAMILY_UNARY || op_table[op].regularity != REGULARITY_SMOOTH)
			continue;
		static const char *const points[] = {"0.5", "0.9990234375", "-0.75", "3", "9", "-9", "0x1p80"};
		for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
			arena_reset(a);
			struct testcase c = test_function(
			    a, "x: f32[]", arena_printf(a, "y = %s x", op_table[op].name), points[k], "vjp");
			const struct component *d = truth_at(oracle, &c, a)->derivative[0][0].at;
			bool loses = d->reason == REASON_NONE && d->magnitude > 1e-30 && d->loose > d->tight * 1.01;
			CHECK(!loses || formula_of(op), "%s at %s loses %g, and no better formula is named",
			    op_table[op].name, points[k], d->loose - d->tight);
		}
	}
}

/* Exact operands with a representable exact result have radius 0; one bit more and they have not. */
static void test_exactness(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *inputs, *body, *point;
		bool exact;
	} rows[] = {
	    {"x: f64[]", "y = mul x, x", "3", true},
	    {"x: f64[]", "y = mul x, x", "0x1.0000000000001p+0", false},
	    {"x: f64[]", "y = sqrt x", "4", true},
	    {"x: f64[]", "y = sqrt x", "2", false},
	    {"x: f64[]", "y = exp x", "0", true},
	    {"x: f64[]", "y = exp x", "1", false},
	    {"x: f64[]", "y = logistic x", "0", true},
	    {"x: f64[]", "y = rsqrt x", "4", false},
	    {"x: f64[]", "y = div x, -4", "3", true},
	    {"x: f64[]", "y = div x, 3", "6", false},
	    {"x: f64[]", "c = constant 0; s = sin x; y = div c, s", "3", true},
	    {"x: bf16[]", "y = add x, x", "3", true},
	    {"x: f64[]", "y = cast x dtype=bf16", "257", false},
	    {"x: f64[]", "y = cast x dtype=bf16", "256", true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("exactness: %s, %s", rows[i].inputs, rows[i].body))
			continue;
		arena_reset(a);
		struct testcase c = test_function(a, rows[i].inputs, rows[i].body, rows[i].point, "");
		const struct component *p = truth_at(oracle, &c, a)->primal[0].at;
		CHECK((p->tight == 0) == rows[i].exact, "%s %s at %s: radius %g", rows[i].inputs, rows[i].body,
		    rows[i].point, p->tight);
	}
}

static void test_representable(void)
{
	mpfr_t x;
	mpfr_init2(x, 128);
	mpfr_set_d(x, 65504, MPFR_RNDN);
	CHECK(ball_representable(x, DTYPE_F16), "largest f16");
	mpfr_set_d(x, 65536, MPFR_RNDN);
	CHECK(!ball_representable(x, DTYPE_F16), "beyond f16");
	mpfr_set_d(x, 0x1p-24, MPFR_RNDN);
	CHECK(ball_representable(x, DTYPE_F16), "smallest subnormal f16");
	mpfr_set_d(x, 0x1p-25, MPFR_RNDN);
	CHECK(!ball_representable(x, DTYPE_F16) && ball_representable(x, DTYPE_BF16), "below f16, inside bf16");
	mpfr_set_d(x, 257, MPFR_RNDN);
	CHECK(!ball_representable(x, DTYPE_BF16) && ball_representable(x, DTYPE_F32), "9 bits");
	mpfr_clear(x);
}

/*
 * Over generated cases: the oracles agree with each other, every right engine lies in the ball, and the ball is not
 * idle: an engine off by a factor is seen.
 */
static void test_laws(struct arena *a)
{
	static const char *const specs[] = {"forward", "tape", "functional", "tape+scale:mul:1.00000000001"};
	const struct oracle_options options = {.seed = 5, .fd_one_in = 1};
	const struct profile profile = profile_default();
	struct oracle *oracle = oracle_open(&options);
	struct engine *engine[4];
	struct error e = {0};
	int seen = 0;
	for (int k = 0; k < 4; k++)
		engine[k] = engine_open(specs[k], &e);
	for (uint64_t seed = 0; seed < 1500; seed++) {
		arena_reset(a);
		struct choice choice = choice_seeded(seed_mix(99, seed));
		struct testcase c = generate(&choice, &profile, a);
		struct truth t;
		oracle_truth(oracle, &c, a, &t);
		for (int p = 0; p < t.n_point; p++)
			CHECK(t.point[p].fd.outcome != FD_DISAGREES, "seed %d: the oracles disagree", (int)seed);
		for (int k = 0; k < 4; k++) {
			struct judgement j;
			struct answer *answers = NEW(a, struct answer, c.n_point);
			engine_answer(engine[k], &c, a, answers);
			judge(&c, &t, answers, &j);
			if (k < 3)
				CHECK(!verdict_is_finding[j.verdict], "seed %d: %s is %s", (int)seed, specs[k],
				    verdict_names[j.verdict]);
			else
				seen += j.verdict == VERDICT_WRONG;
		}
	}
	CHECK(seen > 20, "a product rule off by 1e-11 was seen in %d cases only", seen);
	for (int k = 0; k < 4; k++)
		engine_close(engine[k]);
	oracle_close(oracle);
}

int main(int argc, char **argv)
{
	struct arena a;
	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	struct analytic *oracle = analytic_open(&oracle_rules_right);
	test_closed_forms(oracle, &a);
	test_undecided(oracle, &a);
	test_culprits(oracle, &a);
	test_ties(oracle, &a);
	test_exactness(oracle, &a);
	CHECK_LAW(test_representable());
	analytic_close(oracle);
	CHECK_LAW(test_laws(&a));
	arena_free(&a);
	return check_done();
}

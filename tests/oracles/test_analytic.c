/* Analytic oracle: closed forms, exactness, ties, unknown choices; laws against the engines and finite differences. */
#include "../../engines/engine.h"
#include "../../fuzz/choice.h"
#include "../../fuzz/generate.h"
#include "../../oracles/analytic.h"
#include "../../oracles/ball.h"
#include "../../oracles/truth.h"
#include "../../oracles/verdict.h"
#include "../check.h"

#include <math.h>
#include <string.h>

/* A one-input program: "x: TYPE", body, result "y". */
static struct testcase read_case(struct arena *a, const char *type, const char *body, const char *point, const char *request)
{
	struct testcase c = {0};
	struct error e = {0};
	char *text = arena_printf(a,
	    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: %s\"],\"body\":[%s],\"results\":[\"y\"],\"points\":[[%s]],\"request\":[%s]}",
	    type, body, point, request);
	CHECK(testcase_read(text, strlen(text), a, &c, &e), "%s: %s\n%s", e.place, e.text, text);
	return c;
}

#define N(out, op, ...) "{\"out\":[\"" out "\"],\"op\":\"" op "\",\"args\":[" __VA_ARGS__ "]}"
#define C(out, type, value) "{\"out\":[\"" out ": " type "\"],\"op\":\"constant\",\"value\":" value "}"
#define VJP1 "{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[1]}"
#define JVP1 "{\"transform\":\"jvp\",\"wrt\":[0],\"tangents\":[1]}"

/* Element AT of the sorted join of r = x, c = 2, d = 4 - x and l = e^log(x), as named. */
#define VECTOR(out, from) "{\"out\":[\"" out "\"],\"op\":\"reshape\",\"args\":[\"" from "\"],\"shape\":[1]},"
#define SORTED(parts, at)                                                                                                 \
	C("four", "f64[]", "4") "," C("c", "f64[1]", "[2]") "," N("e", "sub", "\"four\",\"x\"") "," N("g", "log", "\"x\"") "," \
	N("h", "exp", "\"g\"") "," VECTOR("r", "x") VECTOR("d", "e") VECTOR("l", "h")                                      \
	"{\"out\":[\"j\"],\"op\":\"concatenate\",\"args\":[" parts "],\"axis\":0},"                                          \
	"{\"out\":[\"s\"],\"op\":\"sort\",\"args\":[\"j\"],\"axis\":0},"                                                     \
	"{\"out\":[\"p\"],\"op\":\"slice\",\"args\":[\"s\"],\"start\":[" at "],\"size\":[1]},"                               \
	"{\"out\":[\"y\"],\"op\":\"reshape\",\"args\":[\"p\"],\"shape\":[]}"

/* Closed forms at a point, in both directions of the sweep; want is good to 1e-15 relative. */
struct closed_form {
	const char *body, *point;
	double want;
};
static const struct closed_form closed_forms[] = {
    {N("y", "mul", "\"x\",\"x\""), "3", 6},
    {N("y", "sub", "\"x\",\"x\""), "3", 0},
    {N("y", "exp", "\"x\""), "1", 2.718281828459045},
    {N("y", "expm1", "\"x\""), "0", 1},
    {N("y", "log", "\"x\""), "4", .25},
    {N("y", "log1p", "\"x\""), "3", .25},
    {N("y", "sqrt", "\"x\""), "4", .25},
    {N("y", "rsqrt", "\"x\""), "4", -.0625},
    {N("y", "square", "\"x\""), "-3", -6},
    {N("y", "sin", "\"x\""), "0", 1},
    {N("y", "cos", "\"x\""), "0", 0},
    {N("y", "tan", "\"x\""), "0", 1},
    {N("y", "asin", "\"x\""), "0.5", 1.1547005383792515},
    {N("y", "acos", "\"x\""), "0.5", -1.1547005383792515},
    {N("y", "atan", "\"x\""), "1", .5},
    {N("y", "sinh", "\"x\""), "0", 1},
    {N("y", "cosh", "\"x\""), "0", 0},
    {N("y", "tanh", "\"x\""), "1", .41997434161402614},
    {N("y", "asinh", "\"x\""), "0", 1},
    {N("y", "acosh", "\"x\""), "2", .57735026918962576},
    {N("y", "atanh", "\"x\""), "0.5", 1.3333333333333333},
    {N("y", "logistic", "\"x\""), "0", .25},
    {N("y", "erf", "\"x\""), "0", 1.1283791670955126},
    {N("y", "abs", "\"x\""), "-2", -1},
    {N("y", "neg", "\"x\""), "2", -1},
    {N("y", "floor", "\"x\""), "2.5", 0},
    {N("y", "stop_gradient", "\"x\""), "2.5", 0},
    {C("c", "f64[]", "2") "," N("y", "div", "\"x\",\"c\""), "3", .5},
    {C("c", "f64[]", "2") "," N("y", "div", "\"c\",\"x\""), "4", -.125},
    {C("c", "f64[]", "3") "," N("y", "pow", "\"x\",\"c\""), "2", 12},
    {C("c", "f64[]", "3") "," N("y", "pow", "\"x\",\"c\""), "-2", 12},
    {C("c", "f64[]", "2") "," N("y", "pow", "\"c\",\"x\""), "3", 5.5451774444795625},
    {C("c", "f64[]", "2") "," N("y", "pow", "\"x\",\"c\""), "0", 0},
    {C("c", "f64[]", "2") "," N("y", "atan2", "\"x\",\"c\""), "1", .4},
    {C("c", "f64[]", "2") "," N("y", "atan2", "\"c\",\"x\""), "1", -.4},
    {C("c", "f64[]", "2") "," N("y", "max", "\"x\",\"c\""), "3", 1},
    {C("c", "f64[]", "2") "," N("y", "min", "\"x\",\"c\""), "3", 0},
    {N("y", "max", "\"x\",\"x\""), "3", 1},
    {N("y", "copy", "\"x\""), "3", 1},
    {SORTED("\"r\",\"c\"", "0"), "3", 0},
    {SORTED("\"r\",\"c\"", "1"), "3", 1},
    {SORTED("\"d\",\"r\",\"c\"", "0"), "3", -1},
    {SORTED("\"r\",\"r\"", "0"), "3", 1},
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
		const struct closed_form *row = &closed_forms[i];
		for (int mode = 0; mode < 2; mode++) {
			arena_reset(a);
			struct testcase c = read_case(a, "f64[]", row->body, row->point, mode ? JVP1 : VJP1);
			const struct component *d = truth_at(oracle, &c, a)->derivative[0][0].at;
			CHECK(d->reason == REASON_NONE, "%s at %s: %s", row->body, row->point, reason_names[d->reason]);
			CHECK(fabs(d->value - row->want) <= 1e-15 * fabs(row->want), "%s at %s: %.17g, not %.17g", row->body,
			    row->point, d->value, row->want);
			CHECK(d->tight <= d->loose && d->tight <= 1e-14 * (d->magnitude + 1e-300), "%s: radius %g", row->body, d->tight);
		}
	}
}

/* What is undecided, and why. */
struct undecided_row {
	const char *type, *body, *point;
	enum reason reason;
};
static const struct undecided_row undecided_rows[] = {
    {"f64[]", N("y", "sqrt", "\"x\""), "0", REASON_NON_FINITE},
    {"f64[]", N("y", "log", "\"x\""), "-1", REASON_NON_FINITE},
    {"f64[]", N("e", "exp", "\"x\"") "," N("y", "exp", "\"e\""), "10", REASON_OVERFLOW},
    {"f16[]", N("y", "square", "\"x\""), "300", REASON_OVERFLOW},
    /* sin(x) - x at 2^-20 cancels all but the radius */
    {"f32[]", N("s", "sin", "\"x\"") "," N("d", "sub", "\"s\",\"x\"") "," N("y", "log", "\"d\""), "\"0x1p-20\"", REASON_NON_FINITE},
    /* exp(log(x)) against x: equal, but not to a right engine */
    {"f64[]", N("l", "log", "\"x\"") "," N("e", "exp", "\"l\"") "," N("p", "lt", "\"e\",\"x\"") "," C("z", "f64[]", "0") ","
	N("y", "select", "\"p\",\"x\",\"z\""), "3", REASON_UNSTABLE_PATH},
    {"f64[]", SORTED("\"l\",\"r\"", "0"), "3", REASON_UNSTABLE_PATH},
    {"f64[]", SORTED("\"l\",\"c\",\"r\"", "2"), "3", REASON_UNSTABLE_PATH},
    {"f64[]", SORTED("\"l\",\"c\",\"r\"", "0"), "3", REASON_NONE},
    {"f64[]", SORTED("\"l\",\"r\"", "0") "," "{\"out\":[\"i\"],\"op\":\"argmax\",\"args\":[\"j\"],\"axis\":0}," N("k", "sign", "\"i\"") ","
	"{\"out\":[\"z\"],\"op\":\"gather\",\"args\":[\"s\",\"k\"],\"axis\":0,\"mode\":\"clip\"}", "3", REASON_UNSTABLE_PATH},
};

static void test_undecided(struct analytic *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof undecided_rows / sizeof *undecided_rows; i++) {
		const struct undecided_row *row = &undecided_rows[i];
		arena_reset(a);
		struct testcase c = read_case(a, row->type, row->body, row->point, VJP1);
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
	    {C("c", "f64[]", "2") "," N("y", "max", "\"x\",\"c\""), VJP1, 3, {.5, 1, 0}},
	    {C("c", "f64[]", "2") "," N("y", "max", "\"x\",\"c\""), JVP1, 4, {.5, 1, 0, 1}},
	    {C("c", "f64[]", "2") "," N("y", "min", "\"x\",\"c\""), JVP1, 4, {.5, 1, 0, 0}},
	    {C("c", "f64[]", "2") "," N("d", "sub", "\"x\",\"c\"") "," N("y", "abs", "\"d\""), VJP1, 3, {0, 1, -1}},
	    {C("c", "f64[]", "2") "," N("d", "sub", "\"x\",\"c\"") "," N("y", "abs", "\"d\""), JVP1, 4, {0, 1, -1, 1}},
	    {N("y", "max", "\"x\",\"x\""), VJP1, 1, {1}},
	    {SORTED("\"c\",\"r\"", "1"), VJP1, 3, {.5, 1, 0}},
	    {SORTED("\"c\",\"r\"", "0"), JVP1, 4, {.5, 0, 1, 0}},
	    {SORTED("\"r\",\"c\",\"d\"", "0"), JVP1, 4, {0, 1, -1, -1}},
	    {SORTED("\"r\",\"c\",\"d\"", "1"), JVP1, 4, {0, 0, 0, 0}},
	    {SORTED("\"r\",\"c\",\"d\"", "2"), JVP1, 4, {0, -1, 1, 1}},
	    {SORTED("\"r\",\"r\"", "1"), VJP1, 1, {1}},
	    {C("c", "f64[]", "2") "," N("m", "max", "\"c\",\"c\"") "," N("y", "mul", "\"m\",\"x\""), VJP1, 1, {2}},
	    {C("c", "f64[]", "2") "," C("h", "f64[]", "5") "," N("y", "clamp", "\"x\",\"c\",\"h\""), VJP1, 4, {.5, 1, 0, 0}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		arena_reset(a);
		struct testcase c = read_case(a, "f64[]", rows[i].body, "2", rows[i].request);
		const struct truth_point *t = truth_at(oracle, &c, a);
		CHECK(t->n_assignment == rows[i].assignments, "%s: %d assignments", rows[i].body, t->n_assignment);
		for (int k = 0; k < t->n_assignment && k < 4; k++)
			CHECK(t->derivative[k][0].at[0].value == rows[i].values[k], "%s: assignment %d gives %g, not %g",
			    rows[i].body, k, t->derivative[k][0].at[0].value, rows[i].values[k]);
	}
}

/*
 * Whose formula loses most of what a usual one loses, and that every op of which one loses has a better one to tell of.
 */
static void test_culprits(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *type, *body, *point;
		enum op culprit;
		bool range;
	} rows[] = {
	    {"f64[]", N("y", "tanh", "\"x\""), "3", OP_TANH, false},
	    {"f64[]", N("y", "logistic", "\"x\""), "8", OP_LOGISTIC, false},
	    {"f64[]", N("y", "expm1", "\"x\""), "-9", OP_EXPM1, false},
	    {"f64[]", N("y", "asin", "\"x\""), "0.9990234375", OP_ASIN, false},
	    {"f64[]", N("y", "acos", "\"x\""), "0.9990234375", OP_ACOS, false},
	    {"f64[]", N("y", "acosh", "\"x\""), "1.0009765625", OP_ACOSH, false},
	    {"f64[]", N("y", "atanh", "\"x\""), "0.9990234375", OP_ATANH, false},
	    {"f64[]", N("y", "rsqrt", "\"x\""), "3", OP_RSQRT, false},
	    {"f64[]", C("c", "f64[]", "3") "," N("y", "div", "\"c\",\"x\""), "7", OP_DIV, false},
	    /* what an op further on multiplies, above and below the one to blame */
	    {"f64[]", N("t", "tanh", "\"x\"") "," N("y", "exp", "\"t\""), "3", OP_TANH, false},
	    {"f64[]", N("t", "exp", "\"x\"") "," N("y", "tanh", "\"t\""), "1", OP_TANH, false},
	    /* the larger loss of two, wherever it stands: 1 - y^2 at 6 beside y(1 - y) at 0.5 and the other way round */
	    {"f64[]", N("t", "tanh", "\"x\"") "," N("l", "logistic", "\"t\"") "," N("y", "mul", "\"l\",\"l\""), "6", OP_TANH, false},
	    {"f64[]", C("c", "f64[]", "\"0x1p-20\"") "," C("e", "f64[]", "-9") "," N("s", "mul", "\"x\",\"c\"") "," N("t", "tanh", "\"s\"") "," N("m", "sub", "\"x\",\"e\"") ","
		N("l", "logistic", "\"m\"") "," N("y", "add", "\"t\",\"l\""), "0.5", OP_LOGISTIC, false},
	    {"f32[]", N("y", "asinh", "\"x\""), "\"0x1p80\"", OP_ASINH, true},
	    {"f32[]", N("y", "atan", "\"x\""), "\"0x1p80\"", OP_ATAN, true},
	    {"f32[]", N("t", "asinh", "\"x\"") "," N("y", "tanh", "\"t\""), "\"0x1p80\"", OP_ASINH, true},
	    {"f64[]", N("y", "mul", "\"x\",\"x\""), "3", OP_CONSTANT, false},
	    {"f64[]", N("y", "exp", "\"x\""), "3", OP_CONSTANT, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		for (int mode = 0; mode < 2; mode++) {
			arena_reset(a);
			struct testcase c = read_case(a, rows[i].type, rows[i].body, rows[i].point, mode ? JVP1 : VJP1);
			const struct component *d = truth_at(oracle, &c, a)->derivative[0][0].at;
			bool lost = rows[i].culprit != OP_CONSTANT, blamed = d->loose > d->tight * (1 + 1e-12) && formula_of(d->culprit);
			CHECK(blamed == lost && (!lost || d->culprit == rows[i].culprit), "%s at %s: %s, %g of %g", rows[i].body, rows[i].point, op_table[d->culprit].name,
			    d->share, d->loose - d->tight);
			CHECK(!lost || d->share > 0.3 * (d->loose - d->tight) || rows[i].range, "%s: %g of %g", rows[i].body, d->share, d->loose - d->tight);
			CHECK((d->loose == INFINITY) == rows[i].range, "%s: %g", rows[i].body, d->loose);
		}
	}
	for (enum op op = 0; op < OP_COUNT; op++) {
		if (op_table[op].family != FAMILY_UNARY || op_table[op].regularity != REGULARITY_SMOOTH)
			continue;
		static const char *const points[] = {"0.5", "0.9990234375", "-0.75", "3", "9", "-9", "\"0x1p80\""};
		for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
			arena_reset(a);
			struct testcase c = read_case(a, "f32[]", arena_printf(a, "{\"out\":[\"y\"],\"op\":\"%s\",\"args\":[\"x\"]}", op_table[op].name), points[k], VJP1);
			const struct component *d = truth_at(oracle, &c, a)->derivative[0][0].at;
			bool loses = d->reason == REASON_NONE && d->magnitude > 1e-30 && d->loose > d->tight * 1.01;
			CHECK(!loses || formula_of(op), "%s at %s loses %g, and no better formula is named", op_table[op].name, points[k], d->loose - d->tight);
		}
	}
}

/* Exact operands with a representable exact result have radius 0; one bit more and they have not. */
static void test_exactness(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *type, *body, *point;
		bool exact;
	} rows[] = {
	    {"f64[]", N("y", "mul", "\"x\",\"x\""), "3", true},
	    {"f64[]", N("y", "mul", "\"x\",\"x\""), "\"0x1.0000000000001p+0\"", false},
	    {"f64[]", N("y", "sqrt", "\"x\""), "4", true},
	    {"f64[]", N("y", "sqrt", "\"x\""), "2", false},
	    {"f64[]", N("y", "exp", "\"x\""), "0", true},
	    {"f64[]", N("y", "exp", "\"x\""), "1", false},
	    {"f64[]", N("y", "logistic", "\"x\""), "0", true},
	    {"f64[]", N("y", "rsqrt", "\"x\""), "4", false},
	    {"f64[]", C("c", "f64[]", "-4") "," N("y", "div", "\"x\",\"c\""), "3", true},
	    {"f64[]", C("c", "f64[]", "3") "," N("y", "div", "\"x\",\"c\""), "6", false},
	    {"f64[]", C("c", "f64[]", "0") "," N("s", "sin", "\"x\"") "," N("y", "div", "\"c\",\"s\""), "3", true},
	    {"bf16[]", N("y", "add", "\"x\",\"x\""), "3", true},
	    {"f64[]", "{\"out\":[\"y\"],\"op\":\"cast\",\"args\":[\"x\"],\"dtype\":\"bf16\"}", "257", false},
	    {"f64[]", "{\"out\":[\"y\"],\"op\":\"cast\",\"args\":[\"x\"],\"dtype\":\"bf16\"}", "256", true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		arena_reset(a);
		struct testcase c = read_case(a, rows[i].type, rows[i].body, rows[i].point, "");
		const struct component *p = truth_at(oracle, &c, a)->primal[0].at;
		CHECK((p->tight == 0) == rows[i].exact, "%s %s at %s: radius %g", rows[i].type, rows[i].body, rows[i].point, p->tight);
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
 * Over generated cases: the oracles agree with each other, every right engine lies in the ball, and the ball is not idle: an engine off
 * by a factor is seen.
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
				CHECK(!verdict_is_finding[j.verdict], "seed %d: %s is %s", (int)seed, specs[k], verdict_names[j.verdict]);
			else
				seen += j.verdict == VERDICT_WRONG;
		}
	}
	CHECK(seen > 20, "a product rule off by 1e-11 was seen in %d cases only", seen);
	for (int k = 0; k < 4; k++)
		engine_close(engine[k]);
	oracle_close(oracle);
}

int main(void)
{
	struct arena a;
	arena_init(&a, (size_t)1 << 30);
	struct analytic *oracle = analytic_open();
	test_closed_forms(oracle, &a);
	test_undecided(oracle, &a);
	test_culprits(oracle, &a);
	test_ties(oracle, &a);
	test_exactness(oracle, &a);
	test_representable();
	analytic_close(oracle);
	test_laws(&a);
	arena_free(&a);
	return check_done();
}

/*
 * The ball in numbers: radii of values and derivatives against hand-made bounds, and what rounding
 * leaves undecided.  A radius that is too large hides a fault as surely as one that is too small
 * invents one, so both ends are checked.
 */
#include "../../oracles/analytic.h"
#include "../../graph/testcase.h"
#include "../check.h"

#include <math.h>
#include <string.h>

#define N(out, op, ...) "{\"out\":[\"" out "\"],\"op\":\"" op "\",\"args\":[" __VA_ARGS__ "]}"
#define A(out, op, attrs, ...)                                                                     \
	"{\"out\":[\"" out "\"],\"op\":\"" op "\",\"args\":[" __VA_ARGS__ "]," attrs "}"
#define C(out, type, value)                                                                        \
	"{\"out\":[\"" out ": " type "\"],\"op\":\"constant\",\"value\":" value "}"
#define AXIS0 "\"axes\":[0]"

/* Unit roundoff and smallest subnormal of f64 and f16. */
static const double u = 0x1p-53, u16 = 0x1p-11, eta16 = 0x1p-24;

/* One input x, result y, vjp with one cotangent; of vjp where there is a second. */
static const struct truth_point *truth_of_order(struct analytic *oracle, struct arena *a, const char *type, const char *body, const char *point,
    const char *cotangent, const char *second)
{
	struct testcase c = {0};
	struct error e = {0};
	char *above = second ? arena_printf(a, ",{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[%s]}", second) : "";
	char *text =
	    arena_printf(a,
			 "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: "
			 "%s\"],\"body\":[%s],\"results\":[\"y\"],\"points\":[[%s]],"
			 "\"request\":[{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[%s]}%s]}",
			 type, body, point, cotangent, above);
	CHECK(testcase_read(text, strlen(text), a, &c, &e), "%s: %s\n%s", e.place, e.text, text);
	struct truth_point *t = NEW(a, struct truth_point, 1);
	analytic_truth(oracle, &c, 0, a, t);
	return t;
}

static const struct truth_point *truth_of(
    struct analytic *oracle, struct arena *a, const char *type, const char *body, const char *point, const char *cotangent)
{
	return truth_of_order(oracle, a, type, body, point, cotangent, NULL);
}

static bool close_to(double got, double want)
{
	return got == want || (isfinite(want) && fabs(got - want) <= 0.02 * want);
}

/* What is not checked. */
#define ANY -1.0

struct radius_row {
	const char *what, *type, *body, *point, *cotangent;
	double primal_tight, primal_loose, tight, loose; /* of y, and of the cotangent of x[0] */
};

static void test_radii(struct analytic *oracle, struct arena *a)
{
	const double p = 0.41997434161402607; /* 1 - tanh(1)^2 */
	const struct radius_row rows[] = {
	    {"underflow of a value", "f16[]", N("y", "exp", "\"x\""), "-15", "1",
	     4 * u16 * 3.059e-7 + eta16, ANY, ANY, ANY},
	    {"a rounded product", "f64[]", C("c", "f64[]", "3") "," N("y", "mul", "\"x\",\"c\""),
	     "1", "\"0x1.0000000000001p+0\"", 0, 0, 2 * u, 2 * u},
	    {"underflow of a contribution", "f16[]",
	     C("c", "f16[]", "\"0x1.804p+1\"") "," N("y", "mul", "\"x\",\"c\""), "1", "\"0x1p-18\"", ANY, ANY,
	     eta16, eta16},
	    {"both factors rounded", "f64[]",
	     C("c", "f64[]", "\"0x1p-60\"") "," N("s", "add", "\"x\",\"c\"") "," N("y", "mul",
										   "\"s\",\"s\""),
	     "1", "1", 3 * u, 3 * u, 2 * (u + u), ANY},
	    {"both terms rounded", "f64[]",
	     C("c", "f64[]", "\"0x1p-60\"") "," N("s", "add", "\"x\",\"c\"") "," N("y", "add",
										   "\"c\",\"s\""),
	     "1", "1", 2 * u, 2 * u, 0, 0},
	    {"a cancelling sum", "f64[3]", A("y", "reduce_sum", AXIS0, "\"x\""),
	     "[1,\"0x1p-60\",-1]", "1", u, u, 0, 0},
	    {"an exact sum", "f64[3]", A("y", "reduce_sum", AXIS0, "\"x\""), "[1,2,3]", "1", 0, 0,
	     0, 0},
	    {"a sum of one bit too many", "f64[2]", A("y", "reduce_sum", AXIS0, "\"x\""),
	     "[9007199254740992,1]", "1", 0x1p53 * u, ANY, 0, 0},
	    {"an exact dot product", "f64[2]", N("y", "matmul", "\"x\",\"x\""), "[3,5]", "1", 0, 0,
	     ANY, ANY},
	    {"a dot product", "f64[2]",
	     C("c", "f64[2]", "[3,\"0x1.8p-60\"]") "," N("y", "matmul", "\"x\",\"c\""), "[1,-1]",
	     "1", 2 * u, ANY, 0, 0},
	    {"a power of a rounded number", "f64[]",
	     C("c", "f64[]", "\"0x1p-60\"") "," C("b", "f64[]", "3") "," N(
		 "s", "add", "\"x\",\"c\"") "," N("y", "pow", "\"s\",\"b\""),
	     "1", "1", 3 * u + 4 * u, ANY, (12 + 18) * u, ANY},
	    {"a product, or all divided by one", "f64[2]", A("y", "reduce_prod", AXIS0, "\"x\""),
	     "[3,5]", "1", 15 * u, 15 * u, 5 * u, 20 * u},
	    {"a product with a grouping that overflows", "f64[4]",
	     A("y", "reduce_prod", AXIS0, "\"x\""),
	     "[\"0x1p600\",\"0x1p-600\",\"0x1p600\",\"0x1p-600\"]", "1", 3 * u, INFINITY, ANY,
	     INFINITY},
	    {"a product with a grouping that underflows", "f64[4]",
	     A("y", "reduce_prod", AXIS0, "\"x\""),
	     "[\"0x1p-600\",\"0x1p600\",\"0x1p-600\",\"0x1p600\"]", "1", 3 * u, INFINITY, ANY,
	     INFINITY},
	    {"a worse formula", "f64[]", N("y", "tanh", "\"x\""), "1", "1", 8 * u * 0.7616, ANY,
	     13 * p * u, (22 * p + 2 + 18 * 0.7616) * u},
	    {"partial sums by their binades", "f64[3]", A("y", "reduce_sum", AXIS0, "\"x\""), "[1.75,1.75,\"0x1p-60\"]", "1", 4 * u, 4 * u, 0, 0},
	    {"a partial's formula out of range, not the value's", "f16[]", N("y", "atan", "\"x\""),
	     "300", "1", 4 * u16, 4 * u16, ANY, INFINITY},
	    {"a value's formula out of range", "f16[]", N("y", "asinh", "\"x\""), "300", "1",
	     8 * u16 * 6.397 + eta16, INFINITY, ANY, INFINITY},
	    {"g y/x of what scatter_mul left as it was", "f64[2]",
	     C("i", "i64[1]", "[1]") "," C("k", "f64[1]", "[3]") "," A("y", "scatter_mul", "\"axis\":0,\"mode\":\"clip\"", "\"x\",\"i\",\"k\""),
	     "[0.75,0.5]", "[5,1]", 0, 0, 0, 2 * u * 5},
	    {"floor beyond the fractions", "f64[]",
	     C("c", "f64[]", "\"0x1.ccccccccccccdp-1\"") "," N("s", "add", "\"x\",\"c\"") "," N(
		 "y", "floor", "\"s\""),
	     "4503599627370497", "1", 1.5, 1.5, 0, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct radius_row *row = &rows[i];
		arena_reset(a);
		const struct truth_point *t =
		    truth_of(oracle, a, row->type, row->body, row->point, row->cotangent);
		const struct component *y = t->primal[0].at, *d = t->derivative[0][0].at;
		CHECK(y->reason == REASON_NONE, "%s: undecided", row->what);
		CHECK(row->primal_tight == ANY || close_to(y->tight, row->primal_tight),
		      "%s: tight %g, not %g", row->what, y->tight, row->primal_tight);
		CHECK(row->primal_loose == ANY || close_to(y->loose, row->primal_loose),
		      "%s: loose %g, not %g", row->what, y->loose, row->primal_loose);
		CHECK(row->tight == ANY || close_to(d->tight, row->tight),
		      "%s: derivative tight %g, not %g", row->what, d->tight, row->tight);
		CHECK(row->loose == ANY || close_to(d->loose, row->loose),
		      "%s: derivative loose %g, not %g", row->what, d->loose, row->loose);
	}
}

/* The tangent of a choice may be blended of both, b' + (a' - b'), and is then off by a rounding of their size; beside 0, or in reverse, by none. */
static void test_blend(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *op, *tangents;
		double value, loose;
	} rows[] = {{"min", "0x1.8p+1,0x1p+40", 3, 2 * 0x1p-53 * (3 + 0x1p40)}, {"max", "0x1p+40,0x1.8p+1", 3, 2 * 0x1p-53 * (3 + 0x1p40)}, {"min", "0x1.8p+1,0x0p+0", 3, 0}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const char *comma = strchr(rows[k].tangents, ',');
		struct testcase c = {0};
		struct error e = {0};
		struct truth_point t;
		arena_reset(a);
		char *text = arena_printf(a,
		    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: f64[]\",\"z: f64[]\"],\"body\":[{\"out\":[\"y\"],\"op\":\"%s\",\"args\":[\"x\",\"z\"]}],"
		    "\"results\":[\"y\"],\"points\":[[1,2]],\"request\":[{\"transform\":\"jvp\",\"wrt\":[0,1],\"tangents\":[\"%.*s\",\"%s\"]}]}",
		    rows[k].op, (int)(comma - rows[k].tangents), rows[k].tangents, comma + 1);
		bool good = testcase_read(text, strlen(text), a, &c, &e);
		CHECK(good, "%s: %s\n%s", e.place, e.text, text);
		if (!good)
			continue;
		analytic_truth(oracle, &c, 0, a, &t);
		const struct component *d = t.derivative[0][0].at;
		CHECK(d->value == rows[k].value && d->tight == 0 && close_to(d->loose, rows[k].loose), "%s %s: %g, %g, %g", rows[k].op, rows[k].tangents, d->value,
		    d->tight, d->loose);
	}
}

/* s is x + 2^-60: a right engine gets x. */
#define S C("c", "f64[]", "\"0x1p-60\"") "," N("s", "add", "\"x\",\"c\"") ","
#define PICK                                                                                       \
	"{\"out\":[\"y: "                                                                          \
	"f64[]\"],\"op\":\"cond\",\"args\":[\"p\"],\"regions\":[{\"params\":[],\"body\":[],"       \
	"\"results\":[\"x\"]},"                                                                    \
	"{\"params\":[],\"body\":[],\"results\":[\"s\"]}]}"

struct undecided_row {
	const char *what, *body, *point, *cotangent;
	enum reason primal, derivative;
};
static const struct undecided_row undecided_rows[] = {
    {"an index that rounding changes",
     S A("i", "cast", "\"dtype\":\"i64\"", "\"s\"") "," C("v", "f64[2]", "[3,5]") "," A(
	 "y", "gather", "\"axis\":0,\"mode\":\"clip\"", "\"v\",\"i\""),
     "1", "1", REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"a branch that rounding changes", S N("p", "gt", "\"s\",\"x\"") "," PICK, "1", "1",
     REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"a branch that is certain", S N("p", "gt", "\"x\",\"c\"") "," PICK, "1", "1", REASON_NONE,
     REASON_NONE},
    {"an uncertain integer as a float",
     S A("i", "cast", "\"dtype\":\"i64\"", "\"s\"") "," A("f", "cast", "\"dtype\":\"f64\"",
							  "\"i\"") "," N("y", "mul", "\"f\",\"x\""),
     "1", "1", REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"a maximum of two that are close", S N("y", "max", "\"s\",\"x\""), "1", "1", REASON_NONE,
     REASON_ILL_CONDITIONED},
    {"a maximum of two that are computed alike, of different leaves",
     S N("t", "tanh", "\"s\"") "," N("r", "tanh", "\"x\"") "," N("y", "max", "\"t\",\"r\""), "1",
     "1", REASON_NONE, REASON_ILL_CONDITIONED},
    {"a maximum of two that are close, beside what weighs more",
     S N("m", "max", "\"s\",\"x\"") "," C("k", "f64[]", "1024") "," N("l", "mul", "\"x\",\"k\"") "," N("y", "add", "\"l\",\"m\""), "1", "1",
     REASON_NONE, REASON_NONE},
    {"a magnitude of what may be 0, beside what weighs more",
     S N("d", "sub", "\"s\",\"x\"") "," N("m", "abs", "\"d\"") "," C("k", "f64[]", "1024") "," N("l", "mul", "\"x\",\"k\"") "," N("y", "add", "\"l\",\"m\""),
     "1", "1", REASON_NONE, REASON_NONE},
    {"the magnitude of what may be 0", S N("d", "sub", "\"s\",\"x\"") "," N("y", "abs", "\"d\""),
     "1", "1", REASON_NONE, REASON_ILL_CONDITIONED},
    {"a step that rounding can take", S N("y", "floor", "\"s\""), "1", "1", REASON_UNSTABLE_PATH,
     REASON_NONE},
    {"a sign that rounding can change", S N("d", "sub", "\"s\",\"x\"") "," N("y", "sign", "\"d\""),
     "1", "1", REASON_UNSTABLE_PATH, REASON_NONE},
    {"0 of a vanishing partial meets a pole", N("r", "sqrt", "\"x\"") "," N("y", "square", "\"r\""),
     "0", "1", REASON_NONE, REASON_NON_FINITE},
    {"a cotangent that is no number", N("y", "add", "\"x\",\"x\""), "1", "\"nan\"", REASON_NONE,
     REASON_NON_FINITE},
    {"an infinite cotangent", N("y", "add", "\"x\",\"x\""), "1", "\"inf\"", REASON_NONE,
     REASON_NON_FINITE},
    {"0 to what may be 0",
     S C("z", "f64[]", "0") "," N("d", "sub", "\"s\",\"x\"") "," N("y", "pow", "\"z\",\"d\""), "1",
     "1", REASON_UNSTABLE_PATH, REASON_CONVENTION},
    {"the root of what may be negative, compared with itself",
     S N("d", "sub", "\"s\",\"x\"") "," N("r", "sqrt", "\"d\"") "," N(
	 "p", "eq", "\"r\",\"r\"") "," N("y", "select", "\"p\",\"x\",\"s\""),
     "1", "1", REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"a certain NaN compared with itself",
     C("c", "f64[]", "-1") "," N("r", "sqrt", "\"c\"") "," N("p", "eq", "\"r\",\"r\"") "," N(
	 "y", "select", "\"p\",\"r\",\"x\""),
     "1", "1", REASON_NONE, REASON_NONE},
    {"a NaN of what is rounded, compared with a number",
     S N("n", "neg", "\"s\"") "," N("r", "sqrt", "\"n\"") "," N(
	 "p", "gt", "\"r\",\"x\"") "," N("y", "select", "\"p\",\"c\",\"s\""),
     "1", "1", REASON_NONE, REASON_NONE},
    {"a NaN or not, compared with a number",
     S N("d", "sub", "\"s\",\"x\"") "," N("n", "neg", "\"d\"") "," N("r", "sqrt", "\"n\"") "," N(
	 "p", "gt", "\"r\",\"x\"") "," N("y", "select", "\"p\",\"c\",\"s\""),
     "1", "1", REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"an infinity that becomes a 0",
     C("i", "f64[]", "\"-inf\"") "," N("s", "add", "\"x\",\"i\"") "," N("e", "exp", "\"s\"") "," N(
	 "y", "add", "\"e\",\"x\""),
     "1", "1", REASON_NONE, REASON_NONE},
    {"an infinity whose sign rounding can change",
     S C("i", "f64[]", "\"inf\"") "," N("d", "sub", "\"s\",\"x\"") "," N(
	 "m", "mul", "\"i\",\"d\"") "," N("t", "tanh", "\"m\"") "," N("y", "add", "\"t\",\"x\""),
     "1", "1", REASON_OVERFLOW, REASON_OVERFLOW},
    {"the sign of a computed 0",
     C("z", "f64[]", "0") "," C("o", "f64[]", "1") "," N("d", "mul", "\"x\",\"z\"") "," N(
	 "i", "div", "\"o\",\"d\"") "," N("t", "tanh", "\"i\"") "," N("y", "add", "\"t\",\"x\""),
     "1", "1", REASON_NON_FINITE, REASON_NON_FINITE},
    {"a choice by what may have left the range",
     N("d", "asinh", "\"x\"") "," N("p", "lt", "\"d\",\"x\"") "," N("y", "select", "\"p\",\"x\",\"d\""), "\"0x1p700\"", "1",
     REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"what may have left the range, compared with itself",
     N("d", "asinh", "\"x\"") "," N("p", "eq", "\"d\",\"d\"") "," N("y", "select", "\"p\",\"x\",\"d\""), "\"0x1p700\"", "1",
     REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"a number compared with itself",
     S N("p", "eq", "\"s\",\"s\"") "," N("y", "select", "\"p\",\"x\",\"s\""), "1", "1", REASON_NONE,
     REASON_NONE},
};

static void test_undecided(struct analytic *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof undecided_rows / sizeof *undecided_rows; i++) {
		const struct undecided_row *row = &undecided_rows[i];
		arena_reset(a);
		const struct truth_point *t =
		    truth_of(oracle, a, "f64[]", row->body, row->point, row->cotangent);
		enum reason y = t->primal[0].at->reason, d = t->derivative[0][0].at->reason;
		CHECK(y == row->primal, "%s: the value is undecided(%s), not (%s)", row->what,
		      reason_names[y], reason_names[row->primal]);
		CHECK(d == row->derivative, "%s: the derivative is undecided(%s), not (%s)",
		      row->what, reason_names[d], reason_names[row->derivative]);
	}
}

/* Decided, and so narrowly that neither a 0 nor a derivative off by 1/64 would pass. */
struct decided_row {
	const char *what, *type, *body, *point, *cotangent;
};
static const struct decided_row decided_rows[] = {
    {"a slope far out, which hardly changes", "f64[]",
     N("c", "exp", "\"x\"") "," N("y", "asinh", "\"c\""), "24", "1"},
    {"a saturated slope", "f64[]",
     C("c", "f64[]", "\"0x1.999999999999ap+0\"") "," N("s", "mul", "\"x\",\"c\"") "," N(
	 "y", "tanh", "\"s\""),
     "25.5", "1"},
    {"an operand known to one digit", "f64[]",
     A("h", "cast", "\"dtype\":\"bf16\"", "\"x\"") "," A(
	 "s", "cast", "\"dtype\":\"f64\"", "\"h\"") "," N("y", "asinh", "\"s\""),
     "300.5", "1"},
    {"the largest of what is computed alike", "f64[]",
     A("b", "broadcast_to", "\"shape\":[3]", "\"x\"") "," N("t", "tanh", "\"b\"") "," A(
	 "y", "reduce_max", AXIS0, "\"t\""),
     "0.75", "1"},
    {"clamped where it is certain, and compared with itself", "f64[]",
     C("c", "f64[]", "-5") "," N("t", "tanh", "\"x\"") "," N("m", "max", "\"t\",\"c\"") "," N(
	 "y", "min", "\"m\",\"t\""),
     "0.75", "1"},
    {"sorted, though nobody knows which is which", "f64[]",
     A("b", "broadcast_to", "\"shape\":[3]", "\"x\"") "," N("t", "exp", "\"b\"") "," A(
	 "r", "sort", "\"axis\":0", "\"t\"") "," C("w", "f64[3]", "[1,3,5]") "," N("y", "matmul", "\"r\",\"w\""),
     "0.75", "1"},
    {"six terms of low precision", "bf16[]",
     A("b", "broadcast_to", "\"shape\":[6]", "\"x\"") "," C(
	 "c", "bf16[6]",
	 "[1.0078125,1.0078125,1.0078125,1.0078125,1.0078125,1.0078125]") "," N("m", "mul",
										 "\"b\",\"c\"") "," A("y", "reduce_sum", AXIS0, "\"m\""),
     "1", "1"},
    {"a call of the library in low precision", "bf16[]", N("y", "sin", "\"x\""), "1", "1"},
    {"a chain of exact products", "bf16[]",
     C("c", "bf16[]", "3") "," C("h", "bf16[]", "0.25") "," N("m", "mul", "\"x\",\"c\"") "," N(
	 "n", "mul", "\"m\",\"m\"") "," N("o", "mul", "\"n\",\"h\"") "," N("y", "mul", "\"o\",\"m\""),
     "1", "1"},
    {"behind the 0 of a library", "bf16[]",
     C("z", "bf16[]", "0") "," N("m", "mul", "\"x\",\"z\"") "," N("e", "exp", "\"m\"") "," N(
	 "l", "log", "\"e\"") "," N("s", "sub", "\"x\",\"l\"") "," N("y", "square", "\"s\""),
     "3", "1"},
};

static void test_decided(struct analytic *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof decided_rows / sizeof *decided_rows; i++) {
		const struct decided_row *row = &decided_rows[i];
		arena_reset(a);
		const struct truth_point *t =
		    truth_of(oracle, a, row->type, row->body, row->point, row->cotangent);
		const struct component *d = t->derivative[0][0].at;
		CHECK(d->reason == REASON_NONE, "%s: undecided(%s)", row->what,
		      reason_names[d->reason]);
		CHECK(d->tight <= fabs(d->value) / 64 && d->value != 0,
		      "%s: %g +- %g would pass a fault", row->what, d->value, d->tight);
	}
}

/* Partial sums out of range, whatever the whole. */
static void test_range(struct analytic *oracle, struct arena *a)
{
	static const char *const bodies[] = {
	    A("y", "reduce_sum", AXIS0, "\"x\""), A("y", "reduce_mean", AXIS0, "\"x\""),
	    C("c", "f64[3]", "[1,1,1]") "," N("y", "matmul", "\"x\",\"c\"")};
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		arena_reset(a);
		const struct truth_point *t =
		    truth_of(oracle, a, "f64[3]", bodies[i],
			     "[\"0x1p1023\",\"0x1p1023\",\"-0x1.8p1023\"]", "1");
		CHECK(t->primal[0].at->reason == REASON_OVERFLOW, "%s: %s", bodies[i],
		      reason_names[t->primal[0].at->reason]);
	}
}

/* Decisions at equality: finite differences must always look there. */
struct edge_row {
	const char *body, *point;
	bool edge;
};
#define Z C("c", "f64[]", "0") ","
static const struct edge_row edge_rows[] = {
    {Z N("p", "gt", "\"x\",\"c\"") "," N("y", "select", "\"p\",\"x\",\"c\""), "0", true},
    {Z N("p", "gt", "\"x\",\"c\"") "," N("y", "select", "\"p\",\"x\",\"c\""), "1", false},
    {Z N("p", "eq", "\"x\",\"x\"") "," N("y", "select", "\"p\",\"x\",\"c\""), "0", false},
    {Z N("y", "max", "\"x\",\"c\""), "0", true},
    {Z N("y", "max", "\"x\",\"c\""), "1", false},
    {Z N("y", "clamp", "\"x\",\"c\",\"c\""), "0", true},
    {N("y", "abs", "\"x\""), "0", true},
    {N("y", "abs", "\"x\""), "1", false},
    {N("y", "floor", "\"x\""), "2", true},
    {N("y", "round", "\"x\""), "2.5", true},
    {N("y", "round", "\"x\""), "2.25", false},
    {Z N("y", "atan2", "\"c\",\"x\""), "-1", true},
    {Z N("y", "atan2", "\"c\",\"x\""), "1", false},
    {C("b", "f64[]", "2") "," N("y", "pow", "\"x\",\"b\""), "0", true},
    {A("i", "cast", "\"dtype\":\"i64\"", "\"x\"") "," A("y", "cast", "\"dtype\":\"f64\"", "\"i\""),
     "2", true},
    {A("i", "cast", "\"dtype\":\"i64\"", "\"x\"") "," A("y", "cast", "\"dtype\":\"f64\"", "\"i\""),
     "2.5", false},
    {A("i", "cast", "\"dtype\":\"bool\"", "\"x\"") "," A("y", "cast", "\"dtype\":\"f64\"", "\"i\""),
     "0", true},
};

static void test_edges(struct analytic *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof edge_rows / sizeof *edge_rows; i++) {
		const struct edge_row *row = &edge_rows[i];
		arena_reset(a);
		CHECK(truth_of(oracle, a, "f64[]", row->body, row->point, "1")->edge == row->edge,
		      "%s at %s", row->body, row->point);
	}
}

/*
 * The derivative of g y/x by x, where y is x as scatter_mul left it: g s/x - (g y/x^2) s, which is 0 but for roundings: one of g/x, three of g y/(x x), two of what s multiplies
 * and one of the difference, of g s/x each.
 */
static void test_second_of_untouched(struct analytic *oracle, struct arena *a)
{
	const char *body = C("i", "i64[1]", "[1]") "," C("k", "f64[1]", "[3]") "," A("y", "scatter_mul", "\"axis\":0,\"mode\":\"clip\"", "\"x\",\"i\",\"k\"");

	arena_reset(a);
	const struct truth_point *t = truth_of_order(oracle, a, "f64[2]", body, "[0.75,0.5]", "[5,1]", "[7,1]");
	const struct component *d = &t->derivative[0][0].at[0];
	CHECK(d->reason == REASON_NONE && d->value == 0 && d->loose >= 7 * u * 5 * 7 / 0.75 && d->loose < 0x1p-40 * 5 * 7 / 0.75, "%g, %g", d->value, d->loose);
	CHECK(t->primal[0].at[0].tight == 0, "times 1 rounds by %g", t->primal[0].at[0].tight);
}

/* g y/x itself, at order 1: two roundings, and what g y loses as it underflows, to 111 times the smallest number by half of which it is off here. */
static void test_untouched(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *x;
		double least, most; /* of the loose radius of 0.5 */
	} rows[] = {{"[0.75,0.5]", 2 * u * 0.5, 8 * u * 0.5}, {"[\"0x0.000000000006fp-1022\",0.5]", 0.5 / 111, 1.0 / 111}, {"[\"0x1p-1000\",0.5]", 2 * u * 0.5, 8 * u * 0.5}};
	const char *body = C("i", "i64[1]", "[1]") "," C("k", "f64[1]", "[1]") "," A("y", "scatter_mul", "\"axis\":0,\"mode\":\"clip\"", "\"x\",\"i\",\"k\"");

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		arena_reset(a);
		const struct component *d = &truth_of(oracle, a, "f64[2]", body, rows[k].x, "[0.5,1]")->derivative[0][0].at[0];
		CHECK(d->reason == REASON_NONE && d->value == 0.5 && d->tight == 0 && d->loose >= rows[k].least && d->loose <= rows[k].most, "%s: %g, %g", rows[k].x, d->tight, d->loose);
	}
}

/* tanh' by 1/cosh^2 is 0 far out; its derivative, infinity over infinity, makes a NaN of a direction of 0 too. */
static void test_formulas_that_overflow(struct analytic *oracle, struct arena *a)
{
	for (int far = 0; far < 2; far++) {
		const char *text = arena_printf(a, C("k", "f64[1]", "[%s]") "," N("a", "add", "\"k\",\"x\"") "," N("y", "tanh", "\"a\""), far ? "-8589934592" : "-1");
		const struct component *d = &truth_of_order(oracle, a, "f64[1]", text, "[0.5]", "[1]", "[0]")->derivative[0][0].at[0];

		CHECK(d->reason == REASON_NONE && d->value == 0 && d->in_domain == !far, "%s: %d", text, d->in_domain);
	}
}

int main(void)
{
	struct arena a;
	arena_init(&a, (size_t)1 << 28);
	struct analytic *oracle = analytic_open();
	test_radii(oracle, &a);
	test_blend(oracle, &a);
	test_undecided(oracle, &a);
	test_decided(oracle, &a);
	test_range(oracle, &a);
	test_edges(oracle, &a);
	test_second_of_untouched(oracle, &a);
	test_untouched(oracle, &a);
	test_formulas_that_overflow(oracle, &a);
	analytic_close(oracle);
	arena_free(&a);
	return check_done();
}

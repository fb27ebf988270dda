/*
 * The ball in numbers: radii of values and derivatives against hand-made bounds, and what rounding
 * leaves undecided.  A radius that is too large hides a fault as surely as one that is too small
 * invents one, so both ends are checked.
 */
#include "oracles/analytic/analytic.h"
#include "oracles/oracle_rules.h"
#include "graph/testcase.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <string.h>

/* Unit roundoff and smallest subnormal of f64 and f16. */
static const double u = 0x1p-53, u16 = 0x1p-11, eta16 = 0x1p-24;

/* One input x, result y, vjp with one cotangent; of vjp where there is a second. */
static const struct truth_point *truth_of_order(struct analytic *oracle, struct arena *a, const char *type,
    const char *body, const char *point, const char *cotangent, const char *second)
{
	const char *above = second ? arena_printf(a, "; then vjp; cotangents %s", second) : "";
	struct testcase c = test_case(a,
	    arena_printf(a,
	        "inputs x: %s\n"
	        "%s\n"
	        "return y\n"
	        "point %s\n"
	        "request: vjp; cotangents %s%s",
	        type, body, point, cotangent, above));
	struct truth_point *t = NEW(a, struct truth_point, 1);
	analytic_truth(oracle, &c, 0, a, t);
	return t;
}

static const struct truth_point *truth_of(struct analytic *oracle, struct arena *a, const char *type, const char *body,
    const char *point, const char *cotangent)
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
	    {"underflow of a value", "f16[]", "y = exp x", "-15", "1", 4 * u16 * 3.059e-7 + eta16, ANY, ANY, ANY},
	    {"a rounded product", "f64[]", "y = mul x, 3", "1", "0x1.0000000000001p+0", 0, 0, 2 * u, 2 * u},
	    {"underflow of a contribution", "f16[]", "c: f16[] = constant 0x1.804p+1; y = mul x, c", "1", "0x1p-18",
	        ANY, ANY, eta16, eta16},
	    {"the root of a subnormal product", "f64[]", "s = mul x, 0.7; y = sqrt s", "0x1.00000004p-1040", "0",
	        0x1p-555 / sqrt(0.7), ANY, ANY, ANY},
	    {"a quotient by a subnormal product", "f64[]", "s = mul x, 0.7; c = constant 0x1p-1042; y = div c, s",
	        "0x1.00000004p-1040", "0", 0x1p-36 / 0.49, ANY, ANY, ANY},
	    {"the angle of a subnormal product", "f64[]", "s = mul x, 0.7; c = constant 0x1p-1042; y = atan2 c, s",
	        "0x1.00000004p-1040", "0", 0x1p-36 / (0.49 + 0.0625), ANY, ANY, ANY},
	    {"both factors rounded", "f64[]", "s = add x, 0x1p-60; y = mul s, s", "1", "1", 3 * u, 3 * u, 2 * (u + u),
	        ANY},
	    {"both terms rounded", "f64[]", "c = constant 0x1p-60; s = add x, c; y = add c, s", "1", "1", 2 * u, 2 * u,
	        0, 0},
	    {"a cancelling sum", "f64[3]", "y = reduce_sum x axes=[0]", "[1, 0x1p-60, -1]", "1", u, u, 0, 0},
	    {"an exact sum", "f64[3]", "y = reduce_sum x axes=[0]", "[1,2,3]", "1", 0, 0, 0, 0},
	    {"a sum of one bit too many", "f64[2]", "y = reduce_sum x axes=[0]", "[9007199254740992,1]", "1",
	        0x1p53 * u, ANY, 0, 0},
	    {"an exact dot product", "f64[2]", "y = matmul x, x", "[3,5]", "1", 0, 0, ANY, ANY},
	    {"a dot product", "f64[2]", "c = constant [3, 0x1.8p-60]; y = matmul x, c", "[1,-1]", "1", 2 * u, ANY, 0,
	        0},
	    {"a power of a rounded number", "f64[]", "c = constant 0x1p-60; b = constant 3; s = add x, c; y = pow s, b",
	        "1", "1", 3 * u + 4 * u, ANY, (12 + 18) * u, ANY},
	    {"a product, or all divided by one", "f64[2]", "y = reduce_prod x axes=[0]", "[3,5]", "1", 15 * u, 15 * u,
	        5 * u, 20 * u},
	    {"a worse formula", "f64[]", "y = tanh x", "1", "1", 8 * u * 0.7616, ANY, 13 * p * u,
	        (22 * p + 2 + 18 * 0.7616) * u},
	    {"partial sums by their binades", "f64[3]", "y = reduce_sum x axes=[0]", "[1.75, 1.75, 0x1p-60]", "1",
	        4 * u, 4 * u, 0, 0},
	    {"a partial's formula out of range, not the value's", "f16[]", "y = atan x", "300", "1", 4 * u16, 4 * u16,
	        ANY, ANY},
	    {"a value's formula out of range", "f16[]", "y = asinh x", "300", "1", 8 * u16 * 6.397 + eta16,
	        8 * u16 * 6.397 + eta16, ANY, ANY},
	    {"g y/x of what scatter_mul left as it was", "f64[2]",
	        "i: i64[1] = constant [1]\n"
	        "k = constant [3]\n"
	        "y = scatter_mul x, i, k axis=0 mode=clip",
	        "[0.75,0.5]", "[5,1]", 0, 0, 0, 2 * u * 5},
	    {"a cast of a rounded number", "f64[]", "s = sin x; y = cast s dtype=f16", "1", "1", 0x1p-12, 0x1p-12, ANY,
	        ANY},
	    {"floor beyond the fractions", "f64[]", "s = add x, 0x1.ccccccccccccdp-1; y = floor s", "4503599627370497",
	        "1", 1.5, 1.5, 0, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("radii: %s", rows[i].what))
			continue;
		const struct radius_row *row = &rows[i];
		arena_reset(a);
		const struct truth_point *t = truth_of(oracle, a, row->type, row->body, row->point, row->cotangent);
		const struct component *y = t->primal[0].at, *d = t->derivative[0][0].at;
		CHECK(y->reason == REASON_NONE, "%s: undecided", row->what);
		CHECK(row->primal_tight == ANY || close_to(y->tight, row->primal_tight), "%s: tight %g, not %g",
		    row->what, y->tight, row->primal_tight);
		CHECK(row->primal_loose == ANY || close_to(y->loose, row->primal_loose), "%s: loose %g, not %g",
		    row->what, y->loose, row->primal_loose);
		CHECK(row->tight == ANY || close_to(d->tight, row->tight), "%s: derivative tight %g, not %g", row->what,
		    d->tight, row->tight);
		CHECK(row->loose == ANY || close_to(d->loose, row->loose), "%s: derivative loose %g, not %g", row->what,
		    d->loose, row->loose);
	}
}

/*
 * The tangent of a choice may be blended of both, b' + (a' - b'), and is then off by a rounding of their size; beside
 * 0, or in reverse, by none.
 */
static void test_blend(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *op, *tangents;
		double value, loose;
	} rows[] = {{"min", "0x1.8p+1,0x1p+40", 3, 2 * 0x1p-53 * (3 + 0x1p40)},
	    {"max", "0x1p+40,0x1.8p+1", 3, 2 * 0x1p-53 * (3 + 0x1p40)}, {"min", "0x1.8p+1,0x0p+0", 3, 0}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("blend: %s, %s", rows[k].op, rows[k].tangents))
			continue;
		struct truth_point t;
		arena_reset(a);
		struct testcase c = test_case(a,
		    arena_printf(a,
		        "inputs x: f64[], z: f64[]\n"
		        "y = %s x, z\n"
		        "return y\n"
		        "point 1, 2\n"
		        "request: jvp; tangents %s\n",
		        rows[k].op, rows[k].tangents));
		if (!c.n_point)
			continue;
		analytic_truth(oracle, &c, 0, a, &t);
		const struct component *d = t.derivative[0][0].at;
		CHECK(d->value == rows[k].value && d->tight == 0 && close_to(d->loose, rows[k].loose),
		    "%s %s: %g, %g, %g", rows[k].op, rows[k].tangents, d->value, d->tight, d->loose);
	}
}

/* s is x + 2^-60: a right engine gets x. */
#define S \
	"c = constant 0x1p-60\n" \
	"s = add x, c\n"
#define PICK "y: f64[] = cond (p) { yield x } else { yield s }"

struct undecided_row {
	const char *what, *body, *point, *cotangent;
	enum reason primal, derivative;
};
static const struct undecided_row undecided_rows[] = {
    {"an index that rounding changes",
        S "i = cast s dtype=i64\n"
          "v = constant [3, 5]\n"
          "y = gather v, i axis=0 mode=clip",
        "1", "1", REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"a branch that rounding changes", S "p = gt s, x\n" PICK, "1", "1", REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"a branch that is certain", S "p = gt x, c\n" PICK, "1", "1", REASON_NONE, REASON_NONE},
    {"an uncertain integer as a float", S "i = cast s dtype=i64; f = cast i dtype=f64; y = mul f, x", "1", "1",
        REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"a maximum of two that are close", S "y = max s, x", "1", "1", REASON_NONE, REASON_ILL_CONDITIONED},
    {"a maximum of two that are computed alike, of different leaves", S "t = tanh s; r = tanh x; y = max t, r", "1",
        "1", REASON_NONE, REASON_ILL_CONDITIONED},
    {"a maximum of two that are close, beside what weighs more", S "m = max s, x; l = mul x, 1024; y = add l, m", "1",
        "1", REASON_NONE, REASON_NONE},
    {"a magnitude of what may be 0, beside what weighs more",
        S "d = sub s, x; m = abs d; l = mul x, 1024; y = add l, m", "1", "1", REASON_NONE, REASON_NONE},
    {"the magnitude of what may be 0", S "d = sub s, x; y = abs d", "1", "1", REASON_NONE, REASON_ILL_CONDITIONED},
    {"a step that rounding can take", S "y = floor s", "1", "1", REASON_UNSTABLE_PATH, REASON_NONE},
    {"a sign that rounding can change", S "d = sub s, x; y = sign d", "1", "1", REASON_UNSTABLE_PATH, REASON_NONE},
    {"0 of a vanishing partial meets a pole", "r = sqrt x; y = square r", "0", "1", REASON_NONE, REASON_NON_FINITE},
    {"a cotangent that is no number", "y = add x, x", "1", "nan", REASON_NONE, REASON_NON_FINITE},
    {"an infinite cotangent", "y = add x, x", "1", "inf", REASON_NONE, REASON_NON_FINITE},
    {"0 to what may be 0", S "z = constant 0; d = sub s, x; y = pow z, d", "1", "1", REASON_UNSTABLE_PATH,
        REASON_CONVENTION},
    {"the root of what may be negative, compared with itself",
        S "d = sub s, x; r = sqrt d; p = eq r, r; y = select p, x, s", "1", "1", REASON_UNSTABLE_PATH,
        REASON_UNSTABLE_PATH},
    {"a certain NaN compared with itself", "r = sqrt -1; p = eq r, r; y = select p, r, x", "1", "1", REASON_NONE,
        REASON_NONE},
    {"a NaN of what is rounded, compared with a number", S "n = neg s; r = sqrt n; p = gt r, x; y = select p, c, s",
        "1", "1", REASON_NONE, REASON_NONE},
    {"a NaN or not, compared with a number", S "d = sub s, x; n = neg d; r = sqrt n; p = gt r, x; y = select p, c, s",
        "1", "1", REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"an infinity that becomes a 0", "i = constant -inf; s = add x, i; e = exp s; y = add e, x", "1", "1", REASON_NONE,
        REASON_NONE},
    {"an infinity whose sign rounding can change",
        S "i = constant inf; d = sub s, x; m = mul i, d; t = tanh m; y = add t, x", "1", "1", REASON_OVERFLOW,
        REASON_OVERFLOW},
    {"the sign of a computed 0",
        "z = constant 0\n"
        "o = constant 1\n"
        "d = mul x, z\n"
        "i = div o, d\n"
        "t = tanh i\n"
        "y = add t, x",
        "1", "1", REASON_NON_FINITE, REASON_NON_FINITE},
    {"a choice by what may have left the range", "d = asinh x; p = lt d, x; y = select p, x, d", "0x1p700", "1",
        REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"what may have left the range, compared with itself", "d = asinh x; p = eq d, d; y = select p, x, d", "0x1p700",
        "1", REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"an order of equal numbers",
        "v = reshape x shape=[1]; k = constant [1]; l = concatenate v, k axis=0; i = argsort l axis=0\n"
        "n = constant [3, 5]; g = gather n, i axis=0 mode=clip; w = constant [1, 2]; m = matmul g, w; y = mul m, x",
        "1", "1", REASON_NONE, REASON_NONE},
    {"the angle of a computed 0 and a positive number", "z = mul x, 0; e = exp x; y = atan2 z, e", "1", "1",
        REASON_NONE, REASON_ILL_CONDITIONED},
    {"the angle of a computed 0 and a negative number", "z = mul x, 0; e = exp x; n = neg e; y = atan2 z, n", "1", "1",
        REASON_UNSTABLE_PATH, REASON_UNSTABLE_PATH},
    {"a number compared with itself", S "p = eq s, s; y = select p, x, s", "1", "1", REASON_NONE, REASON_NONE},
};

static void test_undecided(struct analytic *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof undecided_rows / sizeof *undecided_rows; i++) {
		if (!row_wanted("undecided: %s", undecided_rows[i].what))
			continue;
		const struct undecided_row *row = &undecided_rows[i];
		arena_reset(a);
		const struct truth_point *t = truth_of(oracle, a, "f64[]", row->body, row->point, row->cotangent);
		enum reason y = t->primal[0].at->reason, d = t->derivative[0][0].at->reason;
		CHECK(y == row->primal, "%s: the value is undecided(%s), not (%s)", row->what, reason_names[y],
		    reason_names[row->primal]);
		CHECK(d == row->derivative, "%s: the derivative is undecided(%s), not (%s)", row->what, reason_names[d],
		    reason_names[row->derivative]);
	}
}

/* Decided, and so narrowly that neither a 0 nor a derivative off by 1/64 would pass. */
struct decided_row {
	const char *what, *type, *body, *point, *cotangent;
};
static const struct decided_row decided_rows[] = {
    {"a slope far out, which hardly changes", "f64[]", "c = exp x; y = asinh c", "24", "1"},
    {"a saturated slope", "f64[]", "s = mul x, 0x1.999999999999ap+0; y = tanh s", "25.5", "1"},
    {"an operand known to one digit", "f64[]", "h = cast x dtype=bf16; s = cast h dtype=f64; y = asinh s", "300.5",
        "1"},
    {"the largest of what is computed alike", "f64[]",
        "b = broadcast_to x shape=[3]; t = tanh b; y = reduce_max t axes=[0]", "0.75", "1"},
    {"clamped where it is certain, and compared with itself", "f64[]",
        "c = constant -5; t = tanh x; m = max t, c; y = min m, t", "0.75", "1"},
    {"sorted, though nobody knows which is which", "f64[]",
        "b = broadcast_to x shape=[3]\n"
        "t = exp b\n"
        "r = sort t axis=0\n"
        "w = constant [1, 3, 5]\n"
        "y = matmul r, w",
        "0.75", "1"},
    {"six terms of low precision", "bf16[]",
        "b = broadcast_to x shape=[6]\n"
        "c: bf16[6] = constant [1.0078125, 1.015625, 1.0234375, 1.03125, 1.0390625, 1.046875]\n"
        "m = mul b, c\n"
        "y = reduce_sum m axes=[0]",
        "1", "1"},
    {"a call of the library in low precision", "bf16[]", "y = sin x", "1", "1"},
    {"a chain of exact products", "bf16[]",
        "c: bf16[] = constant 3\n"
        "h: bf16[] = constant 0.25\n"
        "m = mul x, c\n"
        "n = mul m, m\n"
        "o = mul n, h\n"
        "y = mul o, m",
        "1", "1"},
    {"behind the 0 of a library", "bf16[]",
        "z: bf16[] = constant 0\n"
        "m = mul x, z\n"
        "e = exp m\n"
        "l = log e\n"
        "s = sub x, l\n"
        "y = square s",
        "3", "1"},
};

static void test_decided(struct analytic *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof decided_rows / sizeof *decided_rows; i++) {
		if (!row_wanted("decided: %s", decided_rows[i].what))
			continue;
		const struct decided_row *row = &decided_rows[i];
		arena_reset(a);
		const struct truth_point *t = truth_of(oracle, a, row->type, row->body, row->point, row->cotangent);
		const struct component *d = t->derivative[0][0].at;
		CHECK(d->reason == REASON_NONE, "%s: undecided(%s)", row->what, reason_names[d->reason]);
		CHECK(d->tight <= fabs(d->value) / 64 && d->value != 0, "%s: %g +- %g would pass a fault", row->what,
		    d->value, d->tight);
	}
}

/* Partial sums out of range, whatever the whole. */
/* What a formula that leaves the range may give: of 0, -x, 30000, an infinity and a NaN. */
enum { MAY_BE_0 = 1, MAY_BE_NEGATED = 2, MAY_BE_30000 = 4, MAY_ESCAPE = 8, UNKNOWN = 16, NOT_CHECKED = 32 };

static void test_out_of_range(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *type, *body, *point;
		int value, derivative;
	} rows[] = {
	    {"f32[]", "t = tanh x; s = sin x; y = add t, s", "60", MAY_ESCAPE, MAY_ESCAPE},
	    {"f16[]", "t = tanh x; s = sin x; y = add t, s", "9", MAY_ESCAPE, MAY_ESCAPE},
	    {"f64[]", "m = mul x, 1e160; t = atan m; s = sin x; y = add t, s", "1", 0, 0},
	    {"f32[]", "y = asinh x", "0x1p80", MAY_ESCAPE, NOT_CHECKED},
	    {"f16[2]", "y = norm x axes=[0]", "[300, 200]", MAY_ESCAPE, MAY_BE_0},
	    {"f32[2]", "y = norm x axes=[0]", "[0x1p-70, 0x1p-70]", NOT_CHECKED, MAY_BE_0 | MAY_ESCAPE},
	    {"f32[]", "c: f32[] = constant 3; y = div c, x", "0x1p70", 0, MAY_BE_0},
	    {"f32[]", "c: f32[] = constant 0x1p-30; y = div c, x", "0x1p-68", 0, MAY_BE_0 | MAY_BE_30000 | MAY_ESCAPE},
	    {"f32[]", "t = logistic x; c: f32[] = constant 1; y = sub t, c", "-90", 0, NOT_CHECKED},
	    {"f32[]", "t = tanh x; c: f32[] = constant -2; y = max t, c", "60", UNKNOWN, UNKNOWN},
	    {"f32[]", "t = asinh x; y = tanh t", "0x1p80", UNKNOWN, UNKNOWN},
	    {"f64[2]", "y = reduce_prod x axes=[0]", "[0x1p-600, 0x1p-600]", NOT_CHECKED, UNKNOWN},
	    {"f64[4]", "y = reduce_prod x axes=[0]", "[0x1p600, 0x1p-600, 0x1p600, 0x1p-600]", UNKNOWN, UNKNOWN},
	    {"f64[4]", "y = reduce_prod x axes=[0]", "[0x1p-600, 0x1p600, 0x1p-600, 0x1p600]", UNKNOWN, UNKNOWN},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("out of range: %s at %s", rows[i].body, rows[i].point))
			continue;
		arena_reset(a);
		const struct truth_point *t = truth_of(oracle, a, rows[i].type, rows[i].body, rows[i].point, "1");
		const struct component *both[] = {t->primal[0].at, t->derivative[0][0].at};
		for (int k = 0; k < 2; k++) {
			const struct component *c = both[k];
			int want = k ? rows[i].derivative : rows[i].value, got = 0;
			if (want == NOT_CHECKED)
				continue;
			got |= fabs(c->value) <= c->loose ? MAY_BE_0 : 0;
			got |= 2 * fabs(c->value) <= c->loose ? MAY_BE_NEGATED : 0;
			got |= fabs(30000 - c->value) <= c->loose ? MAY_BE_30000 : 0;
			got |= c->escapes ? MAY_ESCAPE : 0;
			got = c->reason != REASON_NONE ? UNKNOWN : got;
			CHECK(got == want, "%s at %s, %s: %d, not %d; %g, loose %g", rows[i].body, rows[i].point,
			    k ? "derivative" : "value", got, want, c->value, c->loose);
			CHECK(c->reason != REASON_NONE || isfinite(c->loose), "%s: decided", rows[i].body);
		}
	}
}

static void test_range(struct analytic *oracle, struct arena *a)
{
	static const char *const bodies[] = {
	    "y = reduce_sum x axes=[0]", "y = reduce_mean x axes=[0]", "c = constant [1, 1, 1]; y = matmul x, c"};
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		if (!row_wanted("range: %s", bodies[i]))
			continue;
		arena_reset(a);
		const struct truth_point *t = truth_of(
		    oracle, a, "f64[3]", bodies[i], "[0x1p1023, 0x1p1023, -0x1.8p1023]", "1");
		CHECK(t->primal[0].at->reason == REASON_OVERFLOW, "%s: %s", bodies[i],
		    reason_names[t->primal[0].at->reason]);
	}
}

/* Decisions at equality: finite differences must always look there. */
struct edge_row {
	const char *body, *point;
	bool edge;
};
static const struct edge_row edge_rows[] = {
    {"c = constant 0; p = gt x, c; y = select p, x, c", "0", true},
    {"c = constant 0; p = gt x, c; y = select p, x, c", "1", false},
    {"c = constant 0; p = eq x, x; y = select p, x, c", "0", false},
    {"y = max x, 0", "0", true},
    {"y = max x, 0", "1", false},
    {"c = constant 0; y = clamp x, c, c", "0", true},
    {"y = abs x", "0", true},
    {"y = abs x", "1", false},
    {"y = floor x", "2", true},
    {"y = round x", "2.5", true},
    {"y = round x", "2.25", false},
    {"y = atan2 0, x", "-1", true},
    {"y = atan2 0, x", "1", false},
    {"y = pow x, 2", "0", true},
    {"i = cast x dtype=i64; y = cast i dtype=f64", "2", true},
    {"i = cast x dtype=i64; y = cast i dtype=f64", "2.5", false},
    {"i = cast x dtype=bool; y = cast i dtype=f64", "0", true},
    /* No move of x, however short, changes what is compared. */
    {"n = floor x; y = abs n", "0.25", false},
    {"n = floor x; y = abs n", "0", true},
    {"n = sign x; y = max n, 1", "2", false},
    {"n = floor_divide x, 2; m = mul n, 3; y = max m, 3", "3", false},
    {"s = stop_gradient x; y = abs s", "0", false},
    {"c = constant 0; z = abs c; y = add x, z", "0", false},
    {"n = floor x; p = eq n, n; z = mul n, x; y = abs z", "0.25", true},
    {"n = floor x; a = abs n; z = sub x, 0.25; w = abs z; y = add a, w", "0.25", true},
    {"i = cast x dtype=i64; n = cast i dtype=f64; y = abs n", "0.25", true},
};

static void test_edges(struct analytic *oracle, struct arena *a)
{
	for (size_t i = 0; i < sizeof edge_rows / sizeof *edge_rows; i++) {
		if (!row_wanted("edges: %s at %s", edge_rows[i].body, edge_rows[i].point))
			continue;
		const struct edge_row *row = &edge_rows[i];
		arena_reset(a);
		CHECK(truth_of(oracle, a, "f64[]", row->body, row->point, "1")->edge == row->edge, "%s at %s",
		    row->body, row->point);
	}
}

/*
 * The derivative of g y/x by x, where y is x as scatter_mul left it: g s/x - (g y/x^2) s, which is 0 but for
 * roundings: one of g/x, three of g y/(x x), two of what s multiplies and one of the difference, of g s/x each.
 */
static void test_second_of_untouched(struct analytic *oracle, struct arena *a)
{
	const char *body = "i: i64[1] = constant [1]\n"
	                   "k = constant [3]\n"
	                   "y = scatter_mul x, i, k axis=0 mode=clip";

	arena_reset(a);
	const struct truth_point *t = truth_of_order(oracle, a, "f64[2]", body, "[0.75,0.5]", "[5,1]", "[7,1]");
	const struct component *d = &t->derivative[0][0].at[0];
	CHECK(d->reason == REASON_NONE && d->value == 0 && d->loose >= 7 * u * 5 * 7 / 0.75 &&
	        d->loose < 0x1p-40 * 5 * 7 / 0.75,
	    "%g, %g", d->value, d->loose);
	CHECK(t->primal[0].at[0].tight == 0, "times 1 rounds by %g", t->primal[0].at[0].tight);
}

/*
 * g y/x itself, at order 1: two roundings, and what g y loses as it underflows, to 111 times the smallest number by
 * half of which it is off here.
 */
static void test_untouched(struct analytic *oracle, struct arena *a)
{
	static const struct {
		const char *x;
		double least, most; /* of the loose radius of 0.5 */
	} rows[] = {{"[0.75,0.5]", 2 * u * 0.5, 8 * u * 0.5}, {"[0x0.000000000006fp-1022, 0.5]", 0.5 / 111, 1.0 / 111},
	    {"[0x1p-1000, 0.5]", 2 * u * 0.5, 8 * u * 0.5}};
	const char *body = "i: i64[1] = constant [1]\n"
	                   "k = constant [1]\n"
	                   "y = scatter_mul x, i, k axis=0 mode=clip";

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("untouched: %s", rows[k].x))
			continue;
		arena_reset(a);
		const struct component
		    *d = &truth_of(oracle, a, "f64[2]", body, rows[k].x, "[0.5,1]")->derivative[0][0].at[0];
		CHECK(d->reason == REASON_NONE && d->value == 0.5 && d->tight == 0 && d->loose >= rows[k].least &&
		        d->loose <= rows[k].most,
		    "%s: %g, %g", rows[k].x, d->tight, d->loose);
	}
}

/* tanh' by 1/cosh^2 is 0 far out; its derivative, infinity over infinity, makes a NaN of a direction of 0 too. */
static void test_formulas_that_overflow(struct analytic *oracle, struct arena *a)
{
	for (int far = 0; far < 2; far++) {
		const char *text = arena_printf(
		    a, "k = constant [%s]; a = add k, x; y = tanh a", far ? "-8589934592" : "-1");
		const struct component
		    *d = &truth_of_order(oracle, a, "f64[1]", text, "[0.5]", "[1]", "[0]")->derivative[0][0].at[0];

		CHECK(d->reason == REASON_NONE && d->value == 0 && d->in_domain == !far, "%s: %d", text, d->in_domain);
	}
}

int main(int argc, char **argv)
{
	struct arena a;
	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 28);
	struct analytic *oracle = analytic_open(&oracle_rules_right);
	test_radii(oracle, &a);
	test_blend(oracle, &a);
	test_undecided(oracle, &a);
	test_decided(oracle, &a);
	test_out_of_range(oracle, &a);
	test_range(oracle, &a);
	test_edges(oracle, &a);
	CHECK_LAW(test_second_of_untouched(oracle, &a));
	test_untouched(oracle, &a);
	CHECK_LAW(test_formulas_that_overflow(oracle, &a));
	analytic_close(oracle);
	arena_free(&a);
	return check_done();
}

/* test_verdict.c: every verdict at least once, over truths made by hand. */
#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "oracles/verdict/verdict.h"

enum { SLOTS = 3 };

/* A component: value, tight, loose; reason and in_domain where they matter. */
#define BALL(v, t, l) \
	{ \
		.value = (v), .tight = (t), .loose = (l), .magnitude = 1, .in_domain = true \
	}
#define UNKNOWN(r, domain) \
	{ \
		.reason = REASON_##r, .in_domain = (domain) \
	}

/* Errors from -down to up, or of at least leap. */
#define NARROW(v, t, l, from, to, far) \
	{ \
		.value = (v), .tight = (t), .loose = (l), .magnitude = 1, .in_domain = true, .narrow = true, \
		.down = (from), .up = (to), .leap = (far) \
	}

#define ESCAPES(v, t) \
	{ \
		.value = (v), .tight = (t), .loose = 10 * (t), .magnitude = 1, .in_domain = true, .escapes = true, \
		.share = INFINITY \
	}

/* One output f64[] and one derivative f64[n]; up to three assignments. */
struct row {
	const char *name;
	struct component primal;
	double primal_got;
	int n, n_assignment;
	struct component want[SLOTS][SLOTS]; /* [assignment][component] */
	double got[SLOTS];
	enum verdict verdict;
	enum deviation deviation;
	enum reason reason;
	int element, decided;
};

#define RIGHT_PRIMAL .primal = BALL(2, 1e-12, 1e-11), .primal_got = 2

static const struct row rows[] = {
    {"agree", RIGHT_PRIMAL, .n = 2, .n_assignment = 1, .want = {{BALL(1, 1e-15, 1e-14), BALL(3, 1e-14, 1e-13)}},
        .got = {1, 3 + 5e-15}, .verdict = VERDICT_AGREE, .element = 1, .decided = 2},
    {"between the radii", RIGHT_PRIMAL, .n = 2, .n_assignment = 1,
        .want = {{BALL(1, 1e-15, 1e-12), BALL(3, 1e-14, 1e-13)}}, .got = {1 + 5e-13, 3}, .verdict = VERDICT_INACCURATE,
        .deviation = DEVIATION_FINITE, .element = 0, .decided = 2},
    {"just outside", RIGHT_PRIMAL, .n = 2, .n_assignment = 1, .want = {{BALL(1, 1e-15, 1e-12), BALL(3, 1e-14, 1e-13)}},
        .got = {1 + 1.1e-12, 3}, .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .element = 0, .decided = 2},
    {"on the side of a narrow ball", RIGHT_PRIMAL, .n = 1, .n_assignment = 1,
        .want = {{NARROW(4, 1e-15, 3, 1, 1e-14, INFINITY)}}, .got = {3}, .verdict = VERDICT_INACCURATE,
        .deviation = DEVIATION_FINITE, .decided = 1},
    {"on the other side", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{NARROW(4, 1e-15, 3, 1, 1e-14, INFINITY)}},
        .got = {5}, .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .decided = 1},
    {"beyond the leap", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{NARROW(4, 1e-15, 9, 1, 1e-14, 5)}},
        .got = {9.5}, .verdict = VERDICT_INACCURATE, .deviation = DEVIATION_FINITE, .decided = 1},
    {"before the leap", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{NARROW(4, 1e-15, 9, 1, 1e-14, 5)}},
        .got = {2}, .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .decided = 1},
    {"beyond the ball", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{NARROW(4, 1e-15, 9, 1, 1e-14, 5)}},
        .got = {20}, .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .decided = 1},
    {"blind: 0 is inaccurate", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{BALL(1, 1e-15, 1.5)}}, .got = {0},
        .verdict = VERDICT_INACCURATE, .deviation = DEVIATION_FINITE, .reason = REASON_BLIND, .decided = 0},
    {"blind: the number itself", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{BALL(1, 1e-15, 1.5)}}, .got = {1},
        .verdict = VERDICT_AGREE, .reason = REASON_BLIND, .decided = 0},
    {"blind: 0 is within the tight radius", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{BALL(1, 1.2, 1.5)}},
        .got = {1}, .verdict = VERDICT_UNDECIDED, .reason = REASON_BLIND, .element = -1, .decided = 0},
    {"blind: outside all the same", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{BALL(1, 1e-15, 1.5)}},
        .got = {3}, .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .decided = 0},
    {"blind: beside a decided number", RIGHT_PRIMAL, .n = 2, .n_assignment = 1,
        .want = {{BALL(1, 1e-15, 1.5), BALL(3, 1e-14, 1e-13)}}, .got = {1, 3}, .verdict = VERDICT_AGREE, .decided = 1},
    {"blind: at a tie that does not allow 0", RIGHT_PRIMAL, .n = 1, .n_assignment = 2,
        .want = {{BALL(1, 1e-15, 5)}, {BALL(3, 1e-15, 5)}}, .got = {1}, .verdict = VERDICT_CONVENTION,
        .reason = REASON_BLIND, .decided = 0},
    {"at a tie that allows 0", RIGHT_PRIMAL, .n = 1, .n_assignment = 2,
        .want = {{BALL(1, 1e-15, 5)}, {BALL(-3, 1e-15, 5)}}, .got = {1}, .verdict = VERDICT_CONVENTION, .decided = 1},
    {"blind: no convention is followed", RIGHT_PRIMAL, .n = 2, .n_assignment = 2,
        .want = {{BALL(1, 1e-15, 1.5), BALL(3, 0, 0)}, {BALL(1, 1e-15, 1.5), BALL(4, 0, 0)}}, .got = {1, 9},
        .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .element = 1, .decided = 1},
    {"blind: beside a tie", RIGHT_PRIMAL, .n = 2, .n_assignment = 2,
        .want = {{BALL(1, 1e-15, 1.5), BALL(3, 0, 0)}, {BALL(1, 1e-15, 1.5), BALL(4, 0, 0)}}, .got = {1, 3},
        .verdict = VERDICT_CONVENTION, .element = 1, .decided = 1},
    {"the worst ratio shows", RIGHT_PRIMAL, .n = 3, .n_assignment = 1,
        .want = {{BALL(1, 1e-15, 1e-14), BALL(5, 1e-3, 1e-2), BALL(3, 1e-14, 1e-13)}}, .got = {1.001, 6, 3.001},
        .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .element = 0, .decided = 3},
    {"zero for a number", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{BALL(6, 1e-14, 1e-13)}}, .got = {0},
        .verdict = VERDICT_WRONG, .deviation = DEVIATION_ZERO, .decided = 1},
    {"the wrong sign", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{BALL(-3, 1e-14, 1e-13)}}, .got = {3.25},
        .verdict = VERDICT_WRONG, .deviation = DEVIATION_SIGN, .decided = 1},
    {"infinite", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{BALL(-3, 1e-14, 1e-13)}}, .got = {INFINITY},
        .verdict = VERDICT_WRONG, .deviation = DEVIATION_INFINITE, .decided = 1},
    {"radius 0 is exact", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{BALL(1, 0, 0)}}, .got = {1 + 0x1p-52},
        .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .decided = 1},
    {"radius 0, -0 for +0", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{BALL(0, 0, 0)}}, .got = {-0.0},
        .verdict = VERDICT_AGREE, .decided = 1},
    {"low bits of the truth count", RIGHT_PRIMAL, .n = 1, .n_assignment = 1,
        .want = {{{.value = 1, .low = 1e-17, .tight = 1e-19, .loose = 1e-18}}}, .got = {1}, .verdict = VERDICT_WRONG,
        .deviation = DEVIATION_FINITE, .decided = 1},
    {"nan leak", RIGHT_PRIMAL, .n = 2, .n_assignment = 1, .want = {{BALL(0, 0, 0), BALL(.5, 1e-15, 1e-14)}},
        .got = {NAN, .5}, .verdict = VERDICT_NAN_LEAK, .deviation = DEVIATION_NAN, .decided = 2},
    {"nan leak, undecided in the domain", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{UNKNOWN(JUMP, true)}},
        .got = {NAN}, .verdict = VERDICT_NAN_LEAK, .deviation = DEVIATION_NAN},
    {"nan, undecided", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{UNKNOWN(NON_FINITE, false)}}, .got = {NAN},
        .verdict = VERDICT_UNDECIDED, .reason = REASON_NON_FINITE, .element = -1},
    {"nan by overflow", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{UNKNOWN(OVERFLOW, true)}}, .got = {NAN},
        .verdict = VERDICT_UNDECIDED, .reason = REASON_OVERFLOW, .element = -1},
    {"wrong beats nan leak", RIGHT_PRIMAL, .n = 2, .n_assignment = 1, .want = {{BALL(0, 0, 0), BALL(.5, 1e-15, 1e-14)}},
        .got = {NAN, .6}, .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .element = 1, .decided = 2},
    {"all undecided, most frequent reason", RIGHT_PRIMAL, .n = 3, .n_assignment = 1,
        .want = {{UNKNOWN(JUMP, true), UNKNOWN(ILL_CONDITIONED, true), UNKNOWN(ILL_CONDITIONED, true)}},
        .got = {9, 9, 9}, .verdict = VERDICT_UNDECIDED, .reason = REASON_ILL_CONDITIONED, .element = -1},
    {"one decided", RIGHT_PRIMAL, .n = 2, .n_assignment = 1, .want = {{UNKNOWN(JUMP, true), BALL(1, 0, 0)}},
        .got = {9, 1}, .verdict = VERDICT_AGREE, .element = 1, .decided = 1},
    {"wrong primal hides the derivative", .primal = BALL(2, 1e-12, 1e-11), .primal_got = -2, .n = 1, .n_assignment = 1,
        .want = {{BALL(1, 0, 0)}}, .got = {17}, .verdict = VERDICT_WRONG_PRIMAL, .deviation = DEVIATION_SIGN},
    {"nan primal", .primal = BALL(2, 1e-12, 1e-11), .primal_got = NAN, .n = 1, .n_assignment = 1,
        .want = {{BALL(1, 0, 0)}}, .got = {1}, .verdict = VERDICT_WRONG_PRIMAL, .deviation = DEVIATION_NAN},
    {"a usual formula out of range gives NaN", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{ESCAPES(1, 1e-15)}},
        .got = {NAN}, .verdict = VERDICT_INACCURATE, .deviation = DEVIATION_NAN, .decided = 1},
    {"or an infinity", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{ESCAPES(1, 1e-15)}}, .got = {-INFINITY},
        .verdict = VERDICT_INACCURATE, .deviation = DEVIATION_FINITE, .decided = 1},
    {"but not 0", RIGHT_PRIMAL, .n = 1, .n_assignment = 1, .want = {{ESCAPES(1, 1e-15)}}, .got = {0},
        .verdict = VERDICT_WRONG, .deviation = DEVIATION_ZERO, .decided = 1},
    {"a usual formula out of range gives NaN, primal", .primal = ESCAPES(2, 1e-12), .primal_got = NAN, .n = 1,
        .n_assignment = 1, .want = {{BALL(1, 0, 0)}}, .got = {1}, .verdict = VERDICT_INACCURATE,
        .deviation = DEVIATION_FINITE, .decided = 1},
    {"undecided primal does not stop it", .primal = UNKNOWN(OVERFLOW, true), .primal_got = NAN, .n = 1,
        .n_assignment = 1, .want = {{BALL(1, 0, 0)}}, .got = {2}, .verdict = VERDICT_WRONG,
        .deviation = DEVIATION_FINITE, .decided = 1},
    /* max(x, y) at a tie: (1, 0), (0, 1) or (1/2, 1/2) */
    {"first operand", RIGHT_PRIMAL, .n = 2, .n_assignment = 3,
        .want = {{BALL(1, 0, 0), BALL(0, 0, 0)}, {BALL(0, 0, 0), BALL(1, 0, 0)}, {BALL(.5, 0, 0), BALL(.5, 0, 0)}},
        .got = {1, 0}, .verdict = VERDICT_CONVENTION, .decided = 2},
    {"even share", RIGHT_PRIMAL, .n = 2, .n_assignment = 3,
        .want = {{BALL(1, 0, 0), BALL(0, 0, 0)}, {BALL(0, 0, 0), BALL(1, 0, 0)}, {BALL(.5, 0, 0), BALL(.5, 0, 0)}},
        .got = {.5, .5}, .verdict = VERDICT_CONVENTION, .decided = 2},
    {"doubled share: in the hull, nobody's", RIGHT_PRIMAL, .n = 2, .n_assignment = 3,
        .want = {{BALL(1, 0, 0), BALL(0, 0, 0)}, {BALL(0, 0, 0), BALL(1, 0, 0)}, {BALL(.5, 0, 0), BALL(.5, 0, 0)}},
        .got = {1, 1}, .verdict = VERDICT_UNDECIDED, .reason = REASON_CONVENTION, .element = -1},
    {"outside the hull", RIGHT_PRIMAL, .n = 2, .n_assignment = 3,
        .want = {{BALL(1, 0, 0), BALL(0, 0, 0)}, {BALL(0, 0, 0), BALL(1, 0, 0)}, {BALL(.5, 0, 0), BALL(.5, 0, 0)}},
        .got = {1, -1}, .verdict = VERDICT_WRONG, .deviation = DEVIATION_FINITE, .element = 1, .decided = 1},
    {"a component without a tie is judged plainly", RIGHT_PRIMAL, .n = 2, .n_assignment = 2,
        .want = {{BALL(1, 0, 0), BALL(7, 1e-14, 1e-13)}, {BALL(0, 0, 0), BALL(7, 1e-14, 1e-13)}}, .got = {1, 0},
        .verdict = VERDICT_WRONG, .deviation = DEVIATION_ZERO, .element = 1, .decided = 1},
    {"nan at a kink", RIGHT_PRIMAL, .n = 2, .n_assignment = 2,
        .want = {{BALL(1, 0, 0), BALL(0, 0, 0)}, {BALL(-1, 0, 0), BALL(0, 0, 0)}}, .got = {NAN, 0},
        .verdict = VERDICT_NAN_LEAK, .deviation = DEVIATION_NAN, .element = 0, .decided = 2},
    {"assignments that coincide", RIGHT_PRIMAL, .n = 1, .n_assignment = 2,
        .want = {{BALL(2, 1e-15, 1e-14)}, {BALL(2, 1e-15, 1e-14)}}, .got = {2}, .verdict = VERDICT_AGREE, .decided = 1},
    {"a convention, loosely", RIGHT_PRIMAL, .n = 1, .n_assignment = 2,
        .want = {{BALL(1, 1e-15, 1e-12)}, {BALL(-1, 1e-15, 1e-12)}}, .got = {-1 - 1e-13}, .verdict = VERDICT_INACCURATE,
        .deviation = DEVIATION_FINITE, .decided = 1},
};

/* The request of a vjp; the truth and the answer are made by hand. */
static struct testcase make_case(struct arena *a)
{
	struct testcase c = {.n_point = 1, .n_transform = 1};
	c.transform = NEW(a, struct transform, 2);
	c.transform[0].kind = TRANSFORM_VJP;
	c.transform[1].kind = TRANSFORM_JVP;
	return c;
}

static struct type vector_type(enum dtype d, int n) { return (struct type){d, {1, {n}}}; }

static struct tensor numbers(struct arena *a, enum dtype d, int n, const double *x)
{
	struct type type = vector_type(d, n);
	struct tensor t = tensor_new(a, &type);
	for (int k = 0; k < n; k++)
		if (dtype_is_float(d))
			t.at[k].f = x[k];
		else
			t.at[k].i = (int64_t)x[k];
	return t;
}

static struct truth_tensor wanted(struct arena *a, enum dtype d, int n, const struct component *c)
{
	return (struct truth_tensor){vector_type(d, n), arena_copy(a, c, (size_t)n, sizeof *c)};
}

/* Truth and a right-shaped answer for a row. */
static void make(const struct row *r, struct arena *a, struct truth_point *t, struct answer *answer)
{
	*t = (struct truth_point){.n_primal = 1, .n_derivative = 1, .n_assignment = r->n_assignment};
	t->primal = NEW(a, struct truth_tensor, 1);
	t->primal[0] = wanted(a, DTYPE_F64, 1, &r->primal);
	t->derivative = NEW(a, struct truth_tensor *, r->n_assignment);
	for (int s = 0; s < r->n_assignment; s++) {
		t->derivative[s] = NEW(a, struct truth_tensor, 1);
		t->derivative[s][0] = wanted(a, DTYPE_F64, r->n, r->want[s]);
	}
	*answer = (struct answer){.n_primal = 1, .n_derivative = 1, .text = ""};
	answer->primal = NEW(a, struct tensor, 1);
	answer->primal[0] = numbers(a, DTYPE_F64, 1, &r->primal_got);
	answer->derivative = NEW(a, struct tensor, 1);
	answer->derivative[0] = numbers(a, DTYPE_F64, r->n, r->got);
}

static void test_rows(struct arena *a)
{
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("%s", rows[k].name))
			continue;
		const struct row *r = &rows[k];
		struct testcase c = make_case(a);
		struct truth_point point;
		struct truth truth = {1, &point};
		struct answer answer;
		struct judgement got;
		make(r, a, &point, &answer);
		judge(&c, &truth, &answer, &got);
		CHECK(got.verdict == r->verdict, "%s: %s", r->name, verdict_names[got.verdict]);
		CHECK(got.deviation == r->deviation, "%s: %s", r->name, deviation_names[got.deviation]);
		CHECK(got.reason == r->reason, "%s: %s", r->name, reason_names[got.reason]);
		if (got.verdict != VERDICT_WRONG_PRIMAL)
			CHECK(got.element == r->element, "%s: element %d", r->name, got.element);
		CHECK(got.decided == r->decided, "%s: %d decided", r->name, got.decided);
	}
}

/* How an inaccurate number is told of: units in the last place of its dtype, the formula, the range. */
static void test_accuracy(struct arena *a)
{
	static const struct {
		struct component want;
		double got;
		enum dtype dtype;
		double ulps, good;
		bool range;
		const char *text;
	} inexact[] = {
	    {{.value = 1, .tight = 0x1p-50, .loose = 0x1p-40, .culprit = OP_TANH}, 1 + 0x1p-48, DTYPE_F64, 16, 4, false,
	        "off by 16 ulp; the best known formulas are off by at most 4 ulp; tanh: 1/cosh"},
	    {{.value = 1, .tight = 0x1p-21, .loose = 0x1p-10, .culprit = OP_DIV}, 1 + 0x1p-20, DTYPE_F32, 8, 4, false,
	        "off by 8 ulp; the best known formulas are off by at most 4 ulp; div: -y/b instead of"},
	    {{.value = 3, .tight = 0x1p-6, .loose = 1}, 3.5, DTYPE_BF16, 32, 1, false,
	        "off by 32 ulp; the best known formulas are off by at most 1 ulp"},
	    {{.value = 0x1p-1060, .tight = 0x1p-1073, .loose = 0x1p-1060, .culprit = OP_SQRT}, 0, DTYPE_F64, 16384, 2,
	        false, "off by 1.64e+04 ulp"},
	    {{.value = 1, .tight = 0x1p-50, .loose = 2, .share = INFINITY, .culprit = OP_ASINH}, 0, DTYPE_F64, 0x1p52,
	        4, true, "at most 4 ulp; a usual formula leaves the range; asinh: "},
	    {{.value = 1,
	         .tight = 0x1p-50,
	         .loose = 2,
	         .escapes = true,
	         .share = INFINITY,
	         .culprit = OP_NORM,
	         .in_domain = true},
	        NAN, DTYPE_F64, NAN, 4, true, "far off; the best known"},
	};
	for (size_t k = 0; k < sizeof inexact / sizeof *inexact; k++) {
		if (!row_wanted("accuracy: %s", inexact[k].text))
			continue;
		struct testcase c = make_case(a);
		struct truth_point point;
		struct truth truth = {1, &point};
		struct answer answer;
		struct judgement got;
		make(&(struct row){.primal = BALL(2, 1, 1), .primal_got = 2, .n = 1, .n_assignment = 1, .got = {0}}, a,
		    &point, &answer);
		point.derivative[0][0] = wanted(a, inexact[k].dtype, 1, &inexact[k].want);
		answer.derivative[0] = numbers(a, inexact[k].dtype, 1, &inexact[k].got);
		judge(&c, &truth, &answer, &got);
		CHECK(got.verdict == VERDICT_INACCURATE, "%d: %s", (int)k, verdict_names[got.verdict]);
		CHECK(got.accuracy.ulps == inexact[k].ulps || (isnan(inexact[k].ulps) && isnan(got.accuracy.ulps)),
		    "%d: %g ulp", (int)k, got.accuracy.ulps);
		CHECK(got.accuracy.good == inexact[k].good && got.accuracy.range == inexact[k].range &&
		        got.accuracy.op == inexact[k].want.culprit,
		    "%d: %g", (int)k, got.accuracy.good);
		CHECK(strstr(accuracy_text(&got.accuracy, a), inexact[k].text), "%d: %s", (int)k,
		    accuracy_text(&got.accuracy, a));
		CHECK(!strcmp(accuracy_cause(&got.accuracy), inexact[k].range ? "range" : "formula"), "%d", (int)k);
	}
}

/* Statuses, shapes, dtypes and what else is judged before any number. */
static void test_forms(struct arena *a)
{
	static const struct {
		enum answer_status status;
		enum verdict verdict;
	} status[] = {{ANSWER_UNSUPPORTED, VERDICT_UNSUPPORTED}, {ANSWER_CRASH, VERDICT_CRASH},
	    {ANSWER_HANG, VERDICT_HANG}, {ANSWER_OOM, VERDICT_OOM}, {ANSWER_PROTOCOL, VERDICT_PROTOCOL},
	    {ANSWER_FAILURE, VERDICT_UNDECIDED}};
	struct testcase c = make_case(a);
	struct truth_point point;
	struct truth truth = {1, &point};
	struct answer answer;
	struct judgement got;
	for (size_t k = 0; k < sizeof status / sizeof *status; k++) {
		if (!row_wanted("forms: %s", verdict_names[status[k].verdict]))
			continue;
		make(&rows[0], a, &point, &answer);
		answer.status = status[k].status;
		judge(&c, &truth, &answer, &got);
		CHECK(got.verdict == status[k].verdict && got.reason == REASON_NONE, "%s", verdict_names[got.verdict]);
	}
	if (!all_wanted())
		return;
	make(&rows[0], a, &point, &answer);
	answer.input_modified = true;
	judge(&c, &truth, &answer, &got);
	CHECK(got.verdict == VERDICT_INPUT_MODIFIED, "%s", verdict_names[got.verdict]);

	make(&rows[0], a, &point, &answer);
	answer.n_derivative = 0;
	judge(&c, &truth, &answer, &got);
	CHECK(got.verdict == VERDICT_BAD_SHAPE && got.deviation == DEVIATION_SHAPE, "%s", verdict_names[got.verdict]);

	make(&rows[0], a, &point, &answer);
	answer.derivative[0].type.shape.extent[0] = 1;
	judge(&c, &truth, &answer, &got);
	CHECK(got.verdict == VERDICT_BAD_SHAPE && !got.in_primal && got.which == 0, "%s", verdict_names[got.verdict]);

	make(&rows[0], a, &point, &answer);
	answer.primal[0].type.dtype = DTYPE_F32;
	judge(&c, &truth, &answer, &got);
	CHECK(got.verdict == VERDICT_BAD_DTYPE && got.in_primal, "%s", verdict_names[got.verdict]);

	/* A derivative of which nothing is known: the primal is still judged. */
	make(&rows[0], a, &point, &answer);
	for (int k = 0; k < shape_elements(&point.derivative[0][0].type.shape); k++)
		point.derivative[0][0].at[k].reason = REASON_ORDER;
	judge(&c, &truth, &answer, &got);
	CHECK(got.verdict == VERDICT_UNDECIDED && got.reason == REASON_ORDER, "%s", verdict_names[got.verdict]);
	answer.primal[0].at[0].f = 3;
	judge(&c, &truth, &answer, &got);
	CHECK(got.verdict == VERDICT_WRONG_PRIMAL, "%s", verdict_names[got.verdict]);

	/* A primal request: the primal is what is counted. */
	make(&rows[0], a, &point, &answer);
	c.n_transform = 0;
	point.n_derivative = answer.n_derivative = 0;
	judge(&c, &truth, &answer, &got);
	CHECK(got.verdict == VERDICT_AGREE && got.decided == 1 && got.in_primal, "%s", verdict_names[got.verdict]);
}

/* Integers: exact primals of 64 bits, zero cotangents of any dtype. */
static void test_integers(struct arena *a)
{
	const int64_t integer[] = {0, -7, INT64_MAX, INT64_MIN, INT64_MAX - 1, (INT64_C(1) << 53) + 1};
	for (size_t k = 0; k < sizeof integer / sizeof *integer; k++) {
		if (!row_wanted("integers: %lld", (long long)integer[k]))
			continue;
		struct testcase c = make_case(a);
		struct truth_point point;
		struct truth truth = {1, &point};
		struct answer answer;
		struct judgement got;
		make(&rows[0], a, &point, &answer);
		/* value is the nearest double, low what is missing */
		double value = (double)integer[k];
		double low = value >= 0x1p63 ? (double)(integer[k] - INT64_MAX) - 1
		                             : (double)(integer[k] - (int64_t)value);
		struct component exact = {.value = value, .low = low};
		const double zero[] = {0, 0};
		c.n_transform = 0;
		point.n_derivative = answer.n_derivative = 0;
		point.primal[0] = wanted(a, DTYPE_I64, 1, &exact);
		answer.primal[0] = numbers(a, DTYPE_I64, 1, zero);
		answer.primal[0].at[0].i = integer[k];
		judge(&c, &truth, &answer, &got);
		CHECK(got.verdict == VERDICT_AGREE, "%lld: %s", (long long)integer[k], verdict_names[got.verdict]);
		answer.primal[0].at[0].i = integer[k] ^ 1;
		judge(&c, &truth, &answer, &got);
		CHECK(
		    got.verdict == VERDICT_WRONG_PRIMAL, "%lld: %s", (long long)integer[k], verdict_names[got.verdict]);
	}
	static const enum dtype spelling[] = {DTYPE_I32, DTYPE_F64, DTYPE_BOOL};
	for (size_t k = 0; k < sizeof spelling / sizeof *spelling; k++) {
		if (!row_wanted("integers: %s", dtype_table[spelling[k]].name))
			continue;
		for (int bad = 0; bad < 2; bad++) {
			struct testcase c = make_case(a);
			struct truth_point point;
			struct truth truth = {1, &point};
			struct answer answer;
			struct judgement got;
			const double values[] = {0, bad};
			const struct component zeros[2] = {{0}, {0}};
			make(&rows[0], a, &point, &answer);
			point.derivative[0][0] = wanted(a, DTYPE_I32, 2, zeros);
			answer.derivative[0] = numbers(a, spelling[k], 2, values);
			judge(&c, &truth, &answer, &got);
			CHECK(got.verdict == (bad ? VERDICT_WRONG : VERDICT_AGREE), "%s: %s",
			    dtype_table[spelling[k]].name, verdict_names[got.verdict]);
		}
	}
}

/* Points: the worst one decides. */
static void test_points(struct arena *a)
{
	struct testcase c = make_case(a);
	struct truth_point point[3];
	struct answer answer[3];
	struct truth truth = {3, point};
	struct judgement got;
	for (int k = 0; k < 3; k++)
		make(&rows[0], a, &point[k], &answer[k]);
	judge(&c, &truth, answer, &got);
	CHECK(got.verdict == VERDICT_AGREE && got.decided == 6, "%s, %d", verdict_names[got.verdict], got.decided);
	answer[1].derivative[0].at[1].f = -3;
	judge(&c, &truth, answer, &got);
	CHECK(got.verdict == VERDICT_WRONG && got.point == 1 && got.element == 1, "%s at %d",
	    verdict_names[got.verdict], got.point);
	CHECK(got.expected == 3 && got.returned == -3 && got.radius == 1e-13, "%g %g %g", got.expected, got.returned,
	    got.radius);
	char *text = signature_coarse("tape+f", &c, &got, a);
	CHECK(!strcmp(text, "tape+f|vjp|wrong|sign"), "%s", text);
	c.n_transform = 2;
	text = signature_coarse("tape", &c, &got, a);
	CHECK(!strcmp(text, "tape|vjp,jvp|wrong|sign"), "%s", text);
}

static void test_signatures(void)
{
	static const struct {
		const char *text;
		bool coarse, may_be;
	} row[] = {
	    {"tape|vjp|wrong|zero", true, true},
	    {"proc:a | b|vjp,jvp|crash|none", true, true},
	    {"e|primal|wrong-primal|nan", true, true},
	    {"e|*|nan-leak|weak-zero", true, true},
	    {"e|vjp|unmet", false, true},
	    {"e|vjp|mul+sin", false, true},
	    {"e|cross|engine|finite", false, true},
	    {"e|vjp|wrong", false, false},
	    {"e|vjp|wrong|zeros", false, false},
	    {"e|vpj|wrong|zero", false, false},
	    {"e||wrong|zero", false, false},
	    {"e|vjp", false, false},
	    {"e", false, false},
	    {"", false, false},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		CHECK(signature_is_coarse(row[i].text) == row[i].coarse, "%s", row[i].text);
		CHECK(signature_may_be(row[i].text) == row[i].may_be, "%s", row[i].text);
	}
}

int main(int argc, char **argv)
{
	struct arena a;
	check_begin(argc, argv);
	arena_init(&a, 1 << 24);
	test_rows(&a);
	test_accuracy(&a);
	test_forms(&a);
	test_integers(&a);
	test_signatures();
	CHECK_LAW(test_points(&a));
	for (int v = 0; v < VERDICT_COUNT; v++)
		CHECK(verdict_find(verdict_names[v]) == v, "%d", v);
	CHECK(verdict_find("fine") == -1, "unknown names");
	arena_free(&a);
	return check_done();
}

/*
 * Derivatives as scalars of the trace: every rule, three orders deep and in both modes, against difference quotients
 * of the order below; stretches inside a trace; what is absent.
 */
#include "graph/testcase.h"
#include "oracles/evaluate/internal.h"
#include "oracles/oracle_rules.h"
#include "oracles/evaluate/elementary.h"
#include "oracles/evaluate/scalar_ops.h"
#include "oracles/evaluate/trace_derive.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <string.h>

enum { BITS = 700, STEP = -150, ORDERS = 3, WIDTH = 3, DIRECTION = 10, BIG = 1 << 20 };

/* x: f64[3]; y of it. */
static const struct {
	const char *what, *body, *point;
} functions[] = {
    {"add", "y = add x, x", "[1,2,3]"},
    {"sub", "s = sin x; y = sub s, x", "[1,2,3]"},
    {"neg", "s = exp x; y = neg s", "[1,2,3]"},
    {"mul", "s = mul x, x; y = mul s, x", "[1,-2,3]"},
    {"div", "c = constant [2, 0.5, 3]; y = div c, x", "[1,-2,3]"},
    {"div of two", "s = sin x; y = div s, x", "[1,-2,3]"},
    {"power", "c = constant [2, 0.5, 3]; y = pow x, c", "[1.5,2,3]"},
    {"exponential", "c = constant [2, 0.5, 3]; y = pow c, x", "[1.5,2,-3]"},
    {"pow of two", "y = pow x, x", "[1.5,2,0.25]"},
    {"atan2", "s = exp x; y = atan2 x, s", "[1,-2,0.5]"},
    {"square", "y = square x", "[1,-2,0]"},
    {"sqrt", "y = sqrt x", "[1,2,0.25]"},
    {"rsqrt", "y = rsqrt x", "[1,2,0.25]"},
    {"exp", "y = exp x", "[1,-2,0]"},
    {"expm1", "y = expm1 x", "[1,-2,0]"},
    {"log", "y = log x", "[1,2,0.25]"},
    {"log1p", "y = log1p x", "[1,-0.5,0]"},
    {"sin", "y = sin x", "[1,-2,0]"},
    {"cos", "y = cos x", "[1,-2,0]"},
    {"tan", "y = tan x", "[1,-2,0]"},
    {"asin", "y = asin x", "[0.5,-0.25,0]"},
    {"acos", "y = acos x", "[0.5,-0.25,0]"},
    {"atan", "y = atan x", "[0.5,-2,0]"},
    {"sinh", "y = sinh x", "[0.5,-2,0]"},
    {"cosh", "y = cosh x", "[0.5,-2,0]"},
    {"tanh", "y = tanh x", "[0.5,-2,0]"},
    {"asinh", "y = asinh x", "[0.5,-2,0]"},
    {"acosh", "y = acosh x", "[1.5,2,4]"},
    {"atanh", "y = atanh x", "[0.5,-0.25,0]"},
    {"logistic", "y = logistic x", "[0.5,-2,0]"},
    {"erf", "y = erf x", "[0.5,-2,0]"},
    {"abs", "s = square x; t = sub s, x; y = abs t", "[0.5,-2,3]"},
    {"max", "s = square x; y = max x, s", "[0.5,-2,3]"},
    {"min", "s = square x; y = min x, s", "[0.5,-2,3]"},
    {"clamp", "s = square x; c = constant [2, 0.5, 3]; y = clamp x, s, c", "[0.5,-2,0.25]"},
    {"floor", "s = floor x; y = mul s, x", "[0.5,-2.5,3.5]"},
    {"reduce_sum", "s = exp x; y = reduce_sum s axes=[0]", "[1,2,3]"},
    {"reduce_mean", "s = exp x; y = reduce_mean s axes=[0]", "[1,2,3]"},
    {"reduce_prod", "y = reduce_prod x axes=[0]", "[1,2,3]"},
    {"reduce_prod at 0", "y = reduce_prod x axes=[0]", "[1,0,3]"},
    {"cumprod", "y = cumprod x axis=0", "[1,2,3]"},
    {"reduce_max", "s = exp x; y = reduce_max s axes=[0]", "[1,2,1.5]"},
    {"norm", "y = norm x axes=[0]", "[1,-2,3]"},
    {"logsumexp", "y = logsumexp x axes=[0]", "[1,-2,3]"},
    {"matmul", "s = sin x; y = matmul s, x", "[1,-2,3]"},
    {"matmul with itself", "y = matmul x, x", "[1,-2,3]"},
};

/* Weights and directions of each order: nothing special. */
static double coefficient(int order, int k) { return (double)((order * 5 + k * 3) % 7) / 4 - 0.625; }

/*
 * out = the outputs of n derivations of the case's program times the coefficients `weights`.  Bit k of modes:
 * derivation k is a vjp, with coefficients k as cotangents; else a jvp in the direction of coefficients k +
 * DIRECTION.
 */
static void functional(mpfr_t out, struct evaluation *ev, const struct testcase *c, const struct tensor *direction,
    int sign, int n, unsigned modes, int weights, struct arena *a)
{
	int input[WIDTH] = {0, 1, 2}, seed[WIDTH], output[WIDTH],
	    n_output = shape_elements(&c->program.type[c->program.top.result[0]].shape);
	evaluate(ev, &c->program, c->point[0], sign ? direction : NULL, sign, STEP, a);
	for (int k = 0; k < n_output; k++)
		output[k] = ev->result[0].at[k].scalar;
	for (int order = 0; order < n; order++) {
		bool vjp = modes >> order & 1;
		int below[WIDTH], kept[WIDTH], n_below = 0, n_seed = vjp ? n_output : WIDTH;
		for (int k = 0; k < n_output; k++)
			if (output[k] >= 0)
				kept[n_below] = k, below[n_below++] = output[k];
		struct stretch s = {
		    .n_input = WIDTH, .input = input, .n_result = n_below, .result = below, .limit = BIG};
		for (int k = 0; k < n_seed; k++)
			seed[k] = trace_leaf(ev, DTYPE_F64, coefficient(vjp ? order : order + DIRECTION, k));
		if (vjp) {
			int cotangent[WIDTH];
			for (int k = 0; k < n_below; k++)
				cotangent[k] = seed[kept[k]];
			CHECK(trace_adjoints(ev, &s, cotangent, output), "limit");
			n_output = WIDTH;
			continue;
		}
		int tangent[WIDTH];
		CHECK(trace_tangents(ev, &s, seed, tangent), "limit");
		for (int k = 0; k < n_output; k++)
			output[k] = -1;
		for (int k = 0; k < n_below; k++)
			output[kept[k]] = tangent[k];
	}
	mpfr_t term;
	mpfr_init2(term, BITS);
	mpfr_set_zero(out, 1);
	for (int k = 0; k < n_output; k++) {
		if (output[k] < 0)
			continue;
		mpfr_mul_d(term, ev->value[output[k]], coefficient(weights, k), MPFR_RNDN);
		mpfr_add(out, out, term, MPFR_RNDN);
	}
	mpfr_clear(term);
}

/* Order n against the difference quotient of order n - 1. */
static void test_rules(struct evaluation *ev, struct arena *a)
{
	mpfr_t got, high, low;
	mpfr_inits2(BITS, got, high, low, (mpfr_ptr)0);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		if (!row_wanted("rules: %s", functions[i].what))
			continue;
		struct testcase c = test_function(a, "x: f64[3]", functions[i].body, functions[i].point, "");
		for (int n = 1; n <= ORDERS; n++)
			for (unsigned modes = 0; modes < 1u << n; modes++) {
				struct tensor d = tensor_new(a, &c.program.type[0]);
				for (int k = 0; k < WIDTH; k++)
					d.at[k].f = coefficient(n - 1 + DIRECTION, k);
				/* The derivative of w . f along d is w . (jvp of f by d), and d . (vjp of f by w). */
				functional(
				    got, ev, &c, &d, 0, n, modes, modes >> (n - 1) & 1 ? n - 1 + DIRECTION : n - 1, a);
				functional(high, ev, &c, &d, 1, n - 1, modes, n - 1, a);
				functional(low, ev, &c, &d, -1, n - 1, modes, n - 1, a);
				mpfr_sub(high, high, low, MPFR_RNDN);
				mpfr_mul_2si(high, high, -STEP - 1, MPFR_RNDN);
				double want = mpfr_get_d(high, MPFR_RNDN), is = mpfr_get_d(got, MPFR_RNDN);
				CHECK(fabs(want - is) <= 1e-14 * fmax(fabs(want), 1e-3),
				    "%s order %d modes %x: %.17g, quotient %.17g", functions[i].what, n, modes, is,
				    want);
			}
	}
	mpfr_clears(got, high, low, (mpfr_ptr)0);
}

/* f(p) = p * x with x captured and p = x: the derivative of f is x, and 2x only of x -> f(x). */
static void test_captured(struct evaluation *ev, struct arena *a)
{
	struct testcase c = test_function(a, "x: f64[3]", "y = neg x", "[1,2,3]", "");
	evaluate(ev, &c.program, c.point[0], NULL, 0, 0, a);
	int x = 1, first = ev->n_scalar, p = trace_parameter(ev, x), one = trace_leaf(ev, DTYPE_F64, 1), out, outer,
	    top[1] = {0};
	int f = trace_scalar(ev, OP_MUL, OP_MUL, DTYPE_F64, (const int[2]){p, x}, 2);
	struct stretch inner = {.first = first, .n_input = 1, .input = &p, .n_result = 1, .result = &f, .limit = BIG};
	CHECK(trace_adjoints(ev, &inner, &one, &out), "limit");
	CHECK(mpfr_cmp_si(ev->value[out], 2) == 0, "inner vjp %g", mpfr_get_d(ev->value[out], MPFR_RNDN));
	CHECK(trace_tangents(ev, &inner, &one, &out), "limit");
	CHECK(mpfr_cmp_si(ev->value[out], 2) == 0, "inner jvp %g", mpfr_get_d(ev->value[out], MPFR_RNDN));
	/* The inner derivative depends on the captured value: the outer one sees it. */
	struct stretch whole = {.n_input = 1, .input = &x, .n_result = 1, .result = &out, .limit = BIG};
	CHECK(trace_tangents(ev, &whole, &one, &outer), "limit");
	CHECK(outer >= 0 && mpfr_cmp_si(ev->value[outer], 1) == 0, "outer of inner");
	whole.result = &f;
	CHECK(trace_adjoints(ev, &whole, &one, &outer), "limit");
	CHECK(outer >= 0 && mpfr_cmp_si(ev->value[outer], 4) == 0, "outer of f");
	whole.input = top;
	CHECK(trace_adjoints(ev, &whole, &one, &outer), "limit");
	CHECK(outer == -1, "x[0] is not in x[1]^2");
}

/* Nothing is made of what is absent, and a limit ends a derivation. */
static void test_absent(struct evaluation *ev, struct arena *a)
{
	struct testcase c = test_function(
	    a, "x: f64[3]", "s = floor x; t = stop_gradient x; y = mul s, t", "[1.5,2.5,3]", "");
	evaluate(ev, &c.program, c.point[0], NULL, 0, 0, a);
	int input[WIDTH] = {0, 1, 2}, seed[WIDTH], out[WIDTH], result[WIDTH], n;
	for (int k = 0; k < WIDTH; k++) {
		seed[k] = trace_leaf(ev, DTYPE_F64, 1);
		result[k] = ev->result[0].at[k].scalar;
	}
	n = ev->n_scalar;
	struct stretch s = {.n_input = WIDTH, .input = input, .n_result = WIDTH, .result = result, .limit = BIG};
	CHECK(
	    trace_tangents(ev, &s, seed, out) && out[0] == -1 && out[1] == -1 && out[2] == -1, "tangent of a constant");
	CHECK(ev->n_scalar == n, "%d scalars for nothing", ev->n_scalar - n);
	/* The cotangents of floor and stop_gradient are made (they cost one product each) and lead nowhere. */
	CHECK(trace_adjoints(ev, &s, seed, out) && out[0] == -1 && out[1] == -1 && out[2] == -1,
	    "cotangent of a constant");
	c = test_function(a, "x: f64[3]", "y = exp x", "[1.5,2.5,3]", "");
	evaluate(ev, &c.program, c.point[0], NULL, 0, 0, a);
	for (int k = 0; k < WIDTH; k++) {
		result[k] = ev->result[0].at[k].scalar;
		seed[k] = trace_leaf(ev, DTYPE_F64, 1);
	}
	s.limit = ev->n_scalar + 1;
	CHECK(!trace_tangents(ev, &s, seed, out), "limit of tangents");
	s.limit = ev->n_scalar + 1;
	CHECK(!trace_adjoints(ev, &s, seed, out), "limit of adjoints");
}

int main(int argc, char **argv)
{
	struct arena a;
	struct evaluation ev;
	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	mp_setup();
	evaluation_open(&ev, &oracle_rules_right);
	ev.precision = BITS;
	test_rules(&ev, &a);
	CHECK_LAW(test_captured(&ev, &a));
	CHECK_LAW(test_absent(&ev, &a));
	evaluation_close(&ev);
	arena_free(&a);
	elementary_free_cache();
	return check_done();
}

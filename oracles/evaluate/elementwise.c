/* elementwise.c: elementwise ops, comparisons, casts, select and clamp on scalars of the trace. */
#include "internal.h"
#include "graph/heap.h"
#include "reuse.h"
#include "scalar_ops.h"
#include "double_of.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define R MPFR_RNDN

/* ---- integers and bool: exact, the meanings of ops.def ---- */

static int width(enum dtype d) { return dtype_table[d].bits; }

static int64_t wrapping_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t wrapping_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

static int64_t minimum_of(enum dtype d) { return d == DTYPE_I32 ? INT32_MIN : INT64_MIN; }

/* The quotient rounds toward zero: less 1 where that is above it. */
static int64_t floor_quotient(enum dtype d, int64_t a, int64_t b)
{
	if (b == 0)
		return -1;
	if (b == -1)
		return a == minimum_of(d) ? a : -a;
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t integer_unary(enum op op, int64_t a)
{
	switch ((int)op) {
	case OP_NEG:
		return (int64_t)(0 - (uint64_t)a);
	case OP_ABS:
		return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
	case OP_SIGN:
		return (a > 0) - (a < 0);
	case OP_LOGICAL_NOT:
		return !a;
	case OP_BITWISE_INVERT:
		return ~a;
	default:
		return a; /* copy, stop_gradient */
	}
}

static int64_t integer_binary(enum op op, enum dtype d, int64_t a, int64_t b)
{
	switch ((int)op) {
	case OP_ADD:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case OP_SUB:
		return wrapping_sub(a, b);
	case OP_MUL:
		return wrapping_mul(a, b);
	case OP_DIV:
		return b == 0 ? -1 : a == minimum_of(d) && b == -1 ? a : a / b;
	case OP_REMAINDER:
		return b == 0 ? a : b == -1 ? 0 : a % b;
	case OP_FLOOR_DIVIDE:
		return floor_quotient(d, a, b);
	case OP_MOD: /* of b = 0: a */
		return b == 0 || b == -1 ? (b ? 0 : a) : wrapping_sub(a, wrapping_mul(b, floor_quotient(d, a, b)));
	case OP_MAX:
		return a > b ? a : b;
	case OP_MIN:
		return a < b ? a : b;
	case OP_LOGICAL_AND:
	case OP_BITWISE_AND:
		return a & b;
	case OP_LOGICAL_OR:
	case OP_BITWISE_OR:
		return a | b;
	case OP_LOGICAL_XOR:
	case OP_BITWISE_XOR:
		return a ^ b;
	case OP_SHIFT_LEFT:
		return b < 0 || b >= width(d) ? 0 : (int64_t)((uint64_t)a << b);
	case OP_SHIFT_RIGHT:
		return b < 0 || b >= width(d) ? -(a < 0) : a >> b;
	default:
		abort();
	}
}

static bool ordered(enum op op, int order)
{
	switch ((int)op) {
	case OP_EQ:
		return order == 0;
	case OP_NE:
		return order != 0;
	case OP_LT:
		return order < 0;
	case OP_LE:
		return order <= 0;
	case OP_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

/* ---- floats ---- */

/* A leaf with the value of scalar a. It is the same in every shifted evaluation: each dynamic instance is frozen at
 * the point. */
static int stop_gradient(struct evaluation *ev, enum dtype d, int a)
{
	int k = trace_scalar(ev, OP_STOP_GRADIENT, OP_STOP_GRADIENT, d, &a, 1);
	if (ev->freeze) {
		if (ev->next_frozen < ev->n_frozen)
			mpfr_set(ev->value[k], ev->frozen[ev->next_frozen], R);
		reuse_changed(ev, k);
		ev->next_frozen++;
		return k;
	}
	if (ev->n_frozen == ev->frozen_room) {
		ev->frozen_room = ev->frozen_room ? 2 * ev->frozen_room : 16;
		ev->frozen = heap_resize(ev->frozen, (size_t)ev->frozen_room, sizeof *ev->frozen);
	}
	if (ev->n_frozen == ev->frozen_ready)
		mpfr_init2(ev->frozen[ev->frozen_ready++], ev->precision);
	else if (mpfr_get_prec(ev->frozen[ev->n_frozen]) != ev->precision)
		mpfr_set_prec(ev->frozen[ev->n_frozen], ev->precision);
	mpfr_set(ev->frozen[ev->n_frozen++], ev->value[k], R);
	return k;
}

/* An integer as events, exact to its last bit: the double next to 2^220 is 2^168 away, and a step may be shorter. A 0
 * ends them. */
static void integer_event(struct evaluation *ev, mpfr_srcptr x)
{
	long exponent = 0;
	const double head = mpfr_number_p(x) ? mpfr_get_d_2exp(&exponent, x, R) : double_of(x);
	mpfr_t rest;
	trace_event(ev, (int64_t)bits_of(head));
	trace_event(ev, exponent);
	if (mpfr_min_prec(x) <= DBL_MANT_DIG) { /* nothing is left */
		trace_event(ev, 0);
		return;
	}
	mpfr_init2(rest, mpfr_get_prec(x));
	mpfr_set_d(rest, head, R);
	mpfr_mul_2si(rest, rest, exponent, R);
	mpfr_sub(rest, x, rest, R);
	integer_event(ev, rest);
	mpfr_clear(rest);
}

/* Notes the decision of a float op on its operand as an event: the sign, or the integer to which it steps. */
static void unary_event(struct evaluation *ev, enum op op, int a, int result)
{
	switch ((int)op) {
	case OP_ABS:
	case OP_SIGN:
		trace_event(ev, mpfr_sgn(ev->value[a]));
		trace_edge(ev, mpfr_zero_p(ev->value[a]), a, -1);
		break;
	case OP_FLOOR:
	case OP_CEIL:
	case OP_TRUNC:
	case OP_ROUND: {
		integer_event(ev, ev->value[result]);
		mpfr_t twice; /* floor, ceil and trunc jump at integers, round at half-integers: either is an edge */
		mpfr_init2(twice, mpfr_get_prec(ev->value[a]));
		mpfr_mul_2ui(twice, ev->value[a], 1, R);
		trace_edge(ev, mpfr_integer_p(twice), a, -1);
		mpfr_clear(twice);
		break;
	}
	default:
		break;
	}
}

/*
 * Whether the sign of a counts as a decision at the point (b, a) of atan2, whose cut is at b < 0, a = 0. It must not
 * count near the axis b > 0. The border between the two must not run through likely points, such as those with b = 0;
 * hence the golden ratio.
 */
static bool beside_cut(const struct evaluation *ev, int a, int b)
{
	static const double golden = 1.6180339887498949;
	return !(double_of(ev->value[b]) > golden * fabs(double_of(ev->value[a])));
}

/* mod and floor_divide step to floor(a/b), and jump where a/b is an integer. */
static void quotient_event(struct evaluation *ev, int a, int b)
{
	mpfr_srcptr x[] = {ev->value[a], ev->value[b]};
	mpfr_t t;
	mpfr_init2(t, ev->precision);
	scalar_value(OP_FLOOR_DIVIDE, t, x, 2);
	integer_event(ev, t);
	scalar_value(OP_MOD, t, x, 2);
	trace_edge(ev, mpfr_zero_p(t), a, b);
	mpfr_clear(t);
}

bool trace_is_still(const struct evaluation *ev, int k)
{
	return ev->scalar[k].op == OP_CONSTANT && ev->scalar[k].part == TRACE_PROGRAM &&
	    (k >= ev->n_input_scalar || ev->still[k]);
}

/* Whether a^b is a polynomial: b is an integer of at least 2 that nothing moves. */
static bool is_polynomial(const struct evaluation *ev, int b)
{
	return trace_is_still(ev, b) && mpfr_integer_p(ev->value[b]) && mpfr_cmp_ui(ev->value[b], 2) >= 0;
}

/* atan2 jumps across the cut; pow changes its formula at a = 0, where it is no polynomial. */
static void binary_event(struct evaluation *ev, enum op op, int a, int b)
{
	if (op == OP_MOD || op == OP_FLOOR_DIVIDE)
		quotient_event(ev, a, b);
	if (op == OP_ATAN2) {
		const bool beside = beside_cut(ev, a, b);
		trace_event(ev, beside ? mpfr_signbit(ev->value[a]) != 0 : -1);
		trace_edge(ev, beside && mpfr_zero_p(ev->value[a]), a, b);
	} else if (op == OP_POW) {
		if (!is_polynomial(ev, b))
			trace_event(ev, mpfr_sgn(ev->value[a]));
		trace_edge(ev, mpfr_zero_p(ev->value[a]), a, b);
	}
}

static int float_unary(struct evaluation *ev, enum op op, enum dtype d, int a)
{
	if (op == OP_COPY)
		return a;
	if (op == OP_STOP_GRADIENT)
		return stop_gradient(ev, d, a);
	int k = trace_scalar(ev, op, op, d, &a, 1);
	unary_event(ev, op, a, k);
	return k;
}

static int float_binary(struct evaluation *ev, enum op op, enum dtype d, int a, int b)
{
	if (op == OP_MAX || op == OP_MIN)
		return trace_extremum(ev, op, d, op == OP_MAX ? 1 : -1, a, b);
	const int parent[2] = {a, b};
	binary_event(ev, op, a, b);
	return trace_scalar(ev, op, op, d, parent, 2);
}

/* ---- casts ---- */

static int64_t saturate(mpfr_srcptr x, enum dtype to)
{
	if (mpfr_nan_p(x))
		return 0;
	if (to == DTYPE_I32) {
		if (mpfr_cmp_si(x, INT32_MAX) >= 0)
			return INT32_MAX;
		if (mpfr_cmp_si(x, INT32_MIN) <= 0)
			return INT32_MIN;
	}
	return mpfr_get_si(x, MPFR_RNDZ); /* saturates at 64 bits */
}

static void cast_from_float(struct evaluation_run *r, enum dtype to, struct elements *out, int n, int k, int a)
{
	struct evaluation *ev = r->ev;
	mpfr_srcptr x = ev->value[a];
	if (dtype_is_float(to)) {
		out->at[k].scalar = trace_scalar(ev, OP_CAST, OP_CAST, to, &a, 1);
		return;
	}
	if (to == DTYPE_BOOL) {
		out->at[k].i = mpfr_nan_p(x) || !mpfr_zero_p(x);
		trace_edge(ev, mpfr_zero_p(x), a, -1);
		if (!trace_separated(ev, a, -1, 0))
			element_set_shaky(r, out, n, k);
	} else {
		int64_t i = saturate(x, to);
		out->at[k].i = i;
		trace_edge(ev, mpfr_integer_p(x), a, -1);
		/* Truncation steps at i and i + 1 (i - 1 below zero); around 0 at -1 and 1. */
		double low = i <= 0 ? (double)i - 1 : (double)i, high = i >= 0 ? (double)i + 1 : (double)i;
		if (!trace_separated(ev, a, -1, low) || !trace_separated(ev, a, -1, high))
			element_set_shaky(r, out, n, k);
	}
	trace_event(ev, out->at[k].i);
}

static void cast_element(struct evaluation_run *r, enum dtype from, enum dtype to, const struct elements *x, int j,
    struct elements *out, int n, int k)
{
	if (dtype_is_float(from)) {
		cast_from_float(r, to, out, n, k, x->at[j].scalar);
		return;
	}
	int64_t i = x->at[j].i;
	if (dtype_is_float(to)) {
		int leaf = trace_leaf_integer(r->ev, to, i);
		r->ev->scalar[leaf].moves = true; /* the integer may count what moves */
		trace_event(r->ev, i);
		out->at[k].scalar = element_shaky(x, j) ? trace_uncertain(r->ev, to, &leaf, 1, -1) : leaf;
		return;
	}
	out->at[k].i = dtype_wrap(to, i);
	if (element_shaky(x, j))
		element_set_shaky(r, out, n, k);
}

/* ---- the families ---- */

static void compare_element(struct evaluation_run *r, const struct node *node, bool is_float, union element a,
    union element b, struct elements *out, int n, int k)
{
	struct evaluation *ev = r->ev;
	if (!is_float) {
		out->at[k].i = ordered(node->op, (a.i > b.i) - (a.i < b.i));
		return;
	}
	mpfr_srcptr x = ev->value[a.scalar], y = ev->value[b.scalar];
	if (mpfr_unordered_p(x, y)) {
		out->at[k].i = node->op == OP_NE;
	} else {
		int order = mpfr_cmp(x, y);
		trace_edge(ev, order == 0 && a.scalar != b.scalar, a.scalar, b.scalar);
		out->at[k].i = ordered(node->op, order);
	}
	if (!trace_separated(ev, a.scalar, b.scalar, 0))
		element_set_shaky(r, out, n, k);
}

static void select_element(struct evaluation_run *r, enum dtype d, const struct elements *const x[], const int j[],
    struct elements *out, int n, int k)
{
	struct evaluation *ev = r->ev;
	bool first = x[0]->at[j[0]].i != 0, shaky = element_shaky(x[0], j[0]);
	int taken = first ? 1 : 2, other = first ? 2 : 1;
	trace_event(ev, first);
	element_copy(r, out, n, k, x[taken], j[taken]);
	if (!shaky) {
		if (dtype_is_float(d))
			trace_masked(ev, x[other]->at[j[other]].scalar, out->at[k].scalar);
		return;
	}
	if (dtype_is_float(d)) {
		const int either[2] = {out->at[k].scalar, x[other]->at[j[other]].scalar};
		out->at[k].scalar = trace_either(ev, d, either[0], either[1]);
	} else if (x[taken]->at[j[taken]].i != x[other]->at[j[other]].i || element_shaky(x[other], j[other])) {
		element_set_shaky(r, out, n, k);
	}
}

static void clamp_element(struct evaluation_run *r, enum dtype d, const union element e[3], struct elements *out, int k)
{
	if (dtype_is_float(d)) {
		int at_least = trace_extremum(r->ev, OP_CLAMP, d, 1, e[0].scalar, e[1].scalar);
		out->at[k].scalar = trace_extremum(r->ev, OP_CLAMP, d, -1, at_least, e[2].scalar);
		return;
	}
	int64_t at_least = e[0].i > e[1].i ? e[0].i : e[1].i;
	out->at[k].i = at_least < e[2].i ? at_least : e[2].i;
}

static void one_element(struct evaluation_run *r, const struct node *node, const struct elements *const x[],
    const int j[], struct elements *out, int n, int k)
{
	enum dtype in = r->p->type[node->arg[0]].dtype, result = r->p->type[node->out].dtype;
	bool is_float = dtype_is_float(in);
	union element e[3];
	for (int i = 0; i < node->n_arg; i++)
		e[i] = x[i]->at[j[i]];
	switch ((int)op_table[node->op].family) {
	case FAMILY_UNARY:
		if (is_float)
			out->at[k].scalar = float_unary(r->ev, node->op, in, e[0].scalar);
		else
			out->at[k].i = dtype_wrap(in, integer_unary(node->op, e[0].i));
		break;
	case FAMILY_BINARY:
		if (is_float)
			out->at[k].scalar = float_binary(r->ev, node->op, in, e[0].scalar, e[1].scalar);
		else
			out->at[k].i = dtype_wrap(in, integer_binary(node->op, in, e[0].i, e[1].i));
		break;
	case FAMILY_COMPARE:
		compare_element(r, node, is_float, e[0], e[1], out, n, k);
		break;
	case FAMILY_CLAMP:
		clamp_element(r, in, e, out, k);
		break;
	case FAMILY_SELECT:
		select_element(r, result, x, j, out, n, k);
		return; /* its shakiness does not come from all operands */
	case FAMILY_CAST:
		cast_element(r, in, result, x[0], j[0], out, n, k);
		return;
	default:
		abort();
	}
	if (!dtype_is_float(result))
		for (int i = 0; i < node->n_arg; i++)
			if (element_shaky(x[i], j[i]))
				element_set_shaky(r, out, n, k);
}

void evaluate_elementwise(struct evaluation_run *r, const struct node *node)
{
	const struct type *type = &r->p->type[node->out];
	int n = shape_elements(&type->shape);
	struct elements out = elements_new(r, n, false);
	const struct elements *x[3];
	int count[3];
	for (int i = 0; i < node->n_arg; i++) {
		x[i] = &r->env[node->arg[i]];
		count[i] = shape_elements(&r->p->type[node->arg[i]].shape);
	}
	for (int k = 0; k < n; k++) {
		int j[3];
		for (int i = 0; i < node->n_arg; i++)
			if (count[i] == n) /* its extents differ from those of the result by those of 1 at most */
				j[i] = k;
			else
				j[i] = count[i] == 1
				    ? 0
				    : shape_broadcast_offset(&r->p->type[node->arg[i]].shape, &type->shape, k);
		one_element(r, node, x, j, &out, n, k);
	}
	r->env[node->out] = out;
}

/* partial.c: partial derivatives in MPFR, with radii. */
#include "internal.h"
#include "oracles/evaluate/scalar_ops.h"
#include "oracles/evaluate/trace_derive.h"
#include "partial_edge.h"
#include "range.h"
#include "rounding.h"
#include "rules.h"

#define R MPFR_RNDN

void ball_share(const struct evaluation *ev, const struct note *note, int k, struct shared *shared)
{
	const struct scalar *s = &ev->scalar[k];
	if (shared->k == k)
		return;
	*shared = (struct shared){.k = k, .first = -1, .last = -1};
	for (int i = 0; i < s->n_parent; i++) {
		int parent = ev->parent[s->parent + i];
		shared->widest = fmax(shared->widest, note[parent].radius);
		if (!note[parent].certain)
			shared->top = fmax(shared->top, note[parent].magnitude);
		shared->spread = hypot(shared->spread, note[parent].radius);
		if (!mpfr_equal_p(ev->value[parent], ev->value[k]))
			continue;
		shared->first = shared->first < 0 ? i : shared->first;
		shared->last = i;
		shared->winners++;
	}
}

/* A partial that is a value of the program and is read as it is: no formula, no rounding. */
static void partial_operand(const struct partial_edge *s, int other, struct partial *out)
{
	mpfr_set(out->value, parent_value(s, other), R);
	set_radii(s, out, parent_note(s, other)->radius, 0, 0);
}

static void partial_constant(const struct partial_edge *s, struct partial *out, long sign)
{
	mpfr_set_si(out->value, sign, R);
	set_radii(s, out, 0, 0, 0);
}

/* 1/times */
static void partial_share(const struct partial_edge *s, struct partial *out, int times)
{
	mpfr_set_ui(out->value, 1, R);
	mpfr_div_si(out->value, out->value, times, R);
	set_radii(s, out, 0, (times & (times - 1)) == 0 ? 0 : 1.0 / times, 0);
}

/*
 * The winner takes all: 1 for the extremum's parent, 0 for the others. A parent that occurs n times wins as a whole.
 * It is counted as n shares, because an engine may give it n shares and add them up again.
 */
static bool partial_extremum(const struct partial_edge *s, struct partial *out)
{
	if (!mpfr_equal_p(parent_value(s, s->j), s->ev->value[s->k])) {
		partial_constant(s, out, 0);
		return false;
	}
	partial_share(s, out, shared_of(s)->winners); /* without a tie, all winners are one scalar or alike */
	return true;
}

/*
 * A choice between unequal values that rounding could change. Whatever an engine chooses or shares out, the partial
 * lies between -1 and 1 for abs, and between 0 and 1 for an extremum. False at an exact tie or at 0, and for other
 * ops.
 */
static bool partial_either(const struct partial_edge *s, struct partial *out)
{
	const struct evaluation *ev = s->ev;
	int best = s->parent[0], parent = s->parent[s->j];
	switch ((int)ev->scalar[s->k].op) {
	case OP_ABS:
		if (mpfr_zero_p(ev->value[parent]))
			return false;
		out->tight = out->loose = 2;
		return true;
	case OP_MAX:
	case OP_MIN:
	case OP_REDUCE_MAX:
	case OP_REDUCE_MIN:
		break;
	default:
		return false;
	}
	for (int i = 0; i < ev->scalar[s->k].n_parent; i++)
		if (mpfr_equal_p(ev->value[s->parent[i]], ev->value[s->k]))
			best = s->parent[i];
	for (int i = 0; i < ev->scalar[s->k].n_parent; i++)
		if (s->parent[i] != best && mpfr_equal_p(ev->value[s->parent[i]], ev->value[s->k]))
			return false;
	if (parent != best && ball_separated(ev, s->note, parent, best, 0))
		return true;
	out->tight = out->loose = 1;
	return true;
}

/* The partial by parent j of an op that sums or converts: 1 or -1. 0: it is another op. */
static int sign_of_term(enum op op, int j)
{
	switch ((int)op) {
	case OP_ADD:
	case OP_REDUCE_SUM:
	case OP_CAST:
		return 1;
	case OP_NEG:
		return -1;
	case OP_SUB:
		return j ? -1 : 1;
	default:
		return 0;
	}
}

/* That partial, where every engine has it exactly. */
static bool partial_of_term(struct partial *out, int sign)
{
	mpfr_ptr value = out->value;

	mpfr_set_si(value, sign, R);
	*out = (struct partial){.value = value, .magnitude = 1, .singular = out->singular};
	return true;
}

/* Unit roundoffs in a partial of a function, whose formulas call itself or others as accurate; 1: it is arithmetic. */
static double function_roundings(const struct scalar *c, const struct unary_rule *rule)
{
	switch ((int)c->op) {
	case OP_POW:
	case OP_LOGSUMEXP:
		return 4;
	case OP_NORM:
		return c->n_parent / 2.0 + 2.25;
	default:
		return rule ? rule->c : 1;
	}
}

/* The partial by itself: of what leaves the range, only the formulas of the partial count. */
static bool partial_here(
    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out)
{
	const struct scalar *c = &ev->scalar[k];
	const struct dtype_info *info = &ev->dtype[c->dtype];
	const int term = sign_of_term(c->op, j);
	if (term && !note[k].unsure && !ev->accuracy)
		return partial_of_term(out, term);
	const struct unary_rule *rule = unary_rule_of(c->op);
	double roundings = function_roundings(c, rule);
	double unit = info->unit * ball_worse(ev, k, roundings), absolute = ball_absolute(ev, k, roundings);
	const struct partial_edge s = {ev, note, k, j, ev->parent + c->parent, unit, info->tiny, shared};
	bool linear = trace_op_is_linear(c->op), connected = true;
	out->reason = REASON_NONE;
	out->cancels = out->strays = out->escapes = false;
	out->narrow = out->vanishes = false;
	out->leap = 0;
	switch ((int)c->op) {
	case OP_ADD:
	case OP_REDUCE_SUM:
	case OP_CAST:
	case OP_NEG:
	case OP_SUB:
		partial_constant(&s, out, term);
		break;
	case OP_ABS:
		partial_constant(&s, out, mpfr_sgn(parent_value(&s, 0)));
		break;
	case OP_MUL:
	case OP_CUMPROD:
		partial_operand(&s, 1 - j, out);
		break;
	case OP_MATMUL:
		partial_operand(&s, j ^ 1, out);
		break;
	case OP_REDUCE_MEAN:
		mpfr_set_ui(out->value, 1, R);
		mpfr_div_ui(out->value, out->value, (unsigned long)c->n_parent, R);
		set_radii(&s, out, 0, (c->n_parent & (c->n_parent - 1)) == 0 ? 0 : fabs(double_of(out->value)), 0);
		break;
	case OP_MAX:
	case OP_MIN:
	case OP_REDUCE_MAX:
	case OP_REDUCE_MIN:
		connected = partial_extremum(&s, out);
		break;
	case OP_DIV:
		partial_div(&s, out);
		break;
	case OP_MOD:
		partial_mod(&s, out);
		break;
	case OP_ATAN2:
		partial_atan2(&s, out);
		break;
	case OP_POW:
		partial_pow(&s, out);
		break;
	case OP_NORM:
		partial_norm(&s, out);
		break;
	case OP_LOGSUMEXP:
		partial_logsumexp(&s, out);
		break;
	case OP_SORT:
		partial_share(&s, out, c->n_parent);
		break; /* all are alike: otherwise it is unsure, and ties follow conventions */
	case OP_FIXED_POINT:
		partial_constant(&s, out, 1);
		break; /* the same value, computed in another way */
	case OP_SELECT:
		partial_constant(&s, out, 1);
		break; /* a choice that rounding could change: unknown, as its value */
	default:
		if (!rule) /* floor, sign, stop_gradient ...: locally constant */
			return false;
		partial_unary(&s, rule, out);
		break;
	}
	if (out->reason)
		return true;
	out->tight += absolute;
	partial_widen(out, absolute, absolute);
	if (!linear && note[k].reason)
		out->reason = note[k].reason;
	else if (note[k].unsure && partial_either(&s, out))
		connected |= out->tight > 0;
	else if (note[k].unsure)
		out->reason = note[k].unsure;
	else if (!mpfr_number_p(out->value) || !isfinite(out->tight))
		out->reason = REASON_NON_FINITE;
	else if (out->magnitude + out->tight > info->max)
		out->reason = REASON_OVERFLOW;
	out->tight = rounding_flushed(info, out->magnitude, out->tight);
	if (rounding_flushes(info))
		out->narrow = false;
	out->loose = rounding_flushed(info, out->magnitude, fmax(out->tight, out->loose));
	/* y of y b/a is no product: where it underflows, it may be off by more than its size */
	double lost = range_underflow(info, out->most, c->op == OP_POW ? INFINITY : out->magnitude + out->tight);
	partial_widen(out, lost, lost);
	if (out->most > info->max)
		range_stray(out, 0, 0, true);
	return out->reason || connected;
}

bool ball_partial(
    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out)
{
	bool connected = partial_here(ev, note, k, j, shared, out);
	if (note[k].danger && !trace_op_is_linear(ev->scalar[k].op) && !out->reason)
		range_finish_partial(ev, note, k, j, shared, partial_here, out);
	return connected;
}

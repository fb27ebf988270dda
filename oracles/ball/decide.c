/*
 * decide.c: what is known about ops whose value or partials follow from an order: comparisons, extrema, sorts and
 * steps.
 */
#include "internal.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>

#define R MPFR_RNDN

static double distance(const struct evaluation *ev, int a, int b)
{
	mpfr_t gap;
	mpfr_init2(gap, 53);
	mpfr_sub(gap, ev->value[a], ev->value[b], R);
	double d = fabs(double_of(gap));
	mpfr_clear(gap);
	return d;
}

bool ball_separated(const struct evaluation *ev, const struct note *note, int a, int b, double bound)
{
	if (note[a].danger ||
	    (b >= 0 && note[b].danger)) /* it leaves the range on the way, so a correct engine may have anything */
		return false;
	if (a == b) /* x == x tests whether x is a NaN */
		return !note[a].reason || note[a].certain;
	/* An infinity is beyond every number, and a NaN compares as a NaN. That does not hold where a number is
	 * rounded to an integer (b < 0). */
	if (b < 0 && note[a].certain)
		return !mpfr_nan_p(ev->value[a]);
	if (b >= 0 && (note[a].certain || note[b].certain))
		return (note[a].certain || !note[a].reason) && (note[b].certain || !note[b].reason);
	if (note[a].reason || (b >= 0 && note[b].reason))
		return false;
	double radius = note[a].radius + (b >= 0 ? note[b].radius : 0);
	if (radius == 0)
		return true;
	if (b >= 0)
		return distance(ev, a, b) > radius;
	mpfr_t gap;
	mpfr_init2(gap, 53);
	mpfr_sub_d(gap, ev->value[a], bound, R);
	double d = fabs(double_of(gap));
	mpfr_clear(gap);
	return d > radius;
}

/* ---- ops that decide ---- */

/*
 * Whether scalars a and b are the same computation with the same derivative. Behind a tie they need not be: max(x, y)
 * and max(y, x) are alike, and an engine that takes the first operand has the derivatives of x and of y.
 */
static bool interchangeable(const struct note *note, int a, int b)
{
	return note[a].alike == note[b].alike && !note[a].kinked && !note[b].kinked && !note[a].tie && !note[b].tie;
}

/* The largest or smallest of the parents. It is 1-Lipschitz in the largest radius, so the value is known even where
 * the choice is not. */
void ball_extremum(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	int best = 0, sign = s->op == OP_MAX || s->op == OP_REDUCE_MAX ? 1 : -1;
	bool active = false;
	for (int j = 0; j < s->n_parent; j++) {
		if (mpfr_cmp(ev->value[parent[j]], ev->value[parent[best]]) * sign > 0)
			best = j;
		if (note[parent[j]].radius > note[k].radius)
			note[k].radius = note[parent[j]].radius;
	}
	double winner = note[parent[best]].radius, widest = winner;
	for (int j = 0; j < s->n_parent; j++) {
		if (parent[j] == parent[best])
			continue;
		if (interchangeable(note, parent[j], parent[best])) {
			note[k].shared = true;
		} else if (!ball_separated(ev, note, parent[j], parent[best], 0)) {
			note[k].unsure = REASON_UNSTABLE_PATH;
			if (note[parent[j]].radius > widest)
				widest = note[parent[j]].radius;
		} else if (mpfr_equal_p(ev->value[parent[j]], ev->value[parent[best]])) {
			note[k].tie = true;
			active |= note[parent[j]].active || note[parent[best]].active;
		}
	}
	note[k].radius = widest;
	note[k].tie &= active;
}

/*
 * An element of a sort, among those it may change places with. Order statistics are 1-Lipschitz in the largest radius.
 * Exact and equal elements are a tie. Otherwise the partials depend on an order that is unknown.
 */
void ball_sorted(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	bool equal = true, alike = true;
	for (int j = 0; j < s->n_parent; j++) {
		alike &= parent[j] == parent[0] || interchangeable(note, parent[j], parent[0]);
		if (note[parent[j]].radius > note[k].radius)
			note[k].radius = note[parent[j]].radius;
		equal &= mpfr_equal_p(ev->value[parent[j]], ev->value[k]) != 0;
	}
	if (alike)
		note[k].shared = true;
	else if (equal && note[k].radius == 0)
		note[k].tie = note[k].active;
	else
		note[k].unsure = REASON_UNSTABLE_PATH;
}

/* The steps of floor, ceil, trunc, round and sign. The value is exact unless rounding can reach the next step. */
void ball_step(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	int a = ev->parent[s->parent];
	double v = double_of(ev->value[k]), x = double_of(ev->value[a]), low = v, high = v;
	switch ((int)s->op) {
	case OP_SIGN:
		low = high = 0;
		break;
	case OP_FLOOR:
		high = v + 1;
		break;
	case OP_CEIL:
		low = v - 1;
		break;
	case OP_TRUNC:
		low = v <= 0 ? v - 1 : v, high = v >= 0 ? v + 1 : v;
		break;
	default:
		low = v - 0.5, high = v + 0.5;
		break; /* round */
	}
	bool far = fabs(x) > 0x1p52; /* every value of the dtype is an integer there */
	if (!far && (!ball_separated(ev, note, a, -1, low) || !ball_separated(ev, note, a, -1, high)))
		note[k].reason = REASON_UNSTABLE_PATH;
	if (far && note[a].radius > 0) /* the exact x may be up to 1 away from the integer of a correct engine */
		note[k].radius = note[a].radius + 1;
}

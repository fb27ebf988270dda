/* quotient.c: radii of mod and floor_divide, whose integer floor(a/b) must be the same for every usual formula. */
#include "internal.h"
#include "oracles/evaluate/scalar_ops.h"
#include "range.h"
#include "rounding.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>

#define R MPFR_RNDN

/* TOLERANCE.md, Lemma 6a: two roundings of a quotient, and half a one to spare; m + b, rounded to b or 2b. */
#define QUOTIENT_ROUNDINGS 2.5
#define SUM_ROUNDINGS      2

/* Whether t = a/b, off by at most r, is farther from every integer than usual formulas err. */
static bool between_integers(const struct dtype_info *info, mpfr_srcptr t, double r)
{
	mpfr_t gap;
	mpfr_init2(gap, mpfr_get_prec(t));
	mpfr_rint(gap, t, R);
	bool below = mpfr_less_p(t, gap);
	mpfr_sub(gap, t, gap, R);
	mpfr_abs(gap, gap, R);
	double size = fabs(double_of(t)), margin = r + QUOTIENT_ROUNDINGS * info->unit * (size + r),
	       sum = SUM_ROUNDINGS * info->unit;
	bool clear = margin + sum < 0.5 && mpfr_cmp_d(gap, below ? margin + sum : margin) > 0;
	mpfr_clear(gap);
	return clear;
}

/* The error of rounding x, which is off by r before. `exact`: x is the number itself, not rounded in MPFR. */
static double rounding(const struct evaluation *ev, int k, mpfr_srcptr x, bool exact, double r)
{
	const struct scalar *s = &ev->scalar[k];
	bool flushes = rounding_flushes(&ev->dtype[s->dtype]);
	if (r == 0 && exact && (mpfr_zero_p(x) || (!flushes && ball_representable(x, s->dtype))))
		return 0;
	return ball_one_rounding(ev, k, 1, fabs(double_of(x)) + r);
}

/*
 * The radius of mod, whose integer is q for every formula: of a - b q, where the product and the difference round, and
 * of fmod(m + b, b). There m is the value itself if a has the sign of b, and the sum is the value if not.
 */
static void ball_mod(const struct evaluation *ev, struct note *note, int k, mpfr_srcptr q)
{
	const struct scalar *s = &ev->scalar[k];
	int ka = ev->parent[s->parent], kb = ev->parent[s->parent + 1];
	mpfr_srcptr a = ev->value[ka], b = ev->value[kb], v = ev->value[k];
	double moved = note[kb].radius > 0 ? fabs(double_of(q)) * note[kb].radius : 0, r = note[ka].radius + moved;
	bool scales = mpfr_zero_p(q) || (is_power_of_two(q) && !rounding_flushes(&ev->dtype[s->dtype]));
	struct note *n = &note[k];
	mpfr_t x;
	mpfr_init2(x, ev->precision);
	bool exact = !mpfr_mul(x, b, q, R);
	double product = scales ? 0 : rounding(ev, k, x, exact, moved), top = fabs(double_of(x)) + moved;
	double difference = product + (mpfr_zero_p(q) ? 0 : rounding(ev, k, v, s->exact, r + product)), sum = 0;
	if (mpfr_sgn(a) * mpfr_sgn(b) > 0) {
		exact = !mpfr_add(x, v, b, R) && s->exact;
		sum = rounding(ev, k, x, exact, r + note[kb].radius);
		top = fmax(top, fabs(double_of(x)) + r + note[kb].radius);
	}
	n->radius = r + fmax(difference, sum);
	if (top > ev->dtype[s->dtype].max) /* a - infinity, or fmod(infinity, b) */
		range_leave(n, 0, ESCAPE_INFINITY | ESCAPE_NAN);
	mpfr_clear(x);
}

void ball_floored(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &ev->dtype[s->dtype];
	int ka = ev->parent[s->parent], kb = ev->parent[s->parent + 1];
	mpfr_srcptr a = ev->value[ka], b = ev->value[kb];
	double ra = note[ka].radius, rb = note[kb].radius, size = note[kb].magnitude, clear = size - rb;
	struct note *n = &note[k];
	if (note[ka].certain || note[kb].certain) {
		n->reason = REASON_NON_FINITE;
		return;
	}
	if (rb > BALL_CLEAR * size) {
		n->reason = REASON_ILL_CONDITIONED;
		return;
	}
	mpfr_t t, q;
	mpfr_init2(t, ev->precision);
	mpfr_init2(q, ev->precision);
	scalar_value(OP_MOD, t, (mpfr_srcptr[]){a, b}, 2);
	scalar_value(OP_FLOOR_DIVIDE, q, (mpfr_srcptr[]){a, b}, 2);
	bool whole = mpfr_zero_p(t) && ra == 0 && rb == 0;
	mpfr_div(t, a, b, R);
	double quotient = fabs(double_of(t)), flushed = rounding_flushes(info) ? info->tiny / clear : 0;
	if (!whole && !between_integers(info, t, (ra + quotient * rb) / clear + flushed))
		n->reason = REASON_UNSTABLE_PATH;
	if (!n->reason && s->op == OP_MOD) {
		if (quotient > info->max)
			range_leave(n, 0, ESCAPE_INFINITY | ESCAPE_NAN);
		ball_mod(ev, note, k, q);
	}
	mpfr_clear(t);
	mpfr_clear(q);
}

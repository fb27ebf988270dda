/* partial_formulas.c: partials that formulas compute, of ops of one operand, quotients, powers and reductions. */
#include "internal.h"
#include "oracles/evaluate/elementary.h"
#include "oracles/evaluate/scalar_ops.h"
#include "partial_edge.h"
#include "range.h"
#include "rounding.h"
#include "rules.h"

#define R MPFR_RNDN

/* The error of a formula at the worse end of the operand's interval. */
static double at_worst(double (*lost)(double a, double y, double p), const struct span *at, double y, double p)
{
	return fmax(lost(at->low, y, p), lost(at->high, y, p));
}

/* Whether the denominator of a formula may be flushed to 0, such as a sqrt(a) or cos^2 a. The partial is up to
 * twice its inverse. */
static bool divides_by_zero(const struct dtype_info *info, double p)
{
	return rounding_flushes(info) && p * info->tiny > 0.5;
}

/*
 * Whether all steps of every formula of the partial are exact. That holds at an exact 0: e^0, cos 0, 1 - 0, 1/(1 + 0),
 * 1/2 (1 - 1/2) and the like, but not for erf, which has a constant. It also holds for 1/a of a power of two.
 */
static bool partial_exact(const struct partial_edge *s)
{
	enum op op = s->ev->scalar[s->k].op;
	mpfr_srcptr a = parent_value(s, 0);
	return op == OP_LOG ? is_power_of_two(a) : mpfr_zero_p(a) && op != OP_ERF;
}

/* Sets most for a unary op: 1/y of 1/2 / y, e^a of (e^a + e^-a)/2, y/a of 1/2 y/a. If f itself has a formula with a
 * large intermediate value, that counts too: y^2 e^-a of 1/(1 + e^-a). */
static void set_unary_most(struct partial *out, const struct unary_rule *rule, double a, double y)
{
	set_most(out, 2 * out->most, rule->detour(a, y) > 1 ? 2 / out->magnitude : 0, 0);
}

/*
 * Where an intermediate value of the formulas is out of range, they divide by an infinity: the partial is 0. Those of
 * tanh and logistic by exponentials may divide infinity by infinity.
 */
static void stray_unary(const struct partial_edge *s, struct partial *out, double inner, double p)
{
	const struct scalar *k = &s->ev->scalar[s->k];
	const struct dtype_info *info = &s->ev->dtype[k->dtype];
	if (inner > info->max && k->op == OP_TAN)
		range_stray(out, p, p, true);
	else if (inner > info->max)
		range_vanish(out, p, 0, k->op == OP_TANH || k->op == OP_LOGISTIC);
	if (divides_by_zero(info, p))
		range_stray(out, p, p, true);
}

/*
 * The error, in units of u, of the formulas that do not subtract from 1 a number near 1. The rows of analytic_rules.def
 * allow for 1 - y^2, y (1 - y) and y + 1 as well. -1: there is no such formula here.
 */
static double lost_elsewhere(enum op op, double y, double p)
{
	switch ((int)op) {
	case OP_TANH:
		return fabs(y) > 0.5 ? 22 * p : -1;
	case OP_LOGISTIC:
		return y > 0.5 ? 26 * p : -1;
	case OP_EXPM1:
		return y < -0.5 ? 4 * p : -1;
	default:
		return -1;
	}
}

/*
 * Numbers near 1 are multiples of u, and so is their distance from 1. Such a formula gives 0 or at least u/2, or, in an
 * engine that keeps more digits, what its smaller u allows. p: the largest magnitude that the partial may have.
 * TOLERANCE.md, "One side, and leaps".
 */
static void set_leap(const struct partial_edge *s, struct partial *out, double moved, double y, double p)
{
	const enum dtype d = s->ev->scalar[s->k].dtype;
	double lost = lost_elsewhere(s->ev->scalar[s->k].op, y, p), u = s->ev->dtype[d].unit,
	       more = d == DTYPE_F32 ? 22 * dtype_table[DTYPE_F64].unit : 0,
	       small = moved + lost * s->u + 2 * s->tiny + more;
	out->vanishes |= lost >= 0 && p <= u / 2;
	if ((d != DTYPE_F64 && d != DTYPE_F32) || lost < 0 || small + 2 * p > u / 8)
		return;
	out->narrow = true;
	out->down = small + p;
	out->up = small;
	out->leap = u / 2 - p;
}

void partial_unary(const struct partial_edge *s, const struct unary_rule *rule, struct partial *out)
{
	const struct note *in = parent_note(s, 0), *n = &s->note[s->k];
	double a = double_of(parent_value(s, 0)), y = double_of(s->ev->value[s->k]);
	rule->partial(out->value, parent_value(s, 0), s->ev->value[s->k]);
	out->magnitude = fabs(double_of(out->value));
	if (in->radius == 0 && partial_exact(s)) {
		set_radii(s, out, 0, 0, 0);
		return;
	}
	if (in->radius == 0) {
		set_radii(s, out, 0, rule->tight(a, y, out->magnitude), rule->loose(a, y, out->magnitude));
		set_unary_most(out, rule, a, y);
		set_leap(s, out, 0, y, out->magnitude);
		stray_unary(s, out, rule->inner(a, y), out->magnitude);
		return;
	}
	/* By the mean value theorem, f' moves by at most r times the largest |f''| in between. */
	struct span at = span_of(a, y, in->radius);
	double moved = rule->bent(&at), p = out->magnitude + moved, top = y < 0 ? y - n->radius : y + n->radius;
	set_radii(s, out, moved, at_worst(rule->tight, &at, top, p), at_worst(rule->loose, &at, top, p));
	set_unary_most(out, rule, a, y);
	set_leap(s, out, moved, top, p);
	stray_unary(s, out, fmax(rule->inner(at.low, top), rule->inner(at.high, top)), p);
}

void partial_div(const struct partial_edge *s, struct partial *out)
{
	double b = parent_note(s, 1)->magnitude, ra = parent_note(s, 0)->radius, rb = parent_note(s, 1)->radius;
	const struct dtype_info *info = &s->ev->dtype[s->ev->scalar[s->k].dtype];
	double v = s->note[s->k].magnitude, max = info->max, normal = info->normal, least = b - rb;
	double rounded = rb == 0 && is_power_of_two(parent_value(s, 1)) ? 0 : 1,
	       divisor = range_divisor(s->ev, s->note, s->k);
	double square = divisor * divisor;
	if (s->j == 0) {
		mpfr_ui_div(out->value, 1, parent_value(s, 1), R);
		set_radii(s, out, rb / b / least, rounded / least, 0);
		if (divisor != b && (square > max || square < normal)) /* both partials are lost together */
			range_stray(out, 2 / least, 2 / least, square < normal);
		return;
	}
	mpfr_div(out->value, s->ev->value[s->k], parent_value(s, 1), R);
	mpfr_neg(out->value, out->value, R);
	/* -y/b inherits the rounding of y, including its underflow; -a/b^2 squares b */
	double moved = (ra / least + v * (2 + rb / b) * (rb / least)) / least, p = (v + s->note[s->k].radius) / least;
	set_radii(s, out, moved + (v > 0 ? s->tiny / least : 0), rounded * 2.25 * p, rounded * 2.75 * p);
	set_most(out, parent_note(s, 0)->magnitude, v, fmax(1 / b, 1 / (b * b)));
	if (divisor != b) { /* -n d'/d^2, for the formula n/d */
		const double rate = 2 * divisor / b;
		set_most(out, v * divisor * rate, v / divisor, fmax(rate, 1 / square));
	}
	if (divisor != b &&
	    (square > max || square < normal)) /* of -n/d^2, twice as large, and 1/d, only one is lost */
		range_stray(out, 2 * p, 2 * p, square < normal);
	else if (square > max) /* a/infinity */
		range_vanish(out, p, 0, false);
	else if (square < normal) /* a/0, 0/0, or b^2 off by half of itself */
		range_stray(out, p, p, true);
}

/* Of mod: 1, and the integer -floor(a/b), which all formulas find (TOLERANCE.md, Lemma 6a). */
void partial_mod(const struct partial_edge *s, struct partial *out)
{
	mpfr_set_ui(out->value, 1, R);
	if (s->j == 1) {
		scalar_value(OP_FLOOR_DIVIDE, out->value, (mpfr_srcptr[]){parent_value(s, 0), parent_value(s, 1)}, 2);
		mpfr_neg(out->value, out->value, R);
	}
	set_radii(s, out, 0, 0, 0);
}

void partial_atan2(const struct partial_edge *s, struct partial *out)
{
	double a = parent_note(s, 0)->magnitude, b = parent_note(s, 1)->magnitude, h = hypot(a, b);
	double ra = parent_note(s, 0)->radius, rb = parent_note(s, 1)->radius;
	const struct dtype_info *info = &s->ev->dtype[s->ev->scalar[s->k].dtype];
	mpfr_t square;
	mpfr_init2(square, mpfr_get_prec(out->value));
	mpfr_sqr(square, parent_value(s, 0), R);
	mpfr_fma(square, parent_value(s, 1), parent_value(s, 1), square, R);
	mpfr_div(out->value, parent_value(s, 1 - s->j), square, R);
	if (s->j == 1)
		mpfr_neg(out->value, out->value, R);
	mpfr_clear(square);
	/* The partials are the parts of 1/z with z = b + ia, and 1/(z + d) - 1/z = -d/(z (z + d)). */
	double d = hypot(ra, rb), moved = d > 0 ? d / h / (h - d) : 0;
	double p = fabs(double_of(out->value)) + moved;
	/* b/(a^2 + b^2), if a square that underflows is negligible in the sum; b/h/h with a hypot of libm */
	double best = h * h >= 16 * info->normal ? 3.25 : 6;
	/* by halves of the angle, 2 atan(a/(h + b)): the partial by a is a difference of two terms of up to 1/h,
	 * the one by b a product */
	double halves = s->j == 0 ? 44 * (1 / h + moved) : 34 * p;
	set_radii(s, out, moved, best * p, halves - best * p);
	out->cancels = s->j == 0 && b == 0;
	set_most(out, fmax(2, h), 2 / h, 2 / (h * h));
	if (a > 0 && mpfr_sgn(parent_value(s, 1)) < 0) /* (h - b)/a^2, the slope of (h - b)/a */
		set_most(out, (h + b) / a / a, 0, 0);
	double term = s->j == 0 ? 1 / h + moved : p,
	       flushed = rounding_flushes(info) ? term * 2 * info->tiny / (h * h) : 0;
	partial_widen(out, flushed, flushed); /* of a^2 or b^2 */
	/* As for a quotient by h^2. By halves of the angle, one of two terms of up to 1/h is lost, or infinity is
	 * divided by infinity. */
	if (h * h > info->max)
		range_vanish(out, term, term, true);
	else if (h * h < (rounding_flushes(info) ? 4 * info->tiny : info->normal))
		range_stray(out, term, term, true);
}

/*
 * Powers at base 0. The partial by the base is 0 for b > 1 and b = 0, and 1 for b = 1. The partial by the exponent is
 * 0 if 0^b is 0 on both sides of b. At b = 0 it is a matter of convention, because 0^b jumps there.
 */
static void partial_pow_at_zero(const struct partial_edge *s, struct partial *out)
{
	double b = double_of(parent_value(s, 1)), rb = parent_note(s, 1)->radius;
	bool zero = parent_note(s, 0)->radius == 0;
	bool sure = zero && (b - rb > 1 || (rb == 0 && (b == 0 || b == 1)));
	mpfr_set_ui(out->value, s->j == 0 && b == 1, R);
	set_radii(s, out, 0, 0, 0);
	if (s->j == 1)
		out->reason = zero && b - rb > 0 ? REASON_NONE : REASON_CONVENTION;
	else
		out->reason = sure ? REASON_NONE : REASON_NON_FINITE;
}

void partial_pow(const struct partial_edge *s, struct partial *out)
{
	double a = parent_note(s, 0)->magnitude, b = parent_note(s, 1)->magnitude;
	double ra = parent_note(s, 0)->radius, rb = parent_note(s, 1)->radius, v = s->note[s->k].magnitude;
	if (a == 0) {
		partial_pow_at_zero(s, out);
		return;
	}
	double log_a = fabs(log(a)), base = ball_pow_base(a, ra), grown = ball_pow_exponent(a, b, ra, rb);
	if (s->j == 0) {
		mpfr_div(out->value, s->ev->value[s->k], parent_value(s, 0), R);
		mpfr_mul(out->value, out->value, parent_value(s, 1), R);
		double p = fabs(double_of(out->value));
		double moved = p * expm1(grown + base) + (rb > 0 ? v / a * rb * exp(grown + base) : 0);
		/* b - 1 is rounded, so the power moves by |log a| |b - 1| u */
		double direct = 6 + (log_a + base) * (b + rb + 1), best = fmin(6.25, direct); /* y b/a */
		set_radii(s, out, moved, (p + moved) * best, (p + moved) * (direct - best + 1));
		if (mpfr_sgn(parent_value(s, 0)) < 0 &&
		    b * s->u >= 1) /* b - 1 may round from odd to even, which gives the power of the other sign */
			partial_widen(out, 2 * (p + moved), 2 * (p + moved));
	} else {
		if (mpfr_sgn(parent_value(s, 0)) < 0) {
			mpfr_set_zero(out->value, 1);
			out->reason = REASON_NON_FINITE;
			return;
		}
		elementary_log(out->value, parent_value(s, 0), R);
		mpfr_mul(out->value, out->value, s->ev->value[s->k], R);
		double moved = v * (expm1(grown) * (log_a + base) + base);
		set_radii(s, out, moved, 9 * (v * log_a + moved), v * log_a + moved);
	}
	if (s->j == 0) { /* b a^(b - 1) and b a^b / a */
		set_most(out, fmax(v, v / a), fmax(b, v * b), fmax(1 / a, b / a));
	} else {
		set_most(out, v, log_a, 0);
	}
}

/* x_j / y */
void partial_norm(const struct partial_edge *s, struct partial *out)
{
	double y = s->note[s->k].magnitude, p, r = shared_of(s)->spread;
	int n = s->ev->scalar[s->k].n_parent;
	if (y == 0) {
		mpfr_set_zero(out->value, 1);
		out->reason = REASON_NON_FINITE;
		return;
	}
	mpfr_div(out->value, parent_value(s, s->j), s->ev->value[s->k], R);
	p = fabs(double_of(out->value));
	if (r > BALL_CLEAR * y)
		out->reason = REASON_ILL_CONDITIONED;
	/* y contains the error of squares that underflow */
	double moved = parent_note(s, s->j)->radius / (y - r) + p * (r / (y - r)) + p * (n * (s->tiny / y) / (2 * y));
	set_radii(s, out, moved, (p + moved) * (n / 2 + 2.25) * (1 + n * s->u),
	    (p + moved) * 5.75 * (1 + n * s->u)); /* 1/y contains higher orders of y's n/2 */
	set_most(out, parent_note(s, s->j)->magnitude, 1 / y, 0);
	/* y is infinite; or its squares underflow, so it is 0, or its square at least that over n + 1. That it may be
	 * larger is in `moved`. */
	if (s->note[s->k].leaves && s->note[s->k].escapes & ESCAPE_INFINITY)
		range_vanish(out, p + moved, 0, false);
	else if (s->note[s->k].leaves)
		range_stray(out, 0, (p + moved) * sqrt(1.0 + n), true);
}

/* e^(x_j - y) */
void partial_logsumexp(const struct partial_edge *s, struct partial *out)
{
	int n = s->ev->scalar[s->k].n_parent;
	double widest = shared_of(s)->widest, top = shared_of(s)->top, p;
	if (parent_note(s, s->j)->certain) { /* e^-inf */
		mpfr_set_zero(out->value, 1);
		set_radii(s, out, 0, 0, 0);
		return;
	}
	mpfr_sub(out->value, parent_value(s, s->j), s->ev->value[s->k], R);
	double exponent = fabs(double_of(out->value));
	elementary_exp(out->value, out->value, R);
	p = fabs(double_of(out->value));
	double y = s->note[s->k].magnitude, moved = p * expm1(2 * widest + ball_powers_lost(s->ev, s->k, widest));
	double tight = exponent + n + log(n) + 8, loose = 8 + 2 * top + 4 * y + 4 * log(n);
	double higher = 1 + (tight + loose) * s->u; /* e^x - 1 is at most x (1 + x) for x up to 1 */
	set_radii(s, out, moved, (p + moved) * tight * higher, (p + moved) * loose * higher);
	if (s->note[s->k].leaves) { /* e^(x - y) with y off by log(2 + n), but never below 0 */
		double beyond = fmax((p + moved) * (2.0 * n + 3), mpfr_sgn(s->ev->value[s->k]) < 0 ? 1 : 0);
		range_vanish(out, p + moved, beyond, true); /* of powers that all underflow, any may be left */
	}
}

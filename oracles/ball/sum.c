/*
 * sum.c: radii of sums and their like. An engine may add in any order, so the magnitudes of the terms count, not the
 * partial sums.
 */
#include "internal.h"
#include "range.h"
#include "rounding.h"
#include "rules.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>

#define R MPFR_RNDN

/* The error of the additions of a sum. */
static double sum_rounding(const struct evaluation *ev, int k, const struct terms *terms, double whole)
{
	const struct dtype_info *info = &ev->dtype[ev->scalar[k].dtype];
	if (!ball_by_binade(ev, k))
		return terms->n < 2
		    ? 0
		    : (terms->n - 1) * info->unit * (terms->positive + terms->negative + terms->radius) +
		        terms_flushed(2 * terms->n, info);
	return terms_rounding(terms, info, whole);
}

/* A dot product. An engine may round every product, or use fused multiply-adds. */
void ball_dot(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &ev->dtype[s->dtype];
	const int *parent = ev->parent + s->parent;
	struct note *out = &note[k];
	struct terms terms = {0};
	mpfr_t product;
	mpfr_init2(product, ev->precision);
	for (int j = 0; j < s->n_parent; j += 2) {
		int ka = parent[j], kb = parent[j + 1];
		const struct note *a = &note[ka], *b = &note[kb];
		double r = a->magnitude * b->radius + b->magnitude * a->radius + a->radius * b->radius,
		       size = a->magnitude * b->magnitude;
		bool exact = !mpfr_mul(product, ev->value[ka], ev->value[kb], R) && r == 0 &&
		    ball_representable(product, s->dtype);
		if (!exact && (ball_scales(ev, note, ka) || ball_scales(ev, note, kb)))
			r += ball_scaled_rounding(info, fmin(a->magnitude, b->magnitude) < 1, size, r);
		else if (!exact)
			r += ball_one_rounding(ev, k, 1, size + r);
		terms_add(&terms, product, size, rounding_flushed(info, size, r));
	}
	mpfr_clear(product);
	double sum = terms.positive + terms.negative + terms.radius;
	if (sum + s->n_parent / 2.0 * info->unit * sum > info->max)
		out->reason = REASON_OVERFLOW;
	out->radius = terms_exact(&terms, info) ? 0 : terms.radius + sum_rounding(ev, k, &terms, out->magnitude);
}

/*
 * The radius of a mean. An engine may divide the sum by n, multiply it by the rounded inverse of a rounded n, or do so
 * to each term before it adds. A division by a power of two only shifts, if no term leaves the normal range. Otherwise
 * an exact sum may become inexact by the division, and the last addition rounds in another binade. least: the smallest
 * that a term may be.
 */
static double mean_radius(const struct evaluation *ev, int k, const struct terms *terms, double least)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &ev->dtype[s->dtype];
	double u = info->unit, n = s->n_parent, r = terms->radius, sum = terms->positive + terms->negative;
	double whole = n * fabs(double_of(ev->value[k])), lost;
	if (terms->n == 0)
		return 0;
	if ((s->n_parent & (s->n_parent - 1)) == 0) {
		bool shifts = (least >= n * info->normal && !rounding_flushes(info)) ||
		    (r == 0 && terms->quantum - (long)log2(n) >= info->emin);
		lost = terms_exact(terms, info) ? 0 : sum_rounding(ev, k, terms, whole);
		return (r + lost) / n + (shifts ? 0 : n * info->tiny);
	}
	lost = ball_by_binade(ev, k) ? terms_rounding_scaled(terms, info, whole) : sum_rounding(ev, k, terms, whole);
	lost = fmin((n + 2) * u * (sum + r), lost + u * (whole + r) + 3 * u * (sum + r));
	return (r + lost) / n + n * info->tiny;
}

double ball_powers_lost(const struct evaluation *ev, int k, double widest)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &ev->dtype[s->dtype];
	double each = (rounding_flushes(info) ? info->tiny : 0) +
	    (ev->accuracy ? 2 * info->unit * ev->accuracy[OP_EXP].absolute : 0);

	return each > 0 ? s->n_parent * each * exp(fmax(0, -double_of(ev->value[k])) + widest) : 0;
}

void ball_nary(const struct evaluation *ev, struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct dtype_info *info = &ev->dtype[s->dtype];
	const int *parent = ev->parent + s->parent;
	double u = info->unit, n = s->n_parent, top = 0, squares = 0, least = INFINITY;
	struct note *out = &note[k];
	struct terms terms = {0};
	for (int j = 0; j < s->n_parent; j++) {
		if (note[parent[j]].certain) /* -inf in a logsumexp, whose power is 0 */
			continue;
		terms_add(&terms, ev->value[parent[j]], note[parent[j]].magnitude, note[parent[j]].radius);
		squares += note[parent[j]].magnitude * note[parent[j]].magnitude;
		if (note[parent[j]].magnitude + note[parent[j]].radius > 0)
			least = fmin(least, note[parent[j]].magnitude - note[parent[j]].radius);
		top = fmax(top, note[parent[j]].magnitude);
	}
	double r = terms.radius, rounding = terms_exact(&terms, info) ? 0 : sum_rounding(ev, k, &terms, out->magnitude);
	/* A partial sum may leave the range although the whole does not. Which partial sums occur depends on the
	 * order. */
	bool adds = s->op == OP_REDUCE_SUM || s->op == OP_REDUCE_MEAN;
	double sum = terms.positive + terms.negative;
	if (adds && s->n_parent > 1 && sum + r + (n - 1) * u * (sum + r) > info->max)
		out->reason = REASON_OVERFLOW;
	switch ((int)s->op) {
	case OP_REDUCE_SUM:
		out->radius = r + rounding;
		break;
	case OP_REDUCE_MEAN:
		out->radius = mean_radius(ev, k, &terms, least);
		break;
	case OP_NORM: { /* 1-Lipschitz; errors of the squares are relative, and the root halves them */
		double in = 0;
		for (int j = 0; j < s->n_parent; j++)
			in = hypot(in, note[parent[j]].radius);
		double roundings = n / 2 + 4;
		roundings *= ball_worse(ev, k, roundings);
		out->radius = in + roundings * u * (out->magnitude + in) + (in > 0 || top > 0 ? info->tiny : 0) +
		    ball_absolute(ev, k, roundings);
		/* Squares that underflow: all of them, or those beside the largest. Operands may be 0 or below the
		 * range of double; then the squares are those of the values in an engine. */
		double largest = top > 0 ? top : in;
		if (largest > 0 && largest * largest < (rounding_flushes(info) ? 4 * n : 1) * info->normal)
			range_leave(out, 1.01 * sqrt(n / 2) * sqrt(info->tiny),
			    rounding_flushes(info) && top - in < info->normal ? ESCAPE_NAN : 0); /* 0/0 */
		else if (largest > 0)
			out->radius += top > 0 ? n * info->tiny / (2 * out->magnitude) : sqrt(n / 2) * sqrt(info->tiny);
		if ((1 + n * u) * squares > info->max)
			range_leave(out, 0, ESCAPE_INFINITY);
		out->tie = top == 0 && in == 0 && out->active; /* the tip of the cone */
		break;
	}
	default: { /* logsumexp: slopes add up to 1 */
		double widest = 0;
		for (int j = 0; j < s->n_parent; j++)
			widest = fmax(widest, note[parent[j]].radius);
		double c = unary_rule_of(OP_EXP)->c, worse = ball_worse(ev, k, c), absolute = ball_absolute(ev, k, c);
		out->radius = widest + worse * u * (2 * top + 4 * out->magnitude + n + 4 * log(n) + 8) + info->tiny +
		    absolute + ball_powers_lost(ev, k, widest);
		/* Without its maximum subtracted, the sum is e^y, rounded. It may leave the range although no
		 * single power does, or be 0. Else every power counts up to twice, and the least number stands for
		 * those that are 0. */
		if (ball_powers_lost(ev, k, widest) > 0.5 ||
		    exp(fmax(top + widest, double_of(ev->value[k]) + out->radius)) > info->max)
			range_leave(out, log(2 + n) + fmax(0, log(info->tiny) + log(2 * n) - double_of(ev->value[k])),
			    ESCAPE_INFINITY);
		break;
	}
	}
}

/* rounding.c: see rounding.h. */
#include "rounding.h"

#include <math.h>

/* Allows for an engine that computes in a wider format and rounds twice. */
static const double TWICE_ROUNDED = 1 + 0x1p-10;

/* The largest power of two that is at most x, a normal double: its exponent without its significand. */
static double binade_of(double x)
{
	uint64_t bits;
	double out;
	memcpy(&bits, &x, sizeof bits);
	bits &= UINT64_C(0x7ff) << 52;
	memcpy(&out, &bits, sizeof out);
	return out;
}

double rounding_of(const struct dtype_info *info, double x)
{
	if (x < info->normal)
		return info->tiny;
	return isfinite(x) ? info->unit * TWICE_ROUNDED * binade_of(x) : x;
}

double rounding_of_addition(const struct dtype_info *info, double x)
{
	return x < info->normal ? 0 : rounding_of(info, x);
}

struct dtype_info rounding_flushing(const struct dtype_info *info)
{
	struct dtype_info out = *info;
	/* Twice the smallest normal number; 0 in an oracle that ignores underflow. */
	out.tiny = ldexp(info->tiny, info->precision);
	out.emin = info->emin + info->precision - 1;
	return out;
}

double terms_flushed(int n, const struct dtype_info *info)
{
	return rounding_flushes(info) && n > 2 ? (n - 2) * info->normal : 0;
}

bool is_power_of_two(mpfr_srcptr x) { return mpfr_regular_p(x) && mpfr_min_prec(x) == 1; }

void terms_count(int *n, int more) { *n = *n < TERMS_LIMIT - more ? *n + more : TERMS_LIMIT; }

void terms_add(struct terms *t, mpfr_srcptr x, double magnitude, double radius)
{
	if (radius == 0 && mpfr_zero_p(x))
		return;
	terms_count(&t->n, 1);
	*(mpfr_sgn(x) < 0 ? &t->negative : &t->positive) += magnitude;
	t->top = fmax(t->top, magnitude);
	t->radius += radius;
	if (t->radius > 0 || !mpfr_number_p(x))
		return;
	long quantum = mpfr_get_exp(x) - (long)mpfr_min_prec(x);
	if (t->n == 1 || quantum < t->quantum)
		t->quantum = quantum;
}

/* The a priori bound for any order. radius: of all terms together. */
static double any_rounding(const struct terms *t, const struct dtype_info *info, double radius)
{
	return (t->n - 1) * info->unit * (t->positive + t->negative + radius);
}

double terms_rounding(const struct terms *t, const struct dtype_info *info, double whole)
{
	double most = fmax(t->positive, t->negative), flushed = terms_flushed(t->n, info), radius = t->radius + flushed;
	if (t->n < 2)
		return 0;
	if (t->n == 2)
		return rounding_of_addition(info, whole + t->radius);
	/* Counts the partial sums one by one: the k-th smallest has at most k + 1 terms. The last rounding is at
	 * the size of the whole. */
	double any = any_rounding(t, info, radius), beside = radius + any,
	       lost = rounding_of_addition(info, whole + beside);
	int k = 2;
	for (; k < t->n && k * t->top < most; k++)
		lost += rounding_of_addition(info, k * t->top + beside);
	return flushed + fmin(any, lost + (t->n - k) * rounding_of_addition(info, most + beside));
}

double terms_rounding_scaled(const struct terms *t, const struct dtype_info *info, double whole)
{
	double u = info->unit, n = t->n, most = fmax(t->positive, t->negative), flushed = terms_flushed(t->n, info),
	       radius = t->radius + flushed;
	if (t->n < 3)
		return terms_rounding(t, info, whole);
	double any = any_rounding(t, info, radius), full = t->top > 0 ? fmin(n - 1, floor(most / t->top)) : 0,
	       inner = 0;
	if (full >= 2)
		inner = t->top * (full * (full + 1) / 2 - 1);
	inner += (n - 1 - fmax(full, 1)) * most;
	return flushed +
	    fmin(any, u * (inner + (n - 2) * (radius + any)) + rounding_of_addition(info, whole + radius + any));
}

/*
 * All terms are multiples of 2^q whose partial sums stay below 2^(q + precision). The comparison is strict: the
 * magnitudes are added in double, which may round 2^53 + 1 to 2^53 but never below.
 */
bool terms_exact(const struct terms *t, const struct dtype_info *info)
{
	if (t->n == 0)
		return true;
	return t->radius == 0 && t->quantum >= info->emin &&
	    fmax(t->positive, t->negative) < ldexp(1, (int)t->quantum + info->precision);
}

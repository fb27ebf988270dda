/* rounding.c: one operation, rounded as badly as the standard model allows. */
#include "rounding.h"

#include <math.h>

#include "kernels.h"

/* How the side is chosen; a seed keeps to one. */
enum style { STYLE_COIN, STYLE_UP, STYLE_DOWN, STYLE_AWAY, STYLE_TOWARDS, STYLE_WIDE, STYLE_FAR, STYLE_COUNT };

_Thread_local bool rounding_active;

static _Thread_local struct {
	uint64_t state;
	enum style style;
	/* A sum that the accumulate seam has formed and its caller is about to round: what was lost, and what it may be off by. */
	double sum, lost, limit;
	bool pending;
} seeded;

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

int rounding_pick(int n)
{
	return (int)(splitmix(&seeded.state) % (uint64_t)n);
}

/* In [-1, 1). */
static double fraction(void)
{
	return ldexp((double)(splitmix(&seeded.state) >> 11), -52) - 1;
}

/* Whether results keep bits that the dtype has no room for. */
static bool is_wide(enum dtype d)
{
	return d != DTYPE_F64 && (seeded.style == STYLE_WIDE || seeded.style == STYLE_FAR);
}

/* ---- one result ---- */

/* Whether the candidate on the far side is taken, not the nearest. */
static bool takes(double nearest, double other)
{
	switch (seeded.style) {
	case STYLE_UP: return other > nearest;
	case STYLE_DOWN: return other < nearest;
	case STYLE_AWAY: return fabs(other) > fabs(nearest);
	case STYLE_TOWARDS: return fabs(other) < fabs(nearest);
	case STYLE_FAR: return true;
	default: return splitmix(&seeded.state) & 1;
	}
}

/* The value of d next to x, which is one, above or below. */
static double neighbour(enum dtype d, double x, bool above)
{
	const struct dtype_info *info = &dtype_table[d];
	bool outwards = x == 0 || above == (x > 0);
	int exponent;

	if (d == DTYPE_F64)
		return nextafter(x, above ? INFINITY : -INFINITY);
	if (fabs(x) < info->normal || (fabs(x) == info->normal && !outwards))
		return x + (above ? info->tiny : -info->tiny);
	/* Below a power of two values are twice as dense. */
	if (frexp(fabs(x), &exponent) == 0.5 && !outwards)
		exponent--;
	x += ldexp(above ? 1 : -1, exponent - info->precision);
	return fabs(x) > info->max ? copysign(INFINITY, x) : x;
}

/* hi + lo, which is exact to far more than d holds, |lo| at most half an ulp of hi; off by no more than `limit`. */
static double choose(enum dtype d, double hi, double lo, double limit)
{
	const struct dtype_info *info = &dtype_table[d];
	double nearest = dtype_round(d, hi), rest = hi - nearest + lo, other, allowed;

	if (!isfinite(nearest) || rest == 0)
		return nearest;
	/* u/(1 + u), the bound of rounding to nearest. */
	allowed = fabs(hi) < info->normal ? info->tiny : fabs(hi) * (info->unit / (1 + info->unit));
	allowed = fmin(allowed, limit);
	if (is_wide(d)) {
		double by = allowed * (seeded.style == STYLE_WIDE ? fraction() : splitmix(&seeded.state) & 1 ? 1 : -1);

		if (fabs(hi) < info->normal)
			return hi; /* sums do not underflow, and nobody knows here what this is */
		return fabs(hi + by) > info->max ? nearest : hi + by;
	}
	other = neighbour(d, nearest, rest > 0);
	if (!isfinite(other) || fabs(other - nearest - rest) > allowed)
		return nearest;
	return takes(nearest, other) ? other : nearest;
}

double rounding_of(enum dtype d, double x)
{
	return choose(d, x, 0, INFINITY);
}

/* What a + b, rounded to `sum`, has lost (Knuth's two-sum). */
static double lost_of(double a, double b, double sum)
{
	double b_part = sum - a, lost = (a - (sum - b_part)) + (b - b_part);

	return isfinite(lost) ? lost : 0;
}

double rounding_add(enum dtype d, double a, double b)
{
	double sum = a + b;

	return choose(d, sum, lost_of(a, b, sum), fmin(fabs(a), fabs(b)));
}

/* Where what is lost would underflow, the product is taken as it is. */
static double product_lost(double a, double b, double product)
{
	return fabs(product) > 0x1p-900 && isfinite(product) ? fma(a, b, -product) : 0;
}

static bool is_power_of_two(double x)
{
	int exponent;

	return fabs(frexp(x, &exponent)) == 0.5;
}

double rounding_mul(enum dtype d, double a, double b)
{
	double product = a * b;

	/* Exact wherever the factors are values of the dtype: so of the product of 2 and x nobody says that it is rounded. */
	if (is_wide(d) && (is_power_of_two(a) || is_power_of_two(b)))
		return fabs(product) <= dtype_table[d].max ? product : dtype_round(d, product);
	return choose(d, product, product_lost(a, b, product), INFINITY);
}

double rounding_div(enum dtype d, double a, double b)
{
	double quotient = a / b, lost = 0;

	if (fabs(quotient) > 0x1p-900 && fabs(quotient) < 0x1p900 && fabs(a) > 0x1p-900 && isfinite(b))
		lost = -fma(quotient, b, -a) / b;
	return choose(d, quotient, lost, INFINITY);
}

double rounding_sqrt(enum dtype d, double a)
{
	double root = sqrt(a), lost = 0;

	if (a > 0x1p-900 && isfinite(a))
		lost = -fma(root, root, -a) / (2 * root);
	return choose(d, root, lost, INFINITY);
}

double rounding_function(enum dtype d, double y, double ulps)
{
	double u = dtype_table[d].unit, share;
	bool above;

	if (ulps == 0 || y == 0 || !isfinite(y))
		return ulps == 0 ? y : dtype_round(d, y);
	above = takes(y, neighbour(DTYPE_F64, y, true));
	if (d == DTYPE_F64) {
		for (int steps = rounding_pick((int)ulps + 1); steps && isfinite(y); steps--)
			y = neighbour(d, y, above);
		return y;
	}
	/* An ulp is up to 2u; the last u is that of the rounding. */
	share = seeded.style == STYLE_FAR ? 1 : fabs(fraction());
	return rounding_of(d, y + (above ? 1 : -1) * fabs(y) * share * (2 * ulps - 1) * u * (1 - 2 * u));
}

/* ---- many ---- */

/* Any two of those left are combined, and so on: a random tree over a random permutation. */
static double combined(enum dtype d, double *x, int n, double (*step)(enum dtype d, double a, double b))
{
	for (; n > 1; n--) {
		int i = rounding_pick(n), j = rounding_pick(n - 1), low, high;

		j += j >= i;
		low = i < j ? i : j;
		high = i < j ? j : i;
		x[low] = step(d, x[low], x[high]);
		x[high] = x[n - 1];
	}
	return x[0];
}

double rounding_sum(enum dtype d, double *term, int n)
{
	return n ? combined(d, term, n, rounding_add) : 0;
}

double rounding_product(enum dtype d, double *factor, int n)
{
	return n ? combined(d, factor, n, rounding_mul) : 1;
}

/* ---- sums and products that are formed in one place and rounded in another ---- */

double rounding_seam_multiply(double cotangent, double partial)
{
	return cotangent == 0 ? 0 : rounding_mul(DTYPE_F64, cotangent, partial);
}

double rounding_seam_accumulate(double sum, double term)
{
	seeded.sum = sum + term;
	seeded.lost = lost_of(sum, term, seeded.sum);
	seeded.limit = fmin(fabs(sum), fabs(term));
	seeded.pending = true;
	return seeded.sum;
}

double rounding_late(enum dtype d, double x)
{
	bool pending = seeded.pending && x == seeded.sum;

	seeded.pending = false;
	if (pending)
		return choose(d, x, seeded.lost, seeded.limit);
	/* In wide registers it may well be a result that was rounded already. */
	return is_wide(d) && fabs(x) <= dtype_table[d].max ? x : rounding_of(d, x);
}

/* ---- an answer ---- */

void rounding_begin(const struct engine *self)
{
	rounding_active = self->rounds;
	seeded.state = self->rounding;
	seeded.style = (enum style)rounding_pick(STYLE_COUNT);
	seeded.pending = false;
}

void rounding_end(void)
{
	rounding_active = false;
}

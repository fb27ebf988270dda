/* rounding.c: one operation, rounded as badly as the standard model allows. */
#include "rounding.h"

#include <math.h>
#include <stdlib.h>

#include "graph/random.h"
#include "kernels.h"

/*
 * How a result is chosen; a seed keeps to one style.  In f64, which has no bits to spare, each style gives the nearest
 * value (at a tie, either one).
 */
enum style {
	STYLE_NEAREST, /* the nearest value of the dtype; at a tie, either one */
	STYLE_COIN,
	STYLE_UP,
	STYLE_DOWN,
	STYLE_AWAY,
	STYLE_TOWARDS, /* one of the two values with one more bit around it */
	STYLE_WIDE,
	STYLE_FAR, /* any real number within reach, or one at the edge */
	STYLE_COUNT
};

/* Which subnormal numbers become 0: none; results; operands and results; or some of them. */
enum flush { FLUSH_NONE, FLUSH_RESULTS, FLUSH_ALL, FLUSH_COIN, FLUSH_COUNT };

_Thread_local bool rounding_active;

static _Thread_local struct {
	uint64_t seed, state;
	enum style style;
	enum flush flush;
	/*
	 * The last sum of the accumulate seam, which its caller is about to round: its value, its error, and the limit
	 * of that error.
	 */
	double sum, lost, limit;
	bool pending;
	double times; /* a probe: so many times half a unit, negative: opposite signs; 0: not a probe */
	struct rounding_seen seen;
} seeded;

int rounding_pick(int n) { return (int)(random_next(&seeded.state) % (uint64_t)n); }

/* ---- what a probe meets ---- */

/*
 * The distance from the end of a domain, or from 0 for a factor, below which a probe cannot be trusted.  The usual
 * formulas that cancel there (a*a - 1, y/x) lose more than half of the digits of f32.  The probes' derivatives of them
 * do not show it.
 */
#define NEAR 0x1p-12

/* Whether op has no derivative at or beside x, or its derivative there depends on the sign of a 0. */
static bool at_end_of_domain(enum op op, const double *x, int n)
{
	bool all_zero = true, small_factor = false;

	for (int i = 0; i < n; i++) {
		all_zero = all_zero && x[i] == 0;
		small_factor = small_factor || (x[i] != 0 && fabs(x[i]) < NEAR);
	}
	if (op == OP_REDUCE_PROD || op == OP_CUMPROD || op == OP_SCATTER_MUL)
		return small_factor;
	if (op == OP_ATAN2 && x[0] == 0)
		return true;
	switch (op_table[op].domain) {
	case DOMAIN_ALL:
		return false;
	case DOMAIN_POSITIVE:
		return x[0] <= 0;
	case DOMAIN_ABOVE_MINUS_ONE:
		return x[0] <= NEAR - 1;
	case DOMAIN_INSIDE_ONE:
		return fabs(x[0]) >= 1 - NEAR;
	case DOMAIN_ABOVE_ONE:
		return x[0] <= 1 + NEAR;
	case DOMAIN_SECOND_NONZERO:
		return x[1] == 0;
	case DOMAIN_POW:
		return x[0] == 0;
	case DOMAIN_NOT_BOTH_ZERO:
	case DOMAIN_NOT_ALL_ZERO:
		return all_zero;
	}
	return false;
}

/*
 * Records a result of a probe: its magnitude, and whether it is near an end of the dtype's range.  Farther inside, no
 * usual formula leaves the range: its intermediates are products of at most four such numbers.
 */
static void look(enum dtype d, double x)
{
	int exponent;

	frexp(x, &exponent);
	if (fabs(x) > seeded.seen.largest)
		seeded.seen.largest = fabs(x);
	if (!isfinite(x) || (x != 0 && abs(exponent) > dtype_table[d].emax / 4))
		seeded.seen.edge = true;
}

int rounding_formula(int n) { return seeded.times != 0 ? (int)(seeded.seed % (uint64_t)n) : rounding_pick(n); }

void rounding_restart(enum op op, const double *x, int n)
{
	if (seeded.times != 0) {
		seeded.seen.edge = seeded.seen.edge || (n && at_end_of_domain(op, x, n));
		return; /* nobody promises that a repeated computation is rounded alike */
	}
	seeded.state = seeded.seed + (uint64_t)op;
	for (int i = 0; i < n; i++) {
		union {
			double f;
			uint64_t u;
		} bits = {.f = x[i]};

		seeded.state = random_next(&seeded.state) ^ bits.u;
	}
}

/* A random number in [-1, 1). */
static double fraction(void) { return ldexp((double)(random_next(&seeded.state) >> 11), -52) - 1; }

/* Whether results keep more bits than the dtype has, up to those of binary64. */
static bool has_spare_bits(enum dtype d) { return d != DTYPE_F64 && seeded.style != STYLE_NEAREST; }
static bool is_wide(enum dtype d)
{
	return d != DTYPE_F64 && (seeded.style == STYLE_WIDE || seeded.style == STYLE_FAR);
}

/* ---- one result ---- */

static bool takes_second(double first, double second)
{
	switch (seeded.style) {
	case STYLE_UP:
		return second > first;
	case STYLE_DOWN:
		return second < first;
	case STYLE_AWAY:
		return fabs(second) > fabs(first);
	case STYLE_TOWARDS:
		return fabs(second) < fabs(first);
	default:
		return random_next(&seeded.state) & 1;
	}
}

/* Half a unit in the last place of d at x: the error limit of rounding to nearest. */
static double half_unit(enum dtype d, double x)
{
	const struct dtype_info *info = &dtype_table[d];
	int exponent;

	frexp(x, &exponent);
	return d == DTYPE_F64 && fabs(x) < info->normal ? 0 : fmax(ldexp(info->unit, exponent - 1), info->tiny / 2);
}

static bool is_subnormal(enum dtype d, double x) { return x != 0 && fabs(x) < dtype_table[d].normal; }

/* A result, or an operand: 0 if it is flushed. */
static double left(enum dtype d, double x)
{
	return seeded.flush && is_subnormal(d, x) && (seeded.flush != FLUSH_COIN || random_next(&seeded.state) & 1)
	    ? copysign(0, x)
	    : x;
}

static double taken(enum dtype d, double x) { return seeded.flush > FLUSH_RESULTS ? left(d, x) : x; }

/* The result of a probe: hi, off by up to seeded.times times half a unit (or `limit`, if smaller). */
static double magnified(enum dtype d, double hi, double lo, double limit)
{
	double nearest = dtype_round(d, hi), rest = hi - nearest + lo;

	look(d, hi);
	if (!isfinite(nearest) || rest == 0)
		return nearest;
	seeded.seen.steps++;
	return dtype_round(d, hi + seeded.times * fraction() * fmin(half_unit(d, hi), limit));
}

/*
 * Rounds hi + lo, which is exact to far more bits than d holds, with |lo| at most half an ulp of hi.  Off by at most
 * `limit`.
 */
static double chosen(enum dtype d, double hi, double lo, double limit)
{
	const struct dtype_info *info = &dtype_table[d];
	double nearest = dtype_round(d, hi), rest = hi - nearest + lo, half, low, high;

	if (seeded.times != 0)
		return magnified(d, hi, lo, limit);
	if (!isfinite(nearest) || rest == 0)
		return nearest;
	half = half_unit(d, hi);
	if (is_wide(d)) {
		/* A little less than half a unit, because hi and the result are rounded to binary64 themselves. */
		double by = fmin(half * (1 - 0x1p-24), limit) *
		    (seeded.style == STYLE_WIDE              ? fraction()
		            : random_next(&seeded.state) & 1 ? 1
		                                             : -1);

		/* An integer stays one where the dtype holds only integers: a power of a negative number needs that. */
		if (fabs(hi) * info->unit >= 1 && hi == floor(hi))
			by = trunc(by);
		/* Sums do not underflow, and this function does not know which op called it. */
		return fabs(hi) < info->normal ? hi : fabs(hi + by) > info->max ? nearest : hi + by;
	}
	if (has_spare_bits(d)) {
		low = floor(hi / half) * half;
		high = low == hi ? hi : low + half;
	} else {
		if (fabs(rest) != half)
			return nearest;
		low = nearest;
		high = nearest + 2 * rest;
	}
	if (takes_second(low, high) ? fabs(high - hi - lo) <= limit : fabs(low - hi - lo) > limit)
		low = high;
	return fabs(low) > info->max ? nearest : low;
}

static double choose(enum dtype d, double hi, double lo, double limit) { return left(d, chosen(d, hi, lo, limit)); }

double rounding_once(enum dtype d, double x) { return choose(d, x, 0, INFINITY); }

/* The rounding error of a + b, rounded to `sum` (Knuth's two-sum). */
static double lost_of(double a, double b, double sum)
{
	double b_part = sum - a, lost = (a - (sum - b_part)) + (b - b_part);

	return isfinite(lost) ? lost : 0;
}

double rounding_add(enum dtype d, double a, double b)
{
	a = taken(d, a);
	b = taken(d, b);
	double sum = a + b;

	return choose(d, sum, lost_of(a, b, sum), fmin(fabs(a), fabs(b)));
}

/* If the error would underflow, the product counts as exact. */
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
	a = taken(d, a);
	b = taken(d, b);
	double product = a * b;

	seeded.seen.edge = seeded.seen.edge || (product == 0 && a != 0 && b != 0);
	/* Exact for factors that are values of the dtype.  So nobody claims that 2 times x is rounded. */
	if (is_wide(d) && (is_power_of_two(a) || is_power_of_two(b)))
		return fabs(product) <= dtype_table[d].max ? left(d, product) : dtype_round(d, product);
	return choose(d, product, product_lost(a, b, product), INFINITY);
}

double rounding_div(enum dtype d, double a, double b)
{
	a = taken(d, a);
	b = taken(d, b);
	double quotient = a / b, lost = 0;

	if (is_wide(d) && is_power_of_two(b))
		return fabs(quotient) <= dtype_table[d].max ? left(d, quotient) : dtype_round(d, quotient);
	if (fabs(quotient) > 0x1p-900 && fabs(quotient) < 0x1p900 && fabs(a) > 0x1p-900 && isfinite(b))
		lost = -fma(quotient, b, -a) / b;
	if (seeded.times != 0 && lost == 0 && !is_power_of_two(b))
		lost = quotient * 0x1p-60; /* an engine that multiplies by 1/b is off in any case */
	seeded.seen.edge = seeded.seen.edge || (quotient == 0 && a != 0);
	return choose(d, quotient, lost, INFINITY);
}

double rounding_sqrt(enum dtype d, double a)
{
	a = taken(d, a);
	double root = sqrt(a), lost = 0;

	if (a > 0x1p-900 && isfinite(a))
		lost = -fma(root, root, -a) / (2 * root);
	return choose(d, root, lost, INFINITY);
}

double rounding_function(enum dtype d, double y, double ulps)
{
	double u = dtype_table[d].unit, share;
	bool above;

	/* Libraries return rational values of functions exactly: 0, and e^0, cos 0, x^0 ... */
	if (ulps == 0 || y == 0 || fabs(y) == 1 || !isfinite(y)) {
		if (seeded.times != 0)
			look(d, y);
		return left(d, ulps == 0 ? y : dtype_round(d, y));
	}
	if (seeded.times != 0) {
		look(d, 1); /* many formulas for a small value have intermediates of about 1: (e^x - e^-x)/2 */
		return magnified(d, y, y * 0x1p-60, INFINITY);
	}
	above = takes_second(y, nextafter(y, INFINITY));
	if (d == DTYPE_F64) {
		/* y comes from the library and is itself off by about one ulp. */
		for (int steps = ulps < 2 ? 0 : rounding_pick((int)ulps); steps && isfinite(y); steps--)
			y = nextafter(y, above ? INFINITY : -INFINITY);
		return left(d, y);
	}
	/* An ulp is up to 2u; rounding accounts for the last u. */
	share = seeded.style == STYLE_FAR ? 1 : fabs(fraction());
	return rounding_once(d, y + (above ? 1 : -1) * fabs(y) * share * (2 * ulps - 1) * u * (1 - 2 * u));
}

/* ---- many ---- */

/* Combines any two of the remaining values, again and again: a random tree over a random permutation. */
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

double rounding_sum(enum dtype d, double *term, int n) { return n ? combined(d, term, n, rounding_add) : 0; }

double rounding_product(enum dtype d, double *factor, int n) { return n ? combined(d, factor, n, rounding_mul) : 1; }

/* ---- operands ---- */

bool rounding_probes(void) { return seeded.times != 0; }

bool rounding_reads_zeros(void) { return seeded.flush > FLUSH_RESULTS; }

const struct tensor *rounding_read(const struct tensor *x, struct arena *a)
{
	struct tensor out = {.type = x->type};
	int n = shape_elements(&x->type.shape);

	if (!dtype_is_float(x->type.dtype))
		return x;
	out.at = arena_copy(a, x->at, (size_t)n, sizeof *x->at);
	for (int i = 0; i < n; i++) {
		rounding_restart(OP_CONSTANT, &x->at[i].f, 1);
		out.at[i].f = taken(x->type.dtype, x->at[i].f);
	}
	return arena_copy(a, &out, 1, sizeof out);
}

/* ---- sums and products that one function forms and another one rounds ---- */

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
	/* In wide registers it may be a result that was rounded already. */
	return is_wide(d) && fabs(x) <= dtype_table[d].max ? left(d, x) : rounding_once(d, x);
}

/* ---- an answer ---- */

void rounding_begin(const struct rounding *how)
{
	rounding_active = how->seeded;
	seeded.seed = seeded.state = how->seed;
	seeded.style = (enum style)rounding_pick(STYLE_COUNT);
	seeded.pending = false;
	seeded.times = how->times;
	if (seeded.times != 0)
		seeded.style = STYLE_COIN;
	seeded.seen = (struct rounding_seen){0};
	seeded.flush = how->flushes ? (enum flush)(1 + rounding_pick(FLUSH_COUNT - 1)) : FLUSH_NONE;
}

struct rounding_seen rounding_seen(void) { return seeded.seen; }

void rounding_end(void) { rounding_active = false; }

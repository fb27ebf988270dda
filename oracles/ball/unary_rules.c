/* unary_rules.c: the rows of analytic_rules.def as functions. See rules.h. */
#include "oracles/evaluate/elementary.h"
#include "rounding.h"
#include "rules.h"

#include <math.h>

#define R MPFR_RNDN

struct span span_of(double a, double y, double r)
{
	double size = fabs(a), reach = r + SPAN_BLUR * size;
	return (struct span){a, y, r, a - reach, a + reach, fmax(0, size - reach), size + reach};
}

/* The error of one rounding at the size x, in unit roundoffs. */
static double half(double x)
{
	return x > 0 ? rounding_of(&dtype_table[DTYPE_F64], x) / dtype_table[DTYPE_F64].unit : 0;
}

static double squared(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
/* The slope of asin. Inverted, it gives 1/sqrt(x^2 - 1) for any x. */
static double arc_slope(double x) { return 1 / sqrt((1 - x) * (1 + x)); }
static double beside_one(double x) { return sqrt(x - 1) * sqrt(x + 1); }

/* sech^2, computed as 4/(e^x + e^-x)^2 without an infinity. */
static double sech_squared(double x)
{
	double e = exp(-fabs(x)), s = 2 * e / (1 + e * e);
	return s * s;
}

/*
 * A bound of |cos| (or |sin|) within r of a point where it is `here` and the other one is `other`. It uses Taylor to
 * the second order, with 2r: the point itself is known up to a rounding.
 */
static double wave(double here, double other, double r)
{
	return fmin(1, fabs(here) + 2 * r * fabs(other) + 2 * r * r);
}

/* The distance to the nearest pole of a tangent whose value is y. tan_slope gives 1/cos^2 at a point closer to it
 * by r. */
static double from_pole(double y) { return atan2(1, fabs(y)); }

static double tan_slope(double y, double r)
{
	double s = sin(from_pole(y) - r);
	return 1 / (s * s);
}

/* r times the largest 2x/(1 + x^2)^2. That grows up to x = 1/sqrt(3) and falls beyond. */
static double atan_bent(double nearest, double farthest, double r)
{
	double top = 0.57735026918962584, x = fmin(fmax(nearest, top), farthest), h = hypot(1, x);
	return 2 * (x / h) * (r / h) / h / h;
}

static void partial_one_minus_square(mpfr_ptr p, mpfr_srcptr a)
{
	mpfr_sqr(p, a, R);
	mpfr_ui_sub(p, 1, p, R);
}

/* e^-|a| / (1 + e^-|a|)^2, a form that never overflows. */
static void partial_logistic(mpfr_ptr p, mpfr_srcptr a)
{
	mpfr_t below;
	mpfr_init2(below, mpfr_get_prec(p));
	mpfr_abs(p, a, R);
	mpfr_neg(p, p, R);
	elementary_exp(p, p, R);
	mpfr_add_ui(below, p, 1, R);
	mpfr_sqr(below, below, R);
	mpfr_div(p, p, below, R);
	mpfr_clear(below);
}

/* 2/sqrt(pi) * e^(-a^2) */
static void partial_erf(mpfr_ptr p, mpfr_srcptr a)
{
	mpfr_t root;
	mpfr_init2(root, mpfr_get_prec(p));
	mpfr_const_pi(root, R);
	mpfr_rec_sqrt(root, root, R);
	mpfr_sqr(p, a, R);
	mpfr_neg(p, p, R);
	elementary_exp(p, p, R);
	mpfr_mul(p, p, root, R);
	mpfr_mul_2ui(p, p, 1, R);
	mpfr_clear(root);
}

/* The names of analytic_rules.def. */
#define SPAN(at) \
	double a = at->a, y = at->y, r = at->r, low = at->low, high = at->high, nearest = at->nearest, \
	       farthest = at->farthest; \
	(void)a, (void)y, (void)r, (void)low, (void)high, (void)nearest, (void)farthest;

#define UNARY(id, c, moved, bent, scale, PARTIAL, tight, loose, inner, detour) \
	static double moved_##id(const struct span *at) { SPAN(at) return (moved); } \
	static double bent_##id(const struct span *at) { SPAN(at) return (bent); } \
	static double scale_##id(double a, double y) { return (void)a, (void)y, (scale); } \
	static void partial_##id(mpfr_ptr p, mpfr_srcptr A, mpfr_srcptr Y) { (void)A, (void)Y, (void)(PARTIAL); } \
	static double tight_##id(double a, double y, double P) { return (void)a, (void)y, (void)P, (tight); } \
	static double loose_##id(double a, double y, double P) { return (void)a, (void)y, (void)P, (loose); } \
	static double inner_##id(double a, double y) { return (void)a, (void)y, (inner); } \
	static double detour_##id(double a, double y) { return (void)a, (void)y, (detour); }
#include "analytic_rules.def"
#undef UNARY
#undef SPAN

static const struct unary_rule rules[OP_COUNT] = {
#define UNARY(id, c, moved, bent, scale, PARTIAL, tight, loose, inner, detour) \
	[OP_##id] = { \
	    c, moved_##id, bent_##id, scale_##id, partial_##id, tight_##id, loose_##id, inner_##id, detour_##id},
#include "analytic_rules.def"
#undef UNARY
};

const struct unary_rule *unary_rule_of(enum op op) { return rules[op].partial ? &rules[op] : NULL; }

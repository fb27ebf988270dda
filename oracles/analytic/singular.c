/* singular.c: see singular.h. */
#include "singular.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>

#define R MPFR_RNDN

/* The exponent range for partials of that order. They grow as the reciprocal of the distance to at most the power
 * order + 1 (rsqrt, 1/b). */
static mpfr_exp_t range_bits(enum dtype d, int order) { return dtype_table[d].emax / (order + 1); }

/* Up to which distance a border counts as reached: 2^-bits, or the error by which rounding may have moved the
 * operand. */
struct reach {
	mpfr_exp_t bits;
	double radius;
};

static bool near(mpfr_srcptr distance, struct reach reach)
{
	return mpfr_sgn(distance) <= 0 || (mpfr_number_p(distance) && mpfr_get_exp(distance) <= -reach.bits) ||
	    mpfr_cmp_d(distance, reach.radius) <= 0;
}

static bool near_from(mpfr_srcptr a, int sign, int border, struct reach reach)
{
	mpfr_t distance;

	mpfr_init2(distance, 64);
	mpfr_sub_si(distance, a, border, R);
	if (sign < 0)
		mpfr_neg(distance, distance, R);
	bool is_near = near(distance, reach);
	mpfr_clear(distance);
	return is_near;
}

static bool near_zero(mpfr_srcptr a, struct reach reach)
{
	return mpfr_zero_p(a) ||
	    (mpfr_number_p(a) && (mpfr_get_exp(a) <= -reach.bits || fabs(double_of(a)) <= reach.radius));
}

static bool singular(const struct evaluation *ev, const struct note *note, const struct scalar *s, mpfr_exp_t bits)
{
	const int *parent = ev->parent + s->parent;

	if (!s->n_parent)
		return false;
	mpfr_srcptr a = ev->value[parent[0]];
	struct reach reach = {bits, note[parent[0]].radius};
	switch (op_table[s->op].domain) {
	case DOMAIN_ALL:
		return false;
	case DOMAIN_POSITIVE:
	case DOMAIN_POW:
		return near(a, reach);
	case DOMAIN_ABOVE_MINUS_ONE:
		return near_from(a, 1, -1, reach);
	case DOMAIN_INSIDE_ONE:
		return near_from(a, -1, 1, reach) || near_from(a, 1, -1, reach);
	case DOMAIN_ABOVE_ONE:
		return near_from(a, 1, 1, reach);
	case DOMAIN_SECOND_NONZERO:
		return near_zero(ev->value[parent[1]], (struct reach){bits, note[parent[1]].radius});
	case DOMAIN_NOT_BOTH_ZERO:
	case DOMAIN_NOT_ALL_ZERO:
		for (int j = 0; j < s->n_parent; j++)
			if (!near_zero(ev->value[parent[j]], (struct reach){bits, note[parent[j]].radius}))
				return false;
		return true;
	}
	return false;
}

mpfr_exp_t trace_range(const struct evaluation *ev, int order)
{
	bool present[DTYPE_COUNT] = {false};
	mpfr_exp_t least = range_bits(DTYPE_F64, order);

	for (int k = 0; k < ev->n_scalar; k++)
		present[ev->scalar[k].dtype] = true;
	for (int d = 0; d < DTYPE_COUNT; d++)
		if (present[d] && dtype_is_float((enum dtype)d) && range_bits((enum dtype)d, order) < least)
			least = range_bits((enum dtype)d, order);
	return least;
}

bool scalar_singular(const struct evaluation *ev, const struct note *note, int k, mpfr_exp_t range)
{
	return !mpfr_number_p(ev->value[k]) || singular(ev, note, &ev->scalar[k], range);
}

bool scalar_strays(const struct evaluation *ev, const struct note *note, int k, mpfr_exp_t range)
{
	return note[k].reason || (mpfr_regular_p(ev->value[k]) && mpfr_get_exp(ev->value[k]) >= range);
}

bool trace_singular(const struct evaluation *ev, const struct note *note, int order)
{
	const mpfr_exp_t range = trace_range(ev, order);

	for (int k = 0; k < ev->n_scalar; k++)
		if (scalar_strays(ev, note, k, range) || scalar_singular(ev, note, k, range))
			return true;
	return false;
}

bool trace_nonfinite(const struct evaluation *ev)
{
	for (int k = 0; k < ev->n_scalar; k++)
		if (!mpfr_number_p(ev->value[k]))
			return true;
	return false;
}

/*
 * bare_points.c: points of bare programs: from the whole domain of the op on each input, its end, and where its results
 * or partials leave the range of f64.
 */
#include "generator.h"

#include <math.h> /* ldexp, fabs, copysign */

/* ---- domains ---- */

/* The domain of a float operand, if the domain of its op restricts this operand. */
static enum domain domain_of(const struct gen_stand *s)
{
	enum domain domain = s->op == OP_CONSTANT ? DOMAIN_ALL : op_table[s->op].domain;
	bool second = domain == DOMAIN_SECOND_NONZERO;

	return s->operand == (second ? 1 : 0) && domain != DOMAIN_NOT_BOTH_ZERO && domain != DOMAIN_NOT_ALL_ZERO
	    ? domain
	    : DOMAIN_ALL;
}

/* A range inside the domain, where rules are well-behaved. */
static struct range moderate(enum domain domain)
{
	switch (domain) {
	case DOMAIN_POSITIVE:
	case DOMAIN_POW:
		return range_make(0.125, 4);
	case DOMAIN_ABOVE_MINUS_ONE:
		return range_make(-0.875, 0.875);
	case DOMAIN_INSIDE_ONE:
		return range_make(-0.9375, 0.9375);
	case DOMAIN_ABOVE_ONE:
		return range_make(1.125, 5);
	case DOMAIN_ALL:
	case DOMAIN_SECOND_NONZERO:
	case DOMAIN_NOT_BOTH_ZERO:
	case DOMAIN_NOT_ALL_ZERO:
		break;
	}
	return range_make(-4, 4);
}

struct range gen_bare_range(const struct gen_stand *s) { return moderate(domain_of(s)); }

/* Whether x is in the domain or at its end. */
static bool allowed(enum domain domain, double x)
{
	switch (domain) {
	case DOMAIN_POSITIVE:
	case DOMAIN_POW:
		return x >= 0;
	case DOMAIN_ABOVE_MINUS_ONE:
		return x >= -1;
	case DOMAIN_INSIDE_ONE:
		return fabs(x) <= 1;
	case DOMAIN_ABOVE_ONE:
		return x >= 1;
	case DOMAIN_ALL:
	case DOMAIN_SECOND_NONZERO:
	case DOMAIN_NOT_BOTH_ZERO:
	case DOMAIN_NOT_ALL_ZERO:
		break;
	}
	return true;
}

/* ---- points ---- */

/* Ranges in which a result or a partial leaves the range of f64, or 1 absorbs a term added to it.  They are mirrored at
 * 0. */
static const struct point_stretch {
	enum op op;
	double low, high;
} stretches[] = {
    {OP_EXP, 690, 746},
    {OP_EXPM1, 30, 40},
    {OP_EXPM1, 690, 746},
    {OP_SINH, 690, 711},
    {OP_COSH, 690, 711},
    {OP_TANH, 17, 22},
    {OP_TANH, 345, 374},
    {OP_LOGISTIC, 34, 40},
    {OP_LOGISTIC, 690, 746},
    {OP_ERF, 5, 7},
    {OP_ERF, 26, 28},
    {OP_ATAN, 0x1p500, 0x1p540},
    {OP_ASINH, 0x1p500, 0x1p540},
    {OP_SQUARE, 0x1p505, 0x1p513},
    {OP_LOGSUMEXP, 690, 746},
    {OP_SIN, 30, 100},
    {OP_COS, 30, 100},
    {OP_TAN, 1.5, 5},
    {OP_RSQRT, 0x1p-700, 0x1p-680},
    {OP_NORM, 0x1p505, 0x1p513},
    {OP_ATAN2, 0x1p500, 0x1p540},
};

static double uniform(struct choice *c) { return (double)(choice_bits(c) >> 11) * 0x1p-53; }

/* A number in [2^exponent, 2^(exponent + 1)).  The caller chooses the exponent first, because C leaves the order of the
 * arguments of ldexp open. */
static double scaled(struct choice *c, int exponent) { return ldexp(1 + uniform(c), exponent); }

static double in_stretch(struct choice *c, enum op op)
{
	int n = (int)(sizeof stretches / sizeof *stretches), fit[2], n_fit = 0;
	const struct point_stretch *s;
	double x;

	for (int i = 0; i < n && n_fit < 2; i++)
		if (stretches[i].op == op)
			fit[n_fit++] = i;
	if (!n_fit)
		return scaled(c, choice_between(c, -8, 8));
	s = &stretches[fit[choice_below(c, n_fit)]];
	x = s->low * 2 < s->high ? s->low * scaled(c, choice_below(c, 36)) : s->low + (s->high - s->low) * uniform(c);
	return x;
}

/* Points where rules take other branches: the end of the domain if that is not 0, and small numbers. */
static double landmark(struct choice *c, enum domain domain)
{
	static const double at[] = {0, 1, -1, 0, 2, -0.0, 0.5, -2, 3};
	bool one = domain == DOMAIN_INSIDE_ONE || domain == DOMAIN_ABOVE_ONE || domain == DOMAIN_ABOVE_MINUS_ONE;

	if (one && choice_percent(c, 60))
		return domain == DOMAIN_ABOVE_MINUS_ONE ? -1 : 1;
	return at[choice_below(c, (int)(sizeof at / sizeof *at))];
}

/* A number near a landmark: its distance has few bits. */
static double beside(struct choice *c, enum dtype d, enum domain domain)
{
	double x = landmark(c, domain);
	int bits = dtype_table[d].precision, exponent;

	if (x == 0)
		return scaled(c, -choice_between(c, 2, choice_percent(c, 30) ? -dtype_table[d].emin : 2 * bits));
	exponent = -choice_between(c, bits / 3, bits);
	return x + (choice_percent(c, 50) ? ldexp(choice_between(c, 1, 7), exponent) : scaled(c, exponent));
}

/* Any magnitude of the dtype, or a moderate one. */
static double anywhere(struct choice *c, enum dtype d)
{
	const struct dtype_info *t = &dtype_table[d];
	bool far = choice_percent(c, 40);
	int least = far || t->emin > -30 ? t->emin : -30, most = far || t->emax < 31 ? t->emax - 1 : 30;

	return scaled(c, choice_between(c, least, most));
}

static double bare_real(struct choice *c, const struct profile *p, enum dtype d, const struct gen_stand *s)
{
	static const int weights[] = {10, 5, 4, 3, 3};
	enum domain domain = domain_of(s);
	double x;

	for (int attempt = 0; attempt < 3; attempt++) {
		switch (choice_weighted(c, weights, 5)) {
		case 1:
			x = landmark(c, domain);
			break;
		case 2:
			x = beside(c, d, domain);
			break;
		case 3:
			x = anywhere(c, d);
			break;
		case 4:
			x = in_stretch(c, s->op);
			break;
		default:
			return gen_point_real(c, p, d, moderate(domain));
		}
		x = dtype_round(d, choice_percent(c, 50) ? x : -x);
		if (isfinite(x) && allowed(domain, x))
			return x;
	}
	return gen_point_real(c, p, d, moderate(domain));
}

void gen_bare_point(
    struct choice *c, const struct profile *p, const struct gen_stand *stand, int n_input, struct tensor *point)
{
	for (int i = 0; i < n_input; i++) {
		struct tensor *x = &point[i];
		int n = shape_elements(&x->type.shape);
		int wild;

		if (stand[i].op == OP_CONSTANT || !dtype_is_float(x->type.dtype))
			continue;
		/* In half of the tensors, all elements are moderate except one or none.  An extreme element would hide
		 * the others in a sum. */
		wild = choice_percent(c, 50) ? choice_below(c, n + 1) : -1;
		for (int k = 0; k < n; k++)
			x->at[k].f = wild < 0 || wild == k
			    ? bare_real(c, p, x->type.dtype, &stand[i])
			    : gen_point_real(c, p, x->type.dtype, gen_bare_range(&stand[i]));
	}
}

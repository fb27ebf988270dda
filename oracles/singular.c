/* singular.c: see singular.h. */
#include "singular.h"

static bool all_zero(const struct evaluation *ev, const int *parent, int n)
{
	for (int j = 0; j < n; j++)
		if (!mpfr_zero_p(ev->value[parent[j]]))
			return false;
	return true;
}

static bool outside(const struct evaluation *ev, const struct scalar *s)
{
	const int *parent = ev->parent + s->parent;

	if (!s->n_parent)
		return false;
	mpfr_srcptr a = ev->value[parent[0]];
	switch (op_table[s->op].domain) {
	case DOMAIN_ALL: return false;
	case DOMAIN_POSITIVE: return mpfr_sgn(a) <= 0;
	case DOMAIN_ABOVE_MINUS_ONE: return mpfr_cmp_si(a, -1) <= 0;
	case DOMAIN_INSIDE_ONE: return mpfr_cmp_si(a, 1) >= 0 || mpfr_cmp_si(a, -1) <= 0;
	case DOMAIN_ABOVE_ONE: return mpfr_cmp_si(a, 1) <= 0;
	case DOMAIN_SECOND_NONZERO: return mpfr_zero_p(ev->value[parent[1]]);
	case DOMAIN_POW: return mpfr_sgn(a) <= 0;
	case DOMAIN_NOT_BOTH_ZERO:
	case DOMAIN_NOT_ALL_ZERO: return all_zero(ev, parent, s->n_parent);
	}
	return false;
}

bool trace_singular(const struct evaluation *ev, int n)
{
	for (int k = 0; k < n; k++)
		if (!mpfr_number_p(ev->value[k]) || outside(ev, &ev->scalar[k]))
			return true;
	return false;
}

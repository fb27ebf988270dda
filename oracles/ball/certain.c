/* certain.c: see certain.h. */
#include "certain.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>

/* Whether the operand of a NaN is outside the domain of its op in every correct engine. */
static bool outside(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	int a = ev->parent[s->parent];
	double x = double_of(ev->value[a]), r = note[a].radius;
	switch (op_table[s->op].domain) {
	case DOMAIN_POSITIVE:
		return x + r < 0;
	case DOMAIN_ABOVE_MINUS_ONE:
		return x + r < -1;
	case DOMAIN_INSIDE_ONE:
		return fabs(x) - r > 1;
	case DOMAIN_ABOVE_ONE:
		return x + r < 1;
	default:
		return false;
	}
}

/*
 * Whether scalar s may be an infinity whose sign depends on the sign of a computed zero, which is not defined. The
 * sign of rsqrt(-0) is not defined either: MPFR gives +inf, and 1/sqrt(-0) is -inf.
 */
static bool signed_pole(const struct evaluation *ev, const struct scalar *s)
{
	if (s->op != OP_DIV && s->op != OP_RSQRT && s->op != OP_POW)
		return false;
	for (int j = 0; j < s->n_parent; j++) {
		int parent = ev->parent[s->parent + j];
		if (mpfr_zero_p(ev->value[parent]) && (ev->scalar[parent].n_parent > 0 || s->op == OP_RSQRT))
			return true;
	}
	return false;
}

/* Whether an infinity stays one among numbers: inf + x, and inf * x or inf / x if the sign of x is certain. */
static bool infinity_stays(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	double sum = 0;
	switch ((int)s->op) {
	case OP_ADD:
	case OP_SUB:
	case OP_REDUCE_SUM:
	case OP_REDUCE_MEAN:
		for (int j = 0; j < s->n_parent; j++)
			sum += note[parent[j]].certain ? 0 : note[parent[j]].magnitude + note[parent[j]].radius;
		return sum <=
		    dtype_table[s->dtype].max; /* otherwise the sum of two numbers may become the other infinity */
	case OP_MUL:
		for (int j = 0; j < 2; j++)
			if (!note[parent[j]].certain && note[parent[j]].magnitude <= note[parent[j]].radius)
				return false;
		return true;
	case OP_DIV:
		return note[parent[0]].certain && note[parent[1]].magnitude > note[parent[1]].radius;
	default:
		return false;
	}
}

bool certain_non_finite(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	bool exact = true, nan = false, sums = s->op == OP_REDUCE_SUM || s->op == OP_REDUCE_MEAN || s->op == OP_MATMUL;
	for (int j = 0; j < s->n_parent; j++) {
		int parent = ev->parent[s->parent + j];
		exact &= note[parent].certain || note[parent].radius == 0;
		nan |= mpfr_nan_p(ev->value[parent]) != 0;
	}
	/* libraries differ in floor_divide by 0 and of infinities; a - b floor(a/b) is NaN where b is infinite */
	if ((s->op == OP_FLOOR_DIVIDE && !nan) || (s->op == OP_MOD && mpfr_inf_p(ev->value[k])))
		return false;
	if (s->op == OP_SELECT || s->op == OP_FIXED_POINT || s->op == OP_SORT || s->derived)
		return false;
	if (mpfr_nan_p(ev->value[k]) && s->n_parent && ((nan && s->op != OP_POW) || outside(ev, note, k)))
		return true;
	if (exact && !sums)
		return !signed_pole(ev, s);
	return mpfr_inf_p(ev->value[k]) && infinity_stays(ev, note, k);
}

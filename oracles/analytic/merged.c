/*
 * merged.c: an engine may do equal computations once, before it differentiates: common subexpressions, an op taken out
 * of a loop, an op below a broadcast. Cotangents then meet at the result, and their sum is multiplied once. The trace
 * has each computation apart, and adds behind the products. TOLERANCE.md, Lemma 10a, derives what that may change.
 */
#include "internal.h"
#include "contribution.h"

#include <math.h>

void analytic_find_merged(struct analytic *self)
{
	const struct evaluation *ev = &self->ev;
	alike_classes(self->alike, ev, self->note, ev->n_scalar);
	for (int k = 0; k < ev->n_scalar; k++) /* known scalars keep their notes (evaluate.h, again) */
		self->note[k].merged = 0;
	for (int k = 0; k < ev->n_scalar; k++) {
		struct note *n = &self->note[k], *first = &self->note[n->alike];
		if (!n->active || ev->scalar[k].quiet || n == first || !first->active ||
		    ev->scalar[k].op != ev->scalar[n->alike].op)
			continue;
		n->merged = 1;
		first->merged++;
	}
}

/* Whether sums at scalar k lose more than those at its operand: a cast to fewer digits. */
static bool narrows(const struct analytic *self, int k)
{
	const struct scalar *s = &self->ev.scalar[k];
	const struct scalar *parent = &self->ev.scalar[self->ev.parent[s->parent]];
	return s->op == OP_CAST && self->sums[s->dtype].unit > self->sums[parent->dtype].unit;
}

void analytic_merge(struct analytic *self, int k)
{
	struct flow *f = &self->flow[k];
	struct merged *class = &self->flow[self->note[k].alike].merged;
	const struct dtype_info *info = &self->sums[self->ev.scalar[k].dtype];
	double members = 1 + self->note[self->note[k].alike].merged, radius = fmax(f->tight, f->loose);
	double positive = f->terms.positive + radius, negative = f->terms.negative + radius;
	double size = fmax(positive, negative);
	/* The first member is not added to anything. */
	int joins = narrows(self, k) && class->positive + class->negative > 0 ? f->terms.n : f->terms.n - 1;

	if (f->reason || f->terms.n == 0 || !isfinite(size))
		return;
	class->positive += positive;
	class->negative += negative;
	double whole = info->unit * fmax(class->positive, class->negative);
	double more = joins * fmin(whole, members * size) + info->unit * class->joins * size;
	terms_count(&class->joins, joins);
	f->tight += more;
	f->loose += more;
	spread_widen(&f->spread, more, more);
	if (fmax(class->positive, class->negative) > info->max)
		flow_escape(f, self->ev.scalar[k].kind);
}

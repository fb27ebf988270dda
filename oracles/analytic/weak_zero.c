/*
 * weak_zero.c: which derivatives 0 times infinity may make a NaN of, in an engine whose zeros are numbers as any other:
 * it hands a 0 to the branch not taken, to what nobody reads and to what a seed of 0 asks for, and multiplies it with
 * whatever partial is there.
 *
 * Such a NaN is born at a scalar with a partial that no dtype holds and passes to all that depends on it, or that it
 * depends on.  So this is a sweep of one bit, over all that was executed: what the path is does not matter.
 */
#include "internal.h"

#include <math.h>

/* Whether the partial of scalar k by its parent j is infinite, means nothing or leaves the range, by the worst usual
 * formula, or may. */
static bool blows_up(struct analytic *self, const struct conventions *conventions, int k, int j)
{
	struct partial p = {.value = self->partial};
	analytic_partial(self, conventions, k, j, &p);
	return p.reason || p.singular || p.loose == INFINITY;
}

/*
 * Whether the trace shows the edge as one that is differentiated.  Forwards a choice may have handed the tangent of
 * what was not chosen to any scalar, a constant included; but nobody's exponent is a constant by choice.
 */
static bool counts(const struct analytic *self, enum transform_kind kind, int k, int j)
{
	const struct evaluation *ev = &self->ev;
	if (self->note[ev->parent[ev->scalar[k].parent + j]].active)
		return true;
	return kind == TRANSFORM_JVP && !(ev->scalar[k].op == OP_POW && j == 1);
}

/* Backwards from where it is born; forwards it may be in any result, past choices that the trace does not show. */
void analytic_weak_zeros(struct analytic *self, const struct conventions *conventions, enum transform_kind kind)
{
	const struct evaluation *ev = &self->ev;
	bool any = false;
	self->shared.k = -1;
	for (int k = ev->n_scalar - 1; k >= 0; k--) {
		const struct scalar *s = &ev->scalar[k];
		for (int j = 0; j < s->n_parent; j++) {
			int parent = ev->parent[s->parent + j];
			if (self->flow[parent].weak || !counts(self, kind, k, j))
				continue;
			self->flow[parent].weak = self->flow[k].weak || blows_up(self, conventions, k, j);
			any |= self->flow[parent].weak;
		}
	}
	for (int k = 0; k < ev->n_scalar && any && kind == TRANSFORM_JVP; k++)
		self->flow[k].weak = true;
}

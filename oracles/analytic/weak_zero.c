/*
 * weak_zero.c: which derivatives 0 times infinity may turn into NaN.
 *
 * This concerns engines whose zeros multiply like any number. Such an engine passes a 0 to a branch not taken, to a
 * value that nobody reads, and to a result with seed 0. It then multiplies that 0 by every partial on the way.
 *
 * A NaN of this kind starts at a scalar with a partial that no dtype holds. It passes to every scalar that depends on
 * that one (forwards), or on which that one depends (backwards). So this is a sweep of one bit over all executed
 * scalars, on the path or not.
 */
#include "internal.h"

#include <math.h>

/* Whether the partial of scalar k by its parent j may be infinite, undefined, or out of range by the worst usual
 * formula. */
static bool blows_up(struct analytic *self, const struct conventions *conventions, int k, int j)
{
	struct partial p = {.value = self->partial};
	analytic_partial(self, conventions, k, j, &p);
	return p.reason || p.singular || p.strays;
}

/* Marks the scalars on which a result depends. */
static void mark_read(const struct analytic *self, uint8_t *read)
{
	const struct evaluation *ev = &self->ev;
	const struct program *p = &self->c->program;
	for (int i = 0; i < ev->n_result; i++) {
		const struct type *type = &p->type[p->top.result[i]];
		for (int e = 0; dtype_is_float(type->dtype) && e < shape_elements(&type->shape); e++)
			read[ev->result[i].at[e].scalar] = 1;
	}
	for (int k = ev->n_scalar - 1; k >= 0; k--)
		for (int j = 0; read[k] && j < ev->scalar[k].n_parent; j++)
			read[ev->parent[ev->scalar[k].parent + j]] = 1;
}

/*
 * Whether the trace shows that the edge is differentiated, by a partial that is a number or infinite. Forwards, any
 * scalar, even a constant, may have received the tangent of a value that a choice did not take. The exception is an
 * exponent: it is never a constant by choice. If the base is negative, the partial by the exponent is no infinity:
 * there is none. A power that a result reads has its tangent by the base all the same, so an engine that adds 0 times
 * the logarithm of a negative number is not excused.
 */
static bool counts(const struct analytic *self, const uint8_t *read, enum transform_kind kind, int k, int j)
{
	const struct evaluation *ev = &self->ev;
	const int *parent = ev->parent + ev->scalar[k].parent;
	const bool exponent = ev->scalar[k].op == OP_POW && j == 1;
	if (kind == TRANSFORM_JVP && exponent && read[k] && mpfr_sgn(ev->value[parent[0]]) < 0)
		return false;
	return self->note[parent[j]].active || (kind == TRANSFORM_JVP && !exponent);
}

/* Backwards, the NaN passes from the scalar where it starts to its parents. Forwards, it may be in any result,
 * because the trace does not show choices. */
void analytic_weak_zeros(struct analytic *self, const struct conventions *conventions, enum transform_kind kind)
{
	const struct evaluation *ev = &self->ev;
	bool any = false;
	uint8_t *read = NEW(ev->arena, uint8_t, ev->n_scalar + 1);
	self->shared.k = -1;
	mark_read(self, read);
	for (int k = ev->n_scalar - 1; k >= 0; k--) {
		const struct scalar *s = &ev->scalar[k];
		for (int j = 0; j < s->n_parent; j++) {
			int parent = ev->parent[s->parent + j];
			if (self->flow[parent].weak || !counts(self, read, kind, k, j))
				continue;
			self->flow[parent].weak = self->flow[k].weak || blows_up(self, conventions, k, j);
			any |= self->flow[parent].weak;
		}
	}
	for (int k = 0; k < ev->n_scalar && any && kind == TRANSFORM_JVP; k++)
		self->flow[k].weak = true;
}

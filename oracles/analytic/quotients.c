/* quotients.c: see quotients.h. */
#include "quotients.h"

#include <math.h>

/* Whether c has numbers, but its tight radius is too wide to decide anything. */
static bool too_wide(const struct component *c)
{
	return c->reason == REASON_ILL_CONDITIONED && c->tight > 0 && isfinite(c->loose);
}

static void widen(struct component *c, const struct component *divided, enum op product)
{
	if (divided->reason && !too_wide(divided)) {
		*c = *divided;
		return;
	}
	c->in_domain &= divided->in_domain;
	c->weak_zero |= divided->weak_zero;
	c->escapes |= divided->escapes;
	c->flushed = fmax(c->flushed, divided->flushed);
	if (c->reason || !isfinite(c->value))
		return;
	/* The center moves by the rounding errors of the two evaluations. The old ball stays inside the new one. */
	double moved = fabs((c->value - divided->value) + (c->low - divided->low)), loose = divided->loose + moved;
	if (!(loose > c->loose))
		return;
	c->undivided = c->loose;
	c->share = loose - c->loose;
	c->loose = loose;
	c->culprit = product;
}

static void widen_tensors(struct truth_tensor *t, const struct truth_tensor *divided, int n, enum op product)
{
	for (int i = 0; i < n; i++)
		for (int e = 0; e < shape_elements(&t[i].type.shape); e++)
			widen(&t[i].at[e], &divided[i].at[e], product);
}

void quotients_widen(struct truth_point *out, const struct truth_point *divided, enum op product)
{
	/* At a tie, conventions mix: the hull and its corners all belong to one evaluation. */
	if (out->n_assignment > 1 || out->hull || divided->n_assignment > 1 || divided->hull) {
		*out = *divided;
		return;
	}
	widen_tensors(out->primal, divided->primal, out->n_primal, product);
	widen_tensors(out->derivative[0], divided->derivative[0], out->n_derivative, product);
	out->edge |= divided->edge;
	out->nonfinite |= divided->nonfinite;
	out->kink |= divided->kink;
}

/* convergence.c: see convergence.h. */
#include "convergence.h"
#include "graph/walk.h"

#include <math.h>

bool convergence_matters(const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->op == OP_FIXED_POINT && w.node->attrs.meaning == MEANING_SOLUTION)
			return true;
	return false;
}

bool convergence_nested(const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->op == OP_DERIVATIVE && convergence_matters(&w.node->region[0]))
			return true;
	return false;
}

static void undecide(struct component *c, enum reason reason) { *c = (struct component){.reason = reason}; }

/*
 * The second order of linearizing beside the solution. It matters where the first order vanishes, such as in tanh at
 * 0, where distances are of size 1. Powers and quotients vary over their own size and have no such points.
 */
static double second_order(const struct component *c, double stray) { return 16 * stray * stray * c->magnitude; }

/* Widens a component by twice the gap. Not every number of steps is tried, and several fixed points may stop at
 * different steps. */
static void widen(struct component *c, const struct component *unrolled, double seed, double stray)
{
	/* Iterations use paths that the solution does not have, such as those from the initial carries. In the
	 * limit they contribute nothing. */
	c->in_domain &= unrolled->in_domain;
	c->weak_zero |= unrolled->weak_zero;
	c->escapes |= unrolled->escapes;
	if (c->reason)
		return;
	if (unrolled->reason) {
		undecide(c, unrolled->reason == REASON_ILL_CONDITIONED ? REASON_CONVERGENCE : unrolled->reason);
		return;
	}
	c->narrow = false;
	double gap = 2 * fabs((c->value - unrolled->value) + (c->low - unrolled->low)) + second_order(c, stray);
	/* If no path of the solution leads here, the iterations may still contribute. The largest seed then takes
	 * the place of the magnitude. */
	const double most = (c->magnitude > 0 ? c->magnitude : seed) / 64, own = fmax(c->tight, unrolled->tight);
	c->tight = own + gap;
	c->loose = fmax(c->loose, unrolled->loose) + gap;
	if (!(c->tight <= most))
		undecide(c, own <= most ? REASON_CONVERGENCE : REASON_ILL_CONDITIONED);
}

static double largest_seed(const struct transform *t)
{
	double largest = 0;
	for (int i = 0; i < t->n_seed; i++)
		if (dtype_is_float(t->seed[i].type.dtype))
			for (int e = 0; e < shape_elements(&t->seed[i].type.shape); e++)
				largest = fmax(largest, fabs(t->seed[i].at[e].f));
	return largest;
}

void convergence_widen(
    struct truth_point *solution, const struct truth_point *unrolled, const struct transform *t, double stray)
{
	double seed = largest_seed(t);
	bool comparable = solution->n_assignment == unrolled->n_assignment;
	for (int k = 0; k < solution->n_assignment; k++)
		for (int i = 0; i < solution->n_derivative; i++) {
			struct truth_tensor *to = &solution->derivative[k][i];
			for (int e = 0; e < shape_elements(&to->type.shape) && dtype_is_float(to->type.dtype); e++) {
				if (comparable)
					widen(&to->at[e], &unrolled->derivative[k][i].at[e], seed, stray);
				else
					undecide(&to->at[e], to->at[e].reason ? to->at[e].reason : REASON_CONVERGENCE);
			}
		}
}

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
 * The second order of linearising beside the solution, which counts where the first vanishes: tanh at 0, whose
 * distances are of the size of 1 (powers and quotients, which vary over their own size, have no such points).
 */
static double second_order(const struct component *c, double stray) { return 16 * stray * stray * c->magnitude; }

/* Twice the gap: not every number of steps is looked at, and several fixed points stop each when it likes. */
static void widen(struct component *c, const struct component *unrolled, double seed, double stray)
{
	/* Iterations take paths that the solution does not know: from where they start, through which nothing arrives
	 * in the end. */
	c->in_domain &= unrolled->in_domain;
	c->weak_zero |= unrolled->weak_zero;
	if (c->reason)
		return;
	if (unrolled->reason) {
		undecide(c, unrolled->reason == REASON_ILL_CONDITIONED ? REASON_CONVERGENCE : unrolled->reason);
		return;
	}
	double gap = 2 * fabs((c->value - unrolled->value) + (c->low - unrolled->low)) + second_order(c, stray);
	c->tight = fmax(c->tight, unrolled->tight) + gap;
	c->loose = fmax(c->loose, unrolled->loose) + gap;
	/* Where nothing arrives but what iterations have not yet forgotten, the seed is what might have. */
	if (!(c->tight <= (c->magnitude > 0 ? c->magnitude : seed) / 64))
		undecide(c, REASON_CONVERGENCE);
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

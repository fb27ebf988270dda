/*
 * functional.c: the engine `functional`, in which loops stay loops.  The vjp of a loop is a reverse loop.  The forward
 * sweep saves the carries at the start of each iteration.  Each reverse step recomputes the body from one set of
 * carries, and pulls cotangents back through it (region_vjp.c).
 */
#include "region_vjp.h"

static void *keep_open(struct region_run *run, const struct node_loop *l, struct residuals *r)
{
	(void)run, (void)l;
	return r;
}

static struct iterate keep_next(
    struct region_run *run, const struct node_loop *l, const struct residuals *r, void *sweep, int step)
{
	int saved = run->rules->residual_index(step, r->n);

	(void)sweep;
	return (struct iterate){saved, run->rules->loop.xs_row(saved, r->n, l->node->attrs.trip),
	    r->start + run->rules->loop.residual_carry(saved, r->n) * l->n_carry};
}

const struct loop_policy policy_keep_all = {.keep = true, .open = keep_open, .next = keep_next};

static void functional_answer(struct engine *self, void *state, const struct testcase *c, int which,
    struct tensor *point, struct arena *a, struct answer *out)
{
	(void)which;
	region_answer(self, &policy_keep_all, state, c, point, a, out);
}

const struct engine_kind functional_kind = {
    .name = "functional",
    .summary = "loops stay loops: the vjp of a loop is a reverse loop over saved iterates",
    .modelled_on = "Nx.Defn and JAX",
    .vjp = true,
    .order = LIMIT_TRANSFORMS,
    .batch = true,
    .prepare = region_prepare,
    .answer = functional_answer,
};

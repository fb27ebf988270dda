/* faults_nested.c: historic bugs of derivatives inside derivatives: edits of the table of derivative programs (aot_table.h). */
#include "aot_parts.h"
#include "faults.h"

/* What a region defines, at any depth. */
static void mark_own(const struct region *region, bool *own)
{
	for (int k = 0; k < region->n_param; k++)
		own[region->param + k] = true;
	for (int i = 0; i < region->n_node; i++) {
		for (int k = 0; k < region->node[i].n_out; k++)
			own[region->node[i].out + k] = true;
		for (int r = 0; r < region->node[i].n_region; r++)
			mark_own(&region->node[i].region[r], own);
	}
}

static void mark_constants(const struct region *region, bool *constant)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		if (node->op == OP_CONSTANT)
			constant[node->out] = true;
		for (int r = 0; r < node->n_region; r++)
			mark_constants(&node->region[r], constant);
	}
}

/* The tangent 1 for values used in the region that are neither `exempt` nor perturbed yet. */
static void perturb(struct aot *x, const struct region *region, const bool *exempt)
{
	for (int i = 0; i <= region->n_node; i++) {
		const struct node *node = i < region->n_node ? &region->node[i] : NULL;
		const int *use = node ? node->arg : region->result;

		for (int k = 0; k < (node ? node->n_arg : region->n_result); k++) {
			const struct type *type = &x->p->type[use[k]];

			if (exempt[use[k]] || x->active[use[k]] || !dtype_is_float(type->dtype))
				continue;
			x->active[use[k]] = true;
			x->dual[use[k]] = aot_full(x, type->dtype, 1, &type->shape);
		}
		for (int r = 0; node && r < node->n_region; r++)
			perturb(x, &node->region[r], exempt);
	}
}

/* Perturbations carry no tag: that of the variable outside, 1, is taken for one of the derivative inside. */
static void without_tag(struct aot *x, const struct node *node)
{
	bool *exempt = NEW(x->arena, bool, x->p->n_value);

	if (node->attrs.transform != DERIVATIVE_JVP)
		return;
	mark_constants(&x->p->top, exempt);
	mark_own(&node->region[0], exempt);
	perturb(x, &node->region[0], exempt);
}

bool plant_perturbation_confusion(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->aot.capture = without_tag;
	return true;
}

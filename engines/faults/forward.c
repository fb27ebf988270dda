/* forward.c: historic bugs of tangent rules: edits of the rows and seams of `forward`. */
#include "faults.h"
#include "engines/kernels/parts.h"
#include "engines/builtin/forward.h"

/* A select has no tangent at all if one branch does not depend on the inputs. */
static int operand_if_both_branches(const int *argnums, int n_traced, int i)
{
	bool first = false, second = false;

	for (int k = 0; k < n_traced; k++) {
		first = first || argnums[k] == 1;
		second = second || argnums[k] == 2;
	}
	return first && second ? argnums[i] : -1;
}

const struct edits plant_select_drops_branch = {
    .edit = {
        EDIT(tangent.row[OP_SELECT].packing.operand, operand_if_both_branches),
    }};

/* Every tangent that is present is multiplied, also zeros. */
static void elementwise_weak(const struct tangent_call *call, struct tensor *result)
{
	struct broadcast w;

	broadcast_begin(&w, &result->type.shape, call->arg, call->node->n_arg);
	for (int i = 0, n = shape_elements(&result->type.shape); i < n; i++, broadcast_next(&w)) {
		double operand[RULE_PARTIALS] = {0}, sum = 0;

		for (int k = 0; k < call->node->n_arg; k++)
			operand[k] = call->arg[k]->at[w.at[k]].f;
		for (int k = 0; k < call->node->n_arg; k++)
			if (call->tangent[k])
				sum += call->tangent[k]->at[w.at[k]].f *
				    expression_eval(&call->rule->partial[k], operand[0], operand[1], operand[2],
				        call->out->at[i].f);
		result->at[i].f = dtype_round(result->type.dtype, sum);
	}
}

static bool all_elementwise_weak(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	for (int op = 0; op < OP_COUNT; op++)
		if (self->tangent.row[op].partial[0].n)
			self->tangent.row[op].structure = elementwise_weak;
	return true;
}

const struct edits plant_forward_weak_zero = {.compute = all_elementwise_weak};

/* The tangent needs the pair (sin, cos), and the wrong one of them is passed on. */
static void cos_passes_sin(const struct node *node, const struct tensor *const arg[], const struct type *types,
    struct tensor *out, struct arena *a)
{
	struct node sine = *node;

	sine.op = OP_SIN;
	kernel_run(&sine, arg, types, out, a);
}

const struct edits plant_sin_for_cos = {.edit = {EDIT(tangent.row[OP_COS].primal, cos_passes_sin)}};

/* Only the last product for a place is remembered. */
static void tangent_scatter_mul_unique(const struct tangent_call *call, struct tensor *result)
{
	int axis = call->node->attrs.axis, n_index = shape_elements(&call->arg[1]->type.shape);
	struct axis_view v = axis_view(&result->type.shape, axis);
	const struct tensor *x = call->arg[0], *dx = call->tangent[0], *factor = call->arg[2], *df = call->tangent[2];

	for (int i = 0, n = shape_elements(&result->type.shape); dx && i < n; i++)
		result->at[i] = dx->at[i];
	for (int o = 0; o < v.outer; o++)
		for (int k = 0; k < n_index; k++) {
			int slice = kernel_index(call->node->attrs.mode, call->arg[1]->at[k].i, v.n);

			for (int i = 0; slice >= 0 && i < v.inner; i++) {
				int at = (o * v.n + slice) * v.inner + i,
				    f = (o * factor->type.shape.extent[axis] + k) * v.inner + i;
				double sum = (dx ? dx->at[at].f * factor->at[f].f : 0) +
				    (df ? df->at[f].f * x->at[at].f : 0);

				result->at[at].f = dtype_round(result->type.dtype, sum);
			}
		}
}

const struct edits plant_tangent_scatter_mul_unique = {
    .edit = {
        EDIT(tangent.row[OP_SCATTER_MUL].structure, tangent_scatter_mul_unique),
    }};

static double value_at_tangent(struct forward *self, const struct region *region, double had, double given)
{
	(void)given;
	return forward_region_at(self, region, had);
}

const struct edits plant_apply_to_tangent = {.edit = {EDIT(tangent.applied, value_at_tangent)}};

/*
 * An else is missing, so the pointers into the tangents advance once for each operand that attains the extremum.  At a
 * tie they advance twice.  After that, every element reads the tangents of a later one; past the end, the last one
 * again.
 */
static void extremum_skewed(const struct tangent_call *call, struct tensor *result)
{
	struct broadcast w;
	int skew = 0;

	broadcast_begin(&w, &result->type.shape, call->arg, 2);
	for (int i = 0, n = shape_elements(&result->type.shape); i < n; i++, broadcast_next(&w)) {
		double a = call->arg[0]->at[w.at[0]].f, b = call->arg[1]->at[w.at[1]].f, sum = 0;

		for (int k = 0; k < 2; k++) {
			const struct tensor *tangent = call->tangent[k];
			int last = tangent ? shape_elements(&tangent->type.shape) - 1 : 0, at = w.at[k] + skew;
			double moving = tangent ? tangent->at[at < last ? at : last].f : 0;

			if (moving != 0)
				sum += moving * expression_eval(&call->rule->partial[k], a, b, 0, call->out->at[i].f);
		}
		result->at[i].f = dtype_round(result->type.dtype, sum);
		skew += a == b;
	}
}

const struct edits plant_extremum_skewed = {.edit = {
                                                EDIT(tangent.row[OP_MAX].structure, extremum_skewed),
                                                EDIT(tangent.row[OP_MIN].structure, extremum_skewed),
                                            }};

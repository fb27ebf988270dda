/*
 * nested.c: historic bugs of derivatives inside derivatives, and of custom rules: edits of the table of derivative
 * programs (aot/table.h).
 */
#include "graph/walk.h"
#include "engines/aot/parts.h"
#include "faults.h"

static void mark_constants(const struct region *region, bool *constant)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->op == OP_CONSTANT)
			constant[w.node->out] = true;
}

/* Gives the tangent 1 to values used in the region that are neither `exempt` nor perturbed yet. */
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

/*
 * Perturbations carry no tag.  So the perturbation of the variable outside, 1, is taken for one of the derivative
 * inside.
 */
static void without_tag(struct aot *x, const struct node *node)
{
	bool *exempt = NEW(x->arena, bool, x->p->n_value);

	if (node->attrs.transform != DERIVATIVE_JVP)
		return;
	mark_constants(&x->p->top, exempt);
	region_mark_defined(&node->region[0], exempt);
	perturb(x, &node->region[0], exempt);
}

const struct edits plant_perturbation_confusion = {.edit = {EDIT(aot.capture, without_tag)}};

/* ---- rules that are right, but not their derivatives ---- */

/* Values saved by the backward pass have no history: they are constants for the next derivative. */
const struct edits plant_saved_constant = {
    .edit = {
        EDIT(aot.row[OP_SQUARE].partial[0], "stop_gradient(a+a)"),
        EDIT(aot.row[OP_EXP].partial[0], "stop_gradient(exp(a))"),
        EDIT(aot.row[OP_SQRT].partial[0], "0.5/stop_gradient(sqrt(a))"),
        EDIT(aot.row[OP_LOGISTIC].partial[0], "stop_gradient(logistic(a)*logistic(-a))"),
    }};

/* Its value is safe at the exponent 0, where 0 * x^-1 would be NaN. But the exponent is wrong: x^1 for x^-1. */
const struct edits plant_value_safe_exponent = {.edit = {
                                                    EDIT(aot.row[OP_POW].partial[0], "b*pow(a,select(eq(b,0),1,b-1))"),
                                                }};

/* A product that is 0 is left out.  That is right for its value, but not for its derivative. */
static int unless_zero(struct aot *x, int tangent, int product)
{
	int zero = aot_scalar(x, DTYPE_F64, 0);

	return aot_op3(x, OP_SELECT, aot_op2(x, OP_EQ, product, zero), zero, aot_op2(x, OP_MUL, tangent, product));
}

const struct edits plant_zero_factor_dropped = {.edit = {EDIT(aot.running_term, unless_zero)}};

int fault_lost_at_zero(struct aot *x, int derivative, int partial)
{
	int zero = aot_scalar(x, aot_type(x, derivative)->dtype, 0);

	return aot_op3(
	    x, OP_SELECT, aot_op2(x, OP_EQ, derivative, zero), zero, aot_op2(x, OP_MUL, derivative, partial));
}

const struct edits plant_strong_zero_lost = {.edit = {
                                                 EDIT(aot.product, fault_lost_at_zero),
                                                 EDIT(aot.running_term, fault_lost_at_zero),
                                             }};

int fault_once_at_least(struct aot *x, int count) { return aot_op2(x, OP_MAX, count, aot_scalar(x, DTYPE_I64, 1)); }

const struct edits plant_reverse_unentered = {.edit = {EDIT(aot.reversed, fault_once_at_least)}};

/* ---- op custom ---- */

/* The number of loop bodies around the definition of v in a region, at any depth; -1: it is not in the region. */
static int bodies_around(const struct region *region, int v)
{
	if (v >= region->param && v < region->param + region->n_param)
		return 0;
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];
		enum family family = op_table[node->op].family;

		if (v >= node->out && v < node->out + node->n_out)
			return 0;
		for (int r = 0; r < node->n_region; r++) {
			int inside = bodies_around(&node->region[r], v);

			if (inside >= 0)
				return inside +
				    (family == FAMILY_FOR || family == FAMILY_WHILE || family == FAMILY_SCAN);
		}
	}
	return -1;
}

/*
 * In the body of a loop, the check whether a captured value is perturbed finds tracers that do not know.  So it says
 * no.
 */
static bool perturbed_here(const struct program *p, const struct node *node, int k)
{
	return bodies_around(&p->top, node->arg[k]) == bodies_around(&p->top, node->out);
}

const struct edits plant_closed_over_constant = {.edit = {
                                                     EDIT(tangent.custom.active, perturbed_here),
                                                     EDIT(adjoint.custom.active, perturbed_here),
                                                 }};

/* Operands are distinguished by value.  Equal ones share one slot, the first. */
static void merge_slots(struct aot *x, const struct node *node, int *contribution)
{
	(void)x;
	for (int k = 1; k < node->n_arg; k++)
		for (int earlier = 0; earlier < k; earlier++)
			if (node->arg[earlier] == node->arg[k])
				contribution[k] = -1;
}

const struct edits plant_slots_merged = {.edit = {EDIT(aot.slots, merge_slots)}};

/*
 * The rule works for one application only.  A value that it read, such as the solution, has no derivative in the next.
 */
static int without_history(struct aot *x, int value) { return aot_op1(x, OP_STOP_GRADIENT, value); }

const struct edits plant_rule_used_once = {.edit = {EDIT(aot.rule_reads, without_history)}};

/* ---- slots of a closure ---- */

/*
 * The closure that pulls a product back is right at first, and when it is differentiated once.  Differentiated twice,
 * it has its slots the wrong way round.
 */
static void mul_swapped_at_third(struct aot *x, const struct node *node, const int *arg, int out, int cotangent,
    const bool *wanted, int *contribution)
{
	int first;

	aot_rules_right.row[OP_MUL].pull(x, node, arg, out, cotangent, wanted, contribution);
	first = contribution[0];
	if (x->below < 2 || first < 0 || contribution[1] < 0 ||
	    !type_equal(aot_type(x, first), aot_type(x, contribution[1])))
		return;
	contribution[0] = contribution[1];
	contribution[1] = first;
}

const struct edits plant_slots_swapped = {.edit = {EDIT(aot.row[OP_MUL].pull, mul_swapped_at_third)}};

/* control.c: control flow: regions that run once, for each index, or for as long as a condition holds. */
#include "internal.h"
#include "graph/loop.h"

/* The integer or bool scalar `value`, on which control flow depends. */
int64_t evaluate_decide(struct evaluation_run *r, const struct elements *value)
{
	if (element_shaky(value, 0))
		r->ev->status = EVALUATE_SHAKY;
	trace_event(r->ev, value->at[0].i);
	return value->at[0].i;
}

/* Element by element: what the branch taken gives, where rounding could take the other one. */
static struct elements either_result(
    struct evaluation_run *r, const struct type *type, const struct elements *taken, const struct elements *other)
{
	const int n = shape_elements(&type->shape);
	struct elements out = elements_new(r, n, false);
	for (int k = 0; k < n; k++) {
		element_copy(r, &out, n, k, taken, k);
		if (dtype_is_float(type->dtype))
			out.at[k].scalar = trace_either(r->ev, type->dtype, taken->at[k].scalar, other->at[k].scalar);
		else if (taken->at[k].i != other->at[k].i || element_shaky(other, k))
			element_set_shaky(r, &out, n, k);
	}
	return out;
}

/* A cond that may take either branch. Engines may also compute both, and select. */
static void evaluate_either(struct evaluation_run *r, const struct node *node)
{
	const bool first = r->env[node->arg[0]].at[0].i != 0;
	const struct region *taken = &node->region[first ? 0 : 1], *other = &node->region[first ? 1 : 0];
	trace_event(r->ev, first);
	evaluate_region(r, taken);
	evaluate_region(r, other);
	for (int k = 0; k < node->n_out; k++)
		r->env[node->out + k] = either_result(
		    r, &r->p->type[node->out + k], &r->env[taken->result[k]], &r->env[other->result[k]]);
}

void evaluate_cond(struct evaluation_run *r, const struct node *node)
{
	if (r->ev->both && element_shaky(&r->env[node->arg[0]], 0)) {
		evaluate_either(r, node);
		return;
	}
	const enum evaluate_status before = r->ev->status;
	const struct region *region = &node->region[evaluate_decide(r, &r->env[node->arg[0]]) ? 0 : 1];
	if (before == EVALUATE_OK && r->ev->status == EVALUATE_SHAKY)
		r->ev->status = EVALUATE_BRANCH;
	evaluate_region(r, region);
	for (int k = 0; k < node->n_out; k++)
		r->env[node->out + k] = r->env[region->result[k]];
}

/* Carries of a loop: [n], copied between parameters and results because parameters are overwritten each iteration. */
static struct elements *carries_new(struct evaluation_run *r, const int *arg, int n)
{
	struct elements *carry = NEW(r->arena, struct elements, n + 1);
	for (int k = 0; k < n; k++)
		carry[k] = r->env[arg[k]];
	return carry;
}

static void take_results(struct evaluation_run *r, const struct region *region, struct elements *carry, int n)
{
	for (int k = 0; k < n; k++)
		carry[k] = r->env[region->result[k]];
}

void evaluate_checkpoint(struct evaluation_run *r, const struct node *node)
{
	evaluate_region(r, &node->region[0]);
	for (int k = 0; k < node->n_out; k++)
		r->env[node->out + k] = r->env[node->region[0].result[k]];
}

void evaluate_scatter_apply(struct evaluation_run *r, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct shape *shape = &r->p->type[node->arg[0]].shape;
	const struct elements *x = &r->env[node->arg[0]], *indices = &r->env[node->arg[1]];
	struct axis_split v = evaluate_axis_view(shape, node->attrs.axis);
	int total = shape_elements(shape), n = shape_elements(&r->p->type[node->arg[1]].shape);
	struct elements out = elements_new(r, total, false);
	for (int k = 0; k < total; k++)
		element_copy(r, &out, total, k, x, k);
	for (int k = 0; k < n; k++) {
		int slice = evaluate_index(r, indices, k, node->attrs.mode, v.n);
		for (int e = 0; slice >= 0 && e < v.outer * v.inner; e++) {
			int at = (e / v.inner * v.n + slice) * v.inner + e % v.inner;
			struct elements element = elements_new(r, 1, false);
			element_copy(r, &element, 1, 0, &out, at);
			r->env[region->param] = element;
			evaluate_region(r, region);
			const struct elements *result = &r->env[region->result[0]];
			if (out.shaky)
				out.shaky[at] = 0;
			element_copy(r, &out, total, at, result, 0);
		}
	}
	r->env[node->out] = out;
}

void evaluate_for(struct evaluation_run *r, const struct node *node)
{
	const struct node_loop l = node_loop(node);
	const struct region *body = l.body;
	const int n = l.n_carry;
	int64_t trip = node->attrs.trip;
	if (l.counted) {
		trip = evaluate_decide(r, &r->env[node->arg[0]]);
		trip = trip < 0 ? 0 : trip > node->attrs.cap ? node->attrs.cap : trip;
	}
	struct elements *carry = carries_new(r, node->arg + l.first_arg, n);
	for (int64_t t = 0; t < trip; t++) {
		struct elements index = elements_new(r, 1, false);
		index.at[0].i = t;
		r->env[body->param] = index;
		for (int k = 0; k < n; k++)
			r->env[l.first_param + k] = carry[k];
		evaluate_region(r, body);
		take_results(r, body, carry, n);
		if (node->attrs.until && evaluate_decide(r, &r->env[body->result[n]]))
			break;
	}
	for (int k = 0; k < n; k++)
		r->env[node->out + k] = carry[k];
}

void evaluate_while(struct evaluation_run *r, const struct node *node)
{
	const struct region *condition = &node->region[0], *body = &node->region[1];
	struct elements *carry = carries_new(r, node->arg, node->n_arg);
	for (int t = 0; t < node->attrs.cap; t++) {
		for (int k = 0; k < node->n_arg; k++)
			r->env[condition->param + k] = carry[k];
		evaluate_region(r, condition);
		if (!evaluate_decide(r, &r->env[condition->result[0]]))
			break;
		for (int k = 0; k < node->n_arg; k++)
			r->env[body->param + k] = carry[k];
		evaluate_region(r, body);
		take_results(r, body, carry, node->n_arg);
	}
	for (int k = 0; k < node->n_arg; k++)
		r->env[node->out + k] = carry[k];
}

void evaluate_scan(struct evaluation_run *r, const struct node *node)
{
	const struct region *body = &node->region[0];
	int n = node->attrs.carries, n_slice = node->n_arg - n, n_stack = node->n_out - n;
	struct elements *carry = carries_new(r, node->arg, n);
	for (int k = 0; k < n_stack; k++)
		r->env[node->out + n + k] = elements_new(
		    r, shape_elements(&r->p->type[node->out + n + k].shape), false);
	int done = 0;
	for (int t = 0; t < node->attrs.trip; t++) {
		for (int k = 0; k < n; k++)
			r->env[body->param + k] = carry[k];
		for (int k = 0; k < n_slice; k++) {
			int size = shape_elements(&r->p->type[body->param + n + k].shape);
			const struct elements *xs = &r->env[node->arg[n + k]];
			r->env[body->param + n + k] = (struct elements){
			    .at = xs->at + t * size, .shaky = xs->shaky ? xs->shaky + t * size : NULL};
		}
		evaluate_region(r, body);
		take_results(r, body, carry, n);
		for (int k = 0; k < n_stack; k++) {
			const struct type *type = &r->p->type[node->out + n + k];
			const struct elements *row = &r->env[body->result[n + k]];
			int total = shape_elements(&type->shape),
			    size = node->attrs.trip ? total / node->attrs.trip : 0;
			for (int j = 0; j < size; j++)
				element_copy(r, &r->env[node->out + n + k], total, t * size + j, row, j);
		}
		done = t + 1;
		if (node->attrs.until && evaluate_decide(r, &r->env[body->result[n + n_stack]]))
			break;
	}
	for (int k = 0; k < n_stack; k++) { /* the rows after an early exit */
		const struct type *type = &r->p->type[node->out + n + k];
		int total = shape_elements(&type->shape), size = node->attrs.trip ? total / node->attrs.trip : 0;
		for (int j = done * size; j < total; j++)
			element_zero(r, &r->env[node->out + n + k], type->dtype, j);
	}
	for (int k = 0; k < n; k++)
		r->env[node->out + k] = carry[k];
}

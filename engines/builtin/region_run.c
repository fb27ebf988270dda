/*
 * region_run.c: forward through regions.  Loops keep their iterates where the policy says so.  Everything else that a
 * reverse step needs is found by executing again.
 */
#include "region_vjp.h"

#include "engines/kernels/kernels.h"

#include <string.h>

static void run_cond(struct region_run *run, const struct node *node)
{
	const struct region *taken = &node->region[run->value[node->arg[0]].at->i ? 0 : 1];

	region_execute(run, taken);
	for (int k = 0; k < node->n_out; k++)
		run->value[node->out + k] = run->value[taken->result[k]];
}

/* The second execution, in reverse, saves the residuals of the loops inside. */
static void run_checkpoint(struct region_run *run, const struct node *node)
{
	const struct region *region = &node->region[0];
	bool saving = run->saving;

	run->saving = false;
	region_execute(run, region);
	run->saving = saving;
	for (int k = 0; k < node->n_out; k++)
		run->value[node->out + k] = run->value[region->result[k]];
}

void region_apply(void *engine, const struct region *region, const struct tensor *value, struct tensor *result)
{
	struct region_run *run = engine;
	bool saving = run->saving;

	run->saving = false;
	for (int k = 0; k < region->n_param; k++)
		run->value[region->param + k] = value[k];
	region_execute(run, region);
	run->saving = saving;
	for (int k = 0; k < region->n_result; k++)
		result[k] = run->value[region->result[k]];
}

static void run_custom(struct region_run *run, const struct node *node)
{
	struct tensor arg[LIMIT_ARGS];

	for (int k = 0; k < node->n_arg; k++)
		arg[k] = run->value[node->arg[k]];
	region_apply(run, &node->region[0], arg, &run->value[node->out]);
}

/* Appends the carries at the start of an iteration, or after the last. */
static void save(struct region_run *run, struct residuals *r, const struct tensor *carry)
{
	r->start = arena_grow(run->arena, r->start, &r->room, r->n + 1, sizeof *r->start * (size_t)r->n_carry);
	if (r->n_carry)
		memcpy(r->start + r->n * r->n_carry, carry, sizeof *carry * (size_t)r->n_carry);
}

/* Sets the parameters of the body and runs it. */
void loop_execute(struct region_run *run, const struct node_loop *l, struct iterate from)
{
	if (op_table[l->node->op].family == FAMILY_FOR) {
		run->value[l->body->param] = tensor_new(run->arena, &run->program->type[l->body->param]);
		run->value[l->body->param].at->i = from.t;
	}
	for (int k = 0; k < l->n_carry; k++)
		run->value[l->first_param + k] = from.carry[k];
	for (int k = 0; k < l->n_xs; k++)
		run->value[l->first_param + l->n_carry + k] = kernel_row(
		    &run->value[l->node->arg[l->first_arg + l->n_carry + k]], from.row, run->arena);
	region_execute(run, l->body);
}

/* Whether the next iteration of a while loop is to be run. */
static bool while_goes_on(struct region_run *run, const struct node *node, const struct tensor *carry)
{
	const struct region *condition = &node->region[0];

	for (int k = 0; k < node->n_arg; k++)
		run->value[condition->param + k] = carry[k];
	region_execute(run, condition);
	return run->value[condition->result[0]].at->i != 0;
}

/* Saves the element that each application found, as the only carry of a loop over them. */
static void run_scatter_apply(struct region_run *run, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct tensor *x = &run->value[node->arg[0]];
	struct tensor y = tensor_copy(run->arena, x);
	struct residuals *r = NEW(run->arena, struct residuals, 1);
	int n, *at = kernel_positions(node, &x->type, &run->value[node->arg[1]], &n, run->arena);
	bool saving = run->saving;

	run->saving = false;
	r->n_carry = 1;
	for (int k = 0; k < n; k++) {
		struct tensor element = tensor_new(run->arena, &run->program->type[region->param]);

		element.at[0] = y.at[at[k]];
		if (saving)
			save(run, r, &element);
		r->n++;
		run->value[region->param] = element;
		region_execute(run, region);
		y.at[at[k]] = run->value[region->result[0]].at[0];
	}
	run->value[node->out] = y;
	run->residuals[node->out] = r;
	run->saving = saving;
}

static int trip_limit(const struct region_run *run, const struct node_loop *l)
{
	const struct node *node = l->node;

	return l->counted ? kernel_trip(node, &run->value[node->arg[0]]) : node_max_trip(node);
}

struct tensor *loop_new_carries(struct region_run *run, const struct node_loop *l)
{
	struct tensor *carry = NEW(run->arena, struct tensor, l->n_carry);

	for (int k = 0; k < l->n_carry; k++)
		carry[k] = tensor_new(run->arena, &run->program->type[l->first_param + k]);
	return carry;
}

void loop_copy_carries(const struct node_loop *l, struct tensor *to, const struct tensor *from)
{
	for (int k = 0; k < l->n_carry; k++)
		memcpy(to[k].at, from[k].at, sizeof *to[k].at * (size_t)shape_elements(&to[k].type.shape));
}

/* Copies the results of the body that are carries. */
static void take_carries(struct region_run *run, const struct node_loop *l, struct tensor *to)
{
	struct tensor result[LIMIT_ARGS];

	for (int k = 0; k < l->n_carry; k++)
		result[k] = run->value[l->body->result[k]];
	loop_copy_carries(l, to, result);
}

void loop_advance(struct region_run *run, const struct node_loop *l, struct iterate from, struct tensor *to)
{
	struct arena_mark mark = arena_mark(run->arena);
	bool saving = run->saving;

	run->saving = false;
	loop_execute(run, l, from);
	run->saving = saving;
	take_carries(run, l, to);
	arena_rewind(run->arena, mark);
}

static void run_loop(struct region_run *run, const struct node *node)
{
	enum family family = op_table[node->op].family;
	struct node_loop l = node_loop(node);
	struct residuals *r = NEW(run->arena, struct residuals, 1);
	struct tensor carry[LIMIT_ARGS], *buffer[2] = {NULL, NULL};
	int trip = trip_limit(run, &l);
	bool done = false, saving = run->saving, keep = saving && run->policy->keep;

	run->saving = false;
	r->n_carry = l.n_carry;
	for (int k = 0; k < l.n_carry; k++)
		carry[k] = run->value[node->arg[l.first_arg + k]];
	for (int k = 0; k < l.n_ys; k++)
		run->value[node->out + l.n_carry + k] = tensor_new(
		    run->arena, &run->program->type[node->out + l.n_carry + k]);
	for (int side = 0; side < 2 && !keep && trip > 0; side++)
		buffer[side] = loop_new_carries(run, &l);
	while (r->n < trip && !done) {
		struct arena_mark mark = arena_mark(run->arena);

		if (family == FAMILY_WHILE && !while_goes_on(run, node, carry))
			break;
		if (keep)
			save(run, r, carry);
		loop_execute(run, &l, (struct iterate){r->n, r->n, carry});
		for (int k = 0; k < l.n_ys; k++)
			kernel_set_row(
			    &run->value[node->out + l.n_carry + k], r->n, &run->value[l.body->result[l.n_carry + k]]);
		done = node->attrs.until && run->value[l.body->result[l.body->n_result - 1]].at->i;
		if (keep) {
			for (int k = 0; k < l.n_carry; k++)
				carry[k] = run->value[l.body->result[k]];
		} else {
			take_carries(run, &l, buffer[r->n % 2]);
			for (int k = 0; k < l.n_carry; k++)
				carry[k] = buffer[r->n % 2][k];
			arena_rewind(run->arena, mark);
		}
		r->n++;
	}
	if (keep)
		save(run, r, carry);
	for (int k = 0; k < l.n_carry; k++)
		run->value[node->out + k] = carry[k];
	if (node->n_out)
		run->residuals[node->out] = r;
	run->saving = saving;
}

void region_execute(struct region_run *run, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		if (!node->n_region)
			kernel_step(run->program, node, run->value, run->arena);
		else if (op_table[node->op].family == FAMILY_COND)
			run_cond(run, node);
		else if (op_table[node->op].family == FAMILY_CHECKPOINT)
			run_checkpoint(run, node);
		else if (op_table[node->op].family == FAMILY_SCATTER_APPLY)
			run_scatter_apply(run, node);
		else if (op_table[node->op].family == FAMILY_CUSTOM)
			run_custom(run, node);
		else
			run_loop(run, node);
	}
}

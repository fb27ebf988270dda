/* tape_loops.c: loops unroll onto the tape, iteration by iteration.  The slices and stacks of a scan are moves. */
#include "graph/loop.h"
#include "engines/kernels/kernels.h"
#include "tape.h"

/* Runs a loop body on `carry`, which becomes the body's results.  True if `until` ends the loop. */
static bool run_body(
    struct tape *tape, const struct region *body, int first_param, int n_carry, struct variable **carry, bool until)
{
	for (int k = 0; k < n_carry; k++)
		tape->variable[first_param + k] = carry[k];
	tape_run(tape, body);
	for (int k = 0; k < n_carry; k++)
		carry[k] = tape->variable[body->result[k]];
	return until && tape->variable[body->result[body->n_result - 1]]->tensor.at->i;
}

/*
 * The values with which a loop begins.  If the loop is not the last to use a value, the value keeps its name outside.
 */
static void take_args(const struct tape *tape, const struct node *node, int first, int n, struct variable **out)
{
	for (int k = 0; k < n; k++) {
		out[k] = tape->variable[node->arg[first + k]];
		out[k]->shared |= tape->last_use[node->arg[first + k]] != node;
	}
}

void tape_for(struct tape *tape, const struct node *node)
{
	const struct node_loop l = node_loop(node);
	const struct region *body = l.body;
	int trip = kernel_trip(node, l.counted ? &tape->variable[node->arg[0]]->tensor : NULL);
	struct variable *carry[LIMIT_ARGS];
	bool done = false;

	take_args(tape, node, l.first_arg, l.n_carry, carry);
	for (int i = 0; i < trip && !done; i++) {
		tape->variable[body->param] = tape_variable(
		    tape, tensor_new(tape->arena, &tape->program->type[body->param]));
		tape->variable[body->param]->tensor.at->i = i;
		done = run_body(tape, body, l.first_param, l.n_carry, carry, l.until);
	}
	for (int k = 0; k < l.n_carry; k++)
		tape->variable[node->out + k] = carry[k];
}

void tape_while(struct tape *tape, const struct node *node)
{
	const struct region *condition = &node->region[0], *body = &node->region[1];
	int n_carry = node->n_arg;
	struct variable *carry[LIMIT_ARGS];
	bool shared[LIMIT_ARGS];

	take_args(tape, node, 0, n_carry, carry);
	for (int i = 0; i < node->attrs.cap; i++) {
		/* The body sees them too.  A value that is here twice is already shared. */
		for (int k = 0; k < n_carry; k++) {
			tape->variable[condition->param + k] = carry[k];
			shared[k] = carry[k]->shared;
			carry[k]->shared = true;
		}
		tape_run(tape, condition);
		for (int k = 0; k < n_carry; k++)
			carry[k]->shared = shared[k];
		if (!tape->variable[condition->result[0]]->tensor.at->i)
			break;
		run_body(tape, body, body->param, n_carry, carry, false);
	}
	for (int k = 0; k < n_carry; k++)
		tape->variable[node->out + k] = carry[k];
}

/* Each executed iteration takes a row of xs and gives a row of ys.  The rows after an early exit are zeros. */
void tape_scan(struct tape *tape, const struct node *node)
{
	const struct region *body = &node->region[0];
	int n_carry = node->attrs.carries, n_xs = node->n_arg - n_carry, n_ys = node->n_out - n_carry,
	    trip = node->attrs.trip, executed = 0;
	struct variable *carry[LIMIT_ARGS], *xs[LIMIT_ARGS], **rows = NEW(tape->arena, struct variable *, trip * n_ys);
	struct record *split[LIMIT_ARGS];
	bool done = false;

	take_args(tape, node, 0, n_carry, carry);
	for (int k = 0; k < n_xs; k++) {
		xs[k] = tape->variable[node->arg[n_carry + k]];
		split[k] = tape_split(tape, xs[k], trip);
	}
	for (; executed < trip && !done; executed++) {
		for (int k = 0; k < n_xs; k++) {
			int param = body->param + n_carry + k;

			tape->variable[param] = tape_part(tape, split[k], xs[k], &tape->program->type[param], executed);
		}
		done = run_body(tape, body, body->param, n_carry, carry, node->attrs.until);
		for (int k = 0; k < n_ys; k++)
			rows[k * trip + executed] = tape->variable[body->result[n_carry + k]];
	}
	for (int k = 0; k < n_carry; k++)
		tape->variable[node->out + k] = carry[k];
	for (int k = 0; k < n_ys; k++) {
		int y = node->out + n_carry + k;

		tape->variable[y] = tape_put(tape, &tape->program->type[y], NULL, executed, rows + k * trip, NULL);
	}
}

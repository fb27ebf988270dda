/* tape_loops.c: loops unroll onto the tape, iteration by iteration; only slices and stacks of a scan leave records of their own. */
#include "kernels.h"
#include "tape.h"

/* Runs a loop body on `carry`, which becomes its results; true when `until` ends the loop. */
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

/* What a loop begins with; unless the loop is the last to use it, that keeps its name outside. */
static void take_args(const struct tape *tape, const struct node *node, int first, int n, struct variable **out)
{
	for (int k = 0; k < n; k++) {
		out[k] = tape->variable[node->arg[first + k]];
		out[k]->shared |= tape->last_use[node->arg[first + k]] != node;
	}
}

void tape_for(struct tape *tape, const struct node *node)
{
	const struct region *body = &node->region[0];
	int counted = node->attrs.trip < 0, n_carry = node->n_arg - counted;
	int trip = kernel_trip(node, counted ? &tape->variable[node->arg[0]]->tensor : NULL);
	struct variable *carry[LIMIT_ARGS];
	bool done = false;

	take_args(tape, node, counted, n_carry, carry);
	for (int i = 0; i < trip && !done; i++) {
		tape->variable[body->param] =
		    tape_variable(tape, tensor_new(tape->arena, &tape->program->type[body->param]));
		tape->variable[body->param]->tensor.at->i = i;
		done = run_body(tape, body, body->param + 1, n_carry, carry, node->attrs.until);
	}
	for (int k = 0; k < n_carry; k++)
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
		/* The body sees them too.  One that is here twice is shared already. */
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

/* Slice `row` of xs: its cotangent goes to that row. */
static void reverse_row(struct tape *tape, const struct record *r)
{
	adjoint_add_row(
	    tape->rules, &r->arg[0]->tensor.type, &r->arg[0]->adjoint, r->row, r->out->adjoint, tape->arena);
}

static struct variable *take_row(struct tape *tape, struct variable *xs, int row)
{
	struct variable *out = tape_variable(tape, kernel_row(&xs->tensor, row, tape->arena));

	if (xs->active) {
		struct record *r = tape_push(tape, reverse_row, out, 1);

		r->arg[0] = xs;
		r->row = row;
	}
	return out;
}

/* Stacked outputs: each executed iteration gets its row's cotangent, the zero rows after an early exit get none. */
static void reverse_stack(struct tape *tape, const struct record *r)
{
	const struct type *t = &r->out->tensor.type;

	for (int k = 0; k < r->n_arg; k++) {
		const struct tensor stacked = {*t, r->out->adjoint};

		if (r->arg[k]->active)
			adjoint_add(tape->rules, &r->arg[k]->tensor.type, &r->arg[k]->adjoint,
			    kernel_row(&stacked, k, tape->arena).at);
	}
}

static struct variable *stack_rows(
    struct tape *tape, const struct type *type, struct variable *const *rows, int stride, int n)
{
	struct variable *out = tape_variable(tape, tensor_new(tape->arena, type));
	bool active = false;
	struct record *r;

	for (int t = 0; t < n; t++) {
		kernel_set_row(&out->tensor, t, &rows[t * stride]->tensor);
		active |= rows[t * stride]->active;
	}
	if (!active)
		return out;
	r = tape_push(tape, reverse_stack, out, n);
	for (int t = 0; t < n; t++)
		r->arg[t] = rows[t * stride];
	return out;
}

void tape_scan(struct tape *tape, const struct node *node)
{
	const struct region *body = &node->region[0];
	int n_carry = node->attrs.carries, n_xs = node->n_arg - n_carry, n_ys = node->n_out - n_carry, executed = 0;
	struct variable *carry[LIMIT_ARGS], **rows = NEW(tape->arena, struct variable *, node->attrs.trip * n_ys);
	bool done = false;

	take_args(tape, node, 0, n_carry, carry);
	for (; executed < node->attrs.trip && !done; executed++) {
		for (int k = 0; k < n_xs; k++)
			tape->variable[body->param + n_carry + k] =
			    take_row(tape, tape->variable[node->arg[n_carry + k]], executed);
		done = run_body(tape, body, body->param, n_carry, carry, node->attrs.until);
		for (int k = 0; k < n_ys; k++)
			rows[executed * n_ys + k] = tape->variable[body->result[n_carry + k]];
	}
	for (int k = 0; k < n_carry; k++)
		tape->variable[node->out + k] = carry[k];
	for (int k = 0; k < n_ys; k++)
		tape->variable[node->out + n_carry + k] =
		    stack_rows(tape, &tape->program->type[node->out + n_carry + k], rows + k, n_ys, executed);
}

/*
 * tape_levels.c: the levels of a request on one trace.
 *
 * Control flow is gone from a trace: a level leaves a straight line of records.  A vjp walks it backwards with
 * cotangents, a jvp forwards with tangents.  The ops that the walk executes extend the line for the next level.  A
 * batch runs everything below it once for every slice.
 */
#include "tape.h"

/* ---- walks over the records from `last` back to `until`, which is not met itself ---- */

static void pull_records(struct tape *tape, const struct record *last, const struct record *until)
{
	for (const struct record *r = last; r != until;) {
		int pops = r->node ? tape->rules->row[r->node->op].pops : 1;

		if (!r->out || tape_dual(tape, r->out))
			r->kind->pull(r->tape, r);
		while (pops--)
			r = r->previous;
	}
}

static void push_records(struct tape *tape, const struct record *last, const struct record *until)
{
	const struct record **line;
	int n = 0, at;

	for (const struct record *r = last; r != until; r = r->previous)
		n++;
	line = NEW(tape->arena, const struct record *, n);
	at = n;
	for (const struct record *r = last; r != until; r = r->previous)
		line[--at] = r;
	for (int k = 0; k < n; k++)
		line[k]->kind->push(line[k]->tape, line[k]);
}

/* ---- checkpoints and customs: a record of a region ---- */

/* Executes the records of the region again, for this level and those above it.  Returns the last record before them. */
static struct record *rerun(struct tape *tape, const struct record *r)
{
	struct trace *trace = tape->trace;
	struct record *before;

	trace->to_come |= trace->level;
	before = tape_rerun(tape, r);
	trace->to_come &= (uint8_t)~trace->level;
	return before;
}

/* Whether the walk can use the rule of a custom. */
static bool has_rule(const struct record *r, enum derivative_kind kind)
{
	return r->node->op == OP_CUSTOM && r->node->attrs.transform == kind;
}

/*
 * Executes the rule of a custom.  Its parameters are the operands, then the derivatives of n values, floats only;
 * absent ones are zeros.  Its results are the latest instances of region 1's results.
 */
static void run_rule(struct tape *tape, const struct record *r, struct variable *const *value, int n)
{
	const struct region *rule = &r->node->region[1];
	int at = rule->param;

	for (int k = r->node->n_out; k < r->n_arg; k++)
		tape->variable[at++] = tape_rule_operand(tape, r->arg[k]);
	for (int k = 0; k < n; k++) {
		struct variable *dual = tape_dual(tape, value[k]);

		if (dtype_is_float(value[k]->tensor.type.dtype))
			tape->variable[at++] = dual ? dual : tape_zeros(tape, &value[k]->tensor.type);
	}
	for (int v = rule->param; v < at; v++)
		tape->variable[v]->shared = true;
	tape_run(tape, rule);
}

void tape_pull_region(struct tape *tape, const struct record *r)
{
	const struct node *node = r->node;
	struct variable *const *result = r->arg, *const *operand = r->arg + node->n_out;
	const struct record *before;
	bool any = false;

	for (int k = 0; k < node->n_out; k++)
		any |= tape_dual(tape, result[k]) != NULL;
	if (!any)
		return;
	if (has_rule(r, DERIVATIVE_VJP)) {
		const int *given = node->region[1].result;

		run_rule(tape, r, result, node->n_out);
		for (int k = 0; k < node->n_arg; k++)
			if (dtype_is_float(operand[k]->tensor.type.dtype))
				tape_give(tape, operand[k], tape->variable[*given++]);
		return;
	}
	before = rerun(tape, r);
	for (int k = 0; k < node->n_out; k++)
		if (tape_dual(tape, result[k]))
			tape_give(tape, tape->variable[node->region[0].result[k]], tape_dual(tape, result[k]));
	pull_records(tape, tape->trace->last, before);
}

void tape_push_region(struct tape *tape, const struct record *r)
{
	const struct node *node = r->node;
	struct variable *const *result = r->arg, *const *operand = r->arg + node->n_out;
	const struct record *before;
	bool any = false;

	for (int k = 0; k < r->n_arg - node->n_out; k++)
		any |= tape_dual(tape, operand[k]) != NULL;
	if (!any)
		return;
	if (has_rule(r, DERIVATIVE_JVP)) {
		const int *given = node->region[1].result;

		run_rule(tape, r, operand, node->n_arg);
		for (int k = 0; k < node->n_out; k++)
			if (dtype_is_float(result[k]->tensor.type.dtype)) {
				if (result[k]->active & tape->trace->level)
					tape_set_dual(tape, result[k], tape->variable[*given]);
				given++;
			}
		return;
	}
	before = rerun(tape, r);
	push_records(tape, tape->trace->last, before);
	for (int k = 0; k < node->n_out; k++) {
		struct variable *dual = tape_dual(tape, tape->variable[node->region[0].result[k]]);

		if (dual)
			tape_set_dual(tape, result[k], dual);
	}
}

/* ---- levels ---- */

static void run_program(struct tape *tape, struct variable *const *input, struct outcome *out)
{
	const struct region *top = &tape->program->top;

	for (int k = 0; k < top->n_param; k++) {
		tape->variable[top->param + k] = input[k];
		input[k]->shared = true;
	}
	tape_run(tape, top);
	out->n_output = out->n_primal = top->n_result;
	for (int k = 0; k < top->n_result; k++)
		out->output[k] = out->primal[k] = tape->variable[top->result[k]];
}

/* Stacks the slices into one value. */
static struct variable *stack(struct tape *tape, struct variable *const *slice, int size)
{
	struct type type = slice[0]->tensor.type;

	shape_stack(&type.shape, size); /* it fits: the request was checked */
	return tape_put(tape, &type, NULL, size, slice, NULL);
}

static void run_batch(
    struct tape *tape, const struct transform *t, int n, struct variable *const *input, struct outcome *out)
{
	const struct transform *batch = &t[n - 1];
	int n_input = tape->program->top.n_param, size = batch->size;
	struct variable *own[LIMIT_ARGS], **output[LIMIT_ARGS], **primal[LIMIT_ARGS];
	struct record *split[LIMIT_ARGS];

	for (int k = 0; k < n_input; k++)
		own[k] = input[k];
	for (int k = 0; k < batch->n_wrt; k++)
		split[k] = tape_split(tape, input[batch->wrt[k]], size);
	for (int k = 0; k < LIMIT_ARGS; k++) {
		output[k] = NEW(tape->arena, struct variable *, size);
		primal[k] = NEW(tape->arena, struct variable *, size);
	}
	for (int b = 0; b < size; b++) {
		for (int k = 0; k < batch->n_wrt; k++) {
			struct variable *x = input[batch->wrt[k]];
			const struct type row = type_row(&x->tensor.type);

			own[batch->wrt[k]] = tape_part(tape, split[k], x, &row, b);
		}
		tape_levels(tape, t, n - 1, own, out);
		tape_check_room(tape);
		for (int k = 0; k < out->n_output; k++)
			output[k][b] = out->output[k];
		for (int k = 0; k < out->n_primal; k++)
			primal[k][b] = out->primal[k];
	}
	for (int k = 0; k < out->n_output; k++)
		out->output[k] = stack(tape, output[k], size);
	for (int k = 0; k < out->n_primal; k++)
		out->primal[k] = stack(tape, primal[k], size);
}

/* Whether a seed is a float and not 0 everywhere.  A seed that is known to be 0 is absent. */
static bool is_there(const struct tensor *seed)
{
	for (int i = 0; dtype_is_float(seed->type.dtype) && i < shape_elements(&seed->type.shape); i++)
		if (seed->at[i].f != 0)
			return true;
	return false;
}

static struct variable *dual_or_zeros(struct tape *tape, const struct variable *v)
{
	struct variable *dual = tape_dual(tape, v);

	return dual ? dual : tape_zeros(tape, &v->tensor.type);
}

/* Begins the walk of level `bit`, the last of the n levels t. */
static void begin_walk(struct trace *trace, const struct transform *t, int n, uint8_t bit)
{
	trace->to_come &= (uint8_t)~bit;
	trace->level = bit;
	trace->walk++;
	trace->below = request_order(t, n - 1);
	trace->above = 0;
	for (unsigned above = trace->to_come; above; above &= above - 1)
		trace->above++;
}

static void run_derivative(
    struct tape *tape, const struct transform *t, int n, struct variable *const *input, struct outcome *out)
{
	const struct transform *own = &t[n - 1];
	struct trace *trace = tape->trace;
	const struct record *before = trace->last;
	bool jvp = own->kind == TRANSFORM_JVP;
	uint8_t bit = (uint8_t)(1 << (n - 1)), outer = trace->level;

	trace->to_come |= bit;
	for (int k = 0; k < own->n_wrt; k++) {
		struct variable *x = input[own->wrt[k]];

		if (jvp ? is_there(&own->seed[k]) : dtype_is_float(x->tensor.type.dtype))
			x->active |= bit;
	}
	tape_levels(tape, t, n - 1, input, out);
	begin_walk(trace, t, n, bit);
	if (jvp) {
		for (int k = 0; k < own->n_wrt; k++)
			if (is_there(&own->seed[k]))
				tape_set_dual(tape, input[own->wrt[k]],
				    tape_variable(tape, tensor_copy(tape->arena, &own->seed[k])));
		push_records(tape, trace->last, before);
		for (int k = 0; k < out->n_output; k++)
			out->output[k] = dual_or_zeros(tape, out->output[k]);
	} else {
		for (int k = 0; k < out->n_output; k++)
			if (is_there(&own->seed[k]))
				tape_give(
				    tape, out->output[k], tape_variable(tape, tensor_copy(tape->arena, &own->seed[k])));
		pull_records(tape, trace->last, before);
		out->n_output = own->n_wrt;
		for (int k = 0; k < own->n_wrt; k++)
			out->output[k] = dual_or_zeros(tape, input[own->wrt[k]]);
	}
	trace->level = outer;
}

void tape_levels(
    struct tape *tape, const struct transform *t, int n, struct variable *const *input, struct outcome *out)
{
	if (!n)
		run_program(tape, input, out);
	else if (t[n - 1].kind == TRANSFORM_BATCH)
		run_batch(tape, t, n, input, out);
	else
		run_derivative(tape, t, n, input, out);
}

/*
 * custom.c: op custom on the tape and with tangents, and its rule, run eagerly.
 *
 * The function itself is run without a derivative.  The rule reads the operands, which are kept like those of any other
 * op.  As in systems with custom rules, a result depends on every operand, and absent directions are zeros to the rule.
 */
#include "custom.h"

#include "forward.h"
#include "tape.h"

/* ---- the seams as a correct engine has them ---- */

static int itself(int k, int n)
{
	(void)n;
	return k;
}

static bool if_any(int present, int n)
{
	(void)n;
	return present > 0;
}

static bool counts_always(const struct program *p, const struct node *node, int k)
{
	(void)p, (void)node, (void)k;
	return true;
}

static int given_for(int k, const bool *wanted, int n)
{
	(void)wanted, (void)n;
	return k;
}

const struct custom_rules custom_right = {itself, if_any, itself, 0, counts_always, given_for};

/* ---- the rule ---- */

/* The operands, or the results, of a node. */
struct side {
	int n, n_float, value[LIMIT_ARGS];
	bool is_float[LIMIT_ARGS];
};

static struct side side_of(const struct custom_call *call, bool operands)
{
	const struct node *node = call->node;
	struct side s = {.n = operands ? node->n_arg : node->n_out, .n_float = 0};

	for (int k = 0; k < s.n; k++) {
		s.value[k] = operands ? node->arg[k] : node->out + k;
		s.is_float[k] = dtype_is_float(call->program->type[s.value[k]].dtype);
		s.n_float += s.is_float[k];
	}
	return s;
}

static struct tensor absent(const struct custom_call *call, const struct type *type)
{
	struct tensor x = tensor_new(call->arena, type);

	for (int i = 0; call->rules->absent != 0 && i < shape_elements(&type->shape); i++)
		x.at[i].f = dtype_round(type->dtype, call->rules->absent);
	return x;
}

/* Whether x[k] exists and has that type.  A wrong seam may point at something else. */
static bool fits(const struct tensor *x, int k, int n, const struct type *type)
{
	return k >= 0 && k < n && x[k].at && type_equal(&x[k].type, type);
}

void custom_rule(
    const struct custom_call *call, const struct tensor *direction, const bool *wanted, struct tensor *given)
{
	const struct custom_rules *rules = call->rules;
	const struct node *node = call->node;
	const struct type *type = call->program->type;
	bool jvp = node->attrs.transform == DERIVATIVE_JVP, asked[LIMIT_ARGS];
	struct side along = side_of(call, jvp), to = side_of(call, !jvp);
	struct tensor there[LIMIT_ARGS], value[LIMIT_ARGS], result[LIMIT_ARGS], all[LIMIT_ARGS];
	int n = 0, present = 0;

	for (int k = 0; k < to.n; k++) {
		given[k].at = all[k].at = NULL;
		asked[k] = to.is_float[k] && wanted[k] && (jvp || rules->active(call->program, node, k));
	}
	for (int k = 0; k < along.n; k++) {
		bool counts = along.is_float[k] && direction[k].at && (!jvp || rules->active(call->program, node, k));

		there[k] = counts ? direction[k] : (struct tensor){.at = NULL};
		present += counts;
	}
	if (!rules->applies(present, along.n_float))
		return;
	for (int k = 0; k < node->n_arg; k++, n++) {
		int from = rules->operand(k, node->n_arg);

		value[n] = call->arg[fits(call->arg, from, node->n_arg, &type[node->arg[k]]) ? from : k];
	}
	for (int k = 0; k < along.n; k++) {
		int from = rules->direction(k, along.n);

		if (along.is_float[k])
			value[n++] = fits(there, from, along.n, &type[along.value[k]])
			    ? there[from]
			    : absent(call, &type[along.value[k]]);
	}
	call->run(call->engine, &node->region[1], value, result);
	n = 0;
	for (int k = 0; k < to.n; k++)
		if (to.is_float[k])
			all[k] = result[n++];
	for (int k = 0; k < to.n; k++) {
		int from = rules->given(k, asked, to.n);

		/* The rule may return one value twice, or return a direction.  So each gets its own cells. */
		if (asked[k] && fits(all, from, to.n, &type[to.value[k]]))
			given[k] = tensor_copy(call->arena, &all[from]);
	}
}

/* ---- on the tape ---- */

static void run_on_tape(void *engine, const struct region *region, const struct tensor *value, struct tensor *result)
{
	struct tape *tape = engine;

	/* They are inactive, so that no op leaves a record. */
	for (int k = 0; k < region->n_param; k++) {
		tape->variable[region->param + k] = tape_variable(tape, value[k]);
		tape->variable[region->param + k]->shared = true;
	}
	tape_run(tape, region);
	for (int k = 0; k < region->n_result; k++)
		result[k] = tape->variable[region->result[k]]->tensor;
}

/* Arguments of the record: the results, then the operands. */
static void reverse_custom(struct tape *tape, const struct record *r)
{
	const struct node *node = r->node;
	const struct adjoint_rule *row = &tape->rules->row[OP_CUSTOM];
	struct variable *const *operand = r->arg + node->n_out;
	struct tensor arg[LIMIT_ARGS], cotangent[LIMIT_ARGS], contribution[LIMIT_ARGS];
	bool wanted[LIMIT_ARGS], any = false;
	const struct custom_call call = {.rules = &tape->rules->custom,
	    .program = tape->program,
	    .node = node,
	    .arg = arg,
	    .run = run_on_tape,
	    .engine = tape,
	    .arena = tape->arena};

	for (int k = 0; k < node->n_out; k++) {
		const struct variable *v = r->arg[k];

		cotangent[k] = (struct tensor){v->tensor.type, v->adjoint};
		any |= v->adjoint != NULL;
	}
	if (!any)
		return;
	if (node->attrs.transform != DERIVATIVE_VJP) {
		tape_reverse_region(tape, r);
		return;
	}
	for (int k = 0; k < node->n_arg; k++) {
		arg[k] = *row->saved(k, &operand[k]->tensor, &tape->variable[node->arg[k]]->tensor);
		wanted[k] = operand[k]->active & tape->trace->level;
	}
	custom_rule(&call, cotangent, wanted, contribution);
	for (int k = 0; k < node->n_arg; k++)
		if (contribution[k].at) {
			adjoint_join(tape->rules, OP_CUSTOM, &arg[k].type, &operand[k]->adjoint, contribution[k].at);
			operand[k]->given = contribution[k].type;
		}
}

static const struct record_kind custom_kind = {reverse_custom, tape_pull_region, tape_push_region};

void custom_record(struct tape *tape, const struct node *node)
{
	struct record *r = tape_record(tape, &custom_kind, node->n_out + node->n_arg);
	struct tensor value[LIMIT_ARGS] = {{.at = NULL}}, result[LIMIT_ARGS];
	uint8_t active = 0;

	r->node = node;
	r->number = NEW(tape->arena, int, node->n_arg);
	for (int k = 0; k < node->n_arg; k++) {
		struct variable *v = tape->variable[node->arg[k]];

		value[k] = v->tensor;
		v->shared = true; /* a result may be an operand */
		active |= v->active & tape->trace->to_come;
		r->arg[node->n_out + k] = v;
		r->number[k] = node->region[0].param + k;
	}
	run_on_tape(tape, &node->region[0], value, result);
	for (int k = 0; k < node->n_out; k++) {
		struct variable *v = tape_variable(tape, result[k]);

		v->shared = true;
		v->active = dtype_is_float(v->tensor.type.dtype) ? active : 0;
		tape->variable[node->out + k] = r->arg[k] = v;
	}
	if (active)
		tape_push(tape, r);
}

/* ---- with tangents ---- */

static void run_forward(void *engine, const struct region *region, const struct tensor *value, struct tensor *result)
{
	struct forward *self = engine;
	bool tracing = self->tracing;

	/* They are copies, because a store in the region may write into a parameter. */
	for (int k = 0; k < region->n_param; k++) {
		self->primal[region->param + k] = tensor_copy(self->arena, &value[k]);
		self->tangent[region->param + k].at = NULL;
	}
	self->tracing = false;
	forward_run(self, region);
	self->tracing = tracing;
	for (int k = 0; k < region->n_result; k++)
		result[k] = self->primal[region->result[k]];
}

void custom_push(struct forward *self, const struct node *node)
{
	struct tensor arg[LIMIT_ARGS], tangent[LIMIT_ARGS], result[LIMIT_ARGS], given[LIMIT_ARGS];
	bool wanted[LIMIT_ARGS];
	const struct custom_call call = {.rules = &self->rules->custom,
	    .program = self->program,
	    .node = node,
	    .arg = arg,
	    .run = run_forward,
	    .engine = self,
	    .arena = self->arena};

	for (int k = 0; k < node->n_arg; k++) {
		arg[k] = self->primal[node->arg[k]];
		tangent[k] = self->tangent[node->arg[k]];
	}
	run_forward(self, &node->region[0], arg, result);
	for (int k = 0; k < node->n_out; k++) {
		self->primal[node->out + k] = result[k];
		wanted[k] = true;
	}
	if (!self->tracing)
		return;
	custom_rule(&call, tangent, wanted, given);
	for (int k = 0; k < node->n_out; k++)
		self->tangent[node->out + k] = given[k];
}

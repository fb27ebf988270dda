/*
 * tape.c: the eager engine.  It runs the program op by op, leaves a record (Wengert, 1964) of every op a cotangent
 * may pass through, and walks the records backwards.  Control flow is the host's: loops unroll onto the tape, so
 * its memory is linear in the executed iterations, and the reverse sweep knows no loop at all.
 */
#include "adjoint.h"
#include "kernels.h"

#include <string.h>

/* One dynamic instance of a value: a body's value has one per iteration. */
struct variable {
	struct tensor tensor;
	bool active;         /* float, and depends on a wrt input through floats */
	union cell *adjoint; /* of the tensor's shape; NULL: no result depends on it */
	struct type given;   /* of an input: what its gradient is handed out as, the type of the last contribution */
};

struct tape;
struct captures;

/* What one executed op leaves.  Records form a list from the last to the first. */
struct record {
	struct record *previous;
	void (*reverse)(struct tape *tape, const struct record *record);
	const struct node *node; /* of an op */
	struct variable *out; /* NULL: `reverse` itself finds out whether there is anything to do */
	const int *number;    /* of a checkpoint: the values captured; of a scatter_apply: the elements written */
	int row; /* of a slice along the leading axis */
	int n_arg;
	struct variable *arg[];
};

struct tape {
	const struct adjoint_rules *rules;
	const struct program *program;
	struct arena *arena;
	struct variable **variable; /* [n_value] the latest instance of each value */
	struct record *last;
	struct captures **captures; /* [n_value] by the first result of a checkpoint; NULL before its first execution */
};

static struct variable *new_variable(struct tape *tape, struct tensor tensor)
{
	struct variable *v = NEW(tape->arena, struct variable, 1);

	v->tensor = tensor;
	return v;
}

static struct record *push(
    struct tape *tape, void (*reverse)(struct tape *, const struct record *), struct variable *out, int n_arg)
{
	struct record *r = arena_alloc(tape->arena, 1, sizeof *r + (size_t)n_arg * sizeof r->arg[0]);

	r->previous = tape->last;
	r->reverse = reverse;
	r->out = out;
	r->n_arg = n_arg;
	out->active = true;
	tape->last = r;
	return r;
}

static void reverse_records(struct tape *tape)
{
	for (const struct record *r = tape->last; r;) {
		int pops = r->node ? tape->rules->row[r->node->op].pops : 1;

		if (!r->out || r->out->adjoint)
			r->reverse(tape, r);
		while (pops--)
			r = r->previous;
	}
}

/* ---- forward ---- */

static void run_region(struct tape *tape, const struct region *region);

static void reverse_op(struct tape *tape, const struct record *r)
{
	const struct tensor *arg[LIMIT_ARGS];
	struct tensor contribution[LIMIT_ARGS];
	bool wanted[LIMIT_ARGS];
	const struct tensor cotangent = {r->out->tensor.type, r->out->adjoint};

	for (int k = 0; k < r->n_arg; k++) {
		arg[k] = tape->rules->row[r->node->op].saved(
		    k, &r->arg[k]->tensor, &tape->variable[r->node->arg[k]]->tensor);
		wanted[k] = r->arg[k]->active;
	}
	adjoint_pull(tape->rules, r->node, arg, &r->out->tensor, &cotangent, wanted, contribution, tape->arena);
	for (int k = 0; k < r->n_arg; k++)
		if (contribution[k].at) {
			adjoint_join(
			    tape->rules, r->node->op, &arg[k]->type, &r->arg[k]->adjoint, contribution[k].at);
			r->arg[k]->given = contribution[k].type;
		}
}

static void run_op(struct tape *tape, const struct node *node)
{
	const struct type *type = &tape->program->type[node->out];
	const struct tensor *arg[LIMIT_ARGS];
	struct variable *out = NEW(tape->arena, struct variable, 1);
	struct record *r;
	bool active = false;

	for (int k = 0; k < node->n_arg; k++) {
		const struct variable *v = tape->variable[node->arg[k]];

		arg[k] = &v->tensor;
		active |= v->active;
	}
	kernel_run(node, arg, type, &out->tensor, tape->arena);
	if (active && dtype_is_float(type->dtype) && adjoint_flows(tape->rules, node->op)) {
		r = push(tape, reverse_op, out, node->n_arg);
		r->node = node;
		for (int k = 0; k < node->n_arg; k++)
			r->arg[k] = tape->variable[node->arg[k]];
	}
	tape->variable[node->out] = out;
}

static void run_cond(struct tape *tape, const struct node *node)
{
	const struct region *taken = &node->region[tape->variable[node->arg[0]]->tensor.at->i ? 0 : 1];

	run_region(tape, taken);
	for (int k = 0; k < node->n_out; k++)
		tape->variable[node->out + k] = tape->variable[taken->result[k]];
}

/* ---- scatter_apply: a variable an element, from its first application on ---- */

static void reverse_element(struct tape *tape, const struct record *r)
{
	const struct tensor *x = &r->arg[0]->tensor;
	const struct type flat = {x->type.dtype, {1, {shape_elements(&x->type.shape)}}};

	adjoint_add_row(tape->rules, &flat, &r->arg[0]->adjoint, r->row, r->out->adjoint, tape->arena);
}

static struct variable *take_element(struct tape *tape, struct variable *x, int at)
{
	const struct type scalar = {.dtype = x->tensor.type.dtype};
	struct variable *out = new_variable(tape, tensor_new(tape->arena, &scalar));

	out->tensor.at[0] = x->tensor.at[at];
	if (x->active) {
		struct record *r = push(tape, reverse_element, out, 1);

		r->arg[0] = x;
		r->row = at;
	}
	return out;
}

/* Arguments: x, then the elements written; what was written is x's no more. */
static void reverse_assemble(struct tape *tape, const struct record *r)
{
	const struct type *type = &r->out->tensor.type;
	union cell *rest = tensor_copy(tape->arena, &(struct tensor){*type, r->out->adjoint}).at;

	for (int k = 1; k < r->n_arg; k++) {
		struct variable *v = r->arg[k];

		if (v->active)
			adjoint_add(tape->rules, &v->tensor.type, &v->adjoint,
			    arena_copy(tape->arena, &rest[r->number[k - 1]], 1, sizeof *rest));
		rest[r->number[k - 1]].f = 0;
	}
	if (r->arg[0]->active)
		adjoint_add(tape->rules, type, &r->arg[0]->adjoint, rest);
}

static void run_scatter_apply(struct tape *tape, const struct node *node)
{
	const struct region *region = &node->region[0];
	struct variable *x = tape->variable[node->arg[0]], *out = new_variable(tape, tensor_copy(tape->arena, &x->tensor));
	struct variable **element = NEW(tape->arena, struct variable *, shape_elements(&x->tensor.type.shape));
	int n, n_written = 0, *at = kernel_positions(node, &x->tensor.type, &tape->variable[node->arg[1]]->tensor, &n, tape->arena);
	int *written = NEW(tape->arena, int, n);
	bool active = x->active;

	for (int k = 0; k < n; k++) {
		struct variable **e = &element[at[k]];

		if (!*e) {
			written[n_written++] = at[k];
			*e = take_element(tape, x, at[k]);
		}
		tape->variable[region->param] = *e;
		run_region(tape, region);
		*e = tape->variable[region->result[0]];
	}
	for (int k = 0; k < n_written; k++) {
		out->tensor.at[written[k]] = element[written[k]]->tensor.at[0];
		active |= element[written[k]]->active;
	}
	tape->variable[node->out] = out;
	if (active) {
		struct record *r = push(tape, reverse_assemble, out, 1 + n_written);

		r->arg[0] = x;
		r->number = written;
		for (int k = 0; k < n_written; k++)
			r->arg[1 + k] = element[written[k]];
	}
}

/* ---- checkpoints: the region leaves one record, and is run again, recording, when that is reversed ---- */

/* Values that a region takes from outside, each once. */
struct captures {
	int n, *value;
	uint8_t *mark; /* [n_value] 1: defined inside, 2: captured */
};

static void capture(struct captures *c, const int *value, int n)
{
	for (int k = 0; k < n; k++)
		if (!c->mark[value[k]]) {
			c->mark[value[k]] = 2;
			c->value[c->n++] = value[k];
		}
}

static void capture_region(struct captures *c, const struct region *region)
{
	for (int k = 0; k < region->n_param; k++)
		c->mark[region->param + k] = 1;
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		capture(c, node->arg, node->n_arg);
		for (int k = 0; k < node->n_region; k++)
			capture_region(c, &node->region[k]);
		for (int k = 0; k < node->n_out; k++)
			c->mark[node->out + k] = 1;
	}
	capture(c, region->result, region->n_result);
}

static const struct captures *captures_of(struct tape *tape, const struct node *node)
{
	struct captures **c = &tape->captures[node->out];
	int n_value = tape->program->n_value;

	if (!*c) {
		*c = NEW(tape->arena, struct captures, 1);
		**c = (struct captures){.value = NEW(tape->arena, int, n_value), .mark = NEW(tape->arena, uint8_t, n_value)};
		capture_region(*c, &node->region[0]);
	}
	return *c;
}

/* Arguments of the record: the results, then what the region captures. */
static void reverse_checkpoint(struct tape *tape, const struct record *r)
{
	const struct region *region = &r->node->region[0];
	struct record *before = tape->last;
	bool any = false;

	for (int k = 0; k < r->node->n_out; k++)
		any |= r->arg[k]->adjoint != NULL;
	if (!any)
		return;
	for (int k = r->node->n_out; k < r->n_arg; k++)
		tape->variable[r->number[k - r->node->n_out]] = r->arg[k];
	tape->last = NULL;
	run_region(tape, region);
	if (tape->last && tape->last->out)
		tape->rules->rerun(&tape->last->out->tensor, tape->arena);
	for (int k = 0; k < r->node->n_out; k++) {
		struct variable *v = tape->variable[region->result[k]];

		if (r->arg[k]->adjoint && v->active)
			adjoint_add(tape->rules, &v->tensor.type, &v->adjoint, r->arg[k]->adjoint);
	}
	reverse_records(tape);
	tape->last = before;
}

static void run_checkpoint(struct tape *tape, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct captures *c = captures_of(tape, node);
	struct record *before = tape->last, *r;
	bool active = false;

	r = arena_alloc(tape->arena, 1, sizeof *r + (size_t)(node->n_out + c->n) * sizeof r->arg[0]);
	for (int k = 0; k < c->n; k++)
		r->arg[node->n_out + k] = tape->variable[c->value[k]];
	run_region(tape, region);
	tape->last = before;
	for (int k = 0; k < node->n_out; k++) {
		const struct variable *v = tape->variable[region->result[k]];

		r->arg[k] = new_variable(tape, v->tensor);
		r->arg[k]->active = v->active;
		active |= v->active;
	}
	for (int k = 0; k < node->n_out; k++)
		tape->variable[node->out + k] = r->arg[k];
	if (!active)
		return;
	r->previous = before;
	r->reverse = reverse_checkpoint;
	r->node = node;
	r->number = c->value;
	r->n_arg = node->n_out + c->n;
	tape->last = r;
}

/* Runs a loop body on `carry`, which becomes its results; true when `until` ends the loop. */
static bool run_body(
    struct tape *tape, const struct region *body, int first_param, int n_carry, struct variable **carry, bool until)
{
	for (int k = 0; k < n_carry; k++)
		tape->variable[first_param + k] = carry[k];
	run_region(tape, body);
	for (int k = 0; k < n_carry; k++)
		carry[k] = tape->variable[body->result[k]];
	return until && tape->variable[body->result[body->n_result - 1]]->tensor.at->i;
}

static void take_args(const struct tape *tape, const struct node *node, int first, int n, struct variable **out)
{
	for (int k = 0; k < n; k++)
		out[k] = tape->variable[node->arg[first + k]];
}

static void run_for(struct tape *tape, const struct node *node)
{
	const struct region *body = &node->region[0];
	int counted = node->attrs.trip < 0, n_carry = node->n_arg - counted;
	int trip = kernel_trip(node, counted ? &tape->variable[node->arg[0]]->tensor : NULL);
	struct variable *carry[LIMIT_ARGS];
	bool done = false;

	take_args(tape, node, counted, n_carry, carry);
	for (int i = 0; i < trip && !done; i++) {
		tape->variable[body->param] =
		    new_variable(tape, tensor_new(tape->arena, &tape->program->type[body->param]));
		tape->variable[body->param]->tensor.at->i = i;
		done = run_body(tape, body, body->param + 1, n_carry, carry, node->attrs.until);
	}
	for (int k = 0; k < n_carry; k++)
		tape->variable[node->out + k] = carry[k];
}

static void run_while(struct tape *tape, const struct node *node)
{
	const struct region *condition = &node->region[0], *body = &node->region[1];
	int n_carry = node->n_arg;
	struct variable *carry[LIMIT_ARGS];

	take_args(tape, node, 0, n_carry, carry);
	for (int i = 0; i < node->attrs.cap; i++) {
		for (int k = 0; k < n_carry; k++)
			tape->variable[condition->param + k] = carry[k];
		run_region(tape, condition);
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
	struct variable *out = new_variable(tape, kernel_row(&xs->tensor, row, tape->arena));

	if (xs->active) {
		struct record *r = push(tape, reverse_row, out, 1);

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
	struct variable *out = new_variable(tape, tensor_new(tape->arena, type));
	bool active = false;
	struct record *r;

	for (int t = 0; t < n; t++) {
		kernel_set_row(&out->tensor, t, &rows[t * stride]->tensor);
		active |= rows[t * stride]->active;
	}
	if (!active)
		return out;
	r = push(tape, reverse_stack, out, n);
	for (int t = 0; t < n; t++)
		r->arg[t] = rows[t * stride];
	return out;
}

static void run_scan(struct tape *tape, const struct node *node)
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

static void run_region(struct tape *tape, const struct region *region)
{
	static void (*const run[FAMILY_SCAN + 1])(struct tape *, const struct node *) = {
	    [FAMILY_COND] = run_cond, [FAMILY_CHECKPOINT] = run_checkpoint, [FAMILY_SCATTER_APPLY] = run_scatter_apply,
	    [FAMILY_FOR] = run_for, [FAMILY_WHILE] = run_while, [FAMILY_SCAN] = run_scan};

	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		(node->n_region ? run[op_table[node->op].family] : run_op)(tape, node);
	}
}

/* ---- the engine ---- */

static enum answer_status tape_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	*state = NULL;
	*text = adjoint_refuse(&self->adjoint, "tape", c, a);
	return *text ? ANSWER_UNSUPPORTED : ANSWER_OK;
}

/* Seeds the results' adjoints, runs the records backwards, and reads the adjoints of the wrt inputs. */
static void reverse(
    struct tape *tape, const struct transform *request, struct variable *const *input, struct answer *out)
{
	const struct region *top = &tape->program->top;

	for (int k = 0; k < top->n_result; k++) {
		struct variable *v = tape->variable[top->result[k]];

		if (v->active)
			adjoint_add(tape->rules, &v->tensor.type, &v->adjoint,
			    tensor_copy(tape->arena, &request->seed[k]).at);
	}
	reverse_records(tape);
	out->n_derivative = request->n_wrt;
	out->derivative = NEW(tape->arena, struct tensor, request->n_wrt);
	for (int k = 0; k < request->n_wrt; k++) {
		const struct variable *v = input[request->wrt[k]];

		out->derivative[k] = v->adjoint ? (struct tensor){v->given, v->adjoint}
						: tensor_new(tape->arena, &v->tensor.type);
	}
}

static void tape_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	const struct program *p = &c->program;
	const struct transform *request = c->n_transform ? &c->transform[0] : NULL;
	struct tape tape = {
	    .rules = &self->adjoint, .program = p, .arena = a, .variable = NEW(a, struct variable *, p->n_value),
	    .captures = NEW(a, struct captures *, p->n_value)};

	(void)state;
	(void)which;
	for (int k = 0; k < p->top.n_param; k++) {
		struct variable **v = &tape.variable[p->top.param + k];

		for (int earlier = 0; earlier < k && !*v; earlier++)
			if (tape.rules->same_leaf(&point[earlier], &point[k]))
				*v = tape.variable[p->top.param + earlier];
		if (*v)
			continue;
		*v = new_variable(&tape, point[k]);
		(*v)->given = point[k].type;
	}
	for (int k = 0; request && k < request->n_wrt; k++) {
		struct variable *v = tape.variable[p->top.param + request->wrt[k]];

		v->active = dtype_is_float(v->tensor.type.dtype);
	}
	run_region(&tape, &p->top);

	out->status = ANSWER_OK;
	out->text = "";
	out->n_primal = p->top.n_result;
	out->primal = NEW(a, struct tensor, out->n_primal);
	for (int k = 0; k < out->n_primal; k++)
		out->primal[k] = tape.variable[p->top.result[k]]->tensor;
	if (!request)
		return;
	reverse(&tape, request, tape.variable + p->top.param, out);
	tape.rules->finish(c, point, out->derivative, a);
}

const struct engine_kind tape_kind = {
    .name = "tape",
    .summary = "eager, dynamic Wengert list; loops unroll onto it",
    .modelled_on = "TensorFlow and PyTorch eager",
    .vjp = true,
    .order = LIMIT_TRANSFORMS,
    .batch = true,
    .prepare = tape_prepare,
    .answer = tape_answer,
};

/*
 * tape.c: the eager engine.  It runs the program op by op, leaves a record (Wengert, 1964) of every op a cotangent
 * may pass through, and walks the records backwards.  Control flow is the host's: loops unroll onto the tape, so
 * its memory is linear in the executed iterations, and the reverse sweep knows no loop at all.
 *
 * A store writes into its buffer unless somebody else may read it: a record (saved), or another value or the caller (shared).  Then it
 * leaves that alone and writes into a copy.
 */
#include "buffers.h"
#include "custom.h"
#include "kernels.h"
#include "tape.h"

#include <string.h>

struct variable *tape_variable(struct tape *tape, struct tensor tensor)
{
	struct variable *v = NEW(tape->arena, struct variable, 1);

	v->tensor = tensor;
	return v;
}

struct record *tape_push(
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

void tape_reverse(struct tape *tape)
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
	adjoint_pull(tape->rules, r->node, arg, &r->out->tensor, &cotangent, true, wanted, contribution, tape->arena);
	for (int k = 0; k < r->n_arg; k++)
		if (contribution[k].at) {
			adjoint_join(
			    tape->rules, r->node->op, &arg[k]->type, &r->arg[k]->adjoint, contribution[k].at);
			r->arg[k]->given = contribution[k].type;
		}
}

/* `out` becomes the result of a node without regions; a record is left where a cotangent may pass. */
static void record_op(struct tape *tape, const struct node *node, struct variable *out)
{
	enum dtype d = out->tensor.type.dtype;
	struct record *r;
	bool active = false;

	for (int k = 0; k < node->n_arg; k++)
		active |= tape->variable[node->arg[k]]->active;
	if (active && dtype_is_float(d) && adjoint_flows(tape->rules, node->op)) {
		r = tape_push(tape, reverse_op, out, node->n_arg);
		r->node = node;
		for (int k = 0; k < node->n_arg; k++) {
			struct variable *v = r->arg[k] = tape->variable[node->arg[k]];

			v->saved |= adjoint_reads(tape->rules, node->op, k, v->tensor.type.dtype);
		}
		out->saved = adjoint_reads(tape->rules, node->op, ADJOINT_RESULT, d);
	}
	tape->variable[node->out] = out;
}

static void run_op(struct tape *tape, const struct node *node)
{
	const struct tensor *arg[LIMIT_ARGS];
	struct variable *out = NEW(tape->arena, struct variable, 1);

	for (int k = 0; k < node->n_arg; k++)
		arg[k] = &tape->variable[node->arg[k]]->tensor;
	kernel_run(node, arg, &tape->program->type[node->out], &out->tensor, tape->arena);
	record_op(tape, node, out);
}

/* The result is another variable, with an adjoint of its own, in the cells of the buffer. */
static void run_store(struct tape *tape, const struct node *node)
{
	const struct variable *buffer = tape->variable[node->arg[0]];
	struct variable *out;

	if (!tape->rules->overwrites(buffer->saved, buffer->shared)) {
		run_op(tape, node);
		return;
	}
	out = tape_variable(tape, buffer->tensor);
	kernel_store(&out->tensor, &tape->variable[node->arg[1]]->tensor, &tape->variable[node->arg[2]]->tensor);
	record_op(tape, node, out);
}

static void run_cond(struct tape *tape, const struct node *node)
{
	const struct region *taken = &node->region[tape->variable[node->arg[0]]->tensor.at->i ? 0 : 1];

	tape_run(tape, taken);
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
	struct variable *out = tape_variable(tape, tensor_new(tape->arena, &scalar));

	out->tensor.at[0] = x->tensor.at[at];
	if (x->active) {
		struct record *r = tape_push(tape, reverse_element, out, 1);

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
	struct variable *x = tape->variable[node->arg[0]], *out = tape_variable(tape, tensor_copy(tape->arena, &x->tensor));
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
		tape_run(tape, region);
		*e = tape->variable[region->result[0]];
	}
	for (int k = 0; k < n_written; k++) {
		out->tensor.at[written[k]] = element[written[k]]->tensor.at[0];
		active |= element[written[k]]->active;
	}
	tape->variable[node->out] = out;
	if (active) {
		struct record *r = tape_push(tape, reverse_assemble, out, 1 + n_written);

		r->arg[0] = x;
		r->number = written;
		for (int k = 0; k < n_written; k++)
			r->arg[1 + k] = element[written[k]];
	}
}

/* ---- checkpoints: the region leaves one record, and is run again, recording, when that is reversed ---- */

static void capture(struct capture_set *c, const int *value, int n)
{
	for (int k = 0; k < n; k++)
		if (!c->mark[value[k]]) {
			c->mark[value[k]] = 2;
			c->value[c->n++] = value[k];
		}
}

static void capture_region(struct capture_set *c, const struct region *region)
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

const struct capture_set *tape_captures(struct tape *tape, const struct node *node)
{
	struct capture_set **c = &tape->captures[node->out];
	int n_value = tape->program->n_value;

	if (!*c) {
		*c = NEW(tape->arena, struct capture_set, 1);
		**c = (struct capture_set){.value = NEW(tape->arena, int, n_value), .mark = NEW(tape->arena, uint8_t, n_value)};
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
	tape_run(tape, region);
	if (tape->last && tape->last->out)
		tape->rules->rerun(&tape->last->out->tensor, tape->arena);
	for (int k = 0; k < r->node->n_out; k++) {
		struct variable *v = tape->variable[region->result[k]];

		if (r->arg[k]->adjoint && v->active)
			adjoint_add(tape->rules, &v->tensor.type, &v->adjoint, r->arg[k]->adjoint);
	}
	tape_reverse(tape);
	tape->last = before;
}

static void run_checkpoint(struct tape *tape, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct capture_set *c = tape_captures(tape, node);
	struct record *before = tape->last, *r;
	bool active = false;

	r = arena_alloc(tape->arena, 1, sizeof *r + (size_t)(node->n_out + c->n) * sizeof r->arg[0]);
	for (int k = 0; k < c->n; k++) {
		r->arg[node->n_out + k] = tape->variable[c->value[k]];
		tape->variable[c->value[k]]->saved = true;
	}
	tape_run(tape, region);
	tape->last = before;
	for (int k = 0; k < node->n_out; k++) {
		const struct variable *v = tape->variable[region->result[k]];

		r->arg[k] = tape_variable(tape, v->tensor);
		r->arg[k]->shared = v->shared;
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

void tape_run(struct tape *tape, const struct region *region)
{
	static void (*const run[FAMILY_CUSTOM + 1])(struct tape *, const struct node *) = {
	    [FAMILY_COND] = run_cond, [FAMILY_CHECKPOINT] = run_checkpoint, [FAMILY_SCATTER_APPLY] = run_scatter_apply,
	    [FAMILY_FIXED_POINT] = implicit_record, [FAMILY_CUSTOM] = custom_record,
	    [FAMILY_FOR] = tape_for, [FAMILY_WHILE] = tape_while, [FAMILY_SCAN] = tape_scan};

	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		(node->n_region ? run[op_table[node->op].family] : node->op == OP_STORE ? run_store : run_op)(tape, node);
	}
	/* The region's own values move into the names they get outside; what is captured, or given twice, keeps another. */
	for (int k = 0; k < region->n_result; k++) {
		int v = region->result[k];
		bool moves = tape->home[v] == region;

		for (int earlier = 0; earlier < k; earlier++)
			moves &= region->result[earlier] != v;
		tape->variable[v]->shared |= !moves;
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
	tape_reverse(tape);
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
	    .home = buffers_home(p, a), .last_use = buffers_last(p, a), .captures = NEW(a, struct capture_set *, p->n_value)};

	(void)state;
	(void)which;
	for (int k = 0; k < p->top.n_param; k++) {
		struct variable **v = &tape.variable[p->top.param + k];

		for (int earlier = 0; earlier < k && !*v; earlier++)
			if (tape.rules->same_leaf(&point[earlier], &point[k]))
				*v = tape.variable[p->top.param + earlier];
		if (*v)
			continue;
		*v = tape_variable(&tape, point[k]);
		(*v)->given = point[k].type;
		(*v)->shared = true;
	}
	for (int k = 0; request && k < request->n_wrt; k++) {
		struct variable *v = tape.variable[p->top.param + request->wrt[k]];

		v->active = dtype_is_float(v->tensor.type.dtype);
	}
	tape_run(&tape, &p->top);

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

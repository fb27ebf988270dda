/*
 * tape.c: the engine `tape`, which is eager.  It runs the program op by op.  It leaves a record (Wengert, 1964) of
 * every op that a cotangent may pass, and walks the records backwards.  Control flow runs in C: loops unroll onto the
 * tape.  So its memory is linear in the executed iterations, and the reverse sweep knows no loops.  The sweeps of lower
 * levels are executed and recorded in the same way (tape_levels.c).
 *
 * A store writes into its buffer unless others may read the buffer: a record (saved), or another value or the caller
 * (shared).  In these cases it leaves the buffer alone and writes into a copy.
 */
#include "engines/kernels/buffers.h"
#include "custom.h"
#include "engines/instance.h"
#include "engines/kernels/kernels.h"
#include "tape.h"

#include <string.h>

struct tape tape_open(struct trace *trace, const struct adjoint_rules *rules, const struct program *p, struct arena *a)
{
	return (struct tape){.trace = trace,
	    .rules = rules,
	    .program = p,
	    .arena = a,
	    .variable = NEW(a, struct variable *, p->n_value),
	    .home = buffers_home(p, a),
	    .last_use = buffers_last(p, a),
	    .captures = NEW(a, struct capture_set *, p->n_value),
	    .derived = trace->walks ? NEW(a, struct derived *, p->n_value) : NULL};
}

struct variable *tape_variable(struct tape *tape, struct tensor tensor)
{
	struct variable *v = NEW(tape->arena, struct variable, 1);

	v->tensor = tensor;
	return v;
}

struct record *tape_record(struct tape *tape, const struct record_kind *kind, int n_arg)
{
	struct record *r = arena_alloc(tape->arena, 1, sizeof *r + (size_t)n_arg * sizeof r->arg[0]);

	r->kind = kind;
	r->tape = tape;
	r->n_arg = n_arg;
	return r;
}

void tape_push(struct tape *tape, struct record *record)
{
	record->previous = tape->trace->last;
	tape->trace->last = record;
}

void tape_reverse(struct tape *tape)
{
	for (const struct record *r = tape->trace->last; r;) {
		int pops = r->node ? tape->rules->row[r->node->op].pops : 1;

		if (!r->out || r->out->adjoint)
			r->kind->reverse(r->tape, r);
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
		wanted[k] = r->arg[k]->active & tape->trace->level;
	}
	adjoint_pull(tape->rules, r->node, arg, &r->out->tensor, &cotangent, true, wanted, contribution, tape->arena);
	for (int k = 0; k < r->n_arg; k++)
		if (contribution[k].at) {
			adjoint_join(tape->rules, r->node->op, &arg[k]->type, &r->arg[k]->adjoint, contribution[k].at);
			r->arg[k]->given = contribution[k].type;
		}
}

static const struct record_kind op_kind = {reverse_op, tape_pull_op, tape_push_op};

/*
 * Whether a walk reads the elements of operand k of that dtype, or of the result.  Rules that are executed
 * (aot/rules.def) may read more than the adjoint table does.  But no rule reads the operands of a linear op or a move.
 */
static bool reads(const struct tape *tape, enum op op, int k, enum dtype d)
{
	enum regularity r = op_table[op].regularity;

	return adjoint_reads(tape->rules, op, k, d) ||
	    (tape->trace->walks && r != REGULARITY_LINEAR && r != REGULARITY_MOVE);
}

/* Sets `out` to the result of a node without regions.  Leaves a record if a derivative may pass. */
static void record_op(struct tape *tape, const struct node *node, struct variable *out)
{
	enum dtype d = out->tensor.type.dtype;
	struct record *r;
	uint8_t active = 0;

	for (int k = 0; k < node->n_arg; k++)
		active |= tape->variable[node->arg[k]]->active;
	active &= tape->trace->to_come;
	if (active && dtype_is_float(d) && adjoint_flows(tape->rules, node->op)) {
		r = tape_record(tape, &op_kind, node->n_arg);
		r->node = node;
		r->out = out;
		for (int k = 0; k < node->n_arg; k++) {
			struct variable *v = r->arg[k] = tape->variable[node->arg[k]];

			v->saved |= reads(tape, node->op, k, v->tensor.type.dtype);
		}
		out->active = active;
		out->saved = reads(tape, node->op, ADJOINT_RESULT, d);
		tape_push(tape, r);
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

/* The result is a new variable with its own adjoint, in the cells of the buffer. */
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

/* Each element has a variable from its first application on. */
static void run_scatter_apply(struct tape *tape, const struct node *node)
{
	const struct region *region = &node->region[0];
	struct variable *x = tape->variable[node->arg[0]];
	const struct type scalar = {.dtype = x->tensor.type.dtype};
	int n, n_written = 0,
	       *at = kernel_positions(node, &x->tensor.type, &tape->variable[node->arg[1]]->tensor, &n, tape->arena);
	int *written = NEW(tape->arena, int, n);
	struct variable **element = NEW(tape->arena, struct variable *, shape_elements(&x->tensor.type.shape));
	struct variable **part = NEW(tape->arena, struct variable *, n);
	struct record *split = tape_split(tape, x, n);

	for (int k = 0; k < n; k++) {
		struct variable **e = &element[at[k]];

		if (!*e) {
			written[n_written++] = at[k];
			*e = tape_part(tape, split, x, &scalar, at[k]);
		}
		tape->variable[region->param] = *e;
		tape_run(tape, region);
		*e = tape->variable[region->result[0]];
	}
	for (int k = 0; k < n_written; k++)
		part[k] = element[written[k]];
	tape->variable[node->out] = tape_put(tape, &x->tensor.type, x, n_written, part, written);
}

/*
 * ---- checkpoints: the region leaves one record; each level that meets the record runs the region again, recording
 * ----
 */

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
		**c = (struct capture_set){
		    .value = NEW(tape->arena, int, n_value), .mark = NEW(tape->arena, uint8_t, n_value)};
		capture_region(*c, &node->region[0]);
	}
	return *c;
}

struct record *tape_rerun(struct tape *tape, const struct record *checkpoint)
{
	const struct record *r = checkpoint;
	struct record *before = tape->trace->last;

	for (int k = r->node->n_out; k < r->n_arg; k++)
		tape->variable[r->number[k - r->node->n_out]] = r->arg[k];
	tape_run(tape, &r->node->region[0]);
	if (tape->trace->last != before && tape->trace->last->out)
		tape->rules->rerun(&tape->trace->last->out->tensor, tape->arena);
	return before;
}

/* Arguments of the record: the results, then what the region captures. */
void tape_reverse_region(struct tape *tape, const struct record *r)
{
	struct record *before = tape->trace->last;
	bool any = false;

	for (int k = 0; k < r->node->n_out; k++)
		any |= r->arg[k]->adjoint != NULL;
	if (!any)
		return;
	tape->trace->last = NULL;
	tape_rerun(tape, r);
	for (int k = 0; k < r->node->n_out; k++) {
		struct variable *v = tape->variable[r->node->region[0].result[k]];

		if (r->arg[k]->adjoint && v->active & tape->trace->level)
			adjoint_add(tape->rules, &v->tensor.type, &v->adjoint, r->arg[k]->adjoint);
	}
	tape_reverse(tape);
	tape->trace->last = before;
}

static const struct record_kind region_kind = {tape_reverse_region, tape_pull_region, tape_push_region};

static void run_checkpoint(struct tape *tape, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct capture_set *c = tape_captures(tape, node);
	struct record *before = tape->trace->last, *r = tape_record(tape, &region_kind, node->n_out + c->n);
	bool active = false;

	r->node = node;
	r->number = c->value;
	for (int k = 0; k < c->n; k++) {
		r->arg[node->n_out + k] = tape->variable[c->value[k]];
		tape->variable[c->value[k]]->saved = true;
	}
	tape_run(tape, region);
	tape->trace->last = before;
	for (int k = 0; k < node->n_out; k++) {
		const struct variable *v = tape->variable[region->result[k]];

		r->arg[k] = tape_variable(tape, v->tensor);
		r->arg[k]->shared = v->shared;
		r->arg[k]->active = v->active & tape->trace->to_come;
		active |= r->arg[k]->active != 0;
	}
	for (int k = 0; k < node->n_out; k++)
		tape->variable[node->out + k] = r->arg[k];
	if (active)
		tape_push(tape, r);
}

void tape_run(struct tape *tape, const struct region *region)
{
	static void (*const run[FAMILY_CUSTOM + 1])(struct tape *, const struct node *) = {[FAMILY_COND] = run_cond,
	    [FAMILY_CHECKPOINT] = run_checkpoint,
	    [FAMILY_SCATTER_APPLY] = run_scatter_apply,
	    [FAMILY_FIXED_POINT] = implicit_record,
	    [FAMILY_CUSTOM] = custom_record,
	    [FAMILY_FOR] = tape_for,
	    [FAMILY_WHILE] = tape_while,
	    [FAMILY_SCAN] = tape_scan};

	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		(node->n_region                ? run[op_table[node->op].family]
		        : node->op == OP_STORE ? run_store
		                               : run_op)(tape, node);
	}
	/*
	 * The region's own values get their outside names.  A value that is captured, or returned twice, keeps another
	 * name too.
	 */
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
	*state = tape_op_programs(a);
	*text = adjoint_refuse(&self->adjoint, self->kind->name, c, a);
	return *text ? ANSWER_UNSUPPORTED : ANSWER_OK;
}

/* The inputs.  Those of `wrt` are active for the outermost level. */
static struct variable **open_inputs(struct tape *tape, const struct transform *outermost, int n, struct tensor *point)
{
	struct variable **input = NEW(tape->arena, struct variable *, n);

	for (int k = 0; k < n; k++) {
		for (int earlier = 0; earlier < k && !input[k]; earlier++)
			if (tape->rules->same_leaf(&point[earlier], &point[k]))
				input[k] = input[earlier];
		if (input[k])
			continue;
		input[k] = tape_variable(tape, point[k]);
		input[k]->given = point[k].type;
	}
	for (int k = 0; outermost && k < outermost->n_wrt; k++) {
		struct variable *v = input[outermost->wrt[k]];

		if (dtype_is_float(v->tensor.type.dtype))
			v->active = tape->trace->level;
	}
	return input;
}

/*
 * Runs the outermost level as a sweep of numbers.  It seeds the adjoints of the outputs below, and reads those of the
 * wrt inputs.
 */
static void reverse(struct tape *tape, const struct transform *outermost, const struct outcome *below,
    struct variable *const *input, struct answer *out)
{
	for (int k = 0; k < below->n_output; k++) {
		struct variable *v = below->output[k];

		if (v->active & tape->trace->level)
			adjoint_add(tape->rules, &v->tensor.type, &v->adjoint,
			    tensor_copy(tape->arena, &outermost->seed[k]).at);
	}
	tape_reverse(tape);
	out->n_derivative = outermost->n_wrt;
	out->derivative = NEW(tape->arena, struct tensor, outermost->n_wrt);
	for (int k = 0; k < outermost->n_wrt; k++) {
		const struct variable *v = input[outermost->wrt[k]];

		out->derivative[k] = v->adjoint ? (struct tensor){v->given, v->adjoint}
		                                : tensor_new(tape->arena, &v->tensor.type);
	}
}

static struct tensor *tensors_of(struct variable *const *v, int n, struct arena *a)
{
	struct tensor *out = NEW(a, struct tensor, n);

	for (int k = 0; k < n; k++)
		out[k] = v[k]->tensor;
	return out;
}

static void tape_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	int n = c->n_transform;
	const struct transform *outermost = n ? &c->transform[n - 1] : NULL;
	bool numbers = outermost && outermost->kind == TRANSFORM_VJP;
	struct error e = {.text = ""};
	struct trace trace = {.walks = request_order(c->transform, n) > numbers,
	    .aot = &self->aot,
	    .programs = state,
	    .start = a->used,
	    .error = &e};
	struct tape *tape = NEW(a, struct tape, 1);
	struct variable **input;
	struct outcome below;

	(void)which;
	if (numbers)
		trace.level = trace.to_come = (uint8_t)(1 << (n - 1));
	*tape = tape_open(&trace, &self->adjoint, &c->program, a);
	input = open_inputs(tape, numbers ? outermost : NULL, c->program.top.n_param, point);
	if (setjmp(trace.fail)) {
		out->status = answer_refusal(&e);
		out->text = arena_printf(a, "%s: %s", self->kind->name, e.text);
		return;
	}
	tape_levels(tape, c->transform, numbers ? n - 1 : n, input, &below);

	out->status = ANSWER_OK;
	out->text = "";
	out->n_primal = below.n_primal;
	out->primal = tensors_of(below.primal, below.n_primal, a);
	if (!outermost)
		return;
	if (numbers) {
		reverse(tape, outermost, &below, input, out);
	} else {
		out->n_derivative = below.n_output;
		out->derivative = tensors_of(below.output, below.n_output, a);
	}
	tape->rules->finish(outermost, point, out->derivative, out->n_derivative, a);
}

const struct engine_kind tape_kind = {
    .name = "tape",
    .summary = "eager, dynamic Wengert list; loops unroll onto it",
    .modelled_on = "TensorFlow and PyTorch eager",
    .vjp = true,
    .jvp_over_vjp = true,
    .order = LIMIT_TRANSFORMS,
    .batch = true,
    .composes = true,
    .prepare = tape_prepare,
    .answer = tape_answer,
};

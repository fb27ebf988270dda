/*
 * forward.c: the engine `forward`: forward mode, streaming.  Tangents travel with the values.  A loop keeps two
 * iterations at a time, so memory does not grow with trip counts.  Modelled on the jvp transform of MLX.
 *
 * A value is traced when it has a tangent: when an operand of its node has one, integers and bool included.  Absent is
 * not zero: a rule never sees an untraced operand.
 */
#include <string.h>

#include "graph/loop.h"
#include "graph/walk.h"
#include "engines/kernels/buffers.h"
#include "custom.h"
#include "forward.h"
#include "engines/instance.h"
#include "engines/kernels/kernels.h"
#include "tangent.h"

/* ---- nodes without regions ---- */

static void push_tangents(struct forward *self, const struct node *node, const struct tensor *const arg[])
{
	const struct tangent_rule *rule = &self->rules->row[node->op];
	const struct tensor *packed[LIMIT_ARGS];
	int argnums[LIMIT_ARGS], n_traced = 0, last = node->out + node->n_out - 1, arity;

	for (int k = 0; k < node->n_arg; k++)
		if (self->tangent[node->arg[k]].at) {
			argnums[n_traced] = k;
			packed[n_traced++] = &self->tangent[node->arg[k]];
		}
	if (!n_traced)
		return;
	/* The tangents from a rule fill the slots of the results, last result first. */
	arity = rule->packing.out_arity(node->n_out, n_traced);
	for (int slot = last; slot > last - arity && slot >= 0; slot--) {
		struct tensor tangent = tensor_new(self->arena, &self->program->type[slot]);

		if (slot == node->out)
			tangent_apply(
			    rule, node, arg, &self->primal[slot], n_traced, argnums, packed, &tangent, self->arena);
		self->tangent[slot] = tangent;
	}
}

static void run_plain(struct forward *self, const struct node *node)
{
	const struct tensor *arg[LIMIT_ARGS];

	for (int k = 0; k < node->n_arg; k++)
		arg[k] = &self->primal[node->arg[k]];
	if (node->op == OP_STORE && self->exclusive[node->arg[0]]) {
		self->primal[node->out] = self->primal[node->arg[0]];
		kernel_store(&self->primal[node->out], arg[1], arg[2]);
	} else {
		(self->tracing ? self->rules->row[node->op].primal : kernel_run)(
		    node, arg, &self->program->type[node->out], &self->primal[node->out], self->arena);
	}
	if (self->tracing)
		push_tangents(self, node, arg);
}

/* ---- regions ---- */

static void set_value(struct forward *self, int value, struct tensor primal, struct tensor tangent)
{
	self->primal[value] = primal;
	self->tangent[value] = tangent;
}

static void run_cond(struct forward *self, const struct node *node)
{
	const struct region *taken = &node->region[self->primal[node->arg[0]].at[0].i ? 0 : 1];

	forward_run(self, taken);
	for (int i = 0; i < taken->n_result; i++)
		set_value(self, node->out + i, self->primal[taken->result[i]], self->tangent[taken->result[i]]);
}

/* A forward run keeps nothing of a region, so there is nothing to recompute. */
static void run_checkpoint(struct forward *self, const struct node *node)
{
	const struct region *region = &node->region[0];

	forward_run(self, region);
	for (int i = 0; i < region->n_result; i++)
		set_value(self, node->out + i, self->primal[region->result[i]], self->tangent[region->result[i]]);
}

double forward_region_at(struct forward *self, const struct region *region, double x)
{
	struct tensor element = tensor_new(self->arena, &self->program->type[region->param]);

	element.at[0].f = x;
	set_value(self, region->param, element, (struct tensor){.at = NULL});
	forward_run(self, region);
	return self->primal[region->result[0]].at[0].f;
}

/* Works on one element at a time, in place, in copies of x and of its tangent. */
static void run_scatter_apply(struct forward *self, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct tensor *x = &self->primal[node->arg[0]], *dx = &self->tangent[node->arg[0]];
	struct tensor y = tensor_copy(self->arena, x), dy = {.at = NULL};
	struct tensor element = tensor_new(self->arena, &self->program->type[region->param]), moving = element;
	int n, *at = kernel_positions(node, &x->type, &self->primal[node->arg[1]], &n, self->arena);

	if (dx->at)
		dy = tensor_copy(self->arena, dx);
	else if (self->tracing && dtype_is_float(x->type.dtype))
		dy = tensor_new(self->arena, &x->type);
	if (dy.at)
		moving = tensor_new(self->arena, &element.type);
	else
		moving.at = NULL;
	for (int k = 0; k < n; k++) {
		struct arena_mark mark = arena_mark(self->arena);
		const struct tensor *tangent = &self->tangent[region->result[0]];

		element.at[0] = y.at[at[k]];
		if (dy.at)
			moving.at[0] = dy.at[at[k]];
		set_value(self, region->param, element, moving);
		forward_run(self, region);
		y.at[at[k]] = self->primal[region->result[0]].at[0];
		if (dy.at)
			dy.at[at[k]].f = self->rules->applied(
			    self, region, moving.at[0].f, tangent->at ? tangent->at[0].f : 0);
		arena_rewind(self->arena, mark);
	}
	set_value(self, node->out, y, dy);
}

/*
 * Two sets of the carries of a loop.  An iteration reads one set and writes its results into the other; its other
 * memory is then given back.  A float carry has a tangent from the start, zeros if need be, because a later iteration
 * may bring one.
 */
struct dual_carries {
	int n;
	struct tensor primal[2][LIMIT_ARGS], tangent[2][LIMIT_ARGS];
	int current;
};

static void copy_cells(struct tensor *to, const struct tensor *from)
{
	memcpy(to->at, from->at, (size_t)shape_elements(&to->type.shape) * sizeof *to->at);
}

static struct dual_carries *carries_begin(struct forward *self, int n, const int *value)
{
	struct dual_carries *c = NEW(self->arena, struct dual_carries, 1);

	c->n = n;
	for (int i = 0; i < n; i++) {
		const struct tensor *primal = &self->primal[value[i]], *tangent = &self->tangent[value[i]];

		for (int side = 0; side < 2; side++) {
			c->primal[side][i] = tensor_copy(self->arena, primal);
			if (tangent->at)
				c->tangent[side][i] = tensor_copy(self->arena, tangent);
			else if (self->tracing && dtype_is_float(primal->type.dtype))
				c->tangent[side][i] = tensor_new(self->arena, &primal->type);
		}
	}
	return c;
}

/* Sets the values first, first + 1 ... to the current carries. */
static void carries_show(struct forward *self, const struct dual_carries *c, int first)
{
	for (int i = 0; i < c->n; i++)
		set_value(self, first + i, c->primal[c->current][i], c->tangent[c->current][i]);
}

static void carries_take(struct forward *self, struct dual_carries *c, const int *result)
{
	int next = 1 - c->current;

	for (int i = 0; i < c->n; i++) {
		struct tensor *to = &c->tangent[next][i];
		const struct tensor *from = &self->tangent[result[i]];

		copy_cells(&c->primal[next][i], &self->primal[result[i]]);
		if (to->at && from->at)
			copy_cells(to, from);
		else if (to->at)
			memset(to->at, 0, (size_t)shape_elements(&to->type.shape) * sizeof *to->at);
	}
	c->current = next;
}

/* Whether the condition of a while holds for its carries. */
static bool goes_on(struct forward *self, const struct node_loop *l, const struct dual_carries *c)
{
	carries_show(self, c, l->condition->param);
	forward_run(self, l->condition);
	return self->primal[l->condition->result[0]].at[0].i != 0;
}

/* Sets the parameters of the body in iteration t. */
static void show_params(struct forward *self, const struct node_loop *l, const struct dual_carries *c, int t)
{
	struct tensor index, absent = {.at = NULL};

	if (l->n_index) {
		index = tensor_new(self->arena, &self->program->type[l->body->param]);
		index.at[0].i = t;
		set_value(self, l->body->param, index, absent);
	}
	carries_show(self, c, l->first_param);
	for (int i = 0; i < l->n_xs; i++) {
		int xs = l->node->arg[l->n_carry + i];
		const struct tensor *tangent = &self->tangent[xs];

		set_value(self, l->first_param + l->n_carry + i, kernel_row(&self->primal[xs], t, self->arena),
		    tangent->at ? kernel_row(tangent, t, self->arena) : absent);
	}
}

static void run_loop(struct forward *self, const struct node *node)
{
	const struct node_loop l = node_loop(node);
	const struct region *body = l.body;
	int trip = l.counted ? kernel_trip(node, &self->primal[node->arg[0]]) : node_max_trip(node);
	struct dual_carries *c = carries_begin(self, l.n_carry, node->arg + l.first_arg);
	struct tensor stacked[LIMIT_ARGS], stacked_tangent[LIMIT_ARGS];
	bool stop = false;

	for (int i = 0; i < l.n_ys; i++) {
		const struct type *type = &self->program->type[node->out + l.n_carry + i];

		stacked[i] = tensor_new(self->arena, type);
		stacked_tangent[i] = (struct tensor){.type = *type};
		if (self->tracing && dtype_is_float(type->dtype))
			stacked_tangent[i] = tensor_new(self->arena, type);
	}
	for (int t = 0; t < trip && !stop; t++) {
		struct arena_mark mark = arena_mark(self->arena);

		stop = l.condition && !goes_on(self, &l, c);
		if (!stop) {
			show_params(self, &l, c, t);
			forward_run(self, body);
			stop = l.until && self->primal[body->result[body->n_result - 1]].at[0].i;
			for (int i = 0; i < l.n_ys; i++) {
				int value = body->result[l.n_carry + i];

				kernel_set_row(&stacked[i], t, &self->primal[value]);
				if (stacked_tangent[i].at && self->tangent[value].at)
					kernel_set_row(&stacked_tangent[i], t, &self->tangent[value]);
			}
			carries_take(self, c, body->result);
		}
		arena_rewind(self->arena, mark);
	}
	carries_show(self, c, node->out);
	for (int i = 0; i < l.n_ys; i++)
		set_value(self, node->out + l.n_carry + i, stacked[i], stacked_tangent[i]);
}

/* clang-format off */
static void (*const run_op[OP_COUNT])(struct forward *, const struct node *) = {
	[OP_COND] = run_cond, [OP_CHECKPOINT] = run_checkpoint, [OP_SCATTER_APPLY] = run_scatter_apply,
	[OP_FIXED_POINT] = implicit_push, [OP_CUSTOM] = custom_push,
	[OP_FOR] = run_loop, [OP_WHILE] = run_loop, [OP_SCAN] = run_loop,
};
/* clang-format on */

void forward_run(struct forward *self, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		/* A slot still has the tangent of the iteration before. */
		for (int k = 0; k < node->n_out; k++)
			self->tangent[node->out + k].at = NULL;
		if (run_op[node->op])
			run_op[node->op](self, node);
		else
			run_plain(self, node);
	}
}

/* ---- the engine ---- */

/* The first op without a rule in these regions, or OP_COUNT. */
static enum op unruled(const struct tangent_rules *rules, const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (!w.node->n_region && !rules->row[w.node->op].structure)
			return w.node->op;
	return OP_COUNT;
}

static enum answer_status forward_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	enum op op;

	*state = NULL;
	if (c->n_transform == 0)
		return ANSWER_OK;
	op = unruled(&self->tangent, &c->program.top);
	if (op != OP_COUNT) {
		*text = arena_printf(a, "forward: no rule for %s", op_table[op].name);
		return ANSWER_UNSUPPORTED;
	}
	return ANSWER_OK;
}

static void forward_answer(struct engine *engine, void *state, const struct testcase *c, int which,
    struct tensor *point, struct arena *a, struct answer *out)
{
	const struct region *top = &c->program.top;
	const struct transform *jvp = c->n_transform ? &c->transform[0] : NULL;
	struct forward self = {.program = &c->program,
	    .rules = &engine->tangent,
	    .arena = a,
	    .tracing = jvp,
	    .exclusive = buffers_exclusive(&c->program, a),
	    .primal = NEW(a, struct tensor, c->program.n_value),
	    .tangent = NEW(a, struct tensor, c->program.n_value)};

	(void)state, (void)which;
	for (int i = 0; i < top->n_param; i++)
		self.primal[top->param + i] = point[i];
	for (int i = 0; jvp && i < jvp->n_wrt; i++)
		self.tangent[top->param + jvp->wrt[i]] = jvp->seed[i];
	forward_run(&self, top);

	out->n_primal = top->n_result;
	out->primal = NEW(a, struct tensor, top->n_result);
	for (int i = 0; i < top->n_result; i++)
		out->primal[i] = tensor_copy(a, &self.primal[top->result[i]]);
	if (!jvp)
		return;
	out->n_derivative = top->n_result;
	out->derivative = NEW(a, struct tensor, top->n_result);
	for (int i = 0; i < top->n_result; i++) {
		const struct tensor *tangent = &self.tangent[top->result[i]];

		/* No direction reaches this result. */
		out->derivative[i] = tangent->at ? tensor_copy(a, tangent)
		                                 : tensor_new(a, &self.primal[top->result[i]].type);
	}
}

const struct engine_kind forward_kind = {
    .name = "forward",
    .summary = "streaming jvp with packed tangents, memory independent of trip counts",
    .modelled_on = "MLX jvp",
    .jvp = true,
    .order = LIMIT_TRANSFORMS,
    .batch = true,
    .prepare = forward_prepare,
    .answer = forward_answer,
};

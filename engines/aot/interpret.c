/* interpret.c: control flow runs in C, and the kernels compute the ops. */
#include "interpret.h"
#include "graph/loop.h"

#include <string.h>

#include "engines/kernels/kernels.h"
#include "lower.h"

struct interpreter {
	const struct program *program;
	struct arena *arena;
	struct tensor *value;                      /* [n_value] */
	const struct interpret_observer *observer; /* NULL: none */
};

static void run_region(struct interpreter *self, const struct region *region);

static void run_cond(struct interpreter *self, const struct node *node)
{
	const struct region *taken = &node->region[self->value[node->arg[0]].at[0].i ? 0 : 1];

	run_region(self, taken);
	for (int k = 0; k < node->n_out; k++)
		self->value[node->out + k] = self->value[taken->result[k]];
}

static void run_checkpoint(struct interpreter *self, const struct node *node)
{
	const struct region *region = &node->region[0];

	run_region(self, region);
	for (int k = 0; k < node->n_out; k++)
		self->value[node->out + k] = self->value[region->result[k]];
}

static void run_scatter_apply(struct interpreter *self, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct tensor *x = &self->value[node->arg[0]];
	struct tensor y = tensor_copy(self->arena, x);
	int n, *at = kernel_positions(node, &x->type, &self->value[node->arg[1]], &n, self->arena);

	for (int k = 0; k < n; k++) {
		struct arena_mark mark = arena_mark(self->arena);

		self->value[region->param] = tensor_new(self->arena, &self->program->type[region->param]);
		self->value[region->param].at[0] = y.at[at[k]];
		run_region(self, region);
		y.at[at[k]] = self->value[region->result[0]].at[0];
		arena_rewind(self->arena, mark);
	}
	self->value[node->out] = y;
}

/* Two sets of carries: an iteration reads one and fills the other.  Everything else that it allocated is then freed. */
struct carry_buffers {
	int n, current;
	struct tensor side[2][LIMIT_ARGS];
};

static void carries_begin(struct interpreter *self, struct carry_buffers *c, int n, const int *value)
{
	c->n = n;
	c->current = 0;
	for (int k = 0; k < n; k++) {
		c->side[0][k] = tensor_copy(self->arena, &self->value[value[k]]);
		c->side[1][k] = tensor_new(self->arena, &self->value[value[k]].type);
	}
}

static void carries_show(struct interpreter *self, const struct carry_buffers *c, int first)
{
	for (int k = 0; k < c->n; k++)
		self->value[first + k] = c->side[c->current][k];
}

static void carries_take(struct interpreter *self, struct carry_buffers *c, const int *result)
{
	int next = 1 - c->current;

	for (int k = 0; k < c->n; k++) {
		struct tensor *to = &c->side[next][k];

		memcpy(to->at, self->value[result[k]].at, (size_t)shape_elements(&to->type.shape) * sizeof *to->at);
	}
	c->current = next;
}

/* Whether the condition of a while holds for its carries. */
static bool goes_on(struct interpreter *self, const struct node_loop *l, const struct carry_buffers *c)
{
	carries_show(self, c, l->condition->param);
	run_region(self, l->condition);
	return self->value[l->condition->result[0]].at[0].i != 0;
}

static void run_loop(struct interpreter *self, const struct node *node)
{
	const struct node_loop l = node_loop(node);
	const struct region *body = l.body;
	int trip = l.counted ? kernel_trip(node, &self->value[node->arg[0]]) : node_max_trip(node);
	struct tensor *xs = &self->value[l.first_param + l.n_carry], *ys = &self->value[node->out + l.n_carry];
	struct carry_buffers c;
	bool stop = false;

	carries_begin(self, &c, l.n_carry, node->arg + l.first_arg);
	for (int k = 0; k < l.n_ys; k++)
		ys[k] = tensor_new(self->arena, &self->program->type[node->out + l.n_carry + k]);
	for (int t = 0; t < trip && !stop; t++) {
		struct arena_mark mark = arena_mark(self->arena);

		stop = l.condition && !goes_on(self, &l, &c);
		if (!stop) {
			if (l.n_index) {
				self->value[body->param] = tensor_new(self->arena, &self->program->type[body->param]);
				self->value[body->param].at[0].i = t;
			}
			carries_show(self, &c, l.first_param);
			for (int k = 0; k < l.n_xs; k++)
				xs[k] = kernel_row(&self->value[node->arg[l.n_carry + k]], t, self->arena);
			run_region(self, body);
			stop = l.until && self->value[body->result[body->n_result - 1]].at[0].i;
			for (int k = 0; k < l.n_ys; k++)
				kernel_set_row(&ys[k], t, &self->value[body->result[l.n_carry + k]]);
			carries_take(self, &c, body->result);
		}
		arena_rewind(self->arena, mark);
	}
	carries_show(self, &c, node->out);
}

/* clang-format off */
static void (*const run_op[OP_COUNT])(struct interpreter *, const struct node *) = {
	[OP_COND] = run_cond, [OP_FOR] = run_loop, [OP_WHILE] = run_loop, [OP_SCAN] = run_loop,
	[OP_CHECKPOINT] = run_checkpoint, [OP_SCATTER_APPLY] = run_scatter_apply,
};
/* clang-format on */

static void tell(struct interpreter *self, const struct region *region, const struct node *node)
{
	if (self->observer)
		self->observer->step(self->observer->self, region, node, self->value);
}

static void run_region(struct interpreter *self, const struct region *region)
{
	tell(self, region, NULL);
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		if (run_op[node->op])
			run_op[node->op](self, node);
		else
			kernel_step(self->program, node, self->value, self->arena);
		tell(self, region, node);
	}
}

void interpret_observed(const struct program *p, const struct tensor *input, const struct interpret_observer *o,
    struct arena *a, struct tensor *result)
{
	struct interpreter self = {.program = p, .arena = a, .value = NEW(a, struct tensor, p->n_value), .observer = o};

	for (int k = 0; k < p->top.n_param; k++)
		self.value[p->top.param + k] = input[k];
	run_region(&self, &p->top);
	for (int k = 0; k < p->top.n_result; k++)
		result[k] = tensor_copy(a, &self.value[p->top.result[k]]);
}

void interpret_program(const struct program *p, const struct tensor *input, struct arena *a, struct tensor *result)
{
	const struct program plain = lower_customs(p, DERIVATIVE_COUNT, a),
	                     loops = lower_fixed_points(&plain, false, a);

	interpret_observed(&loops, input, NULL, a, result);
}

/* custom_reach.c: see custom_reach.h. A derivative flows from value to value, through floats alone. */
#include "custom_reach.h"
#include "graph/loop.h"
#include "graph/walk.h"

/* Values to which a derivative flows. */
struct reached {
	const struct program *p;
	bool *value; /* [n_value] */
	bool changed;
};

static bool is_float(const struct program *p, int value) { return dtype_is_float(p->type[value].dtype); }

static void reach(struct reached *self, int first, int n)
{
	for (int v = first; v < first + n; v++) {
		self->changed |= !self->value[v] && is_float(self->p, v);
		self->value[v] |= is_float(self->p, v);
	}
}

static bool any_of(const bool *reached, const int *value, int n)
{
	for (int k = 0; k < n; k++)
		if (reached[value[k]])
			return true;
	return false;
}

/* A parameter of a loop is its operand, or for a carry what the last iteration left. */
static void pass_loop(struct reached *self, const struct node *node)
{
	const struct node_loop l = node_loop(node);

	for (int k = 0; l.first_arg + k < node->n_arg; k++)
		if (self->value[node->arg[l.first_arg + k]] || (k < l.n_carry && self->value[l.body->result[k]]))
			for (int r = 0; r < node->n_region; r++)
				reach(self, node->region[r].param + l.n_index + k, 1);
	for (int k = 0; k < node->n_out; k++)
		if (self->value[l.body->result[k]] || (k < l.n_carry && self->value[node->arg[l.first_arg + k]]))
			reach(self, node->out + k, 1);
}

/* What a node passes on. In a region that is no loop's, a parameter may be any operand. */
static void pass(struct reached *self, const struct node *node)
{
	bool any = any_of(self->value, node->arg, node->n_arg);

	if (op_is_loop(node->op)) {
		pass_loop(self, node);
		return;
	}
	for (int k = 0; k < node->n_region; k++)
		any |= any_of(self->value, node->region[k].result, node->region[k].n_result);
	for (int k = 0; any && k < node->n_region; k++)
		reach(self, node->region[k].param, node->region[k].n_param);
	if (any)
		reach(self, node->out, node->n_out);
}

/* Which values derivatives flow to, from n values that begin at `first`. */
static bool *reached_from(const struct program *p, int first, int n, struct arena *a)
{
	struct reached self = {.p = p, .value = NEW(a, bool, p->n_value)};

	reach(&self, first, n);
	while (self.changed) {
		self.changed = false;
		for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
			pass(&self, w.node);
	}
	return self.value;
}

/* Which inputs a level of the request differentiates. */
static void mark_inputs(const struct testcase *c, bool *input)
{
	for (int k = 0; k < c->n_transform; k++)
		for (int j = 0; j < c->transform[k].n_wrt; j++)
			input[c->transform[k].wrt[j]] = true;
}

/* An engine may run the rule with zeros where nothing flows, and 0 times an infinity is NaN. So a NaN is no leak. */
static void excuse(struct truth_tensor *t, bool passed)
{
	for (int e = 0; e < shape_elements(&t->type.shape); e++) {
		if (passed && dtype_is_float(t->type.dtype))
			t->at[e] = (struct component){.reason = REASON_CUSTOM_RULE};
		t->at[e].in_domain = false;
	}
}

void custom_reach(
    const struct testcase *c, const struct node *const *broken, int n, struct arena *a, struct truth_point *io)
{
	const struct program *p = &c->program;
	const struct transform *t = c->transform;
	bool input[LIMIT_ARGS] = {false}, passed[LIMIT_ARGS] = {false}, any = false;

	mark_inputs(c, input);
	for (int i = 0; i < n; i++) {
		const bool *to = reached_from(p, broken[i]->out, broken[i]->n_out, a);

		for (int k = 0; k < p->top.n_param; k++) {
			if (!input[k])
				continue;
			const bool *from = reached_from(p, p->top.param + k, 1, a);
			const bool enters = any_of(from, broken[i]->arg, broken[i]->n_arg);

			for (int r = 0; enters && r < p->top.n_result; r++) {
				const bool through = to[p->top.result[r]];

				any |= through;
				if (c->n_transform == 1 && through)
					passed[t->kind == TRANSFORM_VJP ? k : r] = true;
			}
		}
	}
	for (int k = 0; k < io->n_derivative; k++) {
		const int own = c->n_transform == 1 && t->kind == TRANSFORM_VJP ? t->wrt[k] : k;

		for (int s = 0; s < io->n_assignment; s++)
			excuse(&io->derivative[s][k], c->n_transform == 1 ? passed[own] : any);
	}
}

/*
 * custom_choices.c: whether the rule of a custom decides anything by its direction.
 *
 * A derivative is linear in its direction, so a correct rule needs no decision, except to keep an exact 0 at 0. A rule
 * with other decisions may be correct in the directions that the oracle tries and wrong in those of a request.
 */
#include "custom_choices.h"
#include "graph/loop.h"

struct rule_scan {
	const struct program *p;
	bool *hangs; /* [n_value]: on a direction */
	bool *zero;  /* [n_value]: a constant, 0 everywhere */
	enum rule_choice found;
	bool changed; /* hangs[], in this pass */
};

static void mark(struct rule_scan *self, int value, bool hangs)
{
	self->changed = self->changed || (hangs && !self->hangs[value]);
	self->hangs[value] = self->hangs[value] || hangs;
}

static void mark_all(struct rule_scan *self, int first, int n, bool hangs)
{
	for (int k = 0; k < n; k++)
		mark(self, first + k, hangs);
}

static bool any_hangs(const struct rule_scan *self, const int *value, int n)
{
	for (int k = 0; k < n; k++)
		if (self->hangs[value[k]])
			return true;
	return false;
}

static bool is_zero(const struct tensor *t)
{
	for (int i = 0; i < shape_elements(&t->type.shape); i++)
		if (dtype_is_float(t->type.dtype) ? t->at[i].f != 0 : t->at[i].i != 0)
			return false;
	return true;
}

/* What a node without regions decides by a float that depends on the direction. The results of a decision count as
 * no further decision. */
static enum rule_choice choice_of(const struct rule_scan *self, const struct node *n)
{
	const enum regularity regularity = op_table[n->op].regularity;
	bool hangs = false, guard = n->op == OP_EQ || n->op == OP_NE;

	for (int k = 0; k < n->n_arg; k++) {
		const bool own = self->hangs[n->arg[k]] && dtype_is_float(self->p->type[n->arg[k]].dtype);

		hangs = hangs || own;
		guard = guard && (own || self->zero[n->arg[k]]) && !(own && k && self->hangs[n->arg[0]]);
	}
	if (!hangs || n->op == OP_STOP_GRADIENT)
		return RULE_LINEAR;
	if (n->op == OP_CAST && n->attrs.dtype == DTYPE_BOOL)
		return RULE_GUARDS;
	if (n->op == OP_CAST
	        ? dtype_is_float(n->attrs.dtype)
	        : regularity != REGULARITY_KINK && regularity != REGULARITY_STEP && regularity != REGULARITY_DISCRETE)
		return RULE_LINEAR;
	return guard ? RULE_GUARDS : RULE_CHOOSES;
}

static void visit(struct rule_scan *self, const struct region *r);

/* Carried or sliced operands are parameters of all regions, after the index of a for. The last region's results are
 * the next carries. */
static void visit_loop(struct rule_scan *self, const struct node *n)
{
	const struct node_loop l = node_loop(n);
	const int first = l.first_arg;
	const struct region *body = l.body;
	bool ends = l.counted && self->hangs[n->arg[0]];

	for (int r = 0; r < n->n_region; r++) {
		for (int k = first; k < n->n_arg; k++)
			mark(self, n->region[r].param + l.n_index + k - first,
			    self->hangs[n->arg[k]] || (k - first < l.n_carry && self->hangs[body->result[k - first]]));
		visit(self, &n->region[r]);
	}
	if (l.condition)
		ends = self->hangs[l.condition->result[0]];
	else if (l.until)
		ends = ends || self->hangs[body->result[body->n_result - 1]];
	for (int k = 0; k < n->n_out; k++)
		mark(self, n->out + k,
		    ends || self->hangs[body->result[k]] || (k < l.n_carry && self->hangs[n->arg[first + k]]));
}

static void visit_nested(struct rule_scan *self, const struct node *n)
{
	bool hangs = any_hangs(self, n->arg, n->n_arg);

	if (op_is_loop(n->op)) {
		visit_loop(self, n);
		return;
	}
	for (int r = 0; r < n->n_region; r++) {
		mark_all(self, n->region[r].param, n->region[r].n_param, hangs);
		visit(self, &n->region[r]);
		hangs = hangs || any_hangs(self, n->region[r].result, n->region[r].n_result);
	}
	mark_all(self, n->out, n->n_out, hangs);
}

static void visit(struct rule_scan *self, const struct region *r)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];

		if (n->op == OP_CONSTANT)
			self->zero[n->out] = is_zero(&n->attrs.value);
		if (n->n_region) {
			visit_nested(self, n);
			continue;
		}
		if (n->n_arg == 1 && (op_table[n->op].regularity == REGULARITY_MOVE || n->op == OP_CAST))
			self->zero[n->out] = self->zero[n->arg[0]];
		const enum rule_choice own = choice_of(self, n);
		self->found = own > self->found ? own : self->found;
		mark_all(self, n->out, n->n_out, any_hangs(self, n->arg, n->n_arg));
	}
}

enum rule_choice custom_choices(const struct program *p, const struct node *custom, struct arena *a)
{
	const struct region *rule = &custom->region[1];
	struct rule_scan self = {.p = p, .hangs = NEW(a, bool, p->n_value), .zero = NEW(a, bool, p->n_value)};

	mark_all(&self, rule->param + custom->n_arg, rule->n_param - custom->n_arg, true);
	while (self.changed) {
		self.changed = false;
		visit(&self, rule);
	}
	return self.found;
}

/* mutants_adjoint.c: single edits of the structures and seams of the reverse engines. */
#include <string.h>

#include "engines/builtin/adjoint.h"
#include "engines/kernels/parts.h"
#include "mutants.h"
#include "wrong_seams.h"

/* ---- structures: the correct one with another input, or with another result ---- */

static void without(const struct adjoint_call *call, int operand, struct tensor *contribution)
{
	struct adjoint_call changed = *call;
	bool wanted[LIMIT_ARGS];

	memcpy(wanted, call->wanted, (size_t)call->node->n_arg * sizeof *wanted);
	if (operand < call->node->n_arg)
		wanted[operand] = false;
	changed.wanted = wanted;
	adjoint_structure(call->node->op)(&changed, contribution);
}

static void without_0(const struct adjoint_call *call, struct tensor *c) { without(call, 0, c); }
static void without_1(const struct adjoint_call *call, struct tensor *c) { without(call, 1, c); }
static void without_2(const struct adjoint_call *call, struct tensor *c) { without(call, 2, c); }

/* Moves every element of x one place on. */
static void rotate(struct tensor *x)
{
	int n = shape_elements(&x->type.shape);
	union cell last;

	if (n < 2)
		return;
	last = x->at[n - 1];
	memmove(x->at + 1, x->at, (size_t)(n - 1) * sizeof *x->at);
	x->at[0] = last;
}

static void rotated(const struct adjoint_call *call, struct tensor *contribution)
{
	adjoint_structure(call->node->op)(call, contribution);
	for (int k = 0; k < call->node->n_arg; k++)
		if (contribution[k].at)
			rotate(&contribution[k]);
}

static void with_operand(
    const struct adjoint_call *call, int operand, const struct tensor *x, struct tensor *contribution)
{
	struct adjoint_call changed = *call;
	const struct tensor *arg[LIMIT_ARGS];

	memcpy(arg, call->arg, (size_t)call->node->n_arg * sizeof *arg);
	arg[operand] = x;
	changed.arg = arg;
	adjoint_structure(call->node->op)(&changed, contribution);
}

static void stale_primal(const struct adjoint_call *call, struct tensor *contribution)
{
	struct tensor x = tensor_copy(call->arena, call->arg[0]);

	rotate(&x);
	with_operand(call, 0, &x, contribution);
}

static int index_operand(enum op op) { return op_table[op].family == FAMILY_DYNAMIC_UPDATE_SLICE ? 2 : 1; }

static void index_plus_one(const struct adjoint_call *call, struct tensor *contribution)
{
	int k = index_operand(call->node->op);
	struct tensor index = tensor_copy(call->arena, call->arg[k]);

	for (int i = 0, n = shape_elements(&index.type.shape); i < n; i++)
		index.at[i].i = int_add(index.at[i].i, 1);
	with_operand(call, k, &index, contribution);
}

static void with_node(const struct adjoint_call *call, const struct node *node, struct tensor *contribution)
{
	struct adjoint_call changed = *call;

	changed.node = node;
	adjoint_structure(node->op)(&changed, contribution);
}

static void next_mode(const struct adjoint_call *call, struct tensor *contribution)
{
	struct node node = *call->node;

	node.attrs.mode = (enum index_mode)((node.attrs.mode + 1) % MODE_COUNT);
	with_node(call, &node, contribution);
}

static void next_axis(const struct adjoint_call *call, struct tensor *contribution)
{
	struct node node = *call->node;

	node.attrs.axis = (node.attrs.axis + 1) % call->arg[0]->type.shape.rank;
	with_node(call, &node, contribution);
}

/* Operand 0 gets the cotangent unchanged. */
static void not_moved(const struct adjoint_call *call, struct tensor *contribution)
{
	struct adjoint_call changed = *call;

	changed.spent = false;
	adjoint_structure(call->node->op)(&changed, contribution);
	if (contribution[0].at)
		memcpy(contribution[0].at, call->cotangent->at,
		    (size_t)shape_elements(&contribution[0].type.shape) * sizeof(union cell));
}

static const struct tensor *latest(int operand, const struct tensor *recorded, const struct tensor *now)
{
	(void)operand, (void)recorded;
	return now;
}

/* The ops for which each edit of a structure makes sense.  Ops of one family share an edit. */
static const enum op unmoved_ops[] = {OP_TRANSPOSE, OP_REVERSE, OP_CUMSUM, OP_CUMPROD, OP_SCATTER_SET, OP_SCATTER_MUL,
    OP_SCATTER_MIN, OP_SCATTER_MAX, OP_SLICE_SCATTER, OP_DYNAMIC_UPDATE_SLICE, OP_STORE, OP_MASKED_SCATTER};
static const enum op primal_ops[] = {OP_REDUCE_PROD, OP_REDUCE_MAX, OP_REDUCE_MIN, OP_LOGSUMEXP, OP_NORM, OP_CUMPROD,
    OP_MATMUL, OP_SCATTER_MUL, OP_SCATTER_MIN, OP_SCATTER_MAX};
static const enum op index_ops[] = {OP_GATHER, OP_TAKE_ALONG_AXIS, OP_SCATTER_SET, OP_SCATTER_ADD, OP_SCATTER_MUL,
    OP_SCATTER_MIN, OP_SCATTER_MAX, OP_DYNAMIC_SLICE, OP_DYNAMIC_UPDATE_SLICE, OP_STORE};

static bool is_among(enum op op, const enum op *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == op)
			return true;
	return false;
}
#define AMONG(op, list) is_among(op, list, sizeof(list) / sizeof *(list))

/* Whether operand k of an op is an integer, a predicate or a mask, so that it has no cotangent to lose. */
static bool is_discrete_operand(enum op op, int k)
{
	return (op_table[op].family == FAMILY_SELECT && k == 0) ||
	    ((op_table[op].family == FAMILY_MASKED_SCATTER || AMONG(op, index_ops)) && k == index_operand(op));
}

/* Whether a cotangent depends on values of the forward run. */
static bool reads_primals(const struct adjoint_rule *row, enum op op)
{
	for (int k = 0; k < RULE_PARTIALS; k++)
		if (strpbrk(row->partial[k].text, "abcy"))
			return true;
	return AMONG(op, primal_ops);
}

void mutate_adjoint_structure(struct mutant_walk *m, enum op op)
{
	static adjoint_fn *const without_k[] = {without_0, without_1, without_2};
	struct adjoint_rule *row = &m->self->adjoint.row[op];
	const struct op_info *info = &op_table[op];
	int n_arg = info->n_arg < 0 ? 2 : info->n_arg;
	struct {
		bool applies;
		adjoint_fn *structure;
		const char *meaning;
	} edits[] = {
	    {true, rotated, "contributions land one element further on"},
	    {AMONG(op, unmoved_ops), not_moved, "operand 0 gets the cotangent as it is"},
	    {AMONG(op, primal_ops), stale_primal, "operand 0 is read one element off"},
	    {AMONG(op, index_ops), index_plus_one, "indices are one too large"},
	    {(info->attrs & ATTR_MODE) != 0, next_mode, "indices outside the axis are treated in another mode"},
	    {info->family == FAMILY_CUMULATIVE, next_axis, "along the next axis"},
	};

	if (!row->partial[0].n) {
		for (int k = 0; k < n_arg && k < 3; k++)
			if (!is_discrete_operand(op, k) &&
			    mutant_here(m, "%s: no contribution to operand %d", info->name, k))
				row->structure = without_k[k];
		if (mutant_here(m, "%s: the sign of all contributions", info->name))
			row->scale = -1;
	}
	if (mutant_here(m, "%s: contributions twice", info->name))
		row->scale = 2;
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
		if (edits[i].applies && mutant_here(m, "%s: %s", info->name, edits[i].meaning))
			row->structure = edits[i].structure;
	if (m->self->kind == &tape_kind && reads_primals(row, op) &&
	    mutant_here(m, "%s: operands are read in their latest state", info->name))
		row->saved = latest;
}

/* ---- seams ---- */

static double cotangent_alone(double cotangent, double partial)
{
	(void)partial;
	return cotangent;
}
static double partial_alone(double cotangent, double partial)
{
	(void)cotangent;
	return partial;
}

static double first_term(double sum, double term)
{
	(void)term;
	return sum;
}
static double difference(double sum, double term) { return sum - term; }

static void unbroadcast_last(const struct tensor *full, struct tensor *operand)
{
	struct cell_walk w = {.shape = full->type.shape};

	shape_broadcast_strides(&operand->type.shape, &full->type.shape, w.step);
	cell_walk_put(operand->at, w, full->at);
}

static void unbroadcast_mean(const struct tensor *full, struct tensor *operand)
{
	struct cell_walk w = {.shape = full->type.shape};
	int n = shape_elements(&operand->type.shape), count = n ? shape_elements(&full->type.shape) / n : 1;

	shape_broadcast_strides(&operand->type.shape, &full->type.shape, w.step);
	cell_walk_add(operand->at, w, full->at);
	for (int i = 0; count && i < n; i++)
		operand->at[i].f /= count;
	adjoint_round(operand);
}

static int one_earlier(int step, int n) { return step + 2 <= n ? n - 2 - step : 0; }
static int always_first(int step, int n)
{
	(void)step, (void)n;
	return 0;
}

/* clang-format off */
static int twice(const struct node *node, int depth) { (void)node, (void)depth; return 2; }
static bool over_shared(bool saved, bool shared) { (void)shared; return !saved; }
static int set_before(int saved, int n) { (void)n; return saved > 0 ? saved - 1 : 0; }
static int row_after(int i, int n, int trip) { (void)n; return i + 1 < trip ? i + 1 : i; }
static int row_reversed(int i, int n, int trip) { (void)trip; return n - 1 - i; }
static bool never(bool seeded, bool through) { (void)seeded, (void)through; return false; }
static bool if_seeded(bool seeded, bool through) { (void)through; return seeded; }
/* clang-format on */

/* The neighbour's: 1 for 0, 0 for 1 ... */
static int slot_beside(int position, const bool *requested, int n)
{
	(void)requested;
	return (position ^ 1) < n ? position ^ 1 : position;
}

static int slot_none(int position, const bool *requested, int n)
{
	(void)position, (void)requested, (void)n;
	return -1;
}

static const struct tensor *first_result(const struct node *node, const struct tensor *first, const struct tensor *last)
{
	(void)node, (void)last;
	return first;
}

static void mutate_loop_seams(struct mutant_walk *m)
{
	struct adjoint_rules *rules = &m->self->adjoint;

	SEAM("loops: a carry is active if its initial value is", carry_active, initial_alone);
	SEAM("loops: saved iterations are read in forward order", residual_index, forwards);
	SEAM("loops: saved iterations are read one too early", residual_index, one_earlier);
	SEAM("loops: the first saved iteration is read for all", residual_index, always_first);
	SEAM("loops: pulled back twice", loop.passes, twice);
	/* checkpointed has no saved sets to confuse, and reads the last snapshot anyway. */
	if (m->self->kind != &checkpointed_kind) {
		SEAM("loops: the last saved iteration is read for all", residual_index, always_last);
		SEAM("loops: carries are read from the iteration before", loop.residual_carry, set_before);
		SEAM("loops: carries are read from the iteration after", loop.residual_carry, set_after);
	}
	SEAM("loops: per-iteration inputs are read one row further on", loop.xs_row, row_after);
	SEAM("loops: per-iteration inputs are read in reverse", loop.xs_row, row_reversed);
	SEAM("loops: cotangents of per-iteration inputs are dropped", loop.xs_cotangent_row, row_none);
	SEAM("loops: cotangents of per-iteration inputs land one row further on", loop.xs_cotangent_row, row_after);
	SEAM("loops: cotangents of per-iteration inputs land in reverse", loop.xs_cotangent_row, row_reversed);
	SEAM("loops: cotangents of carries never go on", loop.carry_flows, never);
	SEAM("loops: cotangents of carries go on if the result has one", loop.carry_flows, if_seeded);
	SEAM("loops: cotangents of carries go on unless the result has one", loop.carry_flows, if_not_seeded);
	SEAM("loops: cotangents of carries go on if the body changes them", loop.carry_flows, if_changed);
	SEAM("loops: neighbouring operands get each other's cotangents", loop.slot, slot_beside);
	SEAM("loops: initial values get no cotangents", loop.slot, slot_none);
	SEAM("loops: what follows sees the initial values for the results", loop.result, first_result);
}

static bool at_once(bool settled)
{
	(void)settled;
	return true;
}
static bool last_alone(int k, int n) { return k == n - 1; }

void mutate_implicit_seams(struct mutant_walk *m)
{
	struct adjoint_rules *rules = &m->self->adjoint;

	SEAM("solutions: the body is taken not to depend on the carries", implicit.iterate, first_term);
	SEAM("solutions: the cotangent does not enter again", implicit.iterate, last_term);
	SEAM("solutions: what is pulled back is subtracted", implicit.iterate, difference);
	SEAM("solutions: one iteration is enough", implicit.ends, at_once);
	SEAM("solutions: only the first result's cotangent enters", implicit.enters, first_alone);
	SEAM("solutions: only the last result's cotangent enters", implicit.enters, last_alone);
	SEAM("solutions: what a captured value gets replaces the sum", implicit.join, last_term);
	SEAM("solutions: what a captured value gets is lost beside others", implicit.join, first_term);
	SEAM("solutions: what a captured value gets is subtracted", implicit.join, difference);
}

static int reversed(int k, int n) { return n - 1 - k; }
static bool if_all(int present, int n) { return present == n; }

static bool but_first(const struct program *p, const struct node *node, int k)
{
	(void)p, (void)node;
	return k > 0;
}

static int given_reversed(int k, const bool *wanted, int n)
{
	(void)wanted;
	return n - 1 - k;
}

/* As if the rule returned only the requested values. */
static int given_packed(int k, const bool *wanted, int n)
{
	int at = 0;

	(void)n;
	for (int i = 0; i < k; i++)
		at += wanted[i];
	return at;
}

void mutate_custom_seams(struct mutant_walk *m, struct custom_rules *rules)
{
	bool jvp = m->self->kind == &forward_kind;
	const char *of = jvp ? "tangents" : "cotangents";

	SEAM("rules: operands are read in reverse order", operand, reversed);
	if (mutant_here(m, "rules: %s are read in reverse order", of))
		rules->direction = reversed;
	if (mutant_here(m, "rules: run only if all %s are there", of))
		rules->applies = if_all;
	if (mutant_here(m, "rules: absent %s are 1", of))
		rules->absent = 1;
	SEAM("rules: operand 0 is taken to be constant", active, but_first);
	SEAM("rules: what is given is taken in reverse order", given, given_reversed);
	/* A jvp asks for a tangent of every result. */
	if (!jvp)
		SEAM("rules: what is given is taken to be for those asked alone", given, given_packed);
}

static void mutate_custom_row(struct mutant_walk *m)
{
	struct adjoint_rule *row = &m->self->adjoint.row[OP_CUSTOM];

	if (mutant_here(m, "custom: a contribution replaces the sum"))
		row->join = last_term;
	if (mutant_here(m, "custom: a contribution is lost beside others"))
		row->join = first_term;
	if (m->self->kind == &tape_kind && mutant_here(m, "custom: operands are read in their latest state"))
		row->saved = latest;
}

void mutate_adjoint_seams(struct mutant_walk *m)
{
	struct adjoint_rules *rules = &m->self->adjoint;

	SEAM("multiply: a zero cotangent is multiplied too", multiply, cotangent_times_partial);
	SEAM("multiply: the partial is left out", multiply, cotangent_alone);
	SEAM("multiply: the cotangent is left out", multiply, partial_alone);
	SEAM("accumulate: a contribution replaces the sum", accumulate, last_term);
	SEAM("accumulate: the first contribution is the sum", accumulate, first_term);
	SEAM("accumulate: a contribution is subtracted", accumulate, difference);
	SEAM("unbroadcast: the last element stands for the sum", unbroadcast, unbroadcast_last);
	SEAM("unbroadcast: the mean stands for the sum", unbroadcast, unbroadcast_mean);
	if (m->self->kind != &tape_kind)
		mutate_loop_seams(m);
	if (m->self->kind == &tape_kind) {
		SEAM("leaves: inputs of equal values are one", same_leaf, tensor_same);
		SEAM("buffers: a store writes over what a record will read", overwrites, over_saved);
		SEAM("buffers: a store writes over what another value or the caller holds", overwrites, over_shared);
	}
	mutate_custom_seams(m, &rules->custom);
	mutate_custom_row(m);
}

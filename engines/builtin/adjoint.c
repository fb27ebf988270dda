/* adjoint.c: the adjoint table, pulling one op back by its row, elementwise rules, and the seams. */
#include "adjoint.h"
#include "graph/walk.h"
#include "engines/kernels/rounding.h"

#include <stdio.h>
#include <string.h>

/* ---- the seams of the correct table ---- */

static double multiply_strong_zero(double cotangent, double partial)
{
	return cotangent == 0 ? 0 : cotangent * partial;
}

static double accumulate_sum(double sum, double term) { return sum + term; }

static bool fold_always(int older, int newer)
{
	(void)older, (void)newer;
	return true;
}

static double sum_in_order(enum dtype d, double *term, int n)
{
	double sum = 0;

	(void)d;
	for (int i = 0; i < n; i++)
		sum += term[i];
	return sum;
}

static void running_in_order(enum dtype d, double *x, int n)
{
	(void)d;
	for (int i = 1; i < n; i++)
		x[i] += x[i - 1];
}

static int residual_lifo(int step, int n) { return n - 1 - step; }

static bool carry_either(bool initial, bool updated) { return initial || updated; }

static bool neither(bool saved, bool shared) { return !saved && !shared; }

static const struct tensor *saved_recorded(int operand, const struct tensor *recorded, const struct tensor *latest)
{
	(void)operand, (void)latest;
	return recorded;
}

static int one_pass(const struct node *node, int depth)
{
	(void)node, (void)depth;
	return 1;
}

static int carry_of_iteration(int saved, int n)
{
	(void)n;
	return saved;
}

static int row_of_iteration(int iteration, int n, int trip)
{
	(void)n, (void)trip;
	return iteration;
}

static bool carry_always_flows(bool seeded, bool through)
{
	(void)seeded, (void)through;
	return true;
}

static const struct type *type_of_carry(const struct program *p, const struct node *node, int k)
{
	return &p->type[node->out + k];
}

static int own_slot(int position, const bool *requested, int n)
{
	(void)requested, (void)n;
	return position;
}

static const struct tensor *last_result(const struct node *node, const struct tensor *first, const struct tensor *last)
{
	(void)node, (void)first;
	return last;
}

static int iteration_itself(int iteration, int segment)
{
	(void)segment;
	return iteration;
}

static int slot_itself(int slot, int n, int snapshots)
{
	(void)n, (void)snapshots;
	return slot;
}

static bool every_result_counts(const struct region *body, int k)
{
	(void)body, (void)k;
	return true;
}

static double applied_as_given(double cotangent) { return cotangent; }

static int index_of_its_own(int k, int n)
{
	(void)n;
	return k;
}

static void rerun_nothing(struct tensor *newest, struct arena *a) { (void)newest, (void)a; }

static bool leaf_of_its_own(const struct tensor *a, const struct tensor *b)
{
	(void)a, (void)b;
	return false;
}

static void finish_nothing(
    const struct transform *t, struct tensor *point, struct tensor *gradient, int n, struct arena *a)
{
	(void)t, (void)point, (void)gradient, (void)n, (void)a;
}

/* ---- the table ---- */

struct source_row {
	const char *partial[RULE_PARTIALS];
	adjoint_fn *structure;
};

/* An op without a row stays all NULL: engines then answer unsupported. */
static const struct source_row source_rows[OP_COUNT] = {
#define ADJOINT_PARTIALS(op, da, db, dc) [OP_##op] = {{da, db, dc}, adjoint_elementwise},
#define ADJOINT_STRUCTURE(op, name)      [OP_##op] = {{"", "", ""}, adjoint_##name},
#define ADJOINT_NONE(op)                 [OP_##op] = {{"", "", ""}, adjoint_none},
#define ADJOINT_REGION(op)               [OP_##op] = {{"", "", ""}, adjoint_region},
#include "adjoint_rules.def"
#undef ADJOINT_PARTIALS
#undef ADJOINT_STRUCTURE
#undef ADJOINT_NONE
#undef ADJOINT_REGION
};

void adjoint_rules_init(struct adjoint_rules *out)
{
	for (int op = 0; op < OP_COUNT; op++) {
		const struct source_row *from = &source_rows[op];
		struct adjoint_rule *row = &out->row[op];
		struct error e = {.text = ""};

		row->structure = from->structure;
		row->scale = 1;
		row->unscaled = 0;
		row->join = accumulate_sum;
		row->saved = saved_recorded;
		row->pops = 1;
		/*
		 * A text that does not compile is a mistake in the table.  The op is then unsupported, and a test
		 * reports that.
		 */
		for (int k = 0; k < RULE_PARTIALS; k++)
			if (!expression_compile(&row->partial[k], from->partial[k], &e))
				row->structure = NULL;
	}
	out->multiply = multiply_strong_zero;
	out->accumulate = accumulate_sum;
	out->fold = fold_always;
	out->sum = sum_in_order;
	out->running_sum = running_in_order;
	out->unbroadcast = adjoint_unbroadcast;
	out->residual_index = residual_lifo;
	out->carry_active = carry_either;
	out->loop = (struct reverse_loop){one_pass, carry_of_iteration, row_of_iteration, row_of_iteration,
	    carry_always_flows, type_of_carry, own_slot, last_result, iteration_itself, slot_itself,
	    every_result_counts};
	out->applied = applied_as_given;
	out->index = index_of_its_own;
	out->rerun = rerun_nothing;
	out->overwrites = neither;
	out->same_leaf = leaf_of_its_own;
	out->implicit = implicit_right;
	out->custom = custom_right;
	out->finish = finish_nothing;
}

adjoint_fn *adjoint_structure(enum op op) { return source_rows[op].structure; }

bool adjoint_flows(const struct adjoint_rules *rules, enum op op) { return rules->row[op].structure != adjoint_none; }

static const char *refuse_region(const struct adjoint_rules *rules, const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (!rules->row[w.node->op].structure)
			return op_table[w.node->op].name;
	return NULL;
}

const char *adjoint_refuse(
    const struct adjoint_rules *rules, const char *engine, const struct testcase *c, struct arena *a)
{
	const char *name;

	name = refuse_region(rules, &c->program.top);
	return name ? arena_printf(a, "%s: no adjoint rule for %s", engine, name) : NULL;
}

/* ---- one op ---- */

void adjoint_pull(const struct adjoint_rules *rules, const struct node *node, const struct tensor *const arg[],
    const struct tensor *out, const struct tensor *cotangent, bool spent, const bool wanted[],
    struct tensor *contribution, struct arena *a)
{
	const struct adjoint_rule *rule = &rules->row[node->op];
	const struct adjoint_call call = {.rules = rules,
	    .rule = rule,
	    .node = node,
	    .arg = arg,
	    .out = out,
	    .cotangent = cotangent,
	    .wanted = wanted,
	    .spent = spent,
	    .arena = a};

	for (int k = 0; k < node->n_arg; k++)
		contribution[k].at = NULL;
	rule->structure(&call, contribution);
	if (rule->scale == 1)
		return;
	for (int k = 0; k < node->n_arg; k++) {
		int n = contribution[k].at && !(rule->unscaled >> k & 1) ? shape_elements(&contribution[k].type.shape)
		                                                         : 0;

		for (int i = 0; i < n; i++)
			contribution[k].at[i].f = round_to(
			    contribution[k].type.dtype, contribution[k].at[i].f * rule->scale);
	}
}

/*
 * Linear ops and moves read only positions, not values: indices, masks, shapes.  Elementwise rules read the variables
 * in their texts.
 */
bool adjoint_reads(const struct adjoint_rules *rules, enum op op, int k, enum dtype d)
{
	const struct adjoint_rule *rule = &rules->row[op];
	enum regularity r = op_table[op].regularity;

	if (!dtype_is_float(d))
		return true;
	if (rule->structure != adjoint_elementwise)
		return r != REGULARITY_LINEAR && r != REGULARITY_MOVE;
	for (int i = 0; i < RULE_PARTIALS; i++)
		if (expression_reads(&rule->partial[i], k == ADJOINT_RESULT ? 'y' : (char)('a' + k)))
			return true;
	return false;
}

void adjoint_none(const struct adjoint_call *call, struct tensor *contribution)
{
	(void)call;
	(void)contribution;
}

void adjoint_region(const struct adjoint_call *call, struct tensor *contribution)
{
	(void)call;
	(void)contribution;
}

void adjoint_elementwise(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct tensor *out = call->out;
	const struct shape *shape = &out->type.shape;
	const union cell *operand[RULE_PARTIALS];
	int n = shape_elements(shape), n_arg = call->node->n_arg < RULE_PARTIALS ? call->node->n_arg : RULE_PARTIALS;

	for (int k = 0; k < RULE_PARTIALS; k++)
		operand[k] = k < n_arg ? adjoint_expand(call->arg[k], shape, call->arena) : out->at;
	for (int k = 0; k < n_arg; k++) {
		const struct expression *partial = &call->rule->partial[k];
		union cell *full;

		if (!call->wanted[k] || !partial->n)
			continue;
		full = NEW(call->arena, union cell, n);
		for (int i = 0; i < n; i++) {
			double p = expression_eval(
			    partial, operand[0][i].f, operand[1][i].f, operand[2][i].f, out->at[i].f);

			full[i].f = round_to(out->type.dtype, call->rules->multiply(call->cotangent->at[i].f, p));
		}
		adjoint_deliver(call, k, shape, full, contribution);
	}
}

/* ---- sums of contributions ---- */

static void join_cells(
    double (*join)(double sum, double term), const struct type *t, union cell **adjoint, union cell *contribution)
{
	int n = shape_elements(&t->shape);

	if (!*adjoint) {
		*adjoint = contribution;
		return;
	}
	for (int i = 0; i < n; i++)
		(*adjoint)[i].f = round_to(t->dtype, join((*adjoint)[i].f, contribution[i].f));
}

void adjoint_add(
    const struct adjoint_rules *rules, const struct type *t, union cell **adjoint, union cell *contribution)
{
	join_cells(rules->accumulate, t, adjoint, contribution);
}

void adjoint_join(
    const struct adjoint_rules *rules, enum op op, const struct type *t, union cell **adjoint, union cell *contribution)
{
	double (*join)(double sum, double term) = rules->row[op].join;

	join_cells(join == accumulate_sum ? rules->accumulate : join, t, adjoint, contribution);
}

void adjoint_add_row(const struct adjoint_rules *rules, const struct type *t, union cell **adjoint, int row,
    const union cell *contribution, struct arena *a)
{
	int n = shape_elements(&t->shape), size = t->shape.extent[0] ? n / t->shape.extent[0] : 0;

	if (!*adjoint)
		*adjoint = NEW(a, union cell, n);
	for (int i = 0; i < size; i++) {
		union cell *at = &(*adjoint)[row * size + i];

		at->f = round_to(t->dtype, rules->accumulate(at->f, contribution[i].f));
	}
}

static struct adjoint_part *new_part(struct adjoint_sum *sum, struct arena *a)
{
	struct adjoint_part *part = sum->spare;

	if (part)
		sum->spare = part->older;
	else
		part = NEW(a, struct adjoint_part, 1);
	return part;
}

/* Adds the newest part to the part before it; `op` as in adjoint_sum_add. */
static void fold_newest(const struct adjoint_rules *rules, enum op op, const struct type *t, struct adjoint_sum *sum)
{
	struct adjoint_part *newest = sum->newest, *older = newest->older;

	if (op == OP_COUNT)
		adjoint_add(rules, t, &older->at, newest->at);
	else
		adjoint_join(rules, op, t, &older->at, newest->at);
	older->terms += newest->terms;
	sum->newest = older;
	newest->older = sum->spare;
	sum->spare = newest;
}

static void push_part(const struct adjoint_rules *rules, enum op op, const struct type *t, struct adjoint_sum *sum,
    struct adjoint_part *part)
{
	part->terms = 1;
	part->older = sum->newest;
	sum->newest = part;
	for (; sum->newest->older && rules->fold(sum->newest->older->terms, sum->newest->terms); op = OP_COUNT)
		fold_newest(rules, op, t, sum);
}

void adjoint_sum_add(const struct adjoint_rules *rules, enum op op, const struct type *t, struct adjoint_sum *sum,
    union cell *contribution, struct arena *a)
{
	struct adjoint_part *part = new_part(sum, a);

	part->at = contribution;
	push_part(rules, op, t, sum, part);
}

void adjoint_sum_copy(const struct adjoint_rules *rules, const struct type *t, struct adjoint_sum *sum,
    const union cell *contribution, struct arena *a)
{
	struct adjoint_part *part = new_part(sum, a);
	size_t n = (size_t)shape_elements(&t->shape);

	if (!part->at)
		part->at = NEW(a, union cell, n);
	memcpy(part->at, contribution, n * sizeof *contribution);
	push_part(rules, OP_COUNT, t, sum, part);
}

union cell *adjoint_sum_total(const struct adjoint_rules *rules, const struct type *t, struct adjoint_sum *sum)
{
	while (sum->newest && sum->newest->older)
		fold_newest(rules, OP_COUNT, t, sum);
	return sum->newest ? sum->newest->at : NULL;
}

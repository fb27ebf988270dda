/* facts_loops.c: features of a differentiated loop: its carries, slices and rows, and what its body does with them. */
#include "facts.h"
#include "graph/walk.h"

static bool is_float(const struct facts *f, int value) { return dtype_is_float(f->c->program.type[value].dtype); }

/* Per value of a body: it depends on a carry; its derivative with respect to a carry depends on a differentiated value.
 */
struct iteration_facts {
	bool *carried, *mixed, *captured;
};

static bool any_of(const bool *set, const struct node *n)
{
	for (int i = 0; i < n->n_arg; i++)
		if (set[n->arg[i]])
			return true;
	return false;
}

/* As any_of, where a derivative passes. */
static bool any_passing(const struct facts *f, const bool *set, const struct node *n)
{
	for (int i = 0; i < n->n_arg; i++)
		if (set[n->arg[i]] && facts_passes(f, n, i))
			return true;
	return false;
}

static void step_node(struct facts *f, struct iteration_facts *s, const struct node *n);

/* What the operands of n are, its parameters are too.  Then the region itself, if it ran. */
static void step_region(struct facts *f, struct iteration_facts *s, const struct node *n, const struct region *r)
{
	const struct node_loop l = node_loop(n);
	const int first = l.is_loop ? l.first_param : r->param, first_arg = l.is_loop ? l.first_arg : 0;

	if (!facts_ran(f, r))
		return;
	for (int i = 0; first + i < r->param + r->n_param && first_arg + i < n->n_arg; i++) {
		s->carried[first + i] |= s->carried[n->arg[first_arg + i]];
		s->mixed[first + i] |= s->mixed[n->arg[first_arg + i]];
	}
	for (int i = 0; i < r->n_node; i++)
		step_node(f, s, &r->node[i]);
}

static void step_node(struct facts *f, struct iteration_facts *s, const struct node *n)
{
	const enum regularity how = op_table[n->op].regularity;
	bool linear = (how != REGULARITY_SMOOTH && n->op != OP_MOD) || n->op == OP_SELECT;
	bool carried = any_passing(f, s->carried, n), mixed = any_passing(f, s->mixed, n),
	     product = n->op == OP_MUL || n->op == OP_MATMUL;

	for (int w = 0; w < n->n_region; w++)
		step_region(f, s, n, &n->region[w]);
	for (int w = 0; w < n->n_region; w++)
		for (int i = 0; i < n->region[w].n_result; i++) {
			carried |= s->carried[n->region[w].result[i]];
			mixed |= s->mixed[n->region[w].result[i]];
		}
	for (int i = 0; !linear && i < n->n_arg; i++)
		for (int k = 0; k < n->n_arg; k++)
			if (s->carried[n->arg[i]] && f->varied[n->arg[k]] && !(product && i == k) &&
			    !(n->op == OP_DIV && i == 0 && k == 0))
				mixed = true;
	for (int i = 0; i < n->n_out; i++) {
		s->carried[n->out + i] = carried && is_float(f, n->out + i) && how != REGULARITY_STEP;
		s->mixed[n->out + i] = mixed && how != REGULARITY_STEP;
		s->captured[n->out + i] = any_of(s->captured, n);
	}
}

bool facts_captures_varied(const struct facts *f, const struct region *r)
{
	for (int v = 0; v < f->c->program.n_value; v++)
		if (f->varied[v] && !region_defines(r, v) && region_reads(r, v))
			return true;
	return false;
}

/* Whether result `which` of the body is the next value of a carry. */
static bool is_next_carry(const struct node_loop *l, int which)
{
	for (int i = 0; i < l->n_carry; i++)
		if (l->body->result[i] == l->body->result[which])
			return true;
	return false;
}

void facts_of_loop(struct facts *f, const struct node *n, const struct node_loop *l)
{
	const struct region *top = &f->c->program.top;
	const int n_value = f->c->program.n_value, first = l->first_param;
	struct iteration_facts s = {
	    NEW(f->arena, bool, n_value), NEW(f->arena, bool, n_value), NEW(f->arena, bool, n_value)};
	int derived = 0, plain = 0;
	bool captures = facts_captures_varied(f, l->body), mixed = false;

	for (int i = 0; i < l->n_carry; i++) {
		const int param = first + i, result = l->body->result[i];

		if (!is_float(f, param))
			continue;
		derived += f->live[n->out + i];
		plain += !f->live[n->out + i];
		s.carried[param] = true;
		f->at[FEATURE_CARRY_SHIFTED_BACK] |= (f->live[param] || f->live[n->out + i]) && result >= first &&
		    result < param && f->live[result] && facts_ran(f, l->body);
		if (!f->live[n->out + i])
			continue;
		f->at[FEATURE_CARRY_FROM_CONSTANT] |= !f->live[n->arg[l->first_arg + i]];
		f->at[FEATURE_CONSTANT_CARRIED] |= !f->varied[n->arg[l->first_arg + i]] && f->live[param];
		f->at[FEATURE_CARRY_THROUGH] |= result == param;
		f->at[FEATURE_CARRY_SHIFTED] |= result != param && result >= first && result < first + l->n_carry;
		f->at[FEATURE_CARRY_OVERWRITTEN] |= region_count_uses(l->body, param) > 1;
		for (int k = 0; k < top->n_result; k++)
			f->at[FEATURE_CARRY_IS_RESULT] |= top->result[k] == n->out + i;
	}
	for (int i = 0; i < l->n_xs; i++) {
		captures |= f->live[l->body->param + l->n_carry + i];
		f->at[FEATURE_SLICES_DERIVED] |= f->live[l->body->param + l->n_carry + i];
	}
	for (int i = 0; i < l->n_ys; i++) {
		f->at[FEATURE_STACKS_DERIVED] |= f->live[n->out + l->n_carry + i];
		f->at[FEATURE_ROW_IS_CARRY] |= f->live[n->out + l->n_carry + i] && is_next_carry(l, l->n_carry + i);
	}
	for (int i = 0; i < l->body->n_node; i++)
		step_node(f, &s, &l->body->node[i]);
	for (int i = 0; i < l->n_carry; i++) {
		mixed |= s.mixed[l->body->result[i]] && facts_ran(f, l->body);
		f->at[FEATURE_STEP_FEEDS_BACK] |= f->live[n->out + i] && s.carried[l->body->result[i]] &&
		    facts_ran(f, l->body);
	}
	f->at[FEATURE_STEP_DEPENDS] |= mixed;
	f->at[FEATURE_CAPTURES] |= captures;
	f->at[FEATURE_STEP_AND_CAPTURE] |= mixed && captures;
	f->at[FEATURE_CARRIES_SEVERAL] |= derived > 1;
	f->at[FEATURE_CARRIES_SOME] |= derived && plain;
	f->at[FEATURE_INDEX_USED] |= l->n_index && region_reads(l->body, l->body->param);
}

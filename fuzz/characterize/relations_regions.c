/*
 * relations_regions.c: measures about the values of an op with regions: which of them are one value, which are used
 * beside the op too, and which a region hands on unchanged.
 */
#include "facts.h"
#include "fuzz/edit/edit.h"

/* Whether a derivative passes through carry k: in the body, or past a body that was not entered. */
static bool passes(const struct facts *f, const struct node *n, const struct node_loop *l, int k)
{
	return f->varied[n->arg[l->first_arg + k]] &&
	    (f->live[l->first_param + k] || (facts_unentered(f, n) && f->live[n->out + k]));
}

/* Two initial carries are one value: whether a derivative passes through one of them, the earlier and the later. */
static void of_initials(struct facts *f, const struct node *n, const struct node_loop *l)
{
	bool same = false, earlier = false, later = false;

	for (int i = 0; i < l->n_carry; i++)
		for (int k = 0; k < i; k++) {
			const bool first = passes(f, n, l, k), second = passes(f, n, l, i);

			if (n->arg[l->first_arg + i] != n->arg[l->first_arg + k])
				continue;
			same |= first || second;
			earlier |= first;
			later |= second;
		}
	measures_put(f, MEASURE_SAME_INITIALS, n, -1, same);
	measures_put(f, MEASURE_INITIAL_AS_EARLIER, n, -1, later);
	measures_put(f, MEASURE_INITIAL_AS_LATER, n, -1, earlier);
}

/* How many operands of nodes and results in the regions that ran are the value. */
static int reads_of(const struct facts *f, const struct region *r, int value)
{
	int n = 0;

	for (int i = 0; i < r->n_node; i++) {
		for (int k = 0; k < r->node[i].n_arg; k++)
			n += r->node[i].arg[k] == value;
		for (int w = 0; w < r->node[i].n_region; w++)
			if (facts_ran(f, &r->node[i].region[w]))
				n += reads_of(f, &r->node[i].region[w], value);
	}
	for (int k = 0; k < r->n_result; k++)
		n += r->result[k] == value;
	return n;
}

/* The condition of a while reads a carry through which a derivative passes, or such a value from outside. */
static void of_condition(struct facts *f, const struct node *n, const struct node_loop *l)
{
	bool reads = false, captures = false;

	for (int v = 0; v < f->c->program.n_value && facts_ran(f, l->body); v++)
		captures |= f->live[v] && region_reads(l->condition, v) && !region_defines(l->condition, v) &&
		    region_reads(l->body, v);
	measures_put(f, MEASURE_CONDITION_CAPTURES, n, -1, captures);
	for (int k = 0; k < l->n_carry; k++)
		reads |= region_reads(l->condition, l->condition->param + k) && passes(f, n, l, k);
	measures_put(f, MEASURE_CONDITION_READS, n, -1, reads);
}

static bool node_reads(const struct node *n, int value)
{
	for (int k = 0; k < n->n_arg; k++)
		if (n->arg[k] == value)
			return true;
	for (int w = 0; w < n->n_region; w++)
		if (region_reads(&n->region[w], value))
			return true;
	return false;
}

/* Whether a node of the region before or after place `at` reads the value; after it, or a result is the value. */
static bool read_beside(const struct facts *f, const struct region *r, int at, int value, bool after)
{
	bool reads = false;

	for (int i = after ? at + 1 : 0; i < (after ? r->n_node : at); i++)
		for (int k = 0; k < r->node[i].n_out; k++)
			reads |= f->live[r->node[i].out + k] && node_reads(&r->node[i], value);
	for (int k = 0; k < r->n_result && after; k++)
		reads |= r->result[k] == value;
	return reads;
}

struct uses_of_captures {
	int most; /* times that one is read */
	bool later, earlier, carried, handed_on;
};

static void of_captures(struct facts *f, const struct region *r, int at)
{
	const struct node *n = &r->node[at];
	struct uses_of_captures c = {0};

	for (int v = 0; v < f->c->program.n_value; v++) {
		int reads = 0;

		for (int w = 0; w < n->n_region && f->live[v]; w++) {
			if (region_defines(&n->region[w], v) || !facts_ran(f, &n->region[w]))
				continue;
			reads += reads_of(f, &n->region[w], v);
			for (int k = 0; k < n->region[w].n_result; k++)
				c.handed_on |= n->region[w].result[k] == v;
		}
		if (!reads)
			continue;
		c.most = reads > c.most ? reads : c.most;
		c.later |= read_beside(f, r, at, v, true);
		c.earlier |= read_beside(f, r, at, v, false);
		for (int k = 0; k < n->n_arg; k++)
			c.carried |= n->arg[k] == v;
	}
	measures_put(f, MEASURE_CAPTURE_READS, n, -1, c.most);
	measures_put(f, MEASURE_CAPTURE_LATER, n, -1, c.later);
	measures_put(f, MEASURE_CAPTURE_EARLIER, n, -1, c.earlier);
	measures_put(f, MEASURE_CAPTURE_OPERAND, n, -1, c.carried);
	measures_put(f, MEASURE_HANDS_ON, n, -1, c.handed_on);
}

/* Which branches of cond `at` of a region read the differentiated values, and whether these are used after it. */
static void of_branches(struct facts *f, const struct region *r, int at)
{
	const struct node *n = &r->node[at];
	const int taken = facts_ran(f, &n->region[0]) ? 0 : 1;
	bool alone = false, both = false, later = false;

	for (int v = 0; v < f->c->program.n_value; v++)
		for (int w = 0; w < 2 && f->live[v] && !later; w++)
			later = region_reads(&n->region[w], v) && !region_defines(&n->region[w], v) &&
			    read_beside(f, r, at, v, true);

	for (int v = 0; v < f->c->program.n_value; v++)
		if (f->live[v] && region_reads(&n->region[taken], v) && !region_defines(&n->region[taken], v)) {
			alone |= !region_reads(&n->region[!taken], v);
			both |= region_reads(&n->region[!taken], v);
		}
	measures_put(f, MEASURE_BRANCH_ALONE, n, -1, alone);
	measures_put(f, MEASURE_BRANCHES_SHARE, n, -1, both);
	measures_put(f, MEASURE_BRANCH_LATER, n, -1, later);
}

/* Whether both branches of a cond hand on one value at the same place. */
static void of_shared_results(struct facts *f, const struct node *n)
{
	const struct region *yes = &n->region[0], *no = &n->region[1];
	bool shared = false;

	for (int k = 0; k < n->n_out; k++)
		shared |= yes->result[k] == no->result[k] && f->live[n->out + k] && f->varied[yes->result[k]];
	measures_put(f, MEASURE_BRANCHES_HAND_ON, n, -1, shared);
}

/* What the body of a loop yields unchanged. */
static void of_yields(struct facts *f, const struct node *n, const struct node_loop *l)
{
	const int carries = l->first_param, rows = carries + l->n_carry, end = rows + l->n_xs;
	bool stacks_row = false, stacks_carry = false, next_row = false, next_capture = false;

	for (int k = 0; k < l->n_carry + l->n_ys && facts_ran(f, l->body); k++) {
		const int v = l->body->result[k];
		const bool row = v >= rows && v < end, stacks = k >= l->n_carry;

		if (!f->varied[v] || !f->live[n->out + k])
			continue;
		stacks_row |= stacks && row;
		stacks_carry |= stacks && v >= carries && v < rows;
		next_row |= !stacks && row;
		next_capture |= !stacks && !region_defines(l->body, v);
	}
	measures_put(f, MEASURE_NEXT_IS_CAPTURE, n, -1, next_capture);
	if (n->op != OP_SCAN)
		return;
	measures_put(f, MEASURE_STACKS_ROW, n, -1, stacks_row);
	measures_put(f, MEASURE_STACKS_CARRY, n, -1, stacks_carry);
	measures_put(f, MEASURE_NEXT_IS_ROW, n, -1, next_row);
}

/* Adds the values of the region that are computed from marked ones. */
static void follow(const struct region *r, bool *marked)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		bool any = false;

		for (int k = 0; k < n->n_arg; k++)
			any |= marked[n->arg[k]];
		for (int w = 0; w < n->n_region; w++) {
			for (int k = 0; k < n->region[w].n_param && any; k++)
				marked[n->region[w].param + k] = true;
			follow(&n->region[w], marked);
			for (int k = 0; k < n->region[w].n_result; k++)
				any |= marked[n->region[w].result[k]];
		}
		for (int k = 0; k < n->n_out; k++)
			marked[n->out + k] |= any;
	}
}

/* Whether the next value of a differentiated carry depends on a differentiated value that is no carry. */
static void of_steps(struct facts *f, const struct node *n, const struct node_loop *l)
{
	bool *marked = NEW(f->arena, bool, f->c->program.n_value + 1), depends = false;

	for (int v = 0; v < f->c->program.n_value; v++)
		marked[v] = f->live[v] && !region_defines(l->body, v);
	for (int k = 0; k < l->n_xs; k++)
		marked[l->first_param + l->n_carry + k] = f->live[l->first_param + l->n_carry + k];
	follow(l->body, marked);
	for (int k = 0; k < l->n_carry; k++)
		depends |= f->live[n->out + k] && f->live[l->body->result[k]] && marked[l->body->result[k]];
	measures_put(f, MEASURE_STEP_READS, n, -1, depends && facts_ran(f, l->body));
}

/* How many elements a scatter_apply works on: for each index, a row. */
static void of_applications(struct facts *f, const struct node *n)
{
	const struct shape *x = &f->c->program.type[n->arg[0]].shape, *index = &f->c->program.type[n->arg[1]].shape;
	const int axis = x->extent[n->attrs.axis], row = axis ? shape_elements(x) / axis : 0;

	measures_put(f, MEASURE_INDICES, n, -1, shape_elements(index));
	measures_put(f, MEASURE_APPLICATIONS, n, -1, shape_elements(index) * row);
}

void measures_of_regions(struct facts *f, const struct region *r, int at)
{
	const struct node *n = &r->node[at];
	const struct node_loop l = node_loop(n);

	if (!request_order(f->c->transform, f->c->n_transform))
		return;
	of_captures(f, r, at);
	if (n->op == OP_COND && f->run) {
		of_branches(f, r, at);
		of_shared_results(f, n);
	}
	if (n->op == OP_SCATTER_APPLY)
		of_applications(f, n);
	if (!l.is_loop)
		return;
	of_initials(f, n, &l);
	if (l.condition)
		of_condition(f, n, &l);
	of_steps(f, n, &l);
	of_yields(f, n, &l);
}

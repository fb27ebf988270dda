/* facts_counts.c: features of carries, captures and views, and of operands that are broadcast. */
#include <string.h>

#include "facts.h"
#include "fuzz/edit/edit.h"

static bool is_float(const struct facts *f, int value) { return dtype_is_float(f->c->program.type[value].dtype); }

/* ---- what depends on what ---- */

/* Adds to made[] every value of the region that is computed from values in it. */
static void follow(const struct region *r, bool *made)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		const struct node_loop l = node_loop(n);
		bool any = false;

		for (int k = 0; k < l.n_carry; k++)
			made[l.first_param + k] |= made[n->arg[l.first_arg + k]];
		for (int k = 0; k < n->n_arg; k++)
			any |= made[n->arg[k]];
		for (int w = 0; w < n->n_region; w++) {
			for (int k = 0; !l.is_loop && any && k < n->region[w].n_param; k++)
				made[n->region[w].param + k] = true;
			follow(&n->region[w], made);
			for (int k = 0; k < n->region[w].n_result; k++)
				any |= made[n->region[w].result[k]];
		}
		for (int k = 0; k < n->n_out; k++)
			made[n->out + k] |= any;
	}
}

static void of_carries(struct facts *f, const struct node *n, const struct node_loop *l)
{
	for (int i = 0; i < l->n_carry; i++) {
		bool *made;

		if (!is_float(f, l->first_param + i))
			continue;
		made = NEW(f->arena, bool, f->c->program.n_value + 1);
		made[l->first_param + i] = true;
		follow(l->body, made);
		f->at[FEATURE_CARRY_REPLACED] |= f->live[n->out + i] && !made[l->body->result[i]];
		for (int k = 0; k < l->n_carry; k++) {
			f->at[FEATURE_LATER_CARRY_READ] |= i && (f->live[n->out + k] || f->live[l->first_param + k]) &&
			    f->live[l->body->result[k]] && made[l->body->result[k]];
			f->at[FEATURE_CARRIES_CROSS] |= k != i && f->live[n->out + k] && is_float(f, n->out + k) &&
			    made[l->body->result[k]];
		}
	}
}

/* ---- regions ---- */

static void of_captures(struct facts *f, const struct node *n)
{
	int captures = 0;

	for (int v = 0; v < f->c->program.n_value; v++) {
		bool reads = false;

		for (int w = 0; w < n->n_region && f->varied[v]; w++)
			reads |= !region_defines(&n->region[w], v) && region_reads(&n->region[w], v) &&
			    facts_ran(f, &n->region[w]);
		captures += reads;
	}
	f->at[FEATURE_CAPTURES_SEVERAL] |= captures > 1;
	for (int w = 0; w < n->n_region; w++)
		for (int k = 0; k < n->region[w].n_result && facts_ran(f, &n->region[w]); k++) {
			int v = n->region[w].result[k];

			f->at[FEATURE_BRANCH_HANDS_ON] |= f->varied[v] && !region_defines(&n->region[w], v);
		}
}

/* Whether the value is read after node `at` of the region: by a later node, or as a result. */
static bool read_after(const struct region *r, int at, int value)
{
	for (int i = at + 1; i < r->n_node; i++) {
		for (int k = 0; k < r->node[i].n_arg; k++)
			if (r->node[i].arg[k] == value)
				return true;
		for (int w = 0; w < r->node[i].n_region; w++)
			if (region_reads(&r->node[i].region[w], value))
				return true;
	}
	for (int k = 0; k < r->n_result; k++)
		if (r->result[k] == value)
			return true;
	return false;
}

/* `again`: what the region captures is used again by a later iteration. */
static void of_loop_captures(struct facts *f, const struct region *r, bool again)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		const struct node_loop l = node_loop(n);

		for (int v = 0; l.is_loop && v < f->c->program.n_value; v++)
			f->at[FEATURE_LOOP_CAPTURE_LATER] |= f->live[v] && !region_defines(l.body, v) &&
			    region_reads(l.body, v) && (read_after(r, i, v) || (again && !region_defines(r, v)));
		for (int w = 0; w < n->n_region; w++)
			of_loop_captures(f, &n->region[w], l.is_loop ? node_max_trip(n) > 1 : again);
	}
}

static void of_branches(struct facts *f, const struct region *r, bool in_loop)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];

		f->at[FEATURE_BRANCH_CHANGES] |= n->op == OP_COND && in_loop && f->changes && f->changes[n->arg[0]];
		for (int w = 0; w < n->n_region; w++)
			of_branches(f, &n->region[w], in_loop || node_loop(n).is_loop);
	}
}

/* ---- slices ---- */

static bool apart(const struct node *x, const struct node *y, const struct type *type)
{
	const int rank = type[x->out].shape.rank;

	return x->arg[0] == y->arg[0] && shape_equal(&type[x->out].shape, &type[y->out].shape) &&
	    memcmp(x->attrs.start, y->attrs.start, (size_t)rank * sizeof *x->attrs.start) != 0;
}

static void of_slices(struct facts *f, const struct region *r)
{
	for (int i = 0; i < r->n_node; i++)
		for (int k = 0; k < i; k++)
			if (op_table[r->node[i].op].family == FAMILY_SLICE &&
			    op_table[r->node[k].op].family == FAMILY_SLICE)
				f->at[FEATURE_SLICES_APART] |= apart(&r->node[i], &r->node[k], f->c->program.type);
}

/* ---- operands ---- */

bool facts_is_view(enum family family)
{
	return family == FAMILY_RESHAPE || family == FAMILY_TRANSPOSE || family == FAMILY_REVERSE ||
	    family == FAMILY_SLICE || family == FAMILY_SQUEEZE;
}

/* The number of matrices in a batch. */
static int matrices(const struct shape *s)
{
	int n = 1;

	for (int d = 0; d + 2 < s->rank; d++)
		n *= s->extent[d];
	return n;
}

bool facts_stretched(const struct shape *s, const struct shape *to)
{
	for (int d = 0; d < s->rank; d++)
		if (s->extent[d] == 1 && to->extent[d + to->rank - s->rank] > 1)
			return true;
	return false;
}

static void of_spread(struct facts *f, const struct node *n)
{
	const enum family family = op_table[n->op].family;
	const struct type *type = f->c->program.type;

	if (family == FAMILY_MATMUL) {
		const int left = matrices(&type[n->arg[0]].shape), right = matrices(&type[n->arg[1]].shape);

		f->at[FEATURE_MATRIX_SHARED] |= (f->live[n->arg[0]] && left < right) ||
		    (f->live[n->arg[1]] && right < left);
	}
	if (family != FAMILY_BINARY && family != FAMILY_SELECT && family != FAMILY_CLAMP &&
	    family != FAMILY_BROADCAST_TO)
		return;
	for (int k = 0; k < n->n_arg; k++)
		f->at[FEATURE_AXIS_STRETCHED] |= f->live[n->arg[k]] && f->live[n->out] && facts_passes(f, n, k) &&
		    facts_stretched(&type[n->arg[k]].shape, &type[n->out].shape);
	if (family == FAMILY_BROADCAST_TO)
		return;
	for (int k = 0; k < n->n_arg; k++) {
		const struct shape *s = &type[n->arg[k]].shape, *out = &type[n->out].shape;

		if (!is_float(f, n->arg[k]) || shape_equal(s, out))
			continue;
		f->at[FEATURE_RANK_ZERO_SPREAD] |= f->live[n->arg[k]] && !s->rank;
		f->at[FEATURE_PLAIN_SPREAD] |= !f->reached[n->arg[k]];
	}
}

void facts_of_counts(struct facts *f)
{
	const struct program *p = &f->c->program;
	const struct region *r;
	int *views = NEW(f->arena, int, p->n_value + 1);

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);) {
		const struct node *n = w.node;
		const struct node_loop l = node_loop(n);
		bool live = false, reached = false;

		for (int k = 0; k < n->n_out; k++) {
			live |= f->live[n->out + k];
			reached |= f->reached[n->out + k];
		}
		if (reached && n->n_arg && n->n_out == 1)
			of_spread(f, n);
		if (!live)
			continue;
		if (l.is_loop)
			of_carries(f, n, &l);
		if (n->n_region && n->op != OP_CUSTOM)
			of_captures(f, n);
		if (facts_is_view(op_table[n->op].family) && f->live[n->arg[0]])
			f->at[FEATURE_VIEWS_SEVERAL] |= ++views[n->arg[0]] > 1;
	}
	of_branches(f, &p->top, false);
	of_loop_captures(f, &p->top, false);
	for (struct walk w = walk_nodes(&p->top); (r = walk_region(&w));)
		of_slices(f, r);
}

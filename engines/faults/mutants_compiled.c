/* mutants_compiled.c: single edits of the seams of `compiled`: layouts, views, windows, rewrites, lifetimes. */
#include <string.h>

#include "faults.h"
#include "mutants.h"

/* ---- layouts ---- */

static void layout_of_first(const struct layout_call *call, bool varies[LIMIT_RANK])
{
	for (int d = 0; d < call->p->type[call->node->out].shape.rank; d++)
		varies[d] = call->operand[0][d] != 0;
}

static void layout_of_last(const struct layout_call *call, bool varies[LIMIT_RANK])
{
	for (int d = 0; d < call->p->type[call->node->out].shape.rank; d++)
		varies[d] = call->operand[call->node->n_arg - 1][d] != 0;
}

static void layout_of_none(const struct layout_call *call, bool varies[LIMIT_RANK])
{
	(void)call;
	memset(varies, 0, LIMIT_RANK * sizeof *varies);
}

/* ---- views and windows; all of them stay inside the operand ---- */

static bool view_unmoved(const struct program *p, const struct node *node, const struct view *operand, struct view *out)
{
	(void)p, (void)node;
	*out = *operand;
	return true;
}

/* Moves the window of a slice down by one along every axis where it stays inside. */
static bool view_one_lower(
    const struct program *p, const struct node *node, const struct view *operand, struct view *out)
{
	const struct shape *s = &p->type[node->out].shape;

	*out = *operand;
	for (int d = 0; d < s->rank; d++) {
		int start = node->attrs.start[d], step = node->attrs.stride[d], end = start + (s->extent[d] - 1) * step;

		start -= start > 0 && end > 0;
		if (shape_elements(s))
			out->offset += start * operand->stride[d];
		out->stride[d] *= step;
	}
	return true;
}

static void window_of(const struct program *p, const struct node *node, bool pad, struct strided_window *out)
{
	const struct shape *s = &p->type[node->arg[pad ? 0 : 1]].shape;

	for (int d = 0; d < s->rank; d++) {
		out->start[d] = pad ? node->attrs.low[d] : node->attrs.start[d];
		out->step[d] = pad ? 1 : node->attrs.stride[d];
		out->size[d] = s->extent[d];
	}
}

static bool is_pad(const struct node *node) { return op_table[node->op].family == FAMILY_PAD; }

static void window_one_later(const struct program *p, const struct node *node, struct strided_window *out)
{
	window_of(p, node, is_pad(node), out);
	for (int d = 0; d < p->type[node->out].shape.rank; d++)
		out->start[d]++;
}

static void window_one_short(const struct program *p, const struct node *node, struct strided_window *out)
{
	window_of(p, node, is_pad(node), out);
	for (int d = 0; d < p->type[node->out].shape.rank; d++)
		out->size[d]--;
}

static void window_without_step(const struct program *p, const struct node *node, struct strided_window *out)
{
	window_of(p, node, is_pad(node), out);
	for (int d = 0; d < p->type[node->out].shape.rank; d++)
		out->step[d] = 1;
}

static void mutate_row(struct mutant_walk *m, enum op op)
{
	struct compiled_rule *row = &m->self->compiled.row[op];
	const char *name = op_table[op].name;
	enum family family = op_table[op].family;

	if (row->loops && !row->window && op_table[op].n_arg > 1) {
		if (mutant_here(m, "%s: the result varies as operand a does", name))
			row->layout = layout_of_first;
		if (mutant_here(m, "%s: the result varies as the last operand does", name))
			row->layout = layout_of_last;
	}
	if (family == FAMILY_SLICE_SCATTER && mutant_here(m, "%s: the result has the strides of operand a", name))
		row->layout = layout_of_first;
	if ((family == FAMILY_PAD || family == FAMILY_IOTA) &&
	    mutant_here(m, "%s: the result varies along no axis", name))
		row->layout = layout_of_none;
	if (family == FAMILY_REVERSE && mutant_here(m, "%s: not reversed", name))
		row->view = view_unmoved;
	if (family == FAMILY_SLICE && mutant_here(m, "%s: the window lies one lower", name))
		row->view = view_one_lower;
	if (row->window) {
		if (mutant_here(m, "%s: the window lies one later", name))
			row->window = window_one_later;
		if (mutant_here(m, "%s: the window is one short", name))
			row->window = window_one_short;
		if (family == FAMILY_SLICE_SCATTER && mutant_here(m, "%s: the window has steps of 1", name))
			row->window = window_without_step;
	}
	if (family == FAMILY_SCATTER && op != OP_SCATTER_SET && mutant_here(m, "%s: assigns", name))
		row->combine = OP_SCATTER_SET;
	if (family == FAMILY_BINARY && !row->idempotent && mutant_here(m, "%s: of equal operands is the operand", name))
		row->idempotent = true;
}

/* ---- rewrites ---- */

/* Whether the rules know the constant on either side.  Then the op commutes, and swapping the sides is no edit. */
static bool on_both_sides(const struct compiled_rules *rules, const struct identity *id)
{
	for (int k = 0; k < rules->n_identity; k++)
		if (rules->identity[k].op == id->op && rules->identity[k].is_float == id->is_float &&
		    rules->identity[k].operand != id->operand)
			return true;
	return false;
}

static void mutate_identities(struct mutant_walk *m)
{
	struct compiled_rules *rules = &m->self->compiled;

	for (int k = 0; k < rules->n_identity; k++) {
		struct identity *id = &rules->identity[k];
		const char *name = op_table[id->op].name, *dtype = id->is_float ? "float" : "integer";

		if (!on_both_sides(rules, id) &&
		    mutant_here(m, "%s %s: the constant may be on the other side (%d)", dtype, name, 1 - id->operand))
			id->operand = 1 - id->operand;
		if (mutant_here(m, "%s %s: another constant changes nothing (%d)", dtype, name, id->operand)) {
			id->f = id->f == 0 ? -id->f : 0;
			id->i = !id->i;
		}
	}
}

static bool same_kind(const struct program *p, const struct node *a, const struct node *b)
{
	(void)p;
	return a->op == b->op && a->op != OP_CONSTANT;
}

static bool same_constant_type(const struct program *p, const struct node *a, const struct node *b)
{
	return a->op == b->op && (a->op == OP_CONSTANT || node_attrs_equal(p, a, p, b));
}

static bool same_family(const struct program *p, const struct node *a, const struct node *b)
{
	return op_table[a->op].family == op_table[b->op].family && node_attrs_equal(p, a, p, b);
}

/* ---- memory ---- */

static bool dies_now(int last, int position) { return last >= position; }
static bool alive_after_step(int last, int first) { return last > first; }

static int until_read(int last, int end)
{
	(void)end;
	return last;
}

static bool never_aside(int carry, int n)
{
	(void)carry, (void)n;
	return false;
}

static bool only_the_last_aside(int carry, int n) { return carry == n - 1; }

static void mutate_seams(struct mutant_walk *m)
{
	struct compiled_rules *rules = &m->self->compiled;

	SEAM("cse: attributes are not compared", same, same_kind);
	SEAM("cse: constants of one type are equal", same, same_constant_type);
	SEAM("cse: ops of one family are equal", same, same_family);
	SEAM("scatter: in place on elements that share cells", overwrites, fault_overwrites_any);
	SEAM("inplace: an operand that is read later is written over", dies, dies_now);
	SEAM("reuse: a buffer read last in a loop may hold its result", alive, alive_after_step);
	SEAM("reuse: what a loop reads is free before it ends", outlives, until_read);
	SEAM("loops: carries are overwritten one by one", sets_aside, never_aside);
	SEAM("loops: only the last carry is set aside", sets_aside, only_the_last_aside);
}

void mutate_compiled(struct mutant_walk *m)
{
	for (int op = 0; op < OP_COUNT; op++)
		mutate_row(m, (enum op)op);
	mutate_identities(m);
	mutate_seams(m);
}

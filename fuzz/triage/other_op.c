/* other_op.c: the trial of another op in the place of one (trials.h). */
#include <string.h>

#include "fuzz/edit/edit.h"
#include "graph/walk.h"
#include "trials.h"

/* Attributes with which `to` moves elements of that type to that type, as far as it can. */
static struct attrs attrs_for(
    const struct attrs *old, enum op from, enum op to, const struct type *arg, const struct type *out)
{
	struct attrs attrs = {.shape = out->shape, .n_axes = arg->shape.rank};

	if (op_table[from].family == op_table[to].family)
		return *old;
	if (op_table[to].family == FAMILY_SLICE)
		attrs.n_axes = 0;
	for (int d = 0; d < arg->shape.rank; d++) {
		attrs.axes[d] = d;
		attrs.size[d] = out->shape.extent[d];
		attrs.stride[d] = 1;
	}
	return attrs;
}

/* Ops that do one thing: at a place that attributes give, and at one that the last operand gives. */
static const struct {
	enum op fixed, moving;
} windows[] = {
    {OP_SLICE, OP_DYNAMIC_SLICE},
    {OP_SLICE_SCATTER, OP_DYNAMIC_UPDATE_SLICE},
};

/* Turns the place of the node at s, which is an attribute, into an operand.  False: the window has gaps. */
static bool move_window(struct edit *e, struct site *s, enum op to)
{
	const int rank = edit_type(e, s->node->arg[0])->shape.rank, n_arg = s->node->n_arg;
	const struct type type = {.dtype = DTYPE_I64, .shape = {.rank = 1, .extent = {rank}}};
	struct tensor start = tensor_new(e->arena, &type);
	struct node *n;
	int *arg = NEW(e->arena, int, n_arg + 1);

	for (int d = 0; d < rank; d++) {
		start.at[d].i = s->node->attrs.start[d];
		if (s->node->attrs.stride[d] > 1)
			return false;
	}
	memcpy(arg, s->node->arg, sizeof *arg * (size_t)n_arg);
	arg[n_arg] = edit_insert_constant(e, s->region, s->index, &start);
	n = &s->region->node[s->index + 1];
	n->op = to;
	n->arg = arg;
	n->n_arg = n_arg + 1;
	return true;
}

/* The reverse.  False: the place is no constant. */
static bool fix_window(struct edit *e, struct node *n, enum op to)
{
	const int whole = n->arg[0], part = op_table[to].n_arg == 1 ? n->out : n->arg[1];
	const struct node *place = NULL;

	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);)
		if (w.node->op == OP_CONSTANT && w.node->out == n->arg[n->n_arg - 1])
			place = w.node;
	if (!place)
		return false;
	for (int d = 0; d < edit_type(e, whole)->shape.rank; d++) {
		const int size = edit_type(e, part)->shape.extent[d],
		          last = edit_type(e, whole)->shape.extent[d] - size;
		const int64_t at = place->attrs.value.at[d].i;

		n->attrs.start[d] = (int)(at < 0 ? 0 : at > last ? last : at);
		n->attrs.size[d] = size;
		n->attrs.stride[d] = 1;
	}
	n->op = to;
	n->n_arg--;
	return true;
}

/* Gives a node the op `to`.  False: it cannot have its operands. */
static bool give_op(struct edit *e, struct site *s, enum op to)
{
	struct node *n = s->node;

	for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
		if (n->op == windows[k].fixed && to == windows[k].moving)
			return move_window(e, s, to);
		if (n->op == windows[k].moving && to == windows[k].fixed)
			return fix_window(e, n, to);
	}
	if (!n->n_arg || op_table[n->op].n_arg != op_table[to].n_arg || n->n_region)
		return false;
	n->attrs = attrs_for(&n->attrs, n->op, to, edit_type(e, n->arg[0]), edit_type(e, n->out));
	n->op = to;
	return true;
}

/* Gives the nodes of op `from` the op `to`. */
static bool replace_op(struct edit *e, enum op from, enum op to)
{
	struct site s;

	for (int k = 0; edit_site_last(e, k, &s); k++)
		if (s.node->op == from && !give_op(e, &s, to))
			return false;
	return true;
}

enum effect trial_op(
    const struct question *q, const struct testcase *c, enum op from, enum op to, struct arena *a, struct judgement *j)
{
	enum effect out = EFFECT_NONE;

	/* The numbers of c hide the mistake of some ops. */
	for (int v = -1; v < edit_variants && out != EFFECT_FAILS; v++) {
		struct edit e = {.c = testcase_copy(c, a), .arena = a};
		enum effect one;

		if (!replace_op(&e, from, to))
			return EFFECT_NONE;
		if (v >= 0 && edit_finish(&e, false))
			edit_vary(&e, v);
		one = trial_effect(q, &e, j);
		out = one == EFFECT_NONE ? out : one;
	}
	return out;
}

/* origins.c: measures about what makes the operands of a node, and the next carries of a loop. */
#include "facts.h"
#include "graph/walk.h"

/* Whether the node gives elements of its operand other places, perhaps several, and computes nothing. */
static bool is_view(const struct node *n)
{
	const enum family family = op_table[n->op].family;

	return family == FAMILY_BROADCAST_TO || facts_is_view(family);
}

const struct node **measures_makers(const struct program *p, struct arena *a)
{
	const struct node **maker = NEW(a, const struct node *, p->n_value);

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		for (int k = 0; k < w.node->n_out; k++)
			maker[w.node->out + k] = w.node;
	return maker;
}

static bool is_alike(const struct tensor *x)
{
	const int n = shape_elements(&x->type.shape);

	for (int i = 1; i < n; i++)
		if (x->at[i].i != x->at[0].i)
			return false;
	return n > 1;
}

/* Whether a value holds several copies of an element: it is broadcast, or a constant of equal elements, or a view of
 * such a one. */
static bool is_expanded(const struct program *p, const struct node *const *maker, int v)
{
	for (const struct node *n; (n = maker[v]); v = n->arg[0]) {
		if (n->op == OP_CONSTANT)
			return is_alike(&n->attrs.value);
		if (n->op == OP_BROADCAST_TO &&
		    shape_elements(&p->type[n->out].shape) > shape_elements(&p->type[n->arg[0]].shape))
			return true;
		if (!is_view(n))
			return false;
	}
	return false;
}

/* Whether the next value of a carry is a view of one, the same or another. */
static bool carries_view(const struct node_loop *l, const struct node *const *maker)
{
	for (int k = 0; k < l->n_carry; k++) {
		int v = l->body->result[k], views = 0;

		for (; maker[v] && is_view(maker[v]); v = maker[v]->arg[0])
			views++;
		if (views && v >= l->first_param && v < l->first_param + l->n_carry)
			return true;
	}
	return false;
}

/* Whether the node reads a node of its op, and both go along one axis of several elements. */
static bool repeats_axis(const struct program *p, const struct node *n, const struct node *before)
{
	const unsigned attrs = op_table[n->op].attrs;
	const bool one = (attrs & ATTR_AXIS) != 0;

	for (int i = 0; i < (one ? 1 : n->attrs.n_axes); i++)
		for (int k = 0; k < (one ? 1 : before->attrs.n_axes); k++) {
			const int d = one ? n->attrs.axis : n->attrs.axes[i];

			if (d == (one ? before->attrs.axis : before->attrs.axes[k]) &&
			    d < p->type[n->arg[0]].shape.rank && p->type[n->arg[0]].shape.extent[d] > 1)
				return true;
		}
	return false;
}

void measures_of_origins(struct facts *f, const struct node *n, const struct node *const *maker)
{
	const struct program *p = &f->c->program;
	const struct node_loop l = node_loop(n);

	for (int k = 0; k < n->n_arg; k++) {
		const int v = n->arg[k];

		if (!dtype_is_float(p->type[v].dtype))
			continue;
		measures_put(f, MEASURE_EXPANDED, n, k, is_expanded(p, maker, v));
		measures_put(f, MEASURE_IS_VIEW, n, k, maker[v] && is_view(maker[v]));
		measures_put(f, MEASURE_IS_CONSTANT, n, k, maker[v] && maker[v]->op == OP_CONSTANT);
	}
	if (n->n_arg == 1 && op_table[n->op].attrs & (ATTR_AXIS | ATTR_AXES)) {
		const struct node *before = maker[n->arg[0]];

		measures_put(
		    f, MEASURE_AXIS_REPEATED, n, -1, before && before->op == n->op && repeats_axis(p, n, before));
	}
	if (l.is_loop)
		measures_put(f, MEASURE_CARRIES_VIEW, n, -1, carries_view(&l, maker));
}

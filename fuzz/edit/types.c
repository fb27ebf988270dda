/* types.c: changes of many types at once. */
#include "edit.h"
#include "fit.h"

void edit_change_types(struct edit *e, edit_type_fn *visit, edit_node_fn *visit_node, int how)
{
	struct program *p = &e->c.program;
	struct site s;

	for (int i = 0; i < p->top.n_param; i++)
		visit(e, &p->type[p->top.param + i], how);
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);) {
		struct attrs *a = &s.node->attrs;

		if (s.node->op == OP_CONSTANT) {
			struct type t = a->value.type;

			visit(e, &t, how);
			if (!type_equal(&t, &a->value.type))
				a->value = fit_tensor(e->arena, &a->value, &t);
		}
		visit_node(e, s.node, how);
	}
}

/* how: from * EXTENT_BASE + to. */
enum { EXTENT_BASE = LIMIT_ELEMENTS + 1 };

static void change_extent(int *extent, int from, int to)
{
	if (*extent == from)
		*extent = to;
}

static void change_shape(struct edit *e, struct type *t, int how)
{
	(void)e;
	for (int d = 0; d < t->shape.rank; d++)
		change_extent(&t->shape.extent[d], how / EXTENT_BASE, how % EXTENT_BASE);
}

static void change_attrs(struct edit *e, struct node *n, int how)
{
	int from = how / EXTENT_BASE, to = how % EXTENT_BASE;
	struct attrs *a = &n->attrs;

	(void)e;
	for (int d = 0; d < a->shape.rank; d++)
		change_extent(&a->shape.extent[d], from, to);
	if (op_table[n->op].attrs & ATTR_SIZE)
		for (int d = 0; d < LIMIT_RANK; d++)
			change_extent(&a->size[d], from, to);
	if (op_table[n->op].attrs & ATTR_START)
		for (int d = 0; d < LIMIT_RANK; d++)
			if (a->start[d] >= to && to > 0)
				a->start[d] = to - 1;
	if (op_table[n->op].family == FAMILY_SCAN)
		change_extent(&a->trip, from, to);
}

void edit_change_extent(struct edit *e, int from, int to)
{
	edit_change_types(e, change_shape, change_attrs, from * EXTENT_BASE + to);
}

/* Sets the leading extent of an input of the program that a scan reads row by row. */
static bool set_rows(struct edit *e, int value, int n)
{
	struct region *top = &e->c.program.top;

	if (value < top->param || value >= top->param + top->n_param)
		return false;
	e->c.program.type[value].shape.extent[0] = n;
	return true;
}

bool edit_set_trip(struct edit *e, const struct site *s, int n)
{
	struct node *node = s->node;
	struct type boolean = {DTYPE_BOOL, shape_scalar()};

	switch (op_table[node->op].family) {
	case FAMILY_FOR:
		if (node_loop(node).counted) /* the trip count was operand 0: drop it */
			edit_remove_item(node->arg, &node->n_arg, sizeof *node->arg, 0);
		node->attrs.trip = n;
		node->attrs.cap = 0;
		return true;
	case FAMILY_WHILE:
		node->attrs.cap = n;
		node->region[0].n_node = 0;
		node->region[0].result[0] = edit_insert_fill(e, &node->region[0], 0, &boolean, 1);
		return true;
	case FAMILY_SCAN:
		for (int i = node->attrs.carries; i < node->n_arg; i++)
			if (!set_rows(e, node->arg[i], n))
				return false;
		node->attrs.trip = n;
		return true;
	case FAMILY_FIXED_POINT:
		if (node->attrs.meaning != MEANING_STEPS)
			return false;
		node->attrs.cap = n;
		return true;
	default:
		return false;
	}
}

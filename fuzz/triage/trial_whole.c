/* trial_whole.c: operands that are broadcast along axes of extent 1 are repeated instead. */
#include "trial_edits.h"

/* Repeats the value along axes of extent 1 that would be broadcast to the shape, before node *index of r.  Returns the
 * new value, or -1: an axis is too long. */
static int repeat_value(struct edit *e, struct region *r, int *index, int value, const struct shape *to)
{
	const int missing = to->rank - edit_type(e, value)->shape.rank;

	for (int d = missing; d < to->rank; d++) {
		struct type type = *edit_type(e, value);
		struct node n = {
		    .op = OP_CONCATENATE, .n_arg = to->extent[d], .n_out = 1, .attrs = {.axis = d - missing}};

		if (type.shape.extent[d - missing] != 1 || to->extent[d] < 2)
			continue;
		if (to->extent[d] > LIMIT_ARGS)
			return -1;
		type.shape.extent[d - missing] = to->extent[d];
		n.arg = NEW(e->arena, int, n.n_arg);
		for (int k = 0; k < n.n_arg; k++)
			n.arg[k] = value;
		n.out = value = edit_new_values(e, &type, 1);
		edit_insert_node(e, r, (*index)++, &n);
	}
	return value;
}

bool trial_make_whole(struct edit *e)
{
	bool any = false;
	struct site s;

	for (int k = 0; edit_site_last(e, k, &s); k++) {
		const enum family family = op_table[s.node->op].family;
		const int n_arg = s.node->n_arg;
		const bool joins = family == FAMILY_BINARY || family == FAMILY_SELECT || family == FAMILY_CLAMP ||
		    family == FAMILY_BROADCAST_TO;

		for (int i = 0, at = s.index; i < n_arg && joins; i++) {
			const struct shape to = edit_type(e, s.region->node[at].out)->shape;
			const int value = s.region->node[at].arg[i],
			          whole = dtype_is_float(edit_type(e, value)->dtype)
			    ? repeat_value(e, s.region, &at, value, &to)
			    : value;

			if (whole < 0)
				return false;
			s.region->node[at].arg[i] = whole;
			any = any || whole != value;
		}
	}
	return any;
}

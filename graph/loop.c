/* loop.c: see loop.h. */
#include "loop.h"

struct node_loop node_loop(const struct node *node)
{
	enum family family = op_table[node->op].family;
	struct node_loop l = {.node = node, .is_loop = op_is_loop(node->op)};

	if (!l.is_loop)
		return l;
	l.body = &node->region[node->n_region - 1];
	l.condition = family == FAMILY_WHILE ? &node->region[0] : NULL;
	l.counted = family == FAMILY_FOR && node->attrs.trip < 0;
	l.until = family == FAMILY_FIXED_POINT || (op_table[node->op].attrs & ATTR_UNTIL && node->attrs.until);
	l.first_arg = l.counted;
	l.n_index = family == FAMILY_FOR;
	l.first_param = l.body->param + l.n_index;
	l.n_carry = node->n_arg - l.first_arg;
	if (family == FAMILY_SCAN) {
		l.n_carry = node->attrs.carries;
		l.n_xs = node->n_arg - l.n_carry;
		l.n_ys = node->n_out - l.n_carry;
	}
	return l;
}

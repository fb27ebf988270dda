/* values.c: passes on dtypes, attributes and ops of one family. */
#include "passes.h"

/* ---- all types at once ---- */

enum { WIDE_ALL, WIDE_FLOATS, WIDE_INTS, FLOATS_F32, WIDE_HOWS };

static enum dtype plain_dtype(enum dtype d, int how)
{
	if (dtype_is_float(d) && how != WIDE_INTS)
		return how == FLOATS_F32 ? DTYPE_F32 : DTYPE_F64;
	if (dtype_is_int(d) && (how == WIDE_ALL || how == WIDE_INTS))
		return DTYPE_I64;
	return d;
}

static void plain_type(struct edit *e, struct type *t, int how)
{
	(void)e;
	t->dtype = plain_dtype(t->dtype, how);
}

static void plain_cast(struct edit *e, struct node *n, int how)
{
	(void)e;
	if (op_table[n->op].attrs & ATTR_DTYPE)
		n->attrs.dtype = plain_dtype(n->attrs.dtype, how);
}

enum edit_result pass_wide_dtypes(struct edit *e, int k)
{
	if (k >= WIDE_HOWS)
		return EDIT_END;
	edit_change_types(e, plain_type, plain_cast, k);
	return EDIT_TRY;
}

/* ---- plain ops and attributes ---- */

/* The plainest ops per family, plainest first; the measure of minimize.c counts the same way (edit_op_weight). */
static const struct {
	enum family family;
	enum op op;
} plain_ops[] = {
    {FAMILY_BINARY, OP_ADD},
    {FAMILY_BINARY, OP_MUL},
    {FAMILY_BINARY, OP_LOGICAL_AND},
    {FAMILY_UNARY, OP_NEG},
    {FAMILY_UNARY, OP_SQUARE},
    {FAMILY_UNARY, OP_SIN},
    {FAMILY_UNARY, OP_LOGICAL_NOT},
    {FAMILY_COMPARE, OP_LT},
    {FAMILY_COMPARE, OP_GT},
    {FAMILY_REDUCE, OP_REDUCE_SUM},
    {FAMILY_CUMULATIVE, OP_CUMSUM},
    {FAMILY_DYNAMIC_UPDATE_SLICE, OP_DYNAMIC_UPDATE_SLICE},
    {FAMILY_SCATTER, OP_SCATTER_SET},
    {FAMILY_SCATTER, OP_SCATTER_ADD},
};
enum { PLAIN_OPS = sizeof plain_ops / sizeof *plain_ops };

int edit_op_weight(enum op op)
{
	for (int i = 0; i < PLAIN_OPS; i++)
		if (plain_ops[i].op == op)
			return i;
	return PLAIN_OPS + (int)op;
}

enum edit_result pass_plain_op(struct edit *e, int k)
{
	int row = k % PLAIN_OPS;
	struct site s;

	if (!edit_site(e, k / PLAIN_OPS, &s))
		return EDIT_END;
	if (op_table[s.node->op].family != plain_ops[row].family || edit_op_weight(s.node->op) <= row)
		return EDIT_SKIP;
	s.node->op = plain_ops[row].op;
	return EDIT_TRY;
}

enum edit_result pass_family_op(struct edit *e, int k)
{
	enum op to = (enum op)(k % OP_COUNT);
	struct site s;

	if (!edit_site(e, k / OP_COUNT, &s))
		return EDIT_END;
	if (op_table[to].family != op_table[s.node->op].family || op_table[to].attrs != op_table[s.node->op].attrs ||
	    op_table[to].n_region || to >= s.node->op)
		return EDIT_SKIP;
	s.node->op = to;
	return EDIT_TRY;
}

enum edit_result pass_plain_attrs(struct edit *e, int k)
{
	enum { KEEPDIMS, AXIS, MODE_FIRST, STRIDES, STARTS, LOWS, HIGHS, FEWER_AXES, HOWS };
	struct attrs before, *a;
	struct site s;
	bool changed = false;

	if (!edit_site(e, k / HOWS, &s))
		return EDIT_END;
	a = &s.node->attrs;
	before = *a;
	switch (k % HOWS) {
	case KEEPDIMS:
		a->keepdims = false;
		break;
	case AXIS:
		a->axis = 0;
		break;
	case MODE_FIRST:
		a->mode = (enum index_mode)0;
		break;
	case STRIDES:
		for (int d = 0; d < LIMIT_RANK; d++)
			if (a->stride[d])
				a->stride[d] = 1;
		break;
	case STARTS:
		for (int d = 0; d < LIMIT_RANK; d++)
			a->start[d] = 0;
		break;
	case LOWS:
		for (int d = 0; d < LIMIT_RANK; d++)
			a->low[d] = 0;
		break;
	case HIGHS:
		for (int d = 0; d < LIMIT_RANK; d++)
			a->high[d] = 0;
		break;
	case FEWER_AXES:
		if (a->n_axes)
			a->n_axes--;
		break;
	}
	for (int d = 0; d < LIMIT_RANK; d++)
		changed = changed || before.stride[d] != a->stride[d] || before.start[d] != a->start[d] ||
		    before.low[d] != a->low[d] || before.high[d] != a->high[d];
	changed = changed || before.keepdims != a->keepdims || before.axis != a->axis || before.mode != a->mode ||
	    before.n_axes != a->n_axes;
	return changed ? EDIT_TRY : EDIT_SKIP;
}

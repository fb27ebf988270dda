/* ops.c: the op table from ops.def, and the names around it. */
#include "program.h"

#include <string.h>

/* How many regions a node has is a matter of its family. */
#define N_REGION(family)                                                                                               \
	((family) == FAMILY_COND || (family) == FAMILY_WHILE || (family) == FAMILY_CUSTOM ? 2 : (family) == FAMILY_FOR || (family) == FAMILY_SCAN ||     \
		(family) == FAMILY_CHECKPOINT || (family) == FAMILY_SCATTER_APPLY || (family) == FAMILY_FIXED_POINT || \
		(family) == FAMILY_DERIVATIVE)

/* The short words of ops.def. */
#define F MASK_FLOAT
#define I MASK_INT
#define B MASK_BOOL
#define ANY MASK_ANY
#define MANY (-1)

const struct op_info op_table[OP_COUNT] = {
#define OP(id, name, n_arg, family, dtypes, attrs, regularity, domain, meaning)                                        \
	[OP_##id] = {name, n_arg, FAMILY_##family, dtypes, attrs, REGULARITY_##regularity, DOMAIN_##domain, meaning,   \
	    N_REGION(FAMILY_##family)},
#include "ops.def"
#undef OP
};

#undef F
#undef I
#undef B
#undef ANY
#undef MANY

const char *const mode_names[MODE_COUNT] = {[MODE_CLIP] = "clip", [MODE_DROP] = "drop", [MODE_WRAP] = "wrap"};

const char *const meaning_names[MEANING_COUNT] = {[MEANING_STEPS] = "steps", [MEANING_SOLUTION] = "solution"};
const char *const derivative_names[DERIVATIVE_COUNT] = {[DERIVATIVE_JVP] = "jvp", [DERIVATIVE_VJP] = "vjp"};

const char *const regularity_names[] = {
	[REGULARITY_SMOOTH] = "smooth", [REGULARITY_KINK] = "kink", [REGULARITY_STEP] = "step",
	[REGULARITY_DISCRETE] = "discrete", [REGULARITY_MOVE] = "move", [REGULARITY_LINEAR] = "linear",
	[REGULARITY_REGION] = "region",
};

const char *const family_names[] = {
	[FAMILY_CONSTANT] = "constant", [FAMILY_UNARY] = "unary", [FAMILY_BINARY] = "binary",
	[FAMILY_COMPARE] = "compare", [FAMILY_CLAMP] = "clamp", [FAMILY_SELECT] = "select",
	[FAMILY_CAST] = "cast", [FAMILY_BROADCAST_TO] = "broadcast_to", [FAMILY_RESHAPE] = "reshape",
	[FAMILY_TRANSPOSE] = "transpose", [FAMILY_REVERSE] = "reverse", [FAMILY_SQUEEZE] = "squeeze",
	[FAMILY_SLICE] = "slice", [FAMILY_SLICE_SCATTER] = "slice_scatter",
	[FAMILY_DYNAMIC_SLICE] = "dynamic_slice", [FAMILY_DYNAMIC_UPDATE_SLICE] = "dynamic_update_slice",
	[FAMILY_PAD] = "pad", [FAMILY_CONCATENATE] = "concatenate", [FAMILY_GATHER] = "gather",
	[FAMILY_TAKE_ALONG_AXIS] = "take_along_axis", [FAMILY_SCATTER] = "scatter",
	[FAMILY_MASKED_SCATTER] = "masked_scatter", [FAMILY_REDUCE] = "reduce",
	[FAMILY_CUMULATIVE] = "cumulative", [FAMILY_MATMUL] = "matmul", [FAMILY_COND] = "cond",
	[FAMILY_IOTA] = "iota", [FAMILY_SORT] = "sort", [FAMILY_ARGSORT] = "argsort",
	[FAMILY_ARGMAX] = "argmax", [FAMILY_CHECKPOINT] = "checkpoint",
	[FAMILY_SCATTER_APPLY] = "scatter_apply", [FAMILY_FIXED_POINT] = "fixed_point", [FAMILY_FOR] = "for", [FAMILY_WHILE] = "while", [FAMILY_SCAN] = "scan",
	[FAMILY_DERIVATIVE] = "derivative", [FAMILY_CUSTOM] = "custom",
};

_Static_assert(sizeof family_names / sizeof family_names[0] == FAMILY_CUSTOM + 1, "a name a family");

const struct attr_field attr_fields[ATTR_COUNT] = {
#define ATTR(id, key, kind, meaning) [ATTR_INDEX_##id] = {#key, ATTR_KIND_##kind, offsetof(struct attrs, key)},
#include "attrs.def"
#undef ATTR
};

static const char *const dtype_names[] = {
#define DTYPE(id, name, class, precision, emin, emax, bits) name,
#include "dtypes.def"
#undef DTYPE
};

const struct attr_names attr_names[ATTR_KIND_COUNT] = {
	[ATTR_KIND_DTYPE] = {DTYPE_COUNT, dtype_names}, [ATTR_KIND_MODE] = {MODE_COUNT, mode_names},
	[ATTR_KIND_MEANING] = {MEANING_COUNT, meaning_names}, [ATTR_KIND_TRANSFORM] = {DERIVATIVE_COUNT, derivative_names},
};

_Static_assert(sizeof(enum dtype) == sizeof(int), "attributes that are enums are copied as int");

struct attr_value node_attr(const struct program *p, const struct node *node, enum attr_index k)
{
	const struct attr_field *field = &attr_fields[k];
	const char *from = (const char *)&node->attrs + field->offset;
	struct attr_value v = {.n = 1};

	switch (field->kind) {
	case ATTR_KIND_INTS:
		v.n = node->n_arg ? p->type[node->arg[0]].shape.rank : 0;
		v.list = true;
		break;
	case ATTR_KIND_AXES:
		v.n = node->attrs.n_axes;
		v.list = true;
		break;
	case ATTR_KIND_SHAPE:
		v.n = node->attrs.shape.rank;
		v.list = true;
		from = (const char *)node->attrs.shape.extent;
		break;
	case ATTR_KIND_BOOL:
		v.at[0] = *(const bool *)from;
		return v;
	case ATTR_KIND_TENSOR: case ATTR_KIND_COUNT:
		v.n = 0;
		break;
	case ATTR_KIND_INT: case ATTR_KIND_DTYPE: case ATTR_KIND_MODE: case ATTR_KIND_MEANING: case ATTR_KIND_TRANSFORM:
		break;
	}
	memcpy(v.at, from, (size_t)v.n * sizeof v.at[0]);
	if (attr_names[field->kind].n)
		v.name = attr_names[field->kind].name[v.at[0]];
	return v;
}

bool node_has_trip(const struct node *node)
{
	return op_table[node->op].attrs & ATTR_TRIP && node->attrs.trip >= 0;
}

int op_find(const char *name)
{
	for (int op = 0; op < OP_COUNT; op++)
		if (op_table[op].name[0] == name[0] && !strcmp(op_table[op].name, name))
			return op;
	return -1;
}

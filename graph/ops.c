/* ops.c: the op table from ops.def, and the names around it. */
#include "program.h"

#include <string.h>

/* Regions of a node of each family. */
enum {
#define FAMILY(id, name, n_region) REGIONS_##id = n_region,
#include "families.def"
#undef FAMILY
};

/* The short words of ops.def. */
#define F    MASK_FLOAT
#define I    MASK_INT
#define B    MASK_BOOL
#define ANY  MASK_ANY
#define MANY (-1)

const struct op_info op_table[OP_COUNT] = {
#define OP(id, name, n_arg, family, dtypes, attrs, regularity, domain, meaning) \
	[OP_##id] = {name, n_arg, FAMILY_##family, dtypes, attrs, REGULARITY_##regularity, DOMAIN_##domain, meaning, \
	    REGIONS_##family},
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

/* clang-format off */
const char *const regularity_names[] = {
	[REGULARITY_SMOOTH] = "smooth", [REGULARITY_KINK] = "kink", [REGULARITY_STEP] = "step",
	[REGULARITY_DISCRETE] = "discrete", [REGULARITY_MOVE] = "move", [REGULARITY_LINEAR] = "linear",
	[REGULARITY_REGION] = "region",
};
/* clang-format on */

const char *const family_names[] = {
#define FAMILY(id, name, n_region) #name,
#include "families.def"
#undef FAMILY
};

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
    [ATTR_KIND_DTYPE] = {DTYPE_COUNT, dtype_names},
    [ATTR_KIND_MODE] = {MODE_COUNT, mode_names},
    [ATTR_KIND_MEANING] = {MEANING_COUNT, meaning_names},
    [ATTR_KIND_TRANSFORM] = {DERIVATIVE_COUNT, derivative_names},
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
	case ATTR_KIND_TENSOR:
	case ATTR_KIND_COUNT:
		v.n = 0;
		break;
	case ATTR_KIND_INT:
	case ATTR_KIND_DTYPE:
	case ATTR_KIND_MODE:
	case ATTR_KIND_MEANING:
	case ATTR_KIND_TRANSFORM:
		break;
	}
	memcpy(v.at, from, (size_t)v.n * sizeof v.at[0]);
	if (attr_names[field->kind].n)
		v.name = attr_names[field->kind].name[v.at[0]];
	return v;
}

bool node_has_trip(const struct node *node) { return op_table[node->op].attrs & ATTR_TRIP && node->attrs.trip >= 0; }

int op_find(const char *name)
{
	for (int op = 0; op < OP_COUNT; op++)
		if (op_table[op].name[0] == name[0] && !strcmp(op_table[op].name, name))
			return op;
	return -1;
}

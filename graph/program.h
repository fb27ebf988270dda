/* program.h: typed SSA programs with regions, and the functions that check, build, edit and print them. */
#ifndef GRAPH_PROGRAM_H
#define GRAPH_PROGRAM_H

#include "errors.h"
#include "type.h"

enum op {
#define OP(id, name, n_arg, family, dtypes, attrs, regularity, domain, meaning) OP_##id,
#include "ops.def"
#undef OP
	OP_COUNT
};

enum family {
#define FAMILY(id, name, n_region) FAMILY_##id,
#include "families.def"
#undef FAMILY
};

enum regularity {
	REGULARITY_SMOOTH,
	REGULARITY_KINK,
	REGULARITY_STEP,
	REGULARITY_DISCRETE,
	REGULARITY_MOVE,
	REGULARITY_LINEAR,
	REGULARITY_REGION
};

enum domain {
	DOMAIN_ALL,
	DOMAIN_POSITIVE,
	DOMAIN_ABOVE_MINUS_ONE,
	DOMAIN_INSIDE_ONE,
	DOMAIN_ABOVE_ONE,
	DOMAIN_SECOND_NONZERO,
	DOMAIN_POW,
	DOMAIN_NOT_BOTH_ZERO,
	DOMAIN_NOT_ALL_ZERO
};

enum index_mode { MODE_CLIP, MODE_DROP, MODE_WRAP, MODE_COUNT };

/* The value of a fixed_point: the result of the executed iterations, or the solution that they converge to. */
enum meaning { MEANING_STEPS, MEANING_SOLUTION, MEANING_COUNT };
/* The kind of derivative that op `derivative` takes and that the rule of a `custom` gives. */
enum derivative_kind { DERIVATIVE_JVP, DERIVATIVE_VJP, DERIVATIVE_COUNT };

/* ATTR_AXIS ... are bits; ATTR_INDEX_AXIS ... are their numbers. */
enum attr_index {
#define ATTR(id, key, kind, meaning) ATTR_INDEX_##id,
#include "attrs.def"
#undef ATTR
	ATTR_COUNT
};
enum attr_bit {
#define ATTR(id, key, kind, meaning) ATTR_##id = 1 << ATTR_INDEX_##id,
#include "attrs.def"
#undef ATTR
	ATTR_NONE = 0
};

enum dtype_mask { MASK_FLOAT = 1 << 0, MASK_INT = 1 << 1, MASK_BOOL = 1 << 2, MASK_ANY = 7 };

struct op_info {
	const char *name;
	int n_arg; /* -1: 1 to LIMIT_ARGS */
	enum family family;
	unsigned dtypes; /* MASK_FLOAT | MASK_INT | MASK_BOOL */
	unsigned attrs;  /* ATTR bits */
	enum regularity regularity;
	enum domain domain;
	const char *meaning;
	int n_region; /* from the family */
};

extern const struct op_info op_table[OP_COUNT];

/* The largest error that an engine may make in an op's function: in units in the last place of the value, and in units
 * in the last place of 1. */
struct op_accuracy {
	double relative, absolute;
};

/* The op of that name, or -1. */
int op_find(const char *name);
extern const char *const mode_names[MODE_COUNT];
extern const char *const meaning_names[MEANING_COUNT];
extern const char *const derivative_names[DERIVATIVE_COUNT];
extern const char *const regularity_names[];
extern const char *const family_names[];

/* The attributes of a node.  Members that op_table[op].attrs does not name are zero. */
struct attrs {
	int axis;
	int n_axes, axes[LIMIT_RANK];
	bool keepdims, until;
	enum dtype dtype;
	enum index_mode mode;
	struct shape shape;
	int start[LIMIT_RANK], size[LIMIT_RANK], stride[LIMIT_RANK]; /* one per axis of operand 0 */
	int low[LIMIT_RANK], high[LIMIT_RANK];
	int trip; /* -1: the trip count is operand 0 (for only) */
	int cap, carries;
	enum meaning meaning;
	int primals;
	enum derivative_kind transform;
	struct tensor value;
};

enum attr_kind {
	ATTR_KIND_INT,
	ATTR_KIND_INTS,
	ATTR_KIND_AXES,
	ATTR_KIND_BOOL,
	ATTR_KIND_DTYPE,
	ATTR_KIND_MODE,
	ATTR_KIND_SHAPE,
	ATTR_KIND_MEANING,
	ATTR_KIND_TRANSFORM,
	ATTR_KIND_TENSOR,
	ATTR_KIND_COUNT
};

/* The place of an attribute of attrs.def in struct attrs. */
struct attr_field {
	const char *key;
	enum attr_kind kind;
	size_t offset;
};
extern const struct attr_field attr_fields[ATTR_COUNT];

/* The names of the values of a kind, in order.  Only kinds DTYPE, MODE, MEANING and TRANSFORM have names. */
struct attr_names {
	int n;
	const char *const *name;
};
extern const struct attr_names attr_names[ATTR_KIND_COUNT];

/* An attribute of any kind except TENSOR, as integers: one per entry of a list, otherwise one. */
struct attr_value {
	bool list; /* of kind INTS, AXES or SHAPE */
	int n, at[LIMIT_RANK];
	const char *name; /* of at[0] if the kind has names; otherwise NULL */
};

/*
 * Values are numbered 0 .. n_value - 1 over the whole program.  Each is defined once: as a parameter of a region or a
 * result of a node.  A node's results are the consecutive values out .. out + n_out - 1.
 */
struct node {
	enum op op;
	int n_arg;
	int *arg; /* [n_arg] value numbers */
	int n_out, out;
	struct attrs attrs;
	int n_region;
	struct region *region; /* [n_region] */
};

struct region {
	int n_param, param; /* consecutive values, like a node's results */
	int n_node;
	struct node *node; /* in execution order */
	int n_result;
	int *result; /* [n_result] value numbers */
};

struct program {
	int n_value;
	struct type *type; /* [n_value] */
	struct region top; /* parameters are the inputs, results the outputs */
};

/* Attribute k of the node; its op must have it.  INTS has one entry per axis of operand 0; TENSOR has none. */
struct attr_value node_attr(const struct program *p, const struct node *node, enum attr_index k);
/* Whether the node has a fixed trip count.  Then the cap is ignored. */
bool node_has_trip(const struct node *node);

/* ---- type inference and validation (infer.c, check.c) ---- */

/*
 * Infers the result types of `node` from the types of its operands and of its regions' results.  The types of its
 * regions' parameters must be set.  Writes *n_out types, at most LIMIT_ARGS.  False with an error that says which rule
 * is broken.  This is the only shape rule of each family.
 */
bool node_infer(const struct program *p, const struct node *node, struct type out[LIMIT_ARGS], int *n_out,
    struct error *e) MUST_CHECK;

/*
 * Writes the types that the parameters of region `which` of `node` must have, from operand types and attributes.  False
 * with an error if the operands do not fit the op.
 */
bool node_region_params(const struct program *p, const struct node *node, int which, struct type out[LIMIT_ARGS],
    int *n, struct error *e) MUST_CHECK;

/*
 * Whether p is valid: operands are defined before use and in scope; arity, dtypes and attributes fit; inferred types
 * equal the stored ones; limits hold.  The place of an error is a path such as body[3].regions[0].body[1].args[0].
 */
bool program_check(const struct program *p, struct error *e) MUST_CHECK;
/* The same for a program whose types are those of node_infer and node_region_params: they are not inferred again. */
bool program_check_inferred(const struct program *p, struct error *e) MUST_CHECK;

/* An upper bound on the executed scalar work, as LIMIT_WORK counts it; caps count as trip counts.  Saturates. */
int64_t program_work(const struct program *p);

/* Number of nodes in all regions. */
int program_nodes(const struct program *p);

/* How often a region of `node` runs at most in one execution of the node.  For a derivative, its work is counted as
 * runs of its region. */
int64_t node_executions(const struct program *p, const struct node *node);

/* Whether the op is a loop: for, while, scan or fixed_point. */
static inline bool op_is_loop(enum op op)
{
	const enum family family = op_table[op].family;

	return family == FAMILY_FOR || family == FAMILY_WHILE || family == FAMILY_SCAN || family == FAMILY_FIXED_POINT;
}

/* The largest number of iterations of a loop node: its fixed trip count or its cap. */
int node_max_trip(const struct node *node);

/* ---- building and editing (build.c, edit.c); everything lives in the arena ---- */

/* Builds a program region by region.  Zero-initialise it, then call build_begin. */
struct builder {
	struct arena *arena;
	struct program program; /* type[] valid up to program.n_value */
	int type_room;
	struct builder_region *stack; /* innermost open region */
};

void build_begin(struct builder *b, struct arena *a);
/* Makes room for that many nodes outside regions.  Nodes are large: room that grows is copied. */
void build_reserve(struct builder *b, int n_node);
/* Adds an input to the program, before the first node.  Returns its value. */
int build_input(struct builder *b, const struct type *t);
/*
 * Appends a node without regions to the innermost open region.  Copies the operands; attrs may be NULL.  Returns the
 * first result value.  On error it adds nothing and returns -1, with the reason in e (may be NULL).
 */
int build_node(
    struct builder *b, enum op op, const int *arg, int n_arg, const struct attrs *attrs, struct error *e) MUST_CHECK;
/* Appends a constant of any type; copies the elements. */
int build_constant(struct builder *b, const struct tensor *value);
/* Appends a float or integer scalar constant; x is rounded to the dtype. */
int build_scalar(struct builder *b, enum dtype d, double x);

/*
 * An op with regions is built in this order.  build_open opens a region with parameters of the given types, which must
 * be those of node_region_params, and returns the value of the first parameter.  New nodes go into this region until
 * build_close names its results.  After the last region, build_region_node appends the op; it takes the regions in the
 * order in which they were closed.
 */
int build_open(struct builder *b, const struct type *params, int n_param);
void build_close(struct builder *b, const int *result, int n_result);
/*
 * Appends an op with the regions that were closed last.  Returns its first result; the op's rule gives their number. On
 * error it drops the regions and returns -1, with the reason in e.
 */
int build_region_node(
    struct builder *b, enum op op, const int *arg, int n_arg, const struct attrs *attrs, struct error *e) MUST_CHECK;
/* The node that was appended last to the innermost open region, which has one.  Valid until the next is appended. */
const struct node *build_last(const struct builder *b);

/*
 * Ends the program with these results.  The program is in canonical order and ready for program_check.  This call may
 * renumber values: numbers that the builder returned before are no longer valid.  b must not be used again.
 */
struct program build_end(struct builder *b, const int *result, int n_result);

/* Deep copy. */
struct program program_copy(const struct program *p, struct arena *a);
/* Structural equality: same ops, attributes, types, wiring. */
bool program_equal(const struct program *p, const struct program *q);
/* Whether two nodes have the same attributes.  They must have the same op, and operands of the same rank. */
bool node_attrs_equal(const struct program *p, const struct node *a, const struct program *q, const struct node *b);
/*
 * Renumbers values densely in order of definition, after edits that left gaps or another order.  Every used value must
 * be defined.  Types are not inferred again.
 */
struct program program_renumber(const struct program *p, struct arena *a);
/* The same, in place.  No two nodes may share an array of operands or of regions. */
void program_number(struct program *p, struct arena *a);
/* [n_value], in the arena: 1 for each value that a result of the program depends on, else 0. */
unsigned char *program_live(const struct program *p, struct arena *a);
/* Drops nodes that no output depends on, in all regions, and renumbers.  Inputs and signatures of regions stay. */
struct program program_drop_dead(const struct program *p, struct arena *a);
/* Whether program_drop_dead would drop a node. */
bool program_has_dead(const struct program *p, struct arena *a);
/*
 * Call it after edits that changed uses of buffers.  Every store of p that may no longer consume its buffer becomes a
 * dynamic_update_slice, which has the same value.  Edits p in place; the arena is for scratch.
 */
void program_settle_stores(struct program *p, struct arena *a);
/* A stable 64-bit hash of structure, types and attributes (not of addresses). */
uint64_t program_hash(const struct program *p);

/* ---- printing (print.c) ---- */

/* The program as text for people: one node per line, regions indented.  NUL-terminated, in the arena. */
char *program_print(const struct program *p, struct arena *a);

#endif

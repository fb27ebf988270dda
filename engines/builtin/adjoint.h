/*
 * adjoint.h: shared by the reverse engines: pulling one op back by its row of the adjoint table, and sums of
 * contributions.  The rows are in adjoint_rules.def.  The structures that they name are declared below.
 */
#ifndef ENGINES_BUILTIN_ADJOINT_H
#define ENGINES_BUILTIN_ADJOINT_H

#include "graph/testcase.h"
#include "rules.h"

/* The structures of the table: adjoint_fn as rules.h says. */
#define ADJOINT_PARTIALS(op, da, db, dc)
#define ADJOINT_STRUCTURE(op, name) adjoint_fn adjoint_##name;
#define ADJOINT_NONE(op)
#define ADJOINT_REGION(op)
#include "adjoint_rules.def"
#undef ADJOINT_PARTIALS
#undef ADJOINT_STRUCTURE
#undef ADJOINT_NONE
#undef ADJOINT_REGION
adjoint_fn adjoint_elementwise; /* by the partials of the row */
adjoint_fn adjoint_none;        /* locally constant: the result does not depend on any operand */
adjoint_fn adjoint_region;      /* marks ops with regions, which the engines differentiate themselves */

/* The structure that the correct table has for `op`. */
adjoint_fn *adjoint_structure(enum op op);

/* Whether a float result of `op` depends on its float operands at all. */
bool adjoint_flows(const struct adjoint_rules *rules, enum op op);

/* The reason why an engine with these rules cannot answer c, in the arena; NULL if it can. */
const char *adjoint_refuse(
    const struct adjoint_rules *rules, const char *engine, const struct testcase *c, struct arena *a);

/*
 * Pulls the result's cotangent back to the wanted operands of a node without regions.  It fills
 * contribution[node->n_arg] as rules.h says, each with a buffer of its own.  If `spent`, nobody reads the cotangent
 * again, and one contribution may take its buffer.
 */
void adjoint_pull(const struct adjoint_rules *rules, const struct node *node, const struct tensor *const arg[],
    const struct tensor *out, const struct tensor *cotangent, bool spent, const bool wanted[],
    struct tensor *contribution, struct arena *a);

enum { ADJOINT_RESULT = -1 };
/*
 * Whether pulling `op` back reads the elements of operand k of that dtype (or of its result, ADJOINT_RESULT).  A record
 * must keep these.  It may return true without need.
 */
bool adjoint_reads(const struct adjoint_rules *rules, enum op op, int k, enum dtype d);

/*
 * Adds a contribution of type t to *adjoint.  If that is absent (NULL), it takes the contribution over: a buffer that
 * nobody else uses.
 */
void adjoint_add(
    const struct adjoint_rules *rules, const struct type *t, union cell **adjoint, union cell *contribution);
/* The same for the contribution of an op, which is added as the op's row says, or else by the common seam. */
void adjoint_join(const struct adjoint_rules *rules, enum op op, const struct type *t, union cell **adjoint,
    union cell *contribution);
/*
 * The same for row `row` along the leading axis.  The adjoint has type t, and the contribution the rest of its shape.
 * The contribution is copied.
 */
void adjoint_add_row(const struct adjoint_rules *rules, const struct type *t, union cell **adjoint, int row,
    const union cell *contribution, struct arena *a);

/*
 * The adjoint of a value as partial sums.  The fold seam decides when they are added: one running sum, or a tree.
 * Empty: no result depends on the value.
 */
struct adjoint_part {
	union cell *at;
	int terms; /* contributions in it */
	struct adjoint_part *older;
};

struct adjoint_sum {
	struct adjoint_part *newest, *spare; /* spare: buffers of parts that were added to others */
};

/*
 * Adds a contribution of type t and takes it over: a buffer that nobody else uses.  `op`: the op that contributes, or
 * OP_COUNT. It is added to the part before it as the op's row says.
 */
void adjoint_sum_add(const struct adjoint_rules *rules, enum op op, const struct type *t, struct adjoint_sum *sum,
    union cell *contribution, struct arena *a);
/* The same with a copy.  Buffers are used again, so memory does not grow with the number of contributions. */
void adjoint_sum_copy(const struct adjoint_rules *rules, const struct type *t, struct adjoint_sum *sum,
    const union cell *contribution, struct arena *a);
/* The total; NULL if empty.  The buffer belongs to the sum as long as the sum is used. */
union cell *adjoint_sum_total(const struct adjoint_rules *rules, const struct type *t, struct adjoint_sum *sum);

/* ---- helpers of the structures ---- */

/* Sets element k of a tensor to the sum, by the sum seam, of term[i] with target[i] == k; -1: nowhere.  Rounded. */
void adjoint_scatter(double (*sum)(enum dtype d, double *term, int n), struct tensor *into, const int *target,
    const union cell *term, int n, struct arena *a);

/* The correct seam: sums over the axes along which the operand (zeroed, then filled) was broadcast. */
void adjoint_unbroadcast(const struct tensor *full, struct tensor *operand);
/*
 * Makes contribution[k] from cells in the result's shape, which it keeps; unbroadcasts them if the operand is smaller.
 */
void adjoint_deliver(
    const struct adjoint_call *call, int k, const struct shape *shape, union cell *full, struct tensor *contribution);
/*
 * The elements of x over the index space `to`, to which x broadcasts.  They are x's own cells if the shapes are equal.
 */
const union cell *adjoint_expand(const struct tensor *x, const struct shape *to, struct arena *a);
/* Makes a zeroed contribution[k] with the type of operand k. */
union cell *adjoint_open(const struct adjoint_call *call, int k, struct tensor *contribution);
/* Rounds sums that were formed in binary64 to the dtype, once. */
void adjoint_round(struct tensor *x);

/* A row-major walk over `shape`, while `offset` follows an affine map into another array: a view with any strides. */
struct cell_walk {
	struct shape shape;
	int step[LIMIT_RANK], index[LIMIT_RANK];
	int offset;
};

static inline void cell_walk_next(struct cell_walk *w)
{
	for (int d = w->shape.rank - 1; d >= 0; d--) {
		w->offset += w->step[d];
		if (++w->index[d] < w->shape.extent[d])
			return;
		w->offset -= w->step[d] * w->shape.extent[d];
		w->index[d] = 0;
	}
}

/* The view of shape `size` of an array of shape `whole`.  Its element k is at start + k*stride; NULL: 0 and 1. */
struct cell_walk cell_walk_window(
    const struct shape *whole, const struct shape *size, const int *start, const int *stride);
void cell_walk_take(const union cell *from, struct cell_walk w, union cell *out); /* out[k] = from[w(k)] */
void cell_walk_put(union cell *into, struct cell_walk w, const union cell *x);    /* into[w(k)] = x[k] */
void cell_walk_add(union cell *into, struct cell_walk w, const union cell *x);    /* into[w(k)] += x[k], not rounded */
void cell_walk_zero(union cell *into, struct cell_walk w);                        /* into[w(k)] = 0 */

#endif

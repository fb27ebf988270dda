/*
 * adjoint.h: what `tape` and `functional` share: one op pulled back by its row of the adjoint table, and the sums
 * of contributions.  The rows are adjoint_rules.def; the structures it names are declared below.
 */
#ifndef ENGINES_ADJOINT_H
#define ENGINES_ADJOINT_H

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
adjoint_fn adjoint_none;        /* locally constant: the result never depends on an operand */
adjoint_fn adjoint_region;      /* marks region ops, which the engines differentiate themselves */

/* What the right table has for `op`. */
adjoint_fn *adjoint_structure(enum op op);

/* Whether a float result of `op` depends on its float operands at all. */
bool adjoint_flows(const struct adjoint_rules *rules, enum op op);

/* Why an engine with these rules cannot answer c, in the arena; NULL when it can. */
const char *adjoint_refuse(
    const struct adjoint_rules *rules, const char *engine, const struct testcase *c, struct arena *a);

/*
 * Pulls the result's cotangent back to the wanted operands of a node without regions: contribution[node->n_arg] as
 * rules.h says, each a buffer of its own.
 */
void adjoint_pull(const struct adjoint_rules *rules, const struct node *node, const struct tensor *const arg[],
    const struct tensor *out, const struct tensor *cotangent, const bool wanted[], struct tensor *contribution,
    struct arena *a);

/*
 * Adds a contribution of type t to *adjoint, which takes it over when it is still absent (NULL): it must be a
 * buffer nobody else uses.
 */
void adjoint_add(
    const struct adjoint_rules *rules, const struct type *t, union cell **adjoint, union cell *contribution);
/* The same for the contribution of an op, which joins as its row says, or else as all do. */
void adjoint_join(const struct adjoint_rules *rules, enum op op, const struct type *t, union cell **adjoint,
    union cell *contribution);
/* The same for row `row` along the leading axis: the adjoint has type t, the contribution the rest of its shape; it
 * is copied. */
void adjoint_add_row(const struct adjoint_rules *rules, const struct type *t, union cell **adjoint, int row,
    const union cell *contribution, struct arena *a);

/* ---- for the structures ---- */

/* Gives contribution[k] from cells in the result's shape (kept): unbroadcast where the operand is smaller. */
void adjoint_deliver(const struct adjoint_call *call, int k, const struct shape *shape, union cell *full,
    struct tensor *contribution);
/* The elements of x over the index space `to`, which x broadcasts to; x's own cells when the shapes are equal. */
const union cell *adjoint_expand(const struct tensor *x, const struct shape *to, struct arena *a);
/* A zeroed contribution[k] of the type of operand k. */
union cell *adjoint_open(const struct adjoint_call *call, int k, struct tensor *contribution);
/* Rounds sums that were formed in binary64 to the dtype, once. */
void adjoint_round(struct tensor *x);

/* Row-major walk over `shape` while `offset` follows an affine map into another array: a view with any strides. */
struct walk {
	struct shape shape;
	int step[LIMIT_RANK], index[LIMIT_RANK];
	int offset;
};

static inline void walk_next(struct walk *w)
{
	for (int d = w->shape.rank - 1; d >= 0; d--) {
		w->offset += w->step[d];
		if (++w->index[d] < w->shape.extent[d])
			return;
		w->offset -= w->step[d] * w->shape.extent[d];
		w->index[d] = 0;
	}
}

/* The view of shape `size` of an array of shape `whole` whose element k is at start + k*stride; NULL: 0 and 1. */
struct walk walk_window(const struct shape *whole, const struct shape *size, const int *start, const int *stride);
void walk_take(const union cell *from, struct walk w, union cell *out); /* out[k] = from[w(k)] */
void walk_put(union cell *into, struct walk w, const union cell *x);    /* into[w(k)] = x[k] */
void walk_add(union cell *into, struct walk w, const union cell *x);    /* into[w(k)] += x[k], not rounded */
void walk_zero(union cell *into, struct walk w);                        /* into[w(k)] = 0 */

#endif

/* internal.h: rebuilds a program through the builder, with one edit on the way.  Mutator and cross-over share it. */
#ifndef FUZZ_MUTATE_INTERNAL_H
#define FUZZ_MUTATE_INTERNAL_H

#include "fuzz/generate/generator.h"

enum edit_outcome {
	EDIT_REFUSED, /* nothing to edit here: the mutation fails */
	EDIT_CHANGED, /* the node was changed; the caller appends it */
	EDIT_DONE     /* the edit has mapped the node's results itself */
};

struct rebuild;
/* Edits one node.  n: a copy of `old` with mapped operands, which may be changed; n->arg has room for LIMIT_ARGS. */
typedef enum edit_outcome edit_fn(struct rebuild *r, const struct node *old, struct node *n);

/*
 * A program that is being rebuilt.  Types are inferred anew.  An operand that no longer fits its op is converted to its
 * old type, and a value that enters or leaves a region keeps its type.  So most edits give a valid program.
 */
struct rebuild {
	struct gen *g;
	const struct program *p;
	int *map;                      /* [p->n_value] new values, -1: none yet */
	enum dtype dtype[DTYPE_COUNT]; /* what each dtype becomes */
	int at;                        /* the node to edit, in order of appearance; -1: none */
	int next;
	edit_fn *edit;
	int outer; /* values of the pool below this index are outside the innermost region */
};

void rebuild_begin(struct rebuild *r, struct gen *g, const struct program *p);
/* The type that value `old` of r->p should get. */
struct type rebuild_type(const struct rebuild *r, int old);
/* The literal with its dtype mapped, in the arena. */
struct tensor rebuild_tensor(const struct rebuild *r, const struct tensor *t);
/* Rebuilds all nodes of a region, whose parameters must be mapped.  False: something does not fit. */
bool rebuild_nodes(struct rebuild *r, const struct region *region);
/* Appends `n` (operands mapped, regions old) and maps the results of `old` to those of n. */
bool rebuild_append(struct rebuild *r, const struct node *old, struct node *n);

struct mutator {
	struct choice *c;
	const struct profile *p;
	struct arena *a;
	struct testcase t; /* a copy to be changed */
};

typedef bool mutation_fn(struct mutator *m);

/* Program mutations (program.c); each fits the request to the new results. */
mutation_fn mutate_operand, mutate_outer_operand, mutate_op, mutate_insert, mutate_emit, mutate_delete, mutate_attr,
    mutate_constant, mutate_wrap_for, mutate_wrap_cond, mutate_dtype, mutate_result;
/* Points and request (points.c) */
mutation_fn mutate_point_special, mutate_point_equal, mutate_point_nudge, mutate_point_new, mutate_add_point,
    mutate_drop_point, mutate_wrt, mutate_seed, mutate_kind, mutate_level, mutate_variant;

/* Makes seeds of every level and points fit the program and the request; those that still fit stay.  False: a level
 * does not apply. */
bool request_follow(struct choice *c, const struct profile *p, struct testcase *t, struct arena *a);

#endif

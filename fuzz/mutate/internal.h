/* internal.h: rebuilding a program through the builder with one edit on the way; what mutator and cross-over share. */
#ifndef FUZZ_MUTATE_INTERNAL_H
#define FUZZ_MUTATE_INTERNAL_H

#include "fuzz/generate/generator.h"

enum edit_outcome {
	EDIT_REFUSED, /* nothing to edit here: the mutation has failed */
	EDIT_CHANGED, /* the node was changed and is to be appended */
	EDIT_DONE     /* the edit has mapped the node's results itself */
};

struct rebuild;
/* `old` with operands mapped in `n`, a copy that may be changed; n->arg has room for LIMIT_ARGS. */
typedef enum edit_outcome edit_fn(struct rebuild *r, const struct node *old, struct node *n);

/*
 * A program on its way through the builder.  Types are inferred anew; an operand that no longer fits its op is
 * converted to the type it had, and what enters or leaves a region keeps its type, so that most edits lead to a valid
 * program.
 */
struct rebuild {
	struct gen *g;
	const struct program *p;
	int *map;                      /* [p->n_value] new values, -1: none yet */
	enum dtype dtype[DTYPE_COUNT]; /* what each dtype becomes */
	int at;                        /* the node to edit, counted in order of appearance; -1: none */
	int next;
	edit_fn *edit;
	int outer; /* pool below it is outside the innermost region */
};

void rebuild_begin(struct rebuild *r, struct gen *g, const struct program *p);
/* The type that value `old` of r->p should get. */
struct type rebuild_type(const struct rebuild *r, int old);
/* Literal with its dtype mapped, in the arena. */
struct tensor rebuild_tensor(const struct rebuild *r, const struct tensor *t);
/* All nodes of a region; its parameters must be mapped.  False when something does not fit. */
bool rebuild_nodes(struct rebuild *r, const struct region *region);
/* Appends `n` (mapped operands; regions are old ones) and maps the results of `old` to its own. */
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
    mutate_drop_point, mutate_wrt, mutate_seed, mutate_kind, mutate_level;

/* Seeds of every level and points follow the program and the request; those that still fit stay.  False: a level does
 * not apply. */
bool request_follow(struct choice *c, const struct profile *p, struct testcase *t, struct arena *a);

#endif

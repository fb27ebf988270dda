/* edit.h: what the passes of the minimizer share.  A candidate is a deep copy of the case, edited in place, then
 * finished. */
#ifndef FUZZ_EDIT_EDIT_H
#define FUZZ_EDIT_EDIT_H

#include "graph/loop.h"
#include "graph/testcase.h"
#include "graph/walk.h"

struct engine;

struct edit {
	struct testcase c; /* a copy: may be edited freely, types and numbering are put right by edit_finish */
	struct arena *arena;
	/* A node whose operands no longer fit it is replaced by an operand.  For edits that change many shapes at once.
	 */
	bool lenient;
	struct engine *primal; /* evaluates programs at the point; NULL: none could be opened */
};

/* Of edit number k (0, 1, ...) of a list: there are no more; this one does not apply here; it was made. */
enum edit_result { EDIT_END, EDIT_SKIP, EDIT_TRY };

/* A node and where it is.  Sites are numbered in pre-order: a node before the nodes of its regions. */
struct site {
	struct region *region;
	int index;
	struct node *node;
	bool top; /* the region is the program's */
};

/* Goes on to the next site of a walk over the program of e, which is not edited meanwhile; false after the last. */
bool edit_next(struct edit *e, struct walk *w, struct site *out);
bool edit_site(struct edit *e, int k, struct site *out);
/* The k-th site from the end. */
bool edit_site_last(struct edit *e, int k, struct site *out);

static inline const struct type *edit_type(const struct edit *e, int value) { return &e->c.program.type[value]; }

/*
 * Up to `max` values that the node at s may use, of that type (NULL: of any): parameters, those of the innermost region
 * first, inputs last, then results of earlier nodes, the nearest first, but no constants.  Returns how many.
 */
int edit_scope(struct edit *e, const struct site *s, const struct type *type, int *out, int max);
/* The n-th input of that type, or -1. */
int edit_input_of_type(const struct edit *e, const struct type *t, int n);

/* All uses of `from` become uses of `to`. */
void edit_replace(struct edit *e, int from, int to);
void edit_remove_node(struct region *r, int index);
/* The node is copied; its operands and regions are not. */
void edit_insert_node(struct edit *e, struct region *r, int index, const struct node *n);
/* `n` new consecutive values of these types; returns the first. */
int edit_new_values(struct edit *e, const struct type *type, int n);
/* Inserts a constant with every element x (rounded to the type) before node `index` of r; returns its value. */
int edit_insert_fill(struct edit *e, struct region *r, int index, const struct type *type, double x);
int edit_insert_constant(struct edit *e, struct region *r, int index, const struct tensor *value);
/* Inserts a node of two operands before node `index` of r; returns its value, of that type. */
int edit_insert_binary(
    struct edit *e, struct region *r, int index, enum op op, int left, int right, const struct type *type);
/* Appends a node of one result, whose type is inferred, to r; returns its value, or -1 where the operands do not fit.
 * attrs: NULL where it has none. */
int edit_append(struct edit *e, struct region *r, enum op op, const int *arg, int n_arg, const struct attrs *attrs);

/* Removes one of a list of `*n` items of `size` bytes. */
void edit_remove_item(void *list, int *n, size_t size, int which);
void edit_remove_param(struct edit *e, struct region *r, int which);
void edit_remove_out(struct edit *e, struct node *n, int which);
void edit_remove_result(struct region *r, int which);

/* Appends an input that has this value at every point, differentiated (with a unit tangent) when `wrt`; returns it. */
int edit_add_input(struct edit *e, const struct tensor *value, bool wrt);

/*
 * Whether some loop plainly never begins: no case without one is minimized to such, for what an engine gets wrong there
 * has nothing to do with what is in a loop, or with how it is repeated.
 */
bool edit_idles(const struct program *p);
/*
 * Puts a region in place of its op: branch `which` of a cond; one iteration of a loop, from the initial carries (0) or,
 * where they fit, from inputs (1); a checkpoint's or the function of a custom (0); what scatter_apply applies, to all
 * of its operand (0) or, of an input, to one element (1).  Values that nodes of the region define keep their numbers.
 * False: s has no such region.
 */
bool edit_hoist(struct edit *e, const struct site *s, int which);
/* The region of a cond in which `value` is defined, at any depth; 0 for loops. */
int edit_branch_of(const struct node *n, int value);

double edit_round(enum dtype d, double x, union cell *out);
void edit_fill(struct tensor *t, double x);

/* How far an op is from the plainest of its family, and the numbers of a case from ones that a person would write. */
int edit_op_weight(enum op op);
int64_t edit_number_cost(const struct edit *e);
/* What tells programs that are as simple apart: [*n], in the arena; the one that is smaller, lexicographically, comes
 * first. */
const int *edit_order_key(const struct edit *e, struct arena *a, int *n);
/* Ways to ask about the same program elsewhere: other points and seeds, perhaps of the first result plus an input. */
extern const int edit_variants;
void edit_vary(struct edit *e, int variant);

/*
 * Infers all types anew, makes stores whose buffer is in use elsewhere plain updates, converts points and seeds to the
 * types they must have, numbers values, drops dead nodes when `drop_dead`, and checks.  False: not a valid case.
 */
bool edit_finish(struct edit *e, bool drop_dead) MUST_CHECK;

#endif

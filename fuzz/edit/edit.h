/* edit.h: edits of a case.  An edit is a deep copy of the case, changed in place and then finished.  The minimizer, the
 * mutator and the experiments use it. */
#ifndef FUZZ_EDIT_EDIT_H
#define FUZZ_EDIT_EDIT_H

#include "graph/loop.h"
#include "graph/testcase.h"
#include "graph/walk.h"

struct engine;

struct edit {
	struct testcase c; /* a copy that may be edited freely; edit_finish makes types and numbering right */
	struct arena *arena;
	/* A node whose operands no longer fit is replaced by an operand.  For edits that change many shapes at once. */
	bool lenient;
	struct engine *primal; /* evaluates programs at the point; NULL: there is none */
};

/* Result of edit number k (0, 1, ...) of a list.  EDIT_END: there are no more edits.  EDIT_SKIP: this one does not
 * apply here.  EDIT_TRY: it was made. */
enum edit_result { EDIT_END, EDIT_SKIP, EDIT_TRY };

/* A node and where it is.  Sites are numbered in pre-order: a node before the nodes of its regions. */
struct site {
	struct region *region;
	int index;
	struct node *node;
	bool top; /* the region is the program's */
};

/* Goes on to the next site of a walk over the program of e.  The program must not be edited meanwhile.  False after the
 * last. */
bool edit_next(struct edit *e, struct walk *w, struct site *out);
bool edit_site(struct edit *e, int k, struct site *out);
/* The k-th site from the end. */
bool edit_site_last(struct edit *e, int k, struct site *out);

static inline const struct type *edit_type(const struct edit *e, int value) { return &e->c.program.type[value]; }

/*
 * Lists up to `max` values that the node at s may use, of that type (NULL: of any type).  First come parameters, those
 * of the innermost region first and inputs last.  Then come results of earlier nodes, the nearest first.  Constants are
 * left out.  Returns how many.
 */
int edit_scope(struct edit *e, const struct site *s, const struct type *type, int *out, int max);
/* The n-th input of that type, or -1. */
int edit_input_of_type(const struct edit *e, const struct type *t, int n);

/* Replaces all uses of `from` by `to`. */
void edit_replace(struct edit *e, int from, int to);
void edit_remove_node(struct region *r, int index);
/* The node is copied; its operands and regions are not. */
void edit_insert_node(struct edit *e, struct region *r, int index, const struct node *n);
/* Makes `n` new consecutive values of these types; returns the first. */
int edit_new_values(struct edit *e, const struct type *type, int n);
/* Inserts a constant with every element x (rounded to the type) before node `index` of r; returns its value. */
int edit_insert_fill(struct edit *e, struct region *r, int index, const struct type *type, double x);
int edit_insert_constant(struct edit *e, struct region *r, int index, const struct tensor *value);
/* Inserts a node of two operands before node `index` of r; returns its value, of that type. */
int edit_insert_binary(
    struct edit *e, struct region *r, int index, enum op op, int left, int right, const struct type *type);
/* Appends to r a node with one result, whose type is inferred.  Returns its value, or -1 if the operands do not fit.
 * attrs: NULL if it has none. */
int edit_append(struct edit *e, struct region *r, enum op op, const int *arg, int n_arg, const struct attrs *attrs);

/* Removes one of a list of `*n` items of `size` bytes. */
void edit_remove_item(void *list, int *n, size_t size, int which);
void edit_remove_param(struct edit *e, struct region *r, int which);
void edit_remove_out(struct edit *e, struct node *n, int which);
void edit_remove_result(struct region *r, int which);

/* Appends an input with this value at every point; returns it.  wrt: it is differentiated, with a unit tangent. */
int edit_add_input(struct edit *e, const struct tensor *value, bool wrt);

/* Transform `batch` is a batch: only its slice `which` is left, without the batch; or its first n slices. */
void edit_keep_slice(struct edit *e, int batch, int which);
void edit_keep_slices(struct edit *e, int batch, int n);

/*
 * Whether some loop plainly has no iterations.  The minimizer makes such a case only from one that has such a loop.  A
 * bug there has nothing to do with the body of the loop, or with repeating it.
 */
bool edit_idles(const struct program *p);
/*
 * Replaces an op by its region.  False: s has no such region.  Values defined in the region keep their numbers.
 * - cond: branch `which`.
 * - loop: one iteration, from the initial carries (0) or, where they fit, from inputs (1).
 * - checkpoint or custom: its region or function (0).
 * - scatter_apply: its region, applied to the whole operand (0) or, if that is an input, to one element (1).
 */
bool edit_hoist(struct edit *e, const struct site *s, int which);
/* The number of the branch of a cond in which `value` is defined, at any depth; 0 for loops. */
int edit_branch_of(const struct node *n, int value);

/* Calls `visit` on every type that is not inferred, those of inputs and constants; `visit_node` on every node. */
typedef void edit_type_fn(struct edit *e, struct type *t, int how);
typedef void edit_node_fn(struct edit *e, struct node *n, int how);
void edit_change_types(struct edit *e, edit_type_fn *visit, edit_node_fn *visit_node, int how);
/* Changes every extent `from`, of inputs, constants and attributes, to `to`. */
void edit_change_extent(struct edit *e, int from, int to);
/* Makes the loop at s run n times; false if that is not possible. */
bool edit_set_trip(struct edit *e, const struct site *s, int n);
/* Makes the loop at s run to its end: without its early exit, or as often as its trip count may be.  False: it does so
 * already. */
bool edit_run_out(struct edit *e, const struct site *s);
/* Two edits after which a loop computes the same.  Its integer and bool carries are floats between the iterations; or
 * a further carry counts the iterations, and the body reads it in place of their number.  False: there is none. */
bool edit_carry_floats(struct edit *e, const struct site *s);
bool edit_count_by_carry(struct edit *e, const struct site *s);
/* Gives the loop at s one more carry, which counts the iterations from 0; *counter: its value in the body.  The loop is
 * then the node behind s.  False: there is no room. */
bool edit_add_counter(struct edit *e, const struct site *s, int *counter);
/* Gives the scan at s one more per-iteration input, these rows; *row: its value in the body.  The scan is then the node
 * behind s.  False: s is none, or there is no room. */
bool edit_add_rows(struct edit *e, const struct site *s, const struct tensor *rows, int *row);

double edit_round(enum dtype d, double x, union cell *out);
void edit_fill(struct tensor *t, double x);

/* How far an op is from the plainest one of its family; how far the numbers of a case are from ones that a person would
 * write. */
int edit_op_weight(enum op op);
int64_t edit_number_cost(const struct edit *e);
/* A key that orders equally simple programs: [*n], in the arena.  The program whose key is smaller, lexicographically,
 * comes first. */
const int *edit_order_key(const struct edit *e, struct arena *a, int *n);
/* Variants of a case: the same program at other points and seeds, perhaps with an input added to the first result.  The
 * types of points and seeds must fit (edit_finish). */
extern const int edit_variants;
/* Whether that variant adds an input to the first result. */
bool edit_variant_adds(int variant);
void edit_vary(struct edit *e, int variant);

/*
 * Makes the edited case valid.  It infers all types anew, and turns a store whose buffer is used elsewhere into a plain
 * update.  It converts points and seeds to the types they must have, numbers the values, drops dead nodes if
 * `drop_dead`, and checks the case.  False: the case is not valid.
 */
bool edit_finish(struct edit *e, bool drop_dead) MUST_CHECK;

/* The case with all floats in one dtype, without expectations; NULL: it is no valid case. */
const struct testcase *edit_in_dtype(struct arena *a, const struct testcase *c, enum dtype d);

#endif

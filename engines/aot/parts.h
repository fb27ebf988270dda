/* parts.h: shared by the files of `aot`: the program that grows, and the rules that emit into it. */
#ifndef ENGINES_AOT_PARTS_H
#define ENGINES_AOT_PARTS_H

#include <setjmp.h>

#include "graph/loop.h"
#include "aot.h"
#include "nested.h"
#include "table.h"

/* The values of the derivative program that the forward pass saved for the reverse of a loop. */
struct aot_saved {
	int count; /* i64 scalar, the number of iterations that ran; -1: always the fixed trip count */
	/*
	 * Carry k at the start of iteration t is flattened in row t of stack[k], from column first[k] on. stack[k] -1:
	 * the body does not read it.  Carries share a stack if there is little room for results: one f64 stack for
	 * floats, one i64 stack for the others.
	 */
	int stack[LIMIT_ARGS], first[LIMIT_ARGS];
};

/*
 * The derivative program that grows.  Below, "value" is a value number of it, unless it indexes an array by value of p.
 */
struct aot {
	jmp_buf fail; /* the exit, with *error set, when the program cannot be built */
	struct error *error;
	struct arena *arena;
	struct builder b;
	const struct program *p; /* the program that is differentiated */
	bool *active;            /* [p->n_value] float, and depends on a wrt input through floats */
	int *map;                /* [p->n_value] the value that holds the primal in the region being emitted */
	int *dual;  /* [p->n_value] its tangent (jvp) or the cotangent so far (vjp); -1: absent, which is not zero */
	int n_node; /* nodes emitted so far */
	int above, below; /* levels that differentiate the derivative program again, and those that made p */
	const struct aot_rules *rules;
	bool lowering;           /* op derivative is being replaced */
	struct aot_saved *saved; /* [p->n_value] by the first result of a loop */
};

/* ---- emission (build.c); every function leaves by `fail` on an error ---- */

/* Something is larger than a limit allows; the text says which. */
_Noreturn void aot_too_large(struct aot *x, const char *text);
const struct type *aot_type(const struct aot *x, int value);
int aot_emit(struct aot *x, enum op op, const int *arg, int n_arg, const struct attrs *attrs);
int aot_emit_regions(struct aot *x, enum op op, const int *arg, int n_arg, const struct attrs *attrs);
static inline int aot_op1(struct aot *x, enum op op, int a) { return aot_emit(x, op, &a, 1, NULL); }
static inline int aot_op2(struct aot *x, enum op op, int a, int b) { return aot_emit(x, op, (int[]){a, b}, 2, NULL); }
static inline int aot_op3(struct aot *x, enum op op, int a, int b, int c)
{
	return aot_emit(x, op, (int[]){a, b, c}, 3, NULL);
}
int aot_cast(struct aot *x, int value, enum dtype d); /* the value itself when it has that dtype */
static inline int aot_wide(struct aot *x, int value) { return aot_cast(x, value, DTYPE_F64); }
int aot_scalar(struct aot *x, enum dtype d, double number);
int aot_full(struct aot *x, enum dtype d, double number, const struct shape *s);
int aot_zeros(struct aot *x, const struct type *t);
int aot_reshape(struct aot *x, int value, const struct shape *s);
int aot_broadcast(struct aot *x, int value, const struct shape *s);
int aot_transpose(struct aot *x, int value, const int *axes);
int aot_reverse(struct aot *x, int value, int axis);
/* The slice of `count` positions from `start` along one axis. */
int aot_slice(struct aot *x, int value, int axis, int start, int count);
/* Pads along one axis. */
int aot_pad(struct aot *x, int value, int axis, int low, int high, double number);
/* Sums over the axes along which a value of shape s was stretched: the adjoint of broadcasting. */
int aot_sum_to(struct aot *x, int value, const struct shape *s);
/*
 * derivative * partial, but 0 if the derivative is 0, whatever the partial: a strong zero.  If the program will be
 * differentiated again, the product is right for that too.  At a derivative of 0, its own derivative by that derivative
 * is still the partial.
 */
int aot_product(struct aot *x, int derivative, int partial);
/* The seams of batches (table.h) as a correct engine has them. */
int aot_guard(struct aot *x, int predicate, int value);
int aot_gather(struct batcher *b, const struct node *node);
static inline int aot_strong(struct aot *x, int derivative, int partial)
{
	return x->rules->product(x, derivative, partial);
}
/* aot_rows: axis `axis` first, the others flattened: [extent, others]. aot_unrows: back to shape s. */
int aot_rows(struct aot *x, int value, int axis);
int aot_unrows(struct aot *x, int rows, int axis, const struct shape *s);
struct shape aot_vector(int n);

/* ---- rules (rules.def) ---- */

aot_push_fn aot_push_partials, aot_push_linear, aot_push_scatter_mul, aot_push_scatter_extremum, aot_push_reduce_prod,
    aot_push_reduce_extremum, aot_push_logsumexp, aot_push_norm, aot_push_cumprod, aot_push_matmul, aot_push_sort;
aot_pull_fn aot_pull_partials, aot_pull_select, aot_pull_cast, aot_pull_broadcast_to, aot_pull_reshape,
    aot_pull_transpose, aot_pull_reverse, aot_pull_slice, aot_pull_slice_scatter, aot_pull_dynamic_slice,
    aot_pull_dynamic_update_slice, aot_pull_pad, aot_pull_concatenate, aot_pull_gather, aot_pull_take_along_axis,
    aot_pull_scatter_set, aot_pull_scatter_add, aot_pull_scatter_mul, aot_pull_scatter_extremum,
    aot_pull_masked_scatter, aot_pull_reduce_sum, aot_pull_reduce_mean, aot_pull_reduce_prod, aot_pull_reduce_extremum,
    aot_pull_logsumexp, aot_pull_norm, aot_pull_cumsum, aot_pull_cumprod, aot_pull_matmul, aot_pull_sort;
/* Heads of these functions. */
#define PULL(name) \
	void aot_pull_##name(struct aot *x, const struct node *node, const int *arg, int out, int cotangent, \
	    const bool *wanted, int *contribution)
#define PUSH(name) \
	int aot_push_##name(struct aot *x, const struct node *node, const int *arg, int out, const int *tangent)

/* ---- op custom (custom.c): its part of aot_activate, aot_push_region, aot_primal_saving and aot_pull_region ---- */

void aot_activate_custom(struct aot *x, const struct node *node);
void aot_push_custom(struct aot *x, const struct node *node);
void aot_save_custom(struct aot *x, const struct node *node);
void aot_pull_custom(struct aot *x, const struct node *node);

/* ---- programs (forward.c, jvp.c, vjp.c, loops.c) ---- */

/* Begins a program with the inputs of p, which are mapped.  Nothing is active. */
struct aot *aot_begin(const struct program *p, struct arena *a, struct error *e) MUST_CHECK;
/* Ends the program, unless it breaks a limit that program_check would name. */
bool aot_end(struct aot *x, const int *result, int n_result, struct program *out);
/* Length of lists with room for a primal and a derivative each, or for their types. */
enum { AOT_ROOM = 2 * LIMIT_ARGS + 1 };
/* Appends the values that hold value[n] of p to the list.  Returns its new length. */
int aot_add_primals(struct aot *x, int *list, int n_list, const int *value, int n);
/* Emits the nodes of a region and their tangents into the open region. */
void aot_push_region(struct aot *x, const struct region *region);

/* Emits the primal of one scatter_apply node. */
void aot_primal_apply(struct aot *x, const struct node *node);

/* Sets x->active of the values of a region from that of its parameters. */
void aot_activate(struct aot *x, const struct region *region);
/* False with an error when a region op without a rule occurs at any depth. */
bool aot_has_rules(const struct region *region, struct error *e) MUST_CHECK;
/* The shape of an operand of matmul as a matrix: a vector is a row on the left, a column on the right. */
struct shape aot_matrix(const struct shape *s, bool left);
/* value * factor, of its type; the value itself when the factor is 1. */
int aot_scaled(struct aot *x, int value, double factor);
/* Emits a partial from its text, in f64. wide[]: the operands in f64 (rules.c). */
int aot_partial(struct aot *x, const char *text, const int *wide, int n_arg);
/*
 * aot_derives: whether the node is a derivative to be replaced, with no other derivative inside. aot_derive_node emits
 * its results (nested.c).
 */
bool aot_derives(const struct node *node);
void aot_derive_node(struct aot *x, const struct node *node);
/* Emits the primal of a region's nodes into the open region.  The region's parameters are already mapped. */
void aot_primal(struct aot *x, const struct region *region);
/* Emits the primal of one node. */
void aot_primal_node(struct aot *x, const struct node *node);
void aot_show(struct aot *x, int first, const int *value, int n); /* map[first + k] = value[k] */

/* Like aot_primal, but each loop with active results saves what its reverse needs in x->saved. */
void aot_primal_saving(struct aot *x, const struct region *region);
void aot_save_loop(struct aot *x, const struct node *node);
/*
 * Adds a contribution to the cotangent of a value of p.  Does nothing if the value is not active or the contribution is
 * absent.
 */
void aot_give(struct aot *x, int v, int contribution);
/* Forgets the cotangents of a region's own values. */
void aot_clear(struct aot *x, const struct region *region);
/*
 * Pulls cotangents back through the nodes of a region. aot_primal_saving must have emitted its primal into the open
 * region.
 */
void aot_pull_region(struct aot *x, const struct region *region);
void aot_pull_loop(struct aot *x, const struct node *node);
void aot_pull_cond(struct aot *x, const struct node *node);
/* Drops dead nodes, and puts the others into an order that depends on the wiring alone.  In place, as program_number.
 */
void aot_order(struct program *p, struct arena *a);
/* dual[v], or zeros of its type. */
int aot_dual(struct aot *x, int v);

#endif

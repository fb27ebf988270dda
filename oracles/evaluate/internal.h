/* internal.h: what the files of the evaluator share. */
#ifndef ORACLES_EVALUATE_INTERNAL_H
#define ORACLES_EVALUATE_INTERNAL_H

#include "evaluate.h"

/* One run: the evaluation being filled, and the environment. */
struct evaluation_run {
	struct evaluation *ev;
	const struct program *p;
	struct arena *arena;
	struct elements *env; /* [n_value] */
};

/* ---- the trace (trace.c) ---- */

/* Appends a scalar and computes its value from the parents. */
int trace_scalar(struct evaluation *ev, enum op op, enum op kind, enum dtype d, const int *parent, int n);
/* Appends a leaf with the value x, which is exact at any precision used. */
int trace_leaf(struct evaluation *ev, enum dtype d, double x);
/* Appends a leaf with the value that set() gives its argument, rounded at the precision of that argument. */
int trace_leaf_real(struct evaluation *ev, enum dtype d, void (*set)(mpfr_ptr x));
int trace_leaf_integer(struct evaluation *ev, enum dtype d, int64_t i);
/* A scalar (op sort) with the value of parent[rank]. */
int trace_sorted(struct evaluation *ev, enum dtype d, const int *parent, int n, int rank);
/*
 * A scalar (op select) with the value of parent[0] that is uncertain: it may be any of its parents. because: the
 * scalar whose partials are uncertain, -1 for a choice of the program.
 */
int trace_uncertain(struct evaluation *ev, enum dtype d, const int *parent, int n, int because);
/* Scalar a, where rounding could change the choice between a and b. */
int trace_either(struct evaluation *ev, enum dtype d, int a, int b);
/* A choice among parents of equal value. Those of one group, a number above 0, are made alike. Only with ev->both. */
int trace_together(struct evaluation *ev, enum dtype d, const int *parent, int n, int group);
/*
 * A scalar (op fixed_point) with the value of scalar `from`. A correct engine is within `radius` of it; infinity:
 * nothing is known. The parent (-1: none) is another way to the same value, and the scalar moves with it. The new
 * scalar may take the place of `from` itself.
 */
int trace_fixed_point(struct evaluation *ev, enum dtype d, int from, int parent, double radius);
/* Notes a decision on the path. */
void trace_event(struct evaluation *ev, int64_t decision);
/* Whether every correct engine orders scalars a and b alike; b < 0: a and `bound`. */
bool trace_separated(const struct evaluation *ev, int a, int b, double bound);
/* How far scalar k may be from its exact value in a correct engine. */
double trace_radius(const struct evaluation *ev, int k);
/* The larger (sign > 0) or smaller of a and b. Notes its events. */
int trace_extremum(struct evaluation *ev, enum op kind, enum dtype d, int sign, int a, int b);
/*
 * The same over n scalars. For n = 1 it is the parent itself, except a NaN: an engine that compares each element with
 * the extremum finds no equal one, so its derivative is not defined.
 */
int trace_extremum_of(struct evaluation *ev, enum op kind, enum dtype d, int sign, const int *parent, int n);

/* Whether nothing moves scalar k: it is a constant of the program, or an input that is not differentiated. */
bool trace_is_still(const struct evaluation *ev, int k);
/* Notes a decision about scalars a and b (-1: none) that was taken at exact equality if `equal`. */
void trace_edge(struct evaluation *ev, bool equal, int a, int b);

/* Notes a path that a mask cuts (struct masked_path). */
void trace_masked(struct evaluation *ev, int from, int to);

/*
 * Appends the scalars from `first` on `times` times more. Their parents from `inner` on, and the masked paths from
 * masked[] number first_masked on, move along. Scalars inner ... first - 1 are equal to the last ones of the trace,
 * which take their place in the first copy.
 */
void trace_repeat(struct evaluation *ev, int inner, int first, int first_masked, int times);

/* A place in the trace, and the path so far. */
struct trace_mark {
	int n_scalar, n_parent;
	uint64_t path;
	int64_t n_event;
	bool edge;
};
struct trace_mark trace_mark(const struct evaluation *ev);
/* Takes back the decisions since then, or the scalars as well. */
void trace_forget_events(struct evaluation *ev, const struct trace_mark *m);
void trace_take_back(struct evaluation *ev, const struct trace_mark *m);

/* ---- elements of values (elements.c) ---- */

struct elements elements_new(struct evaluation_run *r, int n, bool shaky);
static inline bool element_shaky(const struct elements *e, int k) { return e->shaky && e->shaky[k]; }
/* to[k] = from[j], shakiness included. */
void element_copy(struct evaluation_run *r, struct elements *to, int n_to, int k, const struct elements *from, int j);
/* to[k] = zero of the dtype. */
void element_zero(struct evaluation_run *r, struct elements *to, enum dtype d, int k);
/* Marks an integer or bool element shaky; n: elements of `to`. */
void element_set_shaky(struct evaluation_run *r, struct elements *to, int n, int k);

/* The axis `axis` of a shape as outer x n x inner. */
struct axis_split {
	int outer, n, inner;
};
struct axis_split evaluate_axis_view(const struct shape *s, int axis);

/* ---- families ---- */

void evaluate_node(struct evaluation_run *r, const struct node *node);

/* Control flow (control.c). */
void evaluate_cond(struct evaluation_run *r, const struct node *node);
void evaluate_checkpoint(struct evaluation_run *r, const struct node *node);
void evaluate_scatter_apply(struct evaluation_run *r, const struct node *node);
void evaluate_for(struct evaluation_run *r, const struct node *node);
void evaluate_while(struct evaluation_run *r, const struct node *node);
void evaluate_scan(struct evaluation_run *r, const struct node *node);
/* The integer or bool scalar `value`, on which control flow depends. */
int64_t evaluate_decide(struct evaluation_run *r, const struct elements *value);

/* Elementwise families, cast and select (elementwise.c). */
void evaluate_elementwise(struct evaluation_run *r, const struct node *node);
/* Moves, indexing and scatters (index.c). */
void evaluate_move(struct evaluation_run *r, const struct node *node);
/* The position on an axis of extent n that indices[k] means, -1 if dropped. It is a decision of the path. */
int evaluate_index(struct evaluation_run *r, const struct elements *indices, int k, enum index_mode mode, int n);
/* Reductions, cumulative ops and matmul (reduce.c). */
void evaluate_reduce(struct evaluation_run *r, const struct node *node);

/* Op derivative (nested.c). */
void evaluate_derivative(struct evaluation_run *r, const struct node *node);
/* Op custom (custom.c). */
void evaluate_custom(struct evaluation_run *r, const struct node *node);
/* Evaluates the nodes of a region whose parameters are bound (evaluate.c). */
void evaluate_region(struct evaluation_run *r, const struct region *region);

/* Iota, sort, argsort and argmax (order.c). */
void evaluate_order(struct evaluation_run *r, const struct node *node);

/* Fixed points (fixed_point.c). */
void evaluate_fixed_point(struct evaluation_run *r, const struct node *node);
/*
 * Element number i of a random direction: between 1/2 and 1 in size, of either sign, no two alike. A symmetric program
 * has modes in which all elements move alike or against each other. The direction must excite all of them.
 */
double evaluate_part(int i, uint32_t stream);

/* Elements of the floats among n values of the program (nested.c). */
int evaluate_count_floats(const struct evaluation_run *r, const int *value, int n);

#endif

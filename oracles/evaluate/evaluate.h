/*
 * evaluate.h: the program in MPFR, as a trace of scalar operations along the executed path.
 *
 * Both oracles start from here and it knows no derivative.  Moves (reshape, gather, slice, select, loops ...) cost
 * nothing: they copy the number of a scalar.  Real arithmetic is meant: no rounding to a dtype happens, a cast between
 * floats is the identity.
 */
#ifndef ORACLES_EVALUATE_EVALUATE_H
#define ORACLES_EVALUATE_EVALUATE_H

#include <mpfr.h>

#include "graph/testcase.h"

/*
 * What a scalar belongs to: the program, a formula for a partial derivative, a tangent or adjoint, or the parameters of
 * a derivative inside the program.
 */
enum trace_part { TRACE_PROGRAM, TRACE_FORMULA, TRACE_FLOW, TRACE_PARAMETER };

/*
 * One scalar float of the executed path.  Ops are those of ops.def, elementwise, and n-ary over their parents:
 * reduce_sum, reduce_mean, reduce_max, reduce_min, norm, logsumexp, and matmul (parents a0 b0 a1 b1 ...: a dot
 * product). cumprod has two parents: one factor of a product whose grouping an engine may choose (reduce_prod, cumprod,
 * scatter_mul). sort: its parents are elements that a right engine may order otherwise or that are tied, in the order
 * of their exact values; its value is that of parent number `rank`. fixed_point: a solution of that op, at its exact
 * value; its parent, if it has one, is a body evaluated there. constant: a leaf (inputs too).  stop_gradient: a leaf
 * with the value of its operand.
 */
struct scalar {
	enum op op;
	enum op
	    kind; /* the op of the program this belongs to: clamp for the max and min it consists of, scatter_max ... */
	enum dtype dtype;
	bool exact; /* the value was computed without rounding */
	enum trace_part part;
	bool derived;         /* a tangent or adjoint, or computed from one by trace_derive */
	int rank;             /* of op sort */
	int n_parent, parent; /* parents are evaluation.parent[parent ... ] */
};

/* One element of a value during evaluation. */
union element {
	int scalar; /* float dtypes: index into evaluation.scalar */
	int64_t i;  /* integers and bool */
};

/* Elements of one value: [shape_elements]. */
struct elements {
	union element *at;
	uint8_t *shaky; /* NULL or [n]: the integer or bool may differ in a right engine (rounding) */
};

enum evaluate_status {
	EVALUATE_OK,
	EVALUATE_SHAKY, /* control flow or an index depended on a shaky predicate: the path is not certain */
	EVALUATE_LIMIT  /* a derivative inside the program would make the trace too long: results mean nothing */
};

struct evaluation;
struct oracle_rules;

/* Scalars that may be spent on finding solutions, over a whole evaluation; four elements of any value count as one
 * more. */
enum { EVALUATE_PATIENCE = 1 << 20 };

/* What the analytic oracle adds while the trace grows; all may be NULL. */
struct evaluate_hooks {
	void *self;
	/* Scalar `k` was just appended: its value and parents are final. */
	void (*scalar)(void *self, struct evaluation *ev, int k);
	/* Whether every right engine orders scalars a and b as their exact values do (b < 0: scalar a against `bound`).
	 */
	bool (*separated)(void *self, const struct evaluation *ev, int a, int b, double bound);
	/*
	 * Scalar `k` (op select), just appended and announced, stands for a choice that rounding could change (a select
	 * on a shaky predicate, a cast of a shaky integer): it may be any of its parents, or (one parent) another
	 * constant.  because >= 0: it is a tangent or adjoint over an edge of scalar `because`, for which `unsure`
	 * holds.
	 */
	void (*uncertain)(void *self, struct evaluation *ev, int k, int because);
	/* Scalar `k` (op fixed_point), just appended and announced, is within `radius` of its value in a right engine;
	 * not finite: it is unknown. */
	void (*settled)(void *self, int k, double radius);
	/* Whether the partials of scalar k are a matter of convention (a tie) or not known. */
	bool (*unsure)(void *self, const struct evaluation *ev, int k);
	/* How far from its exact value scalar k may be in a right engine; infinity when nothing is known of it. */
	double (*radius)(void *self, int k);
};

/*
 * Reusable between cases: evaluation_open once, evaluate many times, evaluation_close.  MPFR values come from a pool
 * that grows and is never given back before close.
 */
struct evaluation {
	const struct oracle_rules *rules;
	const struct dtype_info *
	    dtype; /* [DTYPE_COUNT] by which values are rounded: dtype_table unless set otherwise (rounding_flushing) */
	const struct op_accuracy
	    *accuracy; /* [OP_COUNT] of an engine whose functions are worse than usual (oracle_accuracy); NULL */
	mpfr_prec_t precision; /* bits; set before evaluate */
	/*
	 * Fixed points of meaning `solution` as an engine iterates (only with hooks; set before evaluate): each takes
	 * `late` steps more than the fewest after which an engine may stop, and not more than the most.
	 */
	bool unrolled;
	int late;
	struct evaluate_hooks hooks;

	int n_scalar, scalar_room;
	struct scalar *scalar;
	mpfr_t *value; /* [n_scalar] */
	int *parent;
	int n_parent, parent_room;
	enum trace_part part; /* set by trace_derive; TRACE_PROGRAM otherwise */

	/*
	 * Path: a hash over every decision that was consumed (branch, trip count, index, select per element, order of
	 * max/min/clamp, sign of abs, integer of floor/round/cast, side of a branch cut), and their number.
	 */
	uint64_t path;
	int64_t n_event;
	bool edge; /* some decision was taken at exact equality (a tie, an integer argument of floor, ...) */

	/* An element that scatter_mul leaves as it was is one that it multiplies by 1 (set before evaluate). */
	bool times_one;

	/* Values of stop_gradient per dynamic instance: recorded when `freeze` is false, replayed when true. */
	bool freeze;
	int n_frozen, frozen_room, next_frozen, frozen_ready;
	mpfr_t *frozen;

	enum evaluate_status status;
	bool rule_broken; /* with hooks: the rule of some custom is not the derivative of its function at the point */
	int64_t patience; /* left, of EVALUATE_PATIENCE */
	bool quiet;       /* internal: no hook hears of what is evaluated now */
	int latest;       /* of all those fixed points, the most steps less the fewest */
	/* 2^this is how far the elements of solutions may be from them, what iteration is left included; INT_MIN: there
	 * are none. */
	int residual_exponent;
	int n_result;
	struct elements *result; /* [n_result], elements of the program's results */
	int *input_scalar;       /* [n_input] first scalar of each float input (elements are consecutive), else -1 */
	struct arena *arena;     /* of the case */
	int pool_ready;          /* internal: mpfr values initialised so far */
};

/* The rules must stay. */
void evaluation_open(struct evaluation *ev, const struct oracle_rules *rules);
void evaluation_close(struct evaluation *ev);

/* A step away from a point: sign * 2^step * direction; direction[n_input] has the types of the inputs; zeros do not
 * move. */
struct move {
	const struct tensor *direction;
	int sign, step;
};

/*
 * Evaluates p at point[n_input] plus n moves of its float inputs.  Working memory from the arena.  Sets status,
 * results, path, edge. The exponent range of MPFR must have been narrowed by mp_setup (scalar_ops.h).
 */
void evaluate_moved(struct evaluation *ev, const struct program *p, const struct tensor *point, const struct move *move,
    int n, struct arena *a);

/* The same with one move, or none: direction NULL. */
void evaluate(struct evaluation *ev, const struct program *p, const struct tensor *point,
    const struct tensor *direction, int sign, int step, struct arena *a);

#endif

/*
 * evaluate.h: the program in MPFR, as a trace of scalar operations along the executed path.
 *
 * Both oracles start here. Plain evaluation uses no derivative. But op derivative (nested.c) and the check of custom
 * rules (custom_check.c) use the rules of trace_derive.def, so both oracles share those rules.
 *
 * Moves (reshape, gather, slice, select, loops ...) cost nothing: they copy the number of a scalar. Values are exact
 * reals: nothing is rounded to a dtype, and a cast between floats is the identity.
 */
#ifndef ORACLES_EVALUATE_EVALUATE_H
#define ORACLES_EVALUATE_EVALUATE_H

#include <mpfr.h>

#include "graph/testcase.h"
#include "starts.h"
#include "work.h"

/*
 * The part of the trace to which a scalar belongs. It is the program, a formula for a partial derivative, a tangent or
 * adjoint, or the parameters of a derivative inside the program.
 */
enum trace_part { TRACE_PROGRAM, TRACE_FORMULA, TRACE_FLOW, TRACE_PARAMETER };

/*
 * One scalar float of the executed path. Its op is one of ops.def, elementwise, or one of these over n parents:
 *
 * - reduce_sum, reduce_mean, reduce_max, reduce_min, norm, logsumexp;
 * - matmul: a dot product of the parents a0 b0 a1 b1 ...;
 * - cumprod: two parents; one factor of a product whose grouping an engine may choose (reduce_prod, cumprod,
 *   scatter_mul);
 * - sort: the parents are tied elements, or elements that a correct engine may order otherwise, in the order of their
 *   exact values. The value is that of parent number `rank`;
 * - fixed_point: a solution of that op, at its exact value; the parent, if any, is a body evaluated there;
 * - constant: a leaf, also for inputs;
 * - stop_gradient: a leaf with the value of its operand.
 */
struct scalar {
	enum op op;
	enum op kind; /* the program's op that this scalar belongs to, such as clamp for its max and its min */
	enum dtype dtype;
	bool exact; /* the value was computed without any rounding */
	enum trace_part part;
	bool quiet;   /* no hook was called for it */
	bool derived; /* a tangent or adjoint, or computed from a derived scalar by trace_derive or a rule */
	bool moves;   /* a move of the inputs may change its value, however short it is (trace_edge) */
	int rank;     /* of op sort */
	int group;    /* of op select: above 0, selects with this number choose alike */
	/* How many scatter_mul have it in their operand and no update for it. With times_one, such an element is a
	 * product by 1 instead. */
	int left_alone;
	uint8_t derivations;  /* of op div: how many times a quotient was differentiated to get here */
	bool divided;         /* of op cumprod: the whole product of an op, and an operand of a later scatter_mul */
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
	uint8_t *shaky; /* NULL or [n]: rounding may change the integer or bool in a correct engine */
};

/*
 * A path that the trace does not have, because a mask cuts it. An engine's derivative of scalar `to` may contain that
 * of scalar `from` times 0. Either `from` is in the branch that a select did not take, or both belong to one derivative
 * inside the program.
 */
struct masked_path {
	int from, to;
};

enum evaluate_status {
	EVALUATE_OK,
	EVALUATE_BRANCH, /* only the branch of a cond depended on a shaky predicate */
	EVALUATE_SHAKY,  /* control flow or an index depended on a shaky predicate, so the path is uncertain */
	EVALUATE_LIMIT   /* a derivative inside the program would make the trace too long; the results mean nothing */
};

/* What a derivation chooses at exact ties while no hook is asked: for abs +1, -1, 0. */
enum tie_choice { TIE_FIRST, TIE_LAST, TIE_EVEN, TIE_CHOICES };

struct evaluation;
struct computed;
struct iteration_end;
struct oracle_rules;

/* The most scalars that one evaluation may spend on finding solutions. Four elements of any value count as one more
 * scalar. */
enum { EVALUATE_PATIENCE = 1 << 20 };

/* So many customs with an untrusted rule are listed. */
enum { EVALUATE_BROKEN = 8 };

/*
 * The rule of an op custom, in one direction. All of it are quiet scalars. The function's own ones are those from begin
 * to end - 1, its operands and the direction stand before them. Those of the rule are from end to rule - 1.
 */
struct rule_check {
	int first, begin, end, rule;
	int order; /* 1: `given` are results of the rule; n: derivatives of these of order n - 1 */
	int n_input, n_result;
	const int *input, *result; /* of the function: floats only */
	const int *direction;      /* tangents of input, or cotangents of result */
	bool adjoint;
	int n;                    /* n_result, or n_input for adjoint */
	const int *exact, *given; /* [n] the derivative in that direction, and what the rule gives; -1 is an exact 0 */
};

/* What the analytic oracle adds while the trace grows. Any of them may be NULL. */
struct evaluate_hooks {
	void *self;
	/* Scalar `k` was just appended: its value and parents are final. */
	void (*scalar)(void *self, struct evaluation *ev, int k);
	/* Whether every correct engine orders scalars a and b as their exact values are ordered. b < 0: scalar a
	 * and `bound`. */
	bool (*separated)(void *self, const struct evaluation *ev, int a, int b, double bound);
	/*
	 * Scalar `k` (op select) was just appended and announced. It stands for a choice that rounding could change: a
	 * select on a shaky predicate, or a cast of a shaky integer. It may be any of its parents; with one parent it
	 * may also be another constant. because >= 0: it is a tangent or adjoint over an edge of scalar `because`, for
	 * which `unsure` holds.
	 */
	void (*uncertain)(void *self, struct evaluation *ev, int k, int because);
	/* Scalar `k` (op fixed_point) was just appended and announced. A correct engine is within `radius` of its
	 * value; if the radius is not finite, the value is unknown. */
	void (*settled)(void *self, int k, double radius);
	/* Whether the partials of scalar k are unknown or a matter of convention (a tie). */
	bool (*unsure)(void *self, const struct evaluation *ev, int k);
	/* How far from its exact value scalar k may be in a correct engine; infinity if nothing is known. */
	double (*radius)(void *self, int k);
	/* Whether the n scalars from `a` on are known to be what those from `b` on are. */
	bool (*equal)(void *self, int a, int b, int n);
	/* Scalar `k` was just appended, in place of a call of scalar(): its op, its value and its parents are what
	 * those of scalar `from` are. */
	void (*copied)(void *self, int k, int from);
	/* The derivative of a function has radii, and an engine that uses a rule for it may be farther off. By how
	 * much, as a multiple of the magnitudes of the paths. Infinity if that is too much, or unknown. */
	double (*excess)(void *self, const struct rule_check *check);
};

/*
 * An evaluation, reusable between cases: evaluation_open once, evaluate many times, evaluation_close. MPFR values come
 * from a pool, which evaluation_trim makes smaller.
 */
struct evaluation {
	const struct oracle_rules *rules;
	const struct dtype_info
	    *dtype; /* [DTYPE_COUNT] the rounding of values: dtype_table unless set otherwise (rounding_flushing) */
	const struct op_accuracy
	    *accuracy; /* [OP_COUNT] for an engine whose functions are worse than usual (oracle_accuracy); else NULL */
	mpfr_prec_t precision; /* bits; set before evaluate */
	struct budget *work;   /* what the evaluation may cost; NULL: no limit */
	/*
	 * If set, fixed points of meaning `solution` are iterated as an engine does it. Only with hooks; set before
	 * evaluate. Each takes `late` steps more than the fewest after which an engine may stop, but at most the most.
	 */
	bool unrolled;
	int late;
	/*
	 * If set, everything that is set before evaluate, the program and the point are as in the last evaluation,
	 * except `unrolled` and `late`. The trace then begins as the last one. Scalars that both have are not computed
	 * again, and no hook is called for them.
	 */
	bool again;
	int known; /* internal: scalars below stand as they were, if all before them do */
	bool same; /* internal: all scalars so far do */
	struct iteration_end
	    *ending; /* internal: of the iterations as by an engine, in order of execution (fixed_point.c) */
	int n_ending, next_ending, ending_room;
	struct evaluate_hooks hooks;

	int n_scalar, scalar_room;
	struct scalar *scalar;
	mpfr_t *value; /* [n_scalar] */
	int *parent;
	int n_parent, parent_room;
	/* internal: of places whose values are kept (reuse.h), and the number of changes so far */
	struct computed *computed;
	int n_computed, computed_room;
	int64_t n_change;
	enum trace_part part; /* set by trace_derive; TRACE_PROGRAM otherwise */

	/*
	 * A hash over every decision on the path: branch, trip count, index, select per element, order of
	 * max/min/clamp, sign of abs, integer of floor/round/cast, side of a branch cut. n_event is their number.
	 */
	uint64_t path;
	int64_t n_event;
	/* Some decision was taken at exact equality (a tie, an integer argument of floor, ...), and a move of the
	 * inputs may change what was compared. */
	bool edge;

	struct masked_path *masked; /* [n_masked]; only with hooks */
	int n_masked, masked_room;

	/* The order of the request plus the depth of ops `derivative` in the program. Set before evaluate. */
	int order;
	bool nested; /* whether the program has ops derivative; set before evaluate */
	/* Whether scatter_mul multiplies an element by 1 if no update reaches it (set before evaluate). */
	bool times_one;
	/*
	 * How trace_derive writes the rest of a product: the other factors, or if this is set, y/x. The second loses
	 * more in the next order. Set before evaluate.
	 */
	bool quotients;
	uint8_t derivations; /* internal: of the next scalars of op div */
	int slices;          /* the case is one of so many slices of a batch; 0: of none. Set before evaluate. */
	/* The program's op of a product whose rest has both forms; OP_CONSTANT: there was none. */
	enum op product;

	/* Values of stop_gradient per dynamic instance: recorded when `freeze` is false, replayed when true. */
	bool freeze;
	int n_frozen, frozen_room, next_frozen, frozen_ready;
	mpfr_t *frozen;

	/*
	 * Where iterations start (starts.h); NULL: at the initial carries. from: at these solutions. across: at the
	 * other side of them. to: keeps those that are found. Set before evaluate.
	 */
	const struct starts *from, *across;
	struct starts *to;
	int n_solution; /* internal: fixed points solved so far, without those inside the search for another */

	enum evaluate_status status;
	double excess; /* internal: of the rule of the custom whose function is being evaluated (the hook) */
	/* With hooks: the customs whose rule is not the derivative of their function at the point. If n_broken is
	 * EVALUATE_BROKEN + 1, there are more, or a rule is not linear in its direction. */
	const struct node *broken[EVALUATE_BROKEN];
	int n_broken;
	bool unlisted;    /* if both: there is no choice for some execution of one (custom_ways.h) */
	int64_t patience; /* left, of EVALUATE_PATIENCE */
	bool quiet;       /* internal: no hook is called for scalars of this evaluation */
	/* A select or cond by a shaky predicate, and a custom with a broken rule, take both ways
	 * (analytic/alternatives.h). Set before evaluate. */
	bool both;
	const uint8_t *at_ties; /* internal: [OP_COUNT] enum tie_choice by kind, while quiet; NULL: the first of all */
	/* Over all fixed points iterated as by an engine: the most steps minus the fewest, as far as `late` lets see.
	 * More than `late` means that some did not take its most. */
	int latest;
	/* The elements of solutions are exact to 2^residual_exponent, remaining iterations included. INT_MIN: there
	 * are none. */
	int residual_exponent;
	int n_result;
	struct elements *result; /* [n_result], elements of the program's results */
	/* The case that is evaluated, whose request says which inputs move; NULL: any may. Set before evaluate. */
	const struct testcase *of;
	int n_input_scalar;   /* the scalars of the inputs come first */
	const uint8_t *still; /* [n_input_scalar] internal: the request does not differentiate this scalar */
	int *input_scalar;    /* [n_input] first scalar of each float input (elements are consecutive), else -1 */
	struct arena *arena;  /* of the case */
	int pool_ready;       /* internal: mpfr values initialised so far */
};

/* The rules must stay. */
void evaluation_open(struct evaluation *ev, const struct oracle_rules *rules);
void evaluation_close(struct evaluation *ev);
/*
 * Frees what a large case left over: values beyond `kept`.  Call it after a case.  An evaluation that every case uses
 * keeps EVALUATION_KEPT.  One that few cases use keeps EVALUATION_KEPT_RARE, or its pool would still grow after an
 * hour.  Few cases freeze values, so never more than that are kept.
 */
enum { EVALUATION_KEPT = 1 << 15, EVALUATION_KEPT_RARE = 1 << 8 };
void evaluation_trim(struct evaluation *ev, int kept);
/*
 * Makes `kept` values at once, each with room for `widest` bits.  Otherwise they would be made during large cases,
 * behind values that are freed afterwards, and hold the heap open there.  Call it after evaluation_open.
 */
void evaluation_fill(struct evaluation *ev, int kept, mpfr_prec_t widest);
/* Writes to all of the memory that evaluation_fill reserved, so that the system hands it out now.  No evaluation has
 * begun. */
void evaluation_touch(struct evaluation *ev);

/* A step away from a point: sign * 2^step * direction. direction[n_input] has the types of the inputs. An element
 * whose direction is 0 does not move. */
struct move {
	const struct tensor *direction;
	int sign, step;
};

/*
 * Evaluates p at point[n_input] plus n moves of its float inputs. Sets status, results, path and edge. Working memory
 * comes from the arena. Call mp_setup (scalar_ops.h) first, which narrows the exponent range of MPFR.
 */
void evaluate_moved(struct evaluation *ev, const struct program *p, const struct tensor *point, const struct move *move,
    int n, struct arena *a);

/* The same with one move, or with none (direction NULL). */
void evaluate(struct evaluation *ev, const struct program *p, const struct tensor *point,
    const struct tensor *direction, int sign, int step, struct arena *a);

#endif

/*
 * rules.h: the derivative rules of the built-in engines, as tables.  Each engine instance owns a copy (instance.h).  A
 * fault edits one row or seam of that copy.  No engine asks which fault is planted.
 *
 * "Correct:" says what a seam does in an engine without a fault.
 */
#ifndef ENGINES_BUILTIN_RULES_H
#define ENGINES_BUILTIN_RULES_H

#include "graph/program.h"
#include "graph/request.h"
#include "engines/kernels/expression.h"

enum { RULE_PARTIALS = 3 };

/* ---- the rule of a custom, in the engines that run it (custom.h) ---- */

/* Seams between an engine and the rule of a custom.  They count the operands and results of the node, float or not. */
struct custom_rules {
	/* The operand, of n, that the rule reads for operand k.  Correct: k. */
	int (*operand)(int k, int n);
	/*
	 * Whether the rule runs when `present` of the n float directions are present.  If not, all its results are
	 * absent.  Correct: if any is present.
	 */
	bool (*applies)(int present, int n);
	/*
	 * The direction, of n, that the rule reads for direction k.  Directions are tangents of operands, or cotangents
	 * of results.  Correct: k.
	 */
	int (*direction)(int k, int n);
	double absent; /* the elements of an absent direction, as the rule reads them; 0 */
	/* Whether an active operand k counts as active.  Correct: true. */
	bool (*active)(const struct program *p, const struct node *node, int k);
	/*
	 * The result of the rule, of n, that is taken for number k; wanted[n]: those that are requested.  Correct: k.
	 */
	int (*given)(int k, const bool *wanted, int n);
};
extern const struct custom_rules custom_right; /* custom.c */

/* ---- tangent rules: `forward` (tangent_rules.def, tangent.c) ---- */

/*
 * Tangents reach a rule PACKED: argnums[0 .. n_traced) are the positions of the traced operands, ascending, and tangent
 * i belongs to operand argnums[i].  These seams say how a rule reads the packing, term by term.
 */
struct packing {
	/* How many terms the rule reads.  Correct: n_traced. */
	int (*terms)(int n_traced);
	/* The position of term i's operand; out of range: none.  Correct: argnums[i]. */
	int (*operand)(const int *argnums, int n_traced, int i);
	/* The packed tangent of term i; outside [0, n_traced) it reads as zeros.  Correct: i. */
	int (*pick)(const int *argnums, int n_traced, int i);
	/* How many tangents the rule gives; 0 makes the results untraced (stop_gradient).  Correct: n_out. */
	int (*out_arity)(int n_out, int n_traced);
};
extern const struct packing packing_right;

/* One execution of a node, as a tangent rule sees it. */
struct tangent_call {
	const struct tangent_rule *rule;
	const struct node *node;
	const struct tensor *const *arg; /* [node->n_arg] primal operands */
	const struct tensor *out;        /* the primal result (ops without regions have one) */
	const struct tensor
	    *tangent[LIMIT_ARGS]; /* by operand, unpacked; NULL: absent, like that of any integer or bool operand */
	struct arena *arena;
};

/*
 * Writes the tangent of a float result, of the type of call->out, zeros on entry.  At least one operand has a tangent.
 */
typedef void tangent_fn(const struct tangent_call *call, struct tensor *result);

struct tangent_rule {
	struct expression partial[RULE_PARTIALS]; /* of elementwise ops: by operand */
	tangent_fn *structure;                    /* NULL: the engine has no rule for the op */
	double scale;                             /* factor of the op's contribution; 1 */
	unsigned unscaled;                        /* bit k: operand k's contribution is not scaled; 0 */
	struct packing packing;
	/* Computes the primal that travels with the tangent.  Correct: kernel_run. */
	void (*primal)(const struct node *node, const struct tensor *const arg[], const struct type *types,
	    struct tensor *out, struct arena *a);
};

struct forward;

struct tangent_rules {
	struct tangent_rule row[OP_COUNT];
	/*
	 * The tangent of an element that scatter_apply replaced.  `had`: its tangent before.  `given`: the tangent from
	 * the region, which has just run.  Correct: given.
	 */
	double (*applied)(struct forward *self, const struct region *region, double had, double given);
	struct custom_rules custom;
};

/* The value at x of a region with one parameter and one result, both scalars, while `forward` runs (forward.c). */
double forward_region_at(struct forward *self, const struct region *region, double x);

/* The correct table, compiled from tangent_rules.def. */
void tangent_rules_init(struct tangent_rules *out);

/* ---- adjoint rules: the reverse engines (adjoint_rules.def, adjoint.c) ---- */

/* One execution of a node, as an adjoint rule sees it. */
struct adjoint_call {
	const struct adjoint_rules *rules; /* for the seams */
	const struct adjoint_rule *rule;
	const struct node *node;
	const struct tensor *const *arg; /* [node->n_arg] primal operands */
	const struct tensor *out;        /* the primal result (ops without regions have one) */
	const struct tensor *cotangent;  /* of the result, with its type; a rule is never called with an absent one */
	const bool *wanted;              /* [node->n_arg] the float and active operands, which need a cotangent */
	bool spent; /* nobody reads the cotangent's cells again, so a rule may hand them on as a contribution */
	struct arena *arena;
};

/*
 * Writes the contributions to the cotangents of the wanted operands: contribution[i] of [node->n_arg], with the type of
 * operand i.  A contribution without cells (at == NULL, as on entry) is absent, which is not zero.
 */
typedef void adjoint_fn(const struct adjoint_call *call, struct tensor *contribution);

struct adjoint_rule {
	struct expression partial[RULE_PARTIALS]; /* of elementwise ops: by operand */
	adjoint_fn *structure;                    /* NULL: the engine has no rule for the op */
	double scale;                             /* factor of the op's contributions; 1 */
	unsigned unscaled;                        /* bit k: operand k's contribution is not scaled; 0 */
	/* Adds the op's contribution to an adjoint that exists already.  Correct: sum + term; the caller rounds. */
	double (*join)(double sum, double term);
	/*
	 * `tape`: the tensor that the reverse sweep reads for an operand.  `recorded` was kept with the op; `latest` is
	 * the value's newest tensor.  Correct: recorded.
	 */
	const struct tensor *(*saved)(int operand, const struct tensor *recorded, const struct tensor *latest);
	int pops; /* `tape`: records removed when the op is reversed; 1 */
};

/*
 * Seams of the reverse loop of `functional` and its relatives, in the order in which a reverse step meets them. n is
 * the number of iterations.  Iterations and saved sets of carries count from 0.  Set t is the carries at the start of
 * iteration t; set n is the carries after the loop.
 */
struct reverse_loop {
	/* How often the loop is pulled back.  `depth`: loops around it that are being pulled back too.  Correct: 1. */
	int (*passes)(const struct node *node, int depth);
	/* The set of carries from which iteration `saved` is recomputed.  Correct: saved. */
	int (*residual_carry)(int saved, int n);
	/* The row of the per-iteration inputs with which iteration `saved` is recomputed.  Correct: saved. */
	int (*xs_row)(int saved, int n, int trip);
	/* The row of their cotangent to which an iteration adds; -1: none.  Correct: iteration. */
	int (*xs_cotangent_row)(int iteration, int n, int trip);
	/*
	 * Whether the cotangent of a carry goes on to the iteration before.  `seeded`: the loop's result has a
	 * cotangent.  `through`: the body hands the carry on unchanged.  Correct: true.
	 */
	bool (*carry_flows)(bool seeded, bool through);
	/* The type of the accumulator of carry k before anything contributes to it.  Correct: the carry's type. */
	const struct type *(*accumulator)(const struct program *p, const struct node *node, int k);
	/*
	 * The operand whose cotangent is handed to operand `position`. requested[n]: the operands that need one,
	 * per-iteration inputs first.  Correct: position.
	 */
	int (*slot)(int position, const bool *requested, int n);
	/* The tensor that the sweep outside the loop takes for the value of its result.  Correct: last. */
	const struct tensor *(*result)(const struct node *node, const struct tensor *first, const struct tensor *last);
	/*
	 * `checkpointed`: the number that the body reads as its index in iteration `iteration`.  The iteration was
	 * reached again from the snapshot of the carries at the start of iteration `segment`.  Correct: iteration.
	 */
	int (*induction)(int iteration, int segment);
	/*
	 * `checkpointed`: the slot that a snapshot goes to and comes from, in a loop of n iterations.  Correct: slot.
	 */
	int (*snapshot)(int slot, int n, int snapshots);
	/*
	 * Whether the cotangent of result k of the body goes to that value.  Correct: true, even if the value is used
	 * elsewhere or comes from outside.
	 */
	bool (*result_counts)(const struct region *body, int k);
};

/*
 * Seams of `implicit`.  The vjp of a solution x* = f(x*, p) solves w = x_bar + (df/dx)^T w, then adds (df/dp)^T w to
 * p_bar.
 */
struct implicit_rules {
	/* The next w; `pulled` is (df/dx)^T w.  Correct: cotangent + pulled; the caller rounds. */
	double (*iterate)(double cotangent, double pulled);
	/* Whether the iteration ends.  `settled`: the last steps changed nothing that counts.  Correct: settled. */
	bool (*ends)(bool settled);
	/* Whether the cotangent of result k of n is used.  Correct: true. */
	bool (*enters)(int k, int n);
	/*
	 * Adds the contribution to a captured value to an adjoint that exists already.  Correct: sum + term; the caller
	 * rounds.
	 */
	double (*join)(double sum, double term);
};
extern const struct implicit_rules implicit_right; /* implicit.c */

struct adjoint_rules {
	struct adjoint_rule row[OP_COUNT];
	/*
	 * Multiplies a cotangent by a partial.  Correct: a cotangent of 0 gives 0 whatever the partial (strong zero).
	 */
	double (*multiply)(double cotangent, double partial);
	/* Adds a further contribution to an adjoint (fan-out).  Correct: sum + term; the caller rounds to the dtype. */
	double (*accumulate)(double sum, double term);
	/*
	 * Whether the two newest partial sums of an adjoint are added now.  Otherwise they are added when the adjoint
	 * is read.  `older` and `newer`: the numbers of contributions in them.  Correct: always, which makes one
	 * running sum.
	 */
	bool (*fold)(int older, int newer);
	/*
	 * The sum of term[n] inside one rule.  It may overwrite the terms; the caller rounds.  Correct: in order, in
	 * binary64.
	 */
	double (*sum)(enum dtype d, double *term, int n);
	/* Turns x[k] into x[0] + ... + x[k]; the caller rounds.  Correct: in order, in binary64. */
	void (*running_sum)(enum dtype d, double *x, int n);
	/*
	 * Reduces a contribution from the broadcast shape to the operand's shape.  `operand` is zeros on entry.
	 * Correct: sums over the stretched and missing axes.
	 */
	void (*unbroadcast)(const struct tensor *full, struct tensor *operand);
	/*
	 * Whether a loop carry needs cotangents inside the loop.  `initial`, `updated`: whether its initial value and
	 * its value after an iteration depend on the inputs.  It is asked until nothing changes.  Correct: either.
	 */
	bool (*carry_active)(bool initial, bool updated);
	/* The saved iteration that reverse step `step` of n reads.  Correct: n - 1 - step. */
	int (*residual_index)(int step, int n);
	struct reverse_loop loop;
	/*
	 * `tape`: whether a store may write over a buffer that a record will read (saved), or that others hold
	 * (shared).  Correct: if neither is so.
	 */
	bool (*overwrites)(bool saved, bool shared);
	struct implicit_rules implicit;
	struct custom_rules custom;
	/*
	 * The number that scatter_apply hands on for an element, from the cotangent that its region gave.  Correct:
	 * that cotangent.
	 */
	double (*applied)(double cotangent);
	/* The index, of n, that says where cotangent number k of a gather goes.  Correct: k. */
	int (*index)(int k, int n);
	/*
	 * `tape`: called after a checkpoint region was run again, with the newest output recorded.  Correct: does
	 * nothing.
	 */
	void (*rerun)(struct tensor *newest, struct arena *a);
	/* `tape`: whether two inputs are one leaf of the graph.  Correct: false, whatever they contain. */
	bool (*same_leaf)(const struct tensor *a, const struct tensor *b);
	/*
	 * Called when the n derivatives of a point by the outermost level t are complete.  For a vjp they are the
	 * gradients of inputs t->wrt[n].  Correct: does nothing.
	 */
	void (*finish)(
	    const struct transform *t, struct tensor *point, struct tensor *gradient, int n, struct arena *a);
};

/* The correct table, compiled from adjoint_rules.def. */
void adjoint_rules_init(struct adjoint_rules *out);

/*
 * Edits correct tables so that the seed at work rounds every step of a rule, in any order (rounding.h,
 * rounding_rules.c).
 */
void rules_round(struct tangent_rules *tangent, struct adjoint_rules *adjoint);

#endif

/*
 * rules.h: the derivative rules of the built-in engines, as tables.  Each engine instance owns a copy (instance.h).  A
 * fault edits one row or seam of that copy; no engine asks which fault is planted.
 */
#ifndef ENGINES_BUILTIN_RULES_H
#define ENGINES_BUILTIN_RULES_H

#include "graph/program.h"
#include "graph/request.h"
#include "engines/kernels/expression.h"

enum { RULE_PARTIALS = 3 };

/* ---- the rule of a custom, in the engines that run it (custom.h) ---- */

/* Seams between an engine and the rule.  What is numbered are the operands and results of the node, float or not. */
struct custom_rules {
	/* Which of the n operands the rule reads for operand k.  Right: k. */
	int (*operand)(int k, int n);
	/* Whether the rule is run when `present` of the n float directions are there; else all that it would give is
	 * absent.  Right: if any is. */
	bool (*applies)(int present, int n);
	/* Which of the n directions (tangents of operands, or cotangents of results) the rule reads for direction k.
	 * Right: k. */
	int (*direction)(int k, int n);
	double absent; /* what the elements of a direction that is absent are to the rule; 0 */
	/* Whether operand k counts as one that is differentiated by, when it is.  Right: true. */
	bool (*active)(const struct program *p, const struct node *node, int k);
	/* Which of the n things that the rule gives is taken for number k; wanted[n]: those that are asked for.  Right:
	 * k. */
	int (*given)(int k, const bool *wanted, int n);
};
extern const struct custom_rules custom_right; /* custom.c */

/* ---- tangent rules: `forward` (tangent_rules.def, tangent.c) ---- */

/*
 * Tangents reach a rule PACKED: argnums[0 .. n_traced) are the positions of the traced operands, ascending, and tangent
 * i belongs to operand argnums[i].  These seams say how a rule reads that packing, term by term.
 */
struct packing {
	/* How many terms the rule reads.  Right: n_traced. */
	int (*terms)(int n_traced);
	/* The operand position that term i is about; out of range: none.  Right: argnums[i]. */
	int (*operand)(const int *argnums, int n_traced, int i);
	/* Which packed tangent belongs to term i; outside [0, n_traced) reads as zeros.  Right: i. */
	int (*pick)(const int *argnums, int n_traced, int i);
	/* How many tangents the rule gives.  Right: n_out; 0 makes the results untraced (stop_gradient). */
	int (*out_arity)(int n_out, int n_traced);
};
extern const struct packing packing_right;

/* One node at one moment, as a tangent rule sees it. */
struct tangent_call {
	const struct tangent_rule *rule;
	const struct node *node;
	const struct tensor *const *arg; /* [node->n_arg] primal operands */
	const struct tensor *out;        /* the primal result (ops without regions have one) */
	const struct tensor
	    *tangent[LIMIT_ARGS]; /* by operand, unpacked; NULL: absent, as for every integer and bool operand */
	struct arena *arena;
};

/* Writes the tangent of a float result: zeros on entry, of the type of call->out.  At least one operand has a tangent.
 */
typedef void tangent_fn(const struct tangent_call *call, struct tensor *result);

struct tangent_rule {
	struct expression partial[RULE_PARTIALS]; /* of elementwise ops: by operand */
	tangent_fn *structure;                    /* NULL: the engine has no rule for the op */
	double scale;                             /* multiplied onto the op's contribution; 1 */
	unsigned unscaled;                        /* bit k: not onto what operand k contributes; 0 */
	struct packing packing;
	/* Computes the primal that travels beside the tangent.  Right: kernel_run. */
	void (*primal)(const struct node *node, const struct tensor *const arg[], const struct type *types,
	    struct tensor *out, struct arena *a);
};

struct forward;

struct tangent_rules {
	struct tangent_rule row[OP_COUNT];
	/*
	 * The tangent of an element that scatter_apply replaced, from the one it had and the one that its region, which
	 * was just run, gave. Right: given.
	 */
	double (*applied)(struct forward *self, const struct region *region, double had, double given);
	struct custom_rules custom;
};

/* The value of a region of one parameter and one result, both scalars, at x, while `forward` runs (forward.c). */
double forward_region_at(struct forward *self, const struct region *region, double x);

/* The right table, compiled from tangent_rules.def. */
void tangent_rules_init(struct tangent_rules *out);

/* ---- adjoint rules: the reverse engines (adjoint_rules.def, adjoint.c) ---- */

/* One node at one moment, as an adjoint rule sees it. */
struct adjoint_call {
	const struct adjoint_rules *rules; /* for the seams */
	const struct adjoint_rule *rule;
	const struct node *node;
	const struct tensor *const *arg; /* [node->n_arg] primal operands */
	const struct tensor *out;        /* the primal result (ops without regions have one) */
	const struct tensor *cotangent;  /* of the result, its type; absent results never reach a rule */
	const bool *wanted;              /* [node->n_arg] operands that need a cotangent: float and active */
	bool spent; /* nobody reads the cotangent's cells again: a rule may hand them on as a contribution */
	struct arena *arena;
};

/*
 * Contributions to the cotangents of the operands: contribution[i], [node->n_arg], is filled (type of operand i) for
 * wanted operands; at == NULL on entry and where there is none: absent is not zero.
 */
typedef void adjoint_fn(const struct adjoint_call *call, struct tensor *contribution);

struct adjoint_rule {
	struct expression partial[RULE_PARTIALS]; /* of elementwise ops: by operand */
	adjoint_fn *structure;                    /* NULL: the engine has no rule for the op */
	double scale;                             /* multiplied onto the op's contributions; 1 */
	unsigned unscaled;                        /* bit k: not onto that to operand k; 0 */
	/* How the op's contribution joins an adjoint that is there already.  Right: sum + term; the caller rounds. */
	double (*join)(double sum, double term);
	/*
	 * `tape`: what the reverse sweep reads for an operand, of the tensor recorded with the op and the value's
	 * latest one. Right: recorded.
	 */
	const struct tensor *(*saved)(int operand, const struct tensor *recorded, const struct tensor *latest);
	int pops; /* `tape`: records taken off when the op is reversed; 1 */
};

/*
 * Seams of the reverse loop of `functional` and its kin, in the order in which a reverse step of n meets them.
 * Iterations and saved sets of carries count from 0; set t is what iteration t began with, set n what the loop left.
 */
struct reverse_loop {
	/* How often the loop is pulled back; `depth`: loops around it that are being pulled back too.  Right: 1. */
	int (*passes)(const struct node *node, int depth);
	/* Which set of carries the recomputation of iteration `saved` starts from.  Right: saved. */
	int (*residual_carry)(int saved, int n);
	/* Which row of the per-iteration inputs iteration `saved` is recomputed with.  Right: saved. */
	int (*xs_row)(int saved, int n, int trip);
	/* The row of their cotangent that an iteration adds to; -1: none.  Right: iteration. */
	int (*xs_cotangent_row)(int iteration, int n, int trip);
	/*
	 * Whether the cotangent of a carry goes on to the iteration before; `seeded`: the loop's result has one,
	 * `through`: the body hands the carry on as it is.  Right: true.
	 */
	bool (*carry_flows)(bool seeded, bool through);
	/*
	 * Of which type the accumulator is that is there for carry k of a loop before anything contributes to it.
	 * Right: the carry's.
	 */
	const struct type *(*accumulator)(const struct program *p, const struct node *node, int k);
	/*
	 * Of which operand the cotangent is handed to operand `position`; requested[n]: those that need one,
	 * per-iteration inputs first. Right: position.
	 */
	int (*slot)(int position, const bool *requested, int n);
	/* What the sweep outside the loop takes for the value of its result.  Right: last. */
	const struct tensor *(*result)(const struct node *node, const struct tensor *first, const struct tensor *last);
	/*
	 * `checkpointed`: the number that the body is told in iteration `iteration`, reached again from the snapshot of
	 * the carries that iteration `segment` began with.  Right: iteration.
	 */
	int (*induction)(int iteration, int segment);
	/* `checkpointed`: the slot that a snapshot goes to and comes from, of a loop of n iterations.  Right: slot. */
	int (*snapshot)(int slot, int n, int snapshots);
	/* Whether the cotangent of result k of the body goes to the value there.  Right: true, wherever else that value
	 * is and comes from. */
	bool (*result_counts)(const struct region *body, int k);
};

/* Seams of `implicit`: the vjp of a solution x* = f(x*, p) is w = x_bar + (df/dx)^T w, then p_bar += (df/dp)^T w. */
struct implicit_rules {
	/* The next w; pulled is (df/dx)^T w.  Right: cotangent + pulled; the caller rounds. */
	double (*iterate)(double cotangent, double pulled);
	/* Whether the iteration has come to its end; settled: the last steps changed nothing that counts.  Right:
	 * settled. */
	bool (*ends)(bool settled);
	/* Whether the cotangent of result k of n enters.  Right: true. */
	bool (*enters)(int k, int n);
	/* How the contribution to a captured value joins an adjoint that is there already.  Right: sum + term; the
	 * caller rounds. */
	double (*join)(double sum, double term);
};
extern const struct implicit_rules implicit_right; /* implicit.c */

struct adjoint_rules {
	struct adjoint_rule row[OP_COUNT];
	/* Right: a cotangent of 0 gives 0 whatever the partial (strong zero). */
	double (*multiply)(double cotangent, double partial);
	/* How a further contribution joins an adjoint (fan-out).  Right: sum + term; the caller rounds to the dtype. */
	double (*accumulate)(double sum, double term);
	/*
	 * Whether the two newest partial sums of an adjoint, of `older` and `newer` contributions, are added up now
	 * rather than when it is read.  Right: always, which makes one running sum.
	 */
	bool (*fold)(int older, int newer);
	/* The sum of term[n] inside one rule; may overwrite the terms, and the caller rounds.  Right: in order, in
	 * binary64. */
	double (*sum)(enum dtype d, double *term, int n);
	/* x[k] becomes x[0] + ... + x[k]; the caller rounds.  Right: in order, in binary64. */
	void (*running_sum)(enum dtype d, double *x, int n);
	/*
	 * Brings a contribution in the broadcast shape back to the operand's: `operand` is zeros on entry.  Right: sums
	 * over the stretched and missing axes.
	 */
	void (*unbroadcast)(const struct tensor *full, struct tensor *operand);
	/*
	 * Whether a loop carry needs cotangents inside the loop, from whether its initial value and its value after an
	 * iteration depend on the inputs (asked until nothing changes).  Right: either.
	 */
	bool (*carry_active)(bool initial, bool updated);
	/* Which saved iteration reverse step `step` of n reads.  Right: n - 1 - step. */
	int (*residual_index)(int step, int n);
	struct reverse_loop loop;
	/* `tape`: whether a store may write over a buffer that a record will read (saved), that others hold (shared).
	 * Right: neither. */
	bool (*overwrites)(bool saved, bool shared);
	struct implicit_rules implicit;
	struct custom_rules custom;
	/* What scatter_apply hands on to an element of the cotangent that its region gave it.  Right: that. */
	double (*applied)(double cotangent);
	/* Which of n indices says where cotangent number k of a gather goes.  Right: k. */
	int (*index)(int k, int n);
	/* `tape`: called when a checkpoint region was run again, with the newest output recorded.  Right: does nothing.
	 */
	void (*rerun)(struct tensor *newest, struct arena *a);
	/* `tape`: whether two inputs are one leaf of the graph.  Right: false, whatever they hold. */
	bool (*same_leaf)(const struct tensor *a, const struct tensor *b);
	/* Called when the n derivatives of a point by the outermost level t are complete; of a vjp they are the
	 * gradients of inputs t->wrt[n].  Right: does nothing. */
	void (*finish)(
	    const struct transform *t, struct tensor *point, struct tensor *gradient, int n, struct arena *a);
};

/* The right table, compiled from adjoint_rules.def. */
void adjoint_rules_init(struct adjoint_rules *out);

/* Edits right tables so that every step of a rule is rounded by the seed at work, in any order (rounding.h,
 * rounding_rules.c). */
void rules_round(struct tangent_rules *tangent, struct adjoint_rules *adjoint);

#endif

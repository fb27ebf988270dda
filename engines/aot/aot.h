/*
 * aot.h: derivatives as programs, source to source.  The result is a valid, canonical program of the same IR. It can be
 * shown, run, saved as a case, and differentiated again.
 */
#ifndef ENGINES_AOT_AOT_H
#define ENGINES_AOT_AOT_H

#include "graph/testcase.h"
#include "table.h"

/* Limits of derivative programs.  Written programs have the smaller limits of graph/bounds.h. */
enum { AOT_NODES = 16 * LIMIT_NODES, AOT_WORK = 64 * LIMIT_WORK };

/*
 * Writes the program of the jvp of p with respect to the inputs wrt[n_wrt] (ascending, distinct).
 *
 * Inputs: those of p, then a tangent for each float input of wrt.  Results: those of p, then the tangent of each float
 * result.  Everything lives in the arena.  False with a reason if the IR cannot hold the program (LIMIT_ARGS,
 * LIMIT_ELEMENTS, the limits above).  The values of the result are right, but its own derivatives need not be: for
 * that, see aot_levels.
 */
bool aot_jvp(const struct program *p, const int *wrt, int n_wrt, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e) MUST_CHECK;

/*
 * Writes the program of the vjp.  Inputs: those of p, then a cotangent for each float result.  Results: those of p,
 * then the cotangent of each float input of wrt.
 */
bool aot_vjp(const struct program *p, const int *wrt, int n_wrt, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e) MUST_CHECK;

/*
 * Writes the function of the last of the n levels t of a request (request.h) as a program.  It has the level's inputs,
 * and the level's outputs as results; seeds are constants.  `above` says how many of the levels to come differentiate.
 * Each level is written so that its own derivatives up to the remaining order are right too.  A batch is vectorised by
 * the rules of batch.h; without a guard among the rules, it is a scan.  False as above.
 */
bool aot_levels(const struct program *p, const struct transform *t, int n, int above, const struct aot_rules *rules,
    struct arena *a, struct program *out, struct error *e) MUST_CHECK;
/* The same for only the batches among the levels: the primal of that level. */
bool aot_batches(const struct program *p, const struct transform *t, int n, const struct aot_rules *rules,
    struct arena *a, struct program *out, struct error *e) MUST_CHECK;
/* Writes the level of a batch, vectorised (by aot_map if the rules have no guard). */
bool aot_batch(const struct program *below, const struct transform *t, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e) MUST_CHECK;
/*
 * Writes the level of a batch as a scan over the slices, which is right for any program.  Shared inputs are captured.
 */
bool aot_map(const struct program *below, const struct transform *t, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;
/*
 * Writes a rule for op custom: the jvp or vjp of p with respect to all float inputs, without the results of p.  Further
 * derivatives of any order are right.  Inputs: those of p, then a tangent of each float input, or a cotangent of each
 * float result.
 */
bool aot_rule(const struct program *p, enum derivative_kind kind, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e) MUST_CHECK;
/* One op without regions that is to be differentiated.  The levels around it are counted as in aot_levels. */
struct aot_op {
	const struct node *node;
	const struct type *arg; /* [node->n_arg] */
	struct type out;
	int above, below; /* levels that differentiate its derivative again, and levels that made the op */
	const struct aot_rules *rules;
};
/*
 * Writes its vjp.  Inputs: the operands, the result, the cotangent of the result.  Results: for each wanted operand a
 * contribution to its cotangent; operand[k] says which one.  An absent contribution has no result.  In the arena.
 * False with a reason if the IR has no room.
 */
bool aot_op_vjp(const struct aot_op *of, const bool *wanted, struct arena *a, struct program *out, int *operand,
    struct error *e) MUST_CHECK;
/*
 * Writes its jvp.  Inputs: the operands, the result, the tangents of those operands that have one.  Result: the
 * tangent, unless it is absent.
 */
bool aot_op_jvp(
    const struct aot_op *of, const bool *there, struct arena *a, struct program *out, struct error *e) MUST_CHECK;
/* Writes a program that turns a float operand of that type into what the rule of a custom reads. */
bool aot_rule_operand(const struct type *type, const struct aot_rules *rules, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;
/*
 * Rewrites p without fixed points, checkpoints and stores.  A loop replaces each fixed point, the nodes of its region
 * each checkpoint, and an update of a copy each store.  In the arena.
 */
struct program aot_inline(const struct program *p, struct arena *a);
/*
 * Writes a whole request as a program.  Its only inputs are those of the outermost level: a point of c.  Results: the
 * primal and then the derivative of an answer (answer.h), n_primal + n_derivative in all.
 */
bool aot_request(const struct testcase *c, const struct aot_rules *rules, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;

#endif

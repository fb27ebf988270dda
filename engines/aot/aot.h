/*
 * aot.h: derivative programs, source to source.  The result is a program of the same IR, valid and canonical: it can be
 * shown, run, saved as a case, and differentiated again.
 */
#ifndef ENGINES_AOT_AOT_H
#define ENGINES_AOT_AOT_H

#include "graph/testcase.h"
#include "table.h"

/* Bounds of derived programs, beyond those of graph/bounds.h on written ones. */
enum { AOT_NODES = 16 * LIMIT_NODES, AOT_WORK = 64 * LIMIT_WORK };

/*
 * The program of the jvp of p with respect to the inputs wrt[n_wrt] (ascending, distinct).
 * Inputs: those of p, then a tangent for each float input of wrt.  Results: those of p, then the tangent of each float
 * result. Everything lives in the arena.  False with a reason where the IR cannot hold it (LIMIT_ARGS, LIMIT_ELEMENTS,
 * the bounds above). The result has right values and valid types; for one that is to be differentiated again see
 * aot_levels.
 */
bool aot_jvp(const struct program *p, const int *wrt, int n_wrt, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e) MUST_CHECK;

/*
 * The program of the vjp: inputs are those of p, then a cotangent for each float result; results are those of p, then
 * the cotangent of each float input of wrt.
 */
bool aot_vjp(const struct program *p, const int *wrt, int n_wrt, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e) MUST_CHECK;

/*
 * The function of the last of the n levels t of a request (request.h) as a program: its inputs, and its outputs as
 * results; seeds are constants. `above`: how many of the levels to come differentiate; every level is written so that
 * its own derivatives up to the order that is still to come are right too.  A batch is vectorised by the rules of
 * batch.h; without a guard among the rules, it is a scan.  False as above.
 */
bool aot_levels(const struct program *p, const struct transform *t, int n, int above, const struct aot_rules *rules,
    struct arena *a, struct program *out, struct error *e) MUST_CHECK;
/* The same of the batches among them alone: the primal of that level. */
bool aot_batches(const struct program *p, const struct transform *t, int n, const struct aot_rules *rules,
    struct arena *a, struct program *out, struct error *e) MUST_CHECK;
/* The level of a batch, vectorised (without a guard among the rules: by aot_map). */
bool aot_batch(const struct program *below, const struct transform *t, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e) MUST_CHECK;
/* The level of a batch: a scan over the slices, which is right for any program; shared inputs are captured. */
bool aot_map(const struct program *below, const struct transform *t, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;
/*
 * A rule for op custom: the jvp or vjp of p with respect to all float inputs, without the results of p, right for
 * further derivatives of any order.  Inputs: those of p, then a tangent of each float input, or a cotangent of each
 * float result.
 */
bool aot_rule(const struct program *p, enum derivative_kind kind, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e) MUST_CHECK;
/* One op without regions, of which a derivative is asked; the levels around it as aot_levels counts them. */
struct aot_op {
	const struct node *node;
	const struct type *arg; /* [node->n_arg] */
	struct type out;
	int above, below; /* levels that differentiate its derivative again, and those that made the op */
	const struct aot_rules *rules;
};
/*
 * Its vjp.  Inputs: the operands, the result, the cotangent of the result.  Results: a contribution to the cotangent of
 * each operand[k], of those that are wanted; where a contribution is absent there is no result.  In the arena.  False
 * with a reason where the IR has no room.
 */
bool aot_op_vjp(const struct aot_op *of, const bool *wanted, struct arena *a, struct program *out, int *operand,
    struct error *e) MUST_CHECK;
/* Its jvp.  Inputs: the operands, the result, the tangents of those operands that have one.  Result: the tangent,
 * unless it is absent. */
bool aot_op_jvp(
    const struct aot_op *of, const bool *there, struct arena *a, struct program *out, struct error *e) MUST_CHECK;
/* What the rule of a custom reads for a float operand of that type, from the operand. */
bool aot_rule_operand(const struct type *type, const struct aot_rules *rules, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;
/*
 * p without fixed points, checkpoint nodes and stores: loops, the nodes of the checkpoints' regions and updates of
 * copies stand in their place. In the arena.
 */
struct program aot_inline(const struct program *p, struct arena *a);
/*
 * A whole request: inputs are those of the outermost level (a point of c); results the primal, then the derivative of
 * an answer to it (answer.h): n_primal + n_derivative of them.  Nothing is an input but the point.
 */
bool aot_request(const struct testcase *c, const struct aot_rules *rules, struct arena *a, struct program *out,
    struct error *e) MUST_CHECK;

#endif

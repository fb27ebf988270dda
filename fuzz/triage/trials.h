/*
 * trials.h: what a case needs in order to fail.  A trial changes one thing of a simplest case and asks the engine
 * again. Two bugs seldom need the same things, so findings that do are most likely one bug.
 */
#ifndef FUZZ_TRIAGE_TRIALS_H
#define FUZZ_TRIAGE_TRIALS_H

#include "fuzz/bench/question.h"
#include "fuzz/edit/edit.h"

enum trial_kind {
	TRIAL_COPIES,  /* each use of a value reads a copy of its own */
	TRIAL_ACTIVE,  /* the float constants are inputs, and are differentiated */
	TRIAL_OFFSETS, /* the first positions of slices, the padding before an axis and constant indices are 0 */
	TRIAL_SHORTER, /* one loop has an iteration less, if it has at least 3 */
	TRIAL_CAPTURE, /* a value that a loop or branch captures is a constant to differentiation there */
	TRIAL_ENTERED, /* loops that run no iteration run one */
	TRIAL_POINTS,  /* of several points one is left, each in turn */
	TRIAL_INPUTS,  /* each use of an input reads an input of its own */
	TRIAL_CARRIES, /* two carries of a loop are exchanged, which computes the same */
	TRIAL_WHOLE,   /* operands are repeated along axes of extent 1, so that no such axis is broadcast */
	TRIAL_FLOATS,  /* loops carry their integers as floats, which computes the same */
	TRIAL_COUNTER, /* a carry counts the iterations of a loop, in place of its index, which computes the same */
	TRIAL_RUN_OUT, /* loops run to their end: there is no early exit, and no trip count below the most it may be */
	TRIAL_YIELDS,  /* regions yield copies of the values that they only hand on, which computes the same */
	TRIAL_KNOWN,   /* the constants are inputs, so that no compiler knows them */
	TRIAL_UNIFORM, /* the elements of each constant are equal */
	TRIALS
};

enum effect {
	EFFECT_NONE,  /* there is nothing to change, or the answer was not decided */
	EFFECT_FAILS, /* a finding still shows */
	EFFECT_RIGHT  /* the engine is right, and some derivative is not 0 */
};

struct trials {
	enum effect effect[TRIALS];
	int trip;              /* iterations of the loop that is right with one less */
	int extent;            /* of the axes that are right with one element less, the largest; 0: there are none */
	unsigned wrong, right; /* the float dtypes in which the case fails, and is right: bits 1 << dtype */
	unsigned coarse;       /* the dtype to which the wrong number is rounded: 1 << dtype; 0: none (trial_coarse) */
};

/* Makes all trials of c.  q asks whether a case shows any finding.  About 29 requests, up to 20 more for an input that
 * is used twice, and up to 8 for loops with several carries. */
void trials_make(const struct question *q, const struct testcase *c, struct arena *a, struct trials *out);
/* How often a loop of c runs that is right with one iteration less, whichever of its results are returned: a wrong
 * number may reach a result some iterations later.  0: there is no such loop of at least 2. */
int trial_trip(const struct question *q, const struct testcase *c, struct arena *a);
/* Which trials make both cases right, if none has different effects on them. */
enum likeness {
	LIKENESS_NONE,
	LIKENESS_POINTS, /* TRIAL_POINTS alone: bugs of many kinds need several points */
	LIKENESS_FULL
};
enum likeness trials_alike(const struct trials *x, const struct trials *y);
/* Whether every trial makes both right or none, and both need the same number of iterations. */
bool trials_equal(const struct trials *x, const struct trials *y);
/* Whether no trial makes one right and not the other, and both need the same number of iterations. */
bool trials_agree(const struct trials *x, const struct trials *y);
/* Whether both need axes of a certain length: of the same one, 4 or more; or they are right in some dtypes, and wrong
 * in the same ones. */
bool trials_same_size(const struct trials *x, const struct trials *y);
/* Whether both lose their precision to one dtype, and fail in a dtype in common.  A case of several dtypes need not
 * fail in one of them alone. */
bool trials_same_rounding(const struct trials *x, const struct trials *y);
/* The dtype to which the number is rounded that should be `expected`: the coarsest that has it, if it is off by at most
 * 2 units of rounding.  As in struct trials; 0: none. */
unsigned trial_coarse(double expected, double returned);

/* The effect of an edit that was made. */
enum effect trial_effect(const struct question *q, struct edit *e, struct judgement *j);

/*
 * Whether an op takes the place of another.  Nodes of op `from` in c become nodes of op `to`, with the same operands.
 * They may also differ in this: one op has the place of a window as an attribute, the other one as an operand.
 * EFFECT_NONE: `to` cannot have these operands.
 */
enum effect trial_op(
    const struct question *q, const struct testcase *c, enum op from, enum op to, struct arena *a, struct judgement *j);

/*
 * Whether the derivative of a product of two numbers by the second one, in the mode of *asked, is wrong, and neither 0
 * nor infinite nor a NaN.  op multiplies: reduce_prod, cumprod or scatter_mul.  *j has the number.
 */
bool trial_product(
    const struct question *q, enum op op, const struct transform *asked, struct arena *a, struct judgement *j);

/* The effect of asking for a derivative of order 1 in the other mode: a jvp in place of a vjp, or the reverse. */
enum effect trial_mode(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j);
/* Whether c, of order 1 and without a batch, is wrong in both modes, by one and the same matrix of derivatives: then u
 * · (J v) is (u J) · v. */
bool trial_same_jacobian(const struct question *q, const struct testcase *c, struct arena *a);
/* The effect of asking for the primal, of the same slices of a batch. */
enum effect trial_primal(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j);
/*
 * If the program is one op derivative of known numbers, and its value is asked for: *out asks for that derivative, with
 * seeds of 1, of the function inside.  False: it is another case.
 */
bool trial_hoist(const struct testcase *c, struct arena *a, struct testcase *out);
/* *out: c with checkpoints of their functions in the place of its customs.  False: it has none. */
bool trial_as_checkpoint(const struct testcase *c, struct arena *a, struct testcase *out);
/* *out: c with a loop in the place of each scatter_apply.  False: it has none. */
bool trial_as_loop(const struct testcase *c, struct arena *a, struct testcase *out);
/* *out: c with an input for each use of an input.  False: none is used twice. */
bool trial_own_inputs(const struct testcase *c, struct arena *a, struct testcase *out);
/* *out: c with loops in the place of its fixed points.  False: it has none. */
bool trial_lower(const struct testcase *c, struct arena *a, struct testcase *out);
/* How the floats that a plain region makes depend on those that it reads: by a sum with factors, or by its sine. */
enum plain { PLAIN_SUM, PLAIN_SINE, PLAINS };
/*
 * *out: c with plain regions, whose results depend on the values on which they depended.  A region with further regions
 * inside stays as it is.  False: there is none to change, or types differ.
 */
bool trial_plain(const struct testcase *c, enum plain how, struct arena *a, struct testcase *out);
/* Whether both have one program, but for attributes, constants and types. */
bool trial_same_form(const struct testcase *x, const struct testcase *y);
/* The effect of asking for the value of the program that computes what c asks for (simplest.h: written_in_full). */
enum effect trial_written(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j);
/* The effect of making the seeds of every op derivative constants to differentiation. */
enum effect trial_seeds(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j);
/* The effect of stopping differentiation where it ends anyway: behind the ops whose derivative is 0 by definition, such
 * as floor.  A case that is right then needs a product with that 0. */
enum effect trial_without_zeros(
    const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j);
/* Whether a result of c alone, without the nodes that it does not need, fails where 0 times infinity explains nothing.
 */
bool trial_needs_no_infinity(const struct question *q, const struct testcase *c, struct arena *a);
/* Whether c has loops or branches, and the engine is right about the operands of each, returned in its place. */
bool trial_operands_right(const struct question *q, const struct testcase *c, struct arena *a);
/* The effect of the point at which every float is 1/2. */
enum effect trial_plain_point(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j);

#endif

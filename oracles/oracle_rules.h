/*
 * oracle_rules.h: the rules and seams of the oracles. A planted fault replaces them.
 *
 * A correct oracle uses the constant oracle_rules_right. A fault (oracle_faults.def) is a copy of it with one row or
 * seam edited. No oracle asks whether there is a fault.
 */
#ifndef ORACLES_ORACLE_RULES_H
#define ORACLES_ORACLE_RULES_H

#include "oracles/analytic/analytic.h"
#include "oracles/ball/ball.h"

struct derivation;

/* What happens to a flow over an edge (trace_derive.def). */
enum edge_how { EDGE_SAME, EDGE_NEGATED, EDGE_TIMES, EDGE_OVER, EDGE_MINUS_TIMES, EDGE_MINUS_OVER };

/* A row of trace_derive.def. factor is NULL if the op has no row. */
struct edge_rule {
	enum edge_how how;
	/* Gives the scalar of the factor of edge j of scalar k. parent[] is a copy, because the trace moves when it
	 * grows. */
	int (*factor)(struct derivation *d, int k, const int *parent, int j);
};

/* [op][0] is the row for every parent or the first one; [op][1] is for the second parent alone (trace_edges.c). */
extern const struct edge_rule trace_edge_rules[OP_COUNT][2];
/* For faulty rules. trace_scaled gives a scalar times 1 + 2^-30, or that number itself if scalar < 0, as a scalar
 * of a formula. trace_op_of gives the op of scalar k. */
int trace_scaled(struct derivation *d, int scalar);
enum op trace_op_of(const struct derivation *d, int k);

/* What is compared before the rule of an op custom is trusted (custom.c). */
enum custom_check {
	CUSTOM_FIRST = 1,   /* its result, with the derivative of the function */
	CUSTOM_LINEAR = 2,  /* its result in other directions */
	CUSTOM_GUARDS = 4,  /* its result where parts of the direction are 0, if it tests for that */
	CUSTOM_SECOND = 8,  /* the derivatives of both, as far as the request takes them */
	CUSTOM_ERRORS = 16, /* its rounding errors, with those of the derivative */
	CUSTOM_TIES = 32    /* its result at a tie of the function, with the conventions */
};

struct oracle_rules {
	/* The value of a scalar, as scalar_value. */
	bool (*value)(const struct evaluation *ev, enum op op, mpfr_ptr out, mpfr_srcptr const *x, int n);
	/* The partial of a scalar by one of its parents; see ball_partial. */
	bool (*partial)(
	    const struct evaluation *ev, struct note *note, int k, int j, struct shared *shared, struct partial *out);
	const struct edge_rule (*edge)[2];   /* [OP_COUNT] */
	const struct edge_rule (*inside)[2]; /* [OP_COUNT]: the same for op derivative, which both oracles share */
	bool captures;   /* what the region of an op derivative captures is constant, even if it is the operand too */
	unsigned custom; /* set of enum custom_check */
	/* For finite differences: whether an evaluation took the path with this hash, and whether stop_gradient
	 * keeps its value. */
	bool (*same_path)(const struct evaluation *ev, uint64_t path);
	bool freeze;
	int ways;        /* how many ways of a choice that rounding could change are tried */
	double margin;   /* of alternatives, in what it must be (analytic/alternatives.c) */
	int conventions; /* how many choices of each kind of tie are tried, besides the directional one */
	/* [DTYPE_COUNT] each: the rounding of values (ball.c), of contributions to tangents and adjoints, and of
	 * their sums (finish_flow). */
	const struct dtype_info *values, *dtype, *sums;
	bool flushes; /* whether the radii allow for engines that declare to flush */
	bool reach;   /* whether a singular op excuses a NaN at order 2 only where it may reach (nan_reach.h) */
	/* The truth of the analytic oracle at a point; see analytic_truth. */
	void (*truth)(
	    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out);
	/* For a fault in some requests only, which `truth` tells apart: the rules with the fault everywhere. Else
	 * NULL. */
	const struct oracle_rules *there;
	double neumann; /* terms of the series of a solution, as a multiple of those needed */
	enum op edited; /* the op that a fault is about; OP_COUNT: none */
};

extern const struct oracle_rules oracle_rules_right;

/* ---- faults (oracle_faults.c) ---- */

struct oracle_fault {
	const char *name; /* NAME or NAME:OP */
	const char *meaning;
	const char *caught; /* the section of `adjudge audit` that must break */
};

/* Row number i of the list of faults; a fault about ops has one row per op. False beyond the last. The strings of
 * out are static or in the arena. */
bool oracle_fault_row(int i, struct arena *a, struct oracle_fault *out);

/*
 * Rules with the fault planted, in the arena. NULL with an error if there is no such fault, or if it cannot be planted
 * in that op.
 */
const struct oracle_rules *oracle_fault_plant(const char *name, struct arena *a, struct error *e) MUST_CHECK;

#endif

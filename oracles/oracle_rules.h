/*
 * oracle_rules.h: the rules and seams that the oracles go by, so that a fault can be planted in them.
 *
 * A right oracle has oracle_rules_right, which is constant.  A fault (oracle_faults.def) is a copy with one row or seam
 * edited; no oracle asks whether there is one.
 */
#ifndef ORACLES_ORACLE_RULES_H
#define ORACLES_ORACLE_RULES_H

#include "oracles/analytic/analytic.h"
#include "oracles/ball/ball.h"

struct derivation;

/* What happens to a flow over an edge (trace_derive.def). */
enum edge_how { EDGE_SAME, EDGE_NEGATED, EDGE_TIMES, EDGE_OVER, EDGE_MINUS_TIMES, EDGE_MINUS_OVER };

/* A row of trace_derive.def.  factor: NULL where there is no row. */
struct edge_rule {
	enum edge_how how;
	/* The scalar of the factor of edge j of scalar k; parent[] is a copy, for the trace moves as it grows. */
	int (*factor)(struct derivation *d, int k, const int *parent, int j);
};

/* By op, and by whether the row is for the second parent alone (trace_derive.c). */
extern const struct edge_rule trace_edge_rules[OP_COUNT][2];
/* For rules that are a little off: a scalar times 1 + 2^-30, or that number itself (scalar < 0), as a scalar of a
 * formula; the op of scalar k. */
int trace_scaled(struct derivation *d, int scalar);
enum op trace_op_of(const struct derivation *d, int k);

struct oracle_rules {
	/* The value of a scalar, as scalar_value. */
	bool (*value)(const struct evaluation *ev, enum op op, mpfr_ptr out, mpfr_srcptr const *x, int n);
	/* The partial of a scalar by one of its parents, as ball_partial. */
	bool (*partial)(const struct evaluation *ev, const struct note *note, int k, int j, struct shared *shared,
	    struct partial *out);
	const struct edge_rule (*edge)[2]; /* [OP_COUNT] */
	/* Finite differences: whether an evaluation took the path with that hash, and whether stop_gradient keeps its
	 * value. */
	bool (*same_path)(const struct evaluation *ev, uint64_t path);
	bool freeze;
	int conventions; /* choices of a kind at a tie that are looked at, beside the directional one */
	/* By which values are rounded (ball.c), contributions to tangents and adjoints, and sums of them (finish_flow):
	 * [DTYPE_COUNT] each. */
	const struct dtype_info *values, *dtype, *sums;
	bool flushes; /* engines that flush are allowed for where they are declared */
	/* The truth of the analytic oracle at a point, as analytic_truth. */
	void (*truth)(
	    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out);
	/* Of a fault in some requests alone, which `truth` tells apart: the rules with it everywhere. */
	const struct oracle_rules *there;
	double neumann; /* terms of the series of a solution, over those that are needed */
	enum op edited; /* the op that a fault is about */
};

extern const struct oracle_rules oracle_rules_right;

/* ---- faults (oracle_faults.c) ---- */

struct oracle_fault {
	const char *name; /* NAME or NAME:OP */
	const char *meaning;
	const char *caught; /* the section of `adjudge audit` that must break */
};

/* Fault number i, an op each where a fault is about one; false beyond the last.  Strings of out are static or in the
 * arena. */
bool oracle_fault_row(int i, struct arena *a, struct oracle_fault *out);

/*
 * Rules with that fault, in the arena; NULL with the reason: no fault, or no op of that name that it could be planted
 * in.
 */
const struct oracle_rules *oracle_fault_plant(const char *name, struct arena *a, struct error *e) MUST_CHECK;

#endif

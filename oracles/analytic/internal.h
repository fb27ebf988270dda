/* internal.h: the state that the analytic oracle's hooks and sweeps share. */
#ifndef ORACLES_ANALYTIC_INTERNAL_H
#define ORACLES_ANALYTIC_INTERNAL_H

#include "alike.h"
#include "analytic.h"
#include "oracles/ball/ball.h"
#include "conventions.h"
#include "kept_partials.h"
#include "oracles/ball/rounding.h"
#include "spread.h"

/* The adjoints of a class so far, which an engine may add together (merged.c). */
struct merged {
	int joins;                 /* additions */
	double positive, negative; /* as in struct terms, with the radii */
};

/* The tangent or adjoint of one scalar while contributions arrive. */
struct flow {
	double tight, loose;  /* radii */
	struct spread spread; /* of the errors within loose */
	double vanishing;     /* the sum of the terms for which a usual formula gives 0 */
	double magnitude;     /* sum of the magnitudes of the path contributions */
	struct terms terms;   /* so far */
	double reach;         /* sum of the magnitudes that the terms may have on the way, by usual formulas */
	/* For a chain of products. An engine may add up flows before or after it multiplies them: */
	int joined;      /* adjoint: the number of terms that were added from it on */
	double most;     /* adjoint: the largest magnitude of a product of the factors from it on */
	double group;    /* adjoint: the same product, times the terms; tangent: sum of |x'/x| */
	uint8_t reason;  /* enum reason */
	double flushed;  /* its error if it and all flows on the way to it are flushed to 0 once each */
	double share;    /* the largest part of loose - tight that one use of one formula adds */
	enum op culprit; /* whose formula; OP_CONSTANT for none */
	/* Adjoint: an engine may share it differently among scalars that are alike, even if nothing of it cancels. */
	bool mixed;
	bool derived;         /* adjoint: a term of it comes out of a derivative inside the program */
	bool grouped;         /* adjoint: terms of it may be added before they reach it (merged.c) */
	struct merged merged; /* adjoint, of the first scalar of a class */
	bool present;         /* a path leads here; its contributions may happen to be 0 */
	bool singular;        /* for some published convention on the path it is NaN (struct partial) */
	bool weak;            /* struct component, weak_zero */
	bool escapes;         /* struct component */
};

struct analytic {
	struct evaluation ev;
	bool flushes[DTYPE_COUNT]; /* as analytic_use was told */
	/* The rounding of values, of contributions to flows, and of sums of contributions, flushing or not. */
	struct dtype_info dtype[DTYPE_COUNT], contributions[DTYPE_COUNT], sums[DTYPE_COUNT];
	struct note *note;
	struct flow *flow;
	mpfr_t *value; /* of the flows */
	int room, value_ready;
	mpfr_t partial, term;
	struct kept_partials *kept; /* of copies in this trace */
	struct alike *alike;
	struct regrouped *regrouped; /* [room] if sums and products may be regrouped (regroup.h); else NULL */
	enum alternatives_use use;
	bool singular; /* something in the trace is singular, so weak zeros matter */
	/* Something is singular in the rule of a custom, perhaps in a branch that it does not take. The trace does not
	 * show it, because it has the function. */
	bool rule_singular;
	/* For this trace: an engine may share out a flow, or add up, at other places than the trace does. */
	bool by_paths;
	bool apart;           /* the same for a reason within the program, not because it is a slice of a batch */
	int first_inside;     /* the first scalar that is no part of the program outside of ops derivative and custom */
	int more_terms;       /* of an engine, in place of one of the trace that passes an op derivative (inside.h) */
	double stray;         /* the farthest that an engine's iterate is from a solution */
	struct shared shared; /* of the scalar whose partials are being taken */
	const struct testcase *c;    /* of the trace */
	const uint8_t *input_active; /* [float input elements] whether the element is differentiated; set per case */
	int n_input_scalar;
};

/* Makes room for notes and flows of n scalars; keeps those that exist. */
void analytic_room(struct analytic *self, int n);
/* The same, and makes the numbers of n flows. */
void analytic_make_flows(struct analytic *self, int n);

/*
 * Fills self->flow and self->value for every scalar of the trace. At kinks the assignment in `conventions` holds. The
 * seeds come from t: the cotangents of the results, backwards, or the tangents of t->wrt, forwards.
 */
struct resweep;
/* The sweep of t's kind. again: NULL, or the part of it that other conventions change (resweep.h). */
void analytic_sweep(struct analytic *self, const struct conventions *conventions, const struct transform *t,
    const struct resweep *again);
/* The same for scalars begin ... end - 1 alone, whose flows are made absent first. seed[k] gets the value of scalar
 * value[k]. No tie may be among them. */
void analytic_sweep_part(
    struct analytic *self, int begin, int end, const int *seed, const int *value, int n, bool adjoint);
/* The work of an edge of scalar k in a trace that was swept before. */
int64_t analytic_known_work(const struct analytic *self, int k);

/* Evaluates the program at c->point[which] for a sweep. Gives the order of the request, with ops `derivative`. */
int analytic_trace(struct analytic *self, const struct testcase *c, int which, struct arena *a);

/* Records how much more a usual formula loses than the best one, at flow f or on the way to it. The op with the largest
 * part is blamed. */
void analytic_share(struct flow *f, double share, enum op culprit);

/*
 * Widens the finished flow of scalar k for the passes through each scatter_mul that leaves the element alone
 * (left_alone.c). adjoint: the sweep goes backwards.
 */
void analytic_left_alone(struct analytic *self, int k, bool adjoint);
/* Counts in note[].merged the scalars that an engine may compute at once (merged.c). Call it before the first adjoint
 * sweep of a trace. */
void analytic_find_merged(struct analytic *self);
/* Widens the finished adjoint of a merged scalar: an engine may add it to those of its class. */
void analytic_merge(struct analytic *self, int k);
/* The least magnitude by which an engine divides where scalar k is the divisor. It has another case for 0. */
double analytic_least_divisor(const struct analytic *self, int k);

/* Marks the flows that a weak zero may make a NaN (weak_zero.c). Call it after a sweep of the same kind. */
void analytic_weak_zeros(struct analytic *self, const struct conventions *conventions, enum transform_kind kind);

/* Computes the partial of scalar k by parent j under the assignment, in memory of self. False if no path uses the
 * edge. */
bool analytic_partial(struct analytic *self, const struct conventions *conventions, int k, int j, struct partial *p);
/* Element e of derivative number i, after the last sweep. */
struct component analytic_component(struct analytic *self, const struct transform *t, int i, int e);

/*
 * The answers that mixtures of conventions may give at a point with a tie. types: those of the n derivatives of t. The
 * result is in the arena; conventions is working memory. again: what is left of the sweeps of t after the first one.
 */
struct hull *analytic_hull(struct analytic *self, struct conventions *conventions, const struct transform *t,
    const struct type *types, int n, const struct resweep *again, struct arena *a);

#endif

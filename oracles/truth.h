/* truth.h: what the oracles know of a case, independent of any engine. */
#ifndef ORACLES_TRUTH_H
#define ORACLES_TRUTH_H

#include "graph/testcase.h"

enum reason {
#define REASON(id, name, meaning) REASON_##id,
#include "reasons.def"
#undef REASON
	REASON_COUNT
};
extern const char *const reason_names[REASON_COUNT];

/*
 * One scalar of the truth: value + low is exact to about 100 bits.  |right engine - (value + low)| <= tight when it
 * uses the best known formulas and <= loose when it uses the worst usual ones; both absolute.  magnitude: sum of the
 * magnitudes of the path contributions.  reason != REASON_NONE: undecided, the numbers mean nothing.
 */
struct component {
	double value, low, tight, loose, magnitude;
	/* Whose formula is most of what loose is more than tight, and how much; OP_CONSTANT for nobody's. */
	enum op culprit;
	double share;
	double flushed; /* of a derivative: what flushing every flow on its paths once more would add (batch.c); 0 where
	                   nothing is flushed */
	enum reason reason;
	/* Where 0 times infinity is NaN, what the path does not lead to may make one of it: the hello of an engine may
	 * declare as much. */
	bool weak_zero;
	bool in_domain; /* every op on the path inside its domain: a NaN here is a leak even if undecided for another
	                   reason; else it is none */
};

/* Components of one tensor; integers and bool have component.value exact and radius 0. */
struct truth_tensor {
	struct type type;
	struct component *at; /* [shape_elements] */
};

/*
 * What mixtures of conventions may answer at a point that has ties: an answer outside is nobody's derivative.
 * Components are all elements of all derivatives, flattened in order.
 */
struct hull {
	int n_component;
	double *low, *high; /* [n_component]; infinite where nothing is known */
	double *slack;      /* [n_component] a radius of what lies between the assignments */
	/*
	 * Every tie decided by itself, wherever that is possible in few enough ways, else 0: all mixtures lie in the
	 * convex hull of the corners.
	 */
	int n_corner;
	double **corner; /* [n_corner][n_component] */
	bool open;       /* some tie has more answers than the assignments span (a norm at zeros) */
};

enum fd_outcome {
	FD_NOT_RUN,
	FD_AGREES,    /* both oracles agree within the finite-difference error estimate */
	FD_DISAGREES, /* converged to another value: an oracle finding */
	FD_ABSTAINS   /* no side shares the path, a side leaves the domain, or it did not converge */
};

/* Evidence of the finite-difference oracle at one point. */
struct fd_evidence {
	enum fd_outcome outcome;
	enum reason reason;               /* for FD_ABSTAINS */
	int precision;                    /* bits of the last rung */
	int step;                         /* log2 of the step */
	bool left, right;                 /* which sides share the path */
	double analytic, quotient, error; /* directional derivative by both, with the estimate */
	int component;                    /* flattened derivative component for coordinate runs, -1 for a direction */
};

/* Truth at one point. */
struct truth_point {
	int n_primal;
	struct truth_tensor *primal;
	int n_derivative;
	/*
	 * [n_assignment][n_derivative]: one assignment of conventions to the kinds of ties on the path each;
	 * n_assignment is 1 where the path has no tie.
	 */
	int n_assignment;
	struct truth_tensor **derivative;
	bool kink;         /* n_assignment > 1, or a tie whose conventions coincide */
	struct hull *hull; /* of a kink; NULL: for batches, and where conventions are too many */
	bool edge;         /* a decision was taken at exact equality */
	bool nonfinite;    /* something that is executed there is infinite or no number, in real arithmetic */
	struct fd_evidence fd;
};

struct truth {
	int n_point;
	struct truth_point *point;
};

struct oracle;

struct oracle_rules;

struct oracle_options {
	uint64_t seed; /* chooses the share and the directions of finite differences */
	int fd_one_in; /* finite differences run on one case in this many (1: all), and always where something is off */
	/* By dtype: some engine that is judged may flush subnormal numbers to 0, which then lie in the ball.
	 * TOLERANCE.md, "Flushing to zero". */
	bool flushes[DTYPE_COUNT];
	const struct oracle_rules
	    *rules; /* NULL: right ones; others (oracle_rules.h) are for trying whether a fault is seen */
};

/* Holds pools of MPFR values; one a thread.  Exits with code 4 only if memory is out. */
struct oracle *oracle_open(const struct oracle_options *o);
void oracle_close(struct oracle *self);

/* Both oracles on c (checked).  Everything in the arena. */
void oracle_truth(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *out);

/*
 * What the functions of an engine may be off by from now on, by op; what is less than usual counts as usual, and
 * arithmetic is what it is. [OP_COUNT], the caller's; NULL: as usual.
 */
void oracle_accuracy(struct oracle *self, const struct op_accuracy *of);

/*
 * Called when an engine disagrees: runs finite differences on every coordinate that is not confirmed yet, at every
 * point, and updates evidence and reasons (a disagreement makes components undecided(oracle)).
 */
void oracle_confirm(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *io);

/* Seconds spent in this oracle since open, and how many truths and finite-difference runs. */
struct oracle_statistics {
	double analytic_seconds, fd_seconds;
	int64_t truths, fd_runs, fd_escalations, fd_disagreements;
};
struct oracle_statistics oracle_statistics(const struct oracle *self);

#endif

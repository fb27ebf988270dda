/* truth.h: what the oracles know about a case. It does not depend on any engine. */
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
 * One number of the truth.
 *
 * value + low is exact to about 100 bits of the largest term that it is computed from: where terms cancel, fewer of its
 * own bits are right. A correct engine is at most tight away if it uses the best known formulas, and at most loose if
 * it uses the worst usual ones. Both radii are absolute. magnitude is the sum of the magnitudes of the path
 * contributions. If reason is not REASON_NONE, the component is undecided and the numbers mean nothing.
 *
 * If narrow, less than the ball of radius loose is allowed: an error from -down to up, or one of at least leap
 * (TOLERANCE.md, "One side, and leaps").
 */
struct component {
	double value, low, tight, loose, magnitude;
	double down, up, leap; /* only if narrow; down and up are at least tight */
	bool narrow;
	/* A usual formula returns 0 for the whole component, because it leaves the range or subtracts from 1. */
	bool vanishes;
	/* If above 0: loose is larger than this only because an engine may divide a product by a factor. */
	double undivided;
	/* The op whose formula adds most to loose - tight, and how much; OP_CONSTANT: none. */
	enum op culprit;
	double share;
	/* For a derivative: what flushing every flow on its paths once more would add (batch.c); 0 if nothing is
	 * flushed. */
	double flushed;
	enum reason reason;
	/* A usual formula leaves the range of the dtype: it may give an infinity or a NaN. A number that it gives is at
	 * most loose away. */
	bool escapes;
	/* In an engine whose zeros multiply like any number (0 * inf = NaN), parts off the path may make this
	 * component a NaN. An engine may declare that in its hello. */
	bool weak_zero;
	/* Every op on the path is inside its domain. A NaN is then a leak, even if the component is undecided for
	 * another reason; otherwise it is not. */
	bool in_domain;
	const struct alternatives *alternatives; /* for an undecided one: component_alternatives; usually NULL */
};

/*
 * What an undecided component may be: one number for each choice that an engine may make (analytic/alternatives.h).
 * A correct engine makes any of them, or shares a maximum of numbers that come out equal. Its answer is at most
 * `margin` below `low` or above `high`.
 */
struct alternatives {
	enum reason reason; /* of the component; if it has another one by now, these do not count */
	bool counted;       /* an answer outside is counted, and is no finding */
	int n;
	const struct component *at; /* [n] decided */
	double low, high, margin;
	bool escapes, in_domain;
};

/* The alternatives of an undecided component; NULL: none. */
static inline const struct alternatives *component_alternatives(const struct component *c)
{
	return c->reason && c->alternatives && c->alternatives->reason == c->reason ? c->alternatives : NULL;
}

/* Components of one tensor. Integers and bool have an exact component.value and radius 0. */
struct truth_tensor {
	struct type type;
	struct component *at; /* [shape_elements] */
};

/*
 * The answers that mixtures of conventions may give at a point with ties. An answer outside is no generalized
 * derivative. Components are all elements of all derivatives, flattened in order.
 */
struct hull {
	int n_component;
	double *low, *high; /* [n_component]; infinite where no bound is known */
	double *slack;      /* [n_component] radius of an answer between the assignments */
	/*
	 * [n_component] Errors within slack have at most the magnitude inner, or at least leap (TOLERANCE.md, "One
	 * side, and leaps"). inner INFINITY: nothing is known. Both are NULL if there are no corners.
	 */
	double *inner, *leap;
	/*
	 * Derivatives with every tie decided on its own; none if that gives too many. All mixtures lie in the convex
	 * hull of the corners.
	 */
	int n_corner;
	double **corner; /* [n_corner][n_component] */
	bool open;       /* some tie has more answers than the assignments span (a norm at zeros) */
};

enum fd_outcome {
	FD_NOT_RUN,
	FD_AGREES,    /* both oracles agree within the finite-difference error estimate */
	FD_DISAGREES, /* the quotients converge to another value: an oracle finding */
	FD_ABSTAINS   /* no side shares the path, a side leaves the domain, or the quotients do not converge */
};

/* Evidence of the finite-difference oracle at one point. */
struct fd_evidence {
	enum fd_outcome outcome;
	enum reason reason;               /* for FD_ABSTAINS */
	int precision;                    /* bits of the last rung */
	int step;                         /* log2 of the step */
	bool left, right;                 /* which sides share the path of the point */
	double analytic, quotient, error; /* directional derivative by both oracles, and the error estimate */
	int component; /* flattened number of the derivative's component in a coordinate run, -1 for a direction */
};

/* Truth at one point. */
struct truth_point {
	int n_primal;
	struct truth_tensor *primal;
	int n_derivative;
	/*
	 * [n_assignment][n_derivative]. An assignment is one choice of convention for each kind of tie on the path;
	 * n_assignment is 1 if there is no tie.
	 */
	int n_assignment;
	struct truth_tensor **derivative;
	bool kink;         /* n_assignment > 1, or a tie whose conventions coincide */
	struct hull *hull; /* for a kink; NULL for batches, and if there are too many conventions */
	bool edge;         /* a decision was taken at exact equality */
	bool nonfinite;    /* some executed value is infinite or NaN, in real arithmetic */
	struct fd_evidence fd;
};

struct truth {
	int n_point;
	struct truth_point *point;
};

struct oracle;

struct oracle_rules;

/* Which alternatives an oracle computes (analytic/alternatives.def). */
enum alternatives_use {
	ALTERNATIVES_LISTED, /* those that are switched on; an answer outside of them is a finding */
	ALTERNATIVES_COUNTED /* the others as well: no verdict changes, and judgement.beyond counts */
};

struct oracle_options {
	uint64_t seed; /* selects the cases and the directions for finite differences */
	int fd_one_in; /* finite differences run on one case in this many (1: all), and always where an answer is off */
	/* By dtype: some engine under test may flush subnormal numbers to 0. The ball then contains those zeros
	 * (TOLERANCE.md, "Flushing to zero"). */
	bool flushes[DTYPE_COUNT];
	enum alternatives_use alternatives;
	/* All memory that is kept between cases is taken from the system at once.  Otherwise the first large cases take
	 * it, and a long campaign seems to grow. */
	bool whole;
	const struct oracle_rules
	    *rules; /* NULL: the right ones; faulty ones (oracle_rules.h) test whether a fault is seen */
};

/* Opens the oracles, which hold pools of MPFR values; use one per thread. Exits with code 4 if memory runs out, and
 * for no other reason. */
struct oracle *oracle_open(const struct oracle_options *o);
void oracle_close(struct oracle *self);

/* Runs both oracles on c (checked). All results are in the arena. */
void oracle_truth(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *out);
/* The same, but finite differences run only where they are needed for a verdict: at edges. fd_one_in does not matter.
 */
void oracle_truth_at_edges(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *out);

/*
 * Sets how far off the functions of an engine may be from now on, by op: [OP_COUNT], kept by the caller; NULL: as
 * usual. A smaller error than usual counts as usual. Errors of arithmetic do not change.
 */
void oracle_accuracy(struct oracle *self, const struct op_accuracy *of);

/*
 * Says whether the next truths allow for an engine that regroups sums and products across ops: (3 x) y may be 3 (x y)
 * there, and x/3 may be x times 1/3. Both radii then bound such an engine, and are no smaller than usual.
 */
void oracle_regroups(struct oracle *self, bool regroups);

/*
 * For an engine that disagrees: runs finite differences on every coordinate that is not confirmed yet, at every point.
 * Updates evidence and reasons; where the oracles disagree, components become undecided(oracle).
 */
void oracle_confirm(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *io);

/* Seconds spent in the oracles since oracle_open, and the numbers of truths and finite-difference runs. */
struct oracle_statistics {
	double analytic_seconds, fd_seconds;
	int64_t work; /* what all that cost, in counted nanoseconds (evaluate/work.h): the same on every machine */
	int64_t truths, fd_runs, fd_escalations, fd_disagreements;
};
struct oracle_statistics oracle_statistics(const struct oracle *self);

#endif

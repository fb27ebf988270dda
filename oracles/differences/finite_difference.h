/*
 * finite_difference.h: directional derivatives from the primal alone.
 *
 * Knows no derivative rule: it evaluates the program at x, x + h d and x - h d in MPFR and forms the one-sided
 * quotients.  Central differences alone would call |x| differentiable at 0, so both sides are kept apart until they are
 * known to take the path of x.
 */
#ifndef ORACLES_DIFFERENCES_FINITE_DIFFERENCE_H
#define ORACLES_DIFFERENCES_FINITE_DIFFERENCE_H

#include "oracles/truth.h"

/* One evaluation per rung of the ladder of precisions, reused between cases; one a thread. */
struct fd;
struct oracle_rules;

/* The rules (oracle_rules.h) must stay. */
struct fd *fd_open(const struct oracle_rules *rules);
void fd_close(struct fd *self);

/* Turns to point `which` of c; what was evaluated for another point is forgotten.  c and a must outlive the
 * measurements. */
void fd_begin(struct fd *self, const struct testcase *c, int which, struct arena *a);

/* Float elements of the program's results, flattened in order: what weights and targets count. */
int fd_components(const struct fd *self);

/*
 * One functional of the results, sum of weight[j] * component j for j = first ... first + count - 1, whose derivative
 * along the direction is wanted.  The doubles are in units of 2^scale.
 */
struct fd_target {
	int first, count, scale;
	bool known;        /* compare with value + low; else only converge */
	double value, low; /* the analytic derivative along the direction */
	double tolerance;  /* how far a right engine may be off */
	double magnitude;  /* sum of the magnitudes of what adds up to the value */

	/*
	 * Results.  Not known: FD_AGREES means converged.  error: a bound on the distance of quotient + quotient_low
	 * (known: of `excess`, what the quotient is more than the known value) from the derivative along the path, of
	 * an FD_AGREES or FD_DISAGREES.
	 */
	enum fd_outcome outcome;
	enum reason reason; /* of FD_ABSTAINS */
	double quotient, quotient_low, excess, error;
};

/* Whether the excess over the known value is within the error. */
bool fd_accepts(const struct fd_target *t, double excess);
/* The target abstains for this reason. */
void fd_abstain(struct fd_target *t, enum reason reason);
/* Disagreement outweighs abstention, which outweighs agreement. */
int fd_outcome_rank(enum fd_outcome outcome);

struct fd_run {
	const struct tensor *direction; /* [n_input]; zeros do not move */
	int step;                       /* added to the log2 steps of the ladder */
	const double *weight;           /* [fd_components]; 0 leaves a component out, whatever its value */
	int n_target;
	struct fd_target *target;

	/* Results, of the last rung. */
	int precision, log_step, n_rung;
	bool left, right; /* the side takes the path of the point */
	int64_t work;     /* scalars evaluated */
};

/* Clears the results of the run and of its targets. */
void fd_reset(struct fd_run *run);

/*
 * Measures all targets at once, climbing the ladder while one of them is not settled.  A side that shares the path of
 * the point decides; without one, a target abstains: REASON_JUMP when its values do not tend to the value at the point,
 * else REASON_ISOLATED_PATH.
 */
void fd_measure(struct fd *self, struct fd_run *run, struct arena *a);

#endif

/*
 * rounding.h: correct engines that round as badly as a correct engine may.  They are the adversary of the oracles'
 * ball.
 *
 * The ball (oracles/TOLERANCE.md) uses three facts about rounding to nearest:
 *
 * - A result y is off by at most half a unit in the last place of its binade, u 2^floor(log2|y|), or by half a
 *   subnormal.
 * - A result that is a value of the dtype is exact.
 * - No addition is off by more than its smaller operand.
 *
 * So the answers of any engine that keeps these facts must lie in the ball.  Stochastic rounding to the p bits of the
 * dtype breaks them: it is off by up to a whole unit.  Stochastic rounding to p + 1 bits keeps them.  It picks one of
 * the two values with one more bit around the exact result, which are half a unit apart.  What p bits can hold, p + 1
 * bits can hold too.  So a result is one of these, as the seed says:
 *
 * - One of the two values of p + 1 bits around the exact one. It is picked at random, or always above, below, away from
 *   0 or towards 0, which makes errors add up.
 * - The exact result moved by half a unit, or by a random part of that, and kept in binary64, as an engine with wide
 *   registers would. Products and quotients by powers of two are exact in the dtype and stay exact.
 * - The nearest value of the dtype.
 *
 * f64 has no bit to spare here: its results are always the nearest (at a tie, either one).  Its random parts are the
 * order, the formulas and the functions.  The ball uses the same code for all dtypes.
 *
 * The exact result is known to 106 bits, from error-free transformations of sums and products and from remainders of
 * quotients and roots.  Sources: Ogita, Rump and Oishi 2005; Muller et al., Handbook of Floating-Point Arithmetic, 2nd
 * ed., ch. 4.  Elementary functions are off by the ulps that glibc states, in ulps of the dtype.
 *
 * A kernel is still a function: given the same values again it returns the same (rounding_restart).  This lets an
 * oracle know the derivative of a maximum of two values that are computed alike.
 *
 * Every step of a rule is rounded in the dtype, not only its result.  Sums are added in a random tree, and products are
 * grouped at random.  Partials use one of the usual formulas.
 *
 * An engine may flush as well (`NAME:flushing=SEED`).  Subnormal results of arithmetic are then 0; or operands of
 * arithmetic and comparisons too; or some of them, as a coin says.  Ops that move or select keep the bits.  The ball
 * contains these answers only if the oracles were told of the flushing.
 */
#ifndef ENGINES_KERNELS_ROUNDING_H
#define ENGINES_KERNELS_ROUNDING_H

#include "graph/program.h"
#include "engines/engine.h"

/*
 * A probe (engine_magnify_rounding) is not a correct engine.  Every result that is not exact is off by up to so many
 * times half a unit, and no result is the same twice.  The scatter of its answers shows how much of an answer rounding
 * may be, in any dtype, also in f64.  Exact results stay exact, so the path is that of all correct engines.
 */

/* How the answers of an engine are rounded. */
struct rounding {
	bool seeded; /* rounds by the generator of `seed`, not to nearest; each answer restarts it, so the same case
	                gets the same answer */
	uint64_t seed;
	double times; /* factor by which errors are magnified; 0: they are not */
	bool flushes; /* some subnormal numbers become 0 */
};

/* engine_answer calls these before and after an answer. */
void rounding_begin(const struct rounding *how);
void rounding_end(void);
/* Whether the engine at work is a probe; and what its last answer met. */
bool rounding_probes(void);
struct rounding_seen rounding_seen(void);

/*
 * Whether a seed is at work.  Every engine asks once per node.  The model is initial-exec, because the general model of
 * position-independent code needs a call.
 */
extern _Thread_local bool rounding_active __attribute__((tls_model("initial-exec")));

/* Results by seeded rounding in dtype d. */
double rounding_once(enum dtype d, double x); /* x, exact */
double rounding_add(enum dtype d, double a, double b);
double rounding_mul(enum dtype d, double a, double b);
double rounding_div(enum dtype d, double a, double b);
double rounding_sqrt(enum dtype d, double a);
/*
 * Rounds y, a function's value in binary64 that is right to an ulp.  The result is off by up to `ulps` of d in all.
 * 0.5: rounded once; 0: y is already a value of d.
 */
double rounding_function(enum dtype d, double y, double ulps);
/* The sum and the product of n values of d, combined in random order.  The contents of the array are lost. */
double rounding_sum(enum dtype d, double *term, int n);
double rounding_product(enum dtype d, double *factor, int n);
/*
 * Restarts the generator from op, these values and the seed.  So a kernel that is given the same values again returns
 * the same, as any engine's does.
 */
void rounding_restart(enum op op, const double *x, int n);
/*
 * rounding_reads_zeros: whether subnormal operands may be read as 0. rounding_read: x as an op without arithmetic reads
 * it.  That is x itself, or a copy in the arena.
 */
bool rounding_reads_zeros(void);
const struct tensor *rounding_read(const struct tensor *x, struct arena *a);
/*
 * rounding_pick: one of 0 .. n-1 at random. rounding_formula: one of n formulas; a probe takes them in turn, seed by
 * seed.
 */
int rounding_pick(int n);
int rounding_formula(int n);

/* Runs an op that rounds, instead of kernel_run_into.  False for all other ops. */
bool rounding_kernel(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a);
/*
 * The product of matrices.  Terms whose factor from operand `strong` (0, 1; -1: neither) is 0 are left out.  `out` is
 * zeroed.
 */
void rounding_matmul(
    const struct tensor *left, const struct tensor *right, int strong, struct tensor *out, struct arena *a);

/*
 * The adjoint table's seams for products and for sums of contributions (rules.h).  Their callers know the dtype and
 * round the result by rounding_late.
 */
double rounding_seam_multiply(double cotangent, double partial);
double rounding_seam_accumulate(double sum, double term);

/* Rounds a result that was formed in binary64 as the engine does.  Without a seed that is to nearest. */
double rounding_late(enum dtype d, double x);
static inline double round_to(enum dtype d, double x)
{
	return rounding_active ? rounding_late(d, x) : dtype_round(d, x);
}

#endif

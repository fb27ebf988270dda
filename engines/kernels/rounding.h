/*
 * rounding.h: right engines that round as badly as any right engine may: the adversary of the oracles' ball.
 *
 * All that the ball (oracles/TOLERANCE.md) uses of rounding is what rounding to nearest has: a result y is off by at
 * most half a unit in the last place of its binade, u 2^floor(log2|y|) or half a subnormal; a result that is a value of
 * the dtype is exact; no addition is off by more than its smaller operand. So an engine that keeps to this must stay
 * inside, whatever else it does.  Stochastic rounding to the p bits of the dtype does not keep to it: it is off by up
 * to a whole unit.  Stochastic rounding to p + 1 bits does: it picks one of the two values with one more bit around the
 * exact result, which are half a unit apart, and what p bits hold p + 1 bits hold.  So a result is, as the seed says,
 * one of
 *
 *   - the values of p + 1 bits around the exact one, picked at random, or always above, below, away from or towards 0,
 * which makes errors add up;
 *   - the exact one moved by up to half a unit, or by just that, and kept in binary64, as an engine with wide registers
 * would: products and quotients by powers of two, which are exact in the dtype, stay so;
 *   - the nearest value of the dtype.
 *
 * f64 has no bit to spare here: its results are always the nearest (of two as near, any); what is random in it is the
 * order, the formulas and the functions.  The ball's code is one for all dtypes.  What the exact result is, is known to
 * 106 bits: from error-free transformations of sums and products, and from remainders of quotients and roots (Ogita,
 * Rump and Oishi 2005; Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., ch. 4). Elementary functions are
 * off by the ulps that glibc states, of the dtype.
 *
 * A kernel is a function all the same: given the same values again it returns the same (rounding_restart), which is
 * what lets an oracle know the derivative of a maximum of two values that are computed alike. Every step of a rule is
 * rounded in the dtype, not its result alone; sums are added up in a random tree; products are grouped at random;
 * partials are formed by one of the usual formulas.
 *
 * An engine may flush as well (`NAME:flushing=SEED`): results of arithmetic that are subnormal are 0, or operands of
 * arithmetic and comparisons too, or, as a coin says, some of them; what moves or selects keeps the bits.  The ball
 * holds that only where the oracles were told of it.
 */
#ifndef ENGINES_KERNELS_ROUNDING_H
#define ENGINES_KERNELS_ROUNDING_H

#include "graph/program.h"
#include "engines/engine.h"

/*
 * A probe (engine_magnify_rounding) is no right engine: every result that is not exact is off by up to so many times
 * half a unit, and nothing is the same twice. How far its answers scatter says how much of an answer rounding may be,
 * in any dtype, f64 included.  What is exact stays so: the path is that of all right engines.
 */

/* How the answers of an engine are rounded. */
struct rounding {
	bool seeded; /* by the generator of `seed`, not to nearest; each answer starts it anew, so the same case gets
	                the same answer */
	uint64_t seed;
	double times; /* errors are magnified so many times; 0: they are not */
	bool flushes; /* and some of what is subnormal is 0 */
};

/* What engine_answer does before and after. */
void rounding_begin(const struct rounding *how);
void rounding_end(void);
/* Whether the engine at work is a probe; and what its last answer met. */
bool rounding_probes(void);
struct rounding_seen rounding_seen(void);

/*
 * Whether a seed is at work.  Asked once per node by every engine: initial-exec, for the general model of
 * position-independent code is a call.
 */
extern _Thread_local bool rounding_active __attribute__((tls_model("initial-exec")));

/* Results by seeded rounding in dtype d. */
double rounding_once(enum dtype d, double x); /* x, exact */
double rounding_add(enum dtype d, double a, double b);
double rounding_mul(enum dtype d, double a, double b);
double rounding_div(enum dtype d, double a, double b);
double rounding_sqrt(enum dtype d, double a);
/* y, a function's value in binary64 to an ulp of that, off by up to `ulps` of d in all; 0.5: rounded once, 0: a value
 * of d already. */
double rounding_function(enum dtype d, double y, double ulps);
/* The sum, and the product, of n values of d, in random order; what is in term[] is lost. */
double rounding_sum(enum dtype d, double *term, int n);
double rounding_product(enum dtype d, double *factor, int n);
/*
 * From here on as always after op and these values under this seed: a kernel that is given the same once more returns
 * the same, as that of any engine does.
 */
void rounding_restart(enum op op, const double *x, int n);
/* Whether subnormal operands may be read as 0; and x as such an op reads it that does no arithmetic: x itself, or a
 * copy in the arena. */
bool rounding_reads_zeros(void);
const struct tensor *rounding_read(const struct tensor *x, struct arena *a);
/* One of 0 .. n-1; and one of n formulas, which a probe takes in turn, seed by seed. */
int rounding_pick(int n);
int rounding_formula(int n);

/* The kernels of ops that round, in the place of kernel_run_into: false for all others. */
bool rounding_kernel(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a);
/* Product of matrices; terms whose factor from operand `strong` (0, 1; -1: neither) is 0 are left out.  out: zeroed. */
void rounding_matmul(
    const struct tensor *left, const struct tensor *right, int strong, struct tensor *out, struct arena *a);

/*
 * The seams of the adjoint table for products and for sums of contributions (rules.h), whose callers know the dtype and
 * round what they get: by rounding_late.
 */
double rounding_seam_multiply(double cotangent, double partial);
double rounding_seam_accumulate(double sum, double term);

/* A result that was formed in binary64, as the engines round it: to nearest where no seed is at work. */
double rounding_late(enum dtype d, double x);
static inline double round_to(enum dtype d, double x)
{
	return rounding_active ? rounding_late(d, x) : dtype_round(d, x);
}

#endif

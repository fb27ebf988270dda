/*
 * work_weights.c: what a scalar operation costs in MPFR, in nanoseconds, in a build with -Darb=disabled.  The weights
 * of oracles/evaluate/work.def come from its output: by op and precision, for operands of ordinary size, and for
 * operands of every size.
 *
 * A row has, for each precision, the mean over operands between 2^-4 and 2^4, and the largest mean over the other
 * classes of exponents.  Each number is the least of REPEATS measurements.
 */
#include "graph/program.h"
#include "oracles/evaluate/elementary.h"
#include "oracles/evaluate/memo.h"
#include "oracles/evaluate/scalar_ops.h"

#include <mpfr.h>
#include <stdio.h>
#include <time.h>

enum { NUMBERS = 16, REPEATS = 3, CLASSES = 8, PRECISIONS = 4 };

static const mpfr_prec_t precisions[PRECISIONS] = {128, 256, 512, 2560};
/* Exponents of the operands: from, to. */
static const int classes[CLASSES][2] = {
    {-4, 4}, {-1100, -500}, {-120, -60}, {-30, -10}, {4, 7}, {8, 12}, {30, 120}, {500, 1024}};

/* The ops of a trace (scalar_ops.c) that are not copies, and their like. */
static const enum op ops[] = {OP_ADD, OP_MUL, OP_DIV, OP_MAX, OP_SQUARE, OP_SQRT, OP_RSQRT, OP_EXP, OP_EXPM1, OP_LOG,
    OP_LOG1P, OP_SIN, OP_COS, OP_TAN, OP_ASIN, OP_ACOS, OP_ATAN, OP_SINH, OP_COSH, OP_TANH, OP_ASINH, OP_ACOSH,
    OP_ATANH, OP_LOGISTIC, OP_ERF, OP_POW, OP_ATAN2, OP_MOD, OP_FLOOR_DIVIDE};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Fills x[2 * NUMBERS] with positive operands of that class whose bits are random. */
static void draw(mpfr_t *x, mpfr_prec_t precision, const int range[2], bool below_one, gmp_randstate_t random)
{
	for (int k = 0; k < 2 * NUMBERS; k++) {
		mpfr_set_prec(x[k], precision);
		mpfr_urandomb(x[k], random);
		mpfr_add_d(x[k], x[k], 0.5, MPFR_RNDN);
		mpfr_mul_2si(x[k], x[k], range[0] + (range[1] - range[0]) * k / (2 * NUMBERS), MPFR_RNDN);
		if (below_one && mpfr_cmp_ui(x[k], 1) >= 0)
			mpfr_ui_div(x[k], 1, x[k], MPFR_RNDN);
	}
}

static double cost(enum op op, mpfr_t *x, mpfr_ptr out)
{
	double least = 1e30;

	for (int r = 0; r < REPEATS; r++) {
		memo_free(); /* otherwise the second time is that of finding the result of the first */
		const double start = now();

		for (int k = 0; k < NUMBERS; k++) {
			mpfr_srcptr const operand[] = {x[2 * k], x[2 * k + 1]};

			scalar_value(op, out, operand, 2);
		}
		least = now() - start < least ? now() - start : least;
	}
	return least / NUMBERS;
}

static bool below_one(enum op op) { return op == OP_ASIN || op == OP_ACOS || op == OP_ATANH; }

static void measure(enum op op, mpfr_t *x, gmp_randstate_t random)
{
	mpfr_t out;

	printf("%-12s", op_table[op].name);
	for (int p = 0; p < PRECISIONS; p++) {
		double usual = 0, worst = 0;

		mpfr_init2(out, precisions[p]);
		for (int c = 0; c < CLASSES; c++) {
			double ns;

			draw(x, precisions[p], classes[c], below_one(op), random);
			ns = cost(op, x, out);
			if (!c)
				usual = ns;
			worst = ns > worst ? ns : worst;
		}
		mpfr_clear(out);
		printf(" %9.0f %9.0f", usual, worst);
	}
	putchar('\n');
}

int main(void)
{
	gmp_randstate_t random;
	mpfr_t x[2 * NUMBERS];

	mp_setup();
	gmp_randinit_default(random);
	for (int k = 0; k < 2 * NUMBERS; k++)
		mpfr_init2(x[k], 128);
	printf("ns per operation: usual and worst, at 128, 256, 512 and 2560 bits\n");
	for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
		measure(ops[k], x, random);
	for (int k = 0; k < 2 * NUMBERS; k++)
		mpfr_clear(x[k]);
	gmp_randclear(random);
	elementary_free_cache();
	return 0;
}

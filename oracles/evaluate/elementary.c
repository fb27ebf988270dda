/* elementary.c: which elementary functions Arb is asked for, and for which operands. */
#include "elementary.h"

#include <stdlib.h>

/* An operand below 2^-(bits / 2) adds less than 2^-bits of itself to the first term of a series. */
#define TINY (-bits / 2)

/* 2^e <= n, for n >= 1. */
static bool below(long e, long n) { return e < 1 || (e < 30 && 1L << e <= n); }

#define UNARY(name, arb, worth) \
	static bool worth_##name(mpfr_srcptr a, long bits) \
	{ \
		long e = mpfr_get_exp(a); \
		return (void)bits, (void)e, (worth); \
	} \
	int elementary_##name(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd) \
	{ \
		int ternary; \
		return rnd == MPFR_RNDN && mpfr_regular_p(a) && worth_##name(a, mpfr_get_prec(out)) && \
		        elementary_by_arb(ELEMENTARY_##name, out, a, NULL, &ternary) \
		    ? ternary \
		    : mpfr_##name(out, a, rnd); \
	}
#define BINARY(name, arb, worth) \
	static bool worth_##name(mpfr_srcptr a, mpfr_srcptr b, long bits) \
	{ \
		long e = mpfr_get_exp(a), eb = mpfr_get_exp(b); \
		return (void)bits, (worth); \
	} \
	int elementary_##name(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd) \
	{ \
		int ternary; \
		return rnd == MPFR_RNDN && mpfr_regular_p(a) && mpfr_regular_p(b) && \
		        worth_##name(a, b, mpfr_get_prec(out)) && \
		        elementary_by_arb(ELEMENTARY_##name, out, a, b, &ternary) \
		    ? ternary \
		    : mpfr_##name(out, a, b, rnd); \
	}
#include "elementary.def"
#undef UNARY
#undef BINARY

const struct elementary_row elementary_table[ELEMENTARY_COUNT] = {
#define UNARY(name, arb, worth)  [ELEMENTARY_##name] = {#name, elementary_##name, mpfr_##name, NULL, NULL},
#define BINARY(name, arb, worth) [ELEMENTARY_##name] = {#name, NULL, NULL, elementary_##name, mpfr_##name},
#include "elementary.def"
#undef UNARY
#undef BINARY
};

#ifndef ADJUDGE_ARB
void elementary_free_cache(void) { mpfr_free_cache(); }
#endif

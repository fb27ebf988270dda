/* elementary.c: which elementary functions Arb is asked for, and for which operands. */
#include "elementary.h"
#include "memo.h"

#include <stdlib.h>

#define R MPFR_RNDN

/* An operand below 2^-(bits / 2) adds less than 2^-bits of itself to the first term of a series. */
#define TINY (-bits / 2)

/* 2^e <= n, for n >= 1. */
static bool below(long e, long n) { return e < 1 || (e < 30 && 1L << e <= n); }

static int compute(enum elementary f, mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b)
{
	const struct elementary_row *row = &elementary_table[f];
	int ternary;
	if (elementary_by_arb(f, out, a, b, &ternary))
		return ternary;
	return b ? row->binary_mpfr(out, a, b, R) : row->unary_mpfr(out, a, R);
}

/* f(a, b), or f(a) if b is NULL, for operands that are worth it. */
static int apply(enum elementary f, mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b)
{
	/* out may be an operand, so the place takes the question before it is answered. */
	struct memo_place *place = memo_ask(&(struct memo_question){(int)f, mpfr_get_prec(out), a, b});
	int ternary;
	if (!place)
		return compute(f, out, a, b);
	if (!memo_recall(place, out, &ternary)) {
		ternary = compute(f, out, a, b);
		memo_keep(place, out, ternary);
	}
	return ternary;
}

#define UNARY(name, arb, worth) \
	static bool worth_##name(mpfr_srcptr a, long bits) \
	{ \
		long e = mpfr_get_exp(a); \
		return (void)bits, (void)e, (worth); \
	} \
	int elementary_##name(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd) \
	{ \
		bool tried = rnd == R && mpfr_regular_p(a) && worth_##name(a, mpfr_get_prec(out)); \
		return tried ? apply(ELEMENTARY_##name, out, a, NULL) : mpfr_##name(out, a, rnd); \
	}
#define BINARY(name, arb, worth) \
	static bool worth_##name(mpfr_srcptr a, mpfr_srcptr b, long bits) \
	{ \
		long e = mpfr_get_exp(a), eb = mpfr_get_exp(b); \
		return (void)bits, (worth); \
	} \
	int elementary_##name(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd) \
	{ \
		bool tried = rnd == R && mpfr_regular_p(a) && mpfr_regular_p(b) && \
		    worth_##name(a, b, mpfr_get_prec(out)); \
		return tried ? apply(ELEMENTARY_##name, out, a, b) : mpfr_##name(out, a, b, rnd); \
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

void elementary_free_cache(void)
{
	memo_free();
	elementary_free_arb();
	mpfr_free_cache();
}

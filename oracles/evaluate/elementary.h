/*
 * elementary.h: elementary functions with the results of MPFR, computed by Arb where the build has it and it is faster.
 *
 * elementary_NAME(out, a, rnd), elementary_NAME(out, a, b, rnd): out = NAME, and the ternary value, bit for bit as
 * mpfr_NAME gives them. So no result depends on Arb. It is a ball that contains the exact value. Where all of the ball
 * rounds alike, that is the correctly rounded value; elsewhere MPFR is asked. Results are kept for a while (memo.h).
 * out may be an operand. MPFR's flags mean nothing afterwards.
 */
#ifndef ORACLES_EVALUATE_ELEMENTARY_H
#define ORACLES_EVALUATE_ELEMENTARY_H

#include <mpfr.h>
#include <stdbool.h>

#define UNARY(name, arb, worth)  int elementary_##name(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd);
#define BINARY(name, arb, worth) int elementary_##name(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd);
#include "elementary.def"
#undef UNARY
#undef BINARY

enum elementary {
#define UNARY(name, arb, worth) ELEMENTARY_##name,
#define BINARY                  UNARY
#include "elementary.def"
#undef UNARY
#undef BINARY
	ELEMENTARY_COUNT
};

/* Frees what is kept for this thread: results, and the digits of pi in MPFR and Arb. A thread that used them calls it
 * at its end.
 */
void elementary_free_cache(void);

/* ---- for the audit ---- */

/* A function, and MPFR's own; those of one operand, or those of two, are NULL. */
struct elementary_row {
	const char *name;
	int (*unary)(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd);
	int (*unary_mpfr)(mpfr_ptr out, mpfr_srcptr a, mpfr_rnd_t rnd);
	int (*binary)(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd);
	int (*binary_mpfr)(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rnd);
};
extern const struct elementary_row elementary_table[ELEMENTARY_COUNT];

#ifdef ADJUDGE_ARB
/* Whether the build has Arb. */
static inline bool elementary_has_arb(void) { return true; }
/*
 * Tries Arb: true if its ball says how the exact value rounds to nearest, with the value in out and in *ternary. The
 * operands are regular; b is NULL for a function of one operand. out may be an operand.
 */
bool elementary_by_arb(enum elementary f, mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, int *ternary);
/*
 * Whether Arb's ball of f(a, b), with 16 bits more than x has, meets the numbers within half a unit in the last place
 * of x. True where it says nothing: for an x that is 0, infinite or NaN, or a ball that is not finite.
 */
bool elementary_ball_holds(enum elementary f, mpfr_srcptr x, mpfr_srcptr a, mpfr_srcptr b);
/* Frees what Arb keeps for this thread. */
void elementary_free_arb(void);
#else
static inline void elementary_free_arb(void) {}
static inline bool elementary_has_arb(void) { return false; }
static inline bool elementary_by_arb(enum elementary f, mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, int *ternary)
{
	return (void)f, (void)out, (void)a, (void)b, (void)ternary, false;
}
static inline bool elementary_ball_holds(enum elementary f, mpfr_srcptr x, mpfr_srcptr a, mpfr_srcptr b)
{
	return (void)f, (void)x, (void)a, (void)b, true;
}
#endif

#endif

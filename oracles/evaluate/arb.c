/* arb.c: elementary functions by Arb, correctly rounded (elementary.h). Only in builds with Arb. */
#include "elementary.h"

#if ADJUDGE_ARB >= 3 /* FLINT 3 contains Arb */
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
#else
#include <arb.h>
#include <arb_hypgeom.h>
#endif

#define R MPFR_RNDN

/* Bits beyond the precision of the result: 16 leave one ball in thousands that cannot be rounded, 72 next to none. */
static const slong guard[] = {16, 72};

static const struct arb_function {
	void (*unary)(arb_t z, const arb_t x, slong bits);
	void (*binary)(arb_t z, const arb_t x, const arb_t y, slong bits);
} functions[ELEMENTARY_COUNT] = {
#define UNARY(name, arb, worth)  [ELEMENTARY_##name] = {.unary = arb},
#define BINARY(name, arb, worth) [ELEMENTARY_##name] = {.binary = arb},
#include "elementary.def"
#undef UNARY
#undef BINARY
};

/* The operands as balls of radius 0, and the result. */
struct balls {
	arb_t z, x, y;
};

static void balls_begin(struct balls *s, mpfr_srcptr a, mpfr_srcptr b)
{
	arb_init(s->z);
	arb_init(s->x);
	arb_init(s->y);
	arf_set_mpfr(arb_midref(s->x), a);
	if (b)
		arf_set_mpfr(arb_midref(s->y), b);
}

static void balls_end(struct balls *s)
{
	arb_clear(s->z);
	arb_clear(s->x);
	arb_clear(s->y);
}

static void balls_apply(struct balls *s, enum elementary f, slong bits)
{
	if (functions[f].unary)
		functions[f].unary(s->z, s->x, bits);
	else
		functions[f].binary(s->z, s->x, s->y, bits);
}

bool elementary_by_arb(enum elementary f, mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, int *ternary)
{
	slong bits = mpfr_get_prec(out);
	bool rounds = false, known = true;
	struct balls s;
	balls_begin(&s, a, b);
	for (size_t k = 0; k < sizeof guard / sizeof *guard && known && !rounds; k++) {
		balls_apply(&s, f, bits + guard[k]);
		/* Arb has no -0 and does not say how it came to an infinity. A ball that is 0 alone stays so. */
		known = arb_is_finite(s.z) && !arb_is_zero(s.z);
		rounds = known && !arf_is_zero(arb_midref(s.z)) && arb_can_round_mpfr(s.z, bits, R);
	}
	/* arf_get_mpfr does not know our range of exponents. */
	if (rounds)
		*ternary = mpfr_check_range(out, arf_get_mpfr(out, arb_midref(s.z), R), R);
	balls_end(&s);
	return rounds;
}

bool elementary_ball_holds(enum elementary f, mpfr_srcptr x, mpfr_srcptr a, mpfr_srcptr b)
{
	if (!mpfr_regular_p(x))
		return true;
	struct balls s;
	balls_begin(&s, a, b);
	balls_apply(&s, f, mpfr_get_prec(x) + guard[0]);
	arf_set_mpfr(arb_midref(s.x), x);
	arb_add_error_2exp_si(s.x, mpfr_get_exp(x) - mpfr_get_prec(x) - 1);
	bool holds = !arb_is_finite(s.z) || arb_overlaps(s.z, s.x);
	balls_end(&s);
	return holds;
}

void elementary_free_arb(void) { flint_cleanup(); }

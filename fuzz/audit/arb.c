/* arb.c: compares elementary functions by Arb with those of MPFR, over random operands. */
#include <stdlib.h>

#include "audit.h"
#include "oracles/evaluate/elementary.h"
#include "oracles/evaluate/scalar_ops.h"

#define R MPFR_RNDN

/* Operations of a function at a precision for each case that the options ask for: 10,000 by default. */
enum { OPERATIONS_OF_CASE = 10 };

static const int precisions[] = {127, 128, 256};
enum { PRECISIONS = sizeof precisions / sizeof *precisions };

struct arb_tally {
	struct audit *self;
	struct choice choice;
	int64_t done, of, different, outside;
};

/* A number in [1/2, 1) with up to `bits` significant bits. */
static void draw_significand(struct choice *c, mpfr_ptr x, int bits)
{
	mpfr_set_ui(x, 1, R);
	for (int k = 1; k < bits; k += 32) {
		int n = bits - k < 32 ? bits - k : 32;
		mpfr_mul_2ui(x, x, (unsigned long)n, R);
		mpfr_add_ui(x, x, (unsigned long)(choice_bits(c) >> (64 - n)), R);
	}
	mpfr_set_exp(x, 0);
}

/* Near 1 in size, over the range of doubles at that precision, over the whole range, or beside 1. */
static void draw_operand(struct choice *c, mpfr_ptr x)
{
	int bits = (int)mpfr_get_prec(x);
	draw_significand(c, x, choice_percent(c, 25) ? choice_between(c, 1, 8) : bits);
	switch (choice_below(c, 8)) {
	case 0:
		mpfr_set_exp(x, choice_between(c, -16383, 16384));
		break;
	case 1:
		mpfr_set_exp(x, choice_between(c, -bits, bits));
		break;
	case 2:
		mpfr_set_exp(x, choice_between(c, -bits, 0));
		if (choice_percent(c, 50))
			mpfr_neg(x, x, R);
		mpfr_add_ui(x, x, 1, R);
		break;
	default:
		mpfr_set_exp(x, choice_between(c, -4, 5));
	}
	if (choice_percent(c, 50))
		mpfr_neg(x, x, R);
}

/* Half of the exponents of a power are multiples of 1/4. */
static void draw_second(struct choice *c, mpfr_ptr x, enum elementary f)
{
	draw_operand(c, x);
	if (f == ELEMENTARY_pow && choice_percent(c, 50))
		mpfr_set_si_2exp(x, choice_between(c, -20, 20), -2, R);
}

static int sign_of(int x) { return (x > 0) - (x < 0); }

static bool alike(mpfr_srcptr x, mpfr_srcptr y)
{
	return (mpfr_nan_p(x) && mpfr_nan_p(y)) ||
	    (mpfr_equal_p(x, y) && !mpfr_signbit(x) == !mpfr_signbit(y)); /* the bit is any number but 0 */
}

static void try_once(struct arb_tally *t, enum elementary f, int bits)
{
	const struct elementary_row *row = &elementary_table[f];
	mpfr_t a, b, got, want;
	int t_got, t_want;
	mpfr_inits2(bits, a, b, got, want, (mpfr_ptr)0);
	draw_operand(&t->choice, a);
	if (row->binary) {
		draw_second(&t->choice, b, f);
		t_want = row->binary_mpfr(want, a, b, R);
		t_got = row->binary(got, a, b, R);
	} else {
		t_want = row->unary_mpfr(want, a, R);
		t_got = row->unary(got, a, R);
	}
	bool same = alike(got, want) && sign_of(t_got) == sign_of(t_want);
	bool inside = elementary_ball_holds(f, want, a, row->binary ? b : NULL);
	t->different += !same;
	t->outside += !inside;
	if (!same || !inside) {
		char text[400];
		mpfr_snprintf(text, sizeof text, row->binary ? "%Ra, %Ra" : "%Ra", a, b);
		audit_broken(t->self, NULL, row->name, "%s at %d bits: %s", text, bits,
		    inside ? "Arb and MPFR differ" : "MPFR's value is outside of Arb's ball");
	}
	mpfr_clears(a, b, got, want, (mpfr_ptr)0);
}

void audit_arb(struct audit *self)
{
	const struct audit_options *o = audit_options_of(self);
	struct json_writer *w = audit_json(self);
	int64_t count = OPERATIONS_OF_CASE * o->cases;
	struct arb_tally t = {
	    .self = self, .choice = choice_seeded(o->seed), .of = count * ELEMENTARY_COUNT * PRECISIONS};
	mp_setup();
	for (int p = 0; elementary_has_arb() && p < PRECISIONS; p++)
		for (int f = 0; f < ELEMENTARY_COUNT; f++)
			for (int64_t k = 0; k < count && audit_goes_on(self, t.done, t.of); k++, t.done++)
				try_once(&t, (enum elementary)f, precisions[p]);
	json_member_bool(w, "arb", elementary_has_arb());
	json_member_integer(w, "operations", t.done);
	json_member_integer(w, "different", t.different);
	json_member_integer(w, "outside", t.outside);
	if (!elementary_has_arb())
		audit_line(self, "Arb", "is not in this build");
	audit_line(
	    self, "operations", "%8lld  (%d functions at 127, 128 and 256 bits)", (long long)t.done, ELEMENTARY_COUNT);
	audit_line(self, "different", "%8lld", (long long)t.different);
	audit_line(self, "outside", "%8lld", (long long)t.outside);
}

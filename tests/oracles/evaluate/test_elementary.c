/* test_elementary.c: elementary functions give the value and the ternary value of MPFR, with Arb and without. */
#include <math.h>
#include <stdio.h>

#include "oracles/evaluate/elementary.h"
#include "oracles/evaluate/scalar_ops.h"
#include "tests/check.h"

#define R MPFR_RNDN

/* Exact results, edges of domains, numbers beside them, and sizes at which a function saturates or leaves the range. */
static const double special[] = {0, 1, 2, 0.5, 0.25, 0.75, 1.5, 2.5, 3, 4, 16, 64, 81, 0x1p-52, 1 + 0x1p-52,
    1 - 0x1p-53, M_PI, M_PI_2, M_PI_4, M_E, 3.5, 5.75, 9, 11, 31, 63, 64.5, 100, 127, 200, 700, 1000, 8191, 11356,
    11357, 16384, 32768, 0x1p62, 0x1p63, 0x1p64, 0x1p65, 0x1p-62, 0x1p-63, 0x1p-64, 0x1p-65, 0x1p-130, 0x1p300,
    0x1p-300, 0x1p1023, 0x1p-1074, INFINITY, NAN};
enum { SPECIAL = sizeof special / sizeof *special, RANDOM = 200 };

static int sign_of(int x) { return (x > 0) - (x < 0); }

static void check_one(const struct elementary_row *f, mpfr_srcptr a, mpfr_srcptr b, int bits)
{
	mpfr_t got, want;
	mpfr_inits2(bits, got, want, (mpfr_ptr)0);
	int t_got = f->unary ? f->unary(got, a, R) : f->binary(got, a, b, R);
	int t_want = f->unary ? f->unary_mpfr(want, a, R) : f->binary_mpfr(want, a, b, R);
	bool same = (mpfr_nan_p(got) && mpfr_nan_p(want)) ||
	    (mpfr_equal_p(got, want) && !mpfr_signbit(got) == !mpfr_signbit(want));
	if (!check_condition(same && sign_of(t_got) == sign_of(t_want)))
		mpfr_fprintf(stderr, "%s(%Ra, %Ra) at %d bits: %Ra, MPFR %Ra\n", f->name, a, b, bits, got, want);
	/* Once more, from what is kept; the result may take the place of an operand. */
	mpfr_set(got, a, R);
	if (mpfr_get_prec(a) == bits) {
		t_got = f->unary ? f->unary(got, got, R) : f->binary(got, got, b, R);
		CHECK(
		    (mpfr_nan_p(got) ? mpfr_nan_p(want) : mpfr_equal_p(got, want)) && sign_of(t_got) == sign_of(t_want),
		    "%s in place", f->name);
	}
	mpfr_clears(got, want, (mpfr_ptr)0);
}

static void check_special(const struct elementary_row *f, int bits)
{
	mpfr_t a, b;
	mpfr_inits2(bits, a, b, (mpfr_ptr)0);
	for (int i = 0; i < 2 * SPECIAL; i++) {
		mpfr_set_d(a, i % 2 ? -special[i / 2] : special[i / 2], R);
		mpfr_set_zero(b, 1);
		if (f->unary)
			check_one(f, a, b, bits);
		for (int k = 0; f->binary && k < 2 * SPECIAL; k++) {
			mpfr_set_d(b, k % 2 ? -special[k / 2] : special[k / 2], R);
			check_one(f, a, b, bits);
		}
	}
	mpfr_clears(a, b, (mpfr_ptr)0);
}

/* Random significands at the exponents at which elementary.def changes from Arb to MPFR. */
static void check_random(const struct elementary_row *f, int bits, gmp_randstate_t random)
{
	const int edges[] = {-16383, -bits, -bits / 2, 0, 1, 3, bits > 200 ? 7 : 6, 14, 2000, 16384};
	enum { EDGES = sizeof edges / sizeof *edges };
	mpfr_t a, b;
	mpfr_inits2(bits, a, b, (mpfr_ptr)0);
	for (int i = 0; i < RANDOM; i++) {
		mpfr_ptr x[] = {a, b};
		for (int j = 0; j < 2; j++) {
			mpfr_urandomb(x[j], random);
			mpfr_add_d(x[j], x[j], 0x1p-60, R);
			long e = edges[gmp_urandomm_ui(random, EDGES)] + (long)gmp_urandomm_ui(random, 3) - 1;
			mpfr_set_exp(x[j], e < -16383 ? -16383 : e > 16384 ? 16384 : e);
			mpfr_setsign(x[j], x[j], (int)gmp_urandomm_ui(random, 2), R);
		}
		check_one(f, a, b, bits);
		check_one(f, a, b, bits + 5); /* of the same operands */
	}
	mpfr_clears(a, b, (mpfr_ptr)0);
}

int main(int argc, char **argv)
{
	static const int bits[] = {2, 53, 127, 128, 192, 256, 512, 600};
	gmp_randstate_t random;
	check_begin(argc, argv);
	mp_setup();
	gmp_randinit_default(random);
	for (int f = 0; f < ELEMENTARY_COUNT; f++)
		for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
			if (row_wanted("%s at %d bits", elementary_table[f].name, bits[k])) {
				check_special(&elementary_table[f], bits[k]);
				check_random(&elementary_table[f], bits[k], random);
			}
	gmp_randclear(random);
	elementary_free_cache();
	return check_done();
}

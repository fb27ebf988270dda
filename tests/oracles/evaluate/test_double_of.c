/* test_double_of.c: double_of against mpfr_get_d, bit for bit. */
#include "oracles/evaluate/double_of.h"

#include <string.h>

#include "graph/random.h"
#include "tests/check.h"

static void check_same(mpfr_srcptr x, const char *what)
{
	const double got = double_of(x), want = mpfr_get_d(x, MPFR_RNDN);

	CHECK(!memcmp(&got, &want, sizeof got), "%s: %a, not %a", what, got, want);
}

/* Numbers as text to base 2, with the exponent of 2 after @, at each precision. */
static const char *const rows[] = {"0", "-0", "inf", "-inf", "nan", "1", "-1",
    /* halfway between two doubles: below an even one, below an odd one, and a bit above that far down */
    "1.00000000000000000000000000000000000000000000000000001@0",
    "1.00000000000000000000000000000000000000000000000000011@0",
    "1.000000000000000000000000000000000000000000000000000010000000000000000001@0",
    "1.0000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000001@0",
    /* all ones: the carry reaches the exponent */
    "1.11111111111111111111111111111111111111111111111111111@0",
    "-1.11111111111111111111111111111111111111111111111111111@9",
    /* the ends of the range: the largest double, halfway to the next, the least normal one, subnormal ones, none */
    "1.1111111111111111111111111111111111111111111111111111@1023",
    "1.11111111111111111111111111111111111111111111111111111@1023", "1@1024", "1@-1022",
    "1.1111111111111111111111111111111111111111111111111111@-1023", "1@-1074", "1@-1075", "1.1@-1075", "1@-2000",
    "-1@5000"};

static void check_rows(void)
{
	static const int precisions[] = {53, 54, 64, 65, 128, 256, 2560};

	for (size_t k = 0; k < sizeof precisions / sizeof *precisions; k++)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			mpfr_t x;

			mpfr_init2(x, precisions[k]);
			CHECK(!mpfr_set_str(x, rows[i], 2, MPFR_RNDN), "%s is no number", rows[i]);
			check_same(x, rows[i]);
			mpfr_clear(x);
		}
}

/* Random significands, many of which lie at or beside the middle of two doubles, over all exponents of doubles. */
static void check_random(void)
{
	uint64_t state = 1;

	for (int k = 0; k < 100000; k++) {
		const uint64_t draw = random_next(&state), high = random_next(&state), low = random_next(&state);
		mpfr_t x;

		mpfr_init2(x, 54 + (long)(draw & 127));
		mpfr_set_ui(x, high | 1ul << 63, MPFR_RNDN);
		if (draw >> 8 & 1)
			mpfr_set_ui(x, (high | 1ul << 63) >> 11 << 11 | 1ul << 10, MPFR_RNDN);
		mpfr_mul_2ui(x, x, 64, MPFR_RNDN);
		mpfr_add_ui(x, x, draw >> 9 & 1 ? low : low & 1, MPFR_RNDN);
		mpfr_mul_2si(x, x, (long)(draw >> 16) % 1100 - 1128 * (long)(draw >> 10 & 1), MPFR_RNDN);
		if (draw >> 11 & 1)
			mpfr_neg(x, x, MPFR_RNDN);
		check_same(x, "a random number");
		mpfr_clear(x);
	}
}

int main(void)
{
	check_rows();
	check_random();
	mpfr_free_cache();
	return check_done();
}

/* test_starts.c: which solution an iteration starts at, and where. */
#include "oracles/evaluate/starts.h"

#include "tests/check.h"

enum { TOTAL = 2 };

/* Keeps numbers from, from + 1 as the next solution. */
static void keep(struct starts *to, uint64_t path, double from, int total)
{
	mpfr_t x[TOTAL];

	for (int i = 0; i < TOTAL; i++) {
		mpfr_init2(x[i], 128);
		mpfr_set_d(x[i], from + i, MPFR_RNDN);
	}
	starts_keep(to, path, x, total, 10 * from);
	for (int i = 0; i < TOTAL; i++)
		mpfr_clear(x[i]);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int k;
		uint64_t path;
		int total;
		bool across, found;
		double first, largest;
	} rows[] = {
	    {"the first", 0, 7, TOTAL, false, true, 1, 10},
	    {"the first, on the other side", 0, 7, TOTAL, true, true, 0.5, 10},
	    {"another path", 0, 8, TOTAL, false, false, 0, 0},
	    {"another size", 0, 7, 1, false, false, 0, 0},
	    {"one that was not found", 1, 8, TOTAL, false, false, 0, 0},
	    {"the third", 2, 9, TOTAL, false, true, 3, 30},
	    {"the third, of another path on one side", 2, 9, TOTAL, true, true, 3, 30},
	    {"beyond the last", 3, 9, TOTAL, false, false, 0, 0},
	};
	struct starts at = {0}, side = {0};
	mpfr_t x[TOTAL];

	check_begin(argc, argv);
	for (int i = 0; i < TOTAL; i++)
		mpfr_init2(x[i], 256);
	for (int round = 0; round < 2; round++) { /* the second time in the memory of the first */
		starts_clear(&at);
		starts_clear(&side);
		keep(&at, 7, 1, TOTAL);
		keep(&at, 8, 2, 0);
		keep(&at, 9, 3, TOTAL);
		keep(&side, 7, 1.5, TOTAL);
		keep(&side, 8, 2, 0);
		keep(&side, 10, 3.5, TOTAL);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			double largest = 0;
			if (!row_wanted("%s", rows[i].name))
				continue;
			const bool found = starts_take(
			    &at, rows[i].across ? &side : NULL, rows[i].k, rows[i].path, x, rows[i].total, &largest);
			CHECK(found == rows[i].found, "%s: %d", rows[i].name, found);
			CHECK(!found ||
			        (largest == rows[i].largest && !mpfr_cmp_d(x[0], rows[i].first) &&
			            !mpfr_cmp_d(x[1], rows[i].first + 1)),
			    "%s: %g, %g, largest %g", rows[i].name, mpfr_get_d(x[0], MPFR_RNDN),
			    mpfr_get_d(x[1], MPFR_RNDN), largest);
		}
	}
	for (int i = 0; i < TOTAL; i++)
		mpfr_clear(x[i]);
	starts_free(&at);
	starts_free(&side);
	mpfr_free_cache();
	return check_done();
}

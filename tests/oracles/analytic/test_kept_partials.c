/* test_kept_partials.c: a kept partial is given again until another takes its place or all are forgotten. */
#include "oracles/analytic/kept_partials.h"

#include "tests/check.h"

static void keep(struct kept_partials *table, mpfr_ptr value, int edge)
{
	mpfr_set_si(value, edge, MPFR_RNDN);
	keep_partial(table, edge, &(struct partial){.value = value, .magnitude = edge, .strays = edge & 1}, edge & 2);
}

static bool right(const struct kept_partials *table, int edge)
{
	struct partial p;
	bool connected;

	return kept_partial(table, edge, &p, &connected) && !mpfr_cmp_si(p.value, edge) && p.magnitude == edge &&
	    p.strays == (edge & 1) && connected == !!(edge & 2);
}

int main(int argc, char **argv)
{
	struct kept_partials *table = kept_partials_open(128);
	struct partial p;
	bool connected;
	int kept = 0;
	mpfr_t value;

	check_begin(argc, argv);
	mpfr_init2(value, 128);
	CHECK(!kept_partial(table, 0, &p, &connected), "edge 0 is in an empty table");
	for (int edge = 0; edge < 5000; edge++) {
		keep(table, value, edge);
		CHECK(right(table, edge), "edge %d", edge);
	}
	for (int edge = 0; edge < 5000; edge++) {
		const bool known = kept_partial(table, edge, &p, &connected);
		CHECK(!known || right(table, edge), "edge %d is another one", edge);
		kept += known;
	}
	CHECK(kept > 100 && kept < 5000, "%d of 5000 are kept", kept);
	kept_partials_forget(table);
	for (int edge = 0; edge < 5000; edge++)
		CHECK(!kept_partial(table, edge, &p, &connected), "edge %d is not forgotten", edge);
	mpfr_clear(value);
	kept_partials_close(table);
	mpfr_free_cache();
	return check_done();
}

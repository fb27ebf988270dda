/* how.c: see how.h. */
#include "how.h"

#include <math.h>
#include <stdlib.h>

#include "fit.h"

static const char *const how_texts[][2] = {
    [HOW_DROPPED] = {"is dropped: it is 0", "are dropped: they are 0"},
    [HOW_PARTLY_DROPPED] = {"is partly dropped: elements are 0 that should not be",
        "are partly dropped: elements are 0 that should not be"},
    [HOW_NOT_ZERO] = {"should be 0 and is not", "should be 0 and are not"},
    [HOW_PARTLY_NOT_ZERO] = {"is not 0 where it should be", "are not 0 where they should be"},
    [HOW_NAN] = {"is NaN", "are NaN"},
    [HOW_SIGN] = {"has the wrong sign", "have the wrong sign"},
    [HOW_PARTLY_SIGN] = {"has the wrong sign in some elements", "have the wrong sign in some elements"},
    [HOW_MOVED] = {"has the right elements in wrong places", "have the right elements in wrong places"},
    [HOW_OTHER] = {"is wrong", "are wrong"},
};

int how_numbers(const struct variant_row *r, const double **expected, const double **returned)
{
	*expected = r->n_element ? r->element_expected : &r->expected;
	*returned = r->n_element ? r->element_returned : &r->returned;
	return r->n_element ? r->n_element : 1;
}

/* Whether a number of the row is wrong by more than its radius can be elsewhere in the tensor. */
static bool is_off(const struct variant_row *r, double expected, double returned)
{
	return isnan(returned) || fabs(returned - expected) > fmax(r->radius, 1e-6 * fabs(expected));
}

/* Whether the numbers that were returned are those that are right, in another order. */
static bool is_moved(const struct variant_row *r)
{
	bool taken[CHARACTERIZATION_ELEMENTS] = {false}, differ = false;

	for (int i = 0; i < r->n_element; i++) {
		int k = 0;

		if (isnan(r->element_expected[i]))
			return false;
		while (k < r->n_element && (taken[k] || is_off(r, r->element_expected[i], r->element_returned[k])))
			k++;
		if (k == r->n_element)
			return false;
		taken[k] = true;
		differ |= is_off(r, r->element_expected[i], r->element_returned[i]);
	}
	return differ;
}

enum how how_wrong(const struct variant_row *r, double *factor)
{
	const double *expected, *returned;
	int n = how_numbers(r, &expected, &returned), off = 0, zero = 0, due_zero = 0;
	bool steady = true, all_returned = true, all_due = true, signs = true;
	int p, q;

	*factor = NAN;
	for (int i = 0; r->of && i < n; i++) {
		const double ratio = returned[i] / expected[i];

		if (isnan(expected[i])) /* undecided */
			continue;
		if (isnan(returned[i]))
			return HOW_NAN;
		all_returned &= returned[i] == 0;
		all_due &= expected[i] == 0;
		if (!is_off(r, expected[i], returned[i])) {
			steady &= expected[i] == 0;
			continue;
		}
		off++;
		zero += returned[i] == 0;
		due_zero += expected[i] == 0;
		signs &= fabs(ratio + 1) < 1e-3;
		steady &= isfinite(ratio) && (isnan(*factor) || fabs(ratio / *factor - 1) < 1e-3);
		*factor = ratio;
	}
	if (!off)
		return HOW_OTHER;
	if (is_moved(r))
		return HOW_MOVED;
	if (!r->n_element && r->some_right) { /* the number stands for a few elements of a large tensor */
		all_returned = all_due = steady = false;
		signs &= fabs(returned[0] / expected[0] + 1) < 1e-3;
	}
	if (zero == off)
		return all_returned ? HOW_DROPPED : HOW_PARTLY_DROPPED;
	if (due_zero == off)
		return all_due ? HOW_NOT_ZERO : HOW_PARTLY_NOT_ZERO;
	if (signs)
		return steady ? HOW_SIGN : HOW_PARTLY_SIGN;
	if (!steady || !fit_ratio(*factor, &p, &q) || q > 8 || abs(p) > 16)
		return HOW_OTHER;
	return HOW_FACTOR;
}

const char *how_text(struct lab *l, enum how how, double factor, bool several)
{
	if (how != HOW_FACTOR)
		return how_texts[how][several];
	return several ? LAB_TEXT(l, "are %.4g times what they should be", factor)
	               : LAB_TEXT(l, "is %.4g times what it should be", factor);
}

enum how how_both(enum how a, enum how b)
{
	static const enum how partly[][2] = {
	    {HOW_DROPPED, HOW_PARTLY_DROPPED}, {HOW_NOT_ZERO, HOW_PARTLY_NOT_ZERO}, {HOW_SIGN, HOW_PARTLY_SIGN}};

	for (size_t i = 0; i < sizeof partly / sizeof *partly; i++)
		if (a != b && (a == partly[i][0] || a == partly[i][1]) && (b == partly[i][0] || b == partly[i][1]))
			return partly[i][1];
	return a == b ? a : HOW_OTHER;
}

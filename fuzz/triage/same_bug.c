/* same_bug.c: see same_bug.h. */
#include "same_bug.h"

#include <math.h>
#include <string.h>

/* Rounding changes a factor by far less. */
static const double factor_blur = 1e-3;

/*
 * Whether y spells all that x is about as x does.  Other ops of y may have any spelling, unless all those of x are the
 * first: y needs another one, because it does not fail with the first ones.
 */
static bool spelled_explains(const struct symptom *x, const struct symptom *y)
{
	static const struct spelled first = {{0}};

	if (!memcmp(&x->spelled, &first, sizeof first))
		return !memcmp(&y->spelled, &first, sizeof first);
	for (int k = 0; k < SPELLED_COUNT; k++)
		if (x->spelled.at[k] != y->spelled.at[k] &&
		    (x->spelled.at[k] || k == SPELLED_REQUEST || x->pattern.has[k]))
			return false;
	return true;
}

/* Whether y is a larger case of x.  If an engine crashes or hangs on a smaller request, the same failure on a larger
 * request is a duplicate. */
static bool explains(const struct symptom *x, const struct symptom *y)
{
	if (!spelled_explains(x, y))
		return false;
	if (x->verdict != y->verdict && !(verdict_of_numbers(x->verdict) && verdict_of_numbers(y->verdict)))
		return false;
	if (!verdict_answers(x->verdict))
		return pattern_is_part(&x->pattern, &y->pattern) && asked_is_in(&x->asked, &y->asked);
	return pattern_explains(&x->pattern, &y->pattern) && asked_explains(&x->asked, &y->asked);
}

static bool same_request(const struct symptom *x, const struct symptom *y)
{
	return asked_explains(&x->asked, &y->asked) && asked_explains(&y->asked, &x->asked);
}

static bool is_flaky_face(const struct symptom *x, const struct symptom *y)
{
	return x->unsteady && !x->flaky && y->flaky && verdict_of_numbers(y->verdict) &&
	    pattern_is_part(&x->pattern, &y->pattern) && asked_is_in(&x->asked, &y->asked);
}

/* How plainly the engine is wrong: a crash or wrong shape is 2, a number is 1, a NaN that 0 * infinity can explain is
 * 0. */
static int plainness(const struct symptom *x) { return !verdict_of_numbers(x->verdict) ? 2 : !x->weak_zero; }

static bool is_wrong_too(const struct symptom *x, const struct symptom *y)
{
	return !x->raised && plainness(x) > plainness(y) && same_request(x, y) &&
	    pattern_explains(&x->pattern, &y->pattern) && pattern_same_ops(&x->pattern, &y->pattern);
}

/* Compares factors by their distance from 1, because any two factors near 1 are nearly equal. */
static bool same_factor(double x, double y)
{
	return isfinite(x) && isfinite(y) && x != 0 && fabs(x - y) <= factor_blur * fmin(fabs(x), fabs(x - 1));
}

static bool is_off_alike(const struct symptom *x, const struct symptom *y)
{
	const bool wrong = x->verdict == VERDICT_WRONG && y->verdict == VERDICT_WRONG;

	return wrong && same_factor(x->factor, y->factor) && same_request(x, y) &&
	    pattern_is_part(&x->pattern, &y->pattern) && pattern_same_ops(&x->pattern, &y->pattern);
}

/* A compiler that breaks any op of some kind also breaks derivatives: their programs have more ops of that kind. */
static bool is_compiled_wrong(const struct symptom *x, const struct symptom *y)
{
	return !x->asked.order && !x->asked.batch && x->verdict == VERDICT_WRONG_PRIMAL &&
	    verdict_of_numbers(y->verdict) && pattern_is_roles(&x->pattern) &&
	    pattern_is_part(&x->pattern, &y->pattern);
}

static bool is_leak_of_region(const struct symptom *x, const struct symptom *y)
{
	return x->verdict == VERDICT_NAN_LEAK && y->verdict == VERDICT_NAN_LEAK && same_request(x, y) &&
	    pattern_same_regions(&x->pattern, &y->pattern);
}

static bool is_constant(const struct symptom *x)
{
	return x->verdict == VERDICT_WRONG && x->deviation == DEVIATION_ZERO && x->asked.order > 1 &&
	    pattern_is_elementwise_op(&x->pattern);
}

static bool is_one_more(const struct symptom *x, const struct symptom *y)
{
	if (x->flaky || y->flaky)
		return is_flaky_face(x, y);
	if (x->weak_zero || y->weak_zero)
		return is_wrong_too(x, y);
	if (!spelled_explains(x, y))
		return false;
	return explains(x, y) || is_wrong_too(x, y) || is_off_alike(x, y) || is_compiled_wrong(x, y) ||
	    is_leak_of_region(x, y) || (is_constant(x) && is_constant(y) && same_request(x, y));
}

/* Whether it stands for leaks that the engine declares: these never explain a finding. */
static bool is_declared(const struct symptom *x) { return x->weak_zero && signature_declared(x->fine); }

static bool needs_more_iterations(const struct symptom *x, const struct symptom *y)
{
	enum { MANY = 3 };

	return x->inlets && y->inlets && x->trip >= MANY && y->most < x->trip;
}

bool symptoms_apart(const struct symptom *x, const struct symptom *y)
{
	const bool inlets = x->inlets && y->inlets && !(x->inlets & y->inlets) && !(x->trip && x->trip == y->trip);

	return !memcmp(&x->pattern, &y->pattern, sizeof x->pattern) &&
	    (inlets || needs_more_iterations(x, y) || needs_more_iterations(y, x));
}

int same_bug(const struct symptom *x, const struct symptom *y)
{
	if (!strcmp(x->fine, y->fine))
		return -1;
	if (is_declared(x) || is_declared(y) || symptoms_apart(x, y))
		return 0;
	return is_one_more(x, y) ? -1 : is_one_more(y, x);
}

bool symptom_resembles(const struct symptom *x, const struct symptom *y)
{
	return !x->flaky && !y->flaky && x->weak_zero == y->weak_zero && spelled_explains(x, y) &&
	    spelled_explains(y, x) && verdict_of_numbers(x->verdict) && verdict_of_numbers(y->verdict) &&
	    same_request(x, y) && pattern_same_ops(&x->pattern, &y->pattern);
}

bool symptom_covers(const struct symptom *x, const struct symptom *y)
{
	return !strcmp(x->fine, y->fine) || (!x->flaky && !y->flaky && x->weak_zero == y->weak_zero && explains(x, y));
}

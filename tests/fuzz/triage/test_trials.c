/* What the effects of trials say about two findings. */
#include <math.h>

#include "fuzz/triage/trials.h"
#include "tests/check.h"

/* A wrong number, and the dtype to which the right one is rounded. */
static const struct coarse_row {
	const char *name;
	double expected, returned;
	unsigned coarse;
} coarse_rows[] = {
    {"to bf16", 1.2254, 1.2265625, 1u << DTYPE_BF16},
    {"a sum of numbers in bf16", 20.3203125, 20.25, 1u << DTYPE_BF16},
    {"to f16", 1.2254, 1.2255859375, 1u << DTYPE_F16},
    {"to f32", 0.1, 0.1f, 1u << DTYPE_F32},
    {"a number that bf16 has, for one that it has too", 1, 1.0078125, 0},
    {"too far for bf16", 1.2254, 1.25, 0},
    {"near, in full precision", 1.2254, 1.2264, 0},
    {"zero", 1.2254, 0, 0},
    {"a NaN", 1.2254, NAN, 0},
    {"an infinity", INFINITY, 1, 0},
};

enum { LOW = 1 << DTYPE_F16, ALL = LOW | 1 << DTYPE_F64, HIGH = ALL & ~LOW };

static const struct rounding_row {
	const char *name;
	struct trials first, second;
	bool same;
} rounding_rows[] = {
    {"one dtype", {.coarse = LOW, .wrong = ALL}, {.coarse = LOW, .wrong = HIGH}, true},
    {"two dtypes", {.coarse = LOW, .wrong = ALL}, {.coarse = 1 << DTYPE_BF16, .wrong = ALL}, false},
    {"no dtype", {.wrong = ALL}, {.wrong = ALL}, false},
    {"of several dtypes at once", {.coarse = 1 << DTYPE_BF16, .wrong = HIGH}, {.coarse = 1 << DTYPE_BF16}, true},
    {"of other dtypes", {.coarse = 1 << DTYPE_BF16, .wrong = HIGH}, {.coarse = 1 << DTYPE_BF16, .wrong = LOW}, false},
};

static const struct size_row {
	const char *name;
	struct trials first, second;
	bool same;
} size_rows[] = {
    {"a limit", {.extent = 4, .wrong = ALL}, {.extent = 4, .wrong = ALL}, true},
    {"a limit that many bugs have", {.extent = 3, .wrong = ALL}, {.extent = 3, .wrong = ALL}, false},
    {"two limits", {.extent = 4, .wrong = ALL}, {.extent = 5, .wrong = ALL}, false},
    {"a limit in two dtypes", {.extent = 4, .wrong = LOW, .right = HIGH}, {.extent = 4, .wrong = HIGH, .right = LOW},
        false},
    {"sums in one dtype", {.extent = 3, .wrong = LOW, .right = HIGH}, {.extent = 2, .wrong = LOW, .right = HIGH}, true},
    {"a dtype alone", {.wrong = LOW, .right = HIGH}, {.wrong = LOW, .right = HIGH}, false},
};

#define EFFECTS(...) \
	{ \
		.effect = { __VA_ARGS__ } \
	}

static const struct likeness_row {
	const char *name;
	struct trials first, second;
	enum likeness likeness;
} likeness_rows[] = {
    {"nothing is right", EFFECTS([TRIAL_COPIES] = EFFECT_FAILS), EFFECTS([TRIAL_COPIES] = EFFECT_FAILS), LIKENESS_NONE},
    {"copies", EFFECTS([TRIAL_COPIES] = EFFECT_RIGHT), EFFECTS([TRIAL_COPIES] = EFFECT_RIGHT), LIKENESS_FULL},
    {"carries", EFFECTS([TRIAL_CARRIES] = EFFECT_RIGHT), EFFECTS([TRIAL_CARRIES] = EFFECT_RIGHT), LIKENESS_FULL},
    {"stretched axes, of one alone", EFFECTS([TRIAL_WHOLE] = EFFECT_RIGHT), EFFECTS([TRIAL_WHOLE] = EFFECT_FAILS),
        LIKENESS_NONE},
    {"several points", EFFECTS([TRIAL_POINTS] = EFFECT_RIGHT), EFFECTS([TRIAL_POINTS] = EFFECT_RIGHT), LIKENESS_POINTS},
    {"a known constant", EFFECTS([TRIAL_KNOWN] = EFFECT_RIGHT), EFFECTS([TRIAL_KNOWN] = EFFECT_RIGHT), LIKENESS_NONE},
    {"equal elements", EFFECTS([TRIAL_UNIFORM] = EFFECT_RIGHT), EFFECTS([TRIAL_UNIFORM] = EFFECT_RIGHT), LIKENESS_NONE},
    {"a known constant of other elements", EFFECTS([TRIAL_KNOWN] = EFFECT_RIGHT, [TRIAL_UNIFORM] = EFFECT_RIGHT),
        EFFECTS([TRIAL_KNOWN] = EFFECT_RIGHT, [TRIAL_UNIFORM] = EFFECT_RIGHT), LIKENESS_FULL},
    {"points and copies", EFFECTS([TRIAL_COPIES] = EFFECT_RIGHT, [TRIAL_POINTS] = EFFECT_RIGHT),
        EFFECTS([TRIAL_COPIES] = EFFECT_RIGHT, [TRIAL_POINTS] = EFFECT_RIGHT), LIKENESS_FULL},
    {"other effects", EFFECTS([TRIAL_COPIES] = EFFECT_RIGHT, [TRIAL_POINTS] = EFFECT_RIGHT),
        EFFECTS([TRIAL_COPIES] = EFFECT_RIGHT, [TRIAL_POINTS] = EFFECT_FAILS), LIKENESS_NONE},
    {"other trip counts, right with other carries", {.effect = {[TRIAL_FLOATS] = EFFECT_RIGHT}, .trip = 3},
        {.effect = {[TRIAL_FLOATS] = EFFECT_RIGHT}, .trip = 4}, LIKENESS_FULL},
    {"other trip counts", {.effect = {[TRIAL_SHORTER] = EFFECT_RIGHT}, .trip = 3},
        {.effect = {[TRIAL_SHORTER] = EFFECT_RIGHT}, .trip = 4}, LIKENESS_NONE},
};

static void check_size(const struct size_row *row)
{
	CHECK(trials_same_size(&row->first, &row->second) == row->same, "%s", row->name);
	CHECK(trials_same_size(&row->second, &row->first) == row->same, "%s, exchanged", row->name);
}

static void check_rounding(const struct rounding_row *row)
{
	CHECK(trials_same_rounding(&row->first, &row->second) == row->same, "%s", row->name);
	CHECK(trials_same_rounding(&row->second, &row->first) == row->same, "%s, exchanged", row->name);
}

static void check_coarse(const struct coarse_row *row)
{
	const unsigned coarse = trial_coarse(row->expected, row->returned);

	CHECK(coarse == row->coarse, "%s: %x", row->name, coarse);
}

static void check_equal(void)
{
	const struct trials one = EFFECTS([TRIAL_YIELDS] = EFFECT_RIGHT),
	                    other = EFFECTS([TRIAL_YIELDS] = EFFECT_FAILS), none = {.trip = 0},
	                    longer = {.effect = {[TRIAL_YIELDS] = EFFECT_RIGHT}, .trip = 3};

	CHECK(trials_equal(&one, &one), "the same");
	CHECK(trials_equal(&other, &none), "nothing to change in one");
	CHECK(!trials_equal(&one, &other), "another effect");
	CHECK(!trials_equal(&one, &longer), "another number of iterations");
	CHECK(trials_agree(&one, &none) && trials_agree(&none, &other), "nothing to change in one");
	CHECK(!trials_agree(&one, &other) && !trials_agree(&other, &one), "another effect");
	CHECK(!trials_agree(&one, &longer), "another number of iterations");
}

static void check_likeness(const struct likeness_row *row)
{
	CHECK(trials_alike(&row->first, &row->second) == row->likeness, "%s", row->name);
	CHECK(trials_alike(&row->second, &row->first) == row->likeness, "%s, exchanged", row->name);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	check_equal();
	for (size_t k = 0; k < sizeof size_rows / sizeof *size_rows; k++)
		if (row_wanted("%s", size_rows[k].name))
			check_size(&size_rows[k]);
	for (size_t k = 0; k < sizeof coarse_rows / sizeof *coarse_rows; k++)
		if (row_wanted("%s", coarse_rows[k].name))
			check_coarse(&coarse_rows[k]);
	for (size_t k = 0; k < sizeof rounding_rows / sizeof *rounding_rows; k++)
		if (row_wanted("%s", rounding_rows[k].name))
			check_rounding(&rounding_rows[k]);
	for (size_t k = 0; k < sizeof likeness_rows / sizeof *likeness_rows; k++)
		if (row_wanted("%s", likeness_rows[k].name))
			check_likeness(&likeness_rows[k]);
	return check_done();
}

/*
 * The condition that people are told: variants of small programs, of which those fail that a rule names.  The condition
 * says what the rule says.
 */
#include "fuzz/characterize/explain.h"

#include <math.h>
#include <string.h>

#include "fuzz/characterize/facts.h"
#include "fuzz/characterize/measures.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* ---- rules ---- */

static double number(const struct testcase *c, int input, int i) { return c->point[0][input].at[i].f; }

static bool far_from_zero(const struct testcase *c) { return fabs(number(c, 0, 0)) > 2; }
static bool long_axis(const struct testcase *c) { return c->point[0][0].type.shape.extent[0] > 4; }
static bool short_axis(const struct testcase *c) { return !long_axis(c); }
static bool negative_second(const struct testcase *c) { return number(c, 1, 0) < 0; }
static bool fraction(const struct testcase *c) { return number(c, 1, 0) != trunc(number(c, 1, 0)); }
static bool odd_axis(const struct testcase *c) { return c->point[0][0].type.shape.extent[0] % 2; }
static bool opposite(const struct testcase *c) { return number(c, 0, 0) * number(c, 1, 0) < 0; }
static bool farther(const struct testcase *c) { return fabs(number(c, 0, 0)) > fabs(number(c, 1, 0)); }
static bool larger_nearer(const struct testcase *c)
{
	const double x = number(c, 0, 0), z = number(c, 1, 0);

	return (x - z) * (fabs(x) - fabs(z)) < 0;
}
static bool always(const struct testcase *c) { return (void)c, true; }
static bool never(const struct testcase *c) { return (void)c, false; }

/* Does not depend on anything that can be said. */
static bool by_chance(const struct testcase *c) { return testcase_hash(c) % 2; }

/* ---- variants ---- */

enum { SPREAD = 24 };

/* Number k of the numbers at which a variant is taken: halves from -6 on. */
static double spread(int k) { return (k - SPREAD / 2) / 2.0; }

/* A program with %s in place of numbers that vary. */
struct op_family {
	const char *inputs, *body;
	bool two; /* a second number */
};

static const struct op_family sine = {"x: f64[]", "y = sin x", false};
static const struct op_family sine_of_sum = {"x: f64[]", "s = add x, x\ny = sin s", false};
static const struct op_family quotient = {"x: f64[], z: f64[]", "y = div x, z", true};
static const struct op_family product = {"x: f64[], z: f64[]", "y = mul x, z", true};
static const struct op_family angle = {"x: f64[], z: f64[]", "y = atan2 x, z", true};

static void add_family(
    struct explanation *x, const struct op_family *f, bool (*rule)(const struct testcase *), int *n, struct arena *a)
{
	for (int i = 0; i < SPREAD; i++)
		for (int k = 0; k < (f->two ? SPREAD : 1); k++) {
			const char *point = f->two ? arena_printf(a, "%g, %g", spread(i), spread(k) + 0.25 * (k % 3))
			                           : arena_printf(a, "%g", spread(i));
			const struct testcase c = test_function(a, f->inputs, f->body, point, "vjp");

			explanation_add(
			    x, &c, NULL, false, false, rule(&c) ? OUTCOME_FAILS : OUTCOME_PASSES, (*n)++, a);
		}
}

/* Running sums of so many elements, also with a second axis. */
static void add_sums_between(
    struct explanation *x, bool (*rule)(const struct testcase *), int from, int to, int *n, struct arena *a)
{
	for (int rows = from; rows <= to; rows++)
		for (int columns = 0; columns < 8; columns += 3) {
			const int size = rows * (columns ? columns : 1);
			const char *shape = columns ? arena_printf(a, "%d,%d", rows, columns)
			                            : arena_printf(a, "%d", rows),
			           *list = "";
			struct testcase c;

			for (int i = 0; i < size; i++)
				list = arena_printf(a, "%s%s%g", list, i ? ", " : "", 0.5 + i);
			c = test_function(a, arena_printf(a, "x: f64[%s]", shape), "y = cumsum x axis=0",
			    arena_printf(a, "[%s]", list), "vjp");
			explanation_add(
			    x, &c, NULL, false, false, rule(&c) ? OUTCOME_FAILS : OUTCOME_PASSES, (*n)++, a);
		}
}

static void add_sums(struct explanation *x, bool (*rule)(const struct testcase *), int *n, struct arena *a)
{
	add_sums_between(x, rule, 1, 9, n, a);
}

/* ---- rows ---- */

static const struct row {
	const char *name;
	const struct op_family *of[2]; /* NULL: running sums */
	bool (*rule)(const struct testcase *c);
	struct blamed blamed;
	bool determined, always;
	const char *text; /* NULL: none is checked */
} rows[] = {
    {"a magnitude", {&sine}, far_from_zero, {OP_SIN, "operand of sin"}, true, false,
        "It fails where an element of the operand of sin has a magnitude above 2."},
    {"an extent", {NULL}, long_axis, {OP_CUMSUM, "operand of cumsum"}, true, false,
        "It fails where the axis of cumsum has more than four elements."},
    {"a parity", {NULL}, odd_axis, {OP_CUMSUM, "operand of cumsum"}, true, false,
        "It fails where the extent of the axis of cumsum is odd."},
    {"opposite signs", {&angle}, opposite, {OP_ATAN2, "first operand of atan2"}, true, false,
        "It fails where the operands of atan2 have opposite signs in some element."},
    {"magnitudes of two operands", {&product}, farther, {OP_MUL, "second operand of mul"}, true, false,
        "It fails where the first operand of mul has a larger magnitude than the second in some element."},
    {"a larger operand that is nearer to 0", {&product}, larger_nearer, {OP_MUL, "second operand of mul"}, true, false,
        "It fails where the larger operand of mul has the smaller magnitude in some element."},
    {"a sign of another operand", {&angle}, negative_second, {OP_ATAN2, "first operand of atan2"}, true, false,
        "It fails where an element of the second operand of atan2 is negative."},
    {"a number that is no integer", {&quotient}, fraction, {OP_DIV, "denominator of div"}, true, false,
        "It fails where an element of the denominator of div is not an integer."},
    {"programs without the operand do not count", {&quotient, &product}, negative_second,
        {OP_DIV, "denominator of div"}, true, false,
        "It fails where an element of the denominator of div is negative."},
    {"no condition", {&sine}, always, {OP_SIN, "operand of sin"}, false, true,
        "It fails in every variant with the same request, there or at a nearby point."},
    {"nothing that can be said", {&quotient}, by_chance, {OP_DIV, "denominator of div"}, false, false, NULL},
    {"an operand of another program", {&sine_of_sum}, far_from_zero, {OP_SIN, "operand of sin"}, true, false,
        "It fails where an element of the operand of sin has a magnitude above 4."},
};

static void test_row(const struct row *r, struct arena *a)
{
	struct explanation *x = explanation_open();
	const struct op_family *first = r->of[0];
	const struct testcase about = first
	    ? test_function(a, first->inputs, first->body, first->two ? "1.5, 2.5" : "1.5", "vjp")
	    : test_function(a, "x: f64[2]", "y = cumsum x axis=0", "[1, 2]", "vjp");
	struct explained told;
	int n = 0;

	explanation_about(x, &about);
	explanation_aside(x, true, false);
	for (int i = 0; i < 2; i++)
		if (r->of[i])
			add_family(x, r->of[i], i && r->of[i] == &product ? by_chance : r->rule, &n, a);
	if (!first)
		add_sums(x, r->rule, &n, a);
	explanation_tell(x, &r->blamed, 1, a, &told);
	CHECK(told.determined == r->determined && told.always == r->always, "%s", explanation_text(&told, a));
	CHECK(!r->text || !strcmp(explanation_text(&told, a), r->text), "%s", explanation_text(&told, a));
	explanation_close(x);
}

/* Variants that pass for a plain reason do not count, and of many alike only a few. */
static void test_counted(struct arena *a)
{
	struct explanation *x = explanation_open();
	const struct testcase c = test_function(a, "x: f64[]", "y = sin x", "1.5", "vjp");
	const struct blamed blamed = {OP_SIN, "operand of sin"};
	struct explained told;

	explanation_about(x, &c);
	explanation_aside(x, true, true);
	for (int i = 0; i < 40; i++)
		explanation_add(x, &c, NULL, false, false, OUTCOME_FAILS, i, a);
	explanation_add(x, &c, NULL, false, false, OUTCOME_ZERO, 40, a);
	explanation_add(x, &c, NULL, false, false, OUTCOME_TIE, 41, a);
	explanation_tell(x, &blamed, 1, a, &told);
	CHECK(told.always && told.failing == 12 && !told.passing, "%d, %d", told.failing, told.passing);
	explanation_aside(x, true, false);
	explanation_add(x, &c, NULL, false, false, OUTCOME_TIE, 42, a);
	explanation_tell(x, &blamed, 1, a, &told);
	CHECK(told.failing == 12 && told.passing == 1, "%d, %d", told.failing, told.passing);
	explanation_close(x);
}

static const struct blamed cumsum_blamed = {OP_CUMSUM, "operand of cumsum"};

/* An explanation of a cumsum that fails. */
static struct explanation *open_cumsum(struct arena *a)
{
	const struct testcase about = test_function(a, "x: f64[2]", "y = cumsum x axis=0", "[1, 2]", "vjp");
	struct explanation *x = explanation_open();

	explanation_about(x, &about);
	explanation_aside(x, true, false);
	return x;
}

/* A condition that does not predict fresh variants is not told. */
static void test_fresh(struct arena *a)
{
	for (int turn = 0; turn < 2; turn++) {
		struct explanation *x = open_cumsum(a);
		struct explained told;
		int n = 0;

		add_sums(x, long_axis, &n, a);
		explanation_fresh(x, true);
		add_sums(x, turn ? short_axis : long_axis, &n, a);
		explanation_tell(x, &cumsum_blamed, 1, a, &told);
		CHECK(told.determined == !turn && !told.gap_to, "%d: %s", turn, explanation_text(&told, a));
		explanation_close(x);
	}
}

/* Of two conditions that are equally good, the one is told that predicts the fresh variants. */
static void test_equally_good(struct arena *a)
{
	static const struct blamed blamed = {OP_MUL, NULL};
	const struct testcase about = test_function(a, product.inputs, product.body, "1, 2", "vjp");
	struct explanation *x = explanation_open();
	struct explained told;
	int n = 0;

	explanation_about(x, &about);
	explanation_aside(x, true, false);
	for (int fresh = 0; fresh < 2; fresh++) {
		explanation_fresh(x, fresh);
		for (int i = 0; i < SPREAD; i++) {
			const double z = spread(i) + 0.25;
			const char *point = arena_printf(a, "%g, %g", fresh ? -z : z, z);
			const struct testcase c = test_function(a, product.inputs, product.body, point, "vjp");

			explanation_add(
			    x, &c, NULL, false, false, negative_second(&c) ? OUTCOME_FAILS : OUTCOME_PASSES, n++, a);
		}
	}
	explanation_tell(x, &blamed, 1, a, &told);
	CHECK(told.determined && strstr(explanation_text(&told, a), "second operand of mul is negative"), "%s",
	    explanation_text(&told, a));
	explanation_close(x);
}

/* A negative denominator, but no large numerator. */
static bool never_large(const struct testcase *c) { return negative_second(c) && number(c, 0, 0) <= 3; }

/* The same, but each large numerator, and others by chance. */
static bool rather_large(const struct testcase *c)
{
	return negative_second(c) && (number(c, 0, 0) > 3 || testcase_hash(c) % 2);
}

/* Where no condition predicts enough, a second term is not guessed that tells less apart. */
static void test_guess(struct arena *a)
{
	static const struct blamed blamed = {OP_DIV, "denominator of div"};
	const struct testcase about = test_function(a, quotient.inputs, quotient.body, "1.5, 2.5", "vjp");
	struct explanation *x = explanation_open();
	struct explained told;
	int n = 0;

	explanation_about(x, &about);
	explanation_aside(x, true, false);
	add_family(x, &quotient, never_large, &n, a);
	explanation_fresh(x, true);
	add_family(x, &quotient, rather_large, &n, a);
	explanation_tell(x, &blamed, 1, a, &told);
	CHECK(told.n_term == 1 && strstr(explanation_text(&told, a), "denominator of div is negative"), "%s",
	    explanation_text(&told, a));
	explanation_close(x);
}

/* Counts that no variant has are named. */
static void test_gap(struct arena *a)
{
	struct explanation *x = open_cumsum(a);
	struct explained told;
	int n = 0;

	add_sums_between(x, long_axis, 1, 3, &n, a);
	add_sums_between(x, long_axis, 8, 9, &n, a);
	explanation_tell(x, &cumsum_blamed, 1, a, &told);
	CHECK(told.determined && told.gap_from == 4 && told.gap_to == 7, "%d to %d", told.gap_from, told.gap_to);
	explanation_close(x);
}

/* A few programs of the op alone refute what many other variants show. */
static void test_alone(struct arena *a)
{
	for (int alone = 0; alone < 2; alone++) {
		struct explanation *x = open_cumsum(a);
		struct explained told;
		int n = 0;

		add_sums(x, long_axis, &n, a);
		explanation_alone(x, alone);
		add_sums_between(x, long_axis, 5, 6, &n, a);
		add_sums_between(x, always, 4, 4, &n, a);
		explanation_tell(x, &cumsum_blamed, 1, a, &told);
		CHECK(told.determined == !alone, "%d: %s", alone, explanation_text(&told, a));
		explanation_close(x);
	}
}

/* ---- what was not tested is not told ---- */

static double apart(const struct testcase *c) { return number(c, 0, 0) - number(c, 1, 0); }
static bool far_above(const struct testcase *c) { return apart(c) > 0.5; }
static bool above(const struct testcase *c) { return apart(c) > 0; }
static bool above_or_zero(const struct testcase *c) { return above(c) || number(c, 1, 0) == 0; }

/* Products of x and z, for several z, whose difference x - z is one of these. */
static void add_products(struct explanation *x, bool (*rule)(const struct testcase *), const double *difference,
    int n_difference, const double *second, int n_second, int *n, struct arena *a)
{
	for (int k = 0; k < n_difference; k++)
		for (int i = 0; i < n_second; i++) {
			const struct testcase c = test_function(a, product.inputs, product.body,
			    arena_printf(a, "%g, %g", second[i] + difference[k], second[i]), "vjp");

			explanation_add(
			    x, &c, NULL, false, false, rule(&c) ? OUTCOME_FAILS : OUTCOME_PASSES, (*n)++, a);
		}
}

/* A gap is told if variants with a smaller one pass, and an alternative if variants fail by it alone. */
static void test_shown(struct arena *a)
{
	static const double second[] = {-3, -2.25, -1.5, -0.75, 0, 0.75, 1.5, 2.25, 3.75};
	static const struct {
		const char *name;
		bool (*rule)(const struct testcase *c);
		int n, n_second, small; /* differences; numbers above; those that are met by a small difference too */
		double difference[8];
		bool determined;
		const char *says, *says_not;
	} shown[] = {
	    {"a gap", far_above, 6, 9, 9, {-2, -1, -0.5, 0.75, 1, 2}, true, "above its second operand by more than 0.",
	        ""},
	    {"a gap of few variants", far_above, 6, 9, 3, {-2, -1, -0.5, 0.75, 1, 2}, true, "operand of mul is above",
	        "by more than"},
	    {"an alternative", above_or_zero, 6, 9, 0, {-3, -2, -1, -0.5, -0.25, 1}, true, "or where", ""},
	    {"an alternative of few variants", above_or_zero, 4, 9, 0, {-2, -1, -0.5, 1}, true, "or where", ""},
	    {"an alternative of two variants", above_or_zero, 3, 9, 0, {-2, -1, 1}, false, "", "or where"},
	};
	static const struct blamed blamed = {OP_MUL, NULL};

	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		const struct testcase about = test_function(a, product.inputs, product.body, "3.5, 1.25", "vjp");
		struct explanation *x = explanation_open();
		struct explained told;
		const char *text;
		int n = 0;

		explanation_about(x, &about);
		explanation_aside(x, true, false);
		add_products(x, shown[i].rule, shown[i].difference, shown[i].n, second, shown[i].n_second, &n, a);
		add_products(x, shown[i].rule, (const double[]){0.25}, 1, second, shown[i].small, &n, a);
		explanation_tell(x, &blamed, 1, a, &told);
		text = explanation_text(&told, a);
		CHECK(told.determined == shown[i].determined && strstr(text, shown[i].says) &&
		        (!*shown[i].says_not || !strstr(text, shown[i].says_not)),
		    "%s: %s", shown[i].name, text);
		explanation_close(x);
	}
}

/* Cotangents that become known later make a condition known. */
static void test_measured_again(struct arena *a)
{
	static const struct blamed blamed = {OP_SIN, "operand of sin"};
	struct explanation *x = explanation_open();
	struct explained told;
	struct testcase c[SPREAD];

	for (int i = 0; i < SPREAD; i++)
		c[i] = test_function(a, sine.inputs, sine.body, arena_printf(a, "%g", 0.5 + i % 4),
		    arena_printf(a, "vjp; cotangents %g", spread(i) + 0.25));
	explanation_about(x, &c[0]);
	explanation_aside(x, true, false);
	for (int i = 0; i < SPREAD; i++)
		explanation_add(x, &c[i], NULL, false, false, i < SPREAD / 2 ? OUTCOME_FAILS : OUTCOME_PASSES, i, a);
	for (int again = 0; again < 2; again++) {
		for (int i = 0; again && i < SPREAD; i++) {
			const struct known_cotangents known = {
			    .n = 1, .seeded = true, .of = {{.value = 1, .at = &c[i].transform[0].seed[0]}}};

			explanation_measure(x, &c[i], &known, i, a);
		}
		explanation_tell(x, &blamed, 1, a, &told);
		CHECK(told.determined == again &&
		        (!again || strstr(explanation_text(&told, a), "element of the cotangent of sin is negative")),
		    "%d: %s", again, explanation_text(&told, a));
	}
	explanation_close(x);
}

static bool far_negative(const struct testcase *c) { return far_from_zero(c) && negative_second(c); }

/* Programs alone that fail without a term, though the other one holds, show that it is not needed. */
static void test_needed(struct arena *a)
{
	static const struct blamed blamed = {OP_MUL, NULL};

	for (int alone = 0; alone < 2; alone++) {
		const struct testcase about = test_function(a, product.inputs, product.body, "1.5, 2.5", "vjp");
		struct explanation *x = explanation_open();
		struct explained told;
		int n = 0;

		explanation_about(x, &about);
		explanation_aside(x, true, false);
		add_family(x, &product, far_negative, &n, a);
		explanation_alone(x, true);
		for (int k = 0; k < 4; k++) {
			const char *point = arena_printf(a, "%g, %g", alone ? 1 + k / 4.0 : 3 + k, -1.5 - k);
			const struct testcase c = test_function(a, product.inputs, product.body, point, "vjp");

			explanation_add(x, &c, NULL, false, false, OUTCOME_FAILS, n++, a);
		}
		explanation_tell(x, &blamed, 1, a, &told);
		CHECK(alone ==
		        (strstr(explanation_text(&told, a), "first operand of mul has a magnitude above 2") == NULL),
		    "%d: %s", alone, explanation_text(&told, a));
		explanation_close(x);
	}
}

/* That an op is differentiated is told only if it predicts most variants, also those that weigh little. */
static void test_vague(struct arena *a)
{
	static const struct op_family of_sine = {"x: f64[]", "s = sin x\np = mul x, x\ny = add p, s", false};
	static const struct op_family of_cosine = {"x: f64[]", "s = cos x\np = mul x, x\ny = add p, s", false};
	static const struct blamed blamed = {OP_MUL, NULL};
	static const int contrary[] = {0, 2, 12};

	for (size_t i = 0; i < sizeof contrary / sizeof *contrary; i++) {
		const struct testcase about = test_function(a, of_sine.inputs, of_sine.body, "3.5", "vjp");
		struct explanation *x = explanation_open();
		struct explained told;
		const char *text;
		int n = 0;

		explanation_about(x, &about);
		explanation_alone(x, true);
		add_family(x, &of_sine, always, &n, a);
		add_family(x, &of_cosine, never, &n, a);
		explanation_alone(x, false);
		for (int k = 0; k < contrary[i]; k++) {
			const struct testcase c = test_function(
			    a, of_sine.inputs, of_sine.body, arena_printf(a, "%g", spread(2 * k) + 0.125), "vjp");

			explanation_add(x, &c, NULL, false, false, OUTCOME_PASSES, n++, a);
		}
		explanation_tell(x, &blamed, 1, a, &told);
		text = explanation_text(&told, a);
		CHECK(told.determined == (i < 2), "%d contrary: %d of %d, %d of %d: %s", contrary[i], told.failing_with,
		    told.failing, told.passing_without, told.passing, text);
		CHECK(strstr(text, "sin is differentiated"), "%d contrary: %s", contrary[i], text);
		explanation_close(x);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (row_wanted("%s", rows[i].name))
			test_row(&rows[i], &a);
	CHECK_LAW(test_counted(&a));
	CHECK_LAW(test_fresh(&a));
	CHECK_LAW(test_equally_good(&a));
	CHECK_LAW(test_gap(&a));
	CHECK_LAW(test_guess(&a));
	CHECK_LAW(test_alone(&a));
	CHECK_LAW(test_shown(&a));
	CHECK_LAW(test_measured_again(&a));
	CHECK_LAW(test_needed(&a));
	CHECK_LAW(test_vague(&a));
	arena_free(&a);
	return check_done();
}

/* What reports conclude from variants: formulas become programs, features are seen, conditions separate, closed forms
 * fit. */
#include "fuzz/characterize/explain.h"

#include <math.h>
#include <string.h>

#include "fuzz/characterize/fit.h"
#include "fuzz/characterize/facts.h"
#include "fuzz/edit/formula.h"
#include "tests/check.h"

static const struct type real = {.dtype = DTYPE_F64};

/* A vjp of `text` over the scalars x and y, by those of the first n_wrt. */
static bool make(struct edit *e, const char *text, double x, double y, int n_wrt, struct arena *a)
{
	static const int wrt[] = {0, 1};
	struct transform *t = NEW(a, struct transform, 1);
	struct type two[] = {real, real};

	*e = (struct edit){.arena = a};
	e->c.n_point = 1;
	e->c.point = NEW(a, struct tensor *, 1);
	e->c.point[0] = NEW(a, struct tensor, 2);
	for (int i = 0; i < 2; i++) {
		e->c.point[0][i] = tensor_new(a, &real);
		e->c.point[0][i].at[0].f = i ? y : x;
	}
	e->c.program.top.param = edit_new_values(e, two, 2);
	e->c.program.top.n_param = 2;
	e->c.program.top.result = NEW(a, int, 1);
	e->c.program.top.n_result = 1;
	*t = (struct transform){.kind = TRANSFORM_VJP, .n_wrt = n_wrt};
	t->wrt = arena_copy(a, wrt, 2, sizeof *wrt);
	e->c.transform = t;
	e->c.n_transform = 1;
	return formula_build(e, &e->c.program.top, text,
	           (const struct text_name[]){{"x", e->c.program.top.param}, {"y", e->c.program.top.param + 1}}, 2,
	           DTYPE_F64, &e->c.program.top.result[0]) &&
	    edit_finish(e, true);
}

static void test_formulas(struct arena *a)
{
	static const struct {
		const char *text;
		bool valid;
		int nodes;
	} rows[] = {
	    {"x", true, 0},
	    {"x + y", true, 1},
	    {"x * (y - 2)", true, 3},
	    {"-x / y^2", true, 3},
	    {"where(x > 0, sqrt(x), 0)", true, 5},
	    {"sum(x * y)", true, 2},
	    {"atan2(x, y)", true, 1},
	    {"z", false, 0},
	    {"x +", false, 0},
	    {"sqrt(x, y)", false, 0},
	    {"x y", false, 0},
	    {"where(x, x, y)", false, 0},
	    {"(x", false, 0},
	    {"no_such_op(x)", false, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("formulas: %s", rows[i].text))
			continue;
		struct edit e;
		bool valid = make(&e, rows[i].text, 0.5, 2, 2, a);

		CHECK(valid == rows[i].valid, "%s", rows[i].text);
		if (valid)
			CHECK(program_nodes(&e.c.program) == rows[i].nodes, "%s: %d nodes", rows[i].text,
			    program_nodes(&e.c.program));
	}
}

static void test_facts(struct arena *a)
{
	static const struct {
		const char *text;
		double x, y;
		int n_wrt;
		enum feature feature;
		bool has;
	} rows[] = {
	    {"where(x > 0, sqrt(x), 0)", 0, 2, 1, FEATURE_DEAD_SINGULAR, true},
	    {"where(x > 0, sqrt(x), 0)", 1, 2, 1, FEATURE_DEAD_SINGULAR, false},
	    {"where(x > 0, y, sqrt(x))", 0, 2, 1, FEATURE_DEAD_SINGULAR, false},
	    {"max(x, y)", 2, 2, 1, FEATURE_TIE, true},
	    {"max(x, y)", 1, 2, 1, FEATURE_TIE, false},
	    {"atan2(x, y)", 1, 2, 1, FEATURE_ONE_OPERAND, true},
	    {"atan2(x, y)", 1, 2, 2, FEATURE_ONE_OPERAND, false},
	    {"atan2(x, y)", 1, 2, 2, FEATURE_ALL_OPERANDS, true},
	    {"atan2(y, x)", 1, 2, 1, FEATURE_SECOND_OPERAND_ONLY, true},
	    {"x * x", 1, 2, 1, FEATURE_OPERANDS_SAME, true},
	    {"x * y", 0, 2, 1, FEATURE_ZERO_FACTOR, true},
	    {"x + y", 2, 2, 2, FEATURE_INPUTS_EQUAL, true},
	    {"x + y", 1, 2, 2, FEATURE_INPUTS_EQUAL, false},
	    {"x + y", 1, 2, 1, FEATURE_SOME_INPUTS, true},
	    {"x + floor(sqrt(y))", 1, 2, 2, FEATURE_USED_TWICE, false},
	    {"pow(x, y)", 0, 2, 2, FEATURE_ZERO_BASE, true},
	    {"pow(x, y)", 1, 2, 2, FEATURE_UNIT_BASE, true},
	    {"pow(x, y)", 2, 2, 2, FEATURE_UNIT_BASE, false},
	    {"x + 2 * x", 1, 2, 1, FEATURE_NONLINEAR, false},
	    {"x * x", 1, 2, 1, FEATURE_NONLINEAR, true},
	    {"x * x", 1, 2, 1, FEATURE_OVER_QUADRATIC, false},
	    {"x * x * x", 1, 2, 1, FEATURE_OVER_QUADRATIC, true},
	    {"x * x * x", 1, 2, 1, FEATURE_OVER_CUBIC, false},
	    {"sin(x)", 1, 2, 1, FEATURE_OVER_CUBIC, true},
	    {"where(x > 0, x, x * x)", 1, 2, 1, FEATURE_NONLINEAR, false},
	    {"max(x, y)", 3, 2, 2, FEATURE_ALL_OPERANDS, false},
	    {"x + sin(x)", 1, 2, 1, FEATURE_ACCUMULATED, true},
	    {"x + floor(x)", 1, 2, 1, FEATURE_ACCUMULATED, false},
	    {"x + sin(x)", 1, 2, 1, FEATURE_SHARED_LATER, true},
	    {"x * x", 1, 2, 1, FEATURE_SHARED_LATER, false},
	    {"x * x", 1, 2, 1, FEATURE_COMMUTES_WITH_ITSELF, true},
	    {"x / x", 1, 2, 1, FEATURE_COMMUTES_WITH_ITSELF, false},
	    {"x + y", 2, 2, 1, FEATURE_TWIN_USED, true},
	    {"sin(x)", 2, 2, 1, FEATURE_TWIN_USED, false},
	    {"sin(y)", 2, 2, 1, FEATURE_TWIN_USED, true},
	    {"x * sin(x)", 0, 2, 1, FEATURE_ZERO_LIVE_FACTOR, true},
	    {"x * y", 0, 2, 1, FEATURE_ZERO_LIVE_FACTOR, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("facts: %s", rows[i].text))
			continue;
		struct edit e;

		CHECK(make(&e, rows[i].text, rows[i].x, rows[i].y, rows[i].n_wrt, a), "%s", rows[i].text);
		CHECK(facts_of(&e.c, a)->at[rows[i].feature] == rows[i].has, "%s at %g, %g: feature %d", rows[i].text,
		    rows[i].x, rows[i].y, (int)rows[i].feature);
	}
}

/* Variants of which those fail that have a tie, or two operands; the condition says so, and predicts. */
static void test_condition(struct arena *a)
{
	static const char *const texts[] = {"max(x, y)", "x * y", "sin(x)", "min(x, y)", "x + y", "sqrt(x)"};
	struct explanation *x = explanation_open();
	struct explained found;
	struct edit e;
	int number = 0;

	for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
		for (int tie = 0; tie < 2; tie++)
			if (make(&e, texts[t], 2, tie ? 2 : 3, 2, a))
				explanation_add(
				    x, &e.c, NULL, tie && (t == 0 || t == 3), false, OUTCOME_PASSES, number++, a);
	/* a tie that passes although it could not fail is no exception */
	if (make(&e, "max(x, y)", 2, 2, 3, a))
		explanation_add(x, &e.c, NULL, false, true, OUTCOME_ZERO, number++, a);
	explanation_find(x, a, &found);
	CHECK(found.n_term == 1 && !strcmp(found.term[0].name, "tie") && found.term[0].holds, "%s",
	    explanation_text(&found, a));
	CHECK(found.failing == 2 && found.failing_with == 2 && found.passing == found.passing_without &&
	        !found.n_exception,
	    "%d of %d", found.failing_with, found.failing);
	CHECK(strstr(explanation_text(&found, a), "It fails where a maximum"), "%s", explanation_text(&found, a));
	CHECK(
	    make(&e, "clamp(x, y, 7)", 2, 2, 2, a) && explanation_predicts(x, &found, &e.c, a), "a tie of another op");
	CHECK(make(&e, "clamp(x, y, 7)", 3, 2, 2, a) && !explanation_predicts(x, &found, &e.c, a), "none");
	explanation_close(x);
	/* of what fails always the condition is that it does; what never does has none */
	x = explanation_open();
	for (int i = 0; i < 4; i++)
		if (make(&e, texts[i], 2, 3, 2, a))
			explanation_add(x, &e.c, NULL, true, false, OUTCOME_PASSES, i, a);
	explanation_find(x, a, &found);
	CHECK(!found.n_term && found.always && found.failing_with == 4, "%s", explanation_text(&found, a));
	CHECK(!strcmp(explanation_text(&found, a),
	          "It fails in every variant with the same request, there or at a nearby point."),
	    "%s", explanation_text(&found, a));
	CHECK(make(&e, "sin(x)", 2, 3, 2, a) && explanation_predicts(x, &found, &e.c, a), "everywhere");
	explanation_close(x);
	/* where one of many passes, and no feature tells it apart, it fails whatever they are */
	x = explanation_open();
	for (int i = 0; i < 40; i++)
		if (make(&e, i ? texts[i % 6] : "sin(x)", 2, 3, 2, a))
			explanation_add(x, &e.c, NULL, i > 0, false, OUTCOME_PASSES, i, a);
	explanation_find(x, a, &found);
	CHECK(!found.n_term && found.always && found.failing == 39 && found.passing == 1, "%s",
	    explanation_text(&found, a));
	CHECK(!strcmp(explanation_text(&found, a),
	          "It fails in 39 of 40 variants; those that pass are too few to tell why."),
	    "%s", explanation_text(&found, a));
	explanation_close(x);
	/* nor does a feature that the only one that passes has alone */
	x = explanation_open();
	for (int i = 0; i < 40; i++)
		if (make(&e, i ? "sin(x)" : "clamp(x, y, 7)", 2, 2, 2, a))
			explanation_add(x, &e.c, NULL, i > 0, false, OUTCOME_PASSES, i, a);
	explanation_find(x, a, &found);
	CHECK(!found.n_term && found.always && found.failing == 39 && found.passing == 1, "%s",
	    explanation_text(&found, a));
	explanation_close(x);
	x = explanation_open();
	if (make(&e, "sin(x)", 2, 3, 2, a))
		explanation_add(x, &e.c, NULL, false, false, OUTCOME_PASSES, 0, a);
	explanation_find(x, a, &found);
	CHECK(!found.n_term && !found.always, "nothing fails");
	explanation_close(x);
}

/* Of many variants those fail that have a tie; one more fails without a tie.  If a report shows that one, no condition
 * may say that it is right. */
static void test_certain(struct arena *a)
{
	enum { MANY = 60 };

	for (int shown = 0; shown < 2; shown++) {
		struct explanation *x = explanation_open();
		struct explained found, told;
		struct edit e;

		explanation_certain(x, shown);
		if (make(&e, "x * y", 2, 3, 2, a))
			explanation_add(x, &e.c, NULL, true, false, OUTCOME_FAILS, MANY, a);
		explanation_certain(x, false);
		for (int i = 0; i < MANY; i++)
			if (make(&e, i % 3 ? "max(x, y)" : "sin(x) * y", 2, i % 2 ? 2 : 3 + i, 2, a))
				explanation_add(x, &e.c, NULL, i % 3 && i % 2, false,
				    i % 3 && i % 2 ? OUTCOME_FAILS : OUTCOME_PASSES, i, a);
		explanation_find(x, a, &found);
		explanation_tell(x, NULL, 0, a, &told);
		CHECK((found.n_term == 1 && !strcmp(found.term[0].name, "tie")) == !shown, "found: %s",
		    explanation_text(&found, a));
		CHECK((told.n_term && strstr(explanation_text(&told, a), "tie")) == !shown, "told: %s",
		    explanation_text(&told, a));
		CHECK(explanation_needs(x, FEATURE_TIE) == false, "one of 21 needs no tie");
		CHECK(explanation_needs(x, FEATURE_ALL_OPERANDS) == true, "all need two operands");
		explanation_close(x);
	}
}

/* Terms in every order give a sentence that names what holds first, then the exceptions. */
static void test_texts(struct arena *a)
{
	static const struct {
		bool any, holds[3];
		int n;
		const char *text;
	} rows[] = {
	    {false, {true}, 1, "It fails where A."},
	    {false, {false}, 1, "It is right where A, and fails elsewhere."},
	    {false, {false, false}, 2, "It is right where A, or where B, and fails elsewhere."},
	    {false, {true, true}, 2, "It fails where A, and where B."},
	    {true, {true, true}, 2, "It fails where A, or where B."},
	    {false, {false, true}, 2, "It fails where B, except where A."},
	    {false, {false, true, false}, 3, "It fails where B, except where A, or where C."},
	    {true, {false, true}, 2, "It fails where B, or where it is not true that A."},
	    {true, {false, false}, 2, "It fails where it is not true that A, or where it is not true that B."},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct explained x = {.n_term = rows[k].n, .any = rows[k].any};

		for (int i = 0; i < rows[k].n; i++)
			x.term[i] = (struct literal){.sentence = &"A\0B\0C"[2 * i], .holds = rows[k].holds[i]};
		CHECK(!strcmp(explanation_text(&x, a), rows[k].text), "%s: %s", rows[k].text, explanation_text(&x, a));
	}
}

static void test_fits(struct arena *a)
{
	static const struct {
		double c[5];
		int degree;
		const char *text;
	} rows[] = {{{1, 0, 1, 0, 1}, 4, "1 + x^2 + x^4"}, {{0}, -1, "0"}, {{-2, 3}, 1, "-2 + 3 x"}, {{0, -1}, 1, "-x"},
	    {{7}, 0, "7"}};
	double y[FIT_DEGREE + 1], c[FIT_DEGREE + 1];
	int p, q;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("fits: %s", rows[i].text))
			continue;
		int degree;

		for (int x = 0; x <= FIT_DEGREE; x++) {
			y[x] = 0;
			for (int k = 4; k >= 0; k--)
				y[x] = y[x] * x + rows[i].c[k];
		}
		degree = fit_polynomial(y, FIT_DEGREE + 1, c);
		CHECK(degree == rows[i].degree, "%s: degree %d", rows[i].text, degree);
		CHECK(!strcmp(fit_text(c, degree, a), rows[i].text), "%s", fit_text(c, degree, a));
	}
	if (!all_wanted())
		return;
	for (int x = 0; x <= FIT_DEGREE; x++)
		y[x] = exp(x);
	CHECK(fit_polynomial(y, FIT_DEGREE + 1, c) == -2, "exp is no polynomial");
	y[3] = NAN;
	CHECK(fit_polynomial(y, FIT_DEGREE + 1, c) == -2, "nor is what has a NaN");
	CHECK(fit_ratio(20.0 / 13, &p, &q) && p == 20 && q == 13, "%d/%d", p, q);
	CHECK(fit_ratio(-0.5, &p, &q) && p == -1 && q == 2, "%d/%d", p, q);
	CHECK(!fit_ratio(M_PI, &p, &q) && !fit_ratio(0, &p, &q), "pi and 0 are no ratios");
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 28);
	test_formulas(&a);
	test_facts(&a);
	CHECK_LAW(test_condition(&a));
	CHECK_LAW(test_certain(&a));
	CHECK_LAW(test_texts(&a));
	test_fits(&a);
	arena_free(&a);
	return check_done();
}

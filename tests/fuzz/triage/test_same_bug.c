/* Which findings are one bug: a table of pairs of symptoms. */
#include "fuzz/triage/same_bug.h"

#include <math.h>

#include "tests/check.h"
#include "tests/fuzz/pattern_text.h"

/* What is told of a symptom; its name is `pattern`. */
struct told {
	const char *pattern;
	int order;
	const char *kind;
	enum verdict verdict;
	enum deviation deviation;
	double factor;
	enum { STEADY, UNSTEADY, FLAKY, WEAK, RAISED } how;
};

static struct symptom symptom(const struct told *t)
{
	return (struct symptom){.fine = t->pattern,
	    .pattern = parse(t->pattern),
	    .asked = {t->order, t->kind, false},
	    .verdict = t->verdict,
	    .deviation = t->deviation,
	    .factor = t->factor,
	    .weak_zero = t->how == WEAK,
	    .flaky = t->how == FLAKY,
	    .raised = t->how == RAISED,
	    .unsteady = t->how == UNSTEADY};
}

#define VJP           1, "vjp"
#define ORDER_2       2, "vjp"
#define WRONG(factor) VERDICT_WRONG, (factor) == 0 ? DEVIATION_ZERO : DEVIATION_FINITE, factor
#define CRASH         VERDICT_CRASH, DEVIATION_NONE, NAN
#define SHAPE         VERDICT_BAD_SHAPE, DEVIATION_SHAPE, NAN
#define LEAK          VERDICT_NAN_LEAK, DEVIATION_NAN, NAN

static const struct {
	struct told x, y;
	int expected;
} rows[] = {
    /* One name; fewer of the same ops; another op, another request. */
    {{"mul", VJP, WRONG(1.5), STEADY}, {"mul", ORDER_2, WRONG(3), STEADY}, -1},
    {{"mul", VJP, WRONG(1.5), STEADY}, {"mul+sin", VJP, LEAK, STEADY}, -1},
    {{"mul+sin", VJP, WRONG(1.5), STEADY}, {"mul", VJP, WRONG(1.5), STEADY}, 1},
    {{"mul", VJP, WRONG(1.5), STEADY}, {"sin", VJP, WRONG(1.5), STEADY}, 0},
    {{"mul", 1, "jvp", WRONG(1.5), STEADY}, {"mul+sin", VJP, WRONG(1.5), STEADY}, 0},
    {{"write", 0, "primal", VERDICT_WRONG_PRIMAL, DEVIATION_FINITE, 2, STEADY}, {"scatter_set", VJP, WRONG(0), STEADY},
        -1},
    {{"scatter_set", 0, "primal", VERDICT_WRONG_PRIMAL, DEVIATION_FINITE, 2, STEADY},
        {"gather+scatter_set", VJP, WRONG(0), STEADY}, 0},
    {{"atan2", 0, "primal", VERDICT_WRONG_PRIMAL, DEVIATION_NAN, NAN, STEADY}, {"atan2+mul", VJP, WRONG(0), STEADY}, 0},
    /* What dies dies of more; what is about numbers is nothing of it but for the very same ops. */
    {{"for", VJP, CRASH, STEADY}, {"for+sin", VJP, CRASH, STEADY}, -1},
    {{"scatter_add", VJP, CRASH, STEADY}, {"elementwise+scatter_add", VJP, WRONG(0), STEADY}, -1},
    {{"elementwise+scatter_add", VJP, WRONG(0), STEADY}, {"scatter_add", VJP, CRASH, STEADY}, 1},
    {{"scatter_add", VJP, CRASH, STEADY}, {"gather+scatter_add", VJP, WRONG(0), STEADY}, 0},
    /* An error that the engine raises is no reason for wrong numbers; it is one for itself in a larger case. */
    {{"pad", VJP, CRASH, RAISED}, {"elementwise+pad", VJP, WRONG(0), STEADY}, 0},
    {{"elementwise+pad", VJP, WRONG(0), STEADY}, {"pad", VJP, CRASH, RAISED}, 0},
    {{"pad", VJP, CRASH, RAISED}, {"pad+sin", VJP, CRASH, RAISED}, -1},
    {{"elementwise", VJP, SHAPE, STEADY}, {"elementwise", VJP, WRONG(0.5), STEADY}, -1},
    {{"", VJP, CRASH, STEADY}, {"mul", VJP, WRONG(0.5), STEADY}, 0},
    /* A NaN that 0 times infinity may have made, of the op that makes others. */
    {{"pow", VJP, LEAK, STEADY}, {"pow", VJP, LEAK, WEAK}, -1},
    {{"pow", VJP, LEAK, STEADY}, {"pow+sqrt", VJP, LEAK, WEAK}, 0},
    {{"sqrt", VJP, LEAK, WEAK}, {"log", VJP, LEAK, STEADY}, 0},
    /* Twice in any loop, whatever is in it: not where another part is lost, nor where all is. */
    {{"for+while", VJP, WRONG(2), STEADY}, {"elementwise+for+while", VJP, WRONG(2), STEADY}, -1},
    {{"for+while", VJP, WRONG(2), STEADY}, {"elementwise+for+while", VJP, WRONG(0.5), STEADY}, 0},
    {{"for", VJP, WRONG(0), STEADY}, {"elementwise+for", VJP, WRONG(0), STEADY}, 0},
    {{"for", VJP, LEAK, STEADY}, {"elementwise+for", VJP, LEAK, STEADY}, -1},
    {{"for", VJP, WRONG(INFINITY), STEADY}, {"elementwise+for", VJP, WRONG(2), STEADY}, 0},
    {{"for", VJP, WRONG(1.0001), STEADY}, {"elementwise+for", VJP, WRONG(0.9999), STEADY}, 0},
    /* A NaN out of a branch, whatever made it. */
    {{"cond+lt+sqrt", VJP, LEAK, STEADY}, {"cond+div+eq", VJP, LEAK, STEADY}, -1},
    {{"cond+sqrt", VJP, LEAK, STEADY}, {"cond+div", VJP, WRONG(2), STEADY}, 0},
    {{"cond+gather", VJP, LEAK, STEADY}, {"cond+div", VJP, LEAK, STEADY}, 0},
    {{"select+sqrt", VJP, LEAK, STEADY}, {"div+select", VJP, LEAK, STEADY}, 0},
    /* Derivatives that are not differentiated; at order 1 it is two rules. */
    {{"sqrt", ORDER_2, WRONG(0), STEADY}, {"square", ORDER_2, WRONG(0), STEADY}, -1},
    {{"sqrt", ORDER_2, WRONG(2), STEADY}, {"square", ORDER_2, WRONG(2), STEADY}, 0},
    {{"sqrt", VJP, WRONG(0), STEADY}, {"square", VJP, WRONG(0), STEADY}, 0},
    {{"sqrt", ORDER_2, WRONG(0), STEADY}, {"cumprod", ORDER_2, WRONG(0), STEADY}, 0},
    /* What did not come again is of what comes now and then. */
    {{"for+nonlinear", VJP, WRONG(2), UNSTEADY}, {"add+for+sin", VJP, WRONG(3), FLAKY}, -1},
    {{"add+for+sin", VJP, WRONG(3), FLAKY}, {"for+nonlinear", VJP, WRONG(2), UNSTEADY}, 1},
    {{"for+nonlinear", VJP, WRONG(2), STEADY}, {"add+for+sin", VJP, WRONG(3), FLAKY}, 0},
    {{"for+nonlinear", VJP, WRONG(2), UNSTEADY}, {"add+sin", VJP, WRONG(3), FLAKY}, 0},
    {{"for+nonlinear", VJP, WRONG(2), UNSTEADY}, {"add+for+sin", VJP, CRASH, FLAKY}, 0},
};

static void test_covers(void)
{
	static const struct told bare = {"for", VJP, WRONG(0), STEADY},
	                         filled = {"elementwise+for", VJP, WRONG(0.5), STEADY},
	                         more = {"add+elementwise+for", VJP, WRONG(0.5), STEADY},
	                         dead = {"for", VJP, CRASH, STEADY};
	const struct symptom a = symptom(&bare), b = symptom(&filled), c = symptom(&more), d = symptom(&dead);

	CHECK(symptom_covers(&b, &c) && !symptom_covers(&c, &b) && !symptom_covers(&a, &b), "covers");
	CHECK(symptom_resembles(&a, &b) && symptom_resembles(&b, &a), "the same ops");
	CHECK(!symptom_resembles(&a, &c) && !symptom_resembles(&a, &d), "other ops, another kind");
}

/* An op in another spelling is another op; other spellings elsewhere do not matter, but those of the levels do. */
static void test_spelled(void)
{
	static const struct {
		const char *x, *y;
		int spelled_x[3], spelled_y[3]; /* of mul, sin and the request */
		int expected;
		bool resembles; /* names both the same ops */
	} pairs[] = {
	    {"mul", "mul+sin", {0, 0, 0}, {0, 0, 0}, -1, false},
	    {"mul", "mul+sin", {0, 0, 0}, {0, 2, 0}, 0, false},
	    {"mul", "mul+sin", {0, 0, 0}, {1, 0, 0}, 0, false},
	    {"mul", "mul+sin", {1, 0, 0}, {1, 2, 0}, -1, false},
	    {"mul", "mul+sin", {1, 0, 0}, {2, 0, 0}, 0, false},
	    {"mul", "mul+sin", {1, 0, 0}, {0, 0, 0}, 0, false},
	    {"mul", "mul+sin", {0, 0, 0}, {0, 0, 1}, 0, false},
	    {"mul", "mul+sin", {0, 0, 1}, {0, 0, 1}, -1, false},
	    {"mul+sin", "mul", {0, 1, 0}, {0, 0, 0}, 0, false},
	    {"mul+sin", "mul", {0, 1, 0}, {0, 1, 0}, 1, false},
	    {"mul", "mul", {0, 0, 0}, {1, 0, 0}, 0, false},
	    {"mul", "mul", {1, 0, 0}, {1, 0, 0}, -1, true},
	};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		if (!row_wanted("spelled: %zu", i))
			continue;
		const struct told tx = {pairs[i].x, VJP, WRONG(1.5), STEADY},
		                  ty = {pairs[i].y, VJP, WRONG(1.5), STEADY};
		static const int place[] = {OP_MUL, OP_SIN, SPELLED_REQUEST};
		struct symptom x = symptom(&tx), y = symptom(&ty);

		for (int k = 0; k < 3; k++) {
			x.spelled.at[place[k]] = (unsigned char)pairs[i].spelled_x[k];
			y.spelled.at[place[k]] = (unsigned char)pairs[i].spelled_y[k];
		}
		x.fine = "x";
		y.fine = "y";
		CHECK(same_bug(&x, &y) == pairs[i].expected, "%s and %s: %d", pairs[i].x, pairs[i].y, same_bug(&x, &y));
		CHECK(symptom_resembles(&x, &y) == pairs[i].resembles, "%s and %s: resemble", pairs[i].x, pairs[i].y);
		CHECK(symptom_covers(&x, &y) == (pairs[i].expected < 0), "%s and %s: cover", pairs[i].x, pairs[i].y);
	}
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted(
		        "%s, %s and %s, %s", rows[i].x.pattern, rows[i].x.kind, rows[i].y.pattern, rows[i].y.kind))
			continue;
		const struct symptom x = symptom(&rows[i].x), y = symptom(&rows[i].y);

		CHECK(same_bug(&x, &y) == rows[i].expected, "row %zu: %s and %s: %d", i, x.fine, y.fine,
		    same_bug(&x, &y));
	}
	test_spelled();
	CHECK_LAW(test_covers());
	return check_done();
}

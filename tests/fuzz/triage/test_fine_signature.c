/* Names of findings: what a case is called, which requests and which sets of names explain which. */
#include "fuzz/triage/fine_signature.h"

#include <string.h>

#include "tests/check.h"
#include "tests/fuzz/pattern_text.h"

/* ---- names ---- */

static void test_names(struct arena *a)
{
	static const struct {
		const char *file, *name;
		int role; /* of every node; -1: none is known */
		enum verdict verdict;
	} rows[] = {
	    {"corpus/zoo/cumprod-div-zero.json", "e|vjp|cumprod", -1, VERDICT_WRONG},
	    {"corpus/zoo/alias-args-dedup-aot.json", "e|vjp|custom{mul}{mul}", -1, VERDICT_NAN_LEAK},
	    {"corpus/documents/nx-while-acc-mul-x-n3.json", "e|vjp|while{lt}{add+mul}", -1, VERDICT_WRONG},
	    {"corpus/documents/nx-while-acc-mul-x-n3.json", "e|vjp|elementwise{elementwise}{elementwise}",
	        ROLE_ELEMENTWISE, VERDICT_WRONG},
	    {"corpus/zoo/tinygrad-equal-leaves.json", "e|vjp|bad-shape:add", -1, VERDICT_BAD_SHAPE},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("names: %s", rows[i].name))
			continue;
		struct testcase c;
		struct error e = {0};
		enum role role[LIMIT_NODES];
		const char *name;

		CHECK(testcase_read_file(rows[i].file, a, &c, &e), "%s: %s %s", rows[i].file, e.place, e.text);
		for (int k = 0; k < LIMIT_NODES; k++)
			role[k] = (enum role)(rows[i].role < 0 ? 0 : rows[i].role);
		name = fine_signature("e", &c, rows[i].verdict, rows[i].role < 0 ? NULL : role, a);
		CHECK(!strcmp(name, rows[i].name), "%s: %s, not %s", rows[i].file, name, rows[i].name);
	}
}

/* ---- requests ---- */

static void test_asked(void)
{
	static const struct request_summary primal = {0, "primal", false}, jvp = {1, "jvp", false},
	                                    vjp = {1, "vjp", false}, batch = {1, "vjp", true},
	                                    batch_jvp = {1, "jvp", true}, two = {2, "vjp", false},
	                                    two_jvp = {2, "jvp", false}, two_batch = {2, "vjp", true},
	                                    three = {3, "vjp", false};
	static const struct {
		const struct request_summary *x, *y;
		bool explains, is_in;
	} rows[] = {
	    {&vjp, &vjp, true, true},
	    {&vjp, &jvp, false, false},
	    {&vjp, &two, true, true},
	    {&two, &vjp, false, false},
	    {&two, &two_jvp, true, true},
	    {&two, &three, true, false},
	    {&batch, &batch_jvp, true, true},
	    {&vjp, &batch, false, true},
	    {&batch, &vjp, false, false},
	    {&batch, &two, true, false},
	    {&vjp, &two_batch, true, true},
	    {&two, &two_batch, false, true},
	    {&primal, &vjp, false, true},
	    {&primal, &batch, false, true},
	    {&primal, &two, true, true},
	    {&vjp, &primal, false, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("asked: row %d", (int)i))
			continue;
		CHECK(asked_explains(rows[i].x, rows[i].y) == rows[i].explains, "row %zu", i);
		CHECK(asked_is_in(rows[i].x, rows[i].y) == rows[i].is_in, "row %zu", i);
	}
}

/* ---- patterns ---- */

static void test_patterns(void)
{
	static const struct {
		const char *x, *y;
		bool part, explains;
	} rows[] = {
	    {"mul", "mul", true, true},
	    {"mul", "div", false, false},
	    {"mul", "for+mul", true, true},
	    {"for+mul", "mul", false, false},
	    {"for", "for+mul", true, false}, /* what matters is what the loop lacks */
	    {"", "mul", true, false},
	    {"for+elementwise", "for+mul", true, true},
	    {"for+elementwise", "for+gather", false, false},
	    {"for+nonlinear", "for+mul", true, true},
	    {"for+nonlinear", "for+add", false, false},
	    {"for+nonlinear", "for+elementwise", false, false},
	    {"for+elementwise", "for+nonlinear", true, true},
	    {"select+sqrt", "log+select", false, false},
	    {"write", "scatter_add", true, true},
	    {"write", "slice", false, false},
	    {"for+gather", "for+gather+mul", true, true},
	    {"for+elementwise", "elementwise", false, false},
	    {"for+index", "for+gather", true, true},
	    {"for+index", "cond+for", true, true},
	    {"for+index", "for+mul+reshape", true, true},
	    {"for+index", "for+masked_scatter", true, true},
	    {"for+index", "for+mul", false, false},
	    {"for+index", "for+index+elementwise", true, true},
	    {"nonlinear", "cumprod", true, true},
	    {"nonlinear+store", "reduce_max+store", true, true},
	    {"nonlinear", "reduce_sum", false, false},
	    {"nonlinear", "gather", false, false},
	};
	static const struct {
		const char *x, *y;
		bool same_ops;
	} same[] = {
	    {"mul", "mul", true},
	    {"mul", "div", false},
	    {"for", "for+elementwise", true},
	    {"for+write", "for+nonlinear", true},
	    {"for+mul", "for", false},
	    {"elementwise", "elementwise", true},
	    {"elementwise", "write", false},
	    {"", "elementwise", false},
	    {"", "", true},
	    {"elementwise", "elementwise+write", false},
	    {"write", "elementwise+write", false},
	};
	static const struct {
		const char *pattern;
		bool is_one;
	} one[] = {{"sqrt", true}, {"atan2", true}, {"sqrt+square", false}, {"for+sqrt", false}, {"elementwise", false},
	    {"sqrt+elementwise", false}, {"gather", false}, {"", false}};
	static const struct {
		const char *pattern;
		enum op op;
		bool hangs;
	} hangs[] = {
	    {"for+mul", OP_FOR, true},
	    {"for+mul", OP_SCAN, true},
	    {"for+mul", OP_MUL, false},
	    {"for+mul", OP_WHILE, false},
	    {"mul", OP_MUL, true},
	    {"gather+mul", OP_MUL, true},
	    {"gather", OP_TAKE_ALONG_AXIS, true},
	    {"elementwise", OP_MUL, false},
	    {"select+sqrt", OP_SELECT, true},
	    {"select+nonlinear", OP_SQRT, false},
	    {"", OP_MUL, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("patterns: %s, %s", rows[i].x, rows[i].y))
			continue;
		struct pattern x = parse(rows[i].x), y = parse(rows[i].y);

		CHECK(pattern_is_part(&x, &y) == rows[i].part, "%s in %s", rows[i].x, rows[i].y);
		CHECK(pattern_explains(&x, &y) == rows[i].explains, "%s explains %s", rows[i].x, rows[i].y);
	}
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		if (!row_wanted("patterns: %s, %s", same[i].x, same[i].y))
			continue;
		struct pattern x = parse(same[i].x), y = parse(same[i].y);

		CHECK(pattern_same_ops(&x, &y) == same[i].same_ops && pattern_same_ops(&y, &x) == same[i].same_ops,
		    "%s and %s", same[i].x, same[i].y);
	}
	for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
		if (!row_wanted("patterns: %s", one[i].pattern))
			continue;
		struct pattern p = parse(one[i].pattern);

		CHECK(pattern_is_elementwise_op(&p) == one[i].is_one, "%s", one[i].pattern);
	}
	for (size_t i = 0; i < sizeof hangs / sizeof *hangs; i++) {
		if (!row_wanted("patterns: %s", hangs[i].pattern))
			continue;
		struct pattern p = parse(hangs[i].pattern);

		struct region regions[2] = {{.n_param = 0}};
		const struct node n = {
		    .op = hangs[i].op, .n_region = op_table[hangs[i].op].n_region, .region = regions};

		CHECK(pattern_hangs_on(&p, &n) == hangs[i].hangs, "%s on %s", hangs[i].pattern,
		    op_table[hangs[i].op].name);
	}
}

/* The spellings stand behind a bar, and have none themselves. */
static void test_spelled(struct arena *a)
{
	static const struct {
		const char *fine, *spellings, *expected;
	} rows[] = {
	    {"e|vjp|sin", NULL, "e|vjp|sin"},
	    {"e|vjp|sin", "sin as b", "e|vjp|sin|sin as b"},
	    {"e|vjp|sin", "sin as |b|, request as c", "e|vjp|sin|sin as /b/, request as c"},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const char *text = fine_spelled(rows[k].fine, rows[k].spellings, a);

		CHECK(!strcmp(text, rows[k].expected), "%s, not %s", text, rows[k].expected);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)64 << 20);
	test_names(&a);
	test_asked();
	test_patterns();
	CHECK_LAW(test_spelled(&a));
	arena_free(&a);
	return check_done();
}

/* test_bend.c: what bend_rules changes: a rule, so that it is not the derivative, and nothing else. */
#include "fuzz/audit/bend.h"

#include <limits.h>

#include "fuzz/generate/generate.h"
#include "oracles/truth.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#define RULE(body) \
	"inputs x: f64[]\n" \
	"y = custom (x) transform=jvp {\n  params p; s = sin p; yield s\n} do {\n  params q, t\n" body \
	"  yield r\n}\nreturn y\npoint 0.5\nrequest: jvp x"

/* One that can be changed in one place, and one that cannot. */
static const struct row {
	const char *text;
	enum op op; /* of node 0 of the rule, afterwards */
	double constant;
} rows[] = {
    {RULE("c = cos q; r = mul c, t\n"), OP_SIN, 0},
    {RULE("c = constant 2; r = mul c, t\n"), OP_CONSTANT, 3},
    {RULE("c = log q; r = mul c, t\n"), OP_LOG, 0},
};

static void test_row(const struct row *row, struct arena *a)
{
	struct testcase c = test_case(a, row->text);
	const struct testcase before = testcase_copy(&c, a);
	struct error e = {"", ""};

	if (!c.n_point)
		return;
	bend_rules(&c, 1);
	const struct node *changed = &c.program.top.node[0].region[1].node[0];
	CHECK(testcase_check(&c, &e), "%s", e.text);
	CHECK(changed->op == row->op, "%s", op_table[changed->op].name);
	CHECK(row->constant == 0 || changed->attrs.value.at[0].f == row->constant, "%g", changed->attrs.value.at[0].f);
	CHECK(testcase_equal(&c, &before) == (row->op == OP_LOG), "%s", row->text);
	CHECK(before.program.top.node[0].region[1].node[0].op != row->op || row->op != OP_SIN, "the copy changed");
}

/* Generated programs stay valid, and the same seed makes the same changes. Many rules are no derivative then. */
static void test_random(struct arena *a)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX, .alternatives = ALTERNATIVES_COUNTED};
	struct oracle *oracle = oracle_open(&options);
	struct profile profile = profile_default();
	int broken = 0;

	profile.weight_custom = 60;
	for (uint64_t k = 0; k < 60; k++) {
		struct choice choice = choice_seeded(k);
		struct error e = {"", ""};
		struct truth t;

		arena_reset(a);
		struct testcase c = generate(&choice, &profile, a), twice = testcase_copy(&c, a);
		bend_rules(&c, k);
		bend_rules(&twice, k);
		CHECK(testcase_check(&c, &e), "case %d: %s", (int)k, e.text);
		CHECK(testcase_equal(&c, &twice), "case %d", (int)k);
		oracle_truth(oracle, &c, a, &t);
		for (int i = 0; i < t.point[0].n_derivative; i++)
			broken += t.point[0].derivative[0][i].at[0].reason == REASON_CUSTOM_RULE;
	}
	CHECK(broken >= 10, "%d derivatives are unknown because of a rule", broken);
	oracle_close(oracle);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 256 << 20);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		arena_reset(&a);
		test_row(&rows[k], &a);
	}
	test_random(&a);
	arena_free(&a);
	return check_done();
}

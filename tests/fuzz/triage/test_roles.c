/* test_roles.c: how a node of a case matters to its finding. */
#include "fuzz/triage/roles.h"

#include "graph/walk.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

enum { ARENA = 64 << 20 };

/* Which role the first node with that op has. */
static const struct row {
	const char *name, *body;
	enum op op;
	enum role role;
} rows[] = {
    {"a comparison", "p = lt x, 1; m = mul x, x; y = select p, m, x", OP_LT, ROLE_COMPARE},
    {"a comparison that holds for equal numbers", "p = ge x, 0.5; m = mul x, x; y = select p, m, x", OP_GE,
        ROLE_COMPARE},
    {"an equality", "p = eq x, 0.5; m = mul x, x; y = select p, m, x", OP_EQ, ROLE_OWN},
    {"the op that is wrong", "p = lt x, 1; m = mul x, x; y = select p, m, x", OP_MUL, ROLE_OWN},
};

static void check_row(const struct row *row, struct bench *bench, struct arena *a)
{
	const struct testcase c = test_function(a, "x: f64[]", row->body, "0.5", "vjp");
	const struct question q = {.bench = bench};
	enum role *role = NEW(a, enum role, LIMIT_NODES);
	bool any = false;

	find_roles(&q, &c, VERDICT_WRONG, a, role);
	for (struct walk w = walk_nodes(&c.program.top); walk_next(&w);)
		if (w.node->op == row->op) {
			any = true;
			CHECK(role[w.number] == row->role, "%s: role %d", row->name, (int)role[w.number]);
		}
	CHECK(any, "%s: no such op", row->name);
}

int main(int argc, char **argv)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = 1 << 20};
	const char *const spec = "tape+scale:mul:1.5";
	struct error e = {0};
	struct bench bench;
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, ARENA);
	if (!bench_open(&bench, &spec, 1, &o, &e))
		return 1;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s", rows[k].name))
			check_row(&rows[k], &bench, &a);
	bench_close(&bench);
	arena_free(&a);
	return check_done();
}

/* Points beside a case: which numbers move, and which stay integers. */
#include "fuzz/characterize/nudge.h"

#include <math.h>

#include "tests/check.h"
#include "tests/support/case_text.h"

static const struct keep_row {
	const char *name;
	enum op op[2];
	int n;
	bool keeps;
} keep_rows[] = {
    {"nothing to blame", {OP_SIN}, 0, true},
    {"a unary op", {OP_SIN}, 1, true},
    {"a binary op", {OP_MUL}, 1, true},
    {"a move", {OP_SLICE}, 1, true},
    {"a linear op along an axis", {OP_CUMSUM}, 1, true},
    {"a kink along an axis", {OP_REDUCE_MAX}, 1, true},
    {"a product along an axis", {OP_REDUCE_PROD}, 1, false},
    {"a product of matrices beside a unary op", {OP_SIN, OP_MATMUL}, 2, false},
};

/* x = [0.5, 1, 3, 0]: which of them move. */
static const struct move_row {
	enum nudge how;
	bool keep_integers, moves[4];
} move_rows[] = {
    {NUDGE_FAR, true, {true, true, true, true}},
    {NUDGE_NEAR, true, {true, true, false, true}}, /* 1 becomes 2 */
    {NUDGE_NEAR, false, {true, true, true, true}},
    {NUDGE_SEEDS, true, {false, false, false, false}},
};

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 1 << 24);
	for (size_t i = 0; i < sizeof keep_rows / sizeof *keep_rows; i++) {
		const struct keep_row *row = &keep_rows[i];
		const struct blamed blamed[] = {{row->op[0], NULL}, {row->op[1], NULL}};

		if (row_wanted("%s", row->name))
			CHECK(nudge_keeps_integers(blamed, row->n) == row->keeps, "%s", row->name);
	}
	for (size_t i = 0; i < sizeof move_rows / sizeof *move_rows; i++) {
		const struct move_row *row = &move_rows[i];
		const struct testcase c = test_case(
		    &a, "inputs x: f64[4]\ny = sin x\nreturn y\npoint [0.5, 1, 3, 0]\nrequest: vjp\n");
		struct testcase beside = testcase_copy(&c, &a);

		nudge(&beside, row->how, row->keep_integers);
		for (int k = 0; k < 4; k++) {
			const double x = c.point[0][0].at[k].f, y = beside.point[0][0].at[k].f;

			CHECK((x != y) == row->moves[k], "row %d: %g becomes %g", (int)i, x, y);
			CHECK(row->how == NUDGE_FAR || !row->keep_integers || x == 0 || x != trunc(x) || y == trunc(y),
			    "row %d: %g becomes %g", (int)i, x, y);
			CHECK(c.transform[0].seed[0].at[k].f != beside.transform[0].seed[0].at[k].f,
			    "row %d: a seed stays", (int)i);
		}
	}
	arena_free(&a);
	return check_done();
}

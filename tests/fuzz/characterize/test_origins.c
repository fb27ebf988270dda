/* Measures about what makes the operands of a node, and what regions yield unchanged. */
#include "measure_rows.h"

static const struct measure_row rows[] = {
    {"x: f64[]", "b = broadcast_to x shape=[2]\ny = sin b", "1", MEASURE_EXPANDED, OP_SIN, 0, 1},
    {"x: f64[1]", "b = broadcast_to x shape=[1,1]\ny = sin b", "[1]", MEASURE_EXPANDED, OP_SIN, 0, 0},
    {"x: f64[]", "b = broadcast_to x shape=[2]\nr = reverse b axes=[0]\ny = sin r", "1", MEASURE_EXPANDED, OP_SIN, 0,
        1},
    {"x: f64[]", "b = broadcast_to x shape=[2]\nr = exp b\ny = sin r", "1", MEASURE_EXPANDED, OP_SIN, 0, 0},
    {"x: f64[2]", "y = sin x", "[1, 2]", MEASURE_EXPANDED, OP_SIN, 0, 0},
    {"x: f64[2]", "c = constant [3, 3]\ny = mul x, c", "[1, 2]", MEASURE_EXPANDED, OP_MUL, 1, 1},
    {"x: f64[2]", "c = constant [3, 4]\ny = mul x, c", "[1, 2]", MEASURE_EXPANDED, OP_MUL, 1, 0},
    {"x: f64[]", "c = constant 3\ny = mul x, c", "1", MEASURE_EXPANDED, OP_MUL, 1, 0},
    {"x: f64[2]", "c = constant [3, 4]\ny = mul x, c", "[1, 2]", MEASURE_IS_CONSTANT, OP_MUL, 1, 1},
    {"x: f64[2]", "c = constant [3, 4]\ny = mul x, c", "[1, 2]", MEASURE_IS_CONSTANT, OP_MUL, 0, 0},
    {"x: f64[2]", "r = reverse x axes=[0]\ny = sin r", "[1, 2]", MEASURE_IS_VIEW, OP_SIN, 0, 1},
    {"x: f64[2]", "r = slice x start=[0] size=[1] stride=[1]\ny = sin r", "[1, 2]", MEASURE_IS_VIEW, OP_SIN, 0, 1},
    {"x: f64[2]", "r = exp x\ny = sin r", "[1, 2]", MEASURE_IS_VIEW, OP_SIN, 0, 0},
    {"x: f64[2]", "y = for (x) trip=2 { params i, c; n = reverse c axes=[0]; yield n }", "[1, 2]", MEASURE_CARRIES_VIEW,
        OP_FOR, -1, 1},
    {"x: f64[2]", "y, z = for (x, x) trip=2 { params i, c, d; n = reverse d axes=[0]; m = sin c; yield n, m }",
        "[1, 2]", MEASURE_CARRIES_VIEW, OP_FOR, -1, 1},
    {"x: f64[2]", "y = for (x) trip=2 { params i, c; n = reverse x axes=[0]; yield n }", "[1, 2]", MEASURE_CARRIES_VIEW,
        OP_FOR, -1, 0},
    {"x: f64[2]", "y = for (x) trip=2 { params i, c; n = reverse c axes=[0]; m = sin n; yield m }", "[1, 2]",
        MEASURE_CARRIES_VIEW, OP_FOR, -1, 0},
    {"x: f64[2]", "y = for (x) trip=2 { params i, c; yield c }", "[1, 2]", MEASURE_CARRIES_VIEW, OP_FOR, -1, 0},
    {"x: f64[2,2]", "w = reverse x axes=[0]\ny = reverse w axes=[0, 1]", "[1, 2, 3, 4]", MEASURE_AXIS_REPEATED,
        OP_REVERSE, -1, 1},
    {"x: f64[2,2]", "w = reverse x axes=[0]\ny = reverse w axes=[1]", "[1, 2, 3, 4]", MEASURE_AXIS_REPEATED, OP_REVERSE,
        -1, 0},
    {"x: f64[1,2]", "w = reverse x axes=[0]\ny = reverse w axes=[0, 1]", "[1, 2]", MEASURE_AXIS_REPEATED, OP_REVERSE,
        -1, 0},
    {"x: f64[2]", "w = cumsum x axis=0\ny = cumsum w axis=0", "[1, 2]", MEASURE_AXIS_REPEATED, OP_CUMSUM, -1, 1},
    {"x: f64[2]", "w = sort x axis=0\ny = cumsum w axis=0", "[1, 2]", MEASURE_AXIS_REPEATED, OP_CUMSUM, -1, 0},
    {"x: f64[2]", "y = scan (x) trip=2 carries=0 { params r; yield r }", "[1, 2]", MEASURE_STACKS_ROW, OP_SCAN, -1, 1},
    {"x: f64[2]", "y = scan (x) trip=2 carries=0 { params r; s = sin r; yield s }", "[1, 2]", MEASURE_STACKS_ROW,
        OP_SCAN, -1, 0},
    {"x: f64[]", "w, y = scan (x) trip=2 carries=1 { params c; s = sin c; yield s, c }", "1", MEASURE_STACKS_CARRY,
        OP_SCAN, -1, 1},
    {"x: f64[]", "w, y = scan (x) trip=2 carries=1 { params c; s = sin c; yield s, s }", "1", MEASURE_STACKS_CARRY,
        OP_SCAN, -1, 0},
    {"x: f64[], z: f64[2]", "y = scan (x, z) trip=2 carries=1 { params c, r; yield r }", "1, [2, 3]",
        MEASURE_NEXT_IS_ROW, OP_SCAN, -1, 1},
    {"x: f64[], z: f64[2]", "y = scan (x, z) trip=2 carries=1 { params c, r; s = sin r; yield s }", "1, [2, 3]",
        MEASURE_NEXT_IS_ROW, OP_SCAN, -1, 0},
    {"x: f64[], z: f64[]", "y = for (x) trip=2 { params i, c; yield z }", "1, 2", MEASURE_NEXT_IS_CAPTURE, OP_FOR, -1,
        1},
    {"x: f64[], z: f64[]", "y = for (x) trip=2 { params i, c; s = sin z; yield s }", "1, 2", MEASURE_NEXT_IS_CAPTURE,
        OP_FOR, -1, 0},
    {"x: f64[], z: f64[]",
        "y = while (x) cap=2 { params c; q = lt c, z; yield q } do { params d; m = mul d, z; yield m }", "1, 2",
        MEASURE_CONDITION_CAPTURES, OP_WHILE, -1, 1},
    {"x: f64[], z: f64[]", "y = while (x) cap=2 { params c; q = lt c, z; yield q } do { params d; m = sin d; yield m }",
        "1, 2", MEASURE_CONDITION_CAPTURES, OP_WHILE, -1, 0},
    {"x: f64[], z: f64[]",
        "y = while (x) cap=2 { params c; q = lt c, 9; yield q } do { params d; m = mul d, z; yield m }", "1, 2",
        MEASURE_CONDITION_CAPTURES, OP_WHILE, -1, 0},
    {"x: f64[]", "p: bool[] = constant true\ny = cond (p) { yield x } else { yield x }", "1", MEASURE_BRANCHES_HAND_ON,
        OP_COND, -1, 1},
    {"x: f64[]", "p: bool[] = constant true\ny = cond (p) { yield x } else { s = sin x; yield s }", "1",
        MEASURE_BRANCHES_HAND_ON, OP_COND, -1, 0},
    {"x: f64[], z: f64[]", "p: bool[] = constant true\nb = cond (p) { yield x } else { yield z }\ny = mul b, z", "1, 2",
        MEASURE_BRANCH_LATER, OP_COND, -1, 1},
    {"x: f64[], z: f64[]",
        "p: bool[] = constant true\ns = sin z\nb = cond (p) { yield x } else { yield z }\ny = add b, s", "1, 2",
        MEASURE_BRANCH_LATER, OP_COND, -1, 0},
};

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	check_measure_rows(rows, sizeof rows / sizeof *rows, &a);
	arena_free(&a);
	return check_done();
}

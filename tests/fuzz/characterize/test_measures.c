/* Measures of differentiated nodes: rows of programs, each with a number; the clauses about thresholds. */
#include "fuzz/characterize/measures.h"

#include <math.h>
#include <string.h>

#include "fuzz/characterize/facts.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* The measure; NAN: the case has no such one. */
static double measure_of(const struct facts *f, enum measure_id id, enum op op, int operand)
{
	for (int i = 0; i < f->n_measure; i++)
		if (f->measure[i].id == id && f->measure[i].op == op && f->measure[i].operand == operand)
			return f->measure[i].x;
	return NAN;
}

static void test_rows(struct arena *a)
{
	static const struct {
		const char *inputs, *body, *point;
		enum measure_id id;
		enum op op;
		int operand;
		double x;
	} rows[] = {
	    {"x: f64[5]", "y = cumsum x axis=0", "[1, 2, 3, 4, 5]", MEASURE_AXIS_EXTENT, OP_CUMSUM, -1, 5},
	    {"x: f64[2,3]", "y = cumsum x axis=0", "[1, 2, 3, 4, 5, 6]", MEASURE_AXIS_EXTENT, OP_CUMSUM, -1, 2},
	    {"x: f64[2,3]", "y = cumsum x axis=0", "[1, 2, 3, 4, 5, 6]", MEASURE_LINES, OP_CUMSUM, -1, 3},
	    {"x: f64[2,3]", "y = reduce_sum x axes=[0]", "[1, 2, 3, 4, 5, 6]", MEASURE_AXIS_EARLIER, OP_REDUCE_SUM, -1,
	        1},
	    {"x: f64[2,3]", "y = reduce_sum x axes=[1]", "[1, 2, 3, 4, 5, 6]", MEASURE_AXIS_EARLIER, OP_REDUCE_SUM, -1,
	        0},
	    {"x: f64[2,3]", "y = reduce_mean x axes=[0, 1]", "[1, 2, 3, 4, 5, 6]", MEASURE_AXES, OP_REDUCE_MEAN, -1, 2},
	    {"x: f64[2,3]", "y = reduce_mean x axes=[0, 1]", "[1, 2, 3, 4, 5, 6]", MEASURE_GROUP, OP_REDUCE_MEAN, -1,
	        6},
	    {"x: f64[1,3]", "y = reverse x axes=[0, 1]", "[1, 2, 3]", MEASURE_LONG_AXES, OP_REVERSE, -1, 1},
	    {"x: f64[2,1,3]", "y = transpose x axes=[1, 0, 2]", "[1, 2, 3, 4, 5, 6]", MEASURE_MOVES, OP_TRANSPOSE, -1,
	        1},
	    {"x: f64[2,1,3]", "y = transpose x axes=[0, 1, 2]", "[1, 2, 3, 4, 5, 6]", MEASURE_MOVES, OP_TRANSPOSE, -1,
	        0},
	    {"x: f64[2,1,3]", "y = transpose x axes=[1, 0, 2]", "[1, 2, 3, 4, 5, 6]", MEASURE_REORDERS, OP_TRANSPOSE,
	        -1, 0},
	    {"x: f64[2,1,3]", "y = transpose x axes=[2, 1, 0]", "[1, 2, 3, 4, 5, 6]", MEASURE_REORDERS, OP_TRANSPOSE,
	        -1, 1},
	    {"x: f64[2], z: f64[1]", "y = concatenate x, z axis=0", "[1, 2], [3]", MEASURE_SHAPES_DIFFER,
	        OP_CONCATENATE, -1, 1},
	    {"x: f64[2,1,1]", "y = transpose x axes=[1, 2, 0]", "[1, 2]", MEASURE_CYCLE, OP_TRANSPOSE, -1, 1},
	    {"x: f64[2,1,1]", "y = transpose x axes=[1, 0, 2]", "[1, 2]", MEASURE_CYCLE, OP_TRANSPOSE, -1, 0},
	    {"x: f64[5]", "y = slice x start=[4] size=[3] stride=[-2]", "[1, 2, 3, 4, 5]", MEASURE_STRIDE, OP_SLICE, -1,
	        2},
	    {"x: f64[5]", "y = slice x start=[4] size=[3] stride=[-2]", "[1, 2, 3, 4, 5]", MEASURE_BACKWARDS, OP_SLICE,
	        -1, 1},
	    {"x: f64[5]", "y = slice x start=[1] size=[3] stride=[1]", "[1, 2, 3, 4, 5]", MEASURE_LEFT_OUT, OP_SLICE,
	        -1, 1},
	    {"x: f64[5]", "s = slice x start=[2] size=[3]\ny = slice s start=[1] size=[2]", "[1, 2, 3, 4, 5]",
	        MEASURE_SLICE_STARTS_LATER, OP_SLICE, -1, 2},
	    {"x: f64[5]", "s = slice x start=[0] size=[3]\ny = slice s start=[1] size=[2]", "[1, 2, 3, 4, 5]",
	        MEASURE_SLICE_STARTS_LATER, OP_SLICE, -1, 0},
	    {"x: f64[2,2], z: f64[2]", "y = matmul x, z", "[1, 2, 3, 4], [1, 2]", MEASURE_MATRIX_SQUARE, OP_MATMUL, -1,
	        1},
	    {"x: f64[1,2], z: f64[2]", "y = matmul x, z", "[1, 2], [1, 2]", MEASURE_MATRIX_SQUARE, OP_MATMUL, -1, 0},
	    {"x: f64[2], z: f64[1]", "m: bool[2] = constant [true, true]\ny = masked_scatter x, m, z", "[1, 2], [3]",
	        MEASURE_MASK_LEFT, OP_MASKED_SCATTER, -1, 1},
	    {"x: f64[2], z: f64[1]", "m: bool[2] = constant [false, true]\ny = masked_scatter x, m, z", "[1, 2], [3]",
	        MEASURE_MASK_LEFT, OP_MASKED_SCATTER, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[-1, 2], [-3, 3]", MEASURE_TAKEN_NEGATIVE, OP_MAX, 0, 1},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[-1, 2], [-3, 3]", MEASURE_TAKEN_POSITIVE, OP_MAX, 0, 0},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[-1, 2], [-3, 3]", MEASURE_TAKEN_NEGATIVE, OP_MAX, 1, 0},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[-1, 2], [-3, 3]", MEASURE_TAKEN_POSITIVE, OP_MAX, 1, 1},
	    {"x: f64[], z: f64[]", "y = clamp x, z, 3", "-2, -1", MEASURE_TAKEN_NEGATIVE, OP_CLAMP, 1, 1},
	    {"x: f64[], z: f64[]", "y = clamp x, z, 3", "-0.5, -1", MEASURE_TAKEN_NEGATIVE, OP_CLAMP, 1, 0},
	    {"x: f64[3]", "y = reduce_prod x axes=[0]", "[1, 2, -1]", MEASURE_NEGATIVE_BEFORE, OP_REDUCE_PROD, -1, 0},
	    {"x: f64[3]", "y = reduce_prod x axes=[0]", "[1, 2, -1]", MEASURE_NEGATIVE_BEHIND, OP_REDUCE_PROD, -1, 1},
	    {"x: f64[3]", "y = reduce_prod x axes=[0]", "[-1, 2, 1]", MEASURE_NEGATIVE_BEFORE, OP_REDUCE_PROD, -1, 1},
	    {"x: f64[3]", "y = reduce_prod x axes=[0]", "[-1, 2, 1]", MEASURE_NEGATIVE_BEHIND, OP_REDUCE_PROD, -1, 0},
	    {"x: f64[2,3], z: f64[]", "y = add x, z", "[1, 2, 3, 4, 5, 6], 7", MEASURE_SPREAD_ALONG, OP_ADD, -1, 2},
	    {"x: f64[2,3], z: f64[3]", "y = add x, z", "[1, 2, 3, 4, 5, 6], [7, 8, 9]", MEASURE_SPREAD_ALONG, OP_ADD,
	        -1, 1},
	    {"x: f64[1,3]", "z: f64[] = constant 7\ny = add x, z", "[1, 2, 3]", MEASURE_SPREAD_ALONG, OP_ADD, -1, 0},
	    {"x: f64[2,2]", "y = cumprod x axis=1", "[1, 0, 4, 3]", MEASURE_ZERO_BEFORE, OP_CUMPROD, -1, 0},
	    {"x: f64[2,2]", "y = cumprod x axis=0", "[1, 0, 4, 3]", MEASURE_ZERO_BEFORE, OP_CUMPROD, -1, 1},
	    {"x: f64[2,2]", "y = cumprod x axis=1", "[1, 0, 4, 3]", MEASURE_ZERO_BEHIND, OP_CUMPROD, -1, 1},
	    {"x: f64[2,2]", "y = cumprod x axis=0", "[1, 0, 4, 3]", MEASURE_ZERO_BEHIND, OP_CUMPROD, -1, 0},
	    {"x: f64[3]", "y = reduce_prod x axes=[0]", "[0, 1, 2]", MEASURE_ZERO_BEFORE, OP_REDUCE_PROD, -1, 1},
	    {"x: f64[3]", "y = reduce_prod x axes=[0]", "[0, 1, 2]", MEASURE_ZERO_BEHIND, OP_REDUCE_PROD, -1, 0},
	    {"x: f64[2,2]", "w = reverse x axes=[0]\ny = reverse w axes=[1]", "[1, 2, 4, 3]", MEASURE_CHAINED,
	        OP_REVERSE, -1, 1},
	    {"x: f64[2,2]", "w = reverse x axes=[0]\ny = reverse w axes=[0]", "[1, 2, 4, 3]", MEASURE_CHAINED,
	        OP_REVERSE, -1, 0},
	    {"x: f64[5]", "s = slice x start=[0] size=[3] stride=[2]\ny = slice s start=[1] size=[2]",
	        "[1, 2, 3, 4, 5]", MEASURE_SLICE_STRIDED_BEFORE, OP_SLICE, -1, 1},
	    {"x: f64[5]", "s = slice x start=[0] size=[3] stride=[1]\ny = slice s start=[0] size=[2] stride=[2]",
	        "[1, 2, 3, 4, 5]", MEASURE_SLICE_STRIDED_BEFORE, OP_SLICE, -1, 0},
	    {"x: f64[2,3]", "y = sin x", "[1, 2, 3, 4, 5, 6]", MEASURE_RESULT_RANK, OP_SIN, -1, 2},
	    {"x: f64[3]", "y = sin x", "[0.5, 1, -0.5]", MEASURE_BELOW_ONE, OP_SIN, 0, 1},
	    {"x: f64[3]", "y = sin x", "[0.5, 1, -0.5]", MEASURE_ABOVE_MINUS_ONE, OP_SIN, 0, 1},
	    {"x: f64[3]", "y = sin x", "[0, 1, -1]", MEASURE_BELOW_ONE, OP_SIN, 0, 0},
	    {"x: f64[3]", "y = sin x", "[0, 1, -1]", MEASURE_ABOVE_MINUS_ONE, OP_SIN, 0, 0},
	    {"x: f64[2,3]", "at: i64[2,1] = constant [0, 1]\ny = take_along_axis x, at axis=1 mode=clip",
	        "[1, 2, 3, 4, 5, 6]", MEASURE_INDICES_UNDER, OP_TAKE_ALONG_AXIS, -1, 1},
	    {"x: f64[2,1]", "at: i64[2,1] = constant [0, 1]\ny = take_along_axis x, at axis=1 mode=clip", "[1, 2]",
	        MEASURE_INDICES_UNDER, OP_TAKE_ALONG_AXIS, -1, 0},
	    {"x: f64[2,2]", "y = sort x axis=1", "[1, 2, 4, 3]", MEASURE_LINES_APART, OP_SORT, -1, 1},
	    {"x: f64[2,2]", "y = sort x axis=1", "[2, 1, 4, 3]", MEASURE_LINES_APART, OP_SORT, -1, 0},
	    {"x: f64[2,2]", "y = sort x axis=0", "[2, 1, 4, 0]", MEASURE_LINES_APART, OP_SORT, -1, 1},
	    {"x: f64[2]", "y = pad x, 3 low=[0] high=[2]", "[1, 2]", MEASURE_PAD_HIGH, OP_PAD, -1, 2},
	    {"x: f64[2]", "y = concatenate x, x, x axis=0", "[1, 2]", MEASURE_OPERANDS, OP_CONCATENATE, -1, 3},
	    {"x: f64[]", "y = broadcast_to x shape=[2, 3]", "1", MEASURE_SPREAD_AXES, OP_BROADCAST_TO, -1, 2},
	    {"x: f64[2], m: f64[2,3]", "y = matmul x, m", "[1, 2], [1, 2, 3, 4, 5, 6]", MEASURE_LEFT_VECTOR, OP_MATMUL,
	        -1, 1},
	    {"x: f64[2], m: f64[2,3]", "y = matmul x, m", "[1, 2], [1, 2, 3, 4, 5, 6]", MEASURE_MATRIX_COLUMNS,
	        OP_MATMUL, -1, 3},
	    {"x: f64[3]", "y = sin x", "[1, -4, 2]", MEASURE_FAR, OP_SIN, 0, 4},
	    {"x: f64[3]", "y = sin x", "[1, -4, 2]", MEASURE_SMALL, OP_SIN, 0, 4},
	    {"x: f64[3]", "y = sin x", "[1, -4, 2]", MEASURE_LARGE, OP_SIN, 0, 2},
	    {"x: f64[3]", "y = sin x", "[1, -4, 0]", MEASURE_ZEROS, OP_SIN, 0, 1},
	    {"x: f64[3]", "y = sin x", "[1, -4.5, 0.5]", MEASURE_FRACTIONS, OP_SIN, 0, 2},
	    {"x: f64[2], z: f64[2]", "m: bool[2] = constant [false, true]\ny = masked_scatter x, m, z",
	        "[1, 2], [3, 4]", MEASURE_LATE_TRUES, OP_MASKED_SCATTER, 1, 1},
	    {"x: f64[2], z: f64[2]", "m: bool[2] = constant [true, false]\ny = masked_scatter x, m, z",
	        "[1, 2], [3, 4]", MEASURE_LATE_TRUES, OP_MASKED_SCATTER, 1, 0},
	    {"x: f64[]", "z: f64[] = constant 2\ny = div x, z", "1", MEASURE_FIXED, OP_DIV, 1, 1},
	    {"x: f64[]", "z: f64[] = constant 2\ny = div x, z", "1", MEASURE_FIXED, OP_DIV, 0, 0},
	    {"x: f64[3]", "s: i64[1] = constant [7]\ny = dynamic_slice x, s size=[2]", "[1, 2, 3]", MEASURE_START,
	        OP_DYNAMIC_SLICE, -1, 1},
	    {"x: f64[3], z: f64[3]", "s: i64[1] = constant [7]\ny = dynamic_update_slice x, z, s",
	        "[1, 2, 3], [4, 5, 6]", MEASURE_START, OP_DYNAMIC_UPDATE_SLICE, -1, 0},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [1, 1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[9, 5], [4, 5]", MEASURE_CANDIDATES, OP_SCATTER_MAX, -1, 2},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [1, 1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[9, 5], [4, 4]", MEASURE_CANDIDATES, OP_SCATTER_MAX, -1, 1},
	    {"x: f64[2]", "y = clamp 0, x, 3", "[1, 5]", MEASURE_CROSSED, OP_CLAMP, -1, 1},
	    {"x: f64[2]", "y = clamp 0, x, 3", "[1, 2]", MEASURE_CROSSED, OP_CLAMP, -1, 0},
	    {"x: f64[3]", "y = sort x axis=0", "[1, 3, 2]", MEASURE_CYCLE, OP_SORT, -1, 0},
	    {"x: f64[3]", "y = sort x axis=0", "[3, 1, 2]", MEASURE_CYCLE, OP_SORT, -1, 1},
	    {"x: f64[3,2]", "y = sort x axis=0", "[1, 6, 2, 5, 3, 4]", MEASURE_CYCLE, OP_SORT, -1, 0},
	    {"x: f64[3,2]", "y = sort x axis=0", "[1, 6, 2, 4, 3, 5]", MEASURE_CYCLE, OP_SORT, -1, 1},
	    {"x: f64[3]", "y = sort x axis=0", "[1, 3, 2]", MEASURE_DESCENTS, OP_SORT, 0, 1},
	    {"x: f64[3,2]", "y = sort x axis=0", "[1, 6, 2, 5, 3, 4]", MEASURE_DESCENTS, OP_SORT, 0, 2},
	    {"x: f64[3,2]", "y = sort x axis=1", "[1, 6, 2, 5, 3, 4]", MEASURE_DESCENTS, OP_SORT, 0, 0},
	    {"x: f64[3]", "at: i64[2] = constant [1, 2]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDEX_AT_END, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [1, 7]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDEX_AT_END, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [1, 0]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDEX_AT_END, OP_GATHER, -1, 0},
	    {"x: f64[3], y0: f64[1]", "y = max x, y0", "[1, 3, 2], [2]", MEASURE_STRETCHED, OP_MAX, 1, 1},
	    {"x: f64[3], y0: f64[]", "y = max x, y0", "[1, 3, 2], 2", MEASURE_STRETCHED, OP_MAX, 1, 0},
	    {"x: f64[3], y0: f64[]", "y = max x, y0", "[1, 3, 2], 2", MEASURE_LACKS_AXES, OP_MAX, 1, 1},
	    {"x: f64[1]", "y = broadcast_to x shape=[2, 3]", "[1]", MEASURE_STRETCHED, OP_BROADCAST_TO, 0, 1},
	    {"x: f64[3], y0: f64[]", "y = max x, y0", "[1, 3, 2], 2", MEASURE_SPREAD, OP_MAX, 1, 1},
	    {"x: f64[3], y0: f64[]", "y = max x, y0", "[1, 3, 2], 2", MEASURE_SPREAD, OP_MAX, 0, 0},
	    {"x: f64[]", "s = sin x\ny = square s", "1", MEASURE_COMPUTED, OP_SQUARE, 0, 1},
	    {"x: f64[]", "y = square x", "1", MEASURE_COMPUTED, OP_SQUARE, 0, 0},
	    {"x: f64[], z: f64[]", "y, w = for (x, z) trip=2 { params i, c, d; yield d, c }", "1, 2", MEASURE_CARRIES,
	        OP_FOR, -1, 2},
	    {"x: f64[], z: f64[]", "u, y = for (x, z) trip=2 { params i, c, d; yield d, c }", "1, 2",
	        MEASURE_LATER_READ, OP_FOR, -1, 1},
	    {"x: f64[], z: f64[]", "y, u = for (x, z) trip=2 { params i, c, d; yield d, c }", "1, 2",
	        MEASURE_LATER_READ, OP_FOR, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = scan (x, z) trip=2 carries=0 { params c, d; p = mul c, d; yield p }",
	        "[1, 2], [3, 4]", MEASURE_ROWS, OP_SCAN, -1, 2},
	    {"x: f64[]", "q = gt x, 0\ny = cond q { yield x } else { s = sin x; yield s }", "-1", MEASURE_BRANCH,
	        OP_COND, -1, 1},
	    {"x: f64[], z: f64[]", "y = checkpoint { p = mul x, z; yield p }", "1, 2", MEASURE_CAPTURES, OP_CHECKPOINT,
	        -1, 2},
	    {"x: f64[3], z: f64[]", "y = max x, z", "[1, 3, 2], 2", MEASURE_FIRST_BELOW, OP_MAX, -1, 1},
	    {"x: f64[3], z: f64[]", "y = max x, z", "[1, 3, 2], 0", MEASURE_FIRST_BELOW, OP_MAX, -1, 0},
	    {"x: f64[2]", "y = clamp x, 1, 3", "[0.5, 2]", MEASURE_BELOW_BOUND, OP_CLAMP, -1, 1},
	    {"x: f64[2]", "y = clamp x, 1, 3", "[0.5, 2]", MEASURE_ABOVE_BOUND, OP_CLAMP, -1, 0},
	    {"x: f64[]", "y = div x, x", "2", MEASURE_SAME_OPERANDS, OP_DIV, -1, 1},
	    {"x: f64[], z: f64[]", "y = div x, z", "2, 2", MEASURE_SAME_OPERANDS, OP_DIV, -1, 0},
	    {"x: f64[2], z: f64[]", "y = div x, z", "[2, 1], 2", MEASURE_RANKS_DIFFER, OP_DIV, -1, 1},
	    {"x: f64[2], z: f64[1]", "y = div x, z", "[2, 1], [2]", MEASURE_SHAPES_DIFFER, OP_DIV, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -3], [2, -2]", MEASURE_FIRST_FARTHER, OP_MUL, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -1], [2, -2]", MEASURE_FIRST_FARTHER, OP_MUL, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -1], [2, 2]", MEASURE_SIGNS_OPPOSITE, OP_MUL, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, 0], [2, 2]", MEASURE_SIGNS_OPPOSITE, OP_MUL, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, 1], [-2, 2]", MEASURE_SIGNS_ALIKE, OP_MUL, -1, 1},
	    {"x: f64[2]", "y = square x", "[1, -4]", MEASURE_RESULT_LARGE, OP_SQUARE, -1, 16},
	    {"x: f64[2]", "y = square x", "[3, -4]", MEASURE_ODDS, OP_SQUARE, 0, 1},
	    {"x: f64[2]", "y = square x", "[3, 0]", MEASURE_EVENS, OP_SQUARE, 0, 1},
	    /* an element without a finite result does not count */
	    {"x: f64[2]", "y = log x", "[2, 0]", MEASURE_ZEROS, OP_LOG, 0, 0},
	    {"x: f64[5]", "y = cumsum x axis=0", "[1, 2, 3, 4, 5]", MEASURE_AXIS_EXTENT_ODD, OP_CUMSUM, -1, 1},
	    {"x: f64[2,2]", "y = reduce_sum x axes=[0, 1]", "[1, 2, 3, 4]", MEASURE_GROUP_NOT_4, OP_REDUCE_SUM, -1, 0},
	    {"x: f64[2,2]", "y = reduce_sum x axes=[0, 1]", "[1, 2, 3, 4]", MEASURE_GROUP_NOT_3, OP_REDUCE_SUM, -1, 1},
	    {"x: f64[2,2]", "y = reduce_sum x axes=[0, 1]", "[1, 2, 3, 4]", MEASURE_GROUP_NOT_8, OP_REDUCE_SUM, -1, 1},
	    {"x: f64[1,2]", "y = pad x, 3 low=[0, 2] high=[1, 0]", "[1, 2]", MEASURE_RESULT_EXTENT_ODD, OP_PAD, -1, 0},
	    {"x: f64[1,2]", "y = pad x, 3 low=[0, 2] high=[1, 0]", "[1, 2]", MEASURE_PAD_LOW_LATER, OP_PAD, -1, 2},
	    {"x: f64[1,2]", "y = pad x, 3 low=[0, 2] high=[1, 0]", "[1, 2]", MEASURE_PAD_HIGH_LATER, OP_PAD, -1, 0},
	    {"x: f64[]", "y = for (x) trip=3 { params i, c; p = mul c, x; yield p }", "2", MEASURE_TRIPS, OP_FOR, -1,
	        3},
	    {"x: f64[]", "y = for (x) trip=3 { params i, c; p = mul c, x; yield p }", "2", MEASURE_TRIPS_ODD, OP_FOR,
	        -1, 1},
	    {"x: f64[2], z: f64[2]", "q = gt x, z\ny = select q, x, z", "[1, 2], [0, 3]", MEASURE_TRUES, OP_SELECT, 0,
	        1},
	    {"x: f64[2], z: f64[2]", "q = gt x, z\ny = select q, x, z", "[1, 2], [0, 1]", MEASURE_FALSES, OP_SELECT, 0,
	        0},
	    /* indices count that lie inside their axis */
	    {"x: f64[3]", "at: i64[2] = constant [7, 1]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]", MEASURE_LARGE,
	        OP_GATHER, 1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [-1, 1]\ny = gather x, at axis=0 mode=drop", "[1, 2, 3]",
	        MEASURE_FIRST, OP_GATHER, 1, -INFINITY},
	    {"x: f64[3]", "at: i64[1] = constant [1]\ny = dynamic_slice x, at size=[2]", "[1, 2, 3]", MEASURE_FIRST,
	        OP_DYNAMIC_SLICE, 1, 1},
	    {"x: f64[2,2]", "y = reduce_prod x axes=[0]", "[1, 2, 3, 4]", MEASURE_AXIS_OUTSIDE, OP_REDUCE_PROD, -1, 1},
	    {"x: f64[2,1]", "y = reduce_prod x axes=[0]", "[1, 2]", MEASURE_AXIS_OUTSIDE, OP_REDUCE_PROD, -1, 0},
	    {"x: f64[2,2]", "y = reduce_prod x axes=[1]", "[1, 2, 3, 4]", MEASURE_AXIS_OUTSIDE, OP_REDUCE_PROD, -1, 0},
	    {"x: f64[2,2]", "y = cumsum x axis=1", "[1, 2, 3, 4]", MEASURE_AXIS_INSIDE, OP_CUMSUM, -1, 1},
	    {"x: f64[1,2]", "y = cumsum x axis=1", "[1, 2]", MEASURE_AXIS_INSIDE, OP_CUMSUM, -1, 0},
	    {"x: f64[3,2], m: f64[2]", "y = matmul x, m", "[1, 2, 3, 4, 5, 6], [1, 2]", MEASURE_LEFT_TALL, OP_MATMUL,
	        -1, 1},
	    {"x: f64[2,2], m: f64[2]", "y = matmul x, m", "[1, 2, 3, 4], [1, 2]", MEASURE_LEFT_TALL, OP_MATMUL, -1, 0},
	    {"x: f64[1,2], m: f64[2]", "y = matmul x, m", "[1, 2], [1, 2]", MEASURE_LEFT_WIDE, OP_MATMUL, -1, 1},
	    {"x: f64[2,2], m: f64[2]", "y = matmul x, m", "[1, 2, 3, 4], [1, 2]", MEASURE_LEFT_WIDE, OP_MATMUL, -1, 0},
	    {"x: f64[1,2], m: f64[2]", "y = matmul x, m", "[1, 2], [1, 2]", MEASURE_RIGHT_TALL, OP_MATMUL, -1, 1},
	    {"x: f64[2], m: f64[2,3]", "y = matmul x, m", "[1, 2], [1, 2, 3, 4, 5, 6]", MEASURE_RIGHT_WIDE, OP_MATMUL,
	        -1, 1},
	    {"x: f64[2], m: f64[2,2]", "y = matmul x, m", "[1, 2], [1, 2, 3, 4]", MEASURE_RIGHT_WIDE, OP_MATMUL, -1, 0},
	    {"x: f64[2,2], m: f64[2]", "y = matmul x, m", "[1, 2, 3, 4], [1, 2]", MEASURE_PRODUCT_TALL, OP_MATMUL, -1,
	        1},
	    {"x: f64[2], m: f64[2,2]", "y = matmul x, m", "[1, 2], [1, 2, 3, 4]", MEASURE_PRODUCT_WIDE, OP_MATMUL, -1,
	        1},
	    {"x: f64[2], m: f64[2]", "y = matmul x, m", "[1, 2], [1, 2]", MEASURE_PRODUCT_WIDE, OP_MATMUL, -1, 0},
	    {"x: f64[1]", "at: i64[2] = constant [0, 0]\ny = gather x, at axis=0 mode=clip", "[1]",
	        MEASURE_INDICES_OVER, OP_GATHER, -1, 1},
	    {"x: f64[2]", "at: i64[2] = constant [0, 0]\ny = gather x, at axis=0 mode=clip", "[1, 2]",
	        MEASURE_INDICES_OVER, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[2] = constant [0, 0]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDICES_UNDER, OP_GATHER, -1, 1},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [1, 1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[9, 5], [4, 5]", MEASURE_UPDATE_TIES, OP_SCATTER_MAX, -1, 1},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [1, 1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[9, 5], [6, 6]", MEASURE_UPDATE_TIES, OP_SCATTER_MAX, -1, 0},
	    {"x: f64[3]", "s: i64[1] = constant [-1]\ny = dynamic_slice x, s size=[2]", "[1, 2, 3]",
	        MEASURE_START_FROM_END, OP_DYNAMIC_SLICE, -1, 1},
	    {"x: f64[3]", "s: i64[1] = constant [-3]\ny = dynamic_slice x, s size=[2]", "[1, 2, 3]",
	        MEASURE_START_FROM_END, OP_DYNAMIC_SLICE, -1, 0},
	    {"x: f64[3]", "s: i64[1] = constant [-1]\ny = dynamic_slice x, s size=[3]", "[1, 2, 3]",
	        MEASURE_START_FROM_END, OP_DYNAMIC_SLICE, -1, 0},
	    {"x: f64[2]", "y = scan (x, x) trip=2 carries=0 { params c, d; p = mul c, d; yield p }", "[1, 2]",
	        MEASURE_SAME_ROWS, OP_SCAN, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = scan (x, z) trip=2 carries=0 { params c, d; p = mul c, d; yield p }",
	        "[1, 2], [3, 4]", MEASURE_SAME_ROWS, OP_SCAN, -1, 0},
	    {"x: f64[]", "y, w = for (x, x) trip=2 { params i, c, d; yield d, c }", "1", MEASURE_SAME_INITIALS, OP_FOR,
	        -1, 1},
	    {"x: f64[], z: f64[]", "y, w = for (x, z) trip=2 { params i, c, d; yield d, c }", "1, 2",
	        MEASURE_SAME_INITIALS, OP_FOR, -1, 0},
	    {"x: f64[]", "y, w = for (x, x) trip=2 { params i, c, d; k = constant 1; s = sin c; yield s, k }", "1",
	        MEASURE_INITIAL_AS_LATER, OP_FOR, -1, 1},
	    {"x: f64[]", "y, w = for (x, x) trip=2 { params i, c, d; k = constant 1; s = sin c; yield s, k }", "1",
	        MEASURE_INITIAL_AS_EARLIER, OP_FOR, -1, 0},
	    {"x: f64[]", "w, y = for (x, x) trip=0 { params i, c, d; k = constant 1; s = sin c; yield k, s }", "1",
	        MEASURE_INITIAL_AS_EARLIER, OP_FOR, -1, 1},
	    {"x: f64[3,2]",
	        "at: i64[2] = constant [0, 1]\n"
	        "y = scatter_apply (x, at) axis=0 mode=clip { params v; w = sin v; yield w }",
	        "[1, 2, 3, 4, 5, 6]", MEASURE_APPLICATIONS, OP_SCATTER_APPLY, -1, 4},
	    {"x: f64[3]",
	        "at: i64[2] = constant [0, 1]\n"
	        "y = scatter_apply (x, at) axis=0 mode=clip { params v; w = sin v; yield w }",
	        "[1, 2, 3]", MEASURE_INDICES, OP_SCATTER_APPLY, -1, 2},
	    {"x: f64[]", "y, w = checkpoint { s = sin x; yield s, x }", "1", MEASURE_RESULT_BEFORE_LAST, OP_CHECKPOINT,
	        -1, 1},
	    {"x: f64[]", "w, y = checkpoint { s = sin x; yield s, x }", "1", MEASURE_RESULT_BEFORE_LAST, OP_CHECKPOINT,
	        -1, 0},
	    {"x: f64[]", "y = checkpoint { yield x }", "1", MEASURE_HANDS_ON, OP_CHECKPOINT, -1, 1},
	    {"x: f64[]", "y = checkpoint { s = sin x; yield s }", "1", MEASURE_HANDS_ON, OP_CHECKPOINT, -1, 0},
	    {"x: f64[]", "w = checkpoint { s = sin x; yield s }\ny = mul w, x", "1", MEASURE_CAPTURE_LATER,
	        OP_CHECKPOINT, -1, 1},
	    {"x: f64[]", "u = sin x\nw = checkpoint { s = sin x; yield s }\ny = mul w, u", "1", MEASURE_CAPTURE_LATER,
	        OP_CHECKPOINT, -1, 0},
	    {"x: f64[]", "u = sin x\nw = checkpoint { s = sin x; yield s }\ny = mul w, u", "1", MEASURE_CAPTURE_EARLIER,
	        OP_CHECKPOINT, -1, 1},
	    {"x: f64[]", "w = checkpoint { s = sin x; yield s }\ny = mul w, x", "1", MEASURE_CAPTURE_EARLIER,
	        OP_CHECKPOINT, -1, 0},
	    {"x: f64[]", "y = for (x) trip=2 { params i, c; p = mul c, x; yield p }", "1", MEASURE_CAPTURE_OPERAND,
	        OP_FOR, -1, 1},
	    {"x: f64[], z: f64[]", "y = for (x) trip=2 { params i, c; p = mul c, z; yield p }", "1, 2",
	        MEASURE_CAPTURE_OPERAND, OP_FOR, -1, 0},
	    {"x: f64[]", "y = checkpoint { s = mul x, x; yield s }", "1", MEASURE_CAPTURE_READS, OP_CHECKPOINT, -1, 2},
	    {"x: f64[]", "y = checkpoint { s = sin x; yield s }", "1", MEASURE_CAPTURE_READS, OP_CHECKPOINT, -1, 1},
	    {"x: f64[], z: f64[]", "q = gt x, 0\ny = cond q { yield x } else { s = mul x, z; yield s }", "1, 2",
	        MEASURE_BRANCHES_SHARE, OP_COND, -1, 1},
	    {"x: f64[], z: f64[]", "q = gt x, 0\ny = cond q { yield x } else { s = mul x, z; yield s }", "1, 2",
	        MEASURE_BRANCH_ALONE, OP_COND, -1, 0},
	    {"x: f64[], z: f64[]", "q = gt x, 0\ny = cond q { yield x } else { s = mul x, z; yield s }", "-1, 2",
	        MEASURE_BRANCH_ALONE, OP_COND, -1, 1},
	    {"x: f64[], z: f64[]", "q = gt x, 0\ny = cond q { yield x } else { yield z }", "1, 2",
	        MEASURE_BRANCHES_SHARE, OP_COND, -1, 0},
	    {"x: f64[], z: f64[]", "y = for (x) trip=2 { params i, c; p = mul c, z; yield p }", "1, 2",
	        MEASURE_STEP_READS, OP_FOR, -1, 1},
	    {"x: f64[], z: f64[]",
	        "y, w = while (x, z) cap=2 { params a, b; q = lt a, 9; yield q } do { params c, d; p = mul c, d; "
	        "yield p, d }",
	        "1, 2", MEASURE_CONDITION_READS, OP_WHILE, -1, 1},
	    {"x: f64[], z: f64[]",
	        "y, w = while (x, z) cap=2 { params a, b; q = lt b, 9; yield q } do { params c, d; p = sin c; "
	        "yield p, d }",
	        "1, 2", MEASURE_CONDITION_READS, OP_WHILE, -1, 0},
	    {"x: f64[], z: f64[]", "y = for (x) trip=2 { params i, c; p = sin c; yield p }", "1, 2", MEASURE_STEP_READS,
	        OP_FOR, -1, 0},
	    {"x: f64[], z: f64[]", "y, w = for (x, z) trip=2 { params i, c, d; yield d, d }", "1, 2",
	        MEASURE_YIELDS_TWICE, OP_FOR, -1, 1},
	    {"x: f64[], z: f64[]", "y, w = for (x, z) trip=2 { params i, c, d; yield d, c }", "1, 2",
	        MEASURE_YIELDS_TWICE, OP_FOR, -1, 0},
	    {"x: f64[], z: f64[]", "u = sub x, z\nw = sub z, x\ny = mul u, w", "1, 2", MEASURE_EXCHANGED, OP_SUB, -1,
	        1},
	    {"x: f64[], z: f64[]", "u = sub x, z\nw = sub x, z\ny = mul u, w", "1, 2", MEASURE_EXCHANGED, OP_SUB, -1,
	        0},
	    {"x: f64[], z: f64[]", "u = sub x, z\nw = sub x, z\ny = mul u, w", "1, 2", MEASURE_REPEATED, OP_SUB, -1, 1},
	    {"x: f64[2,2], y0: f64[2,1]", "y = max x, y0", "[1, 2, 3, 4], [2, 3]", MEASURE_SPREAD_INSIDE, OP_MAX, 1, 1},
	    {"x: f64[2,2], y0: f64[2]", "y = max x, y0", "[1, 2, 3, 4], [2, 3]", MEASURE_SPREAD_INSIDE, OP_MAX, 1, 0},
	    {"x: f64[2,2], y0: f64[2]", "y = max x, y0", "[1, 2, 3, 4], [2, 3]", MEASURE_SPREAD_OUTSIDE, OP_MAX, 1, 1},
	    {"x: f64[2,2], y0: f64[2,1]", "y = max x, y0", "[1, 2, 3, 4], [2, 3]", MEASURE_SPREAD_OUTSIDE, OP_MAX, 1,
	        0},
	    {"x: f64[2], z: f64[2]", "q = gt x, z\ny = select q, x, z", "[1, 2], [0, 3]", MEASURE_MIXED, OP_SELECT, 0,
	        1},
	    {"x: f64[2], z: f64[2]", "q = gt x, z\ny = select q, x, z", "[1, 2], [0, 1]", MEASURE_MIXED, OP_SELECT, 0,
	        0},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, -1], [2, -2]", MEASURE_LARGER_NEARER, OP_MAX, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, 3], [2, -2]", MEASURE_LARGER_NEARER, OP_MAX, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -1], [2, -2]", MEASURE_BOTH_NEGATIVE, OP_MUL, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -3], [-2, 2]", MEASURE_BOTH_NEGATIVE, OP_MUL, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -1], [2, -2]", MEASURE_BOTH_POSITIVE, OP_MUL, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -3], [-2, 2]", MEASURE_BOTH_POSITIVE, OP_MUL, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -1], [2, 2]", MEASURE_FIRST_NEGATIVE_ONLY, OP_MUL, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -3], [-2, -2]", MEASURE_FIRST_NEGATIVE_ONLY, OP_MUL, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -1], [-2, 2]", MEASURE_SECOND_NEGATIVE_ONLY, OP_MUL, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mul x, z", "[1, -3], [2, -2]", MEASURE_SECOND_NEGATIVE_ONLY, OP_MUL, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = sub x, z", "[1, 2], [2, 2]", MEASURE_OPERANDS_ALIKE, OP_SUB, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = sub x, z", "[1, 2], [2, 1]", MEASURE_OPERANDS_ALIKE, OP_SUB, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = add x, z", "[1, 2], [2, -2]", MEASURE_NEGATIVES_OF_EACH_OTHER, OP_ADD, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = add x, z", "[1, 2], [2, 1]", MEASURE_NEGATIVES_OF_EACH_OTHER, OP_ADD, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = pow x, z", "[1, -2], [3, 2]", MEASURE_NEGATIVE_EVEN, OP_POW, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = pow x, z", "[1, -2], [2, 3]", MEASURE_NEGATIVE_EVEN, OP_POW, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = pow x, z", "[1, -2], [2, 3]", MEASURE_NEGATIVE_ODD, OP_POW, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = pow x, z", "[1, -2], [3, 2]", MEASURE_NEGATIVE_ODD, OP_POW, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = mod x, z", "[4, 3], [2, 2]", MEASURE_QUOTIENT_FRACTION, OP_MOD, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mod x, z", "[4, 6], [2, 2]", MEASURE_QUOTIENT_FRACTION, OP_MOD, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = mod x, z", "[4, 3], [2, 2]", MEASURE_QUOTIENT_INTEGER, OP_MOD, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mod x, z", "[5, 3], [2, 2]", MEASURE_QUOTIENT_INTEGER, OP_MOD, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = mod x, z", "[4, -3], [2, 2]", MEASURE_NEGATIVE_FRACTION, OP_MOD, -1, 1},
	    {"x: f64[2], z: f64[2]", "y = mod x, z", "[-4, 3], [2, 2]", MEASURE_NEGATIVE_FRACTION, OP_MOD, -1, 0},
	    {"x: f64[], z: f64[]", "y = clamp x, 3, z", "0.5, 1", MEASURE_CROSSED_OVER, OP_CLAMP, -1, 1},
	    {"x: f64[], z: f64[]", "y = clamp x, 3, z", "0.5, 1", MEASURE_CROSSED_UNDER, OP_CLAMP, -1, 0},
	    {"x: f64[], z: f64[]", "y = clamp x, 3, z", "2.5, 1", MEASURE_CROSSED_OVER, OP_CLAMP, -1, 0},
	    {"x: f64[], z: f64[]", "y = clamp x, 3, z", "2.5, 1", MEASURE_CROSSED_UNDER, OP_CLAMP, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [0, -3]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_COUNTS_BACK, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [0, -4]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_COUNTS_BACK, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[2] = constant [0, 6]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_ROUND_TWICE, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [-3, 5]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_ROUND_TWICE, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[2] = constant [0, -4]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_ROUND_TWICE, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [0, 6]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_TWICE_BEYOND, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [-4, 5]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_TWICE_BEYOND, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[2] = constant [0, -4]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_FAR_NEGATIVE, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [-3, 6]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_FAR_NEGATIVE, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[2] = constant [0, 2]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_MOVED, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [0, 1]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_MOVED, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[2] = constant [3, -2]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_MOVED, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[2] = constant [1, 0]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_DESCENDS, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2] = constant [1, 1]\ny = gather x, at axis=0 mode=wrap", "[1, 2, 3]",
	        MEASURE_INDEX_DESCENDS, OP_GATHER, -1, 0},
	    {"x: f64[2,2]", "at: i64[2,2] = constant [0, 1, 1, 0]\ny = take_along_axis x, at axis=0 mode=clip",
	        "[1, 2, 3, 4]", MEASURE_INDEX_DESCENDS, OP_TAKE_ALONG_AXIS, -1, 1},
	    {"x: f64[2,2]", "at: i64[2,2] = constant [0, 0, 1, 1]\ny = take_along_axis x, at axis=0 mode=clip",
	        "[1, 2, 3, 4]", MEASURE_INDEX_MOVED, OP_TAKE_ALONG_AXIS, -1, 0},
	    {"x: f64[3]", "s: i64[1] = constant [2]\ny = dynamic_slice x, s size=[2]", "[1, 2, 3]",
	        MEASURE_START_BEYOND, OP_DYNAMIC_SLICE, -1, 1},
	    {"x: f64[3]", "s: i64[1] = constant [1]\ny = dynamic_slice x, s size=[2]", "[1, 2, 3]",
	        MEASURE_START_BEYOND, OP_DYNAMIC_SLICE, -1, 0},
	    {"x: f64[3]", "s: i64[1] = constant [-1]\ny = dynamic_slice x, s size=[2]", "[1, 2, 3]",
	        MEASURE_START_NEGATIVE, OP_DYNAMIC_SLICE, -1, 1},
	    {"x: f64[3]", "s: i64[1] = constant [2]\ny = dynamic_slice x, s size=[2]", "[1, 2, 3]",
	        MEASURE_START_NEGATIVE, OP_DYNAMIC_SLICE, -1, 0},
	    {"x: f64[2,2]", "u = reduce_sum x axes=[0]\nw = reduce_sum x axes=[1]\ny = mul u, w", "[1, 2, 3, 4]",
	        MEASURE_VARIED, OP_REDUCE_SUM, -1, 1},
	    {"x: f64[2,3]",
	        "u = reduce_sum x axes=[0]\nw = reduce_sum x axes=[1]\nv = reduce_sum w axes=[0]\ny = mul u, v",
	        "[1, 2, 3, 4, 5, 6]", MEASURE_VARIED, OP_REDUCE_SUM, -1, 0},
	    {"x: f64[2,2]", "u = reduce_sum x axes=[0]\nw = reduce_sum x axes=[0]\ny = mul u, w", "[1, 2, 3, 4]",
	        MEASURE_VARIED, OP_REDUCE_SUM, -1, 0},
	    {"x: f64[2]", "y = pad x, 3 low=[1] high=[2]", "[1, 2]", MEASURE_PAD_UNEVEN, OP_PAD, -1, 1},
	    {"x: f64[2]", "y = pad x, 3 low=[1] high=[2]", "[1, 2]", MEASURE_PAD_LOW_MORE, OP_PAD, -1, 0},
	    {"x: f64[2]", "y = pad x, 3 low=[1] high=[2]", "[1, 2]", MEASURE_PAD_HIGH_MORE, OP_PAD, -1, 1},
	    {"x: f64[2]", "y = pad x, 3 low=[2] high=[2]", "[1, 2]", MEASURE_PAD_UNEVEN, OP_PAD, -1, 0},
	    {"x: f64[2]", "y = pad x, 3 low=[2] high=[2]", "[1, 2]", MEASURE_PAD_LOW_MORE, OP_PAD, -1, 0},
	    {"x: f64[2]", "y = pad x, 3 low=[2] high=[2]", "[1, 2]", MEASURE_PAD_HIGH_MORE, OP_PAD, -1, 0},
	    {"x: f64[2]", "y = pad x, 3 low=[2] high=[1]", "[1, 2]", MEASURE_PAD_UNEVEN, OP_PAD, -1, 1},
	    {"x: f64[2]", "y = pad x, 3 low=[2] high=[1]", "[1, 2]", MEASURE_PAD_LOW_MORE, OP_PAD, -1, 1},
	    {"x: f64[2]", "y = pad x, 3 low=[2] high=[1]", "[1, 2]", MEASURE_PAD_HIGH_MORE, OP_PAD, -1, 0},
	    {"x: f64[2], z: f64[2]", "m: bool[2] = constant [true, false]\ny = masked_scatter x, m, z",
	        "[1, 2], [3, 4]", MEASURE_SOURCE_LEFT, OP_MASKED_SCATTER, -1, 1},
	    {"x: f64[2], z: f64[2]", "m: bool[2] = constant [true, true]\ny = masked_scatter x, m, z", "[1, 2], [3, 4]",
	        MEASURE_SOURCE_LEFT, OP_MASKED_SCATTER, -1, 0},
	    {"x: f64[3]", "at: i64[3] = constant [0, 2, 7]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDICES_MEET, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[3] = constant [0, 7, 7]\ny = gather x, at axis=0 mode=drop", "[1, 2, 3]",
	        MEASURE_INDICES_MEET, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[3] = constant [0, 1, 2]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDICES_MEET, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[3] = constant [0, 1, 7]\ny = gather x, at axis=0 mode=drop", "[1, 2, 3]",
	        MEASURE_INDEX_REACH, OP_GATHER, -1, 2},
	    {"x: f64[3]", "at: i64[3] = constant [0, 1, 7]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDEX_REACH, OP_GATHER, -1, 3},
	    {"x: f64[3]", "at: i64[3] = constant [0, 1, -3]\ny = gather x, at axis=0 mode=drop", "[1, 2, 3]",
	        MEASURE_INDEX_DROPPED_BACK, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[3] = constant [0, 1, -3]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDEX_DROPPED_BACK, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[3] = constant [0, 1, -4]\ny = gather x, at axis=0 mode=drop", "[1, 2, 3]",
	        MEASURE_INDEX_DROPPED_BACK, OP_GATHER, -1, 0},
	    {"x: f64[]", "y = for (x) trip=3 { params i, c; p = mul c, x; yield p }", "2", MEASURE_TRIPS_NOT_3, OP_FOR,
	        -1, 0},
	    {"x: f64[]", "y = for (x) trip=3 { params i, c; p = mul c, x; yield p }", "2", MEASURE_TRIPS_NOT_4, OP_FOR,
	        -1, 1},
	    {"x: f64[]", "y = for (x) trip=4 { params i, c; p = mul c, x; yield p }", "2", MEASURE_TRIPS_NOT_3, OP_FOR,
	        -1, 1},
	    {"x: f64[]", "y = for (x) trip=4 { params i, c; p = mul c, x; yield p }", "2", MEASURE_TRIPS_NOT_4, OP_FOR,
	        -1, 0},
	    {"x: f64[3]", "s: i64[1] = constant [0]\ny = dynamic_slice x, s size=[3]", "[1, 2, 3]",
	        MEASURE_WINDOW_WHOLE, OP_DYNAMIC_SLICE, -1, 1},
	    {"x: f64[3]", "s: i64[1] = constant [0]\ny = dynamic_slice x, s size=[2]", "[1, 2, 3]",
	        MEASURE_WINDOW_WHOLE, OP_DYNAMIC_SLICE, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[3, 1, 2]", MEASURE_LARGEST_FIRST, OP_REDUCE_MAX, -1, 1},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[3, 1, 2]", MEASURE_LARGEST_LAST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[3, 1, 2]", MEASURE_SMALLEST_FIRST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[3, 1, 2]", MEASURE_SMALLEST_LAST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[2, 1, 3]", MEASURE_LARGEST_FIRST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[2, 1, 3]", MEASURE_LARGEST_LAST, OP_REDUCE_MAX, -1, 1},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[2, 1, 3]", MEASURE_SMALLEST_FIRST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[2, 1, 3]", MEASURE_SMALLEST_LAST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[1, 3, 2]", MEASURE_LARGEST_FIRST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[1, 3, 2]", MEASURE_LARGEST_LAST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[1, 3, 2]", MEASURE_SMALLEST_FIRST, OP_REDUCE_MAX, -1, 1},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[1, 3, 2]", MEASURE_SMALLEST_LAST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[2, 3, 1]", MEASURE_LARGEST_FIRST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[2, 3, 1]", MEASURE_LARGEST_LAST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[2, 3, 1]", MEASURE_SMALLEST_FIRST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", "[2, 3, 1]", MEASURE_SMALLEST_LAST, OP_REDUCE_MAX, -1, 1},
	    {"x: f64[3,1]", "y = reduce_max x axes=[1]", "[3, 1, 2]", MEASURE_LARGEST_LAST, OP_REDUCE_MAX, -1, 0},
	    {"x: f64[3]", "at: i64[1,2] = constant [0, 1]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDEX_RANK, OP_GATHER, -1, 2},
	    {"x: f64[3]", "at: i64[3] = constant [0, 0, 1]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDICES_DIFFER, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[3] = constant [2, 7, 2]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDICES_DIFFER, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[3] = constant [0, 0, 7]\ny = gather x, at axis=0 mode=drop", "[1, 2, 3]",
	        MEASURE_INDICES_DIFFER, OP_GATHER, -1, 0},
	    /* a node that passes no derivative on has no measures */
	    {"x: f64[]", "s = floor x\ny = square s", "1", MEASURE_COMPUTED, OP_SQUARE, 0, NAN},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct testcase c;
		double x;

		if (!row_wanted("%s: measure %d", rows[i].body, (int)rows[i].id))
			continue;
		c = test_function(a, rows[i].inputs, rows[i].body, rows[i].point, "vjp");
		x = measure_of(facts_of(&c, a), rows[i].id, rows[i].op, rows[i].operand);
		CHECK(x == rows[i].x || (isnan(x) && isnan(rows[i].x)), "%g", x);
	}
}

/* Elements whose cotangent is known to be 0 do not count. */
static void test_cotangents(struct arena *a)
{
	const struct testcase c = test_function(a, "x: f64[3]", "y = sin x", "[1, -4, 2]", "vjp");
	struct tensor at = tensor_new(a, &c.program.type[c.program.top.node[0].out]);
	struct known_cotangents known = {.n = 1, .of = {{c.program.top.node[0].out, &at}}};
	struct facts *f;

	at.at[0].f = -2;
	at.at[2].f = 0.5;
	f = facts_with(&c, &known, a);
	CHECK(measure_of(f, MEASURE_FAR, OP_SIN, 0) == 2 && isnan(measure_of(f, MEASURE_COTANGENT_FAR, OP_SIN, -1)),
	    "%g", measure_of(f, MEASURE_FAR, OP_SIN, 0));
	known.seeded = true;
	f = facts_with(&c, &known, a);
	CHECK(measure_of(f, MEASURE_COTANGENT_SMALL, OP_SIN, -1) == 2 &&
	        measure_of(f, MEASURE_COTANGENT_LARGE, OP_SIN, -1) == 0.5,
	    "%g", measure_of(f, MEASURE_COTANGENT_SMALL, OP_SIN, -1));
}

/* If nothing is differentiated, nodes have measures too. */
static void test_primal(struct arena *a)
{
	const struct testcase plain = test_function(a, "x: f64[2,3]", "y = cumsum x axis=1", "[1, 2, 3, 4, 5, 6]", ""),
	                      batch = test_function(
	                          a, "x: f64[2]", "y = cumsum x axis=0", "[1, 2, 3, 4]", "batch x; 2 slices");

	CHECK(measure_of(facts_of(&plain, a), MEASURE_AXIS_LATER, OP_CUMSUM, -1) == 1, "the second axis");
	CHECK(measure_of(facts_of(&batch, a), MEASURE_AXIS_EXTENT, OP_CUMSUM, -1) == 2, "two elements");
}

/* Each level differentiates other operands. */
static void test_levels(struct arena *a)
{
	const struct testcase two = test_function(a, "x: f64[], z: f64[]", "y = div x, z", "1, 2", "vjp z; then vjp x"),
	                      one = test_function(a, "x: f64[], z: f64[]", "y = div x, z", "1, 2", "vjp z");
	const struct facts *f = facts_of(&two, a);

	CHECK(measure_of(f, MEASURE_INNERMOST, OP_DIV, 0) == 0 && measure_of(f, MEASURE_OUTER, OP_DIV, 0) == 1, "x");
	CHECK(measure_of(f, MEASURE_INNERMOST, OP_DIV, 1) == 1 && measure_of(f, MEASURE_OUTER, OP_DIV, 1) == 0, "z");
	CHECK(isnan(measure_of(facts_of(&one, a), MEASURE_INNERMOST, OP_DIV, 1)), "one level");
}

static void test_texts(struct arena *a)
{
	static const struct {
		enum measure_id id;
		bool above;
		double threshold;
		const char *text;
	} rows[] = {
	    {MEASURE_AXES, true, 1, "O goes along more than one axis"},
	    {MEASURE_AXES, true, 2, "O goes along more than two axes"},
	    {MEASURE_AXES, false, 2, "O goes along at most two axes"},
	    {MEASURE_AXES, false, 0, "O goes along no axis"},
	    {MEASURE_AXIS_EXTENT, true, 16, "the axis of O has more than 16 elements"},
	    {MEASURE_SMALL, true, 0, "an element of the K of O is negative"},
	    {MEASURE_SMALL, true, 2, "an element of the K of O is below -2"},
	    {MEASURE_SMALL, true, -2, "an element of the K of O is below 2"},
	    {MEASURE_FAR, true, 2.5, "an element of the K of O has a magnitude above 2.5"},
	    {MEASURE_CYCLE, false, 0, "the permutation of O is its own inverse"},
	    {MEASURE_CYCLE, true, 1, NULL},
	    {MEASURE_GROUP_NOT_8, true, 0, "the number of elements that O combines into one is no multiple of 8"},
	    {MEASURE_ELEMENTS_ODD, false, 0, "the number of elements of the K of O is even"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *text = measure_text(rows[i].id, rows[i].above, rows[i].threshold, "O", "K", a);

		CHECK(
		    rows[i].text ? text && !strcmp(text, rows[i].text) : !text, "row %zu: %s", i, text ? text : "none");
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	test_rows(&a);
	CHECK_LAW(test_cotangents(&a));
	CHECK_LAW(test_primal(&a));
	CHECK_LAW(test_levels(&a));
	CHECK_LAW(test_texts(&a));
	arena_free(&a);
	return check_done();
}

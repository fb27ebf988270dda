/* Measures that compare: operands with each other, updates with what they meet, tangents with elements, sums. */
#include <string.h>

#include "measure_rows.h"

static void test_rows(struct arena *a)
{
	static const struct measure_row rows[] = {
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, 5], [1.25, 3]", MEASURE_CLOSE, OP_MAX, 1, -0.25},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, 5], [1, 3]", MEASURE_CLOSE, OP_MAX, 1, -2},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, 5], [1, 5]", MEASURE_CLOSE, OP_MAX, 1, NAN},
	    {"x: f64[]", "y = clamp x, -1, 4", "1", MEASURE_CLOSE, OP_CLAMP, 1, -2},
	    {"x: f64[]", "y = clamp x, -1, 4", "1", MEASURE_CLOSE, OP_CLAMP, 2, -3},
	    {"x: f64[2], z: f64[2]", "y = mod x, z", "[1, -6], [2, 4]", MEASURE_QUOTIENT_FAR, OP_MOD, -1, 1.5},
	    {"x: f64[2], z: f64[2]", "y = mod x, z", "[1, -6], [2, 4]", MEASURE_QUOTIENT_NEAR, OP_MOD, -1, -0.5},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [1, 1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [7, 6]", MEASURE_UPDATE_BEATEN, OP_SCATTER_MAX, -1, 1},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [1, 1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [7, 7]", MEASURE_UPDATE_BEATEN, OP_SCATTER_MAX, -1, 0},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [1, 1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [7, 4]", MEASURE_UPDATE_BEATEN, OP_SCATTER_MAX, -1, 0},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [0, 1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [7, 6]", MEASURE_UPDATE_BEATEN, OP_SCATTER_MAX, -1, 0},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [1, 1]\ny = scatter_min x, at, z axis=0 mode=clip",
	        "[1, 5], [2, 3]", MEASURE_UPDATE_BEATEN, OP_SCATTER_MIN, -1, 1},
	    {"x: f64[2], z: f64[2]", "at: i64[2] = constant [1, 1]\ny = scatter_min x, at, z axis=0 mode=clip",
	        "[1, 5], [2, 7]", MEASURE_UPDATE_BEATEN, OP_SCATTER_MIN, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 1, 3", MEASURE_BETWEEN_BOUNDS, OP_CLAMP, -1,
	        1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 1, 3", MEASURE_BELOW_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 1, 3", MEASURE_ABOVE_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 1, 3", MEASURE_BELOW_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 1, 3", MEASURE_ABOVE_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 1, 3", MEASURE_CROSSED_BETWEEN, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 1, 3", MEASURE_CROSSED, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 1, 3", MEASURE_CROSSED_OVER, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 1, 3", MEASURE_CROSSED_UNDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 1, 3", MEASURE_BETWEEN_BOUNDS, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 1, 3", MEASURE_BELOW_BOTH, OP_CLAMP, -1, 1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 1, 3", MEASURE_ABOVE_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 1, 3", MEASURE_BELOW_IN_ORDER, OP_CLAMP, -1,
	        1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 1, 3", MEASURE_ABOVE_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 1, 3", MEASURE_CROSSED_BETWEEN, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 1, 3", MEASURE_CROSSED, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 1, 3", MEASURE_CROSSED_OVER, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 1, 3", MEASURE_CROSSED_UNDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 1, 3", MEASURE_BETWEEN_BOUNDS, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 1, 3", MEASURE_BELOW_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 1, 3", MEASURE_ABOVE_BOTH, OP_CLAMP, -1, 1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 1, 3", MEASURE_BELOW_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 1, 3", MEASURE_ABOVE_IN_ORDER, OP_CLAMP, -1,
	        1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 1, 3", MEASURE_CROSSED_BETWEEN, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 1, 3", MEASURE_CROSSED, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 1, 3", MEASURE_CROSSED_OVER, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 1, 3", MEASURE_CROSSED_UNDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 3, 1", MEASURE_BETWEEN_BOUNDS, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 3, 1", MEASURE_BELOW_BOTH, OP_CLAMP, -1, 1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 3, 1", MEASURE_ABOVE_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 3, 1", MEASURE_BELOW_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 3, 1", MEASURE_ABOVE_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 3, 1", MEASURE_CROSSED_BETWEEN, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 3, 1", MEASURE_CROSSED, OP_CLAMP, -1, 1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 3, 1", MEASURE_CROSSED_OVER, OP_CLAMP, -1, 1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "0, 3, 1", MEASURE_CROSSED_UNDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 3, 1", MEASURE_BETWEEN_BOUNDS, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 3, 1", MEASURE_BELOW_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 3, 1", MEASURE_ABOVE_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 3, 1", MEASURE_BELOW_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 3, 1", MEASURE_ABOVE_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 3, 1", MEASURE_CROSSED_BETWEEN, OP_CLAMP, -1,
	        1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 3, 1", MEASURE_CROSSED, OP_CLAMP, -1, 1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 3, 1", MEASURE_CROSSED_OVER, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "2, 3, 1", MEASURE_CROSSED_UNDER, OP_CLAMP, -1,
	        1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 3, 1", MEASURE_BETWEEN_BOUNDS, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 3, 1", MEASURE_BELOW_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 3, 1", MEASURE_ABOVE_BOTH, OP_CLAMP, -1, 1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 3, 1", MEASURE_BELOW_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 3, 1", MEASURE_ABOVE_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 3, 1", MEASURE_CROSSED_BETWEEN, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 3, 1", MEASURE_CROSSED, OP_CLAMP, -1, 1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 3, 1", MEASURE_CROSSED_OVER, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "4, 3, 1", MEASURE_CROSSED_UNDER, OP_CLAMP, -1,
	        1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "1, 1, 3", MEASURE_BETWEEN_BOUNDS, OP_CLAMP, -1,
	        1},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "1, 1, 3", MEASURE_BELOW_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "1, 1, 3", MEASURE_ABOVE_BOTH, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "1, 1, 3", MEASURE_BELOW_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "1, 1, 3", MEASURE_ABOVE_IN_ORDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "1, 1, 3", MEASURE_CROSSED_BETWEEN, OP_CLAMP, -1,
	        0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "1, 1, 3", MEASURE_CROSSED, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "1, 1, 3", MEASURE_CROSSED_OVER, OP_CLAMP, -1, 0},
	    {"x: f64[], lo: f64[], hi: f64[]", "y = clamp x, lo, hi", "1, 1, 3", MEASURE_CROSSED_UNDER, OP_CLAMP, -1,
	        0},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [7]", MEASURE_UPDATE_WINS, OP_SCATTER_MAX, -1, 1},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [5]", MEASURE_UPDATE_WINS, OP_SCATTER_MAX, -1, 0},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_min x, at, z axis=0 mode=clip",
	        "[1, 5], [7]", MEASURE_UPDATE_WINS, OP_SCATTER_MIN, -1, 0},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_add x, at, z axis=0 mode=clip",
	        "[1, 5], [7]", MEASURE_UPDATE_ABOVE, OP_SCATTER_ADD, -1, 1},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_add x, at, z axis=0 mode=clip",
	        "[1, 5], [7]", MEASURE_UPDATE_BELOW, OP_SCATTER_ADD, -1, 0},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [2]\ny = scatter_add x, at, z axis=0 mode=drop",
	        "[1, 5], [7]", MEASURE_UPDATE_ABOVE, OP_SCATTER_ADD, -1, 0},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, 5], [1.25, 3]", MEASURE_CLOSE_ABOVE, OP_MAX, 1, -2},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, 5], [1.25, 3]", MEASURE_ABOVE_BY, OP_MAX, 1, 2},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, 5], [1.25, 3]", MEASURE_BELOW_BY, OP_MAX, 1, 0.25},
	    {"x: f64[]", "y = clamp x, -1, 4", "1", MEASURE_ABOVE_BY, OP_CLAMP, 2, 0},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[4, 6], [1, 8]", MEASURE_RELATIVELY_CLOSE, OP_MAX, -1, -0.25},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[4, 6], [4, 6]", MEASURE_RELATIVELY_CLOSE, OP_MAX, -1, NAN},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, 5], [1.25, 3]", MEASURE_CLOSE_BELOW, OP_MAX, 1, -0.25},
	    {"x: f64[2], z: f64[2]", "y = max x, z", "[1, 3], [1.25, 5]", MEASURE_CLOSE_ABOVE, OP_MAX, 1, -1e9},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_set x, at, z axis=0 mode=clip",
	        "[1, 5], [5]", MEASURE_UPDATE_EQUAL, OP_SCATTER_SET, -1, 1},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [0]\ny = scatter_set x, at, z axis=0 mode=clip",
	        "[1, 5], [5]", MEASURE_UPDATE_EQUAL, OP_SCATTER_SET, -1, 0},
	    {"x: f64[2], z: f64[3]", "at: i64[3] = constant [1, 0, 1]\ny = scatter_set x, at, z axis=0 mode=clip",
	        "[1, 5], [7, 9, 3]", MEASURE_UPDATES_DESCEND, OP_SCATTER_SET, -1, 1},
	    {"x: f64[2], z: f64[3]", "at: i64[3] = constant [1, 0, 1]\ny = scatter_set x, at, z axis=0 mode=clip",
	        "[1, 5], [7, 9, 3]", MEASURE_UPDATES_ASCEND, OP_SCATTER_SET, -1, 0},
	    {"x: f64[3], z: f64[2]", "y = slice_scatter x, z start=[1] stride=[1]", "[5, 7, 8], [7, 9]",
	        MEASURE_UPDATE_EQUAL, OP_SLICE_SCATTER, -1, 1},
	    {"x: f64[3], z: f64[2]", "y = slice_scatter x, z start=[0] stride=[1]", "[5, 7, 8], [7, 9]",
	        MEASURE_UPDATE_EQUAL, OP_SLICE_SCATTER, -1, 0},
	    {"x: f64[3], z: f64[2]", "s: i64[1] = constant [7]\ny = dynamic_update_slice x, z, s", "[5, 7, 8], [7, 3]",
	        MEASURE_UPDATE_BELOW, OP_DYNAMIC_UPDATE_SLICE, -1, 1},
	    {"x: f64[3], z: f64[1]", "m: bool[3] = constant [false, true, true]\ny = masked_scatter x, m, z",
	        "[5, 7, 8], [9]", MEASURE_UPDATE_ABOVE, OP_MASKED_SCATTER, -1, 1},
	    {"x: f64[3], z: f64[1]", "m: bool[3] = constant [false, true, true]\ny = masked_scatter x, m, z",
	        "[5, 7, 8], [7]", MEASURE_UPDATE_ABOVE, OP_MASKED_SCATTER, -1, 0},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [5.25]", MEASURE_UPDATE_CLOSE, OP_SCATTER_MAX, -1, -0.25},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [5]", MEASURE_UPDATE_CLOSE, OP_SCATTER_MAX, -1, NAN},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [5.25]", MEASURE_UPDATE_CLOSE_ABOVE, OP_SCATTER_MAX, -1, -0.25},
	    {"x: f64[2], z: f64[1]", "at: i64[1] = constant [1]\ny = scatter_max x, at, z axis=0 mode=clip",
	        "[1, 5], [5.25]", MEASURE_UPDATE_CLOSE_BELOW, OP_SCATTER_MAX, -1, -1e9},
	    {"x: f64[3]", "at: i64[2,2] = constant [0, 1, 2, 2]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDEX_BY_COLUMNS, OP_GATHER, -1, 1},
	    {"x: f64[3]", "at: i64[2,2] = constant [0, 1, 1, 2]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDEX_BY_COLUMNS, OP_GATHER, -1, 0},
	    {"x: f64[3]", "at: i64[1,3] = constant [0, 1, 2]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_INDEX_BY_COLUMNS, OP_GATHER, -1, 0},
	    {"x: f64[3,3]", "y = slice x start=[0, 0] size=[2, 2] stride=[2, 1]", "[1, 2, 3, 4, 5, 6, 7, 8, 9]",
	        MEASURE_STRIDE_FIRST, OP_SLICE, -1, 2},
	    {"x: f64[3,3]", "y = slice x start=[0, 0] size=[2, 2] stride=[1, 2]", "[1, 2, 3, 4, 5, 6, 7, 8, 9]",
	        MEASURE_STRIDE_FIRST, OP_SLICE, -1, 1},
	    {"x: f64[], z: f64[]", "y = div x, z", "1, 2", MEASURE_SOME_FIXED, OP_DIV, -1, 0},
	    {"x: f64[]", "y = div 3, x", "1", MEASURE_SOME_FIXED, OP_DIV, -1, 1},
	    {"x: f64[]", "y = sin x", "1", MEASURE_SOME_FIXED, OP_SIN, -1, NAN},
	    {"x: f64[2,2]", "at: i64[1,2] = constant [0, 1]\ny = take_along_axis x, at axis=0 mode=clip",
	        "[1, 2, 3, 4]", MEASURE_INDEX_LINES_APART, OP_TAKE_ALONG_AXIS, -1, 1},
	    {"x: f64[2,2]", "at: i64[1,2] = constant [1, 1]\ny = take_along_axis x, at axis=0 mode=clip",
	        "[1, 2, 3, 4]", MEASURE_INDEX_LINES_APART, OP_TAKE_ALONG_AXIS, -1, 0},
	    {"x: f64[2,2]", "at: i64[1,2] = constant [1, 3]\ny = take_along_axis x, at axis=0 mode=clip",
	        "[1, 2, 3, 4]", MEASURE_INDEX_LINES_APART, OP_TAKE_ALONG_AXIS, -1, 0},
	    {"x: f64[2,2]", "at: i64[2,1] = constant [0, 1]\ny = take_along_axis x, at axis=1 mode=clip",
	        "[1, 2, 3, 4]", MEASURE_INDEX_LINES_APART, OP_TAKE_ALONG_AXIS, -1, 1},
	    {"x: f64[2,3]", "y = slice x start=[0, 0] size=[2, 2]", "[1, 2, 3, 4, 5, 6]", MEASURE_LEFT_OUT_LATER,
	        OP_SLICE, -1, 1},
	    {"x: f64[2,3]", "y = slice x start=[1, 0] size=[1, 3]", "[1, 2, 3, 4, 5, 6]", MEASURE_LEFT_OUT_LATER,
	        OP_SLICE, -1, 0},
	    {"x: f64[3]", "y = reduce_prod x axes=[0]", "[1, 2, -1]", MEASURE_NEGATIVE_AMONG, OP_REDUCE_PROD, -1, 1},
	    {"x: f64[3]", "y = reduce_prod x axes=[0]", "[-1, 2, 1]", MEASURE_NEGATIVE_AMONG, OP_REDUCE_PROD, -1, 1},
	    {"x: f64[1]", "y = reduce_prod x axes=[0]", "[-1]", MEASURE_NEGATIVE_AMONG, OP_REDUCE_PROD, -1, 0},
	    {"x: f64[3]", "y = reduce_prod x axes=[0]", "[0, 2, 1]", MEASURE_ZERO_AMONG, OP_REDUCE_PROD, -1, 1},
	    /* how many elements a gradient adds into one */
	    {"x: f64[2,3], z: f64[3]", "y = add x, z", "[1, 2, 3, 4, 5, 6], [1, 2, 3]", MEASURE_ADDED, OP_ADD, -1, 2},
	    {"x: f64[2,3]", "z: f64[] = constant 7\ny = add x, z", "[1, 2, 3, 4, 5, 6]", MEASURE_ADDED, OP_ADD, -1, 1},
	    {"x: f64[5,3]", "z: f64[3] = constant [1, 2, 3]\ny = matmul x, z",
	        "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]", MEASURE_ADDED, OP_MATMUL, -1, 1},
	    {"z: f64[3]", "x: f64[5,3] = constant [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]\ny = matmul x, z",
	        "[1, 2, 3]", MEASURE_ADDED, OP_MATMUL, -1, 5},
	    {"z: f64[1,2]", "x: f64[2,2,1] = constant [1, 2, 3, 4]\ny = matmul x, z", "[1, 2]", MEASURE_ADDED,
	        OP_MATMUL, -1, 4},
	    {"x: f64[3]", "at: i64[4] = constant [0, 1, 7, 2]\ny = gather x, at axis=0 mode=clip", "[1, 2, 3]",
	        MEASURE_ADDED, OP_GATHER, -1, 2},
	    {"x: f64[3], z: f64[]", "y = pad x, z low=[1] high=[2]", "[1, 2, 3], 4", MEASURE_ADDED, OP_PAD, -1, 3},
	    {"x: f64[4]", "y = cumsum x axis=0", "[1, 2, 3, 4]", MEASURE_ADDED, OP_CUMSUM, -1, 4},
	};

	check_measure_rows(rows, sizeof rows / sizeof *rows, a);
}

/* Tangents whose order is that of the elements, or not. */
static void test_tangents(struct arena *a)
{
	static const struct {
		const char *inputs, *body;
		enum op op;
		double x[4], tangent[4];
		enum measure_id id;
		double is;
	} rows[] = {
	    {"x: f64[3]", "y = sort x axis=0", OP_SORT, {3, 1, 2}, {5, 0, 4}, MEASURE_TANGENTS_APART, 0},
	    {"x: f64[3]", "y = sort x axis=0", OP_SORT, {3, 1, 2}, {4, 0, 5}, MEASURE_TANGENTS_APART, 1},
	    {"x: f64[2,2]", "y = sort x axis=0", OP_SORT, {1, 2, 3, 4}, {1, 9, 2, 8}, MEASURE_TANGENTS_APART, 1},
	    {"x: f64[2,2]", "y = sort x axis=1", OP_SORT, {1, 2, 3, 4}, {1, 9, 2, 8}, MEASURE_TANGENTS_APART, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", OP_REDUCE_MAX, {3, 1, 2}, {5, 0, 4},
	        MEASURE_LARGEST_TANGENT_APART, 0},
	    {"x: f64[3]", "y = reduce_max x axes=[0]", OP_REDUCE_MAX, {3, 1, 2}, {4, 0, 5},
	        MEASURE_LARGEST_TANGENT_APART, 1},
	    {"x: f64[3]", "y = reduce_min x axes=[0]", OP_REDUCE_MIN, {3, 1, 2}, {4, 0, 5},
	        MEASURE_SMALLEST_TANGENT_APART, 0},
	    {"x: f64[3]", "y = reduce_min x axes=[0]", OP_REDUCE_MIN, {3, 1, 2}, {4, 5, 0},
	        MEASURE_SMALLEST_TANGENT_APART, 1},
	    {"x: f64[2,2]", "y = reduce_max x axes=[1]", OP_REDUCE_MAX, {1, 2, 4, 3}, {1, 9, 8, 2},
	        MEASURE_LARGEST_TANGENT_APART, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct known_cotangents known = {.n = 1};
		struct tensor at, tangent;
		struct testcase c;
		double x;

		if (!row_wanted("%s: measure %d, row %zu", rows[i].body, (int)rows[i].id, i))
			continue;
		c = test_function(
		    a, rows[i].inputs, rows[i].body, strchr(rows[i].inputs, ',') ? "[1, 2, 3, 4]" : "[1, 2, 3]", "jvp");
		tangent = tensor_copy(a, &c.point[0][0]);
		at = tensor_new(a, &c.program.type[c.program.top.node[0].out]);
		for (int k = 0; k < shape_elements(&tangent.type.shape); k++) {
			c.point[0][0].at[k].f = rows[i].x[k];
			tangent.at[k].f = rows[i].tangent[k];
		}
		known.of[0].value = c.program.top.node[0].out;
		known.of[0].at = &at;
		known.of[0].tangent[0] = &tangent;
		x = measure_of(facts_with(&c, &known, a), rows[i].id, rows[i].op, -1);
		CHECK(x == rows[i].is, "%g", x);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	test_rows(&a);
	test_tangents(&a);
	arena_free(&a);
	return check_done();
}

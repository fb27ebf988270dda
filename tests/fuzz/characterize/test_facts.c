/* Features of whole programs: what the cases of the zoo have, and their neighbours that lack it. */
#include "fuzz/characterize/facts.h"

#include <ctype.h>
#include <string.h>

#include "fuzz/cli/commands.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

static const char *const ids[] = {
#define FEATURE(id, sentence) #id,
#include "fuzz/characterize/features_explain.def"
#undef FEATURE
};

/* By the id of a row of the table, or by the name of a feature that names ops. */
static bool has(const struct facts *f, const char *name)
{
	if (isupper((unsigned char)*name)) {
		for (int i = 0; i < FEATURE_COUNT; i++)
			if (!strcmp(ids[i], name))
				return f->at[i];
		CHECK(false, "no feature %s", name);
	}
	for (int i = 0; i < f->n_named; i++)
		if (!strcmp(f->named[i], name))
			return true;
	return false;
}

static bool read_zoo(const char *file, struct testcase *c, struct arena *a)
{
	struct reported engine;
	struct error e = {0};
	bool ok = read_case(arena_printf(a, "corpus/zoo/%s.json", file), a, c, &engine, &e);

	CHECK(ok, "%s: %s %s", file, e.place, e.text);
	return ok;
}

static void test_zoo(struct arena *a)
{
	static const struct {
		const char *file, *feature;
		bool has;
	} rows[] = {
	    {"warp-copy-assign", "shares reshape", true},
	    {"warp-copy-assign", "ACCUMULATED", true},
	    {"inductor-double-add", "ACCUMULATED", true},
	    {"alias-args-dedup-aot", "COMMUTES_WITH_ITSELF", false},
	    {"tinygrad-equal-leaves", "TWIN_USED", true},
	    {"inductor-view-version", "BUFFER_NEEDED", true},
	    {"inductor-view-version-loop", "BUFFER_NEEDED", true},
	    {"warp-dead-write", "BUFFER_NEEDED", false},
	    {"reactant-ckpt-index", "INDEX_NEEDED", true},
	    {"reactant-ckpt-index-none", "INDEX_NEEDED", false},
	    {"swift-nonactive-init", "CONSTANT_CARRIED", true},
	    {"swift-active-init", "CONSTANT_CARRIED", false},
	    {"clad-unentered-loop-0", "UNENTERED_NONLINEAR", true},
	    {"clad-unentered-loop-1", "UNENTERED_NONLINEAR", false},
	    {"jax-vmap-cond-select-sqrt", "BRANCH_SINGULAR", true},
	    {"jax-vmap-cond-select-sqrt", "PREDICATE_DEPENDS", true},
	    {"tf-while-passthrough-for", "BRANCH_SINGULAR", false},
	    {"warp-dynloop-stale-dynamic-init5", "needs for", true},
	    {"warp-dynloop-stale-dynamic-init5", "LOOP_CHANGES", true},
	    {"warp-dynloop-stale-dynamic-init5", "LOOP_COUNTED", true},
	    {"warp-dynloop-stale-static-init5", "LOOP_COUNTED", false},
	    {"strong-zero-lost", "NONLINEAR", true},
	    {"diffractor-swap-order-3", "OVER_QUADRATIC", true},
	    {"customjvp-unbroadcast-tape", "INPUT_SPREAD", true},
	    {"customjvp-unbroadcast-tape", "SHAPE_SPREAD", true},
	    {"mxnet-foreach-null", "holds scan 1", true},
	    {"mxnet-foreach-null-both", "holds scan 1", false},
	    {"perturbation-confusion-aot-jvp", "derivative jvp", true},
	    {"perturbation-confusion-aot-jvp", "derivative vjp", false},
	    {"casadi-implicit-adj-after", "fixed_point solution", true},
	    {"jaxopt-implicit-2nd-1", "custom vjp", true},
	    {"casadi-ifelse-fwd-zero", "passes select 1", true},
	    {"casadi-ifelse-fwd-zero-false", "passes select 1", false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("zoo: %s, %s", rows[i].file, rows[i].feature))
			continue;
		struct testcase c;

		arena_reset(a);
		if (read_zoo(rows[i].file, &c, a))
			CHECK(has(facts_of(&c, a), rows[i].feature) == rows[i].has, "%s: %s", rows[i].file,
			    rows[i].feature);
	}
}

/* Features of mechanisms and counts, each in a program that has it and in one that lacks it. */
static void test_mechanisms(struct arena *a)
{
	static const struct {
		const char *feature, *inputs, *body, *point, *request;
		bool has;
	} rows[] = {
	    {"CARRY_REPLACED", "x: f64[], y: f64[]", "y1 = for (x) trip=2 { params i, c; p = mul y, y; yield p }",
	        "1, 2", "vjp x, y", true},
	    {"CARRY_REPLACED", "x: f64[], y: f64[]", "y1 = for (x) trip=2 { params i, c; p = mul c, y; yield p }",
	        "1, 2", "vjp x, y", false},
	    {"CARRY_SHIFTED", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = mul d, d; yield d, p }", "1, 2", "vjp x, y", true},
	    {"CARRY_SHIFTED", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = mul d, d; yield c, p }", "1, 2", "vjp x, y", false},
	    {"ROW_IS_CARRY", "x: f64[]", "c1, y1 = scan (x) trip=2 carries=1 { params c; p = mul c, c; yield p, p }",
	        "1", "vjp x", true},
	    {"ROW_IS_CARRY", "x: f64[]", "c1, y1 = scan (x) trip=2 carries=1 { params c; p = mul c, c; yield p, c }",
	        "1", "vjp x", false},
	    {"CARRY_LOST", "x: f64[], y: f64[]", "y1 = for (x) trip=2 { params i, c; p = mul y, y; yield p }", "1, 2",
	        "vjp x", true},
	    {"CARRY_LOST", "x: f64[], y: f64[]", "y1 = for (x) trip=2 { params i, c; p = mul y, y; yield p }", "1, 2",
	        "vjp x, y", false},
	    {"CARRY_SHIFTED_BACK", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = mul c, d; yield p, c }", "1, 2", "vjp x, y", true},
	    {"CARRY_SHIFTED_BACK", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = mul c, d; yield d, p }", "1, 2", "vjp x, y", false},
	    {"LATER_CARRY_READ", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = mul c, d; yield p, c }", "1, 2", "vjp x, y", true},
	    {"LATER_CARRY_READ", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = mul c, c; yield p, c }", "1, 2", "vjp x, y", false},
	    {"LATER_CARRY_NEEDED", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = mul c, d; yield p, d }", "1, 2", "vjp x, y", true},
	    {"LATER_CARRY_NEEDED", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = sin c; q = add p, d; yield q, d }", "1, 2",
	        "vjp x, y", false},
	    {"CARRY_NEEDED", "x: f64[], y: f64[]", "y1 = for (x) trip=2 { params i, c; p = mul c, y; yield p }", "1, 2",
	        "vjp y", true},
	    {"CARRY_NEEDED", "x: f64[], y: f64[]", "y1 = for (x) trip=2 { params i, c; p = mul c, y; yield p }", "1, 2",
	        "vjp x", false},
	    {"ROW_NEEDED", "x: f64[], r: f64[2]",
	        "y1 = scan (x, r) trip=2 carries=1 { params c, d; p = mul c, d; yield p }", "1, [2, 3]", "vjp x", true},
	    {"ROW_NEEDED", "x: f64[], r: f64[2]",
	        "y1 = scan (x, r) trip=2 carries=1 { params c, d; p = add c, d; yield p }", "1, [2, 3]", "vjp x, r",
	        false},
	    {"INTEGER_CARRY_NEEDED", "x: f64[3], k: i64[]",
	        "m, y1 = for (k, x) trip=2 { params i, n, c; g = gather c, n axis=0 mode=clip; d = mul c, g; "
	        "yield n, d }",
	        "[1, 2, 3], 1", "vjp x", true},
	    {"INTEGER_CARRY_NEEDED", "x: f64[3], k: i64[]",
	        "m, y1 = for (k, x) trip=2 { params i, n, c; g = gather c, i axis=0 mode=clip; d = mul c, g; "
	        "yield n, d }",
	        "[1, 2, 3], 1", "vjp x", false},
	    {"COUNT_BELOW_CAP", "x: f64[], k: i64[]", "y1 = for (k, x) cap=3 { params i, c; d = sin c; yield d }",
	        "1, 2", "vjp x", true},
	    {"COUNT_BELOW_CAP", "x: f64[], k: i64[]", "y1 = for (k, x) cap=3 { params i, c; d = sin c; yield d }",
	        "1, 3", "vjp x", false},
	    {"CASTS_BY_INTEGER", "x: f64[]", "k = cast x dtype=i64; y1 = cast k dtype=f64", "1.5", "the primal alone",
	        true},
	    {"CASTS_BY_INTEGER", "x: f64[]", "k = cast x dtype=i64; y1 = cast k dtype=f32", "1.5", "the primal alone",
	        false},
	    {"CASTS_TO_INTEGER", "x: f64[]", "y1 = cast x dtype=i64", "1.5", "the primal alone", true},
	    {"CASTS_TO_INTEGER", "x: f64[]", "y1 = cast x dtype=f32", "1.5", "the primal alone", false},
	    {"feeds reverse sin", "x: f64[2]", "r = reverse x axes=[0]; y1 = sin r", "[1, 2]", "the primal alone",
	        true},
	    {"feeds sin reverse", "x: f64[2]", "r = reverse x axes=[0]; y1 = sin r", "[1, 2]", "the primal alone",
	        false},
	    {"SLICE_RUNS_LONGER", "k: i64[], x: f64[]", "y1 = for (k, x) cap=3 { params i, c; d = sin c; yield d }",
	        "[1, 2], 0.5", "batch k; 2 slices", true},
	    {"SLICE_RUNS_LONGER", "k: i64[], x: f64[]", "y1 = for (k, x) cap=3 { params i, c; d = sin c; yield d }",
	        "[2, 1], 0.5", "batch k; 2 slices", false},
	    {"SHARED_EARLIER", "x: f64[], z: f64[]", "a = sin x; y1 = add x, z", "1, 2", "vjp", false},
	    {"SHARED_EARLIER", "x: f64[], z: f64[]", "a = sin x; b = add x, z; y1 = mul a, b", "1, 2", "vjp", true},
	    {"shares-earlier sin", "x: f64[], z: f64[]", "a = sin x; b = add x, z; y1 = mul a, b", "1, 2", "vjp",
	        false},
	    {"STEP_FEEDS_BACK", "x: f64[], z: f64[]", "y1 = for (x) trip=2 { params i, c; d = add c, z; yield d }",
	        "1, 2", "vjp", true},
	    {"STEP_FEEDS_BACK", "x: f64[], z: f64[]", "y1 = for (x) trip=2 { params i, c; d = sin z; yield d }", "1, 2",
	        "vjp", false},
	    {"APPLY_NEEDED", "x: f64[2], z: f64[]",
	        "k: i64[1] = constant [0]; y1 = scatter_apply x, k axis=0 mode=clip { params e; p = mul e, z; "
	        "yield p }",
	        "[1, 2], 3", "vjp x, z", true},
	    {"APPLY_NEEDED", "x: f64[2], z: f64[]",
	        "k: i64[1] = constant [0]; y1 = scatter_apply x, k axis=0 mode=clip { params e; p = mul e, z; "
	        "yield p }",
	        "[1, 2], 3", "vjp x", false},
	    {"LOOP_CAPTURE_LATER", "x: f64[], y: f64[]",
	        "l = for (y) trip=2 { params i, c; p = mul c, x; yield p }; y1 = mul l, x", "1, 2", "vjp x, y", true},
	    {"LOOP_CAPTURE_LATER", "x: f64[], y: f64[]",
	        "s = sin x; y1 = for (s) trip=2 { params i, c; p = mul c, x; yield p }", "1, 2", "vjp x, y", false},
	    {"LOOP_CAPTURE_LATER", "x: f64[], y: f64[]",
	        "y1 = for (y) trip=2 { params i, c; p = for (c) trip=2 { params k, d; e = mul d, x; yield e }; "
	        "yield p }",
	        "1, 2", "vjp x, y", true},
	    {"LOOP_CAPTURE_LATER", "x: f64[], y: f64[]",
	        "y1 = for (y) trip=1 { params i, c; p = for (c) trip=2 { params k, d; e = mul d, x; yield e }; "
	        "yield p }",
	        "1, 2", "vjp x, y", false},
	    {"ELEMENTWISE_WITH_ITSELF", "x: f64[]", "y1 = div x, x", "1", "vjp x", true},
	    {"ELEMENTWISE_WITH_ITSELF", "x: f64[2]", "y1 = concatenate x, x axis=0", "[1, 2]", "vjp x", false},
	    {"AXIS_STRETCHED", "x: f64[1], y: f64[2]", "y1 = mul x, y", "[1], [1, 2]", "vjp x", true},
	    {"AXIS_STRETCHED", "x: f64[1], y: f64[2]", "y1 = mul x, y", "[1], [1, 2]", "vjp y", false},
	    {"AXIS_STRETCHED", "x: f64[], y: f64[2]", "y1 = mul x, y", "1, [1, 2]", "vjp x", false},
	    {"AXIS_STRETCHED", "x: f64[1]", "y1 = broadcast_to x shape=[2, 3]", "[1]", "vjp x", true},
	    {"SLICES_APART", "x: f64[3]",
	        "p = slice x start=[0] size=[2]; q = slice x start=[1] size=[2]; y1 = add p, q", "[1, 2, 3]", "vjp x",
	        true},
	    {"SLICES_APART", "x: f64[3]",
	        "p = slice x start=[1] size=[2]; q = slice x start=[1] size=[2]; y1 = add p, q", "[1, 2, 3]", "vjp x",
	        false},
	    {"SLICE_PATHS_DIFFER", "x: f64[]",
	        "q = gt x, 0; y1 = cond q { s = cos x; yield s } else { t = sin x; yield t }", "[1, -2]",
	        "batch x; 2 slices", true},
	    {"SLICE_PATHS_DIFFER", "x: f64[]",
	        "q = gt x, 0; y1 = cond q { s = cos x; yield s } else { t = sin x; yield t }", "[1, 2]",
	        "batch x; 2 slices", false},
	    {"CASTS_NARROWER", "x: f64[]", "y1 = cast x dtype=f32", "1", "vjp x", true},
	    {"CASTS_NARROWER", "x: f32[]", "y1 = cast x dtype=f64", "1", "vjp x", false},
	    {"CASTS_WIDER", "x: f32[]", "y1 = cast x dtype=f64", "1", "vjp x", true},
	    {"CASTS_WIDER", "x: f64[]", "y1 = cast x dtype=f32", "1", "vjp x", false},
	    {"CARRIES_CROSS", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = mul c, d; yield p, d }", "1, 2", "vjp x, y", true},
	    {"CARRIES_CROSS", "x: f64[], y: f64[]",
	        "y1, y2 = for (x, y) trip=2 { params i, c, d; p = mul c, c; yield p, d }", "1, 2", "vjp x, y", false},
	    {"BRANCH_CHANGES", "x: f64[]",
	        "y1 = for (x) trip=2 { params i, c; q = gt c, 0.9; "
	        "b = cond q { s = sin c; yield s } else { yield c }; yield b }",
	        "1", "vjp x", true},
	    {"BRANCH_CHANGES", "x: f64[]",
	        "y1 = for (x) trip=1 { params i, c; q = gt c, 0.9; "
	        "b = cond q { s = sin c; yield s } else { yield c }; yield b }",
	        "1", "vjp x", false},
	    {"BRANCH_HANDS_ON", "x: f64[]", "q = gt x, 0; y1 = cond q { yield x } else { s = sin x; yield s }", "1",
	        "vjp x", true},
	    {"BRANCH_HANDS_ON", "x: f64[]", "q = gt x, 0; y1 = cond q { yield x } else { s = sin x; yield s }", "-1",
	        "vjp x", false},
	    {"CAPTURES_SEVERAL", "x: f64[], y: f64[]",
	        "y1 = for (1) trip=2 { params i, c; p = mul x, y; q = add p, c; yield q }", "1, 2", "vjp x, y", true},
	    {"CAPTURES_SEVERAL", "x: f64[], y: f64[]", "y1 = for (y) trip=2 { params i, c; p = mul x, c; yield p }",
	        "1, 2", "vjp x, y", false},
	    {"VIEWS_SEVERAL", "x: f64[2]", "p = reverse x axes=[0]; q = reshape x shape=[2]; y1 = add p, q", "[1, 2]",
	        "vjp x", true},
	    {"VIEWS_SEVERAL", "x: f64[2]", "p = reverse x axes=[0]; q = reshape p shape=[2]; y1 = add p, q", "[1, 2]",
	        "vjp x", false},
	    {"USES_OVER_TWO", "x: f64[]", "p = add x, x; y1 = add p, x", "1", "vjp x", true},
	    {"USES_OVER_TWO", "x: f64[]", "y1 = add x, x", "1", "vjp x", false},
	    {"repeats mul", "x: f64[]", "y1 = mul x, x", "0.5", "vjp x", true},
	    {"repeats mul", "x: f64[]", "s = sin x; y1 = mul s, x", "0.5", "vjp x", false},
	    {"STEP_DEPENDS", "x: f64[]", "y1 = for (x) trip=3 { params i, c; p = mul c, x; yield p }", "0.5", "vjp x",
	        true},
	    {"STEP_DEPENDS", "x: f64[]", "y1 = for (x) trip=3 { params i, c; p = mod c, x; yield p }", "1.7", "vjp x",
	        true},
	    {"STEP_DEPENDS", "x: f64[]", "y1 = for (x) trip=3 { params i, c; s = ceil c; p = mul s, x; yield p }",
	        "0.5", "vjp x", false},
	    {"STEP_DEPENDS", "x: f64[]",
	        "y1 = for (x) trip=3 { params i, c; p = for (c) trip=2 { params k, d; e = mul d, x; yield e }; "
	        "yield p }",
	        "0.5", "vjp x", true},
	    {"STEP_DEPENDS", "x: f64[]",
	        "y1 = for (x) trip=3 { params i, c; p = for (c) trip=0 { params k, d; e = mul d, x; yield e }; "
	        "yield p }",
	        "0.5", "vjp x", false},
	    {"APPLY_NONLINEAR", "x: f64[2]",
	        "i: i64[1] = constant [0]; y1 = scatter_apply (x, i) axis=0 mode=clip { params u; "
	        "v = mul u, u; yield v }",
	        "[1,2]", "vjp x", true},
	    {"APPLY_NONLINEAR", "x: f64[2]",
	        "i: i64[1] = constant [0]; y1 = scatter_apply (x, i) axis=0 mode=clip { params u; "
	        "v = add u, 1; yield v }",
	        "[1,2]", "vjp x", false},
	    {"TRIPS_OVER_FOUR", "x: f64[]", "y1 = for (x) trip=5 { params i, c; s = sin c; yield s }", "1", "vjp x",
	        true},
	    {"TRIPS_OVER_FOUR", "x: f64[]", "y1 = for (x) trip=4 { params i, c; s = sin c; yield s }", "1", "vjp x",
	        false},
	    {"TIES_OVER_TWO", "x: f64[4]", "y1 = reduce_max x axes=[0]", "[2, 1, 2, 2]", "vjp x", true},
	    {"TIES_OVER_TWO", "x: f64[4]", "y1 = reduce_max x axes=[0]", "[1, 1, 1, 2]", "vjp x", false},
	    {"TIES_OVER_TWO", "x: f64[2,2]", "y1 = reduce_max x axes=[0]", "[2, 2, 2, 1]", "vjp x", false},
	    {"OPERANDS_EQUAL", "x: f64[], y: f64[]", "y1 = mul x, y", "2, 2", "vjp x, y", true},
	    {"OPERANDS_EQUAL", "x: f64[], y: f64[]", "y1 = mul x, y", "2, 3", "vjp x, y", false},
	    {"RANK_ZERO_SPREAD", "x: f64[], y: f64[2]", "y1 = mul x, y", "2, [1, 2]", "vjp x, y", true},
	    {"RANK_ZERO_SPREAD", "x: f64[], y: f64[2]", "y1 = mul x, y", "2, [1, 2]", "vjp y", false},
	    {"PLAIN_SPREAD", "x: f64[], y: f64[2]", "y1 = mul x, y", "2, [1, 2]", "vjp y", true},
	    {"MATRIX_SHARED", "x: f64[2,2], y: f64[3,2,2]", "y1 = matmul y, x",
	        "[1, 2, 3, 4], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]", "vjp x", true},
	    {"MATRIX_SHARED", "x: f64[2,2], y: f64[3,2,2]", "y1 = matmul y, x",
	        "[1, 2, 3, 4], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]", "vjp y", false},
	    {"START_CLAMPED", "x: f64[3]", "at: i64[1] = constant [2]; y1 = dynamic_slice x, at size=[2]", "[1, 2, 3]",
	        "vjp x", true},
	    {"START_CLAMPED", "x: f64[3]", "at: i64[1] = constant [1]; y1 = dynamic_slice x, at size=[2]", "[1, 2, 3]",
	        "vjp x", false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("mechanisms: %s %s", rows[i].feature, rows[i].body))
			continue;
		struct testcase c;

		arena_reset(a);
		c = test_case(a,
		    arena_printf(a, "inputs %s\n%s\nreturn y1\npoint %s\nrequest: %s\n", rows[i].inputs, rows[i].body,
		        rows[i].point, rows[i].request));
		CHECK(has(facts_of(&c, a), rows[i].feature) == rows[i].has, "%s", rows[i].body);
	}
}

/* Two points of one program take the same branch, or do not. */
static void test_points(struct arena *a)
{
	for (int same = 0; same < 2; same++) {
		struct testcase c = test_case(a,
		    arena_printf(a,
		        "inputs x: f64[]\nq = gt x, 0\ny = cond q { yield x } else { s = sin x; yield s }\nreturn y\n"
		        "point 1\npoint %s\nrequest: vjp x\n",
		        same ? "2" : "-2"));

		CHECK(has(facts_of(&c, a), "PATHS_DIFFER") == !same, "%d", same);
	}
}

/* The same program with its inputs all x: what is executed and taken is the same, or not. */
static void test_paths(struct arena *a)
{
	static const struct {
		const char *file;
		double x;
		bool same;
	} rows[] = {
	    {"inductor-double-add", 2, true},
	    {"norm-at-zero-loser", 3, false},
	    {"mlx-max-sqrt-nan", 0.25, false},
	    {"warp-copy-assign", -7, true},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("paths: %s", rows[i].file))
			continue;
		struct testcase c, other;

		arena_reset(a);
		if (!read_zoo(rows[i].file, &c, a))
			continue;
		other = testcase_copy(&c, a);
		for (int k = 0; k < c.program.top.n_param; k++)
			for (int j = 0; j < shape_elements(&other.point[0][k].type.shape); j++)
				other.point[0][k].at[j].f = rows[i].x;
		CHECK(facts_same_path(facts_of(&c, a), facts_of(&other, a)) == rows[i].same, "%s at %g", rows[i].file,
		    rows[i].x);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 28);
	test_zoo(&a);
	test_mechanisms(&a);
	CHECK_LAW(test_points(&a));
	test_paths(&a);
	arena_free(&a);
	return check_done();
}

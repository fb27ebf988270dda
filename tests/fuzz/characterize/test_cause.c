/* The paragraph on the cause: which operand is wrong, in words, and how. */
#include "fuzz/characterize/characterize.h"
#include "fuzz/characterize/lab.h"

#include <limits.h>
#include <string.h>

#include "tests/check.h"
#include "tests/support/case_text.h"

static const struct row {
	const char *engine, *smallest; /* a case, or a file of one */
	const char *says;              /* how the paragraph begins */
	const char *further;           /* what it says too, or where it departs; NULL: nothing else is looked for */
	const char *experiments;
} rows[] = {
    {"tape+scale:clamp.b:0", "inputs x: f64[]\ny = clamp 1, x, 3\nreturn y\npoint 2\nrequest: vjp x\n",
        "The gradient with respect to the lower bound of clamp is dropped: it is 0."},
    {"tape+scale:div.a:-1", "inputs x: f64[]\ny = div x, x\nreturn y\npoint 0.5\nrequest: vjp x\n",
        "The gradient with respect to the numerator of div has the wrong sign."},
    {"forward+scale:mul:1.5", "inputs x: f64[]\ny = mul x, x\nreturn y\npoint 0.5\nrequest: jvp x\n",
        "The derivatives with respect to the operands of mul are 1.5 times what they should be."},
    {"forward+scale:mul:1.5", "inputs x: f64[]\ny = mul x, x\nreturn y\npoint 0.5\nrequest: jvp x\n",
        "The derivatives with respect to the operands of mul are 1.5 times what they should be.",
        "It needs no further condition: all ", "contributions,values,sizes"},
    {"functional+jax-scan-xs-zero",
        "inputs x: f64[1]\ny = scan (x) trip=1 carries=0 { params r; yield r }\nreturn y\n"
        "point [0.5]\nrequest: vjp x\n",
        "The gradient with respect to the per-iteration input of scan is dropped: it is 0."},
    {"tape+torch-gather-dup",
        "inputs x: f64[1]\nat: i64[2] = constant [0, 0]\ny = gather x, at axis=0 mode=clip\nreturn y\npoint [0.5]\n"
        "request: vjp x\n",
        "The gradient with respect to the indexed tensor of gather is", "It fails only if an index occurs twice"},
    {"tape+mxnet-pad-ones",
        "inputs x: f64[]\ny = pad x, x low=[] high=[]\nreturn y\npoint 0.5\nrequest: vjp with respect to x; cotangents "
        "0\n",
        "The gradient with respect to the padded tensor of pad is"},
    {"functional+residual-fifo",
        "inputs x: f64[]\ny = for (x) trip=2 { params i, c; p = mul c, x; "
        "yield p }\nreturn y\npoint 0.5\nrequest: vjp x\n",
        "The gradient with respect to the value captured by the body of for is wrong.",
        "It is right with fewer than 2 iterations of the loop, and wrong from 2 on.", "contributions,trips"},
    {"tape+iron-vector-tail", "corpus/zoo/iron-vector-tail-67.json",
        "The gradients with respect to the operands of mul are partly dropped",
        "It is right with fewer than 65 elements along an axis, and wrong from 65 on, unless their number is a "
        "multiple of 8.",
        "contributions,extents"},
    {"tape+fuser-matmul-tile", "corpus/zoo/fuser-matmul-tile-0.json",
        "The gradient with respect to the left matrix of matmul is partly dropped",
        "It is right with fewer than 33 elements along an axis, and wrong from 33 on, unless their number is a "
        "multiple of 16.",
        "contributions,extents"},
    {"functional+llmc-bias-halving", "corpus/zoo/llmc-bias-halving-257.json",
        "The gradient with respect to the first operand of mul is",
        "It is right with fewer than 257 elements along an axis, and wrong from 257 on, but right with 512.",
        "contributions,extents"},
    {"functional+taichi-adstack-ring",
        "inputs x: f64[]\ny = for (x) trip=513 { params i, c; p = mul c, x; "
        "yield p }\nreturn y\npoint 0.5\nrequest: vjp x\n",
        "The gradient with respect to the value captured by the body of for is wrong.",
        "It is right with fewer than 513 iterations of the loop, and wrong from 513 on.", "contributions,trips"},
    {"tape+warp-copy-assign", "corpus/zoo/warp-copy-assign.json", "The gradient of",
        "It fails where the operand of reshape is used elsewhere too",
        "contributions,ops,sizes,attributes,drawn,neighbours"},
    {"functional+swift-nonactive-init", "corpus/zoo/swift-nonactive-init.json",
        "The gradient with respect to the value captured by the body of for is 0.5 times",
        "Of what the value captured by the body of for gets, only the part of iterations before the last is wrong.",
        "contributions,iterations"},
    {"functional+swift-nonactive-init",
        "inputs x: f64[2]\none: f64[] = constant 1\ny = scan (one, x) trip=2 carries=1 { params c, r; s = add r, c; "
        "yield s }\nreturn y\npoint [0.5, 0.5]\nrequest: vjp x\n",
        "The gradient with respect to the per-iteration input of scan is partly dropped",
        "Of the per-iteration input of scan, only iterations before the last are wrong.", "contributions,positions"},
    {"functional+customjvp-unbroadcast", "corpus/zoo/customjvp-unbroadcast-functional.json",
        "The gradient with respect to the second operand of mul is wrong.", "The same happens with add, sub,",
        "contributions,relatives"},
    {"tape+iron-vector-tail", "corpus/zoo/iron-vector-tail-67.json",
        "The gradients with respect to the operands of mul are partly dropped",
        "The same happens with add in place of mul.", "contributions,relatives"},
    {"tape+torch-gather-dup", "corpus/zoo/torch-gather-dup.json",
        "The gradient with respect to the indexed tensor of gather is",
        "Programs of take_along_axis without gather fail too.", "contributions,relatives"},
    {"forward+adolc-fmax-tie",
        "inputs x: f64[2]\ny = max x, x\nreturn y\npoint [0.5, 0.25]\nrequest: jvp with respect to x; tangents "
        "[1, 0]\n",
        "The derivative", "where a maximum, minimum or clamp is at a tie",
        "contributions,values,sizes,drawn,neighbours"},
    {"aot+jax-vmap-clip-oob", "corpus/zoo/jax-vmap-clip-oob.json", "The batched gradient of gather is wrong.",
        "It fails only in a batch: each slice alone is right.", "contributions,batches"},
    {"functional+mxnet-foreach-null",
        "inputs x: f64[]\none = constant 1\nu, y = for (one, x) trip=2 { params i, c, d; p = mul d, d; yield c, p }\n"
        "return y\npoint 0.5\nrequest: vjp x\n",
        "The gradient", "with the first two carries of for exchanged, the same program is right.",
        "contributions,carries"},
    {"checkpointed+reactant-ckpt-index", "corpus/zoo/reactant-ckpt-index.json", "The gradient",
        "The iteration number matters: where for has a carry that counts the iterations, the same program is right.",
        "contributions,carries"},
    {"tape+scale:gather:1.5",
        "inputs x: f64[2]\nat: i64[] = constant -1\ny = gather x, at axis=0 mode=wrap\nreturn y\npoint [0.5, 0.75]\n"
        "request: vjp x\n",
        "The gradient with respect to the indexed tensor of gather is", "all 26 variants fail",
        "contributions,integers"},
    {"functional+paddle-while-lastval",
        "inputs x: f64[]\ny = for (x) trip=3 { params i, c; p = mul c, c; yield p }\nreturn y\npoint 0.5\n"
        "request: vjp x\n",
        "The gradient with respect to the value captured by the body of for is wrong.",
        "Where all other iterations only add a number, the derivative is wrong in iterations before the last alone.",
        "contributions,single_steps"},
    {"functional+paddle-while-lastval",
        "inputs x: f64[3]\ny, s = scan (1, x) trip=3 carries=1 { params c, r; p = mul c, r; yield p, c }\nreturn y\n"
        "point [0.5, 0.75, 2]\nrequest: vjp x\n",
        "The gradient with respect to the per-iteration input of scan is",
        "Where all other iterations only add a number, the derivative is wrong in iterations before the last alone.",
        "contributions,single_steps"},
    {"functional+jax-scan-xs-zero",
        "inputs x: f64[1]\ny = scan (x) trip=1 carries=0 { params r; yield r }\nreturn y\n"
        "point [0.5]\nrequest: vjp x\n",
        "The gradient with respect to the per-iteration input of scan is dropped: it is 0.",
        "A small loop fails only with respect to its per-iteration input.", "contributions,small_loops"},
    {"functional+theano-until-tail", "corpus/zoo/theano-until-tail.json",
        "The gradients with respect to the per-iteration input of scan",
        "A small loop fails only as scan, where it ends before its limit.", "contributions,small_loops"},
    {"functional+residual-fifo",
        "inputs x: f64[]\ny = for (x) trip=2 { params i, c; p = mul c, x; "
        "yield p }\nreturn y\npoint 0.5\nrequest: vjp x\n",
        "The gradient with respect to the value captured by the body of for is wrong.",
        "Small loops of each kind fail: for, while and scan.", "contributions,small_loops"},
    {"compiled+inductor-slice-scatter",
        "inputs x: f64[1]\nc: f64[2] = constant [1, 1]\ny = slice_scatter c, x start=[0] stride=[1]\nreturn y\n"
        "point [0.5]\nrequest: the primal alone\n",
        "The value of slice_scatter is wrong, before any derivative.",
        "where the overwritten tensor of slice_scatter is a broadcast, or a constant of equal elements",
        "sizes,attributes,alone,drawn,neighbours"},
    {"compiled+inductor-indexput-expand",
        "inputs x: f64[]\nb: f64[2] = broadcast_to x shape=[2]\nat: i64[1] = constant [0]\nc: f64[1] = constant [2]\n"
        "y = scatter_set b, at, c axis=0 mode=clip\nreturn y\npoint 0.5\nrequest: the primal alone\n",
        "The value of broadcast_to and scatter_set is wrong, before any derivative.",
        "It fails where the scattered-into tensor of scatter_set is a broadcast, or a constant of equal elements.",
        "sizes,attributes,alone,drawn,neighbours"},
    {"compiled+mutant:109", /* cse does not compare attributes */
        "inputs x: f64[2]\nu = reverse x axes=[0]\ny = reverse u axes=[0]\nreturn y\npoint [0.5, 2]\n"
        "request: the primal alone\n",
        "The value of reverse is wrong, before any derivative.",
        "where reverse goes along an axis of several elements, along which another reverse makes its operand",
        "sizes,attributes,alone,drawn,neighbours"},
    {"compiled+inductor-slice-scatter",
        "inputs x: f64[1]\ns = sin x\nc: f64[2] = constant [1, 1]\nu = slice_scatter c, s start=[0] stride=[1]\n"
        "y = cos u\nreturn y\npoint [0.5]\nrequest: vjp x\n",
        "The value of ",
        "Walking forward from the inputs, slice_scatter is the first node whose results are wrong; the nodes before it",
        "cuts"},
    {"tape+wrong-dtype", "inputs x: f64[]\ny = mul x, x\nreturn y\npoint 0.5\nrequest: vjp x\n",
        "The engine's answer about mul has the wrong dtype."},
};

/* Whether a failure depends on the dtype: one that is right must have as many digits as one that is wrong. */
static void test_dtypes(void)
{
	static const struct {
		const char *fails, *passes;
		bool decides;
	} of_dtypes[] = {
	    {"f32", "f64", true},
	    {"bf16", "f16", true},
	    {"f64", "f32", false},
	    {"f64", NULL, false},
	};

	for (size_t i = 0; i < sizeof of_dtypes / sizeof *of_dtypes; i++) {
		const char *cell[] = {of_dtypes[i].fails, of_dtypes[i].passes};
		struct variant_row row[] = {
		    {.cell = &cell[0], .decided = true, .fails = true}, {.cell = &cell[1], .decided = true}};
		struct variant_table t = {.id = "dtypes", .n_column = 1, .row = row, .n_row = cell[1] ? 2 : 1};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {.out = &out};

		CHECK(lab_dtype_decides(&l) == of_dtypes[i].decides, "%s", cell[0]);
	}
}

/* Which verdicts about variants say something about a finding. */
static void test_kinds(void)
{
	static const struct {
		enum verdict finding, variant;
		bool decides;
	} of_rows[] = {
	    {VERDICT_WRONG, VERDICT_AGREE, true},
	    {VERDICT_WRONG, VERDICT_UNDECIDED, false},
	    {VERDICT_WRONG, VERDICT_UNSUPPORTED, false},
	    {VERDICT_WRONG, VERDICT_NAN_LEAK, true},
	    {VERDICT_WRONG, VERDICT_WRONG_PRIMAL, true},
	    {VERDICT_WRONG, VERDICT_PROTOCOL, false},
	    {VERDICT_WRONG, VERDICT_BAD_DTYPE, false},
	    {VERDICT_PROTOCOL, VERDICT_PROTOCOL, true},
	    {VERDICT_PROTOCOL, VERDICT_WRONG, false},
	    {VERDICT_PROTOCOL, VERDICT_AGREE, true},
	};

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		const struct lab l = {.finding = {.verdict = of_rows[i].finding}};

		CHECK(lab_decides(&l, of_rows[i].variant) == of_rows[i].decides, "%s, %s",
		    verdict_names[of_rows[i].finding], verdict_names[of_rows[i].variant]);
	}
}

/* Derivatives that are all 0 hide a wrong derivative, but no wrong value. */
static void test_silent(struct arena *a)
{
	static const struct {
		const char *request;
		int n_derivative;
		struct component number; /* of the derivative */
		enum verdict verdict;
		bool silent;
	} of_rows[] = {
	    {"vjp", 1, {.value = 0}, VERDICT_WRONG, true},
	    {"vjp", 1, {.value = 2}, VERDICT_WRONG, false},
	    {"vjp", 1, {.value = 2, .loose = 1}, VERDICT_WRONG, true},
	    {"vjp", 1, {.value = 2, .reason = REASON_JUMP}, VERDICT_WRONG, true},
	    {"vjp", 1, {.value = 0}, VERDICT_WRONG_PRIMAL, false},
	    {"batch x; 2 slices", 0, {.value = 0}, VERDICT_WRONG_PRIMAL, false},
	    {"batch x; 2 slices", 0, {.value = 0}, VERDICT_WRONG, false},
	    {"", 0, {.value = 0}, VERDICT_WRONG_PRIMAL, false},
	};

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		const bool batched = strstr(of_rows[i].request, "batch") != NULL;
		const struct testcase c = test_function(
		    a, "x: f64[]", "y = sin x", batched ? "[1, 2]" : "1", of_rows[i].request);
		struct component number = of_rows[i].number;
		struct truth_tensor derivative = {.at = &number}, *assignment[] = {&derivative};
		struct truth_point point = {
		    .n_assignment = 1, .n_derivative = of_rows[i].n_derivative, .derivative = assignment};
		const struct truth t = {.n_point = 1, .point = &point};
		const struct lab l = {.finding = {.verdict = of_rows[i].verdict}};

		CHECK(lab_is_silent(&l, &c, &t) == of_rows[i].silent, "%s", of_rows[i].request);
	}
}

/* Equal elements hide which one was read. */
static void test_places(struct arena *a)
{
	static const struct {
		const char *inputs, *body, *point;
		bool hides;
	} of_rows[] = {
	    {"x: f64[2]", "y = reverse x axes=[0]", "[2, 2]", true},
	    {"x: f64[2]", "y = reverse x axes=[0]", "[2, 3]", false},
	    {"x: f64[2]", "y = sin x", "[2, 2]", false},
	    {"x: f64[3]", "y = reverse x axes=[0]", "[2, 2, 3]", true},
	    {"x: f64[]", "c = constant [2, 2, 3]\ny = reverse c axes=[0]", "2", true},
	    {"x: f64[]", "c = constant [1, 2, 3]\ny = reverse c axes=[0]", "2", false},
	    {"x: f64[]", "y = reshape x shape=[1]", "2", false},
	    {"x: f64[2], z: f64[2]", "r = reverse x axes=[0]\ny = add r, z", "[2, 2], [2, 3]", false},
	    {"x: f64[2], z: f64[2]", "y = reverse x axes=[0]", "[2, 2], [2, 3]", true},
	};

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		const struct testcase c = test_function(a, of_rows[i].inputs, of_rows[i].body, of_rows[i].point, "");
		const struct lab l = {.finding = {.verdict = VERDICT_WRONG_PRIMAL}};

		CHECK(lab_hides_places(&c) == of_rows[i].hides, "%s at %s", of_rows[i].body, of_rows[i].point);
		CHECK(lab_is_silent(&l, &c, &(struct truth){0}) == of_rows[i].hides, "%s at %s", of_rows[i].body,
		    of_rows[i].point);
	}
}

/* Where nearly all variants fail, the attributes with which it is right are told. */
static void test_attributes(struct arena *a)
{
	static const struct {
		const char *name, *axis;
		bool fails;
		double expected;
		const char *says;
	} of_rows[] = {
	    {"an axis that is right", "axis 1", false, 2, "19 of 20 variants fail. It is right with cumsum axis 1."},
	    {"an axis that is wrong too", "axis 1", true, 2, "It needs no further condition: 19 of 20 variants fail."},
	    {"an axis that fails with another rank", "axis 0", false, 2, "It needs no further condition"},
	    {"an axis that shows nothing", "axis 1", false, 0, "It needs no further condition"},
	};
	const struct testcase c = test_function(a, "x: f64[2]", "y = cumsum x axis=0", "[1, 2]", "");

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		const char *first[] = {"cumsum", "axis 0", "as it is"},
		           *second[] = {"cumsum", of_rows[i].axis, "behind"};
		struct variant_row row[] = {
		    {.cell = first, .decided = true, .fails = true, .of = "result 0", .expected = 1},
		    {.cell = second,
		        .decided = true,
		        .fails = of_rows[i].fails,
		        .of = "result 0",
		        .expected = of_rows[i].expected}};
		struct variant_table t = {.id = "attributes", .n_column = 3, .row = row, .n_row = 2};
		struct condition told = {.always = true, .failing = 19, .passing = 1};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {.out = &out, .base = &c, .typical = &c, .told = &told, .arena = a};

		if (!row_wanted("%s", of_rows[i].name))
			continue;
		lab_tell_cause(&l);
		CHECK(strstr(out.cause, of_rows[i].says), "%s: %s", of_rows[i].name, out.cause);
	}
}

/* What is asked about where there are no ops. */
static void test_no_ops(struct arena *a)
{
	static const struct {
		const char *smallest, *typical, *says;
	} of_rows[] = {
	    {"inputs x: f64[]\nreturn x\npoint 1\nrequest: vjp x\n", NULL, "an input that is a result"},
	    {"inputs x: f64[]\nc = constant 1\nreturn c\npoint 1\nrequest: vjp x\n", NULL,
	        "a constant that is a result"},
	    {"inputs x: f64[]\nc = constant 1\nreturn c\npoint 1\nrequest: vjp x\n",
	        "inputs x: f64[]\nreturn x\npoint 1\nrequest: vjp x\n", "an input or a constant that is a result"},
	    {"inputs x: f64[]\nc = constant 1\nreturn c\npoint 1\nrequest: vjp x\n",
	        "inputs x: f64[]\ny = sin x\nreturn y\npoint 1\nrequest: vjp x\n", "a constant that is a result"},
	};

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		const struct testcase smallest = test_case(a, of_rows[i].smallest),
		                      typical = of_rows[i].typical ? test_case(a, of_rows[i].typical) : smallest;
		struct characterization out = {0};
		struct lab l = {.out = &out,
		    .base = &smallest,
		    .typical = &typical,
		    .finding = {.verdict = VERDICT_PROTOCOL},
		    .arena = a};

		if (!row_wanted("%s", of_rows[i].says))
			continue;
		lab_tell_cause(&l);
		CHECK(strstr(out.cause, of_rows[i].says), "%s: %s", of_rows[i].says, out.cause);
	}
}

/* Which ops a wrong value is told of: not those in whose place others fail too. */
static void test_named(struct arena *a)
{
	static const struct {
		const char *name, *other;
		bool fails;
		const char *says;
	} of_rows[] = {
	    {"any comparison", "ge", true, "The value of while is wrong, before any derivative."},
	    {"one comparison", "ge", false, "The value of while and gt is wrong, before any derivative."},
	};
	const struct testcase c = test_function(a, "x: f64[]",
	    "y = while (x) cap=2 {\n  params c\n  p = gt x, c\n  yield p\n} do {\n  params d\n  yield x\n}", "1", "");

	for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
		const char *cell[] = {"1", "gt", of_rows[i].other};
		struct variant_row row = {.cell = cell, .decided = true, .fails = of_rows[i].fails, .of = "result 0"};
		struct variant_table t = {.id = "ops", .n_column = 3, .row = &row, .n_row = 1};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {
		    .out = &out, .base = &c, .typical = &c, .finding = {.verdict = VERDICT_WRONG_PRIMAL}, .arena = a};

		if (!row_wanted("%s", of_rows[i].name))
			continue;
		lab_tell_cause(&l);
		CHECK(strstr(out.cause, of_rows[i].says), "%s: %s", of_rows[i].name, out.cause);
	}
}

/* Ops that nearly any others may replace are examples. */
static void test_examples(struct arena *a)
{
	enum { ROWS = 10 };
	const struct testcase c = test_function(a, "x: f64[]", "s = sin x\ny = add x, s", "1", "vjp; then vjp");

	for (int fails = 0; fails < 2; fails++) {
		struct variant_row row[ROWS] = {{0}};
		struct variant_table t = {.id = "ops", .n_column = 3, .row = row, .n_row = ROWS};
		struct characterization out = {.n_table = 1, .table = &t};
		struct lab l = {
		    .out = &out, .base = &c, .typical = &c, .finding = {.verdict = VERDICT_WRONG}, .arena = a};

		for (int i = 0; i < ROWS; i++)
			row[i] = (struct variant_row){
			    .cell = (const char **)(uintptr_t)(i % 2 ? (const char *const[]){"1", "sin", "exp"}
			                                             : (const char *const[]){"1", "add", "sub"}),
			    .decided = true,
			    .fails = fails || i % 2,
			    .of = "result 0",
			    .expected = 1};
		lab_tell_cause(&l);
		CHECK(strstr(out.cause,
		          fails ? "The second derivative of operations such as sin and add is wrong."
		                : "The second derivative of add is wrong."),
		    "%s", out.cause);
	}
}

/* Where the typical case is undecided by each operand, programs of the op alone say which operand is to blame. */
static void test_alone_blames(struct arena *a)
{
	const struct testcase c = test_function(a, "x: f64[], z: f64[]", "y = clamp x, z, z", "1, 2", "vjp");
	static const char *typical[] = {"lower bound of clamp", "alone", "v1"},
	                  *alone[][2] = {{"lower bound of clamp", "0"}, {"lower bound of clamp", "1"},
	                      {"upper bound of clamp", "0"}};
	struct variant_row of_typical = {.cell = typical},
	                   of_alone[] = {{.cell = alone[0], .decided = true, .fails = true, .of = "x", .expected = 2},
	                       {.cell = alone[1], .decided = true, .fails = true, .of = "x", .expected = -1},
	                       {.cell = alone[2], .decided = true, .of = "x", .expected = 1, .returned = 1}};

	for (int fails = 1; fails >= 0; fails--) {
		struct variant_table tables[] = {{.id = "contributions", .n_column = 3, .row = &of_typical, .n_row = 1},
		    {.id = "alone", .n_column = 2, .row = of_alone, .n_row = 3}};
		struct characterization out = {.n_table = 2, .table = tables};
		struct lab l = {
		    .out = &out, .base = &c, .typical = &c, .arena = a, .finding = {.verdict = VERDICT_WRONG}};

		of_alone[0].fails = of_alone[1].fails = fails;
		lab_tell_cause(&l);
		CHECK(strstr(out.cause,
		          fails ? "lower bound of clamp is dropped: it is 0. With respect to "
		                  "the upper bound of clamp it is right."
		                : "The gradient of clamp is wrong"),
		    "%s", out.cause);
	}
}

/* An operand that is wrong is judged at other numbers too. */
static void test_other_numbers(const struct oracle_options *o, struct arena *a)
{
	static const char *const engine = "tape+scale:div.a:-1";
	const struct characterize_options only = {.experiments = "contributions"};
	const struct testcase c = test_function(a, "x: f64[], z: f64[]", "y = div x, z", "1, 2", "vjp");
	struct characterization x;
	struct error e = {0};
	struct bench b;
	int rows_alone = 0;

	CHECK(bench_open(&b, (const char *const[]){engine}, 1, o, &e), "%s", e.text);
	CHECK(characterize(&b, engine, &c, &only, a, &x, &e), "%s", e.text);
	for (int i = 0; i < x.table->n_row; i++)
		rows_alone += !strcmp(x.table->row[i].cell[0], "numerator of div") &&
		    !strcmp(x.table->row[i].cell[1], "alone");
	CHECK(rows_alone == 2, "%d rows", rows_alone);
	bench_close(&b);
}

/* In forward mode an operand is also judged while others are differentiated, with tangents of 0. */
static void test_other_tangents(const struct oracle_options *o, struct arena *a)
{
	static const char *const engine = "forward+scale:mul:1.5";
	const struct characterize_options only = {.experiments = "contributions"};
	const struct testcase c = test_function(a, "x: f64[], z: f64[]", "y = mul x, z", "3, 5", "jvp");
	struct characterization x;
	struct error e = {0};
	struct bench b;
	int rows_others = 0;

	CHECK(bench_open(&b, &engine, 1, o, &e), "%s", e.text);
	CHECK(characterize(&b, engine, &c, &only, a, &x, &e), "%s", e.text);
	for (int i = 0; i < x.table->n_row; i++) {
		const struct variant_row *r = &x.table->row[i];

		if (strcmp(r->cell[0], "first operand of mul") != 0 || strcmp(r->cell[1], "with the others") != 0)
			continue;
		rows_others++;
		CHECK(r->expected == 0.5 * 1.5 && r->fails, "%g", r->expected); /* in the typical case z is 1.5 */
	}
	CHECK(rows_others, "no row");
	bench_close(&b);
}

int main(int argc, char **argv)
{
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	struct arena a;

	check_begin(argc, argv);
	test_dtypes();
	test_kinds();
	arena_init(&a, 512 << 20);
	test_silent(&a);
	test_places(&a);
	test_attributes(&a);
	test_named(&a);
	test_no_ops(&a);
	test_examples(&a);
	test_alone_blames(&a);
	test_other_numbers(&options, &a);
	test_other_tangents(&options, &a);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct characterize_options only = {
		    .experiments = rows[i].experiments ? rows[i].experiments : "contributions"};
		struct characterization x;
		struct testcase c;
		struct error e = {0};
		struct bench b;

		if (!row_wanted("%s", rows[i].engine))
			continue;
		if (!strstr(rows[i].smallest, ".json"))
			c = test_case(&a, rows[i].smallest);
		else if (!testcase_read_file(rows[i].smallest, &a, &c, &e)) {
			CHECK(false, "%s", e.text);
			continue;
		}
		if (!bench_open(&b, &rows[i].engine, 1, &options, &e)) {
			CHECK(false, "%s", e.text);
			continue;
		}
		CHECK(characterize(&b, rows[i].engine, &c, &only, &a, &x, &e), "%s", e.text);
		CHECK(x.cause && !strncmp(x.cause, rows[i].says, strlen(rows[i].says)), "%s: %s", rows[i].engine,
		    x.cause ? x.cause : "nothing");
		CHECK(!rows[i].further || (x.cause && strstr(x.cause, rows[i].further)) ||
		        (x.departure && strstr(x.departure->sentence, rows[i].further)),
		    "%s: %s", rows[i].engine, x.cause ? x.cause : "nothing");
		bench_close(&b);
	}
	arena_free(&a);
	return check_done();
}

/* Which findings experiments join when a campaign ends, and which they leave apart. */
#include "fuzz/triage/late.h"
#include "fuzz/triage/trials.h"
#include "tests/check.h"
#include "tests/support/case_text.h"
#include "tests/support/triage_book.h"

#define REQUEST     "return y\npoint [0.5, 0.75]\nrequest: vjp\n"
#define SUM         "inputs x: f64[2]\ny = reduce_sum x axes=[0]\n" REQUEST
#define MEAN        "inputs x: f64[2]\ny = reduce_mean x axes=[0]\n" REQUEST
#define SINE        "inputs x: f64[]\ny = sin x\nreturn y\npoint 0.5\nrequest: vjp\n"
#define COSINE      "inputs x: f64[]\ny = cos x\nreturn y\npoint 0.5\nrequest: vjp\n"
#define SINE_PUSHED "inputs x: f64[]\ny = sin x\nreturn y\npoint 0.5\nrequest: jvp\n"
#define RESHAPED    "inputs x: f64[]\ny = reshape x shape=[]\nreturn x, y\npoint 0.5\nrequest: vjp\n"
#define PRODUCT     "inputs x: f64[1]\ny = matmul x, x\nreturn y\npoint [0.5]\nrequest: vjp\n"

#define FACTORS(mode) \
	"inputs x: f64[3,2]\ny = reduce_prod x axes=[0]\nreturn y\npoint [0.5, 0.75, 1.5, 2, 3, 0.25]\nrequest: " mode \
	"\n"

#define WINDOW "inputs x: f64[2], u: f64[1]\n"
#define WRITES "return y\npoint [0.5, 0.75], [0.25]\nrequest: vjp\n"
#define FIXED  WINDOW "y = slice_scatter x, u start=[1] stride=[1]\n" WRITES
#define MOVING WINDOW "at: i64[1] = constant [1]\ny = dynamic_update_slice x, u, at\n" WRITES
#define READ   "inputs x: f64[2]\ny = slice x start=[1] size=[1] stride=[1]\n" REQUEST

/* 65 elements, one more than `iron-vector-tail` is right about. */
#define FOUR    "0.5, 0.5, 0.5, 0.5, "
#define SIXTEEN FOUR FOUR FOUR FOUR
#define TAIL(op) \
	"inputs x: f64[65]\ny = " op " x, x\nreturn y\npoint [" SIXTEEN SIXTEEN SIXTEEN SIXTEEN "0.5]\nrequest: vjp\n"

/* A derivative that is 0 by definition, times an infinity and times a NaN. */
#define ZERO_INFINITE \
	"inputs x: f64[]\nc = constant 1e-200\nf = floor_divide c, x\ns = add f, c\none = constant 1\n" \
	"y = div one, s\nreturn y\npoint 0.5\nrequest: jvp\n"
#define ZERO_NAN "inputs x: f64[]\nf = floor_divide x, x\ny = pow x, f\nreturn y\npoint -2\nrequest: jvp\n"

/* A power of 0, alone and beside an unused quotient 0/0, with which 0 times infinity explains the NaN too. */
#define POWER      "inputs x: f64[]\nz = constant 0\ny = pow z, x\nreturn y\npoint 0.5\nrequest: vjp\n"
#define POWER_DEAD "inputs x: f64[]\nq = div x, x\nz = constant 0\ny = pow x, z\nreturn y\npoint 0\nrequest: vjp\n"

#define POWER_PUSHED "inputs x: f64[]\nz = constant 0\ny = pow x, z\nreturn y\npoint 0\nrequest: jvp\n"
#define POWER_BESIDE "inputs x: f64[]\nq = div x, x\nz = constant 0\ny = pow x, z\nreturn q, y\npoint 0\nrequest: jvp\n"

#define HANDED \
	"inputs x: f64[], z: f64[]\nu, y = for (x, z) trip=2 {\n  params i, c, d\n  p = mul c, d\n  yield c, p\n}\n" \
	"return y\npoint 0.5, 0.75\nrequest: vjp\n"
#define EXCHANGED(op) \
	"inputs x: f64[2]\nr = " op "\nu, y = for (x, r) trip=1 {\n  params i, c, d\n  yield d, c\n}\nreturn u, y\n" \
	"point [1, 2]\n"

#define FIXED_HANDED \
	"inputs x: f64[], z: f64[]\nu, y = fixed_point (x, z) cap=2 meaning=steps {\n  params c, d\n  p = mul c, d\n" \
	"  q: bool[] = constant false\n  yield c, p, q\n}\nreturn y\npoint 0.5, 0.75\nrequest: vjp\n"

#define DERIVED(op) \
	"v: f64[2] = constant [0.5, 0.75]\nc = constant 1.5\n" \
	"y: f64[2] = derivative (v, c) primals=1 transform=vjp {\n  params w\n  s = " op "\n  yield s\n}\n" \
	"return y\npoint\n"

#define ALL_FACTORS "inputs x: f64[2]\ny = reduce_prod x axes=[0]\n" REQUEST
#define INTO(op) \
	"inputs x: f64[2]\nat: i64[2] = constant [0, 1]\nc: f64[2] = constant [2, 3]\n" \
	"y = scatter_" op " c, at, x axis=0 mode=clip\n" REQUEST
#define FACTOR_IN INTO("mul")
#define TERM_IN   INTO("add")

#define TWICE(op) \
	"inputs x: f64[]\n" \
	"y = derivative (x, x) primals=1 transform=vjp {\n  params v\n  w = " op " v\n  u = add w, x\n  yield u\n}\n" \
	"return y\npoint 0.5\nrequest: vjp\n"
#define SQUARE_TWICE TWICE("square")
#define EXP_TWICE    TWICE("exp")

#define UNENTERED \
	"inputs x: f64[], n: i64[]\ns = square x\n" \
	"y = for (n, s) cap=1 {\n  params i, acc\n  next = mul acc, x\n  yield next\n}\n" \
	"return y\npoint 3, 0\nrequest: vjp x; then vjp x\n"
#define UNENTERED_WHILE \
	"inputs x: f64[]\ns = square x\n" \
	"y = while (s) cap=2 {\n  params c\n  p = lt c, c\n  yield p\n} do {\n" \
	"  params d\n  next = mul d, x\n  yield next\n}\n" \
	"return y\npoint 3\nrequest: vjp; then vjp\n"
#define COUNTED(trips) \
	"inputs x: f64[], n: i64[]\ny = for (n, x) cap=4 {\n  params i, acc\n  next = mul acc, x\n  yield next\n}\n" \
	"return y\npoint 0.5, " trips "\nrequest: vjp x\n"
#define SINE_AND_LOOP \
	"inputs x: f64[]\ns = sin x\ny = for (s) trip=0 {\n  params i, acc\n  next = add acc, acc\n  yield next\n}\n" \
	"return y\npoint 0.5\nrequest: vjp\n"
#define DIFFERENCE  "inputs x: f64[]\nr = reshape x shape=[]\ny = sub r, x\nreturn y\npoint 0.5\nrequest: vjp\n"
#define SINE_AT_TWO "inputs x: f64[]\ny = sin x\nreturn y\npoint 0.5\npoint 0.25\nrequest: vjp\n"

#define ADDED     "inputs x: f64[]\ny = add x, x\nreturn y\npoint 0.5\n"
#define SQUARED   "inputs x: f64[]\ny = mul x, x\nreturn y\npoint 0.5\nrequest: vjp\n"
#define STRETCHED "inputs x: f64[1]\nc = constant [1, 2]\ny = mul x, c\nreturn y\npoint [0.5]\nrequest: vjp\n"
#define SPREAD    "inputs x: f64[]\nc = constant [1, 2]\ny = mul x, c\nreturn y\npoint 0.5\nrequest: vjp\n"
#define LATER_CARRY(op) \
	"inputs x: f64[]\none = constant 1\n" \
	"u, y = for (one, x) trip=2 {\n  params i, c, d\n  next = " op "\n  yield c, next\n}\n" \
	"return y\npoint 0.5\nrequest: vjp\n"

#define LOOP_OF(trip) \
	"inputs x: f64[]\ny = for (x) trip=" trip " {\n  params i, acc\n  next = mul acc, x\n  yield next\n}\n" \
	"return y\npoint 0.5\nrequest: vjp\n"

/* Regions that differ by their ops. */
#define SOLVED(op, at) \
	"inputs p: f64[]\ny = fixed_point (p) cap=64 meaning=solution {\n  params c\n  m = " op "\n  s = add m, p\n" \
	"  q: bool[] = constant false\n  yield s, q\n}\nreturn y\npoint " at "\nrequest: vjp\n"
#define SOLVED_BESIDE(op, at) \
	"inputs p: f64[]\ny, w = fixed_point (p, p) cap=64 meaning=solution {\n  params c, d\n  m = " op "\n" \
	"  s = add m, p\n  q: bool[] = constant false\n  yield s, p, q\n}\nreturn y\npoint " at "\nrequest: vjp\n"
#define APPLIED(op) \
	"inputs x: f64[1]\nat: i64[1] = constant [0]\n" \
	"y = scatter_apply (x, at) axis=0 mode=clip {\n  params v\n  w = " op "\n  yield w\n}\n" \
	"return y\npoint [0.5]\nrequest: vjp\n"
#define RULED(op) \
	"inputs x: f64[2], s: f64[]\ny = custom (x) transform=jvp {\n  params v\n  m = " op "\n  yield m\n} do {\n" \
	"  params w, d\n  g = reduce_sum d axes=[0]\n  yield g\n}\nz = mul y, s\nreturn z\n" \
	"point [0.5, 0.75], 0.5\nrequest: jvp s; then vjp x\n"
#define TWO_CARRIES(result) \
	"inputs x: f64[]\nu, y = for (x, x) trip=2 {\n  params i, c, d\n  p = mul d, x\n  yield d, p\n}\n" \
	"return " result "\npoint 0.5\nrequest: vjp\n"

static const struct join_row {
	const char *name, *spec, *first, *second;
	int n; /* findings at the end */
} join_rows[] = {
    {"two ops of a family", "tape+scale:reduce_sum:1.5+scale:reduce_mean:1.5", SUM, MEAN, 1},
    {"two ops that multiply, one inside of a derivative", "aot+scale:reduce_prod:1.5+scale:scatter_mul:1.5",
        DERIVED("reduce_prod w axes=[0]"), FACTOR_IN, 1},
    {"two ops, one inside of a derivative", "aot+scale:reduce_sum:1.5+scale:sin:1.5", DERIVED("reduce_sum w axes=[0]"),
        SINE, 2},
    {"a window at a fixed place and at an operand", "tape+scale:slice_scatter:1.5+scale:dynamic_update_slice:1.5",
        FIXED, MOVING, 1},
    {"a window that is written, and one that is read", "tape+scale:slice:1.5+scale:dynamic_update_slice:1.5", READ,
        MOVING, 2},
    {"two elementwise ops", "tape+scale:sin:1.5+scale:cos:1.5", SINE, COSINE, 2},
    {"an op of a family and another op", "tape+scale:reduce_sum:1.5+scale:sin:1.5", SUM, SINE, 2},
    {"one op in both modes", "aot+scale:sin:1.5", SINE, SINE_PUSHED, 1},
    {"two ops whose derivative counts as a constant", "aot+saved-const-higher", SQUARE_TWICE, EXP_TWICE, 1},
    {"two ops with a limit of one size", "tape+iron-vector-tail", TAIL("add"), TAIL("mul"), 1},
    {"two ops with the same factor", "tape+scale:add:1.5+scale:mul:1.25", TAIL("add"), TAIL("mul"), 2},
    {"a derivative of 0 by infinity and by NaN", "forward+fdiff-weak-zero", ZERO_INFINITE, ZERO_NAN, 1},
    {"two ops that multiply", "tape+scale:reduce_prod:1.5+scale:scatter_mul:1.5", ALL_FACTORS, FACTOR_IN, 1},
    {"two ops that multiply, with two mistakes", "tape+scale:reduce_prod:1.5+scale:scatter_mul:1.25", ALL_FACTORS,
        FACTOR_IN, 2},
    {"an op that multiplies, and one that does not", "tape+scale:reduce_prod:1.5+scale:scatter_add:1.5", ALL_FACTORS,
        TERM_IN, 2},
    {"a NaN with and without a node that no result needs", "tape+pow-at-zero", POWER, POWER_DEAD, 1},
    {"a NaN with and without another result", "forward+pow-at-zero", POWER_PUSHED, POWER_BESIDE, 1},
    {"solutions with other ops", "implicit+mutant:3", SOLVED("tanh c", "2"), SOLVED("mul c, p", "-0.25"), 1},
    {"regions of two ops", "functional+residual-fifo+jax-scatter-apply", LOOP_OF("2"), APPLIED("mul v, v"), 2},
    {"ops that are wrong if a value is used twice", "tape+warp-copy-assign+warp-matmul-assign", RESHAPED, PRODUCT, 1},
};

#define INDEXED \
	"inputs x: f64[]\ny = for (x) trip=9 {\n  params i, c\n  f = cast i dtype=f64\n  g = mul f, c\n" \
	"  p = mul g, 0.5\n  q = add p, x\n  yield q\n}\nreturn y\npoint 0.5\nrequest: vjp\n"
#define INTEGER_CARRY \
	"inputs x: f64[], k: i64[]\nm, y = for (k, x) trip=3 {\n  params i, n, c\n  one: i64[] = constant 1\n" \
	"  next = add n, one\n  f = cast n dtype=f64\n  p = mul c, x\n  q = mul p, f\n  yield next, q\n}\n" \
	"return y\npoint 0.5, 1\nrequest: vjp x\n"
#define EARLY_EXIT \
	"inputs x: f64[3]\ny = scan (1, x) trip=3 carries=1 until {\n  params c, r\n  p = mul c, r\n" \
	"  two = constant 2\n  end = gt p, two\n  yield p, end\n}\nreturn y\npoint [1.5, 2, 3]\nrequest: vjp\n"

#define OF_CONSTANTS(c, d, op) \
	"inputs x: f64[2]\nc: f64[2] = constant " c "\nd: f64[2] = constant " d "\ne = mul c, d\ny = " op \
	"\nreturn y\n" \
	"point [1, 2]\nrequest: vjp\n"
#define REVERSED "inputs x: f64[2]\nc: f64[2] = constant [1, 2]\nr = reverse c axes=[0]\ny = mul r, x\n" REQUEST

static const struct trial_row {
	const char *name, *spec, *text;
	enum trial_kind trial;
	enum effect effect;
} trial_rows[] = {
    {"used twice", "tape+warp-copy-assign", RESHAPED, TRIAL_COPIES, EFFECT_RIGHT},
    {"used once", "tape+scale:sin:1.5", SINE, TRIAL_COPIES, EFFECT_NONE},
    {"wrong whatever the uses", "tape+scale:matmul:1.5", PRODUCT, TRIAL_COPIES, EFFECT_FAILS},
    {"a constant operand", "tape+scale:mul:1.5",
        "inputs x: f64[]\nc = constant 2\ny = mul x, c\nreturn y\npoint 0.5\nrequest: vjp\n", TRIAL_ACTIVE,
        EFFECT_FAILS},
    {"a slice at an offset", "tape+scale:slice:1.5",
        "inputs x: f64[2]\ny = slice x start=[1] size=[1] stride=[1]\n" REQUEST, TRIAL_OFFSETS, EFFECT_FAILS},
    {"wrong from 2 iterations on", "functional+residual-fifo", LOOP_OF("3"), TRIAL_SHORTER, EFFECT_FAILS},
    {"too short to be shorter", "functional+residual-fifo", LOOP_OF("2"), TRIAL_SHORTER, EFFECT_NONE},
    {"a captured value", "functional+residual-fifo", LOOP_OF("2"), TRIAL_CAPTURE, EFFECT_RIGHT},
    {"an input for each use", "tape+warp-copy-assign", RESHAPED, TRIAL_INPUTS, EFFECT_RIGHT},
    {"wrong with an input for each use", "tape+scale:matmul:1.5", PRODUCT, TRIAL_INPUTS, EFFECT_FAILS},
    {"one use of an input", "tape+scale:sin:1.5", SINE, TRIAL_INPUTS, EFFECT_NONE},
    {"a loop that is not entered", "functional+clad-unentered-loop", UNENTERED, TRIAL_ENTERED, EFFECT_RIGHT},
    {"a while that is not entered", "functional+clad-unentered-loop", UNENTERED_WHILE, TRIAL_ENTERED, EFFECT_RIGHT},
    {"a loop that is entered", "functional+residual-fifo", LOOP_OF("2"), TRIAL_ENTERED, EFFECT_NONE},
    {"a loop whose number of iterations is a value", "functional+residual-fifo", COUNTED("2"), TRIAL_ENTERED,
        EFFECT_NONE},
    {"wrong whatever the loop does", "tape+scale:sin:1.5", SINE_AND_LOOP, TRIAL_ENTERED, EFFECT_FAILS},
    {"a loop that runs, beside what is wrong", "tape+scale:mul:1.5", LOOP_OF("2"), TRIAL_ENTERED, EFFECT_NONE},
    {"an input that is subtracted from itself", "tape+warp-copy-assign", DIFFERENCE, TRIAL_INPUTS, EFFECT_RIGHT},
    {"wrong at each point", "tape+scale:sin:1.5", SINE_AT_TWO, TRIAL_POINTS, EFFECT_FAILS},
    {"one point", "tape+scale:sin:1.5", SINE, TRIAL_POINTS, EFFECT_NONE},
    {"carries in another order", "functional+mxnet-foreach-null", LATER_CARRY("mul d, d"), TRIAL_CARRIES, EFFECT_RIGHT},
    {"wrong in either order", "tape+scale:mul:1.5", LATER_CARRY("mul d, d"), TRIAL_CARRIES, EFFECT_FAILS},
    {"one carry", "functional+residual-fifo", LOOP_OF("2"), TRIAL_CARRIES, EFFECT_NONE},
    {"an axis that is stretched", "functional+customjvp-unbroadcast", STRETCHED, TRIAL_WHOLE, EFFECT_RIGHT},
    {"an axis that is missing", "functional+customjvp-unbroadcast", SPREAD, TRIAL_WHOLE, EFFECT_NONE},
    {"wrong whatever is stretched", "tape+scale:mul:1.5", STRETCHED, TRIAL_WHOLE, EFFECT_FAILS},
    {"captured by a derivative alone", "aot+saved-const-higher", SQUARE_TWICE, TRIAL_CAPTURE, EFFECT_NONE},
    {"an index", "checkpointed+reactant-ckpt-index", INDEXED, TRIAL_COUNTER, EFFECT_RIGHT},
    {"wrong whatever counts", "checkpointed+scale:mul:1.5", INDEXED, TRIAL_COUNTER, EFFECT_FAILS},
    {"an index that nobody reads", "functional+residual-fifo", LOOP_OF("3"), TRIAL_COUNTER, EFFECT_NONE},
    {"an integer carry, wrong as a float too", "functional+residual-fifo", INTEGER_CARRY, TRIAL_FLOATS, EFFECT_FAILS},
    {"float carries alone", "functional+residual-fifo", LOOP_OF("3"), TRIAL_FLOATS, EFFECT_NONE},
    {"an early exit", "functional+theano-until-tail", EARLY_EXIT, TRIAL_RUN_OUT, EFFECT_RIGHT},
    {"wrong without an early exit too", "functional+scale:mul:1.5", EARLY_EXIT, TRIAL_RUN_OUT, EFFECT_FAILS},
    {"a count at its cap", "functional+residual-fifo", COUNTED("2"), TRIAL_RUN_OUT, EFFECT_FAILS},
    {"a carry that is handed on", "functional+tf-while-passthrough", HANDED, TRIAL_YIELDS, EFFECT_RIGHT},
    {"wrong whatever is handed on", "functional+scale:mul:1.5", HANDED, TRIAL_YIELDS, EFFECT_FAILS},
    {"nothing is handed on", "functional+residual-fifo", LOOP_OF("2"), TRIAL_YIELDS, EFFECT_NONE},
    {"a loop that runs out", "functional+residual-fifo", LOOP_OF("3"), TRIAL_RUN_OUT, EFFECT_NONE},
    {"constants that a compiler takes for one", "compiled+mutant:110", OF_CONSTANTS("[1, 2]", "[3, 4]", "mul e, x"),
        TRIAL_KNOWN, EFFECT_RIGHT},
    {"wrong for inputs too", "tape+scale:mul:1.5", OF_CONSTANTS("[1, 2]", "[3, 4]", "mul e, x"), TRIAL_KNOWN,
        EFFECT_FAILS},
    {"no constant", "tape+scale:sin:1.5", SINE, TRIAL_KNOWN, EFFECT_NONE},
    {"a constant that is moved", "compiled+mutant:68", REVERSED, TRIAL_UNIFORM, EFFECT_RIGHT},
    {"two constants with one element each", "compiled+mutant:110", OF_CONSTANTS("[1, 2]", "[3, 4]", "mul e, x"),
        TRIAL_UNIFORM, EFFECT_FAILS},
    {"constants of equal elements", "compiled+mutant:110", OF_CONSTANTS("[1, 1]", "[3, 3]", "mul e, x"), TRIAL_UNIFORM,
        EFFECT_NONE},
};

/* The dtypes in which a case fails, and from which extent on. */
static const struct need_row {
	const char *name, *spec, *text;
	int extent;
} need_rows[] = {
    {"any size", "tape+scale:reduce_sum:1.5", SUM, 0},
    {"from 65 elements on", "tape+iron-vector-tail", TAIL("add"), 65},
};

static void check_join(const struct join_row *row)
{
	struct book b;

	book_open(&b, row->spec);
	book_show_text(&b, row->first, 1);
	book_show_text(&b, row->second, 2);
	CHECK(b.triage.n_finding == 2, "%s: %d findings", row->name, b.triage.n_finding);
	triage_end(&b.triage);
	CHECK(b.triage.n_finding == row->n, "%s: %d findings at the end", row->name, b.triage.n_finding);
	CHECK(b.triage.finding->n_symptom == 3 - row->n, "%s: %d names", row->name, b.triage.finding->n_symptom);
	book_close(&b);
}

/* A case before one engine. */
struct tried {
	struct arena a;
	struct bench bench;
	struct question question;
	struct testcase c;
};

static void tried_open(struct tried *x, const char *spec, const char *text)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = 1 << 20};
	struct error e = {0};

	arena_init(&x->a, BOOK_ARENA);
	x->c = test_case(&x->a, text);
	CHECK(bench_open(&x->bench, &spec, 1, &o, &e), "%s", e.text);
	x->question = (struct question){.bench = &x->bench};
}

static void tried_close(struct tried *x)
{
	bench_close(&x->bench);
	arena_free(&x->a);
}

static struct trials trials_of(const char *spec, const char *text)
{
	struct trials out;
	struct tried x;

	tried_open(&x, spec, text);
	trials_make(&x.question, &x.c, &x.a, &out);
	tried_close(&x);
	return out;
}

/* One wrong matrix in both modes; a right one; a wrong one in one mode. */
static void check_jacobians(void)
{
	static const struct {
		const char *spec;
		bool same;
	} rows[] = {{"aot+scale:reduce_prod:1.5", true}, {"aot", false}, {"tape+scale:reduce_prod:1.5", false}};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct tried x;

		tried_open(&x, rows[k].spec, FACTORS("vjp"));
		CHECK(trial_same_jacobian(&x.question, &x.c, &x.a) == rows[k].same, "%s", rows[k].spec);
		tried_close(&x);
	}
}

static void check_trial(const struct trial_row *row)
{
	const struct trials out = trials_of(row->spec, row->text);

	CHECK(out.effect[row->trial] == row->effect, "%s: effect %d", row->name, out.effect[row->trial]);
}

/* The program that computes a derivative, asked for its value. */
static void check_written(void)
{
	static const struct {
		const char *spec, *text;
		enum effect effect;
	} rows[] = {
	    {"compiled+inductor-double-add", SQUARED, EFFECT_FAILS},
	    {"compiled", SQUARED, EFFECT_RIGHT},
	    {"tape+scale:mul:1.5", SQUARED, EFFECT_RIGHT},
	    {"tape", ADDED, EFFECT_NONE},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct judgement j;
		struct tried x;

		tried_open(&x, rows[k].spec, rows[k].text);
		CHECK(trial_written(&x.question, &x.c, &x.a, &j) == rows[k].effect, "row %zu", k);
		tried_close(&x);
	}
}

static void check_need(const struct need_row *row)
{
	const struct trials out = trials_of(row->spec, row->text);
	unsigned floats = 0;

	for (int d = 0; d < DTYPE_COUNT; d++)
		floats |= (dtype_is_float((enum dtype)d) ? 1u : 0) << d;
	CHECK(out.extent == row->extent, "%s: extent %d", row->name, out.extent);
	CHECK(out.wrong == floats && !out.right, "%s: wrong in %x, right in %x", row->name, out.wrong, out.right);
}

/* Of five things, 1 is the same as 0, 3 and 4. */
static bool is_pair(void *self, int x, int y)
{
	++*(int *)self;
	return (x == 0 && y == 1) || (x == 1 && y >= 3);
}

static void check_groups(void)
{
	int group[5], asked = 0;

	late_group(5, is_pair, &asked, group);
	CHECK(group[0] == group[1] && group[0] == group[3], "%d %d %d", group[0], group[1], group[3]);
	CHECK(group[0] == group[4] && group[0] != group[2], "%d %d", group[2], group[4]);
	CHECK(asked < 10, "%d pairs", asked);
}

static void check_ranks(void)
{
	static const struct {
		const char *name;
		struct late_rank y, x;
		bool more;
	} rows[] = {
	    {"fewer ops", {.points = 1, .ops = 1}, {.points = 1, .ops = 2}, true},
	    {"as many ops", {.points = 1, .ops = 2}, {.points = 1, .ops = 2}, false},
	    {"one point", {.points = 1, .ops = 3}, {.points = 2, .ops = 2}, true},
	    {"more points", {.points = 2, .ops = 1}, {.points = 1, .ops = 2}, false},
	    {"a value", {.of_value = true, .points = 2, .ops = 3}, {.points = 1, .ops = 2}, true},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		CHECK(late_says_more(&rows[k].y, &rows[k].x) == rows[k].more, "%s", rows[k].name);
}

/* Whether the operands of a loop are right, where the loop or what comes before it is wrong. */
static void check_operands(void)
{
	static const struct {
		const char *spec, *text;
		bool right;
	} rows[] = {
	    {"compiled+mutant:116", EXCHANGED("reverse x axes=[0]"), true},
	    {"compiled+mutant:68", EXCHANGED("reverse x axes=[0]"), false},
	    {"compiled+mutant:68", "inputs x: f64[2]\ny = reverse x axes=[0]\nreturn y\npoint [1, 2]\n", false},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct tried x;

		tried_open(&x, rows[k].spec, rows[k].text);
		CHECK(case_shows(&x.c, &x.question, &x.a, NULL), "row %zu is right", k);
		CHECK(trial_operands_right(&x.question, &x.c, &x.a) == rows[k].right, "row %zu", k);
		tried_close(&x);
	}
}

/* A fixed point as a loop; a loop is left alone. */
static void check_lowered(void)
{
	struct testcase out;
	struct arena a;

	arena_init(&a, BOOK_ARENA);
	const struct testcase fixed = test_case(&a, FIXED_HANDED), loop = test_case(&a, HANDED);

	CHECK(trial_lower(&fixed, &a, &out) && region_has_op(&out.program.top, OP_FOR) &&
	        !region_has_op(&out.program.top, OP_FIXED_POINT),
	    "a fixed point");
	CHECK(!trial_lower(&loop, &a, &out), "a loop");
	arena_free(&a);
}

/* Programs with plain regions: of two bodies, with and without a value from outside, and without regions. */
static void check_plain(void)
{
	static const struct {
		const char *name, *x, *y;
		bool same;
	} rows[] = {
	    {"two bodies", SOLVED("tanh c", "2"), SOLVED("mul c, p", "-0.25"), true},
	    {"a body that reads less", APPLIED("sin v"), SOLVED("tanh c", "2"), false},
	    {"a result of other values", HANDED, TWO_CARRIES("y"), false},
	    {"another result", TWO_CARRIES("y"), TWO_CARRIES("u"), false},
	    {"a carry that nothing reads", SOLVED("tanh c", "2"), SOLVED_BESIDE("sin c", "2"), true},
	    {"a carry that is read", SOLVED("tanh c", "2"), SOLVED_BESIDE("mul c, d", "2"), false},
	};
	struct testcase x, y;
	struct arena a;

	arena_init(&a, BOOK_ARENA);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (enum plain how = 0; how < PLAINS; how++) {
			const struct testcase of_x = test_case(&a, rows[k].x), of_y = test_case(&a, rows[k].y);

			CHECK(trial_plain(&of_x, how, &a, &x) && trial_plain(&of_y, how, &a, &y), "%s", rows[k].name);
			CHECK(trial_same_form(&x, &y) == rows[k].same, "%s", rows[k].name);
			CHECK(region_has_op(&x.program.top, OP_SIN) == (how == PLAIN_SINE), "%s", rows[k].name);
		}
	x = test_case(&a, SINE);
	CHECK(!trial_plain(&x, PLAIN_SUM, &a, &y), "no region");
	arena_free(&a);
}

/* From how many iterations on a loop fails.  A wrong number that a carry hands on comes out later. */
static void check_trips(void)
{
	static const struct {
		const char *spec, *text;
		int trip;
	} rows[] = {
	    {"functional+residual-fifo", TWO_CARRIES("y"), 2},
	    {"tape+scale:mul:1.5", TWO_CARRIES("u"), 0},
	    {"tape+scale:mul:1.5", TWO_CARRIES("y"), 0},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct tried x;

		tried_open(&x, rows[k].spec, rows[k].text);
		CHECK(case_shows(&x.c, &x.question, &x.a, NULL), "row %zu is right", k);
		CHECK(trial_trip(&x.question, &x.c, &x.a) == rows[k].trip, "row %zu: %d", k,
		    trial_trip(&x.question, &x.c, &x.a));
		tried_close(&x);
	}
}

/* An input for each use. */
static void check_own_inputs(void)
{
	struct testcase out;
	struct arena a;

	arena_init(&a, BOOK_ARENA);
	const struct testcase twice = test_case(&a, SQUARED), once = test_case(&a, SINE);

	CHECK(trial_own_inputs(&twice, &a, &out) && out.program.top.n_param == 2, "used twice");
	CHECK(!trial_own_inputs(&once, &a, &out), "used once");
	arena_free(&a);
}

/* The function of a custom as a checkpoint; a scatter_apply as a loop. */
static void check_checkpoint(void)
{
	struct testcase out;
	struct arena a;

	arena_init(&a, BOOK_ARENA);
	const struct testcase ruled = test_case(&a, RULED("reduce_max v axes=[0]")), plain = test_case(&a, SINE);

	CHECK(trial_as_checkpoint(&ruled, &a, &out) && region_has_op(&out.program.top, OP_CHECKPOINT) &&
	        region_has_op(&out.program.top, OP_REDUCE_MAX) && !region_has_op(&out.program.top, OP_CUSTOM) &&
	        !region_has_op(&out.program.top, OP_REDUCE_SUM),
	    "a custom");
	CHECK(!trial_as_checkpoint(&plain, &a, &out), "no custom");
	const struct testcase applied = test_case(&a, APPLIED("sin v"));

	CHECK(trial_as_loop(&applied, &a, &out) && region_has_op(&out.program.top, OP_FOR) &&
	        !region_has_op(&out.program.top, OP_SCATTER_APPLY),
	    "a scatter_apply");
	CHECK(!trial_as_loop(&plain, &a, &out), "no scatter_apply");
	arena_free(&a);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	if (!book_begin())
		return 1;
	for (size_t k = 0; k < sizeof join_rows / sizeof *join_rows; k++)
		if (row_wanted("%s", join_rows[k].name))
			check_join(&join_rows[k]);
	for (size_t k = 0; k < sizeof trial_rows / sizeof *trial_rows; k++)
		if (row_wanted("%s", trial_rows[k].name))
			check_trial(&trial_rows[k]);
	check_groups();
	check_ranks();
	CHECK_LAW(check_jacobians());
	CHECK_LAW(check_written());
	check_lowered();
	check_plain();
	check_checkpoint();
	check_own_inputs();
	CHECK_LAW(check_trips());
	CHECK_LAW(check_operands());
	for (size_t k = 0; k < sizeof need_rows / sizeof *need_rows; k++)
		if (row_wanted("%s", need_rows[k].name))
			check_need(&need_rows[k]);
	if (!book_end())
		return 1;
	return check_done();
}

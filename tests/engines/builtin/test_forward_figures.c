/*
 * test_forward_figures.c: the derivative of one op as a figure: faults of packed tangents, and partials where usual
 * formulas cancel, overflow or lose all digits.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "engines/instance.h"
#include "tests/engines/samples.h"

/* ---- faults ---- */

static double jvp1(const char *spec, struct arena *a, struct builder *b, int result, double at, double tangent)
{
	struct engine *engine = sample_engine(spec);
	struct tensor x = tensor_new(a, &sample_f64), dx = tensor_new(a, &sample_f64), *point = &x;
	struct transform t = {.kind = TRANSFORM_JVP, .n_wrt = 1, .wrt = (int[]){0}, .n_seed = 1, .seed = &dx};
	struct testcase c = {
	    .program = build_end(b, &result, 1), .n_point = 1, .point = &point, .n_transform = 1, .transform = &t};
	struct answer out = {.status = ANSWER_FAILURE};

	x.at->f = at;
	dx.at->f = tangent;
	engine_answer(engine, &c, a, &out);
	CHECK(out.status == ANSWER_OK, "%s: %s", spec, out.text);
	engine_close(engine);
	return out.n_derivative ? out.derivative[0].at->f : NAN;
}

/* where(t < -1, 999, t*t) */
static int build_where(struct builder *b, int t)
{
	int below = op2(b, OP_LT, t, build_scalar(b, DTYPE_F64, -1));

	return op3(b, OP_SELECT, below, build_scalar(b, DTYPE_F64, 999), op2(b, OP_MUL, t, t));
}

static int build_atan2_first(struct builder *b, int t) { return op2(b, OP_ATAN2, t, build_scalar(b, DTYPE_F64, 2)); }
static int build_atan2_second(struct builder *b, int t) { return op2(b, OP_ATAN2, build_scalar(b, DTYPE_F64, 2), t); }
static int build_atan2_both(struct builder *b, int t) { return op2(b, OP_ATAN2, t, op1(b, OP_SIN, t)); }

/* masked_scatter(0, [true], [t]) with only the source traced */
static int build_masked_scatter(struct builder *b, int t)
{
	const struct type vector = F64V(1), mask = {DTYPE_BOOL, {1, {1}}};
	union cell zero = {.f = 0}, yes = {.i = 1};
	int x = build_constant(b, &(struct tensor){vector, &zero}), m = build_constant(b, &(struct tensor){mask, &yes});
	int source = build_node(b, OP_RESHAPE, &t, 1, &(struct attrs){.shape = {1, {1}}}, NULL);

	return reduce(b, OP_REDUCE_SUM, op3(b, OP_MASKED_SCATTER, x, m, source));
}

/* y = t*t, between an integer of t and a bitwise op on it */
static int build_bitwise(struct builder *b, int t)
{
	int i = build_node(b, OP_CAST, &t, 1, &(struct attrs){.dtype = DTYPE_I64}, NULL), y = op2(b, OP_MUL, t, t);

	op2(b, OP_BITWISE_XOR, i, i);
	return y;
}

static const struct {
	const char *spec;
	int (*build)(struct builder *b, int t);
	double at, right, faulty;
} fault_rows[] = {
    {"forward+packed-select", build_where, 3, 6, 0},
    {"forward+packed-atan2", build_atan2_first, 1, .4, .2},
    {"forward+packed-atan2", build_atan2_second, 1, -.4, -.2},
    {"forward+packed-masked-scatter", build_masked_scatter, 3, 1, 0},
    {"forward+packed-bitwise", build_bitwise, 3, 6, 0},
    {"forward+scale:mul:0.5", build_where, 3, 6, 3},
    {"forward+scale:mul:0.5+scale:select:0x1p-1", build_where, 3, 6, 1.5},
    {"forward+packed-select+scale:mul:2", build_where, -3, 0, 0},
};

static void check_faults(struct arena *a)
{
	for (size_t i = 0; i < sizeof fault_rows / sizeof *fault_rows; i++)
		if (row_wanted("faults: %s", fault_rows[i].spec))
			for (int faulty = 0; faulty < 2; faulty++) {
				const char *spec = faulty ? fault_rows[i].spec : "forward";
				double want = faulty ? fault_rows[i].faulty : fault_rows[i].right, got;
				struct builder b = {0};
				int t;

				build_begin(&b, a);
				t = build_input(&b, &sample_f64);
				got = jvp1(spec, a, &b, fault_rows[i].build(&b, t), fault_rows[i].at, 1);
				CHECK(near(got, want, 1e-15), "%s, row %zu: %.17g, not %.17g", spec, i, got, want);
			}
	/* A right packing where everything is traced hides the fault. */
	struct builder b = {0};
	double got;
	int t;

	build_begin(&b, a);
	t = build_input(&b, &sample_f64);
	got = jvp1("forward+packed-atan2", a, &b, build_atan2_both(&b, t), 1, 1);
	if (all_wanted())
		CHECK(near(got, (sin(1) - cos(1)) / (1 + sin(1) * sin(1)), 1e-15), "both traced: %.17g", got);
}

/* The fault that reads out of bounds really dies, and only where an operand is not traced. */
static void check_crash(struct arena *a)
{
	int (*const build[2])(struct builder *, int) = {build_atan2_both, build_atan2_first};

	for (int subset = 0; subset < 2; subset++) {
		int status = 0;
		pid_t child;

		fflush(NULL);
		child = fork();
		if (child == 0) {
			struct engine *engine;
			struct builder b = {0};
			struct tensor one = tensor_new(a, &sample_f64), *point = &one;
			struct transform t = {
			    .kind = TRANSFORM_JVP, .n_wrt = 1, .wrt = (int[]){0}, .n_seed = 1, .seed = &one};
			struct testcase c = {.n_point = 1, .point = &point, .n_transform = 1, .transform = &t};
			struct answer out = {.status = ANSWER_FAILURE};
			int result;

			/* A sanitizer would print what is meant to happen. */
			close(STDERR_FILENO);
			engine = engine_open_here("forward+packed-atan2-oob", NULL);
			build_begin(&b, a);
			result = build[subset](&b, build_input(&b, &sample_f64));
			c.program = build_end(&b, &result, 1);
			engine_answer(engine, &c, a, &out);
			_exit(0);
		}
		waitpid(child, &status, 0);
		CHECK((status == 0) == !subset, "subset %d: status %d", subset, status);
	}
}

/* ---- accuracy and range ---- */

static const struct {
	enum op op;
	double at, want; /* derivative of a unary op, from 40 digits */
} sharp[] = {
    {OP_TANH, 20, 1.6993417021166355e-17},
    {OP_TANH, 400, 0},
    {OP_LOGISTIC, 40, 4.2483542552915890e-18},
    {OP_LOGISTIC, -40, 4.2483542552915890e-18},
    {OP_LOGISTIC, 800, 0},
    {OP_ATAN, 0x1p530, 0x1p-1060},
    {OP_ASINH, 1e200, 1e-200},
    {OP_ASIN, 0.99999999999999989, 67108864.000000001},
    {OP_ATANH, 0.99999999999999989, 4503599627370496.25},
    {OP_ERF, 25, 4.1534010636398967e-272},
};

static void check_accuracy(struct arena *a)
{
	for (size_t i = 0; i < sizeof sharp / sizeof *sharp; i++) {
		if (!row_wanted("accuracy: %d %s", (int)i, op_table[sharp[i].op].name))
			continue;
		struct builder b = {0};
		double got;
		int t;

		build_begin(&b, a);
		t = build_input(&b, &sample_f64);
		got = jvp1("forward", a, &b, op1(&b, sharp[i].op, t), sharp[i].at, 1);
		CHECK(fabs(got - sharp[i].want) <= 1e-15 * sharp[i].want + 1e-320, "%s at %g: %.17g, not %.17g",
		    op_table[sharp[i].op].name, sharp[i].at, got, sharp[i].want);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 26);
	check_faults(&a);
	CHECK_LAW(check_crash(&a));
	check_accuracy(&a);
	arena_free(&a);
	return check_done();
}

/*
 * test_stack.c: requests of several levels, in every engine: second derivatives in four mixes, and third ones.
 */
#include "tests/engines/stack.h"

/* ---- second derivatives ---- */

/* Hv by central differences of the gradient of `aot`. */
static int differences(struct engine *aot, const struct testcase *c, struct arena *a, double *hv)
{
	const double h = 0x1p-20;
	double side[2][GRADIENT];
	int n = 0;

	for (int s = 0; s < 2; s++) {
		struct testcase moved = testcase_copy(c, a);
		struct answer out = {.status = ANSWER_FAILURE};

		for (int k = 0; k < c->program.top.n_param; k++)
			for (int i = 0; i < shape_elements(&c->point[0][k].type.shape); i++)
				if (dtype_is_float(c->point[0][k].type.dtype))
					moved.point[0][k].at[i].f += (s ? h : -h) * direction(k, i);
		engine_answer(aot, &moved, a, &out);
		n = flatten(out.derivative, out.n_derivative, side[s]);
	}
	for (int i = 0; i < n; i++)
		hv[i] = (side[1][i] - side[0][i]) / (2 * h);
	return n;
}

/* The seeds of results against a list of tensors of their types. */
static double against(const struct transform *seeds, const struct tensor *x)
{
	double sum = 0;

	for (int k = 0; k < seeds->n_seed; k++)
		for (int i = 0; i < shape_elements(&x[k].type.shape); i++)
			if (dtype_is_float(x[k].type.dtype))
				sum += seeds->seed[k].at[i].f * x[k].at[i].f;
	return sum;
}

/*
 * c asks for a vjp of all inputs. Hessian times direction in each mix and engine; tolerance is absolute and relative.
 */
static void check_hessian(
    const struct testcase *c, const char *name, const double *want, int n, double tolerance, struct arena *a)
{
	double quadratic = 0;
	int at = 0;

	for (int k = 0; k < c->program.top.n_param; k++)
		for (int i = 0; i < shape_elements(&c->point[0][k].type.shape); i++, at++)
			if (dtype_is_float(c->point[0][k].type.dtype))
				quadratic += want[at] * direction(k, i);
	for (int mix = 0; mix < 4; mix++) {
		struct testcase stacked = *c;
		enum transform_kind inner = mix & 1 ? TRANSFORM_JVP : TRANSFORM_VJP,
		                    outer = mix & 2 ? TRANSFORM_JVP : TRANSFORM_VJP;

		stacked.n_transform = 0;
		push_transform(a, &stacked, inner, inner == TRANSFORM_VJP ? &c->transform[0] : NULL);
		push_transform(a, &stacked, outer,
		    mix == 1 ? &c->transform[0] : NULL); /* reverse over forward: of the tangents of the results */
		for (int e = 0; e < ENGINES; e++) {
			double got[GRADIENT];
			struct answer out;

			if (!knows(engines[e], &stacked, a) || !answer_of(engines[e], &stacked, name, a, &out))
				continue;
			if (mix == 3) {
				got[0] = against(&c->transform[0], out.derivative);
				CHECK(near(got[0], quadratic, tolerance), "%s, %s, jvp of jvp: %.17g, expected %.17g",
				    name, specs[e], got[0], quadratic);
				continue;
			}
			CHECK(flatten(out.derivative, out.n_derivative, got) == n, "%s, %s", name, specs[e]);
			for (int i = 0; i < n; i++)
				CHECK(near(got[i], want[i], tolerance), "%s, %s, %s of %s: [%d] %.17g, expected %.17g",
				    name, specs[e], transform_names[outer], transform_names[inner], i, got[i], want[i]);
		}
	}
}

static void check_sample_hessians(struct arena *a)
{
	for (int n = 0; n < N_SAMPLE; n++) {
		if (!row_wanted("sample hessians: %s", samples[n].name))
			continue;
		const struct sample *s = &samples[n];
		struct testcase c = sample_case(a, s, s->at, true);
		double want[GRADIENT];
		struct answer out;

		if (!s->smooth || !answer_of(engines[ENGINES - 1], &c, s->name, a, &out))
			continue;
		check_hessian(&c, s->name, want, differences(engines[ENGINES - 1], &c, a, want), 1e-7, a);
	}
}

/* ---- closed forms ---- */

static enum op build_op;

static int build_elementwise(struct builder *b, const int *in, int *result)
{
	result[0] = build_node(b, build_op, in, op_table[build_op].n_arg, NULL, NULL);
	return 1;
}

/* d2/da2, d2/dadb, d2/db2 of ops where a table's formula is right at a point and its derivative easily wrong. */
static const struct {
	enum op op;
	double a, b, aa, ab, bb;
} seconds[] = {
    {OP_SQUARE, 0, 0, 2, 0, 0},
    {OP_MUL, 0, 0, 0, 1, 0},
    {OP_MUL, 0, 3, 0, 1, 0},
    {OP_SIN, 0, 0, 0, 0, 0},
    {OP_COS, 0, 0, -1, 0, 0},
    {OP_EXP, 0, 0, 1, 0, 0},
    {OP_LOGISTIC, 0, 0, 0, 0, 0},
    {OP_LOGISTIC, 1, 0, -0.090857747672948397, 0, 0},
    {OP_LOGISTIC, -800, 0, 0, 0, 0},
    {OP_TANH, 0, 0, 0, 0, 0},
    {OP_TANH, .5, 0, -0.72686198138357829, 0, 0},
    {OP_TANH, 900, 0, 0, 0, 0},
    {OP_ERF, 0, 0, 0, 0, 0},
    {OP_ERF, .5, 0, -0.87878257893544476, 0, 0},
    {OP_ABS, 0, 0, 0, 0, 0},
    {OP_ATAN, 0, 0, 0, 0, 0},
    {OP_ATAN, 1e200, 0, 0, 0, 0},
    {OP_ASINH, 0, 0, 0, 0, 0},
    {OP_ASINH, 1e200, 0, 0, 0, 0},
    {OP_DIV, 0, 1, 0, -1, 0},
    {OP_POW, 2, 0, 0, .5, 0.48045301391820142},
    {OP_POW, 3, 1, 0, 2.0986122886681098, 3.620846882437746},
    {OP_POW, 0, 2, 2, 0, 0},
    {OP_POW, 0, 3, 0, 0, 0},
    {OP_ATAN2, 1, 1, -.5, 0, .5},
    {OP_ATAN2, 0, 2, 0, -.25, 0},
    {OP_MAX, 1, 2, 0, 0, 0},
};

static void check_seconds(struct arena *a)
{
	for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
		if (!row_wanted("seconds: %d %s", (int)i, op_table[seconds[i].op].name))
			continue;
		const struct sample s = {.name = op_table[seconds[i].op].name,
		    .build = build_elementwise,
		    .n_in = op_table[seconds[i].op].n_arg,
		    .type = {{.dtype = DTYPE_F64}, {.dtype = DTYPE_F64}},
		    .at = {{seconds[i].a}, {seconds[i].b}}};
		double v = direction(0, 0), w = s.n_in > 1 ? direction(1, 0) : 0;
		const double want[] = {seconds[i].aa * v + seconds[i].ab * w, seconds[i].ab * v + seconds[i].bb * w};

		build_op = seconds[i].op;
		struct testcase c = sample_case(a, &s, s.at, true);
		check_hessian(&c, s.name, want, s.n_in, 1e-14, a);
	}
}

/* (sin a)^2 cos b: the cotangent of sin is 0 at a = 0, its derivative is not. */
static const char zero_cotangent[] = "s = sin a; q = square s; c = cos b; y = mul q, c; return y";

/* where(a > 0, a^1.5, 3 a b): at 0 the branch not taken has a finite slope whose own slope is infinite. */
static const char infinite_second[] = "power = pow a, 1.5\n"
                                      "product = mul a, b\n"
                                      "triple = mul product, 3\n"
                                      "p = gt a, 0\n"
                                      "y = select p, power, triple\n"
                                      "return y";

static void check_zeros(struct arena *a)
{
	struct sample s = {.name = "zero cotangent",
	    .text = zero_cotangent,
	    .n_in = 2,
	    .type = {{.dtype = DTYPE_F64}, {.dtype = DTYPE_F64}},
	    .at = {{0}, {0}}};
	struct testcase c = sample_case(a, &s, s.at, true);

	check_hessian(&c, s.name, (double[]){2 * direction(0, 0), 0}, 2, 1e-14, a);
	s.name = "infinite second derivative not taken";
	s.text = infinite_second;
	c = sample_case(a, &s, s.at, true);
	check_hessian(&c, s.name, (double[]){3 * direction(1, 0), 3 * direction(0, 0)}, 2, 1e-14, a);
}

/* Third derivatives by a of sin(a) a^2 at 0 and elsewhere, in the eight mixes: seeds 1 give f'''. */
static const char sine_square[] = "s = sin a; q = square a; y = mul s, q; return y";

static void check_third(struct arena *a)
{
	static const struct {
		const char *name, *text;
		double x, want;
	} rows[] = {
	    {"sin(a) a^2 at 0", sine_square, 0, 6},
	    {"sin(a) a^2 at 0.5", sine_square, .5,
	        6 * 0.87758256189037276 - 3 * 0.47942553860420301 -
	            .25 * 0.87758256189037276}, /* 6 cos - 6x sin - x^2 cos */
	    {"logistic at 0", "y = logistic a; return y", 0, -.125},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("third: %s", rows[i].name))
			continue;
		const struct sample s = {.name = rows[i].name,
		    .text = rows[i].text,
		    .n_in = 1,
		    .type = {{.dtype = DTYPE_F64}},
		    .at = {{rows[i].x}}};

		for (int mix = 0; mix < 8; mix++) {
			struct testcase c = sample_case(a, &s, s.at, false);
			struct answer out;

			for (int k = 0; k < 3; k++) {
				push_transform(a, &c, mix >> k & 1 ? TRANSFORM_JVP : TRANSFORM_VJP, NULL);
				c.transform[k].seed[0].at->f = 1;
			}
			for (int e = 0; e < ENGINES; e++)
				if (knows(engines[e], &c, a) && answer_of(engines[e], &c, s.name, a, &out))
					CHECK(near(out.derivative[0].at->f, rows[i].want, 1e-13),
					    "%s, mix %d: %.17g, expected %.17g", specs[e], mix, out.derivative[0].at->f,
					    rows[i].want);
		}
	}
}

/* ---- what is not supported says why ---- */

static void check_refusals(struct arena *a)
{
	const struct sample s = {
	    .name = "refused", .text = sine_square, .n_in = 1, .type = {{.dtype = DTYPE_F64}}, .at = {{1}}};

	for (int e = 0; e < ENGINES; e++)
		for (enum transform_kind kind = TRANSFORM_JVP; kind <= TRANSFORM_VJP; kind++) {
			struct testcase c = sample_case(a, &s, s.at, false);
			struct answer out = {.status = ANSWER_FAILURE};

			push_transform(a, &c, kind, NULL);
			push_transform(a, &c, kind, NULL);
			engine_answer(engines[e], &c, a, &out);
			CHECK((out.status == ANSWER_OK) == knows(engines[e], &c, a), "%s", specs[e]);
			CHECK(out.status == ANSWER_OK ||
			        (out.status == ANSWER_UNSUPPORTED && strstr(out.text, transform_names[kind])),
			    "%s: %s", specs[e], out.text);
		}
}

/* Eight loops of 20000 iterations: its fourth derivative is beyond AOT_WORK. */
static int build_long(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = 20000};
	int value = in[0];

	for (int k = 0; k < 8; k++) {
		const struct type f64 = {.dtype = DTYPE_F64};
		int param = build_open(b, (struct type[]){{.dtype = DTYPE_I64}, f64}, 2);
		int next = op1(b, OP_SIN, param + 1);

		build_close(b, &next, 1);
		value = build_region_node(b, OP_FOR, &value, 1, &attrs, NULL);
	}
	result[0] = value;
	return 1;
}

static void check_limits(struct arena *a)
{
	const struct sample s = {
	    .name = "long", .build = build_long, .n_in = 1, .type = {{.dtype = DTYPE_F64}}, .at = {{1}}};
	struct testcase c = sample_case(a, &s, s.at, false);
	struct answer out = {.status = ANSWER_FAILURE};

	for (int k = 0; k < 4; k++)
		push_transform(a, &c, TRANSFORM_VJP, NULL);
	engine_answer(engines[ENGINES - 1], &c, a, &out);
	CHECK(out.status == ANSWER_TOO_LARGE && strstr(out.text, "expected at most"), "%s", out.text);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	open_engines();
	check_sample_hessians(&a);
	arena_reset(&a);
	check_seconds(&a);
	arena_reset(&a);
	CHECK_LAW(check_zeros(&a));
	arena_reset(&a);
	check_third(&a);
	arena_reset(&a);
	CHECK_LAW(check_refusals(&a));
	arena_reset(&a);
	CHECK_LAW(check_limits(&a));
	arena_reset(&a);
	close_engines();
	arena_free(&a);
	return check_done();
}

/*
 * test_forward.c: forward mode against finite differences op by op, against closed forms in loops, against the tape by
 * <u, Jv> = <J'u, v>, on every subset of traced inputs; and the faults of packed tangents with their figures.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "engines/instance.h"
#include "tests/engines/samples.h"

enum { OP_ARGS = 3 };

/* One op on inputs: float operands get distinct values inside the domain, others the integers given. */
struct op_case {
	enum op op;
	int n_arg;
	struct type type[OP_ARGS];
	struct attrs attrs;
	int64_t at[8]; /* of the integer or bool operand */
};

#define I64V(n) \
	{ \
		DTYPE_I64, \
		{ \
			1, { n } \
		} \
	}
#define I64M(m, n) \
	{ \
		DTYPE_I64, \
		{ \
			2, { m, n } \
		} \
	}
#define BOOLV(n) \
	{ \
		DTYPE_BOOL, \
		{ \
			1, { n } \
		} \
	}

static const struct op_case op_cases[] = {
    {OP_ADD, 2, {F64M(2, 1), F64V(3)}, {0}, {0}},
    {OP_MUL, 2, {F64M(2, 1), F64V(3)}, {0}, {0}},
    {OP_DIV, 2, {F64, F64V(3)}, {0}, {0}},
    {OP_CLAMP, 3, {F64V(4), F64, F64V(4)}, {0}, {0}},
    {OP_SELECT, 3, {BOOLV(3), F64, F64V(3)}, {0}, {1, 0, 1}},
    {OP_CAST, 1, {F64V(2)}, {.dtype = DTYPE_F64}, {0}},
    {OP_BROADCAST_TO, 1, {F64V(3)}, {.shape = {2, {2, 3}}}, {0}},
    {OP_RESHAPE, 1, {F64V(4)}, {.shape = {2, {2, 2}}}, {0}},
    {OP_TRANSPOSE, 1, {F64M(2, 3)}, {.n_axes = 2, .axes = {1, 0}}, {0}},
    {OP_REVERSE, 1, {F64M(2, 3)}, {.n_axes = 1, .axes = {1}}, {0}},
    {OP_SQUEEZE, 1, {F64M(1, 3)}, {.n_axes = 1, .axes = {0}}, {0}},
    {OP_SLICE, 1, {F64V(5)}, {.start = {4}, .size = {2}, .stride = {-3}}, {0}},
    {OP_SLICE_SCATTER, 2, {F64V(5), F64V(2)}, {.start = {4}, .stride = {-3}}, {0}},
    {OP_DYNAMIC_SLICE, 2, {F64V(5), I64V(1)}, {.size = {2}}, {9}},
    {OP_DYNAMIC_UPDATE_SLICE, 3, {F64V(5), F64V(2), I64V(1)}, {0}, {2}},
    {OP_STORE, 3, {F64V(5), F64V(2), I64V(1)}, {0}, {2}},
    {OP_PAD, 2, {F64V(2), F64}, {.low = {1}, .high = {2}}, {0}},
    {OP_CONCATENATE, 2, {F64M(2, 1), F64M(2, 2)}, {.axis = 1}, {0}},
    {OP_GATHER, 2, {F64V(3), I64V(4)}, {.mode = MODE_DROP}, {1, 1, -1, 7}},
    {OP_GATHER, 2, {F64M(2, 3), I64V(4)}, {.axis = 1, .mode = MODE_WRAP}, {1, 1, -1, 7}},
    {OP_TAKE_ALONG_AXIS, 2, {F64M(2, 3), I64M(2, 2)}, {.axis = 1, .mode = MODE_CLIP}, {1, 1, -1, 7}},
    {OP_SCATTER_SET, 3, {F64V(3), I64V(4), F64V(5)}, {.mode = MODE_DROP}, {1, 1, 2, 7}},
    {OP_SCATTER_ADD, 3, {F64V(3), I64V(4), F64V(5)}, {.mode = MODE_WRAP}, {1, 1, -1, 7}},
    {OP_SCATTER_MUL, 3, {F64V(3), I64V(4), F64V(5)}, {.mode = MODE_CLIP}, {1, 1, -1, 7}},
    {OP_SCATTER_MUL, 3, {F64M(2, 3), I64V(2), F64M(2, 2)}, {.axis = 1, .mode = MODE_CLIP}, {1, 1}},
    {OP_SCATTER_MIN, 3, {F64V(3), I64V(4), F64V(5)}, {.mode = MODE_CLIP}, {1, 1, -1, 7}},
    {OP_SCATTER_MAX, 3, {F64M(2, 3), I64V(2), F64M(2, 2)}, {.axis = 1, .mode = MODE_CLIP}, {1, 1}},
    {OP_MASKED_SCATTER, 3, {F64V(4), BOOLV(4), F64V(2)}, {0}, {1, 0, 1, 1}},
    {OP_REDUCE_SUM, 1, {F64M(2, 3)}, {.n_axes = 1, .axes = {1}}, {0}},
    {OP_REDUCE_PROD, 1, {F64M(2, 3)}, {.n_axes = 1, .axes = {0}, .keepdims = true}, {0}},
    {OP_REDUCE_PROD, 1, {F64M(2, 3)}, {.n_axes = 2, .axes = {0, 1}}, {0}},
    {OP_REDUCE_MAX, 1, {F64M(2, 3)}, {.n_axes = 1, .axes = {1}}, {0}},
    {OP_REDUCE_MIN, 1, {F64M(2, 3)}, {.n_axes = 1, .axes = {0}}, {0}},
    {OP_REDUCE_MEAN, 1, {F64M(2, 3)}, {.n_axes = 1, .axes = {1}}, {0}},
    {OP_LOGSUMEXP, 1, {F64M(2, 3)}, {.n_axes = 1, .axes = {1}}, {0}},
    {OP_NORM, 1, {F64M(2, 3)}, {.n_axes = 1, .axes = {1}}, {0}},
    {OP_CUMSUM, 1, {F64M(2, 3)}, {.axis = 1}, {0}},
    {OP_CUMPROD, 1, {F64M(2, 3)}, {.axis = 0}, {0}},
    {OP_SORT, 1, {F64M(2, 3)}, {.axis = 1}, {0}},
    {OP_SORT, 1, {F64M(3, 2)}, {.axis = 0}, {0}},
    {OP_SORT, 1, {I64V(3)}, {0}, {5, 7, 5}},
    {OP_ARGSORT, 1, {F64M(2, 3)}, {.axis = 1}, {0}},
    {OP_ARGMAX, 1, {F64M(2, 3)}, {.axis = 1}, {0}},
    {OP_IOTA, 0, {F64}, {.dtype = DTYPE_F64, .shape = {1, {3}}}, {0}},
    {OP_MATMUL, 2, {F64M(2, 3), F64M(3, 2)}, {0}, {0}},
    {OP_MATMUL, 2, {F64M(2, 3), F64V(3)}, {0}, {0}},
    {OP_MATMUL, 2, {F64V(2), F64V(2)}, {0}, {0}},
    {OP_MATMUL, 2, {{DTYPE_F64, {3, {2, 1, 2}}}, F64M(2, 3)}, {0}, {0}},
    {OP_REDUCE_SUM, 1, {F64M(0, 3)}, {.n_axes = 1, .axes = {0}}, {0}},
    {OP_CONCATENATE, 2, {F64V(0), F64V(2)}, {.axis = 0}, {0}},
    {OP_MUL, 2, {F64V(0), F64}, {0}, {0}},
};

/* A case of one op; wrt is the subset of operands, seeds are distinct. */
static struct testcase case_of(struct arena *a, const struct op_case *o, int subset, struct error *e)
{
	struct testcase c = {.n_point = 1,
	    .point = NEW(a, struct tensor *, 1),
	    .n_transform = 1,
	    .transform = NEW(a, struct transform, 1)};
	struct transform *t = c.transform;
	struct builder b = {0};
	int in[OP_ARGS], result, serial = 0;

	build_begin(&b, a);
	c.point[0] = NEW(a, struct tensor, OP_ARGS);
	*t = (struct transform){
	    .kind = TRANSFORM_JVP, .wrt = NEW(a, int, OP_ARGS), .seed = NEW(a, struct tensor, OP_ARGS)};
	for (int k = 0; k < o->n_arg; k++) {
		struct tensor *x = &c.point[0][k], seed = tensor_new(a, &o->type[k]);

		in[k] = build_input(&b, &o->type[k]);
		*x = tensor_new(a, &o->type[k]);
		for (int i = 0; i < shape_elements(&x->type.shape); i++, serial++)
			if (dtype_is_float(x->type.dtype)) {
				/* 0.2 to 0.9, distinct: inside every domain but that of acosh */
				x->at[i].f = 0.2 + 0.7 * ((serial * 7 + 3) % 13) / 13 +
				    (op_table[o->op].domain == DOMAIN_ABOVE_ONE);
				seed.at[i].f = 0.5 + (serial * 5 + 2) % 7 - 3;
			} else {
				x->at[i].i = o->at[i];
			}
		if (subset >> k & 1) {
			t->wrt[t->n_wrt++] = k;
			t->seed[t->n_seed++] = seed;
		}
	}
	result = build_node(&b, o->op, in, o->n_arg, &o->attrs, e);
	if (result >= 0)
		c.program = build_end(&b, &result, 1);
	return c;
}

/* The primal at point + h * seed. */
static struct tensor moved(struct engine *engine, struct arena *a, const struct testcase *c, double h)
{
	struct testcase at = *c;
	struct answer out = {.status = ANSWER_FAILURE};
	int n = c->program.top.n_param;

	at.n_transform = 0;
	at.point = NEW(a, struct tensor *, 1);
	at.point[0] = NEW(a, struct tensor, n);
	for (int k = 0; k < n; k++)
		at.point[0][k] = tensor_copy(a, &c->point[0][k]);
	for (int i = 0; i < c->transform[0].n_wrt; i++) {
		struct tensor *x = &at.point[0][c->transform[0].wrt[i]];

		for (int j = 0; dtype_is_float(x->type.dtype) && j < shape_elements(&x->type.shape); j++)
			x->at[j].f += h * c->transform[0].seed[i].at[j].f;
	}
	engine_answer(engine, &at, a, &out);
	return out.primal[0];
}

static double dot(const struct tensor *x, const struct tensor *y)
{
	double sum = 0;

	for (int i = 0; dtype_is_float(x->type.dtype) && i < shape_elements(&x->type.shape); i++)
		sum += x->at[i].f * y->at[i].f;
	return sum;
}

/* <u, Jv> = <J'u, v>, u = 1, 2, 3 ... */
static void check_dual(
    struct engine *tape, struct arena *a, const char *name, const struct testcase *c, const struct answer *jvp)
{
	struct transform reverse = {.kind = TRANSFORM_VJP,
	    .n_wrt = c->transform[0].n_wrt,
	    .wrt = c->transform[0].wrt,
	    .n_seed = c->program.top.n_result,
	    .seed = NEW(a, struct tensor, c->program.top.n_result)};
	struct testcase dual = *c;
	struct answer out = {.status = ANSWER_FAILURE};
	double forward = 0, back = 0, serial = 0;

	dual.transform = &reverse;
	for (int k = 0; k < reverse.n_seed; k++) {
		reverse.seed[k] = tensor_new(a, &jvp->derivative[k].type);
		for (int i = 0;
		     dtype_is_float(reverse.seed[k].type.dtype) && i < shape_elements(&reverse.seed[k].type.shape); i++)
			reverse.seed[k].at[i].f = ++serial;
		forward += dot(&jvp->derivative[k], &reverse.seed[k]);
	}
	engine_answer(tape, &dual, a, &out);
	CHECK(out.status == ANSWER_OK, "%s: tape: %s", name, out.text);
	for (int i = 0; i < out.n_derivative; i++)
		back += dot(&out.derivative[i], &c->transform[0].seed[i]);
	CHECK(near(forward, back, 1e-13), "%s: <u,Jv> = %.17g, <J'u,v> = %.17g", name, forward, back);
}

static void check_op(struct engine *forward, struct engine *tape, struct arena *a, const struct op_case *o)
{
	const char *name = op_table[o->op].name;

	for (int subset = 0; subset < 1 << o->n_arg; subset++) {
		struct error e = {.text = ""};
		struct testcase c = case_of(a, o, subset, &e);
		struct answer out = {.status = ANSWER_FAILURE};
		struct tensor up, down;

		CHECK(!e.text[0], "%s: %s", name, e.text);
		if (e.text[0])
			return;
		engine_answer(forward, &c, a, &out);
		CHECK(
		    out.status == ANSWER_OK && out.n_derivative == 1 && !out.input_modified, "%s: %s", name, out.text);
		CHECK(type_equal(&out.derivative[0].type, &out.primal[0].type), "%s: type", name);
		if (dtype_is_float(out.primal[0].type.dtype) && o->op != OP_STOP_GRADIENT) {
			const double h = 1e-6;

			up = moved(forward, a, &c, h);
			down = moved(forward, a, &c, -h);
			for (int i = 0; i < shape_elements(&up.type.shape); i++) {
				double slope = (up.at[i].f - down.at[i].f) / (2 * h);

				CHECK(near(out.derivative[0].at[i].f, slope, 1e-7),
				    "%s, wrt %d, element %d: %.17g, slope %.17g", name, subset, i,
				    out.derivative[0].at[i].f, slope);
			}
		} else {
			for (int i = 0; i < shape_elements(&out.derivative[0].type.shape); i++)
				CHECK(out.derivative[0].at[i].i == 0, "%s: not zero", name);
		}
		check_dual(tape, a, name, &c, &out);
	}
}

static void check_ops(struct engine *forward, struct engine *tape, struct arena *a)
{
	struct op_case o = {0};

	for (int op = 0; op < OP_COUNT; op++) {
		const struct op_info *info = &op_table[op];
		static const enum dtype by_class[] = {DTYPE_F64, DTYPE_I32, DTYPE_BOOL};

		if (info->family < FAMILY_UNARY || info->family > FAMILY_CLAMP)
			continue;
		for (int class = 0; class < 3; class ++) {
			if (!(info->dtypes & (1u << class)))
				continue;
			o = (struct op_case){.op = (enum op)op, .n_arg = info->n_arg, .at = {1, 0, 1}};
			for (int k = 0; k < o.n_arg; k++)
				o.type[k] = (struct type){by_class[class], {1, {3}}};
			check_op(forward, tape, a, &o);
		}
	}
	for (size_t i = 0; i < sizeof op_cases / sizeof *op_cases; i++)
		if (row_wanted("ops: %d %s", (int)i, op_table[op_cases[i].op].name))
			check_op(forward, tape, a, &op_cases[i]);
	for (int d = 0; d < DTYPE_COUNT; d++)
		if (!dtype_is_float((enum dtype)d)) {
			o = (struct op_case){.op = OP_CAST,
			    .n_arg = 1,
			    .type = {{(enum dtype)d, {1, {3}}}},
			    .attrs = {.dtype = DTYPE_F64},
			    .at = {1, 0, 1}};
			struct error e = {.text = ""};
			struct testcase c = case_of(a, &o, 1, &e);
			struct answer out = {.status = ANSWER_FAILURE};

			engine_answer(forward, &c, a, &out);
			for (int i = 0; i < 3; i++)
				CHECK(out.derivative[0].at[i].f == 0 && out.primal[0].at[i].f == (double)o.at[i],
				    "cast of %s", dtype_table[d].name);
		}
}

/* Every sample as a jvp, on every subset of the inputs. */
static void check_loops(struct engine *forward, struct engine *tape, struct arena *a)
{
	for (int n = 0; n < N_SAMPLE; n++)
		if (row_wanted("loops: %s", samples[n].name))
			for (int subset = 0; subset < 1 << samples[n].n_in; subset++) {
				const struct sample *s = &samples[n];
				struct testcase c = sample_case(a, s, s->at, true);
				struct transform *t = &c.transform[0];
				struct answer out = {.status = ANSWER_FAILURE};
				int serial = 0;

				*t = (struct transform){
				    .kind = TRANSFORM_JVP, .wrt = t->wrt, .seed = NEW(a, struct tensor, s->n_in)};
				for (int k = 0; k < s->n_in; k++)
					if (subset >> k & 1) {
						struct tensor seed = tensor_new(a, &s->type[k]);

						for (int i = 0; dtype_is_float(s->type[k].dtype) &&
						     i < shape_elements(&s->type[k].shape);
						     i++)
							seed.at[i].f = 1.5 - serial++;
						t->wrt[t->n_wrt++] = k;
						t->seed[t->n_seed++] = seed;
					}
				engine_answer(forward, &c, a, &out);
				CHECK(out.status == ANSWER_OK && out.n_derivative == c.program.top.n_result &&
				        !out.input_modified,
				    "%s: %s", s->name, out.text);
				check_dual(tape, a, s->name, &c, &out);
				if (t->n_wrt == 1 && s->n_in == 1 && s->n_want == 1)
					CHECK(near(out.derivative[0].at->f, 1.5 * s->want[0], 1e-15), "%s: %.17g",
					    s->name, out.derivative[0].at->f);
			}
}

/* ---- memory ---- */

/* acc = acc * x, `trip` times, on a vector: memory must not grow with trips. */
static size_t loop_memory(struct engine *forward, int trip)
{
	const struct type vector = {DTYPE_F64, {1, {100}}};
	struct arena a;
	struct builder b = {0};
	struct testcase c = {.n_point = 1, .n_transform = 1};
	struct transform t = {.kind = TRANSFORM_JVP, .n_wrt = 1, .wrt = (int[]){0}, .n_seed = 1};
	struct answer out = {.status = ANSWER_FAILURE};
	struct tensor *point;
	int x, i, result;
	size_t used;

	arena_init(&a, (size_t)1 << 28);
	build_begin(&b, &a);
	x = build_input(&b, &vector);
	i = build_open(&b, (struct type[]){sample_i64, vector}, 2);
	build_close(&b, (int[]){op2(&b, OP_MUL, i + 1, x)}, 1);
	result = build_region_node(&b, OP_FOR, &x, 1, &(struct attrs){.trip = trip}, NULL);
	c.program = build_end(&b, &result, 1);
	point = NEW(&a, struct tensor, 1);
	*point = tensor_new(&a, &vector);
	t.seed = point;
	c.point = &point;
	c.transform = &t;
	engine_answer(forward, &c, &a, &out);
	CHECK(out.status == ANSWER_OK, "%s", out.text);
	used = a.used;
	arena_free(&a);
	return used;
}

/* ---- requests ---- */

static void check_requests(struct engine *forward, struct arena *a)
{
	struct testcase c = sample_case(a, &samples[0], samples[0].at, true);
	struct answer out = {.status = ANSWER_FAILURE};

	engine_answer(forward, &c, a, &out);
	CHECK(out.status == ANSWER_UNSUPPORTED && strstr(out.text, "vjp"), "a vjp: %d %s", out.status, out.text);
	c.n_transform = 0;
	engine_answer(forward, &c, a, &out);
	CHECK(out.status == ANSWER_OK && out.n_derivative == 0 && out.primal[0].at->f == 0.125, "primal: %g",
	    out.primal[0].at->f);
}

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
	const struct type vector = F64V(1), mask = BOOLV(1);
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

static const struct {
	const char *spec, *says;
} bad_specs[] = {
    {"", "forward, tape, functional, checkpointed, parallel"},
    {"forwards", "no engine 'forwards'"},
    {"forward:3", "no arguments"},
    {"forward+residual-fifo", "'adjudge faults'"},
    {"tape+packed-select", "weak-zero"},
    {"forward+", "no fault ''"},
    {"forward+packed-select:3", "takes no arguments"},
    {"forward+scale", "scale:OP:FACTOR"},
    {"forward+scale:sin.b:2", "no operand"},
    {"forward+scale:pow.:2", "no operand"},
    {"forward+scale:mul", "scale:OP:FACTOR"},
    {"forward+scale:mul:", "scale:OP:FACTOR"},
    {"forward+scale:mul:2x", "scale:OP:FACTOR"},
    {"forward+scale:mul:inf", "scale:OP:FACTOR"},
    {"forward+scale:muls:2", "no op 'muls'"},
    {"forward+scale:while:2", "while"},
    {"forward+scale:floor:2", "floor"},
};

static void check_specs(void)
{
	for (size_t i = 0; i < sizeof bad_specs / sizeof *bad_specs; i++) {
		if (!row_wanted("specs: %s", bad_specs[i].spec))
			continue;
		struct error e = {.text = ""};
		struct engine *engine = engine_open(bad_specs[i].spec, &e);

		CHECK(!engine && strstr(e.text, bad_specs[i].says), "%s: %s", bad_specs[i].spec, e.text);
		engine_close(engine);
	}
	for (int i = 0; fault_row(i); i++) {
		const struct fault_info *f = fault_row(i);
		struct error e = {.text = ""};
		char spec[80];
		struct engine *engine;

		snprintf(spec, sizeof spec, "%.*s", (int)strcspn(f->spec, ":"), f->spec);
		if (strchr(f->spec, ':'))
			strcat(spec, strcmp(f->slug, "mutant") ? ":mul:2" : ":0");
		engine = engine_open(spec, &e);
		CHECK(engine, "%s: %s", spec, e.text);
		if (engine)
			CHECK(!engine_is_right(engine) && !strcmp(engine_spec(engine), spec), "%s", spec);
		engine_close(engine);
	}
	for (int i = 0; engine_names[i]; i++) {
		struct engine *engine = sample_engine(engine_names[i]);

		CHECK(engine_is_right(engine) && engine_kind(engine) == engine_kind_find(engine_names[i]), "%s",
		    engine_names[i]);
		CHECK(!strcmp(engine_kind(engine)->name, engine_names[i]), "%s", engine_names[i]);
		engine_close(engine);
	}
}

/* ---- accuracy and range: partials where usual formulas cancel, overflow or lose all digits ---- */

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
	struct engine *forward = sample_engine("forward"), *tape = sample_engine("tape");

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	check_ops(forward, tape, &a);
	check_loops(forward, tape, &a);
	CHECK(loop_memory(forward, 2) == loop_memory(forward, 200), "memory grows with trips");
	CHECK_LAW(check_requests(forward, &a));
	check_faults(&a);
	CHECK_LAW(check_crash(&a));
	check_specs();
	check_accuracy(&a);
	engine_close(forward);
	engine_close(tape);
	arena_free(&a);
	return check_done();
}

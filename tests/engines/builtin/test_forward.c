/*
 * test_forward.c: forward mode against finite differences op by op, against closed forms in loops, against the tape by
 * <u, Jv> = <J'u, v>, on every subset of traced inputs.
 */
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
	engine_close(forward);
	engine_close(tape);
	arena_free(&a);
	return check_done();
}

/*
 * test_adjoint.c: every row of the adjoint table against differences of the kernels, then conventions, range,
 * rounding.
 */
#include <math.h>
#include <string.h>

#include "engines/builtin/adjoint.h"
#include "engines/kernels/kernels.h"
#include "tests/check.h"

#define SHAPE0 \
	{ \
		0, { 0 } \
	}
#define SHAPE(r, ...) \
	{ \
		r, { __VA_ARGS__ } \
	}

/* clang-format off */
/* One operand: floats are drawn from (low, high); with n_at > 0 they are at[], cycled, and so are
 * integers and bools. */
struct operand {
	enum dtype dtype;
	struct shape shape;
	double low, high;
	int n_at;
	double at[8];
};

struct row {
	enum op op;
	struct operand arg[3];
	struct attrs attrs;
};

#define U(s, lo, hi) {DTYPE_F64, s, lo, hi, 0, {0}}
#define V(s, n, ...) {DTYPE_F64, s, 0, 0, n, {__VA_ARGS__}}
#define I(s, n, ...) {DTYPE_I64, s, 0, 0, n, {__VA_ARGS__}}
#define B(s, n, ...) {DTYPE_BOOL, s, 0, 0, n, {__VA_ARGS__}}
#define S23 SHAPE(2, 2, 3)
#define S3 SHAPE(1, 3)
#define S4 SHAPE(1, 4)
#define S43 SHAPE(2, 4, 3)

/* Away from kinks: the kernels' central differences say what each adjoint must be. */
static const struct row smooth[] = {
    {OP_NEG, {U(S3, -2, 2)}, {0}},
    {OP_ABS, {U(S3, -2, -.1)}, {0}},
    {OP_SQUARE, {U(S3, -2, 2)}, {0}},
    {OP_SQRT, {U(S3, .1, 4)}, {0}},
    {OP_RSQRT, {U(S3, .2, 4)}, {0}},
    {OP_EXP, {U(S3, -2, 2)}, {0}},
    {OP_EXPM1, {U(S3, -2, 2)}, {0}},
    {OP_LOG, {U(S3, .1, 4)}, {0}},
    {OP_LOG1P, {U(S3, -.8, 4)}, {0}},
    {OP_SIN, {U(S3, -4, 4)}, {0}},
    {OP_COS, {U(S3, -4, 4)}, {0}},
    {OP_TAN, {U(S3, -1.2, 1.2)}, {0}},
    {OP_ASIN, {U(S3, -.9, .9)}, {0}},
    {OP_ACOS, {U(S3, -.9, .9)}, {0}},
    {OP_ATAN, {U(S3, -3, 3)}, {0}},
    {OP_SINH, {U(S3, -2, 2)}, {0}},
    {OP_COSH, {U(S3, -2, 2)}, {0}},
    {OP_TANH, {U(S3, -2, 2)}, {0}},
    {OP_ASINH, {U(S3, -3, 3)}, {0}},
    {OP_ACOSH, {U(S3, 1.2, 4)}, {0}},
    {OP_ATANH, {U(S3, -.9, .9)}, {0}},
    {OP_LOGISTIC, {U(S3, -3, 3)}, {0}},
    {OP_ERF, {U(S3, -2, 2)}, {0}},
    {OP_ADD, {U(S23, -2, 2), U(S3, -2, 2)}, {0}},
    {OP_SUB, {U(SHAPE0, -2, 2), U(S23, -2, 2)}, {0}},
    {OP_MUL, {U(SHAPE(2, 2, 1), -2, 2), U(S3, -2, 2)}, {0}},
    {OP_DIV, {U(SHAPE(2, 1, 3), -2, 2), U(SHAPE(2, 2, 1), .5, 2)}, {0}},
    {OP_POW, {U(S23, .3, 2), U(S3, -2, 2)}, {0}},
    {OP_ATAN2, {U(S23, -2, 2), U(S3, .3, 2)}, {0}},
    {OP_ATAN2, {U(S3, .1, 2), U(S3, -2, -.3)}, {0}},
    {OP_MAX, {U(S3, -2, 2), U(S23, -2, 2)}, {0}},
    {OP_MIN, {U(S3, -2, 2), U(S23, -2, 2)}, {0}},
    {OP_CLAMP, {U(S23, -2, 2), U(S3, -1, 0), U(SHAPE0, .2, 1)}, {0}},
    {OP_CLAMP, {U(S23, -2, 2), U(S3, 1, 2), U(SHAPE0, -1, .5)}, {0}}, /* lo > hi */
    {OP_SELECT, {B(S3, 3, 1, 0, 1), U(S23, -2, 2), U(SHAPE0, -2, 2)}, {0}},
    {OP_CAST, {U(S3, -2, 2)}, {.dtype = DTYPE_F64}},
    {OP_BROADCAST_TO, {U(SHAPE(2, 2, 1), -2, 2)}, {.shape = SHAPE(3, 2, 2, 3)}},
    {OP_RESHAPE, {U(S23, -2, 2)}, {.shape = SHAPE(3, 3, 1, 2)}},
    {OP_TRANSPOSE, {U(SHAPE(3, 2, 3, 2), -2, 2)}, {.n_axes = 3, .axes = {2, 0, 1}}},
    {OP_REVERSE, {U(SHAPE(3, 2, 3, 2), -2, 2)}, {.n_axes = 2, .axes = {2, 1}}},
    {OP_REVERSE, {U(SHAPE(2, 0, 3), -2, 2)}, {.n_axes = 1, .axes = {0}}},
    {OP_SQUEEZE, {U(SHAPE(3, 1, 3, 1), -2, 2)}, {.n_axes = 2, .axes = {0, 2}}},
    {OP_SLICE, {U(S43, -2, 2)}, {.start = {3, 0}, .size = {2, 2}, .stride = {-2, 2}}},
    {OP_SLICE_SCATTER, {U(S43, -2, 2), U(SHAPE(2, 2, 1), -2, 2)}, {.start = {3, 1}, .stride = {-2, 1}}},
    {OP_DYNAMIC_SLICE, {U(S43, -2, 2), I(SHAPE(1, 2), 2, 9, 1)}, {.size = {2, 2}}},
    {OP_DYNAMIC_UPDATE_SLICE, {U(S43, -2, 2), U(SHAPE(2, 2, 2), -2, 2), I(SHAPE(1, 2), 2, -5, 1)}, {0}},
    {OP_STORE, {U(S43, -2, 2), U(SHAPE(2, 2, 2), -2, 2), I(SHAPE(1, 2), 2, -5, 1)}, {0}},
    {OP_PAD, {U(S23, -2, 2), U(SHAPE0, -2, 2)}, {.low = {1, 0}, .high = {0, 2}}},
    {OP_CONCATENATE, {U(S23, -2, 2), U(SHAPE(2, 2, 0), -2, 2), U(SHAPE(2, 2, 2), -2, 2)}, {.axis = 1}},
    {OP_GATHER, {U(S43, -2, 2), I(SHAPE(2, 2, 2), 4, 3, -1, 3, 9)}, {.axis = 0, .mode = MODE_WRAP}},
    {OP_GATHER, {U(S43, -2, 2), I(S3, 3, 2, 2, -1)}, {.axis = 1, .mode = MODE_DROP}},
    {OP_GATHER, {U(S43, -2, 2), I(S3, 3, 2, 7, -1)}, {.axis = 1, .mode = MODE_CLIP}},
    {OP_TAKE_ALONG_AXIS, {U(S43, -2, 2), I(SHAPE(2, 2, 3), 6, 1, -2, 0, 1, 3, 0)}, {.axis = 0, .mode = MODE_CLIP}},
    {OP_SCATTER_SET, {U(S43, -2, 2), I(S3, 3, 1, 1, 9), U(S43, -2, 2)}, {.axis = 0, .mode = MODE_DROP}},
    {OP_SCATTER_SET, {U(S43, -2, 2), I(S3, 3, 1, -1, 2), U(S43, -2, 2)}, {.axis = 1, .mode = MODE_WRAP}},
    {OP_SCATTER_ADD, {U(S43, -2, 2), I(S3, 3, 1, 1, 9), U(S43, -2, 2)}, {.axis = 0, .mode = MODE_CLIP}},
    {OP_SCATTER_MUL, {U(S43, -2, 2), I(S4, 4, 1, 1, 9, 1), U(S43, -2, 2)}, {.axis = 0, .mode = MODE_DROP}},
    {OP_SCATTER_MUL, {V(S3, 3, 0, 2, 3), I(S4, 4, 0, 1, 1, 2), V(S4, 4, 5, 0, 4, 0)}, {.axis = 0, .mode = MODE_DROP}},
    {OP_SCATTER_MIN, {U(S43, -2, 2), I(S3, 3, 1, 1, 2), U(S43, -2, 2)}, {.axis = 0, .mode = MODE_DROP}},
    {OP_SCATTER_MAX, {U(S43, -2, 2), I(S3, 3, 1, -1, 2), U(S43, -2, 2)}, {.axis = 1, .mode = MODE_WRAP}},
    {OP_MASKED_SCATTER, {U(S23, -2, 2), B(S23, 6, 1, 0, 1, 1, 0, 1), U(S3, -2, 2)}, {0}},
    {OP_MASKED_SCATTER, {U(S23, -2, 2), B(S23, 6, 0, 0, 1, 1, 0, 1), U(S4, -2, 2)}, {0}},
    {OP_REDUCE_SUM, {U(SHAPE(3, 2, 3, 2), -2, 2)}, {.n_axes = 2, .axes = {2, 0}}},
    {OP_REDUCE_SUM, {U(SHAPE(2, 2, 0), -2, 2)}, {.n_axes = 1, .axes = {1}}},
    {OP_REDUCE_PROD, {U(SHAPE(3, 2, 3, 2), -2, 2)}, {.n_axes = 2, .axes = {0, 1}, .keepdims = true}},
    {OP_REDUCE_PROD, {V(S43, 5, 0, 2, 3, -1, 4)}, {.n_axes = 1, .axes = {1}}},
    {OP_REDUCE_MAX, {U(S43, -2, 2)}, {.n_axes = 1, .axes = {0}}},
    {OP_REDUCE_MIN, {U(S43, -2, 2)}, {.n_axes = 1, .axes = {1}, .keepdims = true}},
    {OP_REDUCE_MEAN, {U(S43, -2, 2)}, {.n_axes = 1, .axes = {0}}},
    {OP_LOGSUMEXP, {U(S43, -2, 2)}, {.n_axes = 1, .axes = {1}}},
    {OP_NORM, {U(S43, -2, 2)}, {.n_axes = 1, .axes = {0}}},
    {OP_NORM, {U(S3, .5, 2)}, {.n_axes = 0}}, /* nothing reduced: |x| */
    {OP_CUMSUM, {U(S43, -2, 2)}, {.axis = 0}},
    {OP_CUMPROD, {U(S43, -2, 2)}, {.axis = 1}},
    {OP_CUMPROD, {V(S43, 5, 3, 0, 2, -1, 4)}, {.axis = 0}},
    {OP_MATMUL, {U(S43, -2, 2), U(SHAPE(2, 3, 2), -2, 2)}, {0}},
    {OP_MATMUL, {U(S3, -2, 2), U(S3, -2, 2)}, {0}},
    {OP_MATMUL, {U(S43, -2, 2), U(S3, -2, 2)}, {0}},
    {OP_MATMUL, {U(S3, -2, 2), U(SHAPE(3, 2, 3, 2), -2, 2)}, {0}},
    {OP_MATMUL, {U(SHAPE(3, 2, 2, 3), -2, 2), U(SHAPE(2, 3, 2), -2, 2)}, {0}},
    {OP_MATMUL, {U(SHAPE(3, 2, 2, 3), -2, 2), U(S3, -2, 2)}, {0}},
    {OP_MATMUL, {U(SHAPE(3, 1, 2, 3), -2, 2), U(SHAPE(4, 2, 2, 3, 1), -2, 2)}, {0}},
    {OP_MATMUL, {U(SHAPE(2, 2, 0), -2, 2), U(SHAPE(2, 0, 3), -2, 2)}, {0}},
};

/* clang-format on */

/* What one op and its adjoint need at a point. */
struct fixture {
	struct program program;
	const struct node *node;
	struct tensor arg[3], out, cotangent, contribution[3];
	const struct tensor *at[3];
	bool wanted[3];
};

static double draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) * 0x1p-53;
}

static void run(struct fixture *f, struct arena *a)
{
	kernel_run(f->node, f->at, &f->program.type[f->node->out], &f->out, a);
}

/* Operands, result, cotangents 1, -2, 3, -4 ... and contributions for all float operands. */
static void pull(struct fixture *f, const struct adjoint_rules *rules, const struct row *row, struct arena *a)
{
	struct builder b;
	struct error e = {.text = ""};
	int n_arg = op_table[row->op].n_arg < 0 ? 3 : op_table[row->op].n_arg, arg[3], out;
	uint64_t state = (uint64_t)row->op + 1;

	memset(f, 0, sizeof *f);
	build_begin(&b, a);
	for (int k = 0; k < n_arg; k++)
		arg[k] = build_input(&b, &(struct type){row->arg[k].dtype, row->arg[k].shape});
	out = build_node(&b, row->op, arg, n_arg, &row->attrs, &e);
	CHECK(out >= 0, "%s: %s", op_table[row->op].name, e.text);
	f->program = build_end(&b, &out, 1);
	f->node = &f->program.top.node[0];
	for (int k = 0; k < n_arg; k++) {
		const struct operand *o = &row->arg[k];

		f->arg[k] = tensor_new(a, &(struct type){o->dtype, o->shape});
		f->at[k] = &f->arg[k];
		f->wanted[k] = dtype_is_float(o->dtype);
		for (int i = 0; i < shape_elements(&o->shape); i++)
			if (!dtype_is_float(o->dtype))
				f->arg[k].at[i].i = (int64_t)o->at[i % o->n_at];
			else
				f->arg[k].at[i].f = o->n_at ? o->at[i % o->n_at]
				                            : o->low + (o->high - o->low) * draw(&state);
	}
	run(f, a);
	f->cotangent = tensor_new(a, &f->out.type);
	for (int i = 0; i < shape_elements(&f->out.type.shape); i++)
		f->cotangent.at[i].f = i % 2 ? -1 - i : 1 + i;
	adjoint_pull(rules, f->node, f->at, &f->out, &f->cotangent, false, f->wanted, f->contribution, a);
}

static double weighted(struct fixture *f, struct arena *a)
{
	double sum = 0;

	run(f, a);
	for (int i = 0; i < shape_elements(&f->out.type.shape); i++)
		sum += f->cotangent.at[i].f * f->out.at[i].f;
	return sum;
}

static void check_smooth(const struct adjoint_rules *rules, const struct row *row, struct arena *a)
{
	const char *name = op_table[row->op].name;
	const double h = 1e-5;
	struct fixture f;

	pull(&f, rules, row, a);
	for (int k = 0; k < f.node->n_arg; k++) {
		if (!f.wanted[k]) {
			CHECK(!f.contribution[k].at, "%s: operand %d is no float", name, k);
			continue;
		}
		CHECK(f.contribution[k].at && type_equal(&f.contribution[k].type, &f.arg[k].type), "%s: operand %d",
		    name, k);
		for (int i = 0; f.contribution[k].at && i < shape_elements(&f.arg[k].type.shape); i++) {
			double *x = &f.arg[k].at[i].f, x0 = *x, up, got = f.contribution[k].at[i].f;

			*x = x0 + h;
			up = weighted(&f, a);
			*x = x0 - h;
			double slope = (up - weighted(&f, a)) / (2 * h);
			*x = x0;
			CHECK(fabs(got - slope) <= 1e-7 * fmax(1, fabs(slope)), "%s operand %d[%d]: %.17g, slope %.17g",
			    name, k, i, got, slope);
		}
	}
}

/* clang-format off */
/* Cotangents 1, -2, 3, -4: conventions at ties, values at the edge of the range. */
static const struct {
	struct row row;
	int operand;
	double want[4];
	int n;
} exact[] = {
    {{OP_ABS, {V(S3, 3, 0., 1, -1)}, {0}}, 0, {0, -2, -3}, 3},
    {{OP_MAX, {V(S3, 3, 1, 2, 3), V(S3, 3, 1, 3, 2)}, {0}}, 0, {.5, 0, 3}, 3},
    {{OP_MIN, {V(S3, 3, 1, 2, 3), V(S3, 3, 1, 3, 2)}, {0}}, 1, {.5, 0, 3}, 3},
    {{OP_CLAMP, {V(S3, 3, 1, 2, 3), V(SHAPE0, 1, 1), V(SHAPE0, 1, 2)}, {0}}, 0, {1, -2, 0}, 3},
    {{OP_POW, {V(S3, 3, 0, 0, 2), V(S3, 3, 0, 2, 0)}, {0}}, 0, {0, 0, 0}, 3},
    {{OP_POW, {V(S3, 3, 0, 0, 1), V(S3, 3, 0, 2, 5)}, {0}}, 1, {0, 0, 0}, 3},
    {{OP_REDUCE_MAX, {V(S4, 4, 2, 1, 2, 0)}, {.n_axes = 1, .axes = {0}}}, 0, {.5, 0, .5, 0}, 4},
    {{OP_REDUCE_MAX, {V(S3, 3, 1, 2, 3)}, {.n_axes = 0}}, 0, {1, -2, 3}, 3},
    {{OP_SCATTER_MAX, {V(S3, 3, 2, 1, 9), I(S3, 3, 0, 0, 1), V(S3, 3, 2, 1, 4)},
        {.mode = MODE_DROP}}, 0, {.5, 0, 3}, 3},
    {{OP_SCATTER_MAX, {V(S3, 3, 2, 1, 9), I(S3, 3, 0, 0, 1), V(S3, 3, 2, 1, 4)},
        {.mode = MODE_DROP}}, 2, {.5, 0, -2}, 3},
    {{OP_SCATTER_SET, {V(S3, 3, 2, 1, 9), I(S3, 3, 0, 0, 1), V(S3, 3, 2, 1, 4)},
        {.mode = MODE_DROP}}, 2, {0, 1, -2}, 3},
    {{OP_NORM, {V(S3, 3, 0, 0, 0)}, {.n_axes = 1, .axes = {0}}}, 0, {0, 0, 0}, 3},
    {{OP_NORM, {V(S3, 3, 3e200, 0, 4e200)}, {.n_axes = 1, .axes = {0}}}, 0, {.6, 0, .8}, 3},
    {{OP_LOGSUMEXP, {V(S3, 1, -INFINITY)}, {.n_axes = 1, .axes = {0}}}, 0, {0, 0, 0}, 3},
    {{OP_LOGSUMEXP, {V(S3, 3, 1000, 1000, -INFINITY)}, {.n_axes = 1, .axes = {0}}}, 0, {.5, .5, 0}, 3},
    {{OP_REDUCE_PROD, {V(S3, 3, 0, 5, 0)}, {.n_axes = 1, .axes = {0}}}, 0, {0, 0, 0}, 3},
    /* the right values to 17 digits, computed with 40 digits */
    {{OP_ATAN, {V(S3, 3, 1e160, 1e8, 1)}, {0}}, 0, {1e-320, -2 * 9.999999999999999e-17, 1.5}, 3},
    {{OP_LOGISTIC, {V(S3, 3, -720., 720, 40)}, {0}}, 0, {2.0322308024242932e-313,
        -2 * 2.0322308024242932e-313, 3 * 4.248354255291589e-18}, 3},
    {{OP_TANH, {V(S3, 3, 20, 400, -1e308)}, {0}}, 0, {1.699341702116636e-17, 0, 0}, 3},
    {{OP_ERF, {V(S3, 3, 20, 0, 5)}, {0}}, 0, {2.1610374743867985e-174, -2 * 1.1283791670955126,
        3 * 1.5670866531017336e-11}, 3},
    {{OP_ACOSH, {V(S3, 3, 1e300, 1.25, 1.0000000000000002)}, {0}}, 0, {1e-300, -2 / .75, 3 * 47453132.81212578}, 3},
    {{OP_ATAN2, {V(S3, 3, 3e200, 3e-200, 3), V(S3, 3, 4e200, 4e-200, 4)}, {0}}, 0, {1.6e-201, -2 * 1.6e199, .48}, 3},
};

/* clang-format on */

static void check_exact(const struct adjoint_rules *rules, struct arena *a)
{
	for (size_t n = 0; n < sizeof exact / sizeof exact[0]; n++) {
		if (!row_wanted("exact: row %d", (int)n))
			continue;
		struct fixture f;

		pull(&f, rules, &exact[n].row, a);
		for (int i = 0; i < exact[n].n; i++) {
			double got = f.contribution[exact[n].operand].at[i].f, want = exact[n].want[i];

			/* subnormals have few digits */
			CHECK(fabs(got - want) <= (fabs(want) < 1e-300 ? 1e-6 : 1e-15) * fabs(want),
			    "%s (row %zu)[%d]: %.17g, want %.17g", op_table[exact[n].row.op].name, n, i, got, want);
		}
	}
}

/* Every op of ops.def has a row, and every text compiles. */
static void check_complete(const struct adjoint_rules *rules)
{
	for (int op = 0; op < OP_COUNT; op++) {
		CHECK(rules->row[op].structure, "%s has no row, or its text does not compile", op_table[op].name);
		CHECK((rules->row[op].structure == adjoint_region) == (op_table[op].regularity == REGULARITY_REGION),
		    "%s", op_table[op].name);
		CHECK(adjoint_flows(rules, (enum op)op) !=
		        (op_table[op].regularity == REGULARITY_STEP || op_table[op].regularity == REGULARITY_DISCRETE),
		    "%s", op_table[op].name);
	}
}

/*
 * Narrow dtypes: the partial is not rounded, the product is, once; a sum inside one op is rounded once; a fan-out at
 * every term.
 */
static void check_rounding(const struct adjoint_rules *rules, struct arena *a)
{
	const struct row mul = {
	    OP_DIV, {{DTYPE_BF16, SHAPE0, 0, 0, 1, {1}}, {DTYPE_BF16, S3, 0, 0, 3, {3, 3, 3}}}, {0}};
	const struct type t = {DTYPE_BF16, SHAPE0};
	union cell first = {.f = 256}, second = {.f = 1}, third = {.f = 1}, *adjoint = NULL;
	struct fixture f;
	double want = 0;

	pull(&f, rules, &mul, a);
	for (int i = 0; i < 3; i++)
		want += dtype_round(DTYPE_BF16, f.cotangent.at[i].f / 3);
	CHECK(f.contribution[0].at->f == dtype_round(DTYPE_BF16, want), "%g, want %g", f.contribution[0].at->f, want);

	adjoint_add(rules, &t, &adjoint, &first);
	adjoint_add(rules, &t, &adjoint, &second);
	adjoint_add(rules, &t, &adjoint, &third);
	CHECK(adjoint->f == 256, "256 + 1 + 1 in bf16, rounded at each term: %g", adjoint->f);
}

/*
 * What adjoint_reads says nobody reads may be overwritten after the op has run: contributions stay, bit for bit.  A
 * spent cotangent changes nothing either.
 */
static void check_reads(const struct adjoint_rules *rules, const struct row *row, struct arena *a)
{
	const char *name = op_table[row->op].name;
	struct tensor again[3];
	struct fixture f;

	pull(&f, rules, row, a);
	for (int k = 0; k <= f.node->n_arg; k++) {
		int which = k < f.node->n_arg ? k : ADJOINT_RESULT;
		struct tensor *x = k < f.node->n_arg ? &f.arg[k] : &f.out;

		if (adjoint_reads(rules, row->op, which, x->type.dtype))
			continue;
		for (int i = 0; i < shape_elements(&x->type.shape); i++)
			x->at[i].f = NAN;
	}
	adjoint_pull(rules, f.node, f.at, &f.out, &f.cotangent, true, f.wanted, again, a);
	for (int k = 0; k < f.node->n_arg; k++)
		CHECK(!again[k].at == !f.contribution[k].at &&
		        (!again[k].at || tensor_same(&again[k], &f.contribution[k])),
		    "%s: operand %d", name, k);
}

/* A scale of the row reaches elementwise and structural rules. */
static void check_scale(struct adjoint_rules *rules, struct arena *a)
{
	static const enum op ops[] = {OP_MUL, OP_REDUCE_SUM};

	for (size_t n = 0; n < sizeof ops / sizeof ops[0]; n++)
		for (size_t r = 0; r < sizeof smooth / sizeof smooth[0]; r++) {
			struct fixture right, scaled;

			if (smooth[r].op != ops[n])
				continue;
			pull(&right, rules, &smooth[r], a);
			rules->row[ops[n]].scale = 2;
			pull(&scaled, rules, &smooth[r], a);
			rules->row[ops[n]].scale = 1;
			for (int i = 0; i < shape_elements(&right.arg[0].type.shape); i++)
				CHECK(scaled.contribution[0].at[i].f == 2 * right.contribution[0].at[i].f, "%s",
				    op_table[ops[n]].name);
		}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 28);
	struct adjoint_rules *rules = NEW(&a, struct adjoint_rules, 1);
	adjoint_rules_init(rules);
	CHECK_LAW(check_complete(rules));
	for (size_t n = 0; n < sizeof smooth / sizeof smooth[0]; n++)
		check_smooth(rules, &smooth[n], &a);
	for (size_t n = 0; n < sizeof smooth / sizeof smooth[0]; n++)
		check_reads(rules, &smooth[n], &a);
	CHECK(!adjoint_reads(rules, OP_MUL, ADJOINT_RESULT, DTYPE_F64) && adjoint_reads(rules, OP_MUL, 1, DTYPE_F64),
	    "mul");
	CHECK(!adjoint_reads(rules, OP_STORE, 0, DTYPE_F64) && adjoint_reads(rules, OP_STORE, 2, DTYPE_I64), "store");
	check_exact(rules, &a);
	CHECK_LAW(check_rounding(rules, &a));
	CHECK_LAW(check_scale(rules, &a));
	arena_free(&a);
	return check_done();
}
